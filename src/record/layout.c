// layout.c - see layout.h.
#include "record/layout.h"
#include "base/floats.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/names.h"
#include "bus/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "recordings are little-endian");
_Static_assert(sizeof(bool) == 1, "a bool is one byte, in memory as in a message");

const unsigned char tac__cdr_header[TAC__CDR_HEADER] = {0, 1, 0, 0};

enum { ELEMENTS_LIMIT = 1 << 20, FIELDS_LIMIT = 1 << 16 };

static const char *const scalar_names[] = {"f64", "i32", "i64", "bool", "enum"};
static const char *const shape_names[] = {"single", "array", "vec3", "quat"};
static const char *const msg_types[] = {"float64", "int32", "int64", "bool", "int32"};

tac_status tac__layout_add(tac__layout *l, tac__arena *arena, const tac_recorded *signal)
{
    if (!TAC__ARENA_GROW(arena, l->fields, l->count, l->capacity))
        return TAC_E_MEMORY;
    l->fields[l->count++] = (tac__field){.signal = *signal};
    return TAC_OK;
}

// --- names in messages --------------------------------------------------------------------------

// Words of letters and digits with single '_' between them, `to` applied to each character: what
// ROS 2 allows in names. `out` has room for as many characters as `text` has, and one more.
static char *put_words(char *out, const char *text, char (*to)(char))
{
    char *const start = out;
    for (; *text; text++) {
        if (tac__is_alnum(*text))
            *out++ = to(*text);
        else if (out > start && out[-1] != '_')
            *out++ = '_';
    }
    if (out > start && out[-1] == '_')
        out--;
    *out = '\0';
    return out;
}

// A field: lower case, from a letter on.
static char *legal_name(tac__arena *arena, const char *full, const char *component)
{
    const size_t prefix = strlen(component);
    if (prefix && !strncmp(full, component, prefix) && full[prefix] == '.')
        full += prefix + 1;
    char *name = tac__arena_format(arena, "%s%s", tac__is_letter(*full) ? "" : "s_", full);
    if (name)
        put_words(name, name, tac__to_lower);
    return name;
}

// Not twice the same in one message.
static tac_status name_field(tac__field *f, tac__arena *arena, tac__names *taken,
                             const char *component)
{
    const char *name = legal_name(arena, f->signal.name, component);
    f->name = name ? tac__names_add_new(taken, arena, name, "_") : NULL;
    return f->name ? TAC_OK : TAC_E_MEMORY;
}

static tac_status find_spans(tac__layout *l, tac__arena *arena)
{
    l->spans = tac__arena_array(arena, l->count, sizeof *l->spans);
    if (!l->spans)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < l->count; i++) {
        const tac__field *f = &l->fields[i];
        tac__span *last = i ? &l->spans[l->span_count - 1] : NULL;
        if (last && last->offset + last->bytes == f->signal.offset &&
            last->at + last->bytes == f->at)
            last->bytes += f->bytes;
        else
            l->spans[l->span_count++] = (tac__span){f->signal.offset, f->at, f->bytes};
    }
    return TAC_OK;
}

tac_status tac__layout_close(tac__layout *l, tac__arena *arena, const char *component)
{
    size_t at = TAC__CDR_HEADER;
    tac__names taken = {0};
    l->size = 0;
    for (size_t i = 0; i < l->count; i++) {
        tac__field *f = &l->fields[i];
        f->bytes = f->signal.type.count * tac__scalar_size(f->signal.type.scalar);
        f->signal.offset = l->size;
        l->size += tac__type_words(&f->signal.type) * 8;
        TAC_TRY(name_field(f, arena, &taken, component));
    }
    for (size_t width = 8; width; width /= 2) {
        for (size_t i = 0; i < l->count; i++) {
            tac__field *f = &l->fields[i];
            if (tac__scalar_size(f->signal.type.scalar) != width)
                continue;
            f->at = at;
            at += f->bytes;
        }
    }
    l->message_size = at;
    return find_spans(l, arena);
}

void tac__layout_encode(const tac__layout *l, const void *sample, unsigned char *message)
{
    memcpy(message, tac__cdr_header, TAC__CDR_HEADER);
    for (const tac__span *s = l->spans, *end = s + l->span_count; s < end; s++)
        memcpy(message + s->at, (const char *)sample + s->offset, s->bytes);
}

