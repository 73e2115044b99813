// params.given.h - reading, checking and completing the parameters of a multirotor, as numbers and
// as symbols.
#include "model/read_given.h"
#include "model/vehicle/params.h"
#include "model/spline.h"
#include "model/world/atmosphere.h"
#include "model/world/gravity.h"

#include <float.h>
#include <stddef.h>
#include <string.h>
#include <tactus/math.h>

#define PI         3.14159265358979323846
#define STANDARD_G 9.80665 // m/s^2: what a thrust-to-weight ratio refers to

// --- what is computed from parameters ------------------------------------------------------------

static real motor_ke(const tac__motor *m)
{
    return 60.0 / (2.0 * PI * m->kv_rpm_v);
}

real tac__thrust_coefficient(const tac__motor *m, real torque_ratio, real thrust_n, real voltage_v,
                             real density)
{
    // Kt (V - Ke W)/R = Q + b W with Q = torque_ratio T
    const real ke = motor_ke(m);
    const real torque = ke * voltage_v / m->resistance_ohm - torque_ratio * thrust_n;
    const real speed = torque / (ke * ke / m->resistance_ohm + m->friction);
    return given_value(speed) > 0.0 ? thrust_n / (density * speed * speed) : R(0.0);
}

static void prepare_motor(tac__motor *m)
{
    m->ke = motor_ke(m);
    m->per_ohm = 1.0 / m->resistance_ohm;
    m->per_inertia = 1.0 / m->inertia;
    m->ke_per_ohm = m->ke * m->per_ohm;
    m->per_efficiency = 1.0 / m->efficiency;
}

// The speed at which full duty settles in still air: Kt ((V - Ke W)/R - I0) = kQ rho W^2 + b W.
static real full_speed(const tac__rotor *r, real voltage_v, real density)
{
    const tac__motor *m = &r->motor;
    const real a = r->propeller.kq * density;
    const real b = m->ke * m->ke * m->per_ohm + m->friction;
    const real c = m->ke * (voltage_v * m->per_ohm - m->no_load_a);
    return given_value(c) > 0.0 ? 2.0 * c / (b + r_sqrt(b * b + 4.0 * a * c)) : R(0.0);
}

static void prepare_rotor(tac__rotor *r, const tac__vehicle *v, real hover_n)
{
    prepare_motor(&r->motor);
    const tac__motor *m = &r->motor;
    const vec3 axis = given_vec3(r->axis);
    const vec3 arm = vec3_cross(axis, given_vec3(r->position_m));
    r->arm[0] = arm.x;
    r->arm[1] = arm.y;
    r->arm[2] = arm.z;
    for (int i = 0; i < 3; i++)
        r->spin[i] = r->direction * r->axis[i];

    const real full = full_speed(r, v->voltage_v, v->density);
    r->full_thrust_n = r->propeller.kt * v->density * full * full;
    r->hover_rad_s = r_sqrt(hover_n / (r->propeller.kt * v->density));
    const real torque = r->propeller.kq / r->propeller.kt * hover_n + m->friction * r->hover_rad_s;
    const real current = torque / m->ke + m->no_load_a;
    r->hover_duty = (m->ke * r->hover_rad_s + m->resistance_ohm * current) / v->voltage_v;
}

void tac__vehicle_prepare(tac__vehicle *v)
{
    real upright = R(0.0);
    for (int i = 0; i < v->rotors; i++)
        upright += v->rotor[i].axis[2];
    const real hover_n = v->mass_kg * v->g_m_s2 / r_max(R(1e-3), upright);
    for (int i = 0; i < v->rotors; i++)
        prepare_rotor(&v->rotor[i], v, hover_n);
}

static void prepare_battery(const tac__multirotor *p, tac__battery *b)
{
    if (b->ideal) {
        b->points = 2;
        b->spline = false;
        b->soc[0] = R(0.0);
        b->soc[1] = R(1.0);
        b->ocv_v[1] = b->floor_v = b->ocv_v[0];
        b->r0_ohm = b->per_c1 = b->per_tau = b->per_capacity = R(0.0);
        b->weight = R(1.0);
        return;
    }
    int neighbours = 0;
    for (int k = 0; k < p->batteries; k++)
        neighbours += p->battery[k].bus == b->bus;
    // A battery that is alone on its bus carries the whole current, exactly.
    b->weight = neighbours == 1 || p->bus[b->bus].by_equals ? R(1.0) : 1.0 / b->r0_ohm;
    b->per_c1 = 1.0 / b->c1_f;
    b->per_tau = 1.0 / (b->r1_ohm * b->c1_f);
    b->per_capacity = 1.0 / b->capacity_as;
}

