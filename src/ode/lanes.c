// lanes.c - see lanes.h: memory, what is known of each lane, and lanes in and out. The arithmetic
// is in lanes.model.h.
#include "ode/lanes.h"

#include <string.h>

#include "ode/core.h"

// The methods of each width, and an empty row behind them (lanes.model.h).
extern const tac__ode_lanes_method tac__ode_lanes_methods_pack2[];
extern const tac__ode_lanes_method tac__ode_lanes_methods_pack4[];
extern const tac__ode_lanes_method tac__ode_lanes_methods_pack8[];

const tac__ode_lanes_method *tac__ode_lanes_find(const tac__method *method, size_t lanes)
{
    const tac__ode_lanes_method *m = lanes == 2   ? tac__ode_lanes_methods_pack2
                                     : lanes == 4 ? tac__ode_lanes_methods_pack4
                                     : lanes == 8 ? tac__ode_lanes_methods_pack8
                                                  : NULL;
    while (m && m->method && m->method != method)
        m++;
    return m && m->method ? m : NULL;
}

// --- memory -------------------------------------------------------------------------------------

// Doubles of one array. Its length is a multiple of the width, so the arrays behind the first are
// aligned if the first is.
static size_t array_doubles(const tac__ode_lanes_method *m, size_t n)
{
    return n * m->lanes;
}

static double *aligned(const tac__ode_lanes_method *m, double *memory)
{
    while ((uintptr_t)memory % (m->lanes * sizeof *memory) != 0)
        memory++;
    return memory;
}

size_t tac__ode_lanes_doubles(const tac__ode_lanes_method *m, size_t n)
{
    return (m->method->fsal ? 3 : 2) * array_doubles(m, n) + m->lanes - 1;
}

void tac__ode_lanes_init(tac__ode_lanes *l, const tac__ode_lanes_method *m, size_t n,
                         double *memory)
{
    memset(memory, 0, tac__ode_lanes_doubles(m, n) * sizeof *memory);
    const size_t doubles = array_doubles(m, n);
    double *x = aligned(m, memory);
    *l = (tac__ode_lanes){
        .n = n, .x = x, .y = x + doubles, .f = m->method->fsal ? x + 2 * doubles : NULL};
}

size_t tac__ode_lanes_work_doubles(const tac__ode_lanes_method *m, size_t n)
{
    return (2 + (size_t)m->method->stages) * array_doubles(m, n) + 2 * m->lanes - 1;
}

void tac__ode_lanes_work_init(tac__ode_lanes_work *w, const tac__ode_lanes_method *m, size_t n,
                              double *memory)
{
    memset(memory, 0, tac__ode_lanes_work_doubles(m, n) * sizeof *memory);
    const size_t doubles = array_doubles(m, n);
    double *z = aligned(m, memory);
    *w = (tac__ode_lanes_work){.n = n,
                               .z = z,
                               .fresh = z + doubles,
                               .k = z + 2 * doubles,
                               .t0_s = z + (2 + (size_t)m->method->stages) * doubles};
}

// --- steps --------------------------------------------------------------------------------------

// The lanes of a set whose stages are still in `w`.
static tac__lane_set held(const tac__ode_lanes_work *w, const tac__ode_lanes *l, tac__lane_set set)
{
    return w->of == l ? set & w->started : 0;
}

// k[0] = f(t0, x) in the active lanes.
static tac_status start(const tac__ode_lanes_method *m, const tac__ode_lanes_problem *p,
                        tac__ode_lanes_work *w, tac__ode_lanes *l, tac__lane_set active)
{
    const tac__lane_set first = active & l->first, again = active & w->again & ~first;
    const tac__lane_set unknown = active & ~first & ~again;
    l->first &= ~active;
    w->started &= ~active;
    w->ended &= ~active;
    w->again &= ~active;
    if (unknown) {
        const bool keeps = again || w->started;
        TAC_TRY(p->rhs(p->context, w->t0_s, keeps ? w->fresh : w->k));
        if (keeps)
            m->merge(unknown, p->n, w->fresh, w->k);
    }
    if (first)
        m->merge(first, p->n, l->f, w->k);
    w->started |= active;
    return TAC_OK;
}

