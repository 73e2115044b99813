// links.c - connecting message ports: links by name and by pattern, and the numbers of senders.
#include "engine/plan/prepare.h"
#include "engine/plan/warn.h"
#include "engine/plan/find.h"
#include "engine/plan/outside.h"
#include "base/hash.h"
#include "base/patterns.h"

#include <string.h>

static const char *sender_name(const void *context, size_t i)
{
    const tac__plan *plan = context;
    return i < plan->sender_count ? plan->senders[i].name : NULL;
}

static const char *receiver_name(const void *context, size_t i)
{
    const tac__plan *plan = context;
    return i < plan->receiver_count ? plan->receivers[i].name : NULL;
}

static tac_status fail_link(const tac__plan *plan, const tac_link_def *l, bool from, tac_error *err)
{
    const char *name = from ? l->from : l->to;
    tac__fail_at(err, TAC_E_NAME, &l->place, "link: no %s port matches '%s'",
                 from ? "sending" : "receiving", name);
    tac__error_suggest(err, name, from ? sender_name : receiver_name, plan);
    return TAC_E_NAME;
}

static tac_status add_drawn(tac__plan *plan, tac__sender *s, tac__link *link,
                            const tac_link_law *law, tac_error *err)
{
    tac__receiver *r = &plan->receivers[link->receiver];
    link->drawn = tac__arena_array(&plan->arena, 1, sizeof *link->drawn);
    if (!link->drawn)
        return tac__fail_memory(err);
    *link->drawn = (tac__drawn){.from = s->name,
                                .to = r->name,
                                .law = law,
                                .key = tac__link_key(plan->def.seed, s->name, r->name)};
    s->drawn_count++;
    plan->drawn_count++;
    return TAC_OK;
}

// Links of ports, each between one sender and one receiver; docs/configuration.md lists the limit.
// 2,000 vehicles that all hear each other have as many.
enum { LINKS_MAX = 4000000 };

// The links so far: a hash table with linear probing, at most half full. A slot is
// (sender + 1) << 32 | receiver; 0 while free.
typedef struct pairs {
    tac__arena arena;
    uint64_t *slots;
    size_t count, capacity;
} pairs;

static uint64_t *slot_of(uint64_t *slots, size_t capacity, uint64_t pair)
{
    size_t i = tac__hash_end(tac__hash_word(TAC__HASH_SEED, pair)) & (capacity - 1);
    while (slots[i] && slots[i] != pair)
        i = (i + 1) & (capacity - 1);
    return &slots[i];
}

static bool grow_pairs(pairs *p)
{
    const size_t capacity = p->capacity ? 2 * p->capacity : 64;
    uint64_t *slots = tac__arena_array(&p->arena, capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < p->capacity; i++) {
        if (p->slots[i])
            *slot_of(slots, capacity, p->slots[i]) = p->slots[i];
    }
    tac__arena_release(&p->arena, p->slots);
    p->slots = slots;
    p->capacity = capacity;
    return true;
}

static tac_status add_link(tac__plan *plan, pairs *p, size_t sender, uint32_t receiver,
                           const tac_link_def *def, tac_error *err)
{
    tac__sender *s = &plan->senders[sender];
    if (2 * p->count >= p->capacity && !grow_pairs(p))
        return tac__fail_memory(err);
    uint64_t *slot = slot_of(p->slots, p->capacity, (uint64_t)(sender + 1) << 32 | receiver);
    if (*slot)
        return tac__fail_at(err, TAC_E_DUPLICATE, &def->place, "'%s' and '%s' are linked already",
                            s->name, plan->receivers[receiver].name);
    if (p->count == LINKS_MAX)
        return tac__fail_at(err, TAC_E_LIMIT, &def->place,
                            "more than %d links, each from one sending to one receiving port",
                            LINKS_MAX);
    *slot = (uint64_t)(sender + 1) << 32 | receiver;
    p->count++;
    if (!TAC__ARENA_GROW(&plan->arena, s->links, s->count, s->capacity))
        return tac__fail_memory(err);
    tac__link *link = &s->links[s->count++];
    *link = (tac__link){.receiver = receiver, .delay_us = def->delay_us};
    return def->law ? add_drawn(plan, s, link, def->law, err) : TAC_OK;
}

// The lowest number that no link from outside was given, and that is not below `*next`.
static uint32_t free_number(const tac__receiver *r, uint32_t *next)
{
    for (size_t i = 0; i < r->inlet_count;) {
        const bool taken = r->inlets[i].placed && r->inlets[i].number == *next;
        *next += taken;
        i = taken ? 0 : i + 1;
    }
    return (*next)++;
}

static tac_status check_numbers(const tac__receiver *r, uint32_t senders, tac_error *err)
{
    for (size_t i = 0; i < r->inlet_count; i++) {
        const tac__inlet *in = &r->inlets[i];
        if (in->placed && in->number >= senders)
            return tac__fail_at(err, TAC_E_RANGE, &in->place,
                                "number %u of channel '%s': '%s' has %u senders, from 0",
                                in->number, in->channel, r->name, senders);
        for (size_t k = 0; k < i; k++) {
            if (in->placed && r->inlets[k].placed && r->inlets[k].number == in->number)
                return tac__fail_at(err, TAC_E_DUPLICATE, &in->place,
                                    "channels '%s' and '%s' both have number %u at '%s'",
                                    r->inlets[k].channel, in->channel, in->number, r->name);
        }
    }
    return TAC_OK;
}

