// motion.c - rockets, orbits and cars: lines and JSON.
#include "cli/report/motion.h"
#include "base/print.h"

#include <math.h>

static void add_at(tac__out *out, tac_time t_us)
{
    tac__out_add(out, " at %.2f s", tac_time_seconds(t_us));
}

// --- rockets -------------------------------------------------------------------------------------

// What still climbs at the end has not reached its apogee.
static bool apogee_reached(const cli_motion *m, const cli_mover *v)
{
    return v->launched && (v->landed || v->apogee.t_us < m->last_us);
}

static void peak_lines(cli_lines *lines, const cli_motion *m, const cli_mover *v)
{
    tac__out out = cli_lines_add(lines, "apogee");
    if (apogee_reached(m, v)) {
        cli_add_metres(&out, v->apogee.value);
        tac__out_add(&out, " above the ground");
        add_at(&out, v->apogee.t_us);
    } else {
        tac__out_add(&out, v->launched ? "not reached: climbs at the end" : "none");
    }
    if (!isnan(v->top_speed.value)) {
        tac__out_add(&out, "; up to %.1f m/s", v->top_speed.value);
        add_at(&out, v->top_speed.t_us);
    }
    if (!(v->pressure.value > 0))
        return;
    out = cli_lines_add(lines, "max q");
    tac__out_add(&out, "%.2f kPa", v->pressure.value / 1000);
    add_at(&out, v->pressure.t_us);
    tac__out_add(&out, ", ");
    cli_add_metres(&out, v->pressure.height_m);
    tac__out_add(&out, " high");
    if (!isnan(v->pressure.mach))
        tac__out_add(&out, ", Mach %.2f", v->pressure.mach);
}

static bool is_empty(const cli_tank *t)
{
    return t->left_kg <= 1e-5 * t->start_kg;
}

// A motor that burns at the end has not burnt out, unless that was the last drop.
static bool burnt_out(const cli_tank *t)
{
    return t->lit && (!t->burning || is_empty(t));
}

static void burn_line(cli_lines *lines, const cli_mover *v)
{
    if (v->tank_count == 0)
        return;
    enum { NAMED = 4 };
    tac__out out = cli_lines_add(lines, "burn-out");
    for (size_t i = 0; i < v->tank_count && i < NAMED; i++) {
        const cli_tank *t = &v->tanks[i];
        tac__out_add(&out, "%s%.24s ", i ? "; " : "", t->name);
        if (burnt_out(t))
            tac__out_add(&out, "at %.2f s", t->out_s);
        else
            tac__out_add(&out, t->lit ? "still burns" : "never lit");
        if (t->lit && !is_empty(t))
            tac__out_add(&out, ", %.3g kg left", t->left_kg);
    }
    if (v->tank_count > NAMED)
        tac__out_add(&out, "; and %zu more", v->tank_count - NAMED);
}

// Rockets come down under a parachute with 5 to 10 m/s.
static bool is_hard(const cli_mover *v)
{
    const double limit_m_s = 15;
    return v->landed && v->landing_m_s > limit_m_s;
}

static void rocket_lines(cli_lines *lines, const cli_motion *m, const cli_mover *v)
{
    peak_lines(lines, m, v);
    burn_line(lines, v);
    if (!isnan(v->downrange_m)) {
        tac__out out = cli_lines_add(lines, "downrange");
        cli_add_metres(&out, v->downrange_m);
        tac__out_add(&out, m->continued ? " from where the run continued" : " from the start");
    }
    tac__out out = cli_lines_add(lines, "landing");
    if (v->landed) {
        tac__out_add(&out, "%sat %.2f s with %.1f m/s", is_hard(v) ? "hard, " : "", v->landing_s,
                     v->landing_m_s);
    } else if (!v->launched && !m->continued) {
        tac__out_add(&out, "never left the ground");
    } else {
        tac__out_add(&out, "none: ");
        cli_add_metres(&out, v->height_m);
        tac__out_add(&out, " above the ground at the end");
    }
}

// --- orbits --------------------------------------------------------------------------------------

