// given.h - the value of a parameter as it is given: by the configuration, or by the default in the
// type's definition. What all functions that read parameters share.
#ifndef TAC_ENGINE_PLAN_GIVEN_H
#define TAC_ENGINE_PLAN_GIVEN_H

#include "engine/plan/declare.h"

// A scalar, or a list of scalars.
typedef struct tac__given {
    const tac_node *node; // NULL: from the fallback
    const char *fallback; // "1", "2 m" or "[1, 2, 3]"
    size_t count;
    bool list;
} tac__given;

// Look a parameter up. False where there is nothing to read: missing, or not of the right form.
bool tac__param_look_up(tac_declare *d, const tac_param_def *p, bool may_list, tac__given *g);

// The node of a key of the present map, which is marked as used. NULL: absent.
const tac_node *tac__param_take(tac_declare *d, const char *name);

enum { TAC__GIVEN_TEXT = 128 }; // longer items of a fallback are copied to the arena

// The i-th scalar as text.
const char *tac__given_text(tac_declare *d, const tac__given *g, size_t i,
                            char buffer[TAC__GIVEN_TEXT]);

// Remember the parameter as read, for listings and the model hash.
void tac__param_record(tac_declare *d, const tac_param_def *p, const char *kind, const char *value,
                       const char *const *choices);

// The definition with all fields, whichever version of the headers its author compiled with. A
// wrong definition is the author's mistake, and reported as all mistakes are.
const tac_param_def *tac__param_known(tac_declare *d, const tac_param_def *p, tac_param_def *own);
#define TAC__PARAM_KNOWN(p)                                                                        \
    tac_param_def p##_own;                                                                         \
    p = tac__param_known(d, p, &p##_own)

// --- mistakes ---

#define TAC__GIVEN_WHOLE SIZE_MAX // instead of the index of an item

// A mistake in a value. In a fallback it is one of the component type, or of the program that made
// the definition; the file can only name the component.
void tac__given_wrong(tac_declare *d, const tac_param_def *p, const tac__given *g, size_t i,
                      tac_error *err);
TAC_PRINTF(5, 6)
void tac__given_wrong_form(tac_declare *d, const tac_param_def *p, const tac__given *g, size_t i,
                           const char *format, ...);
void tac__param_mistake(tac_declare *d, const tac_param_def *p, const tac_place *place,
                        tac_error *err);
void tac__param_fail(tac_declare *d, const tac_param_def *p, const tac_place *place,
                     tac_status status, const char *text);
// Report a node of another kind: "WHAT, found 'abc'".
void tac__param_wrong_kind(tac_declare *d, const tac_param_def *p, const tac_node *node,
                           const char *what);
void tac__param_missing(tac_declare *d, const tac_param_def *p);

#endif
