// lcm_type.c - types of LCM, as its type specification language and lcm-gen have them.
#include "bus/lcm_type.h"

#include <inttypes.h>
#include <string.h>

static const char *const type_names[] = {
    [TAC_F64] = "double",   [TAC_I32] = "int32_t",  [TAC_I64] = "int64_t",
    [TAC_BOOL] = "boolean", [TAC_ENUM] = "int32_t",
};

// --- fingerprints -------------------------------------------------------------------------------

// LCM's own hash of a struct: of names, types and dimensions of its members, not of its name.
static uint64_t hash_byte(uint64_t v, int8_t c)
{
    return ((v << 8) ^ (uint64_t)((int64_t)v >> 55)) + (uint64_t)c;
}

static uint64_t hash_text(uint64_t v, const char *text)
{
    v = hash_byte(v, (int8_t)strlen(text));
    for (; *text; text++)
        v = hash_byte(v, (int8_t)*text);
    return v;
}

uint64_t tac__lcm_hash_begin(void)
{
    return 0x12345678;
}

uint64_t tac__lcm_hash_member(uint64_t v, const char *name, const char *type, const char *dimension,
                              bool variable)
{
    v = hash_text(v, name);
    v = hash_text(v, type);
    v = hash_byte(v, dimension != NULL); // the number of dimensions
    if (dimension) {
        v = hash_byte(v, variable);
        v = hash_text(v, dimension);
    }
    return v;
}

uint64_t tac__lcm_hash_end(uint64_t v)
{
    return (v << 1) + (v >> 63);
}

// --- values -------------------------------------------------------------------------------------

uint8_t *tac__lcm_put(uint8_t *to, uint64_t bits, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(bits >> (8 * (size - 1 - i)));
    return to + size;
}

uint64_t tac__lcm_get(const uint8_t *from, size_t size)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits = bits << 8 | from[i];
    return bits;
}

uint8_t *tac__lcm_put_value(uint8_t *to, const tac_type *type, const void *value)
{
    const size_t size = tac__scalar_size(type->scalar);
    for (uint32_t i = 0; i < type->count; i++) {
        const char *at = (const char *)value + i * size;
        uint64_t bits;
        uint32_t half;
        switch (type->scalar) {
        case TAC_BOOL:
            to = tac__lcm_put(to, *(const bool *)at, 1);
            break;
        case TAC_I32:
        case TAC_ENUM:
            memcpy(&half, at, sizeof half);
            to = tac__lcm_put(to, half, sizeof half);
            break;
        default:
            memcpy(&bits, at, sizeof bits);
            to = tac__lcm_put(to, bits, sizeof bits);
        }
    }
    return to;
}

const uint8_t *tac__lcm_get_value(const uint8_t *from, const tac_type *type, void *value)
{
    const size_t size = tac__scalar_size(type->scalar);
    for (uint32_t i = 0; i < type->count; i++) {
        char *at = (char *)value + i * size;
        const size_t bytes = type->scalar == TAC_BOOL ? 1 : size;
        const uint64_t bits = tac__lcm_get(from, bytes);
        const uint32_t half = (uint32_t)bits;
        from += bytes;
        switch (type->scalar) {
        case TAC_BOOL:
            *(bool *)at = bits != 0;
            break;
        case TAC_I32:
        case TAC_ENUM:
            memcpy(at, &half, sizeof half);
            break;
        default:
            memcpy(at, &bits, sizeof bits);
        }
    }
    return from;
}

// --- structs ------------------------------------------------------------------------------------

tac_status tac__lcm_types_begin(tac__lcm_types *types, tac__arena *arena, tac__text *out,
                                const char *title, tac_error *err)
{
    *types = (tac__lcm_types){.arena = arena, .out = out};
    tac__text_init(&types->body, arena->allocator);
    tac__arena_init(&types->scratch, arena->allocator);
    tac__text_add(out, "// %s\npackage tactus;\n", title);
    // Names of lcm_message.h: no component's.
    if (tac__names_set(&types->names, arena, "numbers_t", 1) != TAC_OK ||
        tac__names_set(&types->names, arena, "bytes_t", 1) != TAC_OK)
        return tac__fail_memory(err);
    return TAC_OK;
}

