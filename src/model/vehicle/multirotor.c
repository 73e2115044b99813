// multirotor.c - the component type `multirotor`: ports, states and start of the plant whose
// equations are in multirotor.model.h and whose parameters are read in params.given.h.
#define TAC_KIND_F64
#include "model/builtin.h"
#include "model/vehicle/kernels.h"
#include "model/vehicle/params.h"
#include "math/machine.h"
#include "math/quat.h"
#include "math/spline.h"

#include <stdio.h>
#include <string.h>

typedef struct multirotor {
    tac__multirotor_self kernels;
    const double *start; // the state at t = 0
    size_t states;
} multirotor;

// --- the shape -----------------------------------------------------------------------------------

void tac__multirotor_shape_of(const tac__multirotor *p, tac__multirotor_shape *s)
{
    memset(s, 0, sizeof *s); // shapes are compared as bytes
    s->rotors = p->vehicle.rotors;
    s->batteries = p->batteries;
    s->buses = p->buses;
    s->feet = p->feet;
    s->contacts = p->contacts;
    s->upright = p->upright;
    s->euler = p->euler;
    s->angular = p->angular;
    s->actuator = p->vehicle.actuator.kind;
    s->gravity = p->world.gravity;
    for (int i = 0; i < s->rotors; i++)
        s->rotor_bus[i] = p->vehicle.rotor[i].bus;
    for (int b = 0; b < s->buses; b++)
        s->loaded[b] = p->bus[b].load_w > 0.0;
    for (int k = 0; k < s->batteries; k++) {
        const tac__battery *b = &p->battery[k];
        s->battery_bus[k] = b->bus;
        s->points[k] = b->points;
        memcpy(s->soc[k], b->soc, (size_t)b->points * sizeof *b->soc);
        memcpy(s->ocv_v[k], b->ocv_v, (size_t)b->points * sizeof *b->ocv_v);
        s->spline[k] = b->spline;
        if (b->spline)
            (void)tac__spline_bend(b->points, b->soc, b->ocv_v, s->ocv_bend[k]);
    }
}

// --- the state at the start ----------------------------------------------------------------------

// How deep the vehicle stands, so that feet (or the hull, where that is lower) carry the weight.
static double standing_m(const tac__multirotor *p, const double attitude[4])
{
    const quat q = quat_make(attitude[0], attitude[1], attitude[2], attitude[3]);
    double lowest_m = 0;
    int lowest = 0;
    for (int i = 0; i < p->contacts; i++) {
        const double z = quat_rotate(q, vec3_from_array(p->foot[i].position_m)).z;
        if (i > 0 && z <= lowest_m)
            continue;
        lowest_m = z;
        lowest = i;
    }
    const int first = lowest < p->feet ? 0 : p->feet;
    const int end = lowest < p->feet ? p->feet : p->contacts;
    double stiffness = 0;
    for (int i = first; i < end; i++)
        stiffness += p->foot[i].stiffness;
    const double sag_m = stiffness > 0 ? p->vehicle.mass_kg * p->vehicle.g_m_s2 / stiffness : 0;
    return sag_m - lowest_m - p->world.ground_m;
}

static void attitude_params(tac_declare *d, double attitude[4])
{
    size_t n;
    const double *a =
        tac_param_list(d,
                       TAC_PARAM("attitude", "rad", "[0, 0, 0]", NULL,
                                 "at t = 0: roll, pitch, yaw, or a quaternion w, x, y, z"),
                       4, &n);
    quat q = quat_make(1.0, 0.0, 0.0, 0.0);
    if (n == 3)
        q = quat_from_euler(a[0], a[1], a[2]);
    else if (n == 4)
        q = quat_make(a[0], a[1], a[2], a[3]);
    if ((n != 3 && n != 4) || !(quat_dot(q, q) > 0)) {
        (void)tac_declare_fail(d, "attitude", "expected three angles or a quaternion");
        q = quat_make(1.0, 0.0, 0.0, 0.0);
    }
    q = quat_normalise(q);
    memcpy(attitude, (double[]){q.w, q.x, q.y, q.z}, 4 * sizeof *attitude);
}

