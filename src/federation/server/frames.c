// frames.c - what clients say once they have joined: checked, and taken down.
#include "federation/server/state.h"

#include <string.h>

enum {
    RESULTS_MAX = 1 << 20, // of one client
};

static tac_status unexpected(const tac__frame *f, const tac__fed_client *c, tac_error *err)
{
    return tac__fail(err, TAC_E_PROTOCOL, "'%s' sent %s at the wrong moment", c->name,
                     tac__frame_name(f->type));
}

static tac_status check_sent(const tac__server *s, const tac__fed_client *c,
                             const tac__wire_mail *m, tac_error *err)
{
    if (m->channel >= c->published_count)
        return tac__fail(err, TAC_E_PROTOCOL, "'%s' has no channel number %u", c->name, m->channel);
    const tac__fed_channel *k = &c->published[m->channel];
    if (m->sent_us < c->clock.promise_us) {
        return tac__fail(err, TAC_E_PROMISE,
                         "'%s' sends on '%s' at %s, but has promised to send nothing before %s",
                         c->name, k->name, TAC__SHOWN(m->sent_us), TAC__SHOWN(c->clock.promise_us));
    }
    if (m->sent_us < c->earliest_us) {
        return tac__fail(err, TAC_E_PROMISE,
                         "'%s' sends on '%s' at %s, but has stated that nothing will make it send "
                         "before %s",
                         c->name, k->name, TAC__SHOWN(m->sent_us), TAC__SHOWN(c->earliest_us));
    }
    if (m->sent_us < c->sent_us || m->sent_us > TAC_TIME_MAX)
        return tac__fail(err, TAC_E_PROTOCOL, "'%s' sends on '%s' at %s, which is out of order",
                         c->name, k->name, TAC__SHOWN(m->sent_us));
    if (s->state == TAC__SERVER_FIRST_TICK && m->sent_us)
        return tac__fail(err, TAC_E_PROTOCOL, "'%s' sends on '%s' at %s before its first poll",
                         c->name, k->name, TAC__SHOWN(m->sent_us));
    if (m->size > k->message_max)
        return tac__fail(err, TAC_E_PROTOCOL, "'%s' sends %u bytes on '%s'; at most %u are allowed",
                         c->name, m->size, k->name, k->message_max);
    if (m->sequence > TAC__WIRE_SEQUENCE_MAX)
        return tac__fail(err, TAC_E_PROTOCOL,
                         "'%s' sends number %llu on '%s'; the last one that is possible is %llu",
                         c->name, (unsigned long long)m->sequence, k->name,
                         (unsigned long long)TAC__WIRE_SEQUENCE_MAX);
    if (m->sequence < k->sequence)
        return tac__fail(err, TAC_E_PROTOCOL, "'%s' sends number %llu on '%s' again", c->name,
                         (unsigned long long)m->sequence, k->name);
    return TAC_OK;
}

// A delivery time that the sender gave itself.
static tac_status check_queued(const tac__server *s, const tac__fed_client *c,
                               const tac__wire_mail *m, const tac__fed_link *l, tac_error *err)
{
    const tac_time least_us = tac__link_least_us(&l->law);
    if (m->delivered_us <= TAC_TIME_MAX && m->delivered_us >= m->sent_us + least_us)
        return TAC_OK;
    return tac__fail(err, TAC_E_PROTOCOL,
                     "'%s' wants a message on '%s', sent at %s, to reach '%s' at %s, but that "
                     "takes at least %s",
                     c->name, c->published[l->channel].name, TAC__SHOWN(m->sent_us),
                     s->clients[l->to].name, TAC__SHOWN(m->delivered_us), TAC__SHOWN(least_us));
}

