// The multirotor plant has the same bits in every scalar kind, with a vehicle of its own in each
// lane, and its duals are its derivatives, by parameters, too.
#include "support/test.h"

#include "model/iris.h"
#include "model/lanes.h"
#include "math/machine.h"

#include <stdio.h>

static tac__multirotor p;

// Vehicles of the shape of `p` with other numbers; the first has those of `p`.
enum { FLEET = 13, NUMBERS = sizeof(multirotor_numbers) / sizeof(double) };
static multirotor_numbers fleet[FLEET];
static tac__multirotor_shape shape;
static const tac__multirotor_self self = {&shape};

static void make_fleet(void)
{
    uint64_t seed = 5;
    tac__multirotor_prepare(&p);
    tac__multirotor_shape_of(&p, &shape);
    (void)tac__multirotor_numbers_of(&p, &fleet[0]);
    for (int v = 1; v < FLEET; v++) {
        const double *from = (const double *)&fleet[0];
        double *to = (double *)&fleet[v];
        for (int i = 0; i < NUMBERS; i++)
            to[i] = from[i] * input_uniform(&seed, 0.7, 1.4);
        if (p.batteries == 1) // the weight of a single battery is 1
            fleet[v].battery[0].weight = 1;
    }
}

// Two batteries, two buses and second-order actuators: 66 numbers in, 76 out.
static void two_of_everything(void)
{
    iris_set(&p);
    tac__multirotor_set_hull(
        &p, &(tac__foot){.stiffness = 4000, .damping = 300, .friction = 0.5, .smoothing_m_s = 0.1});
    p.world.altitude_m = 488;
    p.vehicle.actuator.kind = TAC__ACTUATOR_SECOND_ORDER;
    p.vehicle.actuator.rate = 3;
    p.batteries = p.buses = 2;
    p.battery[1] = p.battery[0];
    p.battery[1].points = 4;
    memcpy(p.battery[1].soc, (double[]){0, 0.1, 0.7, 1}, 4 * sizeof(double));
    memcpy(p.battery[1].ocv_v, (double[]){10, 11.2, 12, 12.6}, 4 * sizeof(double));
    p.battery[1].spline = true;
    p.battery[1].bus = 1;
    p.bus[1].load_w = 20;
    p.vehicle.rotor[1].bus = p.vehicle.rotor[3].bus = 1;
    memcpy(p.vehicle.rotor[2].axis, (double[]){0, 0.6, 0.8}, 3 * sizeof(double));
    make_fleet();
}

static void one_of_each(void)
{
    iris_set(&p);
    const tac__foot like = p.foot[0];
    tac__multirotor_set_hull(&p, &like);
    make_fleet();
}

// An odd number, on two buses; what a real is of two of them at once is used here.
static void three_rotors(void)
{
    iris_set(&p);
    p.vehicle.rotors = 3;
    p.batteries = p.buses = 2;
    p.battery[1] = p.battery[0];
    p.vehicle.rotor[1].bus = p.battery[1].bus = 1;
    p.vehicle.actuator.kind = TAC__ACTUATOR_FIRST_ORDER;
    make_fleet();
}

// Where things are in one row of inputs, then of outputs.
enum { MOTOR = 0, WIND = 4, HOLD = 7, DUTY = 11, LOSS = 15, OPEN = 19, MODE = 21, X = 37 };
enum { VEHICLE = LANES_MAX - 1 }; // the last: which of the fleet

static int inputs(void)
{
    return X + tac__multirotor_x_count(&p);
}

static const int out_counts[TAC__OUTS] = {3, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 3, 3};

static int outputs(void)
{
    int n = 2 * tac__multirotor_x_count(&p) + tac__multirotor_events(&p);
    for (int i = 0; i < TAC__OUTS; i++)
        n += out_counts[i];
    return n;
}

