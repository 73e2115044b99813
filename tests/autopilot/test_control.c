// The control laws have the same bits as doubles and in every lane, and derivatives that agree with
// differences. The packs are compiled for this machine in kind_pack*.c.
#include "support/test.h"

#include "autopilot/plant.h"
#include "math/inputs.h"

#include <stdlib.h>

#define KIND(kind)                                                                                 \
    void tac__control_step_##kind(const tac__control *c, double dt, const double *in,              \
                                  double *state, double *out);
KIND(pack4)
KIND(pack8)
KIND(dual)

enum {
    INS = sizeof(tac__control_in) / 8,
    STATES = sizeof(tac__control_state) / 8,
    OUTS = sizeof(tac__control_out) / 8,
    RESULTS = STATES + OUTS,
    DIRECTIONS = 8,
    BATCHES = 200
};

static uint64_t seed = 11;

static double uniform(double low, double high)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * ((double)(seed >> 11) * 0x1p-53);
}

// A vehicle in flight: near its reference if calm, anywhere if not.
static void make(const tac__control *c, double far, tac__control_in *in, tac__control_state *s)
{
    memset(in, 0, sizeof *in);
    memset(s, 0, sizeof *s);
    double norm = 0;
    for (int k = 0; k < 4; k++) {
        in->attitude[k] = (k == 0) + uniform(-0.1, 0.1) * (1 + far);
        norm += in->attitude[k] * in->attitude[k];
    }
    for (int k = 0; k < 4; k++)
        in->attitude[k] /= sqrt(norm);
    for (int k = 0; k < 3; k++) {
        s->position[k] = uniform(-100, 100);
        s->velocity[k] = uniform(-2, 2);
        s->acceleration[k] = uniform(-0.5, 0.5);
        s->velocity_integral[k] = uniform(-0.2, 0.2);
        s->velocity_filter[k] = uniform(-0.1, 0.1);
        s->rate_integral[k] = uniform(-0.01, 0.01);
        in->position[k] = s->position[k] + uniform(-0.2, 0.2) * (1 + 20 * far);
        in->velocity[k] = s->velocity[k] + uniform(-0.1, 0.1) * (1 + 20 * far);
        in->rate[k] = uniform(-0.1, 0.1) * (1 + 20 * far);
        in->target[k] = s->position[k] + uniform(-5, 5);
    }
    s->yaw = uniform(-0.2, 0.2);
    s->yaw_rate = uniform(-0.1, 0.1);
    in->yaw = s->yaw + uniform(-0.2, 0.2) * (1 + 10 * far);
    in->cruise_speed = uniform(1, 10);
    in->climb_speed = uniform(1, 5);
    in->descend_speed = uniform(1, 5);
    in->run_out = far > 0 ? uniform(0, 5) : 0;
    in->landing = far > 0 && uniform(0, 1) < 0.3;
    in->sink = uniform(0.3, 1.5);
    in->yaw_held = far > 0 ? uniform(0, 1) < 0.7 : 1;
    in->lift = far > 0 && uniform(0, 1) < 0.2 ? uniform(0, 1) : 1;
    for (int i = 0; i < c->rotors; i++) {
        in->voltage[i] = uniform(11, 12.6);
        in->works[i] = far > 0 ? uniform(0, 1) < 0.85 : 1;
    }
}

static void check(const char *kind, int lane, int result, double got, double expected)
{
    if (!same_bits(got, expected))
        fail_msg("%s, lane %d, result %d: %a, as double %a", kind, lane, result, got, expected);
}

static void vehicle(tac__control *c, int rotors)
{
    plant p;
    if (rotors == 4)
        plant_iris(&p);
    else
        plant_ring(&p, rotors);
    tac__control_init(c, &p.v, &plant_tuning);
}

// --- lanes --------------------------------------------------------------------------------------

typedef void step_fn(const tac__control *, double, const double *, double *, double *);

static void check_lanes(const char *kind, int lanes, step_fn *step, const tac__control *c,
                        const double (*in)[INS], const double (*before)[STATES],
                        const double (*expected)[RESULTS])
{
    _Alignas(64) double i8[INS * 8], s8[STATES * 8], o8[OUTS * 8];
    for (int from = 0; from < 8; from += lanes) {
        memset(o8, 0, sizeof o8);
        for (int l = 0; l < lanes; l++) {
            for (int i = 0; i < INS; i++)
                i8[i * lanes + l] = in[from + l][i];
            for (int i = 0; i < STATES; i++)
                s8[i * lanes + l] = before[from + l][i];
        }
        step(c, 0.004, i8, s8, o8);
        for (int l = 0; l < lanes; l++) {
            for (int i = 0; i < STATES; i++)
                check(kind, from + l, i, s8[i * lanes + l], expected[from + l][i]);
            for (int i = 0; i < OUTS; i++)
                check(kind, from + l, STATES + i, o8[i * lanes + l],
                      expected[from + l][STATES + i]);
        }
    }
}

