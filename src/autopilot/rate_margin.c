// rate_margin.c - warnings about rate loops that the actuators cannot follow: the phase margin of
//
//     L(s) = k/s A(s)/(tau s + 1) exp(-T s)
//
// with the bandwidth k, the slowest rotor's time constant tau, the actuator A and the delay T of
// the rest of the loop. docs/flight_control.md has the rule.
#define TAC_KIND_F64
#include "autopilot/flight_control.h"
#include "base/print.h"

#include <tactus/math.h>

#define DEGREE 0.017453292519943295
// Below it the loop rings: at 30 degrees a step overshoots by about two fifths.
#define MARGIN_LEAST_DEG 30

typedef struct loop {
    double rotor_s;
    const tac__actuator *actuator;
} loop;

// The gain and the phase [rad] that rotors, actuators, and delay add to k/s.
static double gain_at(const loop *l, double w)
{
    const tac__actuator *a = l->actuator;
    double gain = 1 / tac_hypot(1, w * l->rotor_s);
    if (a->kind == TAC__ACTUATOR_FIRST_ORDER)
        gain /= tac_hypot(1, w * a->tau_s);
    else if (a->kind == TAC__ACTUATOR_SECOND_ORDER) {
        const double x = w / a->omega_rad_s;
        gain /= tac_hypot(1 - x * x, 2 * a->zeta * x);
    }
    return gain;
}

static double phase_at(const loop *l, double w)
{
    const tac__actuator *a = l->actuator;
    double phase = -tac_atan(w * l->rotor_s) - w * TAC__LOOP_LAG_S;
    if (a->kind == TAC__ACTUATOR_FIRST_ORDER)
        phase -= tac_atan(w * a->tau_s);
    else if (a->kind == TAC__ACTUATOR_SECOND_ORDER) {
        const double x = w / a->omega_rad_s;
        phase -= tac_atan2(2 * a->zeta * x, 1 - x * x);
    }
    return phase;
}

static double margin_at(const loop *l, double w)
{
    return 90 + phase_at(l, w) / DEGREE;
}

enum { HALVINGS = 60 };

// Where the loop with bandwidth `k` crosses 1: above it, k/w alone is below 1 unless an actuator
// resonates, so the search ends at 4 k.
static double crossing_of(const loop *l, double k)
{
    double low = 0, high = 4 * k;
    for (int i = 0; i < HALVINGS; i++) {
        const double w = 0.5 * (low + high);
        if (k / w * gain_at(l, w) > 1)
            low = w;
        else
            high = w;
    }
    return 0.5 * (low + high);
}

// The largest bandwidth with the least margin: the margin falls with the frequency.
static double most_of(const loop *l)
{
    double low = 0, high = 90 * DEGREE / TAC__LOOP_LAG_S; // there the delay alone takes 90 degrees
    for (int i = 0; i < HALVINGS; i++) {
        const double w = 0.5 * (low + high);
        if (margin_at(l, w) > MARGIN_LEAST_DEG)
            low = w;
        else
            high = w;
    }
    return low / gain_at(l, low);
}

void tac__flight_doubt_bandwidths(tac_declare *d, const tac__vehicle *v,
                                  const tac__control_tuning *tuning)
{
    const struct {
        const char *param;
        double k;
    } loops[] = {{"rate_bandwidth", tuning->rate}, {"yaw_rate_bandwidth", tuning->yaw_rate}};
    const loop l = {tac__flight_motor_lag(v), &v->actuator};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        const double k = loops[i].k, w = crossing_of(&l, k), margin = margin_at(&l, w);
        if (!(margin < MARGIN_LEAST_DEG))
            continue;
        // The yaw loop follows the other one: its own value is reported only where it is given.
        if (i > 0 && !tac_param_node(d, loops[i].param))
            continue;
        char actuator[64] = "";
        if (v->actuator.kind != TAC__ACTUATOR_DIRECT) {
            const double lag = v->actuator.kind == TAC__ACTUATOR_FIRST_ORDER
                                   ? v->actuator.tau_s
                                   : 2 * v->actuator.zeta / v->actuator.omega_rad_s;
            tac__print(actuator, sizeof actuator, " behind actuators of %.3g ms", lag * 1e3);
        }
        tac_declare_doubt(
            d, "rate-bandwidth", loops[i].param,
            "%s %.4g rad/s is beyond what the actuators allow: rotors that follow in "
            "%.3g ms%s leave its loop a phase margin of %.0f degrees at %.3g rad/s%s; "
            "expected at most %.3g rad/s, which leaves %d degrees",
            loops[i].param, k, l.rotor_s * 1e3, actuator, margin, w,
            margin < 0 ? ", and it is unstable" : "", most_of(&l), MARGIN_LEAST_DEG);
    }
}
