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

static inline motor_now motor__at(const tac_eval *e, const tac__rocket_motor_shape *shape)
{
    const tac__rocket_motor *p = EVAL_P(e, tac__rocket_motor);
    const real *x = eval_x(e);
    motor_now now;
    now.setting = r_clamp(*eval_in(e, TAC__MOTOR_IN_THROTTLE), R(0.0), R(1.0));
    table1 curve = {shape->points, shape->at, shape->part, TABLE_CLAMP,
                    shape->spline ? shape->bend : NULL};
    real along = 1.0 - x[TAC__MOTOR_FUEL] / p->fuel_kg;
    if (shape->by_time)
        along = x[TAC__MOTOR_BURNT];
    now.spool = now.setting;
    if (shape->spools)
        now.spool = x[TAC__MOTOR_LAG];
    now.burn = eval_mode(e)[0] * now.spool * table1_at(&curve, along);
    return now;
}

TAC_ENTRY tac_status TAC_KINDED(tac__rocket_motor_derive)(const tac_eval *e, const void *self)
{
    const tac__rocket_motor_shape *shape = (const tac__rocket_motor_shape *)self;
    const tac__rocket_motor *p = EVAL_P(e, tac__rocket_motor);
    motor_now now = motor__at(e, shape);
    real *dx = eval_dx(e);
    dx[TAC__MOTOR_FUEL] = -p->flow * now.burn;
    dx[TAC__MOTOR_BURNT] = r_select(now.setting > 0.0, eval_mode(e)[0], R(0.0));
    if (shape->spools)
        dx[TAC__MOTOR_LAG] = (now.setting - eval_x(e)[TAC__MOTOR_LAG]) / p->tau_s;
    return TAC_OK;
}

TAC_ENTRY tac_status TAC_KINDED(tac__rocket_motor_output)(const tac_eval *e, const void *self)
{
    const tac__rocket_motor *p = EVAL_P(e, tac__rocket_motor);
    motor_now now = motor__at(e, (const tac__rocket_motor_shape *)self);
    real pressure = *eval_in(e, TAC__MOTOR_IN_PRESSURE) * (1.0 / MOTOR__SEA_LEVEL);
    real thrust = p->thrust_n * now.burn * (1.0 - p->loss * pressure);
    *eval_out(e, TAC__MOTOR_OUT_THRUST) = thrust;
    *eval_out(e, TAC__MOTOR_OUT_FLOW) = p->flow * now.burn;
    vec3_write(params_scale(thrust, p->direction), eval_out(e, TAC__MOTOR_OUT_FORCE));
    vec3_write(params_scale(thrust, p->moment), eval_out(e, TAC__MOTOR_OUT_MOMENT));
    *eval_out(e, TAC__MOTOR_OUT_SPOOL) = now.spool;
    return TAC_OK;
}

TAC_ENTRY tac_status TAC_KINDED(tac__rocket_motor_detect)(const tac_eval *e, const void *self,
                                                          double *g)
{
    (void)self;
    eval_reals(g)[0] = eval_x(e)[TAC__MOTOR_FUEL] - EVAL_P(e, tac__rocket_motor)->rest_kg;
    return TAC_OK;
}

// The tank is found empty at a whole microsecond, up to one microsecond after it ran dry: remove
// the negative rest.
TAC_ENTRY tac_status TAC_KINDED(tac__rocket_motor_project)(const tac_eval *e, const void *self,
                                                           double *x)
{
    (void)e;
    (void)self;
    real *fuel = eval_reals(x) + TAC__MOTOR_FUEL;
    *fuel = r_max(R(0.0), *fuel);
    return TAC_OK;
}
