// roles.c - what a signal of each role must be made of.
#include "cli/roles.h"
#include "base/unit.h"

#include <math.h>
#include <string.h>

static const struct {
    bool whole;     // its numbers need not be f64
    uint32_t least; // elements
    const char *unit;
} shapes[TAC_ROLE_COUNT] = {
    [TAC_ROLE_POSITION] = {false, 3, "m"},
    [TAC_ROLE_ATTITUDE] = {false, 4, "1"},
    [TAC_ROLE_SOC] = {false, 1, "1"},
    [TAC_ROLE_VOLTAGE] = {false, 1, "V"},
    [TAC_ROLE_CONTACT] = {false, 1, "1"},
    [TAC_ROLE_ROTOR_SPEED] = {false, 1, "rad/s"},
    [TAC_ROLE_MOTOR] = {false, 1, "1"},
    [TAC_ROLE_LANDED] = {true, 1, "1"},
    [TAC_ROLE_ARMED] = {true, 1, "1"},
    [TAC_ROLE_MISSION_REACHED] = {true, 1, "1"},
    [TAC_ROLE_MISSION_TOTAL] = {true, 1, "1"},
    [TAC_ROLE_REFERENCE] = {false, 3, "m"},
    [TAC_ROLE_VELOCITY] = {false, 3, "m/s"},
    [TAC_ROLE_HULL] = {false, 1, "1"},
    [TAC_ROLE_HEIGHT] = {false, 1, "m"},
    [TAC_ROLE_SPEED] = {false, 1, "m/s"},
    [TAC_ROLE_MACH] = {false, 1, "1"},
    [TAC_ROLE_DYNAMIC_PRESSURE] = {false, 1, "Pa"},
    [TAC_ROLE_FUEL] = {false, 1, "kg"},
    [TAC_ROLE_DISTANCE] = {false, 1, "m"},
    [TAC_ROLE_INERTIAL_POSITION] = {false, 3, "m"},
    [TAC_ROLE_INERTIAL_VELOCITY] = {false, 3, "m/s"},
    [TAC_ROLE_ENERGY] = {false, 1, "J/kg"},
};

// From the unit of a signal to that of its role. Where no unit is given, that of the role is meant:
// plugins may leave it out.
static bool find_scale(const char *unit, const char *wanted, double *scale)
{
    tac__unit from, to;
    tac_error err;
    *scale = 1;
    if (!unit[0] || !strcmp(unit, "1") || !strcmp(unit, wanted))
        return true;
    if (tac__unit_parse(unit, &from, &err) != TAC_OK ||
        tac__unit_parse(wanted, &to, &err) != TAC_OK)
        return false;
    if (!tac__unit_compatible(&from, &to))
        return false;
    *scale = tac__factor_apply(tac__unit_factor(&from, &to), 1);
    return true;
}

bool cli_role_fits(const tac_signal_info *s, int index, cli_signal *signal)
{
    cli_signal found = {index, s->type.scalar, s->type.count, 1};
    if (s->role == TAC_ROLE_NONE || s->type.count < shapes[s->role].least ||
        (s->type.scalar != TAC_F64 && !shapes[s->role].whole) ||
        !find_scale(s->unit, shapes[s->role].unit, &found.scale))
        return false;
    if (signal)
        *signal = found;
    return true;
}

bool cli_signal_read(tac_engine *engine, const cli_signal *s, double *to, size_t n)
{
    const void *value = s->index < 0 ? NULL : tac_engine_read(engine, s->index);
    for (size_t i = 0; i < n; i++) {
        if (!value || i >= s->count)
            to[i] = (double)NAN;
        else if (s->scalar == TAC_F64)
            to[i] = ((const double *)value)[i] * s->scale;
        else if (s->scalar == TAC_I64)
            to[i] = (double)((const int64_t *)value)[i];
        else if (s->scalar == TAC_BOOL)
            to[i] = ((const bool *)value)[i];
        else
            to[i] = ((const int32_t *)value)[i];
    }
    return value != NULL;
}

uint64_t *cli_roles_of(const tac_engine *engine, tac__arena *arena)
{
    uint64_t *roles =
        tac__arena_array(arena, tac_engine_sizes(engine).components + 1, sizeof *roles);
    for (size_t i = 0; roles && i < tac_engine_signal_count(engine); i++) {
        const tac_signal_info s = tac_engine_signal_info(engine, (int)i);
        if (cli_role_fits(&s, (int)i, NULL))
            roles[s.component] |= CLI_ROLE(s.role);
    }
    return roles;
}

double cli_signal_number(tac_engine *engine, const cli_signal *signal)
{
    double value;
    cli_signal_read(engine, signal, &value, 1);
    return value;
}