static void test_lanes_have_the_same_bits(void **state)
{
    (void)state;
    static double in[8][INS], before[8][STATES], expected[8][RESULTS];
    for (int batch = 0; batch < BATCHES; batch++) {
        tac__control c;
        vehicle(&c, 4 + 2 * (batch % 4));
        for (int lane = 0; lane < 8; lane++) {
            make(&c, lane < 4 ? 1 : 0, (tac__control_in *)in[lane],
                 (tac__control_state *)before[lane]);
            memset(expected[lane], 0, sizeof expected[lane]);
            memcpy(expected[lane], before[lane], sizeof before[lane]);
            tac__control_step_f64(&c, 0.004, in[lane], expected[lane], expected[lane] + STATES);
        }
        check_lanes("pack4", 4, tac__control_step_pack4, &c, in, before, expected);
        check_lanes("pack8", 8, tac__control_step_pack8, &c, in, before, expected);
    }
}

// --- derivatives --------------------------------------------------------------------------------

// The inputs that flight depends on smoothly: estimate and target.
enum { SMOOTH = 13 + 3 };

static void test_derivatives(void **state)
{
    (void)state;
    const double step = 1e-6;
    for (int k = 0; k < 100; k++) {
        tac__control c;
        tac__control_in in;
        tac__control_state s;
        vehicle(&c, 4 + 2 * (k % 3));
        make(&c, 0, &in, &s);
        for (int first = 0; first < SMOOTH; first += DIRECTIONS) {
            static double din[INS][1 + DIRECTIONS], ds[STATES][1 + DIRECTIONS];
            static double dout[OUTS][1 + DIRECTIONS];
            memset(din, 0, sizeof din);
            memset(ds, 0, sizeof ds);
            memset(dout, 0, sizeof dout);
            for (int i = 0; i < INS; i++)
                din[i][0] = ((double *)&in)[i];
            for (int i = 0; i < STATES; i++)
                ds[i][0] = ((double *)&s)[i];
            for (int j = 0; j < DIRECTIONS; j++)
                din[first + j][1 + j] = 1;
            tac__control_step_dual(&c, 0.004, &din[0][0], &ds[0][0], &dout[0][0]);
            for (int j = 0; j < DIRECTIONS; j++) {
                double result[2][RESULTS] = {{0}};
                for (int side = 0; side < 2; side++) {
                    tac__control_in near = in;
                    ((double *)&near)[first + j] += side ? step : -step;
                    memcpy(result[side], &s, sizeof s);
                    tac__control_step_f64(&c, 0.004, (double *)&near, result[side],
                                          result[side] + STATES);
                }
                for (int i = 0; i < RESULTS; i++) {
                    const double *dual = i < STATES ? ds[i] : dout[i - STATES];
                    const double slope = (result[1][i] - result[0][i]) / (2 * step);
                    if (!(fabs(dual[1 + j] - slope) < 1e-5 * (1 + fabs(slope))))
                        fail_msg("result %d by input %d: %g, by differences %g", i, first + j,
                                 dual[1 + j], slope);
                }
            }
        }
    }
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
        make(&c, 0, &in, &s);
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
            tac__control_step_f64(&c, 0.004, (double *)&in, (double *)&s, (double *)&out);
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
    make(&c, 0, &in, &s);
    memset(s.rate_integral, 0, sizeof s.rate_integral);
    memcpy(in.rate, (double[]){2, -3, 1}, sizeof in.rate);
    tac__control_step_f64(&c, 0.004, (double *)&in, (double *)&s, (double *)&out);
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
    make(&c, 0, &in, &s);
    memset(&s, 0, sizeof s);
    memset(in.position, 0, sizeof in.position);
    memset(in.rate, 0, sizeof in.rate);
    memcpy(in.velocity, (double[]){-8, 0, 0}, sizeof in.velocity);
    memcpy(in.attitude, (double[]){1, 0, 0, 0}, sizeof in.attitude);
    memcpy(in.target, (double[]){0, 0, 0}, sizeof in.target);
    in.rate[2] = -5; // and spins as it never could
    for (int n = 0; n < 20 * 250; n++)
        tac__control_step_f64(&c, 0.004, (double *)&in, (double *)&s, (double *)&out);
    assert_true(s.velocity_integral[0] <= 0);
    assert_true(s.rate_integral[2] <= 0.05 * c.scale[3]);
    // Without limits in the way they do grow.
    memset(&s, 0, sizeof s);
    in.velocity[0] = -0.1;
    in.rate[2] = 0;
    for (int n = 0; n < 10 * 250; n++)
        tac__control_step_f64(&c, 0.004, (double *)&in, (double *)&s, (double *)&out);
    assert_true(s.velocity_integral[0] > 1);
}

TEST_MAIN(cmocka_unit_test(test_lanes_have_the_same_bits), cmocka_unit_test(test_derivatives),
          cmocka_unit_test(test_reference), cmocka_unit_test(test_torque),
          cmocka_unit_test(test_integrals_do_not_wind_up))
