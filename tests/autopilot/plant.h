// plant.h - a multirotor of its own for tests of flight control, written apart from src/model:
// rigid body, motors with prop load, drag, wind, four feet on flat ground, an estimate with noise,
// bias and delay. RK4 at 1 ms. Values of the Iris; a hexarotor and an octorotor after it.
#ifndef TAC_TESTS_AUTOPILOT_PLANT_H
#define TAC_TESTS_AUTOPILOT_PLANT_H

#define TAC_KIND_F64
#include "autopilot/flight.h"

#include <math.h>
#include <string.h>

enum { DELAY = 2 }; // control periods

typedef struct plant {
    tac__vehicle v;
    double lost[TAC__ROTORS_MAX]; // 1: no voltage reaches the motor
    double x[13 + TAC__ROTORS_MAX];
    double duty[TAC__ROTORS_MAX];
    double voltage;
    double wind[3];

    // of wind and estimate
    uint64_t seed;
    double sigma[3]; // of wind, m/s
    double noise;    // 1: as in the facts
    double bias[13];
    double seen[DELAY + 1][13];
    int seen_count;
} plant;

static const double gravity = 9.80665, rho = 1.1682;

// --- vehicles -----------------------------------------------------------------------------------

static inline void plant_rotor(tac__vehicle *v, double x, double y, double direction)
{
    const double ke = 60 / (2 * 3.14159265358979323846 * 920);
    tac__rotor *r = &v->rotor[v->rotors++];
    *r = (tac__rotor){.position_m = {x, y, 0}, .axis = {0, 0, 1}, .direction = direction};
    r->propeller = (tac__propeller){.kt = 6.6110208e-5, .kq = 0.05 * 6.6110208e-5};
    r->motor = (tac__motor){.ke = ke,
                            .resistance_ohm = 0.25,
                            .no_load_a = 0.6,
                            .max_a = 60,
                            .friction = 2e-6,
                            .inertia = 1.2e-5};
}

static inline void plant_iris(plant *p)
{
    *p = (plant){.voltage = 12, .seed = 1};
    tac__vehicle *v = &p->v;
    v->mass_kg = 1.5;
    v->inertia[0] = v->inertia[4] = 0.029125;
    v->inertia[8] = 0.055225;
    v->g_m_s2 = gravity;
    v->voltage_v = 12;
    v->density = rho;
    plant_rotor(v, 0.1515, 0.245, 1);
    plant_rotor(v, -0.1515, -0.1875, 1);
    plant_rotor(v, 0.1515, -0.245, -1);
    plant_rotor(v, -0.1515, 0.1875, -1);
    p->x[6] = 1;
}

// n rotors on a circle, turning by turns; as heavy as n/4 Irises.
static inline void plant_ring(plant *p, int n)
{
    plant_iris(p);
    tac__vehicle *v = &p->v;
    v->mass_kg = 1.5 * n / 4;
    for (int k = 0; k < 3; k++)
        v->inertia[4 * k] *= 1.5 * n / 4;
    v->rotors = 0;
    for (int i = 0; i < n; i++) {
        const double angle = 2 * 3.14159265358979323846 * i / n;
        plant_rotor(v, 0.35 * cos(angle), 0.35 * sin(angle), i % 2 ? -1 : 1);
    }
}

// The tuning that flight_control would find for the Iris.
static const tac__control_tuning plant_tuning = {.position = 1.2,
                                                 .velocity = 3,
                                                 .velocity_integral = 0.75,
                                                 .velocity_derivative = 0.1,
                                                 .attitude = 6.6,
                                                 .rate = 20,
                                                 .rate_integral = 2,
                                                 .yaw = 3.2,
                                                 .yaw_rate = 8,
                                                 .max_tilt_rad = 0.61,
                                                 .max_rate_rad_s = 3.5,
                                                 .max_yaw_rate_rad_s = 1,
                                                 .acceleration = 2.5,
                                                 .climb_acceleration = 2,
                                                 .jerk = 12,
                                                 .idle = 0.05};

// --- equations ----------------------------------------------------------------------------------

static inline void plant_cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void plant_rotate(const double *q, const double *v, double sign, double *out)
{
    const double u[3] = {sign * q[1], sign * q[2], sign * q[3]};
    double t[3], s[3];
    plant_cross(u, v, t);
    for (int k = 0; k < 3; k++)
        t[k] *= 2;
    plant_cross(u, t, s);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] + q[0] * t[k] + s[k];
}

// Feet at four corners, flush with the origin: k 5000 N/m, c 600 N s/m while descending, friction.
static inline void plant_feet(const plant *p, const double *x, double *force, double *torque)
{
    (void)p;
    for (int i = 0; i < 4; i++) {
        const double foot[3] = {i & 1 ? 0.15 : -0.15, i & 2 ? 0.15 : -0.15, 0};
        double at[3], turn[3], v[3], f[3], body[3], t[3];
        plant_rotate(x + 6, foot, 1, at);
        plant_cross(x + 10, foot, turn);
        plant_rotate(x + 6, turn, 1, v);
        const double depth = x[2] + at[2];
        if (depth <= 0)
            continue;
        for (int k = 0; k < 3; k++)
            v[k] += x[3 + k];
        const double normal = 1250 * depth + (v[2] > 0 ? 150 * v[2] : 0);
        const double slide = sqrt(v[0] * v[0] + v[1] * v[1] + 0.05 * 0.05);
        f[0] = -0.8 * normal * v[0] / slide;
        f[1] = -0.8 * normal * v[1] / slide;
        f[2] = -normal;
        plant_rotate(x + 6, f, -1, body);
        plant_cross(foot, body, t);
        for (int k = 0; k < 3; k++) {
            force[k] += f[k];
            torque[k] += t[k];
        }
    }
}

