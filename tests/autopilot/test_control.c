// The control laws: derivatives by inputs and by parameters that agree with differences, limits of
// the reference, single laws. test_lanes.c has the laws in lanes.
#include "support/test.h"

#include "autopilot/moments.h"
#include "autopilot/plant.h"
#include "math/inputs.h"

#include <stdio.h>
#include <stdlib.h>

// Values and derivatives: 1 + 8 doubles for each double of the structs, the parameters of `dual`
// excepted.
#define KIND(kind)                                                                                 \
    void tac__control_step_##kind(const tac__control_shape *shape, const double *p, double dt,     \
                                  const double *volts, const double *working, const double *in,    \
                                  double *state, double *out);
KIND(dual)
KIND(dualp)
void tac__control_allocate_dual(const tac__control_shape *shape, const double *p,
                                const double *volts, const double *working, const double *wanted,
                                double *thrust, double *reached);

enum {
    INS = sizeof(tac__control_in) / 8,
    STATES = sizeof(tac__control_state) / 8,
    OUTS = sizeof(tac__control_out) / 8,
    NUMBERS = sizeof(tac__control) / 8,
    RESULTS = STATES + OUTS,
    DIRECTIONS = 8,
};

static tac__control_shape shape;
static double voltage[TAC__ROTORS_MAX], works[TAC__ROTORS_MAX];

static void make(double far, tac__control_in *in, tac__control_state *s)
{
    moment_draw(far, in, s);
    for (int i = 0; i < shape.rotors; i++) {
        voltage[i] = uniform(11, 12.6);
        works[i] = far > 0 ? uniform(0, 1) < 0.85 : 1;
    }
}

static void vehicle(tac__control *c, int rotors)
{
    plant p;
    if (rotors == 4)
        plant_iris(&p);
    else
        plant_ring(&p, rotors);
    tac__control_init(c, &shape, &p.v, &plant_tuning);
}

// --- derivatives --------------------------------------------------------------------------------

typedef struct point {
    tac__control c;
    tac__control_in in;
    tac__control_state s;
} point;

static void step(const point *at, double *results)
{
    tac__control_state s = at->s;
    tac__control_out out;
    memset(&out, 0, sizeof out);
    tac__control_step_f64(&shape, &at->c, 0.004, voltage, works, &at->in, &s, &out);
    memcpy(results, &s, sizeof s);
    memcpy(results + STATES, &out, sizeof out);
}

typedef double dual[1 + DIRECTIONS];

static void lift(const void *from, size_t count, dual *to)
{
    memset(to, 0, count * sizeof *to);
    for (size_t i = 0; i < count; i++)
        to[i][0] = ((const double *)from)[i];
}

// `slopes` from `results` as duals, and by differences of `by`, which is a double of `at`. It
// changes by `scale` times a small number, and slopes are compared in these units.
static void compare(point *at, double *by, double scale, const dual *results, int direction,
                    const char *what)
{
    const double step_size = 1e-6, middle = *by;
    double result[2][RESULTS], here[RESULTS];
    step(at, here);
    for (int side = 0; side < 2; side++) {
        *by = middle + (side ? step_size : -step_size) * scale;
        step(at, result[side]);
    }
    *by = middle;
    for (int i = 0; i < RESULTS; i++) {
        if (!same_bits(results[i][0], here[i]))
            fail_msg("%s, result %d: %a, as double %a", what, i, results[i][0], here[i]);
        const double slope = (result[1][i] - result[0][i]) / (2 * step_size);
        const double got = scale * results[i][1 + direction];
        if (!(fabs(got - slope) < 1e-5 * (1 + fabs(slope))))
            fail_msg("%s, result %d: %g, by differences %g", what, i, got, slope);
    }
}

// The inputs that flight depends on smoothly: estimate and target.
enum { SMOOTH = 13 + 3 };

