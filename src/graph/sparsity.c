// sparsity.c - see sparsity.h.
#include "graph/sparsity.h"
#include "base/svg.h"

#include <string.h>

static const char INK[] = "#0f172a", SOFT[] = "#64748b", PALE[] = "#f8fafc", RIM[] = "#cbd5e1";

// Tints of colours, in turn.
static const char *const TINTS[] = {"#2563eb", "#059669", "#d97706", "#dc2626", "#7c3aed",
                                    "#0891b2", "#65a30d", "#db2777", "#475569", "#b45309"};
enum { TINT_COUNT = sizeof TINTS / sizeof *TINTS };

enum {
    MARGIN = 24,
    HEAD = 62,     // title and subtitle
    PART = 18,     // names of groups
    CELL = 14,     // of a small picture
    LABELLED = 10, // a cell must have this size for labels
    SIZE = 900,    // cells get smaller beyond that
    LABEL_MOST = 170,
};

// Rows or columns: their groups, one behind the other.
typedef struct side {
    const tac__group *groups;
    size_t group_count;
    int count;
    const char **labels; // of each row or column, "" where it has none
    double label;        // the width of the widest one, 0: labels are not shown
} side;

typedef struct picture {
    const tac_graph *f;
    tac__arena arena;
    tac__jacobian_facts facts;
    side rows, columns;
    double cell, left, top;
    tac__text *out;
} picture;

// --- what is shown ------------------------------------------------------------------------------

static bool choose(picture *p, const tac__group *groups, size_t count, const char *name, side *s)
{
    *s = (side){.groups = groups, .group_count = count};
    for (size_t g = 0; name && g < count; g++) {
        if (!strcmp(groups[g].name, name))
            *s = (side){.groups = &groups[g], .group_count = 1};
    }
    for (size_t g = 0; g < s->group_count; g++)
        s->count += (int)s->groups[g].count;
    s->labels = tac__arena_array(&p->arena, (size_t)s->count + 1, sizeof *s->labels);
    int next = 0;
    for (size_t g = 0; s->labels && g < s->group_count; g++) {
        for (size_t i = 0; i < s->groups[g].count; i++) {
            const char *label = s->groups[g].labels ? s->groups[g].labels[i] : NULL;
            if (!label)
                label = tac__arena_format(&p->arena, "%s[%zu]", s->groups[g].name, i);
            if (!label)
                return false;
            s->labels[next++] = label;
        }
    }
    return s->labels != NULL;
}

static tac_status begin(picture *p, const tac_graph *f, const char *out, const char *in,
                        tac_error *err)
{
    *p = (picture){.f = f};
    tac__arena_init(&p->arena, f->allocator);
    TAC_TRY(tac__graph_pattern(&p->arena, f, out, in, &p->facts, err));
    if (!choose(p, f->out, f->out_count, out, &p->rows) ||
        !choose(p, f->in, f->in_count, in, &p->columns))
        return tac__fail_memory(err);
    return TAC_OK;
}

// --- the picture --------------------------------------------------------------------------------

static double widest(const side *s)
{
    double width = 0;
    for (int i = 0; i < s->count; i++) {
        const double w = tac__svg_width(s->labels[i], TAC__LABEL_SIZE, false);
        width = w > width ? w : width;
    }
    return width < LABEL_MOST ? width : LABEL_MOST;
}

static void lay_out(picture *p)
{
    const int most = p->rows.count > p->columns.count ? p->rows.count : p->columns.count;
    p->cell = CELL;
    if (most * CELL > SIZE)
        p->cell = most >= SIZE / 2 ? (most >= SIZE ? 1 : 2) : (double)(SIZE / most);
    if (p->cell >= LABELLED) {
        p->rows.label = widest(&p->rows) + 8;
        p->columns.label = widest(&p->columns) + 8;
    }
    p->left = MARGIN + PART + p->rows.label;
    p->top = HEAD + PART + p->columns.label;
}

// Text from the bottom to the top.
static void add_upright(tac__text *out, double x, double y, double width, const tac__font *font,
                        const char *text)
{
    tac__text_add(out, "<g transform=\"translate(%d %d) rotate(-90)\">", tac__px(x), tac__px(y));
    tac__svg_text(out, 0, 0, width, font, text);
    tac__text_add(out, "</g>\n");
}

