// inside.c - looking into integration steps that are about to be committed, without a trace: each
// step is taken again in memory of the watcher, and dense output gives the states inside it.
#include "engine/run/lanes.h"
#include "engine/run/profile.h"
#include "engine/tangent/follow.h"

#include <string.h>

struct tac__inside {
    tac_engine *engine;
    tac__island *island;
    bool outputs;             // are evaluated, too
    tac__ode_work work;       // its z is that of the island
    double *memory;           // of work
    double *y;                // state at the end of the step
    tac_time from_us, end_us; // the step that `work` and `y` hold
    tac_time look_us;         // of the values on the scratch; NEVER: none
    bool dense;               // dense output is available; else each look takes a step
    tac_status status;        // of the step
};

void tac__watch_steps(tac_engine *e, tac__step_watcher *watcher)
{
    watcher->next = e->step_watchers;
    e->step_watchers = watcher;
}

tac__inside *tac__inside_create(tac_engine *e, tac__arena *arena, size_t island, bool outputs)
{
    tac__inside *in = tac__arena_alloc(arena, sizeof *in);
    if (!in)
        return NULL;
    *in = (tac__inside){.engine = e,
                        .island = &e->islands[island],
                        .outputs = outputs,
                        .from_us = TAC_TIME_NEVER,
                        .end_us = TAC_TIME_NEVER,
                        .look_us = TAC_TIME_NEVER};
    const size_t n = in->island->plan->x_count;
    in->memory =
        tac__arena_array(arena, tac__ode_work_doubles(e->plan->method, n), sizeof *in->memory);
    in->y = tac__ode_array(arena, n);
    if (!in->memory || !in->y)
        return NULL;
    tac__ode_work_init(&in->work, e->plan->method, n, in->memory);
    return in;
}

tac_time tac__inside_from(const tac__inside *in)
{
    return in->island->state->from_us;
}

void tac__inside_forget(tac__inside *in)
{
    in->from_us = in->end_us = in->look_us = TAC_TIME_NEVER;
}

tac__step_ends tac__inside_ends(const tac__inside *in)
{
    const tac__island *island = in->island;
    tac__step_ends ends = {island->x, island->y, 1, island->state->from_us};
    if (island->step == TAC__STEP_SOUND_LANES) {
        const tac__lanes *l = island->lanes;
        ends.stride = l->work->method->lanes;
        ends.x = l->ode.x + island->lane;
        ends.y = l->ode.y + island->lane;
    }
    return ends;
}

// States behind the last one that is integrated stand still.
static void stand_still(const tac__inside *in, double *y)
{
    const tac__island *island = in->island;
    const size_t n = island->problem.n;
    if (island->plan->x_count > n)
        memcpy(y + n, island->x + n, (island->plan->x_count - n) * sizeof *y);
}

static tac_status step_to(tac__inside *in, tac_time t_us, double *y, bool *whole)
{
    tac__island *island = in->island;
    *whole = true;
    if (island->plan->x_count == 0)
        return TAC_OK;
    tac__ode_forget(&in->work);
    stand_still(in, y);
    stand_still(in, island->work.z);
    return tac__shorter_step(in->engine, island, &in->work, t_us, y, whole);
}

// Take the present step again, so that it ends at end_us.
static void take_step(tac__inside *in, tac_time end_us)
{
    const tac_engine *e = in->engine;
    tac__island *island = in->island;
    const tac_time from_us = island->state->from_us;
    if (in->from_us == from_us && in->end_us == end_us)
        return;
    in->from_us = from_us;
    in->end_us = end_us;
    if (in->work.n != island->problem.n) // components have become active or inactive
        tac__ode_work_init(&in->work, e->plan->method, island->problem.n, in->memory);
    in->work.z = island->work.z;
    bool whole;
    in->status = step_to(in, end_us, in->y, &whole);
    in->dense =
        in->status == TAC_OK && whole && island->plan->x_count && !e->plan->def.split &&
        tac__ode_dense_begin(e->plan->method, &island->problem, &in->work,
                             tac_time_seconds(from_us), tac_time_seconds(end_us),
                             tac_time_seconds(end_us - from_us), island->x, in->y) == TAC_OK;
}

