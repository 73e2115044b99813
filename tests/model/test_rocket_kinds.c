// Everything of a rocket, and the orbiter, has the same bits in every scalar kind, and its duals
// are its derivatives.
#include "support/test.h"

#include "model/lanes.h"
#include "model/rocket.h"
#include "model/rocket/aero.h"
#include "model/rocket/mass.h"
#include "model/rocket/motor.h"
#include "model/rocket/orbiter.h"
#include "model/rocket/parachute.h"

#include <stdio.h>

// One declaration a kind; a pack is passed as the doubles that it is.
#define KIND(kind)                                                                                 \
    void tac__rocket_body_derive_##kind(const tac__rocket_body *p, const void *const *in,          \
                                        const void *mode, const void *x, void *dx);                \
    void tac__rocket_body_output_##kind(const tac__rocket_body *p, const void *const *in,          \
                                        const void *x, void *const *out);                          \
    void tac__rocket_motor_derive_##kind(const tac__rocket_motor *p, const void *const *in,        \
                                         const void *mode, const void *x, void *dx);               \
    void tac__rocket_motor_output_##kind(const tac__rocket_motor *p, const void *const *in,        \
                                         const void *mode, const void *x, void *const *out);       \
    void tac__rocket_mass_output_##kind(const tac__rocket_mass *p, const void *const *in,          \
                                        void *const *out);                                         \
    void tac__rocket_aero_output_##kind(const tac__rocket_aero *p, const void *const *in,          \
                                        void *const *out);                                         \
    void tac__parachute_derive_##kind(const tac__parachute *p, const void *const *in,              \
                                      const void *x, void *dx);                                    \
    void tac__parachute_output_##kind(const tac__parachute *p, const void *const *in,              \
                                      const void *x, void *const *out);                            \
    void tac__orbiter_derive_##kind(const tac__earth *p, const void *push, const void *x,          \
                                    void *dx);                                                     \
    void tac__orbiter_output_##kind(const tac__earth *p, const void *x, void *const *out);
KIND(pack4)
KIND(pack8)
#define DETECT(kind)                                                                               \
    void tac__rocket_body_detect_##kind(const tac__rocket_body *p, const void *x, void *g);
DETECT(pack4)
DETECT(pack8)
DETECT(dual)

static tac__rocket_body body;
static tac__rocket_motor motor;
static tac__rocket_mass mass;
static tac__rocket_aero aero;
static tac__parachute chute;

static void set_up(bool special)
{
    static rocket whole;
    rocket_set(&whole);
    body = whole.p;
    body.rail_m = 6;
    body.fixed = false;
    body.earth.j2 = special ? 0 : 1.08262982e-3;
    body.axis[0] = 0.6;
    body.axis[1] = 0.8;
    motor = (tac__rocket_motor){.thrust_n = 50000,
                                .flow = 20,
                                .loss = 0.1,
                                .fuel_kg = 100,
                                .tau_s = special ? 0 : 0.2,
                                .by_time = special,
                                .points = 3,
                                .at = {0, 0.5, 1},
                                .part = {1.2, 1, 0.6},
                                .direction = {0.8, 0, 0.6},
                                .moment = {1, 2, 3}};
    mass.stages = 2;
    for (int i = 0; i < 2; i++)
        mass.stage[i] = (tac__rocket_stage){.dry_kg = 150 - 50 * i,
                                            .com_m = {1.5 + 3 * i, 0.02, -0.01},
                                            .inertia = {5, 90, 95, 1, -2, 0.5},
                                            .tank_m = {1.8 + 3 * i, 0, 0.1},
                                            .length_m = 2.4,
                                            .radius_m = 0.2,
                                            .settled = i == (special ? 1 : 0),
                                            .capacity_kg = 400,
                                            .exit_m = {3 * i, 0, 0.02}};
    aero = (tac__rocket_aero){.area_m2 = 0.1,
                              .diameter_m = 0.36,
                              .points = 3,
                              .mach = {0, 1, 3},
                              .drag = {0.3, 0.7, 0.4},
                              .normal = {10, 12, 8},
                              .centre = {1, 1.2, 1.6},
                              .damping = {5, 30, 20},
                              .cross_m2 = 2,
                              .cross_m = 3};
    chute = (tac__parachute){.drag_m2 = 20, .tau_s = 0.5, .position_m = {2, 0.1, -0.2}};
}

// --- one row of numbers in, one out, for each part -----------------------------------------------

