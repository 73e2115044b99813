// step_state.h - how far the present step of an island has come, and what is known of its end.
//
//   state          x, y and the stages of the step                       may be followed by
//   NONE           the state was set by something other than a step:     AHEAD, TAKEN,
//                  the start, a restored block, a jump, a phase          SOUND_LANES
//   ARRIVED        the island stands where its last step ended           NONE, AHEAD, TAKEN,
//                                                                        SOUND_LANES
//   AHEAD          the first try of its next step was made in lanes;     TAKEN
//                  y and the stages are those of this try
//   TAKEN          y is the state at to_us, unless the step failed       ARRIVED, LOCATED,
//                  (tac__outcome)                                        SETTLED, SOUND
//   LOCATED        a mode changes or a condition turns true at to_us     ARRIVED, TAKEN
//   SETTLED        no mode changes at to_us                              ARRIVED, TAKEN, LOCATED,
//                                                                        SOUND
//   SOUND          as SETTLED, and all numbers of y are finite           ARRIVED, TAKEN
//   SOUND_LANES    the same; x, y and the stages are those of lanes.h    SOUND, ARRIVED
//
// A step that is taken again (a boundary turned up inside it) goes back to TAKEN. Any state may
// stay what it is, and any may be followed by NONE. At a boundary a step that is not SOUND is
// checked for numbers that are not finite, and modes are set again unless it is SETTLED or SOUND.
#ifndef TAC_ENGINE_RUN_STEP_STATE_H
#define TAC_ENGINE_RUN_STEP_STATE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tac__step_state {
    TAC__STEP_NONE,
    TAC__STEP_ARRIVED,
    TAC__STEP_AHEAD,
    TAC__STEP_TAKEN,
    TAC__STEP_LOCATED,
    TAC__STEP_SETTLED,
    TAC__STEP_SOUND,
    TAC__STEP_SOUND_LANES,
} tac__step_state;

// The result of a step. A step that failed may still be undone, and then the failure does not
// count; so it is only kept until the clock reaches the end of the step.
typedef enum tac__outcome {
    TAC__TAKEN,
    TAC__LOCATED,     // taken, and something was located at its end
    TAC__FAILED_STEP, // the right-hand side failed, or a state is not finite
    TAC__TOO_SMALL,   // adaptive: the tolerances ask for less than h_min
    TAC__TOO_MANY,    // adaptive: max_substeps
} tac__outcome;

// May `to` follow `from`, by the table above?
bool tac__step_may_follow(tac__step_state from, tac__step_state to);

#endif
