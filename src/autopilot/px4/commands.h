// commands.h - the commander's part in vehicle_command, as the commander is not in the library.
//
// PX4's navigator asks the commander through a topic: at a row of a mission that returns
// (NAV_RETURN_TO_LAUNCH), for example. Each command is answered as the commander would answer it:
// with another navigation state, and with vehicle_command_ack. Commands that other modules carry
// out, as DO_CHANGE_SPEED, are left to them.
#ifndef TAC_AUTOPILOT_PX4_COMMANDS_H
#define TAC_AUTOPILOT_PX4_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Numbers of MAVLink's and PX4's commands.
enum {
    TAC__COMMAND_RETURN = 20,
    TAC__COMMAND_LAND = 21,
    TAC__COMMAND_SET_MODE = 176,
    TAC__COMMAND_CHANGE_SPEED = 178,
    TAC__COMMAND_MISSION_START = 300,
    TAC__COMMAND_SET_NAV_STATE = 100001,
};

// The sender of the bridge's own commands: a ground station's numbers.
enum { TAC__PX4_OWN_SYSTEM = 255, TAC__PX4_OWN_COMPONENT = 190 };

// Results of vehicle_command_ack.
typedef enum tac__px4_result {
    TAC__RESULT_ACCEPTED = 0,
    TAC__RESULT_REJECTED = 1, // for now
    TAC__RESULT_DENIED = 2,
    TAC__RESULT_UNSUPPORTED = 3,
} tac__px4_result;

typedef struct tac__px4_command {
    double number, param[3];
    bool armed;         // the vehicle is
    bool mission_valid; // mission_result.valid
    double mission_total;
} tac__px4_command;

typedef struct tac__px4_answer {
    bool ours; // false: another module carries it out, or nobody has to
    tac__px4_result result;
    int state;       // navigation state that the command asks for
    const char *why; // reason for a refusal
} tac__px4_answer;

tac__px4_answer tac__px4_answer_to(const tac__px4_command *command);

// --- acknowledgements on their way --------------------------------------------------------------

// One message of a topic can be sent in a tick; the others wait here. The oldest are dropped.
enum { TAC__PX4_ACKS = 16 };

typedef struct tac__px4_ack {
    double command, result, system, component;
} tac__px4_ack;

typedef struct tac__px4_acks {
    tac__px4_ack items[TAC__PX4_ACKS];
    size_t first, count;
} tac__px4_acks;

void tac__px4_acks_add(tac__px4_acks *acks, const tac__px4_ack *ack);
bool tac__px4_acks_take(tac__px4_acks *acks, tac__px4_ack *ack);

#endif
