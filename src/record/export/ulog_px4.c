// ulog_px4.c - finds the components that fill topics of PX4, and lays those topics out.
#include "base/file.h"
#include "base/text.h"
#include "autopilot/px4/load.h"
#include "autopilot/px4/message.h"
#include "autopilot/px4/ulog.h"
#include "record/export/model_text.h"
#include "record/export/ulog_topics.h"
#include "record/recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES_MAX = 256 }; // of a topic: their number has 8 bits

typedef struct maker {
    tac__export *x;
    tac__ulog_topics *topics;
    tac__names chosen;       // signals by name
    const char **components; // that have chosen signals, in order
    size_t component_count;
    tac__uorb_folder *folder; // .msg files inside; NULL: none
} maker;

// --- layouts of PX4 -----------------------------------------------------------------------------

typedef struct field {
    const char *name;
    size_t length; // of the name
    char kind;
    size_t at, size;
    uint32_t count;
} field;

// The field at *text, "float[3] xyz;"; false at the end.
static bool next_field(const char **text, field *f)
{
    static const struct {
        const char *name;
        char kind;
        size_t size;
    } types[] = {{"uint64_t", 'u', 8}, {"uint32_t", 'u', 4}, {"uint16_t", 'u', 2},
                 {"uint8_t", 'u', 1},  {"bool", 'u', 1},     {"float", 'f', 4},
                 {"double", 'f', 8},   {"int64_t", 'i', 8},  {"int32_t", 'i', 4},
                 {"int16_t", 'i', 2},  {"int8_t", 'i', 1},   {"char", 'u', 1}};
    if (!**text)
        return false;
    f->at += f->size * f->count;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const size_t length = strlen(types[i].name);
        if (!strncmp(*text, types[i].name, length)) {
            f->kind = types[i].kind;
            f->size = types[i].size;
            *text += length;
            break;
        }
    }
    f->count = 1;
    if (**text == '[') {
        const char *end;
        f->count = (uint32_t)tac__digits_parse(*text + 1, &end, 10);
        *text = end + 1;
    }
    f->name = *text + 1;
    f->length = strcspn(f->name, ";");
    *text = f->name + f->length + 1;
    return true;
}

static bool find_field(const char *format, const char *name, field *f)
{
    *f = (field){0};
    while (next_field(&format, f)) {
        if (strlen(name) == f->length && !strncmp(name, f->name, f->length))
            return true;
    }
    return false;
}

// Until they are known, numbers are NaN, flags and counts 0.
static void rest(unsigned char *data, const char *format)
{
    field f = {0};
    while (next_field(&format, &f)) {
        for (uint32_t e = 0; e < f.count; e++)
            tac__ulog_number(data + f.at + e * f.size, f.kind, f.size,
                             f.kind == 'f' ? (double)NAN : 0);
    }
}

// --- components ------------------------------------------------------------------------------

static bool comes_from(const tac_recorded *signal, tac__px4_ulog_from from)
{
    static const tac_stage stages[] = {[TAC__PX4_ULOG_AIR] = TAC_STAGE_ENVIRONMENT,
                                       [TAC__PX4_ULOG_ESTIMATE] = TAC_STAGE_ESTIMATE,
                                       [TAC__PX4_ULOG_CONTROL] = TAC_STAGE_CONTROL};
    return from == TAC__PX4_ULOG_PLANT ? signal->continuous
                                       : !signal->continuous && signal->stage == stages[from];
}

static const tac_recorded *find_port(const maker *m, const char *component, const char *port,
                                     tac__px4_ulog_from from)
{
    char name[512];
    tac__out out = tac__out_begin(name, sizeof name);
    tac__out_add(&out, "%s.%s", component, port);
    const int i = tac__names_find(&m->chosen, name);
    return i >= 0 && comes_from(m->x->signals[i], from) ? m->x->signals[i] : NULL;
}

