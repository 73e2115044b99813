// sampler.h - when the signals of an engine are sampled, and how their values get into a sample:
// the values of a channel one after another in whole words, as on the bus. The engine's thread
// makes samples only; messages are made of them later (layout.h, encoder.h).
//
// A sampler watches an engine through engine/watch.h, so it adds no boundary and changes no bit,
// and fills one sink (sink.h). Outputs of the plant that nothing in the run reads need not be
// evaluated by the engine's thread: see encoder.h.
#ifndef TAC_RECORD_SAMPLER_H
#define TAC_RECORD_SAMPLER_H

#include "record/sink.h"

#include <string.h>

typedef struct tac__copy { // from the bus into a sample
    tac__watched from;
    size_t at, bytes;
} tac__copy;

// Copies that lie side by side in memory and in the sample, as one. Signals of a component mostly
// do: 17 of a scenario are one move.
typedef struct tac__move {
    const void *from;
    size_t at, bytes; // whole words
} tac__move;

typedef struct tac__moves {
    tac__move *items;
    size_t count;
} tac__moves;

// Copies in a row whose values are at one instant all on the bus, or all where outputs are
// evaluated for watchers: it is enough to ask for the first.
typedef struct tac__row {
    size_t first, count; // copies
    tac__moves bus, scratch;
} tac__row;

typedef struct tac__window tac__window;

struct tac__channel {
    tac__moves moves; // of all but outputs of the plant: states and what steps write
    bool plant;       // it has signals of the plant: `rows` say where they are
    void *slot;       // the sink's
    tac__layout layout;
    tac__sink *sink;
    tac__sampler *sampler;
    const tac__pick *pick;
    const char *component; // "" where the channel is of several
    tac__copy *copies;     // one a signal
    tac__row *rows;
    size_t row_count;
    unsigned char *last, *last_message; // hold: the last sample, once `begun`, and its message;
                                        // behind that room for the next
    bool begun;
    tac__tap tap;
    uint32_t seen;       // every: steps since the last sample
    tac_time sampled_us; // island: 1 us after the last sample at a boundary; 0: none
    tac__window *window;
};

// All channels that are sampled on one axis.
typedef struct tac__axis {
    tac__sampler *sampler;
    tac_time period_us;
    tac__channel **channels;
    size_t count;
    TAC__CAPACITY(tac__channel *) capacity;
} tac__axis;

struct tac__sampler {
    tac_recorder *recorder;
    tac_engine *engine;
    tac__sink *sink;
    tac__picks picks;
    tac__channel *channels; // one a pick
    tac__axis *axes;
    size_t axis_count;
    TAC__CAPACITY(tac__axis) axis_capacity;
    bool begun; // there may be something to close
};

// While the engine is resolved: select channels and have them sampled once the sink is open.
tac_status tac__sampler_plan(tac__sampler *sampler, tac_error *err);
// On a prepared engine: find where values are and open the sink. A run that goes on from a
// checkpoint resumes: what holds by then may not be written again for long.
void tac__sampler_resume(tac__sampler *sampler);
tac_status tac__sampler_begin(tac__sampler *sampler, tac_error *err);
tac_status tac__sampler_end(tac__sampler *sampler, const char *failure, tac_error *err);
void tac__sampler_fini(tac__sampler *sampler);
// The phase in which a run begins is written by nobody: at the start it is sampled, so that readers
// know it before the first change.
void tac__sampler_start(tac__sampler *sampler, tac_time t_us);

// Which NaN a value is, is up to the machine; in a recording they are one.
void tac__channel_mend_nans(const tac__channel *channel, unsigned char *message);

// --- filling a sample ---------------------------------------------------------------------------

// Whole words, mostly a few: not worth a call.
static inline void tac__copy_words(unsigned char *to, const unsigned char *from, size_t bytes)
{
    for (; bytes >= 16; to += 16, from += 16, bytes -= 16)
        memcpy(to, from, 16);
    if (bytes)
        memcpy(to, from, 8);
}

static inline void tac__moves_make(const tac__moves *moves, unsigned char *sample)
{
    for (const tac__move *m = moves->items, *end = m + moves->count; m < end; m++)
        tac__copy_words(sample + m->at, m->from, m->bytes);
}

void tac__channel_fill_rows(const tac__channel *channel, tac_engine *engine, tac_time t_us,
                            unsigned char *sample);

// All values as they are now.
static inline void tac__channel_fill(const tac__channel *c, tac_engine *engine, tac_time t_us,
                                     unsigned char *sample)
{
    if (c->plant)
        tac__channel_fill_rows(c, engine, t_us, sample);
    else
        tac__moves_make(&c->moves, sample);
}

// --- window.c: samples round an event ---
tac_status tac__window_create(tac__channel *channel, tac_error *err);
void tac__window_sample(tac__channel *channel, tac_engine *engine, tac_time t_us);
void tac__window_destroy(tac__channel *channel);

#endif
