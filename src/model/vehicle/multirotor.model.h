// multirotor.model.h - the multirotor plant, for every scalar kind: one coupled right-hand side of
// body, rotors, motors, actuators, batteries, network and ground.
#include "model/kernel.h"
#include "model/vehicle/actuator.h"
#include "model/vehicle/contact.h"
#include "model/vehicle/power.h"
#include "model/vehicle/rotor.h"
#include "model/world/atmosphere.h"
#include "model/world/gravity.h"

// Kinds that are run (f64, packs, duals for machines with wide registers) are inlined into one
// function. Other dual numbers and graphs need not be, and with sanitizers compiling it would take
// minutes.
#if defined(TAC_KIND_F64) || defined(TAC_LANES) || defined(TAC_KIND_DUALP_AVX2) ||                 \
    defined(TAC_KIND_DUALP_AVX512)
#define MULTIROTOR__RUNS
#endif
#if !defined(MULTIROTOR__RUNS) || defined(__SANITIZE_ADDRESS__)
#define MULTIROTOR__CORE static inline
#define MULTIROTOR__WHOLE
#else
#define MULTIROTOR__CORE  static inline __attribute__((always_inline))
#define MULTIROTOR__WHOLE __attribute__((flatten))
#endif

// Kinds that are run are compiled once for each common shape of vehicle, so that loops can be
// unrolled; other kinds have one version with plain loops. Saves 2,950 of 17,350 instructions a
// millisecond of flight of a quadrotor (callgrind, examples/iris_mission.yaml from 5 s to 10 s).
#ifdef MULTIROTOR__RUNS
#define MULTIROTOR__CALL(core, shape, ...)                                                         \
    do {                                                                                           \
        const vehicle_shape any = {shape->rotors, shape->batteries, shape->buses, shape->upright}; \
        const vehicle_shape quad = {4, 1, 1, true}, hexa = {6, 1, 1, true};                        \
        const bool usual = any.batteries == 1 && any.buses == 1 && any.upright;                    \
        if (usual && any.rotors == 4)                                                              \
            core(shape, quad, __VA_ARGS__);                                                        \
        else if (usual && any.rotors == 6)                                                         \
            core(shape, hexa, __VA_ARGS__);                                                        \
        else                                                                                       \
            core(shape, any, __VA_ARGS__);                                                         \
    } while (0)
#else
#define MULTIROTOR__CALL(core, shape, ...)                                                         \
    do {                                                                                           \
        const vehicle_shape any = {shape->rotors, shape->batteries, shape->buses, shape->upright}; \
        core(shape, any, __VA_ARGS__);                                                             \
    } while (0)
#endif

enum { MULTIROTOR__WIDES = TAC__ROTORS_MAX / WIDE };

typedef struct multirotor_now {
    rigid_body body;
    real density, temperature, pressure;
    wide command[MULTIROTOR__WIDES], thrust[MULTIROTOR__WIDES];
    wide current[MULTIROTOR__WIDES], spin_up[MULTIROTOR__WIDES]; // A, rad/s^2
    real emf[TAC__BATTERIES_MAX], drawn[TAC__BATTERIES_MAX];     // V, A
    power_bus bus[TAC__BUSES_MAX];
    vec3 specific_force; // NED, m/s^2
    vec3 torque, spin;   // body: torque, and angular momentum of the rotors
} multirotor_now;

// Solves for bus voltages, and with them the currents of motors and batteries.
MULTIROTOR__CORE void multirotor_power(const tac__multirotor_shape *shape, vehicle_shape n,
                                       const multirotor_numbers *p, const power_source *sources,
                                       const motor_line *line, const real *share,
                                       multirotor_now *now)
{
    for (int b = 0; b < n.buses; b++) {
        now->bus[b] = power_bus_solve(shape, p, n, b, sources[b], line, now->current);
        for (int k = 0; k < n.batteries; k++) {
            if (n.buses == 1 || shape->battery_bus[k] == b)
                now->drawn[k] = share[k] * now->bus[b].current;
        }
    }
}

