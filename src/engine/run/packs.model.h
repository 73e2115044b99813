// packs.model.h - see packs.h.
#include "math/real.h"

#include "bus/digest.h"
#include "engine/run/packs.h"

#include <string.h>

static inline real load(const double *lanes)
{
    real r;
    memcpy(&r, lanes, sizeof r);
    return r;
}

static inline void store(real r, double *lanes)
{
    memcpy(lanes, &r, sizeof r);
}

static tac__lane_set set_of(cond c)
{
    tac__lane_set set = 0;
    for (int lane = 0; lane < TAC_LANES; lane++)
        set |= (tac__lane_set)(c[lane] & 1) << lane;
    return set;
}

// A pack is put together in a register: a kernel that loads a pack soon after its numbers were
// stored one by one would wait for all of these stores.
#if TAC_LANES == 2
#define OF_ALL(a, i)                                                                               \
    {                                                                                              \
        a[0][i], a[1][i]                                                                           \
    }
#elif TAC_LANES == 4
#define OF_ALL(a, i)                                                                               \
    {                                                                                              \
        a[0][i], a[1][i], a[2][i], a[3][i]                                                         \
    }
#else
#define OF_ALL(a, i)                                                                               \
    {                                                                                              \
        a[0][i], a[1][i], a[2][i], a[3][i], a[4][i], a[5][i], a[6][i], a[7][i]                     \
    }
#endif

// Rows become columns: to[k][i] = from[i][k].
#if TAC_LANES == 2
static inline void transpose(const real *from, real *to)
{
    to[0] = __builtin_shufflevector(from[0], from[1], 0, 2);
    to[1] = __builtin_shufflevector(from[0], from[1], 1, 3);
}
#elif TAC_LANES == 4
static inline void transpose(const real *from, real *to)
{
    real a[4];
    for (int i = 0; i < 4; i += 2) {
        a[i] = __builtin_shufflevector(from[i], from[i + 1], 0, 4, 2, 6);
        a[i + 1] = __builtin_shufflevector(from[i], from[i + 1], 1, 5, 3, 7);
    }
    for (int i = 0; i < 2; i++) {
        to[i] = __builtin_shufflevector(a[i], a[i + 2], 0, 1, 4, 5);
        to[i + 2] = __builtin_shufflevector(a[i], a[i + 2], 2, 3, 6, 7);
    }
}
#else
static inline void transpose(const real *from, real *to)
{
    real a[8], b[8];
    for (int i = 0; i < 8; i += 2) {
        a[i] = __builtin_shufflevector(from[i], from[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[i + 1] = __builtin_shufflevector(from[i], from[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < 4; k++) {
        const int i = k < 2 ? k : k + 2;
        b[i] = __builtin_shufflevector(a[i], a[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        b[i + 2] = __builtin_shufflevector(a[i], a[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < 4; i++) {
        to[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        to[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}
#endif

static void gather(size_t n, const double *const *from, double *to)
{
    for (size_t i = 0; i < n; i++) {
        const real r = OF_ALL(from, i);
        store(r, to + i * TAC_LANES);
    }
}

// As many numbers of each lane at once as there are lanes.
static void scatter(tac__lane_set set, size_t n, const double *from, double *const *to)
{
    size_t i = 0;
    for (; i + TAC_LANES <= n; i += TAC_LANES) {
        real rows[TAC_LANES], columns[TAC_LANES];
        for (size_t k = 0; k < TAC_LANES; k++)
            rows[k] = load(from + (i + k) * TAC_LANES);
        transpose(rows, columns);
        for (int lane = 0; lane < TAC_LANES; lane++) {
            if (set >> lane & 1)
                store(columns[lane], to[lane] + i);
        }
    }
    for (; i < n; i++) {
        for (int lane = 0; lane < TAC_LANES; lane++) {
            if (set >> lane & 1)
                to[lane][i] = from[i * TAC_LANES + (size_t)lane];
        }
    }
}

static tac__lane_set differ(size_t n, const double *a, const double *b)
{
    const real zero = R(0.0);
    cond any = zero > zero;
    for (size_t i = 0; i < n; i++)
        any |= (load(a + i * TAC_LANES) > zero) ^ (load(b + i * TAC_LANES) > zero);
    return set_of(any);
}

// A sum of products with 0 is 0 unless a number is not finite.
static tac__lane_set finite(size_t n, const double *y)
{
    const real zero = R(0.0);
    real sum = zero;
    for (size_t i = 0; i < n; i++)
        sum += load(y + i * TAC_LANES) * zero;
    return set_of(sum == zero);
}

static void copy(size_t n, const double *from, double *to)
{
    for (size_t i = 0; i < n; i++)
        store(load(from + i * TAC_LANES), to + i * TAC_LANES);
}

// --- digests ------------------------------------------------------------------------------------

typedef uint64_t words __attribute__((vector_size(8 * TAC_LANES)));

static inline __attribute__((always_inline)) words mix(words h,
                                                       words value) // tac__hash_word of each lane
{
    h = (h ^ value) * TAC__HASH_FACTOR;
    return h ^ (h >> 32);
}

static inline __attribute__((always_inline)) words word_at(const double *x, size_t i)
{
    words w;
    memcpy(&w, x + i * TAC_LANES, sizeof w);
    return w;
}

static inline __attribute__((always_inline)) tac__lane_set digest_all(uint64_t *digests,
                                                                      tac_time t_us, size_t n,
                                                                      const double *x)
{
    words h;
    memcpy(&h, digests, sizeof h);
    h = mix(h, h - h + t_us);
    size_t i = 0;
    if (n >= TAC__DIGEST_WIDE) { // four chains, as in bus/digest.c
        words b = h + 1, c = h + 2, d = h + 3;
        for (; i + 4 <= n; i += 4) {
            h = mix(h, word_at(x, i));
            b = mix(b, word_at(x, i + 1));
            c = mix(c, word_at(x, i + 2));
            d = mix(d, word_at(x, i + 3));
        }
        h = mix(mix(mix(h, b), c), d);
    }
    for (; i < n; i++)
        h = mix(h, word_at(x, i));
    memcpy(digests, &h, sizeof h);
    real sum = R(0.0), more = R(0.0);
    for (size_t k = 0; k + 2 <= n; k += 2) {
        sum += load(x + k * TAC_LANES);
        more += load(x + (k + 1) * TAC_LANES);
    }
    if (n % 2)
        sum += load(x + (n - 1) * TAC_LANES);
    sum += more;
    return set_of(sum != sum);
}

// AVX-512DQ multiplies words of 64 bits in one instruction; without it a product takes three.
#if defined(__x86_64__) && TAC_LANES == 8
#define DQ "avx512dq"
static bool has_dq(void)
{
    return __builtin_cpu_supports("avx512dq");
}
#elif defined(__x86_64__)
#define DQ "avx512dq,avx512vl"
static bool has_dq(void)
{
    return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

#ifdef DQ
__attribute__((target(DQ))) static tac__lane_set digest_dq(uint64_t *digests, tac_time t_us,
                                                           size_t n, const double *x)
{
    return digest_all(digests, t_us, n, x);
}
#endif

static tac__lane_set digest(uint64_t *digests, tac_time t_us, size_t n, const double *x)
{
#ifdef DQ
    if (has_dq())
        return digest_dq(digests, t_us, n, x);
#endif
    return digest_all(digests, t_us, n, x);
}

TAC_ENTRY const tac__packs TAC_KINDED(tac__packs);
const tac__packs TAC_KINDED(tac__packs) = {gather, scatter, differ, finite, copy, digest};