static void orbit_lines(cli_lines *lines, const cli_mover *v)
{
    const cli_elements *e = &v->last;
    tac__out out = cli_lines_add(lines, "orbit");
    cli_add_metres(&out, e->periapsis_m - v->radius_m);
    if (isnan(e->apoapsis_m)) {
        tac__out_add(&out, " at the periapsis, open");
    } else {
        tac__out_add(&out, " by ");
        cli_add_metres(&out, e->apoapsis_m - v->radius_m);
        tac__out_add(&out, ", period %.1f min", e->period_s / 60);
    }
    tac__out_add(&out, "; %.2f turns", v->turns);
    out = cli_lines_add(lines, "elements");
    tac__out_add(&out, "a %.3f km, e %.6f, i %.4f deg", e->semi_major_m / 1000, e->eccentricity,
                 e->inclination * CLI_DEGREES);
    const struct {
        const char *name;
        double value;
    } angles[] = {
        {"RAAN", e->node}, {"argument of periapsis", e->periapsis}, {"true anomaly", e->anomaly}};
    const char *separator = "";
    for (int i = 0; i < 3; i++) {
        if (isnan(angles[i].value))
            continue;
        if (!separator[0])
            out = cli_lines_add(lines, "angles");
        tac__out_add(&out, "%s%s %.4f", separator, angles[i].name, angles[i].value * CLI_DEGREES);
        separator = ", ";
    }
    if (separator[0])
        tac__out_add(&out, " deg");
    out = cli_lines_add(lines, "altitude");
    cli_add_metres(&out, v->lowest_m);
    tac__out_add(&out, " to ");
    cli_add_metres(&out, v->highest_m);
    tac__out_add(&out, ", up to %.1f m/s", v->top_speed.value);
    out = cli_lines_add(lines, "energy");
    tac__out_add(&out, "%.6g J/kg, changed by %.2g of it at most", v->energy, v->drift);
}

// --- cars ----------------------------------------------------------------------------------------

static double fuel_used(const cli_mover *v)
{
    double used = v->tank_count ? 0 : (double)NAN;
    for (size_t i = 0; i < v->tank_count; i++)
        used += v->tanks[i].start_kg - v->tanks[i].left_kg;
    return used;
}

static void car_lines(cli_lines *lines, const cli_motion *m, const cli_mover *v)
{
    tac__out out = cli_lines_add(lines, "distance");
    cli_add_metres(&out, v->distance_m);
    if (m->continued)
        tac__out_add(&out, " since the checkpoint");
    if (!isnan(v->top_speed.value)) {
        out = cli_lines_add(lines, "speed");
        tac__out_add(&out, "up to %.2f m/s (%.1f km/h)", v->top_speed.value,
                     3.6 * v->top_speed.value);
        add_at(&out, v->top_speed.t_us);
        tac__out_add(&out, ", %.2f m/s at the end", v->speed_m_s);
    }
    if (v->tank_count) {
        double left = 0;
        for (size_t i = 0; i < v->tank_count; i++)
            left += v->tanks[i].left_kg;
        out = cli_lines_add(lines, "fuel");
        tac__out_add(&out, "%.3g kg used, %.3g kg left", fuel_used(v), left);
    }
}

void cli_motion_lines(const cli_motion *m, const cli_mover *v, cli_lines *lines)
{
    if (!v->seen)
        return;
    if (v->kind == CLI_ROCKET)
        rocket_lines(lines, m, v);
    else if (v->kind == CLI_ORBIT)
        orbit_lines(lines, v);
    else
        car_lines(lines, m, v);
}

// --- JSON ----------------------------------------------------------------------------------------

static void json_peak(tac__json *json, const char *key, const char *value, const cli_peak *peak)
{
    tac__json_key(json, key);
    tac__json_compact(json);
    tac__json_object_begin(json);
    tac__json_key_number(json, value, peak->value);
    tac__json_key_u64(json, "t_us", peak->t_us);
    tac__json_object_end(json);
}

