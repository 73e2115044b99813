// draw_svg.c - the picture as SVG: columns, boxes, arrows, a legend, the strip of draw_strip.c
// and the machines of draw_phases.c.
#include "explain/draw_layout.h"
#include "explain/draw_phases.h"
#include "explain/draw_strip.h"

enum { TOP = 108, RADIUS = 6, LEGEND_ROW = 20, SIDE = 34 };

static const char INK[] = "#0f172a", SOFT[] = "#64748b", PALE[] = "#f8fafc", RIM[] = "#e2e8f0";

typedef struct canvas {
    const tac__picture *p;
    const tac__layout *l;
    tac__text *out;
    double width, y; // how far down it is drawn
} canvas;

// --- columns and islands ------------------------------------------------------------------------

static void add_header(canvas *v, double x, double w, int stage)
{
    char name[64];
    tac__out text = tac__out_begin(name, sizeof name);
    if (stage < 0)
        tac__out_add(&text, "state");
    else
        tac__out_add(&text, "%s", tac_stage_name((tac_stage)stage));
    char number[16];
    tac__out digits = tac__out_begin(number, sizeof number);
    if (stage >= 0)
        tac__out_add(&digits, "%d", stage);
    else
        tac__out_add(&digits, "at t\xe2\x82\x96"); // subscript k
    const double middle = x + w / 2;
    if (stage < 0) {
        tac__out_add(&text, " %s", number);
        tac__svg_text(v->out, middle, TOP - 22, w,
                      &(tac__font){11, true, false, TAC__ANCHOR_MIDDLE, SOFT}, name);
        return;
    }
    const double wide = 22 + tac__svg_width(name, 11, true);
    const double left = middle - wide / 2;
    tac__svg_rect(v->out, left, TOP - 33, 17, 15, 7, SOFT, NULL, NULL);
    tac__svg_text(v->out, left + 8, TOP - 22, 0,
                  &(tac__font){TAC__SUBTITLE_SIZE, true, false, TAC__ANCHOR_MIDDLE, "#ffffff"},
                  number);
    tac__svg_text(v->out, left + 22, TOP - 22, 0,
                  &(tac__font){11, true, false, TAC__ANCHOR_START, "#334155"}, name);
}

static void add_bands(canvas *v)
{
    const tac__layout *l = v->l;
    for (size_t i = 0; i < l->column_count;) {
        size_t last = i;
        while (last + 1 < l->column_count && l->columns[last + 1].stage == l->columns[i].stage)
            last++;
        const double x = l->columns[i].x - 10;
        double w = l->columns[last].x + l->columns[last].w + l->columns[last].beside + 10 - x;
        for (size_t k = 0;
             l->columns[i].stage == TAC_STAGE_INTEGRATE && k < v->p->engine->plan->island_count;
             k++) {
            const double right = l->islands[k].x + l->islands[k].w - x;
            w = right > w ? right : w;
        }
        if (l->columns[i].stage != TAC_STAGE_INTEGRATE)
            tac__svg_rect(v->out, x, TOP - 40, w, l->bottom + 12 - (TOP - 40), 8, PALE, RIM, NULL);
        add_header(v, x, w, l->columns[i].stage);
        i = last + 1;
    }
}

static void add_islands(canvas *v)
{
    const tac_engine *e = v->p->engine;
    for (size_t i = 0; i < e->plan->island_count; i++) {
        const tac__rect *r = &v->l->islands[i];
        if (r->w == 0)
            continue;
        char text[TAC_ERROR_NAME];
        tac__out out = tac__out_begin(text, sizeof text);
        tac__out_add(&out, "%s: %zu %s", e->plan->islands[i].name, e->plan->islands[i].x_count,
                     e->plan->islands[i].x_count == 1 ? "state" : "states");
        tac__svg_rect(v->out, r->x, r->y, r->w, r->h, 8, "#f5f5f4", "#a8a29e", NULL);
        tac__svg_text(v->out, r->x + 10, r->y + 16, r->w - 16,
                      &(tac__font){TAC__SUBTITLE_SIZE, true, false, TAC__ANCHOR_START, "#57534e"},
                      text);
    }
}

// --- boxes --------------------------------------------------------------------------------------

