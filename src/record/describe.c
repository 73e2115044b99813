// describe.c - what stands in a recording besides its samples: who wrote it, of what model, with
// which configuration and from which initial state; and at its end how the run went.
#include "base/file.h"
#include "base/json.h"
#include "bus/type.h"
#include "record/recorder.h"
#include "record/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// --- channels of signals ------------------------------------------------------------------------

static const char *const trace_names[] = {
    [TAC__MODE_WRITES] = "exact", [TAC__MODE_HOLD] = "hold",    [TAC__MODE_EVERY] = "sampled",
    [TAC__MODE_ISLAND] = "exact", [TAC__MODE_AXIS] = "sampled", [TAC__MODE_WINDOW] = "sampled"};
static const char *const mode_suffixes[] = {
    [TAC__MODE_WRITES] = "steps", [TAC__MODE_HOLD] = "changes", [TAC__MODE_EVERY] = "every",
    [TAC__MODE_ISLAND] = "plant", [TAC__MODE_AXIS] = "log",     [TAC__MODE_WINDOW] = "window"};

static bool seen_alike(const tac__watched *a, const tac__watched *b)
{
    return a->island == b->island && !a->scratch == !b->scratch;
}

static void find_rows(tac__feed *f)
{
    for (size_t i = 0; i < f->pick->count; i++) {
        if (i == 0 || !seen_alike(&f->copies[i].from, &f->copies[i - 1].from))
            f->rows[f->row_count++].first = i;
        f->plant |= f->copies[i].from.island >= 0;
        f->rows[f->row_count - 1].count++;
    }
}

static void find_moves(tac__feed *f)
{
    for (size_t i = 0; i < f->pick->count; i++) {
        const tac__copy *c = &f->copies[i];
        if (c->from.output >= 0)
            continue;
        tac__move *last = f->move_count ? &f->moves[f->move_count - 1] : NULL;
        if (last && last->at + last->bytes == c->at &&
            (const char *)last->from + last->bytes == (const char *)c->from.bus)
            last->bytes += c->bytes;
        else
            f->moves[f->move_count++] = (tac__move){c->from.bus, c->at, c->bytes};
    }
}

static tac_status lay_out(tac_recorder *r, tac__feed *f)
{
    tac_engine *e = r->engine;
    for (size_t i = 0; i < f->pick->count; i++) {
        const tac__signal *s = &tac__watch_schema(e)->signals[f->pick->signals[i]];
        const tac_recorded signal = {.name = s->name,
                                     .unit = s->unit,
                                     .doc = s->doc ? s->doc : "",
                                     .type = s->type,
                                     .continuous = s->continuous,
                                     .stage = s->stage};
        TAC_TRY(tac__layout_add(&f->layout, &r->arena, &signal));
    }
    TAC_TRY(tac__layout_close(&f->layout, &r->arena, f->component));
    f->copies = tac__arena_array(&r->arena, f->pick->count, sizeof *f->copies);
    f->last = tac__arena_array(&r->arena, 2, f->layout.message_size);
    f->rows = tac__arena_array(&r->arena, f->pick->count, sizeof *f->rows);
    f->moves = tac__arena_array(&r->arena, f->pick->count, sizeof *f->moves);
    if (!f->copies || !f->last || !f->rows || !f->moves)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < f->pick->count; i++)
        f->copies[i] = (tac__copy){.from = tac__watch_signal(e, (int)f->pick->signals[i]),
                                   .at = f->layout.fields[i].at,
                                   .bytes = f->layout.fields[i].bytes};
    find_rows(f);
    find_moves(f);
    return TAC_OK;
}

// "/uav1/battery"; a component's second channel and further ones say how they are filled.
static char *topic_of(tac_recorder *r, const tac__feed *f)
{
    size_t before = 0, alike = 0;
    for (const tac__feed *other = r->feeds; other != f; other++) {
        before += other->pick->component == f->pick->component;
        alike += other->pick->component == f->pick->component &&
                 other->pick->mode.kind == f->pick->mode.kind;
    }
    const char *suffix = mode_suffixes[f->pick->mode.kind];
    char *topic = before == 0 ? tac__arena_format(&r->arena, "/%s", f->component)
                  : alike == 0
                      ? tac__arena_format(&r->arena, "/%s/%s", f->component, suffix)
                      : tac__arena_format(&r->arena, "/%s/%s%zu", f->component, suffix, alike + 1);
    for (char *c = topic; c && *c; c++)
        *c = *c == '.' ? '/' : *c;
    return topic;
}

