// join.c - who joins, and the links that follow from what everyone has declared.
#include "federation/server/state.h"

#include "base/print.h"
#include "base/text.h"
#include "bus/lcm_type.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHANNELS_MAX = 65536,
    LINKS_MAX = 1 << 22,
    STEPS_MAX = 1 << 26, // characters of patterns and channels that are compared for one HELLO
};

// --- joining ------------------------------------------------------------------------------------

void tac__fed_refuse(tac__fed_connection *k, const char *why)
{
    char line[TAC_ERROR_TEXT];
    tac__print(line, sizeof line, "%s", why);
    tac__wire_one_line(line, sizeof line);
    tac__wire_put_end(&k->out, TAC__FRAME_REFUSE, "", 0, line);
    k->closing = true;
}

static int find_client(const tac__server *s, const char *name)
{
    for (size_t i = 0; i < s->def.count; i++) {
        if (!strcmp(s->clients[i].name, name))
            return (int)i;
    }
    return -1;
}

static const char *name_at(const void *context, size_t i)
{
    const tac__server *s = context;
    return i < s->def.count ? s->clients[i].name : NULL;
}

static tac_status read_channels(const tac__server *s, tac__arena *arena, tac__frame *f,
                                const char *name, bool inlets, tac__fed_channel **all,
                                uint32_t *count, tac_error *err)
{
    *count = tac__frame_u32(f);
    if (*count > CHANNELS_MAX ||
        *count > (size_t)(f->end - f->body) / 20) // bytes of each, at least
        f->bad = true;
    if (f->bad)
        return tac__frame_end(f, err);
    *all = tac__arena_array(arena, (size_t)*count + 1, sizeof **all);
    if (!*all)
        return tac__fail_memory(err);
    for (uint32_t i = 0; i < *count; i++) {
        char text[3][TAC__WIRE_NAME_MAX + 1];
        tac__fed_channel *k = &(*all)[i];
        k->port = tac__frame_u32(f) & 1;
        (void)tac__frame_text(f, text[0], sizeof text[0]);
        memcpy(text[1], text[0], sizeof text[1]);
        if (inlets)
            (void)tac__frame_text(f, text[1], sizeof text[1]);
        (void)tac__frame_text(f, text[2], sizeof text[2]);
        k->fingerprint = tac__frame_u64(f);
        k->message_max = tac__frame_u32(f);
        if (!f->bad && (!*text[0] || !*text[1]))
            f->bad = true;
        if (f->bad)
            return tac__frame_end(f, err);
        if (!k->message_max || k->message_max > s->def.message_max)
            k->message_max = s->def.message_max;
        k->name = tac__arena_text(arena, text[0]);
        k->inlet = tac__arena_text(arena, text[1]);
        k->type = tac__arena_text(arena, text[2]);
        k->end = k->port ? k->inlet : tac__arena_format(arena, "%s/%s", name, text[1]);
        if (!k->name || !k->inlet || !k->type || !k->end)
            return tac__fail_memory(err);
    }
    return TAC_OK;
}

// --- names of channels --------------------------------------------------------------------------

static int by_text(const void *a, const void *b)
{
    const tac__fed_name *x = a, *y = b;
    return strcmp(x->text, y->text);
}

// Sorted and not hashed: a client chooses the names, and could choose such as all have one hash.
static tac_status sort_published(tac__fed_client *c, tac_error *err)
{
    const uint32_t count = c->published_count;
    c->by_name = tac__arena_array(&c->arena, (size_t)count + 1, sizeof *c->by_name);
    if (!c->by_name)
        return tac__fail_memory(err);
    for (uint32_t i = 0; i < count; i++)
        c->by_name[i] = (tac__fed_name){c->published[i].name, i};
    if (count)
        qsort(c->by_name, count, sizeof *c->by_name, by_text);
    for (uint32_t i = 1; i < count; i++) {
        if (!by_text(&c->by_name[i - 1], &c->by_name[i]))
            return tac__fail(err, TAC_E_DUPLICATE, "channel '%s' is declared twice",
                             c->by_name[i].text);
    }
    return TAC_OK;
}

// NULL: it does not publish this.
static const tac__fed_name *find_published(const tac__fed_client *c, const char *name)
{
    const tac__fed_name key = {name, 0};
    return c->published_count ? bsearch(&key, c->by_name, c->published_count, sizeof key, by_text)
                              : NULL;
}

// The channels of a client to which a subscription leads, in their order: a search for a name, a
// look at all for a pattern.
typedef struct matches {
    const tac__fed_client *of;
    const char *wanted;
    bool pattern;
    uint32_t next;
    uint64_t steps; // characters of patterns that were compared
} matches;