static tac_status take_sent(tac__server *s, tac__fed_client *c, tac__frame *f, tac_error *err)
{
    const tac__wire_mail m = tac__frame_mail(f);
    TAC_TRY(tac__frame_end(f, err));
    if (c->state != TAC__FED_RUNNING)
        return unexpected(f, c, err);
    TAC_TRY(check_sent(s, c, &m, err));
    tac__fed_channel *k = &c->published[m.channel];
    k->sequence = m.sequence + 1;
    c->sent_us = m.sent_us;
    s->info.received++;
    const uint64_t order = c->order++;
    if (s->def.watch) {
        const tac_passage passage = {.sender = c->name,
                                     .channel = k->name,
                                     .type = k->type,
                                     .sent_us = m.sent_us,
                                     .delivered_us = TAC_TIME_NEVER,
                                     .sequence = m.sequence,
                                     .bytes = m.bytes,
                                     .length = m.size,
                                     .sender_number = (uint32_t)(c - s->clients),
                                     .order = order};
        s->def.watch(s->def.context, &passage);
    }
    for (uint32_t i = 0; i < k->link_count && s->state != TAC__SERVER_FAILED; i++) {
        const tac__fed_link *l = &s->links[k->links[i]];
        if (f->type == TAC__FRAME_QUEUED_MESSAGE) {
            TAC_TRY(check_queued(s, c, &m, l, err));
            tac__fed_queue(s, l, &m, order, m.delivered_us, 0);
        } else if (l->plain) {
            tac__fed_queue(s, l, &m, order, m.sent_us + l->law.min_us, 0);
        } else {
            const tac__fate fate = tac__link_fate(&l->law, &l->key, m.sent_us, m.sequence);
            s->info.lost += fate.copies == 0;
            s->info.duplicated += fate.copies == 2;
            for (uint32_t copy = 0; copy < fate.copies; copy++)
                tac__fed_queue(s, l, &m, order, m.sent_us + fate.delay_us[copy], copy);
        }
    }
    return TAC_OK;
}

static tac_status take_promise(tac__fed_client *c, tac__frame *f, tac_error *err)
{
    const tac_time t_us = tac__frame_u64(f);
    TAC_TRY(tac__frame_end(f, err));
    if (c->state != TAC__FED_RUNNING)
        return unexpected(f, c, err);
    if (t_us > c->clock.promise_us)
        c->clock.promise_us = t_us;
    return TAC_OK;
}

// Whether what a client states fits in with what it has stated and sent before.
static tac_status check_clock(const tac__fed_client *c, const tac__wire_clock *k, tac_error *err)
{
    if (k->t_us < c->clock.t_us || k->t_us > TAC_TIME_MAX) {
        return tac__fail(err, TAC_E_PROTOCOL, "'%s' cannot go from %s to %s", c->name,
                         TAC__SHOWN(c->clock.t_us), TAC__SHOWN(k->t_us));
    }
    if (k->t_us < c->sent_us) {
        return tac__fail(err, TAC_E_PROTOCOL,
                         "'%s' says that it has come to %s, after a message that it sent at %s",
                         c->name, TAC__SHOWN(k->t_us), TAC__SHOWN(c->sent_us));
    }
    if (k->promise_us < k->t_us || k->promise_us < c->clock.promise_us) {
        return tac__fail(err, TAC_E_PROTOCOL,
                         "'%s' promises at %s to send nothing before %s; it must be %s at least",
                         c->name, TAC__SHOWN(k->t_us), TAC__SHOWN(k->promise_us),
                         TAC__SHOWN(k->t_us > c->clock.promise_us ? k->t_us : c->clock.promise_us));
    }
    const uint64_t known = c->delivered - c->unknown_count;
    if (k->received < known || k->received > c->delivered)
        return tac__fail(err, TAC_E_PROTOCOL,
                         "'%s' says at %s that it knows %llu messages; it was sent %llu, and has "
                         "known %llu before",
                         c->name, TAC__SHOWN(k->t_us), (unsigned long long)k->received,
                         (unsigned long long)c->delivered, (unsigned long long)known);
    return TAC_OK;
}

