// stop.c - the signal handler. It only tells the engine to stop, unless the engine does not
// respond.
#include "cli/stop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct {
    int number;
    const char *name;
} signals[] = {
    {SIGINT, "SIGINT"},   {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"},
    {SIGXCPU, "SIGXCPU"}, {SIGPIPE, "SIGPIPE"},
};
enum { SIGNALS = sizeof signals / sizeof *signals };

static atomic_bool active; // a run is under way, of this engine or of other processes
static _Atomic(tac_engine *) running;
static volatile sig_atomic_t received, told;
static char waiting[700];     // text to print while a recording is closed
static struct timespec since; // time of the first signal, written before `received`
static char farewell[700];    // text to print when the program is killed
static struct sigaction before[SIGNALS];

// A second signal within this time may be a copy of the first: from the terminal and from the
// parent.
enum { PATIENCE_MS = 1000 };

static bool is_patient(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - since.tv_sec) * 1000 + (now.tv_nsec - since.tv_nsec) / 1000000 <
           PATIENCE_MS;
}

// Print, unless that would block: standard error may be a full pipe that nobody reads, and the
// interrupted run may be waiting for the same pipe. That run must find its errno unchanged.
static void say(const char *text)
{
    int error = errno;
    struct pollfd writable = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&writable, 1, 0) == 1)
        (void)!write(STDERR_FILENO, text, strlen(text));
    errno = error;
}

static void die_of(int number)
{
    struct sigaction action;
    sigset_t one;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
    say(farewell);
    sigemptyset(&one);
    sigaddset(&one, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL); // the signal is delivered here
}

static void on_signal(int number)
{
    tac_engine *engine = atomic_load(&running);
    if (!atomic_load(&active)) {
        if (!told)
            say(waiting);
        told = 1;
    } else if (!received) {
        clock_gettime(CLOCK_MONOTONIC, &since);
        received = number;
    } else if (number != SIGPIPE && number != SIGXCPU && !is_patient()) {
        die_of(number);
    }
    if (engine)
        tac_engine_stop(engine);
}

// Shells start background jobs of scripts with SIGINT ignored; it is handled nevertheless, because
// a SIGINT sent by name is meant for this program. Any other ignored signal stays ignored: nohup
// relies on that.
void cli_stop_begin(tac_engine *engine, const char *recording)
{
    if (recording)
        snprintf(farewell, sizeof farewell,
                 "killed: the recording was not closed; what was flushed of it can be read, and "
                 "'tactus recover %.512s' makes it whole\n",
                 recording);
    else
        farewell[0] = '\0';
    if (recording)
        snprintf(waiting, sizeof waiting, "closing the recording '%.512s'\n", recording);
    else
        waiting[0] = '\0';
    atomic_store(&running, engine);
    atomic_store(&active, true);
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        action.sa_flags = (int)SA_RESTART;
        sigemptyset(&action.sa_mask);
        sigaction(signals[i].number, NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN || signals[i].number == SIGINT)
            sigaction(signals[i].number, &action, NULL);
    }
}

void cli_stop_closing(void)
{
    atomic_store(&active, false);
    atomic_store(&running, NULL);
}

void cli_stop_end(void)
{
    cli_stop_closing();
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i].number, &before[i], NULL);
}

const char *cli_stop_signal(void)
{
    for (int i = 0; i < SIGNALS; i++) {
        if (signals[i].number == received)
            return signals[i].name;
    }
    return NULL;
}

int cli_stop_code(void)
{
    return received ? 128 + received : 0;
}
