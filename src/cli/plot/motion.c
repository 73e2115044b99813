// motion.c - the page of rockets, orbits or cars.
#include "cli/plot/motion.h"
#include "cli/plot/gnuplot.h"
#include "cli/plot/picture.h"
#include "cli/plot/sheet.h"
#include "cli/report/motion.h"

#include <math.h>
#include <string.h>

typedef struct page {
    tac__text *script;
    const cli_motion *motion;
    const size_t *vehicles; // those that are drawn; the first is that of the motion
    cli_sheet sheet;
} page;

#define ADD(...) tac__text_add(p->script, __VA_ARGS__)

static const cli_mover *vehicle(const page *p, size_t i)
{
    return &p->motion->movers[p->vehicles[i]];
}

static size_t column_of(const page *p, size_t i, size_t which)
{
    return 1 + CLI_MOTION_COLUMNS * p->vehicles[i] + which;
}

static cli_range range_of(const page *p, size_t which)
{
    cli_range all = cli_table_range(&p->sheet.table, column_of(p, 0, which), 0, 1);
    for (size_t i = 1; i < p->sheet.vehicles; i++) {
        const cli_range r = cli_table_range(&p->sheet.table, column_of(p, i, which), 0, 1);
        all = cli_range_with(all, r.min, r.max);
    }
    return all;
}

static double at(const page *p, size_t row, size_t i, size_t which)
{
    return cli_table_at(&p->sheet.table, row, column_of(p, i, which));
}

static bool is_known(const page *p, size_t which)
{
    for (size_t i = 0; i < p->sheet.vehicles; i++) {
        for (size_t row = 0; row < p->sheet.table.rows; row++) {
            if (isfinite(at(p, row, i, which)))
                return true;
        }
    }
    return false;
}

// Whom a panel about the first vehicle names.
static const char *of_first(const page *p)
{
    return p->sheet.vehicles > 1 ? vehicle(p, 0)->name : NULL;
}

// --- to the left ---------------------------------------------------------------------------------

// The first or the last point of each way.
static void add_points(const page *p, const char *block, bool last, size_t x, size_t y)
{
    const size_t rows = p->sheet.table.rows;
    ADD("$%s << END\n", block);
    for (size_t i = 0; i < p->sheet.vehicles; i++) {
        size_t row = last ? rows - 1 : 0;
        for (size_t k = 1; k < rows && isnan(at(p, row, i, y)); k++)
            row = last ? row - 1 : row + 1;
        ADD("%.10g %.10g\n", at(p, row, i, x), at(p, row, i, y));
    }
    ADD("END\n");
}

// One column over another, of all vehicles, with where they begin and end.
static void add_ways(const page *p, size_t x, size_t y, const char *end)
{
    const double size = p->sheet.crowd ? 1.2 : 2.0;
    bool begun = true;
    add_points(p, "start", false, x, y);
    add_points(p, "end", true, x, y);
    for (size_t i = 0; i < p->sheet.vehicles; i++) {
        cli_curve(p->script, &begun, 0, column_of(p, i, x), column_of(p, i, y),
                  "lines linewidth 2");
        cli_sheet_colour(&p->sheet, i, NULL);
    }
    ADD(", \\\n  $start with points pointtype 6 pointsize mark*%g linewidth 2 linecolor rgb "
        "'" CLI_CHART_INK "' title 'start', \\\n  $end with points pointtype 2 pointsize mark*%g "
        "linewidth 2.4 linecolor rgb '%s' title '%s'\n",
        size, size, cli_chart_colours[1], end);
}

static bool all_landed(const page *p)
{
    for (size_t i = 0; i < p->sheet.vehicles; i++) {
        if (!vehicle(p, i)->landed)
            return false;
    }
    return true;
}

static void add_trajectory(const page *p)
{
    cli_panel_begin(p->script, &cli_sheet_map, "Trajectory");
    cli_sheet_map_axes(&p->sheet, range_of(p, CLI_ROCKET_DOWNRANGE),
                       cli_range_with(range_of(p, CLI_ROCKET_HEIGHT), 0, 0), 0.002,
                       "downrange [km]", "height above the ground [km]");
    ADD("set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead linewidth 2 linecolor rgb "
        "'" CLI_CHART_LIGHT "' back\n");
    add_ways(p, CLI_ROCKET_DOWNRANGE, CLI_ROCKET_HEIGHT, all_landed(p) ? "landing" : "end");
    ADD("unset arrow 1\n");
    cli_panel_end(p->script);
}

