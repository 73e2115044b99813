// sink.c - a buffer before a file that is under way, or before a function of the caller.
#include "record/export/sink.h"
#include "base/error.h"
#include "base/floats.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static tac_status fail(tac_error *err, const char *path, int reason)
{
    return tac__fail(err, TAC_E_FILE, "cannot write '%s': %s", path,
                     reason ? tac__errno_text(reason) : "unknown reason");
}

// The buffer has a descriptor of its own, so that closing it leaves that of `output` open.
static FILE *open_buffer(const tac__output *output)
{
    const int fd = fcntl(output->fd, F_DUPFD_CLOEXEC, 3);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!file && fd >= 0)
        close(fd);
    return file;
}

tac_status tac__sink_open(tac__sink *sink, const char *path,
                          bool (*write)(void *, const void *, size_t), void *context,
                          tac_error *err)
{
    *sink = (tac__sink){.write = write, .context = context};
    if (write)
        return TAC_OK;
    TAC_TRY(tac__output_open(&sink->output, path, err));
    sink->file = open_buffer(&sink->output);
    if (sink->file)
        return TAC_OK;
    const tac_status status = errno == ENOMEM ? tac__fail_memory(err) : fail(err, path, errno);
    tac__output_abandon(&sink->output);
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

tac_status tac__sink_finish(tac__sink *sink, tac_error *err)
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
        const char *path = sink->output.open ? sink->output.path : "the output";
        const tac_status status = fail(err, path, sink->reason);
        tac__output_abandon(&sink->output);
        return status;
    }
    return TAC_OK;
}

tac_status tac__sink_close(tac__sink *sink, tac_error *err)
{
    TAC_TRY(tac__sink_finish(sink, err));
    return sink->output.open ? tac__output_commit(&sink->output, err) : TAC_OK;
}

void tac__sink_abandon(tac__sink *sink)
{
    if (sink->file)
        fclose(sink->file);
    sink->file = NULL;
    tac__output_abandon(&sink->output);
}
