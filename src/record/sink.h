// sink.h - where a recording goes: one small interface in front of files and streams.
//
// A recorder is a list of samplers, each with a sink of its own. The sampler (sampler.h) watches
// the engine and decides when a channel is sampled; the sink says which channels it wants and takes
// their samples. To add a sink: a file with its table of functions, and a line in `add_sinks` of
// recorder.c.
//
//   mcap_sink.c   an MCAP file, by tier and rules, with all that replay needs
//   csv_sink.c    a table that grows as the run goes on
#ifndef TAC_RECORD_SINK_H
#define TAC_RECORD_SINK_H

#include "record/recording.h"
#include "record/select.h"

typedef struct tac__sink tac__sink;
typedef struct tac__channel tac__channel;
typedef struct tac__sampler tac__sampler;

typedef struct tac__sink_type {
    // The channels that it wants. While the engine is resolved.
    tac_status (*select)(const tac__sink *sink, const tac_engine *engine, tac__arena *arena,
                         tac__picks *picks, tac_error *err);
    // Create the file. The engine is prepared, and the channels of the sampler are laid out.
    tac_status (*open)(tac__sink *sink, tac_error *err);
    // Take a sample of a channel as its values are now. Also a tap's function, so that a sample of
    // what a step writes costs one call.
    void (*sample)(void *channel, tac_engine *engine, tac_time t_us);
    // Take a sample of a channel that was filled before. Only for channels in modes `hold` and
    // `window`.
    void (*append)(const tac__channel *channel, tac_time t_us, const unsigned char *sample);
    // What is recorded besides signals (streams.h): announce a stream, and put a message into it.
    // NULL: the sink takes signals only.
    uint16_t (*stream)(tac__sink *sink, tac__channel_kind kind, const char *subject,
                       const char *names);
    void (*put)(tac__sink *sink, uint16_t stream, tac_time t_us, const void *bytes, size_t size);
    // All that was taken so far goes out, for sinks with streams. `settle`: also wait until what
    // went out by the last such call has arrived.
    void (*flush)(tac__sink *sink, bool settle);
    // The run is over; `failure` says why it did not come to its end, "" if it did.
    tac_status (*close)(tac__sink *sink, const char *failure, tac_error *err);
} tac__sink_type;

// What every sink begins with.
struct tac__sink {
    const tac__sink_type *type;
    tac_recorder *recorder;
    tac__sampler *sampler;
    bool open; // between open and close
};

// NULL: no memory, which is the recorder's arena's.
tac__sink *tac__mcap_sink_make(tac_recorder *recorder);
tac__sink *tac__csv_sink_make(tac_recorder *recorder);

#endif
