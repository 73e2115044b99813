// Collocation: derivatives of the nonlinear program against differences, and problems whose
// solution is known, solved by IPOPT where it is installed.
#include "solve/collocation.h"
#include "base/random.h"
#include "solve/graph_function.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tac__arena arena;

static double uniform(uint64_t i)
{
    const tac__stream stream = tac__stream_make(11, "collocation");
    uint32_t words[4];
    tac__stream_words(&stream, i, words);
    return 2 * tac__uniform_of(words) - 1;
}

// --- derivatives --------------------------------------------------------------------------------

// Two states, one input, time; a constraint of the path and a cost. Inputs are x, y, u, t.
static tac_status crooked(void *context, const double *z, double *y)
{
    (void)context;
    y[0] = z[1] * cos(z[3]) + z[2] * z[2];
    y[1] = -z[0] * z[1] + z[3] * z[2];
    y[2] = z[0] * z[2] * z[2];
    y[3] = z[0] * z[0] + z[2] * z[2] * z[3];
    return TAC_OK;
}

static const int32_t crooked_rows[] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 3};
static const int32_t crooked_columns[] = {1, 2, 3, 0, 1, 2, 3, 0, 2, 0, 2, 3};

static tac_status crooked_jacobian(void *context, const double *z, double *v)
{
    (void)context;
    const double values[] = {
        cos(z[3]), 2 * z[2],    -z[1] * sin(z[3]), -z[1],    -z[0],           z[3],
        z[2],      z[2] * z[2], 2 * z[0] * z[2],   2 * z[0], 2 * z[2] * z[3], z[2] * z[2]};
    memcpy(v, values, sizeof values);
    return TAC_OK;
}

static const int32_t curved_rows[] = {0, 1, 2, 2, 3, 3, 3};
static const int32_t curved_columns[] = {0, 0, 0, 2, 1, 2, 3};

static tac_status crooked_hessian(void *context, const double *z, const double *w, double *v)
{
    (void)context;
    const double values[] = {2 * w[3],
                             -w[1],
                             2 * z[2] * w[2],
                             2 * w[0] + 2 * z[0] * w[2] + 2 * z[3] * w[3],
                             -sin(z[3]) * w[0],
                             w[1] + 2 * z[2] * w[3],
                             -z[1] * cos(z[3]) * w[0]};
    memcpy(v, values, sizeof values);
    return TAC_OK;
}

// At an end: x y t.
static tac_status ending(void *context, const double *z, double *y)
{
    (void)context;
    y[0] = z[0] * z[1] * z[3];
    return TAC_OK;
}

static tac_status ending_jacobian(void *context, const double *z, double *v)
{
    (void)context;
    v[0] = z[1] * z[3];
    v[1] = z[0] * z[3];
    v[2] = z[0] * z[1];
    return TAC_OK;
}

static tac_status ending_hessian(void *context, const double *z, const double *w, double *v)
{
    (void)context;
    v[0] = z[3] * w[0];
    v[1] = z[1] * w[0];
    v[2] = z[0] * w[0];
    return TAC_OK;
}

static const int32_t zeros[] = {0, 0, 0, 0}, ending_columns[] = {0, 1, 3};
static const int32_t ending_h_rows[] = {1, 3, 3}, ending_h_columns[] = {0, 0, 1};

static const tac__solve_function crooked_function = {4,
                                                     4,
                                                     NULL,
                                                     crooked,
                                                     {crooked_rows, crooked_columns, 12},
                                                     crooked_jacobian,
                                                     {curved_rows, curved_columns, 7},
                                                     crooked_hessian};
static const tac__solve_function ending_function = {4,
                                                    1,
                                                    NULL,
                                                    ending,
                                                    {zeros, ending_columns, 3},
                                                    ending_jacobian,
                                                    {ending_h_rows, ending_h_columns, 3},
                                                    ending_hessian};

static const double low[] = {-10, -10}, high[] = {10, 10}, none[] = {0, 0}, one[] = {1, 1};

static tac__phase_def crooked_phase(size_t intervals)
{
    return (tac__phase_def){.intervals = intervals,
                            .point = &crooked_function,
                            .paths = 1,
                            .cost = true,
                            .path_lower = low,
                            .path_upper = high,
                            .start = {&ending_function, low, high},
                            .end = {&ending_function, low, high},
                            .least_s = 0.1,
                            .most_s = 10,
                            .guess_s = 1.7,
                            .x_lower = low,
                            .x_upper = high,
                            .u_lower = low,
                            .u_upper = high,
                            .x_begin = none,
                            .x_end = one,
                            .u_guess = one};
}

