// What clients do before the start and before their first poll, and numbers at their limits: raw
// frames to a server of two.
#include "federation/client.h"
#include "federation/server.h"
#include "support/formats.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"alpha", "bravo"};
static char logged[4096];

static void note(void *context, const char *text)
{
    (void)context;
    snprintf(logged + strlen(logged), sizeof logged - strlen(logged), "%s\n", text);
}

static tac__server *opened(uint32_t timeout_ms)
{
    tac_server_def def = tac_server_def_default();
    tac__server *server;
    tac_error err;
    def.names = names;
    def.count = 2;
    def.delay_us = 1000;
    def.timeout_ms = timeout_ms;
    def.log = note;
    logged[0] = '\0';
    if (tac__server_create(NULL, &def, &server, &err) != TAC_OK)
        fail_msg("%s", err.text);
    tac__server_advance_to(server, 1);
    return server;
}

static int joined(tac__server *server, const char *name, const char *hears)
{
    tac__client *client;
    tac_channel_def channel = tac_channel_def_default();
    uint32_t number;
    tac_error err;
    assert_int_equal(tac__client_create(NULL, name, &client, &err), TAC_OK);
    channel.channel = "A";
    assert_int_equal(tac__client_publish(client, &channel, &number, &err), TAC_OK);
    channel.channel = hears;
    if (hears)
        assert_int_equal(tac__client_subscribe(client, &channel, &number, &err), TAC_OK);
    assert_int_equal(tac__client_join(client, &err), TAC_OK);
    const int at = tac__server_connect(server);
    tac__bytes *out = tac__client_output(client);
    tac__server_input(server, at, tac__bytes_front(out), tac__bytes_count(out));
    tac__client_destroy(client);
    return at;
}

static void give(tac__server *server, int at, tac__bytes *frames)
{
    tac__server_input(server, at, tac__bytes_front(frames), tac__bytes_count(frames));
    tac__bytes_fini(frames);
}

static void put_result(tac__bytes *frames)
{
    tac__wire w = tac__wire_begin(frames, TAC__FRAME_RESULT);
    tac__wire_u64(&w, 7);
    tac__wire_text(&w, "r");
    tac__wire_end(&w);
}

// The federation has failed because of `alpha`; with the exit code 3, as what it sent is not what
// the protocol allows.
static void failed(tac__server *server, const char *text)
{
    tac_error err;
    assert_int_equal(tac__server_error(server, &err), TAC_E_PROTOCOL);
    assert_int_equal(tac_status_exit_code(err.status), 3);
    assert_string_equal(err.component, "alpha");
    test_has(err.text, text);
    tac__server_destroy(server);
}

// More than a client may send before the start, and more results than it may hand in.
static void test_limits(void **state)
{
    (void)state;
    tac__bytes frames;
    tac__bytes_init(&frames, NULL);
    static const uint8_t piece[1 << 20];
    tac__server *server = opened(0);
    int alpha = joined(server, "alpha", NULL);
    for (int i = 0; i < 65; i++)
        tac__server_input(server, alpha, piece, sizeof piece);
    failed(server, "'alpha' sends more than 67108864 bytes before the start");

    server = opened(0);
    alpha = joined(server, "alpha", NULL);
    const int bravo = joined(server, "bravo", NULL);
    tac__wire_put_clock(&frames, TAC__FRAME_POLL_WAIT,
                        &(tac__wire_clock){.next_us = TAC_TIME_NEVER});
    give(server, alpha, &frames);
    tac__wire_put_clock(&frames, TAC__FRAME_POLL_WAIT,
                        &(tac__wire_clock){.next_us = TAC_TIME_NEVER});
    give(server, bravo, &frames);
    tac__server_turn(server, 1000);
    assert_int_equal(tac__server_state_of(server), TAC__SERVER_ADVANCING);
    for (int i = 0; i < 1 << 20; i++)
        put_result(&frames);
    give(server, alpha, &frames);
    assert_int_equal(tac__server_error(server, NULL), TAC_OK);
    put_result(&frames);
    give(server, alpha, &frames);
    failed(server, "'alpha' hands in more than 1048576 results");
}

