// flight.c - arming, phases, items of a mission, failed rotors, landing: decides where the control
// laws fly to. It sees estimates and telemetry only, never the truth.
#include "autopilot/flight.h"

#include <math.h>
#include <string.h>
#include <tactus/math.h>

const char *const tac__flight_phase_labels[] = {
#define ROW(name, label) label,
    TAC__PHASE_TABLE(ROW)
#undef ROW
        NULL};

typedef struct flying {
    const tac__flight *f;
    const tac__flight_in *in;
    tac__flight_numbers *n;
    tac__flight_words *w;
    double dt;
} flying;

static void put(double to[3], double x, double y, double z)
{
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

static double distance(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

static double level_distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]));
}

// --- the control loops at rest ------------------------------------------------------------------

static void reset_loops(const flying *y)
{
    tac__control_state *l = &y->n->loops;
    const double *q = y->in->attitude;
    memset(l, 0, sizeof *l);
    memcpy(l->position, y->in->position, sizeof l->position);
    l->yaw = tac_atan2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3]));
    y->n->yaw = l->yaw;
}

// --- rotors -------------------------------------------------------------------------------------

// A rotor is out if its speed has been far below or above what its command should give for so long.
static const double low_speed = 0.6, high_speed = 1.6, idle_speeds = 1.5, amiss_s = 0.08;
static const double spin_s = 0.05, fade_s = 2;

void tac__flight_assess(const tac__control *c, const double *voltage, const double *works,
                        bool *can_hover, bool *can_yaw)
{
    // Small torques in all directions, together with slightly more thrust than the weight.
    const double weight = c->mass_kg * c->g_m_s2, tilt = 0.03, yaw = 0.02, close = 0.1;
    tac__control_in in = {0};
    memcpy(in.works, works, (size_t)c->rotors * sizeof *works);
    memcpy(in.voltage, voltage, (size_t)c->rotors * sizeof *voltage);
    *can_hover = *can_yaw = true;
    for (int k = 0; k < 4; k++) {
        const double side = k % 2 ? -1 : 1, front = k / 2 ? -1 : 1;
        const double wanted[4] = {1.15 * weight, side * tilt * c->scale[1],
                                  front * tilt * c->scale[2], side * yaw * c->scale[3]};
        double thrust[TAC__ROTORS_MAX], reached[4];
        tac__control_allocate_f64(c, (const double *)&in, wanted, thrust, reached);
        *can_hover = *can_hover && fabs(reached[0] - wanted[0]) < 0.02 * weight &&
                     fabs(reached[1] - wanted[1]) < close * tilt * c->scale[1] &&
                     fabs(reached[2] - wanted[2]) < close * tilt * c->scale[2];
        *can_yaw = *can_yaw && fabs(reached[3] - wanted[3]) < close * yaw * c->scale[3];
    }
    *can_yaw = *can_yaw && *can_hover;
}

static bool is_amiss(const flying *y, int i)
{
    const tac__control_rotor *r = &y->f->control.rotor[i];
    const double speed = y->in->rotor_speed[i];
    return y->n->expected[i] > idle_speeds * r->idle_rad_s &&
           (speed < low_speed * y->n->expected[i] || speed > high_speed * y->n->highest[i]);
}

static void watch_rotors(const flying *y)
{
    if (!y->in->rotor_speed || !y->w->armed)
        return;
    bool changed = false;
    for (int i = 0; i < y->f->control.rotors; i++) {
        double *amiss = &y->n->amiss_s[i];
        *amiss = is_amiss(y, i) ? *amiss + y->dt : 0;
        if (y->n->works[i] > 0 && *amiss >= amiss_s) {
            y->n->works[i] = 0;
            changed = true;
        }
    }
    if (!changed)
        return;
    bool can_hover, can_yaw;
    tac__flight_assess(&y->f->control, y->in->voltage, y->n->works, &can_hover, &can_yaw);
    y->w->can_hover = can_hover;
    y->w->yaw_held = can_yaw;
}

// The speeds to expect at the next step, after this command.
static void expect_speeds(const flying *y, const tac__control_out *out)
{
    const double spin = y->dt / (spin_s + y->dt), fade = y->dt / fade_s;
    for (int i = 0; i < y->f->control.rotors; i++) {
        double *expected = &y->n->expected[i], *highest = &y->n->highest[i];
        *expected += spin * (out->speed[i] - *expected);
        *highest -= fade * *highest;
        *highest = tac_max(*highest, *expected);
    }
}

// --- phases -------------------------------------------------------------------------------------

