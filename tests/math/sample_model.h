// sample_model.h - some of everything that models are made of, compiled once for each scalar kind
// by the kind_* units beside it.
#include "math/mat.h"
#include "math/quat.h"
#include "math/sample_spline.h"
#include "math/spline.h"
#include "math/table.h"

typedef struct propeller {
    double kt, kq, radius, inflow;
} propeller;

static inline void propeller_eval(const propeller *p, real rho, real omega, real v_axial,
                                  real *thrust, real *torque)
{
    real mu = v_axial / r_max(R(1e-3), omega * p->radius);
    real f = 1.0 / (1.0 + p->inflow * mu * mu);
    real q = rho * omega * omega * f;
    *thrust = p->kt * q;
    *torque = p->kq * q;
}

static inline real *put_vec3(real *out, vec3 v)
{
    *out++ = v.x;
    *out++ = v.y;
    *out++ = v.z;
    return out;
}

static inline real *put_quat(real *out, quat q)
{
    *out++ = q.w;
    return put_vec3(out, quat_vector(q));
}

static inline real *sample_elementary(const real *in, real *out)
{
#define PUT_1(name, accuracy) *out++ = r_##name(in[0]);
#define PUT_2(name, accuracy) *out++ = r_##name(in[0], in[1]);
    TAC__ELEMENTARY_1(PUT_1)
    TAC__ELEMENTARY_2(PUT_2)
    return out;
}

static inline real *sample_basic(const real *in, real *out)
{
    real a = in[0], b = in[1], c = in[2];
    *out++ = a * b + c; // first, for the test of contraction
    *out++ = r_abs(a);
    *out++ = r_sqrt(a);
    *out++ = r_floor(a);
    *out++ = r_sign(a);
    *out++ = r_min(a, b);
    *out++ = r_max(a, b);
    *out++ = r_clamp(a, R(-0.5), c);
    *out++ = r_lerp(a, b, c);
    *out++ = r_select(c_and(a < b, c_not(b <= c)), a - 1.0, 1.0 - a);
    *out++ = r_select(c_or(a > 0.25, b >= c), -b / 3.0, 3.0 / b);
    real sum = R(0.0);
    sum += a;
    sum -= b;
    sum *= c;
    sum /= 2.0 + a;
    *out++ = sum;
    return out;
}

static inline real *sample_flight(const real *in, real *out)
{
    static const propeller prop = {6.6110208e-5, 3.3055104e-6, 0.127, 8.0};
    propeller_eval(&prop, in[2], in[3], in[4], out, out + 1);
    out += 2;

    quat q = quat_from_euler(in[0], in[1], in[5]);
    vec3 v = vec3_make(in[3], in[4], in[5]);
    out = put_quat(out, quat_derivative(q, v));
    out = put_vec3(out, quat_rotate(q, v));
    out = put_vec3(out,
                   quat_rotate_inverse(quat_normalise(quat_make(in[2], in[3], in[4], in[5])), v));
    out = put_vec3(out, quat_to_euler(q));
    out = put_vec3(out, quat_log(q));
    out = put_quat(out, quat_exp(v));
    return put_quat(out, quat_slerp(q, quat_exp(vec3_make(in[2], in[6], in[7])), in[1]));
}

static inline real *sample_tables(const real *in, real *out)
{
    static const double x[5] = {-2.0, -0.5, 0.25, 1.0, 4.0};
    static const double y[5] = {10.8, 11.1, 11.5, 11.6, 12.6};
    static const double u[3] = {-1.0, 0.5, 2.0};
    static const double z[15] = {1, 2, 4, 3, -1, 2, 7, 5, 1, 0, 0.5, 9, -3, 2, 6};
    table1 clamped = {5, x, y, TABLE_CLAMP, NULL};
    table1 extended = {5, x, y, TABLE_EXTRAPOLATE, NULL};
    table2 map = {5, 3, x, u, z, TABLE_CLAMP};
    table2 extended_map = {5, 3, x, u, z, TABLE_EXTRAPOLATE};
    *out++ = table1_at(&clamped, in[6]);
    *out++ = table1_at(&extended, in[6]);
    *out++ = table2_at(&map, in[6], in[7]);
    *out++ = table2_at(&extended_map, in[6], in[7]);
    return out;
}

static inline real *sample_matrices(const real *in, real *out)
{
    static const double inertia[9] = {0.029125, 1e-3,  -2e-3, 1e-3, 0.0302,
                                      5e-4,     -2e-3, 5e-4,  0.055};
    vec3 b = vec3_make(in[5], in[6], in[7]);
    mat3 a = mat3_from_rows(vec3_make(in[0], in[1], in[2]), vec3_make(in[3], in[4], in[5]),
                            vec3_make(in[6], in[7], in[0]));
    out = put_vec3(out, mat3_solve_spd(mat3_from_array(inertia), b));
    out = put_vec3(out, mat3_mul_vec(mat3_inverse(a), b));
    out = put_vec3(out, mat3_mul_vec(a, mat3_column(mat3_from_array(inertia), 1)));

    mat_solve(3, &a.m[0][0], &b.x, out);
    return out + 3;
}

static inline real *sample_splines(const real *in, real *out)
{
    double bend[2 * SAMPLE_SPLINE_POINTS];
    tac__spline_bend(SAMPLE_SPLINE_POINTS, sample_spline_x, sample_spline_y, bend);
    table1 clamped = {SAMPLE_SPLINE_POINTS, sample_spline_x, sample_spline_y, TABLE_CLAMP, bend};
    table1 extended = clamped;
    extended.ends = TABLE_EXTRAPOLATE;
    *out++ = table1_at(&clamped, in[SAMPLE_SPLINE_INPUT]);
    *out++ = table1_at(&extended, in[SAMPLE_SPLINE_INPUT]);
    return out;
}

// From 8 inputs to at most 128 outputs; returns how many there are.
TAC_ENTRY int TAC_KINDED(tac__sample)(const real *in, real *out)
{
    real *end = sample_basic(in, out);
    end = sample_elementary(in, end);
    end = sample_flight(in, end);
    end = sample_tables(in, end);
    end = sample_matrices(in, end);
    end = sample_splines(in, end);
    return (int)(end - out);
}
