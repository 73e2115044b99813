// sweep.c - see sweep.h.
#include "graph/sweep.h"

#include <string.h>

static int32_t place_of(const tac__sweep *s, int32_t term)
{
    return s->place[term];
}

int32_t tac__sweep_place(const tac__sweep *sweep, int32_t term)
{
    return (size_t)term < sweep->known ? sweep->place[term] : -1;
}

// The results of a loop follow its body: tac__sym_loop_end makes them in this order.
static int32_t result_of(const tac__loop *loop, int which)
{
    return loop->to + which;
}

// --- what the outputs need ----------------------------------------------------------------------

// Marks the operands of a term; `place` is 0 where there is a mark.
static void mark_operands(const tac__sweep *s, const tac__term *t)
{
    for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++)
        s->place[tac__term_operand(t, k)] = 0;
    if (t->op != TAC__SYM_result)
        return;
    const tac__loop *loop = &s->pool->loops[t->a];
    s->place[loop->residual] = 0;
    s->place[result_of(loop, 0)] = 0;
    if (t->b >= loop->count)
        s->place[loop->exported[t->b - loop->count]] = 0;
}

static bool list_terms(tac__sweep *s, const int32_t *outputs, size_t count)
{
    s->place = tac__arena_array(s->arena, s->known, sizeof *s->place);
    if (!s->place)
        return false;
    memset(s->place, -1, s->known * sizeof *s->place);
    for (size_t i = 0; i < count; i++)
        s->place[outputs[i]] = 0;
    for (size_t i = s->known; i-- > 0;) {
        if (s->place[i] == 0) {
            mark_operands(s, &s->pool->terms[i]);
            s->count++;
        }
    }
    const size_t n = s->count ? s->count : 1;
    s->terms = tac__arena_array(s->arena, n, sizeof *s->terms);
    s->value = tac__arena_array(s->arena, n, sizeof *s->value);
    s->slope = tac__arena_array(s->arena, n, sizeof *s->slope);
    s->adjoints = tac__arena_array(s->arena, n, sizeof *s->adjoints);
    if (!s->terms || !s->value || !s->slope || !s->adjoints)
        return false;
    int32_t next = 0;
    for (size_t i = 0; i < s->known; i++) {
        if (s->place[i] == 0) {
            s->terms[next] = (int32_t)i;
            s->place[i] = next++;
        }
    }
    return true;
}

// --- loops --------------------------------------------------------------------------------------

// An inner loop would have to be solved anew for the values of the outer one's variables.
static tac_status check_loops(const tac__sweep *s, tac_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        const tac__term *t = &s->pool->terms[s->terms[i]];
        if (t->op != TAC__SYM_result || t->b != 0)
            continue;
        const tac__loop *inner = &s->pool->loops[t->a];
        for (size_t k = 0; k < s->pool->loop_count; k++) {
            const tac__loop *outer = &s->pool->loops[k];
            if (outer != inner && outer->from <= inner->from && inner->to <= outer->to &&
                tac__sweep_place(s, result_of(outer, 0)) >= 0)
                return tac__fail(err, TAC_E_LIMIT, "a loop within a loop cannot be differentiated");
        }
    }
    return TAC_OK;
}

static void operands_of(const tac__sweep *s, const tac__term *t, const int32_t *of, int32_t in[3])
{
    for (int k = 0; k < 3; k++)
        in[k] = TAC__NO_TERM;
    for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++)
        in[k] = of[place_of(s, tac__term_operand(t, k))];
}

// Whether a term depends on a variable of a loop: then its value outside is another term.
static bool is_in_body(const tac__term *t, const int32_t in[3])
{
    if (t->op == TAC__SYM_variable)
        return true;
    for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++) {
        if (in[k] != tac__term_operand(t, k))
            return true;
    }
    return false;
}

