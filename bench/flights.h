// flights.h - flights from the examples, for benchmarks.
#ifndef TAC_BENCH_FLIGHTS_H
#define TAC_BENCH_FLIGHTS_H

#include "bench.h"
#include "engine/run/state.h"
#include <tactus/config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check(tac_status status, const tac_error *err)
{
    if (status == TAC_OK)
        return;
    char text[4096];
    tac_error_print(err, text, sizeof text);
    fprintf(stderr, "%s", text);
    exit(1);
}

typedef struct flight {
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
} flight;

static void load(flight *f, const char *path, const char *const *sets, size_t count)
{
    tac_error err;
    check(tac_registry_create(NULL, &f->registry, &err), &err);
    tac_config_def def = tac_config_def_default();
    def.registry = f->registry;
    def.sets = sets;
    def.set_count = count;
    check(tac_config_load(path, &def, &f->config, &err), &err);
    f->engine = NULL;
}

// An engine of it, with whatever `watch` adds before it is prepared.
static void build(flight *f, void (*watch)(flight *f, void *context), void *context)
{
    tac_error err;
    const tac_engine_def def = tac_config_engine_def(f->config);
    tac_engine_destroy(f->engine);
    check(tac_config_build_unprepared(f->config, &def, &f->engine, &err), &err);
    if (watch)
        watch(f, context);
    check(tac_engine_prepare(f->engine, &err), &err);
}

#endif
