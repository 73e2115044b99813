// plants.c - small plants as components: integrator, lag, oscillator, point_mass. Their equations
// are in plants.model.h.
#define TAC_KIND_F64
#include "model/plants.h"

#include <string.h>

// --- integrator ---------------------------------------------------------------------------------

typedef struct integrator {
    tac__integrator shaped; // first: kernels see it
    double initial[TAC__SIZE_MAX];
} integrator;

static tac_status integrator_declare(tac_declare *d, void *self)
{
    integrator *c = self;
    c->shaped = tac__shaped_params(d);
    const char *rate = tac_param_text(
        d, TAC_PARAM(.name = "rate_unit", .fallback = "1/s", .doc = "unit of the input"));
    tac_param_array(d,
                    TAC_PARAM(.name = "initial", .unit = c->shaped.unit, .fallback = "0",
                              .doc = "state at t = 0"),
                    c->initial, c->shaped.size);
    const tac_type type = tac__shaped_type(&c->shaped);
    tac_declare_input(d,
                      TAC_PORT(.name = "u", .type = type, .unit = rate, .doc = "rate of change"));
    tac_declare_continuous(
        d, TAC_PORT(.name = "x", .type = type, .unit = c->shaped.unit, .doc = "integral of u"));
    return TAC_OK;
}

static tac_status integrator_init(tac_step *s, const void *self)
{
    const integrator *c = self;
    memcpy(tac_jump(s), c->initial, c->shaped.size * sizeof *c->initial);
    return TAC_OK;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .derive = tac__integrator_derive_##kind                                                    \
    }
const tac_component_type tac__integrator_type = {
    TAC__TYPE("integrator", "1", "dx/dt = u", 0),
    .self_size = sizeof(integrator),
    .declare = integrator_declare,
    .init = integrator_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_shaped,
};
#undef KERNELS

// --- lag ----------------------------------------------------------------------------------------

typedef struct lag {
    double initial;
} lag;

static tac_status lag_declare(tac_declare *d, void *self)
{
    lag *c = self;
    tac__lag p = {0};
    const char *unit = tac_param_text(
        d, TAC_PARAM(.name = "unit", .fallback = "1", .doc = "unit of input and state"));
    p.tau_s =
        tac_param_f64(d, TAC_PARAM(.name = "tau", .flags = TAC_PARAM_TUNABLE, .unit = "s",
                                   .fallback = "0.1", .range = "(0, inf)", .doc = "time constant"));
    c->initial = tac_param_f64(
        d, TAC_PARAM(.name = "initial", .unit = unit, .fallback = "0", .doc = "state at t = 0"));
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64, .unit = unit, .doc = "input"));
    tac_declare_continuous(
        d, TAC_PORT(.name = "x", .type = TAC_TYPE_F64, .unit = unit, .doc = "lagged input"));
    tac_declare_numbers(d, &p, sizeof p);
    return TAC_OK;
}

static tac_status lag_init(tac_step *s, const void *self)
{
    const lag *c = self;
    *tac_jump(s) = c->initial;
    return TAC_OK;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .derive = tac__lag_derive_##kind                                                           \
    }
const tac_component_type tac__lag_type = {
    TAC__TYPE("lag", "1", "continuous first-order lag: tau dx/dt = u - x", 0),
    .self_size = sizeof(lag),
    .declare = lag_declare,
    .init = lag_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_always,
};
#undef KERNELS

// --- oscillator ---------------------------------------------------------------------------------

typedef struct oscillator {
    double position_m, velocity_m_s;
} oscillator;

static tac_status oscillator_declare(tac_declare *d, void *self)
{
    oscillator *c = self;
    tac__oscillator p = {0};
    p.mass_kg =
        tac_param_f64(d, TAC_PARAM(.name = "mass", .flags = TAC_PARAM_TUNABLE, .unit = "kg",
                                   .fallback = "1", .range = "(0, inf)", .doc = "what moves"));
    p.damping = tac_param_f64(d, TAC_PARAM(.name = "damping", .flags = TAC_PARAM_TUNABLE,
                                           .unit = "N*s/m", .fallback = "0", .range = "[0, inf)",
                                           .doc = "force against the velocity"));
    p.stiffness =
        tac_param_f64(d, TAC_PARAM(.name = "stiffness", .flags = TAC_PARAM_TUNABLE, .unit = "N/m",
                                   .fallback = "1", .range = "[0, inf)", .doc = "of the spring"));
    c->position_m = tac_param_f64(
        d, TAC_PARAM(.name = "position", .unit = "m", .fallback = "1", .doc = "at t = 0"));
    c->velocity_m_s = tac_param_f64(
        d, TAC_PARAM(.name = "velocity", .unit = "m/s", .fallback = "0", .doc = "at t = 0"));
    tac_declare_input(d, TAC_PORT(.name = "force", .type = TAC_TYPE_F64, .unit = "N",
                                  .doc = "on the mass",
                                  .flags = TAC_PORT_OPTIONAL | TAC_PORT_DERIVE_ONLY));
    tac_declare_continuous(
        d, TAC_PORT(.name = "position", .type = TAC_TYPE_F64, .unit = "m", .doc = "of the mass"));
    tac_declare_continuous(
        d, TAC_PORT(.name = "velocity", .type = TAC_TYPE_F64, .unit = "m/s", .doc = "of the mass"));
    tac_declare_output(d, TAC_PORT(.name = "energy", .type = TAC_TYPE_F64, .unit = "J",
                                   .doc = "kinetic and of the spring"));
    tac_declare_numbers(d, &p, sizeof p);
    return TAC_OK;
}

