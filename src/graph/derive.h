// derive.h - derivatives of graphs, as graphs over the same pool.
//
// A derivative has the inputs of the function under their names, and new ones behind them where
// that is said. `out` and `in` name a group of outputs and of inputs; NULL: all of them, in their
// order. Where an output is a matrix, its entries are differentiated one by one.
//
// The graph that is made belongs to the caller; *made is NULL where it could not be made. No group
// of such a name: TAC_E_NAME. A loop within a loop, or a loop whose residual does not depend on its
// first variable: TAC_E_LIMIT.
#ifndef TAC_GRAPH_DERIVE_H
#define TAC_GRAPH_DERIVE_H

#include "graph/graph.h"
#include "graph/pattern.h"

// The product of the Jacobian with a vector: for every input X a new input "fwd_X", for every
// output Y an output "fwd_Y".
TAC_MUST_CHECK tac_status tac__graph_jvp(const tac_graph *f, const char *out, const char *in,
                                         tac_graph **made, tac_error *err);

// The product of a vector with the Jacobian: for every output Y a new input "adj_Y", for every
// input X an output "adj_X".
TAC_MUST_CHECK tac_status tac__graph_vjp(const tac_graph *f, const char *out, const char *in,
                                         tac_graph **made, tac_error *err);

// The Jacobian, a sparse matrix "jac_Y_X" for each pair of an output and an input; those of the
// first output come first.
TAC_MUST_CHECK tac_status tac__graph_jacobian(const tac_graph *f, const char *out, const char *in,
                                              tac_graph **made, tac_error *err);

typedef enum tac__triangle { TAC__TRIANGLE_BOTH, TAC__TRIANGLE_LOWER } tac__triangle;

// The second derivatives of an output of one number: one sparse symmetric matrix "hess", rows and
// columns being all the inputs meant by `in`, one group behind the other. With TAC__TRIANGLE_LOWER
// it has only its entries on and below the diagonal.
TAC_MUST_CHECK tac_status tac__graph_hessian(const tac_graph *f, const char *out, const char *in,
                                             tac__triangle triangle, tac_graph **made,
                                             tac_error *err);

// The same for the sum of all numbers of the outputs, each times a multiplier: for every output Y
// there is a new input "lam_Y".
TAC_MUST_CHECK tac_status tac__graph_lagrangian(const tac_graph *f, const char *out, const char *in,
                                                tac__triangle triangle, tac_graph **made,
                                                tac_error *err);

// What is known of a Jacobian before it is made. Rows and columns are the numbers of all outputs
// and inputs meant, one group behind the other.
typedef struct tac__jacobian_facts {
    tac__pattern pattern;
    bool by_rows;             // reverse sweeps take less work than forward ones
    tac__colouring colouring; // of the columns, or of the rows
} tac__jacobian_facts;

TAC_MUST_CHECK tac_status tac__graph_pattern(tac__arena *arena, const tac_graph *f, const char *out,
                                             const char *in, tac__jacobian_facts *facts,
                                             tac_error *err);

#endif
