// commands.h - the commands of the program, one file each.
#ifndef TAC_CLI_COMMANDS_H
#define TAC_CLI_COMMANDS_H

#include "cli/options.h"

extern const cli_command cli_run;
extern const cli_command cli_test;
extern const cli_command cli_federate;
extern const cli_command cli_serve;
extern const cli_command cli_join;
extern const cli_command cli_replay;
extern const cli_command cli_sensitivity;
extern const cli_command cli_graph;
extern const cli_command cli_recover;
extern const cli_command cli_check;
extern const cli_command cli_explain;
extern const cli_command cli_info;
extern const cli_command cli_compare;
extern const cli_command cli_hash;
extern const cli_command cli_plot;
extern const cli_command cli_export;
extern const cli_command cli_trim;
extern const cli_command cli_linearize;
extern const cli_command cli_optimize;
extern const cli_command cli_schema;
extern const cli_command cli_px4;
extern const cli_command cli_completion;
extern const cli_command cli_help;

// All commands in the order of `tactus help`, NULL at the end; and the program itself, with the
// options that may stand in place of a command.
extern const cli_command *const cli_commands[];
extern const cli_command cli_program;

// The text of `tactus help`, and of `tactus --version`.
void cli_help_program(tac__text *out);
void cli_help_short(tac__text *out); // of `tactus` alone
void cli_version(tac__text *out);

#endif