// A term of a body with the values that its operands have at the solution.
static int32_t solved(const tac__sweep *s, const tac__term *t, const int32_t in[3])
{
    switch (t->op) {
    case TAC__SYM_variable:
        return result_of(&s->pool->loops[t->a], t->b);
    case TAC__SYM_pick:
        return tac__term_pick(s->pool, s->pool->tables[t->b].data, s->pool->tables[t->b].count,
                              in[0]);
    case TAC__SYM_segment:
        return tac__term_segment(s->pool, s->pool->tables[t->b].data, s->pool->tables[t->b].count,
                                 in[0]);
    default:
        return tac__term_make(s->pool, (tac__sym_op)t->op, in[0], in[1], in[2]);
    }
}

// Exports that are wanted have results already; the others are computed again.
static void find_exports(const tac__sweep *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const tac__term *t = &s->pool->terms[s->terms[i]];
        if (t->op != TAC__SYM_result)
            continue;
        const tac__loop *loop = &s->pool->loops[t->a];
        for (int k = 0; k < loop->exports; k++) {
            const int32_t at = tac__sweep_place(s, loop->exported[k]);
            if (at >= 0)
                s->value[at] = result_of(loop, loop->count + k);
        }
    }
}

// Values, and in bodies of loops the derivatives by the first variable.
static void solve_loops(const tac__sweep *s)
{
    memset(s->value, -1, s->count * sizeof *s->value);
    find_exports(s);
    for (size_t i = 0; i < s->count; i++) {
        const tac__term t = s->pool->terms[s->terms[i]];
        int32_t in[3], slope[3];
        operands_of(s, &t, s->value, in);
        operands_of(s, &t, s->slope, slope);
        s->slope[i] = TAC__NO_TERM;
        if (!is_in_body(&t, in)) {
            s->value[i] = s->terms[i];
            continue;
        }
        if (s->value[i] < 0)
            s->value[i] = solved(s, &t, in);
        if (t.op == TAC__SYM_variable)
            s->slope[i] = t.b == 0 ? tac__term_constant(s->pool, 1) : TAC__NO_TERM;
        else
            s->slope[i] = tac__tangent(s->pool, (tac__sym_op)t.op, in, s->value[i], slope);
    }
}

static tac_status check_residuals(const tac__sweep *s, tac_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        const tac__term *t = &s->pool->terms[s->terms[i]];
        if (t->op == TAC__SYM_result && t->b == 0 &&
            s->slope[place_of(s, s->pool->loops[t->a].residual)] < 0)
            return tac__fail(err, TAC_E_LIMIT,
                             "a loop cannot be differentiated: its residual does not depend on its "
                             "first variable");
    }
    return TAC_OK;
}

tac_status tac__sweep_prepare(tac__sweep *sweep, tac__terms *pool, tac__arena *arena,
                              const int32_t *outputs, size_t count, tac_error *err)
{
    *sweep = (tac__sweep){.pool = pool, .arena = arena, .known = pool->count};
    TAC_TRY(tac__terms_status(pool, err));
    if (!list_terms(sweep, outputs, count))
        return tac__fail_memory(err);
    TAC_TRY(check_loops(sweep, err));
    solve_loops(sweep);
    TAC_TRY(tac__terms_status(pool, err));
    return check_residuals(sweep, err);
}

// -1 / r_v of a loop.
static int32_t against_residual(const tac__sweep *s, const tac__loop *loop)
{
    const int32_t slope = s->slope[place_of(s, loop->residual)];
    return tac__term_make(s->pool, TAC__SYM_div, tac__term_constant(s->pool, -1), slope, slope);
}

// --- forward ------------------------------------------------------------------------------------

static int32_t tangent_of_result(const tac__sweep *s, const tac__term *t, const int32_t *tangent)
{
    const tac__loop *loop = &s->pool->loops[t->a];
    if (t->b == 0)
        return tac__times(s->pool, against_residual(s, loop), tangent[place_of(s, loop->residual)]);
    if (t->b < loop->count)
        return TAC__NO_TERM;
    const int32_t body = place_of(s, loop->exported[t->b - loop->count]);
    const int32_t solution = tangent[place_of(s, result_of(loop, 0))];
    return tac__plus(s->pool, tangent[body], tac__times(s->pool, s->slope[body], solution));
}

