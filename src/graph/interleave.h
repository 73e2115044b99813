// interleave.h - an order of steps in which equal operations follow one another.
//
// A schedule has terms in the order in which a model makes them: all of one rotor, then all of the
// next. Nothing keeps terms that stand together between two regions from being computed in another
// order, as long as operands come first: their values have the same bits. An interpreter does up to
// TAC__GROUP equal operations at one jump, and its jumps are most of what it costs.
#ifndef TAC_GRAPH_INTERLEAVE_H
#define TAC_GRAPH_INTERLEAVE_H

#include "graph/schedule.h"

enum { TAC__GROUP = 4, TAC__KINDS = 128 };

// Order the terms anew within each stretch of steps that are terms. Operations are equal where
// kinds[term] is, a number below TAC__KINDS. A kind below 0: the term is computed together with the
// only term that uses it, and its step goes to just before that one. The first step of a stretch
// stays where it is.
TAC_MUST_CHECK tac_status tac__schedule_interleave(const tac_allocator *allocator,
                                                   const tac__terms *pool, const int32_t *kinds,
                                                   tac__schedule *schedule, tac_error *err);

#endif
