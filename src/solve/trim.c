// trim.c - finds states and inputs at which a plant is in equilibrium, or in the steady motion that
// conditions describe.
//
// Unknowns are all states that are neither set nor drift, and the inputs that are free. Equations:
// the rates of change of all states that do not drift are 0, quaternions have length 1, and the
// conditions hold. An inequality has an unknown of its own, at least 0, that takes up what is left.
#include "solve/trim.h"
#include "base/text.h"
#include "base/unit.h"
#include "engine/watch.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 8 };

// --- reading ------------------------------------------------------------------------------------

tac_status tac__read_quantity(const tac_node *node, const tac__quantity *q, size_t i, size_t count,
                              double *value, tac_error *err)
{
    const tac_node *item = node;
    if (tac_node_kind_of(node) == TAC_NODE_SEQUENCE) {
        if (tac_node_count(node) != count)
            return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(node),
                                "'%s' has %zu element%s, but %zu are given", q->base, count,
                                count == 1 ? "" : "s", tac_node_count(node));
        item = tac_node_item(node, i);
    }
    const char *text = tac_node_text(item);
    if (!text)
        return tac__fail_at(err, TAC_E_TYPE, tac_node_place(item), "expected a number in %s",
                            q->unit);
    const tac_status status = tac__quantity_parse(text, q->unit, value, err);
    if (status != TAC_OK && status != TAC_E_MEMORY) {
        tac_error own;
        tac_error_clear(&own);
        if (err)
            own = *err;
        tac__fail_at(err, status, tac_node_place(item), "%s", own.text);
    }
    return status;
}

tac_status tac__find_island(const tac_engine *e, const char *component, const tac_place *place,
                            size_t *island, tac_error *err)
{
    const size_t count = tac__watch_island_count(e);
    if (component) {
        const int found = tac__watch_find(e, component);
        const int of = found < 0 ? -1 : tac__watch_component(e, (size_t)found).island;
        if (found < 0)
            return tac__fail_at(err, TAC_E_NAME, place, "unknown component '%s'", component);
        if (of < 0 || !tac__watch_island(e, (size_t)of).states)
            return tac__fail_at(err, TAC_E_CONFIG, place,
                                "component '%s' is no part of a plant with continuous states",
                                component);
        *island = (size_t)of;
        return TAC_OK;
    }
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (!tac__watch_island(e, i).states)
            continue;
        *island = i;
        found++;
    }
    if (found == 1)
        return TAC_OK;
    return tac__fail_at(err, TAC_E_CONFIG, place,
                        found ? "there are %zu plants with continuous states; expected 'component' "
                                "with a component of one of them"
                              : "there is no plant with continuous states%.0zu",
                        found);
}

const char *tac__rate_unit(tac__arena *arena, const char *unit)
{
    const char *per = strrchr(unit, '/');
    if (!strcmp(unit, "1"))
        return "1/s";
    if (per && !strcmp(per, "/s"))
        return tac__arena_format(arena, "%s^2", unit);
    if (per && !strcmp(per, "/s^2"))
        return tac__arena_format(arena, "%.*s^3", (int)(strlen(unit) - 2), unit);
    return tac__arena_format(arena, "%s/s", unit);
}

static tac__trim_quantity *quantity_at(const tac_trim *t, tac__range r, size_t i)
{
    return (r.kind == TAC__STATE ? t->x : t->u) + r.first + i;
}

static tac_status find_item(const tac_trim *t, const tac__trim_item *item, tac__range *range,
                            tac_error *err)
{
    if (!tac__plant_find(t->plant, item->name, range))
        return tac__plant_fail_name(t->plant, "unknown state or input", item->name, &item->place,
                                    false, err);
    if (range->kind == TAC__OUTPUT)
        return tac__fail_at(err, TAC_E_CONFIG, &item->place,
                            "'%s' is an output, which follows from states and inputs; write a "
                            "condition for it",
                            item->name);
    for (size_t i = 0; i < range->count; i++) {
        tac__trim_quantity *q = quantity_at(t, *range, i);
        if (q->asked)
            return tac__fail_at(err, TAC_E_DUPLICATE, &item->place, "'%s' is mentioned twice",
                                q->quantity->name);
        q->asked = true;
    }
    return TAC_OK;
}

