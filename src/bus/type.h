// type.h - how values lie in memory. Every signal starts on 8 bytes and is padded with zeros to a
// whole number of 8-byte words, so that digests and copies work on words.
#ifndef TAC_BUS_TYPE_H
#define TAC_BUS_TYPE_H

#include "base/error.h"
#include <tactus/signal.h>

size_t tac__scalar_size(tac_scalar scalar);
size_t tac__type_size(const tac_type *type);  // bytes of the value
size_t tac__type_words(const tac_type *type); // 8-byte words that it takes in memory

// The i-th element of a value as a number.
double tac__scalar_f64(tac_scalar scalar, const void *value, size_t i);

size_t tac__type_labels(const tac_type *type); // of an enum; else 0

// Same scalar, shape and count, and for enums the same labels.
bool tac__type_same(const tac_type *a, const tac_type *b);

// The resting value: zero, for a quaternion the identity.
void tac__type_rest(const tac_type *type, void *value);
bool tac__type_rests(const tac_type *type, const void *value); // is it that, bit for bit?

// Counts and labels make sense. `what` names the port for the error.
tac_status tac__type_check(const tac_type *type, const char *what, tac_error *err);

// A value for people: "1.5", "[1, 2, 3]", "true", "COAST".
void tac__value_print(const tac_type *type, const void *value, char *text, size_t size);

#endif
