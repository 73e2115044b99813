// outside.c - an engine driven from another program: advancing it in pieces, values for inputs that
// come from outside, messages from and to other programs.
//
// An instant is open until it has been processed or passed over. What is planned for an open
// instant gives the same bits whenever it became known, so it does not matter how early a program
// writes or into which pieces it cuts a run.
#include "engine/run/list.h"
#include "engine/run/locate.h"
#include "engine/run/outside.h"
#include "base/def.h"
#include "base/floats.h"
#include "bus/digest.h"
#include "bus/type.h"
#include "engine/plan/outside.h"

#include <inttypes.h>
#include <string.h>
#include <tactus/outside.h>

tac_status tac__outside_ready(const tac_engine *e, tac_error *err)
{
    const char *why = "there is no engine";
    if (e && e->life == TAC__PREPARED)
        return TAC_OK;
    if (e && e->life == TAC__BUILDING)
        why = "the engine is not prepared yet";
    else if (e && e->life == TAC__RUNNING)
        why = "the engine is in the middle of a run: callbacks may list and read, nothing else";
    else if (e)
        why = "the run has failed; the engine can only be looked at";
    return tac__fail(err, TAC_E_CALLER, "%s", why);
}

// --- time ---------------------------------------------------------------------------------------

tac_time tac__open_us(const tac_engine *e)
{
    const tac_time after_us = e->clock->started ? e->clock->t_us + 1 : 0;
    return after_us > e->open_us ? after_us : e->open_us;
}

void tac__outside_reached(tac_engine *e, tac_time until_us)
{
    const tac_time last_us = until_us < e->plan->def.end_us ? until_us : e->plan->def.end_us;
    e->open_us = last_us + 1 > e->open_us ? last_us + 1 : e->open_us;
}

tac_status tac_engine_advance(tac_engine *e, tac_time to_us, tac_error *err)
{
    if (to_us > 0)
        return tac_engine_run(e, to_us - 1, err);
    return tac__outside_ready(e, err);
}

tac_time tac_engine_open_time(const tac_engine *e)
{
    return e && e->clock ? tac__open_us(e) : 0;
}

const void *tac_engine_read_at(tac_engine *e, int signal, tac_time t_us)
{
    TAC__FLOATS;
    if (!e || !e->clock || signal < 0 || (size_t)signal >= e->plan->schema.count ||
        e->life != TAC__PREPARED)
        return NULL;
    const tac__signal *s = &e->plan->schema.signals[signal];
    if (t_us == e->clock->t_us || !s->kind->continuous)
        return t_us >= e->clock->t_us && t_us <= tac_engine_next_time(e)
                   ? tac_engine_read(e, signal)
                   : NULL;
    const void *value;
    if (!e->clock->started || t_us < e->clock->t_us || t_us > tac_engine_next_time(e) ||
        tac__island_peek(e, signal, t_us, &value) != TAC_OK)
        return NULL;
    // The boundary at t_us may change inputs: the values evaluated here must not be used for it.
    e->islands[e->plan->components[s->component]->island].peeked_us = TAC_TIME_NEVER;
    return value;
}

// Instants with nothing but integration or observers are no events. But where an island may locate
// something, only its present step has been searched, so the end of that step counts.
static bool is_event(const tac_engine *e, size_t source)
{
    const tac__source *s = &e->plan->timeline.sources[source];
    if (s->observer)
        return false;
    return s->kind != TAC__SOURCE_STEP || tac__locates(&e->plan->islands[s->index]);
}

// The earliest event among the sources below a node of the timeline's tree, if it is before
// `before_us`. Where the first source of a node is an event, nothing below the node is looked at.
static tac_time first_event(const tac_engine *e, size_t node, tac_time before_us)
{
    const tac__timeline *tl = &e->timeline;
    const uint32_t source = tl->winner[node];
    if (tl->next[source] >= before_us)
        return before_us;
    if (is_event(e, source))
        return tl->next[source];
    if (node >= tl->count) // a leaf
        return before_us;
    return first_event(e, 2 * node + 1, first_event(e, 2 * node, before_us));
}

