// bounds.h - terms on ranges: between which numbers a value lies while its inputs lie between
// theirs. Each operation takes the range of its operands for independent, so a range may be too
// wide, but never too narrow.
#ifndef TAC_EXPR_BOUNDS_H
#define TAC_EXPR_BOUNDS_H

#include "graph/terms.h"

// Numbers from lo to hi; of a condition 0 and 1.
typedef struct tac__range {
    double lo, hi;
    bool nan;  // the value may be NaN
    bool kink; // it need not be smooth: a choice that it depends on (a comparison, abs, min, max,
               // floor, an entry of a table) may go either way
} tac__range;

static inline tac__range tac__range_of(double lo, double hi)
{
    return (tac__range){.lo = lo, .hi = hi};
}

static inline tac__range tac__range_point(double value)
{
    return tac__range_of(value, value);
}

typedef struct tac__bounds tac__bounds;

// Of some terms of a pool, which may be gone before the bounds. inputs[i] is the term of input i of
// tac__bounds_run. They live in the arena, and allocate nothing later.
TAC_MUST_CHECK tac_status tac__bounds_make(tac__arena *arena, const tac__terms *pool,
                                           const int32_t *inputs, size_t input_count,
                                           const int32_t *terms, size_t count,
                                           tac__bounds **bounds);

void tac__bounds_run(const tac__bounds *bounds, const tac__range *inputs, tac__range *ranges);

#endif