// One component of a sum over rotors: the elements of `part` are added to or taken from it one by
// one. `left`: the number of rotors from the first of `part` on.
MULTIROTOR__CORE void multirotor_add(wide part, int left, real *sum)
{
    for (int k = 0; k < WIDE && k < left; k++)
        *sum += W_AT(part, k);
}

MULTIROTOR__CORE void multirotor_take(wide part, int left, real *sum)
{
    for (int k = 0; k < WIDE && k < left; k++)
        *sum -= W_AT(part, k);
}

// The effect on the body of rotors i, ..., i + WIDE - 1: the force of thrust, and the torque of
// thrust and motor. The motor's reaction torque is that to the air's torque Q and to the change of
// the rotor's own angular momentum, J dW/dt. `spin` is the angular momentum of the rotor, J W.
MULTIROTOR__CORE void multirotor_load(const rotor_pair *r, vehicle_shape n, int i, wide thrust,
                                      wide torque, wide spin, vec3 *force, multirotor_now *now)
{
    const int left = n.rotors - i;
    if (n.upright) {
        multirotor_take(thrust, left, &force->z);
        multirotor_add(thrust * W_PAIR(r->arm[0], i), left, &now->torque.x);
        multirotor_add(thrust * W_PAIR(r->arm[1], i), left, &now->torque.y);
        multirotor_add(torque * W_PAIR(r->direction, i), left, &now->torque.z);
        multirotor_take(spin * W_PAIR(r->direction, i), left, &now->spin.z);
        return;
    }
    real *const forces[3] = {&force->x, &force->y, &force->z};
    real *const torques[3] = {&now->torque.x, &now->torque.y, &now->torque.z};
    real *const spins[3] = {&now->spin.x, &now->spin.y, &now->spin.z};
    for (int c = 0; c < 3; c++) {
        wide lever = thrust * W_PAIR(r->arm[c], i), turn = torque * W_PAIR(r->spin[c], i);
        multirotor_take(thrust * W_PAIR(r->axis[c], i), left, forces[c]);
        for (int k = 0; k < WIDE && k < left; k++) {
            *torques[c] += W_AT(lever, k);
            *torques[c] += W_AT(turn, k);
        }
        multirotor_take(spin * W_PAIR(r->spin[c], i), left, spins[c]);
    }
}

// What the air does to all rotors. `air` is the velocity through the air in body axes.
MULTIROTOR__CORE void multirotor_air(const multirotor_numbers *p, vehicle_shape n, const real *loss,
                                     vec3 air, const real *speeds, rotor_load *load,
                                     multirotor_now *now)
{
    VEHICLE_UNROLL
    for (int i = 0; i < n.rotors; i += WIDE) {
        const rotor_pair *r = &p->pair[i / 2];
        wide speed = w_read(speeds + i, n.rotors - i);
        wide lost = w_min(W(1.0), w_max(W(0.0), w_read(loss + i, n.rotors - i)));
        wide left = now->density * (1.0 - lost);
        wide v_axial = n.upright ? w_all(air.z)
                                 : W_PAIR(r->axis[0], i) * air.x + W_PAIR(r->axis[1], i) * air.y +
                                       W_PAIR(r->axis[2], i) * air.z;
        load[i / WIDE] = rotor_load_at(r, i, left, speed, v_axial);
        now->thrust[i / WIDE] = load[i / WIDE].thrust;
    }
}

