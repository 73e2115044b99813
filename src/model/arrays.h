// arrays.h - vectors in arrays: of params (parameters) and of reals (states and ports). For every
// scalar kind.
#ifndef TAC_MODEL_ARRAYS_H
#define TAC_MODEL_ARRAYS_H

#include "math/vec3.h"

static inline vec3 params_vec3(const param a[3])
{
    return vec3_make(P(a[0]), P(a[1]), P(a[2]));
}

static inline real params_dot(const param a[3], vec3 v)
{
    return a[0] * v.x + a[1] * v.y + a[2] * v.z;
}

static inline vec3 params_transform(const param m[9], vec3 v)
{
    return vec3_make(params_dot(m, v), params_dot(m + 3, v), params_dot(m + 6, v));
}

static inline vec3 params_scale(real s, const param a[3])
{
    return vec3_make(s * a[0], s * a[1], s * a[2]);
}

static inline vec3 vec3_read(const real *x)
{
    return vec3_make(x[0], x[1], x[2]);
}

static inline void vec3_write(vec3 v, real *x)
{
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
}

// |v|. At v = 0 its derivative is 0, in a graph too, where the derivative of vec3_norm would be
// 0/0.
static inline real vec3_length(vec3 v)
{
    real n2 = vec3_dot(v, v);
    cond moves = n2 > 0.0;
    return r_select(moves, r_sqrt(r_select(moves, n2, R(1.0))), R(0.0));
}

#endif
