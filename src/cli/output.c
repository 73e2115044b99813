// output.c - writes everything that the program prints, except log entries and progress.
#include "cli/output.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void cli_claim_standard_files(void)
{
    // Standard input is opened for writing and the others for reading, so that using a descriptor
    // that was closed still fails and is reported.
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            return;
    }
}

// Writes each run of printable characters with one call.
static bool write_shown(const char *text, size_t left)
{
    char shown[TAC__SHOWN];
    const char *plain = text;
    bool written = true;
    for (size_t n; left > 0 && written; text += n, left -= n) {
        n = tac__shown_as(text, left, shown);
        if (!*shown)
            continue;
        written = fwrite(plain, 1, (size_t)(text - plain), stdout) == (size_t)(text - plain) &&
                  fputs(shown, stdout) >= 0;
        plain = text + n;
    }
    return written && fwrite(plain, 1, (size_t)(text - plain), stdout) == (size_t)(text - plain);
}

tac_status cli_write_stdout(const tac__text *text, tac_error *err)
{
    if (text->failed)
        return tac__fail_memory(err);
    if (text->length == 0)
        return TAC_OK;
    errno = 0;
    if (write_shown(text->chars, text->length) && fflush(stdout) == 0)
        return TAC_OK;
    const int reason = errno;
    clearerr(stdout);
    if (reason == EPIPE) {
        tac_error_clear(err);
        return TAC_E_FILE;
    }
    return tac__fail(err, TAC_E_FILE, "cannot write to standard output: %s",
                     tac__errno_text(reason));
}

tac_status cli_write_file(const char *path, const tac__text *text, tac_error *err)
{
    if (text->failed)
        return tac__fail_memory(err);
    return tac__file_write(path, text->chars, text->length, err);
}

// https://no-color.org: any value but an empty one says no.
static bool has_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no && *no) && term && strcmp(term, "dumb") && isatty(STDERR_FILENO);
}

void cli_print_error(const tac_error *err)
{
    char text[TAC_ERROR_TEXT + TAC_ERROR_CONTEXT + 8 * TAC_ERROR_NAME];
    tac_error_print(err, text, sizeof text);
    const char *word = strstr(text, "error: ");
    if (word && has_colour())
        fprintf(stderr, "%.*s\033[1;31merror:\033[0m%s", (int)(word - text), text, word + 6);
    else
        fputs(text, stderr);
}

// An unknown value is written as null.
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

void cli_json_model_hash(tac__json *json, const tac_engine *engine)
{
    const uint64_t hash = tac_engine_model_hash(engine);
    json->text->failed |= hash == 0;
    tac__json_key_hex64(json, "model_hash", hash);
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

void cli_json_error(tac__json *json, const char *key, const tac_error *err)
{
    if (key)
        tac__json_key(json, key);
    tac__json_object_begin(json);
    tac__json_key_text(json, "status", tac_status_name(err->status));
    const int stopped = err->status == TAC_E_STOPPED ? cli_stop_code() : 0;
    tac__json_key_u64(json, "exit_code",
                      (uint64_t)(stopped ? stopped : tac_status_exit_code(err->status)));
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
