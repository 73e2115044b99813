// island.h - the plan of an island: continuous components that are integrated as one state vector.
#ifndef TAC_ENGINE_PLAN_ISLAND_H
#define TAC_ENGINE_PLAN_ISLAND_H

#include "engine/plan/views.h"
#include "engine/watch.h"
#include "ode/method.h"

typedef struct tac__keep { // a held input, and a copy of it
    const void *from;
    void *to;
    size_t bytes;
    const tac__view *view; // renews `to` as in stage 3; NULL: the value is copied
} tac__keep;

// A condition that is located inside the steps of an island.
typedef struct tac__rise_plan {
    uint32_t component;
    int number; // among the conditions of that component
} tac__rise_plan;

typedef struct tac__island_plan {
    // What every step needs lies in one cache line.
    _Alignas(64) size_t x_count;
    size_t event_count, rise_count, viewer_count;
    uint64_t planned_bits; // bits of its planned sources among the first 64 sources of the run
    const tac__tap *taps;  // on its digests
    int step_source;       // end of the present integration step
    int event_source;      // located event at its end
    bool gated;            // some components are active in some phases only
    bool begins;           // its outputs are also evaluated before the first boundary
    bool rise_outputs;     // some conditions see outputs

    const char *name;        // of its first component, in order of name
    const char *digest_name; // "uav1.body#state"
    uint32_t *components;    // in order of evaluation
    size_t count;
    // Components whose `output` runs once more, before all of those above: they need outputs of
    // each other, but not for the same outputs, so that an early run gives a part of them.
    uint32_t *early;
    size_t early_count;
    uint32_t *viewers; // components with inputs that are seen through views, active or not
    int *sources;      // sources that split its intervals
    size_t source_count;
    size_t planned_count;   // number of sources known in advance, which come first: axes, times
    size_t found_count;     // number of sources that turn up in the run, next, and the end of the
                            // run; located ones last
    tac__ode_group *groups; // groups of states whose errors are measured together
    size_t group_count;
    tac_part *parts;  // one a state
    tac__keep *keeps; // held inputs
    size_t keep_count;
    const bool *shown_asleep; // no observer that follows it reads outputs while this is true; NULL:
                              // one may at any time, or none ever does
    tac__rise_plan *rises;    // conditions of other components that are located inside its steps
    tac__views rise_views;    // views through which those conditions see their inputs
} tac__island_plan;

#endif
