// launch.h - being one of several copies of the program that a launcher (mpirun, srun) has started,
// on one host or many: which copy this is, which processes of a federation are its own, and where
// the copy that serves is found. All is read from the environment that the launcher makes; the
// program is not linked with MPI or Slurm.
//
// A copy is called a rank, as launchers do. Rank 0 has the server. Where there are more ranks than
// processes, rank 0 has only that; else it has processes, too.
#ifndef TAC_CLI_LAUNCH_H
#define TAC_CLI_LAUNCH_H

#include "base/error.h"

#include <stdbool.h>

enum { CLI_HOST_TEXT = 256, CLI_JOB_TEXT = 64, CLI_MEETING_TEXT = 300 };

typedef struct cli_launch {
    const char *launcher; // "mpi" or "slurm"; NULL: none, this is the only copy
    size_t rank, ranks;
    bool one_host;
    char job[CLI_JOB_TEXT];         // the launcher's name of this start; letters, digits, '-', '.'
    char first_host[CLI_HOST_TEXT]; // of all; "": the launcher does not tell
    char host[CLI_HOST_TEXT];       // of this rank, as the launcher names it; "": not told
} cli_launch;

// `word` is what the user says: mpi, slurm, auto (what the environment shows, or none) or none.
// `get` is getenv.
TAC_MUST_CHECK tac_status cli_launch_read(const char *word, char *(*get)(const char *),
                                          cli_launch *launch, tac_error *err);

// The rank that runs process `i` of `count`.
size_t cli_launch_owner(const cli_launch *launch, size_t i, size_t count);

// The first host of a list such as "node[001-003,7],login" of Slurm, and whether it is the only
// one. `first` has CLI_HOST_TEXT characters.
TAC_MUST_CHECK tac_status cli_launch_hosts(const char *list, char *first, bool *only,
                                           tac_error *err);

// Where the ranks meet.
typedef struct cli_meeting {
    char folder[CLI_MEETING_TEXT]; // that rank 0 has to make; "": none
    char listen[CLI_MEETING_TEXT]; // of the server
    char dial[CLI_MEETING_TEXT];   // of the processes of this rank
} cli_meeting;

typedef struct cli_meeting_def {
    const char *transport;                     // that the user asked for; NULL: none
    const char *address;                       // the same
    bool key;                                  // a key was given
    const char *file_transport, *file_address; // of the configuration; the latter may be NULL
} cli_meeting_def;

TAC_MUST_CHECK tac_status cli_launch_meet(const cli_launch *launch, const cli_meeting_def *def,
                                          cli_meeting *meeting, tac_error *err);

// Makes a folder that is open to its owner only. One that exists is taken if it is such a folder.
TAC_MUST_CHECK tac_status cli_launch_make_folder(const char *path, tac_error *err);

#endif
