// drive.h - driving the plant from traces: replay.
//
// In a driven engine only the plant runs: the components that have a continuous part, with their
// own steps, timers and events. What the others wrote, and what was delivered to the plant, comes
// from a driver; their own functions are never called. Axes, islands and their boundaries are those
// of the live run.
#ifndef TAC_ENGINE_DRIVE_H
#define TAC_ENGINE_DRIVE_H

#include "engine/watch.h"

// Replaces the step of a component in a driven engine.
typedef struct tac__player {
    tac_status (*step)(tac_step *s, const void *self); // NULL: it does not step at all
    // A phase makes the component inactive, which writes its outputs: drop all recorded writes up
    // to t_us.
    void (*skip)(const void *self, tac_time t_us);
    // Is there a recorded write up to t_us? Asked when a phase makes the component active: it may
    // step there because of a message or wake-up that it had missed.
    bool (*has)(const void *self, tac_time t_us);
    const void *self;
    const bool *outputs; // one an output: those that it writes
} tac__player;

// Instants of a delivery, a wake-up or a located condition outside the plant, which split an island
// or make a scenario step.
typedef struct tac__instants {
    const char *name; // "uav1.radio.in", "uav1.planner#timer", or "uav1.scenario#event3"
    int source;
    const tac_time *times; // ascending; NULL while the engine is not driven
    size_t count;
} tac__instants;

typedef struct tac__driver {
    void *context;
    const tac__player *players; // one a component; entries of the plant are not used
    // Send to a receiver of the plant all messages that are delivered at the next delivery time
    // after `t_us`, with tac__drive_message. NULL: there are no messages.
    tac_status (*messages)(void *context, tac_engine *engine, size_t receiver, tac_time t_us);
} tac__driver;

// Drive the engine. To be called before it is prepared, but after all components were added;
// `driver` and what it points to must outlive the engine's use. TAC_E_CALLER: somebody wants to be
// told of messages that are sent.
tac_status tac__engine_drive(tac_engine *engine, const tac__driver *driver, tac_error *err);

// The instants of a prepared engine. A driver fills in their times before the run.
tac__instants *tac__engine_instants(tac_engine *engine, size_t *count);

tac_status tac__drive_message(tac_engine *engine, size_t receiver, const tac_message *message);

// Begin with what comes after `t_us`, or with everything: once the initial state is set. Restoring
// a snapshot calls this.
tac_status tac__drive_begin(tac_engine *engine, bool after, tac_time t_us);

// The error that a driver fills in when it fails during a run; may be NULL.
tac_error *tac__drive_error(const tac_engine *engine);

// --- the state to begin with --------------------------------------------------------------------

// Go on from a snapshot that fits: on a prepared engine that has not run yet. `same_model`: the
// snapshot must be a state that this very model could have come to. With `other_method` steps under
// way are taken again, with the step sizes of a start.
tac_status tac__snapshot_restore(tac_engine *engine, const void *bytes, size_t size,
                                 bool same_model, bool other_method, tac_error *err);
bool tac__snapshot_fits(const tac_engine *engine, const void *bytes, size_t size);

// Set initial values by name, on a prepared engine that has not run yet: `value` gives element k of
// a signal; false: it stays as it is. Readers that look back in time see these values, too.
typedef bool tac__drive_value_fn(void *context, const tac__signal *signal, uint32_t k,
                                 double *value);
tac_status tac__drive_start_with(tac_engine *engine, tac__drive_value_fn *value, void *context,
                                 tac_error *err);

#endif
