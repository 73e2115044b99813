// collocation.c - see collocation.h.
//
// Variables of a phase: the time at which it begins, its duration T, then states and inputs point
// by point. Constraints of a phase: two rows of defects an interval; those of the path, point by
// point; where inputs are linear, those of the middles, interval by interval; conditions at start
// and end; and, but for the first phase, that it begins where the one before ends.
//
// What depends on a point enters the constraints in one way: row += weight * T * f for rates of
// change, row += c for the rest. `uses_of` lists these for a point; values, Jacobian and Hessian
// follow from it.
#include "solve/collocation.h"

#include <math.h>
#include <string.h>

typedef struct phase {
    const tac__phase_def *def;
    size_t at;               // of its variables
    size_t row;              // of its constraints: defects
    size_t path;             // rows of the path
    size_t middle;           // rows of linear inputs
    size_t bent;             // inputs that are not fixed: rows of an interval
    size_t start, end, link; // rows
} phase;

// g[row + r] += weight * T * f[r], for all states r.
typedef struct use {
    size_t row;
    double weight;
} use;

struct tac__collocation {
    tac__collocation_def def;
    tac__nlp nlp;
    phase *phases;
    size_t width; // of a point: states and inputs
    double *guess;
    // scratch of one point
    double *z, *y, *w, *values, *gradient;
    size_t values_count;
};

// A list of entries of a matrix, or of their values.
typedef struct entries {
    int32_t *rows, *columns; // NULL: values are wanted
    double *values;
    size_t count;
} entries;

static void add(entries *e, size_t row, size_t column, double value)
{
    if (e->rows) {
        e->rows[e->count] = (int32_t)row;
        e->columns[e->count] = (int32_t)column;
    } else if (e->values) {
        e->values[e->count] = value;
    }
    e->count++;
}

// In the lower triangle.
static void add_lower(entries *e, size_t a, size_t b, double value)
{
    add(e, a > b ? a : b, a > b ? b : a, value);
}

// --- points -------------------------------------------------------------------------------------

static size_t point_count(const phase *p)
{
    return 2 * p->def->intervals + 1;
}

static size_t point_at(const tac__collocation *c, const phase *p, size_t i)
{
    return p->at + 2 + i * c->width;
}

// Where in the phase a point is, 0 to 1.
static double part_of(const phase *p, size_t i)
{
    const double *mesh = p->def->mesh;
    if (!mesh)
        return (double)i / (double)(2 * p->def->intervals);
    return i % 2 ? (mesh[i / 2] + mesh[i / 2 + 1]) / 2 : mesh[i / 2];
}

// The length of an interval, as a part of the phase.
static double length_of(const phase *p, size_t k)
{
    const double *mesh = p->def->mesh;
    return mesh ? mesh[k + 1] - mesh[k] : 1 / (double)p->def->intervals;
}

// With linear inputs conditions of the path hold at the ends of intervals only: in the middle there
// is no input left to meet them with. How many at a point, and their first row.
static size_t paths_at(const tac__collocation *c, const phase *p, size_t i)
{
    return c->def.linear && i % 2 ? 0 : p->def->paths;
}

static size_t path_row(const tac__collocation *c, const phase *p, size_t i)
{
    return p->path + (c->def.linear ? i / 2 : i) * p->def->paths;
}

// Inputs with a fixed value need no equation for the middles, and have no term of smoothing.
static bool is_free(const phase *p, size_t input)
{
    return p->def->u_lower[input] < p->def->u_upper[input];
}

// States, inputs and time of a point, as a function takes them.
static const double *point(const tac__collocation *c, const phase *p, const double *z, size_t i)
{
    memcpy(c->z, z + point_at(c, p, i), c->width * sizeof *c->z);
    c->z[c->width] = z[p->at] + part_of(p, i) * z[p->at + 1];
    return c->z;
}

static size_t uses_of(const tac__collocation *c, const phase *p, size_t i, use uses[4])
{
    const size_t n = c->def.states, k = i / 2;
    size_t count = 0;
    if (i % 2) {
        uses[count++] = (use){p->row + 2 * k * n, -4 * length_of(p, k) / 6};
        return count;
    }
    if (k < p->def->intervals) { // where an interval begins
        uses[count++] = (use){p->row + 2 * k * n, -length_of(p, k) / 6};
        uses[count++] = (use){p->row + (2 * k + 1) * n, -length_of(p, k) / 8};
    }
    if (k > 0) { // where one ends
        uses[count++] = (use){p->row + 2 * (k - 1) * n, -length_of(p, k - 1) / 6};
        uses[count++] = (use){p->row + (2 * k - 1) * n, length_of(p, k - 1) / 8};
    }
    return count;
}

