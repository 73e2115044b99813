// read.c - events from the configuration. Every key is read for every event, so that listings and
// the schema know them all; which of them go with which action is a table.
#include "base/text.h"
#include "base/unit.h"
#include "scenario/event.h"

#include <string.h>

typedef tac__scenario_event event;

// --- which keys go with which action --------------------------------------------------------

static const char *const key_names[] = {
#define KEY_NAME(name, text) text,
    TAC__EVENT_KEYS(KEY_NAME)
#undef KEY_NAME
};

// "none" stands for a key that is not given.
static const char *const sensor_choices[] = {"none",
#define SENSOR_NAME(type, name) name,
                                             TAC__SENSOR_TABLE(SENSOR_NAME)
#undef SENSOR_NAME
                                                 NULL};

// The values of one event as they stand in the file.
typedef struct given {
    unsigned keys; // KEY_...
    const char *at, *signal, *parameter;
    uint64_t times;
    bool step, repeat, locate;
} given;

// "'signal' or 'parameter'"
static void add_names(tac__out *out, unsigned keys)
{
    const char *word = "";
    for (int i = 0; i < TAC__KEY_COUNT; i++) {
        if (keys >> i & 1) {
            tac__out_add(out, "%s'%s'", word, key_names[i]);
            word = " or ";
        }
    }
}

static tac_status check_keys(tac_declare *d, const event *e, const given *g)
{
    const tac__action *a = e->action;
    for (int i = 0; i < TAC__KEY_COUNT; i++) {
        const unsigned key = 1u << i;
        if (a->needs & ~g->keys & key)
            return tac_declare_fail(d, "do", "'%s' needs '%s'", a->name, key_names[i]);
        if (g->keys & ~(a->needs | a->may | a->either) & key)
            return tac_declare_fail(d, key_names[i], "'%s' does not go with '%s'", key_names[i],
                                    a->name);
    }
    if (!a->either || __builtin_popcount(g->keys & a->either) == 1)
        return TAC_OK;
    char names[128];
    tac__out out = tac__out_begin(names, sizeof names);
    add_names(&out, a->either);
    return tac_declare_fail(d, "do", "'%s' needs either %s", a->name, names);
}

// --- the action of an event -----------------------------------------------------------------

// A single number that may be absent.
static double read_number(tac_declare *d, const tac_param_def *p, unsigned key, given *g)
{
    size_t count;
    const double *values = tac_param_list(d, p, 1, &count);
    if (count)
        g->keys |= key;
    return count ? values[0] : 0;
}

// Numbers of motors or batteries, from 1 to `limit`, as bits.
static uint64_t read_targets(tac_declare *d, const tac_param_def *p, uint32_t limit, unsigned key,
                             given *g)
{
    size_t count;
    uint64_t bits = 0;
    const double *values = tac_param_list(d, p, TAC__FAULT_TARGETS, &count);
    for (size_t i = 0; i < count; i++) {
        const double n = values[i];
        if (n >= 1 && n <= limit && n == (double)(uint64_t)n)
            bits |= UINT64_C(1) << ((uint64_t)n - 1);
        else if (limit == 0)
            (void)tac_declare_fail(d, p->name,
                                   "the scenario has none; set '%s' to how many the "
                                   "vehicle has",
                                   key == KEY_MOTOR ? "motors" : "batteries");
        else
            (void)tac_declare_fail(d, p->name,
                                   "there is no %s %.17g; they are numbered from 1 to "
                                   "%u",
                                   p->name, n, limit);
    }
    if (count)
        g->keys |= key;
    return bits;
}

static void read_wind(tac_declare *d, event *e, given *g)
{
    size_t count;
    const double *wind = tac_param_list(d,
                                        TAC_PARAM(.name = "wind", .unit = "m/s", .fallback = "[]",
                                                  .doc = "of a gust: north, east, down"),
                                        3, &count);
    if (count == 0)
        return;
    if (count != 3)
        (void)tac_declare_fail(d, "wind", "expected 3 numbers (north, east, down), found %zu",
                               count);
    else
        memcpy(e->value, wind, sizeof e->value);
    g->keys |= KEY_WIND;
}

