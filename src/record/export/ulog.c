// ulog.c - a log as PX4 writes it: header, definitions, data. Little-endian.
#include "base/json.h"
#include "record/cdr.h"
#include "record/recording.h"
#include "record/export/file.h"
#include "record/export/model_text.h"
#include "record/export/ulog_params.h"
#include "record/export/ulog_topics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    VERSION = 1,
    TOPICS_MAX = 65535, // their ids have 16 bits
    TEXT_PIECE = 16384, // of a long text, in one message
    RELEASE = 255,      // kind of a version: that of a release
    DATA_FORMAT = 2,    // of PX4's messages: GPS in degrees and meters
};

typedef struct ulog {
    tac__export *x;
    tac__hold instants;
    tac__export_file file;
    tac__ulog_topics topics;
    tac__text message, text;
    tac__track_reader log; // what components said
    tac__frame said;       // the next of it
    bool more_said;
} ulog;

static void put(tac__text *out, uint64_t bits, size_t size)
{
    char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(bits >> (8 * i));
    tac__text_bytes(out, bytes, size);
}

static void write_message(ulog *u, char type, const void *bytes, size_t size)
{
    const char head[3] = {(char)(size & 0xFF), (char)(size >> 8), type};
    tac__export_file_write(&u->file, head, sizeof head);
    tac__export_file_write(&u->file, bytes, size);
}

static void write_made(ulog *u, char type)
{
    if (!u->message.failed)
        write_message(u, type, u->message.chars, u->message.length);
    u->message.length = 0;
}

// --- definitions --------------------------------------------------------------------------------

static void write_header(ulog *u)
{
    static const char magic[8] = {'U', 'L', 'o', 'g', 0x01, 0x12, 0x35, VERSION};
    tac__text_bytes(&u->message, magic, sizeof magic);
    put(&u->message,
        u->x->def->from_us > u->x->about->start_us ? u->x->def->from_us : u->x->about->start_us, 8);
    if (!u->message.failed)
        tac__export_file_write(&u->file, u->message.chars, u->message.length);
    u->message.length = 0;
    static const char flags[40] = {0}; // nothing is appended
    write_message(u, 'B', flags, sizeof flags);
}

static void add_key(ulog *u, const char *type, size_t count, const char *name)
{
    char key[256]; // its length has one byte
    tac__out out = tac__out_begin(key, sizeof key);
    if (count > 0)
        tac__out_add(&out, "%s[%zu] %s", type, count, name);
    else
        tac__out_add(&out, "%s %s", type, name);
    put(&u->message, out.length, 1);
    tac__text_bytes(&u->message, key, out.length);
}

static void inform_text(ulog *u, const char *name, const char *text)
{
    const size_t length = strlen(text);
    if (length == 0 || length > TEXT_PIECE)
        return;
    add_key(u, "char", length, name);
    tac__text_bytes(&u->message, text, length);
    write_made(u, 'I');
}

static void inform_number(ulog *u, const char *type, const char *name, uint64_t bits, size_t size)
{
    add_key(u, type, 0, name);
    put(&u->message, bits, size);
    write_made(u, 'I');
}

static void inform_hash(ulog *u, const char *name, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    inform_text(u, name, text);
}

// A text among several under one name, in as many pieces as it needs.
static void inform_multiple(ulog *u, const char *name, const char *text, size_t length)
{
    for (size_t at = 0; at == 0 || at < length; at += TEXT_PIECE) {
        const size_t n = length - at < TEXT_PIECE ? length - at : TEXT_PIECE;
        put(&u->message, at > 0, 1);
        add_key(u, "char", n, name);
        tac__text_bytes(&u->message, text + at, n);
        write_made(u, 'M');
    }
}

// "1.2.3"; what follows does not matter.
static bool read_version(const char *text, uint32_t parts[3])
{
    for (int i = 0; i < 3; i++) {
        const char *end;
        parts[i] = (uint32_t)tac__digits_parse(text, &end, 10);
        if (end == text || (i < 2 && *end != '.'))
            return false;
        text = end + 1;
    }
    return true;
}

