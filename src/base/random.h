// random.h - counter-based random streams: Philox 4x32-10.
//
// A stream is keyed by the seed of the run and its name, a draw by its index. Nothing is carried
// from draw to draw, so streams never interact and any draw can be made again.
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11.
#ifndef TAC_BASE_RANDOM_H
#define TAC_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

enum { TAC__PHILOX_ROUNDS = 10 };

typedef struct tac__stream {
    uint32_t keys[TAC__PHILOX_ROUNDS][2]; // of each round; the first is the key itself
    uint32_t high[2];                     // upper half of the counter: the rest of the name's hash
} tac__stream;

tac__stream tac__stream_make(uint64_t seed, const char *name);

// The same for a name of several parts, where ("ab", "c") differs from ("a", "bc").
tac__stream tac__stream_make_path(uint64_t seed, const char *const *parts, size_t count);

// The four words of draw number `index`.
void tac__stream_words(const tac__stream *stream, uint64_t index, uint32_t words[4]);

// The words of the draws from `index` on, all at once: word k of draw index + i is words[k][i].
enum { TAC__STREAM_WIDE = 4 };
void tac__stream_words_wide(const tac__stream *stream, uint64_t index,
                            uint32_t words[4][TAC__STREAM_WIDE]);

// Uniform in [0, 1): the 53 upper bits of the first two words.
double tac__stream_uniform(const tac__stream *stream, uint64_t index);

// The bare generator: keys of the rounds from a key, and the words of a counter.
void tac__philox_keys(const uint32_t key[2], uint32_t keys[TAC__PHILOX_ROUNDS][2]);
void tac__philox(const uint32_t counter[4], const uint32_t keys[TAC__PHILOX_ROUNDS][2],
                 uint32_t words[4]);

#endif
