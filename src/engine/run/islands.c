// islands.c - when islands move: they arrive at an instant, begin the next step from there, and
// take it again when a boundary turns up inside it.
#include "engine/run/loop.h"
#include "engine/run/lanes.h"
#include "engine/run/locate.h"

#include <string.h>

// --- arriving -----------------------------------------------------------------------------------

// The step is over and will not be undone: check that it succeeded.
static tac_status check_step(tac_engine *e, tac__island *island)
{
    if (tac__step_has_failed(island))
        return tac__step_failed(e, island);
    // The sum is 0 unless a state is not finite. Four sums, so that the additions do not wait for
    // each other.
    const double *y = island->y;
    double a = 0, b = 0, c = 0, d = 0;
    size_t i = 0;
    for (; i + 4 <= island->problem.n; i += 4) {
        a += y[i] * 0.0;
        b += y[i + 1] * 0.0;
        c += y[i + 2] * 0.0;
        d += y[i + 3] * 0.0;
    }
    for (; i < island->problem.n; i++)
        a += y[i] * 0.0;
    return a + b + c + d == 0 ? TAC_OK : tac__step_failed(e, island);
}

// Before the clock moves to t_us, a boundary of this island or the end of its step: check the step,
// which ends there. Nothing is committed yet.
static tac_status reach(tac_engine *e, tac__island *island, tac_time t_us)
{
    const tac__island_state *s = island->state;
    TAC_ASSERT(s->to_us == t_us);
    return s->from_us == t_us ? TAC_OK : check_step(e, island);
}

static inline tac_status project(tac_engine *e, tac__island *island, tac_time t_us)
{
    for (size_t i = 0; i < island->live_count; i++) {
        const tac_instance *c = tac__island_live(island, i);
        if (!c->plan->type->kernels[TAC_NUMBERS].project || !c->active)
            continue;
        const tac_status status = c->plan->type->kernels[TAC_NUMBERS].project(
            &c->bus, c->plan->self, island->x + c->plan->x_offset);
        if (status != TAC_OK) {
            tac__fail(e->err, status, "its projection failed: %s", tac_status_text(status));
            return tac__run_failed(e, status, t_us, c->plan->name);
        }
    }
    return TAC_OK;
}

// Commit the step: t_us becomes the present of the island.
static inline tac_status arrive(tac_engine *e, tac__island *island, tac_time t_us, bool boundary)
{
    tac__island_state *s = island->state;
    if (s->from_us < t_us) {
        memcpy(island->x, island->y, island->problem.n * sizeof *island->x);
        s->from_us = t_us;
        s->h_us = s->h_next_us;
        s->tries = s->tries_next;
    }
    const bool settled = island->step >= TAC__STEP_SETTLED;
    if (!boundary) {
        tac__ode_carry(&island->work);
        tac__step_over(island);
        return TAC_OK;
    }
    tac__step_over(island);
    island->work.first = false;
    s->at_us = t_us;
    s->tries = 0;
    TAC_TRY(project(e, island, t_us));
    if (island->plan->event_count && !settled)
        TAC_TRY(tac__latch(e, island, t_us));
    return island->plan->rise_count ? tac__count_turns(e, island, t_us) : TAC_OK;
}

// Check the steps of those of 64 islands that are due.
static inline tac_status reach_word(tac_engine *e, size_t w, tac_time t_us)
{
    uint64_t bits = e->due_islands[w] |= e->due.arriving[w];
    for (tac__island *all = e->islands + w * 64; bits; bits &= bits - 1) {
        tac__island *island = all + __builtin_ctzll(bits);
        if (island->step < TAC__STEP_SOUND)
            TAC_TRY(reach(e, island, t_us));
    }
    return TAC_OK;
}

// Prefetch the states of an island some places behind this one, and what leads to those of one
// still farther behind.
static inline void fetch_states(const tac_engine *e, const tac__island *island)
{
    enum { NEAR = 4, FAR = 8 };
    const size_t left = (size_t)(e->islands + e->plan->island_count - island);
    if (left > FAR)
        tac__fetch(island + FAR, 2);
    if (left > NEAR)
        tac__fetch(island[NEAR].state, 8); // and x and y, behind it
}

// Have those of 64 islands arrive that are due.
static inline tac_status arrive_word(tac_engine *e, size_t w, tac_time t_us, bool many)
{
    const uint64_t boundaries = e->due.arriving[w];
    uint64_t bits = e->due_islands[w];
    e->due.arriving[w] = 0;
    for (tac__island *all = e->islands + w * 64; bits; bits &= bits - 1) {
        const int i = __builtin_ctzll(bits);
        if (many)
            fetch_states(e, all + i);
        if (all[i].lanes && tac__lanes_arrive(e, all + i, t_us, w, boundaries))
            continue;
        TAC_TRY(arrive(e, all + i, t_us, boundaries >> i & 1));
    }
    return TAC_OK;
}

// The same for any number of islands.
__attribute__((noinline)) static tac_status arrive_words(tac_engine *e, tac_time t_us)
{
    const size_t count = (e->plan->island_words + 63) / 64;
    for (size_t s = 0; s < count; s++) {
        uint64_t words = e->due.island_words[s] |= e->due.arriving_words[s];
        for (; words; words &= words - 1)
            TAC_TRY(reach_word(e, 64 * s + (size_t)__builtin_ctzll(words), t_us));
    }
    for (size_t s = 0; s < count; s++) {
        e->due.arriving_words[s] = 0;
        for (uint64_t words = e->due.island_words[s]; words; words &= words - 1)
            TAC_TRY(arrive_word(e, 64 * s + (size_t)__builtin_ctzll(words), t_us, true));
    }
    return TAC_OK;
}

