// draw.h - the schedule as a picture: boxes and arrows, written as a graphviz file or as SVG.
//
// The picture reads from left to right, as a boundary does: the state of the plant at t_k, the
// stages in their order, and at the right the islands that integrate to t_k+1. So an arrow that
// runs to the left always stands for something that is seen late: a delayed route, or a message.
#ifndef TAC_EXPLAIN_DRAW_H
#define TAC_EXPLAIN_DRAW_H

#include "explain/explain.h"

typedef enum tac__box_kind {
    TAC__BOX_STATE,    // a component of the plant whose state is read at t_k
    TAC__BOX_CHANGE,   // a machine of phases in stage 0, where it writes
    TAC__BOX_WORK,     // deliveries and hooks of an entity
    TAC__BOX_OUTPUT,   // a component of the plant whose outputs are read at t_k
    TAC__BOX_STEP,     // a discrete component
    TAC__BOX_OBSERVER, // an observer
    TAC__BOX_PLANT,    // a component of the plant in its island
} tac__box_kind;

typedef struct tac__box {
    tac__box_kind kind;
    tac_stage stage;
    uint32_t index;  // of the component, entity or observer
    int group;       // rate group, -1: none
    int island;      // of BOX_PLANT, else -1
    bool machine;    // of phases
    unsigned number; // of a step: its place in the order, from 1; else 0
    unsigned count;  // how many it stands for
    const char *title, *subtitle;
} tac__box;

// How an arrow is drawn.
#define TAC__STYLE_TABLE(X)                                                                        \
    X(DIRECT, "#64748b", "in one rate group, or from the plant")                                   \
    X(ZOH, "#1d4ed8", "ZOH")                                                                       \
    X(INTERPOLATED, "#047857", "INTERPOLATED")                                                     \
    X(EXTRAPOLATED, "#c2410c", "EXTRAPOLATED")                                                     \
    X(SYNCHRONIZED, "#7e22ce", "SYNCHRONIZED")                                                     \
    X(COUPLED, "#a8a29e", "coupled at every evaluation")                                           \
    X(MESSAGE, "#be185d", "message")

typedef enum tac__style {
#define TAC__STYLE_ENUM(name, colour, text) TAC__STYLE_##name,
    TAC__STYLE_TABLE(TAC__STYLE_ENUM)
#undef TAC__STYLE_ENUM
        TAC__STYLE_COUNT
} tac__style;

const char *tac__style_colour(tac__style style);
const char *tac__style_text(tac__style style);

// All routes and links from one box to another in one style.
typedef struct tac__arrow {
    uint32_t from, to;
    tac__style style;
    bool delayed;
    unsigned more;      // names that are not in the label
    const char *label;  // "gyro, accel"
    const char *detail; // one line each: what is seen
} tac__arrow;

typedef struct tac__picture {
    const tac_engine *engine;
    const tac__swarms *swarms;
    tac__arena *arena;
    tac__box *boxes;
    size_t box_count;
    TAC__CAPACITY(tac__box) box_capacity;
    tac__arrow *arrows;
    size_t arrow_count;
    TAC__CAPACITY(tac__arrow) arrow_capacity;
} tac__picture;

bool tac__picture_make(const tac_engine *engine, const tac__swarms *swarms, tac__arena *arena,
                       tac__picture *picture);

#define TAC__PHASE_COLOUR   "#4338ca"
#define TAC__PHASE_FILL     "#eef2ff"
#define TAC__LOCATED_COLOUR "#be185d"

typedef struct tac__colours {
    const char *fill, *line;
} tac__colours;

tac__colours tac__group_colours(int group); // -1: none
tac__colours tac__box_colours(const tac__box *box);

// Draw; false or a failed text: no memory.
void tac__draw_dot(const tac__picture *picture, tac__text *out);
bool tac__draw_svg(const tac__picture *picture, tac__arena *arena, tac__text *out);
// Only the machines of phases; of the picture they need neither boxes nor arrows.
void tac__draw_phases_dot(const tac__picture *picture, tac__text *out);
bool tac__draw_phases_svg(const tac__picture *picture, tac__arena *arena, tac__text *out);

#endif
