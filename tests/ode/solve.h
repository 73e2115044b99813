// solve.h - problems with known solutions, and the two plainest ways to integrate them: fixed steps
// and whole microseconds under a tolerance.
#ifndef TAC_TESTS_ODE_SOLVE_H
#define TAC_TESTS_ODE_SOLVE_H

#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/math.h>

#include "ode/method.h"

enum { STATES_MAX = 96 };

static const char *const all_methods[] = {"euler", "rk4", "rk23", "rk45", "dop853", "rodas4"};
static const char *const adaptive_methods[] = {"rk23", "rk45", "dop853", "rodas4"};
enum { ALL_METHODS = 6, ADAPTIVE_METHODS = 4 };

// dy = f(t, y)
typedef void field_fn(double t, const double *y, double *dy);

// df/dy, row by row
typedef void slope_fn(double t, const double *y, double *j);

typedef struct solver {
    const tac__method *method;
    field_fn *field;
    slope_fn *slope;
    tac__ode_problem problem;
    tac__ode_group all; // all states in one group, unless the test has its own
    tac__ode_work work;
    double *memory;
    int evaluations, slopes, steps, rejected;
} solver;

static inline tac_status solver_rhs(void *context, double t_s, double *dy)
{
    solver *s = context;
    s->field(t_s, s->work.z, dy);
    s->evaluations++;
    return TAC_OK;
}

static inline tac_status solver_jacobian(void *context, double t_s, double *j)
{
    solver *s = context;
    s->slope(t_s, s->work.z, j);
    s->slopes++;
    return TAC_OK;
}

// `s` must stay where it is until it is closed.
static inline void solver_open(solver *s, const char *method, size_t n, field_fn *field)
{
    *s = (solver){.method = tac__method_find(method), .field = field};
    assert_non_null(s->method);
    s->all = (tac__ode_group){0, (uint32_t)n, 1, false};
    s->problem = (tac__ode_problem){
        .n = n, .context = s, .rhs = solver_rhs, .groups = &s->all, .group_count = 1};
    s->memory = malloc(tac__ode_work_doubles(s->method, n) * sizeof(double));
    tac__ode_work_init(&s->work, s->method, n, s->memory);
}

static inline void solver_close(solver *s)
{
    free(s->memory);
}

static inline tac_status solver_step(solver *s, double t0, double t1, const double *y, double *y1)
{
    s->steps++;
    return tac__ode_step(s->method, &s->problem, &s->work, t0, t1, t1 - t0, y, y1);
}

// `count` equal steps from t0 to t1.
static inline void solve_fixed(solver *s, double t0, double t1, int count, double *y)
{
    double y1[STATES_MAX];
    const double h = (t1 - t0) / count;
    for (int i = 0; i < count; i++) {
        const double to = i + 1 < count ? t0 + (i + 1) * h : t1;
        assert_int_equal(solver_step(s, t0 + i * h, to, y, y1), TAC_OK);
        tac__ode_carry(&s->work);
        memcpy(y, y1, s->problem.n * sizeof *y);
    }
}

// From 0 to `end_us` with rtol = atol = `tolerance`.
static inline void solve_adaptive(solver *s, tac_time end_us, double tolerance, double *y)
{
    double y1[STATES_MAX];
    tac_time t_us = 0, next_us = 1000;
    while (t_us < end_us) {
        const tac_time h_us = next_us < end_us - t_us ? next_us : end_us - t_us;
        const double h_s = tac_time_seconds(h_us);
        s->steps++;
        assert_int_equal(tac__ode_step(s->method, &s->problem, &s->work, tac_time_seconds(t_us),
                                       tac_time_seconds(t_us + h_us), h_s, y, y1),
                         TAC_OK);
        const double error =
            tac__ode_error(s->method, &s->problem, &s->work, tolerance, tolerance, h_s, y, y1);
        next_us = (tac_time)tac_max(1, (double)h_us * tac__ode_factor(s->method, error));
        if (error <= 1) {
            tac__ode_carry(&s->work);
            memcpy(y, y1, s->problem.n * sizeof *y);
            t_us += h_us;
        } else {
            assert_true(h_us > 1);
            tac__ode_retry(&s->work);
            s->rejected++;
        }
    }
}