// The weight of a point in an integral over the phase, over its duration: Simpson's rule.
static double share_of(const phase *p, size_t i)
{
    const size_t k = i / 2;
    if (i % 2)
        return 4 * length_of(p, k) / 6;
    return ((k < p->def->intervals ? length_of(p, k) : 0) + (k > 0 ? length_of(p, k - 1) : 0)) / 6;
}

static bool evaluate(const tac__solve_function *f, const double *z, double *y)
{
    return f->eval(f->context, z, y) == TAC_OK;
}

// --- smoothing ----------------------------------------------------------------------------------

// The integral of the square of the slope of a parabola with the values a, m, b at 0, 1/2, 1 is
// the quadratic form of these with this matrix.
static const double bend[3][3] = {
    {7.0 / 3, -8.0 / 3, 1.0 / 3}, {-8.0 / 3, 16.0 / 3, -8.0 / 3}, {1.0 / 3, -8.0 / 3, 7.0 / 3}};

// What the form weighs in the objective, in interval k, for an input.
static double bend_weight(const tac__collocation *c, const phase *p, size_t k, size_t input)
{
    const double scale = c->def.u_scale[input];
    return is_free(p, input) ? c->def.smoothing / (length_of(p, k) * scale * scale) : 0;
}

// The value of the term, or, where there is `g`, add its gradient to it.
static double roughness(const tac__collocation *c, const double *z, double *g)
{
    double sum = 0;
    for (size_t k = 0; c->def.smoothing > 0 && k < c->def.phase_count; k++) {
        const phase *p = &c->phases[k];
        for (size_t i = 0; i < p->def->intervals * c->def.inputs; i++) {
            const size_t interval = i / c->def.inputs, input = i % c->def.inputs;
            const double weight = bend_weight(c, p, interval, input);
            const size_t at = point_at(c, p, 2 * interval) + c->def.states + input;
            for (size_t a = 0; a < 3; a++) {
                double row = 0;
                for (size_t b = 0; b < 3; b++)
                    row += bend[a][b] * z[at + b * c->width];
                sum += weight * row * z[at + a * c->width];
                if (g)
                    g[at + a * c->width] += 2 * weight * row;
            }
        }
    }
    return sum;
}

static void rough_curvature(const tac__collocation *c, double factor, entries *e)
{
    for (size_t k = 0; c->def.smoothing > 0 && k < c->def.phase_count; k++) {
        const phase *p = &c->phases[k];
        for (size_t i = 0; i < p->def->intervals * c->def.inputs; i++) {
            const size_t interval = i / c->def.inputs, input = i % c->def.inputs;
            const double weight = bend_weight(c, p, interval, input);
            const size_t at = point_at(c, p, 2 * interval) + c->def.states + input;
            for (size_t a = 0; a < 3; a++) {
                for (size_t b = 0; b <= a; b++)
                    add(e, at + a * c->width, at + b * c->width, 2 * factor * weight * bend[a][b]);
            }
        }
    }
}

// --- values -------------------------------------------------------------------------------------

static bool objective(void *context, const double *z, double *value)
{
    const tac__collocation *c = context;
    *value = roughness(c, z, NULL);
    for (size_t k = 0; k < c->def.phase_count; k++) {
        const phase *p = &c->phases[k];
        for (size_t i = 0; p->def->cost && i < point_count(p); i++) {
            if (!evaluate(p->def->point, point(c, p, z, i), c->y))
                return false;
            *value += z[p->at + 1] * share_of(p, i) * c->y[c->def.states + p->def->paths];
        }
    }
    const phase *last = &c->phases[c->def.phase_count - 1];
    if (!c->def.objective)
        return true;
    if (!evaluate(c->def.objective, point(c, last, z, point_count(last) - 1), c->y))
        return false;
    *value += c->y[0];
    return true;
}

// Conditions at an end of a phase.
static bool at_end(const tac__collocation *c, const phase *p, const tac__at_point *f,
                   const double *z, size_t i, double *g)
{
    return !f->function || evaluate(f->function, point(c, p, z, i), g);
}

static void defects(const tac__collocation *c, const phase *p, const double *z, double *g)
{
    const size_t n = c->def.states;
    for (size_t k = 0; k < p->def->intervals; k++) {
        const double *a = z + point_at(c, p, 2 * k), *m = a + c->width, *b = m + c->width;
        double *d = g + p->row + 2 * k * n;
        for (size_t r = 0; r < n; r++) {
            d[r] += b[r] - a[r];
            d[n + r] += m[r] - (a[r] + b[r]) / 2;
        }
        double *middle = g + p->middle + k * p->bent;
        for (size_t r = 0; p->bent && r < c->def.inputs; r++) {
            if (is_free(p, r))
                *middle++ = m[n + r] - (a[n + r] + b[n + r]) / 2;
        }
    }
}

