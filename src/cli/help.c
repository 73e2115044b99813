// help.c - `tactus help [X]`: the program, a command, or a component type.
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/output.h"

#include <string.h>

static const cli_option options[] = {
    {.name = "json", .doc = "Describe a component type as JSON, for programs to read."},
    CLI_OPTION_PLUGIN,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_HELP,
    {0},
};

void cli_version(tac__text *out)
{
    tac__text_add(out, "tactus %s\n", tac_version());
}

void cli_help_short(tac__text *out)
{
    static const cli_command *const first[] = {&cli_check, &cli_run, &cli_plot, &cli_explain};
    tac__text_add(out, "usage: tactus COMMAND ...\n\n"
                       "A deterministic lockstep simulator for vehicles.\n\nTo begin with:\n");
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        tac__text_add(out, "  tactus %-8s %-14s %s\n", first[i]->name, first[i]->operands,
                      first[i]->summary);
    tac__text_add(out, "\nAll commands:");
    for (size_t i = 0; cli_commands[i]; i++)
        tac__text_add(out, " %s", cli_commands[i]->name);
    tac__text_add(out, ".\n'tactus help' explains them, 'tactus help COMMAND' one of them.\n");
}

void cli_help_program(tac__text *out)
{
    tac__text_add(out, "usage: tactus COMMAND ...\n\n"
                       "A deterministic lockstep simulator for vehicles.\n\ncommands:\n");
    for (size_t i = 0; cli_commands[i]; i++)
        tac__text_add(out, "  %-12s%s\n", cli_commands[i]->name, cli_commands[i]->summary);
    tac__text_add(out, "\noptions:\n");
    cli_help_options(cli_program.options, out);
    tac__text_add(out, "\nexit codes: 0 fine, 1 the run failed, 2 usage or configuration, 3 the\n"
                       "environment (a file, a library)\n\n"
                       "'tactus help X' says more about a command or a component type;\n"
                       "'tactus info' lists the component types.\n");
}

static tac_status fail_unknown(const tac_registry *registry, const char *name, tac_error *err)
{
    tac__fail(err, TAC_E_NAME, "there is no command and no component type '%s'", name);
    tac__nearest nearest = tac__nearest_begin(name);
    for (size_t i = 0; cli_commands[i]; i++)
        tac__nearest_offer(&nearest, cli_commands[i]->name);
    for (size_t i = 0; i < tac_registry_count(registry); i++)
        tac__nearest_offer(&nearest, tac_registry_type(registry, i)->name);
    if (nearest.best)
        tac__error_append(err, "; did you mean '%s'?", nearest.best);
    return TAC_E_NAME;
}

static tac_status take_description(const tac_component_type *type, tac_format format,
                                   tac__text *out, tac_error *err)
{
    char *text = tac_type_describe(type, format);
    if (!text)
        return tac__fail_memory(err);
    tac__text_add(out, "%s", text);
    tac_text_free(text);
    return TAC_OK;
}

// A command and a component type may share a name.
static tac_status describe(const cli_args *args, const char *name, const cli_command *command,
                           tac__text *out, tac_error *err)
{
    const tac_format format = cli_has(args, "json") ? TAC_FORMAT_JSON : TAC_FORMAT_TEXT;
    cli_simulation sim = {0};
    tac_status status = cli_load_registry(&sim, args, err);
    const tac_component_type *type =
        status == TAC_OK ? tac_registry_find(sim.registry, name) : NULL;
    if (status == TAC_OK && !type && !command)
        status = fail_unknown(sim.registry, name, err);
    if (status == TAC_OK && !type && format == TAC_FORMAT_JSON)
        status = tac__fail(err, TAC_E_USAGE, "--json needs the name of a component type");
    if (status == TAC_OK && command && format == TAC_FORMAT_TEXT) {
        cli_help_command(command, out);
        if (type)
            tac__text_add(out, "\nThere is also a component type of that name.\n\n");
    }
    if (status == TAC_OK && type)
        status = take_description(type, format, out, err);
    cli_unload(&sim);
    return status;
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    const char *name = args->operand_count ? args->operands[0] : NULL;
    const cli_command *command = NULL;
    for (size_t i = 0; name && cli_commands[i]; i++) {
        if (!strcmp(cli_commands[i]->name, name))
            command = cli_commands[i];
    }
    if (name)
        return describe(args, name, command, out, err);
    if (cli_has(args, "json"))
        return tac__fail(err, TAC_E_USAGE, "--json needs the name of a component type");
    cli_help_program(out);
    return TAC_OK;
}

const cli_command cli_help = {
    .name = "help",
    .operands = "[X]",
    .operands_max = 1,
    .summary = "Explain a command or a component type.",
    .doc = "Show the help of a command, or what a component type has: parameters, ports, states. "
           "Without X, list the commands.",
    .options = options,
    .run = run,
};
