// tape.c - from a schedule to a tape.
//
// Three passes over the steps: which terms become part of the operation that uses them, how long
// each register is needed, and the operations themselves. Positions below are numbers of steps.
#include "graph/tape.h"
#include "graph/interleave.h"
#include "graph/tape_ops.h"

#include <string.h>

enum { OPERANDS = 4 };

typedef struct loop_place {
    int32_t loop, begin, end; // its number and its steps
    uint32_t code;            // where its body begins
    uint32_t counter;         // register
} loop_place;

typedef struct term_place {
    int32_t same;     // a term whose register it shares; itself: none
    int32_t uses;     // how many operations, regions, loops and outputs need it
    int32_t block;    // where it is computed: steps of a block are all done, or none
    int32_t defined;  // the step that computes it; -1: there from the beginning
    int32_t last_use; // a step; -1: none
    int32_t expires;  // the next term with the same last use; -1: none
    int32_t reg;      // -1: none
    bool silent;      // no operation of its own: computed by what uses it, or there already
    bool watched;     // a comparison that looks for NaN
} term_place;

typedef struct input_place {
    int32_t group, element; // of the graph
    int32_t term;
} input_place;

typedef struct maker {
    tac__arena *arena; // of the tape
    tac__arena memory; // of what is needed only here
    const tac_graph *graph;
    const tac__terms *pool;
    const tac__tape_options *options;
    tac__schedule schedule;
    term_place *places;
    input_place *inputs_at;      // of each input of the pool: where it is; group -1: nowhere
    int32_t *inputs, *constants; // terms
    size_t input_count, constant_count;
    TAC__CAPACITY(int32_t) input_capacity;
    TAC__CAPACITY(int32_t) constant_capacity;
    loop_place loops[TAC__TAPE_DEPTH]; // around the present step
    int depth;
    uint32_t *jumps;   // of each IF and ELSE: where its skip is in the code
    int32_t *expiring; // [steps + 1] the first term whose last use is there; -1: none
    uint32_t *free;    // registers
    size_t free_count;
    TAC__CAPACITY(uint32_t) free_capacity;
    int32_t *tables; // of the pool
    size_t table_count;
    TAC__CAPACITY(int32_t) table_capacity;
    uint32_t *code;
    size_t code_count;
    TAC__CAPACITY(uint32_t) code_capacity;
    tac__tape_op group_op; // the last operation that was put,
    size_t group_at;       // where,
    int group_size;        // and how many of it; 0: another one cannot join it
    uint32_t registers;
    bool no_memory;
    tac_error *err;
} maker;

// An operation of the tape and the terms it reads.
typedef struct operation {
    tac__tape_op op;
    int32_t operands[OPERANDS];
    int count;
} operation;

static term_place *place_of(const maker *m, int32_t term)
{
    while (m->places[term].same != term)
        term = m->places[term].same;
    return &m->places[term];
}

// --- what becomes one operation -----------------------------------------------------------------

static const tac__term *term_of(const maker *m, int32_t term)
{
    return &m->pool->terms[term];
}

static bool may_be_inside(const maker *m, int32_t term, int32_t user, tac__sym_op op)
{
    const term_place *p = &m->places[term];
    return term_of(m, term)->op == (int32_t)op && p->uses == 1 && !p->watched &&
           p->block == m->places[user].block;
}

static operation with_product(const maker *m, tac__tape_op op, int32_t product, int32_t other)
{
    const tac__term *p = term_of(m, product);
    return (operation){op, {p->a, p->b, other}, 3};
}

static operation choose_by(const maker *m, tac__tape_op op, const tac__term *t)
{
    const tac__term *c = term_of(m, t->a);
    return (operation){op, {c->a, c->b, t->b, t->c}, 4};
}

