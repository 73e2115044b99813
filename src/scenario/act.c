// act.c - what events do: they write outputs of the scenario, and nothing else.
//
// A target is what one fault at a time can hold: the gust, the command of a motor, the efficiency
// of a motor, a battery, a sensor. The last event to act on it holds it, so that the end of an
// earlier one leaves it alone.
#include "scenario/event.h"

#include <string.h>

const char *const tac__sensor_names[TAC__SENSORS] = {"estimator", "imu", "baro", "mag", "gps"};

typedef enum kind { KIND_GUST, KIND_HOLD, KIND_LOSS, KIND_BATTERY, KIND_SENSOR, KINDS } kind;

// The targets of a kind lie one after another, the kinds in their order.
static size_t count_of(const tac__scenario *s, kind k)
{
    const size_t counts[KINDS] = {1, s->motors, s->motors, s->batteries, TAC__SENSORS};
    return counts[k];
}

static size_t first_of(const tac__scenario *s, kind k)
{
    size_t first = 0;
    for (int i = 0; i < (int)k; i++)
        first += count_of(s, (kind)i);
    return first;
}

size_t tac__scenario_targets(const tac__scenario *s)
{
    return first_of(s, KINDS);
}

// --- writing one target ---------------------------------------------------------------------

static void put(tac_step *step, int output, size_t i, double value)
{
    TAC_OUT(step, double, output)[i] = value;
}

// Apply the event's fault to a target, or clear the target where `e` is NULL.
static void write_target(const tac__scenario *s, kind k, size_t i, const tac__scenario_event *e,
                         tac_step *step)
{
    static const double nothing[3] = {0, 0, 0};
    const tac__scenario_ports *p = &s->ports;
    const double *value = e ? e->value : nothing;
    switch (k) {
    case KIND_GUST:
        memcpy(step->out[p->gust], value, sizeof nothing);
        break;
    case KIND_HOLD:
        put(step, p->motor_hold, i, e ? 1 : 0);
        put(step, p->motor_duty, i, value[0]);
        break;
    case KIND_LOSS:
        put(step, p->motor_loss, i, value[0]);
        break;
    case KIND_BATTERY:
        put(step, p->battery_open, i, e ? 1 : 0);
        break;
    default:
        *TAC_OUT(step, int32_t, p->fault[i]) = (int32_t)(e ? e->fault : TAC__FAULT_NONE);
        *TAC_OUT(step, double, p->fault_value[i]) = value[0];
    }
}

// --- targets of an event --------------------------------------------------------------------

// Bits of the targets of one kind that the event is about.
static uint64_t targets_of(const tac__scenario_event *e, kind k)
{
    const bool restores = e->action == TAC__ACTION_RESTORE;
    switch (k) {
    case KIND_GUST:
        return e->action == TAC__ACTION_GUST ||
               (restores && !(e->motors | e->batteries | e->sensors));
    case KIND_HOLD:
        return e->action == TAC__ACTION_MOTOR_LOSS ? 0 : e->motors;
    case KIND_LOSS:
        return e->action == TAC__ACTION_MOTOR_LOSS || restores ? e->motors : 0;
    case KIND_BATTERY:
        return e->batteries;
    default:
        return e->sensors;
    }
}

// Let `change` see every target of the event; whether it was true for any of them.
typedef bool change_fn(const tac__scenario *s, size_t event, kind k, size_t i, int64_t *owner,
                       tac_step *step);

static bool each_target(const tac__scenario *s, size_t event, change_fn *change, tac_step *step)
{
    bool any = false;
    int64_t *owners = TAC_STATE(step, int64_t, s->ports.owners);
    const tac__scenario_event *e = &s->events[event];
    const bool all = e->action == TAC__ACTION_RESTORE && targets_of(e, KIND_GUST);
    for (int k = 0; k < KINDS; k++) {
        const size_t count = count_of(s, (kind)k), first = first_of(s, (kind)k);
        const uint64_t bits = all ? UINT64_MAX : targets_of(e, (kind)k);
        for (size_t i = 0; i < count; i++) {
            if (bits >> i & 1)
                any |= change(s, event, (kind)k, i, &owners[first + i], step);
        }
    }
    return any;
}

// Owners are numbered from 1; 0 is nobody.
static bool take(const tac__scenario *s, size_t event, kind k, size_t i, int64_t *owner,
                 tac_step *step)
{
    write_target(s, k, i, &s->events[event], step);
    *owner = (int64_t)event + 1;
    return true;
}

static bool clear(const tac__scenario *s, size_t event, kind k, size_t i, int64_t *owner,
                  tac_step *step)
{
    (void)event;
    write_target(s, k, i, NULL, step);
    *owner = 0;
    return true;
}

static bool clear_own(const tac__scenario *s, size_t event, kind k, size_t i, int64_t *owner,
                      tac_step *step)
{
    return *owner == (int64_t)event + 1 && clear(s, event, k, i, owner, step);
}

// --- the whole ------------------------------------------------------------------------------

static void command(const tac__scenario *s, bool arm, tac__flight_mode mode, tac_step *step)
{
    *TAC_OUT(step, bool, s->ports.arm) = arm;
    *TAC_OUT(step, int32_t, s->ports.mode) = (int32_t)mode;
}

void tac__scenario_act(const tac__scenario *s, size_t event, tac_step *step)
{
    const tac__scenario_event *e = &s->events[event];
    const bool armed = *TAC_OUT(step, bool, s->ports.arm);
    const tac__flight_mode mode = (tac__flight_mode)*TAC_OUT(step, int32_t, s->ports.mode);
    switch (e->action) {
    case TAC__ACTION_ARM:
        command(s, true, mode, step);
        break;
    case TAC__ACTION_DISARM:
        command(s, false, TAC__MODE_IDLE, step);
        break;
    case TAC__ACTION_START_MISSION:
        command(s, armed, TAC__MODE_MISSION, step);
        break;
    case TAC__ACTION_RETURN:
        command(s, armed, TAC__MODE_RETURN, step);
        break;
    case TAC__ACTION_LAND:
        command(s, armed, TAC__MODE_LAND, step);
        break;
    case TAC__ACTION_SET:
        *TAC_OUT(step, double, e->output) = e->value[0];
        break;
    case TAC__ACTION_RESTORE:
        each_target(s, event, clear, step);
        break;
    case TAC__ACTION_LOG:
        break;
    default:
        each_target(s, event, take, step);
    }
}

bool tac__scenario_undo(const tac__scenario *s, size_t event, tac_step *step)
{
    return each_target(s, event, clear_own, step);
}
