// lcm_log.c - event logs of LCM.
#include "record/lcm_log.h"
#include "base/file.h"
#include "bus/lcm_type.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { HEADER = 28 };

static const uint32_t sync_word = 0xEDA1DA01;

tac__lcm_log tac__lcm_log_begin(bool (*write)(void *, const void *, size_t), void *context)
{
    return (tac__lcm_log){.write = write, .context = context};
}

bool tac__lcm_log_event(tac__lcm_log *log, tac_time t_us, const char *channel, const void *data,
                        size_t size)
{
    const size_t length = strlen(channel);
    if (log->failed || length > INT32_MAX || size > INT32_MAX) {
        log->failed = true;
        return false;
    }
    uint8_t header[HEADER];
    uint8_t *end = tac__lcm_put(header, sync_word, 4);
    end = tac__lcm_put(end, log->events, 8);
    end = tac__lcm_put(end, t_us, 8);
    end = tac__lcm_put(end, length, 4);
    (void)tac__lcm_put(end, size, 4);
    log->failed = !log->write(log->context, header, sizeof header) ||
                  !log->write(log->context, channel, length) ||
                  (size && !log->write(log->context, data, size));
    log->events += !log->failed;
    return !log->failed;
}

// --- a log in a file that grows -----------------------------------------------------------------

static bool write_file(void *context, const void *bytes, size_t size)
{
    tac__lcm_file *to = context;
    errno = 0;
    if (fwrite(bytes, 1, size, to->file) == size)
        return true;
    to->reason = errno;
    return false;
}

tac_status tac__lcm_file_open(tac__lcm_file *to, const char *path, bool replace, tac_error *err)
{
    *to = (tac__lcm_file){.log = tac__lcm_log_begin(write_file, to)};
    const tac_allocator *a = tac_allocator_default();
    to->path = a->resize(a->context, NULL, 0, strlen(path) + 1);
    if (!to->path)
        return tac__fail_memory(err);
    memcpy(to->path, path, strlen(path) + 1);
    int fd = -1;
    tac_status status = tac__file_create(path, replace, &fd, err);
    if (status == TAC_OK && !(to->file = fdopen(fd, "wb"))) {
        close(fd);
        status = tac__fail_memory(err);
    }
    if (status != TAC_OK) {
        a->resize(a->context, to->path, strlen(to->path) + 1, 0);
        to->path = NULL;
    }
    return status;
}

void tac__lcm_file_flush(tac__lcm_file *to)
{
    errno = 0;
    if (to->file && !to->log.failed && fflush(to->file) != 0) {
        to->reason = errno;
        to->log.failed = true;
    }
}

tac_status tac__lcm_file_close(tac__lcm_file *to, tac_error *err)
{
    if (!to->file)
        return TAC_OK;
    tac__lcm_file_flush(to);
    errno = 0;
    if (fclose(to->file) != 0 && !to->log.failed) {
        to->reason = errno;
        to->log.failed = true;
    }
    to->file = NULL;
    const tac_status status =
        to->log.failed
            ? tac__fail(err, TAC_E_FILE, "cannot write '%s': %s", to->path,
                        to->reason ? tac__errno_text(to->reason) : "an event is too long")
            : TAC_OK;
    const tac_allocator *a = tac_allocator_default();
    a->resize(a->context, to->path, strlen(to->path) + 1, 0);
    to->path = NULL;
    return status;
}
