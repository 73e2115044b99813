// handed.c - see handed.h.
#include "cli/handed.h"

#include "base/error.h"
#include "base/json_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// In JSON line ends stand between values only: within texts they are written as \n.
static void flatten(tac__text *line, const char *bytes, size_t size)
{
    bool indent = false;
    for (size_t i = 0; i < size; i++) {
        const char c = bytes[i];
        indent = c == '\n' || c == '\r' || (indent && (c == ' ' || c == '\t'));
        if (!indent)
            tac__text_bytes(line, &c, 1);
    }
}

void cli_handed_read(cli_handed *h, const char *name, const tac__text *bytes, size_t size,
                     size_t max)
{
    *h = (cli_handed){0};
    tac__text_init(&h->text, tac_allocator_default());
    tac_error_clear(&h->err);
    if (!size)
        return;
    if (size > max) {
        (void)tac__fail(&h->err, TAC_E_FORMAT,
                        "process '%s' hands in a report of %zu bytes; at most %zu are allowed",
                        name, size, max);
        return;
    }
    char file[TAC_ERROR_NAME];
    tac_node *root = NULL;
    snprintf(file, sizeof file, "report of '%s'", name);
    h->doc = tac_document_create(tac_allocator_default());
    if (!h->doc || bytes->failed) {
        (void)tac__fail_memory(&h->err);
        return;
    }
    if (tac__json_read(h->doc, file, bytes->chars, bytes->length, &root, &h->err) != TAC_OK) {
        if (h->err.status != TAC_E_MEMORY)
            h->err.status = TAC_E_FORMAT;
        tac__error_context(&h->err, "reading the report that process '%s' handed in", name);
        return;
    }
    h->root = root;
    flatten(&h->text, bytes->chars, bytes->length);
    if (h->text.failed)
        (void)tac__fail_memory(&h->err);
}

void cli_handed_fini(cli_handed *h)
{
    tac__text_fini(&h->text);
    tac_document_destroy(h->doc);
    *h = (cli_handed){0};
}

tac_status cli_handed_descriptor(int *fd, tac_error *err)
{
    const char *text = getenv(CLI_REPORT_FD), *end;
    *fd = -1;
    if (!text || !*text)
        return TAC_OK;
    const uint64_t number = tac__digits_parse(text, &end, 10);
    if (end == text || *end || number > INT32_MAX || fcntl((int)number, F_GETFD) < 0)
        return tac__fail(err, TAC_E_USAGE,
                         "'" CLI_REPORT_FD "' of the environment is '%.64s', no descriptor that is "
                         "open",
                         text);
    *fd = (int)number;
    (void)fcntl(*fd, F_SETFD, FD_CLOEXEC);
    return TAC_OK;
}
