// file.h - a file that is written bit by bit and appears under its name only when it is whole.
#ifndef TAC_RECORD_EXPORT_FILE_H
#define TAC_RECORD_EXPORT_FILE_H

#include "base/file.h"

#include <stdio.h>

// Failure is sticky, and told by tac__export_file_close.
typedef struct tac__export_file {
    tac__output output; // open where it goes to a file
    FILE *file;
    bool (*write)(void *context, const void *bytes, size_t size);
    void *context;
    uint64_t bytes;
    bool failed;
    int reason; // errno of the failure
} tac__export_file;

// To `path`, or where `write` is given to that.
TAC_MUST_CHECK tac_status tac__export_file_open(tac__export_file *to, const char *path,
                                                bool (*write)(void *, const void *, size_t),
                                                void *context, tac_error *err);
void tac__export_file_write(tac__export_file *to, const void *bytes, size_t size);
// All of it is written, but has not got its name: for several files that belong together.
TAC_MUST_CHECK tac_status tac__export_file_finish(tac__export_file *to, tac_error *err);
TAC_MUST_CHECK tac_status tac__export_file_close(tac__export_file *to, tac_error *err);
void tac__export_file_abandon(tac__export_file *to); // also one that was closed, or never opened

#endif
