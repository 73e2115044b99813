// control.model.h - the control laws of a multirotor, for every scalar kind: a reference that moves
// smoothly to the target, position, velocity, attitude and rate loops, allocation, duty.
// docs/flight_control.md has the equations.
#include "autopilot/allocate.h"
#include "autopilot/control.h"
#include "autopilot/rotor_curve.h"
#include "math/quat.h"

static inline vec3 control_get(const real *a)
{
    return vec3_make(a[0], a[1], a[2]);
}

static inline void control_put(real *a, vec3 v)
{
    a[0] = v.x;
    a[1] = v.y;
    a[2] = v.z;
}

static inline real control_level(vec3 v) // length of the horizontal part
{
    return r_sqrt(v.x * v.x + v.y * v.y);
}

// The factor that brings `size` within a limit, both positive. Mostly `size` is within: then
// nothing has to wait for the quotient.
static inline real control_within(real size, real limit)
{
    return R_CHOOSE(size <= limit, R(1.0), limit / size);
}

// The same direction, at most so long.
static inline vec3 control_limit(vec3 v, real length)
{
    return vec3_scale(control_within(r_sqrt(vec3_dot(v, v) + 1e-12), length), v);
}

// --- the reference -------------------------------------------------------------------------------

// The loops of the reference are slower from inside to outside by a factor of four, which makes all
// its poles real: it arrives without overshoot. Braking uses less than the whole acceleration, so
// that the delay of the loops can be made up for.
#define CONTROL__PACE    4.0
#define CONTROL__LEASH_M 2.0 // the reference stays within this distance of the vehicle

// The velocity for the next step: straight to the target as fast as is allowed, slower near it so
// that the vehicle can come to rest there: d = v/k + v^2/(2 a).
static inline vec3 control_course(const control_law *c, const tac__control_in *in, vec3 position)
{
    cond landing = in->landing > 0.5;
    vec3 way = vec3_sub(control_get(in->target), position);
    way.z = r_select(landing, R(0.0), way.z);
    real d = r_sqrt(vec3_dot(way, way) + 1e-12);
    vec3 u = vec3_scale(1.0 / d, way);
    real level = control_level(u);
    // Each limit applies to its own part of the motion.
    real vertical = r_select(u.z > 0.0, u.z / in->descend_speed, -u.z / in->climb_speed);
    real pace = r_max(level / in->cruise_speed, vertical);
    real speed = 1.0 / r_max(R(1e-3), pace);
    real a = TAC__BRAKING / r_max(R(1e-3), r_max(level / c->p->tuning.acceleration,
                                                 r_abs(u.z) / c->p->tuning.climb_acceleration));
    real knee = a / TAC__APPROACH;
    real arriving = r_sqrt(2.0 * a * (d + in->run_out) + knee * knee) - knee;
    vec3 v = vec3_scale(r_min(speed, arriving), u);
    v.z = r_select(landing, in->sink, v.z);
    return v;
}

static inline void control_reference(const control_law *c, double dt, const tac__control_in *in,
                                     tac__control_state *s)
{
    const tac__control_tuning *t = &c->p->tuning;
    const double fast = CONTROL__PACE * TAC__APPROACH, faster = CONTROL__PACE * fast;
    vec3 p = control_get(s->position), v = control_get(s->velocity);
    vec3 a = control_get(s->acceleration);
    cond moving = in->lift >= 1.0;
    vec3 course = control_course(c, in, p);
    course = vec3_select(moving, course, vec3_make(R(0.0), R(0.0), R(0.0)));

    vec3 wish = vec3_scale(R(fast), vec3_sub(course, v));
    real most = r_max(control_level(wish) / t->acceleration, r_abs(wish.z) / t->climb_acceleration);
    wish = vec3_scale(control_within(most, R(1.0)), wish);
    vec3 jerk = control_limit(vec3_scale(R(faster), vec3_sub(wish, a)), P(t->jerk));
    a = vec3_add(a, vec3_scale(R(dt), jerk));
    v = vec3_add(v, vec3_scale(R(dt), a));
    p = vec3_add(p, vec3_scale(R(dt), v));
    vec3 here = control_get(in->position);
    p = vec3_add(here, control_limit(vec3_sub(p, here), R(CONTROL__LEASH_M)));

    control_put(s->position, p);
    control_put(s->velocity, v);
    control_put(s->acceleration, a);
}

