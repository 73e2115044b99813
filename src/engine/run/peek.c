// peek.c - reading an island at any instant without a trace, and what follows when its state jumps.
#include "engine/run/lanes.h"
#include "engine/run/locate.h"
#include "engine/run/profile.h"
#include "engine/tangent/follow.h"

#include <string.h>

// Between two boundaries of the island the state is what the present step would give if it ended
// at t_us. That depends on nothing later than t_us, unlike interpolation inside a step that may
// still be cut short.
static tac_status peek_state(tac_engine *e, tac__island *island, tac_time t_us)
{
    if (island->state->from_us >= t_us) { // the present, or slightly later after a failure
        memcpy(island->peek, island->x, island->plan->x_count * sizeof *island->peek);
        return TAC_OK;
    }
    tac__ode_work *work = &e->peek_work;
    if (work->n != island->problem.n)
        tac__ode_work_init(work, e->plan->method, island->problem.n, e->peek_memory);
    tac__ode_forget(work);
    work->z = island->work.z; // where the right-hand side is evaluated
    memcpy(island->peek + island->problem.n, island->x + island->problem.n,
           (island->plan->x_count - island->problem.n) * sizeof *island->peek);
    bool whole;
    return tac__shorter_step(e, island, work, t_us, island->peek, &whole);
}

// Have evaluations on the scratch read the copies of held inputs, or the inputs themselves.
static void see_inputs(tac__island *island, bool kept)
{
    for (size_t i = 0; i < island->plan->count; i++) {
        tac_instance *c = island->engine->instances[island->plan->components[i]];
        c->scratch.in = kept ? c->plan->kept_in : c->plan->scratch_in;
    }
}

// Evaluate state and outputs of the island at t_us, on the scratch.
static tac_status look(tac_engine *e, tac__island *island, tac_time t_us)
{
    if (island->peeked_us == t_us)
        return TAC_OK;
    tac__lanes_show(island);
    const uint64_t evals = island->state->evals;
    const bool observing = tac__profile_observing(island->engine, true);
    tac_status status = peek_state(e, island, t_us);
    memcpy(island->work.z, island->peek, island->plan->x_count * sizeof *island->peek);
    const bool kept = island->kept_us == t_us;
    if (kept)
        see_inputs(island, true);
    if (status == TAC_OK)
        status = tac__scratch_outputs(island, tac_time_seconds(t_us), true);
    if (kept)
        see_inputs(island, false);
    island->state->evals = evals; // a peek is not counted as part of the run
    (void)tac__profile_observing(island->engine, observing);
    if (status == TAC_OK)
        island->peeked_us = t_us;
    return status;
}

// At a boundary where nothing in the run reads the island's outputs, held inputs may be written
// again before an observer reads the outputs. So the inputs are copied now; outputs are evaluated
// only if an observer asks for them, because most observers read states only.
void tac__island_preview(tac__island *island, tac_time t_us)
{
    if (island->state->at_us != t_us || island->state->outputs_us == t_us)
        return;
    for (size_t i = 0; i < island->plan->keep_count; i++) {
        const tac__keep *keep = &island->plan->keeps[i];
        if (keep->view)
            tac__view_update(keep->view, t_us);
        else
            memcpy(keep->to, keep->from, keep->bytes);
    }
    island->kept_us = t_us;
    if (island->engine->tangents)
        tac__tangents_preview(island->engine, island, t_us);
}

// After a jump of the state, modes and outputs at this boundary, for readers and watchers, are
// those of the new state.
tac_status tac__island_jumped(tac_engine *e, tac__island *island, tac_time t_us)
{
    const bool watched = island->peeked_us == t_us || island->kept_us == t_us;
    tac__lanes_drop(island);
    tac__step_set(island, TAC__STEP_NONE);
    island->state->event_us = island->peeked_us = island->kept_us = TAC_TIME_NEVER;
    if (island->plan->event_count)
        TAC_TRY(tac__latch(e, island, t_us));
    if (island->state->outputs_us == t_us)
        return tac__island_outputs(e, island, t_us);
    if (watched)
        tac__island_preview(island, t_us);
    return TAC_OK;
}

tac_status tac__island_peek(tac_engine *e, int signal, tac_time t_us, const void **value)
{
    const tac__signal *s = &e->plan->schema.signals[signal];
    const tac_instance *c = e->instances[s->component];
    tac__island *island = &e->islands[c->plan->island];
    if (tac__island_has(e, s, t_us)) {
        tac__lanes_show(island);
        *value = tac__block_at(&e->plan->block, s->offset);
        return TAC_OK;
    }
    TAC_TRY(look(e, island, t_us));
    const size_t i = tac__signal_place(c->plan, signal);
    if (!s->kind->state) {
        *value = c->scratch.out[i];
        return TAC_OK;
    }
    const double *x = island->peek + c->plan->x_offset;
    for (size_t k = c->plan->outputs.count; k < i; k++)
        x += c->plan->continuous.items[k - c->plan->outputs.count].type.count;
    *value = x;
    return TAC_OK;
}
