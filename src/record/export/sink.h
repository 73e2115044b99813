// sink.h - a file that is written bit by bit and appears under its name only when it is whole.
#ifndef TAC_RECORD_EXPORT_SINK_H
#define TAC_RECORD_EXPORT_SINK_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

// Where a file is to be, and where it is until then.
typedef struct tac__target {
    char *target;    // links followed
    char *temporary; // the same as `target` where that is a device or a pipe
} tac__target;

TAC_MUST_CHECK tac_status tac__target_init(tac__target *target, const char *path, tac_error *err);
bool tac__target_direct(const tac__target *target); // a device or a pipe
// The file is whole: give it its name. Or remove it. Both free the target.
TAC_MUST_CHECK tac_status tac__target_commit(tac__target *target, tac_error *err);
void tac__target_abandon(tac__target *target);

// Failure is sticky, and told by tac__sink_close.
typedef struct tac__sink {
    tac__target target;
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
TAC_MUST_CHECK tac_status tac__sink_close(tac__sink *sink, tac_error *err);
void tac__sink_abandon(tac__sink *sink); // also one that was closed, or never opened

#endif
