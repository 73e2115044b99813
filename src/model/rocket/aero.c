// aero.c - the component type `rocket_aero`: parameters and ports of the forces whose equations are
// in aero.model.h.
#define TAC_KIND_F64
#include "model/rocket/aero.h"
#include "math/table.h"
#include "model/spline.h"

#include <string.h>

// Reads one value, or one for each Mach number, and makes the spline through them if it is wanted.
// `least`: no value of a spline may be below.
static void table_params(tac_declare *d, const tac_param_def *def,
                         const tac__rocket_aero_shape *shape, double least, double *values,
                         double *bend)
{
    size_t n;
    const size_t points = (size_t)shape->points;
    const double *list = tac_param_list(d, def, TAC__AERO_POINTS_MAX, &n);
    if (n != 1 && n != points)
        (void)tac_declare_fail(
            d, def->name, "expected one number or as many as in 'mach', %zu, found %zu", points, n);
    for (size_t i = 0; i < points && n; i++)
        values[i] = list[n == 1 ? 0 : i < n ? i : n - 1];
    if (shape->spline && (n == 1 || n == points))
        (void)tac__declare_spline(
            d, TAC__SPLINE("mach", def->name, points, shape->mach, values, .above = least), bend);
}

static tac_status aero_declare(tac_declare *d, void *self)
{
    tac__rocket_aero_shape *shape = self;
    tac__rocket_aero p = {0};
    p.diameter_m = tac_param_f64(
        d, TAC_PARAM("diameter", "m", NULL, "(0, inf)", "of the body: length of reference"));
    p.area_m2 = 0.25 * 3.14159265358979323846 * p.diameter_m * p.diameter_m;
    size_t n;
    const double *mach = tac_param_list(
        d, TAC_PARAM("mach", NULL, "[0, 1]", NULL, "breakpoints of the tables, rising"),
        TAC__AERO_POINTS_MAX, &n);
    shape->points = (int)n;
    memcpy(shape->mach, mach, n * sizeof *mach);
    shape->spline = tac__param_spline(d, "interpolation");
    if (!table_breakpoints_valid((int)n, mach)) {
        (void)tac_declare_fail(d, "mach",
                               "expected at least two numbers, each above the one before");
        shape->spline = false;
    }
    table_params(d, TAC_PARAM("drag", NULL, NULL, "[0, inf)", "coefficient, by Mach number"), shape,
                 0, shape->drag, shape->drag_bend);
    table_params(
        d,
        TAC_PARAM("normal", "1/rad", "0", "[0, inf)", "slope of the normal force, by Mach number"),
        shape, 0, shape->normal, shape->normal_bend);
    table_params(d,
                 TAC_PARAM("pressure_centre", "m", "0", NULL,
                           "where that acts, x in body axes, by Mach number"),
                 shape, -DBL_MAX, shape->centre, shape->centre_bend);
    tac_param_array(
        d,
        TAC_PARAM("damping", NULL, "[0, 0, 0]", "[0, inf)", "coefficients of roll, pitch and yaw"),
        p.damping, 3);
    p.cross_m2 = tac_param_f64(d, TAC_PARAM("cross_area", "m^2", "0", "[0, inf)",
                                            "drag coefficient times area from the side"));
    p.cross_m = tac_param_f64(
        d, TAC_PARAM("cross_centre", "m", "0", NULL, "where that acts, x in body axes"));

    const tac_type vector = TAC_TYPE_VEC3, single = TAC_TYPE_F64;
    const tac_port_def inputs[TAC__AERO_INS] = {
        TAC_DEF(tac_port_def, .name = "velocity", .type = vector, .unit = "m/s",
                .doc = "through the air, body axes"),
        TAC_DEF(tac_port_def, .name = "rate", .type = vector, .unit = "rad/s",
                .doc = "relative to the air, body axes"),
        TAC_DEF(tac_port_def, .name = "density", .type = single, .unit = "kg/m^3",
                .doc = "of the air"),
        TAC_DEF(tac_port_def, .name = "mach", .type = single, .doc = "Mach number"),
    };
    const tac_port_def outputs[TAC__AERO_OUTS] = {
        TAC_DEF(tac_port_def, .name = "force", .type = vector, .unit = "N", .doc = "in body axes"),
        TAC_DEF(tac_port_def, .name = "moment", .type = vector, .unit = "N*m",
                .doc = "about the datum"),
        TAC_DEF(tac_port_def, .name = "alpha", .type = single, .unit = "rad",
                .doc = "angle of attack, 0 to pi"),
    };
    for (size_t i = 0; i < TAC__AERO_INS; i++)
        tac_declare_input(d, &inputs[i]);
    for (size_t i = 0; i < TAC__AERO_OUTS; i++)
        tac_declare_output(d, &outputs[i]);
    tac_declare_numbers(d, &p, sizeof p);
    return TAC_OK;
}

static bool aero_alike(const void *self, const void *other)
{
    return !memcmp(self, other, sizeof(tac__rocket_aero_shape));
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .output = tac__rocket_aero_output_##kind                                                   \
    }
const tac_component_type tac__rocket_aero_type = {
    TAC__TYPE("rocket_aero", "1", "forces of the air on a slender body, by Mach number", 0),
    .self_size = sizeof(tac__rocket_aero_shape),
    .declare = aero_declare,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = aero_alike,
};
#undef KERNELS
