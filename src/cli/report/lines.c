// lines.c - lines about vehicles; see lines.h.
#include "cli/report/lines.h"

#include <math.h>

tac__out cli_lines_add(cli_lines *lines, const char *label)
{
    TAC_ASSERT(lines->count < CLI_LINES_MAX);
    const size_t i = lines->count++;
    lines->list[i].label = label;
    return tac__out_begin(lines->list[i].text, sizeof lines->list[i].text);
}

void cli_add_metres(tac__out *out, double metres)
{
    if (fabs(metres) < 0.005)
        metres = 0; // not "-0.00 m"
    if (fabs(metres) >= 10000)
        tac__out_add(out, "%.1f km", metres / 1000);
    else if (fabs(metres) >= 1000)
        tac__out_add(out, "%.2f km", metres / 1000);
    else
        tac__out_add(out, "%.*f m", fabs(metres) < 9.995 ? 2 : 1, metres);
}