static tac_shape shape_for(tac__px4_ulog_how how)
{
    switch (how) {
    case TAC__PX4_ULOG_YAW:
    case TAC__PX4_ULOG_ECEF_ATTITUDE:
    case TAC__PX4_ULOG_ECEF_YAW:
        return TAC_QUAT;
    case TAC__PX4_ULOG_REACHED:
        return TAC_SINGLE;
    default:
        return TAC_VEC3;
    }
}

static bool needs_origin(tac__px4_ulog_how how)
{
    return how == TAC__PX4_ULOG_GEODETIC || how >= TAC__PX4_ULOG_ECEF_VECTOR;
}

// The signal of a source, if the component has it as it should be.
static const tac_recorded *find_source(const maker *m, const char *component,
                                       const tac__px4_ulog_topic *topic,
                                       const tac__px4_ulog_source *source)
{
    const tac_recorded *signal = find_port(m, component, source->port, topic->from);
    if (!signal || signal->type.count <= source->element)
        return NULL;
    if (source->how != TAC__PX4_ULOG_PLAIN && signal->type.shape != shape_for(source->how))
        return NULL;
    if (source->with && !find_port(m, component, source->with, topic->from))
        return NULL;
    return source->unit && strcmp(source->unit, signal->unit) != 0 ? NULL : signal;
}

static bool qualifies(const maker *m, const char *component, const tac__px4_ulog_topic *topic)
{
    if (topic->with && !find_port(m, component, topic->with, topic->from))
        return false;
    for (const tac__px4_ulog_source *s = topic->sources; s->field; s++) {
        const bool there = s->port && find_source(m, component, topic, s);
        if (s->port && !s->optional && !s->with && !there)
            return false;
        if (there && needs_origin(s->how) && !m->topics->placed) {
            tac__export_note(m->x,
                             "%s of '%s' is left out: the recording does not say where the origin "
                             "is",
                             topic->name, component);
            return false;
        }
    }
    return true;
}

// "idle=0 land=18" for the labels of this signal; what is not named stays 0.
static const uint8_t *make_map(maker *m, const tac_type *type, const char *text, size_t *count)
{
    static const char *const of_bool[] = {"false", "true", NULL};
    const char *const *labels = type->scalar == TAC_BOOL ? of_bool : type->labels;
    *count = type->scalar == TAC_BOOL ? 2 : tac__export_labels(type);
    uint8_t *map = tac__arena_alloc(&m->x->arena, *count + 1);
    for (size_t i = 0; map && i < *count; i++) {
        const size_t length = strlen(labels[i]);
        for (const char *p = text; p; p = strchr(p, ' ') ? strchr(p, ' ') + 1 : NULL) {
            if (!strncmp(p, labels[i], length) && p[length] == '=')
                map[i] = (uint8_t)tac__digits_parse(p + length + 1, NULL, 10);
        }
    }
    return map;
}

// Return the format of a message as a ULog has it. The padding at the end is left out. NULL: no
// memory.
static const char *format_of_message(maker *m, const tac__uorb_message *message)
{
    static const char *const types[] = {
        [TAC__UORB_BOOL] = "bool",     [TAC__UORB_CHAR] = "char",
        [TAC__UORB_INT8] = "int8_t",   [TAC__UORB_UINT8] = "uint8_t",
        [TAC__UORB_INT16] = "int16_t", [TAC__UORB_UINT16] = "uint16_t",
        [TAC__UORB_INT32] = "int32_t", [TAC__UORB_UINT32] = "uint32_t",
        [TAC__UORB_INT64] = "int64_t", [TAC__UORB_UINT64] = "uint64_t",
        [TAC__UORB_FLOAT32] = "float", [TAC__UORB_FLOAT64] = "double",
    };
    tac__text text;
    tac__text_init(&text, m->x->arena.allocator);
    for (size_t i = 0; i < message->field_count; i++) {
        const tac__uorb_field *f = &message->fields[i];
        tac__text_add(&text, "%s", types[f->type]);
        if (f->array)
            tac__text_add(&text, "[%" PRIu32 "]", f->count);
        tac__text_add(&text, " %s;", f->name);
    }
    const char *format = text.failed ? NULL : tac__arena_text(&m->x->arena, text.chars);
    tac__text_fini(&text);
    return format;
}

