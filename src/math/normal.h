// normal.h - normally distributed numbers from a random stream.
#ifndef TAC_MATH_NORMAL_H
#define TAC_MATH_NORMAL_H

#include "base/random.h"

#include <stddef.h>

// Mean 0, deviation 1. Every three of them are one draw of the stream, `*next`, which moves on; of
// the last draw the rest is not used.
void tac__stream_normals(const tac__stream *stream, uint64_t *next, double *values, size_t count);

// The edges of the layers under the curve, from the widest to the top: for tests.
enum { TAC__NORMAL_LAYERS = 256 };
extern const double tac__normal_edge[TAC__NORMAL_LAYERS + 1];

#endif
