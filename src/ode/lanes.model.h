// lanes.model.h - the arithmetic of steps in lanes (lanes.h), compiled once for each width
// (cmake/kinds.cmake): a pack has one state of all lanes, and every operation on packs is that of
// explicit.h and error.c on each lane.
//
// Sums are computed for all lanes, whichever are active. What must not change in the other lanes is
// put back behind it, so that the sums exist once.
#include "math/real.h"

#include "ode/block.h"
#include "ode/dop853.table.h"
#include "ode/euler.table.h"
#include "ode/lanes.h"
#include "ode/rk23.table.h"
#include "ode/rk4.table.h"
#include "ode/rk45.table.h"

#include <string.h>

static cond lanes_of(tac__lane_set set)
{
#if TAC_LANES == 2
    const cond bits = {1, 2};
#elif TAC_LANES == 4
    const cond bits = {1, 2, 4, 8};
#else
    const cond bits = {1, 2, 4, 8, 16, 32, 64, 128};
#endif
    return (bits & (int64_t)set) != 0;
}

static real load(const double *lanes)
{
    real r;
    memcpy(&r, lanes, sizeof r);
    return r;
}

// to = from in some lanes
static void merge_packs(cond c, size_t n, const real *from, real *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = r_select(c, from[i], to[i]);
}

static void merge(tac__lane_set set, size_t n, const double *from, double *to)
{
    merge_packs(lanes_of(set), n, (const real *)from, (real *)to);
}

// State i where a step begins, as take_state of method.c has it: -0 is 0.
TAC__INLINE real start_of(const real *x, size_t i)
{
    return x[i] + R(0.0);
}

static void take(tac__ode_lanes_work *w, const tac__ode_lanes *l, double t0_s)
{
    *(real *)w->t0_s = R(t0_s);
    const real *x = (const real *)l->x;
    real *z = (real *)w->z;
    const size_t n = w->n;
    for (size_t i = 0; i < n; i++)
        z[i] = start_of(x, i);
}

// --- steps --------------------------------------------------------------------------------------

// sum_j weights_j k_j of pack i, as tac__sum of block.h.
TAC__INLINE real sum(const double *weights, int count, const real *k, size_t n, size_t i)
{
    real s = R(0.0);
    bool any = false;
    TAC__UNROLL
    for (int j = 0; j < count; j++) {
        if (weights[j] == 0)
            continue;
        const real term = weights[j] * k[(size_t)j * n + i];
        if (any)
            s += term;
        else
            s = term;
        any = true;
    }
    return s;
}

// One step of all lanes that are active.
typedef struct pass {
    const tac__ode_lanes_problem *p;
    const tac__ode_lanes_work *w;
    const tac__ode_lanes *l;
    real t0, t1, h;
    cond active;
    bool all;   // lanes are active
    bool keeps; // stages of lanes that are not
} pass;

// What a combination reads. As `real` may alias anything, the compiler would load all of it again
// from a pass after each store; here and below it is copied first.
typedef struct terms {
    const real *x, *k;
    size_t stride; // of k
    real h;
} terms;

// out = x + h sum_j weights_j k_j of pack i, and a copy of it; NULL: none.
TAC__INLINE void combine_one(const double *weights, int count, terms t, size_t i, real *out,
                             real *copy)
{
    const real y = start_of(t.x, i) + t.h * sum(weights, count, t.k, t.stride, i);
    out[i] = y;
    if (copy)
        copy[i] = y;
}

// The same of all packs, two in a round: a step of rk4 in 4 lanes took 1,173 instructions instead
// of 1,353, one of rk45 2,934 instead of 3,048 (callgrind, 19 states, an empty right-hand side).
TAC__INLINE void combine(const double *weights, int count, const pass *s, real *out, real *copy)
{
    const terms t = {(const real *)s->l->x, (const real *)s->w->k, s->w->n, s->h};
    const size_t n = s->p->n;
    size_t i = 0;
    for (; i + 2 <= n; i += 2) {
        combine_one(weights, count, t, i, out, copy);
        combine_one(weights, count, t, i + 1, out, copy);
    }
    if (i < n)
        combine_one(weights, count, t, i, out, copy);
}

