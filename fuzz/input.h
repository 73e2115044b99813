// input.h - the bytes of a fuzzer, taken one after the other: what a target does next, and with
// which numbers.
#ifndef TAC_FUZZ_INPUT_H
#define TAC_FUZZ_INPUT_H

#include <stdbool.h>
#include <stdlib.h>
#include <tactus/time.h>

typedef struct input {
    const uint8_t *at, *end;
} input;

static inline void check(bool fine)
{
    if (!fine)
        abort();
}

static inline unsigned byte(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

// Mostly small times, sometimes extreme ones.
static inline uint64_t number(input *in)
{
    const unsigned first = byte(in);
    if (first < 0xf0)
        return first;
    if (first < 0xfc)
        return (uint64_t)(first & 0xf) << 8 | byte(in);
    return first == 0xfc   ? TAC_TIME_MAX
           : first == 0xfd ? TAC_TIME_MAX + 1
           : first == 0xfe ? TAC_TIME_NEVER
                           : UINT64_C(1) << 63;
}

#endif
