// teams.c - see teams.h.
#include "engine/run/teams.h"
#include "bus/digest.h"
#include "engine/plan/warn.h"
#include "engine/run/lanes.h"
#include "engine/run/loop.h"
#include "engine/run/packs.h"
#include "math/draws.h"
#include "math/prints.h"
#include "ode/method.h"

#include <string.h>

// A value of each member, and where the values of all lie side by side, element by element.
typedef struct row {
    void *of[TAC__TEAM_MAX];
    void *packed;
    uint32_t count; // of elements
    uint32_t size;  // of an element, in bytes
    bool numbers;   // of f64s
} row;

// The digests of an output of all members. The present ones are those of one of two sides: where a
// new value has a NaN that must be reported, the digests are not kept.
typedef struct digests {
    const row *out;
    size_t words;
    bool may_be_nan; // without a report
    uint64_t packed[2][TAC__TEAM_MAX];
    uint64_t *const *of; // where they are in the block
} digests;

// Islands in lanes whose states members read.
typedef struct shown {
    tac__lanes *lanes;
    tac__lane_set set;
} shown;

struct tac__team {
    tac__team *next; // in the order in which they step
    // The next three, whose data are prefetched; NULL: there are none, or the vehicles are few.
    const tac__team *coming[3];
    tac_instance *members[TAC__TEAM_MAX];
    uint32_t lanes;
    uint32_t waiting; // bits of members that have not had their turn since the last common step
    bool apart;       // the last common step failed: until all had their turn each steps alone
    bool ahead;       // the states side by side are newer than those in the block
    bool loaded;      // outputs and states lie side by side
    bool stepping;    // the kernel runs
    bool still;       // after a step there is nothing to do but digests
    bool mixed;       // the present digests lie side by side, newer than those in the block
    bool renews;      // inputs are renewed one by one
    uint8_t side;     // of the present digests
    tac__text log;    // entries of the last common step: lane, level, text, 0
    tac_lane lane[TAC__TEAM_MAX];
    row *in; // in the order of ports, but those that are connected first
    row *out, *state;
    row *drawn; // of each stream: the index of the next draw
    size_t in_count, out_count, state_count, stream_count;
    size_t live_count; // of inputs that are connected
    digests *digests;
    size_t digest_count;
    shown shown[TAC__TEAM_MAX];
    size_t shown_count;
    tac__followers followers;
    tac__stream_lanes *streams;
    const tac__packs *packs;
    tac_step step; // what the kernel of packs sees
    tac_status (*kernel)(tac_step *s, const void *self);
    const void *self; // of the first
};

// --- moving values ------------------------------------------------------------------------------

// Loops over all elements and lanes, for one type of element.
#define EACH_ELEMENT(type, from, to)                                                               \
    for (size_t i = 0; i < r->count; i++) {                                                        \
        for (uint32_t lane = 0; lane < lanes; lane++)                                              \
            (to) = (from);                                                                         \
    }
#define OWN(type)    (((type *)r->of[lane])[i])
#define PACKED(type) (((type *)r->packed)[i * lanes + lane])

static inline void gather(const tac__team *t, const row *r)
{
    const uint32_t lanes = t->lanes;
    if (r->numbers)
        t->packs->gather(r->count, (const double *const *)r->of, r->packed);
    else if (r->size == 8)
        EACH_ELEMENT(uint64_t, OWN(uint64_t), PACKED(uint64_t))
    else if (r->size == 4)
        EACH_ELEMENT(uint32_t, OWN(uint32_t), PACKED(uint32_t))
    else
        EACH_ELEMENT(uint8_t, OWN(uint8_t), PACKED(uint8_t))
}

static inline void scatter(const tac__team *t, const row *r)
{
    const uint32_t lanes = t->lanes;
    if (r->numbers)
        t->packs->scatter(tac__lanes_all(lanes), r->count, r->packed, (double *const *)r->of);
    else if (r->size == 8)
        EACH_ELEMENT(uint64_t, PACKED(uint64_t), OWN(uint64_t))
    else if (r->size == 4)
        EACH_ELEMENT(uint32_t, PACKED(uint32_t), OWN(uint32_t))
    else
        EACH_ELEMENT(uint8_t, PACKED(uint8_t), OWN(uint8_t))
}

static void store_digests(tac__team *t)
{
    for (size_t k = 0; t->mixed && k < t->digest_count; k++) {
        const digests *d = &t->digests[k];
        for (uint32_t lane = 0; lane < t->lanes; lane++)
            *d->of[lane] = d->packed[t->side][lane];
    }
    t->mixed = false;
}

