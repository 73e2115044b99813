// flight_law.h - what a step of flight control computes once it is decided what to do: the control
// laws, or motors at rest. For every scalar kind.
#ifndef TAC_AUTOPILOT_FLIGHT_LAW_H
#define TAC_AUTOPILOT_FLIGHT_LAW_H

#include "autopilot/flight.h"

#include <string.h>

// What is decided, besides the numbers of tac__flight_numbers.
typedef struct flight_choice {
    cond flies;    // armed and not landed: the control laws are at work
    cond armed;    // motors turn, at idle at least
    cond descends; // it sinks to the ground, whatever the target's altitude is
    cond yaw_held;
} flight_choice;

// The control loops at rest, where the vehicle is, and the yaw to hold.
static inline void flight_reset(const tac__flight_in *in, cond which, tac__flight_numbers *n)
{
    tac__control_state *l = &n->loops;
    const real *q = in->attitude;
    for (size_t i = 0; i < sizeof *l / sizeof(real); i++)
        ((real *)l)[i] = r_select(which, R(0.0), ((real *)l)[i]);
    for (int k = 0; k < 3; k++)
        l->position[k] = r_select(which, in->position[k], l->position[k]);
    real yaw = r_atan2(2.0 * (q[0] * q[3] + q[1] * q[2]), 1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]));
    l->yaw = r_select(which, yaw, l->yaw);
    n->yaw = r_select(which, yaw, n->yaw);
}

static inline real flight_sink_speed(const tac__flight *f, const tac__flight_in *in, real ground)
{
    real slow = in->land_speed, fast = r_max(slow, in->descend_speed);
    real height = ground - in->position[2];
    return r_clamp(slow + 0.5 * (height - f->slow_m), slow, fast);
}

static inline void flight_fly(const tac__control_shape *shape, const tac__flight *f, double dt,
                              const tac__flight_in *in, const flight_choice *choice,
                              tac__flight_numbers *n, tac__control_out *out)
{
    tac__control_in c;
    memcpy(c.position, in->position, sizeof c.position);
    memcpy(c.velocity, in->velocity, sizeof c.velocity);
    memcpy(c.attitude, in->attitude, sizeof c.attitude);
    memcpy(c.rate, in->rate, sizeof c.rate);
    memcpy(c.target, n->target, sizeof c.target);
    c.cruise_speed = in->cruise_speed;
    c.climb_speed = in->climb_speed;
    c.descend_speed = in->descend_speed;
    c.run_out = n->run_out;
    c.landing = r_select(choice->descends, R(1.0), R(0.0));
    c.sink = flight_sink_speed(f, in, n->ground);
    c.yaw = n->yaw;
    c.yaw_held = r_select(choice->yaw_held, R(1.0), R(0.0));
    // Lanes that do not fly have the thrust of hover: it is within limits, and costs no search.
    c.lift = r_select(choice->flies, n->lift, R(1.0));
    TAC_KINDED(tac__control_step)
    (shape, &f->control, dt, in->voltage, n->works, &c, &n->loops, out);
}

// On the ground, or in the air with motors off.
static inline void flight_rest(const tac__control_shape *shape, const tac__flight *f,
                               const tac__flight_in *in, const flight_choice *choice,
                               tac__flight_numbers *n, tac__control_out *out)
{
    cond rests = c_not(choice->flies);
    for (int k = 0; k < 3; k++) {
        out->velocity[k] = r_select(rests, R(0.0), out->velocity[k]);
        out->rate[k] = r_select(rests, R(0.0), out->rate[k]);
        out->torque[k] = r_select(rests, R(0.0), out->torque[k]);
    }
    for (int k = 0; k < 4; k++) {
        out->attitude[k] = r_select(rests, in->attitude[k], out->attitude[k]);
        out->reached[k] = r_select(rests, R(0.0), out->reached[k]);
    }
    out->thrust = r_select(rests, R(0.0), out->thrust);
    for (int i = 0; i < shape->rotors; i++) {
        real idle = r_select(choice->armed, f->control.tuning.idle * n->works[i], R(0.0));
        out->speed[i] = r_select(rests, R(0.0), out->speed[i]);
        out->duty[i] = r_select(rests, idle, out->duty[i]);
    }
    flight_reset(in, rests, n);
}

// What the next step compares telemetry with: the thrust that was asked for, and the speeds to
// expect after this command.
static inline void flight_expect(const tac__control_shape *shape, double dt,
                                 const tac__control_out *out, tac__flight_numbers *n)
{
    const double spin_s = 0.05, fade_s = 2;
    const double spin = dt / (spin_s + dt), fade = dt / fade_s;
    n->thrust = out->thrust;
    for (int i = 0; i < shape->rotors; i++) {
        real *expected = &n->expected[i], *highest = &n->highest[i];
        *expected += spin * (out->speed[i] - *expected);
        *highest -= fade * *highest;
        *highest = r_max(*highest, *expected);
    }
}

#endif
