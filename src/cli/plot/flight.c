// flight.c - the page of a flight.
#include "cli/plot/flight.h"
#include "cli/plot/chart.h"
#include "cli/report/flight.h"
#include "cli/plot/gnuplot.h"
#include "cli/plot/picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const cli_box map_box = {105, 795, 270, 1050};
static const cli_box altitude_box = {985, 1680, 850, 1050};
static const cli_box attitude_box = {985, 1680, 595, 795};
static const cli_box motors_box = {985, 1680, 340, 540};
static const cli_box battery_box = {985, 1680, 85, 285};

enum {
    HEADING_Y = 1142,
    SUMMARY_Y = 172,
    LINE_HEIGHT = 30,
    MARGIN = 45,
    NAMED_MAX = 6,   // vehicles with a colour and a legend of their own,
    LEGEND_MAX = 36, // if their names together are not longer than this
    MARKS_MAX = 64,  // items of a mission that are marked
};

typedef struct page {
    tac__text *script;
    const cli_flight *flight;
    const cli_samples *samples;
    cli_table table;
    bool one, crowd; // exactly one vehicle; too many to name them
} page;

#define ADD(...) tac__text_add(p->script, __VA_ARGS__)

static void add_texts(const page *p, const char *name, uint64_t hash)
{
    char text[40];
    snprintf(text, sizeof text, "hash %016" PRIx64, hash);
    cli_chart_text(p->script, MARGIN, HEADING_Y, "left", 22, CLI_CHART_INK, name);
    cli_chart_text(p->script, CLI_CHART_WIDTH - MARGIN, HEADING_Y, "right", 0, CLI_CHART_FAINT,
                   text);
    cli_flight_line lines[CLI_FLIGHT_LINES];
    const size_t count = cli_flight_lines(p->flight, lines);
    for (size_t i = 0; i < count; i++) {
        const int y = SUMMARY_Y - LINE_HEIGHT * (int)i;
        cli_chart_text(p->script, map_box.left, y, "left", 0, CLI_CHART_FAINT, lines[i].label);
        cli_chart_text(p->script, map_box.left + 115, y, "left", 0, CLI_CHART_INK, lines[i].text);
    }
}

// --- vehicles over each other --------------------------------------------------------------------

static size_t column_of(size_t vehicle)
{
    return 1 + 3 * vehicle;
}

static cli_range range_of(const page *p, size_t offset)
{
    return cli_table_range(&p->table, column_of(0) + offset, 3, p->flight->count);
}

static bool has_reference(const page *p)
{
    return p->one && p->flight->vehicles->signals[TAC_ROLE_REFERENCE].index >= 0;
}

static void add_reference(const page *p, bool *first, size_t x, size_t y)
{
    if (has_reference(p))
        cli_curve(p->script, first, 0, x, y,
                  "lines linewidth 6 linecolor rgb '" CLI_CHART_LIGHT "' title 'planned'");
}

// Curves of all vehicles, column `offset` of each, over time or over another column. Up to a few
// vehicles have distinct colours; more than that get shades from the first to the last.
static void add_vehicles(const page *p, bool *first, size_t x_offset, bool over_time,
                         size_t y_offset)
{
    for (size_t i = 0; i < p->flight->count; i++) {
        const size_t x = over_time ? 0 : column_of(i) + x_offset;
        cli_curve(p->script, first, 0, x, column_of(i) + y_offset, "lines linewidth %g ",
                  p->one ? 2.0 : 1.5);
        if (p->crowd) {
            ADD("linecolor palette frac %.4f", (double)i / (double)(p->flight->count - 1));
            continue;
        }
        ADD("linecolor rgb '%s'", cli_chart_colours[i]);
        if (p->one || over_time) { // on the map there is no room for names
            ADD(" title ");
            cli_gnuplot_quote(p->script, p->one ? "flown" : p->flight->vehicles[i].name);
        }
    }
}

// --- the map -------------------------------------------------------------------------------------

enum { NORTH, EAST, ALTITUDE };

typedef struct map {
    double north, east; // of its middle
    double metres_px;
} map;

