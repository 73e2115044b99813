// Motor, mass properties, air and parachute of a rocket against closed forms and sums made another
// way. Their kernels are called directly.
#include "support/test.h"

#define TAC_KIND_F64
#include "math/inputs.h"
#include "math/mat3.h"
#include "model/rocket/aero.h"
#include "model/rocket/mass.h"
#include "model/rocket/motor.h"
#include "model/rocket/parachute.h"

#include <stdio.h>
#include <string.h>
#include <tactus/math.h>

static void near(double got, double expected, double tolerance, const char *what)
{
    if (!(tac_fabs(got - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g to within %g", what, got, expected, tolerance);
}

// --- motor ---------------------------------------------------------------------------------------

typedef struct motor_rig {
    tac__rocket_motor p;
    tac__rocket_motor_shape shape;
    double throttle, pressure, mode;
    double thrust, flow, force[3], moment[3], spool;
    double x[TAC__MOTOR_STATES];
} motor_rig;

static motor_rig m;

static void motor_set(void)
{
    m = (motor_rig){.p = {.thrust_n = 50000,
                          .flow = 20,
                          .loss = 0.1,
                          .fuel_kg = 100,
                          .direction = {0.8, 0, 0.6},
                          .moment = {1, 2, 3}},
                    .shape = {.points = 3, .at = {0, 0.5, 1}, .part = {1.2, 1, 0.6}},
                    .throttle = 1,
                    .mode = 1,
                    .x = {100, 0, 0}};
}

static void motor_eval(double *dx)
{
    const void *in[TAC__MOTOR_INS] = {&m.throttle, &m.pressure};
    void *out[TAC__MOTOR_OUTS] = {&m.thrust, &m.flow, m.force, m.moment, &m.spool};
    const tac_eval e = {
        .in = in, .out = out, .x = m.x, .dx = dx, .mode = &m.mode, .p = (double *)&m.p};
    assert_int_equal(tac__rocket_motor_output_f64(&e, &m.shape), TAC_OK);
    assert_int_equal(tac__rocket_motor_derive_f64(&e, &m.shape), TAC_OK);
}

static void test_motor_thrust(void **state)
{
    (void)state;
    double dx[TAC__MOTOR_STATES];
    motor_set();
    motor_eval(dx);
    near(m.thrust, 60000, 1e-9, "thrust at the start");
    near(m.spool, 1, 0, "spool, without a lag");
    near(m.flow, 24, 1e-12, "flow");
    near(dx[TAC__MOTOR_FUEL], -24, 1e-12, "fuel");
    near(dx[TAC__MOTOR_BURNT], 1, 0, "time");
    near(m.force[0], 48000, 1e-9, "force");
    near(m.force[2], 36000, 1e-9, "force");
    near(m.moment[1], 120000, 1e-9, "moment");
    m.x[TAC__MOTOR_FUEL] = 25; // three quarters burnt: halfway from 1 to 0.6
    m.pressure = 101325;
    motor_eval(dx);
    near(m.thrust, 50000 * 0.8 * 0.9, 1e-9, "thrust at sea level");
    near(m.flow, 16, 1e-12, "flow, which the pressure does not change");
    m.shape.by_time = true;
    m.x[TAC__MOTOR_BURNT] = 0.25;
    motor_eval(dx);
    near(m.flow, 22, 1e-12, "flow by time");
    m.mode = 0;
    motor_eval(dx);
    assert_true(m.thrust == 0 && m.flow == 0 && dx[TAC__MOTOR_FUEL] == 0);
    assert_true(dx[TAC__MOTOR_BURNT] == 0);
    m.mode = 1;
    m.throttle = 0;
    motor_eval(dx);
    assert_true(m.thrust == 0 && dx[TAC__MOTOR_BURNT] == 0);
    m.throttle = 7; // no more than all
    motor_eval(dx);
    near(m.flow, 22, 1e-12, "flow");
    near(m.spool, 1, 0, "spool");
}

// The spool follows as a first-order lag; thrust and flow are in proportion to it.
static void test_motor_spool(void **state)
{
    (void)state;
    motor_set();
    m.p.tau_s = 0.2;
    m.shape.spools = true;
    m.shape.part[0] = m.shape.part[1] = m.shape.part[2] = 1;
    double dx[TAC__MOTOR_STATES], middle[TAC__MOTOR_STATES];
    const double h = 1e-4;
    for (int i = 0; i < 10000; i++) { // the midpoint rule
        motor_eval(dx);
        double kept[TAC__MOTOR_STATES];
        memcpy(kept, m.x, sizeof kept);
        for (int k = 0; k < TAC__MOTOR_STATES; k++)
            m.x[k] += 0.5 * h * dx[k];
        motor_eval(middle);
        for (int k = 0; k < TAC__MOTOR_STATES; k++)
            m.x[k] = kept[k] + h * middle[k];
    }
    motor_eval(dx);
    const double gone = tac_exp(-1 / 0.2);
    near(m.x[TAC__MOTOR_LAG], 1 - gone, 1e-8, "lag");
    near(m.spool, 1 - gone, 1e-8, "spool");
    near(m.thrust, 50000 * (1 - gone), 1e-3, "thrust");
    near(100 - m.x[TAC__MOTOR_FUEL], 20 * (1 - 0.2 * (1 - gone)), 1e-6, "burnt");
}

// --- mass ----------------------------------------------------------------------------------------

typedef struct mass_rig {
    tac__rocket_stage p[2];
    tac__rocket_mass_shape shape;
    double fuel[2], flow[2], attached[2];
    double mass, com[3], inertia[6], jet[6], stream[3];
} mass_rig;

static void mass_eval(mass_rig *c)
{
    const void *in[2 * TAC__MASS_INS];
    for (int i = 0; i < 2; i++) {
        in[i * TAC__MASS_INS + TAC__MASS_IN_FUEL] = &c->fuel[i];
        in[i * TAC__MASS_INS + TAC__MASS_IN_FLOW] = &c->flow[i];
        in[i * TAC__MASS_INS + TAC__MASS_IN_ATTACHED] = &c->attached[i];
    }
    void *out[TAC__MASS_OUTS] = {&c->mass, c->com, c->inertia, c->jet, c->stream};
    const tac_eval e = {.in = in, .out = out, .p = (const double *)c->p};
    assert_int_equal(tac__rocket_mass_output_f64(&e, &c->shape), TAC_OK);
}

static mass_rig stages(void)
{
    mass_rig c = {.shape = {.stages = 2, .settled = {true, false}},
                  .fuel = {300, 120},
                  .flow = {25, 8},
                  .attached = {1, 1}};
    c.p[0] = (tac__rocket_stage){.dry_kg = 150,
                                 .com_m = {1.5, 0.02, -0.01},
                                 .inertia = {5, 90, 95, 1, -2, 0.5},
                                 .tank_m = {1.8, 0, 0},
                                 .length_m = 2.4,
                                 .radius_m = 0.2,
                                 .capacity_kg = 400,
                                 .exit_m = {0, 0, 0}};
    c.p[1] = (tac__rocket_stage){.dry_kg = 90,
                                 .com_m = {5, 0.01, 0.03},
                                 .inertia = {3, 40, 41, -0.5, 0.2, 0.1},
                                 .tank_m = {4.5, 0.05, 0},
                                 .length_m = 1.6,
                                 .radius_m = 0.18,
                                 .capacity_kg = 1,
                                 .exit_m = {3.4, 0.01, 0}};
    return c;
}

// The same with fuel as many small rings of points, about a point that is not the datum.
typedef struct points {
    double mass, first[3], second[6];
} points;

static void add_point(points *s, double mass, const double at[3])
{
    s->mass += mass;
    for (int i = 0; i < 3; i++)
        s->first[i] += mass * at[i];
    s->second[0] += mass * (at[1] * at[1] + at[2] * at[2]);
    s->second[1] += mass * (at[0] * at[0] + at[2] * at[2]);
    s->second[2] += mass * (at[0] * at[0] + at[1] * at[1]);
    s->second[3] -= mass * at[0] * at[1];
    s->second[4] -= mass * at[0] * at[2];
    s->second[5] -= mass * at[1] * at[2];
}

// A cylinder from `aft`, by Gauss points along it and rings of the right moment.
static void add_cylinder(points *s, double mass, double aft, double length, const double axis[2],
                         double radius)
{
    const double ring = radius / tac_sqrt(2), g = 0.5 / tac_sqrt(3);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 4; k++) {
            const double y = k < 2 ? (k ? ring : -ring) : 0, z = k < 2 ? 0 : k == 2 ? ring : -ring;
            const double x = aft + length * (0.5 + (i ? g : -g));
            add_point(s, mass / 8, (double[]){x, axis[0] + y, axis[1] + z});
        }
    }
}

static void test_mass_by_composition(void **state)
{
    (void)state;
    mass_rig c = stages();
    mass_eval(&c);
    points s = {0};
    for (int i = 0; i < 2; i++) {
        const tac__rocket_stage *g = &c.p[i];
        add_point(&s, g->dry_kg, g->com_m);
        for (int k = 0; k < 6; k++)
            s.second[k] += g->inertia[k];
    }
    // 300 of 400 kg in 2.4 m from 0.6 m on; 120 kg spread over the whole grain.
    add_cylinder(&s, 300, 0.6, 1.8, (double[]){0, 0}, 0.2);
    add_cylinder(&s, 120, 3.7, 1.6, (double[]){0.05, 0}, 0.18);
    near(c.mass, 660, 1e-12, "mass");
    points back = {0};
    double com[3];
    for (int i = 0; i < 3; i++) {
        com[i] = s.first[i] / s.mass;
        near(c.com[i], com[i], 1e-14, "centre of mass");
    }
    add_point(&back, s.mass, com);
    for (int k = 0; k < 6; k++)
        near(c.inertia[k], s.second[k] - back.second[k], 1e-10, "inertia");
}

// A stage that is gone leaves the other as if it had been alone.
static void test_mass_of_what_is_left(void **state)
{
    (void)state;
    mass_rig c = stages(), alone = stages();
    c.attached[0] = 0;
    mass_eval(&c);
    const void *in[TAC__MASS_INS] = {&alone.fuel[1], &alone.flow[1], &alone.attached[1]};
    void *out[TAC__MASS_OUTS] = {&alone.mass, alone.com, alone.inertia, alone.jet, alone.stream};
    alone.p[0] = alone.p[1];
    alone.shape.stages = 1;
    alone.shape.settled[0] = false;
    const tac_eval e = {.in = in, .out = out, .p = (const double *)alone.p};
    assert_int_equal(tac__rocket_mass_output_f64(&e, &alone.shape), TAC_OK);
    near(c.mass, 210, 1e-12, "mass");
    assert_memory_equal(c.com, alone.com, sizeof c.com);
    for (int k = 0; k < 6; k++) {
        near(c.inertia[k], alone.inertia[k], 1e-10, "inertia");
        near(c.jet[k], alone.jet[k], 1e-10, "jet");
    }
    near(c.stream[0], 8 * (3.4 - 4.5), 1e-12, "stream");
}

// J less what leaves is the rate of change of the inertia: by differences over a little fuel. The
// stream is what moves the first moment: d(m c)/dt = stream - flow exit.
static void test_jet_by_differences(void **state)
{
    (void)state;
    const double h = 1e-3;
    mass_rig c = stages(), a = stages(), b = stages();
    for (int i = 0; i < 2; i++) {
        a.fuel[i] += c.flow[i] * h;
        b.fuel[i] -= c.flow[i] * h;
    }
    mass_eval(&c);
    mass_eval(&a);
    mass_eval(&b);
    double left[6] = {0}, out[3] = {0};
    for (int i = 0; i < 2; i++) {
        points s = {0};
        double arm[3];
        for (int k = 0; k < 3; k++) {
            arm[k] = c.p[i].exit_m[k] - c.com[k];
            out[k] += c.flow[i] * c.p[i].exit_m[k];
        }
        add_point(&s, c.flow[i], arm);
        for (int k = 0; k < 6; k++)
            left[k] += s.second[k];
    }
    for (int k = 0; k < 6; k++)
        near(c.jet[k] - left[k], (b.inertia[k] - a.inertia[k]) / (2 * h), 1e-5, "dI/dt");
    for (int k = 0; k < 3; k++)
        near(c.stream[k] - out[k], (b.mass * b.com[k] - a.mass * a.com[k]) / (2 * h), 1e-7,
             "d(m c)/dt");
}

// --- air -----------------------------------------------------------------------------------------

typedef struct air_rig {
    tac__rocket_aero p;
    tac__rocket_aero_shape shape;
    double velocity[3], rate[3], density, mach;
    double force[3], moment[3], alpha;
} air_rig;

static void air_eval(air_rig *c)
{
    const void *in[TAC__AERO_INS] = {c->velocity, c->rate, &c->density, &c->mach};
    void *out[TAC__AERO_OUTS] = {c->force, c->moment, &c->alpha};
    const tac_eval e = {.in = in, .out = out, .p = (const double *)&c->p};
    assert_int_equal(tac__rocket_aero_output_f64(&e, &c->shape), TAC_OK);
}

static air_rig shape(void)
{
    return (air_rig){.p = {.area_m2 = 0.1,
                           .diameter_m = 0.36,
                           .damping = {5, 0, 0},
                           .cross_m2 = 2,
                           .cross_m = 3},
                     .shape = {.points = 3,
                               .mach = {0, 1, 3},
                               .drag = {0.3, 0.7, 0.4},
                               .normal = {10, 12, 8},
                               .centre = {1, 1.2, 1.6}},
                     .density = 1.2};
}

static void test_air_forces(void **state)
{
    (void)state;
    air_rig c = shape();
    c.velocity[0] = 100;
    c.mach = 0.5;
    air_eval(&c);
    near(c.force[0], -0.5 * 1.2 * 0.1 * 0.5 * 1e4, 1e-9, "drag");
    assert_true(c.force[1] == 0 && c.moment[2] == 0 && c.alpha == 0);
    // Air from the left: pushed to the left of the path, and the tail, where x is less than that of
    // the centre of mass, turns the nose into the wind.
    c.p.cross_m2 = 0;
    c.velocity[1] = 2;
    air_eval(&c);
    near(c.force[1], -0.5 * 1.2 * 0.1 * 11 * 100 * 2, 1e-9, "normal force");
    near(c.moment[2], 1.1 * c.force[1], 1e-9, "moment about the datum");
    near(c.alpha, tac_atan2(2, 100), 1e-15, "angle of attack");
    // A turn about the point where it acts does nothing; about another it is a side wind.
    c.velocity[1] = -1.1 * 0.7;
    c.rate[2] = 0.7;
    air_eval(&c);
    near(c.force[1], 0, 1e-12, "normal force");
    c.velocity[1] = 0;
    air_eval(&c);
    near(c.force[1], -0.5 * 1.2 * 0.1 * 11 * 100 * 1.1 * 0.7, 1e-9, "normal force");
    c.rate[2] = 0;
    c.rate[0] = 3;
    air_eval(&c);
    near(c.moment[0], -0.5 * 1.2 * 100 * 0.1 * 0.36 * 0.36 / 2 * 5 * 3, 1e-9, "roll damping");
    // Flat: nothing but the drag from the side.
    c = shape();
    c.velocity[2] = 40;
    air_eval(&c);
    near(c.force[2], -0.5 * 1.2 * 2 * 1600, 1e-9, "from the side");
    near(c.moment[1], 3 * 0.5 * 1.2 * 2 * 1600, 1e-9, "its moment");
    near(c.force[0], 0, 0, "along");
}

// The force never works with the motion.
static void test_air_takes_energy(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 10000; i++) {
        air_rig c = shape();
        for (int k = 0; k < 3; k++) {
            c.velocity[k] = input_uniform(&seed, -300, 300);
            c.rate[k] = input_uniform(&seed, -5, 5);
        }
        c.mach = input_uniform(&seed, 0, 4);
        air_eval(&c);
        double power = 0;
        for (int k = 0; k < 3; k++)
            power += c.force[k] * c.velocity[k] + c.moment[k] * c.rate[k];
        assert_true(power < 0);
    }
}

