// client.c - a client of a federation: what it may say when, and what it has been told.
//
// Invariants: the promise is never before the time reached; a grant never decreases; messages come
// in the order of their delivery times and never before the grant that was there when they came;
// nothing is sent before the next own event that was stated, unless a message has arrived since.
// Once failed, the client stays failed with the first error.
#include "federation/client.h"

#include "base/arena.h"
#include "base/names.h"
#include "base/text.h"

#include <string.h>

typedef struct channel {
    const char *name, *inlet, *type;
    uint64_t fingerprint;
    uint64_t sequence; // least one that the next message may have
    uint32_t message_max;
    bool port;
} channel;

// A channel of another client that leads to a subscription of this one.
typedef struct source {
    uint32_t subscription;
    const char *sender, *channel;
} source;

typedef struct list {
    channel *all;
    size_t count;
    TAC__CAPACITY(channel) capacity;
    tac__names known; // each as channel and inlet
} list;

struct tac__client {
    tac__arena arena;
    const char *name;
    tac__client_state state;
    list published, subscribed;
    source *sources;
    uint32_t source_count;
    bool started;
    uint16_t beat; // how often the server is to be heard, in tenths of a second; 0: as it likes
    tac__bytes in, out;
    tac__bytes mail; // frames of messages that have come and have not been taken
    size_t seen;     // length of the frame at the front of `mail` that was shown; taken off next
    uint32_t message_max;
    bool polled;
    tac_time polled_us; // of the last poll
    tac_time stated_us; // latest next own event that was stated since a message was last taken
    tac_time sent_us;   // of the last message sent
    tac_time last_us;   // delivery time of the last message received
    tac_membership info;
    tac_error error;
};

tac_status tac__client_create(const tac_allocator *allocator, const char *name,
                              tac__client **client, tac_error *err)
{
    tac__arena arena;
    if (!allocator)
        allocator = tac_allocator_default();
    if (!*name || strlen(name) > TAC__WIRE_NAME_MAX)
        return tac__fail(err, TAC_E_NAME, "the name of a client has 1 to %d bytes, not %zu",
                         (int)TAC__WIRE_NAME_MAX, strlen(name));
    tac__arena_init(&arena, allocator);
    tac__client *c = tac__arena_alloc(&arena, sizeof *c);
    char *copy = tac__arena_text(&arena, name);
    if (!c || !copy) {
        tac__arena_fini(&arena);
        return tac__fail_memory(err);
    }
    c->arena = arena;
    c->name = copy;
    c->message_max = TAC__WIRE_MESSAGE_MAX;
    tac__bytes_init(&c->in, allocator);
    tac__bytes_init(&c->out, allocator);
    tac__bytes_init(&c->mail, allocator);
    *client = c;
    return TAC_OK;
}

void tac__client_destroy(tac__client *c)
{
    if (!c)
        return;
    tac__bytes_fini(&c->in);
    tac__bytes_fini(&c->out);
    tac__bytes_fini(&c->mail);
    tac__arena arena = c->arena;
    tac__arena_fini(&arena);
}

// --- failure ------------------------------------------------------------------------------------

static tac_status fail(tac__client *c, const tac_error *why, tac_error *err)
{
    if (c->state != TAC__CLIENT_FAILED) {
        c->state = TAC__CLIENT_FAILED;
        c->error = *why;
        tac__error_run(&c->error, c->info.reached_us, c->name);
    }
    if (err)
        *err = c->error;
    return c->error.status;
}

tac_status tac__client_error(const tac__client *c, tac_error *err)
{
    if (c->state != TAC__CLIENT_FAILED)
        return TAC_OK;
    if (err)
        *err = c->error;
    return c->error.status;
}

// A call at a moment at which it is not allowed.
static tac_status moment(const tac__client *c, const char *call, const char *when, tac_error *err)
{
    TAC_TRY(tac__client_error(c, err));
    return tac__fail(err, TAC_E_CALLER, "%s: %s", call, when);
}

