// export.c - `tactus export REC`: a recording in the format of another tool.
#include "cli/commands.h"
#include "base/error.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/recordings.h"
#include "record/export/formats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tactus/record.h>

static const cli_option options[] = {
    {.name = "out",
     .letter = 'o',
     .value = "FILE",
     .doc = "The file to write; it is replaced only when all is well. '-' is standard output."},
    {.name = "format",
     .value = "FORMAT",
     .doc = "One of" TAC__EXPORT_NAMES ". By default as FILE ends:" TAC__EXPORT_ENDINGS "."},
    {.name = "signals",
     .value = "PATTERN",
     .doc = "Only signals whose name matches, as in \"uav1.*\", or elements of signals, as in "
            "\"position.z\" and \"motor[2]\"; several with commas between them, or given several "
            "times."},
    {.name = "from", .value = "T", .doc = "Leave out what was before T, as in \"2.5 s\"."},
    {.name = "to", .value = "T", .doc = "Leave out what was after T."},
    {.name = "exact",
     .doc = "CSV: as many digits as it takes to read the same numbers back, instead of nine."},
    {.name = "rate",
     .value = "RATE",
     .doc = "CSV: rows at this rate (\"100 Hz\", \"10 ms\"), by default the rate at which the "
            "recording logs. ULog: at most so many messages of a topic, by default as PX4 logs "
            "them. \"all\": wherever a signal has a sample."},
    CLI_OPTION_JSON,
    CLI_OPTION_HELP,
    {0},
};

// --- the command line ---------------------------------------------------------------------------

static tac_status guess_format(tac_export_def *def, tac_error *err)
{
    const tac_export_format *format = tac_export_format_of_path(def->path);
    if (!format)
        return tac__fail(err, TAC_E_USAGE,
                         "'%s' does not tell the format: end it with one of" TAC__EXPORT_ENDINGS
                         ", or give --format with one of" TAC__EXPORT_NAMES,
                         def->path);
    def->format = format->name;
    return TAC_OK;
}

static tac_status name_files(const cli_args *args, const tac_export_def *def, tac_error *err)
{
    TAC_TRY(cli_reads(args, args->operands[0], err));
    TAC_TRY(cli_writes(args, def->path, "--out", CLI_REPLACES, err));
    const tac_export_format *format = tac_export_format_find(def->format);
    if (!format || !format->beside || cli_is_stdout(def->path))
        return TAC_OK;
    char *second = tac_export_beside(format, def->path);
    const tac_status status =
        second ? cli_writes(args, second, "the second file of the export", CLI_REPLACES, err)
               : tac__fail_memory(err);
    tac_text_free(second);
    return status;
}

static tac_status read_args(const cli_args *args, tac__arena *arena, tac_export_def *def,
                            tac_error *err)
{
    def->path = cli_value(args, "out");
    if (!def->path)
        return tac__fail(err, TAC_E_USAGE, "where to? give -o FILE, or -o - for standard output");
    if (cli_is_stdout(def->path) && cli_has(args, "json"))
        return tac__fail(err, TAC_E_USAGE, "--json writes to standard output too: give -o a file");
    if (cli_has(args, "format"))
        def->format = cli_value(args, "format");
    else
        TAC_TRY(guess_format(def, err));
    TAC_TRY(cli_read_time(args, "from", tac_time_parse, &def->from_us, err));
    TAC_TRY(cli_read_time(args, "to", tac_time_parse, &def->to_us, err));
    const char *rate = cli_value(args, "rate");
    if (rate && !strcmp(rate, "all"))
        def->period_us = TAC_EXPORT_ALL;
    else
        TAC_TRY(cli_read_time(args, "rate", tac_period_parse, &def->period_us, err));
    TAC_TRY(name_files(args, def, err));
    def->exact = cli_has(args, "exact");
    cli_patterns patterns = {.arena = arena};
    for (size_t i = 0; i < args->given_count; i++) {
        if (!strcmp(args->given[i].option->name, "signals"))
            TAC_TRY(cli_add_patterns(&patterns, args->given[i].value, err));
    }
    def->patterns = patterns.items;
    def->pattern_count = patterns.count;
    return TAC_OK;
}

// --- the export ---------------------------------------------------------------------------------

