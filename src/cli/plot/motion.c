// motion.c - the page of rockets, orbits or cars: where they went to the left, panels over time to
// the right.
#include "cli/plot/motion.h"
#include "cli/plot/chart.h"
#include "cli/plot/gnuplot.h"
#include "cli/plot/picture.h"
#include "cli/report/motion.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const cli_box map_box = {105, 795, 270, 1050};
static const cli_box boxes[] = {
    {985, 1680, 850, 1050}, {985, 1680, 595, 795}, {985, 1680, 340, 540}, {985, 1680, 85, 285}};

enum { HEADING_Y = 1142, SUMMARY_Y = 182, LINE_HEIGHT = 28, MARGIN = 45, PANELS = 4 };

typedef struct page {
    tac__text *script;
    const cli_motion *motion;
    cli_table table;
    size_t vehicles[CLI_CHART_COLOURS]; // those that are drawn
    size_t count;
} page;

#define ADD(...) tac__text_add(p->script, __VA_ARGS__)

static const cli_mover *first(const page *p)
{
    return &p->motion->movers[p->vehicles[0]];
}

static size_t column_of(const page *p, size_t vehicle, size_t which)
{
    return 1 + CLI_MOTION_COLUMNS * p->vehicles[vehicle] + which;
}

static cli_range range_of(const page *p, size_t which)
{
    cli_range all = cli_table_range(&p->table, column_of(p, 0, which), 0, 1);
    for (size_t i = 1; i < p->count; i++) {
        const cli_range r = cli_table_range(&p->table, column_of(p, i, which), 0, 1);
        all = cli_range_with(all, r.min, r.max);
    }
    return all;
}

static void add_texts(const page *p, const char *name, uint64_t hash)
{
    char text[40];
    snprintf(text, sizeof text, "hash %016" PRIx64, hash);
    cli_chart_text(p->script, MARGIN, HEADING_Y, "left", 22, CLI_CHART_INK, name);
    cli_chart_text(p->script, CLI_CHART_WIDTH - MARGIN, HEADING_Y, "right", 0, CLI_CHART_FAINT,
                   text);
    cli_flight_line lines[CLI_FLIGHT_LINES];
    const size_t count = cli_motion_lines(p->motion, first(p), lines);
    int y = SUMMARY_Y;
    if (p->count > 1) {
        cli_chart_text(p->script, map_box.left, y, "left", 0, CLI_CHART_FAINT, "vehicle");
        cli_chart_text(p->script, map_box.left + 115, y, "left", 0, CLI_CHART_INK, first(p)->name);
        y -= LINE_HEIGHT;
    }
    for (size_t i = 0; i < count; i++, y -= LINE_HEIGHT) {
        cli_chart_text(p->script, map_box.left, y, "left", 0, CLI_CHART_FAINT, lines[i].label);
        cli_chart_text(p->script, map_box.left + 115, y, "left", 0, CLI_CHART_INK, lines[i].text);
    }
}

// --- to the left ---------------------------------------------------------------------------------

// One column over another, of all vehicles.
static void add_ways(const page *p, bool *begun, size_t x, size_t y)
{
    for (size_t i = 0; i < p->count; i++) {
        cli_curve(p->script, begun, 0, column_of(p, i, x), column_of(p, i, y),
                  "lines linewidth 2 linecolor rgb '%s'", cli_chart_colours[i]);
        if (p->count > 1) {
            ADD(" title ");
            cli_gnuplot_quote(p->script, p->motion->movers[p->vehicles[i]].name);
        }
    }
}

// A point of the first vehicle's way.
static void add_point(const page *p, const char *block, size_t x, size_t y, size_t row)
{
    ADD("$%s << END\n%.10g %.10g\nEND\n", block, cli_table_at(&p->table, row, column_of(p, 0, x)),
        cli_table_at(&p->table, row, column_of(p, 0, y)));
}

