// Recording the default mission, and replaying its plant: what the one adds to a run, and the other
// to the bare integration.
#include "bare.h"
#include <tactus/record.h>

#include <sys/stat.h>
#include <unistd.h>

enum { WHOLE_REPEATS = 15 };

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

// Seconds of a whole run: with a recorder from before its file is created until it is closed.
static double run_whole(flight *f, bool recorded)
{
    tape t = {0};
    tac_error err;
    build(f, recorded ? add_recorder : NULL, &t);
    unlink(file); // to throw an old one away takes its time
    const double start_s = bench_now_s();
    if (recorded)
        check(tac_recorder_begin(t.recorder, &err), &err);
    check(tac_engine_run(f->engine, TAC_TIME_NEVER, &err), &err);
    if (recorded)
        check(tac_recorder_end(t.recorder, NULL, &err), &err);
    const double took_s = bench_now_s() - start_s;
    tac_recorder_destroy(t.recorder);
    return took_s;
}

// Turn by turn, so that both see the same neighbours.
static void report_recording(flight *f)
{
    double plain_s = 1e300, recorded_s = 1e300;
    uint64_t hash = 0, with = 0;
    for (int i = 0; i < WHOLE_REPEATS; i++) {
        plain_s = fmin(plain_s, run_whole(f, false));
        hash = tac_engine_hash(f->engine, NULL, NULL);
        recorded_s = fmin(recorded_s, run_whole(f, true));
        with = tac_engine_hash(f->engine, NULL, NULL);
    }
    struct stat info = {0};
    stat(file, &info);
    char note[128];
    snprintf(note, sizeof note, "%.1f ms to %.1f ms, %.1f MB, file closed%s", 1e3 * recorded_s,
             1e3 * plain_s, (double)info.st_size / 1e6, hash == with ? "" : "; THE BITS DIFFER");
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

static double replay(flight *f, size_t pieces, bool *match)
{
    static double best[PIECES_MAX];
    for (int k = 0; k < REPEATS; k++) {
        tac_error err;
        player p = {0};
        check(tac_recording_open(file, &p.recording, &err), &err);
        build(f, add_replay, &p);
        check(tac_replay_begin(p.replay, &err), &err);
        for (size_t i = 0; i < pieces; i++) {
            const double start_s = bench_now_s();
            check(tac_engine_run(f->engine, (i + 1) * PIECE_US, &err), &err);
            const double took_s = bench_now_s() - start_s;
            best[i] = k == 0 ? took_s : fmin(best[i], took_s);
        }
        *match = tac_replay_about(p.replay).hash_match;
        tac_engine_destroy(f->engine);
        f->engine = NULL;
        tac_replay_destroy(p.replay);
        tac_recording_close(p.recording);
    }
    double sum_s = 0;
    for (size_t i = 0; i < pieces; i++)
        sum_s += best[i];
    return sum_s;
}

int main(void)
{
    static const char *const minute[] = {"duration=60 s"};
    flight whole, f;
    load(&whole, "examples/iris_mission.yaml", NULL, 0);
    report_recording(&whole);

    load(&f, "examples/iris_mission.yaml", minute, 1);
    run_whole(&f, true);
    record r = take_down(&f);
    double apart_m;
    const double bare_s = integrate_all(&f, &r, count_pieces(&f), &apart_m);
    bool match;
    const double replay_s = replay(&f, count_pieces(&f), &match);
    char note[128];
    snprintf(note, sizeof note, "%.1f ms to %.1f ms for 60 s; %s", 1e3 * replay_s, 1e3 * bare_s,
             match ? "every state the same bits" : "THE BITS DIFFER");
    bench_report("replay of the plant to bare integration", replay_s / bare_s, "x",
                 match ? "<= 1.2" : "<= 0", note);
    unlink(file);
    return 0;
}
