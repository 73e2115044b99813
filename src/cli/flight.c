// flight.c - finds vehicles, watches them, and keeps samples for a plot.
#include "cli/flight.h"

#include <math.h>
#include <string.h>

enum {
    SAMPLE_US = 10000,
    CRASH_DEG = 60,          // on the ground, no vehicle that stands is tilted as far
    CRASH_REST_US = 1000000, // one that still jumps about on its hull is on the ground, too
    STAND_US = 1000000,      // a vehicle that has stood so long and leaves the ground takes off
};

// Limits that tell a touch between two samples: a vehicle that loses more sink in 10 ms than motors
// can take away (30 g), and is no higher above the ground than vehicles are tall, was struck.
static const double STRUCK_M_S = 3, STRUCK_HEIGHT_M = 1;

void cli_flight_init(cli_flight *f)
{
    *f = (cli_flight){0};
    tac__arena_init(&f->arena, tac_allocator_default());
}

void cli_flight_fini(cli_flight *f)
{
    tac__arena_fini(&f->arena);
    *f = (cli_flight){0};
}

// --- finding -------------------------------------------------------------------------------------

static bool is_of_control(tac_role role)
{
    return role >= TAC_ROLE_MOTOR && role <= TAC_ROLE_REFERENCE;
}

// A position of a component that says its height or its way is not that of a flight.
static bool is_body(const tac_signal_info *s, const uint64_t *roles)
{
    return s->role == TAC_ROLE_POSITION && cli_role_fits(s, 0, NULL) &&
           !(roles[s->component] & CLI_ROLES_NO_FLIGHT);
}

static size_t count_bodies(const tac_engine *engine, const uint64_t *roles)
{
    size_t n = 0;
    for (size_t i = 0; i < tac_engine_signal_count(engine); i++) {
        const tac_signal_info s = tac_engine_signal_info(engine, (int)i);
        n += is_body(&s, roles);
    }
    return n;
}

// A vehicle has the name of its entity; if the entity has several vehicles, that of its component.
static tac_status add_body(cli_flight *f, const tac_component_info *c, size_t number,
                           const uint64_t *roles)
{
    cli_vehicle *v = &f->vehicles[f->count];
    v->turns = roles[number] & CLI_ROLE(TAC_ROLE_ATTITUDE);
    v->entity = c->entity;
    v->body = c->name;
    v->body_number = number;
    v->name = c->entity[0] ? c->entity : c->name;
    const int first = tac__names_find(&f->entities, c->entity);
    if (first >= 0) {
        f->vehicles[first].name = f->vehicles[first].body;
        v->name = v->body;
    }
    f->count++;
    return first >= 0 ? TAC_OK
                      : tac__names_set(&f->entities, &f->arena, c->entity, (uint32_t)f->count - 1);
}

// Several vehicles of one entity get their controllers in the order in which both are written,
// points without an attitude after all others.
static tac_status add_control(cli_flight *f, const tac_component_info *c, size_t number,
                              const uint64_t *roles)
{
    (void)roles;
    const int first = tac__names_find(&f->entities, c->entity);
    cli_vehicle *found = NULL;
    for (size_t i = first >= 0 ? (size_t)first : f->count; i < f->count; i++) {
        cli_vehicle *v = &f->vehicles[i];
        if (!v->control && !strcmp(v->entity, c->entity) && (!found || (v->turns && !found->turns)))
            found = v;
    }
    if (found) {
        found->control = c->name;
        found->control_number = number;
        found->landing_m = c->landing_m;
    }
    return TAC_OK;
}

// Components with a signal that is a position, or any that a control has, each once: the signals of
// a component follow one another.
static tac_status for_each(cli_flight *f, const tac_engine *engine, const uint64_t *roles,
                           bool control,
                           tac_status (*add)(cli_flight *, const tac_component_info *, size_t,
                                             const uint64_t *))
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < tac_engine_signal_count(engine); i++) {
        const tac_signal_info s = tac_engine_signal_info(engine, (int)i);
        if (!(control ? is_of_control(s.role) && cli_role_fits(&s, 0, NULL) : is_body(&s, roles)) ||
            s.component == last)
            continue;
        last = s.component;
        const tac_component_info c = tac_engine_component_info(engine, last);
        TAC_TRY(add(f, &c, last, roles));
    }
    return TAC_OK;
}

static void observe(void *context, tac_engine *engine, tac_time t_us);

