// lcm.c - an event log as lcm-logger writes it, and the types of its messages.
//
// Every channel is a channel of LCM with a struct of its own: `utime`, then the chosen signals. The
// structs go to a file beside the log, for lcm-gen. Channels that look the same (those of a swarm)
// share one. Everything is big-endian.
#include "base/text.h"
#include "bus/type.h"
#include "record/export/export.h"
#include "record/export/hold.h"
#include "record/export/file.h"

#include <inttypes.h>
#include <string.h>

enum { CHANNEL_LENGTH_MAX = 63 }; // of what can be sent

static const uint32_t sync_word = 0xEDA1DA01;

static const char *const type_names[] = {
    [TAC_F64] = "double",   [TAC_I32] = "int32_t",  [TAC_I64] = "int64_t",
    [TAC_BOOL] = "boolean", [TAC_ENUM] = "int32_t",
};

typedef struct stream {
    const char *name;
    const char *body; // of its struct
    uint64_t fingerprint;
    const char **members; // by signal
} stream;

typedef struct log_file {
    tac__export *x;
    tac__hold instants;
    tac__export_file file, types;
    tac__text event, text;
    stream *streams;
    uint64_t events;
} log_file;

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

static uint64_t hash_member(uint64_t v, const char *name, const char *type, uint32_t dimension)
{
    v = hash_text(v, name);
    v = hash_text(v, type);
    v = hash_byte(v, dimension > 0);
    if (dimension > 0) {
        char text[12];
        tac__out out = tac__out_begin(text, sizeof text);
        tac__out_add(&out, "%" PRIu32, dimension);
        v = hash_byte(v, 0); // a constant, not the value of another member
        v = hash_text(v, text);
    }
    return v;
}

static uint64_t hash_end(uint64_t v)
{
    return (v << 1) + (v >> 63);
}

static uint32_t dimension_of(const tac_type *type)
{
    return type->shape == TAC_SINGLE ? 0 : type->count;
}

// --- types --------------------------------------------------------------------------------------

// PHASE_TAKEOFF: a constant a label.
static tac_status add_labels(log_file *f, const tac_recorded *signal, const char *member,
                             tac__names *taken, tac_error *err)
{
    const size_t count = tac__export_labels(&signal->type);
    for (size_t i = 0; i < count; i++) {
        char *name = tac__arena_format(&f->x->arena, "%s_%s", member, signal->type.labels[i]);
        for (char *c = name; c && *c; c++)
            *c = tac__is_alnum(*c) ? tac__to_upper(*c) : '_';
        const char *unique = name ? tac__export_unique(f->x, taken, name) : NULL;
        if (!unique)
            return tac__fail_memory(err);
        tac__text_add(&f->text, "    const int32_t %s = %zu;\n", unique, i);
    }
    return TAC_OK;
}

// In one line, as a comment.
static void add_comment(tac__text *out, const tac_recorded *signal)
{
    const bool unit = signal->unit && signal->unit[0] && strcmp(signal->unit, "1") != 0;
    const char *doc = signal->doc ? signal->doc : "";
    if (!unit && !doc[0])
        return;
    tac__text_add(out, " //%s%s%s ", unit ? " [" : "", unit ? signal->unit : "", unit ? "]" : "");
    for (; *doc; doc++)
        tac__text_bytes(out, (unsigned char)*doc < ' ' ? " " : doc, 1);
}

static tac_status define_members(log_file *f, size_t c, stream *to, tac_error *err)
{
    tac__export *x = f->x;
    tac__names taken = {0};
    const size_t first = x->first_of[c], count = x->first_of[c + 1] - first;
    to->members = tac__arena_array(&x->arena, count + 1, sizeof *to->members);
    if (!to->members || tac__names_set(&taken, &x->arena, "utime", 0) != TAC_OK)
        return tac__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        if (!(to->members[i] = tac__export_field(x, x->signals[first + i], &taken)))
            return tac__fail_memory(err);
    }
    f->text.length = 0;
    tac__text_add(&f->text, "{\n    int64_t utime; // microseconds since the start\n");
    uint64_t v = hash_member(0x12345678, "utime", "int64_t", 0);
    for (size_t i = 0; i < count; i++) {
        const tac_recorded *signal = x->signals[first + i];
        const char *type = type_names[signal->type.scalar];
        const uint32_t dimension = dimension_of(&signal->type);
        tac__text_add(&f->text, "    %s %s", type, to->members[i]);
        if (dimension > 0)
            tac__text_add(&f->text, "[%" PRIu32 "]", dimension);
        tac__text_add(&f->text, ";");
        add_comment(&f->text, signal);
        tac__text_add(&f->text, "\n");
        v = hash_member(v, to->members[i], type, dimension);
    }
    for (size_t i = 0; i < count; i++)
        TAC_TRY(add_labels(f, x->signals[first + i], to->members[i], &taken, err));
    tac__text_add(&f->text, "}\n");
    to->fingerprint = hash_end(v);
    to->body = f->text.failed ? NULL : tac__arena_text(&x->arena, f->text.chars);
    return to->body ? TAC_OK : tac__fail_memory(err);
}

