// flight.c - the page of a flight.
#include "cli/plot/flight.h"
#include "cli/plot/picture.h"
#include "cli/plot/sheet.h"
#include "cli/report/flight.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MARKS_MAX = 64 }; // items of a mission that are marked

typedef struct page {
    tac__text *script;
    const cli_flight *flight;
    const cli_samples *samples;
    cli_sheet sheet;
    bool one; // exactly one vehicle
} page;

#define ADD(...) tac__text_add(p->script, __VA_ARGS__)

// --- vehicles over each other --------------------------------------------------------------------

static size_t column_of(size_t vehicle)
{
    return 1 + CLI_FLIGHT_COLUMNS * vehicle;
}

static cli_range range_of(const page *p, size_t offset)
{
    return cli_table_range(&p->sheet.table, column_of(0) + offset, CLI_FLIGHT_COLUMNS,
                           p->flight->count);
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
        cli_curve(p->script, first, 0, x, column_of(i) + y_offset, "lines linewidth %g",
                  p->one ? 2.0 : 1.5);
        const char *name = p->one ? "flown" : p->flight->vehicles[i].name;
        cli_sheet_colour(&p->sheet, i, p->one || over_time ? name : NULL);
    }
}

// --- the map -------------------------------------------------------------------------------------

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
    const cli_table *t = &p->sheet.table;
    size_t count = 0;
    for (size_t row = 1; row < t->rows && p->one; row++) {
        const double before = cli_table_at(t, row - 1, s->reached);
        const double now = cli_table_at(t, row, s->reached);
        if (!(now > before))
            continue;
        const bool planned = !isnan(cli_table_at(t, row, s->reference));
        const size_t column = planned ? s->reference : column_of(0);
        mark *m = mark_near(marks, &count, cli_table_at(t, row, column + CLI_NORTH),
                            cli_table_at(t, row, column + CLI_EAST));
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
    for (size_t row = 0; row < p->sheet.table.rows; row++) {
        const double dn = cli_table_at(&p->sheet.table, row, column_of(0) + CLI_NORTH) - north;
        const double de = cli_table_at(&p->sheet.table, row, column_of(0) + CLI_EAST) - east;
        least = fmin(least, dn * dn + de * de);
    }
    return least;
}

