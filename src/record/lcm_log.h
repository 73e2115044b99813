// lcm_log.h - event logs as lcm-logger writes them, the one writer of them: exports of recordings
// and federations use it. Needs no liblcm.
//
// An event is the sync word 0xEDA1DA01, the number of the event (8 bytes), a time in microseconds
// (8), the length of the channel's name (4), that of the data (4), the name, the data; all numbers
// big-endian. Times are simulated times and should not go back, or readers cannot seek.
#ifndef TAC_RECORD_LCM_LOG_H
#define TAC_RECORD_LCM_LOG_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct tac__lcm_log {
    bool (*write)(void *context, const void *bytes, size_t size);
    void *context;
    uint64_t events; // written so far
    bool failed;     // a write failed: no event is written any more
} tac__lcm_log;

// A log that goes to a function, which says whether it could write.
tac__lcm_log tac__lcm_log_begin(bool (*write)(void *, const void *, size_t), void *context);
// False: a write failed, this one or an earlier one. A name or data too long for the format (2 GiB)
// count as such.
bool tac__lcm_log_event(tac__lcm_log *log, tac_time t_us, const char *channel, const void *data,
                        size_t size);

// --- a log in a file that grows -----------------------------------------------------------------

// The file has its name from the start, so that it can be read while it grows and after a crash.
// The context of the log is the file: it must not move while it is open.
typedef struct tac__lcm_file {
    tac__lcm_log log;
    FILE *file;
    char *path;
    int reason; // errno of the first failure
} tac__lcm_file;

// Without `replace` a file that exists is an error, as in tac__file_create.
TAC_MUST_CHECK tac_status tac__lcm_file_open(tac__lcm_file *to, const char *path, bool replace,
                                             tac_error *err);
// Hand all events to the system: for readers of a run that is under way.
void tac__lcm_file_flush(tac__lcm_file *to);
// Tells of the first failure since the file was opened. Does nothing where it is not open.
TAC_MUST_CHECK tac_status tac__lcm_file_close(tac__lcm_file *to, tac_error *err);

#endif
