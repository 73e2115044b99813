// scenario.c - the component type `scenario`: events that command a vehicle and break it.
//
// At one instant faults that end are undone first; then events happen in the order in which they
// are written. Conditions are evaluated
//   - in steps of the rate group, so that the times of other events do not change their values;
//   - with a held(): also at the instant at which the held() comes true;
//   - with `locate`: also where the engine finds that the condition turns true.
#include "base/def.h"
#include "base/text.h"
#include "scenario/event.h"
#include "scenario/types.h"

// --- declaring ------------------------------------------------------------------------------

static int declare_array(tac_declare *d, const char *name, uint32_t count, const char *doc)
{
    if (count == 0)
        return -1;
    return tac_declare_output(
        d, TAC_PORT(.name = name, .type = TAC_TYPE_ARRAY(TAC_F64, count), .doc = doc));
}

static void declare_sensor(tac_declare *d, tac__scenario *s, int i)
{
    char name[32];
    tac__out out = tac__out_begin(name, sizeof name);
    tac__out_add(&out, "%s_fault", tac__sensor_names[i]);
    s->ports.fault[i] = tac_declare_output(
        d, TAC_PORT(.name = name, .type = TAC_TYPE_ENUM(tac__sensor_fault_labels),
                    .doc = "what is wrong with it"));
    tac__out_add(&out, "_value");
    s->ports.fault_value[i] = tac_declare_output(
        d, TAC_PORT(.name = name, .type = TAC_TYPE_F64, .doc = "size of a bias or noise"));
}

static void declare_outputs(tac_declare *d, tac__scenario *s)
{
    tac__scenario_ports *p = &s->ports;
    p->arm = tac_declare_output(
        d, TAC_PORT(.name = "arm", .type = TAC_TYPE_BOOL, .doc = "the motors may turn"));
    p->mode = tac_declare_output(d, TAC_PORT(.name = "mode",
                                             .type = TAC_TYPE_ENUM(tac__flight_mode_labels),
                                             .doc = "what flight control is to do"));
    p->gust = tac_declare_output(d, TAC_PORT(.name = "gust", .type = TAC_TYPE_VEC3, .unit = "m/s",
                                             .doc = "added to the wind: north, east, down"));
    p->motor_hold = declare_array(d, "motor_hold", s->motors, "1: deaf to its command");
    p->motor_duty = declare_array(d, "motor_duty", s->motors, "what it does instead");
    p->motor_loss = declare_array(d, "motor_loss", s->motors, "part of its thrust that is lost");
    p->battery_open = declare_array(d, "battery_open", s->batteries, "1: disconnected");
    for (int i = 0; i < TAC__SENSORS; i++)
        declare_sensor(d, s, i);
}

static int declare_numbers(tac_declare *d, const char *name, size_t count)
{
    return tac_declare_state(
        d, TAC_PORT(.name = name, .type = TAC_TYPE_ARRAY(TAC_I64, count ? (uint32_t)count : 1)));
}

static uint32_t read_count(tac_declare *d, const char *name, const char *doc)
{
    return (uint32_t)tac_param_int(
        d, TAC_PARAM(.name = name, .fallback = "0", .range = "[0, 64]", .doc = doc));
}

static tac__carry_fn scenario_carry;

static tac_status scenario_declare(tac_declare *d, void *self)
{
    tac__scenario *s = self;
    tac__arena_init(&s->arena, NULL);
    s->begun = true;
    s->peers.arena = &s->arena;
    s->motors = read_count(d, "motors", "motors of the vehicle");
    s->batteries = read_count(d, "batteries", "batteries of the vehicle");
    declare_outputs(d, s);
    const tac_status status = tac__scenario_read(d, s);
    tac__declare_events(d, "events", scenario_carry);
    s->ports.slots = declare_numbers(d, "schedule", s->event_count * TAC__SLOT_WORDS);
    s->ports.owners = declare_numbers(d, "owners", tac__scenario_targets(s));
    s->ports.steps = declare_numbers(d, "steps", 1);
    s->ports.memory =
        s->peers.memory_words ? declare_numbers(d, "memory", s->peers.memory_words) : -1;
    return status;
}

