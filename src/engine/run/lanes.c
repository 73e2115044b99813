// lanes.c - see lanes.h.
#include "engine/run/lanes.h"
#include "engine/run/locate.h"
#include "engine/run/profile.h"
#include "math/prints.h"

#include <string.h>

enum { LANES_MAX = TAC__LANES_MAX };

#define EACH_LANE(lane, set)                                                                       \
    for (tac__lane_set left_ = (set), lane; left_; left_ &= left_ - 1)                             \
        if ((lane = (tac__lane_set)__builtin_ctz(left_)), true)

static tac__island *island_of(const tac__lanes *l, size_t lane)
{
    return l->subject.islands[lane];
}

static size_t width_of(const tac__lanes *l)
{
    return l->work->method->lanes;
}

// --- between the group and the memory of an island ----------------------------------------------

void tac__lanes_write(const tac__island *island)
{
    tac__lanes *l = island->lanes;
    tac__lane_get(width_of(l), island->lane, l->ode.n, l->ode.x, island->x);
    l->shown |= UINT32_C(1) << island->lane;
}

void tac__lanes_write_set(tac__lanes *l, tac__lane_set set)
{
    double *x[LANES_MAX];
    EACH_LANE(lane, set)
    x[lane] = island_of(l, lane)->x;
    l->work->packs->scatter(set, l->ode.n, l->ode.x, x);
    l->shown |= set;
}

void tac__lanes_show_all(const tac_engine *e)
{
    for (tac__lanes *l = e->lanes; l; l = l->next)
        tac__lanes_show_set(l, l->here);
}

static void store_digests(tac__lanes *l, tac__lane_set set)
{
    EACH_LANE(lane, l->mixed & set)
    island_of(l, lane)->state->digest = l->digests[lane];
    l->mixed &= ~set;
}

void tac__lanes_show_digest(const tac__island *island)
{
    if (island->lanes)
        store_digests(island->lanes, UINT32_C(1) << island->lane);
}

void tac__lanes_store(const tac_engine *e)
{
    for (tac__lanes *l = e->lanes; l; l = l->next) {
        store_digests(l, l->mixed);
        EACH_LANE(lane, l->here)
        {
            const tac__island *island = island_of(l, lane);
            tac__lanes_show(island);
            tac__lane_get(width_of(l), lane, l->ode.n, l->ode.y, island->y);
        }
    }
}

// The state of the island is no longer here.
static void leave(tac__lanes *l, size_t lane)
{
    const tac__lane_set bit = UINT32_C(1) << lane;
    store_digests(l, bit);
    l->here &= ~bit;
}

void tac__lanes_drop(const tac__island *island)
{
    tac__lanes *l = island->lanes;
    if (!tac__lanes_has(island))
        return;
    tac__lane_get(width_of(l), island->lane, l->ode.n, l->ode.y, island->y);
    leave(l, island->lane);
}

void tac__lanes_restart(tac_engine *e)
{
    for (tac__lanes *l = e->lanes; l; l = l->next) {
        l->here = l->ready = l->arrived = l->mixed = 0;
        l->tried_us = l->arrived_us = l->digested_us = TAC_TIME_NEVER;
    }
}

static void join(tac__lanes *l, size_t lane)
{
    tac__lanes_work *w = l->work;
    tac__island *island = island_of(l, lane);
    const tac__lane_set bit = UINT32_C(1) << lane;
    tac__ode_lanes_join(w->method, &w->ode, &l->ode, lane, island->x, &island->work);
    tac__lane_put(width_of(l), lane, w->event_count, island->mode, l->subject.mode);
    l->here |= bit;
    l->filled |= bit;
    l->shown |= bit;
}

// x and y of the lane into the island's own memory, and where its right-hand side was evaluated
// last.
static void copy_out(const tac__lanes *l, tac__island *island)
{
    tac__lanes_show(island);
    tac__lane_get(width_of(l), island->lane, l->ode.n, l->ode.y, island->y);
    memcpy(island->work.z, island->y, l->ode.n * sizeof *island->y);
}

// If the stages of its step are gone, the step is computed again: same bits, not counted.
void tac__lanes_unpack(tac__island *island)
{
    tac__lanes *l = island->lanes;
    const tac__lane_set bit = UINT32_C(1) << island->lane;
    const bool under_way = island->step == TAC__STEP_SOUND_LANES;
    copy_out(l, island);
    if (under_way)
        l->ode.first &= ~bit;
    const bool there =
        tac__ode_lanes_leave(l->work->method, &l->work->ode, &l->ode, island->lane, &island->work);
    leave(l, island->lane);
    if (!under_way)
        return;
    if (!there) {
        const uint64_t evals = island->state->evals;
        tac__ode_forget(&island->work);
        (void)tac__step_to(island->engine, island, &island->work, island->state->to_us, island->y);
        island->state->evals = evals;
    }
    tac__step_set(island, TAC__STEP_SOUND);
}