static tac_status oscillator_init(tac_step *s, const void *self)
{
    const oscillator *c = self;
    double *x = tac_jump(s);
    x[0] = c->position_m;
    x[1] = c->velocity_m_s;
    return TAC_OK;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .output = tac__oscillator_output_##kind, .derive = tac__oscillator_derive_##kind           \
    }
const tac_component_type tac__oscillator_type = {
    TAC__TYPE("oscillator", "1", "a mass on a spring, with damping and an outer force", 0),
    .self_size = sizeof(oscillator),
    .declare = oscillator_declare,
    .init = oscillator_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_always,
};
#undef KERNELS

// --- point_mass ---------------------------------------------------------------------------------

typedef struct point_mass {
    double initial[6];
} point_mass;

static tac_status point_mass_declare(tac_declare *d, void *self)
{
    point_mass *c = self;
    tac__point_mass p = {0};
    p.mass_kg =
        tac_param_f64(d, TAC_PARAM(.name = "mass", .flags = TAC_PARAM_TUNABLE, .unit = "kg",
                                   .fallback = "1", .range = "(0, inf)", .doc = "of the point"));
    p.drag = tac_param_f64(d, TAC_PARAM(.name = "drag", .flags = TAC_PARAM_TUNABLE, .unit = "N*s/m",
                                        .fallback = "0", .range = "[0, inf)",
                                        .doc = "force against the velocity in the air"));
    tac_param_array(d,
                    TAC_PARAM(.name = "gravity", .flags = TAC_PARAM_TUNABLE, .unit = "m/s^2",
                              .fallback = "[0, 0, 9.80665]", .doc = "north, east, down"),
                    p.gravity, 3);
    tac_param_array(d,
                    TAC_PARAM(.name = "position", .unit = "m", .fallback = "[0, 0, 0]",
                              .doc = "at t = 0: north, east, down"),
                    c->initial, 3);
    tac_param_array(
        d, TAC_PARAM(.name = "velocity", .unit = "m/s", .fallback = "[0, 0, 0]", .doc = "at t = 0"),
        c->initial + 3, 3);
    tac_declare_input(d, TAC_PORT(.name = "force", .type = TAC_TYPE_VEC3, .unit = "N",
                                  .doc = "besides gravity and drag", .flags = TAC_PORT_OPTIONAL));
    tac_declare_input(d, TAC_PORT(.name = "wind", .type = TAC_TYPE_VEC3, .unit = "m/s",
                                  .doc = "velocity of the air", .flags = TAC_PORT_OPTIONAL));
    tac_declare_continuous(d, TAC_PORT(.name = "position", .type = TAC_TYPE_VEC3, .unit = "m",
                                       .doc = "north, east, down", .role = TAC_ROLE_POSITION));
    tac_declare_continuous(d, TAC_PORT(.name = "velocity", .type = TAC_TYPE_VEC3, .unit = "m/s",
                                       .doc = "north, east, down", .role = TAC_ROLE_VELOCITY));
    tac_declare_numbers(d, &p, sizeof p);
    return TAC_OK;
}

static tac_status point_mass_init(tac_step *s, const void *self)
{
    const point_mass *c = self;
    memcpy(tac_jump(s), c->initial, sizeof c->initial);
    return TAC_OK;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .derive = tac__point_mass_derive_##kind                                                    \
    }
const tac_component_type tac__point_mass_type = {
    TAC__TYPE("point_mass", "1", "a point that moves under forces, gravity and drag", 0),
    .self_size = sizeof(point_mass),
    .declare = point_mass_declare,
    .init = point_mass_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_always,
};
#undef KERNELS
