// Splines in graphs: how smooth they are, by first and second derivatives of the graph; and the
// emitted C of all that.
#include "graph/emitted.h"
#include "graph/derive.h"
#include "graph/evaluate.h"
#include "math/inputs.h"
#include "math/sample_spline.h"

enum { INPUTS = 8, OUTPUTS = 128, LAST = SAMPLE_SPLINE_POINTS - 1 };

int tac__sample_sym(const tac__sym_value *in, tac__sym_value *out);

static const double *const knots = sample_spline_x;
static tac_error err;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != TAC_OK)                                                                      \
            fail_msg("%s", err.text);                                                              \
    } while (0)

// A spline of the sample as a graph of one number, x to y, with its derivatives by way of forward
// and reverse mode.
typedef struct graphs {
    tac_graph *value, *forward, *reverse, *hessian;
} graphs;

static graphs trace(bool extended)
{
    graphs g;
    OK(tac__graph_create(NULL, "f", false, NULL, &g.value, &err));
    tac__terms *pool = tac__graph_pool(g.value);
    const tac__group *x = tac__graph_add_input(g.value, "x", 1, NULL);
    assert_non_null(x);
    tac__sym_value in[INPUTS], out[OUTPUTS];
    for (int i = 0; i < INPUTS; i++)
        in[i] = (tac__sym_value){.value = 0.5};
    in[SAMPLE_SPLINE_INPUT] = tac__sym_of(pool, x->terms[0]);
    const int count = tac__sample_sym(in, out);
    const int32_t y = tac__term_of(pool, out[count - (extended ? 1 : 2)]);
    assert_non_null(tac__graph_add_output(g.value, "y", 1, &y));
    OK(tac__graph_jvp(g.value, NULL, NULL, &g.forward, &err));
    OK(tac__graph_vjp(g.value, NULL, NULL, &g.reverse, &err));
    OK(tac__graph_hessian(g.value, "y", "x", TAC__TRIANGLE_BOTH, &g.hessian, &err));
    return g;
}

static void drop(graphs *g)
{
    tac__graph_destroy(g->hessian);
    tac__graph_destroy(g->reverse);
    tac__graph_destroy(g->forward);
    tac__graph_destroy(g->value);
}

static double value(const graphs *g, double x)
{
    double y;
    evaluate(g->value, "y", (const double *[]){&x}, &y);
    return y;
}

// Forward mode; reverse mode says the same.
static double slope(const graphs *g, double x)
{
    const double unit = 1;
    double forward, reverse;
    evaluate(g->forward, "fwd_y", (const double *[]){&x, &unit}, &forward);
    evaluate(g->reverse, "adj_x", (const double *[]){&x, &unit}, &reverse);
    assert_true(fabs(forward - reverse) <= 1e-13 * (1 + fabs(forward)));
    return forward;
}

static double bending(const graphs *g, double x)
{
    double second = 0;
    assert_int_equal(group_of(g->hessian, "hess")->count, 1);
    evaluate(g->hessian, "hess", (const double *[]){&x}, &second);
    return second;
}

static void check_near(const char *what, double x, double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s at %g is %.17g, not %.17g", what, x, got, expected);
}

// Across every knot. Of the sample, values are about 1, slopes up to 3, second derivatives up
// to 20.
static void test_two_derivatives_are_continuous(void **state)
{
    (void)state;
    graphs g = trace(false);
    double sharpest = 0;
    for (int i = 1; i < LAST; i++) {
        const double x = knots[i], before = nextafter(x, -INF);
        check_near("value", x, value(&g, before), value(&g, x), 1e-14);
        check_near("slope", x, slope(&g, before), slope(&g, x), 1e-13);
        check_near("second derivative", x, bending(&g, before), bending(&g, x), 1e-12);
        sharpest = fmax(sharpest, fabs(bending(&g, x)));
    }
    assert_true(sharpest > 1); // else it would be a straight line
    drop(&g);
}

// The second derivative is a straight line in each segment: its slope is the third one.
static double third(const graphs *g, int segment)
{
    const double h = knots[segment + 1] - knots[segment];
    const double a = knots[segment] + 0.25 * h, b = knots[segment] + 0.75 * h;
    return (bending(g, b) - bending(g, a)) / (b - a);
}