static void enter(const flying *y, tac__flight_phase phase)
{
    y->w->phase = (int32_t)phase;
    y->w->stage = 0;
    y->w->on_item = 0;
    y->n->run_out = 0;
    y->n->held_s = 0;
}

// Where the reference can come to rest from its present speed.
static void hold(const flying *y)
{
    const tac__control_state *l = &y->n->loops;
    const double *v = l->velocity;
    const double a = TAC__BRAKING * y->f->control.tuning.acceleration;
    const double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double time = 1 / TAC__APPROACH + speed / (2 * a);
    enter(y, TAC__PHASE_HOLD);
    put(y->n->target, l->position[0] + time * v[0], l->position[1] + time * v[1],
        l->position[2] + time * v[2]);
}

// Begin a landing at a place; NULL: at the present position.
static void land(const flying *y, const double *place, double ground)
{
    const double *here = y->n->loops.position;
    enter(y, TAC__PHASE_LAND);
    put(y->n->target, place ? place[0] : here[0], place ? place[1] : here[1], here[2]);
    y->n->ground = ground;
}

static void go_home(const flying *y)
{
    const double *here = y->n->loops.position, *home = y->n->home;
    enter(y, TAC__PHASE_RETURN);
    put(y->n->target, here[0], here[1], tac_min(home[2] - y->f->return_m, here[2]));
}

// --- items --------------------------------------------------------------------------------------

static double altitude_of(const flying *y, const tac__mission_item *item)
{
    const double zero = item->above_home ? y->n->home[2] : y->f->sea_level_m;
    return zero - item->altitude_m;
}

static double radius_of(const flying *y, const tac__mission_item *item)
{
    return item->radius_m > 0 ? item->radius_m : y->f->acceptance_m;
}

static const tac__mission_item *item_at(const flying *y, int32_t i)
{
    return (size_t)i < y->f->mission.count ? &y->f->mission.items[i] : NULL;
}

// The speed at which the corner between two legs can be flown inside a radius: that of the arc
// which touches both legs at that distance.
static double corner_speed(const double from[3], const double at[3], const double to[3],
                           double radius_m, double acceleration)
{
    const double in = distance(from, at), out = distance(at, to);
    if (in < radius_m || out < radius_m)
        return 0;
    double cosine = 0;
    for (int k = 0; k < 3; k++)
        cosine += (at[k] - from[k]) * (to[k] - at[k]);
    cosine = tac_clamp(cosine / (in * out), -1, 1);
    if (cosine < -0.9)
        return 0;
    const double tangent = sqrt((1 - cosine) / (1 + cosine));
    return sqrt(acceleration * radius_m / tac_max(1e-3, tangent));
}

// How far beyond the item the vehicle would come to rest if it passes the item without a stop.
static double run_out_of(const flying *y, const tac__mission_item *item, int32_t next)
{
    const tac__mission_item *then = item_at(y, next);
    if (item->hold_s > 0 || item->kind != TAC__ITEM_WAYPOINT || !then || then->here)
        return 0;
    const double to[3] = {then->north_m, then->east_m, altitude_of(y, then)};
    const double a = TAC__BRAKING * y->f->control.tuning.acceleration, r = radius_of(y, item);
    const double v =
        tac_min(y->in->cruise_speed, corner_speed(y->n->loops.position, y->n->target, to, r, a));
    return tac_max(0, v / TAC__APPROACH + v * v / (2 * a) - r);
}

static void begin_leg(const flying *y, const tac__mission_item *item)
{
    const double *here = y->n->loops.position;
    put(y->n->target, item->north_m, item->east_m, altitude_of(y, item));
    if (!isnan(item->yaw_rad))
        y->n->yaw = item->yaw_rad;
    else if (level_distance(here, y->n->target) > y->f->acceptance_m)
        y->n->yaw = tac_atan2(y->n->target[1] - here[1], y->n->target[0] - here[0]);
    y->n->run_out = run_out_of(y, item, y->w->item + 1);
}

static void begin_item(const flying *y)
{
    const tac__mission_item *item = item_at(y, y->w->item);
    if (item && item->kind == TAC__ITEM_TAKEOFF) // in the air already
        item = item_at(y, ++y->w->item);
    if (!item) {
        hold(y);
        return;
    }
    if (item->kind == TAC__ITEM_RETURN) {
        go_home(y);
    } else if (item->kind == TAC__ITEM_LAND) {
        const double place[2] = {item->north_m, item->east_m};
        if (!isnan(item->yaw_rad))
            y->n->yaw = item->yaw_rad;
        land(y, item->here ? NULL : place, altitude_of(y, item));
    } else {
        enter(y, TAC__PHASE_MISSION);
        begin_leg(y, item);
    }
    y->w->on_item = 1;
}

