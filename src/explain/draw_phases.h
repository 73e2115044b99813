// draw_phases.h - machines of phases as parts of a picture: phases and transitions, which component
// is active in which phase, and the conditions by their numbers.
#ifndef TAC_EXPLAIN_DRAW_PHASES_H
#define TAC_EXPLAIN_DRAW_PHASES_H

#include "explain/draw_machine.h"

typedef struct tac__machines {
    const tac_engine *engine;
    tac__machine *items;
    size_t count;
    double width; // that they need at least
} tac__machines;

bool tac__machines_make(const tac__picture *picture, tac__arena *arena, tac__machines *machines);
// Draw below `y`, `width` wide; returns the lower end.
double tac__machines_draw(tac__machines *machines, tac__text *out, double x, double y,
                          double width);
void tac__machines_markers(tac__text *out); // inside <defs>

#endif
