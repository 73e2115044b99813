// schema.h - the list of all signals of a simulation, with a version and a hash. Recorders, digests
// and listings expand from it; no signal is named anywhere in their code.
#ifndef TAC_BUS_SCHEMA_H
#define TAC_BUS_SCHEMA_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/names.h"
#include "base/text.h"
#include "base/unit.h"
#include "bus/type.h"

// Raised when the meaning of the listing itself changes.
enum { TAC__SCHEMA_VERSION = 1 };

typedef struct tac__signal {
    const char *name; // "uav1.Nav.position"
    const char *unit, *doc;
    const char *writer, *group; // component; rate group or ""
    tac_type type;
    tac__unit dimension;
    tac_stage stage;    // in which it is written
    bool continuous;    // state or output of the plant
    bool state;         // a continuous state: readable in every stage
    bool read;          // some input is connected to it
    uint8_t role;       // a tac_role
    uint32_t component; // index of the writer
    size_t words;       // 8-byte words in memory
    size_t offset;      // of its value in the block of the run
    int derivative;     // signal that is its rate of change, or -1
} tac__signal;

typedef struct tac__schema {
    tac__signal *signals;
    size_t count, capacity;
    tac__names names; // also of signals that were taken back
} tac__schema;

// Append; the name must be new. The arena keeps the copies.
tac_status tac__schema_add(tac__schema *schema, tac__arena *arena, const tac__signal *signal,
                           tac_error *err);
int tac__schema_find(const tac__schema *schema, const char *name); // -1: unknown

// Names, types, units, writers, stages and groups; not where values lie, nor descriptions.
uint64_t tac__schema_hash(const tac__schema *schema);

void tac__schema_text(const tac__schema *schema, tac__text *out);
void tac__schema_json(const tac__schema *schema, tac__text *out);

tac__candidate_fn tac__schema_name; // for suggestions: context is the schema

#endif
