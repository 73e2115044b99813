// watchdog.h - notices calls into a library that do not return.
//
// A watch belongs to who makes the calls. Between begin and end it says which call it makes next;
// that costs two plain stores and looks at no clock. One thread for the whole process looks at all
// watches in turn, and counts the looks at which one was found in the same call. So the time during
// which the process itself stood still does not count.
#ifndef TAC_AUTOPILOT_PX4_WATCHDOG_H
#define TAC_AUTOPILOT_PX4_WATCHDOG_H

#include "engine/plan/hang.h"

#include <stdatomic.h>

typedef struct tac__watch tac__watch;
struct tac__watch {
    atomic_int state; // idle, in calls, told of
    atomic_uint_least64_t calls;
    const char *_Atomic call;
    // Of the watchdog, under its lock.
    tac__hang_hook hook;
    tac_time limit_us;
    uint64_t seen;
    uint32_t looks;
    tac__watch *next;
    bool watched;
};

// A call that has not returned after `limit_us` is told to `hook`; 0, or nobody to tell: never. The
// watch must not move until it is stopped.
tac_status tac__watch_start(tac__watch *w, const tac__hang_hook *hook, tac_time limit_us,
                            tac_error *err);
// Outside of begin and end. A watch of zeros may be stopped too.
void tac__watch_stop(tac__watch *w);

void tac__watch_begin(tac__watch *w);
// Waits where a call is being told of just now.
void tac__watch_end(tac__watch *w);

// `call` is a text that stays.
static inline void tac__watch_call(tac__watch *w, const char *call)
{
    const uint64_t calls = atomic_load_explicit(&w->calls, memory_order_relaxed);
    atomic_store_explicit(&w->call, call, memory_order_relaxed);
    atomic_store_explicit(&w->calls, calls + 1, memory_order_relaxed);
}

#endif