// The numbers of the vehicles in `lanes` of a kind that has `width` doubles a number.
static const double *numbers_of(const double *in, int width, int lanes)
{
    static _Alignas(64) double numbers[NUMBERS * LANES_DUAL];
    memset(numbers, 0, sizeof numbers);
    for (int lane = 0; lane < lanes; lane++) {
        const double *from = (const double *)&fleet[(int)in[VEHICLE * width + lane]];
        for (int i = 0; i < NUMBERS; i++)
            numbers[i * width + lane] = from[i];
    }
    return numbers;
}

// `number_width`: doubles that a number has.
#define PLANT(kind, width, number_width, count)                                                    \
    static void run_##kind(const double *numbers, const double *in, double *out)                   \
    {                                                                                              \
        const void *at[TAC__INS] = {                                                               \
            in + MOTOR * (width), in + WIND * (width), in + HOLD * (width),                        \
            in + DUTY * (width),  in + LOSS * (width), in + OPEN * (width)};                       \
        void *to[TAC__OUTS];                                                                       \
        const int n = tac__multirotor_x_count(&p);                                                 \
        double *next = out + n * (width);                                                          \
        for (int i = 0; i < TAC__OUTS; i++) {                                                      \
            to[i] = next;                                                                          \
            memset(next, 0, sizeof(double) * (size_t)(out_counts[i] * (width)));                   \
            next += out_counts[i] * (width);                                                       \
        }                                                                                          \
        const tac_eval e = {.in = at,                                                              \
                            .out = to,                                                             \
                            .mode = in + MODE * (width),                                           \
                            .x = in + X * (width),                                                 \
                            .dx = out,                                                             \
                            .p = numbers,                                                          \
                            .lanes = (count)};                                                     \
        (void)tac__multirotor_derive_##kind(&e, &self);                                            \
        (void)tac__multirotor_output_##kind(&e, &self);                                            \
        (void)tac__multirotor_detect_##kind(&e, &self, next);                                      \
        next += tac__multirotor_events(&p) * (width);                                              \
        memcpy(next, in + X * (width), sizeof(double) * (size_t)(n * (width)));                    \
        (void)tac__multirotor_project_##kind(&e, &self, next);                                     \
    }                                                                                              \
    static void plant_##kind(const double *in, double *out)                                        \
    {                                                                                              \
        const double *first = (const double *)&fleet[(int)in[VEHICLE * (width)]];                  \
        run_##kind((number_width) == 1 ? first : numbers_of(in, (number_width), (count)), in,      \
                   out);                                                                           \
    }
PLANT(f64, 1, 1, 1)
PLANT(f64_avx2, 1, 1, 1)
PLANT(pack2, 2, 2, 2)
PLANT(pack4, 4, 4, 4)
PLANT(pack8, 8, 8, 8)
PLANT(dual, LANES_DUAL, 1, 1)
PLANT(dualp, LANES_DUAL, LANES_DUAL, 1)

static double tame(uint64_t *seed, int i)
{
    if (i == VEHICLE)
        return (double)(input_bits(seed) % FLEET);
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
    return i == VEHICLE || input_bits(seed) % 16 ? tame(seed, i) : input_hostile(seed);
}

static void compare(double (*input)(uint64_t *seed, int i), int batches)
{
    const lanes_case c = {plant_f64, plant_pack4, plant_pack8, plant_dual, LANES_MAX, outputs(), 0};
    uint64_t seed = 7;
    for (int batch = 0; batch < batches; batch++) {
        double in[8][LANES_MAX] = {{0}}, out[8][LANES_MAX];
        for (int run = 0; run < 8; run++) {
            for (int i = 0; i < inputs(); i++)
                in[run][i] = input(&seed, i);
            in[run][VEHICLE] = input(&seed, VEHICLE);
            plant_f64(in[run], out[run]);
            if (tac__machine_has_pack(4))
                lanes_run(&c, "f64 with AVX2", plant_f64_avx2, 1, 1, run, in, out);
            lanes_run(&c, "dual", plant_dual, LANES_DUAL, 1, run, in, out);
            lanes_run(&c, "dualp", plant_dualp, LANES_DUAL, 1, run, in, out);
        }
        for (int first = 0; first < 8; first += 2)
            lanes_run(&c, "pack2", plant_pack2, 2, 2, first, in, out);
        lanes_run(&c, "pack4", plant_pack4, 4, 4, 0, in, out);
        lanes_run(&c, "pack4", plant_pack4, 4, 4, 4, in, out);
        lanes_run(&c, "pack8", plant_pack8, 8, 8, 0, in, out);
    }
}