// A watched comparison of an input with a constant reads the input where it is.
static bool is_direct(const maker *m, int32_t term, int32_t *input, double *constant,
                      tac__tape_op *op)
{
    const tac__term *t = term_of(m, term);
    if (!m->places[term].watched)
        return false;
    const bool swap = term_of(m, t->a)->op == TAC__SYM_constant;
    *input = swap ? t->b : t->a;
    const tac__term *other = term_of(m, swap ? t->a : t->b);
    if (term_of(m, *input)->op != TAC__SYM_input || other->op != TAC__SYM_constant ||
        other->value != other->value)
        return false;
    const int32_t group = m->inputs_at[term_of(m, *input)->a].group;
    *constant = other->value;
    *op = t->op == TAC__SYM_eq   ? TAC__TAPE_input_eq
          : t->op == TAC__SYM_lt ? (swap ? TAC__TAPE_input_gt : TAC__TAPE_input_lt)
                                 : (swap ? TAC__TAPE_input_ge : TAC__TAPE_input_le);
    return group >= 0 && group != m->options->given && group != m->options->params;
}

static operation plain(const maker *m, int32_t term)
{
    const tac__term *t = term_of(m, term);
    operation o = {.count = tac__op_operands((tac__sym_op)t->op)};
    for (int k = 0; k < o.count; k++)
        o.operands[k] = tac__term_operand(t, k);
    if (t->op == TAC__SYM_pick || t->op == TAC__SYM_segment)
        o.op = t->op == TAC__SYM_pick ? TAC__TAPE_pick : TAC__TAPE_segment;
    else if (m->places[term].watched)
        o.op = (tac__tape_op)(TAC__TAPE_watch_lt + (t->op - TAC__SYM_lt));
    else
        o.op = (tac__tape_op)(TAC__TAPE_neg + (t->op - TAC__SYM_neg));
    return o;
}

// The operation of a term; `*inside` becomes the operand that it computes itself, or -1.
static operation fuse(const maker *m, int32_t term, int32_t *inside)
{
    const tac__term *t = term_of(m, term);
    *inside = -1;
    switch (t->op) {
    case TAC__SYM_add:
        if (may_be_inside(m, t->a, term, TAC__SYM_mul))
            return *inside = t->a, with_product(m, TAC__TAPE_mul_add, t->a, t->b);
        if (may_be_inside(m, t->b, term, TAC__SYM_mul))
            return *inside = t->b, with_product(m, TAC__TAPE_mul_add, t->b, t->a);
        break;
    case TAC__SYM_sub:
        if (may_be_inside(m, t->a, term, TAC__SYM_mul))
            return *inside = t->a, with_product(m, TAC__TAPE_mul_sub, t->a, t->b);
        if (may_be_inside(m, t->b, term, TAC__SYM_mul))
            return *inside = t->b, with_product(m, TAC__TAPE_sub_mul, t->b, t->a);
        break;
    case TAC__SYM_select:
        if (may_be_inside(m, t->a, term, TAC__SYM_lt))
            return *inside = t->a, choose_by(m, TAC__TAPE_select_lt, t);
        if (may_be_inside(m, t->a, term, TAC__SYM_le))
            return *inside = t->a, choose_by(m, TAC__TAPE_select_le, t);
        break;
    default:
        break;
    }
    return plain(m, term);
}

// --- going through the steps --------------------------------------------------------------------

// What a step reads, besides the operands of a term.
typedef void use_fn(maker *m, int32_t term, int32_t position);

static void use_at_begin(maker *m, int32_t loop, int32_t position, use_fn *use)
{
    const tac__loop *l = &m->pool->loops[loop];
    for (int k = 0; k < l->count; k++)
        use(m, l->initial[k], position);
}

static void use_at_end(maker *m, int32_t loop, int32_t position, use_fn *use)
{
    const tac__loop *l = &m->pool->loops[loop];
    for (int k = 0; k < l->count; k++) {
        use(m, l->next[k], position);
        use(m, l->variable[k], position);
    }
    use(m, l->settled, position);
    use(m, l->residual, position);
}

static void use_outputs(maker *m, use_fn *use)
{
    for (size_t g = 0; g < m->graph->out_count; g++) {
        for (size_t i = 0; i < m->graph->out[g].count; i++)
            use(m, m->graph->out[g].terms[i], (int32_t)m->schedule.count);
    }
}

static bool enter_loop(maker *m, int32_t position)
{
    const tac__step *step = &m->schedule.steps[position];
    if (m->depth == TAC__TAPE_DEPTH)
        return false;
    m->loops[m->depth++] = (loop_place){.loop = step->term, .begin = position, .end = step->other};
    return true;
}

