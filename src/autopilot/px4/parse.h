// parse.h - the text of one .msg file: what it declares, with places for errors. Types of nested
// messages stay names; load.h resolves them.
#ifndef TAC_AUTOPILOT_PX4_PARSE_H
#define TAC_AUTOPILOT_PX4_PARSE_H

#include "autopilot/px4/message.h"

enum { TAC__UORB_FILE_MAX = 1 << 20 };

typedef struct tac__uorb_declared {
    tac__uorb_field field; // its offset unset; `message` too
    const char *nested;    // the type where it is TAC__UORB_MESSAGE, else NULL
    tac_place place;       // of the type
} tac__uorb_declared;

typedef struct tac__uorb_source {
    tac__uorb_declared *fields; // in the order of the file
    size_t field_count;
    TAC__CAPACITY(tac__uorb_declared) field_capacity;
    size_t constant_count;
} tac__uorb_source;

// `name` is what errors call the file; it must live as long as the arena. The text is not kept.
tac_status tac__uorb_parse(tac__arena *arena, const char *name, const char *bytes, size_t size,
                           tac__uorb_source *source, tac_error *err);

// Whether a text is a value of a type, as constants have it: 12, -3, 0x1F, 0.5, true.
tac_status tac__uorb_constant_check(tac__uorb_type type, const char *text, size_t length,
                                    tac_error *err);

// --- the topics of a file -----------------------------------------------------------------------

// Reads the next topic from lines "# TOPICS a b c" at or behind *at, and moves *at behind it. False
// after the last.
typedef struct tac__uorb_topics {
    const char *at, *end; // of the text
    bool inside;          // a line of topics
} tac__uorb_topics;

tac__uorb_topics tac__uorb_topics_begin(const char *bytes, size_t size);
bool tac__uorb_topics_next(tac__uorb_topics *topics, char name[TAC__UORB_NAME]);

// The topic of a file without such a line, by its type: "EscReport" is esc_report. As PX4 does it,
// each capital but the first begins a word. False where it is too long.
bool tac__uorb_topic_of(const char *type, char name[TAC__UORB_NAME]);

#endif
