// body.model.h - the motion of a rigid body that loses mass, over a rotating Earth, for every
// scalar kind.
#include "math/quat.h"
#include "model/arrays.h"
#include "model/rocket/body.h"
#include "model/rocket/tensor.h"
#include "model/world/atmosphere.h"
#include "model/world/geodesy.h"

#define BODY__GAMMA 1.4 // ratio of specific heats of air

typedef struct body_now {
    vec3 position, velocity;
    quat attitude;
    vec3 rate;
    vec3 turning; // rate of the Earth, in body axes
    mat3 rotation;
} body_now;

static inline body_now body__read(const tac__rocket_body *p, const real *x)
{
    const real *q = x + TAC__BODY_ATTITUDE;
    body_now b;
    b.position = vec3_read(x + TAC__BODY_POSITION);
    b.velocity = vec3_read(x + TAC__BODY_VELOCITY);
    b.attitude = quat_make(q[0], q[1], q[2], q[3]);
    b.rate = vec3_read(x + TAC__BODY_RATE);
    b.rotation = quat_to_mat3(b.attitude);
    b.turning = vec3_scale(P(p->earth.rotation_rad_s), mat3_row(b.rotation, 2));
    return b;
}

// --- motion --------------------------------------------------------------------------------------

typedef struct body_load {
    vec3 force, moment; // in body axes, about the datum
    real per_mass;
    vec3 com;
} body_load;

static inline body_load body__load(const tac_eval *e)
{
    const vec3 zero = vec3_make(R(0.0), R(0.0), R(0.0));
    body_load l;
    l.force = l.moment = zero;
    for (int i = 0; i < TAC__ROCKET_FORCES_MAX; i++) {
        l.force = vec3_add(l.force, vec3_read(eval_in(e, TAC__BODY_IN_FORCE + 2 * i)));
        l.moment = vec3_add(l.moment, vec3_read(eval_in(e, TAC__BODY_IN_FORCE + 2 * i + 1)));
    }
    l.per_mass = 1.0 / *eval_in(e, TAC__BODY_IN_MASS);
    l.com = vec3_read(eval_in(e, TAC__BODY_IN_COM));
    return l;
}

// I dw/dt = M - w x (I w) - J w about the centre of mass; J is what the jets carry away.
static inline vec3 body__angular(const tac_eval *e, const body_now *b, const body_load *l)
{
    mat3 inertia = tensor_to_mat3(tensor_read(eval_in(e, TAC__BODY_IN_INERTIA)));
    mat3 jet = tensor_to_mat3(tensor_read(eval_in(e, TAC__BODY_IN_JET)));
    vec3 moment = vec3_sub(l->moment, vec3_cross(l->com, l->force));
    moment = vec3_sub(moment, vec3_cross(b->rate, mat3_mul_vec(inertia, b->rate)));
    moment = vec3_sub(moment, mat3_mul_vec(jet, b->rate));
    return mat3_solve_spd(inertia, moment);
}

// Acceleration of the datum without gravity and the terms of the rotating frame, in body axes.
static inline vec3 body__proper(const tac_eval *e, const body_now *b, const body_load *l,
                                vec3 angular)
{
    vec3 stream = vec3_read(eval_in(e, TAC__BODY_IN_STREAM));
    vec3 force = vec3_sub(l->force, vec3_scale(R(2.0), vec3_cross(b->rate, stream)));
    vec3 swing =
        vec3_add(vec3_cross(angular, l->com), vec3_cross(b->rate, vec3_cross(b->rate, l->com)));
    return vec3_sub(vec3_scale(l->per_mass, force), swing);
}

typedef struct body_motion {
    vec3 acceleration, angular;
    quat spin; // dq/dt
} body_motion;

static inline body_motion body__held(vec3 acceleration)
{
    body_motion m;
    m.acceleration = acceleration;
    m.angular = vec3_make(R(0.0), R(0.0), R(0.0));
    m.spin = quat_make(R(0.0), R(0.0), R(0.0), R(0.0));
    return m;
}