// Both axes with the same scale, at least 2 m wide, with a margin around the track.
static map frame(const page *p)
{
    const cli_range north = range_of(p, NORTH), east = range_of(p, EAST);
    const double width = map_box.right - map_box.left, height = map_box.top - map_box.bottom;
    return (map){
        (north.min + north.max) / 2,
        (east.min + east.max) / 2,
        fmax(2.0 / width, fmax((east.max - east.min) / (0.84 * width),
                               (north.max - north.min) / (0.84 * height))),
    };
}

static void add_map_axes(const page *p, const map *m)
{
    const double half_width = m->metres_px * (map_box.right - map_box.left) / 2;
    const double half_height = m->metres_px * (map_box.top - map_box.bottom) / 2;
    cli_axis_x(p->script, (cli_range){m->east - half_width, m->east + half_width}, "east [m]",
               true);
    ADD("set yrange [%.10g:%.10g]\nset ytics autofreq\n", m->north - half_height,
        m->north + half_height);
    ADD("set ylabel 'north [m]' textcolor rgb '" CLI_CHART_INK "'\n");
}

typedef struct mark {
    double north, east;
    char text[40]; // numbers of the items that were passed here
} mark;

// Mission items at the same position share one mark.
static mark *mark_near(mark *marks, size_t *count, double north, double east)
{
    for (size_t i = 0; i < *count; i++) {
        if (hypot(marks[i].north - north, marks[i].east - east) < 1.0)
            return &marks[i];
    }
    if (*count == MARKS_MAX)
        return NULL;
    marks[*count] = (mark){north, east, ""};
    return &marks[(*count)++];
}

// The position of the reference each time the controller counted another item.
static size_t find_marks(const page *p, mark marks[MARKS_MAX])
{
    const cli_samples *s = p->samples;
    const cli_table *t = &p->table;
    size_t count = 0;
    for (size_t row = 1; row < s->rows && p->one; row++) {
        const double before = cli_table_at(t, row - 1, s->reached);
        const double now = cli_table_at(t, row, s->reached);
        if (!(now > before))
            continue;
        const bool planned = !isnan(cli_table_at(t, row, s->reference));
        const size_t column = planned ? s->reference : column_of(0);
        mark *m = mark_near(marks, &count, cli_table_at(t, row, column + NORTH),
                            cli_table_at(t, row, column + EAST));
        if (!m)
            break;
        tac__out out = {m->text, sizeof m->text, strlen(m->text)};
        tac__out_add(&out, "%s%.0f", m->text[0] ? ", " : "", now);
    }
    return count;
}

// The smallest distance between a spot and the track.
static double clearance(const page *p, double north, double east)
{
    double least = HUGE_VAL;
    for (size_t row = 0; row < p->samples->rows; row++) {
        const double dn = cli_table_at(&p->table, row, column_of(0) + NORTH) - north;
        const double de = cli_table_at(&p->table, row, column_of(0) + EAST) - east;
        least = fmin(least, dn * dn + de * de);
    }
    return least;
}

// The numbers stand at the corner of the mark that is farthest from the track.
static void add_mark_text(const page *p, const map *m, const mark *k)
{
    const double wide = 5.0 + 5.0 * (double)strlen(k->text), high = 14.0; // half sizes, in pixels
    int best = 0;
    double most = -1;
    for (int corner = 0; corner < 4; corner++) {
        const double de = (corner & 1 ? -1 : 1) * (wide + 6) * m->metres_px;
        const double dn = (corner & 2 ? -1 : 1) * high * m->metres_px;
        const double room = clearance(p, k->north + dn, k->east + de);
        best = room > most ? corner : best;
        most = fmax(room, most);
    }
    ADD("set label '%s' at %.8g, %.8g %s offset %g,%g front font ',12' textcolor rgb "
        "'" CLI_CHART_INK "'\n",
        k->text, k->east, k->north, best & 1 ? "right" : "left", best & 1 ? -0.9 : 0.9,
        best & 2 ? -0.7 : 0.7);
}

static void add_points(const page *p, const char *block, size_t row)
{
    ADD("$%s << END\n", block);
    for (size_t i = 0; i < p->flight->count; i++)
        ADD("%.8g %.8g\n", cli_table_at(&p->table, row, column_of(i) + EAST),
            cli_table_at(&p->table, row, column_of(i) + NORTH));
    ADD("END\n");
}