static void near(double got, double wanted, double tolerance, const char *what, size_t i, size_t j)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%s %zu, %zu: %.12g, expected %.12g", what, i, j, got, wanted);
}

// The Lagrangian's gradient, for differences.
static void lagrangian(const tac__nlp *nlp, const double *z, double factor, const double *lambda,
                       double *values, double *sum)
{
    assert_true(nlp->gradient(nlp->context, z, sum));
    for (size_t i = 0; i < nlp->n; i++)
        sum[i] *= factor;
    assert_true(nlp->jacobian(nlp->context, z, values));
    for (size_t k = 0; k < nlp->jacobian_pattern.count; k++)
        sum[nlp->jacobian_pattern.columns[k]] += lambda[nlp->jacobian_pattern.rows[k]] * values[k];
}

static void dense(const tac__sparsity *p, const double *values, size_t rows, double *to)
{
    for (size_t k = 0; k < p->count; k++)
        to[(size_t)p->columns[k] * rows + (size_t)p->rows[k]] += values[k];
}

static void check_derivatives(bool linear, double smoothing, const double *mesh)
{
    tac__phase_def phases[] = {crooked_phase(2), crooked_phase(3)};
    phases[1].mesh = mesh;
    const tac__collocation_def def = {.states = 2,
                                      .inputs = 1,
                                      .phase_count = 2,
                                      .phases = phases,
                                      .x_scale = one,
                                      .u_scale = one,
                                      .t_scale = 1,
                                      .first_lower = low,
                                      .first_upper = high,
                                      .t_s = 0.3,
                                      .objective = &ending_function,
                                      .objective_scale = 1,
                                      .linear = linear,
                                      .smoothing = smoothing};
    tac__collocation *c;
    assert_int_equal(tac__collocation_make(&def, &arena, &c, NULL), TAC_OK);
    const tac__nlp *nlp = tac__collocation_nlp(c);
    const size_t n = nlp->n, m = nlp->m;
    double *z = tac__collocation_guess(c);
    double *memory = tac__arena_array(&arena,
                                      4 * n + 3 * m + nlp->jacobian_pattern.count +
                                          nlp->hessian_pattern.count + n * (n + m),
                                      sizeof *memory);
    double *lambda = memory, *g[2] = {lambda + m, lambda + 2 * m},
           *sum[2] = {g[1] + m, g[1] + m + n};
    double *gradient = sum[1] + n, *values = gradient + n,
           *curves = values + nlp->jacobian_pattern.count, *a = curves + nlp->hessian_pattern.count,
           *h = a + n * m;
    for (size_t i = 0; i < n; i++)
        z[i] += 0.3 * uniform(i);
    for (size_t i = 0; i < m; i++)
        lambda[i] = uniform(1000 + i);
    assert_true(nlp->gradient(nlp->context, z, gradient));
    assert_true(nlp->jacobian(nlp->context, z, values));
    dense(&nlp->jacobian_pattern, values, m, a);
    assert_true(nlp->hessian(nlp->context, z, 0.7, lambda, curves));
    dense(&nlp->hessian_pattern, curves, n, h);
    for (size_t j = 0; j < n; j++) {
        const double middle = z[j], step = 1e-5;
        double f[2];
        for (int side = 0; side < 2; side++) {
            z[j] = middle + (side ? step : -step);
            assert_true(nlp->objective(nlp->context, z, &f[side]));
            assert_true(nlp->constraints(nlp->context, z, g[side]));
            lagrangian(nlp, z, 0.7, lambda, values, sum[side]);
        }
        z[j] = middle;
        near(gradient[j], (f[1] - f[0]) / (2 * step), 1e-8, "gradient", j, 0);
        for (size_t i = 0; i < m; i++)
            near(a[j * m + i], (g[1][i] - g[0][i]) / (2 * step), 1e-8, "Jacobian", i, j);
        for (size_t i = j; i < n; i++)
            near(h[j * n + i], (sum[1][i] - sum[0][i]) / (2 * step), 1e-8, "Hessian", i, j);
        for (size_t i = 0; i < j; i++)
            near(h[j * n + i], 0, 0, "upper triangle", i, j);
    }
}

static const double uneven[] = {0, 0.1, 0.35, 1};

static void test_derivatives(void **state)
{
    (void)state;
    check_derivatives(false, 0, NULL);
    check_derivatives(false, 0.3, uneven);
    check_derivatives(true, 0, uneven);
    check_derivatives(true, 0.3, NULL);
}

