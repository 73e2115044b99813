// hash.c - the digests of a run by name, and the hash that they combine to.
//
// Running digests are updated at every write, send, delivery and boundary; they lie in the block.
// What else decides the future is hashed on request: for every component there is a digest NAME#end
// over its present outputs, states, draw counters, triggers, messages, what it remembers of its
// inputs, when it is due, and where its island stands.
//
// Two runs that will go on alike have the same hash, whatever came before: in one piece or in
// several, from a checkpoint, with steps undone, watched or not, alone or beside other vehicles. So
// nothing here depends on the wall clock or on the numbers of things. Nor does anything depend on
// the step under way: its end (y, to_us, next modes, located instants) follows from its start.
// Counters, observers, and data that is computed again before it is used are left out, too.
#include "base/floats.h"
#include "bus/digest.h"
#include "engine/plan/outside.h"
#include "engine/run/hash.h"
#include "engine/run/lanes.h"
#include "engine/run/teams.h"

#include <stdlib.h>
#include <string.h>

// --- the parts of a component -------------------------------------------------------------------

// When a source is due next. Ports and located instants are left out: they follow from queues and
// steps.
static tac__hash mix_source(const tac_engine *e, int source, tac__hash h)
{
    if (source < 0)
        return h;
    if (e->timeline.sources[source].kind == TAC__SOURCE_TIMES)
        h = tac__hash_word(h, e->timeline.taken[source]);
    return tac__hash_word(h, e->timeline.next[source]);
}

static tac__hash mix_ports(const tac__ports *ports, void *const *values, tac__hash h)
{
    for (size_t i = 0; i < ports->count; i++) {
        h = tac__digest_mix(h, &ports->items[i].type, values[i]);
        for (uint32_t k = 0; k < ports->items[i].unused; k++)
            h = tac__hash_word(h, 0);
    }
    return h;
}

// The last writes that a view may still read.
static tac__hash mix_history(const tac_engine *e, const tac__input *in, tac__hash h)
{
    const tac__signal *s = &e->plan->schema.signals[in->signal];
    h = tac__history_mix(in->history, &s->kind->type, in->depth, h);
    if (in->policy != TAC_EXTRAPOLATED || s->derivative < 0)
        return h;
    const tac__signal *d = &e->plan->schema.signals[s->derivative];
    return tac__history_mix(d->history, &d->kind->type, in->depth, h);
}

// Does the island stand at a boundary from which it has not begun to integrate?
static bool is_at_boundary(const tac_engine *e, const tac__island *island)
{
    return tac__has_bit(e->due_islands, (size_t)(island - e->islands)) &&
           island->state->at_us == island->state->from_us;
}

// An input that the integrator holds and sees through a view. If the island has yet to begin its
// step at a boundary, the input will be renewed then: the hash has the renewed value.
static tac__hash mix_held(const tac_engine *e, const tac__component *c, size_t input, tac__hash h)
{
    const tac_type *type = &c->inputs.items[input].type;
    const tac__island *island = &e->islands[c->island];
    const void *buffer = c->in[input].buffer;
    if (!is_at_boundary(e, island))
        return tac__digest_mix(h, type, buffer);
    for (size_t i = 0; i < c->views.count; i++) {
        tac__view view = c->views.items[i];
        if (view.target != buffer)
            continue;
        memset(e->digest_scratch, 0, tac__type_words(type) * sizeof(uint64_t));
        view.target = e->digest_scratch;
        tac__view_update(&view, island->state->from_us);
        h = tac__digest_mix(h, type, view.target);
    }
    return h;
}

// The flag whether a watched signal has a value yet; NULL: it always has one.
static const uint64_t *watched_write(const tac_engine *e, const tac__component *c, size_t input)
{
    if (!c->inputs.items[input].peer || c->in[input].signal < 0)
        return NULL;
    return e->plan->components[e->plan->schema.signals[c->in[input].signal].component]->written;
}

static tac__hash mix_inputs(const tac_engine *e, const tac__component *c, tac__hash h)
{
    for (size_t i = 0; i < c->inputs.count; i++) {
        const tac__input *in = &c->in[i];
        if (in->signal < 0) // open: the resting value
            h = tac__digest_mix(h, &c->inputs.items[i].type, in->buffer);
        else if (in->buffer && c->island >= 0 && !in->coupled)
            h = mix_held(e, c, i, h);
        if (in->history)
            h = mix_history(e, in, h);
        const uint64_t *written = watched_write(e, c, i);
        if (written)
            h = tac__hash_word(h, *written);
    }
    return h;
}

// The next number for messages from outside, where the engine has given any.
static tac__hash mix_posted(const tac__receiver *r, tac__hash h)
{
    for (size_t i = 0; i <= r->inlet_count; i++) {
        const uint32_t number = tac__outside_number(r, i);
        if (r->posted[i])
            h = tac__hash_word(tac__hash_word(h, r->queue.keys[number]), r->posted[i]);
    }
    return h;
}