static void add_orbit(const page *p)
{
    const double radius = vehicle(p, 0)->radius_m / 1000;
    const cli_range x = cli_range_with(range_of(p, CLI_ORBIT_X), -radius, radius);
    const cli_range y = cli_range_with(range_of(p, CLI_ORBIT_Y), -radius, radius);
    cli_panel_begin(p->script, &cli_sheet_map, "Orbit, in its plane at the start");
    cli_sheet_map_axes(&p->sheet, x, y, 0, "towards the start [km]", "ahead [km]");
    ADD("set object 1 circle at first 0, first 0 size first %.10g fillcolor rgb '#EEF3F7' "
        "fillstyle solid border linecolor rgb '" CLI_CHART_LIGHT "' back\n",
        radius);
    add_ways(p, CLI_ORBIT_X, CLI_ORBIT_Y, "end");
    ADD("unset object 1\n");
    cli_panel_end(p->script);
}

static void add_road(const page *p)
{
    const cli_scale speed = cli_scale_of(cli_range_with(range_of(p, CLI_CAR_SPEED), 0, 1));
    cli_panel_begin(p->script, &cli_sheet_map, "Speed along the way");
    cli_axis_x(p->script, range_of(p, CLI_CAR_DISTANCE), "distance [m]", true);
    cli_axis_y(p->script, &speed, "speed [m/s]");
    add_ways(p, CLI_CAR_DISTANCE, CLI_CAR_SPEED, "end");
    cli_panel_end(p->script);
}

// --- panels over time ----------------------------------------------------------------------------

// One column of all vehicles, with 0 on its scale if asked for.
static void add_panel(page *p, const char *title, const char *label, size_t which, bool zero)
{
    cli_range seen = range_of(p, which);
    if (zero)
        seen = cli_range_with(seen, 0, 0);
    const cli_scale scale = cli_scale_of(seen);
    cli_sheet_panel_begin(&p->sheet, title, NULL);
    cli_axis_y(p->script, &scale, label);
    bool begun = true;
    for (size_t i = 0; i < p->sheet.vehicles; i++) {
        cli_curve(p->script, &begun, 0, 0, column_of(p, i, which), "lines linewidth 1.5");
        cli_sheet_colour(&p->sheet, i, p->sheet.vehicles > 1 ? vehicle(p, i)->name : NULL);
    }
    cli_sheet_panel_end(&p->sheet);
}

// Two columns of the first vehicle that share a scale, or have one each.
static void add_pair(page *p, const char *title, const char *left, const char *right, size_t a,
                     size_t b, const char *names[2])
{
    cli_range ra = cli_table_range(&p->sheet.table, column_of(p, 0, a), 0, 1);
    const cli_range rb = cli_table_range(&p->sheet.table, column_of(p, 0, b), 0, 1);
    if (!right)
        ra = cli_range_with(ra, rb.min, rb.max);
    const cli_scale scale = cli_scale_of(cli_range_with(ra, right ? 0 : -1e-3, right ? 0 : 1e-3));
    cli_sheet_panel_begin(&p->sheet, title, of_first(p));
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
    cli_sheet_panel_end(&p->sheet);
}

static void add_tanks(page *p)
{
    const cli_mover *v = vehicle(p, 0);
    const cli_range left = cli_table_range(&p->sheet.table, p->motion->tanks, 1, v->tank_count);
    const cli_scale scale = cli_scale_of((cli_range){0, left.max});
    cli_sheet_panel_begin(&p->sheet, "Fuel", of_first(p));
    cli_axis_y(p->script, &scale, "left [kg]");
    bool begun = true;
    for (size_t i = 0; i < v->tank_count; i++) {
        cli_curve(p->script, &begun, 0, 0, p->motion->tanks + i,
                  "lines linewidth 1.5 linecolor rgb '%s' title ",
                  cli_chart_colours[i % CLI_CHART_COLOURS]);
        cli_gnuplot_quote(p->script, v->tanks[i].name);
    }
    cli_sheet_panel_end(&p->sheet);
}