// A try failed: the island begins its step anew, alone.
static void give_up(tac__lanes *l, size_t lane)
{
    tac__island *island = island_of(l, lane);
    const tac__lane_set bit = UINT32_C(1) << lane;
    tac__lanes_show(island);
    tac__ode_lanes_forget(&l->work->ode, &l->ode, bit);
    l->ode.first |= l->known & bit;
    (void)tac__ode_lanes_leave(l->work->method, &l->work->ode, &l->ode, lane, &island->work);
    leave(l, island->lane);
}

// The island goes on alone with the first try of its step.
static void hand_over(tac__lanes *l, size_t lane)
{
    tac__island *island = island_of(l, lane);
    copy_out(l, island);
    l->ode.first &= ~(UINT32_C(1) << lane);
    (void)tac__ode_lanes_leave(l->work->method, &l->work->ode, &l->ode, lane, &island->work);
    leave(l, lane);
    tac__step_set(island, TAC__STEP_AHEAD);
}

// --- prefetching --------------------------------------------------------------------------------

// With many vehicles the data of the next group have left the cache since their last step. They are
// prefetched while this step is computed, a part at each evaluation: all at once would be more than
// the processor fetches at a time. First the islands of the next group, some at a time, with their
// inputs and a part of what lies side by side; then what leads to those of the group behind it.
enum { FETCH_PARTS = 5 };

static void fetch_lines(const void *at, size_t bytes, uint64_t part)
{
    const size_t lines = bytes / 64 / (FETCH_PARTS - 1) + 1;
    const char *from = (const char *)at + part * lines * 64;
    for (size_t i = 0; i < lines; i++)
        __builtin_prefetch(from + 64 * i);
}

// Numbers are many and read in their order: into the second cache, and of each two lines the first,
// with which processors fetch the other. With all lines, into the first cache, a vehicle of 1,000
// different ones took 5 % longer.
static void fetch_numbers(const tac__lanes *next, uint64_t part)
{
    const tac__lanes_work *w = next->work;
    const size_t width = width_of(next);
    for (size_t k = 0; k < w->run_count; k++) {
        const size_t pairs = w->runs[k].count * width / 16 / (FETCH_PARTS - 1) + 1;
        const double *from = next->subject.numbers + w->runs[k].first * width + part * pairs * 16;
        for (size_t i = 0; i < pairs; i++)
            __builtin_prefetch(from + 16 * i, 0, 2);
    }
}

static void fetch_lane(const tac__lanes *next, size_t lane)
{
    const tac__island *island = island_of(next, lane);
    const tac__evaluator *ev = next->work->evaluator;
    const size_t width = width_of(next);
    tac__touch(island->state);
    tac__fetch(island->state, 3);
    tac__fetch(island->plan, 4);
    for (size_t h = 0; h < ev->held_count; h++) {
        const double *in = next->subject.held[h * width + lane];
        tac__fetch(in, 1);
        tac__fetch(in + ev->held[h].count - 1, 1);
    }
}

static void fetch_part(const tac__lanes *l, uint64_t part)
{
    const tac__lanes *next = l->next;
    if (!next || part >= FETCH_PARTS)
        return;
    if (part == FETCH_PARTS - 1) {
        const tac__lanes *later = next->next;
        if (!later)
            return;
        tac__fetch(later, 4);
        tac__fetch(later->subject.held, 5);
        tac__fetch(later->subject.islands[0], (int)(sizeof(tac__island) / 64) * 2);
        return;
    }
    const size_t width = width_of(next), share = (width + FETCH_PARTS - 2) / (FETCH_PARTS - 1);
    for (size_t lane = part * share; lane < (part + 1) * share && lane < next->count; lane++)
        fetch_lane(next, lane);
    const size_t bytes = next->ode.n * width * sizeof(double);
    fetch_lines(next->ode.x, (next->ode.f ? 3 : 2) * bytes, part);
    fetch_lines(next->subject.mode, next->work->event_count * width * sizeof(double), part);
    if (next->subject.numbers != l->subject.numbers)
        fetch_numbers(next, part);
}

void tac__lanes_fetch(const tac__lanes *l)
{
    for (size_t lane = 0; lane < l->count; lane++)
        tac__fetch(island_of(l, lane)->x, 3);
    tac__fetch(l->ode.x, (int)(l->ode.n * width_of(l) * sizeof(double) / 64));
}

// --- a step -------------------------------------------------------------------------------------

static tac_status evaluate(void *context, const double *t_s, double *dx)
{
    tac__lanes_work *w = context;
    if (w->fetches)
        fetch_part(w->of, w->evals);
    w->evals++;
    return tac__evaluator_derive(w->evaluator, t_s, dx);
}

// What lanes take together counts for the components of their first island.
static tac_status evaluate_timed(void *context, const double *t_s, double *dx)
{
    tac__lanes_work *w = context;
    w->evals++;
    return tac__evaluator_derive_timed(w->evaluator, t_s, dx);
}