static const char *format_of(maker *m, const tac__px4_ulog_topic *topic)
{
    const tac__uorb_message *message;
    if (topic->format)
        return topic->format;
    if (tac__uorb_builtin(&m->x->arena, topic->like ? topic->like : topic->name, &message, NULL) !=
        TAC_OK)
        return NULL;
    return format_of_message(m, message);
}

static tac_status add_source(maker *m, tac__ulog_topic *t, const char *component,
                             const tac__px4_ulog_topic *topic, const tac__px4_ulog_source *source,
                             uint32_t element, tac_error *err)
{
    const char *format = t->format;
    field f;
    const bool there = find_field(format, source->field, &f);
    TAC_ASSERT(there);
    (void)there;
    if (source->how == TAC__PX4_ULOG_ORIGIN) {
        const tac__geodesy *w = &m->topics->world;
        const double origin[] = {w->latitude_rad * TAC__DEG_OF_RAD,
                                 w->longitude_rad * TAC__DEG_OF_RAD, w->altitude_m};
        if (m->topics->placed)
            tac__ulog_number(t->data + f.at, f.kind, f.size, origin[source->element]);
        return TAC_OK;
    }
    if (!source->port) {
        tac__ulog_number(t->data + f.at, f.kind, f.size,
                         source->index ? element + 1.0 : source->value);
        return TAC_OK;
    }
    const tac_recorded *signal = find_source(m, component, topic, source);
    if (!signal || signal->type.count <= element)
        return TAC_OK; // it is optional
    tac__ulog_slot slot = {.field = source->field,
                           .signal = signal,
                           .at = f.at,
                           .size = f.size,
                           .kind = f.kind,
                           .element = source->element + element,
                           .how = source->how,
                           .scale = source->scale,
                           .world = &m->topics->world,
                           .add = source->value};
    if (source->other && !(slot.other = find_port(m, component, source->other, topic->from)))
        return TAC_OK;
    const uint32_t left = signal->type.count - slot.element;
    slot.count = topic->each || left < f.count ? (topic->each ? 1 : left) : f.count;
    if (f.count > 1 && left > f.count)
        tac__export_note(m->x,
                         "%s.%s holds %" PRIu32 " of the %" PRIu32 " elements of '%s'; "
                         "all are in its own topic",
                         topic->name, source->field, f.count, left, signal->name);
    if (source->map && !(slot.map = make_map(m, &signal->type, source->map, &slot.map_count)))
        return tac__fail_memory(err);
    if (t->slot_count == 0)
        t->channel = signal->channel;
    t->slots[t->slot_count++] = slot;
    return TAC_OK;
}

static tac_status add_instance(maker *m, const char *component, const tac__px4_ulog_topic *topic,
                               const char *format, size_t instance, uint32_t element,
                               tac_error *err)
{
    tac__arena *arena = &m->x->arena;
    tac__ulog_topic *t = tac__ulog_add(m->topics, m->x);
    field last = {0}, second;
    for (const char *text = format; next_field(&text, &last);)
        ;
    size_t sources = 0;
    while (topic->sources[sources].field)
        sources++;
    if (!t)
        return tac__fail_memory(err);
    *t = (tac__ulog_topic){
        .name = topic->name,
        .format = format,
        .instance = (uint8_t)instance,
        .px4 = true,
        .size = last.at + last.size * last.count,
        .times = find_field(format, "timestamp_sample", &second) ? 2 : 1,
    };
    t->data = tac__arena_alloc(arena, t->size);
    t->last = tac__arena_alloc(arena, t->size);
    t->slots = tac__arena_array(arena, sources, sizeof *t->slots);
    if (!t->data || !t->last || !t->slots)
        return tac__fail_memory(err);
    rest(t->data, format);
    for (size_t i = 0; i < sources; i++)
        TAC_TRY(add_source(m, t, component, topic, &topic->sources[i], element, err));
    t->once = topic->once;
    t->period_us = tac__ulog_period(m->x, t->channel, topic->period_us);
    return TAC_OK;
}

