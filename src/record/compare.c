// compare.c - two recordings side by side: which signals differ, where first, by how much.
//
// Signals are paired by name, whatever channels they are in. Both files are read once in order of
// time, and of each channel the last sample is kept: memory does not grow with the length of the
// recordings.
#include "base/arena.h"
#include "base/def.h"
#include "base/choose.h"
#include "base/floats.h"
#include "base/text.h"
#include "bus/type.h"
#include "record/difference.h"

#include <string.h>

struct tac_comparison {
    tac__arena arena;
    tac_difference *signals;
    size_t count;
    int first;
    bool equal;
};

enum { A, B };

// A signal that both have.
typedef struct pair {
    tac_difference *difference;
    const tac_type *type;
    const tac__allowance *allowed; // NULL: bit for bit
    size_t channel[2], offset[2];
    int rank; // of what is written first at an instant
} pair;

typedef struct channel {
    bool holds;
    size_t size;
    unsigned char *values; // of the last sample
    tac_time t_us;         // of it, TAC_TIME_NEVER: there was none
    size_t *pairs;         // signals in it
    size_t pair_count;
} channel;

typedef struct side {
    tac_recording *recording;
    tac_cursor *cursor;
    tac_sample next;
    bool more; // there is a next one
    channel *channels;
    size_t channel_count;
    bool *wanted;    // channels to read
    size_t *touched; // channels with a sample at the present instant
    size_t touched_count;
} side;

typedef struct comparing {
    const tac_compare_def *def;
    tac_comparison *result;
    tac__arena *arena; // of what is needed while comparing
    side sides[2];
    pair *pairs;
    size_t pair_count;
    tac__allowance *allowances; // one a tolerance
} comparing;

// --- which signals -------------------------------------------------------------------------------

// Those of A, then those of B.
static const char *name_at(const void *context, size_t i)
{
    const side *sides = context;
    const size_t count = tac_recording_signal_count(sides[A].recording);
    const tac_recorded *s = i < count ? tac_recording_signal(sides[A].recording, i)
                                      : tac_recording_signal(sides[B].recording, i - count);
    return s ? s->name : NULL;
}

static tac_status check_tolerances(comparing *c, const tac__choices *names, tac_error *err)
{
    const tac_compare_def *def = c->def;
    c->allowances = tac__arena_array(c->arena, def->tolerance_count + 1, sizeof *c->allowances);
    if (!c->allowances)
        return tac__fail_memory(err);
    for (size_t i = 0; i < def->tolerance_count; i++) {
        const tac_tolerance *t = &def->tolerances[i];
        if (!(t->absolute >= 0 && t->relative >= 0))
            return tac__fail(err, TAC_E_RANGE,
                             "tolerances must not be negative; that of '%s' is %g, %g", t->pattern,
                             t->absolute, t->relative);
        TAC_TRY(tac__choose(names, &t->pattern, 1, NULL, err));
        c->allowances[i] = (tac__allowance){t->absolute, t->relative};
    }
    return TAC_OK;
}

static const tac__allowance *allowance_of(const comparing *c, const char *name)
{
    for (size_t i = c->def->tolerance_count; i-- > 0;) {
        if (tac__path_match(c->def->tolerances[i].pattern, name))
            return &c->allowances[i];
    }
    return NULL;
}

// States come from the integration that led to the instant.
static int rank_of(const tac_recorded *s)
{
    return s->stage == TAC_STAGE_INTEGRATE ? -1 : (int)s->stage;
}

static void add_pair(comparing *c, tac_difference *d, const tac_recorded *a, const tac_recorded *b)
{
    c->pairs[c->pair_count++] = (pair){
        .difference = d,
        .type = &a->type,
        .allowed = allowance_of(c, a->name),
        .channel = {a->channel, b->channel},
        .offset = {a->offset, b->offset},
        .rank = rank_of(a),
    };
}

