// panel.c - one panel: title, legend, axes, curves.
#include "cli/plot/gnuplot.h"
#include "cli/plot/page.h"

#include <math.h>
#include <string.h>

// In pixels.
enum {
    TITLE = 50, // over each panel
    TITLE_LETTER = 11,
    LEGEND_LETTER = 9,
    LEGEND_SAMPLE = 52, // what an entry needs beside its letters
    LEGEND_LINE = 24,
    LABEL_X = 45,
};

enum { NAMED_MAX = 8, LEGEND_TEXT = 256, TITLE_TEXT = 256 };

typedef struct drawing {
    const cli_page *page;
    const cli_page_panel *panel;
    tac__text *script;
} drawing;

#define ADD(...) tac__text_add(d->script, __VA_ARGS__)

static const tac_recorded *first_of(const drawing *d)
{
    return d->panel->signals[0].any;
}

static const char *file_of(const drawing *d, size_t recording)
{
    return cli_file_name(tac_recording_about(d->page->recordings[recording])->path);
}

static bool is_named(const tac_type *type)
{
    return type->scalar == TAC_ENUM || type->scalar == TAC_BOOL;
}

// --- axes ----------------------------------------------------------------------------------------

static cli_range range_of(const drawing *d)
{
    cli_range r = {(double)NAN, (double)NAN};
    for (size_t i = 0; i < d->panel->count; i++) {
        for (size_t k = 0; k < d->page->recording_count; k++) {
            const cli_table *t = &d->panel->signals[i].tables[k];
            for (size_t row = 0; row < t->rows; row++) {
                for (size_t column = 1; column < t->columns; column++) {
                    const double value = cli_table_at(t, row, column);
                    if (isfinite(value))
                        r = (cli_range){fmin(r.min, value), fmax(r.max, value)};
                }
            }
        }
    }
    return isnan(r.min) ? (cli_range){0, 1} : r;
}

// Each value is shown as its label; a value without a label as its number, where it is an end of
// the axis.
static void add_named_axis(const drawing *d, const tac_type *type, cli_range r)
{
    if (type->scalar == TAC_BOOL)
        r = (cli_range){0, 1};
    ADD("set yrange [%.10g:%.10g]\nset ytics nomirror (", r.min - 0.35, r.max + 0.35);
    bool any = false;
    for (size_t i = 0; cli_value_name(type, (double)i) && (double)i <= r.max; i++) {
        if ((double)i < r.min)
            continue;
        ADD(any ? ", " : "");
        cli_gnuplot_quote(d->script, cli_value_name(type, (double)i));
        ADD(" %zu", i);
        any = true;
    }
    const double ends[] = {r.min, r.max};
    for (int i = 0; i < (r.max > r.min ? 2 : 1); i++) {
        if (cli_value_name(type, ends[i]))
            continue;
        ADD("%s'%.10g' %.10g", any ? ", " : "", ends[i], ends[i]);
        any = true;
    }
    ADD(")\nset ylabel ''\n");
}

// Widens an empty range; whole numbers get whole steps.
static cli_scale scale_of(cli_range r, const tac_type *type)
{
    const double size = fmax(fabs(r.min), fabs(r.max));
    if (type->scalar != TAC_F64 && r.max - r.min <= 5)
        return (cli_scale){r.min - (r.max == r.min), 1,
                           (int)(r.max - r.min) + 2 * (r.max == r.min)};
    if (r.max - r.min <= 1e-12 * size || r.max == r.min) {
        const double pad = size > 0 ? 0.1 * size : 1;
        r = (cli_range){r.min - pad, r.max + pad};
    }
    return cli_scale_of(r);
}

// The axis label beside the numbers, at the same x position in all panels.
static void add_y_label(const drawing *d, const cli_box *box)
{
    const tac_recorded *s = first_of(d);
    const char *of = d->panel->signals[0].of; // "position" of "position.z"
    char label[128];
    tac__out out = tac__out_begin(label, sizeof label);
    if (d->panel->count == 1)
        tac__out_add(&out, "%.24s ", s->name + (cli_last_part(of) - of));
    if (s->unit[0] && strcmp(s->unit, "1"))
        tac__out_add(&out, "[%s]", s->unit);
    cli_chart_text(d->script, LABEL_X, (box->bottom + box->top) / 2, "center rotate by 90", 0,
                   CLI_CHART_INK, label);
}

static void add_number_axis(const drawing *d, cli_range r)
{
    const tac_recorded *s = first_of(d);
    const cli_scale scale = scale_of(r, &s->type);
    const double size = fmax(fabs(scale.min), fabs(scale.min + scale.steps * scale.step));
    const int digits = (int)ceil(log10(size / scale.step)) + 1;
    ADD("set format y '%%.%dg'\n", digits > 6 ? digits : 6);
    cli_axis_y(d->script, &scale, "");
}

// --- curves --------------------------------------------------------------------------------------

