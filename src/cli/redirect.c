// redirect.c - see redirect.h. Libraries share our stdio buffer, so the buffer is flushed before
// and after.
#include "cli/redirect.h"

#include <stdio.h>
#include <unistd.h>

static int kept = -1;

void cli_redirect_begin(void)
{
    fflush(stdout);
    kept = dup(STDOUT_FILENO);
    if (kept >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
}

void cli_redirect_end(void)
{
    if (kept < 0)
        return;
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    kept = -1;
}