static void add_box(canvas *v, size_t i)
{
    const tac__box *b = &v->p->boxes[i];
    const tac__rect *r = &v->l->boxes[i];
    const tac__colours colours = tac__box_colours(b);
    const bool ghost = b->kind == TAC__BOX_STATE || b->kind == TAC__BOX_OUTPUT;
    const char *dashes = ghost ? " stroke-dasharray=\"3 2\"" : NULL;
    tac__text_add(v->out, "<g>");
    tac__svg_title(v->out, b->title);
    tac__text_add(v->out, "\n");
    if (b->count > 1) // a stack of them
        tac__svg_rect(v->out, r->x + 4, r->y - 4, r->w, r->h, RADIUS, "#ffffff", colours.line,
                      dashes);
    tac__svg_rect(v->out, r->x, r->y, r->w, r->h, RADIUS, colours.fill, colours.line, dashes);
    const double middle = r->y + r->h / 2;
    double left = r->x + 9, right = r->x + r->w - 8;
    if (b->number) {
        char number[16];
        tac__out out = tac__out_begin(number, sizeof number);
        tac__out_add(&out, "%u", b->number);
        tac__svg_text(v->out, right, middle - 3, 0,
                      &(tac__font){TAC__LABEL_SIZE, true, false, TAC__ANCHOR_END, colours.line},
                      number);
        right -= tac__svg_width(number, TAC__LABEL_SIZE, true) + 4;
    }
    if (b->count > 1) {
        char count[16];
        tac__out out = tac__out_begin(count, sizeof count);
        tac__out_add(&out, "\xc3\x97%u", b->count); // times
        tac__svg_text(v->out, r->x + r->w - 8, middle + 12, 0,
                      &(tac__font){TAC__SUBTITLE_SIZE, true, false, TAC__ANCHOR_END, colours.line},
                      count);
    }
    tac__svg_text(v->out, left, middle - 2, right - left,
                  &(tac__font){TAC__TITLE_SIZE, true, false, TAC__ANCHOR_START, INK}, b->title);
    tac__svg_text(v->out, left, middle + 12, r->w - 18 - (b->count > 1 ? 26 : 0),
                  &(tac__font){TAC__SUBTITLE_SIZE, false, false, TAC__ANCHOR_START, SOFT},
                  b->subtitle);
    tac__text_add(v->out, "</g>\n");
}

// --- arrows -------------------------------------------------------------------------------------

// A corner of a path with right angles: a line that ends before it, then an arc.
static void add_corner(tac__text *out, const double a[2], const double b[2], const double c[2])
{
    enum { ROUND = 6 };
    double short_of[2], after[2];
    for (int k = 0; k < 2; k++) {
        const double in = b[k] - a[k], on = c[k] - b[k];
        const double r_in = (in < 0 ? -in : in) / 2, r_on = (on < 0 ? -on : on) / 2;
        const double d_in = r_in < ROUND ? r_in : ROUND, d_on = r_on < ROUND ? r_on : ROUND;
        short_of[k] = b[k] - (in > 0 ? d_in : in < 0 ? -d_in : 0);
        after[k] = b[k] + (on > 0 ? d_on : on < 0 ? -d_on : 0);
    }
    tac__text_add(out, " L%d %d Q%d %d %d %d", tac__px(short_of[0]), tac__px(short_of[1]),
                  tac__px(b[0]), tac__px(b[1]), tac__px(after[0]), tac__px(after[1]));
}

static void add_path(tac__text *out, const tac__path *path)
{
    const double(*q)[2] = (const double(*)[2])path->points;
    tac__text_add(out, "M%d %d", tac__px(q[0][0]), tac__px(q[0][1]));
    for (size_t i = 1; i < path->count; i++) {
        if (path->square && i + 1 < path->count) {
            add_corner(out, q[i - 1], q[i], q[i + 1]);
        } else if (path->square || i % 2 == 0) {
            tac__text_add(out, " L%d %d", tac__px(q[i][0]), tac__px(q[i][1]));
        } else {
            const double reach = (q[i][0] - q[i - 1][0]) * 0.5;
            tac__text_add(out, " C%d %d %d %d %d %d", tac__px(q[i - 1][0] + reach),
                          tac__px(q[i - 1][1]), tac__px(q[i][0] - reach), tac__px(q[i][1]),
                          tac__px(q[i][0]), tac__px(q[i][1]));
        }
    }
}

