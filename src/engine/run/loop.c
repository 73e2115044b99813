// loop.c - the run loop.
//
// The boundary contract lives here. At each instant t:
//   islands that have a boundary at t arrive there
//   stages 0 to 9 run: the due items of engine->plan->items, which are sorted by the contract
//   stage 10: those islands begin to integrate from t
// Stage 10 stands at the top of the loop, so that a checkpoint, which is taken after stage 9, is
// simply the state between two passes of the loop.
#include "engine/run/loop.h"
#include "engine/run/checkpoint.h"
#include "engine/run/integrate.h"
#include "engine/run/lanes.h"
#include "engine/run/driven.h"
#include "engine/run/outside.h"
#include "engine/run/profile.h"
#include "engine/tangent/follow.h"
#include "base/floats.h"
#include "engine/phases/phases.h"
#include "engine/run/written.h"
#include "bus/digest.h"

#include <string.h>

// The run ends here: add time and component to the error, which has its text already.
tac_status tac__run_failed(tac_engine *e, tac_status status, tac_time t_us, const char *where)
{
    tac__error_run(e->err, t_us, where);
    e->life = TAC__FAILED;
    return status;
}

// The result of a call into a component. A component that called tac_fail, or asked the engine for
// something impossible, has failed even if it returned TAC_OK, and the error has a text; any other
// failure gets a text here.
__attribute__((cold)) static tac_status outcome(tac_instance *c, tac_status status,
                                                const char *what)
{
    tac_engine *e = c->engine;
    if (c->failed != TAC_OK)
        status = c->failed;
    else if (status == TAC_OK)
        return TAC_OK;
    else
        tac__fail(e->err, status, "its %s failed: %s", what, tac_status_text(status));
    return tac__run_failed(e, status, e->clock->t_us, c->plan->name);
}

// --- the items of a boundary --------------------------------------------------------------------

// Observers read the plant at any instant. If a signal cannot be evaluated for an observer, the
// observer does not step and the run goes on: an observer cannot stop a run.
__attribute__((noinline)) static bool peek_inputs(tac_engine *e, tac_instance *c, tac_time t_us)
{
    for (size_t i = 0; i < c->plan->views.count; i++) {
        if (c->plan->peek_signals[i] < 0)
            continue;
        const tac_status status =
            tac__island_peek(e, c->plan->peek_signals[i], t_us, &c->plan->views.items[i].signal);
        if (status != TAC_OK) {
            tac__log(e, TAC_LOG_WARN, "%s does not step: '%s' cannot be evaluated for it: %s",
                     c->plan->name, e->plan->schema.signals[c->plan->peek_signals[i]].name,
                     tac_status_text(status));
            return false;
        }
    }
    return true;
}

// What only some steps need afterwards: taps, the first write, and jumps. After a jump of its state
// an island's outputs are those of the new state.
__attribute__((noinline)) static tac_status finish_step(tac_engine *e, tac_instance *c,
                                                        tac_time t_us)
{
    tac__taps_show(c->taps, e, t_us);
    if (c->after == TAC__AFTER_TAPS)
        return TAC_OK;
    tac__written_now(c);
    const bool jumped = c->jumped;
    c->may_jump = c->jumped = false;
    return jumped ? tac__island_jumped(e, &e->islands[c->plan->island], t_us) : TAC_OK;
}

void tac__inputs_renew(tac_instance *c, tac_time t_us)
{
    for (size_t i = 0; i < c->read_count; i++)
        tac__lanes_show(c->reads[i]);
    tac__views_renew(&c->plan->views, t_us);
}

// What only some steps need before: an explicit time of a group that also has a period, and inputs
// that are seen through views. False: the component does not step.
__attribute__((noinline)) static bool begin_step(tac_engine *e, tac_instance *c, tac_time t_us)
{
    if (c->plan->extra_source >= 0 && e->timeline.last[c->plan->extra_source] == t_us)
        c->step.due |= TAC_DUE_AXIS;
    if (c->plan->observer && !peek_inputs(e, c, t_us))
        return false;
    tac__inputs_renew(c, t_us);
    c->may_jump = c->plan->stage == TAC_STAGE_ACTUATE;
    return true;
}