// Ends and lengths of the steps of a set. The other lanes keep those of their last try, or have any
// numbers. Mostly all lanes step equally far: then there is one division.
static void set_times(tac__lanes_work *w, tac__lane_set set, tac_time t_us)
{
    tac_time last_us = TAC_TIME_NEVER;
    double t1_s = 0, h_s = 0;
    EACH_LANE(lane, set)
    {
        const tac_time to_us = w->steps[lane].to_us;
        if (to_us != last_us) {
            t1_s = tac_time_seconds(to_us);
            h_s = tac_time_seconds(to_us - t_us);
        }
        last_us = to_us;
        w->t1_s[lane] = t1_s;
        w->h_s[lane] = h_s;
    }
}

// One try of the lanes of a set. Counts evaluations as each island alone would: one whose f(t0, x)
// was known does not evaluate it.
static tac_status try_steps(tac__lanes *l, tac__lane_set set, tac_time t_us)
{
    tac__lanes_work *w = l->work;
    const tac__lane_set again = w->ode.of == &l->ode ? w->ode.again : 0;
    const tac__lane_set known = set & (l->ode.first | again);
    set_times(w, set, t_us);
    w->evals = 0;
    const tac_status status = tac__ode_lanes_step(w->method, &w->problem, &w->ode, &l->ode, set,
                                                  tac_time_seconds(t_us), w->t1_s, w->h_s);
    EACH_LANE(lane, set)
    w->steps[lane].evals += w->evals - (known != set && (known >> lane & 1));
    return status;
}

// Fixed steps: lanes that have taken their step.
static tac__lane_set fixed_steps(tac__lanes *l, tac__lane_set active, tac_time t_us)
{
    const tac_time h_us = l->work->engine->plan->def.integrator.h_max_us;
    EACH_LANE(lane, active)
    {
        tac__lane_step *s = &l->work->steps[lane];
        s->to_us = s->limit_us - t_us > h_us ? t_us + h_us : s->limit_us;
    }
    if (try_steps(l, active, t_us) != TAC_OK)
        return 0;
    return active & l->work->packs->finite(l->ode.n, l->ode.y);
}

// Steps as far as the tolerances of each lane allow, as adaptive_step of integrate.c takes them.
// Lanes that are not in the result must take their step alone.
static tac__lane_set adaptive_steps(tac__lanes *l, tac__lane_set active, tac_time t_us)
{
    tac__lanes_work *w = l->work;
    const tac_engine *e = w->engine;
    const tac_integrator_def *def = &e->plan->def.integrator;
    tac__lane_set done = 0, trying = active;
    tac__step_try tries[LANES_MAX];
    EACH_LANE(lane, active)
    {
        const tac__island_state *s = island_of(l, lane)->state;
        tries[lane] = (tac__step_try){
            .own_us = s->h_us, .h_us = s->h_us, .left_us = w->steps[lane].limit_us - t_us};
        w->steps[lane].tries = s->tries;
    }
    for (;;) {
        EACH_LANE(lane, trying)
        {
            tac__lane_step *s = &w->steps[lane];
            s->to_us = t_us + tac__try_length(&tries[lane]);
            if (++s->tries > def->max_substeps)
                trying &= ~(UINT32_C(1) << lane);
        }
        if (!trying || try_steps(l, trying, t_us) != TAC_OK)
            return done;
        double errors[LANES_MAX];
        tac__ode_lanes_errors(w->method, &w->problem, &w->ode, &l->ode, trying, def->rtol,
                              def->atol, w->h_s, errors);
        EACH_LANE(lane, trying)
        {
            tac__lane_step *s = &w->steps[lane];
            const tac__lane_set bit = UINT32_C(1) << lane;
            s->error = errors[lane];
            switch (tac__judge_try(e->plan->method, def, &tries[lane], s->error)) {
            case TAC__ACCEPT:
                s->h_next_us = tries[lane].h_next_us;
                done |= bit;
                trying &= ~bit;
                break;
            case TAC__TRY_SHORTER:
                s->rejected++;
                break;
            case TAC__GIVE_UP:
                trying &= ~bit;
            }
        }
        if (!trying)
            return done;
        tac__ode_lanes_retry(&w->ode, &l->ode, trying);
    }
}

// Lanes in which a mode changes at the end of the step, or cannot be told.
static tac__lane_set changing(tac__lanes *l, tac__lane_set done)
{
    tac__lanes_work *w = l->work;
    if (!w->event_count || !done)
        return 0;
    const double *t_s = w->t1_s;
    w->packs->copy(l->ode.n, l->ode.y, w->ode.z);
    if (tac__evaluator_outputs(w->evaluator, t_s, false) != TAC_OK ||
        tac__evaluator_detect(w->evaluator, t_s, w->events) != TAC_OK)
        return done;
    return done & w->packs->differ(w->event_count, w->events, l->subject.mode);
}

// Lanes whose islands stand at t_us.
static tac__lane_set standing(const tac__lanes *l, tac_time t_us)
{
    const bool fsal = l->work->method->method->fsal;
    tac__lane_set set = 0;
    for (size_t lane = 0; lane < l->count; lane++) {
        const tac__island *island = island_of(l, lane);
        const tac__island_state *s = island->state;
        const bool stands = s->from_us == t_us && s->to_us == t_us;
        if (stands && (fsal || !island->work.first))
            set |= UINT32_C(1) << lane;
    }
    return set;
}

