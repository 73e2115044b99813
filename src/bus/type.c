// type.c - sizes, names and printing of the types that a signal can have.
#include "bus/type.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} scalars[] = {
    [TAC_F64] = {"f64", sizeof(double)},    [TAC_I32] = {"i32", sizeof(int32_t)},
    [TAC_I64] = {"i64", sizeof(int64_t)},   [TAC_BOOL] = {"bool", sizeof(bool)},
    [TAC_ENUM] = {"enum", sizeof(int32_t)},
};

enum { SCALARS = sizeof scalars / sizeof *scalars, COUNT_MAX = 1 << 16 };

size_t tac__scalar_size(tac_scalar scalar)
{
    return scalars[scalar].size;
}

double tac__scalar_f64(tac_scalar scalar, const void *value, size_t i)
{
    switch (scalar) {
    case TAC_F64:
        return ((const double *)value)[i];
    case TAC_I64:
        return (double)((const int64_t *)value)[i];
    case TAC_BOOL:
        return ((const bool *)value)[i];
    case TAC_I32:
    case TAC_ENUM:
        break;
    }
    return ((const int32_t *)value)[i];
}

size_t tac__type_size(const tac_type *type)
{
    return scalars[type->scalar].size * type->count;
}

size_t tac__type_words(const tac_type *type)
{
    return (tac__type_size(type) + 7) / 8;
}

size_t tac__type_labels(const tac_type *type)
{
    size_t n = 0;
    while (type->scalar == TAC_ENUM && type->labels[n])
        n++;
    return n;
}

bool tac__type_same(const tac_type *a, const tac_type *b)
{
    if (a->scalar != b->scalar || a->shape != b->shape || a->count != b->count)
        return false;
    if (a->scalar != TAC_ENUM || a->labels == b->labels)
        return true;
    for (size_t i = 0;; i++) {
        if (!a->labels[i] || !b->labels[i])
            return !a->labels[i] && !b->labels[i];
        if (strcmp(a->labels[i], b->labels[i]))
            return false;
    }
}

void tac__type_rest(const tac_type *type, void *value)
{
    memset(value, 0, tac__type_words(type) * 8);
    if (type->shape == TAC_QUAT)
        ((double *)value)[0] = 1;
}

bool tac__type_rests(const tac_type *type, const void *value)
{
    const double one = 1;
    const size_t first = type->shape == TAC_QUAT, words = tac__type_words(type);
    const uint64_t *bits = value;
    bool rests = !first || !memcmp(bits, &one, sizeof one);
    for (size_t i = first; i < words; i++)
        rests &= bits[i] == 0;
    return rests;
}

tac_status tac__type_check(const tac_type *type, const char *what, tac_error *err)
{
    const bool shape_fits = type->shape == TAC_SINGLE  ? type->count == 1
                            : type->shape == TAC_ARRAY ? type->count > 0
                            : type->shape == TAC_VEC3  ? type->count == 3
                                                       : type->count == 4;
    if ((unsigned)type->scalar >= SCALARS || (unsigned)type->shape > TAC_QUAT || !shape_fits ||
        type->count > COUNT_MAX)
        return tac__fail(err, TAC_E_TYPE, "%s: not a valid type (%u elements)", what, type->count);
    if (type->shape >= TAC_VEC3 && type->scalar != TAC_F64)
        return tac__fail(err, TAC_E_TYPE, "%s: vec3 and quat are made of f64", what);
    if (type->scalar == TAC_ENUM && (!type->labels || !type->labels[0]))
        return tac__fail(err, TAC_E_TYPE, "%s: an enum needs labels", what);
    return TAC_OK;
}

