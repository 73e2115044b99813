// registers.h - what vector registers of x86 do beyond the vector extensions of gcc and clang:
// minima, maxima, roots, rounding, and the signs of all lanes as a mask.
//
// <immintrin.h> has all of that, but gcc takes 0.35 s for the header, in each of some 50 units. So
// gcc gets the built-in functions that its header calls; other compilers, and a gcc that has other
// functions, get the header. min is a < b ? a : b and max a > b ? a : b, to the bit.
#ifndef TAC_MATH_REGISTERS_H
#define TAC_MATH_REGISTERS_H

// As __m128d, __m256d and __m512d.
typedef double tac__d2 __attribute__((vector_size(16), may_alias));
typedef double tac__d4 __attribute__((vector_size(32), may_alias));
typedef double tac__d8 __attribute__((vector_size(64), may_alias));

#if defined(__has_builtin) && defined(__GNUC__) && !defined(__clang__)
#define TAC__HAS(name) __has_builtin(name)
#else
#define TAC__HAS(name) 0
#endif

#if TAC__HAS(__builtin_ia32_minpd) && TAC__HAS(__builtin_ia32_maxpd) &&                            \
    TAC__HAS(__builtin_ia32_sqrtpd)
#define TAC__MIN_D2(a, b) __builtin_ia32_minpd(a, b)
#define TAC__MAX_D2(a, b) __builtin_ia32_maxpd(a, b)
#define TAC__SQRT_D2(a)   __builtin_ia32_sqrtpd(a)
#elif defined(__SSE2__)
#include <emmintrin.h>
#define TAC__MIN_D2(a, b) _mm_min_pd(a, b)
#define TAC__MAX_D2(a, b) _mm_max_pd(a, b)
#define TAC__SQRT_D2(a)   _mm_sqrt_pd(a)
#endif

#if TAC__HAS(__builtin_ia32_minpd256) && TAC__HAS(__builtin_ia32_maxpd256) &&                      \
    TAC__HAS(__builtin_ia32_sqrtpd256) && TAC__HAS(__builtin_ia32_roundpd256) &&                   \
    TAC__HAS(__builtin_ia32_movmskpd256)
#define TAC__MIN_D4(a, b) __builtin_ia32_minpd256(a, b)
#define TAC__MAX_D4(a, b) __builtin_ia32_maxpd256(a, b)
#define TAC__SQRT_D4(a)   __builtin_ia32_sqrtpd256(a)
#define TAC__FLOOR_D4(a)  __builtin_ia32_roundpd256(a, 1)
#define TAC__SIGNS_D4(a)  __builtin_ia32_movmskpd256(a)
#elif defined(__AVX__)
#include <immintrin.h>
#define TAC__MIN_D4(a, b) _mm256_min_pd(a, b)
#define TAC__MAX_D4(a, b) _mm256_max_pd(a, b)
#define TAC__SQRT_D4(a)   _mm256_sqrt_pd(a)
#define TAC__FLOOR_D4(a)  _mm256_floor_pd(a)
#define TAC__SIGNS_D4(a)  _mm256_movemask_pd(a)
#endif

// The forms with a mask: gcc 12 warns of an undefined value in the others when compiled as C++. The
// last argument of the built-in functions is the rounding mode that is set, which is to nearest.
#if TAC__HAS(__builtin_ia32_minpd512_mask) && TAC__HAS(__builtin_ia32_maxpd512_mask) &&            \
    TAC__HAS(__builtin_ia32_sqrtpd512_mask) && TAC__HAS(__builtin_ia32_rndscalepd_mask) &&         \
    TAC__HAS(__builtin_ia32_cmpq512_mask)
typedef long long tac__i8 __attribute__((vector_size(64)));
#define TAC__MIN_D8(a, b) __builtin_ia32_minpd512_mask(a, b, a, -1, 4)
#define TAC__MAX_D8(a, b) __builtin_ia32_maxpd512_mask(a, b, a, -1, 4)
#define TAC__SQRT_D8(a)   __builtin_ia32_sqrtpd512_mask(a, a, -1, 4)
#define TAC__FLOOR_D8(a)  __builtin_ia32_rndscalepd_mask(a, 1, a, -1, 4)
#define TAC__SIGNS_D8(a)                                                                           \
    ((unsigned char)__builtin_ia32_cmpq512_mask((tac__i8)(a), (tac__i8){0}, 1, -1))
#elif defined(__AVX512F__)
#include <immintrin.h>
#define TAC__MIN_D8(a, b) _mm512_maskz_min_pd(0xFF, a, b)
#define TAC__MAX_D8(a, b) _mm512_maskz_max_pd(0xFF, a, b)
#define TAC__SQRT_D8(a)   _mm512_maskz_sqrt_pd(0xFF, a)
#define TAC__FLOOR_D8(a)  _mm512_maskz_roundscale_pd(0xFF, a, _MM_FROUND_FLOOR)
#define TAC__SIGNS_D8(a)  _mm512_cmplt_epi64_mask((__m512i)(a), _mm512_setzero_si512())
#endif

#endif