static bool ends_loop(const maker *m, const tac__step *step)
{
    return step->kind == TAC__STEP_END && m->schedule.steps[step->other].kind == TAC__STEP_LOOP;
}

// --- first pass: uses and blocks ----------------------------------------------------------------

static void count_use(maker *m, int32_t term, int32_t position)
{
    (void)position;
    place_of(m, term)->uses++;
}

// A result of a loop is the register of the variable, or of the export.
static void share_result(maker *m, int32_t term)
{
    const tac__term *t = term_of(m, term);
    const tac__loop *l = &m->pool->loops[t->a];
    const int32_t source = t->b < l->count ? l->variable[t->b] : l->exported[t->b - l->count];
    m->places[term].same = source;
    m->places[term].silent = true;
    count_use(m, source, 0);
}

static void count_step(maker *m, int32_t position, int32_t block)
{
    const tac__step *step = &m->schedule.steps[position];
    const tac__term *t = term_of(m, step->term);
    switch (step->kind) {
    case TAC__STEP_TERM:
        m->places[step->term].block = block;
        if (t->op == TAC__SYM_result)
            share_result(m, step->term);
        for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++)
            count_use(m, tac__term_operand(t, k), position);
        break;
    case TAC__STEP_IF:
        count_use(m, step->term, position);
        break;
    case TAC__STEP_LOOP:
        use_at_begin(m, step->term, position, count_use);
        break;
    case TAC__STEP_END:
        if (ends_loop(m, step))
            use_at_end(m, step->term, position, count_use);
        break;
    default:
        break;
    }
}

static bool count_uses(maker *m)
{
    int32_t *outer = NULL, block = 0, blocks = 0;
    size_t count = 0;
    TAC__CAPACITY(int32_t) capacity = {0};
    for (int32_t i = 0; i < (int32_t)m->schedule.count && !m->no_memory; i++) {
        const tac__step_kind kind = m->schedule.steps[i].kind;
        if (kind == TAC__STEP_IF || kind == TAC__STEP_LOOP) {
            if (!TAC__ARENA_GROW(&m->memory, outer, count, capacity))
                return false;
            outer[count++] = block;
        }
        if (kind == TAC__STEP_END)
            block = outer[--count];
        else if (kind != TAC__STEP_TERM)
            block = ++blocks;
        count_step(m, i, block);
    }
    use_outputs(m, count_use);
    return !m->no_memory;
}

_Static_assert((int)TAC__TAPE_OPS <= (int)TAC__KINDS, "operations are kinds");

// Equal operations one after the other.
static tac_status interleave(maker *m)
{
    int32_t *kinds = tac__arena_array(&m->memory, m->pool->count, sizeof *kinds);
    if (!kinds)
        return tac__fail_memory(m->err);
    for (size_t i = 0; i < m->schedule.count; i++) {
        const int32_t term = m->schedule.steps[i].term;
        int32_t inside;
        if (m->schedule.steps[i].kind != TAC__STEP_TERM || m->places[term].silent)
            continue;
        kinds[term] = (int32_t)fuse(m, term, &inside).op;
        if (inside >= 0)
            kinds[inside] = -1;
    }
    return tac__schedule_interleave(m->arena->allocator, m->pool, kinds, &m->schedule, m->err);
}

// Where a region is skipped for certain, `a AND b` is a, and then b in the same register: one
// operation less. A condition that is used elsewhere keeps its own register.
static void share_logic(maker *m, int32_t i)
{
    const tac__step *step = &m->schedule.steps[i];
    const tac__term *t = term_of(m, step->term);
    if (step->kind != TAC__STEP_TERM || i == 0 || step[-1].kind != TAC__STEP_END ||
        (t->op != TAC__SYM_logic_and && t->op != TAC__SYM_logic_or))
        return;
    const term_place *a = &m->places[t->a], *b = &m->places[t->b];
    if (a->defined < 0 || b->defined < 0 || a->uses != 2 || b->uses != 1 || step[-1].term != t->a ||
        m->schedule.steps[step[-1].other].kind != TAC__STEP_IF)
        return;
    place_of(m, t->b)->same = t->a;
    m->places[step->term].same = t->a;
    m->places[step->term].silent = true;
}

// --- second pass: how long registers are needed -------------------------------------------------

