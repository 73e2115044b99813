// component.h - a component in the plan: what it has declared and what was resolved for it. From
// the end of tac_engine_prepare on the plan is const; tac_instance (run/state.h) is the part that
// changes in a run.
#ifndef TAC_ENGINE_PLAN_COMPONENT_H
#define TAC_ENGINE_PLAN_COMPONENT_H

#include "base/random.h"
#include "bus/queue.h"
#include "bus/schema.h"
#include "bus/view.h"
#include "engine/plan/events.h"
#include "engine/plan/views.h"
#include "engine/run/writes.h"
#include "engine/watch.h"

typedef struct tac__port { // input, output, discrete or continuous state, as declared
    const char *name, *unit, *doc, *derivative;
    tac_type type;
    tac__unit dimension;
    uint32_t flags;
    double scale;
    tac_part part;
    bool has_rest;
    uint8_t role;        // a tac_role
    uint32_t unused;     // elements that a state was declared with but does not have; digests take
                         // them as 0
    double rest;         // what an open f64 input reads, or an output is before it is written
    const int *direct;   // output: inputs that it depends on directly; NULL: all
    size_t direct_count; // number of `direct`
    const char *peer;    // a watch: the signal it sees; a feed: the input it leads to; else NULL
    tac_place place;     // where the configuration names the peer
} tac__port;

typedef struct tac__ports {
    tac__port *items;
    size_t count;
    TAC__CAPACITY(tac__port) capacity;
} tac__ports;

// Number of words that the values of all these ports take.
static inline size_t tac__ports_words(const tac__ports *ports)
{
    size_t words = 0;
    for (size_t i = 0; i < ports->count; i++)
        words += tac__type_words(&ports->items[i].type);
    return words;
}

typedef struct tac__message_port {
    const char *name, *doc;
    bool sends;
} tac__message_port;

typedef struct tac__event {
    const char *name, *doc;
} tac__event;

typedef struct tac__condition { // the engine locates where it turns true
    const char *name;
    int *inputs;
    size_t count;
    tac_place place; // reported with errors of this condition
    int island;      // the island whose states and outputs it sees
    int source;
} tac__condition;

// Counts turns that follow each other closely: conditions of one component that turn true, or
// changes of a machine of phases at boundaries that were inserted for it. In the block.
typedef struct tac__turns {
    tac_time last_us;
    uint64_t chatter; // turns since the last pause longer than TAC__CHATTER_US
} tac__turns;

// More than TAC__CHATTER_MAX turns in a row, each at most TAC__CHATTER_US after the one before, are
// taken for an endless sequence and stop the run.
enum { TAC__CHATTER_MAX = 1000, TAC__CHATTER_US = 10 };

// Count one turn at t_us. True: there were too many.
static inline bool tac__chatters(tac__turns *n, tac_time t_us)
{
    n->chatter = t_us - n->last_us <= TAC__CHATTER_US ? n->chatter + 1 : 0;
    n->last_us = t_us;
    return n->chatter > TAC__CHATTER_MAX;
}

typedef struct tac__param { // for listings and the model hash; its value is in
                            // tac__component.values
    const char *name;
    tac_param_def def;
    const char *kind;           // "f64", "time", "choice", ...
    const char *const *choices; // of a choice
    bool tunable;               // a branch may have another value
    int input;                  // input whose resting value is this parameter; -1: none
} tac__param;

typedef struct tac__input {
    bool routed;
    const tac_route_def *route; // shared, without `to`; of an open input all 0
    int signal;                 // -1: unconnected
    uint32_t element;           // first element of the signal that is seen
    tac_policy policy;          // as resolved; ZOH where it makes no difference
    uint32_t depth;             // of the history, as far as this reader may look back
    bool coupled;               // continuous to continuous: read at every evaluation
    const tac__history *history;
    void *buffer; // result of the view, or the resting value of an open input
} tac__input;

// What a link has in addition where messages may be lost, or their delays are drawn.
typedef struct tac__drawn {
    const char *from, *to; // full names of the ports
    const tac_link_law *law;
    tac__stream key;
    uint32_t index;              // in plan->drawn
    tac_link_counters *counters; // in the block
} tac__drawn;

typedef struct tac__link {
    uint32_t receiver; // index in plan->receivers
    uint32_t number;   // of the sender among those of the receiver, in order of declaration
    tac_time delay_us; // the least
    tac__drawn *drawn; // NULL: every message arrives once, after delay_us
} tac__link;

// A link that leads outside: watchers are told of each message.
typedef struct tac__outlet {
    const char *channel;
    tac_time delay_us;       // the least
    const tac_link_law *law; // NULL: as in tac_link_info
} tac__outlet;

typedef struct tac__sender {
    const char *name; // full
    uint32_t component;
    bool numbers;       // its messages are doubles
    uint64_t *sequence; // in the block
    uint64_t *digest;   // in the block, over all messages sent; NULL: no digest
    tac__link *links;
    size_t count;
    TAC__CAPACITY(tac__link) capacity;
    tac__outlet *outlets;
    size_t outlet_count;
    TAC__CAPACITY(tac__outlet) outlet_capacity;
    size_t first_link;           // among those of tac_engine_link_info: `links`, then `outlets`
    size_t drawn_count;          // of `links`
    tac_link_counters *counters; // in the block, one for each drawn link
} tac__sender;

// A link from outside: a sender in another program.
typedef struct tac__inlet {
    const char *channel;
    bool placed;     // `number` is given by the link
    bool first;      // the sender steps before the port's component
    uint32_t number; // among the senders of the port
    tac_place place;
} tac__inlet;