static const char *line_dashes(tac__style style, bool delayed)
{
    return style == TAC__STYLE_MESSAGE ? " stroke-dasharray=\"1 4\" stroke-linecap=\"round\""
           : delayed                   ? " stroke-dasharray=\"6 3\""
                                       : "";
}

static void add_arrow(canvas *v, size_t i)
{
    const tac__arrow *a = &v->p->arrows[i];
    tac__text_add(v->out, "<g>");
    tac__svg_title(v->out, a->detail);
    tac__text_add(v->out, "\n<path d=\"");
    add_path(v->out, &v->l->paths[i]);
    tac__text_add(v->out,
                  "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s "
                  "marker-end=\"url(#arrow%d)\"/></g>\n",
                  tac__style_colour(a->style), a->style == TAC__STYLE_MESSAGE ? "2" : "1.4",
                  line_dashes(a->style, a->delayed), (int)a->style);
}

static void add_label(canvas *v, size_t i)
{
    const tac__arrow *a = &v->p->arrows[i];
    const tac__path *path = &v->l->paths[i];
    tac__svg_text(v->out, path->label_x, path->label_y, TAC__LABEL_MAX,
                  &(tac__font){TAC__LABEL_SIZE, false, true,
                               path->label_begins ? TAC__ANCHOR_START : TAC__ANCHOR_END,
                               tac__style_colour(a->style)},
                  a->label);
}

static void add_markers(tac__text *out)
{
    for (int i = 0; i < TAC__STYLE_COUNT; i++)
        tac__text_add(out,
                      "<marker id=\"arrow%d\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
                      "markerWidth=\"7\" markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" "
                      "orient=\"auto\"><path d=\"M0 0.8 L8 4 L0 7.2 z\" fill=\"%s\"/></marker>\n",
                      i, tac__style_colour((tac__style)i));
    tac__text_add(out, "<marker id=\"loop\" viewBox=\"0 0 8 8\" refX=\"5\" refY=\"4\" "
                       "markerWidth=\"14\" markerHeight=\"14\" "
                       "markerUnits=\"userSpaceOnUse\" orient=\"auto\">"
                       "<path d=\"M0 0.8 L8 4 L0 7.2 z\" fill=\"#d6d3d1\"/></marker>\n");
}

// The arrow from the islands back to the start: what they integrate is the state at the next
// boundary.
static void add_loop(canvas *v)
{
    const tac__layout *l = v->l;
    if (l->column_count < 2 || l->columns[0].stage >= 0 ||
        l->columns[l->column_count - 1].stage != TAC_STAGE_INTEGRATE)
        return;
    const tac__column *to = &l->columns[0], *from = &l->columns[l->column_count - 1];
    double low = 0;
    for (size_t i = 0; i < v->p->engine->plan->island_count; i++) {
        const double bottom = l->islands[i].y + l->islands[i].h;
        low = bottom > low ? bottom : low;
    }
    const double below = v->y > l->bottom + 14 ? v->y : l->bottom + 14;
    const double y = below + 26, left = to->x + to->w / 2, right = from->x + from->w / 2;
    tac__text_add(v->out,
                  "<path d=\"M%d %d L%d %d Q%d %d %d %d L%d %d Q%d %d %d %d L%d %d\" fill=\"none\" "
                  "stroke=\"#d6d3d1\" stroke-width=\"5\" marker-end=\"url(#loop)\"/>\n",
                  tac__px(right), tac__px(low + 1), tac__px(right), tac__px(y - 10), tac__px(right),
                  tac__px(y), tac__px(right - 10), tac__px(y), tac__px(left + 10), tac__px(y),
                  tac__px(left), tac__px(y), tac__px(left), tac__px(y - 10), tac__px(left),
                  tac__px(l->bottom + 18));
    tac__svg_text(v->out, (left + right) / 2, y + 4, 0,
                  &(tac__font){TAC__SUBTITLE_SIZE, false, true, TAC__ANCHOR_MIDDLE, "#78716c"},
                  "the state at the next boundary");
    v->y = y + 8;
}

// --- legend -------------------------------------------------------------------------------------

typedef struct legend {
    canvas *v;
    double x, y;
} legend;

