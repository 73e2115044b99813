// branch_inside.h - what the files of a branch share: branch.c has the rule and the call,
// branch_models.c compares the models, branch_events.c the events, branch_block.c makes the block.
#ifndef TAC_ENGINE_RUN_BRANCH_INSIDE_H
#define TAC_ENGINE_RUN_BRANCH_INSIDE_H

#include "engine/plan/events.h"
#include "engine/run/branch.h"

#include <string.h>

enum { TAC__NAME_ROOM = 1024 }; // a line with a longer name counts as structure

typedef struct tac__lines {
    char **items;
    size_t count;
} tac__lines;

typedef struct tac__old_part { // a part of the block in the checkpoint
    size_t offset, size;
    bool used;
} tac__old_part;

typedef struct tac__branching {
    tac_engine *e;
    const tac__trunk *trunk;
    tac_error *err;
    tac__arena *arena;      // scratch
    tac__lines there, here; // the model of the checkpoint, and the model of the engine
    tac__names tunables;    // "uav.control.max_tilt", by the number of its component
    tac__names lists;       // "uav.scenario.events", by the number of its component
    tac__names listeners;   // "uav.scenario", by the number of the component
    tac__old_part *parts;
    size_t part_count;
    tac__names part_names, source_names;
    size_t source_count;
    tac_place suspect; // of the first event with a condition that the checkpoint does not have
} tac__branching;

typedef struct tac__old_event tac__old_event;

typedef struct tac__event_items {
    tac__old_event *items;
    size_t count;
    TAC__CAPACITY(tac__old_event) capacity;
} tac__event_items;

struct tac__past {
    tac__branching *b; // NULL: the component has no events
    tac__component *component;
    tac__event_items then, now;
};

static inline bool tac__starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

// --- branch_models.c ---
tac_status tac__branch_models(tac__branching *b);
// Cut a text into its lines, in place.
tac_status tac__branch_cut(tac__arena *arena, char *text, tac__lines *out);
// The name in "param NAME = VALUE"; false where the line is another, or the name is too long.
bool tac__branch_param(const char *line, char name[TAC__NAME_ROOM], const char **value);
// The component of a list of events that a parameter belongs to, -1: none. `*number` and `*key` say
// which event and key: "uav.scenario.events[3].at", or "uav.scenario.events.at" of a list of one,
// is key `at` of event 3 or 0. "uav.scenario.events", the number of events, has no key.
int tac__branch_event(const tac__branching *b, const char *name, size_t *number, const char **key);
tac_status tac__branch_change(tac__branching *b, tac_change_kind kind, const char *component,
                              const char *name, const char *before, const char *after);
const tac_place *tac__branch_param_place(const tac__component *c, const char *path);
// The place of an event, or of the first one (TAC__NO_EVENT).
const tac_place *tac__branch_event_place(const tac__component *c, int event);

// --- branch_events.c: one past for each component of the plan ---
tac_status tac__branch_events(tac__branching *b, tac__past *pasts);

// --- branch_block.c: `block` has room for the run ---
tac_status tac__branch_block(tac__branching *b, unsigned char *block);
tac_status tac__branch_damaged(const tac__branching *b);

#endif