static tac_status written(tac__client *c, tac_error *err)
{
    if (!c->out.failed)
        return TAC_OK;
    tac_error none;
    (void)tac__fail_memory(&none);
    return fail(c, &none, err);
}

// --- declaring ----------------------------------------------------------------------------------

static tac_status check_name(const char *what, const char *text, tac_error *err)
{
    if (!text || !*text || strlen(text) > TAC__WIRE_NAME_MAX)
        return tac__fail(err, TAC_E_NAME, "the name of %s has 1 to %d bytes", what,
                         (int)TAC__WIRE_NAME_MAX);
    return TAC_OK;
}

static tac_status declare(tac__client *c, list *l, const tac_channel_def *def, uint32_t *number,
                          tac_error *err)
{
    const char *inlet = def->inlet ? def->inlet : def->channel, *type = def->type ? def->type : "";
    if (c->state != TAC__CLIENT_DECLARING)
        return moment(c, "declaring a channel", "the client has joined already", err);
    TAC_TRY(check_name("a channel", def->channel, err));
    TAC_TRY(check_name("an inlet", inlet, err));
    if (*type)
        TAC_TRY(check_name("a type", type, err));
    const char *key =
        tac__arena_format(&c->arena, "%zu %s%s", strlen(def->channel), def->channel, inlet);
    if (key && tac__names_find(&l->known, key) >= 0)
        return tac__fail(err, TAC_E_DUPLICATE, "channel '%s' is declared twice", def->channel);
    if (!key || !TAC__ARENA_GROW(&c->arena, l->all, l->count, l->capacity) ||
        tac__names_set(&l->known, &c->arena, key, (uint32_t)l->count) != TAC_OK)
        return tac__fail_memory(err);
    channel *k = &l->all[l->count];
    *k = (channel){.name = tac__arena_text(&c->arena, def->channel),
                   .inlet = tac__arena_text(&c->arena, inlet),
                   .type = tac__arena_text(&c->arena, type),
                   .fingerprint = def->fingerprint,
                   .message_max = def->message_max,
                   .port = def->port};
    if (!k->name || !k->inlet || !k->type)
        return tac__fail_memory(err);
    *number = (uint32_t)l->count++;
    return TAC_OK;
}

tac_status tac__client_publish(tac__client *c, const tac_channel_def *def, uint32_t *number,
                               tac_error *err)
{
    return declare(c, &c->published, def, number, err);
}

tac_status tac__client_subscribe(tac__client *c, const tac_channel_def *def, uint32_t *number,
                                 tac_error *err)
{
    return declare(c, &c->subscribed, def, number, err);
}

static void put_channels(tac__wire *w, const list *l, bool inlets)
{
    tac__wire_u32(w, (uint32_t)l->count);
    for (size_t i = 0; i < l->count; i++) {
        const channel *k = &l->all[i];
        tac__wire_u32(w, k->port);
        tac__wire_text(w, k->name);
        if (inlets)
            tac__wire_text(w, k->inlet);
        tac__wire_text(w, k->type);
        tac__wire_u64(w, k->fingerprint);
        tac__wire_u32(w, k->message_max);
    }
}

void tac__client_want_beat(tac__client *c, uint16_t tenths)
{
    c->beat = tenths;
}

tac_status tac__client_join(tac__client *c, tac_error *err)
{
    if (c->state != TAC__CLIENT_DECLARING)
        return moment(c, "joining", "the client has joined already", err);
    tac__wire w = tac__wire_begin(&c->out, TAC__FRAME_HELLO);
    tac__wire_u32(&w, TAC__WIRE_MAGIC);
    tac__wire_u16(&w, TAC__WIRE_VERSION);
    tac__wire_u16(&w, c->beat);
    tac__wire_text(&w, c->name);
    tac__wire_text(&w, "tactus " TAC_VERSION);
    put_channels(&w, &c->published, false);
    put_channels(&w, &c->subscribed, true);
    tac__wire_end(&w);
    c->state = TAC__CLIENT_JOINING;
    return written(c, err);
}

