// Emitted C gives the bits of the graph, whatever it is compiled with, and follows the calling
// convention of CasADi. tests/graph/once/casadi_client.py asks CasADi itself.
#include "graph/emitted.h"
#include "graph/derive.h"
#include "graph/draw.h"

#include <tactus/graph.h>
#include <tactus/math.h>

// With what a careless user writes, too. Random loops have variables that nothing reads.
#define STRICT " -std=c99 -pedantic -Wall -Wextra -Werror -Wno-unused-but-set-variable "

typedef struct way {
    const char *compile;
    size_t part_lines;
} way;

static const way ways[] = {
    {"gcc -O0" STRICT, 0},  {"gcc -O3 -march=native -ffp-contract=fast", 0},
    {"gcc -O1" STRICT, 60}, {"clang -O3 -march=native -ffp-contract=fast" STRICT, 0},
    {"g++ -x c++ -O2", 90},
};
enum { WAYS = sizeof ways / sizeof *ways, SAMPLES = 120 };

static bool is_there(const char *compile)
{
    char name[20] = {0};
    memcpy(name, compile, strcspn(compile, " "));
    return has_compiler(name);
}

// --- values of random graphs --------------------------------------------------------------------

typedef struct sample {
    double in[DRAW_INPUTS];
    unsigned out;          // bits of what is left out: two inputs, two outputs
    double expected[2][4]; // outputs
} sample;

static void draw_sample(const tac_graph *g, int i, uint64_t *seed, sample *s)
{
    const tac__terms *pool = tac__graph_pool(g);
    double *v = calloc(pool->count, sizeof *v), given[DRAW_INPUTS];
    s->out = i % 4 ? 0 : (unsigned)(i / 4) % 16;
    for (int k = 0; k < DRAW_INPUTS; k++) {
        s->in[k] = i % 3 ? input_uniform(seed, -3, 3) : input_hostile(seed);
        given[k] = (s->out >> (k / 3)) & 1 ? 0 : s->in[k];
    }
    values_of_terms(pool, given, v);
    for (size_t k = 0; k < 8; k++)
        s->expected[k / 4][k % 4] = v[g->out[k / 4].terms[k % 4]];
    free(v);
}

static void compare(emitted_call *f, double *w, const sample *s)
{
    double results[2][4];
    const double *arg[2] = {s->out & 1 ? NULL : s->in, s->out & 2 ? NULL : s->in + 3};
    double *res[2] = {s->out & 4 ? NULL : results[0], s->out & 8 ? NULL : results[1]};
    assert_int_equal(f(arg, res, NULL, w, 0), 0);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; res[k] && i < 4; i++) {
            if (!same_bits(res[k][i], s->expected[k][i]))
                fail_msg("output %d[%d]: %a instead of %a", k, i, res[k][i], s->expected[k][i]);
        }
    }
}

static void compare_library(void *library, bool parts, const sample *samples)
{
    emitted_call *f;
    emitted_work *work;
    long long arg, res, iw, words;
    find_symbol(library, "f", "", &f);
    find_symbol(library, "f", "_work", &work);
    assert_int_equal(work(&arg, &res, &iw, &words), 0);
    assert_true(arg == 2 && res == 2 && iw == 0 && parts == (words > 0));
    double *w = words ? malloc((size_t)words * sizeof *w) : NULL;
    for (int i = 0; i < SAMPLES; i++)
        compare(f, w, &samples[i]);
    free(w);
}

