// method.c - finding methods, their working memory, and what a step of every method has in
// common.
#include "ode/method.h"

#include <string.h>

#include "ode/core.h"

static const tac__method *const methods[] = {
#define ROW(name, doc) &tac__##name##_method,
    TAC__METHOD_TABLE(ROW)
#undef ROW
};

enum { METHODS = sizeof methods / sizeof *methods };

const tac__method *tac__method_find(const char *name)
{
    for (size_t i = 0; i < METHODS; i++) {
        if (!strcmp(methods[i]->name, name))
            return methods[i];
    }
    return NULL;
}

const char *tac__method_name(const void *context, size_t i)
{
    (void)context;
    return i < METHODS ? methods[i]->name : NULL;
}

// --- working memory -----------------------------------------------------------------------------

// Arrays begin on a cache line, which is also the alignment of eight lanes (math/real_pack.h). With
// n a multiple of eight every array after the first begins on one, too.
enum { ALIGNMENT = 8 }; // doubles

static double *aligned(double *memory)
{
    while ((uintptr_t)memory % (ALIGNMENT * sizeof *memory) != 0)
        memory++;
    return memory;
}

// Hands out arrays one after another; beginning from NULL it only counts.
typedef struct cursor {
    double *next;
    size_t stride, doubles;
} cursor;

static double *take(cursor *c, size_t arrays)
{
    const size_t doubles = arrays * c->stride;
    double *array = c->next;
    c->doubles += doubles;
    if (array)
        c->next += doubles;
    return array;
}

// `beside`: only what is kept from one step to the next.
static void lay_out(tac__ode_work *w, const tac__method *m, size_t n, bool beside, cursor *c)
{
    c->stride = tac__block_up(n);
    *w = (tac__ode_work){.n = n, .stride = c->stride};
    if (!beside) {
        w->z = take(c, 1);
        w->y = take(c, 1);
        w->y1 = take(c, 1);
        w->dense = take(c, (size_t)m->dense);
        w->e[0] = take(c, m->adaptive);
        w->e[1] = take(c, m->second_estimate);
    }
    w->k = take(c, (size_t)m->slots);
    if (m->implicit) {
        w->rate = take(c, 1);
        w->pivots = take(c, 1);
        w->jacobian = take(c, n);
        w->lu = take(c, n);
    }
}

size_t tac__ode_work_doubles(const tac__method *m, size_t n)
{
    tac__ode_work w;
    cursor c = {0};
    lay_out(&w, m, n, false, &c);
    return c.doubles + ALIGNMENT - 1;
}

size_t tac__ode_work_doubles_beside(const tac__method *m, size_t n)
{
    tac__ode_work w;
    cursor c = {0};
    lay_out(&w, m, n, true, &c);
    return c.doubles + ALIGNMENT - 1;
}

double *tac__ode_array(tac__arena *arena, size_t n)
{
    return aligned(tac__arena_array(arena, tac__block_up(n) + ALIGNMENT - 1, sizeof(double)));
}

size_t tac__ode_whole(size_t n)
{
    return tac__block_up(n);
}

void tac__ode_work_init(tac__ode_work *w, const tac__method *m, size_t n, double *memory)
{
    memset(memory, 0, tac__ode_work_doubles(m, n) * sizeof *memory);
    cursor c = {.next = aligned(memory)};
    lay_out(w, m, n, false, &c);
}

void tac__ode_work_init_beside(tac__ode_work *w, const tac__method *m, size_t n, double *memory,
                               const tac__ode_work *like)
{
    memset(memory, 0, tac__ode_work_doubles_beside(m, n) * sizeof *memory);
    cursor c = {.next = aligned(memory)};
    lay_out(w, m, n, true, &c);
    w->z = like->z;
    w->y = like->y;
    w->y1 = like->y1;
    w->dense = like->dense;
    w->e[0] = like->e[0];
    w->e[1] = like->e[1];
}

// --- steps --------------------------------------------------------------------------------------

TAC__AVX512 static size_t take_eights(tac__ode_work *w, const double *y)
{
    const tac__eight zero = {0};
    size_t i = 0;
    for (; i + 8 <= w->n; i += 8)
        *(tac__eight *)(w->y + i) = *(tac__eight *)(w->z + i) =
            *(const tac__loose_eight *)(y + i) + zero;
    return i;
}

// w->y = w->z = y, with -0 replaced by 0. Then y1 contains no -0 either, and f(t1, y1) of this step
// has the bits of f(t0, y) of the next.
static void take_state(tac__ode_work *w, const double *y)
{
    const tac__pair zero = {0, 0};
    size_t i = w->n >= TAC__LONG && TAC__HAS_AVX512 ? take_eights(w, y) : 0;
    for (; i + 2 <= w->n; i += 2) {
        const tac__pair pair = *(const tac__loose_pair *)(y + i) + zero;
        TAC__PAIR_SET(w->y, i, pair);
        TAC__PAIR_SET(w->z, i, pair);
    }
    if (i < w->n)
        w->y[i] = w->z[i] = y[i] + 0;
}

// k[0] = f(t0, y)
static tac_status start(const tac__ode_problem *p, tac__ode_work *w, double t0_s)
{
    const bool known = w->first;
    w->started = false;
    w->linearised = w->linearised && w->again;
    w->first = w->again = false;
    w->end = 0;
    if (!known)
        TAC_TRY(p->rhs(p->context, t0_s, w->k));
    else if (w->source != 0)
        tac__copy_doubles(w->n, tac__slot(w, w->k, w->source), w->k);
    w->source = 0;
    w->started = true;
    return TAC_OK;
}

tac_status tac__ode_step(const tac__method *m, const tac__ode_problem *p, tac__ode_work *w,
                         double t0_s, double t1_s, double h_s, const double *y, double *y1)
{
    take_state(w, y);
    TAC_TRY(start(p, w, t0_s));
    TAC_TRY(m->step(p, w, t0_s, t1_s, h_s, y1));
    if (m->fsal)
        w->end = m->stages - 1;
    return TAC_OK;
}

void tac__ode_carry(tac__ode_work *w)
{
    w->source = w->end;
    w->first = w->end != 0;
    w->again = false;
}

void tac__ode_retry(tac__ode_work *w)
{
    w->source = 0;
    w->first = w->again = w->started;
}

void tac__ode_forget(tac__ode_work *w)
{
    w->first = w->again = w->started = w->linearised = false;
    w->source = w->end = 0;
}
