// files.h - which files a command reads and which it writes: no output may take the place of an
// input or of another output.
//
// Two files are the same if device and inode are; files that do not exist yet, if they have the
// same name in the same folder. Commands report each file before they write anything; each is
// compared with all reported before, so the order does not matter.
#ifndef TAC_CLI_FILES_H
#define TAC_CLI_FILES_H

#include "cli/options.h"

#include <tactus/config.h>

typedef struct cli_files cli_files;

// What may happen to a file that exists under the name of an output.
typedef enum cli_replaces {
    CLI_REPLACES,       // it is replaced, unless it is a recording
    CLI_REPLACES_FORCED // only with --force: where a recording is written
} cli_replaces;

// The list of the running command. NULL: no memory.
cli_files *cli_files_create(void);
void cli_files_destroy(cli_files *files);

// `path` may be NULL: there is none. Devices and pipes are never the same as anything.
TAC_MUST_CHECK tac_status cli_reads(const cli_args *args, const char *path, tac_error *err);
// Also reports the files of a configuration and the files that its components read.
TAC_MUST_CHECK tac_status cli_reads_config(const cli_args *args, tac_config *config,
                                           tac_error *err);
// `what` is the output's name in errors: "--out". Also checks that the file can be written.
TAC_MUST_CHECK tac_status cli_writes(const cli_args *args, const char *path, const char *what,
                                     cli_replaces replaces, tac_error *err);

// Add "; did you mean 'X'?" to an error about a file that does not exist: a name like it in the
// same folder, with an ending that was left out, or of an example.
void cli_suggest_file(const char *path, tac_error *err);

// "-" is for some commands what /dev/stdout is for all: not a file, but standard output.
bool cli_is_stdout(const char *path);

#endif
