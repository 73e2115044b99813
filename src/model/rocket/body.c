// body.c - the component type `rocket_body`: parameters, ports and start of the body whose
// equations are in body.model.h.
#define TAC_KIND_F64
#include "model/rocket/body.h"
#include "math/quat.h"
#include "model/world/geodesy.h"

#include <stdio.h>
#include <string.h>
#include <tactus/math.h>

#define HALF_PI 1.57079632679489661923

typedef struct body {
    tac__rocket_body_shape shape; // first: kernels see it
    double x[TAC__BODY_STATES];   // at t = 0
} body;

// --- parameters ----------------------------------------------------------------------------------

static tac__geodesy world_params(tac_declare *d, body *c, tac__rocket_body *p)
{
    static const char *const attitudes[] = {"free", "fixed", NULL};
    const tac_world *w = tac_declare_world(d);
    tac__geodesy geodesy;
    tac__geodesy_init(&geodesy, w);
    memcpy(p->origin, geodesy.origin, sizeof p->origin);
    memcpy(p->axes, geodesy.axes, sizeof p->axes);
    p->ground_m = w->altitude_m + w->ground_m;
    tac__earth_params(d, &p->earth);
    c->shape.oblate = p->earth.j2 != 0;
    p->earth.rotation_rad_s =
        tac_param_f64(d, TAC_PARAM("rotation", "rad/s", "7.292115e-5", NULL,
                                   "of the Earth and the frame, WGS84; 0: none"));
    c->shape.air =
        tac_param_bool(d, TAC_PARAM("air", NULL, "true", NULL, "there is an atmosphere"));
    c->shape.fixed = tac_param_choice(
        d, TAC_PARAM("motion", NULL, "free", NULL, "free, or fixed: its attitude in ECEF stays"),
        attitudes);
    return geodesy;
}

static quat attitude_params(tac_declare *d, geodetic place)
{
    size_t n;
    const double *a = tac_param_list(
        d,
        TAC_PARAM("attitude", "rad", "[0, 90 deg, 0]", NULL,
                  "at t = 0: roll, elevation, azimuth there, or a quaternion to ECEF"),
        4, &n);
    quat q = quat_make(1.0, 0.0, 0.0, 0.0);
    if (n == 3)
        q = quat_mul(quat_from_euler(0.0, -place.latitude - HALF_PI, place.longitude),
                     quat_from_euler(a[0], a[1], a[2]));
    else if (n == 4)
        q = quat_make(a[0], a[1], a[2], a[3]);
    if ((n != 3 && n != 4) || !(quat_dot(q, q) > 0)) {
        (void)tac_declare_fail(d, "attitude", "expected three angles or a quaternion");
        q = quat_make(1.0, 0.0, 0.0, 0.0);
    }
    return quat_normalise(q);
}

static void position_params(tac_declare *d, body *c, const tac__geodesy *g)
{
    size_t n;
    const double *position =
        tac_param_list(d,
                       TAC_PARAM("position", "m", "[]", NULL,
                                 "at t = 0, of the datum in ECEF; else the world's origin"),
                       3, &n);
    memcpy(c->x, g->origin, sizeof g->origin);
    if (n == 3)
        memcpy(c->x, position, 3 * sizeof *position);
    else if (n)
        (void)tac_declare_fail(d, "position", "expected x, y and z");
}

static void start_params(tac_declare *d, body *c, tac__rocket_body *p, const tac__geodesy *g)
{
    position_params(d, c, g);
    const vec3 at = vec3_from_array(c->x);
    const bool here = !memcmp(c->x, g->origin, sizeof g->origin);
    const geodetic place = here ? geodetic_make(g->latitude_rad, g->longitude_rad, g->altitude_m)
                                : geodesy_from_ecef(at);
    const quat q = attitude_params(d, place);
    memcpy(c->x + TAC__BODY_ATTITUDE, (double[]){q.w, q.x, q.y, q.z}, 4 * sizeof(double));
    tac_param_array(
        d, TAC_PARAM("velocity", "m/s", "[0, 0, 0]", NULL, "at t = 0, over the Earth, in ECEF"),
        c->x + TAC__BODY_VELOCITY, 3);
    double rate[3];
    tac_param_array(d,
                    TAC_PARAM("rate", "rad/s", "[0, 0, 0]", NULL,
                              "at t = 0, relative to the Earth, in body axes"),
                    rate, 3);
    const mat3 rotation = quat_to_mat3(q);
    for (int i = 0; i < 3; i++) {
        c->x[TAC__BODY_RATE + i] = rate[i] + p->earth.rotation_rad_s * rotation.m[2][i];
        p->start[i] = c->x[i];
        p->axis[i] = rotation.m[i][0];
    }
    p->rail_m =
        tac_param_f64(d, TAC_PARAM("rail", "m", "0", "[0, inf)",
                                   "length that it is guided along its x axis at the start"));
    c->shape.rail = p->rail_m > 0;
    if (c->shape.rail && (rate[0] != 0 || rate[1] != 0 || rate[2] != 0 || c->x[3] != 0 ||
                          c->x[4] != 0 || c->x[5] != 0))
        (void)tac_declare_fail(d, "rail", "what is on a rail begins at rest");
}

