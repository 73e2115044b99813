// node.c - owns documents. All memory is the document's arena. Maps keep the order of insertion;
// above a few keys they carry a hash index, so that a huge map is not searched key by key.
#include "base/node.h"
#include "base/hash.h"
#include "base/text.h"

#include <string.h>

enum { INDEX_ABOVE = 16 };

typedef struct entry {
    const char *key;
    tac_place key_place;
    tac_node *value;
} entry;

struct tac_node {
    tac_node_kind kind;
    bool quoted, expanded;
    tac_place place;
    tac_node *parent;
    union {
        const char *text; // scalar
        struct {          // sequence
            tac_node **items;
            TAC__CAPACITY(tac_node *) item_capacity;
        };
        struct { // map
            entry *entries;
            TAC__CAPACITY(entry) entry_capacity;
        };
    };
    size_t count;
    // Of a map with more than INDEX_ABOVE keys: open addressing, a power of two of slots that is at
    // least twice `count`; a slot holds a position plus one, 0 while free.
    uint32_t *index;
    size_t slots;
    const char *source; // of a scalar of several lines: these lines of its file; see node.h
};

struct tac_document {
    tac__arena arena;
    tac_node *root;
    tac__document_size size;
};

static const tac_place nowhere;

// --- documents ------------------------------------------------------------------------------

tac_document *tac_document_create(const tac_allocator *allocator)
{
    // The document lives in its own arena: one thing to free.
    tac__arena arena;
    tac__arena_init(&arena, allocator);
    tac_document *doc = tac__arena_alloc(&arena, sizeof *doc);
    if (doc)
        doc->arena = arena;
    return doc;
}

void tac_document_destroy(tac_document *doc)
{
    if (doc) {
        tac__arena arena = doc->arena;
        tac__arena_fini(&arena);
    }
}

tac_node *tac_document_root(tac_document *doc)
{
    return doc ? doc->root : NULL;
}

void tac_document_set_root(tac_document *doc, tac_node *root)
{
    if (!doc)
        return;
    doc->root = root;
    if (root)
        root->parent = NULL;
}

tac__arena *tac__document_arena(tac_document *doc)
{
    return &doc->arena;
}

tac__document_size tac__document_size_of(const tac_document *doc)
{
    return doc->size;
}

void tac__document_set_size(tac_document *doc, tac__document_size size)
{
    doc->size = size;
}

// --- making nodes ---------------------------------------------------------------------------

static tac_node *make(tac_document *doc, tac_node_kind kind, const tac_place *place)
{
    if (!doc)
        return NULL;
    tac_node *node = tac__arena_alloc(&doc->arena, sizeof *node);
    if (node) {
        node->kind = kind;
        node->place = place ? *place : nowhere;
        doc->size.nodes++;
    }
    return node;
}

tac_node *tac__node_scalar_bytes(tac_document *doc, const char *bytes, size_t n, bool quoted,
                                 const tac_place *place)
{
    tac_node *node = make(doc, TAC_NODE_SCALAR, place);
    char *text = node ? tac__arena_alloc(&doc->arena, n + 1) : NULL;
    if (!text)
        return NULL;
    memcpy(text, bytes, n);
    doc->size.bytes += n;
    node->text = text;
    node->quoted = quoted;
    return node;
}

tac_node *tac_node_scalar(tac_document *doc, const char *text, const tac_place *place)
{
    return text ? tac__node_scalar_bytes(doc, text, strlen(text), false, place) : NULL;
}

tac_node *tac_node_sequence(tac_document *doc, const tac_place *place)
{
    return make(doc, TAC_NODE_SEQUENCE, place);
}

tac_node *tac_node_map(tac_document *doc, const tac_place *place)
{
    return make(doc, TAC_NODE_MAP, place);
}

// --- maps -----------------------------------------------------------------------------------

static bool is_map(const tac_node *node)
{
    return node && node->kind == TAC_NODE_MAP;
}

// The slot of `key`, or the free slot where it belongs.
static uint32_t *slot_of(const tac_node *map, const char *key)
{
    const size_t mask = map->slots - 1;
    size_t i = (size_t)tac__hash_end(tac__hash_text(TAC__HASH_SEED, key)) & mask;
    while (map->index[i] && strcmp(map->entries[map->index[i] - 1].key, key) != 0)
        i = (i + 1) & mask;
    return &map->index[i];
}