static void json_tanks(tac__json *json, const cli_mover *v)
{
    tac__json_key(json, "motors");
    tac__json_array_begin(json);
    for (size_t i = 0; i < v->tank_count; i++) {
        const cli_tank *t = &v->tanks[i];
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "name", t->name);
        tac__json_key_number(json, "ignition_s", t->lit ? t->ignition_s : (double)NAN);
        tac__json_key_number(json, "burn_out_s", burnt_out(t) ? t->out_s : (double)NAN);
        tac__json_key_number(json, "fuel_start_kg", t->start_kg);
        tac__json_key_number(json, "fuel_left_kg", t->left_kg);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void json_rocket(tac__json *json, const cli_motion *m, const cli_mover *v)
{
    const double nan = (double)NAN;
    tac__json_key(json, "apogee");
    tac__json_compact(json);
    tac__json_object_begin(json);
    tac__json_key_number(json, "height_m", v->apogee.value);
    tac__json_key_u64(json, "t_us", v->apogee.t_us);
    tac__json_key_bool(json, "reached", apogee_reached(m, v));
    tac__json_object_end(json);
    json_peak(json, "top_speed", "speed_m_s", &v->top_speed);
    tac__json_key(json, "max_q");
    tac__json_compact(json);
    tac__json_object_begin(json);
    tac__json_key_number(json, "pressure_pa", v->pressure.value);
    tac__json_key_u64(json, "t_us", v->pressure.t_us);
    tac__json_key_number(json, "height_m", v->pressure.height_m);
    tac__json_key_number(json, "mach", v->pressure.mach);
    tac__json_object_end(json);
    json_tanks(json, v);
    tac__json_key_number(json, "downrange_m", v->downrange_m);
    tac__json_key_bool(json, "landed", v->landed);
    tac__json_key_number(json, "landing_s", v->landed ? v->landing_s : nan);
    tac__json_key_number(json, "landing_speed_m_s", v->landed ? v->landing_m_s : nan);
    tac__json_key_bool(json, "hard_landing", is_hard(v));
    tac__json_key_number(json, "height_m", v->height_m);
    tac__json_key_number(json, "speed_m_s", v->landed ? 0 : v->speed_m_s);
}

static void json_elements(tac__json *json, const char *key, const cli_elements *e, double radius_m)
{
    tac__json_key(json, key);
    tac__json_object_begin(json);
    tac__json_key_number(json, "semi_major_axis_m", e->semi_major_m);
    tac__json_key_number(json, "eccentricity", e->eccentricity);
    tac__json_key_number(json, "inclination_deg", e->inclination * CLI_DEGREES);
    tac__json_key_number(json, "node_deg", e->node * CLI_DEGREES);
    tac__json_key_number(json, "periapsis_deg", e->periapsis * CLI_DEGREES);
    tac__json_key_number(json, "true_anomaly_deg", e->anomaly * CLI_DEGREES);
    tac__json_key_number(json, "period_s", e->period_s);
    tac__json_key_number(json, "periapsis_altitude_m", e->periapsis_m - radius_m);
    tac__json_key_number(json, "apoapsis_altitude_m", e->apoapsis_m - radius_m);
    tac__json_object_end(json);
}

static void json_orbit(tac__json *json, const cli_mover *v)
{
    json_elements(json, "elements", &v->last, v->radius_m);
    json_elements(json, "elements_start", &v->first, v->radius_m);
    tac__json_key_number(json, "turns", v->turns);
    tac__json_key_number(json, "lowest_altitude_m", v->lowest_m);
    tac__json_key_number(json, "highest_altitude_m", v->highest_m);
    json_peak(json, "top_speed", "speed_m_s", &v->top_speed);
    tac__json_key_number(json, "energy_j_kg", v->energy);
    tac__json_key_number(json, "energy_drift", v->drift);
}

static void json_car(tac__json *json, const cli_mover *v)
{
    tac__json_key_number(json, "distance_m", v->distance_m);
    json_peak(json, "top_speed", "speed_m_s", &v->top_speed);
    tac__json_key_number(json, "speed_m_s", v->speed_m_s);
    tac__json_key_number(json, "fuel_used_kg", fuel_used(v));
}

void cli_motion_json(const cli_motion *m, tac__json *json)
{
    static const char *const keys[] = {
        [CLI_ROCKET] = "rockets", [CLI_ORBIT] = "orbits", [CLI_CAR] = "cars"};
    for (int kind = 0; kind < CLI_MOTION_KINDS; kind++) {
        bool any = false;
        for (size_t i = 0; i < m->count; i++) {
            const cli_mover *v = &m->movers[i];
            if ((int)v->kind != kind || !v->seen)
                continue;
            if (!any) {
                tac__json_key(json, keys[kind]);
                tac__json_array_begin(json);
            }
            any = true;
            tac__json_object_begin(json);
            tac__json_key_text(json, "name", v->name);
            if (kind == CLI_ROCKET)
                json_rocket(json, m, v);
            else if (kind == CLI_ORBIT)
                json_orbit(json, v);
            else
                json_car(json, v);
            tac__json_object_end(json);
        }
        if (any)
            tac__json_array_end(json);
    }
}
