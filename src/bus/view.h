// view.h - how a reader sees a signal: histories of recent writes, and views through routes and
// synchronisation policies.
//
// A plain input points at the signal itself and costs nothing. All else is a view: a small program
// that puts the value as seen at time t into a buffer of the reader's own.
//
// Exact meaning, with the writer's period T, the time t' = t - delay, and the last write at or
// before t' (before t, where the route is `delayed`) at t_n:
//   ZOH           v_n
//   INTERPOLATED  r_lerp(v_{n-1}, v_n, c),   c = (t' - t_n) / T
//   EXTRAPOLATED  v_n + c (v_n - v_{n-1}), or v_n + (t' - t_n) d_n with a declared derivative d
// Quaternions go along the shorter great circle. With fewer than two writes, for writers without a
// regular period, and for anything but f64, a signal holds. Before the first write it has the
// value it was given at the start. c is the quotient of two whole numbers of microseconds.
#ifndef TAC_BUS_VIEW_H
#define TAC_BUS_VIEW_H

#include "base/unit.h"
#include "bus/digest.h"
#include "bus/type.h"

// The last writes of one signal, in a ring. Entry 0 is the value at the start. The pointers lead
// into the block of the run.
typedef struct tac__history {
    uint32_t depth;
    size_t words;     // of one value
    uint64_t *writes; // so far
    tac_time *times;  // of entry n: times[n % depth]
    uint64_t *values; // of entry n: values + n % depth * words
} tac__history;

void tac__history_start(const tac__history *history, const void *value);
void tac__history_push(const tac__history *history, tac_time t_us, const void *value);

// Mix in the last `depth` entries: times and values of type `type`.
tac__hash tac__history_mix(const tac__history *history, const tac_type *type, uint32_t depth,
                           tac__hash h);

// How many entries a reader needs: those inside the delay, the two of the policy, the one of the
// present boundary that a delayed reader must not see, and one to spare.
static inline uint32_t tac__history_depth(tac_time delay_us, tac_time period_us)
{
    return 4 + (period_us ? (uint32_t)(delay_us / period_us) : 0);
}

typedef struct tac__view {
    tac_type type;                  // of the whole signal
    uint32_t element, count;        // the part that is seen
    const void *signal;             // its present value
    const tac__history *history;    // NULL: `signal` is what is seen
    const tac__history *derivative; // NULL: slope from the last two values
    tac_policy policy;
    tac_time period_us; // of the writer, 0 where it has none
    tac_time delay_us;
    bool delayed;
    bool as_f64; // the reader takes numbers of another type as f64
    bool scaled;
    tac__factor factor; // unit conversion
    double gain, offset;
    void *target;
} tac__view;

// The last entry of the history that counts at t' = t_us - delay.
uint64_t tac__view_entry(const tac__view *view, tac_time t_us);

// Put what is seen at `t_us` into the target.
void tac__view_update(const tac__view *view, tac_time t_us);

#endif
