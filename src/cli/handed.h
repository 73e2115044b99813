// handed.h - the report of a process that wrote it to the descriptor in TACTUS_REPORT_FD: for the
// side that takes it, and for the side that writes it.
#ifndef TAC_CLI_HANDED_H
#define TAC_CLI_HANDED_H

#include "base/json.h"
#include "base/node.h"

#define CLI_REPORT_FD "TACTUS_REPORT_FD"

enum {
    CLI_REPORT_MAX = 1 << 20,        // bytes of a program's report
    CLI_ENGINE_REPORT_MAX = 1 << 26, // and of an engine's, which may have very many vehicles
};

// What a process handed in.
typedef struct cli_handed {
    tac__text text;    // one line of JSON; empty: none was handed in, or it is not good
    tac_document *doc; // the same, read
    const tac_node *root;
    tac_error err; // why it is not good; TAC_OK: it is, or there is none
} cli_handed;

// Reads `bytes`, of which `size` came and `max` were allowed. `name` is that of the process.
void cli_handed_read(cli_handed *handed, const char *name, const tac__text *bytes, size_t size,
                     size_t max);
void cli_handed_fini(cli_handed *handed); // one that is zero is fine

// The descriptor of this process's own report; -1: none is asked for. It is not passed on to
// programs that this one starts. TAC_E_USAGE: the variable names no descriptor.
TAC_MUST_CHECK tac_status cli_handed_descriptor(int *fd, tac_error *err);

#endif