static matches matches_begin(const tac__fed_client *of, const char *wanted)
{
    return (matches){.of = of, .wanted = wanted, .pattern = strpbrk(wanted, "*?") != NULL};
}

static bool matches_next(matches *m, uint32_t *number)
{
    if (!m->pattern) {
        const tac__fed_name *found = m->next++ ? NULL : find_published(m->of, m->wanted);
        *number = found ? found->number : 0;
        return found;
    }
    while (m->next < m->of->published_count) {
        *number = m->next++;
        if (tac__glob_match_counted(m->wanted, m->of->published[*number].name, &m->steps))
            return true;
    }
    return false;
}

// --- fitting in ---------------------------------------------------------------------------------

// Whether a publisher and a subscriber mean the same by a channel.
static tac_status check_types(const tac__fed_client *from, const tac__fed_channel *out,
                              const tac__fed_client *to, const tac__fed_channel *in, tac_error *err)
{
    const bool types = *out->type && *in->type && strcmp(out->type, in->type) != 0;
    const bool prints = out->fingerprint && in->fingerprint && out->fingerprint != in->fingerprint;
    if (!types && !prints)
        return TAC_OK;
    return tac__fail(err, TAC_E_TYPE,
                     "'%s' publishes '%s' as %s (%016llx), but '%s' expects %s (%016llx)",
                     from->name, out->name, *out->type ? out->type : "any type",
                     (unsigned long long)out->fingerprint, to->name,
                     *in->type ? in->type : "any type", (unsigned long long)in->fingerprint);
}

// Whether LCM can carry the names under which messages are published for everyone.
static tac_status check_public(const tac__server *s, const tac__fed_client *of,
                               const tac__fed_channel *k, const tac__fed_client *named,
                               tac_error *err)
{
    const size_t length = strlen(k->name), whole = length + 1 + strlen(named->name);
    if (whole <= TAC__LCM_CHANNEL_MAX || (!s->def.lcm && !s->def.lcm_log))
        return TAC_OK;
    return tac__fail(err, TAC_E_LIMIT,
                     "channel '%s' of '%s' has %zu characters, and %zu with '%s' behind it, as the "
                     "server publishes it with LCM, which allows %d",
                     k->name, of->name, length, whole, named->name, TAC__LCM_CHANNEL_MAX);
}

// `*steps`: for patterns so far.
static tac_status check_subscriptions(const tac__server *s, const tac__fed_client *from,
                                      const tac__fed_client *to, uint64_t *steps, tac_error *err)
{
    for (uint32_t k = 0; k < to->subscribed_count; k++) {
        matches m = matches_begin(from, to->subscribed[k].name);
        for (uint32_t i; matches_next(&m, &i);) {
            const tac__fed_channel *out = &from->published[i];
            TAC_TRY(check_types(from, out, to, &to->subscribed[k], err));
            TAC_TRY(check_public(s, from, out, to, err));
        }
        *steps += m.steps;
        if (*steps > STEPS_MAX)
            return tac__fail(err, TAC_E_LIMIT,
                             "to compare the %u subscriptions of '%s' with the %u channels of '%s' "
                             "takes more than %d steps: subscribe to fewer patterns, or to names "
                             "without * and ?",
                             to->subscribed_count, to->name, from->published_count, from->name,
                             (int)STEPS_MAX);
    }
    return TAC_OK;
}

static tac_status check_ports(const tac__fed_client *a, const tac__fed_client *b, tac_error *err)
{
    for (uint32_t i = 0; i < a->published_count; i++) {
        const tac__fed_channel *k = &a->published[i];
        const tac__fed_name *other = find_published(b, k->name);
        if (other && (k->port || b->published[other->number].port))
            return tac__fail(err, TAC_E_DUPLICATE, "'%s' and '%s' both have the port '%s'", a->name,
                             b->name, k->name);
    }
    return TAC_OK;
}

// Whether a client fits in with those that are there.
static tac_status check_others(const tac__server *s, const tac__fed_client *c, tac_error *err)
{
    uint64_t steps = 0;
    for (uint32_t i = 0; i < c->published_count; i++)
        TAC_TRY(check_public(s, c, &c->published[i], c, err));
    for (size_t i = 0; i < s->def.count; i++) {
        const tac__fed_client *other = &s->clients[i];
        if (other->state == TAC__FED_ABSENT)
            continue;
        TAC_TRY(check_subscriptions(s, other, c, &steps, err));
        TAC_TRY(check_subscriptions(s, c, other, &steps, err));
        TAC_TRY(check_ports(other, c, err));
    }
    return TAC_OK;
}

