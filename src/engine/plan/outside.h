// outside.h - inputs whose values come from another program.
//
// Such an input is connected to a signal like any other: for each the engine makes a component of
// the type below, with one output of the input's type and unit. The output rests at the value that
// the route gives until tac_engine_write plans another. Planned values are a discrete state of the
// component, in the block, and its timer is set to the first of them. At that instant the component
// steps, before everything else of stage 0. So order, islands, recording and replay know nothing of
// the outside.
#ifndef TAC_ENGINE_PLAN_OUTSIDE_H
#define TAC_ENGINE_PLAN_OUTSIDE_H

#include "engine/plan/plan.h"

#include <string.h>

extern const tac_component_type tac__outside_type;

// The word that stands for the outside in routes and links.
#define TAC__OUTSIDE "outside"

static inline bool tac__is_outside(const tac__component *c)
{
    return c->type == &tac__outside_type;
}

typedef struct tac__outside {
    uint32_t pending; // how many planned values there is room for
    size_t bytes;     // of one value
    const void *rest;
} tac__outside;

// Discrete states: how many values are planned, and their times and values, the earliest first. The
// unused rest is zero.
enum { TAC__OUTSIDE_COUNT, TAC__OUTSIDE_TIMES, TAC__OUTSIDE_VALUES };

// What the type reads while it is declared: the input that it writes for.
struct tac__outside_input {
    const tac__port *port;
    const tac_route_def *route;
};

// Connect a port to a link with one end outside: the sender or, where the link comes from outside,
// the receiver with this number.
tac_status tac__outside_link(tac__plan *plan, const tac_link_def *def, size_t port, tac_error *err);

static inline bool tac__leads_outside(const tac_link_def *l)
{
    return !strcmp(l->to, TAC__OUTSIDE) || !strcmp(l->from, TAC__OUTSIDE);
}

// The number of an outside sender of a port: first those with a link from outside, then the one
// that needs no link.
static inline uint32_t tac__outside_number(const tac__receiver *r, size_t inlet)
{
    return inlet < r->inlet_count ? r->inlets[inlet].number : r->queue.key_count - 1;
}

// Make the component for a route from outside, and change the route to come from its signal. The
// component that the route leads to must have been added.
tac_status tac__outside_add(tac_engine *engine, tac_route_def *route, tac_error *err);

#endif
