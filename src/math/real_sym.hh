// real_sym.hh - scalar kind sym: a term of a graph under construction. Included by real.h only.
//
// Evaluating model code of this kind writes down the graph. A real knows the pool of terms that it
// belongs to, so that several graphs can be built at once; a real without a pool is a constant.
// Values are known only when the graph runs, so there is nothing to branch on: `cond` does not
// convert to bool, and an `if` on a value does not compile. C++ is used for its operators only;
// nothing of its library is linked.
#ifndef __cplusplus
#error "the sym kind is compiled as C++17"
#endif

#include "math/sym_ops.h"

// In memory a real is two doubles. Constructors are forced inline, so that C++ keeps no shared copy
// of them for all units.
struct tac__sym {
    tac__sym_value v;

    tac__sym() = default;
    [[gnu::always_inline]] tac__sym(double value) : v{nullptr, {value}} {}
    [[gnu::always_inline]] explicit tac__sym(tac__sym_value value) : v(value) {}
};

struct tac__sym_cond {
    tac__sym_value v;
};

typedef tac__sym real;
typedef tac__sym_cond cond;

#define R(x) real(x)

// One line an operation.
// clang-format off

#define TAC__SYM_REAL(op, a, b, c) real(tac__sym_make(TAC__SYM_##op, (a).v, (b).v, (c).v))
#define TAC__SYM_COND(op, a, b) cond{tac__sym_make(TAC__SYM_##op, (a).v, (b).v, (b).v)}

static inline real operator-(real a) { return TAC__SYM_REAL(neg, a, a, a); }
static inline real operator+(real a, real b) { return TAC__SYM_REAL(add, a, b, b); }
static inline real operator-(real a, real b) { return TAC__SYM_REAL(sub, a, b, b); }
static inline real operator*(real a, real b) { return TAC__SYM_REAL(mul, a, b, b); }
static inline real operator/(real a, real b) { return TAC__SYM_REAL(div, a, b, b); }

static inline real &operator+=(real &a, real b) { return a = a + b; }
static inline real &operator-=(real &a, real b) { return a = a - b; }
static inline real &operator*=(real &a, real b) { return a = a * b; }
static inline real &operator/=(real &a, real b) { return a = a / b; }

static inline cond operator<(real a, real b) { return TAC__SYM_COND(lt, a, b); }
static inline cond operator>(real a, real b) { return TAC__SYM_COND(lt, b, a); }
static inline cond operator<=(real a, real b) { return TAC__SYM_COND(le, a, b); }
static inline cond operator>=(real a, real b) { return TAC__SYM_COND(le, b, a); }

static inline cond c_and(cond a, cond b) { return TAC__SYM_COND(logic_and, a, b); }
static inline cond c_or(cond a, cond b) { return TAC__SYM_COND(logic_or, a, b); }
static inline cond c_not(cond a) { return TAC__SYM_COND(logic_not, a, a); }
static inline int c_all(cond a) { return !a.v.pool && a.v.value != 0.0; }

static inline real r_select(cond c, real a, real b) { return TAC__SYM_REAL(select, c, a, b); }
static inline real r_min(real a, real b) { return TAC__SYM_REAL(min, a, b, b); }
static inline real r_max(real a, real b) { return TAC__SYM_REAL(max, a, b, b); }
#define TAC__MIN_MAX
static inline real r_abs(real a) { return TAC__SYM_REAL(abs, a, a, a); }
static inline real r_sqrt(real a) { return TAC__SYM_REAL(sqrt, a, a, a); }
static inline real r_floor(real a) { return TAC__SYM_REAL(floor, a, a, a); }
static inline real r_fmod(real a, real b) { return TAC__SYM_REAL(fmod, a, b, b); }

#define TAC__SYM_1(name, accuracy) \
    static inline real r_##name(real a) { return TAC__SYM_REAL(name, a, a, a); }
#define TAC__SYM_2(name, accuracy) \
    static inline real r_##name(real a, real b) { return TAC__SYM_REAL(name, a, b, b); }

TAC__ELEMENTARY_1(TAC__SYM_1)
TAC__ELEMENTARY_2(TAC__SYM_2)

// clang-format on

static inline real r_pick(const double *data, int count, real index)
{
    return real(tac__sym_pick(data, count, index.v));
}

#define TAC__SEGMENT
static inline real r_segment(const double *x, int n, real at)
{
    return real(tac__sym_segment(x, n, at.v));
}
