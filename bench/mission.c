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
    for (size_t i = 0; i < f->engine->component_count; i++) {
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

// Seconds of the whole flight, the fastest of each piece.
static double fly(flight *f, int repeats, size_t *pieces)
{
    static double best[PIECES_MAX];
    int signals[2];
    *pieces = count_pieces(f);
    for (int k = 0; k < repeats; k++) {
        tac_error err;
        build(f, add_log, signals);
        for (size_t i = 0; i < *pieces; i++) {
            const double start_s = bench_now_s();
            check(tac_engine_run(f->engine, (i + 1) * PIECE_US, &err), &err);
            const double took_s = bench_now_s() - start_s;
            best[i] = k == 0 ? took_s : fmin(best[i], took_s);
        }
    }
    double sum_s = 0;
    for (size_t i = 0; i < *pieces; i++)
        sum_s += best[i];
    return sum_s;
}

int main(void)
{
    flight one, alone, swarm;
    size_t pieces;
    load(&one, "examples/iris_mission.yaml", NULL, 0);
    record r = take_down(&one);
    double apart_m;
    // First the bare loop, which uses the component of the flight that was taken down.
    const double bare_s = integrate_all(&one, &r, count_pieces(&one), &apart_m);
    const double engine_s = fly(&one, REPEATS, &pieces);
    const double flown_s = (double)pieces * PIECE_US / 1e6;
    char note[128];
    snprintf(note, sizeof note, "%.1f ms to %.1f ms for %.0f s; ends %.1g m apart", 1e3 * engine_s,
             1e3 * bare_s, flown_s, apart_m);
    bench_report("mission, engine to bare integration", engine_s / bare_s, "x", "<= 1.3", note);
    bench_report("mission over real time", flown_s / engine_s, "x", ">= 500",
                 "rk45 at 1e-6, wind 1 kHz, control 250 Hz, log 100 Hz");
    snprintf(note, sizeof note, "%zu intervals", r.count);
    bench_report("mission, bare integration", 1e9 * bare_s / (double)r.count, "ns", "", note);

    static const char *const twenty[] = {"duration=20 s", "entities.uav.count=20"};
    static const char *const single[] = {"duration=20 s", "entities.uav.count=1"};
    load(&swarm, "examples/iris_mission.yaml", twenty, 2);
    load(&alone, "examples/iris_mission.yaml", single, 2);
    const double one_s = fly(&alone, REPEATS, &pieces), all_s = fly(&swarm, REPEATS, &pieces);
    const bool same = tac_engine_hash(alone.engine, "uav1.*", NULL) ==
                      tac_engine_hash(swarm.engine, "uav1.*", NULL);
    bench_report("swarm of 20 to one vehicle", all_s / one_s, "x", same ? "<= 20" : "<= 0",
                 same ? "the first flies the same bits as alone" : "the bits differ");
    return 0;
}