static bool constraints(void *context, const double *z, double *g)
{
    const tac__collocation *c = context;
    const size_t n = c->def.states;
    memset(g, 0, c->nlp.m * sizeof *g);
    for (size_t k = 0; k < c->def.phase_count; k++) {
        const phase *p = &c->phases[k];
        const double duration = z[p->at + 1];
        for (size_t i = 0; i < point_count(p); i++) {
            use uses[4];
            const size_t count = uses_of(c, p, i, uses);
            if (!evaluate(p->def->point, point(c, p, z, i), c->y))
                return false;
            for (size_t q = 0; q < count; q++) {
                for (size_t r = 0; r < n; r++)
                    g[uses[q].row + r] += uses[q].weight * duration * c->y[r];
            }
            memcpy(g + path_row(c, p, i), c->y + n, paths_at(c, p, i) * sizeof *g);
        }
        defects(c, p, z, g);
        if (!at_end(c, p, &p->def->start, z, 0, g + p->start) ||
            !at_end(c, p, &p->def->end, z, point_count(p) - 1, g + p->end))
            return false;
        if (k == 0)
            continue;
        const phase *before = p - 1;
        const double *from = z + point_at(c, before, point_count(before) - 1);
        for (size_t r = 0; r < n; r++)
            g[p->link + r] = z[point_at(c, p, 0) + r] - from[r];
        g[p->link + n] = z[p->at] - z[before->at] - z[before->at + 1];
    }
    return true;
}

// --- gradients ----------------------------------------------------------------------------------

// Add `slope` by input q of a point's function: time depends on where the phase begins and on its
// duration.
static void add_slope(const tac__collocation *c, const phase *p, size_t i, size_t row, size_t q,
                      double slope, entries *e)
{
    if (q < c->width) {
        add(e, row, point_at(c, p, i) + q, slope);
        return;
    }
    add(e, row, p->at, slope);
    add(e, row, p->at + 1, slope * part_of(p, i));
}

static bool derive(const tac__solve_function *f, const double *z, double *values)
{
    return f->jacobian(f->context, z, values) == TAC_OK;
}

// Rows of conditions at an end.
static bool end_slopes(const tac__collocation *c, const phase *p, const tac__at_point *f,
                       const double *z, size_t i, size_t row, entries *e)
{
    if (!f->function)
        return true;
    const tac__sparsity *pattern = &f->function->jacobian_pattern;
    if (z && !derive(f->function, point(c, p, z, i), c->values))
        return false;
    for (size_t k = 0; k < pattern->count; k++)
        add_slope(c, p, i, row + (size_t)pattern->rows[k], (size_t)pattern->columns[k],
                  z ? c->values[k] : 0, e);
    return true;
}

static bool point_slopes(const tac__collocation *c, const phase *p, const double *z, size_t i,
                         entries *e)
{
    const size_t n = c->def.states;
    const tac__solve_function *f = p->def->point;
    const double duration = z ? z[p->at + 1] : 0;
    use uses[4];
    const size_t count = uses_of(c, p, i, uses);
    if (z && (!evaluate(f, point(c, p, z, i), c->y) || !derive(f, c->z, c->values)))
        return false;
    for (size_t k = 0; k < f->jacobian_pattern.count; k++) {
        const size_t r = (size_t)f->jacobian_pattern.rows[k];
        const size_t q = (size_t)f->jacobian_pattern.columns[k];
        const double slope = z ? c->values[k] : 0;
        for (size_t s = 0; r < n && s < count; s++)
            add_slope(c, p, i, uses[s].row + r, q, uses[s].weight * duration * slope, e);
        if (r >= n && r < n + paths_at(c, p, i))
            add_slope(c, p, i, path_row(c, p, i) + r - n, q, slope, e);
    }
    for (size_t s = 0; s < count; s++) { // by the duration
        for (size_t r = 0; r < n; r++)
            add(e, uses[s].row + r, p->at + 1, z ? uses[s].weight * c->y[r] : 0);
    }
    return true;
}

static void defect_slopes(const tac__collocation *c, const phase *p, entries *e)
{
    const size_t n = c->def.states;
    for (size_t k = 0; k < p->def->intervals; k++) {
        const size_t a = point_at(c, p, 2 * k), m = a + c->width, b = m + c->width;
        const size_t row = p->row + 2 * k * n;
        for (size_t r = 0; r < n; r++) {
            add(e, row + r, a + r, -1);
            add(e, row + r, b + r, 1);
            add(e, row + n + r, a + r, -0.5);
            add(e, row + n + r, m + r, 1);
            add(e, row + n + r, b + r, -0.5);
        }
        size_t middle = p->middle + k * p->bent;
        for (size_t r = n; p->bent && r < c->width; r++) {
            if (!is_free(p, r - n))
                continue;
            add(e, middle, a + r, -0.5);
            add(e, middle, m + r, 1);
            add(e, middle++, b + r, -0.5);
        }
    }
}