// A step in lanes takes about two to three times as long as one alone.
static bool is_worth_it(tac__lane_set set, size_t width)
{
    return (size_t)__builtin_popcount(set) >= (width == 8 ? 3 : 2);
}

static void begin(tac_engine *e, tac__lanes *l, tac__lane_set active, tac_time t_us)
{
    tac__lanes_work *w = l->work;
    EACH_LANE(lane, active)
    {
        tac__island *island = island_of(l, lane);
        if (!(l->here >> lane & 1))
            join(l, lane);
        tac__island_renew(e, island, t_us);
        tac__lane_step *s = &w->steps[lane];
        *s = (tac__lane_step){0};
        s->limit_us = tac__island_limit(e, island, &s->next_us);
    }
    for (size_t lane = 0; lane < width_of(l); lane++) { // none may be without a state
        if (!(l->filled >> lane & 1))
            tac__ode_lanes_join(w->method, &w->ode, &l->ode, lane,
                                island_of(l, (size_t)__builtin_ctz(active))->x, NULL);
    }
    l->filled = tac__lanes_all(width_of(l));
    w->of = l;
    tac__evaluator_aim(w->evaluator, &l->subject);
    tac__evaluator_hold(w->evaluator, &l->subject);
}

// Compute the steps of all islands of the group that stand at t_us.
static void step(tac_engine *e, tac__lanes *l, tac_time t_us)
{
    tac__lanes_work *w = l->work;
    l->tried_us = t_us;
    l->ready = 0;
    const tac__lane_set active = standing(l, t_us);
    if (!is_worth_it(active, width_of(l))) {
        EACH_LANE(lane, active)
        tac__lanes_leave(island_of(l, lane));
        return;
    }
    begin(e, l, active, t_us);
    l->known = l->ode.first;
    const tac__lane_set done = w->method->method->adaptive ? adaptive_steps(l, active, t_us)
                                                           : fixed_steps(l, active, t_us);
    for (uint64_t part = w->evals; w->fetches && part < FETCH_PARTS; part++) // few stages
        fetch_part(l, part);
    tac__lane_set apart = changing(l, done), carried = 0;
    EACH_LANE(lane, done)
    {
        const tac__island *island = island_of(l, lane);
        if (island->plan->rise_count)
            apart |= UINT32_C(1) << lane;
        if (!w->steps[lane].rejected && w->steps[lane].to_us < w->steps[lane].next_us)
            carried |= UINT32_C(1) << lane;
    }
    l->ready = done & ~apart;
    EACH_LANE(lane, active & ~done)
    give_up(l, lane);
    EACH_LANE(lane, apart)
    {
        if (w->steps[lane].rejected)
            give_up(l, lane);
        else
            hand_over(l, lane);
    }
    if (l->ode.f && (l->ready & carried))
        tac__ode_lanes_carry(w->method, &w->ode, &l->ode, l->ready & carried);
}

bool tac__lanes_turn(tac_engine *e, tac__island *island, tac_time t_us)
{
    tac__lanes *l = island->lanes;
    const tac__lane_set bit = UINT32_C(1) << island->lane;
    if (l->tried_us != t_us)
        step(e, l, t_us);
    if (!(l->ready & bit))
        return false;
    l->ready &= ~bit;
    const tac__lane_step *s = &l->work->steps[island->lane];
    if (!tac__island_commit(e, island, s->limit_us, s->to_us)) { // a boundary turned up
        if (s->rejected)
            give_up(l, island->lane);
        else
            hand_over(l, island->lane);
        return false;
    }
    tac__island_state *state = island->state;
    state->evals += s->evals;
    state->rejected += s->rejected;
    if (l->work->method->method->adaptive) {
        state->h_next_us = s->h_next_us;
        state->tries_next = s->tries;
    }
    // The next step goes on from the last stage of this one.
    if (l->ode.f && e->timeline.next[island->plan->step_source] != TAC_TIME_NEVER &&
        !(l->ode.first & bit))
        tac__ode_lanes_carry(l->work->method, &l->work->ode, &l->ode, bit);
    return true;
}

// --- arriving -----------------------------------------------------------------------------------

// x = y in the lanes of a set, and back onto its bounds. False: a kernel failed, x is as before.
static bool project(tac__lanes *l, tac__lane_set set)
{
    tac__lanes_work *w = l->work;
    tac__evaluator_aim(w->evaluator, &l->subject);
    w->packs->copy(l->ode.n, l->ode.y, w->ode.z);
    if (tac__evaluator_project(w->evaluator, w->ode.z) != TAC_OK)
        return false;
    w->method->merge(set, l->ode.n, w->ode.z, l->ode.x);
    return true;
}

