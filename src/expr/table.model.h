// table.model.h - tables of expressions as terms; see table.h. Of kind sym only.
#include "math/table.h"

#include "expr/table.h"

TAC_ENTRY void TAC_KINDED(tac__expr_table)(const tac__expr_points *p, const tac__sym_value *x,
                                           tac__sym_value *y)
{
    table1 t = {(int)p->count[0], p->numbers[0], p->numbers[1], TABLE_CLAMP, p->bend};
    *y = table1_at(&t, real(*x)).v;
}
