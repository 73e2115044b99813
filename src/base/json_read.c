// json_read.c - a recursive-descent reader of JSON. Line breaks stand between tokens only, so the
// line is counted where white space is skipped.
#include "base/json_read.h"
#include "base/text.h"

#include <string.h>

typedef struct reader {
    tac_document *doc;
    const char *name; // kept in the document
    const char *at, *end;
    uint32_t line;
    const char *line_start;
    const char *excerpt; // of this line, kept in the document; NULL: not yet
    const char *counted; // where in this line columns were last counted, and the column there
    uint32_t column;
    unsigned depth;
    tac__text text; // of the string being read
    tac_error *err;
} reader;

// --- places -------------------------------------------------------------------------------------

static void print_line(const reader *r, char text[TAC_ERROR_NAME])
{
    const char *end = r->line_start;
    while (end < r->end && *end != '\n' && *end != '\r')
        end++;
    tac__excerpt(r->line_start, end, text);
}

// Places are asked for nearly in order, so each line is counted once, however long it is.
static tac_place place_at(reader *r, const char *c, const char *excerpt)
{
    if (r->counted < r->line_start || r->counted > c) {
        r->counted = r->line_start;
        r->column = 1;
    }
    for (; r->counted < c; r->counted++)
        r->column += ((unsigned char)*r->counted & 0xC0) != 0x80;
    return (tac_place){r->name, r->line, r->column, excerpt};
}

#define FAIL(r, c, status, ...)                                                                    \
    (tac__fail((r)->err, (status), __VA_ARGS__), place_error((r), (c)), (status))

static void place_error(reader *r, const char *c)
{
    char text[TAC_ERROR_NAME];
    print_line(r, text);
    const tac_place place = place_at(r, c, text);
    tac__error_place(r->err, &place);
}

// The place of a node that begins here; its texts live as long as the document.
static tac_status keep_place(reader *r, tac_place *place)
{
    if (!r->excerpt) {
        char text[TAC_ERROR_NAME];
        print_line(r, text);
        r->excerpt = tac__arena_text(tac__document_arena(r->doc), text);
        if (!r->excerpt)
            return tac__fail_memory(r->err);
    }
    *place = place_at(r, r->at, r->excerpt);
    return TAC_OK;
}

// --- tokens -------------------------------------------------------------------------------------

static void skip_space(reader *r)
{
    for (; r->at < r->end; r->at++) {
        const char c = *r->at;
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
            return;
        const bool crlf = c == '\r' && r->at + 1 < r->end && r->at[1] == '\n';
        if ((c == '\n' || c == '\r') && !crlf) {
            r->line++;
            r->line_start = r->at + 1;
            r->excerpt = NULL;
        }
    }
}

