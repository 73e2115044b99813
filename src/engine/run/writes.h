// writes.h - what follows a write of outputs: digests and histories.
//
// A component has one list for its steps and one for stage 3. They are sorted by kind, so that the
// few kinds that make up nearly all outputs need no branch for each output: over the first 2 s of
// examples/iris_mission.yaml that takes 594,000 instructions, of 36.6 million of the run. With two
// kinds, doubles and other words, it would be 1,055,000; without the kinds of quaternions and
// single words 679,000 (callgrind).
#ifndef TAC_ENGINE_RUN_WRITES_H
#define TAC_ENGINE_RUN_WRITES_H

#include "base/arena.h"
#include "bus/type.h"
#include "bus/view.h"

typedef enum tac__write_kind {
    TAC__WRITE_VECTOR,     // three doubles
    TAC__WRITE_NUMBER,     // one double
    TAC__WRITE_QUATERNION, // four doubles
    TAC__WRITE_WORD,       // one word of another type
    TAC__WRITE_DOUBLES,    // any number of doubles
    TAC__WRITE_WORDS,      // any number of other words
    TAC__WRITE_KINDS,
} tac__write_kind;

typedef struct tac__write { // a write of an output that has a digest
    const void *value;
    uint64_t *digest;
    uint32_t words;
    uint32_t signal;
} tac__write;

// An output was written with a NaN in it. Found while the digest is taken, so there is no separate
// search.
typedef void tac__nan_fn(void *context, uint32_t signal, const double *value, size_t words,
                         tac_time t_us);

typedef struct tac__kept { // an output with a history
    const void *value;
    const tac__history *history;
} tac__kept;

typedef struct tac__writes {
    tac__write *items;               // sorted by kind
    uint32_t ends[TAC__WRITE_KINDS]; // where each kind ends
    uint32_t kept_count;
    tac__kept *kept;
    tac__nan_fn *nan; // NULL: no callback
    void *nan_context;
} tac__writes;

// Make room for `count` outputs, `kept` of which have a history.
tac_status tac__writes_init(tac__writes *writes, tac__arena *arena, size_t count, size_t kept);
// `digest` or `history` may be NULL: the output has none.
void tac__writes_add(tac__writes *writes, uint32_t signal, const tac_type *type, const void *value,
                     uint64_t *digest, const tac__history *history);

static inline bool tac__writes_any(const tac__writes *writes)
{
    return writes->ends[TAC__WRITE_KINDS - 1] | writes->kept_count;
}

// To be called when all outputs of the list have been written at t_us.
void tac__writes_done(const tac__writes *writes, tac_time t_us);

#endif
