// terms.c - see terms.h.
#include "graph/terms.h"
#include "base/hash.h"
#include "graph/simplify.h"

#include <math.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 };

void tac__terms_init(tac__terms *pool, const tac_allocator *allocator, bool fast)
{
    *pool = (tac__terms){.fast = fast};
    tac__arena_init(&pool->arena, allocator);
}

void tac__terms_fini(tac__terms *pool)
{
    tac__arena_fini(&pool->arena);
}

tac_status tac__terms_status(const tac__terms *pool, tac_error *err)
{
    if (pool->status == TAC_E_MEMORY)
        return tac__fail_memory(err);
    if (pool->status == TAC_E_LIMIT)
        return tac__fail(err, TAC_E_LIMIT, "a graph has at most %d terms", TAC__TERMS_MAX);
    return pool->status;
}

// --- operations ---------------------------------------------------------------------------------

static const struct {
    const char *name;
    int operands;
} ops[TAC__SYM_OPS] = {[TAC__SYM_constant] = {"constant", 0},
                       [TAC__SYM_input] = {"input", 0},
                       [TAC__SYM_pick] = {"pick", 1},
                       [TAC__SYM_segment] = {"segment", 1},
                       [TAC__SYM_variable] = {"variable", 0},
                       [TAC__SYM_result] = {"result", 0},
#define BASIC(name, operands)    [TAC__SYM_##name] = {#name, operands},
#define FUNCTION_1(name, unused) [TAC__SYM_##name] = {#name, 1},
#define FUNCTION_2(name, unused) [TAC__SYM_##name] = {#name, 2},
                       TAC__SYM_BASIC_OPS(BASIC) TAC__ELEMENTARY_1(FUNCTION_1)
                           TAC__ELEMENTARY_2(FUNCTION_2)};

int tac__op_operands(tac__sym_op op)
{
    return ops[op].operands;
}

const char *tac__op_name(tac__sym_op op)
{
    return ops[op].name;
}

bool tac__op_is_condition(tac__sym_op op)
{
    return op >= TAC__SYM_lt && op <= TAC__SYM_logic_not;
}

// --- the pool -----------------------------------------------------------------------------------

// Twice as many slots as terms at least, a power of two.
static bool grow_slots(tac__terms *pool);

static int32_t fail(tac__terms *pool, tac_status status)
{
    if (pool->status == TAC_OK)
        pool->status = status;
    return 0;
}

static uint64_t words_of(const tac__term *t, uint64_t *second)
{
    uint64_t words[2];
    memcpy(words, t, sizeof words);
    *second = words[1];
    return words[0];
}

static bool equal(const tac__term *s, const tac__term *t)
{
    uint64_t s1, t1;
    return words_of(s, &s1) == words_of(t, &t1) && s1 == t1;
}

static size_t slot_of(const tac__terms *pool, const tac__term *t)
{
    uint64_t second;
    const uint64_t first = words_of(t, &second);
    const uint64_t h = tac__hash_end(tac__hash_word(tac__hash_word(0, first), second));
    size_t slot = (size_t)h & (pool->slot_count - 1);
    while (pool->slots[slot] >= 0 && !equal(&pool->terms[pool->slots[slot]], t))
        slot = (slot + 1) & (pool->slot_count - 1);
    return slot;
}

static bool grow_slots(tac__terms *pool)
{
    const size_t count = pool->slot_count ? 2 * pool->slot_count : FIRST_SLOTS;
    int32_t *slots = tac__arena_array(&pool->arena, count, sizeof *slots);
    if (!slots)
        return false;
    if (pool->slots)
        tac__arena_release(&pool->arena, pool->slots);
    memset(slots, -1, count * sizeof *slots);
    pool->slots = slots;
    pool->slot_count = count;
    for (size_t i = 0; i < pool->count; i++)
        slots[slot_of(pool, &pool->terms[i])] = (int32_t)i;
    return true;
}

// The term itself, which is in the pool once. A pool that failed has at least one term.
static int32_t put(tac__terms *pool, const tac__term *t)
{
    if (pool->status != TAC_OK && pool->count)
        return 0;
    if (2 * (pool->count + 1) > pool->slot_count && !grow_slots(pool))
        return fail(pool, TAC_E_MEMORY);
    const size_t slot = slot_of(pool, t);
    if (pool->slots[slot] >= 0)
        return pool->slots[slot];
    if (pool->count >= TAC__TERMS_MAX)
        return fail(pool, TAC_E_LIMIT);
    if (!TAC__ARENA_GROW(&pool->arena, pool->terms, pool->count, pool->capacity))
        return fail(pool, TAC_E_MEMORY);
    pool->slots[slot] = (int32_t)pool->count;
    pool->terms[pool->count] = *t;
    return (int32_t)pool->count++;
}

