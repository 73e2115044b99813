// schema.c - the listing of signals as data, text and JSON.
#include "bus/schema.h"
#include "base/json.h"

#include <inttypes.h>
#include <string.h>

tac_status tac__schema_add(tac__schema *schema, tac__arena *arena, const tac__signal *signal)
{
    if (!TAC__ARENA_GROW(arena, schema->signals, schema->count, schema->capacity))
        return TAC_E_MEMORY;
    schema->signals[schema->count++] = *signal;
    return TAC_OK;
}

const char *tac__schema_name(const void *context, size_t i)
{
    const tac__schema *schema = context;
    return i < schema->count ? schema->signals[i].name : NULL;
}

uint64_t tac__schema_hash(const tac__schema *schema)
{
    tac__hash h = tac__hash_word(TAC__HASH_SEED, TAC__SCHEMA_VERSION);
    for (size_t i = 0; i < schema->count; i++) {
        const tac__signal *s = &schema->signals[i];
        char type[256];
        tac_type_print(&s->kind->type, type, sizeof type);
        h = tac__hash_text(h, s->name);
        h = tac__hash_text(h, type);
        h = tac__hash_text(h, s->kind->unit);
        h = tac__hash_text(h, s->writer);
        h = tac__hash_text(h, s->kind->group);
        h = tac__hash_word(h, (uint64_t)s->kind->stage << 1 | s->kind->continuous);
    }
    return tac__hash_end(h);
}

void tac__schema_text(const tac__schema *schema, tac__text *out)
{
    size_t wide = 6;
    for (size_t i = 0; i < schema->count; i++) {
        const size_t length = strlen(schema->signals[i].name);
        wide = length > wide ? length : wide;
    }
    const int width = (int)wide;
    tac__text_add(out, "schema version %d, hash %016" PRIx64 ", %zu signals\n\n",
                  TAC__SCHEMA_VERSION, tac__schema_hash(schema), schema->count);
    tac__text_add(out, "%-*s  %-10s %-8s %-11s %-10s %s\n", width, "signal", "type", "unit",
                  "stage", "group", "what");
    for (size_t i = 0; i < schema->count; i++) {
        const tac__signal *s = &schema->signals[i];
        char type[128];
        tac_type_print(&s->kind->type, type, sizeof type);
        tac__text_add(out, "%-*s  %-10s %-8s %-11s %-10s %s\n", width, s->name, type, s->kind->unit,
                      s->kind->state ? "state" : tac_stage_name(s->kind->stage),
                      *s->kind->group ? s->kind->group : "-", s->kind->doc);
    }
}

void tac__schema_json(const tac__schema *schema, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_u64(&json, "version", TAC__SCHEMA_VERSION);
    tac__json_key(&json, "hash");
    tac__json_hex64(&json, tac__schema_hash(schema));
    tac__json_key(&json, "signals");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < schema->count; i++) {
        const tac__signal *s = &schema->signals[i];
        char type[1024];
        tac_type_print(&s->kind->type, type, sizeof type);
        tac__json_compact(&json);
        tac__json_object_begin(&json);
        tac__json_key_text(&json, "name", s->name);
        tac__json_key_text(&json, "type", type);
        tac__json_key_text(&json, "unit", s->kind->unit);
        tac__json_key_text(&json, "writer", s->writer);
        tac__json_key_text(&json, "stage", tac_stage_name(s->kind->stage));
        tac__json_key_text(&json, "group", *s->kind->group ? s->kind->group : NULL);
        tac__json_key_bool(&json, "continuous", s->kind->continuous);
        tac__json_key_bool(&json, "state", s->kind->state);
        tac__json_key_text(&json, "description", s->kind->doc);
        tac__json_object_end(&json);
    }
    tac__json_array_end(&json);
    tac__json_object_end(&json);
}
