// draws.model.h - random numbers of every scalar kind; draws.h says what they are.
//
// A lane of a pack has a key and a counter of its own; its numbers are to the bit those that its
// stream gives alone. For derivatives a draw is a constant.
#include "math/real.h"
#include "math/ziggurat.h"

#include <string.h>
#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#ifdef TAC_LANES
typedef double value; // `values` of packs need no alignment
#else
typedef real value;
#endif

TAC_ENTRY void TAC_KINDED(tac__draw_normals)(const tac__stream_lanes *lanes, uint32_t mask,
                                             uint64_t *next, value *values, size_t count);
TAC_ENTRY void TAC_KINDED(tac__draw_uniforms)(const tac__stream_lanes *lanes, uint32_t mask,
                                              uint64_t *next, value *values, size_t count);

#ifdef TAC_LANES

TAC_ENTRY void TAC_KINDED(tac__draw_ahead)(const tac__stream *stream, uint64_t index,
                                           double *values);

// --- words --------------------------------------------------------------------------------------

typedef uint64_t u64s __attribute__((vector_size(8 * TAC_LANES)));

// The product of the lower halves. The operator * multiplies whole words, for which gcc 12 takes
// three of these instructions.
static inline u64s product(u64s a, uint32_t b)
{
#if defined(__AVX512F__) && TAC_LANES == 8
    // gcc 12 warns of an uninitialised variable inside _mm512_mul_epu32.
    return (u64s)_mm512_maskz_mul_epu32(0xFF, (__m512i)a, _mm512_set1_epi64(b));
#elif defined(__AVX2__) && TAC_LANES == 4
    return (u64s)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(b));
#elif defined(__SSE2__) && TAC_LANES == 2
    return (u64s)_mm_mul_epu32((__m128i)a, _mm_set1_epi64x(b));
#else
    return (a & UINT32_MAX) * b;
#endif
}

// Without the barrier gcc makes a constant of its own for the key of each round, which takes two
// instructions more than one addition: 3.2 ns a number instead of 3.6 (AVX2, count 3).
static inline u64s sum(u64s a, uint32_t b)
{
    a += b;
#ifdef __x86_64__
    __asm__("" : "+v"(a));
#endif
    return a;
}

TAC__PHILOX_DEFINE(philox, u64s, u64s, product, sum)

static inline u64s load(const uint64_t *from)
{
    u64s w;
    memcpy(&w, from, sizeof w);
    return w;
}

// The streams of the lanes.
typedef struct streams {
    u64s key[2], high[2];
} streams;

static inline streams load_streams(const tac__stream_lanes *from)
{
    const streams s = {{load(from->key[0]), load(from->key[1])},
                       {load(from->high[0]), load(from->high[1])}};
    return s;
}

static inline void stream_words(streams s, u64s index, u64s w[4])
{
    const u64s counter[4] = {index, index >> 32, s.high[0], s.high[1]};
    philox(counter, s.key, w);
}

static inline void store(double *to, real values)
{
    memcpy(to, &values, sizeof values);
}

// --- lanes --------------------------------------------------------------------------------------

#if TAC_LANES == 2
#define EACH_LANE 0, 1
#define EACH_BIT  1, 2
#define EVEN      0, 2
#define ODD       1, 3
#elif TAC_LANES == 4
#define EACH_LANE 0, 1, 2, 3
#define EACH_BIT  1, 2, 4, 8
#define EVEN      0, 4, 2, 6
#define ODD       1, 5, 3, 7
#else
#define EACH_LANE 0, 1, 2, 3, 4, 5, 6, 7
#define EACH_BIT  1, 2, 4, 8, 16, 32, 64, 128
#define EVEN      0, 8, 2, 10, 4, 12, 6, 14
#define ODD       1, 9, 3, 11, 5, 13, 7, 15
#endif

// All ones in the lanes of a mask.
static inline u64s lanes_of(uint32_t mask)
{
    const u64s bits = {EACH_BIT};
    return (u64s)((bits & mask) != 0);
}

