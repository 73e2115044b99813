// simplify.h - other terms for the same value.
#ifndef TAC_GRAPH_SIMPLIFY_H
#define TAC_GRAPH_SIMPLIFY_H

#include "graph/terms.h"

// A term that has the value of this operation, or -1: the operation itself has to be made. Then
// `*t`, its operation and operands, may have become another one of the same value. What all is
// constant has been computed before.
int32_t tac__simplify(tac__terms *pool, tac__term *t);

#endif
