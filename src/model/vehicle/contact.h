// contact.h - feet on flat ground: a one-sided spring and damper with friction, for every scalar
// kind. Equations: docs/models/contact.md.
#ifndef TAC_MODEL_VEHICLE_CONTACT_H
#define TAC_MODEL_VEHICLE_CONTACT_H

#include "model/vehicle/rigid_body.h"

typedef struct wrench {
    vec3 force;  // NED
    vec3 torque; // about the origin of the body, in the body
} wrench;

// From the origin of the body to a foot, NED.
static inline vec3 contact_lever(const rigid_body *b, const tac__foot *f)
{
    const mat3 *r = &b->rotation;
    return vec3_make(array_dot(f->position_m, mat3_row(*r, 0)),
                     array_dot(f->position_m, mat3_row(*r, 1)),
                     array_dot(f->position_m, mat3_row(*r, 2)));
}

static inline real contact_depth(const tac_world *w, const rigid_body *b, vec3 lever)
{
    return b->position.z + lever.z + w->ground_m;
}

// The force on a foot at a depth, with the velocity v (NED). Friction is mu N v/sqrt(v^2 + s^2):
// smooth, as a corner at low speed would cost adaptive methods many short steps at every landing.
static inline vec3 contact_force(const tac__foot *f, real depth, vec3 v)
{
    real normal = r_max(R(0.0), f->stiffness * depth + f->damping * r_max(R(0.0), v.z));
    real slip = r_sqrt(f->smoothing2 + (v.x * v.x + v.y * v.y));
    real drag = -(f->friction * normal) / slip;
    return vec3_make(drag * v.x, drag * v.y, -normal);
}

// All feet that are down, as told by mode[].
static inline wrench contact_wrench(const tac__multirotor *p, int feet, const rigid_body *b,
                                    const real *mode)
{
    const vec3 zero = vec3_make(R(0.0), R(0.0), R(0.0));
    wrench sum = {zero, zero};
    cond airborne = R(0.0) < 1.0;
    for (int i = 0; i < feet; i++)
        airborne = c_and(airborne, mode[i] < 0.5);
    if (c_all(airborne)) // the usual case: all that follows is zero
        return sum;

    vec3 rate = mat3_mul_vec(b->rotation, b->rate);
    for (int i = 0; i < feet; i++) {
        vec3 lever = contact_lever(b, &p->foot[i]);
        vec3 v = vec3_add(b->velocity, vec3_cross(rate, lever));
        vec3 f = contact_force(&p->foot[i], contact_depth(&p->world, b, lever), v);
        f = vec3_select(mode[i] > 0.5, f, zero);
        sum.force = vec3_add(sum.force, f);
        sum.torque = vec3_add(sum.torque, vec3_cross(lever, f));
    }
    sum.torque = vec3_select(airborne, zero, mat3_tmul_vec(b->rotation, sum.torque));
    return sum;
}

#endif
