// Replay of runs into which values and messages came from outside: the plant has them from the
// recording, whatever the model is and wherever the replay begins.
#include "models.h"
#include "support/folder.h"

// Messages to every receiving port, at random instants, some of them those of others.
static void post_some(model *m, dice *d, tac_time now_us)
{
    const size_t ports = tac_engine_sizes(m->engine).receivers;
    for (unsigned i = 0; ports && i < dice_below(d, 4); i++) {
        const double value = dice_real(d);
        tac_post_def post = tac_post_def_default();
        post.t_us = now_us + dice_below(d, 3000);
        if (dice_chance(d, 40))
            post.t_us += 1000 - post.t_us % 1000;
        post.bytes = &value;
        post.length = sizeof value;
        const tac_status status =
            tac_engine_post(m->engine, (int)dice_below(d, (unsigned)ports), &post, &m->err);
        assert_true(status == TAC_OK || status == TAC_E_QUEUE);
    }
}

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
        post_some(&live, &d, open_us);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_posted)};
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
