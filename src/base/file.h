// file.h - reading whole files, and the one place where files are made.
#ifndef TAC_BASE_FILE_H
#define TAC_BASE_FILE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

// Open a file to read it. A pipe with a name (mkfifo) waits some seconds for a program that writes
// to it; then it is an error.
TAC_MUST_CHECK tac_status tac__file_open(const char *path, int *fd, tac_error *err);

// Read a file of at most `limit` bytes. `*bytes` (NUL-terminated, from `allocator`) is the
// caller's to free with tac__file_free.
tac_status tac__file_read(const char *path, size_t limit, const tac_allocator *allocator,
                          char **bytes, size_t *size, tac_error *err);
// Does the file begin with these bytes? Needs no memory; false also where it cannot be read, and
// for a pipe, which would lose what is read.
bool tac__file_begins(const char *path, const void *bytes, size_t size);
void tac__file_free(const tac_allocator *allocator, char *bytes, size_t size);

// List the names in a folder that end in `ending`, sorted, without names that begin with a dot. At
// most `max`. A folder that does not exist is an error, or empty if it is `optional`.
tac_status tac__folder_list(tac__arena *arena, const char *path, const char *ending, bool optional,
                            size_t max, const char *const **names, size_t *count, tac_error *err);

// --- files that appear when they are whole ------------------------------------------------------

enum { TAC__PATH_MAX = 4096 };

// A file under way. It is written under a temporary name in the folder of its target and takes the
// target's place when it is committed. A file that it replaces is locked (flock) from open to
// commit, and a file that appears under the target's name in between is left alone: of two
// programs that write one file at the same time only one succeeds.
//
// A device or a pipe is written to as it is. A symbolic link to a file is refused: neither the link
// nor its target is replaced.
typedef struct tac__output {
    bool open;     // the rest counts only then
    bool direct;   // a device or a pipe
    bool replaces; // there was a file: `device` and `inode` say which
    uint64_t device, inode;
    uint32_t mode;                 // permissions of the file when it is whole
    int fd;                        // to write to
    int old;                       // the file to be replaced, locked; -1: none
    int lock;                      // keeps the temporary file locked until it has its name
    char path[TAC__PATH_MAX];      // the target
    char temporary[TAC__PATH_MAX]; // the same as `path` where `direct`
} tac__output;

TAC_MUST_CHECK tac_status tac__output_open(tac__output *output, const char *path, tac_error *err);
// Commit: close the file and give it its name. Abandon: remove it. Afterwards it is not open.
TAC_MUST_CHECK tac_status tac__output_commit(tac__output *output, tac_error *err);
void tac__output_abandon(tac__output *output); // does nothing where it is not open

// Remove temporary files that killed programs have left for an output at `path`: regular files of
// this user with such a name that nobody has locked. For programs, when they start.
void tac__output_sweep(const char *path);

// Check before long work that a file can be created at `path`, without creating it.
TAC_MUST_CHECK tac_status tac__file_check(const char *path, tac_error *err);

// Write all of it to a descriptor.
bool tac__write_all(int fd, const void *bytes, size_t size); // false: errno says why

// Write a file as a whole or not at all, in the way described above.
TAC_MUST_CHECK tac_status tac__file_write(const char *path, const void *bytes, size_t size,
                                          tac_error *err);

// --- files that grow ----------------------------------------------------------------------------

// Create a file that is appended to under its own name, and so can be read while it grows and after
// a crash. It stays locked (flock) until `*fd` is closed; a file that another program has locked is
// not replaced. Without `replace` a file that exists is an error. Devices, pipes and links as
// above.
TAC_MUST_CHECK tac_status tac__file_create(const char *path, bool replace, int *fd, tac_error *err);

#endif