// All rotors: angular acceleration, and what they do to the body. The resulting force is in body
// axes.
MULTIROTOR__CORE vec3 multirotor_rotors(const multirotor_numbers *p, vehicle_shape n,
                                        const real *speeds, const rotor_load *load,
                                        multirotor_now *now)
{
    const vec3 zero = vec3_make(R(0.0), R(0.0), R(0.0));
    vec3 force = zero;
    now->torque = now->spin = zero;
    VEHICLE_UNROLL
    for (int i = 0; i < n.rotors; i += WIDE) {
        const rotor_pair *r = &p->pair[i / 2];
        wide speed = w_read(speeds + i, n.rotors - i);
        wide torque = motor_torque(r, i, now->current[i / WIDE], speed);
        now->spin_up[i / WIDE] = (torque - load[i / WIDE].torque) * W_PAIR(r->per_inertia, i);
        multirotor_load(r, n, i, load[i / WIDE].thrust, torque, W_PAIR(r->inertia, i) * speed,
                        &force, now);
    }
    return force;
}

// What the batteries give to each bus.
MULTIROTOR__CORE void multirotor_sources(const tac__multirotor_shape *shape, vehicle_shape n,
                                         const tac_eval *e, power_source *sources, real *share,
                                         multirotor_now *now)
{
    const multirotor_numbers *p = EVAL_P(e, multirotor_numbers);
    const real *soc = eval_x(e) + TAC__X_ROTOR + n.rotors * (1 + (int)shape->actuator);
    const real *open = eval_in(e, TAC__IN_BATTERY_OPEN);
    for (int k = 0; k < n.batteries; k++)
        now->emf[k] = battery_emf(shape, k, soc[k], soc[n.batteries + k]);
    for (int b = 0; b < n.buses; b++)
        sources[b] = power_source_at(shape, p, n, b, now->emf, open, share);
}

MULTIROTOR__CORE void multirotor_motors(const tac__multirotor_shape *shape, vehicle_shape n,
                                        const tac_eval *e, motor_line *line, multirotor_now *now)
{
    const multirotor_numbers *p = EVAL_P(e, multirotor_numbers);
    const real *motor = eval_in(e, TAC__IN_MOTOR), *hold = eval_in(e, TAC__IN_MOTOR_HOLD);
    const real *held_at = eval_in(e, TAC__IN_MOTOR_DUTY);
    const real *speed = eval_x(e) + TAC__X_ROTOR, *actuator = speed + n.rotors;
    VEHICLE_UNROLL
    for (int i = 0; i < n.rotors; i += WIDE) {
        const int left = n.rotors - i;
        wide command = actuator_command(w_read(motor + i, left), w_read(hold + i, left),
                                        w_read(held_at + i, left));
        wide duty = esc_duty(actuator_duty(shape->actuator, command, left, actuator + i));
        now->command[i / WIDE] = command;
        line[i / WIDE] = motor_line_at(&p->pair[i / 2], i, duty, w_read(speed + i, left));
    }
}

// The order is chosen for the processor, which looks ahead by a few hundred instructions: what
// takes long, the divisions of battery and atmosphere, begins first, and the iteration for the bus
// voltage, in which each operation waits for the one before, comes last. Saves 4 of 75 ns for a
// vehicle alone and 0.6 of 20.9 in 4 lanes. In 8 lanes an operation takes two cycles and its result
// 64 bytes; there the iteration comes first, and fewer values must be kept for later: 14.6 instead
// of 16.4 ns (bench_rhs, Zen 4).
#if defined(TAC_LANES) && TAC_LANES == 8
enum { MULTIROTOR__POWER_FIRST = 1 };
#else
enum { MULTIROTOR__POWER_FIRST = 0 };
#endif

