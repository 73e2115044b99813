// draw_machine.h - where the phases of a machine stand and how its transitions run.
//
// Phases stand in a row, in the order of their numbers. A straight arrow leads to the next phase.
// Other arrows run in lanes: to the right above the row, to the left below it, longer ones outside
// of shorter ones. All transitions from one phase to another share an arrow.
#ifndef TAC_EXPLAIN_DRAW_MACHINE_H
#define TAC_EXPLAIN_DRAW_MACHINE_H

#include "explain/draw.h"

enum { TAC__BADGE = 18 }; // room for the number of a transition

typedef enum tac__way {
    TAC__WAY_STRAIGHT, // to the next phase
    TAC__WAY_ABOVE,
    TAC__WAY_BELOW,
    TAC__WAY_LOOP, // to itself
    TAC__WAY_ANY,  // from any other
} tac__way;

typedef struct tac__shift {
    tac__way way;
    int from, to; // phases; from -1: any
    size_t *numbers;
    size_t count; // transitions, from 0
    int lane;     // of those above and below, from 0
    bool located; // all of its transitions are located
    double from_x, to_x;
} tac__shift;

typedef struct tac__machine {
    const tac__component *instance;
    const tac__phases *phases;
    unsigned entities; // how many entities it stands for
    tac__shift *shifts;
    size_t shift_count;
    TAC__CAPACITY(tac__shift) shift_capacity;
    int above, below;   // lanes
    double box, gap;    // width of a phase, and between two
    double label;       // width of the names of components at the left
    double centre_up;   // room in the middle of the upper side of a phase, for loops
    double centre_down; // and of the lower side, for those from any
    uint32_t *gated;    // components that are inactive in some phases
    size_t gated_count, other_count;
} tac__machine;

// False: no memory.
bool tac__machine_make(const tac__picture *picture, const tac__component *machine,
                       tac__arena *arena, tac__machine *made);
double tac__machine_width(const tac__machine *machine); // at least
// Stand the phases in a row that begins at `x` and is `width` wide.
void tac__machine_place(tac__machine *machine, double x, double width);
double tac__machine_box_x(const tac__machine *machine, double x, size_t phase);

#endif
