// plausible.c - warnings about parameters of a multirotor that are allowed but that no real vehicle
// has, or with which it cannot fly. The definitions are in docs/models/propulsion.md.
#define TAC_KIND_F64
#include "math/mat3.h"
#include "model/inertia.h"
#include "model/vehicle/params.h"

#include <float.h>
#include <stdio.h>
#include <tactus/math.h>

#define PI            3.14159265358979323846
#define SOUND_M_S     340.0
#define CT_MOST       0.3 // of real propellers at rest; the largest that were measured have 0.2
#define GYRATION_MOST 1.5 // radius of gyration over the size of the vehicle
#define ARM_MOST_M    20  // four times the reach of multirotors that carry people
// Distance of a rotor over the radius of gyration. With 10, at most 1 % of the mass can be as far
// out as the rotor, whose motor alone weighs more.
#define ARM_MOST    10
#define TURNED_MOST 0.1 // torque about the down axis that is left in level hover, over all of it

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
        tac_declare_doubt(
            d, "inertia-large", "inertia",
            "an inertia of %g kg*m^2 would need the %g kg to be %.3g m from the axis, "
            "but the rotors reach %.3g m",
            most, v->mass_kg, gyration_m, size_m);
}

// Warn of rotors that are much farther out than the mass: as a rule a length in the wrong unit.
// Return whether there are any.
static bool warn_of_arms(tac_declare *d, const tac__vehicle *v)
{
    double most = 0;
    for (int i = 0; i < 3; i++)
        most = tac_max(most, v->inertia[4 * i]);
    const double gyration_m = tac_sqrt(most / v->mass_kg);
    const double most_m = tac_min(ARM_MOST_M, ARM_MOST * gyration_m);
    double far_m = 0;
    int far = -1, count = 0;
    for (int i = 0; i < v->rotors; i++) {
        const double arm_m = vec3_norm(vec3_from_array(v->rotor[i].position_m));
        count += arm_m > most_m;
        if (arm_m <= tac_max(most_m, far_m))
            continue;
        far = i;
        far_m = arm_m;
    }
    if (far < 0)
        return false;
    char blame[40];
    snprintf(blame, sizeof blame, "rotors[%d].position", far);
    if (far_m > ARM_MOST_M)
        tac_declare_doubt(
            d, "rotor-far", blame,
            "rotor %d is %.4g m from the center of mass%s; no multirotor reaches beyond "
            "%d m: are these meters?",
            far + 1, far_m, count > 1 ? ", and others are too far out" : "", ARM_MOST_M);
    else
        tac_declare_doubt(
            d, "rotor-far", blame,
            "rotor %d is %.4g m from the center of mass%s, but the mass of %g kg with "
            "an inertia of %g kg*m^2 is within %.3g m of the axis: are these meters?",
            far + 1, far_m, count > 1 ? ", and others are too far out" : "", v->mass_kg, most,
            gyration_m);
    return true;
}

// The thrusts with the smallest sum of squares that hold the vehicle level: `effects` are thrust,
// roll, and pitch of a unit of thrust of each rotor. False where there are none.
static bool hover_thrusts(const tac__vehicle *v, double (*effects)[3], double *thrust_n)
{
    double gram[9] = {0};
    for (int i = 0; i < v->rotors; i++) {
        for (int k = 0; k < 9; k++)
            gram[k] += effects[i][k / 3] * effects[i][k % 3];
    }
    const mat3 m = mat3_from_array(gram);
    if (!(mat3_det(m) > 1e-9 * gram[0] * gram[4] * gram[8]))
        return false;
    const vec3 by = mat3_solve_spd(m, vec3_make(v->mass_kg * v->g_m_s2, 0, 0));
    for (int i = 0; i < v->rotors; i++)
        thrust_n[i] = effects[i][0] * by.x + effects[i][1] * by.y + effects[i][2] * by.z;
    return true;
}

