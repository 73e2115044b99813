// multirotor.model.h - the multirotor plant, for every scalar kind: one coupled right-hand side of
// body, rotors, motors, actuators, batteries, network and ground.
#include "model/vehicle/actuator.h"
#include "model/vehicle/contact.h"
#include "model/vehicle/power.h"
#include "model/vehicle/rotor.h"
#include "model/world/atmosphere.h"
#include "model/world/gravity.h"

// Kinds that are run (f64, packs) are inlined into one function. Dual numbers and graphs need not
// be, and with sanitizers compiling it would take minutes.
#if !(defined(TAC_KIND_F64) || defined(TAC_LANES)) || defined(__SANITIZE_ADDRESS__)
#define MULTIROTOR__CORE static inline
#define MULTIROTOR__WHOLE
#else
#define MULTIROTOR__CORE  static inline __attribute__((always_inline))
#define MULTIROTOR__WHOLE __attribute__((flatten))
#endif

// Kinds that are run are compiled once for each common shape of vehicle, so that loops can be
// unrolled; other kinds have one version with plain loops. Saves 2,950 of 17,350 instructions a
// millisecond of flight of a quadrotor (callgrind, examples/iris_mission.yaml from 5 s to 10 s).
#if defined(TAC_KIND_F64) || defined(TAC_LANES)
#define MULTIROTOR__CALL(core, p, ...)                                                             \
    do {                                                                                           \
        const vehicle_shape any = {p->vehicle.rotors, p->batteries, p->buses, p->upright};         \
        const vehicle_shape quad = {4, 1, 1, true}, hexa = {6, 1, 1, true};                        \
        const bool usual = any.batteries == 1 && any.buses == 1 && any.upright;                    \
        if (usual && any.rotors == 4)                                                              \
            core(p, quad, __VA_ARGS__);                                                            \
        else if (usual && any.rotors == 6)                                                         \
            core(p, hexa, __VA_ARGS__);                                                            \
        else                                                                                       \
            core(p, any, __VA_ARGS__);                                                             \
    } while (0)
#else
#define MULTIROTOR__CALL(core, p, ...)                                                             \
    do {                                                                                           \
        const vehicle_shape any = {p->vehicle.rotors, p->batteries, p->buses, p->upright};         \
        core(p, any, __VA_ARGS__);                                                                 \
    } while (0)
#endif

typedef struct multirotor_now {
    rigid_body body;
    real density, temperature, pressure;
    real command[TAC__ROTORS_MAX], thrust[TAC__ROTORS_MAX];
    real current[TAC__ROTORS_MAX], spin_up[TAC__ROTORS_MAX]; // A, rad/s^2
    real emf[TAC__BATTERIES_MAX], drawn[TAC__BATTERIES_MAX]; // V, A
    power_bus bus[TAC__BUSES_MAX];
    vec3 specific_force; // NED, m/s^2
    vec3 torque, spin;   // body: torque, and angular momentum of the rotors
} multirotor_now;

MULTIROTOR__CORE const real *multirotor_in(const void *const *in, int i)
{
    return (const real *)in[i];
}

// Solves for bus voltages, and with them the currents of motors and batteries.
MULTIROTOR__CORE void multirotor_power(const tac__multirotor *p, vehicle_shape n, const real *open,
                                       const motor_line *line, const real *x, multirotor_now *now)
{
    const real *soc = x + TAC__X_ROTOR + n.rotors * (1 + (int)p->actuator.kind);
    real share[TAC__BATTERIES_MAX];
    for (int k = 0; k < n.batteries; k++)
        now->emf[k] = battery_emf(&p->battery[k], soc[k], soc[n.batteries + k]);
    for (int b = 0; b < n.buses; b++) {
        power_source s = power_source_at(p, n, b, now->emf, open, share);
        now->bus[b] = power_bus_solve(p, n, b, s, line, now->current);
        for (int k = 0; k < n.batteries; k++) {
            if (n.buses == 1 || p->battery[k].bus == b)
                now->drawn[k] = share[k] * now->bus[b].current;
        }
    }
}

