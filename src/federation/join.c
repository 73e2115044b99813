// join.c - a client of a federation on a network: a connection, and calls that wait by moving bytes
// between it and the state machine of client.h.
#include "federation/join.h"

#include "base/def.h"
#include "base/print.h"
#include "federation/key.h"

#include <stdlib.h>
#include <time.h>

enum {
    WAIT_US = 50000,       // how long a wait goes on without a look at the clock
    LOOK_US = 50000,       // between two calls of `look`
    TURN_US = 2 * WAIT_US, // longest time between two turns that counts
    TENTH_US = 100000,
    TENTHS = 10,        // between two signs of life that a server is asked for, at most
    MUCH = 1 << 18,     // bytes that are written before the next poll
    TOO_MUCH = 1 << 23, // bytes for which a sender waits
};

// A server is to be heard four times in the time after which it is lost.
static uint16_t beat_of(uint64_t timeout_us)
{
    const uint64_t tenths = timeout_us / 4 / TENTH_US;
    return (uint16_t)(tenths < 1 ? 1 : tenths > TENTHS ? TENTHS : tenths);
}

tac_status tac_client_create(const tac_client_def *def, tac_client **client, tac_error *err)
{
    TAC_REQUIRE(def && client);
    TAC__DEF(tac_client_def, def, err);
    TAC_REQUIRE(def->name && def->address);
    tac_client *c = calloc(1, sizeof *c);
    if (!c)
        return tac__fail_memory(err);
    tac__arena_init(&c->arena, tac_allocator_default());
    c->look = def->look;
    c->context = def->context;
    c->patience_us = (uint64_t)def->patience_ms * 1000;
    c->timeout_us = (uint64_t)def->timeout_ms * 1000;
    tac_status status = tac__client_create(NULL, def->name, &c->machine, err);
    if (status == TAC_OK && c->timeout_us)
        tac__client_want_beat(c->machine, beat_of(c->timeout_us));
    if (status == TAC_OK)
        status = tac__address_parse(def->address, &c->address, err);
    if (status == TAC_OK && def->key_file) {
        status = tac__key_read(def->key_file, c->key, err);
        c->keyed = true;
    }
    if (status == TAC_OK && !tac__address_is_local(&c->address) && !c->keyed)
        status =
            tac__fail(err, TAC_E_CONFIG,
                      "'%s' is on another host: that needs the key of the server, and '%s' has "
                      "none: give its file, '--key FILE' (key_file of tac_client_def)",
                      c->address.text, def->name);
    if (status != TAC_OK) {
        tac_client_destroy(c);
        return status;
    }
    *client = c;
    return TAC_OK;
}

// --- bytes --------------------------------------------------------------------------------------

static void take_bytes(void *context, const void *bytes, size_t count)
{
    tac_client *c = context;
    c->heard = c->answered = true;
    (void)!tac__client_input(c->machine, bytes, count, NULL); // the machine keeps its error
}

// The connection broke. What the server had said before may explain why.
static tac_status broke(tac_client *c, const tac_error *why, tac_error *err)
{
    TAC_TRY(tac__client_error(c->machine, err));
    tac_error own = *why;
    if (!c->keyed && !c->answered)
        tac__error_append(
            &own,
            "; if the server has a key, it says nothing to a client that has none: "
            "give '%s' the file of the key, '--key FILE' (key_file of tac_client_def)",
            tac__client_name(c->machine));
    return tac__client_closed(c->machine, own.text, err);
}

tac_status tac__join_flush(tac_client *c, tac_error *err)
{
    tac_error own;
    if (!c->pipe.conn)
        return TAC_OK;
    if (tac__pipe_write(&c->pipe, tac__client_output(c->machine), &own) != TAC_OK) {
        // The last words of the server are there to be read, or its refusal of the key.
        tac_error said;
        const tac_status status = tac__pipe_read(&c->pipe, take_bytes, c, &said);
        return broke(c, status == TAC_E_PROTOCOL ? &said : &own, err);
    }
    tac__poller_want(c->poller, c->pipe.conn, true, c->pipe.blocked);
    return TAC_OK;
}

