// Phases in random models: no strategy, checkpoint or integrator of a replay changes what they do,
// and a recording has them as they were.
#include "models.h"

enum { MODELS = 60 };

static uint64_t models(void)
{
    const char *wish = getenv("TEST_MODELS");
    return wish ? strtoull(wish, NULL, 10) : MODELS;
}

// Every third number is a model with phases.
static uint64_t number_of(uint64_t i)
{
    return 10000 * 3 + 3 * i + 2;
}

// --- what happened ------------------------------------------------------------------------------

typedef struct story {
    tac_phase_change items[1024];
    size_t count;
} story;

static void tell(void *context, const tac_phase_change *change)
{
    story *s = context;
    assert_true(s->count < 1024);
    s->items[s->count++] = *change;
}

static tac_status make(model *m, uint64_t number, const model_wish *wish, story *s)
{
    TAC_TRY(model_make(m, number, wish));
    if (s) {
        *s = (story){0};
        return tac_engine_add_phase_watcher(m->engine, tell, s, &m->err);
    }
    return TAC_OK;
}

static bool acceptable(uint64_t number, uint64_t *hash)
{
    model m;
    tac_status status = make(&m, number, NULL, NULL);
    if (status == TAC_OK)
        status = tac_engine_prepare(m.engine, &m.err);
    if (status == TAC_OK)
        status = tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err);
    *hash = status == TAC_OK ? tac_engine_hash(m.engine, NULL, NULL) : 0;
    model_end(&m);
    return status == TAC_OK;
}

// --- strategies and checkpoints -----------------------------------------------------------------

static void strategies(void **state)
{
    (void)state;
    size_t made = 0, changes = 0;
    for (uint64_t i = 0; i < models(); i++) {
        uint64_t hash;
        if (!acceptable(number_of(i), &hash))
            continue;
        made++;
        for (int k = TAC_STRATEGY_GATE; k <= TAC_STRATEGY_SPLIT; k++) {
            const tac_strategy strategy = (tac_strategy)k;
            model m;
            static story s;
            must(&m, make(&m, number_of(i), &(model_wish){.strategy = &strategy}, &s));
            must(&m, tac_engine_prepare(m.engine, &m.err));
            must(&m, tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err));
            if (tac_engine_hash(m.engine, NULL, NULL) != hash)
                fail_msg("model %llu: another hash with strategy %d",
                         (unsigned long long)number_of(i), k);
            changes += s.count;
            model_end(&m);
        }
    }
    print_message("%zu models, %zu changes\n", made, changes);
    assert_true(made > models() * 8 / 10 && changes > 4 * made);
}

static void checkpoints(void **state)
{
    (void)state;
    const char *path = path_of("state");
    dice d = {5};
    for (uint64_t i = 0; i < models(); i++) {
        uint64_t hash;
        if (!acceptable(number_of(i), &hash))
            continue;
        for (int k = 0; k < 4; k++) {
            const tac_time t_us = dice_below(&d, 15000);
            const tac_strategy before = (tac_strategy)(k % 2), after = (tac_strategy)(k / 2);
            model m;
            must(&m, make(&m, number_of(i), &(model_wish){.strategy = &before}, NULL));
            must(&m, tac_engine_prepare(m.engine, &m.err));
            must(&m, tac_engine_checkpoint_at(m.engine, t_us, path, &m.err));
            must(&m, tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err));
            model_end(&m);
            must(&m, make(&m, number_of(i), &(model_wish){.strategy = &after}, NULL));
            must(&m, tac_engine_prepare(m.engine, &m.err));
            must(&m, tac_engine_restore(m.engine, path, &m.err));
            must(&m, tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err));
            if (tac_engine_hash(m.engine, NULL, NULL) != hash)
                fail_msg("model %llu: another hash from %llu us", (unsigned long long)number_of(i),
                         (unsigned long long)t_us);
            model_end(&m);
        }
    }
}

// --- recordings ---------------------------------------------------------------------------------

static void record(model *m, uint64_t number, const char *path, story *s)
{
    tac_recorder_def def = tac_recorder_def_default();
    tac_recorder *recorder;
    def.path = path;
    def.compression = "none";
    must(m, make(m, number, NULL, s));
    must(m, tac_recorder_create(&def, m->engine, &recorder, &m->err));
    must(m, tac_engine_prepare(m->engine, &m->err));
    must(m, tac_recorder_begin(recorder, &m->err));
    must(m, tac_engine_run(m->engine, TAC_TIME_NEVER, &m->err));
    must(m, tac_recorder_end(recorder, NULL, &m->err));
    tac_recorder_destroy(recorder);
}

