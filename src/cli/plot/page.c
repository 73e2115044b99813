// page.c - draws a page: heading, panels, phases as bands behind them, marks across them.
#include "cli/plot/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// In pixels.
enum {
    MARGIN = 45,
    HEADING = 58,   // from the top to the middle of the heading
    HEAD = 96,      // from the top to the first row below the heading
    MARK_LINE = 21, // a line of names of marks
    MARK_LINES = 3, // at most
    RIBBON = 26,    // the phases
    RIBBON_GAP = 6,
    FOOT = 72,  // under the last panel
    LETTER = 8, // width of one, on average
};

enum { TINTS = 7, BANDS_MAX = 200 };

// The colours of curves, mixed with white.
static const char *const tints[TINTS][2] = {
    {"#CFE3F1", "#F1F7FB"}, {"#F9DCC8", "#FDF3EC"}, {"#C9E9DE", "#EFF9F5"}, {"#F3DCE8", "#FBF3F8"},
    {"#FAE8C0", "#FEF8E9"}, {"#DBEFFB", "#F4FAFE"}, {"#E3E3E3", "#F5F5F5"},
};

typedef struct band {
    double begin_s, end_s;
    const char *label;
    const char *const *tints; // of the ribbon, and behind curves
} band;

typedef struct drawing {
    const cli_page *page;
    tac__text *script;
    cli_range seconds;
    int height;
    int mark_lines;
    band bands[BANDS_MAX];
    size_t band_count;
} drawing;

#define ADD(...) tac__text_add(d->script, __VA_ARGS__)

static double pixel(const drawing *d, double t_s)
{
    const cli_range s = d->seconds;
    return CLI_PAGE_LEFT + (t_s - s.min) / (s.max - s.min) * (CLI_PAGE_RIGHT - CLI_PAGE_LEFT);
}

// --- phases --------------------------------------------------------------------------------------

static void find_bands(drawing *d)
{
    const cli_page_changes *c = &d->page->phases;
    if (c->count > BANDS_MAX)
        return; // too many changes: no phases, but noise
    for (size_t i = 0; i < c->count; i++) {
        const cli_page_change *at = &c->list[i];
        const char *label = cli_value_name(&at->signal->type, at->value);
        d->bands[d->band_count++] = (band){
            .begin_s = tac_time_seconds(at->t_us),
            .end_s = i + 1 < c->count ? tac_time_seconds(at[1].t_us) : d->seconds.max,
            .label = label ? label : "?",
            .tints = tints[(unsigned)(int)at->value % TINTS],
        };
    }
}

static void add_ribbon(const drawing *d, int bottom)
{
    for (size_t i = 0; i < d->band_count; i++) {
        const band *b = &d->bands[i];
        const double left = pixel(d, b->begin_s), right = pixel(d, b->end_s);
        ADD("set object rectangle from screen %.6f, screen %d/height to screen %.6f, screen "
            "%d/height fillcolor rgb '%s' fillstyle solid noborder\n",
            left / CLI_CHART_WIDTH, bottom, right / CLI_CHART_WIDTH, bottom + RIBBON, b->tints[0]);
        if (right - left > (double)(LETTER * strlen(b->label) + 8))
            cli_chart_text(d->script, (int)((left + right) / 2), bottom + RIBBON / 2, "center", 12,
                           CLI_CHART_INK, b->label);
    }
}

static void add_bands(const drawing *d)
{
    for (size_t i = 0; i < d->band_count; i++)
        ADD("set object rectangle from %.10g, graph 0 to %.10g, graph 1 behind fillcolor rgb '%s' "
            "fillstyle solid noborder\n",
            d->bands[i].begin_s, d->bands[i].end_s, d->bands[i].tints[1]);
}

// --- marks ---------------------------------------------------------------------------------------

static const char *mark_colour(const cli_page_change *m)
{
    return cli_page_is_fault(m->signal->name) ? cli_chart_colours[1] : CLI_CHART_FAINT;
}

static void print_mark(const cli_page_change *m, char *text, size_t size)
{
    char element[TAC_ELEMENT_TEXT];
    const char *name = cli_value_name(&m->signal->type, m->value);
    tac_element_print(&m->signal->type, m->element, element);
    tac__out out = tac__out_begin(text, size);
    tac__out_add(&out, "%s%s = ", cli_last_part(m->signal->name), element);
    if (name)
        tac__out_add(&out, "%s", name);
    else
        tac__out_add(&out, "%g", m->value);
}