static tac_status find_place(const tac__server *s, const char *name, int *number, tac_error *err)
{
    *number = find_client(s, name);
    if (*number < 0) {
        (void)tac__fail(err, TAC_E_NAME, "this federation has no client '%s'", name);
        tac__error_suggest(err, name, name_at, s);
        return TAC_E_NAME;
    }
    if (s->state != TAC__SERVER_JOINING)
        return tac__fail(err, TAC_E_CALLER, "the federation has started: nobody can join any more");
    if (s->clients[*number].state != TAC__FED_ABSENT)
        return tac__fail(err, TAC_E_DUPLICATE, "there is a client '%s' already", name);
    return TAC_OK;
}

void tac__fed_take_hello(tac__server *s, int at, tac__frame *f)
{
    tac__fed_connection *k = s->connections[at];
    char name[TAC__WIRE_NAME_MAX + 1], program[TAC__WIRE_NAME_MAX + 1];
    const uint32_t magic = tac__frame_u32(f);
    const unsigned version = tac__frame_u16(f);
    tac_error own;
    if (f->bad || magic != TAC__WIRE_MAGIC) {
        tac__fed_refuse(k, "not a HELLO of the federation protocol");
        return;
    }
    if (version != TAC__WIRE_VERSION) {
        (void)tac__fail(&own, TAC_E_PROTOCOL,
                        "the client speaks version %u of the protocol, this server version %d",
                        version, (int)TAC__WIRE_VERSION);
        tac__fed_refuse(k, own.text);
        return;
    }
    const uint16_t beat = tac__frame_u16(f);
    (void)tac__frame_text(f, name, sizeof name);
    (void)tac__frame_text(f, program, sizeof program);
    int number = -1;
    tac__fed_client joined = {
        .connection = at, .limit = -1, .beat_ms = 100u * beat, .told_ms = s->clock_ms};
    tac__arena_init(&joined.arena, s->allocator);
    tac_status status = f->bad ? tac__frame_end(f, &own) : find_place(s, name, &number, &own);
    if (status == TAC_OK)
        status = read_channels(s, &joined.arena, f, name, false, &joined.published,
                               &joined.published_count, &own);
    if (status == TAC_OK)
        status = read_channels(s, &joined.arena, f, name, true, &joined.subscribed,
                               &joined.subscribed_count, &own);
    if (status == TAC_OK)
        status = tac__frame_end(f, &own);
    if (status == TAC_OK)
        status = sort_published(&joined, &own);
    if (status == TAC_OK) {
        joined.name = s->clients[number].name;
        joined.trace = s->clients[number].trace;
        status = check_others(s, &joined, &own);
    }
    if (status != TAC_OK) {
        tac__arena_fini(&joined.arena);
        tac__fed_refuse(k, own.text);
        return;
    }
    for (uint32_t i = 0; i < joined.published_count; i++) {
        tac__fed_channel *out = &joined.published[i];
        out->number = s->def.number ? s->def.number(s->def.context, (size_t)number, out->name)
                                    : (uint64_t)number;
    }
    joined.state = TAC__FED_RUNNING;
    joined.heard = true;
    s->clients[number] = joined;
    k->client = number;
    s->joined++;
    s->ready = true;
    tac__wire w = tac__wire_begin(&k->out, TAC__FRAME_WELCOME);
    tac__wire_u16(&w, TAC__WIRE_VERSION);
    tac__wire_u16(&w, beat);
    tac__wire_u32(&w, (uint32_t)number);
    tac__wire_u32(&w, (uint32_t)s->def.count);
    tac__wire_u32(&w, s->def.message_max);
    tac__wire_u64(&w, s->def.seed);
    tac__wire_u64(&w, s->def.end_us);
    tac__wire_end(&w);
}

// --- starting -----------------------------------------------------------------------------------

// The law of a link. `*none`: the two ends have nothing to do with each other.
static tac_status find_law(const tac__server *s, const tac__fed_link *l, tac_link_law *law,
                           bool *none, tac_error *err)
{
    const tac__fed_channel *out = &s->clients[l->from].published[l->channel];
    const tac__fed_channel *in = &s->clients[l->to].subscribed[l->subscription];
    const tac_link_ends ends = {
        .from = l->from, .to = l->to, .channel = out->name, .inlet = in->inlet};
    const tac_link_law *given = s->def.law ? s->def.law(s->def.context, &ends) : NULL;
    tac_link_law fallback = tac_link_law_default();
    *none = !given && s->def.delay_us == TAC_TIME_NEVER;
    if (*none)
        return TAC_OK;
    fallback.min_us = s->def.delay_us;
    if (!given && !s->def.delay_us)
        return tac__fail(err, TAC_E_CONFIG, "no delay is given for messages from '%s' to '%s'",
                         out->end, in->end);
    *law = given ? *given : fallback;
    const tac_status status = tac__link_check(law, NULL, err);
    if (status != TAC_OK)
        tac__error_context(err, "linking '%s' to '%s'", out->end, in->end);
    return status;
}