static char peek(const reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

static tac_status fail_expected(reader *r, const char *what)
{
    if (r->at == r->end)
        return FAIL(r, r->at, TAC_E_SYNTAX, "the text ends too early: expected %s", what);
    const unsigned char c = (unsigned char)*r->at;
    if (c > 0x20 && c < 0x7F)
        return FAIL(r, r->at, TAC_E_SYNTAX, "expected %s, found '%c'", what, c);
    return FAIL(r, r->at, TAC_E_SYNTAX, "expected %s, found byte 0x%02X", what, c);
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool read_hex4(reader *r, uint32_t *value)
{
    *value = 0;
    if (r->end - r->at < 4)
        return false;
    for (int i = 0; i < 4; i++, r->at++) {
        const int digit = hex_digit(*r->at);
        if (digit < 0)
            return false;
        *value = *value << 4 | (uint32_t)digit;
    }
    return true;
}

static void add_utf8(tac__text *text, uint32_t c)
{
    char bytes[4];
    size_t n = 0;
    if (c < 0x80) {
        bytes[n++] = (char)c;
    } else if (c < 0x800) {
        bytes[n++] = (char)(0xC0 | c >> 6);
    } else if (c < 0x10000) {
        bytes[n++] = (char)(0xE0 | c >> 12);
        bytes[n++] = (char)(0x80 | (c >> 6 & 0x3F));
    } else {
        bytes[n++] = (char)(0xF0 | c >> 18);
        bytes[n++] = (char)(0x80 | (c >> 12 & 0x3F));
        bytes[n++] = (char)(0x80 | (c >> 6 & 0x3F));
    }
    if (c >= 0x80)
        bytes[n++] = (char)(0x80 | (c & 0x3F));
    tac__text_bytes(text, bytes, n);
}

// After "\u". A character beyond the first plane is a pair of surrogates.
static tac_status read_unicode(reader *r)
{
    const char *start = r->at - 2;
    uint32_t c, low = 0;
    bool good = read_hex4(r, &c);
    if (good && c >= 0xD800 && c <= 0xDBFF) {
        good = r->end - r->at >= 2 && r->at[0] == '\\' && r->at[1] == 'u';
        if (good) {
            r->at += 2;
            good = read_hex4(r, &low) && low >= 0xDC00 && low <= 0xDFFF;
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        }
    } else if (c >= 0xDC00 && c <= 0xDFFF) {
        good = false;
    }
    if (!good || c == 0)
        return FAIL(r, start, TAC_E_SYNTAX, "this escape does not stand for a character");
    add_utf8(&r->text, c);
    return TAC_OK;
}

static tac_status read_escape(reader *r)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    r->at++;
    const char c = peek(r);
    const char *found = c ? strchr(names, c) : NULL;
    if (!found && c != 'u')
        return fail_expected(r, "one of \" \\ / b f n r t u after '\\'");
    r->at++;
    if (c == 'u')
        return read_unicode(r);
    tac__text_bytes(&r->text, &values[found - names], 1);
    return TAC_OK;
}

// Into r->text.
static tac_status read_string(reader *r)
{
    r->text.length = 0;
    tac__text_bytes(&r->text, "", 0);
    for (r->at++; peek(r) != '"' || r->at == r->end;) {
        uint32_t c = 0;
        if (r->at == r->end)
            return fail_expected(r, "'\"' at the end of the string");
        const size_t n = tac__utf8_decode(r->at, (size_t)(r->end - r->at), &c);
        if (n == 0)
            return FAIL(r, r->at, TAC_E_SYNTAX,
                        "byte 0x%02X is not valid UTF-8, the only encoding accepted",
                        (unsigned char)*r->at);
        if (c < 0x20)
            return FAIL(r, r->at, TAC_E_SYNTAX,
                        "control character U+%04X in a string; write it as an escape", (unsigned)c);
        if (c == '\\') {
            TAC_TRY(read_escape(r));
        } else {
            tac__text_bytes(&r->text, r->at, n);
            r->at += n;
        }
    }
    r->at++;
    return r->text.failed ? tac__fail_memory(r->err) : TAC_OK;
}

static size_t skip_digits(reader *r)
{
    const char *start = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - start);
}

// Skip a number of JSON's grammar.
static tac_status skip_number(reader *r)
{
    r->at += peek(r) == '-';
    const bool zero = peek(r) == '0';
    const char *start = r->at;
    const size_t digits = skip_digits(r);
    if (digits == 0)
        return fail_expected(r, "a digit");
    if (zero && digits > 1)
        return FAIL(r, start, TAC_E_SYNTAX, "a number does not begin with a superfluous 0");
    if (peek(r) == '.') {
        r->at++;
        if (skip_digits(r) == 0)
            return fail_expected(r, "a digit after the point");
    }
    if (peek(r) == 'e' || peek(r) == 'E') {
        r->at++;
        r->at += peek(r) == '-' || peek(r) == '+';
        if (skip_digits(r) == 0)
            return fail_expected(r, "a digit of the exponent");
    }
    return TAC_OK;
}

// --- values -------------------------------------------------------------------------------------

static tac_status read_value(reader *r, tac_node **node);

static tac_status made(reader *r, tac_node *node, tac_node **out)
{
    *out = node;
    return node ? TAC_OK : tac__fail_memory(r->err);
}

static tac_status read_number(reader *r, const tac_place *place, tac_node **node)
{
    const char *start = r->at;
    TAC_TRY(skip_number(r));
    TAC_TRY(made(r, tac__node_scalar_bytes(r->doc, start, (size_t)(r->at - start), false, place),
                 node));
    double value;
    if (!tac__json_is_number(*node, &value) || value - value != 0)
        return FAIL(r, start, TAC_E_RANGE, "this number is too large for a double");
    return TAC_OK;
}

static tac_status read_word(reader *r, const tac_place *place, tac_node **node)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++) {
        const size_t n = strlen(words[i]);
        if ((size_t)(r->end - r->at) >= n && memcmp(r->at, words[i], n) == 0) {
            r->at += n;
            return made(r, tac__node_scalar_bytes(r->doc, words[i], n, false, place), node);
        }
    }
    return fail_expected(r, "a value");
}

// After an item: whether another one follows. `close` ends the list.
static tac_status read_separator(reader *r, char close, bool *more)
{
    skip_space(r);
    *more = peek(r) == ',' && r->at < r->end;
    if (!*more && peek(r) != close)
        return fail_expected(r, close == '}' ? "',' or '}'" : "',' or ']'");
    r->at++;
    return TAC_OK;
}

