// plant.c - see plant.h. The equations are evaluated in duals, by the engine's own evaluator.
#include "solve/plant.h"
#include "engine/run/evaluator.h"

#include <string.h>

enum { WIDTH = TAC_DUAL_WIDTH, DIRECTIONS = TAC_DUAL_DIRECTIONS };

// An output in memory of the evaluator.
typedef struct output {
    const double *value; // of the first element
    uint32_t element;
} output;

struct tac__plant_inside {
    const tac__island *island;
    tac__evaluator *duals;
    tac__subject subject;
    double *dx, *g;
    double **held; // where each input is written to
    output *outputs;
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

// Write states and inputs as duals; `first` is the number of the quantity that direction 0 is.
static void put(const tac__plant *p, const double *x, const double *u, size_t first)
{
    const struct tac__plant_inside *in = p->inside;
    for (size_t i = 0; i < p->x_count + p->u_count; i++) {
        const bool state = i < p->x_count;
        double *to = state ? in->duals->x + i * WIDTH : in->held[i - p->x_count];
        memset(to, 0, WIDTH * sizeof *to);
        to[0] = state ? x[i] : u[i - p->x_count];
        if (i >= first && i - first < DIRECTIONS)
            to[1 + i - first] = 1;
    }
    for (size_t i = 0; i < p->mode_count; i++) {
        memset(in->subject.mode + i * WIDTH, 0, WIDTH * sizeof(double));
        in->subject.mode[i * WIDTH] = p->mode[i];
    }
}

static tac_status evaluate(const tac__plant *p, const double *x, const double *u, size_t first,
                           bool outputs)
{
    const struct tac__plant_inside *in = p->inside;
    put(p, x, u, first);
    TAC_TRY(tac__evaluator_derive(in->duals, &p->t_s, in->dx));
    return outputs ? tac__evaluator_outputs(in->duals, &p->t_s, true) : TAC_OK;
}

tac_status tac__plant_eval(const tac__plant *p, const double *x, const double *u, double *dx,
                           double *y)
{
    const struct tac__plant_inside *in = p->inside;
    TAC_TRY(evaluate(p, x, u, SIZE_MAX, y != NULL));
    for (size_t i = 0; dx && i < p->x_count; i++)
        dx[i] = in->dx[i * WIDTH];
    for (size_t i = 0; y && i < p->y_count; i++)
        y[i] = in->outputs[i].value[in->outputs[i].element * WIDTH];
    return TAC_OK;
}

tac_status tac__plant_jacobian(const tac__plant *p, const double *x, const double *u,
                               double *jacobian)
{
    const struct tac__plant_inside *in = p->inside;
    const size_t columns = p->x_count + p->u_count, rows = p->x_count + p->y_count;
    for (size_t first = 0; first < columns; first += DIRECTIONS) {
        TAC_TRY(evaluate(p, x, u, first, p->y_count > 0));
        for (size_t k = 0; k < DIRECTIONS && first + k < columns; k++) {
            double *column = jacobian + (first + k) * rows;
            for (size_t i = 0; i < p->x_count; i++)
                column[i] = in->dx[i * WIDTH + 1 + k];
            for (size_t i = 0; i < p->y_count; i++)
                column[p->x_count + i] =
                    in->outputs[i].value[in->outputs[i].element * WIDTH + 1 + k];
        }
    }
    return TAC_OK;
}

tac_status tac__plant_settle(tac__plant *p, const double *x, const double *u, bool *changed)
{
    const struct tac__plant_inside *in = p->inside;
    *changed = false;
    if (!p->mode_count)
        return TAC_OK;
    TAC_TRY(evaluate(p, x, u, SIZE_MAX, true));
    TAC_TRY(tac__evaluator_detect(in->duals, &p->t_s, in->g));
    for (size_t i = 0; i < p->mode_count; i++) {
        const double mode = in->g[i * WIDTH] > 0 ? 1 : 0;
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
        const tac_kernels *own = &c->type->kernels[TAC_DUALS];
        if ((plain->derive && !own->derive) || (plain->output && !own->output) ||
            (plain->detect && !own->detect))
            return tac__fail(m->err, TAC_E_CONFIG,
                             "component '%s' of type '%s' has no derivatives (kernels for duals)",
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

static tac_status list_inputs(const making *m)
{
    tac__plant *p = m->plant;
    const tac__evaluator *ev = m->in->duals;
    for (size_t h = 0; h < ev->held_count; h++)
        p->u_count += ev->held[h].count;
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
        const tac__port *port = &c->inputs.items[held->input];
        const char *name = tac__arena_format(m->arena, "%s.%s", c->name, port->name);
        if (!name)
            return tac__fail_memory(m->err);
        for (uint32_t n = 0; n < held->count; n++, at++) {
            p->u0[at] = m->in->subject.held[h][n];
            m->in->held[at] = held->to + n * WIDTH;
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
    m->in->outputs = tac__arena_array(m->arena, p->y_count, sizeof *m->in->outputs);
    if (!y || !m->in->outputs)
        return tac__fail_memory(m->err);
    p->y = y;
    size_t at = 0;
    for (size_t i = 0; i < m->in->island->plan->count; i++) {
        const tac__component *c = member(m, i);
        for (size_t k = 0; k < c->outputs.count; k++) {
            const tac__port *port = &c->outputs.items[k];
            const int signal = tac__signal_at(c, k);
            for (uint32_t n = 0; is_listed(c, k) && n < port->type.count; n++, at++) {
                m->in->outputs[at] = (output){tac__evaluator_signal(m->e, m->in->duals, signal), n};
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
    m->in->g = tac__arena_array(m->arena, p->mode_count * WIDTH, sizeof *m->in->g);
    if (!names || !p->mode || !m->in->g)
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

// The entity of the first component.
static const char *entity_of(const tac_engine *e, const tac__island *island)
{
    return e->plan->entities[e->plan->components[island->plan->components[0]]->entity].name;
}

tac_status tac__plant_make(tac_engine *e, size_t island, tac__arena *arena, tac__plant **plant,
                           tac_error *err)
{
    TAC_ASSERT(island < e->plan->island_count);
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
    in->dx = tac__arena_array(arena, p->x_count * WIDTH, sizeof *in->dx);
    if (!in->dx)
        return tac__fail_memory(err);
    const making m = {e, p, in, arena, err};
    TAC_TRY(check_kernels(&m));
    if (tac__evaluator_make(e, arena, own, TAC_DUALS, NULL, &in->duals) != TAC_OK ||
        tac__subject_make(arena, in->duals, &own, NULL, &in->subject) != TAC_OK)
        return tac__fail_memory(err);
    tac__evaluator_aim(in->duals, &in->subject);
    TAC_TRY(list_states(&m));
    TAC_TRY(list_inputs(&m));
    TAC_TRY(list_outputs(&m));
    TAC_TRY(list_modes(&m));
    *plant = p;
    return TAC_OK;
}