static void link_slopes(const tac__collocation *c, const phase *p, entries *e)
{
    const phase *before = p - 1;
    const size_t n = c->def.states, from = point_at(c, before, point_count(before) - 1);
    for (size_t r = 0; r < n; r++) {
        add(e, p->link + r, point_at(c, p, 0) + r, 1);
        add(e, p->link + r, from + r, -1);
    }
    add(e, p->link + n, p->at, 1);
    add(e, p->link + n, before->at, -1);
    add(e, p->link + n, before->at + 1, -1);
}

// Entries of the Jacobian, or, without z, where they are.
static bool all_slopes(const tac__collocation *c, const double *z, entries *e)
{
    for (size_t k = 0; k < c->def.phase_count; k++) {
        const phase *p = &c->phases[k];
        for (size_t i = 0; i < point_count(p); i++) {
            if (!point_slopes(c, p, z, i, e))
                return false;
        }
        defect_slopes(c, p, e);
        if (!end_slopes(c, p, &p->def->start, z, 0, p->start, e) ||
            !end_slopes(c, p, &p->def->end, z, point_count(p) - 1, p->end, e))
            return false;
        if (k > 0)
            link_slopes(c, p, e);
    }
    return true;
}

static bool jacobian(void *context, const double *z, double *values)
{
    entries e = {.values = values};
    return all_slopes(context, z, &e);
}

static bool gradient(void *context, const double *z, double *g)
{
    const tac__collocation *c = context;
    memset(g, 0, c->nlp.n * sizeof *g);
    (void)roughness(c, z, g);
    for (size_t k = 0; k < c->def.phase_count; k++) {
        const phase *p = &c->phases[k];
        const tac__solve_function *f = p->def->point;
        const size_t row = c->def.states + p->def->paths;
        for (size_t i = 0; p->def->cost && i < point_count(p); i++) {
            if (!evaluate(f, point(c, p, z, i), c->y) || !derive(f, c->z, c->values))
                return false;
            const double weight = z[p->at + 1] * share_of(p, i);
            g[p->at + 1] += share_of(p, i) * c->y[row];
            for (size_t s = 0; s < f->jacobian_pattern.count; s++) {
                const size_t q = (size_t)f->jacobian_pattern.columns[s];
                if ((size_t)f->jacobian_pattern.rows[s] != row)
                    continue;
                if (q < c->width) {
                    g[point_at(c, p, i) + q] += weight * c->values[s];
                    continue;
                }
                g[p->at] += weight * c->values[s];
                g[p->at + 1] += weight * c->values[s] * part_of(p, i);
            }
        }
    }
    const phase *last = &c->phases[c->def.phase_count - 1];
    const tac__solve_function *f = c->def.objective;
    const size_t i = point_count(last) - 1;
    if (!f)
        return true;
    if (!derive(f, point(c, last, z, i), c->values))
        return false;
    for (size_t s = 0; s < f->jacobian_pattern.count; s++) {
        const size_t q = (size_t)f->jacobian_pattern.columns[s];
        if (q < c->width)
            g[point_at(c, last, i) + q] += c->values[s];
        else {
            g[last->at] += c->values[s];
            g[last->at + 1] += c->values[s];
        }
    }
    return true;
}

// --- second derivatives -------------------------------------------------------------------------

// Of the sum of c->w times the outputs of a function of point i; without z only where they are.
static bool curvature(const tac__collocation *c, const phase *p, const tac__solve_function *f,
                      const double *z, size_t i, entries *e)
{
    const tac__sparsity *pattern = &f->hessian_pattern;
    const size_t at = point_at(c, p, i), start = p->at, duration = p->at + 1;
    const double part = part_of(p, i);
    if (z && f->hessian(f->context, point(c, p, z, i), c->w, c->values) != TAC_OK)
        return false;
    for (size_t k = 0; k < pattern->count; k++) {
        const size_t a = (size_t)pattern->rows[k], b = (size_t)pattern->columns[k];
        const double value = z ? c->values[k] : 0;
        if (a < c->width && b < c->width) {
            add_lower(e, at + a, at + b, value);
        } else if (a < c->width || b < c->width) {
            const size_t other = at + (a < c->width ? a : b);
            add_lower(e, other, start, value);
            add_lower(e, other, duration, value * part);
        } else {
            add_lower(e, start, start, value);
            add_lower(e, duration, start, value * part);
            add_lower(e, duration, duration, value * part * part);
        }
    }
    return true;
}

