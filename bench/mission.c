// The default mission: what the engine adds to the integration of its plant, its speed over real
// time, and what twenty vehicles cost.
#include "bare.h"

// A log at 100 Hz, as a recorder would keep it: position and battery of the first vehicle.
static double logged;

static void keep_log(void *context, tac_engine *engine, tac_time t_us)
{
    const int *signals = context;
    (void)t_us;
    for (int i = 0; i < 2; i++)
        logged += *(const double *)tac_engine_read(engine, signals[i]);
}

static void add_log(flight *f, void *context)
{
    int *signals = context;
    tac_error err;
    tac_observer_def log = tac_observer_def_default();
    log.name = "log";
    log.observe = keep_log;
    log.context = signals;
    check(tac_engine_add_observer(f->engine, &log, &err), &err);
    for (size_t i = 0; i < f->engine->plan->component_count; i++) {
        const tac_component_info c = tac_engine_component_info(f->engine, i);
        if (strcmp(c.type, "multirotor"))
            continue;
        char name[256];
        snprintf(name, sizeof name, "%s.position", c.name);
        signals[0] = tac_engine_find_signal(f->engine, name);
        snprintf(name, sizeof name, "%s.battery.soc", c.name);
        signals[1] = tac_engine_find_signal(f->engine, name);
        return;
    }
}

static void fly_once(flight *f, pieces *p)
{
    int signals[2];
    build(f, add_log, signals);
    run_once(f, p);
}

static void report_mission(void)
{
    static pieces engine, bare;
    flight flown, taken; // the bare loop uses the component of the one that was taken down
    load(&flown, "bench/iris_mission.yaml", NULL, 0);
    load(&taken, "bench/iris_mission.yaml", NULL, 0);
    const record r = take_down(&taken);
    cut(&engine, &flown);
    cut(&bare, &taken);
    double apart_m = 0;
    for (int k = 0; k < REPEATS; k++) {
        fly_once(&flown, &engine);
        apart_m = integrate_once(&taken, &r, &bare);
    }
    const double engine_s = sum_s(&engine), bare_s = sum_s(&bare);
    const double flown_s = (double)engine.count * PIECE_US / 1e6;
    char note[128];
    snprintf(note, sizeof note, "%.1f ms to %.1f ms for %.0f s; ends %.1g m apart", 1e3 * engine_s,
             1e3 * bare_s, flown_s, apart_m);
    bench_report("mission, engine to bare integration", engine_s / bare_s, "x", "<= 1.3", note);
    bench_report("mission, added by the engine", 1e6 * (engine_s - bare_s) / flown_s, "ns",
                 "<= 200",
                 "a simulated millisecond: wind, estimator, control, log, digests and the loop");
    bench_report("mission over real time", flown_s / engine_s, "x", ">= 950",
                 "rk45 at 1e-6, wind 1 kHz, control 250 Hz, log 100 Hz");
    snprintf(note, sizeof note, "%zu intervals", r.count);
    bench_report("mission, bare integration", 1e9 * bare_s / (double)r.count, "ns", "", note);
}

static void report_swarm(const char *name, const char *path, const char *limit)
{
    static const char *const twenty[] = {"duration=20 s", "entities.uav.count=20"};
    static const char *const single[] = {"duration=20 s", "entities.uav.count=1"};
    pieces one, all;
    flight alone, swarm;
    load(&swarm, path, twenty, 2);
    load(&alone, path, single, 2);
    cut(&one, &alone);
    cut(&all, &swarm);
    for (int k = 0; k < REPEATS; k++) {
        fly_once(&alone, &one);
        fly_once(&swarm, &all);
    }
    const bool same = tac_engine_hash(alone.engine, "uav1.*", NULL) ==
                      tac_engine_hash(swarm.engine, "uav1.*", NULL);
    char note[128];
    snprintf(note, sizeof note, "%.1f ms to %.2f ms for 20 s; %s", 1e3 * sum_s(&all),
             1e3 * sum_s(&one),
             same ? "the first flies the same bits as alone" : "THE BITS DIFFER");
    bench_report(name, sum_s(&all) / sum_s(&one), "x", same ? limit : "<= 0", note);
}

int main(void)
{
    report_mission();
    report_swarm("swarm of 20 to one vehicle", "bench/iris_mission.yaml", "<= 20");
    report_swarm("swarm of 20 different Irises to one", "bench/swarm_different.yaml", "<= 9");
    return 0;
}
