// checkpoint.c - fuzzes checkpoint files. The bytes come in without the check sum at their end,
// which is added here so that what lies behind it is reached; then with one bit of it wrong.
//
// Whatever the block says, restoring it either fails with a sentence or gives a run that comes to
// an end, with or without an error.
//
// An input that begins with 'P' is a list of changes (place in two bytes, value in one) to a true
// file: it reaches as deep whatever the model and its hash have become since it was found.
#include "base/hash.h"
#include <tactus/tactus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A component with something of its own to save, of any size.
static int64_t kept;

static tac_status keeper_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d, TAC_PORT(.name = "n", .type = TAC_TYPE_I64));
    return TAC_OK;
}

static tac_status keeper_step(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, int64_t, 0) = ++kept;
    return TAC_OK;
}

static tac_status keeper_save(const void *self, void *bytes, size_t *size)
{
    (void)self;
    *size = sizeof kept;
    if (bytes)
        memcpy(bytes, &kept, sizeof kept);
    return TAC_OK;
}

static tac_status keeper_restore(const void *self, const void *bytes, size_t size)
{
    (void)self;
    kept = 0;
    for (size_t i = 0; i < size; i++) // look at every byte
        kept = (kept << 1) ^ ((const uint8_t *)bytes)[i];
    return size == sizeof kept ? TAC_OK : TAC_E_FORMAT;
}

static const tac_component_type keeper_type = {.size = sizeof(tac_component_type),
                                               .name = "keeper",
                                               .version = "1",
                                               .flags = TAC_COMPONENT_OPAQUE,
                                               .stage = TAC_STAGE_CONTROL,
                                               .declare = keeper_declare,
                                               .kernels[TAC_NUMBERS].step = keeper_step,
                                               .save = keeper_save,
                                               .restore = keeper_restore};

// Events differ between the model that makes the file and one that branches off.
#define MODEL(events)                                                                              \
    "duration: 20 ms\n"                                                                            \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [k, c, w, b, s]}]}\n"           \
    "phases:\n"                                                                                    \
    "  names: [A, B]\n"                                                                            \
    "  initial: A\n"                                                                               \
    "  transitions: [{from: A, to: B, condition: 'o.position > 0.001', locate: true}, {from: B, "  \
    "to: A, condition: 't > 0.01'}]\n"                                                             \
    "components:\n"                                                                                \
    "  k: {type: keeper}\n"                                                                        \
    "  c: {type: counter, active: [B]}\n"                                                          \
    "  w: {type: noise, params: {unit: N}}\n"                                                      \
    "  o: {type: oscillator, inputs: {force: {from: w.y, delay: 2 ms}}}\n"                         \
    "  b: {type: beacon, params: {unit: m}, inputs: {u: o.position}}\n"                            \
    "  l: {type: listener, params: {unit: m}}\n"                                                   \
    "  s: {type: scenario, params: {motors: 2, signals: [{name: a}], events: [" events "]}}\n"     \
    "links: [{from: b.tx, to: l.rx, delay: {uniform: [1 ms, 6 ms]}, duplicate: 0.5}]\n"

#define HAPPENED  "{at: 2 ms, do: motor_off, motor: 1, for: 9 ms}"
#define REMEMBERS "{when: 'held(t > 0.004, 5 ms)', do: set, signal: a, value: 1}"

static const char model[] = MODEL(HAPPENED ", " REMEMBERS ", {at: 9 ms, do: arm}");
static const char changed[] = MODEL("{at: 8 ms, do: gust, wind: [1, 2, 3]}, " REMEMBERS
                                    ", " HAPPENED ", {when: 'rising(c.n > 9)', do: disarm}");

static char path[64];
static uint8_t *original;
static size_t original_size;

static tac_registry *registry;
static tac_config *config, *changed_config;

static tac_engine *make_engine(const tac_config *config_of)
{
    tac_engine *engine;
    tac_error err;
    const tac_engine_def def = tac_config_engine_def(config_of);
    if (tac_config_build(config_of, &def, &engine, &err) != TAC_OK)
        abort();
    return engine;
}

static void forget(void)
{
    remove(path);
}

static void prepare(void)
{
    tac_error err;
    snprintf(path, sizeof path, "/tmp/tactus_fuzz_%d", (int)getpid());
    atexit(forget);
    if (tac_registry_create(NULL, &registry, &err) != TAC_OK ||
        tac_registry_add(registry, &keeper_type, &err) != TAC_OK)
        abort();
    tac_config_def def = tac_config_def_default();
    def.registry = registry;
    if (tac_config_parse("model", model, strlen(model), &def, &config, &err) != TAC_OK ||
        tac_config_parse("changed", changed, strlen(changed), &def, &changed_config, &err) !=
            TAC_OK)
        abort();
    tac_engine *engine = make_engine(config);
    if (tac_engine_checkpoint_at(engine, 5000, path, &err) != TAC_OK ||
        tac_engine_run(engine, TAC_TIME_NEVER, &err) != TAC_OK)
        abort();
    tac_engine_destroy(engine);
    engine = make_engine(changed_config); // as it is, the file can be branched off
    if (tac_engine_branch(engine, path, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    tac_engine_destroy(engine);
    FILE *f = fopen(path, "rb");
    original = malloc(1 << 20);
    if (!f || !original)
        abort();
    original_size = fread(original, 1, 1 << 20, f);
    fclose(f);
}

// Go on from the file with the model that made it, or with the changed one.
static void try_model(bool branch, tac_status looked)
{
    tac_error err;
    char text[8192];
    tac_engine *engine = make_engine(branch ? changed_config : config);
    tac_error_clear(&err);
    tac_status status =
        branch ? tac_engine_branch(engine, path, &err) : tac_engine_restore(engine, path, &err);
    if (looked != TAC_OK && status == TAC_OK)
        abort();
    if (status == TAC_OK)
        status = tac_engine_run(engine, TAC_TIME_NEVER, &err);
    if (status != TAC_OK && (err.status != status || !tac_error_print(&err, text, sizeof text)))
        abort();
    tac_engine_destroy(engine);
}

static void try_file(const uint8_t *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f) != 0)
        abort();
    tac_error err;
    tac_checkpoint_info info;
    tac_error_clear(&err);
    const tac_status looked = tac_checkpoint_read_info(path, &info, &err);
    if (looked != TAC_OK && looked != TAC_E_FORMAT)
        abort();
    try_model(false, looked);
    try_model(true, looked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!original)
        prepare();
    if (size > 1 << 16)
        return 0;
    const bool patch = size && data[0] == 'P';
    const size_t changes = patch ? (size - 1) / 3 : 0;
    const uint8_t *source = patch ? original : data;
    const uint8_t *change = data + 1;
    size = patch ? original_size - 8 : size;
    uint8_t *bytes = malloc(size + 8);
    if (!bytes)
        return 0;
    if (size)
        memcpy(bytes, source, size);
    for (size_t i = 0; i < changes; i++, change += 3)
        bytes[((size_t)change[0] | (size_t)change[1] << 8) % size] = change[2];
    uint64_t check = tac__hash_end(tac__hash_bytes(TAC__HASH_SEED, bytes, size));
    memcpy(bytes + size, &check, sizeof check);
    try_file(bytes, size + 8);
    bytes[size] ^= 1;
    try_file(bytes, size + 8);
    free(bytes);
    return 0;
}
