// control.c - see control.h.
#include "control.h"

static const double gravity = 9.80665;

// --- position and velocity ----------------------------------------------------------------------

static double or_zero(float f)
{
    return isnan(f) ? 0 : (double)f;
}

// Velocity setpoint less velocity, of one axis; a position setpoint of NaN leaves velocity alone.
static double velocity_error(double p, float sp, float vsp, float x, float v)
{
    return p * or_zero(sp - x) + or_zero(vsp) - (double)v;
}

static void publish_attitude(uorb *u, vec3 up, double yaw, double thrust, uint64_t now_us)
{
    // Shortest turn from upright to `up`, then the heading.
    const double w = 1 - up.z, norm = sqrt(w * w + up.x * up.x + up.y * up.y);
    const quat tilt = {w / norm, up.y / norm, -up.x / norm, 0};
    double s, c;
    sine_cosine(yaw / 2, &s, &c);
    struct vehicle_attitude_setpoint m = {.timestamp = now_us, .thrust_body = {0, 0}};
    quat_store(m.q_d, quat_multiply(tilt, (quat){c, 0, 0, s}));
    m.thrust_body[2] = (float)-thrust;
    PUBLISH(u, vehicle_attitude_setpoint, &m);
}

static vec3 limit_tilt(vec3 a, const params *p) // of a wanted acceleration
{
    double s, c;
    sine_cosine(params_get(p, PARAM_MPC_TILTMAX_AIR) * DEGREE, &s, &c);
    const double most = gravity * s / c, size = level(a);
    if (size > most) {
        a.x *= most / size;
        a.y *= most / size;
    }
    return a;
}

// Cut the velocity setpoint to the limits of the vehicle, and return its new error.
static vec3 limit_velocity(vec3 e, const struct vehicle_local_position *at, const params *p)
{
    const vec3 v = {(double)at->vx, (double)at->vy, (double)at->vz};
    vec3 sp = vec3_add(e, v);
    const double most = params_get(p, PARAM_MPC_XY_VEL_MAX), size = level(sp);
    if (size > most) {
        sp.x *= most / size;
        sp.y *= most / size;
    }
    sp.z =
        clamp(sp.z, -params_get(p, PARAM_MPC_Z_VEL_MAX_UP), params_get(p, PARAM_MPC_Z_VEL_MAX_DN));
    return vec3_sub(sp, v);
}

void position_control(control *c, bool flying, uorb *u, const params *p, uint64_t now_us, double dt)
{
    struct trajectory_setpoint sp;
    struct vehicle_local_position at;
    struct vehicle_control_mode mode;
    if (!READ(u, trajectory_setpoint, &sp) || !READ(u, vehicle_local_position, &at) ||
        !READ(u, vehicle_control_mode, &mode) || !mode.flag_control_position_enabled ||
        !mode.flag_control_velocity_enabled)
        return;
    const double yaw = isnan(sp.yaw) ? (double)at.heading : (double)sp.yaw;
    if (!flying) {
        c->velocity_integral = (vec3){0};
        publish_attitude(u, (vec3){0, 0, -1}, yaw, 0, now_us);
        return;
    }
    const double xy = params_get(p, PARAM_MPC_XY_P), z = params_get(p, PARAM_MPC_Z_P);
    vec3 e = {velocity_error(xy, sp.position[0], sp.velocity[0], at.x, at.vx),
              velocity_error(xy, sp.position[1], sp.velocity[1], at.y, at.vy),
              velocity_error(z, sp.position[2], sp.velocity[2], at.z, at.vz)};
    if (mode.flag_control_offboard_enabled) // Setpoints of flight tasks are within the limits.
        e = limit_velocity(e, &at, p);
    const double gain = params_get(p, PARAM_MPC_XY_VEL_P_ACC);
    vec3 a = {gain * e.x, gain * e.y, params_get(p, PARAM_MPC_Z_VEL_P_ACC) * e.z};
    const vec3 feed = {or_zero(sp.acceleration[0]), or_zero(sp.acceleration[1]),
                       or_zero(sp.acceleration[2])};
    a = vec3_add(vec3_add(a, c->velocity_integral), feed);
    a = limit_tilt(a, p);

    // Never upside down, however fast it shall sink.
    const vec3 force = {a.x, a.y, fmin(a.z - gravity, -0.2 * gravity)};
    const double size = vec3_norm(force), hover = params_get(p, PARAM_MPC_THR_HOVER);
    const double least = params_get(p, PARAM_MPC_THR_MIN), most = params_get(p, PARAM_MPC_THR_MAX);
    const double wanted = hover / gravity * size, thrust = clamp(wanted, least, most);

    // Integrals stand still where thrust cannot follow.
    vec3 grow = {params_get(p, PARAM_MPC_XY_VEL_I_ACC) * e.x,
                 params_get(p, PARAM_MPC_XY_VEL_I_ACC) * e.y,
                 params_get(p, PARAM_MPC_Z_VEL_I_ACC) * e.z};
    if ((wanted >= most && grow.z < 0) || (wanted <= least && grow.z > 0))
        grow.z = 0;
    c->velocity_integral = vec3_add(c->velocity_integral, vec3_scale(dt, grow));
    c->velocity_integral.z = clamp(c->velocity_integral.z, -gravity, gravity);
    publish_attitude(u, vec3_scale(1 / size, force), yaw, thrust, now_us);
}

