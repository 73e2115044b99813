// rank.h - the dimension of what inputs can reach, and of what outputs can tell.
#ifndef TAC_SOLVE_RANK_H
#define TAC_SOLVE_RANK_H

#include "base/arena.h"

// A direction counts as new if more than this part of it is orthogonal to all directions before.
#define TAC__RANK_TOLERANCE 1e-9

// The dimension of the controllable subspace of dx/dt = A x + B u: that of B, A B, A A B, ... `a`
// has n columns of n, `b` has `inputs` columns of n. Every block is made orthogonal to those before
// it, and A is balanced first, so that units of states do not matter much.
// The observable subspace of (A, C) is that of (A', C').
TAC_MUST_CHECK tac_status tac__controllable(tac__arena *arena, size_t n, size_t inputs,
                                            const double *a, const double *b, size_t *rank);

#endif
