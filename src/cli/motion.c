// motion.c - finds rockets, orbits and cars, and watches them.
#include "cli/motion.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum {
    SAMPLE_US = 10000,
    SAMPLES_MAX = 20000, // longer runs are sampled less often
};

static const double earth_m = 6371000; // mean radius, for ways along the ground
static const double off_ground_m = 1;  // what moves higher than this above the ground flies

void cli_motion_init(cli_motion *m)
{
    *m = (cli_motion){0};
    tac__arena_init(&m->arena, tac_allocator_default());
}

void cli_motion_fini(cli_motion *m)
{
    tac__arena_fini(&m->arena);
    *m = (cli_motion){0};
}

// --- vectors -------------------------------------------------------------------------------------

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double length(const double a[3])
{
    return sqrt(dot(a, a));
}

// The angle from a to b about an axis, 0 to 2 pi.
static double angle_about(const double axis[3], const double a[3], const double b[3])
{
    double n[3];
    cross(a, b, n);
    const double angle = atan2(dot(n, axis) / length(axis), dot(a, b));
    return angle < 0 ? angle + 2 * PI : angle;
}

// --- orbits --------------------------------------------------------------------------------------

// Below this, eccentricity and the sine of the inclination are rounding: there is no periapsis, no
// node to measure from.
#define NOTHING 1e-11

cli_elements cli_elements_of(const double r[3], const double v[3], double mu)
{
    double h[3], vh[3], e[3];
    const double distance = length(r), nan = (double)NAN;
    cross(r, v, h);
    cross(v, h, vh);
    for (int i = 0; i < 3; i++)
        e[i] = vh[i] / mu - r[i] / distance;
    cli_elements o = {.eccentricity = length(e)};
    const double energy = dot(v, v) / 2 - mu / distance;
    const double parameter = dot(h, h) / mu;
    o.semi_major_m = energy != 0 ? -mu / (2 * energy) : nan;
    o.inclination = atan2(hypot(h[0], h[1]), h[2]);
    const bool closed = energy < 0;
    const double a = o.semi_major_m;
    o.period_s = closed ? 2 * PI * sqrt(a * a * a / mu) : nan;
    o.periapsis_m = parameter / (1 + o.eccentricity);
    o.apoapsis_m = closed ? a * (1 + o.eccentricity) : nan;
    const double node[3] = {-h[1], h[0], 0};
    const bool tilted = hypot(h[0], h[1]) > NOTHING * length(h);
    const bool oval = o.eccentricity > NOTHING;
    o.node = tilted ? angle_about((const double[]){0, 0, 1}, (const double[]){1, 0, 0}, node) : nan;
    o.periapsis = tilted && oval ? angle_about(h, node, e) : nan;
    o.anomaly = oval ? angle_about(h, e, r) : nan;
    return o;
}

// --- finding -------------------------------------------------------------------------------------

static bool kind_of(uint64_t roles, cli_motion_kind *kind)
{
    if (roles & CLI_ROLE(TAC_ROLE_INERTIAL_POSITION) &&
        roles & CLI_ROLE(TAC_ROLE_INERTIAL_VELOCITY))
        *kind = CLI_ORBIT;
    else if (roles & CLI_ROLE(TAC_ROLE_DISTANCE))
        *kind = CLI_CAR;
    else if (roles & CLI_ROLE(TAC_ROLE_HEIGHT))
        *kind = CLI_ROCKET;
    else
        return false;
    return true;
}

// An orbit needs to know what attracts it.
static bool is_mover(const tac_component_info *c, uint64_t roles, cli_motion_kind *kind)
{
    return kind_of(roles, kind) && (*kind != CLI_ORBIT || c->gravity_mu_m3_s2 > 0);
}

static size_t component_count(const tac_engine *engine)
{
    return tac_engine_sizes(engine).components;
}

static void observe(void *context, tac_engine *engine, tac_time t_us);
static void observe_change(void *context, tac_engine *engine, tac_time t_us);

static tac_time sample_period(tac_time end_us)
{
    const tac_time span_us = (tac_time)SAMPLES_MAX * SAMPLE_US;
    const tac_time steps = end_us == TAC_TIME_NEVER ? 1 : (end_us + span_us - 1) / span_us;
    return (steps ? steps : 1) * SAMPLE_US;
}