static void add_hull(tac__multirotor *p, const tac__foot *like, vec3 at)
{
    if (p->hull == TAC__HULL_MAX)
        return;
    tac__foot *f = &p->foot[p->feet + p->hull++];
    *f = *like;
    f->position_m[0] = at.x;
    f->position_m[1] = at.y;
    f->position_m[2] = at.z;
}

void tac__multirotor_set_hull(tac__multirotor *p, const tac__foot *like)
{
    p->hull = 0;
    for (int i = 0; i < p->vehicle.rotors; i++) {
        const tac__rotor *r = &p->vehicle.rotor[i];
        const vec3 hub = given_vec3(r->position_m), axis = given_vec3(r->axis);
        // Outwards from the middle, in the plane of the disc.
        vec3 out = vec3_sub(hub, vec3_scale(vec3_dot(hub, axis), axis));
        const bool outside = given_value(vec3_norm(out)) > 0.1 * given_value(r->propeller.radius_m);
        if (!outside) // any direction in that plane
            out = vec3_cross(axis, tac_fabs(given_value(axis.y)) < 0.9
                                       ? vec3_make(R(0.0), R(1.0), R(0.0))
                                       : vec3_make(R(0.0), R(0.0), R(1.0)));
        const vec3 rim = vec3_scale(r->propeller.radius_m / vec3_norm(out), out);
        const vec3 side = vec3_cross(axis, rim);
        add_hull(p, like, vec3_add(hub, rim));
        if (outside && p->vehicle.rotors >= 3)
            continue;
        add_hull(p, like, vec3_add(hub, side));
        add_hull(p, like, vec3_sub(hub, rim));
        add_hull(p, like, vec3_sub(hub, side));
    }
    bool above = false;
    for (int i = 0; i < p->feet + p->hull; i++)
        above |= given_value(p->foot[i].position_m[2]) <= 0.0;
    if (!above)
        add_hull(p, like, vec3_make(R(0.0), R(0.0), R(0.0)));
}

void tac__multirotor_prepare(tac__multirotor *p)
{
    tac__vehicle_prepare(&p->vehicle);
    p->upright = true;
    for (int i = 0; i < p->vehicle.rotors; i++)
        p->upright &= given_value(p->vehicle.rotor[i].axis[2]) == 1.0;
    p->per_mass = 1.0 / p->vehicle.mass_kg;
    const mat3 inverse = mat3_inverse(given_mat3(p->vehicle.inertia));
    memcpy((void *)p->per_inertia, inverse.m, sizeof p->per_inertia);
    tac__actuator *a = &p->vehicle.actuator;
    a->per_tau = 1.0 / a->tau_s;
    a->pull = a->omega_rad_s / (2.0 * a->zeta);
    a->damping_s = 2.0 * a->zeta * a->omega_rad_s;
    for (int k = 0; k < p->batteries; k++)
        prepare_battery(p, &p->battery[k]);
    p->contacts = p->feet + p->hull;
    p->reach_m = R(0.0);
    for (int i = 0; i < p->contacts; i++) {
        tac__foot *f = &p->foot[i];
        f->smoothing2 = f->smoothing_m_s * f->smoothing_m_s;
        // 1 % more, because a quaternion inside a step is not exactly of unit length.
        p->reach_m = r_max(p->reach_m, 1.01 * vec3_norm(given_vec3(f->position_m)));
    }
}

// --- reading -------------------------------------------------------------------------------------

// A number whose default has been read before.
static real number_or(tac_declare *d, const char *name, const char *unit, real fallback,
                      const char *range, const char *doc)
{
    return given_number_or(d, given_def(name, unit, NULL, range, doc, 0), fallback);
}

// Defaults are those of the Iris: docs/models/propulsion.md.
static void default_motor(tac__motor *m)
{
    memset((void *)m, 0, sizeof *m);
    m->kv_rpm_v = R(850.0);
    m->resistance_ohm = R(0.2);
    m->no_load_a = R(0.5);
    m->max_a = R(20.0);
    m->friction = R(2e-6);
    m->inertia = R(4e-5);
    m->efficiency = R(0.98);
}

