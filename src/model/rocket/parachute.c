// parachute.c - the component type `parachute`: parameters and ports; its equations are in
// parachute.model.h.
#define TAC_KIND_F64
#include "model/rocket/parachute.h"

static tac_status parachute_declare(tac_declare *d, void *self)
{
    (void)self;
    tac__parachute p = {0};
    p.drag_m2 = tac_param_f64(d, TAC_PARAM("drag_area", "m^2", NULL, "[0, inf)",
                                           "drag coefficient times area, open", TAC_PARAM_TUNABLE));
    p.tau_s = tac_param_f64(d, TAC_PARAM("inflation_time", "s", "0.5", "(0, inf)",
                                         "time constant of its inflation", TAC_PARAM_TUNABLE));
    tac_param_array(d,
                    TAC_PARAM("position", "m", "[0, 0, 0]", NULL, "where it pulls, in body axes"),
                    p.position_m, 3);
    tac_param_input(d, TAC_PARAM("deploy", NULL, "1", "[0, 1]", "1: it is out"));
    const tac_type vector = TAC_TYPE_VEC3, single = TAC_TYPE_F64;
    const tac_port_def inputs[] = {
        TAC_DEF(tac_port_def, .name = "velocity", .type = vector, .unit = "m/s",
                .doc = "through the air, body axes"),
        TAC_DEF(tac_port_def, .name = "rate", .type = vector, .unit = "rad/s",
                .doc = "relative to the air, body axes"),
        TAC_DEF(tac_port_def, .name = "density", .type = single, .unit = "kg/m^3",
                .doc = "of the air"),
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        tac_declare_input(d, &inputs[i]);
    tac_declare_continuous(
        d, TAC_PORT(.name = "inflation", .type = single, .doc = "part of its area"));
    tac_declare_output(
        d, TAC_PORT(.name = "force", .type = vector, .unit = "N", .doc = "in body axes"));
    tac_declare_output(
        d, TAC_PORT(.name = "moment", .type = vector, .unit = "N*m", .doc = "about the datum"));
    tac_declare_numbers(d, &p, sizeof p);
    return TAC_OK;
}

static tac_status parachute_init(tac_step *s, const void *self)
{
    (void)self;
    *tac_jump(s) = 0;
    return TAC_OK;
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .output = tac__parachute_output_##kind, .derive = tac__parachute_derive_##kind             \
    }
const tac_component_type tac__parachute_type = {
    TAC__TYPE("parachute", "1", "a parachute that inflates and pulls at one point of a body", 0),
    .declare = parachute_declare,
    .init = parachute_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = tac__alike_always,
};
#undef KERNELS
