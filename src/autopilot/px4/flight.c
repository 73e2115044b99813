// flight.c - a flight with PX4: its start, and what happens in each tick. The library is opened in
// the first step, so that commands that never step it (check, explain, a replay) do not need it.
#define TAC_KIND_F64
#include "autopilot/px4/px4.h"
#include "autopilot/ports.h"
#include "autopilot/flight.h"
#include "autopilot/mission.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/math.h>

static const double DEGREE = 3.14159265358979323846 / 180;

static const tac__px4_results *results_of(const tac__px4_flight *f)
{
    return (const tac__px4_results *)f->results;
}

// PX4's `finished` alone does not tell: it is 1 when a mission begins, too.
static bool mission_done(const tac__px4_flight *f)
{
    const tac__px4_results *r = results_of(f);
    return r->mission_finished[0] > 0 && r->mission_total[0] > 0 &&
           r->mission_reached[0] + 1 >= r->mission_total[0];
}

// --- text of PX4 --------------------------------------------------------------------------------

// "WARN  [navigator] text": its level, and where the rest begins.
static tac_log_level level_of(const char *line, const char **rest)
{
    static const struct {
        const char *word;
        tac_log_level level;
    } levels[] = {{"DEBUG", TAC_LOG_DEBUG},
                  {"INFO", TAC_LOG_INFO},
                  {"WARN", TAC_LOG_WARN},
                  {"ERROR", TAC_LOG_ERROR},
                  {"PANIC", TAC_LOG_ERROR}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const size_t n = strlen(levels[i].word);
        const size_t spaces = strncmp(line, levels[i].word, n) ? 0 : strspn(line + n, " ");
        if (spaces && line[n + spaces] == '[') {
            *rest = line + n + spaces;
            return levels[i].level;
        }
    }
    *rest = line;
    return TAC_LOG_INFO;
}

// Keep a warning as the newest one, without the name of PX4's module.
static void keep_words(tac__px4_words *w, const char *text)
{
    const char *bracket = *text == '[' ? strstr(text, "] ") : NULL;
    char line[TAC__PX4_WORDS_LINE];
    snprintf(line, sizeof line, "%s", bracket ? bracket + 2 : text);
    size_t old = 0;
    while (old < w->count && strcmp(w->lines[old], line))
        old++;
    if (old == w->count)
        old = w->count < TAC__PX4_WORDS ? w->count++ : 0;
    memmove(w->lines + old, w->lines + old + 1, (w->count - 1 - old) * sizeof w->lines[0]);
    memcpy(w->lines[w->count - 1], line, sizeof line);
}

static void add_words(const tac__px4_words *w, tac_error *err)
{
    for (size_t i = 0; i < w->count; i++)
        tac__error_append(err, "%s%s", i ? "; " : "", w->lines[i]);
    if (w->count == 0)
        tac__error_append(err, "it does not say why");
}

// What PX4 has printed goes to the log. `all`: also a line that has not ended.
static void log_text(tac_step *s, tac__px4_flight *f, bool all)
{
    if (f->printed.used == 0)
        return;
    const size_t dropped = f->printed.dropped;
    char line[TAC__PRINTED_LINE];
    while (tac__printed_take(&f->printed, all, line)) {
        const char *text;
        const tac_log_level level = level_of(line, &text);
        if (!*text)
            continue;
        if (level >= TAC_LOG_WARN)
            keep_words(&f->words, text);
        tac_log_write(s, level, "PX4: %s", text);
    }
    if (dropped)
        tac_log_write(s, TAC_LOG_WARN, "PX4 printed %zu bytes more at once than are kept", dropped);
}

// --- inputs of PX4 ------------------------------------------------------------------------------

static double heading_of(const double *q)
{
    return tac_atan2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3]));
}

static void put_place(const tac__px4_component *c, const double *ned, double *latitude,
                      double *longitude, double *altitude)
{
    const geodetic at = geodesy_from_ned(&c->geodesy, vec3_from_array(ned));
    *latitude = at.latitude / DEGREE;
    *longitude = at.longitude / DEGREE;
    *altitude = at.altitude;
}