// A bit for each lane that is all ones.
static inline uint32_t mask_of(u64s lanes)
{
#if defined(__AVX512F__) && TAC_LANES == 8
    return _mm512_test_epi64_mask((__m512i)lanes, (__m512i)lanes);
#elif defined(__AVX2__) && TAC_LANES == 4
    return (uint32_t)_mm256_movemask_pd((__m256d)lanes);
#elif defined(__SSE2__) && TAC_LANES == 2
    return (uint32_t)_mm_movemask_pd((__m128d)lanes);
#else
    uint32_t mask = 0;
    for (int lane = 0; lane < TAC_LANES; lane++)
        mask |= (uint32_t)(lanes[lane] & 1) << lane;
    return mask;
#endif
}

// --- normals ------------------------------------------------------------------------------------

// The edges of the layer of number k: the layer's own and the next.
typedef double edges __attribute__((vector_size(16)));
static inline edges edges_of(uint64_t layers, uint32_t k)
{
    edges e;
    memcpy(&e, &tac__ziggurat_x[(uint32_t)layers >> 10 * k & (TAC__ZIGGURAT_LAYERS - 1)], sizeof e);
    return e;
}

// Those of every second lane from `lane` on.
static inline real edges_from(const uint64_t *layers, uint32_t k, int lane)
{
#if TAC_LANES == 2
    return edges_of(layers[lane], k);
#else
    typedef double half __attribute__((vector_size(32)));
    const half low = __builtin_shufflevector(edges_of(layers[lane], k),
                                             edges_of(layers[lane + 2], k), 0, 1, 2, 3);
#if TAC_LANES == 4
    return low;
#else
    const half high = __builtin_shufflevector(edges_of(layers[lane + 4], k),
                                              edges_of(layers[lane + 6], k), 0, 1, 2, 3);
    return __builtin_shufflevector(low, high, EACH_LANE);
#endif
#endif
}

// (word + 0.5) / 2^32 of the lower half of each word, exactly: 2^20 + word / 2^32 has the word in
// its lowest bits.
static inline real to_uniform(u64s w)
{
    const u64s bits = (w & UINT32_MAX) | UINT64_C(0x4130000000000000);
    return (real)bits - (0x1p20 - 0x1p-33);
}

// A draw in each lane.
typedef struct drawn {
    u64s w[4];
    real n[3];         // the numbers
    uint32_t rejected; // a bit for each lane of each number that is not left of the next edge
} drawn;

// The edges are loaded lane by lane, two at once: 2.4 ns a number in 8 lanes, 3.3 by gathers (Zen
// 4). One draw of each lane at a time: drawing ahead for each lane, as tac__normals does for a
// stream, would only hide latency (count 12 is 4 % faster than count 3), and takes memory.
__attribute__((always_inline)) static inline drawn draw(streams s, u64s index)
{
    drawn d;
    uint64_t layers[TAC_LANES];
    d.rejected = 0;
    stream_words(s, index, d.w);
    memcpy(layers, &d.w[3], sizeof layers);
#pragma GCC unroll 3
    for (uint32_t k = 0; k < TAC__ZIGGURAT_NUMBERS; k++) {
        const real even = edges_from(layers, k, 0), odd = edges_from(layers, k, 1);
        const real x = to_uniform(d.w[k]) * __builtin_shufflevector(even, odd, EVEN);
        const u64s beyond = (u64s)(x >= __builtin_shufflevector(even, odd, ODD));
        d.rejected |= mask_of(beyond) << k * TAC_LANES;
        d.n[k] = (real)((u64s)x ^ (d.w[3] << (55 - 10 * k) & UINT64_C(1) << 63));
    }
    return d;
}

// Draws the numbers of the lanes in `rejected` again, one by one: 1.5 of 100 numbers. In `values`
// the numbers of all lanes are side by side.
__attribute__((noinline)) static void draw_again(const streams *s, const u64s *index, const u64s *w,
                                                 uint32_t rejected, double *values)
{
    for (; rejected; rejected &= rejected - 1) {
        const uint32_t at = (uint32_t)__builtin_ctz(rejected);
        const uint32_t k = at / TAC_LANES, lane = at % TAC_LANES;
        const tac__stream stream = {{(uint32_t)s->key[0][lane], (uint32_t)s->key[1][lane]},
                                    {(uint32_t)s->high[0][lane], (uint32_t)s->high[1][lane]}};
        values[at] = tac__ziggurat_number(&stream, (*index)[lane], k, (uint32_t)w[k][lane],
                                          (uint32_t)w[3][lane]);
    }
}

