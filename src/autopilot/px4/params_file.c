// params_file.c - see params_file.h.
#include "autopilot/px4/params_file.h"
#include "base/error.h"
#include "base/file.h"
#include "base/names.h"
#include "base/text.h"

#include <string.h>

// MAVLink's numbers of types. PX4 has no others.
enum { TYPE_INT32 = 6, TYPE_REAL32 = 9 };

// PX4 itself, beside a gimbal or a camera.
enum { AUTOPILOT = 1 };

enum { FIELDS = 5 };
enum { VEHICLE, COMPONENT, NAME, VALUE, TYPE };

typedef struct field {
    char text[64];
    uint32_t column;
} field;

typedef struct reader {
    tac__arena *arena;
    tac__px4_file_params *params;
    tac__names names;
    uint32_t line;
    double vehicle; // vehicle id in the first row
    char excerpt[TAC_ERROR_NAME];
    tac_error *err;
} reader;

#define FAIL(r, status, at, ...)                                                                   \
    tac__fail_at((r)->err, (status),                                                               \
                 &(const tac_place){(r)->params->path, (r)->line, (at), (r)->excerpt},             \
                 __VA_ARGS__)

// --- a row --------------------------------------------------------------------------------------

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static tac_status split(reader *r, const char *row, const char *end, field fields[FIELDS])
{
    static const char *const names[FIELDS] = {"the vehicle", "the component", "the name",
                                              "the value", "the type"};
    const char *at = row;
    for (int i = 0; i <= FIELDS; i++) {
        while (at < end && is_space(*at))
            at++;
        const uint32_t column = (uint32_t)(at - row) + 1;
        if (i == FIELDS)
            return at == end
                       ? TAC_OK
                       : FAIL(r, TAC_E_SYNTAX, column, "expected the end of the line: 5 fields");
        field *f = &fields[i];
        size_t n = 0;
        f->column = column;
        for (; at < end && !is_space(*at); at++, n++) {
            if (n + 1 < sizeof f->text)
                f->text[n] = *at;
        }
        if (n == 0)
            return FAIL(r, TAC_E_SYNTAX, column, "the line ends too early: expected %s", names[i]);
        if (n >= sizeof f->text)
            return FAIL(r, TAC_E_SYNTAX, column, "%s is too long", names[i]);
        f->text[n] = '\0';
    }
    return TAC_OK;
}

static tac_status read_number(reader *r, const field *f, const char *what, double *value)
{
    const char *end = f->text;
    if (strspn(f->text, "+-.0123456789eE") == strlen(f->text))
        *value = tac__number_parse(f->text, &end);
    if (end == f->text || *end || *value - *value != 0)
        return FAIL(r, TAC_E_SYNTAX, f->column, "expected %s as a number, found '%s'", what,
                    f->text);
    return TAC_OK;
}

static tac_status check_name(reader *r, const field *f)
{
    const size_t n = strlen(f->text);
    bool good = n < TAC__PX4_PARAM_NAME && tac__is_letter(f->text[0]);
    for (const char *c = f->text; *c; c++)
        good &= tac__is_alnum(*c) || *c == '_';
    if (!good)
        return FAIL(r, TAC_E_SYNTAX, f->column, "'%s' is no name of a parameter", f->text);
    const int known = tac__names_find(&r->names, f->text);
    if (known >= 0)
        return FAIL(r, TAC_E_DUPLICATE, f->column, "parameter '%s' is in line %u, too", f->text,
                    r->params->items[known].line);
    return TAC_OK;
}

static tac_status check_sender(reader *r, const field fields[FIELDS])
{
    double vehicle, component;
    TAC_TRY(read_number(r, &fields[VEHICLE], "the vehicle", &vehicle));
    TAC_TRY(read_number(r, &fields[COMPONENT], "the component", &component));
    if (r->params->count == 0)
        r->vehicle = vehicle;
    if (vehicle != r->vehicle)
        return FAIL(r, TAC_E_CONFIG, fields[VEHICLE].column,
                    "parameters of vehicle %g after those of vehicle %g: expected one vehicle",
                    vehicle, r->vehicle);
    if (component != AUTOPILOT)
        return FAIL(r, TAC_E_CONFIG, fields[COMPONENT].column,
                    "parameter of component %g: expected %d, the autopilot", component, AUTOPILOT);
    return TAC_OK;
}