static tac_status read_set(const tac_trim *t, const tac__trim_item *item, tac_error *err)
{
    tac__range r;
    TAC_TRY(find_item(t, item, &r, err));
    for (size_t i = 0; i < r.count; i++) {
        tac__trim_quantity *q = quantity_at(t, r, i);
        q->part = TAC__TRIM_SET;
        TAC_TRY(tac__read_quantity(item->value, q->quantity, i, r.count, &q->value, err));
    }
    return TAC_OK;
}

static tac_status read_free(const tac_trim *t, const tac__trim_item *item, tac_error *err)
{
    tac__range r;
    TAC_TRY(find_item(t, item, &r, err));
    for (size_t i = 0; i < r.count; i++) {
        tac__trim_quantity *q = quantity_at(t, r, i);
        q->part = TAC__TRIM_FREE;
        if (item->guess)
            TAC_TRY(tac__read_quantity(item->guess, q->quantity, i, r.count, &q->value, err));
        if (item->min)
            TAC_TRY(tac__read_quantity(item->min, q->quantity, i, r.count, &q->lower, err));
        if (item->max)
            TAC_TRY(tac__read_quantity(item->max, q->quantity, i, r.count, &q->upper, err));
        if (!(q->lower <= q->upper))
            return tac__fail_at(err, TAC_E_RANGE, &item->place,
                                "'%s' has its lower bound above its upper bound",
                                q->quantity->name);
    }
    return TAC_OK;
}

static tac_status read_drift(const tac_trim *t, const tac_node *pattern, tac_error *err)
{
    bool any = false;
    for (size_t i = 0; i < t->plant->x_count; i++) {
        tac__trim_quantity *q = &t->x[i];
        if (!tac__quantity_matches(tac_node_text(pattern), q->quantity))
            continue;
        q->drifts = any = true;
    }
    return any ? TAC_OK
               : tac__plant_fail_name(t->plant, "no state matches", tac_node_text(pattern),
                                      tac_node_place(pattern), false, err);
}

// --- the problem --------------------------------------------------------------------------------

static void list_quantities(tac_trim *t)
{
    const tac__plant *p = t->plant;
    for (size_t i = 0; i < p->x_count + p->u_count; i++) {
        const bool state = i < p->x_count;
        *(state ? &t->x[i] : &t->u[i - p->x_count]) =
            (tac__trim_quantity){.quantity = state ? &p->x[i] : &p->u[i - p->x_count],
                                 .value = state ? p->x0[i] : p->u0[i - p->x_count],
                                 .unknown = -1,
                                 .lower = -HUGE_VAL,
                                 .upper = HUGE_VAL};
    }
}

// All states that nothing is said of are free.
static void number_unknowns(tac_trim *t)
{
    for (size_t i = 0; i < t->plant->x_count; i++) {
        if (t->x[i].part == TAC__TRIM_KEPT && !t->x[i].drifts)
            t->x[i].part = TAC__TRIM_FREE;
    }
    for (size_t i = 0; i < t->plant->x_count + t->plant->u_count; i++) {
        tac__trim_quantity *q = i < t->plant->x_count ? &t->x[i] : &t->u[i - t->plant->x_count];
        if (q->part == TAC__TRIM_FREE)
            q->unknown = (int)t->unknown_count++;
    }
}

static tac_status add_rate(tac_trim *t, size_t i)
{
    const tac__quantity *q = t->x[i].quantity;
    const char *unit = tac__rate_unit(&t->arena, q->unit);
    const char *text = unit ? tac__arena_format(&t->arena, "der(%s) == 0 %s", q->name, unit) : NULL;
    t->equations[t->equation_count++] = (tac__trim_equation){.kind = TAC__TRIM_RATE,
                                                             .text = text,
                                                             .unit = unit,
                                                             .state = i,
                                                             .slack = -1,
                                                             .scale = q->scale};
    return text ? TAC_OK : TAC_E_MEMORY;
}

static tac_status add_length(tac_trim *t, size_t i)
{
    const char *text = tac__arena_format(&t->arena, "length of %s == 1", t->x[i].quantity->base);
    t->equations[t->equation_count++] = (tac__trim_equation){
        .kind = TAC__TRIM_LENGTH, .text = text, .unit = "1", .state = i, .slack = -1, .scale = 1};
    return text ? TAC_OK : TAC_E_MEMORY;
}

