// draw_phases.c - draws machines of phases; draw_machine.c computes the positions.
#include "explain/draw_phases.h"
#include "base/svg.h"

#include <string.h>

enum { BOX_HIGH = 34, LANE = 21, ROW = 18, LINE = 14, ROUND = 7, PART_GAP = 30 };

static const char INK[] = "#0f172a", SOFT[] = "#64748b";

typedef struct drawing {
    const tac_engine *e;
    const tac__machine *m;
    tac__text *out;
    double x, width;
    double top, bottom;        // of the row of phases
    double lane_up, lane_down; // the first lanes
} drawing;

static const char *colour_of(bool located)
{
    return located ? TAC__LOCATED_COLOUR : TAC__PHASE_COLOUR;
}

// --- arrows -------------------------------------------------------------------------------------

// The numbers of an arrow's transitions, side by side; those of located transitions are filled.
static void add_badge(const drawing *d, double x, double y, size_t number)
{
    const bool located = d->m->phases->transitions[number].locate;
    char text[16];
    tac__out out = tac__out_begin(text, sizeof text);
    tac__out_add(&out, "%zu", number + 1);
    const double half = number + 1 > 99 ? 10 : 8;
    tac__svg_rect(d->out, x - half, y - 7, 2 * half, 14, 7,
                  located ? TAC__LOCATED_COLOUR : "#ffffff", colour_of(located), NULL);
    tac__svg_text(d->out, x, y + 3, 0,
                  &(tac__font){TAC__LABEL_SIZE, true, false, TAC__ANCHOR_MIDDLE,
                               located ? "#ffffff" : TAC__PHASE_COLOUR},
                  text);
}

static void add_badges(const drawing *d, const tac__shift *s, double x, double y)
{
    for (size_t i = 0; i < s->count; i++)
        add_badge(d, x + TAC__BADGE * ((double)i - (double)(s->count - 1) / 2), y, s->numbers[i]);
}

static double lane_y(const drawing *d, const tac__shift *s)
{
    return s->way == TAC__WAY_ABOVE ? d->lane_up - LANE * s->lane : d->lane_down + LANE * s->lane;
}

static void arrow_begin(const drawing *d)
{
    tac__text_add(d->out, "<path d=\"");
}

static void arrow_end(const drawing *d, bool located)
{
    tac__text_add(d->out,
                  "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" "
                  "marker-end=\"url(#%s)\"/>\n",
                  colour_of(located), located ? "1.8" : "1.3", located ? "located" : "phase");
}

static void add_arrow(const drawing *d, const tac__shift *s)
{
    const double middle = (d->top + d->bottom) / 2;
    const int a = tac__px(s->from_x), b = tac__px(s->to_x);
    arrow_begin(d);
    if (s->way == TAC__WAY_STRAIGHT) {
        tac__text_add(d->out, "M%d %d H%d", a, tac__px(middle), b - 1);
    } else if (s->way == TAC__WAY_ANY) {
        tac__text_add(d->out, "M%d %d V%d", a, tac__px(d->bottom + 20), tac__px(d->bottom + 1));
    } else if (s->way == TAC__WAY_LOOP) {
        const int y = tac__px(d->top), up = y - 24;
        tac__text_add(d->out, "M%d %d C%d %d %d %d %d %d C%d %d %d %d %d %d", a + 9, y, a + 24,
                      y - 14, a + 18, up, a, up, a - 18, up, a - 24, y - 14, a - 9, y - 1);
    } else {
        const bool above = s->way == TAC__WAY_ABOVE;
        const int y = tac__px(lane_y(d, s)), on = a < b ? ROUND : -ROUND;
        const int back = above ? ROUND : -ROUND;
        const int from = tac__px(above ? d->top : d->bottom);
        tac__text_add(d->out, "M%d %d V%d Q%d %d %d %d H%d Q%d %d %d %d V%d", a, from, y + back, a,
                      y, a + on, y, b - on, b, y, b, y + back, from + (above ? -1 : 1));
    }
    arrow_end(d, s->located);
}

