// pattern.h - where a matrix can be other than 0, and which of its columns can be computed
// together.
#ifndef TAC_GRAPH_PATTERN_H
#define TAC_GRAPH_PATTERN_H

#include "base/arena.h"

// Compressed columns: the entries of column j are in rows row_of[k], ascending, for k from
// starts[j] to starts[j + 1] - 1.
typedef struct tac__pattern {
    int rows, columns;
    const int *starts; // [columns + 1]
    const int *row_of; // [starts[columns]]
} tac__pattern;

static inline int tac__pattern_count(const tac__pattern *pattern)
{
    return pattern->starts[pattern->columns];
}

// Entry number k of row i and column j; -1: there is none.
int tac__pattern_find(const tac__pattern *pattern, int row, int column);

TAC_MUST_CHECK bool tac__pattern_transpose(tac__arena *arena, const tac__pattern *pattern,
                                           tac__pattern *made);
// Of a square pattern: with every entry also the one across the diagonal, and the diagonal as it
// is. Then only the entries on and below the diagonal.
TAC_MUST_CHECK bool tac__pattern_symmetric(tac__arena *arena, const tac__pattern *pattern,
                                           tac__pattern *made);
TAC_MUST_CHECK bool tac__pattern_lower(tac__arena *arena, const tac__pattern *pattern,
                                       tac__pattern *made);

// Groups of columns. Columns without an entry have colour -1.
typedef struct tac__colouring {
    int colours;
    int *colour; // [columns]
} tac__colouring;

// No two columns of a colour have an entry in the same row. Columns are taken by their number of
// entries, the largest first, else by their number; each gets the smallest colour that is free.
TAC_MUST_CHECK bool tac__colour_columns(tac__arena *arena, const tac__pattern *pattern,
                                        tac__colouring *made);

// For a symmetric pattern: a star colouring, taken in the same order. Neighbours (columns i and j
// with an entry ij) have different colours, and every path of four columns has at least three. Of
// the two entries ij and ji at least one is then the only one in its row among the columns of one
// colour: ij is if no other neighbour of i has the colour of j.
TAC_MUST_CHECK bool tac__colour_symmetric(tac__arena *arena, const tac__pattern *pattern,
                                          tac__colouring *made);

// Whether the entry (row, column) is the only one in its row among the columns with its colour.
bool tac__colour_is_alone(const tac__pattern *transposed, const tac__colouring *colouring, int row,
                          int column);

#endif
