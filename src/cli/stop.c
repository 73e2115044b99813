// stop.c - the one signal handler. It does nothing but tell the engine.
#include "cli/stop.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static _Atomic(tac_engine *) running;
static volatile sig_atomic_t received;

static void on_signal(int number)
{
    received = number;
    tac_engine *engine = atomic_load(&running);
    if (engine)
        tac_engine_stop(engine);
}

void cli_stop_begin(tac_engine *engine)
{
    atomic_store(&running, engine);
    // Reset as it is taken, so that the second one kills. Shells start background jobs of scripts
    // with SIGINT ignored; it is taken all the same, as whoever sends it by name means it.
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void cli_stop_end(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    atomic_store(&running, NULL);
}

const char *cli_stop_signal(void)
{
    return received == 0 ? NULL : received == SIGTERM ? "SIGTERM" : "SIGINT";
}