static void fill_index(tac_node *map)
{
    if (!map->index)
        return;
    memset(map->index, 0, map->slots * sizeof *map->index);
    for (size_t i = 0; i < map->count; i++)
        *slot_of(map, map->entries[i].key) = (uint32_t)(i + 1);
}

// Make the index fit the map's capacity, where the map is large enough to have one.
static bool reserve_index(tac_document *doc, tac_node *map)
{
    const size_t capacity = map->entry_capacity.count;
    if (capacity <= INDEX_ABOVE || map->slots >= 2 * capacity)
        return true;
    size_t slots = 2 * INDEX_ABOVE;
    while (slots < 2 * capacity)
        slots *= 2;
    uint32_t *index = tac__arena_array(&doc->arena, slots, sizeof *index);
    if (!index)
        return false;
    map->index = index;
    map->slots = slots;
    fill_index(map);
    return true;
}

size_t tac__node_find(const tac_node *map, const char *key)
{
    if (!is_map(map) || !key)
        return SIZE_MAX;
    if (map->index) {
        const uint32_t position = *slot_of(map, key);
        return position ? position - 1 : SIZE_MAX;
    }
    for (size_t i = 0; i < map->count; i++) {
        if (strcmp(map->entries[i].key, key) == 0)
            return i;
    }
    return SIZE_MAX;
}

tac_status tac_node_set(tac_document *doc, tac_node *map, const char *key,
                        const tac_place *key_place, tac_node *value)
{
    TAC_REQUIRE(doc && is_map(map) && key && value && value != map);
    size_t i = tac__node_find(map, key);
    if (i == SIZE_MAX) {
        char *copy = tac__arena_text(&doc->arena, key);
        if (!copy || map->count >= UINT32_MAX - 1 ||
            !TAC__ARENA_GROW(&doc->arena, map->entries, map->count, map->entry_capacity) ||
            !reserve_index(doc, map))
            return TAC_E_MEMORY;
        i = map->count++;
        doc->size.bytes += strlen(copy);
        map->entries[i].key = copy;
        if (map->index)
            *slot_of(map, copy) = (uint32_t)(i + 1);
    }
    map->entries[i].key_place = key_place ? *key_place : nowhere;
    map->entries[i].value = value;
    value->parent = map;
    return TAC_OK;
}

tac_status tac_node_set_text(tac_document *doc, tac_node *map, const char *key, const char *text)
{
    TAC_REQUIRE(doc && is_map(map) && key && text);
    tac_node *value = tac_node_scalar(doc, text, NULL);
    return value ? tac_node_set(doc, map, key, NULL, value) : TAC_E_MEMORY;
}

bool tac__node_remove(tac_node *map, const char *key)
{
    const size_t i = tac__node_find(map, key);
    if (i == SIZE_MAX)
        return false;
    map->count--;
    memmove(map->entries + i, map->entries + i + 1, (map->count - i) * sizeof *map->entries);
    fill_index(map);
    return true;
}

void tac__node_remove_nulls(tac_node *map)
{
    size_t kept = 0;
    for (size_t i = 0; i < map->count; i++) {
        if (!tac_node_is_null(map->entries[i].value))
            map->entries[kept++] = map->entries[i];
    }
    if (kept < map->count) {
        map->count = kept;
        fill_index(map);
    }
}

void tac__node_take(tac_node *to, tac_node *from)
{
    to->entries = from->entries;
    to->count = from->count;
    to->entry_capacity = from->entry_capacity;
    to->index = from->index;
    to->slots = from->slots;
    from->entries = NULL;
    from->index = NULL;
    from->count = from->slots = 0;
    for (size_t i = 0; i < to->count; i++)
        to->entries[i].value->parent = to;
}

// --- sequences and scalars ------------------------------------------------------------------

tac_status tac_node_append(tac_document *doc, tac_node *sequence, tac_node *item)
{
    TAC_REQUIRE(doc && sequence && sequence->kind == TAC_NODE_SEQUENCE && item && item != sequence);
    if (!TAC__ARENA_GROW(&doc->arena, sequence->items, sequence->count, sequence->item_capacity))
        return TAC_E_MEMORY;
    sequence->items[sequence->count++] = item;
    item->parent = sequence;
    return TAC_OK;
}

void tac__node_replace(tac_node *node, size_t i, tac_node *value)
{
    TAC_ASSERT(i < node->count);
    if (node->kind == TAC_NODE_MAP)
        node->entries[i].value = value;
    else
        node->items[i] = value;
    value->parent = node;
}

