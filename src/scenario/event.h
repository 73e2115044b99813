// event.h - a scenario as it is read from the configuration: what its events do, and when.
//
// Everything here is fixed once the engine is prepared. Motors and batteries are numbered from 1 in
// the configuration, in the order in which the vehicle lists them, and from 0 here.
#ifndef TAC_SCENARIO_EVENT_H
#define TAC_SCENARIO_EVENT_H

#include "engine/plan/events.h"
#include "engine/plan/peers.h"
#include "model/labels.h"
#include "scenario/action.h"
#include "scenario/schedule.h"
#include <tactus/component.h>

enum {
    TAC__EVENTS_MAX = 4096,
    TAC__SIGNALS_MAX = 256,
    TAC__FAULT_TARGETS = 64, // motors, and batteries, of one vehicle
};

typedef struct tac__scenario_event {
    tac__timing timing;
    const char *when; // the condition as written
    tac__formula condition;
    int located; // its number among those that the engine locates; -1: it is not

    const tac__action *action;
    uint64_t motors, batteries, sensors; // bits of those concerned
    tac__sensor_fault fault;
    double value[3];        // wind; or duty, loss, the value of a fault or of what is set
    const char *value_text; // of what is set, until its unit is known
    int output;             // what is set
    bool feeds;             // another component's parameter
    const char *text;       // what it does, for the log
    const char *reason;     // why
} tac__scenario_event;

// Indices of outputs and states; -1 where there is none.
typedef struct tac__scenario_ports {
    int arm, mode, gust;
    int motor_hold, motor_duty, motor_loss, battery_open;
    int fault[TAC__SENSORS], fault_value[TAC__SENSORS];
    int slots, owners, steps, memory; // states
} tac__scenario_ports;

typedef struct tac__scenario_signal {
    const char *name, *unit;
    double initial;
    int output;
} tac__scenario_signal;

struct tac__scenario {
    tac__arena arena;
    bool begun; // the arena is there
    uint32_t motors, batteries;
    tac__scenario_signal *signals;
    size_t signal_count;
    tac__peers peers;
    tac__scenario_event *events;
    size_t event_count;
    size_t *located; // events whose conditions the engine locates, by their number
    tac__scenario_ports ports;
};

// --- read.c: from parameters to events; mistakes are reported with their place ---
tac_status tac__scenario_read(tac_declare *d, tac__scenario *s);
tac_status tac__scenario_compile(tac_declare *d, tac__scenario *s);

// --- branch.c: the states of events that go on from a checkpoint of other events ---
tac_status tac__scenario_carry(tac_step *step, const tac__scenario *s, tac__past *past);

#endif