// A vehicle has the name of its entity; if the entity has several, that of its component.
static tac_status add_mover(cli_motion *m, const tac_engine *engine, size_t component,
                            cli_motion_kind kind)
{
    const tac_component_info c = tac_engine_component_info(engine, component);
    const int first = tac__names_find(&m->entities, c.entity);
    m->movers[m->count] = (cli_mover){.kind = kind,
                                      .name = first < 0 && c.entity[0] ? c.entity : c.name,
                                      .component = component,
                                      .mu_m3_s2 = c.gravity_mu_m3_s2,
                                      .radius_m = c.gravity_radius_m};
    if (first >= 0)
        m->movers[first].name = tac_engine_component_info(engine, m->movers[first].component).name;
    m->count++;
    return first >= 0 ? TAC_OK
                      : tac__names_set(&m->entities, &m->arena, c.entity, (uint32_t)m->count - 1);
}

tac_status cli_motion_watch(cli_motion *m, tac_engine *engine, tac_time end_us, tac_error *err)
{
    const size_t components = component_count(engine);
    const uint64_t *roles = cli_roles_of(engine, &m->arena);
    if (!roles)
        return tac__fail_memory(err);
    size_t count = 0;
    cli_motion_kind kind;
    for (size_t i = 0; i < components; i++) {
        const tac_component_info c = tac_engine_component_info(engine, i);
        count += is_mover(&c, roles[i], &kind);
    }
    if (count == 0)
        return TAC_OK;
    m->movers = tac__arena_array(&m->arena, count, sizeof *m->movers);
    if (!m->movers)
        return tac__fail_memory(err);
    for (size_t i = 0; i < components; i++) {
        const tac_component_info c = tac_engine_component_info(engine, i);
        if (is_mover(&c, roles[i], &kind) && add_mover(m, engine, i, kind) != TAC_OK)
            return tac__fail_memory(err);
    }
    tac_observer_def def = tac_observer_def_default();
    def.name = "motion";
    def.period_us = sample_period(end_us);
    def.observe = observe;
    def.context = m;
    TAC_TRY(tac_engine_add_observer(engine, &def, err));
    def.name = "changes of motion";
    def.follow = TAC_FOLLOW_INSTANTS;
    def.period_us = 0;
    def.observe = observe_change;
    return tac_engine_add_observer(engine, &def, err);
}

static const char *after_entity(const char *name, const char *entity)
{
    const size_t n = strlen(entity);
    return n && !strncmp(name, entity, n) && name[n] == '.' ? name + n + 1 : name;
}

// All tanks of an entity belong to its first vehicle.
static tac_status add_tank(cli_motion *m, const tac_component_info *c, const cli_signal *fuel)
{
    const int first = tac__names_find(&m->entities, c->entity);
    if (first < 0)
        return TAC_OK;
    cli_mover *v = &m->movers[first];
    if (!TAC__ARENA_GROW(&m->arena, v->tanks, v->tank_count, v->tank_capacity))
        return TAC_E_MEMORY;
    v->tanks[v->tank_count++] = (cli_tank){.name = after_entity(c->name, c->entity), .fuel = *fuel};
    return TAC_OK;
}

// All roles in one pass over the signals. The first signal of a role counts.
static tac_status bind(cli_motion *m, const tac_engine *engine)
{
    uint32_t *mover_of = // of a component, counted from 1
        tac__arena_array(&m->arena, component_count(engine) + 1, sizeof *mover_of);
    if (!mover_of)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < m->count; i++) {
        mover_of[m->movers[i].component] = (uint32_t)i + 1;
        for (int role = 0; role < TAC_ROLE_COUNT; role++)
            m->movers[i].signals[role] = cli_signal_none;
    }
    for (size_t i = 0; i < tac_engine_signal_count(engine); i++) {
        const tac_signal_info s = tac_engine_signal_info(engine, (int)i);
        cli_signal found;
        if (!cli_role_fits(&s, (int)i, &found))
            continue;
        const uint32_t number = mover_of[s.component];
        if (number && m->movers[number - 1].signals[s.role].index < 0)
            m->movers[number - 1].signals[s.role] = found;
        if (s.role == TAC_ROLE_FUEL) {
            const tac_component_info c = tac_engine_component_info(engine, s.component);
            TAC_TRY(add_tank(m, &c, &found));
        }
    }
    return TAC_OK;
}

