// engine_client.c - an engine as a client: its links to and from outside are channels. Everything
// goes through <tactus/outside.h>: what any program could do with an engine.
//
// The engine is at its open time; the client polls there, is authorised to a later time, and
// advances to it with a stop wherever a message arrives. Messages wait in the client until then, so
// the engine has no message that came early: when a message became known leaves no trace, neither
// in the bits nor in a checkpoint, and a port is full when that of one engine that holds all the
// models would be. On their way messages are messages of LCM (bus/lcm_message.h), which any program
// that speaks LCM can read.
#include "federation/join.h"

#include <tactus/outside.h>

#include <stdlib.h>
#include <string.h>

enum {
    PIECE_US = 1000,        // of wall time: much longer than telling the server takes
    PIECE_FIRST_US = 10000, // of simulated time, until it is known how long a piece takes
    PIECE_MAX_US = 1 << 30,
};

// --- channels -----------------------------------------------------------------------------------

static bool is_outside(const char *end)
{
    return !strcmp(end, "outside");
}

// Room for a message in the scratch memory.
static tac_status make_room(tac_client *c, size_t size, tac_error *err)
{
    if (size <= c->scratch_size)
        return TAC_OK;
    uint8_t *scratch = realloc(c->scratch, 2 * size);
    if (!scratch)
        return tac__fail_memory(err);
    c->scratch = scratch;
    c->scratch_size = 2 * size;
    return TAC_OK;
}

// A port that leads to several receivers elsewhere has several links, but one channel.
static tac_status add_outlet(tac_client *c, const tac_link_info *link, tac_error *err)
{
    if (tac__names_find(&c->channels, link->channel) >= 0)
        return TAC_OK;
    const int sender = tac_engine_find_sender(c->engine, link->from, err);
    if (sender < 0)
        return TAC_E_NAME;
    tac__engine_outlet *o = &c->outlets[c->outlet_count];
    o->kind = tac_engine_sender_info(c->engine, sender).numbers ? TAC__LCM_NUMBERS : TAC__LCM_BYTES;
    tac_channel_def def = tac_channel_def_default();
    def.channel = link->channel;
    def.port = !strcmp(link->channel, link->from);
    def.type = tac__lcm_message_type(o->kind);
    def.fingerprint = tac__lcm_message_fingerprint(o->kind);
    TAC_TRY(tac_client_publish(c, &def, &o->number, err));
    if (tac__names_set(&c->channels, &c->arena, link->channel, c->outlet_count) != TAC_OK)
        return tac__fail_memory(err);
    c->outlet_count++;
    return TAC_OK;
}

static tac_status add_inlet(tac_client *c, const tac_link_info *link, tac_error *err)
{
    tac__engine_inlet *in = &c->inlets[c->inlet_count];
    *in = (tac__engine_inlet){link->channel, tac_engine_find_receiver(c->engine, link->to, err)};
    if (in->receiver < 0)
        return TAC_E_NAME;
    tac_channel_def def = tac_channel_def_default();
    def.channel = link->channel;
    def.inlet = link->to;
    def.port = true;
    uint32_t number;
    TAC_TRY(tac_client_subscribe(c, &def, &number, err));
    c->first_inlet = number - c->inlet_count++;
    return TAC_OK;
}

static void send_on(void *context, const tac_sent *m)
{
    tac_client *c = context;
    const int found = tac__names_find(&c->channels, m->channel);
    if (c->sent.status != TAC_OK || found < 0)
        return;
    const tac__engine_outlet *o = &c->outlets[found];
    const size_t size = m->size + TAC__LCM_MESSAGE_EXTRA;
    tac_status status = make_room(c, size, &c->sent);
    if (status == TAC_OK)
        status = tac__lcm_message_encode(o->kind, m->bytes, m->size, c->scratch, &c->sent);
    if (status == TAC_OK)
        status = tac__client_send(c->machine, o->number, m->sent_us, TAC_TIME_NEVER, m->sequence,
                                  c->scratch, size, &c->sent);
    if (status == TAC_OK)
        status = tac__join_relieve(c, &c->sent);
    if (status != TAC_OK)
        tac_engine_stop(c->engine);
}

tac_status tac_client_add_engine(tac_client *c, tac_engine *engine, tac_error *err)
{
    TAC_REQUIRE(c && engine);
    if (c->engine || c->lcm)
        return tac__fail(err, TAC_E_CALLER, "the client has %s already",
                         c->engine ? "an engine" : "LCM");
    const size_t links = tac_engine_link_count(engine);
    c->outlets = tac__arena_array(&c->arena, links + 1, sizeof *c->outlets);
    c->inlets = tac__arena_array(&c->arena, links + 1, sizeof *c->inlets);
    if (!c->outlets || !c->inlets)
        return tac__fail_memory(err);
    c->engine = engine;
    for (size_t i = 0; i < links; i++) {
        const tac_link_info link = tac_engine_link_info(engine, i);
        if (is_outside(link.to))
            TAC_TRY(add_outlet(c, &link, err));
        else if (is_outside(link.from))
            TAC_TRY(add_inlet(c, &link, err));
    }
    return tac_engine_add_send_watcher(engine, send_on, c, err);
}

// --- running ------------------------------------------------------------------------------------

// The message that a port understands: numbers and bytes come encoded as such.
static tac_status decode(tac_client *c, const tac_delivery *d, size_t *length, tac_error *err)
{
    TAC_TRY(make_room(c, d->length, err));
    if (tac__lcm_message_decode(TAC__LCM_NUMBERS, d->bytes, d->length, c->scratch, length, NULL) ==
            TAC_OK ||
        tac__lcm_message_decode(TAC__LCM_BYTES, d->bytes, d->length, c->scratch, length, NULL) ==
            TAC_OK)
        return TAC_OK;
    return tac__fail(
        err, TAC_E_TYPE,
        "a message of '%s' on '%s' is neither %s nor %s, which ports of an engine take", d->sender,
        d->channel, tac__lcm_message_type(TAC__LCM_NUMBERS), tac__lcm_message_type(TAC__LCM_BYTES));
}

