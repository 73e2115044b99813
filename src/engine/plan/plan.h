// plan.h - what was declared, and what was resolved from it.
//
// An engine is three things. The plan is what this header, component.h and island.h describe: it is
// fixed once tac_engine_prepare has returned, all code reaches it through a pointer to const, and
// it has an arena of its own. The block (block.h) is every mutable byte of the run: a checkpoint or
// a snapshot is the block, and what opaque components save, and nothing else. Scratch (run/state.h)
// follows from plan and block and may be thrown away between any two instants; values that lanes
// keep side by side there are written into the block before (tac__block_complete). The plan has
// pointers into the block and into scratch; the addresses there are fixed, too.
//
// Components, signals, sources and islands are named by their index in declaration order.
#ifndef TAC_ENGINE_PLAN_PLAN_H
#define TAC_ENGINE_PLAN_PLAN_H

#include "base/names.h"
#include "engine/plan/block.h"
#include "engine/plan/component.h"
#include "engine/plan/island.h"
#include "engine/run/timeline.h"
#include "ode/method.h"

#include <tactus/engine.h>

typedef struct tac__entity {
    const char *name; // "" is the root
    // work at its boundaries: indices of receivers, and of components with hooks
    uint32_t *receivers, *pre, *post;
    size_t receiver_count, pre_count, post_count;
    int machine;   // component that has its phase; -1: none
    bool periodic; // an axis gives it boundaries
} tac__entity;

typedef struct tac__rate_group {
    const char *name;
    tac_time period_us, offset_us; // after synchronisation; period 0: explicit times
    tac_time declared_period_us, declared_offset_us;
    const tac_time *times_us; // instead of a period, or besides it
    size_t times_count;
    int root; // groups that step together have the same root
    size_t components;
    tac_place place;
} tac__rate_group;

// The period of a group that has no explicit times; else 0.
static inline tac_time tac__group_period(const tac__rate_group *g)
{
    return g->times_count ? 0 : g->period_us;
}

typedef struct tac__policy_rule {
    const char *pattern;
    tac_policy policy;
    tac_place place;
} tac__policy_rule;

typedef struct tac__observer {
    tac_observer_def def;
    int source;                  // source of its axis; -1: it follows `leads`
    const tac__component *leads; // the component that it follows
    const bool *asleep;          // it is not called while this is true; NULL: it never sleeps
} tac__observer;

// One digest of a run; hash.c says what the numbers are.
typedef struct tac__digest {
    uint8_t kind;
    uint32_t number;
} tac__digest;

// One piece of work at a boundary. Items are sorted by stage, then by order inside it.
typedef enum tac__item_kind {
    TAC__ITEM_BEGIN,   // entity: deliver messages, pre-step hooks
    TAC__ITEM_OUTPUTS, // island: algebraic outputs
    TAC__ITEM_PREVIEW, // island: outputs for observers, not written to the bus
    TAC__ITEM_STEP,    // component
    TAC__ITEM_LEAD,    // component: a step before that of its rate group, which writes nothing
    TAC__ITEM_SHADOW,  // component: a step of an inactive component, whose results are dropped
    TAC__ITEM_PHASES,  // machine of phases: conditions
    TAC__ITEM_END,     // entity: post-step hooks
    TAC__ITEM_STATE,   // island: digest of its state
    TAC__ITEM_OBSERVE, // observer
} tac__item_kind;

typedef struct tac__item {
    uint8_t kind;  // a tac__item_kind
    uint8_t stage; // a tac_stage
    uint32_t index;
} tac__item;

// What a continuous state begins with, instead of what its component sets.
typedef struct tac__initial {
    int signal;
    const double *values;
} tac__initial;

typedef struct tac__driver tac__driver; // see drive.h
typedef struct tac__guard tac__guard;   // see guard.h
typedef struct tac__instants tac__instants;

typedef struct tac__resolved {
    tac__resolved_fn *call;
    void *context;
    bool scheduled; // called once boundaries are known
} tac__resolved;

// Data that components may share; see share.h.
enum { TAC__SHARED_RECENT = 64 };

typedef struct tac__shared {
    const void *bytes;
    size_t size; // 0: free
} tac__shared;

typedef struct tac__shapes {
    tac__arena scratch;            // where a component is declared
    const tac__component **models; // the last component of each type
    size_t count;
    TAC__CAPACITY(const tac__component *) capacity;
    tac__names texts;
    tac__shared recent[TAC__SHARED_RECENT];
    size_t next;      // index in `recent` of the entry to be replaced next
    const char *file; // the file that was hashed last; NULL: none
    char file_hash[32];
} tac__shapes;

typedef struct tac__log_watcher {
    tac_log_level level; // the lowest level that the watcher is told of
    tac_log_fn *log;
    void *context;
} tac__log_watcher;

typedef struct tac__logs {
    tac__log_watcher *items; // told in this order
    size_t count;
    TAC__CAPACITY(tac__log_watcher) capacity;
} tac__logs;

// Which of 64 items, or of 64 islands, are due with a source. Words without a bit are left out, so
// a row has only words in which something is due.
typedef struct tac__due_word {
    uint32_t word; // index among the words of items; words of islands come behind those of items
    uint32_t source;
    uint64_t bits;
} tac__due_word;

// Where the words of a source begin in tac__plan.due: items, then islands that have a boundary.
typedef struct tac__due_row {
    uint32_t first, islands, end;
} tac__due_row;

// What a refused component lacks, where that may follow from an earlier mistake: then the caller
// reports that mistake alone.
typedef struct tac__lack {
    const char *component; // name of the missing component that it needs; NULL: none
    bool group;            // it is in no rate group, or in one that does not exist
} tac__lack;