static void test_lanes_have_the_same_bits(void **state)
{
    (void)state;
    void (*const vehicles[])(void) = {two_of_everything, one_of_each, three_rotors};
    for (size_t i = 0; i < sizeof vehicles / sizeof *vehicles; i++) {
        vehicles[i]();
        compare(tame, 400);
        compare(wild, 400);
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
    for (int trial = 0; trial < 60; trial++) {
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

// Along number `i` of the vehicle.
static void difference_by_number(const double *in, int i, double h, double *slope)
{
    static const int steps[4] = {-2, -1, 1, 2};
    double z[NUMBERS], f[4][LANES_MAX];
    for (int s = 0; s < 4; s++) {
        memcpy(z, &fleet[0], sizeof z);
        z[i] += steps[s] * h;
        run_f64(z, in, f[s]);
    }
    for (int o = 0; o < outputs(); o++)
        slope[o] = (f[0][o] - f[3][o] + 8 * (f[2][o] - f[1][o])) / (12 * h);
}

// A plausible state and its derivatives along all numbers of the vehicle, eight at a time.
static void test_duals_are_derivatives_by_parameters(void **state)
{
    (void)state;
    two_of_everything();
    uint64_t seed = 22;
    const double *values = (const double *)&fleet[0];
    int compared = 0, skipped = 0, depend = 0;
    for (int trial = 0; trial < 3; trial++) {
        double in[LANES_MAX] = {0}, u[LANES_MAX][LANES_DUAL] = {{0}}, y[LANES_MAX][LANES_DUAL];
        for (int i = 0; i < inputs(); i++)
            u[i][0] = in[i] = tame(&seed, i);
        for (int first = 0; first < NUMBERS; first += 8) {
            static double numbers[NUMBERS][LANES_DUAL];
            memset(numbers, 0, sizeof numbers);
            for (int i = 0; i < NUMBERS; i++) {
                numbers[i][0] = values[i];
                if (i >= first && i < first + 8)
                    numbers[i][1 + i - first] = 1;
            }
            run_dualp(&numbers[0][0], &u[0][0], &y[0][0]);
            for (int i = first; i < first + 8 && i < NUMBERS; i++) {
                const double h = 1e-4 * (values[i] != 0 ? fabs(values[i]) : 1);
                double coarse[LANES_MAX], fine[LANES_MAX];
                difference_by_number(in, i, h, coarse);
                difference_by_number(in, i, h / 2, fine);
                for (int o = 0; o < outputs(); o++) {
                    // The difference of values that are alike but for rounding is nothing.
                    const double tolerance = 1e-7 * (1 + fabs(fine[o])) + 1e-15 * fabs(y[o][0]) / h;
                    if (!(fabs(coarse[o] - fine[o]) < 100 * tolerance)) {
                        skipped++;
                        continue;
                    }
                    compared++;
                    depend += fabs(fine[o]) > 1e-3;
                    if (!(fabs(y[o][1 + i - first] - fine[o]) < 1000 * tolerance))
                        fail_msg("d out[%d] / d number[%d] is %.12g, by differences %.12g", o, i,
                                 y[o][1 + i - first], fine[o]);
                }
            }
        }
    }
    print_message("%d derivatives compared, %d skipped, %d not zero\n", compared, skipped, depend);
    assert_true(compared > 50 * skipped);
    assert_true(depend > 500);
}

TEST_MAIN(cmocka_unit_test(test_lanes_have_the_same_bits),
          cmocka_unit_test(test_duals_are_derivatives),
          cmocka_unit_test(test_duals_are_derivatives_by_parameters))
