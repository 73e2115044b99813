// pace.h - real time: the wall clock, waiting for it, and measuring lateness.
#ifndef TAC_CLI_PACE_H
#define TAC_CLI_PACE_H

#include <stdint.h>
#include <tactus/time.h>

// The monotonic clock, in nanoseconds since some instant.
int64_t cli_now_ns(void);

// How late boundaries began, as counts in classes that are 1/16 of their value wide, so that memory
// does not depend on the length of the run.
enum { CLI_JITTER_CLASSES = 64 * 16 };

typedef struct cli_jitter {
    uint64_t classes[CLI_JITTER_CLASSES];
    uint64_t count;
    uint64_t late; // by more than CLI_LATE_NS
    double sum_ns;
    int64_t max_ns;
} cli_jitter;

#define CLI_LATE_NS INT64_C(1000000)

void cli_jitter_add(cli_jitter *jitter, int64_t late_ns);
double cli_jitter_mean_us(const cli_jitter *jitter);
double cli_jitter_max_us(const cli_jitter *jitter);
// The lateness that a share `q` of the boundaries did not exceed; never too small, and at most 1/16
// too large.
double cli_jitter_quantile_us(const cli_jitter *jitter, double q);

// Simulated time t is due when (t - start) / factor has passed on the wall clock. After a delay the
// run catches up: due times follow the wall clock and are never moved.
typedef struct cli_pace {
    double factor; // 2: twice as fast as real time
    tac_time start_us;
    int64_t start_ns;
} cli_pace;

void cli_pace_begin(cli_pace *pace, double factor, tac_time start_us);
int64_t cli_pace_due_ns(const cli_pace *pace, tac_time t_us);
// Sleep until that time on the clock, or until a signal arrives.
void cli_sleep_until(int64_t ns);

#endif
