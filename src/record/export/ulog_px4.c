// ulog_px4.c - finds the components that fill topics of PX4, and lays those topics out.
#include "base/text.h"
#include "autopilot/px4/message.h"
#include "autopilot/px4/ulog.h"
#include "record/export/ulog_topics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INSTANCES_MAX = 256 }; // of a topic: their number has 8 bits

typedef struct maker {
    tac__export *x;
    tac__ulog_topics *topics;
    tac__names chosen;       // signals by name
    const char **components; // that have chosen signals, in order
    size_t component_count;
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
                 {"double", 'f', 8},   {"int32_t", 'i', 4}};
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

// The fields of a message of the bridge, as a ULog defines them: its padding is at the end, and is
// left out.
static const char *format_of(maker *m, const tac__px4_ulog_topic *topic)
{
    static const char *const types[] = {
        [TAC__UORB_BOOL] = "bool",     [TAC__UORB_CHAR] = "char",
        [TAC__UORB_INT8] = "int8_t",   [TAC__UORB_UINT8] = "uint8_t",
        [TAC__UORB_INT16] = "int16_t", [TAC__UORB_UINT16] = "uint16_t",
        [TAC__UORB_INT32] = "int32_t", [TAC__UORB_UINT32] = "uint32_t",
        [TAC__UORB_INT64] = "int64_t", [TAC__UORB_UINT64] = "uint64_t",
        [TAC__UORB_FLOAT32] = "float", [TAC__UORB_FLOAT64] = "double",
    };
    const tac__uorb_message *message;
    if (topic->format)
        return topic->format;
    if (tac__uorb_builtin(&m->x->arena, topic->like ? topic->like : topic->name, &message, NULL) !=
        TAC_OK)
        return NULL;
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
    t->slots = tac__arena_array(arena, sources, sizeof *t->slots);
    if (!t->data || !t->slots)
        return tac__fail_memory(err);
    rest(t->data, format);
    for (size_t i = 0; i < sources; i++)
        TAC_TRY(add_source(m, t, component, topic, &topic->sources[i], element, err));
    return TAC_OK;
}

static tac_status add_px4(maker *m, const tac__px4_ulog_topic *topic, tac_error *err)
{
    const char *format = format_of(m, topic);
    size_t instance = 0, left_out = 0;
    if (!format)
        return tac__fail_memory(err);
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
    return TAC_OK;
}