// --- sending ------------------------------------------------------------------------------------

static tac_status not_running(const tac__client *c, const char *call, tac_error *err)
{
    return moment(c, call,
                  c->state == TAC__CLIENT_DECLARING || c->state == TAC__CLIENT_JOINING
                      ? "the client has not joined yet"
                      : "the federation is over for this client",
                  err);
}

tac_status tac__client_send(tac__client *c, uint32_t number, tac_time t_us, tac_time delivered_us,
                            uint64_t sequence, const void *bytes, size_t length, tac_error *err)
{
    if (c->state != TAC__CLIENT_RUNNING)
        return not_running(c, "sending", err);
    if (number >= c->published.count)
        return tac__fail(err, TAC_E_NAME, "there is no channel number %u", number);
    channel *k = &c->published.all[number];
    if (t_us < c->info.promise_us) {
        return tac__fail(err, TAC_E_PROMISE,
                         "a message on '%s' is sent at %s, but '%s' has promised to send nothing "
                         "before %s",
                         k->name, TAC__SHOWN(t_us), c->name, TAC__SHOWN(c->info.promise_us));
    }
    if (!c->polled && t_us)
        return tac__fail(err, TAC_E_RANGE,
                         "a message on '%s' is sent at %s, but '%s' has not polled yet: before its "
                         "first poll, which is at %s, messages are sent at %s",
                         k->name, TAC__SHOWN(t_us), c->name, TAC__SHOWN(0), TAC__SHOWN(0));
    if (t_us < c->stated_us && tac__client_next_mail(c) > c->polled_us) {
        return tac__fail(err, TAC_E_PROMISE,
                         "a message on '%s' is sent at %s, but '%s' has stated at a poll that it "
                         "sends nothing before %s unless a message arrives, and none has",
                         k->name, TAC__SHOWN(t_us), c->name, TAC__SHOWN(c->stated_us));
    }
    if (t_us < c->sent_us) {
        return tac__fail(err, TAC_E_RANGE,
                         "a message on '%s' is sent at %s, after one that was sent at %s", k->name,
                         TAC__SHOWN(t_us), TAC__SHOWN(c->sent_us));
    }
    if (t_us > TAC_TIME_MAX || (delivered_us != TAC_TIME_NEVER && delivered_us <= t_us))
        return tac__fail(err, TAC_E_RANGE,
                         "a message on '%s' sent at %s must arrive after that, and times are at "
                         "most 2^62 us",
                         k->name, TAC__SHOWN(t_us));
    const uint32_t max =
        k->message_max && k->message_max < c->message_max ? k->message_max : c->message_max;
    if (length > max)
        return tac__fail(err, TAC_E_RANGE, "a message of %zu bytes on '%s'; at most %u are allowed",
                         length, k->name, max);
    if (sequence > TAC__WIRE_SEQUENCE_MAX)
        return tac__fail(
            err, TAC_E_RANGE, "message number %llu on '%s'; the last one that is possible is %llu",
            (unsigned long long)sequence, k->name, (unsigned long long)TAC__WIRE_SEQUENCE_MAX);
    if (sequence < k->sequence)
        return tac__fail(err, TAC_E_DUPLICATE, "message number %llu on '%s' was sent already",
                         (unsigned long long)sequence, k->name);
    k->sequence = sequence + 1;
    c->sent_us = t_us;
    c->info.sent++;
    const tac__wire_mail mail = {.sent_us = t_us,
                                 .sequence = sequence,
                                 .delivered_us = delivered_us,
                                 .channel = number,
                                 .bytes = bytes,
                                 .size = (uint32_t)length};
    tac__wire_put_mail(&c->out,
                       delivered_us == TAC_TIME_NEVER ? TAC__FRAME_SEND_MESSAGE
                                                      : TAC__FRAME_QUEUED_MESSAGE,
                       &mail);
    return written(c, err);
}

