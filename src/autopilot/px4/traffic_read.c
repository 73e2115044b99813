// traffic_read.c - `publish` and `subscribe` of a configuration: docs/px4.md describes them.
#include "autopilot/px4/traffic.h"

#include <string.h>

tac_status tac__px4_blame(tac_declare *d, const char *param, const tac_error *err)
{
    if (err->status == TAC_E_MEMORY)
        return TAC_E_MEMORY;
    if (err->line)
        return tac_declare_fail(d, param, "%s:%u:%u: %s", err->file, err->line, err->column,
                                err->text);
    return tac_declare_fail(d, param, "%s", err->text);
}

static int64_t whole(tac_declare *d, const char *name, const char *fallback, const char *range,
                     const char *doc)
{
    return tac_param_int(d,
                         TAC_PARAM(.name = name, .fallback = fallback, .range = range, .doc = doc));
}

static bool yes(tac_declare *d, const char *name, const char *doc)
{
    return tac_param_bool(d, TAC_PARAM(.name = name, .fallback = "false", .doc = doc));
}

static const char *topic_name(tac_declare *d)
{
    return tac_param_text(d, TAC_PARAM(.name = "topic", .doc = "as PX4 calls it"));
}

// --- publish ------------------------------------------------------------------------------------

// Fill a field by a number, a value or, if the text is neither, a formula over signals.
static tac_status read_field(tac_declare *d, tac__px4_traffic *t, tac__px4_publisher *p, size_t i,
                             const char *field, const char *source)
{
    tac_error err;
    tac__px4_fill fill = {.count = 1};
    if (tac__uorb_find(p->layout, field, &fill.slot, &err) != TAC_OK)
        return tac__px4_blame(d, field, &err);
    const tac_status status = tac__px4_fill_field(t, p, field, source, &err);
    if (status != TAC_E_NAME)
        return status == TAC_OK ? TAC_OK : tac__px4_blame(d, field, &err);
    if (fill.slot.count > 1)
        return tac_declare_fail(d, field, "a formula is one number, '%s' has %u; name an element",
                                field, fill.slot.count);
    fill.formula = tac__arena_alloc(t->arena, sizeof *fill.formula);
    fill.param = tac__arena_format(t->arena, "publish[%zu].fields.%s", i, field);
    if (!fill.formula || !fill.param)
        return TAC_E_MEMORY;
    TAC_TRY(tac__formula_read(d, &t->peers, field, source, fill.formula));
    return tac__px4_add_fill(t, p, &fill, &err);
}

// The keys under `fields`; between begin and end errors can name them.
typedef struct fields {
    const char *const *names;
    const char **texts;
    size_t count;
} fields;

static tac_status begin_fields(tac_declare *d, tac__px4_traffic *t, const char *doc,
                               const char *each, fields *f)
{
    f->names = tac_param_names(d, TAC_PARAM(.name = "fields", .fallback = "{}", .doc = doc),
                               TAC__PX4_FIELDS_MAX, &f->count);
    f->texts = tac__arena_array(t->arena, f->count + 1, sizeof *f->texts);
    if (!f->texts)
        return TAC_E_MEMORY;
    if (f->count)
        tac_param_begin(d, "fields", 0);
    for (size_t k = 0; k < f->count; k++)
        f->texts[k] = tac_param_text(d, TAC_PARAM(.name = f->names[k], .doc = each));
    return TAC_OK;
}

static void end_fields(tac_declare *d, const fields *f)
{
    if (f->count)
        tac_param_end(d);
}

typedef struct wish {
    const char *topic;
    int32_t instance;
    uint32_t period;
    bool once, off;
} wish;

static wish read_wish(tac_declare *d)
{
    return (wish){
        .topic = topic_name(d),
        .instance = (int32_t)whole(d, "instance", "-1", "[-1, 9]",
                                   "of the topic; -1: any, or all there are"),
        .period = (uint32_t)whole(d, "period", "1", "[1, 1000000]", "in ticks"),
        .once = yes(d, "once", "only before the start"),
        .off = yes(d, "off", "not at all"),
    };
}

static bool is_meant(const tac__px4_publisher *p, const wish *w)
{
    return !strcmp(p->topic, w->topic) && (w->instance < 0 || p->instance == w->instance);
}

// A topic that is published already is changed, in all instances or in the one that is named;
// another topic is added, with its timestamp filled.
static tac_status find_or_add(tac_declare *d, tac__px4_traffic *t, const wish *w)
{
    for (size_t k = 0; k < t->publisher_count; k++) {
        if (is_meant(&t->publishers[k], w))
            return TAC_OK;
    }
    tac_error err;
    tac__px4_publisher *p;
    if (tac__px4_add_publisher(t, w->topic, w->instance, &p, &err) != TAC_OK)
        return tac__px4_blame(d, "topic", &err);
    return tac__px4_fill_field(t, p, "timestamp", "time", &err) == TAC_E_MEMORY ? TAC_E_MEMORY
                                                                                : TAC_OK;
}

static tac_status apply(tac_declare *d, tac__px4_traffic *t, size_t i, const wish *w,
                        const fields *f)
{
    for (size_t k = 0; k < t->publisher_count; k++) {
        tac__px4_publisher *p = &t->publishers[k];
        if (!is_meant(p, w))
            continue;
        p->period = w->period;
        p->once = w->once;
        p->off = w->off;
        for (size_t n = 0; n < f->count; n++)
            TAC_TRY(read_field(d, t, p, i, f->names[n], f->texts[n]));
    }
    return TAC_OK;
}

