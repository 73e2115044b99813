// compile.c - from a checked tree to a program: terms, then tapes.
#include "expr/program.h"

#include <string.h>
#include <tactus/component.h>

typedef struct compiler {
    tac__arena *arena; // of the program
    tac_graph *graph;  // its inputs: one group for each signal, then what is given to a tape
    tac__expr_builder builder;
    size_t signal_count;
    tac__program *program;
    size_t timed; // how many operators that remember so far
    tac_error *err;
} compiler;

// --- inputs -------------------------------------------------------------------------------------

static void count_signals(const tac__expr_node *node, size_t *counts, size_t *signals)
{
    if (!node)
        return;
    if (node->kind == TAC__EXPR_NAMED) {
        const size_t index = (size_t)node->index;
        if (counts && counts[index] <= node->element)
            counts[index] = node->element + 1;
        *signals = index < *signals ? *signals : index + 1;
    }
    count_signals(node->a, counts, signals);
    count_signals(node->b, counts, signals);
    count_signals(node->c, counts, signals);
}

static bool uses_time(const tac__expr_node *node)
{
    return node && (node->kind == TAC__EXPR_TIME || uses_time(node->a) || uses_time(node->b) ||
                    uses_time(node->c));
}

static tac_status add_inputs(compiler *c, const tac__expr *expr)
{
    count_signals(expr->root, NULL, &c->signal_count);
    size_t *counts = tac__arena_array(&c->graph->arena, c->signal_count + 1, sizeof *counts);
    if (!counts)
        return tac__fail_memory(c->err);
    count_signals(expr->root, counts, &c->signal_count);
    counts[c->signal_count] = TAC__GIVEN_REMEMBERED + expr->timed_count;
    for (size_t i = 0; i <= c->signal_count; i++) {
        if (!tac__graph_add_input(c->graph, "", counts[i], NULL))
            return tac__fail_memory(c->err);
    }
    return tac__terms_status(c->builder.pool, c->err);
}

static int32_t find_signal(const void *context, int index, uint32_t element)
{
    const tac_graph *graph = context;
    return graph->in[index].terms[element];
}

static const int32_t *given(const compiler *c)
{
    return c->graph->in[c->signal_count].terms;
}

// --- parts --------------------------------------------------------------------------------------

// `numbers`: the tape runs on numbers, and the time and results of operators that remember are
// given to it; else on duals, and these are its last group of inputs.
static tac_status make_tape(compiler *c, const int32_t *terms, size_t count, bool watch,
                            bool numbers, tac__tape **tape)
{
    tac_graph *g;
    const tac__expr_builder *b = &c->builder;
    const tac__tape_options options = {
        .regions = TAC__REGIONS_ALL,
        .watched = watch ? b->watched : NULL,
        .watched_count = watch ? b->watched_count : 0,
        .params = -1,
        .numbers = numbers,
        .given = numbers ? (int)c->signal_count : -1,
    };
    TAC_TRY(tac__graph_create(c->arena->allocator, "", false, c->graph, &g, c->err));
    bool done = true;
    for (size_t i = 0; i < c->graph->in_count && done; i++)
        done = tac__graph_add_input(g, "", c->graph->in[i].count, c->graph->in[i].terms) != NULL;
    done = done && tac__graph_add_output(g, "", count, terms) != NULL;
    tac_status status =
        done ? tac__tape_make_as(c->arena, g, &options, tape, c->err) : tac__fail_memory(c->err);
    tac__graph_destroy(g);
    if (status == TAC_OK && numbers && tac__tape_work(*tape) > TAC__EXPR_WORK)
        status = tac__fail(c->err, TAC_E_LIMIT, "the expression needs too many numbers at once");
    return status;
}

static tac_status make_full(compiler *c, int32_t value, tac__expr_part *part)
{
    const tac__expr_builder *b = &c->builder;
    const size_t count = b->comparison_count;
    int32_t *terms = tac__arena_array(&c->graph->arena, count + 1, sizeof *terms);
    if (!terms)
        return tac__fail_memory(c->err);
    for (size_t i = 0; i < count; i++)
        terms[i] = b->comparisons[i].bad;
    terms[count] = value;
    return make_tape(c, terms, count + 1, false, true, &part->full);
}

