// expectation.h - a verdict, its expectations, and what they know of the run so far.
//
// Everything that a sample may change lies in one piece of memory per expectation (tac__known and
// the arrays behind it), so that a snapshot of the engine can hold it. The rest is fixed once the
// engine is prepared, or scratch.
#ifndef TAC_VERDICT_EXPECTATION_H
#define TAC_VERDICT_EXPECTATION_H

#include "verdict/verdict.h"
#include "base/arena.h"
#include "engine/watch.h"
#include "expr/expr.h"

// A signal of a condition.
typedef struct tac__seen {
    int signal;
    uint32_t element;
    tac_scalar scalar;
    tac__watched watched;
    size_t component;
} tac__seen;

// What an expectation knows of the run: the part of its memory that has a fixed size.
typedef struct tac__known {
    bool ready;          // all signals have had a value: samples are taken
    bool over;           // nothing can change the result
    bool truth;          // of the condition at the last sample
    bool dirty;          // a boundary sample is due at the end of the present instant
    uint32_t lacking;    // the signal that was the last to get a value
    const char *nan;     // what was not a number at the last sample
    tac_time first_us;   // instant of the first sample; NEVER: there is none
    tac_time seen_us;    // instant of the last sample; NEVER: there is none
    tac_time covered_us; // steps have been looked into up to here
    tac_expectation result;
} tac__known;

typedef struct tac__form tac__form; // see form.h

// A sample inside a step.
enum { TAC__LOOKS_MAX = 24 };
typedef struct tac__look {
    tac_time t_us;
    double margin; // smaller is worse, whatever the kind
} tac__look;

typedef struct tac__expectation {
    tac__expect_def def;
    tac__program *program;
    tac__margin *margin;
    tac__seen *seen;
    size_t count;
    size_t words;        // memory of the operators that remember
    bool plant;          // the condition sees an island
    bool once;           // tac__expect_asks_once
    const void **values; // what the program reads: values[i] leads to value[i]

    // one piece of memory, which snapshots hold
    tac__known *known;
    size_t size;
    double *during;   // discrete signals: the value since the last boundary
    double *last;     // all signals at the last sample
    uint64_t *memory; // of operators, after the last sample
    uint64_t *before; // the same before it
    bool *written;    // one flag per signal: it has a value

    tac__form *form; // NULL: it looks into every step

    // scratch
    double *value;
    uint64_t *trial;
    tac_time from_us;                // where the steps begin that are looked into
    tac__look looks[TAC__LOOKS_MAX]; // samples in the present step, in order of time
    size_t look_count;
    const tac__margin_result *given; // the margin of the present sample; NULL: not known yet
} tac__expectation;

// The expectations that see an island, or discrete signals of a component.
typedef struct tac__follower {
    tac_verdict *verdict;
    int island;    // -1: a component is followed
    int component; // -1: an island is followed
    bool outputs;  // some expectations see outputs of the island
    bool asleep;   // none of them needs a sample at every boundary of the island
    tac__expectation **list;
    size_t count;
    TAC__CAPACITY(tac__expectation *) capacity;
    tac__inside *inside; // of the island
    tac__tap tap;        // of the component
} tac__follower;

struct tac_verdict {
    const tac_allocator *allocator;
    tac__arena arena;
    tac_engine *engine;
    tac__expectation *all;
    size_t count; // of expectations; `stop` follows them
    bool has_stop;
    bool begun;
    bool stopped;      // the condition of `stop` ended the run
    tac_time start_us; // where the samples begin
    tac_time stopped_us;
    tac__follower **islands, **components; // one per island or component; NULL: nothing sees it
    uint64_t *watched;                     // one bit per island: some expectation sees it
    tac__expectation **hot;                // expectations that look into the present step
    tac__expectation **dirty;              // expectations with a boundary sample due
    size_t dirty_count;
    tac__follower *woke; // has samples at the boundary of this instant only
    tac__step_watcher steps;
    tac__instant_watcher instants;
    tac__rider rider;
};

// --- judge.c: what a sample means ---------------------------------------------------------------

// Take a sample at t_us, where x->value has the values.
void tac__expect_sample(tac_verdict *verdict, tac__expectation *x, tac_time t_us);
// The same where the condition and its margin are known already.
void tac__expect_sample_of(tac_verdict *verdict, tac__expectation *x, tac_time t_us, bool truth,
                           const tac__margin_result *margin);
// The margin at t_us counts; where the condition turns, it counts from turned_us on.
void tac__expect_found(tac__expectation *x, tac_time t_us, const tac__margin_result *margin,
                       bool truth, tac_time turned_us);
// A margin of this kind of expectation, smaller where it is worse.
double tac__expect_signed(const tac__expectation *x, double margin);
// The worst so far, with that sign.
double tac__expect_worst(const tac__expectation *x);
// Would the expectation be decided where the condition is like this?
bool tac__expect_decides(const tac__expectation *x, bool truth);
// The run has ended at t_us; `failed`: with a fault.
void tac__expect_conclude(tac_verdict *verdict, tac__expectation *x, tac_time t_us, bool failed);

// --- cover.c: samples inside steps, at their ends, and at boundaries ----------------------------

// An `at` without a memory asks for one instant.
bool tac__expect_asks_once(const tac__expectation *x);
// Look into the steps up to end_us, which is the end of a step or a boundary, and at end_us.
void tac__expect_cover(tac_verdict *verdict, tac__expectation *const *list, size_t count,
                       tac_time end_us);
// The boundary sample at t_us, and all that comes before it.
void tac__expect_boundary(tac_verdict *verdict, tac__expectation *x, tac_time t_us);

#endif
