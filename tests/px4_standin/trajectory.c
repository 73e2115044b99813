// trajectory.c - see trajectory.h.
#include "trajectory.h"

typedef struct seen {
    struct vehicle_local_position local;
    struct vehicle_attitude attitude;
    struct vehicle_status status;
    struct vehicle_control_mode mode;
    struct vehicle_land_detected land;
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

static target choose(trajectory *t, const navigator *n, const seen *s)
{
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
        t->hold = (target){TARGET_NONE, here(s), t->yaw};
    }
    return t->hold;
}

// Leaves the ground for a target only; what begins in the air is held there.
static void note_flying(trajectory *t, const target *to, const seen *s)
{
    const bool armed = s->mode.flag_armed && s->status.arming_state == ARMED;
    const bool above = !s->land.landed && s->local.z < -0.5f;
    if (!armed || (s->land.landed && to->kind == TARGET_NONE))
        t->flying = false;
    else if (to->kind != TARGET_NONE || above)
        t->flying = true;
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
    vec3 change = vec3_scale(1 / dt, vec3_sub(course(t, to, cruise_m_s, p), t->velocity));
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
    if (!isnan(to->yaw))
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
    const target to = choose(t, n, &s);
    note_flying(t, &to, &s);
    if (t->flying)
        advance(t, &to, cruise_speed(n, p), &s, p, dt);
    else
        rest(t, &s);
    publish(t, &to, u, now_us);
}
