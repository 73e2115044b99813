// plant.c - see plant.h. The equations run once over symbols, by the engine's own evaluator, and
// become a graph: states, inputs and the time -> rates of change, outputs and events.
#include "solve/plant.h"
#include "engine/run/evaluator.h"
#include "graph/tape.h"
#include "solve/graph_function.h"

#include <string.h>

struct tac__plant_inside {
    const tac__island *island;
    tac__evaluator *symbols;
    tac__subject subject;
    tac__sym_value *dx, *g, *y;
    tac__sym_value **held; // where each input is
    // Inputs z (x, u, t) and mode; outputs w (dx, y) and g, which tells what holds.
    tac_graph *graph;
    tac__graph_function *function; // w of z
    double *z, *w, *values;
    tac__tape *tape; // for g
    double *work, *events;
};

typedef struct making {
    tac_engine *e;
    tac__plant *plant;
    struct tac__plant_inside *in;
    tac__arena *arena;
    tac_error *err;
} making;

const char *tac__element_name(tac__arena *arena, const char *name, const tac_type *type,
                              uint32_t element)
{
    char text[TAC_ELEMENT_TEXT];
    tac_element_print(type, element, text);
    return tac__arena_format(arena, "%s%s", name, text);
}

// --- evaluation ---------------------------------------------------------------------------------

static const double *put(const tac__plant *p, const double *x, const double *u)
{
    double *z = p->inside->z;
    memcpy(z, x, p->x_count * sizeof *z);
    memcpy(z + p->x_count, u, p->u_count * sizeof *z);
    z[p->x_count + p->u_count] = p->t_s;
    return z;
}

tac_status tac__plant_eval(const tac__plant *p, const double *x, const double *u, double *dx,
                           double *y)
{
    const struct tac__plant_inside *in = p->inside;
    const tac__solve_function *f = tac__graph_function_of(in->function);
    const tac_status status = f->eval(f->context, put(p, x, u), in->w);
    if (dx)
        memcpy(dx, in->w, p->x_count * sizeof *dx);
    if (y)
        memcpy(y, in->w + p->x_count, p->y_count * sizeof *y);
    return status;
}

tac_status tac__plant_jacobian(const tac__plant *p, const double *x, const double *u,
                               double *jacobian)
{
    const struct tac__plant_inside *in = p->inside;
    const tac__solve_function *f = tac__graph_function_of(in->function);
    const size_t columns = p->x_count + p->u_count, rows = p->x_count + p->y_count;
    TAC_TRY(f->jacobian(f->context, put(p, x, u), in->values));
    memset(jacobian, 0, rows * columns * sizeof *jacobian);
    for (size_t k = 0; k < f->jacobian_pattern.count; k++) {
        const size_t row = (size_t)f->jacobian_pattern.rows[k];
        const size_t column = (size_t)f->jacobian_pattern.columns[k];
        if (column < columns)
            jacobian[column * rows + row] += in->values[k];
    }
    return TAC_OK;
}

tac_status tac__plant_settle(tac__plant *p, const double *x, const double *u, bool *changed)
{
    const struct tac__plant_inside *in = p->inside;
    *changed = false;
    if (!p->mode_count)
        return TAC_OK;
    const double *const inputs[] = {put(p, x, u), p->mode};
    double *const outputs[] = {NULL, in->events};
    tac__tape_run(in->tape, inputs, outputs, in->work);
    for (size_t i = 0; i < p->mode_count; i++) {
        const double mode = in->events[i] > 0 ? 1 : 0;
        *changed |= mode != p->mode[i];
        p->mode[i] = mode;
    }
    return TAC_OK;
}

// --- making -------------------------------------------------------------------------------------

static const tac__component *member(const making *m, size_t i)
{
    return m->e->plan->components[m->in->island->plan->components[i]];
}

static tac_status check_kernels(const making *m)
{
    for (size_t i = 0; i < m->in->island->plan->count; i++) {
        const tac__component *c = member(m, i);
        const tac_kernels *plain = &c->type->kernels[TAC_NUMBERS];
        const tac_kernels *own = &c->type->kernels[TAC_SYMBOLS];
        if ((plain->derive && !own->derive) || (plain->output && !own->output) ||
            (plain->detect && !own->detect))
            return tac__fail_at(m->err, TAC_E_GRAPH, &c->place,
                                "'%s' has no derivatives: its type '%s' has no symbolic form",
                                c->name, c->type->name);
    }
    return TAC_OK;
}