static inline __attribute__((always_inline)) tac_status run_step(tac_engine *e, tac_instance *c,
                                                                 tac_time t_us)
{
    const bool axis = c->axis_source >= 0 && e->timeline.last[c->axis_source] == t_us;
    c->step.t_us = t_us;
    c->step.due = c->pending | (axis ? TAC_DUE_AXIS : 0);
    c->pending = 0;
    if (c->has_before && !begin_step(e, c, t_us))
        return TAC_OK;
    c->failed = TAC_OK;
    const tac_status status = c->run(&c->step, c->run_self);
    if ((int)status | (int)c->failed)
        return outcome(c, status, "step");
    e->clock->steps++;
    if (c->has_writes)
        tac__writes_done(&c->writes, t_us);
    return c->after ? finish_step(e, c, t_us) : TAC_OK;
}

// A step before that of the rate group: the component measures, but writes nothing.
__attribute__((noinline)) static tac_status run_lead(tac_engine *e, tac_instance *c, tac_time t_us)
{
    c->step.t_us = t_us;
    c->step.due = TAC_DUE_LEAD;
    if (!c->active || (c->has_before && !begin_step(e, c, t_us)))
        return TAC_OK;
    c->failed = TAC_OK;
    const tac_status status = c->run(&c->step, c->run_self);
    if ((int)status | (int)c->failed)
        return outcome(c, status, "step");
    e->clock->steps++;
    return TAC_OK;
}

// Renew the inputs that a hook sees.
static bool look_for_hook(tac_engine *e, tac_instance *c)
{
    if (c->plan->observer && !peek_inputs(e, c, e->clock->t_us))
        return false;
    tac__views_renew(&c->plan->views, e->clock->t_us);
    c->hook.t_us = e->clock->t_us;
    c->failed = TAC_OK;
    return true;
}

static tac_status run_hook(tac_engine *e, tac_instance *c,
                           tac_status (*hook)(tac_step *, const void *), const char *what)
{
    if (!look_for_hook(e, c))
        return TAC_OK;
    const tac_status status = hook(&c->hook, c->plan->self);
    if (e->tangents)
        tac__tangents_changed(e, c, e->clock->t_us);
    return outcome(c, status, what);
}

tac_status tac__run_phase_hook(tac_engine *e, tac_instance *c, bool enter, int32_t from, int32_t to)
{
    if (!look_for_hook(e, c))
        return TAC_OK;
    const tac_status status = enter ? c->plan->type->phase_enter(&c->hook, c->plan->self, from, to)
                                    : c->plan->type->phase_exit(&c->hook, c->plan->self, from, to);
    if (e->tangents)
        tac__tangents_changed(e, c, e->clock->t_us);
    return outcome(c, status, enter ? "phase_enter hook" : "phase_exit hook");
}

static void show_delivered(tac_engine *e, uint32_t receiver, uint32_t n)
{
    const tac__queue *q = &e->plan->receivers[receiver].queue;
    for (uint32_t i = q->state->waiting - n; i < q->state->waiting; i++) {
        const tac_message m = tac__queue_look(q, i);
        for (const tac__listener *l = e->listeners; l; l = l->next)
            l->show(l->context, e, receiver, &m);
    }
}

// Counts the last `n` messages that were delivered, each for its link.
static void count_delivered(const tac__receiver *r, uint32_t n)
{
    const tac__queue *q = &r->queue;
    for (uint32_t i = q->state->waiting - n; i < q->state->waiting; i++) {
        const tac__drawn *drawn = r->drawn[tac__queue_look(q, i).sender];
        if (drawn)
            drawn->counters->delivered++;
    }
}

static tac_status deliver(tac_engine *e, uint32_t receiver)
{
    tac__receiver *r = &e->plan->receivers[receiver];
    const uint32_t n = tac__queue_deliver(&r->queue, e->clock->t_us, r->digest);
    if (n == 0)
        return TAC_OK;
    e->clock->messages += n;
    if (r->def.triggers)
        tac__trigger(e->instances[r->component], TAC_DUE_MESSAGE);
    tac__timeline_set(&e->timeline, r->source, tac__queue_next(&r->queue));
    if (r->drawn && !e->plan->driver)
        count_delivered(r, n);
    if (e->listeners)
        show_delivered(e, receiver, n);
    return e->plan->driver ? tac__drive_delivered(e, receiver, e->clock->t_us) : TAC_OK;
}

