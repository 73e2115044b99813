// relay.h - takes what other processes write while they run, with a thread of its own: lines, which
// are shown on standard error with the name of the process in front, and reports, which are kept.
//
// The memory is bounded, whatever is written: a part of a line for each stream, and of a report no
// more than its limit. A process that writes faster than standard error takes it waits, as it would
// by itself; nobody else does.
#ifndef TAC_CLI_RELAY_H
#define TAC_CLI_RELAY_H

#include "base/text.h"

typedef struct cli_relay cli_relay;

// For so many streams. NULL: no memory.
cli_relay *cli_relay_create(size_t streams_max);
void cli_relay_destroy(cli_relay *relay); // NULL is fine

// Streams are added before the start. The relay closes `fd`; `name` outlives it.
void cli_relay_add_lines(cli_relay *relay, const char *name, int fd);
// Returns the number of the stream, for cli_relay_kept.
size_t cli_relay_add_report(cli_relay *relay, int fd, size_t max);
TAC_MUST_CHECK tac_status cli_relay_start(cli_relay *relay, tac_error *err);

// Once the processes are over: takes what is left in their pipes, and ends the thread. Processes
// that they have started may go on and keep the pipes open; nobody waits for them.
void cli_relay_stop(cli_relay *relay);

// After the stop: what came, and of how many bytes in all.
const tac__text *cli_relay_kept(const cli_relay *relay, size_t stream, size_t *size);

#endif
