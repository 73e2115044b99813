// recover.c - `tactus recover REC`: a clean copy of a recording that a crash left behind.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tactus/record.h>

static const cli_option options[] = {
    {.name = "out",
     .letter = 'o',
     .value = "FILE",
     .doc = "The clean copy; by default REC with .recovered before its ending."},
    CLI_OPTION_FORCE,
    CLI_OPTION_JSON,
    CLI_OPTION_HELP,
    {0},
};

// "a.mcap" becomes "a.recovered.mcap".
static tac_status default_output(const char *path, tac__text *output, tac_error *err)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const size_t stem = dot && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);
    tac__text_add(output, "%.*s.recovered%s", (int)stem, path, path + stem);
    return output->failed ? tac__fail_memory(err) : TAC_OK;
}

// One item a line.
static void list_lost(tac__json *json, const char *lost)
{
    tac__json_key(json, "lost");
    tac__json_array_begin(json);
    for (size_t n; *lost; lost += n + (lost[n] == '\n')) {
        n = strcspn(lost, "\n");
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)n, lost);
        tac__json_text(json, line);
    }
    tac__json_array_end(json);
}

static void report(const cli_args *args, const tac_recovered *what, const char *output,
                   tac__text *out)
{
    const char *from = args->operands[0];
    if (cli_has(args, "json")) {
        tac__json json = tac__json_begin(out);
        tac__json_object_begin(&json);
        tac__json_key_text(&json, "recording", from);
        tac__json_key_bool(&json, "whole", !*what->lost);
        tac__json_key_text(&json, "output", output);
        tac__json_key_u64(&json, "t_us", what->last_us);
        tac__json_key_u64(&json, "messages", what->messages);
        list_lost(&json, what->lost);
        tac__json_object_end(&json);
        return;
    }
    char last[TAC_TIME_TEXT];
    tac_time_print(what->last_us, last);
    tac__text_add(out, "%s: %" PRIu64 " messages up to %s are in %s\n", from, what->messages, last,
                  output);
    if (!*what->lost)
        tac__text_add(out, "Nothing was lost.\n");
    else
        tac__text_add(out, "Lost:\n");
    for (const char *line = what->lost; *line;) {
        const size_t n = strcspn(line, "\n");
        tac__text_add(out, "  %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

static tac_status recover(const cli_args *args, const char *output, tac__text *out, tac_error *err)
{
    tac_recovered what;
    TAC_TRY(tac_recording_recover(args->operands[0], output, &what, err));
    report(args, &what, output, out);
    tac_text_free(what.lost);
    return TAC_OK;
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    const char *given = cli_value(args, "out");
    tac__text path;
    tac__text_init(&path, tac_allocator_default());
    tac_status status = given ? TAC_OK : default_output(args->operands[0], &path, err);
    const char *output = given ? given : path.chars;
    if (status == TAC_OK)
        status = cli_reads(args, args->operands[0], err);
    if (status == TAC_OK)
        status = cli_writes(args, output, "--out", CLI_REPLACES_FORCED, err);
    if (status == TAC_OK)
        status = recover(args, output, out, err);
    tac__text_fini(&path);
    return status;
}

const cli_command cli_recover = {
    .name = "recover",
    .operands = "REC",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "Write a clean copy of a recording that was cut off or damaged.",
    .doc = "A recording of a run that was killed, or whose disk was full, reads up to its last "
           "whole chunk. Copy all that is sound in it into a file that is whole, with its index, "
           "and say what is lost. The copy is read to its end before it gets its name. REC stays "
           "as it is.",
    .options = options,
    .run = run,
};