// Hand the engine what arrives up to and including `until_us`.
static tac_status post_until(tac_client *c, tac_time until_us, tac_error *err)
{
    tac_delivery d;
    while (tac__client_receive(c->machine, until_us, &d)) {
        bool taken;
        TAC_TRY(tac__groups_take(c->groups, c->engine, &d, &taken, err));
        if (taken)
            continue;
        if (d.subscription - c->first_inlet >= c->inlet_count)
            return tac__fail(err, TAC_E_PROTOCOL, "a message for no port of the engine");
        const tac__engine_inlet *in = &c->inlets[d.subscription - c->first_inlet];
        tac_post_def post = tac_post_def_default();
        post.t_us = d.delivered_us;
        post.sent_us = d.sent_us;
        post.sequence = d.sequence;
        post.channel = in->channel;
        post.copy = d.copy;
        TAC_TRY(decode(c, &d, &post.length, err));
        post.bytes = c->scratch;
        TAC_TRY(tac_engine_post(c->engine, in->receiver, &post, err));
    }
    return TAC_OK;
}

static tac_status advance_engine(tac_client *c, tac_time to_us, tac_error *err)
{
    const tac_status status = tac_engine_advance(c->engine, to_us, err);
    if (c->sent.status == TAC_OK)
        return status;
    if (err)
        *err = c->sent;
    return c->sent.status;
}

static tac_time earlier(tac_time a, tac_time b)
{
    return a < b ? a : b;
}

// The same, with a stop wherever a message arrives or a group of signals is to be sampled.
static tac_status advance_piece(tac_client *c, tac_time to_us, tac_error *err)
{
    for (;;) {
        TAC_TRY(post_until(c, tac_engine_open_time(c->engine), err));
        const tac_time sample_us = tac__groups_next(c->groups);
        tac_time stop_us = earlier(to_us, tac__client_next_mail(c->machine));
        if (sample_us < stop_us)
            stop_us = sample_us + 1;
        TAC_TRY(advance_engine(c, stop_us, err));
        TAC_TRY(tac__groups_sample(c->groups, c, err));
        if (stop_us == to_us)
            return TAC_OK;
    }
}

// Before this time the client sends nothing unless something arrives. Messages that wait in the
// client are added by the client itself.
static tac_time next_event(const tac_client *c)
{
    return earlier(tac_engine_next_event(c->engine), tac__groups_next(c->groups));
}

// Advance to `to_us` in pieces of about PIECE_US of wall time. After each, what was sent is written
// and the server is told how far the engine has come, so that others need not wait for the rest.
static tac_status advance(tac_client *c, tac_time to_us, tac_error *err)
{
    for (;;) {
        const tac_time from_us = tac_engine_open_time(c->engine);
        if (to_us - from_us <= c->piece_us)
            return advance_piece(c, to_us, err);
        const uint64_t begun_us = tac__clock_us();
        TAC_TRY(advance_piece(c, from_us + c->piece_us, err));
        const uint64_t took_us = tac__clock_us() - begun_us;
        if (took_us < PIECE_US / 2 && c->piece_us < PIECE_MAX_US)
            c->piece_us *= 2;
        else if (took_us > 2 * PIECE_US && c->piece_us > 1)
            c->piece_us /= 2;
        TAC_TRY(tac__join_look(c, err));
        TAC_TRY(
            tac__client_notify(c->machine, tac_engine_open_time(c->engine), next_event(c), err));
        TAC_TRY(tac__join_flush(c, err));
    }
}

static tac_status run_engine(tac_client *c, tac_error *err)
{
    bool over;
    const tac_time own_us = tac_engine_end_time(c->engine), end_us = tac_client_info(c).end_us;
    if (own_us < end_us)
        return tac__fail(
            err, TAC_E_CONFIG,
            "the simulation of '%s' ends at %s, but the federation at %s: it must last "
            "as long",
            tac__client_name(c->machine), TAC__SHOWN(own_us), TAC__SHOWN(end_us));
    c->piece_us = PIECE_FIRST_US;
    TAC_TRY(tac_client_poll(c, 0, next_event(c), &over, err));
    while (!over) {
        const tac_membership m = tac_client_info(c);
        const tac_time to_us = m.granted_us <= m.end_us ? m.granted_us : m.end_us + 1;
        TAC_TRY(advance(c, to_us, err));
        TAC_TRY(tac_client_poll(c, to_us, next_event(c), &over, err));
    }
    return post_until(c, TAC_TIME_NEVER, err); // on the way at the end
}

static tac_status hand_in(tac_client *c, tac_error *err)
{
    uint64_t digest;
    const char *name;
    for (size_t i = 0; (name = tac_engine_digest(c->engine, i, &digest)); i++)
        TAC_TRY(tac_client_result(c, name, digest, err));
    return tac_client_finish(c, err);
}

tac_status tac_client_run(tac_client *c, tac_error *err)
{
    TAC_REQUIRE(c);
    if (!c->engine)
        return tac__fail(err, TAC_E_CALLER, "the client has no engine");
    tac_error own;
    tac_status status = run_engine(c, &own);
    if (status == TAC_OK)
        status = hand_in(c, &own);
    if (status != TAC_OK) {
        tac_client_abort(c, own.text);
        if (err)
            *err = own;
    }
    return status;
}
