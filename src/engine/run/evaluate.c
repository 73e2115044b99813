// evaluate.c - the right-hand side and the outputs of islands: on the integrator's scratch, and on
// the bus.
#include "engine/run/loop.h"
#include "engine/run/integrate.h"
#include "engine/phases/phases.h"
#include "engine/run/profile.h"

#include <math.h>
#include <string.h>

// --- on the scratch -----------------------------------------------------------------------------

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// `timed` is a constant wherever it is passed: there is one copy of the code for each.
ALWAYS_INLINE tac_status call(tac_instance *c, tac__eval_fn *eval, const tac_eval *at, bool derive,
                              bool timed)
{
    return timed ? tac__profile_eval(c, eval, at, derive) : eval(at, c->plan->self);
}

static void update(const tac__views *views, tac_time t_us)
{
    for (size_t i = 0; i < views->count; i++)
        tac__view_update(&views->items[i], t_us);
}

// Routes between continuous components have neither delay nor policy: the time does not matter.
enum { NO_TIME = 0 };

// Outputs that other components need before the rest of their component can be evaluated. Here
// `output` may see inputs that are not there yet, so its status and its other outputs do not count:
// the later call for all outputs does.
__attribute__((noinline)) static void scratch_early(tac__island *island, double t_s, bool all)
{
    for (size_t i = 0; i < island->plan->early_count; i++) {
        tac_instance *c = island->engine->instances[island->plan->early[i]];
        if (!c->plan->type->kernels[TAC_NUMBERS].output || !(all || c->plan->chained) || !c->active)
            continue;
        update(&c->plan->scratch_views, NO_TIME);
        c->scratch.t_s = t_s;
        (void)c->plan->type->kernels[TAC_NUMBERS].output(&c->scratch, c->plan->self);
    }
}

ALWAYS_INLINE tac_status scratch_outputs(tac__island *island, double t_s, bool all, bool timed)
{
    tac_engine *e = island->engine;
    if (island->plan->early_count)
        scratch_early(island, t_s, all);
    for (size_t i = 0; i < island->live_count; i++) {
        tac_instance *c = e->instances[island->live[i]];
        update(&c->plan->scratch_views, NO_TIME);
        c->scratch.t_s = t_s;
        if (!c->plan->type->kernels[TAC_NUMBERS].output || !(all || c->plan->chained))
            continue;
        const tac_status status =
            call(c, c->plan->type->kernels[TAC_NUMBERS].output, &c->scratch, false, timed);
        if (!c->active) { // inactive: what `output` wrote or returned is dropped
            tac__activity_close(c);
            continue;
        }
        if (status != TAC_OK) {
            island->failed = c->plan->index;
            return status;
        }
    }
    return TAC_OK;
}

tac_status tac__scratch_outputs(tac__island *island, double t_s, bool all)
{
    return scratch_outputs(island, t_s, all, false);
}

ALWAYS_INLINE tac_status derive_all(tac__island *island, double *dx, bool timed)
{
    tac_engine *e = island->engine;
    if (island->resting)
        memset(dx, 0, island->problem.n * sizeof *dx);
    for (size_t i = 0; i < island->live_count; i++) {
        tac_instance *c = e->instances[island->live[i]];
        if (!c->plan->type->kernels[TAC_NUMBERS].derive)
            continue;
        // Views of outputs that come later in the order are complete only now.
        update(&c->plan->scratch_views, NO_TIME);
        c->scratch.dx = dx + c->plan->x_offset;
        const tac_status status =
            call(c, c->plan->type->kernels[TAC_NUMBERS].derive, &c->scratch, true, timed);
        if (!c->active) {
            memset(c->scratch.dx, 0, c->plan->x_count * sizeof *dx);
            continue;
        }
        if (status != TAC_OK) {
            island->failed = c->plan->index;
            return status;
        }
    }
    return TAC_OK;
}

// All outputs that are needed, then all derivatives. Out of line: the usual case needs no stack
// frame.
__attribute__((noinline)) static tac_status coupled_rhs(tac__island *island, double t_s, double *dx)
{
    TAC_TRY(tac__scratch_outputs(island, t_s, false));
    return derive_all(island, dx, false);
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
    if (!c) {
        TAC_TRY(scratch_outputs(island, t_s, false, true));
        return derive_all(island, dx, true);
    }
    c->scratch.t_s = t_s;
    c->scratch.dx = dx;
    return call(c, c->plan->type->kernels[TAC_NUMBERS].derive, &c->scratch, true, true);
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

ALWAYS_INLINE tac_status island_outputs(tac_engine *e, tac__island *island, tac_time t_us,
                                        bool timed)
{
    if (island->plan->early_count)
        bus_early(e, island, t_us);
    for (size_t i = 0; i < island->live_count; i++) {
        tac_instance *c = e->instances[island->live[i]];
        if (!c->plan->type->kernels[TAC_NUMBERS].output || !c->active)
            continue;
        // Held samples of other islands are not renewed here: the order in which islands are
        // evaluated must not matter.
        tac__views_renew(&c->plan->views, t_us);
        c->bus.t_s = tac_time_seconds(t_us);
        const tac_status status =
            call(c, c->plan->type->kernels[TAC_NUMBERS].output, &c->bus, false, timed);
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
    for (size_t i = 0; i < island->plan->viewer_count; i++)
        update(&e->plan->components[island->plan->viewers[i]]->views, t_us);
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
            tac_instance *c = e->instances[island->live[k]];
            if (c->plan->type->kernels[TAC_NUMBERS].output && c->active)
                begin_outputs(e, c, t_us);
        }
    }
    for (size_t i = 0; i < e->plan->island_count; i++)
        tac__island_renew(e, &e->islands[i], t_us);
}
