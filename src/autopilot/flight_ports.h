// flight_ports.h - the ports of flight control as a component in reals of the kind, for every
// scalar kind.
#ifndef TAC_AUTOPILOT_FLIGHT_PORTS_H
#define TAC_AUTOPILOT_FLIGHT_PORTS_H

#include "autopilot/flight_control.h"
#include "model/kernel.h"

#include <string.h>

static inline const tac__flight_control *control_of(const void *self)
{
    return *(const tac__flight_self *)self;
}

static inline const void *flight_where_connected(const tac_step *s, int index)
{
    return tac_connected(s, index) ? s->in[index] : NULL;
}

// Limited to its range, whatever writes the input.
static inline real flight_speed(const tac_step *s, int which)
{
    return r_clamp(*step_in(s, TAC__FLIGHT_SPEEDS + which), R(0.01),
                   R(tac__flight_speeds[which].most));
}

// All that is a real. A bus without power gives no reading.
static inline void flight_read(const tac_step *s, const tac__flight_control *c,
                               const tac__flight *f, tac__flight_in *in)
{
    in->position = step_in(s, TAC__FLIGHT_POSITION);
    in->velocity = step_in(s, TAC__FLIGHT_VELOCITY);
    in->attitude = step_in(s, TAC__FLIGHT_ATTITUDE);
    in->rate = step_in(s, TAC__FLIGHT_RATE);
    in->rotor_speed = (const real *)flight_where_connected(s, TAC__FLIGHT_ROTOR_SPEED);
    in->cruise_speed = flight_speed(s, TAC__FLIGHT_CRUISE);
    in->climb_speed = flight_speed(s, TAC__FLIGHT_CLIMB);
    in->descend_speed = flight_speed(s, TAC__FLIGHT_DESCEND);
    in->land_speed = flight_speed(s, TAC__FLIGHT_LAND);

    real nominal = P(f->control.voltage_v);
    const real *bus = (const real *)flight_where_connected(s, TAC__FLIGHT_BUS_VOLTAGE);
    for (int i = 0; i < c->shape.rotors; i++) {
        real v = bus ? bus[c->bus[i]] : nominal;
        in->voltage[i] = r_select(v <= 0.1 * nominal, nominal, v);
    }
}

static inline void flight_write_reals(tac_step *s, int index, const real *from, int count)
{
    memcpy(s->out[index], from, (size_t)count * sizeof *from);
}

// All outputs that are reals. `position` is that of the reference.
static inline void flight_write(tac_step *s, const tac__flight_control *c, const real *position,
                                const tac__control_out *out)
{
    flight_write_reals(s, TAC__FLIGHT_OUT_MOTOR, out->duty, c->shape.rotors);
    flight_write_reals(s, TAC__FLIGHT_OUT_POSITION, position, 3);
    flight_write_reals(s, TAC__FLIGHT_OUT_VELOCITY, out->velocity, 3);
    flight_write_reals(s, TAC__FLIGHT_OUT_ATTITUDE, out->attitude, 4);
    flight_write_reals(s, TAC__FLIGHT_OUT_RATE, out->rate, 3);
    flight_write_reals(s, TAC__FLIGHT_OUT_THRUST, &out->thrust, 1);
    flight_write_reals(s, TAC__FLIGHT_OUT_TORQUE, out->torque, 3);
}

#endif
