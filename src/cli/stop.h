// stop.h - signals that ask a run to end: Ctrl-C, SIGTERM, SIGHUP, SIGXCPU, and SIGPIPE, which
// comes when nobody reads the log any more.
//
// The first one stops the run at its next boundary; then the recording is closed as at any other
// end. From there on nothing interrupts what is being written. A further signal kills only a run
// that does not come to its next boundary: one that comes a second or more after the first. Its
// recording can be read up to the last flush, and that is said.
#ifndef TAC_CLI_STOP_H
#define TAC_CLI_STOP_H

#include <tactus/engine.h>

// From here to cli_stop_end signals stop this engine. `recording` is what can be recovered if the
// program is killed, NULL: nothing.
void cli_stop_begin(tac_engine *engine, const char *recording);
// The run is over: signals wait until what it left is written.
void cli_stop_closing(void);
void cli_stop_end(void);

// The name of the signal that stopped the run, NULL while none did.
const char *cli_stop_signal(void);
// And the exit code of a run that it stopped: 128 and its number; 0: none did.
int cli_stop_code(void);

#endif