tac_status tac__ode_lanes_step(const tac__ode_lanes_method *m, const tac__ode_lanes_problem *p,
                               tac__ode_lanes_work *w, tac__ode_lanes *l, tac__lane_set active,
                               double t0_s, const double *t1_s, const double *h_s)
{
    TAC_ASSERT(w->n == l->n && p->n <= l->n && active && active <= tac__lanes_all(m->lanes));
    if (w->of != l) {
        w->of = l;
        w->started = w->ended = w->again = 0;
    }
    m->take(w, l, t0_s);
    TAC_TRY(start(m, p, w, l, active));
    TAC_TRY(m->step(p, w, l, active, (w->started & ~active) != 0, t0_s, t1_s, h_s));
    if (m->method->fsal)
        w->ended |= active;
    return TAC_OK;
}

void tac__ode_lanes_errors(const tac__ode_lanes_method *m, const tac__ode_lanes_problem *p,
                           const tac__ode_lanes_work *w, const tac__ode_lanes *l,
                           tac__lane_set active, double rtol, double atol, const double *h_s,
                           double *errors)
{
    double all[TAC__ODE_LANES_MAX] = {0};
    if (m->errors)
        m->errors(p, w, l, rtol, atol, h_s, all);
    for (size_t lane = 0; lane < m->lanes; lane++) {
        if (active >> lane & 1)
            errors[lane] = all[lane];
    }
}

void tac__ode_lanes_carry(const tac__ode_lanes_method *m, tac__ode_lanes_work *w, tac__ode_lanes *l,
                          tac__lane_set set)
{
    const tac__lane_set ended = held(w, l, set) & w->ended;
    if (w->of == l)
        w->again &= ~set;
    if (ended)
        m->merge(ended, l->n, w->k + (size_t)(m->method->stages - 1) * l->n * m->lanes, l->f);
    l->first = (l->first & ~set) | ended;
}

void tac__ode_lanes_retry(tac__ode_lanes_work *w, tac__ode_lanes *l, tac__lane_set set)
{
    l->first &= ~set;
    w->again |= held(w, l, set);
}

void tac__ode_lanes_forget(tac__ode_lanes_work *w, tac__ode_lanes *l, tac__lane_set set)
{
    l->first &= ~set;
    if (w->of != l)
        return;
    w->started &= ~set;
    w->ended &= ~set;
    w->again &= ~set;
}

void tac__ode_lanes_advance(const tac__ode_lanes_method *m, tac__ode_lanes *l, tac__lane_set set)
{
    m->merge(set, l->n, l->y, l->x);
}

// --- one lane -----------------------------------------------------------------------------------

void tac__ode_lanes_join(const tac__ode_lanes_method *m, tac__ode_lanes_work *w, tac__ode_lanes *l,
                         size_t lane, const double *x, tac__ode_work *own)
{
    tac__ode_lanes_forget(w, l, 1u << lane);
    tac__lane_put(m->lanes, lane, l->n, x, l->x);
    if (!own)
        return;
    if (l->f && own->first) {
        tac__lane_put(m->lanes, lane, own->n, own->k + (size_t)own->source * own->stride, l->f);
        l->first |= 1u << lane;
    }
    tac__ode_forget(own);
}

bool tac__ode_lanes_leave(const tac__ode_lanes_method *m, const tac__ode_lanes_work *w,
                          const tac__ode_lanes *l, size_t lane, tac__ode_work *own)
{
    const tac__lane_set self = 1u << lane;
    const bool first = l->first & self;
    tac__ode_forget(own);
    if (!held(w, l, self)) {
        if (first)
            tac__lane_get(m->lanes, lane, own->n, l->f, own->k);
        own->first = first;
        return false;
    }
    const int stages = m->method->stages;
    for (int j = 0; j < stages; j++)
        tac__lane_get(m->lanes, lane, own->n, w->k + (size_t)j * l->n * m->lanes,
                      tac__slot(own, own->k, j));
    own->started = true;
    own->end = w->ended & self ? stages - 1 : 0;
    if (first)
        tac__ode_carry(own);
    else if (w->again & self)
        tac__ode_retry(own);
    return true;
}
