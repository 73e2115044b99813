// plausible.c - warnings about parameters of a multirotor that are allowed but that no real vehicle
// has, or with which it cannot fly. The definitions are in docs/models/propulsion.md.
#define TAC_KIND_F64
#include "math/mat3.h"
#include "model/inertia.h"
#include "model/vehicle/params.h"

#include <stdio.h>
#include <tactus/math.h>

#define PI            3.14159265358979323846
#define SOUND_M_S     340.0
#define CT_MOST       0.3 // of real propellers at rest; the largest that were measured have 0.2
#define GYRATION_MOST 1.5 // radius of gyration over the size of the vehicle

// The first of these parameters that is written in the file; NULL: none.
static const char *written(const tac_declare *d, const char *const *names)
{
    for (; *names; names++) {
        if (tac_param_node(d, *names))
            return *names;
    }
    return NULL;
}

static void warn_of_body(tac_declare *d, const tac__vehicle *v)
{
    double most = 0, size_m = 0;
    tac__inertia_warn(d, "inertia", v->inertia);
    for (int i = 0; i < 3; i++)
        most = tac_max(most, v->inertia[4 * i]);
    for (int i = 0; i < v->rotors; i++)
        size_m = tac_max(size_m, vec3_norm(vec3_from_array(v->rotor[i].position_m)) +
                                     v->rotor[i].propeller.radius_m);
    const double gyration_m = tac_sqrt(most / v->mass_kg);
    if (gyration_m > GYRATION_MOST * size_m)
        tac_declare_warn(d, "inertia",
                         "an inertia of %g kg*m^2 would need the %g kg to be %.3g m from the axis, "
                         "but the rotors reach %.3g m",
                         most, v->mass_kg, gyration_m, size_m);
}

static void warn_of_propeller(tac_declare *d, const tac__propeller *p, const char *blame)
{
    const double diameter_m = 2 * p->radius_m, d2 = diameter_m * diameter_m;
    const double ct = 4 * PI * PI * p->kt / (d2 * d2);
    const double area = PI * p->radius_m * p->radius_m;
    const double merit = p->kq > 0 ? p->kt * tac_sqrt(p->kt / (2 * area)) / p->kq : 0;
    if (ct > CT_MOST)
        tac_declare_warn(d, blame,
                         "the thrust coefficient CT = T/(rho n^2 D^4) of a propeller of %.3g m is "
                         "%.3g; real ones have 0.05 to 0.2",
                         diameter_m, ct);
    if (merit > 1)
        tac_declare_warn(d, blame,
                         "the figure of merit of a propeller is %.3g: it takes less power than the "
                         "air it moves, which needs a torque_ratio of at least %.3g m",
                         merit, merit * p->kq / p->kt);
}

static void warn_of_speed(tac_declare *d, const tac__vehicle *v, const tac__rotor *r,
                          const char *blame)
{
    // The speed at full duty, limited by voltage or by current.
    const double full = r->full_thrust_n / (r->propeller.kt * v->density);
    const double most = r->motor.ke * r->motor.max_a / (r->propeller.kq * v->density);
    const double full_rad_s = tac_sqrt(r->propeller.kq > 0 ? tac_min(full, most) : full);
    const double tip_m_s = full_rad_s * r->propeller.radius_m;
    if (tip_m_s > SOUND_M_S)
        tac_declare_warn(d, blame,
                         "at full duty the tips of a propeller move at %.0f m/s, faster than sound",
                         tip_m_s);
    if (r->hover_duty > 1)
        tac_declare_warn(d, blame,
                         "it cannot hover: a rotor would need a duty of %.3g at %g V (thrust to "
                         "weight %.3g)",
                         r->hover_duty, v->voltage_v,
                         v->rotors * r->full_thrust_n / (v->mass_kg * v->g_m_s2));
    const double current_a = (r->propeller.kq * v->density * r->hover_rad_s * r->hover_rad_s) /
                             r->motor.ke; // current for the torque; friction is neglected
    if (current_a > r->motor.max_a)
        tac_declare_warn(d, blame, "hover takes %.3g A of a motor whose controller allows %g A",
                         current_a, r->motor.max_a);
}

// The fast rate of a mass on a spring and a damper.
static double fast_rate(double damping, double stiffness, double mass)
{
    const double half = damping / (2 * mass), rest = half * half - stiffness / mass;
    return half + tac_sqrt(tac_max(rest, 0));
}

// All feet on level ground: heave, roll and pitch.
static void warn_of_contact(tac_declare *d, const tac__multirotor *p)
{
    double damping[3] = {0}, stiffness[3] = {0};
    for (int i = 0; i < p->feet; i++) {
        const tac__foot *f = &p->foot[i];
        const double x_m = f->position_m[0], y_m = f->position_m[1];
        const double levers[] = {1, y_m * y_m, x_m * x_m};
        for (int k = 0; k < 3; k++) {
            damping[k] += f->damping * levers[k];
            stiffness[k] += f->stiffness * levers[k];
        }
    }
    const double masses[] = {p->vehicle.mass_kg, p->vehicle.inertia[0], p->vehicle.inertia[4]};
    double fastest = 0;
    for (int k = 0; k < 3; k++)
        fastest = tac_max(fastest, fast_rate(damping[k], stiffness[k], masses[k]));
    tac_declare_stiffness(d, fastest, "contact of the feet with the ground", "feet");
}

void tac__multirotor_warn(tac_declare *d, const tac__multirotor *p)
{
    static const char *const thrust[] = {"propeller.thrust_coefficient", "calibration", "propeller",
                                         "rotors", NULL};
    const tac__vehicle *v = &p->vehicle;
    warn_of_body(d, v);
    warn_of_contact(d, p);
    for (int i = 0; i < v->rotors; i++) {
        const tac__rotor *r = &v->rotor[i], *first = &v->rotor[0];
        char own[32];
        snprintf(own, sizeof own, "rotors[%d]", i);
        // Equal rotors are reported once: the text and its place are the same.
        const bool alike = r->propeller.kt == first->propeller.kt &&
                           r->propeller.kq == first->propeller.kq &&
                           r->propeller.radius_m == first->propeller.radius_m;
        const char *blame = alike ? written(d, thrust) : own;
        warn_of_propeller(d, &r->propeller, blame);
        warn_of_speed(d, v, r, blame);
    }
}
