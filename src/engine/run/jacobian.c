// jacobian.c - the derivative of an island's right-hand side by its states, from the dual forms of
// its components.
//
// Evaluates on a copy of the scratch in dual numbers: states are seeded with unit directions, a few
// at a time; held inputs have no direction; coupled inputs and outputs are connected as on the
// scratch.
#include "engine/run/integrate.h"
#include "engine/run/state.h"

#include <string.h>

enum { WIDTH = TAC_DUAL_WIDTH, DIRECTIONS = TAC_DUAL_DIRECTIONS };

typedef struct dual_input {
    const void *from;   // f64 on the scratch, a constant; NULL: `dual` is used
    const double *dual; // dual value of the writer
    double *to;         // NULL: the component points directly to `dual`
    size_t count;
    double gain, offset; // of the route
} dual_input;

typedef struct dual_component {
    tac_eval eval;
    dual_input *inputs; // inputs that must be copied
    size_t input_count;
} dual_component;

struct tac__dual_eval {
    double *x, *dx, *mode;
    dual_component *components; // in the order of the island
};

// --- evaluation ---------------------------------------------------------------------------------

static void copy_inputs(const dual_component *c)
{
    for (size_t i = 0; i < c->input_count; i++) {
        const dual_input *in = &c->inputs[i];
        for (size_t k = 0; k < in->count; k++) {
            double *to = in->to + k * WIDTH;
            if (!in->dual) {
                memset(to, 0, WIDTH * sizeof *to);
                to[0] = ((const double *)in->from)[k];
                continue;
            }
            for (int d = 0; d < WIDTH; d++)
                to[d] = in->gain * in->dual[k * WIDTH + (size_t)d];
            to[0] += in->offset;
        }
    }
}

// A component that is inactive in the present phase: constant outputs, no derivatives.
static void stand_still(const tac_instance *c, dual_component *dual)
{
    memset(dual->eval.dx, 0, c->plan->x_count * WIDTH * sizeof *dual->eval.dx);
    for (size_t k = 0; k < c->plan->outputs.count; k++) {
        const tac_type *type = &c->plan->outputs.items[k].type;
        double *out = dual->eval.out[k];
        if (type->scalar != TAC_F64)
            continue;
        memset(out, 0, type->count * WIDTH * sizeof *out);
        for (size_t i = 0; i < type->count; i++)
            out[i * WIDTH] = ((const double *)c->step.out[k])[i];
    }
}

static tac_status evaluate(tac__island *island, double t_s)
{
    tac_engine *e = island->engine;
    tac__dual_eval *dual = island->dual;
    for (size_t k = 0; k < island->plan->early_count; k++) {
        const tac_instance *c = e->instances[island->plan->early[k]];
        size_t i = 0;
        while (island->plan->components[i] != c->plan->index)
            i++;
        dual->components[i].eval.t_s = t_s;
        copy_inputs(&dual->components[i]);
        if (c->active && c->plan->type->kernels[TAC_NUMBERS].output && c->plan->chained)
            (void)c->plan->type->kernels[TAC_DUALS].output(&dual->components[i].eval,
                                                           c->plan->self);
    }
    for (size_t i = 0; i < island->plan->count; i++) {
        const tac_instance *c = e->instances[island->plan->components[i]];
        dual->components[i].eval.t_s = t_s;
        if (!c->active) {
            stand_still(c, &dual->components[i]);
            continue;
        }
        copy_inputs(&dual->components[i]);
        if (c->plan->type->kernels[TAC_NUMBERS].output && c->plan->chained)
            TAC_TRY(
                c->plan->type->kernels[TAC_DUALS].output(&dual->components[i].eval, c->plan->self));
    }
    for (size_t i = 0; i < island->plan->count; i++) {
        const tac_instance *c = e->instances[island->plan->components[i]];
        if (!c->active)
            continue;
        copy_inputs(&dual->components[i]);
        if (c->plan->type->kernels[TAC_NUMBERS].derive)
            TAC_TRY(
                c->plan->type->kernels[TAC_DUALS].derive(&dual->components[i].eval, c->plan->self));
    }
    return TAC_OK;
}

// Columns of the Jacobian at work.z, as many at a time as a dual number has directions.
static tac_status jacobian(void *context, double t_s, double *j)
{
    tac__island *island = context;
    tac__dual_eval *dual = island->dual;
    const size_t n = island->plan->x_count;
    for (size_t i = 0; i < island->plan->event_count; i++)
        dual->mode[i * WIDTH] = island->mode[i];
    for (size_t first = 0; first < n; first += DIRECTIONS) {
        memset(dual->x, 0, n * WIDTH * sizeof *dual->x);
        for (size_t i = 0; i < n; i++)
            dual->x[i * WIDTH] = island->work.z[i];
        const size_t columns = n - first < DIRECTIONS ? n - first : DIRECTIONS;
        for (size_t k = 0; k < columns; k++)
            dual->x[(first + k) * WIDTH + 1 + k] = 1;
        TAC_TRY(evaluate(island, t_s));
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < columns; k++)
                j[i * n + first + k] = dual->dx[i * WIDTH + 1 + k];
        }
    }
    return TAC_OK;
}