tac_status cli_flight_watch(cli_flight *f, tac_engine *engine, tac_error *err)
{
    const uint64_t *roles = cli_roles_of(engine, &f->arena);
    if (!roles)
        return tac__fail_memory(err);
    const size_t count = count_bodies(engine, roles);
    if (count == 0)
        return TAC_OK;
    f->vehicles = tac__arena_array(&f->arena, count, sizeof *f->vehicles);
    if (!f->vehicles)
        return tac__fail_memory(err);
    if (for_each(f, engine, roles, false, add_body) != TAC_OK ||
        for_each(f, engine, roles, true, add_control) != TAC_OK)
        return tac__fail_memory(err);
    tac_observer_def def = tac_observer_def_default();
    def.name = "flight";
    def.period_us = SAMPLE_US;
    def.observe = observe;
    def.context = f;
    return tac_engine_add_observer(engine, &def, err);
}

// All roles in one pass over the signals: `vehicle_of[component]` has the vehicle of a body or a
// control, counted from 1. The first signal of a role counts.
static void bind(cli_flight *f, const tac_engine *engine, const uint32_t *vehicle_of)
{
    for (size_t i = 0; i < tac_engine_signal_count(engine); i++) {
        const tac_signal_info s = tac_engine_signal_info(engine, (int)i);
        const uint32_t number = vehicle_of[s.component];
        cli_signal found;
        if (!number || !cli_role_fits(&s, (int)i, &found))
            continue;
        cli_vehicle *v = &f->vehicles[number - 1];
        const char *from = is_of_control(s.role) ? v->control : v->body;
        if (v->signals[s.role].index >= 0 || !from || strcmp(s.writer, from))
            continue;
        v->signals[s.role] = found;
    }
}

static uint32_t count_of(const cli_vehicle *v, tac_role s)
{
    return v->signals[s].index < 0 ? 0 : v->signals[s].count;
}

static tac_status bind_all(cli_flight *f, const tac_engine *engine, tac_error *err)
{
    uint32_t *vehicle_of =
        tac__arena_array(&f->arena, tac_engine_sizes(engine).components, sizeof *vehicle_of);
    if (!vehicle_of)
        return tac__fail_memory(err);
    for (size_t i = 0; i < f->count; i++) {
        cli_vehicle *v = &f->vehicles[i];
        vehicle_of[v->body_number] = (uint32_t)i + 1;
        if (v->control)
            vehicle_of[v->control_number] = (uint32_t)i + 1;
        for (int role = 0; role < TAC_ROLE_COUNT; role++)
            v->signals[role] = cli_signal_none;
    }
    bind(f, engine, vehicle_of);
    for (size_t i = 0; i < f->count; i++) {
        cli_vehicle *v = &f->vehicles[i];
        v->batteries = count_of(v, TAC_ROLE_SOC);
        v->soc = tac__arena_array(&f->arena, 3 * v->batteries + 1, sizeof *v->soc);
        if (!v->soc)
            return tac__fail_memory(err);
        v->voltage_v = v->soc + v->batteries;
        v->start_soc = v->voltage_v + v->batteries;
    }
    return TAC_OK;
}

static tac_status make_room(cli_flight *f, tac_error *err)
{
    cli_samples *s = &f->samples;
    const cli_vehicle *first = &f->vehicles[0];
    s->speeds = count_of(first, TAC_ROLE_MOTOR) == 0;
    s->motor_count = count_of(first, s->speeds ? TAC_ROLE_ROTOR_SPEED : TAC_ROLE_MOTOR);
    s->angles = 1 + CLI_FLIGHT_COLUMNS * f->count;
    s->reference = s->angles + 3;
    s->reached = s->reference + 3;
    s->motors = s->reached + 1;
    s->soc = s->motors + s->motor_count;
    s->voltage = s->soc + first->batteries;
    return cli_rows_init(&s->rows, &f->arena, s->voltage + first->batteries, err);
}

tac_status cli_flight_begin(cli_flight *f, const tac_engine *engine, const tac_engine_def *def,
                            bool keep_samples, tac_error *err)
{
    const tac_time start_us = tac_engine_time(engine);
    f->continued = start_us > 0;
    f->ground_m = def->world.ground_m;
    f->last_us = start_us;
    TAC_TRY(bind_all(f, engine, err));
    return keep_samples && f->count ? make_room(f, err) : TAC_OK;
}

// --- watching ------------------------------------------------------------------------------------

static bool read_numbers(tac_engine *engine, const cli_vehicle *v, tac_role s, double *to, size_t n)
{
    return cli_signal_read(engine, &v->signals[s], to, n);
}

static double read_number(tac_engine *engine, const cli_vehicle *v, tac_role s)
{
    double value;
    read_numbers(engine, v, s, &value, 1);
    return value;
}