static tac_status add_px4(maker *m, const tac__px4_ulog_topic *topic, tac_error *err)
{
    const char *format = format_of(m, topic);
    size_t instance = 0, left_out = 0;
    if (!format)
        return tac__fail_memory(err);
    // A later part of the recording does not have the first message.
    if (topic->once && m->x->def->from_us > m->x->about->start_us)
        return TAC_OK;
    if (topic->fallback && m->topics->count &&
        !strcmp(m->topics->topics[m->topics->count - 1].name, topic->name))
        return TAC_OK;
    for (size_t i = 0; i < m->component_count; i++) {
        const char *component = m->components[i];
        if (!qualifies(m, component, topic))
            continue;
        const uint32_t count =
            topic->each ? find_source(m, component, topic, topic->sources)->type.count : 1;
        for (uint32_t e = 0; e < count; e++) {
            if (instance < INSTANCES_MAX)
                TAC_TRY(add_instance(m, component, topic, format, instance++, e, err));
            else
                left_out++;
        }
    }
    if (left_out > 0)
        tac__export_note(m->x,
                         "a topic has at most %d instances: %zu more of %s are only in topics "
                         "of their own",
                         INSTANCES_MAX, left_out, topic->name);
    return TAC_OK;
}

// --- topics that a flight with PX4 subscribed to -------------------------------------------------

// Read the .msg files that the recording has inside. NULL: it has none.
static tac_status open_messages(maker *m, tac__uorb_folder **folder, tac_error *err)
{
    tac_recording *r = m->x->recording;
    const tac__mcap_info *about = tac__mcap_about(r->reader);
    *folder = NULL;
    for (size_t i = 0; i < about->attachment_count; i++) {
        const char *path = about->attachments[i].name, *slash = strrchr(path, '/');
        if (!tac__ends_in(path, ".msg"))
            continue;
        if (!*folder)
            TAC_TRY(tac__uorb_folder_create(&m->x->arena, "recording", folder, err));
        const char *file = slash ? slash + 1 : path;
        const char *type =
            tac__arena_format(&m->x->arena, "%.*s", (int)(strlen(file) - strlen(".msg")), file);
        char *bytes;
        size_t size;
        if (!type)
            return tac__fail_memory(err);
        TAC_TRY(tac__mcap_attachment_read(r->reader, i, &bytes, &size, err));
        const tac_status status = tac__uorb_folder_add(*folder, type, path, bytes, size, err);
        tac__file_free(r->allocator, bytes, size);
        if (status == TAC_E_MEMORY)
            return status; // Of two files with one name the first counts.
    }
    return TAC_OK;
}

// Tell whether the log already has the topic with another layout: a ULog has one layout per topic.
static bool has_other_layout(maker *m, const char *topic, const tac__uorb_message *message)
{
    const char *format = format_of_message(m, message);
    for (size_t i = 0; format && i < m->topics->count; i++) {
        const tac__ulog_topic *t = &m->topics->topics[i];
        if (!strcmp(t->name, topic))
            return strcmp(t->format, format) != 0;
    }
    return false;
}

static const tac__uorb_message *find_message(maker *m, const char *topic)
{
    const tac__uorb_message *message = NULL;
    if (m->folder && tac__uorb_folder_message(m->folder, topic, &message, NULL) == TAC_OK)
        return message;
    return tac__uorb_builtin(&m->x->arena, topic, &message, NULL) == TAC_OK ? message : NULL;
}

