// sparsity.h - where the Jacobian of a graph can be other than 0, for people and for programs.
//
// `out` and `in` name groups as in derive.h, NULL being all. Lack of memory is also remembered in
// the text.
#ifndef TAC_GRAPH_SPARSITY_H
#define TAC_GRAPH_SPARSITY_H

#include "base/json.h"
#include "graph/derive.h"

// A picture: a square for each entry, in the tint of its colour (what is computed in one sweep).
// Rows and columns have their labels where there is room for them.
TAC_MUST_CHECK tac_status tac__sparsity_svg(const tac_graph *f, const char *out, const char *in,
                                            tac__text *text, tac_error *err);

// The same as an object: "rows" and "columns" as lists of groups with their labels, "starts" and
// "row_of" as in tac__pattern, "count", "sweeps" ("forward" or "reverse"), "colours" and "colour"
// of each column or row, null where it has no entry.
TAC_MUST_CHECK tac_status tac__sparsity_json(const tac_graph *f, const char *out, const char *in,
                                             tac__json *json, tac_error *err);

#endif
