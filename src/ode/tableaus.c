// tableaus.c - the tables of all explicit methods, for code that takes steps in another arithmetic
// than that of doubles.
#include "ode/dop853.table.h"
#include "ode/euler.table.h"
#include "ode/rk23.table.h"
#include "ode/rk4.table.h"
#include "ode/rk45.table.h"

#include <string.h>

const tac__tableau *tac__tableau_of(const tac__method *method)
{
    static const struct {
        const char *name;
        const tac__tableau *table;
    } all[] = {
        {"euler", &tac__euler_table}, {"rk4", &tac__rk4_table},       {"rk23", &tac__rk23_table},
        {"rk45", &tac__rk45_table},   {"dop853", &tac__dop853_table},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!strcmp(all[i].name, method->name))
            return all[i].table;
    }
    return NULL;
}