// Tell whether a ULog can hold the message: its time comes first, and no message is nested in it.
static bool is_plain(const tac__uorb_message *message)
{
    for (size_t i = 0; i < message->field_count; i++) {
        if (message->fields[i].type == TAC__UORB_MESSAGE)
            return false;
    }
    return message->field_count > 0 && message->fields[0].offset == 0 &&
           !strcmp(message->fields[0].name, "timestamp");
}

// Return the topic that the table has made for the component, with room for more slots, or a new
// topic. NULL: no memory.
static tac__ulog_topic *open_subscribed(maker *m, const char *component, const char *topic,
                                        const tac__uorb_message *message, bool first, size_t most)
{
    tac__arena *arena = &m->x->arena;
    const char *format = format_of_message(m, message);
    size_t instance = 0;
    if (!format)
        return NULL;
    for (size_t i = 0; i < m->topics->count; i++) {
        tac__ulog_topic *t = &m->topics->topics[i];
        if (strcmp(t->name, topic) != 0 || strcmp(t->format, format) != 0)
            continue;
        instance++;
        const char *of = t->slot_count ? t->slots[0].signal->name : "";
        const size_t length = strlen(component);
        if (!first || strncmp(of, component, length) != 0 || of[length] != '.')
            continue;
        tac__ulog_slot *slots = tac__arena_array(arena, t->slot_count + most, sizeof *slots);
        if (!slots)
            return NULL;
        memcpy(slots, t->slots, t->slot_count * sizeof *slots);
        t->slots = slots;
        return t;
    }
    tac__ulog_topic *t = tac__ulog_add(m->topics, m->x);
    if (!t)
        return NULL;
    *t = (tac__ulog_topic){
        .name = tac__arena_text(arena, topic),
        .format = format,
        .instance = (uint8_t)instance,
        .px4 = true,
        .size = message->size_no_padding,
        .times = message->field_count > 1 && message->fields[1].offset == 8 &&
                         !strcmp(message->fields[1].name, "timestamp_sample")
                     ? 2
                     : 1,
        .data = tac__arena_alloc(arena, message->size),
        .last = tac__arena_alloc(arena, message->size),
        .slots = tac__arena_array(arena, most, sizeof(tac__ulog_slot)),
    };
    if (!t->name || !t->data || !t->last || !t->slots)
        return NULL;
    rest(t->data, t->format);
    return t;
}

// An entry of `subscribe`, as its lines in the model's text come: topic, instance, off, the list of
// fields, then a line for each field.
typedef struct entry {
    char component[256], topic[TAC__UORB_NAME];
    size_t number;
    bool first, off;                  // True for instance 0; for a topic that is switched off.
    size_t most;                      // Number of fields.
    const tac__uorb_message *message; // NULL: left out
    tac__ulog_topic *made;            // NULL: no field so far
} entry;

static void begin_entry(maker *m, entry *e, const char *component, size_t number, const char *topic)
{
    *e = (entry){.number = number};
    snprintf(e->component, sizeof e->component, "%.255s", component);
    snprintf(e->topic, sizeof e->topic, "%.63s", topic);
    const tac__uorb_message *message = find_message(m, topic);
    const char *reason = !message             ? "the recording does not have its message"
                         : !is_plain(message) ? "its message has others inside, or no time"
                         : has_other_layout(m, topic, message)
                             ? "its message is not the one that is built in"
                             : NULL;
    if (reason)
        tac__export_note(m->x, "what '%s' shows of topic '%s' is left out of it: %s", component,
                         topic, reason);
    else
        e->message = message;
}

