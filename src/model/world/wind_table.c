// wind_table.c - reading and looking up tables of wind.
#include "model/world/wind_table.h"
#include "base/file.h"
#include "base/text.h"
#include "math/spline.h"
#include "model/builtin.h"

#include <string.h>
#include <tactus/memory.h>

enum { ROWS_MAX = 1024, FILE_MAX = 1 << 28 };

static const char *const interpolations[] = {"linear", "hold", "spline", NULL}; // as the enum

// --- building -----------------------------------------------------------------------------------

static bool grow(tac__wind_table *t)
{
    if (t->count < t->capacity)
        return true;
    const tac_allocator *a = tac_allocator_default();
    const size_t capacity = t->capacity ? 2 * t->capacity : 64;
    tac__wind_row *rows =
        a->resize(a->context, t->rows, t->capacity * sizeof *rows, capacity * sizeof *rows);
    if (!rows)
        return false;
    t->rows = rows;
    t->capacity = capacity;
    return true;
}

static size_t columns_size(const tac__wind_table *t)
{
    const size_t columns =
        t->interpolation == TAC__WIND_SPLINE ? TAC__WIND_COLUMNS : TAC__WIND_COLUMN_BEND;
    return columns * (t->count + 1) * sizeof(double);
}

void tac__wind_table_fini(tac__wind_table *t)
{
    const tac_allocator *a = tac_allocator_default();
    if (t->columns)
        a->resize(a->context, t->columns, columns_size(t), 0);
    if (t->rows)
        a->resize(a->context, t->rows, t->capacity * sizeof *t->rows, 0);
    *t = (tac__wind_table){0};
}

// NULL, or a text that says what is wrong with the row.
static const char *add_row(tac__wind_table *t, double t_s, const double velocity[3])
{
    tac__wind_row row = {.velocity = {velocity[0], velocity[1], velocity[2]}};
    if (!(t_s >= 0) || !tac__whole_microseconds(t_s, &row.t_us))
        return "times must be whole microseconds from 0 on";
    if (t->count && row.t_us <= t->rows[t->count - 1].t_us)
        return "times must ascend";
    for (int i = 0; i < 3; i++) {
        if (!(velocity[i] - velocity[i] == 0))
            return "velocities must be finite";
    }
    if (!grow(t))
        return "out of memory";
    t->rows[t->count++] = row;
    return NULL;
}

// The last row is its own successor.
static tac_status make_columns(tac__wind_table *t)
{
    const tac_allocator *a = tac_allocator_default();
    t->columns = a->resize(a->context, NULL, 0, columns_size(t));
    if (!t->columns)
        return TAC_E_MEMORY;
    for (size_t k = 0; k <= t->count; k++) {
        const size_t last = t->count - 1;
        const tac__wind_row *row = &t->rows[k < last ? k : last];
        const tac__wind_row *next = &t->rows[k + 1 < last ? k + 1 : last];
        double *column = t->columns + k;
        const size_t stride = t->count + 1;
        column[TAC__WIND_COLUMN_TIME * stride] = (double)row->t_us;
        column[TAC__WIND_COLUMN_NEXT_TIME * stride] = (double)next->t_us;
        for (size_t i = 0; i < 3; i++) {
            column[(TAC__WIND_COLUMN_VELOCITY + i) * stride] = row->velocity[i];
            column[(TAC__WIND_COLUMN_NEXT_VELOCITY + i) * stride] = next->velocity[i];
        }
    }
    return TAC_OK;
}

// With the columns made. The coefficients do not depend on the unit of the times.
static tac_status make_bends(tac_declare *d, tac__wind_table *t)
{
    if (t->count < TAC__SPLINE_POINTS_MIN)
        return tac_declare_fail(d, "times", "a spline needs at least %d rows, found %zu",
                                TAC__SPLINE_POINTS_MIN, t->count);
    const int count = (int)t->count;
    const size_t stride = t->count + 1;
    const double *times = tac__wind_column(t, TAC__WIND_COLUMN_TIME);
    for (int i = 0; i < 3; i++) {
        double *bend = t->columns + (size_t)(TAC__WIND_COLUMN_BEND + 2 * i) * stride;
        const double *velocity = tac__wind_column(t, TAC__WIND_COLUMN_VELOCITY + i);
        if (!tac__spline_bend(count, times, velocity, bend))
            return tac_declare_fail(d, "times", "the spline through the velocities overflows");
        // From two columns without to two with a number more than there are rows.
        memmove(bend + stride, bend + count, t->count * sizeof *bend);
        bend[count] = bend[stride + t->count] = 0;
    }
    return TAC_OK;
}

// --- from the configuration ---------------------------------------------------------------------