// `a` or `b` may be NULL.
static tac_status add_signal(comparing *c, const tac_recorded *a, const tac_recorded *b,
                             tac_error *err)
{
    const tac_recorded *s = a ? a : b;
    tac_difference *d = &c->result->signals[c->result->count++];
    tac__difference_begin(d);
    d->name = tac__arena_text(&c->result->arena, s->name);
    d->unit = tac__arena_text(&c->result->arena, s->unit);
    d->only_a = !b;
    d->only_b = !a;
    d->alike = a && b && tac__type_same(&a->type, &b->type) && !strcmp(a->unit, b->unit);
    if (d->alike)
        add_pair(c, d, a, b);
    return d->name && d->unit ? TAC_OK : tac__fail_memory(err);
}

static const tac_recorded *find(const side *s, const char *name)
{
    const int i = tac_recording_find(s->recording, name);
    return i < 0 ? NULL : tac_recording_signal(s->recording, (size_t)i);
}

static tac_status pair_signals(comparing *c, tac_error *err)
{
    const tac__choices names = {name_at, c->sides, "signal"};
    size_t count[2];
    for (int k = A; k <= B; k++)
        count[k] = tac_recording_signal_count(c->sides[k].recording);
    const size_t most = count[A] + count[B] + 1;
    bool *chosen = tac__arena_array(c->arena, most, sizeof *chosen);
    c->pairs = tac__arena_array(c->arena, most, sizeof *c->pairs);
    c->result->signals = tac__arena_array(&c->result->arena, most, sizeof *c->result->signals);
    if (!chosen || !c->pairs || !c->result->signals)
        return tac__fail_memory(err);
    TAC_TRY(tac__choose(&names, c->def->patterns, c->def->pattern_count, chosen, err));
    TAC_TRY(check_tolerances(c, &names, err));
    for (size_t i = 0; i < count[A]; i++) {
        const tac_recorded *a = tac_recording_signal(c->sides[A].recording, i);
        if (chosen[i])
            TAC_TRY(add_signal(c, a, find(&c->sides[B], a->name), err));
    }
    for (size_t i = 0; i < count[B]; i++) {
        const tac_recorded *b = tac_recording_signal(c->sides[B].recording, i);
        if (chosen[count[A] + i] && !find(&c->sides[A], b->name))
            TAC_TRY(add_signal(c, NULL, b, err));
    }
    return TAC_OK;
}

// --- channels ------------------------------------------------------------------------------------

static tac_status add_channel(comparing *c, int which, size_t i, tac_error *err)
{
    side *s = &c->sides[which];
    channel *to = &s->channels[i];
    const tac_channel_info *info = tac_recording_channel(s->recording, i);
    for (size_t k = 0; k < c->pair_count; k++)
        to->pair_count += c->pairs[k].channel[which] == i;
    to->holds = info->trace == TAC_TRACE_HOLD;
    to->size = info->size;
    to->t_us = TAC_TIME_NEVER;
    s->wanted[i] = to->pair_count > 0;
    if (!s->wanted[i])
        return TAC_OK;
    to->values = tac__arena_alloc(c->arena, to->size + 1);
    to->pairs = tac__arena_array(c->arena, to->pair_count, sizeof *to->pairs);
    if (!to->values || !to->pairs)
        return tac__fail_memory(err);
    size_t n = 0;
    for (size_t k = 0; k < c->pair_count; k++) {
        if (c->pairs[k].channel[which] == i)
            to->pairs[n++] = k;
    }
    return TAC_OK;
}

static tac_status add_channels(comparing *c, int which, tac_error *err)
{
    side *s = &c->sides[which];
    s->channel_count = tac_recording_channel_count(s->recording);
    s->channels = tac__arena_array(c->arena, s->channel_count + 1, sizeof *s->channels);
    s->wanted = tac__arena_array(c->arena, s->channel_count + 1, sizeof *s->wanted);
    s->touched = tac__arena_array(c->arena, s->channel_count + 1, sizeof *s->touched);
    if (!s->channels || !s->wanted || !s->touched)
        return tac__fail_memory(err);
    for (size_t i = 0; i < s->channel_count; i++)
        TAC_TRY(add_channel(c, which, i, err));
    return TAC_OK;
}

// --- reading -------------------------------------------------------------------------------------

