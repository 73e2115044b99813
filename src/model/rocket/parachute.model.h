// parachute.model.h - a parachute that inflates and pulls at one point, for every scalar kind.
#include "model/arrays.h"
#include "model/rocket/parachute.h"

TAC_ENTRY void TAC_KINDED(tac__parachute_derive)(const tac__parachute *p, const void *const *in,
                                                 const real *x, real *dx);
TAC_ENTRY void TAC_KINDED(tac__parachute_derive)(const tac__parachute *p, const void *const *in,
                                                 const real *x, real *dx)
{
    real deploy = r_clamp(*(const real *)in[TAC__CHUTE_IN_DEPLOY], R(0.0), R(1.0));
    dx[0] = (deploy - x[0]) / p->tau_s;
}

TAC_ENTRY void TAC_KINDED(tac__parachute_output)(const tac__parachute *p, const void *const *in,
                                                 const real *x, void *const *out);
TAC_ENTRY void TAC_KINDED(tac__parachute_output)(const tac__parachute *p, const void *const *in,
                                                 const real *x, void *const *out)
{
    vec3 at = vec3_from_array(p->position_m);
    vec3 rate = vec3_read((const real *)in[TAC__CHUTE_IN_RATE]);
    vec3 v = vec3_add(vec3_read((const real *)in[TAC__CHUTE_IN_VELOCITY]), vec3_cross(rate, at));
    real half = 0.5 * *(const real *)in[TAC__CHUTE_IN_DENSITY];
    vec3 force = vec3_scale(-half * p->drag_m2 * x[0] * vec3_length(v), v);
    vec3_write(force, (real *)out[TAC__CHUTE_OUT_FORCE]);
    vec3_write(vec3_cross(at, force), (real *)out[TAC__CHUTE_OUT_MOMENT]);
}
