// difference.h - two values of a signal: are they the same, and if not, how far apart?
#ifndef TAC_RECORD_DIFFERENCE_H
#define TAC_RECORD_DIFFERENCE_H

#include <tactus/record.h>

// What is allowed to differ; NULL: nothing, bit for bit.
typedef struct tac__allowance {
    double absolute, relative;
} tac__allowance;

// Take two values of `type` at `t_us` into account. Everything of `d` but names and flags is kept
// here; it begins as tac__difference_begin leaves it.
void tac__difference_begin(tac_difference *d);
void tac__difference_add(tac_difference *d, const tac_type *type, const tac__allowance *allowed,
                         tac_time t_us, const void *a, const void *b);
// A sample of one side alone.
void tac__difference_alone(tac_difference *d, bool of_a, tac_time t_us);

// Doubles between the two, one of them counted; both zeros are one. UINT64_MAX: one is NaN.
uint64_t tac__ulps(double a, double b);

#endif
