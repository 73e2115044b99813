// error.c - owns the text of errors. A tac_error is a plain struct of fixed size, so reporting
// "out of memory" needs none. Texts that do not fit are cut, never dropped.
#include "base/error.h"
#include "base/print.h"
#include "base/text.h"

#include <stdbool.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *text;
    int exit_class;
} table[] = {
#define ROW(name, exit_class, text) {"TAC_" #name, text, exit_class},
    TAC_STATUS_TABLE(ROW)
#undef ROW
};

enum { STATUS_COUNT = sizeof table / sizeof *table };

const char *tac_status_name(tac_status status)
{
    return (unsigned)status < STATUS_COUNT ? table[status].name : "TAC_E_?";
}

const char *tac_status_text(tac_status status)
{
    return (unsigned)status < STATUS_COUNT ? table[status].text : "unknown status";
}

int tac_status_exit_code(tac_status status)
{
    return (unsigned)status < STATUS_COUNT ? table[status].exit_class : 1;
}

void tac_error_clear(tac_error *err)
{
    if (err) {
        memset(err, 0, sizeof *err);
        err->t_us = TAC_TIME_NEVER;
    }
}

// Append to a fixed buffer; cut at the end.
TAC_PRINTF(3, 0)
static void append(char *buffer, size_t size, const char *format, va_list args)
{
    const size_t used = strlen(buffer);
    tac__vprint(buffer + used, size - used, format, args);
}

static void copy(char *buffer, size_t size, const char *text)
{
    snprintf(buffer, size, "%s", text ? text : "");
}

static bool continues_character(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80; // UTF-8
}

enum { EXCERPT_BEFORE = 80 }; // characters of a long line that are shown before the spot

// Of a line that is too long to be kept, keep the part round the spot.
static void keep_excerpt(tac_error *err, const tac_place *place)
{
    const char *line = place->excerpt ? place->excerpt : "";
    err->caret = place->column;
    if (strlen(line) < sizeof err->excerpt || place->column <= EXCERPT_BEFORE) {
        copy(err->excerpt, sizeof err->excerpt, line);
        return;
    }
    uint32_t skip = place->column - EXCERPT_BEFORE;
    for (; *line && skip > 0; skip--) {
        line++;
        while (continues_character(*line))
            line++;
    }
    memcpy(err->excerpt, "...", 3);
    copy(err->excerpt + 3, sizeof err->excerpt - 3, line);
    err->caret = EXCERPT_BEFORE + 3;
}

void tac__error_place(tac_error *err, const tac_place *place)
{
    if (!err || !place || err->line || !place->line)
        return;
    copy(err->file, sizeof err->file, place->file);
    keep_excerpt(err, place);
    err->line = place->line;
    err->column = place->column;
}

TAC_PRINTF(4, 0)
static void start(tac_error *err, tac_status status, const tac_place *place, const char *format,
                  va_list args)
{
    if (!err)
        return;
    tac_error_clear(err);
    err->status = status;
    append(err->text, sizeof err->text, format, args);
    tac__error_place(err, place);
}

tac_status tac__fail(tac_error *err, tac_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    start(err, status, NULL, format, args);
    va_end(args);
    return status;
}

tac_status tac__fail_at(tac_error *err, tac_status status, const tac_place *place,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    start(err, status, place, format, args);
    va_end(args);
    return status;
}

tac_status tac__fail_memory(tac_error *err)
{
    return tac__fail(err, TAC_E_MEMORY, "out of memory");
}

void tac__error_append(tac_error *err, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        append(err->text, sizeof err->text, format, args);
        va_end(args);
    }
}

void tac__error_suggest(tac_error *err, const char *name, tac__candidate_fn *candidate,
                        const void *context)
{
    if (!err)
        return;
    tac__nearest nearest = tac__nearest_begin(name);
    for (size_t i = 0;; i++) {
        const char *valid = candidate(context, i);
        if (!valid)
            break;
        tac__nearest_offer(&nearest, valid);
    }
    if (nearest.best)
        tac__error_append(err, "; did you mean '%s'?", nearest.best);
}

void tac__error_context(tac_error *err, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        const size_t used = strlen(err->context);
        snprintf(err->context + used, sizeof err->context - used, "while ");
        append(err->context, sizeof err->context, format, args);
        const size_t end = strlen(err->context);
        snprintf(err->context + end, sizeof err->context - end, "\n");
        va_end(args);
    }
}

void tac__error_run(tac_error *err, tac_time t_us, const char *component)
{
    if (err) {
        err->t_us = t_us;
        copy(err->component, sizeof err->component, component);
    }
}

void tac__excerpt(const char *line, const char *end, char text[TAC_ERROR_NAME])
{
    size_t used = 0;
    char shown[TAC__SHOWN];
    for (size_t n; line < end; line += n) {
        n = tac__shown_as(line, (size_t)(end - line), shown);
        const bool plain = !*shown && *line != '\n';
        const size_t size = plain ? n : 1;
        if (used + size >= TAC_ERROR_NAME)
            break;
        memcpy(text + used, plain ? line : "?", size);
        used += size;
    }
    text[used] = '\0';
}

