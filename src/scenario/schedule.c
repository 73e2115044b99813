// schedule.c - the timing of events.
#include "scenario/schedule.h"

void tac__schedule_start(const tac__timing *timing, tac__slot *slot)
{
    *slot = (tac__slot){.next_us = TAC_TIME_NEVER, .undo_us = TAC_TIME_NEVER};
    if (timing->trigger == TAC__TRIGGER_TIME)
        slot->next_us = timing->at_us;
}

static bool is_spent(const tac__timing *timing, const tac__slot *slot)
{
    return timing->limit && slot->fired >= timing->limit;
}

bool tac__schedule_needs_condition(const tac__timing *timing, const tac__slot *slot,
                                   const tac__instant *now)
{
    return timing->trigger == TAC__TRIGGER_CONDITION && now->stepping && !is_spent(timing, slot);
}

// Where the condition turned from false to true the event is planned. One that is planned already
// is not planned a second time.
static void turn(const tac__timing *timing, tac__slot *slot, const tac__instant *now, bool holds)
{
    const bool turned = holds && !slot->held;
    slot->held = holds;
    if (turned && slot->next_us == TAC_TIME_NEVER)
        slot->next_us = now->t_us + timing->after_us;
}

bool tac__schedule_fires(const tac__timing *timing, tac__slot *slot, const tac__instant *now,
                         bool holds)
{
    if (timing->trigger == TAC__TRIGGER_STEP && now->stepping && now->step == timing->step)
        slot->next_us = now->t_us;
    if (tac__schedule_needs_condition(timing, slot, now))
        turn(timing, slot, now, holds);
    if (now->t_us < slot->next_us)
        return false;
    slot->fired++;
    const bool again = timing->every_us && !is_spent(timing, slot);
    slot->next_us = again ? slot->next_us + timing->every_us : TAC_TIME_NEVER;
    if (timing->for_us)
        slot->undo_us = now->t_us + timing->for_us;
    return true;
}

bool tac__schedule_ends(tac__slot *slot, const tac__instant *now)
{
    if (now->t_us < slot->undo_us)
        return false;
    slot->undo_us = TAC_TIME_NEVER;
    return true;
}

tac_time tac__schedule_next(const tac__slot *slot)
{
    return slot->next_us < slot->undo_us ? slot->next_us : slot->undo_us;
}
