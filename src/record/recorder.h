// recorder.h - the inside of a recorder: a sampler (sampler.h) for each sink (sink.h), and what is
// recorded besides signals (streams.h).
//
// The engine's thread copies samples into chunks of the MCAP writer (mcap/mcap.h), whose threads
// make messages of them (encoder.h), compress and write them.
#ifndef TAC_RECORD_RECORDER_H
#define TAC_RECORD_RECORDER_H

#include "record/streams.h"

#include <tactus/expect.h>

enum { TAC__SINKS_MAX = 2 };

struct tac_recorder {
    const tac_allocator *allocator;
    tac__arena arena;
    tac_recorder_def def;
    tac_engine *engine;
    tac__sampler samplers[TAC__SINKS_MAX];
    size_t sampler_count;
    tac__streams streams; // of the first sink that takes them; its `sink` NULL: none does
    tac_error err;        // the first failure, with `failed`
    bool failed;
    const tac_verdict *verdict; // what came of it is written at the end; NULL: nothing
    bool begun;                 // and not ended: the engine goes forward only
};

// What went wrong stops the run; the first counts.
void tac__recorder_fail(tac_recorder *recorder);

#endif
