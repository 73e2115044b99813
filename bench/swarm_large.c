// What ten thousand vehicles cost: to load and prepare them, in memory, and a second of the flight
// of one of them, or of one of a thousand, beside one of twenty. All swarms are
// examples/swarm_large.yaml, whose vehicles differ in their positions, and for one row
// bench/swarm_different.yaml, whose vehicles differ in their parameters. They are flown in slices
// in turns, so that whatever else the machine does meets all.
#include "bench.h"
#include <tactus/tactus.h>

#include <stdlib.h>
#include <sys/resource.h>

enum {
    LARGE = 10000,
    MIDDLE = 1000,
    SMALL = 20,
    TURNS = 2,
    SLICES = 20,
    SLICE_US = 10000,
    REPEATS = 5
};

typedef struct swarm {
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
} swarm;

static void need(tac_status status, const tac_error *err)
{
    if (status == TAC_OK)
        return;
    char text[4096];
    tac_error_print(err, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    exit(1);
}

static void load(swarm *s, const char *path, int count)
{
    tac_error err = {0};
    char set[64];
    snprintf(set, sizeof set, "entities.uav.count=%d", count);
    const char *sets[] = {set};
    need(tac_registry_create(NULL, &s->registry, &err), &err);
    tac_config_def def = tac_config_def_default();
    def.registry = s->registry;
    def.sets = sets;
    def.set_count = 1;
    need(tac_config_load(path, &def, &s->config, &err), &err);
    const tac_engine_def engine = tac_config_engine_def(s->config);
    need(tac_config_build_unprepared(s->config, &engine, &s->engine, &err), &err);
    need(tac_engine_prepare(s->engine, &err), &err);
}

static void unload(swarm *s)
{
    tac_engine_destroy(s->engine);
    tac_config_destroy(s->config);
    tac_registry_destroy(s->registry);
}

// Seconds of the processor: a slice of many vehicles is so long that on a shared machine others run
// inside it.
static double busy_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// What it takes to fly to t_us.
static double fly_s(swarm *s, tac_time t_us)
{
    tac_error err = {0};
    const double start = busy_s();
    need(tac_engine_run(s->engine, t_us, &err), &err);
    return busy_s() - start;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

// Vehicles that differ in their parameters, in the air.
static void report_different(void)
{
    static const char path[] = "bench/swarm_different.yaml";
    enum { AIR_US = 3500000 }; // take-off is at 2 s
    static double middle_s[SLICES], small_s[SLICES];
    for (int i = 0; i < SLICES; i++)
        middle_s[i] = small_s[i] = 1e300;
    for (int turn = 0; turn < TURNS; turn++) {
        swarm middle, small[REPEATS];
        load(&middle, path, MIDDLE);
        (void)fly_s(&middle, AIR_US);
        for (int k = 0; k < REPEATS; k++) {
            load(&small[k], path, SMALL);
            (void)fly_s(&small[k], AIR_US);
        }
        for (int i = 0; i < SLICES; i++) {
            const tac_time t_us = AIR_US + (tac_time)(i + 1) * SLICE_US;
            for (int k = 0; k < REPEATS; k++)
                small_s[i] = least(small_s[i], fly_s(&small[k], t_us));
            middle_s[i] = least(middle_s[i], fly_s(&middle, t_us));
        }
        for (int k = 0; k < REPEATS; k++)
            unload(&small[k]);
        unload(&middle);
    }
    double middle_sum = 0, small_sum = 0;
    for (int i = 0; i < SLICES; i++) {
        middle_sum += middle_s[i];
        small_sum += small_s[i];
    }
    bench_report("1000 different to 20 different", middle_sum / MIDDLE / (small_sum / SMALL), "x",
                 "<= 1.2", "a vehicle-second in the air, each with parameters of its own");
}

int main(void)
{
    static const char like[] = "examples/swarm_large.yaml";
    static double large_s[SLICES], middle_s[SLICES], small_s[SLICES];
    double prepare_s = 1e300, bytes = 0;
    for (int i = 0; i < SLICES; i++)
        large_s[i] = middle_s[i] = small_s[i] = 1e300;
    for (int turn = 0; turn < TURNS; turn++) {
        swarm large, middle, small[REPEATS];
        const double start = busy_s();
        load(&large, like, LARGE);
        prepare_s = least(prepare_s, busy_s() - start);
        if (turn == 0) {
            struct rusage usage;
            getrusage(RUSAGE_SELF, &usage);
            bytes = 1024.0 * (double)usage.ru_maxrss / LARGE;
        }
        load(&middle, like, MIDDLE);
        for (int k = 0; k < REPEATS; k++)
            load(&small[k], like, SMALL);
        for (int i = 0; i < SLICES; i++) {
            const tac_time t_us = (tac_time)(i + 1) * SLICE_US;
            for (int k = 0; k < REPEATS; k++)
                small_s[i] = least(small_s[i], fly_s(&small[k], t_us));
            middle_s[i] = least(middle_s[i], fly_s(&middle, t_us));
            large_s[i] = least(large_s[i], fly_s(&large, t_us));
        }
        for (int k = 0; k < REPEATS; k++)
            unload(&small[k]);
        unload(&middle);
        unload(&large);
    }
    double large_sum = 0, middle_sum = 0, small_sum = 0;
    for (int i = 0; i < SLICES; i++) {
        large_sum += large_s[i];
        middle_sum += middle_s[i];
        small_sum += small_s[i];
    }
    const double flown_s = 1e-6 * SLICES * SLICE_US;
    bench_report("swarm of 10000 prepared", prepare_s, "s", "<= 5",
                 "from the file to an engine that can run, on one core");
    bench_report("swarm of 10000 memory", bytes, "B", "<= 49152",
                 "a vehicle: the most that the program had in use, configuration included");
    bench_report("swarm of 20 vehicle-second", 1e6 * small_sum / flown_s / SMALL, "us", "",
                 "examples/swarm_large.yaml with 20 vehicles");
    bench_report("swarm of 1000 to swarm of 20", middle_sum / MIDDLE / (small_sum / SMALL), "x",
                 "<= 1.2", "a vehicle-second");
    bench_report("swarm of 10000 to swarm of 20", large_sum / LARGE / (small_sum / SMALL), "x",
                 "<= 1.6", "a vehicle-second");
    report_different();
    return 0;
}
