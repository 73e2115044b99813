// page.h - columns, lists and wrapped words: what the sections of the table share.
#ifndef TAC_EXPLAIN_PAGE_H
#define TAC_EXPLAIN_PAGE_H

#include "base/text.h"

enum { TAC__PAGE_WIDTH = 110, TAC__PAGE_INDENT = 4 };

size_t tac__page_column(const tac__text *out); // where the next character will stand
// Spaces up to a column; two spaces if the text has reached that column already.
void tac__page_pad(tac__text *out, size_t to);
void tac__page_line(tac__text *out, size_t indent);     // a new one
void tac__page_words(tac__text *out, const char *text); // wrapped, below each other

// Items separated by commas, wrapped so that all lines of a list begin in the same column.
typedef struct tac__list {
    tac__text *out;
    size_t indent, count;
} tac__list;

tac__list tac__list_begin(tac__text *out);
void tac__list_add(tac__list *list, const char *separator, const char *item);

// The width of a column that also has to hold this text, at most `most`.
size_t tac__page_widest(size_t width, const char *text, size_t most);

#endif
