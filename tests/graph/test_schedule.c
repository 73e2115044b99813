// Schedules: what they compute is what the graph is, whatever regions leave out.
#include "graph/schedule.h"
#include "graph/draw.h"
#include "support/allocator.h"

#include <stdio.h>
#include <stdlib.h>

static tac__schedule schedule_of(tac__arena *arena, const tac_graph *g, tac__regions regions)
{
    tac__schedule schedule;
    tac_error err = {0};
    assert_int_equal(tac__schedule_graph(arena, g, regions, &schedule, &err), TAC_OK);
    return schedule;
}

// --- a schedule in words ------------------------------------------------------------------------

static void print(char *text, size_t size, const tac__terms *pool, const tac__schedule *s)
{
    static const char *const names[] = {"", "if", "else", "loop", "end"};
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < s->count; i++) {
        const tac__step *step = &s->steps[i];
        const char *word = step->kind == TAC__STEP_TERM
                               ? tac__op_name((tac__sym_op)pool->terms[step->term].op)
                               : names[step->kind];
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", word);
    }
}

static int32_t make(tac__terms *pool, tac__sym_op op, int32_t a, int32_t b, int32_t c)
{
    return tac__term_make(pool, op, a, b, c);
}

static void expect(const tac__terms *pool, int32_t output, tac__regions regions,
                   const char *expected)
{
    char text[400];
    tac__arena arena;
    tac__schedule s;
    tac__arena_init(&arena, NULL);
    assert_int_equal(tac__schedule_terms(&arena, pool, &output, 1, regions, &s, NULL), TAC_OK);
    print(text, sizeof text, pool, &s);
    assert_string_equal(text, expected);
    for (size_t i = 0; i < s.count; i++) {
        const tac__step *step = &s.steps[i];
        if (step->kind == TAC__STEP_END)
            assert_int_equal(s.steps[step->other].term, step->term);
        if (step->kind == TAC__STEP_IF || step->kind == TAC__STEP_ELSE)
            assert_true(s.steps[step->other].kind == TAC__STEP_END ||
                        s.steps[step->other].kind == TAC__STEP_ELSE);
    }
    tac__arena_fini(&arena);
}

static void test_sides_are_regions(void **state)
{
    (void)state;
    tac__terms pool;
    tac__terms_init(&pool, tac_allocator_default(), false);
    const int32_t x = tac__term_input(&pool), y = tac__term_input(&pool);
    const int32_t below = make(&pool, TAC__SYM_lt, x, y, -1);
    const int32_t root = make(&pool, TAC__SYM_sqrt, y, -1, -1);
    const int32_t sine = make(&pool, TAC__SYM_sin, root, -1, -1);
    const int32_t sum = make(&pool, TAC__SYM_add, x, y, -1);
    // A sum is not worth a jump; the root is, and what is needed on both sides comes first.
    const int32_t chosen = make(&pool, TAC__SYM_select, below, sine, sum);
    expect(&pool, chosen, TAC__REGIONS_WORTH, "lt add if sqrt sin end select");
    expect(&pool, chosen, TAC__REGIONS_ALL, "lt if sqrt sin else add end select");
    const int32_t both = make(&pool, TAC__SYM_select, below, sine, root);
    expect(&pool, both, TAC__REGIONS_ALL, "lt sqrt if sin end select");
    // A region within a region.
    const int32_t other = make(&pool, TAC__SYM_lt, sum, x, -1);
    const int32_t nested = make(&pool, TAC__SYM_select, other, y, chosen);
    expect(&pool, nested, TAC__REGIONS_WORTH,
           "add lt if else lt if sqrt sin end select end select");
    // What a condition needs is needed in any case.
    const int32_t needed =
        make(&pool, TAC__SYM_select, make(&pool, TAC__SYM_lt, sine, x, -1), sine, y);
    expect(&pool, needed, TAC__REGIONS_ALL, "sqrt sin lt select");
    // Only a right side is a region.
    const int32_t right = make(&pool, TAC__SYM_le, sine, x, -1);
    expect(&pool, make(&pool, TAC__SYM_logic_and, below, right, -1), TAC__REGIONS_WORTH,
           "lt if sqrt sin le end logic_and");
    expect(&pool, make(&pool, TAC__SYM_logic_or, below, right, -1), TAC__REGIONS_WORTH,
           "lt if else sqrt sin le end logic_or");
    expect(&pool, x, TAC__REGIONS_ALL, "");
    tac__terms_fini(&pool);
}