void tac_type_print(const tac_type *type, char *text, size_t size)
{
    tac__out out = tac__out_begin(text, size);
    if (type->shape == TAC_VEC3 || type->shape == TAC_QUAT) {
        tac__out_add(&out, type->shape == TAC_VEC3 ? "vec3" : "quat");
        return;
    }
    tac__out_add(&out, "%s", scalars[type->scalar].name);
    if (type->scalar == TAC_ENUM) {
        for (size_t i = 0; type->labels[i]; i++)
            tac__out_add(&out, "%s%s", i ? "," : "{", type->labels[i]);
        tac__out_add(&out, "}");
    }
    if (type->shape == TAC_ARRAY)
        tac__out_add(&out, "[%u]", type->count);
}

static void print_element(tac__out *out, const tac_type *type, const void *value, size_t i)
{
    char number[TAC__NUMBER_TEXT];
    switch (type->scalar) {
    case TAC_F64:
        tac__number_print(((const double *)value)[i], number);
        tac__out_add(out, "%s", number);
        break;
    case TAC_I32:
        tac__out_add(out, "%" PRId32, ((const int32_t *)value)[i]);
        break;
    case TAC_I64:
        tac__out_add(out, "%" PRId64, ((const int64_t *)value)[i]);
        break;
    case TAC_BOOL:
        tac__out_add(out, ((const bool *)value)[i] ? "true" : "false");
        break;
    case TAC_ENUM: {
        const int32_t n = ((const int32_t *)value)[i];
        int32_t known = 0;
        while (type->labels[known] && known < n)
            known++;
        if (n >= 0 && known == n && type->labels[n])
            tac__out_add(out, "%s", type->labels[n]);
        else
            tac__out_add(out, "%" PRId32, n);
        break;
    }
    }
}

void tac__value_print(const tac_type *type, const void *value, char *text, size_t size)
{
    tac__out out = tac__out_begin(text, size);
    if (type->shape == TAC_SINGLE) {
        print_element(&out, type, value, 0);
        return;
    }
    for (size_t i = 0; i < type->count; i++) {
        tac__out_add(&out, i ? ", " : "[");
        print_element(&out, type, value, i);
    }
    tac__out_add(&out, "]");
}

// --- names of stages, policies and roles ------------------------------------------------------

static const char *const stage_names[] = {
#define NAME(name, text, steps, doc) text,
    TAC_STAGE_TABLE(NAME)
#undef NAME
};

static const char *const policy_names[] = {
#define NAME(name, doc) #name,
    TAC_POLICY_TABLE(NAME)
#undef NAME
};

static const char *const role_names[] = {
#define NAME(name, text, doc) text,
    TAC_ROLE_TABLE(NAME)
#undef NAME
};

const char *tac_stage_name(tac_stage stage)
{
    return (unsigned)stage < TAC_STAGE_COUNT ? stage_names[stage] : "?";
}

const char *tac_policy_name(tac_policy policy)
{
    return (unsigned)policy < TAC_POLICY_COUNT ? policy_names[policy] : "?";
}

const char *tac_role_name(tac_role role)
{
    return (unsigned)role < TAC_ROLE_COUNT ? role_names[role] : "?";
}

static bool same_word(const char *a, const char *b)
{
    while (*a && tac__to_lower(*a) == tac__to_lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

bool tac_stage_parse(const char *name, tac_stage *stage)
{
    for (int i = 0; i < TAC_STAGE_COUNT; i++) {
        if (same_word(name, stage_names[i])) {
            *stage = (tac_stage)i;
            return true;
        }
    }
    return false;
}

bool tac_policy_parse(const char *name, tac_policy *policy)
{
    for (int i = 0; i < TAC_POLICY_COUNT; i++) {
        if (same_word(name, policy_names[i])) {
            *policy = (tac_policy)i;
            return true;
        }
    }
    return false;
}

void tac_element_print(const tac_type *type, uint32_t element, char text[TAC_ELEMENT_TEXT])
{
    tac__out out = tac__out_begin(text, TAC_ELEMENT_TEXT);
    if (type->shape == TAC_ARRAY)
        tac__out_add(&out, "[%u]", element);
    else if (type->shape != TAC_SINGLE)
        tac__out_add(&out, ".%c", "wxyz"[(element + (type->shape == TAC_VEC3)) % 4]);
}