static const char *read_text(tac_declare *d, const char *name, const char *doc, unsigned key,
                             given *g)
{
    const char *text = tac_param_text(d, TAC_PARAM(.name = name, .fallback = "", .doc = doc));
    if (*text)
        g->keys |= key;
    return text;
}

static void read_motors(tac_declare *d, const tac__scenario *s, event *e, given *g)
{
    e->motors = read_targets(d,
                             TAC_PARAM(.name = "motor", .fallback = "[]",
                                       .doc = "number of the motor, from 1, or several"),
                             s->motors, KEY_MOTOR, g);
    e->batteries = read_targets(d,
                                TAC_PARAM(.name = "battery", .fallback = "[]",
                                          .doc = "number of the battery, from 1, or several"),
                                s->batteries, KEY_BATTERY, g);
    const double duty = read_number(d,
                                    TAC_PARAM(.name = "duty", .fallback = "[]", .range = "[0, 1]",
                                              .doc = "at which a motor is stuck"),
                                    KEY_DUTY, g);
    const double loss = read_number(d,
                                    TAC_PARAM(.name = "loss", .fallback = "[]", .range = "[0, 1]",
                                              .doc = "part of a motor's thrust"),
                                    KEY_LOSS, g);
    if (g->keys & (KEY_DUTY | KEY_LOSS))
        e->value[0] = g->keys & KEY_DUTY ? duty : loss;
}

static void read_sensor(tac_declare *d, event *e, given *g)
{
    const int sensor = tac_param_choice(
        d, TAC_PARAM(.name = "sensor", .fallback = "none", .doc = "that is faulty"),
        sensor_choices);
    e->fault = (tac__sensor_fault)tac_param_choice(
        d, TAC_PARAM(.name = "fault", .fallback = "none", .doc = "what is wrong with it"),
        tac__sensor_fault_labels);
    if (sensor > 0) {
        e->sensors = UINT64_C(1) << (sensor - 1);
        g->keys |= KEY_SENSOR;
    }
    if (e->fault != TAC__FAULT_NONE)
        g->keys |= KEY_FAULT;
}

static void read_action(tac_declare *d, const tac__scenario *s, event *e, given *g)
{
    e->action = &tac__actions[tac_param_choice(d, TAC_PARAM(.name = "do", .doc = "what happens"),
                                               tac__action_names)];
    read_wind(d, e, g);
    read_motors(d, s, e, g);
    read_sensor(d, e, g);
    g->signal = read_text(d, "signal", "of the scenario, to be set", KEY_SIGNAL, g);
    g->parameter = read_text(d, "parameter", "of a component, to be set: control.cruise_speed",
                             KEY_PARAMETER, g);
    e->value_text = read_text(d, "value", "of what is set, or of a bias or noise", KEY_VALUE, g);
    e->text = read_text(d, "text", "to be logged", KEY_TEXT, g);
}

// --- the timing of an event -----------------------------------------------------------------

static void read_timing(tac_declare *d, event *e, given *g)
{
    tac__timing *t = &e->timing;
    size_t count;
    g->at = tac_param_text(d, TAC_PARAM(.name = "at", .fallback = "", .doc = "a time"));
    const double *step = tac_param_list(
        d,
        TAC_PARAM(.name = "at_step", .fallback = "[]", .range = "[0, 1e15]",
                  .doc = "the step of the scenario's rate group with this number, from 0"),
        1, &count);
    e->when = tac_param_text(d, TAC_PARAM(.name = "when", .fallback = "",
                                          .doc = "a condition: vehicle.battery.soc < 0.3"));
    t->every_us = tac_param_time(
        d, TAC_PARAM(.name = "every", .fallback = "0", .doc = "with at: again and again"));
    g->times =
        (uint64_t)tac_param_int(d, TAC_PARAM(.name = "times", .fallback = "0", .range = "[0, 1e15]",
                                             .doc = "at most so often; 0: no limit"));
    g->repeat = tac_param_bool(d, TAC_PARAM(.name = "repeat", .fallback = "false",
                                            .doc = "with when: each time it turns true"));
    g->locate =
        tac_param_bool(d, TAC_PARAM(.name = "locate", .fallback = "false",
                                    .doc = "with when: at the microsecond at which it turns "
                                           "true between steps"));
    t->after_us = tac_param_time(
        d, TAC_PARAM(.name = "after", .fallback = "0", .doc = "with when: so much later"));
    t->for_us = tac_param_time(d, TAC_PARAM(.name = "for", .fallback = "0",
                                            .doc = "a fault or gust ends after it; 0: stays"));
    g->keys |= t->for_us ? KEY_FOR : 0;
    t->trigger = *e->when ? TAC__TRIGGER_CONDITION : count ? TAC__TRIGGER_STEP : TAC__TRIGGER_TIME;
    t->limit = (t->trigger == TAC__TRIGGER_CONDITION && !g->repeat) ? 1 : g->times;
    g->step = count > 0;
    t->step = count ? (uint64_t)step[0] : 0;
    if (count && step[0] != (double)t->step)
        (void)tac_declare_fail(d, "at_step", "%.17g is not a whole number", step[0]);
}

