// sweep.h - derivatives of many terms at once: forward and reverse sweeps, and what depends on
// what.
//
// A sweep is prepared once for some outputs and then made for as many directions as are wanted.
// Loops are differentiated as implicit functions: where the residual is 0, the first variable v and
// what is outside, theta, are tied by r_v dv + r_theta dtheta = 0, at the solution. The number of
// rounds, the first guess and the other variables do not count. The body of a loop is therefore
// seen with the results of the loop in the place of its variables; this is `value` below. What the
// loop exports has a result already.
#ifndef TAC_GRAPH_SWEEP_H
#define TAC_GRAPH_SWEEP_H

#include "graph/rules.h"

// Sorted numbers of columns.
typedef struct tac__set {
    const int *of;
    int count;
} tac__set;

typedef struct tac__sweep {
    tac__terms *pool;
    tac__arena *arena;
    size_t count;
    int32_t *terms; // that the outputs need, ascending; arrays below have an entry for each
    int32_t *value; // the term outside of loops that has the same value
    int32_t *slope; // in bodies of loops: the derivative by the first variable, at the solution
    int32_t *place; // by term: where it stands in terms[], or -1
    size_t known;   // terms with a place are below
    tac__adjoint *adjoints;
} tac__sweep;

// Everything lives in the arena. Fails for a loop within a loop, and for a loop whose residual does
// not depend on its first variable.
TAC_MUST_CHECK tac_status tac__sweep_prepare(tac__sweep *sweep, tac__terms *pool, tac__arena *arena,
                                             const int32_t *outputs, size_t count, tac_error *err);

// Where a term stands; -1: no output needs it.
int32_t tac__sweep_place(const tac__sweep *sweep, int32_t term);

// tangent[] of all places, those of inputs being given: TAC__NO_TERM or the seed.
void tac__sweep_forward(const tac__sweep *sweep, int32_t *tangent);

// The adjoints of all places (sweep->adjoints), from seeds of the outputs, as they were given to
// `prepare`; a seed may be TAC__NO_TERM.
void tac__sweep_reverse(const tac__sweep *sweep, const int32_t *outputs, const int32_t *seeds,
                        size_t count);

// sets[] of all places: on which columns the value depends so that it may have a derivative.
// column[] is that of an input, by place; -1: none. NULL: no memory.
tac__set *tac__sweep_depend(const tac__sweep *sweep, const int *column);

// The other way: which of the outputs, by their numbers in the list, have a derivative by the term.
tac__set *tac__sweep_reach(const tac__sweep *sweep, const int32_t *outputs, size_t count);

#endif
