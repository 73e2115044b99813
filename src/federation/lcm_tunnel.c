// lcm_tunnel.c - a memq:// instance of LCM, watched.
//
// The tunnel is the first to subscribe, to all channels, so its handler runs before those of the
// application: that is where published messages are seen and times of reception set. The queue is
// first in, first out, so a message that is injected while the queue is empty is the next one that
// is handled: it is known by that, and is not sent.
#include "federation/lcm_tunnel.h"

#include "federation/lcm_library.h"

#ifndef TACTUS_HAVE_LCM

tac_status tac__lcm_tunnel_create(tac__lcm_send_fn *send, void *context, tac__lcm_tunnel **tunnel,
                                  tac_error *err)
{
    const tac__lcm_library *library;
    (void)send, (void)context;
    *tunnel = NULL;
    return tac__lcm_library_load(&library, err);
}

void tac__lcm_tunnel_destroy(tac__lcm_tunnel *tunnel)
{
    (void)tunnel;
}

struct _lcm_t *tac__lcm_tunnel_lcm(const tac__lcm_tunnel *tunnel)
{
    (void)tunnel;
    return NULL;
}

tac_status tac__lcm_tunnel_pump(tac__lcm_tunnel *tunnel, tac_time t_us, tac_error *err)
{
    (void)tunnel, (void)t_us, (void)err;
    return TAC_E_CALLER;
}

tac_status tac__lcm_tunnel_inject(tac__lcm_tunnel *tunnel, tac_time t_us, const char *channel,
                                  const void *bytes, size_t size, tac_error *err)
{
    (void)tunnel, (void)t_us, (void)channel, (void)bytes, (void)size, (void)err;
    return TAC_E_CALLER;
}

#else

#include "bus/lcm_type.h"

#include <stdbool.h>
#include <string.h>

_Static_assert(TAC__LCM_CHANNEL_MAX == LCM_MAX_CHANNEL_NAME_LENGTH, "of channels that can be sent");

struct tac__lcm_tunnel {
    const tac__lcm_library *library;
    lcm_t *lcm;
    tac__lcm_send_fn *send;
    void *context;
    tac_time now_us;
    uint32_t at_now; // messages published at now_us
    bool busy;       // in pump or inject
    // The message that is injected now; NULL: none.
    const char *channel;
    const void *bytes;
    size_t size;
    tac_error failure; // the first; its status is TAC_OK while there was none
};

static void fail_channel(tac_error *err, const char *channel)
{
    (void)tac__fail(err, TAC_E_LIMIT, "the name of channel '%s' has %zu characters; LCM allows %d",
                    channel, strlen(channel), TAC__LCM_CHANNEL_MAX);
}

static void send_on(tac__lcm_tunnel *t, const lcm_recv_buf_t *buffer, const char *channel)
{
    if (strlen(channel) > TAC__LCM_CHANNEL_MAX) {
        fail_channel(&t->failure, channel);
        return;
    }
    if (t->at_now++ == TAC__LCM_INSTANT_MAX) {
        char now[TAC_TIME_TEXT];
        tac_time_print(t->now_us, now);
        (void)tac__fail(&t->failure, TAC_E_LIMIT,
                        "the application published more than %d messages at %s, the last on "
                        "'%s': does it answer its own?",
                        TAC__LCM_INSTANT_MAX, now, channel);
        return;
    }
    const tac_status status =
        t->send(t->context, t->now_us, channel, buffer->data, buffer->data_size, &t->failure);
    t->failure.status = status; // whether the function filled in the error or not
}

// Runs before every handler of the application.
static void take(const lcm_recv_buf_t *buffer, const char *channel, void *context)
{
    tac__lcm_tunnel *t = context;
    // The buffer is the queue's own; LCM shows it to handlers as const.
    ((lcm_recv_buf_t *)buffer)->recv_utime = (int64_t)t->now_us;
    if (t->failure.status != TAC_OK)
        return;
    if (!t->channel) {
        send_on(t, buffer, channel);
        return;
    }
    if (strcmp(channel, t->channel) != 0 || buffer->data_size != t->size ||
        (t->size && memcmp(buffer->data, t->bytes, t->size) != 0))
        (void)tac__fail(&t->failure, TAC_E_CALLER,
                        "the application published on '%s' from another thread: LCM in a "
                        "federation belongs to one thread",
                        channel);
    t->channel = NULL;
}