static void list_leaf(maker *m, int32_t term)
{
    const int32_t op = term_of(m, term)->op;
    if (op == TAC__SYM_constant) {
        if (!TAC__ARENA_GROW(&m->memory, m->constants, m->constant_count, m->constant_capacity))
            m->no_memory = true;
        else
            m->constants[m->constant_count++] = term;
    } else if (op == TAC__SYM_input) {
        if (!TAC__ARENA_GROW(&m->memory, m->inputs, m->input_count, m->input_capacity))
            m->no_memory = true;
        else
            m->inputs[m->input_count++] = term;
    }
}

// What was there before a loop is needed in all its rounds.
static void extend_use(maker *m, int32_t term, int32_t position)
{
    term_place *p = place_of(m, term);
    for (int i = m->depth - 1; i >= 0 && m->loops[i].begin > p->defined; i--)
        position = m->loops[i].end;
    if (p->last_use < 0)
        list_leaf(m, (int32_t)(p - m->places));
    if (p->last_use < position)
        p->last_use = position;
}

static void extend_operands(maker *m, int32_t term, int32_t position)
{
    int32_t inside, input;
    double constant;
    tac__tape_op op;
    if (is_direct(m, term, &input, &constant, &op))
        return;
    const operation o = fuse(m, term, &inside);
    if (inside >= 0)
        m->places[inside].silent = true;
    for (int k = 0; k < o.count; k++)
        extend_use(m, o.operands[k], position);
}

static bool extend_step(maker *m, int32_t i)
{
    const tac__step *step = &m->schedule.steps[i];
    const int32_t op = term_of(m, step->term)->op;
    switch (step->kind) {
    case TAC__STEP_TERM:
        if (m->places[step->term].same != step->term)
            extend_use(m, step->term, i);
        if (op != TAC__SYM_result)
            extend_operands(m, step->term, i);
        return true;
    case TAC__STEP_IF:
    case TAC__STEP_ELSE:
        extend_use(m, step->term, i);
        return true;
    case TAC__STEP_LOOP:
        use_at_begin(m, step->term, i, extend_use);
        if (!enter_loop(m, i))
            return false;
        return true;
    default:
        if (ends_loop(m, step)) {
            use_at_end(m, step->term, i, extend_use);
            m->depth--;
        }
        return true;
    }
}

static void define_terms(maker *m)
{
    for (size_t i = 0; i < m->schedule.count; i++) {
        const tac__step *step = &m->schedule.steps[i];
        if (step->kind == TAC__STEP_TERM && term_of(m, step->term)->op != TAC__SYM_result)
            m->places[step->term].defined = (int32_t)i;
        const tac__loop *l = step->kind == TAC__STEP_LOOP ? &m->pool->loops[step->term] : NULL;
        for (int k = 0; l && k < l->count; k++)
            m->places[l->variable[k]].defined = (int32_t)i;
    }
}

// False: loops are nested too deep.
static bool extend_uses(maker *m)
{
    define_terms(m);
    for (int32_t i = 0; i < (int32_t)m->schedule.count && m->options->numbers; i++)
        share_logic(m, i);
    for (int32_t i = 0; i < (int32_t)m->schedule.count; i++) {
        if (!extend_step(m, i))
            return false;
    }
    use_outputs(m, extend_use);
    return true;
}

// --- third pass: registers and code -------------------------------------------------------------

static void put(maker *m, uint32_t word)
{
    if (m->no_memory || !TAC__ARENA_GROW(&m->memory, m->code, m->code_count, m->code_capacity))
        m->no_memory = true;
    else
        m->code[m->code_count++] = word;
}

// The first of the groups of an operation, that of two; 0: it has none.
static uint32_t group_of(tac__tape_op op)
{
    switch (op) {
#define CASE(name)                                                                                 \
    case TAC__TAPE_##name:                                                                         \
        return TAC__TAPE_##name##_2;
        TAC__TAPE_GROUPED(CASE)
#undef CASE
    default:
        return 0;
    }
}