static size_t add_marks(const page *p, const map *m)
{
    mark marks[MARKS_MAX];
    const size_t count = find_marks(p, marks);
    ADD("$items << END\n");
    for (size_t i = 0; i < count; i++)
        ADD("%.8g %.8g\n", marks[i].east, marks[i].north);
    ADD("END\n");
    for (size_t i = 0; i < count; i++)
        add_mark_text(p, m, &marks[i]);
    return count;
}

static void add_map(const page *p)
{
    const map m = frame(p);
    const cli_samples *s = p->samples;
    const cli_fleet sum = cli_flight_sum(p->flight, p->flight->vehicles, p->flight->count);
    char title[64] = "Ground track";
    if (!p->one)
        snprintf(title, sizeof title, "Ground tracks of %zu vehicles", p->flight->count);
    cli_panel_begin(p->script, &map_box, title);
    add_map_axes(p, &m);
    add_points(p, "start", 0);
    add_points(p, "end", s->rows - 1);
    const size_t marks = add_marks(p, &m);
    if (marks)
        ADD("set key width room-0.7 samplen 1\n"); // five entries just fit
    bool first = true;
    add_reference(p, &first, s->reference + EAST, s->reference + NORTH);
    add_vehicles(p, &first, EAST, false, NORTH);
    const double size = p->crowd ? 1.2 : 2.0;
    if (marks)
        ADD(", \\\n  $items with points pointtype 7 pointsize mark linecolor rgb '" CLI_CHART_INK
            "' title 'items'");
    ADD(", \\\n  $start with points pointtype 6 pointsize mark*%g linewidth 2 linecolor rgb "
        "'" CLI_CHART_INK "' title 'start'",
        size);
    ADD(", \\\n  $end with points pointtype 2 pointsize mark*%g linewidth 2.4 linecolor rgb '%s' "
        "title '%s'\n",
        size, cli_chart_colours[1],
        sum.crashed               ? "crash"
        : sum.landed == sum.count ? "landing"
                                  : "end");
    cli_panel_end(p->script);
}

// --- panels over time ----------------------------------------------------------------------------

static void add_time(const page *p, bool labelled)
{
    cli_axis_x(p->script, cli_table_range(&p->table, 0, 0, 1), "time [s]", labelled);
}

// With several vehicles, the title of a panel that shows one of them names it.
static void begin_first(const page *p, const cli_box *box, const char *title)
{
    char text[160];
    snprintf(text, sizeof text, "%s%s%s", title, p->one ? "" : " of ",
             p->one ? "" : p->flight->vehicles->name);
    cli_panel_begin(p->script, box, text);
}

// gnuplot draws the frame of a panel only with a plot command, so an empty one is given.
static void end_panel(const page *p, bool empty)
{
    ADD(empty ? "plot NaN\n" : "\n");
    cli_panel_end(p->script);
}

static void add_altitude(const page *p)
{
    const cli_scale scale = cli_scale_of(cli_range_with(range_of(p, ALTITUDE), 0, 1));
    cli_panel_begin(p->script, &altitude_box, "Altitude above the ground");
    add_time(p, false);
    cli_axis_y(p->script, &scale, "altitude [m]");
    bool first = true;
    add_reference(p, &first, 0, p->samples->reference + ALTITUDE);
    add_vehicles(p, &first, 0, true, ALTITUDE);
    end_panel(p, first);
}

static void add_attitude(const page *p)
{
    const size_t column = p->samples->angles;
    const cli_scale tilt =
        cli_scale_of(cli_range_with(cli_table_range(&p->table, column, 1, 2), -2, 2));
    const cli_scale yaw = cli_scale_in(
        cli_range_with(cli_table_range(&p->table, column + 2, 1, 1), -5, 5), tilt.steps);
    begin_first(p, &attitude_box, "Attitude");
    add_time(p, false);
    cli_axis_y(p->script, &tilt, "roll, pitch [deg]");
    cli_axis_right(p->script, &yaw, "yaw [deg]", cli_chart_colours[2]);
    bool first = true;
    cli_curve(p->script, &first, 0, 0, column,
              "lines linewidth 1.2 linecolor rgb '%s' title 'roll'", cli_chart_colours[0]);
    cli_curve(p->script, &first, 0, 0, column + 1,
              "lines linewidth 1.2 linecolor rgb '%s' title 'pitch'", cli_chart_colours[1]);
    cli_curve(p->script, &first, 0, 0, column + 2,
              "lines axes x1y2 linewidth 1.4 linecolor rgb '%s' title 'yaw'", cli_chart_colours[2]);
    end_panel(p, first);
}

