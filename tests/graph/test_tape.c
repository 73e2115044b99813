// Tapes: whatever the graph and the kind, the interpreter gives the bits of the plain evaluation.
#include "graph/tape.h"
#include "graph/draw.h"
#include "math/machine.h"
#include "support/allocator.h"

#include <stdlib.h>

enum { OUTPUTS = 8, DUAL = 9 };

typedef struct rig {
    tac_graph *graph;
    tac__arena arena;
    tac__tape *tape;
    double *work; // aligned for packs
} rig;

static rig begin(uint64_t seed, int terms)
{
    rig r = {.graph = draw_graph(seed, terms)};
    tac_error err = {0};
    tac__arena_init(&r.arena, NULL);
    assert_int_equal(tac__tape_make(&r.arena, r.graph, &r.tape, &err), TAC_OK);
    r.work = aligned_alloc(64, 64 * (2 * tac__tape_work(r.tape) + 1));
    memset(r.work, 0xff, 64 * (2 * tac__tape_work(r.tape) + 1)); // NaN
    return r;
}

static void end(rig *r)
{
    free(r->work);
    tac__arena_fini(&r->arena);
    tac__graph_destroy(r->graph);
}

static void expected_of(const tac_graph *g, const double *in, double *out)
{
    const tac__terms *pool = tac__graph_pool(g);
    double *v = calloc(pool->count, sizeof *v);
    values_of_terms(pool, in, v);
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < 4; i++)
            out[4 * k + i] = v[g->out[k].terms[i]];
    }
    free(v);
}

static void check(const char *kind, uint64_t seed, const double *out, size_t stride,
                  const double *expected)
{
    for (size_t i = 0; i < OUTPUTS; i++) {
        if (!same_bits(out[i * stride], expected[i]))
            fail_msg("%s, graph %d: output %d is %a instead of %a", kind, (int)seed, (int)i,
                     out[i * stride], expected[i]);
    }
}

typedef void run_fn(const tac__tape *tape, const double *const *in, double *const *out,
                    double *work);

// All values of a kind are given, `width` doubles each, of which those at `lanes` are compared.
static void run_kind(const rig *r, uint64_t seed, const char *kind, run_fn *run, int width,
                     int lanes)
{
    _Alignas(64) static double in[DRAW_INPUTS * DUAL], out[OUTPUTS * DUAL];
    double of_lane[8][DRAW_INPUTS], expected[OUTPUTS];
    memset(in, 0, sizeof in);
    for (int lane = 0; lane < lanes; lane++) {
        for (int i = 0; i < DRAW_INPUTS; i++)
            in[i * width + lane] = of_lane[lane][i] =
                lane % 2 ? input_hostile(&seed) : input_uniform(&seed, -3, 3);
    }
    const double *const ins[] = {in, in + DRAW_INPUTS / 2 * width};
    double *const outs[] = {out, out + OUTPUTS / 2 * width};
    run(r->tape, ins, outs, r->work);
    for (int lane = 0; lane < lanes; lane++) {
        expected_of(r->graph, of_lane[lane], expected);
        check(kind, seed, out + lane, (size_t)width, expected);
    }
}

// The tape writes a graph of its own, which has the same values.
static void run_symbols(const rig *r, uint64_t seed)
{
    tac_graph *g;
    assert_int_equal(tac__graph_create(NULL, "written", false, NULL, &g, NULL), TAC_OK);
    tac__terms *pool = tac__graph_pool(g);
    tac__sym_value in[DRAW_INPUTS], out[OUTPUTS];
    const tac__group *x = tac__graph_add_input(g, "x", DRAW_INPUTS, NULL);
    for (int i = 0; i < DRAW_INPUTS; i++)
        in[i] = tac__sym_of(pool, x->terms[i]);
    const double *const ins[] = {(double *)in, (double *)(in + DRAW_INPUTS / 2)};
    double *const outs[] = {(double *)out, (double *)(out + OUTPUTS / 2)};
    tac__tape_run_sym(r->tape, ins, outs, r->work);
    int32_t terms[OUTPUTS];
    for (int i = 0; i < OUTPUTS; i++)
        terms[i] = tac__term_of(pool, out[i]);
    assert_non_null(tac__graph_add_output(g, "dx", 4, terms));
    assert_non_null(tac__graph_add_output(g, "y", 4, terms + 4));
    for (int n = 0; n < 3; n++) {
        double numbers[DRAW_INPUTS], got[OUTPUTS], expected[OUTPUTS];
        for (int i = 0; i < DRAW_INPUTS; i++)
            numbers[i] = n ? input_uniform(&seed, -3, 3) : input_hostile(&seed);
        expected_of(g, numbers, got);
        expected_of(r->graph, numbers, expected);
        check("sym", seed, got, 1, expected);
    }
    tac__graph_destroy(g);
}