void tac__team_store(tac__team *team)
{
    store_digests(team);
    if (!team->ahead)
        return;
    for (size_t k = 0; k < team->state_count; k++)
        scatter(team, &team->state[k]);
    for (size_t k = 0; k < team->stream_count; k++)
        scatter(team, &team->drawn[k]);
    team->ahead = false;
}

void tac__teams_store(const tac_engine *e)
{
    for (tac__team *t = e->teams; t; t = t->next)
        tac__team_store(t);
}

void tac__teams_restart(tac_engine *e)
{
    for (tac__team *t = e->teams; t; t = t->next) {
        t->ahead = t->loaded = t->mixed = t->still = false;
        t->waiting = 0;
    }
}

// --- a step -------------------------------------------------------------------------------------

// Note which lanes the island belongs to. False: there are too many groups.
static bool note_shown(tac__team *t, const tac__island *island)
{
    size_t i = 0;
    while (i < t->shown_count && t->shown[i].lanes != island->lanes)
        i++;
    if (i == TAC__TEAM_MAX)
        return false;
    if (i == t->shown_count)
        t->shown[t->shown_count++] = (shown){.lanes = island->lanes};
    t->shown[i].set |= UINT32_C(1) << island->lane;
    return true;
}

static void list_shown(tac__team *t)
{
    t->shown_count = 0;
    t->renews = false;
    for (uint32_t lane = 0; lane < t->lanes; lane++) {
        const tac_instance *m = t->members[lane];
        t->renews |= m->plan->views.live > 0;
        for (size_t i = 0; i < m->read_count; i++)
            t->renews |= !note_shown(t, m->reads[i]);
    }
}

// What only the team changes, and inputs that are not connected.
static void load(tac__team *t)
{
    list_shown(t);
    for (size_t k = t->live_count; k < t->in_count; k++)
        gather(t, &t->in[k]);
    for (size_t k = 0; k < t->out_count; k++) // outputs that are not written hold
        gather(t, &t->out[k]);
    for (size_t k = 0; k < t->state_count; k++)
        gather(t, &t->state[k]);
    for (size_t k = 0; k < t->stream_count; k++)
        gather(t, &t->drawn[k]);
    t->loaded = true;
}

static void renew_inputs(const tac__team *t, tac_time t_us)
{
    for (size_t i = 0; i < t->shown_count; i++)
        tac__lanes_show_set(t->shown[i].lanes, t->shown[i].set);
    for (uint32_t lane = 0; t->renews && lane < t->lanes; lane++)
        tac__inputs_renew(t->members[lane], t_us);
}

// With many vehicles the data of the next team have left the cache since their last step. They are
// prefetched while this team steps, and so is what leads to those of the teams behind it.

static void fetch_rows(const tac__team *t, const row *rows, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        for (uint32_t lane = 0; lane < t->lanes; lane++)
            __builtin_prefetch(rows[k].of[lane]);
    }
}

static void fetch_packed(const tac__team *t, const row *rows, size_t count)
{
    for (size_t k = 0; k < count; k++)
        tac__fetch(rows[k].packed, (int)((rows[k].count * rows[k].size * t->lanes + 63) / 64));
}

static void fetch_values(const tac__team *t)
{
    tac__fetch(t->members[0], 4);
    fetch_rows(t, t->in, t->live_count);
    fetch_rows(t, t->out, t->out_count);
    fetch_packed(t, t->in, t->live_count);
    fetch_packed(t, t->out, t->out_count);
    fetch_packed(t, t->state, t->state_count);
    for (size_t i = 0; i < t->shown_count; i++)
        tac__lanes_fetch(t->shown[i].lanes);
}

static void fetch_array(const void *items, size_t count, size_t size)
{
    tac__fetch(items, (int)((count * size + 63) / 64));
}

static void fetch_pointers(const tac__team *t)
{
    fetch_array(t->in, t->live_count, sizeof *t->in);
    fetch_array(t->out, t->out_count, sizeof *t->out);
    fetch_array(t->state, t->state_count, sizeof *t->state);
    fetch_array(t->digests, t->digest_count, sizeof *t->digests);
}

static void fetch_coming(const tac__team *t)
{
    if (t->coming[0])
        fetch_values(t->coming[0]);
    if (t->coming[1])
        fetch_pointers(t->coming[1]);
    if (t->coming[2])
        fetch_array(t->coming[2], 1, sizeof *t);
}

