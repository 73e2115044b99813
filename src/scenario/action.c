// action.c - the actions of events. They write outputs of the scenario, and nothing else.
#include "scenario/event.h"

#include <string.h>

// --- writing one target ---------------------------------------------------------------------

// The targets of a kind lie one after another, the kinds in their order.
static size_t count_of(const tac__scenario *s, tac__target_kind kind)
{
    const size_t counts[TAC__TARGET_KINDS] = {
        [TAC__TARGET_GUST] = 1,
        [TAC__TARGET_COMMAND] = s->motors,
        [TAC__TARGET_THRUST] = s->motors,
        [TAC__TARGET_BATTERY] = s->batteries,
        [TAC__TARGET_SENSOR] = TAC__SENSORS,
    };
    return counts[kind];
}

static size_t first_of(const tac__scenario *s, tac__target_kind kind)
{
    size_t first = 0;
    for (int i = 0; i < (int)kind; i++)
        first += count_of(s, (tac__target_kind)i);
    return first;
}

size_t tac__scenario_targets(const tac__scenario *s)
{
    return first_of(s, TAC__TARGET_KINDS);
}

static void put(tac_step *step, int output, size_t i, double value)
{
    TAC_OUT(step, double, output)[i] = value;
}

// Apply the event's fault to a target, or clear the target where `e` is NULL.
static void write_target(const tac__scenario *s, tac__target_kind kind, size_t i,
                         const tac__scenario_event *e, tac_step *step)
{
    static const double nothing[3] = {0, 0, 0};
    const tac__scenario_ports *p = &s->ports;
    const double *value = e ? e->value : nothing;
    switch (kind) {
    case TAC__TARGET_GUST:
        memcpy(step->out[p->gust], value, sizeof nothing);
        break;
    case TAC__TARGET_COMMAND:
        put(step, p->motor_hold, i, e ? 1 : 0);
        put(step, p->motor_duty, i, value[0]);
        break;
    case TAC__TARGET_THRUST:
        put(step, p->motor_loss, i, value[0]);
        break;
    case TAC__TARGET_BATTERY:
        put(step, p->battery_open, i, e ? 1 : 0);
        break;
    default:
        *TAC_OUT(step, int32_t, p->fault[i]) = (int32_t)(e ? e->fault : TAC__FAULT_NONE);
        *TAC_OUT(step, double, p->fault_value[i]) = value[0];
    }
}

// --- targets of an event --------------------------------------------------------------------

// Bits of the targets of one kind that the event names.
static uint64_t named(const tac__scenario_event *e, tac__target_kind kind)
{
    switch (kind) {
    case TAC__TARGET_GUST:
        return 0; // there is only one
    case TAC__TARGET_COMMAND:
    case TAC__TARGET_THRUST:
        return e->motors;
    case TAC__TARGET_BATTERY:
        return e->batteries;
    default:
        return e->sensors;
    }
}

// Let `change` see every target of the event: those that it names of the kinds that its action is
// about, or all of these where it names none. Whether `change` was true for any of them.
typedef bool change_fn(const tac__scenario *s, size_t event, tac__target_kind kind, size_t i,
                       int64_t *owner, tac_step *step);

static bool each_target(const tac__scenario *s, size_t event, change_fn *change, tac_step *step)
{
    bool any = false;
    int64_t *owners = TAC_STATE(step, int64_t, s->ports.owners);
    const tac__scenario_event *e = &s->events[event];
    const bool all = !(e->motors | e->batteries | e->sensors);
    for (int k = 0; k < TAC__TARGET_KINDS; k++) {
        const tac__target_kind kind = (tac__target_kind)k;
        const size_t count = count_of(s, kind), first = first_of(s, kind);
        const uint64_t bits = all ? UINT64_MAX : named(e, kind);
        for (size_t i = 0; e->action->targets >> k & 1 && i < count; i++) {
            if (bits >> i & 1)
                any |= change(s, event, kind, i, &owners[first + i], step);
        }
    }
    return any;
}

// Owners are numbered from 1; 0 is nobody.
static bool take(const tac__scenario *s, size_t event, tac__target_kind kind, size_t i,
                 int64_t *owner, tac_step *step)
{
    write_target(s, kind, i, &s->events[event], step);
    *owner = (int64_t)event + 1;
    return true;
}

static bool clear(const tac__scenario *s, size_t event, tac__target_kind kind, size_t i,
                  int64_t *owner, tac_step *step)
{
    (void)event;
    write_target(s, kind, i, NULL, step);
    *owner = 0;
    return true;
}

static bool clear_own(const tac__scenario *s, size_t event, tac__target_kind kind, size_t i,
                      int64_t *owner, tac_step *step)
{
    return *owner == (int64_t)event + 1 && clear(s, event, kind, i, owner, step);
}

// --- commands -------------------------------------------------------------------------------

static void set_mode(const tac__scenario *s, tac__flight_mode mode, tac_step *step)
{
    *TAC_OUT(step, int32_t, s->ports.mode) = (int32_t)mode;
}

static void act_arm(const tac__scenario *s, size_t event, tac_step *step)
{
    (void)event;
    *TAC_OUT(step, bool, s->ports.arm) = true;
}