uint64_t tac__client_sequence(const tac__client *c, uint32_t number)
{
    return number < c->published.count ? c->published.all[number].sequence : 0;
}

tac_status tac__client_promise(tac__client *c, tac_time t_us, tac_error *err)
{
    if (c->state != TAC__CLIENT_RUNNING)
        return not_running(c, "promising", err);
    if (t_us <= c->info.promise_us) // nothing new
        return TAC_OK;
    c->info.promise_us = t_us;
    tac__wire_put_time(&c->out, TAC__FRAME_PROMISE_NO_SEND, t_us);
    return written(c, err);
}

// --- time ---------------------------------------------------------------------------------------

tac_time tac__client_next_mail(const tac__client *c)
{
    tac__frame f;
    size_t length;
    const size_t left = tac__bytes_count(&c->mail) - c->seen;
    if (!left || tac__frame_next(tac__bytes_front(&c->mail) + c->seen, left, TAC__FRAME_FROM_SERVER,
                                 &f, &length, NULL) != TAC_OK)
        return TAC_TIME_NEVER;
    return tac__frame_mail(&f).delivered_us;
}

static tac_status reach(tac__client *c, const char *call, tac_time t_us, tac_error *err)
{
    if (c->state != TAC__CLIENT_RUNNING)
        return not_running(c, call, err);
    if (t_us < c->info.reached_us || t_us > TAC_TIME_MAX) {
        return tac__fail(err, TAC_E_RANGE, "%s: '%s' cannot go from %s to %s", call, c->name,
                         TAC__SHOWN(c->info.reached_us), TAC__SHOWN(t_us));
    }
    if (t_us < c->sent_us) {
        return tac__fail(err, TAC_E_RANGE,
                         "%s: '%s' cannot come to %s after a message that it sent at %s", call,
                         c->name, TAC__SHOWN(t_us), TAC__SHOWN(c->sent_us));
    }
    c->info.reached_us = t_us;
    if (c->info.promise_us < t_us)
        c->info.promise_us = t_us;
    return TAC_OK;
}

static void put_clock(tac__client *c, tac__frame_type type, tac_time next_us)
{
    const tac_time mail_us = tac__client_next_mail(c);
    if (mail_us < next_us)
        next_us = mail_us;
    const tac__wire_clock clock = {.t_us = c->info.reached_us,
                                   .promise_us = c->info.promise_us,
                                   .next_us = next_us,
                                   .received = c->info.received};
    tac__wire_put_clock(&c->out, type, &clock);
}

// Keep the next own event that is stated. A statement holds until a message is taken, also where a
// later one states less.
static void state_next(tac__client *c, tac_time next_us)
{
    if (next_us > c->stated_us)
        c->stated_us = next_us;
}

tac_status tac__client_notify(tac__client *c, tac_time t_us, tac_time next_us, tac_error *err)
{
    TAC_TRY(reach(c, "notifying", t_us, err));
    state_next(c, next_us);
    put_clock(c, TAC__FRAME_NOTIFY_ADVANCE, next_us);
    return written(c, err);
}

tac_status tac__client_poll(tac__client *c, tac_time t_us, tac_time next_us, tac_error *err)
{
    if (c->state == TAC__CLIENT_OVER)
        return TAC_OK;
    TAC_TRY(reach(c, "polling", t_us, err));
    c->polled = true;
    c->polled_us = t_us;
    state_next(c, next_us);
    if (c->info.granted_us > t_us)
        return TAC_OK;
    put_clock(c, TAC__FRAME_POLL_WAIT, next_us);
    c->state = TAC__CLIENT_WAITING;
    return written(c, err);
}