// A trajectory on other intervals is the same one; what smoothing costs has a closed form.
static void test_intervals(void **state)
{
    (void)state;
    tac__phase_def phase = crooked_phase(1);
    phase.least_s = phase.most_s = phase.guess_s = 2;
    tac__collocation_def def = {.states = 2,
                                .inputs = 1,
                                .phase_count = 1,
                                .phases = &phase,
                                .x_scale = one,
                                .u_scale = one,
                                .t_scale = 1,
                                .first_lower = low,
                                .first_upper = high,
                                .smoothing = 0.5};
    tac__collocation *c, *fine;
    assert_int_equal(tac__collocation_make(&def, &arena, &c, NULL), TAC_OK);
    double *z = tac__collocation_guess(c);
    for (size_t i = 0; i < 3; i++) // u = 1 + 2 s - 3 s^2
        z[2 + 3 * i + 2] = 1 + (double)i - 0.75 * (double)(i * i);
    tac__phase_def finer = phase;
    finer.intervals = 3;
    finer.mesh = uneven;
    def.phases = &finer;
    assert_int_equal(tac__collocation_make(&def, &arena, &fine, NULL), TAC_OK);
    tac__collocation_take(fine, c, z);
    const double *taken = tac__collocation_guess(fine);
    for (size_t i = 0; i <= 40; i++) {
        const double t = 0.05 * (double)i, s = t / 2;
        double was[3], is[3];
        tac__phase_at(c, z, 0, t, was, was + 2);
        tac__phase_at(fine, taken, 0, t, is, is + 2);
        near(was[2], 1 + 2 * s - 3 * s * s, 1e-14, "input", i, 0);
        near(is[2], was[2], 1e-14, "input on finer intervals", i, 0);
    }
    for (size_t i = 0; i <= 6; i++) {
        double x[2];
        near(tac__phase_part(fine, 0, i),
             i % 2 ? (uneven[i / 2] + uneven[i / 2 + 1]) / 2 : uneven[i / 2], 0, "part", i, 0);
        tac__phase_at(c, z, 0, 2 * tac__phase_part(fine, 0, i), x, NULL);
        near(tac__phase_point(fine, taken, 0, i)[0], x[0], 1e-14, "state", i, 0);
        near(tac__phase_point(fine, taken, 0, i)[1], x[1], 1e-14, "state", i, 1);
    }
    // The integral of (2 - 6 s)^2 is 4.
    near(tac__collocation_roughness(c, z), 0.5 * 4, 1e-13, "roughness", 0, 0);
    near(tac__collocation_roughness(fine, taken), 0.5 * 4, 1e-13, "roughness", 1, 0);
}

// --- problems with a known solution -------------------------------------------------------------

// Position, velocity; acceleration; time.
static tac_status cart(void *context, const double *z, double *y)
{
    (void)context;
    y[0] = z[1];
    y[1] = z[2];
    return TAC_OK;
}

static tac_status cart_jacobian(void *context, const double *z, double *v)
{
    (void)context, (void)z;
    v[0] = v[1] = 1;
    return TAC_OK;
}

static tac_status straight(void *context, const double *z, const double *w, double *v)
{
    (void)context, (void)z, (void)w, (void)v;
    return TAC_OK;
}

static tac_status where(void *context, const double *z, double *y)
{
    (void)context;
    y[0] = z[0];
    y[1] = z[1];
    return TAC_OK;
}

static tac_status when(void *context, const double *z, double *y)
{
    (void)context;
    y[0] = z[3];
    return TAC_OK;
}

static tac_status one_slope(void *context, const double *z, double *v)
{
    (void)context, (void)z;
    v[0] = 1;
    return TAC_OK;
}

static const int32_t cart_rows[] = {0, 1}, cart_columns[] = {1, 2}, where_columns[] = {0, 1},
                     when_columns[] = {3};
static const tac__solve_function cart_function = {
    4, 2, NULL, cart, {cart_rows, cart_columns, 2}, cart_jacobian, {0}, straight};
static const tac__solve_function where_function = {
    4, 2, NULL, where, {cart_rows, where_columns, 2}, cart_jacobian, {0}, straight};
static const tac__solve_function when_function = {
    4, 1, NULL, when, {zeros, when_columns, 1}, one_slope, {0}, straight};