static tac_status take_clock(tac__server *s, tac__fed_client *c, tac__frame *f, tac_error *err)
{
    const tac__wire_clock k = tac__frame_clock(f);
    TAC_TRY(tac__frame_end(f, err));
    if (c->state != TAC__FED_RUNNING || s->state == TAC__SERVER_ENDING)
        return unexpected(f, c, err);
    TAC_TRY(check_clock(c, &k, err));
    if (s->state <= TAC__SERVER_FIRST_TICK && k.t_us) {
        return tac__fail(err, TAC_E_PROTOCOL, "the first poll of '%s' is at %s; it must be at 0",
                         c->name, TAC__SHOWN(k.t_us));
    }
    tac__fed_know(c, k.received);
    c->clock = k;
    if (f->type == TAC__FRAME_POLL_WAIT)
        c->state = TAC__FED_WAITING;
    return TAC_OK;
}

static tac_status take_result(tac__server *s, tac__fed_client *c, tac__frame *f, tac_error *err)
{
    char name[1024];
    const uint64_t digest = tac__frame_u64(f);
    (void)tac__frame_text(f, name, sizeof name);
    TAC_TRY(tac__frame_end(f, err));
    // Before the first poll nothing has happened that could have a result.
    if (c->state != TAC__FED_RUNNING || s->state == TAC__SERVER_FIRST_TICK)
        return unexpected(f, c, err);
    if (c->results++ >= RESULTS_MAX)
        return tac__fail(err, TAC_E_PROTOCOL, "'%s' hands in more than %d results", c->name,
                         (int)RESULTS_MAX);
    if (!TAC__ARENA_GROW(&s->arena, s->results, s->result_count, s->result_capacity))
        return tac__fail_memory(err);
    tac__fed_result *r = &s->results[s->result_count];
    *r = (tac__fed_result){tac__arena_text(&s->arena, name), digest};
    if (!r->name)
        return tac__fail_memory(err);
    s->result_count++;
    return TAC_OK;
}

static tac_status take_finish(tac__server *s, tac__fed_client *c, tac__frame *f, tac_error *err)
{
    const tac_time t_us = tac__frame_u64(f);
    TAC_TRY(tac__frame_end(f, err));
    if (s->state == TAC__SERVER_JOINING ||
        (c->state != TAC__FED_RUNNING && s->state != TAC__SERVER_ENDING))
        return unexpected(f, c, err);
    c->state = TAC__FED_LEFT;
    if (t_us > c->clock.t_us)
        c->clock.t_us = t_us;
    c->clock.promise_us = c->clock.next_us = TAC_TIME_NEVER;
    for (; c->heap_count; s->info.late++)
        tac__fed_free_mail(s, tac__fed_pop(c));
    s->connections[c->connection]->closing = true;
    return TAC_OK;
}

static tac_status take_abort(tac__fed_client *c, tac__frame *f, tac_error *err)
{
    char who[TAC__WIRE_NAME_MAX + 1], why[TAC_ERROR_TEXT];
    const tac_time t_us = tac__frame_u64(f);
    (void)tac__frame_text(f, who, sizeof who);
    (void)tac__frame_text(f, why, sizeof why);
    TAC_TRY(tac__frame_end(f, err));
    if (t_us > c->clock.t_us)
        c->clock.t_us = t_us;
    return tac__fail(err, TAC_E_FEDERATION, "%s", why);
}

tac_status tac__fed_take(tac__server *s, tac__fed_client *c, tac__frame *f, tac_error *err)
{
    switch (f->type) {
    case TAC__FRAME_SEND_MESSAGE:
    case TAC__FRAME_QUEUED_MESSAGE:
        return take_sent(s, c, f, err);
    case TAC__FRAME_PROMISE_NO_SEND:
        return take_promise(c, f, err);
    case TAC__FRAME_NOTIFY_ADVANCE:
    case TAC__FRAME_POLL_WAIT:
        return take_clock(s, c, f, err);
    case TAC__FRAME_RESULT:
        return take_result(s, c, f, err);
    case TAC__FRAME_FINISH:
        return take_finish(s, c, f, err);
    case TAC__FRAME_ABORT:
        return take_abort(c, f, err);
    default:
        return unexpected(f, c, err);
    }
}