void tac__node_set_place(tac_node *node, const tac_place *place)
{
    node->place = *place;
    node->source = NULL;
}

void tac__node_set_expanded(tac_node *scalar, const char *text, bool quoted)
{
    if (scalar->text != text && strcmp(scalar->text, text) != 0)
        scalar->source = NULL;
    scalar->text = text;
    scalar->quoted = quoted;
    scalar->expanded = true;
}

bool tac__node_expanded(const tac_node *scalar)
{
    return scalar->expanded;
}

tac_status tac__node_fail_kind(const tac_node *node, const char *what, tac_error *err)
{
    tac__fail_at(err, TAC_E_TYPE, tac_node_place(node), "%s, found ", what);
    if (tac_node_kind_of(node) == TAC_NODE_MAP)
        tac__error_append(err, "a map");
    else if (tac_node_kind_of(node) == TAC_NODE_SEQUENCE)
        tac__error_append(err, "a list");
    else if (tac_node_is_null(node))
        tac__error_append(err, "nothing");
    else
        tac__error_append(err, "'%s'", tac_node_text(node));
    return TAC_E_TYPE;
}

// --- places inside a scalar -----------------------------------------------------------------

void tac__node_set_source(tac_node *scalar, const char *source)
{
    scalar->source = source;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// Bytes at `c` of the source that stand for one character of the text. `*blank`: for a blank, or
// for none.
static size_t source_length(const char *c, char quote, bool *blank)
{
    const bool escape = quote == '"' && *c == '\\' && c[1];
    *blank = is_blank(*c) || (escape && (is_blank(c[1]) || strchr("nrt", c[1])));
    if (escape)
        return is_blank(c[1]) ? 1 : 2;
    return quote == '\'' && *c == '\'' && c[1] == '\'' ? 2 : 1;
}

// Line breaks and indentation differ between a text and its source, all else is alike: the place is
// found by counting what is not blank.
tac_place tac__node_place_at(const tac_node *scalar, size_t at, char excerpt[TAC_ERROR_NAME])
{
    tac_place place = scalar->place;
    if (!scalar->source || !place.excerpt)
        return place;
    size_t solid = 0;
    for (size_t i = 0; i < at && scalar->text[i]; i++)
        solid += !is_blank(scalar->text[i]);
    const char *line = scalar->source, *c = line;
    for (uint32_t column = 1; *c && column < place.column; column++) {
        c++;
        while (((unsigned char)*c & 0xC0) == 0x80)
            c++;
    }
    const char quote = *c == '\'' || *c == '"' ? *c : '\0';
    if (quote)
        c++;
    else if (*c == '|' || *c == '>') // the text begins in the next line
        c += strcspn(c, "\n");
    for (size_t n; *c; c += n) {
        bool blank;
        n = source_length(c, quote, &blank);
        if (*c == '\n') {
            line = c + 1;
            place.line++;
        }
        if (!blank && solid-- == 0)
            break;
    }
    if (!*c)
        return scalar->place;
    place.column = 1;
    for (const char *b = line; b < c; b++)
        place.column += ((unsigned char)*b & 0xC0) != 0x80;
    tac__excerpt(line, line + strcspn(line, "\r\n"), excerpt);
    place.excerpt = excerpt;
    return place;
}

bool tac__node_has_lines(const tac_node *scalar)
{
    return scalar && scalar->source;
}

static bool continues_character(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80; // UTF-8
}

tac_place tac__place_in_line(const tac_place *place, const char *part, uint32_t further)
{
    tac_place inside = *place;
    const char *c = place->line && place->excerpt ? place->excerpt : "";
    for (uint32_t column = 1; *c && column < place->column; column++) {
        c++;
        while (continues_character(*c))
            c++;
    }
    const char *found = *c && *part ? strstr(c, part) : NULL;
    if (!found)
        return inside;
    for (; c < found; c++)
        inside.column += !continues_character(*c);
    inside.column += further;
    return inside;
}

tac_place tac__node_place_of(const tac_node *scalar, const char *part, uint32_t further,
                             char excerpt[TAC_ERROR_NAME])
{
    if (!tac__node_has_lines(scalar))
        return tac__place_in_line(tac_node_place(scalar), part, further);
    const char *text = tac_node_text(scalar), *c = strstr(text, part);
    for (c = c ? c : text; *c && further > 0; further--) {
        c++;
        while (continues_character(*c))
            c++;
    }
    return tac__node_place_at(scalar, (size_t)(c - text), excerpt);
}

// --- looking --------------------------------------------------------------------------------

tac_node_kind tac_node_kind_of(const tac_node *node)
{
    return node ? node->kind : TAC_NODE_SCALAR;
}

const char *tac_node_text(const tac_node *scalar)
{
    return scalar && scalar->kind == TAC_NODE_SCALAR ? scalar->text : NULL;
}

bool tac_node_is_null(const tac_node *node)
{
    if (!node)
        return true;
    if (node->kind != TAC_NODE_SCALAR || node->quoted)
        return false;
    // The words of YAML's core schema; nothing at all ("key:") is null as well.
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(node->text, words[i]) == 0)
            return true;
    }
    return false;
}