static void put_state(const tac_step *s, const tac__px4_component *c, tac__px4_flight *f)
{
    tac__px4_values *v = &f->values;
    const double *position = s->in[TAC__PX4_IN_POSITION];
    for (int i = 0; i < 3; i++)
        v->position[i] = position[i] - f->home[i];
    memcpy(v->velocity, s->in[TAC__PX4_IN_VELOCITY], sizeof v->velocity);
    memcpy(v->attitude, s->in[TAC__PX4_IN_ATTITUDE], sizeof v->attitude);
    memcpy(v->rate, s->in[TAC__PX4_IN_RATE], sizeof v->rate);
    if (tac_connected(s, TAC__PX4_IN_ANGULAR_ACCELERATION))
        memcpy(v->angular_acceleration, s->in[TAC__PX4_IN_ANGULAR_ACCELERATION],
               sizeof v->angular_acceleration);
    v->heading[0] = heading_of(v->attitude);
    put_place(c, position, v->latitude, v->longitude, v->altitude);
}

static void put_array(const tac_step *s, int input, uint32_t count, double *values)
{
    if (tac_connected(s, input))
        memcpy(values, s->in[input], count * sizeof *values);
}

// The worst level comes first, whatever the order of the thresholds: as PX4's battery library.
static int warning_of(const tac__px4_flight *f, double soc)
{
    int level = TAC__PX4_WARNINGS;
    while (level > 0 && !(soc < f->warnings[level - 1]))
        level--;
    return level;
}

static void put_telemetry(const tac_step *s, const tac__px4_component *c, tac__px4_flight *f)
{
    tac__px4_values *v = &f->values;
    put_array(s, TAC__PX4_IN_BATTERY_VOLTAGE, c->batteries, v->battery_voltage);
    put_array(s, TAC__PX4_IN_BATTERY_CURRENT, c->batteries, v->battery_current);
    put_array(s, TAC__PX4_IN_BATTERY_SOC, c->batteries, v->battery_soc);
    put_array(s, TAC__PX4_IN_ROTOR_SPEED, c->rotors, v->rotor_speed);
    put_array(s, TAC__PX4_IN_BUS_VOLTAGE, c->buses, v->bus_voltage);
    for (uint32_t i = 0; i < c->batteries; i++)
        v->battery_warning[i] = warning_of(f, v->battery_soc[i]);
}

static void put_time(tac__px4_flight *f, tac_time t_us)
{
    f->values.time[0] = (double)t_us;
    f->values.time_nonzero[0] = t_us ? (double)t_us : 1;
    f->values.ticks[0] = (double)++f->ticks;
}

static void put_pilot(tac__px4_flight *f)
{
    const tac__pilot *p = &f->pilot;
    tac__px4_values *v = &f->values;
    v->armed[0] = p->armed;
    v->arming_state[0] = p->armed ? 2 : 1;
    v->nav_state[0] = p->nav_state;
    v->automatic[0] = p->nav_state != TAC__NAV_MANUAL;
    v->manual[0] = p->nav_state == TAC__NAV_MANUAL;
    v->landed[0] = p->landed;
}

// --- commands -----------------------------------------------------------------------------------

typedef struct hearing {
    tac_step *step;
    const tac__px4_component *component;
} hearing;

// Return the row of the mission that is under way; NULL: PX4 has not begun one.
static const tac__px4_row *current_row(const tac__px4_component *c)
{
    const double current = results_of(c->flight)->mission_current[0];
    return current >= 0 && current < (double)c->items.count ? &c->items.rows[(size_t)current]
                                                            : NULL;
}

static bool ends_mission(const tac__px4_component *c, const tac__px4_command *command)
{
    const tac__px4_row *row = current_row(c);
    return command->number == TAC__COMMAND_RETURN && row && row->kind == TAC__ITEM_RETURN &&
           c->flight->pilot.nav_state == TAC__NAV_MISSION;
}

// A refusal is told once, however often the command is repeated.
static void tell_refusal(tac_step *s, tac__px4_flight *f, const tac__px4_command *command,
                         const char *why)
{
    const double now[4] = {command->number, command->param[0], command->param[1],
                           command->param[2]};
    if (!memcmp(now, f->refused, sizeof now))
        return;
    memcpy(f->refused, now, sizeof now);
    tac_log_write(s, TAC_LOG_WARN, "PX4's command %.0f (%s) is refused: %s", command->number,
                  tac__mission_command_name(command->number), why);
}

static void obey(const hearing *h, const tac__px4_command *command, int state)
{
    tac__px4_flight *f = h->component->flight;
    if (state != f->pilot.nav_state)
        tac_log_write(h->step, TAC_LOG_INFO, "PX4 commands %s",
                      tac__mission_command_name(command->number));
    f->returning |= ends_mission(h->component, command);
    tac__pilot_command(&f->pilot, state, tac__flight_mode_of(h->step, TAC__PX4_IN_MODE));
}

