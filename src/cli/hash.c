// hash.c - `tactus hash REC [PATTERN...]`: digests of a run, as stored in its recording.
#include "base/choose.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/recordings.h"

#include <inttypes.h>

static const cli_option options[] = {
    {.name = "list", .doc = "Show every name with its digest; with patterns, those that match."},
    CLI_OPTION_JSON,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_HELP,
    {0},
};

static const char *name_at(const void *context, size_t i)
{
    uint64_t digest;
    return tac_recording_digest(context, i, &digest);
}

static const char *pattern_at(const cli_args *args, size_t i)
{
    return i + 1 < args->operand_count ? args->operands[i + 1] : NULL;
}

static bool is_listed(const cli_args *args, const char *name)
{
    const char *pattern;
    for (size_t i = 0; (pattern = pattern_at(args, i)); i++) {
        if (tac__path_match(pattern, name))
            return true;
    }
    return args->operand_count == 1;
}

static void add_text(const tac_recording *recording, const cli_args *args, tac__text *out)
{
    const char *name, *pattern;
    uint64_t digest;
    if (cli_has(args, "list")) {
        for (size_t i = 0; (name = tac_recording_digest(recording, i, &digest)); i++) {
            if (is_listed(args, name))
                tac__text_add(out, "%016" PRIx64 "  %s\n", digest, name);
        }
        return;
    }
    for (size_t i = 0; (pattern = pattern_at(args, i)); i++) {
        size_t count;
        digest = tac_recording_hash(recording, pattern, &count);
        tac__text_add(out, "%016" PRIx64 "  %s (%zu)\n", digest, pattern, count);
    }
    if (args->operand_count == 1)
        tac__text_add(out, "%016" PRIx64 "  %s\n", tac_recording_hash(recording, NULL, NULL),
                      args->operands[0]);
}

static void add_json(const tac_recording *recording, const cli_args *args, tac__text *out)
{
    const char *name, *pattern;
    uint64_t digest;
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_text(&json, "file", args->operands[0]);
    tac__json_key_hex64(&json, "hash", tac_recording_hash(recording, NULL, NULL));
    tac__json_key(&json, "patterns");
    tac__json_object_begin(&json);
    for (size_t i = 0; (pattern = pattern_at(args, i)); i++) {
        size_t count;
        digest = tac_recording_hash(recording, pattern, &count);
        tac__json_key(&json, pattern);
        tac__json_compact(&json);
        tac__json_object_begin(&json);
        tac__json_key_hex64(&json, "hash", digest);
        tac__json_key_u64(&json, "count", count);
        tac__json_object_end(&json);
    }
    tac__json_object_end(&json);
    if (cli_has(args, "list")) {
        tac__json_key(&json, "digests");
        tac__json_object_begin(&json);
        for (size_t i = 0; (name = tac_recording_digest(recording, i, &digest)); i++) {
            if (is_listed(args, name))
                tac__json_key_hex64(&json, name, digest);
        }
        tac__json_object_end(&json);
    }
    tac__json_object_end(&json);
}

static tac_status check(const tac_recording *recording, const cli_args *args, tac_error *err)
{
    const tac_recording_info *info = tac_recording_about(recording);
    if (!info->finished || !name_at(recording, 0))
        return tac__fail(err, TAC_E_UNFINISHED, "'%s' has no digests of a whole run: %s",
                         args->operands[0],
                         !info->whole      ? "the recording was cut off"
                         : !info->finished ? "the run did not come to its end"
                                           : "none were taken");
    const tac__choices names = {name_at, recording, "name with a digest"};
    return tac__choose(&names, args->operands + 1, args->operand_count - 1, NULL, err);
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    tac_recording *recording;
    TAC_TRY(tac_recording_open(args->operands[0], &recording, err));
    const tac_status status = check(recording, args, err);
    if (status == TAC_OK && cli_has(args, "json"))
        add_json(recording, args, out);
    else if (status == TAC_OK)
        add_text(recording, args, out);
    tac_recording_close(recording);
    return status;
}

const cli_command cli_hash = {
    .name = "hash",
    .operands = "REC [PATTERN...]",
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .summary = "Show digests of what a recorded run computed.",
    .doc = "Show the hash of the whole run, as 'tactus run' reported it: two runs with the same "
           "hash computed the same bits. With patterns, one line for each: the hash of everything "
           "whose name matches, as in \"uav1.*\", and how many that are. Names are those of "
           "signals, message ports, of the states of an island, as in \"EOM#state\", and of "
           "components, as in \"EOM#end\": what decided how the run would have gone on.\n\n"
           "The digests were taken while the run went on and are of every write, also of signals "
           "that the recording has only samples of. A run that did not come to its end has none.",
    .options = options,
    .run = run,
};