bool tac_node_quoted(const tac_node *node)
{
    return node && node->quoted;
}

size_t tac_node_count(const tac_node *node)
{
    return node ? node->count : 0;
}

tac_node *tac__node_item_mutable(tac_node *node, size_t i)
{
    if (!node || i >= node->count)
        return NULL;
    return node->kind == TAC_NODE_MAP ? node->entries[i].value : node->items[i];
}

const tac_node *tac_node_item(const tac_node *node, size_t i)
{
    if (!node || i >= node->count)
        return NULL;
    return node->kind == TAC_NODE_MAP ? node->entries[i].value : node->items[i];
}

const char *tac_node_key(const tac_node *map, size_t i)
{
    return is_map(map) && i < map->count ? map->entries[i].key : NULL;
}

const tac_place *tac_node_key_place(const tac_node *map, size_t i)
{
    return is_map(map) && i < map->count ? &map->entries[i].key_place : &nowhere;
}

tac_node *tac__node_get_mutable(tac_node *map, const char *key)
{
    const size_t i = tac__node_find(map, key);
    return i == SIZE_MAX ? NULL : map->entries[i].value;
}

const tac_node *tac_node_get(const tac_node *map, const char *key)
{
    const size_t i = tac__node_find(map, key);
    return i == SIZE_MAX ? NULL : map->entries[i].value;
}

const tac_place *tac_node_place(const tac_node *node)
{
    return node ? &node->place : &nowhere;
}

tac__node_extent tac__node_measure(const tac_node *node)
{
    tac__node_extent extent = {.nodes = 1};
    if (node->kind == TAC_NODE_SCALAR)
        extent.bytes = strlen(node->text);
    for (size_t i = 0; i < node->count; i++) {
        const tac__node_extent item = tac__node_measure(tac_node_item(node, i));
        const char *key = tac_node_key(node, i);
        extent.nodes += item.nodes;
        extent.bytes += item.bytes + (key ? strlen(key) : 0);
        if (item.depth > extent.depth)
            extent.depth = item.depth;
    }
    extent.depth += node->kind != TAC_NODE_SCALAR;
    return extent;
}

static bool is_plain_key(const char *key)
{
    return key[0] && !strpbrk(key, ".[]=\" ");
}

static void add_path(tac__out *out, const tac_node *node)
{
    const tac_node *parent = node->parent;
    if (!parent)
        return;
    add_path(out, parent);
    size_t i = 0;
    while (i < parent->count && tac_node_item(parent, i) != node)
        i++;
    const char *key = tac_node_key(parent, i);
    if (key)
        tac__out_add(out, is_plain_key(key) ? "%s%s" : "%s\"%s\"", out->length ? "." : "", key);
    else
        tac__out_add(out, "[%zu]", i);
}

size_t tac__node_path(const tac_node *node, char *buffer, size_t size)
{
    tac__out out = tac__out_begin(buffer, size);
    if (node)
        add_path(&out, node);
    return out.length;
}

// --- copying --------------------------------------------------------------------------------

typedef struct copier {
    tac_document *doc;
    bool foreign;            // names and excerpts belong to another document
    tac_place from, to;      // the last place copied: neighbours share their file and their line
    tac__node_keep_fn *keep; // NULL: everything is copied
    const void *context;
} copier;

static bool copy_text(copier *c, const char *text, const char **from, const char **to)
{
    if (text != *from) {
        *from = text;
        *to = text ? tac__arena_text(&c->doc->arena, text) : NULL;
    }
    return *to || !text;
}

static bool copy_place(copier *c, const tac_place *place, tac_place *copy)
{
    *copy = *place;
    if (!c->foreign)
        return true;
    if (!copy_text(c, place->file, &c->from.file, &c->to.file) ||
        !copy_text(c, place->excerpt, &c->from.excerpt, &c->to.excerpt))
        return false;
    copy->file = c->to.file;
    copy->excerpt = c->to.excerpt;
    return true;
}

