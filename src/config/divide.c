// divide.c - finds what passes between the processes of a federation. See federation.h.
//
// The whole simulation is built and resolved once, as for one engine, so that names, patterns and
// the numbers of senders mean here what they mean there. It is not prepared to the end: nothing is
// allocated for a run, and no component is started.
#include "config/federation.h"
#include "base/def.h"
#include "base/floats.h"
#include "base/node.h"
#include "base/text.h"
#include "config/format.h"
#include "engine/plan/outside.h"
#include "engine/run/state.h"
#include "expr/expr.h"

#include <stdlib.h>
#include <string.h>

typedef struct survey {
    tac_config *config;
    tac__federation *f;
    const tac__plan *plan;
    const tac_engine *engine;
    size_t *process; // of each entity of the plan
    size_t *place;   // of each component of the plan in the order of steps
    tac_error *err;
} survey;

static size_t process_of(const survey *s, const tac__component *c)
{
    return s->process[c->entity];
}

static const char *process_name(const survey *s, size_t process)
{
    return s->f->processes[process].name;
}

// Does a process have what belongs to `owner`?
static bool holds(const survey *s, size_t process, size_t owner)
{
    return owner == process || (owner == TAC__EVERY && s->f->processes[process].entity_count);
}

// --- marks --------------------------------------------------------------------------------------

static bool *mark(const survey *s, const tac_node *node)
{
    tac__federation *f = s->f;
    tac__arena *arena = &s->config->arena;
    bool *in = tac__arena_array(arena, f->count, sizeof *in);
    if (!in || !TAC__ARENA_GROW(arena, f->marks, f->mark_count, f->mark_capacity))
        return NULL;
    f->marks[f->mark_count++] = (tac__mark){.node = node, .in = in};
    return in;
}

static int by_node(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const tac__mark *)a)->node,
                    y = (uintptr_t)((const tac__mark *)b)->node;
    return (x > y) - (x < y);
}

bool tac__federation_has(const tac__federation *f, size_t process, const tac_node *node)
{
    const tac__mark key = {.node = node};
    const tac__mark *m =
        f->mark_count ? bsearch(&key, f->marks, f->mark_count, sizeof key, by_node) : NULL;
    return !m || (m->in ? m->in[process] : m->owner == process);
}

static void add_owner(const survey *s, bool *in, size_t owner)
{
    for (size_t p = 0; p < s->f->count; p++)
        in[p] |= holds(s, p, owner);
}

// --- signals ------------------------------------------------------------------------------------

// Whether a component may read a signal: of its own process, or of a component of no entity.
static tac_status check_read(const survey *s, const tac__component *c, const tac__input *in)
{
    const tac__signal *signal = &s->plan->schema.signals[in->signal];
    const tac__component *w = s->plan->components[signal->component];
    const size_t reader = process_of(s, c), writer = process_of(s, w);
    const tac_place *place = &in->route->place;
    if (reader == writer)
        return TAC_OK;
    if (reader == TAC__EVERY)
        return tac__fail_at(s->err, TAC_E_CONFIG, place,
                            "'%s' belongs to no entity and so runs in every process, but it reads "
                            "'%s' of process '%s'; put it into an entity of that process",
                            c->name, signal->name, process_name(s, writer));
    if (writer != TAC__EVERY)
        return tac__fail_at(s->err, TAC_E_CONFIG, place,
                            "'%s' of process '%s' reads '%s' of process '%s': only messages pass "
                            "between processes",
                            c->name, process_name(s, reader), signal->name,
                            process_name(s, writer));
    const size_t output = tac__signal_place(w, in->signal);
    if (output < w->outputs.count && w->outputs.items[output].peer)
        return tac__fail_at(s->err, TAC_E_CONFIG, place,
                            "'%s' belongs to no entity and so runs in every process, but it sets "
                            "'%s' of process '%s'; put it into an entity of that process",
                            w->name, w->outputs.items[output].peer, process_name(s, reader));
    return TAC_OK;
}