static void test_loops_stand_where_needed(void **state)
{
    (void)state;
    tac__terms pool;
    tac__terms_init(&pool, tac_allocator_default(), false);
    const int32_t x = tac__term_input(&pool), y = tac__term_input(&pool);
    const int32_t below = make(&pool, TAC__SYM_lt, x, y, -1);
    const tac__sym_value initial = tac__sym_of(&pool, x);
    tac__sym_value v, results[2], next;
    const tac__sym_loop loop = tac__sym_loop_begin(&pool, 3, 1, &initial, &v);
    const int32_t fixed = make(&pool, TAC__SYM_cos, y, -1, -1); // the same in every round
    const int32_t half = make(&pool, TAC__SYM_mul, v.id, fixed, -1);
    const int32_t rest = make(&pool, TAC__SYM_sub, v.id, y, -1);
    next = tac__sym_of(&pool, half);
    results[0] = tac__sym_of(&pool, make(&pool, TAC__SYM_abs, half, -1, -1));
    results[1] = tac__sym_of(&pool, make(&pool, TAC__SYM_exp, half, -1, -1)); // not needed
    const int32_t settled = make(&pool, TAC__SYM_le, v.id, y, -1);
    tac__sym_loop_end(loop, &next, tac__sym_of(&pool, settled), tac__sym_of(&pool, rest), 2,
                      results);
    const int32_t sum = make(&pool, TAC__SYM_add, next.id, results[0].id, -1);
    expect(&pool, sum, TAC__REGIONS_WORTH, "cos loop mul sub abs le end result result add");
    const int32_t chosen = make(&pool, TAC__SYM_select, below, y, results[0].id);
    expect(&pool, chosen, TAC__REGIONS_WORTH,
           "lt if else cos loop mul sub abs le end result end select");
    tac__terms_fini(&pool);
}

// A loop around another one: the variables of both are multiplied. Returns the result.
static int32_t nest(tac__terms *pool, int32_t x, tac__sym_op op)
{
    const tac__sym_value initial = tac__sym_of(pool, x);
    tac__sym_value outer, inner, next;
    const tac__sym_loop around = tac__sym_loop_begin(pool, 3, 1, &initial, &outer);
    const tac__sym_loop within = tac__sym_loop_begin(pool, 2, 1, &initial, &inner);
    next = tac__sym_of(pool, make(pool, op, inner.id, outer.id, -1));
    tac__sym_loop_end(within, &next, tac__sym_of(pool, make(pool, TAC__SYM_lt, inner.id, x, -1)),
                      next, 0, NULL);
    tac__sym_loop_end(around, &next, tac__sym_of(pool, make(pool, TAC__SYM_lt, outer.id, x, -1)),
                      outer, 0, NULL);
    return next.id;
}

// The second of two inner loops is compared with the first, which begins with the same value. That
// leaves nothing behind that would put one of the outer loops into the other.
static void test_compared_loops_stay_apart(void **state)
{
    (void)state;
    tac__terms pool;
    tac__terms_init(&pool, tac_allocator_default(), false);
    const int32_t x = tac__term_input(&pool);
    const int32_t first = nest(&pool, x, TAC__SYM_mul), second = nest(&pool, x, TAC__SYM_add);
    expect(&pool, make(&pool, TAC__SYM_sub, first, second, -1), TAC__REGIONS_WORTH,
           "loop loop mul lt end result lt end result "
           "loop loop add lt end result lt end result sub");
    tac__terms_fini(&pool);
}

// --- random graphs ------------------------------------------------------------------------------

typedef struct runner {
    const tac__terms *pool;
    const tac__schedule *schedule;
    const double *in;
    double *v;
    bool *known;
    bool lazy; // regions are left out
    int computed;
} runner;

static bool is_known(const runner *r, int32_t term)
{
    const int32_t op = r->pool->terms[term].op;
    return op == TAC__SYM_constant || op == TAC__SYM_input || r->known[term];
}

static double fetch(const runner *r, int32_t term)
{
    const tac__term *t = &r->pool->terms[term];
    assert_true(is_known(r, term));
    return t->op == TAC__SYM_constant ? t->value
           : t->op == TAC__SYM_input  ? r->in[t->a]
                                      : r->v[term];
}