static void test_ends_are_not_knots(void **state)
{
    (void)state;
    graphs g = trace(false);
    check_near("third derivative", knots[1], third(&g, 0), third(&g, 1), 1e-11);
    check_near("third derivative", knots[LAST - 1], third(&g, LAST - 1), third(&g, LAST - 2),
               1e-11);
    for (int i = 2; i < LAST - 1; i++) // but the others are
        assert_true(fabs(third(&g, i) - third(&g, i - 1)) > 1);
    drop(&g);
}

static void test_derivatives_match_differences(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int extended = 0; extended < 2; extended++) {
        graphs g = trace(extended);
        for (int i = 0; i < 200; i++) {
            const double x = input_uniform(&seed, knots[0] - 1, knots[LAST] + 1), h = 1e-4;
            bool near = false; // third derivatives jump at knots
            for (int k = 0; k <= LAST; k++)
                near = near || fabs(x - knots[k]) < 3 * h;
            if (near)
                continue;
            const double by_values = (value(&g, x - 2 * h) - value(&g, x + 2 * h) +
                                      8 * (value(&g, x + h) - value(&g, x - h))) /
                                     (12 * h);
            const double by_slopes = (slope(&g, x + h) - slope(&g, x - h)) / (2 * h);
            check_near("slope", x, slope(&g, x), by_values, 1e-10);
            check_near("second derivative", x, bending(&g, x), by_slopes, 1e-9);
        }
        drop(&g);
    }
}

// Held edges are continuous, their slope falls to 0 at once. The extended spline is continuous with
// its slope, and its second derivative is 0 outside.
static void test_outside(void **state)
{
    (void)state;
    graphs held = trace(false), extended = trace(true);
    for (int end = 0; end < 2; end++) {
        const double x = knots[end ? LAST : 0], out = nextafter(x, end ? INF : -INF);
        assert_true(value(&held, x) == sample_spline_y[end ? LAST : 0]);
        assert_true(value(&held, out) == value(&held, x));
        assert_true(slope(&held, out) == 0 && fabs(slope(&held, x)) > 0.1);
        check_near("value", x, value(&extended, out), value(&extended, x), 1e-14);
        check_near("slope", x, slope(&extended, out), slope(&extended, x), 1e-14);
        assert_true(bending(&extended, out) == 0);
        check_near("slope", x, slope(&extended, x + (end ? 7 : -7)), slope(&extended, x), 1e-14);
    }
    drop(&held);
    drop(&extended);
}

static void compare_emitted(const tac_graph *g, const char *output, const char *compile,
                            uint64_t *seed)
{
    char path[1000];
    snprintf(path, sizeof path, "%s", path_of("spline.c"));
    emit_file(g, NULL,
              &(tac__emit_options){.format = TAC__EMIT_c, .name = "f", .deterministic = true},
              path);
    void *library = compile_and_load(compile, path);
    emitted_call *f;
    find_symbol(library, "f", "", &f);
    for (int i = 0; i < 300; i++) {
        const double x = i <= LAST ? knots[i]
                         : i % 3   ? input_uniform(seed, -3, 5)
                                   : input_hostile(seed);
        const double unit = 1;
        double expected, got;
        evaluate(g, output, (const double *[]){&x, &unit}, &expected);
        double *results[] = {&got, &got, &got};
        assert_int_equal(f((const double *[]){&x, &unit}, results, NULL, NULL, 0), 0);
        if (!same_bits(got, expected))
            fail_msg("%s at %a: %a, emitted %a", output, x, expected, got);
    }
    dlclose(library);
}

static void test_emitted_code_has_the_same_bits(void **state)
{
    (void)state;
    static const char *const compilers[] = {"gcc -O0", "gcc -O3 -march=native",
                                            "clang -O2 -march=native"};
    uint64_t seed = 2;
    for (int extended = 0; extended < 2; extended++) {
        graphs g = trace(extended);
        for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++) {
            if (!has_compiler(i < 2 ? "gcc" : "clang"))
                continue;
            compare_emitted(g.value, "y", compilers[i], &seed);
            compare_emitted(g.forward, "fwd_y", compilers[i], &seed);
            compare_emitted(g.hessian, "hess", compilers[i], &seed);
        }
        drop(&g);
    }
}

TEST_MAIN(cmocka_unit_test(test_two_derivatives_are_continuous),
          cmocka_unit_test(test_ends_are_not_knots),
          cmocka_unit_test(test_derivatives_match_differences), cmocka_unit_test(test_outside),
          cmocka_unit_test(test_emitted_code_has_the_same_bits))