// Everything that was declared and what was resolved from it. While the engine is built and
// prepared the plan is changed through tac_engine.building; from the end of tac_engine_prepare on
// there are only pointers to const.
typedef struct tac__plan {
    tac__arena arena; // all of it, this struct included
    tac_engine_def def;
    const tac_allocator *allocator;
    const tac__logs *logs; // of the engine
    tac__arena *opaque;    // of the engine: memory of opaque components, not part of the plan

    tac__shapes shapes;

    // declared, in order
    tac__entity *entities;
    size_t entity_count;
    TAC__CAPACITY(tac__entity) entity_capacity;
    tac__rate_group *groups;
    size_t group_count;
    TAC__CAPACITY(tac__rate_group) group_capacity;
    tac__names group_names;
    tac__component **components;
    size_t component_count;
    TAC__CAPACITY(tac__component *) component_capacity;
    size_t input_count; // of all components
    tac__names entity_names;
    tac__names component_names; // may hold names of components that were refused
    tac__guard *guards;         // of component types that are not built in
    tac__schema schema;
    tac__sender *senders;
    size_t sender_count;
    TAC__CAPACITY(tac__sender) sender_capacity;
    tac__receiver *receivers;
    size_t receiver_count;
    TAC__CAPACITY(tac__receiver) receiver_capacity;
    size_t message_size; // of the longest message that any receiver takes
    tac__arena routing;  // memory of routes, until they are resolved
    tac_route_def *routes;
    size_t route_count;
    TAC__CAPACITY(tac_route_def) route_capacity;
    tac_link_def *links;
    size_t link_count;
    TAC__CAPACITY(tac_link_def) link_capacity;
    size_t linked_count; // pairs of ports that the links connect, and links from and to outside
    tac__drawn **drawn;  // links with a law, in the order of tac_engine_link_info
    size_t drawn_count;
    tac__policy_rule *rules;
    size_t rule_count;
    TAC__CAPACITY(tac__policy_rule) rule_capacity;
    const struct tac__outside_input *outside_input; // see outside.h; only while declaring
    tac__observer *observers;
    size_t observer_count;
    TAC__CAPACITY(tac__observer) observer_capacity;
    uint32_t *observer_sources; // sources with which observers on an axis may read any island
    size_t observer_source_count;
    const char **order; // explicit order of components, NULL: none
    size_t order_count;
    tac_place order_place;
    tac__initial *initials;
    size_t initial_count;
    TAC__CAPACITY(tac__initial) initial_capacity;
    const tac__driver *driver; // NULL: a live run
    tac__lack lack;            // of the component that was last refused
    tac__accepts *accepting;   // Accepted by the component being declared or connected; NULL: none
    uint64_t *warned;          // hashes of warnings that were given, so that each is given once
    size_t warned_count;
    TAC__CAPACITY(uint64_t) warned_capacity;
    tac__resolved *resolved; // called in this order
    size_t resolved_count;
    TAC__CAPACITY(tac__resolved) resolved_capacity;

    // resolved
    const tac__method *method;
    tac__island_plan *islands;
    size_t island_count;
    uint32_t *sequence; // discrete components in the order in which they run
    size_t sequence_count;
    tac__item *items;
    size_t item_count;
    tac__sources timeline;
    int start_end_source;
    int physics_source; // -1: no physics axis
    // What is due with a source, with every component active.
    tac__due_word *due;
    size_t due_count;
    tac__due_row *due_rows; // one a source
    size_t item_words, island_words;
    bool few;           // items fit into one word, islands too, and there are no phases
    uint32_t *machines; // components that hold the phase of an entity
    size_t machine_count;
    tac__instants *instants; // from outside the plant, that split islands; without times
    size_t instants_count;

    // where the run lies in memory
    uint32_t *layout; // components in the order in which their memory lies: see wire.c
    tac__block block;
    size_t timeline_offsets[2];
    tac__digest *digests; // of signals, islands, ports and components, in order of name
    size_t digest_count;
    const char **end_names; // one a component: the name of its digest NAME#end
} tac__plan;

static inline bool tac__has_bit(const uint64_t *words, size_t i)
{
    return words[i / 64] >> i % 64 & 1;
}

static inline void tac__set_bit(uint64_t *words, size_t i)
{
    words[i / 64] |= UINT64_C(1) << i % 64;
}

// Prefetch the first `lines` cache lines at `at`, which may be NULL or stale.
static inline __attribute__((always_inline)) void tac__fetch(const void *at, int lines)
{
#pragma GCC unroll 32
    for (int i = 0; i < lines; i++)
        __builtin_prefetch((const void *)((uintptr_t)at + 64 * (uintptr_t)i));
}

// Load a byte, so that the TLB has its page: a prefetch that needs a page walk may be dropped. With
// 10,000 vehicles one such load for each island made prefetching the rest of it take effect: the
// steps in lanes took 0.5 s instead of 0.85 s of a flight of 200 ms.
static inline void tac__touch(const void *at)
{
    (void)*(volatile const unsigned char *)at;
}

static inline bool tac__is_continuous(const tac_component_type *type)
{
    return type->kernels[TAC_NUMBERS].derive || type->kernels[TAC_NUMBERS].output;
}

// Does a driver play components of this type back? In a driven engine only the plant computes.
static inline bool tac__is_played(const tac__plan *plan, const tac_component_type *type)
{
    return plan->driver && !tac__is_continuous(type);
}

// The component only reads: it runs in stage telemetry, or only observers read its outputs.
static inline bool tac__is_observer(const tac__component *c)
{
    return c->observer;
}

#endif