// What each output of a point's function weighs: rates of change and the cost without T, the path.
static void weigh(const tac__collocation *c, const phase *p, size_t i, double factor,
                  const double *lambda)
{
    const size_t n = c->def.states;
    use uses[4];
    const size_t count = uses_of(c, p, i, uses);
    memset(c->w, 0, p->def->point->n_out * sizeof *c->w);
    for (size_t s = 0; s < count; s++) {
        for (size_t r = 0; r < n; r++)
            c->w[r] += uses[s].weight * lambda[uses[s].row + r];
    }
    for (size_t r = 0; r < paths_at(c, p, i); r++)
        c->w[n + r] = lambda[path_row(c, p, i) + r];
    if (p->def->cost)
        c->w[n + p->def->paths] = factor * share_of(p, i);
}

// Is the output multiplied by the duration?
static bool is_timed(const tac__collocation *c, const phase *p, size_t r)
{
    return r < c->def.states || r >= c->def.states + p->def->paths;
}

static bool point_curvature(const tac__collocation *c, const phase *p, const double *z, size_t i,
                            double factor, const double *lambda, entries *e)
{
    const tac__solve_function *f = p->def->point;
    const tac__sparsity *pattern = &f->jacobian_pattern;
    if (z) {
        weigh(c, p, i, factor, lambda);
        if (!derive(f, point(c, p, z, i), c->values))
            return false;
        memset(c->gradient, 0, (c->width + 1) * sizeof *c->gradient);
        for (size_t k = 0; k < pattern->count; k++) {
            const size_t r = (size_t)pattern->rows[k];
            if (is_timed(c, p, r))
                c->gradient[pattern->columns[k]] += c->w[r] * c->values[k];
        }
    }
    // By the duration and another variable.
    for (size_t q = 0; q < c->width; q++)
        add_lower(e, point_at(c, p, i) + q, p->at + 1, z ? c->gradient[q] : 0);
    add_lower(e, p->at, p->at + 1, z ? c->gradient[c->width] : 0);
    add_lower(e, p->at + 1, p->at + 1, z ? 2 * part_of(p, i) * c->gradient[c->width] : 0);
    for (size_t r = 0; z && r < f->n_out; r++)
        c->w[r] *= is_timed(c, p, r) ? z[p->at + 1] : 1;
    return curvature(c, p, f, z, i, e);
}

static bool end_curvature(const tac__collocation *c, const phase *p, const tac__solve_function *f,
                          const double *z, size_t i, const double *weights, entries *e)
{
    if (!f)
        return true;
    if (z)
        memcpy(c->w, weights, f->n_out * sizeof *c->w);
    return curvature(c, p, f, z, i, e);
}

static bool all_curvature(const tac__collocation *c, const double *z, double factor,
                          const double *lambda, entries *e)
{
    for (size_t k = 0; k < c->def.phase_count; k++) {
        const phase *p = &c->phases[k];
        const size_t last = point_count(p) - 1;
        for (size_t i = 0; i <= last; i++) {
            if (!point_curvature(c, p, z, i, factor, lambda, e))
                return false;
        }
        const double *weights = z ? lambda : NULL;
        if (!end_curvature(c, p, p->def->start.function, z, 0, z ? weights + p->start : NULL, e) ||
            !end_curvature(c, p, p->def->end.function, z, last, z ? weights + p->end : NULL, e))
            return false;
    }
    rough_curvature(c, factor, e);
    const phase *p = &c->phases[c->def.phase_count - 1];
    return end_curvature(c, p, c->def.objective, z, point_count(p) - 1, &factor, e);
}

static bool hessian(void *context, const double *z, double factor, const double *lambda,
                    double *values)
{
    entries e = {.values = values};
    return all_curvature(context, z, factor, lambda, &e);
}

// --- making -------------------------------------------------------------------------------------

static size_t outputs_of(const tac__at_point *f)
{
    return f->function ? f->function->n_out : 0;
}

// Number variables and constraints.
static void lay_out(tac__collocation *c)
{
    const size_t n = c->def.states;
    size_t at = 0, row = 0;
    for (size_t k = 0; k < c->def.phase_count; k++) {
        phase *p = &c->phases[k];
        *p = (phase){.def = &c->def.phases[k], .at = at, .row = row};
        at += 2 + point_count(p) * c->width;
        p->path = row + 2 * p->def->intervals * n;
        for (size_t r = 0; c->def.linear && r < c->def.inputs; r++)
            p->bent += is_free(p, r);
        p->middle = path_row(c, p, point_count(p) - 1) + p->def->paths;
        p->start = p->middle + p->def->intervals * p->bent;
        p->end = p->start + outputs_of(&p->def->start);
        p->link = p->end + outputs_of(&p->def->end);
        row = p->link + (k > 0 ? n + 1 : 0);
    }
    c->nlp.n = at;
    c->nlp.m = row;
}

