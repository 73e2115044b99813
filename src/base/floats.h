// floats.h - the floating-point environment in which Tactus computes: rounding to nearest, nothing
// flushed to zero, all traps masked. A host program, a plugin's start-up code or a library may
// leave a different environment behind, and every result depends on it.
//
// A public function that computes, reads numbers or prints them begins with TAC__FLOATS; so does
// each thread of the library. The caller's environment is restored on return. Foreign code
// (plugins, PX4, callbacks of the host) is called in our environment and may not change it for what
// follows: after such a call, use tac__floats_kept.
//
// On x86-64 this is MXCSR and, for long double in plugins, the control word of the x87 (the library
// itself has no x87 instruction); on AArch64 it is FPCR; elsewhere whatever <fenv.h> knows.
//
// Also here: the one NaN. Which bits a NaN has depends on machine and compiler, so every NaN that
// leaves the engine (in digests, messages, recordings, checkpoints, texts) gets the same bits.
#ifndef TAC_BASE_FLOATS_H
#define TAC_BASE_FLOATS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if !defined __x86_64__ && !defined __aarch64__
#include <fenv.h>
#endif

typedef struct tac__floats { // as it was found, with the flags of exceptions
#if defined __x86_64__
    uint32_t mxcsr;
    uint16_t x87;    // control word
    uint32_t env[7]; // all of the x87 besides its numbers; only where the control word was another
#elif defined __aarch64__
    uint64_t fpcr, fpsr;
#else
    fenv_t env;
#endif
} tac__floats;

void tac__floats_enter(tac__floats *found);
void tac__floats_leave(const tac__floats *found);

// Whether the environment is still ours. If it is not, it is restored to ours.
bool tac__floats_kept(void);

// Compute in our environment from here to the end of the enclosing block.
#define TAC__FLOATS                                                                                \
    __attribute__((cleanup(tac__floats_leave))) tac__floats floats_found_;                         \
    tac__floats_enter(&floats_found_)

#define TAC__NAN_BITS UINT64_C(0x7ff8000000000000) // as 0.0 / 0.0 has them on ARM

static inline bool tac__is_nan_word(uint64_t word)
{
    return (word & INT64_MAX) > UINT64_C(0x7ff0000000000000);
}

// Replace every NaN among `count` doubles, which need not be aligned, by the one NaN.
static inline void tac__one_nan(void *doubles, size_t count)
{
    unsigned char *at = (unsigned char *)doubles;
    for (size_t i = 0; i < count; i++, at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        if (tac__is_nan_word(word)) {
            word = TAC__NAN_BITS;
            memcpy(at, &word, sizeof word);
        }
    }
}

#endif
