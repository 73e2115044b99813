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
    cond c;
    for (int lane = 0; lane < TAC_LANES; lane++)
        c[lane] = -(int64_t)(set >> lane & 1);
    return c;
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

// As take_state of method.c.
static void take(tac__ode_lanes_work *w, const tac__ode_lanes *l)
{
    const real *x = (const real *)l->x;
    real *y = (real *)w->y, *z = (real *)w->z;
    for (size_t i = 0; i < w->n; i++)
        y[i] = z[i] = x[i] + R(0.0);
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
    real t0, t1, h;
    cond active;
    bool all;   // lanes are active
    bool keeps; // stages of lanes that are not
} pass;

// out = y + h sum_j weights_j k_j
TAC__INLINE void combine(const double *weights, int count, const pass *s, real *out)
{
    const real *k = (const real *)s->w->k, *y = (const real *)s->w->y;
    const real h = s->h;
    const size_t n = s->p->n, stride = s->w->n;
    for (size_t i = 0; i < n; i++)
        out[i] = y[i] + h * sum(weights, count, k, stride, i);
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

// The result of a step, from `from`.
static void store(const pass *s, const real *from, double *y)
{
    if (s->all)
        memcpy(y, from, s->p->n * sizeof *from);
    else
        merge_packs(s->active, s->p->n, from, (real *)y);
}

// z = y in lanes that are not active.
__attribute__((noinline)) static void stay(const pass *s)
{
    merge_packs(~s->active, s->p->n, (const real *)s->w->y, (real *)s->w->z);
}

TAC__INLINE tac_status stage(const tac__tableau *t, bool fsal, int i, const pass *s,
                             const tac__ode_lanes *l)
{
    combine(t->a[i], i, s, (real *)s->w->z);
    if (!s->all)
        stay(s);
    if (fsal && i == t->stages - 1)
        store(s, (const real *)s->w->z, l->y);
    return evaluate(s, i, t->c[i]);
}

static pass begin(const tac__ode_lanes_problem *p, const tac__ode_lanes_work *w,
                  tac__lane_set active, bool keeps, double t0_s, const double *t1_s,
                  const double *h_s)
{
    const bool all = active == tac__lanes_all(TAC_LANES);
    pass s = {p, w, R(t0_s), load(t1_s), load(h_s), lanes_of(active), all, keeps};
    if (!s.all) {
        s.t1 = r_select(s.active, s.t1, s.t0);
        s.h = r_select(s.active, s.h, R(0.0));
    }
    return s;
}

// States that are not integrated.
static void stand_still(const pass *s, const tac__ode_lanes *l)
{
    const size_t n = s->p->n;
    merge_packs(s->active, l->n - n, (const real *)s->w->y + n, (real *)l->y + n);
}

#define STAGE(i)                                                                                   \
    if (i < t->stages)                                                                             \
        TAC_TRY(stage(t, fsal, i, &s, l));

TAC__INLINE tac_status step(const tac__tableau *t, bool fsal, const tac__ode_lanes_problem *p,
                            tac__ode_lanes_work *w, const tac__ode_lanes *l, tac__lane_set active,
                            bool keeps, double t0_s, const double *t1_s, const double *h_s)
{
    const pass s = begin(p, w, active, keeps, t0_s, t1_s, h_s);
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
        real *out = s.all ? (real *)l->y : (real *)w->fresh;
        combine(t->b, t->stages, &s, out);
        if (!s.all)
            store(&s, out, l->y);
    }
    if (p->n < l->n)
        stand_still(&s, l);
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
        const real allowed = atol * g->scale + rtol * size;
        worst = r_max(e / (allowed * allowed), worst);
        all += e + s.second + s.y + s.y1;
    }
    const cond finite = all - all == R(0.0);
    const real result = r_select(finite, r_sqrt(worst), R((double)INFINITY));
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