static tac_status state_at(tac__inside *in, tac_time t_us)
{
    tac__island *island = in->island;
    double *z = island->work.z;
    if (t_us == in->from_us) {
        memcpy(z, island->x, island->plan->x_count * sizeof *z);
        return TAC_OK;
    }
    if (in->dense) {
        const double theta = (double)(t_us - in->from_us) / (double)(in->end_us - in->from_us);
        tac__ode_dense_at(in->engine->plan->method, &in->work, island->x, in->y, theta, z);
        stand_still(in, z);
        return TAC_OK;
    }
    bool whole;
    const tac_status status = step_to(in, t_us, in->y, &whole);
    memcpy(z, in->y, island->plan->x_count * sizeof *z);
    return status;
}

static tac_status look(tac__inside *in, tac_time end_us, tac_time t_us, bool outputs)
{
    tac__island *island = in->island;
    in->look_us = TAC_TIME_NEVER;
    tac__lanes_show(island);
    const uint64_t evals = island->state->evals;
    const bool observing = tac__profile_observing(island->engine, true);
    const uint32_t failed = island->failed;
    take_step(in, end_us);
    tac_status status = in->status == TAC_OK ? state_at(in, t_us) : in->status;
    if (status == TAC_OK && outputs)
        status = tac__scratch_outputs(island, tac_time_seconds(t_us), true);
    island->peeked_us = TAC_TIME_NEVER; // the scratch has other values now
    island->state->evals = evals;
    (void)tac__profile_observing(island->engine, observing);
    island->failed = failed;
    if (status == TAC_OK && outputs == in->outputs)
        in->look_us = t_us;
    return status;
}

tac_status tac__inside_look(tac__inside *in, tac_time end_us, tac_time t_us)
{
    // The same look again, and no other peek in between: the values are still there.
    if (in->look_us == t_us && in->end_us == end_us && in->from_us == in->island->state->from_us &&
        in->island->peeked_us == TAC_TIME_NEVER)
        return TAC_OK;
    return look(in, end_us, t_us, in->outputs);
}

const double *tac__inside_states(tac__inside *in, tac_time end_us, tac_time t_us)
{
    return look(in, end_us, t_us, false) == TAC_OK ? in->island->work.z : NULL;
}

const void *tac__inside_value(const tac__inside *in, const tac__watched *signal)
{
    if (signal->output >= 0)
        return signal->scratch;
    const tac__signal *s = &in->engine->plan->schema.signals[signal->signal];
    return in->island->work.z + in->engine->plan->components[s->component]->x_offset +
           signal->state;
}

// A step that failed is not looked into: the run ends before it.
static bool is_sound(const tac__island *island)
{
    if (island->step >= TAC__STEP_SOUND)
        return true;
    double sum = 0;
    for (size_t i = 0; i < island->problem.n; i++)
        sum += island->y[i] * 0.0;
    return sum == 0;
}

// Only islands that are due can have a step that ends here.
void tac__inside_show(tac_engine *e, tac_time t_us)
{
    for (const tac__step_watcher *w = e->step_watchers; w; w = w->next) {
        for (size_t word = 0; word < e->plan->island_words; word++) {
            uint64_t bits = (e->due_islands[word] | e->due.arriving[word]) & w->islands[word];
            for (; bits; bits &= bits - 1) {
                const size_t island = 64 * word + (size_t)__builtin_ctzll(bits);
                const tac__island_state *s = e->islands[island].state;
                if (s->from_us < t_us && s->to_us == t_us && is_sound(&e->islands[island]))
                    w->show(w->context, island, t_us);
            }
        }
    }
    if (e->tangents)
        tac__tangents_arrive(e, t_us);
}