static void add_numbers(const drawing *d, const tac__shift *s)
{
    const double middle = (s->from_x + s->to_x) / 2;
    switch (s->way) {
    case TAC__WAY_STRAIGHT:
        add_badges(d, s, middle - 3, (d->top + d->bottom) / 2);
        break;
    case TAC__WAY_LOOP:
        add_badges(d, s, middle, d->top - 24);
        break;
    case TAC__WAY_ANY: {
        const double all = 22 + TAC__BADGE * (double)s->count;
        tac__svg_text(d->out, middle - all / 2, d->bottom + 30, 0,
                      &(tac__font){TAC__SUBTITLE_SIZE, true, false, TAC__ANCHOR_START, SOFT},
                      "any");
        add_badges(d, s, middle - all / 2 + 22 + (all - 22) / 2, d->bottom + 27);
        break;
    }
    case TAC__WAY_ABOVE:
    case TAC__WAY_BELOW:
        add_badges(d, s, middle, lane_y(d, s));
        break;
    }
}

// --- phases -------------------------------------------------------------------------------------

static void add_phase(const drawing *d, size_t i)
{
    const tac__machine *m = d->m;
    const double x = tac__machine_box_x(m, d->x, i);
    const bool initial = (int32_t)i == m->phases->initial;
    tac__text_add(d->out, "<g>");
    tac__svg_title(d->out, m->phases->names[i]);
    tac__text_add(d->out, "\n");
    tac__svg_rect(d->out, x, d->top, m->box, BOX_HIGH, 10, TAC__PHASE_FILL, TAC__PHASE_COLOUR,
                  initial ? " stroke-width=\"2\"" : NULL);
    tac__svg_text(d->out, x + m->box / 2, d->top + BOX_HIGH / 2.0 + 4, m->box - 12,
                  &(tac__font){TAC__TITLE_SIZE, true, false, TAC__ANCHOR_MIDDLE, INK},
                  m->phases->names[i]);
    tac__text_add(d->out, "</g>\n");
    if (!initial)
        return;
    tac__text_add(d->out, "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"/>\n", tac__px(x + 10),
                  tac__px(d->top - 18), TAC__PHASE_COLOUR);
    arrow_begin(d);
    tac__text_add(d->out, "M%d %d V%d", tac__px(x + 10), tac__px(d->top - 16), tac__px(d->top - 1));
    arrow_end(d, false);
}

static void add_row(drawing *d, double y)
{
    const tac__machine *m = d->m;
    bool any = false, loop = false;
    for (size_t i = 0; i < m->shift_count; i++) {
        any |= m->shifts[i].way == TAC__WAY_ANY;
        loop |= m->shifts[i].way == TAC__WAY_LOOP;
    }
    const double up = loop ? 46 : 32, down = any ? 48 : 18;
    d->top = y + up + (m->above > 0 ? LANE * (m->above - 1) + 10 : 0);
    d->bottom = d->top + BOX_HIGH;
    d->lane_up = d->top - up;
    d->lane_down = d->bottom + down;
    for (size_t i = 0; i < m->shift_count; i++)
        add_arrow(d, &m->shifts[i]);
    for (size_t i = 0; i < m->phases->count; i++)
        add_phase(d, i);
    for (size_t i = 0; i < m->shift_count; i++)
        add_numbers(d, &m->shifts[i]);
}

static double row_end(const drawing *d)
{
    if (d->m->below > 0)
        return d->lane_down + LANE * (d->m->below - 1) + 10;
    return d->lane_down > d->bottom + 20 ? d->lane_down - 10 : d->bottom;
}

// --- who is active when -------------------------------------------------------------------------

// Consecutive phases are drawn as one bar.
static void add_bars(const drawing *d, const tac__component *c, double y)
{
    const tac__machine *m = d->m;
    const tac__colours colours =
        tac__box_colours(&(tac__box){.kind = TAC__BOX_PLANT, .group = c->group});
    for (size_t i = 0; i < m->phases->count;) {
        const double left = tac__machine_box_x(m, d->x, i);
        if (!(c->active_in >> i & 1)) {
            tac__svg_text(
                d->out, left + m->box / 2, y + ROW / 2.0 + 3, 0,
                &(tac__font){TAC__LABEL_SIZE, false, false, TAC__ANCHOR_MIDDLE, "#94a3b8"},
                tac__inactive_text(c));
            i++;
            continue;
        }
        size_t end = i;
        while (end + 1 < m->phases->count && c->active_in >> (end + 1) & 1)
            end++;
        const double right = tac__machine_box_x(m, d->x, end) + m->box;
        tac__svg_rect(d->out, left, y + 3, right - left, ROW - 6, 4, colours.fill, colours.line,
                      NULL);
        for (; i <= end; i++)
            tac__svg_text(
                d->out, tac__machine_box_x(m, d->x, i) + m->box / 2, y + ROW / 2.0 + 3, 0,
                &(tac__font){TAC__LABEL_SIZE, false, false, TAC__ANCHOR_MIDDLE, colours.line},
                "active");
    }
}

