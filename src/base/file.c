// file.c - whole files in, whole files out. The one file of base that knows POSIX: a rename would
// put a plain file in the place of a device or a link.
#define _XOPEN_SOURCE 700
#include "base/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static tac_status fail(tac_error *err, const char *what, const char *path)
{
    return tac__fail(err, TAC_E_FILE, "cannot %s '%s': %s", what, path,
                     errno ? strerror(errno) : "unknown reason");
}

tac_status tac__file_read(const char *path, size_t limit, const tac_allocator *allocator,
                          char **bytes, size_t *size, tac_error *err)
{
    *bytes = NULL;
    *size = 0;
    limit = limit < SIZE_MAX / 4 ? limit : SIZE_MAX / 4; // room for what is added to it below
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail(err, "open", path);
    // Grown as it is read: pipes have no size to ask for, and a directory opens but does not read.
    char *buffer = NULL;
    size_t used = 0, capacity = 0;
    tac_status status = TAC_OK;
    for (;;) {
        if (used == capacity) {
            size_t grown = capacity ? capacity * 2 : 65536;
            if (grown > limit + 1)
                grown = limit + 1;
            char *larger = allocator->resize(allocator->context, buffer,
                                             capacity ? capacity + 1 : 0, grown + 1);
            if (!larger) {
                status = tac__fail_memory(err);
                break;
            }
            buffer = larger;
            capacity = grown;
        }
        const size_t n = fread(buffer + used, 1, capacity - used, file);
        used += n;
        if (used > limit) {
            status = tac__fail(err, TAC_E_LIMIT, "'%s' is larger than %zu bytes", path, limit);
            break;
        }
        if (n == 0) {
            if (ferror(file))
                status = fail(err, "read", path);
            break;
        }
    }
    fclose(file);
    if (status == TAC_OK) {
        // Exactly used + 1 bytes, so that the caller can free it by its size.
        char *exact = allocator->resize(allocator->context, buffer, capacity + 1, used + 1);
        if (exact) {
            exact[used] = '\0';
            *bytes = exact;
            *size = used;
            return TAC_OK;
        }
        status = tac__fail_memory(err);
    }
    if (buffer)
        allocator->resize(allocator->context, buffer, capacity + 1, 0);
    return status;
}

void tac__file_free(const tac_allocator *allocator, char *bytes, size_t size)
{
    if (bytes)
        allocator->resize(allocator->context, bytes, size + 1, 0);
}

enum { PATH_LENGTH_MAX = 4096 };

static tac_status write_beside(const char *path, const void *bytes, size_t size, tac_error *err)
{
    char temporary[PATH_LENGTH_MAX];
    if ((size_t)snprintf(temporary, sizeof temporary, "%s.tmp", path) >= sizeof temporary)
        return tac__fail(err, TAC_E_FILE, "path too long: '%.64s...'", path);
    errno = 0;
    FILE *file = fopen(temporary, "wb");
    if (!file)
        return fail(err, "write", temporary);
    const bool written = size == 0 || fwrite(bytes, 1, size, file) == size;
    const bool flushed = fflush(file) == 0;
    const int reason = errno;
    const bool closed = fclose(file) == 0;
    if (!written || !flushed || !closed) {
        remove(temporary);
        errno = reason ? reason : errno;
        return fail(err, "write", path);
    }
    if (rename(temporary, path) != 0) {
        const int why = errno;
        remove(temporary);
        errno = why;
        return fail(err, "replace", path);
    }
    return TAC_OK;
}

tac_status tac__file_write(const char *path, const void *bytes, size_t size, tac_error *err)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return write_beside(path, bytes, size, err);
    if (!S_ISREG(status.st_mode))
        return tac__fail(err, TAC_E_FILE, "cannot write '%s': not a regular file", path);
    // Through a link: its target is replaced, not the link.
    char *target = realpath(path, NULL);
    if (!target)
        return fail(err, "find", path);
    const tac_status result = write_beside(target, bytes, size, err);
    free(target);
    return result;
}