static void test_bits_of_random_graphs(void **state)
{
    (void)state;
    static const int sizes[] = {60, 250};
    static sample samples[SAMPLES];
    uint64_t seed = 11;
    for (int n = 0; n < 2; n++) {
        tac_graph *g = draw_graph((uint64_t)n + 3, sizes[n]);
        for (int i = 0; i < SAMPLES; i++)
            draw_sample(g, i, &seed, &samples[i]);
        for (int k = 0; k < WAYS; k++) {
            char path[1000];
            snprintf(path, sizeof path, "%s", path_of("drawn.c"));
            if (!is_there(ways[k].compile))
                continue;
            emit_file(g, NULL,
                      &(tac__emit_options){.format = TAC__EMIT_c,
                                           .name = "f",
                                           .deterministic = true,
                                           .part_lines = ways[k].part_lines},
                      path);
            void *library = compile_and_load(ways[k].compile, path);
            compare_library(library, ways[k].part_lines > 0, samples);
            dlclose(library);
        }
        tac__graph_destroy(g);
    }
}

// --- what compilers do to sums, and the ends of functions ----------------------------------------

static int32_t make(tac_graph *g, tac__sym_op op, int32_t a, int32_t b)
{
    return tac__term_make(tac__graph_pool(g), op, a, b, b);
}

enum { WIDE = 8, ENDS = 6, OUTPUTS = WIDE + 2 * ENDS };

// Neighbouring x * u + x' and x * u - x', which compilers fuse; exp and log1p at the ends of their
// ranges, where the versions of SLEEF differ.
static tac_graph *make_tempting(void)
{
    tac_graph *g;
    assert_int_equal(tac__graph_create(NULL, "tempting", false, NULL, &g, NULL), TAC_OK);
    const tac__group *group = tac__graph_add_input(g, "x", WIDE + ENDS, NULL);
    const int32_t *x = group->terms;
    group = tac__graph_add_input(g, "u", WIDE, NULL);
    const int32_t *u = group->terms;
    int32_t out[OUTPUTS];
    for (int i = 0; i < WIDE; i++)
        out[i] = make(g, i % 2 ? TAC__SYM_add : TAC__SYM_sub, make(g, TAC__SYM_mul, x[i], u[i]),
                      x[(i + 3) % WIDE]);
    for (int i = 0; i < ENDS; i++) {
        out[WIDE + i] = make(g, TAC__SYM_exp, x[WIDE + i], -1);
        out[WIDE + ENDS + i] = make(g, TAC__SYM_log1p, x[WIDE + i], -1);
    }
    assert_non_null(tac__graph_add_output(g, "y", OUTPUTS, out));
    return g;
}

static void test_nothing_is_fused(void **state)
{
    (void)state;
    static const double ends[ENDS] = {709.7827111, 709.7827115, 709.782712893, 1e307, 1.1e307, -1};
    tac_graph *g = make_tempting();
    char path[1000];
    snprintf(path, sizeof path, "%s", path_of("tempting.c"));
    emit_file(g, NULL,
              &(tac__emit_options){.format = TAC__EMIT_c, .name = "f", .deterministic = true},
              path);
    for (int k = 0; k < WAYS; k++) {
        if (!is_there(ways[k].compile))
            continue;
        emitted_call *f;
        void *library = compile_and_load(ways[k].compile, path);
        find_symbol(library, "f", "", &f);
        uint64_t seed = 5;
        for (int n = 0; n < 50; n++) {
            double in[2 * WIDE + ENDS], v[100] = {0}, y[OUTPUTS];
            for (int i = 0; i < 2 * WIDE + ENDS; i++)
                in[i] = i >= WIDE && i < WIDE + ENDS ? ends[i - WIDE] : input_uniform(&seed, -3, 3);
            values_of_terms(tac__graph_pool(g), in, v);
            assert_int_equal(
                f((const double *[]){in, in + WIDE + ENDS}, (double *[]){y}, NULL, NULL, 0), 0);
            for (int i = 0; i < OUTPUTS; i++) {
                if (!same_bits(y[i], v[g->out[0].terms[i]]))
                    fail_msg("%s: y[%d] is %a instead of %a", ways[k].compile, i, y[i],
                             v[g->out[0].terms[i]]);
            }
        }
        dlclose(library);
    }
    tac__graph_destroy(g);
}