static void pass_item(const flying *y)
{
    y->w->item++;
    y->w->reached++;
}

static void run_item(const flying *y)
{
    const tac__mission_item *item = item_at(y, y->w->item);
    if (y->n->held_s > 0 || distance(y->in->position, y->n->target) < radius_of(y, item))
        y->n->held_s += y->dt;
    if (item->kind == TAC__ITEM_LOITER || y->n->held_s <= item->hold_s)
        return;
    pass_item(y);
    begin_item(y);
}

// --- take-off, return, landing ------------------------------------------------------------------

static void begin_takeoff(const flying *y)
{
    if (!item_at(y, y->w->item)) // again from the start
        y->w->item = y->w->reached = 0;
    const tac__mission_item *item = item_at(y, y->w->item);
    const bool own = item && item->kind == TAC__ITEM_TAKEOFF;
    enter(y, TAC__PHASE_TAKEOFF);
    reset_loops(y);
    y->w->landed = 0;
    y->w->on_item = own;
    y->n->lift = 0;
    if (own && !isnan(item->yaw_rad))
        y->n->yaw = item->yaw_rad;
    put(y->n->target, y->n->home[0], y->n->home[1],
        own ? altitude_of(y, item) : y->n->home[2] - y->f->takeoff_m);
}

static void run_takeoff(const flying *y)
{
    const tac__mission_item *item = y->w->on_item ? item_at(y, y->w->item) : NULL;
    const double radius = item ? radius_of(y, item) : y->f->acceptance_m;
    // At least half of the climb must be done, however large the acceptance radius is.
    const double up = y->n->home[2] - y->n->target[2];
    if (y->n->lift < 1 ||
        y->in->position[2] - y->n->target[2] > tac_min(radius, 0.5 * tac_max(0, up)))
        return;
    if (item)
        pass_item(y);
    if (y->in->mode == TAC__MODE_MISSION && item_at(y, y->w->item))
        begin_item(y);
    else
        enter(y, TAC__PHASE_HOLD);
}

enum { CLIMB, CROSS };

static void run_return(const flying *y)
{
    const double *here = y->in->position, *home = y->n->home;
    if (level_distance(here, home) < y->f->acceptance_m) {
        const int32_t on_item = y->w->on_item;
        land(y, home, home[2]);
        y->w->on_item = on_item;
    } else if (y->w->stage == CLIMB && here[2] - y->n->target[2] < y->f->acceptance_m) {
        y->w->stage = CROSS;
        put(y->n->target, home[0], home[1], y->n->target[2]);
    }
}

enum { APPROACH, DESCEND };

static void run_land(const flying *y)
{
    if (y->w->stage == APPROACH &&
        (!y->w->can_hover || level_distance(y->in->position, y->n->target) < y->f->acceptance_m))
        y->w->stage = DESCEND;
}

static double sink_speed(const flying *y)
{
    const double slow = y->in->land_speed, fast = tac_max(slow, y->in->descend_speed);
    const double height = y->n->ground - y->in->position[2];
    return tac_clamp(slow + 0.5 * (height - y->f->slow_m), slow, fast);
}

// --- landed -------------------------------------------------------------------------------------

// With so little thrust a vehicle would fall; if it does not, it stands on something.
static const double carried = 0.6, still_s = 0.4, sinking_s = 0.1;

static void watch_ground(const flying *y)
{
    const tac__control *c = &y->f->control;
    y->n->sinking += y->dt / (sinking_s + y->dt) * (y->in->velocity[2] - y->n->sinking);
    const bool coming_down =
        !y->w->armed || (y->w->phase == TAC__PHASE_LAND && y->w->stage == DESCEND);
    const bool still = fabs(y->n->sinking) < 0.5 * y->in->land_speed &&
                       y->n->thrust < carried * c->mass_kg * c->g_m_s2;
    if (y->w->landed || !coming_down || !still) {
        y->n->still_s = 0;
        return;
    }
    y->n->still_s += y->dt;
    if (y->n->still_s < still_s)
        return;
    if (y->w->on_item)
        pass_item(y);
    enter(y, TAC__PHASE_LANDED);
    y->w->landed = 1;
    y->w->armed = 0;
}

// --- commands -----------------------------------------------------------------------------------

