// orbiter.model.h - a point that falls about the Earth, for every scalar kind.
#include "model/arrays.h"
#include "model/rocket/orbiter.h"

TAC_ENTRY void TAC_KINDED(tac__orbiter_derive)(const tac__earth *p, const real *push, const real *x,
                                               real *dx);
TAC_ENTRY void TAC_KINDED(tac__orbiter_derive)(const tac__earth *p, const real *push, const real *x,
                                               real *dx)
{
    vec3 g = earth_gravity(p, vec3_read(x + TAC__ORBITER_POSITION));
    vec3_write(vec3_read(x + TAC__ORBITER_VELOCITY), dx + TAC__ORBITER_POSITION);
    vec3_write(vec3_add(g, vec3_read(push)), dx + TAC__ORBITER_VELOCITY);
}

TAC_ENTRY void TAC_KINDED(tac__orbiter_output)(const tac__earth *p, const real *x,
                                               void *const *out);
TAC_ENTRY void TAC_KINDED(tac__orbiter_output)(const tac__earth *p, const real *x, void *const *out)
{
    vec3 r = vec3_read(x + TAC__ORBITER_POSITION), v = vec3_read(x + TAC__ORBITER_VELOCITY);
    *(real *)out[TAC__ORBITER_OUT_ENERGY] = 0.5 * vec3_dot(v, v) + earth_potential(p, r);
    vec3_write(vec3_cross(r, v), (real *)out[TAC__ORBITER_OUT_MOMENTUM]);
}
