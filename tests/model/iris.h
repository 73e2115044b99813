// iris.h - the Iris quadrotor for tests and benchmarks that call the plant's entry points: its
// parameters, its inputs at rest, its outputs.
#ifndef TAC_TESTS_MODEL_IRIS_H
#define TAC_TESTS_MODEL_IRIS_H

#ifndef TAC_KIND_F64
#define TAC_KIND_F64
#endif
#include "model/vehicle/kernels.h"

#include <float.h>
#include <string.h>

static inline void iris_battery(tac__battery *b)
{
    *b = (tac__battery){.points = 2,
                        .soc = {0, 1},
                        .ocv_v = {10.8, 12.6},
                        .r0_ohm = 0.020,
                        .r1_ohm = 0.010,
                        .c1_f = 2000,
                        .capacity_as = 5 * 3600,
                        .floor_v = 9.9,
                        .initial_soc = 1,
                        .warning = {0.15, 0.10, 0.05}};
}

static inline void iris_propeller(tac__multirotor *p)
{
    tac__vehicle *v = &p->vehicle;
    const double thrust_n = 2 * v->mass_kg * 9.80665 / v->rotors;
    for (int i = 0; i < v->rotors; i++) {
        tac__rotor *r = &v->rotor[i];
        const double kt = tac__thrust_coefficient(&r->motor, 0.05, thrust_n, 12, 1.225);
        r->propeller = (tac__propeller){.kt = kt, .kq = 0.05 * kt, .radius_m = 0.127, .inflow = 8};
    }
}

// To be followed by tac__multirotor_prepare once a test has changed what it wants.
static inline void iris_set(tac__multirotor *p)
{
    static const double place[4][2] = {
        {0.1515, 0.245}, {-0.1515, -0.1875}, {0.1515, -0.245}, {-0.1515, 0.1875}};
    static const double direction[4] = {1, 1, -1, -1};
    *p = (tac__multirotor){
        .vehicle = {.mass_kg = 1.5,
                    .inertia = {0.029125, 0, 0, 0, 0.029125, 0, 0, 0, 0.055225},
                    .g_m_s2 = 9.80665,
                    .voltage_v = 12,
                    .density = 1.225,
                    .rotors = 4,
                    .actuator = {.tau_s = 0.02, .omega_rad_s = 100, .zeta = 0.8, .rate = DBL_MAX}},
        .world = {.g_m_s2 = 9.80665},
        .drag = 0.05,
        .damping = {0.02, 0.02, 0.01},
        .euler = true,
        .angular = true,
        .batteries = 1,
        .buses = 1,
        .feet = 4};
    for (int i = 0; i < 4; i++) {
        p->vehicle.rotor[i] = (tac__rotor){.position_m = {place[i][0], place[i][1], 0},
                                           .axis = {0, 0, 1},
                                           .direction = direction[i],
                                           .motor = {.kv_rpm_v = 920,
                                                     .resistance_ohm = 0.25,
                                                     .no_load_a = 0.6,
                                                     .max_a = 60,
                                                     .friction = 2e-6,
                                                     .inertia = 1.2e-5,
                                                     .efficiency = 0.98}};
        p->foot[i] = (tac__foot){.position_m = {i < 2 ? 0.13 : -0.13, i % 2 ? 0.13 : -0.13, 0.04},
                                 .stiffness = 5000,
                                 .damping = 600,
                                 .friction = 0.8,
                                 .smoothing_m_s = 0.05};
    }
    iris_battery(&p->battery[0]);
    iris_propeller(p);
}

static inline tac__multirotor iris_make(void)
{
    tac__multirotor p;
    iris_set(&p);
    tac__multirotor_prepare(&p);
    return p;
}

enum { IRIS_X_MAX = TAC__X_ROTOR + 3 * TAC__ROTORS_MAX + 2 * TAC__BATTERIES_MAX };

// Inputs and outputs of a plant, and the pointers to them.
typedef struct iris_ports {
    double motor[TAC__ROTORS_MAX], wind[3], hold[TAC__ROTORS_MAX], duty[TAC__ROTORS_MAX];
    double loss[TAC__ROTORS_MAX], open[TAC__BATTERIES_MAX], mode[2 * TAC__CONTACTS_MAX];
    double out[TAC__OUTS][TAC__ROTORS_MAX];
    const void *in_at[TAC__INS];
    void *out_at[TAC__OUTS];
} iris_ports;