static void arrive(tac_engine *e, tac__lanes *l, tac_time t_us, size_t word, uint64_t boundaries)
{
    tac__lanes_work *w = l->work;
    tac__lane_set due = 0, at_boundary = 0;
    EACH_LANE(lane, l->here)
    {
        const tac__island *island = island_of(l, lane);
        if (island->step != TAC__STEP_SOUND_LANES || island->state->to_us != t_us)
            continue;
        const size_t index = (size_t)(island - e->islands);
        const uint64_t bits = index / 64 == word ? boundaries : e->due.arriving[index / 64];
        due |= UINT32_C(1) << lane;
        at_boundary |= (tac__lane_set)(bits >> index % 64 & 1) << lane;
    }
    l->arrived_us = t_us;
    l->arrived = due;
    l->boundary = at_boundary;
    const tac__lane_set projected = w->projects ? at_boundary : 0;
    if (projected && !project(l, projected)) { // each does it alone, and one reports the failure
        EACH_LANE(lane, due)
        tac__lanes_unpack(island_of(l, lane));
        l->arrived = 0;
        return;
    }
    if (due & ~projected)
        tac__ode_lanes_advance(w->method, &l->ode, due & ~projected);
    l->ode.first &= ~at_boundary;
    double *x[LANES_MAX];
    EACH_LANE(lane, due)
    {
        tac__island *island = island_of(l, lane);
        tac__island_state *s = island->state;
        const bool boundary = at_boundary >> lane & 1;
        x[lane] = island->x;
        s->from_us = t_us;
        s->h_us = s->h_next_us;
        s->tries = boundary ? 0 : s->tries_next;
        if (boundary)
            s->at_us = t_us;
        tac__step_set(island, TAC__STEP_ARRIVED);
    }
    const tac__lane_set now = e->step_watchers ? at_boundary : at_boundary & ~l->waits;
    if (now)
        w->packs->scatter(now, l->ode.n, l->ode.x, x);
    l->shown = (l->shown & ~due) | now;
}

bool tac__lanes_arrive(tac_engine *e, const tac__island *island, tac_time t_us, size_t word,
                       uint64_t boundaries)
{
    tac__lanes *l = island->lanes;
    if (l->arrived_us != t_us) {
        if (island->step != TAC__STEP_SOUND_LANES)
            return false;
        arrive(e, l, t_us, word, boundaries);
    }
    return l->arrived >> island->lane & 1;
}

// --- digests ------------------------------------------------------------------------------------

// Do all islands of the group have a boundary at t_us, and digests that are good?
static bool is_whole(const tac__lanes *l, tac_time t_us)
{
    const tac__lane_set all = tac__lanes_all(l->count);
    return l->arrived_us == t_us && (l->boundary & l->digested) == all && !l->tapped;
}

// The digests of all islands at once, at the turn of the first. False: each has its turn.
static bool mix_all(tac__lanes *l, tac_time t_us)
{
    EACH_LANE(lane, l->here & ~l->mixed)
    l->digests[lane] = island_of(l, lane)->state->digest;
    uint64_t before[LANES_MAX];
    memcpy(before, l->digests, sizeof before);
    l->digested = l->here & ~l->work->packs->digest(l->digests, t_us, l->ode.n, l->ode.x);
    l->digested_us = t_us;
    if (is_whole(l, t_us)) {
        l->mixed = l->digested;
        l->digested = 0;
        return true;
    }
    EACH_LANE(lane, l->mixed)
    island_of(l, lane)->state->digest = before[lane];
    l->mixed = 0;
    return false;
}

bool tac__lanes_digest(const tac__island *island, tac_time t_us)
{
    tac__lanes *l = island->lanes;
    const tac__lane_set bit = UINT32_C(1) << island->lane;
    if (!(l->here & bit))
        return false;
    if (l->digested_us != t_us && mix_all(l, t_us)) {
        tac__followers_done(&island->engine->due, &l->followers);
        return true;
    }
    if (!(l->digested & bit))
        return false;
    l->digested &= ~bit;
    island->state->digest = l->digests[island->lane];
    return true;
}

// --- islands that are alike ---------------------------------------------------------------------

static bool is_packable_component(const tac__plan *plan, const tac__component *c, tac_kind kind)
{
    const tac_kernels *plain = &c->type->kernels[TAC_NUMBERS], *packs = &c->type->kernels[kind];
    // The state of opaque components may make them differ without notice.
    bool can = c->type->alike && !(c->type->flags & TAC_COMPONENT_OPAQUE) &&
               (!c->event_count || packs->detect) && (!plain->project || packs->project);
    for (size_t k = 0; can && k < c->inputs.count; k++) {
        const tac__input *in = &c->in[k];
        can = c->inputs.items[k].type.scalar == TAC_F64 &&
              (!in->coupled || plan->schema.signals[in->signal].kind->type.scalar == TAC_F64);
    }
    for (size_t k = 0; can && c->chained && k < c->outputs.count; k++)
        can = c->outputs.items[k].type.scalar == TAC_F64;
    return can;
}

