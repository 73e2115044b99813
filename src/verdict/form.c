// form.c - makes the forms of conditions; see form.h.
#include "verdict/form.h"
#include "graph/graph.h"

#include <string.h>

// Slots that the rate of a state may need, besides those of the sides, to be bounded in a box.
enum { RATE_SLOTS_MAX = 8 };

// --- making -------------------------------------------------------------------------------------

typedef struct maker {
    tac_verdict *verdict;
    tac__expectation *x;
    tac__formulas *formulas;
    tac_graph *graph;
    int32_t *signals; // terms of the signals of the condition
    tac_error *err;
} maker;

static int32_t signal_term(const void *context, int index, uint32_t element)
{
    const maker *m = context;
    (void)element;
    return m->signals[index];
}

// False: some signal has no formula.
static tac_status make_signals(maker *m, bool *possible)
{
    *possible = true;
    for (uint32_t i = 0; i < m->x->count && *possible; i++) {
        const tac__seen *s = &m->x->seen[i];
        if (s->watched.island < 0) {
            m->signals[i] = tac__formula_slot(
                m->formulas, &(tac__slot){.kind = TAC__SLOT_SIGNAL, .island = -1, .index = i});
            continue;
        }
        TAC_TRY(tac__formula_signal(m->formulas, s->signal, s->element, &m->signals[i]));
        *possible = m->signals[i] >= 0;
    }
    return TAC_OK;
}

// Which slots do these terms need?
static tac_status find_needs(const maker *m, tac__arena *scratch, const int32_t *terms,
                             size_t count, bool *needs)
{
    const tac__terms *pool = m->formulas->pool;
    bool *marks = tac__arena_array(scratch, pool->count, sizeof *marks);
    if (!marks)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < count; i++)
        marks[terms[i]] = true;
    for (size_t i = pool->count; i-- > 0;) {
        const tac__term *t = &pool->terms[i];
        if (!marks[i])
            continue;
        if (t->op == TAC__SYM_input)
            needs[t->a] = true;
        const bool table = t->op == TAC__SYM_pick || t->op == TAC__SYM_segment;
        for (int k = 0; k < (table ? 1 : tac__op_operands((tac__sym_op)t->op)); k++)
            marks[tac__term_operand(t, k)] = true;
        if (t->op == TAC__SYM_result || t->op == TAC__SYM_variable) { // a loop: all that it reads
            const tac__loop *loop = &pool->loops[t->a];
            for (int k = 0; k < loop->count; k++)
                marks[loop->initial[k]] = marks[loop->next[k]] = true;
            for (int k = 0; k < loop->exports; k++)
                marks[loop->exported[k]] = true;
            marks[loop->settled] = true;
        }
    }
    return TAC_OK;
}

static tac_status make_tape(const maker *m, const int32_t *inputs, size_t input_count,
                            const int32_t *terms, size_t count, tac__tape **tape)
{
    tac_graph *g;
    const tac__tape_options options = {
        .regions = TAC__REGIONS_ALL, .params = -1, .numbers = true, .given = -1};
    TAC_TRY(tac__graph_create(m->verdict->allocator, "", false, m->graph, &g, m->err));
    const bool done = tac__graph_add_input(g, "", input_count, inputs) &&
                      tac__graph_add_output(g, "", count, terms);
    const tac_status status =
        done ? tac__tape_make_as(&m->verdict->arena, g, &options, tape, m->err) : TAC_E_MEMORY;
    tac__graph_destroy(g);
    return status;
}