typedef struct cursor {
    const double *in;
    double *out;
    int width;
} cursor;

static const void *take(cursor *c, int count)
{
    const void *at = c->in;
    c->in += count * c->width;
    return at;
}

static void *give(cursor *c, int count)
{
    void *at = c->out;
    c->out += count * c->width;
    return at;
}

static void give_all(cursor *c, const int *counts, int n, void **out)
{
    for (int i = 0; i < n; i++)
        out[i] = give(c, counts[i]);
}

static void take_all(cursor *c, const int *counts, int n, const void **in)
{
    for (int i = 0; i < n; i++)
        in[i] = take(c, counts[i]);
}

enum { BODY_INS = TAC__BODY_IN_FORCE + 2 * TAC__ROCKET_FORCES_MAX, LOADS = 4 };
static const int body_ins[BODY_INS] = {1, 3, 6, 6, 3, 3, 3, 3, 3, 3};
static _Alignas(64) const double none[3 * LANES_DUAL]; // as reals of any kind
#define COUNT(name, text, count, unit, role, doc) count,
static const int body_outs[TAC__BODY_OUTS] = {TAC__BODY_OUT_TABLE(COUNT)};
static const int motor_ins[] = {1, 1}, motor_outs[] = {1, 1, 3, 3, 1};
static const int mass_ins[] = {1, 1, 1, 1, 1, 1}, mass_outs[] = {1, 3, 6, 6, 3};
static const int aero_ins[] = {3, 3, 1, 1}, aero_outs[] = {3, 3, 1};
static const int chute_ins[] = {1, 3, 3, 1}, chute_outs[] = {3, 3};
static const int orbiter_outs[] = {1, 3};

#define PARTS(kind, lanes)                                                                         \
    static void body_##kind(const double *u, double *y)                                            \
    {                                                                                              \
        cursor c = {u, y, lanes};                                                                  \
        const void *in[BODY_INS];                                                                  \
        void *out[TAC__BODY_OUTS];                                                                 \
        take_all(&c, body_ins, TAC__BODY_IN_FORCE + LOADS, in);                                    \
        for (int i = TAC__BODY_IN_FORCE + LOADS; i < BODY_INS; i++)                                \
            in[i] = none;                                                                          \
        const void *mode = take(&c, 1), *x = take(&c, TAC__BODY_STATES);                           \
        tac__rocket_body_derive_##kind(&body, in, mode, x, give(&c, TAC__BODY_STATES));            \
        tac__rocket_body_detect_##kind(&body, x, give(&c, 1));                                     \
        give_all(&c, body_outs, TAC__BODY_OUTS, out);                                              \
        tac__rocket_body_output_##kind(&body, in, x, out);                                         \
    }                                                                                              \
    static void motor_##kind(const double *u, double *y)                                           \
    {                                                                                              \
        cursor c = {u, y, lanes};                                                                  \
        const void *in[2];                                                                         \
        void *out[5];                                                                              \
        memset(y, 0, sizeof(double) * TAC__MOTOR_STATES * (lanes)); /* a state may be left out */  \
        take_all(&c, motor_ins, 2, in);                                                            \
        const void *mode = take(&c, 1), *x = take(&c, TAC__MOTOR_STATES);                          \
        tac__rocket_motor_derive_##kind(&motor, in, mode, x, give(&c, TAC__MOTOR_STATES));         \
        give_all(&c, motor_outs, 5, out);                                                          \
        tac__rocket_motor_output_##kind(&motor, in, mode, x, out);                                 \
    }                                                                                              \
    static void mass_##kind(const double *u, double *y)                                            \
    {                                                                                              \
        cursor c = {u, y, lanes};                                                                  \
        const void *in[6];                                                                         \
        void *out[5];                                                                              \
        take_all(&c, mass_ins, 6, in);                                                             \
        give_all(&c, mass_outs, 5, out);                                                           \
        tac__rocket_mass_output_##kind(&mass, in, out);                                            \
    }                                                                                              \
    static void aero_##kind(const double *u, double *y)                                            \
    {                                                                                              \
        cursor c = {u, y, lanes};                                                                  \
        const void *in[4];                                                                         \
        void *out[3];                                                                              \
        take_all(&c, aero_ins, 4, in);                                                             \
        give_all(&c, aero_outs, 3, out);                                                           \
        tac__rocket_aero_output_##kind(&aero, in, out);                                            \
    }                                                                                              \
    static void chute_##kind(const double *u, double *y)                                           \
    {                                                                                              \
        cursor c = {u, y, lanes};                                                                  \
        const void *in[4];                                                                         \
        void *out[2];                                                                              \
        take_all(&c, chute_ins, 4, in);                                                            \
        const void *x = take(&c, 1);                                                               \
        tac__parachute_derive_##kind(&chute, in, x, give(&c, 1));                                  \
        give_all(&c, chute_outs, 2, out);                                                          \
        tac__parachute_output_##kind(&chute, in, x, out);                                          \
    }                                                                                              \
    static void orbiter_##kind(const double *u, double *y)                                         \
    {                                                                                              \
        cursor c = {u, y, lanes};                                                                  \
        void *out[2];                                                                              \
        const void *push = take(&c, 3), *x = take(&c, TAC__ORBITER_STATES);                        \
        tac__orbiter_derive_##kind(&body.earth, push, x, give(&c, TAC__ORBITER_STATES));           \
        give_all(&c, orbiter_outs, 2, out);                                                        \
        tac__orbiter_output_##kind(&body.earth, x, out);                                           \
    }
