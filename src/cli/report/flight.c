// flight.c - the flights of the vehicles: lines, a table, JSON.
#include "cli/report/flight.h"
#include "base/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// --- lines ---------------------------------------------------------------------------------------

static void add_duration(tac__out *out, tac_time t_us)
{
    const double s = tac_time_seconds(t_us);
    if (s < 119.95)
        tac__out_add(out, "%.1f s", s);
    else
        tac__out_add(out, "%.0f min %02.0f s", floor(round(s) / 60), fmod(round(s), 60));
}

static void route_line(cli_lines *lines, const cli_fleet *sum, const char *longest)
{
    tac__out out = cli_lines_add(lines, "route");
    if (sum->controlled)
        tac__out_add(&out, "%" PRId64 " of %" PRId64 " items, ", sum->reached, sum->total);
    cli_add_metres(&out, sum->distance_m);
    tac__out_add(&out, " in %s", longest);
    add_duration(&out, sum->flight_us);
}

static void altitude_line(cli_lines *lines, const cli_fleet *sum)
{
    tac__out out = cli_lines_add(lines, "altitude");
    tac__out_add(&out, "up to ");
    cli_add_metres(&out, sum->max_altitude_m);
    tac__out_add(&out, " above the ground");
}

static void battery_line(cli_lines *lines, const cli_vehicle *v)
{
    tac__out out = cli_lines_add(lines, "battery");
    for (size_t i = 0; i < v->batteries; i++)
        tac__out_add(&out, "%s%.1f %% used, %.1f %% left at %.2f V", i ? "; " : "",
                     100 * (v->start_soc[i] - v->soc[i]), 100 * v->soc[i], v->voltage_v[i]);
}

static void batteries_line(cli_lines *lines, const cli_fleet *sum)
{
    tac__out out = cli_lines_add(lines, "battery");
    tac__out_add(&out, "%.1f to %.1f %% used, %.1f %% left in the lowest", 100 * sum->used_min,
                 100 * sum->used_max, 100 * sum->soc);
}

static void crash_line(cli_lines *lines, const cli_vehicle *v)
{
    tac__out out = cli_lines_add(lines, "crashed");
    if (v->touched) {
        char when[TAC_TIME_TEXT];
        tac_time_print(v->impact_us, when);
        tac__out_add(&out, "at %s with %.1f m/s, tilt %.0f deg; ", when, v->impact_m_s,
                     v->impact_deg);
    }
    tac__out_add(&out, "%s with a tilt of %.0f deg",
                 v->airborne && v->smashed ? "in the air at the end" : "on the ground",
                 v->tilt_deg);
    if (v->armed)
        tac__out_add(&out, ", still armed");
}

// The first of them by name.
static void crashes_line(cli_lines *lines, const cli_flight *f, size_t crashed)
{
    tac__out out = cli_lines_add(lines, "crashed");
    tac__out_add(&out, "%zu of %zu:", crashed, f->count);
    size_t named = 0;
    for (size_t i = 0; i < f->count && named < 4; i++) {
        if (f->vehicles[i].crashed)
            tac__out_add(&out, "%s %.24s", named++ ? "," : "", f->vehicles[i].name);
    }
    if (crashed > named)
        tac__out_add(&out, " and %zu more", crashed - named);
}

static void add_landing(tac__out *out, const cli_flight *f, const cli_vehicle *v)
{
    const double *from = cli_landing_from(f, v);
    const double touchdown = cli_touchdown_m_s(v);
    if (touchdown > CLI_HARD_LANDING_M_S)
        tac__out_add(out, "hard, ");
    if (from) {
        cli_add_metres(out, cli_landing_error_m(f, v));
        tac__out_add(out, " from %s", from == v->landing_m ? "the landing point" : "the start");
    } else {
        tac__out_add(out, "on the ground");
    }
    if (!isnan(touchdown))
        tac__out_add(out, ", touchdown with %.1f m/s", touchdown);
}

static void landing_line(cli_lines *lines, const cli_flight *f, const cli_vehicle *v)
{
    tac__out out = cli_lines_add(lines, "landing");
    if (v->flight_us == 0) {
        tac__out_add(&out, "never left the ground");
    } else if (v->landed) {
        add_landing(&out, f, v);
    } else {
        tac__out_add(&out, "none: ");
        cli_add_metres(&out, cli_altitude_m(f, v));
        tac__out_add(&out, " above the ground at the end");
    }
    if (v->armed)
        tac__out_add(&out, ", still armed");
}