// --- parachute -----------------------------------------------------------------------------------

static void test_parachute_falls_at_its_speed(void **state)
{
    (void)state;
    const tac__parachute p = {.drag_m2 = 20, .tau_s = 0.5, .position_m = {2, 0, 0}};
    double deploy = 1, velocity[3] = {0}, rate[3] = {0}, density = 1.225;
    double force[3], moment[3], inflation = 0, open;
    const void *in[TAC__CHUTE_INS] = {&deploy, velocity, rate, &density};
    void *out[TAC__CHUTE_OUTS] = {force, moment};
    const tac_eval e = {
        .in = in, .out = out, .x = &inflation, .dx = &open, .p = (const double *)&p};
    const double mass = 50, g = 9.8, h = 1e-4;
    velocity[2] = 30; // falls along z
    for (int i = 0; i < 100000; i++) {
        assert_int_equal(tac__parachute_derive_f64(&e, NULL), TAC_OK);
        assert_int_equal(tac__parachute_output_f64(&e, NULL), TAC_OK);
        velocity[2] += h * (g + force[2] / mass);
        inflation += h * open;
        if (i == 4999) // one time constant
            near(inflation, 1 - tac_exp(-1), 5e-5, "inflation");
    }
    near(velocity[2], tac_sqrt(2 * mass * g / (1.225 * 20)), 1e-6, "terminal speed");
    near(moment[1], 2 * -force[2], 1e-9, "moment");
    // A body that turns moves it.
    velocity[2] = 0;
    rate[1] = 1;
    assert_int_equal(tac__parachute_output_f64(&e, NULL), TAC_OK);
    near(force[2], 0.5 * 1.225 * 20 * 4 * inflation, 1e-9, "force");
}

TEST_MAIN(cmocka_unit_test(test_motor_thrust), cmocka_unit_test(test_motor_spool),
          cmocka_unit_test(test_mass_by_composition), cmocka_unit_test(test_mass_of_what_is_left),
          cmocka_unit_test(test_jet_by_differences), cmocka_unit_test(test_air_forces),
          cmocka_unit_test(test_air_takes_energy),
          cmocka_unit_test(test_parachute_falls_at_its_speed))