// Stage i of the active lanes only.
__attribute__((noinline)) static tac_status evaluate_some(const pass *s, int i, const real *t)
{
    real *fresh = (real *)s->w->fresh;
    TAC_TRY(s->p->rhs(s->p->context, (const double *)t, s->w->fresh));
    merge_packs(s->active, s->p->n, fresh, (real *)s->w->k + (size_t)i * s->w->n);
    return TAC_OK;
}

TAC__INLINE tac_status evaluate(const pass *s, int i, double c)
{
    const real t = c == 0 ? s->t0 : c == 1 ? s->t1 : (real)(s->t0 + c * s->h);
    if (s->keeps)
        return evaluate_some(s, i, &t);
    return s->p->rhs(s->p->context, (const double *)&t,
                     (double *)((real *)s->w->k + (size_t)i * s->w->n));
}

// Where some lanes are not active: z = x there.
__attribute__((noinline)) static void stay(const pass *s)
{
    const real *x = (const real *)s->l->x;
    real *z = (real *)s->w->z;
    const cond active = s->active;
    const size_t n = s->p->n;
    for (size_t i = 0; i < n; i++)
        z[i] = r_select(active, z[i], start_of(x, i));
}

// y = `from` in active lanes.
__attribute__((noinline)) static void store(const pass *s, const real *from)
{
    merge_packs(s->active, s->p->n, from, (real *)s->l->y);
}

TAC__INLINE tac_status stage(const tac__tableau *t, bool fsal, int i, const pass *s)
{
    const bool last = fsal && i == t->stages - 1;
    real *z = (real *)s->w->z;
    if (last && s->all)
        combine(t->a[i], i, s, z, (real *)s->l->y);
    else
        combine(t->a[i], i, s, z, NULL);
    if (!s->all)
        stay(s);
    if (last && !s->all)
        store(s, z);
    return evaluate(s, i, t->c[i]);
}

TAC__INLINE pass begin(const tac__ode_lanes_problem *p, const tac__ode_lanes_work *w,
                       const tac__ode_lanes *l, tac__lane_set active, bool keeps, double t0_s,
                       const double *t1_s, const double *h_s)
{
    const bool all = active == tac__lanes_all(TAC_LANES);
    pass s = {p, w, l, R(t0_s), load(t1_s), load(h_s), lanes_of(active), all, keeps};
    if (!s.all) {
        s.t1 = r_select(s.active, s.t1, s.t0);
        s.h = r_select(s.active, s.h, R(0.0));
    }
    return s;
}

// States that are not integrated.
__attribute__((noinline)) static void stand_still(const pass *s)
{
    const real *x = (const real *)s->l->x;
    real *y = (real *)s->l->y;
    const cond active = s->active;
    const size_t n = s->l->n;
    for (size_t i = s->p->n; i < n; i++)
        y[i] = r_select(active, start_of(x, i), y[i]);
}

#define STAGE(i)                                                                                   \
    if (i < t->stages)                                                                             \
        TAC_TRY(stage(t, fsal, i, &s));

TAC__INLINE tac_status step(const tac__tableau *t, bool fsal, const tac__ode_lanes_problem *p,
                            tac__ode_lanes_work *w, const tac__ode_lanes *l, tac__lane_set active,
                            bool keeps, double t0_s, const double *t1_s, const double *h_s)
{
    const pass s = begin(p, w, l, active, keeps, t0_s, t1_s, h_s);
    STAGE(1)
    STAGE(2)
    STAGE(3)
    STAGE(4)
    STAGE(5)
    STAGE(6)
    STAGE(7)
    STAGE(8)
    STAGE(9)
    STAGE(10)
    STAGE(11)
    if (!fsal) {
        real *out = (real *)(s.all ? l->y : w->fresh);
        combine(t->b, t->stages, &s, out, NULL);
        if (!s.all)
            store(&s, out);
    }
    if (p->n < l->n)
        stand_still(&s);
    return TAC_OK;
}
#undef STAGE

// --- errors -------------------------------------------------------------------------------------

