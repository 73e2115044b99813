// unit.h - physical units: what a signal or parameter is measured in.
//
// A unit is a product of powers: "m/s^2", "kg*m^2", "rad/s", "1" for a bare number. Angles count as
// a dimension of their own, so that rad and 1 are not confused. Scales are exact: a rational number
// times powers of ten and of pi.
#ifndef TAC_BASE_UNIT_H
#define TAC_BASE_UNIT_H

#include "base/error.h"

#include <stdbool.h>

enum { TAC__UNIT_M, TAC__UNIT_KG, TAC__UNIT_S, TAC__UNIT_A, TAC__UNIT_K, TAC__UNIT_RAD };
enum { TAC__UNIT_DIMENSIONS = 6 };

typedef struct tac__unit {
    int8_t power[TAC__UNIT_DIMENSIONS];
    int8_t pi;         // power of pi in the scale
    int16_t ten;       // power of ten in the scale
    uint64_t num, den; // the rest of the scale, in lowest terms
} tac__unit;

// NULL and "" read as "1".
tac_status tac__unit_parse(const char *text, tac__unit *unit, tac_error *err);

bool tac__unit_same(const tac__unit *a, const tac__unit *b);       // dimension and scale
bool tac__unit_compatible(const tac__unit *a, const tac__unit *b); // dimension only

// a *= b to the power of `exponent`, 1 or -1. False if an exponent gets too large; `a` is then
// undefined.
bool tac__unit_multiply(tac__unit *a, const tac__unit *b, int exponent);

// value_in_b = value_in_a * num / den: two roundings at most, none where the ratio is 1. Where pi
// is involved the division comes first, so that 90 deg is exactly half of the double pi, and back.
typedef struct tac__factor {
    double num, den;
    bool divide_first;
} tac__factor;

// `a` and `b` must be compatible.
tac__factor tac__unit_factor(const tac__unit *a, const tac__unit *b);

static inline double tac__factor_apply(tac__factor f, double value)
{
    return f.divide_first ? value / f.den * f.num : value * f.num / f.den;
}

// Read "1.5", "30 deg" or "2e-3 kg" as a number of `unit`; without a unit it is in `unit` already.
tac_status tac__quantity_parse(const char *text, const char *unit, double *value, tac_error *err);

// Greatest common divisor; tac__gcd(a, 0) is a.
uint64_t tac__gcd(uint64_t a, uint64_t b);

#endif
