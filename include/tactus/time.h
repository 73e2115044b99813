// time.h - time is a whole number of microseconds since the start of the run.
//
// Floating-point time decides nothing. Text is read and written exactly: a value that is not a
// whole number of microseconds is an error that names the two nearest ones.
#ifndef TACTUS_TIME_H
#define TACTUS_TIME_H

#include <tactus/status.h>

typedef uint64_t tac_time;

#define TAC_TIME_NEVER UINT64_MAX
#define TAC_TIME_MAX   (UINT64_C(1) << 62) // 146,000 years: sums of two times never overflow

enum { TAC_TIME_TEXT = 32 };

TAC_BEGIN_DECLS

// Read a duration: "4 ms", "0.004 s", "4000 us", "2 min", "1 h". A unit is required, "0" excepted.
TAC_API TAC_MUST_CHECK tac_status tac_time_parse(const char *text, tac_time *t_us, tac_error *err);

// Read a period, as a duration ("4 ms") or as a rate ("250 Hz", "1.5 kHz"). Never zero.
TAC_API TAC_MUST_CHECK tac_status tac_period_parse(const char *text, tac_time *period_us,
                                                   tac_error *err);

// Write the shortest text that tac_time_parse reads back: "4 ms", "1.5 s", "1 us", "never".
TAC_API void tac_time_print(tac_time t_us, char text[TAC_TIME_TEXT]);

// Seconds as the nearest double: for equations and display, never for decisions.
static inline double tac_time_seconds(tac_time t_us)
{
    return (double)t_us / 1e6;
}

TAC_END_DECLS
#endif