#if defined(__x86_64__)
// For processors that this machine need not have; -std=gnu17 has half floats where they have them.
static void test_nothing_is_fused_for_others(void **state)
{
    (void)state;
    static const char *const compilers[] = {
        "gcc -O3 -std=gnu17 -ffp-contract=fast -march=sapphirerapids",
        "gcc -O3 -std=gnu17 -ffp-contract=fast -march=znver3",
        "clang -O3 -std=gnu17 -ffp-contract=fast -march=sapphirerapids",
    };
    tac_graph *g = make_tempting();
    char source[1000], command[3000];
    snprintf(source, sizeof source, "%s", path_of("others.c"));
    emit_file(g, NULL,
              &(tac__emit_options){.format = TAC__EMIT_c, .name = "f", .deterministic = true},
              source);
    for (size_t k = 0; k < sizeof compilers / sizeof *compilers; k++) {
        if (!is_there(compilers[k]))
            continue;
        snprintf(command, sizeof command, "%s -S %s -o %s.s", compilers[k], source, source);
        if (system(command) != 0)
            fail_msg("cannot be compiled: %s", command);
        snprintf(command, sizeof command, "! grep -E -m 1 'vfn?m(add|sub)' %s.s", source);
        if (system(command) != 0)
            fail_msg("%s fuses", compilers[k]);
    }
    tac__graph_destroy(g);
}
#endif

// --- parts of -ffast-math -----------------------------------------------------------------------

// (x + u) - u, x / u + u / u', x / 3, x + 0
static tac_graph *make_careless(void)
{
    tac_graph *g;
    assert_int_equal(tac__graph_create(NULL, "careless", false, NULL, &g, NULL), TAC_OK);
    const int32_t *x = tac__graph_add_input(g, "x", 3, NULL)->terms;
    tac__terms *pool = tac__graph_pool(g);
    const int32_t y[] = {
        make(g, TAC__SYM_sub, make(g, TAC__SYM_add, x[0], x[1]), x[1]),
        make(g, TAC__SYM_add, make(g, TAC__SYM_div, x[0], x[1]), make(g, TAC__SYM_div, x[2], x[1])),
        make(g, TAC__SYM_div, x[0], tac__term_constant(pool, 3)),
        make(g, TAC__SYM_add, x[2], tac__term_constant(pool, 0)),
    };
    assert_non_null(tac__graph_add_output(g, "y", 4, y));
    return g;
}

// clang has no macros for these parts; on x86 they change nothing.
static void check_careless_clang(const tac_graph *g, const char *path)
{
#if defined(__x86_64__)
    if (!has_compiler("clang"))
        return;
    void *library = compile_and_load("clang -O2 -fassociative-math -freciprocal-math "
                                     "-fno-signed-zeros -funsafe-math-optimizations "
                                     "-march=native -ffp-contract=fast" STRICT,
                                     path);
    emitted_call *f;
    find_symbol(library, "f", "", &f);
    const double x[3] = {5, 3e17, -0.0};
    double v[20], y[4];
    values_of_terms(tac__graph_pool(g), x, v);
    assert_int_equal(f((const double *[]){x}, (double *[]){y}, NULL, NULL, 0), 0);
    for (int i = 0; i < 4; i++) {
        if (!same_bits(y[i], v[g->out[0].terms[i]]))
            fail_msg("y[%d] is %a instead of %a", i, y[i], v[g->out[0].terms[i]]);
    }
    dlclose(library);
#else
    (void)g;
    (void)path;
#endif
}

