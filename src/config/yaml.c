// yaml.c - reads YAML: libyaml's events become nodes.
//
// The text is checked for valid UTF-8 before libyaml sees it, so that such errors have a line and
// a column too. Recursion is bounded by TAC__YAML_DEPTH. Of each line that holds a node a copy is
// kept in the document, cut to what an error can show.
#include "config/yaml.h"
#include "base/file.h"
#include "base/node.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

typedef struct anchor {
    const char *name;
    const tac_node *node;
} anchor;

typedef struct reader {
    tac_document *doc;
    const tac__yaml_source *source;
    tac_error *err;
    yaml_parser_t parser;
    yaml_event_t event; // the one being read
    const char *name;   // of the source, kept in the document
    uint32_t start;     // characters before `source->start`

    // The line last asked for: marks come nearly in order, so no table of lines is needed.
    size_t line, line_start;
    const char *excerpt; // kept in the document; NULL: not yet

    anchor anchors[TAC__YAML_ANCHORS];
    size_t anchor_count;
} reader;

// --- characters -----------------------------------------------------------------------------

// The characters that YAML allows in a file.
static bool is_allowed(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0x7E) || c == 0x85 ||
           (c >= 0xA0 && c <= 0xFFFD) || c >= 0x10000;
}

// --- lines and columns ----------------------------------------------------------------------

