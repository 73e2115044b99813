// parse.c - reads .msg files line by line: "type name", "type[3] name" or "type NAME = value", each
// with a comment behind it. A line that is none of these is an error at its place.
#include "autopilot/px4/parse.h"
#include "base/names.h"

#include <string.h>

typedef struct reader {
    tac__arena *arena;
    const char *name;     // of the file
    const char *start;    // of the line
    const char *at, *end; // what is left of it, without its comment
    const char *line_end; // with it
    uint32_t line;
    tac__names names; // of fields and constants, to the line
    tac__uorb_source *source;
    tac_error *err;
} reader;

// --- places -------------------------------------------------------------------------------------

// Before an error all characters have one byte: the first other one is an error itself.
static tac_place place_at(const reader *r, const char *c, const char *excerpt)
{
    return (tac_place){r->name, r->line, (uint32_t)(c - r->start) + 1, excerpt};
}

static void place_error(const reader *r, const char *c)
{
    char text[TAC_ERROR_NAME];
    tac__excerpt(r->start, r->line_end, text);
    const tac_place place = place_at(r, c, text);
    tac__error_place(r->err, &place);
}

#define FAIL(r, c, status, ...)                                                                    \
    (tac__fail((r)->err, (status), __VA_ARGS__), place_error((r), (c)), (status))

// The place of a field, for errors that come later.
static tac_status keep_place(reader *r, const char *c, tac_place *place)
{
    char text[TAC_ERROR_NAME];
    tac__excerpt(r->start, r->line_end, text);
    const char *excerpt = tac__arena_text(r->arena, text);
    if (!excerpt)
        return tac__fail_memory(r->err);
    *place = place_at(r, c, excerpt);
    return TAC_OK;
}

// --- words --------------------------------------------------------------------------------------

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_space(reader *r)
{
    while (r->at < r->end && is_space(*r->at))
        r->at++;
}

static tac_status fail_expected(reader *r, const char *what)
{
    if (r->at == r->end)
        return FAIL(r, r->at, TAC_E_SYNTAX, "the line ends too early: expected %s", what);
    const unsigned char c = (unsigned char)*r->at;
    if (c >= 0x20 && c < 0x7F)
        return FAIL(r, r->at, TAC_E_SYNTAX, "expected %s, found '%c'", what, c);
    return FAIL(r, r->at, TAC_E_SYNTAX, "expected %s, found byte 0x%02X", what, c);
}

// A letter or '_', then letters, digits and '_'.
static tac_status read_word(reader *r, const char *what, char word[TAC__UORB_NAME])
{
    const char *start = r->at;
    if (r->at == r->end || !is_letter(*r->at))
        return fail_expected(r, what);
    while (r->at < r->end && (is_letter(*r->at) || is_digit(*r->at)))
        r->at++;
    const size_t length = (size_t)(r->at - start);
    if (length >= TAC__UORB_NAME)
        return FAIL(r, start, TAC_E_LIMIT, "a name has at most %d characters", TAC__UORB_NAME - 1);
    memcpy(word, start, length);
    word[length] = '\0';
    return TAC_OK;
}

// --- types --------------------------------------------------------------------------------------

// A scalar, or a message: those begin with a capital.
static tac_status read_type(reader *r, tac__uorb_declared *declared)
{
    const char *start = r->at;
    char word[TAC__UORB_NAME];
    TAC_TRY(read_word(r, "a type", word));
    if (tac__uorb_scalar_find(word, &declared->field.type))
        return TAC_OK;
    if (word[0] < 'A' || word[0] > 'Z') {
        tac__fail(r->err, TAC_E_NAME, "unknown type '%s'", word);
        tac__error_suggest(r->err, word, tac__uorb_scalar_name, NULL);
        place_error(r, start);
        return TAC_E_NAME;
    }
    declared->field.type = TAC__UORB_MESSAGE;
    declared->nested = tac__arena_text(r->arena, word);
    return declared->nested ? TAC_OK : tac__fail_memory(r->err);
}

// "[3]" behind a type.
static tac_status read_length(reader *r, tac__uorb_field *field)
{
    field->count = 1;
    if (r->at == r->end || *r->at != '[')
        return TAC_OK;
    field->array = true;
    const char *start = ++r->at;
    uint32_t length = 0;
    for (; r->at < r->end && is_digit(*r->at); r->at++) {
        if (length <= TAC__UORB_SIZE_MAX)
            length = length * 10 + (uint32_t)(*r->at - '0');
    }
    if (r->at == start)
        return fail_expected(r, "the length of the array: only fixed lengths are known");
    if (*start == '0' || length > TAC__UORB_SIZE_MAX)
        return FAIL(r, start, TAC_E_RANGE, "expected a length from 1 to %d", TAC__UORB_SIZE_MAX);
    if (r->at == r->end || *r->at != ']')
        return fail_expected(r, "']'");
    r->at++;
    field->count = length;
    return TAC_OK;
}