void tac__lcm_types_end(tac__lcm_types *types)
{
    tac__text_fini(&types->body);
    tac__arena_fini(&types->scratch);
}

// Words that a member cannot be called by in a language that lcm-gen writes.
static bool is_reserved(const char *name)
{
    static const char words[] =
        " abstract alignas alignof and and_eq as asm assert async auto await bitand bitor bool "
        "boolean break byte case catch char class compl concept const const_cast constexpr "
        "continue "
        "decltype def default del delete do double dynamic_cast elif else enum except explicit "
        "export extends extern false final finally float for friend from global goto if implements "
        "import in inline instanceof int int16_t int32_t int64_t int8_t interface is lambda long "
        "mutable namespace native new noexcept nonlocal not not_eq null nullptr operator or or_eq "
        "package pass private protected public raise register reinterpret_cast requires restrict "
        "return short signed sizeof static static_assert static_cast strictfp string struct super "
        "switch synchronized template this thread_local throw throws transient true try typedef "
        "typeid typename union unsigned using virtual void volatile wchar_t while with xor xor_eq "
        "yield ";
    const size_t length = strlen(name);
    for (const char *at = strstr(words, name); at; at = strstr(at + 1, name)) {
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    }
    return false;
}

static const char *name_member(tac__lcm_types *types, const char *name, tac__names *taken)
{
    char *member = tac__arena_format(types->arena, "%s%s", name, is_reserved(name) ? "_" : "");
    for (char *c = member; c && *c; c++)
        *c = *c == '.' ? '_' : *c;
    if (member)
        tac__brackets_to(member, '_');
    // The table is thrown away, what it points to stays.
    const char *unique = member ? tac__names_add_new(taken, &types->scratch, member, "_") : NULL;
    return unique == member || !unique ? unique : tac__arena_text(types->arena, unique);
}

// PHASE_TAKEOFF: a constant a label.
static tac_status add_labels(tac__lcm_types *types, const tac__lcm_field *field, const char *member,
                             tac__names *taken, tac_error *err)
{
    if (field->type.scalar != TAC_ENUM || !field->type.labels)
        return TAC_OK;
    for (size_t i = 0; field->type.labels[i]; i++) {
        char *name = tac__arena_format(&types->scratch, "%s_%s", member, field->type.labels[i]);
        for (char *c = name; c && *c; c++)
            *c = tac__is_alnum(*c) ? tac__to_upper(*c) : '_';
        const char *unique = name ? tac__names_add_new(taken, &types->scratch, name, "_") : NULL;
        if (!unique)
            return tac__fail_memory(err);
        tac__text_add(&types->body, "    const int32_t %s = %zu;\n", unique, i);
    }
    return TAC_OK;
}

// In one line, as a comment.
static void add_comment(tac__text *out, const tac__lcm_field *field)
{
    const bool unit = field->unit && field->unit[0] && strcmp(field->unit, "1") != 0;
    const char *doc = field->doc ? field->doc : "";
    if (!unit && !doc[0])
        return;
    tac__text_add(out, " //%s%s%s ", unit ? " [" : "", unit ? field->unit : "", unit ? "]" : "");
    for (; *doc; doc++)
        tac__text_bytes(out, (unsigned char)*doc < ' ' ? " " : doc, 1);
}

static void add_member(tac__lcm_types *types, const tac__lcm_field *field, const char *member,
                       tac__lcm_group *group)
{
    const char *type = type_names[field->type.scalar];
    char dimension[12] = "";
    if (field->type.shape != TAC_SINGLE) {
        tac__out text = tac__out_begin(dimension, sizeof dimension);
        tac__out_add(&text, "%" PRIu32, field->type.count);
        tac__text_add(&types->body, "    %s %s[%s];", type, member, dimension);
    } else {
        tac__text_add(&types->body, "    %s %s;", type, member);
    }
    add_comment(&types->body, field);
    tac__text_add(&types->body, "\n");
    group->fingerprint = tac__lcm_hash_member(group->fingerprint, member, type,
                                              dimension[0] ? dimension : NULL, false);
    group->size += tac__type_size(&field->type);
}