static tac_status add_condition(tac_trim *t, const tac_node *written, tac_error *err)
{
    tac__condition_terms c;
    TAC_TRY(tac__condition_term(t->plant, written, &t->arena, &c, err));
    const bool equal = isfinite(c.lower) && isfinite(c.upper);
    t->condition_terms[t->condition_count] = c.term;
    t->equations[t->equation_count++] =
        (tac__trim_equation){.kind = TAC__TRIM_CONDITION,
                             .text = c.text,
                             .unit = c.unit,
                             .condition = t->condition_count++,
                             .slack = equal ? -1 : (int)t->unknown_count++,
                             .sign = isfinite(c.upper) ? 1 : -1,
                             .scale = 1};
    return TAC_OK;
}

// The conditions become one function.
static tac_status make_conditions(tac_trim *t, tac_error *err)
{
    const tac__plant *p = t->plant;
    const size_t n = p->x_count + p->u_count + 1;
    const double *const values[] = {NULL, p->mode};
    TAC_TRY(tac__graph_create(t->allocator, "conditions", false, p->graph, &t->conditions, err));
    if (!tac__graph_add_input(t->conditions, "z", n, p->z_terms) ||
        !tac__graph_add_input(t->conditions, "mode", p->mode_count, p->mode_terms) ||
        !tac__graph_add_output(t->conditions, "c", t->condition_count, t->condition_terms))
        return tac__fail_memory(err);
    TAC_TRY(tac__graph_function_make(t->conditions, "c", "z", values, false, &t->arena,
                                     &t->function, err));
    const tac__solve_function *f = tac__graph_function_of(t->function);
    t->z = tac__arena_array(&t->arena, n, sizeof *t->z);
    t->c = tac__arena_array(&t->arena, f->n_out, sizeof *t->c);
    t->slopes = tac__arena_array(&t->arena, f->jacobian_pattern.count, sizeof *t->slopes);
    return t->z && t->c && t->slopes ? TAC_OK : tac__fail_memory(err);
}

static bool is_quaternion(const tac__quantity *q)
{
    return q->type.shape == TAC_QUAT;
}

static tac_status add_equations(tac_trim *t, const tac__trim_def *def, tac_error *err)
{
    const size_t n = t->plant->x_count;
    t->equations = tac__arena_array(&t->arena, 2 * n + def->condition_count, sizeof *t->equations);
    t->condition_terms =
        tac__arena_array(&t->arena, def->condition_count, sizeof *t->condition_terms);
    if (!t->equations || !t->condition_terms)
        return tac__fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        if (!t->x[i].drifts && add_rate(t, i) != TAC_OK)
            return tac__fail_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        if (is_quaternion(t->x[i].quantity) && t->x[i].quantity->element == 0 &&
            t->x[i].part == TAC__TRIM_FREE && add_length(t, i) != TAC_OK)
            return tac__fail_memory(err);
    }
    for (size_t i = 0; i < def->condition_count; i++)
        TAC_TRY(add_condition(t, def->conditions[i], err));
    return make_conditions(t, err);
}

// --- the function -------------------------------------------------------------------------------

typedef struct problem {
    tac_trim *t;
    double *x, *u, *dx, *y;
    double *plant; // Jacobian of the plant
    double *dense; // Jacobian of the equations: a column an unknown
    size_t row;    // of the equation whose slopes are taken
} problem;

static void put(const problem *p, const double *z)
{
    const tac_trim *t = p->t;
    for (size_t i = 0; i < t->plant->x_count; i++)
        p->x[i] = t->x[i].unknown < 0 ? t->x[i].value : z[t->x[i].unknown];
    for (size_t i = 0; i < t->plant->u_count; i++)
        p->u[i] = t->u[i].unknown < 0 ? t->u[i].value : z[t->u[i].unknown];
}

static double residual(const problem *p, const tac__trim_equation *q, const double *z)
{
    const double *x = p->x + q->state;
    if (q->kind == TAC__TRIM_RATE)
        return p->dx[q->state];
    if (q->kind == TAC__TRIM_LENGTH)
        return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] - 1;
    return p->t->c[q->condition] + (q->slack < 0 ? 0 : q->sign * z[q->slack]);
}

