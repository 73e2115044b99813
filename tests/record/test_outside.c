// Replay of runs into which values and messages came from outside: the plant has them from the
// recording, whatever the model is and wherever the replay begins.
#include "models.h"

static bool check_model(uint64_t number)
{
    model live, again;
    tac_recorder *recorder;
    tac_recorder_def def = tac_recorder_def_default();
    const char *path = path_of("a.mcap");
    def.path = path;
    def.replace = true;
    def.tier = TAC_TIER_REPLAY;
    def.state_us = 3000;
    if (model_make(&live, number, NULL) != TAC_OK ||
        tac_recorder_create(&def, live.engine, &recorder, &live.err) != TAC_OK) {
        model_end(&live);
        return false;
    }
    if (tac_engine_prepare(live.engine, &live.err) != TAC_OK) {
        tac_recorder_destroy(recorder);
        model_end(&live);
        return false;
    }
    must(&live, tac_recorder_begin(recorder, &live.err));
    dice d = {number};
    bool good = true;
    while (good && !tac_engine_finished(live.engine)) {
        const tac_time open_us = tac_engine_open_time(live.engine);
        model_post(&live, &d, dice_below(&d, 4), 3000);
        good = tac_engine_advance(live.engine, open_us + 1 + dice_below(&d, 2500), &live.err) ==
               TAC_OK;
    }
    const uint64_t messages = tac_engine_counters(live.engine).messages;
    must(&live, tac_recorder_end(recorder, good ? NULL : "full", &live.err));
    tac_recorder_destroy(recorder);
    model_end(&live);
    if (!good) // a queue that is full stops a run
        return false;
    tac_recording *recording;
    tac_replay *replay;
    for (tac_time from_us = 0; from_us < 7000; from_us += 6500) {
        tac_replay_def replay_def = tac_replay_def_default();
        replay_def.from_us = from_us;
        must(&again, model_make(&again, number, NULL));
        must(&again, tac_recording_open(path, &recording, &again.err));
        must(&again, tac_replay_create(recording, again.engine, &replay_def, &replay, &again.err));
        must(&again, tac_engine_prepare(again.engine, &again.err));
        must(&again, tac_replay_begin(replay, &again.err));
        must(&again, tac_engine_run(again.engine, TAC_TIME_NEVER, &again.err));
        const tac_replay_result result = tac_replay_about(replay);
        if (!result.hash_match)
            fail_msg("model %llu from %llu us: state of '%s' differs at %llu us",
                     (unsigned long long)number, (unsigned long long)from_us, result.mismatch,
                     (unsigned long long)result.mismatch_us);
        tac_replay_destroy(replay);
        model_end(&again);
        tac_recording_close(recording);
    }
    return messages > 0;
}

static void test_posted(void **state)
{
    (void)state;
    uint64_t replayed = 0;
    for (uint64_t number = 0; number < 90; number++)
        replayed += check_model(number);
    assert_true(replayed > 20);
}

static void hear(void *context, const tac_sent *message)
{
    (void)message;
    ++*(size_t *)context;
}

// Most senders do not run in a replay, so nobody can be told what was sent: that is an error, in
// whichever order it is asked for.
static void test_no_watchers(void **state)
{
    (void)state;
    model m;
    size_t heard = 0;
    tac_recorder *recorder;
    tac_recorder_def def = tac_recorder_def_default();
    def.path = path_of("w.mcap");
    must(&m, model_make(&m, 2, NULL));
    must(&m, tac_recorder_create(&def, m.engine, &recorder, &m.err));
    must(&m, tac_engine_prepare(m.engine, &m.err));
    must(&m, tac_recorder_begin(recorder, &m.err));
    must(&m, tac_engine_run(m.engine, 2000, &m.err));
    must(&m, tac_recorder_end(recorder, NULL, &m.err));
    tac_recorder_destroy(recorder);
    model_end(&m);

    const tac_replay_def replay_def = tac_replay_def_default();
    for (int watched = 0; watched < 2; watched++) {
        tac_recording *recording;
        tac_replay *replay;
        must(&m, model_make(&m, 2, NULL));
        must(&m, tac_recording_open(def.path, &recording, &m.err));
        if (watched)
            must(&m, tac_engine_add_send_watcher(m.engine, hear, &heard, &m.err));
        tac_status status = tac_replay_create(recording, m.engine, &replay_def, &replay, &m.err);
        assert_int_equal(status, watched ? TAC_E_CALLER : TAC_OK);
        for (int prepared = 0; !watched && prepared < 2; prepared++) {
            status = tac_engine_add_send_watcher(m.engine, hear, &heard, &m.err);
            assert_int_equal(status, TAC_E_CALLER);
            assert_non_null(strstr(m.err.text, "a replay has no messages to tell of"));
            if (!prepared)
                must(&m, tac_engine_prepare(m.engine, &m.err));
        }
        if (watched)
            assert_null(replay);
        tac_replay_destroy(replay);
        model_end(&m);
        tac_recording_close(recording);
    }
}

TEST_MAIN(cmocka_unit_test(test_posted), cmocka_unit_test(test_no_watchers))