static const tac__font label_font = {TAC__LABEL_SIZE, false, false, TAC__ANCHOR_START, INK};
static const tac__font label_end_font = {TAC__LABEL_SIZE, false, false, TAC__ANCHOR_END, INK};
static const tac__font part_font = {TAC__SUBTITLE_SIZE, true, false, TAC__ANCHOR_MIDDLE, SOFT};

static void add_labels(const picture *p)
{
    const double middle = p->cell / 2 + TAC__LABEL_SIZE / 3.0;
    for (int i = 0; p->rows.label > 0 && i < p->rows.count; i++)
        tac__svg_text(p->out, p->left - 5, p->top + i * p->cell + middle, LABEL_MOST,
                      &label_end_font, p->rows.labels[i]);
    for (int j = 0; p->columns.label > 0 && j < p->columns.count; j++)
        add_upright(p->out, p->left + j * p->cell + middle, p->top - 5, LABEL_MOST, &label_font,
                    p->columns.labels[j]);
}

static void add_line(const picture *p, double x0, double y0, double x1, double y1)
{
    tac__text_add(p->out,
                  "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" "
                  "stroke-width=\"1\"/>\n",
                  tac__px(x0), tac__px(y0), tac__px(x1), tac__px(y1), RIM);
}

// Names of groups, and a line between two.
static void add_parts(const picture *p)
{
    const double width = p->columns.count * p->cell, height = p->rows.count * p->cell;
    double at = p->top;
    for (size_t g = 0; g < p->rows.group_count; g++) {
        const double size = (double)p->rows.groups[g].count * p->cell;
        if (size == 0)
            continue;
        if (at > p->top)
            add_line(p, MARGIN, at, p->left + width, at);
        add_upright(p->out, MARGIN + 6, at + size / 2, size, &part_font, p->rows.groups[g].name);
        at += size;
    }
    at = p->left;
    for (size_t g = 0; g < p->columns.group_count; g++) {
        const double size = (double)p->columns.groups[g].count * p->cell;
        if (size == 0)
            continue;
        if (at > p->left)
            add_line(p, at, HEAD, at, p->top + height);
        tac__svg_text(p->out, at + size / 2, HEAD + 8, size, &part_font, p->columns.groups[g].name);
        at += size;
    }
}

// An entry, or several below each other that look the same.
static int run_length(const picture *p, int k, int end)
{
    const tac__pattern *m = &p->facts.pattern;
    int length = 1;
    while (p->cell < 4 && !p->facts.by_rows && k + length < end &&
           m->row_of[k + length] == m->row_of[k] + length)
        length++;
    return length;
}

static void add_cell(const picture *p, int row, int column, int length)
{
    const int colour = p->facts.colouring.colour[p->facts.by_rows ? row : column];
    const double gap = p->cell >= 4 ? 1 : 0;
    const char *tint = TINTS[colour % TINT_COUNT];
    tac__text_add(p->out, "<g>");
    if (p->cell >= 4) {
        tac__text_add(p->out, "<title>");
        tac__svg_escape(p->out, p->rows.labels[row]);
        tac__text_add(p->out, " by ");
        tac__svg_escape(p->out, p->columns.labels[column]);
        tac__text_add(p->out, ", colour %d</title>", colour);
    }
    tac__svg_rect(p->out, p->left + column * p->cell + gap, p->top + row * p->cell + gap,
                  p->cell - gap, length * p->cell - gap, 0, tint, NULL, NULL);
    tac__text_add(p->out, "</g>");
}

static void add_cells(const picture *p)
{
    const tac__pattern *m = &p->facts.pattern;
    tac__svg_rect(p->out, p->left, p->top, p->columns.count * p->cell + 1,
                  p->rows.count * p->cell + 1, 0, PALE, RIM, NULL);
    for (int j = 0; j < m->columns; j++) {
        for (int k = m->starts[j]; k < m->starts[j + 1];) {
            const int length = run_length(p, k, m->starts[j + 1]);
            add_cell(p, m->row_of[k], j, length);
            k += length;
        }
    }
}

