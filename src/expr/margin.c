// margin.c - by how much a condition holds or fails. A margin is the logical part of a checked
// tree, with programs for the two sides of each comparison.
#include "expr/program.h"
#include "expr/tree.h"

#include <math.h>
#include <string.h>

typedef struct part {
    tac__expr_kind kind; // AND, OR, NOT, IF, a comparison; TRUTH: anything else that is true or not
    struct part *a, *b, *c;
    tac__program *left, *right; // sides of a comparison; TRUTH: `left`
    bool value_right;           // the left side is a number that is written out
    const char *unit, *text;
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

// The smaller one, or the larger one; what is not a number does not count.
static tac__margin_result choose(tac__margin_result a, tac__margin_result b, bool smaller)
{
    if (isnan(a.margin) || isnan(b.margin))
        return isnan(a.margin) ? b : a;
    return (smaller ? b.margin < a.margin : b.margin > a.margin) ? b : a;
}

static tac__margin_result evaluate(const part *p, const moment *m)
{
    tac__margin_result r = {.value = (double)NAN};
    switch (p->kind) {
    case TAC__EXPR_AND:
    case TAC__EXPR_OR:
        return choose(evaluate(p->a, m), evaluate(p->b, m), p->kind == TAC__EXPR_AND);
    case TAC__EXPR_NOT:
        r = evaluate(p->a, m);
        r.margin = 0 - r.margin;
        return r;
    case TAC__EXPR_IF:
        return evaluate(run(p->left, m) != 0 ? p->b : p->c, m);
    case TAC__EXPR_TRUTH:
        r.margin = run(p->left, m) != 0 ? (double)INFINITY : -(double)INFINITY;
        return r;
    default:
        break;
    }
    const double a = run(p->left, m), b = run(p->right, m);
    // Equal infinities are no distance apart.
    r.margin = a == b ? 0 : distance(p->kind, a, b);
    r.value = p->value_right ? b : a;
    r.unit = p->unit;
    r.comparison = p->text;
    return r;
}

tac__margin_result tac__margin_run(const tac__margin *margin, tac_time t_us,
                                   const void *const *signals, const uint64_t *memory,
                                   uint64_t *copy)
{
    const moment m = {t_us, signals, memory, copy, margin->memory};
    return evaluate(margin->root, &m);
}