// The recorded phase is what the engine told of, at the very microsecond.
static void check_bands(tac_recording *r, const char *entity, const story *s)
{
    char name[64];
    snprintf(name, sizeof name, "%s%sflight.phase", entity, *entity ? "." : "");
    const int signal = tac_recording_find(r, name);
    if (signal < 0)
        return;
    const tac_recorded *about = tac_recording_signal(r, (size_t)signal);
    assert_int_equal(about->type.scalar, TAC_ENUM);
    tac_series x;
    assert_int_equal(tac_recording_series(r, (size_t)signal, 0, TAC_TIME_NEVER, &x, NULL), TAC_OK);
    size_t next = 0;
    for (size_t i = 1; i < x.samples; i++) {
        if ((int)x.values[i] == (int)x.values[i - 1])
            continue;
        while (next < s->count && strcmp(s->items[next].entity, entity))
            next++;
        assert_true(next < s->count);
        assert_int_equal(s->items[next].t_us, x.t_us[i]);
        assert_string_equal(s->items[next].to, about->type.labels[(int)x.values[i]]);
        next++;
    }
    while (next < s->count && strcmp(s->items[next].entity, entity))
        next++;
    // The first sample may be of the first change.
    assert_true(next == s->count || x.samples < 2);
    tac_series_fini(&x);
}

static void same_story(const story *a, const story *b, uint64_t number)
{
    if (a->count != b->count)
        fail_msg("model %llu: %zu and %zu changes", (unsigned long long)number, a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->items[i].t_us, b->items[i].t_us);
        assert_string_equal(a->items[i].entity, b->items[i].entity);
        assert_string_equal(a->items[i].from, b->items[i].from);
        assert_string_equal(a->items[i].to, b->items[i].to);
        assert_string_equal(a->items[i].condition, b->items[i].condition);
    }
}

// With another integrator events of the plant are elsewhere, and with them a few boundaries at
// which changes take effect; but all of them do.
static void same_end(model *a, model *b, const char *entity)
{
    static const char *const signals[] = {"phase", "changes", "transition"};
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%sflight.%s", entity, *entity ? "." : "", signals[i]);
        const int signal = tac_engine_find_signal(a->engine, name);
        if (signal < 0)
            continue;
        int64_t x = 0, y = 0;
        memcpy(&x, tac_engine_read(a->engine, signal), i ? 8 : 4);
        memcpy(&y, tac_engine_read(b->engine, signal), i ? 8 : 4);
        if (x != y)
            fail_msg("'%s' ends with %lld, not %lld", name, (long long)y, (long long)x);
    }
}

// A replay goes through the recorded phases, also behind gates or with another integrator.
static void replays(void **state)
{
    (void)state;
    const char *path = path_of("a.mcap");
    static story live, played;
    for (uint64_t i = 0; i < models() / 2; i++) {
        const uint64_t number = number_of(i);
        uint64_t hash;
        if (!acceptable(number, &hash))
            continue;
        model first;
        record(&first, number, path, &live);
        assert_int_equal(tac_engine_hash(first.engine, NULL, NULL), hash);
        for (int way = 0; way < 2; way++) {
            const tac_strategy gate = TAC_STRATEGY_GATE;
            const char *other =
                strcmp(first.engine->plan->def.integrator.kind, "rk4") ? "rk4" : "euler";
            const model_wish wish = {.strategy = way ? NULL : &gate,
                                     .integrator = way ? other : NULL};
            model m;
            tac_recording *recording;
            tac_replay *replay;
            const tac_replay_def def = tac_replay_def_default();
            must(&m, make(&m, number, &wish, &played));
            must(&m, tac_recording_open(path, &recording, &m.err));
            must(&m, tac_replay_create(recording, m.engine, &def, &replay, &m.err));
            must(&m, tac_engine_prepare(m.engine, &m.err));
            must(&m, tac_replay_begin(replay, &m.err));
            must(&m, tac_engine_run(m.engine, TAC_TIME_NEVER, &m.err));
            if (way == 0 && !tac_replay_about(replay).hash_match)
                fail_msg("model %llu behind gates is another", (unsigned long long)number);
            if (way == 0)
                same_story(&live, &played, number);
            for (int k = 0; way == 1 && k < 3; k++)
                same_end(&first, &m, model_entities[k]);
            for (int k = 0; way == 0 && k < 3; k++)
                check_bands(recording, model_entities[k], &live);
            model_end(&m);
            tac_replay_destroy(replay);
            tac_recording_close(recording);
        }
        model_end(&first);
    }
}

TEST_MAIN(cmocka_unit_test(strategies), cmocka_unit_test(checkpoints), cmocka_unit_test(replays))