// All mass in one point that does not rotate.
static inline vec3 body__point(const tac__rocket_body *p, const tac__rocket_body_shape *shape,
                               const body_now *b, const body_load *l, vec3 r)
{
    vec3 a = vec3_scale(l->per_mass, mat3_mul_vec(b->rotation, l->force));
    a = vec3_add(a, earth_gravity(&p->earth, shape->oblate, r));
    return vec3_add(a, earth_turning(&p->earth, r, b->velocity));
}

static inline body_motion body__free(const tac__rocket_body *p, const tac__rocket_body_shape *shape,
                                     const tac_eval *e, const body_now *b, const body_load *l)
{
    body_motion m;
    vec3 com = vec3_add(b->position, mat3_mul_vec(b->rotation, l->com));
    m.angular = body__angular(e, b, l);
    m.acceleration = mat3_mul_vec(b->rotation, body__proper(e, b, l, m.angular));
    m.acceleration = vec3_add(m.acceleration, earth_gravity(&p->earth, shape->oblate, com));
    m.acceleration = vec3_add(m.acceleration, earth_turning(&p->earth, b->position, b->velocity));
    m.spin = quat_derivative(b->attitude, vec3_sub(b->rate, b->turning));
    return m;
}

// Motion along the rail only, never backwards.
static inline body_motion body__on_rail(const tac__rocket_body *p,
                                        const tac__rocket_body_shape *shape, const body_now *b,
                                        const body_load *l)
{
    vec3 com = vec3_add(b->position, mat3_mul_vec(b->rotation, l->com));
    real along = params_dot(p->axis, body__point(p, shape, b, l, com));
    cond moves = params_dot(p->axis, b->velocity) > 0.0;
    along = r_select(moves, along, r_max(R(0.0), along));
    return body__held(params_scale(along, p->axis));
}

static inline body_motion body__select(cond c, body_motion a, body_motion b)
{
    body_motion m;
    m.acceleration = vec3_select(c, a.acceleration, b.acceleration);
    m.angular = vec3_select(c, a.angular, b.angular);
    m.spin = quat_make(r_select(c, a.spin.w, b.spin.w), r_select(c, a.spin.x, b.spin.x),
                       r_select(c, a.spin.y, b.spin.y), r_select(c, a.spin.z, b.spin.z));
    return m;
}

TAC_ENTRY tac_status TAC_KINDED(tac__rocket_body_derive)(const tac_eval *e, const void *self)
{
    const tac__rocket_body *p = EVAL_P(e, tac__rocket_body);
    const tac__rocket_body_shape *shape = (const tac__rocket_body_shape *)self;
    body_now b = body__read(p, eval_x(e));
    body_load l = body__load(e);
    body_motion m = shape->fixed ? body__held(body__point(p, shape, &b, &l, b.position))
                                 : body__free(p, shape, e, &b, &l);
    if (shape->rail)
        m = body__select(eval_mode(e)[0] > 0.5, m, body__on_rail(p, shape, &b, &l));
    real *dx = eval_dx(e);
    vec3_write(b.velocity, dx + TAC__BODY_POSITION);
    vec3_write(m.acceleration, dx + TAC__BODY_VELOCITY);
    dx[TAC__BODY_ATTITUDE] = m.spin.w;
    vec3_write(quat_vector(m.spin), dx + TAC__BODY_ATTITUDE + 1);
    vec3_write(m.angular, dx + TAC__BODY_RATE);
    return TAC_OK;
}

TAC_ENTRY tac_status TAC_KINDED(tac__rocket_body_detect)(const tac_eval *e, const void *self,
                                                         double *g)
{
    const tac__rocket_body *p = EVAL_P(e, tac__rocket_body);
    const tac__rocket_body_shape *shape = (const tac__rocket_body_shape *)self;
    if (!shape->rail)
        return TAC_OK;
    vec3 way = vec3_sub(vec3_read(eval_x(e) + TAC__BODY_POSITION), params_vec3(p->start));
    eval_reals(g)[0] = params_dot(p->axis, way) - p->rail_m;
    return TAC_OK;
}