static void test_derivatives_by_inputs(void **state)
{
    (void)state;
    static dual in[INS], results[RESULTS], volts[TAC__ROTORS_MAX], working[TAC__ROTORS_MAX];
    for (int k = 0; k < 100; k++) {
        point at;
        vehicle(&at.c, 4 + 2 * (k % 3));
        make(0, &at.in, &at.s);
        for (int first = 0; first < SMOOTH; first += DIRECTIONS) {
            memset(results, 0, sizeof results);
            lift(&at.in, INS, in);
            lift(&at.s, STATES, results);
            lift(voltage, TAC__ROTORS_MAX, volts);
            lift(works, TAC__ROTORS_MAX, working);
            for (int j = 0; j < DIRECTIONS; j++)
                in[first + j][1 + j] = 1;
            tac__control_step_dual(&shape, (const double *)&at.c, 0.004, *volts, *working, *in,
                                   *results, results[STATES]);
            for (int j = 0; j < DIRECTIONS; j++)
                compare(&at, (double *)&at.in + first + j, 1, results, j, "an input");
        }
    }
}

// No rotor is at a limit, where there is a kink.
static bool is_smooth(const point *at)
{
    double results[RESULTS];
    step(at, results);
    const tac__control_out *out = (const tac__control_out *)(results + STATES);
    for (int i = 0; i < shape.rotors; i++) {
        if (!(out->duty[i] > 0.06 && out->duty[i] < 0.99))
            return false;
    }
    return true;
}

// Every number that the laws know of the vehicle, one by one: gains, mass, inertia, rotors.
static void test_derivatives_by_parameters(void **state)
{
    (void)state;
    static dual p[NUMBERS], in[INS], results[RESULTS];
    static dual volts[TAC__ROTORS_MAX], working[TAC__ROTORS_MAX];
    int count = 0, matter = 0;
    for (int k = 0; k < 6; k++) {
        point at;
        vehicle(&at.c, 4 + 2 * (k % 3));
        do
            make(0, &at.in, &at.s);
        while (!is_smooth(&at));
        const size_t size =
            offsetof(tac__control, rotor) + (size_t)shape.rotors * sizeof(tac__control_rotor);
        const int numbers = (int)(size / sizeof(double));
        for (int first = 0; first < numbers; first += DIRECTIONS) {
            const int some = numbers - first < DIRECTIONS ? numbers - first : DIRECTIONS;
            memset(results, 0, sizeof results);
            lift(&at.c, NUMBERS, p);
            lift(&at.in, INS, in);
            lift(&at.s, STATES, results);
            lift(voltage, TAC__ROTORS_MAX, volts);
            lift(works, TAC__ROTORS_MAX, working);
            for (int j = 0; j < some; j++)
                p[first + j][1 + j] = 1;
            tac__control_step_dualp(&shape, *p, 0.004, *volts, *working, *in, *results,
                                    results[STATES]);
            for (int j = 0; j < some; j++) {
                double *by = (double *)&at.c + first + j;
                char what[40];
                snprintf(what, sizeof what, "number %d", first + j);
                compare(&at, by, *by != 0 ? fabs(*by) : 0.01, results, j, what);
                bool any = false;
                for (int i = 0; i < RESULTS; i++)
                    any = any || results[i][1 + j] != 0;
                matter += any;
                count++;
            }
        }
    }
    assert_true(matter > count / 2); // the rest matters at limits only
}

static int free_rotors(const tac__control *c, const double *thrust)
{
    int count = 0;
    for (int i = 0; i < shape.rotors; i++) {
        const double part = thrust[i] / c->rotor[i].full_n;
        count += part > 1.01 * c->rotor[i].idle && part < 0.8; // at 11 V it is 0.84 or more
    }
    return count;
}

