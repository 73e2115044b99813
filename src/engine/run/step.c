// step.c - what a component may ask of the engine while it runs: draws, timers, messages, jumps,
// failing, logging.
#include "base/def.h"
#include "base/print.h"
#include "base/hash.h"
#include "engine/plan/warn.h"
#include "engine/run/loop.h"
#include "engine/run/integrate.h"
#include "engine/plan/hang.h"
#include "engine/run/outside.h"
#include "engine/run/teams.h"
#include "base/floats.h"
#include "engine/run/state.h"
#include <tactus/math.h>

#include <stdio.h>
#include <string.h>

// --- failing ------------------------------------------------------------------------------------

// A component that called this has failed, whatever it returns. The first reason is reported.
TAC_PRINTF(3, 0)
static tac_status fail_with(tac_step *s, tac_status status, const char *format, va_list args)
{
    tac_instance *c = s->instance;
    if (c->shadow)
        return status;
    if (c->failed == TAC_OK) {
        char text[TAC_ERROR_TEXT];
        tac__vprint(text, sizeof text, format, args);
        tac__fail(c->engine->err, status, "%s", text);
        c->failed = status;
    }
    return c->failed;
}

tac_status tac_fail(tac_step *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const tac_status status = fail_with(s, TAC_E_COMPONENT, format, args);
    va_end(args);
    return status;
}

tac_status tac_fail_as(tac_step *s, tac_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    status = fail_with(s, status, format, args);
    va_end(args);
    return status;
}

tac__hang_hook tac__step_hang(const tac_step *s)
{
    const tac_engine_def *def = &s->instance->engine->plan->def;
    return (tac__hang_hook){def->hang, def->hang_context, s->instance->plan->name};
}

bool tac_connected(const tac_step *s, int input)
{
    const tac_instance *c = s->instance;
    if (input >= 0 && input < 64)
        return c->connected >> input & 1;
    return input >= 0 && (size_t)input < c->plan->inputs.count && c->plan->in[input].signal >= 0;
}

bool tac_turned_true(const tac_step *s, int condition)
{
    const tac_instance *c = s->instance;
    return condition >= 0 && (size_t)condition < c->plan->condition_count &&
           c->engine->timeline.last[c->plan->conditions[condition].source] == s->t_us;
}

// --- decisions ----------------------------------------------------------------------------------

tac_status tac__decide(const tac_instance *c, const tac_step *s, double *decided)
{
    const tac_component_type *type = c->plan->type;
    return c->plan->decision_count ? type->decide(s, c->plan->self, decided) : TAC_OK;
}

// --- randomness ---------------------------------------------------------------------------------

// NULL where there is no such stream; then the component has failed.
static const tac__draws *find_draws(tac_step *s, int stream)
{
    tac_instance *c = s->instance;
    if (stream >= 0 && (size_t)stream < c->stream_count)
        return &c->streams[stream];
    tac_fail(s, "draws from stream %d, but it has %zu", stream, c->stream_count);
    return NULL;
}

double tac_draw_uniform(tac_step *s, int stream)
{
    const tac__draws *d = find_draws(s, stream);
    if (!d)
        return 0;
    return tac__stream_uniform(&d->stream, (*d->next)++);
}

double tac_draw_normal(tac_step *s, int stream)
{
    double value;
    tac_draw_normals(s, stream, &value, 1);
    return value;
}

void tac_draw_normals(tac_step *s, int stream, double *values, size_t count)
{
    const tac__draws *d = find_draws(s, stream);
    if (d && s->lanes > 1)
        tac__team_draw(s->instance->team, stream, values, count);
    else if (d && s->now)
        s->instance->symbol_draws->draw(s->instance->symbol_draws, stream, values, count);
    else if (d)
        tac__normals_draw(&s->instance->ready[stream], &d->stream, d->next, values, count);
    else
        memset(values, 0, count * sizeof *values);
}

// --- time ---------------------------------------------------------------------------------------

