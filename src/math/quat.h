// quat.h - attitude quaternions, for model code of any scalar kind.
//
// q = (w, x, y, z), Hamilton's product, unit length. q rotates body to world: v_world = q v_body
// q*. Functions expect unit quaternions and do not normalise unless they say so. q and -q are the
// same attitude.
#ifndef TAC_MATH_QUAT_H
#define TAC_MATH_QUAT_H

#include "math/mat3.h"

typedef struct quat {
    real w, x, y, z;
} quat;

static inline quat quat_make(real w, real x, real y, real z)
{
    quat q = {w, x, y, z};
    return q;
}

static inline vec3 quat_vector(quat q)
{
    return vec3_make(q.x, q.y, q.z);
}

static inline quat quat_scale(real s, quat q)
{
    return quat_make(s * q.w, s * q.x, s * q.y, s * q.z);
}

static inline real quat_dot(quat a, quat b)
{
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline quat quat_conj(quat q)
{
    return quat_make(q.w, -q.x, -q.y, -q.z);
}

static inline quat quat_mul(quat a, quat b)
{
    return quat_make(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                     a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}

// A zero quaternion becomes NaN: there is no attitude to guess.
static inline quat quat_normalise(quat q)
{
    return quat_scale(1.0 / r_sqrt(quat_dot(q, q)), q);
}

// --- rotating ------------------------------------------------------------------------------------

// Body to world.
static inline vec3 quat_rotate(quat q, vec3 v)
{
    vec3 u = quat_vector(q);
    vec3 t = vec3_scale(R(2.0), vec3_cross(u, v));
    return vec3_add(vec3_add(v, vec3_scale(q.w, t)), vec3_cross(u, t));
}

// World to body.
static inline vec3 quat_rotate_inverse(quat q, vec3 v)
{
    return quat_rotate(quat_conj(q), v);
}

// The matrix of quat_rotate: its columns are the body axes in the world.
static inline mat3 quat_to_mat3(quat q)
{
    real xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    real xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    real wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return mat3_from_rows(vec3_make(1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)),
                          vec3_make(2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)),
                          vec3_make(2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)));
}

// dq/dt = q (0, omega) / 2, with omega in the body frame [rad/s].
static inline quat quat_derivative(quat q, vec3 omega)
{
    return quat_scale(R(0.5), quat_mul(q, quat_make(R(0.0), omega.x, omega.y, omega.z)));
}

// --- Euler angles [rad]: yaw about z, then pitch about y, then roll about x ----------------------

static inline quat quat_from_euler(real roll, real pitch, real yaw)
{
    real cr = r_cos(0.5 * roll), sr = r_sin(0.5 * roll);
    real cp = r_cos(0.5 * pitch), sp = r_sin(0.5 * pitch);
    real cy = r_cos(0.5 * yaw), sy = r_sin(0.5 * yaw);
    return quat_make(cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy,
                     cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy);
}

// cos and sin of y for |y| <= pi/2: series at y/4, where six or seven terms are exact to rounding,
// then the angle is doubled twice. Error at most 1e-15. With r_cos and r_sin the estimator's
// heading took 130 instructions more, of 14,400 a millisecond of flight (callgrind,
// examples/iris_mission.yaml).
static inline void quat__quarter_turn(real y, real *c, real *s)
{
    real x = 0.25 * y, x2 = x * x;
    real a = 1.0 - x2 * (1.0 / 132.0) * (1.0 - x2 * (1.0 / 182.0));
    a = 1.0 - x2 * (1.0 / 56.0) * (1.0 - x2 * (1.0 / 90.0) * a);
    a = 1.0 - x2 * 0.5 * (1.0 - x2 * (1.0 / 12.0) * (1.0 - x2 * (1.0 / 30.0) * a));
    real b = 1.0 - x2 * (1.0 / 110.0) * (1.0 - x2 * (1.0 / 156.0));
    b = 1.0 - x2 * (1.0 / 42.0) * (1.0 - x2 * (1.0 / 72.0) * b);
    b = x * (1.0 - x2 * (1.0 / 6.0) * (1.0 - x2 * (1.0 / 20.0) * b));
    real s1 = 2.0 * b * a, c1 = 1.0 - 2.0 * b * b;
    *s = 2.0 * s1 * c1;
    *c = 1.0 - 2.0 * s1 * s1;
}

// The rotation by `yaw` about the vertical; the fast way needs |yaw| <= pi.
static inline quat quat_from_yaw(real yaw)
{
    real half = 0.5 * yaw, c, s;
    cond near = r_abs(half) <= 1.5707963267948966;
    quat__quarter_turn(r_select(near, half, R(0.0)), &c, &s);
    return quat_make(R_CHOOSE(near, c, r_cos(half)), R(0.0), R(0.0),
                     R_CHOOSE(near, s, r_sin(half)));
}

// (roll, pitch, yaw) with pitch from -pi/2 to pi/2. With the nose straight up or down only the
// difference or sum of yaw and roll is defined, and how it is divided is left to rounding.
static inline vec3 quat_to_euler(quat q)
{
    mat3 r = quat_to_mat3(q);
    // By atan2 rather than asin, which loses half the digits near the vertical.
    real level = r_sqrt(r.m[0][0] * r.m[0][0] + r.m[1][0] * r.m[1][0]);
    return vec3_make(r_atan2(r.m[2][1], r.m[2][2]), r_atan2(-r.m[2][0], level),
                     r_atan2(r.m[1][0], r.m[0][0]));
}

// --- rotation vectors: axis times angle [rad] ----------------------------------------------------

// Below this square of the angle the first terms of the series are exact to the last bit or so.
// There the other side of each select is kept finite, so that its derivatives are finite too.
#define QUAT__SMALL 1e-8

// The rotation by the vector `v`.
static inline quat quat_exp(vec3 v)
{
    real n2 = vec3_dot(v, v);
    cond small = n2 < QUAT__SMALL;
    real n = r_sqrt(r_select(small, R(1.0), n2));
    real w = r_select(small, 1.0 - n2 * (1.0 / 8.0 - n2 * (1.0 / 384.0)), r_cos(0.5 * n));
    real s = r_select(small, 0.5 - n2 * (1.0 / 48.0 - n2 * (1.0 / 3840.0)), r_sin(0.5 * n) / n);
    return quat_make(w, s * v.x, s * v.y, s * v.z);
}

// The shortest vector with quat_exp(v) == q or -q: at most pi long. Any length of `q` will do.
static inline vec3 quat_log(quat q)
{
    vec3 u = quat_vector(q);
    real n2 = vec3_dot(u, u);
    cond back = q.w < 0.0;
    real w = r_select(back, -q.w, q.w);
    cond small = n2 < QUAT__SMALL * (w * w);
    real n = r_sqrt(r_select(small, R(1.0), n2));
    real w1 = r_select(small, w, R(1.0));
    real s = r_select(small, (2.0 - n2 / (w1 * w1) * (2.0 / 3.0)) / w1, 2.0 * r_atan2(n, w) / n);
    return vec3_scale(r_select(back, -s, s), u);
}

// From `a` (t = 0) to the attitude of `b` (t = 1) along the shorter arc at constant rate; also
// beyond. The result has unit length whatever `t` is. Where both arcs are half a turn, always the
// same one is taken.
static inline quat quat_slerp(quat a, quat b, real t)
{
    vec3 arc = quat_log(quat_mul(quat_conj(a), b));
    return quat_normalise(quat_mul(a, quat_exp(vec3_scale(t, arc))));
}

#endif
