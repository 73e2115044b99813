// links.c - connecting message ports: links by name and by pattern, and the numbers of senders.
#include "engine/plan/prepare.h"
#include "engine/plan/warn.h"
#include "engine/plan/find.h"
#include "engine/plan/outside.h"

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

static tac_status add_link(tac__plan *plan, tac__sender *s, uint32_t receiver,
                           const tac_link_def *def, tac_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->links[i].receiver == receiver)
            return tac__fail_at(err, TAC_E_DUPLICATE, &def->place,
                                "'%s' and '%s' are linked already", s->name,
                                plan->receivers[receiver].name);
    }
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
    const tac__plan *plan;
    const char *(*name)(const void *engine, size_t i);
    size_t count;
    tac__names names;
} ports;

static tac_status index_ports(tac__plan *plan, ports *p)
{
    for (size_t i = 0; i < p->count; i++)
        TAC_TRY(tac__names_set(&p->names, &plan->arena, p->name(plan, i), (uint32_t)i));
    return TAC_OK;
}

static bool is_pattern(const char *text)
{
    return strpbrk(text, "*?") != NULL;
}

// The next port at or after `i` whose name matches; `count` if there is none.
static size_t next_port(const ports *p, const char *pattern, size_t i)
{
    if (!is_pattern(pattern)) {
        const int found = tac__names_find(&p->names, pattern);
        return found >= 0 && (size_t)found >= i ? (size_t)found : p->count;
    }
    while (i < p->count && !tac__glob_match(pattern, p->name(p->plan, i)))
        i++;
    return i;
}

tac_status tac__resolve_links(tac__plan *plan, tac_error *err)
{
    TAC_TRY(check_ports(plan, err));
    ports from = {
        .plan = plan, .name = sender_name, .count = plan->link_count ? plan->sender_count : 0};
    ports to = {
        .plan = plan, .name = receiver_name, .count = plan->link_count ? plan->receiver_count : 0};
    if (index_ports(plan, &from) != TAC_OK || index_ports(plan, &to) != TAC_OK)
        return tac__fail_memory(err);
    for (size_t i = 0; i < plan->link_count; i++) {
        const tac_link_def *def = &plan->links[i];
        if (tac__leads_outside(def)) {
            bool any;
            TAC_TRY(tac__outside_link(plan, def, &any, err));
            if (!any)
                return fail_link(plan, def, !strcmp(def->to, TAC__OUTSIDE), err);
            continue;
        }
        const bool by_name = !is_pattern(def->from) && !is_pattern(def->to);
        bool any_link = false;
        const size_t first_sender = next_port(&from, def->from, 0),
                     first_receiver = next_port(&to, def->to, 0);
        if (first_sender == from.count || first_receiver == to.count)
            return fail_link(plan, def, first_sender == from.count, err);
        for (size_t s = first_sender; s < from.count; s = next_port(&from, def->from, s + 1)) {
            for (size_t r = first_receiver; r < to.count; r = next_port(&to, def->to, r + 1)) {
                if (!may_link(plan, &plan->senders[s], &plan->receivers[r], by_name))
                    continue;
                TAC_TRY(add_link(plan, &plan->senders[s], (uint32_t)r, def, err));
                any_link = true;
            }
        }
        if (!any_link && !by_name)
            tac__warn(plan, "link-idle", &def->place, "link from '%s' to '%s' connects nobody",
                      def->from, def->to);
        // A pattern may match no other vehicle, as in a swarm of one; a link between two names must
        // connect them.
        if (!any_link && by_name)
            return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                                "link from '%s' to '%s' connects nothing: both belong to the same "
                                "component",
                                def->from, def->to);
    }
    TAC_TRY(number_senders(plan, err));
    return list_links(plan, err);
}