tac_status tac_wake_at(tac_step *s, tac_time t_us)
{
    tac_instance *c = s->instance;
    tac_engine *e = c->engine;
    if (c->plan->timer_source < 0)
        return tac_fail(s, "asks for a wake-up, but its type has no TAC_COMPONENT_TIMER");
    if (c->shadow)
        return TAC_OK;
    if (e->clock->started && t_us <= e->clock->t_us)
        return tac_fail(s, "asks for a wake-up that does not lie in the future");
    const tac_time old_us = e->timeline.next[c->plan->timer_source];
    tac__timeline_set(&e->timeline, c->plan->timer_source, t_us);
    if (e->clock->started)
        tac__islands_replan(e, c->plan->timer_source, old_us, NULL);
    return TAC_OK;
}

double *tac_jump(tac_step *s)
{
    tac_instance *c = s->instance;
    if (!c->may_jump || c->plan->island < 0 || c->shadow)
        return NULL;
    c->jumped = true;
    return c->engine->islands[c->plan->island].x + c->plan->x_offset;
}

// --- messages -----------------------------------------------------------------------------------

// What becomes of the next message of a port on each of its links: e->fates, where some are drawn.
static void draw_fates(tac_engine *e, const tac__sender *port)
{
    for (size_t i = 0; i < port->count && port->drawn_count; i++) {
        const tac__link *link = &port->links[i];
        e->fates[i] = link->drawn ? tac__link_fate(link->drawn->law, &link->drawn->key,
                                                   e->clock->t_us, *port->sequence)
                                  : (tac__fate){.copies = 1, .delay_us = {link->delay_us}};
    }
}

// A message goes to all receivers or to none: check that every receiver has room before any gets
// it.
static tac_status check_send(tac_step *s, const tac__sender *port, size_t size)
{
    tac_engine *e = s->instance->engine;
    for (size_t i = 0; i < port->count; i++) {
        const tac__receiver *r = &e->plan->receivers[port->links[i].receiver];
        if (size > r->def.max_bytes)
            return tac_fail(s, "sends %zu bytes to '%s', which takes at most %u", size, r->name,
                            r->def.max_bytes);
        if (r->queue.state->free < (port->drawn_count ? e->fates[i].copies : 1))
            return tac_fail_as(s, TAC_E_QUEUE,
                               "queue of '%s' is full: %u messages wait or are on their way",
                               r->name, r->def.capacity);
    }
    return TAC_OK;
}

// A message with all NaNs replaced by the same one: the bytes are the same on every machine.
static const void *with_one_nan(const tac_engine *e, const void *bytes, size_t size)
{
    const size_t count = size / sizeof(double);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, (const unsigned char *)bytes + i * sizeof word, sizeof word);
        any |= tac__is_nan_word(word);
    }
    if (!any || size > e->plan->message_size) // no receiver takes a message of this size
        return bytes;
    memcpy(e->message, bytes, size);
    tac__one_nan(e->message, count);
    return e->message;
}

// All NaNs give the same digest, also in a message without a receiver.
static void digest_sent(const tac__sender *port, tac_time t_us, const void *bytes, size_t size)
{
    if (!port->digest)
        return;
    tac__hash h = tac__hash_word(tac__hash_word(*port->digest, t_us), size);
    size_t at = 0;
    for (; port->numbers && at + sizeof(double) <= size; at += sizeof(double)) {
        double value;
        memcpy(&value, (const unsigned char *)bytes + at, sizeof value);
        h = tac__hash_f64(h, value);
    }
    *port->digest = tac__hash_bytes(h, at ? (const unsigned char *)bytes + at : bytes, size - at);
}

// Put a message on its way on one link, once for each copy. There is room: see check_send.
static void send_on(tac_engine *e, const tac__link *link, const tac__fate *fate, uint64_t sequence,
                    const void *bytes, size_t size)
{
    const tac__receiver *r = &e->plan->receivers[link->receiver];
    const tac_time now_us = e->clock->t_us, old_us = e->timeline.next[r->source];
    for (uint32_t copy = 0; copy < fate->copies; copy++) {
        const tac__queue_slot head = {.sent_us = now_us,
                                      .deliver_us = now_us + fate->delay_us[copy],
                                      .sequence = sequence,
                                      .sender = link->number & INT32_MAX,
                                      .copy = copy & 1,
                                      .size = (uint32_t)size};
        (void)tac__queue_send(&r->queue, &head, bytes);
    }
    tac__timeline_set(&e->timeline, r->source, tac__queue_next(&r->queue));
    if (e->timeline.next[r->source] < old_us)
        tac__islands_replan(e, r->source, old_us, NULL);
}

