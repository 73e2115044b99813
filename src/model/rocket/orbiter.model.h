// orbiter.model.h - a point that falls about the Earth, for every scalar kind.
#include "model/arrays.h"
#include "model/rocket/orbiter.h"

TAC_ENTRY tac_status TAC_KINDED(tac__orbiter_derive)(const tac_eval *e, const void *self)
{
    const tac__orbiter_shape *shape = (const tac__orbiter_shape *)self;
    const real *x = eval_x(e);
    real *dx = eval_dx(e);
    vec3 g =
        earth_gravity(EVAL_P(e, tac__earth), shape->oblate, vec3_read(x + TAC__ORBITER_POSITION));
    vec3_write(vec3_read(x + TAC__ORBITER_VELOCITY), dx + TAC__ORBITER_POSITION);
    vec3_write(vec3_add(g, vec3_read(eval_in(e, 0))), dx + TAC__ORBITER_VELOCITY);
    return TAC_OK;
}

TAC_ENTRY tac_status TAC_KINDED(tac__orbiter_output)(const tac_eval *e, const void *self)
{
    (void)self;
    const real *x = eval_x(e);
    vec3 r = vec3_read(x + TAC__ORBITER_POSITION), v = vec3_read(x + TAC__ORBITER_VELOCITY);
    *eval_out(e, TAC__ORBITER_OUT_ENERGY) =
        0.5 * vec3_dot(v, v) + earth_potential(EVAL_P(e, tac__earth), r);
    vec3_write(vec3_cross(r, v), eval_out(e, TAC__ORBITER_OUT_MOMENTUM));
    return TAC_OK;
}
