// explain.h - facts about a prepared plan, shared by the table, the JSON and the pictures.
//
// Nothing here changes an engine or reads the state of its run: the result is the same before,
// during and after a run.
#ifndef TAC_EXPLAIN_EXPLAIN_H
#define TAC_EXPLAIN_EXPLAIN_H

#include "engine/phases/phases.h"

// --- axes ---------------------------------------------------------------------------------------

bool tac__is_axis(const tac__source *source);
// The axis to show after this one (-1: the first one; returns -1 after the last): start and end,
// regular axes from fast to slow, explicit times, axes of observers.
int tac__next_axis(const tac_engine *engine, int source);
bool tac__is_physics(const tac_engine *engine, int source);
uint64_t tac__source_instants(const tac_engine *engine, int source); // of an axis, in the whole run
// Whether any component of the group steps or is evaluated on this axis.
bool tac__group_uses(const tac_engine *engine, int group, int source);
bool tac__component_steps(const tac_engine *engine, const tac__component *c, int source);
bool tac__island_bound(const tac_engine *engine, size_t island, int source);
bool tac__entity_bound(const tac_engine *engine, uint32_t entity, int source);
bool tac__entity_used(const tac_engine *engine, uint32_t entity);
const char *tac__entity_label(const tac_engine *engine, uint32_t entity); // "(root)"

// The time after which the pattern of all regular axes, except those of observers, repeats. 0:
// there are none; TAC_TIME_NEVER: too long for a tac_time.
tac_time tac__hyperperiod(const tac_engine *engine);

// When an observer is called: "every 10 ms", "with the steps of uav1.control".
enum { TAC__WHEN_TEXT = 160 };
void tac__observer_print(const tac__observer *observer, char text[TAC__WHEN_TEXT]);

// "1 kHz", "~33.3333 Hz"
void tac__rate_print(tac_time period_us, char text[TAC_TIME_TEXT]);
// An axis in a word or two: "10 ms", "10 ms + 2 ms", "start and end", "explicit times"; other
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

// Calls `visit` for every reason, sorted by kind; a name may come more than once. `name` is ""
// where the kind says everything.
typedef void tac__split_fn(void *context, tac__split why, const char *name);
void tac__each_split(const tac_engine *engine, size_t island, int source, tac__split_fn *visit,
                     void *context);

// --- routes -------------------------------------------------------------------------------------

enum { TAC__ROUTE_TEXT = 512 };

// Whether writer and reader are in different rate groups, so that a policy applies.
bool tac__route_crosses(const tac_engine *engine, const tac__component *reader, size_t input);
// How the reader sees the signal, in short: "INTERPOLATED, delay 20 ms"; "" where there is nothing
// to say.
void tac__route_how(const tac_engine *engine, const tac__component *reader, size_t input,
                    char text[TAC__ROUTE_TEXT]);
// What the reader sees, exactly: "the last value, 0 us to 9 ms old".
void tac__route_meaning(const tac_engine *engine, const tac__component *reader, size_t input,
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
static inline bool tac__swarms_show(const tac__swarms *swarms, const tac__component *c)
{
    return swarms->component[c->index] == c->index;
}
static inline uint32_t tac__swarms_count(const tac__swarms *swarms, const tac__component *c)
{
    return swarms->count[c->entity];
}
// An island is shown where its first component is.
bool tac__swarms_show_island(const tac_engine *engine, const tac__swarms *swarms, size_t island);

// --- phases -------------------------------------------------------------------------------------

const char *tac__strategy_name(tac_strategy strategy);   // "skip"
const char *tac__strategy_text(tac_strategy strategy);   // what it does
const char *tac__inactive_text(const tac__component *c); // "zero" or "held": its outputs
static inline bool tac__is_gated(const tac__component *c)
{
    return c->active_names != NULL;
}
// Whether the transition leads from every phase except its target.
bool tac__from_any(const tac__phases *phases, const tac__transition *transition);
void tac__from_print(const tac__phases *phases, const tac__transition *transition, tac__text *out);
// "reset Ball.velocity to [0, 0, 0]"
void tac__action_print(const tac__phase_action *action, tac__text *out);
void tac__actions_print(const tac__transition *transition, tac__text *out); // all of them
// Whether two machines do the same; also true for two components that are no machines.
bool tac__same_phases(const tac__component *a, const tac__component *b);

// --- the formats; lack of memory is remembered in `out` -----------------------------------------

void tac__explain_text(const tac_engine *engine, const tac__swarms *swarms, tac__text *out);
void tac__explain_json(const tac_engine *engine, tac__text *out);
// Only the phases: as a section of the table, and as a document of their own.
void tac__phases_text(const tac_engine *engine, const tac__swarms *swarms, tac__text *out);
void tac__phases_json(const tac_engine *engine, tac__text *out);

#endif
