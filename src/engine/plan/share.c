// share.c - see share.h.
//
// A list is compared with that of the last component of the same type, and bytes with those that
// were asked for last: vehicles of one template follow each other. What is not found there is
// stored again, which costs memory and nothing else.
#include "engine/plan/share.h"
#include "base/def.h"

#include <string.h>

// --- texts --------------------------------------------------------------------------------------

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

// Units and descriptions come again in other types, too.
const char *tac__share_text(tac__plan *e, const char *text)
{
    return text ? tac__names_keep(&e->shapes.texts, &e->arena, text) : NULL;
}

static bool keep_into(tac__plan *e, const char **text)
{
    const char *kept = tac__share_text(e, *text);
    const bool good = kept || !*text;
    *text = kept;
    return good;
}

// --- ports --------------------------------------------------------------------------------------

static bool same_direct(const tac__port *a, const tac__port *b)
{
    return a->direct_count == b->direct_count && !a->direct == !b->direct &&
           (!a->direct_count || !memcmp(a->direct, b->direct, a->direct_count * sizeof *a->direct));
}

// Ports that are connected by name get unit and value of their peer: they are never shared.
static bool same_port(const tac__port *a, const tac__port *b)
{
    return !a->peer && !b->peer && a->flags == b->flags && a->part == b->part &&
           a->role == b->role && a->type.scalar == b->type.scalar &&
           a->type.shape == b->type.shape && a->type.count == b->type.count &&
           a->type.labels == b->type.labels && a->scale == b->scale && a->has_rest == b->has_rest &&
           !memcmp(&a->rest, &b->rest, sizeof a->rest) && same_text(a->name, b->name) &&
           same_text(a->unit, b->unit) && same_text(a->doc, b->doc) &&
           same_text(a->derivative, b->derivative) && same_direct(a, b);
}

static bool same_ports(const tac__ports *a, const tac__ports *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = same_port(&a->items[i], &b->items[i]);
    return same;
}

static tac_status keep_port(tac__plan *e, tac__port *p)
{
    if (!keep_into(e, &p->name) || !keep_into(e, &p->unit) || !keep_into(e, &p->doc) ||
        !keep_into(e, &p->derivative) || !keep_into(e, &p->peer))
        return TAC_E_MEMORY;
    if (!p->direct)
        return TAC_OK;
    int *direct = tac__arena_array(&e->arena, p->direct_count, sizeof *direct);
    if (!direct)
        return TAC_E_MEMORY;
    memcpy(direct, p->direct, p->direct_count * sizeof *direct);
    p->direct = direct;
    return TAC_OK;
}

// Copies a list without room to grow.
static void *copy_items(tac__plan *e, const void *items, size_t count, size_t size)
{
    void *copy = tac__arena_array(&e->arena, count, size);
    if (copy && count)
        memcpy(copy, items, count * size);
    return copy;
}

static tac_status keep_ports(tac__plan *e, tac__ports *ports, const tac__ports *model)
{
    if (model && same_ports(ports, model)) {
        *ports = *model;
        return TAC_OK;
    }
    ports->items = copy_items(e, ports->items, ports->count, sizeof *ports->items);
    if (!ports->items)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < ports->count; i++)
        TAC_TRY(keep_port(e, &ports->items[i]));
    return TAC_OK;
}

// --- events and message ports -------------------------------------------------------------------

static bool same_events(const tac__component *a, const tac__component *b)
{
    bool same = a->event_count == b->event_count;
    for (size_t i = 0; same && i < a->event_count; i++)
        same = same_text(a->events[i].name, b->events[i].name) &&
               same_text(a->events[i].doc, b->events[i].doc);
    return same;
}

static tac_status keep_events(tac__plan *e, tac__component *c, const tac__component *model)
{
    if (model && same_events(c, model)) {
        c->events = model->events;
        return TAC_OK;
    }
    c->events = copy_items(e, c->events, c->event_count, sizeof *c->events);
    for (size_t i = 0; c->events && i < c->event_count; i++) {
        if (!keep_into(e, &c->events[i].name) || !keep_into(e, &c->events[i].doc))
            return TAC_E_MEMORY;
    }
    return c->events ? TAC_OK : TAC_E_MEMORY;
}

static bool same_messages(const tac__component *a, const tac__component *b)
{
    bool same = a->message_count == b->message_count;
    for (size_t i = 0; same && i < a->message_count; i++)
        same = a->messages[i].sends == b->messages[i].sends &&
               same_text(a->messages[i].name, b->messages[i].name) &&
               same_text(a->messages[i].doc, b->messages[i].doc);
    return same;
}

static tac_status keep_messages(tac__plan *e, tac__component *c, const tac__component *model)
{
    if (model && same_messages(c, model)) {
        c->messages = model->messages;
        return TAC_OK;
    }
    c->messages = copy_items(e, c->messages, c->message_count, sizeof *c->messages);
    for (size_t i = 0; c->messages && i < c->message_count; i++) {
        if (!keep_into(e, &c->messages[i].name) || !keep_into(e, &c->messages[i].doc))
            return TAC_E_MEMORY;
    }
    return c->messages ? TAC_OK : TAC_E_MEMORY;
}