// Forget all terms from number `count` on; nothing else may know of them. The last one is always
// the one that was put into its slot last, so that no other term was put further because of it.
static void take_back(tac__terms *pool, size_t count)
{
    while (pool->count > count) {
        const size_t slot = slot_of(pool, &pool->terms[pool->count - 1]);
        pool->slots[slot] = -1;
        pool->count--;
    }
}

int32_t tac__term_constant(tac__terms *pool, double value)
{
    const tac__term t = {.op = TAC__SYM_constant, .value = value == value ? value : (double)NAN};
    return put(pool, &t);
}

int32_t tac__term_input(tac__terms *pool)
{
    const tac__term t = {.op = TAC__SYM_input, .a = (int32_t)pool->input_count++};
    return put(pool, &t);
}

static bool is_all_constant(const tac__terms *pool, const tac__term *t, int operands)
{
    for (int k = 0; k < operands; k++) {
        if (!tac__term_is_constant(pool, tac__term_operand(t, k)))
            return false;
    }
    return operands > 0;
}

static double value_of(const tac__terms *pool, int32_t term)
{
    return pool->terms[term].value;
}

int32_t tac__term_make(tac__terms *pool, tac__sym_op op, int32_t a, int32_t b, int32_t c)
{
    if (pool->status != TAC_OK)
        return 0;
    const int operands = ops[op].operands;
    tac__term t = {.op = (int32_t)op, .a = a};
    t.b = operands > 1 ? b : -1;
    t.c = operands > 2 ? c : -1;
    if (is_all_constant(pool, &t, operands))
        return tac__term_constant(pool, tac__op_apply(op, value_of(pool, a),
                                                      operands > 1 ? value_of(pool, b) : 0,
                                                      operands > 2 ? value_of(pool, c) : 0));
    const int32_t same = tac__simplify(pool, &t);
    return same >= 0 ? same : put(pool, &t);
}

// --- tables -------------------------------------------------------------------------------------

// Tables are few: equal ones are found one by one.
static int32_t table_of(tac__terms *pool, const double *data, int count)
{
    const size_t bytes = (size_t)count * sizeof *data;
    for (size_t i = 0; i < pool->table_count; i++) {
        if (pool->tables[i].count == count && !memcmp(pool->tables[i].data, data, bytes))
            return (int32_t)i;
    }
    double *copy = tac__arena_array(&pool->arena, (size_t)count, sizeof *copy);
    if (!copy ||
        !TAC__ARENA_GROW(&pool->arena, pool->tables, pool->table_count, pool->table_capacity))
        return fail(pool, TAC_E_MEMORY);
    memcpy(copy, data, bytes);
    pool->tables[pool->table_count] = (tac__sym_table){copy, count};
    return (int32_t)pool->table_count++;
}

static double segment(const double *x, int n, double at)
{
    int index = 0;
    for (int i = 1; i < n - 1; i++)
        index += at >= x[i];
    return index;
}

int32_t tac__term_pick(tac__terms *pool, const double *data, int count, int32_t index)
{
    if (pool->status != TAC_OK)
        return 0;
    if (tac__term_is_constant(pool, index))
        return tac__term_constant(pool, data[(int)value_of(pool, index)]);
    tac__term t = {.op = TAC__SYM_pick, .a = index};
    t.b = table_of(pool, data, count);
    t.c = -1;
    return put(pool, &t);
}

int32_t tac__term_segment(tac__terms *pool, const double *x, int n, int32_t at)
{
    if (pool->status != TAC_OK)
        return 0;
    if (n <= 2 || tac__term_is_constant(pool, at))
        return tac__term_constant(pool, n <= 2 ? 0 : segment(x, n, value_of(pool, at)));
    tac__term t = {.op = TAC__SYM_segment, .a = at};
    t.b = table_of(pool, x, n);
    t.c = -1;
    return put(pool, &t);
}

// --- the sym kind -------------------------------------------------------------------------------

static tac__sym_value constant(double value)
{
    return (tac__sym_value){.pool = NULL, .value = value};
}

tac__sym_value tac__sym_of(tac__terms *pool, int32_t term)
{
    if (pool->status != TAC_OK)
        return (tac__sym_value){.pool = pool};
    if (tac__term_is_constant(pool, term))
        return constant(value_of(pool, term));
    return (tac__sym_value){.pool = pool, .id = term};
}