// --- attitude -----------------------------------------------------------------------------------

void attitude_control(uorb *u, const params *p, uint64_t now_us)
{
    struct vehicle_attitude_setpoint sp;
    struct vehicle_attitude at;
    struct vehicle_control_mode mode;
    if (!READ(u, vehicle_attitude_setpoint, &sp) || !READ(u, vehicle_attitude, &at) ||
        !READ(u, vehicle_control_mode, &mode) || !mode.flag_control_attitude_enabled)
        return;
    const quat e = quat_multiply(quat_conjugate(quat_load(at.q)), quat_load(sp.q_d));
    const double twice = e.w < 0 ? -2 : 2; // the shorter way round
    const double roll = params_get(p, PARAM_MC_ROLLRATE_MAX) * DEGREE;
    const double pitch = params_get(p, PARAM_MC_PITCHRATE_MAX) * DEGREE;
    const double yaw = params_get(p, PARAM_MC_YAWRATE_MAX) * DEGREE;
    struct vehicle_rates_setpoint m = {.timestamp = now_us};
    m.roll = (float)clamp(twice * e.x * params_get(p, PARAM_MC_ROLL_P), -roll, roll);
    m.pitch = (float)clamp(twice * e.y * params_get(p, PARAM_MC_PITCH_P), -pitch, pitch);
    m.yaw = (float)clamp(twice * e.z * params_get(p, PARAM_MC_YAW_P), -yaw, yaw);
    for (int i = 0; i < 3; i++)
        m.thrust_body[i] = sp.thrust_body[i];
    PUBLISH(u, vehicle_rates_setpoint, &m);
}

// --- rates --------------------------------------------------------------------------------------

static double torque(const params *p, param_id gain, double error, double derivative,
                     double *integral, double dt)
{
    const double out =
        params_get(p, gain) * error + *integral - params_get(p, (param_id)(gain + 2)) * derivative;
    *integral = clamp(*integral + dt * params_get(p, (param_id)(gain + 1)) * error, -0.3, 0.3);
    return clamp(out, -1, 1);
}

_Static_assert(PARAM_MC_ROLLRATE_I == PARAM_MC_ROLLRATE_P + 1 &&
                   PARAM_MC_ROLLRATE_D == PARAM_MC_ROLLRATE_P + 2,
               "P, I, D follow each other");

void rate_control(control *c, bool flying, uorb *u, const params *p, uint64_t now_us, double dt)
{
    struct vehicle_rates_setpoint sp;
    struct vehicle_angular_velocity at;
    struct vehicle_control_mode mode;
    if (!READ(u, vehicle_rates_setpoint, &sp) || !READ(u, vehicle_angular_velocity, &at) ||
        !READ(u, vehicle_control_mode, &mode) || !mode.flag_control_rates_enabled)
        return;
    const vec3 rate = vec3_load(at.xyz), d = vec3_load(at.xyz_derivative);
    vec3 *i = &c->rate_integral, t = {0};
    if (flying) {
        t.x = torque(p, PARAM_MC_ROLLRATE_P, (double)sp.roll - rate.x, d.x, &i->x, dt);
        t.y = torque(p, PARAM_MC_PITCHRATE_P, (double)sp.pitch - rate.y, d.y, &i->y, dt);
        t.z = torque(p, PARAM_MC_YAWRATE_P, (double)sp.yaw - rate.z, d.z, &i->z, dt);
    } else {
        *i = (vec3){0};
    }
    struct vehicle_torque_setpoint m = {now_us, at.timestamp_sample, {0}};
    vec3_store(m.xyz, t);
    PUBLISH(u, vehicle_torque_setpoint, &m);
    struct vehicle_thrust_setpoint f = {now_us, at.timestamp_sample, {0}};
    vec3_store(f.xyz, vec3_load(sp.thrust_body));
    PUBLISH(u, vehicle_thrust_setpoint, &f);
}
