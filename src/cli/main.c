// main.c - the program `tactus`: finds the command, runs it, writes its output.
//
// A command adds its text to a buffer and returns a status; everything is written here, so a failed
// write is noticed in one place for all commands. The exit code follows from the status, or from
// the signal that stopped a run.
#include "cli/commands.h"
#include "base/floats.h"
#include "cli/files.h"
#include "cli/helper.h"
#include "cli/mistakes.h"
#include "cli/output.h"
#include "cli/stop.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const cli_command *const cli_commands[] = {
    &cli_run,     &cli_test,   &cli_federate,  &cli_serve,      &cli_join,        &cli_replay,
    &cli_compare, &cli_hash,   &cli_plot,      &cli_export,     &cli_recover,     &cli_check,
    &cli_explain, &cli_trim,   &cli_linearize, &cli_optimize,   &cli_sensitivity, &cli_graph,
    &cli_info,    &cli_schema, &cli_px4,       &cli_completion, &cli_help,        NULL,
};

static const cli_option program_options[] = {
    {.name = "version", .letter = 'V', .doc = "Show the version."},
    CLI_OPTION_HELP,
    {0},
};

const cli_command cli_program = {.name = "", .operands = "COMMAND", .options = program_options};

static tac_status fail_command(const char *name, tac_error *err)
{
    tac__fail(err, TAC_E_USAGE, "unknown command '%s'", name);
    tac__nearest nearest = tac__nearest_begin(name);
    for (size_t i = 0; cli_commands[i]; i++)
        tac__nearest_offer(&nearest, cli_commands[i]->name);
    if (nearest.best)
        tac__error_append(err, "; did you mean '%s'?", nearest.best);
    else if (access(name, R_OK) == 0)
        tac__error_append(err, "; did you mean 'tactus run %s'?", name);
    tac__error_context(err, "reading the command line; see 'tactus help'");
    return TAC_E_USAGE;
}

static bool any_command_has(const char *option)
{
    for (size_t i = 0; cli_commands[i]; i++) {
        for (const cli_option *o = cli_commands[i]->options; o->name; o++) {
            const size_t length = strlen(o->name);
            if (!strncmp(option, "--", 2) && !strncmp(option + 2, o->name, length) &&
                (option[2 + length] == '\0' || option[2 + length] == '='))
                return true;
        }
    }
    return false;
}

// For a first argument that is an option of the program instead of a command.
static tac_status run_program(int argc, char **argv, tac__arena *arena, tac__text *out,
                              tac_error *err)
{
    cli_args args;
    const tac_status status = cli_parse(&cli_program, argc, argv, arena, &args, err);
    if (status != TAC_OK) {
        if (any_command_has(argv[0]))
            tac__error_append(err, "; options of a command stand after its name");
        return status;
    }
    if (cli_has(&args, "version"))
        cli_version(out);
    else
        cli_help_program(out);
    return TAC_OK;
}

static tac_status run_with(const cli_args *args, tac__text *out, tac_error *err)
{
    const char *output = cli_value(args, "output");
    TAC_TRY(cli_writes(args, output, "--output", CLI_REPLACES, err));
    *args->output = output && !cli_is_stdout(output) ? output : NULL;
    const cli_command *command = args->command;
    if (command->apart && !cli_is_helper() && command->apart(args))
        return cli_helper_run(args, out, err);
    return command->run(args, out, err);
}

// For an operand that is a file that does not exist.
static void suggest_file(const cli_args *args, tac_error *err)
{
    for (size_t i = 0; i < args->operand_count; i++) {
        const char *path = args->operands[i];
        if (!strstr(err->text, path) || access(path, F_OK) == 0 || errno != ENOENT)
            continue;
        cli_suggest_file(path, err);
        if (tac__ends_in(path, ".mcap") && !strcmp(args->command->name, "run"))
            tac__error_append(err, "; recordings are run again by 'tactus replay'");
        return;
    }
}