// --- ports ---------------------------------------------------------------------------------------

static void declare_inputs(tac_declare *d)
{
    const tac_type vector = TAC_TYPE_VEC3, single = TAC_TYPE_F64,
                   tensor = TAC_TYPE_ARRAY(TAC_F64, 6);
    const struct {
        const char *name, *unit, *doc;
        tac_type type;
        uint32_t flags;
    } rows[] = {
        {"mass", "kg", "of all that moves", single, TAC_PORT_DERIVE_ONLY},
        {"com", "m", "centre of mass, in body axes", vector,
         TAC_PORT_OPTIONAL | TAC_PORT_DERIVE_ONLY},
        {"inertia", "kg*m^2", "about the centre of mass: xx, yy, zz, xy, xz, yz", tensor,
         TAC_PORT_OPTIONAL | TAC_PORT_DERIVE_ONLY},
        {"jet", "kg*m^2/s", "damping of rates by jets: xx, yy, zz, xy, xz, yz", tensor,
         TAC_PORT_OPTIONAL | TAC_PORT_DERIVE_ONLY},
        {"stream", "kg*m/s", "momentum of the flow inside, relative to the body", vector,
         TAC_PORT_OPTIONAL | TAC_PORT_DERIVE_ONLY},
        {"wind", "m/s", "velocity of the air: north, east, down", vector, TAC_PORT_OPTIONAL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tac_declare_input(d,
                          TAC_PORT(.name = rows[i].name, .type = rows[i].type, .unit = rows[i].unit,
                                   .doc = rows[i].doc, .flags = rows[i].flags));
    for (int i = 1; i <= TAC__ROCKET_FORCES_MAX; i++) {
        char force[24], moment[24];
        snprintf(force, sizeof force, "force%d", i);
        snprintf(moment, sizeof moment, "moment%d", i);
        tac_declare_input(d, TAC_PORT(.name = force, .type = vector, .unit = "N",
                                      .doc = "in body axes",
                                      .flags = TAC_PORT_OPTIONAL | TAC_PORT_DERIVE_ONLY));
        tac_declare_input(d, TAC_PORT(.name = moment, .type = vector, .unit = "N*m",
                                      .doc = "of that force about the datum",
                                      .flags = TAC_PORT_OPTIONAL | TAC_PORT_DERIVE_ONLY));
    }
}

static void declare_states(tac_declare *d)
{
    const tac_port_def rows[] = {
        TAC_DEF(tac_port_def, .name = "position", .type = TAC_TYPE_VEC3, .unit = "m",
                .doc = "of the datum, in ECEF"),
        TAC_DEF(tac_port_def, .name = "velocity", .type = TAC_TYPE_VEC3, .unit = "m/s",
                .doc = "over the Earth, ECEF"),
        TAC_DEF(tac_port_def, .name = "attitude", .type = TAC_TYPE_QUAT, .doc = "body to ECEF"),
        TAC_DEF(tac_port_def, .name = "rate", .type = TAC_TYPE_VEC3, .unit = "rad/s",
                .doc = "inertial, in body axes"),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        tac_declare_continuous(d, &rows[i]);
}

static void declare_outputs(tac_declare *d)
{
    const tac_type vector = TAC_TYPE_VEC3, single = TAC_TYPE_F64;
#define ROW(id, text, count, of, means, what)                                                      \
    tac_declare_output(d, TAC_PORT(.name = text, .type = (count) == 3 ? vector : single,           \
                                   .unit = of, .doc = what, .role = TAC_ROLE_##means));
    TAC__BODY_OUT_TABLE(ROW)
#undef ROW
}

static tac_status body_declare(tac_declare *d, void *self)
{
    body *c = self;
    tac__rocket_body p = {0};
    const tac__geodesy geodesy = world_params(d, c, &p);
    start_params(d, c, &p, &geodesy);
    tac_declare_numbers(d, &p, sizeof p);
    declare_inputs(d);
    declare_states(d);
    declare_outputs(d);
    if (c->shape.rail)
        tac_declare_event(d, "rail", "left");
    return TAC_OK;
}

// --- the plant -----------------------------------------------------------------------------------

static tac_status body_init(tac_step *s, const void *self)
{
    const body *c = self;
    if (!c->shape.fixed && !tac_connected(s, TAC__BODY_IN_INERTIA))
        return tac_fail(s, "a body that turns needs its input 'inertia'; else say 'motion: fixed'");
    memcpy(tac_jump(s), c->x, sizeof c->x);
    return TAC_OK;
}

static bool body_alike(const void *self, const void *other)
{
    const body *a = self, *b = other;
    return !memcmp(&a->shape, &b->shape, sizeof a->shape);
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .output = tac__rocket_body_output_##kind, .derive = tac__rocket_body_derive_##kind,        \
        .detect = tac__rocket_body_detect_##kind, .project = tac__rocket_body_project_##kind       \
    }
const tac_component_type tac__rocket_body_type = {
    TAC__TYPE("rocket_body", "1", "a rigid body that loses mass, over a rotating Earth", 0),
    .self_size = sizeof(body),
    .declare = body_declare,
    .init = body_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = body_alike,
};
#undef KERNELS