tac_status tac__join_look(tac_client *c, tac_error *err)
{
    if (!c->look)
        return TAC_OK;
    const uint64_t now_us = tac__clock_us();
    if (now_us - c->looked_us < LOOK_US)
        return TAC_OK;
    c->looked_us = now_us;
    if (c->look(c->context))
        return TAC_OK;
    tac_client_abort(c, "stopped on request");
    return tac__fail(err, TAC_E_STOPPED, "'%s' was stopped on request",
                     tac__client_name(c->machine));
}

// Fails where the server has said nothing for too long. As in the server only a short time between
// two turns counts: a client that was held up itself has heard nobody.
static tac_status check_silence(tac_client *c, tac_error *err)
{
    const uint64_t now_us = tac__clock_us(), step_us = now_us - c->turned_us;
    c->turned_us = now_us;
    c->silent_us = c->heard ? 0 : c->silent_us + (step_us < TURN_US ? step_us : TURN_US);
    c->heard = false;
    if (!c->timeout_us || c->silent_us < c->timeout_us || !tac__client_has_beat(c->machine))
        return TAC_OK;
    char why[80];
    tac__print(why, sizeof why, "it has said nothing for %.3g s", 1e-6 * (double)c->timeout_us);
    return tac__client_closed(c->machine, why, err);
}

tac_status tac__join_turn(tac_client *c, tac_error *err)
{
    TAC_TRY(tac__join_flush(c, err));
    tac_error own;
    if (tac__pipe_await(&c->pipe, c->poller, WAIT_US, take_bytes, c, &own) != TAC_OK)
        return broke(c, &own, err);
    TAC_TRY(tac__client_error(c->machine, err));
    TAC_TRY(check_silence(c, err));
    return tac__join_look(c, err);
}

tac_status tac__join_relieve(tac_client *c, tac_error *err)
{
    const tac__bytes *out = tac__client_output(c->machine);
    if (tac__pipe_left(&c->pipe, out) < MUCH)
        return TAC_OK;
    TAC_TRY(tac__join_flush(c, err));
    while (tac__pipe_left(&c->pipe, out) > TOO_MUCH)
        TAC_TRY(tac__join_turn(c, err));
    return TAC_OK;
}

static tac_status await(tac_client *c, tac__client_state waiting, tac_error *err)
{
    TAC_TRY(tac__join_flush(c, err));
    while (tac__client_state_of(c->machine) == waiting)
        TAC_TRY(tac__join_turn(c, err));
    return TAC_OK;
}

// --- calls --------------------------------------------------------------------------------------

tac_status tac_client_publish(tac_client *c, const tac_channel_def *def, uint32_t *channel,
                              tac_error *err)
{
    TAC_REQUIRE(c && def && channel);
    TAC__DEF(tac_channel_def, def, err);
    TAC_REQUIRE(def->channel);
    return tac__client_publish(c->machine, def, channel, err);
}

tac_status tac_client_subscribe(tac_client *c, const tac_channel_def *def, uint32_t *subscription,
                                tac_error *err)
{
    TAC_REQUIRE(c && def && subscription);
    TAC__DEF(tac_channel_def, def, err);
    TAC_REQUIRE(def->channel);
    return tac__client_subscribe(c->machine, def, subscription, err);
}

tac_status tac_client_join(tac_client *c, tac_error *err)
{
    TAC_REQUIRE(c);
    TAC_TRY(tac__client_join(c->machine, err));
    tac__conn *conn;
    TAC_TRY(tac__poller_open(tac_allocator_default(), &c->poller, err));
    TAC_TRY(tac__conn_dial(&c->address, c->patience_us, tac_allocator_default(), &conn, err));
    TAC_TRY(tac__pipe_open(&c->pipe, conn, c->keyed ? c->key : NULL, TAC__SECURE_CLIENT, err));
    TAC_TRY(tac__poller_add(c->poller, c->pipe.conn, c, err));
    const tac_status status = await(c, TAC__CLIENT_JOINING, err);
    if (status != TAC_OK) { // what answers there may be no server at all
        tac__error_context(err, "joining %s as '%s'", c->address.text,
                           tac__client_name(c->machine));
        return status;
    }
    // Where the server is on this host, the other clients most likely are, too.
    if (tac__address_is_local(&c->address))
        tac__poller_set_participants(c->poller, tac__client_info(c->machine).clients + 1);
    return TAC_OK;
}

