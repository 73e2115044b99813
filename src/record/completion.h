// completion.h - what the compressor's threads do to messages before they compress them: evaluate
// deferred outputs of the plant (engine/watch.h), and make all NaNs one.
//
// An output that nothing in the run reads is evaluated for the recording only. Instead of doing so,
// the engine's thread stores time, states, modes and inputs of the component beside the chunk; the
// thread that compresses the chunk evaluates the outputs and fills in the message: the same bits,
// and the simulation does not wait for them.
#ifndef TAC_RECORD_COMPLETION_H
#define TAC_RECORD_COMPLETION_H

#include "record/mcap/mcap.h"
#include "record/sampler.h"

typedef struct tac__completion {
    const tac__channel *channel;
    tac__deferred outputs; // component NULL: none are deferred
    size_t note_size;      // bytes that are stored for a message
} tac__completion;

// Have the messages of a channel completed.
void tac__completion_init(tac__completion *completion, const tac__channel *channel,
                          tac__mcap_slot *slot);

// Append a message and store what its values follow from, where tac__deferred_ready says so. False:
// the writer failed.
bool tac__completion_sample(const tac__completion *completion, tac__mcap_slot *slot, tac_time t_us);

#endif