static void motor_params(tac_declare *d, tac__motor *m)
{
    m->kv_rpm_v = number_or(d, "kv", "rpm/V", m->kv_rpm_v, "(0, inf)", "speed constant");
    m->resistance_ohm =
        number_or(d, "resistance", "Ohm", m->resistance_ohm, "(0, inf)", "of the windings");
    m->inertia = number_or(d, "inertia", "kg*m^2", m->inertia, "(0, inf)", "of all that turns");
    m->no_load_a = number_or(d, "no_load_current", "A", m->no_load_a, "[0, inf)",
                             "current that gives no torque");
    m->friction = number_or(d, "friction", "N*m*s/rad", m->friction, "[0, inf)", "viscous");
    m->max_a = number_or(d, "max_current", "A", m->max_a, "(0, inf)", "limit of the controller");
    m->efficiency =
        number_or(d, "esc_efficiency", NULL, m->efficiency, "(0, 1]", "of the speed controller");
}

// As configured: kT may be left to the calibration; kQ follows from it.
typedef struct propeller {
    given_real radius_m, inflow, torque_ratio_m, kt;
} propeller;

static void propeller_params(tac_declare *d, propeller *p)
{
    p->radius_m = number_or(d, "radius", "m", p->radius_m, "(0, inf)", "of the disc");
    p->inflow = number_or(d, "inflow", NULL, p->inflow, "[0, inf)",
                          "loss by axial inflow: f = 1/(1 + inflow mu^2)");
    p->torque_ratio_m = number_or(d, "torque_ratio", "m", p->torque_ratio_m, "[0, inf)",
                                  "torque over thrust, kQ/kT");
    p->kt = number_or(d, "thrust_coefficient", "N*s^2*m^3/kg/rad^2", p->kt, "[0, inf)",
                      "kT in T = kT rho W^2; 0: by calibration");
}

typedef struct calibration {
    given_real thrust_to_weight, voltage_v, density;
} calibration;

static calibration calibration_params(tac_declare *d)
{
    calibration c;
    given_begin(d, "calibration",
                "thrust of the whole vehicle in still air, from which kT follows");
    c.thrust_to_weight =
        given_number(d, "thrust_to_weight", NULL, "2.736", "(0, inf)", "at full duty");
    c.voltage_v = given_number(d, "voltage", "V", "12", "(0, inf)", "nominal, of the bus");
    c.density = given_number(d, "density", "kg/m^3", "1.225", "(0, inf)", "of the air");
    tac_param_end(d);
    return c;
}

static void inertia_params(tac_declare *d, given_real inertia[9])
{
    given_real list[9];
    double value[9];
    const tac_param_def p =
        given_def("inertia", "kg*m^2", NULL, NULL,
                  "[xx, yy, zz], [xx, yy, zz, xy, xz, yz] or 9 numbers row by row", 0);
    const size_t count = given_list(d, &p, list, 9);
    for (int i = 0; i < 9; i++)
        inertia[i] = count == 9 ? list[i] : R(0.0);
    for (size_t i = 0; i < 3 && i < count && count != 9; i++)
        inertia[4 * i] = list[i];
    if (count == 6) {
        inertia[1] = inertia[3] = list[3];
        inertia[2] = inertia[6] = list[4];
        inertia[5] = inertia[7] = list[5];
    } else if (count != 3 && count != 9) {
        (void)tac_declare_fail(d, "inertia", "expected 3, 6 or 9 numbers, found %zu", count);
    }
    for (int i = 0; i < 9; i++)
        value[i] = given_value(inertia[i]);
    if (value[1] != value[3] || value[2] != value[6] || value[5] != value[7])
        (void)tac_declare_fail(d, "inertia", "the tensor must be symmetric");
    const double minor = value[0] * value[4] - value[1] * value[3];
    const real det = mat3_det(given_mat3(inertia));
    if (!(value[0] > 0 && minor > 0 && given_value(det) > 0))
        (void)tac_declare_fail(d, "inertia", "the tensor must be positive definite");
}

