// newton.c - see newton.h.
//
// Everything is scaled: unknowns in x_scale, equations in y_scale. r is the scaled residual.
#include "solve/newton.h"
#include "solve/svd.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Singular values below this part of the largest count as 0.
static const double rank_tolerance = 1e-10;
// A step is taken if it brings this part of what the linear equations promise; below `poor` the
// next one is shorter, above `good` it may be longer.
static const double least = 1e-4, poor = 0.25, good = 0.75;
// A promise below this part of the sum of squares is none.
static const double nothing = 1e-13;

typedef struct newton {
    const tac__newton_def *def;
    size_t n, m, rows; // rows: m, or n if that is more
    double *values;    // of the Jacobian
    double *jacobian;  // m rows, n columns, scaled
    double *a, *v, *s; // of the free columns
    double *x, *y;     // now
    double *trial_x, *trial_y;
    double *step;  // scaled
    double radius; // longest step, scaled
    bool *fixed;   // at a bound
    size_t free, rank;
} newton;

static double x_scale(const newton *w, size_t i)
{
    return w->def->x_scale ? w->def->x_scale[i] : 1;
}

static double y_scale(const newton *w, size_t i)
{
    return w->def->y_scale ? w->def->y_scale[i] : 1;
}

static double lower(const newton *w, size_t i)
{
    return w->def->lower ? w->def->lower[i] : -HUGE_VAL;
}

static double upper(const newton *w, size_t i)
{
    return w->def->upper ? w->def->upper[i] : HUGE_VAL;
}

static double clamp(const newton *w, size_t i, double x)
{
    return x < lower(w, i) ? lower(w, i) : x > upper(w, i) ? upper(w, i) : x;
}

// --- values -------------------------------------------------------------------------------------

// Half of the sum of squares; infinite where f has no value.
static double merit(const newton *w, const double *x, double *y)
{
    const tac__solve_function *f = w->def->function;
    if (f->eval(f->context, x, y) != TAC_OK)
        return HUGE_VAL;
    double sum = 0;
    for (size_t i = 0; i < w->m; i++)
        sum += y[i] / y_scale(w, i) * (y[i] / y_scale(w, i));
    return isfinite(sum) ? sum / 2 : HUGE_VAL;
}

static double largest(const newton *w, const double *y)
{
    double most = 0;
    for (size_t i = 0; i < w->m; i++)
        most = fmax(most, fabs(y[i]) / y_scale(w, i));
    return most;
}

static bool differentiate(newton *w)
{
    const tac__solve_function *f = w->def->function;
    const tac__sparsity *p = &f->jacobian_pattern;
    if (f->jacobian(f->context, w->x, w->values) != TAC_OK)
        return false;
    memset(w->jacobian, 0, w->m * w->n * sizeof *w->jacobian);
    for (size_t k = 0; k < p->count; k++) {
        const size_t i = (size_t)p->rows[k], j = (size_t)p->columns[k];
        const double value = w->values[k] * x_scale(w, j) / y_scale(w, i);
        if (!isfinite(value))
            return false;
        w->jacobian[j * w->m + i] += value;
    }
    return true;
}

// --- steps --------------------------------------------------------------------------------------

static void decompose(newton *w)
{
    w->free = 0;
    for (size_t j = 0; j < w->n; j++) {
        if (w->fixed[j])
            continue;
        double *column = w->a + w->free++ * w->rows;
        memset(column, 0, w->rows * sizeof *column);
        memcpy(column, w->jacobian + j * w->m, w->m * sizeof *column);
    }
    tac__svd(w->rows, w->free, w->a, w->v, w->s);
}

