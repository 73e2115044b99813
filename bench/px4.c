// What the bridge to PX4 costs in a tick: all of it, with the stand-in in place of PX4 publishing
// as usual but computing nothing.
#include "bench.h"
#include "engine/run/state.h"

#include <stdlib.h>
#include <string.h>
#include <tactus/tactus.h>

enum { TICKS = 5000, BURSTS = 40, PERIOD_US = 4000 };

typedef struct job {
    tac_instance *control;
    tac_time t_us;
} job;

static void check(tac_status status, const tac_error *err)
{
    if (status == TAC_OK)
        return;
    fprintf(stderr, "bench: %s\n", err->text);
    exit(1);
}

static void tick(void *context)
{
    job *j = context;
    tac_instance *c = j->control;
    for (int i = 0; i < TICKS; i++) {
        c->step.t_us = j->t_us += PERIOD_US;
        if (c->run(&c->step, c->run_self) != TAC_OK)
            exit(1);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    // The stand-in lies beside: build-bench/bench/bench_px4, build-bench/tests/libpx4_standin.so.
    char library[1024];
    const char *slash = strrchr(argv[0], '/');
    snprintf(library, sizeof library, "%.*s/../tests/libpx4_standin.so",
             (int)(slash ? slash - argv[0] : 1), slash ? argv[0] : ".");
    setenv("PX4_LOCKSTEP_LIB", library, 1);
    setenv("PX4_STANDIN_CONTROLLER", "off", 1);

    tac_error err;
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    check(tac_registry_create(NULL, &registry, &err), &err);
    tac_config_def def = tac_config_def_default();
    def.registry = registry;
    check(tac_config_load("examples/iris_px4.yaml", &def, &config, &err), &err);
    tac_engine_def engine_def = tac_config_engine_def(config);
    check(tac_config_build(config, &engine_def, &engine, &err), &err);
    check(tac_engine_run(engine, 3000000, &err), &err);

    job j = {.t_us = tac_engine_time(engine)};
    for (size_t i = 0; i < engine->plan->component_count; i++) {
        if (!strcmp(engine->plan->components[i]->type->name, "px4"))
            j.control = engine->instances[i];
    }
    engine->err = &err;
    const double best_s = bench_best_s(tick, &j, BURSTS);
    bench_report("PX4's bridge, one tick", 1e6 * best_s / TICKS, "us", "<= 3",
                 "10 topics out, 8 in; the stand-in without its controller included");
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    tac_registry_destroy(registry);
    return 0;
}
