// page.c - columns, lists and wrapped words; see page.h.
#include "explain/page.h"

#include <string.h>

size_t tac__page_column(const tac__text *out)
{
    size_t n = 0;
    while (n < out->length && out->chars[out->length - 1 - n] != '\n')
        n++;
    return n;
}

void tac__page_pad(tac__text *out, size_t to)
{
    const size_t at = tac__page_column(out);
    tac__text_repeat(out, ' ', at < to ? to - at : at ? 2 : 0);
}

void tac__page_line(tac__text *out, size_t indent)
{
    tac__text_add(out, "\n");
    tac__text_repeat(out, ' ', indent);
}

void tac__page_words(tac__text *out, const char *text)
{
    static const char blanks[] = " \t\n\r";
    const size_t indent = tac__page_column(out);
    text += strspn(text, blanks);
    while (*text) {
        const size_t n = strcspn(text, blanks);
        if (tac__page_column(out) > indent) {
            if (tac__page_column(out) + 1 + n > TAC__PAGE_WIDTH)
                tac__page_line(out, indent);
            else
                tac__text_add(out, " ");
        }
        tac__text_bytes(out, text, n);
        text += n + strspn(text + n, blanks);
    }
}

tac__list tac__list_begin(tac__text *out)
{
    return (tac__list){out, tac__page_column(out), 0};
}

void tac__list_add(tac__list *l, const char *separator, const char *item)
{
    if (l->count++) {
        tac__text_add(l->out, "%s", separator);
        if (tac__page_column(l->out) + 1 + strlen(item) > TAC__PAGE_WIDTH)
            tac__page_line(l->out, l->indent);
        else
            tac__text_add(l->out, " ");
    }
    tac__text_add(l->out, "%s", item);
}

size_t tac__page_widest(size_t width, const char *text, size_t most)
{
    const size_t n = strlen(text);
    return n > width ? (n < most ? n : most) : width;
}