void tac__sweep_forward(const tac__sweep *sweep, int32_t *tangent)
{
    for (size_t i = 0; i < sweep->count; i++) {
        const tac__term t = sweep->pool->terms[sweep->terms[i]];
        if (t.op == TAC__SYM_input)
            continue;
        tangent[i] = TAC__NO_TERM;
        if (t.op == TAC__SYM_result) {
            tangent[i] = tangent_of_result(sweep, &t, tangent);
            continue;
        }
        int32_t in[3], along[3];
        operands_of(sweep, &t, tangent, along);
        if (along[0] < 0 && along[1] < 0 && along[2] < 0)
            continue;
        operands_of(sweep, &t, sweep->value, in);
        tangent[i] = tac__tangent(sweep->pool, (tac__sym_op)t.op, in, sweep->value[i], along);
    }
}

// --- reverse ------------------------------------------------------------------------------------

static void add_adjoint(const tac__sweep *s, int32_t term, tac__adjoint w)
{
    tac__adjoint_add(s->pool, &s->adjoints[place_of(s, term)], w);
}

static tac__adjoint times(const tac__sweep *s, int32_t factor, tac__adjoint w)
{
    const tac__partial p = {TAC__PARTIAL_TIMES, factor, false};
    return tac__adjoint_by(s->pool, p, w);
}

// Results have larger numbers than the body, and the first result has a smaller one than exports.
static void reverse_result(const tac__sweep *s, const tac__term *t, tac__adjoint w)
{
    const tac__loop *loop = &s->pool->loops[t->a];
    if (t->b == 0) {
        add_adjoint(s, loop->residual, times(s, against_residual(s, loop), w));
    } else if (t->b >= loop->count) {
        const int32_t exported = loop->exported[t->b - loop->count];
        const int32_t slope = s->slope[place_of(s, exported)];
        add_adjoint(s, exported, w);
        if (slope >= 0)
            add_adjoint(s, result_of(loop, 0), times(s, slope, w));
    }
}

static void reverse_operation(const tac__sweep *s, const tac__term *t, size_t at, tac__adjoint w)
{
    int32_t in[3];
    operands_of(s, t, s->value, in);
    for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++) {
        const int32_t operand = tac__term_operand(t, k);
        if (tac__term_is_constant(s->pool, operand))
            continue;
        add_adjoint(s, operand,
                    tac__adjoint_through(s->pool, (tac__sym_op)t->op, in, s->value[at], k, w));
    }
}

void tac__sweep_reverse(const tac__sweep *sweep, const int32_t *outputs, const int32_t *seeds,
                        size_t count)
{
    for (size_t i = 0; i < sweep->count; i++)
        sweep->adjoints[i] = tac__no_adjoint();
    for (size_t i = 0; i < count; i++)
        add_adjoint(sweep, outputs[i], (tac__adjoint){.term = seeds[i]});
    for (size_t i = sweep->count; i-- > 0;) {
        const tac__term t = sweep->pool->terms[sweep->terms[i]];
        const tac__adjoint w = sweep->adjoints[i];
        if (w.term < 0)
            continue;
        if (t.op == TAC__SYM_result)
            reverse_result(sweep, &t, w);
        else
            reverse_operation(sweep, &t, i, w);
    }
}

// --- what depends on what -----------------------------------------------------------------------

static bool contains(tac__set big, tac__set small)
{
    int at = 0;
    for (int i = 0; i < small.count; i++) {
        while (at < big.count && big.of[at] < small.of[i])
            at++;
        if (at == big.count || big.of[at] != small.of[i])
            return false;
    }
    return true;
}

// The union, which is one of the two sets themselves where that is enough.
static bool unite(tac__arena *arena, tac__set a, tac__set b, tac__set *both)
{
    const tac__set big = a.count >= b.count ? a : b, small = a.count >= b.count ? b : a;
    *both = big;
    if (big.of == small.of || contains(big, small))
        return true;
    int *of = tac__arena_array(arena, (size_t)(a.count + b.count), sizeof *of);
    if (!of)
        return false;
    *both = (tac__set){of, 0};
    for (int i = 0, j = 0; i < a.count || j < b.count;) {
        const bool first = j == b.count || (i < a.count && a.of[i] <= b.of[j]);
        const int next = first ? a.of[i] : b.of[j];
        i += i < a.count && a.of[i] == next;
        j += j < b.count && b.of[j] == next;
        of[both->count++] = next;
    }
    return true;
}