// All members are due, `first` is the first whose turn it is.
static void step_all(tac__team *t, const tac_step *first)
{
    fetch_coming(t);
    if (!t->loaded)
        load(t);
    renew_inputs(t, first->t_us);
    for (size_t k = 0; k < t->live_count; k++)
        gather(t, &t->in[k]);
    t->log.length = 0;
    t->log.failed = false;
    t->step.t_us = first->t_us;
    t->step.due = first->due;
    t->stepping = true;
    t->apart = t->kernel(&t->step, t->self) != TAC_OK;
    t->stepping = false;
    if (t->apart) { // before it wrote anything: see tac_kernels
        tac__team_store(t);
        t->loaded = false;
        return;
    }
    t->ahead = t->state_count + t->stream_count > 0;
    for (size_t k = 0; k < t->out_count; k++)
        scatter(t, &t->out[k]);
}

bool tac__team_steps(const tac__team *t)
{
    return t->stepping;
}

void tac__team_keep_log(tac__team *team, uint32_t lane, const tac_log_entry *entry)
{
    tac__text *log = &team->log;
    const char head[2] = {(char)lane, (char)entry->level};
    tac__text_bytes(log, head, sizeof head);
    tac__text_bytes(log, entry->text, strlen(entry->text) + 1);
}

static void tell_log(tac__team *t, const tac_instance *c, tac_time t_us)
{
    for (size_t at = 0; at < t->log.length;) {
        const char *entry = t->log.chars + at;
        if (entry[0] == (char)c->lane)
            tac__logs_tell(&c->engine->logs, &(tac_log_entry){t_us, c->plan->name,
                                                              (tac_log_level)entry[1], entry + 2});
        at += 2 + strlen(entry + 2) + 1;
    }
    if (!t->waiting)
        t->log.length = 0;
}

// Is there nothing to do after the steps of members but digests? Not so: taps, the first write,
// histories.
static bool is_still(const tac__team *t)
{
    bool still = !t->members[0]->engine->profile;
    for (uint32_t lane = 0; lane < t->lanes; lane++)
        still &= !t->members[lane]->after && !t->members[lane]->writes.kept_count;
    return still;
}

static tac__lane_set mix_numbers(const tac__team *t, const digests *d, const uint64_t *before,
                                 uint64_t *after, tac_time t_us)
{
    tac__lane_set nans = t->packs->digest(after, t_us, d->out->count, d->out->packed);
    for (; d->may_be_nan && nans; nans &= nans - 1) {
        const int lane = __builtin_ctz(nans);
        after[lane] = tac__digest_nans(before[lane], t_us, d->out->of[lane], d->words);
    }
    return nans;
}

// Mix what all members have written into their digests. False: there is a NaN.
static bool mix_all(tac__team *t, tac_time t_us)
{
    tac__lane_set nans = 0;
    for (size_t k = 0; k < t->digest_count; k++) {
        digests *d = &t->digests[k];
        uint64_t *before = d->packed[t->side], *after = d->packed[!t->side];
        for (uint32_t lane = 0; !t->mixed && lane < t->lanes; lane++)
            before[lane] = *d->of[lane];
        memcpy(after, before, sizeof d->packed[0]);
        if (d->out->numbers)
            nans |= mix_numbers(t, d, before, after, t_us);
        for (uint32_t lane = 0; !d->out->numbers && lane < t->lanes; lane++)
            after[lane] = tac__digest_words(before[lane], t_us, d->out->of[lane], d->words);
    }
    if (nans)
        return false;
    t->side = !t->side;
    t->mixed = true;
    return true;
}

// All that follows the steps of members, at the turn of the first. With tac__lanes_digest a swarm
// of 20 takes 3 % less time than with a turn of each (bench/mission.c). False: each must have its
// turn.
static bool finish_all(tac__team *t, tac_instance *first, tac_time t_us)
{
    if (!t->still)
        t->still = is_still(t);
    const bool done = t->still && !t->apart && !t->log.length && mix_all(t, t_us);
    first->has_writes = !done && tac__writes_any(&first->writes);
    if (!done) {
        store_digests(t);
        return false;
    }
    tac__followers_done(&first->engine->due, &t->followers);
    first->engine->clock->steps += t->lanes - 1;
    return true;
}

