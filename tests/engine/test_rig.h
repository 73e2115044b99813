// test_rig.h - what tests of the engine share: engines from YAML, a source whose values are known
// in advance, a probe that remembers what it saw.
#ifndef TAC_TESTS_ENGINE_TEST_RIG_H
#define TAC_TESTS_ENGINE_TEST_RIG_H

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/tactus.h>
#include <unistd.h>

// --- the source ---------------------------------------------------------------------------------

// What a source writes at t: element i. Any function will do that is exact and never smooth.
static inline double rig_value(tac_time t_us, unsigned i)
{
    return (double)((t_us * 7919 + i * UINT64_C(104729) + 12345) % 1000003) / 1009.0 - 300.0;
}

static inline double rig_rate(tac_time t_us, unsigned i)
{
    return rig_value(t_us * 3 + 17, i + 5);
}

// A unit quaternion about (1, 2, 2) / 3, of either sign.
static inline void rig_quat(tac_time t_us, double q[4])
{
    const double angle = (double)(t_us % 99991) / 99991.0 * 3.0;
    double s, c;
    tac_sincos(0.5 * angle, &s, &c);
    const double sign = t_us / 1000 % 3 == 1 ? -1 : 1;
    q[0] = sign * c;
    q[1] = sign * s / 3;
    q[2] = sign * s * 2 / 3;
    q[3] = sign * s * 2 / 3;
}

static const char *const rig_labels[] = {"LOW", "MIDDLE", "HIGH", NULL};
static const char *const rig_kinds[] = {"f64", "vec3", "quat", "i32", "i64", "bool", "enum", NULL};
enum { RIG_F64, RIG_VEC3, RIG_QUAT, RIG_I32, RIG_I64, RIG_BOOL, RIG_ENUM };

static inline int64_t rig_whole(tac_time t_us)
{
    return (int64_t)(t_us / 1000 % 1000) - 7;
}

typedef struct rig_part {
    int kind;
    unsigned count;
    const char *name;
    bool derivative;
    void *extra;
} rig_part;

static inline tac_type rig_type(const rig_part *p)
{
    switch (p->kind) {
    case RIG_VEC3:
        return (tac_type)TAC_TYPE_VEC3;
    case RIG_QUAT:
        return (tac_type)TAC_TYPE_QUAT;
    case RIG_I32:
        return (tac_type)TAC_TYPE_I32;
    case RIG_I64:
        return (tac_type)TAC_TYPE_I64;
    case RIG_BOOL:
        return (tac_type)TAC_TYPE_BOOL;
    case RIG_ENUM:
        return (tac_type)TAC_TYPE_ENUM(rig_labels);
    default:
        return (tac_type)TAC_TYPE_F64;
    }
}

static inline const char *rig_params(tac_declare *d, rig_part *p)
{
    p->kind = tac_param_choice(d, TAC_PARAM(.name = "kind", .fallback = "f64"), rig_kinds);
    p->count = p->kind == RIG_VEC3 ? 3 : p->kind == RIG_QUAT ? 4 : 1;
    p->name = tac_declare_name(d);
    return tac_param_text(d, TAC_PARAM(.name = "unit", .fallback = "1"));
}

static inline tac_status rig_source_declare(tac_declare *d, void *self)
{
    rig_part *p = self;
    const char *unit = rig_params(d, p);
    p->derivative = tac_param_bool(d, TAC_PARAM(.name = "derivative", .fallback = "false"));
    tac_port_def y = TAC_DEF(tac_port_def, .name = "y", .type = rig_type(p), .unit = unit);
    if (p->derivative) {
        y.derivative = "rate";
        tac_declare_output(d, &y);
        rig_part rate = *p;
        rate.kind = p->kind == RIG_QUAT ? RIG_VEC3 : p->kind;
        tac_declare_output(d, TAC_PORT(.name = "rate", .type = rig_type(&rate)));
    } else {
        tac_declare_output(d, &y);
    }
    return TAC_OK;
}