static double add_activity(const drawing *d, double y)
{
    const tac__machine *m = d->m;
    if (m->gated_count == 0)
        return y;
    for (size_t i = 0; i < m->gated_count; i++, y += ROW) {
        const tac__component *c = d->e->plan->components[m->gated[i]];
        tac__svg_text(d->out, d->x, y + ROW / 2.0 + 4, m->label - 8,
                      &(tac__font){TAC__SUBTITLE_SIZE, true, false, TAC__ANCHOR_START, "#334155"},
                      c->name);
        add_bars(d, c, y);
    }
    if (m->other_count)
        tac__svg_text(d->out, d->x, y + ROW / 2.0 + 4, 0,
                      &(tac__font){TAC__LABEL_SIZE, false, false, TAC__ANCHOR_START, SOFT},
                      m->other_count == 1 ? "the other component is active in all phases"
                                          : "all other components are active in all phases");
    return y + (m->other_count ? ROW : 0);
}

// --- transitions in words -----------------------------------------------------------------------

// How many bytes of a text fit on a line of this width; breaks at a space if there is one.
static size_t line_length(const char *text, double width, int size)
{
    char line[512];
    size_t n = 0, blank = 0;
    while (text[n] && n < sizeof line - 5) {
        size_t next = n + 1;
        while (((unsigned char)text[next] & 0xc0) == 0x80 && next < sizeof line - 5)
            next++;
        memcpy(line + n, text + n, next - n);
        line[next] = '\0';
        if (n > 0 && tac__svg_width(line, size, false) > width)
            return blank ? blank : n;
        if (text[n] == ' ')
            blank = n;
        n = next;
    }
    return n;
}

// Draws a text in lines; returns the baseline of the next line.
static double add_wrapped(const drawing *d, double x, double y, const tac__font *font,
                          const char *text)
{
    while (*text) {
        const size_t n = line_length(text, d->x + d->width - x, font->size);
        char line[512];
        memcpy(line, text, n);
        line[n] = '\0';
        for (char *c = line; *c; c++)
            *c = *c == '\n' || *c == '\t' || *c == '\r' ? ' ' : *c;
        tac__svg_text(d->out, x, y, 0, font, line);
        y += LINE;
        text += n + strspn(text + n, " ");
    }
    return y;
}

static void print_between(const tac__phases *p, const tac__transition *t, tac__text *text)
{
    text->length = 0;
    tac__from_print(p, t, text);
    tac__text_add(text, " \xe2\x86\x92 %s", p->names[t->to]); // arrow
}

static double add_transition(const drawing *d, size_t i, double column, double y, tac__text *text)
{
    const tac__transition *t = &d->m->phases->transitions[i];
    print_between(d->m->phases, t, text);
    if (text->failed)
        return y;
    add_badge(d, d->x + 9, y - 4, i);
    tac__svg_text(
        d->out, d->x + 26, y, column - d->x - 36,
        &(tac__font){TAC__SUBTITLE_SIZE, true, false, TAC__ANCHOR_START, colour_of(t->locate)},
        text->chars);
    y = add_wrapped(d, column, y,
                    &(tac__font){TAC__SUBTITLE_SIZE, false, false, TAC__ANCHOR_START, INK},
                    t->condition.text);
    if (t->action_count == 0)
        return y + 3;
    text->length = 0;
    tac__text_add(text, "then ");
    tac__actions_print(t, text);
    if (!text->failed)
        y = add_wrapped(d, column, y,
                        &(tac__font){TAC__SUBTITLE_SIZE, false, false, TAC__ANCHOR_START, SOFT},
                        text->chars);
    return y + 3;
}

