// printed.h - what a library prints on standard output, caught as lines.
//
// PX4 prints with stdio, without asking whose standard output that is. While anything is open here,
// `stdout` is a stream of ours: text of a thread between begin and end goes to the buffer of that
// thread, all other text to the stream that was there before. No system call and no allocation is
// made for it. What a library writes past stdio (to descriptor 1) is not caught.
#ifndef TAC_AUTOPILOT_PX4_PRINTED_H
#define TAC_AUTOPILOT_PX4_PRINTED_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { TAC__PRINTED_BYTES = 16384, TAC__PRINTED_LINE = 512 };

// All zeros: nothing printed. Text that does not fit is dropped.
typedef struct tac__printed {
    size_t used, dropped; // bytes
    bool open;
    char bytes[TAC__PRINTED_BYTES];
} tac__printed;

tac_status tac__printed_open(tac__printed *p, tac_error *err);
void tac__printed_close(tac__printed *p); // also one that is not open

void tac__printed_begin(tac__printed *p);
void tac__printed_end(void);

// Take the first line, without control characters and colours; false: there is none. A line that
// has not ended yet is taken only if `all`. A longer one is cut.
bool tac__printed_take(tac__printed *p, bool all, char line[TAC__PRINTED_LINE]);

#endif
