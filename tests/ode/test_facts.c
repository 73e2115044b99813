// Textbook cases with the bounds that integrators of this kind are held to, with room to spare.
#include "solve.h"

static const double pi = 3.14159265358979323846;

static double oscillator_energy(const double *y)
{
    return 0.5 * y[1] * y[1] + 0.5 * 4 * pi * pi * y[0] * y[0];
}

static void test_oscillator(void **state)
{
    (void)state;
    solver s;
    double y[2] = {1, 0};
    solver_open(&s, "rk4", 2, oscillator);
    const double energy = oscillator_energy(y);
    solve_fixed(&s, 0, 1, 100, y);
    print_message("position %g\n", fabs(y[0] - 1));
    assert_true(fabs(y[0] - 1) < 2e-7);
    solve_fixed(&s, 1, 10, 900, y);
    print_message("energy %g\n", fabs(oscillator_energy(y) / energy - 1));
    assert_true(fabs(oscillator_energy(y) / energy - 1) < 2e-5);
    solver_close(&s);
}

// Length 1 m: the angle and its rate.
static const double gravity = 9.80665;

static void pendulum(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = -gravity * sin(y[0]);
}

static double pendulum_energy(const double *y)
{
    return 0.5 * y[1] * y[1] + gravity * (1 - cos(y[0]));
}

static void test_pendulum(void **state)
{
    (void)state;
    solver s;
    double y[2] = {0.1, 0};
    solver_open(&s, "rk4", 2, pendulum);
    const double energy = pendulum_energy(y);
    solve_fixed(&s, 0, 2 * pi / sqrt(gravity), 200, y);
    print_message("angle %g energy %g\n", fabs(y[0] - 0.1), fabs(pendulum_energy(y) / energy - 1));
    assert_true(fabs(y[0] - 0.1) < 2e-6); // of which 0.8e-6 is the amplitude's
    assert_true(fabs(pendulum_energy(y) / energy - 1) < 1e-7);
    solver_close(&s);
}

static void test_circle(void **state)
{
    (void)state;
    solver s;
    double y[4], start[4];
    kepler_start(0, y);
    memcpy(start, y, sizeof y);
    solver_open(&s, "rk4", 4, kepler);
    solve_fixed(&s, 0, 6.28, 628, y);
    solve_fixed(&s, 6.28, 2 * pi, 1, y);
    const double energy = 0.5 * (y[2] * y[2] + y[3] * y[3]) - 1 / sqrt(y[0] * y[0] + y[1] * y[1]);
    const double momentum = y[0] * y[3] - y[1] * y[2];
    print_message("position %g velocity %g energy %g momentum %g\n", distance(2, y, start),
                  distance(2, y + 2, start + 2), fabs(energy + 0.5), fabs(momentum - 1));
    assert_true(distance(2, y, start) < 1e-7);
    assert_true(distance(2, y + 2, start + 2) < 1e-7);
    assert_true(fabs(energy + 0.5) < 1e-8);
    assert_true(fabs(momentum - 1) < 1e-8);
    solver_close(&s);
}

// Angular momentum in the world: R(q) I w.
static void momentum_of(const double *y, double *l)
{
    const double *q = y, b[3] = {inertia[0] * y[4], inertia[1] * y[5], inertia[2] * y[6]};
    const double c[3] = {q[2] * b[2] - q[3] * b[1], q[3] * b[0] - q[1] * b[2],
                         q[1] * b[1] - q[2] * b[0]};
    l[0] = b[0] + 2 * (q[0] * c[0] + q[2] * c[2] - q[3] * c[1]);
    l[1] = b[1] + 2 * (q[0] * c[1] + q[3] * c[0] - q[1] * c[2]);
    l[2] = b[2] + 2 * (q[0] * c[2] + q[1] * c[1] - q[2] * c[0]);
}

static double spin_energy(const double *y)
{
    return 0.5 * (inertia[0] * y[4] * y[4] + inertia[1] * y[5] * y[5] + inertia[2] * y[6] * y[6]);
}

static void test_tumbling(void **state)
{
    (void)state;
    solver s;
    double y[7], before[3], after[3];
    solver_open(&s, "rk4", 7, tumble);
    tumble_start(y);
    momentum_of(y, before);
    const double energy = spin_energy(y);
    solve_fixed(&s, 0, 2, 2000, y);
    momentum_of(y, after);
    const double norm = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
    print_message("energy %g momentum %g norm %g\n", fabs(spin_energy(y) / energy - 1),
                  distance(3, before, after), fabs(norm - 1));
    assert_true(fabs(spin_energy(y) / energy - 1) < 1e-10);
    assert_true(distance(3, before, after) < 1e-9);
    assert_true(fabs(norm - 1) < 2e-11);
    solver_close(&s);
}

static void fall(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = -gravity;
}

static void test_free_fall(void **state)
{
    (void)state;
    solver s;
    double y[2] = {100, 3};
    solver_open(&s, "rk4", 2, fall);
    solve_fixed(&s, 0, 2, 200, y);
    assert_true(fabs(y[0] - (100 + 3 * 2 - gravity * 2)) < 1e-11);
    solver_close(&s);
}

// Steps of whole microseconds, half a turn.
static void test_microseconds(void **state)
{
    (void)state;
    solver s;
    double y[2] = {1, 0};
    solver_open(&s, "rk45", 2, oscillator);
    solve_adaptive(&s, 500000, 1e-8, y);
    print_message("position %g after %d steps\n", fabs(y[0] + 1), s.steps);
    assert_true(fabs(y[0] + 1) < 1e-7);
    assert_true(fabs(y[1]) / (2 * pi) < 1e-7);
    assert_true(s.steps < 60);
    solver_close(&s);
}

// --- decay --------------------------------------------------------------------------------------

static void decaying(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = -y[0];
}

// A method of fixed step says how far it may be pushed: with a step that is a little shorter a
// solution that decays does so, with one that is a little longer it grows.
static void test_decay(void **state)
{
    (void)state;
    size_t fixed = 0;
    const char *name;
    for (size_t i = 0; (name = tac__method_name(NULL, i)); i++) {
        const tac__method *method = tac__method_find(name);
        assert_true((method->decay > 0) == !method->adaptive);
        for (int longer = 0; method->decay > 0 && longer < 2; longer++) {
            solver s;
            double y = 1;
            solver_open(&s, name, 1, decaying);
            solve_fixed(&s, 0, 1000 * method->decay * (longer ? 1.001 : 0.999), 1000, &y);
            assert_true(longer ? fabs(y) > 2 : fabs(y) < 0.5);
            solver_close(&s);
            fixed++;
        }
    }
    assert_true(fixed == 4);
}

TEST_MAIN(cmocka_unit_test(test_decay), cmocka_unit_test(test_oscillator),
          cmocka_unit_test(test_pendulum), cmocka_unit_test(test_circle),
          cmocka_unit_test(test_tumbling), cmocka_unit_test(test_free_fall),
          cmocka_unit_test(test_microseconds))