static void geometry_params(tac_declare *d, tac__rotor *r)
{
    const tac_param_def position =
        given_def("position", "m", NULL, NULL, "forward, right, down of the origin", 0);
    const tac_param_def axis =
        given_def("axis", NULL, "[0, 0, 1]", NULL, "of rotation; thrust acts against it", 0);
    given_array(d, &position, r->position_m, 3);
    given_array(d, &axis, r->axis, 3);
    r->direction = given_number(d, "direction", NULL, NULL, "[-1, 1]",
                                "of the reaction torque on the body about the axis: 1 or -1");
    if (given_value(r->direction) != 1 && given_value(r->direction) != -1)
        (void)tac_declare_fail(d, "direction", "must be 1 or -1");
    const real length = vec3_norm(given_vec3(r->axis));
    const bool turns = given_value(length) > 0;
    if (!turns)
        (void)tac_declare_fail(d, "axis", "must not be zero");
    for (int i = 0; i < 3; i++)
        r->axis[i] = turns ? r->axis[i] / length : R(i == 2);
}

static void rotor_params(tac_declare *d, const tac__motor *motor, const propeller *common,
                         tac__rotor *r, propeller *own)
{
    geometry_params(d, r);
    r->motor = *motor;
    *own = *common;
    if (given_items(d, "motor", "[]", "what is different about this one", 1)) {
        tac_param_begin(d, "motor", 0);
        motor_params(d, &r->motor);
        tac_param_end(d);
    }
    if (given_items(d, "propeller", "[]", "what is different about this one", 1)) {
        tac_param_begin(d, "propeller", 0);
        propeller_params(d, own);
        tac_param_end(d);
    }
}

static void set_propeller(tac_declare *d, const tac__vehicle *v, const calibration *c,
                          const propeller *own, tac__rotor *r)
{
    const real thrust_n = c->thrust_to_weight * v->mass_kg * STANDARD_G / (double)v->rotors;
    real kt = own->kt;
    if (given_value(kt) == 0)
        kt = tac__thrust_coefficient(&r->motor, own->torque_ratio_m, thrust_n, c->voltage_v,
                                     c->density);
    if (!(given_value(kt) > 0))
        (void)tac_declare_fail(d, "calibration",
                               "a motor cannot turn a propeller of torque_ratio %g m at %g V hard "
                               "enough for %g N; give propeller.thrust_coefficient",
                               given_value(own->torque_ratio_m), given_value(c->voltage_v),
                               given_value(thrust_n));
    r->propeller.kt = kt;
    r->propeller.kq = own->torque_ratio_m * kt;
    r->propeller.radius_m = own->radius_m;
    r->propeller.inflow = own->inflow;
}

static void vehicle_params(tac_declare *d, tac__vehicle *v)
{
    v->mass_kg = given_number(d, "mass", "kg", NULL, "(0, inf)", "of the whole vehicle");
    inertia_params(d, v->inertia);

    tac__motor motor;
    default_motor(&motor);
    given_begin(d, "motor", "all motors");
    motor_params(d, &motor);
    tac_param_end(d);
    propeller common = {R(0.127), R(8.0), R(0.0163), R(0.0)}, own[TAC__ROTORS_MAX];
    given_begin(d, "propeller", "all propellers");
    propeller_params(d, &common);
    tac_param_end(d);
    const calibration c = calibration_params(d);

    v->rotors = (int)given_items(d, "rotors", NULL, "1 to 16", TAC__ROTORS_MAX);
    for (int i = 0; i < v->rotors; i++) {
        tac_param_begin(d, "rotors", (size_t)i);
        rotor_params(d, &motor, &common, &v->rotor[i], &own[i]);
        tac_param_end(d);
    }
    if (v->rotors == 0) {
        (void)tac_declare_fail(d, "rotors", "a multirotor has at least one rotor");
        v->rotors = 1;
        v->rotor[0].motor = motor;
        own[0] = common;
    }
    for (int i = 0; i < v->rotors; i++)
        set_propeller(d, v, &c, &own[i], &v->rotor[i]);

    const tac_world *world = tac_declare_world(d);
    real temperature, pressure;
    atmosphere_at(R(world->altitude_m), &v->density, &temperature, &pressure);
    v->g_m_s2 = gravity_at(world->gravity, R(world->g_m_s2), R(world->altitude_m),
                           vec3_make(R(0.0), R(0.0), R(0.0)))
                    .z;
    v->voltage_v = c.voltage_v;
    tac__vehicle_prepare(v);
}

