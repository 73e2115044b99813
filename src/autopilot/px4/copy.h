// copy.h - a copy of a file that has no name in the file system and disappears when it is closed.
#ifndef TAC_AUTOPILOT_PX4_COPY_H
#define TAC_AUTOPILOT_PX4_COPY_H

#include "base/error.h"

enum { TAC__COPY_PATH = 192 };

// `path` is a name under which this process can open the copy as long as `*descriptor` is open; no
// two copies ever have the same name.
tac_status tac__copy_open(const char *file, int *descriptor, char path[TAC__COPY_PATH],
                          tac_error *err);
// The same with these bytes in the place of those of `file`.
tac_status tac__copy_text(const char *file, const char *bytes, size_t size, int *descriptor,
                          char path[TAC__COPY_PATH], tac_error *err);

#endif