#define CONTROL__TURN       6.283185307179586
#define CONTROL__YAW_PACE   2.0 // 1/s
#define CONTROL__YAW_SMOOTH 8.0 // 1/s

// The same angle within half a turn.
static inline real control_wrap(real angle)
{
    return angle - CONTROL__TURN * r_floor(angle * (1.0 / CONTROL__TURN) + 0.5);
}

static inline void control_heading(const control_law *c, double dt, const tac__control_in *in,
                                   tac__control_state *s)
{
    const param most = c->p->tuning.max_yaw_rate_rad_s;
    real wish = r_clamp(CONTROL__YAW_PACE * control_wrap(in->yaw - s->yaw), P(-most), P(most));
    s->yaw_rate += (dt * CONTROL__YAW_SMOOTH) * (wish - s->yaw_rate);
    s->yaw = control_wrap(s->yaw + dt * s->yaw_rate);
}

// --- position and velocity -----------------------------------------------------------------------

#define CONTROL__FILTER     20.0 // rad/s, of the velocity's error
#define CONTROL__INTEGRAL_G 0.5  // most that the integral may add, of g

// The force [N] that the rotors are to give, limited vertically and horizontally to what they can.
static inline vec3 control_force(const control_law *c, vec3 a, real most)
{
    real up = c->p->mass_kg * (c->p->g_m_s2 - a.z);
    up = r_max(P(c->p->thrust_min_n), r_min(most, up));
    vec3 level = vec3_make(c->p->mass_kg * a.x, c->p->mass_kg * a.y, R(0.0));
    real n = r_sqrt(level.x * level.x + level.y * level.y + 1e-12);
    real room = r_sqrt(r_max(R(0.0), most * most - up * up) + 1e-12);
    level = vec3_scale(control_within(n, r_min(c->p->tilt_slope * up, room)), level);
    return vec3_make(level.x, level.y, -up);
}

static inline vec3 control_velocity(const control_law *c, double dt, const tac__control_in *in,
                                    real most, tac__control_state *s, vec3 *velocity_sp)
{
    const tac__control_tuning *t = &c->p->tuning;
    vec3 a = control_get(s->acceleration);
    vec3 off = vec3_sub(control_get(s->position), control_get(in->position));
    *velocity_sp = vec3_add(control_get(s->velocity), vec3_scale(P(t->position), off));
    vec3 error = vec3_sub(*velocity_sp, control_get(in->velocity));

    // The error is filtered; the filter also gives its rate of change.
    vec3 smooth = control_get(s->velocity_filter);
    vec3 change = vec3_scale(R(CONTROL__FILTER), vec3_sub(error, smooth));
    smooth = vec3_add(smooth, vec3_scale(R(dt), change));
    control_put(s->velocity_filter, smooth);

    vec3 integral = control_get(s->velocity_integral);
    vec3 wish = vec3_add(vec3_add(a, integral), vec3_scale(P(t->velocity), smooth));
    wish = vec3_add(wish, vec3_scale(P(t->velocity_derivative), change));
    vec3 force = control_force(c, wish, most);

    // What the rotors cannot give is taken back from the integral (anti-windup).
    vec3 had = vec3_scale(P(c->p->per_mass), force);
    had.z += c->p->g_m_s2;
    const param gain = t->velocity * t->velocity_integral;
    vec3 more =
        vec3_add(vec3_scale(P(gain), error), vec3_scale(P(t->velocity), vec3_sub(had, wish)));
    integral = vec3_add(integral, vec3_scale(R(dt), more));
    integral = control_limit(integral, P(CONTROL__INTEGRAL_G * c->p->g_m_s2));
    integral = vec3_select(in->lift >= 1.0, integral, vec3_make(R(0.0), R(0.0), R(0.0)));
    control_put(s->velocity_integral, integral);
    return force;
}

