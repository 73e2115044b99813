// random.c - named streams.
#include "base/random.h"
#include "base/hash.h"

tac__stream tac__stream_make_path(uint64_t seed, const char *const *parts, size_t count)
{
    // Two independent hashes of (seed, name): 128 bits, so that two names never share a stream.
    tac__hash a = tac__hash_word(TAC__HASH_SEED, seed), b = tac__hash_word(~TAC__HASH_SEED, seed);
    for (size_t i = 0; i < count; i++) {
        a = tac__hash_text(a, parts[i]);
        b = tac__hash_text(b, parts[i]);
    }
    a = tac__hash_end(a);
    b = tac__hash_end(b);
    return (tac__stream){.key = {(uint32_t)a, (uint32_t)(a >> 32)},
                         .high = {(uint32_t)b, (uint32_t)(b >> 32)}};
}

tac__stream tac__stream_make(uint64_t seed, const char *name)
{
    return tac__stream_make_path(seed, &name, 1);
}

double tac__stream_uniform(const tac__stream *stream, uint64_t index)
{
    uint32_t w[4];
    tac__stream_words(stream, index, w);
    return tac__uniform_of(w);
}