// Can the island be integrated in lanes of this width?
static bool is_packable(const tac_engine *e, const tac__island *island, size_t width)
{
    const tac_kind kind = tac__packs_kind(width);
    bool can = tac__ode_lanes_find(e->plan->method, width) && !e->plan->def.split &&
               island->plan->x_count && !island->plan->gated &&
               tac__evaluator_exists(e, island, kind);
    for (size_t i = 0; can && i < island->plan->count; i++)
        can =
            is_packable_component(e->plan, e->plan->components[island->plan->components[i]], kind);
    return can;
}

// Do both problems measure errors in the same way, scales apart?
static bool same_groups(const tac__ode_problem *a, const tac__ode_problem *b)
{
    bool same = a->group_count == b->group_count;
    for (size_t i = 0; same && i < a->group_count; i++) {
        const tac__ode_group *g = &a->groups[i], *h = &b->groups[i];
        same = g->first == h->first && g->count == h->count && g->quaternion == h->quaternion;
    }
    return same;
}

static bool same_input(const tac__island *a, const tac__island *b, const tac__component *c,
                       const tac__component *d, size_t k)
{
    const tac__input *in = &c->in[k], *other = &d->in[k];
    if (tac__type_words(&c->inputs.items[k].type) != tac__type_words(&d->inputs.items[k].type) ||
        in->coupled != other->coupled)
        return false;
    if (!in->coupled)
        return true;
    const tac__plan *plan = a->engine->plan;
    const tac__signal *s = &plan->schema.signals[in->signal];
    const tac__signal *t = &plan->schema.signals[other->signal];
    const tac__component *writer = plan->components[s->component];
    const tac__component *twin = plan->components[t->component];
    size_t i = 0;
    while (a->plan->components[i] != writer->index)
        i++;
    return b->plan->components[i] == twin->index && in->element == other->element &&
           !in->buffer == !other->buffer &&
           tac__signal_place(writer, in->signal) == tac__signal_place(twin, other->signal) &&
           in->route->gain == other->route->gain && in->route->offset == other->route->offset &&
           tac__unit_same(&s->kind->dimension, &t->kind->dimension) &&
           tac__unit_same(&c->inputs.items[k].dimension, &d->inputs.items[k].dimension);
}

static bool same_component(const tac__island *a, const tac__island *b, size_t i)
{
    const tac__plan *plan = a->engine->plan;
    const tac__component *c = plan->components[a->plan->components[i]];
    const tac__component *d = plan->components[b->plan->components[i]];
    bool same = c->type == d->type && c->x_offset == d->x_offset && c->x_count == d->x_count &&
                c->event_offset == d->event_offset && c->event_count == d->event_count &&
                c->number_count == d->number_count && c->chained == d->chained &&
                c->inputs.count == d->inputs.count &&
                tac__ports_words(&c->outputs) == tac__ports_words(&d->outputs);
    for (size_t k = 0; same && k < c->inputs.count; k++)
        same = same_input(a, b, c, d, k);
    return same && c->type->alike(c->self, d->self);
}

static bool same_early(const tac__island *a, const tac__island *b)
{
    bool same = a->plan->early_count == b->plan->early_count;
    for (size_t i = 0; same && i < a->plan->early_count; i++) {
        size_t at = 0;
        while (a->plan->components[at] != a->plan->early[i])
            at++;
        same = b->plan->components[at] == b->plan->early[i];
    }
    return same;
}

static bool are_alike(const tac__island *a, const tac__island *b)
{
    bool same = a->plan->count == b->plan->count && a->plan->x_count == b->plan->x_count &&
                a->plan->event_count == b->plan->event_count && !b->plan->gated &&
                same_groups(&a->problem, &b->problem);
    for (size_t i = 0; same && i < a->plan->count; i++)
        same = same_component(a, b, i);
    return same && same_early(a, b);
}

// --- forming groups -----------------------------------------------------------------------------

// Islands that are alike, and what groups of each width share.
typedef struct family {
    tac__island **islands;
    size_t count;
    size_t widths[3], width_count; // that they can be integrated in, the widest first
    tac__lanes *last[3];           // the last group of each
} family;

static tac_status make_work(tac_engine *e, const tac__island *island, size_t width,
                            tac__lanes_work **made)
{
    tac__lanes_work *w = tac__arena_array(&e->scratch, 1, sizeof *w);
    if (!w)
        return TAC_E_MEMORY;
    const size_t n = island->plan->x_count;
    *w = (tac__lanes_work){.engine = e,
                           .method = tac__ode_lanes_find(e->plan->method, width),
                           .packs = tac__packs_of(width),
                           .event_count = island->plan->event_count,
                           .fetches = e->plan->island_count > TAC__FEW_ISLANDS};
    double *memory = tac__ode_array(&e->scratch, tac__ode_lanes_work_doubles(w->method, n));
    w->events = tac__ode_array(&e->scratch, w->event_count * width);
    if (!memory || !w->events)
        return TAC_E_MEMORY;
    tac__ode_lanes_work_init(&w->ode, w->method, n, memory);
    w->problem = (tac__ode_lanes_problem){.n = n,
                                          .context = w,
                                          .rhs = e->plan->def.profile ? evaluate_timed : evaluate,
                                          .groups = island->problem.groups,
                                          .group_count = island->problem.group_count};
    TAC_TRY(tac__evaluator_make(e, &e->scratch, island, tac__packs_kind(width), w->ode.z,
                                &w->evaluator));
    for (size_t i = 0; i < w->evaluator->count; i++)
        w->projects |= w->evaluator->members[i].kernels->project != NULL;
    *made = w;
    return TAC_OK;
}