static size_t first_row(const page *p, size_t which)
{
    size_t row = 0;
    while (row + 1 < p->table.rows && isnan(cli_table_at(&p->table, row, column_of(p, 0, which))))
        row++;
    return row;
}

static size_t last_row(const page *p, size_t which)
{
    size_t row = p->table.rows - 1;
    while (row > 0 && isnan(cli_table_at(&p->table, row, column_of(p, 0, which))))
        row--;
    return row;
}

// Both axes with the same scale, with a margin around what is drawn.
static void equal_axes(const page *p, cli_range x, cli_range y, const char *x_label,
                       const char *y_label)
{
    const double width = map_box.right - map_box.left, height = map_box.top - map_box.bottom;
    const double px =
        fmax(fmax((x.max - x.min) / (0.86 * width), (y.max - y.min) / (0.86 * height)), 1e-6);
    const double cx = (x.min + x.max) / 2, cy = (y.min + y.max) / 2;
    cli_axis_x(p->script, (cli_range){cx - px * width / 2, cx + px * width / 2}, x_label, true);
    ADD("set yrange [%.10g:%.10g]\nset ytics autofreq\nset ylabel '%s' textcolor rgb "
        "'" CLI_CHART_INK "'\n",
        cy - px * height / 2, cy + px * height / 2, y_label);
}

static void add_ends(const page *p, const char *end)
{
    ADD(", \\\n  $start with points pointtype 6 pointsize mark*2 linewidth 2 linecolor rgb "
        "'" CLI_CHART_INK "' title 'start', \\\n  $end with points pointtype 2 pointsize mark*2 "
        "linewidth 2.4 linecolor rgb '%s' title '%s'\n",
        cli_chart_colours[1], end);
}

static void add_trajectory(const page *p)
{
    cli_panel_begin(p->script, &map_box, "Trajectory");
    equal_axes(p, range_of(p, CLI_ROCKET_DOWNRANGE),
               cli_range_with(range_of(p, CLI_ROCKET_HEIGHT), 0, 0), "downrange [km]",
               "height above the ground [km]");
    add_point(p, "start", CLI_ROCKET_DOWNRANGE, CLI_ROCKET_HEIGHT, first_row(p, CLI_ROCKET_HEIGHT));
    add_point(p, "end", CLI_ROCKET_DOWNRANGE, CLI_ROCKET_HEIGHT, last_row(p, CLI_ROCKET_HEIGHT));
    ADD("set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead linewidth 2 linecolor rgb "
        "'" CLI_CHART_LIGHT "' back\n");
    bool begun = true;
    add_ways(p, &begun, CLI_ROCKET_DOWNRANGE, CLI_ROCKET_HEIGHT);
    add_ends(p, first(p)->landed ? "landing" : "end");
    ADD("unset arrow 1\n");
    cli_panel_end(p->script);
}

static void add_orbit(const page *p)
{
    const double radius = first(p)->radius_m / 1000;
    cli_range x = range_of(p, CLI_ORBIT_X), y = range_of(p, CLI_ORBIT_Y);
    x = cli_range_with(x, -radius, radius);
    y = cli_range_with(y, -radius, radius);
    cli_panel_begin(p->script, &map_box, "Orbit, in its plane at the start");
    equal_axes(p, x, y, "towards the start [km]", "ahead [km]");
    add_point(p, "start", CLI_ORBIT_X, CLI_ORBIT_Y, 0);
    add_point(p, "end", CLI_ORBIT_X, CLI_ORBIT_Y, p->table.rows - 1);
    ADD("set object 1 circle at first 0, first 0 size first %.10g fillcolor rgb '#EEF3F7' "
        "fillstyle solid border linecolor rgb '" CLI_CHART_LIGHT "' back\n",
        radius);
    bool begun = true;
    add_ways(p, &begun, CLI_ORBIT_X, CLI_ORBIT_Y);
    add_ends(p, "end");
    ADD("unset object 1\n");
    cli_panel_end(p->script);
}

