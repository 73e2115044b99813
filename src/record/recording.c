// recording.c - opening a recording: what it holds, by name.
//
// Everything in the file is checked before it is believed; a file of another program opens too, if
// it is sound, and has no signals.
#include "base/def.h"
#include "record/recording.h"
#include "base/file.h"
#include "base/floats.h"
#include "bus/digest.h"
#include "bus/type.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tac__channel_kind_name(tac__channel_kind kind)
{
    static const char *const names[] = {
#define KIND_NAME(name, text) text,
        TAC__CHANNEL_KINDS(KIND_NAME)
#undef KIND_NAME
            "other"};
    return names[kind];
}

static const char *pair_value(const tac__mcap_pair *pairs, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(pairs[i].key, key))
            return pairs[i].value;
    }
    return "";
}

const char *tac__track_metadata(const tac__track *t, const char *key)
{
    return pair_value(t->mcap->metadata, t->mcap->count, key);
}

tac_status tac__recording_attachment(tac_recording *r, const char *name, char **bytes, size_t *size,
                                     tac_error *err)
{
    const tac__mcap_info *about = tac__mcap_about(r->reader);
    *bytes = NULL;
    *size = 0;
    for (size_t i = 0; i < about->attachment_count; i++) {
        if (!strcmp(about->attachments[i].name, name))
            return tac__mcap_attachment_read(r->reader, i, bytes, size, err);
    }
    return TAC_OK;
}

// --- channels -----------------------------------------------------------------------------------

static tac__channel_kind kind_of(const tac__mcap_channel_info *channel)
{
    const char *name = pair_value(channel->metadata, channel->count, "kind");
    for (int kind = 0; kind < TAC__CHANNEL_OTHER; kind++) {
        if (!strcmp(name, tac__channel_kind_name((tac__channel_kind)kind)))
            return (tac__channel_kind)kind;
    }
    return TAC__CHANNEL_OTHER;
}

static tac_trace trace_of(const char *name)
{
    return !strcmp(name, "exact")  ? TAC_TRACE_EXACT
           : !strcmp(name, "hold") ? TAC_TRACE_HOLD
                                   : TAC_TRACE_SAMPLED;
}

// Two passes over the chunks for all channels: count, then fill.
static tac_status list_chunks(tac_recording *r)
{
    const tac__mcap_info *about = tac__mcap_about(r->reader);
    uint32_t *track_of = tac__arena_array(&r->arena, UINT16_MAX + 1, sizeof *track_of);
    if (!track_of)
        return TAC_E_MEMORY;
    for (uint32_t i = 0; i < r->track_count; i++)
        track_of[r->tracks[i].id] = i + 1;
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = 0; i < about->chunk_count; i++) {
            const tac__mcap_chunk_info *chunk = &about->chunks[i];
            for (size_t k = 0; k < chunk->channel_count; k++) {
                const uint32_t track = track_of[chunk->channels[k]];
                if (track == 0)
                    continue;
                tac__track *t = &r->tracks[track - 1];
                if (fill)
                    t->chunks[t->chunk_count] = i;
                t->chunk_count++;
            }
        }
        for (size_t i = 0; !fill && i < r->track_count; i++) {
            tac__track *t = &r->tracks[i];
            t->chunks = tac__arena_array(&r->arena, t->chunk_count, sizeof *t->chunks);
            if (!t->chunks)
                return TAC_E_MEMORY;
            t->chunk_count = 0;
        }
    }
    return TAC_OK;
}

static void measure(tac_recording *r, tac__track *t)
{
    const tac__mcap_info *about = tac__mcap_about(r->reader);
    t->info.first_us = TAC_TIME_NEVER;
    t->info.samples = t->mcap->messages;
    for (size_t i = 0; i < t->chunk_count; i++) {
        const tac__mcap_chunk_info *chunk = &about->chunks[t->chunks[i]];
        if (chunk->first_ns / 1000 < t->info.first_us)
            t->info.first_us = chunk->first_ns / 1000;
        if (chunk->last_ns / 1000 > t->info.last_us)
            t->info.last_us = chunk->last_ns / 1000;
    }
    if (t->chunk_count && t->info.last_us > r->info.last_us)
        r->info.last_us = t->info.last_us;
}

