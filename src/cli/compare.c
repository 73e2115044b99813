// compare.c - `tactus compare A B`: where and by how much two recordings differ.
#include "cli/commands.h"
#include "cli/report/compare.h"
#include "cli/output.h"

#include <math.h>
#include <string.h>

static const cli_option options[] = {
    {.name = "abs",
     .value = "X",
     .doc = "Let numbers differ by X, in the unit of each signal; 0 lets -0 equal 0."},
    {.name = "rel",
     .value = "X",
     .doc = "Let numbers differ by X times the larger of the two; added to --abs."},
    {.name = "tolerance",
     .value = "PATTERN=ABS[,REL]",
     .doc = "Let the numbers of these signals differ so much, instead of --abs and --rel; may be "
            "given several times, the last one that matches counts."},
    CLI_OPTION_FROM,
    CLI_OPTION_TO,
    {.name = "all", .doc = "List every signal, also those that do not differ."},
    CLI_OPTION_JSON,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_HELP,
    {0},
};

// --- tolerances ----------------------------------------------------------------------------------

// Reads a number that ends at the character `stop`.
static bool read_number(const char *text, char stop, double *value, const char **end)
{
    *value = tac__number_parse(text, end);
    return *end != text && **end == stop && isfinite(*value) && *value >= 0;
}

static tac_status read_default(const cli_args *args, const char *option, double *value,
                               tac_error *err)
{
    const char *text = cli_value(args, option), *end;
    if (!text || read_number(text, '\0', value, &end))
        return TAC_OK;
    return tac__fail(err, TAC_E_USAGE, "option '--%s' needs a number from 0 up, not '%s'", option,
                     text);
}

static tac_status read_tolerance(const char *text, tac__arena *arena, tac_tolerance *to,
                                 tac_error *err)
{
    const char *equals = strrchr(text, '='), *end = NULL;
    const bool fine = equals && equals > text &&
                      (read_number(equals + 1, '\0', &to->absolute, &end) ||
                       (read_number(equals + 1, ',', &to->absolute, &end) &&
                        read_number(end + 1, '\0', &to->relative, &end)));
    if (!fine)
        return tac__fail(err, TAC_E_USAGE,
                         "option '--tolerance' needs PATTERN=ABS or PATTERN=ABS,REL, as in "
                         "'battery.*=1e-6', not '%s'",
                         text);
    to->pattern = tac__arena_format(arena, "%.*s", (int)(equals - text), text);
    return to->pattern ? TAC_OK : tac__fail_memory(err);
}

static tac_status read_tolerances(const cli_args *args, tac__arena *arena, tac_compare_def *def,
                                  tac_error *err)
{
    tac_tolerance *list = tac__arena_array(arena, args->given_count + 1, sizeof *list);
    if (!list)
        return tac__fail_memory(err);
    if (cli_has(args, "abs") || cli_has(args, "rel")) {
        tac_tolerance *all = &list[def->tolerance_count++];
        all->pattern = "*";
        TAC_TRY(read_default(args, "abs", &all->absolute, err));
        TAC_TRY(read_default(args, "rel", &all->relative, err));
    }
    for (size_t i = 0; i < args->given_count; i++) {
        const cli_given *g = &args->given[i];
        if (!strcmp(g->option->name, "tolerance"))
            TAC_TRY(read_tolerance(g->value, arena, &list[def->tolerance_count++], err));
    }
    def->tolerances = list;
    return TAC_OK;
}

// --- the command ---------------------------------------------------------------------------------

static tac_status compare(const cli_args *args, tac_recording *a, tac_recording *b,
                          tac__arena *arena, tac__text *out, tac_error *err)
{
    tac_compare_def def = tac_compare_def_default();
    cli_span span;
    TAC_TRY(cli_read_span(args, &span, err));
    TAC_TRY(read_tolerances(args, arena, &def, err));
    def.from_us = span.from_us;
    def.to_us = span.to_us;
    cli_patterns patterns = {.arena = arena};
    for (size_t i = 2; i < args->operand_count; i++)
        TAC_TRY(cli_add_patterns(&patterns, args->operands[i], err));
    def.patterns = patterns.items;
    def.pattern_count = patterns.count;
    tac_comparison *comparison;
    TAC_TRY(tac_recording_compare(a, b, &def, &comparison, err));
    const cli_comparison report = {a, b, comparison, def.tolerance_count > 0, cli_has(args, "all")};
    tac_error different;
    tac_error_clear(&different);
    if (!tac_comparison_equal(comparison))
        tac__fail(&different, TAC_E_DIFFERENT, "'%s' and '%s' %s", args->operands[0],
                  args->operands[1],
                  cli_comparison_empty(&report) ? "have no samples to compare" : "differ");
    tac_status status = cli_has(args, "json") ? cli_comparison_json(&report, &different, out, err)
                                              : cli_comparison_text(&report, out, err);
    if (status == TAC_OK && different.status != TAC_OK) {
        *err = different;
        status = different.status;
    }
    tac_comparison_destroy(comparison);
    return status;
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    tac_recording *a = NULL, *b = NULL;
    tac_status status = tac_recording_open(args->operands[0], &a, err);
    if (status == TAC_OK)
        status = tac_recording_open(args->operands[1], &b, err);
    if (status == TAC_OK)
        status = compare(args, a, b, &arena, out, err);
    tac_recording_close(a);
    tac_recording_close(b);
    tac__arena_fini(&arena);
    return status;
}

const cli_command cli_compare = {
    .name = "compare",
    .operands = "A B [PATTERN...]",
    .operands_min = 2,
    .operands_max = SIZE_MAX,
    .summary = "Tell where and by how much two recordings differ.",
    .doc =
        "Compare the signals of two recordings, or those that match a pattern (or one of several "
        "with commas between them), at every instant that has a sample: the first difference, with "
        "both values as exact numbers, and a "
        "table of the largest difference of each signal. Also told are signals and samples that "
        "only one of them has, and whether seed, model and configuration differ.\n\n"
        "Without tolerances values are compared bit for bit: -0 is not 0, and a NaN is equal to "
        "one with the same bits. The exit code is 0 only if everything that was compared is "
        "equal within the tolerances, 1 if not.",
    .options = options,
    .run = run,
};
