// wpl.c - missions as QGC WPL 110: a line "QGC WPL 110", then one item a line, of twelve fields
// between tabs or spaces: index, current, frame, command, parameters 1 to 4, latitude, longitude,
// altitude, autocontinue.
//
// Item 0 may be the home position instead of an item: a waypoint (16) in frame 0. Planners write it
// like this; it is where the flight was planned from, not a place to fly to.
#include "autopilot/mission.h"
#include "base/text.h"

#include <string.h>

typedef struct reader {
    const char *name;
    const char *at, *end; // of the line
    const char *start;
    uint32_t line;
    char excerpt[TAC_ERROR_NAME];
    tac_error *err;
} reader;

// --- lines --------------------------------------------------------------------------------------

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static tac_place place_at(const reader *r, const char *c)
{
    return (tac_place){r->name, r->line, (uint32_t)(c - r->start) + 1, r->excerpt};
}

#define FAIL(r, c, ...) fail_at((r), (c), TAC_E_SYNTAX, __VA_ARGS__)
#define fail_at(r, c, status, ...)                                                                 \
    tac__fail_at((r)->err, (status), &(const tac_place[]){place_at((r), (c))}[0], __VA_ARGS__)

// Begin the line at `start`; returns where the next one begins.
static const char *begin_line(reader *r, const char *start, const char *end)
{
    const char *newline = memchr(start, '\n', (size_t)(end - start));
    r->start = r->at = start;
    r->end = newline ? newline : end;
    r->line++;
    while (r->end > r->at && is_space(r->end[-1]))
        r->end--;
    tac__excerpt(start, r->end, r->excerpt);
    return newline ? newline + 1 : end;
}

static void skip_space(reader *r)
{
    while (r->at < r->end && is_space(*r->at))
        r->at++;
}

// --- fields -------------------------------------------------------------------------------------

static bool is_nan_text(const char *text)
{
    return strcmp(text, "nan") == 0 || strcmp(text, "NaN") == 0 || strcmp(text, "NAN") == 0;
}

// A decimal number, or "nan" where `open` allows to leave it open.
static tac_status read_field(reader *r, const char *what, bool open, double *value,
                             tac_place *place)
{
    skip_space(r);
    const char *start = r->at;
    *place = place_at(r, start);
    char text[64];
    size_t n = 0;
    for (; r->at < r->end && !is_space(*r->at); r->at++) {
        if (n + 1 < sizeof text)
            text[n++] = *r->at;
    }
    text[n] = '\0';
    if (n == 0)
        return FAIL(r, start, "the line ends too early: expected %s", what);
    *value = TAC__OPEN;
    if (open && is_nan_text(text))
        return TAC_OK;
    const char *end = text;
    if (strspn(text, "+-.0123456789eE") == n && n + 1 < sizeof text)
        *value = tac__number_parse(text, &end);
    if (end == text || *end != '\0' || *value - *value != 0)
        return FAIL(r, start, "expected %s as a number, found '%s'", what, text);
    return TAC_OK;
}

typedef struct column {
    const char *what;
    bool open;
    tac__mission_field field;
} column;

static const column columns[] = {
    {"the frame", false, TAC__FIELD_FRAME},      {"the command", false, TAC__FIELD_COMMAND},
    {"parameter 1", true, TAC__FIELD_PARAM},     {"parameter 2", true, TAC__FIELD_PARAM + 1},
    {"parameter 3", true, TAC__FIELD_PARAM + 2}, {"parameter 4", true, TAC__FIELD_PARAM + 3},
    {"the latitude", true, TAC__FIELD_LATITUDE}, {"the longitude", true, TAC__FIELD_LONGITUDE},
    {"the altitude", true, TAC__FIELD_ALTITUDE}, {"autocontinue", false, TAC__FIELD_CONTINUE},
};

static tac_status read_fields(reader *r, double index, tac__mission_fields *fields)
{
    double value;
    tac_place place;
    TAC_TRY(read_field(r, "the index", false, &value, &place));
    if (value != index)
        return tac__fail_at(r->err, TAC_E_SYNTAX, &place, "expected index %g, found %g", index,
                            value);
    TAC_TRY(read_field(r, "the mark of the current item", false, &value, &place));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const column *c = &columns[i];
        TAC_TRY(
            read_field(r, c->what, c->open, &fields->value[c->field], &fields->place[c->field]));
    }
    skip_space(r);
    return r->at == r->end ? TAC_OK : FAIL(r, r->at, "expected the end of the line: 12 fields");
}

// --- the file -----------------------------------------------------------------------------------

static tac_status read_header(reader *r)
{
    static const char header[] = "QGC WPL ", version[] = "110";
    const size_t n = sizeof header - 1;
    const size_t length = (size_t)(r->end - r->at);
    if (length < n || memcmp(r->at, header, n) != 0)
        return FAIL(r, r->at, "expected 'QGC WPL 110'");
    r->at += n;
    if (length != n + 3 || memcmp(r->at, version, 3) != 0)
        return FAIL(r, r->at, "expected version 110 of the format");
    return TAC_OK;
}

static bool is_home(const tac__mission_fields *fields)
{
    return fields->value[TAC__FIELD_COMMAND] == 16 && fields->value[TAC__FIELD_FRAME] == 0;
}

tac_status tac__wpl_parse(const char *name, const char *bytes, size_t size,
                          const tac__mission_rules *rules, tac__mission *mission, tac_error *err)
{
    const char *const end = bytes + size;
    reader r = {.name = name, .err = err};
    const char *next = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? bytes + 3 : bytes;
    bool header = false;
    for (double index = 0; next < end;) {
        next = begin_line(&r, next, end);
        skip_space(&r);
        if (r.at == r.end)
            continue;
        if (!header) {
            TAC_TRY(read_header(&r));
            header = true;
            continue;
        }
        tac__mission_fields fields;
        TAC_TRY(read_fields(&r, index, &fields));
        if (index > 0 || !is_home(&fields))
            TAC_TRY(tac__mission_add(mission, &fields, rules, err));
        index++;
    }
    return TAC_OK;
}
