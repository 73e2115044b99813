// contents.c - schemas, channels and metadata of a file, as they are found in its records.
#include "record/mcap/reader.h"

void tac__mcap_contents_init(tac__mcap_contents *contents, const tac_allocator *allocator)
{
    *contents = (tac__mcap_contents){0};
    tac__arena_init(&contents->arena, allocator);
}

void tac__mcap_contents_fini(tac__mcap_contents *contents)
{
    tac__arena_fini(&contents->arena);
}

static tac_status malformed(const char *what, tac_error *err)
{
    return tac__fail(err, TAC_E_FORMAT, "damaged: %s is malformed", what);
}

// --- ids -----------------------------------------------------------------------------------------

static bool ids_put(tac__mcap_contents *c, tac__mcap_ids *ids, uint16_t id, size_t place)
{
    uint32_t **page = &ids->page[id >> 8];
    if (!*page)
        *page = tac__arena_array(&c->arena, 256, sizeof **page);
    if (!*page)
        return false;
    (*page)[id & 255] = (uint32_t)place + 1;
    return true;
}

// The place of an id, SIZE_MAX: there is none.
static size_t ids_find(const tac__mcap_ids *ids, uint16_t id)
{
    const uint32_t *page = ids->page[id >> 8];
    return page && page[id & 255] ? page[id & 255] - 1 : SIZE_MAX;
}

// The least id that is not below `id`; past all ids: there is none.
static size_t ids_next(const tac__mcap_ids *ids, size_t id)
{
    while (id <= UINT16_MAX && ids_find(ids, (uint16_t)id) == SIZE_MAX)
        id += ids->page[id >> 8] ? 1 : 256 - (id & 255);
    return id;
}

tac__mcap_channel_info *tac__mcap_find_channel(const tac__mcap_contents *c, uint16_t id)
{
    const size_t place = ids_find(&c->channel_ids, id);
    return place == SIZE_MAX ? NULL : &c->channels[place];
}

// --- parts of records ----------------------------------------------------------------------------

static char *copy(tac__mcap_contents *c, const unsigned char *bytes, size_t size)
{
    char *text = bytes ? tac__arena_alloc(&c->arena, size + 1) : NULL;
    return text ? memcpy(text, bytes, size) : NULL;
}

char *tac__mcap_text(tac__mcap_contents *c, mcap_in *in)
{
    const uint32_t size = mcap_take_u32(in);
    const unsigned char *bytes = mcap_take(in, size);
    return copy(c, bytes, size);
}

// Counts first: an arena does not give back what a growing array leaves behind.
static tac_status read_pairs(tac__mcap_contents *c, mcap_in *in, const tac__mcap_pair **pairs,
                             size_t *count, tac_error *err)
{
    mcap_in part = mcap_take_part(in, mcap_take_u32(in));
    size_t n = 0;
    for (mcap_in look = part; look.left; n++) {
        mcap_take(&look, mcap_take_u32(&look));
        mcap_take(&look, mcap_take_u32(&look));
        if (look.failed)
            return malformed("a map", err);
    }
    tac__mcap_pair *made = tac__arena_array(&c->arena, n, sizeof *made);
    if (!made)
        return tac__fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        made[i].key = tac__mcap_text(c, &part);
        made[i].value = tac__mcap_text(c, &part);
        if (!made[i].key || !made[i].value)
            return tac__fail_memory(err);
    }
    *pairs = made;
    *count = n;
    return part.failed ? malformed("a map", err) : TAC_OK;
}

tac_status tac__mcap_compression_of(mcap_in *in, tac__compression *compression, tac_error *err)
{
    const uint32_t size = mcap_take_u32(in);
    const char *name = (const char *)mcap_take(in, size);
    if (!name)
        return malformed("a chunk", err);
    *compression = TAC__COMPRESS_NONE;
    if (size == 0)
        return TAC_OK;
    for (tac__compression c = TAC__COMPRESS_LZ4; c <= TAC__COMPRESS_ZSTD; c++) {
        const char *known = tac__compression_name(c);
        *compression = c;
        if (strlen(known) == size && !memcmp(name, known, size))
            return TAC_OK;
    }
    char shown[32] = "";
    for (uint32_t i = 0; i < size && i < sizeof shown - 1; i++)
        shown[i] = name[i] >= ' ' && name[i] <= '~' ? name[i] : '?';
    return tac__fail(err, TAC_E_NAME,
                     "a chunk is packed with '%s'; chunks may be packed with lz4, zstd or not",
                     shown);
}

// --- records -------------------------------------------------------------------------------------

tac_status tac__mcap_add_header(tac__mcap_contents *c, mcap_in in, tac_error *err)
{
    c->info.profile = tac__mcap_text(c, &in);
    c->info.library = tac__mcap_text(c, &in);
    if (in.failed)
        return malformed("its header", err);
    return c->info.profile && c->info.library ? TAC_OK : tac__fail_memory(err);
}

static bool same_pairs(const tac__mcap_channel_info *a, const tac__mcap_channel_info *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->metadata[i].key, b->metadata[i].key) ||
            strcmp(a->metadata[i].value, b->metadata[i].value))
            return false;
    return true;
}

