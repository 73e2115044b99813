// repeat.h - long lists in short inputs. A line "*COUNT ITEM" stands for COUNT lines with the item,
// in which each # is the number of the line: a fuzzer changes a count, but never writes 1,000
// lines.
#ifndef TAC_FUZZ_REPEAT_H
#define TAC_FUZZ_REPEAT_H

#include "base/text.h"

#include <string.h>

enum { REPEAT_MAX = 5000, REPEAT_BYTES = 1 << 19 }; // longer lists are cut

static inline void repeat_line(tac__text *out, const char *line, size_t length, uint64_t number)
{
    for (size_t i = 0; i < length; i++) {
        if (line[i] == '#')
            tac__text_add(out, "%llu", (unsigned long long)number);
        else
            tac__text_bytes(out, line + i, 1);
    }
}

// Write the lines of an input, the repeated ones as often as they say.
static inline void repeat_lines(tac__text *out, const char *text, size_t size)
{
    if (size == 0) // then there may be no text at all
        return;
    const char *end = text + size;
    uint64_t left = REPEAT_MAX;
    while (text < end) {
        const char *next = memchr(text, '\n', (size_t)(end - text));
        next = next ? next + 1 : end;
        uint64_t count = 0;
        const char *item = text + 1;
        while (*text == '*' && item < next && *item >= '0' && *item <= '9' && count < REPEAT_MAX)
            count = 10 * count + (uint64_t)(*item++ - '0');
        if (count == 0 || item == next || *item != ' ') {
            tac__text_bytes(out, text, (size_t)(next - text));
        } else {
            for (uint64_t i = 0; i < count && left && out->length < REPEAT_BYTES; i++, left--)
                repeat_line(out, item + 1, (size_t)(next - item - 1), i);
        }
        text = next;
    }
}

#endif