// Reads what follows '='. Constants take no room in a message: they are checked and forgotten.
static tac_status read_constant(reader *r, const tac__uorb_declared *declared)
{
    const tac__uorb_type type = declared->field.type;
    if (type == TAC__UORB_MESSAGE || declared->field.array)
        return FAIL(r, r->at, TAC_E_TYPE, "a constant is a single number or bool");
    r->at++;
    skip_space(r);
    const char *text = r->at;
    const size_t length = (size_t)(r->end - text);
    if (length == 0)
        return fail_expected(r, "the value of the constant");
    r->source->constant_count++;
    const tac_status status = tac__uorb_constant_check(type, text, length, r->err);
    if (status != TAC_OK)
        place_error(r, text);
    return status;
}

// --- lines --------------------------------------------------------------------------------------

static tac_status add_field(reader *r, const char *at, const tac__uorb_declared *declared)
{
    tac__uorb_source *source = r->source;
    if (source->field_count == TAC__UORB_FIELDS_MAX)
        return FAIL(r, at, TAC_E_LIMIT, "a message has at most %d fields", TAC__UORB_FIELDS_MAX);
    if (!TAC__ARENA_GROW(r->arena, source->fields, source->field_count, source->field_capacity))
        return tac__fail_memory(r->err);
    tac__uorb_declared *field = &source->fields[source->field_count++];
    *field = *declared;
    return keep_place(r, at, &field->place);
}

static tac_status read_name(reader *r, const char **name)
{
    const char *start = r->at;
    char word[TAC__UORB_NAME];
    TAC_TRY(read_word(r, "a name", word));
    const int line = tac__names_find(&r->names, word);
    if (line >= 0)
        return FAIL(r, start, TAC_E_DUPLICATE, "'%s' is declared in line %d already", word, line);
    *name = tac__arena_text(r->arena, word);
    if (!*name || tac__names_set(&r->names, r->arena, *name, r->line) != TAC_OK)
        return tac__fail_memory(r->err);
    return TAC_OK;
}

static tac_status read_line(reader *r)
{
    tac__uorb_declared declared = {0};
    const char *start = r->at;
    TAC_TRY(read_type(r, &declared));
    TAC_TRY(read_length(r, &declared.field));
    if (r->at < r->end && !is_space(*r->at))
        return fail_expected(r, "a space and a name");
    skip_space(r);
    TAC_TRY(read_name(r, &declared.field.name));
    skip_space(r);
    if (r->at < r->end && *r->at == '=')
        return read_constant(r, &declared);
    if (r->at < r->end)
        return fail_expected(r, "the end of the line or '='");
    return add_field(r, start, &declared);
}

// Begin the line at `start`; returns where the next one begins.
static const char *begin_line(reader *r, const char *start, const char *end)
{
    const char *newline = memchr(start, '\n', (size_t)(end - start));
    r->start = r->at = start;
    r->line_end = newline ? newline : end;
    if (r->line_end > start && r->line_end[-1] == '\r')
        r->line_end--;
    for (r->end = start; r->end < r->line_end && *r->end != '#';)
        r->end++;
    while (r->end > r->at && is_space(r->end[-1]))
        r->end--;
    r->line++;
    skip_space(r);
    return newline ? newline + 1 : end;
}

tac_status tac__uorb_parse(tac__arena *arena, const char *name, const char *bytes, size_t size,
                           tac__uorb_source *source, tac_error *err)
{
    *source = (tac__uorb_source){0};
    if (size > TAC__UORB_FILE_MAX)
        return tac__fail(err, TAC_E_LIMIT, "'%s' is larger than %d bytes", name,
                         TAC__UORB_FILE_MAX);
    reader r = {.arena = arena, .name = name, .source = source, .err = err};
    const char *const end = bytes + size;
    const char *next = size >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3) ? bytes + 3 : bytes;
    while (next < end) {
        next = begin_line(&r, next, end);
        if (r.at < r.end)
            TAC_TRY(read_line(&r));
    }
    if (source->field_count == 0)
        return tac__fail(err, TAC_E_SYNTAX, "'%s' declares no fields", name);
    return TAC_OK;
}