// An operation, which joins the one before it where that is of its kind.
static void begin_operation(maker *m, tac__tape_op op)
{
    const uint32_t group = group_of(op);
    if (m->group_size > 0 && m->group_size < TAC__GROUP && m->group_op == op) {
        m->group_size++;
        m->code[m->group_at] = group + (uint32_t)m->group_size - 2;
        return;
    }
    m->group_at = m->code_count;
    m->group_op = op;
    put(m, (uint32_t)op);
    m->group_size = group > 0 && !m->no_memory;
}

static uint32_t new_register(maker *m)
{
    return m->free_count > 0 ? m->free[--m->free_count] : m->registers++;
}

static void take_register(maker *m, int32_t term)
{
    m->places[term].reg = (int32_t)new_register(m);
}

static void give_register(maker *m, uint32_t reg)
{
    if (!TAC__ARENA_GROW(&m->memory, m->free, m->free_count, m->free_capacity))
        m->no_memory = true;
    else
        m->free[m->free_count++] = reg;
}

static uint32_t register_of(const maker *m, int32_t term)
{
    const int32_t reg = place_of(m, term)->reg;
    TAC_ASSERT(reg >= 0);
    return (uint32_t)reg;
}

// Registers of which this step is the last use.
static void release(maker *m, int32_t position)
{
    for (int32_t t = m->expiring[position]; t >= 0; t = m->places[t].expires) {
        give_register(m, register_of(m, t));
        m->places[t].reg = -1;
    }
}

// The number of a table on the tape.
static uint32_t table_of(maker *m, int32_t table)
{
    for (size_t i = 0; i < m->table_count; i++) {
        if (m->tables[i] == table)
            return (uint32_t)i;
    }
    if (!TAC__ARENA_GROW(&m->memory, m->tables, m->table_count, m->table_capacity)) {
        m->no_memory = true;
        return 0;
    }
    m->tables[m->table_count++] = table;
    return (uint32_t)m->table_count - 1;
}

static void put_direct(maker *m, int32_t input, double constant)
{
    const input_place *place = &m->inputs_at[term_of(m, input)->a];
    uint32_t words[2];
    memcpy(words, &constant, sizeof words);
    put(m, 0);
    put(m, (uint32_t)place->group);
    put(m, (uint32_t)place->element);
    put(m, words[0]);
    put(m, words[1]);
}

static void put_operands(maker *m, int32_t term, const operation *o)
{
    const tac__term *t = term_of(m, term);
    put(m, 0);
    for (int k = 0; k < o->count; k++)
        put(m, register_of(m, o->operands[k]));
    if (t->op == TAC__SYM_pick || t->op == TAC__SYM_segment)
        put(m, table_of(m, t->b));
}

static void put_term(maker *m, int32_t term, int32_t position)
{
    int32_t input, inside;
    double constant;
    tac__tape_op op;
    operation o = {0};
    const bool direct = is_direct(m, term, &input, &constant, &op);
    if (!direct)
        o = fuse(m, term, &inside);
    begin_operation(m, direct ? op : o.op);
    const size_t to = m->code_count;
    if (direct)
        put_direct(m, input, constant);
    else
        put_operands(m, term, &o);
    release(m, position);
    if (place_of(m, term)->reg < 0)
        take_register(m, term);
    if (!m->no_memory)
        m->code[to] = register_of(m, term);
}

static void put_skip(maker *m, tac__tape_op op, int32_t position)
{
    m->jumps[position] = (uint32_t)m->code_count;
    put(m, (uint32_t)op);
    put(m, register_of(m, m->schedule.steps[position].term));
    put(m, 0);
}

// The skip that was put for a step leads to here.
static void land(maker *m, int32_t position)
{
    const uint32_t from = m->jumps[position];
    if (from != UINT32_MAX && !m->no_memory)
        m->code[from + 2] = (uint32_t)m->code_count - from;
}

static void put_if(maker *m, int32_t i)
{
    m->jumps[i] = UINT32_MAX;
    if (m->schedule.steps[i].other != i + 1) // the first part is not empty
        put_skip(m, TAC__TAPE_skip_unless, i);
}

static void put_else(maker *m, int32_t i)
{
    put_skip(m, TAC__TAPE_skip_if, i);
    land(m, m->schedule.steps[m->schedule.steps[i].other].other);
}

static void put_end(maker *m, int32_t i)
{
    const int32_t begin = m->schedule.steps[i].other, other = m->schedule.steps[begin].other;
    land(m, other == i ? begin : other);
}