static void add_road(const page *p)
{
    const cli_scale speed = cli_scale_of(cli_range_with(range_of(p, CLI_CAR_SPEED), 0, 1));
    cli_panel_begin(p->script, &map_box, "Speed along the way");
    cli_axis_x(p->script, range_of(p, CLI_CAR_DISTANCE), "distance [m]", true);
    cli_axis_y(p->script, &speed, "speed [m/s]");
    add_point(p, "start", CLI_CAR_DISTANCE, CLI_CAR_SPEED, 0);
    add_point(p, "end", CLI_CAR_DISTANCE, CLI_CAR_SPEED, p->table.rows - 1);
    bool begun = true;
    add_ways(p, &begun, CLI_CAR_DISTANCE, CLI_CAR_SPEED);
    add_ends(p, "end");
    cli_panel_end(p->script);
}

// --- panels over time ----------------------------------------------------------------------------

static void begin_panel(const page *p, int number, const char *title)
{
    cli_panel_begin(p->script, &boxes[number], title);
    cli_axis_x(p->script, cli_table_range(&p->table, 0, 0, 1), "time [s]", number == PANELS - 1);
}

// gnuplot draws the frame of a panel only with a plot command, so an empty one is given.
static void end_panel(const page *p, bool empty)
{
    ADD(empty ? "plot NaN\n" : "\n");
    cli_panel_end(p->script);
}

// One column of all vehicles, with 0 on its scale if asked for.
static void add_panel(const page *p, int number, const char *title, const char *label, size_t which,
                      bool zero)
{
    cli_range seen = range_of(p, which);
    if (zero)
        seen = cli_range_with(seen, 0, 0);
    const cli_scale scale = cli_scale_of(seen);
    begin_panel(p, number, title);
    cli_axis_y(p->script, &scale, label);
    bool begun = true;
    for (size_t i = 0; i < p->count; i++) {
        cli_curve(p->script, &begun, 0, 0, column_of(p, i, which),
                  "lines linewidth 1.5 linecolor rgb '%s'", cli_chart_colours[i]);
        if (p->count > 1) {
            ADD(" title ");
            cli_gnuplot_quote(p->script, p->motion->movers[p->vehicles[i]].name);
        }
    }
    end_panel(p, begun);
}

// Two columns of the first vehicle that share a scale, or have one each.
static void add_pair(const page *p, int number, const char *title, const char *left,
                     const char *right, size_t a, size_t b, const char *names[2])
{
    cli_range ra = cli_table_range(&p->table, column_of(p, 0, a), 0, 1);
    const cli_range rb = cli_table_range(&p->table, column_of(p, 0, b), 0, 1);
    if (!right)
        ra = cli_range_with(ra, rb.min, rb.max);
    const cli_scale scale = cli_scale_of(cli_range_with(ra, right ? 0 : -1e-3, right ? 0 : 1e-3));
    begin_panel(p, number, title);
    cli_axis_y(p->script, &scale, left);
    if (right) {
        const cli_scale other = cli_scale_in(cli_range_with(rb, 0, 0), scale.steps);
        cli_axis_right(p->script, &other, right, cli_chart_colours[2]);
    }
    bool begun = true;
    cli_curve(p->script, &begun, 0, 0, column_of(p, 0, a),
              "lines linewidth 1.5 linecolor rgb '%s' title '%s'", cli_chart_colours[0], names[0]);
    cli_curve(p->script, &begun, 0, 0, column_of(p, 0, b),
              "lines %s linewidth 1.5 linecolor rgb '%s' title '%s'", right ? "axes x1y2" : "",
              cli_chart_colours[2], names[1]);
    end_panel(p, begun);
}