static double legend_room(legend *g, const char *text, double sign)
{
    const double wide = sign + tac__svg_width(text, TAC__SUBTITLE_SIZE, false) + 22;
    if (g->x > 34 && g->x + wide > g->v->width - 20) {
        g->x = 34;
        g->y += LEGEND_ROW;
    }
    const double x = g->x;
    g->x += wide;
    tac__svg_text(g->v->out, x + sign + 6, g->y + 4, 0,
                  &(tac__font){TAC__SUBTITLE_SIZE, false, false, TAC__ANCHOR_START, "#334155"},
                  text);
    return x;
}

static void legend_box(legend *g, tac__colours colours, const char *text, bool dashed)
{
    const double x = legend_room(g, text, 18);
    tac__svg_rect(g->v->out, x, g->y - 6, 18, 12, 3, colours.fill, colours.line,
                  dashed ? " stroke-dasharray=\"3 2\"" : NULL);
}

static void legend_line(legend *g, tac__style style, bool delayed, const char *text)
{
    const double x = legend_room(g, text, 30);
    tac__text_add(g->v->out,
                  "<path d=\"M%d %d h29\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s "
                  "marker-end=\"url(#arrow%d)\"/>\n",
                  tac__px(x), tac__px(g->y), tac__style_colour(style),
                  style == TAC__STYLE_MESSAGE ? "2" : "1.4", line_dashes(style, delayed),
                  (int)style);
}

static void legend_groups(legend *g)
{
    const tac__picture *p = g->v->p;
    const tac_engine *e = p->engine;
    bool none = false, machines = false, plant = false, ghosts = false;
    for (size_t i = 0; i < p->box_count; i++) {
        const tac__box *b = &p->boxes[i];
        none |= b->group < 0 && b->kind == TAC__BOX_STEP && !b->machine;
        machines |= b->machine;
        plant |= b->kind == TAC__BOX_PLANT && b->group < 0;
        ghosts |= b->kind == TAC__BOX_STATE || b->kind == TAC__BOX_OUTPUT;
    }
    for (size_t i = 0; i < e->plan->group_count; i++) {
        const tac__rate_group *group = &e->plan->groups[i];
        char text[TAC_ERROR_NAME], rate[TAC_TIME_TEXT];
        tac__out out = tac__out_begin(text, sizeof text);
        tac__rate_print(group->period_us, rate);
        tac__out_add(&out, "%s %s", group->name, group->period_us ? rate : "at explicit times");
        legend_box(g, tac__group_colours((int)i), text, false);
    }
    if (none)
        legend_box(g, tac__group_colours(-1), "no rate group: run by messages or timers", false);
    if (machines)
        legend_box(g, tac__box_colours(&(tac__box){.machine = true}),
                   "phases: at every boundary of their entity", false);
    if (plant)
        legend_box(g, tac__box_colours(&(tac__box){.kind = TAC__BOX_PLANT, .group = -1}),
                   "plant: integrated", false);
    if (ghosts)
        legend_box(g, tac__box_colours(&(tac__box){.kind = TAC__BOX_PLANT, .group = -1}),
                   "plant: as it is read at the boundary", true);
}

static void add_legend(canvas *v)
{
    legend g = {v, 34, v->y + 26};
    legend_groups(&g);
    g.x = 34;
    g.y += LEGEND_ROW;
    bool delayed = false, used[TAC__STYLE_COUNT] = {false};
    for (size_t i = 0; i < v->p->arrow_count; i++) {
        used[v->p->arrows[i].style] = true;
        delayed |= v->p->arrows[i].delayed;
    }
    for (int i = 0; i < TAC__STYLE_COUNT; i++) {
        if (used[i])
            legend_line(&g, (tac__style)i, false, tac__style_text((tac__style)i));
    }
    if (delayed)
        legend_line(&g, TAC__STYLE_DIRECT, true, "delayed");
    v->y = g.y + 12;
}

// --- the whole ----------------------------------------------------------------------------------

