// message.c - the layout of messages by PX4's rule, their hash, and finding a field by name.
#include "autopilot/px4/message.h"

#include <string.h>

enum { ALIGNMENT = 8 }; // of a message and of messages in it

const tac__uorb_scalar tac__uorb_scalars[TAC__UORB_MESSAGE] = {
#define ROW(name, text, size, lowest, highest) {text, size, lowest, highest},
    TAC__UORB_TYPES(ROW)
#undef ROW
};

const char *tac__uorb_scalar_name(const void *context, size_t i)
{
    (void)context;
    return i < TAC__UORB_MESSAGE ? tac__uorb_scalars[i].name : NULL;
}

bool tac__uorb_scalar_find(const char *name, tac__uorb_type *type)
{
    for (size_t i = 0; i < TAC__UORB_MESSAGE; i++) {
        if (!strcmp(tac__uorb_scalars[i].name, name)) {
            *type = (tac__uorb_type)i;
            return true;
        }
    }
    return false;
}

const char *tac__uorb_element_type(const tac__uorb_field *field)
{
    return field->message ? field->message->name : tac__uorb_scalars[field->type].name;
}

uint32_t tac__uorb_element_size(const tac__uorb_field *field)
{
    return field->message ? field->message->size : tac__uorb_scalars[field->type].size;
}

// --- layout -------------------------------------------------------------------------------------

