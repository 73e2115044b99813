// margin.c - by how much a condition holds or fails. A margin is the logical part of a checked
// tree, with programs for the two sides of each comparison.
#include "expr/program.h"
#include "expr/tree.h"

#include <math.h>
#include <string.h>
#include <tactus/component.h>

typedef struct part {
    tac__expr_kind kind; // AND, OR, NOT, IF, a comparison; TRUTH: anything else that is true or not
    struct part *a, *b, *c;
    tac__program *left, *right; // sides of a comparison; TRUTH: `left`
    bool value_right;           // the left side is a number that is written out
    const char *unit, *text;
    const tac__expr_node *node;
    tac__expr_duals *left_duals, *right_duals; // sides of a comparison; NULL: not prepared
} part;

struct tac__margin {
    part *root;
    size_t memory; // words
};

// --- compiling ----------------------------------------------------------------------------------

typedef struct compiler {
    tac__arena *arena;
    const tac__expr *expr;
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

static tac_status compile_comparison(const compiler *c, const tac__expr_node *node, part *p)
{
    p->value_right = node->a->kind == TAC__EXPR_LITERAL;
    p->unit = unit_of(node);
    p->text = tac__arena_format(c->arena, "%.*s", (int)(node->to - node->from),
                                c->expr->text + node->from);
    if (!p->text)
        return tac__fail_memory(c->err);
    TAC_TRY(tac__expr_compile_part(c->arena, c->expr, node->a, &p->left, c->err));
    return tac__expr_compile_part(c->arena, c->expr, node->b, &p->right, c->err);
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
        TAC_TRY(tac__expr_compile_part(c->arena, c->expr, node->a, &p->left, c->err));
        TAC_TRY(compile(c, node->b, &p->b));
        return compile(c, node->c, &p->c);
    default:
        p->kind = TAC__EXPR_TRUTH;
        return tac__expr_compile_part(c->arena, c->expr, node, &p->left, c->err);
    }
}

tac_status tac__margin_compile(tac__arena *arena, const tac__expr *expr, tac__margin **margin,
                               tac_error *err)
{
    const compiler c = {arena, expr, err};
    tac__margin *m = *margin = tac__arena_alloc(arena, sizeof *m);
    if (!m)
        return tac__fail_memory(err);
    m->memory = tac__expr_memory(expr);
    return compile(&c, expr->root, &m->root);
}

static tac_status prepare(const compiler *c, part *p)
{
    if (!p)
        return TAC_OK;
    TAC_TRY(prepare(c, p->a));
    TAC_TRY(prepare(c, p->b));
    TAC_TRY(prepare(c, p->c));
    if (!p->right)
        return TAC_OK;
    TAC_TRY(tac__expr_duals_compile_part(c->arena, c->expr, p->node->a, &p->left_duals, c->err));
    return tac__expr_duals_compile_part(c->arena, c->expr, p->node->b, &p->right_duals, c->err);
}

tac_status tac__margin_prepare_duals(tac__arena *arena, const tac__expr *expr, tac__margin *margin,
                                     tac_error *err)
{
    const compiler c = {arena, expr, err};
    return prepare(&c, margin->root);
}

// --- evaluating ---------------------------------------------------------------------------------

typedef struct moment {
    tac_time t_us;
    const void *const *signals;
    const uint64_t *memory;
    uint64_t *copy;
    size_t words;
} moment;

static double run(const tac__program *p, const moment *m)
{
    if (m->words)
        memcpy(m->copy, m->memory, m->words * sizeof *m->copy);
    return tac__program_run(p, m->t_us, m->signals, m->copy).value;
}

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

static decision evaluate(const part *p, const moment *m)
{
    decision d = {.result = {.value = (double)NAN}, .sign = 1};
    tac__margin_result *r = &d.result;
    switch (p->kind) {
    case TAC__EXPR_AND:
    case TAC__EXPR_OR:
        return choose(evaluate(p->a, m), evaluate(p->b, m), p->kind == TAC__EXPR_AND);
    case TAC__EXPR_NOT:
        d = evaluate(p->a, m);
        r->margin = 0 - r->margin;
        d.sign = -d.sign;
        return d;
    case TAC__EXPR_IF:
        return evaluate(run(p->left, m) != 0 ? p->b : p->c, m);
    case TAC__EXPR_TRUTH:
        r->margin = run(p->left, m) != 0 ? (double)INFINITY : -(double)INFINITY;
        return d;
    default:
        break;
    }
    const double a = run(p->left, m), b = run(p->right, m);
    // Equal infinities are no distance apart.
    r->margin = a == b ? 0 : distance(p->kind, a, b);
    r->value = p->value_right ? b : a;
    r->unit = p->unit;
    r->comparison = p->text;
    d.by = p;
    return d;
}

tac__margin_result tac__margin_run(const tac__margin *margin, tac_time t_us,
                                   const void *const *signals, const uint64_t *memory,
                                   uint64_t *copy)
{
    const moment m = {t_us, signals, memory, copy, margin->memory};
    return evaluate(margin->root, &m).result;
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
    const moment m = {t_us, signals, NULL, NULL, 0};
    const decision d = evaluate(margin->root, &m);
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
