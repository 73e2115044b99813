// read_given.h - reading parameters as numbers or as symbols: see given.h.
//
// Units NAME.given.h are written as model code, in the common part of C and C++, with `real` for
// what is computed. What depends on the value of a parameter in other ways than by arithmetic
// (which of two formulas, whether something is there at all) is decided as the configuration has
// it: given_value. A graph is refused for parameters with which that would change.
#ifndef TAC_MODEL_READ_GIVEN_H
#define TAC_MODEL_READ_GIVEN_H

#include "base/text.h"
#include "math/mat3.h"
#include "model/given.h"

#include <tactus/component.h>

#if !defined(TAC_KIND_F64) && !defined(TAC_KIND_SYM)
#error "parameters are read as numbers or as symbols"
#endif

// The longest list of numbers that is read at once.
enum { GIVEN_MAX = 64 };

// The value as configured.
static inline double given_value(real x)
{
#ifdef TAC_KIND_SYM
    return tac__sym_now(x.v);
#else
    return x;
#endif
}

static inline vec3 given_vec3(const given_real a[3])
{
    return vec3_make(a[0], a[1], a[2]);
}

// Row by row.
static inline mat3 given_mat3(const given_real a[9])
{
    return mat3_from_rows(given_vec3(a), given_vec3(a + 3), given_vec3(a + 6));
}

// A parameter: its unit, default and range are texts, or NULL, as in tac_param_def.
static inline tac_param_def given_def(const char *name, const char *unit, const char *fallback,
                                      const char *range, const char *doc, uint32_t flags)
{
    tac_param_def p = tac_param_def_default();
    p.name = name;
    p.unit = unit;
    p.fallback = fallback;
    p.range = range;
    p.doc = doc;
    p.flags = flags;
    return p;
}

// An element of the parameter that was read last.
static inline real given__element(const tac_declare *d, size_t element, double value)
{
#ifdef TAC_KIND_SYM
    tac__sym_value symbol;
    if (tac_param_symbol(d, element, (double *)(void *)&symbol))
        return real(symbol);
#endif
    (void)d;
    (void)element;
    return R(value);
}

static inline real given_number(tac_declare *d, const char *name, const char *unit,
                                const char *fallback, const char *range, const char *doc)
{
    const tac_param_def p = given_def(name, unit, fallback, range, doc, 0);
    const double value = tac_param_f64(d, &p);
    return given__element(d, 0, value);
}

// One that decides nothing but how a component goes on, not how it begins.
static inline real given_tunable(tac_declare *d, const char *name, const char *unit,
                                 const char *fallback, const char *range, const char *doc)
{
    const tac_param_def p = given_def(name, unit, fallback, range, doc, TAC_PARAM_TUNABLE);
    const double value = tac_param_f64(d, &p);
    return given__element(d, 0, value);
}

// One whose default has been read, or computed, before.
static inline real given_number_or(tac_declare *d, tac_param_def p, real fallback)
{
    char text[TAC__NUMBER_TEXT];
    tac__number_print(given_value(fallback), text);
    p.fallback = text;
    const double value = tac_param_f64(d, &p);
#ifdef TAC_KIND_SYM
    tac__sym_value symbol;
    if (!tac_param_symbol(d, 0, (double *)(void *)&symbol) && !tac_param_node(d, p.name))
        return fallback;
#endif
    return given__element(d, 0, value);
}

// `count` is at most GIVEN_MAX.
static inline void given_array(tac_declare *d, const tac_param_def *p, real *to, size_t count)
{
    double values[GIVEN_MAX];
    tac_param_array(d, p, values, count);
    for (size_t i = 0; i < count; i++)
        to[i] = given__element(d, i, values[i]);
}

// A list of up to `max` numbers; returns how many there are.
static inline size_t given_list(tac_declare *d, const tac_param_def *p, real *to, size_t max)
{
    size_t count;
    const double *values = tac_param_list(d, p, max, &count);
    for (size_t i = 0; i < count; i++)
        to[i] = given__element(d, i, values[i]);
    return count;
}

static inline size_t given_items(tac_declare *d, const char *name, const char *fallback,
                                 const char *doc, size_t max)
{
    const tac_param_def p = given_def(name, NULL, fallback, NULL, doc, 0);
    return tac_param_items(d, &p, max);
}

// A map, which may be absent.
static inline void given_begin(tac_declare *d, const char *name, const char *doc)
{
    (void)given_items(d, name, "{}", doc, 1);
    tac_param_begin(d, name, 0);
}

static inline int given_choice(tac_declare *d, const char *name, const char *fallback,
                               const char *doc, const char *const *names)
{
    const tac_param_def p = given_def(name, NULL, fallback, NULL, doc, 0);
    return tac_param_choice(d, &p, names);
}

#endif