bool tac__client_receive(tac__client *c, tac_time until_us, tac_delivery *d)
{
    tac__bytes_take(&c->mail, c->seen);
    c->seen = 0;
    tac__frame f;
    size_t length;
    if (!tac__bytes_count(&c->mail) ||
        tac__frame_next(tac__bytes_front(&c->mail), tac__bytes_count(&c->mail),
                        TAC__FRAME_FROM_SERVER, &f, &length, NULL) != TAC_OK)
        return false;
    const tac__wire_mail m = tac__frame_mail(&f);
    if (m.delivered_us > until_us)
        return false;
    const source *from = &c->sources[m.channel];
    *d = (tac_delivery){.subscription = from->subscription,
                        .copy = m.copy,
                        .sender = from->sender,
                        .channel = from->channel,
                        .sent_us = m.sent_us,
                        .delivered_us = m.delivered_us,
                        .sequence = m.sequence,
                        .bytes = m.bytes,
                        .length = m.size};
    c->seen = length;
    c->stated_us = 0;
    return true;
}

// --- the end ------------------------------------------------------------------------------------

tac_status tac__client_result(tac__client *c, const char *name, uint64_t digest, tac_error *err)
{
    if (c->state != TAC__CLIENT_OVER && c->state != TAC__CLIENT_RUNNING)
        return not_running(c, "handing in a result", err);
    if (!c->info.granted_us)
        return moment(c, "handing in a result", "the client has not polled yet", err);
    tac__wire w = tac__wire_begin(&c->out, TAC__FRAME_RESULT);
    tac__wire_u64(&w, digest);
    tac__wire_text(&w, name);
    tac__wire_end(&w);
    return written(c, err);
}

tac_status tac__client_finish(tac__client *c, tac_error *err)
{
    if (c->state == TAC__CLIENT_DONE)
        return TAC_OK;
    if (c->state != TAC__CLIENT_OVER && c->state != TAC__CLIENT_RUNNING)
        return not_running(c, "finishing", err);
    tac__wire_put_time(&c->out, TAC__FRAME_FINISH, c->info.reached_us);
    c->state = TAC__CLIENT_DONE;
    return written(c, err);
}

void tac__client_abort(tac__client *c, const char *why)
{
    if (c->state == TAC__CLIENT_DECLARING || c->state == TAC__CLIENT_DONE ||
        c->state == TAC__CLIENT_FAILED)
        return;
    tac__wire_put_end(&c->out, TAC__FRAME_ABORT, c->name, c->info.reached_us, why);
    tac_error own;
    (void)tac__fail(&own, TAC_E_FEDERATION, "%s", why);
    (void)fail(c, &own, NULL);
}

// --- frames from the server ---------------------------------------------------------------------

static tac_status unexpected(const tac__frame *f, tac_error *err)
{
    return tac__fail(err, TAC_E_PROTOCOL, "the server sent %s at the wrong moment",
                     tac__frame_name(f->type));
}

static tac_status take_welcome(tac__client *c, tac__frame *f, tac_error *err)
{
    if (c->state != TAC__CLIENT_JOINING)
        return unexpected(f, err);
    const unsigned version = tac__frame_u16(f);
    c->beat = tac__frame_u16(f);
    c->info.number = tac__frame_u32(f);
    c->info.clients = tac__frame_u32(f);
    c->message_max = tac__frame_u32(f);
    c->info.seed = tac__frame_u64(f);
    c->info.end_us = tac__frame_u64(f);
    TAC_TRY(tac__frame_end(f, err));
    if (c->info.end_us > TAC_TIME_MAX)
        return tac__fail(err, TAC_E_PROTOCOL, "the server gives an end after 2^62 us");
    if (version != TAC__WIRE_VERSION)
        return tac__fail(err, TAC_E_PROTOCOL,
                         "the server speaks version %u of the protocol, this client version %d",
                         version, (int)TAC__WIRE_VERSION);
    if (c->message_max > TAC__WIRE_MESSAGE_MAX)
        c->message_max = TAC__WIRE_MESSAGE_MAX;
    c->state = TAC__CLIENT_RUNNING;
    return TAC_OK;
}

