// params.c - see params.h.
#include "params.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    param_type type;
    param_value value;
} table[] = {
#define VALUE_I32(v)                                                                               \
    {                                                                                              \
        .i32 = v                                                                                   \
    }
#define VALUE_F32(v)                                                                               \
    {                                                                                              \
        .f32 = v                                                                                   \
    }
#define PARAM(name, type, number) {#name, PARAM_##type, VALUE_##type(number)},
    PARAMS(PARAM)
#undef PARAM
};

static const struct {
    const char *name;
    float value;
} rotor_table[] = {
#define ROTOR(name, number) {#name, number},
    ROTOR_PARAMS(ROTOR)
#undef ROTOR
};

void params_init(params *p)
{
    for (int i = 0; i < PARAM_ROTOR; i++)
        p->value[i] = table[i].value;
    for (int i = PARAM_ROTOR; i < PARAM_COUNT; i++)
        p->value[i].f32 = rotor_table[(i - PARAM_ROTOR) % ROTOR_FIELDS].value;
}

static int find_rotor(const char *name)
{
    int rotor, used = 0;
    if (sscanf(name, "CA_ROTOR%2d_%n", &rotor, &used) < 1 || used == 0 || rotor < 0 ||
        rotor >= ROTORS_MAX)
        return -2;
    for (int i = 0; i < ROTOR_FIELDS; i++) {
        char whole[32]; // so that CA_ROTOR00_PX is not taken
        snprintf(whole, sizeof whole, "CA_ROTOR%d_%s", rotor, rotor_table[i].name);
        if (strcmp(name, whole) == 0)
            return PARAM_ROTOR + rotor * ROTOR_FIELDS + i;
    }
    return -2;
}

int params_find(const char *name, param_type type)
{
    for (int i = 0; i < PARAM_ROTOR; i++) {
        if (strcmp(name, table[i].name) == 0)
            return table[i].type == type ? i : -3;
    }
    const int i = find_rotor(name);
    return i >= 0 && type != PARAM_F32 ? -3 : i;
}

double params_get(const params *p, param_id id)
{
    return (double)p->value[id].f32;
}

double params_rotor(const params *p, int rotor, int field)
{
    return (double)p->value[PARAM_ROTOR + rotor * ROTOR_FIELDS + field].f32;
}
