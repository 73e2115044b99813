// What components cost that are inactive in the present phase: 50 of which 5 are active, against a
// run that has only those 5 and the same phases. Plants are one island, with right-hand sides of a
// few operations each.
#include "bench.h"
#include <tactus/config.h>

#include <stdlib.h>
#include <string.h>

enum { ALL = 50, ACTIVE = 5, BURSTS = 60 };

static void check(tac_status status, const tac_error *err)
{
    if (status != TAC_OK) {
        fprintf(stderr, "%s\n", err->text);
        exit(1);
    }
}

typedef enum mix { DISCRETE, CONTINUOUS, BOTH } mix;

static const char *const mixes[] = {"discrete components", "continuous components", "components"};

// From the ACTIVE-th on they are active in OFF only, which never comes. Names have two digits: the
// states of an island lie in order of name, and only those behind the last active one are left out.
static void write_text(char *text, size_t size, int count, mix kind)
{
    size_t n = (size_t)snprintf(text, size,
                                "duration: 1 s\n"
                                "plant: {integrator: {kind: rk4, h_max: 1 ms}}\n"
                                "scheduler:\n  rate_groups:\n"
                                "    - {name: fast, rate_hz: 1000, components: [clock, 'c*']}\n"
                                "phases:\n  names: [ON, OFF]\n  initial: ON\n  transitions:\n"
                                "    - {from: ON, to: OFF, condition: clock.n > 100000}\n"
                                "components:\n  clock: {type: counter}\n");
    int last = 0; // plant
    for (int i = 0; i < count; i++) {
        const char *active = i < ACTIVE ? "ON" : "OFF";
        if (kind == DISCRETE || (kind == BOTH && i % 2)) {
            n += (size_t)snprintf(text + n, size - n,
                                  "  c%02d: {type: sine, active: %s, params: {frequency: %d Hz}}\n",
                                  i, active, i + 1);
            continue;
        }
        n += (size_t)snprintf(text + n, size - n,
                              "  p%02d: {type: lag, active: %s, inputs: {u: p%02d.x},"
                              " params: {tau: %d ms, initial: 1}}\n",
                              i, active, last, 50 + i);
        last = i;
    }
}

typedef struct job {
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    tac_strategy strategy;
} job;

static job make(int count, mix kind, tac_strategy strategy)
{
    static char text[16384];
    write_text(text, sizeof text, count, kind);
    job j = {.strategy = strategy};
    tac_error err;
    tac_config_def def = tac_config_def_default();
    check(tac_registry_create(NULL, &j.registry, &err), &err);
    def.registry = j.registry;
    check(tac_config_parse("bench.yaml", text, strlen(text), &def, &j.config, &err), &err);
    return j;
}

static double run_s(job *j)
{
    tac_error err;
    tac_engine_def def = tac_config_engine_def(j->config);
    def.strategy = j->strategy;
    tac_engine_destroy(j->engine);
    check(tac_config_build(j->config, &def, &j->engine, &err), &err);
    const double start_s = bench_now_s();
    check(tac_engine_run(j->engine, TAC_TIME_NEVER, &err), &err);
    return bench_now_s() - start_s;
}

static void destroy(job *j)
{
    tac_engine_destroy(j->engine);
    tac_config_destroy(j->config);
    tac_registry_destroy(j->registry);
}

// Turn by turn, so that all see the same neighbours.
static void compare(mix kind, const char *limit)
{
    job few = make(ACTIVE, kind, TAC_STRATEGY_SKIP), all = make(ALL, kind, TAC_STRATEGY_SKIP),
        gate = make(ALL, kind, TAC_STRATEGY_GATE);
    double few_s = 1e300, all_s = 1e300, gate_s = 1e300;
    for (int i = 0; i < BURSTS; i++) {
        const double a = run_s(&few), b = run_s(&all), c = run_s(&gate);
        few_s = a < few_s ? a : few_s;
        all_s = b < all_s ? b : all_s;
        gate_s = c < gate_s ? c : gate_s;
    }
    char name[80], note[80];
    snprintf(name, sizeof name, "5 of 50 %s active, skip", mixes[kind]);
    snprintf(note, sizeof note, "to only those 5: %.2f ms to %.2f ms", 1e3 * all_s, 1e3 * few_s);
    bench_report(name, all_s / few_s, "x", limit, note);
    snprintf(name, sizeof name, "5 of 50 %s active, gate", mixes[kind]);
    bench_report(name, gate_s / few_s, "x", "", "all are run, what comes of 45 is dropped");
    destroy(&few);
    destroy(&all);
    destroy(&gate);
}

int main(void)
{
    compare(BOTH, "<= 1.3");
    compare(DISCRETE, "<= 1.3");
    compare(CONTINUOUS, "<= 1.3");
    return 0;
}
