// folder.h - folders for files that last as long as a command: $TMPDIR/tactus-XXXXXX.
//
// Each holds a file `.tactus-lock` that its maker keeps locked. A folder whose lock is free was
// left by commands that were killed: the next command that makes a folder removes it.
#ifndef TAC_CLI_FOLDER_H
#define TAC_CLI_FOLDER_H

#include "base/error.h"

#include <stdbool.h>

enum { CLI_FOLDER_TEXT = 300 };

typedef struct cli_folder {
    char path[CLI_FOLDER_TEXT]; // "": there is none
    int lock;
} cli_folder;

// $TMPDIR; /tmp where there is none, or its name is too long for the names of sockets.
const char *cli_folder_place(void);

// Make a folder that only this user can open, and remove what killed commands have left.
TAC_MUST_CHECK tac_status cli_folder_make(cli_folder *folder, tac_error *err);

// The same for a folder that is there: cli_launch_make_folder.
TAC_MUST_CHECK tac_status cli_folder_adopt(cli_folder *folder, const char *path, tac_error *err);

// Remove a folder with all that it holds. Nothing is done to none.
void cli_folder_remove(cli_folder *folder);

// Remove a folder whose maker was killed; nothing is done to one that is in use.
void cli_folder_remove_left(const char *path);

#endif
