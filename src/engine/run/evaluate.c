// evaluate.c - the right-hand side and the outputs of islands in numbers: on the integrator's
// scratch, which is their evaluator of numbers, and on the bus.
#include "engine/run/lanes.h"
#include "engine/run/loop.h"
#include "engine/run/integrate.h"
#include "engine/run/evaluator.h"
#include "engine/phases/phases.h"
#include "engine/run/profile.h"
#include "engine/tangent/follow.h"

#include <math.h>
#include <string.h>

// --- on the scratch -----------------------------------------------------------------------------

#define ALWAYS_INLINE static inline __attribute__((always_inline))

tac_status tac__scratch_outputs(tac__island *island, double t_s, bool all)
{
    return tac__evaluator_outputs(island->numbers, &t_s, all);
}

// Out of line: the usual case needs no stack frame.
__attribute__((noinline)) static tac_status coupled_rhs(const tac__island *island, double t_s,
                                                        double *dx)
{
    return tac__evaluator_derive(island->numbers, &t_s, dx);
}

// dx/dt at the scratch state.
tac_status tac__island_rhs(void *context, double t_s, double *dx)
{
    tac__island *island = context;
    island->state->evals++;
    tac_instance *c = island->alone;
    if (!c)
        return coupled_rhs(island, t_s, dx);
    c->scratch.t_s = t_s; // the only component: no views to update, no outputs to pass on
    c->scratch.dx = dx;
    return c->plan->type->kernels[TAC_NUMBERS].derive(&c->scratch, c->plan->self);
}

tac_status tac__island_rhs_timed(void *context, double t_s, double *dx)
{
    tac__island *island = context;
    island->state->evals++;
    tac_instance *c = island->alone;
    if (!c)
        return tac__evaluator_derive_timed(island->numbers, &t_s, dx);
    c->scratch.t_s = t_s;
    c->scratch.dx = dx;
    return tac__profile_eval(c, c->plan->type->kernels[TAC_NUMBERS].derive, &c->scratch,
                             c->plan->self, true);
}

// --- on the bus ---------------------------------------------------------------------------------

static void bus_early(tac_engine *e, const tac__island *island, tac_time t_us)
{
    for (size_t i = 0; i < island->plan->early_count; i++) {
        tac_instance *c = e->instances[island->plan->early[i]];
        if (!c->plan->type->kernels[TAC_NUMBERS].output || !c->active)
            continue;
        tac__views_renew(&c->plan->views, t_us);
        c->bus.t_s = tac_time_seconds(t_us);
        (void)c->plan->type->kernels[TAC_NUMBERS].output(&c->bus, c->plan->self);
    }
}

// `timed` is a constant wherever it is passed: there is one copy of the code for each.
ALWAYS_INLINE tac_status island_outputs(tac_engine *e, tac__island *island, tac_time t_us,
                                        bool timed)
{
    tac__lanes_show(island);
    if (island->plan->early_count)
        bus_early(e, island, t_us);
    for (size_t i = 0; i < island->live_count; i++) {
        tac_instance *c = tac__island_live(island, i);
        if (!c->plan->type->kernels[TAC_NUMBERS].output || !c->active)
            continue;
        // Held samples of other islands are not renewed here: the order in which islands are
        // evaluated must not matter.
        tac__views_renew(&c->plan->views, t_us);
        c->bus.t_s = tac_time_seconds(t_us);
        tac__eval_fn *output = c->plan->type->kernels[TAC_NUMBERS].output;
        const tac_status status = timed
                                      ? tac__profile_eval(c, output, &c->bus, c->plan->self, false)
                                      : output(&c->bus, c->plan->self);
        if (status != TAC_OK) {
            char text[TAC_ERROR_TEXT];
            tac__out input = tac__out_begin(text, sizeof text);
            const bool bad = tac__name_bad_input(e, c, &input);
            tac__fail(e->err, status, "its outputs failed: %s",
                      bad ? text : tac_status_text(status));
            return tac__run_failed(e, status, t_us, c->plan->name);
        }
        tac__writes_done(&c->plan->eval_writes, t_us);
    }
    island->state->outputs_us = t_us;
    if (e->tangents)
        tac__tangents_outputs(e, island, t_us);
    return TAC_OK;
}

tac_status tac__island_outputs(tac_engine *e, tac__island *island, tac_time t_us)
{
    return island_outputs(e, island, t_us, false);
}

tac_status tac__island_outputs_timed(tac_engine *e, tac__island *island, tac_time t_us)
{
    return island_outputs(e, island, t_us, true);
}

void tac__island_update_views(const tac_engine *e, const tac__island *island, tac_time t_us)
{
    for (size_t i = 0; i < island->plan->viewer_count; i++) {
        const tac__views *views = &e->plan->components[island->plan->viewers[i]]->views;
        for (size_t k = 0; k < views->count; k++)
            tac__view_update(&views->items[k], t_us);
    }
    if (e->tangents)
        tac__tangents_renew(e, island, t_us);
}

// Held inputs may not have their first values yet. If the outputs cannot be evaluated with them
// they are NaN: a component that reads them before stage 3 sees NaN, and from stage 3 on they have
// values.
static void begin_outputs(const tac_engine *e, tac_instance *c, tac_time t_us)
{
    tac__views_renew(&c->plan->views, t_us);
    c->bus.t_s = tac_time_seconds(t_us);
    const tac_status status = c->plan->type->kernels[TAC_NUMBERS].output(&c->bus, c->plan->self);
    for (size_t k = 0; k < c->plan->outputs.count; k++) {
        const tac__signal *s = &e->plan->schema.signals[tac__signal_at(c->plan, k)];
        double *value = c->bus.out[k];
        if (!s->kind->continuous)
            continue;
        for (size_t i = 0;
             status != TAC_OK && s->kind->type.scalar == TAC_F64 && i < s->kind->words; i++)
            value[i] = (double)NAN;
        if (s->history)
            tac__history_start(s->history, value);
    }
}

void tac__islands_begin(tac_engine *e, tac_time t_us)
{
    for (size_t i = 0; i < e->plan->island_count; i++) {
        const tac__island *island = &e->islands[i];
        if (island->plan->begins)
            bus_early(e, island, t_us);
        for (size_t k = 0; island->plan->begins && k < island->live_count; k++) {
            tac_instance *c = tac__island_live(island, k);
            if (c->plan->type->kernels[TAC_NUMBERS].output && c->active)
                begin_outputs(e, c, t_us);
        }
    }
    if (e->tangents)
        tac__tangents_begin(e, t_us);
    for (size_t i = 0; i < e->plan->island_count; i++)
        tac__island_renew(e, &e->islands[i], t_us);
}
