// verdict.h - the inside of tactus/expect.h.
//
// A verdict watches an engine through watch.h. docs/expect.md says at which samples it looks.
#ifndef TAC_VERDICT_VERDICT_H
#define TAC_VERDICT_VERDICT_H

#include "base/error.h"
#include "base/json.h"

#include <tactus/expect.h>

// X(name, word): the kinds of expectations.
#define TAC__EXPECT_TABLE(X)                                                                       \
    X(ALWAYS, "always")                                                                            \
    X(NEVER, "never")                                                                              \
    X(EVENTUALLY, "eventually")                                                                    \
    X(AT, "at")

typedef enum tac__expect_kind {
#define TAC__EXPECT_ENUM(name, word) TAC__EXPECT_##name,
    TAC__EXPECT_TABLE(TAC__EXPECT_ENUM)
#undef TAC__EXPECT_ENUM
        TAC__EXPECT_STOP, // the condition of `stop`
} tac__expect_kind;

const char *tac__expect_word(tac__expect_kind kind);

// Texts and nodes live as long as the verdict.
typedef struct tac__expect_def {
    const char *name;   // NULL: the condition of `stop`
    const char *entity; // where names are looked up first; "" is the root
    tac__expect_kind kind;
    const char *condition;
    const tac_node *written; // the condition in its file, for errors; NULL: in none
    tac_time t_us;           // AT: when; EVENTUALLY: until when
    bool until_end;          // that time is the end of the run, wherever that is; t_us is not read
} tac__expect_def;

// While the engine is built; conditions are read while it is prepared. `stop` may be NULL.
TAC_MUST_CHECK tac_status tac__verdict_create(const tac__expect_def *defs, size_t count,
                                              const tac__expect_def *stop, tac_engine *engine,
                                              tac_verdict **verdict, tac_error *err);

// A result in words, on one line, and as a JSON object.
void tac__expect_text(const tac_expectation *result, tac__text *out);
void tac__expect_json(const tac_expectation *result, tac__json *json);

#endif