static uint64_t align_up(uint64_t offset)
{
    return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// Fields are sorted by this, largest first: nested messages come last.
static uint32_t rank(const tac__uorb_field *field)
{
    return field->message ? 0 : tac__uorb_element_size(field);
}

// Place the fields of one rank behind those placed already. Scalars need no padding between them,
// because their sizes decrease; each nested message is aligned. The 64-bit end cannot overflow;
// offsets that do not fit into 32 bits belong to a message that is refused as too large.
static void place_fields(const tac__uorb_field *declared, size_t count, uint32_t ranked,
                         tac__uorb_field *fields, uint16_t *order, size_t *used, uint64_t *end)
{
    for (size_t i = 0; i < count; i++) {
        if (rank(&declared[i]) != ranked)
            continue;
        tac__uorb_field *field = &fields[*used];
        *field = declared[i];
        order[i] = (uint16_t)*used;
        (*used)++;
        if (field->message)
            *end = align_up(*end);
        field->offset = (uint32_t)*end;
        *end += (uint64_t)field->count * tac__uorb_element_size(field);
    }
}

// --- hash ---------------------------------------------------------------------------------------

// FNV-1a, 32 bits.
static uint32_t hash_text(uint32_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT32_C(0x01000193);
    return hash;
}

// "float32[3] xyz\n" for each field; a nested message is followed by the same for its own fields.
// As every message has at least one byte, the size of the outermost message bounds the work.
static uint32_t hash_fields(uint32_t hash, const tac__uorb_message *message)
{
    for (size_t i = 0; i < message->field_count; i++) {
        const tac__uorb_field *field = &message->fields[message->declared[i]];
        hash = hash_text(hash, tac__uorb_element_type(field));
        if (field->array) {
            char length[16];
            tac__out out = tac__out_begin(length, sizeof length);
            tac__out_add(&out, "[%u]", field->count);
            hash = hash_text(hash, length);
        }
        hash = hash_text(hash, " ");
        hash = hash_text(hash, field->name);
        hash = hash_text(hash, "\n");
        if (field->message)
            hash = hash_fields(hash, field->message);
    }
    return hash;
}

tac_status tac__uorb_lay_out(tac__arena *arena, const char *name, const tac__uorb_field *declared,
                             size_t count, const tac__uorb_message **message, tac_error *err)
{
    static const uint32_t ranks[] = {8, 4, 2, 1, 0};
    if (count == 0)
        return tac__fail(err, TAC_E_TYPE, "message '%s' has no fields", name);
    if (count > TAC__UORB_FIELDS_MAX)
        return tac__fail(err, TAC_E_LIMIT, "message '%s' has more than %d fields", name,
                         TAC__UORB_FIELDS_MAX);
    tac__uorb_message *made = tac__arena_alloc(arena, sizeof *made);
    tac__uorb_field *fields = tac__arena_array(arena, count, sizeof *fields);
    uint16_t *order = tac__arena_array(arena, count, sizeof *order);
    if (!made || !fields || !order)
        return tac__fail_memory(err);
    uint64_t end = 0;
    size_t used = 0;
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
        place_fields(declared, count, ranks[r], fields, order, &used, &end);
    if (end > TAC__UORB_SIZE_MAX)
        return tac__fail(err, TAC_E_LIMIT, "message '%s' is larger than %d bytes", name,
                         TAC__UORB_SIZE_MAX);
    *made = (tac__uorb_message){.name = name,
                                .fields = fields,
                                .declared = order,
                                .field_count = count,
                                .size = (uint32_t)align_up(end),
                                .size_no_padding = (uint32_t)end};
    made->depth = 1;
    for (size_t i = 0; i < count; i++) {
        if (fields[i].message && fields[i].message->depth >= made->depth)
            made->depth = fields[i].message->depth + 1;
    }
    made->hash = hash_fields(UINT32_C(0x811c9dc5), made);
    *message = made;
    return TAC_OK;
}

// --- finding ------------------------------------------------------------------------------------

static const char *field_name(const void *context, size_t i)
{
    const tac__uorb_message *message = context;
    return i < message->field_count ? message->fields[i].name : NULL;
}

static const tac__uorb_field *find_field(const tac__uorb_message *message, const char *name,
                                         size_t length)
{
    for (size_t i = 0; i < message->field_count; i++) {
        const char *candidate = message->fields[i].name;
        if (!strncmp(candidate, name, length) && candidate[length] == '\0')
            return &message->fields[i];
    }
    return NULL;
}

static tac_status fail_unknown(const tac__uorb_message *message, const char *name, size_t length,
                               tac_error *err)
{
    char text[TAC__UORB_NAME];
    tac__out out = tac__out_begin(text, sizeof text);
    tac__out_add(&out, "%.*s", length < sizeof text ? (int)length : (int)sizeof text, name);
    tac__fail(err, TAC_E_NAME, "message '%s' has no field '%s'", message->name, text);
    tac__error_suggest(err, text, field_name, message);
    return TAC_E_NAME;
}

// Reads "[3]" at *path, and moves *path behind it.
static tac_status read_index(const tac__uorb_field *field, const char **path, uint32_t *index,
                             tac_error *err)
{
    const char *c = *path + 1;
    uint32_t value = 0;
    const size_t digits = strspn(c, "0123456789");
    for (size_t i = 0; i < digits && value < TAC__UORB_SIZE_MAX; i++)
        value = value * 10 + (uint32_t)(c[i] - '0');
    if (digits == 0 || c[digits] != ']')
        return tac__fail(err, TAC_E_SYNTAX, "expected a number and ']' after '%s['", field->name);
    if (!field->array)
        return tac__fail(err, TAC_E_TYPE, "field '%s' is no array", field->name);
    if (value >= field->count)
        return tac__fail(err, TAC_E_RANGE, "'%s[%.*s]': there are %u elements, from 0 to %u",
                         field->name, digits < 20 ? (int)digits : 20, c, field->count,
                         field->count - 1);
    *path = c + digits + 1;
    *index = value;
    return TAC_OK;
}

tac_status tac__uorb_find(const tac__uorb_message *message, const char *path, tac__uorb_slot *slot,
                          tac_error *err)
{
    for (uint32_t base = 0;;) {
        const size_t length = strcspn(path, ".[");
        const tac__uorb_field *field = find_field(message, path, length);
        if (!field)
            return fail_unknown(message, path, length, err);
        path += length;
        uint32_t index = 0;
        const bool element = *path == '[';
        if (element)
            TAC_TRY(read_index(field, &path, &index, err));
        base += field->offset + index * tac__uorb_element_size(field);
        if (*path == '\0' && !field->message) {
            *slot = (tac__uorb_slot){field->type, element ? 1 : field->count, base};
            return TAC_OK;
        }
        if (!field->message)
            return tac__fail(err, TAC_E_TYPE, "field '%s' is %s: nothing follows it, found '%s'",
                             field->name, tac__uorb_element_type(field), path);
        if (*path != '.' || (field->array && !element))
            return tac__fail(err, TAC_E_TYPE, "field '%s' is a %s: expected '%s%s.%s'", field->name,
                             field->message->name, field->name, field->array ? "[0]" : "",
                             field->message->fields[0].name);
        path++;
        message = field->message;
    }
}
