// see.h - what views compute (bus/view.c), on duals.
#ifndef TAC_ENGINE_TANGENT_SEE_H
#define TAC_ENGINE_TANGENT_SEE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Values are duals; `before` and `latest` are whole values of the signal, of which elements
// [element, element + count) are wanted.
typedef struct tac__sight {
    const double *before, *latest;
    const double *rate; // the declared derivative; NULL: not needed
    size_t element, count;
    bool quaternion;
} tac__sight;

// Along the line, or the arc, through the last two values: at `c` between them, or `c` past the
// latest one.
void tac__see_between_dualp(const tac__sight *sight, double c, double *to);
void tac__see_beyond_dualp(const tac__sight *sight, double c, double *to);
// `seconds` past the latest one, by the declared derivative.
void tac__see_carried_dualp(const tac__sight *sight, double seconds, double *to);

#ifdef __cplusplus
}
#endif

#endif
