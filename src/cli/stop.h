// stop.h - Ctrl-C and SIGTERM stop a run at its next boundary; the second one kills the program.
#ifndef TAC_CLI_STOP_H
#define TAC_CLI_STOP_H

#include <tactus/engine.h>

// From here to cli_stop_end signals stop this engine.
void cli_stop_begin(tac_engine *engine);
void cli_stop_end(void);

// The name of the signal that came, NULL while none did.
const char *cli_stop_signal(void);

#endif