// What a component of no entity does must not depend on what else a process has. An integrator's
// steps would, because they end wherever a component reads the island that is no observer, and what
// is an observer depends on its readers.
static tac_status check_common(const survey *s, const tac__component *c)
{
    if (c->island >= 0)
        return tac__fail_at(s->err, TAC_E_CONFIG, &c->place,
                            "'%s' belongs to no entity and is integrated: each process would "
                            "integrate it with steps of its own; put it into an entity",
                            c->name);
    for (size_t k = 0; k < c->inputs.count; k++) {
        if (c->in[k].signal >= 0 && c->in[k].policy == TAC_SYNCHRONIZED)
            return tac__fail_at(s->err, TAC_E_CONFIG, &c->in[k].route->place,
                                "'%s' belongs to no entity, so no signal that it reads can be "
                                "SYNCHRONIZED; put it into an entity",
                                c->name);
    }
    return TAC_OK;
}

static tac_status check_signals(const survey *s)
{
    for (size_t i = 0; i < s->plan->component_count; i++) {
        const tac__component *c = s->plan->components[i];
        if (process_of(s, c) == TAC__EVERY)
            TAC_TRY(check_common(s, c));
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal >= 0)
                TAC_TRY(check_read(s, c, &c->in[k]));
        }
    }
    return TAC_OK;
}

// --- groups that step together ------------------------------------------------------------------

static size_t root_of(size_t *root, size_t group)
{
    while (root[group] != group)
        group = root[group];
    return group;
}

// Which groups are joined by inputs with policy SYNCHRONIZED of a process, or of all. Returns
// whether any are.
static bool join_groups(const survey *s, size_t process, bool all, size_t *root)
{
    bool any = false;
    for (size_t g = 0; g < s->plan->group_count; g++)
        root[g] = g;
    for (size_t i = 0; i < s->plan->component_count; i++) {
        const tac__component *c = s->plan->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal < 0 || c->in[k].policy != TAC_SYNCHRONIZED ||
                !(all || holds(s, process, process_of(s, c))))
                continue;
            const tac__component *w =
                s->plan->components[s->plan->schema.signals[c->in[k].signal].component];
            root[root_of(root, (size_t)c->group)] = root_of(root, (size_t)w->group);
            any = true;
        }
    }
    return any;
}

static tac_status check_process_groups(const survey *s, size_t process, size_t *whole, size_t *own)
{
    const size_t n = s->plan->group_count;
    (void)join_groups(s, process, false, own);
    for (size_t i = 0; i < s->plan->component_count; i++) {
        const tac__component *c = s->plan->components[i];
        if (c->group < 0 || !holds(s, process, process_of(s, c)))
            continue;
        const size_t g = (size_t)c->group;
        for (size_t h = 0; h < n; h++) {
            const bool together = root_of(whole, g) == root_of(whole, h);
            if (together != (root_of(own, g) == root_of(own, h)))
                return tac__fail_at(s->err, TAC_E_CONFIG, &c->place,
                                    "'%s' steps with rate group '%s', which steps together with "
                                    "'%s' because of a signal that is SYNCHRONIZED in another "
                                    "process than '%s'",
                                    c->name, s->plan->groups[g].name, s->plan->groups[h].name,
                                    process_name(s, process));
        }
    }
    return TAC_OK;
}

static tac_status check_groups(const survey *s)
{
    size_t *roots =
        tac__arena_array(&s->config->arena, 2 * s->plan->group_count + 1, sizeof *roots);
    if (!roots)
        return tac__fail_memory(s->err);
    if (!join_groups(s, 0, true, roots))
        return TAC_OK;
    for (size_t p = 0; p < s->f->count; p++) {
        if (s->f->processes[p].entity_count)
            TAC_TRY(check_process_groups(s, p, roots, roots + s->plan->group_count));
    }
    return TAC_OK;
}

// --- what the document says about some components or signals only -------------------------------