// A component may report any number: limit it to the range of a count.
static int64_t whole(double x)
{
    return x > 0 ? (int64_t)fmin(x, 1e15) : 0;
}

static void read_state(tac_engine *engine, cli_vehicle *v)
{
    read_numbers(engine, v, TAC_ROLE_SOC, v->soc, v->batteries);
    read_numbers(engine, v, TAC_ROLE_VOLTAGE, v->voltage_v, v->batteries);
    if (!v->seen) // a run that failed at once has used nothing
        memcpy(v->start_soc, v->soc, v->batteries * sizeof *v->soc);
    if (!v->control) {
        v->landed = !v->airborne && !v->crashed;
        return;
    }
    v->landed = read_number(engine, v, TAC_ROLE_LANDED) > 0 && !v->crashed;
    v->armed = read_number(engine, v, TAC_ROLE_ARMED) > 0;
    v->reached = whole(read_number(engine, v, TAC_ROLE_MISSION_REACHED));
    v->total = whole(read_number(engine, v, TAC_ROLE_MISSION_TOTAL));
}

static bool touch_is_seen(const cli_vehicle *v)
{
    return v->signals[TAC_ROLE_CONTACT].index >= 0 || v->signals[TAC_ROLE_HULL].index >= 0;
}

// A vehicle that does not say whether it touches the ground is there if its flight control says so.
static bool is_airborne(tac_engine *engine, const cli_vehicle *v)
{
    if (!touch_is_seen(v))
        return !(read_number(engine, v, TAC_ROLE_LANDED) > 0);
    return !(fabs(read_number(engine, v, TAC_ROLE_CONTACT)) > 0) &&
           !(fabs(read_number(engine, v, TAC_ROLE_HULL)) > 0);
}

// The angle between the vehicle's down and that of the world [deg].
static double read_tilt(tac_engine *engine, const cli_vehicle *v)
{
    double q[4];
    read_numbers(engine, v, TAC_ROLE_ATTITUDE, q, 4);
    const double cosine = 1 - 2 * (q[1] * q[1] + q[2] * q[2]); // up to rounding
    return acos(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine) * CLI_DEGREES;
}

// Where it does not say its velocity, the mean of that since the last sample.
static void read_velocity(tac_engine *engine, cli_vehicle *v, const double position[3],
                          tac_time passed_us)
{
    double d[3], passed_s = 1;
    if (!read_numbers(engine, v, TAC_ROLE_VELOCITY, d, 3)) {
        for (int i = 0; i < 3; i++)
            d[i] = position[i] - v->position_m[i];
        passed_s = passed_us ? tac_time_seconds(passed_us) : (double)NAN;
    }
    v->speed_m_s = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / passed_s;
    v->sink_m_s = d[2] / passed_s;
    v->max_speed_m_s = v->seen ? fmax(v->max_speed_m_s, v->speed_m_s) : v->speed_m_s;
}

// Return the longest time of a jump after the impact: that of a stone, but at least a second.
static tac_time bounce_us(const cli_vehicle *v)
{
    const double g_m_s2 = 9.80665, ballistic_s = 2 * v->impact_m_s / g_m_s2;
    return ballistic_s > 1 && ballistic_s < 1000 ? (tac_time)(ballistic_s * 1e6) : CRASH_REST_US;
}

// Note a touch of the ground. The touchdown is the fastest touch since the vehicle took off: among
// bounces the first. The impact is the first touch since it last flew upright for longer than
// it jumps: what jumps and tumbles after it is part of the same crash.
static void touch(cli_vehicle *v, double sink_m_s, double speed_m_s, tac_time t_us)
{
    v->touchdown_m_s = fmax(v->touchdown_m_s, sink_m_s);
    const bool smashes = touch_is_seen(v) && sink_m_s > CLI_CRASH_M_S && !v->smashed;
    if (!v->touched || smashes) {
        v->touched = true;
        v->impact_us = t_us;
        v->impact_m_s = speed_m_s;
        v->impact_deg = v->tilt_deg;
    }
    v->smashed |= smashes;
}

// Tell whether the vehicle was smashed, or ends on the ground and does not stand on its feet.
static bool has_crashed(const cli_flight *f, const cli_vehicle *v)
{
    const bool rests = !v->airborne || (v->touched && f->last_us - v->on_ground_us < CRASH_REST_US);
    return v->smashed || (v->seen && rests && v->tilt_deg > CRASH_DEG);
}

