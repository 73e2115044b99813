// step_state.c - the table of step_state.h.
#include "engine/run/step_state.h"

#define BIT(name) (1u << TAC__STEP_##name)

bool tac__step_may_follow(tac__step_state from, tac__step_state to)
{
    static const unsigned after[] = {
        [TAC__STEP_NONE] = BIT(AHEAD) | BIT(TAKEN) | BIT(SOUND_LANES),
        [TAC__STEP_ARRIVED] = BIT(AHEAD) | BIT(TAKEN) | BIT(SOUND_LANES),
        [TAC__STEP_AHEAD] = BIT(TAKEN),
        [TAC__STEP_TAKEN] = BIT(ARRIVED) | BIT(LOCATED) | BIT(SETTLED) | BIT(SOUND),
        [TAC__STEP_LOCATED] = BIT(ARRIVED) | BIT(TAKEN),
        [TAC__STEP_SETTLED] = BIT(ARRIVED) | BIT(TAKEN) | BIT(LOCATED) | BIT(SOUND),
        [TAC__STEP_SOUND] = BIT(ARRIVED) | BIT(TAKEN),
        [TAC__STEP_SOUND_LANES] = BIT(ARRIVED) | BIT(SOUND),
    };
    return from == to || to == TAC__STEP_NONE || after[from] >> to & 1;
}
