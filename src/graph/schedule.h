// schedule.h - the order in which the terms of a graph are computed.
//
// A schedule has the terms that some output needs, in ascending order, and no others. What only
// one side of a select needs (or only the right side of a logic_and or logic_or) stands in a
// region, which is left out when that side is not chosen: the condition decides. What a loop
// repeats, the terms that depend on its variables, stands in the loop. Terms are pure, so that
// computing a region that is not needed does no harm; where regions are left out, the value of a
// term in them is undefined, and is not used.
//
//     TERM 7
//     IF 7            the condition that term 9 has as its operand a
//       TERM 4        only operand b of term 9 needs it
//     ELSE
//       TERM 5        only operand c of term 9 needs it
//     END
//     TERM 9          a select
//     LOOP 0          the loop with number 0
//       TERM 13
//     END
//     TERM 15         a result of the loop
//
// Both parts of an IF may be empty, but not both at once; where the second one is, there is no
// ELSE. Constants, inputs and variables of loops are not computed: they have no step.
#ifndef TAC_GRAPH_SCHEDULE_H
#define TAC_GRAPH_SCHEDULE_H

#include "graph/graph.h"

typedef enum tac__step_kind {
    TAC__STEP_TERM, // compute `term`
    TAC__STEP_IF,   // if the condition `term` holds: the steps up to the ELSE, or up to the END
    TAC__STEP_ELSE, // if it does not: the steps up to the END
    TAC__STEP_LOOP, // the steps up to the END are the body of the loop `term`. Results of the loop
                    // that are needed follow the END as terms of their own
    TAC__STEP_END,
} tac__step_kind;

typedef struct tac__step {
    tac__step_kind kind;
    int32_t term;
    int32_t other; // number of a step. IF: its ELSE, or its END; ELSE, LOOP: its END; END: its IF
                   // or LOOP
} tac__step;

typedef struct tac__schedule {
    tac__step *steps;
    size_t count;
} tac__schedule;

// Which regions there are: those that cost more than a jump, or all of them, however small.
typedef enum tac__regions { TAC__REGIONS_WORTH, TAC__REGIONS_ALL } tac__regions;

// The schedule of some terms of a pool, or of all outputs of a graph. It lives in the arena.
TAC_MUST_CHECK tac_status tac__schedule_terms(tac__arena *arena, const tac__terms *pool,
                                              const int32_t *outputs, size_t count,
                                              tac__regions regions, tac__schedule *schedule,
                                              tac_error *err);
TAC_MUST_CHECK tac_status tac__schedule_graph(tac__arena *arena, const tac_graph *graph,
                                              tac__regions regions, tac__schedule *schedule,
                                              tac_error *err);

#endif
