// branch_events.c - finds which events of a checkpoint and of an engine are the same.
#include "engine/plan/declare.h"
#include "engine/run/branch_inside.h"
#include "base/print.h"

#include <stdarg.h>

typedef struct key_value {
    const char *key, *value;
} key_value;

struct tac__old_event {
    key_value *keys;
    size_t count;
    TAC__CAPACITY(key_value) capacity;
    const char *text; // "{at: 20 s, do: arm}", keys with their default values left out
    int other;        // its number in the other list
    int instead;      // number of the event that replaces it in the other list
};

typedef tac__old_event event;
typedef tac__event_items event_list;

// --- reading and comparing ----------------------------------------------------------------------

static tac_status add_key(tac__branching *b, event_list *list, size_t number, const char *key,
                          const char *value)
{
    if (number > list->count) // events come in ascending order
        return tac__fail(b->err, TAC_E_FORMAT, "'%s' is damaged: its events are not in order",
                         b->trunk->path);
    if (number == list->count) {
        if (!TAC__ARENA_GROW(b->arena, list->items, list->count, list->capacity))
            return tac__fail_memory(b->err);
        list->items[list->count++] = (event){.other = TAC__NO_EVENT, .instead = TAC__NO_EVENT};
    }
    event *e = &list->items[number];
    if (!TAC__ARENA_GROW(b->arena, e->keys, e->count, e->capacity))
        return tac__fail_memory(b->err);
    e->keys[e->count++] = (key_value){key, value};
    return TAC_OK;
}

// The events of all components, from the lines of a model.
static tac_status read_events(tac__branching *b, const tac__lines *model, bool now,
                              tac__past *pasts)
{
    for (size_t i = 0; i < model->count; i++) {
        char name[TAC__NAME_ROOM];
        const char *value, *key;
        size_t number;
        const int component = tac__branch_param(model->items[i], name, &value)
                                  ? tac__branch_event(b, name, &number, &key)
                                  : -1;
        if (component < 0 || !key)
            continue;
        tac__past *past = &pasts[component];
        key = tac__arena_text(b->arena, key);
        if (!key)
            return tac__fail_memory(b->err);
        TAC_TRY(add_key(b, now ? &past->now : &past->then, number, key, value));
    }
    return TAC_OK;
}

static const char *value_of(const event *e, const char *key)
{
    for (size_t i = 0; i < e->count; i++) {
        if (!strcmp(e->keys[i].key, key))
            return e->keys[i].value;
    }
    return "";
}

// The value of a key that the file does not give; NULL: it must be given.
static const char *default_of(const tac__component *probe, const char *list, const char *key)
{
    for (size_t i = 0; i < probe->param_count; i++) {
        const char *name = probe->params[i].name;
        const size_t n = strlen(list);
        if (!strncmp(name, list, n) && name[n] == '.' && !strcmp(name + n + 1, key))
            return probe->params[i].def.fallback ? probe->values[i] : NULL;
    }
    return NULL;
}

static tac_status describe_events(tac__branching *b, const tac__component *probe,
                                  const char *list_name, event_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        event *e = &list->items[i];
        tac__text text;
        tac__text_init(&text, b->e->allocator);
        tac__text_add(&text, "{");
        for (size_t k = 0; k < e->count; k++) {
            const key_value *kv = &e->keys[k];
            const char *usual = default_of(probe, list_name, kv->key);
            if (!usual || strcmp(kv->value, usual))
                tac__text_add(&text, "%s%s: %s", text.length > 1 ? ", " : "", kv->key, kv->value);
        }
        tac__text_add(&text, "}");
        e->text = text.failed ? NULL : tac__arena_text(b->arena, text.chars);
        tac__text_fini(&text);
        if (!e->text)
            return tac__fail_memory(b->err);
    }
    return TAC_OK;
}

// Events with the same keys are the same. Of several equal events the first matches the first.
static void match_events(event_list *then, event_list *now)
{
    for (size_t i = 0; i < then->count; i++) {
        for (size_t k = 0; k < now->count; k++) {
            if (now->items[k].other != TAC__NO_EVENT ||
                strcmp(then->items[i].text, now->items[k].text))
                continue;
            then->items[i].other = (int)k;
            now->items[k].other = (int)i;
            break;
        }
    }
}

