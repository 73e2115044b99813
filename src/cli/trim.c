// trim.c - `tactus trim FILE`: an equilibrium of the plant.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/load.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>
#include <tactus/solve.h>

static const cli_option options[] = {
    CLI_OPTION_JSON,
    {.name = "write",
     .value = "FILE",
     .doc =
         "Write a configuration that extends this one and begins with the states that were found."},
    {.name = "hold",
     .doc = "With --write: inputs that were free or set stay at their values, too."},
    CLI_OPTION_SET,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_HELP,
    {0},
};

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

// The name of `config` for the file `path`: relative if both are in one folder, else absolute.
// NULL: there is none.
static char *name_for(const char *path, const char *config)
{
    const size_t length = folder_length(config);
    if (length == folder_length(path) && !memcmp(path, config, length))
        return strdup(config + length);
    return realpath(config, NULL);
}

static tac_status write_file(const tac_trim *trim, const char *config, const char *path, bool hold,
                             tac_error *err)
{
    char *name = name_for(path, config);
    if (!name)
        return tac__fail(err, TAC_E_FILE, "'%s' has no name that '%s' could extend", config, path);
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac_status status = cli_take_text(&text, tac_trim_file(trim, name, hold), err);
    if (status == TAC_OK)
        status = cli_write_file(path, &text, err);
    free(name);
    tac__text_fini(&text);
    return status;
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    const char *write = cli_value(args, "write");
    cli_simulation sim = {0};
    tac_trim *trim = NULL;
    if (write && !strcmp(args->operands[0], "-"))
        return tac__fail(err, TAC_E_USAGE,
                         "option '--write' needs a configuration in a file, not standard input");
    TAC_TRY(cli_writes(args, write, "--write", CLI_REPLACES, err));
    tac_status status = cli_load_engine(&sim, args, args->operands[0], err);
    if (status == TAC_OK)
        status = tac_config_trim(sim.config, sim.engine, &trim, err);
    if (trim) {
        const tac_format format = cli_has(args, "json") ? TAC_FORMAT_JSON : TAC_FORMAT_TEXT;
        const tac_status printed = cli_take_text(out, tac_trim_print(trim, format), err);
        status = status == TAC_OK ? printed : status;
    }
    if (status == TAC_OK && write)
        status = write_file(trim, args->operands[0], write, cli_has(args, "hold"), err);
    tac_trim_destroy(trim);
    cli_unload(&sim);
    return status;
}

const cli_command cli_trim = {
    .name = "trim",
    .operands = "FILE",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "Find an equilibrium or a steady motion.",
    .doc = "Find states and inputs for which the plant of FILE is in equilibrium, or in the steady "
           "motion that section 'trim' of FILE describes: rates of change of all states are 0, but "
           "for those that may drift, and the conditions of the section hold. Newton's method with "
           "exact derivatives, damped where that is needed.\n\n"
           "Where there is no solution within the bounds the exit code is 1; the error names the "
           "equation that is farthest from being met, and the report has all of them.",
    .options = options,
    .run = run,
};