static tac_status mark_components(const survey *s, const tac_node *list, bool patterns)
{
    for (size_t i = 0; list && i < tac_node_count(list); i++) {
        const tac_node *item = tac_node_item(list, i);
        bool *in = mark(s, item);
        if (!in)
            return tac__fail_memory(s->err);
        for (size_t k = 0; k < s->plan->component_count; k++) {
            const tac__component *c = s->plan->components[k];
            if (patterns ? tac__path_match(tac_node_text(item), c->name)
                         : !strcmp(tac_node_text(item), c->name))
                add_owner(s, in, process_of(s, c));
        }
    }
    return TAC_OK;
}

// In which processes a pattern matches a signal.
static void find_signals(const survey *s, const char *pattern, bool *in)
{
    const tac__schema *schema = &s->plan->schema;
    for (size_t i = 0; i < schema->count; i++) {
        if (tac__path_match(pattern, schema->signals[i].name))
            add_owner(s, in, process_of(s, s->plan->components[schema->signals[i].component]));
    }
}

static tac_status mark_entities(const survey *s)
{
    tac__federation *f = s->f;
    const tac_node *entities = tac__get_node(tac_document_root(s->config->doc), "entities");
    for (size_t i = 0; entities && i < tac_node_count(entities); i++) {
        if (!TAC__ARENA_GROW(&s->config->arena, f->marks, f->mark_count, f->mark_capacity))
            return tac__fail_memory(s->err);
        f->marks[f->mark_count++] =
            (tac__mark){.node = tac_node_item(entities, i), .owner = f->owner[i]};
    }
    return TAC_OK;
}

static tac_status mark_schedule(const survey *s)
{
    const tac_node *scheduler = tac__get_node(tac_document_root(s->config->doc), "scheduler");
    const tac_node *groups = tac__get_node(scheduler, "rate_groups");
    for (size_t i = 0; groups && i < tac_node_count(groups); i++)
        TAC_TRY(mark_components(s, tac__get_node(tac_node_item(groups, i), "components"), true));
    TAC_TRY(mark_components(s, tac__get_node(scheduler, "order"), false));
    const tac_node *rules = tac__get_node(tac__get_node(scheduler, "synchronization"), "overrides");
    for (size_t i = 0; rules && i < tac_node_count(rules); i++) {
        bool *in = mark(s, tac_node_item(rules, i));
        if (!in)
            return tac__fail_memory(s->err);
        find_signals(s, tac__get_text(tac_node_item(rules, i), &tac__format_sync_rule, "pattern"),
                     in);
    }
    return TAC_OK;
}

static tac_status mark_recording(const survey *s)
{
    const tac_node *record = tac__get_node(tac_document_root(s->config->doc), "record");
    const tac_node *rules = tac__get_node(record, "rules");
    for (size_t i = 0; rules && i < tac_node_count(rules); i++) {
        const tac_node *rule = tac_node_item(rules, i), *signals = tac__get_node(rule, "signals");
        bool *in = mark(s, rule);
        if (!in)
            return tac__fail_memory(s->err);
        if (tac_node_kind_of(signals) == TAC_NODE_SCALAR)
            find_signals(s, tac_node_text(signals), in);
        for (size_t k = 0; k < tac_node_count(signals); k++) {
            bool *own = mark(s, tac_node_item(signals, k));
            if (!own)
                return tac__fail_memory(s->err);
            find_signals(s, tac_node_text(tac_node_item(signals, k)), own);
            for (size_t p = 0; p < s->f->count; p++)
                in[p] |= own[p];
        }
    }
    return TAC_OK;
}

// --- expectations -------------------------------------------------------------------------------

