// schema.h - the list of all signals of a simulation, with a version and a hash. Recorders, digests
// and listings expand from it; no signal is named anywhere in their code.
#ifndef TAC_BUS_SCHEMA_H
#define TAC_BUS_SCHEMA_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/unit.h"
#include "bus/type.h"
#include "bus/view.h"

// Raised when the meaning of the listing itself changes.
enum { TAC__SCHEMA_VERSION = 1 };

// What the same output or state of all vehicles of a kind has in common: stored once.
typedef struct tac__signal_kind {
    const char *unit, *doc;
    const char *group; // rate group or ""
    tac_type type;
    tac__unit dimension;
    tac_stage stage; // in which it is written
    bool continuous; // state or output of the plant
    bool state;      // a continuous state: readable in every stage
    uint8_t role;    // a tac_role
    size_t words;    // 8-byte words in memory
} tac__signal_kind;

typedef struct tac__signal {
    const char *name;   // "uav1.Nav.position"
    const char *writer; // component
    const tac__signal_kind *kind;
    tac__history *history; // NULL: none is kept
    uint64_t *digest;      // in the block of the run; NULL: none
    size_t offset;         // of its value in the block of the run
    uint32_t component;    // index of the writer
    int derivative;        // signal that is its rate of change, or -1
    bool read;             // some input is connected to it
} tac__signal;

typedef struct tac__schema {
    tac__signal *signals;
    size_t count;
    TAC__CAPACITY(tac__signal) capacity;
} tac__schema;

// Append. The arena keeps the copy; names and kinds are kept by pointer. TAC_E_MEMORY.
tac_status tac__schema_add(tac__schema *schema, tac__arena *arena, const tac__signal *signal);

// Names, types, units, writers, stages and groups; not where values lie, nor descriptions.
uint64_t tac__schema_hash(const tac__schema *schema);

void tac__schema_text(const tac__schema *schema, tac__text *out);
void tac__schema_json(const tac__schema *schema, tac__text *out);

tac__candidate_fn tac__schema_name; // for suggestions: context is the schema

#endif