static tac_status read_track(tac_recording *r, const tac__mcap_channel_info *channel, tac__track *t,
                             tac_error *err)
{
    *t = (tac__track){
        .id = channel->id, .kind = kind_of(channel), .topic = channel->topic, .mcap = channel};
    t->subject = tac__track_metadata(t, "subject");
    if (t->kind != TAC__CHANNEL_SIGNALS)
        return TAC_OK;
    const char *signals = tac__track_metadata(t, "signals");
    const tac_status status =
        tac__layout_read(&t->layout, &r->arena, t->subject, signals, strlen(signals), err);
    if (status != TAC_OK) {
        tac__error_context(err, "reading channel '%s'", t->topic);
        return status;
    }
    t->info = (tac_channel_info){.topic = t->topic,
                                 .component = t->subject,
                                 .trace = trace_of(tac__track_metadata(t, "trace")),
                                 .replay = !strcmp(tac__track_metadata(t, "replay"), "true"),
                                 .size = t->layout.size};
    t->info.period_us = tac__digits_parse(tac__track_metadata(t, "period_us"), NULL, 10);
    return TAC_OK;
}

static tac_status read_tracks(tac_recording *r, tac_error *err)
{
    const tac__mcap_info *about = tac__mcap_about(r->reader);
    r->tracks = tac__arena_array(&r->arena, about->channel_count, sizeof *r->tracks);
    if (!r->tracks)
        return TAC_E_MEMORY;
    for (int other = 0; other < 2; other++) {
        for (size_t i = 0; i < about->channel_count; i++) {
            const tac__mcap_channel_info *channel = &about->channels[i];
            if ((kind_of(channel) != TAC__CHANNEL_SIGNALS) == other)
                TAC_TRY(read_track(r, channel, &r->tracks[r->track_count++], err));
        }
        if (!other)
            r->channel_count = r->track_count;
    }
    TAC_TRY(list_chunks(r));
    for (size_t i = 0; i < r->track_count; i++)
        measure(r, &r->tracks[i]);
    return TAC_OK;
}

static tac_status list_signals(tac_recording *r, tac_error *err)
{
    for (size_t i = 0; i < r->channel_count; i++)
        r->signal_count += r->tracks[i].layout.count;
    r->signals = tac__arena_array(&r->arena, r->signal_count, sizeof *r->signals);
    if (!r->signals)
        return TAC_E_MEMORY;
    uint32_t n = 0;
    for (size_t i = 0; i < r->channel_count; i++) {
        for (size_t k = 0; k < r->tracks[i].layout.count; k++) {
            tac_recorded *s = &r->tracks[i].layout.fields[k].signal;
            s->channel = i;
            if (tac__names_find(&r->names, s->name) >= 0)
                return tac__fail(err, TAC_E_FORMAT, "signal '%s' is in two channels", s->name);
            TAC_TRY(tac__names_set(&r->names, &r->arena, s->name, n));
            r->signals[n++] = s;
        }
    }
    return TAC_OK;
}

// --- what the run was ---------------------------------------------------------------------------

static uint64_t number(const tac__mcap_metadata_info *m, const char *key, unsigned base)
{
    return tac__digits_parse(pair_value(m->pairs, m->count, key), NULL, base);
}

static void read_head(tac_recording *r, const tac__mcap_metadata_info *m)
{
    r->info.name = pair_value(m->pairs, m->count, "name");
    r->info.version = pair_value(m->pairs, m->count, "version");
    r->info.compression = pair_value(m->pairs, m->count, "compression");
    r->info.seed = number(m, "seed", 10);
    r->info.schema_hash = number(m, "schema_hash", 16);
    r->info.model_hash = number(m, "model_hash", 16);
    r->info.start_us = number(m, "start_us", 10);
    r->info.end_us = number(m, "end_us", 10);
    r->info.log_us = number(m, "log_us", 10);
}