static tac_status read_lists(tac_declare *d, tac__wind_table *t)
{
    static const char *const names[] = {"north", "east", "down"};
    size_t count, counts[3];
    const double *times = tac_param_list(d,
                                         TAC_PARAM(.name = "times", .unit = "s", .fallback = "[]",
                                                   .range = "[0, inf)", .doc = "table: ascending"),
                                         ROWS_MAX, &count);
    const double *values[3];
    for (int i = 0; i < 3; i++)
        values[i] = tac_param_list(d,
                                   TAC_PARAM(.name = names[i], .unit = "m/s", .fallback = "[]",
                                             .doc = "table: velocity at each of the times; "
                                                    "none: 0"),
                                   ROWS_MAX, &counts[i]);
    for (int i = 0; i < 3; i++) {
        if (counts[i] && counts[i] != count)
            return tac_declare_fail(d, names[i], "%zu times, but %zu velocities", count, counts[i]);
    }
    for (size_t k = 0; k < count; k++) {
        double velocity[3];
        for (int i = 0; i < 3; i++)
            velocity[i] = counts[i] ? values[i][k] : 0;
        const char *wrong = add_row(t, times[k], velocity);
        if (wrong)
            return tac_declare_fail(d, "times", "%s", wrong);
    }
    return TAC_OK;
}

// --- from a file --------------------------------------------------------------------------------

// Four numbers with commas or blanks between them, and nothing after them.
static bool parse_line(const char *line, double values[4])
{
    for (int i = 0; i < 4; i++) {
        const char *end;
        values[i] = tac__number_parse(line, &end);
        if (end == line)
            return false;
        line = end + strspn(end, " \t");
        if (i < 3 && *line == ',')
            line++;
    }
    return *line == '\0';
}

// Lines that begin with a letter or '#' are headings or comments.
static bool is_row(const char *line)
{
    line += strspn(line, " \t");
    return *line && (strchr("+-.", *line) || (*line >= '0' && *line <= '9'));
}

static tac_status parse_file(tac_declare *d, const char *path, char *text, tac__wind_table *t)
{
    size_t number = 1;
    for (char *line = text, *next; line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        if (!is_row(line))
            continue;
        double v[4];
        const char *wrong = parse_line(line, v) ? add_row(t, v[0], v + 1)
                                                : "expected four numbers: t, north, east, down";
        if (wrong)
            return tac_declare_fail(d, "file", "%s:%zu: %s", path, number, wrong);
    }
    return TAC_OK;
}

static tac_status read_file(tac_declare *d, const char *path, tac__wind_table *t)
{
    const tac_allocator *allocator = tac_allocator_default();
    char *text;
    size_t size;
    tac_error err;
    if (tac__file_read(path, FILE_MAX, allocator, &text, &size, &err) != TAC_OK)
        return tac_declare_fail(d, "file", "%s", err.text);
    const tac_status status = parse_file(d, path, text, t);
    tac__file_free(allocator, text, size);
    return status;
}

tac_status tac__wind_table_declare(tac_declare *d, bool wanted, tac__wind_table *t)
{
    const char *path =
        tac_param_path(d, TAC_PARAM(.name = "file", .fallback = "",
                                    .doc = "table: CSV of t [s], north, east, down [m/s]"));
    t->interpolation = (tac__wind_interpolation)tac_param_choice(
        d,
        TAC_PARAM(.name = "interpolation", .fallback = "linear", .doc = "table: between its times"),
        interpolations);
    TAC_TRY(read_lists(d, t));
    if (!wanted)
        return TAC_OK;
    if (*path && t->count)
        return tac_declare_fail(d, "file", "there are both a file and times");
    if (*path)
        TAC_TRY(read_file(d, path, t));
    if (!t->count)
        return tac_declare_fail(d, "times", "kind is table, but the table is empty");
    TAC_TRY(make_columns(t));
    return t->interpolation == TAC__WIND_SPLINE ? make_bends(d, t) : TAC_OK;
}

bool tac__wind_table_same(const tac__wind_table *a, const tac__wind_table *b)
{
    bool same = a->count == b->count && a->interpolation == b->interpolation;
    for (size_t i = 0; same && i < a->count; i++) {
        const tac__wind_row *r = &a->rows[i], *s = &b->rows[i];
        same = r->t_us == s->t_us && !memcmp(r->velocity, s->velocity, sizeof r->velocity);
    }
    return same;
}

// --- looking up ---------------------------------------------------------------------------------

// The last row at or before `t_us`; the first if there is none.
static size_t find_row(const tac__wind_table *t, tac_time t_us)
{
    size_t low = 0, high = t->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (t->rows[middle].t_us <= t_us)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void tac__wind_table_at(const tac__wind_table *t, tac_time t_us, double velocity[3])
{
    const size_t k = find_row(t, t_us);
    const tac__wind_row *a = &t->rows[k], *b = a + (k + 1 < t->count);
    double part = 0;
    if (t->interpolation != TAC__WIND_HOLD && t_us > a->t_us && b != a)
        part = (double)(t_us - a->t_us) / (double)(b->t_us - a->t_us);
    for (int i = 0; i < 3; i++)
        velocity[i] = a->velocity[i] + part * (b->velocity[i] - a->velocity[i]);
    if (t->interpolation != TAC__WIND_SPLINE)
        return;
    for (int i = 0; i < 3; i++) {
        const double *bend = tac__wind_column(t, TAC__WIND_COLUMN_BEND + 2 * i);
        velocity[i] -= part * (1 - part) * (bend[k] + bend[t->count + 1 + k] * part);
    }
}