// After a checkpoint was restored islands have not been integrated yet from the present instant:
// something may be located right after it.
static bool unsearched(const tac_engine *e)
{
    const size_t words = e->clock->started ? e->plan->island_words : 0;
    for (size_t s = 0; s < (words + 63) / 64; s++) {
        for (uint64_t some = words == 1 ? 1 : e->due.island_words[s]; some; some &= some - 1) {
            const size_t w = 64 * s + (size_t)__builtin_ctzll(some);
            for (uint64_t bits = e->due_islands[w]; bits; bits &= bits - 1) {
                if (tac__locates(&e->plan->islands[64 * w + (size_t)__builtin_ctzll(bits)]))
                    return true;
            }
        }
    }
    return false;
}

tac_time tac_engine_next_event(const tac_engine *e)
{
    if (tac_engine_next_time(e) == TAC_TIME_NEVER)
        return TAC_TIME_NEVER;
    return unsearched(e) ? e->clock->t_us + 1 : first_event(e, 1, TAC_TIME_NEVER);
}

// --- values -------------------------------------------------------------------------------------

static tac_status fail_past(const tac_engine *e, const char *what, const char *name, tac_time t_us,
                            tac_error *err)
{
    char wish[TAC_TIME_TEXT], open[TAC_TIME_TEXT];
    tac_time_print(t_us, wish);
    tac_time_print(tac__open_us(e), open);
    return tac__fail(err, TAC_E_RANGE, "%s '%s' for %s comes too late: open from %s on", what, name,
                     wish, open);
}

static tac_status fail_not_outside(const tac_engine *e, const tac__component *reader, size_t input,
                                   tac_error *err)
{
    const int signal = reader->in[input].signal;
    tac__fail(err, TAC_E_OWNER, "input '%s.%s' is ", reader->name,
              reader->inputs.items[input].name);
    if (signal < 0)
        tac__error_append(err, "open");
    else
        tac__error_append(err, "connected to '%s'", e->plan->schema.signals[signal].name);
    tac__error_append(err, "; only one declared 'from: outside' can be written");
    return TAC_E_OWNER;
}

static tac_status check_value(const tac_type *type, const char *name, const void *value,
                              tac_error *err)
{
    const size_t labels = tac__type_labels(type);
    for (uint32_t i = 0; type->scalar == TAC_ENUM && i < type->count; i++) {
        int32_t label;
        memcpy(&label, (const char *)value + i * sizeof label, sizeof label);
        if (label < 0 || (size_t)label >= labels)
            return tac__fail(err, TAC_E_RANGE, "'%s' has %zu labels, and %d is none of them", name,
                             labels, label);
    }
    for (uint32_t i = 0; type->scalar == TAC_BOOL && i < type->count; i++) {
        if (((const unsigned char *)value)[i] > 1)
            return tac__fail(err, TAC_E_RANGE, "'%s' takes bools, and byte %u of the value is %u",
                             name, i, ((const unsigned char *)value)[i]);
    }
    return TAC_OK;
}

// Insert a value into the planned ones, in order of time. The last write for an instant replaces
// others.
static tac_status plan_value(tac_engine *e, tac__component *source, tac_time t_us,
                             const void *value, tac_error *err)
{
    const tac__outside *c = source->self;
    int64_t *count = source->state[TAC__OUTSIDE_COUNT];
    int64_t *times = source->state[TAC__OUTSIDE_TIMES];
    unsigned char *values = source->state[TAC__OUTSIDE_VALUES];
    const size_t n = (size_t)*count;
    size_t i = n;
    while (i > 0 && (tac_time)times[i - 1] >= t_us)
        i--;
    if (i == n || (tac_time)times[i] != t_us) {
        if (n == c->pending)
            return tac__fail(err, TAC_E_QUEUE,
                             "'%s' has %u writes to come, as many as there is room for ('pending' "
                             "of its route)",
                             source->name, c->pending);
        memmove(times + i + 1, times + i, (n - i) * sizeof *times);
        memmove(values + (i + 1) * c->bytes, values + i * c->bytes, (n - i) * c->bytes);
        times[i] = (int64_t)t_us;
        ++*count;
    }
    memcpy(values + i * c->bytes, value, c->bytes);
    const tac_type *type = &source->outputs.items[0].type;
    if (type->scalar == TAC_F64)
        tac__one_nan(values + i * c->bytes, type->count);
    const tac_time old_us = e->timeline.next[source->timer_source];
    if (t_us >= old_us)
        return TAC_OK;
    tac__timeline_set(&e->timeline, source->timer_source, t_us);
    if (e->clock->started)
        tac__islands_replan(e, source->timer_source, old_us, NULL);
    return TAC_OK;
}

