// layout.h - how the signals of a channel lie in memory, in a message, and in its description.
//
// A message is a CDR stream (little-endian, plain) of fields of fixed size, the wide ones first, so
// that none needs padding and each is a plain copy of what the bus holds. Its schema is a ros2msg
// text; what that cannot say (full names, units, shapes) stands as JSON in the channel's metadata.
#ifndef TAC_RECORD_LAYOUT_H
#define TAC_RECORD_LAYOUT_H

#include "base/arena.h"
#include "base/text.h"

#include <tactus/record.h>

enum { TAC__CDR_HEADER = 4 }; // bytes before the fields: 00 01 00 00

typedef struct tac__field {
    tac_recorded signal; // its offset is that in a sample in memory
    const char *name;    // in the message: as ROS 2 wants it, lower_case
    size_t at;           // in a message, header included
    size_t bytes;
} tac__field;

// Fields in a row that lie side by side in a sample and in a message.
typedef struct tac__span {
    size_t offset, at, bytes; // in a sample, in a message
} tac__span;

typedef struct tac__layout {
    tac__field *fields;
    size_t count;
    TAC__CAPACITY(tac__field) capacity;
    tac__span *spans;
    size_t span_count;
    size_t size;         // of a sample in memory
    size_t message_size; // header included
} tac__layout;

extern const unsigned char tac__cdr_header[TAC__CDR_HEADER];

// Add a signal; texts are kept by pointer.
tac_status tac__layout_add(tac__layout *layout, tac__arena *arena, const tac_recorded *signal);
// All are added: decide on names, order and offsets. `component` is cut off their names.
tac_status tac__layout_close(tac__layout *layout, tac__arena *arena, const char *component);

// A message of a sample, with the values as they are.
void tac__layout_encode(const tac__layout *layout, const void *sample, unsigned char *message);
void tac__layout_decode(const tac__layout *layout, const unsigned char *message, void *sample);

// The schema as ros2msg, and the rest as JSON.
void tac__layout_msg(const tac__layout *layout, const char *title, const tac_allocator *allocator,
                     tac__text *out);
void tac__layout_json(const tac__layout *layout, tac__text *out);
// Back from JSON, to a closed layout. Names that do not belong to each other are refused.
tac_status tac__layout_read(tac__layout *layout, tac__arena *arena, const char *component,
                            const char *json, size_t size, tac_error *err);

#endif
