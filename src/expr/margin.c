// margin.c - by how much a condition holds or fails. A margin is the logical part of a checked
// tree; one tape computes both sides of all its comparisons.
#include "expr/bounds.h"
#include "expr/program.h"
#include "expr/tree.h"

#include <math.h>
#include <string.h>
#include <tactus/component.h>

typedef struct part {
    tac__expr_kind kind; // AND, OR, NOT, IF, a comparison; TRUTH: anything else that is true or not
    struct part *a, *b, *c;
    uint32_t left, right; // outputs of the tape: sides of a comparison; TRUTH, IF: `left`
    bool value_right;     // the left side is a number that is written out
    const char *unit, *text;
    const tac__expr_node *node;
    tac__expr_duals *left_duals, *right_duals; // sides of a comparison; NULL: not prepared
} part;

struct tac__margin {
    part *root;
    tac__expr_bundle *sides;
    const tac__expr_node **nodes; // what the outputs of the tape are
    size_t count;
    TAC__CAPACITY(const tac__expr_node *) capacity;
    double *values; // of the outputs
    size_t memory;  // words
};

// --- compiling ----------------------------------------------------------------------------------

typedef struct compiler {
    tac__arena *arena;
    const tac__expr *expr;
    tac__margin *margin;
    tac_error *err;
} compiler;

static tac_status compile(const compiler *c, const tac__expr_node *node, part **result);

// Labels of an enum and conditions have no distance.
static bool has_distance(const tac__expr_node *node)
{
    const tac__expr_node *a = node->a, *b = node->b;
    return tac__expr_is_comparison(node->kind) && a->type == TAC__EXPR_NUMBER && !a->labels &&
           !b->labels;
}

static const char *unit_of(const tac__expr_node *node)
{
    const char *unit = node->a->unit_text ? node->a->unit_text : node->b->unit_text;
    return unit && strcmp(unit, "1") ? unit : NULL;
}

// The tape computes this node.
static tac_status want(const compiler *c, const tac__expr_node *node, uint32_t *output)
{
    tac__margin *m = c->margin;
    if (!TAC__ARENA_GROW(c->arena, m->nodes, m->count, m->capacity))
        return tac__fail_memory(c->err);
    *output = (uint32_t)m->count;
    m->nodes[m->count++] = node;
    return TAC_OK;
}

static tac_status compile_comparison(const compiler *c, const tac__expr_node *node, part *p)
{
    p->value_right = node->a->kind == TAC__EXPR_LITERAL;
    p->unit = unit_of(node);
    p->text = tac__arena_format(c->arena, "%.*s", (int)(node->to - node->from),
                                c->expr->text + node->from);
    if (!p->text)
        return tac__fail_memory(c->err);
    TAC_TRY(want(c, node->a, &p->left));
    return want(c, node->b, &p->right);
}

static tac_status compile(const compiler *c, const tac__expr_node *node, part **result)
{
    part *p = *result = tac__arena_alloc(c->arena, sizeof *p);
    if (!p)
        return tac__fail_memory(c->err);
    p->kind = node->kind;
    p->node = node;
    if (has_distance(node))
        return compile_comparison(c, node, p);
    switch (node->kind) {
    case TAC__EXPR_AND:
    case TAC__EXPR_OR:
        TAC_TRY(compile(c, node->a, &p->a));
        return compile(c, node->b, &p->b);
    case TAC__EXPR_NOT:
        return compile(c, node->a, &p->a);
    case TAC__EXPR_IF:
        TAC_TRY(want(c, node->a, &p->left));
        TAC_TRY(compile(c, node->b, &p->b));
        return compile(c, node->c, &p->c);
    default:
        p->kind = TAC__EXPR_TRUTH;
        return want(c, node, &p->left);
    }
}

tac_status tac__margin_compile(tac__arena *arena, const tac__expr *expr, tac__margin **margin,
                               tac_error *err)
{
    tac__margin *m = *margin = tac__arena_alloc(arena, sizeof *m);
    const compiler c = {arena, expr, m, err};
    if (!m)
        return tac__fail_memory(err);
    m->memory = tac__expr_memory(expr);
    TAC_TRY(compile(&c, expr->root, &m->root));
    m->values = tac__arena_array(arena, m->count, sizeof *m->values);
    if (!m->values)
        return tac__fail_memory(err);
    return tac__expr_compile_bundle(arena, expr, m->nodes, m->count, &m->sides, err);
}