static tac__hash mix_messages(const tac_engine *e, const tac__component *c, tac__hash h)
{
    for (size_t i = 0; i < c->sender_count; i++)
        h = tac__hash_word(h, *e->plan->senders[c->senders[i]].sequence);
    for (size_t i = 0; i < c->receiver_count; i++)
        h = mix_posted(&e->plan->receivers[c->receivers[i]], h);
    for (size_t i = 0; i < c->receiver_count; i++)
        h = tac__queue_mix(&e->plan->receivers[c->receivers[i]].queue, h);
    return h;
}

static tac__hash mix_island(const tac_engine *e, const tac__component *c, tac__hash h)
{
    const tac__island *island = &e->islands[c->island];
    const tac__island_state *s = island->state;
    tac__lanes_show(island);
    const uint64_t words[] = {s->at_us, s->from_us, s->h_us, s->tries, s->changed_us, s->chatter};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        h = tac__hash_word(h, words[i]);
    h = mix_source(e, e->plan->physics_source, h);
    for (size_t i = c->x_offset; i < c->x_offset + c->x_count; i++)
        h = tac__hash_f64(h, i < island->problem.n ? island->x[i] : island->x[i] + 0); // no -0
    for (size_t i = 0; i < c->event_count; i++)
        h = tac__hash_f64(h, island->mode[c->event_offset + i]);
    return h;
}

// Have what the team of a component keeps side by side in the block.
static void complete(const tac_engine *e, size_t component)
{
    if (e->instances[component]->team)
        tac__team_store(e->instances[component]->team);
}

static uint64_t end_digest(const tac_engine *e, const tac__component *c)
{
    tac__hash h = tac__hash_text(TAC__HASH_SEED, e->plan->end_names[c->index]);
    h = mix_source(e, c->axis_source, h);
    h = mix_source(e, c->extra_source, h);
    h = mix_source(e, c->lead_source, h);
    h = mix_source(e, c->timer_source, h);
    h = mix_ports(&c->outputs, c->out, h);
    complete(e, c->index);
    h = mix_ports(&c->states, c->state, h);
    for (size_t i = 0; i < c->stream_count; i++)
        h = tac__hash_word(h, *c->streams[i].next);
    if (c->turns)
        h = tac__hash_word(tac__hash_word(h, c->turns->last_us), c->turns->chatter);
    if (c->missed) // while the component is inactive
        h = tac__hash_word(h, *c->missed | e->instances[c->index]->pending);
    h = mix_inputs(e, c, h);
    h = mix_messages(e, c, h);
    return c->island >= 0 ? mix_island(e, c, h) : h;
}

// --- all digests --------------------------------------------------------------------------------

enum { OF_SIGNAL, OF_ISLAND, OF_RECEIVER, OF_SENDER, OF_END }; // what the number of a digest counts

static const char *name_of(const tac__plan *plan, tac__digest d)
{
    switch (d.kind) {
    case OF_SIGNAL:
        return plan->schema.signals[d.number].name;
    case OF_ISLAND:
        return plan->islands[d.number].digest_name;
    case OF_RECEIVER:
        return plan->receivers[d.number].name;
    case OF_SENDER:
        return plan->senders[d.number].name;
    default:
        return plan->end_names[d.number];
    }
}

const char *tac__digest_value(const tac_engine *e, size_t i, uint64_t *value)
{
    const tac__plan *plan = e->plan;
    const tac__digest d = plan->digests[i];
    switch (d.kind) {
    case OF_SIGNAL:
        complete(e, plan->schema.signals[d.number].component);
        *value = *plan->schema.signals[d.number].digest;
        break;
    case OF_ISLAND:
        tac__lanes_show_digest(&e->islands[d.number]);
        *value = e->islands[d.number].state->digest;
        break;
    case OF_RECEIVER:
        *value = *plan->receivers[d.number].digest;
        break;
    case OF_SENDER:
        *value = *plan->senders[d.number].digest;
        break;
    default:
        *value = end_digest(e, plan->components[d.number]);
    }
    return name_of(plan, d);
}

typedef struct named {
    const char *name;
    tac__digest digest;
} named;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

