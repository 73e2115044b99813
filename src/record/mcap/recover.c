// recover.c - a clean copy of a file that was left without an end, or is damaged.
//
// Where nothing is wrong but the end, the sound part of the data section is copied as it is, so
// every place in it stays the same; data end, summary and footer are made anew. Only where the last
// chunk lost its message index is that made too.
#include "base/file.h"
#include "record/mcap/crc32.h"
#include "record/mcap/reader.h"
#include "record/mcap/summary.h"

#include <inttypes.h>
#include <string.h>

static tac_status copy_data(tac__mcap_source *source, uint64_t end, tac__mcap_target *t,
                            tac_error *err)
{
    while (t->at < end) {
        const uint64_t rest = end - t->at;
        const size_t n = rest < TAC__MCAP_WINDOW ? (size_t)rest : TAC__MCAP_WINDOW;
        const unsigned char *bytes;
        TAC_TRY(tac__mcap_peek(source, t->at, n, &bytes, err));
        TAC_TRY(tac__mcap_put(t, bytes, n, err));
    }
    return TAC_OK;
}

// --- the index of the last chunk -----------------------------------------------------------------

static void put_entry(tac__text *out, uint64_t time, uint64_t offset)
{
    unsigned char entry[MCAP_INDEX_ENTRY];
    mcap_put_u64(mcap_put_u64(entry, time), offset);
    tac__text_bytes(out, (const char *)entry, sizeof entry);
}

static tac_status index_entries(tac__mcap_chunk *chunk, tac__text *out, tac_error *err)
{
    bool more;
    do {
        tac__mcap_message_info message;
        TAC_TRY(tac__mcap_next(chunk, &message, &more, err));
        if (more)
            put_entry(out, message.log_ns,
                      (uint64_t)(message.bytes - chunk->bytes) - MCAP_MESSAGE_HEAD);
    } while (more);
    return out->failed ? tac__fail_memory(err) : TAC_OK;
}

static tac_status make_index(tac__mcap_reader *r, const tac__mcap_chunk_info *info,
                             tac__mcap_tail *tail, tac__mcap_target *t, tac_error *err)
{
    tac__mcap_chunk chunk = {0};
    tac__mcap_chunk_info found;
    tac__text entries;
    tac__text_init(&entries, r->source.allocator);
    tac_status status = tac__mcap_read_chunk(r, &r->unpacker, info->offset, info->length, NULL,
                                             &chunk, &found, err);
    if (status == TAC_OK)
        status = index_entries(&chunk, &entries, err);
    unsigned char head[MCAP_HEAD + 2 + 4];
    unsigned char *at = mcap_put_head(head, MCAP_MESSAGE_INDEX, 2 + 4 + entries.length);
    at = mcap_put_u16(at, info->channels[0]);
    mcap_put_u32(at, (uint32_t)entries.length);
    *tail =
        (tac__mcap_tail){.index_at = tail->index_at, .index_length = sizeof head + entries.length};
    tail->index_at[0] = t->at;
    if (status == TAC_OK)
        status = tac__mcap_put(t, head, sizeof head, err);
    if (status == TAC_OK)
        status = tac__mcap_put(t, entries.chars, entries.length, err);
    tac__text_fini(&entries);
    tac__mcap_chunk_fini(&chunk);
    return status;
}

static tac_status mend_last(tac__mcap_reader *r, tac__mcap_contents *c, tac__mcap_target *t,
                            tac_error *err)
{
    const tac__mcap_chunk_info *info = c->chunk_count ? &c->chunks[c->chunk_count - 1] : NULL;
    tac__mcap_tail *tail = info ? &c->tails[c->chunk_count - 1] : NULL;
    const bool last = info && info->offset + info->length == c->data_end;
    return last && tail->missing == 1 && info->channel_count == 1
               ? make_index(r, info, tail, t, err)
               : TAC_OK;
}

// --- the summary ---------------------------------------------------------------------------------

static void put_summary(const tac__mcap_contents *c, tac__mcap_summary *s)
{
    for (size_t i = 0; i < c->info.schema_count; i++)
        tac__mcap_summary_schema(s, &c->info.schemas[i]);
    for (size_t i = 0; i < c->info.channel_count; i++) {
        tac__mcap_summary_channel(s, &c->info.channels[i]);
        tac__mcap_summary_messages(s, c->info.channels[i].id, c->info.channels[i].messages);
    }
    for (size_t i = 0; i < c->chunk_count; i++) {
        // A chunk that is not indexed as a whole counts as not indexed.
        tac__mcap_chunk_info chunk = c->chunks[i];
        if (c->tails[i].missing || c->tails[i].odd)
            chunk.channel_count = 0;
        tac__mcap_summary_chunk(s, &chunk, c->tails[i].index_at, c->tails[i].index_length);
    }
    for (size_t i = 0; i < c->attachment_count; i++)
        tac__mcap_summary_attachment(s, &c->attachments[i]);
    for (size_t i = 0; i < c->metadata_count; i++)
        tac__mcap_summary_metadata(s, c->metadata[i].name, c->metadata_at[i].offset,
                                   c->metadata_at[i].length);
}

