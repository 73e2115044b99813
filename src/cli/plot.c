// plot.c - `tactus plot REC... SIGNAL...`: signals of recordings over time, as a picture.
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/plot/picture.h"
#include "cli/output.h"
#include "cli/plot/page.h"
#include "base/pick.h"

#include <string.h>

static const cli_option options[] = {
    CLI_OPTION_FROM,
    CLI_OPTION_TO,
    {.name = "out",
     .letter = 'o',
     .value = "FILE",
     .doc = "Write to FILE, which ends in .png or .svg; by default the name of the first recording "
            "with .png behind it, in the current directory."},
    {.name = "title",
     .value = "TEXT",
     .doc = "Heading of the page; by default the name of the simulation."},
    CLI_OPTION_HELP,
    {0},
};

// --- operands ------------------------------------------------------------------------------------

// A file named *.mcap that is not a recording is opened too, so that the user gets the reason.
static bool is_recording(const char *operand)
{
    return tac_recording_is(operand) || tac__ends_in(operand, ".mcap");
}

static tac_status open_recordings(cli_page *page, const cli_args *args, tac_error *err)
{
    for (size_t i = 0; i < args->operand_count; i++) {
        if (!is_recording(args->operands[i]))
            continue;
        if (page->recording_count == CLI_PAGE_RECORDINGS)
            return tac__fail(err, TAC_E_USAGE, "a page has room for at most %d recordings",
                             CLI_PAGE_RECORDINGS);
        TAC_TRY(cli_reads(args, args->operands[i], err));
        TAC_TRY(
            tac_recording_open(args->operands[i], &page->recordings[page->recording_count], err));
        page->recording_count++;
    }
    if (page->recording_count == 0)
        return tac__fail(err, TAC_E_USAGE, "none of the operands is a recording: '%s' is none",
                         args->operands[0]);
    if (page->recording_count == args->operand_count)
        return tac__fail(err, TAC_E_USAGE,
                         "no signal given; 'tactus info %s' lists those of the recording",
                         args->operands[0]);
    return TAC_OK;
}

// The i-th signal, counted over all recordings.
static const tac_recorded *signal_at(const void *context, size_t i)
{
    const cli_page *page = context;
    for (size_t k = 0; k < page->recording_count; k++) {
        const size_t count = tac_recording_signal_count(page->recordings[k]);
        if (i < count)
            return tac_recording_signal(page->recordings[k], i);
        i -= count;
    }
    return NULL;
}

// --- panels --------------------------------------------------------------------------------------

// Only numbers of one unit can share a panel.
static bool fits(const cli_page_panel *panel, const tac_recorded *s)
{
    const tac_recorded *other = panel->signals[0].any;
    const bool numbers = s->type.scalar != TAC_ENUM && s->type.scalar != TAC_BOOL &&
                         other->type.scalar != TAC_ENUM && other->type.scalar != TAC_BOOL;
    return numbers && !strcmp(other->unit, s->unit);
}

static tac_status find_everywhere(const cli_page *page, cli_page_signal *s,
                                  const tac_recorded *whole, int element, tac_error *err)
{
    for (size_t k = 0; k < page->recording_count; k++) {
        const int i = tac_recording_find(page->recordings[k], whole->name);
        const tac_recorded *r = i < 0 ? NULL : tac_recording_signal(page->recordings[k], (size_t)i);
        if (r && (r->type.scalar != whole->type.scalar || r->type.count != whole->type.count ||
                  strcmp(r->unit, whole->unit)))
            return tac__fail(err, TAC_E_TYPE,
                             "'%s' has another type or unit in '%s' than in another recording",
                             whole->name, tac_recording_about(page->recordings[k])->path);
        if (r && element != TAC__PICK_WHOLE &&
            !(r = tac__pick_element(page->arena, r, (uint32_t)element)))
            return tac__fail_memory(err);
        s->in[k] = r;
    }
    return TAC_OK;
}

// State of adding the signals of one pattern. The panels of its argument begin with `begin`.
typedef struct adding {
    cli_page *page;
    size_t begin;
    bool many; // True if the pattern has wildcards.
} adding;

// Add the signal to the first panel of this argument that it fits into, else to a new panel.
static tac_status add_signal(void *context, size_t number, int element, tac_error *err)
{
    const adding *a = context;
    cli_page *page = a->page;
    cli_page_panel *panel = NULL;
    const tac_recorded *whole = signal_at(page, number), *s = whole;
    if (a->many && cli_page_is_bookkeeping(whole))
        return TAC_OK;
    if (element != TAC__PICK_WHOLE &&
        !(s = tac__pick_element(page->arena, whole, (uint32_t)element)))
        return tac__fail_memory(err);
    for (size_t i = a->begin; i < page->panel_count; i++) {
        for (size_t k = 0; k < page->panels[i].count; k++) {
            if (!strcmp(page->panels[i].signals[k].name, s->name))
                return TAC_OK; // added already, from another recording
        }
        if (!panel && fits(&page->panels[i], s))
            panel = &page->panels[i];
    }
    if (!panel && page->panel_count == CLI_PAGE_PANELS)
        return tac__fail(err, TAC_E_LIMIT,
                         "a page has room for at most %d panels; name fewer signals",
                         CLI_PAGE_PANELS);
    panel = panel ? panel : &page->panels[page->panel_count++];
    if (!TAC__ARENA_GROW(page->arena, panel->signals, panel->count, panel->capacity))
        return tac__fail_memory(err);
    cli_page_signal *added = &panel->signals[panel->count++];
    *added = (cli_page_signal){.name = s->name, .of = whole->name, .any = s};
    return find_everywhere(page, added, whole, element, err);
}

