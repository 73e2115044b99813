// lines.h - what is said of a vehicle in a few lines, for the report and for its picture.
#ifndef TAC_CLI_REPORT_LINES_H
#define TAC_CLI_REPORT_LINES_H

#include "base/text.h"

enum { CLI_LINES_MAX = 8 };

typedef struct cli_lines {
    struct {
        const char *label;
        char text[160];
    } list[CLI_LINES_MAX];
    size_t count;
} cli_lines;

// Begin another line; at most CLI_LINES_MAX.
tac__out cli_lines_add(cli_lines *lines, const char *label);

// With as many digits as a person needs: "0.42 m", "12.3 m", "1.23 km".
void cli_add_metres(tac__out *out, double metres);

#endif