static tac_status add_link(tac__server *s, uint32_t from, uint32_t out, uint32_t to, uint32_t in,
                           tac_error *err)
{
    tac__fed_client *a = &s->clients[from], *b = &s->clients[to];
    tac__fed_channel *source = &a->published[out];
    tac__fed_link l = {
        .from = from, .to = to, .channel = out, .subscription = in, .number = b->in_count};
    bool none;
    TAC_TRY(find_law(s, &l, &l.law, &none, err));
    if (none)
        return TAC_OK;
    l.key = tac__link_key(s->def.seed, source->end, b->subscribed[in].end);
    l.plain = tac__link_plain(&l.law);
    if (s->link_count == LINKS_MAX)
        return tac__fail(err, TAC_E_PROTOCOL, "there are more than %d links", (int)LINKS_MAX);
    if (!TAC__ARENA_GROW(&s->arena, s->links, s->link_count, s->link_capacity) ||
        !TAC__ARENA_GROW(&s->arena, source->links, source->link_count, source->link_capacity))
        return tac__fail_memory(err);
    source->links[source->link_count++] = (uint32_t)s->link_count;
    b->in_count++;
    if (tac__link_least_us(&l.law) < s->least_us)
        s->least_us = tac__link_least_us(&l.law);
    s->links[s->link_count++] = l;
    return TAC_OK;
}

static tac_status make_links(tac__server *s, tac_error *err)
{
    s->least_us = TAC_TIME_NEVER;
    for (uint32_t to = 0; to < s->def.count; to++) {
        const tac__fed_client *b = &s->clients[to];
        for (uint32_t in = 0; in < b->subscribed_count; in++) {
            bool any = false;
            for (uint32_t from = 0; from < s->def.count; from++) {
                const tac__fed_client *a = &s->clients[from];
                matches m = matches_begin(a, b->subscribed[in].name);
                for (uint32_t out; from != to && matches_next(&m, &out);) {
                    any = true;
                    TAC_TRY(add_link(s, from, out, to, in, err));
                }
            }
            if (!any) {
                tac_error own;
                (void)tac__fail(&own, TAC_E_NAME,
                                "'%s' subscribes to '%s', which no other client publishes", b->name,
                                b->subscribed[in].name);
                tac__wire_one_line(own.text, sizeof own.text);
                tac__fed_log_text(s, own.text);
            }
        }
    }
    // The links that lead to each client, side by side.
    uint32_t *in = tac__arena_array(&s->arena, s->link_count + 1, sizeof *in);
    if (!in)
        return tac__fail_memory(err);
    for (size_t i = 0, used = 0; i < s->def.count; used += s->clients[i++].in_count)
        s->clients[i].in = in + used;
    for (uint32_t i = 0; i < s->link_count; i++)
        s->clients[s->links[i].to].in[s->links[i].number] = i;
    return TAC_OK;
}

void tac__fed_start(tac__server *s)
{
    tac_error own;
    if (make_links(s, &own) != TAC_OK) {
        tac__fed_fail(s, "", 0, &own);
        return;
    }
    for (size_t i = 0; i < s->def.count; i++) {
        tac__fed_client *c = &s->clients[i];
        c->heard = true; // until now nothing was expected of it
        tac__bytes *out = &s->connections[c->connection]->out;
        const size_t before = tac__bytes_count(out);
        tac__wire w = tac__wire_begin(out, TAC__FRAME_START);
        tac__wire_u32(&w, c->in_count);
        for (uint32_t k = 0; k < c->in_count; k++) {
            const tac__fed_link *l = &s->links[c->in[k]];
            tac__wire_u32(&w, l->subscription);
            tac__wire_text(&w, s->clients[l->from].name);
            tac__wire_text(&w, s->clients[l->from].published[l->channel].name);
        }
        tac__wire_end(&w);
        if (tac__bytes_count(out) - before > TAC__WIRE_FRAME_MAX) {
            tac__bytes_drop(out, tac__bytes_count(out) - before);
            (void)tac__fail(&own, TAC_E_PROTOCOL, "%u links lead to '%s': too many for one frame",
                            c->in_count, c->name);
            tac__fed_fail(s, "", 0, &own);
            return;
        }
    }
    s->state = TAC__SERVER_FIRST_TICK;
}