static tac_status make_scratch(tac__arena *arena, tac__form *q)
{
    size_t work = tac__tape_work(q->sides);
    if (q->rates && tac__tape_work(q->rates) > work)
        work = tac__tape_work(q->rates);
    q->start = tac__arena_array(arena, q->count, sizeof *q->start);
    q->end = tac__arena_array(arena, q->count, sizeof *q->end);
    q->between = tac__arena_array(arena, q->count, sizeof *q->between);
    q->last = tac__arena_array(arena, q->count, sizeof *q->last);
    q->before = tac__arena_array(arena, q->count, sizeof *q->before);
    q->moved = tac__arena_array(arena, q->count, sizeof *q->moved);
    q->last_us = q->look_us = TAC_TIME_NEVER;
    q->side = tac__arena_array(arena, q->side_count, sizeof *q->side);
    q->rate_start = tac__arena_array(arena, q->rate_count, sizeof *q->rate_start);
    q->rate_end = tac__arena_array(arena, q->rate_count, sizeof *q->rate_end);
    q->slot_range = tac__arena_array(arena, q->count, sizeof *q->slot_range);
    q->side_range = tac__arena_array(arena, q->side_count, sizeof *q->side_range);
    q->rate_range = tac__arena_array(arena, q->rate_count, sizeof *q->rate_range);
    q->box = tac__arena_array(arena, q->count, sizeof *q->box);
    q->work = tac__arena_array(arena, work, sizeof *q->work);
    const bool done = q->start && q->end && q->between && q->last && q->before && q->moved &&
                      q->side && q->rate_start && q->rate_end && q->slot_range && q->side_range &&
                      q->rate_range && q->box && q->work;
    return done ? TAC_OK : TAC_E_MEMORY;
}

// Which rates are bounded in boxes: those that need few slots, and none that jumps at boundaries.
static tac_status find_bounded(const maker *m, tac__arena *scratch, const int32_t *terms,
                               const bool *own, bool *all, tac__form *q)
{
    const tac__formulas *f = m->formulas;
    bool *needs = tac__arena_array(scratch, f->count, sizeof *needs);
    if (!needs)
        return TAC_E_MEMORY;
    for (size_t r = 0; r < q->rate_count; r++) {
        memset(needs, 0, f->count * sizeof *needs);
        TAC_TRY(find_needs(m, scratch, terms + r, 1, needs));
        size_t count = 0;
        bool smooth = true;
        for (size_t i = 0; i < f->count; i++) {
            count += needs[i] && !own[i];
            smooth &= !needs[i] || f->slots[i].kind == TAC__SLOT_STATE ||
                      f->slots[i].kind == TAC__SLOT_TIME;
        }
        q->bounded[r] = smooth && count <= RATE_SLOTS_MAX;
        for (size_t i = 0; i < f->count; i++)
            all[i] |= needs[i];
    }
    return TAC_OK;
}

// The slots of the form, and its tapes and bounds.
static tac_status make_form(const maker *m, tac__arena *scratch, const int32_t *sides, tac__form *q)
{
    tac__arena *arena = &m->verdict->arena;
    const tac__formulas *f = m->formulas;
    bool *own = tac__arena_array(scratch, f->count, sizeof *own);
    bool *all = tac__arena_array(scratch, f->count, sizeof *all);
    int32_t *rates = tac__arena_array(scratch, f->count, sizeof *rates);
    int32_t *inputs = tac__arena_array(scratch, f->count, sizeof *inputs);
    if (!own || !all || !rates || !inputs)
        return TAC_E_MEMORY;
    TAC_TRY(find_needs(m, scratch, sides, q->side_count, own));
    for (size_t i = 0; i < f->count; i++) {
        if (own[i] && f->slots[i].kind == TAC__SLOT_STATE)
            rates[q->rate_count++] = tac__formula_rate(f, f->slots[i].island, f->slots[i].index);
    }
    q->bounded = tac__arena_array(arena, q->rate_count, sizeof *q->bounded);
    memcpy(all, own, f->count * sizeof *all);
    if (!q->bounded || tac__terms_status(f->pool, m->err) != TAC_OK)
        return TAC_E_MEMORY;
    TAC_TRY(find_bounded(m, scratch, rates, own, all, q));
    for (size_t i = 0; i < f->count; i++)
        q->count += all[i];
    q->slots = tac__arena_array(arena, q->count, sizeof *q->slots);
    q->own = tac__arena_array(arena, q->count, sizeof *q->own);
    q->rate = tac__arena_array(arena, q->count, sizeof *q->rate);
    if (!q->slots || !q->own || !q->rate)
        return TAC_E_MEMORY;
    size_t at = 0, rate = 0;
    for (size_t i = 0; i < f->count; i++) {
        if (!all[i])
            continue;
        q->slots[at] = f->slots[i];
        q->own[at] = own[i];
        q->rate[at] = own[i] && f->slots[i].kind == TAC__SLOT_STATE ? (int32_t)rate++ : -1;
        q->held |= own[i] && f->slots[i].kind == TAC__SLOT_HELD;
        inputs[at++] = f->slots[i].term;
    }
    TAC_TRY(make_tape(m, inputs, at, sides, q->side_count, &q->sides));
    TAC_TRY(tac__bounds_make(arena, f->pool, inputs, at, sides, q->side_count, &q->side_bounds));
    if (q->rate_count) {
        TAC_TRY(make_tape(m, inputs, at, rates, q->rate_count, &q->rates));
        TAC_TRY(
            tac__bounds_make(arena, f->pool, inputs, at, rates, q->rate_count, &q->rate_bounds));
    }
    q->signals = tac__arena_array(arena, m->x->count, sizeof *q->signals);
    return q->signals ? make_scratch(arena, q) : TAC_E_MEMORY;
}

