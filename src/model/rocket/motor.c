// motor.c - the component type `rocket_motor`: ports and start of the tank and engine whose
// equations are in motor.model.h, and whose numbers are read in motor.given.h.
#define TAC_KIND_F64
#include "model/rocket/motor.h"
#include "math/table.h"
#include "model/spline.h"

#include <string.h>

typedef struct motor {
    tac__rocket_motor_shape shape; // first: kernels see it
    double fuel_kg;                // at t = 0
} motor;

// --- parameters ----------------------------------------------------------------------------------

// Without a curve the thrust is constant.
static void curve_params(tac_declare *d, tac__rocket_motor_shape *p)
{
    static const char *const over[] = {"burnt", "time", NULL};
    (void)tac_param_items(
        d,
        TAC_PARAM("curve", NULL, "{}", NULL, "thrust, over its nominal value, as the motor burns"),
        1);
    tac_param_begin(d, "curve", 0);
    p->by_time = tac_param_choice(
        d, TAC_PARAM("over", NULL, "burnt", NULL, "the part of the fuel burnt, or the time"), over);
    size_t n, parts;
    const double *at = tac_param_list(
        d, TAC_PARAM("at", p->by_time ? "s" : NULL, "[0, 1]", NULL, "breakpoints, rising"),
        TAC__MOTOR_CURVE_MAX, &n);
    const double *part = tac_param_list(
        d, TAC_PARAM("thrust", NULL, "[1, 1]", "(0, inf)", "at each, over the nominal one"),
        TAC__MOTOR_CURVE_MAX, &parts);
    p->spline = tac__param_spline(d, "interpolation");
    p->points = (int)n;
    if (n != parts)
        (void)tac_declare_fail(d, "thrust", "expected as many as in 'at', %zu, found %zu", n,
                               parts);
    else if (!table_breakpoints_valid((int)n, at))
        (void)tac_declare_fail(d, "at", "expected at least two numbers, each above the one before");
    else if (p->spline)
        (void)tac__declare_spline(
            d, TAC__SPLINE("at", "thrust", n, at, part, .above = 0, .open = true), p->bend);
    memcpy(p->at, at, n * sizeof *at);
    memcpy(p->part, part, (n < parts ? n : parts) * sizeof *part);
    tac_param_end(d);
}

// --- ports ---------------------------------------------------------------------------------------

static void declare_ports(tac_declare *d, const motor *c)
{
    tac_param_input(d, TAC_PARAM("throttle", NULL, "1", "[0, 1]", "what is asked for"));
    tac_declare_input(d, TAC_PORT(.name = "pressure", .type = TAC_TYPE_F64, .unit = "Pa",
                                  .doc = "of the air around; open: vacuum",
                                  .flags = TAC_PORT_OPTIONAL));
    const tac_port_def states[] = {
        TAC_DEF(tac_port_def, .name = "fuel", .type = TAC_TYPE_F64, .unit = "kg", .doc = "left",
                .scale = c->fuel_kg, .role = TAC_ROLE_FUEL),
        TAC_DEF(tac_port_def, .name = "burnt", .type = TAC_TYPE_F64, .unit = "s",
                .doc = "time that it has burnt"),
        TAC_DEF(tac_port_def, .name = "lag", .type = TAC_TYPE_F64,
                .doc = "throttle as the engine follows it"),
    };
    const tac_port_def outputs[] = {
        TAC_DEF(tac_port_def, .name = "thrust", .type = TAC_TYPE_F64, .unit = "N",
                .doc = "along its direction"),
        TAC_DEF(tac_port_def, .name = "flow", .type = TAC_TYPE_F64, .unit = "kg/s",
                .doc = "out of the nozzle"),
        TAC_DEF(tac_port_def, .name = "force", .type = TAC_TYPE_VEC3, .unit = "N",
                .doc = "in body axes"),
        TAC_DEF(tac_port_def, .name = "moment", .type = TAC_TYPE_VEC3, .unit = "N*m",
                .doc = "about the datum"),
        TAC_DEF(tac_port_def, .name = "spool", .type = TAC_TYPE_F64, .doc = "part of full thrust"),
    };
    const size_t count = c->shape.spools ? TAC__MOTOR_STATES : TAC__MOTOR_LAG;
    for (size_t i = 0; i < count; i++)
        tac_declare_continuous(d, &states[i]);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        tac_declare_output(d, &outputs[i]);
    tac_declare_event(d, "burning", "there is fuel to burn");
}

static tac_status motor_declare(tac_declare *d, void *self)
{
    motor *c = self;
    tac__rocket_motor p = {0};
    tac__rocket_motor_thrust(d, &p);
    c->fuel_kg = p.fuel_kg;
    c->shape.spools = p.tau_s > 0;
    curve_params(d, &c->shape);
    tac__rocket_motor_geometry(d, &p);
    declare_ports(d, c);
    tac_declare_numbers(d, &p, sizeof p);
    return TAC_OK;
}

// --- the plant -----------------------------------------------------------------------------------

static tac_status motor_init(tac_step *s, const void *self)
{
    const motor *c = self;
    double *x = tac_jump(s);
    x[TAC__MOTOR_FUEL] = c->fuel_kg;
    x[TAC__MOTOR_BURNT] = 0;
    if (c->shape.spools)
        x[TAC__MOTOR_LAG] = 0;
    return TAC_OK;
}

static bool motor_alike(const void *self, const void *other)
{
    const motor *a = self, *b = other;
    return !memcmp(&a->shape, &b->shape, sizeof a->shape);
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .output = tac__rocket_motor_output_##kind, .derive = tac__rocket_motor_derive_##kind,      \
        .detect = tac__rocket_motor_detect_##kind, .project = tac__rocket_motor_project_##kind     \
    }
const tac_component_type tac__rocket_motor_type = {
    TAC__TYPE("rocket_motor", "2", "a tank and the engine that empties it", 0),
    .self_size = sizeof(motor),
    .declare = motor_declare,
    .numbers = tac__rocket_motor_numbers,
    .init = motor_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = motor_alike,
};
#undef KERNELS
