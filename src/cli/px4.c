// px4.c - `tactus px4 probe LIB`: what a library of PX4 offers.
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/redirect.h"
#include <tactus/px4.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cli_option options[] = {
    {.name = "msg-dir",
     .value = "DIR",
     .doc = "Compare with the .msg files in DIR instead of the messages that are built in."},
    {.name = "topic",
     .value = "NAME",
     .doc = "Look at this topic; may be given several times. By default all that are built in."},
    {.name = "fields", .doc = "List the fields of each topic, with their offsets."},
    CLI_OPTION_JSON,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_HELP,
    {0},
};

static void call_hangs(void *context, const tac_hang *hang)
{
    (void)context;
    tac_error err = {0};
    tac__fail(&err, TAC_E_HANG, "'%s': %s has not returned after %.3g s", hang->component,
              hang->call, hang->seconds);
    cli_print_error(&err);
    fflush(NULL);
    _exit(tac_status_exit_code(err.status));
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    if (strcmp(args->operands[0], "probe"))
        return tac__fail(err, TAC_E_USAGE, "unknown 'tactus px4 %s'; there is 'tactus px4 probe'",
                         args->operands[0]);
    const char **topics = calloc(args->given_count + 1, sizeof *topics);
    if (!topics)
        return tac__fail_memory(err);
    tac_px4_probe_def def = tac_px4_probe_def_default();
    def.library = args->operand_count > 1 ? args->operands[1] : NULL;
    def.msg_dir = cli_value(args, "msg-dir");
    def.fields = cli_has(args, "fields");
    def.hang = call_hangs;
    def.topics = topics;
    for (size_t i = 0; i < args->given_count; i++) {
        if (!strcmp(args->given[i].option->name, "topic"))
            topics[def.topic_count++] = args->given[i].value;
    }
    char *text;
    bool fits;
    cli_redirect_begin();
    const tac_status status = tac_px4_probe(
        &def, cli_has(args, "json") ? TAC_FORMAT_JSON : TAC_FORMAT_TEXT, &text, &fits, err);
    cli_redirect_end();
    free(topics);
    TAC_TRY(status);
    TAC_TRY(cli_take_text(out, text, err));
    return fits ? TAC_OK
                : tac__fail(err, TAC_E_ABI,
                            "the library does not have the messages that are expected of it; "
                            "--msg-dir names those of another version of PX4");
}

const cli_command cli_px4 = {
    .name = "px4",
    .operands = "probe [LIB]",
    .operands_min = 1,
    .operands_max = 2,
    .summary = "Ask a library of PX4 what it is.",
    .doc = "Open LIB, a build of libpx4_lockstep, as a run would: shake hands, and compare the "
           "sizes and hashes of its messages with those that are known here. Without LIB it is "
           "what the environment variable PX4_LOCKSTEP_LIB names. The exit code is 0 if all fit "
           "and 3 if not.",
    .options = options,
    .run = run,
};