// A sender has a number with each receiver, its place among the senders that are linked to this
// receiver, so that a component that sends elsewhere changes nothing here. Outside senders have the
// number that their link gives, or come after the engine's own. Digests identify senders by name.
static tac_status number_senders(tac__plan *plan, tac_error *err)
{
    uint32_t *next = tac__arena_array(&plan->arena, plan->receiver_count, sizeof *next);
    if (!next)
        return tac__fail_memory(err);
    for (size_t s = 0; s < plan->sender_count; s++) {
        for (size_t i = 0; i < plan->senders[s].count; i++)
            plan->receivers[plan->senders[s].links[i].receiver].queue.key_count++;
    }
    for (size_t r = 0; r < plan->receiver_count; r++) {
        tac__queue *q = &plan->receivers[r].queue;
        q->key_count += (uint32_t)plan->receivers[r].inlet_count;
        TAC_TRY(check_numbers(&plan->receivers[r], q->key_count, err));
        q->keys = tac__arena_array(&plan->arena, ++q->key_count, sizeof *q->keys);
        if (!q->keys)
            return tac__fail_memory(err);
    }
    for (size_t s = 0; s < plan->sender_count; s++) {
        const uint64_t key = tac__hash_text(TAC__HASH_SEED, plan->senders[s].name);
        for (size_t i = 0; i < plan->senders[s].count; i++) {
            tac__link *link = &plan->senders[s].links[i];
            link->number = free_number(&plan->receivers[link->receiver], &next[link->receiver]);
            plan->receivers[link->receiver].queue.keys[link->number] = key;
        }
    }
    for (size_t r = 0; r < plan->receiver_count; r++) {
        const tac__queue *q = &plan->receivers[r].queue;
        for (size_t i = 0; i < plan->receivers[r].inlet_count; i++) {
            tac__inlet *in = &plan->receivers[r].inlets[i];
            if (!in->placed)
                in->number = free_number(&plan->receivers[r], &next[r]);
            q->keys[in->number] = tac__hash_text(TAC__HASH_SEED, in->channel);
        }
        q->keys[q->key_count - 1] = tac__hash_text(TAC__HASH_SEED, TAC__OUTSIDE);
    }
    return TAC_OK;
}

// Links get their numbers in lists; see tac_engine_link_info.
static tac_status list_links(tac__plan *plan, tac_error *err)
{
    plan->drawn = tac__arena_array(&plan->arena, plan->drawn_count, sizeof(tac__drawn *));
    if (!plan->drawn)
        return tac__fail_memory(err);
    uint32_t drawn = 0;
    for (size_t i = 0; i < plan->sender_count; i++) {
        tac__sender *s = &plan->senders[i];
        s->first_link = plan->linked_count;
        plan->linked_count += s->count + s->outlet_count;
        for (size_t k = 0; k < s->count; k++) {
            const tac__link *link = &s->links[k];
            tac__receiver *r = &plan->receivers[link->receiver];
            if (!link->drawn)
                continue;
            link->drawn->index = drawn;
            plan->drawn[drawn++] = link->drawn;
            if (!r->drawn)
                r->drawn = tac__arena_array(&plan->arena, r->queue.key_count, sizeof(tac__drawn *));
            if (!r->drawn)
                return tac__fail_memory(err);
            r->drawn[link->number] = link->drawn;
        }
    }
    for (size_t i = 0; i < plan->receiver_count; i++) {
        plan->receivers[i].first_link = plan->linked_count;
        plan->linked_count += plan->receivers[i].inlet_count;
    }
    return TAC_OK;
}

// Patterns connect vehicles with others, never one with itself; inside an entity ports are linked
// by name.
static bool may_link(const tac__plan *plan, const tac__sender *s, const tac__receiver *r,
                     bool by_name)
{
    const tac__component *from = plan->components[s->component],
                         *to = plan->components[r->component];
    return from != to && (by_name || from->entity == 0 || from->entity != to->entity);
}

// Message ports and signals have digests by name, so a port must not have the name of a signal.
// Names inside one component were checked when it declared them.
static tac_status check_port(const tac__plan *plan, const char *name, uint32_t component,
                             tac_error *err)
{
    const int signal = tac__find_signal(plan, name);
    if (signal < 0)
        return TAC_OK;
    return tac__fail_at(err, TAC_E_DUPLICATE, &plan->components[component]->place,
                        "message port '%s' has the name of a signal of '%s'", name,
                        plan->schema.signals[signal].writer);
}