// --- actuators, batteries, buses, feet -----------------------------------------------------------

static void actuator_params(tac_declare *d, tac__actuator *a)
{
    static const char *const kinds[] = {"direct", "first_order", "second_order", NULL};
    given_begin(d, "actuator", "between command and duty");
    a->kind = (tac__actuator_kind)given_choice(d, "kind", "direct",
                                               "how a motor's duty follows its command", kinds);
    a->tau_s = given_tunable(d, "tau", "s", "0.02", "(0, inf)", "first order: time constant");
    a->omega_rad_s =
        given_tunable(d, "omega", "rad/s", "100", "(0, inf)", "second order: natural frequency");
    a->zeta = given_tunable(d, "zeta", NULL, "0.8", "(0, inf)", "second order: damping ratio");
    a->rate = given_tunable(d, "rate_limit", "1/s", "0", "[0, inf)",
                            "second order: greatest change of duty a second; 0: none");
    if (given_value(a->rate) == 0)
        a->rate = R(DBL_MAX);
    tac_param_end(d);
}

// Open-circuit voltage of one Li-ion or LiPo cell, in hundredths of a volt; docs/models/power.md.
#define CELL_SOC "[0, 0.05, 0.2, 0.5, 0.8, 1]"
static const int cell_cv[] = {300, 335, 365, 380, 400, 420};
enum { CELL_POINTS = sizeof cell_cv / sizeof *cell_cv };

// How many cells are in series; 0: the parameters are those of the whole battery.
static int cells_param(tac_declare *d)
{
    const tac_param_def p = given_def("cells", NULL, "0", "[0, 1000]",
                                      "Li-ion or LiPo cells in series: ocv by their table, and "
                                      "defaults of voltage, r0, r1, c1 and "
                                      "floor for so many; 0: ocv is given",
                                      0);
    const int cells = (int)tac_param_int(d, &p);
    static const char *const own[] = {"ocv_soc", "ocv"};
    for (size_t i = 0; i < 2 && cells; i++) {
        if (tac_param_node(d, own[i]))
            (void)tac_declare_fail(d, own[i],
                                   "expected 'cells' or '%s', not both; '%s: ~' removes what an "
                                   "extended file gives",
                                   own[i], own[i]);
    }
    return cells;
}

static void ocv_params(tac_declare *d, tac__battery *b, int cells)
{
    char of_cells[CELL_POINTS * 16] = "";
    tac__out out = tac__out_begin(of_cells, sizeof of_cells);
    for (int i = 0; i < CELL_POINTS; i++) {
        const int cv = cells * cell_cv[i];
        tac__out_add(&out, "%s%d.%02d", i ? ", " : "[", cv / 100, cv % 100);
    }
    tac__out_add(&out, "]");
    const tac_param_def soc_def = given_def("ocv_soc", NULL, cells ? CELL_SOC : "[0, 1]", "[0, 1]",
                                            "states of charge, rising", 0);
    const tac_param_def ocv_def = given_def("ocv", "V", cells ? of_cells : "[10.8, 12.6]",
                                            "(0, inf)", "open-circuit voltage at each", 0);
    size_t points = given_list(d, &soc_def, b->soc, TAC__OCV_MAX);
    const size_t voltages = given_list(d, &ocv_def, b->ocv_v, TAC__OCV_MAX);
    b->spline = tac__param_spline(d, "ocv_interpolation");
    if (points < 2 || points != voltages) {
        (void)tac_declare_fail(d, "ocv",
                               "needs one voltage for each of at least two states of charge; there "
                               "are %zu and %zu",
                               voltages, points);
        points = 0;
    }
    bool rises = points > 0;
    for (size_t i = 1; i < points; i++) {
        if (!(given_value(b->soc[i]) > given_value(b->soc[i - 1]))) {
            (void)tac_declare_fail(d, "ocv_soc", "must rise");
            rises = false;
        }
    }
    b->points = (int)points;
    double soc[TAC__OCV_MAX], ocv[TAC__OCV_MAX], bend[2 * TAC__OCV_MAX];
    for (size_t i = 0; i < points; i++) {
        soc[i] = given_value(b->soc[i]);
        ocv[i] = given_value(b->ocv_v[i]);
    }
    const tac__spline_def curve = {"ocv_soc", "ocv", points, soc, ocv, 0.0, true};
    b->spline = b->spline && rises && tac__declare_spline(d, &curve, bend) == TAC_OK;
}

