// pilot.c - see pilot.h.
#include "autopilot/px4/pilot.h"

// Above this height a vehicle flies, whatever its speed.
static const double FLYING_M = 0.5;
// From so long after a request to fly on, PX4 is told that the vehicle is not landed, so that a
// vehicle that has yet to lift off is not taken for one that has landed.
enum { LIFT_OFF_US = 500000 };
// A short wrong estimate does not restart the count of touchdown: such moments are subtracted from
// it, times this factor.
static const double DOUBT = 5;
// PX4 finds a mission valid, or not, within so long after its start.
enum { STARTING_US = 500000 };
// PX4 has answered to a request after so many periods of its navigator.
enum { ANSWERS = 3 };

void tac__pilot_init(tac__pilot *p)
{
    *p = (tac__pilot){.on_ground = true, .landed = true, .commanded = -1};
}

static bool is_automatic(int state)
{
    return state != TAC__NAV_MANUAL;
}

static int state_for(tac__flight_mode mode)
{
    static const int states[] = {
        [TAC__MODE_IDLE] = TAC__NAV_MANUAL,
        [TAC__MODE_MISSION] = TAC__NAV_MISSION,
        [TAC__MODE_RETURN] = TAC__NAV_RETURN,
        [TAC__MODE_LAND] = TAC__NAV_LAND,
    };
    return states[mode];
}

static void see_ground(tac__pilot *p, const tac__pilot_habits *h, const tac__pilot_in *in)
{
    const double speed = in->sinking_m_s < 0 ? -in->sinking_m_s : in->sinking_m_s;
    const bool low = in->height_m <= FLYING_M;
    p->on_ground = in->height_m <= h->landed_height_m && speed < h->landed_speed_m_s;
    p->on_ground |= !p->armed && low && speed < h->landed_speed_m_s;
    p->flown |= p->armed && !low;
    p->still_s += p->on_ground ? in->dt_s : -DOUBT * in->dt_s;
    p->still_s = p->still_s < 0 || !p->flown ? 0 : p->still_s;
}

static bool has_touched_down(const tac__pilot *p, const tac__pilot_habits *h)
{
    return h->touchdown_s > 0 && p->flown && p->still_s >= h->touchdown_s;
}

static void arm(tac__pilot *p, const tac__pilot_habits *h, const tac__pilot_in *in)
{
    if (!in->arm)
        p->disarmed = false;
    else if (p->armed && h->disarm_after_s > 0 && has_touched_down(p, h) &&
             p->still_s >= h->touchdown_s + h->disarm_after_s)
        p->disarmed = true;
    const bool armed = in->arm && !p->disarmed;
    if (armed && !p->armed) {
        p->flown = false;
        p->still_s = 0;
    }
    p->armed = armed;
}

void tac__pilot_command(tac__pilot *p, int state, tac__flight_mode mode)
{
    p->commanded = state;
    p->mode_before = mode;
}

static void choose(tac__pilot *p, const tac__pilot_habits *h, const tac__pilot_in *in)
{
    if (!p->armed || in->mode != p->mode_before)
        p->commanded = -1;
    const int wanted = !p->armed           ? TAC__NAV_MANUAL
                       : p->commanded >= 0 ? p->commanded
                                           : state_for(in->mode);
    if (wanted != p->wanted) {
        if (!is_automatic(p->wanted))
            p->wanted_us = in->t_us;
        p->late = wanted == TAC__NAV_MISSION && !in->mission_valid;
        p->manual_us = 0;
        p->wanted = wanted;
        p->entered_us = in->t_us;
        p->over = false;
    } else if (p->late && in->mission_valid) {
        p->late = false;
        if (in->t_us <= STARTING_US) // it has not been entered yet
            p->entered_us = p->wanted_us = in->t_us;
        else
            p->manual_us = in->t_us + h->renew_us;
    }
    if (p->late && in->t_us <= STARTING_US)
        return;
    // Until PX4 has answered, it still reports how the flight before this one ended.
    if (wanted == TAC__NAV_MISSION && in->mission_done &&
        in->t_us >= p->entered_us + ANSWERS * h->renew_us)
        p->over = true;
    if (in->t_us < p->manual_us)
        p->nav_state = TAC__NAV_MANUAL;
    else if (!p->over)
        p->nav_state = wanted;
    else if (p->nav_state == TAC__NAV_MISSION) // it ends once, whatever the ground does later
        p->nav_state = p->on_ground ? TAC__NAV_MANUAL : TAC__NAV_LOITER;
}

void tac__pilot_step(tac__pilot *p, const tac__pilot_habits *h, const tac__pilot_in *in)
{
    arm(p, h, in);
    see_ground(p, h, in);
    choose(p, h, in);
    const bool lifting = p->armed && is_automatic(p->wanted) &&
                         in->t_us >= p->wanted_us + LIFT_OFF_US && !has_touched_down(p, h);
    p->landed = p->on_ground && !lifting;
}
