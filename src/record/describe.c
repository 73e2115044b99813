// describe.c - what stands in an MCAP file besides its samples: who wrote it, of what model, with
// which configuration and from which initial state; its channels; and at its end how the run went.
#include "record/mcap_sink.h"
#include "base/file.h"
#include "base/json.h"
#include "bus/type.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TYPES "tactus/msg/"

// --- channels of signals ------------------------------------------------------------------------

static const char *const trace_names[] = {
    [TAC__MODE_WRITES] = "exact", [TAC__MODE_HOLD] = "hold",    [TAC__MODE_EVERY] = "sampled",
    [TAC__MODE_ISLAND] = "exact", [TAC__MODE_AXIS] = "sampled", [TAC__MODE_WINDOW] = "sampled"};
static const char *const mode_suffixes[] = {
    [TAC__MODE_WRITES] = "steps", [TAC__MODE_HOLD] = "changes", [TAC__MODE_EVERY] = "every",
    [TAC__MODE_ISLAND] = "plant", [TAC__MODE_AXIS] = "log",     [TAC__MODE_WINDOW] = "window"};

// "/entity/component"; a component's second channel and further ones say how they are filled.
static char *topic_of(tac__arena *arena, const tac__channel *c)
{
    size_t before = 0, alike = 0; // the channels of a component follow each other
    for (const tac__channel *other = c; other > c->sampler->channels; before++) {
        if ((--other)->pick->component != c->pick->component)
            break;
        alike += other->pick->mode.kind == c->pick->mode.kind;
    }
    const char *suffix = mode_suffixes[c->pick->mode.kind];
    char *topic = before == 0 ? tac__arena_format(arena, "/%s", c->component)
                  : alike == 0
                      ? tac__arena_format(arena, "/%s/%s", c->component, suffix)
                      : tac__arena_format(arena, "/%s/%s%zu", c->component, suffix, alike + 1);
    for (char *at = topic; at && *at; at++)
        *at = *at == '.' ? '/' : *at;
    return topic;
}

// "tactus/msg/EntityComponent": the name of a message type, from a topic. ROS 2 allows letters and
// digits only, so two topics may come to the same name: the second one gets a number.
static const char *type_of(tac__mcap_sink *s, const char *topic)
{
    tac__arena *arena = &s->base.recorder->arena;
    char *name = tac__arena_format(arena, TYPES "%s%s", tac__is_letter(topic[1]) ? "" : "T", topic);
    if (!name)
        return NULL;
    char *to = name + strlen(TYPES);
    bool starts = true; // a word
    for (const char *c = to; *c; c++) {
        if (tac__is_alnum(*c))
            *to++ = starts ? tac__to_upper(*c) : *c;
        starts = !tac__is_alnum(*c);
    }
    *to = '\0';
    return tac__names_add_new(&s->types, arena, name, tac__is_digit(to[-1]) ? "N" : "");
}

static tac_time period_of(const tac__channel *c)
{
    const tac__mode *mode = &c->pick->mode;
    if (mode->kind == TAC__MODE_AXIS)
        return mode->period_us;
    return mode->kind == TAC__MODE_WRITES
               ? tac__watch_component(c->sampler->engine, c->pick->component).period_us
               : 0;
}

tac_status tac__mcap_sink_channel(tac__mcap_sink *s, tac__channel *c)
{
    tac_recorder *r = s->base.recorder;
    const char *topic = topic_of(&r->arena, c);
    const char *type = topic ? type_of(s, topic) : NULL;
    tac__encoder *encoder = tac__arena_array(&r->arena, 1, sizeof *encoder);
    if (!type || !encoder)
        return TAC_E_MEMORY;
    tac__text msg, json;
    tac__text_init(&msg, r->allocator);
    tac__text_init(&json, r->allocator);
    tac__layout_msg(&c->layout, c->component, r->allocator, &msg);
    tac__layout_json(&c->layout, &json);
    char period[24];
    snprintf(period, sizeof period, "%" PRIu64, period_of(c));
    if (!msg.failed && !json.failed) {
        const tac__mcap_pair pairs[] = {
            {"kind", tac__channel_kind_name(TAC__CHANNEL_SIGNALS)},
            {"subject", c->component},
            {"trace", trace_names[c->pick->mode.kind]},
            {"period_us", period},
            {"replay", c->pick->mode.replay ? "true" : "false"},
            {"signals", json.chars},
        };
        const uint16_t schema = tac__mcap_schema(s->writer, type, "ros2msg", msg.chars);
        const uint16_t id =
            tac__mcap_channel(s->writer, schema, topic, "cdr", pairs, sizeof pairs / sizeof *pairs);
        c->slot = tac__mcap_slot_of(s->writer, id);
        tac__encoder_init(encoder, c, c->slot);
    }
    const bool failed = msg.failed || json.failed;
    tac__text_fini(&msg);
    tac__text_fini(&json);
    return failed ? TAC_E_MEMORY : TAC_OK;
}

