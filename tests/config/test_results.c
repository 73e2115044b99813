// Results that the library fills (tactus/api.h): a caller that knows fewer fields gets those that
// it knows, and not a byte more; one that knows more gets zeros for the others.
#include "support/test.h"
#include <stdio.h>
#include <string.h>
#include <tactus/tactus.h>

enum { MORE = 24, FILL = 0xa5 };

typedef struct scene {
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    tac_recording *recording;
    tac_replay *replay;
    tac_cursor *cursor;
    tac_verdict *verdict;
    char file[256], checkpoint[256];
} scene;

// Fill a result of this size.
typedef void fill_fn(scene *s, void *result, size_t size);

static void check(scene *s, const char *name, fill_fn *fill, size_t full)
{
    unsigned char whole[512], part[512 + MORE];
    assert_true(full <= sizeof whole);
    fill(s, whole, full);
    bool any = false;
    for (size_t i = 0; i < full; i++)
        any |= whole[i] != 0;
    if (!any)
        fail_msg("%s: nothing was filled in", name);
    for (size_t size = 0; size <= full + MORE; size += 8) {
        memset(part, FILL, sizeof part);
        fill(s, part, size);
        for (size_t i = 0; i < sizeof part; i++) {
            const unsigned char expected = i >= size ? FILL : i < full ? whole[i] : 0;
            if (part[i] != expected)
                fail_msg("%s: byte %zu of %zu is %#x, not %#x", name, i, size, part[i], expected);
        }
    }
}

#define FILL_ENGINE(name, ...)                                                                     \
    static void fill_##name(scene *s, void *result, size_t size)                                   \
    {                                                                                              \
        tac_engine_##name##_sized(s->engine, __VA_ARGS__ result, size);                            \
    }
FILL_ENGINE(counters, )
FILL_ENGINE(sizes, )
FILL_ENGINE(group_info, 0, )
FILL_ENGINE(component_info, 0, )
FILL_ENGINE(signal_info, 0, )
FILL_ENGINE(change, 0, )
FILL_ENGINE(input_info, 0, )
FILL_ENGINE(sender_info, 0, )
FILL_ENGINE(receiver_info, 0, )
FILL_ENGINE(link_info, 0, )
FILL_ENGINE(param_info, 0, 0, )
FILL_ENGINE(profile, )
FILL_ENGINE(profile_component, 0, )

static void fill_expectation(scene *s, void *result, size_t size)
{
    tac_verdict_get_sized(s->verdict, 0, result, size);
}

static void fill_federation(scene *s, void *result, size_t size)
{
    assert_int_equal(tac_config_federation_sized(s->config, result, size, NULL), TAC_OK);
}

static void fill_process(scene *s, void *result, size_t size)
{
    tac_config_process_info_sized(s->config, 0, result, size);
}

static void fill_crossing(scene *s, void *result, size_t size)
{
    size_t count;
    assert_int_equal(tac_config_crossing_count(s->config, &count, NULL), TAC_OK);
    tac_config_crossing_info_sized(s->config, 0, result, size);
}

static void fill_checkpoint(scene *s, void *result, size_t size)
{
    assert_int_equal(tac_checkpoint_read_info_sized(s->checkpoint, result, size, NULL), TAC_OK);
}

static void fill_about(scene *s, void *result, size_t size)
{
    tac_replay_about_sized(s->replay, result, size);
}

static void fill_export(scene *s, void *result, size_t size)
{
    tac_export_def def = tac_export_def_default();
    def.path = path_of("out.csv");
    assert_int_equal(tac_recording_export_sized(s->recording, &def, result, size, NULL), TAC_OK);
}

// The first sample after some time, again and again.
static void fill_sample(scene *s, void *result, size_t size)
{
    bool more;
    tac_cursor_close(s->cursor);
    assert_int_equal(tac_cursor_open(s->recording, NULL, 5000, TAC_TIME_NEVER, &s->cursor, NULL),
                     TAC_OK);
    assert_int_equal(tac_cursor_next_sized(s->cursor, result, size, &more, NULL), TAC_OK);
    assert_true(more);
    // Where its values lie is the cursor's business.
    const size_t at = offsetof(tac_sample, values);
    if (size >= at + sizeof(void *))
        memset((char *)result + at, 0, sizeof(void *));
}

#define CHECK(type, name) check(&s, #name, fill_##name, sizeof(type))

static const char text[] =
    "duration: 20 ms\n"
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"
    "components:\n"
    "  wave: {type: sine}\n"
    "  send: {type: beacon, inputs: {u: wave.y}}\n"
    "  hear: {type: listener}\n"
    "entities:\n"
    "  a:\n"
    "    components:\n"
    "      body: {type: integrator, params: {rate_unit: '1'}, inputs: {u: wave.y}}\n"
    "      tx: {type: beacon, inputs: {u: wave.y}}\n"
    "  b: {components: {rx: {type: listener}}}\n"
    "links:\n"
    "  - {from: send.tx, to: hear.rx, delay: 3 ms}\n"
    "  - {from: a.tx.tx, to: b.rx.rx, delay: 1 ms}\n"
    "federation: {processes: {p: {entities: a}, q: {entities: b}}}\n"
    "expect: {small: {always: wave.y < 2}}\n";

