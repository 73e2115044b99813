// explain.h - a prepared plan as facts for people: what the table, the JSON and the pictures share.
//
// Nothing here changes an engine or looks at the state of its run: an engine explains itself the
// same way before, during and after a run.
#ifndef TAC_EXPLAIN_EXPLAIN_H
#define TAC_EXPLAIN_EXPLAIN_H

#include "engine/phases/phases.h"

// --- axes ---------------------------------------------------------------------------------------

bool tac__is_axis(const tac__source *source);
// The axis that is shown after this one (-1: the first; none left: -1): start and end, the regular
// ones from fast to slow, explicit times, those of observers.
int tac__next_axis(const tac_engine *engine, int source);
bool tac__is_physics(const tac_engine *engine, int source);
uint64_t tac__source_instants(const tac_engine *engine, int source); // of an axis, in the whole run
// Does any component of the group step or evaluate on this axis?
bool tac__group_uses(const tac_engine *engine, int group, int source);
bool tac__component_steps(const tac_engine *engine, const tac_instance *c, int source);
bool tac__island_bound(const tac_engine *engine, size_t island, int source);
bool tac__entity_bound(const tac_engine *engine, uint32_t entity, int source);
bool tac__entity_used(const tac_engine *engine, uint32_t entity);
const char *tac__entity_label(const tac_engine *engine, uint32_t entity); // "(root)"

// After this time the pattern of all regular axes but those of observers repeats. 0: there are
// none; TAC_TIME_NEVER: longer than can be said.
tac_time tac__hyperperiod(const tac_engine *engine);

// When an observer looks: "every 10 ms", "with the steps of uav1.control".
enum { TAC__WHEN_TEXT = 160 };
void tac__observer_print(const tac__observer *observer, char text[TAC__WHEN_TEXT]);

// "1 kHz", "~33.3333 Hz"
void tac__rate_print(tac_time period_us, char text[TAC_TIME_TEXT]);
// An axis in one word or two: "10 ms", "10 ms + 2 ms", "start and end", "explicit times"; other
// sources as "messages to X", "timer of X", "condition C of X".
void tac__source_print(const tac_engine *engine, int source, char *text, size_t size);

// --- why an island has a boundary ---------------------------------------------------------------

#define TAC__SPLIT_TABLE(X)                                                                        \
    X(START_END, "start and end")                                                                  \
    X(PHYSICS, "physics axis")                                                                     \
    X(EVENT, "located")                                                                            \
    X(GROUP, "rate group of")                                                                      \
    X(STEP, "step of")                                                                             \
    X(READS, "reads")                                                                              \
    X(READ_BY, "read by")                                                                          \
    X(HOOKS, "hooks of")                                                                           \
    X(PHASES, "phases of")                                                                         \
    X(TIED, "tied to island")

typedef enum tac__split {
#define TAC__SPLIT_ENUM(name, text) TAC__SPLIT_##name,
    TAC__SPLIT_TABLE(TAC__SPLIT_ENUM)
#undef TAC__SPLIT_ENUM
        TAC__SPLIT_COUNT
} tac__split;

const char *tac__split_text(tac__split why);

// Every reason, sorted by kind; the same name may come more than once. `name` is "" where the kind
// says it all.
typedef void tac__split_fn(void *context, tac__split why, const char *name);
void tac__each_split(const tac_engine *engine, size_t island, int source, tac__split_fn *visit,
                     void *context);

// --- routes -------------------------------------------------------------------------------------

enum { TAC__ROUTE_TEXT = 512 };

// Writer and reader stand in different rate groups, so that a policy applies.
bool tac__route_crosses(const tac_engine *engine, const tac_instance *reader, size_t input);
// How it is seen, shortly: "INTERPOLATED, delay 20 ms"; "" where there is nothing to say.
void tac__route_how(const tac_engine *engine, const tac_instance *reader, size_t input,
                    char text[TAC__ROUTE_TEXT]);
// What is seen, exactly: "the last value, 0 us to 9 ms old".
void tac__route_meaning(const tac_engine *engine, const tac_instance *reader, size_t input,
                        char text[TAC__ROUTE_TEXT]);
const char *tac__signal_port(const tac__signal *signal); // "battery.soc"

// --- swarms -------------------------------------------------------------------------------------

// Entities of equal structure, three or more of them, are shown once: the first stands for all.
typedef struct tac__swarms {
    uint32_t *first;     // per entity: the one that is shown for it
    uint32_t *count;     // per entity: how many it stands for; 0 where it is not shown
    uint32_t *component; // per component: the one that is shown for it
    bool any;
} tac__swarms;

bool tac__swarms_find(const tac_engine *engine, tac__arena *arena, tac__swarms *swarms);
static inline bool tac__swarms_show(const tac__swarms *swarms, const tac_instance *c)
{
    return swarms->component[c->index] == c->index;
}
static inline uint32_t tac__swarms_count(const tac__swarms *swarms, const tac_instance *c)
{
    return swarms->count[c->entity];
}
// An island is shown where its first component is.
bool tac__swarms_show_island(const tac_engine *engine, const tac__swarms *swarms, size_t island);

// --- phases -------------------------------------------------------------------------------------

const char *tac__strategy_name(tac_strategy strategy); // "skip"
const char *tac__strategy_text(tac_strategy strategy); // what it does
const char *tac__inactive_text(const tac_instance *c); // "zero" or "held": its outputs
static inline bool tac__is_gated(const tac_instance *c)
{
    return c->active_names != NULL;
}
// From every phase but the one that it leads to.
bool tac__from_any(const tac__phases *phases, const tac__transition *transition);
void tac__from_print(const tac__phases *phases, const tac__transition *transition, tac__text *out);
// "reset Ball.velocity to [0, 0, 0]"
void tac__action_print(const tac__phase_action *action, tac__text *out);
void tac__actions_print(const tac__transition *transition, tac__text *out); // all of them
// Two machines in which the same happens; true for two components that are none.
bool tac__same_phases(const tac_instance *a, const tac_instance *b);

// --- the formats; failure of memory is sticky in `out` ------------------------------------------

void tac__explain_text(const tac_engine *engine, const tac__swarms *swarms, tac__text *out);
void tac__explain_json(const tac_engine *engine, tac__text *out);
// The phases alone: a section of the table, and a document of their own.
void tac__phases_text(const tac_engine *engine, const tac__swarms *swarms, tac__text *out);
void tac__phases_json(const tac_engine *engine, tac__text *out);

#endif