static tac_status add(const making *m, const char *name, const tac_type *type, uint32_t element,
                      const char *unit, double scale, uint8_t role, tac__quantity *q)
{
    *q = (tac__quantity){.name = tac__element_name(m->arena, name, type, element),
                         .base = name,
                         .unit = unit ? unit : "1",
                         .type = *type,
                         .element = element,
                         .scale = scale > 0 ? scale : 1,
                         .role = (tac_role)role};
    return q->name ? TAC_OK : tac__fail_memory(m->err);
}

static tac_status list_states(const making *m)
{
    tac__plant *p = m->plant;
    tac__quantity *x = tac__arena_array(m->arena, p->x_count, sizeof *x);
    p->x0 = tac__arena_array(m->arena, p->x_count, sizeof *p->x0);
    if (!x || !p->x0)
        return tac__fail_memory(m->err);
    p->x = x;
    for (size_t i = 0; i < m->in->island->plan->count; i++) {
        const tac__component *c = member(m, i);
        size_t at = c->x_offset;
        for (size_t k = 0; k < c->continuous.count; k++) {
            const tac__port *port = &c->continuous.items[k];
            const int signal = tac__signal_at(c, c->outputs.count + k);
            const double *value = tac_engine_read(m->e, signal);
            if (!value)
                return tac__fail(m->err, TAC_E_NUMERIC, "the state '%s' has no value",
                                 m->e->plan->schema.signals[signal].name);
            for (uint32_t n = 0; n < port->type.count; n++, at++) {
                p->x0[at] = value[n];
                TAC_TRY(add(m, m->e->plan->schema.signals[signal].name, &port->type, n, port->unit,
                            port->scale, port->role, &x[at]));
                x[at].part = port->part;
            }
        }
    }
    return TAC_OK;
}

// An input of numbers; others (conditions, counts) are constant.
static bool is_free(const tac__port *port)
{
    return port->type.scalar == TAC_F64;
}

static const tac__port *held_port(const tac__evaluator *ev, const tac__held *held)
{
    return &ev->members[held->member].instance->plan->inputs.items[held->input];
}

static tac_status list_inputs(const making *m)
{
    tac__plant *p = m->plant;
    const tac__evaluator *ev = m->in->symbols;
    for (size_t h = 0; h < ev->held_count; h++)
        p->u_count += is_free(held_port(ev, &ev->held[h])) ? ev->held[h].count : 0;
    tac__quantity *u = tac__arena_array(m->arena, p->u_count, sizeof *u);
    p->u0 = tac__arena_array(m->arena, p->u_count, sizeof *p->u0);
    m->in->held = tac__arena_array(m->arena, p->u_count, sizeof *m->in->held);
    if (!u || !p->u0 || !m->in->held)
        return tac__fail_memory(m->err);
    p->u = u;
    size_t at = 0;
    for (size_t h = 0; h < ev->held_count; h++) {
        const tac__held *held = &ev->held[h];
        const tac__component *c = ev->members[held->member].instance->plan;
        const tac__port *port = held_port(ev, held);
        const char *name = tac__arena_format(m->arena, "%s.%s", c->name, port->name);
        if (!name)
            return tac__fail_memory(m->err);
        for (uint32_t n = 0; is_free(port) && n < held->count; n++, at++) {
            p->u0[at] = m->in->subject.held[h][n];
            m->in->held[at] = (tac__sym_value *)(void *)held->to + n;
            TAC_TRY(add(m, name, &port->type, n, port->unit, 1, port->role, &u[at]));
        }
    }
    return TAC_OK;
}

static bool is_listed(const tac__component *c, size_t k)
{
    return c->kinds[k].continuous && c->outputs.items[k].type.scalar == TAC_F64;
}

static tac_status list_outputs(const making *m)
{
    tac__plant *p = m->plant;
    for (size_t i = 0; i < m->in->island->plan->count; i++) {
        const tac__component *c = member(m, i);
        for (size_t k = 0; k < c->outputs.count; k++)
            p->y_count += is_listed(c, k) ? c->outputs.items[k].type.count : 0;
    }
    tac__quantity *y = tac__arena_array(m->arena, p->y_count, sizeof *y);
    m->in->y = tac__arena_array(m->arena, p->y_count, sizeof *m->in->y);
    if (!y || !m->in->y)
        return tac__fail_memory(m->err);
    p->y = y;
    size_t at = 0;
    for (size_t i = 0; i < m->in->island->plan->count; i++) {
        const tac__component *c = member(m, i);
        for (size_t k = 0; k < c->outputs.count; k++) {
            const tac__port *port = &c->outputs.items[k];
            const int signal = tac__signal_at(c, k);
            for (uint32_t n = 0; is_listed(c, k) && n < port->type.count; n++, at++) {
                TAC_TRY(add(m, m->e->plan->schema.signals[signal].name, &port->type, n, port->unit,
                            1, port->role, &y[at]));
            }
        }
    }
    return TAC_OK;
}

