// lcm_type.h - groups of signals as types of LCM: structs in its language (.lcm files, which
// lcm-gen turns into code), their fingerprints, and values in their encoding.
//
// A struct holds `int64_t utime`, then a member for each signal of the group: double, int32_t,
// int64_t or boolean, or an array of those. Enums are int32_t, their labels constants of the
// struct. Everything is big-endian; a message begins with the fingerprint of its type.
#ifndef TAC_BUS_LCM_TYPE_H
#define TAC_BUS_LCM_TYPE_H

#include "base/names.h"
#include "base/text.h"
#include "bus/schema.h"

enum { TAC__LCM_CHANNEL_MAX = 63 }; // characters in the name of a channel that LCM can send

// A signal of a group.
typedef struct tac__lcm_field {
    const char *name;       // inside the group: "battery.soc"
    const char *unit, *doc; // either may be NULL
    tac_type type;
} tac__lcm_field;

typedef struct tac__lcm_group {
    const char *type;     // name of its struct: "wind_t"
    const char **members; // by field
    uint64_t fingerprint;
    size_t size; // bytes of a message
} tac__lcm_group;

// A file of types under way. Groups that look the same (those of a swarm) share a struct.
typedef struct tac__lcm_types {
    tac__arena *arena; // what groups point to lives there
    tac__text *out;
    tac__text body;       // of the struct under way,
    tac__arena scratch;   // and what is needed while it is made
    tac__names bodies;    // number: index in `structs`
    tac__names names;     // of structs
    const char **structs; // names, in the order of the file
    size_t count;
    TAC__CAPACITY(const char *) capacity;
} tac__lcm_types;

// Begin writes "package tactus;" under the comment `title`. End frees what is not in the arena,
// also after a failure.
TAC_MUST_CHECK tac_status tac__lcm_types_begin(tac__lcm_types *types, tac__arena *arena,
                                               tac__text *out, const char *title, tac_error *err);
void tac__lcm_types_end(tac__lcm_types *types);

// The type of a group of signals. Its struct is added to the file unless there is one like it, with
// the name `stem` and "_t", dots as '_', and the name of the channel in a comment. TAC_E_MEMORY; a
// failure of `out` is the caller's to check.
TAC_MUST_CHECK tac_status tac__lcm_type_of_group(tac__lcm_types *types, const char *stem,
                                                 const char *channel, const tac__lcm_field *fields,
                                                 size_t count, tac__lcm_group *group,
                                                 tac_error *err);

// All signals of a simulation: a group is what one component writes.
TAC_MUST_CHECK tac_status tac__schema_lcm(const tac__schema *schema, tac__lcm_types *types,
                                          tac_error *err);

// --- fingerprints, as lcm-gen computes them -----------------------------------------------------

uint64_t tac__lcm_hash_begin(void);
// A member. `dimension` is NULL for a single value, else the length of an array as it is written:
// "3", or, where `variable`, the name of the member that holds the length.
uint64_t tac__lcm_hash_member(uint64_t hash, const char *name, const char *type,
                              const char *dimension, bool variable);
uint64_t tac__lcm_hash_end(uint64_t hash);

// --- values -------------------------------------------------------------------------------------

// Write the lower `size` bytes of `bits`, or a value as it lies in memory; return the end.
uint8_t *tac__lcm_put(uint8_t *to, uint64_t bits, size_t size);
uint8_t *tac__lcm_put_value(uint8_t *to, const tac_type *type, const void *value);
uint64_t tac__lcm_get(const uint8_t *from, size_t size);
// The way back of tac__lcm_put_value, into `value` as it lies in memory; the end of what was read.
// A boolean is true where its byte is not 0.
const uint8_t *tac__lcm_get_value(const uint8_t *from, const tac_type *type, void *value);

#endif