static inline tac_status rig_source_step(tac_step *s, const void *self)
{
    const rig_part *p = self;
    switch (p->kind) {
    case RIG_F64:
    case RIG_VEC3:
        for (unsigned i = 0; i < p->count; i++)
            TAC_OUT(s, double, 0)[i] = rig_value(s->t_us, i);
        break;
    case RIG_QUAT:
        rig_quat(s->t_us, TAC_OUT(s, double, 0));
        break;
    case RIG_I32:
        *TAC_OUT(s, int32_t, 0) = (int32_t)rig_whole(s->t_us);
        break;
    case RIG_I64:
        *TAC_OUT(s, int64_t, 0) = rig_whole(s->t_us);
        break;
    case RIG_BOOL:
        *TAC_OUT(s, bool, 0) = rig_whole(s->t_us) & 1;
        break;
    default:
        *TAC_OUT(s, int32_t, 0) = (int32_t)(s->t_us / 1000 % 3);
    }
    for (unsigned i = 0; p->derivative && i < (p->kind == RIG_VEC3 || p->kind == RIG_QUAT ? 3 : 1);
         i++)
        TAC_OUT(s, double, 1)[i] = rig_rate(s->t_us, i);
    return TAC_OK;
}

static const tac_component_type rig_source_type = {.size = sizeof(tac_component_type),
                                                   .name = "source",
                                                   .version = "1",
                                                   .stage = TAC_STAGE_ENVIRONMENT,
                                                   .self_size = sizeof(rig_part),
                                                   .declare = rig_source_declare,
                                                   .kernels[TAC_NUMBERS].step = rig_source_step};

// --- the probe ----------------------------------------------------------------------------------

typedef struct rig_sample {
    const char *name;
    tac_time t_us;
    double f64[4];
    int64_t whole;
} rig_sample;

enum { RIG_SAMPLES = 200000 };
static rig_sample rig_samples[RIG_SAMPLES];
static size_t rig_sample_count;

static inline tac_status rig_probe_declare(tac_declare *d, void *self)
{
    rig_part *p = self;
    const char *unit = rig_params(d, p);
    tac_declare_input(d, TAC_PORT(.name = "u", .type = rig_type(p), .unit = unit));
    return TAC_OK;
}

static inline tac_status rig_probe_step(tac_step *s, const void *self)
{
    const rig_part *p = self;
    if (rig_sample_count == RIG_SAMPLES)
        return tac_fail(s, "too many samples");
    rig_sample *m = &rig_samples[rig_sample_count++];
    *m = (rig_sample){.name = p->name, .t_us = s->t_us};
    if (p->kind <= RIG_QUAT)
        memcpy(m->f64, s->in[0], p->count * sizeof(double));
    else if (p->kind == RIG_I64)
        m->whole = *TAC_IN(s, int64_t, 0);
    else if (p->kind == RIG_BOOL)
        m->whole = *TAC_IN(s, bool, 0);
    else
        m->whole = *TAC_IN(s, int32_t, 0);
    return TAC_OK;
}

static const tac_component_type rig_probe_type = {.size = sizeof(tac_component_type),
                                                  .name = "probe",
                                                  .version = "1",
                                                  .stage = TAC_STAGE_CONTROL,
                                                  .self_size = sizeof(rig_part),
                                                  .declare = rig_probe_declare,
                                                  .kernels[TAC_NUMBERS].step = rig_probe_step};

// --- engines from YAML --------------------------------------------------------------------------

typedef struct rig {
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    tac_error err;
} rig;

static const tac_component_type *rig_types[8]; // more types, for a test of its own
static void (*rig_tune)(tac_engine_def *def);  // what a configuration cannot say; NULL: nothing