tac_status tac_engine_write(tac_engine *e, int input, tac_time t_us, const void *value,
                            tac_error *err)
{
    TAC__FLOATS;
    TAC_TRY(tac__outside_ready(e, err));
    size_t k;
    const tac__component *reader = tac__input_at(e, input, &k);
    if (!reader || !value)
        return tac__fail(err, TAC_E_CALLER, "there is no input %d, or no value for it", input);
    const int signal = reader->in[k].signal;
    tac__component *source =
        signal < 0 ? NULL : e->plan->components[e->plan->schema.signals[signal].component];
    if (!source || !tac__is_outside(source))
        return fail_not_outside(e, reader, k, err);
    if (e->plan->driver)
        return tac__fail(err, TAC_E_CALLER,
                         "'%s' comes from the recording that is replayed: it cannot be written",
                         source->name);
    if (t_us < tac__open_us(e) || t_us > TAC_TIME_MAX)
        return fail_past(e, "a value of", source->name, t_us, err);
    TAC_TRY(check_value(&source->outputs.items[0].type, source->name, value, err));
    return plan_value(e, source, t_us, value, err);
}

// --- messages -----------------------------------------------------------------------------------

tac_status tac__fail_replayed(tac_error *err)
{
    return tac__fail(err, TAC_E_CALLER,
                     "a replay has no messages to tell of: components that are not part of the "
                     "plant do not run, and what they sent outside is not recorded");
}

tac_status tac_engine_add_send_watcher(tac_engine *e, tac_sent_fn *sent, void *context,
                                       tac_error *err)
{
    TAC_REQUIRE(e && sent && (e->life == TAC__BUILDING || e->life == TAC__PREPARED));
    if (e->plan->driver)
        return tac__fail_replayed(err);
    if (!TAC__ARENA_GROW(&e->memory, e->send_watchers, e->send_watcher_count,
                         e->send_watcher_capacity))
        return tac__fail_memory(err);
    e->send_watchers[e->send_watcher_count++] = (tac__send_watcher){sent, context};
    return TAC_OK;
}

void tac__outside_sent(tac_engine *e, const tac__sender *port, uint64_t sequence, const void *bytes,
                       size_t size)
{
    for (size_t i = 0; i < port->outlet_count; i++) {
        const tac_sent message = {.channel = port->outlets[i].channel,
                                  .port = port->name,
                                  .sent_us = e->clock->t_us,
                                  .delivered_us = e->clock->t_us + port->outlets[i].delay_us,
                                  .sequence = sequence,
                                  .bytes = bytes,
                                  .size = size};
        for (size_t k = 0; k < e->send_watcher_count; k++) {
            e->send_watchers[k].sent(e->send_watchers[k].context, &message);
            (void)tac__floats_kept();
        }
    }
}

static const char *inlet_name(const void *context, size_t i)
{
    const tac__receiver *r = context;
    return i < r->inlet_count ? r->inlets[i].channel : NULL;
}

// Which outside sender of the port sends on `channel`; the last one needs no link. False: none.
static bool find_inlet(const tac__receiver *r, const char *channel, uint32_t *inlet)
{
    *inlet = 0;
    while (*inlet < r->inlet_count && (!channel || strcmp(r->inlets[*inlet].channel, channel)))
        ++*inlet;
    return *inlet < r->inlet_count || !channel;
}

