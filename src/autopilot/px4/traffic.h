// traffic.h - the messages exchanged with PX4: which topics are published and subscribed to, how
// often, where their numbers come from and where they go. What a multirotor needs is a table
// (traffic_default.c); the configuration adds to it, changes it and removes from it
// (traffic_read.c).
//
// Everything is fixed and allocated before the first step; sending and receiving only copy numbers
// and call the library.
#ifndef TAC_AUTOPILOT_PX4_TRAFFIC_H
#define TAC_AUTOPILOT_PX4_TRAFFIC_H

#include "autopilot/px4/abi.h"
#include "autopilot/px4/load.h"
#include "autopilot/px4/message.h"
#include "autopilot/px4/values.h"
#include "engine/plan/peers.h"

enum { TAC__PX4_TOPICS_MAX = 64, TAC__PX4_FIELDS_MAX = 128 };

// How a field of a message is filled: by numbers among the values, or by a formula. Constants are
// in the message from the start.
typedef struct tac__px4_fill {
    tac__uorb_slot slot;
    uint32_t first, count;
    tac__formula *formula; // NULL: none
    const char *param;     // parameter to name in errors
    bool fixed;            // a constant: one element of a field that is filled as a whole
    double value;
} tac__px4_fill;

typedef struct tac__px4_publisher {
    const char *topic;
    const tac__uorb_message *layout;
    int32_t instance; // -1: the next free one
    uint32_t period;  // in ticks
    bool once;        // only before the start
    bool off;
    uint32_t event; // a TAC__PX4_TELL: sent then, and once before the start; 0: by its period
    size_t shares;  // of an event: publisher of the same topic whose `id` it has, from 1; 0: none
    int32_t id;
    uint8_t *bytes;
    tac__px4_fill *fills;
    size_t fill_count;
    TAC__CAPACITY(tac__px4_fill) fill_capacity;
} tac__px4_publisher;

// A field that becomes numbers among the results.
typedef struct tac__px4_take {
    tac__uorb_slot slot;
    uint32_t first, count;
} tac__px4_take;

typedef struct tac__px4_subscriber {
    const char *topic;
    const tac__uorb_message *layout;
    uint32_t instance;
    bool off;
    bool queued; // PX4 keeps several messages; each is heard
    int32_t id;
    uint8_t *bytes;
    tac__px4_take *takes;
    size_t take_count;
    TAC__CAPACITY(tac__px4_take) take_capacity;
} tac__px4_subscriber;

// An output that the configuration adds to the component.
typedef struct tac__px4_extra {
    int port;
    uint32_t first, count; // among the results
} tac__px4_extra;

// Messages that are sent when there is something to tell.
typedef enum tac__px4_tell {
    TAC__PX4_TELL_ACK = 1,   // vehicle_command_ack
    TAC__PX4_TELL_ORDER = 2, // vehicle_command
} tac__px4_tell;

// Told of each message of queued topics, as soon as it is among the results.
typedef struct tac__px4_listener {
    void (*heard)(void *context);
    void *context;
} tac__px4_listener;

typedef struct tac__px4_traffic {
    tac__arena *arena;
    tac__peers peers;
    tac__uorb_folder *folder; // NULL: the built-in messages
    tac_error trouble;        // the folder cannot be read: reported when PX4 is started
    tac_error misfit;         // commands have another layout in the library, and are off
    tac__px4_publisher *publishers;
    size_t publisher_count;
    TAC__CAPACITY(tac__px4_publisher) publisher_capacity;
    tac__px4_subscriber *subscribers;
    size_t subscriber_count;
    TAC__CAPACITY(tac__px4_subscriber) subscriber_capacity;
    tac__px4_extra *extras;
    size_t extra_count;
    TAC__CAPACITY(tac__px4_extra) extra_capacity;
    uint32_t result_count; // doubles: tac__px4_results, then those of the extras
} tac__px4_traffic;

// --- declaring ------------------------------------------------------------------------------

// `folder` of .msg files, or "".
tac_status tac__px4_traffic_init(tac__px4_traffic *t, tac__arena *arena, const char *folder,
                                 tac_error *err);
// The table for a multirotor with so many batteries.
tac_status tac__px4_traffic_default(tac__px4_traffic *t, size_t batteries, tac_error *err);
// Blame a parameter for an error, with the place in the file that caused it.
tac_status tac__px4_blame(tac_declare *d, const char *param, const tac_error *err);
// `publish` and `subscribe` of the configuration. Declares outputs and watches.
tac_status tac__px4_traffic_read(tac_declare *d, tac__px4_traffic *t);
// vehicle_command_ack, and vehicle_command if `orders`; after what the configuration publishes.
tac_status tac__px4_traffic_events(tac__px4_traffic *t, bool orders, tac_error *err);
// Compile formulas, once everything is connected.
tac_status tac__px4_traffic_compile(tac_declare *d, tac__px4_traffic *t);

tac_status tac__px4_add_publisher(tac__px4_traffic *t, const char *topic, int32_t instance,
                                  tac__px4_publisher **publisher, tac_error *err);
tac_status tac__px4_add_subscriber(tac__px4_traffic *t, const char *topic, uint32_t instance,
                                   tac__px4_subscriber **subscriber, tac_error *err);
// Fill a field by a number, "1" or "nan", or by values: "rate", "rate.y". TAC_E_NAME where there is
// no such field, or the text is neither.
tac_status tac__px4_fill_field(tac__px4_traffic *t, tac__px4_publisher *p, const char *field,
                               const char *source, tac_error *err);
tac_status tac__px4_add_fill(tac__px4_traffic *t, tac__px4_publisher *p, const tac__px4_fill *fill,
                             tac_error *err);
tac_status tac__px4_add_take(tac__px4_traffic *t, tac__px4_subscriber *s, const tac__px4_take *take,
                             tac_error *err);

// --- running --------------------------------------------------------------------------------

// Compare every topic with the library's, then advertise and subscribe. Commands that differ are
// switched off, with the reason in `misfit`; other topics must fit.
tac_status tac__px4_traffic_open(tac__px4_traffic *t, tac__px4 *px4, tac_error *err);

typedef struct tac__px4_sending {
    tac_time t_us;
    uint64_t tick;
    bool all;      // send all topics, whether due or not
    uint32_t tell; // bits of tac__px4_tell
    const tac__px4_values *values;
    const void *const *in; // of the component, for formulas
    uint64_t *memory;      // of formulas
} tac__px4_sending;

tac_status tac__px4_send(const tac__px4_traffic *t, tac__px4 *px4, const tac__px4_sending *now,
                         tac_error *err);
// Receives topics that have been updated; other results stay as they are.
tac_status tac__px4_receive(const tac__px4_traffic *t, tac__px4 *px4, double *results,
                            const tac__px4_listener *listener, tac_error *err);
// True if commands of PX4 are heard.
bool tac__px4_hears(const tac__px4_traffic *t);
// The publisher of these messages; NULL: there is none.
const tac__px4_publisher *tac__px4_teller(const tac__px4_traffic *t, tac__px4_tell tell);

#endif