// The largest sizes that functions of a point need.
static bool make_scratch(tac__collocation *c, tac__arena *arena)
{
    size_t outputs = 1, values = 1;
    for (size_t k = 0; k <= c->def.phase_count; k++) {
        const tac__phase_def *p = k < c->def.phase_count ? &c->def.phases[k] : NULL;
        const tac__solve_function *all[] = {p ? p->point : c->def.objective,
                                            p ? p->start.function : NULL,
                                            p ? p->end.function : NULL};
        for (size_t i = 0; i < 3; i++) {
            const tac__solve_function *f = all[i];
            if (!f)
                continue;
            outputs = f->n_out > outputs ? f->n_out : outputs;
            values = f->jacobian_pattern.count > values ? f->jacobian_pattern.count : values;
            values = f->hessian_pattern.count > values ? f->hessian_pattern.count : values;
        }
    }
    c->z = tac__arena_array(arena, c->width + 1, sizeof *c->z);
    c->gradient = tac__arena_array(arena, c->width + 1, sizeof *c->gradient);
    c->y = tac__arena_array(arena, outputs, sizeof *c->y);
    c->w = tac__arena_array(arena, outputs, sizeof *c->w);
    c->values = tac__arena_array(arena, values, sizeof *c->values);
    return c->z && c->gradient && c->y && c->w && c->values;
}

typedef struct bounds {
    double *lower, *upper, *scale, *g_lower, *g_upper, *g_scale;
} bounds;

static void bound_phase(const tac__collocation *c, size_t k, const bounds *b)
{
    const size_t n = c->def.states;
    const phase *p = &c->phases[k];
    const tac__phase_def *d = p->def;
    b->lower[p->at] = k == 0 ? c->def.t_s : -HUGE_VAL;
    b->upper[p->at] = k == 0 ? c->def.t_s : HUGE_VAL;
    b->lower[p->at + 1] = d->least_s;
    b->upper[p->at + 1] = d->most_s;
    b->scale[p->at] = b->scale[p->at + 1] = c->def.t_scale;
    c->guess[p->at] = k == 0 ? c->def.t_s : c->guess[p[-1].at] + c->guess[p[-1].at + 1];
    c->guess[p->at + 1] = d->guess_s;
    for (size_t i = 0; i < point_count(p); i++) {
        const size_t at = point_at(c, p, i);
        const bool first = k == 0 && i == 0;
        for (size_t r = 0; r < n; r++) {
            b->lower[at + r] = first ? c->def.first_lower[r] : d->x_lower[r];
            b->upper[at + r] = first ? c->def.first_upper[r] : d->x_upper[r];
            b->scale[at + r] = c->def.x_scale[r];
            c->guess[at + r] = d->x_begin[r] + part_of(p, i) * (d->x_end[r] - d->x_begin[r]);
        }
        for (size_t r = 0; r < c->def.inputs; r++) {
            b->lower[at + n + r] = d->u_lower[r];
            b->upper[at + n + r] = d->u_upper[r];
            b->scale[at + n + r] = c->def.u_scale[r];
            c->guess[at + n + r] = d->u_guess[r];
        }
        for (size_t r = 0; r < paths_at(c, p, i); r++) {
            b->g_lower[path_row(c, p, i) + r] = d->path_lower[r];
            b->g_upper[path_row(c, p, i) + r] = d->path_upper[r];
        }
    }
    for (size_t r = 0; r < 2 * d->intervals * n; r++)
        b->g_scale[p->row + r] = c->def.x_scale[r % n];
    for (size_t r = 0, row = p->middle; r < d->intervals * c->def.inputs; r++) {
        if (c->def.linear && is_free(p, r % c->def.inputs))
            b->g_scale[row++] = c->def.u_scale[r % c->def.inputs];
    }
    for (size_t r = 0; k > 0 && r <= n; r++)
        b->g_scale[p->link + r] = r < n ? c->def.x_scale[r] : c->def.t_scale;
    const tac__at_point *ends[] = {&d->start, &d->end};
    const size_t rows[] = {p->start, p->end};
    for (size_t e = 0; e < 2; e++) {
        for (size_t r = 0; r < outputs_of(ends[e]); r++) {
            b->g_lower[rows[e] + r] = ends[e]->lower[r];
            b->g_upper[rows[e] + r] = ends[e]->upper[r];
        }
    }
}

