// terms.c - from a checked tree to terms.
//
// The value of an expression does not depend on what AND, OR and if leave out. What was compared
// with NaN does: for each comparison there is a condition that it is evaluated, and is bad. Terms
// are simplified; where that leaves out a comparison, or evaluates it under another condition, the
// expression is a careful one, of which the bad comparisons are always asked for.
#include "expr/terms.h"
#include "expr/table.h"

static int32_t make(tac__expr_builder *b, tac__sym_op op, int32_t x, int32_t y)
{
    return tac__term_make(b->pool, op, x, y, -1);
}

static int32_t negate(tac__expr_builder *b, int32_t condition)
{
    return make(b, TAC__SYM_logic_not, condition, -1);
}

// A node that is evaluated only where `condition` holds, too.
static int32_t build_if(tac__expr_builder *b, int32_t condition, const tac__expr_node *node)
{
    const int32_t outer = b->guard;
    b->guard = outer < 0 ? condition : make(b, TAC__SYM_logic_and, outer, condition);
    const int32_t term = tac__expr_build(b, node);
    b->guard = outer;
    return term;
}

// --- signals ------------------------------------------------------------------------------------

static int32_t signal_of(const tac__expr_builder *b, const tac__expr_node *node)
{
    return b->leaves->signal(b->leaves->context, node->index, node->element);
}

static int32_t build_signal(tac__expr_builder *b, const tac__expr_node *node)
{
    if (!TAC__ARENA_GROW(b->arena, b->loads, b->load_count, b->load_capacity))
        b->no_memory = true;
    else
        b->loads[b->load_count++] = (tac__expr_load){node->name, node->index, node->element};
    return signal_of(b, node);
}

// --- comparisons --------------------------------------------------------------------------------

// Which comparisons there were before a node.
static size_t mark(const tac__expr_builder *b)
{
    return b->comparison_count;
}

static bool can_be_bad(const tac__expr_builder *b, size_t from)
{
    for (size_t i = from; i < b->comparison_count; i++) {
        const tac__term *bad = &b->pool->terms[b->comparisons[i].bad];
        if (bad->op != TAC__SYM_constant || bad->value != 0)
            return true;
    }
    return false;
}

// `term` should be this operation on these operands; if it is not, comparisons among its operands
// may have got lost.
static void require(tac__expr_builder *b, int32_t term, tac__sym_op op, int32_t x, int32_t y,
                    size_t from)
{
    const tac__term *t = &b->pool->terms[term];
    if ((t->op != (int32_t)op || t->a != x || t->b != y) && can_be_bad(b, from))
        b->careful = true;
}

static void watch(tac__expr_builder *b, int32_t term, int32_t x, int32_t y,
                  tac__expr_comparison comparison)
{
    const int32_t bad = negate(b, tac__expr_ordered(b->pool, x, y));
    comparison.bad = b->guard < 0 ? bad : make(b, TAC__SYM_logic_and, b->guard, bad);
    const size_t from = mark(b);
    if (!TAC__ARENA_GROW(b->arena, b->comparisons, b->comparison_count, b->comparison_capacity) ||
        !TAC__ARENA_GROW(b->arena, b->watched, b->watched_count, b->watched_capacity)) {
        b->no_memory = true;
        return;
    }
    b->comparisons[b->comparison_count++] = comparison;
    const tac__term *t = &b->pool->terms[term];
    const bool whole = t->op >= TAC__SYM_lt && t->op <= TAC__SYM_eq &&
                       ((t->a == x && t->b == y) || (t->a == y && t->b == x));
    if (whole)
        b->watched[b->watched_count++] = term;
    else if (can_be_bad(b, from))
        b->careful = true;
}

// A signal that is compared with a number is the culprit itself.
static const tac__expr_node *lone_signal(const tac__expr_node *node)
{
    const tac__expr_node *a = node->a, *b = node->b;
    const bool swap = a->kind == TAC__EXPR_LITERAL;
    const tac__expr_node *signal = swap ? b : a, *number = swap ? a : b;
    return signal->kind == TAC__EXPR_NAMED && number->kind == TAC__EXPR_LITERAL ? signal : NULL;
}

