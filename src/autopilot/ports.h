// ports.h - what every flight control of a multirotor takes and gives, so that one can take the
// place of another: its first inputs and outputs, by these names, in this order.
#ifndef TAC_AUTOPILOT_PORTS_H
#define TAC_AUTOPILOT_PORTS_H

#include "autopilot/flight.h"
#include <tactus/component.h>

// position, velocity, attitude, rate, arm, mode
void tac__flight_inputs(tac_declare *d);
// motor, armed, phase, landed, mission_current, mission_reached, mission_total
void tac__flight_outputs(tac_declare *d, uint32_t rotors);

// What `arm` and `mode` say; an open one asks for a flight.
bool tac__flight_arm(const tac_step *s, int input);
tac__flight_mode tac__flight_mode_of(const tac_step *s, int input);

#endif