// Scales of states that differ from lane to lane.
static tac_status make_scales(tac_engine *e, tac__lanes *l, tac__island *const *islands)
{
    const tac__lanes_work *w = l->work;
    const size_t count = w->problem.group_count, width = w->method->lanes;
    double *scales = tac__ode_array(&e->scratch, count * width);
    if (!scales)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < count; i++) {
        for (size_t lane = 0; lane < width; lane++) {
            scales[i * width + lane] = islands[lane]->problem.groups[i].scale;
            if (scales[i * width + lane] != w->problem.groups[i].scale)
                l->ode.scales = scales;
        }
    }
    return TAC_OK;
}

// Find the numbers to prefetch: kernels have room for more than their vehicles have. Of the 535
// numbers of an Iris 347 are zeros that nothing reads. With these a vehicle of 1,000 different ones
// took 1.42 to 1.45 times as long as one of 20, and takes 1.05 to 1.15 times as long on two Xeons
// (bench/swarm_large.c).
static void list_runs(tac__lanes *l)
{
    enum { GAP = 8 }; // fewer zeros than these are prefetched, too
    tac__lanes_work *w = l->work;
    const size_t width = w->method->lanes;
    const double *numbers = l->subject.numbers;
    tac__run *run = w->runs;
    for (size_t i = 0; numbers && i < w->evaluator->number_count; i++) {
        bool zero = true;
        for (size_t lane = 0; lane < width; lane++)
            zero &= numbers[i * width + lane] == 0;
        if (zero)
            continue;
        if (!w->run_count || (i >= run->first + run->count + GAP && w->run_count < TAC__RUNS_MAX)) {
            run = &w->runs[w->run_count++];
            run->first = (uint32_t)i;
        }
        run->count = (uint32_t)i + 1 - run->first;
    }
}

static tac_status make_group(tac_engine *e, family *f, size_t at, size_t choice)
{
    const size_t width = f->widths[choice], left = f->count - at;
    tac__lanes *like = f->last[choice];
    tac__lanes *l = tac__arena_array(&e->scratch, 1, sizeof *l);
    if (!l)
        return TAC_E_MEMORY;
    *l = (tac__lanes){.count = left < width ? left : width,
                      .tried_us = TAC_TIME_NEVER,
                      .arrived_us = TAC_TIME_NEVER,
                      .digested_us = TAC_TIME_NEVER};
    if (like)
        l->work = like->work;
    else
        TAC_TRY(make_work(e, f->islands[at], width, &l->work));
    const size_t n = f->islands[at]->plan->x_count;
    double *memory = tac__ode_array(&e->scratch, tac__ode_lanes_doubles(l->work->method, n));
    if (!memory)
        return TAC_E_MEMORY;
    tac__ode_lanes_init(&l->ode, l->work->method, n, memory);
    tac__island *islands[LANES_MAX];
    for (size_t lane = 0; lane < width; lane++)
        islands[lane] = f->islands[at + (lane < l->count ? lane : 0)];
    if (l->work->method->method->adaptive)
        TAC_TRY(make_scales(e, l, islands));
    TAC_TRY(tac__subject_make(&e->scratch, l->work->evaluator, islands,
                              like ? &like->subject : NULL, &l->subject));
    if (!like)
        list_runs(l);
    tac__subject_modes(l->work->evaluator, &l->subject);
    for (size_t lane = 0; lane < l->count; lane++) {
        islands[lane]->lanes = l;
        islands[lane]->lane = (uint8_t)lane;
    }
    f->last[choice] = l;
    tac__lanes **end = &e->lanes_end;
    if (*end)
        (*end)->next = l;
    else
        e->lanes = l;
    *end = l;
    return TAC_OK;
}

// The narrowest width that takes all that are left, else the widest.
static size_t choose_width(const family *f, size_t left)
{
    size_t choice = 0;
    while (choice + 1 < f->width_count && f->widths[choice + 1] >= left)
        choice++;
    return choice;
}

static tac_status make_groups(tac_engine *e, family *f)
{
    for (size_t at = 0; f->count - at > 1;) {
        const size_t choice = choose_width(f, f->count - at);
        TAC_TRY(make_group(e, f, at, choice));
        at += f->last[choice]->count;
    }
    return TAC_OK;
}

static void find_family(const tac_engine *e, size_t first, bool *taken, family *f)
{
    tac__island **islands = f->islands;
    tac__island *island = &e->islands[first];
    *f = (family){.islands = islands};
    for (size_t width = e->plan->def.lanes; width > 1; width /= 2) {
        if (tac__packs_sound((unsigned)width) && is_packable(e, island, width))
            f->widths[f->width_count++] = width;
    }
    if (!f->width_count)
        return;
    f->islands[f->count++] = island;
    for (size_t i = first + 1; i < e->plan->island_count; i++) {
        if (taken[i] || !are_alike(island, &e->islands[i]))
            continue;
        taken[i] = true;
        f->islands[f->count++] = &e->islands[i];
    }
}