static tac_status advance(side *s, tac_error *err)
{
    return tac_cursor_next(s->cursor, &s->next, &s->more, err);
}

static tac_status open_cursor(side *s, const bool *wanted, tac_time from_us, tac_time to_us,
                              tac_error *err)
{
    const tac_time last_us = tac_recording_about(s->recording)->last_us;
    to_us = to_us < last_us ? to_us : last_us;
    s->more = false;
    if (from_us > to_us)
        return TAC_OK;
    TAC_TRY(tac_cursor_open(s->recording, wanted, from_us, to_us, &s->cursor, err));
    return advance(s, err);
}

static void close_cursor(side *s)
{
    tac_cursor_close(s->cursor);
    s->cursor = NULL;
}

static channel *keep(side *s)
{
    channel *c = &s->channels[s->next.channel];
    memcpy(c->values, s->next.values, c->size);
    c->t_us = s->next.t_us;
    return c;
}

// What channels hold when the span that is compared begins.
static tac_status prime(comparing *c, side *s, tac_error *err)
{
    if (c->def->from_us == 0)
        return TAC_OK;
    bool any = false;
    bool *holding = tac__arena_array(c->arena, s->channel_count + 1, sizeof *holding);
    if (!holding)
        return tac__fail_memory(err);
    for (size_t i = 0; i < s->channel_count; i++)
        any |= holding[i] = s->wanted[i] && s->channels[i].holds;
    if (!any)
        return TAC_OK;
    tac_status status = open_cursor(s, holding, 0, c->def->from_us - 1, err);
    while (status == TAC_OK && s->more) {
        keep(s);
        status = advance(s, err);
    }
    close_cursor(s);
    return status;
}

static tac_status take_instant(side *s, tac_time t_us, tac_error *err)
{
    s->touched_count = 0;
    while (s->more && s->next.t_us == t_us) {
        const bool again = s->channels[s->next.channel].t_us == t_us;
        keep(s);
        if (!again)
            s->touched[s->touched_count++] = s->next.channel;
        TAC_TRY(advance(s, err));
    }
    return TAC_OK;
}

// --- comparing -----------------------------------------------------------------------------------

// The value of one side at an instant, NULL where it is not known.
static const void *value_at(const comparing *c, int which, const pair *p, tac_time t_us)
{
    const side *s = &c->sides[which];
    const channel *from = &s->channels[p->channel[which]];
    const bool held = from->holds && from->t_us != TAC_TIME_NEVER &&
                      t_us <= tac_recording_about(s->recording)->last_us;
    return from->t_us == t_us || held ? from->values + p->offset[which] : NULL;
}

static void compare_pair(comparing *c, int which, const pair *p, tac_time t_us)
{
    const void *a = value_at(c, A, p, t_us), *b = value_at(c, B, p, t_us);
    if (a && b)
        tac__difference_add(p->difference, p->type, p->allowed, t_us, a, b);
    else
        tac__difference_alone(p->difference, which == A, t_us);
}

static void compare_instant(comparing *c, tac_time t_us)
{
    for (int which = A; which <= B; which++) {
        const side *s = &c->sides[which];
        for (size_t i = 0; i < s->touched_count; i++) {
            const channel *from = &s->channels[s->touched[i]];
            for (size_t k = 0; k < from->pair_count; k++) {
                const pair *p = &c->pairs[from->pairs[k]];
                const bool seen = which == B && c->sides[A].channels[p->channel[A]].t_us == t_us;
                if (!seen)
                    compare_pair(c, which, p, t_us);
            }
        }
    }
}

static tac_status step(comparing *c, tac_time t_us, tac_error *err)
{
    for (int which = A; which <= B; which++)
        TAC_TRY(take_instant(&c->sides[which], t_us, err));
    compare_instant(c, t_us);
    return TAC_OK;
}

// What both hold where the span begins is as good as a sample there.
static void compare_held(comparing *c)
{
    const tac_time t_us = c->def->from_us;
    for (size_t i = 0; i < c->pair_count; i++) {
        const pair *p = &c->pairs[i];
        const void *a = value_at(c, A, p, t_us), *b = value_at(c, B, p, t_us);
        const bool seen = c->sides[A].channels[p->channel[A]].t_us == t_us ||
                          c->sides[B].channels[p->channel[B]].t_us == t_us;
        if (a && b && !seen)
            tac__difference_add(p->difference, p->type, p->allowed, t_us, a, b);
    }
}