static bool is_zero(const tac__terms *pool, int32_t term)
{
    return tac__term_is_constant(pool, term) && pool->terms[term].value == 0;
}

// Whether a term has a derivative by operand k at all.
static bool is_smooth(const tac__terms *pool, const tac__term *t, int k)
{
    switch (t->op) {
    case TAC__SYM_mul:
        return !is_zero(pool, k == 0 ? t->b : t->a);
    case TAC__SYM_div:
        return k == 0 || !is_zero(pool, t->a);
    case TAC__SYM_select:
        return k > 0;
    case TAC__SYM_floor:
    case TAC__SYM_pick:
    case TAC__SYM_segment:
        return false;
    default:
        return !tac__op_is_condition((tac__sym_op)t->op);
    }
}

static bool unite_result(const tac__sweep *s, const tac__term *t, const tac__set *sets,
                         tac__set *set)
{
    const tac__loop *loop = &s->pool->loops[t->a];
    if (t->b == 0)
        *set = sets[place_of(s, loop->residual)];
    if (t->b < loop->count)
        return true;
    const int32_t body = place_of(s, loop->exported[t->b - loop->count]);
    *set = sets[body];
    return s->slope[body] < 0 || unite(s->arena, *set, sets[place_of(s, result_of(loop, 0))], set);
}

tac__set *tac__sweep_depend(const tac__sweep *sweep, const int *column)
{
    tac__set *sets = tac__arena_array(sweep->arena, sweep->count + 1, sizeof *sets);
    for (size_t i = 0; sets && i < sweep->count; i++) {
        const tac__term *t = &sweep->pool->terms[sweep->terms[i]];
        if (t->op == TAC__SYM_input && column[i] >= 0)
            sets[i] = (tac__set){&column[i], 1};
        if (t->op == TAC__SYM_result && !unite_result(sweep, t, sets, &sets[i]))
            return NULL;
        for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++) {
            const tac__set operand = sets[place_of(sweep, tac__term_operand(t, k))];
            if (is_smooth(sweep->pool, t, k) && !unite(sweep->arena, sets[i], operand, &sets[i]))
                return NULL;
        }
    }
    return sets;
}

static bool reach(const tac__sweep *s, tac__set *sets, int32_t term, tac__set more)
{
    tac__set *set = &sets[place_of(s, term)];
    return unite(s->arena, *set, more, set);
}

static bool reach_from_result(const tac__sweep *s, tac__set *sets, const tac__term *t, tac__set set)
{
    const tac__loop *loop = &s->pool->loops[t->a];
    if (t->b == 0)
        return reach(s, sets, loop->residual, set);
    if (t->b < loop->count)
        return true;
    const int32_t exported = loop->exported[t->b - loop->count];
    return reach(s, sets, exported, set) &&
           (s->slope[place_of(s, exported)] < 0 || reach(s, sets, result_of(loop, 0), set));
}

tac__set *tac__sweep_reach(const tac__sweep *sweep, const int32_t *outputs, size_t count)
{
    tac__set *sets = tac__arena_array(sweep->arena, sweep->count + 1, sizeof *sets);
    int *row = tac__arena_array(sweep->arena, count + 1, sizeof *row);
    if (!sets || !row)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        row[i] = (int)i;
        if (!reach(sweep, sets, outputs[i], (tac__set){&row[i], 1}))
            return NULL;
    }
    for (size_t i = sweep->count; i-- > 0;) {
        const tac__term *t = &sweep->pool->terms[sweep->terms[i]];
        if (t->op == TAC__SYM_result && !reach_from_result(sweep, sets, t, sets[i]))
            return NULL;
        for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++) {
            if (is_smooth(sweep->pool, t, k) &&
                !reach(sweep, sets, tac__term_operand(t, k), sets[i]))
                return NULL;
        }
    }
    return sets;
}
