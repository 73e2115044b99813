// schema.c - `tactus schema`: the JSON Schema of configurations.
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/output.h"

static const cli_option options[] = {
    CLI_OPTION_OUTPUT,
    CLI_OPTION_PLUGIN,
    CLI_OPTION_HELP,
    {0},
};

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    cli_simulation sim = {0};
    tac_status status = cli_load_registry(&sim, args, err);
    if (status == TAC_OK)
        status = cli_take_text(out, tac_config_schema(sim.registry), err);
    cli_unload(&sim);
    return status;
}

const cli_command cli_schema = {
    .name = "schema",
    .operands = "",
    .summary = "Write the JSON Schema of configurations.",
    .doc = "Write the JSON Schema of configuration files, with the parameters of all component "
           "types. Editors complete and check with it.",
    .options = options,
    .run = run,
};