static tac_status check_post(const tac_engine *e, const tac__receiver *r, const tac_post_def *def,
                             tac_error *err)
{
    if (e->plan->driver)
        return tac__fail(err, TAC_E_CALLER,
                         "messages to '%s' come from the recording that is replayed", r->name);
    if (def->t_us < tac__open_us(e) || def->t_us > TAC_TIME_MAX)
        return fail_past(e, "a message to", r->name, def->t_us, err);
    if (def->sent_us != TAC_TIME_NEVER && def->sent_us > def->t_us)
        return tac__fail(err, TAC_E_RANGE, "a message to '%s' was sent after its delivery",
                         r->name);
    if (def->copy > 1)
        return tac__fail(err, TAC_E_RANGE,
                         "copy %" PRIu64 " of a message to '%s': there are 0 and 1", def->copy,
                         r->name);
    if (def->length > r->def.max_bytes)
        return tac__fail(err, TAC_E_RANGE, "a message of %zu bytes to '%s', which takes at most %u",
                         def->length, r->name, r->def.max_bytes);
    if (!def->bytes && def->length)
        return tac__fail(err, TAC_E_CALLER, "a message to '%s' without bytes", r->name);
    return TAC_OK;
}

// Queue a message, which has its place from the time on at which it was sent, whenever it became
// known. Returns false where the queue is full, or has been since then.
static bool queue_posted(const tac__receiver *r, uint32_t inlet, const tac__queue_slot *head,
                         const void *bytes)
{
    return r->queue.freed ? tac__queue_post(&r->queue, head, bytes,
                                            inlet < r->inlet_count && r->inlets[inlet].first)
                          : tac__queue_send(&r->queue, head, bytes);
}

tac_status tac_engine_post(tac_engine *e, int receiver, const tac_post_def *def, tac_error *err)
{
    TAC__FLOATS;
    TAC_TRY(tac__outside_ready(e, err));
    if (receiver < 0 || (size_t)receiver >= e->plan->receiver_count || !def)
        return tac__fail(err, TAC_E_CALLER, "there is no receiving port %d, or no message for it",
                         receiver);
    TAC__DEF(tac_post_def, def, err);
    tac__receiver *r = &e->plan->receivers[receiver];
    TAC_TRY(check_post(e, r, def, err));
    uint32_t inlet;
    if (!find_inlet(r, def->channel, &inlet)) {
        tac__fail(err, TAC_E_NAME, "no link leads from outside to '%s' on channel '%s'", r->name,
                  def->channel);
        tac__error_suggest(err, def->channel, inlet_name, r);
        return TAC_E_NAME;
    }
    const tac__queue_slot head = {
        .sent_us = def->sent_us == TAC_TIME_NEVER ? def->t_us : def->sent_us,
        .deliver_us = def->t_us,
        .sequence = def->sequence == TAC_SEQUENCE_NEXT ? r->posted[inlet] : def->sequence,
        .sender = tac__outside_number(r, inlet) & INT32_MAX,
        .copy = def->copy & 1,
        .size = (uint32_t)def->length};
    if (tac__queue_holds(&r->queue, &head))
        return tac__fail(
            err, TAC_E_DUPLICATE,
            "a message with the same delivery, channel, sequence number and copy is on "
            "its way to '%s' already",
            r->name);
    const tac_time old_us = e->timeline.next[r->source];
    if (!queue_posted(r, inlet, &head, def->bytes)) {
        char sent[TAC_TIME_TEXT];
        tac_time_print(head.sent_us, sent);
        return tac__fail(err, TAC_E_QUEUE,
                         "queue of '%s' is full: %u messages wait or are on their way, and '%s' "
                         "sends one more at %s",
                         r->name, r->def.capacity, def->channel ? def->channel : TAC__OUTSIDE,
                         sent);
    }
    if (def->sequence == TAC_SEQUENCE_NEXT)
        r->posted[inlet]++;
    tac__timeline_set(&e->timeline, r->source, tac__queue_next(&r->queue));
    if (e->clock->started && e->timeline.next[r->source] < old_us)
        tac__islands_replan(e, r->source, old_us, NULL);
    return TAC_OK;
}