// --- streams ------------------------------------------------------------------------------------

_Static_assert(TAC__FATE_DELIVERED == 0 && TAC__FATE_DUPLICATED == 1 && TAC__FATE_LOST == 2 &&
                   TAC__FATE_DOWN == 3 && TAC__FATE_COUNT == 4,
               "as the message type below says");

// The message type of a kind, and the topic where there is only one of it.
static const struct {
    const char *type, *msg, *topic;
} stream_kinds[TAC__CHANNEL_OTHER] = {
    [TAC__CHANNEL_DIGEST] = {TYPES "Digests", "uint64[] t_us\nuint64[] digest\n", NULL},
    [TAC__CHANNEL_INSTANTS] = {TYPES "Instant", "uint32 source\n", "/tactus/instants"},
    [TAC__CHANNEL_DELIVERY] = {TYPES "Delivery",
                               "uint64 sent_us\nuint64 sequence\nuint32 sender\nuint8[] data\n"
                               "uint32 copy\n",
                               NULL},
    [TAC__CHANNEL_FATES] = {TYPES "Fate",
                            "uint8 DELIVERED=0\n"
                            "uint8 DUPLICATED=1\n"
                            "uint8 LOST=2\n"
                            "uint8 DOWN=3\n"
                            "uint64 sequence\n"
                            "uint64[] delivered_us\n"
                            "uint32 link\n"
                            "uint8 fate\n",
                            "/tactus/fates"},
    [TAC__CHANNEL_STATE] = {TYPES "State", "uint8[] data\n", "/tactus/state"},
    [TAC__CHANNEL_LOG] = {"rcl_interfaces/msg/Log",
                          "byte DEBUG=10\n"
                          "byte INFO=20\n"
                          "byte WARN=30\n"
                          "byte ERROR=40\n"
                          "byte FATAL=50\n"
                          "builtin_interfaces/Time stamp\n"
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
                          "uint32 nanosec\n",
                          "/rosout"},
    [TAC__CHANNEL_MARK] = {TYPES "Mark", "uint64 t_us\n", "/tactus/mark"},
};

uint16_t tac__mcap_sink_stream(tac__mcap_sink *s, tac__channel_kind kind, const char *subject,
                               const char *names)
{
    const char *topic = stream_kinds[kind].topic, *kind_name = tac__channel_kind_name(kind);
    if (!topic) {
        char *own =
            tac__arena_format(&s->base.recorder->arena, "/tactus/%s/%s", kind_name, subject);
        for (char *c = own; c && *c; c++)
            *c = *c == '.' ? '/' : *c;
        topic = own;
    }
    if (!topic)
        return UINT16_MAX;
    const tac__mcap_pair pairs[] = {{"kind", kind_name}, {"subject", subject}, {"names", names}};
    const uint16_t schema =
        tac__mcap_schema(s->writer, stream_kinds[kind].type, "ros2msg", stream_kinds[kind].msg);
    return tac__mcap_channel(s->writer, schema, topic, "cdr", pairs, names ? 3 : 2);
}

// --- the head -----------------------------------------------------------------------------------

static void attach(tac__mcap_sink *s, const char *name, const char *media, const tac__text *text)
{
    if (!text->failed)
        tac__mcap_attachment(s->writer, name, media,
                             tac_engine_time(s->base.recorder->engine) * 1000,
                             text->chars ? text->chars : "", text->length);
}