static void start_params(tac_declare *d, const tac__multirotor *p, double *x)
{
    attitude_params(d, x + TAC__X_ATTITUDE);
    size_t n;
    const double *position = tac_param_list(
        d,
        TAC_PARAM("position", "m", "[]", NULL,
                  "at t = 0: north, east, down; without down it stands on the ground"),
        3, &n);
    if (n == 1)
        (void)tac_declare_fail(d, "position", "expected north, east and perhaps down");
    memcpy(x + TAC__X_POSITION, position, n * sizeof *position);
    if (n < 3)
        x[TAC__X_POSITION + 2] = standing_m(p, x + TAC__X_ATTITUDE);
    tac_param_array(d,
                    TAC_PARAM("velocity", "m/s", "[0, 0, 0]", NULL, "at t = 0: north, east, down"),
                    x + TAC__X_VELOCITY, 3);
    tac_param_array(d, TAC_PARAM("rate", "rad/s", "[0, 0, 0]", NULL, "at t = 0, of the body"),
                    x + TAC__X_RATE, 3);
    const double rotor_rad_s = tac_param_f64(
        d, TAC_PARAM("rotor_speed", "rad/s", "0", "[0, inf)", "at t = 0, of all rotors"));
    const bool hover =
        tac_param_bool(d, TAC_PARAM("hover", NULL, "false", NULL,
                                    "at t = 0 rotors and actuators are as in hover"));
    const int rotors = p->vehicle.rotors;
    for (int i = 0; i < rotors; i++) {
        const tac__rotor *r = &p->vehicle.rotor[i];
        x[TAC__X_ROTOR + i] = hover ? r->hover_rad_s : rotor_rad_s;
        if (hover && p->vehicle.actuator.kind != TAC__ACTUATOR_DIRECT)
            x[TAC__X_ROTOR + rotors + i] = r->hover_duty;
    }
    for (int k = 0; k < p->batteries; k++)
        x[tac__multirotor_x_soc(p) + k] = p->battery[k].initial_soc;
}

static tac_status multirotor_init(tac_step *s, const void *self)
{
    const multirotor *c = self;
    memcpy(tac_jump(s), c->start, c->states * sizeof *c->start);
    return TAC_OK;
}

// --- ports ---------------------------------------------------------------------------------------

typedef struct port {
    const char *name, *unit, *doc;
} port;

static tac_type array_of(int count)
{
    return (tac_type)TAC_TYPE_ARRAY(TAC_F64, (uint32_t)count);
}

static void declare_inputs(tac_declare *d, const tac__multirotor *p)
{
    const tac_type vector = TAC_TYPE_VEC3;
    const tac_type motors = array_of(p->vehicle.rotors), batteries = array_of(p->batteries);
    // In the order of TAC__IN_...
    tac_declare_input(d, TAC_PORT(.name = "motor", .type = motors,
                                  .doc = "duty that each motor is to have, 0 to 1"));
    const struct {
        const char *name, *unit, *doc;
        const tac_type *type;
    } optional[] = {
        {"wind", "m/s", "velocity of the air: north, east, down", &vector},
        {"motor_hold", NULL, "fault: 1, and the motor does not hear its command", &motors},
        {"motor_duty", NULL, "fault: what it does instead", &motors},
        {"motor_loss", NULL, "fault: part of thrust and torque that is lost, 0 to 1", &motors},
        {"battery_open", NULL, "fault: 1, and the battery is disconnected", &batteries},
    };
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        tac_declare_input(d, TAC_PORT(.name = optional[i].name, .type = *optional[i].type,
                                      .unit = optional[i].unit, .doc = optional[i].doc,
                                      .flags = TAC_PORT_OPTIONAL));
}