// Rotors whose torques about the down axis do not cancel in level hover: the vehicle spins. A sign
// of `direction` is wrong, as a rule. With an odd number of equal rotors one is left over.
static void warn_of_directions(tac_declare *d, const tac__vehicle *v)
{
    double effects[TAC__ROTORS_MAX][3], yaw[TAC__ROTORS_MAX], thrust_n[TAC__ROTORS_MAX];
    int ways[2] = {0, 0};
    for (int i = 0; i < v->rotors; i++) {
        const tac__rotor *r = &v->rotor[i];
        const double ratio_m = r->propeller.kq / r->propeller.kt;
        effects[i][0] = r->axis[2];
        effects[i][1] = r->arm[0] + ratio_m * r->spin[0];
        effects[i][2] = r->arm[1] + ratio_m * r->spin[1];
        yaw[i] = r->arm[2] + ratio_m * r->spin[2];
        ways[r->direction > 0]++;
    }
    if (v->rotors < 2 || !hover_thrusts(v, effects, thrust_n))
        return; // flight control says that it cannot hover
    double left = 0, all = 0;
    for (int i = 0; i < v->rotors; i++) {
        if (thrust_n[i] < 0)
            return;
        left += thrust_n[i] * yaw[i];
        all += tac_fabs(thrust_n[i] * yaw[i]);
    }
    const double odd = v->rotors % 2 ? 1.0 / v->rotors : 0;
    if (!(tac_fabs(left) > (TURNED_MOST + odd) * all))
        return;
    if (!ways[0] || !ways[1])
        tac_declare_doubt(d, "rotor-directions", "rotors",
                          "all %d rotors turn the same way: in level hover nothing balances their "
                          "torque of %.3g N*m, and the vehicle spins; expected directions 1 and -1",
                          v->rotors, tac_fabs(left));
    else
        tac_declare_doubt(d, "rotor-directions", "rotors",
                          "of %d rotors %d turn one way and %d the other: in level hover %.3g N*m "
                          "of their torques are not balanced, and the vehicle spins",
                          v->rotors, ways[1], ways[0], tac_fabs(left));
}

static void warn_of_propeller(tac_declare *d, const tac__propeller *p, const char *blame)
{
    const double diameter_m = 2 * p->radius_m, d2 = diameter_m * diameter_m;
    const double ct = 4 * PI * PI * p->kt / (d2 * d2);
    const double area = PI * p->radius_m * p->radius_m;
    const double merit = p->kq > 0 ? p->kt * tac_sqrt(p->kt / (2 * area)) / p->kq : 0;
    if (ct > CT_MOST)
        tac_declare_doubt(d, "propeller-thrust", blame,
                          "the thrust coefficient CT = T/(rho n^2 D^4) of a propeller of %.3g m is "
                          "%.3g; real ones have 0.05 to 0.2",
                          diameter_m, ct);
    if (merit > 1)
        tac_declare_doubt(
            d, "propeller-merit", blame,
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
        tac_declare_doubt(
            d, "propeller-tips", blame,
            "at full duty the tips of a propeller move at %.0f m/s, faster than sound", tip_m_s);
    if (r->hover_duty > 1)
        tac_declare_doubt(d, "hover-duty", blame,
                          "it cannot hover: a rotor would need a duty of %.3g at %g V (thrust to "
                          "weight %.3g)",
                          r->hover_duty, v->voltage_v,
                          v->rotors * r->full_thrust_n / (v->mass_kg * v->g_m_s2));
    const double current_a = (r->propeller.kq * v->density * r->hover_rad_s * r->hover_rad_s) /
                             r->motor.ke; // current for the torque; friction is neglected
    if (current_a > r->motor.max_a)
        tac_declare_doubt(d, "hover-current", blame,
                          "hover takes %.3g A of a motor whose controller allows %g A", current_a,
                          r->motor.max_a);
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

// Warn of a nominal voltage that no battery has: thrust and the duties of flight control would be
// those of another battery.
static void warn_of_voltage(tac_declare *d, const tac__multirotor *p)
{
    static const char *const names[] = {"calibration.voltage", "batteries", NULL};
    double low = DBL_MAX, high = 0;
    for (int k = 0; k < p->batteries; k++) {
        const tac__battery *b = &p->battery[k];
        const double full = b->points ? b->ocv_v[b->ideal ? 0 : b->points - 1] : 0;
        low = tac_min(low, b->ideal ? full : b->floor_v);
        high = tac_max(high, full);
    }
    // An ideal battery has a single voltage: a tenth beside it is near enough.
    const double v = p->vehicle.voltage_v;
    if (v < 0.9 * low || v > 1.1 * high)
        tac_declare_doubt(d, "voltage-nominal", written(d, names),
                          "calibration.voltage is %g V, but the batteries have %g to %g V: thrust "
                          "and flight control would be those of another battery",
                          v, low, high);
}

void tac__multirotor_warn(tac_declare *d, const tac__multirotor *p)
{
    static const char *const thrust[] = {"propeller.thrust_coefficient", "calibration", "propeller",
                                         "rotors", NULL};
    const tac__vehicle *v = &p->vehicle;
    warn_of_body(d, v);
    if (!warn_of_arms(d, v))
        warn_of_directions(d, v);
    warn_of_contact(d, p);
    warn_of_voltage(d, p);
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