// Leaves a quaternion that is of unit length to rounding unchanged, so that a constant attitude
// keeps its bits.
TAC_ENTRY tac_status TAC_KINDED(tac__rocket_body_project)(const tac_eval *e, const void *self,
                                                          double *x)
{
    (void)e;
    (void)self;
    real *a = eval_reals(x) + TAC__BODY_ATTITUDE;
    quat q = quat_make(a[0], a[1], a[2], a[3]);
    cond exact = r_abs(quat_dot(q, q) - 1.0) <= 1e-15;
    if (c_all(exact))
        return TAC_OK;
    quat unit = quat_normalise(q);
    a[0] = r_select(exact, q.w, unit.w);
    a[1] = r_select(exact, q.x, unit.x);
    a[2] = r_select(exact, q.y, unit.y);
    a[3] = r_select(exact, q.z, unit.z);
    return TAC_OK;
}

// --- position, and the air there -----------------------------------------------------------------

// North, east and down at a place, in ECEF.
static inline mat3 body__local(geodetic g)
{
    real s = r_sin(g.latitude), c = r_cos(g.latitude);
    real sl = r_sin(g.longitude), cl = r_cos(g.longitude);
    return mat3_from_rows(vec3_make(-s * cl, -s * sl, c), vec3_make(-sl, cl, R(0.0)),
                          vec3_make(-c * cl, -c * sl, -s));
}

static inline void body__place(const tac_eval *e, const body_now *b, geodetic g, mat3 local)
{
    const tac__rocket_body *p = EVAL_P(e, tac__rocket_body);
    vec3 way = vec3_sub(b->position, params_vec3(p->origin));
    vec3 nose = mat3_mul_vec(local, mat3_column(b->rotation, 0));
    *eval_out(e, TAC__BODY_OUT_ALTITUDE) = g.altitude;
    *eval_out(e, TAC__BODY_OUT_HEIGHT) = g.altitude - p->ground_m;
    *eval_out(e, TAC__BODY_OUT_LATITUDE) = g.latitude;
    *eval_out(e, TAC__BODY_OUT_LONGITUDE) = g.longitude;
    vec3_write(params_transform(p->axes, way), eval_out(e, TAC__BODY_OUT_NED));
    *eval_out(e, TAC__BODY_OUT_SPEED) = vec3_length(b->velocity);
    *eval_out(e, TAC__BODY_OUT_CLIMB) = -vec3_dot(mat3_row(local, 2), b->velocity);
    *eval_out(e, TAC__BODY_OUT_ELEVATION) =
        r_atan2(-nose.z, vec3_length(vec3_make(nose.x, nose.y, R(0.0))));
}

static inline void body__air(const tac_eval *e, const tac__rocket_body_shape *shape,
                             const body_now *b, geodetic g, vec3 wind)
{
    real density, temperature, pressure;
    atmosphere_at(g.altitude, &density, &temperature, &pressure);
    const double there = shape->air ? 1.0 : 0.0;
    vec3 through = mat3_tmul_vec(b->rotation, vec3_sub(b->velocity, wind));
    real speed = vec3_length(through);
    *eval_out(e, TAC__BODY_OUT_DENSITY) = there * density;
    *eval_out(e, TAC__BODY_OUT_TEMPERATURE) = temperature;
    *eval_out(e, TAC__BODY_OUT_PRESSURE) = there * pressure;
    vec3_write(through, eval_out(e, TAC__BODY_OUT_AIR_VELOCITY));
    vec3_write(vec3_sub(b->rate, b->turning), eval_out(e, TAC__BODY_OUT_AIR_RATE));
    *eval_out(e, TAC__BODY_OUT_MACH) = speed / r_sqrt(BODY__GAMMA * ATMOSPHERE__GAS * temperature);
    *eval_out(e, TAC__BODY_OUT_DYNAMIC_PRESSURE) = 0.5 * there * density * speed * speed;
}

TAC_ENTRY tac_status TAC_KINDED(tac__rocket_body_output)(const tac_eval *e, const void *self)
{
    body_now b = body__read(EVAL_P(e, tac__rocket_body), eval_x(e));
    geodetic g = geodesy_from_ecef(b.position);
    mat3 local = body__local(g);
    vec3 wind = mat3_tmul_vec(local, vec3_read(eval_in(e, TAC__BODY_IN_WIND)));
    body__place(e, &b, g, local);
    body__air(e, (const tac__rocket_body_shape *)self, &b, g, wind);
    return TAC_OK;
}