// The process that judges an expectation: the one whose entities it is about.
static tac_status find_judge(const survey *s, const tac__expect_def *def, size_t *judge)
{
    tac__expr *expr;
    tac_error own;
    const tac_status status = tac__expr_parse(&s->config->arena, def->condition, &expr, &own);
    if (status != TAC_OK) {
        char excerpt[TAC_ERROR_NAME];
        const tac_place at = tac__node_place_of(def->written, def->condition,
                                                own.column ? own.column - 1 : 0, excerpt);
        return tac__fail_at(s->err, status, &at, "%s", own.text);
    }
    *judge = tac__federation_owner(s->config, def->entity);
    const char *seen = def->entity;
    size_t count;
    const char *const *names = tac__expr_signals(expr, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t element;
        const int signal = tac__watch_element_in(s->engine, def->entity, names[i], &element);
        if (signal < 0) // unknown: told of where the part is prepared
            continue;
        const tac__signal *found = &s->plan->schema.signals[signal];
        const size_t owner = process_of(s, s->plan->components[found->component]);
        if (owner == TAC__EVERY || owner == *judge)
            continue;
        if (*judge != TAC__EVERY)
            return tac__fail_at(s->err, TAC_E_CONFIG, tac_node_place(def->written),
                                "expectation '%s' sees '%s' of process '%s' and '%s' of process "
                                "'%s'; each process judges what happens in it",
                                def->name, seen, process_name(s, *judge), found->name,
                                process_name(s, owner));
        *judge = owner;
        seen = found->name;
    }
    for (size_t p = 0; *judge == TAC__EVERY; p++) { // all processes have what it sees
        if (s->f->processes[p].entity_count)
            *judge = p;
    }
    return TAC_OK;
}

static tac_status mark_expectations(const survey *s)
{
    tac__expectations list;
    TAC_TRY(tac__config_expectations(s->config, &list, s->err));
    bool *in = NULL;
    for (size_t i = 0; i < list.count; i++) {
        size_t judge;
        if (i == 0 || list.nodes[i] != list.nodes[i - 1])
            in = mark(s, list.nodes[i]);
        if (!in)
            return tac__fail_memory(s->err);
        TAC_TRY(find_judge(s, &list.items[i], &judge));
        in[judge] = true;
    }
    const tac_node *stop = tac__get_node(tac_document_root(s->config->doc), "stop");
    if (stop && s->f->count > 1)
        return tac__fail_at(s->err, TAC_E_CONFIG, tac_node_place(stop),
                            "'stop' would end one process of the federation before the others; "
                            "federations run for their whole duration");
    return TAC_OK;
}

// --- states to begin with -----------------------------------------------------------------------

static tac_status mark_initials(const survey *s)
{
    const tac_node *initial = tac__get_node(tac_document_root(s->config->doc), "initial");
    for (size_t i = 0; initial && i < tac_node_count(initial); i++) {
        const int signal = tac_engine_find_signal(s->engine, tac_node_key(initial, i));
        if (signal < 0) // a null: taken away from what the file extends
            continue;
        const uint32_t c = s->plan->schema.signals[signal].component;
        bool *in = mark(s, tac_node_item(initial, i));
        if (!in)
            return tac__fail_memory(s->err);
        add_owner(s, in, process_of(s, s->plan->components[c]));
    }
    return TAC_OK;
}

// --- links of the whole -------------------------------------------------------------------------

// Of the whole, which does not live as long as the configuration. NULL: no memory.
static const tac_link_law *keep_law(const survey *s, const tac_link_def *def)
{
    tac__arena *arena = &s->config->arena;
    const size_t count = def->law ? def->law->down_count : 0;
    tac_link_law *law = tac__arena_alloc(arena, sizeof *law);
    tac_outage *down = tac__arena_array(arena, count, sizeof *down);
    if (!law || !down)
        return NULL;
    *law = def->law ? *def->law : tac_link_law_default();
    law->min_us = def->delay_us;
    if (count)
        memcpy(down, def->law->down, count * sizeof *down);
    law->down = down;
    return law;
}