// --- parameters ---------------------------------------------------------------------------------

static bool same_param(const tac__param *a, const tac__param *b)
{
    return a->choices == b->choices && a->tunable == b->tunable && a->input == b->input &&
           same_text(a->kind, b->kind) && same_text(a->name, b->name) &&
           same_text(a->def.unit, b->def.unit) && same_text(a->def.fallback, b->def.fallback) &&
           same_text(a->def.range, b->def.range) && same_text(a->def.doc, b->def.doc);
}

static bool same_params(const tac__component *a, const tac__component *b)
{
    bool same = a->param_count == b->param_count;
    for (size_t i = 0; same && i < a->param_count; i++)
        same = same_param(&a->params[i], &b->params[i]);
    return same;
}

static tac_status keep_params(tac__plan *e, tac__component *c, const tac__component *model)
{
    if (model && same_params(c, model)) {
        c->params = model->params;
        return TAC_OK;
    }
    tac__param *params = copy_items(e, c->params, c->param_count, sizeof *params);
    for (size_t i = 0; params && i < c->param_count; i++) {
        tac__param *p = &params[i];
        if (!keep_into(e, &p->name) || !keep_into(e, &p->def.unit) ||
            !keep_into(e, &p->def.fallback) || !keep_into(e, &p->def.range) ||
            !keep_into(e, &p->def.doc))
            return TAC_E_MEMORY;
        p->def.name = p->name;
    }
    c->params = params;
    return params ? TAC_OK : TAC_E_MEMORY;
}

// If one value differs, the component has a list of its own, with pointers to the same texts.
static tac_status keep_values(tac__plan *e, tac__component *c, const tac__component *model)
{
    bool same = model && model->params == c->params;
    for (size_t i = 0; same && i < c->param_count; i++)
        same = !strcmp(c->values[i], model->values[i]);
    if (same) {
        c->values = model->values;
        return TAC_OK;
    }
    const char **values = copy_items(e, c->values, c->param_count, sizeof *values);
    for (size_t i = 0; values && i < c->param_count; i++) {
        if (model && model->params == c->params && !strcmp(values[i], model->values[i]))
            values[i] = model->values[i];
        else if (!keep_into(e, &values[i]))
            return TAC_E_MEMORY;
    }
    c->values = values;
    return values ? TAC_OK : TAC_E_MEMORY;
}

// --- a component --------------------------------------------------------------------------------

// The entry for the last component of a type.
static const tac__component **model_of(tac__plan *e, const tac_component_type *type)
{
    tac__shapes *s = &e->shapes;
    for (size_t i = 0; i < s->count; i++) {
        if (s->models[i]->type == type)
            return &s->models[i];
    }
    if (!TAC__ARENA_GROW(&e->arena, s->models, s->count, s->capacity))
        return NULL;
    return &s->models[s->count++];
}

// Components with equal data share them, where nothing changes them any more: `connect` may. Of a
// type that is not built in it is not known whether it keeps the address.
static void share_self(tac__component *c, const tac__component *model)
{
    const tac_component_type *type = c->type;
    if (model && type->flags & TAC__COMPONENT_BUILTIN && !(type->flags & TAC_COMPONENT_OPAQUE) &&
        !type->connect && !type->close && !memcmp(c->self, model->self, type->self_size))
        c->self = model->self;
}

tac_status tac__share_shape(tac__plan *e, tac__component *c)
{
    const tac__component **at = model_of(e, c->type), *model = at ? *at : NULL;
    if (!at)
        return TAC_E_MEMORY;
    *at = c;
    c->model = model;
    share_self(c, model);
    TAC_TRY(keep_ports(e, &c->inputs, model ? &model->inputs : NULL));
    TAC_TRY(keep_ports(e, &c->outputs, model ? &model->outputs : NULL));
    TAC_TRY(keep_ports(e, &c->states, model ? &model->states : NULL));
    TAC_TRY(keep_ports(e, &c->continuous, model ? &model->continuous : NULL));
    TAC_TRY(keep_ports(e, &c->decisions, model ? &model->decisions : NULL));
    TAC_TRY(keep_events(e, c, model));
    TAC_TRY(keep_messages(e, c, model));
    TAC_TRY(keep_params(e, c, model));
    return keep_values(e, c, model);
}

const void *tac__share_bytes(tac__plan *e, const void *bytes, size_t size)
{
    tac__shapes *s = &e->shapes;
    for (size_t i = 0; i < TAC__SHARED_RECENT; i++) {
        if (size && s->recent[i].size == size && !memcmp(s->recent[i].bytes, bytes, size))
            return s->recent[i].bytes;
    }
    void *copy = tac__arena_alloc(&e->arena, size);
    if (copy)
        memcpy(copy, bytes, size);
    if (copy && size)
        s->recent[s->next++ % TAC__SHARED_RECENT] = (tac__shared){copy, size};
    return copy;
}