static void put_loop(maker *m, int32_t i)
{
    const int32_t loop = m->schedule.steps[i].term;
    const tac__loop *l = &m->pool->loops[loop];
    (void)enter_loop(m, i);
    loop_place *place = &m->loops[m->depth - 1];
    place->counter = new_register(m);
    put(m, TAC__TAPE_loop);
    put(m, (uint32_t)m->depth - 1);
    put(m, place->counter);
    put(m, (uint32_t)l->rounds);
    put(m, (uint32_t)l->count);
    const size_t pairs = m->code_count;
    for (int k = 0; k < l->count; k++) {
        put(m, 0);
        put(m, register_of(m, l->initial[k]));
    }
    release(m, i);
    for (int k = 0; k < l->count; k++) {
        take_register(m, l->variable[k]);
        if (!m->no_memory)
            m->code[pairs + 2 * (size_t)k] = register_of(m, l->variable[k]);
    }
    place->code = (uint32_t)m->code_count;
}

// Exports of which the result is needed still have a register.
static void put_exports(maker *m, const tac__loop *l)
{
    const size_t count_at = m->code_count - 1 - 2 * (size_t)l->count;
    uint32_t exports = 0;
    for (int k = 0; k < l->exports; k++) {
        if (place_of(m, l->exported[k])->reg < 0)
            continue;
        put(m, register_of(m, l->exported[k]));
        exports++;
    }
    if (!m->no_memory)
        m->code[count_at] = exports;
}

static void put_round(maker *m, int32_t i)
{
    const int32_t loop = m->schedule.steps[i].term;
    const tac__loop *l = &m->pool->loops[loop];
    const uint32_t here = (uint32_t)m->code_count;
    const loop_place *place = &m->loops[m->depth - 1];
    put(m, TAC__TAPE_round);
    put(m, (uint32_t)m->depth - 1);
    put(m, place->counter);
    put(m, (uint32_t)l->rounds);
    put(m, here - place->code);
    put(m, register_of(m, l->settled));
    put(m, register_of(m, l->residual));
    put(m, (uint32_t)l->count);
    put(m, 0);
    for (int k = 0; k < l->count; k++) {
        put(m, register_of(m, l->variable[k]));
        put(m, register_of(m, l->next[k]));
    }
    put_exports(m, l);
    give_register(m, place->counter);
    m->depth--;
}

static void put_step(maker *m, int32_t i)
{
    const tac__step *step = &m->schedule.steps[i];
    if (step->kind != TAC__STEP_TERM)
        m->group_size = 0; // jumps lead to between operations
    switch (step->kind) {
    case TAC__STEP_TERM:
        if (!m->places[step->term].silent) {
            put_term(m, step->term, i);
            return;
        }
        break;
    case TAC__STEP_IF:
        put_if(m, i);
        break;
    case TAC__STEP_ELSE:
        put_else(m, i);
        break;
    case TAC__STEP_LOOP:
        put_loop(m, i);
        return;
    case TAC__STEP_END:
        if (ends_loop(m, step))
            put_round(m, i);
        else
            put_end(m, i);
        break;
    }
    release(m, i);
}

// --- inputs -------------------------------------------------------------------------------------

// Where each input of the pool is among the groups of the graph.
static bool place_inputs(maker *m)
{
    const size_t count = m->pool->input_count;
    input_place *places = m->inputs_at = tac__arena_array(&m->memory, count + 1, sizeof *places);
    for (size_t i = 0; places && i < count; i++)
        places[i].group = -1;
    for (size_t g = 0; places && g < m->graph->in_count; g++) {
        const tac__group *group = &m->graph->in[g];
        for (size_t i = 0; i < group->count; i++)
            places[term_of(m, group->terms[i])->a] =
                (input_place){(int32_t)g, (int32_t)i, group->terms[i]};
    }
    return places != NULL;
}