tac_status cli_motion_begin(cli_motion *m, const tac_engine *engine, bool keep_samples,
                            tac_error *err)
{
    m->last_us = tac_engine_time(engine);
    m->continued = m->last_us > 0;
    if (m->count == 0)
        return TAC_OK;
    if (bind(m, engine) != TAC_OK)
        return tac__fail_memory(err);
    if (!keep_samples)
        return TAC_OK;
    m->tanks = 1 + CLI_MOTION_COLUMNS * m->count;
    return cli_rows_init(&m->rows, &m->arena, m->tanks + m->movers[0].tank_count, err);
}

// --- watching ------------------------------------------------------------------------------------

static double read_role(tac_engine *engine, const cli_mover *v, tac_role role)
{
    return cli_signal_number(engine, &v->signals[role]);
}

static void look_at_peak(cli_peak *p, bool seen, const cli_peak *now)
{
    if (!seen || now->value > p->value || isnan(p->value))
        *p = *now;
}

static void look_at_peaks(cli_mover *v, tac_engine *engine, tac_time t_us)
{
    cli_peak now = {.t_us = t_us,
                    .height_m = read_role(engine, v, TAC_ROLE_HEIGHT),
                    .mach = read_role(engine, v, TAC_ROLE_MACH)};
    now.value = now.height_m;
    look_at_peak(&v->apogee, v->seen, &now);
    now.value = read_role(engine, v, TAC_ROLE_SPEED);
    look_at_peak(&v->top_speed, v->seen, &now);
    now.value = read_role(engine, v, TAC_ROLE_DYNAMIC_PRESSURE);
    look_at_peak(&v->pressure, v->seen, &now);
}

// When the last drop burnt: a part of the last interval that is as large as the drop.
static void watch_tank(cli_tank *t, tac_engine *engine, bool seen, double now_s, double before_s)
{
    const double left = cli_signal_number(engine, &t->fuel);
    if (!seen)
        t->start_kg = left;
    const double burnt = seen ? t->left_kg - left : 0;
    t->burning = burnt > 0;
    if (t->burning && !t->lit)
        t->ignition_s = before_s;
    else if (t->burning && t->fresh) // the first part of an interval was without flame
        t->ignition_s += (now_s - before_s) * fmax(0, 1 - t->step_kg / burnt);
    t->fresh = t->burning && !t->lit;
    if (t->burning) {
        t->lit = true;
        const bool last =
            t->step_kg > 0 && burnt < 0.999 * t->step_kg && left <= 1e-5 * t->start_kg;
        t->out_s = last ? before_s + burnt / t->step_kg * (now_s - before_s) : now_s;
    }
    t->step_kg = burnt;
    t->left_kg = left;
}

// The arc along a sphere below a vehicle, from below where it began.
static double along_ground(const double p[3], const double start[3])
{
    const double way = hypot(p[0] - start[0], p[1] - start[1]);
    return earth_m * atan2(way, earth_m - p[2]);
}

// Landed: below the ground, or where it stands still after a flight. It stopped in the last
// interval if it went less far there than its speed would have taken it.
static void look_for_landing(cli_mover *v, double height_m, double moved_m, double now_s,
                             double before_s)
{
    const double passed_s = now_s - before_s;
    const double stop_s = before_s + fmin(passed_s, moved_m / v->speed_m_s);
    if (v->launched && !v->landed && (!v->moving || height_m <= 0)) {
        v->landed = true;
        v->landing_m_s = v->speed_m_s;
        v->landing_s = v->moving ? stop_s : v->stop_s;
        if (v->moving && v->height_m > 0) // it passed the ground in between
            v->landing_s =
                fmin(stop_s, before_s + v->height_m / (v->height_m - height_m) * passed_s);
    }
    v->stop_s = stop_s;
}