// "tactus/uav1_battery": the name of a message type, from a topic.
static char *type_of(tac_recorder *r, const char *topic)
{
    char *type = tac__arena_format(&r->arena, "tactus/%s", topic + 1);
    for (char *c = type ? type + strlen("tactus/") : NULL; c && *c; c++) {
        if (!tac__is_alnum(*c))
            *c = '_';
    }
    return type;
}

static tac_time period_of(const tac_recorder *r, const tac__feed *f)
{
    const tac__mode *mode = &f->pick->mode;
    if (mode->kind == TAC__MODE_AXIS)
        return mode->period_us;
    return mode->kind == TAC__MODE_WRITES
               ? tac__watch_component(r->engine, f->pick->component).period_us
               : 0;
}

static tac_status describe_feed(tac_recorder *r, tac__feed *f)
{
    TAC_TRY(lay_out(r, f));
    const char *topic = topic_of(r, f);
    const char *type = topic ? type_of(r, topic) : NULL;
    if (!type)
        return TAC_E_MEMORY;
    tac__text msg, json;
    tac__text_init(&msg, r->allocator);
    tac__text_init(&json, r->allocator);
    tac__layout_msg(&f->layout, f->component, &msg);
    tac__layout_json(&f->layout, &json);
    char period[24];
    snprintf(period, sizeof period, "%" PRIu64, period_of(r, f));
    if (!msg.failed && !json.failed) {
        const tac__mcap_pair pairs[] = {
            {"kind", tac__channel_kind_name(TAC__CHANNEL_SIGNALS)},
            {"subject", f->component},
            {"trace", trace_names[f->pick->mode.kind]},
            {"period_us", period},
            {"replay", f->pick->mode.replay ? "true" : "false"},
            {"signals", json.chars},
        };
        const uint16_t schema = tac__mcap_schema(r->writer, type, "ros2msg", msg.chars);
        const uint16_t id =
            tac__mcap_channel(r->writer, schema, topic, "cdr", pairs, sizeof pairs / sizeof *pairs);
        f->slot = tac__mcap_slot_of(r->writer, id);
        tac__feed_put_off(f);
    }
    const bool failed = msg.failed || json.failed;
    tac__text_fini(&msg);
    tac__text_fini(&json);
    return failed ? TAC_E_MEMORY : TAC_OK;
}

// --- channels of the recorder itself ------------------------------------------------------------

static const char log_msg[] = "builtin_interfaces/Time stamp\n"
                              "uint8 level\n"
                              "string name\n"
                              "string msg\n"
                              "string file\n"
                              "string function\n"
                              "uint32 line\n"
                              "================================================================"
                              "================\n"
                              "MSG: builtin_interfaces/Time\n"
                              "int32 sec\n"
                              "uint32 nanosec\n";
static const char state_msg[] = "uint8[] data\n";
static const char instants_msg[] = "uint32 source\n";
static const char mark_msg[] = "uint64 t_us\n";
static const char digest_msg[] = "uint64[] t_us\nuint64[] digest\n";
static const char delivery_msg[] = "uint64 sent_us\nuint64 sequence\nuint32 sender\nuint8[] data\n";

static uint16_t own_channel(tac_recorder *r, tac__channel_kind kind, const char *type,
                            const char *msg, const char *topic, const char *subject,
                            const char *names)
{
    const tac__mcap_pair pairs[] = {
        {"kind", tac__channel_kind_name(kind)}, {"subject", subject}, {"names", names}};
    const uint16_t schema = tac__mcap_schema(r->writer, type, "ros2msg", msg);
    return tac__mcap_channel(r->writer, schema, topic, "cdr", pairs, names ? 3 : 2);
}

static uint16_t subject_channel(tac_recorder *r, tac__channel_kind kind, const char *type,
                                const char *msg, const char *subject)
{
    char *topic =
        tac__arena_format(&r->arena, "/tactus/%s/%s", tac__channel_kind_name(kind), subject);
    for (char *c = topic; c && *c; c++)
        *c = *c == '.' ? '/' : *c;
    return topic ? own_channel(r, kind, type, msg, topic, subject, NULL) : UINT16_MAX;
}

