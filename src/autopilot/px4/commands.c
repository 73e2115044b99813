// commands.c - see commands.h.
#include "autopilot/px4/commands.h"
#include "autopilot/mission.h"
#include "autopilot/px4/pilot.h"

static tac__px4_answer refuse(tac__px4_result result, const char *why)
{
    return (tac__px4_answer){.ours = true, .result = result, .state = -1, .why = why};
}

// --- modes --------------------------------------------------------------------------------------

static bool is_flown(double state)
{
    static const int states[] = {TAC__NAV_MANUAL, TAC__NAV_MISSION, TAC__NAV_LOITER,
                                 TAC__NAV_RETURN, TAC__NAV_LAND};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (states[i] == state)
            return true;
    }
    return false;
}

static tac__px4_answer enter(const tac__px4_command *c, double state)
{
    if (!is_flown(state))
        return refuse(TAC__RESULT_DENIED, "this navigation state is not flown here");
    if (!c->armed)
        return refuse(TAC__RESULT_REJECTED, "the vehicle is not armed");
    if (state == TAC__NAV_MISSION && !c->mission_valid)
        return refuse(TAC__RESULT_REJECTED, "there is no valid mission");
    return (tac__px4_answer){.ours = true, .state = (int)state};
}

// DO_SET_MODE: flags, then PX4's main mode and the sub mode of its automatic mode.
static double state_of_mode(const double param[3])
{
    enum { CUSTOM = 1, AUTOMATIC = 4, FLAGS_MAX = 255 };
    enum { MAIN_MANUAL = 1, MAIN_AUTO = 4 };
    enum { SUB_LOITER = 3, SUB_MISSION = 4, SUB_RETURN = 5, SUB_LAND = 6 };
    const int flags = param[0] >= 0 && param[0] <= FLAGS_MAX ? (int)param[0] : 0;
    if (!(flags & CUSTOM))
        return flags & AUTOMATIC ? TAC__NAV_MISSION : TAC__NAV_MANUAL;
    if (param[1] == MAIN_MANUAL)
        return TAC__NAV_MANUAL;
    if (param[1] != MAIN_AUTO)
        return -1;
    return param[2] == SUB_LOITER                       ? TAC__NAV_LOITER
           : param[2] == SUB_MISSION || !(param[2] > 0) ? TAC__NAV_MISSION
           : param[2] == SUB_RETURN                     ? TAC__NAV_RETURN
           : param[2] == SUB_LAND                       ? TAC__NAV_LAND
                                                        : -1;
}

// --- commands -----------------------------------------------------------------------------------

tac__px4_answer tac__px4_answer_to(const tac__px4_command *c)
{
    if (c->number == TAC__COMMAND_RETURN)
        return enter(c, TAC__NAV_RETURN);
    if (c->number == TAC__COMMAND_LAND)
        return enter(c, TAC__NAV_LAND);
    if (c->number == TAC__COMMAND_SET_MODE)
        return enter(c, state_of_mode(c->param));
    if (c->number == TAC__COMMAND_SET_NAV_STATE)
        return enter(c, c->param[0]);
    if (c->number == TAC__COMMAND_MISSION_START) {
        // Its first item may be given; the navigator goes there by itself.
        if (c->mission_valid && !(c->param[0] >= -1 && c->param[0] < c->mission_total))
            return refuse(TAC__RESULT_DENIED, "the mission has no such item");
        return enter(c, TAC__NAV_MISSION);
    }
    if (c->number == 0 || tac__mission_left_to_others(c->number))
        return (tac__px4_answer){.state = -1};
    return refuse(TAC__RESULT_UNSUPPORTED, "nothing here carries it out");
}

// --- acknowledgements ---------------------------------------------------------------------------

void tac__px4_acks_add(tac__px4_acks *a, const tac__px4_ack *ack)
{
    if (a->count == TAC__PX4_ACKS) {
        a->first = (a->first + 1) % TAC__PX4_ACKS;
        a->count--;
    }
    a->items[(a->first + a->count++) % TAC__PX4_ACKS] = *ack;
}

bool tac__px4_acks_take(tac__px4_acks *a, tac__px4_ack *ack)
{
    if (a->count == 0)
        return false;
    *ack = a->items[a->first];
    a->first = (a->first + 1) % TAC__PX4_ACKS;
    a->count--;
    return true;
}