tac_status tac__mcap_add_schema(tac__mcap_contents *c, mcap_in in, tac_error *err)
{
    tac__mcap_schema_info info = {.id = mcap_take_u16(&in)};
    if (info.id == 0 && !in.failed) // the format wants it ignored
        return TAC_OK;
    const size_t place = ids_find(&c->schema_ids, info.id);
    info.name = tac__mcap_text(c, &in);
    info.encoding = tac__mcap_text(c, &in);
    info.size = mcap_take_u32(&in);
    const unsigned char *bytes = mcap_take(&in, info.size);
    if (in.failed)
        return malformed("a schema", err);
    if (place != SIZE_MAX) {
        const tac__mcap_schema_info *old = &c->schemas[place];
        if (!info.name || !info.encoding)
            return tac__fail_memory(err);
        if (old->size != info.size || memcmp(old->text, bytes, info.size) ||
            strcmp(old->name, info.name) || strcmp(old->encoding, info.encoding))
            return tac__fail(err, TAC_E_FORMAT, "damaged: two different schemas have the id %u",
                             info.id);
        return TAC_OK;
    }
    info.text = copy(c, bytes, info.size);
    if (!info.name || !info.encoding || !info.text ||
        !TAC__ARENA_GROW(&c->arena, c->schemas, c->schema_count, c->schema_capacity) ||
        !ids_put(c, &c->schema_ids, info.id, c->schema_count))
        return tac__fail_memory(err);
    c->schemas[c->schema_count++] = info;
    return TAC_OK;
}

tac_status tac__mcap_add_channel(tac__mcap_contents *c, mcap_in in, tac_error *err)
{
    tac__mcap_channel_info info = {.id = mcap_take_u16(&in), .schema = mcap_take_u16(&in)};
    info.topic = tac__mcap_text(c, &in);
    info.encoding = tac__mcap_text(c, &in);
    if (in.failed)
        return malformed("a channel", err);
    if (!info.topic || !info.encoding)
        return tac__fail_memory(err);
    TAC_TRY(read_pairs(c, &in, &info.metadata, &info.count, err));
    const tac__mcap_channel_info *old = tac__mcap_find_channel(c, info.id);
    if (old) {
        if (old->schema != info.schema || strcmp(old->topic, info.topic) ||
            strcmp(old->encoding, info.encoding) || !same_pairs(old, &info))
            return tac__fail(err, TAC_E_FORMAT, "damaged: two different channels have the id %u",
                             info.id);
        return TAC_OK;
    }
    if (!TAC__ARENA_GROW(&c->arena, c->channels, c->channel_count, c->channel_capacity) ||
        !ids_put(c, &c->channel_ids, info.id, c->channel_count))
        return tac__fail_memory(err);
    c->channels[c->channel_count++] = info;
    return TAC_OK;
}

tac_status tac__mcap_add_metadata(tac__mcap_contents *c, mcap_in in, tac_error *err)
{
    tac__mcap_metadata_info info = {.name = tac__mcap_text(c, &in)};
    if (in.failed)
        return malformed("metadata", err);
    if (!info.name)
        return tac__fail_memory(err);
    TAC_TRY(read_pairs(c, &in, &info.pairs, &info.count, err));
    if (!TAC__ARENA_GROW(&c->arena, c->metadata, c->metadata_count, c->metadata_capacity))
        return tac__fail_memory(err);
    c->metadata[c->metadata_count++] = info;
    return TAC_OK;
}

// --- the end -------------------------------------------------------------------------------------

static tac_status order_by_id(tac__mcap_contents *c, tac_error *err)
{
    tac__mcap_schema_info *schemas = tac__arena_array(&c->arena, c->schema_count, sizeof *schemas);
    tac__mcap_channel_info *channels =
        tac__arena_array(&c->arena, c->channel_count, sizeof *channels);
    if (!schemas || !channels)
        return tac__fail_memory(err);
    size_t s = 0, n = 0;
    for (size_t i = 0; (i = ids_next(&c->schema_ids, i)) <= UINT16_MAX; i++)
        schemas[s++] = c->schemas[ids_find(&c->schema_ids, (uint16_t)i)];
    for (size_t i = 0; (i = ids_next(&c->channel_ids, i)) <= UINT16_MAX; i++)
        channels[n++] = c->channels[ids_find(&c->channel_ids, (uint16_t)i)];
    c->info.schemas = schemas;
    c->info.schema_count = s;
    c->info.channels = channels;
    c->info.channel_count = n;
    return TAC_OK;
}

tac_status tac__mcap_contents_end(tac__mcap_contents *c, tac_error *err)
{
    for (size_t i = 0; i < c->channel_count; i++) {
        const uint16_t schema = c->channels[i].schema;
        if (schema && ids_find(&c->schema_ids, schema) == SIZE_MAX)
            return tac__fail(err, TAC_E_FORMAT,
                             "damaged: channel '%s' has the schema %u, which is not there",
                             c->channels[i].topic, schema);
    }
    TAC_TRY(order_by_id(c, err));
    c->info.chunks = c->chunks;
    c->info.chunk_count = c->chunk_count;
    c->info.attachments = c->attachments;
    c->info.attachment_count = c->attachment_count;
    c->info.metadata = c->metadata;
    c->info.metadata_count = c->metadata_count;
    return TAC_OK;
}
