// table.c - checks tables in expressions: numbers of points, units, order.
#define TAC_KIND_F64
#include "expr/table.h"
#include "expr/function.h"
#include "math/spline.h"
#include "math/table.h"

// Brings breakpoints to the unit of the argument (`first`), or entries to one unit, which becomes
// that of `node`.
static tac_status check_units(tac__checker *c, tac__expr_node *node, int list,
                              tac__expr_node **first)
{
    const tac__expr_points *p = node->points;
    const size_t n = p->count[list];
    tac__expr_node ***operands = tac__arena_array(c->arena, n + 1, sizeof *operands);
    if (!operands)
        return tac__fail_memory(c->err);
    size_t count = 0;
    if (first)
        operands[count++] = first;
    for (size_t i = 0; i < n; i++)
        operands[count++] = &p->literals[list][i];
    return tac__check_alike(c, node, operands, count);
}

static tac_status check_counts(tac__checker *c, const tac__expr_node *node)
{
    const tac__expr_points *p = node->points;
    const size_t least = p->spline ? TAC__SPLINE_POINTS_MIN : 2;
    if (p->count[0] < least)
        return TAC__CHECK_FAIL(c, node, TAC_E_RANGE, "a %s needs at least %zu points, found %zu",
                               node->function->name, least, p->count[0]);
    if (p->count[0] != p->count[1])
        return TAC__CHECK_FAIL(c, node, TAC_E_RANGE, "%zu breakpoints, but %zu values", p->count[0],
                               p->count[1]);
    return TAC_OK;
}

static tac_status take_numbers(tac__checker *c, const tac__expr_node *node)
{
    tac__expr_points *p = node->points;
    const size_t n = p->count[0];
    for (int list = 0; list < 2; list++) {
        double *numbers = p->numbers[list] = tac__arena_array(c->arena, n, sizeof *numbers);
        if (!numbers)
            return tac__fail_memory(c->err);
        for (size_t i = 0; i < n; i++)
            numbers[i] = p->literals[list][i]->value;
    }
    for (size_t i = 1; i < n; i++) {
        if (!table_breakpoints_valid(2, p->numbers[0] + i - 1))
            return TAC__CHECK_FAIL(c, p->literals[0][i], TAC_E_RANGE,
                                   "breakpoints must ascend, but %g follows %g", p->numbers[0][i],
                                   p->numbers[0][i - 1]);
    }
    return TAC_OK;
}

tac_status tac__check_table(tac__checker *c, tac__expr_node *node)
{
    tac__expr_points *p = node->points;
    TAC_TRY(check_counts(c, node));
    TAC_TRY(check_units(c, node, 0, &node->a));
    TAC_TRY(check_units(c, node, 1, NULL));
    if (node->bare) {
        node->bare = false;
        node->unit_text = "1";
    }
    TAC_TRY(take_numbers(c, node));
    if (!p->spline)
        return TAC_OK;
    p->bend = tac__arena_array(c->arena, 2 * p->count[0], sizeof *p->bend);
    if (!p->bend)
        return tac__fail_memory(c->err);
    if (!tac__spline_bend((int)p->count[0], p->numbers[0], p->numbers[1], p->bend))
        return TAC__CHECK_FAIL(c, node, TAC_E_RANGE, "the spline through these points overflows");
    return TAC_OK;
}
