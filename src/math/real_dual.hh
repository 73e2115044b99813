// real_dual.hh - scalar kind dual: a value with its derivatives along TAC_DUAL_DIRECTIONS
// directions. Included by real.h only.
//
// In memory it is 1 + TAC_DUAL_DIRECTIONS doubles, value first. The value is computed by the
// operations of f64, bit for bit. C++ is used for its operators only; nothing of its library is
// linked. Its <math.h>, which takes compilers a tenth of a second in each unit, is not included
// either: functions of libm have the compilers' own names.
//
// At a kink the derivative is that of the side on which the value lies (select, min, max, abs).
// Where there is no derivative, as of sqrt at 0, it is infinite or NaN; but a direction along which
// the argument does not change contributes 0, whatever the slope.
#ifndef __cplusplus
#error "the dual kind is compiled as C++17"
#endif

#include "math/elementary.h"
#include <tactus/component.h> // TAC_DUAL_DIRECTIONS, a power of two, as vector types are

// As for packs: nothing here is passed by value from unit to unit.
#pragma GCC diagnostic ignored "-Wpsabi"

// Derivatives lie in as many vectors as the registers of the machine take. One vector that is wider
// than a register does the same, but gcc 12 then goes through memory: with AVX2 the right-hand side
// of a multirotor took four times as long (bench_sensitivity).
#if defined(__AVX512F__)
#define TAC__PART_BYTES 64
#elif defined(__AVX__)
#define TAC__PART_BYTES 32
#else
#define TAC__PART_BYTES 16
#endif
#define TAC__PARTS (8 * TAC_DUAL_DIRECTIONS / TAC__PART_BYTES)

// Aligned as a double, so that duals may live in any block of doubles.
typedef double tac__part __attribute__((vector_size(TAC__PART_BYTES), aligned(8), may_alias));

struct tac__tangent {
    tac__part part[TAC__PARTS];
};

#define TAC__EACH_PART _Pragma("GCC unroll 8") for (int i = 0; i < TAC__PARTS; i++)

// One line an operation.
// clang-format off

#define TAC__TANGENTS(op)                                                                    \
    static inline tac__tangent operator op(const tac__tangent &a, const tac__tangent &b)     \
    {                                                                                        \
        tac__tangent r;                                                                      \
        TAC__EACH_PART r.part[i] = a.part[i] op b.part[i];                                   \
        return r;                                                                            \
    }
#define TAC__SCALED(op)                                                                      \
    static inline tac__tangent operator op(const tac__tangent &a, double b)                  \
    {                                                                                        \
        tac__tangent r;                                                                      \
        TAC__EACH_PART r.part[i] = a.part[i] op b;                                           \
        return r;                                                                            \
    }
TAC__TANGENTS(+)
TAC__TANGENTS(-)
TAC__SCALED(*)
TAC__SCALED(/)

static inline tac__tangent operator*(double a, const tac__tangent &b)
{
    tac__tangent r;
    TAC__EACH_PART r.part[i] = a * b.part[i];
    return r;
}

static inline tac__tangent operator-(const tac__tangent &a)
{
    tac__tangent r;
    TAC__EACH_PART r.part[i] = -a.part[i];
    return r;
}

// clang-format on

// Constructors are forced inline: C++ would keep one shared copy for all units, and that copy might
// come from a unit for another processor.
struct tac__dual {
    double v;
    tac__tangent d;

    tac__dual() = default;
    [[gnu::always_inline]] tac__dual(double value) : v(value), d{} {}
    [[gnu::always_inline]] tac__dual(double value, const tac__tangent &t) : v(value), d(t) {}
};

// Not a bool: a branch on a value must not compile here either.
struct tac__dual_cond {
    bool holds;
};

typedef tac__dual real;
typedef tac__dual_cond cond;

// Derivatives over a number. Implicit methods step with derivatives of the kind dual, so that their
// bits are part of results. Those of the kind dualp are not, and a product with 1 / b takes a
// quarter of the time of a division of eight.
#ifdef TAC_KIND_DUALP
#define TAC__OVER(d, b) ((d) * (1.0 / (b)))
#else
#define TAC__OVER(d, b) ((d) / (b))
#endif

#define R(x) real(x)

// One line an operation.
// clang-format off

static inline real operator-(real a) { return real(-a.v, -a.d); }
static inline real operator+(real a, real b) { return real(a.v + b.v, a.d + b.d); }
static inline real operator-(real a, real b) { return real(a.v - b.v, a.d - b.d); }
static inline real operator*(real a, real b) { return real(a.v * b.v, a.d * b.v + b.d * a.v); }
static inline real operator/(real a, real b)
{
    double q = a.v / b.v;
    return real(q, TAC__OVER(a.d - b.d * q, b.v));
}

// Operations with a constant on one side, which take less work.
static inline real operator+(real a, double b) { return real(a.v + b, a.d); }
static inline real operator-(real a, double b) { return real(a.v - b, a.d); }
static inline real operator*(real a, double b) { return real(a.v * b, a.d * b); }
static inline real operator/(real a, double b) { return real(a.v / b, TAC__OVER(a.d, b)); }
static inline real operator+(double a, real b) { return real(a + b.v, b.d); }
static inline real operator-(double a, real b) { return real(a - b.v, -b.d); }
static inline real operator*(double a, real b) { return real(a * b.v, a * b.d); }
static inline real operator/(double a, real b)
{
    double q = a / b.v;
    return real(q, TAC__OVER(b.d * -q, b.v));
}