static tac_status put_end(const tac__mcap_contents *c, const tac_allocator *allocator,
                          tac__mcap_target *t, tac_error *err)
{
    tac__mcap_summary summary;
    tac__text tail;
    tac__mcap_summary_init(&summary, allocator);
    tac__text_init(&tail, allocator);
    put_summary(c, &summary);
    tac__mcap_summary_end(&summary, t->at, t->crc, &tail);
    const tac_status status =
        tail.failed ? tac__fail_memory(err) : tac__mcap_put(t, tail.chars, tail.length, err);
    tac__text_fini(&tail);
    tac__mcap_summary_fini(&summary);
    return status;
}

// --- the copy ------------------------------------------------------------------------------------

// The data section up to its sound end, as it is.
static tac_status copy_front(tac__mcap_reader *from, tac__mcap_contents *c, bool ended,
                             tac__mcap_target *t, tac__text *lost, tac_error *err)
{
    TAC_TRY(tac__mcap_contents_end(c, err));
    TAC_TRY(copy_data(&from->source, c->data_end, t, err));
    TAC_TRY(mend_last(from, c, t, err));
    if (!ended && lost)
        tac__text_add(lost, "what came after it was cut off; %" PRIu64 " bytes of the file\n",
                      from->source.size - c->info.sound_size);
    return put_end(c, from->source.allocator, t, err);
}

// Is the first record that is not sound merely cut off by the end of the file?
static bool is_cut(tac__mcap_reader *r, uint64_t at)
{
    uint8_t opcode;
    uint64_t length;
    tac_error ignored;
    return tac__mcap_head(&r->source, at, &opcode, &length, &ignored) != TAC_OK;
}

// Does the data section have what a sound summary says? A record whose length is wrong may hide
// others without any other trace.
static bool has_all(const tac__mcap_reader *from, const tac__mcap_contents *c)
{
    return !from->by_summary || (c->chunk_count == from->contents.chunk_count &&
                                 c->attachment_count == from->contents.attachment_count);
}

static tac_status write_copy(tac__mcap_reader *from, tac__mcap_target *t, tac__text *lost,
                             tac_error *err)
{
    bool ended = false;
    tac__mcap_contents c;
    tac__mcap_contents_init(&c, from->source.allocator);
    c.data_start = from->contents.data_start;
    tac_error ignored;
    tac_status status = tac__mcap_scan(from, &c, &ended, &ignored);
    if (status == TAC_E_MEMORY || status == TAC_E_FILE) {
        if (err)
            *err = ignored;
    } else if (status == TAC_OK && has_all(from, &c) &&
               (ended || (!from->by_summary && is_cut(from, c.data_end)))) {
        status = copy_front(from, &c, ended, t, lost, err);
    } else {
        status = tac__mcap_copy_pieces(from, t, lost, err);
    }
    tac__mcap_contents_fini(&c);
    return status;
}

// Every chunk and every attachment of the copy.
static tac_status read_again(const char *path, const tac_allocator *allocator, tac_error *err)
{
    tac__mcap_reader *r;
    TAC_TRY(tac__mcap_open(path, allocator, &r, err));
    const tac__mcap_info *about = tac__mcap_about(r);
    tac__mcap_chunk chunk = {0};
    tac_status status = TAC_OK;
    if (!about->whole)
        status = tac__fail(err, TAC_E_FORMAT, "the copy is not whole");
    for (size_t i = 0; status == TAC_OK && i < about->chunk_count; i++)
        status = tac__mcap_load(r, i, &chunk, err);
    for (size_t i = 0; status == TAC_OK && i < about->attachment_count; i++) {
        char *bytes;
        size_t size;
        status = tac__mcap_attachment_read(r, i, &bytes, &size, err);
        if (status == TAC_OK)
            tac__file_free(allocator, bytes, size);
    }
    if (chunk.allocator)
        tac__mcap_chunk_fini(&chunk);
    tac__mcap_close(r);
    return status;
}

tac_status tac__mcap_recover(tac__mcap_reader *from, const char *path, tac__mcap_accept_fn *accept,
                             void *context, tac__text *lost, tac_error *err)
{
    // The file is looked at anew, whatever it was opened for.
    const tac_allocator *a = from->source.allocator;
    tac__mcap_reader again = {.source = from->source, .path = from->path};
    again.source.window = NULL;
    again.source.window_size = 0;
    tac__mcap_contents_init(&again.contents, a);
    tac__output output = {0};
    tac_status status = tac__mcap_named(from, tac__mcap_read_leniently(&again, err), err);
    if (status == TAC_OK)
        status = tac__output_open(&output, path, err);
    if (status == TAC_OK) {
        tac__mcap_target t = {.fd = output.fd, .path = path};
        status = write_copy(&again, &t, lost, err);
    }
    if (status == TAC_OK && !output.direct) {
        status = read_again(output.temporary, a, err);
        if (status == TAC_OK && accept)
            status = accept(context, output.temporary, err);
        if (status != TAC_OK)
            tac__error_context(err, "reading again what could be saved of '%s'", from->path);
    }
    if (status == TAC_OK)
        status = tac__output_commit(&output, err);
    else
        tac__output_abandon(&output);
    if (again.source.window)
        a->resize(a->context, again.source.window, TAC__MCAP_WINDOW, 0);
    tac__unpacker_fini(&again.unpacker);
    tac__mcap_contents_fini(&again.contents);
    return status;
}