static tac_status describe_instants(tac_recorder *r)
{
    const tac_engine *e = r->engine;
    tac__text names;
    tac__text_init(&names, r->allocator);
    const size_t count = tac__watch_instant_count(e);
    for (size_t i = 0; i < count; i++)
        tac__text_add(&names, "%s\n", tac__watch_instant(e, i));
    if (count && !names.failed)
        r->instants_id = own_channel(r, TAC__CHANNEL_INSTANTS, "tactus/Instant", instants_msg,
                                     "/tactus/instants", "", names.chars);
    const bool failed = names.failed;
    tac__text_fini(&names);
    return failed ? TAC_E_MEMORY : TAC_OK;
}

static tac_status describe_own(tac_recorder *r)
{
    const tac_engine *e = r->engine;
    r->log_id =
        own_channel(r, TAC__CHANNEL_LOG, "rcl_interfaces/Log", log_msg, "/rosout", "", NULL);
    r->state_id =
        own_channel(r, TAC__CHANNEL_STATE, "tactus/State", state_msg, "/tactus/state", "", NULL);
    r->mark_id =
        own_channel(r, TAC__CHANNEL_MARK, "tactus/Mark", mark_msg, "/tactus/mark", "", NULL);
    TAC_TRY(describe_instants(r));
    for (size_t i = 0; i < r->digester_count; i++) {
        tac__digester *d = &r->digesters[i];
        d->value = tac__watch_digest(e, d->island);
        d->id = subject_channel(r, TAC__CHANNEL_DIGEST, "tactus/Digests", digest_msg, d->name);
    }
    const size_t receivers = tac__watch_receiver_count(e);
    r->delivery_ids = tac__arena_array(&r->arena, receivers, sizeof *r->delivery_ids);
    if (!r->delivery_ids)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < receivers; i++) {
        bool plant;
        const char *name = tac__watch_receiver(e, i, &plant);
        r->delivery_ids[i] =
            plant ? subject_channel(r, TAC__CHANNEL_DELIVERY, "tactus/Delivery", delivery_msg, name)
                  : UINT16_MAX;
    }
    return TAC_OK;
}

// --- the head -----------------------------------------------------------------------------------

static void attach(tac_recorder *r, const char *name, const char *media, const tac__text *text)
{
    if (!text->failed)
        tac__mcap_attachment(r->writer, name, media, tac_engine_time(r->engine) * 1000,
                             text->chars ? text->chars : "", text->length);
}

static void attach_text(tac_recorder *r, const char *name, const char *media, const char *text)
{
    tac__mcap_attachment(r->writer, name, media, tac_engine_time(r->engine) * 1000, text,
                         strlen(text));
}

// Values of all signals before the first boundary: for people, and for replay with another model.
static void initial_json(const tac_engine *e, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    const tac__schema *schema = tac__watch_schema(e);
    for (size_t i = 0; i < schema->count; i++) {
        const tac__signal *s = &schema->signals[i];
        const void *value = tac__watch_bus(e, i);
        tac__json_key(&json, s->name);
        tac__json_compact(&json);
        tac__json_array_begin(&json);
        for (uint32_t k = 0; k < s->type.count; k++) {
            const double x = tac__scalar_f64(s->type.scalar, value, k);
            if (x - x == 0) {
                tac__json_number(&json, x);
                continue;
            }
            char text[TAC__NUMBER_TEXT];
            tac__number_print(x, text);
            tac__json_text(&json, text);
        }
        tac__json_array_end(&json);
    }
    tac__json_object_end(&json);
}

static void describe_run(tac_recorder *r, uint64_t model_hash)
{
    const tac_engine *e = r->engine;
    const tac__run_facts run = tac__watch_run(e);
    char seed[24], schema[24], model[24], start[24], end[24], log[24];
    snprintf(seed, sizeof seed, "%" PRIu64, run.seed);
    snprintf(schema, sizeof schema, "%016" PRIx64, tac_engine_schema_hash(e));
    snprintf(model, sizeof model, "%016" PRIx64, model_hash);
    snprintf(start, sizeof start, "%" PRIu64, tac_engine_time(e));
    snprintf(end, sizeof end, "%" PRIu64, run.end_us);
    snprintf(log, sizeof log, "%" PRIu64, r->def.log_us);
    static const char *const tiers[] = {"replay", "log", "all"};
    char version[8];
    snprintf(version, sizeof version, "%d", TAC__SCHEMA_VERSION);
    const tac__mcap_pair pairs[] = {
        {"name", r->def.name},
        {"version", TAC_VERSION},
        {"seed", seed},
        {"schema_version", version},
        {"schema_hash", schema},
        {"model_hash", model},
        {"start_us", start},
        {"end_us", end},
        {"tier", tiers[r->def.tier]},
        {"log_us", log},
        {"compression", r->def.compression},
        {"mode", run.driven ? "replay" : "live"},
    };
    tac__mcap_metadata(r->writer, "tactus", pairs, sizeof pairs / sizeof *pairs);
}

