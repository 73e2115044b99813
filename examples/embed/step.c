// step.c - time in pieces of the program's own: up to an instant, just before one, event by event.
// However a run is cut, its bits are the same.
#include "embed.h"

static const char *const file = "examples/convoy.yaml";

static uint64_t in_one_piece(void)
{
    embed m = embed_load(file);
    EMBED_TRY(tac_engine_run, m.engine, TAC_TIME_MAX);
    const uint64_t h = tac_engine_hash(m.engine, NULL, NULL);
    embed_free(&m);
    return h;
}

// To just before odd instants, and now and then through them.
static uint64_t in_pieces(void)
{
    embed m = embed_load(file);
    for (tac_time t_us = 0; !tac_engine_finished(m.engine); t_us += 73737) {
        EMBED_TRY(tac_engine_advance, m.engine, t_us);
        EMBED_CHECK(tac_engine_open_time(m.engine) >= t_us || tac_engine_finished(m.engine));
        EMBED_CHECK(tac_engine_time(m.engine) < t_us || t_us == 0);
        if (t_us % 2)
            EMBED_TRY(tac_engine_run, m.engine, t_us);
    }
    const uint64_t h = tac_engine_hash(m.engine, NULL, NULL);
    embed_free(&m);
    return h;
}

// From event to event: before the next one nothing happens but integration.
static uint64_t by_events(void)
{
    embed m = embed_load(file);
    while (!tac_engine_finished(m.engine)) {
        const tac_time next_us = tac_engine_next_event(m.engine);
        const tac_counters before = tac_engine_counters(m.engine);
        EMBED_TRY(tac_engine_advance, m.engine, next_us);
        EMBED_CHECK(tac_engine_counters(m.engine).boundaries == before.boundaries);
        EMBED_CHECK(tac_engine_counters(m.engine).steps == before.steps);
        EMBED_CHECK(tac_engine_next_event(m.engine) == next_us);
        EMBED_TRY(tac_engine_run, m.engine, next_us);
        EMBED_CHECK(tac_engine_counters(m.engine).boundaries == before.boundaries + 1);
    }
    const uint64_t h = tac_engine_hash(m.engine, NULL, NULL);
    embed_free(&m);
    return h;
}

int main(void)
{
    const uint64_t whole = in_one_piece();
    printf("%016llx\n", (unsigned long long)whole);
    EMBED_CHECK(in_pieces() == whole);
    EMBED_CHECK(by_events() == whole);
    return 0;
}