// The length of the line end at `c`, 0 if there is none. YAML counts these as line ends.
static size_t line_end_at(const char *c, const char *end)
{
    const size_t left = (size_t)(end - c);
    if (left >= 2 && memcmp(c, "\r\n", 2) == 0)
        return 2;
    if (left >= 1 && (*c == '\n' || *c == '\r'))
        return 1;
    if (left >= 2 && memcmp(c, "\xC2\x85", 2) == 0)
        return 2;
    if (left >= 3 && (memcmp(c, "\xE2\x80\xA8", 3) == 0 || memcmp(c, "\xE2\x80\xA9", 3) == 0))
        return 3;
    return 0;
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

static uint32_t count_characters(const char *bytes, size_t n)
{
    uint32_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += !is_continuation(bytes[i]);
    return count;
}

// Move the cursor to a line, or to the last one if there are not that many.
static void seek_line(reader *r, size_t line)
{
    if (line < r->line) {
        r->line = r->line_start = 0;
        r->excerpt = NULL;
    }
    const char *const end = r->source->bytes + r->source->length;
    const char *c = r->source->bytes + r->line_start;
    while (r->line < line && c < end) {
        size_t n = line_end_at(c, end);
        c += n ? n : 1;
        if (n) {
            r->line++;
            r->line_start = (size_t)(c - r->source->bytes);
            r->excerpt = NULL;
        }
    }
}

// The line under the cursor.
static void print_line(const reader *r, char text[TAC_ERROR_NAME])
{
    const char *const line = r->source->bytes + r->line_start;
    const char *const all = r->source->bytes + r->source->length, *end = line;
    while (end < all && !line_end_at(end, all))
        end++;
    tac__excerpt(line, end, text);
}

static tac_place place_at(reader *r, yaml_mark_t mark, const char *excerpt)
{
    const size_t before = mark.line == 0 ? r->start : 0;
    return (tac_place){r->name, (uint32_t)mark.line + 1, (uint32_t)(mark.column + before) + 1,
                       excerpt};
}

// A place that lives as long as the document.
static tac_status keep_place(reader *r, yaml_mark_t mark, tac_place *place)
{
    seek_line(r, mark.line);
    if (!r->excerpt) {
        char text[TAC_ERROR_NAME];
        print_line(r, text);
        r->excerpt = tac__arena_text(tac__document_arena(r->doc), text);
        if (!r->excerpt)
            return tac__fail_memory(r->err);
    }
    *place = place_at(r, mark, r->excerpt);
    return TAC_OK;
}

// Give the error just made a place. Needs no memory.
static void place_error(reader *r, yaml_mark_t mark)
{
    char text[TAC_ERROR_NAME];
    seek_line(r, mark.line);
    print_line(r, text);
    const tac_place place = place_at(r, mark, text);
    tac__error_place(r->err, &place);
}

#define FAIL(r, status, mark, ...)                                                                 \
    (tac__fail((r)->err, (status), __VA_ARGS__), place_error((r), (mark)), (status))

// The mark of a byte of the source.
static yaml_mark_t mark_of_byte(reader *r, size_t offset)
{
    const char *const bytes = r->source->bytes, *const end = bytes + r->source->length;
    size_t line = 0, start = 0;
    for (size_t i = 0; i < offset;) {
        const size_t n = line_end_at(bytes + i, end);
        i += n ? n : 1;
        if (n && i <= offset) {
            line++;
            start = i;
        }
    }
    const size_t column = count_characters(bytes + start, offset - start);
    return (yaml_mark_t){.line = line, .column = line == 0 ? column - r->start : column};
}

static tac_status check_characters(reader *r)
{
    const char *bytes = r->source->bytes;
    size_t i = r->source->start;
    while (i < r->source->length) {
        uint32_t c = 0;
        const size_t n = tac__utf8_decode(bytes + i, r->source->length - i, &c);
        if (n == 0)
            return FAIL(r, TAC_E_SYNTAX, mark_of_byte(r, i),
                        "byte 0x%02X is not valid UTF-8, the only encoding accepted",
                        (unsigned char)bytes[i]);
        if (!is_allowed(c))
            return FAIL(r, TAC_E_SYNTAX, mark_of_byte(r, i),
                        "control character U+%04X is not allowed", (unsigned)c);
        i += n;
    }
    return TAC_OK;
}

// --- libyaml --------------------------------------------------------------------------------

// A clearer text for libyaml's messages, where its own do not help.
static const char *explain(const char *problem, bool tab)
{
    if (strcmp(problem, "found character that cannot start any token") == 0)
        return tab ? "a tab cannot be used for indentation; use spaces"
                   : "a value cannot begin with this character; put it in quotes";
    if (strcmp(problem, "mapping values are not allowed in this context") == 0)
        return "a ':' is not allowed here; check the indentation, or put the text in quotes";
    if (strcmp(problem, "could not find expected ':'") == 0)
        return "expected ':' after this key";
    return problem;
}

// Whether the line under the cursor is indented with a tab.
static bool has_tab(const reader *r)
{
    size_t i = r->line_start;
    while (i < r->source->length && r->source->bytes[i] == ' ')
        i++;
    return i < r->source->length && r->source->bytes[i] == '\t';
}

static tac_status fail_syntax(reader *r)
{
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR)
        return tac__fail_memory(r->err);

    // A file that ends too early: show the last line of its text, not the empty line after it.
    const char *bytes = r->source->bytes;
    size_t used = r->source->length;
    while (used > r->source->start && strchr(" \t\r\n", bytes[used - 1]))
        used--;
    yaml_mark_t mark = p->problem_mark;
    seek_line(r, mark.line);
    const bool early = r->line < mark.line || r->line_start >= used;
    if (early)
        mark = mark_of_byte(r, used);

    tac__fail(r->err, TAC_E_SYNTAX, "%s%s", early ? "the text ends too early: " : "",
              explain(p->problem ? p->problem : "not valid YAML", has_tab(r)));
    if (p->context && p->context_mark.line < mark.line)
        tac__error_append(r->err, "; %s that begins at line %zu", p->context,
                          p->context_mark.line + 1);
    place_error(r, mark);
    if (r->err && strstr(r->err->excerpt, "${") && p->context && strstr(p->context, "flow"))
        tac__error_append(r->err, "; inside [] and {} a variable needs quotes: \"${NAME}\"");
    return TAC_E_SYNTAX;
}

static tac_status next_event(reader *r)
{
    yaml_event_delete(&r->event);
    return yaml_parser_parse(&r->parser, &r->event) ? TAC_OK : fail_syntax(r);
}

// --- nodes ----------------------------------------------------------------------------------

static tac_status check_limit(reader *r, size_t more, size_t more_bytes)
{
    const tac__document_size size = tac__document_size_of(r->doc);
    if (size.nodes > TAC__YAML_NODES || more > TAC__YAML_NODES - size.nodes)
        return FAIL(r, TAC_E_LIMIT, r->event.start_mark, "more than %d values in a configuration",
                    TAC__YAML_NODES);
    if (size.bytes > TAC__YAML_TEXT || more_bytes > TAC__YAML_TEXT - size.bytes)
        return FAIL(r, TAC_E_LIMIT, r->event.start_mark,
                    "more than %d MiB of text in a "
                    "configuration",
                    TAC__YAML_TEXT >> 20);
    return TAC_OK;
}

