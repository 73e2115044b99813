// scopes.c - parameters inside parameters, and those of another component.
#include "engine/plan/given.h"
#include "base/node.h"
#include "engine/plan/find.h"

#include <stdio.h>
#include <string.h>

void tac__scope_begin(tac_declare *d, const tac_node *map, const char *prefix, bool peer,
                      const char *owner)
{
    TAC_ASSERT(d->depth + 1 < TAC__SCOPES_MAX);
    tac__scope *scope = &d->scopes[++d->depth];
    *scope = (tac__scope){.map = map, .prefix = prefix, .peer = peer, .owner = owner};
    if (!map || peer)
        return;
    scope->used = tac__arena_array(d->meta, tac_node_count(map), sizeof *scope->used);
    if (!scope->used)
        tac__declare_no_memory(d);
    // A key without a value counts as absent, so it need not be used.
    for (size_t i = 0; scope->used && i < tac_node_count(map); i++)
        scope->used[i] = tac_node_is_null(tac_node_item(map, i));
}

// The name of a parameter inside the present map; NULL where it belongs to another map.
static const char *local_name(const tac_declare *d, size_t i)
{
    const tac__scope *scope = &d->scopes[d->depth];
    const char *name = d->instance->params[i].name;
    const size_t prefix = strlen(scope->prefix);
    if (strncmp(name, scope->prefix, prefix) || strpbrk(name + prefix, ".["))
        return NULL;
    return name + prefix;
}

static void fail_unknown(tac_declare *d, const char *key, const tac_place *place)
{
    tac_error err;
    tac__nearest nearest = tac__nearest_begin(key);
    tac__fail_at(&err, TAC_E_NAME, place, "unknown parameter '%s' of type '%s'", key,
                 d->instance->type->name);
    for (size_t i = 0; i < d->instance->param_count; i++) {
        if (local_name(d, i))
            tac__nearest_offer(&nearest, local_name(d, i));
    }
    if (nearest.best)
        tac__error_append(&err, "; did you mean '%s'?", nearest.best);
    const char *comma = "; it has";
    for (size_t i = 0; !nearest.best && i < d->instance->param_count; i++) {
        if (!local_name(d, i))
            continue;
        tac__error_append(&err, "%s %s", comma, local_name(d, i));
        comma = ",";
    }
    if (!nearest.best && *comma == ';')
        tac__error_append(&err, "; it has none");
    if (d->unknown) {
        tac__error_context(&err, "setting up component '%s' of type '%s'", d->instance->name,
                           d->instance->type->name);
        tac__declare_tell(d, &err);
    } else {
        // What is missing has the wrong name; what is wrong is wrong.
        if (d->failed && d->error.status != TAC_E_CONFIG)
            tac__declare_tell(d, &d->error);
        d->error = err;
    }
    d->failed = d->unknown = true;
}

// A key that does not exist is reported in the place of a parameter that is missing or faulty: it
// is the likelier cause. Without memory, or after a definition that could not be read, the valid
// keys are not known.
void tac__scope_end(tac_declare *d)
{
    const tac__scope *scope = tac__scope_of(d);
    const bool lost =
        d->failed && (d->error.status == TAC_E_MEMORY || d->error.status == TAC_E_ABI);
    const size_t keys = scope->used && !lost ? tac_node_count(scope->map) : 0;
    for (size_t i = 0; i < keys && d->told < TAC_MISTAKES_MAX; i++) {
        if (!scope->used[i])
            fail_unknown(d, tac_node_key(scope->map, i), tac_node_key_place(scope->map, i));
    }
    d->depth--;
}

// The i-th map under a parameter: its own one, or an item of a list.
static const tac_node *map_at(const tac_node *node, size_t i)
{
    return node && tac_node_kind_of(node) == TAC_NODE_SEQUENCE ? tac_node_item(node, i) : node;
}

size_t tac_param_items(tac_declare *d, const tac_param_def *p, size_t max)
{
    TAC__PARAM_KNOWN(p);
    const tac_node *node = tac__param_take(d, p->name);
    const bool none = p->fallback && *p->fallback == '[';
    size_t count = none ? 0 : 1;
    if (node && tac_node_kind_of(node) == TAC_NODE_SEQUENCE)
        count = tac_node_count(node);
    else if (node)
        count = 1;
    else if (!p->fallback)
        tac__param_missing(d, p);
    for (size_t i = 0; node && i < count; i++) {
        const tac_node *map = map_at(node, i);
        if (tac_node_kind_of(map) == TAC_NODE_MAP)
            continue;
        tac__param_wrong_kind(d, p, map, "expected a map of parameters");
        count = 0;
    }
    if (count > max) {
        tac_error err;
        tac__fail(&err, TAC_E_LIMIT, "expected at most %zu, found %zu", max, count);
        tac__param_mistake(d, p, tac_node_place(node), &err);
        count = max;
    }
    char text[32];
    snprintf(text, sizeof text, "%zu", count);
    tac__param_record(d, p, "maps", text, NULL);
    return d->plan ? count : 1; // without a plan: one map, to list its keys
}

void tac_param_begin(tac_declare *d, const char *name, size_t i)
{
    const tac__scope *scope = tac__scope_of(d);
    const tac_node *node = scope->map ? tac_node_get(scope->map, name) : NULL;
    if (node && tac_node_is_null(node))
        node = NULL;
    const tac_node *map = map_at(node, i);
    if (map && tac_node_kind_of(map) != TAC_NODE_MAP)
        map = NULL;
    const bool list = node && tac_node_kind_of(node) == TAC_NODE_SEQUENCE;
    char number[32] = "";
    if (list)
        snprintf(number, sizeof number, "[%zu]", i);
    const char *prefix = tac__arena_format(d->meta, "%s%s%s.", scope->prefix, name, number);
    if (!prefix)
        tac__declare_no_memory(d);
    tac__scope_begin(d, map, prefix ? prefix : "", scope->peer, scope->owner);
}

void tac_param_end(tac_declare *d)
{
    TAC_ASSERT(d->depth > 0);
    tac__scope_end(d);
}

bool tac_param_peer_begin(tac_declare *d, const char *component)
{
    if (!d->plan) {
        tac__scope_begin(d, NULL, "", true, component);
        return true;
    }
    const char *entity = d->plan->entities[d->entity].name;
    char *full = tac__arena_format(d->meta, "%s%s%s", entity, *entity ? "." : "", component);
    const tac__component *peer = full ? tac__find_component(d->plan, full) : NULL;
    if (!full)
        tac__declare_no_memory(d);
    else if (!peer) {
        tac__declare_lacks(d, component, strlen(component));
        (void)tac_declare_fail(
            d, NULL, "needs component '%s', which must stand before it in the file", full);
    }
    if (peer)
        tac__scope_begin(d, peer->param_node, "", true, peer->name);
    return peer != NULL;
}