// States, inputs and time, as the conditions take them.
static const double *arguments(const problem *p)
{
    const tac_trim *t = p->t;
    memcpy(t->z, p->x, t->plant->x_count * sizeof *t->z);
    memcpy(t->z + t->plant->x_count, p->u, t->plant->u_count * sizeof *t->z);
    t->z[t->plant->x_count + t->plant->u_count] = t->plant->t_s;
    return t->z;
}

static tac_status evaluate(const problem *p)
{
    const tac_trim *t = p->t;
    const tac__solve_function *f = tac__graph_function_of(t->function);
    TAC_TRY(tac__plant_eval(t->plant, p->x, p->u, p->dx, p->y));
    return f->eval(f->context, arguments(p), t->c);
}

static tac_status eval(void *context, const double *z, double *r)
{
    problem *p = context;
    const tac_trim *t = p->t;
    put(p, z);
    TAC_TRY(evaluate(p));
    for (size_t i = 0; i < t->equation_count; i++)
        r[i] = (int)i == t->dropped ? 0 : residual(p, &t->equations[i], z);
    return TAC_OK;
}

// Add `slope` times the derivatives of one row of the plant's Jacobian.
static void add_row(const problem *p, size_t row, double slope)
{
    const tac_trim *t = p->t;
    const size_t rows = t->plant->x_count + t->plant->y_count;
    for (size_t i = 0; i < t->plant->x_count + t->plant->u_count; i++) {
        const tac__trim_quantity *q =
            i < t->plant->x_count ? &t->x[i] : &t->u[i - t->plant->x_count];
        if (q->unknown >= 0)
            p->dense[(size_t)q->unknown * t->equation_count + p->row] +=
                slope * p->plant[i * rows + row];
    }
}

// Add a slope by number i of states, inputs and the time.
static void add_slope(const problem *p, size_t i, double slope)
{
    const tac_trim *t = p->t;
    const size_t n = t->plant->x_count;
    const int unknown = i < n                       ? t->x[i].unknown
                        : i < n + t->plant->u_count ? t->u[i - n].unknown
                                                    : -1;
    if (unknown >= 0)
        p->dense[(size_t)unknown * t->equation_count + p->row] += slope;
}

static void add_condition_row(const problem *p, size_t condition)
{
    const tac__sparsity *pattern = &tac__graph_function_of(p->t->function)->jacobian_pattern;
    for (size_t k = 0; k < pattern->count; k++) {
        if ((size_t)pattern->rows[k] == condition)
            add_slope(p, (size_t)pattern->columns[k], p->t->slopes[k]);
    }
}

static tac_status jacobian(void *context, const double *z, double *values)
{
    problem *p = context;
    const tac_trim *t = p->t;
    put(p, z);
    TAC_TRY(tac__plant_jacobian(t->plant, p->x, p->u, p->plant));
    const tac__solve_function *f = tac__graph_function_of(t->function);
    TAC_TRY(f->jacobian(f->context, arguments(p), t->slopes));
    memset(values, 0, t->unknown_count * t->equation_count * sizeof *values);
    p->dense = values;
    for (p->row = 0; p->row < t->equation_count; p->row++) {
        const tac__trim_equation *q = &t->equations[p->row];
        if ((int)p->row == t->dropped)
            continue;
        if (q->kind == TAC__TRIM_RATE)
            add_row(p, q->state, 1);
        for (size_t k = 0; q->kind == TAC__TRIM_LENGTH && k < 4; k++)
            add_slope(p, q->state + k, 2 * p->x[q->state + k]);
        if (q->kind == TAC__TRIM_CONDITION)
            add_condition_row(p, q->condition);
        if (q->slack >= 0)
            values[(size_t)q->slack * t->equation_count + p->row] = q->sign;
    }
    return TAC_OK;
}

// --- solving ------------------------------------------------------------------------------------

typedef struct arrays {
    double *z, *lower, *upper, *z_scale, *r, *r_scale;
    int32_t *rows, *columns;
} arrays;