static void add_rocket_page(page *p)
{
    const bool speed = is_known(p, CLI_ROCKET_SPEED), mach = is_known(p, CLI_ROCKET_MACH);
    const bool air = range_of(p, CLI_ROCKET_PRESSURE).max > 0, fuel = vehicle(p, 0)->tank_count;
    p->sheet.panels = 1 + (speed || mach) + air + fuel;
    add_trajectory(p);
    add_panel(p, "Height above the ground", "height [km]", CLI_ROCKET_HEIGHT, true);
    if (speed && mach)
        add_pair(p, "Speed", "speed [m/s]", "Mach", CLI_ROCKET_SPEED, CLI_ROCKET_MACH,
                 (const char *[]){"speed", "Mach"});
    else if (speed)
        add_panel(p, "Speed", "speed [m/s]", CLI_ROCKET_SPEED, true);
    else if (mach)
        add_panel(p, "Mach number", "Mach", CLI_ROCKET_MACH, true);
    if (air)
        add_panel(p, "Dynamic pressure", "pressure [kPa]", CLI_ROCKET_PRESSURE, true);
    if (fuel)
        add_tanks(p);
}

static void add_orbit_page(page *p)
{
    const bool angles = is_known(p, CLI_ORBIT_NODE) || is_known(p, CLI_ORBIT_PERIAPSIS);
    p->sheet.panels = 3 + angles;
    add_orbit(p);
    add_panel(p, "Altitude", "altitude [km]", CLI_ORBIT_ALTITUDE, false);
    add_panel(p, "Speed", "speed [m/s]", CLI_ORBIT_SPEED, false);
    add_panel(p, "Change of energy, relative to itself", "change", CLI_ORBIT_DRIFT, true);
    if (angles)
        add_pair(p, "Change of node and periapsis", "angle [deg]", NULL, CLI_ORBIT_NODE,
                 CLI_ORBIT_PERIAPSIS, (const char *[]){"node", "periapsis"});
}

static void add_car_page(page *p)
{
    const bool height = is_known(p, CLI_CAR_HEIGHT), fuel = vehicle(p, 0)->tank_count;
    p->sheet.panels = 2 + height + fuel;
    add_road(p);
    add_panel(p, "Speed", "speed [m/s]", CLI_CAR_SPEED, true);
    add_panel(p, "Distance", "distance [m]", CLI_CAR_DISTANCE, true);
    if (height)
        add_panel(p, "Height of the road", "height [m]", CLI_CAR_HEIGHT, false);
    if (fuel)
        add_tanks(p);
}

static void add_page(page *p, bool svg, const char *name, uint64_t hash)
{
    cli_sheet_texts texts = {.title = sizeof "Height above the ground"};
    for (size_t i = 0; i < p->sheet.vehicles; i++) {
        const size_t letters = strlen(vehicle(p, i)->name);
        texts.name = letters > texts.name ? letters : texts.name;
    }
    cli_sheet_begin(&p->sheet, name, hash, &texts, svg);
    cli_lines lines = {0};
    cli_motion_lines(p->motion, vehicle(p, 0), &lines);
    cli_sheet_lines(&p->sheet, of_first(p), &lines);
    if (vehicle(p, 0)->kind == CLI_ROCKET)
        add_rocket_page(p);
    else if (vehicle(p, 0)->kind == CLI_ORBIT)
        add_orbit_page(p);
    else
        add_car_page(p);
    cli_sheet_end(&p->sheet);
}

static tac_status draw(const char *file, const cli_motion *m, const char *name, uint64_t hash,
                       size_t *vehicles, tac_error *err)
{
    tac__text script;
    tac__text_init(&script, tac_allocator_default());
    page p = {
        .script = &script,
        .motion = m,
        .vehicles = vehicles,
        .sheet = {.script = &script, .table = {m->rows.values, m->rows.count, m->rows.columns}}};
    for (size_t i = 0; i < m->count; i++) {
        if (m->movers[i].kind == m->movers[0].kind)
            vehicles[p.sheet.vehicles++] = i;
    }
    add_page(&p, cli_picture_is_svg(file), name, hash);
    const tac_status status = cli_picture_write(&script, file, err);
    tac__text_fini(&script);
    return status;
}

tac_status cli_motion_plot_write(const char *file, const cli_motion *m, const char *name,
                                 uint64_t hash, tac_error *err)
{
    if (m->rows.count == 0)
        return tac__fail(err, TAC_E_FILE, "--plot: nothing was seen of the vehicles");
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    size_t *vehicles = tac__arena_array(&arena, m->count, sizeof *vehicles);
    const tac_status status =
        vehicles ? draw(file, m, name, hash, vehicles, err) : tac__fail_memory(err);
    tac__arena_fini(&arena);
    return status;
}