// An entry sets all of period, once and off, so a second entry would undo the first.
static tac_status check_twice(tac_declare *d, const wish *wishes, size_t i)
{
    const wish *w = &wishes[i];
    for (size_t k = 0; k < i; k++) {
        const wish *before = &wishes[k];
        if (!strcmp(before->topic, w->topic) && *w->topic &&
            (before->instance == w->instance || before->instance < 0 || w->instance < 0))
            return tac_declare_fail(d, "topic", "topic '%s' is there already, as publish[%zu]",
                                    w->topic, k);
    }
    return TAC_OK;
}

static tac_status read_publisher(tac_declare *d, tac__px4_traffic *t, wish *wishes, size_t i)
{
    wishes[i] = read_wish(d);
    const wish w = wishes[i];
    if (*w.topic)
        TAC_TRY(find_or_add(d, t, &w));
    fields f;
    TAC_TRY(begin_fields(d, t, "what to fill them with",
                         "a number, a value such as rate.x, or a formula over signals", &f));
    const tac_status status = apply(d, t, i, &w, &f);
    end_fields(d, &f);
    return status == TAC_OK ? check_twice(d, wishes, i) : status;
}

// --- subscribe ----------------------------------------------------------------------------------

static tac_status add_output(tac_declare *d, tac__px4_traffic *t, tac__px4_subscriber *s,
                             const char *name, const char *field)
{
    tac_error err;
    tac__px4_take take;
    if (tac__uorb_find(s->layout, field, &take.slot, &err) != TAC_OK)
        return tac__px4_blame(d, name, &err);
    take.first = t->result_count;
    take.count = take.slot.count;
    t->result_count += take.count;
    const char *doc = tac__arena_format(t->arena, "%s of PX4's %s", field, s->topic);
    const tac_type several = TAC_TYPE_ARRAY(TAC_F64, take.count), one = TAC_TYPE_F64;
    const int port =
        tac_declare_output(d, TAC_PORT(.name = name, .type = take.count > 1 ? several : one,
                                       .flags = TAC_PORT_NAN, // PX4's sign for "not set"
                                       .doc = doc));
    if (!doc || !TAC__ARENA_GROW(t->arena, t->extras, t->extra_count, t->extra_capacity))
        return TAC_E_MEMORY;
    t->extras[t->extra_count++] = (tac__px4_extra){port, take.first, take.count};
    return tac__px4_add_take(t, s, &take, &err);
}

static tac_status find_subscriber(tac_declare *d, tac__px4_traffic *t, const char *topic,
                                  uint32_t instance, tac__px4_subscriber **s)
{
    for (size_t k = 0; k < t->subscriber_count; k++) {
        *s = &t->subscribers[k];
        if (!strcmp((*s)->topic, topic) && (*s)->instance == instance)
            return TAC_OK;
    }
    tac_error err;
    if (tac__px4_add_subscriber(t, topic, instance, s, &err) != TAC_OK)
        return tac__px4_blame(d, "topic", &err);
    return TAC_OK;
}

static tac_status read_subscriber(tac_declare *d, tac__px4_traffic *t)
{
    const char *topic = topic_name(d);
    const uint32_t instance = (uint32_t)whole(d, "instance", "0", "[0, 9]", "of the topic");
    const bool off = yes(d, "off", "not at all");
    tac__px4_subscriber *s = NULL;
    if (*topic)
        TAC_TRY(find_subscriber(d, t, topic, instance, &s));
    fields f;
    TAC_TRY(begin_fields(d, t, "outputs of this component", "the field that it shows", &f));
    tac_status status = TAC_OK;
    for (size_t k = 0; s && k < f.count && status == TAC_OK; k++)
        status = add_output(d, t, s, f.names[k], f.texts[k]);
    end_fields(d, &f);
    if (s)
        s->off = off;
    return status;
}

// --- everything ---------------------------------------------------------------------------------

tac_status tac__px4_traffic_read(tac_declare *d, tac__px4_traffic *t)
{
    const tac_param_def publish = TAC_DEF(tac_param_def, .name = "publish", .fallback = "[]",
                                          .doc = "topics to add, change or switch off");
    const tac_param_def subscribe = TAC_DEF(tac_param_def, .name = "subscribe", .fallback = "[]",
                                            .doc = "topics to show as outputs, or switch off");
    tac_status status = TAC_OK;
    wish wishes[TAC__PX4_TOPICS_MAX];
    size_t count = tac_param_items(d, &publish, TAC__PX4_TOPICS_MAX);
    for (size_t i = 0; i < count && status == TAC_OK; i++) {
        tac_param_begin(d, "publish", i);
        status = read_publisher(d, t, wishes, i);
        tac_param_end(d);
    }
    count = tac_param_items(d, &subscribe, TAC__PX4_TOPICS_MAX);
    for (size_t i = 0; i < count && status == TAC_OK; i++) {
        tac_param_begin(d, "subscribe", i);
        status = read_subscriber(d, t);
        tac_param_end(d);
    }
    return status;
}

tac_status tac__px4_traffic_compile(tac_declare *d, tac__px4_traffic *t)
{
    for (size_t i = 0; i < t->publisher_count; i++) {
        tac__px4_publisher *p = &t->publishers[i];
        for (size_t k = 0; k < p->fill_count; k++) {
            const tac__px4_fill *fill = &p->fills[k];
            if (!fill->formula)
                continue;
            const tac__expr_type wanted =
                fill->slot.type == TAC__UORB_BOOL ? TAC__EXPR_BOOL : TAC__EXPR_NUMBER;
            TAC_TRY(tac__formula_compile(d, &t->peers, fill->param, wanted, NULL, fill->formula));
        }
    }
    return TAC_OK;
}
