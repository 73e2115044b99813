// message.h - messages of uORB, PX4's bus, as data: the offset of each field, and the size and hash
// by which to tell whether PX4 has the same layout. docs/px4_messages.md has the rules.
//
// A message lives in the arena that it was made in and never changes. Messages come from the table
// of builtin.c or from a folder of .msg files (load.h); value.h puts numbers into them.
#ifndef TAC_AUTOPILOT_PX4_MESSAGE_H
#define TAC_AUTOPILOT_PX4_MESSAGE_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

// X(name, text, size, lowest, highest): the limits of whole numbers.
#define TAC__UORB_TYPES(X)                                                                         \
    X(BOOL, "bool", 1, 0, 1)                                                                       \
    X(CHAR, "char", 1, 0, UINT8_MAX)                                                               \
    X(INT8, "int8", 1, INT8_MIN, INT8_MAX)                                                         \
    X(UINT8, "uint8", 1, 0, UINT8_MAX)                                                             \
    X(INT16, "int16", 2, INT16_MIN, INT16_MAX)                                                     \
    X(UINT16, "uint16", 2, 0, UINT16_MAX)                                                          \
    X(INT32, "int32", 4, INT32_MIN, INT32_MAX)                                                     \
    X(UINT32, "uint32", 4, 0, UINT32_MAX)                                                          \
    X(INT64, "int64", 8, INT64_MIN, INT64_MAX)                                                     \
    X(UINT64, "uint64", 8, 0, UINT64_MAX)                                                          \
    X(FLOAT32, "float32", 4, 0, 0)                                                                 \
    X(FLOAT64, "float64", 8, 0, 0)

typedef enum tac__uorb_type {
#define TAC__UORB_ENUM(name, text, size, lowest, highest) TAC__UORB_##name,
    TAC__UORB_TYPES(TAC__UORB_ENUM)
#undef TAC__UORB_ENUM
        TAC__UORB_MESSAGE // another message, whole
} tac__uorb_type;

enum {
    TAC__UORB_NAME = 64,        // of a topic, type or field, with its NUL
    TAC__UORB_FIELDS_MAX = 512, // of one message
    TAC__UORB_SIZE_MAX = 65528, // of a message: PX4 keeps sizes in 16 bits
    TAC__UORB_DEPTH_MAX = 8     // of messages in messages
};

typedef struct tac__uorb_message tac__uorb_message;

typedef struct tac__uorb_field {
    const char *name;
    tac__uorb_type type;
    bool array;
    uint32_t count;                   // elements; 1 where it is no array
    uint32_t offset;                  // of the first
    const tac__uorb_message *message; // of TAC__UORB_MESSAGE, else NULL
} tac__uorb_field;

struct tac__uorb_message {
    const char *name;              // the topic; of a message in a message its type, "EscReport"
    const tac__uorb_field *fields; // in the order of memory
    const uint16_t *declared;      // indices of the fields in the order of the .msg file
    size_t field_count;
    uint32_t size, size_no_padding; // with and without the padding at the end
    uint32_t hash;
    uint32_t depth; // 1; one more than the deepest message in it
};

typedef struct tac__uorb_scalar {
    const char *name;
    uint32_t size;
    int64_t lowest;
    uint64_t highest;
} tac__uorb_scalar;

extern const tac__uorb_scalar tac__uorb_scalars[TAC__UORB_MESSAGE]; // by type

bool tac__uorb_scalar_find(const char *name, tac__uorb_type *type);

// The names of the scalar types; NULL after the last. `context` is not used.
const char *tac__uorb_scalar_name(const void *context, size_t i);

// Of one element of a field: the type as it is written, and the size.
const char *tac__uorb_element_type(const tac__uorb_field *field);
uint32_t tac__uorb_element_size(const tac__uorb_field *field);

// Compute the layout of a message: `declared` are its fields in the order of the .msg file, their
// offsets unset. Names are not copied.
tac_status tac__uorb_lay_out(tac__arena *arena, const char *name, const tac__uorb_field *declared,
                             size_t count, const tac__uorb_message **message, tac_error *err);

// --- places of numbers --------------------------------------------------------------------------

// Where numbers of one type lie in a message.
typedef struct tac__uorb_slot {
    tac__uorb_type type; // a scalar
    uint32_t count, offset;
} tac__uorb_slot;

// Find a field by its name, "xyz"; one element of it, "xyz[2]"; one in a message inside the
// message, "esc[3].esc_rpm".
tac_status tac__uorb_find(const tac__uorb_message *message, const char *path, tac__uorb_slot *slot,
                          tac_error *err);

// --- the built-in messages ----------------------------------------------------------------------

// A message that is known without a .msg file. Fails with TAC_E_NAME and the nearest topic.
tac_status tac__uorb_builtin(tac__arena *arena, const char *topic,
                             const tac__uorb_message **message, tac_error *err);

// The topics of these messages; NULL after the last.
const char *tac__uorb_builtin_topic(size_t i);

// --- for people ---------------------------------------------------------------------------------

// A table of every field and all padding: offset, size, type, name. Failure is sticky in `text`.
void tac__uorb_print(const tac__uorb_message *message, tac__text *text);

#endif
