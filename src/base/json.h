// json.h - writing JSON. The writer adds commas, quotes and indentation; the caller nests objects
// and arrays. Doubles are written with the fewest digits that read back exactly; NaN and infinities
// as null, which is all JSON has for them.
#ifndef TAC_BASE_JSON_H
#define TAC_BASE_JSON_H

#include "base/text.h"

#include <stdint.h>

enum { TAC__JSON_DEPTH = 64 };

typedef struct tac__json {
    tac__text *text;
    unsigned depth;
    bool has_items[TAC__JSON_DEPTH];
    bool compact[TAC__JSON_DEPTH]; // this level stands on one line
    bool after_key;
} tac__json;

tac__json tac__json_begin(tac__text *text);

void tac__json_object_begin(tac__json *json);
void tac__json_object_end(tac__json *json);
void tac__json_array_begin(tac__json *json);
void tac__json_array_end(tac__json *json);
// Write the next object or array, and everything inside it, on one line.
void tac__json_compact(tac__json *json);

void tac__json_key(tac__json *json, const char *key);
void tac__json_text(tac__json *json, const char *value); // NULL writes null
void tac__json_number(tac__json *json, double value);
void tac__json_u64(tac__json *json, uint64_t value);
void tac__json_i64(tac__json *json, int64_t value);
void tac__json_bool(tac__json *json, bool value);
void tac__json_raw(tac__json *json, const char *value); // that is JSON already, on one line
void tac__json_hex64(tac__json *json, uint64_t value);  // "0123456789abcdef", as a string

// key and value in one
void tac__json_key_text(tac__json *json, const char *key, const char *value);
void tac__json_key_number(tac__json *json, const char *key, double value);
void tac__json_key_u64(tac__json *json, const char *key, uint64_t value);
void tac__json_key_bool(tac__json *json, const char *key, bool value);
void tac__json_key_hex64(tac__json *json, const char *key, uint64_t value);

#endif