static tac_status send_message(tac_client *c, uint32_t channel, tac_time t_us,
                               tac_time delivered_us, const void *bytes, size_t length,
                               tac_error *err)
{
    TAC_REQUIRE(c && (bytes || !length));
    TAC_TRY(tac__client_send(c->machine, channel, t_us, delivered_us,
                             tac__client_sequence(c->machine, channel), bytes, length, err));
    return tac__join_relieve(c, err);
}

tac_status tac_client_send(tac_client *c, uint32_t channel, tac_time t_us, const void *bytes,
                           size_t length, tac_error *err)
{
    return send_message(c, channel, t_us, TAC_TIME_NEVER, bytes, length, err);
}

tac_status tac_client_send_at(tac_client *c, uint32_t channel, tac_time t_us, tac_time delivered_us,
                              const void *bytes, size_t length, tac_error *err)
{
    TAC_REQUIRE(delivered_us != TAC_TIME_NEVER);
    return send_message(c, channel, t_us, delivered_us, bytes, length, err);
}

tac_status tac_client_promise(tac_client *c, tac_time t_us, tac_error *err)
{
    TAC_REQUIRE(c);
    TAC_TRY(tac__client_promise(c->machine, t_us, err));
    return tac__join_flush(c, err);
}

tac_status tac_client_poll(tac_client *c, tac_time t_us, tac_time next_us, bool *over,
                           tac_error *err)
{
    TAC_REQUIRE(c && over);
    *over = false;
    TAC_TRY(tac__client_poll(c->machine, t_us, next_us, err));
    if (tac__client_state_of(c->machine) == TAC__CLIENT_WAITING)
        TAC_TRY(await(c, TAC__CLIENT_WAITING, err));
    *over = tac__client_state_of(c->machine) == TAC__CLIENT_OVER;
    return TAC_OK;
}

bool tac_client_receive_sized(tac_client *c, tac_delivery *delivery, size_t size)
{
    tac_delivery ours;
    if (!c || !delivery)
        return false;
    if (!tac__client_receive(c->machine, tac__client_polled(c->machine), &ours))
        return false;
    tac__def_give(delivery, size, &ours, sizeof ours);
    return true;
}

// --- the end ------------------------------------------------------------------------------------

tac_status tac_client_result(tac_client *c, const char *name, uint64_t digest, tac_error *err)
{
    TAC_REQUIRE(c && name);
    return tac__client_result(c->machine, name, digest, err);
}

// Everything is written before the connection is closed.
static tac_status write_rest(tac_client *c, tac_error *err)
{
    while (tac__pipe_left(&c->pipe, tac__client_output(c->machine)))
        TAC_TRY(tac__join_turn(c, err));
    return TAC_OK;
}

tac_status tac_client_finish(tac_client *c, tac_error *err)
{
    TAC_REQUIRE(c);
    TAC_TRY(tac__client_finish(c->machine, err));
    TAC_TRY(tac__join_flush(c, err));
    return write_rest(c, err);
}

void tac_client_abort(tac_client *c, const char *why)
{
    if (!c)
        return;
    tac__client_abort(c->machine, why ? why : "no reason was given");
    (void)!tac__join_flush(c, NULL);
}

void tac_client_destroy(tac_client *c)
{
    if (!c)
        return;
    if (c->machine && c->pipe.conn)
        tac_client_abort(c, "the client has ended before the federation");
    tac__pipe_close(&c->pipe);
    tac__poller_close(c->poller);
    tac__lcm_client_destroy(c->lcm);
    tac__groups_destroy(c->groups);
    tac__client_destroy(c->machine);
    tac__arena_fini(&c->arena);
    free(c->scratch);
    tac__key_forget(c->key);
    free(c);
}

void tac_client_info_sized(const tac_client *c, tac_membership *info, size_t size)
{
    tac_membership ours = {0};
    if (c)
        ours = tac__client_info(c->machine);
    tac__def_give(info, size, &ours, sizeof ours);
}