static tac_status describe_model(tac_recorder *r)
{
    tac_engine *e = r->engine;
    tac__text model, schema, initial;
    tac__text_init(&model, r->allocator);
    tac__text_init(&schema, r->allocator);
    tac__text_init(&initial, r->allocator);
    tac__model_text(e, &model);
    tac__schema_json(tac__watch_schema(e), &schema);
    initial_json(e, &initial);
    describe_run(r, tac__model_hash(&model));
    attach_text(r, "config.yaml", "application/yaml", r->def.config);
    attach(r, "model.txt", "text/plain", &model);
    attach(r, "schema.json", "application/json", &schema);
    attach(r, "initial.json", "application/json", &initial);
    const bool failed = model.failed || schema.failed || initial.failed;
    tac__text_fini(&model);
    tac__text_fini(&schema);
    tac__text_fini(&initial);
    return failed ? TAC_E_MEMORY : TAC_OK;
}

// What the configuration names. A recording without one of them could not be replayed, so one that
// cannot be read any more is an error.
static tac_status attach_files(tac_recorder *r, tac_error *err)
{
    enum { LIMIT = 1 << 28 };
    for (size_t i = 0; i < r->def.file_count; i++) {
        char *bytes;
        size_t size;
        const tac_status status =
            tac__file_read(r->def.files[i].path, LIMIT, r->allocator, &bytes, &size, err);
        if (status != TAC_OK) {
            tac__error_context(err, "putting '%s' into the recording", r->def.files[i].path);
            return status;
        }
        tac__mcap_attachment(r->writer, r->def.files[i].name, "application/octet-stream",
                             tac_engine_time(r->engine) * 1000, bytes, size);
        tac__file_free(r->allocator, bytes, size);
    }
    return TAC_OK;
}

tac_status tac__recorder_describe(tac_recorder *r, tac_error *err)
{
    tac_status status = describe_model(r);
    if (status == TAC_OK)
        status = attach_files(r, err);
    for (size_t i = 0; status == TAC_OK && i < r->picks.count; i++)
        status = describe_feed(r, &r->feeds[i]);
    if (status == TAC_OK)
        status = describe_own(r);
    return status == TAC_E_MEMORY ? tac__fail_memory(err) : status;
}

// --- the end ------------------------------------------------------------------------------------

void tac__recorder_conclude(tac_recorder *r, const char *failure)
{
    const tac_engine *e = r->engine;
    char hash[24], last[24];
    const uint64_t whole = tac_engine_hash(e, NULL, NULL);
    snprintf(hash, sizeof hash, "%016" PRIx64, whole);
    snprintf(last, sizeof last, "%" PRIu64, tac_engine_time(e));
    const tac__mcap_pair pairs[] = {
        {"hash", hash},
        {"last_us", last},
        {"finished", tac_engine_finished(e) ? "true" : "false"},
        {"failure", failure},
    };
    tac__text digests;
    tac__text_init(&digests, r->allocator);
    const char *name;
    uint64_t digest;
    for (size_t i = 0; (name = tac__watch_digest_at(e, i, &digest)); i++)
        tac__text_add(&digests, "%s %016" PRIx64 "\n", name, digest);
    tac__mcap_flush(r->writer);
    attach(r, "digests.txt", "text/plain", &digests);
    const size_t skip = whole == 0; // digests are off: there is no hash
    tac__mcap_metadata(r->writer, "tactus.end", pairs + skip, sizeof pairs / sizeof *pairs - skip);
    if (digests.failed && r->err.status == TAC_OK)
        tac__fail_memory(&r->err);
    tac__text_fini(&digests);
}
