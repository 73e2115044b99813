// draw_layout.h - where the boxes of a picture stand and how its arrows run. Pixels, y downwards.
#ifndef TAC_EXPLAIN_DRAW_LAYOUT_H
#define TAC_EXPLAIN_DRAW_LAYOUT_H

#include "explain/draw.h"
#include "base/svg.h"

enum {
    TAC__LABEL_MAX = 84, // widest label of an arrow
    TAC__BOX_MAX = 160,  // widest box
};

typedef struct tac__rect {
    double x, y, w, h; // of the upper left corner, and its size
} tac__rect;

typedef struct tac__column {
    int stage; // -1: the state at t_k
    int sub;   // inside a stage: how many components of it come before
    double x, w;
    double gap;    // free space at its left
    double beside; // room for arcs at its right
} tac__column;

typedef struct tac__path {
    double (*points)[2];
    size_t count;
    bool square;             // straight lines with round corners, else curves and straight lines
                             // in turn
    double label_x, label_y; // the label ends here, or begins here
    bool label_begins;
} tac__path;

typedef struct tac__layout {
    tac__column *columns;
    size_t column_count;
    size_t *box_column; // per box
    tac__rect *boxes;   // per box
    tac__rect *islands; // per island; w 0: not shown
    tac__path *paths;   // per arrow
    double width;       // of all of it
    double top, bottom; // of the columns
    double lanes;       // lower end of the lines below the columns
} tac__layout;

// Lay out with the columns' upper end at `top`. False: no memory.
bool tac__layout_make(const tac__picture *picture, tac__arena *arena, double top,
                      tac__layout *layout);

#endif