static void add_title(canvas *v)
{
    const tac_engine *e = v->p->engine;
    char text[512], end[TAC_TIME_TEXT], step[TAC_TIME_TEXT];
    tac_time_print(e->plan->def.end_us, end);
    tac_time_print(e->plan->def.integrator.h_max_us, step);
    tac__out out = tac__out_begin(text, sizeof text);
    tac__out_add(&out, "%zu components in %zu rate groups, %zu %s \xc2\xb7 %s",
                 e->plan->component_count, e->plan->group_count, e->plan->island_count,
                 e->plan->island_count == 1 ? "island" : "islands", e->plan->method->name);
    if (e->plan->def.integrator.h_max_us < TAC_TIME_MAX)
        tac__out_add(&out, ", steps up to %s", step);
    if (e->plan->def.physics_us) {
        char physics[TAC_TIME_TEXT];
        tac_time_print(e->plan->def.physics_us, physics);
        tac__out_add(&out, ", physics axis %s", physics);
    }
    tac__out_add(&out, " \xc2\xb7 run of %s", end);
    for (uint32_t i = 0; i < e->plan->entity_count; i++) {
        if (v->p->swarms->count[i] > 1)
            tac__out_add(&out, " \xc2\xb7 %s stands for %u equal entities",
                         e->plan->entities[i].name, v->p->swarms->count[i]);
    }
    tac__svg_text(v->out, 34, 32, 0, &(tac__font){17, true, false, TAC__ANCHOR_START, INK},
                  "What happens at a boundary, from left to right");
    tac__svg_text(v->out, 34, 51, v->width - 50,
                  &(tac__font){11, false, false, TAC__ANCHOR_START, SOFT}, text);
}

// Writes the head and then the body: the height is known only once the body is complete.
static void finish(tac__text *out, tac__text *body, double w, double h, bool schedule, bool phases)
{
    const int width = tac__px(w), height = tac__px(h);
    tac__text_add(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s of a simulation\" "
                  "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">\n",
                  width, height, width, height, schedule ? "Schedule" : "Flight phases");
    tac__text_add(out, "<defs>\n");
    if (schedule)
        add_markers(out);
    if (phases)
        tac__machines_markers(out);
    tac__text_add(out, "</defs>\n");
    tac__text_add(out, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height);
    if (body->failed)
        out->failed = true;
    else
        tac__text_bytes(out, body->chars, body->length);
    tac__text_fini(body);
    tac__text_add(out, "</svg>\n");
}

static double wider(double a, double b)
{
    return a > b ? a : b;
}

bool tac__draw_svg(const tac__picture *p, tac__arena *arena, tac__text *out)
{
    tac__layout l;
    tac__strip strip;
    tac__machines machines;
    if (!tac__layout_make(p, arena, TOP, &l) || !tac__strip_make(p, arena, &strip) ||
        !tac__machines_make(p, arena, &machines))
        return false;
    tac__text body;
    tac__text_init(&body, out->allocator);
    canvas v = {.p = p,
                .l = &l,
                .out = &body,
                .width = wider(wider(l.width, 860), machines.width + 2 * SIDE),
                .y = l.lanes};
    add_title(&v);
    add_bands(&v);
    add_loop(&v);
    add_islands(&v);
    for (size_t i = 0; i < p->arrow_count; i++)
        add_arrow(&v, i);
    for (size_t i = 0; i < p->box_count; i++)
        add_box(&v, i);
    for (size_t i = 0; i < p->arrow_count; i++)
        add_label(&v, i);
    v.y += 14;
    add_legend(&v);
    v.y = tac__strip_draw(&strip, &body, SIDE, v.y + 14, v.width - 2 * SIDE);
    if (machines.count)
        v.y = tac__machines_draw(&machines, &body, SIDE, v.y + 22, v.width - 2 * SIDE);
    finish(out, &body, v.width, v.y + 20, true, machines.count > 0);
    return true;
}

bool tac__draw_phases_svg(const tac__picture *p, tac__arena *arena, tac__text *out)
{
    tac__machines machines;
    if (!tac__machines_make(p, arena, &machines))
        return false;
    const double width = wider(860, machines.width + 2 * SIDE);
    tac__text body;
    tac__text_init(&body, out->allocator);
    double y = 20;
    if (machines.count)
        y = tac__machines_draw(&machines, &body, SIDE, y, width - 2 * SIDE);
    else
        tac__svg_text(&body, SIDE, y += 12, 0,
                      &(tac__font){13, true, false, TAC__ANCHOR_START, INK},
                      "No entity has phases.");
    finish(out, &body, width, y + 16, false, true);
    return true;
}
