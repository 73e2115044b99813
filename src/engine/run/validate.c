// validate.c - the checks of the parts of a block; see validate.h.
//
// The rules are those that hold between two instants of any run, after stage 9: nothing is planned
// for the past, an island either stands at the present or has a step under way that ends in the
// future, every slot of a queue is in exactly one place.
#include "engine/run/locate.h"
#include "engine/run/validate.h"
#include "base/print.h"
#include "bus/type.h"
#include "engine/phases/phases.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

TAC_PRINTF(3, 4)
static tac_status damaged(tac_error *err, const char *part, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    tac__vprint(text, sizeof text, format, args);
    va_end(args);
    return tac__fail(err, TAC_E_FORMAT, "the stored state is damaged: '%s' %s", part, text);
}

// The name of a part; valid in the enclosing block of code.
#define NAME_OF(part) tac__part_name((part), (char[TAC__PART_NAME]){0})

static bool lies_ahead(const tac_engine *e, tac_time t_us)
{
    return t_us <= TAC_TIME_MAX && (e->clock->started ? t_us > e->clock->t_us : true);
}

static bool has_been(const tac_engine *e, tac_time t_us)
{
    return t_us <= e->clock->t_us;
}

tac_status tac__check_any(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    (void)e, (void)part, (void)exact, (void)err;
    return TAC_OK;
}

tac_status tac__check_elsewhere(const tac_engine *e, const tac__part *part, bool exact,
                                tac_error *err)
{
    (void)e, (void)part, (void)exact, (void)err;
    return TAC_OK;
}

// --- the clock and islands ----------------------------------------------------------------------

tac_status tac__check_clock(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    (void)exact;
    const tac__clock *c = e->clock;
    if (c->started > 1)
        return damaged(err, NAME_OF(part), "does not say whether the run has started");
    if (c->finished)
        return damaged(err, NAME_OF(part), "says that the run is over");
    if (c->t_us > TAC_TIME_MAX || (!c->started && c->t_us))
        return damaged(err, NAME_OF(part), "has the time %" PRIu64 " us", c->t_us);
    return TAC_OK;
}

tac_status tac__check_due(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    (void)exact;
    for (size_t i = 0; i < e->plan->island_words * 64; i++) {
        if (!tac__has_bit(e->due_islands, i))
            continue;
        if (i >= e->plan->island_count)
            return damaged(err, NAME_OF(part), "has island %zu of %zu", i, e->plan->island_count);
        if (!e->clock->started)
            return damaged(err, NAME_OF(part), "has island %zu before the start", i);
    }
    return TAC_OK;
}

static const tac__island *island_of(const tac_engine *e, const tac__part *part)
{
    const tac__island_plan *plan = part->subject;
    return &e->islands[plan - e->plan->islands];
}

static const char *wrong_time(const tac_engine *e, const tac__island *island, bool exact)
{
    const tac__island_state *s = island->state;
    const tac_time t_us = e->clock->t_us;
    const bool due = tac__has_bit(e->due_islands, (size_t)(island - e->islands));
    const bool stands = due || !e->clock->started;
    if (s->from_us > t_us || (stands && s->from_us != t_us))
        return "from_us";
    if (stands ? s->to_us != t_us : s->to_us <= t_us || s->to_us > TAC_TIME_MAX)
        return "to_us";
    if (s->at_us != TAC_TIME_NEVER && s->at_us > s->from_us)
        return "at_us";
    if (s->outputs_us != TAC_TIME_NEVER && s->outputs_us > t_us)
        return "outputs_us";
    if (s->event_us != TAC_TIME_NEVER && (s->event_us != s->to_us || !island->plan->event_count))
        return "event_us";
    if (s->changed_us > t_us)
        return "changed_us";
    const tac_time longest_us =
        exact && e->plan->method->adaptive ? e->plan->def.integrator.h_max_us : TAC_TIME_MAX;
    if (s->h_us == 0 || s->h_us > longest_us)
        return "h_us";
    if (s->h_next_us == 0 || s->h_next_us > longest_us)
        return "h_next_us";
    return NULL;
}

tac_status tac__check_island(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    const tac__island *island = island_of(e, part);
    const char *wrong = wrong_time(e, island, exact);
    if (wrong)
        return damaged(err, NAME_OF(part), "has a time that cannot be: %s", wrong);
    if (island->state->chatter > TAC__CHATTER_MAX)
        return damaged(err, NAME_OF(part), "has changed its modes %" PRIu64 " times in a row",
                       island->state->chatter);
    return TAC_OK;
}

static bool are_modes(const double *modes, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good &= modes[i] == 0 || modes[i] == 1;
    return good;
}

tac_status tac__check_modes(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    (void)exact;
    const tac__island *island = island_of(e, part);
    if (!are_modes(island->mode, island->plan->event_count))
        return damaged(err, NAME_OF(part), "has a mode that is neither 0 nor 1");
    return TAC_OK;
}

