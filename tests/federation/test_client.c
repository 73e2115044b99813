// A client beside a server: how many messages it has to keep, and what it refuses to send. The
// server hands over a limited number of messages with each grant, but all messages of an instant,
// so that the client goes on. A message that would break the client's word is refused before the
// server sees anything of it.
#include "federation/client.h"
#include "federation/server.h"
#include "support/formats.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

enum { GRANT_MESSAGES = 65536, GRANT_BYTES = 1 << 24 }; // docs/federation.md

typedef struct side {
    tac__client *client;
    int connection;
} side;

// All bytes on their way between a client and the server.
static void move_bytes(tac__server *s, const side *c)
{
    tac_error err;
    tac__bytes *up = tac__client_output(c->client), *down = tac__server_output(s, c->connection);
    tac__server_input(s, c->connection, tac__bytes_front(up), tac__bytes_count(up));
    tac__bytes_take(up, tac__bytes_count(up));
    if (!tac__bytes_count(down))
        return;
    if (tac__client_input(c->client, tac__bytes_front(down), tac__bytes_count(down), &err) !=
        TAC_OK)
        fail_msg("%s", err.text);
    tac__bytes_take(down, tac__bytes_count(down));
}

static void turn(tac__server *s, const side sides[2])
{
    tac_error err;
    for (int i = 0; i < 2; i++)
        move_bytes(s, &sides[i]);
    tac__server_turn(s, 0);
    for (int i = 0; i < 2; i++)
        move_bytes(s, &sides[i]);
    if (tac__server_error(s, &err) != TAC_OK)
        fail_msg("%s", err.text);
}

typedef struct pair {
    tac__server *server;
    side sides[2]; // the first publishes NEWS, the second one hears it and publishes ECHO, for the
                   // first
    uint32_t channels[2];
} pair;

enum { DELAY_US = 10, END_US = 950000 };

static void open_pair(pair *p, bool echo)
{
    static const char *const names[] = {"sender", "receiver"};
    tac_error err;
    uint32_t inlet;
    tac_server_def def = tac_server_def_default();
    def.names = names;
    def.count = 2;
    def.delay_us = DELAY_US;
    def.end_us = END_US;
    assert_int_equal(tac__server_create(NULL, &def, &p->server, &err), TAC_OK);
    tac__server_advance_to(p->server, def.end_us + 1);
    tac_channel_def news = tac_channel_def_default();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tac__client_create(NULL, names[i], &p->sides[i].client, &err), TAC_OK);
        p->sides[i].connection = tac__server_connect(p->server);
    }
    for (int i = 0; i <= echo; i++) {
        news.channel = i ? "ECHO" : "NEWS";
        assert_int_equal(tac__client_publish(p->sides[i].client, &news, &p->channels[i], &err),
                         TAC_OK);
        assert_int_equal(tac__client_subscribe(p->sides[!i].client, &news, &inlet, &err), TAC_OK);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(tac__client_join(p->sides[i].client, &err), TAC_OK);
    turn(p->server, p->sides);
}

static void close_pair(pair *p)
{
    for (int i = 0; i < 2; i++)
        tac__client_destroy(p->sides[i].client);
    tac__server_destroy(p->server);
}

static void poll_at(pair *p, int i, tac_time t_us, tac_time next_us)
{
    tac_error err;
    if (tac__client_poll(p->sides[i].client, t_us, next_us, &err) != TAC_OK)
        fail_msg("%s", err.text);
}

// `count` messages of `size` bytes, one each `step_us`, are sent before the receiver goes on from
// 0. Returns the most that come with one grant, messages or bytes.
static size_t most_at_once(size_t count, size_t size, tac_time step_us, bool bytes)
{
    static const uint8_t zeros[1 << 16];
    pair p;
    tac_error err;
    open_pair(&p, false);
    tac__client *from = p.sides[0].client, *to = p.sides[1].client;
    poll_at(&p, 0, 0, 1);
    poll_at(&p, 1, 0, TAC_TIME_NEVER);
    turn(p.server, p.sides);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tac__client_send(from, p.channels[0], 1 + i * step_us, TAC_TIME_NEVER, i,
                                          zeros, size, &err),
                         TAC_OK);
    poll_at(&p, 0, END_US + 1, TAC_TIME_NEVER);
    size_t taken = 0, most = 0;
    tac_time last_us = 0;
    while (taken < count) {
        turn(p.server, p.sides);
        const tac_time granted_us = tac__client_info(to).granted_us;
        tac_delivery d;
        size_t total = 0;
        while (tac__client_receive(to, granted_us, &d)) {
            assert_true(d.sequence == taken++ && d.delivered_us >= last_us);
            assert_true(d.delivered_us < granted_us);
            last_us = d.delivered_us;
            total += bytes ? d.length : 1;
        }
        most = total > most ? total : most;
        if (tac__client_state_of(to) != TAC__CLIENT_WAITING)
            poll_at(&p, 1, granted_us, TAC_TIME_NEVER);
    }
    close_pair(&p);
    return most;
}