static inline double distance(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

// The order that two errors show, of which the second is at half the step.
static inline void check_slope(const char *method, double coarse, double fine, double expected)
{
    const double slope = log2(coarse / fine);
    print_message("%s: order %.2f, error %.1e\n", method, slope, fine);
    if (!(fabs(slope - expected) < 0.3))
        fail_msg("%s: order %.2f, not %g (errors %g, %g)", method, slope, expected, coarse, fine);
}

// --- problems -----------------------------------------------------------------------------------

// One turn a second: (cos, -2 pi sin) of 2 pi t.
static inline void oscillator(double t, const double *y, double *dy)
{
    const double w = 2 * 3.14159265358979323846;
    (void)t;
    dy[0] = y[1];
    dy[1] = -w * w * y[0];
}

// Position and velocity in the plane, mu = 1.
static inline void kepler(double t, const double *y, double *dy)
{
    const double r2 = y[0] * y[0] + y[1] * y[1];
    const double r3 = r2 * sqrt(r2);
    (void)t;
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -y[0] / r3;
    dy[3] = -y[1] / r3;
}

// At the nearest point of an orbit with semi-major axis 1, of which a turn takes 2 pi.
static inline void kepler_start(double eccentricity, double *y)
{
    y[0] = 1 - eccentricity;
    y[1] = y[2] = 0;
    y[3] = sqrt((1 + eccentricity) / (1 - eccentricity));
}

// Where it is then: Kepler's equation by Newton's method.
static inline void kepler_exact(double eccentricity, double t, double *y)
{
    const double e = eccentricity, minor = sqrt(1 - e * e);
    double anomaly = t;
    for (int i = 0; i < 20; i++)
        anomaly -= (anomaly - e * sin(anomaly) - t) / (1 - e * cos(anomaly));
    const double rate = 1 / (1 - e * cos(anomaly));
    y[0] = cos(anomaly) - e;
    y[1] = minor * sin(anomaly);
    y[2] = -sin(anomaly) * rate;
    y[3] = minor * cos(anomaly) * rate;
}

// A free body, I = (2, 1, 0.5): attitude quaternion (body to world) and rate in the body frame.
static const double inertia[3] = {2, 1, 0.5};

static inline void tumble(double t, const double *y, double *dy)
{
    const double *q = y, *w = y + 4;
    (void)t;
    dy[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    dy[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    dy[2] = 0.5 * (q[0] * w[1] - q[1] * w[2] + q[3] * w[0]);
    dy[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
    dy[4] = (inertia[1] - inertia[2]) * w[1] * w[2] / inertia[0];
    dy[5] = (inertia[2] - inertia[0]) * w[2] * w[0] / inertia[1];
    dy[6] = (inertia[0] - inertia[1]) * w[0] * w[1] / inertia[2];
}

static inline void tumble_start(double *y)
{
    const double start[7] = {1, 0, 0, 0, 1, 2, 3};
    memcpy(y, start, sizeof start);
}

// Five states with closed forms: tan(t^2 / 2), 1 / sqrt(1 + t), exp(sin t), and products of them
// that couple all.
static inline void mixed_exact(double t, double *y)
{
    y[0] = tan(t * t / 2);
    y[1] = 1 / sqrt(1 + t);
    y[2] = exp(sin(t));
    y[3] = y[0] * y[1];
    y[4] = y[1] * y[2];
}

static inline void mixed(double t, const double *y, double *dy)
{
    dy[0] = t * (1 + y[0] * y[0]);
    dy[1] = -0.5 * y[1] * y[1] * y[1];
    dy[2] = y[2] * cos(t);
    dy[3] = dy[0] * y[1] + y[0] * dy[1];
    dy[4] = dy[1] * y[2] + y[1] * dy[2];
}

// Neighbours pull at each other, for any number of states; in no function but arithmetic.
static size_t ring_size = 7;

static inline void ring(double t, const double *y, double *dy)
{
    const size_t n = ring_size;
    for (size_t i = 0; i < n; i++) {
        const double left = y[(i + n - 1) % n], right = y[(i + 1) % n];
        dy[i] = left - 1.5 * y[i] * right + t * (0.25 + (double)i) / (1 + y[i] * y[i]);
    }
}

static inline void ring_start(double *y)
{
    for (size_t i = 0; i < ring_size; i++)
        y[i] = i % 5 == 4 ? -0.0 : 0.3 * (double)i - 1;
}

#endif