static tac_status begin_entity(tac_engine *e, const tac__entity *entity)
{
    for (size_t i = 0; i < entity->receiver_count; i++)
        TAC_TRY(deliver(e, entity->receivers[i]));
    for (size_t i = 0; i < entity->pre_count; i++) {
        tac_instance *c = e->instances[entity->pre[i]];
        if (c->active)
            TAC_TRY(run_hook(e, c, c->plan->type->pre_step, "pre-step hook"));
    }
    return TAC_OK;
}

static tac_status end_entity(tac_engine *e, const tac__entity *entity)
{
    for (size_t i = 0; i < entity->post_count; i++) {
        tac_instance *c = e->instances[entity->post[i]];
        if (c->active)
            TAC_TRY(run_hook(e, c, c->plan->type->post_step, "post-step hook"));
    }
    return TAC_OK;
}

static inline void digest_state(tac_engine *e, const tac__island *island, tac_time t_us)
{
    if (!island->lanes || !tac__lanes_digest(island, t_us))
        island->state->digest =
            tac__digest_doubles(island->state->digest, t_us, island->x, island->plan->x_count);
    if (!island->plan->taps)
        return;
    tac__lanes_show(island);
    tac__taps_show(island->plan->taps, e, t_us);
}

// Does nobody read outputs of the island at this instant? Observers on an axis may read any island.
static bool preview_sleeps(const tac_engine *e, const tac__island *island, tac_time t_us)
{
    const bool *asleep = island->plan->shown_asleep;
    if (!asleep || !*asleep || t_us == 0 || t_us == e->plan->def.end_us)
        return false;
    bool read = false;
    for (size_t i = 0; i < e->plan->observer_source_count; i++)
        read |= e->timeline.last[e->plan->observer_sources[i]] == t_us;
    return !read;
}

static inline __attribute__((always_inline)) tac_status run_item(tac_engine *e,
                                                                 const tac__item *item,
                                                                 tac_time t_us)
{
    // By far the most frequent kinds.
    if (item->kind == TAC__ITEM_STEP)
        return run_step(e, e->instances[item->index], t_us);
    if (item->kind == TAC__ITEM_STATE) {
        digest_state(e, &e->islands[item->index], t_us);
        return TAC_OK;
    }
    switch ((tac__item_kind)item->kind) {
    case TAC__ITEM_STEP:
    case TAC__ITEM_STATE:
        break;
    case TAC__ITEM_LEAD:
        return run_lead(e, e->instances[item->index], t_us);
    case TAC__ITEM_OUTPUTS:
        return tac__island_outputs(e, &e->islands[item->index], t_us);
    case TAC__ITEM_PREVIEW:
        if (!preview_sleeps(e, &e->islands[item->index], t_us))
            tac__island_preview(&e->islands[item->index], t_us);
        return TAC_OK;
    case TAC__ITEM_SHADOW:
        tac__activity_shadow(e, e->instances[item->index], t_us);
        return TAC_OK;
    case TAC__ITEM_PHASES:
        return tac__phases_decide(e, e->instances[item->index], t_us);
    case TAC__ITEM_BEGIN:
        return begin_entity(e, &e->plan->entities[item->index]);
    case TAC__ITEM_END:
        return end_entity(e, &e->plan->entities[item->index]);
    case TAC__ITEM_OBSERVE: {
        const tac_observer_def *o = &e->plan->observers[item->index].def;
        const bool *asleep = e->plan->observers[item->index].asleep;
        if (asleep && *asleep)
            return TAC_OK;
        tac__lanes_show_all(e);
        o->observe(o->context, e, t_us);
        (void)tac__floats_kept();
        return TAC_OK;
    }
    }
    return TAC_OK;
}