static void follow_rocket(cli_mover *v, tac_engine *engine, tac_time t_us, double before_s)
{
    double position[3];
    const bool placed = cli_signal_read(engine, &v->signals[TAC_ROLE_POSITION], position, 3);
    const double height = read_role(engine, v, TAC_ROLE_HEIGHT);
    v->moving = v->seen && (height != v->height_m ||
                            (placed && memcmp(position, v->position_m, sizeof position)));
    if (!v->seen)
        memcpy(v->start_m, position, sizeof position);
    const double moved =
        placed ? hypot(hypot(position[0] - v->position_m[0], position[1] - v->position_m[1]),
                       position[2] - v->position_m[2])
               : fabs(height - v->height_m);
    look_for_landing(v, height, moved, tac_time_seconds(t_us), before_s);
    v->launched |= v->moving && height > off_ground_m;
    if (v->landed && v->seen)
        return;
    v->height_m = height;
    v->speed_m_s = read_role(engine, v, TAC_ROLE_SPEED);
    v->mach = read_role(engine, v, TAC_ROLE_MACH);
    memcpy(v->position_m, position, sizeof position);
    v->downrange_m = placed ? along_ground(position, v->start_m) : (double)NAN;
    look_at_peaks(v, engine, t_us);
}

static void begin_plane(cli_mover *v)
{
    double h[3], y[3];
    cross(v->r_m, v->v_m_s, h);
    cross(h, v->r_m, y);
    for (int i = 0; i < 3; i++) {
        v->plane[0][i] = v->r_m[i] / length(v->r_m);
        v->plane[1][i] = y[i] / length(y);
    }
}

static void follow_orbit(cli_mover *v, tac_engine *engine, tac_time t_us)
{
    double r[3];
    cli_signal_read(engine, &v->signals[TAC_ROLE_INERTIAL_POSITION], r, 3);
    cli_signal_read(engine, &v->signals[TAC_ROLE_INERTIAL_VELOCITY], v->v_m_s, 3);
    if (v->seen) {
        double n[3];
        cross(v->r_m, r, n);
        v->turns += atan2(length(n), dot(v->r_m, r)) / (2 * PI);
    }
    memcpy(v->r_m, r, sizeof r);
    v->speed_m_s = length(v->v_m_s);
    v->height_m = length(r) - v->radius_m;
    v->last = cli_elements_of(v->r_m, v->v_m_s, v->mu_m3_s2);
    v->energy = v->signals[TAC_ROLE_ENERGY].index >= 0
                    ? read_role(engine, v, TAC_ROLE_ENERGY)
                    : v->speed_m_s * v->speed_m_s / 2 - v->mu_m3_s2 / length(r);
    if (!v->seen) {
        v->first = v->last;
        v->start_energy = v->energy;
        v->lowest_m = v->highest_m = v->height_m;
        begin_plane(v);
    }
    v->drift = fmax(v->drift, fabs((v->energy - v->start_energy) / v->start_energy));
    v->lowest_m = fmin(v->lowest_m, v->height_m);
    v->highest_m = fmax(v->highest_m, v->height_m);
    look_at_peak(&v->top_speed, v->seen, &(cli_peak){v->speed_m_s, t_us, v->height_m, v->mach});
}

static void follow_car(cli_mover *v, tac_engine *engine, tac_time t_us, double passed_s)
{
    const double way = read_role(engine, v, TAC_ROLE_DISTANCE);
    v->height_m = read_role(engine, v, TAC_ROLE_HEIGHT);
    if (!v->seen)
        v->start_way_m = way;
    const double before = v->distance_m;
    v->distance_m = way - v->start_way_m;
    v->speed_m_s = v->signals[TAC_ROLE_SPEED].index >= 0 ? read_role(engine, v, TAC_ROLE_SPEED)
                   : v->seen && passed_s > 0             ? (v->distance_m - before) / passed_s
                                                         : (double)NAN;
    look_at_peak(&v->top_speed, v->seen, &(cli_peak){v->speed_m_s, t_us, v->height_m, v->mach});
}