// The last number of a message has none behind it: it would be 0 again.
static void test_sequence(void **state)
{
    (void)state;
    static const uint64_t last = UINT64_MAX - 1;
    tac__bytes frames;
    tac__bytes_init(&frames, NULL);
    for (int type = TAC__FRAME_SEND_MESSAGE; type <= TAC__FRAME_QUEUED_MESSAGE; type++) {
        for (int again = 0; again < 2; again++) {
            tac__server *server = opened(0);
            const int alpha = joined(server, "alpha", NULL);
            (void)joined(server, "bravo", "A");
            tac__server_turn(server, 1000);
            tac__wire_mail mail = {.sequence = again ? last : last + 1, .delivered_us = 5000};
            tac__wire_put_mail(&frames, (tac__frame_type)type, &mail);
            give(server, alpha, &frames);
            if (again) {
                assert_int_equal(tac__server_error(server, NULL), TAC_OK);
                mail.sequence = 0;
                tac__wire_put_mail(&frames, (tac__frame_type)type, &mail);
                give(server, alpha, &frames);
                failed(server, "'alpha' sends number 0 on 'A' again");
            } else {
                failed(server, "'alpha' sends number 18446744073709551615 on 'A'");
            }
        }
    }
}

// A result before the first poll, and while the client waits.
static void test_result(void **state)
{
    (void)state;
    tac__bytes frames;
    tac__bytes_init(&frames, NULL);
    for (int polled = 0; polled < 2; polled++) {
        for (int early = 0; early < 2; early++) { // before or after the start
            tac__server *server = opened(0);
            const int alpha = joined(server, "alpha", NULL);
            if (!early)
                (void)joined(server, "bravo", NULL);
            tac__server_turn(server, 1000);
            if (polled)
                tac__wire_put_clock(&frames, TAC__FRAME_POLL_WAIT, &(tac__wire_clock){0});
            put_result(&frames);
            give(server, alpha, &frames);
            if (early)
                (void)joined(server, "bravo", NULL);
            tac__server_turn(server, 1000);
            failed(server, "'alpha' sent RESULT at the wrong moment");
        }
    }
    // The library refuses it before it is sent.
    tac__client *client;
    tac_error err;
    assert_int_equal(tac__client_create(NULL, "alpha", &client, &err), TAC_OK);
    assert_int_equal(tac__client_join(client, &err), TAC_OK);
    tac__wire w = tac__wire_begin(&frames, TAC__FRAME_WELCOME);
    tac__wire_u16(&w, TAC__WIRE_VERSION);
    tac__wire_u16(&w, 0);
    tac__wire_u32(&w, 0);
    tac__wire_u32(&w, 2);
    tac__wire_u32(&w, 1000);
    tac__wire_u64(&w, 1);
    tac__wire_u64(&w, 1000);
    tac__wire_end(&w);
    assert_int_equal(
        tac__client_input(client, tac__bytes_front(&frames), tac__bytes_count(&frames), &err),
        TAC_OK);
    tac__bytes_fini(&frames);
    assert_int_equal(tac__client_result(client, "r", 7, &err), TAC_E_CALLER);
    test_has(err.text, "handing in a result: the client has not polled yet");
    tac__client_destroy(client);
}