static tac_status check_ports(const tac__plan *plan, tac_error *err)
{
    for (size_t i = 0; i < plan->receiver_count; i++)
        TAC_TRY(check_port(plan, plan->receivers[i].name, plan->receivers[i].component, err));
    for (size_t i = 0; i < plan->sender_count; i++)
        TAC_TRY(check_port(plan, plan->senders[i].name, plan->senders[i].component, err));
    return TAC_OK;
}

// Ports of one direction, with an index of their names.
typedef struct ports {
    const char *(*name)(const void *engine, size_t i);
    size_t count;
    tac__names names;
    uint32_t *found; // ports whose names match a pattern; room for all
    size_t found_count;
} ports;

// What links are made with.
typedef struct linking {
    tac__plan *plan;
    ports from, to;
    pairs pairs;
    size_t comparisons; // of patterns with names so far
} linking;

static tac_status index_ports(linking *l, ports *p, tac_error *err)
{
    tac__arena *arena = &l->pairs.arena;
    p->found = tac__arena_array(arena, p->count, sizeof *p->found);
    if (!p->found)
        return tac__fail_memory(err);
    for (size_t i = 0; i < p->count; i++) {
        if (tac__names_set(&p->names, arena, p->name(l->plan, i), (uint32_t)i) != TAC_OK)
            return tac__fail_memory(err);
    }
    return TAC_OK;
}

// Find the ports that match; fails if there is none.
static tac_status find_ports(linking *l, ports *p, const char *pattern, const tac_link_def *def,
                             tac_error *err)
{
    p->found_count = 0;
    if (!tac__pattern_is_wild(pattern)) {
        const int found = tac__names_find(&p->names, pattern);
        if (found >= 0)
            p->found[p->found_count++] = (uint32_t)found;
    } else {
        l->comparisons += p->count;
        if (l->comparisons > TAC__PATTERNS_COMPARISONS)
            return tac__fail_at(err, TAC_E_LIMIT, &def->place,
                                "links with * or ? and %zu ports: more than %zu comparisons",
                                p->count, TAC__PATTERNS_COMPARISONS);
        for (size_t i = 0; i < p->count; i++) {
            if (tac__glob_match(pattern, p->name(l->plan, i)))
                p->found[p->found_count++] = (uint32_t)i;
        }
    }
    return p->found_count ? TAC_OK : fail_link(l->plan, def, p == &l->from, err);
}

static tac_status link_outside(linking *l, const tac_link_def *def, tac_error *err)
{
    const bool sends = !strcmp(def->to, TAC__OUTSIDE);
    ports *p = sends ? &l->from : &l->to;
    TAC_TRY(find_ports(l, p, sends ? def->from : def->to, def, err));
    for (size_t i = 0; i < p->found_count; i++)
        TAC_TRY(tac__outside_link(l->plan, def, p->found[i], err));
    return TAC_OK;
}

static tac_status link_ports(linking *l, const tac_link_def *def, tac_error *err)
{
    tac__plan *plan = l->plan;
    const bool by_name = !tac__pattern_is_wild(def->from) && !tac__pattern_is_wild(def->to);
    bool any = false;
    TAC_TRY(find_ports(l, &l->from, def->from, def, err));
    TAC_TRY(find_ports(l, &l->to, def->to, def, err));
    for (size_t i = 0; i < l->from.found_count; i++) {
        const uint32_t s = l->from.found[i];
        for (size_t k = 0; k < l->to.found_count; k++) {
            const uint32_t r = l->to.found[k];
            if (!may_link(plan, &plan->senders[s], &plan->receivers[r], by_name))
                continue;
            TAC_TRY(add_link(plan, &l->pairs, s, r, def, err));
            any = true;
        }
    }
    if (!any && !by_name)
        tac__warn(plan, "link-idle", &def->place, "link from '%s' to '%s' connects nobody",
                  def->from, def->to);
    // A pattern may match no other vehicle, as in a swarm of one; a link between two names must
    // connect them.
    if (!any && by_name)
        return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                            "link from '%s' to '%s' connects nothing: both belong to the same "
                            "component",
                            def->from, def->to);
    return TAC_OK;
}

static tac_status make_links(linking *l, tac_error *err)
{
    tac__plan *plan = l->plan;
    TAC_TRY(index_ports(l, &l->from, err));
    TAC_TRY(index_ports(l, &l->to, err));
    for (size_t i = 0; i < plan->link_count; i++) {
        const tac_link_def *def = &plan->links[i];
        TAC_TRY(tac__leads_outside(def) ? link_outside(l, def, err) : link_ports(l, def, err));
    }
    return TAC_OK;
}

tac_status tac__resolve_links(tac__plan *plan, tac_error *err)
{
    TAC_TRY(check_ports(plan, err));
    linking l = {
        .plan = plan,
        .from = {.name = sender_name, .count = plan->link_count ? plan->sender_count : 0},
        .to = {.name = receiver_name, .count = plan->link_count ? plan->receiver_count : 0},
    };
    tac__arena_init(&l.pairs.arena, plan->arena.allocator);
    const tac_status status = make_links(&l, err);
    tac__arena_fini(&l.pairs.arena);
    TAC_TRY(status);
    TAC_TRY(number_senders(plan, err));
    return list_links(plan, err);
}