// The step that solves the linear equations: damped, or with damping 0 cut at the rank. Returns its
// length.
static double make_step(newton *w, double damping)
{
    double most = 0, square = 0;
    for (size_t k = 0; k < w->free; k++)
        most = fmax(most, w->s[k]);
    memset(w->step, 0, w->n * sizeof *w->step);
    w->rank = 0;
    for (size_t k = 0; k < w->free; k++) {
        const double *us = w->a + k * w->rows, s = w->s[k];
        if (!(s > rank_tolerance * most))
            continue;
        w->rank++;
        double along = 0;
        for (size_t i = 0; i < w->m; i++)
            along -= us[i] * w->y[i] / y_scale(w, i);
        along /= s * s + damping;
        square += along * along;
        for (size_t j = 0, c = 0; j < w->n; j++) {
            if (!w->fixed[j])
                w->step[j] += along * w->v[k * w->free + c++];
        }
    }
    return sqrt(square);
}

// The step that solves the linear equations, or as much of it as the radius allows: damping is
// searched by bisection. Returns whether it was damped.
static bool make_step_within(newton *w)
{
    if (make_step(w, 0) <= w->radius)
        return false;
    double most = 0;
    for (size_t k = 0; k < w->free; k++)
        most = fmax(most, w->s[k]);
    double low = most * most * 0x1p-80, high = most * most * 0x1p80;
    while (high > 1.1 * low) {
        const double middle = sqrt(low) * sqrt(high);
        if (make_step(w, middle) > w->radius)
            low = middle;
        else
            high = middle;
    }
    make_step(w, high);
    return true;
}

// Whether the step leads out of the bounds at an unknown that stands there, or next to it; those
// are fixed.
static bool fix_leaving(newton *w)
{
    bool any = false;
    for (size_t j = 0; j < w->n; j++) {
        if (w->fixed[j])
            continue;
        const double near = 1e-9 * x_scale(w, j);
        const bool low = w->x[j] - lower(w, j) <= near && w->step[j] < 0;
        const bool high = upper(w, j) - w->x[j] <= near && w->step[j] > 0;
        w->fixed[j] = low || high;
        any |= w->fixed[j];
    }
    return any;
}

// What the linear equations promise of the move to trial_x: by how much half of the sum of squares
// falls. `*length` becomes that of the move.
static double promise(const newton *w, double now, double *length)
{
    double square = 0, left = 0;
    for (size_t i = 0; i < w->m; i++) {
        double r = w->y[i] / y_scale(w, i);
        for (size_t j = 0; j < w->n; j++)
            r += w->jacobian[j * w->m + i] * (w->trial_x[j] - w->x[j]) / x_scale(w, j);
        left += r * r;
    }
    for (size_t j = 0; j < w->n; j++) {
        const double moved = (w->trial_x[j] - w->x[j]) / x_scale(w, j);
        square += moved * moved;
    }
    *length = sqrt(square);
    return now - left / 2;
}

// The part of the step that can be gone before a bound is met.
static double part_inside(const newton *w)
{
    double part = 1;
    for (size_t j = 0; j < w->n; j++) {
        const double to = w->x[j] + w->step[j] * x_scale(w, j), inside = clamp(w, j, to);
        if (to < inside || to > inside)
            part = fmin(part, (inside - w->x[j]) / (to - w->x[j]));
    }
    return part;
}

static void plan_move(newton *w, bool *damped)
{
    for (size_t j = 0; j < w->n; j++)
        w->fixed[j] = !(lower(w, j) < upper(w, j));
    do {
        decompose(w);
        *damped = make_step_within(w);
    } while (fix_leaving(w));
    const double part = part_inside(w);
    for (size_t j = 0; j < w->n; j++)
        w->trial_x[j] = clamp(w, j, w->x[j] + part * w->step[j] * x_scale(w, j));
}

// --- the method ---------------------------------------------------------------------------------

// One step from x, as long as it may be. False: none brings the equations nearer.
static bool advance(newton *w, double *now, bool *damped)
{
    for (;;) {
        double length;
        plan_move(w, damped);
        const double promised = promise(w, *now, &length);
        if (!(promised > nothing * *now))
            return false;
        const double next = merit(w, w->trial_x, w->trial_y);
        const double gain = (*now - next) / promised;
        if (!(gain >= poor))
            w->radius = length / 4;
        else if (gain > good)
            w->radius = fmax(w->radius, 2 * length);
        if (gain >= least) {
            memcpy(w->x, w->trial_x, w->n * sizeof *w->x);
            memcpy(w->y, w->trial_y, w->m * sizeof *w->y);
            *now = next;
            return true;
        }
    }
}

