// What `tactus graph --emit c` writes with each of its options, compiled and called: the bits of
// the interpreter.
#include "engine/test_rig.h"
#include "graph/emitted.h"
#include "math/inputs.h"

#include <math.h>
#include <tactus/graph.h>

enum { SAMPLES = 20, GROUPS = 64, SETS = 2 };

typedef struct job {
    const char *example, *options;
    const char *sets[SETS];
    tac_graph_def def;
    bool step, derivatives;
} job;

static size_t set_count(const job *j)
{
    size_t count = 0;
    while (count < SETS && j->sets[count])
        count++;
    return count;
}

static void *emit_and_load(const job *j, const char *name)
{
    char path[500], command[3000], sets[500] = "";
    for (size_t i = 0; i < set_count(j); i++)
        snprintf(sets + strlen(sets), sizeof sets - strlen(sets), " --set '%s'", j->sets[i]);
    snprintf(path, sizeof path, "%s", path_of(name));
    snprintf(command, sizeof command, "%s graph %s/examples/%s%s %s --emit c --name f -o %s",
             getenv("TACTUS"), getenv("TACTUS_SOURCE"), j->example, sets, j->options, path);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
    return compile_and_load("gcc -O0", path);
}

// --- values -------------------------------------------------------------------------------------

static double *room(size_t count)
{
    double *values = calloc(count + 1, sizeof *values);
    assert_non_null(values);
    return values;
}

// Inputs of C that the graph lacks are not read, and outputs of C that the graph lacks have no
// numbers. A Jacobian in C has a block for each output and each of `width` inputs of what it is the
// Jacobian of, of which the graph has the first `blocks`; else both are 1.
typedef struct layout {
    size_t ins, outs, width, blocks;
} layout;

static void compare(void *library, const char *name, tac_graph *g, layout c)
{
    emitted_call *call;
    emitted_work *work;
    long long args, results, iw, words;
    find_symbol(library, name, "", &call);
    find_symbol(library, name, "_work", &work);
    assert_int_equal(work(&args, &results, &iw, &words), 0);
    const size_t ins = tac_graph_in_count(g), outs = tac_graph_out_count(g);
    assert_true((size_t)args == c.ins && (size_t)results == c.outs);
    assert_true(ins <= c.ins && outs <= c.outs && c.ins <= GROUPS && c.outs <= GROUPS);
    const double *arg[GROUPS] = {NULL};
    double *res[GROUPS] = {NULL};
    double *in[GROUPS], *got[GROUPS], *expected[GROUPS], *w = room((size_t)words);
    size_t numbers = 0, told = 0;
    for (size_t i = 0; i < ins; i++)
        arg[i] = in[i] = room(tac_graph_in(g, i).count);
    for (size_t i = 0; i < outs; i++) {
        got[i] = res[i / c.blocks * c.width + i % c.blocks] = room(tac_graph_out(g, i).count);
        expected[i] = room(tac_graph_out(g, i).count);
    }
    uint64_t seed = 9;
    for (int n = 0; n < SAMPLES; n++) {
        for (size_t i = 0; i < ins; i++) {
            for (size_t k = 0; k < tac_graph_in(g, i).count; k++)
                in[i][k] = input_uniform(&seed, 0.1, 1.1);
        }
        tac_error err = {0};
        assert_int_equal(call(arg, res, NULL, w, 0), 0);
        assert_int_equal(tac_graph_evaluate(g, arg, expected, &err), TAC_OK);
        for (size_t i = 0; i < outs; i++) {
            const tac_graph_group group = tac_graph_out(g, i);
            for (size_t k = 0; k < group.count; k++) {
                numbers++;
                told += isfinite(expected[i][k]) && expected[i][k] != 0;
                if (!same_bits(got[i][k], expected[i][k]))
                    fail_msg("%s of %s: %s[%zu] is %a instead of %a", name, tac_graph_name(g),
                             group.name, k, got[i][k], expected[i][k]);
            }
        }
    }
    print_message("%s of %s: %zu numbers, %zu of them finite and not 0\n", name, tac_graph_name(g),
                  numbers, told);
    assert_true(told > numbers / 4);
    for (size_t i = 0; i < ins; i++)
        free(in[i]);
    for (size_t i = 0; i < outs; i++) {
        free(got[i]);
        free(expected[i]);
    }
    free(w);
}

static void check(const job *j)
{
    void *library = emit_and_load(j, "f.c");
    rig r;
    rig_example(&r, j->example, NULL, j->sets, set_count(j));
    tac_graph *g;
    tac_graph_def def = j->def;
    def.size = sizeof def;
    if ((j->step ? tac_graph_of_step : tac_graph_of_dynamics)(r.engine, &def, &g, &r.err) !=
        TAC_OK) {
        rig_show(&r);
        fail_msg("%s cannot be traced", j->example);
    }
    const size_t ins = tac_graph_in_count(g), outs = tac_graph_out_count(g);
    compare(library, "f", g, (layout){ins, outs, 1, 1});
    if (j->derivatives) {
        tac_graph *jacobian, *made;
        const size_t blocks = ins * outs, width = ins + outs;
        assert_int_equal(tac_graph_jacobian(g, NULL, NULL, &jacobian, &r.err), TAC_OK);
        compare(library, "jac_f", jacobian, (layout){width, blocks, ins, ins});
        assert_int_equal(tac_graph_jacobian(jacobian, NULL, NULL, &made, &r.err), TAC_OK);
        compare(library, "jac_jac_f", made, (layout){width + blocks, width * blocks, width, ins});
        tac_graph_destroy(made);
        tac_graph_destroy(jacobian);
        assert_int_equal(tac_graph_lagrangian(g, NULL, NULL, true, &made, &r.err), TAC_OK);
        compare(library, "hess_f", made, (layout){ins + outs, 1, 1, 1});
        tac_graph_destroy(made);
    }
    tac_graph_destroy(g);
    rig_close(&r);
    dlclose(library);
}

// --- options ------------------------------------------------------------------------------------

static bool has_program(void)
{
    const char *program = getenv("TACTUS");
    return program && getenv("TACTUS_SOURCE") && access(program, X_OK) == 0;
}

static void test_step(void **state)
{
    (void)state;
    check(
        &(job){.example = "equations.yaml", .options = "--of step --deterministic", .step = true});
}

// Slower rates, so that less is to be compiled.
static void test_rates(void **state)
{
    (void)state;
    check(&(job){.example = "rates.yaml",
                 .options = "--rates --deterministic",
                 .sets = {"scheduler.rate_groups[0].rate_hz=200", "plant.integrator.h_max=5 ms"},
                 .def = {.rates = true},
                 .step = true});
}

static void test_phase(void **state)
{
    (void)state;
    check(&(job){.example = "rocket.yaml",
                 .options = "--phase COAST --deterministic",
                 .def = {.phase = "COAST"}});
}

static void test_fast(void **state)
{
    (void)state;
    check(&(job){.example = "equations.yaml",
                 .options = "--fast --deterministic --second --hessian",
                 .def = {.fast = true},
                 .derivatives = true});
}

int main(void)
{
    if (!has_program()) {
        print_message("SKIPPED: no program to ask\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_step), cmocka_unit_test(test_rates),
                                       cmocka_unit_test(test_phase), cmocka_unit_test(test_fast)};
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
