// load.c - loads the configuration and the engine that a command line names.
//
// --seed and --duration are shorthands of --set, so that the resolved configuration contains them;
// they are checked here, where the error can name the option.
#include "cli/load.h"
#include "base/file.h"
#include "cli/files.h"
#include "cli/mistakes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static tac_status load_plugin(cli_simulation *sim, const cli_args *args, const char *path,
                              tac_error *err)
{
    TAC_TRY(cli_reads(args, path, err));
    return tac_registry_load(sim->registry, path, err);
}

tac_status cli_load_registry(cli_simulation *sim, const cli_args *args, tac_error *err)
{
    TAC_TRY(tac_registry_create(NULL, &sim->registry, err));
    for (size_t i = 0; i < args->given_count; i++) {
        if (!strcmp(args->given[i].option->name, "plugin"))
            TAC_TRY(load_plugin(sim, args, args->given[i].value, err));
    }
    return TAC_OK;
}

static tac_status seed_set(const char *text, tac__arena *arena, const char **set, tac_error *err)
{
    const char *end;
    const bool hex = text[0] == '0' && tac__to_lower(text[1]) == 'x' && text[2];
    const uint64_t seed = tac__digits_parse(hex ? text + 2 : text, &end, hex ? 16 : 10);
    if (end == text || *end || seed > INT64_MAX)
        return tac__fail(err, TAC_E_USAGE,
                         "option '--seed' needs a whole number from 0 to %" PRId64 ", not '%s'",
                         INT64_MAX, text);
    *set = tac__arena_format(arena, "seed=%" PRIu64, seed);
    return TAC_OK;
}

static tac_status duration_set(const char *text, tac__arena *arena, const char **set,
                               tac_error *err)
{
    tac_time t_us;
    const tac_status status = tac_time_parse(text, &t_us, err);
    if (status != TAC_OK) {
        tac__error_context(err, "reading option '--duration'");
        return status;
    }
    *set = tac__arena_format(arena, "duration=%" PRIu64 " us", t_us);
    return TAC_OK;
}

// Collect the --set arguments in an array that has room for `more` others.
static tac_status collect_sets(const cli_args *args, size_t more, tac__arena *arena,
                               const char ***sets, size_t *count, tac_error *err)
{
    *sets = tac__arena_array(arena, args->given_count + more + 1, sizeof **sets);
    *count = 0;
    for (size_t i = 0; *sets && i < args->given_count; i++) {
        const char *name = args->given[i].option->name, *value = args->given[i].value;
        const char *set = NULL;
        if (!strcmp(name, "seed"))
            TAC_TRY(seed_set(value, arena, &set, err));
        else if (!strcmp(name, "duration"))
            TAC_TRY(duration_set(value, arena, &set, err));
        else if (!strcmp(name, "set"))
            set = value;
        else
            continue;
        if (!set)
            return tac__fail_memory(err);
        (*sets)[(*count)++] = set;
    }
    return *sets ? TAC_OK : tac__fail_memory(err);
}

// Gives a file of another kind (a recording, a checkpoint) an error that says so; YAML would
// complain about its first byte.
static tac_status check_kind(const char *path, tac_error *err)
{
    if (tac_recording_is(path))
        return tac__fail(err, TAC_E_CONFIG,
                         "'%s' is a recording, not a configuration; 'tactus replay' runs it again, "
                         "'tactus info --resolved' shows its configuration",
                         path);
    if (tac__file_begins(path, "TACTUSCP", 8))
        return tac__fail(err, TAC_E_CONFIG,
                         "'%s' is a checkpoint, not a configuration; 'tactus run FILE --from' goes "
                         "on from it",
                         path);
    return TAC_OK;
}

enum { STDIN_LIMIT = 64 << 20 };

// A configuration from standard input is called "stdin"; names of files in it are relative to the
// current folder.
static tac_status load_stdin(const tac_config_def *def, tac_config **config, tac_error *err)
{
    const tac_allocator *a = tac_allocator_default();
    char *bytes;
    size_t size;
    tac_status status = tac__file_read("/dev/stdin", STDIN_LIMIT, a, &bytes, &size, err);
    if (status == TAC_OK)
        status = tac_config_parse("stdin", bytes, size, def, config, err);
    tac__file_free(a, bytes, size);
    return status;
}

