// svg.h - the parts of SVG that the pictures need. Coordinates are written as whole pixels, so that
// a picture is the same text on every machine and its lines are sharp.
#ifndef TAC_BASE_SVG_H
#define TAC_BASE_SVG_H

#include "base/text.h"

enum { TAC__TITLE_SIZE = 12, TAC__SUBTITLE_SIZE = 10, TAC__LABEL_SIZE = 9 }; // of fonts

typedef enum tac__anchor { TAC__ANCHOR_START, TAC__ANCHOR_MIDDLE, TAC__ANCHOR_END } tac__anchor;

typedef struct tac__font {
    int size;
    bool bold;
    bool halo; // with a light outline, to be readable on lines
    tac__anchor anchor;
    const char *colour;
} tac__font;

// The width of a text in a font like Helvetica. An estimate, on the wide side.
double tac__svg_width(const char *text, double size, bool bold);

int tac__px(double x); // rounded

// Text as XML: escaped; what XML cannot hold becomes '?'.
void tac__svg_escape(tac__text *out, const char *text);
// `text`, cut with an ellipsis where it is wider than `width` (0: never).
void tac__svg_text(tac__text *out, double x, double y, double width, const tac__font *font,
                   const char *text);
void tac__svg_title(tac__text *out, const char *text); // <title>: a tooltip
void tac__svg_rect(tac__text *out, double x, double y, double w, double h, int radius,
                   const char *fill, const char *line, const char *extra);

#endif