// Of vehicles of which no landing can be known.
static void end_lines(cli_lines *lines, const cli_flight *f)
{
    double most = (double)NAN;
    for (size_t i = 0; i < f->count; i++)
        most = fmax(most, f->vehicles[i].max_speed_m_s);
    tac__out out = cli_lines_add(lines, "speed");
    tac__out_add(&out, "up to %.2f m/s", most);
    if (f->count > 1)
        return;
    const cli_vehicle *v = f->vehicles;
    tac__out_add(&out, ", %.2f m/s at the end", v->speed_m_s);
    out = cli_lines_add(lines, "at the end");
    cli_add_metres(&out, v->position_m[0]);
    tac__out_add(&out, " north, ");
    cli_add_metres(&out, v->position_m[1]);
    tac__out_add(&out, " east, ");
    cli_add_metres(&out, cli_altitude_m(f, v));
    tac__out_add(&out, " above the ground");
}

static void landings_line(cli_lines *lines, const cli_fleet *sum)
{
    tac__out out = cli_lines_add(lines, "landing");
    if (sum->landed == sum->count)
        tac__out_add(&out, "all");
    else
        tac__out_add(&out, "%zu of %zu", sum->landed, sum->count);
    if (!isnan(sum->landing_error_m)) {
        tac__out_add(&out, ", ");
        cli_add_metres(&out, sum->landing_error_m);
        tac__out_add(&out, " from %s at most",
                     sum->landing_point ? "the landing point" : "landing point or start");
    }
    if (sum->hard)
        tac__out_add(&out, "; %zu hard, touchdown with up to %.1f m/s", sum->hard,
                     sum->touchdown_m_s);
}

static bool any_tells_ground(const cli_flight *f)
{
    for (size_t i = 0; i < f->count; i++) {
        if (cli_tells_ground(&f->vehicles[i]))
            return true;
    }
    return false;
}

void cli_flight_lines(const cli_flight *f, cli_lines *lines)
{
    if (f->count == 0)
        return;
    const cli_fleet sum = cli_flight_sum(f, f->vehicles, f->count);
    const bool one = f->count == 1;
    if (!one) {
        tac__out out = cli_lines_add(lines, "vehicles");
        tac__out_add(&out, "%zu", f->count);
    }
    route_line(lines, &sum, one ? "" : "all, the longest ");
    altitude_line(lines, &sum);
    if (one && f->vehicles->batteries > 0 && f->vehicles->batteries <= 2)
        battery_line(lines, f->vehicles);
    else if (!isnan(sum.soc))
        batteries_line(lines, &sum);
    if (!one && sum.crashed)
        crashes_line(lines, f, sum.crashed);
    if (!any_tells_ground(f))
        end_lines(lines, f);
    else if (!one)
        landings_line(lines, &sum);
    else if (sum.crashed)
        crash_line(lines, f->vehicles);
    else
        landing_line(lines, f, f->vehicles);
}

// --- table ---------------------------------------------------------------------------------------

enum { TABLE_LINES = 24 };

static int name_width(const cli_flight *f, size_t shown)
{
    size_t widest = strlen("vehicle");
    for (size_t i = 0; i < shown; i++) {
        const size_t length = strlen(f->vehicles[i].name);
        widest = length > widest ? length : widest;
    }
    return (int)widest;
}

static void table_row(const cli_flight *f, const cli_vehicle *v, int width, tac__text *out)
{
    const cli_fleet sum = cli_flight_sum(f, v, 1);
    char items[48] = "-", left[32] = "-", landing[32];
    if (v->control)
        snprintf(items, sizeof items, "%" PRId64 "/%" PRId64, v->reached, v->total);
    if (v->batteries)
        tac__print(left, sizeof left, "%.1f %%", 100 * sum.soc);
    if (!sum.hard && !isnan(sum.landing_error_m))
        tac__print(landing, sizeof landing, "%.2f m", sum.landing_error_m);
    else
        snprintf(landing, sizeof landing, "%s",
                 v->crashed            ? "crashed"
                 : sum.hard            ? "hard"
                 : v->landed           ? "on ground"
                 : cli_tells_ground(v) ? "none"
                                       : "-");
    tac__text_add(out, "  %-*s  %7s  %8.1f m  %6.1f s  %7.1f m  %8s  %9s\n", width, v->name, items,
                  v->distance_m, tac_time_seconds(v->flight_us), v->max_altitude_m, left, landing);
}

