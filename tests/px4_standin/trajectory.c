// trajectory.c - see trajectory.h.
#include "trajectory.h"

typedef struct seen {
    struct vehicle_local_position local;
    struct vehicle_attitude attitude;
    struct vehicle_status status;
    struct vehicle_control_mode mode;
    struct vehicle_land_detected land;
    struct manual_control_setpoint sticks; // not valid: there are none
} seen;

static vec3 here(const seen *s)
{
    return (vec3){(double)s->local.x, (double)s->local.y, (double)s->local.z};
}

static void rest(trajectory *t, const seen *s)
{
    t->holding = false;
    t->position = here(s);
    t->velocity = t->acceleration = (vec3){0};
    t->yaw = heading(quat_load(s->attitude.q));
}

// --- where to -----------------------------------------------------------------------------------

// Return the deflection of a stick beyond its dead zone, with PX4's exponential curve.
static double deflection(float stick, param_id expo, const params *p)
{
    const double zone = params_get(p, PARAM_MPC_HOLD_DZ), raw = clamp((double)stick, -1, 1);
    const double x = fabs(raw) <= zone ? 0 : (raw - (raw > 0 ? zone : -zone)) / (1 - zone);
    const double e = params_get(p, expo);
    return e * x * x * x + (1 - e) * x;
}

// Turn sticks into velocities in the frame of the heading (Position mode). Near home's height the
// vehicle sinks slowly.
static target follow_sticks(const trajectory *t, const seen *s, const params *p)
{
    const double most = params_get(p, PARAM_MPC_VEL_MANUAL);
    double forward = deflection(s->sticks.pitch, PARAM_MPC_XY_MAN_EXPO, p);
    double right = deflection(s->sticks.roll, PARAM_MPC_XY_MAN_EXPO, p);
    const double up = deflection(s->sticks.throttle, PARAM_MPC_Z_MAN_EXPO, p);
    const double turn = deflection(s->sticks.yaw, PARAM_MPC_YAW_EXPO, p);
    const double size = sqrt(forward * forward + right * right);
    if (size > 1) { // a circle, not a square
        forward /= size;
        right /= size;
    }
    const bool low = -(double)s->local.z < params_get(p, PARAM_MPC_LAND_ALT2);
    const double down =
        low ? params_get(p, PARAM_MPC_LAND_SPEED) : params_get(p, PARAM_MPC_Z_VEL_MAX_DN);
    double sine, cosine;
    sine_cosine(t->yaw, &sine, &cosine);
    return (target){
        .kind = TARGET_STICKS,
        .yaw = (double)NAN,
        .velocity = {most * (cosine * forward - sine * right),
                     most * (sine * forward + cosine * right),
                     -up * (up > 0 ? params_get(p, PARAM_MPC_Z_VEL_MAX_UP) : down)},
        .turn = turn * params_get(p, PARAM_MPC_MAN_Y_MAX) * DEGREE,
        .takeoff = s->sticks.throttle > 0.3f,
    };
}

static target choose(trajectory *t, const navigator *n, const seen *s, const params *p)
{
    if (s->mode.flag_multicopter_position_control_enabled && s->sticks.valid &&
        s->status.nav_state == NAV_POSITION) {
        t->holding = false;
        return follow_sticks(t, s, p);
    }
    const bool automatic =
        s->mode.flag_multicopter_position_control_enabled &&
        (s->status.nav_state == NAV_MISSION || s->status.nav_state == NAV_LOITER ||
         s->status.nav_state == NAV_RETURN || s->status.nav_state == NAV_LAND);
    if (automatic && n->mode == s->status.nav_state && n->target.kind != TARGET_NONE) {
        t->holding = false;
        return n->target;
    }
    if (!t->holding) {
        t->holding = true;
        t->hold = (target){.position = here(s), .yaw = t->yaw};
    }
    return t->hold;
}

// Note whether the vehicle flies. It leaves the ground only for a target or a throttle that asks
// for it. A vehicle that begins in the air stays there.
static void note_flying(trajectory *t, bool takeoff, const seen *s)
{
    const bool armed = s->mode.flag_armed && s->status.arming_state == ARMED;
    const bool above = !s->land.landed && s->local.z < -0.5f;
    if (!armed || (s->land.landed && !takeoff))
        t->flying = false;
    else if (takeoff || above)
        t->flying = true;
}

// Leave the setpoint to the publisher outside (Offboard mode): no flight task runs. A setpoint
// lifts the vehicle off the ground if it is younger than a second and leads upwards.
static void stand_aside(trajectory *t, const seen *s, uorb *u)
{
    struct trajectory_setpoint sp;
    const bool fresh =
        READ(u, trajectory_setpoint, &sp) && s->local.timestamp < sp.timestamp + 1000000;
    const bool upwards = fresh && (sp.position[2] < s->local.z || sp.velocity[2] < 0);
    note_flying(t, upwards, s);
    rest(t, s);
}

// --- how ----------------------------------------------------------------------------------------