static void test_parts_of_fast_math(void **state)
{
    (void)state;
    static const struct {
        const char *compile;
        bool refused;
    } calls[] = {
        {"gcc", false},
        {"gcc -ffast-math", true},
        {"gcc -Ofast", true},
        {"gcc -ffinite-math-only", true},
        {"gcc -funsafe-math-optimizations", true},
        {"gcc -fassociative-math -fno-signed-zeros -fno-trapping-math", true},
        {"gcc -freciprocal-math", true},
        {"gcc -fno-signed-zeros", true},
        {"gcc -fno-math-errno", false},
        {"clang", false},
        {"clang -ffast-math", true},
        {"clang -ffinite-math-only", true},
    };
    tac_graph *g = make_careless();
    char path[1000], command[3000];
    snprintf(path, sizeof path, "%s", path_of("careless.c"));
    emit_file(g, NULL,
              &(tac__emit_options){.format = TAC__EMIT_c, .name = "f", .deterministic = true},
              path);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (!is_there(calls[i].compile))
            continue;
        snprintf(command, sizeof command, "%s -fsyntax-only %s 2>%s.told", calls[i].compile, path,
                 path);
        if ((system(command) != 0) != calls[i].refused)
            fail_msg("%s: %s", calls[i].compile, calls[i].refused ? "accepted" : "refused");
        snprintf(command, sizeof command, "grep -q 'compile without' %s.told", path);
        assert_true((system(command) == 0) == calls[i].refused);
    }
    check_careless_clang(g, path);
    tac__graph_destroy(g);
}

// --- the convention -----------------------------------------------------------------------------

// y = (x0 * u0 + x1, sin(x1) * 2 + x2 * x2 * x2), z = select(x0 < u1, x0 * x2 / u1, 1)
static tac_graph *make_small(void)
{
    tac_graph *g;
    assert_int_equal(tac__graph_create(NULL, "small", false, NULL, &g, NULL), TAC_OK);
    const int32_t *x = tac__graph_add_input(g, "x", 3, NULL)->terms;
    const int32_t *u = tac__graph_add_input(g, "u", 2, NULL)->terms;
    tac__terms *pool = tac__graph_pool(g);
    const int32_t two = tac__term_constant(pool, 2), one = tac__term_constant(pool, 1);
    const int32_t y[] = {make(g, TAC__SYM_add, make(g, TAC__SYM_mul, x[0], u[0]), x[1]),
                         make(g, TAC__SYM_add,
                              make(g, TAC__SYM_mul, make(g, TAC__SYM_sin, x[1], -1), two),
                              make(g, TAC__SYM_mul, make(g, TAC__SYM_mul, x[2], x[2]), x[2]))};
    const int32_t quotient = make(g, TAC__SYM_div, make(g, TAC__SYM_mul, x[0], x[2]), u[1]);
    const int32_t z =
        tac__term_make(pool, TAC__SYM_select, make(g, TAC__SYM_lt, x[0], u[1]), quotient, one);
    assert_non_null(tac__graph_add_output(g, "y", 2, y));
    assert_non_null(tac__graph_add_output(g, "z", 1, &z));
    return g;
}

static tac_graph *jacobian_of(const tac_graph *g)
{
    tac_graph *j;
    tac_error err = {0};
    if (tac__graph_jacobian(g, NULL, NULL, &j, &err) != TAC_OK)
        fail_msg("%s", err.text);
    return j;
}

static void expect_name(void *library, const char *function, const char *suffix, long long i,
                        const char *expected)
{
    emitted_name *name;
    find_symbol(library, function, suffix, &name);
    if (expected)
        assert_string_equal(name(i), expected);
    else
        assert_null(name(i));
}

static void expect_pattern(void *library, const char *function, const char *suffix, long long i,
                           const long long *expected, size_t count)
{
    emitted_pattern *pattern;
    find_symbol(library, function, suffix, &pattern);
    if (memcmp(pattern(i), expected, count * sizeof *expected) != 0)
        fail_msg("%s%s(%lld) differs", function, suffix, i);
}
#define EXPECT_PATTERN(function, suffix, i, ...)                                                   \
    expect_pattern(library, function, suffix, i, (const long long[]){__VA_ARGS__},                 \
                   sizeof((const long long[]){__VA_ARGS__}) / sizeof(long long))

static long long count_of(void *library, const char *function, const char *suffix)
{
    emitted_count *count;
    find_symbol(library, function, suffix, &count);
    return count();
}