static tac_status list_modes(const making *m)
{
    tac__plant *p = m->plant;
    const char **names = tac__arena_array(m->arena, p->mode_count, sizeof *names);
    p->mode = tac__arena_array(m->arena, p->mode_count, sizeof *p->mode);
    m->in->events = tac__arena_array(m->arena, p->mode_count, sizeof *m->in->events);
    m->in->g = tac__arena_array(m->arena, p->mode_count, sizeof *m->in->g);
    if (!names || !p->mode || !m->in->g || !m->in->events)
        return tac__fail_memory(m->err);
    p->mode_names = names;
    memcpy(p->mode, m->in->island->mode, p->mode_count * sizeof *p->mode);
    for (size_t i = 0; i < m->in->island->plan->count; i++) {
        const tac__component *c = member(m, i);
        for (size_t k = 0; k < c->event_count; k++) {
            names[c->event_offset + k] =
                tac__arena_format(m->arena, "%s.%s", c->name, c->events[k].name);
            if (!names[c->event_offset + k])
                return tac__fail_memory(m->err);
        }
    }
    return TAC_OK;
}

// --- the graph ----------------------------------------------------------------------------------

// States, inputs, time and modes become inputs of the graph.
static tac_status put_symbols(const making *m, tac__sym_value *t)
{
    tac__plant *p = m->plant;
    const struct tac__plant_inside *in = m->in;
    tac__terms *pool = tac__graph_pool(in->graph);
    const size_t n = p->x_count + p->u_count;
    const tac__group *z = tac__graph_add_input(in->graph, "z", n + 1, NULL);
    p->z_terms = tac__arena_array(m->arena, n + 1, sizeof *p->z_terms);
    p->mode_terms = tac__arena_array(m->arena, p->mode_count, sizeof *p->mode_terms);
    if (!z || !p->z_terms || !p->mode_terms)
        return tac__fail_memory(m->err);
    memcpy(p->z_terms, z->terms, (n + 1) * sizeof *p->z_terms);
    tac__evaluator_hold(in->symbols, &in->subject); // inputs that are no numbers
    for (size_t i = 0; i < p->x_count; i++)
        ((tac__sym_value *)(void *)in->symbols->x)[i] = tac__sym_of(pool, p->z_terms[i]);
    for (size_t i = 0; i < p->u_count; i++)
        *in->held[i] = tac__sym_of(pool, p->z_terms[p->x_count + i]);
    *t = tac__sym_of(pool, p->z_terms[n]);
    const tac__group *mode = tac__graph_add_input(in->graph, "mode", p->mode_count, NULL);
    if (!mode)
        return tac__fail_memory(m->err);
    if (p->mode_count)
        memcpy(p->mode_terms, mode->terms, p->mode_count * sizeof *p->mode_terms);
    for (size_t i = 0; i < p->mode_count; i++)
        ((tac__sym_value *)(void *)in->subject.mode)[i] = tac__sym_of(pool, p->mode_terms[i]);
    return TAC_OK;
}

static void collect_outputs(const making *m)
{
    size_t at = 0;
    for (size_t i = 0; i < m->in->island->plan->count; i++) {
        const tac__component *c = member(m, i);
        for (size_t k = 0; k < c->outputs.count; k++) {
            const tac__sym_value *from =
                tac__evaluator_signal(m->e, m->in->symbols, tac__signal_at(c, k));
            for (uint32_t n = 0; is_listed(c, k) && n < c->outputs.items[k].type.count; n++)
                m->in->y[at++] = from[n];
        }
    }
}