static void write_information(ulog *u)
{
    const tac_recording_info *about = u->x->about;
    uint32_t parts[3];
    inform_text(u, "sys_name", "Tactus");
    inform_text(u, "ver_sw", about->version);
    if (read_version(about->version, parts))
        inform_number(u, "uint32_t", "ver_sw_release",
                      (parts[0] & 0xFF) << 24 | (parts[1] & 0xFF) << 16 | (parts[2] & 0xFF) << 8 |
                          RELEASE,
                      4);
    inform_number(u, "uint32_t", "ver_data_format", DATA_FORMAT, 4);
    inform_number(u, "int32_t", "time_ref_utc", 0, 4);
    inform_text(u, "tactus_name", about->name);
    inform_number(u, "uint64_t", "tactus_seed", about->seed, 8);
    inform_hash(u, "tactus_schema_hash", about->schema_hash);
    inform_hash(u, "tactus_model_hash", about->model_hash);
    if (about->hash)
        inform_hash(u, "tactus_hash", about->hash);
    inform_multiple(u, "tactus_config", about->config, strlen(about->config));
}

// Units, labels and descriptions, for which a format has no room: a JSON object a signal.
static void describe(ulog *u, const char *topic, const tac__ulog_slot *slot)
{
    const tac_recorded *signal = slot->signal;
    u->text.length = 0;
    tac__json json = tac__json_begin(&u->text);
    tac__json_compact(&json);
    tac__json_object_begin(&json);
    tac__json_key_text(&json, "signal", signal->name);
    tac__json_key_text(&json, "topic", topic);
    tac__json_key_text(&json, "field", slot->field);
    tac__json_key_text(&json, "unit", signal->unit);
    tac__json_key_text(&json, "doc", signal->doc);
    const size_t labels = tac__export_labels(&signal->type);
    if (labels > 0) {
        tac__json_key(&json, "labels");
        tac__json_array_begin(&json);
        for (size_t i = 0; i < labels; i++)
            tac__json_text(&json, signal->type.labels[i]);
        tac__json_array_end(&json);
    }
    tac__json_object_end(&json);
    if (!u->text.failed)
        inform_multiple(u, "tactus_signal", u->text.chars, u->text.length);
}

static void write_formats(ulog *u)
{
    for (size_t i = 0; i < u->topics.count; i++) {
        const tac__ulog_topic *topic = &u->topics.topics[i];
        if (topic->instance > 0)
            continue;
        tac__text_add(&u->message, "%s:%s", topic->name, topic->format);
        write_made(u, 'F');
    }
    for (size_t i = 0; i < u->topics.count; i++) {
        const tac__ulog_topic *topic = &u->topics.topics[i];
        for (size_t s = 0; !topic->px4 && s < topic->slot_count; s++)
            describe(u, topic->name, &topic->slots[s]);
    }
}

static void write_subscriptions(ulog *u)
{
    for (size_t i = 0; i < u->topics.count; i++) {
        put(&u->message, u->topics.topics[i].instance, 1);
        put(&u->message, i, 2);
        tac__text_bytes(&u->message, u->topics.topics[i].name, strlen(u->topics.topics[i].name));
        write_made(u, 'A');
    }
}

// --- parameters ---------------------------------------------------------------------------------

static tac_status write_parameters(ulog *u, tac_error *err)
{
    const tac__ulog_param *params;
    size_t count;
    TAC_TRY(tac__ulog_params_make(u->x, &params, &count, err));
    for (size_t i = 0; i < count; i++) {
        const tac__ulog_param *p = &params[i];
        unsigned char bits[4];
        tac__ulog_number(bits, p->whole ? 'i' : 'f', sizeof bits, p->value);
        add_key(u, p->whole ? "int32_t" : "float", 0, p->name);
        tac__text_bytes(&u->message, (const char *)bits, sizeof bits);
        write_made(u, 'P');
    }
    return TAC_OK;
}

// Parameters of components have no place among those of PX4.
static void inform_parameters(ulog *u)
{
    const char *at = u->x->about->model;
    tac__model_line line;
    while (tac__model_next(&at, &line))
        inform_multiple(u, "tactus_parameter", line.name, (size_t)(line.end - line.name));
}

// --- the log ------------------------------------------------------------------------------------

static tac_status open_log(ulog *u, tac_error *err)
{
    const tac_recording *r = u->x->recording;
    for (size_t i = 0; i < r->track_count; i++) {
        if (r->tracks[i].kind != TAC__CHANNEL_LOG)
            continue;
        tac__track_reader_init(&u->log, r, &r->tracks[i], u->x->def->from_us, u->x->def->to_us);
        return tac__track_reader_next(&u->log, &u->said, &u->more_said, err);
    }
    return TAC_OK;
}

