// The parts of a federation, coupled by hand in one program, have the bits of the whole, however it
// is divided.
#include "config/coupled.h"

// --- random simulations, randomly divided -------------------------------------------------------

enum { TEXT = 1 << 16 };

typedef struct writer {
    char text[TEXT];
    size_t length;
    uint32_t random;
} writer;

static uint32_t draw(writer *w, uint32_t below)
{
    w->random = w->random * 1664525u + 1013904223u;
    return (w->random >> 8) % below;
}

static void add(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    w->length += (size_t)vsnprintf(w->text + w->length, TEXT - w->length, format, args);
    va_end(args);
    assert_true(w->length < TEXT);
}

// Carts whose plants see every message that they hear from its arrival on.
static const char carts[] =
    "  synchronization:\n"
    "    default_policy: ZOH\n"
    "    overrides: [{pattern: \"c1.Tick.*\", policy: INTERPOLATED}]\n"
    "plant: {integrator: {kind: rk45}}\n"
    "components:\n"
    "  Clock: {type: circle, params: {radius: 3}}\n"
    "  Noise: {type: noise, params: {size: 3, unit: m}}\n" // read in one process only
    "entities:\n"
    "  c:\n"
    "    count: %u\n"
    "    components:\n"
    "      Radio:  {type: listener, params: {size: 3, unit: m}}\n"
    "      Wind:   {type: listener, params: {size: 3, unit: m/s}}\n"
    "      Tick:   {type: counter}\n"
    "      Beacon: {type: beacon, params: {size: 3, unit: m}, inputs: {u: Body.position}}\n"
    "      Other:  {type: beacon, params: {size: 3, unit: m}, inputs: {u: Clock.position}}\n"
    "      Pilot:  {type: tracker, inputs: {target: Radio.y, position: Body.position,\n"
    "               velocity: Body.velocity}}\n"
    "      Body:   {type: point_mass, params: {drag: 0.2, gravity: 0,\n"
    "               position: [\"${i}\", \"${= i * 2}\", 0]},\n"
    "               inputs: {force: Pilot.force, wind: Wind.y}}\n"
    "    each: [{components: {Other: {inputs: {u: Noise.y}}}}]\n"
    "links:\n";

// A law of a link, with a least delay of at least 2 ms.
static void add_law(writer *w)
{
    const unsigned least = 2000 + draw(w, 9000);
    switch (draw(w, 4)) {
    case 0:
        add(w, "delay: {uniform: [%u us, %u us]}", least, least + draw(w, 20000));
        break;
    case 1:
        add(w, "delay: {normal: {mean: %u us, sigma: 3 ms, min: %u us}}", least + 4000, least);
        break;
    case 2:
        add(w, "delay: {exponential: {mean: %u us, min: %u us, max: 60 ms}}", least + 5000, least);
        break;
    default:
        add(w, "delay: %u us", least);
    }
    if (draw(w, 2))
        add(w, ", loss: 20 %%");
    if (draw(w, 2))
        add(w, ", duplicate: 0.3");
    if (draw(w, 4) == 0)
        add(w, ", down: [[100 ms, 200 ms], [300 ms, 310 ms]]");
}

static void write_simulation(writer *w, uint32_t seed, unsigned count)
{
    *w = (writer){.random = seed};
    add(w,
        "seed: 5\n"
        "duration: 700 ms\n"
        "scheduler:\n"
        "  rate_groups:\n"
        "    - {name: clock, period: 13 ms, components: [Clock, Noise]}\n"
        "    - {name: slow, period: 27 ms, offset: 3 ms, components: [\"c*.Other\", \"*.Pilot\"]}\n"
        "    - {name: fast, period: 10 ms, components: [\"c*.Beacon\"");
    for (unsigned i = 1; i <= count; i++)
        add(w, ", c%u.Tick", i);
    add(w, "]}\n");
    add(w, carts, count);
    add(w, "  - {from: \"c*.Beacon.tx\", to: \"c*.Radio.rx\", ");
    add_law(w);
    add(w, "}\n");
    for (unsigned i = 1; i <= count; i++) {
        for (unsigned k = 1; k <= count; k++) {
            if (draw(w, 3))
                continue;
            add(w, "  - {from: c%u.Other.tx, to: c%u.Wind.rx, ", i, k);
            add_law(w);
            add(w, "}\n");
        }
    }
}

static void divide(writer *w, unsigned count)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    unsigned process[16];
    const unsigned most = 1 + draw(w, 6);
    for (unsigned i = 1; i <= count; i++)
        process[i] = draw(w, most);
    add(w, "federation:\n  processes:\n");
    for (unsigned p = 0; p < most; p++) {
        bool any = false;
        for (unsigned i = 1; i <= count; i++) {
            if (process[i] != p)
                continue;
            if (!any)
                add(w, "    %s: {entities: [", names[p]);
            add(w, "%sc%u", any ? ", " : "", i);
            any = true;
        }
        if (any)
            add(w, "]}\n");
    }
}

