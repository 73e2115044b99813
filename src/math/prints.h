// prints.h - fingerprints of the elementary functions: does the SLEEF that was loaded give the bits
// that it gave elsewhere? SLEEF cannot be asked for its version at run time, and two versions may
// agree.
//
// Each function is evaluated at fixed arguments: over all exponents, subnormal numbers, the limits
// of its ranges, infinities. That is done once a process and takes less than a millisecond.
#ifndef TAC_MATH_PRINTS_H
#define TAC_MATH_PRINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The name of the i-th function and the digest of its values; NULL after the last.
const char *tac__math_print(size_t i, uint64_t *print);

// The arguments: the same in every order on every machine.
enum { TAC__PROBES = 352 };
double tac__math_probe(unsigned i);

// Whether the functions of packs give the bits of the plain ones. Only where the machine has packs
// of that many lanes.
bool tac__packs_agree_pack2(void);
bool tac__packs_agree_pack4(void);
bool tac__packs_agree_pack8(void);

// Whether `lanes` (2, 4 or 8) can be used: the machine has the vector registers for which units of
// these packs are compiled, and their functions give the bits of the plain ones. The loaded math
// library may be another version than the one that was tested. Looked at once a process.
bool tac__packs_sound(unsigned lanes);

#ifdef __cplusplus
}
#endif
#endif