static void add_motors(const page *p)
{
    const cli_samples *s = p->samples;
    const cli_range seen = cli_table_range(&p->table, s->motors, 1, s->motor_count);
    const cli_scale scale =
        cli_scale_of(s->speeds ? cli_range_with(seen, 0, 1) : (cli_range){0, 1});
    begin_first(p, &motors_box, s->speeds ? "Rotor speeds" : "Motor commands");
    add_time(p, false);
    cli_axis_y(p->script, &scale, s->speeds ? "speed [rad/s]" : "duty");
    bool first = true;
    for (size_t i = 0; i < s->motor_count; i++)
        cli_curve(p->script, &first, 0, 0, s->motors + i,
                  "lines linewidth 1 linecolor rgb '%s' title '%s%zu'",
                  cli_chart_colours[i % CLI_CHART_COLOURS],
                  p->one && s->motor_count <= 4 ? "motor " : "", i + 1);
    end_panel(p, first);
}

static void add_battery(const page *p)
{
    const cli_samples *s = p->samples;
    const size_t count = p->flight->vehicles->batteries;
    const cli_range left = cli_table_range(&p->table, s->soc, 1, count);
    const cli_range volts = cli_table_range(&p->table, s->voltage, 1, count);
    const cli_scale charge = cli_scale_of(cli_range_with(left, left.max - 1, left.max));
    const cli_scale voltage =
        cli_scale_in(cli_range_with(volts, volts.max - 0.5, volts.max), charge.steps);
    begin_first(p, &battery_box, "Battery");
    add_time(p, true);
    cli_axis_y(p->script, &charge, "charge [%]");
    cli_axis_right(p->script, &voltage, "voltage [V]", cli_chart_colours[1]);
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        char number[24] = "";
        if (count > 1)
            snprintf(number, sizeof number, " %zu", i + 1);
        cli_curve(p->script, &first, 0, 0, s->soc + i,
                  "lines linewidth 2 dashtype %zu linecolor rgb '%s' title 'charge%s'", 1 + i % 4,
                  cli_chart_colours[0], number);
        cli_curve(p->script, &first, 0, 0, s->voltage + i,
                  "lines axes x1y2 linewidth 1.1 dashtype %zu linecolor rgb '%s' title 'voltage%s'",
                  1 + i % 4, cli_chart_colours[1], number);
    }
    end_panel(p, first);
}

static void add_page(const page *p, bool svg, const char *name, uint64_t hash)
{
    cli_chart_table(p->script, 0, &p->table);
    cli_chart_begin(p->script, CLI_CHART_HEIGHT, svg);
    add_texts(p, name, hash);
    add_map(p);
    add_altitude(p);
    add_attitude(p);
    add_motors(p);
    add_battery(p);
    cli_chart_end(p->script);
}

// --- the file ------------------------------------------------------------------------------------

static bool is_crowd(const cli_flight *f)
{
    size_t letters = 0;
    for (size_t i = 0; i < f->count; i++)
        letters += strlen(f->vehicles[i].name);
    return f->count > 1 && (f->count > NAMED_MAX || letters > LEGEND_MAX);
}

tac_status cli_flight_plot_write(const char *file, const cli_flight *f, const char *name,
                                 uint64_t hash, tac_error *err)
{
    const cli_samples *s = &f->samples;
    if (s->rows == 0)
        return tac__fail(err, TAC_E_FILE, "--plot: nothing was seen of the flight");
    tac__text script;
    tac__text_init(&script, tac_allocator_default());
    const page p = {
        .script = &script,
        .flight = f,
        .samples = s,
        .table = {s->values, s->rows, s->columns},
        .one = f->count == 1,
        .crowd = is_crowd(f),
    };
    add_page(&p, cli_picture_is_svg(file), name, hash);
    const tac_status status = cli_picture_write(&script, file, err);
    tac__text_fini(&script);
    return status;
}