// The same, measured. An observer may have islands evaluated for it: that is its time, not theirs.
__attribute__((noinline)) static tac_status run_item_timed(tac_engine *e, const tac__item *item,
                                                           tac_time t_us)
{
    tac__profile *p = e->profile;
    const uint64_t begun = tac__profile_now(p);
    p->observing = item->kind == TAC__ITEM_OBSERVE;
    const tac_status status = item->kind == TAC__ITEM_OUTPUTS
                                  ? tac__island_outputs_timed(e, &e->islands[item->index], t_us)
                                  : run_item(e, item, t_us);
    p->observing = false;
    tac__profile_add(p, &p->stages[item->stage], begun);
    if (item->kind == TAC__ITEM_SHADOW) // a step whose results are dropped
        tac__profile_add(p, &p->components[item->index].inactive, begun);
    return status;
}

// --- one instant --------------------------------------------------------------------------------

// What is due at an instant.
typedef struct instant {
    bool boundary;                    // of any component, entity or island
    const tac__due_word *first, *end; // the due items; NULL: they are marked in tac__due
} instant;

// A source other than an axis is due. False: there is no boundary.
static bool take_other(tac_engine *e, size_t source, const tac__source *s, tac_time t_us)
{
    if (s->kind == TAC__SOURCE_STEP) { // no boundary: an island goes on integrating
        tac__due_add(e->due_islands, e->due.island_words, s->index);
        return false;
    }
    if (s->kind == TAC__SOURCE_TIMER)
        tac__trigger(e->instances[s->index], TAC_DUE_TIMER);
    else if (s->kind == TAC__SOURCE_CONDITION)
        tac__trigger(e->instances[s->index], TAC_DUE_CONDITION);
    if (e->plan->driver)
        tac__drive_next(e, (int)source, t_us);
    return true;
}

static void mark_items(tac__due *d, const tac__due_row *row)
{
    for (uint32_t k = row->first; k < row->islands; k++) {
        const uint32_t word = d->rows[k].word;
        d->items[word] |= d->rows[k].bits;
        d->item_words[word / 64] |= UINT64_C(1) << word % 64;
    }
}

static void mark_islands(const tac__plan *p, const tac__due *d, const tac__due_row *row)
{
    for (uint32_t k = row->islands; k < row->end; k++) {
        const size_t word = d->rows[k].word - p->item_words;
        d->arriving[word] |= d->rows[k].bits;
        d->arriving_words[word / 64] |= UINT64_C(1) << word % 64;
    }
}

// Take all sources that are due at t, of which the first was taken already, and mark what is due
// with them.
__attribute__((noinline)) static instant collect_all(tac_engine *e, tac_time t_us, size_t source,
                                                     tac_time next_us)
{
    const tac__plan *p = e->plan;
    instant now = {false, NULL, NULL};
    for (;; source = tac__timeline_take(&e->timeline, &next_us)) {
        const tac__source *s = &e->timeline.sources[source];
        if (s->kind == TAC__SOURCE_AXIS || take_other(e, source, s, t_us)) {
            now.boundary |= !s->observer;
            mark_items(&e->due, &p->due_rows[source]);
            mark_islands(p, &e->due, &p->due_rows[source]);
        }
        if (next_us != t_us)
            return now;
    }
}

// The same where all items fit into one word, all islands into another, and there are no phases,
// which would read what is marked: one vehicle. Marking and listing words took 57 instructions more
// at each instant, of 19,200 of a millisecond of bench/iris_mission.yaml (callgrind).
static inline __attribute__((always_inline)) instant collect_few(tac_engine *e, tac_time t_us,
                                                                 size_t source, tac_time next_us)
{
    const tac__plan *p = e->plan;
    tac__due *d = &e->due;
    uint64_t items = 0, islands = 0;
    bool boundary = false;
    for (;; source = tac__timeline_take(&e->timeline, &next_us)) {
        const tac__source *s = &e->timeline.sources[source];
        if (s->kind == TAC__SOURCE_AXIS || take_other(e, source, s, t_us)) {
            const tac__due_row *row = &p->due_rows[source];
            boundary |= !s->observer;
            if (row->first < row->islands)
                items |= p->due[row->first].bits;
            if (row->islands < row->end)
                islands |= p->due[row->islands].bits;
        }
        if (next_us != t_us)
            break;
    }
    d->arriving[0] = islands;
    d->list[0] = (tac__due_word){.bits = items};
    return (instant){boundary, d->list, d->list + 1};
}

