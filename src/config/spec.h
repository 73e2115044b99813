// spec.h - what a configuration may contain, as tables. The check of a document, the values with
// their defaults, and the JSON Schema for editors are all made from one table.
//
//     static const tac__key group_keys[] = {
//         {"name", TAC__KIND_NAME, TAC__REQUIRED, .doc = "what components refer to"},
//         {"period", TAC__KIND_PERIOD, .fallback = "10 ms", .doc = "time between two steps"},
//         {"components", TAC__KIND_LIST, .of = &(const tac__key){.kind = TAC__KIND_NAME}},
//         {0},
//     };
//     static const tac__spec group_spec = {"rate_group", "Components that step together.",
//                                          group_keys};
//
// A key whose value is null (`key:`, `key: ~`) is absent. Text in quotes is never a number, a bool
// or null. Tables are constant data; they may refer to each other and to themselves.
#ifndef TAC_CONFIG_SPEC_H
#define TAC_CONFIG_SPEC_H

#include "base/json.h"

#include <tactus/node.h>
#include <tactus/time.h>

typedef enum tac__kind {
    TAC__KIND_END,     // after the last key or alternative
    TAC__KIND_ANY,     // checked elsewhere
    TAC__KIND_TEXT,    // any scalar
    TAC__KIND_NAME,    // tac__name_valid
    TAC__KIND_WORD,    // one of `words`
    TAC__KIND_PATTERN, // of names: see tac__path_match
    TAC__KIND_PATH,    // of a file: see tac__node_path_beside
    TAC__KIND_BOOL,    // true or false
    TAC__KIND_INTEGER, // 42, -1, 0xff
    TAC__KIND_NUMBER,  // 1.5; with a `unit` also "1500 g", converted
    TAC__KIND_TIME,    // "4 ms": tac_time_parse
    TAC__KIND_PERIOD,  // "4 ms", "250 Hz": tac_period_parse
    TAC__KIND_RATE,    // 250, "250 Hz", "1 kHz": its period is a whole number of microseconds
    TAC__KIND_LIST,    // of `of`; min and max bound the number of items
    TAC__KIND_TABLE,   // a map of names to `of`
    TAC__KIND_MAP,     // a map with the keys of `spec`
    TAC__KIND_EITHER,  // one of the alternatives at `of`, an array that ends with TAC__KIND_END
} tac__kind;

enum {
    TAC__REQUIRED = 1,
    TAC__INFINITE = 2,   // of a number: .inf and -.inf are allowed
    TAC__NAN = 4,        // of a number: .nan is allowed
    TAC__POSITIVE = 8,   // of a number: must be above 0
    TAC__FREE_KEYS = 16, // of a table: keys may be any text, not only names
    TAC__TUNABLE = 32,   // may be another when a run goes on from a checkpoint
    TAC__NEEDED = 64,    // in a JSON Schema required only where TAC__WHOLE says so
    TAC__WHOLE = 128,    // of a map in a JSON Schema: has all keys that are needed
    TAC__BRINGS = 256,   // of a key of the root: brings words for `by` that the schema cannot know
};

typedef struct tac__spec tac__spec;

// A key of a map; without a name, an item of a list or table, or an alternative.
typedef struct tac__key tac__key;
struct tac__key {
    const char *name;
    tac__kind kind;
    unsigned flags;
    const char *fallback; // of a scalar, as it would be written; NULL: none
    const char *doc;
    const char *unit;
    double min, max;          // inclusive; both 0: no bounds; open ends are HUGE_VAL
    const char *const *words; // ends with NULL
    const char *no_bool;      // of words: what to say of true and false; NULL: nothing special
    const tac__key *of;
    const tac__spec *spec;
    // Of EITHER, in a JSON Schema: the key whose word tells which of the maps at `of` it is. The
    // last of them, where any word is allowed, is for maps without that key.
    const char *by;
};

struct tac__spec {
    const char *name; // unique among the specs that are used together
    const char *doc;
    const tac__key *keys;
};

// Check a tree against a spec. Where `m` (may be NULL) tells somebody of all mistakes, TAC_OK only
// says that nothing else went wrong: see tac__mistakes_end. Otherwise the first one is returned.
TAC_MUST_CHECK tac_status tac__spec_check(const tac_node *node, const tac__spec *spec,
                                          tac__mistakes *m, tac_error *err);

// Check a spec itself, and all it refers to: for tests of tables.
TAC_MUST_CHECK tac_status tac__spec_valid(const tac__spec *spec, tac_error *err);

// Write the JSON Schema (draft 2020-12). `part` leaves out which keys are required: for files that
// extend others or are extended, and so hold only a part of a configuration.
TAC_MUST_CHECK tac_status tac__spec_json_schema(const tac__spec *spec, bool part, tac__json *json);

// --- values, after the check ----------------------------------------------------------------

// Each returns the value of a key, the fallback if it is absent, and 0, false or NULL if there is
// no fallback either. The key must be in the spec and of that kind.
const char *tac__get_text(const tac_node *map, const tac__spec *spec, const char *key);
bool tac__get_bool(const tac_node *map, const tac__spec *spec, const char *key);
int64_t tac__get_int(const tac_node *map, const tac__spec *spec, const char *key);
double tac__get_number(const tac_node *map, const tac__spec *spec, const char *key);
tac_time tac__get_time(const tac_node *map, const tac__spec *spec, const char *key);
tac_time tac__get_period(const tac_node *map, const tac__spec *spec, const char *key); // RATE too
size_t tac__get_word(const tac_node *map, const tac__spec *spec, const char *key); // its position

// The node of a key, NULL if absent: tac_node_get without nulls.
const tac_node *tac__get_node(const tac_node *map, const char *key);

// --- single scalars, for what is checked elsewhere ------------------------------------------

TAC_MUST_CHECK tac_status tac__read_bool(const tac_node *node, bool *value, tac_error *err);
TAC_MUST_CHECK tac_status tac__read_int(const tac_node *node, int64_t *value, tac_error *err);
TAC_MUST_CHECK tac_status tac__read_number(const tac_node *node, double *value, tac_error *err);
TAC_MUST_CHECK tac_status tac__read_time(const tac_node *node, tac_time *t_us, tac_error *err);
TAC_MUST_CHECK tac_status tac__read_period(const tac_node *node, tac_time *period_us,
                                           tac_error *err);

#endif
