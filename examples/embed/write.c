// write.c - values from outside: a force on a mass on a spring. The program knows the forces before
// their time, as a pilot's stick or another simulator would, and the run has the same bits as one
// with the forces in its configuration.
#include "embed.h"

// The digests of the plant and of what measures it: all but the source of the force.
static uint64_t hash(const tac_engine *engine)
{
    static const char *const patterns[] = {"Spring.*", "Spring#*", "Sensor*", "Filter*"};
    uint64_t h = 0;
    for (int i = 0; i < 4; i++) {
        size_t count;
        h = 31 * h + tac_engine_hash(engine, patterns[i], &count);
        EMBED_CHECK(count > 0);
    }
    return h;
}

static uint64_t scripted(void)
{
    embed m = embed_load("examples/embed/spring_scripted.yaml");
    EMBED_TRY(tac_engine_run, m.engine, TAC_TIME_MAX);
    const uint64_t h = hash(m.engine);
    embed_free(&m);
    return h;
}

int main(void)
{
    embed m = embed_load("examples/embed/spring.yaml");
    tac_error err;
    const int force = tac_engine_find_input(m.engine, "Spring.force", &err);
    EMBED_CHECK(force >= 0 && tac_engine_input_info(m.engine, force).outside);

    // Before the run everything is open, in any order; of two values for one instant the last
    // counts.
    const double push = 5, pull = -3, wrong = 99, rest = 0.5, hold = 1;
    EMBED_TRY(tac_engine_write, m.engine, force, 1234567, &wrong);
    EMBED_TRY(tac_engine_write, m.engine, force, 500000, &push);
    EMBED_TRY(tac_engine_write, m.engine, force, 1234567, &pull);
    EMBED_TRY(tac_engine_write, m.engine, force, 0, &rest);
    EMBED_TRY(tac_engine_run, m.engine, 1000000);

    // What has passed is closed; a program learns what is still open.
    EMBED_CHECK(tac_engine_write(m.engine, force, 1000000, &wrong, &err) == TAC_E_RANGE);
    printf("%s\n", err.text);
    EMBED_CHECK(tac_engine_open_time(m.engine) == 1000001);

    // Just before 2 s, as late as can be.
    EMBED_TRY(tac_engine_advance, m.engine, 2000000);
    EMBED_TRY(tac_engine_write, m.engine, force, 2000000, &hold);
    EMBED_TRY(tac_engine_run, m.engine, TAC_TIME_MAX);
    EMBED_CHECK(hash(m.engine) == scripted());

    // Other inputs belong to others.
    const int measured = tac_engine_find_input(m.engine, "Sensor.u", &err);
    EMBED_CHECK(tac_engine_write(m.engine, measured, 5000000, &hold, &err) == TAC_E_OWNER);
    printf("%s\n", err.text);
    embed_free(&m);
    return 0;
}