// A positive number whose default follows from the number of cells.
static real scaled_number(tac_declare *d, const char *name, const char *unit, uint32_t flags,
                          const char *doc, double fallback)
{
    return given_number_or(d, given_def(name, unit, NULL, "(0, inf)", doc, flags), R(fallback));
}

static void battery_params(tac_declare *d, tac__battery *b)
{
    static const char *const kinds[] = {"thevenin", "ideal", NULL};
    b->ideal = given_choice(d, "kind", "thevenin", "ideal: constant voltage and charge", kinds);
    const int cells = cells_param(d);
    const double n = cells / 3.0; // the defaults are those of three cells
    const real ideal_v =
        scaled_number(d, "voltage", "V", 0, "of an ideal battery", cells ? 3.7 * cells : 12);
    ocv_params(d, b, cells);
    if (b->ideal)
        b->ocv_v[0] = ideal_v;
    b->r0_ohm = scaled_number(d, "r0", "Ohm", TAC_PARAM_TUNABLE, "series resistance",
                              cells ? 0.02 * n : 0.02);
    b->r1_ohm = scaled_number(d, "r1", "Ohm", TAC_PARAM_TUNABLE, "resistance of polarisation",
                              cells ? 0.01 * n : 0.01);
    b->c1_f = scaled_number(d, "c1", "F", TAC_PARAM_TUNABLE, "capacitance of polarisation",
                            cells ? 2000 / n : 2000);
    b->capacity_as = given_number(d, "capacity", "C", "5 Ah", "(0, inf)", "charge when full");
    b->floor_v = scaled_number(d, "floor", "V", TAC_PARAM_TUNABLE, "the voltage falls no further",
                               cells ? 2.75 * cells : 9.9);
    b->initial_soc = given_number(d, "soc", NULL, "1", "[0, 1]", "state of charge at t = 0");
    const tac_param_def warnings =
        given_def("warnings", NULL, "[0.15, 0.10, 0.05]", "[0, 1]",
                  "states of charge below which battery.warning is 1, 2, 3", TAC_PARAM_TUNABLE);
    given_array(d, &warnings, b->warning, TAC__WARNINGS);
}

// Put the motors or batteries of a list on a bus. Numbers count from 1, as in scenarios; bus_of[]
// is -1 for what is on no bus yet. A single bus without a list has all.
static void connect(tac_declare *d, const char *list, int bus, bool alone, int count, int *bus_of)
{
    const tac_param_def p =
        given_def(list, NULL, "[]", "[1, 16]", "on this bus, from 1; a single bus has all", 0);
    size_t n;
    const double *named = tac_param_list(d, &p, TAC__ROTORS_MAX, &n);
    for (int i = 0; alone && n == 0 && i < count; i++)
        bus_of[i] = bus;
    for (size_t k = 0; k < n; k++) {
        const int i = (int)named[k] - 1;
        if (i + 1 != named[k] || i >= count)
            (void)tac_declare_fail(d, list, "there is no number %g; %s are 1 to %d", named[k], list,
                                   count);
        else if (bus_of[i] >= 0)
            (void)tac_declare_fail(d, list, "number %d of %s is on bus %d already", i + 1, list,
                                   bus_of[i] + 1);
        else
            bus_of[i] = bus;
    }
}

static void check_connected(tac_declare *d, const char *what, int count, int *bus_of)
{
    for (int i = 0; i < count; i++) {
        if (bus_of[i] >= 0)
            continue;
        (void)tac_declare_fail(d, "buses", "%s %d is on no bus", what, i + 1);
        bus_of[i] = 0;
    }
}