// Symbols that are constants give constants.
static void run_constants(const rig *r, uint64_t seed)
{
    tac__sym_value in[DRAW_INPUTS], out[OUTPUTS];
    double numbers[DRAW_INPUTS], got[OUTPUTS], expected[OUTPUTS];
    for (int i = 0; i < DRAW_INPUTS; i++)
        in[i] = (tac__sym_value){.value = numbers[i] = input_uniform(&seed, -3, 3)};
    const double *const ins[] = {(double *)in, (double *)(in + DRAW_INPUTS / 2)};
    double *const outs[] = {(double *)out, (double *)(out + OUTPUTS / 2)};
    tac__tape_run_sym(r->tape, ins, outs, r->work);
    for (int i = 0; i < OUTPUTS; i++) {
        assert_null(out[i].pool);
        got[i] = out[i].value;
    }
    expected_of(r->graph, numbers, expected);
    check("constants", seed, got, 1, expected);
}

static void test_kinds_give_the_bits_of_the_graph(void **state)
{
    (void)state;
    for (int n = 0; n < 1200; n++) {
        const uint64_t seed = (uint64_t)n;
        rig r = begin(seed, 10 + n % 90);
        for (uint64_t k = 0; k < 4; k++)
            run_kind(&r, seed + 1000 * k, "f64", tac__tape_run, 1, 1);
        run_kind(&r, seed, "pack2", tac__tape_run_pack2, 2, 2);
        if (tac__machine_has_pack(4))
            run_kind(&r, seed, "pack4", tac__tape_run_pack4, 4, 4);
        if (tac__machine_has_pack(8))
            run_kind(&r, seed, "pack8", tac__tape_run_pack8, 8, 8);
        run_kind(&r, seed, "dual", tac__tape_run_dual, DUAL, 1);
        run_kind(&r, seed, "dualp", tac__tape_run_dualp, DUAL, 1);
        run_symbols(&r, seed);
        run_constants(&r, seed);
        end(&r);
    }
}

// Derivatives of a tape are those of the operations: the slope of x^3 * exp(x) in a loop that adds
// it up is three times the slope.
static int32_t make(tac__terms *pool, tac__sym_op op, int32_t a, int32_t b, int32_t c)
{
    return tac__term_make(pool, op, a, b, c);
}

static void test_derivatives_go_through_loops_and_regions(void **state)
{
    (void)state;
    tac_graph *g;
    tac__arena arena;
    tac__tape *tape;
    tac__arena_init(&arena, NULL);
    assert_int_equal(tac__graph_create(NULL, "f", false, NULL, &g, NULL), TAC_OK);
    tac__terms *pool = tac__graph_pool(g);
    const int32_t x = tac__graph_add_input(g, "x", 1, NULL)->terms[0];
    const int32_t zero = tac__term_constant(pool, 0);
    const tac__sym_value initial[] = {tac__sym_of(pool, zero), tac__sym_of(pool, zero)};
    tac__sym_value v[2], next[2];
    const tac__sym_loop loop = tac__sym_loop_begin(pool, 10, 2, initial, v);
    const int32_t f = make(pool, TAC__SYM_mul, make(pool, TAC__SYM_mul, x, x, -1),
                           make(pool, TAC__SYM_exp, x, -1, -1), -1);
    next[0] = tac__sym_of(pool, make(pool, TAC__SYM_add, v[0].id, f, -1));
    next[1] = tac__sym_of(pool, make(pool, TAC__SYM_add, v[1].id, tac__term_constant(pool, 1), -1));
    const int32_t settled = make(pool, TAC__SYM_le, tac__term_constant(pool, 3), v[1].id, -1);
    tac__sym_loop_end(loop, next, tac__sym_of(pool, settled), tac__sym_of(pool, x), 0, NULL);
    const int32_t below = make(pool, TAC__SYM_lt, x, zero, -1);
    const int32_t y =
        make(pool, TAC__SYM_select, below, make(pool, TAC__SYM_sin, x, -1, -1), next[0].id);
    assert_non_null(tac__graph_add_output(g, "y", 1, &y));
    assert_int_equal(tac__tape_make(&arena, g, &tape, NULL), TAC_OK);
    double in[DUAL] = {0.75, 1}, out[DUAL], *work = calloc(tac__tape_work(tape), DUAL * 8);
    const double *const ins[] = {in};
    double *const outs[] = {out};
    tac__tape_run_dual(tape, ins, outs, work);
    const double e = exp(0.75);
    assert_true(fabs(out[0] - 3 * 0.75 * 0.75 * e) < 1e-14);
    assert_true(fabs(out[1] - 3 * (2 * 0.75 + 0.75 * 0.75) * e) < 1e-13);
    in[0] = -0.75;
    tac__tape_run_dual(tape, ins, outs, work);
    assert_true(fabs(out[1] - cos(0.75)) < 1e-15);
    free(work);
    tac__graph_destroy(g);
    tac__arena_fini(&arena);
}

