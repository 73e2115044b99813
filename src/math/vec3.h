// vec3.h - vectors of three reals, for model code of any scalar kind.
#ifndef TAC_MATH_VEC3_H
#define TAC_MATH_VEC3_H

#include "math/real.h"

typedef struct vec3 {
    real x, y, z;
} vec3;

static inline vec3 vec3_make(real x, real y, real z)
{
    vec3 v = {x, y, z};
    return v;
}

static inline vec3 vec3_from_array(const double a[3])
{
    return vec3_make(R(a[0]), R(a[1]), R(a[2]));
}

static inline vec3 vec3_add(vec3 a, vec3 b)
{
    return vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline vec3 vec3_sub(vec3 a, vec3 b)
{
    return vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline vec3 vec3_scale(real s, vec3 a)
{
    return vec3_make(s * a.x, s * a.y, s * a.z);
}

static inline real vec3_dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 vec3_cross(vec3 a, vec3 b)
{
    return vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline real vec3_norm(vec3 a)
{
    return r_sqrt(vec3_dot(a, a));
}

static inline vec3 vec3_select(cond c, vec3 a, vec3 b)
{
    return vec3_make(r_select(c, a.x, b.x), r_select(c, a.y, b.y), r_select(c, a.z, b.z));
}

#endif