// If batteries can carry the load at the floor voltage, the equation for the bus voltage has one
// solution only; otherwise the parameters are refused.
static void check_bus(tac_declare *d, const tac__multirotor *p, int bus)
{
    int kinds[2] = {0, 0};
    double r0_ohm = 0, floor_v = DBL_MAX;
    for (int k = 0; k < p->batteries; k++) {
        const tac__battery *b = &p->battery[k];
        if (b->bus != bus)
            continue;
        kinds[b->ideal]++;
        r0_ohm = b->ideal ? r0_ohm : tac_max(r0_ohm, given_value(b->r0_ohm));
        floor_v = b->ideal ? floor_v : tac_min(floor_v, given_value(b->floor_v));
    }
    if (!kinds[0] && !kinds[1])
        tac_declare_doubt(d, "bus-unpowered", "buses",
                          "bus %d has no battery: what is on it has no power", bus + 1);
    if (kinds[0] && kinds[1])
        (void)tac_declare_fail(d, "buses", "bus %d has ideal and other batteries", bus + 1);
    const double load_w = given_value(p->bus[bus].load_w);
    if (kinds[0] && !(load_w * r0_ohm < floor_v * floor_v))
        (void)tac_declare_fail(d, "buses",
                               "bus %d: batteries of %g Ohm cannot carry a load of %g W at %g V",
                               bus + 1, r0_ohm, load_w, floor_v);
}

// Returns how many buses there are.
static int bus_params(tac_declare *d, tac__vehicle *v, int batteries, tac__bus *bus,
                      int battery_bus[TAC__BATTERIES_MAX])
{
    static const char *const shares[] = {"resistance", "equal", NULL};
    int motor_bus[TAC__ROTORS_MAX];
    for (int i = 0; i < TAC__ROTORS_MAX; i++)
        motor_bus[i] = -1;
    for (int k = 0; k < TAC__BATTERIES_MAX; k++)
        battery_bus[k] = -1;
    const int buses = (int)given_items(d, "buses", "{}", "of the power network", TAC__BUSES_MAX);
    for (int b = 0; b < buses; b++) {
        tac_param_begin(d, "buses", (size_t)b);
        connect(d, "motors", b, buses == 1, v->rotors, motor_bus);
        connect(d, "batteries", b, buses == 1, batteries, battery_bus);
        bus[b].load_w = given_tunable(d, "load", "W", "0", "[0, inf)", "power of the avionics");
        bus[b].by_equals =
            given_choice(d, "share", "resistance",
                         "batteries divide the current by 1/R0, or equally", shares) == 1;
        tac_param_end(d);
    }
    check_connected(d, "motor", v->rotors, motor_bus);
    check_connected(d, "battery", batteries, battery_bus);
    for (int i = 0; i < v->rotors; i++)
        v->rotor[i].bus = motor_bus[i];
    return buses;
}

static void ground_params(tac_declare *d, tac__foot *f)
{
    f->stiffness = number_or(d, "stiffness", "N/m", f->stiffness, "(0, inf)", "of one foot");
    f->damping = number_or(d, "damping", "N*s/m", f->damping, "[0, inf)",
                           "of one foot, while it moves down");
    f->friction = number_or(d, "friction", NULL, f->friction, "[0, inf)", "coefficient");
    f->smoothing_m_s = number_or(d, "smoothing", "m/s", f->smoothing_m_s, "(0, inf)",
                                 "friction fades below this speed: v/sqrt(v^2 + smoothing^2)");
}

// Points of the hull come after all feet.
static void add_contact(tac_declare *d, tac__multirotor *p, bool hull, const tac__foot *foot)
{
    int *count = hull ? &p->hull : &p->feet;
    const int most = hull ? TAC__HULL_MAX : TAC__FEET_MAX;
    if (*count == most) {
        (void)tac_declare_fail(d, NULL, "there are more than %d %s", most,
                               hull ? "points of the hull" : "feet");
        return;
    }
    p->foot[p->feet + p->hull] = *foot;
    ++*count;
}

// One foot or point of the hull at a position, or several on a circle.
static void contact_params(tac_declare *d, tac__multirotor *p, bool hull, tac__foot foot)
{
    const tac_param_def at =
        given_def("position", "m", "[]", NULL, "forward, right, down of the origin", 0);
    const tac_param_def points =
        given_def("count", NULL, "4", "[1, 8]", "points on that circle, from front right", 0);
    given_real position[3];
    const size_t n = given_list(d, &at, position, 3);
    const real radius_m =
        given_number(d, "radius", "m", "0", "[0, inf)", "or: of a circle of such points");
    const real height_m =
        given_number(d, "height", "m", "0", NULL, "of the origin above that circle");
    const int64_t count = tac_param_int(d, &points);
    ground_params(d, &foot);
    if (n == 3) {
        memcpy((void *)foot.position_m, position, sizeof foot.position_m);
        add_contact(d, p, hull, &foot);
        return;
    }
    if (n != 0 || given_value(radius_m) == 0) {
        (void)tac_declare_fail(d, n ? "position" : NULL,
                               "a foot or point of the hull has a position of three numbers, or "
                               "several have a radius");
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        double sine, cosine;
        tac_sincos(2.0 * PI * ((double)i + 0.5) / (double)count, &sine, &cosine);
        foot.position_m[0] = radius_m * cosine;
        foot.position_m[1] = radius_m * sine;
        foot.position_m[2] = height_m;
        add_contact(d, p, hull, &foot);
    }
}