// --- attitude ------------------------------------------------------------------------------------

// The shortest rotation that takes the down axis to `z`, which has unit length. Upside down it is
// some rotation by nearly half a turn.
static inline quat control_tilt(vec3 z)
{
    return quat_normalise(quat_make(r_max(R(1e-6), 1.0 + z.z), -z.y, z.x, R(0.0)));
}

// Body rates that bring the thrust axis to `z` by the shortest way, and the yaw to the reference as
// far as that does not disturb the thrust axis.
static inline vec3 control_attitude(const control_law *c, const tac__control_in *in,
                                    const tac__control_state *s, quat q, vec3 z, quat *attitude_sp)
{
    const tac__control_tuning *t = &c->p->tuning;
    *attitude_sp = quat_mul(control_tilt(z), quat_from_yaw(s->yaw));

    quat tilt = control_tilt(quat_rotate_inverse(q, z));
    quat turn = quat_mul(quat_conj(quat_mul(q, tilt)), *attitude_sp);
    real yaw = 2.0 * r_select(turn.w < 0.0, -turn.z, turn.z);

    vec3 rate = vec3_make((2.0 * t->attitude) * tilt.x, (2.0 * t->attitude) * tilt.y, R(0.0));
    rate = control_limit(rate, P(t->max_rate_rad_s));
    const param most = t->max_yaw_rate_rad_s;
    rate.z = in->yaw_held * r_clamp(s->yaw_rate + t->yaw * yaw, P(-most), P(most));
    return rate;
}

// --- rate ----------------------------------------------------------------------------------------

static inline mat3 control_inertia(const control_law *c)
{
    const param *a = c->p->inertia;
    return mat3_from_rows(vec3_make(P(a[0]), P(a[1]), P(a[2])),
                          vec3_make(P(a[3]), P(a[4]), P(a[5])),
                          vec3_make(P(a[6]), P(a[7]), P(a[8])));
}

// I w' = torque - w x (I w), with w' = k (w_sp - w). The integral has the same units as the torque.
static inline vec3 control_torque(const control_law *c, vec3 rate, vec3 error, vec3 integral)
{
    const tac__control_tuning *t = &c->p->tuning;
    mat3 inertia = control_inertia(c);
    vec3 turn = vec3_make(t->rate * error.x, t->rate * error.y, t->yaw_rate * error.z);
    vec3 gyro = vec3_cross(rate, mat3_mul_vec(inertia, rate));
    return vec3_add(vec3_add(mat3_mul_vec(inertia, turn), gyro), integral);
}

#define CONTROL__TORQUE_INTEGRAL 0.3 // of the scale of each axis

static inline void control_rate_integral(const control_law *c, double dt, const tac__control_in *in,
                                         vec3 error, const tac__control_out *out,
                                         tac__control_state *s)
{
    const tac__control_tuning *t = &c->p->tuning;
    const param gain[3] = {t->rate, t->rate, t->yaw_rate};
    mat3 inertia = control_inertia(c);
    vec3 turn =
        mat3_mul_vec(inertia, vec3_make(gain[0] * error.x, gain[1] * error.y, gain[2] * error.z));
    const real push[3] = {turn.x, turn.y, turn.z};
    for (int i = 0; i < 3; i++) {
        // Towards what the rotors can give, at the speed of the loop (anti-windup).
        real short_by = out->reached[1 + i] - out->torque[i];
        real more = t->rate_integral * push[i] + gain[i] * short_by;
        const param most = CONTROL__TORQUE_INTEGRAL * c->p->scale[1 + i];
        real next = r_clamp(s->rate_integral[i] + dt * more, P(-most), P(most));
        s->rate_integral[i] = r_select(in->lift >= 1.0, next, R(0.0));
    }
}