// How many curves each recording has in a panel.
static size_t curve_count(const drawing *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->panel->count; i++)
        n += d->panel->signals[i].any->type.count;
    return n;
}

static const char *tail_of(const char *name, int parts)
{
    const char *tail = name + strlen(name);
    while (tail > name && parts > 0)
        parts -= *--tail == '.';
    return tail + (*tail == '.');
}

// The shortest end of a signal's name that differs from the other names in its panel.
static const char *short_name(const drawing *d, const cli_page_signal *s)
{
    bool ambiguous = true;
    const char *tail = s->name;
    for (int parts = 1; ambiguous; parts++) {
        tail = tail_of(s->name, parts);
        ambiguous = false;
        for (size_t i = 0; i < d->panel->count && tail > s->name; i++)
            ambiguous |= &d->panel->signals[i] != s &&
                         !strcmp(tail_of(d->panel->signals[i].name, parts), tail);
    }
    return tail;
}

// A curve is labelled with what distinguishes it: signal, element, or file.
static void print_legend(const drawing *d, const cli_page_signal *s, uint32_t element,
                         size_t recording, char *text, size_t size)
{
    char suffix[TAC_ELEMENT_TEXT];
    tac__out out = tac__out_begin(text, size);
    tac_element_print(&s->any->type, element, suffix);
    if (d->panel->count > 1) {
        tac__out_add(&out, "%s%s", short_name(d, s), suffix);
    } else if (s->any->type.count > 1) {
        tac__out_add(&out, "%s", suffix[0] == '.' ? suffix + 1 : suffix);
    } else if (d->page->recording_count > 1) {
        tac__out_add(&out, "%s", file_of(d, recording));
    }
}

// Solid, long dashes, dots, dash-dot.
static const char *const dashes[] = {"solid", "(24,10)", "(4,8)", "(24,8,4,8)"};
enum { DASHES = sizeof dashes / sizeof *dashes };

static void add_style(const drawing *d, size_t curve, size_t curves, size_t recording)
{
    const bool lone = curves == 1;
    // A solid curve under a dashed one is wider, so that it stays visible.
    const bool under = d->page->recording_count > 1 && recording == 0;
    const double width = under ? (lone ? 3.4 : 2.4) : curves > 3 ? 1.2 : 1.6;
    ADD("linewidth %g dashtype %s ", width, dashes[recording % DASHES]);
    if (curves > NAMED_MAX)
        ADD("linecolor palette frac %.4f", (double)curve / (double)(curves - 1));
    else
        ADD("linecolor rgb '%s'",
            cli_chart_colours[(lone ? recording : curve) % CLI_CHART_COLOURS]);
}

typedef struct curve_state {
    bool first;
    size_t table; // number of the next one
} curve_state;

static void add_curves(const drawing *d, size_t recording, curve_state *state)
{
    const size_t curves = curve_count(d);
    size_t curve = 0;
    for (size_t i = 0; i < d->panel->count; i++) {
        const cli_page_signal *s = &d->panel->signals[i];
        const uint32_t count = s->any->type.count;
        const bool drawn = s->tables[recording].rows > 0;
        for (uint32_t e = 0; e < count && drawn; e++) {
            char text[LEGEND_TEXT];
            print_legend(d, s, e, recording, text, sizeof text);
            cli_curve(d->script, &state->first, state->table, 0, 1 + e, "%s ",
                      s->any->continuous ? "lines" : "steps");
            add_style(d, curve + e, curves, recording);
            // Of many curves only the first and the last are in the legend. Curves of further
            // recordings would only repeat the names of the first.
            const bool told = curves <= NAMED_MAX || curve + e == 0 || curve + e + 1 == curves;
            if (text[0] && told && (recording == 0 || curves == 1)) {
                ADD(" title ");
                cli_gnuplot_quote(d->script, text);
            }
        }
        curve += count;
        state->table += s->in[recording] != NULL;
    }
}

// Where several curves of a recording share a dash pattern, the legend shows it once.
static void add_file_legend(const drawing *d, curve_state *state)
{
    if (d->page->recording_count == 1 || curve_count(d) == 1)
        return;
    for (size_t k = 0; k < d->page->recording_count; k++) {
        ADD("%sNaN with lines linecolor rgb '" CLI_CHART_INK "' ",
            state->first ? "plot " : ", \\\n  ");
        ADD("linewidth 1.5 dashtype %s title ", dashes[k % DASHES]);
        cli_gnuplot_quote(d->script, file_of(d, k));
        state->first = false;
    }
}

static void add_tables(const drawing *d)
{
    size_t number = 0;
    for (size_t k = 0; k < d->page->recording_count; k++) {
        for (size_t i = 0; i < d->panel->count; i++) {
            if (d->panel->signals[i].in[k])
                cli_chart_table(d->script, number++, &d->panel->signals[i].tables[k]);
        }
    }
}

// --- titles and legends --------------------------------------------------------------------------