static void test_groups_may_be_absent(void **state)
{
    (void)state;
    tac_graph *g;
    tac__arena arena;
    tac__tape *tape;
    tac__arena_init(&arena, NULL);
    assert_int_equal(tac__graph_create(NULL, "f", false, NULL, &g, NULL), TAC_OK);
    tac__terms *pool = tac__graph_pool(g);
    const tac__group x = *tac__graph_add_input(g, "x", 2, NULL);
    const tac__group u = *tac__graph_add_input(g, "u", 2, NULL);
    const int32_t sums[] = {make(pool, TAC__SYM_add, x.terms[0], u.terms[1], -1),
                            tac__term_constant(pool, 5), x.terms[1]};
    assert_non_null(tac__graph_add_output(g, "a", 1, sums));
    assert_non_null(tac__graph_add_output(g, "b", 3, sums));
    assert_int_equal(tac__tape_make(&arena, g, &tape, NULL), TAC_OK);
    double both[3] = {1, 2, 3}, work[16];
    const double *const ins[] = {both, NULL};
    double *const outs[] = {NULL, both}; // the memory of the inputs
    assert_true(tac__tape_work(tape) <= 16);
    tac__tape_run(tape, ins, outs, work);
    assert_true(both[0] == 1 && both[1] == 5 && both[2] == 2);
    tac__graph_destroy(g);
    tac__arena_fini(&arena);
}

static void test_watched_comparisons_tell_of_nan(void **state)
{
    (void)state;
    for (int n = 0; n < 16; n++) {
        tac_graph *g;
        tac__arena arena;
        tac__tape *tape;
        tac__arena_init(&arena, NULL);
        assert_int_equal(tac__graph_create(NULL, "f", false, NULL, &g, NULL), TAC_OK);
        tac__terms *pool = tac__graph_pool(g);
        const tac__group x = *tac__graph_add_input(g, "x", 3, NULL);
        const int32_t watched[] = {make(pool, TAC__SYM_lt, x.terms[0], x.terms[1], -1),
                                   make(pool, TAC__SYM_le, x.terms[2], x.terms[1], -1)};
        const int32_t y =
            make(pool, n & 8 ? TAC__SYM_logic_or : TAC__SYM_logic_and, watched[0], watched[1], -1);
        assert_non_null(tac__graph_add_output(g, "y", 1, &y));
        const tac__tape_options options = {.regions = TAC__REGIONS_ALL,
                                           .watched = watched,
                                           .watched_count = 2,
                                           .params = -1,
                                           .numbers = n & 4,
                                           .given = -1};
        assert_int_equal(tac__tape_make_as(&arena, g, &options, &tape, NULL), TAC_OK);
        // 0 and 2: true, false; NaN in the first, in the second comparison
        const double in[] = {n & 1 ? 0 : 4, 1, n & 2 ? QNAN : 0};
        double work[16];
        const double *const ins[] = {in};
        const bool second = (n & 8) != 0 ? !(n & 1) : (n & 1);
        assert_int_equal(tac__tape_watch(tape, ins, work), second && (n & 2));
        const double nan[] = {QNAN, 1, 0};
        const double *const nans[] = {nan};
        assert_true(tac__tape_watch(tape, nans, work));
        const double numbers[] = {0, 1, 2};
        const double *const no_nans[] = {numbers};
        assert_false(tac__tape_watch(tape, no_nans, work));
        assert_true(work[tape->outs[0].reg] == ((n & 8) != 0));
        tac__graph_destroy(g);
        tac__arena_fini(&arena);
    }
}