// --- who reads states ---------------------------------------------------------------------------

// Does the component look at its inputs in its steps only? Then states that these inputs read need
// not be in the block before. Not so: parts of the plant, observers, machines of phases, components
// with hooks or conditions, and those that step without an effect while they are inactive.
static bool looks_at_steps(const tac_engine *e, const tac__component *c)
{
    const tac_component_type *t = c->type;
    return e->instances[c->index]->run && c->island < 0 && !c->observer && !c->condition_count &&
           e->plan->entities[c->entity].machine != (int)c->index && !c->active_names &&
           !t->pre_step && !t->post_step && !t->phase_enter && !t->phase_exit;
}

// The island whose state an input reads; NULL: none.
static tac__island *state_island(const tac_engine *e, const tac__input *in)
{
    if (in->signal < 0)
        return NULL;
    const tac__signal *s = &e->plan->schema.signals[in->signal];
    return s->kind->state ? &e->islands[e->plan->components[s->component]->island] : NULL;
}

// Does anything but the method change states of the island? A component with a step sees its own
// states there, and may change them; phases of an entity may reset the states of its components.
static bool may_jump(const tac_engine *e, const tac__island *island)
{
    bool may = false;
    for (size_t i = 0; !may && i < island->plan->count; i++) {
        const tac__component *c = e->plan->components[island->plan->components[i]];
        may = e->instances[c->index]->run || e->plan->entities[c->entity].machine >= 0;
    }
    return may;
}

// List the islands in lanes whose states the component reads: tac__inputs_renew writes these into
// the block before each step.
static tac_status list_reads(tac_engine *e, tac_instance *c)
{
    const tac__island **reads =
        tac__arena_array(&e->scratch, c->plan->inputs.count, sizeof(tac__island *));
    if (!reads)
        return TAC_E_MEMORY;
    c->reads = reads;
    for (size_t k = 0; k < c->plan->inputs.count; k++) {
        const tac__island *island = state_island(e, &c->plan->in[k]);
        bool known = !island || !island->lanes;
        for (size_t i = 0; !known && i < c->read_count; i++)
            known = reads[i] == island;
        if (!known)
            reads[c->read_count++] = island;
    }
    if (c->read_count && !c->team)
        c->has_before = true;
    return TAC_OK;
}

// Find the lanes whose states may wait until they are read (tac__lanes.waits). In replays they do
// not wait: the driver reads states, too.
static tac_status find_readers(tac_engine *e)
{
    const tac__plan *plan = e->plan;
    for (size_t i = 0; i < plan->island_count; i++) {
        const tac__island *island = &e->islands[i];
        if (island->lanes && !plan->driver && !may_jump(e, island))
            island->lanes->waits |= UINT32_C(1) << island->lane;
    }
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        size_t states = 0;
        for (size_t k = 0; k < c->inputs.count; k++) {
            const tac__island *island = state_island(e, &c->in[k]);
            if (!island || !island->lanes || (c->in[k].coupled && !c->in[k].buffer))
                continue; // those of the island itself that need no view
            states++;
            if (!looks_at_steps(e, c) || plan->schema.signals[c->in[k].signal].history)
                island->lanes->waits &= ~(UINT32_C(1) << island->lane);
        }
        if (states && looks_at_steps(e, c))
            TAC_TRY(list_reads(e, e->instances[i]));
    }
    return TAC_OK;
}

// The items of the digests of states in each group.
static void list_followers(tac_engine *e)
{
    for (size_t i = 0; i < e->plan->item_count; i++) {
        const tac__item *item = &e->plan->items[i];
        tac__island *island = item->kind == TAC__ITEM_STATE ? &e->islands[item->index] : NULL;
        tac__lanes *l = island ? island->lanes : NULL;
        if (!l)
            continue;
        l->tapped |= island->plan->taps || e->plan->def.profile;
        if (island->lane > 0)
            tac__followers_add(&e->due, &l->followers, i);
    }
}

tac_status tac__lanes_form(tac_engine *e)
{
    if (e->plan->def.lanes < 2)
        return TAC_OK;
    tac__arena arena;
    tac__arena_init(&arena, e->allocator);
    const size_t count = e->plan->island_count;
    family f = {.islands = tac__arena_array(&arena, count, sizeof(tac__island *))};
    bool *taken = tac__arena_array(&arena, count, sizeof *taken);
    tac_status status = f.islands && taken ? TAC_OK : TAC_E_MEMORY;
    for (size_t i = 0; status == TAC_OK && i < count; i++) {
        if (taken[i])
            continue;
        find_family(e, i, taken, &f);
        status = make_groups(e, &f);
    }
    tac__arena_fini(&arena);
    if (status != TAC_OK)
        return status;
    list_followers(e);
    return find_readers(e);
}