// Run the equations, and make outputs of the graph of what came of them.
static tac_status trace(const making *m)
{
    tac__plant *p = m->plant;
    const struct tac__plant_inside *in = m->in;
    tac__terms *pool = tac__graph_pool(in->graph);
    tac__sym_value time;
    TAC_TRY(put_symbols(m, &time));
    const double *t = (const double *)(const void *)&time;
    if (tac__evaluator_all(in->symbols, t, (double *)(void *)in->dx) != TAC_OK ||
        tac__evaluator_detect(in->symbols, t, (double *)(void *)in->g) != TAC_OK)
        return tac__fail(m->err, TAC_E_NUMERIC, "the equations of '%s' fail", p->name);
    collect_outputs(m);
    const size_t n = p->x_count + p->y_count;
    p->w_terms = tac__arena_array(m->arena, n, sizeof *p->w_terms);
    int32_t *g = tac__arena_array(m->arena, p->mode_count, sizeof *g);
    if (!p->w_terms || !g)
        return tac__fail_memory(m->err);
    for (size_t i = 0; i < n; i++)
        p->w_terms[i] = tac__term_of(pool, i < p->x_count ? in->dx[i] : in->y[i - p->x_count]);
    for (size_t i = 0; i < p->mode_count; i++)
        g[i] = tac__term_of(pool, in->g[i]);
    TAC_TRY(tac__terms_status(pool, m->err));
    if (!tac__graph_add_output(in->graph, "w", n, p->w_terms) ||
        !tac__graph_add_output(in->graph, "g", p->mode_count, g))
        return tac__fail_memory(m->err);
    return TAC_OK;
}

static tac_status make_function(const making *m)
{
    const tac__plant *p = m->plant;
    struct tac__plant_inside *in = m->in;
    const double *const values[] = {NULL, p->mode};
    TAC_TRY(tac__graph_function_make(in->graph, "w", "z", values, false, m->arena, &in->function,
                                     m->err));
    TAC_TRY(tac__tape_make(m->arena, in->graph, &in->tape, m->err));
    const tac__solve_function *f = tac__graph_function_of(in->function);
    in->z = tac__arena_array(m->arena, f->n_in, sizeof *in->z);
    in->w = tac__arena_array(m->arena, f->n_out, sizeof *in->w);
    in->values = tac__arena_array(m->arena, f->jacobian_pattern.count, sizeof *in->values);
    in->work = tac__arena_array(m->arena, tac__tape_work(in->tape), sizeof *in->work);
    return in->z && in->w && in->values && in->work ? TAC_OK : tac__fail_memory(m->err);
}

// The entity of the first component.
static const char *entity_of(const tac_engine *e, const tac__island *island)
{
    return e->plan->entities[e->plan->components[island->plan->components[0]]->entity].name;
}

static tac_status make(const making *m, tac__island *own)
{
    struct tac__plant_inside *in = m->in;
    TAC_TRY(check_kernels(m));
    TAC_TRY(tac__graph_create(m->e->allocator, "plant", false, NULL, &in->graph, m->err));
    m->plant->graph = in->graph;
    if (tac__evaluator_make(m->e, m->arena, own, TAC_SYMBOLS, NULL, &in->symbols) != TAC_OK ||
        tac__subject_make(m->arena, in->symbols, &own, NULL, &in->subject) != TAC_OK)
        return tac__fail_memory(m->err);
    tac__evaluator_aim(in->symbols, &in->subject);
    TAC_TRY(list_states(m));
    TAC_TRY(list_inputs(m));
    TAC_TRY(list_outputs(m));
    TAC_TRY(list_modes(m));
    TAC_TRY(trace(m));
    return make_function(m);
}

tac_status tac__plant_make(tac_engine *e, size_t island, tac__arena *arena, tac__plant **plant,
                           tac_error *err)
{
    TAC_ASSERT(island < e->plan->island_count);
    *plant = NULL;
    tac__plant *p = tac__arena_alloc(arena, sizeof *p);
    struct tac__plant_inside *in = tac__arena_alloc(arena, sizeof *in);
    if (!p || !in)
        return tac__fail_memory(err);
    tac__island *own = &e->islands[island];
    *p = (tac__plant){.engine = e,
                      .island = island,
                      .name = own->plan->name,
                      .entity = entity_of(e, own),
                      .x_count = own->plan->x_count,
                      .mode_count = own->plan->event_count,
                      .t_s = (double)tac_engine_time(e) * 1e-6,
                      .inside = in};
    in->island = own;
    in->dx = tac__arena_array(arena, p->x_count, sizeof *in->dx);
    if (!in->dx)
        return tac__fail_memory(err);
    const making m = {e, p, in, arena, err};
    const tac_status status = make(&m, own);
    if (status != TAC_OK) {
        tac__plant_destroy(p);
        return status;
    }
    *plant = p;
    return TAC_OK;
}

void tac__plant_destroy(tac__plant *p)
{
    if (!p)
        return;
    tac__graph_function_destroy(p->inside->function);
    tac__graph_destroy(p->inside->graph);
}
