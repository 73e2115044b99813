// table.h - linear interpolation in tables of constants, for model code of any scalar kind.
//
// A table gives its entries exactly at its breakpoints, the straight line between them, and outside
// either the entry at the edge or the line of the last segment. A NaN argument gives NaN.
#ifndef TAC_MATH_TABLE_H
#define TAC_MATH_TABLE_H

#include "math/real.h"

typedef enum table_ends { TABLE_CLAMP, TABLE_EXTRAPOLATE } table_ends;

// The arrays belong to the caller and outlive the table. Breakpoints satisfy
// table_breakpoints_valid.
typedef struct table1 {
    int nx;
    const double *x; // [nx]
    const double *y; // [nx]
    table_ends ends;
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

static inline real table1_at(const table1 *table, real x)
{
    int n = table->nx;
    table__place p = table__find(n, table->x, table->ends, x);
    return r_lerp(r_pick(table->y, n - 1, p.index), r_pick(table->y + 1, n - 1, p.index), p.t);
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