static tac_status take_refusal(tac__frame *f, tac_error *err)
{
    char who[TAC__WIRE_NAME_MAX + 1], why[TAC_ERROR_TEXT];
    (void)tac__frame_u64(f);
    (void)tac__frame_text(f, who, sizeof who);
    (void)tac__frame_text(f, why, sizeof why);
    TAC_TRY(tac__frame_end(f, err));
    tac__wire_one_line(who, sizeof who);
    tac__wire_one_line(why, sizeof why);
    if (*who)
        return tac__fail(err, TAC_E_ENDED, "the federation ended: '%s': %s", who, why);
    return tac__fail(err, TAC_E_FEDERATION, "the server refuses this client: %s", why);
}

static tac_status take_abort(tac__frame *f, tac_error *err)
{
    char who[TAC__WIRE_NAME_MAX + 1], why[TAC_ERROR_TEXT];
    const tac_time t_us = tac__frame_u64(f);
    (void)tac__frame_text(f, who, sizeof who);
    (void)tac__frame_text(f, why, sizeof why);
    TAC_TRY(tac__frame_end(f, err));
    tac__wire_one_line(who, sizeof who);
    tac__wire_one_line(why, sizeof why);
    if (*who)
        return tac__fail(err, TAC_E_ENDED, "the federation ended: '%s' at %s: %s", who,
                         TAC__SHOWN(t_us), why);
    return tac__fail(err, TAC_E_ENDED, "the federation ended at %s: %s", TAC__SHOWN(t_us), why);
}

static tac_status take_start(tac__client *c, tac__frame *f, tac_error *err)
{
    const bool joined = c->state == TAC__CLIENT_RUNNING || c->state == TAC__CLIENT_WAITING;
    if (!joined || c->started)
        return unexpected(f, err);
    c->started = true;
    const uint32_t count = tac__frame_u32(f);
    if (count > (size_t)(f->end - f->body) / 8) // each takes at least 8 bytes
        f->bad = true;
    c->sources = f->bad ? NULL : tac__arena_array(&c->arena, (size_t)count + 1, sizeof *c->sources);
    if (!f->bad && !c->sources)
        return tac__fail_memory(err);
    for (uint32_t i = 0; i < count && !f->bad; i++) {
        char sender[TAC__WIRE_NAME_MAX + 1], name[TAC__WIRE_NAME_MAX + 1];
        c->sources[i].subscription = tac__frame_u32(f);
        (void)tac__frame_text(f, sender, sizeof sender);
        (void)tac__frame_text(f, name, sizeof name);
        c->sources[i].sender = tac__arena_text(&c->arena, sender);
        c->sources[i].channel = tac__arena_text(&c->arena, name);
        if (!c->sources[i].sender || !c->sources[i].channel)
            return tac__fail_memory(err);
        f->bad |= c->sources[i].subscription >= c->subscribed.count;
    }
    TAC_TRY(tac__frame_end(f, err));
    c->source_count = count;
    return TAC_OK;
}

static tac_status take_mail(tac__client *c, tac__frame *f, const uint8_t *frame, size_t length,
                            tac_error *err)
{
    tac__frame body = *f;
    const tac__wire_mail m = tac__frame_mail(&body);
    TAC_TRY(tac__frame_end(&body, err));
    if (!c->started || m.channel >= c->source_count || m.copy > 1)
        return unexpected(f, err);
    if (m.delivered_us < c->info.granted_us || m.delivered_us < c->last_us) {
        return tac__fail(err, TAC_E_PROTOCOL,
                         "a message of '%s' for %s comes too late: the client may have advanced to "
                         "%s",
                         c->sources[m.channel].sender, TAC__SHOWN(m.delivered_us),
                         TAC__SHOWN(c->info.granted_us));
    }
    c->last_us = m.delivered_us;
    c->info.received++;
    tac__bytes_copy(&c->mail, frame, length);
    return c->mail.failed ? tac__fail_memory(err) : TAC_OK;
}

