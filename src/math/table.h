// table.h - interpolation in tables of constants, for model code of any scalar kind.
//
// A table gives its entries exactly at its breakpoints. Between them it is a straight line, or, if
// `bend` is given, a cubic spline with continuous first and second derivatives (math/spline.h has
// the equations). Outside it is either the entry at the edge, or the straight line with the slope
// of the table at the edge. A NaN argument gives NaN.
#ifndef TAC_MATH_TABLE_H
#define TAC_MATH_TABLE_H

#include "math/real.h"

#include <stddef.h>

typedef enum table_ends { TABLE_CLAMP, TABLE_EXTRAPOLATE } table_ends;

// The arrays belong to the caller and outlive the table. Breakpoints satisfy
// table_breakpoints_valid.
typedef struct table1 {
    int nx;
    const double *x; // [nx]
    const double *y; // [nx]
    table_ends ends;
    const double *bend; // [2][nx] for a spline, from tac__spline_bend; NULL: straight lines
} table1;

typedef struct table2 {
    int nx, ny;
    const double *x; // [nx]
    const double *y; // [ny]
    const double *z; // [nx][ny]
    table_ends ends;
} table2;

// At least two, strictly increasing, finite. Check a table with this when it is read; lookups do
// not.
static inline int table_breakpoints_valid(int n, const double *x)
{
    for (int i = 1; i < n; i++) {
        if (!(x[i] - x[i - 1] > 0.0 && x[i] - x[i - 1] <= DBL_MAX))
            return 0;
    }
    return n >= 2;
}

// How many of the inner breakpoints are not above `at`: the number of its segment.
#ifndef TAC__SEGMENT
static inline real r_segment(const double *x, int n, real at)
{
    real index = R(0.0);
    for (int i = 1; i < n - 1; i++)
        index = r_select(at >= x[i], R(i), index);
    return index;
}
#endif

// Where an argument falls: in the segment from breakpoint `index` to the next, `t` of the way.
typedef struct table__place {
    real index, t;
} table__place;

static inline table__place table__find(int n, const double *x, table_ends ends, real at)
{
    table__place p;
    p.index = r_segment(x, n, at);
    real lo = r_pick(x, n - 1, p.index);
    real hi = r_pick(x + 1, n - 1, p.index);
    if (ends == TABLE_CLAMP)
        at = r_clamp(at, R(x[0]), R(x[n - 1]));
    p.t = (at - lo) / (hi - lo);
    return p;
}

// The straight line from entry to entry of the segment.
static inline real table__line(const table1 *table, table__place p)
{
    int n = table->nx;
    return r_lerp(r_pick(table->y, n - 1, p.index), r_pick(table->y + 1, n - 1, p.index), p.t);
}

// How far the spline is below that line: 0 at both ends of the segment, exactly.
static inline real table__sag(const table1 *table, table__place p)
{
    int n = table->nx;
    real a = r_pick(table->bend, n - 1, p.index), b = r_pick(table->bend + n, n - 1, p.index);
    return p.t * (1.0 - p.t) * (a + b * p.t);
}

// The slope of the spline at its first or last breakpoint.
static inline double table__end_slope(const table1 *table, int last)
{
    int i = last ? table->nx - 2 : 0;
    const double *x = table->x + i, *y = table->y + i, *a = table->bend + i, *b = a + table->nx;
    return (y[1] - y[0] + (last ? a[0] + b[0] : -a[0])) / (x[1] - x[0]);
}

static inline real table__spline(const table1 *table, real x)
{
    int n = table->nx;
    table__place p = table__find(n, table->x, TABLE_CLAMP, x);
    real y = table__line(table, p) - table__sag(table, p);
    if (table->ends == TABLE_CLAMP)
        return y;
    real beyond = x - r_clamp(x, R(table->x[0]), R(table->x[n - 1]));
    return y +
           r_select(x < table->x[0], R(table__end_slope(table, 0)), R(table__end_slope(table, 1))) *
               beyond;
}

static inline real table1_at(const table1 *table, real x)
{
    if (table->bend)
        return table__spline(table, x);
    return table__line(table, table__find(table->nx, table->x, table->ends, x));
}

// Bilinear: along y on both sides, then along x.
static inline real table2_at(const table2 *table, real x, real y)
{
    int nx = table->nx, ny = table->ny;
    table__place px = table__find(nx, table->x, table->ends, x);
    table__place py = table__find(ny, table->y, table->ends, y);

    // The last corner is at least ny + 1 entries before the end, which bounds all four picks.
    int corners = nx * ny - ny - 1;
    const double *z = table->z;
    real corner = px.index * (double)ny + py.index;
    real lo = r_lerp(r_pick(z, corners, corner), r_pick(z + 1, corners, corner), py.t);
    real hi = r_lerp(r_pick(z + ny, corners, corner), r_pick(z + ny + 1, corners, corner), py.t);
    return r_lerp(lo, hi, px.t);
}

#endif