PARTS(f64, 1)
PARTS(pack4, 4)
PARTS(pack8, 8)
PARTS(dual, LANES_DUAL)

// --- plausible inputs ----------------------------------------------------------------------------

enum { BODY_MODE = 34, BODY_X = 35, BODY_INPUTS = BODY_X + TAC__BODY_STATES };

static double body_input(uint64_t *seed, int i)
{
    if (i == 0)
        return input_uniform(seed, 50, 500);
    if (i >= 4 && i < 7) // a positive definite tensor
        return input_uniform(seed, 50, 100);
    if (i == BODY_MODE)
        return input_uniform(seed, 0, 1) < 0.5;
    if (i >= BODY_X && i < BODY_X + 3)
        return input_uniform(seed, 3.7e6, 3.8e6);
    if (i >= BODY_X + 3 && i < BODY_X + 6)
        return input_uniform(seed, -2000, 2000);
    return input_uniform(seed, -3, 3);
}

static double motor_input(uint64_t *seed, int i)
{
    if (i == 1)
        return input_uniform(seed, 0, 101325);
    if (i == 2)
        return input_uniform(seed, 0, 1) < 0.5;
    return i == 3 ? input_uniform(seed, 0, 100) : input_uniform(seed, 0.01, 1);
}

static double mass_input(uint64_t *seed, int i)
{
    return i % 3 == 2 ? input_uniform(seed, 0.5, 1) : input_uniform(seed, 0, i % 3 ? 30 : 400);
}

static double air_input(uint64_t *seed, int i)
{
    if (i < 3)
        return input_uniform(seed, -500, 500);
    return i < 6 ? input_uniform(seed, -3, 3) : input_uniform(seed, 0, 2);
}

static double chute_input(uint64_t *seed, int i)
{
    return i == 0 || i > 6 ? input_uniform(seed, 0.01, 1) : input_uniform(seed, -50, 50);
}

static double orbiter_input(uint64_t *seed, int i)
{
    if (i < 3)
        return input_uniform(seed, -1, 1);
    return i < 6 ? input_uniform(seed, 3.8e6, 5e6) : input_uniform(seed, -7000, 7000);
}

#define CASE(part, inputs, outputs, input)                                                         \
    {                                                                                              \
        part##_f64, part##_pack4, part##_pack8, part##_dual, inputs, outputs, input                \
    }
static const lanes_case cases[] = {CASE(body, BODY_INPUTS, 14 + 21, body_input),
                                   CASE(motor, 6, 3 + 9, motor_input),
                                   CASE(mass, 6, 19, mass_input),
                                   CASE(aero, 8, 7, air_input),
                                   CASE(chute, 9, 7, chute_input),
                                   CASE(orbiter, 9, 10, orbiter_input)};
enum { CASES = sizeof cases / sizeof *cases };
static const char *const names[CASES] = {"body", "motor", "mass", "air", "parachute", "orbiter"};

static const lanes_case *wild_case;

static double wild(uint64_t *seed, int i)
{
    return input_bits(seed) % 16 ? wild_case->input(seed, i) : input_hostile(seed);
}

static void test_lanes_have_the_same_bits(void **state)
{
    (void)state;
    for (int special = 0; special < 2; special++) {
        set_up(special);
        for (int i = 0; i < CASES; i++) {
            lanes_compare(&cases[i], 1000);
            lanes_case c = cases[i];
            wild_case = &cases[i];
            c.input = wild;
            lanes_compare(&c, 1000);
        }
        body.fixed = true;
        body.rail_m = 0;
        lanes_compare(&cases[0], 1000);
    }
}