// Signals of one argument: they share a panel where they can.
static tac_status add_argument(cli_page *page, const char *text, tac_error *err)
{
    const tac__pick_from from = {signal_at, page};
    adding a = {.page = page, .begin = page->panel_count};
    cli_patterns patterns = {.arena = page->arena};
    TAC_TRY(cli_add_patterns(&patterns, text, err));
    for (size_t k = 0; k < patterns.count; k++) {
        a.many = strpbrk(patterns.items[k], "*?") != NULL;
        TAC_TRY(tac__pick(&from, patterns.items[k], add_signal, &a, err));
    }
    return TAC_OK;
}

static tac_status add_panels(cli_page *page, const cli_args *args, tac_error *err)
{
    for (size_t i = 0; i < args->operand_count; i++) {
        if (!is_recording(args->operands[i]))
            TAC_TRY(add_argument(page, args->operands[i], err));
    }
    return page->panel_count ? TAC_OK : tac__fail(err, TAC_E_USAGE, "no signal given");
}

// The time span asked for, limited to what the recordings cover.
static tac_status find_span(cli_page *page, const cli_args *args, tac_error *err)
{
    TAC_TRY(cli_read_span(args, &page->span, err));
    tac_time first_us = TAC_TIME_NEVER, last_us = 0;
    for (size_t k = 0; k < page->recording_count; k++) {
        const tac_recording_info *info = tac_recording_about(page->recordings[k]);
        first_us = info->start_us < first_us ? info->start_us : first_us;
        last_us = info->last_us > last_us ? info->last_us : last_us;
    }
    cli_span *s = &page->span;
    if (s->from_us > last_us || s->to_us < first_us) {
        char first[TAC_TIME_TEXT], last[TAC_TIME_TEXT];
        tac_time_print(first_us, first);
        tac_time_print(last_us, last);
        return tac__fail(err, TAC_E_RANGE, "there is nothing then: the recording is from %s to %s",
                         first, last);
    }
    s->from_us = s->from_us > first_us ? s->from_us : first_us;
    s->to_us = s->to_us < last_us ? s->to_us : last_us;
    return TAC_OK;
}

// --- the file ------------------------------------------------------------------------------------

static tac_status find_output(const cli_page *page, const cli_args *args, const char **file,
                              tac_error *err)
{
    *file = cli_value(args, "out");
    if (!*file) {
        const char *name = cli_file_name(tac_recording_about(page->recordings[0])->path);
        const char *dot = strrchr(name, '.');
        const size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
        *file = tac__arena_format(page->arena, "%.*s.png", (int)length, name);
    }
    return *file ? cli_writes(args, *file, "--out", CLI_REPLACES, err) : tac__fail_memory(err);
}

static tac_status draw(const cli_page *page, const char *file, tac_error *err)
{
    tac__text script;
    tac__text_init(&script, tac_allocator_default());
    cli_page_draw(page, cli_picture_is_svg(file), &script);
    const tac_status status = cli_picture_write(&script, file, err);
    tac__text_fini(&script);
    return status;
}

static tac_status plot(cli_page *page, const cli_args *args, tac__text *out, tac_error *err)
{
    const char *file;
    TAC_TRY(cli_picture_named("out", cli_value(args, "out"), err));
    TAC_TRY(open_recordings(page, args, err));
    TAC_TRY(add_panels(page, args, err));
    TAC_TRY(find_span(page, args, err));
    TAC_TRY(find_output(page, args, &file, err));
    TAC_TRY(cli_page_read(page, err));
    TAC_TRY(draw(page, file, err));
    tac__text_add(out, "%s\n", file);
    return TAC_OK;
}

static tac_status run(const cli_args *args, tac__text *out, tac_error *err)
{
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    cli_page page = {.arena = &arena, .title = cli_value(args, "title")};
    const tac_status status = plot(&page, args, out, err);
    for (size_t i = 0; i < page.recording_count; i++)
        tac_recording_close(page.recordings[i]);
    tac__arena_fini(&arena);
    return status;
}

const cli_command cli_plot = {
    .name = "plot",
    .operands = "REC... SIGNAL...",
    .operands_min = 2,
    .operands_max = SIZE_MAX,
    .summary = "Draw signals of recordings over time.",
    .doc = "Draw a page with a panel for each SIGNAL, which may be a pattern as in \"battery.*\", "
           "an element as in \"position.z\" or \"motor[2]\", or several with commas between them. "
           "Those of one argument share a panel where their "
           "units agree. Phases of the vehicle are light bands behind the curves, faults and "
           "commands of the scenario lines across them. Of several recordings the second and "
           "later ones are dashed.\n\n"
           "An operand is a recording if it begins like one, and a signal otherwise. Needs "
           "gnuplot. The name of the file that was drawn goes to standard output.",
    .options = options,
    .run = run,
};