MULTIROTOR__CORE void multirotor_at(const tac__multirotor_shape *shape, vehicle_shape n,
                                    const tac_eval *e, multirotor_now *now)
{
    const multirotor_numbers *p = EVAL_P(e, multirotor_numbers);
    const real *x = eval_x(e), *speed = x + TAC__X_ROTOR;
    const bool power_first = MULTIROTOR__POWER_FIRST;
    real share[TAC__BATTERIES_MAX];
    power_source sources[TAC__BUSES_MAX];
    motor_line line[MULTIROTOR__WIDES];
    rotor_load load[MULTIROTOR__WIDES];

    if (!power_first) {
        multirotor_sources(shape, n, e, sources, share, now);
        atmosphere_at(p->altitude_m - x[TAC__X_POSITION + 2], &now->density, &now->temperature,
                      &now->pressure);
    }
    multirotor_motors(shape, n, e, line, now);
    if (power_first) {
        multirotor_sources(shape, n, e, sources, share, now);
        multirotor_power(shape, n, p, sources, line, share, now);
    }
    now->body = rigid_body_read(x);
    const rigid_body *b = &now->body;
    vec3 air = vec3_sub(b->velocity, vec3_read(eval_in(e, TAC__IN_WIND)));
    if (power_first)
        atmosphere_at(p->altitude_m - b->position.z, &now->density, &now->temperature,
                      &now->pressure);
    multirotor_air(p, n, eval_in(e, TAC__IN_MOTOR_LOSS), mat3_tmul_vec(b->rotation, air), speed,
                   load, now);
    if (!power_first)
        multirotor_power(shape, n, p, sources, line, share, now);
    vec3 thrust = multirotor_rotors(p, n, speed, load, now);
    vec3 lift = n.upright ? vec3_scale(thrust.z, mat3_column(b->rotation, 2))
                          : mat3_mul_vec(b->rotation, thrust);

    wrench contact = contact_wrench(p, shape->contacts, b, eval_mode(e));
    vec3 force = vec3_add(vec3_sub(lift, vec3_scale(P(p->drag), air)), contact.force);
    now->specific_force = vec3_scale(P(p->per_mass), force);
    now->torque = vec3_add(now->torque, contact.torque);
}

MULTIROTOR__CORE void multirotor_derive(const tac__multirotor_shape *shape, vehicle_shape n,
                                        const tac_eval *e)
{
    const multirotor_numbers *p = EVAL_P(e, multirotor_numbers);
    const real *x = eval_x(e);
    real *dx = eval_dx(e);
    multirotor_now now;
    multirotor_at(shape, n, e, &now);
    vec3 gravity = gravity_at(shape->gravity, p->g_m_s2, p->altitude_m, now.body.position);
    vec3 acceleration = vec3_add(now.specific_force, gravity);
    vec3 angular = rigid_body_angular(p, now.body.rate, now.torque, now.spin);
    rigid_body_derive(&now.body, acceleration, angular, dx);

    const int actuators = TAC__X_ROTOR + n.rotors;
    VEHICLE_UNROLL
    for (int i = 0; i < n.rotors; i += WIDE) {
        w_write(now.spin_up[i / WIDE], n.rotors - i, dx + TAC__X_ROTOR + i);
        actuator_derive(p, shape->actuator, n.rotors, n.rotors - i, now.command[i / WIDE],
                        x + actuators + i, dx + actuators + i);
    }
    const int soc = TAC__X_ROTOR + n.rotors * (1 + (int)shape->actuator), v1 = soc + n.batteries;
    for (int k = 0; k < n.batteries; k++)
        battery_derive(&p->battery[k], now.drawn[k], x[v1 + k], &dx[soc + k], &dx[v1 + k]);
}

