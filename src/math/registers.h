// registers.h - the intrinsics of the vector registers that a unit is compiled for. The header for
// AVX takes a compiler most of a second, so units for SSE2 do without it.
#ifndef TAC_MATH_REGISTERS_H
#define TAC_MATH_REGISTERS_H

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#endif