static tac_status name_channel(log_file *f, size_t c, tac__names *taken, tac_error *err)
{
    const char *name = tac__export_channel(f->x, c);
    f->streams[c].name = name ? tac__export_unique(f->x, taken, name) : NULL;
    if (!f->streams[c].name)
        return tac__fail_memory(err);
    if (strlen(f->streams[c].name) > CHANNEL_LENGTH_MAX)
        tac__export_note(f->x,
                         "channel '%s' has more than %d characters: it can be read from the "
                         "log, but LCM cannot send it",
                         f->streams[c].name, CHANNEL_LENGTH_MAX);
    return TAC_OK;
}

// One struct for all channels that look alike, named after the first of them.
static tac_status write_types(log_file *f, tac_error *err)
{
    tac__export *x = f->x;
    tac__names bodies = {0}, names = {0}, channels = {0};
    f->streams = tac__arena_array(&x->arena, x->channel_count + 1, sizeof *f->streams);
    if (!f->streams)
        return tac__fail_memory(err);
    static const char head[] = "// Messages of a log that Tactus exported; for lcm-gen.\n"
                               "package tactus;\n";
    tac__export_file_write(&f->types, head, sizeof head - 1);
    for (size_t c = 0; c < x->channel_count; c++) {
        if (!x->wanted[c])
            continue;
        TAC_TRY(name_channel(f, c, &channels, err));
        TAC_TRY(define_members(f, c, &f->streams[c], err));
        if (tac__names_find(&bodies, f->streams[c].body) >= 0)
            continue;
        const char *stem = tac__export_stem(x, c, f->streams[c].name);
        const char *name = tac__export_dots(x, "", stem, '_');
        name = name ? tac__arena_format(&x->arena, "%s_t", name) : NULL;
        name = name ? tac__export_unique(x, &names, name) : NULL;
        if (!name || tac__names_set(&bodies, &x->arena, f->streams[c].body, 0) != TAC_OK)
            return tac__fail_memory(err);
        f->text.length = 0;
        tac__text_add(&f->text, "\n// channel %s, fingerprint 0x%016" PRIx64 "\nstruct %s %s",
                      f->streams[c].name, f->streams[c].fingerprint, name, f->streams[c].body);
        if (f->text.failed)
            return tac__fail_memory(err);
        tac__export_file_write(&f->types, f->text.chars, f->text.length);
    }
    return TAC_OK;
}

// --- events -------------------------------------------------------------------------------------

static void put(tac__text *out, uint64_t bits, size_t size)
{
    char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(bits >> (8 * (size - 1 - i)));
    tac__text_bytes(out, bytes, size);
}

static tac_status write_event(log_file *f, size_t c, tac_error *err)
{
    const tac__export *x = f->x;
    const tac_sample *sample = &f->instants.held[c].sample;
    const stream *to = &f->streams[c];
    tac__text *out = &f->event;
    size_t size = 16;
    for (size_t i = x->first_of[c]; i < x->first_of[c + 1]; i++)
        size += tac__type_size(&x->signals[i]->type);
    out->length = 0;
    put(out, sync_word, 4);
    put(out, f->events++, 8);
    put(out, f->instants.t_us, 8);
    put(out, strlen(to->name), 4);
    put(out, size, 4);
    tac__text_bytes(out, to->name, strlen(to->name));
    put(out, to->fingerprint, 8);
    put(out, f->instants.t_us, 8);
    for (size_t i = x->first_of[c]; i < x->first_of[c + 1]; i++) {
        const tac_type *type = &x->signals[i]->type;
        for (uint32_t e = 0; e < type->count; e++)
            put(out, tac__export_bits(x->signals[i], sample, e), tac__scalar_size(type->scalar));
    }
    if (out->failed)
        return tac__fail_memory(err);
    tac__export_file_write(&f->file, out->chars, out->length);
    return f->file.failed ? tac__export_file_close(&f->file, err) : TAC_OK;
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
    TAC_TRY(write_events(f, err));
    x->result.samples = f->events;
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
    tac__text_init(&f.event, x->arena.allocator);
    tac__text_init(&f.text, x->arena.allocator);
    const tac_status status = write_all(&f, err);
    tac__export_file_abandon(&f.file);
    tac__export_file_abandon(&f.types);
    tac__hold_close(&f.instants);
    tac__text_fini(&f.event);
    tac__text_fini(&f.text);
    return status;
}