// From which a stop within the distance is possible with half of the acceleration.
static double arriving(double distance, double acceleration, double most)
{
    return fmin(most, fmin(sqrt(acceleration * distance), 1.5 * distance));
}

// PX4 caps the speed that was commanded.
static double cruise_speed(const navigator *n, const params *p)
{
    return n->cruise_m_s > 0 ? fmin(n->cruise_m_s, params_get(p, PARAM_MPC_XY_VEL_MAX))
                             : params_get(p, PARAM_MPC_XY_CRUISE);
}

static vec3 course(const trajectory *t, const target *to, double cruise_m_s, const params *p)
{
    const vec3 way = vec3_sub(to->position, t->position);
    const double d = level(way);
    const double speed = arriving(d, params_get(p, PARAM_MPC_ACC_HOR), cruise_m_s);
    vec3 v = {0};
    if (d > 0)
        v = (vec3){way.x / d * speed, way.y / d * speed, 0};
    const double down = params_get(p, PARAM_MPC_Z_V_AUTO_DN);
    if (to->kind == TARGET_LAND)
        v.z =
            way.z > params_get(p, PARAM_MPC_LAND_ALT2) ? down : params_get(p, PARAM_MPC_LAND_SPEED);
    else if (way.z > 0)
        v.z = arriving(way.z, params_get(p, PARAM_MPC_ACC_DOWN_MAX), down);
    else
        v.z = -arriving(-way.z, params_get(p, PARAM_MPC_ACC_UP_MAX),
                        params_get(p, PARAM_MPC_Z_V_AUTO_UP));
    return v;
}

static void advance(trajectory *t, const target *to, double cruise_m_s, const seen *s,
                    const params *p, double dt)
{
    if (dt <= 0)
        return;
    const bool sticks = to->kind == TARGET_STICKS;
    const vec3 wanted = sticks ? to->velocity : course(t, to, cruise_m_s, p);
    vec3 change = vec3_scale(1 / dt, vec3_sub(wanted, t->velocity));
    const double most = params_get(p, PARAM_MPC_ACC_HOR), size = level(change);
    if (size > most) {
        change.x *= most / size;
        change.y *= most / size;
    }
    change.z = clamp(change.z, -params_get(p, PARAM_MPC_ACC_UP_MAX),
                     params_get(p, PARAM_MPC_ACC_DOWN_MAX));
    t->acceleration = change;
    t->velocity = vec3_add(t->velocity, vec3_scale(dt, change));
    t->position = vec3_add(t->position, vec3_scale(dt, t->velocity));
    // The setpoint does not run away from the vehicle.
    const vec3 lead = vec3_sub(t->position, here(s));
    const double length = vec3_norm(lead), leash = 2;
    if (length > leash)
        t->position = vec3_add(here(s), vec3_scale(leash / length, lead));
    const double turn = params_get(p, PARAM_MPC_YAWRAUTO_MAX) * DEGREE * dt;
    if (sticks)
        t->yaw = wrap(t->yaw + dt * to->turn);
    else if (!isnan(to->yaw))
        t->yaw = wrap(t->yaw + clamp(wrap(to->yaw - t->yaw), -turn, turn));
}

static void publish(const trajectory *t, const target *to, uorb *u, uint64_t now_us)
{
    struct trajectory_setpoint m = {.timestamp = now_us, .yaw = (float)t->yaw};
    vec3_store(m.position, t->position);
    vec3_store(m.velocity, t->velocity);
    vec3_store(m.acceleration, t->acceleration);
    if (to->kind == TARGET_LAND)
        m.position[2] = NAN; // where the ground is shows in landing
    for (int i = 0; i < 3; i++)
        m.jerk[i] = NAN;
    PUBLISH(u, trajectory_setpoint, &m);
}

void trajectory_run(trajectory *t, const navigator *n, uorb *u, const params *p, uint64_t now_us,
                    double dt)
{
    seen s;
    if (!READ(u, vehicle_local_position, &s.local) || !READ(u, vehicle_attitude, &s.attitude) ||
        !READ(u, vehicle_status, &s.status) || !READ(u, vehicle_control_mode, &s.mode) ||
        !READ(u, vehicle_land_detected, &s.land))
        return;
    if (!s.local.xy_valid || !s.local.z_valid || !s.local.v_xy_valid || !s.local.v_z_valid ||
        !s.local.heading_good_for_control)
        return;
    if (!READ(u, manual_control_setpoint, &s.sticks))
        s.sticks.valid = 0;
    if (s.status.nav_state == NAV_OFFBOARD && s.mode.flag_control_offboard_enabled) {
        stand_aside(t, &s, u);
        return;
    }
    const target to = choose(t, n, &s, p);
    note_flying(t, to.kind == TARGET_STICKS ? to.takeoff : to.kind != TARGET_NONE, &s);
    if (t->flying)
        advance(t, &to, cruise_speed(n, p), &s, p, dt);
    else
        rest(t, &s);
    publish(t, &to, u, now_us);
}
