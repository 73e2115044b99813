// linear.c - the linear equations of a plant next to a state, their eigenvalues and ranks.
//
// A quaternion q has four numbers for three ways to turn. Unless all four are wanted, it is
// replaced by angles d about the body's axes: q = q0 * (1, d/2) for small d, so that dq = E d with
// E = 1/2 q0 * (0, .), and d' = 4 E' dq. Since q0 itself may turn, the rate of d is
// 4 E' (A E - dE/dt) d + ..., where dE/dt is E of the rate of q0.
#include "solve/linear.h"
#include "base/text.h"
#include "engine/watch.h"
#include "solve/eigen.h"
#include "solve/rank.h"

#include <string.h>

typedef struct making {
    tac_linear *l;
    const tac__linear_def *def;
    tac__plant *plant;
    const double *x, *u;
    double *dx, *y;
    double *jacobian; // of the plant
    size_t rows;      // of the Jacobian
    size_t *first; // of each state of the plant: the first of its signal among those of the system
    bool *wide;    // of each state of the plant: an element of a quaternion that has angles
    int *inputs;   // numbers in the plant
    int *outputs;  // numbers in the plant: outputs, or -1 - i for state i
    tac_error *err;
} making;

// --- which rows and columns ---------------------------------------------------------------------

static bool is_wanted(const tac_node *const *patterns, size_t count, const tac__quantity *q)
{
    for (size_t i = 0; i < count; i++) {
        if (tac__quantity_matches(tac_node_text(patterns[i]), q))
            return true;
    }
    return false;
}

static bool matches_any(const making *m, const tac_node *pattern, bool inputs)
{
    const tac__plant *p = m->plant;
    for (size_t i = 0; inputs && i < p->u_count; i++) {
        if (tac__quantity_matches(tac_node_text(pattern), &p->u[i]))
            return true;
    }
    for (size_t i = 0; !inputs && i < p->y_count + p->x_count; i++) {
        if (tac__quantity_matches(tac_node_text(pattern),
                                  i < p->y_count ? &p->y[i] : &p->x[i - p->y_count]))
            return true;
    }
    return false;
}

static tac_status check_patterns(const making *m)
{
    for (size_t i = 0; i < m->def->input_count + m->def->output_count; i++) {
        const bool input = i < m->def->input_count;
        const tac_node *pattern =
            input ? m->def->inputs[i] : m->def->outputs[i - m->def->input_count];
        if (!matches_any(m, pattern, input))
            return tac__plant_fail_name(
                m->plant, input ? "no input matches" : "no output or state matches",
                tac_node_text(pattern), tac_node_place(pattern), !input, m->err);
    }
    return TAC_OK;
}

// By default the inputs that the trim was free to choose, or all.
static bool takes_input(const making *m, size_t i)
{
    if (m->def->input_count)
        return is_wanted(m->def->inputs, m->def->input_count, &m->plant->u[i]);
    return !m->def->trim || m->def->trim->u[i].part == TAC__TRIM_FREE;
}

static void choose(making *m)
{
    const tac__plant *p = m->plant;
    for (size_t i = 0; i < p->u_count; i++) {
        if (takes_input(m, i))
            m->inputs[m->l->m++] = (int)i;
    }
    for (size_t i = 0; i < p->y_count; i++) {
        if (!m->def->output_count || is_wanted(m->def->outputs, m->def->output_count, &p->y[i]))
            m->outputs[m->l->p++] = (int)i;
    }
    for (size_t i = 0; i < p->x_count; i++) {
        if (is_wanted(m->def->outputs, m->def->output_count, &p->x[i]))
            m->outputs[m->l->p++] = -1 - (int)i;
    }
}

// Number the states of the system.
static void number(making *m)
{
    const tac__plant *p = m->plant;
    for (size_t i = 0; i < p->x_count; i += p->x[i].type.count) {
        const size_t count = p->x[i].type.count;
        const bool wide = !m->def->full && p->x[i].type.shape == TAC_QUAT;
        for (size_t k = 0; k < count; k++) {
            m->first[i + k] = m->l->n;
            m->wide[i + k] = wide;
        }
        m->l->n += wide ? 3 : count;
    }
}

static tac_status name_states(making *m)
{
    static const char *const axes[] = {"about_x", "about_y", "about_z"};
    const tac__plant *p = m->plant;
    for (size_t i = 0; i < p->x_count; i++) {
        const tac__quantity *q = &p->x[i];
        if (m->wide[i] && q->element == 3)
            continue;
        const size_t at = m->first[i] + q->element;
        m->l->x[at] = (tac__linear_name){q->name, q->unit, m->x[i]};
        m->l->rate[at] = m->dx[i];
        if (!m->wide[i])
            continue;
        const char *name = tac__arena_format(&m->l->arena, "%s.%s", q->base, axes[q->element]);
        if (!name)
            return tac__fail_memory(m->err);
        m->l->x[at] = (tac__linear_name){name, "rad", 0};
        m->l->rate[at] = 0;
    }
    return TAC_OK;
}