// Next modes are used only where the step ends with a change; then at least one must differ.
tac_status tac__check_next_modes(const tac_engine *e, const tac__part *part, bool exact,
                                 tac_error *err)
{
    (void)exact;
    const tac__island *island = island_of(e, part);
    if (island->state->event_us == TAC_TIME_NEVER || has_been(e, island->state->event_us))
        return TAC_OK;
    if (!are_modes(island->next_mode, island->plan->event_count))
        return damaged(err, NAME_OF(part), "has a mode that is neither 0 nor 1");
    if (!tac__modes_differ(island, island->next_mode))
        return damaged(err, NAME_OF(part), "has no change of a mode where the step ends with one");
    return TAC_OK;
}

// --- values -------------------------------------------------------------------------------------

static tac_status check_type(const tac_type *type, const void *value, const tac__part *part,
                             tac_error *err)
{
    const size_t labels = tac__type_labels(type);
    for (uint32_t i = 0; i < type->count; i++) {
        const unsigned char *byte = (const unsigned char *)value + i;
        if (type->scalar == TAC_BOOL && *byte > 1)
            return damaged(err, NAME_OF(part), "has the value %u for a bool", *byte);
        if (type->scalar != TAC_ENUM)
            continue;
        const int32_t label = ((const int32_t *)value)[i];
        if (label < 0 || (size_t)label >= labels)
            return damaged(err, NAME_OF(part), "has the value %d, one of %zu labels", label,
                           labels);
    }
    return TAC_OK;
}

static const tac__signal *signal_of(const tac_engine *e, const tac__part *part)
{
    return &e->plan->schema.signals[tac__signal_at(part->subject, part->kind->number)];
}

tac_status tac__check_value(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    (void)exact;
    return check_type(part->subject, tac__block_at(&e->plan->block, part->offset), part, err);
}

// Is this an output of a machine that holds the number of a transition (0: none)?
static bool names_transition(const tac_engine *e, const tac__signal *s)
{
    const tac__component *m = e->plan->components[s->component];
    if (!tac__is_machine(m))
        return false;
    const tac__phases *p = tac__phases_of(m);
    const int place = (int)tac__signal_place(m, (int)(s - e->plan->schema.signals));
    return place == p->transition || place == p->queued;
}

static bool counts_changes(const tac_engine *e, const tac__signal *s)
{
    const tac__component *m = e->plan->components[s->component];
    return tac__is_machine(m) && tac__signal_at(m, (size_t)tac__phases_of(m)->changes) ==
                                     (int)(s - e->plan->schema.signals);
}

tac_status tac__check_signal(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    (void)exact;
    const tac__signal *s = signal_of(e, part);
    const void *value = tac__block_at(&e->plan->block, part->offset);
    TAC_TRY(check_type(&s->kind->type, value, part, err));
    if (counts_changes(e, s) && *(const uint64_t *)value >> 62)
        return damaged(err, NAME_OF(part), "counts %" PRId64 " changes", *(const int64_t *)value);
    if (!names_transition(e, s))
        return TAC_OK;
    const size_t count = tac__phases_of(e->plan->components[s->component])->transition_count;
    const int64_t number = *(const int64_t *)value;
    if (number < 0 || (uint64_t)number > count)
        return damaged(err, NAME_OF(part), "names transition %" PRId64 " of %zu", number, count);
    return TAC_OK;
}

// --- histories ----------------------------------------------------------------------------------

tac_status tac__check_writes(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    (void)exact;
    const tac__history *h = signal_of(e, part)->history;
    if (*h->writes >> 62)
        return damaged(err, NAME_OF(part), "counts %" PRIu64 " writes", *h->writes);
    return TAC_OK;
}

tac_status tac__check_times(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    (void)exact;
    const tac__history *h = signal_of(e, part)->history;
    const uint64_t last = *h->writes, first = last + 1 > h->depth ? last + 1 - h->depth : 0;
    for (uint64_t n = first; n <= last; n++) {
        const tac_time t_us = h->times[n % h->depth];
        if (!has_been(e, t_us))
            return damaged(err, NAME_OF(part), "has a write at %" PRIu64 " us, in the future",
                           t_us);
        if (n > first && t_us < h->times[(n - 1) % h->depth])
            return damaged(err, NAME_OF(part), "has writes out of order");
    }
    return TAC_OK;
}

// --- components ---------------------------------------------------------------------------------

tac_status tac__check_turns(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    (void)exact;
    const tac__component *c = part->subject;
    if (!has_been(e, c->turns->last_us))
        return damaged(err, NAME_OF(part), "has a time that cannot be: last_us");
    if (c->turns->chatter > TAC__CHATTER_MAX)
        return damaged(err, NAME_OF(part), "has %" PRIu64 " turns in a row", c->turns->chatter);
    return TAC_OK;
}

