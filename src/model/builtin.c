// builtin.c - the list of built-in types, and what several of them share.
#include "model/builtin.h"
#include <tactus/math.h>

const tac_component_type *const tac__builtin_types[] = {
#define ROW(name, ...) &tac__##name##_type,
    TAC__BUILTIN_TABLE(ROW)
#undef ROW
        NULL,
};

bool tac__alike_always(const void *self, const void *other)
{
    (void)self;
    (void)other;
    return true;
}

bool tac__alike_shaped(const void *self, const void *other)
{
    return ((const tac__shaped *)self)->size == ((const tac__shaped *)other)->size;
}

tac__shaped tac__shaped_params(tac_declare *d)
{
    tac__shaped shaped;
    shaped.size = (uint32_t)tac_param_int(
        d, TAC_PARAM(.name = "size", .fallback = "1", .range = "[1, 64]",
                     .doc = "number of elements; 3 is a vector, 1 a single value"));
    shaped.unit =
        tac_param_text(d, TAC_PARAM(.name = "unit", .fallback = "1", .doc = "unit of the signals"));
    return shaped;
}

// Three elements are a vec3, so that they connect to one.
tac_type tac__shaped_type(const tac__shaped *shaped)
{
    const tac_shape shape = shaped->size == 1   ? TAC_SINGLE
                            : shaped->size == 3 ? TAC_VEC3
                                                : TAC_ARRAY;
    return (tac_type){TAC_F64, shape, shaped->size, NULL};
}

bool tac__whole_microseconds(double t_s, tac_time *t_us)
{
    const double us = t_s * 1e6, whole = tac_floor(us + 0.5);
    if (!(whole <= (double)TAC_TIME_MAX) || tac_fabs(us - whole) > 1e-15 * us)
        return false;
    *t_us = (tac_time)whole;
    return true;
}