// Look for a touch of the ground since the last sample. The speeds are those of the last sample,
// the last in the air.
static void look_for_touch(const cli_flight *f, cli_vehicle *v, bool airborne, double sink_m_s,
                           double speed_m_s, tac_time t_us)
{
    const tac_time passed_us = t_us - f->last_us;
    const bool struck =
        airborne && sink_m_s - v->sink_m_s > STRUCK_M_S && cli_altitude_m(f, v) < STRUCK_HEIGHT_M;
    if (airborne && v->stood_us >= STAND_US)
        v->touchdown_m_s = (double)NAN;
    v->stood_us = airborne ? 0 : v->stood_us + passed_us;
    if (v->seen && v->airborne && (!airborne || struck))
        touch(v, sink_m_s, speed_m_s, t_us);
    if (!airborne || struck) {
        v->upright_us = 0;
        v->on_ground_us = t_us;
    } else {
        v->upright_us = v->tilt_deg > CRASH_DEG ? 0 : v->upright_us + passed_us;
        v->touched &= v->smashed || v->upright_us < bounce_us(v);
    }
}

static void follow(cli_flight *f, tac_engine *engine, cli_vehicle *v, tac_time t_us)
{
    double position[3];
    if (!read_numbers(engine, v, TAC_ROLE_POSITION, position, 3))
        return;
    const bool airborne = is_airborne(engine, v);
    if (!v->seen) {
        memcpy(v->start_m, position, sizeof position);
        read_numbers(engine, v, TAC_ROLE_SOC, v->start_soc, v->batteries);
        v->touchdown_m_s = (double)NAN;
    } else if (v->airborne || airborne) {
        const double *p = v->position_m;
        v->distance_m += sqrt((position[0] - p[0]) * (position[0] - p[0]) +
                              (position[1] - p[1]) * (position[1] - p[1]) +
                              (position[2] - p[2]) * (position[2] - p[2]));
        v->flight_us += t_us - f->last_us;
    }
    const double sink_m_s = v->sink_m_s, speed_m_s = v->speed_m_s;
    v->tilt_deg = read_tilt(engine, v);
    read_velocity(engine, v, position, v->seen ? t_us - f->last_us : 0);
    memcpy(v->position_m, position, sizeof position);
    look_for_touch(f, v, airborne, sink_m_s, speed_m_s, t_us);
    const double altitude = cli_altitude_m(f, v);
    v->max_altitude_m = v->seen ? fmax(v->max_altitude_m, altitude) : altitude;
    v->airborne = airborne;
    v->seen = true;
}

// Roll, pitch and yaw in degrees, continued from those of the last row (NULL: none) without jumps
// from 180 to -180.
static void read_angles(tac_engine *engine, const cli_vehicle *v, const double *last, double *to)
{
    double q[4];
    read_numbers(engine, v, TAC_ROLE_ATTITUDE, q, 4);
    const double sine = 2 * (q[0] * q[2] - q[3] * q[1]); // sine of pitch, up to rounding
    to[0] = atan2(2 * (q[0] * q[1] + q[2] * q[3]), 1 - 2 * (q[1] * q[1] + q[2] * q[2]));
    to[1] = asin(sine > 1 ? 1 : sine < -1 ? -1 : sine);
    to[2] = atan2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3]));
    for (int i = 0; i < 3; i++) {
        to[i] *= CLI_DEGREES;
        if (last && !isnan(last[i]))
            to[i] += 360 * round((last[i] - to[i]) / 360);
    }
}

// There is no reference to show while the vehicle is on the ground.
static void read_reference(const cli_flight *f, tac_engine *engine, const cli_vehicle *v,
                           double *to)
{
    const bool planned = read_number(engine, v, TAC_ROLE_LANDED) == 0 &&
                         read_numbers(engine, v, TAC_ROLE_REFERENCE, to, 3);
    to[2] = -to[2] - f->ground_m;
    for (int i = 0; i < 3 && !planned; i++)
        to[i] = (double)NAN;
}

static void keep(cli_flight *f, tac_engine *engine, tac_time t_us, bool last)
{
    cli_samples *s = &f->samples;
    double *row = cli_rows_next(&s->rows, last);
    if (!row)
        return;
    row[0] = tac_time_seconds(t_us);
    for (size_t i = 0; i < f->count; i++) {
        const cli_vehicle *v = &f->vehicles[i];
        double *to = row + 1 + CLI_FLIGHT_COLUMNS * i;
        to[CLI_NORTH] = v->position_m[0];
        to[CLI_EAST] = v->position_m[1];
        to[CLI_ALTITUDE] = cli_altitude_m(f, v);
        to[CLI_SPEED] = v->speed_m_s;
    }
    const cli_vehicle *first = &f->vehicles[0];
    double *angles = row + s->angles;
    read_angles(engine, first, s->rows.count > 1 ? angles - s->rows.columns : NULL, angles);
    read_reference(f, engine, first, row + s->reference);
    row[s->reached] = read_number(engine, first, TAC_ROLE_MISSION_REACHED);
    read_numbers(engine, first, s->speeds ? TAC_ROLE_ROTOR_SPEED : TAC_ROLE_MOTOR, row + s->motors,
                 s->motor_count);
    read_numbers(engine, first, TAC_ROLE_SOC, row + s->soc, first->batteries);
    for (size_t i = 0; i < first->batteries; i++)
        row[s->soc + i] *= 100;
    read_numbers(engine, first, TAC_ROLE_VOLTAGE, row + s->voltage, first->batteries);
}