static double add_transitions(const drawing *d, double y)
{
    enum { WIDEST = 260 };
    const tac__phases *p = d->m->phases;
    tac__text text;
    tac__text_init(&text, d->out->allocator);
    double wide = 0;
    for (size_t i = 0; i < p->transition_count; i++) {
        print_between(p, &p->transitions[i], &text);
        const double w =
            text.failed ? 0 : tac__svg_width(text.chars, TAC__SUBTITLE_SIZE, true) + 14;
        wide = w > wide ? w : wide;
    }
    const double column = d->x + 26 + (wide < WIDEST ? wide : WIDEST);
    for (size_t i = 0; i < p->transition_count; i++)
        y = add_transition(d, i, column, y, &text);
    d->out->failed |= text.failed;
    tac__text_fini(&text);
    return y;
}

// --- the whole ----------------------------------------------------------------------------------

static void add_title(const drawing *d, double y)
{
    const tac__machine *m = d->m;
    char title[TAC_ERROR_NAME], text[2 * TAC_ERROR_NAME];
    tac__out out = tac__out_begin(title, sizeof title);
    tac__out_add(&out, "Phases of %s", tac__entity_label(d->e, m->instance->entity));
    if (m->entities > 1)
        tac__out_add(&out, " \xc3\x97%u", m->entities); // times
    tac__svg_text(d->out, d->x, y, 0, &(tac__font){13, true, false, TAC__ANCHOR_START, INK}, title);
    out = tac__out_begin(text, sizeof text);
    bool located = false;
    for (size_t i = 0; i < m->phases->transition_count; i++)
        located |= m->phases->transitions[i].locate;
    tac__out_add(&out, "signal %s.phase \xc2\xb7 of several conditions that hold the first wins%s",
                 m->instance->name,
                 located ? " \xc2\xb7 filled numbers are located: they take effect at the very "
                           "microsecond, others at the entity's next boundary"
                         : "");
    if (m->gated_count)
        tac__out_add(&out, " \xc2\xb7 %s: %s", tac__strategy_name(d->e->plan->def.strategy),
                     tac__strategy_text(d->e->plan->def.strategy));
    tac__svg_text(d->out, d->x, y + 15, d->width,
                  &(tac__font){TAC__SUBTITLE_SIZE, false, false, TAC__ANCHOR_START, SOFT}, text);
}

static double draw_machine(const tac_engine *e, tac__machine *m, tac__text *out, double x, double y,
                           double width)
{
    drawing d = {.e = e, .m = m, .out = out, .x = x, .width = width};
    tac__machine_place(m, x, width);
    add_title(&d, y + 12);
    add_row(&d, y + 36);
    y = add_activity(&d, row_end(&d) + 12);
    if (m->phases->transition_count)
        y = add_transitions(&d, y + 20);
    return y;
}

bool tac__machines_make(const tac__picture *p, tac__arena *arena, tac__machines *machines)
{
    const tac_engine *e = p->engine;
    *machines = (tac__machines){.engine = e};
    machines->items = tac__arena_array(arena, e->plan->machine_count, sizeof *machines->items);
    if (!machines->items)
        return false;
    for (size_t i = 0; i < e->plan->machine_count; i++) {
        const tac__component *c = e->plan->components[e->plan->machines[i]];
        tac__machine *m = &machines->items[machines->count];
        if (!tac__swarms_show(p->swarms, c))
            continue;
        if (!tac__machine_make(p, c, arena, m))
            return false;
        machines->count++;
        const double width = tac__machine_width(m);
        machines->width = width > machines->width ? width : machines->width;
    }
    return true;
}

double tac__machines_draw(tac__machines *machines, tac__text *out, double x, double y, double width)
{
    for (size_t i = 0; i < machines->count; i++)
        y = draw_machine(machines->engine, &machines->items[i], out, x, y + (i ? PART_GAP : 0),
                         width);
    return y;
}

void tac__machines_markers(tac__text *out)
{
    static const char *const names[] = {"phase", "located"};
    for (int i = 0; i < 2; i++)
        tac__text_add(out,
                      "<marker id=\"%s\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
                      "markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
                      "orient=\"auto\"><path d=\"M0 0.8 L8 4 L0 7.2 z\" fill=\"%s\"/></marker>\n",
                      names[i], colour_of(i));
}