// What is due at t, the next instant. Often that is one axis: its items are run from its row, which
// takes 40 instructions less than to mark them (of 240 of a boundary, bench count_engine). With
// phases items are always marked: a change of phase adds and removes marks.
static inline __attribute__((always_inline)) instant collect(tac_engine *e, tac_time t_us)
{
    const tac__plan *p = e->plan;
    tac_time next_us;
    const size_t source = tac__timeline_take(&e->timeline, &next_us);
    const tac__source *s = &e->timeline.sources[source];
    if (next_us == t_us || p->machine_count || s->kind != TAC__SOURCE_AXIS)
        return p->few ? collect_few(e, t_us, source, next_us)
                      : collect_all(e, t_us, source, next_us);
    const tac__due_row *row = &p->due_rows[source];
    if (row->islands < row->end) {
        if (p->few)
            e->due.arriving[0] = p->due[row->islands].bits;
        else
            mark_islands(p, &e->due, row);
    }
    return (instant){!s->observer, p->due + row->first, p->due + row->islands};
}

// With many vehicles the data of an item have left the cache since the last boundary. They are
// prefetched while the three items before it run: what the item is, what that points to, and what
// its inputs are.
static inline __attribute__((always_inline)) void fetch_first(const tac_engine *e,
                                                              const tac__item *item)
{
    if (item->kind == TAC__ITEM_STEP) {
        tac__fetch(e->instances[item->index], 4);
    } else if (item->kind == TAC__ITEM_STATE || item->kind == TAC__ITEM_OUTPUTS) {
        tac__fetch(&e->islands[item->index], 2);
    }
}

static inline __attribute__((always_inline)) void fetch_second(const tac_engine *e,
                                                               const tac__item *item)
{
    if (item->kind == TAC__ITEM_STEP) {
        const tac_instance *c = e->instances[item->index];
        for (int i = 0; i < c->part_lines; i++)
            __builtin_prefetch(c->part + 64 * i);
        tac__fetch(c->step.in, 2);
        tac__fetch(c->step.out, 1);
        tac__fetch(c->step.state, 1);
        tac__fetch(c->writes.items, 3);
        tac__fetch(c->streams, 1);
        tac__fetch(c->ready, 4);
    } else if (item->kind == TAC__ITEM_STATE) {
        tac__fetch(e->islands[item->index].state, 5); // and x, behind it
    }
}

static inline __attribute__((always_inline)) void fetch_third(const tac_engine *e,
                                                              const tac__item *item)
{
    if (item->kind != TAC__ITEM_STEP)
        return;
    const tac_instance *c = e->instances[item->index];
    for (int i = 0; i < c->in_count; i++)
        __builtin_prefetch(c->step.in[i]);
}

// List the words of items that were marked, and clear the marks; returns the number of words.
__attribute__((noinline)) static size_t list_marked(const tac_engine *e)
{
    const tac__due *d = &e->due;
    const size_t count = (e->plan->item_words + 63) / 64;
    size_t listed = 0;
    for (size_t s = 0; s < count; s++) {
        uint64_t words = d->item_words[s];
        d->item_words[s] = 0;
        for (; words; words &= words - 1) {
            const size_t w = 64 * s + (size_t)__builtin_ctzll(words);
            d->list[listed++] = (tac__due_word){.word = (uint32_t)w, .bits = d->items[w]};
            d->items[w] = 0;
        }
    }
    return listed;
}

// The items of an instant one after another, without those that are done. NULL: there are no more.
typedef struct walk {
    const tac__item *items;
    const uint64_t *done;
    const tac__due_word *at, *end;
    uint64_t bits;
    size_t word; // of `bits`
} walk;

static inline __attribute__((always_inline)) const tac__item *next_item(walk *w)
{
    while (!(w->bits &= ~w->done[w->word])) {
        if (w->at == w->end)
            return NULL;
        w->word = w->at->word;
        w->bits = w->at++->bits;
    }
    const tac__item *item = w->items + 64 * w->word + __builtin_ctzll(w->bits);
    w->bits &= w->bits - 1;
    return item;
}

