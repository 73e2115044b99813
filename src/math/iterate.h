// iterate.h - a part of a model that is repeated until it has settled, for every scalar kind.
//
//     real x[2] = {...};                       what the iteration carries from round to round
//     r_iteration it = r_iterate(ROUNDS);
//     while (r_iterate_round(&it, 2, x)) {
//         ...                                  from x, and from what is outside
//         r_iterate_export(&it, &excess);      it is needed after the loop
//         if (r_iterate_settled(&it, settled, residual))
//             break;
//         x[0] = r_iterate_next(&it, settled, x[0], next);
//         ...
//     }
//
// The first part of the body runs at most 1 + ROUNDS times. Kinds that compute values leave the
// loop where the condition holds in every lane, or after the last round; lanes that have settled
// keep x[0] while others go on. In a graph it is a loop, too (tac__sym_loop in math/sym_ops.h),
// whose derivative is that of the implicit function residual(x[0]) = 0; so x[0] alone must decide
// all that is used after the loop. Without loops of that kind, where no initial value belongs to a
// graph, the rounds follow each other.
#ifndef TAC_MATH_ITERATE_H
#define TAC_MATH_ITERATE_H

#include "math/real.h"

#ifdef TAC_KIND_SYM

typedef struct r_iteration {
    int rounds, round, begun;
    tac__sym_loop loop; // without a pool: rounds follow each other
    tac__sym_value settled, residual;
    real *exported[TAC__LOOP_EXPORTS];
    int exports;
} r_iteration;

static inline r_iteration r_iterate(int rounds)
{
    r_iteration it = {};
    it.rounds = rounds;
    return it;
}

static inline void r__iterate_begin(r_iteration *it, int count, real *x)
{
    tac__sym_value values[TAC__LOOP_VARIABLES];
    struct tac__terms *pool = nullptr;
    for (int k = 0; k < count; k++) {
        values[k] = x[k].v;
        pool = pool ? pool : values[k].pool;
    }
    it->begun = 1;
    if (!pool)
        return;
    it->loop = tac__sym_loop_begin(pool, it->rounds, count, values, values);
    for (int k = 0; k < count; k++)
        x[k].v = values[k];
}

static inline void r__iterate_end(const r_iteration *it, int count, real *x)
{
    tac__sym_value values[TAC__LOOP_VARIABLES], exported[TAC__LOOP_EXPORTS];
    for (int k = 0; k < count; k++)
        values[k] = x[k].v;
    for (int k = 0; k < it->exports; k++)
        exported[k] = it->exported[k]->v;
    tac__sym_loop_end(it->loop, values, it->settled, it->residual, it->exports, exported);
    for (int k = 0; k < count; k++)
        x[k].v = values[k];
    for (int k = 0; k < it->exports; k++)
        it->exported[k]->v = exported[k];
}

static inline int r_iterate_round(r_iteration *it, int count, real *x)
{
    if (!it->begun)
        r__iterate_begin(it, count, x);
    else if (it->loop.pool) {
        r__iterate_end(it, count, x);
        return 0;
    }
    return 1;
}

static inline void r_iterate_export(r_iteration *it, real *value)
{
    if (it->loop.pool)
        it->exported[it->exports++] = value;
}

static inline int r_iterate_settled(r_iteration *it, cond settled, real residual)
{
    it->settled = settled.v;
    it->residual = residual.v;
    return !it->loop.pool && (it->round++ == it->rounds || c_all(settled));
}

static inline real r_iterate_next(const r_iteration *it, cond settled, real now, real next)
{
    return it->loop.pool ? next : r_select(settled, now, next);
}

#else

typedef struct r_iteration {
    int rounds, round;
} r_iteration;

static inline r_iteration r_iterate(int rounds)
{
    r_iteration it = {rounds, 0};
    return it;
}

static inline int r_iterate_round(const r_iteration *it, int count, const real *x)
{
    (void)it;
    (void)count;
    (void)x;
    return 1;
}

#define r_iterate_export(it, value)              ((void)(it), (void)(value))

// The residual is not needed here, and not computed.
#define r_iterate_settled(it, settled, residual) r__iterate_settled((it), (settled))

static inline int r__iterate_settled(r_iteration *it, cond settled)
{
    return it->round++ == it->rounds || c_all(settled);
}

static inline real r_iterate_next(const r_iteration *it, cond settled, real now, real next)
{
    (void)it;
    return r_select(settled, now, next);
}

#endif

#endif