static tac_status read_at(tac_declare *d, const char *text, tac_time *t_us)
{
    tac_error err;
    if (tac_time_parse(text, t_us, &err) != TAC_OK)
        return tac_declare_fail(d, "at", "%s", err.text);
    return TAC_OK;
}

static tac_status check_timing(tac_declare *d, event *e, const given *g)
{
    tac__timing *t = &e->timing;
    const bool at = *g->at, step = g->step, when = *e->when;
    if (!when && tac_param_node(d, "when"))
        return tac_declare_fail(d, "when",
                                "the condition is empty; expected one such as "
                                "vehicle.battery.soc < 0.3");
    if (at + when + step == 0)
        return tac_declare_fail(d, NULL,
                                "the event has no time; expected one of at, at_step, when");
    if (at && when)
        return tac_declare_fail(d, "at", "an event has either 'at' or 'when'");
    if (step && (at || when))
        return tac_declare_fail(d, "at_step", "an event has either 'at_step' or '%s'",
                                at ? "at" : "when");
    if (t->every_us && !at)
        return tac_declare_fail(d, "every", "'every' goes with 'at'");
    if (g->repeat && !when)
        return tac_declare_fail(d, "repeat",
                                "'repeat' goes with 'when'; with 'at' there is "
                                "'every'");
    if (g->locate && !when)
        return tac_declare_fail(d, "locate", "'locate' goes with 'when'");
    if (t->after_us && !when)
        return tac_declare_fail(d, "after", "'after' goes with 'when'");
    if (g->times && !t->every_us && !g->repeat)
        return tac_declare_fail(d, "times", "'times' goes with 'every' or 'repeat'");
    return at ? read_at(d, g->at, &t->at_us) : TAC_OK;
}

// --- names of signals and parameters --------------------------------------------------------

// Have the engine find where the condition turns true.
static tac_status locate(tac_declare *d, tac__scenario *s, event *e)
{
    if (e->condition.memory_words)
        return tac_declare_fail(d, "locate",
                                "the condition cannot be located: it remembers; expected one "
                                "without rising, falling, held and since");
    const size_t i = (size_t)(e - s->events);
    const char *name = tac__arena_format(&s->arena, "event%zu", i);
    if (!name)
        return TAC_E_MEMORY;
    e->located = tac__formula_locate(d, name, "when", &e->condition);
    s->located[e->located] = i;
    return TAC_OK;
}

static const char *signal_name(const void *context, size_t i)
{
    const tac__scenario *s = context;
    return i < s->signal_count ? s->signals[i].name : NULL;
}

static tac_status read_value(tac_declare *d, event *e, const char *unit)
{
    tac_error err;
    if (tac__quantity_parse(e->value_text, unit, &e->value[0], &err) != TAC_OK)
        return tac_declare_fail(d, "value", "%s", err.text);
    return TAC_OK;
}

static tac_status set_signal(tac_declare *d, const tac__scenario *s, event *e, const char *name)
{
    for (size_t i = 0; i < s->signal_count; i++) {
        if (strcmp(s->signals[i].name, name))
            continue;
        e->output = s->signals[i].output;
        return read_value(d, e, s->signals[i].unit);
    }
    tac_error err;
    tac__fail(&err, TAC_E_NAME, "the scenario has no signal '%s'", name);
    tac__error_suggest(&err, name, signal_name, s);
    return tac_declare_fail(d, "signal", "%s", err.text);
}

