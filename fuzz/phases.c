// phases.c - fuzzes flight phases: what stands under `phases:` comes from the input, around it is a
// small simulation with everything that phases can change. Whatever comes in, one printable error
// or a run comes out; if it runs, all strategies give the same hash.
//
// The first byte says in which phases components are active; the rest is YAML, whose lists may be
// long (repeat.h).
#include "base/error.h"
#include "repeat.h"
#include <tactus/tactus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INSTANTS = 80, SIZE_MAX_INPUT = 3000 };

static const char head[] =
    "duration: 20 ms\n"
    "scheduler:\n"
    "  rate_groups:\n"
    "    - {name: g, period: 1 ms, components: [clock, wave, noise, beacon]}\n"
    "components:\n"
    "  clock: {type: counter}\n"
    "  wave: {type: sine, params: {frequency: 100 Hz}%s}\n"
    "  noise: {type: noise%s}\n"
    "  beacon: {type: beacon, inputs: {u: wave.y}}\n"
    "  listener: {type: listener%s}\n"
    "  mass: {type: oscillator, params: {stiffness: 900 N/m}%s}\n"
    "  lag: {type: lag, params: {tau: 3 ms}, inputs: {u: noise.y}%s}\n"
    "links: [{from: beacon.tx, to: listener.rx, delay: 300 us}]\n"
    "phases:\n";

static const char *activity(uint8_t bits, unsigned i)
{
    static const char *const texts[] = {"", ", active: B", ", active: [A, C], inactive: hold"};
    return texts[(bits >> i) % 3];
}

static void check_error(tac_status status, const tac_error *err)
{
    char text[8192];
    if (status != err->status || tac_error_print(err, text, sizeof text) == 0)
        abort();
}

// Returns false where it does not come to an end.
static bool run(const tac_config *config, tac_strategy strategy, uint64_t *hash)
{
    tac_error err;
    tac_error_clear(&err);
    tac_engine_def def = tac_config_engine_def(config);
    def.strategy = strategy;
    tac_engine *engine = NULL;
    tac_status status = tac_config_build(config, &def, &engine, &err);
    for (int i = 0; status == TAC_OK && i < INSTANTS && !tac_engine_finished(engine); i++)
        status = tac_engine_run(engine, tac_engine_next_time(engine), &err);
    if (status != TAC_OK)
        check_error(status, &err);
    else
        *hash = tac_engine_hash(engine, NULL, NULL);
    tac_engine_destroy(engine);
    return status == TAC_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > SIZE_MAX_INPUT)
        return 0;
    const uint8_t bits = data[0];
    tac__text text, lines;
    tac__text_init(&text, NULL);
    tac__text_init(&lines, NULL);
    tac__text_add(&text, head, activity(bits, 0), activity(bits, 1), activity(bits, 2),
                  activity(bits, 3), activity(bits, 4));
    repeat_lines(&lines, (const char *)data + 1, size - 1);
    for (size_t i = 0; i < lines.length; i++) {
        if (i == 0 || lines.chars[i - 1] == '\n')
            tac__text_add(&text, "  ");
        tac__text_bytes(&text, lines.chars + i, 1);
    }
    tac__text_fini(&lines);
    tac_error err;
    tac_error_clear(&err);
    tac_registry *registry = NULL;
    tac_config *config = NULL;
    if (tac_registry_create(NULL, &registry, &err) != TAC_OK)
        abort();
    tac_config_def def = tac_config_def_default();
    def.registry = registry;
    const tac_status status =
        tac_config_parse("fuzz", text.chars, text.length, &def, &config, &err);
    tac__text_fini(&text);
    if (status != TAC_OK) {
        check_error(status, &err);
    } else {
        uint64_t skip, gate, split;
        const bool runs = run(config, TAC_STRATEGY_SKIP, &skip);
        if (runs != run(config, TAC_STRATEGY_GATE, &gate) ||
            runs != run(config, TAC_STRATEGY_SPLIT, &split))
            abort();
        if (runs && (skip != gate || skip != split))
            abort();
    }
    tac_config_destroy(config);
    tac_registry_destroy(registry);
    return 0;
}
