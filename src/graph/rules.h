// rules.h - the derivatives of single operations, as terms.
//
// The rules are those of dual numbers (math/real_dual.hh): at a kink the derivative is that of the
// side on which the value lies; conditions, floor, segments and entries of tables have none.
//
// A tangent is the derivative of a term along a direction, an adjoint that of a result by a term.
// Both are numbers of terms, or TAC__NO_TERM where they are 0 whatever the values are.
#ifndef TAC_GRAPH_RULES_H
#define TAC_GRAPH_RULES_H

#include "graph/terms.h"

enum { TAC__NO_TERM = -1 };

// What the derivative by one operand is, and so what becomes of a tangent x of this operand, or of
// an adjoint x of the operation.
typedef enum tac__partial_kind {
    TAC__PARTIAL_NONE,         // 0
    TAC__PARTIAL_ONE,          // x
    TAC__PARTIAL_MINUS,        // -x
    TAC__PARTIAL_TIMES,        // slope x
    TAC__PARTIAL_ALONG,        // slope x, but 0 where x is 0
    TAC__PARTIAL_UNLESS_0,     // slope x, but 0 where the slope is 0
    TAC__PARTIAL_UNLESS_ANY_0, // slope x, but 0 where one of them is 0
    TAC__PARTIAL_IF,           // x where the condition `slope` holds, else 0
    TAC__PARTIAL_IF_NOT,       // the other way round
    TAC__PARTIAL_SIGN,         // -x where the condition `slope` holds, else x
} tac__partial_kind;

typedef struct tac__partial {
    tac__partial_kind kind;
    int32_t slope;
    bool steep; // the slope is infinite, or is none, at some point where the value is finite
} tac__partial;

// The derivative of an operation by its operand k; `value` is the term of the operation itself.
tac__partial tac__partial_of(tac__terms *pool, tac__sym_op op, const int32_t operand[3],
                             int32_t value, int k);

// Sum, negative and product; no term is made where TAC__NO_TERM stands for 0.
int32_t tac__plus(tac__terms *pool, int32_t a, int32_t b);
int32_t tac__minus(tac__terms *pool, int32_t a);
int32_t tac__times(tac__terms *pool, int32_t factor, int32_t x);

// The tangent of an operation from the tangents of its operands.
int32_t tac__tangent(tac__terms *pool, tac__sym_op op, const int32_t operand[3], int32_t value,
                     const int32_t tangent[3]);

// An adjoint with what is known of it.
typedef struct tac__adjoint {
    int32_t term;
    bool gated; // 0 wherever a select does not choose this term, or an `along` makes it 0
    bool steep; // may be infinite or NaN because of the slope of a function
} tac__adjoint;

static inline tac__adjoint tac__no_adjoint(void)
{
    return (tac__adjoint){.term = TAC__NO_TERM};
}

// What operand k contributes to its adjoint by way of an operation with adjoint `w`. Where `w` is
// 0 because of a select the contribution is 0, even if slopes are infinite or NaN: that side is
// dead. Where a steep `w` meets a slope of 0 the contribution is 0, as that of a tangent would be.
tac__adjoint tac__adjoint_by(tac__terms *pool, tac__partial partial, tac__adjoint w);
tac__adjoint tac__adjoint_through(tac__terms *pool, tac__sym_op op, const int32_t operand[3],
                                  int32_t value, int k, tac__adjoint w);
void tac__adjoint_add(tac__terms *pool, tac__adjoint *sum, tac__adjoint w);

#endif