tac_status tac__check_missed(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    (void)e, (void)exact;
    const tac__component *c = part->subject;
    const uint64_t all = TAC_DUE_AXIS | TAC_DUE_MESSAGE | TAC_DUE_TIMER | TAC_DUE_CONDITION;
    if (*c->missed & ~all)
        return damaged(err, NAME_OF(part), "has triggers that do not exist: %#" PRIx64, *c->missed);
    return TAC_OK;
}

tac_status tac__check_flag(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    (void)exact;
    const uint64_t flag = *(const uint64_t *)tac__block_at(&e->plan->block, part->offset);
    return flag <= 1 ? TAC_OK : damaged(err, NAME_OF(part), "is neither 0 nor 1");
}

// --- messages -----------------------------------------------------------------------------------

static const tac__queue_slot *slot_of(const tac__queue *q, uint32_t i)
{
    return (const tac__queue_slot *)(const void *)(q->slots +
                                                   i * tac__queue_slot_size(q->max_bytes));
}

static tac_status check_slot(const tac_engine *e, const tac__receiver *r, uint32_t i, bool flying,
                             tac_error *err)
{
    const tac__queue_slot *s = slot_of(&r->queue, i);
    if (s->size > r->queue.max_bytes)
        return damaged(err, r->name, "has a message of %u bytes in its queue slots; %u fit",
                       s->size, r->queue.max_bytes);
    if (s->sender >= r->queue.key_count)
        return damaged(err, r->name, "has a message of sender %u in its queue slots", s->sender);
    // A driver queues messages before the time at which they were sent.
    if (s->deliver_us < s->sent_us ||
        (flying ? !lies_ahead(e, s->deliver_us) : !has_been(e, s->deliver_us)))
        return damaged(err, r->name, "has a message in its queue slots at an impossible time");
    return TAC_OK;
}

// Each slot must be in exactly one place. `seen` has one byte a slot.
static tac_status check_places(const tac_engine *e, const tac__receiver *r, unsigned char *seen,
                               tac_error *err)
{
    const tac__queue *q = &r->queue;
    const tac__queue_state *s = q->state;
    for (uint32_t i = 0; i < q->capacity; i++) {
        const bool flying = i < s->flying, waiting = !flying && i < s->flying + s->waiting;
        const uint32_t place = flying    ? i
                               : waiting ? (s->first + (i - s->flying)) % q->capacity
                                         : i - s->flying - s->waiting;
        const uint32_t *list = flying ? q->heap : waiting ? q->ring : q->stack;
        const char *name = flying ? "heap" : waiting ? "ring" : "stack";
        const uint32_t slot = list[place];
        if (slot >= q->capacity)
            return damaged(err, r->name, "has slot %u of %u in its queue %s", slot, q->capacity,
                           name);
        if (seen[slot]++)
            return damaged(err, r->name, "has slot %u twice, in its queue %s", slot, name);
        if (flying || waiting)
            TAC_TRY(check_slot(e, r, slot, flying, err));
    }
    return TAC_OK;
}

tac_status tac__check_queue(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    (void)exact;
    const tac__receiver *r = part->subject;
    const tac__queue *q = &r->queue;
    const tac__queue_state *s = q->state;
    if ((uint64_t)s->flying + s->waiting + s->free != q->capacity)
        return damaged(err, NAME_OF(part), "counts %u + %u + %u messages and places, not %u",
                       s->flying, s->waiting, s->free, q->capacity);
    if (s->first >= q->capacity && s->first)
        return damaged(err, NAME_OF(part), "begins at place %u of %u", s->first, q->capacity);
    const tac_allocator *a = e->allocator;
    unsigned char *seen = a->resize(a->context, NULL, 0, q->capacity + 1);
    if (!seen)
        return tac__fail_memory(err);
    memset(seen, 0, q->capacity);
    const tac_status status = check_places(e, r, seen, err);
    a->resize(a->context, seen, q->capacity + 1, 0);
    TAC_TRY(status);
    if (!tac__queue_ordered(q))
        return damaged(err, r->name, "has messages out of order in its queue heap");
    return TAC_OK;
}

// --- the timeline -------------------------------------------------------------------------------

// How many of the explicit times lie at or before the present.
static uint64_t times_passed(const tac_engine *e, const tac__source *s)
{
    uint64_t n = 0;
    while (e->clock->started && n < s->times_count && s->times_us[n] <= e->clock->t_us)
        n++;
    return n;
}

