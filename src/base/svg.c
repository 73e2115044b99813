// svg.c - rectangles and texts of SVG.
#include "base/svg.h"

#include <string.h>

double tac__svg_width(const char *text, double size, bool bold)
{
    double em = 0;
    for (const char *c = text; *c; c++) {
        if (((unsigned char)*c & 0xc0) == 0x80)
            continue; // goes on with a character
        if (strchr("ijl.,:;'|!()[] ftrI", *c))
            em += 0.34;
        else if (strchr("mwMW", *c))
            em += 0.86;
        else
            em += *c >= 'A' && *c <= 'Z' ? 0.70 : 0.56;
    }
    return em * size * (bold ? 1.08 : 1.0);
}

int tac__px(double x)
{
    return x < 0 ? -(int)(0.5 - x) : (int)(x + 0.5);
}

// The length of a well-formed UTF-8 character, 0 where there is none.
static size_t character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    const size_t n = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    if (c[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    }
    // Overlong forms, surrogates, beyond Unicode, and the two that XML forbids.
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f) ||
        (c[0] == 0xef && c[1] == 0xbf && c[2] > 0xbd))
        return 0;
    return n;
}

// Up to `length` bytes of it.
static void escape(tac__text *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        const char *c = text + i;
        const size_t n = character(c);
        if (*c == '&')
            tac__text_add(out, "&amp;");
        else if (*c == '<')
            tac__text_add(out, "&lt;");
        else if (*c == '>')
            tac__text_add(out, "&gt;");
        else if (*c == '"')
            tac__text_add(out, "&quot;");
        else if (n == 0 || (n == 1 && ((unsigned char)*c < 0x20 || *c == 0x7f) && *c != '\n'))
            tac__text_add(out, "?");
        else
            tac__text_bytes(out, c, n);
        i += n ? n : 1;
    }
}

void tac__svg_escape(tac__text *out, const char *text)
{
    escape(out, text, strlen(text));
}

// How many bytes of it fit beside an ellipsis.
static size_t fitting(const char *text, double width, const tac__font *font)
{
    char head[256];
    size_t n = strlen(text);
    n = n < sizeof head - 1 ? n : sizeof head - 1;
    memcpy(head, text, n);
    head[n] = '\0';
    while (n > 0 && tac__svg_width(head, font->size, font->bold) + 0.8 * font->size > width) {
        do {
            head[--n] = '\0';
        } while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80);
    }
    return n;
}

void tac__svg_text(tac__text *out, double x, double y, double width, const tac__font *font,
                   const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    tac__text_add(out, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"%s\"", tac__px(x),
                  tac__px(y), font->size, font->colour);
    if (font->anchor != TAC__ANCHOR_START)
        tac__text_add(out, " text-anchor=\"%s\"", anchors[font->anchor]);
    if (font->bold)
        tac__text_add(out, " font-weight=\"600\"");
    if (font->halo)
        tac__text_add(out, " stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" "
                           "paint-order=\"stroke\"");
    tac__text_add(out, ">");
    const bool fits = width <= 0 || tac__svg_width(text, font->size, font->bold) <= width;
    escape(out, text, fits ? strlen(text) : fitting(text, width, font));
    tac__text_add(out, fits ? "</text>\n" : "\xe2\x80\xa6</text>\n");
}

void tac__svg_title(tac__text *out, const char *text)
{
    tac__text_add(out, "<title>");
    tac__svg_escape(out, text);
    tac__text_add(out, "</title>");
}

void tac__svg_rect(tac__text *out, double x, double y, double w, double h, int radius,
                   const char *fill, const char *line, const char *extra)
{
    // Both corners are rounded to pixels, so that rectangles that touch also touch on the page.
    tac__text_add(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\" fill=\"%s\"",
                  tac__px(x), tac__px(y), tac__px(x + w) - tac__px(x), tac__px(y + h) - tac__px(y),
                  radius, fill);
    if (line)
        tac__text_add(out, " stroke=\"%s\"", line);
    tac__text_add(out, "%s/>\n", extra ? extra : "");
}
