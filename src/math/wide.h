// wide.h - a few reals side by side, for parts of a model that there are several of, such as the
// rotors of one vehicle.
//
// Where a real is a double, a `wide` is two of them in a vector register, which every machine of
// the supported kinds has; in every other kind it is one real, as those are wide themselves. Code
// goes through the parts by steps of WIDE. All operations are those of real.h, element by element
// and to the bit; sums over parts are taken one by one, in order, with W_AT.
#ifndef TAC_MATH_WIDE_H
#define TAC_MATH_WIDE_H

#include "math/real.h"

#if defined(TAC_KIND_F64) && (defined(__SSE2__) || defined(__aarch64__))

#include <stdint.h>

#include "math/registers.h"

enum { WIDE = 2 };

typedef double wide __attribute__((vector_size(16)));
typedef int64_t wide_cond __attribute__((vector_size(16)));
typedef double wide__at __attribute__((vector_size(16), aligned(8), may_alias));

#define W(x) ((wide){(x), (x)})
// The parameters of parts i and i + 1, which stand in an array of two: for use next to a wide, and
// as a wide.
#define W_PAIR(pair, i)  ((void)(i), (wide) * (const wide__at *)(pair))
#define W_PARAM(pair, i) W_PAIR(pair, i)
// Element k < WIDE.
#define W_AT(w, k)     ((w)[k])
#define W_SET(w, k, x) ((w)[k] = (x)[k])

static inline wide w_all(real x)
{
    return W(x);
}

static inline wide_cond wc_and(wide_cond a, wide_cond b)
{
    return a & b;
}

static inline wide w_select(wide_cond c, wide a, wide b)
{
    return (wide)((c & (wide_cond)a) | (~c & (wide_cond)b));
}

static inline wide w_min(wide a, wide b)
{
#ifdef __SSE2__
    return TAC__MIN_D2(a, b); // a < b ? a : b, as r_min
#else
    return w_select(a < b, a, b);
#endif
}

static inline wide w_max(wide a, wide b)
{
#ifdef __SSE2__
    return TAC__MAX_D2(a, b);
#else
    return w_select(a > b, a, b);
#endif
}

// The next WIDE of an array in which `left` are left; 0 for those that are not there.
static inline wide w_read(const real *x, int left)
{
    return left >= WIDE ? (wide) * (const wide__at *)x : (wide){x[0], 0.0};
}

static inline void w_write(wide w, int left, real *x)
{
    if (left >= WIDE)
        *(wide__at *)x = w;
    else
        x[0] = w[0];
}

#else

enum { WIDE = 1 };

typedef real wide;
typedef cond wide_cond;

#define W(x)             R(x)
#define W_PAIR(pair, i)  ((pair)[(i) % 2])
#define W_PARAM(pair, i) P(W_PAIR(pair, i))
#define W_AT(w, k)       (w)
#define W_SET(w, k, x)   ((w) = (x))

static inline real w_all(real x)
{
    return x;
}

static inline cond wc_and(cond a, cond b)
{
    return c_and(a, b);
}

static inline real w_select(cond c, real a, real b)
{
    return r_select(c, a, b);
}

static inline real w_min(real a, real b)
{
    return r_min(a, b);
}

static inline real w_max(real a, real b)
{
    return r_max(a, b);
}

static inline real w_read(const real *x, int left)
{
    (void)left;
    return x[0];
}

static inline void w_write(real w, int left, real *x)
{
    (void)left;
    x[0] = w;
}

#endif

#endif