static void attach_text(tac__mcap_sink *s, const char *name, const char *media, const char *text)
{
    tac__mcap_attachment(s->writer, name, media, tac_engine_time(s->base.recorder->engine) * 1000,
                         text, strlen(text));
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
        for (uint32_t k = 0; k < s->kind->type.count; k++) {
            const double x = tac__scalar_f64(s->kind->type.scalar, value, k);
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

static void describe_run(tac__mcap_sink *s, uint64_t model_hash)
{
    const tac_recorder *r = s->base.recorder;
    const tac_engine *e = r->engine;
    const tac__run_facts run = tac__watch_run(e);
    char seed[24], schema[24], model[24], start[24], end[24], log[24];
    snprintf(seed, sizeof seed, "%" PRIu64, run.seed);
    snprintf(schema, sizeof schema, "%016" PRIx64, tac_engine_schema_hash(e));
    snprintf(model, sizeof model, "%016" PRIx64, model_hash);
    snprintf(start, sizeof start, "%" PRIu64, tac_engine_time(e));
    snprintf(end, sizeof end, "%" PRIu64, run.end_us);
    snprintf(log, sizeof log, "%" PRIu64, r->def.log_us);
    static const char *const tiers[] = {
#define WORD(name, text, doc) text,
        TAC_TIER_TABLE(WORD)
#undef WORD
    };
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
    tac__mcap_metadata(s->writer, "tactus", pairs, sizeof pairs / sizeof *pairs);
}

static tac_status describe_model(tac__mcap_sink *s)
{
    const tac_recorder *r = s->base.recorder;
    tac_engine *e = r->engine;
    tac__text model, schema, initial;
    tac__text_init(&model, r->allocator);
    tac__text_init(&schema, r->allocator);
    tac__text_init(&initial, r->allocator);
    tac__model_text(e, &model);
    tac__schema_json(tac__watch_schema(e), &schema);
    initial_json(e, &initial);
    describe_run(s, tac__model_hash(&model));
    attach_text(s, "config.yaml", "application/yaml", r->def.config);
    attach(s, "model.txt", "text/plain", &model);
    attach(s, "schema.json", "application/json", &schema);
    attach(s, "initial.json", "application/json", &initial);
    const bool failed = model.failed || schema.failed || initial.failed;
    tac__text_fini(&model);
    tac__text_fini(&schema);
    tac__text_fini(&initial);
    return failed ? TAC_E_MEMORY : TAC_OK;
}

// What the configuration names. A recording without one of them could not be replayed, so one that
// cannot be read any more is an error.
static tac_status attach_files(tac__mcap_sink *s, tac_error *err)
{
    const tac_recorder *r = s->base.recorder;
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
        tac__mcap_attachment(s->writer, r->def.files[i].name, "application/octet-stream",
                             tac_engine_time(r->engine) * 1000, bytes, size);
        tac__file_free(r->allocator, bytes, size);
    }
    return TAC_OK;
}

// Types of streams are the recorder's own, whatever components are called.
static tac_status reserve_types(tac__mcap_sink *s)
{
    for (size_t k = 0; k < TAC__CHANNEL_OTHER; k++) {
        if (stream_kinds[k].type)
            TAC_TRY(tac__names_set(&s->types, &s->base.recorder->arena, stream_kinds[k].type, 1));
    }
    return TAC_OK;
}

tac_status tac__mcap_sink_describe(tac__mcap_sink *s, tac_error *err)
{
    if (reserve_types(s) != TAC_OK)
        return tac__fail_memory(err);
    if (describe_model(s) != TAC_OK)
        return tac__fail_memory(err);
    return attach_files(s, err);
}

// --- the end ------------------------------------------------------------------------------------

// Each expectation by its name, as a JSON object; and when the condition of `stop` ended the run.
static void conclude_verdict(tac__mcap_sink *s)
{
    tac_recorder *r = s->base.recorder;
    const size_t count = tac_verdict_count(r->verdict);
    tac__mcap_pair *pairs = tac__arena_array(&r->arena, count + 1, sizeof *pairs);
    bool failed = !pairs;
    for (size_t i = 0; pairs && i < count; i++) {
        char *text = tac_verdict_print(r->verdict, i, TAC_FORMAT_JSON);
        const char *value = text ? tac__arena_text(&r->arena, text) : NULL;
        tac_text_free(text);
        failed |= !value;
        pairs[i] = (tac__mcap_pair){tac_verdict_get(r->verdict, i).name, value ? value : ""};
    }
    if (!failed && count)
        tac__mcap_metadata(s->writer, "tactus.expect", pairs, count);
    tac_time t_us;
    const char *nan;
    if (tac_verdict_stopped(r->verdict, &t_us, &nan)) {
        char text[24];
        snprintf(text, sizeof text, "%" PRIu64, t_us);
        tac__mcap_metadata(s->writer, "tactus.stop", &(tac__mcap_pair){"t_us", text}, 1);
    }
    if (failed && r->err.status == TAC_OK)
        tac__fail_memory(&r->err);
}

void tac__mcap_sink_conclude(tac__mcap_sink *s, const char *failure)
{
    tac_recorder *r = s->base.recorder;
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
    tac__mcap_flush(s->writer);
    attach(s, "digests.txt", "text/plain", &digests);
    const size_t skip = whole == 0; // digests are off: there is no hash
    tac__mcap_metadata(s->writer, "tactus.end", pairs + skip, sizeof pairs / sizeof *pairs - skip);
    if (digests.failed && r->err.status == TAC_OK)
        tac__fail_memory(&r->err);
    tac__text_fini(&digests);
    if (r->verdict)
        conclude_verdict(s);
}
