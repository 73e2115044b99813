// sight.h - what policies compute from recent values of a signal: once for numbers (view.c), for
// dual numbers (derivatives of a run) and for symbols (graphs).
#ifndef TAC_BUS_SIGHT_H
#define TAC_BUS_SIGHT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Values have the form of their kind; `before` and `latest` are whole values of the signal, of
// which elements [element, element + count) are wanted.
typedef struct tac__sight {
    const double *before, *latest;
    const double *rate; // the declared derivative; NULL: not needed
    size_t element, count;
    bool quaternion;
} tac__sight;

// between: on the line, or the arc, from `before` to `latest`, at `c` from 0 to 1.
// beyond: on the same line or arc, `c` past the latest one.
// carried: `seconds` past the latest one, by the declared derivative.
#define TAC__SIGHT(kind)                                                                           \
    void tac__see_between_##kind(const tac__sight *sight, double c, double *to);                   \
    void tac__see_beyond_##kind(const tac__sight *sight, double c, double *to);                    \
    void tac__see_carried_##kind(const tac__sight *sight, double seconds, double *to);
TAC__SIGHT(f64)
TAC__SIGHT(dualp)
TAC__SIGHT(sym)

#ifdef __cplusplus
}
#endif

#endif