static void read_end(tac_recording *r, const tac__mcap_metadata_info *m)
{
    r->ended = true;
    r->info.finished = !strcmp(pair_value(m->pairs, m->count, "finished"), "true");
    r->info.hash = number(m, "hash", 16);
    r->info.failure = pair_value(m->pairs, m->count, "failure");
    const tac_time last_us = number(m, "last_us", 10);
    if (last_us > r->info.last_us)
        r->info.last_us = last_us;
}

static tac_status read_text(tac_recording *r, const char *name, const char **text, tac_error *err)
{
    char *bytes;
    size_t size;
    TAC_TRY(tac__recording_attachment(r, name, &bytes, &size, err));
    *text = bytes ? tac__arena_text(&r->arena, bytes) : "";
    if (bytes)
        tac__file_free(r->allocator, bytes, size);
    return *text ? TAC_OK : TAC_E_MEMORY;
}

// Lines "name digest".
static tac_status read_digests(tac_recording *r, tac_error *err)
{
    const char *text;
    TAC_TRY(read_text(r, "digests.txt", &text, err));
    size_t lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    r->digest_names = tac__arena_array(&r->arena, lines, sizeof *r->digest_names);
    r->digest_values = tac__arena_array(&r->arena, lines, sizeof *r->digest_values);
    r->digests = tac__arena_text(&r->arena, text);
    if (!r->digest_names || !r->digest_values || !r->digests)
        return TAC_E_MEMORY;
    for (char *line = r->digests, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        char *space = strrchr(line, ' ');
        if (!space)
            return tac__fail(err, TAC_E_FORMAT, "the list of digests is damaged");
        *space = '\0';
        r->digest_names[r->digest_count] = line;
        r->digest_values[r->digest_count++] = tac__digits_parse(space + 1, NULL, 16);
    }
    return TAC_OK;
}

// Where the run was cut off, the last mark tells what is complete.
static void find_complete(tac_recording *r)
{
    r->info.complete_us = r->ended ? r->info.last_us : r->info.start_us;
    for (size_t i = 0; i < r->track_count && !r->ended; i++) {
        if (r->tracks[i].kind == TAC__CHANNEL_MARK && r->tracks[i].chunk_count)
            r->info.complete_us = r->tracks[i].info.last_us;
    }
}

static tac_status read_all(tac_recording *r, tac_error *err)
{
    const tac__mcap_info *about = tac__mcap_about(r->reader);
    r->info.whole = about->whole;
    r->info.file_size = about->file_size;
    r->info.messages = about->messages;
    r->info.chunks = about->chunk_count;
    r->info.name = r->info.version = r->info.failure = r->info.compression = "";
    TAC_TRY(read_tracks(r, err));
    TAC_TRY(list_signals(r, err));
    for (size_t i = 0; i < about->metadata_count; i++) {
        const tac__mcap_metadata_info *m = &about->metadata[i];
        if (!strcmp(m->name, "tactus"))
            read_head(r, m);
        else if (!strcmp(m->name, "tactus.end"))
            read_end(r, m);
    }
    find_complete(r);
    TAC_TRY(read_text(r, "config.yaml", &r->info.config, err));
    TAC_TRY(read_text(r, "model.txt", &r->info.model, err));
    TAC_TRY(read_text(r, "schema.json", &r->info.schema, err));
    return read_digests(r, err);
}

tac_status tac_recording_open(const char *path, tac_recording **recording, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(path && recording);
    return tac__recording_open(path, tac_allocator_default(), recording, err);
}

tac_status tac__recording_open(const char *path, const tac_allocator *allocator,
                               tac_recording **recording, tac_error *err)
{
    *recording = NULL;
    tac_recording *r = allocator->resize(allocator->context, NULL, 0, sizeof *r);
    if (!r)
        return tac__fail_memory(err);
    *r = (tac_recording){.allocator = allocator};
    tac__arena_init(&r->arena, allocator);
    tac_status status = tac__mcap_open(path, allocator, &r->reader, err);
    if (status == TAC_OK)
        status = read_all(r, err);
    r->info.path = tac__arena_text(&r->arena, path);
    if (status == TAC_E_MEMORY || (status == TAC_OK && !r->info.path))
        status = tac__fail_memory(err);
    if (status == TAC_OK) {
        *recording = r;
        return TAC_OK;
    }
    tac__error_context(err, "opening recording '%s'", path);
    tac_recording_close(r);
    return status;
}