static tac_status run_command(const cli_command *command, int argc, char **argv, tac__arena *arena,
                              tac__text *out, cli_mistakes *mistakes, const char **path,
                              tac_error *err)
{
    cli_args args;
    TAC_TRY(cli_parse(command, argc, argv, arena, &args, err));
    args.mistakes = mistakes;
    args.output = path;
    if (cli_has(&args, "help")) {
        cli_help_command(command, out);
        return TAC_OK;
    }
    TAC_TRY(cli_check_operands(&args, err));
    args.files = cli_files_create();
    const tac_status status = args.files ? run_with(&args, out, err) : tac__fail_memory(err);
    if (status == TAC_E_FILE)
        suggest_file(&args, err);
    cli_files_destroy(args.files);
    return status;
}

static tac_status dispatch(int argc, char **argv, tac__arena *arena, tac__text *out,
                           cli_mistakes *mistakes, const char **path, tac_error *err)
{
    if (argc < 2) {
        cli_help_short(out);
        return TAC_OK;
    }
    if (argv[1][0] == '-')
        return run_program(argc - 1, argv + 1, arena, out, err);
    for (size_t i = 0; cli_commands[i]; i++) {
        if (!strcmp(cli_commands[i]->name, argv[1]))
            return run_command(cli_commands[i], argc - 2, argv + 2, arena, out, mistakes, path,
                               err);
    }
    return fail_command(argv[1], err);
}

// Whether --json is among the arguments. Also called when the command line could not be parsed.
static bool wants_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--json"))
            return true;
    }
    return false;
}

static void add_json_error(tac__text *out, cli_mistakes *mistakes, const tac_error *err)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    cli_mistakes_json(mistakes, err, &json);
    tac__json_object_end(&json);
}

// Whether the text is whole: comparisons and tests that fail have a report as well.
static bool has_report(tac_status status)
{
    return status == TAC_OK || status == TAC_E_DIFFERENT || status == TAC_E_EXPECT ||
           status == TAC_E_UNSOLVED;
}

int main(int argc, char **argv)
{
    TAC__FLOATS; // whatever start-up code of linked libraries has set
    cli_claim_standard_files();
    signal(SIGXFSZ, SIG_IGN); // a file that grew too large is then an ordinary error
    tac__arena arena;
    tac__text out;
    tac_error err;
    tac__arena_init(&arena, tac_allocator_default());
    tac__text_init(&out, tac_allocator_default());
    tac_error_clear(&err);
    cli_helper_begin(&argc, &argv);

    static cli_mistakes all; // large, and reporting needs no memory
    cli_mistakes *mistakes = &all;
    const char *path = NULL; // of --output
    tac_status status = dispatch(argc, argv, &arena, &out, mistakes, &path, &err);
    if (status != TAC_OK && err.status == TAC_OK)
        tac__fail(&err, status, "%s", tac_status_text(status));
    if (cli_is_helper()) {
        const int code = cli_helper_end(status, &err, mistakes, path, &out);
        tac__text_fini(&out);
        tac__arena_fini(&arena);
        return code;
    }
    if (status != TAC_OK && out.length == 0 && wants_json(argc, argv))
        add_json_error(&out, mistakes, &err);

    // The report of a failed run is written before the error. If writing the report fails too, that
    // error is printed second.
    tac_error write_error;
    tac_error_clear(&write_error);
    const tac_status write_status = has_report(status) && path
                                        ? cli_write_file(path, &out, &write_error)
                                        : cli_write_stdout(&out, &write_error);
    if (status != TAC_OK)
        cli_mistakes_print(mistakes, &err);
    if (write_status != TAC_OK && write_error.status != TAC_OK)
        cli_print_error(&write_error);

    tac__text_fini(&out);
    tac__arena_fini(&arena);
    if (status == TAC_E_STOPPED && cli_stop_code())
        return cli_stop_code();
    return tac_status_exit_code(status != TAC_OK ? status : write_status);
}
