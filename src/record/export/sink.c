// sink.c - owns files under way: their temporary names, and what becomes of them after a failure.
#include "record/export/sink.h"
#include "base/floats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static tac_status fail(tac_error *err, const char *what, const char *path, int reason)
{
    return tac__fail(err, TAC_E_FILE, "cannot %s '%s': %s", what, path,
                     reason ? strerror(reason) : "unknown reason");
}

// --- targets ------------------------------------------------------------------------------------

tac_status tac__target_init(tac__target *target, const char *path, tac_error *err)
{
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    const bool direct = exists && !S_ISREG(status.st_mode);
    target->target = exists && !direct ? realpath(path, NULL) : strdup(path);
    const size_t size = target->target ? strlen(target->target) + sizeof ".tmp" : 0;
    target->temporary = size ? malloc(size) : NULL;
    if (!target->temporary) {
        tac__target_abandon(target);
        return tac__fail_memory(err);
    }
    snprintf(target->temporary, size, "%s%s", target->target, direct ? "" : ".tmp");
    return TAC_OK;
}

bool tac__target_direct(const tac__target *target)
{
    return !strcmp(target->target, target->temporary);
}

static void forget(tac__target *target)
{
    free(target->target);
    free(target->temporary);
    *target = (tac__target){0};
}

tac_status tac__target_commit(tac__target *target, tac_error *err)
{
    if (!tac__target_direct(target) && rename(target->temporary, target->target) != 0) {
        const tac_status status = fail(err, "replace", target->target, errno);
        tac__target_abandon(target);
        return status;
    }
    forget(target);
    return TAC_OK;
}

void tac__target_abandon(tac__target *target)
{
    if (target->temporary && !tac__target_direct(target))
        remove(target->temporary);
    forget(target);
}

// --- sinks --------------------------------------------------------------------------------------

tac_status tac__sink_open(tac__sink *sink, const char *path,
                          bool (*write)(void *, const void *, size_t), void *context,
                          tac_error *err)
{
    *sink = (tac__sink){.write = write, .context = context};
    if (write)
        return TAC_OK;
    TAC_TRY(tac__target_init(&sink->target, path, err));
    errno = 0;
    sink->file = fopen(sink->target.temporary, "wb");
    if (sink->file)
        return TAC_OK;
    const tac_status status = fail(err, "write", path, errno);
    forget(&sink->target); // what is there under that name is not ours
    return status;
}

void tac__sink_write(tac__sink *sink, const void *bytes, size_t size)
{
    if (sink->failed || size == 0)
        return;
    errno = 0;
    const bool written = sink->write ? sink->write(sink->context, bytes, size)
                                     : fwrite(bytes, 1, size, sink->file) == size;
    (void)tac__floats_kept();
    if (!written) {
        sink->failed = true;
        sink->reason = errno;
        return;
    }
    sink->bytes += size;
}

tac_status tac__sink_close(tac__sink *sink, tac_error *err)
{
    if (sink->file) {
        errno = 0;
        if (fclose(sink->file) != 0 && !sink->failed) {
            sink->failed = true;
            sink->reason = errno;
        }
        sink->file = NULL;
    }
    if (sink->failed) {
        const char *path = sink->target.target ? sink->target.target : "the output";
        const tac_status status = fail(err, "write", path, sink->reason);
        tac__target_abandon(&sink->target);
        return status;
    }
    return sink->target.target ? tac__target_commit(&sink->target, err) : TAC_OK;
}

void tac__sink_abandon(tac__sink *sink)
{
    if (sink->file)
        fclose(sink->file);
    sink->file = NULL;
    tac__target_abandon(&sink->target);
}
