// replay.h - a replay from the inside: what drives the engine, and what is compared.
#ifndef TAC_RECORD_REPLAY_H
#define TAC_RECORD_REPLAY_H

#include "engine/drive.h"
#include "record/recording.h"

typedef struct tac__put { // from a message onto the bus
    size_t output;
    size_t at, bytes;
    bool normal;   // a bool, to be made 0 or 1
    size_t labels; // an enum, which has so many; else 0
} tac__put;

typedef struct tac__replay_trace {
    tac__track_reader reader;
    tac__frame frame; // the next one
    bool more, begun;
    tac__put *puts;
    size_t put_count;
} tac__replay_trace;

// What plays one component.
typedef struct tac__replay_player {
    tac_replay *replay;
    tac__replay_trace *traces;
    size_t count;
    TAC__CAPACITY(tac__replay_trace) capacity;
    size_t output_count;
    bool *outputs; // one an output: a trace has it
} tac__replay_player;

// What compares the states of one island.
typedef struct tac__replay_check {
    tac_replay *replay;
    size_t island;
    const char *name;
    tac__tap tap;
    tac__track_reader reader;
    bool begun, more;
    const unsigned char *t_us, *digest; // of the present message
    size_t count, at;
} tac__replay_check;

typedef struct tac__replay_inbox { // messages to a receiver of the plant
    tac__track_reader reader;
    tac__frame frame;
    bool begun, more;
} tac__replay_inbox;

struct tac_replay {
    const tac_allocator *allocator;
    tac__arena arena;
    tac_recording *recording;
    tac_engine *engine;
    tac_replay_def def;
    tac__driver driver;
    tac__player *players; // one a component
    tac__replay_player *own;
    tac__replay_inbox *inboxes; // one a receiver
    size_t component_count, inbox_count;
    tac__replay_check *checks;
    size_t check_count;
    tac_replay_result result;
    tac__text differences;
    tac__read_ahead *read_ahead; // NULL: none
    const char *missing;         // a signal that drives the plant and was not recorded; NULL: none
    tac_error err;               // of a check
};

// --- replay_start.c: how a replay begins ---
// Is it the model of the recording? What differs becomes part of the result.
tac_status tac__replay_compare_models(tac_replay *replay, tac_error *err);
// The instants at which others split islands.
tac_status tac__replay_load_instants(tac_replay *replay, tac_error *err);
// The last stored state by the wished time, or the initial values by name.
tac_status tac__replay_set_state(tac_replay *replay, tac_error *err);

#endif
