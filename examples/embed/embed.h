// embed.h - what the programs of this folder share: an engine from a file, and the end of the
// program where something fails. Everything else of them is in <tactus/tactus.h>.
#ifndef EMBED_H
#define EMBED_H

#include <stdio.h>
#include <stdlib.h>
#include <tactus/tactus.h>

// Call a function of Tactus that takes a tac_error last: EMBED_TRY(tac_engine_run, engine, 1000).
#define EMBED_TRY(function, ...)                                                                   \
    do {                                                                                           \
        tac_error embed_error;                                                                     \
        if (function(__VA_ARGS__, &embed_error) != TAC_OK)                                         \
            embed_fail(&embed_error);                                                              \
    } while (0)

// Something that must be so; else the program ends with exit code 1, and its test fails.
#define EMBED_CHECK(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static inline void embed_fail(const tac_error *err)
{
    char text[4096];
    tac_error_print(err, text, sizeof text);
    fputs(text, stderr);
    exit(1);
}

// An engine and what it was made from.
typedef struct embed {
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
} embed;

// From a file to an engine that is ready to run.
static inline embed embed_load(const char *path)
{
    embed m = {NULL, NULL, NULL};
    EMBED_TRY(tac_registry_create, NULL, &m.registry);
    tac_config_def def = tac_config_def_default();
    def.registry = m.registry;
    EMBED_TRY(tac_config_load, path, &def, &m.config);
    tac_engine_def engine_def = tac_config_engine_def(m.config);
    EMBED_TRY(tac_config_build, m.config, &engine_def, &m.engine);
    return m;
}

static inline void embed_free(embed *m)
{
    tac_engine_destroy(m->engine);
    tac_config_destroy(m->config);
    tac_registry_destroy(m->registry);
}

#endif
