// What expectations cost: flights of the examples with their expectations and without, and the
// whole command.
#include "bench.h"

#include "base/error.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/expect.h>
#include <tactus/outside.h>
#include <tactus/tactus.h>

// An example as it runs again and again.
typedef struct flight {
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    tac_verdict *verdict;
} flight;

static bool open_flight(flight *f, const char *path, const char *const *sets, size_t count,
                        bool expect, tac_error *err)
{
    *f = (flight){0};
    if (tac_registry_create(NULL, &f->registry, err) != TAC_OK)
        return false;
    tac_config_def def = tac_config_def_default();
    def.registry = f->registry;
    def.sets = sets;
    def.set_count = count;
    if (tac_config_load(path, &def, &f->config, err) != TAC_OK)
        return false;
    const tac_engine_def engine = tac_config_engine_def(f->config);
    if (tac_config_build_unprepared(f->config, &engine, &f->engine, err) != TAC_OK)
        return false;
    if (expect && tac_config_verdict(f->config, f->engine, &f->verdict, err) != TAC_OK)
        return false;
    return tac_engine_prepare(f->engine, err) == TAC_OK &&
           tac_verdict_begin(f->verdict, err) == TAC_OK;
}

static void close_flight(flight *f)
{
    tac_verdict_destroy(f->verdict);
    tac_engine_destroy(f->engine);
    tac_config_destroy(f->config);
    tac_registry_destroy(f->registry);
}

// Seconds of one flight from its start; less than 0: it failed.
static double fly(flight *f)
{
    tac_error err;
    if (tac_engine_reset(f->engine, &err) != TAC_OK)
        return -1;
    const double begun_s = bench_now_s();
    if (tac_engine_run(f->engine, TAC_TIME_MAX, &err) != TAC_OK)
        return -1;
    return bench_now_s() - begun_s;
}

// Alternating flights, so that neighbours on the machine disturb both alike.
static void compare(const char *path, const char *const *sets, size_t count)
{
    enum { LEAST = 7, MOST = 400 };
    const double patience_s = 2;
    char name[100], note[160];
    tac_error err;
    flight plain, judged;
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    snprintf(name, sizeof name, "expectations of %.*s", (int)strcspn(base, "."), base);
    const bool open = open_flight(&plain, path, sets, count, false, &err) &&
                      open_flight(&judged, path, sets, count, true, &err);
    double with_s = 1e300, without_s = 1e300;
    const double begun_s = bench_now_s();
    bool flew = open;
    for (int i = 0; flew && i < MOST && (i < LEAST || bench_now_s() - begun_s < patience_s); i++) {
        const double a = fly(&plain), b = fly(&judged);
        flew = a >= 0 && b >= 0;
        without_s = a < without_s ? a : without_s;
        with_s = b < with_s ? b : with_s;
    }
    if (flew) {
        snprintf(note, sizeof note, "%zu expectations; %.4g ms to %.4g ms",
                 tac_verdict_count(judged.verdict), 1e3 * with_s, 1e3 * without_s);
        bench_report(name, with_s / without_s, "x", "<= 1.1", note);
    } else {
        bench_skip(name, open ? "cannot fly again from its start" : "needs something else");
    }
    close_flight(&plain);
    close_flight(&judged);
}

int main(int argc, char **argv)
{
    glob_t found;
    if (glob("examples/*.yaml", 0, NULL, &found) != 0)
        return 1;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        const char *const fewer[] = {"entities.uav.count=100", "duration=10 s"};
        const bool large = strstr(path, "swarm_large");
        if (argc > 1 && !strstr(path, argv[1]))
            continue;
        compare(path, fewer, large ? 2 : 0);
    }
    globfree(&found);
    return 0;
}