// Adds one rotor's effect on the body: the force of its thrust, and the torque of thrust and motor.
// The motor's reaction torque is that to the air's torque Q and to the change of the rotor's own
// angular momentum, J dW/dt. `spin` is the angular momentum of the rotor, J W.
MULTIROTOR__CORE void multirotor_add(const tac__rotor *r, bool upright, real thrust, real torque,
                                     real spin, vec3 *force, multirotor_now *now)
{
    if (upright) {
        force->z -= thrust;
        now->torque.x += thrust * r->arm[0];
        now->torque.y += thrust * r->arm[1];
        now->torque.z += torque * r->direction;
        now->spin.z -= spin * r->direction;
        return;
    }
    *force = vec3_sub(*force, array_scale(thrust, r->axis));
    now->torque = vec3_add(now->torque, array_scale(thrust, r->arm));
    now->torque = vec3_add(now->torque, array_scale(torque, r->spin));
    now->spin = vec3_sub(now->spin, array_scale(spin, r->spin));
}

// All rotors: thrust, angular acceleration, and what they do to the body. `air` is the velocity
// through the air; it and the resulting force are in body axes.
MULTIROTOR__CORE vec3 multirotor_rotors(const tac__multirotor *p, vehicle_shape n, const real *loss,
                                        vec3 air, const real *speed, multirotor_now *now)
{
    const vec3 zero = vec3_make(R(0.0), R(0.0), R(0.0));
    vec3 force = zero;
    now->torque = now->spin = zero;
    VEHICLE_UNROLL
    for (int i = 0; i < n.rotors; i++) {
        const tac__rotor *r = &p->vehicle.rotor[i];
        real left = now->density * (1.0 - r_min(R(1.0), r_max(R(0.0), loss[i])));
        real v_axial = n.upright ? air.z : array_dot(r->axis, air);
        rotor_load load = rotor_load_at(&r->propeller, left, speed[i], v_axial);
        real torque = motor_torque(&r->motor, now->current[i], speed[i]);
        now->thrust[i] = load.thrust;
        now->spin_up[i] = (torque - load.torque) * r->motor.per_inertia;
        multirotor_add(r, n.upright, load.thrust, torque, r->motor.inertia * speed[i], &force, now);
    }
    return force;
}

MULTIROTOR__CORE void multirotor_at(const tac__multirotor *p, vehicle_shape n,
                                    const void *const *in, const real *mode, const real *x,
                                    multirotor_now *now)
{
    const real *motor = multirotor_in(in, TAC__IN_MOTOR);
    const real *hold = multirotor_in(in, TAC__IN_MOTOR_HOLD);
    const real *held_at = multirotor_in(in, TAC__IN_MOTOR_DUTY);
    const real *loss = multirotor_in(in, TAC__IN_MOTOR_LOSS);
    const real *speed = x + TAC__X_ROTOR, *actuator = speed + n.rotors;

    motor_line line[TAC__ROTORS_MAX];
    VEHICLE_UNROLL
    for (int i = 0; i < n.rotors; i++) {
        now->command[i] = actuator_command(motor[i], hold[i], held_at[i]);
        real duty = esc_duty(actuator_duty(p->actuator.kind, now->command[i], actuator + i));
        line[i] = motor_line_at(&p->vehicle.rotor[i].motor, duty, speed[i]);
    }
    multirotor_power(p, n, multirotor_in(in, TAC__IN_BATTERY_OPEN), line, x, now);

    now->body = rigid_body_read(x);
    const rigid_body *b = &now->body;
    vec3 air = vec3_sub(b->velocity, vec3_read(multirotor_in(in, TAC__IN_WIND)));
    atmosphere_at(p->world.altitude_m - b->position.z, &now->density, &now->temperature,
                  &now->pressure);
    vec3 thrust = multirotor_rotors(p, n, loss, mat3_tmul_vec(b->rotation, air), speed, now);
    vec3 lift = n.upright ? vec3_scale(thrust.z, mat3_column(b->rotation, 2))
                          : mat3_mul_vec(b->rotation, thrust);

    wrench contact = contact_wrench(p, b, mode);
    vec3 force = vec3_add(vec3_sub(lift, vec3_scale(R(p->drag), air)), contact.force);
    now->specific_force = vec3_scale(R(p->per_mass), force);
    now->torque = vec3_add(now->torque, contact.torque);
}

