// mat3.h - 3x3 matrices, for model code of any scalar kind. m[row][column].
#ifndef TAC_MATH_MAT3_H
#define TAC_MATH_MAT3_H

#include "math/vec3.h"

typedef struct mat3 {
    real m[3][3];
} mat3;

static inline mat3 mat3_from_rows(vec3 a, vec3 b, vec3 c)
{
    mat3 r = {{{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}};
    return r;
}

// Row by row.
static inline mat3 mat3_from_array(const double a[9])
{
    return mat3_from_rows(vec3_from_array(a), vec3_from_array(a + 3), vec3_from_array(a + 6));
}

static inline vec3 mat3_row(mat3 a, int i)
{
    return vec3_make(a.m[i][0], a.m[i][1], a.m[i][2]);
}

static inline vec3 mat3_column(mat3 a, int j)
{
    return vec3_make(a.m[0][j], a.m[1][j], a.m[2][j]);
}

static inline mat3 mat3_transpose(mat3 a)
{
    return mat3_from_rows(mat3_column(a, 0), mat3_column(a, 1), mat3_column(a, 2));
}

static inline vec3 mat3_mul_vec(mat3 a, vec3 v)
{
    return vec3_make(vec3_dot(mat3_row(a, 0), v), vec3_dot(mat3_row(a, 1), v),
                     vec3_dot(mat3_row(a, 2), v));
}

// Transpose of `a` times `v`.
static inline vec3 mat3_tmul_vec(mat3 a, vec3 v)
{
    return mat3_mul_vec(mat3_transpose(a), v);
}

static inline real mat3_det(mat3 a)
{
    return vec3_dot(mat3_row(a, 0), vec3_cross(mat3_row(a, 1), mat3_row(a, 2)));
}

// Not finite if `a` is singular.
static inline mat3 mat3_inverse(mat3 a)
{
    // The columns of the inverse are cross products of rows, over the determinant.
    vec3 x = vec3_cross(mat3_row(a, 1), mat3_row(a, 2));
    vec3 y = vec3_cross(mat3_row(a, 2), mat3_row(a, 0));
    vec3 z = vec3_cross(mat3_row(a, 0), mat3_row(a, 1));
    real s = 1.0 / vec3_dot(mat3_row(a, 0), x);
    return mat3_transpose(mat3_from_rows(vec3_scale(s, x), vec3_scale(s, y), vec3_scale(s, z)));
}

// The x of a x = b for symmetric positive definite `a` (an inertia), whose lower triangle is read.
// By a = L D L^T, which needs neither pivots nor roots.
static inline vec3 mat3_solve_spd(mat3 a, vec3 b)
{
    real d0 = a.m[0][0];
    real l10 = a.m[1][0] / d0;
    real l20 = a.m[2][0] / d0;
    real d1 = a.m[1][1] - l10 * a.m[1][0];
    real c21 = a.m[2][1] - l20 * a.m[1][0];
    real l21 = c21 / d1;
    real d2 = a.m[2][2] - l20 * a.m[2][0] - l21 * c21;

    real y1 = b.y - l10 * b.x;
    real y2 = b.z - l20 * b.x - l21 * y1;

    real z = y2 / d2;
    real y = y1 / d1 - l21 * z;
    real x = b.x / d0 - l10 * y - l20 * z;
    return vec3_make(x, y, z);
}

#endif
