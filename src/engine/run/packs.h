// packs.h - small work on all lanes at once, compiled for each width (packs.model.h). Call it only
// where the machine has such registers (tac__packs_sound).
#ifndef TAC_ENGINE_RUN_PACKS_H
#define TAC_ENGINE_RUN_PACKS_H

#include "ode/lanes.h"

#include <tactus/component.h>
#include <tactus/time.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tac__packs {
    // n packs of doubles from one array for each lane.
    void (*gather)(size_t n, const double *const *from, double *to);
    // And back, in the lanes of the set.
    void (*scatter)(tac__lane_set set, size_t n, const double *from, double *const *to);
    // Lanes in which some a > 0 differs from b > 0.
    tac__lane_set (*differ)(size_t n, const double *a, const double *b);
    // Lanes in which all numbers are finite.
    tac__lane_set (*finite)(size_t n, const double *y);
    void (*copy)(size_t n, const double *from, double *to);
    // As tac__digest_doubles of each lane. Returns lanes with a NaN (or infinities of both signs):
    // their digests are void.
    tac__lane_set (*digest)(uint64_t *digests, tac_time t_us, size_t n, const double *x);
} tac__packs;

extern const tac__packs tac__packs_pack2, tac__packs_pack4, tac__packs_pack8;

#ifdef __cplusplus
}
#endif

static inline const tac__packs *tac__packs_of(size_t lanes)
{
    return lanes == 8 ? &tac__packs_pack8 : lanes == 4 ? &tac__packs_pack4 : &tac__packs_pack2;
}

static inline tac_kind tac__packs_kind(size_t lanes)
{
    return lanes == 8 ? TAC_PACK8 : lanes == 4 ? TAC_PACK4 : TAC_PACK2;
}

#endif