static tac_status read_set(tac_declare *d, tac__scenario *s, event *e, const given *g)
{
    if (g->keys & KEY_SIGNAL)
        return set_signal(d, s, e, g->signal);
    e->feeds = true; // the value is read when the unit of the parameter is known
    return tac__peers_feed(d, &s->peers, g->parameter, "parameter", &e->output);
}

static tac_status read_sensor_value(tac_declare *d, event *e, const given *g)
{
    const bool wants = tac__fault_has_value(e->fault);
    const bool has = g->keys & KEY_VALUE;
    if (wants && !has)
        return tac_declare_fail(d, "fault", "'%s' needs 'value'",
                                tac__sensor_fault_labels[e->fault]);
    if (has && !wants)
        return tac_declare_fail(d, "value", "'value' does not go with '%s'",
                                tac__sensor_fault_labels[e->fault]);
    return has ? read_value(d, e, NULL) : TAC_OK;
}

// --- for the log ----------------------------------------------------------------------------

static void add_numbers(tac__out *out, const char *word, uint64_t bits)
{
    for (int i = 0; i < TAC__FAULT_TARGETS; i++) {
        if (bits >> i & 1)
            tac__out_add(out, " %s %d", word, i + 1);
    }
}

static void add_value(tac__out *out, double value)
{
    char text[TAC__NUMBER_TEXT];
    tac__number_print(value, text);
    tac__out_add(out, " %s", text);
}

// "motor_stuck motor 2 duty 0.4"
static tac_status describe_action(tac__scenario *s, event *e, const given *g)
{
    char text[512];
    tac__out out = tac__out_begin(text, sizeof text);
    tac__out_add(&out, "%s", e->action->name);
    add_numbers(&out, "motor", e->motors);
    add_numbers(&out, "battery", e->batteries);
    for (int i = 0; i < TAC__SENSORS; i++) {
        if (e->sensors >> i & 1)
            tac__out_add(&out, " %s", tac__sensor_names[i]);
    }
    if (g->keys & KEY_FAULT)
        tac__out_add(&out, " %s", tac__sensor_fault_labels[e->fault]);
    if (g->keys & (KEY_SIGNAL | KEY_PARAMETER))
        tac__out_add(&out, " %s", g->keys & KEY_SIGNAL ? g->signal : g->parameter);
    if (g->keys & KEY_VALUE)
        tac__out_add(&out, " %s", e->value_text);
    for (int i = 0; g->keys & KEY_WIND && i < 3; i++)
        add_value(&out, e->value[i]);
    if (g->keys & (KEY_DUTY | KEY_LOSS))
        add_value(&out, e->value[0]);
    if (!(g->keys & KEY_TEXT)) // which is the text itself
        e->text = tac__arena_text(&s->arena, text);
    return e->text ? TAC_OK : TAC_E_MEMORY;
}

// "when vehicle.battery.soc < 0.3, 2 s later"
static tac_status describe_timing(tac__scenario *s, event *e)
{
    char text[TAC__EXPR_LENGTH + 128], time[TAC_TIME_TEXT];
    const tac__timing *t = &e->timing;
    tac__out out = tac__out_begin(text, sizeof text);
    if (t->trigger == TAC__TRIGGER_CONDITION) {
        tac__out_add(&out, "when %s", e->when);
    } else if (t->trigger == TAC__TRIGGER_STEP) {
        tac__out_add(&out, "at step %llu", (unsigned long long)t->step);
    } else {
        tac_time_print(t->at_us, time);
        tac__out_add(&out, "at %s", time);
    }
    if (t->every_us) {
        tac_time_print(t->every_us, time);
        tac__out_add(&out, ", every %s", time);
    }
    if (t->after_us) {
        tac_time_print(t->after_us, time);
        tac__out_add(&out, ", %s later", time);
    }
    e->reason = tac__arena_text(&s->arena, text);
    return e->reason ? TAC_OK : TAC_E_MEMORY;
}

// --- all events -----------------------------------------------------------------------------