// State of an export under way.
typedef struct progress {
    tac__text *notes; // one a line, until they are shown
    int reason;       // errno of a failed write to standard output; 0: none failed
} progress;

static bool write_stdout(void *context, const void *bytes, size_t size)
{
    progress *p = context;
    errno = 0;
    const bool written = fwrite(bytes, 1, size, stdout) == size;
    if (!written)
        p->reason = errno ? errno : EIO;
    return written;
}

static void add_note(void *context, const char *text)
{
    progress *p = context;
    tac__text_add(p->notes, "%s\n", text);
}

static void report_json(const tac_export_def *def, const tac_export_result *result,
                        const char *notes, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_text(&json, "file", def->path);
    tac__json_key_text(&json, "format", def->format);
    tac__json_key_u64(&json, "signals", result->signals);
    tac__json_key_u64(&json, "samples", result->samples);
    tac__json_key_u64(&json, "bytes", result->bytes);
    cli_json_lines(&json, "notes", notes);
    tac__json_object_end(&json);
}

static void report_text(const tac_export_def *def, const tac_export_result *result,
                        const char *notes, tac__text *out)
{
    if (!def->write)
        tac__text_add(out, "%s: %zu signal%s, %" PRIu64 " %s, %" PRIu64 " bytes\n", def->path,
                      result->signals, result->signals == 1 ? "" : "s", result->samples,
                      tac_export_format_find(def->format)->rows ? "rows" : "samples",
                      result->bytes);
    for (; *notes; notes += strcspn(notes, "\n") + 1) {
        char note[1024], line[sizeof note];
        snprintf(note, sizeof note, "%.*s", (int)strcspn(notes, "\n"), notes);
        tac__out shown = tac__out_begin(line, sizeof line);
        tac__out_shown(&shown, note, false);
        fprintf(stderr, "note: %s\n", line);
    }
}

static tac_status export(const char *path, const cli_args *args, tac_export_def *def,
                         tac__text *notes, tac__text *out, tac_error *err)
{
    tac_recording *recording = NULL;
    tac_export_result result = {0};
    progress p = {.notes = notes};
    def->note = add_note;
    def->context = &p;
    def->write = cli_is_stdout(def->path) ? write_stdout : NULL;
    TAC_TRY(tac_recording_open(path, &recording, err));
    tac_status status = tac_recording_export(recording, def, &result, err);
    tac_recording_close(recording);
    if (status == TAC_OK && def->write && fflush(stdout) != 0)
        p.reason = errno;
    if (p.reason)
        status = tac__fail(err, TAC_E_FILE, "cannot write to standard output: %s",
                           tac__errno_text(p.reason));
    if (status != TAC_OK)
        return status;
    if (notes->failed)
        return tac__fail_memory(err);
    (cli_has(args, "json") ? report_json : report_text)(def, &result,
                                                        notes->chars ? notes->chars : "", out);
    return TAC_OK;
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    tac_export_def def = tac_export_def_default();
    tac__arena arena;
    tac__text notes;
    tac__arena_init(&arena, tac_allocator_default());
    tac__text_init(&notes, tac_allocator_default());
    tac_status status = read_args(args, &arena, &def, err);
    if (status == TAC_OK)
        status = export(args->operands[0], args, &def, &notes, out, err);
    tac__text_fini(&notes);
    tac__arena_fini(&arena);
    return status;
}

// HDF5 is a library that may end the process.
static bool apart(const cli_args *args)
{
    const char *path = cli_value(args, "out"), *name = cli_value(args, "format");
    const tac_export_format *format = name   ? tac_export_format_find(name)
                                      : path ? tac_export_format_of_path(path)
                                             : NULL;
    return format && !strcmp(format->name, "hdf5");
}

#define FORMAT_DOC(name, endings, rows, rated, stream, beside, doc) "\n" #name ": " doc

const cli_command cli_export = {
    .name = "export",
    .operands = "REC",
    .operands_min = 1,
    .operands_max = 1,
    .summary = "Write a recording in another format:" TAC__EXPORT_NAMES ".",
    .doc = "Write the signals of a recording to a file of another format.\n" TAC__EXPORT_FORMATS(
        FORMAT_DOC) "\n\n"
                    "What a format cannot hold is said on standard error.",
    .options = options,
    .run = run,
    .apart = apart,
};