static tac_status prepare(const compiler *c, part *p)
{
    if (!p)
        return TAC_OK;
    TAC_TRY(prepare(c, p->a));
    TAC_TRY(prepare(c, p->b));
    TAC_TRY(prepare(c, p->c));
    if (!p->text)
        return TAC_OK;
    TAC_TRY(tac__expr_duals_compile_part(c->arena, c->expr, p->node->a, &p->left_duals, c->err));
    return tac__expr_duals_compile_part(c->arena, c->expr, p->node->b, &p->right_duals, c->err);
}

tac_status tac__margin_prepare_duals(tac__arena *arena, const tac__expr *expr, tac__margin *margin,
                                     tac_error *err)
{
    const compiler c = {arena, expr, margin, err};
    return prepare(&c, margin->root);
}

// --- evaluating ---------------------------------------------------------------------------------

static double distance(tac__expr_kind kind, double a, double b)
{
    switch (kind) {
    case TAC__EXPR_LESS:
    case TAC__EXPR_LESS_EQUAL:
        return b - a;
    case TAC__EXPR_GREATER:
    case TAC__EXPR_GREATER_EQUAL:
        return a - b;
    case TAC__EXPR_EQUAL:
        return 0 - fabs(a - b);
    default:
        return fabs(a - b);
    }
}

// A margin with the comparison that decides, and the sign that NOT gives it.
typedef struct decision {
    tac__margin_result result;
    const part *by; // NULL: none
    double sign;
} decision;

// The smaller one, or the larger one; what is not a number does not count.
static decision choose(decision a, decision b, bool smaller)
{
    const double left = a.result.margin, right = b.result.margin;
    if (isnan(left) || isnan(right))
        return isnan(left) ? b : a;
    return (smaller ? right < left : right > left) ? b : a;
}

// `values` are the outputs of the tape.
static decision evaluate(const part *p, const double *values)
{
    decision d = {.result = {.value = (double)NAN}, .sign = 1};
    tac__margin_result *r = &d.result;
    switch (p->kind) {
    case TAC__EXPR_AND:
    case TAC__EXPR_OR:
        return choose(evaluate(p->a, values), evaluate(p->b, values), p->kind == TAC__EXPR_AND);
    case TAC__EXPR_NOT:
        d = evaluate(p->a, values);
        r->margin = 0 - r->margin;
        d.sign = -d.sign;
        return d;
    case TAC__EXPR_IF:
        return evaluate(values[p->left] != 0 ? p->b : p->c, values);
    case TAC__EXPR_TRUTH:
        r->margin = values[p->left] != 0 ? (double)INFINITY : -(double)INFINITY;
        return d;
    default:
        break;
    }
    const double a = values[p->left], b = values[p->right];
    // Equal infinities are no distance apart.
    r->margin = a == b ? 0 : distance(p->kind, a, b);
    r->value = p->value_right ? b : a;
    r->unit = p->unit;
    r->comparison = p->text;
    d.by = p;
    return d;
}

tac__margin_result tac__margin_run(const tac__margin *m, tac_time t_us, const void *const *signals,
                                   const uint64_t *memory, uint64_t *copy)
{
    if (m->memory)
        memcpy(copy, memory, m->memory * sizeof *copy);
    tac__expr_bundle_run(m->sides, t_us, signals, copy, m->values);
    return evaluate(m->root, m->values).result;
}

// --- from sides that were computed elsewhere
// ------------------------------------------------------

size_t tac__margin_side_count(const tac__margin *m)
{
    return m->count;
}