static inline bool is_in(const tac_engine *e, const uint64_t *items, const tac__item *item)
{
    return tac__has_bit(items, (size_t)(item - e->plan->items));
}

static inline bool is_fetched(const tac_engine *e, const tac__item *item)
{
    return item && !is_in(e, e->due.followers, item);
}

static inline void forget_done(const tac_engine *e, const tac__due_word *at,
                               const tac__due_word *end)
{
    for (; at < end; at++)
        e->due.done[at->word] = 0;
}

// Runs the items of so many vehicles that their data do not stay in the cache. For fewer it gains
// nothing: bench mission has a swarm of 20.
enum { FEW_WORDS = 4 };

__attribute__((noinline)) static tac_status run_many(tac_engine *e, const tac__due_word *at,
                                                     const tac__due_word *end, tac_time t_us)
{
    walk w = {.items = e->plan->items, .done = e->due.done, .at = at, .end = end};
    const tac__item *items[4]; // the present one, and those that follow
    for (int i = 0; i < 4; i++)
        items[i] = i == 0 || items[i - 1] ? next_item(&w) : NULL;
    while (items[0]) {
        if (is_fetched(e, items[3]))
            fetch_first(e, items[3]);
        if (is_fetched(e, items[2]))
            fetch_second(e, items[2]);
        if (is_fetched(e, items[1]))
            fetch_third(e, items[1]);
        if (!is_in(e, e->due.done, items[0])) // since it was found
            TAC_TRY(run_item(e, items[0], t_us));
        for (int i = 0; i < 3; i++)
            items[i] = items[i + 1];
        items[3] = items[3] ? next_item(&w) : NULL;
    }
    forget_done(e, at, end);
    return TAC_OK;
}

// Runs the items of some vehicles. Components in lanes may do each other's work.
__attribute__((noinline)) static tac_status run_some(tac_engine *e, const tac__due_word *at,
                                                     const tac__due_word *end, tac_time t_us)
{
    const uint64_t *done = e->due.done;
    for (const tac__due_word *w = at; w < end; w++) {
        const tac__item *all = e->plan->items + 64 * (size_t)w->word;
        for (uint64_t bits = w->bits; (bits &= ~done[w->word]); bits &= bits - 1)
            TAC_TRY(run_item(e, all + __builtin_ctzll(bits), t_us));
    }
    forget_done(e, at, end);
    return TAC_OK;
}

static tac_status run_all_timed(tac_engine *e, const tac__due_word *at, const tac__due_word *end,
                                tac_time t_us)
{
    walk w = {.items = e->plan->items, .done = e->due.done, .at = at, .end = end};
    for (const tac__item *item; (item = next_item(&w));)
        TAC_TRY(run_item_timed(e, item, t_us));
    return TAC_OK;
}

static tac_status arrive_timed(tac_engine *e, tac_time t_us)
{
    const uint64_t begun = tac__profile_now(e->profile);
    const tac_status status = tac__islands_arrive(e, t_us);
    e->profile->stages[TAC_STAGE_INTEGRATE].ticks += tac__profile_now(e->profile) - begun;
    return status;
}

static void integrate_timed(tac_engine *e)
{
    const uint64_t begun = tac__profile_now(e->profile);
    tac__islands_integrate(e);
    tac__profile_add(e->profile, &e->profile->stages[TAC_STAGE_INTEGRATE], begun);
}

// `timed` is a constant wherever it is passed: there is one copy of the loop for each.
static inline __attribute__((always_inline)) tac_status run_instant(tac_engine *e, tac_time t_us,
                                                                    bool timed)
{
    const tac__plan *p = e->plan;
    if (timed)
        tac__profile_instant(e, t_us);
    const instant now = collect(e, t_us);
    // The clock moves only after every island has arrived: if a step failed, the run stays where it
    // is.
    if (p->island_count)
        TAC_TRY(timed ? arrive_timed(e, t_us) : tac__islands_arrive(e, t_us));
    e->clock->t_us = t_us;
    if (p->machine_count)
        TAC_TRY(tac__phases_begin(e, t_us));
    e->clock->boundaries += now.boundary;
    if (!timed && e->single) {
        for (uint64_t bits = now.first < now.end ? now.first->bits : 0; bits; bits &= bits - 1)
            TAC_TRY(run_item(e, p->items + __builtin_ctzll(bits), t_us));
        return TAC_OK;
    }
    const tac__due_word *at = now.first ? now.first : e->due.list;
    const tac__due_word *end = now.first ? now.end : at + list_marked(e);
    if (timed)
        return run_all_timed(e, at, end, t_us);
    if (p->item_words > FEW_WORDS)
        return run_many(e, at, end, t_us);
    return run_some(e, at, end, t_us);
}

