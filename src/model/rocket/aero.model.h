// aero.model.h - the forces of the air on a slender body, for every scalar kind.
#include "math/table.h"
#include "model/arrays.h"
#include "model/rocket/aero.h"

static inline real aero__table(const tac__rocket_aero_shape *shape, const double *values,
                               const double *bend, real mach)
{
    table1 t = {shape->points, shape->mach, values, TABLE_CLAMP, shape->spline ? bend : NULL};
    return table1_at(&t, mach);
}

// Velocity through the air at x on the axis.
static inline vec3 aero__velocity(vec3 velocity, vec3 rate, real x)
{
    return vec3_make(velocity.x, velocity.y + x * rate.z, velocity.z - x * rate.y);
}

// The moment of a force at x on the axis about the datum.
static inline vec3 aero__moment(real x, vec3 force)
{
    return vec3_make(R(0.0), -x * force.z, x * force.y);
}

TAC_ENTRY tac_status TAC_KINDED(tac__rocket_aero_output)(const tac_eval *e, const void *self)
{
    const tac__rocket_aero *p = EVAL_P(e, tac__rocket_aero);
    const tac__rocket_aero_shape *shape = (const tac__rocket_aero_shape *)self;
    vec3 velocity = vec3_read(eval_in(e, TAC__AERO_IN_VELOCITY));
    vec3 rate = vec3_read(eval_in(e, TAC__AERO_IN_RATE));
    real half = 0.5 * *eval_in(e, TAC__AERO_IN_DENSITY);
    real mach = *eval_in(e, TAC__AERO_IN_MACH);
    real speed = vec3_length(velocity);

    // Drag along the axis, and the normal force, which acts at the centre of pressure.
    real x = aero__table(shape, shape->centre, shape->centre_bend, mach);
    vec3 there = aero__velocity(velocity, rate, x);
    real drag_by_mach = aero__table(shape, shape->drag, shape->drag_bend, mach);
    real normal_by_mach = aero__table(shape, shape->normal, shape->normal_bend, mach);
    real along = half * p->area_m2 * drag_by_mach * speed;
    real across = half * p->area_m2 * normal_by_mach * r_abs(there.x);
    vec3 force = vec3_make(-along * there.x, -across * there.y, -across * there.z);
    vec3 moment = aero__moment(x, force);

    // Drag of the body in air that meets it from the side.
    vec3 side = aero__velocity(velocity, rate, P(p->cross_m));
    side.x = R(0.0);
    vec3 drag = vec3_scale(-half * p->cross_m2 * vec3_length(side), side);
    force = vec3_add(force, drag);
    moment = vec3_add(moment, aero__moment(P(p->cross_m), drag));

    real damp = half * speed * (0.5 * p->area_m2 * p->diameter_m * p->diameter_m);
    moment =
        vec3_sub(moment, vec3_make(damp * p->damping[0] * rate.x, damp * p->damping[1] * rate.y,
                                   damp * p->damping[2] * rate.z));
    vec3_write(force, eval_out(e, TAC__AERO_OUT_FORCE));
    vec3_write(moment, eval_out(e, TAC__AERO_OUT_MOMENT));
    *eval_out(e, TAC__AERO_OUT_ALPHA) =
        r_atan2(vec3_length(vec3_make(R(0.0), velocity.y, velocity.z)), velocity.x);
    return TAC_OK;
}
