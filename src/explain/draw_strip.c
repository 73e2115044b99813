// draw_strip.c - chooses the part of the timeline that is shown, and draws its ticks.
#include "explain/draw_strip.h"
#include "base/svg.h"

#include <string.h>

enum { ROW = 18, TICK = 10, DENSE = 3, PERIODS = 10 };

// --- what is shown ------------------------------------------------------------------------------

// The hyperperiod, or ten periods of the slowest group where that is shorter.
static tac_time find_window(const tac_engine *e)
{
    tac_time slowest = 0, latest = 0;
    for (int observers = 0; observers < 2 && slowest == 0; observers++) {
        for (size_t i = 0; i < e->timeline.count; i++) {
            const tac__source *s = &e->timeline.sources[i];
            if (s->kind != TAC__SOURCE_AXIS || (s->observer && !observers))
                continue;
            slowest = s->period_us > slowest ? s->period_us : slowest;
            latest = s->offset_us > latest ? s->offset_us : latest;
        }
    }
    const tac_time repeat = tac__hyperperiod(e);
    tac_time window = e->plan->def.end_us;
    if (slowest && slowest < window / PERIODS)
        window = slowest * PERIODS;
    if (repeat && repeat + latest < window)
        window = repeat + latest;
    return window ? window : 1;
}

static const char *axis_label(const tac_engine *e, tac__arena *arena, int source,
                              const char **colour)
{
    const tac__source *s = &e->timeline.sources[source];
    const char *label = "";
    *colour = "#64748b";
    if (tac__is_physics(e, source))
        label = "physics";
    for (size_t i = 0; label && i < e->plan->group_count; i++) {
        if (!tac__group_uses(e, (int)i, source))
            continue;
        if (!strcmp(*colour, "#64748b"))
            *colour = tac__group_colours((int)i).line;
        label =
            tac__arena_format(arena, "%s%s%s", label, *label ? ", " : "", e->plan->groups[i].name);
    }
    for (size_t i = 0; label && i < e->plan->observer_count; i++) {
        if (e->plan->observers[i].source == source)
            label = tac__arena_format(arena, "%s%s%s", label, *label ? ", " : "",
                                      e->plan->observers[i].def.name);
    }
    return label && s->observer ? tac__arena_format(arena, "%s (observes)", label) : label;
}

static const char *axis_note(const tac_engine *e, tac__arena *arena, int source)
{
    const tac__source *s = &e->timeline.sources[source];
    char text[2 * TAC_TIME_TEXT + 8];
    if (s->kind == TAC__SOURCE_TIMES) {
        tac_time_print(s->times_us[0], text);
        return s->times_count == 1
                   ? tac__arena_format(arena, "at %s", text)
                   : tac__arena_format(arena, "%zu times from %s", s->times_count, text);
    }
    tac__source_print(e, source, text, sizeof text);
    char rate[TAC_TIME_TEXT];
    tac__rate_print(s->period_us, rate);
    return tac__arena_format(arena, "%s, every %s", rate, text);
}

static bool add_row(tac__strip *strip, const tac__strip_row *row)
{
    if (!row->label || !row->note || !row->sources)
        return false;
    strip->rows[strip->count++] = *row;
    return true;
}

bool tac__strip_make(const tac__picture *p, tac__arena *arena, tac__strip *strip)
{
    const tac_engine *e = p->engine;
    *strip = (tac__strip){.engine = e, .window_us = find_window(e)};
    strip->rows =
        tac__arena_array(arena, e->timeline.count + e->plan->island_count, sizeof *strip->rows);
    int *sources = tac__arena_array(arena, e->timeline.count, sizeof *sources);
    if (!strip->rows || !sources)
        return false;
    for (int i = -1; (i = tac__next_axis(e, i)) >= 0;) {
        sources[i] = i;
        if (i == e->plan->start_end_source)
            continue;
        tac__strip_row row = {.sources = &sources[i], .count = 1};
        row.label = axis_label(e, arena, i, &row.colour);
        row.note = axis_note(e, arena, i);
        if (!add_row(strip, &row))
            return false;
    }
    for (size_t i = 0; i < e->plan->island_count; i++) {
        if (!tac__swarms_show_island(e, p->swarms, i))
            continue;
        const tac__strip_row row = {
            .label = tac__arena_format(arena, "island %s", e->plan->islands[i].name),
            .note = "its boundaries",
            .colour = "#57534e",
            .sources = e->plan->islands[i].sources,
            .count = e->plan->islands[i].source_count};
        if (!add_row(strip, &row))
            return false;
    }
    return true;
}

// --- drawing ------------------------------------------------------------------------------------

static tac_time next_instant(const tac__source *s, tac_time from_us)
{
    if (s->kind == TAC__SOURCE_AXIS) {
        if (from_us <= s->offset_us)
            return s->offset_us;
        return s->offset_us +
               (from_us - s->offset_us + s->period_us - 1) / s->period_us * s->period_us;
    }
    for (size_t i = 0; s->kind == TAC__SOURCE_TIMES && i < s->times_count; i++) {
        if (s->times_us[i] >= from_us)
            return s->times_us[i];
    }
    return TAC_TIME_NEVER;
}

