// Vectors, quaternions and 3x3 matrices: the properties that define them.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#define TAC_KIND_F64
#include "inputs.h"
#include "math/quat.h"

enum { TRIALS = 20000 };
static const double pi = 3.14159265358979323846;

static void check_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%.17g instead of %.17g, off by %g", got, expected, fabs(got - expected));
}

static void check_vec3(vec3 got, vec3 expected, double tolerance)
{
    check_near(got.x, expected.x, tolerance);
    check_near(got.y, expected.y, tolerance);
    check_near(got.z, expected.z, tolerance);
}

// The same attitude: q and -q are.
static void check_attitude(quat got, quat expected, double tolerance)
{
    quat e = quat_scale(quat_dot(got, expected) < 0.0 ? -1.0 : 1.0, expected);
    check_near(got.w, e.w, tolerance);
    check_vec3(quat_vector(got), quat_vector(e), tolerance);
}

static vec3 any_vec3(uint64_t *seed, double size)
{
    return vec3_make(input_uniform(seed, -size, size), input_uniform(seed, -size, size),
                     input_uniform(seed, -size, size));
}

static quat any_quat(uint64_t *seed)
{
    vec3 v = any_vec3(seed, 1.0);
    return quat_normalise(quat_make(input_uniform(seed, -1.0, 1.0), v.x, v.y, v.z));
}

static double angle_between(quat a, quat b)
{
    return vec3_norm(quat_log(quat_mul(quat_conj(a), b)));
}

static void test_cross_is_perpendicular(void **state)
{
    (void)state;
    uint64_t seed = 1;
    check_vec3(vec3_cross(vec3_make(1, 0, 0), vec3_make(0, 1, 0)), vec3_make(0, 0, 1), 0.0);
    for (int i = 0; i < TRIALS; i++) {
        vec3 a = any_vec3(&seed, 10.0), b = any_vec3(&seed, 10.0), c = vec3_cross(a, b);
        check_near(vec3_dot(a, c), 0.0, 1e-12);
        check_near(vec3_dot(b, c), 0.0, 1e-12);
        // Lagrange: |a x b|^2 + (a.b)^2 = |a|^2 |b|^2
        double ab = vec3_dot(a, b);
        check_near(vec3_dot(c, c) + ab * ab, vec3_dot(a, a) * vec3_dot(b, b), 1e-9);
    }
    assert_true(vec3_norm(vec3_make(2, -3, 6)) == 7.0);
}

// Yaw 90 degrees turns the nose from north to east, pitch up lifts it (down is positive z), and
// roll to the right lowers the right wing.
static void test_conventions(void **state)
{
    (void)state;
    vec3 nose = vec3_make(1, 0, 0), right = vec3_make(0, 1, 0);
    check_vec3(quat_rotate(quat_from_euler(0, 0, pi / 2), nose), vec3_make(0, 1, 0), 1e-15);
    check_vec3(quat_rotate(quat_from_euler(0, pi / 2, 0), nose), vec3_make(0, 0, -1), 1e-15);
    check_vec3(quat_rotate(quat_from_euler(pi / 2, 0, 0), right), vec3_make(0, 0, 1), 1e-15);
    // Yaw first, then pitch, then roll.
    quat q = quat_from_euler(0.3, -0.4, 2.0);
    quat steps = quat_mul(quat_from_euler(0, 0, 2.0),
                          quat_mul(quat_from_euler(0, -0.4, 0), quat_from_euler(0.3, 0, 0)));
    check_attitude(q, steps, 1e-15);
}

static void test_rotation(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < TRIALS; i++) {
        quat p = any_quat(&seed), q = any_quat(&seed);
        vec3 v = any_vec3(&seed, 10.0), w = quat_rotate(q, v);
        check_near(vec3_norm(w), vec3_norm(v), 1e-13);
        check_vec3(quat_rotate_inverse(q, w), v, 1e-13);
        check_vec3(mat3_mul_vec(quat_to_mat3(q), v), w, 1e-13);
        check_vec3(mat3_tmul_vec(quat_to_mat3(q), w), v, 1e-13);
        check_vec3(quat_rotate(quat_mul(p, q), v), quat_rotate(p, w), 1e-13);
        // v -> q v q*
        quat sandwich = quat_mul(quat_mul(q, quat_make(0, v.x, v.y, v.z)), quat_conj(q));
        check_vec3(quat_vector(sandwich), w, 1e-13);
        check_near(mat3_det(quat_to_mat3(q)), 1.0, 1e-14);
    }
}

static void test_derivative_is_that_of_a_turn(void **state)
{
    (void)state;
    uint64_t seed = 3;
    const double h = 1e-4;
    for (int i = 0; i < TRIALS; i++) {
        quat q = any_quat(&seed);
        vec3 omega = any_vec3(&seed, 2.0);
        quat after = quat_mul(q, quat_exp(vec3_scale(h, omega)));
        quat before = quat_mul(q, quat_exp(vec3_scale(-h, omega)));
        quat d = quat_derivative(q, omega);
        check_near(d.w, (after.w - before.w) / (2.0 * h), 1e-7);
        check_near(d.x, (after.x - before.x) / (2.0 * h), 1e-7);
        check_near(d.y, (after.y - before.y) / (2.0 * h), 1e-7);
        check_near(d.z, (after.z - before.z) / (2.0 * h), 1e-7);
        check_near(quat_dot(d, q), 0.0, 1e-15); // along the sphere
    }
}