static void check_small(void *library)
{
    assert_int_equal(count_of(library, "f", "_n_in"), 2);
    assert_int_equal(count_of(library, "f", "_n_out"), 2);
    expect_name(library, "f", "_name_in", 1, "u");
    expect_name(library, "f", "_name_out", 1, "z");
    expect_name(library, "f", "_name_out", 2, NULL);
    EXPECT_PATTERN("f", "_sparsity_in", 0, 3, 1, 1);
    EXPECT_PATTERN("f", "_sparsity_out", 1, 1, 1, 1);
    assert_int_equal(count_of(library, "jac_f", "_n_in"), 4);
    assert_int_equal(count_of(library, "jac_f", "_n_out"), 4);
    expect_name(library, "jac_f", "_name_in", 3, "out_z");
    expect_name(library, "jac_f", "_name_out", 2, "jac_z_x");
    EXPECT_PATTERN("jac_f", "_sparsity_in", 2, 2, 1, 0, 0);
    EXPECT_PATTERN("jac_f", "_sparsity_out", 0, 2, 3, 0, 1, 3, 4, 0, 0, 1, 1);
    EXPECT_PATTERN("jac_f", "_sparsity_out", 1, 2, 2, 0, 1, 1, 0);
    EXPECT_PATTERN("jac_f", "_sparsity_out", 2, 1, 3, 0, 1, 1, 2, 0, 0);
    assert_int_equal(count_of(library, "jac_jac_f", "_n_in"), 8);
    assert_int_equal(count_of(library, "jac_jac_f", "_n_out"), 16);
    expect_name(library, "jac_jac_f", "_name_in", 5, "out_jac_y_u");
    expect_name(library, "jac_jac_f", "_name_out", 3, "jac_jac_y_x_out_z");
    // Of y by x, places counted column by column: (1, 1) is the second derivative of sin, (1, 2) of
    // the cube, (0, 0) is u0.
    EXPECT_PATTERN("jac_jac_f", "_sparsity_out", 0, 6, 3, 0, 0, 1, 2, 3, 5);
    EXPECT_PATTERN("jac_jac_f", "_sparsity_out", 1, 6, 2, 0, 1, 1, 0);
    EXPECT_PATTERN("jac_jac_f", "_sparsity_out", 3, 6, 1, 0, 0);
}

static void check_small_values(void *library)
{
    emitted_call *jacobian, *second;
    find_symbol(library, "jac_f", "", &jacobian);
    find_symbol(library, "jac_jac_f", "", &second);
    const double x[] = {0.5, 1.25, -2}, u[] = {4, 8};
    const double *arg[8] = {x, u};
    double y_x[4], y_u[1], z_x[2], y_x_x[2];
    double *res[16] = {y_x, y_u, z_x};
    assert_int_equal(jacobian(arg, res, NULL, NULL, 0), 0);
    const double expected[] = {u[0], 1, 2 * tac_cos(x[1]), 3 * x[2] * x[2]};
    for (int i = 0; i < 4; i++)
        assert_true(fabs(y_x[i] - expected[i]) < 1e-14);
    assert_true(y_u[0] == x[0] && z_x[0] == x[2] / u[1] && z_x[1] == x[0] / u[1]);
    memset(res, 0, sizeof res);
    res[0] = y_x_x;
    assert_int_equal(second(arg, res, NULL, NULL, 0), 0);
    assert_true(fabs(y_x_x[0] + 2 * tac_sin(x[1])) < 1e-14 && fabs(y_x_x[1] - 6 * x[2]) < 1e-14);
}

static void test_the_convention_of_casadi(void **state)
{
    (void)state;
    tac_graph *g = make_small(), *j = jacobian_of(g), *jj = jacobian_of(j);
    char path[1000];
    snprintf(path, sizeof path, "%s", path_of("small.c"));
    emit_file(g, j, &(tac__emit_options){.format = TAC__EMIT_c, .name = "f", .second = jj}, path);
    void *library = compile_and_load("gcc -O1" STRICT, path);
    check_small(library);
    check_small_values(library);
    dlclose(library);
    tac__graph_destroy(g);
    tac__graph_destroy(j);
    tac__graph_destroy(jj);
}

