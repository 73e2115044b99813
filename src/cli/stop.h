// stop.h - signals that end a run: Ctrl-C, SIGTERM, SIGHUP, SIGXCPU, and SIGPIPE, which arrives
// when the reader of the log has gone.
//
// The first signal stops the run at its next boundary; then the recording is closed as at any other
// end, and nothing interrupts the writing. A further signal kills the program only if the run does
// not reach its next boundary, and only if it arrives a second or more after the first. Its
// recording can then be read up to the last flush, and a message says so.
#ifndef TAC_CLI_STOP_H
#define TAC_CLI_STOP_H

#include <tactus/engine.h>

// From here to cli_stop_end signals stop this engine; NULL: they are only noted, and who runs other
// processes asks for cli_stop_signal now and then. `recording` is the file to recover if the
// program is killed, NULL: none.
void cli_stop_begin(tac_engine *engine, const char *recording);
// The run is over: signals are held back until everything is written.
void cli_stop_closing(void);
void cli_stop_end(void);

// The name of the signal that stopped the run, NULL if none did.
const char *cli_stop_signal(void);
// The exit code of a run that a signal stopped: 128 plus its number; 0: none did.
int cli_stop_code(void);

#endif