// With rotors at their limits, too: thrusts and what they amount to, by what is wanted. Between
// kinks, which differences to both sides show, and where enough rotors are free: with less than
// three the equations hold by their damping only, and rounding errors are large.
static void test_derivatives_of_allocation(void **state)
{
    (void)state;
    enum { ROTORS = TAC__ROTORS_MAX, WANTED = 4, ALL = ROTORS + WANTED };
    static dual volts[ROTORS], working[ROTORS], wish[WANTED], results[ALL];
    int limited = 0, compared = 0;
    for (int k = 0; k < 600; k++) {
        tac__control c;
        vehicle(&c, 4 + 2 * (k % 3));
        double wanted[WANTED], result[3][ALL] = {{0}};
        wanted[0] = c.mass_kg * c.g_m_s2 * uniform(0.5, 2);
        for (int row = 1; row < WANTED; row++)
            wanted[row] = 0.3 * c.scale[row] * uniform(-1, 1);
        for (int i = 0; i < ROTORS; i++) {
            voltage[i] = uniform(11, 12.6);
            works[i] = uniform(0, 1) < 0.95;
        }
        tac__control_allocate_f64(&shape, &c, voltage, works, wanted, result[1],
                                  result[1] + ROTORS);
        if (free_rotors(&c, result[1]) < 3)
            continue;
        lift(voltage, ROTORS, volts);
        lift(works, ROTORS, working);
        lift(wanted, WANTED, wish);
        memset(results, 0, sizeof results);
        for (int j = 0; j < WANTED; j++)
            wish[j][1 + j] = 1;
        tac__control_allocate_dual(&shape, (const double *)&c, *volts, *working, *wish, *results,
                                   results[ROTORS]);
        for (int j = 0; j < WANTED; j++) {
            const double middle = wanted[j], size = 1e-4 * c.scale[j];
            for (int side = 0; side < 3; side++) {
                wanted[j] = middle + (side - 1) * size;
                tac__control_allocate_f64(&shape, &c, voltage, works, wanted, result[side],
                                          result[side] + ROTORS);
            }
            wanted[j] = middle;
            for (int i = 0; i < ALL; i++) {
                const double before = (result[1][i] - result[0][i]) / size;
                const double after = (result[2][i] - result[1][i]) / size;
                const double got = results[i][1 + j];
                const double bound = 1e-4 * (1 + fabs(before));
                if (!same_bits(results[i][0], result[1][i]))
                    fail_msg("result %d: %a, as double %a", i, results[i][0], result[1][i]);
                if (!(fabs(before - after) < bound))
                    continue; // a kink
                if (!(fabs(got - before) < bound))
                    fail_msg("result %d by %d: %g, by differences %g", i, j, got, before);
                compared++;
            }
        }
        limited += free_rotors(&c, result[1]) < shape.rotors;
    }
    assert_true(limited > 100 && compared > 20000);
}

// --- the reference ------------------------------------------------------------------------------

// From rest to a target at any distance, in any direction: within all limits, without overshoot.
static void test_reference(void **state)
{
    (void)state;
    for (int k = 0; k < 33; k++) {
        tac__control c;
        tac__control_in in;
        tac__control_state s;
        vehicle(&c, 4);
        make(0, &in, &s);
        memset(&s, 0, sizeof s);
        const double distance = 0.1 * (1 << (k % 11));
        double u[3], norm = 0, most = 0;
        for (int i = 0; i < 3; i++) {
            u[i] = uniform(-1, 1);
            norm += u[i] * u[i];
        }
        for (int i = 0; i < 3; i++) {
            u[i] /= sqrt(norm);
            in.target[i] = distance * u[i];
        }
        tac__control_out out;
        for (int n = 0; n < 250 * 150; n++) {
            const tac__control_state old = s;
            memcpy(in.position, s.position, sizeof in.position);
            memcpy(in.velocity, s.velocity, sizeof in.velocity);
            tac__control_step_f64(&shape, &c, 0.004, voltage, works, &in, &s, &out);
            double along = 0, jerk = 0;
            for (int i = 0; i < 3; i++) {
                along += s.position[i] * u[i];
                jerk += pow((s.acceleration[i] - old.acceleration[i]) / 0.004, 2);
            }
            most = along > most ? along : most;
            assert_true(hypot(s.velocity[0], s.velocity[1]) < 1.02 * in.cruise_speed);
            assert_true(s.velocity[2] < 1.02 * in.descend_speed);
            assert_true(-s.velocity[2] < 1.02 * in.climb_speed);
            assert_true(hypot(s.acceleration[0], s.acceleration[1]) < 1.001 * 2.5);
            assert_true(fabs(s.acceleration[2]) < 1.001 * 2);
            assert_true(sqrt(jerk) < 1.001 * 12);
            if (n > 1000 && fabs(along - distance) < 1e-4)
                break;
        }
        assert_true(most < distance + 0.01 && most > distance - 0.01);
    }
}