int32_t tac__term_of(tac__terms *pool, tac__sym_value value)
{
    TAC_ASSERT(!value.pool || value.pool == pool);
    return value.pool ? value.id : tac__term_constant(pool, value.value);
}

tac__sym_value tac__sym_make(tac__sym_op op, tac__sym_value a, tac__sym_value b, tac__sym_value c)
{
    const int operands = ops[op].operands;
    tac__terms *pool = a.pool;
    if (!pool && operands > 1)
        pool = b.pool;
    if (!pool && operands > 2)
        pool = c.pool;
    if (!pool)
        return constant(tac__op_apply(op, a.value, b.value, c.value));
    const int32_t first = tac__term_of(pool, a);
    const int32_t second = operands > 1 ? tac__term_of(pool, b) : -1;
    const int32_t third = operands > 2 ? tac__term_of(pool, c) : -1;
    return tac__sym_of(pool, tac__term_make(pool, op, first, second, third));
}

tac__sym_value tac__sym_pick(const double *data, int count, tac__sym_value index)
{
    if (!index.pool)
        return constant(data[(int)index.value]);
    return tac__sym_of(index.pool, tac__term_pick(index.pool, data, count, index.id));
}

tac__sym_value tac__sym_segment(const double *x, int n, tac__sym_value at)
{
    if (!at.pool)
        return constant(segment(x, n, at.value));
    return tac__sym_of(at.pool, tac__term_segment(at.pool, x, n, at.id));
}

// The value of a term, from those of all older ones.
static double value_now(const tac__terms *pool, const tac__term *t, const double *values)
{
    const int operands = ops[t->op].operands;
    const double a = operands > 0 ? values[t->a] : 0;
    switch (t->op) {
    case TAC__SYM_constant:
        return t->value;
    case TAC__SYM_input:
        return pool->now[t->a];
    case TAC__SYM_pick:
        return a >= 0 && a < pool->tables[t->b].count ? pool->tables[t->b].data[(int)a]
                                                      : (double)NAN;
    case TAC__SYM_segment:
        return segment(pool->tables[t->b].data, pool->tables[t->b].count, a);
    default:
        return tac__op_apply((tac__sym_op)t->op, a, operands > 1 ? values[t->b] : 0,
                             operands > 2 ? values[t->c] : 0);
    }
}

double tac__sym_now(tac__sym_value value)
{
    tac__terms *pool = value.pool;
    if (!pool)
        return value.value;
    if (!pool->now || pool->status != TAC_OK)
        return (double)NAN;
    const size_t count = (size_t)value.id + 1;
    double *values = tac__arena_array(&pool->arena, count, sizeof *values);
    if (!values) {
        fail(pool, TAC_E_MEMORY);
        return (double)NAN;
    }
    for (size_t i = 0; i < count; i++)
        values[i] = value_now(pool, &pool->terms[i], values);
    const double now = values[value.id];
    tac__arena_release(&pool->arena, values);
    return now;
}

// --- loops --------------------------------------------------------------------------------------

static int32_t put_loop_term(tac__terms *pool, tac__sym_op op, int32_t loop, int which)
{
    tac__term t = {.op = (int32_t)op, .a = loop};
    t.b = which;
    t.c = -1;
    return put(pool, &t);
}

tac__sym_loop tac__sym_loop_begin(tac__terms *pool, int rounds, int count,
                                  const tac__sym_value *initial, tac__sym_value *vars)
{
    TAC_ASSERT(count > 0 && count <= TAC__LOOP_VARIABLES);
    tac__sym_loop made = {pool, (int32_t)pool->loop_count};
    tac__loop loop = {.rounds = rounds, .count = count};
    for (int k = 0; k < count; k++)
        loop.initial[k] = tac__term_of(pool, initial[k]);
    loop.from = (int32_t)pool->count;
    for (int k = 0; k < count; k++) {
        loop.variable[k] = put_loop_term(pool, TAC__SYM_variable, made.loop, k);
        vars[k] = (tac__sym_value){.pool = pool, .id = loop.variable[k]};
    }
    if (!TAC__ARENA_GROW(&pool->arena, pool->loops, pool->loop_count, pool->loop_capacity))
        fail(pool, TAC_E_MEMORY);
    else
        pool->loops[pool->loop_count++] = loop;
    return made;
}

