// random.h - counter-based random streams: Philox 4x32-10.
//
// A stream is keyed by the seed of the run and its name, a draw by its index. Nothing is carried
// from draw to draw, so streams never interact and any draw can be made again.
#ifndef TAC_BASE_RANDOM_H
#define TAC_BASE_RANDOM_H

#include "base/philox.h"

#include <stddef.h>

typedef struct tac__stream {
    uint32_t key[2];
    uint32_t high[2]; // upper half of the counter: the rest of the name's hash
} tac__stream;

// The four words of draw number `index`.
TAC__PURE void tac__stream_words(const tac__stream *stream, uint64_t index, uint32_t words[4])
{
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), stream->high[0],
                                 stream->high[1]};
    tac__philox(counter, stream->key, words);
}

// Uniform in [0, 1): the 53 upper bits of the first two words.
TAC__PURE double tac__uniform_of(const uint32_t words[4])
{
    const uint64_t bits = (uint64_t)words[0] << 32 | words[1];
    return (double)(int64_t)(bits >> 11) * 0x1p-53;
}

// The streams of several lanes side by side, a word of 64 bits for each of 32.
enum { TAC__STREAM_LANES = 8 };
typedef struct tac__stream_lanes {
    uint64_t key[2][TAC__STREAM_LANES], high[2][TAC__STREAM_LANES];
} tac__stream_lanes;

TAC__PURE void tac__stream_lanes_set(tac__stream_lanes *streams, int lane,
                                     const tac__stream *stream)
{
    for (int i = 0; i < 2; i++) {
        streams->key[i][lane] = stream->key[i];
        streams->high[i][lane] = stream->high[i];
    }
}

TAC__PURE tac__stream tac__stream_lanes_get(const tac__stream_lanes *streams, int lane)
{
    tac__stream stream;
    for (int i = 0; i < 2; i++) {
        stream.key[i] = (uint32_t)streams->key[i][lane];
        stream.high[i] = (uint32_t)streams->high[i][lane];
    }
    return stream;
}

#ifndef __cplusplus

tac__stream tac__stream_make(uint64_t seed, const char *name);

// The same for a name of several parts, where ("ab", "c") differs from ("a", "bc").
tac__stream tac__stream_make_path(uint64_t seed, const char *const *parts, size_t count);

double tac__stream_uniform(const tac__stream *stream, uint64_t index);

#endif

#endif
