// decimal.h - doubles as decimal texts and back, exactly: correctly rounded, ties to even, with a
// point whatever the locale of the host program is. C's own functions depend on it.
#ifndef TAC_BASE_DECIMAL_H
#define TAC_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

// As "%.*e", "%.*f" and "%.*g" of C would write the absolute value in the "C" locale, without
// flags ('#' of g apart). `style` is one of e, f, g and their capitals. Returns the length, cut to
// fit `size`, NUL included; TAC__DECIMAL_TEXT has room for 17 digits of any number as e or g.
enum { TAC__DECIMAL_TEXT = 32 };
size_t tac__decimal_print(double value, char style, int precision, bool keep_zeros, char *text,
                          size_t size);

// The fewest digits that read back as `value`, a positive number: so many are written, without a
// point; it stands behind the first of them, times ten to the power of `*exponent`.
int tac__decimal_shortest(double value, char digits[17], int *exponent);

// As strtod in the "C" locale, without white space in front: decimal and hexadecimal numbers, inf,
// infinity, nan. `*end` is `text` where there is none.
double tac__decimal_parse(const char *text, const char **end);

#endif