static void declare_outputs(tac_declare *d, const tac__multirotor *p)
{
    const tac_type vector = TAC_TYPE_VEC3, single = TAC_TYPE_F64,
                   motors = array_of(p->vehicle.rotors);
    const tac_type batteries = array_of(p->batteries), buses = array_of(p->buses);
    const struct {
        const char *name, *unit, *doc;
        const tac_type *type;
        tac_role role;
    } rows[TAC__OUTS] = {
        [TAC__OUT_SPECIFIC_FORCE] = {"specific_force", "m/s^2",
                                     "acceleration but for gravity, in the body", &vector,
                                     TAC_ROLE_NONE},
        [TAC__OUT_THRUST] = {"thrust", "N", "of each rotor", &motors, TAC_ROLE_NONE},
        [TAC__OUT_MOTOR_CURRENT] = {"motor_current", "A", "through each motor", &motors,
                                    TAC_ROLE_NONE},
        [TAC__OUT_BATTERY_VOLTAGE] = {"battery.voltage", "V", "at its terminals", &batteries,
                                      TAC_ROLE_VOLTAGE},
        [TAC__OUT_BATTERY_CURRENT] = {"battery.current", "A", "out of each", &batteries,
                                      TAC_ROLE_NONE},
        [TAC__OUT_BATTERY_WARNING] = {"battery.warning", NULL,
                                      "0 none, 1 low, 2 critical, 3 emergency", &batteries,
                                      TAC_ROLE_NONE},
        [TAC__OUT_BUS_VOLTAGE] = {"bus.voltage", "V", "of each bus", &buses, TAC_ROLE_NONE},
        [TAC__OUT_BUS_RESIDUAL] = {"bus.residual", "A", "worst imbalance of a bus", &single,
                                   TAC_ROLE_NONE},
        [TAC__OUT_AIR_DENSITY] = {"air.density", "kg/m^3", "where the vehicle is", &single,
                                  TAC_ROLE_NONE},
        [TAC__OUT_AIR_TEMPERATURE] = {"air.temperature", "K", "where the vehicle is", &single,
                                      TAC_ROLE_NONE},
        [TAC__OUT_AIR_PRESSURE] = {"air.pressure", "Pa", "where the vehicle is", &single,
                                   TAC_ROLE_NONE},
        [TAC__OUT_FEET_DOWN] = {"feet_down", NULL, "how many feet touch the ground", &single,
                                TAC_ROLE_CONTACT},
        [TAC__OUT_HULL_DOWN] = {"hull_down", NULL, "how many points of the hull do", &single,
                                TAC_ROLE_HULL},
        [TAC__OUT_EULER] = {"euler", "rad", "roll, pitch, yaw", &vector, TAC_ROLE_NONE},
        [TAC__OUT_ANGULAR_ACCELERATION] = {"angular_acceleration", "rad/s^2",
                                           "of the body: the derivative of rate", &vector,
                                           TAC_ROLE_NONE},
    };
    for (int i = 0; i < TAC__OUTS; i++) {
        if ((i == TAC__OUT_EULER && !p->euler) ||
            (i == TAC__OUT_ANGULAR_ACCELERATION && !p->angular))
            continue;
        tac_declare_output(d, TAC_PORT(.name = rows[i].name, .type = *rows[i].type,
                                       .unit = rows[i].unit, .doc = rows[i].doc,
                                       .role = rows[i].role));
    }
}

static void declare_states(tac_declare *d, const tac__multirotor *p)
{
    const tac_type vector = TAC_TYPE_VEC3, quaternion = TAC_TYPE_QUAT;
    const tac_type motors = array_of(p->vehicle.rotors), batteries = array_of(p->batteries);
    const int actuators = (int)p->vehicle.actuator.kind;
    const struct {
        const char *name, *unit, *doc;
        const tac_type *type;
        double scale;
        tac_part part;
        bool there;
        tac_role role;
    } rows[] = {
        {"position", "m", "north, east, down", &vector, 1, TAC_PART_BODY, true, TAC_ROLE_POSITION},
        {"velocity", "m/s", "north, east, down", &vector, 1, TAC_PART_BODY, true,
         TAC_ROLE_VELOCITY},
        {"attitude", NULL, "body to NED", &quaternion, 1, TAC_PART_BODY, true, TAC_ROLE_ATTITUDE},
        {"rate", "rad/s", "of the body", &vector, 1, TAC_PART_BODY, true, TAC_ROLE_NONE},
        {"rotor_speed", "rad/s", "of each rotor", &motors, 100, TAC_PART_PROPULSION, true,
         TAC_ROLE_ROTOR_SPEED},
        {"actuator", NULL, "duty", &motors, 1, TAC_PART_ACTUATOR, actuators >= 1, TAC_ROLE_NONE},
        {"actuator_rate", "1/s", "of the duty", &motors, 1, TAC_PART_ACTUATOR, actuators >= 2,
         TAC_ROLE_NONE},
        {"battery.soc", NULL, "state of charge", &batteries, 1, TAC_PART_BATTERY, true,
         TAC_ROLE_SOC},
        {"battery.polarisation", "V", "voltage of the RC pair", &batteries, 1, TAC_PART_BATTERY,
         true, TAC_ROLE_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].there)
            tac_declare_continuous(d, TAC_PORT(.name = rows[i].name, .type = *rows[i].type,
                                               .unit = rows[i].unit, .doc = rows[i].doc,
                                               .scale = rows[i].scale, .part = rows[i].part,
                                               .role = rows[i].role));
    }
}

