// config.c - fuzzes the way from a configuration to a run: text, entities, checks, build, a few
// boundaries. Whatever comes in, one printable error or a run comes out, and no memory is left.
//
// Lists may be long (repeat.h). So that nothing takes long: little memory, a short run of few
// instants, no plugins.
#include "base/error.h"
#include "repeat.h"
#include <tactus/tactus.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 64 << 20, INSTANTS = 64, VALUES = 2000, PROCESSES = 4 };

static size_t live;

static void *resize(void *context, void *old, size_t old_size, size_t size)
{
    (void)context;
    if (size > MEMORY || live - old_size + size > MEMORY)
        return NULL;
    live = live - old_size + size;
    if (size)
        return realloc(old, size);
    free(old);
    return NULL;
}

static const tac_allocator allocator = {resize, NULL};

static const char *no_variable(void *context, const char *name)
{
    (void)context;
    (void)name;
    return NULL;
}

static void check_error(tac_status status, const tac_error *err)
{
    char text[8192];
    if (status != err->status || tac_error_print(err, text, sizeof text) == 0)
        abort();
}

static void run(tac_config *config)
{
    tac_error err;
    tac_error_clear(&err);
    tac_engine_def def = tac_config_engine_def(config);
    def.allocator = &allocator;
    tac_engine *engine = NULL;
    tac_verdict *verdict = NULL;
    tac_status status = tac_config_build_unprepared(config, &def, &engine, &err);
    if (status == TAC_OK)
        status = tac_config_verdict(config, engine, &verdict, &err);
    if (status == TAC_OK)
        status = tac_engine_prepare(engine, &err);
    if (status == TAC_OK)
        status = tac_verdict_begin(verdict, &err);
    for (int i = 0; status == TAC_OK && i < INSTANTS && !tac_engine_finished(engine); i++)
        status = tac_engine_run(engine, tac_engine_next_time(engine), &err);
    if (status != TAC_OK)
        check_error(status, &err);
    if (status == TAC_OK || status == TAC_E_STOPPED)
        tac_verdict_end(verdict);
    for (size_t i = 0; status == TAC_OK && i < tac_verdict_count(verdict); i++)
        tac_text_free(tac_verdict_print(verdict, i, TAC_FORMAT_TEXT));
    tac_verdict_destroy(verdict);
    tac_engine_destroy(engine);
}

// The parts of a federation run like any other configuration.
static void run_parts(tac_config *config)
{
    tac_error err;
    tac_error_clear(&err);
    tac_federation_info info;
    tac_status status = tac_config_federation(config, &info, &err);
    if (status != TAC_OK) {
        check_error(status, &err);
        return;
    }
    for (size_t i = 0; i < info.process_count && i < PROCESSES; i++) {
        tac_config *part = NULL;
        status = tac_config_part(config, i, &part, &err);
        if (status == TAC_OK)
            run(part);
        else
            check_error(status, &err);
        tac_config_destroy(part);
    }
}

// How often a word occurs: a guard against sizes that are legal but take long.
static bool has_word(const uint8_t *data, size_t size, const char *word)
{
    const size_t n = strlen(word);
    for (size_t i = 0; i + n <= size; i++) {
        if (memcmp(data + i, word, n) == 0)
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // Plugins would load any file; extends and the config of a process read any.
    if (size > VALUES || has_word(data, size, "plugins") || has_word(data, size, "extends") ||
        has_word(data, size, "config"))
        return 0;
    tac_error err;
    tac_error_clear(&err);
    tac_registry *registry = NULL;
    tac_config *config = NULL;
    if (tac_registry_create(&allocator, &registry, &err) != TAC_OK)
        abort();
    const char *const sets[] = {"duration=1 s"};
    tac_config_def def = tac_config_def_default();
    def.allocator = &allocator;
    def.registry = registry;
    def.sets = sets;
    def.set_count = 1;
    def.variable = no_variable;
    tac__text text;
    tac__text_init(&text, NULL);
    repeat_lines(&text, (const char *)data, size);
    const tac_status status =
        tac_config_parse("fuzz", text.chars ? text.chars : "", text.length, &def, &config, &err);
    tac__text_fini(&text);
    if (status == TAC_OK)
        run(config);
    else
        check_error(status, &err);
    if (tac_config_federates(config))
        run_parts(config);
    if (status == TAC_OK) {
        char *resolved = tac_config_resolved(config);
        tac_config *again = NULL;
        // What was resolved can be read again; it has no templates and variables any more, and is
        // longer than what it was made of.
        if (!resolved)
            abort();
        const tac_status second =
            tac_config_parse("again", resolved, strlen(resolved), &def, &again, &err);
        if (second != TAC_OK && second != TAC_E_MEMORY && second != TAC_E_LIMIT)
            abort();
        tac_config_destroy(again);
        tac_text_free(resolved);
    }
    tac_config_destroy(config);
    tac_registry_destroy(registry);
    if (live != 0)
        abort();
    return 0;
}