// The turn of one member: its tac_instance.run.
static tac_status take_turn(tac_step *s, const void *self)
{
    tac__team *t = (tac__team *)self;
    tac_instance *c = s->instance;
    const uint32_t bit = UINT32_C(1) << c->lane;
    if (!(t->waiting & bit)) {
        t->waiting = 0;
        step_all(t, s);
        if (t->log.failed) // entries are lost
            return TAC_E_MEMORY;
        if (finish_all(t, c, s->t_us))
            return TAC_OK;
        t->waiting = (UINT32_C(1) << t->lanes) - 1;
    }
    t->waiting &= ~bit;
    if (t->log.length)
        tell_log(t, c, s->t_us);
    return t->apart ? c->plan->type->kernels[TAC_NUMBERS].step(s, c->plan->self) : TAC_OK;
}

void tac__team_draw(const tac__team *t, int stream, double *values, size_t count)
{
    const tac__stream_lanes *streams = &t->streams[stream];
    uint64_t *next = t->drawn[stream].packed;
    const uint32_t all = (UINT32_C(1) << t->lanes) - 1;
    if (t->lanes == 8)
        tac__draw_normals_pack8(streams, all, next, values, count);
    else if (t->lanes == 4)
        tac__draw_normals_pack4(streams, all, next, values, count);
    else
        tac__draw_normals_pack2(streams, all, next, values, count);
}

// --- who can step together ----------------------------------------------------------------------

// An observer that reads the plant: at instants that are no boundaries, too.
static bool peeks(const tac__plan *plan, const tac__component *c)
{
    bool found = false;
    for (size_t k = 0; c->observer && !found && k < c->inputs.count; k++) {
        const int signal = c->in[k].signal;
        found = signal >= 0 && plan->schema.signals[signal].kind->continuous;
    }
    return found;
}

// Nothing but its rate group makes the component step, and nothing but its step sees its states.
// Not so in an entity with phases, which may reset them.
static bool can_join(const tac__plan *plan, const tac__component *c)
{
    const tac_component_type *type = c->type;
    const bool has_kernel = type->kernels[TAC_PACK8].step || type->kernels[TAC_PACK4].step ||
                            type->kernels[TAC_PACK2].step;
    return has_kernel && type->alike && !(type->flags & TAC_COMPONENT_OPAQUE) && c->island < 0 &&
           c->axis_source >= 0 && c->extra_source < 0 && c->lead_source < 0 &&
           c->timer_source < 0 && !c->condition_count && !c->receiver_count && !c->sender_count &&
           !c->active_names && !peeks(plan, c) && c->stage != TAC_STAGE_ACTUATE &&
           !type->pre_step && !type->post_step && !type->phase_enter && !type->phase_exit &&
           plan->entities[c->entity].machine < 0;
}

static bool same_types(const tac__ports *a, const tac__ports *b)
{
    bool same = a->count == b->count;
    for (size_t k = 0; same && k < a->count; k++) {
        const tac_type *s = &a->items[k].type, *t = &b->items[k].type;
        same = s->scalar == t->scalar && s->count == t->count;
    }
    return same;
}

static bool same_connections(const tac__component *a, const tac__component *b)
{
    bool same = true;
    for (size_t k = 0; same && k < a->inputs.count; k++)
        same = (a->in[k].signal < 0) == (b->in[k].signal < 0);
    return same;
}

static bool are_alike(const tac__component *a, const tac__component *b)
{
    return a->type == b->type && a->group == b->group && a->stage == b->stage &&
           a->lead_us == b->lead_us && a->lead_source == b->lead_source &&
           a->number_count == b->number_count && a->stream_count == b->stream_count &&
           same_types(&a->inputs, &b->inputs) && same_types(&a->outputs, &b->outputs) &&
           same_types(&a->states, &b->states) && same_connections(a, b) &&
           a->type->alike(a->self, b->self);
}

static bool reads(const tac__plan *plan, const tac__component *reader, const tac__component *writer)
{
    bool found = false;
    for (size_t k = 0; !found && k < reader->inputs.count; k++) {
        const int signal = reader->in[k].signal;
        found = signal >= 0 && plan->schema.signals[signal].component == writer->index;
    }
    return found;
}