typedef struct tac__receiver {
    const char *name; // full
    uint32_t component;
    tac_message_def def;
    tac__queue queue;
    uint64_t *digest; // in the block
    int source;
    tac__inlet *inlets; // links from outside; the sender that needs no link comes behind them
    size_t inlet_count;
    TAC__CAPACITY(tac__inlet) inlet_capacity;
    size_t first_link;  // of `inlets`, as in tac__sender
    tac__drawn **drawn; // by number of the sender; NULL: no link to this port is drawn
    uint64_t *posted;   // in the block: the next message number of each outside sender
} tac__receiver;

typedef struct tac__draws {
    const char *name;
    tac__stream stream;
    uint64_t *next; // in the block: index of the next draw
} tac__draws;

typedef TAC__CAPACITY(uint32_t) tac__number_capacity; // of a list of indices

typedef struct tac__component tac__component;
// Ids of warnings that a configuration accepts of a component.
typedef struct tac__accepts {
    const char *const *ids;
    bool *met; // By id: true once the component had such a warning.
    size_t count;
} tac__accepts;

struct tac__component {
    const tac_component_type *type;
    void *self;
    int axis_source; // -1: none
    bool observer;   // it only reads; see tac__is_observer
    tac__writes writes;
    tac__views views; // inputs that are renewed before a step; views of observers lie in scratch
    tac__draws *streams;
    size_t stream_count;
    const tac__tap *taps; // on its steps

    // where its values lie in the block
    void *const *out;   // outputs
    void *const *state; // discrete states

    // continuous part: the same functions on the integrator's scratch and on the bus
    const void *const *scratch_in; // inputs on the scratch: coupled ones point into it
    const void *const *kept_in;    // the same, with held inputs from the island's copies
    tac__writes eval_writes;

    // declared
    const char *name; // "uav1.battery"
    uint32_t index, entity;
    uint32_t first_input; // number of its first input among the inputs of all components
    int group;            // -1: none
    tac_stage stage;
    tac_place place;
    tac_time lead_us;        // it also steps this long before each step of its group
    uint32_t lead_max;       // lead_us is at most this many periods
    tac_place lead_place;    // of the parameter that sets lead_us
    const double *landing_m; // where its flight is to end; NULL: not declared
    const double *numbers;   // what kernels see as `p`; NULL: not declared
    size_t number_count;
    const tac__component *model; // the last one before it of its type, NULL: none; see share.h
    const tac__param *params;    // these lists may be shared with other components: see share.h
    const char *const *values;
    size_t param_count;
    const tac_node *param_node; // NULL: none given
    const char *event_list;     // parameter that lists events, NULL: none; see events.h
    double gravity_mu_m3_s2;    // of the body about which it moves; 0: not declared
    double gravity_radius_m;
    tac__carry_fn *carry;
    tac__ports inputs, outputs, states, continuous;
    tac__ports decisions;  // what `decide` computes
    size_t decision_count; // doubles of these
    tac__event *events;
    size_t event_count;
    TAC__CAPACITY(tac__event) event_capacity;
    tac__condition *conditions;
    size_t condition_count;
    TAC__CAPACITY(tac__condition) condition_capacity;
    tac__message_port *messages;
    size_t message_count;
    TAC__CAPACITY(tac__message_port) message_capacity;
    uint32_t *senders, *receivers; // indices in the engine
    size_t sender_count, receiver_count;
    tac__number_capacity sender_capacity, receiver_capacity;

    // resolved
    tac__input *in;                // one an input
    uint32_t first_signal;         // its signals follow each other: outputs, then continuous states
    const tac__signal_kind *kinds; // of these signals; may be shared, as ports are
    size_t x_count;                // doubles of continuous state
    int island;                    // -1: none
    size_t x_offset, event_offset; // where its states and events begin among those of the island
    bool chained;      // its outputs are needed to evaluate the right-hand side of the island
    int timer_source;  // -1: none
    int lead_source;   // -1: no lead, or the lead is a multiple of the period
    int extra_source;  // explicit times besides the period of its group, -1: none
    tac__turns *turns; // NULL: it is no machine of phases and has no conditions

    // see written.h
    uint64_t *written; // in the block: 1 once its outputs were written; NULL: not needed
    bool asked;        // some component needs `written`

    // observers: inputs that come from the plant, by view
    int *peek_signals; // one a view, -1: not from the plant

    // phases: see activity.c
    const char *const *active_names; // as given; NULL: always active
    size_t active_count;
    bool hold;                  // while inactive, outputs keep their values instead of being zero
    tac__accepts accepts;       // Warnings that are accepted.
    uint64_t active_in;         // bits of phases
    int step_item, shadow_item; // -1: none
    uint64_t *missed;           // in the block: triggers that came while the component was inactive
};

// Has an input another unit than its signal, or a gain or an offset?
static inline bool tac__is_scaled(const tac__signal *s, const tac__port *port,
                                  const tac_route_def *r)
{
    return r->gain != 1 || r->offset != 0 || !tac__unit_same(&s->kind->dimension, &port->dimension);
}

// The number of a signal of a component, by its number among outputs and continuous states; and the
// way back.
static inline int tac__signal_at(const tac__component *c, size_t i)
{
    return (int)(c->first_signal + i);
}

static inline size_t tac__signal_place(const tac__component *c, int signal)
{
    return (size_t)signal - c->first_signal;
}

#endif