static void sample(cli_flight *f, tac_engine *engine, tac_time t_us, bool last)
{
    for (size_t i = 0; i < f->count; i++)
        follow(f, engine, &f->vehicles[i], t_us);
    f->last_us = t_us;
    keep(f, engine, t_us, last);
}

static void observe(void *context, tac_engine *engine, tac_time t_us)
{
    sample(context, engine, t_us, false);
}

void cli_flight_end(cli_flight *f, tac_engine *engine)
{
    const tac_time end_us = tac_engine_time(engine);
    if (f->count && end_us > f->last_us)
        sample(f, engine, end_us, true);
    else if (f->samples.rows.count)
        keep(f, engine, end_us, true);
    for (size_t i = 0; i < f->count; i++) {
        f->vehicles[i].crashed = has_crashed(f, &f->vehicles[i]);
        read_state(engine, &f->vehicles[i]);
    }
}

// --- what is known of a vehicle ------------------------------------------------------------------

double cli_altitude_m(const cli_flight *f, const cli_vehicle *v)
{
    return -v->position_m[2] - f->ground_m;
}

bool cli_tells_ground(const cli_vehicle *v)
{
    return touch_is_seen(v) || v->signals[TAC_ROLE_LANDED].index >= 0;
}

double cli_touchdown_m_s(const cli_vehicle *v)
{
    return v->landed ? v->touchdown_m_s : (double)NAN;
}

const double *cli_landing_from(const cli_flight *f, const cli_vehicle *v)
{
    if (!v->landed || v->flight_us == 0)
        return NULL;
    if (v->landing_m && v->total > 0 && v->reached >= v->total)
        return v->landing_m;
    return f->continued ? NULL : v->start_m;
}

double cli_landing_error_m(const cli_flight *f, const cli_vehicle *v)
{
    const double *from = cli_landing_from(f, v);
    return from ? hypot(v->position_m[0] - from[0], v->position_m[1] - from[1]) : (double)NAN;
}

static void add_vehicle(cli_fleet *sum, const cli_flight *f, const cli_vehicle *v)
{
    sum->landed += v->landed;
    sum->crashed += v->crashed;
    sum->hard += cli_touchdown_m_s(v) > CLI_HARD_LANDING_M_S;
    sum->touchdown_m_s = fmax(sum->touchdown_m_s, cli_touchdown_m_s(v));
    sum->controlled |= v->control != NULL;
    sum->reached += v->reached;
    sum->total += v->total;
    sum->distance_m += v->distance_m;
    sum->flight_us = v->flight_us > sum->flight_us ? v->flight_us : sum->flight_us;
    sum->max_altitude_m = fmax(sum->max_altitude_m, v->max_altitude_m);
    sum->landing_error_m = fmax(sum->landing_error_m, cli_landing_error_m(f, v));
    const double *from = cli_landing_from(f, v);
    sum->landing_point &= !from || from == v->landing_m;
    for (size_t i = 0; i < v->batteries; i++) {
        sum->soc = fmin(sum->soc, v->soc[i]);
        sum->voltage_v = fmin(sum->voltage_v, v->voltage_v[i]);
        sum->used_min = fmin(sum->used_min, v->start_soc[i] - v->soc[i]);
        sum->used_max = fmax(sum->used_max, v->start_soc[i] - v->soc[i]);
    }
}

cli_fleet cli_flight_sum(const cli_flight *f, const cli_vehicle *vehicles, size_t count)
{
    cli_fleet sum = {
        .count = count,
        .max_altitude_m = (double)NAN,
        .landing_error_m = (double)NAN,
        .touchdown_m_s = (double)NAN,
        .landing_point = true,
        .soc = (double)NAN,
        .voltage_v = (double)NAN,
        .used_min = (double)NAN,
        .used_max = (double)NAN,
    };
    for (size_t i = 0; i < count; i++)
        add_vehicle(&sum, f, &vehicles[i]);
    return sum;
}