static void test_bounded(void **state)
{
    (void)state;
    assert_int_equal(most_at_once(1000, 8, 3, false), 1000);
    assert_int_equal(most_at_once(300000, 8, 3, false), GRANT_MESSAGES);
    const size_t bytes = most_at_once(1000, 60000, 3, true);
    assert_true(bytes <= GRANT_BYTES && bytes > GRANT_BYTES - 61000);
    // Messages of one instant are not taken apart.
    assert_int_equal(most_at_once(100000, 8, 0, false), 100000);
}

// --- what is refused ----------------------------------------------------------------------------

// Send at t_us; NULL for success, else the words of the refusal. Neither the client nor the server
// is any the worse for a refusal: not a byte is written.
static const char *send_at(pair *p, int i, tac_time t_us, tac_status expected)
{
    static tac_error err;
    tac__client *c = p->sides[i].client;
    const size_t before = tac__bytes_count(tac__client_output(c));
    const tac_status status =
        tac__client_send(c, p->channels[i], t_us, TAC_TIME_NEVER,
                         tac__client_sequence(c, p->channels[i]), "x", 1, &err);
    assert_int_equal(status, expected);
    assert_int_equal(tac__client_error(c, NULL), TAC_OK);
    assert_true((tac__bytes_count(tac__client_output(c)) == before) == (status != TAC_OK));
    return status == TAC_OK ? NULL : err.text;
}

static void refused(pair *p, int i, tac_time t_us, tac_status status, const char *one,
                    const char *other)
{
    const char *text = send_at(p, i, t_us, status);
    test_has(text, one);
    test_has(text, other);
}

static void test_refused(void **state)
{
    (void)state;
    pair p;
    open_pair(&p, true);
    // Before the first poll, which is at 0.
    refused(&p, 0, 1, TAC_E_RANGE, "at 1 us", "first poll, which is at 0 s");
    refused(&p, 0, 5000, TAC_E_RANGE, "at 5 ms", "'sender' has not polled yet");
    send_at(&p, 0, 0, TAC_OK);
    poll_at(&p, 0, 0, 300);
    poll_at(&p, 1, 0, TAC_TIME_NEVER);
    turn(p.server, p.sides);
    // Before the next own event, with nothing that has arrived. The word holds while less is
    // stated.
    refused(&p, 0, 299, TAC_E_PROMISE, "at 299 us", "before 300 us");
    poll_at(&p, 0, 5, 100);
    refused(&p, 0, 100, TAC_E_PROMISE, "at 100 us", "before 300 us");
    send_at(&p, 0, 300, TAC_OK);
    // NEWS of 0 arrives at 10: it is no excuse at 9.
    poll_at(&p, 1, 9, TAC_TIME_NEVER);
    refused(&p, 1, 9, TAC_E_PROMISE, "at 9 us", "before never");
    poll_at(&p, 1, 12, 500);
    turn(p.server, p.sides);
    send_at(&p, 1, 12, TAC_OK); // it is here, taken or not
    tac_delivery d;
    assert_true(tac__client_receive(p.sides[1].client, 12, &d));
    assert_int_equal(d.delivered_us, DELAY_US);
    send_at(&p, 1, 13, TAC_OK);
    // A new word, and its instant.
    poll_at(&p, 1, 14, 20);
    turn(p.server, p.sides);
    refused(&p, 1, 19, TAC_E_PROMISE, "at 19 us", "before 20 us");
    send_at(&p, 1, 20, TAC_OK);
    turn(p.server, p.sides);
    assert_int_equal(tac__server_error(p.server, NULL), TAC_OK);
    close_pair(&p);
}

// --- who may work at the same time --------------------------------------------------------------

// Two clients that only answer each other: whenever both are authorised, one of them has nothing to
// do. Two that have a step of their own every 100 us work side by side.
static double at_once(bool answer)
{
    pair p;
    tac_delivery d;
    open_pair(&p, true);
    if (answer)
        send_at(&p, 0, 0, TAC_OK);
    tac_time now_us[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        poll_at(&p, i, 0, answer ? TAC_TIME_NEVER : 100);
    for (int round = 0; round < 2000; round++) {
        turn(p.server, p.sides);
        for (int i = 0; i < 2; i++) {
            tac__client *c = p.sides[i].client;
            if (tac__client_state_of(c) != TAC__CLIENT_RUNNING)
                continue;
            const tac_time granted_us = tac__client_info(c).granted_us;
            while (tac__client_receive(c, granted_us, &d)) {
                now_us[i] = d.delivered_us;
                send_at(&p, i, now_us[i], TAC_OK);
            }
            now_us[i] = granted_us;
            poll_at(&p, i, granted_us, answer ? TAC_TIME_NEVER : (granted_us / 100 + 1) * 100);
        }
    }
    const tac_dispatch_info info = tac__server_info(p.server);
    assert_true(info.busy_turns > 100 && info.turns >= info.busy_turns);
    assert_int_equal(info.most_at_once, answer ? 1 : 2);
    close_pair(&p);
    return (double)info.busy / (double)info.busy_turns;
}

static void test_at_once(void **state)
{
    (void)state;
    assert_true(at_once(true) == 1);
    assert_true(at_once(false) > 1.9);
}

TEST_MAIN(cmocka_unit_test(test_at_once), cmocka_unit_test(test_bounded),
          cmocka_unit_test(test_refused))