tac_status tac__lcm_tunnel_create(tac__lcm_send_fn *send, void *context, tac__lcm_tunnel **tunnel,
                                  tac_error *err)
{
    const tac_allocator *a = tac_allocator_default();
    const tac__lcm_library *library;
    *tunnel = NULL;
    TAC_TRY(tac__lcm_library_load(&library, err));
    tac__lcm_tunnel *t = a->resize(a->context, NULL, 0, sizeof *t);
    if (!t)
        return tac__fail_memory(err);
    *t = (tac__lcm_tunnel){.library = library, .send = send, .context = context};
    tac_error_clear(&t->failure);
    t->lcm = library->create("memq://");
    lcm_subscription_t *all = t->lcm ? library->subscribe(t->lcm, ".*", take, t) : NULL;
    if (!all || library->subscription_set_queue_capacity(all, 0) != 0) { // 0: without limit
        tac__lcm_tunnel_destroy(t);
        return tac__fail(err, TAC_E_FILE, "liblcm cannot make a queue in memory (memq://)");
    }
    *tunnel = t;
    return TAC_OK;
}

void tac__lcm_tunnel_destroy(tac__lcm_tunnel *t)
{
    if (!t)
        return;
    if (t->lcm)
        t->library->destroy(t->lcm);
    const tac_allocator *a = tac_allocator_default();
    a->resize(a->context, t, sizeof *t, 0);
}

struct _lcm_t *tac__lcm_tunnel_lcm(const tac__lcm_tunnel *t)
{
    return t->lcm;
}

static tac_status outcome(const tac__lcm_tunnel *t, tac_error *err)
{
    if (t->failure.status != TAC_OK && err)
        *err = t->failure;
    return t->failure.status;
}

static tac_status fail_lcm(tac__lcm_tunnel *t, const char *what, tac_error *err)
{
    (void)tac__fail(&t->failure, TAC_E_FILE, "liblcm failed to %s", what);
    return outcome(t, err);
}

static tac_status empty_queue(tac__lcm_tunnel *t, tac_error *err)
{
    for (;;) {
        if (t->failure.status != TAC_OK)
            return outcome(t, err);
        const int handled = t->library->handle_timeout(t->lcm, 0);
        if (handled < 0)
            return fail_lcm(t, "handle a message", err);
        if (handled == 0)
            return outcome(t, err);
    }
}

static tac_status begin(tac__lcm_tunnel *t, tac_time t_us, tac_error *err)
{
    TAC_TRY(outcome(t, err));
    if (t->busy)
        return tac__fail(err, TAC_E_CALLER, "a handler of LCM may not wait for the federation");
    if (t_us < t->now_us) {
        char now[TAC_TIME_TEXT], back[TAC_TIME_TEXT];
        tac_time_print(t->now_us, now);
        tac_time_print(t_us, back);
        return tac__fail(err, TAC_E_CALLER, "time goes back from %s to %s", now, back);
    }
    return TAC_OK;
}

static void set_time(tac__lcm_tunnel *t, tac_time t_us)
{
    t->at_now = t_us == t->now_us ? t->at_now : 0;
    t->now_us = t_us;
}

tac_status tac__lcm_tunnel_pump(tac__lcm_tunnel *t, tac_time t_us, tac_error *err)
{
    TAC_TRY(begin(t, t_us, err));
    set_time(t, t_us);
    t->busy = true;
    const tac_status status = empty_queue(t, err);
    t->busy = false;
    return status;
}

static tac_status hand_over(tac__lcm_tunnel *t, tac_time t_us, const char *channel,
                            const void *bytes, size_t size, tac_error *err)
{
    TAC_TRY(empty_queue(t, err)); // published before this message arrives: as of the time before
    set_time(t, t_us);
    t->channel = channel;
    t->bytes = bytes;
    t->size = size;
    if (t->library->publish(t->lcm, channel, size ? bytes : "", (unsigned)size) != 0)
        return fail_lcm(t, "publish a message", err);
    if (t->library->handle_timeout(t->lcm, 0) <= 0)
        return fail_lcm(t, "handle a message", err);
    return empty_queue(t, err);
}

tac_status tac__lcm_tunnel_inject(tac__lcm_tunnel *t, tac_time t_us, const char *channel,
                                  const void *bytes, size_t size, tac_error *err)
{
    TAC_TRY(begin(t, t_us, err));
    if (strlen(channel) > TAC__LCM_CHANNEL_MAX) {
        fail_channel(err, channel);
        return TAC_E_LIMIT;
    }
    if (size > LCM_MAX_MESSAGE_SIZE)
        return tac__fail(err, TAC_E_LIMIT, "a message of %zu bytes is too long for LCM", size);
    t->busy = true;
    const tac_status status = hand_over(t, t_us, channel, bytes, size, err);
    t->busy = false;
    return status;
}

#endif
