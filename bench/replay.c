// Recording the default mission, and replaying its plant: what the one adds to a run, and the other
// to the bare integration.
#include "bare.h"
#include <tactus/record.h>

#include <sys/stat.h>
#include <unistd.h>

static const char file[] = "build-bench/replay.mcap";

// --- recording ----------------------------------------------------------------------------------

typedef struct tape {
    tac_recorder_def def;
    tac_recorder *recorder;
} tape;

static void add_recorder(flight *f, void *context)
{
    tape *t = context;
    tac_error err;
    check(tac_config_recorder_def(f->config, &t->def, &err), &err);
    t->def.path = file;
    check(tac_recorder_create(&t->def, f->engine, &t->recorder, &err), &err);
}

// What a run took at best: its pieces, and with a recorder what comes before and behind them, from
// before the file is created until it is closed.
typedef struct whole {
    pieces run;
    double begin_s, end_s;
} whole;

static void run_whole(flight *f, bool recorded, whole *w)
{
    tape t = {0};
    tac_error err;
    build(f, recorded ? add_recorder : NULL, &t);
    unlink(file); // to throw an old one away takes its time
    const double start_s = bench_now_s();
    if (recorded)
        check(tac_recorder_begin(t.recorder, &err), &err);
    w->begin_s = fmin(w->begin_s, bench_now_s() - start_s);
    run_once(f, &w->run);
    const double behind_s = bench_now_s();
    if (recorded)
        check(tac_recorder_end(t.recorder, NULL, &err), &err);
    w->end_s = fmin(w->end_s, bench_now_s() - behind_s);
    tac_recorder_destroy(t.recorder);
}

static void cut_whole(whole *w, const flight *f)
{
    cut(&w->run, f);
    w->begin_s = w->end_s = 1e300;
}

static void report_recording(void)
{
    static whole plain, recorded;
    flight f;
    load(&f, "bench/iris_mission.yaml", NULL, 0);
    cut_whole(&plain, &f);
    cut_whole(&recorded, &f);
    uint64_t hash = 0, with = 0;
    for (int i = 0; i < REPEATS; i++) {
        run_whole(&f, false, &plain);
        hash = tac_engine_hash(f.engine, NULL, NULL);
        run_whole(&f, true, &recorded);
        with = tac_engine_hash(f.engine, NULL, NULL);
    }
    struct stat info = {0};
    stat(file, &info);
    const double run_s = sum_s(&recorded.run), plain_s = sum_s(&plain.run);
    const double recorded_s = recorded.begin_s + run_s + recorded.end_s;
    char note[160];
    snprintf(note, sizeof note, "%.1f + %.1f + %.1f ms to %.1f ms, %.1f MB, file closed%s",
             1e3 * recorded.begin_s, 1e3 * run_s, 1e3 * recorded.end_s, 1e3 * plain_s,
             (double)info.st_size / 1e6, hash == with ? "" : "; THE BITS DIFFER");
    bench_report("mission recorded (log) to not recorded", recorded_s / plain_s, "x",
                 hash == with ? "<= 1.05" : "<= 0", note);
}

// --- replaying ----------------------------------------------------------------------------------

typedef struct player {
    tac_recording *recording;
    tac_replay *replay;
} player;

static void add_replay(flight *f, void *context)
{
    player *p = context;
    tac_error err;
    const tac_replay_def def = tac_replay_def_default();
    check(tac_replay_create(p->recording, f->engine, &def, &p->replay, &err), &err);
}

// Returns whether every state had the recorded bits.
static bool replay_once(flight *f, pieces *p)
{
    tac_error err;
    player replayed = {0};
    check(tac_recording_open(file, &replayed.recording, &err), &err);
    build(f, add_replay, &replayed);
    check(tac_replay_begin(replayed.replay, &err), &err);
    run_once(f, p);
    const bool match = tac_replay_about(replayed.replay).hash_match;
    tac_engine_destroy(f->engine);
    f->engine = NULL;
    tac_replay_destroy(replayed.replay);
    tac_recording_close(replayed.recording);
    return match;
}

static void report_replay(void)
{
    static const char *const minute[] = {"duration=60 s"};
    static pieces engine, bare;
    flight replayed, taken;
    load(&replayed, "bench/iris_mission.yaml", minute, 1);
    load(&taken, "bench/iris_mission.yaml", minute, 1);
    static whole recorded;
    cut_whole(&recorded, &replayed);
    run_whole(&replayed, true, &recorded);
    const record r = take_down(&taken);
    cut(&engine, &replayed);
    cut(&bare, &taken);
    bool match = true;
    for (int k = 0; k < REPEATS; k++) {
        match &= replay_once(&replayed, &engine);
        (void)integrate_once(&taken, &r, &bare);
    }
    const double engine_s = sum_s(&engine), bare_s = sum_s(&bare);
    char note[128];
    snprintf(note, sizeof note, "%.1f ms to %.1f ms for 60 s; %s", 1e3 * engine_s, 1e3 * bare_s,
             match ? "every state the same bits" : "THE BITS DIFFER");
    bench_report("replay of the plant to bare integration", engine_s / bare_s, "x",
                 match ? "<= 1.2" : "<= 0", note);
}

int main(void)
{
    report_recording();
    report_replay();
    unlink(file);
    return 0;
}