static void name_rest(making *m)
{
    const tac__plant *p = m->plant;
    for (size_t k = 0; k < m->l->m; k++) {
        const tac__quantity *q = &p->u[m->inputs[k]];
        m->l->u[k] = (tac__linear_name){q->name, q->unit, m->u[m->inputs[k]]};
    }
    for (size_t k = 0; k < m->l->p; k++) {
        const int i = m->outputs[k];
        const tac__quantity *q = i >= 0 ? &p->y[i] : &p->x[-1 - i];
        m->l->y[k] = (tac__linear_name){q->name, q->unit, i >= 0 ? m->y[i] : m->x[-1 - i]};
    }
}

// --- matrices -----------------------------------------------------------------------------------

// E of a quaternion, or of its rate: element i by angle k.
static double turned(const double *q, size_t i, size_t k)
{
    const double e[4][3] = {
        {-q[1], -q[2], -q[3]}, {q[0], -q[3], q[2]}, {q[3], q[0], -q[1]}, {-q[2], q[1], q[0]}};
    return e[i][k] / 2;
}

// A row of the Jacobian times E: derivatives by the states of the system, n numbers.
static void by_states(const making *m, size_t row, double *to)
{
    const tac__plant *p = m->plant;
    memset(to, 0, m->l->n * sizeof *to);
    for (size_t i = 0; i < p->x_count; i++) {
        const double slope = m->jacobian[i * m->rows + row];
        const size_t element = p->x[i].element;
        if (!m->wide[i]) {
            to[m->first[i] + element] += slope;
            continue;
        }
        for (size_t k = 0; k < 3; k++)
            to[m->first[i] + k] += slope * turned(m->x + i - element, element, k);
    }
}

// Add `weight` times row `row` of the Jacobian, and of -dE/dt, to row `to` of A and B.
static void add_row(const making *m, size_t row, size_t to, double weight, double *scratch)
{
    tac_linear *l = m->l;
    by_states(m, row, scratch);
    const size_t element = m->plant->x[row].element;
    for (size_t k = 0; m->wide[row] && k < 3; k++)
        scratch[m->first[row] + k] -= turned(m->dx + row - element, element, k);
    for (size_t j = 0; j < l->n; j++)
        l->a[j * l->n + to] += weight * scratch[j];
    for (size_t j = 0; j < l->m; j++)
        l->b[j * l->n + to] +=
            weight * m->jacobian[(m->plant->x_count + (size_t)m->inputs[j]) * m->rows + row];
}

static void fill_ab(const making *m, double *scratch)
{
    const tac__plant *p = m->plant;
    for (size_t i = 0; i < p->x_count; i++) {
        const size_t element = p->x[i].element;
        if (!m->wide[i]) {
            add_row(m, i, m->first[i] + element, 1, scratch);
            continue;
        }
        for (size_t k = 0; k < 3; k++)
            add_row(m, i, m->first[i] + k, 4 * turned(m->x + i - element, element, k), scratch);
    }
}

static void fill_cd(const making *m, double *scratch)
{
    tac_linear *l = m->l;
    const tac__plant *p = m->plant;
    for (size_t i = 0; i < l->p; i++) {
        const int output = m->outputs[i];
        if (output >= 0) {
            const size_t row = p->x_count + (size_t)output;
            by_states(m, row, scratch);
            for (size_t j = 0; j < l->m; j++)
                l->d[j * l->p + i] =
                    m->jacobian[(p->x_count + (size_t)m->inputs[j]) * m->rows + row];
        } else {
            const size_t state = (size_t)(-1 - output), element = p->x[state].element;
            memset(scratch, 0, l->n * sizeof *scratch);
            if (!m->wide[state])
                scratch[m->first[state] + element] = 1;
            for (size_t k = 0; m->wide[state] && k < 3; k++)
                scratch[m->first[state] + k] = turned(m->x + state - element, element, k);
        }
        for (size_t j = 0; j < l->n; j++)
            l->c[j * l->p + i] = scratch[j];
    }
}

// --- eigenvalues and ranks ----------------------------------------------------------------------

static tac_status analyse(const making *m)
{
    tac_linear *l = m->l;
    double *copy = tac__arena_array(&l->arena, l->n * l->n, sizeof *copy);
    double *ct = tac__arena_array(&l->arena, l->n * l->p, sizeof *ct);
    if (!copy || !ct)
        return tac__fail_memory(m->err);
    memcpy(copy, l->a, l->n * l->n * sizeof *copy);
    if (!tac__eigenvalues(l->n, copy, l->real, l->imaginary))
        return tac__fail(m->err, TAC_E_NUMERIC, "the eigenvalues of '%s' cannot be found",
                         l->plant);
    for (size_t j = 0; j < l->n; j++) {
        for (size_t i = 0; i < l->n; i++)
            copy[i * l->n + j] = l->a[j * l->n + i];
        for (size_t i = 0; i < l->p; i++)
            ct[i * l->n + j] = l->c[j * l->p + i];
    }
    if (tac__controllable(&l->arena, l->n, l->m, l->a, l->b, &l->controllable) != TAC_OK ||
        tac__controllable(&l->arena, l->n, l->p, copy, ct, &l->observable) != TAC_OK)
        return tac__fail_memory(m->err);
    return TAC_OK;
}

