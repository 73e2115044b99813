// flight.h - flight control without the engine: commands and estimates in, motor commands out, for
// one vehicle or for one in each lane. What changes during a flight is in two structs, one of reals
// and one of int32_t, which the component declares as states. docs/flight_control.md describes
// phases and failures.
//
// Units of doubles, packs and duals: what is decided (arming, phases, items, landing) is decided
// lane by lane. flight_law.h has what follows from the decisions, for symbols, too.
#ifndef TAC_AUTOPILOT_FLIGHT_H
#define TAC_AUTOPILOT_FLIGHT_H

#include "autopilot/control.h"
#include "autopilot/mission.h"
#include "autopilot/phase.h"
#include "model/labels.h"

#include <stddef.h>

// A value of another type than real: one for each lane.
#ifdef TAC_LANES
enum { TAC__FLIGHT_LANES = TAC_LANES };
#define TAC__EACH(name)       name[TAC__FLIGHT_LANES]
#define TAC__LANE(name, lane) ((name)[lane])
#else
enum { TAC__FLIGHT_LANES = 1 };
#define TAC__EACH(name)       name
#define TAC__LANE(name, lane) ((void)(lane), (name))
#endif

// Fixed during a flight. Numbers only; the rotors, at the end of `control`, come last.
typedef struct tac__flight {
    param sea_level_m;  // down, from the origin of the world
    param acceptance_m; // an item without a radius is reached within this distance
    param takeoff_m, return_m;
    param slow_m;  // height below which landing is slow
    param spool_s; // from idle to lift
    tac__control control;
} tac__flight;

// Bytes of the numbers of a vehicle.
static inline size_t tac__flight_size(int rotors)
{
    return offsetof(tac__flight, control) + offsetof(tac__control, rotor) +
           (size_t)rotors * sizeof(tac__control_rotor);
}

// Where a step finds its inputs.
typedef struct tac__flight_in {
    const real *position, *velocity, *attitude, *rate; // as estimated
    const real *rotor_speed;                           // NULL: not known
    const bool *arm;                                   // NULL: yes
    const int32_t *mode;                               // a tac__flight_mode; NULL: the mission
    real cruise_speed, climb_speed, descend_speed, land_speed;
    real voltage[TAC__ROTORS_MAX];
} tac__flight_in;

// Only reals: the component declares the struct as an array.
typedef struct tac__flight_numbers {
    tac__control_state loops;
    real home[3];
    real target[3], run_out;
    real ground; // down: where a landing ends
    real yaw;
    real lift;    // 0 to 1, while taking off
    real held_s;  // at the item
    real still_s; // how long it has seemed to be on the ground
    real sinking; // velocity down, filtered
    real thrust;  // asked for in the last step
    real works[TAC__ROTORS_MAX];
    real expected[TAC__ROTORS_MAX]; // speed that the last command should give
    real highest[TAC__ROTORS_MAX];  // highest speed in the last steps
    real amiss_s[TAC__ROTORS_MAX];  // how long the speed has not been as expected
} tac__flight_numbers;

// int32_t only.
typedef struct tac__flight_words {
    int32_t TAC__EACH(started); // the first estimate has been seen
    int32_t TAC__EACH(phase);
    int32_t TAC__EACH(stage); // of return and land
    int32_t TAC__EACH(item);
    int32_t TAC__EACH(reached);
    int32_t TAC__EACH(on_item); // the phase is part of the item
    int32_t TAC__EACH(armed);
    int32_t TAC__EACH(landed);
    int32_t TAC__EACH(arm_before);
    int32_t TAC__EACH(mode_before);
    int32_t TAC__EACH(yaw_held);
    int32_t TAC__EACH(can_hover);
} tac__flight_words;

typedef struct tac__flight_state {
    tac__flight_numbers *n;
    tac__flight_words *w;
} tac__flight_state;

// One step of dt_s. out->duty are the commands to the motors. `missions` and `lost` have one entry
// for each lane; `lost` has a bit for each rotor that is out since this step.
TAC_ENTRY void TAC_KINDED(tac__flight_step)(const tac__control_shape *shape, const tac__flight *f,
                                            const tac__mission *const *missions, double dt_s,
                                            const tac__flight_in *in, tac__flight_state s,
                                            tac__control_out *out, uint32_t *lost);

#ifdef TAC_KIND_F64
// Does it sink to the ground?
bool tac__flight_descends(const tac__flight_words *w);

// On the ground, motors off.
void tac__flight_init(const tac__control_shape *shape, tac__flight_state s);

// Whether the vehicle can hover and turn with the rotors that work, with some thrust to spare, and
// whether it can hold its yaw. `voltage` and `works` have one number a rotor.
void tac__flight_assess(const tac__control_shape *shape, const tac__control *c,
                        const double *voltage, const double *works, bool *can_hover, bool *can_yaw);
#endif
#endif