// --- second derivatives -------------------------------------------------------------------------

enum { SECOND = 7, ALL = 5 };

// The second derivatives of lam_y y + lam_z z of the small graph, by hand: columns and rows of the
// lower triangle are x and u, one behind the other.
static const int second_row[SECOND] = {2, 3, 4, 1, 2, 4, 4};
static const int second_column[SECOND] = {0, 0, 0, 1, 2, 2, 4};

static void second_by_hand(const double *x, const double *u, const double *lam_y, double lam_z,
                           double *entries)
{
    const double z = x[0] < u[1] ? lam_z : 0;
    const double expected[SECOND] = {
        z / u[1],
        lam_y[0],
        -z * x[2] / (u[1] * u[1]),
        -2 * lam_y[1] * tac_sin(x[1]),
        6 * lam_y[1] * x[2],
        -z * x[0] / (u[1] * u[1]),
        2 * z * x[0] * x[2] / (u[1] * u[1] * u[1]),
    };
    memcpy(entries, expected, sizeof expected);
}

static void check_close(const double *got, const double *expected, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(got[i] - expected[i]) <= 1e-14 * (1 + fabs(expected[i]))))
            fail_msg("%s: number %zu is %.17g, not %.17g", what, i, got[i], expected[i]);
    }
}

static void check_hessian_convention(void *library)
{
    assert_int_equal(count_of(library, "hess_f", "_n_in"), 4);
    assert_int_equal(count_of(library, "hess_f", "_n_out"), 1);
    expect_name(library, "hess_f", "_name_in", 1, "u");
    expect_name(library, "hess_f", "_name_in", 2, "lam_y");
    expect_name(library, "hess_f", "_name_in", 3, "lam_z");
    expect_name(library, "hess_f", "_name_out", 0, "hess");
    EXPECT_PATTERN("hess_f", "_sparsity_in", 2, 2, 1, 1);
    EXPECT_PATTERN("hess_f", "_sparsity_in", 3, 1, 1, 1);
    EXPECT_PATTERN("hess_f", "_sparsity_out", 0, ALL, ALL, 0, 3, 4, 6, 6, 7, 2, 3, 4, 1, 2, 4, 4);
}

static void *load_text(char *text, const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s", path_of(name));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    tac_text_free(text);
    return compile_and_load("gcc -O1" STRICT, path);
}

static void test_the_hessian_of_a_lagrangian(void **state)
{
    (void)state;
    tac_error err = {0};
    tac_graph *g = make_small(), *h;
    assert_int_equal(tac_graph_lagrangian(g, NULL, NULL, true, &h, &err), TAC_OK);
    tac_graph_emit_def def = tac_graph_emit_def_default();
    def.name = "f";
    def.hessian = h;
    def.deterministic = true;
    char *text;
    assert_int_equal(tac_graph_emit(g, &def, &text, &err), TAC_OK);
    void *library = load_text(text, "hessian.c");
    check_hessian_convention(library);
    emitted_call *hess;
    find_symbol(library, "hess_f", "", &hess);
    static const double points[][3] = {{0.5, 1.25, -2}, {9, -0.75, 1.5}}; // on both sides
    const double u[] = {4, 8}, lam_y[] = {1.5, -0.25}, lam_z = 3;
    for (size_t n = 0; n < sizeof points / sizeof *points; n++) {
        const double *in[] = {points[n], u, lam_y, &lam_z};
        double got[SECOND], expected[SECOND], interpreted[SECOND];
        assert_int_equal(hess(in, (double *[]){got}, NULL, NULL, 0), 0);
        second_by_hand(points[n], u, lam_y, lam_z, expected);
        check_close(got, expected, SECOND, "hess_f");
        assert_int_equal(tac_graph_evaluate(h, in, (double *[]){interpreted}, &err), TAC_OK);
        for (int i = 0; i < SECOND; i++)
            assert_true(same_bits(got[i], interpreted[i]));
        in[2] = NULL;
        assert_int_equal(hess(in, (double *[]){got}, NULL, NULL, 0), 0);
        second_by_hand(points[n], u, (const double[]){0, 0}, lam_z, expected);
        check_close(got, expected, SECOND, "hess_f without lam_y");
    }
    dlclose(library);
    tac_graph_destroy(h);
    tac_graph_destroy(g);
}

