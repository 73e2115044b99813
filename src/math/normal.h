// normal.h - normally distributed numbers from a random stream.
#ifndef TAC_MATH_NORMAL_H
#define TAC_MATH_NORMAL_H

#include "base/random.h"

#include <stddef.h>

// Normal numbers of mean 0 and deviation 1. Every three of them take one draw of the stream;
// `*next` is the index of the next draw and is advanced. What is left of the last draw is not used.
//
// The numbers of several draws are computed at once and kept for the next calls. `ready` can always
// be computed again from the stream, so it is part of no state. Zero it at first.
typedef struct tac__normals {
    uint64_t end; // `ready` holds the draws before this index; 0: none
    double values[TAC__STREAM_WIDE][3];
} tac__normals;

void tac__normals_make(tac__normals *ready, const tac__stream *stream, uint64_t *next,
                       double *values, size_t count);

static inline void tac__normals_draw(tac__normals *ready, const tac__stream *stream, uint64_t *next,
                                     double *values, size_t count)
{
    const uint64_t left = ready->end - *next;
    if (count != 3 || left - 1 >= TAC__STREAM_WIDE) {
        tac__normals_make(ready, stream, next, values, count);
        return;
    }
    // By far the most frequent case: three numbers, computed already.
    const double *n = ready->values[TAC__STREAM_WIDE - left];
    ++*next;
    values[0] = n[0];
    values[1] = n[1];
    values[2] = n[2];
}

// The edges of the layers under the curve, from the widest to the top, and the curve's height
// exp(-x^2 / 2) there: for tests.
enum { TAC__NORMAL_LAYERS = 256 };
typedef struct tac__normal_edge {
    double x, height;
} tac__normal_edge;
extern const tac__normal_edge tac__normal_edges[TAC__NORMAL_LAYERS + 1];

#endif
