// component.c - see component.h.
#include "engine/trace/component.h"

tac_status tac__trace_step_make(tac__trace *tr, const tac__component *c, tac__trace_step *made)
{
    tac__arena *arena = &tr->arena;
    tac__sym_value *p = tac__arena_array(arena, c->number_count, sizeof *p);
    *made = (tac__trace_step){.c = c,
                              .in = tac__arena_array(arena, c->inputs.count, sizeof *made->in),
                              .out = tac__arena_array(arena, c->outputs.count, sizeof *made->out),
                              .state = tac__arena_array(arena, c->states.count, sizeof *made->in),
                              .p = p};
    if (!made->in || !made->out || !made->state || !p)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < c->number_count; i++)
        TAC_TRY(tac__trace_number(tr, c, i, &p[i]));
    return TAC_OK;
}

// What the engine calls when a step of symbols draws.
typedef struct drawing {
    tac__symbol_draws base; // first
    tac__trace_draws *draws;
    tac_status status;
} drawing;

static void draw(tac__symbol_draws *base, int stream, double *values, size_t count)
{
    drawing *d = (drawing *)(void *)base;
    if (d->status == TAC_OK)
        d->status = d->draws->draw(d->draws, stream, count, (tac__sym_value *)(void *)values);
}

static const double *doubles(const tac__sym_value *values)
{
    return (const double *)(const void *)values;
}

tac_status tac__trace_step_run(tac__trace *tr, const tac__trace_step *step, tac__trace_draws *draws)
{
    const tac__component *c = step->c;
    tac_instance *instance = tr->engine->instances[c->index];
    const tac_kernels *kernels = &c->type->kernels[TAC_SYMBOLS];
    if (!kernels->step)
        return tac__fail_at(tr->err, TAC_E_GRAPH, &c->place,
                            "'%s' cannot be part of a graph: the step of its type '%s' has no "
                            "symbolic form; if it stays outside, its outputs are inputs of the "
                            "graph",
                            c->name, c->type->name);
    drawing d = {.base = {draw}, .draws = draws};
    tac_step frame = {.t_us = step->t_us,
                      .period_us = step->period_us,
                      .due = step->due,
                      .lanes = 1,
                      .in = step->in,
                      .out = step->out,
                      .state = step->state,
                      .x = doubles(step->x),
                      .instance = instance,
                      .p = doubles(step->p),
                      .decided = doubles(step->decided),
                      .now = doubles(&step->now_us)};
    instance->symbol_draws = &d.base;
    const bool shadow = instance->shadow;
    instance->shadow = true; // what the step says to the log or fails with is that of numbers
    const tac_status status = kernels->step(&frame, c->self);
    instance->shadow = shadow;
    instance->symbol_draws = NULL;
    if (status != TAC_OK)
        return tac__fail_at(tr->err, TAC_E_GRAPH, &c->place, "the step of '%s' failed in symbols",
                            c->name);
    return d.status;
}
