// The engine as a whole: what digests cost, how fast it is against real time, and that the length
// of a run costs no memory.
#include "bench.h"
#include <tactus/config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char rates[] =
    "duration: 1 s\n"
    "scheduler:\n"
    "  rate_groups:\n"
    "    - {name: fast, rate_hz: 1000, components: [Body, Sensor, Filter]}\n"
    "    - {name: slow, rate_hz: 100, components: [Route, Pilot]}\n"
    "components:\n"
    "  Route: {type: circle}\n"
    "  Body:\n"
    "    type: point_mass\n"
    "    params: {gravity: 0}\n"
    "    inputs: {force: Filter.y}\n"
    "  Sensor:\n"
    "    type: sensor\n"
    "    params: {size: 3, unit: m/s, deviation: 0.1}\n"
    "    inputs: {u: Body.velocity}\n"
    "  Pilot:\n"
    "    type: tracker\n"
    "    inputs:\n"
    "      target: Route.position\n"
    "      position: Body.position\n"
    "      velocity: Sensor.y\n"
    "  Filter:\n"
    "    type: filter\n"
    "    stage: actuate\n"
    "    params: {size: 3, unit: N}\n"
    "    inputs: {u: Pilot.force}\n";

static const char counter[] = "duration: 10 s\n"
                              "scheduler:\n"
                              "  rate_groups:\n"
                              "    - {name: fast, rate_hz: 1000, components: [Clock]}\n"
                              "components:\n"
                              "  Clock: {type: counter}\n";

static void check(tac_status status, const tac_error *err)
{
    if (status != TAC_OK) {
        fprintf(stderr, "%s\n", err->text);
        exit(1);
    }
}

typedef struct job {
    tac_registry *registry;
    tac_config *config;
    tac_engine_def def;
    tac_engine *engine;
} job;

static job make(const char *text)
{
    job j;
    tac_error err;
    tac_config_def def = tac_config_def_default();
    check(tac_registry_create(NULL, &j.registry, &err), &err);
    def.registry = j.registry;
    check(tac_config_parse("bench.yaml", text, strlen(text), &def, &j.config, &err), &err);
    j.def = tac_config_engine_def(j.config);
    j.engine = NULL;
    return j;
}

static void build(job *j)
{
    tac_error err;
    tac_engine_destroy(j->engine);
    check(tac_config_build(j->config, &j->def, &j->engine, &err), &err);
}

static void run(void *context)
{
    job *j = context;
    tac_error err;
    check(tac_engine_run(j->engine, TAC_TIME_MAX, &err), &err);
}

// A run of a fresh engine, without the time to build it, if it took less than the best so far.
static double better_s(job *j, double best_s)
{
    build(j);
    const double took_s = bench_best_s(run, j, 1);
    return took_s < best_s ? took_s : best_s;
}

static void destroy(job *j)
{
    tac_engine_destroy(j->engine);
    tac_config_destroy(j->config);
    tac_registry_destroy(j->registry);
}

// Peak memory in KiB of a process that runs `seconds` of 1 kHz, as it says itself.
static double peak_memory(uint64_t seconds)
{
    int ends[2];
    long peak = 0;
    if (pipe(ends) != 0)
        exit(1);
    const pid_t child = fork();
    if (child == 0) {
        job j = make(counter);
        j.def.end_us = seconds * 1000000;
        build(&j);
        run(&j);
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        _exit(write(ends[1], &usage.ru_maxrss, sizeof usage.ru_maxrss) < 0);
    }
    close(ends[1]);
    int status;
    const ssize_t got = read(ends[0], &peak, sizeof peak);
    if (waitpid(child, &status, 0) != child || status != 0 || got != sizeof peak)
        exit(1);
    close(ends[0]);
    return (double)peak;
}

int main(void)
{
    // First, while this process is small: a child starts with its size.
    const double ten_seconds = peak_memory(10), ten_hours = peak_memory(36000);
    bench_report("memory of 10 s at 1 kHz", ten_seconds, "KiB", "", "peak of the process");
    bench_report("memory of 10 h / 10 s", ten_hours / ten_seconds, "x", "<= 1.01",
                 "36 million boundaries");

    // In turns, so that a processor that slows down does so for both.
    job with = make(rates), without = make(rates);
    without.def.digests = false;
    double with_s = 1e300, without_s = 1e300;
    for (int i = 0; i < 400; i++) {
        with_s = better_s(&with, with_s);
        without_s = better_s(&without, without_s);
    }
    bench_report("three rates, against real time", 1 / with_s, "x", ">= 500",
                 "1 s, 1000 boundaries, rk4");
    bench_report("digests on / off", with_s / without_s, "x", "<= 1.1", "time of the same run");
    destroy(&with);
    destroy(&without);
    return 0;
}
