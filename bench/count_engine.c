// Instructions of the engine itself, counted under callgrind by bench/run: digests are off, the
// components do nothing, and what their empty functions cost is counted too.
#include "base/def.h"
#include <tactus/engine.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPONENTS = 64, DISPATCH_STEPS = 100 };

static tac_status step(tac_step *s, const void *self)
{
    (void)s;
    (void)self;
    return TAC_OK;
}

static const tac_component_type idle = {.size = sizeof(tac_component_type),
                                        .name = "idle",
                                        .version = "1",
                                        .flags = TAC__COMPONENT_BUILTIN,
                                        .stage = TAC_STAGE_CONTROL,
                                        .kernels[TAC_NUMBERS].step = step};

// The same from elsewhere: after each step the floating-point environment is looked at.
static const tac_component_type foreign = {.size = sizeof(tac_component_type),
                                           .name = "foreign",
                                           .version = "1",
                                           .stage = TAC_STAGE_CONTROL,
                                           .kernels[TAC_NUMBERS].step = step};

static void check(tac_status status, const tac_error *err)
{
    if (status != TAC_OK) {
        fprintf(stderr, "%s\n", err->text);
        exit(1);
    }
}

// `groups` axes; the first has `first` components, the others one each.
static tac_engine *make(const tac_component_type *type, const tac_time *periods, int groups,
                        int first, tac_time end_us)
{
    tac_error err;
    tac_engine *engine;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = end_us;
    def.digests = false;
    check(tac_engine_create(&def, &engine, &err), &err);
    for (int g = 0; g < groups; g++) {
        char name[16];
        snprintf(name, sizeof name, "g%d", g);
        tac_group_def group = tac_group_def_default();
        group.name = name;
        group.period_us = periods[g];
        check(tac_engine_add_group(engine, &group, &err), &err);
        for (int i = 0; i < (g == 0 ? first : 1); i++) {
            char component_name[32];
            snprintf(component_name, sizeof component_name, "c%d_%d", g, i);
            tac_component_def c = tac_component_def_default();
            c.name = component_name;
            c.type = type;
            c.group = name;
            check(tac_engine_add_component(engine, &c, &err), &err);
        }
    }
    check(tac_engine_prepare(engine, &err), &err);
    return engine;
}

static void run(tac_engine *engine)
{
    tac_error err;
    check(tac_engine_run(engine, TAC_TIME_MAX, &err), &err);
}

__attribute__((noinline)) void bench_dispatch(tac_engine *engine)
{
    run(engine);
}

__attribute__((noinline)) void bench_foreign(tac_engine *engine)
{
    run(engine);
}

__attribute__((noinline)) void bench_boundary(tac_engine *engine)
{
    run(engine);
}

// Five axes whose periods have no common factor: at nearly every boundary one of them is due.
static tac_engine *make_boundary(void)
{
    static const tac_time periods[] = {1009, 1013, 1019, 1021, 1031};
    return make(&idle, periods, 5, 1, 2000000);
}

int main(int argc, char **argv)
{
    static const tac_time one[] = {1000};
    const tac_time end_us = (DISPATCH_STEPS - 1) * 1000;
    tac_engine *dispatch = make(&idle, one, 1, COMPONENTS, end_us);
    tac_engine *plugin = make(&foreign, one, 1, COMPONENTS, end_us);
    tac_engine *boundary = make_boundary();
    bench_dispatch(dispatch);
    bench_foreign(plugin);
    bench_boundary(boundary);
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        printf("dispatch of a component\tbench_dispatch\t%d\t<= 63\t"
               "an indirect call of an empty function is 3 of them\n",
               DISPATCH_STEPS * COMPONENTS);
        printf("dispatch of a plugin's component\tbench_foreign\t%d\t\t"
               "and a look at its floating-point environment\n",
               DISPATCH_STEPS * COMPONENTS);
        printf("boundary, one of five axes due\tbench_boundary\t%llu\t<= 200\t"
               "with its one component, digests apart\n",
               (unsigned long long)tac_engine_counters(boundary).boundaries);
    }
    tac_engine_destroy(dispatch);
    tac_engine_destroy(plugin);
    tac_engine_destroy(boundary);
    return 0;
}
