// form.h - the form of a condition: what decides where an expectation need not look.
//
// A condition without a memory that sees one island has a form: both sides of its comparisons as
// terms of slots (states, modes, held inputs, discrete signals, time). From ranges of the slots
// follow ranges of the sides, and from these whether the condition may turn, or its margin may
// become a new worst one. docs/expect.md has the rule.
#ifndef TAC_VERDICT_FORM_H
#define TAC_VERDICT_FORM_H

#include "verdict/expectation.h"
#include "expr/bounds.h"
#include "graph/tape.h"

// A slot that is checked: a state at both ends of a step, anything else once.
typedef struct tac__box_side {
    double lo, hi;
    uint32_t slot;
    uint32_t state; // number of a state
} tac__box_side;

struct tac__form {
    size_t count;
    tac__slot *slots;
    bool *own;     // the sides need the slot, and not only some rate
    int32_t *rate; // of states that the sides need: number of the rate; -1: none
    bool *bounded; // one flag per rate: boxes bound it
    bool held;     // the sides need an input that is held
    size_t side_count, rate_count;
    tac__tape *sides, *rates;
    tac__bounds *side_bounds, *rate_bounds;

    // scratch
    double *start, *end, *between; // values of the slots: at both ends of a step, and near an end
    double *rate_start, *rate_end;
    double *side, *work;
    tac__range *slot_range, *side_range, *rate_range;

    // the last look inside a step
    tac_time look_us;                   // its instant; NEVER: none
    tac_time look_from_us, look_end_us; // the step that was looked into
    tac__margin_result look_margin;
    bool look_truth;

    // the last step that was evaluated
    double *before, *moved; // held inputs when they were last read, and how far they moved then
    double *last;           // values of the slots at its end
    tac_time last_us;       // its end; NEVER: none
    double last_margin;     // signed margin at its end
    double last_slope;      // change of that margin in the step, per second

    // the present box
    bool quiet;  // nothing can happen in it
    bool smooth; // the condition cannot turn in it, and its margin is smooth
    tac__box_side *box;
    size_t box_states, box_count;  // states come first
    tac__range *signals;           // discrete signals in it, by their number in the condition
    tac_time until_us, longest_us; // it holds up to this time, for steps up to this length
    bool tried_free;               // a box for any states was looked for
    unsigned reach;                // index of the length of the next box
    unsigned wins;                 // boxes of this length that were found
    unsigned wait, failures;
};

// Once the engine is prepared: make the forms of all conditions that see this island only.
tac_status tac__expect_make_forms(tac_verdict *verdict, const tac__follower *follower,
                                  tac_error *err);

// Do both ends of the step that ends at end_us lie in a quiet box?
bool tac__expect_stays(tac__expectation *x, const tac__step_ends *ends, tac_time end_us);
// A component wrote discrete signals at t_us, some of them with another value. Do they stay in the
// box? Then they count as known.
bool tac__expect_absorbs(tac__expectation *x, size_t component, const tac__inside *inside,
                         tac_time t_us);
// The step of the island ends at end_us; tac__expect_stays was false. False: the expectation must
// look into it.
bool tac__expect_passes_by(tac_verdict *verdict, tac__expectation *x, const tac__step_ends *ends,
                           tac_time end_us);

// The sides inside a step that is taken to end at end_us. False: the step cannot be repeated.
bool tac__expect_sides_inside(tac__expectation *x, tac__inside *inside, tac_time end_us,
                              tac_time t_us);

#endif
