// Replay repeats a run, bit for bit, whatever the model is: from the start and from every state
// that was stored, without a single call into code that is not part of the plant.
#include "models.h"
#include "record/recording.h"

#include <unistd.h>

// More of them can be asked for by hand.
static uint64_t models(void)
{
    const char *wish = getenv("TEST_MODELS");
    return wish ? strtoull(wish, NULL, 10) : 150;
}

static char folder[64];

static const char *path_of(const char *name)
{
    static char paths[4][128];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tactus_replay_XXXXXX");
    return mkdtemp(folder) ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const names[] = {"a.mcap", "b.mcap", "c.mcap", "state"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(names[i]));
    return rmdir(folder);
}

#define must(m, call)                                                                              \
    do {                                                                                           \
        if ((call) != TAC_OK) {                                                                    \
            model_show(m);                                                                         \
            fail_msg("%s", #call);                                                                 \
        }                                                                                          \
    } while (0)

// --- random models ------------------------------------------------------------------------------

static tac_recorder_def replay_tier(const char *path)
{
    tac_recorder_def def = tac_recorder_def_default();
    def.path = path;
    def.tier = TAC_TIER_REPLAY;
    def.state_us = 1700;
    def.flush_us = 7000;
    def.compression = "none";
    return def;
}

// Times of all states that are stored after the first.
static size_t stored(tac_recording *r, tac_time *times, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < r->track_count; i++) {
        if (r->tracks[i].kind != TAC__CHANNEL_STATE)
            continue;
        tac__reel reel;
        tac__reel_init(&reel, r, &r->tracks[i], 0, TAC_TIME_NEVER);
        tac__frame frame;
        bool more;
        for (;;) {
            assert_int_equal(tac__reel_next(&reel, &frame, &more, NULL), TAC_OK);
            if (!more || n == max)
                break;
            times[n++] = frame.t_us;
        }
        tac__reel_fini(&reel);
    }
    return n;
}

// Outside the plant nothing is called.
static void check_calls(const model *m, uint64_t number)
{
    for (size_t i = 0; i < m->count; i++) {
        const unit *u = &m->units[i];
        if (u->flags & UNIT_PLANT)
            continue;
        if (u->steps || u->hooks || u->inits)
            fail_msg("model %llu: '%s' was called in a replay", (unsigned long long)number,
                     u->full);
    }
}

static void check_replay(const model *live, uint64_t number, const char *path, tac_time from_us,
                         bool first, bool pieces)
{
    tac_recording *recording;
    model m;
    tac_replay *replay;
    tac_replay_def def = tac_replay_def_default();
    def.from_us = from_us;
    must(&m, model_make(&m, number, NULL));
    must(&m, tac_recording_open(path, &recording, &m.err));
    must(&m, tac_replay_create(recording, m.engine, &def, &replay, &m.err));
    must(&m, tac_engine_prepare(m.engine, &m.err));
    must(&m, tac_replay_begin(replay, &m.err));
    const tac_time end_us = m.engine->def.end_us;
    for (tac_time t_us = from_us; pieces && t_us < end_us; t_us += 777)
        must(&m, tac_engine_run(m.engine, t_us, &m.err));
    must(&m, tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err));
    const tac_replay_result result = tac_replay_about(replay);
    if (!result.hash_match)
        fail_msg("model %llu from %llu us (%s): state of '%s' differs at %llu us, of %llu "
                 "boundaries",
                 (unsigned long long)number, (unsigned long long)result.start_us,
                 m.engine->def.integrator.kind, result.mismatch,
                 (unsigned long long)result.mismatch_us, (unsigned long long)result.boundaries);
    assert_int_equal(result.start_us, from_us);
    assert_string_equal(result.differences, "");
    assert_int_equal(result.boundaries, model_boundaries(live, first, from_us));
    check_calls(&m, number);
    // What the plant wrote in its own steps is the same too.
    for (size_t i = 0; i < live->engine->digest_count; i++) {
        const tac__digest *a = &live->engine->digest_list[i], *b = &m.engine->digest_list[i];
        assert_string_equal(a->name, b->name);
        const char *dot = strrchr(a->name, '.');
        if (strstr(a->name, "plant") && dot && strcmp(dot, ".y") && *a->value != *b->value)
            fail_msg("model %llu from %llu us: '%s' has another digest", (unsigned long long)number,
                     (unsigned long long)from_us, a->name);
    }
    tac_replay_destroy(replay);
    tac_recording_close(recording);
    model_end(&m);
}

static uint64_t plain_hash(uint64_t number, tac_status *status)
{
    model m;
    *status = model_make(&m, number, NULL);
    if (*status == TAC_OK)
        *status = tac_engine_prepare(m.engine, &m.err);
    if (*status == TAC_OK)
        *status = tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err);
    const uint64_t hash = *status == TAC_OK ? tac_engine_hash(m.engine, NULL, NULL) : 0;
    model_end(&m);
    return hash;
}

static void record(model *m, uint64_t number, const tac_recorder_def *def)
{
    tac_recorder *recorder;
    must(m, model_make(m, number, NULL));
    must(m, tac_recorder_create(def, m->engine, &recorder, &m->err));
    must(m, tac_engine_prepare(m->engine, &m->err));
    must(m, tac_recorder_begin(recorder, &m->err));
    must(m, tac_engine_run(m->engine, TAC_TIME_NEVER, &m->err));
    must(m, tac_recorder_end(recorder, NULL, &m->err));
    tac_recorder_destroy(recorder);
}

static void random_models(void **state)
{
    (void)state;
    const char *one = getenv("TEST_MODEL");
    const uint64_t from = one ? strtoull(one, NULL, 10) : 0;
    size_t made = 0, states = 0;
    uint64_t boundaries = 0;
    for (uint64_t number = from; number < (one ? from + 1 : models()); number++) {
        tac_status status;
        const uint64_t hash = plain_hash(number, &status);
        if (status != TAC_OK)
            continue;
        made++;
        const char *path = path_of("a.mcap");
        const tac_recorder_def def = replay_tier(path);
        model live;
        record(&live, number, &def);
        assert_int_equal(tac_engine_hash(live.engine, NULL, NULL), hash);
        boundaries += model_boundaries(&live, true, 0);
        check_replay(&live, number, path, 0, true, number % 2);
        tac_recording *recording;
        must(&live, tac_recording_open(path, &recording, &live.err));
        assert_int_equal(recording->info.hash, hash);
        tac_time times[64] = {1};
        const size_t n = stored(recording, times, 64);
        tac_recording_close(recording);
        assert_int_equal(times[0], 0);
        states += n - 1;
        for (size_t i = 1; i < n; i++) {
            if (times[i] < live.engine->def.end_us)
                check_replay(&live, number, path, times[i], false, i % 2);
        }
        model_end(&live);
    }
    if (one)
        return;
    print_message("%zu models, %zu stored states, %llu boundaries\n", made, states,
                  (unsigned long long)boundaries);
    assert_true(made > models() * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_models),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
