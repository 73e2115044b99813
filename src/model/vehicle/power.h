// power.h - the power network, for every scalar kind: finds the voltage of each bus at which its
// batteries supply its motors and avionics. Equations: docs/models/power.md.
#ifndef TAC_MODEL_VEHICLE_POWER_H
#define TAC_MODEL_VEHICLE_POWER_H

#include "math/iterate.h"
#include "model/vehicle/battery.h"
#include "model/vehicle/motor.h"

// The bus voltage is found when currents balance to within 1e-8 A, or as well as the rounding of
// the voltage allows. In flight two iterations are enough; no state in the tests needs more than
// 16.
#define POWER__CURRENT_A 1e-8
#define POWER__ROUNDING  4e-15
#define POWER__V_MIN     1e-3 // V: below this the avionics count as a resistance

enum { POWER__ROUNDS = 24 };

// The limits of all loops. Where they are constants the loops can be unrolled.
typedef struct vehicle_shape {
    int rotors, batteries, buses;
    bool upright; // all rotor axes are (0, 0, 1)
} vehicle_shape;

#if defined(__GNUC__) && !defined(__clang__)
#define VEHICLE_UNROLL _Pragma("GCC unroll 8") // clang unrolls without being told
#else
#define VEHICLE_UNROLL
#endif

// All batteries of a bus as one source: V = max(floor, emf - resistance I). All zero without
// batteries.
typedef struct power_source {
    real emf, resistance, floor;
} power_source;

typedef struct power_bus {
    real voltage, current;
    real residual; // what the batteries would give at this voltage minus what is drawn, A
} power_bus;

// `yes` where the switch is on, `no` where it is off, NaN where the switch is NaN.
static inline real switched(real on, real yes, real no)
{
    return r_select(on > 0.5, yes, r_select(on <= 0.5, no, on));
}

// Connected batteries divide the current by their weights; share[] is set for those of the bus.
static inline power_source power_source_at(const tac__multirotor_shape *shape,
                                           const multirotor_numbers *p, vehicle_shape n, int bus,
                                           const real *emf, const real *open, real *share)
{
    real sum = R(0.0);
    for (int k = 0; k < n.batteries; k++) {
        if (n.buses > 1 && shape->battery_bus[k] != bus)
            continue;
        share[k] = switched(open[k], R(0.0), P(p->battery[k].weight));
        sum += share[k];
    }
    real per_sum = 1.0 / r_select(sum > 0.0, sum, R(1.0));
    power_source s = {R(0.0), R(0.0), R(0.0)};
    for (int k = 0; k < n.batteries; k++) {
        const battery_numbers *b = &p->battery[k];
        if (n.buses > 1 && shape->battery_bus[k] != bus)
            continue;
        if (n.batteries > 1) // the weight of a single battery is 1
            share[k] = share[k] * per_sum;
        s.emf += share[k] * emf[k];
        s.resistance += share[k] * share[k] * b->r0_ohm;
        s.floor += share[k] * b->floor_v;
    }
    return s;
}

// The voltage lies between floor and emf. `excess`, the voltage of the source at the current drawn
// minus the voltage of the bus, falls from positive to negative there; it is piecewise of the form
// k - gain v - r P/v. Each iteration solves the present piece; a solution outside the bracket is
// replaced by the bracket's midpoint. current[] is set for the motors of the bus.
static inline power_bus power_bus_solve(const tac__multirotor_shape *shape,
                                        const multirotor_numbers *p, vehicle_shape n, int bus,
                                        power_source s, const motor_line *line, wide *current)
{
    const bool loaded = shape->loaded[bus];
    const param load_w = p->load_w[bus];
    real tolerance = POWER__CURRENT_A * s.resistance + POWER__ROUNDING * s.emf;
    real top = r_max(s.floor, s.emf);
    real x[3] = {top, s.floor - 1.0, top}; // the voltage, and the bracket about it
    real drawn, excess;
    r_iteration it = r_iterate(POWER__ROUNDS);
    while (r_iterate_round(&it, 3, x)) {
        real v = x[0], slope = R(0.0);
        drawn = R(0.0);
        VEHICLE_UNROLL
        for (int i = 0; i < n.rotors; i += WIDE) {
            const motor_line *l = &line[i / WIDE];
            wide max_a = W_PARAM(p->pair[i / 2].max_a, i);
            wide ohmic = l->slope * v - l->offset;
            wide amps = w_max(W(0.0), w_min(max_a, ohmic));
            wide shared = l->share * amps;
            wide steep = w_select(wc_and(ohmic > 0.0, ohmic < max_a), l->share * l->slope, W(0.0));
            if (n.buses == 1)
                current[i / WIDE] = amps;
            for (int k = 0; k < WIDE && i + k < n.rotors; k++) {
                if (n.buses > 1 && shape->rotor_bus[i + k] != bus)
                    continue;
                if (n.buses > 1)
                    W_SET(current[i / WIDE], k, amps);
                r_iterate_export(&it, &current[i / WIDE]);
                drawn += W_AT(shared, k);
                slope += W_AT(steep, k);
            }
        }
        real avionics = R(0.0);
        if (loaded)
            avionics = r_select(v > 0.0, load_w / r_max(R(POWER__V_MIN), v), R(0.0));
        drawn += avionics;

        excess = s.emf - v - s.resistance * drawn;
        r_iterate_export(&it, &drawn);
        r_iterate_export(&it, &excess);
        cond floored = c_and(v <= s.floor, excess < 0.0);
        cond settled = c_or(r_abs(excess) <= tolerance, floored);
        if (r_iterate_settled(&it, settled, r_select(floored, v - s.floor, excess)))
            break;

        real gain = 1.0 + s.resistance * slope;
        real next = v + excess / gain;
        if (loaded) {
            real rp = s.resistance * load_w;
            real k = excess + gain * v + s.resistance * avionics;
            next = (k + r_sqrt(r_max(R(0.0), k * k - 4.0 * (gain * rp)))) / (2.0 * gain);
        }
        cond above = excess > 0.0; // the root lies above
        x[1] = r_select(above, v, x[1]);
        x[2] = r_select(above, x[2], v);
        next = r_max(s.floor, next);
        cond inside = c_and(next > x[1], next < x[2]);
        next = r_select(inside, next, r_max(s.floor, 0.5 * (x[1] + x[2])));
        x[0] = r_iterate_next(&it, settled, v, next);
    }
    real unit = r_select(s.resistance > 0.0, s.resistance, R(1.0));
    cond floored = c_and(x[0] <= s.floor, excess < 0.0);
    power_bus b = {x[0], drawn, r_select(floored, R(0.0), excess / unit)};
    return b;
}

#endif
