// lcm.c - an event log as lcm-logger writes it, and the types of its messages.
//
// Every channel is a channel of LCM with a struct of its own (bus/lcm_type.h): `utime`, then the
// chosen signals. The structs go to a file beside the log, for lcm-gen.
#include "bus/lcm_type.h"
#include "record/export/export.h"
#include "record/export/file.h"
#include "record/export/hold.h"
#include "record/lcm_log.h"

#include <string.h>

typedef struct stream {
    const char *name;
    tac__lcm_group type;
} stream;

typedef struct log_file {
    tac__export *x;
    tac__hold instants;
    tac__export_file file, types;
    tac__lcm_log log;
    uint8_t *message; // room for the longest
    stream *streams;
} log_file;

// --- types --------------------------------------------------------------------------------------

static tac_status name_channel(log_file *f, size_t c, tac__names *taken, tac_error *err)
{
    const char *name = tac__export_channel(f->x, c);
    f->streams[c].name = name ? tac__names_add_new(taken, &f->x->arena, name, "_") : NULL;
    if (!f->streams[c].name)
        return tac__fail_memory(err);
    if (strlen(f->streams[c].name) > TAC__LCM_CHANNEL_MAX)
        tac__export_note(f->x,
                         "channel '%s' has more than %d characters: it can be read from the "
                         "log, but LCM cannot send it",
                         f->streams[c].name, TAC__LCM_CHANNEL_MAX);
    return TAC_OK;
}

static tac_status add_type(log_file *f, size_t c, tac__lcm_types *types, tac_error *err)
{
    tac__export *x = f->x;
    const size_t first = x->first_of[c], count = x->first_of[c + 1] - first;
    tac__lcm_field *fields = tac__arena_array(&x->arena, count + 1, sizeof *fields);
    if (!fields)
        return tac__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const tac_recorded *signal = x->signals[first + i];
        fields[i] =
            (tac__lcm_field){tac__export_port(x, signal), signal->unit, signal->doc, signal->type};
    }
    const char *name = f->streams[c].name;
    return tac__lcm_type_of_group(types, tac__export_stem(x, c, name), name, fields, count,
                                  &f->streams[c].type, err);
}

static tac_status add_types(log_file *f, tac__lcm_types *types, tac_error *err)
{
    tac__export *x = f->x;
    tac__names channels = {0};
    size_t longest = 0;
    f->streams = tac__arena_array(&x->arena, x->channel_count + 1, sizeof *f->streams);
    if (!f->streams)
        return tac__fail_memory(err);
    for (size_t c = 0; c < x->channel_count; c++) {
        if (!x->wanted[c])
            continue;
        TAC_TRY(name_channel(f, c, &channels, err));
        TAC_TRY(add_type(f, c, types, err));
        const size_t size = f->streams[c].type.size;
        longest = size > longest ? size : longest;
    }
    f->message = tac__arena_alloc(&x->arena, longest + 1);
    return f->message ? TAC_OK : tac__fail_memory(err);
}

static tac_status write_types(log_file *f, tac_error *err)
{
    tac__lcm_types types;
    tac__text text;
    tac__text_init(&text, f->x->arena.allocator);
    tac_status status = tac__lcm_types_begin(
        &types, &f->x->arena, &text, "Messages of a log that Tactus exported; for lcm-gen.", err);
    if (status == TAC_OK)
        status = add_types(f, &types, err);
    if (status == TAC_OK && text.failed)
        status = tac__fail_memory(err);
    if (status == TAC_OK)
        tac__export_file_write(&f->types, text.chars, text.length);
    tac__lcm_types_end(&types);
    tac__text_fini(&text);
    return status;
}

// --- events -------------------------------------------------------------------------------------

static bool write_bytes(void *context, const void *bytes, size_t size)
{
    tac__export_file *file = context;
    tac__export_file_write(file, bytes, size);
    return !file->failed;
}

static tac_status write_event(log_file *f, size_t c, tac_error *err)
{
    const tac__export *x = f->x;
    const tac_sample *sample = &f->instants.held[c].sample;
    const stream *from = &f->streams[c];
    uint8_t *end = tac__lcm_put(f->message, from->type.fingerprint, 8);
    end = tac__lcm_put(end, f->instants.t_us, 8);
    for (size_t i = x->first_of[c]; i < x->first_of[c + 1]; i++)
        end = tac__lcm_put_value(end, &x->signals[i]->type,
                                 (const char *)sample->values + x->signals[i]->offset);
    TAC_ASSERT((size_t)(end - f->message) == from->type.size);
    const bool written = tac__lcm_log_event(&f->log, f->instants.t_us, from->name, f->message,
                                            (size_t)(end - f->message));
    return written ? TAC_OK : tac__export_file_close(&f->file, err);
}

static tac_status write_events(log_file *f, tac_error *err)
{
    for (bool more = true;;) {
        TAC_TRY(tac__hold_next(&f->instants, &more, err));
        if (!more)
            return TAC_OK;
        for (size_t c = 0; c < f->x->channel_count; c++) {
            if (f->instants.held[c].fresh)
                TAC_TRY(write_event(f, c, err));
        }
    }
}

// --- the two files ------------------------------------------------------------------------------

static bool discard(void *context, const void *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
    return true;
}

static tac_status open_files(log_file *f, const char **types, tac_error *err)
{
    const tac_export_def *def = f->x->def;
    TAC_TRY(tac__export_file_open(&f->file, def->path, def->write, def->context, err));
    if (def->write || f->file.output.direct) {
        tac__export_note(f->x, "without a file for the log the types of its messages are not "
                               "written");
        return tac__export_file_open(&f->types, NULL, discard, NULL, err);
    }
    char *second = tac_export_beside(f->x->format, def->path);
    *types = second ? tac__arena_text(&f->x->arena, second) : NULL;
    tac_text_free(second);
    return *types ? tac__export_file_open(&f->types, *types, NULL, NULL, err)
                  : tac__fail_memory(err);
}

static tac_status write_all(log_file *f, tac_error *err)
{
    tac__export *x = f->x;
    const char *types = NULL;
    TAC_TRY(tac__hold_open(&f->instants, x->recording, x->wanted, x->def->from_us, x->def->to_us,
                           &x->arena, err));
    TAC_TRY(open_files(f, &types, err));
    TAC_TRY(write_types(f, err));
    f->log = tac__lcm_log_begin(write_bytes, &f->file);
    TAC_TRY(write_events(f, err));
    x->result.samples = f->log.events;
    x->result.bytes = f->file.bytes;
    TAC_TRY(tac__export_file_finish(&f->types, err));
    TAC_TRY(tac__export_file_finish(&f->file, err));
    TAC_TRY(tac__export_file_close(&f->types, err));
    TAC_TRY(tac__export_file_close(&f->file, err));
    if (types)
        tac__export_note(x, "the types of the messages are in '%s'", types);
    return TAC_OK;
}

tac_status tac__export_lcm(tac__export *x, tac_error *err)
{
    log_file f = {.x = x};
    const tac_status status = write_all(&f, err);
    tac__export_file_abandon(&f.file);
    tac__export_file_abandon(&f.types);
    tac__hold_close(&f.instants);
    return status;
}
