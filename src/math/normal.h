// normal.h - normally distributed numbers from a random stream, drawn in advance. ziggurat.h says
// which numbers these are, draws.h has them for lanes.
#ifndef TAC_MATH_NORMAL_H
#define TAC_MATH_NORMAL_H

#include "base/random.h"

// Normal numbers of mean 0 and deviation 1. Every three of them take one draw of the stream;
// `*next` is the index of the next draw and is advanced. What is left of the last draw is not used.
//
// The numbers of several draws are computed at once and kept for the next calls. `ready` can always
// be computed again from the stream, so it is part of no state. Zero it at first.
enum { TAC__NORMALS_AHEAD = 4 };
typedef struct tac__normals {
    uint64_t end;                         // of the draws that are ready; 0: none
    double values[3][TAC__NORMALS_AHEAD]; // [k][i]: number k of draw end - TAC__NORMALS_AHEAD + i
} tac__normals;

void tac__normals_make(tac__normals *ready, const tac__stream *stream, uint64_t *next,
                       double *values, size_t count);

static inline void tac__normals_draw(tac__normals *ready, const tac__stream *stream, uint64_t *next,
                                     double *values, size_t count)
{
    const uint64_t left = ready->end - *next;
    if (count != 3 || left - 1 >= TAC__NORMALS_AHEAD) {
        tac__normals_make(ready, stream, next, values, count);
        return;
    }
    // By far the most frequent case: three numbers, computed already.
    const double *n = &ready->values[0][TAC__NORMALS_AHEAD - left];
    ++*next;
    values[0] = n[0];
    values[1] = n[TAC__NORMALS_AHEAD];
    values[2] = n[2 * TAC__NORMALS_AHEAD];
}

#endif
