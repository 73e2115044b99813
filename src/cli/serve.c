// serve.c - `tactus serve FILE`: the server of a federation whose clients are started elsewhere.
#include "cli/commands.h"
#include "cli/dispatch.h"

#include <stdio.h>

static const cli_option options[] = {
    {.name = "address",
     .value = "ADDRESS",
     .doc = "Where to listen: tcp://HOST:PORT, unix://PATH or shm://PATH; by default what the "
            "configuration says, or 127.0.0.1 with a free port. Other hosts need --key."},
    {.name = "key",
     .value = "KEY",
     .doc = "The file with the key that all clients have, too. Everything is encrypted then."},
    {.name = "make-key",
     .value = "KEY",
     .doc =
         "Make a random key in the new file KEY, which only its owner can read, and end; without "
         "FILE."},
    {.name = "lookahead",
     .value = "RULE",
     .doc = "How far clients may advance: link or global. The results stay the same."},
    CLI_OPTION_SET,
    {.name = "seed", .value = "N", .doc = "Use this seed; short for --set seed=N."},
    CLI_OPTION_DURATION,
    CLI_OPTIONS_LCM,
    CLI_OPTION_FORCE,
    CLI_OPTION_JSON,
    CLI_OPTION_OUTPUT,
    {.name = "quiet", .letter = 'q', .doc = "No report and no progress."},
    CLI_OPTION_HELP,
    {0},
};

static tac_status serve(const cli_args *args, tac__text *out, tac_error *err)
{
    const char *new_key = cli_value(args, "make-key");
    if (new_key && args->operand_count)
        return tac__fail(err, TAC_E_USAGE, "option '--make-key' makes a key and serves nothing");
    if (new_key)
        return tac_key_make(new_key, err);
    if (!args->operand_count)
        return tac__fail(err, TAC_E_USAGE, "missing operand: tactus serve FILE");
    cli_dispatch d = {0};
    const char *address = cli_value(args, "address");
    tac_status status = cli_dispatch_load(&d, args, args->operands[0], err);
    if (!address)
        address = d.info.address ? d.info.address : "127.0.0.1:0";
    if (status == TAC_OK)
        status = cli_dispatch_open(&d, args, address, err);
    if (status == TAC_OK) {
        if (!cli_has(args, "quiet"))
            fprintf(stderr, "listening at %s for %zu clients\n", tac_server_address(d.server),
                    d.info.process_count);
        status = cli_dispatch_run(&d, args, err);
        if (cli_has(args, "json")) {
            tac__json json = tac__json_begin(out);
            tac__json_object_begin(&json);
            cli_dispatch_json(&d, status, err, &json);
            tac__json_object_end(&json);
            tac__text_add(out, "\n");
        } else if (!cli_has(args, "quiet")) {
            cli_dispatch_report(&d, status, out);
        }
    }
    cli_dispatch_close(&d);
    return status;
}

const cli_command cli_serve = {
    .name = "serve",
    .operands = "FILE",
    .operands_max = 1,
    .summary = "Serve a federation: dispatch the messages of its clients.",
    .doc = "Listen for the processes that section 'federation' of FILE names, which are started "
           "elsewhere with 'tactus join' or speak the protocol themselves. When all have joined, "
           "they run as one simulation to its end. Standard error says where the server listens.",
    .options = options,
    .run = serve,
};
