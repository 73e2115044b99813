// watchdog.c - the list of watches and the thread that checks them. The thread exists as long as
// there are watches. The lock guards the list and is held while a hanging call is reported.
#include "autopilot/px4/watchdog.h"
#include "base/error.h"
#include "base/floats.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { IDLE, CALLING, TOLD };

// How often a watch is checked within the time that a call may take.
enum { LOOKS = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static tac__watch *watches;
static pthread_t thread;
static bool running;
static uintptr_t era; // number of the present thread: an older thread finds another number and ends

// --- the thread ---------------------------------------------------------------------------------

static tac_time interval(void)
{
    tac_time shortest_us = TAC_TIME_NEVER;
    for (const tac__watch *w = watches; w; w = w->next)
        shortest_us = w->limit_us < shortest_us ? w->limit_us : shortest_us;
    return shortest_us / LOOKS + 1;
}

static void look(tac__watch *w, tac_time passed_us)
{
    const uint64_t calls = atomic_load_explicit(&w->calls, memory_order_relaxed);
    if (atomic_load(&w->state) != CALLING || calls != w->seen) {
        w->seen = calls;
        w->looks = 0;
        return;
    }
    const tac_time stood_us = ++w->looks * passed_us;
    int calling = CALLING;
    if (stood_us < w->limit_us || !atomic_compare_exchange_strong(&w->state, &calling, TOLD))
        return;
    const tac_hang hang = {
        .component = w->hook.component,
        .call = atomic_load_explicit(&w->call, memory_order_relaxed),
        .seconds = tac_time_seconds(stood_us),
    };
    w->hook.tell(w->hook.context, &hang);
    (void)tac__floats_kept();
}

static void *keep_looking(void *own_era)
{
    TAC__FLOATS;
    pthread_mutex_lock(&lock);
    while (era == (uintptr_t)own_era) {
        const tac_time wait_us = interval();
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        const uint64_t ns = (uint64_t)until.tv_nsec + wait_us % 1000000 * 1000;
        until.tv_sec += (time_t)(wait_us / 1000000 + ns / 1000000000);
        until.tv_nsec = (long)(ns % 1000000000);
        if (pthread_cond_timedwait(&changed, &lock, &until) == 0)
            continue; // the list has changed
        for (tac__watch *w = watches; w; w = w->next)
            look(w, wait_us);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

// The thread blocks all signals: they are handled by the others.
static int start_thread(void)
{
    static bool made;
    if (!made) {
        pthread_condattr_t attributes;
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        pthread_cond_init(&changed, &attributes);
        pthread_condattr_destroy(&attributes);
        made = true;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int trouble = pthread_create(&thread, NULL, keep_looking, (void *)era);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return trouble;
}

// --- watches ------------------------------------------------------------------------------------

tac_status tac__watch_start(tac__watch *w, const tac__hang_hook *hook, tac_time limit_us,
                            tac_error *err)
{
    *w = (tac__watch){.hook = *hook, .limit_us = limit_us};
    if (!hook->tell || limit_us == 0)
        return TAC_OK;
    pthread_mutex_lock(&lock);
    w->next = watches;
    watches = w;
    w->watched = true;
    if (running)
        pthread_cond_broadcast(&changed);
    else
        running = start_thread() == 0;
    const bool watching = running;
    pthread_mutex_unlock(&lock);
    if (watching)
        return TAC_OK;
    tac__watch_stop(w);
    return tac__fail(err, TAC_E_MEMORY, "cannot start a thread that watches calls into libraries");
}

void tac__watch_stop(tac__watch *w)
{
    if (!w->watched)
        return;
    pthread_mutex_lock(&lock);
    tac__watch **at = &watches;
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    w->watched = false;
    const bool last = !watches && running;
    const pthread_t ending = thread;
    if (last) {
        running = false;
        era++;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    if (last)
        pthread_join(ending, NULL);
}

void tac__watch_begin(tac__watch *w)
{
    tac__watch_call(w, "");
    atomic_store_explicit(&w->state, CALLING, memory_order_release);
}

void tac__watch_end(tac__watch *w)
{
    if (atomic_exchange(&w->state, IDLE) != TOLD)
        return;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}
