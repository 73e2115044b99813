// power.h - the power network, for every scalar kind: finds the voltage of each bus at which its
// batteries supply its motors and avionics. Equations: docs/models/power.md.
#ifndef TAC_MODEL_VEHICLE_POWER_H
#define TAC_MODEL_VEHICLE_POWER_H

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

// Connected batteries divide the current by their weights; share[] is set for those of the bus.
static inline power_source power_source_at(const tac__multirotor *p, vehicle_shape n, int bus,
                                           const real *emf, const real *open, real *share)
{
    real sum = R(0.0);
    for (int k = 0; k < n.batteries; k++) {
        if (n.buses > 1 && p->battery[k].bus != bus)
            continue;
        share[k] = switched(open[k], R(0.0), R(p->battery[k].weight));
        sum += share[k];
    }
    real per_sum = 1.0 / r_select(sum > 0.0, sum, R(1.0));
    power_source s = {R(0.0), R(0.0), R(0.0)};
    for (int k = 0; k < n.batteries; k++) {
        const tac__battery *b = &p->battery[k];
        if (n.buses > 1 && b->bus != bus)
            continue;
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
static inline power_bus power_bus_solve(const tac__multirotor *p, vehicle_shape n, int bus,
                                        power_source s, const motor_line *line, real *current)
{
    const double load_w = p->bus[bus].load_w;
    real tolerance = POWER__CURRENT_A * s.resistance + POWER__ROUNDING * s.emf;
    real v = r_max(s.floor, s.emf), low = s.floor - 1.0, high = v;
    for (int round = 0;; round++) {
        real drawn = R(0.0), slope = R(0.0);
        VEHICLE_UNROLL
        for (int i = 0; i < n.rotors; i++) {
            if (n.buses > 1 && p->vehicle.rotor[i].bus != bus)
                continue;
            const double max_a = p->vehicle.rotor[i].motor.max_a;
            real ohmic = line[i].slope * v - line[i].offset;
            current[i] = r_clamp(ohmic, R(0.0), R(max_a));
            drawn += line[i].share * current[i];
            slope +=
                r_select(c_and(ohmic > 0.0, ohmic < max_a), line[i].share * line[i].slope, R(0.0));
        }
        real avionics = R(0.0);
        if (load_w > 0.0)
            avionics = r_select(v > 0.0, load_w / r_max(R(POWER__V_MIN), v), R(0.0));
        drawn += avionics;

        real excess = s.emf - v - s.resistance * drawn;
        cond floored = c_and(v <= s.floor, excess < 0.0);
        cond settled = c_or(r_abs(excess) <= tolerance, floored);
        if (round == POWER__ROUNDS || c_all(settled)) {
            real unit = r_select(s.resistance > 0.0, s.resistance, R(1.0));
            power_bus b = {v, drawn, r_select(floored, R(0.0), excess / unit)};
            return b;
        }

        real gain = 1.0 + s.resistance * slope;
        real next = v + excess / gain;
        if (load_w > 0.0) {
            real rp = s.resistance * load_w;
            real k = excess + gain * v + s.resistance * avionics;
            next = (k + r_sqrt(r_max(R(0.0), k * k - 4.0 * (gain * rp)))) / (2.0 * gain);
        }
        cond above = excess > 0.0; // the root lies above
        low = r_select(above, v, low);
        high = r_select(above, high, v);
        next = r_max(s.floor, next);
        cond inside = c_and(next > low, next < high);
        next = r_select(inside, next, r_max(s.floor, 0.5 * (low + high)));
        v = r_select(settled, v, next);
    }
}

#endif