static int32_t build_comparison(tac__expr_builder *b, const tac__expr_node *node)
{
    const tac__expr_node *lone = lone_signal(node);
    tac__expr_comparison c = {.name = lone ? lone->name : NULL, .from = (uint32_t)b->load_count};
    const int32_t x = lone == node->a ? signal_of(b, lone) : tac__expr_build(b, node->a);
    const int32_t y = lone == node->b ? signal_of(b, lone) : tac__expr_build(b, node->b);
    c.to = (uint32_t)b->load_count;
    int32_t term, first;
    switch (node->kind) {
    case TAC__EXPR_LESS:
        term = first = make(b, TAC__SYM_lt, x, y);
        break;
    case TAC__EXPR_LESS_EQUAL:
        term = first = make(b, TAC__SYM_le, x, y);
        break;
    case TAC__EXPR_GREATER:
        term = first = make(b, TAC__SYM_lt, y, x);
        break;
    case TAC__EXPR_GREATER_EQUAL:
        term = first = make(b, TAC__SYM_le, y, x);
        break;
    case TAC__EXPR_EQUAL:
        term = first = make(b, TAC__SYM_eq, x, y);
        break;
    default: // not equal, and false for NaN
        first = make(b, TAC__SYM_lt, x, y);
        term = make(b, TAC__SYM_logic_or, first, make(b, TAC__SYM_lt, y, x));
    }
    watch(b, first, x, y, c);
    return term;
}

// --- logic --------------------------------------------------------------------------------------

static int32_t build_logic(tac__expr_builder *b, const tac__expr_node *node)
{
    const bool both = node->kind == TAC__EXPR_AND;
    const tac__sym_op op = both ? TAC__SYM_logic_and : TAC__SYM_logic_or;
    const size_t from = mark(b);
    const int32_t left = tac__expr_build(b, node->a);
    const int32_t right = build_if(b, both ? left : negate(b, left), node->b);
    const int32_t term = make(b, op, left, right);
    require(b, term, op, left, right, from);
    return term;
}

static int32_t choose(tac__expr_builder *b, int32_t condition, int32_t yes, int32_t no, size_t from)
{
    const int32_t term = tac__term_make(b->pool, TAC__SYM_select, condition, yes, no);
    const tac__term *c = &b->pool->terms[condition];
    if (c->op == TAC__SYM_logic_not) // made with its sides exchanged
        require(b, term, TAC__SYM_select, c->a, no, from);
    else
        require(b, term, TAC__SYM_select, condition, yes, from);
    return term;
}

static int32_t build_choice(tac__expr_builder *b, const tac__expr_node *node)
{
    const size_t from = mark(b);
    const int32_t condition = tac__expr_build(b, node->a);
    const int32_t yes = build_if(b, condition, node->b);
    const int32_t no = build_if(b, negate(b, condition), node->c);
    return choose(b, condition, yes, no, from);
}

// --- numbers ------------------------------------------------------------------------------------

// As tac__factor_apply.
static int32_t convert(tac__expr_builder *b, int32_t x, tac__factor f)
{
    const int32_t num = tac__term_constant(b->pool, f.num),
                  den = tac__term_constant(b->pool, f.den);
    if (f.den == 1)
        return make(b, TAC__SYM_mul, x, num);
    if (f.num == 1)
        return make(b, TAC__SYM_div, x, den);
    return f.divide_first ? make(b, TAC__SYM_mul, make(b, TAC__SYM_div, x, den), num)
                          : make(b, TAC__SYM_div, make(b, TAC__SYM_mul, x, num), den);
}

static int32_t build_power(tac__expr_builder *b, const tac__expr_node *node)
{
    const int32_t x = tac__expr_build(b, node->a);
    if (node->b->kind == TAC__EXPR_LITERAL && node->b->value == 2)
        return make(b, TAC__SYM_mul, x, x);
    return tac__expr_power(b->pool, x, tac__expr_build(b, node->b));
}

