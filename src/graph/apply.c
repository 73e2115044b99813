// apply.c - the operations of graphs on numbers: what a constant operation gives.
#define TAC_KIND_F64
#include "graph/terms.h"
#include "math/real.h"

static double along(double slope, double d)
{
    return d == 0 ? 0 : slope * d;
}

double tac__op_apply(tac__sym_op op, double a, double b, double c)
{
    switch (op) {
    case TAC__SYM_neg:
        return -a;
    case TAC__SYM_add:
        return a + b;
    case TAC__SYM_sub:
        return a - b;
    case TAC__SYM_mul:
        return a * b;
    case TAC__SYM_div:
        return a / b;
    case TAC__SYM_lt:
        return a < b;
    case TAC__SYM_le:
        return a <= b;
    case TAC__SYM_eq:
        return a == b;
    case TAC__SYM_logic_and:
        return a != 0 && b != 0;
    case TAC__SYM_logic_or:
        return a != 0 || b != 0;
    case TAC__SYM_logic_not:
        return a == 0;
    case TAC__SYM_select:
        return a != 0 ? b : c;
    case TAC__SYM_min:
        return r_min(a, b);
    case TAC__SYM_max:
        return r_max(a, b);
    case TAC__SYM_along:
        return along(a, b);
    case TAC__SYM_abs:
        return r_abs(a);
    case TAC__SYM_sqrt:
        return r_sqrt(a);
    case TAC__SYM_floor:
        return r_floor(a);
    case TAC__SYM_fmod:
        return r_fmod(a, b);
#define APPLY_1(name, accuracy)                                                                    \
    case TAC__SYM_##name:                                                                          \
        return r_##name(a);
#define APPLY_2(name, accuracy)                                                                    \
    case TAC__SYM_##name:                                                                          \
        return r_##name(a, b);
        TAC__ELEMENTARY_1(APPLY_1)
        TAC__ELEMENTARY_2(APPLY_2)
    default:
        return (double)NAN; // constants, inputs, tables and loops are no operations on numbers
    }
}
