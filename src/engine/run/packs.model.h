// packs.model.h - see packs.h.
#include "math/real.h"

#include "engine/run/packs.h"

#include <string.h>

static real load(const double *lanes)
{
    real r;
    memcpy(&r, lanes, sizeof r);
    return r;
}

static void store(real r, double *lanes)
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

static void gather(size_t n, const double *const *from, double *to)
{
    for (size_t i = 0; i < n; i++) {
        const real r = OF_ALL(from, i);
        store(r, to + i * TAC_LANES);
    }
}

static void scatter(tac__lane_set set, size_t n, const double *from, double *const *to)
{
    for (int lane = 0; lane < TAC_LANES; lane++) {
        if (!(set >> lane & 1))
            continue;
        for (size_t i = 0; i < n; i++)
            to[lane][i] = from[i * TAC_LANES + (size_t)lane];
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

TAC_ENTRY const tac__packs TAC_KINDED(tac__packs);
const tac__packs TAC_KINDED(tac__packs) = {gather, scatter, differ, finite, copy};
