// explain.c - `tactus explain FILE`: the resolved schedule, as a table or a picture.
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/output.h"

static const cli_option options[] = {
    {.name = "json", .doc = "Write JSON, for programs to read."},
    {.name = "dot", .doc = "Write a graph for Graphviz."},
    {.name = "svg", .doc = "Write a picture."},
    {.name = "phases", .doc = "Show only the flight phases: machines, and who is active when."},
    CLI_OPTION_OUTPUT,
    CLI_OPTION_PROCESS,
    CLI_OPTION_SET,
    CLI_OPTION_HELP,
    {0},
};

static tac_format choose_format(const cli_args *args)
{
    return cli_has(args, "json")  ? TAC_FORMAT_JSON
           : cli_has(args, "dot") ? TAC_FORMAT_DOT
           : cli_has(args, "svg") ? TAC_FORMAT_SVG
                                  : TAC_FORMAT_TEXT;
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    if (cli_has(args, "json") + cli_has(args, "dot") + cli_has(args, "svg") > 1)
        return tac__fail(err, TAC_E_USAGE, "--json, --dot and --svg exclude each other");
    cli_simulation sim = {0};
    tac_status status = cli_load_engine(&sim, args, args->operands[0], err);
    if (status == TAC_OK && cli_has(args, "phases"))
        status =
            cli_take_text(out, tac_engine_explain_phases(sim.engine, choose_format(args)), err);
    else if (status == TAC_OK)
        status = cli_take_text(out, tac_engine_explain(sim.engine, choose_format(args)), err);
    cli_unload(&sim);
    return status;
}

const cli_command cli_explain = {
    .name = "explain",
    .operands = "FILE",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "Show the resolved schedule of a configuration.",
    .doc =
        "Show what FILE resolves to: axes, islands, stages, the order of components in them, the "
        "policies through which signals are seen, and flight phases with their transitions and "
        "who is active when; as tables, or as a picture.",
    .options = options,
    .run = run,
};