// `allowed` are YAML's own tags that fit, separated by spaces. For a scalar (`quoted` is not NULL)
// the tag decides whether it is text, whatever its quotes say.
static tac_status check_tag(reader *r, const yaml_char_t *tag, const char *allowed, bool *quoted)
{
    static const char prefix[] = "tag:yaml.org,2002:";
    const char *text = (const char *)tag;
    if (!text)
        return TAC_OK;
    char word[16] = "";
    if (strcmp(text, "!") == 0)
        strcpy(word, " str ");
    else if (strncmp(text, prefix, sizeof prefix - 1) == 0)
        snprintf(word, sizeof word, " %s ", text + sizeof prefix - 1);
    if (!word[0] || (text[1] && !strstr(allowed, word)))
        return FAIL(r, TAC_E_SYNTAX, r->event.start_mark, "tag '%.80s' is not accepted here", text);
    if (quoted)
        *quoted = strcmp(word, " str ") == 0;
    return TAC_OK;
}

static tac_status check_nul(reader *r)
{
    const char *text = (const char *)r->event.data.scalar.value;
    if (strlen(text) != r->event.data.scalar.length)
        return FAIL(r, TAC_E_SYNTAX, r->event.start_mark, "a text cannot hold a NUL character");
    return TAC_OK;
}

static tac_status keep_anchor(reader *r, const char *name, const tac_node *node)
{
    if (r->anchor_count == TAC__YAML_ANCHORS)
        return FAIL(r, TAC_E_LIMIT, r->event.start_mark, "more than %d anchors in a file",
                    TAC__YAML_ANCHORS);
    r->anchors[r->anchor_count++] = (anchor){name, node};
    return TAC_OK;
}

// An alias is a copy of its anchor's node, which is complete: no alias can contain itself.
static tac_status read_alias(reader *r, unsigned depth, tac_node **node)
{
    const char *name = (const char *)r->event.data.alias.anchor;
    const tac_node *original = NULL;
    for (size_t i = r->anchor_count; i > 0 && !original; i--) {
        if (strcmp(r->anchors[i - 1].name, name) == 0)
            original = r->anchors[i - 1].node;
    }
    if (!original)
        return FAIL(r, TAC_E_NAME, r->event.start_mark, "alias '*%.80s' has no anchor before it",
                    name);
    const tac__node_extent extent = tac__node_measure(original);
    if (depth + extent.depth > TAC__YAML_DEPTH)
        return FAIL(r, TAC_E_LIMIT, r->event.start_mark, "nested deeper than %d levels",
                    TAC__YAML_DEPTH);
    TAC_TRY(check_limit(r, extent.nodes, extent.bytes));
    *node = tac__node_copy(r->doc, r->doc, original);
    return *node ? TAC_OK : tac__fail_memory(r->err);
}

// A scalar of several lines keeps them, so that an error inside it is shown where it stands.
static tac_status keep_lines(reader *r, tac_node *scalar)
{
    const yaml_mark_t from = r->event.start_mark, to = r->event.end_mark;
    if (from.line == to.line)
        return TAC_OK;
    seek_line(r, from.line);
    const char *const all = r->source->bytes + r->source->length;
    const char *start = r->source->bytes + r->line_start, *end = start;
    for (size_t line = from.line; end < all; end += line_end_at(end, all) + !line_end_at(end, all))
        if (line_end_at(end, all) && line++ == to.line)
            break;
    const char *source =
        tac__arena_format(tac__document_arena(r->doc), "%.*s", (int)(end - start), start);
    if (!source)
        return tac__fail_memory(r->err);
    tac__node_set_source(scalar, source);
    return TAC_OK;
}

static tac_status read_scalar(reader *r, const tac_place *place, tac_node **node)
{
    bool quoted = r->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    TAC_TRY(check_tag(r, r->event.data.scalar.tag, " str int float bool null ", &quoted));
    TAC_TRY(check_nul(r));
    *node = tac__node_scalar_bytes(r->doc, (const char *)r->event.data.scalar.value,
                                   r->event.data.scalar.length, quoted, place);
    return *node ? keep_lines(r, *node) : tac__fail_memory(r->err);
}

