// pattern.c - see pattern.h.
#include "graph/pattern.h"

#include <stdlib.h>

int tac__pattern_find(const tac__pattern *pattern, int row, int column)
{
    int low = pattern->starts[column], high = pattern->starts[column + 1];
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (pattern->row_of[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pattern->starts[column + 1] && pattern->row_of[low] == row ? low : -1;
}

static int *numbers(tac__arena *arena, int count)
{
    return tac__arena_array(arena, (size_t)(count > 0 ? count : 1), sizeof(int));
}

bool tac__pattern_transpose(tac__arena *arena, const tac__pattern *pattern, tac__pattern *made)
{
    const int count = tac__pattern_count(pattern);
    int *starts = numbers(arena, pattern->rows + 1), *row_of = numbers(arena, count);
    int *next = numbers(arena, pattern->rows);
    if (!starts || !row_of || !next)
        return false;
    for (int k = 0; k < count; k++)
        starts[pattern->row_of[k] + 1]++;
    for (int i = 0; i < pattern->rows; i++) {
        starts[i + 1] += starts[i];
        next[i] = starts[i];
    }
    for (int j = 0; j < pattern->columns; j++) {
        for (int k = pattern->starts[j]; k < pattern->starts[j + 1]; k++)
            row_of[next[pattern->row_of[k]]++] = j;
    }
    *made = (tac__pattern){pattern->columns, pattern->rows, starts, row_of};
    return true;
}

// The rows of column j of both patterns, ascending; only counted where `rows` is NULL.
static int merge_column(const tac__pattern *a, const tac__pattern *b, int j, int *rows)
{
    int count = 0, i = a->starts[j], k = b->starts[j];
    while (i < a->starts[j + 1] || k < b->starts[j + 1]) {
        const bool first =
            k == b->starts[j + 1] || (i < a->starts[j + 1] && a->row_of[i] <= b->row_of[k]);
        const int row = first ? a->row_of[i] : b->row_of[k];
        i += i < a->starts[j + 1] && a->row_of[i] == row;
        k += k < b->starts[j + 1] && b->row_of[k] == row;
        if (rows)
            rows[count] = row;
        count++;
    }
    return count;
}

bool tac__pattern_symmetric(tac__arena *arena, const tac__pattern *pattern, tac__pattern *made)
{
    tac__pattern across;
    int *starts = numbers(arena, pattern->columns + 1);
    if (!starts || !tac__pattern_transpose(arena, pattern, &across))
        return false;
    for (int j = 0; j < pattern->columns; j++)
        starts[j + 1] = starts[j] + merge_column(pattern, &across, j, NULL);
    int *row_of = numbers(arena, starts[pattern->columns]);
    if (!row_of)
        return false;
    for (int j = 0; j < pattern->columns; j++)
        merge_column(pattern, &across, j, row_of + starts[j]);
    *made = (tac__pattern){pattern->rows, pattern->columns, starts, row_of};
    return true;
}

bool tac__pattern_lower(tac__arena *arena, const tac__pattern *pattern, tac__pattern *made)
{
    int *starts = numbers(arena, pattern->columns + 1);
    int *row_of = numbers(arena, tac__pattern_count(pattern));
    if (!starts || !row_of)
        return false;
    for (int j = 0; j < pattern->columns; j++) {
        starts[j + 1] = starts[j];
        for (int k = pattern->starts[j]; k < pattern->starts[j + 1]; k++) {
            if (pattern->row_of[k] >= j)
                row_of[starts[j + 1]++] = pattern->row_of[k];
        }
    }
    *made = (tac__pattern){pattern->rows, pattern->columns, starts, row_of};
    return true;
}

// --- colours ------------------------------------------------------------------------------------

typedef struct ranked {
    int entries, column;
} ranked;

static int by_entries(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return x->entries != y->entries ? (x->entries < y->entries) - (x->entries > y->entries)
                                    : (x->column > y->column) - (x->column < y->column);
}

// What a colouring needs while it is made.
typedef struct painter {
    const tac__pattern *columns; // the pattern
    tac__pattern rows;           // and its transpose
    ranked *order;
    int *colour;    // -1: none yet
    int *forbidden; // by colour: the column for which it may not be taken
    int colours;
} painter;

static bool prepare(tac__arena *arena, const tac__pattern *pattern, painter *p)
{
    const int n = pattern->columns;
    *p = (painter){.columns = pattern,
                   .order = tac__arena_array(arena, (size_t)n + 1, sizeof *p->order),
                   .colour = numbers(arena, n),
                   .forbidden = numbers(arena, n + 1)};
    if (!p->order || !p->colour || !p->forbidden ||
        !tac__pattern_transpose(arena, pattern, &p->rows))
        return false;
    for (int j = 0; j < n; j++) {
        p->order[j] = (ranked){pattern->starts[j + 1] - pattern->starts[j], j};
        p->colour[j] = p->forbidden[j] = -1;
    }
    p->forbidden[n] = -1;
    qsort(p->order, (size_t)n, sizeof *p->order, by_entries);
    return true;
}

static void forbid(painter *p, int colour, int column)
{
    if (colour >= 0)
        p->forbidden[colour] = column;
}

static void paint(painter *p, int column)
{
    int colour = 0;
    while (colour < p->colours && p->forbidden[colour] == column)
        colour++;
    p->colour[column] = colour;
    if (colour == p->colours)
        p->colours++;
}

bool tac__colour_columns(tac__arena *arena, const tac__pattern *pattern, tac__colouring *made)
{
    painter p;
    if (!prepare(arena, pattern, &p))
        return false;
    for (int n = 0; n < pattern->columns && p.order[n].entries > 0; n++) {
        const int j = p.order[n].column;
        for (int k = pattern->starts[j]; k < pattern->starts[j + 1]; k++) {
            const int row = pattern->row_of[k];
            for (int m = p.rows.starts[row]; m < p.rows.starts[row + 1]; m++)
                forbid(&p, p.colour[p.rows.row_of[m]], j);
        }
        paint(&p, j);
    }
    *made = (tac__colouring){p.colours, p.colour};
    return true;
}

static bool is_forbidden(const painter *p, int colour, int column)
{
    return colour < 0 || p->forbidden[colour] == column;
}

// Whether column x has a neighbour other than w with the colour of w.
static bool has_another(const painter *p, int x, int w)
{
    const tac__pattern *g = p->columns;
    for (int k = g->starts[x]; k < g->starts[x + 1]; k++) {
        const int y = g->row_of[k];
        if (y != w && y != x && p->colour[y] == p->colour[w])
            return true;
    }
    return false;
}

// Paths of four columns by way of j and its neighbour w that must not have two colours: j - w - x -
// y where w and y have one colour, and v - j - w - x where v and w have one. In both j may not have
// the colour of x.
static void forbid_paths(painter *p, int j, int w)
{
    const tac__pattern *g = p->columns;
    const bool between = has_another(p, j, w);
    for (int k = g->starts[w]; k < g->starts[w + 1]; k++) {
        const int x = g->row_of[k];
        if (x != j && x != w && !is_forbidden(p, p->colour[x], j) &&
            (between || has_another(p, x, w)))
            forbid(p, p->colour[x], j);
    }
}

bool tac__colour_symmetric(tac__arena *arena, const tac__pattern *pattern, tac__colouring *made)
{
    painter p;
    if (!prepare(arena, pattern, &p))
        return false;
    for (int n = 0; n < pattern->columns && p.order[n].entries > 0; n++) {
        const int j = p.order[n].column;
        for (int k = pattern->starts[j]; k < pattern->starts[j + 1]; k++)
            forbid(&p, p.colour[pattern->row_of[k]], j);
        for (int k = pattern->starts[j]; k < pattern->starts[j + 1]; k++) {
            const int w = pattern->row_of[k];
            if (w != j && p.colour[w] >= 0)
                forbid_paths(&p, j, w);
        }
        paint(&p, j);
    }
    *made = (tac__colouring){p.colours, p.colour};
    return true;
}

bool tac__colour_is_alone(const tac__pattern *transposed, const tac__colouring *colouring, int row,
                          int column)
{
    for (int k = transposed->starts[row]; k < transposed->starts[row + 1]; k++) {
        const int other = transposed->row_of[k];
        if (other != column && colouring->colour[other] == colouring->colour[column])
            return false;
    }
    return true;
}