static tac_status load_config(cli_simulation *sim, const cli_args *args, const char *path,
                              tac_config_def *def, const char *const *more, size_t more_count,
                              tac_error *err)
{
    if (strcmp(path, "-"))
        TAC_TRY(check_kind(path, err));
    TAC_TRY(cli_load_registry(sim, args, err));
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    const char **sets;
    def->registry = sim->registry;
    // Of a recording one mistake is enough: its error names the recording, not the folder into
    // which the configuration was unpacked.
    if (!def->closed_folder) {
        def->mistake = cli_mistakes_add;
        def->mistake_context = args->mistakes;
    }
    tac_status status = collect_sets(args, more_count, &arena, &sets, &def->set_count, err);
    if (status == TAC_OK) {
        for (size_t i = 0; i < more_count; i++)
            sets[def->set_count++] = more[i];
        def->sets = sets;
        status = strcmp(path, "-") ? tac_config_load(path, def, &sim->config, err)
                                   : load_stdin(def, &sim->config, err);
    }
    tac__arena_fini(&arena);
    return status == TAC_OK ? cli_reads_config(args, sim->config, err) : status;
}

// The part of one process takes the place of the whole.
static tac_status choose_process(cli_simulation *sim, const char *name, tac_error *err)
{
    tac_config *part;
    const int process = tac_config_find_process(sim->config, name, err);
    if (process < 0)
        return err->status;
    TAC_TRY(tac_config_part(sim->config, (size_t)process, &part, err));
    tac_config_destroy(sim->config);
    sim->config = part;
    return TAC_OK;
}

tac_status cli_load_config(cli_simulation *sim, const cli_args *args, const char *path,
                           tac_error *err)
{
    tac_config_def def = tac_config_def_default();
    TAC_TRY(load_config(sim, args, path, &def, NULL, 0, err));
    const char *process = cli_value(args, "process");
    return process ? choose_process(sim, process, err) : TAC_OK;
}

tac_status cli_load_recorded(cli_simulation *sim, const cli_args *args, const char *path,
                             const char *folder, const char *const *more, size_t more_count,
                             tac_error *err)
{
    tac_config_def def = tac_config_def_default();
    def.untrusted = !cli_has(args, "trust");
    def.closed_folder = folder;
    return load_config(sim, args, path, &def, more, more_count, err);
}

tac_status cli_load_engine(cli_simulation *sim, const cli_args *args, const char *path,
                           tac_error *err)
{
    TAC_TRY(cli_load_unprepared(sim, args, path, err));
    return tac_engine_prepare(sim->engine, err);
}

// Name an entity of a template without its number, as it stands in the file.
static tac_status fail_size(const char *what, size_t components, const char *entity, tac_error *err)
{
    size_t length = entity ? strlen(entity) : 0;
    while (length && entity[length - 1] >= '0' && entity[length - 1] <= '9')
        length--;
    tac__fail(err, TAC_E_LIMIT, "%s of at most %d components can be made, and here are %zu; ", what,
              (int)CLI_SMALL, components);
    if (length)
        tac__error_append(err, "take fewer vehicles, as with --set entities.%.*s.count=1",
                          (int)length, entity);
    else
        tac__error_append(err, "take a part of the simulation");
    return TAC_E_LIMIT;
}

tac_status cli_check_small(const cli_simulation *sim, const char *what, tac_error *err)
{
    const char *entity;
    const size_t components = tac_config_component_count(sim->config, &entity);
    return components > CLI_SMALL ? fail_size(what, components, entity, err) : TAC_OK;
}

tac_status cli_load_small(cli_simulation *sim, const cli_args *args, const char *path,
                          const char *what, tac_error *err)
{
    TAC_TRY(cli_load_config(sim, args, path, err));
    TAC_TRY(cli_check_small(sim, what, err));
    TAC_TRY(cli_build_unprepared(sim, err));
    return tac_engine_prepare(sim->engine, err);
}

tac_status cli_load_unprepared(cli_simulation *sim, const cli_args *args, const char *path,
                               tac_error *err)
{
    TAC_TRY(cli_load_config(sim, args, path, err));
    return cli_build_unprepared(sim, err);
}

tac_status cli_build_unprepared(cli_simulation *sim, tac_error *err)
{
    // The log shows only warnings here: nothing is run.
    tac__text *kept = sim->log.kept;
    cli_log_init(&sim->log, NULL);
    sim->log.untimed = true;
    sim->log.kept = kept;
    tac_engine_def def = tac_config_engine_def(sim->config);
    cli_log_attach(&sim->log, &def);
    def.log_level = TAC_LOG_WARN;
    return tac_config_build_unprepared(sim->config, &def, &sim->engine, err);
}

void cli_unload(cli_simulation *sim)
{
    tac_engine_destroy(sim->engine);
    tac_config_destroy(sim->config);
    tac_registry_destroy(sim->registry);
    *sim = (cli_simulation){0};
}
