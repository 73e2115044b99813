// draw_strip.h - the beginning of the timeline as rows of ticks: one row an axis, one an island.
#ifndef TAC_EXPLAIN_DRAW_STRIP_H
#define TAC_EXPLAIN_DRAW_STRIP_H

#include "explain/draw.h"

typedef struct tac__strip_row {
    const char *label, *note;
    const char *colour;
    const int *sources; // whose instants are shown
    size_t count;
} tac__strip_row;

typedef struct tac__strip {
    const tac_engine *engine;
    tac_time window_us;
    tac__strip_row *rows;
    size_t count;
} tac__strip;

bool tac__strip_make(const tac__picture *picture, tac__arena *arena, tac__strip *strip);
// Draw below `y`, `width` wide; returns its lower end.
double tac__strip_draw(const tac__strip *strip, tac__text *out, double x, double y, double width);

#endif
