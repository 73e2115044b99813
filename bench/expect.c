// What expectations cost: flights of the examples with their expectations and without, and the
// whole command.
#include "bench.h"

#include "base/error.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
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

// Seconds from reading the file to the end of the run, as `tactus run` spends them; less than 0: it
// failed.
static double fly(const char *path, const char *const *sets, size_t count, bool expect,
                  size_t *expectations)
{
    tac_error err;
    flight f;
    const double begun_s = bench_now_s();
    const bool open = open_flight(&f, path, sets, count, expect, &err);
    const tac_status status = open ? tac_engine_run(f.engine, TAC_TIME_MAX, &err) : err.status;
    if (open)
        tac_verdict_end(f.verdict);
    const double took_s = bench_now_s() - begun_s;
    *expectations = tac_verdict_count(f.verdict);
    close_flight(&f);
    return open && status == TAC_OK ? took_s : -1;
}

// Alternating runs, so that neighbours on the machine disturb both alike.
static void compare(const char *path, const char *const *sets, size_t count)
{
    enum { LEAST = 5, MOST = 300 };
    const double patience_s = 2;
    char name[100], note[160];
    size_t expectations = 0, none;
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    snprintf(name, sizeof name, "expectations of %.*s", (int)strcspn(base, "."), base);
    double with_s = 1e300, without_s = 1e300;
    const double begun_s = bench_now_s();
    for (int i = 0; i < MOST && (i < LEAST || bench_now_s() - begun_s < patience_s); i++) {
        const double a = fly(path, sets, count, false, &none);
        const double b = fly(path, sets, count, true, &expectations);
        if (a < 0 || b < 0) {
            bench_skip(name, "it needs something else to run");
            return;
        }
        without_s = a < without_s ? a : without_s;
        with_s = b < with_s ? b : with_s;
    }
    snprintf(note, sizeof note, "%zu expectations; %.4g ms to %.4g ms, from file to end",
             expectations, 1e3 * with_s, 1e3 * without_s);
    bench_report(name, with_s / without_s, "x", "<= 1.1", note);
}

// --- the whole command --------------------------------------------------------------------------

// Seconds from exec to exit of `tactus run FILE`; less than 0: it failed.
static double run_command(const char *program, const char *path)
{
    const double begun_s = bench_now_s();
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        execl(program, "tactus", "run", path, (char *)NULL);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0)
        return -1;
    return bench_now_s() - begun_s;
}

// To what the engine takes for the flight, as in the row "mission over real time".
static void compare_command(const char *self)
{
    enum { TIMES = 15 };
    char program[1000], note[160];
    const char *slash = strrchr(self, '/');
    snprintf(program, sizeof program, "%.*s/../tactus", slash ? (int)(slash - self) : 1,
             slash ? self : ".");
    double command_s = 1e300, engine_s = 1e300;
    for (int i = 0; i < TIMES; i++) {
        flight f;
        tac_error err;
        if (!open_flight(&f, "bench/iris_mission.yaml", NULL, 0, false, &err))
            return;
        const double begun_s = bench_now_s();
        const tac_status status = tac_engine_run(f.engine, TAC_TIME_MAX, &err);
        const double took_s = bench_now_s() - begun_s;
        close_flight(&f);
        const double whole_s = run_command(program, "examples/iris_mission.yaml");
        if (status != TAC_OK || whole_s < 0) {
            bench_skip("command tactus run iris_mission", program);
            return;
        }
        engine_s = took_s < engine_s ? took_s : engine_s;
        command_s = whole_s < command_s ? whole_s : command_s;
    }
    snprintf(note, sizeof note, "%.1f ms from exec to exit; the engine alone flies it in %.1f ms",
             1e3 * command_s, 1e3 * engine_s);
    bench_report("command tactus run iris_mission", command_s / engine_s, "x", "<= 1.5", note);
}

// With an argument: only examples whose path contains it.
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
    if (argc < 2)
        compare_command(argv[0]);
    return 0;
}
