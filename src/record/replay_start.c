// replay_start.c - how a replay begins: is the model the one that was recorded, where islands are
// split from outside, and the state at the start.
#include "base/file.h"
#include "base/json_read.h"
#include "record/cdr.h"
#include "record/replay.h"

#include <string.h>

// --- instants -----------------------------------------------------------------------------------

static const tac__track *find_track(const tac_recording *recording, tac__channel_kind kind)
{
    for (size_t i = 0; i < recording->track_count; i++) {
        if (recording->tracks[i].kind == kind)
            return &recording->tracks[i];
    }
    return NULL;
}

// The source of a name that ends with its line; NULL: it is not there any more.
static tac__instants *named(tac__instants *instants, size_t count, const char *name)
{
    const size_t length = strcspn(name, "\n");
    for (size_t i = 0; i < count; i++) {
        if (strlen(instants[i].name) == length && !strncmp(instants[i].name, name, length))
            return &instants[i];
    }
    return NULL;
}

// What the recording's numbers stand for: a line of its names each.
typedef struct numbered {
    tac__instants **items;
    size_t count;
} numbered;

static tac_status list_numbered(tac_replay *r, const tac__track *track, numbered *list)
{
    size_t count;
    tac__instants *instants = tac__engine_instants(r->engine, &count);
    const char *names = tac__track_metadata(track, "names");
    size_t lines = 0;
    for (const char *at = names; *at; at++)
        lines += *at == '\n';
    *list = (numbered){tac__arena_array(&r->arena, lines, sizeof *list->items), lines};
    if (!list->items)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < lines; i++, names = strchr(names, '\n') + 1)
        list->items[i] = named(instants, count, names);
    return TAC_OK;
}

// Two passes: count, then keep the times.
static tac_status read_instants(const tac_replay *r, const tac__track *track, const numbered *list,
                                bool keep, tac_error *err)
{
    tac__track_reader reader;
    tac__track_reader_init(&reader, r->recording, track, 0, TAC_TIME_NEVER);
    tac_status status;
    for (;;) {
        tac__frame frame;
        bool more;
        status = tac__track_reader_next(&reader, &frame, &more, err);
        if (status != TAC_OK || !more)
            break;
        tac__cdr c = tac__cdr_open(frame.bytes, frame.size);
        const uint32_t source = tac__cdr_read_u32(&c);
        if (c.failed || source >= list->count) {
            status =
                tac__fail(err, TAC_E_FORMAT, "an instant in channel '%s' is damaged", track->topic);
            break;
        }
        tac__instants *in = list->items[source];
        if (!in)
            continue;
        if (keep)
            ((tac_time *)in->times)[in->count] = frame.t_us;
        in->count++;
    }
    tac__track_reader_fini(&reader);
    return status;
}

tac_status tac__replay_load_instants(tac_replay *r, tac_error *err)
{
    const tac__track *track = find_track(r->recording, TAC__CHANNEL_INSTANTS);
    size_t count;
    tac__instants *instants = tac__engine_instants(r->engine, &count);
    if (!track || count == 0)
        return TAC_OK;
    numbered list;
    if (list_numbered(r, track, &list) != TAC_OK)
        return tac__fail_memory(err);
    TAC_TRY(read_instants(r, track, &list, false, err));
    for (size_t i = 0; i < count; i++) {
        instants[i].times = tac__arena_array(&r->arena, instants[i].count, sizeof(tac_time));
        if (!instants[i].times)
            return tac__fail_memory(err);
        instants[i].count = 0;
    }
    return read_instants(r, track, &list, true, err);
}

// --- the model ----------------------------------------------------------------------------------

// The line about the integrator may differ by the user's wish.
static bool only_integrator(const char *differences)
{
    for (const char *at = differences; *at;) {
        const size_t n = strcspn(at, "\n");
        if (strncmp(at, "there: integrator ", 18) && strncmp(at, "here: integrator ", 17))
            return false;
        at += n + (at[n] == '\n');
    }
    return true;
}

tac_status tac__replay_compare_models(tac_replay *r, tac_error *err)
{
    tac__text model, schema;
    tac__text_init(&model, r->allocator);
    tac__text_init(&schema, r->allocator);
    tac__model_text(r->engine, &model);
    tac__schema_json(tac__watch_schema(r->engine), &schema);
    tac__text *out = &r->differences;
    if (!model.failed && !schema.failed) {
        tac__model_differences(r->recording->info.model, model.chars, out);
        tac__model_differences(r->recording->info.schema, schema.chars, out);
    }
    const bool failed = model.failed || schema.failed || out->failed;
    tac__text_fini(&model);
    tac__text_fini(&schema);
    if (failed)
        return tac__fail_memory(err);
    r->result.differences = out->chars ? out->chars : "";
    r->result.other_integrator = strstr(r->result.differences, ": integrator ") != NULL;
    r->result.other_model = !only_integrator(r->result.differences);
    if (r->def.force_model || !r->result.other_model)
        return TAC_OK;
    return tac__fail(err, TAC_E_MISMATCH,
                     "'%s' was made by another model; --force-model goes on nevertheless. What "
                     "differs:\n%s",
                     r->recording->info.path, r->result.differences);
}

