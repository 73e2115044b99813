// floats.h - the floating-point environment in which Tactus computes: rounding to nearest, nothing
// flushed to zero, all traps masked. A host, a plugin's start-up code or a library may leave
// another one behind, and every result depends on it.
//
// A public function that computes, reads numbers or prints them begins with TAC__FLOATS, a thread
// of our own too; the caller's environment is back when it returns. Code that is not ours (plugins,
// PX4, callbacks of the host) is called in our environment and may not change it for what follows:
// after such a call, tac__floats_kept.
//
// On x86-64 this is MXCSR and, for long double in plugins, the control word of the x87 (the library
// itself has no x87 instruction); on AArch64 it is FPCR; elsewhere whatever <fenv.h> knows.
#ifndef TAC_BASE_FLOATS_H
#define TAC_BASE_FLOATS_H

#include <stdbool.h>
#include <stdint.h>

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

// Is it still ours? Where not, it is put back.
bool tac__floats_kept(void);

// From here to the end of the block.
#define TAC__FLOATS                                                                                \
    __attribute__((cleanup(tac__floats_leave))) tac__floats floats_found_;                         \
    tac__floats_enter(&floats_found_)

#endif