// The link of the document that connects two ports. Two that connect the same ports are refused.
static size_t find_link(const survey *s, const tac__sender *from, const tac__receiver *to)
{
    const bool apart =
        s->plan->components[from->component]->entity == 0 ||
        s->plan->components[from->component]->entity != s->plan->components[to->component]->entity;
    size_t i = 0;
    for (; i < s->plan->link_count; i++) {
        const tac_link_def *l = &s->plan->links[i];
        const bool named = !strpbrk(l->from, "*?") && !strpbrk(l->to, "*?");
        if ((apart || named) && tac__glob_match(l->from, from->name) &&
            tac__glob_match(l->to, to->name))
            break;
    }
    return i;
}

// Return whether the component of a sending port comes before that of a receiving one in the order
// of steps.
static bool steps_first(const survey *s, const tac__sender *from, const tac__receiver *to)
{
    return s->place[from->component] < s->place[to->component];
}

static tac_status divide_link(const survey *s, const tac__sender *from, const tac__link *link,
                              bool **in)
{
    const tac__receiver *to = &s->plan->receivers[link->receiver];
    const size_t sender = process_of(s, s->plan->components[from->component]),
                 receiver = process_of(s, s->plan->components[to->component]);
    const size_t number = find_link(s, from, to);
    const tac_link_def *def = &s->plan->links[number];
    if (receiver == TAC__EVERY && sender != TAC__EVERY && s->f->divided > 1)
        return tac__fail_at(s->err, TAC_E_CONFIG, &def->place,
                            "'%s' belongs to no entity and so runs in every process, but it hears "
                            "'%s' of process '%s'; put it into an entity",
                            to->name, from->name, process_name(s, sender));
    if (sender == TAC__EVERY || receiver == TAC__EVERY || sender == receiver) {
        add_owner(s, in[number], receiver);
        return TAC_OK;
    }
    tac__arena *arena = &s->config->arena;
    return tac__federation_cross(
        s->config,
        &(tac__crossing){.info = {.from = tac__arena_text(arena, from->name),
                                  .to = tac__arena_text(arena, to->name),
                                  .from_process = sender,
                                  .to_process = receiver,
                                  .number = link->number,
                                  .law = keep_law(s, def)},
                         .placed = true,
                         .first = steps_first(s, from, to)},
        s->err);
}

// Links of the document that lead outside stay with their port.
static void divide_outside(const survey *s, const tac_link_def *def, bool *in)
{
    for (size_t i = 0; i < s->plan->sender_count; i++) {
        const tac__sender *from = &s->plan->senders[i];
        if (!strcmp(def->to, TAC__OUTSIDE) && tac__glob_match(def->from, from->name))
            add_owner(s, in, process_of(s, s->plan->components[from->component]));
    }
    for (size_t i = 0; i < s->plan->receiver_count; i++) {
        const tac__receiver *to = &s->plan->receivers[i];
        if (!strcmp(def->from, TAC__OUTSIDE) && tac__glob_match(def->to, to->name))
            add_owner(s, in, process_of(s, s->plan->components[to->component]));
    }
}

static tac_status divide_links(const survey *s)
{
    const tac__plan *plan = s->plan;
    const tac_node *links = tac__get_node(tac_document_root(s->config->doc), "links");
    bool **in = tac__arena_array(&s->config->arena, plan->link_count, sizeof *in);
    if (!in)
        return tac__fail_memory(s->err);
    for (size_t i = 0; i < plan->link_count; i++) { // as many as the document has, in its order
        in[i] = mark(s, tac_node_item(links, i));
        if (!in[i])
            return tac__fail_memory(s->err);
        if (tac__leads_outside(&plan->links[i]))
            divide_outside(s, &plan->links[i], in[i]);
    }
    for (size_t i = 0; i < plan->sender_count; i++) {
        for (size_t k = 0; k < plan->senders[i].count; k++)
            TAC_TRY(divide_link(s, &plan->senders[i], &plan->senders[i].links[k], in));
    }
    return TAC_OK;
}

// --- ports, for links by rules ------------------------------------------------------------------

