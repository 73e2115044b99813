// branch.c - events of a scenario that goes on from a checkpoint of another list of events.
//
// Events that have happened (or whose condition turned true, so that they are planned) must be the
// same and in the same order. All other events may be removed, changed and added, if a run from the
// start would not have come to them before the checkpoint. Of a new condition only its value at the
// checkpoint is known: it must be false.
#include "base/text.h"
#include "scenario/event.h"

#include <string.h>

typedef struct old_event {
    tac__slot slot;
    const char *when;       // "": it has none
    const uint64_t *memory; // of its condition
    size_t memory_words;
    bool taken; // a condition of now has taken over its memory
} old_event;

typedef struct old_states {
    const uint64_t *slots, *owners, *memory, *steps;
    size_t slot_words, owner_words, memory_words, step_words;
    old_event *events;
} old_states;

static tac_status damaged(tac__past *past)
{
    return tac__past_refuse(past, TAC__NO_EVENT, "its scenario is damaged");
}

// --- the checkpoint -------------------------------------------------------------------------

// How many words a condition remembers.
static tac_status measure_memory(tac__past *past, const char *when, size_t *words)
{
    tac__expr *parsed;
    tac_error err;
    *words = 0;
    if (!*when)
        return TAC_OK;
    if (tac__expr_parse(tac__past_arena(past), when, &parsed, &err) != TAC_OK)
        return err.status == TAC_E_MEMORY ? TAC_E_MEMORY : damaged(past);
    *words = tac__expr_memory(parsed);
    return TAC_OK;
}

static tac_status read_old(tac__past *past, const tac__scenario *s, old_states *old)
{
    const size_t count = tac__past_count(past);
    TAC_TRY(tac__past_state(past, "schedule", &old->slots, &old->slot_words));
    TAC_TRY(tac__past_state(past, "owners", &old->owners, &old->owner_words));
    TAC_TRY(tac__past_state(past, "steps", &old->steps, &old->step_words));
    TAC_TRY(tac__past_state(past, "memory", &old->memory, &old->memory_words));
    if (!old->slots || !old->owners || !old->steps || old->step_words != 1 ||
        old->slot_words < count * TAC__SLOT_WORDS || old->owner_words != tac__scenario_targets(s))
        return damaged(past);
    old->events = tac__arena_array(tac__past_arena(past), count, sizeof *old->events);
    if (!old->events)
        return TAC_E_MEMORY;
    size_t first = 0; // word of the memory
    for (size_t i = 0; i < count; i++) {
        old_event *e = &old->events[i];
        memcpy(&e->slot, old->slots + i * TAC__SLOT_WORDS, sizeof e->slot);
        e->when = tac__past_value(past, i, "when");
        TAC_TRY(measure_memory(past, e->when, &e->memory_words));
        if (e->memory_words && (!old->memory || old->memory_words - first < e->memory_words))
            return damaged(past);
        e->memory = e->memory_words ? old->memory + first : NULL;
        first += e->memory_words;
    }
    return TAC_OK;
}

// Has the event happened, or did its condition turn true, so that it is planned?
static bool has_happened(const old_event *e)
{
    return e->slot.fired || e->slot.undo_us != TAC_TIME_NEVER ||
           (*e->when && e->slot.next_us != TAC_TIME_NEVER);
}

static tac_status check_happened(tac__past *past, const old_states *old)
{
    int last = TAC__NO_EVENT;
    char time[TAC_TIME_TEXT];
    tac_time_print(tac__past_time(past), time);
    for (size_t i = 0; i < tac__past_count(past); i++) {
        const int now = tac__past_now(past, i);
        if (!has_happened(&old->events[i]))
            continue;
        if (now == TAC__NO_EVENT)
            return tac__past_refuse(past, tac__past_instead(past, i),
                                    "event %s happened before the checkpoint at %s; it cannot be "
                                    "changed or left out",
                                    tac__past_text(past, i), time);
        if (now < last)
            return tac__past_refuse(past, now,
                                    "event %s happened before the checkpoint at %s, and stands in "
                                    "another order",
                                    tac__past_text(past, i), time);
        last = now;
    }
    return TAC_OK;
}

// --- events that the checkpoint does not have -----------------------------------------------