// Before anything is written, views show the values of the start. Events of the plant read them:
// they are evaluated before stage 0.
__attribute__((noinline)) static void see_start(const tac_engine *e)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__views *views = &e->plan->components[i]->views;
        for (size_t k = 0; k < views->count; k++)
            tac__view_update(&views->items[k], 0);
    }
}

static inline __attribute__((always_inline)) tac_status run_loop(tac_engine *e, tac_time until_us,
                                                                 bool timed)
{
    const tac_time end_us = e->plan->def.end_us;
    const bool plant = e->plan->island_count;
    if (!e->clock->started)
        see_start(e);
    e->clock->started = 1;
    for (bool finished = e->clock->finished; !finished;) {
        if (plant && timed)
            integrate_timed(e);
        else if (plant)
            tac__islands_integrate(e);
        const tac_time t_us = tac__timeline_next(&e->timeline);
        // Until the run has come to the checkpoint, messages and values from outside may add
        // instants before it.
        if (t_us > e->checkpoint_us && until_us >= e->checkpoint_us)
            TAC_TRY(tac__checkpoint_finish(e));
        if (t_us > until_us)
            return TAC_OK;
        if (atomic_load_explicit(&e->stop, memory_order_relaxed))
            return TAC_E_STOPPED;
        TAC_TRY(run_instant(e, t_us, timed));
        if (e->checkpoint_path)
            TAC_TRY(tac__checkpoint_consider(e));
        if (t_us >= e->snapshot_us)
            tac__snapshot_due(e, t_us);
        finished = t_us == end_us;
    }
    e->clock->finished = 1;
    return e->checkpoint_path ? tac__checkpoint_finish(e) : TAC_OK;
}

__attribute__((noinline)) static tac_status run(tac_engine *e, tac_time until_us)
{
    return run_loop(e, until_us, false);
}

__attribute__((noinline)) static tac_status run_timed(tac_engine *e, tac_time until_us)
{
    tac__profile *p = e->profile;
    p->last_us = e->clock->t_us; // after a restored checkpoint: not since the last run
    const double begun_s = tac__wall_s();
    const uint64_t begun = tac__profile_now(p);
    const tac_status status = run_loop(e, until_us, true);
    p->ticks += tac__profile_now(p) - begun;
    p->wall_s += tac__wall_s() - begun_s;
    return status;
}

// --- public functions ---------------------------------------------------------------------------

tac_status tac_engine_run(tac_engine *e, tac_time until_us, tac_error *err)
{
    TAC__FLOATS;
    TAC_TRY(tac__outside_ready(e, err));
    e->life = TAC__RUNNING;
    e->err = err;
    tac_error_clear(err);
    const tac_status status = e->profile ? run_timed(e, until_us) : run(e, until_us);
    tac__lanes_show_all(e);
    e->life = TAC__PREPARED;
    if (status == TAC_OK)
        tac__outside_reached(e, until_us);
    if (status == TAC_E_STOPPED) {
        atomic_store(&e->stop, false);
        tac__fail(e->err, status, "stopped on request");
        tac__error_run(e->err, e->clock->t_us, NULL);
    } else if (status != TAC_OK) {
        e->life = TAC__FAILED;
    }
    e->err = NULL;
    return status;
}

void tac_engine_stop(tac_engine *e)
{
    if (e)
        atomic_store(&e->stop, true);
}

// --- start --------------------------------------------------------------------------------------

static void rest_port(const tac__port *port, void *value)
{
    tac__type_rest(&port->type, value);
    if (port->has_rest)
        *(double *)value = port->rest;
}