static void hear_command(void *context)
{
    const hearing *h = context;
    tac__px4_flight *f = h->component->flight;
    const tac__px4_results *r = results_of(f);
    if (r->command_system[0] == TAC__PX4_OWN_SYSTEM &&
        r->command_component[0] == TAC__PX4_OWN_COMPONENT)
        return;
    const tac__px4_command command = {
        .number = r->command[0],
        .param = {r->command_param[0], r->command_param[1], r->command_param[2]},
        .armed = f->pilot.armed,
        .mission_valid = r->mission_valid[0] > 0,
        .mission_total = r->mission_total[0],
    };
    const tac__px4_answer answer = tac__px4_answer_to(&command);
    if (!answer.ours)
        return;
    if (answer.why)
        tell_refusal(h->step, f, &command, answer.why);
    else
        obey(h, &command, answer.state);
    tac__px4_acks_add(&f->acks, &(tac__px4_ack){command.number, answer.result, r->command_system[0],
                                                r->command_component[0]});
}

static uint32_t tell_ack(tac__px4_flight *f)
{
    tac__px4_ack ack;
    if (!tac__px4_acks_take(&f->acks, &ack))
        return 0;
    tac__px4_values *v = &f->values;
    v->ack_command[0] = ack.command;
    v->ack_result[0] = ack.result;
    v->ack_system[0] = ack.system;
    v->ack_component[0] = ack.component;
    return TAC__PX4_TELL_ACK;
}

// The speed of the item under way. PX4's loader loses speeds, so they are commanded. PX4 forgets
// them as it begins a mission, and has done so after a few periods of its navigator.
static double wanted_speed(const tac__px4_component *c, tac_time t_us)
{
    enum { PERIODS = 3 };
    const tac__px4_flight *f = c->flight;
    const tac__px4_row *row = current_row(c);
    if (f->pilot.nav_state != TAC__NAV_MISSION)
        return 0;
    return row && t_us >= f->pilot.entered_us + PERIODS * c->habits.renew_us ? row->speed_m_s
                                                                             : f->speed_told_m_s;
}

static uint32_t tell_speed(tac_step *s, const tac__px4_component *c, tac_time t_us)
{
    tac__px4_flight *f = c->flight;
    const double wanted = wanted_speed(c, t_us);
    if (wanted == f->speed_told_m_s)
        return 0;
    f->speed_told_m_s = wanted;
    tac__px4_values *v = &f->values;
    v->order_command[0] = TAC__COMMAND_CHANGE_SPEED;
    memcpy(v->order_param, (double[]){1, wanted > 0 ? wanted : -1, -1}, sizeof v->order_param);
    if (wanted > 0)
        tac_log_write(s, TAC_LOG_INFO, "PX4 is told to fly at %g m/s", wanted);
    else
        tac_log_write(s, TAC_LOG_INFO, "PX4 is told to fly at its own speed");
    return TAC__PX4_TELL_ORDER;
}

// --- a step of PX4 ------------------------------------------------------------------------------

static tac_status exchange(tac_step *s, const tac__px4_component *c, tac_time t_us, bool all)
{
    tac__px4_flight *f = c->flight;
    const uint32_t tell = all ? 0 : tell_ack(f) | tell_speed(s, c, t_us);
    const tac__px4_sending now = {
        .t_us = t_us,
        .tick = all ? 0 : f->ticks - 2, // the tick before the start is not counted
        .all = all,
        .tell = tell,
        .values = &f->values,
        .in = s->in,
        .memory = c->memory < 0 ? NULL : s->state[c->memory],
    };
    hearing h = {s, c};
    const tac__px4_listener listener = {hear_command, &h};
    TAC_TRY(tac__px4_send(c->traffic, f->px4, &now, &f->err));
    TAC_TRY(tac__px4_step(f->px4, t_us, &f->err));
    return tac__px4_receive(c->traffic, f->px4, f->results, &listener, &f->err);
}

// --- start --------------------------------------------------------------------------------------

static tac_status set_rotor(tac__px4 *px4, const tac__rotor *r, int i, tac_error *err)
{
    const double km = r->propeller.kq / r->propeller.kt * r->direction;
    const struct {
        const char *name;
        double value;
    } params[] = {
        {"PX", r->position_m[0]}, {"PY", r->position_m[1]}, {"PZ", r->position_m[2]}, {"KM", km},
        {"AX", -r->axis[0]},      {"AY", -r->axis[1]},      {"AZ", -r->axis[2]},
    };
    for (size_t k = 0; k < sizeof params / sizeof *params; k++) {
        char name[32];
        snprintf(name, sizeof name, "CA_ROTOR%d_%s", i, params[k].name);
        TAC_TRY(tac__px4_set_f32(px4, name, (float)params[k].value, err));
    }
    return TAC_OK;
}