// Lists of comparisons and watched terms are those of one part; the loads are those of all.
static tac_status make_part(compiler *c, const tac__expr_node *node, tac__expr_part *part)
{
    tac__expr_builder *b = &c->builder;
    b->comparisons = NULL;
    b->watched = NULL;
    b->comparison_count = b->watched_count = 0;
    b->careful = false;
    const int32_t value = tac__expr_build(b, node);
    if (b->no_memory)
        return tac__fail_memory(c->err);
    part->comparisons = b->comparisons;
    part->comparison_count = b->comparison_count;
    if (!b->careful)
        TAC_TRY(make_tape(c, &value, 1, true, true, &part->tape));
    return make_full(c, value, part);
}

static tac_status hoist(compiler *c, tac__expr_node *node)
{
    if (!node)
        return TAC_OK;
    TAC_TRY(hoist(c, node->a));
    TAC_TRY(hoist(c, node->b));
    TAC_TRY(hoist(c, node->c));
    if (!tac__expr_is_timed(node->kind))
        return TAC_OK;
    tac__expr_part *part = &c->program->parts[c->timed];
    TAC_TRY(make_part(c, node->a, part));
    node->index = (int)c->timed++;
    part->kind = node->kind;
    part->duration_us = node->duration_us;
    return TAC_OK;
}

// --- the whole ----------------------------------------------------------------------------------

// Inputs, and programs of all operators that remember.
static tac_status begin(compiler *c, const tac__expr *expr, tac__expr_leaves *leaves)
{
    tac__program *p = c->program;
    p->parts = tac__arena_array(c->arena, expr->timed_count + 1, sizeof *p->parts);
    if (!p->parts)
        return tac__fail_memory(c->err);
    p->text = expr->text;
    p->timed_count = expr->timed_count;
    TAC_TRY(add_inputs(c, expr));
    *leaves = (tac__expr_leaves){find_signal, c->graph, given(c)[TAC__GIVEN_TIME]};
    c->builder.leaves = leaves;
    c->builder.remembered = given(c) + TAC__GIVEN_REMEMBERED;
    return hoist(c, expr->root);
}

static tac_status compile(compiler *c, const tac__expr *expr, const tac__expr_node *node)
{
    tac__expr_leaves leaves;
    tac__program *p = c->program = tac__arena_alloc(c->arena, sizeof *p);
    if (!p)
        return tac__fail_memory(c->err);
    TAC_TRY(begin(c, expr, &leaves));
    TAC_TRY(make_part(c, node, &p->parts[p->timed_count]));
    p->uses_time = uses_time(node);
    p->quick = p->timed_count ? NULL : p->parts->tape;
    p->given = p->quick ? p->quick->given : 0;
    p->result = p->quick ? p->quick->outs[0].reg : 0;
    p->loads = c->builder.loads;
    p->load_count = c->builder.load_count;
    return TAC_OK;
}

static tac_status compile_bundle(compiler *c, const tac__expr *expr,
                                 const tac__expr_node *const *nodes, tac__expr_bundle *bundle)
{
    tac__expr_leaves leaves;
    c->program = &bundle->program;
    TAC_TRY(begin(c, expr, &leaves));
    int32_t *terms = tac__arena_array(&c->graph->arena, bundle->count, sizeof *terms);
    if (!terms)
        return tac__fail_memory(c->err);
    for (size_t i = 0; i < bundle->count; i++)
        terms[i] = tac__expr_build(&c->builder, nodes[i]);
    if (c->builder.no_memory)
        return tac__fail_memory(c->err);
    bundle->program.loads = c->builder.loads;
    bundle->program.load_count = c->builder.load_count;
    return make_tape(c, terms, bundle->count, false, true, &bundle->tape);
}