// What <tactus/graph.h> shows of derivatives, each against the closed form.
static void test_derivatives_of_programs(void **state)
{
    (void)state;
    tac_error err = {0};
    tac_graph *g = make_small(), *jvp, *vjp, *hessian;
    assert_int_equal(tac_graph_jvp(g, "y", "x", &jvp, &err), TAC_OK);
    assert_int_equal(tac_graph_vjp(g, NULL, "u", &vjp, &err), TAC_OK);
    assert_int_equal(tac_graph_hessian(g, "z", NULL, false, &hessian, &err), TAC_OK);
    const double x[] = {0.5, 1.25, -2}, u[] = {4, 8}, v[] = {3, -1, 0.5}, w[] = {7, 2}, lam_z = 5;
    double y[2], by_u[2], entries[2 * SECOND], expected[SECOND];

    assert_int_equal(tac_graph_find_in(jvp, "fwd_x"), 2);
    assert_string_equal(tac_graph_out(jvp, 0).name, "fwd_y");
    assert_int_equal(tac_graph_evaluate(jvp, (const double *[]){x, u, v}, (double *[]){y}, &err),
                     TAC_OK);
    check_close(
        y, (const double[]){u[0] * v[0] + v[1], 2 * tac_cos(x[1]) * v[1] + 3 * x[2] * x[2] * v[2]},
        2, "jvp");

    assert_int_equal(tac_graph_find_in(vjp, "adj_z"), 3);
    assert_string_equal(tac_graph_out(vjp, 0).name, "adj_u");
    assert_int_equal(
        tac_graph_evaluate(vjp, (const double *[]){x, u, w, &lam_z}, (double *[]){by_u}, &err),
        TAC_OK);
    check_close(by_u, (const double[]){x[0] * w[0], -lam_z * x[0] * x[2] / (u[1] * u[1])}, 2,
                "vjp");

    // Both triangles: the diagonal has one entry, the others two.
    const tac_graph_group hess = tac_graph_out(hessian, 0);
    assert_true(hess.rows == ALL && hess.columns == ALL && hess.count == 7);
    assert_int_equal(
        tac_graph_evaluate(hessian, (const double *[]){x, u}, (double *[]){entries}, &err), TAC_OK);
    second_by_hand(x, u, (const double[]){0, 0}, 1, expected);
    double full[ALL][ALL] = {{0}}, found[ALL][ALL] = {{0}};
    for (int i = 0; i < SECOND; i++)
        full[second_row[i]][second_column[i]] = full[second_column[i]][second_row[i]] = expected[i];
    for (size_t j = 0; j < ALL; j++) {
        for (int e = hess.starts[j]; e < hess.starts[j + 1]; e++)
            found[hess.row_of[e]][j] = entries[e];
    }
    check_close(&found[0][0], &full[0][0], (size_t)ALL * ALL, "hessian");

    tac_graph *made = g;
    assert_int_equal(tac_graph_jvp(g, "nothing", NULL, &made, &err), TAC_E_NAME);
    assert_null(made);
    tac_graph_destroy(hessian);
    tac_graph_destroy(vjp);
    tac_graph_destroy(jvp);
    tac_graph_destroy(g);
}

