// output.c - owns every byte that leaves the program, but log entries and progress.
#include "cli/output.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tactus/engine.h>

void cli_claim_standard_files(void)
{
    // Opened the wrong way round, so that using one still fails and is reported.
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            return;
    }
}

static tac_status fail(const char *path, int reason, tac_error *err)
{
    return tac__fail(err, TAC_E_FILE, "cannot write '%s': %s", path, strerror(reason));
}

tac_status cli_write_stdout(const tac__text *text, tac_error *err)
{
    if (text->failed)
        return tac__fail_memory(err);
    if (text->length == 0)
        return TAC_OK;
    errno = 0;
    const bool written = fwrite(text->chars, 1, text->length, stdout) == text->length;
    if (written && fflush(stdout) == 0)
        return TAC_OK;
    const int reason = errno;
    clearerr(stdout);
    if (reason == EPIPE) {
        tac_error_clear(err);
        return TAC_E_FILE;
    }
    return tac__fail(err, TAC_E_FILE, "cannot write to standard output: %s", strerror(reason));
}

static tac_status write_as_it_is(const char *path, const tac__text *text, tac_error *err)
{
    errno = 0;
    FILE *file = fopen(path, "wb");
    if (!file)
        return fail(path, errno, err);
    const bool written = fwrite(text->chars, 1, text->length, file) == text->length;
    const bool flushed = fflush(file) == 0;
    const int reason = errno;
    const bool closed = fclose(file) == 0;
    return written && flushed && closed ? TAC_OK : fail(path, reason ? reason : errno, err);
}

tac_status cli_write_file(const char *path, const tac__text *text, tac_error *err)
{
    if (text->failed)
        return tac__fail_memory(err);
    struct stat s;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode)
               ? write_as_it_is(path, text, err)
               : tac__file_write(path, text->chars, text->length, err);
}

tac_status cli_check_writable(const char *path, tac_error *err)
{
    struct stat s;
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return tac__fail(err, TAC_E_FILE, "cannot write '%s': not a regular file", path);
    char *folder = strdup(path);
    if (!folder)
        return tac__fail_memory(err);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = '\0';
    const bool fine = access(slash ? folder : ".", W_OK | X_OK) == 0;
    const int reason = errno;
    free(folder);
    return fine ? TAC_OK : fail(path, reason, err);
}

tac_status cli_check_apart(const char *output, const char *input, tac_error *err)
{
    struct stat a, b;
    const bool same = output && input && stat(output, &a) == 0 && stat(input, &b) == 0 &&
                      S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    return same ? tac__fail(err, TAC_E_USAGE, "'%s' is read: what is written cannot take its place",
                            output)
                : TAC_OK;
}

void cli_print_error(const tac_error *err)
{
    char text[TAC_ERROR_TEXT + TAC_ERROR_CONTEXT + 8 * TAC_ERROR_NAME];
    tac_error_print(err, text, sizeof text);
    fputs(text, stderr);
}

// What is not known is null.
static void key_known(tac__json *json, const char *key, const char *value)
{
    tac__json_key_text(json, key, value[0] ? value : NULL);
}

static void key_position(tac__json *json, const char *key, uint64_t value, uint64_t unknown)
{
    tac__json_key(json, key);
    if (value == unknown)
        tac__json_text(json, NULL);
    else
        tac__json_u64(json, value);
}

void cli_json_lines(tac__json *json, const char *key, const char *lines)
{
    tac__json_key(json, key);
    tac__json_array_begin(json);
    while (*lines) {
        char line[TAC_ERROR_CONTEXT]; // longer ones are cut
        const size_t length = strcspn(lines, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, lines);
        tac__json_text(json, line);
        lines += length + (lines[length] == '\n');
    }
    tac__json_array_end(json);
}

void cli_json_error(tac__json *json, const tac_error *err)
{
    tac__json_key(json, "error");
    tac__json_object_begin(json);
    tac__json_key_text(json, "status", tac_status_name(err->status));
    tac__json_key_u64(json, "exit_code", (uint64_t)tac_status_exit_code(err->status));
    tac__json_key_text(json, "text", err->text[0] ? err->text : tac_status_text(err->status));
    key_known(json, "file", err->file);
    key_position(json, "line", err->line, 0);
    key_position(json, "column", err->column, 0);
    key_known(json, "excerpt", err->excerpt);
    key_position(json, "t_us", err->t_us, TAC_TIME_NEVER);
    key_known(json, "component", err->component);
    cli_json_lines(json, "context", err->context);
    tac__json_object_end(json);
}

tac_status cli_take_text(tac__text *out, char *text, tac_error *err)
{
    if (!text)
        return tac__fail_memory(err);
    const size_t length = strlen(text);
    tac__text_bytes(out, text, length);
    if (length == 0 || text[length - 1] != '\n')
        tac__text_bytes(out, "\n", 1);
    tac_text_free(text);
    return TAC_OK;
}