static bool make_arrays(tac_trim *t, problem *p, arrays *a)
{
    const size_t n = t->unknown_count, m = t->equation_count;
    const tac__plant *plant = t->plant;
    tac__arena *arena = &t->arena;
    double **all[] = {&a->z, &a->lower, &a->upper, &a->z_scale};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i] = tac__arena_array(arena, n, sizeof(double));
        if (!*all[i])
            return false;
    }
    a->r = tac__arena_array(arena, m, sizeof *a->r);
    a->r_scale = tac__arena_array(arena, m, sizeof *a->r_scale);
    a->rows = tac__arena_array(arena, n * m, sizeof *a->rows);
    a->columns = tac__arena_array(arena, n * m, sizeof *a->columns);
    p->plant = tac__arena_array(
        arena, (plant->x_count + plant->u_count) * (plant->x_count + plant->y_count),
        sizeof *p->plant);
    return a->r && a->r_scale && a->rows && a->columns && p->plant;
}

static void fill_arrays(const tac_trim *t, const arrays *a)
{
    const size_t m = t->equation_count;
    for (size_t i = 0; i < t->unknown_count; i++) { // of slacks
        a->upper[i] = HUGE_VAL;
        a->z_scale[i] = 1;
    }
    for (size_t i = 0; i < t->plant->x_count + t->plant->u_count; i++) {
        const tac__trim_quantity *q =
            i < t->plant->x_count ? &t->x[i] : &t->u[i - t->plant->x_count];
        if (q->unknown < 0)
            continue;
        a->z[q->unknown] = q->value;
        a->lower[q->unknown] = q->lower;
        a->upper[q->unknown] = q->upper;
        a->z_scale[q->unknown] = q->quantity->scale;
    }
    for (size_t i = 0; i < m; i++)
        a->r_scale[i] = t->equations[i].scale;
    for (size_t k = 0; k < t->unknown_count * m; k++) {
        a->rows[k] = (int32_t)(k % m);
        a->columns[k] = (int32_t)(k / m);
    }
}

// Solve with the modes as they are; again while the solution has other modes.
static tac_status iterate(tac_trim *t, problem *p, const arrays *a, const tac__trim_def *def,
                          tac_error *err)
{
    const size_t n = t->unknown_count, m = t->equation_count;
    const tac__solve_function f = {n,        m,   p,   eval, {a->rows, a->columns, n * m},
                                   jacobian, {0}, NULL};
    const tac__newton_def newton = {.function = &f,
                                    .lower = a->lower,
                                    .upper = a->upper,
                                    .x_scale = a->z_scale,
                                    .y_scale = a->r_scale,
                                    .tolerance = def->tolerance,
                                    .iterations = def->iterations};
    put(p, a->z);
    bool changed;
    t->rounds = 0;
    TAC_TRY(tac__plant_settle(t->plant, p->x, p->u, &changed));
    for (changed = true; changed && t->rounds < ROUNDS; t->rounds++) {
        if (tac__newton(&newton, &t->arena, a->z, a->r, &t->newton) != TAC_OK)
            return tac__fail_memory(err);
        put(p, a->z);
        TAC_TRY(tac__plant_settle(t->plant, p->x, p->u, &changed));
    }
    t->solved = t->newton.end == TAC__NEWTON_SOLVED && !changed;
    return TAC_OK;
}

static tac_status keep_result(tac_trim *t, problem *p, const arrays *a)
{
    put(p, a->z);
    TAC_TRY(evaluate(p));
    for (size_t i = 0; i < t->plant->x_count; i++) {
        t->x[i].value = p->x[i];
        t->x[i].rate = p->dx[i];
        t->x[i].open = t->x[i].unknown < 0 ? 0 : t->newton.open[t->x[i].unknown];
    }
    for (size_t i = 0; i < t->plant->u_count; i++) {
        t->u[i].value = p->u[i];
        t->u[i].open = t->u[i].unknown < 0 ? 0 : t->newton.open[t->u[i].unknown];
    }
    for (size_t i = 0; i < t->equation_count; i++) {
        tac__trim_equation *q = &t->equations[i];
        q->residual = residual(p, q, a->z);
        q->met = fabs(q->residual) <= t->tolerance * q->scale;
    }
    return TAC_OK;
}

