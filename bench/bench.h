// bench.h - what every benchmark shares: the best of many short bursts, and one line a result.
#ifndef TAC_BENCH_BENCH_H
#define TAC_BENCH_BENCH_H

#include <stdio.h>
#include <time.h>

static inline double bench_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Seconds of the fastest of `bursts` calls of `run(context)`: on a shared machine the others
// measure the neighbours.
static inline double bench_best_s(void (*run)(void *context), void *context, int bursts)
{
    double best = 1e300;
    for (int i = 0; i < bursts; i++) {
        const double start = bench_now_s();
        run(context);
        const double took = bench_now_s() - start;
        best = took < best ? took : best;
    }
    return best;
}

// One row of the table. `limit` is as in "<= 40" or ">= 1.5", or "" where nothing is promised.
static inline void bench_report(const char *name, double value, const char *unit, const char *limit,
                                const char *note)
{
    printf("%s\t%.4g\t%s\t%s\t%s\n", name, value, unit, limit, note);
    fflush(stdout);
}

// A row that cannot be measured here.
static inline void bench_skip(const char *name, const char *why)
{
    printf("%s\t-\t\t\t%s\n", name, why);
    fflush(stdout);
}

// The compiler must assume that `*p` is used and changed here.
static inline void bench_keep(void *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

#endif
