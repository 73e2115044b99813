// dispatch.h - what the commands that own a server share: its definition from a configuration, and
// the report at the end.
#ifndef TAC_CLI_DISPATCH_H
#define TAC_CLI_DISPATCH_H

#include "base/json.h"
#include "cli/load.h"
#include "cli/progress.h"

#include <tactus/federation.h>

typedef struct cli_dispatch {
    cli_simulation sim; // the configuration; no engine is made of it
    tac_federation_info info;
    tac_server *server;
    const char **names;
    tac_time end_us;
    cli_progress progress;
    // Called with the progress; returns NULL, or why the federation is to end. May be NULL.
    const char *(*watch)(void *context);
    void *context;
    const char *transport; // as told in reports
    const char *lcm, *log; // network and event log of LCM; NULL: none
    bool lcm_asked;        // by an option or the configuration, not by default
} cli_dispatch;

// Options of commands that own a server.
#define CLI_OPTIONS_LCM                                                                            \
    {.name = "lcm",                                                                                \
     .value = "URL",                                                                               \
     .doc = "Publish all messages on this network of LCM, for everyone to see; by default what "   \
            "the configuration says, or " TAC_FEDERATION_LCM " unless there is a key."},           \
        {.name = "no-lcm", .doc = "Publish nothing with LCM."},                                    \
    {                                                                                              \
        .name = "log", .value = "FILE",                                                            \
        .doc = "Write all messages to an event log of LCM, in the order of simulated time."        \
    }

// Reads the configuration and its section `federation`.
TAC_MUST_CHECK tac_status cli_dispatch_load(cli_dispatch *dispatch, const cli_args *args,
                                            const char *file, tac_error *err);
// Makes a server that listens.
TAC_MUST_CHECK tac_status cli_dispatch_open(cli_dispatch *dispatch, const cli_args *args,
                                            const char *address, tac_error *err);
// Runs the federation to its end, with progress shown and signals noted.
TAC_MUST_CHECK tac_status cli_dispatch_run(cli_dispatch *dispatch, const cli_args *args,
                                           tac_error *err);
void cli_dispatch_close(cli_dispatch *dispatch);

// What came of it, as lines or as members of an object that has been begun.
void cli_dispatch_report(const cli_dispatch *dispatch, tac_status status, tac__text *out);
void cli_dispatch_json(const cli_dispatch *dispatch, tac_status status, const tac_error *err,
                       tac__json *json);

#endif