void tac__layout_decode(const tac__layout *l, const unsigned char *message, void *sample)
{
    for (size_t i = 0; i < l->count; i++) {
        const tac__field *f = &l->fields[i];
        unsigned char *value = (unsigned char *)sample + f->signal.offset;
        memcpy(value, message + f->at, f->bytes);
        if (f->signal.type.scalar == TAC_F64) // of one that others wrote
            tac__one_nan(value, f->bytes / sizeof(double));
        for (size_t k = 0; f->signal.type.scalar == TAC_BOOL && k < f->bytes; k++)
            value[k] = value[k] != 0; // whatever a damaged file says
    }
}

// --- as ros2msg ---------------------------------------------------------------------------------

// FIELD_LABEL, upper case; labels that come to the same name are numbered.
static const char *constant_name(tac__names *taken, tac__arena *arena, const char *field,
                                 const char *label)
{
    char *name = tac__arena_format(arena, "%s_%s", field, label);
    if (!name)
        return NULL;
    put_words(name, name, tac__to_upper);
    return tac__names_add_new(taken, arena, name, "_");
}

static void add_constants(const tac__field *f, tac__names *taken, tac__arena *arena, tac__text *out)
{
    const char *const *labels = f->signal.type.labels;
    for (int k = 0; labels && labels[k]; k++) {
        const char *name = constant_name(taken, arena, f->name, labels[k]);
        if (name)
            tac__text_add(out, "int32 %s=%d\n", name, k);
        else
            out->failed = true;
    }
}

// The length of a character at which some reader ends a line; 0: it is another one. Python's
// str.splitlines also knows U+0085, U+2028 and U+2029.
static size_t line_end(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (*c < 0x20)
        return 1;
    if (c[0] == 0xc2 && c[1] == 0x85)
        return 2;
    return c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9) ? 3 : 0;
}

// A comment ends with its line.
static void add_line(tac__text *out, const char *text)
{
    for (size_t end; *text; text += end ? end : 1) {
        end = line_end(text);
        tac__text_bytes(out, end ? " " : text, 1);
    }
    tac__text_add(out, "\n");
}

// In the order in which they lie in a message.
void tac__layout_msg(const tac__layout *l, const char *title, const tac_allocator *allocator,
                     tac__text *out)
{
    tac__arena arena;
    tac__arena_init(&arena, allocator);
    tac__names constants = {0};
    tac__text_add(out, "# %s\n", title);
    for (size_t width = 8; width; width /= 2) {
        for (size_t i = 0; i < l->count; i++) {
            const tac__field *f = &l->fields[i];
            const tac_type *type = &f->signal.type;
            if (tac__scalar_size(type->scalar) != width)
                continue;
            add_constants(f, &constants, &arena, out);
            tac__text_add(out, "%s", msg_types[type->scalar]);
            if (type->shape != TAC_SINGLE)
                tac__text_add(out, "[%u]", type->count);
            tac__text_add(out, " %s  # [%s] ", f->name, f->signal.unit);
            add_line(out, f->signal.doc);
        }
    }
    if (l->count == 0)
        tac__text_add(out, "uint8 structure_needs_at_least_one_member\n");
    tac__arena_fini(&arena);
}

// --- as JSON ------------------------------------------------------------------------------------

void tac__layout_json(const tac__layout *l, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_compact(&json);
    tac__json_array_begin(&json);
    for (size_t i = 0; i < l->count; i++) {
        const tac_recorded *s = &l->fields[i].signal;
        tac__json_object_begin(&json);
        tac__json_key_text(&json, "name", s->name);
        tac__json_key_text(&json, "field", l->fields[i].name);
        tac__json_key_text(&json, "type", scalar_names[s->type.scalar]);
        tac__json_key_text(&json, "shape", shape_names[s->type.shape]);
        tac__json_key_u64(&json, "count", s->type.count);
        tac__json_key_text(&json, "unit", s->unit);
        tac__json_key_text(&json, "doc", s->doc);
        tac__json_key_text(&json, "stage", tac_stage_name(s->stage));
        tac__json_key_bool(&json, "continuous", s->continuous);
        if (s->type.labels) {
            tac__json_key(&json, "labels");
            tac__json_array_begin(&json);
            for (size_t k = 0; s->type.labels[k]; k++)
                tac__json_text(&json, s->type.labels[k]);
            tac__json_array_end(&json);
        }
        tac__json_object_end(&json);
    }
    tac__json_array_end(&json);
}