static inline void iris_connect(iris_ports *u)
{
    memset(u, 0, sizeof *u);
    u->in_at[TAC__IN_MOTOR] = u->motor;
    u->in_at[TAC__IN_WIND] = u->wind;
    u->in_at[TAC__IN_MOTOR_HOLD] = u->hold;
    u->in_at[TAC__IN_MOTOR_DUTY] = u->duty;
    u->in_at[TAC__IN_MOTOR_LOSS] = u->loss;
    u->in_at[TAC__IN_BATTERY_OPEN] = u->open;
    for (int i = 0; i < TAC__OUTS; i++)
        u->out_at[i] = u->out[i];
}

// A vehicle as its kernels see it.
typedef struct iris_plant {
    tac__multirotor_shape shape;
    tac__multirotor_self self;
    multirotor_numbers numbers;
} iris_plant;

static inline void iris_build(const tac__multirotor *p, iris_plant *plant)
{
    tac__multirotor_shape_of(p, &plant->shape);
    plant->self.shape = &plant->shape;
    (void)tac__multirotor_numbers_of(p, &plant->numbers);
}

static inline tac_eval iris_eval(const iris_plant *plant, iris_ports *u, const double *x)
{
    return (tac_eval){.in = u->in_at,
                      .out = u->out_at,
                      .mode = u->mode,
                      .x = x,
                      .p = (const double *)&plant->numbers,
                      .lanes = 1};
}

// The plant of a vehicle, built anew where the vehicle has changed.
static inline const iris_plant *iris_plant_of(const tac__multirotor *p)
{
    static tac__multirotor of;
    static iris_plant plant;
    if (!plant.self.shape || memcmp(&of, p, sizeof of) != 0) {
        of = *p;
        iris_build(p, &plant);
    }
    return &plant;
}

static inline void iris_derive(const tac__multirotor *p, iris_ports *u, const double *x, double *dx)
{
    const iris_plant *plant = iris_plant_of(p);
    tac_eval e = iris_eval(plant, u, x);
    e.dx = dx;
    (void)tac__multirotor_derive_f64(&e, &plant->self);
}

static inline void iris_output(const tac__multirotor *p, iris_ports *u, const double *x)
{
    const iris_plant *plant = iris_plant_of(p);
    const tac_eval e = iris_eval(plant, u, x);
    (void)tac__multirotor_output_f64(&e, &plant->self);
}

static inline void iris_detect(const tac__multirotor *p, iris_ports *u, const double *x, double *g)
{
    const iris_plant *plant = iris_plant_of(p);
    const tac_eval e = iris_eval(plant, u, x);
    (void)tac__multirotor_detect_f64(&e, &plant->self, g);
}

// At rest at the origin, rotors in hover, batteries full.
static inline void iris_start(const tac__multirotor *p, double *x)
{
    memset(x, 0, (size_t)tac__multirotor_x_count(p) * sizeof *x);
    x[TAC__X_ATTITUDE] = 1;
    for (int i = 0; i < p->vehicle.rotors; i++) {
        x[TAC__X_ROTOR + i] = p->vehicle.rotor[i].hover_rad_s;
        if (p->vehicle.actuator.kind != TAC__ACTUATOR_DIRECT)
            x[TAC__X_ROTOR + p->vehicle.rotors + i] = p->vehicle.rotor[i].hover_duty;
    }
    for (int k = 0; k < p->batteries; k++)
        x[tac__multirotor_x_soc(p) + k] = p->battery[k].initial_soc;
}

// One step of the classical Runge-Kutta method with modes held, then projected.
static inline void iris_rk4(const tac__multirotor *p, iris_ports *u, double h, double *x)
{
    const int n = tac__multirotor_x_count(p);
    double k[4][IRIS_X_MAX], z[IRIS_X_MAX];
    iris_derive(p, u, x, k[0]);
    for (int s = 1; s < 4; s++) {
        for (int i = 0; i < n; i++)
            z[i] = x[i] + (s == 3 ? h : 0.5 * h) * k[s - 1][i];
        iris_derive(p, u, z, k[s]);
    }
    for (int i = 0; i < n; i++)
        x[i] += h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
}

#endif