// Put each name on the lowest line where it overlaps no other name; a name that fits on no line is
// left out, its mark stays. Returns the number of lines used; with `draw`, draws from `bottom` up.
static int place_marks(const drawing *d, bool draw, int bottom)
{
    double end[MARK_LINES];
    int lines = 0;
    for (int i = 0; i < MARK_LINES; i++)
        end[i] = -1;
    for (size_t i = 0; i < d->page->marks.count; i++) {
        const cli_page_change *m = &d->page->marks.list[i];
        char text[96];
        print_mark(m, text, sizeof text);
        const double width = (double)(LETTER * strlen(text)) + 14;
        double left = pixel(d, tac_time_seconds(m->t_us));
        if (left + width > CLI_CHART_WIDTH - 4)
            left = CLI_CHART_WIDTH - 4 - width;
        int line = 0;
        while (line < MARK_LINES && left < end[line])
            line++;
        if (line == MARK_LINES)
            continue;
        end[line] = left + width;
        lines = line + 1 > lines ? line + 1 : lines;
        if (draw)
            cli_chart_text(d->script, (int)left - 3, bottom + MARK_LINE / 2 + MARK_LINE * line,
                           "left", 11, mark_colour(m), text);
    }
    return lines;
}

static void add_marks(const drawing *d)
{
    for (size_t i = 0; i < d->page->marks.count; i++) {
        const cli_page_change *m = &d->page->marks.list[i];
        ADD("set arrow from %.10g, graph 0 to %.10g, graph 1 nohead linewidth 1.2 dashtype (10,6) "
            "linecolor rgb '%s'\n",
            tac_time_seconds(m->t_us), tac_time_seconds(m->t_us), mark_colour(m));
    }
}

// --- the page ------------------------------------------------------------------------------------

static void add_heading(const drawing *d)
{
    const tac_recording_info *info = tac_recording_about(d->page->recordings[0]);
    const int y = d->height - HEADING;
    char text[64] = "";
    if (info->finished && info->hash)
        snprintf(text, sizeof text, "hash %016" PRIx64, info->hash);
    else if (!info->finished)
        snprintf(text, sizeof text, "the run did not come to its end");
    cli_chart_text(d->script, MARGIN, y, "left", 22, CLI_CHART_INK,
                   d->page->title ? d->page->title : info->name);
    if (d->page->recording_count == 1)
        cli_chart_text(d->script, CLI_CHART_WIDTH - MARGIN, y, "right", 0, CLI_CHART_FAINT, text);
}

static int page_height(const drawing *d)
{
    int height =
        HEAD + d->mark_lines * MARK_LINE + (d->band_count ? RIBBON + RIBBON_GAP : 0) + FOOT;
    for (size_t i = 0; i < d->page->panel_count; i++)
        height += cli_page_panel_height(d->page, &d->page->panels[i]);
    return height;
}

cli_range cli_page_seconds(const cli_page *page)
{
    const cli_range r = {tac_time_seconds(page->span.from_us), tac_time_seconds(page->span.to_us)};
    return (cli_range){r.min, r.max > r.min ? r.max : r.min + 1};
}

static void begin_drawing(drawing *d, const cli_page *page, tac__text *script)
{
    *d = (drawing){.page = page, .script = script, .seconds = cli_page_seconds(page)};
    find_bands(d);
    d->mark_lines = place_marks(d, false, 0);
    d->height = page_height(d);
}

static void add_panel(const drawing *d, size_t i, int top)
{
    const cli_page_panel *panel = &d->page->panels[i];
    if (cli_page_same_entity(d->page->panels[0].signals[0].name, panel->signals[0].name)) {
        add_bands(d);
        add_marks(d);
    }
    cli_page_panel_draw(d->page, panel, top, i + 1 == d->page->panel_count, d->script);
    ADD("unset object\nunset arrow\n");
}

void cli_page_draw(const cli_page *page, bool svg, tac__text *script)
{
    drawing d;
    begin_drawing(&d, page, script);
    cli_chart_begin(script, d.height, svg);
    add_heading(&d);
    int y = d.height - HEAD - d.mark_lines * MARK_LINE;
    place_marks(&d, true, y);
    if (d.band_count) {
        y -= RIBBON + RIBBON_GAP;
        add_ribbon(&d, y + RIBBON_GAP);
    }
    for (size_t i = 0; i < page->panel_count; i++) {
        add_panel(&d, i, y);
        y -= cli_page_panel_height(page, &page->panels[i]);
    }
    cli_chart_end(script);
}
