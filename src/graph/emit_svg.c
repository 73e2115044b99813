// emit_svg.c - the terms of a small graph as SVG: columns from the inputs to the outputs, a box
// right of all that it is computed from, boxes of a column near those that they are linked with.
#include "base/svg.h"
#include "graph/emit_picture.h"

enum {
    BOXES_MAX = 400,
    SWEEPS = 8,
    HIGH = 22,
    NAMED = 34,
    GAP = 10,
    BETWEEN = 46,
    SIDE = 20,
    HEAD = 56,
    SIZE = 10
};

static const char INK[] = "#0f172a", SOFT[] = "#64748b";

typedef struct place {
    int32_t column, row;
    double x, y, w, h; // its upper left corner, and its size
    double wish;       // where its neighbours stand
    int arrive, drawn; // arrows to it: all of them, and those that were drawn
} place;

typedef struct layout {
    const tac__node_picture *p;
    place *places;   // per box
    int32_t *sorted; // boxes, column by column, from top to bottom
    int32_t *starts; // per column: its first in `sorted`
    int32_t columns;
    double width, height;
} layout;

static double width_of(const tac__node_box *b)
{
    const double text = tac__svg_width(b->text, SIZE, false);
    const double name = b->name ? tac__svg_width(b->name, TAC__LABEL_SIZE, false) : 0;
    return 14 + (text > name ? text : name);
}

// --- columns ------------------------------------------------------------------------------------

static void find_columns(layout *l)
{
    const tac__node_picture *p = l->p;
    // Boxes come behind those that they are computed from, and so do the arrows to them.
    for (size_t i = 0; i < p->arrow_count; i++) {
        const tac__node_arrow *a = &p->arrows[i];
        const int32_t least = l->places[a->from].column + 1;
        if (!a->back && l->places[a->to].column < least)
            l->places[a->to].column = least;
    }
    for (size_t i = 0; i < p->box_count; i++) {
        if (p->boxes[i].kind != TAC__NODE_INPUT && l->places[i].column == 0)
            l->places[i].column = 1;
        if (l->places[i].column >= l->columns)
            l->columns = l->places[i].column + 1;
    }
    for (size_t i = 0; i < p->box_count; i++) {
        if (p->boxes[i].kind == TAC__NODE_OUTPUT)
            l->places[i].column = l->columns - 1;
    }
}

static void fill_columns(layout *l)
{
    int32_t filled = 0;
    for (int32_t c = 0; c < l->columns; c++) {
        l->starts[c] = filled;
        for (size_t i = 0; i < l->p->box_count; i++) {
            if (l->places[i].column == c)
                l->sorted[filled++] = (int32_t)i;
        }
    }
    l->starts[l->columns] = filled;
}

// --- rows ---------------------------------------------------------------------------------------

static void stack(layout *l, int32_t column)
{
    double y = 0;
    for (int32_t k = l->starts[column]; k < l->starts[column + 1]; k++) {
        place *q = &l->places[l->sorted[k]];
        q->y = y;
        y += q->h + GAP;
    }
    // Columns have their middles on one line.
    for (int32_t k = l->starts[column]; k < l->starts[column + 1]; k++)
        l->places[l->sorted[k]].y -= y / 2;
}

// The mean of the middles of the boxes at the other ends of the arrows.
static void wish(layout *l)
{
    const tac__node_picture *p = l->p;
    for (size_t i = 0; i < p->box_count; i++) {
        double sum = 0;
        int count = 0;
        for (size_t k = 0; k < p->arrow_count; k++) {
            const tac__node_arrow *a = &p->arrows[k];
            if (a->from != (int32_t)i && a->to != (int32_t)i)
                continue;
            const place *other = &l->places[a->from == (int32_t)i ? a->to : a->from];
            sum += other->y + other->h / 2;
            count++;
        }
        const place *own = &l->places[i];
        l->places[i].wish = count ? sum / count : own->y + own->h / 2;
    }
}

// Groups of inputs and of outputs stay together, in their order.
static bool is_before(const layout *l, int32_t a, int32_t b)
{
    const tac__node_box *x = &l->p->boxes[a], *y = &l->p->boxes[b];
    const bool fixed =
        x->kind == y->kind && (x->kind == TAC__NODE_INPUT || x->kind == TAC__NODE_OUTPUT);
    return !fixed && l->places[a].wish < l->places[b].wish;
}

static void sort_column(layout *l, int32_t column)
{
    for (int32_t k = l->starts[column] + 1; k < l->starts[column + 1]; k++) {
        const int32_t box = l->sorted[k];
        int32_t to = k;
        for (; to > l->starts[column] && is_before(l, box, l->sorted[to - 1]); to--)
            l->sorted[to] = l->sorted[to - 1];
        l->sorted[to] = box;
    }
    stack(l, column);
}

static void sweep(layout *l)
{
    for (int k = 0; k < SWEEPS; k++) {
        wish(l);
        for (int32_t c = 0; c < l->columns; c++)
            sort_column(l, k % 2 ? l->columns - 1 - c : c);
    }
}

