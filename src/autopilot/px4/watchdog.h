// watchdog.h - notices calls into a library that do not return.
//
// A watch belongs to the thread that makes the calls. Between begin and end it stores which call
// comes next; that costs two plain stores and reads no clock. One thread for the whole process
// checks all watches in turn, and counts how often it found the same call. So time during which the
// whole process was stopped does not count.
#ifndef TAC_AUTOPILOT_PX4_WATCHDOG_H
#define TAC_AUTOPILOT_PX4_WATCHDOG_H

#include "engine/plan/hang.h"

#include <stdatomic.h>

typedef struct tac__watch tac__watch;
struct tac__watch {
    atomic_int state; // idle, in a call, or reported
    atomic_uint_least64_t calls;
    const char *_Atomic call;
    // Used by the watchdog, under its lock.
    tac__hang_hook hook;
    tac_time limit_us;
    uint64_t seen;
    uint32_t looks;
    tac__watch *next;
    bool watched;
};

// A call that has not returned after `limit_us` is reported to `hook`; never if the limit is 0 or
// there is no hook. The watch must not move in memory until it is stopped.
tac_status tac__watch_start(tac__watch *w, const tac__hang_hook *hook, tac_time limit_us,
                            tac_error *err);
// Call it outside of begin and end. A watch of zeros may be stopped, too.
void tac__watch_stop(tac__watch *w);

void tac__watch_begin(tac__watch *w);
// Waits while a call is being reported.
void tac__watch_end(tac__watch *w);

// `call` is a text that stays valid.
static inline void tac__watch_call(tac__watch *w, const char *call)
{
    const uint64_t calls = atomic_load_explicit(&w->calls, memory_order_relaxed);
    atomic_store_explicit(&w->call, call, memory_order_relaxed);
    atomic_store_explicit(&w->calls, calls + 1, memory_order_relaxed);
}

#endif