static tac_status check_time(tac__past *past, const tac__scenario *s, size_t i, uint64_t steps)
{
    const tac__scenario_event *e = &s->events[i];
    const tac_time t_us = tac__past_time(past);
    const bool over = (e->timing.trigger == TAC__TRIGGER_TIME && e->timing.at_us <= t_us) ||
                      (e->timing.trigger == TAC__TRIGGER_STEP && e->timing.step < steps);
    if (!over)
        return TAC_OK;
    char time[TAC_TIME_TEXT];
    tac_time_print(t_us, time);
    return tac__past_refuse(past, (int)i,
                            "event '%s' (%s) does not lie after the checkpoint, which was taken "
                            "when everything at %s had happened",
                            e->text, e->reason, time);
}

// Where the condition of a changed event is the same, take over what it remembers.
static bool take_over(tac__past *past, old_states *old, const char *when, tac__slot *slot,
                      uint64_t *memory)
{
    for (size_t i = 0; i < tac__past_count(past); i++) {
        old_event *e = &old->events[i];
        if (e->taken || tac__past_now(past, i) != TAC__NO_EVENT || strcmp(e->when, when))
            continue;
        e->taken = true;
        slot->held = e->slot.held;
        if (memory)
            memcpy(memory, e->memory, e->memory_words * sizeof *memory);
        return true;
    }
    return false;
}

// Evaluate a condition that the checkpoint does not know, as of the checkpoint. If the condition is
// false there, what it remembers follows; if it is true, nobody knows since when.
static tac_status evaluate_new(tac__past *past, const tac__scenario *s, size_t i, uint64_t *memory,
                               tac_step *step)
{
    const tac__scenario_event *e = &s->events[i];
    if (!tac__formula_ready(&e->condition, step))
        return TAC_OK;
    const tac__expr_result result =
        tac__program_run(e->condition.program, step->t_us, step->in, memory);
    bool known = result.nan || result.value == 0;
    for (size_t k = 0; k < e->condition.memory_words; k++)
        known &= memory[k] <= 1; // 0: held and since of false; 1: rising and falling, not yet
    return known ? TAC_OK
                 : tac__past_refuse(past, (int)i,
                                    "condition '%s' is true already, or a part of it that "
                                    "remembers; a run from the start would have come to it "
                                    "before, and when is not known",
                                    e->when);
}

static tac_status begin_event(tac__past *past, const tac__scenario *s, size_t i, old_states *old,
                              tac__slot *slot, uint64_t *memory, tac_step *step)
{
    const tac__scenario_event *e = &s->events[i];
    tac__schedule_start(&e->timing, slot);
    TAC_TRY(check_time(past, s, i, *old->steps));
    if (e->timing.trigger != TAC__TRIGGER_CONDITION || take_over(past, old, e->when, slot, memory))
        return TAC_OK;
    return evaluate_new(past, s, i, memory, step);
}

// --- carrying states over -------------------------------------------------------------------

static tac_status carry_owners(tac__past *past, const old_states *old, int64_t *owners)
{
    for (size_t i = 0; i < old->owner_words; i++) {
        const uint64_t owner = old->owners[i]; // numbered from 1
        if (owner > tac__past_count(past))
            return damaged(past);
        const int now = owner ? tac__past_now(past, owner - 1) : TAC__NO_EVENT;
        if (owner && now == TAC__NO_EVENT)
            return damaged(past); // it acts, but has never happened
        owners[i] = now + 1;
    }
    return TAC_OK;
}

tac_status tac__scenario_carry(tac_step *step, const tac__scenario *s, tac__past *past)
{
    old_states old = {0};
    TAC_TRY(read_old(past, s, &old));
    TAC_TRY(check_happened(past, &old));
    *TAC_STATE(step, uint64_t, s->ports.steps) = *old.steps;
    TAC_TRY(carry_owners(past, &old, TAC_STATE(step, int64_t, s->ports.owners)));
    for (size_t i = 0; i < s->event_count; i++) {
        const tac__scenario_event *e = &s->events[i];
        tac__slot *slot = &TAC_STATE(step, tac__slot, s->ports.slots)[i];
        uint64_t *memory = tac__event_memory(s, e, step);
        const int then = tac__past_then(past, i);
        if (then == TAC__NO_EVENT) {
            TAC_TRY(begin_event(past, s, i, &old, slot, memory, step));
            continue;
        }
        *slot = old.events[then].slot;
        if (memory)
            memcpy(memory, old.events[then].memory, e->condition.memory_words * sizeof *memory);
    }
    return TAC_OK;
}