static void set_pixels(layout *l)
{
    double x = SIDE, top = 0, bottom = 0;
    for (int32_t c = 0; c < l->columns; c++) {
        double wide = 0;
        for (int32_t k = l->starts[c]; k < l->starts[c + 1]; k++) {
            const place *q = &l->places[l->sorted[k]];
            wide = q->w > wide ? q->w : wide;
            top = q->y < top ? q->y : top;
            bottom = q->y + q->h > bottom ? q->y + q->h : bottom;
        }
        for (int32_t k = l->starts[c]; k < l->starts[c + 1]; k++)
            l->places[l->sorted[k]].x = x;
        x += wide + BETWEEN;
    }
    for (size_t i = 0; i < l->p->box_count; i++)
        l->places[i].y += HEAD - top;
    l->width = x - BETWEEN + SIDE;
    l->height = bottom - top + HEAD + SIDE;
}

static bool lay_out(const tac__node_picture *p, tac__arena *arena, layout *l)
{
    *l = (layout){.p = p, .columns = 1};
    l->places = tac__arena_array(arena, p->box_count + 1, sizeof *l->places);
    l->sorted = tac__arena_array(arena, p->box_count + 1, sizeof *l->sorted);
    l->starts = tac__arena_array(arena, p->box_count + 3, sizeof *l->starts);
    if (!l->places || !l->sorted || !l->starts)
        return false;
    for (size_t i = 0; i < p->box_count; i++) {
        l->places[i].w = width_of(&p->boxes[i]);
        l->places[i].h = p->boxes[i].name && *p->boxes[i].name ? NAMED : HIGH;
    }
    for (size_t i = 0; i < p->arrow_count; i++)
        l->places[p->arrows[i].to].arrive++;
    find_columns(l);
    fill_columns(l);
    for (int32_t c = 0; c < l->columns; c++)
        stack(l, c);
    sweep(l);
    set_pixels(l);
    return true;
}

// --- drawing ------------------------------------------------------------------------------------

// Arrows arrive one below the other.
static void draw_arrow(const layout *l, const tac__node_arrow *a, tac__text *out)
{
    const place *from = &l->places[a->from];
    place *to = &l->places[a->to];
    const int x0 = tac__px(from->x + from->w), y0 = tac__px(from->y + from->h / 2);
    const int x1 = tac__px(to->x) - 1, y1 = tac__px(to->y + to->h * ++to->drawn / (to->arrive + 1));
    const int bend = a->back ? 60 : (x1 - x0) / 2 > 20 ? (x1 - x0) / 2 : 20;
    tac__text_add(out,
                  "<path d=\"M%d %d C%d %d %d %d %d %d\" fill=\"none\" stroke=\"#94a3b8\"%s "
                  "marker-end=\"url(#head)\"/>\n",
                  x0, y0, x0 + bend, a->back ? y0 - bend : y0, x1 - bend, a->back ? y1 - bend : y1,
                  x1, y1, a->back ? " stroke-dasharray=\"4 3\"" : "");
    if (a->text[0])
        tac__svg_text(out, x1 - 8, y1 - 3, 0, &(tac__font){8, false, true, TAC__ANCHOR_END, SOFT},
                      a->text);
}

static void draw_box(const layout *l, size_t i, tac__text *out)
{
    const tac__node_box *b = &l->p->boxes[i];
    const place *q = &l->places[i];
    const double middle = q->x + q->w / 2;
    tac__svg_rect(out, q->x, q->y, q->w, q->h, 4, tac__node_fill(b->kind), tac__node_line(b->kind),
                  NULL);
    tac__svg_text(out, middle, q->y + 14, 0,
                  &(tac__font){SIZE, false, false, TAC__ANCHOR_MIDDLE, INK}, b->text);
    if (b->name && *b->name)
        tac__svg_text(out, middle, q->y + 27, 0,
                      &(tac__font){TAC__LABEL_SIZE, false, false, TAC__ANCHOR_MIDDLE, SOFT},
                      b->name);
}

static void draw(const layout *l, const char *title, tac__text *out)
{
    const double wide = 2 * SIDE + tac__svg_width(title, TAC__TITLE_SIZE, true);
    tac__text_add(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "font-family=\"Helvetica, Arial, sans-serif\">\n"
                  "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
                  "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\">"
                  "<path d=\"M0 0 L8 4 L0 8 z\" fill=\"#64748b\"/></marker></defs>\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
                  tac__px(l->width > wide ? l->width : wide), tac__px(l->height));
    tac__svg_text(out, SIDE, 28, 0,
                  &(tac__font){TAC__TITLE_SIZE, true, false, TAC__ANCHOR_START, INK}, title);
    for (size_t i = 0; i < l->p->arrow_count; i++)
        draw_arrow(l, &l->p->arrows[i], out);
    for (size_t i = 0; i < l->p->box_count; i++)
        draw_box(l, i, out);
    tac__text_add(out, "</svg>\n");
}

tac_status tac__emit_svg(const tac_graph *f, const tac__emit_options *options, tac__arena *arena,
                         tac__text *out, tac_error *err)
{
    tac__node_picture p;
    layout l;
    TAC_TRY(tac__node_picture_make(f, arena, &p, err));
    if (p.box_count > BOXES_MAX)
        return tac__fail(err, TAC_E_LIMIT,
                         "graph '%s' has %zu boxes, more than a readable picture (%d): write it "
                         "for Graphviz (dot), as data (json), or draw the pattern of its Jacobian",
                         f->name, p.box_count, BOXES_MAX);
    if (!lay_out(&p, arena, &l))
        return tac__fail_memory(err);
    draw(&l, options->title ? options->title : options->name ? options->name : f->name, out);
    return TAC_OK;
}