// --- single laws --------------------------------------------------------------------------------

// Torque: what turns the body as wanted against its own momentum, which is w x (I w).
static void test_torque(void **state)
{
    (void)state;
    tac__control c;
    tac__control_in in;
    tac__control_state s;
    tac__control_out out;
    vehicle(&c, 4);
    const double tensor[9] = {0.03, 0.002, -0.001, 0.002, 0.025, 0.003, -0.001, 0.003, 0.05};
    memcpy(c.inertia, tensor, sizeof tensor);
    make(0, &in, &s);
    memset(s.rate_integral, 0, sizeof s.rate_integral);
    memcpy(in.rate, (double[]){2, -3, 1}, sizeof in.rate);
    tac__control_step_f64(&shape, &c, 0.004, voltage, works, &in, &s, &out);
    const double gain[3] = {c.tuning.rate, c.tuning.rate, c.tuning.yaw_rate};
    double momentum[3] = {0}, turn[3] = {0}, gyro[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            momentum[i] += tensor[3 * i + j] * in.rate[j];
            turn[i] += tensor[3 * i + j] * gain[j] * (out.rate[j] - in.rate[j]);
        }
    }
    plant_cross(in.rate, momentum, gyro);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(out.torque[i] - turn[i] - gyro[i]) < 1e-12);
}

// A vehicle that is held fast: integrals do not grow beyond what can be had.
static void test_integrals_do_not_wind_up(void **state)
{
    (void)state;
    tac__control c;
    tac__control_in in;
    tac__control_state s;
    tac__control_out out;
    vehicle(&c, 4);
    make(0, &in, &s);
    memset(&s, 0, sizeof s);
    memset(in.position, 0, sizeof in.position);
    memset(in.rate, 0, sizeof in.rate);
    memcpy(in.velocity, (double[]){-8, 0, 0}, sizeof in.velocity);
    memcpy(in.attitude, (double[]){1, 0, 0, 0}, sizeof in.attitude);
    memcpy(in.target, (double[]){0, 0, 0}, sizeof in.target);
    in.rate[2] = -5; // and spins as it never could
    for (int n = 0; n < 20 * 250; n++)
        tac__control_step_f64(&shape, &c, 0.004, voltage, works, &in, &s, &out);
    assert_true(s.velocity_integral[0] <= 0);
    assert_true(s.rate_integral[2] <= 0.05 * c.scale[3]);
    // Without limits in the way they do grow.
    memset(&s, 0, sizeof s);
    in.velocity[0] = -0.1;
    in.rate[2] = 0;
    for (int n = 0; n < 10 * 250; n++)
        tac__control_step_f64(&shape, &c, 0.004, voltage, works, &in, &s, &out);
    assert_true(s.velocity_integral[0] > 1);
}

TEST_MAIN(cmocka_unit_test(test_derivatives_by_inputs),
          cmocka_unit_test(test_derivatives_by_parameters),
          cmocka_unit_test(test_derivatives_of_allocation), cmocka_unit_test(test_reference),
          cmocka_unit_test(test_torque), cmocka_unit_test(test_integrals_do_not_wind_up))