static void add_tanks(const page *p, int number)
{
    const cli_mover *v = &p->motion->movers[0];
    const cli_range left = cli_table_range(&p->table, p->motion->tanks, 1, v->tank_count);
    const cli_scale scale = cli_scale_of((cli_range){0, left.max > 0 ? left.max : 1});
    begin_panel(p, number, "Fuel");
    cli_axis_y(p->script, &scale, "left [kg]");
    bool begun = true;
    for (size_t i = 0; i < v->tank_count; i++) {
        cli_curve(p->script, &begun, 0, 0, p->motion->tanks + i,
                  "lines linewidth 1.5 linecolor rgb '%s' title ",
                  cli_chart_colours[i % CLI_CHART_COLOURS]);
        cli_gnuplot_quote(p->script, v->tanks[i].name);
    }
    end_panel(p, begun);
}

static void add_rocket_page(const page *p)
{
    add_trajectory(p);
    add_panel(p, 0, "Height above the ground", "height [km]", CLI_ROCKET_HEIGHT, true);
    if (isnan(first(p)->mach))
        add_panel(p, 1, "Speed", "speed [m/s]", CLI_ROCKET_SPEED, true);
    else
        add_pair(p, 1, p->count > 1 ? "Speed of the first" : "Speed", "speed [m/s]", "Mach",
                 CLI_ROCKET_SPEED, CLI_ROCKET_MACH, (const char *[]){"speed", "Mach"});
    add_panel(p, 2, "Dynamic pressure", "pressure [kPa]", CLI_ROCKET_PRESSURE, true);
    add_tanks(p, 3);
}

static void add_orbit_page(const page *p)
{
    add_orbit(p);
    add_panel(p, 0, "Altitude", "altitude [km]", CLI_ORBIT_ALTITUDE, false);
    add_panel(p, 1, "Speed", "speed [m/s]", CLI_ORBIT_SPEED, false);
    add_panel(p, 2, "Change of energy, relative to itself", "change", CLI_ORBIT_DRIFT, true);
    add_pair(p, 3, "Change of the node and of the periapsis", "angle [deg]", NULL, CLI_ORBIT_NODE,
             CLI_ORBIT_PERIAPSIS, (const char *[]){"node", "periapsis"});
}

static void add_car_page(const page *p)
{
    add_road(p);
    add_panel(p, 0, "Speed", "speed [m/s]", CLI_CAR_SPEED, true);
    add_panel(p, 1, "Distance", "distance [m]", CLI_CAR_DISTANCE, true);
    add_panel(p, 2, "Height of the road", "height [m]", CLI_CAR_HEIGHT, false);
    add_tanks(p, 3);
}

static void add_page(const page *p, bool svg, const char *name, uint64_t hash)
{
    cli_chart_table(p->script, 0, &p->table);
    cli_chart_begin(p->script, CLI_CHART_HEIGHT, svg);
    add_texts(p, name, hash);
    if (first(p)->kind == CLI_ROCKET)
        add_rocket_page(p);
    else if (first(p)->kind == CLI_ORBIT)
        add_orbit_page(p);
    else
        add_car_page(p);
    cli_chart_end(p->script);
}

tac_status cli_motion_plot_write(const char *file, const cli_motion *m, const char *name,
                                 uint64_t hash, tac_error *err)
{
    if (m->rows == 0)
        return tac__fail(err, TAC_E_FILE, "--plot: nothing was seen of the vehicles");
    tac__text script;
    tac__text_init(&script, tac_allocator_default());
    page p = {
        .script = &script, .motion = m, .table = {m->values, m->rows, m->columns}, .count = 0};
    for (size_t i = 0; i < m->count && p.count < CLI_CHART_COLOURS; i++) {
        if (m->movers[i].kind == m->movers[0].kind)
            p.vehicles[p.count++] = i;
    }
    add_page(&p, cli_picture_is_svg(file), name, hash);
    const tac_status status = cli_picture_write(&script, file, err);
    tac__text_fini(&script);
    return status;
}