static double turned_deg(double now, double start)
{
    return remainder(now - start, 2 * PI) * CLI_DEGREES;
}

static void keep_mover(const cli_mover *v, double *to)
{
    for (int i = 0; i < CLI_MOTION_COLUMNS; i++)
        to[i] = (double)NAN;
    switch (v->kind) {
    case CLI_ROCKET:
        if (!v->launched || v->landed)
            return; // a booster that has not separated, a rocket that lies on the ground
        to[CLI_ROCKET_DOWNRANGE] = v->downrange_m / 1000;
        to[CLI_ROCKET_HEIGHT] = v->height_m / 1000;
        to[CLI_ROCKET_SPEED] = v->speed_m_s;
        to[CLI_ROCKET_MACH] = v->mach;
        break;
    case CLI_ORBIT:
        to[CLI_ORBIT_X] = dot(v->r_m, v->plane[0]) / 1000;
        to[CLI_ORBIT_Y] = dot(v->r_m, v->plane[1]) / 1000;
        to[CLI_ORBIT_ALTITUDE] = v->height_m / 1000;
        to[CLI_ORBIT_SPEED] = v->speed_m_s;
        to[CLI_ORBIT_DRIFT] = (v->energy - v->start_energy) / fabs(v->start_energy);
        to[CLI_ORBIT_NODE] = turned_deg(v->last.node, v->first.node);
        to[CLI_ORBIT_PERIAPSIS] = turned_deg(v->last.periapsis, v->first.periapsis);
        break;
    default:
        to[CLI_CAR_DISTANCE] = v->distance_m;
        to[CLI_CAR_SPEED] = v->speed_m_s;
        to[CLI_CAR_HEIGHT] = v->height_m;
    }
}

static void keep(cli_motion *m, tac_engine *engine, tac_time t_us, bool last)
{
    double *row = cli_rows_next(&m->rows, last);
    if (!row)
        return;
    row[0] = tac_time_seconds(t_us);
    for (size_t i = 0; i < m->count; i++) {
        const cli_mover *v = &m->movers[i];
        double *to = row + 1 + CLI_MOTION_COLUMNS * i;
        keep_mover(v, to);
        if (v->kind == CLI_ROCKET && v->launched && !v->landed)
            to[CLI_ROCKET_PRESSURE] = read_role(engine, v, TAC_ROLE_DYNAMIC_PRESSURE) / 1000;
    }
    for (size_t i = 0; i < m->movers[0].tank_count; i++)
        row[m->tanks + i] = m->movers[0].tanks[i].left_kg;
}

static void sample(cli_motion *m, tac_engine *engine, tac_time t_us, bool last)
{
    const double now_s = tac_time_seconds(t_us), before_s = tac_time_seconds(m->last_us);
    for (size_t i = 0; i < m->count; i++) {
        cli_mover *v = &m->movers[i];
        if (v->kind == CLI_ROCKET)
            follow_rocket(v, engine, t_us, before_s);
        else if (v->kind == CLI_ORBIT)
            follow_orbit(v, engine, t_us);
        else
            follow_car(v, engine, t_us, now_s - before_s);
        for (size_t k = 0; k < v->tank_count; k++)
            watch_tank(&v->tanks[k], engine, v->seen, now_s, before_s);
        v->seen = true;
    }
    m->last_us = t_us;
    keep(m, engine, t_us, last);
}

// Where a phase changes, equations do: a burn-out is often the time of max q.
static void observe_change(void *context, tac_engine *engine, tac_time t_us)
{
    cli_motion *m = context;
    for (size_t i = 0; i < m->count; i++) {
        cli_mover *v = &m->movers[i];
        if (v->kind == CLI_ROCKET && v->seen && !v->landed)
            look_at_peaks(v, engine, t_us);
    }
}

static void observe(void *context, tac_engine *engine, tac_time t_us)
{
    sample(context, engine, t_us, false);
}

void cli_motion_end(cli_motion *m, tac_engine *engine)
{
    const tac_time end_us = tac_engine_time(engine);
    if (m->count && end_us > m->last_us)
        sample(m, engine, end_us, true);
    else if (m->rows.count)
        keep(m, engine, end_us, true);
}
