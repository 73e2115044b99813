// spec_parts.h - what checking (spec.c) and the JSON Schema (schema.c) share.
#ifndef TAC_CONFIG_SPEC_PARTS_H
#define TAC_CONFIG_SPEC_PARTS_H

#include "config/spec.h"

typedef union tac__parsed {
    bool boolean;
    int64_t integer;
    double number;
    tac_time t_us;
    size_t word;
} tac__parsed;

bool tac__spec_scalar(tac__kind kind);

// The value of a scalar's text. `quoted`: it stood in quotes.
TAC_MUST_CHECK tac_status tac__spec_parse(const tac__key *key, const char *text, bool quoted,
                                          tac__parsed *value, tac_error *err);

const tac__key *tac__spec_key(const tac__spec *spec, const char *name); // NULL: there is none

enum { TAC__SPECS_MAX = 256 };

typedef struct tac__spec_set {
    const tac__spec *specs[TAC__SPECS_MAX];
    size_t count;
} tac__spec_set;

// Add the specs that a key names itself. The set is processed while it grows, which finds the
// others, and ends with recursive specs, too. Fails with TAC_E_LIMIT.
TAC_MUST_CHECK tac_status tac__spec_add(tac__spec_set *set, const tac__key *key);

#endif