// --- derivatives ---------------------------------------------------------------------------------

// Central difference of fourth order along input `i`.
static void difference(const lanes_case *c, const double *in, int i, double h, double *slope)
{
    static const int steps[4] = {-2, -1, 1, 2};
    double z[LANES_MAX], f[4][LANES_MAX];
    for (int s = 0; s < 4; s++) {
        memcpy(z, in, sizeof z);
        z[i] += steps[s] * h;
        c->f64(z, f[s]);
    }
    for (int o = 0; o < c->outputs; o++)
        slope[o] = (f[0][o] - f[3][o] + 8 * (f[2][o] - f[1][o])) / (12 * h);
}

typedef struct tally {
    int compared, skipped;
} tally;

// What rounding of an output may do to a difference over `h`.
static double noise(double value, double h)
{
    return 1e-14 * (tac_fabs(value) + 1) / h;
}

static void compare_slopes(const char *name, const lanes_case *c, const double *in, int first,
                           double y[LANES_MAX][LANES_DUAL], tally *t)
{
    for (int i = first; i < first + 8 && i < c->inputs; i++) {
        if (c == &cases[0] && i == BODY_MODE) // a switch
            continue;
        const double h = 1e-4 * (1 + tac_fabs(in[i]));
        double coarse[LANES_MAX], fine[LANES_MAX];
        difference(c, in, i, h, coarse);
        difference(c, in, i, h / 2, fine);
        for (int o = 0; o < c->outputs; o++) {
            const double tolerance = 1e-6 * tac_fabs(fine[o]) + 100 * noise(y[o][0], h) + 1e-12;
            if (!(tac_fabs(coarse[o] - fine[o]) < tolerance)) {
                t->skipped++; // the two straddle a kink
                continue;
            }
            t->compared++;
            if (!(tac_fabs(y[o][1 + i - first] - fine[o]) < 10 * tolerance))
                fail_msg("%s: d out[%d] / d in[%d] is %.12g, by differences %.12g", name, o, i,
                         y[o][1 + i - first], fine[o]);
        }
    }
}

static void test_duals_are_derivatives(void **state)
{
    (void)state;
    set_up(false);
    uint64_t seed = 21;
    for (int k = 0; k < CASES; k++) {
        const lanes_case *c = &cases[k];
        tally t = {0, 0};
        for (int trial = 0; trial < 100; trial++) {
            double in[LANES_MAX] = {0};
            for (int i = 0; i < c->inputs; i++)
                in[i] = c->input(&seed, i);
            for (int first = 0; first < c->inputs; first += 8) {
                double u[LANES_MAX][LANES_DUAL] = {{0}}, y[LANES_MAX][LANES_DUAL];
                for (int i = 0; i < c->inputs; i++) {
                    u[i][0] = in[i];
                    if (i >= first && i < first + 8)
                        u[i][1 + i - first] = 1;
                }
                c->dual(&u[0][0], &y[0][0]);
                compare_slopes(names[k], c, in, first, y, &t);
            }
        }
        print_message("%s: %d derivatives compared, %d skipped\n", names[k], t.compared, t.skipped);
        assert_true(t.compared > 20 * t.skipped);
    }
}

// At rest there are no forces of the air, and no NaN among their derivatives.
static void test_derivatives_at_rest(void **state)
{
    (void)state;
    set_up(false);
    for (int k = 3; k <= 4; k++) {
        const lanes_case *c = &cases[k];
        double u[LANES_MAX][LANES_DUAL] = {{0}}, y[LANES_MAX][LANES_DUAL];
        for (int i = 0; i < 3; i++)
            u[k - 3 + i][1 + i] = 1; // of the velocity
        u[6][0] = u[7][0] = 1;
        c->dual(&u[0][0], &y[0][0]);
        for (int o = 0; o < c->outputs - (k == 3); o++) { // all but the angle of attack
            for (int d = 0; d < LANES_DUAL; d++)
                assert_true(y[o][d] == y[o][d] && (d == 0 || y[o][d] == 0));
        }
    }
}

TEST_MAIN(cmocka_unit_test(test_lanes_have_the_same_bits),
          cmocka_unit_test(test_duals_are_derivatives), cmocka_unit_test(test_derivatives_at_rest))