// Another pool numbers its terms in its own way.
static void test_derivatives_of_other_graphs_are_refused(void **state)
{
    (void)state;
    tac_error err = {0};
    tac_graph *g = make_small(), *other = make_small(), *h;
    assert_int_equal(tac_graph_lagrangian(other, NULL, NULL, true, &h, &err), TAC_OK);
    tac_graph_emit_def def = tac_graph_emit_def_default();
    def.hessian = h;
    char *text;
    assert_int_equal(tac_graph_emit(g, &def, &text, &err), TAC_E_CALLER);
    assert_non_null(strstr(err.text, "is not of 'small'"));
    assert_null(text);
    tac_graph *j = jacobian_of(g), *jj = jacobian_of(j);
    def.hessian = NULL;
    def.second = jj;
    assert_int_equal(tac_graph_emit(g, &def, &text, &err), TAC_E_CALLER);
    assert_non_null(strstr(err.text, "needs the first"));
    tac_graph_destroy(jj);
    tac_graph_destroy(j);
    tac_graph_destroy(h);
    tac_graph_destroy(other);
    tac_graph_destroy(g);
}

// --- Jacobians of random graphs -----------------------------------------------------------------

static void compare_jacobian(emitted_call *f, const tac_graph *j, const double *in)
{
    const tac__terms *pool = tac__graph_pool(j);
    double *v = calloc(pool->count, sizeof *v), got[4][4 * DRAW_INPUTS];
    values_of_terms(pool, in, v);
    assert_int_equal(f((const double *[]){in, in + 3, NULL, NULL},
                       (double *[]){got[0], got[1], got[2], got[3]}, NULL, NULL, 0),
                     0);
    for (size_t k = 0; k < j->out_count; k++) {
        for (size_t i = 0; i < j->out[k].count; i++) {
            if (!same_bits(got[k][i], v[j->out[k].terms[i]]))
                fail_msg("block %zu, entry %zu: %a instead of %a", k, i, got[k][i],
                         v[j->out[k].terms[i]]);
        }
    }
    free(v);
}

// Loops within loops have no derivative: such graphs are passed over.
static void test_jacobians_of_random_graphs(void **state)
{
    (void)state;
    int compared = 0, loops = 0;
    uint64_t seed = 2;
    for (int n = 0; compared < 3; n++) {
        tac_graph *g = draw_graph((uint64_t)n, 40), *j;
        loops += (int)tac__graph_pool(g)->loop_count;
        if (tac__graph_jacobian(g, NULL, NULL, &j, NULL) == TAC_OK) {
            char path[1000];
            snprintf(path, sizeof path, "%s", path_of("jacobian.c"));
            emit_file(
                g, j,
                &(tac__emit_options){.format = TAC__EMIT_c, .name = "f", .deterministic = true},
                path);
            void *library = compile_and_load("gcc -O3 -march=native", path);
            emitted_call *f;
            find_symbol(library, "jac_f", "", &f);
            for (int i = 0; i < 50; i++) {
                double in[DRAW_INPUTS];
                for (int k = 0; k < DRAW_INPUTS; k++)
                    in[k] = i % 3 ? input_uniform(&seed, -3, 3) : input_hostile(&seed);
                compare_jacobian(f, j, in);
            }
            dlclose(library);
            compared++;
        }
        tac__graph_destroy(j);
        tac__graph_destroy(g);
    }
    assert_true(loops > 0);
}

TEST_MAIN(cmocka_unit_test(test_bits_of_random_graphs), cmocka_unit_test(test_nothing_is_fused),
#if defined(__x86_64__)
          cmocka_unit_test(test_nothing_is_fused_for_others),
#endif
          cmocka_unit_test(test_parts_of_fast_math),
          cmocka_unit_test(test_the_convention_of_casadi),
          cmocka_unit_test(test_the_hessian_of_a_lagrangian),
          cmocka_unit_test(test_derivatives_of_programs),
          cmocka_unit_test(test_derivatives_of_other_graphs_are_refused),
          cmocka_unit_test(test_jacobians_of_random_graphs))
