// optimize.c - `tactus optimize FILE`: the best trajectory of the plant, flown.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/stop.h"

#include <tactus/solve.h>

static const cli_option options[] = {
    CLI_OPTION_JSON,
    {.name = "trajectory",
     .value = "FILE",
     .doc = "Write states and inputs at all points of the solution as CSV."},
    CLI_OPTION_SET,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_HELP,
    {0},
};

static bool watch(void *context, int iteration, double objective, double infeasibility)
{
    (void)context, (void)iteration, (void)objective, (void)infeasibility;
    return !cli_stop_signal();
}

static tac_status write_trajectory(const tac_optimum *optimum, const char *path, tac_error *err)
{
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac_status status = cli_take_text(&text, tac_optimum_csv(optimum), err);
    if (status == TAC_OK)
        status = cli_write_file(path, &text, err);
    tac__text_fini(&text);
    return status;
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    const char *trajectory = cli_value(args, "trajectory");
    cli_simulation sim = {0};
    tac_optimum *optimum = NULL;
    TAC_TRY(cli_writes(args, trajectory, "--trajectory", CLI_REPLACES, err));
    tac_status status = cli_load_engine(&sim, args, args->operands[0], err);
    if (status == TAC_OK)
        status = tac_config_optimize(sim.config, sim.engine, watch, NULL, &optimum, err);
    if (optimum) {
        const tac_format format = cli_has(args, "json") ? TAC_FORMAT_JSON : TAC_FORMAT_TEXT;
        const tac_status printed = cli_take_text(out, tac_optimum_print(optimum, format), err);
        status = status == TAC_OK ? printed : status;
    }
    if (status == TAC_OK && trajectory)
        status = write_trajectory(optimum, trajectory, err);
    tac_optimum_destroy(optimum);
    cli_unload(&sim);
    return status;
}

static bool apart(const cli_args *args)
{
    (void)args;
    return true;
}

const cli_command cli_optimize = {
    .name = "optimize",
    .operands = "FILE",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "Find the best trajectory, and fly it.",
    .doc = "Find the trajectory of the plant that section 'optimize' of FILE asks for: states and "
           "inputs over one or several phases, whose durations may be free, so that an expression "
           "is least or greatest, within bounds and conditions. Hermite-Simpson collocation with "
           "exact derivatives, solved by IPOPT, which must be installed (on Debian the package "
           "coinor-libipopt1v5).\n\n"
           "The solution is then flown in the simulator, and the differences are reported. Where "
           "there is no solution the exit code is 1.",
    .options = options,
    .run = run,
    .apart = apart,
};