// As error.c, for each lane.
typedef struct squares {
    real e, second, y, y1;
} squares;

// The estimates are not stored: each is squared at once. `e3`: the second estimate; NULL: none.
TAC__INLINE squares measure(const tac__tableau *t, const double *e3, const tac__ode_lanes_work *w,
                            const tac__ode_group *g, const tac__ode_lanes *l, real h)
{
    const real *k = (const real *)w->k, *y = (const real *)l->x, *y1 = (const real *)l->y;
    squares s = {R(0.0), R(0.0), R(0.0), R(0.0)};
    for (size_t i = g->first; i < g->first + g->count; i++) {
        const real e = h * sum(t->e, t->stages, k, w->n, i);
        s.e += e * e;
        if (e3) {
            const real second = h * sum(e3, t->stages, k, w->n, i);
            s.second += second * second;
        }
        s.y += y[i] * y[i];
        s.y1 += y1[i] * y1[i];
    }
    return s;
}

TAC__INLINE void errors(const tac__tableau *t, const double *e3, const tac__ode_lanes_problem *p,
                        const tac__ode_lanes_work *w, const tac__ode_lanes *l, double rtol,
                        double atol, const double *h_s, double *out)
{
    const real h = load(h_s);
    real worst = R(0.0), all = R(0.0);
    for (size_t i = 0; i < p->group_count; i++) {
        const tac__ode_group *g = &p->groups[i];
        const squares s = measure(t, e3, w, g, l, h);
        const real mean = e3 ? r_select(s.e > 0.0, s.e * s.e / (s.e + 0.01 * s.second), s.e) : s.e;
        const real e = g->quaternion ? (real)(4.0 * mean) : mean;
        const real size = g->quaternion ? R(1.0) : r_sqrt(r_max(s.y, s.y1));
        const real scale = l->scales ? load(l->scales + i * TAC_LANES) : R(g->scale);
        const real allowed = atol * scale + rtol * size;
        worst = r_max(e / (allowed * allowed), worst);
        all += e + s.second + s.y + s.y1;
    }
    const cond finite = all - all == R(0.0);
    const real result = r_select(finite, r_sqrt(worst), R(__builtin_inf()));
    memcpy(out, &result, sizeof result);
}

// --- methods ------------------------------------------------------------------------------------

#define STEP(name, fsal)                                                                           \
    static tac_status step_##name(const tac__ode_lanes_problem *p, tac__ode_lanes_work *w,         \
                                  const tac__ode_lanes *l, tac__lane_set active, bool keeps,       \
                                  double t0_s, const double *t1_s, const double *h_s)              \
    {                                                                                              \
        return step(&tac__##name##_table, fsal, p, w, l, active, keeps, t0_s, t1_s, h_s);          \
    }
#define ERRORS(name, e3)                                                                           \
    static void errors_##name(const tac__ode_lanes_problem *p, const tac__ode_lanes_work *w,       \
                              const tac__ode_lanes *l, double rtol, double atol,                   \
                              const double *h_s, double *out)                                      \
    {                                                                                              \
        errors(&tac__##name##_table, e3, p, w, l, rtol, atol, h_s, out);                           \
    }

STEP(euler, false)
STEP(rk4, false)
STEP(rk23, true)
STEP(rk45, true)
STEP(dop853, false)
ERRORS(rk23, NULL)
ERRORS(rk45, NULL)
ERRORS(dop853, tac__dop853_e3)

#define METHOD(name, errors_fn)                                                                    \
    {                                                                                              \
        &tac__##name##_method, TAC_LANES, take, step_##name, errors_fn, merge                      \
    }

TAC_ENTRY const tac__ode_lanes_method TAC_KINDED(tac__ode_lanes_methods)[];
const tac__ode_lanes_method TAC_KINDED(tac__ode_lanes_methods)[] = {
    METHOD(euler, NULL),           METHOD(rk4, NULL),
    METHOD(rk23, errors_rk23),     METHOD(rk45, errors_rk45),
    METHOD(dop853, errors_dop853), {NULL, 0, NULL, NULL, NULL, NULL},
};