// A file from a vehicle may have many parameters that the library lacks: all are told at once.
static tac_status set_file_params(const tac__px4_component *c, tac__px4 *px4, tac_error *err)
{
    enum { TOLD_MAX = 40 };
    size_t wrong = 0;
    for (size_t i = 0; i < c->file_params.count; i++) {
        const tac__px4_file_param *p = &c->file_params.items[i];
        tac_error why;
        const tac_status status = p->whole ? tac__px4_set_i32(px4, p->name, (int32_t)p->value, &why)
                                           : tac__px4_set_f32(px4, p->name, (float)p->value, &why);
        if (status == TAC_OK)
            continue;
        if (wrong++ == 0)
            tac__fail(err, status, "%s:%u:%u: %s", c->file_params.path, p->line, p->column,
                      why.text);
        else if (wrong <= TOLD_MAX)
            tac__error_append(err, "%s%s in line %u", wrong == 2 ? "; also refused: " : ", ",
                              p->name, p->line);
        if (status != TAC_E_NAME && status != TAC_E_TYPE)
            return err->status;
    }
    if (wrong > TOLD_MAX)
        tac__error_append(err, ", and %zu more", wrong - TOLD_MAX);
    return wrong ? err->status : TAC_OK;
}

// The user's parameters come last, so they may override the geometry, too.
static tac_status set_params(const tac_step *s, const tac__px4_component *c, tac__px4 *px4,
                             tac_error *err)
{
    TAC_TRY(tac__px4_set_i32(px4, "CA_AIRFRAME", 0, err));
    TAC_TRY(tac__px4_set_i32(px4, "CA_ROTOR_COUNT", c->vehicle.rotors, err));
    for (int i = 0; i < c->vehicle.rotors; i++)
        TAC_TRY(set_rotor(px4, &c->vehicle.rotor[i], i, err));
    TAC_TRY(set_file_params(c, px4, err));
    for (size_t i = 0; i < c->param_count; i++) {
        c->flight->params[i] = *TAC_IN(s, double, c->params[i].input);
        TAC_TRY(tac__px4_set(px4, c->params[i].name, c->flight->params[i], err));
    }
    if (c->param_count + c->file_params.count)
        TAC_TRY(tac__px4_notify(px4, err));
    return c->config.enable_control_allocator ? tac__px4_update_allocator(px4, err) : TAC_OK;
}

// PX4's thresholds, and its defaults where the library lacks the parameters.
static tac_status read_warnings(tac__px4_flight *f)
{
    static const struct {
        const char *param;
        float fallback;
    } thresholds[TAC__PX4_WARNINGS] = {
        {"BAT_LOW_THR", 0.15f}, {"BAT_CRIT_THR", 0.07f}, {"BAT_EMERGEN_THR", 0.05f}};
    for (int i = 0; i < TAC__PX4_WARNINGS; i++) {
        float value = thresholds[i].fallback;
        tac_error err;
        const tac_status status = tac__px4_get_f32(f->px4, thresholds[i].param, &value, &err);
        if (status != TAC_OK && status != TAC_E_NAME) {
            f->err = err;
            return status;
        }
        f->warnings[i] = (double)value;
    }
    return TAC_OK;
}

static const char *library_of(const tac__px4_component *c)
{
    return *c->library ? c->library : getenv(TAC__PX4_VARIABLE);
}

static void find_home(const tac_step *s, const tac__px4_component *c, tac__px4_flight *f)
{
    tac__px4_values *v = &f->values;
    const double *home = c->has_home ? c->home : s->in[TAC__PX4_IN_POSITION];
    memcpy(f->home, home, sizeof f->home);
    put_place(c, home, v->home_latitude, v->home_longitude, v->home_altitude);
    v->home_heading[0] = heading_of(s->in[TAC__PX4_IN_ATTITUDE]);
}

// Where the vehicle is when it stands, down from the world's origin: where it starts if that is
// near the ground, else no more than its own height above the ground. Home does not tell: it may be
// in the air, and the vehicle may fly below it.
static double standing_down(const tac_step *s, const tac__px4_component *c)
{
    static const double near_m = 1, tall_m = 0.5;
    const double start_down_m = ((const double *)s->in[TAC__PX4_IN_POSITION])[2];
    if (-start_down_m - c->ground_m < near_m)
        return start_down_m;
    return -c->ground_m - tall_m + c->habits.landed_height_m;
}