static void rest_values(tac_engine *e)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        tac_instance *c = e->instances[i];
        for (size_t k = 0; k < c->plan->inputs.count; k++) {
            if (c->plan->in[k].buffer)
                rest_port(&c->plan->inputs.items[k], c->plan->in[k].buffer);
        }
        for (size_t k = 0; k < c->plan->outputs.count; k++)
            rest_port(&c->plan->outputs.items[k], c->step.out[k]);
        for (size_t k = 0; k < c->plan->continuous.count; k++)
            rest_port(
                &c->plan->continuous.items[k],
                tac__block_at(
                    &e->plan->block,
                    e->plan->schema.signals[tac__signal_at(c->plan, c->plan->outputs.count + k)]
                        .offset));
        for (size_t k = 0; k < c->plan->states.count; k++)
            tac__type_rest(&c->plan->states.items[k].type, c->step.state[k]);
    }
}

uint64_t tac__start_digest(const tac__signal *s, const void *value)
{
    const uint64_t named = tac__hash_text(TAC__HASH_SEED, s->name);
    return s->kind->type.scalar == TAC_F64
               ? tac__digest_wide(named, TAC_TIME_NEVER, value, s->kind->words)
               : tac__digest_words(named, TAC_TIME_NEVER, value, s->kind->words);
}

static void start_digests(tac_engine *e)
{
    for (size_t i = 0; i < e->plan->schema.count; i++) {
        const tac__signal *s = &e->plan->schema.signals[i];
        const void *value = tac__block_at(&e->plan->block, s->offset);
        if (s->history)
            tac__history_start(s->history, value);
        if (s->digest)
            *s->digest = tac__start_digest(s, value);
    }
    for (size_t i = 0; i < e->plan->island_count; i++)
        e->islands[i].state->digest = tac__hash_text(TAC__HASH_SEED, e->plan->islands[i].name);
    for (size_t i = 0; i < e->plan->receiver_count; i++)
        *e->plan->receivers[i].digest = tac__hash_text(TAC__HASH_SEED, e->plan->receivers[i].name);
    for (size_t i = 0; i < e->plan->sender_count; i++) {
        if (e->plan->senders[i].digest)
            *e->plan->senders[i].digest = tac__hash_text(TAC__HASH_SEED, e->plan->senders[i].name);
    }
}

// The first step that adaptive methods try.
enum { FIRST_STEP_US = 1000 };

static void set_initials(tac_engine *e)
{
    for (size_t i = 0; i < e->plan->initial_count; i++) {
        const tac__initial *in = &e->plan->initials[i];
        const tac__signal *s = &e->plan->schema.signals[in->signal];
        memcpy(tac__block_at(&e->plan->block, s->offset), in->values,
               s->kind->type.count * sizeof *in->values);
    }
}

// Set the state before boundary 0.
tac_status tac__start(tac_engine *e)
{
    memset(e->plan->block.bytes, 0, e->plan->block.size);
    tac__timeline_start(&e->timeline);
    for (size_t i = 0; i < e->plan->receiver_count; i++)
        tac__queue_start(&e->plan->receivers[i].queue);
    for (size_t i = 0; i < e->plan->island_count; i++) {
        tac__island_state *s = e->islands[i].state;
        s->at_us = s->outputs_us = s->event_us = TAC_TIME_NEVER;
        s->h_us = s->h_next_us = e->plan->def.integrator.h_max_us < FIRST_STEP_US
                                     ? e->plan->def.integrator.h_max_us
                                     : FIRST_STEP_US;
    }
    rest_values(e);
    for (size_t i = 0; i < e->plan->component_count; i++) {
        tac_instance *c = e->instances[i];
        if (!c->plan->type->init ||
            (tac__is_played(e->plan, c->plan->type) && !tac__is_machine(c->plan)))
            continue;
        c->step.t_us = 0; // left from an earlier run
        c->step.due = 0;
        c->may_jump = true;
        c->failed = TAC_OK;
        const tac_status status = c->plan->type->init(&c->step, c->plan->self);
        c->may_jump = c->jumped = false;
        TAC_TRY(outcome(c, status, "init"));
    }
    set_initials(e);
    tac__written_restart(e);
    tac__activity_start(e);
    start_digests(e);
    return TAC_OK;
}
