// roles.h - signals that are found by their role: reading their numbers in the unit of the role.
#ifndef TAC_CLI_ROLES_H
#define TAC_CLI_ROLES_H

#include "base/arena.h"

#include <tactus/engine.h>

#define CLI_DEGREES (180 / 3.14159265358979323846) // a radian

typedef struct cli_signal {
    int index; // -1: there is none
    tac_scalar scalar;
    uint32_t count;
    double scale; // from the unit of the signal to that of the role
} cli_signal;

static const cli_signal cli_signal_none = {-1, TAC_F64, 0, 1};

// Whether a signal is made of what its role asks for: type, elements, unit. One of another type
// counts as missing. `signal` is set where it is; NULL: not needed.
bool cli_role_fits(const tac_signal_info *info, int index, cli_signal *signal);

// The roles that each component has, as a set of CLI_ROLE; NULL: no memory.
#define CLI_ROLE(role) ((uint64_t)1 << (role))
uint64_t *cli_roles_of(const tac_engine *engine, tac__arena *arena);

// A vehicle along a road, or one that says its height: not reported as a flight.
#define CLI_ROLES_NO_FLIGHT (CLI_ROLE(TAC_ROLE_DISTANCE) | CLI_ROLE(TAC_ROLE_HEIGHT))

// The first `n` elements; false, and NaN, where it cannot be read.
bool cli_signal_read(tac_engine *engine, const cli_signal *signal, double *to, size_t n);
double cli_signal_number(tac_engine *engine, const cli_signal *signal);

#endif