static int32_t build_call(tac__expr_builder *b, const tac__expr_node *node)
{
    int32_t x[3] = {tac__expr_build(b, node->a), -1, -1};
    if (node->b)
        x[1] = tac__expr_build(b, node->b);
    if (node->c)
        x[2] = tac__expr_build(b, node->c);
    return node->function->terms(b->pool, x);
}

static int32_t build_table(tac__expr_builder *b, const tac__expr_node *node)
{
    const tac__sym_value x = tac__sym_of(b->pool, tac__expr_build(b, node->a));
    tac__sym_value y;
    tac__expr_table_sym(node->points, &x, &y);
    return tac__term_of(b->pool, y);
}

static int32_t build_binary(tac__expr_builder *b, const tac__expr_node *node, tac__sym_op op)
{
    const int32_t x = tac__expr_build(b, node->a);
    return make(b, op, x, tac__expr_build(b, node->b));
}

// What an operator remembers was found before; the value of since may be none yet.
static int32_t build_timed(tac__expr_builder *b, const tac__expr_node *node)
{
    const size_t from = mark(b);
    const int32_t value = b->remembered[node->index];
    if (node->kind != TAC__EXPR_SINCE)
        return value;
    const int32_t known = make(b, TAC__SYM_eq, value, value);
    return choose(b, known, value, build_if(b, negate(b, known), node->b), from);
}

int32_t tac__expr_build(tac__expr_builder *b, const tac__expr_node *node)
{
    switch (node->kind) {
    case TAC__EXPR_LITERAL:
    case TAC__EXPR_TRUTH:
        return tac__term_constant(b->pool, node->value);
    case TAC__EXPR_TIME:
        return b->leaves->time;
    case TAC__EXPR_NAMED:
        return build_signal(b, node);
    case TAC__EXPR_NEGATE:
        return make(b, TAC__SYM_neg, tac__expr_build(b, node->a), -1);
    case TAC__EXPR_NOT:
        return negate(b, tac__expr_build(b, node->a));
    case TAC__EXPR_CONVERT:
        return convert(b, tac__expr_build(b, node->a), node->factor);
    case TAC__EXPR_AND:
    case TAC__EXPR_OR:
        return build_logic(b, node);
    case TAC__EXPR_POWER:
        return build_power(b, node);
    case TAC__EXPR_MULTIPLY:
        return build_binary(b, node, TAC__SYM_mul);
    case TAC__EXPR_DIVIDE:
        return build_binary(b, node, TAC__SYM_div);
    case TAC__EXPR_ADD:
        return build_binary(b, node, TAC__SYM_add);
    case TAC__EXPR_SUBTRACT:
        return build_binary(b, node, TAC__SYM_sub);
    case TAC__EXPR_CALL:
        return build_call(b, node);
    case TAC__EXPR_IF:
        return build_choice(b, node);
    case TAC__EXPR_TABLE:
        return build_table(b, node);
    case TAC__EXPR_RISING:
    case TAC__EXPR_FALLING:
    case TAC__EXPR_HELD:
    case TAC__EXPR_SINCE:
        return build_timed(b, node);
    default:
        return build_comparison(b, node);
    }
}

// A NaN that is the value itself is no fault.
tac_status tac__expr_terms(const tac__expr *expr, tac__arena *arena, tac__terms *pool,
                           const tac__expr_leaves *leaves, int32_t *value, int32_t *fault,
                           tac_error *err)
{
    tac__expr_builder b = {.arena = arena, .pool = pool, .leaves = leaves, .guard = -1};
    *value = tac__expr_build(&b, expr->root);
    *fault = tac__term_constant(pool, 0);
    if (b.no_memory)
        return tac__fail_memory(err);
    for (size_t i = 0; i < b.comparison_count; i++)
        *fault = make(&b, TAC__SYM_logic_or, *fault, b.comparisons[i].bad);
    *fault = make(&b, TAC__SYM_logic_and, *fault, make(&b, TAC__SYM_eq, *value, *value));
    return tac__terms_status(pool, err);
}
