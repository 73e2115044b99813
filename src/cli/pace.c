// pace.c - keeps a run in step with the wall clock. The simulation does not see any of it.
#include "cli/pace.h"

#include <time.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

int64_t cli_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// --- lateness -----------------------------------------------------------------------------------

// Values below 16 have a class each; above that, the class is chosen by the four bits after the
// leading one.
static unsigned class_of(uint64_t ns)
{
    if (ns < 16)
        return (unsigned)ns;
    const unsigned exponent = 63 - (unsigned)__builtin_clzll(ns);
    return (exponent - 3) * 16 + (unsigned)(ns >> (exponent - 4) & 15);
}

// The largest value of a class.
static uint64_t class_end(unsigned class)
{
    if (class < 16)
        return class;
    const unsigned exponent = class / 16 + 3;
    return ((UINT64_C(17) + class % 16) << (exponent - 4)) - 1;
}

void cli_jitter_add(cli_jitter *jitter, int64_t late_ns)
{
    const int64_t ns = late_ns > 0 ? late_ns : 0;
    jitter->classes[class_of((uint64_t)ns)]++;
    jitter->count++;
    jitter->late += ns > CLI_LATE_NS;
    jitter->sum_ns += (double)ns;
    jitter->max_ns = ns > jitter->max_ns ? ns : jitter->max_ns;
}

double cli_jitter_mean_us(const cli_jitter *jitter)
{
    return jitter->count ? jitter->sum_ns / (double)jitter->count / 1e3 : 0.0;
}

double cli_jitter_max_us(const cli_jitter *jitter)
{
    return (double)jitter->max_ns / 1e3;
}

double cli_jitter_quantile_us(const cli_jitter *jitter, double q)
{
    uint64_t seen = 0;
    for (unsigned i = 0; i < CLI_JITTER_CLASSES; i++) {
        seen += jitter->classes[i];
        if (seen && (double)seen >= q * (double)jitter->count) {
            const double end_us = (double)class_end(i) / 1e3, max_us = cli_jitter_max_us(jitter);
            return end_us < max_us ? end_us : max_us;
        }
    }
    return 0.0;
}

// --- waiting ------------------------------------------------------------------------------------

void cli_pace_begin(cli_pace *pace, double factor, tac_time start_us)
{
#ifdef __linux__
    // Linux may delay wake-ups of ordinary threads by 50 us to save energy; ask it not to.
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
#endif
    *pace = (cli_pace){factor, start_us, cli_now_ns()};
}

int64_t cli_pace_due_ns(const cli_pace *pace, tac_time t_us)
{
    const double wait_ns = (double)(t_us - pace->start_us) * 1e3 / pace->factor;
    // With a tiny factor the due time may overflow the clock: limit it to 200 years.
    return pace->start_ns + (wait_ns < 6e18 ? (int64_t)wait_ns : INT64_C(6000000000000000000));
}

void cli_sleep_until(int64_t ns)
{
    const struct timespec until = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}