// One load for inputs that follow one another.
static void put_loads(maker *m, const int32_t *order, const input_place *places, size_t count)
{
    for (size_t i = 0; i < count;) {
        const input_place *first = &places[order[i]];
        size_t run = 1;
        while (i + run < count && places[order[i + run]].group == first->group &&
               places[order[i + run]].element == first->element + (int32_t)run)
            run++;
        put(m, first->group == m->options->params ? TAC__TAPE_load_param : TAC__TAPE_load);
        put(m, m->registers);
        put(m, (uint32_t)first->group);
        put(m, (uint32_t)first->element);
        put(m, (uint32_t)run);
        for (size_t k = 0; k < run; k++)
            m->places[places[order[i + k]].term].reg = (int32_t)m->registers++;
        i += run;
    }
}

// The inputs that are needed, group by group.
static tac_status load_inputs(maker *m)
{
    const input_place *places = m->inputs_at;
    int32_t *order = tac__arena_array(&m->memory, m->input_count + 1, sizeof *order);
    size_t count = 0;
    if (!order)
        return tac__fail_memory(m->err);
    for (size_t i = 0; i < m->input_count; i++) {
        if (places[term_of(m, m->inputs[i])->a].group < 0)
            return tac__fail(m->err, TAC_E_CALLER, "an input of the graph is in no group");
    }
    for (size_t g = 0; g < m->graph->in_count; g++) {
        const tac__group *group = &m->graph->in[g];
        for (size_t i = 0; i < group->count && (int)g != m->options->given; i++) {
            const int32_t number = term_of(m, group->terms[i])->a;
            const bool here =
                places[number].group == (int32_t)g && places[number].element == (int32_t)i;
            if (here && m->places[group->terms[i]].last_use >= 0)
                order[count++] = number;
        }
    }
    put_loads(m, order, places, count);
    return TAC_OK;
}

// --- the whole ----------------------------------------------------------------------------------

static bool begin(maker *m)
{
    const size_t terms = m->pool->count, steps = m->schedule.count;
    m->places = tac__arena_array(&m->memory, terms + 1, sizeof *m->places);
    m->jumps = tac__arena_array(&m->memory, steps + 1, sizeof *m->jumps);
    m->expiring = tac__arena_array(&m->memory, steps + 1, sizeof *m->expiring);
    if (!m->places || !m->jumps || !m->expiring)
        return false;
    for (size_t i = 0; i < terms; i++)
        m->places[i] = (term_place){
            .same = (int32_t)i, .defined = -1, .last_use = -1, .expires = -1, .reg = -1};
    for (size_t i = 0; i <= steps; i++)
        m->expiring[i] = -1;
    for (size_t i = 0; i < m->options->watched_count; i++)
        m->places[m->options->watched[i]].watched = true;
    return place_inputs(m);
}

static void list_expiring(maker *m)
{
    for (int32_t t = (int32_t)m->pool->count - 1; t >= 0; t--) {
        const int32_t last = m->places[t].last_use;
        if (last < 0 || last == (int32_t)m->schedule.count)
            continue;
        m->places[t].expires = m->expiring[last];
        m->expiring[last] = t;
    }
}

static tac_status put_code(maker *m)
{
    const tac__group *given = m->options->given < 0 ? NULL : &m->graph->in[m->options->given];
    list_expiring(m);
    for (size_t i = 0; i < m->constant_count; i++)
        m->places[m->constants[i]].reg = (int32_t)m->registers++;
    for (size_t i = 0; given && i < given->count; i++)
        m->places[given->terms[i]].reg = (int32_t)m->registers++;
    TAC_TRY(load_inputs(m));
    for (int32_t i = 0; i < (int32_t)m->schedule.count && !m->no_memory; i++)
        put_step(m, i);
    put(m, TAC__TAPE_end);
    return m->no_memory ? tac__fail_memory(m->err) : TAC_OK;
}

static bool copy_constants(const maker *m, tac__tape *tape)
{
    double *constants = tac__arena_array(m->arena, m->constant_count + 1, sizeof *constants);
    for (size_t i = 0; constants && i < m->constant_count; i++)
        constants[i] = term_of(m, m->constants[i])->value;
    tape->constants = constants;
    tape->constant_count = (uint32_t)m->constant_count;
    return constants != NULL;
}