static void act_disarm(const tac__scenario *s, size_t event, tac_step *step)
{
    (void)event;
    *TAC_OUT(step, bool, s->ports.arm) = false;
    set_mode(s, TAC__MODE_IDLE, step);
}

static void act_start_mission(const tac__scenario *s, size_t event, tac_step *step)
{
    (void)event;
    set_mode(s, TAC__MODE_MISSION, step);
}

static void act_return(const tac__scenario *s, size_t event, tac_step *step)
{
    (void)event;
    set_mode(s, TAC__MODE_RETURN, step);
}

static void act_land(const tac__scenario *s, size_t event, tac_step *step)
{
    (void)event;
    set_mode(s, TAC__MODE_LAND, step);
}

static void act_set(const tac__scenario *s, size_t event, tac_step *step)
{
    const tac__scenario_event *e = &s->events[event];
    *TAC_OUT(step, double, e->output) = e->value[0];
}

static void act_restore(const tac__scenario *s, size_t event, tac_step *step)
{
    each_target(s, event, clear, step);
}

static void act_log(const tac__scenario *s, size_t event, tac_step *step)
{
    (void)s, (void)event, (void)step; // every event is logged when it happens
}

// --- the table ------------------------------------------------------------------------------

enum {
    GUST = 1 << TAC__TARGET_GUST,
    COMMAND = 1 << TAC__TARGET_COMMAND,
    THRUST = 1 << TAC__TARGET_THRUST,
    BATTERY = 1 << TAC__TARGET_BATTERY,
    SENSOR = 1 << TAC__TARGET_SENSOR,
    ALL = (1 << TAC__TARGET_KINDS) - 1,
};

// X(name, needs, may, either, targets, act); docs/scenario.md says what each does.
#define ACTIONS(X)                                                                                 \
    X("arm", 0, 0, 0, 0, act_arm)                                                                  \
    X("disarm", 0, 0, 0, 0, act_disarm)                                                            \
    X("start_mission", 0, 0, 0, 0, act_start_mission)                                              \
    X("return", 0, 0, 0, 0, act_return)                                                            \
    X("land", 0, 0, 0, 0, act_land)                                                                \
    X("set", KEY_VALUE, 0, KEY_SIGNAL | KEY_PARAMETER, 0, act_set)                                 \
    X("gust", KEY_WIND, KEY_FOR, 0, GUST, NULL)                                                    \
    X("motor_off", KEY_MOTOR, KEY_FOR, 0, COMMAND, NULL)                                           \
    X("motor_stuck", KEY_MOTOR | KEY_DUTY, KEY_FOR, 0, COMMAND, NULL)                              \
    X("motor_loss", KEY_MOTOR | KEY_LOSS, KEY_FOR, 0, THRUST, NULL)                                \
    X("battery_disconnect", KEY_BATTERY, KEY_FOR, 0, BATTERY, NULL)                                \
    X("sensor_fault", KEY_SENSOR | KEY_FAULT, KEY_VALUE | KEY_FOR, 0, SENSOR, NULL)                \
    X("restore", 0, KEY_MOTOR | KEY_BATTERY | KEY_SENSOR, 0, ALL, act_restore)                     \
    X("log", KEY_TEXT, 0, 0, 0, act_log)

const tac__action tac__actions[] = {
#define ROW(name, needs, may, either, targets, act) {name, needs, may, either, targets, act},
    ACTIONS(ROW)
#undef ROW
};

const char *const tac__action_names[] = {
#define ROW(name, ...) name,
    ACTIONS(ROW)
#undef ROW
        NULL};

// --- functions of action.h ------------------------------------------------------------------

static void doubt(tac_declare *d, int output)
{
    const char *unread = tac__declare_unread(d, output);
    if (unread)
        tac_declare_doubt(d, "event-unconnected", "do",
                          "this has no effect: no input is connected to '%s'", unread);
}

void tac__scenario_doubt_targets(tac_declare *d, const tac__scenario *s, size_t event)
{
    const tac__scenario_event *e = &s->events[event];
    const int outputs[] = {
        [TAC__TARGET_GUST] = s->ports.gust,
        [TAC__TARGET_COMMAND] = s->ports.motor_hold,
        [TAC__TARGET_THRUST] = s->ports.motor_loss,
        [TAC__TARGET_BATTERY] = s->ports.battery_open,
    };
    for (int k = 0; !e->action->act && k < TAC__TARGET_SENSOR; k++) {
        if (e->action->targets >> k & 1)
            doubt(d, outputs[k]);
    }
    for (size_t i = 0; !e->action->act && i < TAC__SENSORS; i++) {
        if (e->action->targets & SENSOR && e->sensors >> i & 1)
            doubt(d, s->ports.fault[i]);
    }
}

void tac__scenario_act(const tac__scenario *s, size_t event, tac_step *step)
{
    const tac__action *action = s->events[event].action;
    if (action->act)
        action->act(s, event, step);
    else
        each_target(s, event, take, step);
}

bool tac__scenario_undo(const tac__scenario *s, size_t event, tac_step *step)
{
    return each_target(s, event, clear_own, step);
}
