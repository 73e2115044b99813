// hang.h - the callback that reports a call into a library that does not return: for components
// that make such calls.
#ifndef TAC_ENGINE_PLAN_HANG_H
#define TAC_ENGINE_PLAN_HANG_H

#include <tactus/engine.h>

typedef struct tac__hang_hook {
    tac_hang_fn *tell; // NULL: no callback
    void *context;
    const char *component; // lives as long as the engine
} tac__hang_hook;

tac__hang_hook tac__step_hang(const tac_step *s);

#endif