// --- the initial state --------------------------------------------------------------------------

// The last stored state at or before the wished time: only the last chunk that begins by then is
// read. `bytes` are the caller's.
static tac_status find_state(tac_replay *r, tac__text *bytes, tac_error *err)
{
    const tac__track *track = find_track(r->recording, TAC__CHANNEL_STATE);
    if (!track)
        return TAC_OK;
    const tac_time start_us = r->recording->info.start_us;
    const tac_time wish_us = r->def.from_us > start_us ? r->def.from_us : start_us;
    const tac__mcap_chunk_info *chunks = tac__mcap_about(r->recording->reader)->chunks;
    tac_time from_us = 0;
    for (size_t i = 0; i < track->chunk_count; i++) {
        const tac_time begins_us = chunks[track->chunks[i]].first_ns / 1000;
        if (begins_us <= wish_us && begins_us > from_us)
            from_us = begins_us;
    }
    tac__track_reader reader;
    tac__track_reader_init(&reader, r->recording, track, from_us, wish_us);
    tac_status status;
    for (;;) {
        tac__frame frame;
        bool more;
        status = tac__track_reader_next(&reader, &frame, &more, err);
        if (status != TAC_OK || !more)
            break;
        tac__cdr c = tac__cdr_open(frame.bytes, frame.size);
        size_t size;
        const unsigned char *data = tac__cdr_read_bytes(&c, &size);
        if (!data) {
            status = tac__fail(err, TAC_E_FORMAT, "a stored state is damaged");
            break;
        }
        bytes->length = 0;
        tac__text_bytes(bytes, (const char *)data, size);
    }
    tac__track_reader_fini(&reader);
    return status == TAC_OK && bytes->failed ? tac__fail_memory(err) : status;
}

// Another model: values by name, as far as they are there.
typedef struct initial {
    const tac_node *values;
    const tac__signal *signal; // the last that was asked for, and its list
    const tac_node *list;
} initial;

static bool initial_value(void *context, const tac__signal *s, uint32_t k, double *x)
{
    initial *in = context;
    if (in->signal != s) {
        in->signal = s;
        in->list = tac_node_get(in->values, s->name);
        if (tac_node_count(in->list) != s->kind->type.count)
            in->list = NULL;
    }
    const char *text = in->list ? tac_node_text(tac_node_item(in->list, k)) : NULL, *end;
    if (text)
        *x = tac__number_parse(text, &end);
    return text != NULL;
}

static tac_status start_by_name(tac_replay *r, tac_error *err)
{
    char *bytes;
    size_t size;
    TAC_TRY(tac__recording_attachment(r->recording, "initial.json", &bytes, &size, err));
    if (!bytes)
        return tac__fail(err, TAC_E_FORMAT, "the recording has no initial state");
    tac_document *doc = tac_document_create(r->allocator);
    tac_node *root;
    tac_status status =
        doc ? tac__json_read(doc, "initial.json", bytes, size, &root, err) : tac__fail_memory(err);
    if (status == TAC_OK && r->recording->info.start_us > 0)
        status =
            tac__fail(err, TAC_E_MISMATCH,
                      "the recording begins with a checkpoint, which another model cannot read");
    if (status == TAC_OK)
        status = tac__drive_start_with(r->engine, initial_value, &(initial){.values = root}, err);
    tac_document_destroy(doc);
    tac__file_free(r->allocator, bytes, size);
    return status;
}

tac_status tac__replay_set_state(tac_replay *r, tac_error *err)
{
    tac__text bytes;
    tac__text_init(&bytes, r->allocator);
    tac_status status = find_state(r, &bytes, err);
    if (status == TAC_OK && bytes.length &&
        tac__snapshot_fits(r->engine, bytes.chars, bytes.length))
        status = tac__snapshot_restore(r->engine, bytes.chars, bytes.length, !r->result.other_model,
                                       r->result.other_integrator, err);
    else if (status == TAC_OK)
        status = start_by_name(r, err);
    tac__text_fini(&bytes);
    const tac_time start_us = tac_engine_time(r->engine);
    r->result.start_us = start_us;
    // A state that was stored at an instant has what was written there.
    const bool started = tac__watch_run(r->engine).started;
    for (size_t i = 0; i < r->component_count; i++) {
        for (size_t k = 0; k < r->own[i].count; k++)
            r->own[i].traces[k].reader.from_us = started ? start_us + 1 : 0;
    }
    return status;
}