void cli_flight_table(const cli_flight *f, tac__text *out)
{
    if (f->count < 2)
        return;
    const size_t shown = f->count <= TABLE_LINES ? f->count : TABLE_LINES - 1;
    const int width = name_width(f, shown);
    tac__text_add(out, "\n  %-*s  %7s  %10s  %8s  %9s  %8s  %9s\n", width, "vehicle", "items",
                  "distance", "flight", "altitude", "battery", "landing");
    for (size_t i = 0; i < shown; i++)
        table_row(f, &f->vehicles[i], width, out);
    if (shown < f->count)
        tac__text_add(out, "  and %zu more; --json has them all\n", f->count - shown);
    tac__text_add(out, "\n");
}

// --- JSON ----------------------------------------------------------------------------------------

static void key_i64(tac__json *json, const char *key, int64_t value)
{
    tac__json_key(json, key);
    tac__json_i64(json, value);
}

// Values that do not exist (the landing error of a flight without a landing) are null.
static void json_sum(const cli_fleet *sum, tac__json *json)
{
    if (sum->controlled) {
        key_i64(json, "mission_reached", sum->reached);
        key_i64(json, "mission_total", sum->total);
    }
    tac__json_key_bool(json, "landed", sum->landed == sum->count);
    tac__json_key_bool(json, "crashed", sum->crashed > 0);
    tac__json_key_bool(json, "hard_landing", sum->hard > 0);
    tac__json_key_number(json, "max_altitude_m", sum->max_altitude_m);
    tac__json_key_number(json, "landing_error_m", sum->landing_error_m);
    tac__json_key_number(json, "battery_soc", sum->soc);
}

static void json_batteries(const cli_vehicle *v, tac__json *json)
{
    tac__json_key(json, "batteries");
    tac__json_compact(json);
    tac__json_array_begin(json);
    for (size_t i = 0; i < v->batteries; i++) {
        tac__json_object_begin(json);
        tac__json_key_number(json, "soc", v->soc[i]);
        tac__json_key_number(json, "used", v->start_soc[i] - v->soc[i]);
        tac__json_key_number(json, "voltage_v", v->voltage_v[i]);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void json_position(const cli_vehicle *v, tac__json *json)
{
    tac__json_key(json, "position");
    tac__json_compact(json);
    tac__json_array_begin(json);
    for (int i = 0; i < 3; i++)
        tac__json_number(json, v->position_m[i]);
    tac__json_array_end(json);
}

// Where the impact was not seen (tipped over on the ground, or before a checkpoint), it is null.
static void json_crash(const cli_vehicle *v, tac__json *json)
{
    if (!v->crashed)
        return;
    tac__json_key(json, "crash");
    tac__json_compact(json);
    tac__json_object_begin(json);
    tac__json_key(json, "t_us");
    if (v->touched)
        tac__json_u64(json, v->impact_us);
    else
        tac__json_text(json, NULL);
    tac__json_key_number(json, "impact_speed_m_s", v->touched ? v->impact_m_s : (double)NAN);
    tac__json_key_number(json, "impact_tilt_deg", v->touched ? v->impact_deg : (double)NAN);
    tac__json_key_number(json, "tilt_deg", v->tilt_deg);
    tac__json_object_end(json);
}

static void json_vehicle(const cli_flight *f, const cli_vehicle *v, tac__json *json)
{
    const cli_fleet sum = cli_flight_sum(f, v, 1);
    tac__json_object_begin(json);
    tac__json_key_text(json, "name", v->name);
    json_sum(&sum, json);
    const double *from = cli_landing_from(f, v);
    tac__json_key_text(json, "landing_from",
                       !from                  ? NULL
                       : from == v->landing_m ? "mission"
                                              : "start");
    json_crash(v, json);
    tac__json_key_bool(json, "armed", v->armed);
    json_position(v, json);
    tac__json_key_number(json, "speed_m_s", v->speed_m_s);
    tac__json_key_number(json, "max_speed_m_s", v->max_speed_m_s);
    tac__json_key_number(json, "touchdown_speed_m_s", cli_touchdown_m_s(v));
    tac__json_key_number(json, "flight_time_s", tac_time_seconds(v->flight_us));
    tac__json_key_number(json, "distance_m", v->distance_m);
    tac__json_key_number(json, "battery_voltage_v", sum.voltage_v);
    json_batteries(v, json);
    tac__json_object_end(json);
}

void cli_flight_json(const cli_flight *f, tac__json *json)
{
    if (f->count == 0)
        return;
    const cli_fleet sum = cli_flight_sum(f, f->vehicles, f->count);
    json_sum(&sum, json);
    tac__json_key(json, "vehicles");
    tac__json_array_begin(json);
    for (size_t i = 0; i < f->count; i++)
        json_vehicle(f, &f->vehicles[i], json);
    tac__json_array_end(json);
}