static bool make_bounds(tac__collocation *c, tac__arena *arena)
{
    const size_t n = c->nlp.n, m = c->nlp.m;
    bounds b = {.lower = tac__arena_array(arena, n, sizeof(double)),
                .upper = tac__arena_array(arena, n, sizeof(double)),
                .scale = tac__arena_array(arena, n, sizeof(double)),
                .g_lower = tac__arena_array(arena, m, sizeof(double)),
                .g_upper = tac__arena_array(arena, m, sizeof(double)),
                .g_scale = tac__arena_array(arena, m, sizeof(double))};
    c->guess = tac__arena_array(arena, n, sizeof(double));
    if (!b.lower || !b.upper || !b.scale || !b.g_lower || !b.g_upper || !b.g_scale || !c->guess)
        return false;
    for (size_t i = 0; i < m; i++)
        b.g_scale[i] = 1;
    for (size_t k = 0; k < c->def.phase_count; k++)
        bound_phase(c, k, &b);
    for (size_t i = 0; i < n; i++) { // a guess inside the bounds
        c->guess[i] = fmin(fmax(c->guess[i], b.lower[i]), b.upper[i]);
    }
    c->nlp.lower = b.lower;
    c->nlp.upper = b.upper;
    c->nlp.x_scale = b.scale;
    c->nlp.g_lower = b.g_lower;
    c->nlp.g_upper = b.g_upper;
    c->nlp.g_scale = b.g_scale;
    return true;
}

static bool make_pattern(entries *e, tac__arena *arena, tac__sparsity *pattern)
{
    e->rows = tac__arena_array(arena, e->count, sizeof *e->rows);
    e->columns = tac__arena_array(arena, e->count, sizeof *e->columns);
    *pattern = (tac__sparsity){e->rows, e->columns, e->count};
    e->count = 0;
    return e->rows && e->columns;
}

static bool has_hessian(const tac__collocation *c)
{
    bool all = !c->def.objective || c->def.objective->hessian;
    for (size_t k = 0; k < c->def.phase_count; k++) {
        const tac__phase_def *p = &c->def.phases[k];
        all = all && p->point->hessian && (!p->start.function || p->start.function->hessian) &&
              (!p->end.function || p->end.function->hessian);
    }
    return all;
}

// Count the entries, then list them.
static bool make_patterns(tac__collocation *c, tac__arena *arena)
{
    entries e = {0};
    (void)all_slopes(c, NULL, &e);
    if (!make_pattern(&e, arena, &c->nlp.jacobian_pattern))
        return false;
    (void)all_slopes(c, NULL, &e);
    if (!has_hessian(c))
        return true;
    e = (entries){0};
    (void)all_curvature(c, NULL, 0, NULL, &e);
    if (!make_pattern(&e, arena, &c->nlp.hessian_pattern))
        return false;
    (void)all_curvature(c, NULL, 0, NULL, &e);
    c->nlp.hessian = hessian;
    return true;
}

tac_status tac__collocation_make(const tac__collocation_def *def, tac__arena *arena,
                                 tac__collocation **made, tac_error *err)
{
    tac__collocation *c = tac__arena_alloc(arena, sizeof *c);
    if (!c)
        return tac__fail_memory(err);
    *c = (tac__collocation){.def = *def, .width = def->states + def->inputs};
    c->nlp = (tac__nlp){.f_scale = def->objective_scale,
                        .context = c,
                        .objective = objective,
                        .gradient = gradient,
                        .constraints = constraints,
                        .jacobian = jacobian};
    c->phases = tac__arena_array(arena, def->phase_count, sizeof *c->phases);
    if (!c->phases)
        return tac__fail_memory(err);
    lay_out(c);
    if (!make_scratch(c, arena) || !make_bounds(c, arena) || !make_patterns(c, arena))
        return tac__fail_memory(err);
    *made = c;
    return TAC_OK;
}

const tac__nlp *tac__collocation_nlp(const tac__collocation *c)
{
    return &c->nlp;
}

double *tac__collocation_guess(const tac__collocation *c)
{
    return c->guess;
}

double tac__collocation_roughness(const tac__collocation *c, const double *z)
{
    return roughness(c, z, NULL);
}

// --- solutions ----------------------------------------------------------------------------------

double tac__phase_start(const tac__collocation *c, const double *z, size_t k)
{
    return z[c->phases[k].at];
}

double tac__phase_duration(const tac__collocation *c, const double *z, size_t k)
{
    return z[c->phases[k].at + 1];
}

const double *tac__phase_point(const tac__collocation *c, const double *z, size_t k, size_t i)
{
    return z + point_at(c, &c->phases[k], i);
}

double tac__phase_part(const tac__collocation *c, size_t k, size_t i)
{
    return part_of(&c->phases[k], i);
}