static void count_fate(const tac_engine *e, const tac__drawn *drawn, uint64_t sequence,
                       const tac__fate *fate)
{
    drawn->counters->sent++;
    drawn->counters->lost += fate->kind == TAC__FATE_LOST;
    drawn->counters->down += fate->kind == TAC__FATE_DOWN;
    drawn->counters->duplicated += fate->kind == TAC__FATE_DUPLICATED;
    for (const tac__fate_listener *l = e->fate_listeners; l; l = l->next)
        l->show(l->context, drawn->index, e->clock->t_us, sequence, fate);
}

tac_status tac_send(tac_step *s, int sender, const void *bytes, size_t size)
{
    tac_instance *c = s->instance;
    tac_engine *e = c->engine;
    if (sender < 0 || (size_t)sender >= c->plan->sender_count || (!bytes && size))
        return tac_fail(s, "sends nothing, or from a port that it does not have");
    if (c->shadow)
        return TAC_OK;
    const tac__sender *port = &e->plan->senders[c->plan->senders[sender]];
    if (e->plan->driver) { // messages to the plant come from the driver
        (*port->sequence)++;
        digest_sent(port, e->clock->t_us, bytes, size);
        return TAC_OK;
    }
    draw_fates(e, port);
    TAC_TRY(check_send(s, port, size));
    if (port->numbers)
        bytes = with_one_nan(e, bytes, size);
    const uint64_t sequence = (*port->sequence)++;
    digest_sent(port, e->clock->t_us, bytes, size);
    for (size_t i = 0; i < port->count; i++) {
        const tac__link *link = &port->links[i];
        const tac__fate plain = {.copies = 1, .delay_us = {link->delay_us}};
        const tac__fate *fate = port->drawn_count ? &e->fates[i] : &plain;
        send_on(e, link, fate, sequence, bytes, size);
        if (link->drawn)
            count_fate(e, link->drawn, sequence, fate);
    }
    if (port->outlet_count)
        tac__outside_sent(e, port, sequence, bytes, size);
    return TAC_OK;
}

bool tac_receive_sized(tac_step *s, int receiver, tac_message *message, size_t size)
{
    tac_instance *c = s->instance;
    tac_message own;
    if (receiver < 0 || (size_t)receiver >= c->plan->receiver_count || c->shadow ||
        !tac__queue_receive(&c->engine->plan->receivers[c->plan->receivers[receiver]].queue,
                            c->engine->clock->t_us, &own))
        return false;
    tac__def_give(message, size, &own, sizeof own);
    return true;
}

// --- logging ------------------------------------------------------------------------------------

static void write_log(const tac_engine *e, tac_time t_us, const tac_instance *component,
                      tac_log_level level, const char *format, va_list args)
{
    if (!tac__logs_want(&e->logs, level))
        return;
    char text[1024];
    tac__vprint(text, sizeof text, format, args);
    const tac_log_entry entry = {t_us, component ? component->plan->name : "", level, text};
    if (component && component->team && tac__team_steps(component->team))
        tac__team_keep_log(component->team, component->lane, &entry);
    else
        tac__logs_tell(&e->logs, &entry);
}

void tac_log_write(tac_step *s, tac_log_level level, const char *format, ...)
{
    if (s->instance->shadow)
        return;
    va_list args;
    va_start(args, format);
    write_log(s->instance->engine, s->t_us, s->instance, level, format, args);
    va_end(args);
}

void tac__log(const tac_engine *e, tac_log_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    write_log(e, tac_engine_time(e), NULL, level, format, args);
    va_end(args);
}