// The equation that is farthest from being met.
static const tac__trim_equation *worst(const tac_trim *t)
{
    if (t->dropped >= 0)
        return &t->equations[t->dropped];
    const tac__trim_equation *most = NULL;
    for (size_t i = 0; i < t->equation_count; i++) {
        const tac__trim_equation *q = &t->equations[i];
        if (!q->met && (!most || fabs(q->residual) / q->scale > fabs(most->residual) / most->scale))
            most = q;
    }
    return most;
}

// How much an equation says what the user wants: conditions, then motion of the body; how motors
// and batteries behave comes last.
static int wish_of(const tac_trim *t, size_t i)
{
    const tac__trim_equation *q = &t->equations[i];
    if (q->kind == TAC__TRIM_LENGTH)
        return 0;
    if (q->kind == TAC__TRIM_CONDITION)
        return 3;
    const tac__quantity *x = t->x[q->state].quantity;
    return x->part == TAC_PART_BODY && x->type.shape != TAC_QUAT ? 2 : 1;
}

// The sum of squares spreads what is not met over all equations. To name one, look for an equation
// without which all others are met: among those that are not met, wishes first, the largest first.
static tac_status find_culprit(tac_trim *t, problem *p, const arrays *a, const tac__trim_def *def,
                               tac_error *err)
{
    const tac__newton_result first = t->newton;
    bool *tried = tac__arena_array(&t->arena, t->equation_count, sizeof *tried);
    if (!tried)
        return tac__fail_memory(err);
    for (int wish = 3; wish > 0; wish--) {
        for (;;) {
            int best = -1;
            for (size_t i = 0; i < t->equation_count; i++) {
                const tac__trim_equation *q = &t->equations[i],
                                         *b = &t->equations[best < 0 ? 0 : best];
                if (!tried[i] && !q->met && wish_of(t, i) == wish &&
                    (best < 0 || fabs(q->residual) / q->scale > fabs(b->residual) / b->scale))
                    best = (int)i;
            }
            if (best < 0)
                break;
            tried[best] = true;
            t->dropped = best;
            fill_arrays(t, a);
            TAC_TRY(iterate(t, p, a, def, err));
            if (t->solved) {
                t->solved = false;
                return keep_result(t, p, a);
            }
        }
    }
    t->dropped = -1;
    t->newton = first;
    fill_arrays(t, a);
    TAC_TRY(iterate(t, p, a, def, err));
    return keep_result(t, p, a);
}

static void name_bounds(const tac_trim *t, tac_error *err)
{
    const char *before = "; at their bounds: ";
    for (size_t i = 0; i < t->plant->x_count + t->plant->u_count; i++) {
        const tac__trim_quantity *q =
            i < t->plant->x_count ? &t->x[i] : &t->u[i - t->plant->x_count];
        if (q->unknown < 0 || (q->value > q->lower && q->value < q->upper))
            continue;
        tac__error_append(err, "%s%s = %.6g", before, q->quantity->name, q->value);
        before = ", ";
    }
}

static tac_status fail_unsolved(const tac_trim *t, const tac__trim_def *def, tac_error *err)
{
    const tac__trim_equation *q = worst(t);
    if (!q)
        return tac__fail_at(err, TAC_E_UNSOLVED, &def->place,
                            "the contacts of the solution are not those that it was found with, "
                            "%d times in a row",
                            t->rounds);
    tac__fail_at(err, TAC_E_UNSOLVED, &def->place,
                 "no trim: '%s' is not met, its left side is %.6g %s %s", q->text,
                 fabs(q->residual), q->unit, q->residual < 0 ? "too small" : "too large");
    size_t others = 0;
    for (size_t i = 0; i < t->equation_count; i++)
        others += !t->equations[i].met;
    if (t->dropped >= 0)
        tac__error_append(err, " where all other equations are met");
    else if (others > 1)
        tac__error_append(err, "; %zu other equation%s not met either", others - 1,
                          others == 2 ? " is" : "s are");
    name_bounds(t, err);
    if (t->newton.end == TAC__NEWTON_LIMIT)
        tac__error_append(err, "; after %d iterations", t->newton.iterations);
    return TAC_E_UNSOLVED;
}

