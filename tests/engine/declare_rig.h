// declare_rig.h - what tests of `declare` share: types of a few lines, one component from YAML.
#ifndef TAC_TESTS_ENGINE_DECLARE_RIG_H
#define TAC_TESTS_ENGINE_DECLARE_RIG_H

#include "engine/test_rig.h"

#define TYPE(type_name, ...)                                                                       \
    {                                                                                              \
        .size = sizeof(tac_component_type), .name = type_name, .version = "1", __VA_ARGS__         \
    }

// The types of a test.
static inline void use(const tac_component_type *a, const tac_component_type *b)
{
    rig_types[0] = a;
    rig_types[1] = b;
}

static inline tac_status idle_step(tac_step *s, const void *self)
{
    (void)s;
    (void)self;
    return TAC_OK;
}

// One component in a rate group; its parameters begin in line 7.
#define ONE(type, params)                                                                          \
    "duration: 10 ms\n"                                                                            \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [c]}]}\n"                       \
    "components:\n"                                                                                \
    "  c:\n"                                                                                       \
    "    type: " type "\n"                                                                         \
    "    params:\n" params

static inline uint64_t model_hash(const char *text)
{
    rig r;
    rig_open(&r, text);
    const uint64_t hash = tac_engine_model_hash(r.engine);
    rig_close(&r);
    return hash;
}

#endif