static void add_title(const picture *p)
{
    const tac__pattern *m = &p->facts.pattern;
    const int count = tac__pattern_count(m), colours = p->facts.colouring.colours;
    const double all = (double)m->rows * m->columns;
    char text[256];
    tac__out subtitle = tac__out_begin(text, sizeof text);
    tac__out_add(&subtitle, "%d rows, %d columns, %d entries", m->rows, m->columns, count);
    if (all > 0)
        tac__out_add(&subtitle, " (%d %%)", tac__px(100 * count / all));
    tac__out_add(&subtitle, " \xc2\xb7 %d %s %s", colours, p->facts.by_rows ? "reverse" : "forward",
                 colours == 1 ? "sweep" : "sweeps");
    tac__svg_text(p->out, MARGIN, 28, 0, &(tac__font){15, true, false, TAC__ANCHOR_START, INK},
                  "Where the Jacobian can be other than 0");
    tac__svg_text(p->out, MARGIN, 45, 0, &(tac__font){11, false, false, TAC__ANCHOR_START, SOFT},
                  text);
}

static void draw(picture *p)
{
    lay_out(p);
    const double wide = p->left + p->columns.count * p->cell + MARGIN;
    const int width = tac__px(wide > 420 ? wide : 420);
    const int height = tac__px(p->top + p->rows.count * p->cell + MARGIN);
    tac__text_add(p->out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Sparsity of a Jacobian\" "
                  "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n",
                  width, height, width, height);
    tac__text_add(p->out, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height);
    add_title(p);
    add_cells(p);
    add_parts(p);
    add_labels(p);
    tac__text_add(p->out, "</svg>\n");
}

tac_status tac__sparsity_svg(const tac_graph *f, const char *out, const char *in, tac__text *text,
                             tac_error *err)
{
    picture p;
    tac_status st = begin(&p, f, out, in, err);
    if (st == TAC_OK) {
        p.out = text;
        draw(&p);
        st = text->failed ? tac__fail_memory(err) : TAC_OK;
    }
    tac__arena_fini(&p.arena);
    return st;
}

// --- JSON ---------------------------------------------------------------------------------------

static void write_side(tac__json *json, const char *key, const side *s)
{
    int next = 0;
    tac__json_key(json, key);
    tac__json_array_begin(json);
    for (size_t g = 0; g < s->group_count; g++) {
        tac__json_object_begin(json);
        tac__json_key_text(json, "name", s->groups[g].name);
        tac__json_key(json, "labels");
        tac__json_array_begin(json);
        for (size_t i = 0; i < s->groups[g].count; i++)
            tac__json_text(json, s->labels[next++]);
        tac__json_array_end(json);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void write_numbers(tac__json *json, const char *key, const int *numbers, int count)
{
    tac__json_key(json, key);
    tac__json_compact(json);
    tac__json_array_begin(json);
    for (int i = 0; i < count; i++) {
        if (numbers[i] < 0)
            tac__json_raw(json, "null");
        else
            tac__json_i64(json, numbers[i]);
    }
    tac__json_array_end(json);
}

tac_status tac__sparsity_json(const tac_graph *f, const char *out, const char *in, tac__json *json,
                              tac_error *err)
{
    picture p;
    tac_status st = begin(&p, f, out, in, err);
    if (st == TAC_OK) {
        const tac__pattern *m = &p.facts.pattern;
        tac__json_object_begin(json);
        write_side(json, "rows", &p.rows);
        write_side(json, "columns", &p.columns);
        tac__json_key_u64(json, "count", (uint64_t)tac__pattern_count(m));
        write_numbers(json, "starts", m->starts, m->columns + 1);
        write_numbers(json, "row_of", m->row_of, tac__pattern_count(m));
        tac__json_key_text(json, "sweeps", p.facts.by_rows ? "reverse" : "forward");
        tac__json_key_u64(json, "colours", (uint64_t)p.facts.colouring.colours);
        write_numbers(json, "colour", p.facts.colouring.colour,
                      p.facts.by_rows ? m->rows : m->columns);
        tac__json_object_end(json);
        st = json->text->failed ? tac__fail_memory(err) : TAC_OK;
    }
    tac__arena_fini(&p.arena);
    return st;
}