static const char *get(const tac_node *map, const char *key)
{
    const char *text = tac_node_text(tac_node_get(map, key));
    return text ? text : "";
}

static bool choose(const char *name, const char *const *names, int count, int *index)
{
    for (*index = 0; *index < count; ++*index) {
        if (!strcmp(name, names[*index]))
            return true;
    }
    return false;
}

static tac_status read_labels(const tac_node *node, tac__arena *arena, tac_type *type)
{
    const size_t n = tac_node_count(node);
    const char **labels = tac__arena_array(arena, n + 1, sizeof *labels);
    if (!labels)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const char *text = tac_node_text(tac_node_item(node, i));
        labels[i] = tac__arena_text(arena, text ? text : "");
        if (!labels[i])
            return TAC_E_MEMORY;
    }
    type->labels = labels;
    return TAC_OK;
}

// One signal; false where it makes no sense.
static tac_status read_signal(const tac_node *node, tac__arena *arena, tac_recorded *s, bool *sound)
{
    int scalar, shape;
    const uint64_t count = tac__digits_parse(get(node, "count"), NULL, 10);
    *sound = choose(get(node, "type"), scalar_names, 5, &scalar) &&
             choose(get(node, "shape"), shape_names, 4, &shape) && count >= 1 &&
             count <= ELEMENTS_LIMIT && *get(node, "name") &&
             tac_stage_parse(get(node, "stage"), &s->stage);
    if (!*sound)
        return TAC_OK;
    s->type = (tac_type){(tac_scalar)scalar, (tac_shape)shape, (uint32_t)count, NULL};
    *sound = (shape != TAC_SINGLE || count == 1) && (shape != TAC_VEC3 || count == 3) &&
             (shape != TAC_QUAT || count == 4) && (shape < TAC_VEC3 || scalar == TAC_F64);
    s->continuous = !strcmp(get(node, "continuous"), "true");
    s->name = tac__arena_text(arena, get(node, "name"));
    s->unit = tac__arena_text(arena, get(node, "unit"));
    s->doc = tac__arena_text(arena, get(node, "doc"));
    if (!s->name || !s->unit || !s->doc)
        return TAC_E_MEMORY;
    const tac_node *labels = tac_node_get(node, "labels");
    return scalar == TAC_ENUM ? read_labels(labels, arena, &s->type) : TAC_OK;
}

static tac_status read_signals(tac__layout *l, tac__arena *arena, const tac_node *list,
                               tac_error *err)
{
    if (tac_node_kind_of(list) != TAC_NODE_SEQUENCE || tac_node_count(list) > FIELDS_LIMIT)
        return tac__fail(err, TAC_E_FORMAT, "the list of a channel's signals is damaged");
    for (size_t i = 0; i < tac_node_count(list); i++) {
        tac_recorded s = {0};
        bool sound;
        TAC_TRY(read_signal(tac_node_item(list, i), arena, &s, &sound));
        if (!sound)
            return tac__fail(err, TAC_E_FORMAT,
                             "the description of signal %zu of a channel is "
                             "damaged",
                             i + 1);
        TAC_TRY(tac__layout_add(l, arena, &s));
    }
    return TAC_OK;
}

tac_status tac__layout_read(tac__layout *l, tac__arena *arena, const char *component,
                            const char *json, size_t size, tac_error *err)
{
    tac_document *doc = tac_document_create(arena->allocator);
    if (!doc)
        return tac__fail_memory(err);
    tac_node *root;
    tac_status status = tac__json_read(doc, "signals", json, size, &root, err);
    if (status == TAC_OK)
        status = read_signals(l, arena, root, err);
    tac_document_destroy(doc);
    if (status == TAC_OK)
        status = tac__layout_close(l, arena, component);
    return status == TAC_E_MEMORY ? tac__fail_memory(err) : status;
}