// --- preparing ----------------------------------------------------------------------------------

static double *make_duals(tac_engine *e, size_t count)
{
    return tac__arena_array(&e->scratch, count * WIDTH, sizeof(double));
}

static tac_status make_outputs(tac_engine *e, const tac_instance *c, dual_component *dual)
{
    void **out = tac__arena_array(&e->scratch, c->plan->outputs.count, sizeof *out);
    if (!out)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < c->plan->outputs.count; k++) {
        const tac_type *type = &c->plan->outputs.items[k].type;
        out[k] = type->scalar == TAC_F64 ? (void *)make_duals(e, type->count) : c->scratch.out[k];
        if (!out[k])
            return TAC_E_MEMORY;
    }
    dual->eval.out = out;
    return TAC_OK;
}

// Where the dual value of a coupled signal lies.
static const double *dual_signal(const tac_engine *e, const tac__island *island, int signal)
{
    const tac__signal *s = &e->plan->schema.signals[signal];
    const tac_instance *writer = e->instances[s->component];
    const size_t k = tac__signal_place(writer->plan, signal);
    size_t i = 0;
    while (island->plan->components[i] != writer->plan->index)
        i++;
    if (!s->kind->state)
        return island->dual->components[i].eval.out[k];
    size_t offset = writer->plan->x_offset;
    for (size_t n = writer->plan->outputs.count; n < k; n++)
        offset += writer->plan->continuous.items[n - writer->plan->outputs.count].type.count;
    return island->dual->x + offset * WIDTH;
}

static tac_status make_inputs(tac_engine *e, const tac__island *island, const tac_instance *c,
                              dual_component *dual)
{
    const void **in = tac__arena_array(&e->scratch, c->plan->inputs.count, sizeof *in);
    dual->inputs = tac__arena_array(&e->scratch, c->plan->inputs.count, sizeof *dual->inputs);
    if (!in || !dual->inputs)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < c->plan->inputs.count; k++) {
        const tac__input *input = &c->plan->in[k];
        const tac__port *port = &c->plan->inputs.items[k];
        in[k] = c->scratch.in[k];
        if (port->type.scalar != TAC_F64)
            continue;
        dual_input *d = &dual->inputs[dual->input_count++];
        *d = (dual_input){.from = c->scratch.in[k], .count = port->type.count};
        in[k] = d->to = make_duals(e, d->count);
        if (!d->to)
            return TAC_E_MEMORY;
        if (!input->coupled)
            continue;
        const tac__signal *s = &e->plan->schema.signals[input->signal];
        const tac__factor factor = tac__unit_factor(&s->kind->dimension, &port->dimension);
        const double zero = tac__factor_apply(factor, 0), one = tac__factor_apply(factor, 1);
        d->dual = dual_signal(e, island, input->signal) + input->element * WIDTH;
        d->gain = input->route->gain * (one - zero);
        d->offset = input->route->gain * zero + input->route->offset;
    }
    dual->eval.in = in;
    return TAC_OK;
}

static bool has_dual(const tac_instance *c)
{
    return (!c->plan->type->kernels[TAC_NUMBERS].derive ||
            c->plan->type->kernels[TAC_DUALS].derive) &&
           (!c->plan->type->kernels[TAC_NUMBERS].output || !c->plan->chained ||
            c->plan->type->kernels[TAC_DUALS].output);
}

tac_status tac__jacobian_prepare(tac_engine *e, tac__island *island)
{
    for (size_t i = 0; i < island->plan->count; i++) {
        if (!has_dual(e->instances[island->plan->components[i]]))
            return TAC_OK; // without dual forms the method takes differences
    }
    tac__dual_eval *dual = island->dual = tac__arena_alloc(&e->scratch, sizeof *dual);
    if (!dual)
        return TAC_E_MEMORY;
    dual->x = make_duals(e, island->plan->x_count);
    dual->dx = make_duals(e, island->plan->x_count);
    dual->mode = make_duals(e, island->plan->event_count);
    dual->components = tac__arena_array(&e->scratch, island->plan->count, sizeof *dual->components);
    if (!dual->x || !dual->dx || !dual->mode || !dual->components)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < island->plan->count; i++) {
        const tac_instance *c = e->instances[island->plan->components[i]];
        tac_eval *eval = &dual->components[i].eval;
        eval->x = dual->x + c->plan->x_offset * WIDTH;
        eval->dx = dual->dx + c->plan->x_offset * WIDTH;
        eval->mode = dual->mode + c->plan->event_offset * WIDTH;
        eval->p = c->plan->numbers;
        eval->lanes = 1;
        TAC_TRY(make_outputs(e, c, &dual->components[i]));
    }
    for (size_t i = 0; i < island->plan->count; i++)
        TAC_TRY(make_inputs(e, island, e->instances[island->plan->components[i]],
                            &dual->components[i]));
    island->problem.jacobian = jacobian;
    return TAC_OK;
}