// Everything up to prepare; the first status that is not TAC_OK. Call rig_close in any case.
// Without a text it is the file `name`.
static inline tac_status rig_try_all(rig *r, const char *name, const char *text,
                                     const char *const *sets, size_t count)
{
    *r = (rig){0};
    tac_error_clear(&r->err);
    rig_sample_count = 0;
    assert_int_equal(tac_registry_create(NULL, &r->registry, &r->err), TAC_OK);
    assert_int_equal(tac_registry_add(r->registry, &rig_source_type, &r->err), TAC_OK);
    assert_int_equal(tac_registry_add(r->registry, &rig_probe_type, &r->err), TAC_OK);
    for (size_t i = 0; i < 8 && rig_types[i]; i++)
        assert_int_equal(tac_registry_add(r->registry, rig_types[i], &r->err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = r->registry;
    def.sets = sets;
    def.set_count = count;
    const tac_status status =
        text ? tac_config_parse(name, text, strlen(text), &def, &r->config, &r->err)
             : tac_config_load(name, &def, &r->config, &r->err);
    if (status != TAC_OK)
        return status;
    tac_engine_def engine_def = tac_config_engine_def(r->config);
    if (rig_tune)
        rig_tune(&engine_def);
    return tac_config_build(r->config, &engine_def, &r->engine, &r->err);
}

static inline tac_status rig_try_sets(rig *r, const char *text, const char *const *sets,
                                      size_t count)
{
    return rig_try_all(r, "test.yaml", text, sets, count);
}

// As if it were written in the folder of `name`.
static inline tac_status rig_try_named(rig *r, const char *name, const char *text)
{
    return rig_try_all(r, name, text, NULL, 0);
}

static inline tac_status rig_try(rig *r, const char *text)
{
    return rig_try_sets(r, text, NULL, 0);
}

static inline void rig_close(rig *r)
{
    tac_engine_destroy(r->engine);
    tac_config_destroy(r->config);
    tac_registry_destroy(r->registry);
    *r = (rig){0};
}

static inline void rig_show(const rig *r)
{
    static char text[8192];
    tac_error_print(&r->err, text, sizeof text);
    print_error("%s\n", text);
}

static inline void rig_open(rig *r, const char *text)
{
    if (rig_try(r, text) != TAC_OK) {
        rig_show(r);
        fail_msg("cannot be built");
    }
}

// A file of examples/, or a text that stands for one there.
static inline void rig_example(rig *r, const char *name, const char *text, const char *const *sets,
                               size_t count)
{
    const char *source = getenv("TACTUS_SOURCE");
    char root[512], path[700];
    snprintf(root, sizeof root, "%s", source ? source : __FILE__);
    for (int i = 0; !source && i < 3; i++)
        *strrchr(root, '/') = '\0';
    snprintf(path, sizeof path, "%s/examples/%s", root, name);
    if (rig_try_all(r, path, text, sets, count) != TAC_OK) {
        rig_show(r);
        fail_msg("'%s' cannot be built", path);
    }
}

static inline void rig_run(rig *r, tac_time until_us)
{
    if (tac_engine_run(r->engine, until_us, &r->err) != TAC_OK) {
        rig_show(r);
        fail_msg("the run failed");
    }
}

// Must be refused, before or in the run, with a text that holds `part`.
static inline void rig_refused(const char *text, tac_status expected, const char *part)
{
    rig r;
    tac_status status = rig_try(&r, text);
    if (status == TAC_OK)
        status = tac_engine_run(r.engine, TAC_TIME_NEVER, &r.err);
    if (status != expected || r.err.status != expected || !strstr(r.err.text, part)) {
        rig_show(&r);
        fail_msg("expected %s and '%s', got %s", tac_status_name(expected), part,
                 tac_status_name(status));
    }
    rig_close(&r);
}

// Must be refused at a line and a column (0: any) of the text, with `part` in what it says.
static inline void rig_refused_at(const char *text, tac_status expected, unsigned line,
                                  unsigned column, const char *part)
{
    rig r;
    const tac_status status = rig_try(&r, text);
    if (status != expected || r.err.line != line || (column && r.err.column != column) ||
        !strstr(r.err.text, part)) {
        rig_show(&r);
        fail_msg("expected %s, '%s' at %u:%u; got %s at %u:%u", tac_status_name(expected), part,
                 line, column, tac_status_name(status), r.err.line, r.err.column);
    }
    rig_close(&r);
}

static inline const void *rig_read(rig *r, const char *signal)
{
    const int i = tac_engine_find_signal(r->engine, signal);
    if (i < 0)
        fail_msg("no signal '%s'", signal);
    return tac_engine_read(r->engine, i);
}

static inline double rig_f64(rig *r, const char *signal)
{
    return *(const double *)rig_read(r, signal);
}

static inline int64_t rig_i64(rig *r, const char *signal)
{
    return *(const int64_t *)rig_read(r, signal);
}

static inline void rig_same(double got, double expected, const char *what, tac_time t_us)
{
    if (memcmp(&got, &expected, sizeof got))
        fail_msg("%s at %llu us: %.17g, expected %.17g", what, (unsigned long long)t_us, got,
                 expected);
}

#endif