// From rest at 0 to rest at d in the least time with |a| <= 2: 2 sqrt(d/a). Linear inputs, which
// cannot jump from one bound to the other, take a little longer.
static void find_minimum_time(bool linear, size_t intervals, double *time_s)
{
    if (!tac__ipopt_exists()) {
        print_message("IPOPT is not installed: skipped\n");
        skip();
    }
    const double d = 3, a = 2, goal[] = {d, 0}, least[] = {-a}, most[] = {a};
    const tac__phase_def phase = {.intervals = intervals,
                                  .point = &cart_function,
                                  .end = {&where_function, goal, goal},
                                  .least_s = 0.1,
                                  .most_s = 100,
                                  .guess_s = 1,
                                  .x_lower = low,
                                  .x_upper = high,
                                  .u_lower = least,
                                  .u_upper = most,
                                  .x_begin = none,
                                  .x_end = goal,
                                  .u_guess = none};
    const tac__collocation_def def = {.states = 2,
                                      .inputs = 1,
                                      .phase_count = 1,
                                      .phases = &phase,
                                      .x_scale = one,
                                      .u_scale = one,
                                      .t_scale = 1,
                                      .first_lower = none,
                                      .first_upper = none,
                                      .objective = &when_function,
                                      .objective_scale = 1,
                                      .linear = linear};
    tac__collocation *c;
    assert_int_equal(tac__collocation_make(&def, &arena, &c, NULL), TAC_OK);
    double *z = tac__collocation_guess(c);
    const tac__nlp_options options = {.tolerance = 1e-9, .iterations = 200};
    tac__nlp_result r;
    tac_error err;
    tac_error_clear(&err);
    if (tac__ipopt_solve(tac__collocation_nlp(c), &options, &arena, z, &r, &err) != TAC_OK)
        fail_msg("%s", err.text);
    assert_true(r.solved);
    *time_s = r.objective;
    if (!linear)
        near(r.objective, 2 * sqrt(d / a), 1e-6, "time", 0, 0);
    near(tac__phase_duration(c, z, 0), r.objective, 1e-9, "duration", 0, 0);
    // Full acceleration, then full braking: the interpolation is the closed form.
    double x[2], u[1];
    tac__phase_at(c, z, 0, 0.3, x, u);
    near(x[0], 0.5 * a * 0.09, 1e-5, "position", 0, 0);
    near(u[0], a, 1e-5, "acceleration", 0, 0);
    assert_true(tac__phase_error(c, z, 0) < 1e-2);
    // Between the points of linear inputs the bounds hold, too.
    for (size_t i = 0; linear && i <= 1000; i++) {
        tac__phase_at(c, z, 0, r.objective * (double)i / 1000, NULL, u);
        assert_true(fabs(u[0]) <= a * (1 + 1e-7));
    }
}

static void test_minimum_time(void **state)
{
    (void)state;
    double time_s;
    find_minimum_time(false, 20, &time_s);
}

static void test_linear_inputs(void **state)
{
    (void)state;
    const double exact = 2 * sqrt(3 / 2.0);
    double coarse, fine;
    find_minimum_time(true, 20, &coarse);
    find_minimum_time(true, 40, &fine);
    // They lose a part of one or two intervals, so less with shorter ones.
    assert_true(coarse > exact && fine > exact);
    assert_true(coarse - exact < exact / 20 && fine - exact < 0.6 * (coarse - exact));
}

// Goddard's rocket: the greatest altitude with a drag that falls with it; thrust first at its
// limit, then along a singular arc, then none. Normalised as usual: the altitude is 1.01283 where
// the mass has fallen from 1 to 0.6.
static int32_t op(tac__terms *pool, tac__sym_op o, int32_t a, int32_t b)
{
    return tac__term_make(pool, o, a, b, b);
}

static tac__graph_function *make(tac_graph **graph, const tac_graph *like, const int32_t *inputs,
                                 const int32_t *terms, size_t count)
{
    tac__graph_function *f = NULL;
    const double *const values[] = {NULL};
    if (tac__graph_create(tac_allocator_default(), "rocket", false, like, graph, NULL) != TAC_OK ||
        !tac__graph_add_input(*graph, "z", 5, inputs) ||
        !tac__graph_add_output(*graph, "y", count, terms) ||
        tac__graph_function_make(*graph, "y", "z", values, true, &arena, &f, NULL) != TAC_OK)
        fail();
    return f;
}

// Inputs: altitude, velocity, mass, thrust, time.
static void rocket_terms(tac__terms *p, const int32_t *z, int32_t *rates)
{
    const int32_t h = z[0], v = z[1], m = z[2], thrust = z[3];
    const int32_t depth = op(p, TAC__SYM_mul, tac__term_constant(p, -500),
                             op(p, TAC__SYM_sub, h, tac__term_constant(p, 1)));
    const int32_t air = op(p, TAC__SYM_exp, depth, depth);
    const int32_t drag = op(p, TAC__SYM_mul, op(p, TAC__SYM_mul, tac__term_constant(p, 310), air),
                            op(p, TAC__SYM_mul, v, v));
    const int32_t gravity =
        op(p, TAC__SYM_div, tac__term_constant(p, 1), op(p, TAC__SYM_mul, h, h));
    rates[0] = v;
    rates[1] =
        op(p, TAC__SYM_sub, op(p, TAC__SYM_div, op(p, TAC__SYM_sub, thrust, drag), m), gravity);
    rates[2] = op(p, TAC__SYM_mul, tac__term_constant(p, -2), thrust); // c = 0.5
}