// The excerpt with a caret below the spot. Columns count characters, the excerpt is bytes; tabs are
// kept so that the caret lines up.
static void print_excerpt(const tac_error *err, tac__out *out)
{
    tac__out_add(out, "%6u | ", err->line);
    tac__out_shown(out, err->excerpt, false);
    tac__out_add(out, "\n       | ");
    char shown[TAC__SHOWN];
    uint32_t column = 1;
    const char *c = err->excerpt;
    for (size_t left = strlen(c), n; left > 0 && column < err->caret; c += n, left -= n, column++) {
        n = tac__shown_as(c, left, shown);
        const size_t width = *shown ? strlen(shown) : 1;
        for (size_t i = 0; i < width; i++)
            tac__out_add(out, "%c", *c == '\t' ? '\t' : ' ');
    }
    tac__out_add(out, "^\n");
}

size_t tac_error_print(const tac_error *err, char *buffer, size_t size)
{
    tac__out out = tac__out_begin(buffer, size);
    tac__out_shown(&out, err->file, false);
    if (err->line)
        tac__out_add(&out, ":%u:%u: ", err->line, err->column);
    else if (err->file[0])
        tac__out_add(&out, ": ");
    if (err->t_us != TAC_TIME_NEVER) {
        char when[TAC_TIME_TEXT];
        tac_time_print(err->t_us, when);
        tac__out_add(&out, "at t = %s", when);
        if (err->component[0]) {
            tac__out_add(&out, ", component '");
            tac__out_shown(&out, err->component, false);
            tac__out_add(&out, "'");
        }
        tac__out_add(&out, ": ");
    }
    tac__out_add(&out, "error: ");
    tac__out_shown(&out, err->text[0] ? err->text : tac_status_text(err->status), true);
    tac__out_add(&out, "\n");
    if (err->line && err->excerpt[0])
        print_excerpt(err, &out);
    for (const char *line = err->context; *line;) {
        char one[TAC_ERROR_CONTEXT];
        const size_t length = strcspn(line, "\n");
        snprintf(one, sizeof one, "%.*s", (int)length, line);
        tac__out_add(&out, "  ");
        tac__out_shown(&out, one, false);
        tac__out_add(&out, "\n");
        line += length + (line[length] == '\n');
    }
    return out.length;
}

const char *tac_version(void)
{
    return TAC_VERSION;
}

tac_status tac__mistake(tac__mistakes *m, tac_status status, tac_error *err)
{
    const bool enough = m && m->count == TAC_MISTAKES_MAX;
    if (!m || !m->tell || !err || enough || tac_status_exit_code(status) != 2)
        return status;
    if (m->first.status == TAC_OK)
        m->first = *err;
    m->tell(m->context, err);
    return ++m->count < TAC_MISTAKES_MAX ? TAC_OK : tac__mistakes_end(m, err);
}

tac_status tac__mistakes_end(const tac__mistakes *m, tac_error *err)
{
    if (m->first.status != TAC_OK && err)
        *err = m->first;
    return m->first.status;
}

// The texts of the C libraries that we know. Others may share a number: the first one counts.
const char *tac__errno_text(int code)
{
    static const struct {
        int code;
        const char *text;
    } texts[] = {
        {EPERM, "Operation not permitted"},
        {ENOENT, "No such file or directory"},
        {EINTR, "Interrupted system call"},
        {EIO, "Input/output error"},
        {ENXIO, "No such device or address"},
        {E2BIG, "Argument list too long"},
        {ENOEXEC, "Exec format error"},
        {EBADF, "Bad file descriptor"},
        {ECHILD, "No child processes"},
        {EAGAIN, "Resource temporarily unavailable"},
        {ENOMEM, "Cannot allocate memory"},
        {EACCES, "Permission denied"},
        {EFAULT, "Bad address"},
        {EBUSY, "Device or resource busy"},
        {EEXIST, "File exists"},
        {EXDEV, "Invalid cross-device link"},
        {ENODEV, "No such device"},
        {ENOTDIR, "Not a directory"},
        {EISDIR, "Is a directory"},
        {EINVAL, "Invalid argument"},
        {ENFILE, "Too many open files in system"},
        {EMFILE, "Too many open files"},
        {ENOTTY, "Inappropriate ioctl for device"},
        {ETXTBSY, "Text file busy"},
        {EFBIG, "File too large"},
        {ENOSPC, "No space left on device"},
        {ESPIPE, "Illegal seek"},
        {EROFS, "Read-only file system"},
        {EMLINK, "Too many links"},
        {EPIPE, "Broken pipe"},
        {ERANGE, "Numerical result out of range"},
        {EDEADLK, "Resource deadlock avoided"},
        {ENAMETOOLONG, "File name too long"},
        {ENOSYS, "Function not implemented"},
        {ENOTEMPTY, "Directory not empty"},
        {ELOOP, "Too many levels of symbolic links"},
        {EOVERFLOW, "Value too large for defined data type"},
        {ENOTSUP, "Operation not supported"},
        {EADDRINUSE, "Address already in use"},
        {EADDRNOTAVAIL, "Cannot assign requested address"},
        {ENETUNREACH, "Network is unreachable"},
        {ECONNABORTED, "Software caused connection abort"},
        {ECONNRESET, "Connection reset by peer"},
        {ETIMEDOUT, "Connection timed out"},
        {ECONNREFUSED, "Connection refused"},
        {EHOSTUNREACH, "No route to host"},
        {EINPROGRESS, "Operation now in progress"},
#ifdef ESTALE
        {ESTALE, "Stale file handle"},
#endif
#ifdef EDQUOT
        {EDQUOT, "Disk quota exceeded"},
#endif
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].code == code)
            return texts[i].text;
    }
    return "Unknown error";
}