static void test_yaw(void **state)
{
    (void)state;
    for (int i = -4000; i <= 4000; i++) {
        const double yaw = 0.001 * i; // a little more than half a turn either way
        const quat q = quat_from_yaw(yaw);
        check_near(q.w, cos(0.5 * yaw), 1e-15);
        check_near(q.z, sin(0.5 * yaw), 1e-15);
        check_near(quat_dot(q, q), 1, 2e-15);
        assert_true(q.x == 0 && q.y == 0);
    }
    check_attitude(quat_from_yaw(pi), quat_from_euler(0, 0, pi), 1e-15);
    check_attitude(quat_from_yaw(100), quat_from_euler(0, 0, 100), 1e-14);
}

static void test_euler_round_trip(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < TRIALS; i++) {
        vec3 e = vec3_make(input_uniform(&seed, -pi, pi), input_uniform(&seed, -1.5, 1.5),
                           input_uniform(&seed, -pi, pi));
        check_vec3(quat_to_euler(quat_from_euler(e.x, e.y, e.z)), e, 1e-13);
    }
    // Near the vertical asin would give this only to 1e-8.
    double steep = pi / 2 - 1e-6;
    check_near(quat_to_euler(quat_from_euler(0.5, steep, 1.0)).y, steep, 1e-14);
}

static void test_exp_and_log(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < TRIALS; i++) {
        // Angles from half a turn down to 1e-12, across the change to the series.
        vec3 v = any_vec3(&seed, 1.8);
        v = vec3_scale(r_pow(10.0, -12.0 * (i % 100) / 99.0), v);
        quat q = quat_exp(v);
        check_near(quat_dot(q, q), 1.0, 1e-15);
        check_vec3(quat_log(q), v, 6e-16 * vec3_norm(v));
        check_vec3(quat_log(quat_scale(-1.0, q)), v, 6e-16 * vec3_norm(v));
    }
    quat identity = quat_exp(vec3_make(0, 0, 0));
    assert_true(identity.w == 1.0 && identity.x == 0.0 && identity.y == 0.0 && identity.z == 0.0);
    check_vec3(quat_log(identity), vec3_make(0, 0, 0), 0.0);
    check_near(vec3_norm(quat_log(quat_make(0, 1, 0, 0))), pi, 1e-15);
}

static void test_slerp(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int i = 0; i < TRIALS; i++) {
        quat a = any_quat(&seed);
        // Far apart, near together and almost the same, with either sign.
        double spread = i % 3 == 0 ? 1.8 : i % 3 == 1 ? 1e-3 : 1e-9;
        quat b = quat_mul(a, quat_exp(any_vec3(&seed, spread)));
        b = quat_scale(i % 2 ? 1.0 : -1.0, b);
        double t = input_uniform(&seed, 0.0, 1.0);

        check_attitude(quat_slerp(a, b, 0.0), a, 1e-15);
        check_attitude(quat_slerp(a, b, 1.0), b, 2e-15);
        quat q = quat_slerp(a, b, t);
        check_near(quat_dot(q, q), 1.0, 1e-15);
        // Even beyond the ends, and if an input has drifted.
        q = quat_slerp(quat_scale(1.0 + 1e-6, a), b, 3.0);
        check_near(quat_dot(q, q), 1.0, 1e-15);
        q = quat_slerp(a, b, t);

        // By the shorter arc, at constant rate.
        double whole = angle_between(a, b);
        assert_true(whole <= pi + 1e-15);
        check_near(angle_between(a, q), t * whole, 2e-15);
        check_near(angle_between(q, b), (1.0 - t) * whole, 2e-15);
    }
    quat half = quat_slerp(quat_from_euler(0, 0, 3.0), quat_from_euler(0, 0, -3.0), 0.5);
    check_near(fabs(quat_to_euler(half).z), pi, 1e-15);
}

static mat3 product(mat3 a, mat3 b)
{
    return mat3_from_rows(mat3_tmul_vec(b, mat3_row(a, 0)), mat3_tmul_vec(b, mat3_row(a, 1)),
                          mat3_tmul_vec(b, mat3_row(a, 2)));
}

static void test_matrices(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < TRIALS; i++) {
        mat3 a = mat3_from_rows(any_vec3(&seed, 1.0), any_vec3(&seed, 1.0), any_vec3(&seed, 1.0));
        mat3 b = mat3_from_rows(any_vec3(&seed, 1.0), any_vec3(&seed, 1.0), any_vec3(&seed, 1.0));
        vec3 v = any_vec3(&seed, 1.0);
        check_vec3(mat3_mul_vec(product(a, b), v), mat3_mul_vec(a, mat3_mul_vec(b, v)), 1e-14);
        check_vec3(mat3_tmul_vec(a, v), mat3_mul_vec(mat3_transpose(a), v), 0.0);
        check_near(mat3_det(product(a, b)), mat3_det(a) * mat3_det(b), 1e-13);
        if (fabs(mat3_det(a)) > 1e-2) {
            check_vec3(mat3_mul_vec(mat3_inverse(a), mat3_mul_vec(a, v)), v, 1e-11);
            check_vec3(mat3_mul_vec(a, mat3_mul_vec(mat3_inverse(a), v)), v, 1e-11);
        }
        // a a^T + 1/10 is symmetric positive definite. Its upper triangle is not to be read.
        mat3 s = product(a, mat3_transpose(a));
        for (int k = 0; k < 3; k++)
            s.m[k][k] += 0.1;
        vec3 b_side = mat3_mul_vec(s, v);
        s.m[0][1] = s.m[0][2] = s.m[1][2] = QNAN;
        check_vec3(mat3_solve_spd(s, b_side), v, 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cross_is_perpendicular),
        cmocka_unit_test(test_conventions),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_derivative_is_that_of_a_turn),
        cmocka_unit_test(test_yaw),
        cmocka_unit_test(test_euler_round_trip),
        cmocka_unit_test(test_exp_and_log),
        cmocka_unit_test(test_slerp),
        cmocka_unit_test(test_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