MULTIROTOR__CORE void multirotor_output(const tac__multirotor_shape *shape, vehicle_shape n,
                                        const tac_eval *e)
{
    const multirotor_numbers *p = EVAL_P(e, multirotor_numbers);
    const real *mode = eval_mode(e);
    multirotor_now now;
    multirotor_at(shape, n, e, &now);
    vec3_write(mat3_tmul_vec(now.body.rotation, now.specific_force),
               eval_out(e, TAC__OUT_SPECIFIC_FORCE));
    if (shape->euler)
        vec3_write(quat_to_euler(now.body.attitude), eval_out(e, TAC__OUT_EULER));
    if (shape->angular)
        vec3_write(rigid_body_angular(p, now.body.rate, now.torque, now.spin),
                   eval_out(e, tac__multirotor_angular_out(shape->euler)));
    for (int i = 0; i < n.rotors; i += WIDE) {
        w_write(now.thrust[i / WIDE], n.rotors - i, eval_out(e, TAC__OUT_THRUST) + i);
        w_write(now.current[i / WIDE], n.rotors - i, eval_out(e, TAC__OUT_MOTOR_CURRENT) + i);
    }
    const real *soc = eval_x(e) + TAC__X_ROTOR + n.rotors * (1 + (int)shape->actuator);
    for (int k = 0; k < n.batteries; k++) {
        const battery_numbers *b = &p->battery[k];
        eval_out(e, TAC__OUT_BATTERY_VOLTAGE)[k] = battery_voltage(b, now.emf[k], now.drawn[k]);
        eval_out(e, TAC__OUT_BATTERY_CURRENT)[k] = now.drawn[k];
        eval_out(e, TAC__OUT_BATTERY_WARNING)[k] = battery_warning(b, soc[k]);
    }
    real worst = R(0.0);
    for (int b = 0; b < n.buses; b++) {
        eval_out(e, TAC__OUT_BUS_VOLTAGE)[b] = now.bus[b].voltage;
        worst = r_max(worst, r_abs(now.bus[b].residual));
    }
    real feet = R(0.0), hull = R(0.0);
    for (int i = 0; i < shape->feet; i++)
        feet += mode[i];
    for (int i = shape->feet; i < shape->contacts; i++)
        hull += mode[i];
    *eval_out(e, TAC__OUT_BUS_RESIDUAL) = worst;
    *eval_out(e, TAC__OUT_AIR_DENSITY) = now.density;
    *eval_out(e, TAC__OUT_AIR_TEMPERATURE) = now.temperature;
    *eval_out(e, TAC__OUT_AIR_PRESSURE) = now.pressure;
    *eval_out(e, TAC__OUT_FEET_DOWN) = feet;
    *eval_out(e, TAC__OUT_HULL_DOWN) = hull;
}

static inline const tac__multirotor_shape *multirotor_shape(const void *self)
{
    return ((const tac__multirotor_self *)self)->shape;
}

MULTIROTOR__WHOLE tac_status TAC_KINDED(tac__multirotor_derive)(const tac_eval *e, const void *self)
{
    const tac__multirotor_shape *shape = multirotor_shape(self);
    MULTIROTOR__CALL(multirotor_derive, shape, e);
    return TAC_OK;
}

MULTIROTOR__WHOLE tac_status TAC_KINDED(tac__multirotor_output)(const tac_eval *e, const void *self)
{
    const tac__multirotor_shape *shape = multirotor_shape(self);
    MULTIROTOR__CALL(multirotor_output, shape, e);
    return TAC_OK;
}

tac_status TAC_KINDED(tac__multirotor_detect)(const tac_eval *e, const void *self, double *g)
{
    contact_detect(EVAL_P(e, multirotor_numbers), multirotor_shape(self)->contacts, eval_mode(e),
                   eval_x(e), eval_reals(g));
    return TAC_OK;
}

// Attitude to unit length; rotors turn forwards only; batteries are not charged below zero.
tac_status TAC_KINDED(tac__multirotor_project)(const tac_eval *e, const void *self, double *states)
{
    (void)e;
    const tac__multirotor_shape *shape = multirotor_shape(self);
    real *x = eval_reals(states), *a = x + TAC__X_ATTITUDE;
    quat q = quat_normalise(quat_make(a[0], a[1], a[2], a[3]));
    a[0] = q.w;
    a[1] = q.x;
    a[2] = q.y;
    a[3] = q.z;
    for (int i = 0; i < shape->rotors; i++)
        x[TAC__X_ROTOR + i] = r_max(R(0.0), x[TAC__X_ROTOR + i]);
    real *soc = x + TAC__X_ROTOR + shape->rotors * (1 + (int)shape->actuator);
    for (int k = 0; k < shape->batteries; k++)
        soc[k] = r_max(R(0.0), soc[k]);
    return TAC_OK;
}