static tac_status make(maker *m, tac__arena *scratch)
{
    tac__expectation *x = m->x;
    bool possible;
    m->signals = tac__arena_array(scratch, x->count, sizeof *m->signals);
    const size_t count = tac__margin_side_count(x->margin);
    int32_t *sides = tac__arena_array(scratch, count, sizeof *sides);
    tac__form *q = tac__arena_alloc(&m->verdict->arena, sizeof *q);
    if (!m->signals || !sides || !q)
        return TAC_E_MEMORY;
    TAC_TRY(make_signals(m, &possible));
    if (!possible)
        return TAC_OK;
    const tac__expr_leaves leaves = {signal_term, m, m->formulas->time};
    TAC_TRY(tac__margin_sides(x->margin, scratch, m->formulas->pool, &leaves, sides));
    q->side_count = count;
    TAC_TRY(make_form(m, scratch, sides, q));
    x->form = q;
    return TAC_OK;
}

// A condition with a memory must see every sample, and one of several islands is at both ends of
// a step of one of them only.
static bool may_have_form(const tac__expectation *x)
{
    int island = -1;
    bool one = x->plant && !x->words && x->def.kind != TAC__EXPECT_STOP;
    for (size_t i = 0; i < x->count; i++) {
        const int own = x->seen[i].watched.island;
        one &= own < 0 || island < 0 || own == island;
        island = own < 0 ? island : own;
    }
    return one;
}

// The forms of list[*at] and those after it, until their pool has become much larger than the terms
// of the island: every form costs as much as the pool is large.
static tac_status make_some(tac_verdict *v, const tac__follower *f, size_t *at, tac_error *err)
{
    enum { SMALL = 1000 };
    tac_graph *graph;
    TAC_TRY(tac__graph_create(v->allocator, "", false, NULL, &graph, err));
    tac__terms *pool = tac__graph_pool(graph);
    tac__arena terms;
    tac__arena_init(&terms, v->allocator);
    tac__formulas formulas;
    tac_status status = tac__formulas_init(&formulas, v->engine, &terms, pool);
    size_t first = 0;
    while (*at < f->count && status == TAC_OK && pool->count <= 2 * first + SMALL) {
        tac__expectation *x = f->list[(*at)++];
        if (!may_have_form(x) || tac__expect_asks_once(x))
            continue;
        tac__arena scratch;
        tac__arena_init(&scratch, v->allocator);
        maker m = {v, x, &formulas, graph, NULL, err};
        status = make(&m, &scratch);
        if (status == TAC_E_LIMIT) { // too large: it looks into every step
            x->form = NULL;
            status = TAC_OK;
        }
        tac__arena_fini(&scratch);
        first = first ? first : pool->count;
    }
    tac__graph_destroy(graph);
    tac__arena_fini(&terms);
    return status == TAC_E_MEMORY ? tac__fail_memory(err) : status;
}

tac_status tac__expect_make_forms(tac_verdict *v, const tac__follower *f, tac_error *err)
{
    for (size_t at = 0; at < f->count;)
        TAC_TRY(make_some(v, f, &at, err));
    return TAC_OK;
}