// Events at the same place between events that are the same were changed.
static tac_status list_event_changes(tac__branching *b, tac__past *past)
{
    event_list *then = &past->then, *now = &past->now;
    const tac__component *c = past->component;
    size_t i = 0, k = 0;
    while (i < then->count || k < now->count) {
        event *was = i < then->count ? &then->items[i] : NULL;
        const event *is = k < now->count ? &now->items[k] : NULL;
        const bool removed = was && was->other == TAC__NO_EVENT;
        const bool added = is && is->other == TAC__NO_EVENT;
        if (removed || added)
            TAC_TRY(tac__branch_change(b,
                                       removed && added ? TAC_CHANGE_EVENT_CHANGED
                                       : removed        ? TAC_CHANGE_EVENT_REMOVED
                                                        : TAC_CHANGE_EVENT_ADDED,
                                       c->name, c->event_list, removed ? was->text : NULL,
                                       added ? is->text : NULL));
        if (removed && added)
            was->instead = (int)k;
        i += removed || !added;
        k += added || !removed;
    }
    return TAC_OK;
}

static tac_status compare_events(tac__branching *b, tac__past *past)
{
    tac__component *c = past->component, *probe;
    // An instance that belongs to no engine has the default of every parameter.
    TAC_TRY(tac__declare(NULL, b->arena, c->type, c->type->name, 0, NULL, NULL, &probe, b->err));
    tac_status status = describe_events(b, probe, c->event_list, &past->then);
    if (status == TAC_OK)
        status = describe_events(b, probe, c->event_list, &past->now);
    if (c->type->close)
        c->type->close(probe->self);
    TAC_TRY(status);
    match_events(&past->then, &past->now);
    for (size_t i = 0; i < past->now.count && !b->suspect.line; i++) {
        const event *e = &past->now.items[i];
        if (e->other == TAC__NO_EVENT && *value_of(e, "when"))
            b->suspect = *tac__branch_event_place(c, (int)i);
    }
    return list_event_changes(b, past);
}

tac_status tac__branch_events(tac__branching *b, tac__past *pasts)
{
    const tac__plan *plan = b->e->plan;
    for (size_t i = 0; i < plan->component_count; i++) {
        if (plan->components[i]->event_list)
            pasts[i] = (tac__past){.b = b, .component = plan->components[i]};
    }
    TAC_TRY(read_events(b, &b->there, false, pasts));
    TAC_TRY(read_events(b, &b->here, true, pasts));
    for (size_t i = 0; i < plan->component_count; i++) {
        if (pasts[i].b)
            TAC_TRY(compare_events(b, &pasts[i]));
    }
    return TAC_OK;
}

// --- functions for `carry` ----------------------------------------------------------------------

tac_time tac__past_time(const tac__past *past)
{
    return past->b->trunk->t_us;
}

tac__arena *tac__past_arena(const tac__past *past)
{
    return past->b->arena;
}

size_t tac__past_count(const tac__past *past)
{
    return past->then.count;
}

int tac__past_now(const tac__past *past, size_t i)
{
    return past->then.items[i].other;
}

int tac__past_then(const tac__past *past, size_t i)
{
    return i < past->now.count ? past->now.items[i].other : TAC__NO_EVENT;
}

int tac__past_instead(const tac__past *past, size_t i)
{
    return past->then.items[i].instead;
}

const char *tac__past_value(const tac__past *past, size_t i, const char *key)
{
    return value_of(&past->then.items[i], key);
}

const char *tac__past_text(const tac__past *past, size_t i)
{
    return past->then.items[i].text;
}

tac_status tac__past_state(const tac__past *past, const char *name, const uint64_t **words,
                           size_t *count)
{
    const tac__branching *b = past->b;
    *words = NULL;
    *count = 0;
    const char *full =
        tac__arena_format(b->arena, "discrete state %s.%s", past->component->name, name);
    if (!full)
        return TAC_E_MEMORY;
    const int part = tac__names_find(&b->part_names, full);
    if (part < 0)
        return TAC_OK;
    const tac__old_part *old = &b->parts[part];
    uint64_t *copy = tac__arena_alloc(b->arena, old->size);
    if (!copy)
        return TAC_E_MEMORY;
    memcpy(copy, b->trunk->block + old->offset, old->size); // may not be aligned there
    *words = copy;
    *count = old->size / sizeof *copy;
    return TAC_OK;
}

tac_status tac__past_refuse(tac__past *past, int i, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    tac__vprint(text, sizeof text, format, args);
    va_end(args);
    return tac__fail_at(past->b->err, TAC_E_MISMATCH, tac__branch_event_place(past->component, i),
                        "'%s' cannot be continued with these events: %s", past->b->trunk->path,
                        text);
}
