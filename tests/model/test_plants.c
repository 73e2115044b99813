// The small plants of plants.model.h: what their equations are, the same bits in every kind and
// lane, derivatives.
#include "model/kernels.h"

#include "support/test.h"

static rig r;

static const char text[] =
    "duration: 1 s\n"
    "scheduler: {rate_groups: [{name: g, period: 10 ms, components: ['*']}]}\n"
    "components:\n"
    "  u: {type: constant, params: {value: 3}}\n"
    "  w: {type: constant, params: {size: 5, value: [1, -2, 3, 0.5, 7]}}\n"
    "  f: {type: constant, params: {size: 3, unit: N, value: [10, 20, 30]}}\n"
    "  v: {type: constant, params: {size: 3, unit: m/s, value: [1, 0, -1]}}\n"
    "  push: {type: constant, params: {unit: N, value: 1}}\n"
    "  integrator: {type: integrator, params: {size: 5, rate_unit: 1, unit: s}, inputs: {u: w.y}}\n"
    "  other: {type: integrator, params: {rate_unit: 1, unit: s, initial: 4}, inputs: {u: u.y}}\n"
    "  lag: {type: lag, params: {tau: 0.5, initial: 1}, inputs: {u: u.y}}\n"
    "  oscillator: {type: oscillator, params: {mass: 2, damping: 3, stiffness: 5, position: 7,\n"
    "    velocity: 11}, inputs: {force: push.y}}\n"
    "  point_mass: {type: point_mass, params: {mass: 2, drag: 4, gravity: [0, 1, 9],\n"
    "    position: [1, 2, 3], velocity: [4, 5, 6]}, inputs: {force: f.y, wind: v.y}}\n";

static const char *const names[] = {"integrator", "lag", "oscillator", "point_mass"};
enum { NAMES = sizeof names / sizeof *names };

static int open_text(void **state)
{
    (void)state;
    rig_open(&r, text);
    rig_run(&r, 0);
    return 0;
}

static int close_text(void **state)
{
    (void)state;
    rig_close(&r);
    return 0;
}

static void test_kinds_have_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < NAMES; i++) {
        kernels_compare(&r, names[i], 500, 0);
        kernels_compare(&r, names[i], 500, 4);
    }
}

static void test_duals_are_derivatives(void **state)
{
    (void)state;
    for (int i = 0; i < NAMES; i++)
        kernels_differentiate(&r, names[i], 50);
}

// Numbers may differ in lanes, a size may not.
static void test_alike(void **state)
{
    (void)state;
    const tac__component *a = kernels_of(&r, "integrator").c, *b = kernels_of(&r, "other").c;
    assert_true(a->type->alike(a->self, a->self) && !a->type->alike(a->self, b->self));
    const tac__component *lag = kernels_of(&r, "lag").c;
    assert_true(lag->number_count == 1 && lag->type->alike(lag->self, lag->self));
}

// They are the equations that they say: tau x' = u - x, and so on.
static void test_equations(void **state)
{
    (void)state;
    double y[KERNELS_MAX];
    kernels_subject s = kernels_of(&r, "integrator");
    kernels_eval(&s, TAC_NUMBERS, s.at, NULL, y);
    assert_true(y[0] == 1 && y[1] == -2 && y[2] == 3 && y[3] == 0.5 && y[4] == 7);
    s = kernels_of(&r, "lag");
    kernels_eval(&s, TAC_NUMBERS, s.at, NULL, y);
    assert_true(y[0] == 4);
    s = kernels_of(&r, "oscillator");
    kernels_eval(&s, TAC_NUMBERS, s.at, NULL, y);
    assert_true(y[0] == 0.5 * (2 * 121 + 5 * 49)); // energy
    assert_true(y[1] == 11 && y[2] == (1 - 3 * 11 - 5 * 7) / 2.0);
    s = kernels_of(&r, "point_mass");
    kernels_eval(&s, TAC_NUMBERS, s.at, NULL, y);
    assert_true(y[0] == 4 && y[1] == 5 && y[2] == 6);
    assert_true(y[3] == (10 - 4 * 3) / 2.0 && y[4] == (20 - 4 * 5) / 2.0 + 1 &&
                y[5] == (30 - 4 * 7) / 2.0 + 9);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_text, close_text)
TEST_MAIN(TEST(test_equations), TEST(test_kinds_have_the_same_bits),
          TEST(test_duals_are_derivatives), TEST(test_alike))