// Operands must be there, except those that the first one makes needless.
static double compute(const runner *r, int32_t term)
{
    const tac__term *t = &r->pool->terms[term];
    const double a = fetch(r, t->a);
    switch (t->op) {
    case TAC__SYM_select:
        return fetch(r, a != 0 ? t->b : t->c);
    case TAC__SYM_logic_and:
        return a != 0 ? fetch(r, t->b) : 0;
    case TAC__SYM_logic_or:
        return a != 0 ? 1 : fetch(r, t->b);
    default:
        break;
    }
    if (t->op == TAC__SYM_pick || t->op == TAC__SYM_segment) {
        r->v[t->a] = a;
        return value_of_term(r->pool, r->v, r->in, term);
    }
    const int operands = tac__op_operands((tac__sym_op)t->op);
    return tac__op_apply((tac__sym_op)t->op, a, operands > 1 ? fetch(r, t->b) : 0, 0);
}

static void run(runner *r, int32_t from, int32_t to);

static void forget(runner *r, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to; i++) {
        if (r->schedule->steps[i].kind == TAC__STEP_TERM)
            r->known[r->schedule->steps[i].term] = false;
    }
}

static void run_loop(runner *r, const tac__loop *l, int32_t from, int32_t to)
{
    for (int k = 0; k < l->count; k++) {
        r->v[l->variable[k]] = fetch(r, l->initial[k]);
        r->known[l->variable[k]] = true;
    }
    for (int round = 0;; round++) {
        forget(r, from, to);
        run(r, from, to);
        if (round == l->rounds || fetch(r, l->settled) != 0)
            break;
        double next[TAC__LOOP_VARIABLES];
        for (int k = 0; k < l->count; k++)
            next[k] = fetch(r, l->next[k]);
        for (int k = 0; k < l->count; k++)
            r->v[l->variable[k]] = next[k];
    }
}

static void run_term(runner *r, int32_t term)
{
    const tac__term *t = &r->pool->terms[term];
    assert_false(r->known[term]);
    if (t->op == TAC__SYM_result) {
        const tac__loop *l = &r->pool->loops[t->a];
        r->v[term] = fetch(r, t->b < l->count ? l->variable[t->b] : l->exported[t->b - l->count]);
    } else {
        r->v[term] = compute(r, term);
    }
    r->known[term] = true;
    r->computed++;
}

static void run(runner *r, int32_t from, int32_t to)
{
    for (int32_t i = from; i < to; i++) {
        const tac__step *step = &r->schedule->steps[i];
        switch (step->kind) {
        case TAC__STEP_TERM:
            run_term(r, step->term);
            break;
        case TAC__STEP_IF:
            if (r->lazy && fetch(r, step->term) == 0)
                i = step->other;
            break;
        case TAC__STEP_ELSE: // met at the end of the first part
            if (r->lazy)
                i = step->other;
            break;
        case TAC__STEP_LOOP:
            run_loop(r, &r->pool->loops[step->term], i + 1, step->other);
            i = step->other;
            break;
        default:
            break;
        }
    }
}

// Returns how many terms were computed.
static int check(const tac_graph *g, const tac__schedule *schedule, const double *in, bool lazy)
{
    const tac__terms *pool = tac__graph_pool(g);
    double *v = calloc(pool->count, sizeof *v), *expected = calloc(pool->count, sizeof *v);
    bool *known = calloc(pool->count, sizeof *known);
    runner r = {pool, schedule, in, v, known, lazy, 0};
    values_of_terms(pool, in, expected);
    run(&r, 0, (int32_t)schedule->count);
    for (size_t k = 0; k < g->out_count; k++) {
        for (size_t i = 0; i < g->out[k].count; i++) {
            const int32_t term = g->out[k].terms[i];
            assert_true(same_bits(fetch(&r, term), tac__term_is_constant(pool, term)
                                                       ? pool->terms[term].value
                                                       : expected[term]));
        }
    }
    free(v);
    free(expected);
    free(known);
    return r.computed;
}

static void test_random_graphs(void **state)
{
    (void)state;
    uint64_t seed = 7;
    long least = 0, some = 0, all = 0, loops = 0;
    for (int n = 0; n < 1500; n++) {
        tac_graph *g = draw_graph((uint64_t)n, 10 + n % 90);
        tac__arena arena;
        tac__arena_init(&arena, NULL);
        const tac__schedule worth = schedule_of(&arena, g, TAC__REGIONS_WORTH);
        const tac__schedule lazy = schedule_of(&arena, g, TAC__REGIONS_ALL);
        for (size_t i = 0; i < lazy.count; i++)
            loops += lazy.steps[i].kind == TAC__STEP_LOOP;
        for (int k = 0; k < 4; k++) {
            double in[DRAW_INPUTS];
            for (int i = 0; i < DRAW_INPUTS; i++)
                in[i] = k ? input_uniform(&seed, -3, 3) : input_hostile(&seed);
            const int a = check(g, &lazy, in, true), b = check(g, &worth, in, true);
            all += check(g, &lazy, in, false);
            assert_true(a <= b);
            least += a;
            some += b;
        }
        tac__arena_fini(&arena);
        tac__graph_destroy(g);
    }
    assert_true(loops > 500 && least < some && some < all);
}