// As rcl_interfaces/msg/Log has it: the level, who said it, what. Levels of a ULog are those of the
// kernel of Linux.
static void write_said(ulog *u)
{
    tac__cdr c = tac__cdr_open(u->said.bytes, u->said.size);
    tac__cdr_read_u64(&c); // the time, again
    const unsigned char *level = tac__cdr_take(&c, 1, 1);
    size_t name_size, text_size; // with their NUL
    const char *name = (const char *)tac__cdr_read_bytes(&c, &name_size);
    const char *text = (const char *)tac__cdr_read_bytes(&c, &text_size);
    if (!level || !name || !text || name_size == 0 || text_size == 0)
        return; // damaged, or somebody else's
    tac__text_bytes(&u->message,
                    *level >= 40   ? "3"
                    : *level >= 30 ? "4"
                    : *level >= 20 ? "6"
                                   : "7",
                    1);
    put(&u->message, u->said.t_us, 8);
    if (name_size > 1)
        tac__text_add(&u->message, "[%.*s] ", (int)(name_size < 200 ? name_size - 1 : 200), name);
    tac__text_bytes(&u->message, text, text_size - 1 < TEXT_PIECE ? text_size - 1 : TEXT_PIECE);
    write_made(u, 'L');
}

static tac_status write_log_up_to(ulog *u, tac_time t_us, tac_error *err)
{
    while (u->more_said && u->said.t_us <= t_us) {
        write_said(u);
        TAC_TRY(tac__track_reader_next(&u->log, &u->said, &u->more_said, err));
    }
    return u->message.failed ? tac__fail_memory(err) : TAC_OK;
}

// --- data ---------------------------------------------------------------------------------------

static tac_status write_data(ulog *u, tac_error *err)
{
    for (bool more = true;;) {
        TAC_TRY(tac__hold_next(&u->instants, &more, err));
        if (!more)
            return write_log_up_to(u, TAC_TIME_NEVER, err);
        TAC_TRY(write_log_up_to(u, u->instants.t_us, err));
        for (size_t i = 0; i < u->topics.count; i++) {
            tac__ulog_topic *topic = &u->topics.topics[i];
            if (!u->instants.held[topic->channel].fresh)
                continue;
            tac__ulog_fill(topic, &u->instants);
            if (!tac__ulog_is_due(topic, u->instants.t_us))
                continue;
            put(&u->message, i, 2);
            tac__text_bytes(&u->message, (const char *)topic->data, topic->size);
            if (u->message.failed)
                return tac__fail_memory(err);
            write_made(u, 'D');
            u->x->result.samples++;
        }
        if (u->file.failed)
            return tac__export_file_close(&u->file, err);
    }
}

static tac_status write_all(ulog *u, tac_error *err)
{
    tac__export *x = u->x;
    TAC_TRY(tac__ulog_topics_make(&u->topics, x, err));
    if (u->topics.count > TOPICS_MAX)
        return tac__fail(err, TAC_E_LIMIT,
                         "a ULog holds at most %d topics, not %zu; choose fewer "
                         "signals",
                         TOPICS_MAX, u->topics.count);
    TAC_TRY(tac__hold_open(&u->instants, x->recording, x->wanted, x->def->from_us, x->def->to_us,
                           &x->arena, err));
    TAC_TRY(tac__export_file_open(&u->file, x->def->path, x->def->write, x->def->context, err));
    write_header(u);
    write_information(u);
    write_formats(u);
    inform_parameters(u);
    TAC_TRY(write_parameters(u, err));
    write_subscriptions(u);
    if (u->message.failed || u->text.failed)
        return tac__fail_memory(err);
    TAC_TRY(open_log(u, err));
    TAC_TRY(write_data(u, err));
    x->result.bytes = u->file.bytes;
    return tac__export_file_close(&u->file, err);
}

tac_status tac__export_ulog(tac__export *x, tac_error *err)
{
    ulog u = {.x = x};
    tac__text_init(&u.message, x->arena.allocator);
    tac__text_init(&u.text, x->arena.allocator);
    const tac_status status = write_all(&u, err);
    tac__export_file_abandon(&u.file);
    tac__hold_close(&u.instants);
    tac__track_reader_fini(&u.log);
    tac__text_fini(&u.message);
    tac__text_fini(&u.text);
    return status;
}