static tac_status solve(tac_trim *t, const tac__trim_def *def, tac_error *err)
{
    problem p = {.t = t, .x = t->x_values, .u = t->u_values, .dx = t->dx_values, .y = t->y_values};
    arrays a = {0};
    if (!make_arrays(t, &p, &a))
        return tac__fail_memory(err);
    fill_arrays(t, &a);
    tac_status status = iterate(t, &p, &a, def, err);
    if (status == TAC_OK && t->newton.end == TAC__NEWTON_NUMERIC)
        status = TAC_E_NUMERIC;
    if (status == TAC_OK)
        status = keep_result(t, &p, &a);
    if (status == TAC_OK && !t->solved && worst(t))
        status = find_culprit(t, &p, &a, def, err);
    if (status != TAC_OK && status != TAC_E_MEMORY)
        return tac__fail_at(err, TAC_E_NUMERIC, &def->place,
                            "the equations of '%s' have no value at the first guess; give another "
                            "with 'guess' or 'set'",
                            t->plant->name);
    if (status != TAC_OK)
        return status;
    return t->solved ? TAC_OK : fail_unsolved(t, def, err);
}

// --- making -------------------------------------------------------------------------------------

static tac_status make(tac_trim *t, const tac__trim_def *def, tac_error *err)
{
    size_t island;
    TAC_TRY(tac__find_island(t->engine, def->component,
                             def->component ? &def->component_place : &def->place, &island, err));
    TAC_TRY(tac_engine_run(t->engine, def->at_us, err));
    TAC_TRY(tac__plant_make(t->engine, island, &t->arena, &t->plant, err));
    const size_t n = t->plant->x_count, k = t->plant->u_count;
    t->x = tac__arena_array(&t->arena, n, sizeof *t->x);
    t->u = tac__arena_array(&t->arena, k, sizeof *t->u);
    t->x_values = tac__arena_array(&t->arena, n, sizeof(double));
    t->dx_values = tac__arena_array(&t->arena, n, sizeof(double));
    t->u_values = tac__arena_array(&t->arena, k, sizeof(double));
    t->y_values = tac__arena_array(&t->arena, t->plant->y_count, sizeof(double));
    if (!t->x || !t->u || !t->x_values || !t->dx_values || !t->u_values || !t->y_values)
        return tac__fail_memory(err);
    list_quantities(t);
    for (size_t i = 0; i < def->set_count; i++)
        TAC_TRY(read_set(t, &def->set[i], err));
    for (size_t i = 0; i < def->free_count; i++)
        TAC_TRY(read_free(t, &def->free[i], err));
    for (size_t i = 0; i < def->drift_count; i++)
        TAC_TRY(read_drift(t, def->drift[i], err));
    number_unknowns(t);
    TAC_TRY(add_equations(t, def, err));
    return solve(t, def, err);
}

tac_status tac__trim_create(const tac__trim_def *def, tac_engine *engine, tac_trim **trim,
                            tac_error *err)
{
    TAC_REQUIRE(engine && trim && tac__engine_is_prepared(engine));
    *trim = NULL;
    const tac_allocator *a = tac__watch_run(engine).allocator;
    tac_trim *t = a->resize(a->context, NULL, 0, sizeof *t);
    if (!t)
        return tac__fail_memory(err);
    *t = (tac_trim){.allocator = a, .engine = engine, .tolerance = def->tolerance, .dropped = -1};
    tac__arena_init(&t->arena, a);
    const tac_status status = make(t, def, err);
    if (status != TAC_OK && status != TAC_E_UNSOLVED) {
        tac_trim_destroy(t);
        return status;
    }
    *trim = t;
    return status;
}

void tac_trim_destroy(tac_trim *t)
{
    if (!t)
        return;
    tac__graph_function_destroy(t->function);
    tac__graph_destroy(t->conditions);
    tac__plant_destroy(t->plant);
    tac__arena_fini(&t->arena);
    t->allocator->resize(t->allocator->context, t, sizeof *t, 0);
}

bool tac_trim_value(const tac_trim *t, const char *name, double *value)
{
    tac__range r;
    if (!t || !tac__plant_find(t->plant, name, &r) || r.count != 1)
        return false;
    *value = r.kind == TAC__STATE   ? t->x_values[r.first]
             : r.kind == TAC__INPUT ? t->u_values[r.first]
                                    : t->y_values[r.first];
    return true;
}
