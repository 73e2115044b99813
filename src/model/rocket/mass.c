// mass.c - the component type `rocket_mass`: parameters and ports of the mass properties whose
// equations are in mass.model.h.
#define TAC_KIND_F64
#include "model/rocket/mass.h"
#include "math/mat3.h"
#include "model/inertia.h"
#include "model/rocket/tensor.h"

#include <stdio.h>
#include <string.h>

// --- parameters ----------------------------------------------------------------------------------

static void inertia_params(tac_declare *d, tac__rocket_stage *s)
{
    size_t n;
    const double *list =
        tac_param_list(d,
                       TAC_PARAM("inertia", "kg*m^2", NULL, NULL,
                                 "about that centre: [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]"),
                       6, &n);
    memset(s->inertia, 0, sizeof s->inertia);
    if (n != 3 && n != 6)
        (void)tac_declare_fail(d, "inertia", "expected 3 or 6 numbers, found %zu", n);
    memcpy(s->inertia, list, n * sizeof *list);
    const double *i = s->inertia;
    const double det = mat3_det(tensor_to_mat3(tensor_read(i)));
    if (!(i[0] > 0 && i[0] * i[1] > i[3] * i[3] && det > 0))
        (void)tac_declare_fail(d, "inertia", "the tensor must be positive definite");
    else
        tac__inertia_warn(d, "inertia",
                          (const double[]){i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]});
}

static void tank_params(tac_declare *d, tac__rocket_stage *s, bool *settled)
{
    s->capacity_kg = 1;
    const size_t n = tac_param_items(
        d, TAC_PARAM("tank", NULL, "[]", NULL, "where its fuel is, a cylinder along x"), 1);
    if (!n) {
        memcpy(s->tank_m, s->com_m, sizeof s->tank_m);
        return;
    }
    tac_param_begin(d, "tank", 0);
    tac_param_array(d, TAC_PARAM("centre", "m", NULL, NULL, "in body axes"), s->tank_m, 3);
    s->length_m = tac_param_f64(d, TAC_PARAM("length", "m", "0", "[0, inf)", "along x"));
    s->radius_m = tac_param_f64(d, TAC_PARAM("radius", "m", "0", "[0, inf)", "of it"));
    *settled = tac_param_bool(
        d, TAC_PARAM("settled", NULL, "false", NULL,
                     "fuel lies at the aft end, as a liquid; else it thins out evenly"));
    if (*settled)
        s->capacity_kg = tac_param_f64(
            d, TAC_PARAM("capacity", "kg", NULL, "(0, inf)", "that fills its length"));
    tac_param_end(d);
}

static void stage_params(tac_declare *d, tac__rocket_stage *s, bool *settled)
{
    s->dry_kg = tac_param_f64(d, TAC_PARAM("mass", "kg", NULL, "(0, inf)", "without fuel"));
    tac_param_array(d,
                    TAC_PARAM("com", "m", "[0, 0, 0]", NULL, "centre of that mass, in body axes"),
                    s->com_m, 3);
    inertia_params(d, s);
    tank_params(d, s, settled);
    memset(s->exit_m, 0, sizeof s->exit_m);
    tac_param_array(d,
                    TAC_PARAM("exit", "m", "[0, 0, 0]", NULL,
                              "of the nozzle, in body axes: what leaves damps rates"),
                    s->exit_m, 3);
}

// --- ports ---------------------------------------------------------------------------------------

static void declare_stage(tac_declare *d, int number)
{
    char fuel[24], flow[24], attached[24];
    snprintf(fuel, sizeof fuel, "fuel%d", number);
    snprintf(flow, sizeof flow, "flow%d", number);
    snprintf(attached, sizeof attached, "attached%d", number);
    tac_declare_input(d, TAC_PORT(.name = fuel, .type = TAC_TYPE_F64, .unit = "kg",
                                  .doc = "in the tank of that stage", .flags = TAC_PORT_OPTIONAL));
    tac_declare_input(d, TAC_PORT(.name = flow, .type = TAC_TYPE_F64, .unit = "kg/s",
                                  .doc = "out of its nozzle", .flags = TAC_PORT_OPTIONAL));
    tac_param_input(d, TAC_PARAM(attached, NULL, "1", "[0, 1]", "1, and 0 once the stage is gone"));
}

static tac_status mass_declare(tac_declare *d, void *self)
{
    tac__rocket_mass_shape *shape = self;
    tac__rocket_stage stages[TAC__ROCKET_STAGES_MAX] = {0};
    shape->stages = (int)tac_param_items(
        d, TAC_PARAM("stages", NULL, NULL, NULL, "1 to 4, which share the body axes"),
        TAC__ROCKET_STAGES_MAX);
    for (int i = 0; i < shape->stages; i++) {
        tac_param_begin(d, "stages", (size_t)i);
        stage_params(d, &stages[i], &shape->settled[i]);
        tac_param_end(d);
    }
    tac_declare_numbers(d, stages, (size_t)shape->stages * sizeof *stages);
    // All stages that there may be: listings and editors do not know the parameters.
    for (int i = 0; i < TAC__ROCKET_STAGES_MAX; i++)
        declare_stage(d, i + 1);
    const tac_type vector = TAC_TYPE_VEC3, single = TAC_TYPE_F64, six = TAC_TYPE_ARRAY(TAC_F64, 6);
    const tac_port_def outputs[TAC__MASS_OUTS] = {
        TAC_DEF(tac_port_def, .name = "mass", .type = single, .unit = "kg",
                .doc = "of all that is attached"),
        TAC_DEF(tac_port_def, .name = "com", .type = vector, .unit = "m",
                .doc = "centre of mass, in body axes"),
        TAC_DEF(tac_port_def, .name = "inertia", .type = six, .unit = "kg*m^2",
                .doc = "about it: xx, yy, zz, xy, xz, yz"),
        TAC_DEF(tac_port_def, .name = "jet", .type = six, .unit = "kg*m^2/s",
                .doc = "its rate of change and what jets carry away: moment -J w"),
        TAC_DEF(tac_port_def, .name = "stream", .type = vector, .unit = "kg*m/s",
                .doc = "momentum of the flow inside, relative to the body"),
    };
    for (size_t i = 0; i < TAC__MASS_OUTS; i++)
        tac_declare_output(d, &outputs[i]);
    return TAC_OK;
}

static tac_status mass_init(tac_step *s, const void *self)
{
    const tac__rocket_mass_shape *shape = self;
    for (int i = shape->stages * TAC__MASS_INS; i < TAC__ROCKET_STAGES_MAX * TAC__MASS_INS; i++) {
        const double rest = i % TAC__MASS_INS == TAC__MASS_IN_ATTACHED ? 1 : 0;
        if (tac_connected(s, i) || *TAC_IN(s, double, i) != rest)
            return tac_fail(s, "an input of stage %d is in use, but there is no such stage",
                            i / TAC__MASS_INS + 1);
    }
    return TAC_OK;
}

static bool mass_alike(const void *self, const void *other)
{
    return !memcmp(self, other, sizeof(tac__rocket_mass_shape));
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .output = tac__rocket_mass_output_##kind                                                   \
    }
const tac_component_type tac__rocket_mass_type = {
    TAC__TYPE("rocket_mass", "2", "mass, centre of mass and inertia of stages with their fuel", 0),
    .self_size = sizeof(tac__rocket_mass_shape),
    .declare = mass_declare,
    .init = mass_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = mass_alike,
};
#undef KERNELS
