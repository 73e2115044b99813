// file.c - a buffer before a file that is under way, or before a function of the caller.
#include "record/export/file.h"
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

tac_status tac__export_file_open(tac__export_file *to, const char *path,
                                 bool (*write)(void *, const void *, size_t), void *context,
                                 tac_error *err)
{
    *to = (tac__export_file){.write = write, .context = context};
    if (write)
        return TAC_OK;
    TAC_TRY(tac__output_open(&to->output, path, err));
    to->file = open_buffer(&to->output);
    if (to->file)
        return TAC_OK;
    const tac_status status = errno == ENOMEM ? tac__fail_memory(err) : fail(err, path, errno);
    tac__output_abandon(&to->output);
    return status;
}

void tac__export_file_write(tac__export_file *to, const void *bytes, size_t size)
{
    if (to->failed || size == 0)
        return;
    errno = 0;
    const bool written =
        to->write ? to->write(to->context, bytes, size) : fwrite(bytes, 1, size, to->file) == size;
    (void)tac__floats_kept();
    if (!written) {
        to->failed = true;
        to->reason = errno;
        return;
    }
    to->bytes += size;
}

tac_status tac__export_file_finish(tac__export_file *to, tac_error *err)
{
    if (to->file) {
        errno = 0;
        if (fclose(to->file) != 0 && !to->failed) {
            to->failed = true;
            to->reason = errno;
        }
        to->file = NULL;
    }
    if (to->failed) {
        const char *path = to->output.open ? to->output.path : "the output";
        const tac_status status = fail(err, path, to->reason);
        tac__output_abandon(&to->output);
        return status;
    }
    return TAC_OK;
}

tac_status tac__export_file_close(tac__export_file *to, tac_error *err)
{
    TAC_TRY(tac__export_file_finish(to, err));
    return to->output.open ? tac__output_commit(&to->output, err) : TAC_OK;
}

void tac__export_file_abandon(tac__export_file *to)
{
    if (to->file)
        fclose(to->file);
    to->file = NULL;
    tac__output_abandon(&to->output);
}