static tac_status scenario_connect(tac_declare *d, void *self)
{
    return tac__scenario_compile(d, self);
}

static void scenario_close(void *self)
{
    tac__scenario *s = self;
    if (s->begun)
        tac__arena_fini(&s->arena);
    s->begun = false;
}

// --- running --------------------------------------------------------------------------------

static tac__slot *slots_of(const tac__scenario *s, const tac_step *step)
{
    return TAC_STATE(step, tac__slot, s->ports.slots);
}

// The first instant at or after `from_us` at which a held() in the condition of an event comes
// true.
static tac_time next_held_end(const tac__scenario *s, size_t i, tac_time from_us,
                              const tac_step *step)
{
    const tac__scenario_event *e = &s->events[i];
    const tac__instant then = {.t_us = from_us, .stepping = true};
    if (!e->condition.memory_words ||
        !tac__schedule_needs_condition(&e->timing, &slots_of(s, step)[i], &then))
        return TAC_TIME_NEVER;
    return tac__program_next(e->condition.program, tac__event_memory(s, e, step), from_us);
}

// The next instant, besides steps of the rate group, at which the scenario has something to do.
// What a held() brings counts from `from_us` on.
static tac_time next_of(const tac__scenario *s, tac_time from_us, const tac_step *step)
{
    tac_time next_us = TAC_TIME_NEVER;
    for (size_t i = 0; i < s->event_count; i++) {
        const tac_time t_us = tac__schedule_next(&slots_of(s, step)[i]);
        const tac_time held_us = next_held_end(s, i, from_us, step);
        next_us = t_us < next_us ? t_us : next_us;
        next_us = held_us < next_us ? held_us : next_us;
    }
    return next_us;
}

static bool needs_steps(const tac__scenario_event *e)
{
    return e->timing.trigger != TAC__TRIGGER_TIME;
}

static tac_status scenario_init(tac_step *step, const void *self)
{
    const tac__scenario *s = self;
    for (size_t i = 0; i < s->signal_count; i++)
        *TAC_OUT(step, double, s->signals[i].output) = s->signals[i].initial;
    for (size_t i = 0; i < s->event_count; i++) {
        const tac__scenario_event *e = &s->events[i];
        tac__schedule_start(&e->timing, &slots_of(s, step)[i]);
        if (needs_steps(e) && step->period_us == 0)
            return tac_fail(step,
                            "an event %s needs steps, but the scenario is in no rate group "
                            "with a period",
                            e->reason);
    }
    return tac_wake_at(step, next_of(s, step->t_us, step));
}

static tac_status scenario_carry(tac_step *step, const void *self, tac__past *past,
                                 tac_time *wake_us)
{
    TAC_TRY(tac__scenario_carry(step, self, past));
    *wake_us = next_of(self, step->t_us + 1, step);
    return TAC_OK;
}

static void undo(const tac__scenario *s, const tac__instant *now, tac_step *step)
{
    for (size_t i = 0; i < s->event_count; i++) {
        if (!tac__schedule_ends(&slots_of(s, step)[i], now) || !tac__scenario_undo(s, i, step))
            continue;
        char time[TAC_TIME_TEXT];
        tac_time_print(s->events[i].timing.for_us, time);
        tac_log_write(step, TAC_LOG_INFO, "%s ends (after %s)", s->events[i].text, time);
    }
}

static tac_status evaluate(const tac__scenario *s, const tac__scenario_event *e, tac_step *step,
                           bool *holds)
{
    const tac__expr_result result =
        tac__program_run(e->condition.program, step->t_us, step->in, tac__event_memory(s, e, step));
    if (result.nan)
        return tac_fail(step, "'%s' is not a number, in the condition '%s'", result.nan, e->when);
    *holds = result.value != 0;
    return TAC_OK;
}