// A text of another process has one line, wherever it is shown.
static void test_lines(void **state)
{
    (void)state;
    static const char *const shown = "no\\nerror: all is \\x1b[31mlost\\x0d\\n";
    tac__bytes frames;
    tac_error err;
    tac__bytes_init(&frames, NULL);
    tac__server *server = opened(0);
    const int alpha = joined(server, "alpha", NULL), bravo = joined(server, "bravo", "A\nB\x1b");
    tac__server_turn(server, 1000);
    assert_string_equal(logged,
                        "'bravo' subscribes to 'A\\nB\\x1b', which no other client publishes\n");
    tac__wire_put_end(&frames, TAC__FRAME_ABORT, "alpha", 0, "no\nerror: all is \x1b[31mlost\r\n");
    give(server, alpha, &frames);
    assert_int_equal(tac__server_error(server, &err), TAC_E_FEDERATION);
    assert_string_equal(err.text, shown);
    const tac__bytes *out = tac__server_output(server, bravo);
    const uint8_t *bytes = tac__bytes_front(out);
    for (size_t i = 0; i < tac__bytes_count(out); i++)
        assert_int_not_equal(bytes[i], '\x1b');
    tac__server_destroy(server);

    // A name of a channel in a refusal, and what a server says to a client.
    server = opened(0);
    tac__wire w = tac__wire_begin(&frames, TAC__FRAME_HELLO);
    tac__wire_u32(&w, TAC__WIRE_MAGIC);
    tac__wire_u16(&w, TAC__WIRE_VERSION);
    tac__wire_u16(&w, 0);
    tac__wire_text(&w, "al\npha");
    tac__wire_text(&w, "");
    tac__wire_u32(&w, 0);
    tac__wire_u32(&w, 0);
    tac__wire_end(&w);
    const int stranger = tac__server_connect(server);
    give(server, stranger, &frames);
    tac__bytes *refusal = tac__server_output(server, stranger);
    assert_null(memchr(tac__bytes_front(refusal), '\n', tac__bytes_count(refusal)));
    tac__server_destroy(server);
    for (int type = TAC__FRAME_REFUSE; type <= TAC__FRAME_ABORT;
         type += TAC__FRAME_ABORT - TAC__FRAME_REFUSE) {
        tac__client *client;
        assert_int_equal(tac__client_create(NULL, "alpha", &client, &err), TAC_OK);
        assert_int_equal(tac__client_join(client, &err), TAC_OK);
        tac__wire_put_end(&frames, (tac__frame_type)type, "b\nc", 0,
                          "no\nerror: all is \x1b[31mlost\r\n");
        assert_int_equal(
            tac__client_input(client, tac__bytes_front(&frames), tac__bytes_count(&frames), &err),
            TAC_E_ENDED);
        tac__bytes_fini(&frames);
        test_has(err.text, shown);
        test_has(err.text, "'b\\nc'");
        assert_null(strchr(err.text, '\n'));
        tac__client_destroy(client);
    }
}

// One that is lost before the start has `timeout` to come again; one that has never come is told of
// only.
static void test_lost(void **state)
{
    (void)state;
    tac_error err;
    tac__server *server = opened(3000);
    uint64_t now_ms = 1000;
    int alpha = joined(server, "alpha", NULL);
    for (int i = 0; i < 100; i++)
        tac__server_turn(server, now_ms += 100);
    assert_int_equal(tac__server_error(server, &err), TAC_OK); // bravo has not come yet
    tac__server_closed(server, alpha, NULL);
    for (int i = 0; i < 20; i++)
        tac__server_turn(server, now_ms += 100);
    alpha = joined(server, "alpha", NULL); // in time
    for (int i = 0; i < 100; i++)
        tac__server_turn(server, now_ms += 100);
    assert_int_equal(tac__server_error(server, &err), TAC_OK);
    tac__server_closed(server, alpha, NULL);
    for (int i = 0; i < 25; i++)
        tac__server_turn(server, now_ms += 100);
    assert_int_equal(tac__server_error(server, &err), TAC_OK);
    for (int i = 0; i < 10; i++)
        tac__server_turn(server, now_ms += 100);
    assert_int_equal(tac__server_error(server, &err), TAC_E_NETWORK);
    assert_string_equal(err.component, "alpha");
    assert_string_equal(err.text, "the connection to 'alpha' was lost before the start, and it has "
                                  "not joined again for 3 s");
    tac__server_destroy(server);
    // No timeout: no limit.
    server = opened(0);
    tac__server_closed(server, joined(server, "alpha", NULL), NULL);
    for (int i = 0; i < 1000; i++)
        tac__server_turn(server, now_ms += 1000);
    assert_int_equal(tac__server_error(server, &err), TAC_OK);
    tac__server_destroy(server);
}

TEST_MAIN(cmocka_unit_test(test_limits), cmocka_unit_test(test_sequence),
          cmocka_unit_test(test_result), cmocka_unit_test(test_lines), cmocka_unit_test(test_lost))
