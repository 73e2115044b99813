// sink.h - a file that is written bit by bit and appears under its name only when it is whole.
#ifndef TAC_RECORD_EXPORT_SINK_H
#define TAC_RECORD_EXPORT_SINK_H

#include "base/file.h"

#include <stdio.h>

// Failure is sticky, and told by tac__sink_close.
typedef struct tac__sink {
    tac__output output; // open where it goes to a file
    FILE *file;
    bool (*write)(void *context, const void *bytes, size_t size);
    void *context;
    uint64_t bytes;
    bool failed;
    int reason; // errno of the failure
} tac__sink;

// To `path`, or where `write` is given to that.
TAC_MUST_CHECK tac_status tac__sink_open(tac__sink *sink, const char *path,
                                         bool (*write)(void *, const void *, size_t), void *context,
                                         tac_error *err);
void tac__sink_write(tac__sink *sink, const void *bytes, size_t size);
// All of it is written, but has not got its name: for several files that belong together.
TAC_MUST_CHECK tac_status tac__sink_finish(tac__sink *sink, tac_error *err);
TAC_MUST_CHECK tac_status tac__sink_close(tac__sink *sink, tac_error *err);
void tac__sink_abandon(tac__sink *sink); // also one that was closed, or never opened

#endif