// The digests of one component, in order of name. Returns their number; `found` has room for all.
static size_t list_component(const tac__plan *plan, const tac__component *c, named *found)
{
    size_t n = 0;
    for (size_t k = 0; k < c->outputs.count; k++) {
        const uint32_t signal = (uint32_t)tac__signal_at(c, k);
        if (plan->schema.signals[signal].digest)
            found[n++].digest = (tac__digest){OF_SIGNAL, signal};
    }
    if (c->island >= 0 && plan->islands[c->island].x_count &&
        plan->islands[c->island].name == c->name)
        found[n++].digest = (tac__digest){OF_ISLAND, (uint32_t)c->island};
    for (size_t k = 0; k < c->receiver_count; k++)
        found[n++].digest = (tac__digest){OF_RECEIVER, c->receivers[k]};
    for (size_t k = 0; k < c->sender_count; k++)
        found[n++].digest = (tac__digest){OF_SENDER, c->senders[k]};
    if (plan->end_names[c->index])
        found[n++].digest = (tac__digest){OF_END, c->index};
    for (size_t i = 0; i < n; i++)
        found[i].name = name_of(plan, found[i].digest);
    qsort(found, n, sizeof *found, by_name);
    return n;
}

static size_t most_digests(const tac__component *c)
{
    return c->outputs.count + 1 + c->receiver_count + c->sender_count + 1;
}

// Names that begin with that of a component nearly always follow each other: only the components
// are sorted, and the digests of each. `named` has room for all.
static void sort_digests(tac__plan *plan, named *all, named *components)
{
    for (uint32_t i = 0; i < plan->component_count; i++)
        components[i] = (named){.name = plan->components[i]->name, .digest = {OF_END, i}};
    qsort(components, plan->component_count, sizeof *components, by_name);
    size_t n = 0;
    for (size_t i = 0; i < plan->component_count; i++)
        n += list_component(plan, plan->components[components[i].digest.number], all + n);
    bool sorted = true;
    for (size_t i = 1; i < n; i++)
        sorted &= strcmp(all[i - 1].name, all[i].name) < 0;
    if (!sorted) // a component of no entity with the name of an entity
        qsort(all, n, sizeof *all, by_name);
    for (size_t i = 0; i < n; i++)
        plan->digests[i] = all[i].digest;
    plan->digest_count = n;
}

static tac_status name_ends(tac_engine *e)
{
    tac__plan *plan = e->building;
    size_t most = 1;
    plan->end_names =
        tac__arena_array(&plan->arena, plan->component_count, sizeof *plan->end_names);
    if (!plan->end_names)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            const size_t words = tac__type_words(&c->inputs.items[k].type);
            most = words > most ? words : most;
        }
        if (tac__is_observer(c) && !c->outputs.count)
            continue;
        plan->end_names[i] = tac__arena_format(&plan->arena, "%s#end", c->name);
        if (!plan->end_names[i])
            return TAC_E_MEMORY;
    }
    e->digest_scratch = tac__arena_array(&e->scratch, most, sizeof *e->digest_scratch);
    return e->digest_scratch ? TAC_OK : TAC_E_MEMORY;
}

// Digests in order of name, so that the hash of all does not depend on the order of declaration.
tac_status tac__digests_list(tac_engine *e)
{
    tac__plan *plan = e->building;
    if (!plan->def.digests)
        return TAC_OK;
    TAC_TRY(name_ends(e));
    size_t most = 0;
    for (size_t i = 0; i < plan->component_count; i++)
        most += most_digests(plan->components[i]);
    plan->digests = tac__arena_array(&plan->arena, most, sizeof *plan->digests);
    tac__arena scratch;
    tac__arena_init(&scratch, e->allocator);
    named *all = tac__arena_array(&scratch, most + plan->component_count, sizeof *all);
    if (plan->digests && all)
        sort_digests(plan, all, all + most);
    tac__arena_fini(&scratch);
    return plan->digests && all ? TAC_OK : TAC_E_MEMORY;
}

// --- public functions ---------------------------------------------------------------------------

uint64_t tac_engine_hash(const tac_engine *e, const char *pattern, size_t *count)
{
    TAC__FLOATS;
    size_t matched = 0;
    tac__hash h = TAC__HASH_SEED;
    for (size_t i = 0; e && i < e->plan->digest_count; i++) {
        if (pattern && !tac__path_match(pattern, name_of(e->plan, e->plan->digests[i])))
            continue;
        uint64_t value;
        tac__digest_value(e, i, &value);
        h = tac__hash_word(h, value);
        matched++;
    }
    if (count)
        *count = matched;
    return tac__digest_whole(h, matched);
}

uint64_t tac_digests_hash(const uint64_t *digests, size_t count)
{
    tac__hash h = TAC__HASH_SEED;
    for (size_t i = 0; i < count; i++)
        h = tac__hash_word(h, tac__hash_reopen(digests[i]));
    return tac__digest_whole(h, count);
}

const char *tac_engine_digest(const tac_engine *e, size_t i, uint64_t *digest)
{
    TAC__FLOATS;
    if (!e || !digest || i >= e->plan->digest_count)
        return NULL;
    const char *name = tac__digest_value(e, i, digest);
    *digest = tac__hash_end(*digest);
    return name;
}