static inline void plant_derive(const plant *p, const double *x, double *dx)
{
    const tac__vehicle *v = &p->v;
    const double *q = x + 6, *w = x + 10;
    double body[3] = {0}, force[3], torque[3] = {-0.02 * w[0], -0.02 * w[1], -0.01 * w[2]};
    for (int i = 0; i < v->rotors; i++) {
        const tac__rotor *r = &v->rotor[i];
        const double speed = x[13 + i], duty = p->lost[i] > 0 ? 0 : p->duty[i];
        const double thrust = r->propeller.kt * rho * speed * speed;
        const double load = r->propeller.kq * rho * speed * speed;
        double current = (duty * p->voltage - r->motor.ke * speed) / r->motor.resistance_ohm;
        current = current < 0 || duty < 0.02 ? 0 : current > 60 ? 60 : current;
        const double drive = current > 0.6 ? r->motor.ke * (current - 0.6) : 0;
        dx[13 + i] = (drive - load - 2e-6 * speed) / r->motor.inertia;
        double f[3], t[3];
        for (int k = 0; k < 3; k++) {
            f[k] = -thrust * r->axis[k];
            body[k] += f[k];
        }
        plant_cross(r->position_m, f, t);
        for (int k = 0; k < 3; k++)
            torque[k] += t[k] + r->axis[k] * r->direction * load;
    }
    plant_rotate(q, body, 1, force);
    plant_feet(p, x, force, torque);
    const double l[3] = {v->inertia[0] * w[0], v->inertia[4] * w[1], v->inertia[8] * w[2]};
    double gyro[3];
    plant_cross(w, l, gyro);
    for (int k = 0; k < 3; k++) {
        dx[k] = x[3 + k];
        dx[3 + k] = (force[k] - 0.05 * (x[3 + k] - p->wind[k])) / v->mass_kg;
        dx[10 + k] = (torque[k] - gyro[k]) / v->inertia[4 * k];
    }
    dx[5] += gravity;
    dx[6] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    dx[7] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    dx[8] = 0.5 * (q[0] * w[1] - q[1] * w[2] + q[3] * w[0]);
    dx[9] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}

static inline void plant_advance(plant *p, double h)
{
    const int n = 13 + p->v.rotors;
    double k[4][13 + TAC__ROTORS_MAX], x[13 + TAC__ROTORS_MAX];
    static const double at[] = {0, 0.5, 0.5, 1}, part[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < n; i++)
            x[i] = p->x[i] + (s ? at[s] * h * k[s - 1][i] : 0);
        plant_derive(p, x, k[s]);
    }
    double norm = 0;
    for (int i = 0; i < n; i++) {
        for (int s = 0; s < 4; s++)
            p->x[i] += part[s] * h * k[s][i];
        norm += i >= 6 && i < 10 ? p->x[i] * p->x[i] : 0;
    }
    for (int i = 6; i < 10; i++)
        p->x[i] /= sqrt(norm);
}

// --- wind, estimate -----------------------------------------------------------------------------

static inline double plant_normal(plant *p)
{
    double sum = 0; // of twelve uniforms
    for (int i = 0; i < 12; i++) {
        p->seed = p->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (double)(p->seed >> 11) * 0x1p-53;
    }
    return sum - 6;
}

// A millisecond, with wind of 3 s.
static inline void plant_millisecond(plant *p)
{
    const double phi = exp(-0.001 / 3);
    for (int k = 0; k < 3; k++)
        p->wind[k] = phi * p->wind[k] + p->sigma[k] * sqrt(1 - phi * phi) * plant_normal(p);
    plant_advance(p, 0.001);
}

// What flight control sees: the truth, or noise, slow bias and a delay of two periods.
static inline void plant_estimate(plant *p, tac__flight_in *in)
{
    static const double noise[] = {0.02, 0.02, 0.02, 0.05, 0.05, 0.05, 0.005, 0.005, 0.005};
    static const double drift[] = {0.02, 0.02, 0.02, 0.01, 0.01, 0.01, 0.001, 0.001, 0.001};
    const double phi = exp(-0.004 / 50);
    memmove(p->seen[1], p->seen[0], DELAY * sizeof *p->seen);
    double *now = p->seen[0];
    memcpy(now, p->x, sizeof *p->seen);
    for (int i = 0; i < 9 && p->noise > 0; i++) {
        const int at = i < 6 ? i : 4 + i;
        p->bias[i] = phi * p->bias[i] + drift[i] * sqrt(1 - phi * phi) * plant_normal(p);
        now[at] += p->bias[i] + noise[i] * plant_normal(p);
    }
    if (p->noise > 0) {
        const double half = 0.5 * 0.01 * plant_normal(p); // of yaw
        const double q[4] = {now[6], now[7], now[8], now[9]}, c = cos(half), s = sin(half);
        now[6] = c * q[0] - s * q[3];
        now[7] = c * q[1] - s * q[2];
        now[8] = c * q[2] + s * q[1];
        now[9] = c * q[3] + s * q[0];
    }
    p->seen_count += p->seen_count <= DELAY;
    const int age = p->noise > 0 ? (p->seen_count > DELAY ? DELAY : p->seen_count - 1) : 0;
    in->position = p->seen[age];
    in->velocity = p->seen[age] + 3;
    in->attitude = p->seen[age] + 6;
    in->rate = p->seen[age] + 10;
    in->rotor_speed = p->x + 13;
}

#endif
