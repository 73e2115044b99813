// ports.h - inputs and outputs that every flight control of a multirotor has, so that one can
// replace another. They are its first ports, with these names, in this order.
#ifndef TAC_AUTOPILOT_PORTS_H
#define TAC_AUTOPILOT_PORTS_H

#include "autopilot/phase.h"
#include "model/labels.h"
#include <tactus/component.h>

// position, velocity, attitude, rate, arm, mode
void tac__flight_inputs(tac_declare *d);
// motor, armed, phase, landed, mission_current, mission_reached, mission_total
void tac__flight_outputs(tac_declare *d, uint32_t rotors);

// The commands of `arm` and `mode`; with an open input the vehicle flies.
bool tac__flight_arm(const tac_step *s, int input);
tac__flight_mode tac__flight_mode_of(const tac_step *s, int input);

#endif
