// rigid_body.h - motion of a rigid body under forces and torques, with spinning rotors on it, for
// every scalar kind. Equations: docs/models/rigid_body.md.
#ifndef TAC_MODEL_VEHICLE_RIGID_BODY_H
#define TAC_MODEL_VEHICLE_RIGID_BODY_H

#include "math/quat.h"
#include "model/arrays.h"
#include "model/vehicle/kernels.h"

typedef struct rigid_body {
    vec3 position, velocity; // NED
    quat attitude;
    vec3 rate;     // body
    mat3 rotation; // body to NED
} rigid_body;

// --- the body ------------------------------------------------------------------------------------

static inline rigid_body rigid_body_read(const real *x)
{
    const real *q = x + TAC__X_ATTITUDE;
    rigid_body b;
    b.position = vec3_read(x + TAC__X_POSITION);
    b.velocity = vec3_read(x + TAC__X_VELOCITY);
    b.attitude = quat_make(q[0], q[1], q[2], q[3]);
    b.rate = vec3_read(x + TAC__X_RATE);
    b.rotation = quat_to_mat3(b.attitude);
    return b;
}

// I dw/dt = torque - D w - w x (I w + H), where H is the angular momentum of the rotors relative to
// the body. The reaction to changes of H is part of `torque`.
static inline vec3 rigid_body_angular(const multirotor_numbers *p, vec3 w, vec3 torque, vec3 h)
{
    vec3 momentum = vec3_add(params_transform(p->inertia, w), h);
    vec3 damping = vec3_make(p->damping[0] * w.x, p->damping[1] * w.y, p->damping[2] * w.z);
    vec3 net = vec3_sub(vec3_sub(torque, damping), vec3_cross(w, momentum));
    return params_transform(p->per_inertia, net);
}

static inline void rigid_body_derive(const rigid_body *b, vec3 acceleration, vec3 angular, real *dx)
{
    quat dq = quat_derivative(b->attitude, b->rate);
    vec3_write(b->velocity, dx + TAC__X_POSITION);
    vec3_write(acceleration, dx + TAC__X_VELOCITY);
    dx[TAC__X_ATTITUDE] = dq.w;
    vec3_write(quat_vector(dq), dx + TAC__X_ATTITUDE + 1);
    vec3_write(angular, dx + TAC__X_RATE);
}

#endif