static void must(tac_status status, const tac_error *err)
{
    if (status != TAC_OK)
        fail_msg("%s", err->text);
}

static tac_engine *build(scene *s)
{
    tac_error err;
    tac_engine *engine;
    tac_engine_def def = tac_config_engine_def(s->config);
    def.profile = true;
    must(tac_config_build_unprepared(s->config, &def, &engine, &err), &err);
    return engine;
}

// A run that was recorded, and is replayed.
static void open_scene(scene *s)
{
    tac_error err;
    *s = (scene){0};
    snprintf(s->file, sizeof s->file, "%s", path_of("a.mcap"));
    snprintf(s->checkpoint, sizeof s->checkpoint, "%s", path_of("a.checkpoint"));
    must(tac_registry_create(NULL, &s->registry, &err), &err);
    tac_config_def def = tac_config_def_default();
    def.registry = s->registry;
    must(tac_config_parse("test.yaml", text, strlen(text), &def, &s->config, &err), &err);
    tac_engine *live = build(s);
    tac_recorder_def record = tac_recorder_def_default();
    tac_recorder *recorder;
    record.path = s->file;
    must(tac_recorder_create(&record, live, &recorder, &err), &err);
    must(tac_config_verdict(s->config, live, &s->verdict, &err), &err);
    must(tac_engine_prepare(live, &err), &err);
    must(tac_verdict_begin(s->verdict, &err), &err);
    must(tac_recorder_begin(recorder, &err), &err);
    must(tac_engine_checkpoint_at(live, 10000, s->checkpoint, &err), &err);
    must(tac_engine_run(live, TAC_TIME_NEVER, &err), &err);
    tac_verdict_end(s->verdict);
    must(tac_recorder_end(recorder, NULL, &err), &err);
    tac_recorder_destroy(recorder);
    tac_engine_destroy(live);

    s->engine = build(s);
    const tac_replay_def replay = tac_replay_def_default();
    must(tac_recording_open(s->file, &s->recording, &err), &err);
    must(tac_replay_create(s->recording, s->engine, &replay, &s->replay, &err), &err);
    must(tac_engine_prepare(s->engine, &err), &err);
    must(tac_replay_begin(s->replay, &err), &err);
    must(tac_engine_run(s->engine, TAC_TIME_NEVER, &err), &err);
}

static void close_scene(scene *s)
{
    tac_cursor_close(s->cursor);
    tac_engine_destroy(s->engine);
    tac_replay_destroy(s->replay);
    tac_recording_close(s->recording);
    tac_verdict_destroy(s->verdict);
    tac_config_destroy(s->config);
    tac_registry_destroy(s->registry);
}

static void test_sizes(void **state)
{
    (void)state;
    scene s;
    open_scene(&s);
    CHECK(tac_counters, counters);
    CHECK(tac_sizes, sizes);
    CHECK(tac_group_info, group_info);
    CHECK(tac_component_info, component_info);
    CHECK(tac_signal_info, signal_info);
    CHECK(tac_change, change);
    CHECK(tac_input_info, input_info);
    CHECK(tac_port_info, sender_info);
    CHECK(tac_port_info, receiver_info);
    CHECK(tac_link_info, link_info);
    CHECK(tac_param_info, param_info);
    CHECK(tac_profile, profile);
    CHECK(tac_component_profile, profile_component);
    CHECK(tac_expectation, expectation);
    CHECK(tac_federation_info, federation);
    CHECK(tac_process_info, process);
    CHECK(tac_crossing_info, crossing);
    CHECK(tac_checkpoint_info, checkpoint);
    CHECK(tac_replay_result, about);
    CHECK(tac_export_result, export);
    CHECK(tac_sample, sample);
    close_scene(&s);
}

// Results with memory of their own: a caller that knows more fields. One that knows fewer has at
// least those of today, as memory hangs on them.
static void test_memory(void **state)
{
    (void)state;
    scene s;
    tac_error err;
    open_scene(&s);
    struct {
        tac_series known;
        char more[MORE];
    } series;
    memset(&series, FILL, sizeof series);
    must(tac_recording_series_sized(s.recording, 0, 0, TAC_TIME_NEVER, &series.known, sizeof series,
                                    &err),
         &err);
    assert_true(series.known.samples > 0 && series.known.values);
    static const char zeros[sizeof series];
    assert_memory_equal(series.more, zeros, MORE);
    tac_series_fini_sized(&series.known, sizeof series);
    assert_memory_equal(&series, zeros, sizeof series);
    struct {
        tac_recovered known;
        char more[MORE];
    } recovered;
    memset(&recovered, FILL, sizeof recovered);
    must(tac_recording_recover_sized(s.file, path_of("b.mcap"), &recovered.known, sizeof recovered,
                                     &err),
         &err);
    assert_true(recovered.known.messages > 0 && recovered.known.last_us == 20000);
    assert_string_equal(recovered.known.lost, "");
    assert_memory_equal(recovered.more, zeros, MORE);
    tac_text_free(recovered.known.lost);
    close_scene(&s);
}

TEST_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_memory))