// Values for telemetry that is not connected: a full battery at its nominal voltage.
static void rest_telemetry(const tac_step *s, const tac__px4_component *c, tac__px4_flight *f)
{
    tac__px4_values *v = &f->values;
    v->battery_connected[0] = tac_connected(s, TAC__PX4_IN_BATTERY_VOLTAGE);
    for (uint32_t i = 0; i < TAC__PX4_BATTERIES; i++) {
        v->battery_voltage[i] = v->bus_voltage[i] = c->vehicle.voltage_v;
        v->battery_soc[i] = 1;
        v->battery_id[i] = i + 1;
    }
}

static tac_status load_mission(const tac__px4_component *c, tac__px4_flight *f)
{
    const tac__px4_values *v = &f->values;
    const tac__px4_home home = {v->home_latitude[0], v->home_longitude[0],
                                v->home_heading[0] / DEGREE};
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__px4_mission_write(&c->items, &home, &text);
    const tac_status status =
        text.failed ? tac__fail_memory(&f->err)
                    : tac__px4_load_mission(f->px4, c->mission, text.chars, text.length, &f->err);
    tac__text_fini(&text);
    return status;
}

// PX4's navigator listens to instance 0 of its commands, which belongs to whoever publishes first.
static tac_status check_orders(const tac__px4_component *c, tac__px4_flight *f)
{
    const tac__px4_publisher *p = tac__px4_teller(c->traffic, TAC__PX4_TELL_ORDER);
    int32_t instance = 0;
    if (p->off)
        return tac__fail(&f->err, TAC_E_CONFIG,
                         "the mission '%s' changes the speed, but topic 'vehicle_command' is off",
                         c->mission);
    TAC_TRY(tac__px4_instance(f->px4, p->id, &instance, &f->err));
    if (instance == 0)
        return TAC_OK;
    return tac__fail(&f->err, TAC_E_ABI,
                     "the mission '%s' changes the speed, but topic 'vehicle_command' was given "
                     "instance %d, and PX4's navigator listens to instance 0",
                     c->mission, instance);
}

// A mission that returns or changes the speed needs commands; other flights do without.
static tac_status check_commands(tac_step *s, const tac__px4_component *c)
{
    tac__px4_flight *f = c->flight;
    const tac_error *misfit = &c->traffic->misfit;
    if (misfit->status != TAC_OK && (c->items.returns || c->items.speeds))
        return tac__fail(&f->err, misfit->status, "the mission '%s' %s by commands of PX4: %s",
                         c->mission, c->items.returns ? "returns" : "changes the speed",
                         misfit->text);
    if (misfit->status != TAC_OK)
        tac_log_write(s, TAC_LOG_WARN, "PX4's commands are not answered: %s", misfit->text);
    else if (c->items.returns && !tac__px4_hears(c->traffic))
        return tac__fail(&f->err, TAC_E_CONFIG,
                         "the mission '%s' returns by a command of PX4, but topic "
                         "'vehicle_command' is off",
                         c->mission);
    else if (c->items.speeds)
        return check_orders(c, f);
    return TAC_OK;
}

// PX4 gets one round of messages, disarmed and on the ground, before it gets its mission; the run
// then begins at t = 0 again.
static tac_status start(tac_step *s, const tac__px4_component *c)
{
    tac__px4_flight *f = c->flight;
    if (c->traffic->trouble.status != TAC_OK) {
        f->err = c->traffic->trouble;
        return f->err.status;
    }
    const char *library = library_of(c);
    if (!library || !*library)
        return tac__fail(&f->err, TAC_E_UNNAMED,
                         "no library of PX4 is named: give it as autopilot.px4.library or in the "
                         "environment variable " TAC__PX4_VARIABLE);
    TAC_TRY(tac__px4_open(library, &f->watch, &f->px4, &f->err));
    TAC_TRY(tac__px4_create(f->px4, &c->config, &f->err));
    TAC_TRY(set_params(s, c, f->px4, &f->err));
    TAC_TRY(read_warnings(f));
    TAC_TRY(tac__px4_traffic_open(c->traffic, f->px4, &f->err));
    find_home(s, c, f);
    f->standing_down_m = standing_down(s, c);
    rest_telemetry(s, c, f);
    put_state(s, c, f);
    put_telemetry(s, c, f);
    put_time(f, 0);
    put_pilot(f);
    TAC_TRY(exchange(s, c, 0, true));
    TAC_TRY(check_commands(s, c));
    log_text(s, f, false);
    f->words.count = 0;
    if (*c->mission)
        TAC_TRY(load_mission(c, f));
    log_text(s, f, false);
    size_t to = 0, from = 0;
    for (size_t i = 0; i < c->traffic->publisher_count; i++)
        to += !c->traffic->publishers[i].off;
    for (size_t i = 0; i < c->traffic->subscriber_count; i++)
        from += !c->traffic->subscribers[i].off;
    tac_log_write(s, TAC_LOG_INFO, "PX4 is ready: %zu topics to it, %zu from it", to, from);
    return TAC_OK;
}