// An event that is planned, or that has happened as often as it may, needs no condition: false.
static bool scenario_holds(const tac_step *step, const void *self, int condition)
{
    const tac__scenario *s = self;
    const size_t i = s->located[condition];
    const tac__scenario_event *e = &s->events[i];
    const tac__slot *slot = &slots_of(s, step)[i];
    const tac__instant then = {.t_us = step->t_us, .stepping = true};
    if (slot->next_us != TAC_TIME_NEVER ||
        !tac__schedule_needs_condition(&e->timing, slot, &then) ||
        !tac__formula_ready(&e->condition, step))
        return false;
    const tac__expr_result result =
        tac__program_run(e->condition.program, step->t_us, step->in, NULL);
    return !result.nan && result.value != 0;
}

static tac_status scenario_margin(const tac_step *step, const void *self, int condition,
                                  double *margin)
{
    const tac__scenario *s = self;
    return tac__formula_margin(&s->events[s->located[condition]].condition, step, margin);
}

static tac_status happen(const tac__scenario *s, size_t i, tac__instant now, tac_step *step)
{
    const tac__scenario_event *e = &s->events[i];
    tac__slot *slot = &slots_of(s, step)[i];
    bool holds = tac_turned_true(step, e->located);
    if (next_held_end(s, i, now.t_us, step) == now.t_us || holds)
        now.stepping = true; // the condition of this event is evaluated
    if (holds)
        slot->held = false; // it has turned true since it was evaluated last
    else if (tac__schedule_needs_condition(&e->timing, slot, &now) &&
             tac__formula_ready(&e->condition, step))
        TAC_TRY(evaluate(s, e, step, &holds));
    if (!tac__schedule_fires(&e->timing, slot, &now, holds))
        return TAC_OK;
    tac__scenario_act(s, i, step);
    tac_log_write(step, TAC_LOG_INFO, "%s (%s)", e->text, e->reason);
    return TAC_OK;
}

static tac_status scenario_step(tac_step *step, const void *self)
{
    const tac__scenario *s = self;
    int64_t *steps = TAC_STATE(step, int64_t, s->ports.steps);
    const tac__instant now = {
        .t_us = step->t_us, .stepping = step->due & TAC_DUE_AXIS, .step = (uint64_t)*steps};
    const tac_time planned_us = next_of(s, now.t_us, step);
    undo(s, &now, step);
    for (size_t i = 0; i < s->event_count; i++)
        TAC_TRY(happen(s, i, now, step));
    *steps += now.stepping;
    const tac_time next_us = next_of(s, now.t_us + 1, step);
    return next_us == planned_us ? TAC_OK : tac_wake_at(step, next_us);
}

static tac_status scenario_verify(tac_step *step, const void *self)
{
    const tac__scenario *s = self;
    const int64_t steps = *TAC_STATE(step, int64_t, s->ports.steps);
    if (steps < 0 || steps >> 62)
        return tac_fail(step, "has made %lld steps", (long long)steps);
    return TAC_OK;
}

static const tac_component_type scenario_type = {
    .size = sizeof(tac_component_type),
    .name = "scenario",
    .version = "1",
    .summary = "events: commands, faults and gusts, at times and on conditions",
    .flags =
        TAC__COMPONENT_BUILTIN | TAC_COMPONENT_TIMER | TAC_COMPONENT_EVENTS | TAC_COMPONENT_OUTSIDE,
    .stage = TAC_STAGE_SCENARIO,
    .self_size = sizeof(tac__scenario),
    .declare = scenario_declare,
    .connect = scenario_connect,
    .init = scenario_init,
    .kernels[TAC_NUMBERS].step = scenario_step,
    .verify = scenario_verify,
    .holds = scenario_holds,
    .margin = scenario_margin,
    .close = scenario_close,
};

const tac_component_type *const tac__scenario_types[] = {&scenario_type, NULL};