static tac_node *copy_node(copier *c, const tac_node *node)
{
    tac_place place;
    if (!copy_place(c, &node->place, &place))
        return NULL;
    if (node->kind == TAC_NODE_SCALAR) {
        tac_node *copy =
            tac__node_scalar_bytes(c->doc, node->text, strlen(node->text), node->quoted, &place);
        if (copy)
            copy->expanded = node->expanded;
        if (copy && node->source)
            copy->source =
                c->foreign ? tac__arena_text(&c->doc->arena, node->source) : node->source;
        return copy && node->source && !copy->source ? NULL : copy;
    }
    tac_node *copy = make(c->doc, node->kind, &place);
    for (size_t i = 0; copy && i < node->count; i++) {
        if (c->keep && !c->keep(c->context, tac_node_item(node, i)))
            continue;
        // The key first: its line comes before the value's, see `copier.from`.
        tac_place key_place;
        if (node->kind == TAC_NODE_MAP && !copy_place(c, &node->entries[i].key_place, &key_place))
            return NULL;
        tac_node *item = copy_node(c, tac_node_item(node, i));
        if (!item)
            return NULL;
        const tac_status status =
            node->kind == TAC_NODE_MAP
                ? tac_node_set(c->doc, copy, node->entries[i].key, &key_place, item)
                : tac_node_append(c->doc, copy, item);
        if (status != TAC_OK)
            return NULL;
    }
    return copy;
}

tac_node *tac__node_copy(tac_document *doc, const tac_document *from, const tac_node *node)
{
    return tac__node_copy_some(doc, from, node, NULL, NULL);
}

tac_node *tac__node_copy_some(tac_document *doc, const tac_document *from, const tac_node *node,
                              tac__node_keep_fn *keep, const void *context)
{
    copier c = {.doc = doc, .foreign = doc != from, .keep = keep, .context = context};
    return copy_node(&c, node);
}

// --- sharing --------------------------------------------------------------------------------

// A node that holds the same items. Of a map it has no index: it is searched key by key until it
// grows, which is right for the few keys that a part of an entity has.
static tac_node *copy_shallow(tac_document *doc, const tac_node *node)
{
    tac_node *copy = make(doc, node->kind, &node->place);
    if (!copy)
        return NULL;
    copy->quoted = node->quoted;
    copy->expanded = node->expanded;
    if (node->kind == TAC_NODE_SCALAR) {
        copy->text = node->text;
        copy->source = node->source;
        return copy;
    }
    const size_t size = node->kind == TAC_NODE_MAP ? sizeof *node->entries : sizeof *node->items;
    void *items = node->count ? tac__arena_array(&doc->arena, node->count, size) : NULL;
    if (node->count && !items)
        return NULL;
    if (node->count)
        memcpy(items, node->kind == TAC_NODE_MAP ? (void *)node->entries : (void *)node->items,
               node->count * size);
    if (node->kind == TAC_NODE_MAP)
        copy->entries = items;
    else
        copy->items = items;
    copy->count = node->count;
    return copy;
}

// Whether the tree contains a variable that has not been expanded.
static bool has_variable(const tac_node *node)
{
    if (node->kind == TAC_NODE_SCALAR)
        return !node->expanded && strstr(node->text, "${");
    for (size_t i = 0; i < node->count; i++) {
        if (has_variable(tac_node_item(node, i)))
            return true;
    }
    return false;
}

tac_node *tac__node_instance(tac_document *doc, const tac_node *node)
{
    tac_node *copy = copy_shallow(doc, node);
    for (size_t i = 0; copy && i < copy->count; i++) {
        const tac_node *item = tac_node_item(node, i);
        if (!has_variable(item))
            continue;
        tac_node *own = tac__node_instance(doc, item);
        if (!own)
            return NULL;
        tac__node_replace(copy, i, own);
    }
    return copy;
}

bool tac__node_shared(const tac_node *node, size_t i)
{
    return tac_node_item(node, i)->parent != node;
}

tac_node *tac__node_own(tac_document *doc, tac_node *node, size_t i)
{
    tac_node *item = tac__node_item_mutable(node, i);
    if (item->parent == node)
        return item;
    tac_node *own = copy_shallow(doc, item);
    if (own)
        tac__node_replace(node, i, own);
    return own;
}
