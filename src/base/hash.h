// hash.h - the 64-bit content hash, the same on every machine.
//
// The state is one 64-bit word; words of 64 bits are mixed in one by one (multiply, fold, rotate).
// Not cryptographic: it tells runs apart, it does not withstand an adversary.
#ifndef TAC_BASE_HASH_H
#define TAC_BASE_HASH_H

#include "base/floats.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t tac__hash;

#define TAC__HASH_SEED   UINT64_C(0x9e3779b97f4a7c15)
#define TAC__HASH_FACTOR UINT64_C(0xd6e8feb86659fd93)

// Mix one word in. Each step is a bijection of the state for a given word, and of the word for a
// given state: no difference is lost by a single step.
static inline tac__hash tac__hash_word(tac__hash h, uint64_t word)
{
    h = (h ^ word) * TAC__HASH_FACTOR;
    return h ^ (h >> 32);
}

// A double by its bits, with every NaN alike: which NaN an operation gives is up to the compiler.
static inline tac__hash tac__hash_f64(tac__hash h, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return tac__hash_word(h, value == value ? word : TAC__NAN_BITS);
}

tac__hash tac__hash_bytes(tac__hash h, const void *bytes, size_t n); // length counts too
// The same in parts, all but the last of which have a multiple of 8 bytes; tac__hash_word of the
// whole length ends it.
tac__hash tac__hash_part(tac__hash h, const void *bytes, size_t n);
tac__hash tac__hash_text(tac__hash h, const char *text);

// Last step, so that short inputs fill all 64 bits.
uint64_t tac__hash_end(tac__hash h);
// The state before the last step, which is a bijection.
tac__hash tac__hash_reopen(uint64_t hash);

#endif
