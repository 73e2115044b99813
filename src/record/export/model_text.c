// model_text.c - see model_text.h.
#include "record/export/model_text.h"
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

static const char word[] = "param ";

bool tac__model_next(const char **at, tac__model_line *line)
{
    while (**at) {
        const char *text = *at, *end = text + strcspn(text, "\n");
        *at = end + (*end == '\n');
        if (strncmp(text, word, sizeof word - 1) != 0)
            continue;
        text += sizeof word - 1;
        for (const char *equal = text; equal + 3 <= end; equal++) {
            if (memcmp(equal, " = ", 3) != 0)
                continue;
            *line = (tac__model_line){text, equal, equal + 3, end};
            return true;
        }
    }
    return false;
}

bool tac__model_param(const char *model, char *value, size_t size, const char *format, ...)
{
    char name[512];
    va_list args;
    va_start(args, format);
    tac__vprint(name, sizeof name, format, args);
    va_end(args);
    const size_t length = strlen(name);
    tac__model_line line;
    *value = '\0';
    while (tac__model_next(&model, &line)) {
        const size_t given = (size_t)(line.end - line.value);
        if ((size_t)(line.equal - line.name) != length || strncmp(line.name, name, length) != 0)
            continue;
        if (given >= size)
            return false;
        memcpy(value, line.value, given);
        value[given] = '\0';
        return true;
    }
    return false;
}

size_t tac__model_numbers(const char *value, double *numbers, size_t most)
{
    size_t count = 0;
    for (value += *value == '['; count < most; count++) {
        const char *end;
        value += strspn(value, " ,");
        numbers[count] = tac__number_parse(value, &end);
        if (end == value)
            break;
        value = end;
    }
    return count;
}