static void test_goddard(void **state)
{
    (void)state;
    if (!tac__ipopt_exists()) {
        print_message("IPOPT is not installed: skipped\n");
        skip();
    }
    tac_graph *whole, *graphs[3];
    assert_int_equal(tac__graph_create(tac_allocator_default(), "all", false, NULL, &whole, NULL),
                     TAC_OK);
    tac__terms *pool = tac__graph_pool(whole);
    int32_t z[5], rates[3];
    memcpy(z, tac__graph_add_input(whole, "z", 5, NULL)->terms, sizeof z);
    rocket_terms(pool, z, rates);
    const int32_t negative = op(pool, TAC__SYM_neg, z[0], z[0]);
    tac__graph_function *point = make(&graphs[0], whole, z, rates, 3);
    tac__graph_function *mass = make(&graphs[1], whole, z, &z[2], 1);
    tac__graph_function *height = make(&graphs[2], whole, z, &negative, 1);
    const double empty[] = {0.6}, lowest[] = {1, 0, 0.6}, highest[] = {2, 1, 1};
    const double start[] = {1, 0, 1}, burnt[] = {1.005, 0.1, 0.6}, top[] = {1.013, 0, 0.6};
    const double zero[] = {0}, full[] = {3.5}, sizes[] = {0.01, 0.1, 0.3};
    tac__phase_def phases[2] = {{.intervals = 40,
                                 .point = tac__graph_function_of(point),
                                 .end = {tac__graph_function_of(mass), empty, empty},
                                 .least_s = 0.01,
                                 .most_s = 1,
                                 .guess_s = 0.1,
                                 .x_lower = lowest,
                                 .x_upper = highest,
                                 .u_lower = zero,
                                 .u_upper = full,
                                 .x_begin = start,
                                 .x_end = burnt,
                                 .u_guess = one}};
    phases[1] = phases[0]; // coasting
    phases[1].intervals = 10;
    phases[1].end.function = NULL;
    phases[1].u_upper = phases[1].u_guess = zero;
    phases[1].x_begin = burnt;
    phases[1].x_end = top;
    const tac__collocation_def def = {.states = 3,
                                      .inputs = 1,
                                      .phase_count = 2,
                                      .phases = phases,
                                      .x_scale = sizes,
                                      .u_scale = one,
                                      .t_scale = 0.2,
                                      .first_lower = start,
                                      .first_upper = start,
                                      .objective = tac__graph_function_of(height),
                                      .objective_scale = 0.01};
    tac__collocation *c;
    assert_int_equal(tac__collocation_make(&def, &arena, &c, NULL), TAC_OK);
    double *solution = tac__collocation_guess(c);
    const tac__nlp_options options = {.tolerance = 1e-8, .iterations = 300};
    tac__nlp_result r;
    assert_int_equal(
        tac__ipopt_solve(tac__collocation_nlp(c), &options, &arena, solution, &r, NULL), TAC_OK);
    assert_true(r.solved);
    near(-r.objective, 1.01283, 1e-5, "altitude", 0, 0);
    near(tac__phase_point(c, solution, 1, 20)[2], 0.6, 1e-8, "mass", 0, 0);
    // What is left of the velocity v would give v^2/2 more altitude.
    near(tac__phase_point(c, solution, 1, 20)[1], 0, 1e-4, "velocity at the top", 0, 0);
    near(tac__phase_point(c, solution, 0, 1)[3], 3.5, 1e-4, "thrust at the start", 0, 0);
    tac__graph_function_destroy(point);
    tac__graph_function_destroy(mass);
    tac__graph_function_destroy(height);
    for (int i = 0; i < 3; i++)
        tac__graph_destroy(graphs[i]);
    tac__graph_destroy(whole);
}

static int begin(void **state)
{
    (void)state;
    tac__arena_init(&arena, tac_allocator_default());
    return 0;
}

static int end(void **state)
{
    (void)state;
    tac__arena_fini(&arena);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

TEST_MAIN(TEST(test_derivatives), TEST(test_intervals), TEST(test_minimum_time),
          TEST(test_linear_inputs), TEST(test_goddard))