// May the component at place `at` of the sequence step as early as the one at `first`? Those
// between must neither write what it reads nor read what it writes. The nearest come first: in a
// chain the one before is in the way. Takes the comparisons from `*left`; no, where it is used up.
static bool can_be_early(const tac__plan *plan, size_t first, size_t at, size_t *left)
{
    const tac__component *c = plan->components[plan->sequence[at]];
    bool can = true;
    for (size_t i = at; can && i-- > first;) {
        const tac__component *other = plan->components[plan->sequence[i]];
        can = *left > 0 && !reads(plan, c, other) && !reads(plan, other, c);
        *left -= *left > 0;
    }
    return can;
}

// How far behind the first member others are looked for: vehicles have tens of components. The
// comparisons for one team are limited because a long row of components that are alike and
// connected would need as many as the square of that.
enum { FAR = 512, COMPARISONS = 8192 };

static size_t find_members(const tac_engine *e, size_t first, tac_instance **members)
{
    const tac__plan *plan = e->plan;
    const tac__component *c = plan->components[plan->sequence[first]];
    size_t count = 0, left = COMPARISONS;
    members[count++] = e->instances[c->index];
    for (size_t i = first + 1; i < plan->sequence_count && i - first < FAR && count < TAC__TEAM_MAX;
         i++) {
        const tac__component *other = plan->components[plan->sequence[i]];
        if (other->stage != c->stage)
            break;
        if (!e->instances[other->index]->team && can_join(plan, other) && are_alike(c, other) &&
            can_be_early(plan, first, i, &left))
            members[count++] = e->instances[other->index];
    }
    return count;
}

// --- making -------------------------------------------------------------------------------------

// Memory for values of one type side by side, aligned as packs are.
static void *make_packed(tac_engine *e, size_t count, size_t size, uint32_t lanes)
{
    return tac__ode_array(&e->scratch, (count * size * lanes + 7) / 8 + 1);
}

static tac_status make_rows(tac_engine *e, const tac__ports *ports, uint32_t lanes, row **rows,
                            void ***pointers)
{
    *rows = tac__arena_array(&e->scratch, ports->count, sizeof **rows);
    *pointers = tac__arena_array(&e->scratch, ports->count, sizeof **pointers);
    if (!*rows || !*pointers)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < ports->count; k++) {
        const tac_type *type = &ports->items[k].type;
        row *r = &(*rows)[k];
        r->count = type->count;
        r->size = (uint32_t)tac__scalar_size(type->scalar);
        r->numbers = type->scalar == TAC_F64;
        r->packed = (*pointers)[k] = make_packed(e, r->count, r->size, lanes);
        if (!r->packed)
            return TAC_E_MEMORY;
    }
    return TAC_OK;
}

static tac_status make_numbers(tac_engine *e, tac__team *t)
{
    const size_t count = t->members[0]->plan->number_count;
    double *p = make_packed(e, count, sizeof *p, t->lanes);
    if (!p)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t lane = 0; lane < t->lanes; lane++)
            p[i * t->lanes + lane] = t->members[lane]->plan->numbers[i];
    }
    t->step.p = p;
    return TAC_OK;
}

static tac_status make_streams(tac_engine *e, tac__team *t)
{
    t->stream_count = t->members[0]->stream_count;
    t->streams = tac__arena_array(&e->scratch, t->stream_count, sizeof *t->streams);
    t->drawn = tac__arena_array(&e->scratch, t->stream_count, sizeof *t->drawn);
    if (!t->streams || !t->drawn)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < t->stream_count; k++) {
        row *r = &t->drawn[k];
        *r = (row){.packed = make_packed(e, 1, sizeof(uint64_t), t->lanes), .count = 1, .size = 8};
        if (!r->packed)
            return TAC_E_MEMORY;
        for (uint32_t lane = 0; lane < t->lanes; lane++) {
            const tac__draws *d = &t->members[lane]->streams[k];
            tac__stream_lanes_set(&t->streams[k], (int)lane, &d->stream);
            r->of[lane] = d->next;
        }
    }
    return TAC_OK;
}

// All outputs have a digest, or none has.
static tac_status make_digests(tac_engine *e, tac__team *t)
{
    if (!e->plan->def.digests)
        return TAC_OK;
    t->digests = tac__arena_array(&e->scratch, t->out_count, sizeof *t->digests);
    uint64_t **of = tac__arena_array(&e->scratch, t->out_count * t->lanes, sizeof *of);
    if (!t->digests || !of)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < t->out_count; k++, of += t->lanes) {
        digests *d = &t->digests[t->digest_count++];
        d->out = &t->out[k];
        d->of = of;
        d->may_be_nan = true;
        for (uint32_t lane = 0; lane < t->lanes; lane++) {
            const tac_instance *m = t->members[lane];
            const tac__signal *s = &e->plan->schema.signals[tac__signal_at(m->plan, k)];
            d->words = s->kind->words;
            of[lane] = s->digest;
            d->may_be_nan &= (m->plan->outputs.items[k].flags & TAC_PORT_NAN) != 0;
        }
    }
    return TAC_OK;
}