// Only what an output needs has a step, and it has one.
static void test_dead_terms_are_left_out(void **state)
{
    (void)state;
    for (int n = 0; n < 200; n++) {
        tac_graph *g = draw_graph((uint64_t)n, 60);
        const tac__terms *pool = tac__graph_pool(g);
        tac__arena arena;
        tac__arena_init(&arena, NULL);
        const tac__schedule s = schedule_of(&arena, g, TAC__REGIONS_WORTH);
        int *uses = calloc(pool->count, sizeof *uses), *steps = calloc(pool->count, sizeof *steps);
        for (size_t k = 0; k < g->out_count; k++) {
            for (size_t i = 0; i < g->out[k].count; i++)
                uses[g->out[k].terms[i]]++;
        }
        for (size_t i = 0; i < s.count; i++)
            steps[s.steps[i].term] += s.steps[i].kind == TAC__STEP_TERM;
        for (size_t i = s.count; i-- > 0;) {
            const tac__step *step = &s.steps[i];
            if (step->kind == TAC__STEP_TERM) {
                const tac__term *t = &pool->terms[step->term];
                const tac__loop *l = t->op == TAC__SYM_result ? &pool->loops[t->a] : NULL;
                assert_true(uses[step->term] > 0);
                for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++)
                    uses[tac__term_operand(t, k)]++;
                if (l && t->b >= l->count)
                    uses[l->exported[t->b - l->count]]++;
            }
            const tac__loop *l =
                step->kind == TAC__STEP_END && s.steps[step->other].kind == TAC__STEP_LOOP
                    ? &pool->loops[step->term]
                    : NULL;
            for (int k = 0; l && k < l->count; k++) {
                uses[l->next[k]]++;
                uses[l->initial[k]]++;
            }
            if (l) {
                uses[l->settled]++;
                uses[l->residual]++;
            }
        }
        for (size_t i = 0; i < pool->count; i++) {
            const int32_t op = pool->terms[i].op;
            const bool leaf =
                op == TAC__SYM_constant || op == TAC__SYM_input || op == TAC__SYM_variable;
            assert_int_equal(steps[i], !leaf && uses[i] > 0);
        }
        free(uses);
        free(steps);
        tac__arena_fini(&arena);
        tac__graph_destroy(g);
    }
}

// A chain of 100,000 nested selects: no recursion, no square.
static void test_deep_regions(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    tac__terms pool;
    tac__terms_init(&pool, tac_allocator_default(), false);
    const int32_t x = tac__term_input(&pool), y = tac__term_input(&pool);
    const int32_t shared = make(&pool, TAC__SYM_tan, x, -1, -1);
    int32_t chain = y;
    for (int i = 0; i < DEPTH; i++) {
        const int32_t k = tac__term_constant(&pool, i);
        const int32_t above = make(&pool, TAC__SYM_lt, k, x, -1);
        const int32_t side = make(&pool, TAC__SYM_div, chain, k, -1);
        const int32_t sum = make(&pool, TAC__SYM_add, side, shared, -1);
        chain = make(&pool, TAC__SYM_select, above, sum, y);
    }
    tac__arena arena;
    tac__schedule s;
    tac__arena_init(&arena, NULL);
    assert_int_equal(tac__schedule_terms(&arena, &pool, &chain, 1, TAC__REGIONS_WORTH, &s, NULL),
                     TAC_OK);
    assert_int_equal(s.count, 1 + 6 * DEPTH - 1);
    tac__arena_fini(&arena);
    tac__terms_fini(&pool);
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
        tac__schedule s;
        tac__arena_init(&arena, &hook);
        const tac_status st = tac__schedule_graph(&arena, g, TAC__REGIONS_ALL, &s, NULL);
        tac__arena_fini(&arena);
        test_allocator_check_empty(&a);
        if (st == TAC_OK)
            break;
        assert_int_equal(st, TAC_E_MEMORY);
    }
    tac__graph_destroy(g);
}

TEST_MAIN(cmocka_unit_test(test_sides_are_regions), cmocka_unit_test(test_loops_stand_where_needed),
          cmocka_unit_test(test_compared_loops_stay_apart), cmocka_unit_test(test_random_graphs),
          cmocka_unit_test(test_dead_terms_are_left_out), cmocka_unit_test(test_deep_regions),
          cmocka_unit_test(test_no_memory))