static double first_radius(const newton *w)
{
    double square = 0;
    for (size_t j = 0; j < w->n; j++)
        square += w->x[j] / x_scale(w, j) * (w->x[j] / x_scale(w, j));
    return fmax(1, sqrt(square));
}

static tac__newton_end iterate(newton *w, tac__newton_result *r)
{
    double now = merit(w, w->x, w->y);
    if (!isfinite(now))
        return TAC__NEWTON_NUMERIC;
    w->radius = first_radius(w);
    for (int slow = 0; r->iterations < w->def->iterations; r->iterations++) {
        const bool solved = largest(w, w->y) <= w->def->tolerance;
        if (!differentiate(w))
            return solved ? TAC__NEWTON_SOLVED : TAC__NEWTON_NUMERIC;
        const double before = now;
        bool damped = false;
        const bool moved = advance(w, &now, &damped);
        if (solved) // this last step was for the digits beyond the tolerance
            return TAC__NEWTON_SOLVED;
        r->damped += damped;
        slow = before - now < 1e-7 * before ? slow + 1 : 0;
        if (!moved || slow > 5)
            return TAC__NEWTON_STUCK;
    }
    return largest(w, w->y) <= w->def->tolerance ? TAC__NEWTON_SOLVED : TAC__NEWTON_LIMIT;
}

// What the directions without a singular value leave open.
static void find_open(const newton *w, double *open)
{
    double most = 0;
    for (size_t k = 0; k < w->free; k++)
        most = fmax(most, w->s[k]);
    for (size_t j = 0, c = 0; j < w->n; j++) {
        double square = 0;
        for (size_t k = 0; !w->fixed[j] && k < w->free; k++) {
            if (!(w->s[k] > rank_tolerance * most))
                square += w->v[k * w->free + c] * w->v[k * w->free + c];
        }
        c += !w->fixed[j];
        open[j] = sqrt(square);
    }
}

static bool make(newton *w, tac__arena *arena)
{
    const size_t n = w->n, m = w->m;
    const size_t count = w->def->function->jacobian_pattern.count;
    w->values = tac__arena_array(arena, count, sizeof(double));
    w->jacobian = tac__arena_array(arena, m * n, sizeof(double));
    w->a = tac__arena_array(arena, w->rows * n, sizeof(double));
    w->v = tac__arena_array(arena, n * n, sizeof(double));
    w->s = tac__arena_array(arena, n, sizeof(double));
    w->trial_x = tac__arena_array(arena, n, sizeof(double));
    w->trial_y = tac__arena_array(arena, m, sizeof(double));
    w->step = tac__arena_array(arena, n, sizeof(double));
    w->fixed = tac__arena_array(arena, n, sizeof *w->fixed);
    return w->values && w->jacobian && w->a && w->v && w->s && w->trial_x && w->trial_y &&
           w->step && w->fixed;
}

tac_status tac__newton(const tac__newton_def *def, tac__arena *arena, double *x, double *y,
                       tac__newton_result *result)
{
    const size_t n = def->function->n_in, m = def->function->n_out;
    newton w = {.def = def, .n = n, .m = m, .rows = n > m ? n : m, .x = x, .y = y};
    double *open = tac__arena_array(arena, n, sizeof *open);
    *result = (tac__newton_result){.open = open};
    if (!open || !make(&w, arena))
        return TAC_E_MEMORY;
    for (size_t j = 0; j < n; j++)
        x[j] = clamp(&w, j, x[j]);
    result->end = iterate(&w, result);
    find_open(&w, open);
    result->rank = w.rank;
    result->free = w.free;
    result->residual = largest(&w, y);
    return TAC_OK;
}