static void put_connected_first(tac__team *t)
{
    for (size_t k = 0; k < t->in_count; k++) {
        if (t->members[0]->plan->in[k].signal < 0)
            continue;
        const row connected = t->in[k];
        memmove(&t->in[t->live_count + 1], &t->in[t->live_count],
                (k - t->live_count) * sizeof connected);
        t->in[t->live_count++] = connected;
    }
}

static tac_status make_team(tac_engine *e, tac_instance *const *members, uint32_t lanes)
{
    tac__team *t = tac__arena_array(&e->scratch, 1, sizeof *t);
    if (!t)
        return TAC_E_MEMORY;
    const tac__component *c = members[0]->plan;
    memcpy(t->members, members, lanes * sizeof *members);
    t->lanes = lanes;
    t->packs = tac__packs_of(lanes);
    t->self = c->self;
    t->kernel = c->type->kernels[tac__packs_kind(lanes)].step;
    t->in_count = c->inputs.count;
    t->out_count = c->outputs.count;
    t->state_count = c->states.count;
    t->step = members[0]->step;
    t->step.lanes = lanes;
    t->step.lane = t->lane;
    tac__text_init(&t->log, e->allocator);
    void **in, **out, **state;
    TAC_TRY(make_rows(e, &c->inputs, lanes, &t->in, &in));
    TAC_TRY(make_rows(e, &c->outputs, lanes, &t->out, &out));
    TAC_TRY(make_rows(e, &c->states, lanes, &t->state, &state));
    TAC_TRY(make_numbers(e, t));
    TAC_TRY(make_streams(e, t));
    t->step.in = (const void *const *)in;
    t->step.out = out;
    t->step.state = state;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        tac_instance *m = t->members[lane];
        for (size_t k = 0; k < t->in_count; k++)
            t->in[k].of[lane] = (void *)(uintptr_t)m->step.in[k];
        for (size_t k = 0; k < t->out_count; k++)
            t->out[k].of[lane] = m->step.out[k];
        for (size_t k = 0; k < t->state_count; k++)
            t->state[k].of[lane] = m->step.state[k];
        t->lane[lane] = (tac_lane){.self = m->plan->self, .instance = m};
        if (lane > 0)
            tac__followers_add(&e->due, &t->followers, (size_t)m->plan->step_item);
        m->team = t;
        m->lane = (uint8_t)lane;
        m->run = take_turn;
        m->run_self = t;
        m->has_before = false; // the team renews the inputs of all
    }
    put_connected_first(t);
    TAC_TRY(make_digests(e, t));
    tac__team **end = &e->teams_end;
    if (*end)
        (*end)->next = t;
    else
        e->teams = t;
    *end = t;
    return TAC_OK;
}

void tac__teams_destroy(tac_engine *e)
{
    for (tac__team *t = e->teams; t; t = t->next)
        tac__text_fini(&t->log);
}

static void list_coming(tac_engine *e)
{
    if (e->plan->island_count <= TAC__FEW_ISLANDS)
        return;
    for (tac__team *t = e->teams; t; t = t->next) {
        const tac__team *next = t->next;
        for (size_t i = 0; i < 3 && next; i++, next = next->next)
            t->coming[i] = next;
    }
}

tac_status tac__teams_form(tac_engine *e)
{
    const tac__plan *plan = e->plan;
    if (plan->def.lanes < 2 || plan->driver)
        return TAC_OK;
    for (size_t i = 0; i < plan->sequence_count; i++) {
        const tac__component *c = plan->components[plan->sequence[i]];
        if (e->instances[c->index]->team || !can_join(plan, c))
            continue;
        tac_instance *members[TAC__TEAM_MAX];
        const size_t found = find_members(e, i, members);
        uint32_t lanes = plan->def.lanes;
        while (lanes > 1 && (lanes > found || !c->type->kernels[tac__packs_kind(lanes)].step ||
                             !tac__packs_sound(lanes)))
            lanes /= 2;
        if (lanes > 1)
            TAC_TRY(make_team(e, members, lanes));
    }
    list_coming(e);
    return TAC_OK;
}
