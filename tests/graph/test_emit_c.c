// Emitted C gives the bits of the graph, whatever it is compiled with, and follows the calling
// convention of CasADi. tests/graph/once/casadi.py asks CasADi itself.
#include "graph/emitted.h"
#include "graph/draw.h"

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

TEST_MAIN(cmocka_unit_test(test_bits_of_random_graphs), cmocka_unit_test(test_nothing_is_fused))