static tac_status read_array(reader *r, tac_node *array)
{
    bool more = true;
    skip_space(r);
    if (peek(r) == ']') {
        r->at++;
        return TAC_OK;
    }
    while (more) {
        tac_node *item;
        TAC_TRY(read_value(r, &item));
        if (tac_node_append(r->doc, array, item) != TAC_OK)
            return tac__fail_memory(r->err);
        TAC_TRY(read_separator(r, ']', &more));
    }
    return TAC_OK;
}

static tac_status read_member(reader *r, tac_node *object)
{
    skip_space(r);
    if (peek(r) != '"')
        return fail_expected(r, "a key in double quotes");
    tac_place place;
    const char *start = r->at;
    TAC_TRY(keep_place(r, &place));
    TAC_TRY(read_string(r));
    if (tac_node_get(object, r->text.chars))
        return FAIL(r, start, TAC_E_DUPLICATE, "key '%.80s' stands here twice", r->text.chars);
    const char *key = tac__arena_text(tac__document_arena(r->doc), r->text.chars);
    if (!key)
        return tac__fail_memory(r->err);
    skip_space(r);
    if (peek(r) != ':')
        return fail_expected(r, "':' after the key");
    r->at++;
    tac_node *value;
    TAC_TRY(read_value(r, &value));
    return tac_node_set(r->doc, object, key, &place, value) == TAC_OK ? TAC_OK
                                                                      : tac__fail_memory(r->err);
}

static tac_status read_object(reader *r, tac_node *object)
{
    bool more = true;
    skip_space(r);
    if (peek(r) == '}') {
        r->at++;
        return TAC_OK;
    }
    while (more) {
        TAC_TRY(read_member(r, object));
        TAC_TRY(read_separator(r, '}', &more));
    }
    return TAC_OK;
}

static tac_status read_nested(reader *r, const tac_place *place, tac_node **node)
{
    const bool object = peek(r) == '{';
    if (r->depth == TAC__JSON_READ_DEPTH)
        return FAIL(r, r->at, TAC_E_LIMIT, "more than %d objects and arrays inside each other",
                    TAC__JSON_READ_DEPTH);
    TAC_TRY(made(r, object ? tac_node_map(r->doc, place) : tac_node_sequence(r->doc, place), node));
    r->at++;
    r->depth++;
    TAC_TRY(object ? read_object(r, *node) : read_array(r, *node));
    r->depth--;
    return TAC_OK;
}

static tac_status read_value(reader *r, tac_node **node)
{
    skip_space(r);
    if (tac__document_size_of(r->doc).nodes >= TAC__JSON_READ_NODES)
        return FAIL(r, r->at, TAC_E_LIMIT, "more than %d values", TAC__JSON_READ_NODES);
    tac_place place;
    TAC_TRY(keep_place(r, &place));
    const char c = peek(r);
    if (c == '{' || c == '[')
        return read_nested(r, &place, node);
    if (c == '-' || (c >= '0' && c <= '9'))
        return read_number(r, &place, node);
    if (c != '"')
        return read_word(r, &place, node);
    TAC_TRY(read_string(r));
    return made(r, tac__node_scalar_bytes(r->doc, r->text.chars, r->text.length, true, &place),
                node);
}

tac_status tac__json_read(tac_document *doc, const char *name, const char *bytes, size_t size,
                          tac_node **root, tac_error *err)
{
    static const char bom[] = "\xEF\xBB\xBF"; // not JSON, but written by some editors
    *root = NULL;
    if (size >= 3 && memcmp(bytes, bom, 3) == 0) {
        bytes += 3;
        size -= 3;
    }
    reader r = {.doc = doc,
                .name = tac__arena_text(tac__document_arena(doc), name),
                .at = bytes,
                .end = bytes + size,
                .line = 1,
                .line_start = bytes,
                .counted = bytes,
                .column = 1,
                .err = err};
    if (!r.name)
        return tac__fail_memory(err);
    tac__text_init(&r.text, tac__document_arena(doc)->allocator);
    tac_status status = read_value(&r, root);
    if (status == TAC_OK) {
        skip_space(&r);
        if (r.at < r.end)
            status = fail_expected(&r, "nothing after the value");
    }
    tac__text_fini(&r.text);
    return status;
}

bool tac__json_is_number(const tac_node *node, double *value)
{
    const char *text = node ? tac_node_text(node) : NULL;
    if (!text || tac_node_quoted(node) || !(text[0] == '-' || (text[0] >= '0' && text[0] <= '9')))
        return false;
    const char *end;
    *value = tac__number_parse(text, &end);
    return *end == '\0';
}