static tac_status define(tac__lcm_types *types, const tac__lcm_field *fields, size_t count,
                         tac__lcm_group *group, tac_error *err)
{
    tac__names taken = {0};
    tac__arena_clear(&types->scratch);
    group->members = tac__arena_array(types->arena, count + 1, sizeof *group->members);
    if (!group->members || tac__names_set(&taken, &types->scratch, "utime", 1) != TAC_OK)
        return tac__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (!(group->members[i] = name_member(types, fields[i].name, &taken)))
            return tac__fail_memory(err);
    }
    types->body.length = 0;
    tac__text_add(&types->body, "{\n    int64_t utime; // microseconds since the start\n");
    group->fingerprint =
        tac__lcm_hash_member(tac__lcm_hash_begin(), "utime", "int64_t", NULL, false);
    group->size = 16; // fingerprint and utime
    for (size_t i = 0; i < count; i++)
        add_member(types, &fields[i], group->members[i], group);
    for (size_t i = 0; i < count; i++)
        TAC_TRY(add_labels(types, &fields[i], group->members[i], &taken, err));
    tac__text_add(&types->body, "}\n");
    group->fingerprint = tac__lcm_hash_end(group->fingerprint);
    return types->body.failed ? tac__fail_memory(err) : TAC_OK;
}

static const char *name_struct(tac__lcm_types *types, const char *stem)
{
    char *name = tac__arena_format(types->arena, "%s_t", stem);
    for (char *c = name; c && *c; c++)
        *c = *c == '.' ? '_' : *c;
    return name ? tac__names_add_new(&types->names, types->arena, name, "_") : NULL;
}

tac_status tac__lcm_type_of_group(tac__lcm_types *types, const char *stem, const char *channel,
                                  const tac__lcm_field *fields, size_t count, tac__lcm_group *group,
                                  tac_error *err)
{
    TAC_TRY(define(types, fields, count, group, err));
    const int known = tac__names_find(&types->bodies, types->body.chars);
    if (known >= 0) {
        group->type = types->structs[known];
        return TAC_OK;
    }
    const char *body = tac__arena_text(types->arena, types->body.chars);
    group->type = name_struct(types, stem);
    if (!body || !group->type ||
        !TAC__ARENA_GROW(types->arena, types->structs, types->count, types->capacity) ||
        tac__names_set(&types->bodies, types->arena, body, (uint32_t)types->count) != TAC_OK)
        return tac__fail_memory(err);
    types->structs[types->count++] = group->type;
    tac__text_add(types->out, "\n// channel %s, fingerprint 0x%016" PRIx64 "\nstruct %s %s",
                  channel, group->fingerprint, group->type, body);
    return TAC_OK;
}

// --- all signals --------------------------------------------------------------------------------

static const char *behind(const char *name, const char *writer)
{
    const size_t length = strlen(writer);
    return !strncmp(name, writer, length) && name[length] == '.' ? name + length + 1 : name;
}

// The signals of a component stand one behind the other.
tac_status tac__schema_lcm(const tac__schema *schema, tac__lcm_types *types, tac_error *err)
{
    tac__lcm_field *fields = NULL;
    size_t room = 0;
    for (size_t first = 0, end; first < schema->count; first = end) {
        const tac__signal *s = &schema->signals[first];
        for (end = first; end < schema->count; end++) {
            if (schema->signals[end].component != s->component)
                break;
        }
        if (end - first > room) {
            room = end - first;
            fields = tac__arena_array(types->arena, room, sizeof *fields);
        }
        if (!fields)
            return tac__fail_memory(err);
        for (size_t i = first; i < end; i++) {
            const tac__signal_kind *kind = schema->signals[i].kind;
            fields[i - first] = (tac__lcm_field){behind(schema->signals[i].name, s->writer),
                                                 kind->unit, kind->doc, kind->type};
        }
        const char *dot = strrchr(s->writer, '.');
        tac__lcm_group group;
        TAC_TRY(tac__lcm_type_of_group(types, dot ? dot + 1 : s->writer, s->writer, fields,
                                       end - first, &group, err));
    }
    return TAC_OK;
}