// --- rotors --------------------------------------------------------------------------------------

static inline void control_duty(const control_law *c, const real *voltage, const real *works,
                                const real *thrust, tac__control_out *out)
{
    for (int i = 0; i < c->rotors; i++) {
        const tac__control_rotor *r = &c->p->rotor[i];
        out->speed[i] = r_sqrt(thrust[i] * r->per_k);
        real duty = rotor_voltage(r, out->speed[i], thrust[i]) / voltage[i];
        out->duty[i] = works[i] * r_clamp(duty, R(0.0), R(1.0));
    }
}

// --- entry points --------------------------------------------------------------------------------

static inline void control_limits(const control_law *c, const real *voltage, real *high)
{
    for (int i = 0; i < c->rotors; i++) {
        const tac__control_rotor *r = &c->p->rotor[i];
        real v = voltage[i];
        cond nominal = c_and(v >= c->p->voltage_v, v <= c->p->voltage_v);
        high[i] = R_CHOOSE(nominal, P(r->full_n), rotor_full_thrust(r, v));
    }
}

TAC_ENTRY void TAC_KINDED(tac__control_allocate)(const tac__control_shape *shape,
                                                 const tac__control *p, const real *voltage,
                                                 const real *works, const real *wanted,
                                                 real *thrust, real *reached)
{
    const control_law law = {shape->rotors, shape->mixes, p};
    real high[TAC__ROTORS_MAX];
    control_limits(&law, voltage, high);
    allocate(&law, works, high, wanted, thrust, reached);
}

TAC_ENTRY void TAC_KINDED(tac__control_step)(const tac__control_shape *shape, const tac__control *p,
                                             double dt, const real *voltage, const real *works,
                                             const tac__control_in *in, tac__control_state *s,
                                             tac__control_out *out)
{
    const control_law law = {shape->rotors, shape->mixes, p}, *c = &law;

    real high[TAC__ROTORS_MAX], most = R(0.0);
    control_limits(c, voltage, high);
    for (int i = 0; i < c->rotors; i++)
        most += (c->p->lift * works[i]) * high[i];
    most = r_max(P(c->p->thrust_min_n), most);

    control_reference(c, dt, in, s);
    control_heading(c, dt, in, s);
    vec3 velocity_sp;
    vec3 force = control_velocity(c, dt, in, most, s, &velocity_sp);

    const quat q = quat_make(in->attitude[0], in->attitude[1], in->attitude[2], in->attitude[3]);
    quat attitude_sp;
    vec3 z = vec3_scale(-1.0 / vec3_norm(force), force);
    vec3 rate_sp = control_attitude(c, in, s, q, z, &attitude_sp);

    vec3 rate = control_get(in->rate);
    vec3 error = vec3_sub(rate_sp, rate);
    vec3 torque = control_torque(c, rate, error, control_get(s->rate_integral));
    // The part of the force that the rotors can give in the present attitude.
    vec3 axis = quat_rotate(q, vec3_make(R(0.0), R(0.0), R(-1.0)));
    real thrust_sp = in->lift * r_max(P(c->p->thrust_min_n), vec3_dot(force, axis));

    torque = vec3_scale(in->lift, torque);
    const real wanted[4] = {thrust_sp, torque.x, torque.y, torque.z};
    real thrust[TAC__ROTORS_MAX];
    allocate(c, works, high, wanted, thrust, out->reached);
    control_put(out->torque, torque);
    control_rate_integral(c, dt, in, error, out, s);
    control_duty(c, voltage, works, thrust, out);

    out->thrust = thrust_sp;
    control_put(out->velocity, velocity_sp);
    control_put(out->rate, rate_sp);
    out->attitude[0] = attitude_sp.w;
    out->attitude[1] = attitude_sp.x;
    out->attitude[2] = attitude_sp.y;
    out->attitude[3] = attitude_sp.z;
}
