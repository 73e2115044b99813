// branch.c - the same flight, but a motor fails: a run goes on from a checkpoint of another file.
// iris_branch.yaml differs from iris_mission.yaml in one event, which lies after the checkpoint, so
// the branch has the hash of a run of iris_branch.yaml from the start.
#define _XOPEN_SOURCE 700
#include "embed.h"

#include <unistd.h>

static const tac_time taken_us = 20000000, end_us = 30000000;

static uint64_t hash(const tac_engine *engine)
{
    return tac_engine_hash(engine, NULL, NULL);
}

// What differs from the model that made the checkpoint.
static void print_changes(const tac_engine *engine)
{
    for (size_t i = 0; i < tac_engine_change_count(engine); i++) {
        const tac_change c = tac_engine_change(engine, i);
        printf("%s.%s: %s, now %s\n", c.component, c.name, c.before ? c.before : "nothing",
               c.after ? c.after : "nothing");
    }
}

int main(void)
{
    char folder[] = "/tmp/tactus_branch_XXXXXX", path[64];
    EMBED_CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/checkpoint", folder);

    // The flight as it was planned, up to the checkpoint.
    embed mission = embed_load("examples/iris_mission.yaml");
    EMBED_TRY(tac_engine_checkpoint_at, mission.engine, taken_us, path);
    EMBED_TRY(tac_engine_run, mission.engine, taken_us + 1);

    // From there on with the other file.
    embed branch = embed_load("examples/iris_branch.yaml");
    EMBED_TRY(tac_engine_branch, branch.engine, path);
    EMBED_CHECK(tac_engine_time(branch.engine) == taken_us);
    EMBED_CHECK(tac_engine_change_count(branch.engine) == 1);
    print_changes(branch.engine);
    EMBED_TRY(tac_engine_run, branch.engine, end_us);

    // The other file from the start.
    embed straight = embed_load("examples/iris_branch.yaml");
    EMBED_TRY(tac_engine_run, straight.engine, end_us);
    EMBED_CHECK(hash(branch.engine) == hash(straight.engine));

    // tac_engine_restore takes no other model than the one that made the checkpoint.
    tac_error err;
    embed refused = embed_load("examples/iris_branch.yaml");
    EMBED_CHECK(tac_engine_restore(refused.engine, path, &err) == TAC_E_MISMATCH);

    embed_free(&refused);
    embed_free(&straight);
    embed_free(&branch);
    embed_free(&mission);
    remove(path);
    rmdir(folder);
    return 0;
}
