// The multirotor plant has the same bits in every scalar kind, and its duals are its derivatives.
#include "support/test.h"

#include "model/iris.h"
#include "model/lanes.h"

#include <stdio.h>

// One declaration a kind; a pack is passed as the doubles that it is.
#define KIND(kind)                                                                                 \
    void tac__multirotor_derive_##kind(const tac__multirotor *p, const void *const *in,            \
                                       const void *mode, const void *x, void *dx);                 \
    void tac__multirotor_output_##kind(const tac__multirotor *p, const void *const *in,            \
                                       const void *mode, const void *x, void *const *out);         \
    void tac__multirotor_detect_##kind(const tac__multirotor *p, const void *mode, const void *x,  \
                                       void *g);
KIND(pack4)
KIND(pack8)
void tac__multirotor_detect_dual(const tac__multirotor *p, const void *mode, const void *x,
                                 void *g);

static tac__multirotor p;

// Two batteries, two buses and second-order actuators: 66 numbers in, 73 out.
static void two_of_everything(void)
{
    iris_set(&p);
    tac__multirotor_set_hull(
        &p, &(tac__foot){.stiffness = 4000, .damping = 300, .friction = 0.5, .smoothing_m_s = 0.1});
    p.world.altitude_m = 488;
    p.actuator.kind = TAC__ACTUATOR_SECOND_ORDER;
    p.actuator.rate = 3;
    p.batteries = p.buses = 2;
    p.battery[1] = p.battery[0];
    p.battery[1].points = 4;
    memcpy(p.battery[1].soc, (double[]){0, 0.1, 0.7, 1}, 4 * sizeof(double));
    memcpy(p.battery[1].ocv_v, (double[]){10, 11.2, 12, 12.6}, 4 * sizeof(double));
    p.battery[1].bus = 1;
    p.bus[1].load_w = 20;
    p.vehicle.rotor[1].bus = p.vehicle.rotor[3].bus = 1;
    memcpy(p.vehicle.rotor[2].axis, (double[]){0, 0.6, 0.8}, 3 * sizeof(double));
    tac__multirotor_prepare(&p);
}

static void one_of_each(void)
{
    iris_set(&p);
    const tac__foot like = p.foot[0];
    tac__multirotor_set_hull(&p, &like);
    tac__multirotor_prepare(&p);
}

// Where things are in one row of inputs, then of outputs.
enum { MOTOR = 0, WIND = 4, HOLD = 7, DUTY = 11, LOSS = 15, OPEN = 19, MODE = 21, X = 37 };

static int inputs(void)
{
    return X + tac__multirotor_x_count(&p);
}

static const int out_counts[TAC__OUTS] = {3, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 3};

static int outputs(void)
{
    int n = tac__multirotor_x_count(&p) + tac__multirotor_events(&p);
    for (int i = 0; i < TAC__OUTS; i++)
        n += out_counts[i];
    return n;
}

#define PLANT(kind, width)                                                                         \
    static void plant_##kind(const double *in, double *out)                                        \
    {                                                                                              \
        const void *at[TAC__INS] = {                                                               \
            in + MOTOR * (width), in + WIND * (width), in + HOLD * (width),                        \
            in + DUTY * (width),  in + LOSS * (width), in + OPEN * (width)};                       \
        void *to[TAC__OUTS];                                                                       \
        double *next = out + tac__multirotor_x_count(&p) * (width);                                \
        for (int i = 0; i < TAC__OUTS; i++) {                                                      \
            to[i] = next;                                                                          \
            memset(next, 0, sizeof(double) * (size_t)(out_counts[i] * (width)));                   \
            next += out_counts[i] * (width);                                                       \
        }                                                                                          \
        tac__multirotor_derive_##kind(&p, at, in + MODE * (width), in + X * (width), out);         \
        tac__multirotor_output_##kind(&p, at, in + MODE * (width), in + X * (width), to);          \
        tac__multirotor_detect_##kind(&p, in + MODE * (width), in + X * (width), next);            \
    }
PLANT(f64, 1)
PLANT(pack4, 4)
PLANT(pack8, 8)
PLANT(dual, LANES_DUAL)

