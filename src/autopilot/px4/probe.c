// probe.c - compares what a library of PX4 reports about itself with what is known here.
#include "autopilot/px4/abi.h"
#include "autopilot/px4/load.h"
#include "autopilot/px4/printed.h"
#include "base/def.h"
#include "base/floats.h"
#include "base/json.h"
#include <tactus/px4.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_US = 10000000 }; // of a call

typedef struct row {
    const char *topic;
    const tac__uorb_message *message; // as it is here; NULL: unknown
    bool known;                       // to the library
    tac__px4_topic_info info;
} row;

typedef struct probe {
    const tac_px4_probe_def *def;
    const char *library;
    tac__arena arena;
    tac__uorb_folder *folder; // NULL: the built-in messages
    tac__watch watch;
    tac__px4 *px4;
    tac__px4_facts facts;
    tac__printed printed; // by the library
    row *rows;
    size_t count;
} probe;

// --- asking -------------------------------------------------------------------------------------

static bool row_fits(const row *r)
{
    return r->message && r->known && r->info.size == r->message->size &&
           r->info.hash == r->message->hash;
}

static tac_status list_topics(probe *p, tac_error *err)
{
    const tac_px4_probe_def *def = p->def;
    if (def->msg_dir)
        TAC_TRY(tac__uorb_folder_open(&p->arena, def->msg_dir, &p->folder, err));
    p->count = def->topic_count;
    while (!def->topic_count && tac__uorb_builtin_topic(p->count))
        p->count++;
    p->rows = tac__arena_array(&p->arena, p->count, sizeof *p->rows);
    if (!p->rows)
        return tac__fail_memory(err);
    for (size_t i = 0; i < p->count; i++) {
        row *r = &p->rows[i];
        r->topic = def->topic_count ? def->topics[i] : tac__uorb_builtin_topic(i);
        if (tac__uorb_knows(p->folder, r->topic)) // an unknown topic is told in the table
            TAC_TRY(tac__uorb_message_of(&p->arena, p->folder, r->topic, &r->message, err));
    }
    return TAC_OK;
}

static tac_status ask(probe *p, tac_error *err)
{
    TAC_TRY(tac__px4_open(p->library, &p->watch, &p->px4, err));
    p->facts = tac__px4_facts_of(p->px4);
    const tac__px4_config config = tac__px4_config_default();
    TAC_TRY(tac__px4_create(p->px4, &config, err));
    for (size_t i = 0; i < p->count; i++) {
        tac_error unknown;
        p->rows[i].known =
            tac__px4_topic(p->px4, p->rows[i].topic, &p->rows[i].info, &unknown) == TAC_OK;
    }
    return TAC_OK;
}

// --- telling ------------------------------------------------------------------------------------

static const char *verdict(const row *r)
{
    if (!r->known)
        return r->message ? "unknown to the library" : "unknown to both";
    if (!r->message)
        return "unknown here";
    return row_fits(r) ? "fits" : "DIFFERS";
}

static void add_row(const probe *p, const row *r, tac__text *out)
{
    const char *nearest = r->message || r->known ? NULL : tac__uorb_nearest(p->folder, r->topic);
    tac__text_add(out, "  %-28s", r->topic);
    if (r->known)
        tac__text_add(out, "%6" PRIu32 "  %08" PRIx32 "  %5u", r->info.size, r->info.hash,
                      r->info.queue_size);
    else
        tac__text_add(out, "%6s  %8s  %5s", "-", "-", "-");
    if (r->message)
        tac__text_add(out, "%8" PRIu32 "  %08" PRIx32, r->message->size, r->message->hash);
    else
        tac__text_add(out, "%8s  %8s", "-", "-");
    tac__text_add(out, "  %s", verdict(r));
    if (nearest)
        tac__text_add(out, "; did you mean '%s'?", nearest);
    tac__text_add(out, "\n");
}

static void tell_text(probe *p, tac__text *out)
{
    size_t fits = 0;
    for (size_t i = 0; i < p->count; i++)
        fits += row_fits(&p->rows[i]);
    tac__text_add(out, "%s\n", p->library);
    tac__text_add(out, "  ABI version        %" PRIu32 "\n", p->facts.abi);
    tac__text_add(out,
                  "  sizes              input %" PRIu32 ", output %" PRIu32
                  ", configuration %" PRIu32 "\n",
                  p->facts.in_size, p->facts.out_size, p->facts.config_size);
    tac__text_add(out, "  autosave           %s\n",
                  p->facts.autosave ? "can be switched off"
                                    : "cannot be switched off: setting parameters may hang");
    tac__text_add(out, "  topics             %zu of %zu fit %s%s\n\n", fits, p->count,
                  p->def->msg_dir ? "the messages in " : "the built-in messages",
                  p->def->msg_dir ? p->def->msg_dir : "");
    char line[TAC__PRINTED_LINE];
    bool said = false;
    while (tac__printed_take(&p->printed, true, line)) {
        tac__text_add(out, "  %-19s%s\n", said ? "" : "it prints", line);
        said = true;
    }
    if (said)
        tac__text_add(out, "\n");
    tac__text_add(out, "  %-28s%-23s%-20s\n", "", "  library", "     here");
    tac__text_add(out, "  %-28s%6s  %8s  %5s%8s  %8s\n", "topic", "size", "hash", "queue", "size",
                  "hash");
    for (size_t i = 0; i < p->count; i++)
        add_row(p, &p->rows[i], out);
    for (size_t i = 0; p->def->fields && i < p->count; i++) {
        if (!p->rows[i].message)
            continue;
        tac__text_add(out, "\n");
        tac__uorb_print(p->rows[i].message, out);
    }
}