tac_status tac__margin_sides(const tac__margin *m, tac__arena *arena, struct tac__terms *pool,
                             const tac__expr_leaves *leaves, int32_t *sides)
{
    TAC_ASSERT(!m->memory);
    tac__expr_builder b = {.arena = arena, .pool = pool, .leaves = leaves, .guard = -1};
    for (size_t i = 0; i < m->count; i++)
        sides[i] = tac__expr_build(&b, m->nodes[i]);
    return b.no_memory ? TAC_E_MEMORY : tac__terms_status(pool, NULL);
}

static bool holds(const part *p, const double *sides)
{
    switch (p->kind) {
    case TAC__EXPR_AND:
        return holds(p->a, sides) && holds(p->b, sides);
    case TAC__EXPR_OR:
        return holds(p->a, sides) || holds(p->b, sides);
    case TAC__EXPR_NOT:
        return !holds(p->a, sides);
    case TAC__EXPR_IF:
        return holds(sides[p->left] != 0 ? p->b : p->c, sides);
    case TAC__EXPR_LESS:
        return sides[p->left] < sides[p->right];
    case TAC__EXPR_LESS_EQUAL:
        return sides[p->left] <= sides[p->right];
    case TAC__EXPR_GREATER:
        return sides[p->left] > sides[p->right];
    case TAC__EXPR_GREATER_EQUAL:
        return sides[p->left] >= sides[p->right];
    case TAC__EXPR_EQUAL:
        return sides[p->left] == sides[p->right];
    case TAC__EXPR_NOT_EQUAL:
        return sides[p->left] != sides[p->right];
    default:
        return sides[p->left] != 0;
    }
}

bool tac__margin_of(const tac__margin *m, const double *sides, tac__margin_result *result,
                    bool *truth)
{
    bool numbers = true;
    for (size_t i = 0; i < m->count; i++)
        numbers &= sides[i] == sides[i];
    if (!numbers)
        return false;
    *truth = holds(m->root, sides);
    *result = evaluate(m->root, sides).result;
    return true;
}

// As choose() and evaluate(), but a NaN is passed on.
static double number(const part *p, const double *sides)
{
    double a, b;
    switch (p->kind) {
    case TAC__EXPR_AND:
        a = number(p->a, sides);
        b = number(p->b, sides);
        return a != a || a < b ? a : b;
    case TAC__EXPR_OR:
        a = number(p->a, sides);
        b = number(p->b, sides);
        return a != a || a > b ? a : b;
    case TAC__EXPR_NOT:
        return 0 - number(p->a, sides);
    case TAC__EXPR_IF:
        return number(sides[p->left] != 0 ? p->b : p->c, sides);
    case TAC__EXPR_TRUTH:
        return sides[p->left] != 0 ? (double)INFINITY : -(double)INFINITY;
    default:
        a = sides[p->left];
        b = sides[p->right];
        return a == b ? 0 : distance(p->kind, a, b);
    }
}