// --- outputs of PX4 -----------------------------------------------------------------------------

static tac__flight_phase phase_of(const tac__pilot *p)
{
    if (!p->armed)
        return p->flown && p->on_ground ? TAC__PHASE_LANDED : TAC__PHASE_IDLE;
    switch (p->nav_state) {
    case TAC__NAV_MISSION:
        return TAC__PHASE_MISSION;
    case TAC__NAV_LOITER:
        return TAC__PHASE_HOLD;
    case TAC__NAV_RETURN:
        return TAC__PHASE_RETURN;
    case TAC__NAV_LAND:
        return TAC__PHASE_LAND;
    default:
        return !p->on_ground ? TAC__PHASE_HOLD : p->flown ? TAC__PHASE_LANDED : TAC__PHASE_IDLE;
    }
}

// A return at the end of a mission is passed when the vehicle has landed, unless something else was
// wanted on the way.
static void count_return(tac_step *s, tac__px4_flight *f)
{
    const tac__pilot *p = &f->pilot;
    f->returning &= p->nav_state == TAC__NAV_RETURN || p->nav_state == TAC__NAV_MISSION;
    if (!f->returning || f->returned || !p->flown || !p->landed)
        return;
    f->returned = true;
    f->reached = (int32_t)results_of(f)->mission_total[0];
    tac_log_write(s, TAC_LOG_INFO, "item %d of %d passed", f->reached, f->reached);
}

// The outputs keep the progress of the last flight until the vehicle is armed again, and PX4
// reports it even longer.
static void count_items(tac_step *s, tac__px4_flight *f, bool armed_before)
{
    const tac__px4_results *r = results_of(f);
    const int32_t reached = (int32_t)r->mission_reached[0] + 1;
    if (f->pilot.armed && !armed_before) {
        f->reached = 0;
        f->reached_before = reached;
        f->returning = f->returned = false;
    }
    count_return(s, f);
    if (reached == f->reached_before)
        return;
    f->reached_before = 0;
    if (reached <= f->reached || !f->pilot.armed)
        return;
    f->reached = reached;
    tac_log_write(s, TAC_LOG_INFO, "item %d of %.0f passed", reached, r->mission_total[0]);
}

static void write_motors(tac_step *s, const tac__px4_component *c)
{
    const tac__px4_flight *f = c->flight;
    double *motor = TAC_OUT(s, double, TAC__PX4_OUT_MOTOR);
    for (uint32_t i = 0; i < c->rotors; i++) {
        const double wanted = f->pilot.armed ? results_of(f)->control[i] : 0;
        motor[i] = wanted > 0 ? tac_min(wanted, 1) : 0; // NaN: the motor is off
    }
}

static void write_setpoints(tac_step *s, const tac__px4_component *c)
{
    const tac__px4_flight *f = c->flight;
    const tac__px4_results *r = results_of(f);
    double *position = TAC_OUT(s, double, TAC__PX4_OUT_POSITION);
    for (int i = 0; i < 3; i++)
        position[i] = r->position_sp[i] + f->home[i];
    memcpy(s->out[TAC__PX4_OUT_VELOCITY], r->velocity_sp, sizeof r->velocity_sp);
    memcpy(s->out[TAC__PX4_OUT_ATTITUDE], r->attitude_sp, sizeof r->attitude_sp);
    memcpy(s->out[TAC__PX4_OUT_RATE], r->rate_sp, sizeof r->rate_sp);
    memcpy(s->out[TAC__PX4_OUT_THRUST], r->thrust_sp, sizeof r->thrust_sp);
    memcpy(s->out[TAC__PX4_OUT_TORQUE], r->torque_sp, sizeof r->torque_sp);
    memcpy(s->out[TAC__PX4_OUT_ACCELERATION], r->acceleration_sp, sizeof r->acceleration_sp);
    memcpy(s->out[TAC__PX4_OUT_YAW], r->yaw_sp, sizeof r->yaw_sp);
    memcpy(s->out[TAC__PX4_OUT_CONTROL], r->control, sizeof r->control);
    memcpy(s->out[TAC__PX4_OUT_SERVO], r->servo, sizeof r->servo);
}

