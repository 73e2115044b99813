// orbiter.c - the component type `orbiter`: parameters, ports and start of the point whose
// equations are in orbiter.model.h.
#define TAC_KIND_F64
#include "model/rocket/orbiter.h"

#include <string.h>

typedef struct orbiter {
    tac__orbiter_shape shape;      // first: kernels see it
    double x[TAC__ORBITER_STATES]; // at t = 0
} orbiter;

static tac_status orbiter_declare(tac_declare *d, void *self)
{
    orbiter *c = self;
    tac__earth earth = {0};
    tac__earth_params(d, &earth);
    c->shape.oblate = earth.j2 != 0;
    tac_declare_numbers(d, &earth, sizeof earth);
    tac_param_array(
        d,
        TAC_PARAM("position", "m", NULL, NULL, "at t = 0, from the Earth's centre; z is its axis"),
        c->x + TAC__ORBITER_POSITION, 3);
    tac_param_array(d, TAC_PARAM("velocity", "m/s", NULL, NULL, "at t = 0, inertial"),
                    c->x + TAC__ORBITER_VELOCITY, 3);
    tac_declare_input(d, TAC_PORT(.name = "push", .type = TAC_TYPE_VEC3, .unit = "m/s^2",
                                  .doc = "acceleration besides gravity",
                                  .flags = TAC_PORT_OPTIONAL | TAC_PORT_DERIVE_ONLY));
    tac_declare_continuous(d, TAC_PORT(.name = "position", .type = TAC_TYPE_VEC3, .unit = "m",
                                       .doc = "from the Earth's centre, inertial",
                                       .role = TAC_ROLE_INERTIAL_POSITION));
    tac_declare_continuous(d, TAC_PORT(.name = "velocity", .type = TAC_TYPE_VEC3, .unit = "m/s",
                                       .doc = "inertial", .role = TAC_ROLE_INERTIAL_VELOCITY));
    tac_declare_output(d, TAC_PORT(.name = "energy", .type = TAC_TYPE_F64, .unit = "J/kg",
                                   .doc = "kinetic and potential, of a kilogram",
                                   .role = TAC_ROLE_ENERGY));
    tac_declare_output(d, TAC_PORT(.name = "momentum", .type = TAC_TYPE_VEC3, .unit = "m^2/s",
                                   .doc = "angular, of a kilogram"));
    tac_declare_gravity(d, earth.mu, earth.radius_m);
    return TAC_OK;
}

static tac_status orbiter_init(tac_step *s, const void *self)
{
    const orbiter *c = self;
    memcpy(tac_jump(s), c->x, sizeof c->x);
    return TAC_OK;
}

static bool orbiter_alike(const void *self, const void *other)
{
    const orbiter *a = self, *b = other;
    return a->shape.oblate == b->shape.oblate;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .output = tac__orbiter_output_##kind, .derive = tac__orbiter_derive_##kind                 \
    }
const tac_component_type tac__orbiter_type = {
    TAC__TYPE("orbiter", "1", "a point that falls about the Earth, in an inertial frame", 0),
    .self_size = sizeof(orbiter),
    .declare = orbiter_declare,
    .init = orbiter_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = orbiter_alike,
};
#undef KERNELS