double tac__margin_number(const tac__margin *m, const double *sides)
{
    return number(m->root, sides);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

// Of a < b, or, if they may be equal, of a <= b.
static tac__margin_range less(tac__range a, tac__range b, bool equal)
{
    return (tac__margin_range){.lo = b.lo - a.hi,
                               .hi = b.hi - a.lo,
                               .may = equal ? a.lo <= b.hi : a.lo < b.hi,
                               .may_not = equal ? a.hi > b.lo : a.hi >= b.lo,
                               .kink = a.kink || b.kink};
}

static tac__margin_range opposite(tac__margin_range r)
{
    return (tac__margin_range){-r.hi, -r.lo, r.may_not, r.may, r.kink, false};
}

static tac__margin_range apart(tac__range a, tac__range b)
{
    const double lo = a.lo - b.hi, hi = a.hi - b.lo; // of a - b
    const bool meet = lo <= 0 && hi >= 0;
    return (tac__margin_range){.lo = meet ? 0 : least(fabs(lo), fabs(hi)),
                               .hi = most(fabs(lo), fabs(hi)),
                               .may = lo != 0 || hi != 0,
                               .may_not = meet,
                               .kink = meet || a.kink || b.kink};
}

// A choice between two margins: only one that may be chosen counts, and which of them may change.
static bool is_kink(tac__margin_range a, tac__margin_range b, bool smaller)
{
    if (smaller ? a.hi <= b.lo : a.lo >= b.hi)
        return a.kink;
    if (smaller ? b.hi <= a.lo : b.lo >= a.hi)
        return b.kink;
    return true;
}

static tac__margin_range between(const part *p, const tac__range *sides)
{
    tac__margin_range a, b;
    switch (p->kind) {
    case TAC__EXPR_AND:
        a = between(p->a, sides);
        b = between(p->b, sides);
        return (tac__margin_range){least(a.lo, b.lo),      least(a.hi, b.hi),   a.may && b.may,
                                   a.may_not || b.may_not, is_kink(a, b, true), false};
    case TAC__EXPR_OR:
        a = between(p->a, sides);
        b = between(p->b, sides);
        return (tac__margin_range){most(a.lo, b.lo),       most(a.hi, b.hi),     a.may || b.may,
                                   a.may_not && b.may_not, is_kink(a, b, false), false};
    case TAC__EXPR_NOT:
        return opposite(between(p->a, sides));
    case TAC__EXPR_IF:
        if (sides[p->left].lo != 0)
            return between(p->b, sides);
        if (sides[p->left].hi == 0)
            return between(p->c, sides);
        a = between(p->b, sides);
        b = between(p->c, sides);
        return (tac__margin_range){least(a.lo, b.lo),
                                   most(a.hi, b.hi),
                                   a.may || b.may,
                                   a.may_not || b.may_not,
                                   true,
                                   false};
    case TAC__EXPR_LESS:
    case TAC__EXPR_LESS_EQUAL:
        return less(sides[p->left], sides[p->right], p->kind == TAC__EXPR_LESS_EQUAL);
    case TAC__EXPR_GREATER:
    case TAC__EXPR_GREATER_EQUAL:
        return less(sides[p->right], sides[p->left], p->kind == TAC__EXPR_GREATER_EQUAL);
    case TAC__EXPR_EQUAL:
        return opposite(apart(sides[p->left], sides[p->right]));
    case TAC__EXPR_NOT_EQUAL:
        return apart(sides[p->left], sides[p->right]);
    default:
        break;
    }
    const tac__range r = sides[p->left];
    return (tac__margin_range){r.lo != 0 ? (double)INFINITY : -(double)INFINITY,
                               r.hi != 0 ? (double)INFINITY : -(double)INFINITY,
                               r.hi != 0,
                               r.lo == 0,
                               r.lo == 0 && r.hi != 0,
                               false};
}

tac__margin_range tac__margin_between(const tac__margin *m, const tac__range *sides)
{
    tac__margin_range r = between(m->root, sides);
    for (size_t i = 0; i < m->count; i++)
        r.nan |= sides[i].nan;
    return r;
}

// d distance/da; that by b is the opposite.
static double slope(tac__expr_kind kind, double a, double b)
{
    switch (kind) {
    case TAC__EXPR_LESS:
    case TAC__EXPR_LESS_EQUAL:
        return -1;
    case TAC__EXPR_GREATER:
    case TAC__EXPR_GREATER_EQUAL:
        return 1;
    case TAC__EXPR_EQUAL:
        return a > b ? -1 : 1;
    default:
        return a > b ? 1 : -1;
    }
}

void tac__margin_run_duals(const tac__margin *margin, tac_time t_us, const void *const *signals,
                           const double *t, const double *const *duals, double *value)
{
    tac__expr_bundle_run(margin->sides, t_us, signals, NULL, margin->values);
    const decision d = evaluate(margin->root, margin->values);
    double left[TAC_DUAL_WIDTH], right[TAC_DUAL_WIDTH];
    memset(value, 0, TAC_DUAL_WIDTH * sizeof *value);
    *value = d.result.margin;
    if (!d.by)
        return;
    tac__expr_duals_run(d.by->left_duals, t, duals, left);
    tac__expr_duals_run(d.by->right_duals, t, duals, right);
    const double sign = d.sign * slope(d.by->kind, *left, *right);
    for (size_t k = 1; k < TAC_DUAL_WIDTH; k++)
        value[k] = sign * (left[k] - right[k]);
}
