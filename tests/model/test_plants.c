// The equations of plants.model.h have the same bits as doubles and in every lane. The packs are
// compiled for this machine in kind_pack*.c, which stand in for those of the library.
#include "support/test.h"

#include "math/inputs.h"
#include "model/plants.h"

#include <stdio.h>

// One declaration a kind; a pack is passed as the doubles that it is.
#define KIND(kind)                                                                                 \
    void tac__lag_derive_##kind(const tac__lag *p, const double *x, const double *u, double *dx);  \
    void tac__oscillator_derive_##kind(const tac__oscillator *p, const double *x,                  \
                                       const double *force, double *dx);                           \
    void tac__oscillator_output_##kind(const tac__oscillator *p, const double *x, double *energy); \
    void tac__point_mass_derive_##kind(const tac__point_mass *p, const double *x,                  \
                                       const double *force, const double *wind, double *dx);
KIND(f64)
KIND(pack4)
KIND(pack8)
KIND(dual)

enum { STATES = 6, INPUTS = 6, OUTPUTS = 10, DIRECTIONS = 8, BATCHES = 2000 };

// All four functions one after another, on states x and inputs u.
#define ALL(kind, lanes)                                                                           \
    static void all_##kind(const tac__lag *lag, const tac__oscillator *osc,                        \
                           const tac__point_mass *mass, const double *x, const double *u,          \
                           double *out)                                                            \
    {                                                                                              \
        tac__lag_derive_##kind(lag, x, u, out);                                                    \
        tac__oscillator_derive_##kind(osc, x, u, out + 1 * (lanes));                               \
        tac__oscillator_output_##kind(osc, x, out + 3 * (lanes));                                  \
        tac__point_mass_derive_##kind(mass, x, u, u + 3 * (lanes), out + 4 * (lanes));             \
    }
ALL(f64, 1)
ALL(pack4, 4)
ALL(pack8, 8)
ALL(dual, 1 + DIRECTIONS)

static void check(const char *kind, int lane, int output, double got, double expected)
{
    if (!same_bits(got, expected))
        fail_msg("%s, lane %d, output %d: %a, as double %a", kind, lane, output, got, expected);
}

static void test_lanes_have_the_same_bits(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int batch = 0; batch < BATCHES; batch++) {
        const tac__lag lag = {input_hostile(&seed)};
        const tac__oscillator osc = {input_hostile(&seed), input_hostile(&seed),
                                     input_hostile(&seed)};
        const tac__point_mass mass = {input_hostile(&seed),
                                      input_hostile(&seed),
                                      {input_hostile(&seed), input_hostile(&seed), 9.80665}};
        double x[8][STATES], u[8][INPUTS], out[8][OUTPUTS];
        _Alignas(64) double x8[STATES][8], u8[INPUTS][8], out8[OUTPUTS][8];
        _Alignas(64) double x4[STATES][4], u4[INPUTS][4], out4[OUTPUTS][4];
        for (int lane = 0; lane < 8; lane++) {
            for (int i = 0; i < STATES; i++)
                x[lane][i] = x8[i][lane] = input_hostile(&seed);
            for (int i = 0; i < INPUTS; i++)
                u[lane][i] = u8[i][lane] = input_hostile(&seed);
            all_f64(&lag, &osc, &mass, x[lane], u[lane], out[lane]);

            double dual_x[STATES][1 + DIRECTIONS] = {{0}}, dual_u[INPUTS][1 + DIRECTIONS] = {{0}};
            double dual_out[OUTPUTS][1 + DIRECTIONS];
            for (int i = 0; i < STATES; i++)
                dual_x[i][0] = x[lane][i];
            for (int i = 0; i < INPUTS; i++)
                dual_u[i][0] = u[lane][i];
            all_dual(&lag, &osc, &mass, &dual_x[0][0], &dual_u[0][0], &dual_out[0][0]);
            for (int o = 0; o < OUTPUTS; o++)
                check("dual", lane, o, dual_out[o][0], out[lane][o]);
        }
        for (int half = 0; half < 2; half++) {
            for (int lane = 0; lane < 4; lane++) {
                for (int i = 0; i < STATES; i++)
                    x4[i][lane] = x[half * 4 + lane][i];
                for (int i = 0; i < INPUTS; i++)
                    u4[i][lane] = u[half * 4 + lane][i];
            }
            all_pack4(&lag, &osc, &mass, &x4[0][0], &u4[0][0], &out4[0][0]);
            for (int lane = 0; lane < 4; lane++) {
                for (int o = 0; o < OUTPUTS; o++)
                    check("pack4", lane, o, out4[o][lane], out[half * 4 + lane][o]);
            }
        }
        all_pack8(&lag, &osc, &mass, &x8[0][0], &u8[0][0], &out8[0][0]);
        for (int lane = 0; lane < 8; lane++) {
            for (int o = 0; o < OUTPUTS; o++)
                check("pack8", lane, o, out8[o][lane], out[lane][o]);
        }
    }
}

// And they are the equations that they say: tau x' = u - x, and so on.
static void test_equations(void **state)
{
    (void)state;
    const tac__lag lag = {0.5};
    double dx[6], e;
    tac__lag_derive_f64(&lag, (double[]){1}, (double[]){3}, dx);
    assert_true(dx[0] == 4);
    const tac__oscillator osc = {2, 3, 5};
    tac__oscillator_derive_f64(&osc, (double[]){7, 11}, (double[]){1}, dx);
    assert_true(dx[0] == 11 && dx[1] == (1 - 3 * 11 - 5 * 7) / 2.0);
    tac__oscillator_output_f64(&osc, (double[]){7, 11}, &e);
    assert_true(e == 0.5 * (2 * 121 + 5 * 49));
    const tac__point_mass mass = {2, 4, {0, 1, 9}};
    tac__point_mass_derive_f64(&mass, (double[]){1, 2, 3, 4, 5, 6}, (double[]){10, 20, 30},
                               (double[]){1, 0, -1}, dx);
    assert_true(dx[0] == 4 && dx[1] == 5 && dx[2] == 6);
    assert_true(dx[3] == (10 - 4 * 3) / 2.0 && dx[4] == (20 - 4 * 5) / 2.0 + 1 &&
                dx[5] == (30 - 4 * 7) / 2.0 + 9);
}

TEST_MAIN(cmocka_unit_test(test_lanes_have_the_same_bits), cmocka_unit_test(test_equations))