static void key_hash(tac__json *json, const char *key, uint32_t hash)
{
    char text[16];
    tac__out o = tac__out_begin(text, sizeof text);
    tac__out_add(&o, "%08" PRIx32, hash);
    tac__json_key_text(json, key, text);
}

static void json_fields(const tac__uorb_message *m, tac__json *json)
{
    tac__json_key(json, "fields");
    tac__json_array_begin(json);
    for (size_t i = 0; i < m->field_count; i++) {
        const tac__uorb_field *f = &m->fields[i];
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "name", f->name);
        tac__json_key_text(json, "type", tac__uorb_element_type(f));
        tac__json_key_u64(json, "count", f->count);
        tac__json_key_u64(json, "offset", f->offset);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void json_row(const row *r, bool fields, tac__json *json)
{
    if (!fields)
        tac__json_compact(json);
    tac__json_object_begin(json);
    tac__json_key_text(json, "topic", r->topic);
    tac__json_key_bool(json, "fits", row_fits(r));
    tac__json_key_bool(json, "in_library", r->known);
    if (r->known) {
        tac__json_key_u64(json, "size", r->info.size);
        tac__json_key_u64(json, "size_no_padding", r->info.size_no_padding);
        key_hash(json, "hash", r->info.hash);
        tac__json_key_u64(json, "queue_size", r->info.queue_size);
    }
    if (r->message) {
        tac__json_key_u64(json, "expected_size", r->message->size);
        key_hash(json, "expected_hash", r->message->hash);
    }
    if (r->message && fields)
        json_fields(r->message, json);
    tac__json_object_end(json);
}

static void tell_json(probe *p, bool fits, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_text(&json, "library", p->library);
    tac__json_key_bool(&json, "fits", fits);
    tac__json_key_u64(&json, "abi", p->facts.abi);
    tac__json_key_u64(&json, "input_size", p->facts.in_size);
    tac__json_key_u64(&json, "output_size", p->facts.out_size);
    tac__json_key_u64(&json, "config_size", p->facts.config_size);
    tac__json_key_bool(&json, "autosave_switch", p->facts.autosave);
    tac__json_key(&json, "printed");
    tac__json_array_begin(&json);
    char line[TAC__PRINTED_LINE];
    while (tac__printed_take(&p->printed, true, line))
        tac__json_text(&json, line);
    tac__json_array_end(&json);
    if (p->def->msg_dir)
        tac__json_key_text(&json, "msg_dir", p->def->msg_dir);
    tac__json_key(&json, "topics");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < p->count; i++)
        json_row(&p->rows[i], p->def->fields, &json);
    tac__json_array_end(&json);
    tac__json_object_end(&json);
}

static tac_status tell(probe *p, tac_format format, char **text, bool *fits, tac_error *err)
{
    tac__text out;
    tac__text_init(&out, tac_allocator_default());
    *fits = true;
    for (size_t i = 0; i < p->count; i++)
        *fits &= row_fits(&p->rows[i]);
    if (format == TAC_FORMAT_JSON)
        tell_json(p, *fits, &out);
    else
        tell_text(p, &out);
    if (out.failed) {
        tac__text_fini(&out);
        return tac__fail_memory(err);
    }
    *text = out.chars;
    return TAC_OK;
}

// --- from outside -------------------------------------------------------------------------------

static tac_status look(probe *p, tac_error *err)
{
    const tac__hang_hook hook = {p->def->hang, p->def->hang_context, p->library};
    TAC_TRY(list_topics(p, err));
    TAC_TRY(tac__watch_start(&p->watch, &hook, LIMIT_US, err));
    tac_status status = tac__printed_open(&p->printed, err);
    tac__watch_begin(&p->watch);
    tac__printed_begin(&p->printed);
    if (status == TAC_OK)
        status = ask(p, err);
    tac__px4_close(p->px4);
    tac__printed_end();
    tac__watch_end(&p->watch);
    tac__printed_close(&p->printed);
    tac__watch_stop(&p->watch);
    return status;
}

tac_status tac_px4_probe(const tac_px4_probe_def *def, tac_format format, char **text, bool *fits,
                         tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(def && text && fits && (format == TAC_FORMAT_TEXT || format == TAC_FORMAT_JSON));
    *text = NULL;
    *fits = false;
    TAC__DEF(tac_px4_probe_def, def, err);
    probe p = {.def = def, .library = def->library ? def->library : getenv(TAC__PX4_VARIABLE)};
    if (!p.library || !*p.library)
        return tac__fail(err, TAC_E_UNNAMED,
                         "no library of PX4 is named, neither here nor in the environment "
                         "variable " TAC__PX4_VARIABLE);
    tac__arena_init(&p.arena, NULL);
    tac_status status = look(&p, err);
    if (status == TAC_OK)
        status = tell(&p, format, text, fits, err);
    tac__arena_fini(&p.arena);
    return status;
}
