// branch_in_memory.c - going back: one flight up to 1 s, then many from there, each with another
// push. What a planner, an optimiser or a campaign does; no file is written.
#include "embed.h"

static uint64_t hash(const tac_engine *engine)
{
    return tac_engine_hash(engine, NULL, NULL);
}

static double position(tac_engine *engine)
{
    return *(const double *)tac_engine_read(engine,
                                            tac_engine_find_signal(engine, "Spring.position"));
}

// From the snapshot to the end, with one push.
static uint64_t branch(tac_engine *engine, const tac_snapshot *from, int force, double push)
{
    EMBED_TRY(tac_engine_restore_snapshot, engine, from);
    EMBED_CHECK(tac_engine_time(engine) == tac_snapshot_time(from));
    EMBED_TRY(tac_engine_write, engine, force, 1500000, &push);
    EMBED_TRY(tac_engine_run, engine, TAC_TIME_MAX);
    printf("a push of %4.1f N: %+.6f m at the end\n", push, position(engine));
    return hash(engine);
}

int main(void)
{
    embed m = embed_load("examples/embed/spring.yaml");
    const int force = tac_engine_find_input(m.engine, "Spring.force", NULL);

    // A straight run, to compare with.
    const double push = 7;
    EMBED_TRY(tac_engine_write, m.engine, force, 1500000, &push);
    EMBED_TRY(tac_engine_run, m.engine, TAC_TIME_MAX);
    const uint64_t straight = hash(m.engine);

    // The same again from the start: what was written is gone, too.
    EMBED_TRY(tac_engine_reset, m.engine);
    EMBED_TRY(tac_engine_run, m.engine, 1000000);
    const uint64_t there = hash(m.engine);
    tac_snapshot *second = NULL;
    EMBED_TRY(tac_engine_take_snapshot, m.engine, &second);
    EMBED_CHECK(hash(m.engine) == there); // taking one leaves no trace

    // As often as one likes, in any order: one branch knows nothing of another.
    const uint64_t none = branch(m.engine, second, force, 0.5);
    EMBED_CHECK(branch(m.engine, second, force, push) == straight);
    EMBED_CHECK(branch(m.engine, second, force, -7) != straight);
    EMBED_CHECK(branch(m.engine, second, force, 0.5) == none);
    EMBED_TRY(tac_engine_restore_snapshot, m.engine, second);
    EMBED_CHECK(hash(m.engine) == there);

    // Another engine of the same model may go on from it.
    embed other = embed_load("examples/embed/spring.yaml");
    EMBED_CHECK(branch(other.engine, second, force, push) == straight);
    embed_free(&other);

    tac_snapshot_destroy(second);
    embed_free(&m);
    return 0;
}
