// file.h - reading and writing whole files.
#ifndef TAC_BASE_FILE_H
#define TAC_BASE_FILE_H

#include "base/arena.h"

// Read a file of at most `limit` bytes. `*bytes` (NUL-terminated, from `allocator`) is the
// caller's to free with tac__file_free.
tac_status tac__file_read(const char *path, size_t limit, const tac_allocator *allocator,
                          char **bytes, size_t *size, tac_error *err);
void tac__file_free(const tac_allocator *allocator, char *bytes, size_t size);

// Write a file as a whole or not at all: to `path`.tmp first, renamed when every byte is out. What
// is there and is not a regular file is left alone.
tac_status tac__file_write(const char *path, const void *bytes, size_t size, tac_error *err);

#endif
