// How many messages a client has to keep: the server hands over a limited number with each grant,
// but all messages of an instant, so that the client goes on.
#include "federation/client.h"
#include "federation/server.h"
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

// `count` messages of `size` bytes, one each `step_us`, are sent before the receiver goes on from
// 0. Returns the most that come with one grant, messages or bytes.
static size_t most_at_once(size_t count, size_t size, tac_time step_us, bool bytes)
{
    static const char *const names[] = {"sender", "receiver"};
    static const uint8_t zeros[1 << 16];
    tac_error err;
    tac__server *s;
    side sides[2];
    uint32_t channel, inlet;
    tac_server_def def = tac_server_def_default();
    def.names = names;
    def.count = 2;
    def.delay_us = 10;
    def.end_us = 950000;
    assert_int_equal(tac__server_create(NULL, &def, &s, &err), TAC_OK);
    tac__server_advance_to(s, def.end_us + 1);
    tac_channel_def news = tac_channel_def_default();
    news.channel = "NEWS";
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tac__client_create(NULL, names[i], &sides[i].client, &err), TAC_OK);
        sides[i].connection = tac__server_connect(s);
    }
    assert_int_equal(tac__client_publish(sides[0].client, &news, &channel, &err), TAC_OK);
    assert_int_equal(tac__client_subscribe(sides[1].client, &news, &inlet, &err), TAC_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(tac__client_join(sides[i].client, &err), TAC_OK);
    turn(s, sides);
    for (int i = 0; i < 2; i++)
        assert_int_equal(tac__client_poll(sides[i].client, 0, i ? TAC_TIME_NEVER : 1, &err),
                         TAC_OK);
    turn(s, sides);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tac__client_send(sides[0].client, channel, 1 + i * step_us, TAC_TIME_NEVER,
                                          i, zeros, size, &err),
                         TAC_OK);
    assert_int_equal(tac__client_poll(sides[0].client, def.end_us + 1, TAC_TIME_NEVER, &err),
                     TAC_OK);
    size_t taken = 0, most = 0;
    tac_time last_us = 0;
    for (size_t now = 0; taken < count; now = 0) {
        turn(s, sides);
        const tac_time granted_us = tac__client_info(sides[1].client).granted_us;
        tac_delivery d;
        size_t total = 0;
        while (tac__client_receive(sides[1].client, granted_us, &d)) {
            assert_true(d.sequence == taken && d.delivered_us >= last_us);
            assert_true(d.delivered_us < granted_us);
            last_us = d.delivered_us;
            taken++;
            now++;
            total += d.length;
        }
        most = (bytes ? total : now) > most ? (bytes ? total : now) : most;
        if (tac__client_state_of(sides[1].client) != TAC__CLIENT_WAITING)
            assert_int_equal(tac__client_poll(sides[1].client, granted_us, TAC_TIME_NEVER, &err),
                             TAC_OK);
    }
    for (int i = 0; i < 2; i++)
        tac__client_destroy(sides[i].client);
    tac__server_destroy(s);
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

TEST_MAIN(cmocka_unit_test(test_bounded))