void tac_recording_close(tac_recording *r)
{
    if (!r)
        return;
    tac__mcap_close(r->reader);
    tac__arena_fini(&r->arena);
    r->allocator->resize(r->allocator->context, r, sizeof *r, 0);
}

bool tac_recording_is(const char *path)
{
    return tac__file_begins(path, "\x89MCAP0\r\n", 8);
}

static tac_status accept(void *context, const char *path, tac_error *err)
{
    tac_recovered *what = context;
    tac_recording *copy;
    TAC_TRY(tac__recording_open(path, tac_allocator_default(), &copy, err));
    what->last_us = copy->info.last_us;
    what->messages = copy->info.messages;
    const tac_status status = tac__recording_usable(copy, err);
    tac_recording_close(copy);
    return status;
}

static tac_status recover(const char *from, const char *path, tac_recovered *what, tac_error *err)
{
    tac__mcap_reader *reader;
    tac__text lost;
    tac__text_init(&lost, tac_allocator_default());
    TAC_TRY(tac__mcap_open_damaged(from, tac_allocator_default(), &reader, err));
    tac_status status = tac__mcap_recover(reader, path, accept, what, &lost, err);
    tac__mcap_close(reader);
    if (status == TAC_OK) {
        const tac_allocator *a = tac_allocator_default();
        what->lost = lost.failed ? NULL : a->resize(a->context, NULL, 0, lost.length + 1);
        if (!what->lost)
            status = tac__fail_memory(err);
        else
            memcpy(what->lost, lost.chars ? lost.chars : "", lost.length + 1);
    }
    tac__text_fini(&lost);
    return status;
}

tac_status tac_recording_recover_sized(const char *from, const char *path, tac_recovered *what,
                                       size_t size, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(from && path && what);
    tac_recovered own = {0};
    const tac_status status = recover(from, path, &own, err);
    tac__def_give(what, size, &own, sizeof own);
    return status;
}

// --- looking ------------------------------------------------------------------------------------

const tac_recording_info *tac_recording_about(const tac_recording *r)
{
    return &r->info;
}

size_t tac_recording_channel_count(const tac_recording *r)
{
    return r->channel_count;
}

const tac_channel_info *tac_recording_channel(const tac_recording *r, size_t i)
{
    return i < r->channel_count ? &r->tracks[i].info : NULL;
}

size_t tac_recording_signal_count(const tac_recording *r)
{
    return r->signal_count;
}

const tac_recorded *tac_recording_signal(const tac_recording *r, size_t i)
{
    return i < r->signal_count ? r->signals[i] : NULL;
}

int tac_recording_find(const tac_recording *r, const char *name)
{
    return tac__names_find(&r->names, name);
}

const char *tac_recording_digest(const tac_recording *r, size_t i, uint64_t *digest)
{
    if (i >= r->digest_count)
        return NULL;
    *digest = tac__hash_end(r->digest_values[i]);
    return r->digest_names[i];
}

uint64_t tac_recording_hash(const tac_recording *r, const char *pattern, size_t *count)
{
    size_t matched = 0;
    tac__hash h = TAC__HASH_SEED;
    for (size_t i = 0; i < r->digest_count; i++) {
        if (pattern && !tac__path_match(pattern, r->digest_names[i]))
            continue;
        h = tac__hash_word(h, r->digest_values[i]);
        matched++;
    }
    if (count)
        *count = matched;
    return tac__digest_whole(h, matched);
}

double tac_recorded_element(const tac_recorded *s, const tac_sample *sample, uint32_t element)
{
    return tac__scalar_f64(s->type.scalar, (const char *)sample->values + s->offset, element);
}