static tac_status walk(comparing *c, tac_error *err)
{
    side *a = &c->sides[A], *b = &c->sides[B];
    for (int which = A; which <= B; which++) {
        side *s = &c->sides[which];
        TAC_TRY(prime(c, s, err));
        TAC_TRY(open_cursor(s, s->wanted, c->def->from_us, c->def->to_us, err));
    }
    TAC_TRY(step(c, c->def->from_us, err));
    compare_held(c);
    while (a->more || b->more) {
        const tac_time t_us =
            !b->more || (a->more && a->next.t_us < b->next.t_us) ? a->next.t_us : b->next.t_us;
        TAC_TRY(step(c, t_us, err));
    }
    return TAC_OK;
}

static void conclude(const comparing *c)
{
    tac_comparison *r = c->result;
    r->equal = true;
    uint64_t samples = 0;
    for (size_t i = 0; i < r->count; i++) {
        const tac_difference *d = &r->signals[i];
        samples += d->samples;
        r->equal &= d->alike && d->beyond == 0 && d->unmatched_us == TAC_TIME_NEVER;
    }
    r->equal &= samples > 0;
    const pair *first = NULL;
    for (size_t i = 0; i < c->pair_count; i++) {
        const pair *p = &c->pairs[i];
        const tac_time t_us = p->difference->first_us;
        if (t_us == TAC_TIME_NEVER)
            continue;
        if (!first || t_us < first->difference->first_us ||
            (t_us == first->difference->first_us && p->rank < first->rank))
            first = p;
    }
    r->first = first ? (int)(first->difference - r->signals) : -1;
}

static tac_status compare(comparing *c, tac_error *err)
{
    TAC_TRY(pair_signals(c, err));
    TAC_TRY(add_channels(c, A, err));
    TAC_TRY(add_channels(c, B, err));
    TAC_TRY(walk(c, err));
    conclude(c);
    return TAC_OK;
}

// --- from outside --------------------------------------------------------------------------------

static tac_comparison *make(void)
{
    const tac_allocator *allocator = tac_allocator_default();
    tac_comparison *r = allocator->resize(allocator->context, NULL, 0, sizeof *r);
    if (r) {
        *r = (tac_comparison){.first = -1};
        tac__arena_init(&r->arena, allocator);
    }
    return r;
}

void tac_comparison_destroy(tac_comparison *r)
{
    if (!r)
        return;
    const tac_allocator *allocator = r->arena.allocator;
    tac__arena_fini(&r->arena);
    allocator->resize(allocator->context, r, sizeof *r, 0);
}

tac_status tac_recording_compare(tac_recording *a, tac_recording *b, const tac_compare_def *def,
                                 tac_comparison **comparison, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(a && b && def && comparison);
    *comparison = NULL;
    TAC__DEF(tac_compare_def, def, err);
    TAC_REQUIRE(def->from_us <= def->to_us);
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    comparing c = {.def = def,
                   .result = make(),
                   .arena = &arena,
                   .sides = {{.recording = a}, {.recording = b}}};
    const tac_status status = c.result ? compare(&c, err) : tac__fail_memory(err);
    close_cursor(&c.sides[A]);
    close_cursor(&c.sides[B]);
    tac__arena_fini(&arena);
    if (status == TAC_OK)
        *comparison = c.result;
    else
        tac_comparison_destroy(c.result);
    return status;
}

bool tac_comparison_equal(const tac_comparison *r)
{
    return r && r->equal;
}

int tac_comparison_first(const tac_comparison *r)
{
    return r ? r->first : -1;
}

size_t tac_comparison_count(const tac_comparison *r)
{
    return r ? r->count : 0;
}

const tac_difference *tac_comparison_signal(const tac_comparison *r, size_t i)
{
    return r && i < r->count ? &r->signals[i] : NULL;
}
