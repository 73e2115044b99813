// value.h - numbers into the bytes of a message, and out of them.
//
// A slot comes from tac__uorb_find; `bytes` is a whole message of its size, at any address. The
// first `n` elements of the slot are written or read; elements that the slot does not have are
// ignored. Nothing here allocates or fails: a number that a type cannot hold becomes the nearest
// that it can.
//
//   to whole numbers   rounded to the nearest, halves away from 0; cut to the limits; NaN is 0
//   to bool            false is 0 and NaN, true is all else, stored as 1
//   to float32         rounded to the nearest; finite stays finite, so too large is +-FLT_MAX;
//                      infinities are kept
//   to float64         exact, but for whole numbers beyond 2^53, which are rounded to the nearest
//
// A NaN stays one, and every NaN is put as the same bits.
#ifndef TAC_AUTOPILOT_PX4_VALUE_H
#define TAC_AUTOPILOT_PX4_VALUE_H

#include "autopilot/px4/message.h"

void tac__uorb_put_f64(void *bytes, tac__uorb_slot slot, const double *values, size_t n);
void tac__uorb_put_i64(void *bytes, tac__uorb_slot slot, const int64_t *values, size_t n);
void tac__uorb_put_u64(void *bytes, tac__uorb_slot slot, const uint64_t *values, size_t n);
void tac__uorb_put_bool(void *bytes, tac__uorb_slot slot, const bool *values, size_t n);

void tac__uorb_get_f64(const void *bytes, tac__uorb_slot slot, double *values, size_t n);
void tac__uorb_get_i64(const void *bytes, tac__uorb_slot slot, int64_t *values, size_t n);
void tac__uorb_get_u64(const void *bytes, tac__uorb_slot slot, uint64_t *values, size_t n);
void tac__uorb_get_bool(const void *bytes, tac__uorb_slot slot, bool *values, size_t n);

#endif