static tac_status take_grant(tac__client *c, tac__frame *f, tac_error *err)
{
    tac_time t_us = tac__frame_u64(f);
    TAC_TRY(tac__frame_end(f, err));
    // The last grant again says that the server is alive; before the start it is 0.
    const bool joined = c->state != TAC__CLIENT_DECLARING && c->state != TAC__CLIENT_JOINING;
    if (!joined || t_us < c->info.granted_us || (!c->started && t_us))
        return unexpected(f, err);
    // After the end there is nothing to do: what waits there waits for FINISH.
    c->info.granted_us = t_us <= c->info.end_us ? t_us : c->info.end_us + 1;
    t_us = c->info.granted_us;
    if (c->state == TAC__CLIENT_WAITING && t_us > c->info.reached_us)
        c->state = TAC__CLIENT_RUNNING;
    return TAC_OK;
}

static tac_status take(tac__client *c, tac__frame *f, const uint8_t *frame, size_t length,
                       tac_error *err)
{
    switch (f->type) {
    case TAC__FRAME_WELCOME:
        return take_welcome(c, f, err);
    case TAC__FRAME_REFUSE:
        return take_refusal(f, err);
    case TAC__FRAME_START:
        return take_start(c, f, err);
    case TAC__FRAME_DELIVERED_MESSAGE:
        return take_mail(c, f, frame, length, err);
    case TAC__FRAME_AUTHORIZE_ADVANCE:
        return take_grant(c, f, err);
    case TAC__FRAME_ABORT:
        return take_abort(f, err);
    case TAC__FRAME_FINISH:
        if (c->state != TAC__CLIENT_WAITING && c->state != TAC__CLIENT_RUNNING)
            return unexpected(f, err);
        (void)tac__frame_u64(f);
        c->state = TAC__CLIENT_OVER;
        return tac__frame_end(f, err);
    default:
        return unexpected(f, err);
    }
}

tac_status tac__client_input(tac__client *c, const void *bytes, size_t count, tac_error *err)
{
    TAC_TRY(tac__client_error(c, err));
    tac__bytes_copy(&c->in, bytes, count);
    if (c->state == TAC__CLIENT_DONE) { // what is on its way does not concern this client any more
        tac__bytes_take(&c->in, tac__bytes_count(&c->in));
        return TAC_OK;
    }
    tac_error own;
    tac_status status = c->in.failed ? tac__fail_memory(&own) : TAC_OK;
    while (status == TAC_OK) {
        tac__frame f;
        size_t length;
        const uint8_t *at = tac__bytes_front(&c->in);
        status = tac__frame_next(at, tac__bytes_count(&c->in), TAC__FRAME_FROM_SERVER, &f, &length,
                                 &own);
        if (status != TAC_OK || !length)
            break;
        status = take(c, &f, at, length, &own);
        tac__bytes_take(&c->in, length);
    }
    return status == TAC_OK ? TAC_OK : fail(c, &own, err);
}

tac_status tac__client_closed(tac__client *c, const char *why, tac_error *err)
{
    if (c->state == TAC__CLIENT_DONE)
        return TAC_OK;
    tac_error own;
    (void)tac__fail(&own, TAC_E_NETWORK,
                    "the connection to the server was lost when '%s' had come to %s%s%s", c->name,
                    TAC__SHOWN(c->info.reached_us), why ? ": " : "", why ? why : "");
    return fail(c, &own, err);
}

tac__bytes *tac__client_output(tac__client *c)
{
    return &c->out;
}

tac_time tac__client_polled(const tac__client *c)
{
    return c->state == TAC__CLIENT_OVER ? TAC_TIME_NEVER : c->polled_us;
}

tac__client_state tac__client_state_of(const tac__client *c)
{
    return c->state;
}

const char *tac__client_name(const tac__client *c)
{
    return c->name;
}

bool tac__client_source(const tac__client *c, uint32_t i, const char **sender, const char **name)
{
    if (i >= c->source_count)
        return false;
    *sender = c->sources[i].sender;
    *name = c->sources[i].channel;
    return true;
}

bool tac__client_has_beat(const tac__client *c)
{
    return c->beat != 0;
}

tac_membership tac__client_info(const tac__client *c)
{
    return c->info;
}