static double tame(uint64_t *seed, int i)
{
    const int soc = X + tac__multirotor_x_soc(&p);
    if (i < WIND || (i >= DUTY && i < OPEN))
        return input_uniform(seed, 0, 1);
    if (i < HOLD)
        return input_uniform(seed, -10, 10);
    if (i < X)
        return input_uniform(seed, 0, 1) < 0.3;
    if (i < X + TAC__X_VELOCITY)
        return input_uniform(seed, -1, 1);
    if (i < X + TAC__X_ROTOR)
        return input_uniform(seed, -2, 2);
    if (i < X + TAC__X_ROTOR + 4)
        return input_uniform(seed, 0, 400);
    if (i < soc + p.batteries)
        return input_uniform(seed, 0, 1);
    return input_uniform(seed, 0, 0.5);
}

static double wild(uint64_t *seed, int i)
{
    return input_bits(seed) % 16 ? tame(seed, i) : input_hostile(seed);
}

static void test_lanes_have_the_same_bits(void **state)
{
    (void)state;
    void (*const vehicles[])(void) = {two_of_everything, one_of_each};
    for (int i = 0; i < 2; i++) {
        vehicles[i]();
        lanes_case c = {plant_f64, plant_pack4, plant_pack8, plant_dual, inputs(), outputs(), tame};
        lanes_compare(&c, 3000);
        c.input = wild;
        lanes_compare(&c, 3000);
    }
}

// Central difference of fourth order along input `i`.
static void difference(const double *in, int i, double h, double *slope)
{
    static const int steps[4] = {-2, -1, 1, 2};
    double z[LANES_MAX], f[4][LANES_MAX];
    for (int s = 0; s < 4; s++) {
        memcpy(z, in, sizeof z);
        z[i] += steps[s] * h;
        plant_f64(z, f[s]);
    }
    for (int o = 0; o < outputs(); o++)
        slope[o] = (f[0][o] - f[3][o] + 8 * (f[2][o] - f[1][o])) / (12 * h);
}

// A plausible state and its derivatives along all inputs, eight at a time.
static void test_duals_are_derivatives(void **state)
{
    (void)state;
    two_of_everything();
    uint64_t seed = 21;
    int compared = 0, skipped = 0;
    for (int trial = 0; trial < 100; trial++) {
        double in[LANES_MAX] = {0};
        for (int i = 0; i < inputs(); i++)
            in[i] = tame(&seed, i);
        for (int first = 0; first < inputs(); first += 8) {
            double u[LANES_MAX][LANES_DUAL] = {{0}}, y[LANES_MAX][LANES_DUAL];
            for (int i = 0; i < inputs(); i++) {
                u[i][0] = in[i];
                if (i >= first && i < first + 8)
                    u[i][1 + i - first] = 1;
            }
            plant_dual(&u[0][0], &y[0][0]);
            for (int i = first; i < first + 8 && i < inputs(); i++) {
                if (i >= HOLD && i < DUTY) // a switch
                    continue;
                // Two widths that disagree straddle a kink.
                const double h = i >= X + TAC__X_ROTOR && i < X + TAC__X_ROTOR + 4 ? 1e-2 : 1e-4;
                double coarse[LANES_MAX], fine[LANES_MAX];
                difference(in, i, h, coarse);
                difference(in, i, h / 2, fine);
                for (int o = 0; o < outputs(); o++) {
                    const double tolerance = 1e-7 * (1 + fabs(fine[o]));
                    if (!(fabs(coarse[o] - fine[o]) < 100 * tolerance)) {
                        skipped++;
                        continue;
                    }
                    compared++;
                    if (!(fabs(y[o][1 + i - first] - fine[o]) < 1000 * tolerance))
                        fail_msg("d out[%d] / d in[%d] is %.12g, by differences %.12g", o, i,
                                 y[o][1 + i - first], fine[o]);
                }
            }
        }
    }
    print_message("%d derivatives compared, %d skipped\n", compared, skipped);
    assert_true(compared > 50 * skipped);
}

TEST_MAIN(cmocka_unit_test(test_lanes_have_the_same_bits),
          cmocka_unit_test(test_duals_are_derivatives))