static inline real &operator+=(real &a, real b) { return a = a + b; }
static inline real &operator-=(real &a, real b) { return a = a - b; }
static inline real &operator*=(real &a, real b) { return a = a * b; }
static inline real &operator/=(real &a, real b) { return a = a / b; }

static inline cond operator<(real a, real b) { return cond{a.v < b.v}; }
static inline cond operator>(real a, real b) { return cond{a.v > b.v}; }
static inline cond operator<=(real a, real b) { return cond{a.v <= b.v}; }
static inline cond operator>=(real a, real b) { return cond{a.v >= b.v}; }

static inline cond c_and(cond a, cond b) { return cond{a.holds && b.holds}; }
static inline cond c_or(cond a, cond b) { return cond{a.holds || b.holds}; }
static inline cond c_not(cond a) { return cond{!a.holds}; }
static inline int c_all(cond a) { return a.holds; }

static inline real r_select(cond c, real a, real b) { return c.holds ? a : b; }
static inline real r_abs(real a) { return a.v < 0.0 ? -a : real(__builtin_fabs(a.v), a.d); }
static inline real r_floor(real a) { return real(__builtin_floor(a.v)); }
static inline real r_fmod(real a, real b)
{
    double rest = __builtin_fmod(a.v, b.v);
    return real(rest, a.d - b.d * __builtin_floor((a.v - rest) / b.v + 0.5));
}

#define TAC__F64_1(name, accuracy) \
    static inline double tac__##name(double a) { return TAC__SLEEF_F64(name, accuracy)(a); }
#define TAC__F64_2(name, accuracy)                       \
    static inline double tac__##name(double a, double b) \
    {                                                    \
        return TAC__SLEEF_F64(name, accuracy)(a, b);     \
    }

TAC__NAMESAKES_1(TAC__F64_1)
TAC__ELEMENTARY_2(TAC__F64_2)
static inline double tac__exp(double a)
{
    return a > TAC__EXP_MOST ? __builtin_inf() : TAC__SLEEF_F64(exp, u10)(a);
}
static inline double tac__log1p(double a)
{
    return a <= TAC__LOG1P_MOST ? TAC__SLEEF_F64(log1p, u10)(a) : tac__log(a);
}

// slope * d, but 0 where d is 0.
static inline tac__tangent tac__along(double slope, const tac__tangent &d)
{
    const tac__part none = {};
    tac__tangent r;
    TAC__EACH_PART r.part[i] = d.part[i] != none ? slope * d.part[i] : none;
    return r;
}

// The chain rule for a function of one argument: its value in terms of the argument x, and its
// slope in terms of x and the value y.
#define TAC__DUAL(name, value, slope)             \
    static inline real r_##name(real a)           \
    {                                             \
        double x = a.v, y = (value);              \
        return real(y, tac__along((slope), a.d)); \
    }

TAC__DUAL(sqrt, __builtin_sqrt(x), 0.5 / y)
TAC__DUAL(cbrt, tac__cbrt(x), 1.0 / (3.0 * y * y))
TAC__DUAL(sin, tac__sin(x), tac__cos(x))
TAC__DUAL(cos, tac__cos(x), -tac__sin(x))
TAC__DUAL(tan, tac__tan(x), 1.0 + y * y)
TAC__DUAL(asin, tac__asin(x), 1.0 / __builtin_sqrt((1.0 - x) * (1.0 + x)))
TAC__DUAL(acos, tac__acos(x), -1.0 / __builtin_sqrt((1.0 - x) * (1.0 + x)))
TAC__DUAL(atan, tac__atan(x), 1.0 / (1.0 + x * x))
TAC__DUAL(sinh, tac__sinh(x), tac__cosh(x))
TAC__DUAL(cosh, tac__cosh(x), tac__sinh(x))
TAC__DUAL(tanh, tac__tanh(x), (1.0 - y) * (1.0 + y))
TAC__DUAL(exp, tac__exp(x), y)
TAC__DUAL(exp2, tac__exp2(x), 0.69314718055994530942 * y)
TAC__DUAL(expm1, tac__expm1(x), y + 1.0)
TAC__DUAL(log, tac__log(x), 1.0 / x)
TAC__DUAL(log2, tac__log2(x), 1.4426950408889634074 / x)
TAC__DUAL(log10, tac__log10(x), 0.43429448190325182765 / x)
TAC__DUAL(log1p, tac__log1p(x), 1.0 / (1.0 + x))

// clang-format on

static inline real r_atan2(real y, real x)
{
    double n2 = x.v * x.v + y.v * y.v;
    return real(tac__atan2(y.v, x.v), tac__along(x.v / n2, y.d) - tac__along(y.v / n2, x.d));
}

static inline real r_hypot(real x, real y)
{
    double h = tac__hypot(x.v, y.v);
    return real(h, tac__along(x.v / h, x.d) + tac__along(y.v / h, y.d));
}

static inline real r_pow(real x, real y)
{
    double p = tac__pow(x.v, y.v);
    // x^0 is 1 for every x, and 0^y is 0 around every y > 0: neither may end in 0 times infinity.
    double by_x = y.v == 0.0 ? 0.0 : y.v * tac__pow(x.v, y.v - 1.0);
    double by_y = p == 0.0 ? 0.0 : p * tac__log(x.v);
    return real(p, tac__along(by_x, x.d) + tac__along(by_y, y.d));
}

// data[index], for a whole `index` from 0 to count - 1. An entry of a table is a constant.
static inline real r_pick(const double *data, int count, real index)
{
    (void)count;
    return real(data[(int)index.v]);
}
