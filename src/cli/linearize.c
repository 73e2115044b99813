// linearize.c - `tactus linearize FILE`: the linear equations of the plant at a trim or at a time.
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/output.h"

#include <string.h>
#include <tactus/solve.h>

static const cli_option options[] = {
    {.name = "at",
     .value = "WHERE",
     .doc =
         "At the solution of section 'trim' (trim, the default where there is one), or at a time "
         "of the run, as in t=2.5s."},
    {.name = "format",
     .value = "FORMAT",
     .doc = "text, json, csv or m (a script for MATLAB and Octave); by default as the name of "
            "--output ends, or text."},
    CLI_OPTION_JSON,
    {.name = "full", .doc = "Keep the four numbers of quaternions, instead of three angles."},
    CLI_OPTION_SET,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_HELP,
    {0},
};

static const char *const format_names[] = {
#define NAME(name, text, doc) text,
    TAC_LINEAR_TABLE(NAME)
#undef NAME
};
enum { FORMATS = sizeof format_names / sizeof *format_names };

static tac_status read_format(const cli_args *args, tac_linear_format *format, tac_error *err)
{
    const char *name = cli_value(args, "format"), *output = cli_value(args, "output");
    *format = cli_has(args, "json") ? TAC_LINEAR_JSON : TAC_LINEAR_TEXT;
    for (size_t i = 0; i < FORMATS; i++) {
        const char *dot = output ? strrchr(output, '.') : NULL;
        if (name ? !strcmp(name, format_names[i]) : dot && !strcmp(dot + 1, format_names[i])) {
            *format = (tac_linear_format)i;
            return TAC_OK;
        }
    }
    return name ? tac__fail(err, TAC_E_USAGE,
                            "option '--format' needs text, json, csv or m, not '%s'", name)
                : TAC_OK;
}

// `*t_us` becomes TAC_TIME_NEVER for a trim.
static tac_status read_where(const char *at, tac_time *t_us, tac_error *err)
{
    *t_us = TAC_TIME_NEVER;
    if (!at || !strcmp(at, "trim"))
        return TAC_OK;
    if (strncmp(at, "t=", 2) != 0)
        return tac__fail(err, TAC_E_USAGE, "option '--at' needs trim or t=TIME, not '%s'", at);
    const tac_status status = tac_time_parse(at + 2, t_us, err);
    if (status != TAC_OK)
        tac__error_context(err, "reading option '--at'");
    return status;
}

static tac_status solve(const cli_simulation *sim, const cli_args *args, tac_time t_us,
                        tac_trim **trim, tac_linear **linear, tac_error *err)
{
    if (t_us == TAC_TIME_NEVER)
        TAC_TRY(tac_config_trim(sim->config, sim->engine, trim, err));
    else
        TAC_TRY(tac_engine_run(sim->engine, t_us, err));
    return tac_config_linearize(sim->config, sim->engine, *trim, cli_has(args, "full"), linear,
                                err);
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    cli_simulation sim = {0};
    tac_trim *trim = NULL;
    tac_linear *linear = NULL;
    tac_linear_format format;
    tac_time t_us;
    TAC_TRY(read_format(args, &format, err));
    TAC_TRY(read_where(cli_value(args, "at"), &t_us, err));
    tac_status status = cli_load_small(&sim, args, args->operands[0], "linear equations", err);
    if (status == TAC_OK)
        status = solve(&sim, args, t_us, &trim, &linear, err);
    if (status == TAC_OK)
        status = cli_take_text(out, tac_linear_print(linear, format), err);
    tac_linear_destroy(linear);
    tac_trim_destroy(trim);
    cli_unload(&sim);
    return status;
}

const cli_command cli_linearize = {
    .name = "linearize",
    .operands = "FILE",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "Make linear equations of the plant.",
    .doc =
        "Make the matrices A, B, C and D of dx/dt = A x + B u, y = C x + D u, next to the trim "
        "of FILE (see 'tactus help trim') or the state at a time of its run, with exact "
        "derivatives; their eigenvalues with damping and frequency; and how many states can be "
        "controlled by the inputs and observed by the outputs. Section 'linearize' of FILE names "
        "inputs and outputs.",
    .options = options,
    .run = run,
};
