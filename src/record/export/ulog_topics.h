// ulog_topics.h - the messages of a ULog: how each is laid out and what fills it.
//
// Every channel is a topic of Tactus' own that keeps all bits; beside them stand the topics of PX4
// that the recording can fill (autopilot/px4/ulog.h).
#ifndef TAC_RECORD_EXPORT_ULOG_TOPICS_H
#define TAC_RECORD_EXPORT_ULOG_TOPICS_H

#include "record/export/export.h"
#include "record/export/hold.h"
#include "autopilot/px4/ulog.h"
#define TAC_KIND_F64
#include "model/world/geodesy.h"

// Where a signal goes in the data of a topic.
typedef struct tac__ulog_slot {
    const char *field;
    const tac_recorded *signal;
    uint32_t element, count; // of the signal
    size_t at, size;         // in the data: of the first element; of one
    char kind;  // 'b' the signal's own bits, 'f' a floating-point number, 'u' a whole one, 'i' one
                // that may be negative
    double add; // to a number
    double scale; // of a number, 0: none
    tac__px4_ulog_how how;
    const tac_recorded *other; // of TAC__PX4_ULOG_REACHED
    const tac__geodesy *world; // of conversions between frames
    const uint8_t *map;        // by value of the signal; NULL: as it is
    size_t map_count;
} tac__ulog_slot;

typedef struct tac__ulog_topic {
    const char *name;
    const char *format; // without the name
    uint8_t instance;
    bool px4;
    size_t channel;      // whose samples make messages
    unsigned char *data; // of a message; what has no slot never changes
    size_t size;
    size_t times;        // how many timestamps it begins with
    tac_time period_us;  // Least time between two messages; 0: every sample.
    tac_time next_us;    // The next message is due then, or when a value below changes.
    unsigned char *last; // Data of the last message.
    bool written;        // True once there is one.
    bool once;           // Only the first message is written.
    tac__ulog_slot *slots;
    size_t slot_count;
} tac__ulog_topic;

typedef struct tac__ulog_topics {
    tac__ulog_topic *topics;
    size_t count;
    TAC__CAPACITY(tac__ulog_topic) capacity;
    tac__geodesy world; // the origin, if it is known
    bool placed;
} tac__ulog_topics;

TAC_MUST_CHECK tac_status tac__ulog_topics_make(tac__ulog_topics *topics, tac__export *x,
                                                tac_error *err);

// Return the least time between two messages of a topic: that of `--rate`, else `period_us`. 0
// where every sample counts, as in a channel that has samples on changes only.
tac_time tac__ulog_period(const tac__export *x, size_t channel, tac_time period_us);

// Its two parts: a new topic, NULL if there is no memory; and all topics of PX4.
tac__ulog_topic *tac__ulog_add(tac__ulog_topics *topics, tac__export *x);
TAC_MUST_CHECK tac_status tac__ulog_px4_make(tac__ulog_topics *topics, tac__export *x,
                                             tac_error *err);

// Write a number as a field of that kind ('f', 'u' or 'i') and size; what does not fit is 0.
void tac__ulog_number(unsigned char *at, char kind, size_t size, double value);

// Put an instant into the data.
void tac__ulog_fill(const tac__ulog_topic *topic, const tac__hold *instants);

// Tell whether the filled message is to be written: when the period has passed, and wherever a
// flag, a label or a 32-bit number has changed.
bool tac__ulog_is_due(tac__ulog_topic *topic, tac_time t_us);

#endif
