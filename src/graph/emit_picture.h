// emit_picture.h - the terms of a graph as boxes and arrows, for Graphviz and for SVG.
//
// Inputs and outputs have a box for each of their numbers. Constants have none: they stand in the
// text of the box that uses them.
#ifndef TAC_GRAPH_EMIT_PICTURE_H
#define TAC_GRAPH_EMIT_PICTURE_H

#include "graph/emit.h"

typedef enum tac__node_kind {
    TAC__NODE_INPUT,
    TAC__NODE_VARIABLE, // of a loop
    TAC__NODE_VALUE,
    TAC__NODE_CONDITION,
    TAC__NODE_OUTPUT,
    TAC__NODE_KINDS
} tac__node_kind;

typedef struct tac__node_box {
    tac__node_kind kind;
    const char *text; // "x * 0.5": operands that have a box are a dot
    const char *name; // of inputs and outputs: their label; else NULL
    int32_t group;    // of inputs and outputs
    int32_t loop;     // the innermost loop that repeats it; -1: none
} tac__node_box;

typedef struct tac__node_arrow {
    int32_t from, to;
    const char *text; // which operand it is, where that matters; else ""
    bool back;        // to a variable, for the next round
} tac__node_arrow;

typedef struct tac__node_picture {
    tac__node_box *boxes;
    size_t box_count;
    TAC__CAPACITY(tac__node_box) box_capacity;
    tac__node_arrow *arrows;
    size_t arrow_count;
    TAC__CAPACITY(tac__node_arrow) arrow_capacity;
} tac__node_picture;

// Boxes come in an order in which no arrow points to an earlier one, but for those that go back.
TAC_MUST_CHECK tac_status tac__node_picture_make(const tac_graph *f, tac__arena *arena,
                                                 tac__node_picture *picture, tac_error *err);

// The colours of a kind of boxes.
const char *tac__node_fill(tac__node_kind kind);
const char *tac__node_line(tac__node_kind kind);

#endif
