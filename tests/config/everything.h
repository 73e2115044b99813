// everything.h - all that a host can have computed and written, as bytes: for tests that compare
// one environment of a host with another.
#ifndef TAC_TESTS_CONFIG_EVERYTHING_H
#define TAC_TESTS_CONFIG_EVERYTHING_H

#include "support/folder.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/tactus.h>

typedef struct findings {
    char *text;
    size_t size;
    FILE *file;
} findings;

static void after_call(const char *call); // the test's own
static void give_up(void);                // back to what cmocka knows, before a failure

#define DO(call)                                                                                   \
    do {                                                                                           \
        const tac_status status_ = (call);                                                         \
        after_call(#call);                                                                         \
        if (status_ != TAC_OK) {                                                                   \
            give_up();                                                                             \
            fail_msg("%s: %s", #call, err.text);                                                   \
        }                                                                                          \
    } while (0)
#define GET(call)                                                                                  \
    (call);                                                                                        \
    after_call(#call)

// A state that decays into subnormal numbers, equations with a division, noise, parameters and
// times that no binary number is: every rounding mode and every flush would show.
static const char model[] =
    "name: floats\nseed: 3\nduration: 2.5 s\n"
    "phases: {names: [idle, high], initial: idle, transitions:"
    " [{from: idle, to: high, condition: 'body.x > 0.35', locate: true}]}\n"
    "scheduler: {rate_groups: [{name: g, period: 3 ms, components: ['*']}]}\n"
    "plant: {integrator: {kind: rk45}}\n"
    "record: {tier: all, rate: 62.5 Hz}\n"
    "components:\n"
    "  wave: {type: sine, params: {amplitude: 0.1, frequency: 3.3 Hz}}\n"
    "  hiss: {type: noise, params: {deviation: 0.7}}\n"
    "  fade: {type: filter, params: {tau: 1.7 ms}, inputs: {u: small.y}}\n"
    "  small: {type: constant, params: {value: 1.1e-308}}\n"
    "  slow: {type: lag, params: {tau: 0.1 s, initial: 1e-300}, inputs: {u: small.y}}\n"
    "  body:\n"
    "    type: equations\n"
    "    params:\n"
    "      inputs: {u: 1}\n"
    "      parameters: {k: 0.1, tiny: 3.3e-308}\n"
    "      states: {x: {initial: 0.3}, v: {initial: 0}}\n"
    "      outputs: {y: 1}\n"
    "      equations: ['y = exp(-x)/3 + tiny*x', 'der(x) = v/1 s',"
    " 'der(v) = (u - k*v - sin(x*1 rad)/3)/1 s']\n"
    "    inputs: {u: wave.y}\n";

static bool take(void *context, const void *bytes, size_t size)
{
    findings *f = context;
    return fwrite(bytes, 1, size, f->file) == size;
}

static void add_file(findings *f, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char bytes[4096];
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        take(f, bytes, n);
    fclose(file);
}

static void add_text(findings *f, char *text)
{
    assert_non_null(text);
    fputs(text, f->file);
    tac_text_free(text);
}

static void add_number(findings *f, uint64_t number)
{
    fwrite(&number, sizeof number, 1, f->file);
}

static void add_signals(findings *f, tac_engine *engine)
{
    const size_t count = tac_engine_signal_count(engine);
    for (size_t i = 0; i < count; i++) {
        const void *value = GET(tac_engine_read(engine, (int)i));
        fwrite(value, 8, 1, f->file);
    }
    add_number(f, tac_engine_hash(engine, NULL, NULL));
    add_number(f, tac_engine_model_hash(engine));
}

static void fly(findings *f, tac_registry *registry, const char *recording)
{
    tac_error err;
    tac_config *config;
    tac_engine *engine;
    tac_recorder *recorder;
    tac_config_def config_def = tac_config_def_default();
    config_def.registry = registry;
    DO(tac_config_parse("floats.yaml", model, sizeof model - 1, &config_def, &config, &err));
    tac_engine_def engine_def = GET(tac_config_engine_def(config));
    DO(tac_config_build_unprepared(config, &engine_def, &engine, &err));
    tac_recorder_def recorder_def;
    DO(tac_config_recorder_def(config, &recorder_def, &err));
    recorder_def.path = recording;
    recorder_def.csv = path_of("live.csv");
    DO(tac_recorder_create(&recorder_def, engine, &recorder, &err));
    DO(tac_engine_prepare(engine, &err));
    DO(tac_recorder_begin(recorder, &err));
    DO(tac_engine_checkpoint_at(engine, 1000000, path_of("floats.checkpoint"), &err));
    DO(tac_engine_run(engine, 777777, &err));
    add_signals(f, engine);
    DO(tac_engine_run(engine, TAC_TIME_NEVER, &err));
    add_signals(f, engine);
    DO(tac_recorder_end(recorder, NULL, &err));
    char *text = GET(tac_engine_explain(engine, TAC_FORMAT_JSON));
    add_text(f, text);
    text = GET(tac_engine_explain(engine, TAC_FORMAT_SVG));
    add_text(f, text);
    text = GET(tac_engine_schema(engine, TAC_FORMAT_TEXT));
    add_text(f, text);
    text = GET(tac_config_resolved(config));
    add_text(f, text);
    text = GET(tac_config_schema(registry));
    add_text(f, text);
    tac_recorder_destroy(recorder);
    after_call("tac_recorder_destroy");
    tac_engine_destroy(engine);
    after_call("tac_engine_destroy");
    add_file(f, recording);
    add_file(f, path_of("live.csv"));

    DO(tac_config_build(config, &engine_def, &engine, &err));
    DO(tac_engine_restore(engine, path_of("floats.checkpoint"), &err));
    DO(tac_engine_run(engine, TAC_TIME_NEVER, &err));
    add_signals(f, engine);
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    after_call("tac_config_destroy");
}

static void read_again(findings *f, tac_registry *registry, const char *path)
{
    tac_error err;
    tac_recording *recording, *other;
    DO(tac_recording_open(path, &recording, &err));
    DO(tac_recording_open(path, &other, &err));
    for (size_t i = 0; i < tac_recording_signal_count(recording); i++) {
        tac_series series;
        DO(tac_recording_series(recording, i, 0, TAC_TIME_MAX, &series, &err));
        fwrite(series.values, sizeof *series.values, series.samples * series.count, f->file);
        tac_series_fini(&series);
    }
    const tac_export_format *format;
    for (size_t i = 0; (format = tac_export_format_at(i)); i++) {
        tac_export_def def = tac_export_def_default();
        tac_export_result result;
        def.format = format->name;
        def.write = take;
        def.context = f;
        if (format->stream)
            DO(tac_recording_export(recording, &def, &result, &err));
    }
    const tac_tolerance tolerance = {"*", 0.1, 1e-3};
    tac_compare_def compare_def = tac_compare_def_default();
    compare_def.tolerances = &tolerance;
    compare_def.tolerance_count = 1;
    tac_comparison *comparison;
    DO(tac_recording_compare(recording, other, &compare_def, &comparison, &err));
    assert_true(tac_comparison_equal(comparison));
    tac_comparison_destroy(comparison);

    tac_config *config;
    tac_config_def config_def = tac_config_def_default();
    config_def.registry = registry;
    const char *text = tac_recording_about(recording)->config;
    DO(tac_config_parse("again.yaml", text, strlen(text), &config_def, &config, &err));
    tac_engine_def engine_def = tac_config_engine_def(config);
    tac_engine *engine;
    tac_replay *replay;
    DO(tac_config_build_unprepared(config, &engine_def, &engine, &err));
    const tac_replay_def replay_def = tac_replay_def_default();
    DO(tac_replay_create(recording, engine, &replay_def, &replay, &err));
    DO(tac_engine_prepare(engine, &err));
    DO(tac_replay_begin(replay, &err));
    DO(tac_engine_run(engine, TAC_TIME_NEVER, &err));
    DO(tac_replay_end(replay, &err));
    assert_true(tac_replay_about(replay).hash_match);
    tac_replay_destroy(replay);
    add_signals(f, engine);
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    tac_recording_close(other);
    tac_recording_close(recording);
    after_call("tac_recording_close");
}

// What is wrong is said with numbers, too.
static void mistakes(findings *f, tac_registry *registry)
{
    static const char *const wrong[] = {
        "duration: 0.3 us\n",
        "duration: 1 s\nseed: 1.5\n",
        ("duration: 1 s\ncomponents: {a: {type: noise, params: {deviation: -1.25}}}\n"
         "scheduler: {rate_groups: [{name: g, rate: 300 Hz, components: [a]}]}\n"),
        "duration: 1 s\nplant: {integrator: {kind: rk45, rtol: 2.5}}\n",
        "duration: 1 s\nextends: [no_such_file.yaml]\n",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tac_error err;
        tac_config *config;
        tac_config_def def = tac_config_def_default();
        def.registry = registry;
        char text[8192];
        tac_status status =
            tac_config_parse("wrong.yaml", wrong[i], strlen(wrong[i]), &def, &config, &err);
        after_call("tac_config_parse");
        if (status == TAC_OK) {
            tac_engine *engine;
            const tac_engine_def engine_def = tac_config_engine_def(config);
            status = tac_config_build(config, &engine_def, &engine, &err);
            after_call("tac_config_build");
        }
        assert_int_not_equal(status, TAC_OK);
        tac_error_print(&err, text, sizeof text);
        after_call("tac_error_print");
        fputs(text, f->file);
        tac_config_destroy(config);
    }
}

static findings find_all(void)
{
    findings f = {0};
    f.file = open_memstream(&f.text, &f.size);
    assert_non_null(f.file);
    tac_error err;
    tac_registry *registry;
    DO(tac_registry_create(NULL, &registry, &err));
    char recording[256];
    snprintf(recording, sizeof recording, "%s", path_of("floats.mcap"));
    fly(&f, registry, recording);
    read_again(&f, registry, recording);
    for (size_t i = 0; i < tac_registry_count(registry); i++) {
        char *text = GET(tac_type_describe(tac_registry_type(registry, i), TAC_FORMAT_JSON));
        add_text(&f, text);
    }
    mistakes(&f, registry);
    tac_registry_destroy(registry);
    after_call("tac_registry_destroy");
    remove(recording);
    fclose(f.file);
    return f;
}

#endif
