// contact.h - feet and hull on flat ground: a one-sided spring and damper with friction at points,
// for every scalar kind. Equations: docs/models/contact.md.
#ifndef TAC_MODEL_VEHICLE_CONTACT_H
#define TAC_MODEL_VEHICLE_CONTACT_H

#include "model/vehicle/rigid_body.h"

#define CONTACT__RELEASE 1e-4 // m/s: the damper does not act on a foot that rises faster

typedef struct wrench {
    vec3 force;  // NED
    vec3 torque; // about the origin of the body, in the body
} wrench;

// From the origin of the body to a foot or a point of the hull, NED.
static inline vec3 contact_lever(const rigid_body *b, const contact_numbers *f)
{
    const mat3 *r = &b->rotation;
    return vec3_make(params_dot(f->position_m, mat3_row(*r, 0)),
                     params_dot(f->position_m, mat3_row(*r, 1)),
                     params_dot(f->position_m, mat3_row(*r, 2)));
}

static inline real contact_depth(const multirotor_numbers *p, const rigid_body *b, vec3 lever)
{
    return b->position.z + lever.z + p->ground_m;
}

// The vehicle is so high that no point of it can touch the ground, whatever its attitude. Saves 640
// of 15,040 instructions a millisecond of flight (callgrind, examples/iris_mission.yaml from 5 s to
// 10 s).
static inline cond contact_is_far(const multirotor_numbers *p, real position_down)
{
    return position_down + (p->reach_m + p->ground_m) < 0.0;
}

// The force on a foot at a depth, with the velocity v (NED). The damper acts while the foot sinks,
// as its mode says: the kink at v.z = 0 is an event. Friction is mu N v/sqrt(v^2 + s^2), which is
// smooth: a kink at low speed would cost adaptive methods many short steps at every landing.
static inline vec3 contact_force(const contact_numbers *f, real depth, vec3 v, cond sinks)
{
    real damping = r_select(sinks, f->damping * v.z, R(0.0));
    real normal = r_max(R(0.0), f->stiffness * depth + damping);
    real slip = r_sqrt(f->smoothing2 + (v.x * v.x + v.y * v.y));
    real drag = -(f->friction * normal) / slip;
    return vec3_make(drag * v.x, drag * v.y, -normal);
}

// Sum over all points that are down; mode[] says which are, and which of those sink.
static inline wrench contact_wrench(const multirotor_numbers *p, int contacts, const rigid_body *b,
                                    const real *mode)
{
    const vec3 zero = vec3_make(R(0.0), R(0.0), R(0.0));
    wrench sum = {zero, zero};
    cond airborne = contact_is_far(p, b->position.z);
    if (c_all(airborne)) // the usual case: all that follows is zero
        return sum;
    cond up = R(0.0) < 1.0;
    for (int i = 0; i < contacts; i++)
        up = c_and(up, mode[i] < 0.5);
    airborne = c_or(airborne, up);
    if (c_all(airborne))
        return sum;

    vec3 rate = mat3_mul_vec(b->rotation, b->rate);
    for (int i = 0; i < contacts; i++) {
        if (c_all(mode[i] < 0.5)) // it would add zero
            continue;
        vec3 lever = contact_lever(b, &p->contact[i]);
        vec3 v = vec3_add(b->velocity, vec3_cross(rate, lever));
        vec3 f =
            contact_force(&p->contact[i], contact_depth(p, b, lever), v, mode[contacts + i] > 0.5);
        f = vec3_select(mode[i] > 0.5, f, zero);
        sum.force = vec3_add(sum.force, f);
        sum.torque = vec3_add(sum.torque, vec3_cross(lever, f));
    }
    sum.force = vec3_select(airborne, zero, sum.force);
    sum.torque = vec3_select(airborne, zero, mat3_tmul_vec(b->rotation, sum.torque));
    return sum;
}

// Numbers of the events. First how far each point is below the ground; then for each whether its
// damper acts, which begins when the point sinks and ends when it rises faster than
// CONTACT__RELEASE: a vehicle that stands in the wind moves up and down by micrometres a second,
// and ending a step at each v.z = 0 took 1240 events in the mission of the Iris instead of 170, and
// 9 % more evaluations. In the air the numbers are -1, so that nothing is located there. `g` may be
// `mode`.
static inline void contact_detect(const multirotor_numbers *p, int contacts, const real *mode,
                                  const real *x, real *g)
{
    cond far = contact_is_far(p, x[TAC__X_POSITION + 2]);
    if (c_all(far)) { // in the air this one comparison is all that a step costs
        for (int i = 0; i < 2 * contacts; i++)
            g[i] = R(-1.0);
        return;
    }
    const rigid_body b = rigid_body_read(x);
    vec3 rate = mat3_mul_vec(b.rotation, b.rate);
    for (int i = 0; i < contacts; i++) {
        vec3 lever = contact_lever(&b, &p->contact[i]);
        real depth = r_select(far, R(-1.0), contact_depth(p, &b, lever));
        real sinking = b.velocity.z + (rate.x * lever.y - rate.y * lever.x);
        real held = r_select(mode[contacts + i] > 0.5, R(CONTACT__RELEASE), R(0.0));
        g[i] = depth;
        g[contacts + i] = r_select(depth > 0.0, sinking + held, R(-1.0));
    }
}

#endif