// Add the signal that the component makes of a field. A signal that was not chosen is none.
static tac_status add_field(maker *m, entry *e, const char *port, const char *path, tac_error *err)
{
    enum { PERIOD_US = 20000 };
    char name[512];
    tac__uorb_slot place;
    snprintf(name, sizeof name, "%s.%s", e->component, port);
    const int i = tac__names_find(&m->chosen, name);
    const tac_recorded *signal = i >= 0 ? m->x->signals[i] : NULL;
    if (!signal || !e->message || e->off || e->most == 0 ||
        tac__uorb_find(e->message, path, &place, NULL) != TAC_OK ||
        place.count != signal->type.count)
        return TAC_OK;
    if (!e->made &&
        !(e->made = open_subscribed(m, e->component, e->topic, e->message, e->first, e->most)))
        return tac__fail_memory(err);
    tac__ulog_topic *t = e->made;
    if (t->slot_count == 0) {
        t->channel = signal->channel;
        t->period_us = tac__ulog_period(m->x, t->channel, PERIOD_US);
    }
    const bool floating = place.type == TAC__UORB_FLOAT32 || place.type == TAC__UORB_FLOAT64;
    const bool negative = tac__uorb_scalars[place.type].lowest < 0;
    t->slots[t->slot_count++] = (tac__ulog_slot){
        .field = tac__arena_text(&m->x->arena, path),
        .signal = signal,
        .count = place.count,
        .at = place.offset,
        .size = tac__uorb_scalars[place.type].size,
        .kind = floating   ? 'f'
                : negative ? 'i'
                           : 'u',
    };
    e->most--;
    return TAC_OK;
}

// Read a line such as "param uav.control.subscribe[0].fields.integral = rollspeed_integ".
static tac_status read_line(maker *m, entry *e, const tac__model_line *line, tac_error *err)
{
    static const char list[] = ".subscribe[";
    char name[512], value[256];
    const size_t length = (size_t)(line->equal - line->name);
    const size_t given = (size_t)(line->end - line->value);
    if (length >= sizeof name)
        return TAC_OK;
    snprintf(name, sizeof name, "%.*s", (int)length, line->name);
    // Only the list of fields may be longer.
    snprintf(value, sizeof value, "%.*s", given < sizeof value ? (int)given : 0, line->value);
    char *part = strstr(name, list);
    const char *key;
    if (!part || part - name >= (ptrdiff_t)sizeof e->component)
        return TAC_OK;
    const size_t number = (size_t)tac__digits_parse(part + sizeof list - 1, &key, 10);
    *part = '\0';
    if (strncmp(key, "].", 2) != 0)
        return TAC_OK;
    key += 2;
    if (!strcmp(key, "topic"))
        begin_entry(m, e, name, number, value);
    if (number != e->number || strcmp(name, e->component) != 0)
        return TAC_OK;
    if (!strcmp(key, "instance"))
        e->first = !strcmp(value, "0");
    if (!strcmp(key, "off"))
        e->off = !strcmp(value, "true");
    if (!strcmp(key, "fields")) {
        for (const char *c = line->value; c < line->end; c++)
            e->most += *c == '[' || *c == ',';
    }
    return !strncmp(key, "fields.", 7) ? add_field(m, e, key + 7, value, err) : TAC_OK;
}

static tac_status add_all_subscribed(maker *m, tac_error *err)
{
    const char *at = m->x->about->model;
    tac__model_line line;
    entry e = {0};
    TAC_TRY(open_messages(m, &m->folder, err));
    while (tac__model_next(&at, &line))
        TAC_TRY(read_line(m, &e, &line, err));
    return TAC_OK;
}

// --- home ---------------------------------------------------------------------------------------