static void feet_params(tac_declare *d, tac__multirotor *p)
{
    tac__foot ground;
    memset((void *)&ground, 0, sizeof ground);
    ground.stiffness = R(5000.0);
    ground.damping = R(600.0);
    ground.friction = R(0.8);
    ground.smoothing_m_s = R(0.05);
    given_begin(d, "ground", "contact of all feet and of the hull");
    ground_params(d, &ground);
    tac_param_end(d);
    static const struct {
        const char *name, *doc;
        size_t most;
    } lists[] = {{"feet", "what it stands on", TAC__FEET_MAX},
                 {"hull",
                  "what else may touch the ground; by default the rims of the propellers, [] for "
                  "nothing",
                  TAC__HULL_MAX}};
    p->feet = p->hull = 0;
    tac__foot frame = ground; // farther out than feet: their damping would make it too stiff
    frame.damping *= 0.25;
    for (int hull = 0; hull < 2; hull++) {
        const size_t items =
            given_items(d, lists[hull].name, "[]", lists[hull].doc, lists[hull].most);
        for (size_t i = 0; i < items; i++) {
            tac_param_begin(d, lists[hull].name, i);
            contact_params(d, p, hull, hull ? frame : ground);
            tac_param_end(d);
        }
    }
    if (!tac_param_node(d, "hull"))
        tac__multirotor_set_hull(p, &frame);
}

static int count_batteries(tac_declare *d)
{
    const int batteries = (int)given_items(d, "batteries", "{}", "1 to 8", TAC__BATTERIES_MAX);
    if (batteries == 0)
        (void)tac_declare_fail(d, "batteries", "a multirotor has at least one battery");
    return batteries;
}

// --- everything ----------------------------------------------------------------------------------

void tac__vehicle_params(tac_declare *d, tac__vehicle *v)
{
    tac__bus bus[TAC__BUSES_MAX];
    int battery_bus[TAC__BATTERIES_MAX];
    vehicle_params(d, v);
    actuator_params(d, &v->actuator);
    bus_params(d, v, count_batteries(d), bus, battery_bus);
}

void tac__multirotor_params(tac_declare *d, tac__multirotor *p)
{
    p->world = *tac_declare_world(d);
    vehicle_params(d, &p->vehicle);
    p->drag = given_tunable(d, "drag", "N*s/m", "0.05", "[0, inf)",
                            "force against the velocity in the air");
    const tac_param_def damping =
        given_def("damping", "N*m*s/rad", "[0.02, 0.02, 0.01]", "[0, inf)",
                  "torque against the body rate", TAC_PARAM_TUNABLE);
    const tac_param_def euler = given_def(
        "euler", NULL, "true", NULL, "have the output euler, which costs more than all others", 0);
    given_array(d, &damping, p->damping, 3);
    p->euler = tac_param_bool(d, &euler);
    const tac_param_def angular = given_def("angular_acceleration", NULL, "false", NULL,
                                            "have the output angular_acceleration", 0);
    p->angular = tac_param_bool(d, &angular);
    actuator_params(d, &p->vehicle.actuator);

    p->batteries = count_batteries(d);
    for (int k = 0; k < p->batteries; k++) {
        tac_param_begin(d, "batteries", (size_t)k);
        battery_params(d, &p->battery[k]);
        tac_param_end(d);
    }
    int battery_bus[TAC__BATTERIES_MAX];
    p->buses = bus_params(d, &p->vehicle, p->batteries, p->bus, battery_bus);
    for (int k = 0; k < p->batteries; k++)
        p->battery[k].bus = battery_bus[k];
    for (int b = 0; b < p->buses; b++)
        check_bus(d, p, b);

    feet_params(d, p);
    tac__multirotor_prepare(p);
}
