// helper.h - commands that call libraries which may end the process: IPOPT with MUMPS and OpenBLAS,
// and HDF5. Where their memory runs out, they crash, raise signals, or go on with other numbers.
//
// Such a command runs in a helper: a second copy of the program, started as `tactus _helper FD
// COMMAND ...` with the same arguments, standard files, and folder. The helper does the whole
// command, reads and writes its files, and hands its status, error, and report through a pipe. The
// first copy prints them as if it had run the command itself. A helper that is lost is an error
// with exit code 3. In a helper every allocation that fails ends the process (allocations.c), so no
// library can go on without the memory that it asked for.
//
// The helper is the program itself, not a second executable: it is found wherever the program is,
// in a package, under a prefix, in a build tree, and in a folder to which it was copied, and it
// cannot be of another version.
#ifndef TAC_CLI_HELPER_H
#define TAC_CLI_HELPER_H

#include "cli/mistakes.h"
#include "cli/options.h"

// First of all in main: keep the command line for a helper; in a helper, take away the two
// arguments in front of the command.
void cli_helper_begin(int *argc, char ***argv);

// True in a helper.
bool cli_is_helper(void);

// Run the command line of this process in a helper. `*output` becomes NULL where the command has no
// report to write. TAC_E_LIBRARY: the helper was lost.
TAC_MUST_CHECK tac_status cli_helper_run(const cli_args *args, tac__text *out, tac_error *err);

// In a helper, at the end: hand over what came of the command. Returns the exit code.
int cli_helper_end(tac_status status, const tac_error *err, const cli_mistakes *mistakes,
                   const char *output, const tac__text *out);

// --- allocations.c ---

enum { CLI_HELPER_STARVED = 113 }; // exit code of a helper whose memory ran out

// From now on an allocation that fails ends the process with CLI_HELPER_STARVED.
void cli_allocations_must_succeed(void);

#endif