// Replace the place of the start by `home` of a control.
static void place_home(maker *m, tac__ulog_topic *t, const double home[3])
{
    static const char *const fields[] = {"x", "y", "z", "lat", "lon", "alt"};
    const geodetic place = geodesy_from_ned(&m->topics->world, vec3_from_array(home));
    const double values[] = {home[0],
                             home[1],
                             home[2],
                             place.latitude * TAC__DEG_OF_RAD,
                             place.longitude * TAC__DEG_OF_RAD,
                             place.altitude};
    size_t kept = 0;
    for (size_t i = 0; i < t->slot_count; i++) {
        const tac__ulog_slot *slot = &t->slots[i];
        size_t k = 0;
        while (k < sizeof fields / sizeof *fields && strcmp(fields[k], slot->field) != 0)
            k++;
        if (k < sizeof fields / sizeof *fields)
            tac__ulog_number(t->data + slot->at, slot->kind, slot->size, values[k]);
        else
            t->slots[kept++] = *slot;
    }
    t->slot_count = kept;
}

static void place_homes(maker *m)
{
    const char *at = m->x->about->model;
    tac__model_line line;
    while (tac__model_next(&at, &line)) {
        const size_t length = (size_t)(line.equal - line.name);
        const char *dot = memchr(line.name, '.', length);
        double home[3];
        if (!dot || length < 5 || memcmp(line.equal - 5, ".home", 5) != 0 ||
            tac__model_numbers(line.value, home, 3) != 3)
            continue;
        for (size_t i = 0; i < m->topics->count; i++) {
            tac__ulog_topic *t = &m->topics->topics[i];
            if (t->once && t->slot_count &&
                !strncmp(t->slots[0].signal->name, line.name, (size_t)(dot - line.name) + 1))
                place_home(m, t, home);
        }
    }
}

// --- all of them --------------------------------------------------------------------------------

static tac_status list(maker *m, tac_error *err)
{
    tac__export *x = m->x;
    tac__names known = {0};
    m->components = tac__arena_array(&x->arena, x->channel_count + 1, sizeof *m->components);
    if (!m->components)
        return tac__fail_memory(err);
    for (size_t i = 0; i < x->signal_count; i++) {
        const tac_recorded *signal = x->signals[i];
        const char *component = tac_recording_channel(x->recording, signal->channel)->component;
        if (tac__names_set(&m->chosen, &x->arena, signal->name, (uint32_t)i) != TAC_OK)
            return tac__fail_memory(err);
        if (tac__names_find(&known, component) >= 0)
            continue;
        if (tac__names_set(&known, &x->arena, component, 0) != TAC_OK)
            return tac__fail_memory(err);
        m->components[m->component_count++] = component;
    }
    return TAC_OK;
}

static bool read_number(const char *text, double *value)
{
    const char *end;
    *value = tac__number_parse(text, &end);
    return end > text && *value - *value == 0;
}

// The line "world latitude 0.8 longitude 0.1 altitude 488 ... geodesy 1 ..." of the model's text.
static void find_origin(maker *m)
{
    const char *line = m->x->about->model;
    while (*line && strncmp(line, "world ", 6) != 0)
        line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
    tac_world world = {0};
    double kind = -1;
    const struct {
        const char *word;
        double *value;
    } parts[] = {{" latitude ", &world.latitude_rad},
                 {" longitude ", &world.longitude_rad},
                 {" altitude ", &world.altitude_m},
                 {" geodesy ", &kind}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *at = strstr(line, parts[i].word), *end = strchr(line, '\n');
        if (!at || !end || at > end || !read_number(at + strlen(parts[i].word), parts[i].value))
            return;
    }
    if (kind != TAC_GEODESY_SPHERE && kind != TAC_GEODESY_WGS84)
        return;
    world.geodesy = (tac_geodesy)kind;
    tac__geodesy_init(&m->topics->world, &world);
    m->topics->placed = true;
}

tac_status tac__ulog_px4_make(tac__ulog_topics *topics, tac__export *x, tac_error *err)
{
    maker m = {.x = x, .topics = topics};
    find_origin(&m);
    TAC_TRY(list(&m, err));
    for (const tac__px4_ulog_topic *t = tac__px4_ulog_topics; t->name; t++)
        TAC_TRY(add_px4(&m, t, err));
    place_homes(&m);
    return add_all_subscribed(&m, err);
}
