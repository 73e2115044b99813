// One NaN: which bits a NaN has is up to the machine, and shows nowhere outside the engine. The
// same simulation with NaNs of other signs and payloads gives the same digests, messages,
// recordings, checkpoints and texts.
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/tactus.h>

static const uint64_t patterns[] = {
    UINT64_C(0x7ff8000000000000), // quiet; what ARM gives
    UINT64_C(0xfff8000000000000), // what x86 gives
    UINT64_C(0x7ff8000000001234), // with a payload
    UINT64_C(0xffffffffffffffff),
    UINT64_C(0x7ff0000000000001), // signalling
};
enum { PATTERNS = sizeof patterns / sizeof *patterns, ALL = PATTERNS };
static size_t chosen; // ALL: another one at each step

static double a_nan(tac_time t_us, size_t i)
{
    const size_t n = chosen == ALL ? (size_t)(t_us / 1000) + i : chosen;
    double x;
    memcpy(&x, &patterns[n % PATTERNS], sizeof x);
    return x;
}

// Copied as bits: the x87 or a conversion may make a signalling NaN quiet.
static void put_nan(double *to, tac_time t_us, size_t i)
{
    const double x = a_nan(t_us, i);
    memcpy(to, &x, sizeof x);
}

static tac_status source_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d, TAC_PORT(.name = "v", .type = TAC_TYPE_VEC3));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "n", .type = TAC_TYPE_I64));
    tac_declare_state(d, TAC_PORT(.name = "memory", .type = TAC_TYPE_VEC3));
    tac_declare_sender(d, TAC_MESSAGE(.name = "tx", .numbers = true));
    return TAC_OK;
}

static tac_status source_step(tac_step *s, const void *self)
{
    (void)self;
    double *v = TAC_OUT(s, double, 0), *memory = TAC_STATE(s, double, 0);
    put_nan(&v[0], s->t_us, 0);
    v[1] = (double)s->t_us;
    put_nan(&v[2], s->t_us, 2);
    put_nan(TAC_OUT(s, double, 1), s->t_us, 3);
    *TAC_OUT(s, int64_t, 2) = -1 - (int64_t)s->t_us; // looks like a NaN, and is none
    put_nan(&memory[1], s->t_us, 4);
    return tac_send(s, 0, v, 3 * sizeof *v);
}

static const tac_component_type source = {.size = sizeof(tac_component_type),
                                          .name = "source",
                                          .version = "1",
                                          .stage = TAC_STAGE_ESTIMATE,
                                          .declare = source_declare,
                                          .kernels[TAC_NUMBERS].step = source_step};

// In stage scenario what did not change is not recorded.
static tac_status still_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status still_step(tac_step *s, const void *self)
{
    (void)self;
    put_nan(TAC_OUT(s, double, 0), s->t_us, 1);
    return TAC_OK;
}

static const tac_component_type still = {.size = sizeof(tac_component_type),
                                         .name = "still",
                                         .version = "1",
                                         .stage = TAC_STAGE_SCENARIO,
                                         .declare = still_declare,
                                         .kernels[TAC_NUMBERS].step = still_step};

static tac_status ear_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_receiver(
        d, TAC_MESSAGE(.name = "rx", .capacity = 8, .max_bytes = 24, .triggers = true));
    tac_declare_state(d, TAC_PORT(.name = "heard", .type = TAC_TYPE_VEC3));
    return TAC_OK;
}

static tac_status ear_step(tac_step *s, const void *self)
{
    (void)self;
    tac_message m;
    while (tac_receive(s, 0, &m)) {
        const uint64_t *words = m.bytes;
        assert_int_equal(m.size, 24);
        assert_int_equal(words[0], patterns[0]);
        assert_int_equal(words[2], patterns[0]);
        memcpy(s->state[0], m.bytes, m.size);
    }
    return TAC_OK;
}

static const tac_component_type ear = {.size = sizeof(tac_component_type),
                                       .name = "ear",
                                       .version = "1",
                                       .stage = TAC_STAGE_CONTROL,
                                       .declare = ear_declare,
                                       .kernels[TAC_NUMBERS].step = ear_step};

static const char model[] =
    "name: nans\nduration: 100 ms\n"
    "scheduler:\n"
    "  rate_groups: [{name: g, period: 1 ms, components: [still, source]},"
    " {name: h, period: 7 ms, components: [late, twin]}]\n"
    "record: {tier: all, rate: 500 Hz, states: 20 ms}\n"
    "components:\n"
    "  still: {type: still}\n"
    "  source: {type: source}\n"
    "  late: {type: gain, params: {gain: 2}, inputs: {u: {from: source.y, delay: 5 ms}}}\n"
    "  twin: {type: gain, params: {gain: 2}, inputs: {u: {from: source.y, policy: EXTRAPOLATED}}}\n"
    "  ear: {type: ear}\n"
    "links: [{from: source.tx, to: ear.rx, delay: 3 ms}]\n";