// The term that stands in loop `old` where `term` stands in `loop`; -1: there is none. `map` has it
// for the terms of the body.
static int32_t mapped(const tac__loop *loop, const int32_t *map, int32_t term)
{
    return term >= loop->from && term < loop->to ? map[term - loop->from] : term;
}

// A term of the body with the variables of another loop in the place of its own.
static int32_t renamed(tac__terms *pool, const tac__loop *loop, const tac__loop *old,
                       const int32_t *map, int32_t term)
{
    tac__term t = pool->terms[term];
    if (t.op == TAC__SYM_variable && term < loop->from + loop->count)
        return old->variable[t.b];
    if (t.op == TAC__SYM_variable || t.op == TAC__SYM_result) // of a loop within this one
        return -1;
    const int operands = ops[t.op].operands;
    int32_t own[3] = {-1, -1, -1};
    for (int k = 0; k < operands; k++) {
        own[k] = mapped(loop, map, tac__term_operand(&t, k));
        if (own[k] < 0)
            return -1;
    }
    if (t.op != TAC__SYM_pick && t.op != TAC__SYM_segment)
        return operands ? tac__term_make(pool, (tac__sym_op)t.op, own[0], own[1], own[2]) : term;
    t.a = own[0];
    return put(pool, &t);
}

static bool same_bodies(const tac__loop *loop, const tac__loop *old, const int32_t *map)
{
    bool same = mapped(loop, map, loop->settled) == old->settled &&
                mapped(loop, map, loop->residual) == old->residual;
    for (int k = 0; k < loop->count; k++)
        same &= mapped(loop, map, loop->next[k]) == old->next[k];
    for (int k = 0; k < loop->exports; k++)
        same &= mapped(loop, map, loop->exported[k]) == old->exported[k];
    return same;
}

// Does the older loop compute the same, from the same initial values? A model evaluates its loops
// once for derivatives and once for outputs; the graph has them once.
static bool same_loops(tac__terms *pool, const tac__loop *loop, const tac__loop *old, int32_t *map)
{
    bool same = old->to > 0 && old->rounds == loop->rounds && old->count == loop->count &&
                old->exports == loop->exports;
    for (int k = 0; same && k < loop->count; k++)
        same = old->initial[k] == loop->initial[k];
    if (!same)
        return false;
    for (int32_t i = loop->from; i < loop->to; i++)
        map[i - loop->from] = renamed(pool, loop, old, map, i);
    return same_bodies(loop, old, map);
}

// The number of an older loop that is the same, or the loop itself. Comparing makes terms with the
// variables of the older loop. They are taken back: the body of one loop with the variables of
// another would look as if one of them lay within the other.
static int32_t find_loop(tac__terms *pool, int32_t number)
{
    const tac__loop loop = pool->loops[number];
    int32_t *map = tac__arena_array(&pool->arena, (size_t)(loop.to - loop.from), sizeof *map);
    if (!map) {
        fail(pool, TAC_E_MEMORY);
        return number;
    }
    int32_t found = number;
    for (int32_t i = 0; found == number && i < number; i++) {
        const tac__loop old = pool->loops[i];
        if (same_loops(pool, &loop, &old, map))
            found = i;
        take_back(pool, (size_t)loop.to);
    }
    return found;
}

void tac__sym_loop_end(tac__sym_loop made, tac__sym_value *next, tac__sym_value settled,
                       tac__sym_value residual, int exports, tac__sym_value *exported)
{
    tac__terms *pool = made.pool;
    if (pool->status != TAC_OK)
        return;
    TAC_ASSERT(exports <= TAC__LOOP_EXPORTS);
    tac__loop loop = pool->loops[made.loop];
    for (int k = 0; k < loop.count; k++)
        loop.next[k] = tac__term_of(pool, next[k]);
    loop.settled = tac__term_of(pool, settled);
    loop.residual = tac__term_of(pool, residual);
    loop.exports = exports;
    for (int k = 0; k < exports; k++)
        loop.exported[k] = tac__term_of(pool, exported[k]);
    loop.to = (int32_t)pool->count;
    pool->loops[made.loop] = loop;
    made.loop = find_loop(pool, made.loop);
    for (int k = 0; k < loop.count; k++)
        next[k] = (tac__sym_value){.pool = pool,
                                   .id = put_loop_term(pool, TAC__SYM_result, made.loop, k)};
    for (int k = 0; k < exports; k++)
        exported[k] = (tac__sym_value){
            .pool = pool, .id = put_loop_term(pool, TAC__SYM_result, made.loop, loop.count + k)};
}