// The numbers stand at the corner of the mark that is farthest from the track.
static void add_mark_text(const page *p, double metres_px, const mark *k)
{
    const double wide = 5.0 + 5.0 * (double)strlen(k->text), high = 14.0; // half sizes, in pixels
    int best = 0;
    double most = -1;
    for (int corner = 0; corner < 4; corner++) {
        const double de = (corner & 1 ? -1 : 1) * (wide + 6) * metres_px;
        const double dn = (corner & 2 ? -1 : 1) * high * metres_px;
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
        ADD("%.8g %.8g\n", cli_table_at(&p->sheet.table, row, column_of(i) + CLI_EAST),
            cli_table_at(&p->sheet.table, row, column_of(i) + CLI_NORTH));
    ADD("END\n");
}

static size_t add_marks(const page *p, double metres_px)
{
    mark marks[MARKS_MAX];
    const size_t count = find_marks(p, marks);
    ADD("$items << END\n");
    for (size_t i = 0; i < count; i++)
        ADD("%.8g %.8g\n", marks[i].east, marks[i].north);
    ADD("END\n");
    for (size_t i = 0; i < count; i++)
        add_mark_text(p, metres_px, &marks[i]);
    return count;
}

static void add_map(const page *p)
{
    const cli_samples *s = p->samples;
    const cli_fleet sum = cli_flight_sum(p->flight, p->flight->vehicles, p->flight->count);
    char title[64] = "Ground track";
    if (!p->one)
        snprintf(title, sizeof title, "Ground tracks of %zu vehicles", p->flight->count);
    cli_panel_begin(p->script, &cli_sheet_map, title);
    const double metres_px = cli_sheet_map_axes(&p->sheet, range_of(p, CLI_EAST),
                                                range_of(p, CLI_NORTH), 2, "east [m]", "north [m]");
    add_points(p, "start", 0);
    add_points(p, "end", p->sheet.table.rows - 1);
    const size_t marks = add_marks(p, metres_px);
    if (marks)
        ADD("set key width room-0.7 samplen 1\n"); // five entries just fit
    bool first = true;
    add_reference(p, &first, s->reference + CLI_EAST, s->reference + CLI_NORTH);
    add_vehicles(p, &first, CLI_EAST, false, CLI_NORTH);
    const double size = p->sheet.crowd ? 1.2 : 2.0;
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

// With several vehicles, the title of a panel that shows one of them names it.
static void begin_first(page *p, const char *title)
{
    cli_sheet_panel_begin(&p->sheet, title, p->one ? NULL : p->flight->vehicles->name);
}

static void add_altitude(page *p)
{
    const cli_scale scale = cli_scale_of(cli_range_with(range_of(p, CLI_ALTITUDE), 0, 1));
    cli_sheet_panel_begin(&p->sheet, p->one ? "Altitude above the ground" : "Altitude", NULL);
    cli_axis_y(p->script, &scale, "altitude [m]");
    bool first = true;
    add_reference(p, &first, 0, p->samples->reference + CLI_ALTITUDE);
    add_vehicles(p, &first, 0, true, CLI_ALTITUDE);
    cli_sheet_panel_end(&p->sheet);
}

static void add_speed(page *p)
{
    const cli_scale scale = cli_scale_of(cli_range_with(range_of(p, CLI_SPEED), 0, 1));
    cli_sheet_panel_begin(&p->sheet, "Speed", NULL);
    cli_axis_y(p->script, &scale, "speed [m/s]");
    bool first = true;
    add_vehicles(p, &first, 0, true, CLI_SPEED);
    cli_sheet_panel_end(&p->sheet);
}

static void add_attitude(page *p)
{
    const size_t column = p->samples->angles;
    const cli_scale tilt =
        cli_scale_of(cli_range_with(cli_table_range(&p->sheet.table, column, 1, 2), -2, 2));
    const cli_scale yaw = cli_scale_in(
        cli_range_with(cli_table_range(&p->sheet.table, column + 2, 1, 1), -5, 5), tilt.steps);
    begin_first(p, "Attitude");
    cli_axis_y(p->script, &tilt, "roll, pitch [deg]");
    cli_axis_right(p->script, &yaw, "yaw [deg]", cli_chart_colours[2]);
    bool first = true;
    cli_curve(p->script, &first, 0, 0, column,
              "lines linewidth 1.2 linecolor rgb '%s' title 'roll'", cli_chart_colours[0]);
    cli_curve(p->script, &first, 0, 0, column + 1,
              "lines linewidth 1.2 linecolor rgb '%s' title 'pitch'", cli_chart_colours[1]);
    cli_curve(p->script, &first, 0, 0, column + 2,
              "lines axes x1y2 linewidth 1.4 linecolor rgb '%s' title 'yaw'", cli_chart_colours[2]);
    cli_sheet_panel_end(&p->sheet);
}

static void add_motors(page *p)
{
    const cli_samples *s = p->samples;
    const cli_range seen = cli_table_range(&p->sheet.table, s->motors, 1, s->motor_count);
    const cli_scale scale =
        cli_scale_of(s->speeds ? cli_range_with(seen, 0, 1) : (cli_range){0, 1});
    begin_first(p, s->speeds ? "Rotor speeds" : "Motor commands");
    cli_axis_y(p->script, &scale, s->speeds ? "speed [rad/s]" : "duty");
    bool first = true;
    for (size_t i = 0; i < s->motor_count; i++)
        cli_curve(p->script, &first, 0, 0, s->motors + i,
                  "lines linewidth 1 linecolor rgb '%s' title '%s%zu'",
                  cli_chart_colours[i % CLI_CHART_COLOURS],
                  p->one && s->motor_count <= 4 ? "motor " : "", i + 1);
    cli_sheet_panel_end(&p->sheet);
}

static void add_battery(page *p)
{
    const cli_samples *s = p->samples;
    const size_t count = p->flight->vehicles->batteries;
    const cli_range left = cli_table_range(&p->sheet.table, s->soc, 1, count);
    const cli_range volts = cli_table_range(&p->sheet.table, s->voltage, 1, count);
    const cli_scale charge = cli_scale_of(cli_range_with(left, left.max - 1, left.max));
    const cli_scale voltage =
        cli_scale_in(cli_range_with(volts, volts.max - 0.5, volts.max), charge.steps);
    begin_first(p, "Battery");
    cli_axis_y(p->script, &charge, "charge [%]");
    const bool measured = p->flight->vehicles->signals[TAC_ROLE_VOLTAGE].index >= 0;
    if (measured)
        cli_axis_right(p->script, &voltage, "voltage [V]", cli_chart_colours[1]);
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        char number[24] = "";
        if (count > 1)
            snprintf(number, sizeof number, " %zu", i + 1);
        cli_curve(p->script, &first, 0, 0, s->soc + i,
                  "lines linewidth 2 dashtype %zu linecolor rgb '%s' title 'charge%s'", 1 + i % 4,
                  cli_chart_colours[0], number);
        if (measured)
            cli_curve(
                p->script, &first, 0, 0, s->voltage + i,
                "lines axes x1y2 linewidth 1.1 dashtype %zu linecolor rgb '%s' title 'voltage%s'",
                1 + i % 4, cli_chart_colours[1], number);
    }
    cli_sheet_panel_end(&p->sheet);
}

static void add_page(page *p, bool svg, const char *name, uint64_t hash)
{
    const cli_vehicle *first = p->flight->vehicles;
    const bool attitude = first->signals[TAC_ROLE_ATTITUDE].index >= 0;
    const bool motors = p->samples->motor_count, battery = first->batteries;
    const bool speed = !attitude || !motors || !battery; // where there is room
    p->sheet.panels = 1 + speed + attitude + motors + battery;
    cli_sheet_texts texts = {.title = sizeof "Altitude"};
    for (size_t i = 0; i < p->flight->count; i++) {
        const size_t letters = strlen(p->flight->vehicles[i].name);
        texts.name = letters > texts.name ? letters : texts.name;
    }
    cli_sheet_begin(&p->sheet, name, hash, &texts, svg);
    cli_lines lines = {0};
    cli_flight_lines(p->flight, &lines);
    cli_sheet_lines(&p->sheet, NULL, &lines);
    add_map(p);
    add_altitude(p);
    if (speed)
        add_speed(p);
    if (attitude)
        add_attitude(p);
    if (motors)
        add_motors(p);
    if (battery)
        add_battery(p);
    cli_sheet_end(&p->sheet);
}

// --- the file ------------------------------------------------------------------------------------

tac_status cli_flight_plot_write(const char *file, const cli_flight *f, const char *name,
                                 uint64_t hash, tac_error *err)
{
    const cli_samples *s = &f->samples;
    if (s->rows.count == 0)
        return tac__fail(err, TAC_E_FILE, "--plot: nothing was seen of the flight");
    tac__text script;
    tac__text_init(&script, tac_allocator_default());
    page p = {
        .script = &script,
        .flight = f,
        .samples = s,
        .sheet = {.script = &script,
                  .table = {s->rows.values, s->rows.count, s->rows.columns},
                  .vehicles = f->count},
        .one = f->count == 1,
    };
    add_page(&p, cli_picture_is_svg(file), name, hash);
    const tac_status status = cli_picture_write(&script, file, err);
    tac__text_fini(&script);
    return status;
}
