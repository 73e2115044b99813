// mcap_sink.h - the inside of the sink that writes an MCAP file.
#ifndef TAC_RECORD_MCAP_SINK_H
#define TAC_RECORD_MCAP_SINK_H

#include "base/names.h"
#include "record/encoder.h"
#include "record/recorder.h"

typedef struct tac__mcap_sink {
    tac__sink base;
    tac__mcap_writer *writer; // NULL: not created yet, or closed
    tac__names types;         // of messages
} tac__mcap_sink;

// --- describe.c: what stands in the file besides samples ---
// The head: who wrote it, of what model, with which configuration, from which initial values.
tac_status tac__mcap_sink_describe(tac__mcap_sink *sink, tac_error *err);
// A channel of signals.
tac_status tac__mcap_sink_channel(tac__mcap_sink *sink, tac__channel *channel);
// A stream of something else; UINT16_MAX: no memory, and the writer failed.
uint16_t tac__mcap_sink_stream(tac__mcap_sink *sink, tac__channel_kind kind, const char *subject,
                               const char *names);
// The end: how the run went.
void tac__mcap_sink_conclude(tac__mcap_sink *sink, const char *failure);

#endif