static tac_status add_end(const survey *s, const tac__end *end)
{
    tac__federation *f = s->f;
    if (!end->name || !TAC__ARENA_GROW(&s->config->arena, f->ends, f->end_count, f->end_capacity))
        return tac__fail_memory(s->err);
    f->ends[f->end_count++] = *end;
    return TAC_OK;
}

static tac_status add_receiver(const survey *s, const tac__receiver *r, size_t process)
{
    tac__arena *arena = &s->config->arena;
    tac__inlet_name *inlets = tac__arena_array(arena, r->inlet_count, sizeof *inlets);
    if (!inlets)
        return tac__fail_memory(s->err);
    for (size_t i = 0; i < r->inlet_count; i++) {
        inlets[i] =
            (tac__inlet_name){tac__arena_text(arena, r->inlets[i].channel), r->inlets[i].number};
        if (!inlets[i].channel)
            return tac__fail_memory(s->err);
    }
    return add_end(s, &(tac__end){.name = tac__arena_text(arena, r->name),
                                  .process = process,
                                  .senders = r->queue.key_count - 1,
                                  .inlets = inlets,
                                  .inlet_count = r->inlet_count});
}

// The ports of a plan. `process` is that of a configuration of its own, or TAC__EVERY: the plan is
// that of the whole. Ports of no entity are in every process and cannot be linked with another,
// unless there is just one.
static tac_status list_ends(const survey *s, size_t process)
{
    const tac__plan *plan = s->plan;
    const bool whole = process == TAC__EVERY;
    if (whole)
        s->f->sender_count = plan->sender_count;
    for (size_t i = 0; i < plan->sender_count; i++) {
        const tac__sender *from = &plan->senders[i];
        const size_t owner = whole ? process_of(s, plan->components[from->component]) : process;
        if (owner == TAC__EVERY)
            continue;
        const tac__end end = {.name = tac__arena_text(&s->config->arena, from->name),
                              .process = owner,
                              .sends = true,
                              .number = i};
        TAC_TRY(add_end(s, &end));
        if (whole && tac__names_set(&s->f->senders, &s->config->arena, end.name,
                                    (uint32_t)(s->f->end_count - 1)) != TAC_OK)
            return tac__fail_memory(s->err);
    }
    for (size_t i = 0; i < plan->receiver_count; i++) {
        const tac__receiver *to = &plan->receivers[i];
        const size_t owner = whole ? process_of(s, plan->components[to->component]) : process;
        if (owner != TAC__EVERY)
            TAC_TRY(add_receiver(s, to, owner));
    }
    return TAC_OK;
}

// --- groups of signals and inputs ----------------------------------------------------------------

static bool has_component(const void *context, size_t process, const tac__component *c)
{
    const survey *s = context;
    return holds(s, process, process_of(s, c));
}

static bool has_all(const void *context, size_t process, const tac__component *c)
{
    (void)context, (void)process, (void)c;
    return true;
}

static tac_status check_lcm_groups(const survey *s)
{
    for (size_t p = 0; p < s->f->count; p++) {
        if (s->f->processes[p].entity_count)
            TAC_TRY(tac__federation_check_groups(s->config, p, s->plan, has_component, s, s->err));
    }
    return TAC_OK;
}

// --- looking at engines -------------------------------------------------------------------------