static void declare_events(tac_declare *d, const tac__multirotor *p)
{
    char name[24];
    for (int sinks = 0; sinks < 2; sinks++) {
        for (int i = 0; i < p->contacts; i++) {
            const bool foot = i < p->feet;
            snprintf(name, sizeof name, "%s%d%s", foot ? "foot" : "hull", foot ? i : i - p->feet,
                     sinks ? "_sinks" : "");
            tac_declare_event(d, name,
                              sinks ? "moves down on the ground, where its damper acts"
                                    : "touches the ground");
        }
    }
}

enum { STATES_MAX = TAC__X_ROTOR + 3 * TAC__ROTORS_MAX + 2 * TAC__BATTERIES_MAX };

static tac_status multirotor_declare(tac_declare *d, void *self)
{
    multirotor *c = self;
    tac__multirotor p;
    memset(&p, 0, sizeof p);
    tac__multirotor_params(d, &p);
    tac__multirotor_warn(d, &p);

    tac__multirotor_shape shape;
    tac__multirotor_shape_of(&p, &shape);
    c->kernels.shape = tac_declare_shared(d, &shape, sizeof shape);
    multirotor_numbers numbers;
    const size_t bytes = tac__multirotor_numbers_of(&p, &numbers);
    tac_declare_numbers(d, &numbers, bytes);

    double x[STATES_MAX] = {0};
    start_params(d, &p, x);
    c->states = (size_t)tac__multirotor_x_count(&p);
    c->start = tac_declare_shared(d, x, c->states * sizeof *x);
    declare_inputs(d, &p);
    declare_outputs(d, &p);
    declare_states(d, &p);
    declare_events(d, &p);
    return TAC_OK;
}

static bool multirotor_alike(const void *self, const void *other)
{
    const tac__multirotor_shape *a = ((const multirotor *)self)->kernels.shape;
    const tac__multirotor_shape *b = ((const multirotor *)other)->kernels.shape;
    return a == b || !memcmp(a, b, sizeof *a);
}

// --- kernels -------------------------------------------------------------------------------------

// With AVX2 operations have three operands: about 200 of 1,000 instructions, copies of registers,
// fall away, and the mission of the Iris takes 7 % less time (bench_mission, Zen 4).
static tac_status derive_best(const tac_eval *e, const void *self)
{
    return tac__machine_has_pack(4) ? tac__multirotor_derive_f64_avx2(e, self)
                                    : tac__multirotor_derive_f64(e, self);
}

static tac_status output_best(const tac_eval *e, const void *self)
{
    return tac__machine_has_pack(4) ? tac__multirotor_output_f64_avx2(e, self)
                                    : tac__multirotor_output_f64(e, self);
}

// Duals by parameters, eight derivatives in one register or in two.
static tac_status derive_duals(const tac_eval *e, const void *self)
{
    return tac__machine_has_pack(8)   ? tac__multirotor_derive_dualp_avx512(e, self)
           : tac__machine_has_pack(4) ? tac__multirotor_derive_dualp_avx2(e, self)
                                      : tac__multirotor_derive_dualp(e, self);
}

static tac_status output_duals(const tac_eval *e, const void *self)
{
    return tac__machine_has_pack(8)   ? tac__multirotor_output_dualp_avx512(e, self)
           : tac__machine_has_pack(4) ? tac__multirotor_output_dualp_avx2(e, self)
                                      : tac__multirotor_output_dualp(e, self);
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .output = tac__multirotor_output_##kind, .derive = tac__multirotor_derive_##kind,          \
        .detect = tac__multirotor_detect_##kind, .project = tac__multirotor_project_##kind         \
    }

const tac_component_type tac__multirotor_type = {
    TAC__TYPE("multirotor", "4", "a rigid body with rotors, motors, batteries, feet and a hull",
              TAC_COMPONENT_SHARED),
    .self_size = sizeof(multirotor),
    .declare = multirotor_declare,
    .numbers = tac__multirotor_numbers,
    .init = multirotor_init,
    .kernels = {[TAC_NUMBERS] = {.output = output_best,
                                 .derive = derive_best,
                                 .detect = tac__multirotor_detect_f64,
                                 .project = tac__multirotor_project_f64},
                [TAC_PACK2] = KERNELS(pack2),
                [TAC_PACK4] = KERNELS(pack4),
                [TAC_PACK8] = KERNELS(pack8),
                [TAC_DUALS] = KERNELS(dual),
                [TAC_DUALS_OF_ALL] = {.output = output_duals,
                                      .derive = derive_duals,
                                      .detect = tac__multirotor_detect_dualp,
                                      .project = tac__multirotor_project_dualp},
                [TAC_SYMBOLS] = KERNELS(sym)},
    .alike = multirotor_alike,
};