static tac_status read_node(reader *r, unsigned depth, tac_node **node);

static tac_status read_sequence(reader *r, unsigned depth, tac_node *sequence)
{
    for (;;) {
        TAC_TRY(next_event(r));
        if (r->event.type == YAML_SEQUENCE_END_EVENT)
            return TAC_OK;
        tac_node *item;
        TAC_TRY(read_node(r, depth, &item));
        if (tac_node_append(r->doc, sequence, item) != TAC_OK)
            return tac__fail_memory(r->err);
    }
}

static tac_status check_key(reader *r, const tac_node *map)
{
    const yaml_mark_t mark = r->event.start_mark;
    if (r->event.type != YAML_SCALAR_EVENT)
        return FAIL(r, TAC_E_SYNTAX, mark, "a key must be text, not %s",
                    r->event.type == YAML_ALIAS_EVENT            ? "an alias"
                    : r->event.type == YAML_SEQUENCE_START_EVENT ? "a list"
                                                                 : "a map");
    TAC_TRY(check_tag(r, r->event.data.scalar.tag, " str ", NULL));
    TAC_TRY(check_nul(r));
    if (r->event.data.scalar.anchor)
        return FAIL(r, TAC_E_SYNTAX, mark, "a key cannot have an anchor");
    const char *key = (const char *)r->event.data.scalar.value;
    if (!*key)
        return FAIL(r, TAC_E_SYNTAX, mark, "a key cannot be empty");
    if (strcmp(key, "<<") == 0 && r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        return FAIL(r, TAC_E_SYNTAX, mark, "merge keys ('<<') are not supported; use 'extends'");
    const size_t first = tac__node_find(map, key);
    if (first != SIZE_MAX) {
        const tac_place *at = tac_node_key_place(map, first);
        return FAIL(r, TAC_E_DUPLICATE, mark, "key '%.80s' is used twice; first at %s:%u:%u", key,
                    at->file, at->line, at->column);
    }
    return TAC_OK;
}

static tac_status read_map(reader *r, unsigned depth, tac_node *map)
{
    for (;;) {
        TAC_TRY(next_event(r));
        if (r->event.type == YAML_MAPPING_END_EVENT)
            return TAC_OK;
        TAC_TRY(check_key(r, map));
        tac_place place;
        TAC_TRY(keep_place(r, r->event.start_mark, &place));
        const char *key =
            tac__arena_text(tac__document_arena(r->doc), (const char *)r->event.data.scalar.value);
        if (!key)
            return tac__fail_memory(r->err);
        TAC_TRY(next_event(r));
        tac_node *value;
        TAC_TRY(read_node(r, depth, &value));
        if (tac_node_set(r->doc, map, key, &place, value) != TAC_OK)
            return tac__fail_memory(r->err);
    }
}

// Read the node that begins with the current event; leaves the last of its events current.
// `depth` counts the maps and lists around it.
static tac_status read_node(reader *r, unsigned depth, tac_node **node)
{
    TAC_TRY(check_limit(r, 1, 0));
    if (r->event.type == YAML_ALIAS_EVENT)
        return read_alias(r, depth, node);

    tac_place place;
    TAC_TRY(keep_place(r, r->event.start_mark, &place));
    const bool scalar = r->event.type == YAML_SCALAR_EVENT,
               sequence = r->event.type == YAML_SEQUENCE_START_EVENT;
    if (!scalar && depth + 1 > TAC__YAML_DEPTH)
        return FAIL(r, TAC_E_LIMIT, r->event.start_mark, "nested deeper than %d levels",
                    TAC__YAML_DEPTH);
    const yaml_char_t *anchor_name = scalar     ? r->event.data.scalar.anchor
                                     : sequence ? r->event.data.sequence_start.anchor
                                                : r->event.data.mapping_start.anchor;
    const char *name = NULL;
    if (anchor_name) {
        name = tac__arena_text(tac__document_arena(r->doc), (const char *)anchor_name);
        if (!name)
            return tac__fail_memory(r->err);
    }
    if (scalar) {
        TAC_TRY(read_scalar(r, &place, node));
    } else if (sequence) {
        TAC_TRY(check_tag(r, r->event.data.sequence_start.tag, " seq ", NULL));
        *node = tac_node_sequence(r->doc, &place);
        if (!*node)
            return tac__fail_memory(r->err);
        TAC_TRY(read_sequence(r, depth + 1, *node));
    } else {
        TAC_TRY(check_tag(r, r->event.data.mapping_start.tag, " map ", NULL));
        *node = tac_node_map(r->doc, &place);
        if (!*node)
            return tac__fail_memory(r->err);
        TAC_TRY(read_map(r, depth + 1, *node));
    }
    return name ? keep_anchor(r, name, *node) : TAC_OK;
}

static tac_status read_document(reader *r, tac_node **root)
{
    TAC_TRY(next_event(r)); // the start of the stream
    TAC_TRY(next_event(r));
    if (r->event.type == YAML_STREAM_END_EVENT)
        return FAIL(
            r, TAC_E_SYNTAX, (yaml_mark_t){0},
            "there is nothing in it; expected keys with values, at least 'duration: 10 s' and "
            "'components:' ('man tactus.yaml' has all of them, docs/tutorial.md a first "
            "simulation)");
    TAC_TRY(next_event(r));
    TAC_TRY(read_node(r, r->source->depth, root));
    TAC_TRY(next_event(r)); // the end of the document
    TAC_TRY(next_event(r));
    if (r->event.type != YAML_STREAM_END_EVENT)
        return FAIL(r, TAC_E_SYNTAX, r->event.start_mark,
                    "a second document begins here; a file holds one");
    return TAC_OK;
}

// --- sources --------------------------------------------------------------------------------

static tac_status fail_size(const char *name, tac_error *err)
{
    const tac_place place = {name, 1, 1, NULL};
    return tac__fail_at(err, TAC_E_LIMIT, &place, "larger than %d MiB, too large to read",
                        TAC__YAML_BYTES >> 20);
}

// Files count as text, so that a large one is not read very often.
static tac_status count_file(reader *r)
{
    tac__document_size size = tac__document_size_of(r->doc);
    size.bytes += r->source->length;
    tac__document_set_size(r->doc, size);
    return check_limit(r, 0, 0);
}

tac_status tac__yaml_read_text(tac_document *doc, const tac__yaml_source *source, tac_node **root,
                               tac_error *err)
{
    TAC_REQUIRE(doc && source && source->name && (source->bytes || !source->length) && root);
    TAC_REQUIRE(source->start <= source->length);
    if (source->length > TAC__YAML_BYTES)
        return fail_size(source->name, err);

    tac__yaml_source plain = *source;
    if (!plain.bytes)
        plain.bytes = "";
    if (plain.length >= 3 && memcmp(plain.bytes, "\xEF\xBB\xBF", 3) == 0) { // a byte order mark
        plain.bytes += 3;
        plain.length -= 3;
        plain.start -= plain.start < 3 ? plain.start : 3;
    }
    reader r = {.doc = doc, .source = &plain, .err = err};
    r.start = count_characters(plain.bytes, plain.start);
    r.name = tac__arena_text(tac__document_arena(doc), source->name);
    if (!r.name || !yaml_parser_initialize(&r.parser))
        return tac__fail_memory(err);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)plain.bytes + plain.start,
                                 plain.length - plain.start);
    tac_status status = check_characters(&r);
    if (status == TAC_OK)
        status = count_file(&r);
    if (status == TAC_OK)
        status = read_document(&r, root);
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    return status;
}

tac_status tac__yaml_read_file(tac_document *doc, const char *path, unsigned depth, tac_node **root,
                               tac_error *err)
{
    TAC_REQUIRE(doc && path && root);
    struct stat info;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > TAC__YAML_BYTES)
        return fail_size(path, err);
    const tac_allocator *allocator = tac__document_arena(doc)->allocator;
    char *bytes;
    size_t length;
    TAC_TRY(tac__file_read(path, TAC__YAML_BYTES, allocator, &bytes, &length, err));
    const tac__yaml_source source = {
        .name = path, .bytes = bytes, .length = length, .depth = depth};
    const tac_status status = tac__yaml_read_text(doc, &source, root, err);
    tac__file_free(allocator, bytes, length);
    return status;
}
