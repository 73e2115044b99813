// wpl_items.c - see wpl_items.h.
#include "autopilot/px4/wpl_items.h"
#include "autopilot/mission.h"
#include "base/file.h"

#include <stdbool.h>
#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// One field of a row; false: there is none, or it is no number.
static bool read_field(const char **at, const char *end, double *value)
{
    char text[64];
    size_t n = 0;
    while (*at < end && is_space(**at))
        (*at)++;
    for (; *at < end && !is_space(**at); (*at)++) {
        if (n + 1 == sizeof text)
            return false;
        text[n++] = **at;
    }
    text[n] = '\0';
    const char *stop = text;
    if (n && strspn(text, "+-.0123456789eE") == n)
        *value = tac__number_parse(text, &stop);
    return stop != text && *stop == '\0';
}

static bool is_home(const char *row, const char *end)
{
    double index, mark, frame, command;
    return read_field(&row, end, &index) && read_field(&row, end, &mark) &&
           read_field(&row, end, &frame) && read_field(&row, end, &command) && index == 0 &&
           frame == 0 && command == 16;
}

static void add_row(const char *row, const char *end, bool one_less, tac__text *out)
{
    const char *rest = row;
    double index;
    if (one_less && read_field(&rest, end, &index) && index > 0 && index <= 1e9)
        tac__text_add(out, "%.0f", index - 1);
    else
        rest = row;
    tac__text_bytes(out, rest, (size_t)(end - rest));
    tac__text_bytes(out, "\n", 1);
}

void tac__wpl_items(const char *bytes, size_t size, tac__text *out)
{
    const char *const end = bytes + size;
    size_t rows = 0; // so far, the header included
    bool home = false;
    for (const char *row = bytes, *next; row < end; row = next) {
        const char *newline = memchr(row, '\n', (size_t)(end - row));
        const char *stop = newline ? newline : end;
        next = newline ? newline + 1 : end;
        while (stop > row && is_space(stop[-1]))
            stop--;
        const char *begin = row;
        while (begin < stop && is_space(*begin))
            begin++;
        if (begin == stop)
            continue;
        if (rows++ == 1 && is_home(begin, stop))
            home = true;
        else
            add_row(begin, stop, home, out);
    }
}

tac_status tac__wpl_items_open(const char *file, int *descriptor, char path[TAC__COPY_PATH],
                               tac_error *err)
{
    const tac_allocator *allocator = tac_allocator_default();
    char *bytes;
    size_t size;
    *descriptor = -1;
    TAC_TRY(tac__file_read(file, TAC__MISSION_BYTES, allocator, &bytes, &size, err));
    tac__text items;
    tac__text_init(&items, allocator);
    tac__wpl_items(bytes, size, &items);
    tac__file_free(allocator, bytes, size);
    const tac_status status = items.failed ? tac__fail_memory(err)
                                           : tac__copy_text(file, items.chars ? items.chars : "",
                                                            items.length, descriptor, path, err);
    tac__text_fini(&items);
    return status;
}