static void take_orders(const flying *y)
{
    tac__flight_words *w = y->w;
    const bool rises = y->in->arm && !w->arm_before;
    const bool changes = (int32_t)y->in->mode != w->mode_before || (rises && !w->armed);
    w->arm_before = y->in->arm;
    w->mode_before = (int32_t)y->in->mode;
    if (!y->in->arm) {
        if (w->phase != TAC__PHASE_LANDED)
            enter(y, TAC__PHASE_IDLE);
        w->armed = 0;
        return;
    }
    if (rises && !w->armed) {
        w->armed = 1;
        enter(y, TAC__PHASE_IDLE);
        y->n->lift = 1; // in case it is in the air
    }
    if (!w->armed)
        return;
    if (w->landed) {
        if (y->in->mode == TAC__MODE_MISSION)
            begin_takeoff(y);
        return;
    }
    if (!changes || (w->phase == TAC__PHASE_LAND && !w->can_hover))
        return;
    switch (y->in->mode) {
    case TAC__MODE_IDLE:
        hold(y);
        return;
    case TAC__MODE_MISSION:
        begin_item(y);
        return;
    case TAC__MODE_RETURN:
        go_home(y);
        return;
    case TAC__MODE_LAND:
        land(y, NULL, y->n->home[2]);
        return;
    }
}

static void run_phase(const flying *y)
{
    y->n->lift = tac_min(1, y->n->lift + y->dt / y->f->spool_s);
    if (!y->w->can_hover && y->w->phase != TAC__PHASE_LAND) {
        land(y, NULL, y->n->home[2]);
        return;
    }
    switch (y->w->phase) {
    case TAC__PHASE_TAKEOFF:
        run_takeoff(y);
        return;
    case TAC__PHASE_MISSION:
        run_item(y);
        return;
    case TAC__PHASE_RETURN:
        run_return(y);
        return;
    case TAC__PHASE_LAND:
        run_land(y);
        return;
    }
}

// --- a step -------------------------------------------------------------------------------------

static void fly(const flying *y, tac__control_out *out)
{
    tac__control_in c;
    memcpy(c.position, y->in->position, sizeof c.position);
    memcpy(c.velocity, y->in->velocity, sizeof c.velocity);
    memcpy(c.attitude, y->in->attitude, sizeof c.attitude);
    memcpy(c.rate, y->in->rate, sizeof c.rate);
    memcpy(c.target, y->n->target, sizeof c.target);
    for (int i = 0; i < y->f->control.rotors; i++) {
        c.voltage[i] = y->in->voltage[i];
        c.works[i] = y->n->works[i];
    }
    c.cruise_speed = y->in->cruise_speed;
    c.climb_speed = y->in->climb_speed;
    c.descend_speed = y->in->descend_speed;
    c.run_out = y->n->run_out;
    c.landing = y->w->phase == TAC__PHASE_LAND && y->w->stage == DESCEND;
    c.sink = sink_speed(y);
    c.yaw = y->n->yaw;
    c.yaw_held = y->w->yaw_held;
    c.lift = y->n->lift;
    tac__control_step_f64(&y->f->control, y->dt, (const double *)&c, (double *)&y->n->loops,
                          (double *)out);
}

// On the ground, or in the air with motors off. Home is the present position.
static void rest(const flying *y, tac__control_out *out)
{
    const double home_s = 0.5;
    memset(out, 0, sizeof *out);
    memcpy(out->attitude, y->in->attitude, sizeof out->attitude);
    for (int i = 0; i < y->f->control.rotors && y->w->armed; i++)
        out->duty[i] = y->f->control.tuning.idle * y->n->works[i];
    reset_loops(y);
    for (int k = 0; k < 3 && y->w->landed; k++)
        y->n->home[k] += y->dt / (home_s + y->dt) * (y->in->position[k] - y->n->home[k]);
}

static void start(const flying *y)
{
    reset_loops(y);
    memcpy(y->n->home, y->in->position, sizeof y->n->home);
    memcpy(y->n->target, y->in->position, sizeof y->n->target);
    y->w->started = 1;
}

void tac__flight_init(const tac__flight *f, tac__flight_state s)
{
    memset(s.n, 0, sizeof *s.n);
    *s.w = (tac__flight_words){.landed = 1, .yaw_held = 1, .can_hover = 1};
    for (int i = 0; i < f->control.rotors; i++)
        s.n->works[i] = 1;
}

void tac__flight_step(const tac__flight *f, double dt_s, const tac__flight_in *in,
                      tac__flight_state s, tac__control_out *out)
{
    const flying y = {f, in, s.n, s.w, dt_s};
    if (!s.w->started)
        start(&y);
    watch_rotors(&y);
    take_orders(&y);
    if (s.w->armed && !s.w->landed)
        run_phase(&y);
    watch_ground(&y);
    if (s.w->armed && !s.w->landed)
        fly(&y, out);
    else
        rest(&y, out);
    s.n->thrust = out->thrust;
    expect_speeds(&y, out);
}