static void test_random_partitions(void **state)
{
    (void)state;
    static writer w;
    size_t crossings = 0, most = 0;
    uint64_t odd = 0;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        const unsigned count = 2 + seed % 5;
        write_simulation(&w, seed, count);
        const size_t links = w.length;
        rig r;
        for (int again = 0; again < 3; again++) {
            w.length = links;
            divide(&w, count);
            rig_open(&r, w.text);
            rig_run(&r, TAC_TIME_NEVER);
            coupled c;
            coupled_open(&c, r.config, false);
            coupled_run(&c, 700000);
            if (coupled_differences(&c, r.engine))
                fail_msg("the bits are others:\n%s", w.text);
            size_t n;
            assert_int_equal(tac_config_crossing_count(r.config, &n, &r.err), TAC_OK);
            crossings += n;
            odd += c.odd;
            most = c.count > most ? c.count : most;
            coupled_close(&c);
            rig_close(&r);
        }
    }
    assert_true(crossings > 100 && most >= 4 && odd > 1000);
}

// --- examples -----------------------------------------------------------------------------------

static void open_example(rig *r, const char *name, const char *duration)
{
    const char *const sets[] = {duration};
    rig_example(r, name, NULL, sets, 1);
    rig_run(r, TAC_TIME_NEVER);
}

static void compare_example(const char *name, const char *duration)
{
    rig r;
    open_example(&r, name, duration);
    coupled c;
    coupled_open(&c, r.config, false);
    coupled_run(&c, tac_config_engine_def(r.config).end_us);
    if (c.posted < 1000 || coupled_differences(&c, r.engine))
        fail_msg("%s in parts has other bits", name);
    coupled_close(&c);
    rig_close(&r);
}

static void test_examples(void **state)
{
    (void)state;
    compare_example("formation.yaml", "duration=20 s");
    compare_example("ring.yaml", "duration=200 ms");
}

static uint64_t digest_of(const tac_engine *engine, const char *wanted)
{
    uint64_t digest;
    const char *name;
    size_t i = 0;
    while ((name = tac_engine_digest(engine, i, &digest)) && strcmp(name, wanted))
        i++;
    assert_non_null(name);
    return digest;
}

// The followers of examples/formation.yaml steer on what they are told: each single message counts.
static void test_every_message_counts(void **state)
{
    (void)state;
    const tac_time end_us = 500000;
    rig r;
    open_example(&r, "formation.yaml", "duration=500 ms");
    uint64_t moved = 0;
    for (uint64_t dropped = 1;; dropped++) {
        coupled c;
        coupled_open(&c, r.config, false);
        c.dropped = dropped;
        coupled_run(&c, end_us);
        const bool all = c.posted < dropped;
        const size_t differences = coupled_differences(&c, r.engine);
        if (all != (differences == 0))
            fail_msg("without message %llu %zu digests differ", (unsigned long long)dropped,
                     differences);
        if (!all && c.dropped_us < end_us) {
            char body[128];
            snprintf(body, sizeof body, "%.*s.Body#state", (int)strcspn(c.dropped_on.to, "."),
                     c.dropped_on.to);
            if (digest_of(c.clients[c.dropped_on.to_process].engine, body) ==
                digest_of(r.engine, body))
                fail_msg("message %llu does not move '%s'", (unsigned long long)dropped, body);
            moved++;
        }
        coupled_close(&c);
        if (all)
            break;
    }
    assert_true(moved > 80);
    rig_close(&r);
}

// --- recordings ---------------------------------------------------------------------------------

// A process's recording is like any other: it has the digests of the whole, and the configuration
// in it is replayed without the other processes.
static void check_recording(const rig *r, const char *path)
{
    tac_error err;
    tac_recording *recording;
    coupled_must(tac_recording_open(path, &recording, &err), &err);
    const char *name;
    uint64_t digest;
    for (size_t i = 0; (name = tac_recording_digest(recording, i, &digest)); i++) {
        if (digest_of(r->engine, name) != digest)
            fail_msg("'%s' differs in %s", name, path);
    }
    const char *text = tac_recording_about(recording)->config;
    tac_config *config;
    tac_config_def def = tac_config_def_default();
    def.registry = r->registry;
    def.untrusted = true;
    coupled_must(tac_config_parse("recorded", text, strlen(text), &def, &config, &err), &err);
    tac_engine *engine;
    tac_replay *replay;
    const tac_engine_def engine_def = tac_config_engine_def(config);
    const tac_replay_def replay_def = tac_replay_def_default();
    coupled_must(tac_config_build_unprepared(config, &engine_def, &engine, &err), &err);
    coupled_must(tac_replay_create(recording, engine, &replay_def, &replay, &err), &err);
    coupled_must(tac_engine_prepare(engine, &err), &err);
    coupled_must(tac_replay_begin(replay, &err), &err);
    coupled_must(tac_engine_run(engine, TAC_TIME_NEVER, &err), &err);
    coupled_must(tac_replay_end(replay, &err), &err);
    const tac_replay_result result = tac_replay_about(replay);
    assert_true(result.compared && result.hash_match && !result.other_model);
    tac_engine_destroy(engine);
    tac_replay_destroy(replay);
    tac_config_destroy(config);
    tac_recording_close(recording);
}

static void test_recordings(void **state)
{
    (void)state;
    rig r;
    open_example(&r, "formation.yaml", "duration=1 s");
    coupled c;
    coupled_open(&c, r.config, true);
    coupled_run(&c, 1000000);
    coupled_end_recording(&c);
    for (size_t i = 0; i < c.count; i++)
        check_recording(&r, coupled_file(&c, i));
    coupled_close(&c);
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_random_partitions), cmocka_unit_test(test_examples),
          cmocka_unit_test(test_every_message_counts), cmocka_unit_test(test_recordings))