static void write_state(tac_step *s, const tac__px4_flight *f)
{
    const tac__px4_results *r = results_of(f);
    *TAC_OUT(s, bool, TAC__PX4_OUT_ARMED) = f->pilot.armed;
    *TAC_OUT(s, int32_t, TAC__PX4_OUT_PHASE) = f->phase;
    *TAC_OUT(s, bool, TAC__PX4_OUT_LANDED) = f->pilot.on_ground;
    *TAC_OUT(s, bool, TAC__PX4_OUT_LAND_DETECTED) = f->pilot.landed;
    *TAC_OUT(s, int32_t, TAC__PX4_OUT_CURRENT) = (int32_t)r->mission_current[0];
    *TAC_OUT(s, int32_t, TAC__PX4_OUT_REACHED) = f->reached;
    *TAC_OUT(s, int32_t, TAC__PX4_OUT_TOTAL) = (int32_t)r->mission_total[0];
    *TAC_OUT(s, int32_t, TAC__PX4_OUT_NAV_STATE) = (int32_t)r->nav_state[0];
    *TAC_OUT(s, bool, TAC__PX4_OUT_VALID) = r->mission_valid[0] > 0;
    *TAC_OUT(s, bool, TAC__PX4_OUT_FINISHED) = mission_done(f) || f->returned;
}

static void write_outputs(tac_step *s, const tac__px4_component *c)
{
    const tac__px4_flight *f = c->flight;
    write_motors(s, c);
    write_setpoints(s, c);
    write_state(s, f);
    for (size_t i = 0; i < c->traffic->extra_count; i++) {
        const tac__px4_extra *e = &c->traffic->extras[i];
        memcpy(s->out[e->port], f->results + e->first, e->count * sizeof *f->results);
    }
}

void tac__px4_flight_init(tac_step *s, const tac__px4_component *c)
{
    tac__px4_flight *f = c->flight;
    tac__px4_results *r = (tac__px4_results *)f->results;
    r->mission_reached[0] = -1;
    r->attitude_sp[0] = 1;
    for (int i = 0; i < TAC__PX4_SERVOS; i++)
        r->servo[i] = (double)NAN;
    f->refused_us = TAC_TIME_NEVER;
    tac__pilot_init(&f->pilot);
    write_outputs(s, c);
}

// --- a tick -------------------------------------------------------------------------------------

static void decide(const tac_step *s, const tac__px4_component *c)
{
    tac__px4_flight *f = c->flight;
    const tac__pilot_in in = {
        .t_us = s->t_us,
        .dt_s = tac_time_seconds(s->period_us),
        .arm = tac__flight_arm(s, TAC__PX4_IN_ARM),
        .mode = tac__flight_mode_of(s, TAC__PX4_IN_MODE),
        .height_m = f->standing_down_m - ((const double *)s->in[TAC__PX4_IN_POSITION])[2],
        .sinking_m_s = f->values.velocity[2],
        .mission_valid = results_of(f)->mission_valid[0] > 0,
        .mission_done = mission_done(f),
    };
    tac__pilot_step(&f->pilot, &c->habits, &in);
}

// A vehicle that stays on the ground because PX4 has no mission to fly must not do so in silence.
static void warn_of_waiting(tac_step *s, const tac__px4_component *c)
{
    enum { PATIENCE_US = 1000000 };
    tac__px4_flight *f = c->flight;
    if (f->pilot.wanted != TAC__NAV_MISSION || results_of(f)->mission_valid[0] > 0) {
        f->warned = false;
        return;
    }
    if (f->warned || s->t_us < f->pilot.entered_us + PATIENCE_US)
        return;
    f->warned = true;
    if (*c->mission)
        tac_log_write(s, TAC_LOG_WARN,
                      "PX4 was asked for its mission 1 s ago and has not found it valid yet");
    else
        tac_log_write(s, TAC_LOG_WARN,
                      "PX4 was asked for a mission; the parameter 'mission' names none");
}