// The same for the only island of an engine. With begin_one that takes 7 ns less a millisecond, of
// 1,080 (bench/mission.c).
static inline tac_status arrive_one(tac_engine *e, tac_time t_us)
{
    tac__island *island = e->islands;
    const uint64_t boundary = e->due.arriving[0];
    if (!(e->due_islands[0] |= boundary))
        return TAC_OK;
    e->due.arriving[0] = 0;
    if (island->step < TAC__STEP_SOUND)
        TAC_TRY(reach(e, island, t_us));
    return arrive(e, island, t_us, boundary);
}

// First all steps are checked, then all are committed: a run that fails here keeps the whole state
// of its last instant. Up to 64 islands are one word, and which words are not 0 is not asked: here
// and in tac__islands_integrate that saves 88 instructions an instant (callgrind).
tac_status tac__islands_arrive(tac_engine *e, tac_time t_us)
{
    if (e->step_watchers)
        tac__inside_show(e, t_us);
    if (e->plan->island_count == 1) {
        TAC_TRY(arrive_one(e, t_us));
    } else if (e->plan->island_words == 1) {
        TAC_TRY(reach_word(e, 0, t_us));
        TAC_TRY(arrive_word(e, 0, t_us, false));
    } else {
        TAC_TRY(arrive_words(e, t_us));
    }
    if (t_us == 0) // the first instant
        tac__islands_begin(e, t_us);
    return TAC_OK;
}

// --- the next step ------------------------------------------------------------------------------

// Prefetch what the step of the next island begins with, while this one is integrated. For islands
// in lanes lanes.c has done it.
__attribute__((noinline)) static void fetch(const tac__island *island)
{
    if (tac__lanes_has(island))
        return;
    tac__fetch(island->state, 5); // and x, behind it
    tac__fetch((const char *)island + 128, 3);
    if (!island->alone)
        return;
    tac__fetch(&island->alone->scratch, 2);
    tac__fetch(island->alone->plan->self, 2);
}

// Integrate an island that is due.
static inline void begin(tac_engine *e, tac__island *island, tac_time t_us)
{
    if (island->lanes && tac__lanes_turn(e, island, t_us))
        return;
    tac__island_renew(e, island, t_us);
    tac__island_integrate(e, island);
}

static inline void begin_one(tac_engine *e, tac_time t_us)
{
    const uint64_t due = e->due_islands[0];
    e->due_islands[0] = 0;
    if (due)
        begin(e, e->islands, t_us);
}

// Integrate those of 64 islands that are due.
static inline void integrate_word(tac_engine *e, size_t w, tac_time t_us)
{
    tac__island *all = e->islands + w * 64;
    uint64_t bits = e->due_islands[w];
    e->due_islands[w] = 0;
    while (bits) {
        tac__island *island = all + __builtin_ctzll(bits);
        bits &= bits - 1;
        if (bits)
            fetch(all + __builtin_ctzll(bits));
        begin(e, island, t_us);
    }
}

__attribute__((noinline)) static void integrate_words(tac_engine *e, tac_time t_us)
{
    const size_t count = (e->plan->island_words + 63) / 64;
    for (size_t s = 0; s < count; s++) {
        uint64_t words = e->due.island_words[s];
        e->due.island_words[s] = 0;
        for (; words; words &= words - 1)
            integrate_word(e, 64 * s + (size_t)__builtin_ctzll(words), t_us);
    }
}

// Stage 10 of the last instant.
void tac__islands_integrate(tac_engine *e)
{
    if (e->plan->island_count == 1)
        begin_one(e, e->clock->t_us);
    else if (e->plan->island_words == 1)
        integrate_word(e, 0, e->clock->t_us);
    else
        integrate_words(e, e->clock->t_us);
}

// The boundary that `source` had planned for old_us has moved or is gone. Steps that were to end
// there, or that now have it inside, are taken again from the same state with the same held inputs,
// as if the new plan had been the only one.
void tac__islands_replan(tac_engine *e, int source, tac_time old_us, const tac__island *but)
{
    const tac_time new_us = e->timeline.next[source];
    const tac__plan *plan = e->plan;
    for (uint32_t k = plan->due_rows[source].islands; k < plan->due_rows[source].end; k++) {
        tac__island *all = e->islands + 64 * (plan->due[k].word - plan->item_words);
        for (uint64_t bits = plan->due[k].bits; bits; bits &= bits - 1) {
            tac__island *island = all + __builtin_ctzll(bits);
            const tac__island_state *s = island->state;
            // An island without a step under way uses the new plan anyhow.
            if (island == but || s->from_us >= s->to_us ||
                !(s->to_us > new_us || (s->to_us == old_us && new_us > old_us)))
                continue;
            island->state->undone += island->plan->x_count > 0;
            tac__lanes_leave(island);
            if (e->plan->method->adaptive)
                tac__ode_retry(&island->work);
            tac__island_integrate(e, island);
        }
    }
}
