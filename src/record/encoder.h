// encoder.h - how the compressor's threads make messages of stored samples: they evaluate deferred
// outputs of the plant (engine/watch.h), put values in the order of a message, and make all NaNs
// one.
//
// An output that nothing in the run reads is evaluated for the recording only. Instead of doing so,
// the engine's thread stores time, states, modes and inputs of the component as the sample; the
// thread that compresses the chunk evaluates the outputs: the same bits, and the simulation does
// not wait for them.
#ifndef TAC_RECORD_ENCODER_H
#define TAC_RECORD_ENCODER_H

#include "record/mcap/mcap.h"
#include "record/sampler.h"

typedef struct tac__encoder {
    const tac__channel *channel;
    tac__deferred outputs; // component NULL: none are deferred
} tac__encoder;

// Have the channel of a file store samples of `channel`.
void tac__encoder_init(tac__encoder *encoder, const tac__channel *channel, tac__mcap_slot *slot);

// Fill in a sample that the slot gave, with values as they are now or what they follow from.
void tac__encoder_store(const tac__encoder *encoder, tac_engine *engine, tac_time t_us,
                        unsigned char *sample);

#endif