// Names of all signals, as far as there is room.
static void print_title(const drawing *d, char *text, size_t size)
{
    const cli_page_panel *p = d->panel;
    tac__out out = tac__out_begin(text, size);
    for (size_t i = 0; i < p->count; i++) {
        if (i && out.length + strlen(p->signals[i].name) > 70) {
            tac__out_add(&out, " and %zu more", p->count - i);
            return;
        }
        tac__out_add(&out, "%s%s", i ? ", " : "", p->signals[i].name);
    }
}

typedef struct legend {
    size_t entries, longest; // longest: in letters
} legend;

static void count_entry(legend *l, const char *text)
{
    l->entries += text[0] != '\0';
    l->longest = strlen(text) > l->longest ? strlen(text) : l->longest;
}

static legend legend_of(const drawing *d)
{
    legend l = {0, 0};
    char text[LEGEND_TEXT];
    const size_t curves = curve_count(d), files = d->page->recording_count;
    for (size_t i = 0; i < d->panel->count && curves > 1; i++) {
        for (uint32_t e = 0; e < d->panel->signals[i].any->type.count; e++) {
            print_legend(d, &d->panel->signals[i], e, 0, text, sizeof text);
            count_entry(&l, text);
        }
    }
    if (curves > NAMED_MAX)
        l.entries = 2;
    for (size_t k = 0; k < files && files > 1; k++)
        count_entry(&l, file_of(d, k));
    return l;
}

static size_t entry_width(const legend *l)
{
    return LEGEND_LETTER * l->longest + LEGEND_SAMPLE;
}

static int legend_columns(const legend *l)
{
    const int columns = (CLI_PAGE_RIGHT - CLI_PAGE_LEFT) / (int)entry_width(l);
    return columns > 0 ? columns : 1;
}

// How many lines the legend needs below the title; 0: it fits beside the title.
static int legend_lines(const drawing *d)
{
    char title[TITLE_TEXT];
    print_title(d, title, sizeof title);
    const legend l = legend_of(d);
    if (l.entries * entry_width(&l) + TITLE_LETTER * strlen(title) < CLI_PAGE_RIGHT - CLI_PAGE_LEFT)
        return 0;
    const int columns = legend_columns(&l);
    return ((int)l.entries + columns - 1) / columns;
}

// The title at its usual height, or higher if lines of the legend stand between it and the panel.
static void add_title(const drawing *d, const cli_box *box)
{
    char title[TITLE_TEXT];
    print_title(d, title, sizeof title);
    const int lines = legend_lines(d);
    cli_panel_begin(d->script, box, lines ? "" : title);
    ADD("set key maxcols 99\n");
    if (lines == 0)
        return;
    const legend l = legend_of(d);
    cli_chart_text(d->script, box->left, box->top + CLI_PANEL_TITLE_RISE + LEGEND_LINE * lines,
                   "left", CLI_PANEL_TITLE_SIZE, CLI_CHART_INK, title);
    ADD("set key at screen %.6f, screen %d/height right center horizontal maxcols %d\n",
        (double)box->right / CLI_CHART_WIDTH, box->top + 6 + LEGEND_LINE * lines / 2,
        legend_columns(&l));
}

// --- the panel -----------------------------------------------------------------------------------

static int title_height(const drawing *d)
{
    return TITLE + LEGEND_LINE * legend_lines(d);
}

static int box_height(const drawing *d)
{
    const tac_type *type = &first_of(d)->type;
    const cli_range r = range_of(d);
    if (type->scalar == TAC_BOOL)
        return 70;
    if (type->scalar == TAC_ENUM)
        return 50 + 24 * (int)fmin(r.max - r.min, 40);
    return d->page->panel_count == 1 ? 560 : d->page->panel_count == 2 ? 360 : 230;
}

int cli_page_panel_height(const cli_page *page, const cli_page_panel *panel)
{
    const drawing d = {page, panel, NULL};
    return title_height(&d) + box_height(&d);
}

void cli_page_panel_draw(const cli_page *page, const cli_page_panel *panel, int top, bool last,
                         tac__text *script)
{
    const drawing drawn = {page, panel, script}, *d = &drawn;
    const tac_type *type = &first_of(d)->type;
    const int box_top = top - title_height(d);
    const cli_box box = {CLI_PAGE_LEFT, CLI_PAGE_RIGHT, box_top - box_height(d), box_top};
    add_tables(d);
    add_title(d, &box);
    cli_axis_x(script, cli_page_seconds(page), "time [s]", last);
    if (is_named(type)) {
        add_named_axis(d, type, range_of(d));
    } else {
        add_number_axis(d, range_of(d));
        add_y_label(d, &box);
    }
    curve_state state = {.first = true};
    for (size_t k = 0; k < page->recording_count; k++)
        add_curves(d, k, &state);
    add_file_legend(d, &state);
    ADD(state.first ? "plot NaN\n" : "\n");
    cli_panel_end(script);
}