static bool copy_tables(const maker *m, tac__tape *tape)
{
    tac__sym_table *tables = tac__arena_array(m->arena, m->table_count + 1, sizeof *tables);
    for (size_t i = 0; tables && i < m->table_count; i++) {
        const tac__sym_table *from = &m->pool->tables[m->tables[i]];
        double *data = tac__arena_array(m->arena, (size_t)from->count, sizeof *data);
        if (!data)
            return false;
        memcpy(data, from->data, (size_t)from->count * sizeof *data);
        tables[i] = (tac__sym_table){data, from->count};
    }
    tape->tables = tables;
    tape->table_count = m->table_count;
    return tables != NULL;
}

static bool copy_outs(const maker *m, tac__tape *tape)
{
    size_t count = 0;
    for (size_t g = 0; g < m->graph->out_count; g++)
        count += m->graph->out[g].count;
    tac__tape_out *outs = tac__arena_array(m->arena, count + 1, sizeof *outs);
    for (size_t g = 0; outs && g < m->graph->out_count; g++) {
        for (size_t i = 0; i < m->graph->out[g].count; i++)
            outs[tape->out_count++] = (tac__tape_out){(uint32_t)g, (uint32_t)i,
                                                      register_of(m, m->graph->out[g].terms[i])};
    }
    tape->outs = outs;
    return outs != NULL;
}

static tac_status finish(const maker *m, tac__tape **made)
{
    tac__tape *tape = tac__arena_alloc(m->arena, sizeof *tape);
    uint32_t *code = tac__arena_array(m->arena, m->code_count, sizeof *code);
    if (!tape || !code || !copy_constants(m, tape) || !copy_tables(m, tape) || !copy_outs(m, tape))
        return tac__fail_memory(m->err);
    memcpy(code, m->code, m->code_count * sizeof *code);
    tape->code = code;
    tape->code_count = m->code_count;
    tape->given = tape->constant_count;
    tape->registers = m->registers;
    *made = tape;
    return TAC_OK;
}

static tac_status make(maker *m, tac__tape **tape)
{
    TAC_TRY(tac__schedule_graph(&m->memory, m->graph, m->options->regions, &m->schedule, m->err));
    if (!begin(m) || !count_uses(m))
        return tac__fail_memory(m->err);
    TAC_TRY(interleave(m));
    if (!extend_uses(m))
        return tac__fail(m->err, TAC_E_LIMIT, "loops of a graph are nested more than %d deep",
                         TAC__TAPE_DEPTH);
    TAC_TRY(put_code(m));
    return finish(m, tape);
}

tac_status tac__tape_make_as(tac__arena *arena, const tac_graph *graph,
                             const tac__tape_options *options, tac__tape **tape, tac_error *err)
{
    maker m = {.arena = arena,
               .graph = graph,
               .pool = tac__graph_pool(graph),
               .options = options,
               .err = err};
    *tape = NULL;
    tac__arena_init(&m.memory, arena->allocator);
    const tac_status status = make(&m, tape);
    tac__arena_fini(&m.memory);
    return status;
}

tac_status tac__tape_make(tac__arena *arena, const tac_graph *graph, tac__tape **tape,
                          tac_error *err)
{
    const tac__tape_options options = {.params = -1, .given = -1};
    return tac__tape_make_as(arena, graph, &options, tape, err);
}

static bool same_tables(const tac__tape *a, const tac__tape *b)
{
    if (a->table_count != b->table_count)
        return false;
    for (size_t i = 0; i < a->table_count; i++) {
        const tac__sym_table *x = &a->tables[i], *y = &b->tables[i];
        if (x->count != y->count || memcmp(x->data, y->data, (size_t)x->count * sizeof *x->data))
            return false;
    }
    return true;
}

bool tac__tape_same(const tac__tape *a, const tac__tape *b)
{
    return a->code_count == b->code_count && a->constant_count == b->constant_count &&
           a->given == b->given && a->registers == b->registers && a->out_count == b->out_count &&
           !memcmp(a->code, b->code, a->code_count * sizeof *a->code) &&
           !memcmp(a->constants, b->constants, a->constant_count * sizeof *a->constants) &&
           same_tables(a, b) && !memcmp(a->outs, b->outs, a->out_count * sizeof *a->outs);
}

void tac__tape_run(const tac__tape *tape, const double *const *in, double *const *out, double *work)
{
    tac__tape_run_f64(tape, in, out, work);
}