tac_status tac__check_taken(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    const tac__timeline *tl = &e->timeline;
    for (size_t i = 0; i < tl->own; i++) {
        const tac__source *s = &tl->sources[i];
        const uint64_t most = s->kind == TAC__SOURCE_TIMES ? s->times_count : 0;
        // The end of the run may have been another when the block was saved.
        const bool fixed = exact && most && i != (size_t)e->plan->start_end_source;
        if (tl->taken[i] > most || (fixed && tl->taken[i] != times_passed(e, s)))
            return damaged(err, NAME_OF(part), "says that source %zu had %" PRIu64 " of %" PRIu64,
                           i, tl->taken[i], most);
    }
    return TAC_OK;
}

static bool is_next_of_axis(const tac_engine *e, const tac__source *s, tac_time next_us)
{
    if (!e->clock->started || e->clock->t_us < s->offset_us)
        return next_us == s->offset_us;
    return (next_us - s->offset_us) % s->period_us == 0 && next_us - e->clock->t_us <= s->period_us;
}

// Is the next time of the source a possible one?
static bool is_next(const tac_engine *e, size_t source, bool exact)
{
    const tac__source *s = &e->timeline.sources[source];
    const tac_time next_us = e->timeline.next[source];
    const bool ahead = lies_ahead(e, next_us), never = next_us == TAC_TIME_NEVER;
    const uint64_t taken = e->timeline.taken[source];
    const bool messages =
        s->kind == TAC__SOURCE_PORT && e->plan->receivers[s->index].queue.state->flying;
    switch (s->kind) {
    case TAC__SOURCE_AXIS:
        return ahead && (!exact || is_next_of_axis(e, s, next_us));
    case TAC__SOURCE_TIMES:
        if (taken == s->times_count)
            return never;
        return ahead && (!exact || source == (size_t)e->plan->start_end_source ||
                         next_us == s->times_us[taken]);
    case TAC__SOURCE_PORT:
        return messages ? next_us == tac__queue_next(&e->plan->receivers[s->index].queue)
                        : never || ahead;
    case TAC__SOURCE_TIMER:
    case TAC__SOURCE_CONDITION:
        break;
    case TAC__SOURCE_STEP:
    case TAC__SOURCE_EVENT:
        return never || (ahead && next_us == e->islands[s->index].state->to_us);
    }
    return never || ahead;
}

// Where the step of an island ends by the timeline: at its next boundary or at its step source.
static tac_time planned_end(const tac_engine *e, const tac__island *island)
{
    tac_time t_us = e->timeline.next[island->plan->step_source];
    for (size_t i = 0; i < island->plan->source_count; i++) {
        const tac_time next_us = e->timeline.next[island->plan->sources[i]];
        t_us = next_us < t_us ? next_us : t_us;
    }
    return t_us;
}

tac_status tac__check_next(const tac_engine *e, const tac__part *part, bool exact, tac_error *err)
{
    for (size_t i = 0; i < e->timeline.own; i++) {
        if (!is_next(e, i, exact))
            return damaged(err, NAME_OF(part), "has source %zu at %" PRIu64 " us", i,
                           e->timeline.next[i]);
    }
    for (size_t i = 0; exact && i < e->plan->island_count; i++) {
        const tac__island *island = &e->islands[i];
        const tac_time to_us = island->state->to_us;
        if (island->state->from_us < to_us && to_us != planned_end(e, island))
            return damaged(err, NAME_OF(part),
                           "does not have the step of '%s' end at %" PRIu64 " us",
                           island->plan->name, to_us);
    }
    return TAC_OK;
}

// --- the whole block ----------------------------------------------------------------------------

// Checks that only a component can make: positions in its rings, numbers of its items.
static tac_status ask_component(tac_engine *e, tac_instance *c, tac_error *err)
{
    tac_error said;
    tac_error_clear(&said);
    e->err = &said;
    c->failed = TAC_OK;
    c->hook.t_us = e->clock->t_us;
    const tac_status status = c->plan->type->verify(&c->hook, c->plan->self);
    const bool failed = c->failed != TAC_OK;
    c->failed = TAC_OK;
    if (status == TAC_OK && !failed)
        return TAC_OK;
    return damaged(err, c->plan->name, "%s",
                   failed ? said.text : "does not accept its discrete states");
}

static tac_status ask_components(tac_engine *e, tac_error *err)
{
    tac_error *outer = e->err;
    tac_status status = TAC_OK;
    for (size_t i = 0; i < e->plan->component_count && status == TAC_OK; i++) {
        tac_instance *c = e->instances[i];
        if (c->plan->type->verify && !tac__is_played(e->plan, c->plan->type))
            status = ask_component(e, c, err);
    }
    e->err = outer;
    return status;
}

tac_status tac__validate(tac_engine *e, bool exact, tac_error *err)
{
    for (tac__part_walk w = {0}; tac__block_next(&e->plan->block, &w);)
        TAC_TRY(w.part.kind->check(e, &w.part, exact, err));
    return ask_components(e, err);
}
