// select.h - what is recorded, and how: from tier and rules to a list of channels.
#ifndef TAC_RECORD_SELECT_H
#define TAC_RECORD_SELECT_H

#include "engine/watch.h"
#include "record/layout.h"

typedef enum tac__mode_kind {
    TAC__MODE_NONE,
    TAC__MODE_WRITES, // at every step of the component
    TAC__MODE_HOLD,   // there, but only where a value changed
    TAC__MODE_EVERY,  // at every n-th step or boundary
    TAC__MODE_ISLAND, // at every boundary of the island
    TAC__MODE_AXIS,   // on an axis
    TAC__MODE_WINDOW  // at steps or boundaries round an event
} tac__mode_kind;

typedef struct tac__mode {
    tac__mode_kind kind;
    bool replay;        // needed to drive the plant
    bool boundaries;    // at those of the island, not at steps
    tac_time period_us; // of an axis
    uint32_t every;
    const tac_record_rule *rule; // of a window
} tac__mode;

typedef struct tac__pick { // a channel to be
    uint32_t component;    // of all its signals, unless they are of several
    bool several;
    tac__mode mode;
    uint32_t *signals; // indices in the schema
    size_t count;
    TAC__CAPACITY(uint32_t) capacity;
} tac__pick;

typedef struct tac__picks {
    tac__pick *items;
    size_t count;
    TAC__CAPACITY(tac__pick) capacity;
} tac__picks;

// The channels of a recorder, in order of component; of a resolved engine.
tac_status tac__select(const tac_recorder_def *def, const tac_engine *engine, tac__arena *arena,
                       tac__picks *picks, tac_error *err);

#endif
