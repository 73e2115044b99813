// copy.c - see copy.h. In memory where the system has files there, else in the folder for temporary
// files, unlinked at once.
#define _GNU_SOURCE
#include "autopilot/px4/copy.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int make(void)
{
    const int memory = memfd_create("px4_lockstep", MFD_CLOEXEC);
    if (memory >= 0)
        return memory;
    const char *folder = getenv("TMPDIR");
    char name[512];
    if (snprintf(name, sizeof name, "%s/px4_lockstep.XXXXXX",
                 folder && *folder ? folder : "/tmp") >= (int)sizeof name)
        return -1;
    const int file = mkostemp(name, O_CLOEXEC);
    if (file >= 0)
        unlink(name);
    return file;
}

// 0, or the errno of what went wrong.
static int copy(int from, int to)
{
    char bytes[1 << 16];
    for (;;) {
        const ssize_t got = read(from, bytes, sizeof bytes);
        if (got == 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return errno;
        for (ssize_t put = 0; put < got;) {
            const ssize_t n = write(to, bytes + put, (size_t)(got - put));
            if (n < 0 && errno != EINTR)
                return errno;
            put += n > 0 ? n : 0;
        }
    }
}

// A library that cannot be unloaded (C++ libraries often cannot) keeps its name for ever, and the
// loader takes a file of a known name for the same library. Descriptors are reused, so the number
// of the copy is encoded in the path, bit by bit, as path elements without effect.
static void name_copy(int descriptor, char path[TAC__COPY_PATH])
{
    static atomic_uint_least64_t copies;
    tac__out out = tac__out_begin(path, TAC__COPY_PATH);
    tac__out_add(&out, "/proc/self/fd");
    for (uint64_t n = atomic_fetch_add(&copies, 1); n; n >>= 1)
        tac__out_add(&out, "%s", n & 1 ? "/." : "/");
    tac__out_add(&out, "/%d", descriptor);
}

static tac_status finish(const char *file, int copied, int trouble, int *descriptor,
                         char path[TAC__COPY_PATH], tac_error *err)
{
    if (trouble) {
        if (copied >= 0)
            close(copied);
        return tac__fail(err, TAC_E_FILE, "cannot make a copy of '%s': %s", file,
                         tac__errno_text(trouble));
    }
    *descriptor = copied;
    name_copy(copied, path);
    return TAC_OK;
}

tac_status tac__copy_open(const char *file, int *descriptor, char path[TAC__COPY_PATH],
                          tac_error *err)
{
    *descriptor = -1;
    const int from = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe would wait
    struct stat about;
    if (from < 0)
        return tac__fail(err, TAC_E_FILE, "cannot open '%s': %s", file, tac__errno_text(errno));
    int to = -1, trouble = 0;
    if (fstat(from, &about) == 0 && !S_ISREG(about.st_mode))
        trouble = S_ISDIR(about.st_mode) ? EISDIR : EINVAL;
    else if ((to = make()) < 0)
        trouble = errno;
    else
        trouble = copy(from, to);
    close(from);
    return finish(file, to, trouble, descriptor, path, err);
}

tac_status tac__copy_text(const char *file, const char *bytes, size_t size, int *descriptor,
                          char path[TAC__COPY_PATH], tac_error *err)
{
    *descriptor = -1;
    const int to = make();
    const int trouble = to < 0 || !tac__write_all(to, bytes, size) ? errno : 0;
    return finish(file, to, trouble, descriptor, path, err);
}
