// options.h - the command line: what a command accepts, as tables.
//
// The parser, the suggestions for misspelt names and the text of `tactus help` are made from one
// table, so they cannot disagree. Options are long (`--seed 7`, `--seed=7`), some also have a
// letter (`-o FILE`, `-oFILE`); they may stand before, between and after operands, and `--` ends
// them.
#ifndef TAC_CLI_OPTIONS_H
#define TAC_CLI_OPTIONS_H

#include "base/text.h"

typedef struct cli_option {
    const char *name;  // without dashes; NULL after the last
    const char *value; // what its value is called in the help; NULL: it takes none
    const char *doc;
    char letter;   // 0: none
    bool optional; // the value may be left out; if given, it stands after '='
} cli_option;

typedef struct cli_args cli_args;
struct cli_files;
struct cli_mistakes;

typedef struct cli_command {
    const char *name;
    const char *operands; // as the usage line shows them
    size_t operands_min, operands_max;
    const char *summary; // one line
    const char *doc;     // paragraphs, separated by an empty line; wrapped when shown
    const cli_option *options;
    // Text for standard output is added to `out`; the caller writes it, also after a failure.
    tac_status (*run)(const cli_args *args, tac__text *out, tac_error *err);
    // Whether the command runs in a helper: helper.h. NULL: it never does.
    bool (*apart)(const cli_args *args);
} cli_command;

typedef struct cli_given {
    const cli_option *option;
    const char *value; // NULL: none
} cli_given;

// A parsed command line; it points into argv.
struct cli_args {
    const cli_command *command;
    cli_given *given; // in the order written
    size_t given_count;
    const char **operands;
    size_t operand_count;
    struct cli_files *files;       // that the command reads and writes: files.h
    struct cli_mistakes *mistakes; // of its configuration: mistakes.h
    const char **output; // the file of --output, NULL: none; a command that has no report to write
                         // sets it so
};

// The main output file of a command is -o, --out, and --output, whichever of the two long names its
// table has: this is the other one. NULL for other options.
const char *cli_option_alias(const cli_option *option);

// Options that several commands share.
#define CLI_OPTION_SET                                                                             \
    {                                                                                              \
        .name = "set", .value = "PATH=VALUE",                                                      \
        .doc = "Change a value of the configuration, as in scheduler.rate_groups[0].rate_hz=200; " \
               "list[+]=VALUE appends to a list; may be given several times."                      \
    }
#define CLI_OPTION_DURATION                                                                        \
    {                                                                                              \
        .name = "duration", .value = "T",                                                          \
        .doc = "End the run at T, as in \"10 s\"; short for --set duration=T."                     \
    }
#define CLI_OPTION_PROCESS                                                                         \
    {                                                                                              \
        .name = "process", .value = "NAME",                                                        \
        .doc = "What one process of a federation runs, of section 'federation' of the "            \
               "configuration."                                                                    \
    }
#define CLI_OPTION_JSON                                                                            \
    {                                                                                              \
        .name = "json", .doc = "Write JSON, for programs to read."                                 \
    }
#define CLI_OPTION_OUTPUT                                                                          \
    {                                                                                              \
        .name = "output", .letter = 'o', .value = "FILE",                                          \
        .doc = "Write to FILE instead of standard output; it is replaced only when all is well. "  \
               "'-' is standard output."                                                           \
    }
#define CLI_OPTION_PLUGIN                                                                          \
    {                                                                                              \
        .name = "plugin", .value = "LIBRARY",                                                      \
        .doc = "Load the component types of a plugin too; may be given several times."             \
    }
#define CLI_OPTION_FORCE                                                                           \
    {                                                                                              \
        .name = "force", .doc = "Replace a file that exists under the name of the recording."      \
    }
#define CLI_OPTION_HELP                                                                            \
    {                                                                                              \
        .name = "help", .letter = 'h', .doc = "Show this help."                                    \
    }

// Parse `argv[0..argc)`, which begins after the command's name. Memory comes from `arena`. The
// number of operands is not checked here, so that --help works without operands.
TAC_MUST_CHECK tac_status cli_parse(const cli_command *command, int argc, char **argv,
                                    tac__arena *arena, cli_args *args, tac_error *err);
TAC_MUST_CHECK tac_status cli_check_operands(const cli_args *args, tac_error *err);

// Whether the option was given; its value (the last one wins), NULL if not given or without a
// value.
bool cli_has(const cli_args *args, const char *name);
const char *cli_value(const cli_args *args, const char *name);

// The text of `tactus help COMMAND`.
void cli_help_command(const cli_command *command, tac__text *out);
// The part of that text about options.
void cli_help_options(const cli_option *options, tac__text *out);
// Add `text`, broken at spaces to lines of 80 columns; the first line continues at `column`, the
// others begin at `indent`. Ends with a newline.
void cli_wrap(tac__text *out, const char *text, size_t column, size_t indent);

#endif