static tac_time next_of_row(const tac__strip *strip, const tac__strip_row *row, tac_time from_us)
{
    tac_time next = TAC_TIME_NEVER;
    for (size_t i = 0; i < row->count; i++) {
        const tac_time t_us =
            next_instant(&strip->engine->timeline.sources[row->sources[i]], from_us);
        next = t_us < next ? t_us : next;
    }
    return next;
}

// Draws ticks; where they are too close to be told apart, a bar.
static void draw_row(const tac__strip *strip, const tac__strip_row *row, tac__text *out, double x,
                     double y, double width)
{
    tac_time t_us = next_of_row(strip, row, 0);
    int bar_from = -1, bar_to = -1;
    tac__text_add(out, "<path d=\"");
    tac__text bars;
    tac__text_init(&bars, out->allocator);
    while (t_us <= strip->window_us) {
        const int at = tac__px(x + width * (double)t_us / (double)strip->window_us);
        // The next instant that is visible; earlier ones would fall on the same pixel.
        const tac_time next = next_of_row(strip, row, t_us + 1);
        const bool dense = next <= strip->window_us &&
                           width * (double)(next - t_us) / (double)strip->window_us < DENSE;
        if (dense) {
            if (bar_from < 0)
                bar_from = at;
            bar_to = at;
            const tac_time skip = (tac_time)((double)strip->window_us / width);
            t_us = next_of_row(strip, row, t_us + (skip > 1 ? skip : 1));
            continue;
        }
        if (bar_from >= 0) {
            tac__text_add(&bars, "M%d %d h%d", bar_from, tac__px(y), at - bar_from + 1);
            bar_from = -1;
        } else {
            tac__text_add(out, "M%d %d v%d", at, tac__px(y) - TICK / 2, TICK);
        }
        t_us = next;
    }
    if (bar_from >= 0)
        tac__text_add(&bars, "M%d %d h%d", bar_from, tac__px(y), bar_to - bar_from + 1);
    tac__text_add(out, "\" stroke=\"%s\" stroke-width=\"1.5\"/>\n", row->colour);
    if (bars.length)
        tac__text_add(out, "<path d=\"%s\" stroke=\"%s\" stroke-width=\"%d\" opacity=\"0.55\"/>\n",
                      bars.chars, row->colour, TICK);
    out->failed |= bars.failed;
    tac__text_fini(&bars);
}

// The distance of marks with which there are at most ten: 1, 2 or 5 times a power of ten.
static tac_time mark_distance(tac_time window_us)
{
    tac_time d = 1;
    for (int i = 0; window_us / d > 10; i++)
        d = i % 3 == 1 ? d / 2 * 5 : d * 2;
    return d;
}

static void draw_scale(const tac__strip *strip, tac__text *out, double x, double top, double bottom,
                       double width)
{
    const tac_time distance = mark_distance(strip->window_us);
    for (tac_time t_us = 0; t_us <= strip->window_us; t_us += distance) {
        const int at = tac__px(x + width * (double)t_us / (double)strip->window_us);
        char text[TAC_TIME_TEXT];
        tac_time_print(t_us, text);
        tac__text_add(out, "<path d=\"M%d %d V%d\" stroke=\"#e2e8f0\"/>\n", at, tac__px(top),
                      tac__px(bottom));
        tac__svg_text(out, at, bottom + 12, 0,
                      &(tac__font){TAC__LABEL_SIZE, false, false, TAC__ANCHOR_MIDDLE, "#64748b"},
                      text);
    }
}

double tac__strip_draw(const tac__strip *strip, tac__text *out, double x, double y, double width)
{
    if (strip->count == 0)
        return y;
    double label = 60, note = 60;
    for (size_t i = 0; i < strip->count; i++) {
        const double a = tac__svg_width(strip->rows[i].label, TAC__SUBTITLE_SIZE, true);
        const double b = tac__svg_width(strip->rows[i].note, TAC__LABEL_SIZE, false);
        label = a > label ? a : label;
        note = b > note ? b : note;
    }
    label = label > 190 ? 190 : label;
    const double left = x + label + note + 26, right = x + width - 14;
    char title[TAC_ERROR_NAME], window[TAC_TIME_TEXT];
    tac_time_print(strip->window_us, window);
    tac__out text = tac__out_begin(title, sizeof title);
    tac__out_add(&text, "The first %s", window);
    tac__svg_text(out, x, y + 14, 0, &(tac__font){12, true, false, TAC__ANCHOR_START, "#0f172a"},
                  title);
    y += 24;
    const double bottom = y + ROW * (double)strip->count;
    draw_scale(strip, out, left, y, bottom, right - left);
    for (size_t i = 0; i < strip->count; i++) {
        const tac__strip_row *row = &strip->rows[i];
        const double middle = y + ROW * ((double)i + 0.5);
        tac__svg_text(out, x, middle + 4, 190,
                      &(tac__font){TAC__SUBTITLE_SIZE, true, false, TAC__ANCHOR_START, row->colour},
                      row->label);
        tac__svg_text(out, x + label + 10, middle + 4, 0,
                      &(tac__font){TAC__LABEL_SIZE, false, false, TAC__ANCHOR_START, "#64748b"},
                      row->note);
        draw_row(strip, row, out, left, middle, right - left);
    }
    return bottom + 16;
}