tac_status tac__expr_compile_bundle(tac__arena *arena, const tac__expr *expr,
                                    const tac__expr_node *const *nodes, size_t count,
                                    tac__expr_bundle **bundle, tac_error *err)
{
    compiler c = {.arena = arena, .err = err};
    tac__expr_bundle *made = *bundle = tac__arena_alloc(arena, sizeof *made);
    if (!made)
        return tac__fail_memory(err);
    made->count = count;
    TAC_TRY(tac__graph_create(arena->allocator, "", false, NULL, &c.graph, err));
    c.builder = (tac__expr_builder){.arena = arena, .pool = tac__graph_pool(c.graph), .guard = -1};
    const tac_status status = compile_bundle(&c, expr, nodes, made);
    tac__graph_destroy(c.graph);
    return status;
}

tac_status tac__expr_compile_part(tac__arena *arena, const tac__expr *expr,
                                  const tac__expr_node *node, tac__program **program,
                                  tac_error *err)
{
    compiler c = {.arena = arena, .err = err};
    *program = NULL;
    TAC_TRY(tac__graph_create(arena->allocator, "", false, NULL, &c.graph, err));
    c.builder = (tac__expr_builder){.arena = arena, .pool = tac__graph_pool(c.graph), .guard = -1};
    const tac_status status = compile(&c, expr, node);
    tac__graph_destroy(c.graph);
    if (status == TAC_OK)
        *program = c.program;
    return status;
}

tac_status tac__expr_compile(tac__arena *arena, tac__expr *expr, tac__expr_type wanted,
                             const char *unit, const tac__expr_scope *scope, tac__program **program,
                             tac_error *err)
{
    *program = NULL;
    TAC_TRY(tac__expr_check(arena, expr, wanted, unit, scope, err));
    return tac__expr_compile_part(arena, expr, expr->root, program, err);
}

// --- on duals -----------------------------------------------------------------------------------

struct tac__expr_duals {
    tac__tape *tape;
    const double **in; // signals, then the time
    size_t signal_count;
    double *work;
};

static tac_status compile_duals(compiler *c, const tac__expr *expr, const tac__expr_node *node,
                                tac__expr_duals *d)
{
    TAC_TRY(add_inputs(c, expr));
    const tac__expr_leaves leaves = {find_signal, c->graph, given(c)[TAC__GIVEN_TIME]};
    c->builder.leaves = &leaves;
    c->builder.remembered = given(c) + TAC__GIVEN_REMEMBERED;
    const int32_t value = tac__expr_build(&c->builder, node);
    if (c->builder.no_memory)
        return tac__fail_memory(c->err);
    TAC_TRY(make_tape(c, &value, 1, false, false, &d->tape));
    d->signal_count = c->signal_count;
    d->in = tac__arena_array(c->arena, c->signal_count + 1, sizeof *d->in);
    d->work = tac__arena_array(c->arena, tac__tape_work(d->tape), TAC_DUAL_WIDTH * sizeof(double));
    return d->in && d->work ? TAC_OK : tac__fail_memory(c->err);
}

tac_status tac__expr_duals_compile_part(tac__arena *arena, const tac__expr *expr,
                                        const tac__expr_node *node, tac__expr_duals **duals,
                                        tac_error *err)
{
    TAC_ASSERT(!expr->timed_count);
    compiler c = {.arena = arena, .err = err};
    tac__expr_duals *d = *duals = tac__arena_alloc(arena, sizeof *d);
    if (!d)
        return tac__fail_memory(err);
    TAC_TRY(tac__graph_create(arena->allocator, "", false, NULL, &c.graph, err));
    c.builder = (tac__expr_builder){.arena = arena, .pool = tac__graph_pool(c.graph), .guard = -1};
    const tac_status status = compile_duals(&c, expr, node, d);
    tac__graph_destroy(c.graph);
    return status;
}

tac_status tac__expr_duals_compile(tac__arena *arena, const tac__expr *expr,
                                   tac__expr_duals **duals, tac_error *err)
{
    return tac__expr_duals_compile_part(arena, expr, expr->root, duals, err);
}

void tac__expr_duals_run(const tac__expr_duals *d, const double *t, const double *const *signals,
                         double *value)
{
    double *const out[] = {value};
    for (size_t i = 0; i < d->signal_count; i++)
        d->in[i] = signals[i];
    d->in[d->signal_count] = t;
    tac__tape_run_dual(d->tape, d->in, out, d->work);
}