__attribute__((always_inline)) static inline void draw_rejected(streams s, u64s index,
                                                                const drawn *d, uint32_t rejected,
                                                                double *values)
{
    if (__builtin_expect(rejected != 0, 0)) {
        const streams copy = s;
        const u64s at = index, w[4] = {d->w[0], d->w[1], d->w[2], d->w[3]};
        draw_again(&copy, &at, w, rejected, values);
    }
}

enum { ALL_LANES = (1 << TAC_LANES) - 1 };

TAC_ENTRY void TAC_KINDED(tac__draw_normals)(const tac__stream_lanes *lanes, uint32_t mask,
                                             uint64_t *next, value *values, size_t count)
{
    const streams s = load_streams(lanes);
    const u64s chosen = lanes_of(mask);
    mask &= ALL_LANES;
    u64s index = load(next);
    for (size_t i = 0; i < count; i += 3, values += 3 * TAC_LANES) {
        const drawn d = draw(s, index);
        uint32_t of = mask;
        store(values, d.n[0]);
        if (i + 1 < count) {
            store(values + TAC_LANES, d.n[1]);
            of |= mask << TAC_LANES;
        }
        if (i + 2 < count) {
            store(values + 2 * TAC_LANES, d.n[2]);
            of |= mask << 2 * TAC_LANES;
        }
        draw_rejected(s, index, &d, d.rejected & of, values);
        index -= chosen;
    }
    memcpy(next, &index, sizeof index);
}

static inline u64s splat(uint64_t word)
{
    const u64s zero = {0};
    return zero + word;
}

TAC_ENTRY void TAC_KINDED(tac__draw_ahead)(const tac__stream *stream, uint64_t index,
                                           double *values)
{
    const streams s = {{splat(stream->key[0]), splat(stream->key[1])},
                       {splat(stream->high[0]), splat(stream->high[1])}};
    const u64s each = {EACH_LANE};
    const drawn d = draw(s, index + each);
    memcpy(values, d.n, sizeof d.n);
    draw_rejected(s, index + each, &d, d.rejected, values);
}

// --- uniforms -----------------------------------------------------------------------------------

// The lower half of each word, exactly: 2^52 + word has the word in its lowest bits.
static inline real to_real(u64s w)
{
    return (real)((w & UINT32_MAX) | UINT64_C(0x4330000000000000)) - 0x1p52;
}

TAC_ENTRY void TAC_KINDED(tac__draw_uniforms)(const tac__stream_lanes *lanes, uint32_t mask,
                                              uint64_t *next, value *values, size_t count)
{
    const streams s = load_streams(lanes);
    const u64s chosen = lanes_of(mask);
    u64s index = load(next);
    for (size_t i = 0; i < count; i++) {
        u64s w[4];
        stream_words(s, index, w);
        // The 53 bits of tac__uniform_of, in two parts; both and their sum are exact.
        store(values + i * TAC_LANES,
              (to_real(w[0]) * 0x1p21 + to_real((w[1] & UINT32_MAX) >> 11)) * 0x1p-53);
        index -= chosen;
    }
    memcpy(next, &index, sizeof index);
}

#else

TAC_ENTRY void TAC_KINDED(tac__draw_normals)(const tac__stream_lanes *lanes, uint32_t mask,
                                             uint64_t *next, value *values, size_t count)
{
    const tac__stream stream = tac__stream_lanes_get(lanes, 0);
    const uint64_t one = mask & 1;
    for (size_t i = 0; i < count; i += 3) {
        double n[3];
        tac__ziggurat_draw(&stream, *next, n);
        *next += one;
        for (size_t k = 0; k < 3 && i + k < count; k++)
            values[i + k] = R(n[k]);
    }
}

TAC_ENTRY void TAC_KINDED(tac__draw_uniforms)(const tac__stream_lanes *lanes, uint32_t mask,
                                              uint64_t *next, value *values, size_t count)
{
    const tac__stream stream = tac__stream_lanes_get(lanes, 0);
    const uint64_t one = mask & 1;
    for (size_t i = 0; i < count; i++) {
        uint32_t w[4];
        tac__stream_words(&stream, *next, w);
        values[i] = R(tac__uniform_of(w));
        *next += one;
    }
}

#endif