static tac_status read_event(tac_declare *d, tac__scenario *s, event *e)
{
    given g = {0};
    read_timing(d, e, &g);
    read_action(d, s, e, &g);
    TAC_TRY(check_keys(d, e, &g));
    TAC_TRY(check_timing(d, e, &g));
    e->located = -1;
    if (*e->when)
        TAC_TRY(tac__formula_read(d, &s->peers, "when", e->when, &e->condition));
    if (g.locate)
        TAC_TRY(locate(d, s, e));
    if (g.keys & (KEY_SIGNAL | KEY_PARAMETER))
        TAC_TRY(read_set(d, s, e, &g));
    if (g.keys & KEY_FAULT)
        TAC_TRY(read_sensor_value(d, e, &g));
    TAC_TRY(describe_action(s, e, &g));
    return describe_timing(s, e);
}

static tac_status read_signals(tac_declare *d, tac__scenario *s)
{
    s->signal_count = tac_param_items(
        d, TAC_PARAM(.name = "signals", .fallback = "[]", .doc = "signals of one's own, for set"),
        TAC__SIGNALS_MAX);
    s->signals = tac__arena_array(&s->arena, s->signal_count, sizeof *s->signals);
    if (!s->signals)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < s->signal_count; i++) {
        tac__scenario_signal *signal = &s->signals[i];
        tac_param_begin(d, "signals", i);
        signal->name = tac_param_text(d, TAC_PARAM(.name = "name", .doc = "of the output"));
        signal->unit =
            tac_param_text(d, TAC_PARAM(.name = "unit", .fallback = "1", .doc = "its unit"));
        signal->initial =
            tac_param_f64(d, TAC_PARAM(.name = "initial", .unit = signal->unit, .fallback = "0",
                                       .doc = "its value until it is set"));
        signal->output = -1;
        if (*signal->name)
            signal->output =
                tac_declare_output(d, TAC_PORT(.name = signal->name, .type = TAC_TYPE_F64,
                                               .unit = signal->unit, .doc = "set by events"));
        tac_param_end(d);
    }
    return TAC_OK;
}

tac_status tac__scenario_read(tac_declare *d, tac__scenario *s)
{
    TAC_TRY(read_signals(d, s));
    s->event_count = tac_param_items(
        d, TAC_PARAM(.name = "events", .fallback = "[]", .doc = "what happens, and when"),
        TAC__EVENTS_MAX);
    s->events = tac__arena_array(&s->arena, s->event_count, sizeof *s->events);
    s->located = tac__arena_array(&s->arena, s->event_count, sizeof *s->located);
    if (!s->events || !s->located)
        return TAC_E_MEMORY;
    // The first event with a mistake is reported.
    for (size_t i = 0; i < s->event_count; i++) {
        tac_param_begin(d, "events", i);
        const tac_status status = read_event(d, s, &s->events[i]);
        tac_param_end(d);
        TAC_TRY(status);
    }
    return TAC_OK;
}

// --- once all is connected ------------------------------------------------------------------

static tac_status compile_event(tac_declare *d, tac__scenario *s, event *e)
{
    if (e->condition.parsed)
        TAC_TRY(tac__formula_compile(d, &s->peers, "when", TAC__EXPR_BOOL, NULL, &e->condition));
    return e->feeds ? read_value(d, e, tac_feed_unit(d, e->output)) : TAC_OK;
}

// Warn of an event behind the end of the run: it never happens.
static void doubt_time(tac_declare *d, const event *e)
{
    const tac_time end_us = tac__declare_end(d), period_us = tac__declare_period(d);
    const tac__timing *t = &e->timing;
    char time[TAC_TIME_TEXT];
    tac_time_print(end_us, time);
    if (t->trigger == TAC__TRIGGER_TIME && t->at_us > end_us)
        tac_declare_doubt(d, "event-late", "at", "the run ends before, at %s: this never happens",
                          time);
    if (t->trigger == TAC__TRIGGER_STEP && period_us && t->step > end_us / period_us)
        tac_declare_doubt(d, "event-late", "at_step",
                          "the run ends before, at %s: this never happens", time);
}

tac_status tac__scenario_compile(tac_declare *d, tac__scenario *s)
{
    for (size_t i = 0; i < s->event_count; i++) {
        tac_param_begin(d, "events", i);
        const tac_status status = compile_event(d, s, &s->events[i]);
        doubt_time(d, &s->events[i]);
        if (status == TAC_OK)
            tac__scenario_doubt_targets(d, s, i);
        tac_param_end(d);
        TAC_TRY(status);
    }
    return TAC_OK;
}