static tac_status survey_whole(void *context, tac_engine *engine, tac_error *err)
{
    survey *s = context;
    tac__federation *f = s->f;
    s->engine = engine;
    s->plan = engine->plan;
    s->err = err;
    s->process = tac__arena_array(&s->config->arena, s->plan->entity_count, sizeof *s->process);
    s->place = tac__arena_array(&s->config->arena, s->plan->component_count, sizeof *s->place);
    if (!s->process || !s->place)
        return tac__fail_memory(err);
    for (size_t i = 0; i < s->plan->sequence_count; i++)
        s->place[s->plan->sequence[i]] = i;
    size_t only = TAC__EVERY; // where one process has all entities, it has everything
    for (size_t p = 0; p < f->count && f->divided == 1; p++)
        only = f->processes[p].entity_count ? p : only;
    for (size_t i = 0; i < s->plan->entity_count; i++) {
        const size_t owner = tac__federation_owner(s->config, s->plan->entities[i].name);
        s->process[i] = owner == TAC__EVERY ? only : owner;
    }
    TAC_TRY(mark_entities(s));
    TAC_TRY(check_signals(s));
    TAC_TRY(check_groups(s));
    TAC_TRY(divide_links(s));
    TAC_TRY(mark_schedule(s));
    TAC_TRY(mark_recording(s));
    TAC_TRY(mark_expectations(s));
    TAC_TRY(mark_initials(s));
    TAC_TRY(list_ends(s, TAC__EVERY));
    TAC_TRY(check_lcm_groups(s));
    return TAC_E_STOPPED; // nothing more is needed
}

typedef struct own_survey {
    survey survey;
    size_t process;
} own_survey;

static tac_status survey_own(void *context, tac_engine *engine, tac_error *err)
{
    own_survey *o = context;
    o->survey.plan = engine->plan;
    o->survey.err = err;
    TAC_TRY(list_ends(&o->survey, o->process));
    TAC_TRY(tac__federation_check_groups(o->survey.config, o->process, engine->plan, has_all, NULL,
                                         err));
    return TAC_E_STOPPED;
}

// Build an engine and prepare it as far as its connections.
static tac_status look_at(const tac_config *c, tac__resolved_fn *look, void *context,
                          tac_error *err)
{
    tac_engine *engine;
    const tac_engine_def def = tac_config_engine_def(c);
    TAC_TRY(tac_config_build_unprepared(c, &def, &engine, err));
    tac_status status = tac__engine_when_resolved(engine, look, context);
    if (status == TAC_OK)
        status = tac_engine_prepare(engine, err);
    else
        status = tac__fail_memory(err);
    tac_engine_destroy(engine);
    return status == TAC_E_STOPPED ? TAC_OK : status;
}

static tac_status look_at_own(const survey *s, size_t process, tac_error *err)
{
    tac_config *own;
    TAC_TRY(tac__federation_load(s->config, process, &own, err));
    own_survey o = {.survey = *s, .process = process};
    const tac_status status = look_at(own, survey_own, &o, err);
    if (status != TAC_OK)
        tac__error_context(err, "looking at process '%s'", process_name(s, process));
    tac_config_destroy(own);
    return status;
}

// --- all of it ----------------------------------------------------------------------------------

static tac_status divide(survey *s)
{
    tac__federation *f = s->f;
    if (f->divided)
        TAC_TRY(look_at(s->config, survey_whole, s, s->err));
    for (size_t p = 0; p < f->count; p++) {
        if (f->processes[p].config)
            TAC_TRY(look_at_own(s, p, s->err));
    }
    TAC_TRY(tac__federation_connect(s->config, s->err));
    if (f->mark_count)
        qsort(f->marks, f->mark_count, sizeof *f->marks, by_node);
    return TAC_OK;
}

tac_status tac__federation_divide(tac_config *c, tac_error *err)
{
    TAC_TRY(tac__federation_read(c, err));
    tac__federation *f = c->federation;
    if (f->complete)
        return TAC_OK;
    // What is left of an attempt that failed.
    f->mark_count = f->end_count = f->crossing_count = f->sender_count = 0;
    f->senders = (tac__names){0};
    survey s = {.config = c, .f = f, .err = err};
    const tac_status status = divide(&s);
    f->complete = status == TAC_OK;
    return status;
}

uint64_t tac_config_sender_number(const tac_config *c, size_t process, const char *channel)
{
    const tac__federation *f = c ? c->federation : NULL;
    if (!f || !f->complete || !channel)
        return process;
    const int end = tac__names_find(&f->senders, channel);
    return end >= 0 && f->ends[end].process == process ? f->ends[end].number
                                                       : f->sender_count + process;
}
