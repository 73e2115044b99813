// parachute.model.h - a parachute that inflates and pulls at one point, for every scalar kind.
#include "model/arrays.h"
#include "model/rocket/parachute.h"

TAC_ENTRY tac_status TAC_KINDED(tac__parachute_derive)(const tac_eval *e, const void *self)
{
    (void)self;
    real deploy = r_clamp(*eval_in(e, TAC__CHUTE_IN_DEPLOY), R(0.0), R(1.0));
    eval_dx(e)[0] = (deploy - eval_x(e)[0]) / EVAL_P(e, tac__parachute)->tau_s;
    return TAC_OK;
}

TAC_ENTRY tac_status TAC_KINDED(tac__parachute_output)(const tac_eval *e, const void *self)
{
    (void)self;
    const tac__parachute *p = EVAL_P(e, tac__parachute);
    vec3 at = params_vec3(p->position_m);
    vec3 rate = vec3_read(eval_in(e, TAC__CHUTE_IN_RATE));
    vec3 v = vec3_add(vec3_read(eval_in(e, TAC__CHUTE_IN_VELOCITY)), vec3_cross(rate, at));
    real half = 0.5 * *eval_in(e, TAC__CHUTE_IN_DENSITY);
    vec3 force = vec3_scale(-half * p->drag_m2 * eval_x(e)[0] * vec3_length(v), v);
    vec3_write(force, eval_out(e, TAC__CHUTE_OUT_FORCE));
    vec3_write(vec3_cross(at, force), eval_out(e, TAC__CHUTE_OUT_MOMENT));
    return TAC_OK;
}