// The interval of a time, and where in it: 0 to 1.
static size_t interval_of(const phase *p, double duration, double t_s, double *part)
{
    const double at = duration > 0 ? fmin(fmax(t_s / duration, 0), 1) : 0;
    size_t low = 0, high = p->def->intervals; // at is in [end of low, end of high]
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (part_of(p, 2 * middle) <= at)
            low = middle;
        else
            high = middle;
    }
    *part = fmin(fmax((at - part_of(p, 2 * low)) / length_of(p, low), 0), 1);
    return low;
}

// States: the cubic through both ends with the slopes there. Inputs: the parabola through three
// points.
void tac__phase_at(const tac__collocation *c, const double *z, size_t k, double t_s, double *x,
                   double *u)
{
    const phase *p = &c->phases[k];
    const size_t n = c->def.states;
    const double duration = z[p->at + 1];
    double s;
    const size_t i = 2 * interval_of(p, duration, t_s, &s);
    const double h = duration * length_of(p, i / 2);
    const double *a = z + point_at(c, p, i), *m = a + c->width, *b = m + c->width;
    for (size_t r = 0; u && r < c->def.inputs; r++)
        u[r] = a[n + r] * (2 * s - 1) * (s - 1) + m[n + r] * 4 * s * (1 - s) +
               b[n + r] * s * (2 * s - 1);
    if (!x)
        return;
    const double s2 = s * s, s3 = s2 * s;
    for (size_t r = 0; r < n; r++)
        x[r] = a[r] * (2 * s3 - 3 * s2 + 1) + b[r] * (3 * s2 - 2 * s3);
    (void)evaluate(p->def->point, point(c, p, z, i), c->y);
    for (size_t r = 0; r < n; r++)
        x[r] += h * (s3 - 2 * s2 + s) * c->y[r];
    (void)evaluate(p->def->point, point(c, p, z, i + 2), c->y);
    for (size_t r = 0; r < n; r++)
        x[r] += h * (s3 - s2) * c->y[r];
}

// In the middle of each half of an interval the dynamics need not hold. The rate of change of the
// cubic comes from differences of it.
static double error_at(const tac__collocation *c, const double *z, size_t k, double t_s, double h,
                       double *x)
{
    const phase *p = &c->phases[k];
    const size_t n = c->def.states;
    const double d = 1e-4 * h;
    double *later = x + n, *earlier = later + n, *own = earlier + n, most = 0;
    tac__phase_at(c, z, k, t_s + d, later, NULL);
    tac__phase_at(c, z, k, t_s - d, earlier, NULL);
    tac__phase_at(c, z, k, t_s, own, own + n);
    own[c->width] = z[p->at] + t_s;
    if (!evaluate(p->def->point, own, c->y))
        return HUGE_VAL;
    for (size_t r = 0; r < n; r++)
        most =
            fmax(most, fabs((later[r] - earlier[r]) / (2 * d) - c->y[r]) * h / c->def.x_scale[r]);
    return most;
}

double tac__interval_error(const tac__collocation *c, const double *z, size_t k, size_t i)
{
    enum { MOST = 512 };
    double x[MOST];
    const phase *p = &c->phases[k];
    const double duration = z[p->at + 1], h = duration * length_of(p, i);
    const double begin_s = duration * part_of(p, 2 * i);
    if (4 * c->def.states + c->def.inputs + 1 > MOST)
        return HUGE_VAL;
    return fmax(error_at(c, z, k, begin_s + 0.25 * h, h, x),
                error_at(c, z, k, begin_s + 0.75 * h, h, x));
}

double tac__phase_error(const tac__collocation *c, const double *z, size_t k)
{
    double most = 0;
    for (size_t i = 0; i < c->phases[k].def->intervals; i++)
        most = fmax(most, tac__interval_error(c, z, k, i));
    return most;
}

void tac__collocation_take(const tac__collocation *c, const tac__collocation *from,
                           const double *from_z)
{
    for (size_t k = 0; k < c->def.phase_count; k++) {
        const phase *p = &c->phases[k];
        const double duration = tac__phase_duration(from, from_z, k);
        c->guess[p->at] = tac__phase_start(from, from_z, k);
        c->guess[p->at + 1] = duration;
        for (size_t i = 0; i < point_count(p); i++) {
            double *at = c->guess + point_at(c, p, i);
            tac__phase_at(from, from_z, k, part_of(p, i) * duration, at, at + c->def.states);
        }
    }
    for (size_t i = 0; i < c->nlp.n; i++)
        c->guess[i] = fmin(fmax(c->guess[i], c->nlp.lower[i]), c->nlp.upper[i]);
}