static tac_status read_value(reader *r, const field fields[FIELDS], tac__px4_file_param *param)
{
    double type;
    TAC_TRY(read_number(r, &fields[VALUE], "the value", &param->value));
    TAC_TRY(read_number(r, &fields[TYPE], "the type", &type));
    if (type != TYPE_INT32 && type != TYPE_REAL32)
        return FAIL(r, TAC_E_TYPE, fields[TYPE].column,
                    "type %g is none of PX4's: expected %d (INT32) or %d (REAL32)", type,
                    TYPE_INT32, TYPE_REAL32);
    param->whole = type == TYPE_INT32;
    const bool fits = param->value >= INT32_MIN && param->value <= INT32_MAX &&
                      param->value == (double)(int32_t)param->value;
    if (param->whole && !fits)
        return FAIL(r, TAC_E_TYPE, fields[VALUE].column,
                    "'%s' is a whole number by its type, and its value is %s", param->name,
                    fields[VALUE].text);
    return TAC_OK;
}

static tac_status read_row(reader *r, const char *row, const char *end)
{
    field fields[FIELDS];
    tac__excerpt(row, end, r->excerpt);
    TAC_TRY(split(r, row, end, fields));
    TAC_TRY(check_sender(r, fields));
    TAC_TRY(check_name(r, &fields[NAME]));
    tac__px4_file_params *p = r->params;
    if (p->count == TAC__PX4_FILE_PARAMS_MAX)
        return FAIL(r, TAC_E_LIMIT, 1, "more than %d parameters", TAC__PX4_FILE_PARAMS_MAX);
    tac__px4_file_param param = {.name = tac__arena_text(r->arena, fields[NAME].text),
                                 .line = r->line,
                                 .column = fields[NAME].column};
    if (!param.name)
        return tac__fail_memory(r->err);
    TAC_TRY(read_value(r, fields, &param));
    if (!TAC__ARENA_GROW(r->arena, p->items, p->count, p->capacity) ||
        tac__names_set(&r->names, r->arena, param.name, (uint32_t)p->count) != TAC_OK)
        return tac__fail_memory(r->err);
    p->items[p->count++] = param;
    return TAC_OK;
}

// --- the file -----------------------------------------------------------------------------------

tac_status tac__px4_params_parse(tac__arena *arena, const char *name, const char *bytes,
                                 size_t size, tac__px4_file_params *params, tac_error *err)
{
    *params = (tac__px4_file_params){.path = tac__arena_text(arena, name)};
    if (!params->path)
        return tac__fail_memory(err);
    reader r = {.arena = arena, .params = params, .err = err};
    const char *const end = bytes + size;
    const char *row = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? bytes + 3 : bytes;
    for (const char *next; row < end; row = next) {
        const char *newline = memchr(row, '\n', (size_t)(end - row));
        const char *stop = newline ? newline : end;
        next = newline ? newline + 1 : end;
        r.line++;
        while (stop > row && is_space(stop[-1]))
            stop--;
        const char *first = row;
        while (first < stop && is_space(*first))
            first++;
        if (first < stop && *first != '#')
            TAC_TRY(read_row(&r, row, stop));
    }
    if (params->count == 0)
        return tac__fail_at(err, TAC_E_FORMAT, &(tac_place){params->path, 1, 1, NULL},
                            "expected parameters as QGroundControl saves them: vehicle, component, "
                            "name, value and type, between tabs");
    return TAC_OK;
}

tac_status tac__px4_params_read(tac__arena *arena, const char *path, tac__px4_file_params *params,
                                tac_error *err)
{
    const tac_allocator *allocator = tac_allocator_default();
    char *bytes;
    size_t size;
    TAC_TRY(tac__file_read(path, TAC__PX4_PARAMS_BYTES, allocator, &bytes, &size, err));
    const tac_status status = tac__px4_params_parse(arena, path, bytes, size, params, err);
    tac__file_free(allocator, bytes, size);
    return status;
}
