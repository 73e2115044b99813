// record.c - values from outside are recorded like any other signal, and a replay has them from the
// recording: nobody needs to write them again.
#include "embed.h"

#include <unistd.h>

static const char *const file = "examples/embed/spring.yaml";

// As embed_load, but not prepared yet: recorders and replays are added before that.
static embed load(void)
{
    embed m = {NULL, NULL, NULL};
    EMBED_TRY(tac_registry_create, NULL, &m.registry);
    tac_config_def def = tac_config_def_default();
    def.registry = m.registry;
    EMBED_TRY(tac_config_load, file, &def, &m.config);
    tac_engine_def engine_def = tac_config_engine_def(m.config);
    EMBED_TRY(tac_config_build_unprepared, m.config, &engine_def, &m.engine);
    return m;
}

static uint64_t record(const char *path)
{
    embed m = load();
    tac_recorder *recorder;
    tac_recorder_def def;
    EMBED_TRY(tac_config_recorder_def, m.config, &def);
    def.path = path;
    def.replace = true;
    EMBED_TRY(tac_recorder_create, &def, m.engine, &recorder);
    EMBED_TRY(tac_engine_prepare, m.engine);
    EMBED_TRY(tac_recorder_begin, recorder);

    // A push at every odd instant, known 20 ms ahead.
    const int force = tac_engine_find_input(m.engine, "Spring.force", NULL);
    for (tac_time t_us = 12345; t_us < 4000000; t_us += 123457) {
        const double value = (double)(t_us % 17) - 8;
        EMBED_TRY(tac_engine_advance, m.engine, t_us > 20000 ? t_us - 20000 : 0);
        EMBED_TRY(tac_engine_write, m.engine, force, t_us, &value);
    }
    EMBED_TRY(tac_engine_run, m.engine, TAC_TIME_MAX);
    EMBED_TRY(tac_recorder_end, recorder, NULL);
    const uint64_t h = tac_engine_hash(m.engine, "Spring#state", NULL);
    tac_recorder_destroy(recorder);
    embed_free(&m);
    return h;
}

static uint64_t replay(const char *path)
{
    embed m = load();
    tac_recording *recording;
    tac_replay *player;
    tac_error err;
    const tac_replay_def def = tac_replay_def_default();
    EMBED_TRY(tac_recording_open, path, &recording);
    EMBED_TRY(tac_replay_create, recording, m.engine, &def, &player);
    EMBED_TRY(tac_engine_prepare, m.engine);
    EMBED_TRY(tac_replay_begin, player);
    const int force = tac_engine_find_input(m.engine, "Spring.force", NULL);
    const double value = 1;
    EMBED_CHECK(tac_engine_write(m.engine, force, 1000, &value, &err) == TAC_E_CALLER);
    EMBED_TRY(tac_engine_run, m.engine, TAC_TIME_MAX);
    EMBED_TRY(tac_replay_end, player);
    EMBED_CHECK(tac_replay_about(player).hash_match);
    const uint64_t h = tac_engine_hash(m.engine, "Spring#state", NULL);
    tac_replay_destroy(player);
    embed_free(&m);
    tac_recording_close(recording);
    return h;
}

int main(void)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/embed_record_%ld.mcap", (long)getpid());
    const uint64_t live = record(path), again = replay(path);
    remove(path);
    EMBED_CHECK(live == again);
    return 0;
}
