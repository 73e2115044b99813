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
    int located; // number of the condition among those that the engine locates; -1: none

    const tac__action *action;
    uint64_t motors, batteries, sensors; // bits of those that the event names
    tac__sensor_fault fault;
    double value[3];        // wind; or duty, loss, the value of a fault or of what is set
    const char *value_text; // `value` as written: read once the unit of the output is known
    int output;             // that `set` writes
    bool feeds;             // that output leads to a parameter of another component
    const char *text;       // the action, for the log: "motor_off motor 3"
    const char *reason;     // the timing, for the log: "at 41.25 s"
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
    bool begun; // the arena was initialised
    uint32_t motors, batteries;
    tac__scenario_signal *signals;
    size_t signal_count;
    tac__peers peers;
    tac__scenario_event *events;
    size_t event_count;
    size_t *located; // numbers of the events whose conditions the engine locates
    tac__scenario_ports ports;
};

// What the condition of an event remembers; NULL: nothing.
static inline uint64_t *tac__event_memory(const tac__scenario *s, const tac__scenario_event *e,
                                          const tac_step *step)
{
    return e->condition.memory_words
               ? tac__formula_memory(&e->condition, step->state[s->ports.memory])
               : NULL;
}

// --- read.c: from parameters to events; mistakes are reported with their place ---
tac_status tac__scenario_read(tac_declare *d, tac__scenario *s);
tac_status tac__scenario_compile(tac_declare *d, tac__scenario *s);

// --- branch.c: the states of events that go on from a checkpoint of other events ---
tac_status tac__scenario_carry(tac_step *step, const tac__scenario *s, tac__past *past);

#endif