typedef struct found {
    uint64_t hash, sent;
    char *bytes; // of all files
    size_t size;
} found;

static bool take(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size;
}

static void add_file(FILE *to, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char bytes[4096];
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        take(to, bytes, n);
    fclose(file);
}

static void require(tac_status status, const tac_error *err)
{
    if (status != TAC_OK)
        fail_msg("%s: %s", tac_status_name(status), err->text);
}

static found fly(size_t pattern, const char *recording)
{
    chosen = pattern;
    found f = {0};
    FILE *all = open_memstream(&f.bytes, &f.size);
    tac_error err;
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    tac_recorder *recorder;
    require(tac_registry_create(NULL, &registry, &err), &err);
    const tac_component_type *types[] = {&source, &still, &ear};
    for (size_t i = 0; i < 3; i++)
        require(tac_registry_add(registry, types[i], &err), &err);
    tac_config_def config_def = tac_config_def_default();
    config_def.registry = registry;
    require(tac_config_parse("nans.yaml", model, sizeof model - 1, &config_def, &config, &err),
            &err);
    const tac_engine_def engine_def = tac_config_engine_def(config);
    require(tac_config_build_unprepared(config, &engine_def, &engine, &err), &err);
    tac_recorder_def def;
    require(tac_config_recorder_def(config, &def, &err), &err);
    def.path = recording;
    def.csv = path_of("live.csv");
    def.compression = "none";
    require(tac_recorder_create(&def, engine, &recorder, &err), &err);
    require(tac_engine_prepare(engine, &err), &err);
    require(tac_recorder_begin(recorder, &err), &err);
    require(tac_engine_checkpoint_at(engine, 50000, path_of("nans.checkpoint"), &err), &err);
    require(tac_engine_run(engine, TAC_TIME_NEVER, &err), &err);
    f.hash = tac_engine_hash(engine, NULL, NULL);
    f.sent = tac_engine_hash(engine, "ear.rx", NULL);
    require(tac_recorder_end(recorder, NULL, &err), &err);
    tac_recorder_destroy(recorder);
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    tac_registry_destroy(registry);
    add_file(all, recording);
    add_file(all, path_of("live.csv"));
    add_file(all, path_of("nans.checkpoint"));

    tac_recording *r;
    require(tac_recording_open(recording, &r, &err), &err);
    const tac_export_format *format;
    for (size_t i = 0; (format = tac_export_format_at(i)); i++) {
        tac_export_def export = tac_export_def_default();
        tac_export_result result;
        export.format = format->name;
        export.write = take;
        export.context = all;
        if (format->stream)
            require(tac_recording_export(r, &export, &result, &err), &err);
    }
    tac_recording_close(r);
    fclose(all);
    return f;
}

static void no_other_nan(const found *f)
{
    for (size_t p = 1; p < PATTERNS; p++) {
        if (patterns[p] == UINT64_MAX)
            continue; // stands for other things, too
        for (size_t i = 0; i + 8 <= f->size; i++) {
            if (!memcmp(f->bytes + i, &patterns[p], 8))
                fail_msg("pattern %zu at byte %zu", p, i);
        }
    }
    for (size_t i = 0; i + 4 <= f->size; i++)
        assert_true(memcmp(f->bytes + i, "-nan", 4) != 0);
}

static void test_the_same_files(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", path_of("first.mcap"));
    const found first = fly(0, path);
    assert_true(first.size > 10000);
    for (size_t p = 1; p <= ALL; p++) {
        snprintf(path, sizeof path, "%s", path_of("other.mcap"));
        remove(path);
        const found other = fly(p, path);
        assert_int_equal(other.hash, first.hash);
        assert_int_equal(other.sent, first.sent);
        no_other_nan(&other);
        if (other.size != first.size || memcmp(other.bytes, first.bytes, first.size))
            fail_msg("other files with pattern %zu", p);
        free(other.bytes);
    }
    free(first.bytes);
}

static void test_one_nan(void **state)
{
    (void)state;
    for (size_t p = 0; p < PATTERNS; p++) {
        double x;
        memcpy(&x, &patterns[p], sizeof x);
        x = tac_one_nan(x);
        assert_memory_equal(&x, &patterns[0], sizeof x);
    }
    assert_true(tac_one_nan(-1.5) == -1.5);
}

TEST_MAIN(cmocka_unit_test(test_the_same_files), cmocka_unit_test(test_one_nan))