// --- making -------------------------------------------------------------------------------------

static bool make_lists(making *m)
{
    const tac__plant *p = m->plant;
    tac__arena *arena = &m->l->arena;
    m->rows = p->x_count + p->y_count;
    m->dx = tac__arena_array(arena, p->x_count, sizeof *m->dx);
    m->y = tac__arena_array(arena, p->y_count, sizeof *m->y);
    m->jacobian = tac__arena_array(arena, (p->x_count + p->u_count) * m->rows, sizeof(double));
    m->first = tac__arena_array(arena, p->x_count, sizeof *m->first);
    m->wide = tac__arena_array(arena, p->x_count, sizeof *m->wide);
    m->inputs = tac__arena_array(arena, p->u_count, sizeof *m->inputs);
    m->outputs = tac__arena_array(arena, m->rows, sizeof *m->outputs);
    return m->dx && m->y && m->jacobian && m->first && m->wide && m->inputs && m->outputs;
}

static bool make_matrices(tac_linear *l)
{
    tac__arena *arena = &l->arena;
    l->x = tac__arena_array(arena, l->n, sizeof *l->x);
    l->u = tac__arena_array(arena, l->m, sizeof *l->u);
    l->y = tac__arena_array(arena, l->p, sizeof *l->y);
    l->a = tac__arena_array(arena, l->n * l->n, sizeof *l->a);
    l->b = tac__arena_array(arena, l->n * l->m, sizeof *l->b);
    l->c = tac__arena_array(arena, l->p * l->n, sizeof *l->c);
    l->d = tac__arena_array(arena, l->p * l->m, sizeof *l->d);
    l->rate = tac__arena_array(arena, l->n, sizeof *l->rate);
    l->real = tac__arena_array(arena, l->n, sizeof *l->real);
    l->imaginary = tac__arena_array(arena, l->n, sizeof *l->imaginary);
    return l->x && l->u && l->y && l->a && l->b && l->c && l->d && l->rate && l->real &&
           l->imaginary;
}

static tac_status find_plant(making *m, tac_engine *engine)
{
    const tac_trim *t = m->def->trim;
    if (t) {
        m->plant = t->plant;
        m->x = t->x_values;
        m->u = t->u_values;
        return TAC_OK;
    }
    size_t island;
    TAC_TRY(tac__find_island(engine, m->def->component, &m->def->place, &island, m->err));
    TAC_TRY(tac__plant_make(engine, island, &m->l->arena, &m->plant, m->err));
    m->l->own = m->plant;
    m->x = m->plant->x0;
    m->u = m->plant->u0;
    return TAC_OK;
}

static tac_status make(making *m, tac_engine *engine)
{
    tac_linear *l = m->l;
    TAC_TRY(find_plant(m, engine));
    if (!make_lists(m))
        return tac__fail_memory(m->err);
    l->plant = m->plant->name;
    TAC_TRY(check_patterns(m));
    choose(m);
    number(m);
    double *scratch = tac__arena_array(&l->arena, l->n, sizeof *scratch);
    if (!scratch || !make_matrices(l))
        return tac__fail_memory(m->err);
    if (tac__plant_eval(m->plant, m->x, m->u, m->dx, m->y) != TAC_OK ||
        tac__plant_jacobian(m->plant, m->x, m->u, m->jacobian) != TAC_OK)
        return tac__fail(m->err, TAC_E_NUMERIC, "the equations of '%s' have no derivatives here",
                         l->plant);
    TAC_TRY(name_states(m));
    name_rest(m);
    fill_ab(m, scratch);
    fill_cd(m, scratch);
    return analyse(m);
}

tac_status tac__linear_create(const tac__linear_def *def, tac_engine *engine, tac_linear **linear,
                              tac_error *err)
{
    *linear = NULL;
    const tac_allocator *a = tac__watch_run(engine).allocator;
    tac_linear *l = a->resize(a->context, NULL, 0, sizeof *l);
    if (!l)
        return tac__fail_memory(err);
    *l =
        (tac_linear){.allocator = a, .trimmed = def->trim != NULL, .t_us = tac_engine_time(engine)};
    tac__arena_init(&l->arena, a);
    making m = {.l = l, .def = def, .err = err};
    const tac_status status = make(&m, engine);
    if (status != TAC_OK) {
        tac_linear_destroy(l);
        return status;
    }
    *linear = l;
    return TAC_OK;
}

void tac_linear_destroy(tac_linear *l)
{
    if (!l)
        return;
    tac__plant_destroy(l->own);
    tac__arena_fini(&l->arena);
    l->allocator->resize(l->allocator->context, l, sizeof *l, 0);
}