MULTIROTOR__CORE void multirotor_derive(const tac__multirotor *p, vehicle_shape n,
                                        const void *const *in, const real *mode, const real *x,
                                        real *dx)
{
    multirotor_now now;
    multirotor_at(p, n, in, mode, x, &now);
    vec3 acceleration = vec3_add(now.specific_force, gravity_at(&p->world, now.body.position));
    vec3 angular = rigid_body_angular(p, now.body.rate, now.torque, now.spin);
    rigid_body_derive(&now.body, acceleration, angular, dx);

    const int actuators = TAC__X_ROTOR + n.rotors;
    VEHICLE_UNROLL
    for (int i = 0; i < n.rotors; i++) {
        dx[TAC__X_ROTOR + i] = now.spin_up[i];
        actuator_derive(&p->actuator, n.rotors, now.command[i], x + actuators + i,
                        dx + actuators + i);
    }
    const int soc = TAC__X_ROTOR + n.rotors * (1 + (int)p->actuator.kind), v1 = soc + n.batteries;
    for (int k = 0; k < n.batteries; k++)
        battery_derive(&p->battery[k], now.drawn[k], x[v1 + k], &dx[soc + k], &dx[v1 + k]);
}

MULTIROTOR__CORE void multirotor_output(const tac__multirotor *p, vehicle_shape n,
                                        const void *const *in, const real *mode, const real *x,
                                        void *const *out)
{
    multirotor_now now;
    multirotor_at(p, n, in, mode, x, &now);
    vec3_write(mat3_tmul_vec(now.body.rotation, now.specific_force),
               (real *)out[TAC__OUT_SPECIFIC_FORCE]);
    if (p->euler)
        vec3_write(quat_to_euler(now.body.attitude), (real *)out[TAC__OUT_EULER]);
    for (int i = 0; i < n.rotors; i++) {
        ((real *)out[TAC__OUT_THRUST])[i] = now.thrust[i];
        ((real *)out[TAC__OUT_MOTOR_CURRENT])[i] = now.current[i];
    }
    const real *soc = x + tac__multirotor_x_soc(p);
    for (int k = 0; k < n.batteries; k++) {
        const tac__battery *b = &p->battery[k];
        ((real *)out[TAC__OUT_BATTERY_VOLTAGE])[k] = battery_voltage(b, now.emf[k], now.drawn[k]);
        ((real *)out[TAC__OUT_BATTERY_CURRENT])[k] = now.drawn[k];
        ((real *)out[TAC__OUT_BATTERY_WARNING])[k] = battery_warning(b, soc[k]);
    }
    real worst = R(0.0);
    for (int b = 0; b < n.buses; b++) {
        ((real *)out[TAC__OUT_BUS_VOLTAGE])[b] = now.bus[b].voltage;
        worst = r_max(worst, r_abs(now.bus[b].residual));
    }
    real feet = R(0.0), hull = R(0.0);
    for (int i = 0; i < p->feet; i++)
        feet += mode[i];
    for (int i = p->feet; i < p->contacts; i++)
        hull += mode[i];
    *(real *)out[TAC__OUT_BUS_RESIDUAL] = worst;
    *(real *)out[TAC__OUT_AIR_DENSITY] = now.density;
    *(real *)out[TAC__OUT_AIR_TEMPERATURE] = now.temperature;
    *(real *)out[TAC__OUT_AIR_PRESSURE] = now.pressure;
    *(real *)out[TAC__OUT_FEET_DOWN] = feet;
    *(real *)out[TAC__OUT_HULL_DOWN] = hull;
}

TAC_ENTRY void TAC_KINDED(tac__multirotor_derive)(const tac__multirotor *p, const void *const *in,
                                                  const real *mode, const real *x,
                                                  real *dx) MULTIROTOR__WHOLE;
TAC_ENTRY void TAC_KINDED(tac__multirotor_derive)(const tac__multirotor *p, const void *const *in,
                                                  const real *mode, const real *x, real *dx)
{
    MULTIROTOR__CALL(multirotor_derive, p, in, mode, x, dx);
}

TAC_ENTRY void TAC_KINDED(tac__multirotor_output)(const tac__multirotor *p, const void *const *in,
                                                  const real *mode, const real *x,
                                                  void *const *out) MULTIROTOR__WHOLE;
TAC_ENTRY void TAC_KINDED(tac__multirotor_output)(const tac__multirotor *p, const void *const *in,
                                                  const real *mode, const real *x, void *const *out)
{
    MULTIROTOR__CALL(multirotor_output, p, in, mode, x, out);
}

TAC_ENTRY void TAC_KINDED(tac__multirotor_detect)(const tac__multirotor *p, const real *mode,
                                                  const real *x, real *g);
TAC_ENTRY void TAC_KINDED(tac__multirotor_detect)(const tac__multirotor *p, const real *mode,
                                                  const real *x, real *g)
{
    contact_detect(p, mode, x, g);
}