static void test_registers_are_used_again(void **state)
{
    (void)state;
    tac_graph *g;
    tac__arena arena;
    tac__tape *tape;
    tac__arena_init(&arena, NULL);
    assert_int_equal(tac__graph_create(NULL, "f", false, NULL, &g, NULL), TAC_OK);
    int32_t y = tac__graph_add_input(g, "x", 1, NULL)->terms[0];
    for (int i = 0; i < 5000; i++)
        y = make(tac__graph_pool(g), i % 2 ? TAC__SYM_sin : TAC__SYM_sqrt, y, -1, -1);
    assert_non_null(tac__graph_add_output(g, "y", 1, &y));
    assert_int_equal(tac__tape_make(&arena, g, &tape, NULL), TAC_OK);
    assert_int_equal(tac__tape_work(tape), 1);
    tac__graph_destroy(g);
    tac__arena_fini(&arena);
}

static void test_no_memory(void **state)
{
    (void)state;
    tac_graph *g = draw_graph(3, 60);
    for (uint64_t n = 1;; n++) {
        test_allocator a = test_allocator_make();
        a.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&a);
        tac__arena arena;
        tac__tape *tape;
        tac__arena_init(&arena, &hook);
        const tac_status st = tac__tape_make(&arena, g, &tape, NULL);
        tac__arena_fini(&arena);
        test_allocator_check_empty(&a);
        if (st == TAC_OK)
            break;
        assert_int_equal(st, TAC_E_MEMORY);
    }
    tac__graph_destroy(g);
}

// A tape is the same as another only if every field is, tables included.
static void test_same(void **state)
{
    (void)state;
    size_t tables = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        rig a = begin(seed, 120), b = begin(seed, 120), c = begin(seed + 1000, 120);
        assert_true(tac__tape_same(a.tape, b.tape) && !tac__tape_same(a.tape, c.tape));
        tac__tape other = *b.tape;
        uint32_t code[1 << 13];
        assert_true(other.code_count <= sizeof code / sizeof *code);
        memcpy(code, other.code, other.code_count * sizeof *code);
        other.code = code;
        assert_true(tac__tape_same(a.tape, &other));
        code[seed % other.code_count] ^= 1;
        assert_false(tac__tape_same(a.tape, &other));
        other = *b.tape;
        other.registers++;
        assert_false(tac__tape_same(a.tape, &other));
        other = *b.tape;
        other.code_count--;
        assert_false(tac__tape_same(a.tape, &other));
        other = *b.tape;
        other.out_count--;
        assert_false(tac__tape_same(a.tape, &other));
        for (size_t i = 0; i < b.tape->table_count; i++) {
            const tac__sym_table whole = b.tape->tables[i];
            tac__sym_table *table = (tac__sym_table *)&b.tape->tables[i];
            table->count--;
            assert_false(tac__tape_same(a.tape, b.tape));
            *table = whole;
            ((double *)whole.data)[(size_t)seed % (size_t)whole.count] += 1;
            assert_false(tac__tape_same(a.tape, b.tape));
            ((double *)whole.data)[(size_t)seed % (size_t)whole.count] -= 1;
            tables++;
        }
        end(&a);
        end(&b);
        end(&c);
    }
    assert_true(tables > 10);
}

TEST_MAIN(cmocka_unit_test(test_same), cmocka_unit_test(test_kinds_give_the_bits_of_the_graph),
          cmocka_unit_test(test_derivatives_go_through_loops_and_regions),
          cmocka_unit_test(test_groups_may_be_absent),
          cmocka_unit_test(test_watched_comparisons_tell_of_nan),
          cmocka_unit_test(test_registers_are_used_again), cmocka_unit_test(test_no_memory))
