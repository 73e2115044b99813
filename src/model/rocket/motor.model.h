// motor.model.h - thrust and mass flow of a rocket engine, for every scalar kind.
#include "math/table.h"
#include "model/arrays.h"
#include "model/rocket/motor.h"

#define MOTOR__SEA_LEVEL 101325.0 // Pa

typedef struct motor_now {
    real setting; // of the throttle, within its bounds
    real spool;   // the setting that the engine has reached
    real burn;    // thrust in vacuum over `thrust_n`, and flow over `flow`
} motor_now;

static inline motor_now motor__at(const tac__rocket_motor *p, const void *const *in,
                                  const real *mode, const real *x)
{
    motor_now now;
    now.setting = r_clamp(*(const real *)in[TAC__MOTOR_IN_THROTTLE], R(0.0), R(1.0));
    table1 curve = {p->points, p->at, p->part, TABLE_CLAMP};
    real along = 1.0 - x[TAC__MOTOR_FUEL] / p->fuel_kg;
    if (p->by_time)
        along = x[TAC__MOTOR_BURNT];
    now.spool = now.setting;
    if (p->tau_s > 0.0)
        now.spool = x[TAC__MOTOR_LAG];
    now.burn = mode[0] * now.spool * table1_at(&curve, along);
    return now;
}

TAC_ENTRY void TAC_KINDED(tac__rocket_motor_derive)(const tac__rocket_motor *p,
                                                    const void *const *in, const real *mode,
                                                    const real *x, real *dx);
TAC_ENTRY void TAC_KINDED(tac__rocket_motor_derive)(const tac__rocket_motor *p,
                                                    const void *const *in, const real *mode,
                                                    const real *x, real *dx)
{
    motor_now now = motor__at(p, in, mode, x);
    dx[TAC__MOTOR_FUEL] = -p->flow * now.burn;
    dx[TAC__MOTOR_BURNT] = r_select(now.setting > 0.0, mode[0], R(0.0));
    if (p->tau_s > 0.0)
        dx[TAC__MOTOR_LAG] = (now.setting - x[TAC__MOTOR_LAG]) / p->tau_s;
}

TAC_ENTRY void TAC_KINDED(tac__rocket_motor_output)(const tac__rocket_motor *p,
                                                    const void *const *in, const real *mode,
                                                    const real *x, void *const *out);
TAC_ENTRY void TAC_KINDED(tac__rocket_motor_output)(const tac__rocket_motor *p,
                                                    const void *const *in, const real *mode,
                                                    const real *x, void *const *out)
{
    motor_now now = motor__at(p, in, mode, x);
    real pressure = *(const real *)in[TAC__MOTOR_IN_PRESSURE] * (1.0 / MOTOR__SEA_LEVEL);
    real thrust = p->thrust_n * now.burn * (1.0 - p->loss * pressure);
    *(real *)out[TAC__MOTOR_OUT_THRUST] = thrust;
    *(real *)out[TAC__MOTOR_OUT_FLOW] = p->flow * now.burn;
    vec3_write(array_scale(thrust, p->direction), (real *)out[TAC__MOTOR_OUT_FORCE]);
    vec3_write(array_scale(thrust, p->moment), (real *)out[TAC__MOTOR_OUT_MOMENT]);
    *(real *)out[TAC__MOTOR_OUT_SPOOL] = now.spool;
}