// PX4 enters a mission that it refuses as one that is finished and not valid. A mission that only
// becomes valid a little late may look like this for a moment.
static tac_status check_refusal(tac_step *s, const tac__px4_component *c)
{
    enum { PATIENCE_US = 500000 };
    tac__px4_flight *f = c->flight;
    const tac__px4_results *r = results_of(f);
    warn_of_waiting(s, c);
    if (f->pilot.nav_state != TAC__NAV_MISSION || r->mission_valid[0] > 0 ||
        r->mission_finished[0] == 0) {
        f->refused_us = TAC_TIME_NEVER;
        return TAC_OK;
    }
    if (f->refused_us == TAC_TIME_NEVER)
        f->refused_us = s->t_us;
    if (s->t_us - f->refused_us < PATIENCE_US)
        return TAC_OK;
    if (!*c->mission)
        return tac__fail(&f->err, TAC_E_COMPONENT,
                         "PX4 was asked for a mission; the parameter 'mission' names none");
    tac__fail(&f->err, TAC_E_COMPONENT, "PX4 refuses the mission '%s': ", c->mission);
    add_words(&f->words, &f->err);
    return f->err.status;
}

// Give PX4 the parameters that have changed since the last tick, by `set` of a scenario for
// example.
static tac_status renew_params(tac_step *s, const tac__px4_component *c)
{
    tac__px4_flight *f = c->flight;
    bool changed = false, geometry = false;
    for (size_t i = 0; i < c->param_count; i++) {
        const tac__px4_param *p = &c->params[i];
        if (!tac_connected(s, p->input))
            continue;
        const double value = *TAC_IN(s, double, p->input);
        if (!memcmp(&value, &f->params[i], sizeof value))
            continue;
        TAC_TRY(tac__px4_set(f->px4, p->name, value, &f->err));
        f->params[i] = value;
        changed = true;
        geometry |= !strncmp(p->name, "CA_", 3);
        tac_log_write(s, TAC_LOG_INFO, "PX4's parameter %s is %g", p->name, value);
    }
    if (!changed)
        return TAC_OK;
    TAC_TRY(tac__px4_notify(f->px4, &f->err));
    if (geometry && c->config.enable_control_allocator)
        TAC_TRY(tac__px4_update_allocator(f->px4, &f->err));
    return read_warnings(f);
}

static tac_status fly(tac_step *s, const tac__px4_component *c)
{
    tac__px4_flight *f = c->flight;
    if (!f->started)
        TAC_TRY(start(s, c));
    f->started = true;
    TAC_TRY(renew_params(s, c));
    const bool armed_before = f->pilot.armed;
    put_state(s, c, f);
    put_telemetry(s, c, f);
    put_time(f, s->t_us);
    decide(s, c);
    if (armed_before && f->pilot.disarmed)
        tac_log_write(s, TAC_LOG_INFO, "disarmed after %.1f s on the ground", f->pilot.still_s);
    put_pilot(f);
    TAC_TRY(exchange(s, c, s->t_us, false));
    log_text(s, f, false);
    TAC_TRY(check_refusal(s, c));
    count_items(s, f, armed_before);
    const tac__flight_phase phase = phase_of(&f->pilot);
    if ((int32_t)phase != f->phase)
        tac_log_write(s, TAC_LOG_INFO, "%s", tac__flight_phase_labels[phase]);
    f->phase = (int32_t)phase;
    return TAC_OK;
}

tac_status tac__px4_flight_step(tac_step *s, const tac__px4_component *c)
{
    tac__px4_flight *f = c->flight;
    if (!f->started) {
        const tac__hang_hook hook = tac__step_hang(s);
        if (tac__watch_start(&f->watch, &hook, c->limit_us, &f->err) != TAC_OK ||
            tac__printed_open(&f->printed, &f->err) != TAC_OK)
            return tac_fail_as(s, f->err.status, "%s", f->err.text);
    }
    tac__watch_begin(&f->watch);
    tac__printed_begin(&f->printed);
    const tac_status status = fly(s, c);
    tac__printed_end();
    tac__watch_end(&f->watch);
    if (status != TAC_OK) {
        log_text(s, f, true);
        return tac_fail_as(s, status, "%s", f->err.text);
    }
    write_outputs(s, c);
    return TAC_OK;
}

void tac__px4_flight_close(tac__px4_flight *f)
{
    if (f->px4) {
        tac__watch_begin(&f->watch);
        tac__printed_begin(&f->printed);
        tac__px4_close(f->px4);
        tac__printed_end();
        tac__watch_end(&f->watch);
    }
    f->px4 = NULL;
    tac__printed_close(&f->printed);
    tac__watch_stop(&f->watch);
}
