// What goes wrong in a federation, and what everyone is told: who, at what simulated time, what was
// lost. Inside one process, with a wall clock of the test's own.
#include "federation/rig.h"
#include "support/allocator.h"

// --- joining ------------------------------------------------------------------------------------

// What the server says to one who sends these bytes: the text of REFUSE; "": nothing yet.
static const char *answer(rig *r, int connection)
{
    static char who[256], why[TAC_ERROR_TEXT];
    tac__bytes *out = tac__server_output(r->server, connection);
    tac__frame f;
    size_t length;
    tac_error err;
    if (!tac__bytes_count(out))
        return "";
    assert_int_equal(tac__frame_next(tac__bytes_front(out), tac__bytes_count(out),
                                     TAC__FRAME_FROM_SERVER, &f, &length, &err),
                     TAC_OK);
    assert_true(length > 0);
    if (f.type != TAC__FRAME_REFUSE)
        return tac__frame_name(f.type);
    (void)tac__frame_u64(&f);
    assert_non_null(tac__frame_text(&f, who, sizeof who));
    assert_non_null(tac__frame_text(&f, why, sizeof why));
    assert_int_equal(tac__frame_end(&f, &err), TAC_OK);
    assert_true(tac__server_closing(r->server, connection));
    return why;
}

static int stranger(rig *r, const void *bytes, size_t count)
{
    const int connection = tac__server_connect(r->server);
    assert_true(connection >= 0);
    tac__server_input(r->server, connection, bytes, count);
    return connection;
}

// What a program of another name, version or with other channels says first.
typedef struct hello {
    unsigned version;
    const char *name, *channel, *type;
    uint64_t fingerprint;
} hello;

static const char *say_hello(rig *r, const hello *h)
{
    tac__bytes out;
    tac__bytes_init(&out, NULL);
    tac__wire w = tac__wire_begin(&out, TAC__FRAME_HELLO);
    tac__wire_u32(&w, TAC__WIRE_MAGIC);
    tac__wire_u16(&w, (uint16_t)h->version);
    tac__wire_u16(&w, 0);
    tac__wire_text(&w, h->name);
    tac__wire_text(&w, "a test");
    tac__wire_u32(&w, 0);
    tac__wire_u32(&w, h->channel ? 1 : 0);
    if (h->channel) {
        tac__wire_u32(&w, 0);
        tac__wire_text(&w, h->channel);
        tac__wire_text(&w, h->channel);
        tac__wire_text(&w, h->type);
        tac__wire_u64(&w, h->fingerprint);
        tac__wire_u32(&w, 0);
    }
    tac__wire_end(&w);
    const int at = stranger(r, tac__bytes_front(&out), tac__bytes_count(&out));
    tac__bytes_fini(&out);
    return answer(r, at);
}

static void says(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in \"%s\"", part, text);
}

static void ends_well(rig *r)
{
    rig_run(r);
    if (tac__server_error(r->server, &r->err) != TAC_OK)
        fail_msg("%s", r->err.text);
    for (size_t i = 0; i < r->count; i++) {
        if (r->nodes[i].failed)
            fail_msg("%s", r->nodes[i].err.text);
        assert_true(r->nodes[i].taken > 5);
    }
}

static void test_refused(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, rig_def(), NULL, NULL);
    says(say_hello(&r, &(hello){.version = 1, .name = "brava"}),
         "this federation has no client 'brava'; did you mean 'bravo'?");
    says(say_hello(&r, &(hello){.version = 7, .name = "bravo"}),
         "the client speaks version 7 of the protocol, this server version 1");
    rig_turn(&r); // all join
    assert_int_equal(tac__server_info(r.server).joined, 3);
    ends_well(&r);
    rig_close(&r);

    // One after another: alpha is there, others do not fit.
    rig_open(&r, rig_def(), NULL, NULL);
    rig_run_node(&r, &r.nodes[0]);
    rig_move(&r, &r.nodes[0], true);
    assert_int_equal(tac__server_info(r.server).joined, 1);
    says(say_hello(&r, &(hello){.version = 1, .name = "alpha"}),
         "there is a client 'alpha' already");
    says(say_hello(&r, &(hello){1, "bravo", "OF_alpha", "parcel", 0xabc}),
         "'alpha' publishes 'OF_alpha' as letter (0000000000000000), but 'bravo' expects parcel "
         "(0000000000000abc)");
    ends_well(&r);
    rig_close(&r);

    // A client that leaves before the start may come again, as often as it likes.
    rig_open(&r, rig_def(), NULL, NULL);
    for (int i = 0; i < 100; i++) {
        const int at = tac__server_connect(r.server);
        rig_node *n = &r.nodes[0];
        tac__client *other;
        assert_int_equal(tac__client_create(NULL, n->name, &other, NULL), TAC_OK);
        assert_int_equal(tac__client_join(other, NULL), TAC_OK);
        tac__bytes *out = tac__client_output(other);
        tac__server_input(r.server, at, tac__bytes_front(out), tac__bytes_count(out));
        assert_string_equal(answer(&r, at), "WELCOME");
        assert_int_equal(tac__server_info(r.server).joined, 1);
        tac__server_closed(r.server, at, NULL);
        assert_int_equal(tac__server_info(r.server).joined, 0);
        tac__client_destroy(other);
    }
    ends_well(&r);
    rig_close(&r);
}

static void test_late(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, rig_def(), NULL, NULL);
    for (int i = 0; i < 5; i++)
        rig_turn(&r);
    assert_int_equal(tac__server_state_of(r.server), TAC__SERVER_ADVANCING);
    says(say_hello(&r, &(hello){.version = 1, .name = "alpha"}),
         "the federation has started: nobody can join any more");
    ends_well(&r);
    says(say_hello(&r, &(hello){.version = 1, .name = "alpha"}), "the federation is over");
    rig_close(&r);
}

// --- strangers ----------------------------------------------------------------------------------

static const char http[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
static const uint8_t tls[] = {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03};
static const uint8_t large[8] = {0xff, 0xff, 0xff, 0, TAC__FRAME_HELLO, 0, 0, 0};
static const uint8_t other[8] = {0xff, 0xff, 0xff, 0, TAC__FRAME_SEND_MESSAGE, 0, 0, 0};

static void bother(rig *r, unsigned i)
{
    uint8_t noise[64];
    for (size_t k = 0; k < sizeof noise; k++)
        noise[k] = (uint8_t)(i * 151 + k * k * 29);
    static char nothing[1 << 16];
    switch (i % 7) {
    case 6:
        says(say_hello(r, &(hello){.version = 2, .name = "alpha"}), "version 2 of the protocol");
        break;
    case 0:
        says(answer(r, stranger(r, http, sizeof http - 1)), "not a frame of the federation");
        break;
    case 1:
        says(answer(r, stranger(r, tls, sizeof tls)), "not a frame of the federation");
        break;
    case 2:
        (void)stranger(r, noise, sizeof noise);
        break;
    case 3:
        tac__server_closed(r->server, stranger(r, http, 3), NULL);
        break;
    case 4: // the header is enough
        says(answer(r, stranger(r, other, sizeof other)), "the first frame of a client is HELLO");
        break;
    default: { // more than is kept for a stranger
        const int at = stranger(r, large, sizeof large);
        for (int k = 0; k < 100 && !tac__server_closing(r->server, at); k++)
            tac__server_input(r->server, at, nothing, sizeof nothing);
        says(answer(r, at), "a HELLO has at most");
        break;
    }
    }
}

// They come while the federation joins and while it runs; it does not notice.
static void test_strangers(void **state)
{
    (void)state;
    rig calm, r;
    rig_open(&calm, rig_def(), NULL, NULL);
    ends_well(&calm);
    rig_open(&r, rig_def(), NULL, NULL);
    for (unsigned i = 0; !rig_is_over(&r) && i < 10000; i++) {
        if (tac__server_state_of(r.server) < TAC__SERVER_ENDED)
            bother(&r, i);
        rig_turn(&r);
    }
    ends_well(&r);
    for (size_t i = 0; i < r.count; i++)
        assert_true(r.nodes[i].state == calm.nodes[i].state);
    rig_close(&r);
    rig_close(&calm);
}

// Connections that say nothing are closed after 10 s, and keep nobody out before.
static void test_silent(void **state)
{
    (void)state;
    rig r;
    int first = -1;
    rig_open(&r, rig_def(), NULL, NULL);
    for (size_t i = 0; i < r.count; i++)
        r.nodes[i].frozen = true;
    for (int i = 0; i < 63; i++)
        first = first < 0 ? tac__server_connect(r.server) : (tac__server_connect(r.server), first);
    // The connections of the three clients are the oldest: they have not said HELLO either.
    says(answer(&r, r.nodes[0].connection), "too many connections have not said HELLO");
    says(answer(&r, r.nodes[1].connection), "too many connections");
    assert_string_equal(answer(&r, first), "");
    for (size_t i = 0; i < 2; i++) {
        tac__server_closed(r.server, r.nodes[i].connection, NULL);
        rig_connect(&r, &r.nodes[i]);
        r.nodes[i].frozen = false;
    }
    r.nodes[2].frozen = false;
    rig_turn(&r);
    assert_int_equal(tac__server_info(r.server).joined, 2); // carol's connection was sacrificed
    const int again = tac__server_connect(r.server);
    for (int ms = 0; ms < 9000; ms += 1000)
        tac__server_turn(r.server, r.clock_ms += 1000);
    assert_string_equal(answer(&r, again), "");
    for (int ms = 0; ms < 2000; ms += 1000)
        tac__server_turn(r.server, r.clock_ms += 1000);
    says(answer(&r, again), "no HELLO came");
    rig_close(&r);
}

// --- time ---------------------------------------------------------------------------------------

// A client that hangs: after 5 s it is told who waits for whom, after the time-out everyone ends,
// with the name and the time. Strangers do not put it off.
static void hang(tac_lookahead lookahead, bool strangers)
{
    rig r;
    tac_server_def def = rig_def();
    def.timeout_ms = 12000;
    def.lookahead = lookahead;
    rig_open(&r, def, NULL, NULL);
    while (tac__server_time(r.server) < 2000)
        rig_turn(&r);
    r.nodes[1].frozen = true;
    const uint64_t start_ms = r.clock_ms;
    const tac_time now_us = tac__client_info(r.nodes[1].client).reached_us;
    while (tac__server_state_of(r.server) != TAC__SERVER_FAILED) {
        rig_turn(&r);
        if (r.clock_ms - start_ms < 5000)
            assert_string_equal(r.log, "");
        if (strangers && tac__server_state_of(r.server) != TAC__SERVER_FAILED)
            bother(&r, (unsigned)(r.clock_ms / 500));
        assert_true(r.clock_ms - start_ms < 20000);
    }
    assert_true(r.clock_ms - start_ms >= 12000 && r.clock_ms - start_ms < 14000);
    says(r.log, "nothing has moved for 5 s:\n");
    says(r.log, "'bravo' is at work since 2");
    says(r.log, "'alpha' waits at ");
    says(r.log, " for 'bravo'\n");
    says(r.log, "nothing has moved for 10 s:\n");
    r.nodes[1].frozen = false;
    rig_run(&r);
    assert_int_equal(tac__server_error(r.server, &r.err), TAC_E_HANG);
    char text[128], at[TAC_TIME_TEXT];
    tac_time_print(now_us, at);
    snprintf(text, sizeof text, "'bravo' has not responded for 12 s since it came to %s", at);
    says(r.err.text, text);
    assert_string_equal(r.err.component, "bravo");
    assert_true(r.err.t_us == now_us);
    for (size_t i = 0; i < r.count; i++) {
        assert_true(r.nodes[i].failed);
        says(r.nodes[i].err.text, text);
    }
    rig_close(&r);
}

static void test_hang(void **state)
{
    (void)state;
    hang(TAC_LOOKAHEAD_LINK, false);
    hang(TAC_LOOKAHEAD_GLOBAL, false);
    hang(TAC_LOOKAHEAD_LINK, true);
}

// While one client hangs, another has much to say: that does not put off the end.
static void test_hang_beside_another(void **state)
{
    (void)state;
    rig r;
    tac_server_def def = rig_def();
    def.timeout_ms = 5000;
    def.end_us = 1000000000;
    rig_open(&r, def, NULL, NULL);
    while (tac__server_time(r.server) < 2000)
        rig_turn(&r);
    for (size_t i = 0; i < r.count; i++)
        r.nodes[i].frozen = true; // the test speaks for them
    rig_node *n = &r.nodes[0];
    for (int i = 0; i < 40 && tac__server_state_of(r.server) != TAC__SERVER_FAILED; i++) {
        tac__bytes frames;
        tac__bytes_init(&frames, NULL);
        tac__wire_put_time(&frames, TAC__FRAME_PROMISE_NO_SEND, 5000 + (tac_time)i);
        // Only one that is at work may promise.
        if (tac__client_state_of(n->client) == TAC__CLIENT_WAITING)
            n = &r.nodes[n - r.nodes + 1 < (long)r.count ? n - r.nodes + 1 : 0];
        rig_feed(&r, n, true, tac__bytes_front(&frames), tac__bytes_count(&frames));
        tac__bytes_fini(&frames);
        tac__server_turn(r.server, r.clock_ms += 500);
    }
    assert_int_equal(tac__server_error(r.server, &r.err), TAC_E_HANG);
    assert_string_not_equal(r.err.component, n->name);
    rig_close(&r);
}

// A server that was held up itself blames nobody.
static void test_server_held_up(void **state)
{
    (void)state;
    rig r;
    tac_server_def def = rig_def();
    def.timeout_ms = 3000;
    rig_open(&r, def, NULL, NULL);
    for (int i = 0; !rig_is_over(&r) && i < 1000; i++) {
        rig_turn(&r);
        r.clock_ms += 60000;
    }
    ends_well(&r);
    rig_close(&r);
}

// Who has not joined is told, too; there is no limit to that.
static void test_absent(void **state)
{
    (void)state;
    rig r;
    tac_server_def def = rig_def();
    def.timeout_ms = 3000;
    rig_open(&r, def, NULL, NULL);
    r.nodes[2].frozen = true;
    for (int i = 0; i < 100; i++)
        rig_turn(&r);
    says(r.log, "nothing has moved for 5 s:\n  'carol' has not joined\n");
    assert_null(strstr(r.log, "bravo"));
    assert_int_equal(tac__server_state_of(r.server), TAC__SERVER_JOINING);
    tac__server_closed(r.server, r.nodes[2].connection, NULL); // was silent for too long
    rig_connect(&r, &r.nodes[2]);
    r.nodes[2].frozen = false;
    ends_well(&r);
    rig_close(&r);
}

// --- promises and delays ------------------------------------------------------------------------

static void test_promise(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, rig_def(), NULL, NULL);
    while (tac__server_time(r.server) < 2000)
        rig_turn(&r);
    rig_node *n = &r.nodes[0];
    while (tac__client_state_of(n->client) != TAC__CLIENT_RUNNING)
        rig_turn(&r);
    const tac_time now_us = tac__client_info(n->client).reached_us;
    // Locally, at once, with both times; nothing is sent, and the client may go on.
    tac_error err;
    assert_int_equal(tac__client_promise(n->client, now_us + 300, &err), TAC_OK);
    assert_int_equal(
        tac__client_send(n->client, 0, now_us + 299, TAC_TIME_NEVER, 1000, "x", 1, &err),
        TAC_E_PROMISE);
    char at[TAC_TIME_TEXT], promise[TAC_TIME_TEXT];
    tac_time_print(now_us + 299, at);
    tac_time_print(now_us + 300, promise);
    says(err.text, at);
    says(err.text, promise);
    assert_int_equal(
        tac__client_send(n->client, 0, now_us + 300, TAC_TIME_NEVER, 1000, "x", 1, &err), TAC_OK);
    rig_move(&r, n, true);
    assert_int_equal(tac__server_state_of(r.server), TAC__SERVER_ADVANCING);
    // Forged: the server sees it, too.
    tac__bytes frames;
    tac__bytes_init(&frames, NULL);
    const tac__wire_mail mail = {.sent_us = now_us + 299, .sequence = 2000};
    tac__wire_put_mail(&frames, TAC__FRAME_SEND_MESSAGE, &mail);
    rig_feed(&r, n, true, tac__bytes_front(&frames), tac__bytes_count(&frames));
    tac__bytes_fini(&frames);
    assert_int_equal(tac__server_error(r.server, &err), TAC_E_PROMISE);
    says(err.text, at);
    says(err.text, promise);
    assert_string_equal(err.component, "alpha");
    rig_run(&r);
    for (size_t i = 0; i < r.count; i++)
        says(r.nodes[i].err.text, "'alpha'");
    rig_close(&r);
}

static void test_no_delay(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        rig r;
        tac_server_def def = rig_def();
        def.delay_us = 0;
        rig_open(&r, def, NULL, NULL);
        if (i)
            r.law = tac_link_law_default();
        r.law.min_us = 0;
        rig_run(&r);
        assert_int_not_equal(tac__server_error(r.server, &r.err), TAC_OK);
        says(r.err.text, i ? "a delay of zero is refused" : "no delay is given for messages from");
        says(r.err.text, i ? "no process could advance" : "'bravo/OF_bravo' to 'alpha/OF_bravo'");
        for (size_t k = 0; k < r.count; k++)
            says(r.nodes[k].err.text, r.err.text);
        rig_close(&r);
    }
}

// --- amounts ------------------------------------------------------------------------------------

// A source that nothing can hold up, and a reader: one way only.
static void open_one_way(rig *r, tac_server_def def, const tac_allocator *server)
{
    def.count = 2;
    rig_open(r, def, server, NULL);
    for (size_t i = 0; i < 2; i++) {
        rig_node *n = &r->nodes[i];
        tac_channel_def channel = tac_channel_def_default();
        uint32_t number;
        tac__client_destroy(n->client);
        assert_int_equal(tac__client_create(NULL, n->name, &n->client, NULL), TAC_OK);
        channel.channel = "ONE_WAY";
        assert_int_equal(
            (i ? tac__client_subscribe : tac__client_publish)(n->client, &channel, &number, NULL),
            TAC_OK);
    }
    r->nodes[0].period_us = 1000;
    r->nodes[1].period_us = 700;
    r->nodes[1].mute = true;
}

// The reader takes its time: the source is held back, so that its messages fit.
static void test_back_pressure(void **state)
{
    (void)state;
    rig r;
    tac_server_def def = rig_def();
    def.end_us = 4000000;
    def.queue_max = 2000;
    open_one_way(&r, def, NULL);
    const rig_node *reader = &r.nodes[1];
    tac_time ahead_us = 0;
    for (int i = 0; !rig_is_over(&r); i++) {
        assert_true(i < 100000);
        rig_turn(&r);
        const tac_time reached_us = tac__client_info(r.nodes[0].client).reached_us;
        if (reached_us > reader->now_us && reached_us - reader->now_us > ahead_us)
            ahead_us = reached_us - reader->now_us;
    }
    if (tac__server_error(r.server, &r.err) != TAC_OK)
        fail_msg("%s", r.err.text);
    assert_int_equal(reader->taken, 4001);
    assert_true(tac__server_info(r.server).grants < 100);
    assert_true(ahead_us > 100000 && ahead_us < 2200000); // it goes ahead, but not too far
    rig_close(&r);
}

// The reader stops reading: the source waits, memory stays within its limit, and the end comes when
// the reader has been silent for long enough.
static void test_deaf_reader(void **state)
{
    (void)state;
    rig r;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    tac_server_def def = rig_def();
    def.end_us = 400000000;
    def.queue_max = 3000;
    def.timeout_ms = 20000;
    open_one_way(&r, def, &hook);
    while (tac__server_time(r.server) < 2000)
        rig_turn(&r);
    while (tac__client_state_of(r.nodes[1].client) != TAC__CLIENT_WAITING)
        rig_run_node(&r, &r.nodes[1]);
    rig_move(&r, &r.nodes[1], true);
    r.nodes[1].frozen = true;
    while (tac__server_state_of(r.server) != TAC__SERVER_FAILED)
        rig_turn(&r);
    assert_int_equal(tac__server_error(r.server, &r.err), TAC_E_HANG);
    assert_string_equal(r.err.component, "bravo");
    says(r.err.text, "; it has not read ");
    says(r.err.text, "messages for it may be lost");
    assert_true(tac__client_info(r.nodes[0].client).reached_us > 100000);
    assert_true(counts.peak_bytes < 1000000);
    r.nodes[1].frozen = false;
    rig_run(&r);
    rig_close(&r);
    test_allocator_check_empty(&counts);
}

// One that polls rarely and is sent more than may wait for it.
static void flood(bool bytes)
{
    rig r;
    tac_server_def def = rig_def();
    if (bytes)
        def.queue_bytes_max = 700;
    else
        def.queue_max = 8;
    def.end_us = 100000;
    rig_open(&r, def, NULL, NULL);
    r.nodes[2].period_us = 1000000;
    rig_run(&r);
    assert_int_equal(tac__server_error(r.server, &r.err), TAC_E_QUEUE);
    says(r.err.text, bytes ? "bytes wait for all clients, and '" : "messages wait for 'carol', as");
    for (size_t i = 0; i < r.count; i++)
        says(r.nodes[i].err.text, r.err.text);
    rig_close(&r);
}

static void test_flood(void **state)
{
    (void)state;
    flood(false);
    flood(true);
}

// The server never grants more than the end, nor does a client believe it.
static void test_end(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, rig_def(), NULL, NULL);
    tac__server_advance_to(r.server, TAC_TIME_MAX);
    ends_well(&r);
    for (size_t i = 0; i < r.count; i++)
        assert_true(tac__client_info(r.nodes[i].client).granted_us <= 6001);
    rig_close(&r);
    rig_open(&r, rig_def(), NULL, NULL);
    while (tac__server_time(r.server) < 2000)
        rig_turn(&r);
    tac__bytes frames;
    tac__bytes_init(&frames, NULL);
    tac__wire_put_time(&frames, TAC__FRAME_AUTHORIZE_ADVANCE, TAC_TIME_MAX);
    rig_feed(&r, &r.nodes[0], false, tac__bytes_front(&frames), tac__bytes_count(&frames));
    tac__bytes_fini(&frames);
    assert_int_equal(tac__client_info(r.nodes[0].client).granted_us, 6001);
    rig_close(&r);
}

// A client that waits has nothing to say.
static void test_wrong_moment(void **state)
{
    (void)state;
    for (int type = 1; type <= TAC__FRAME_FINISH; type++) {
        rig r;
        rig_open(&r, rig_def(), NULL, NULL);
        while (tac__server_time(r.server) < 2000)
            rig_turn(&r);
        rig_node *n = &r.nodes[0];
        r.nodes[1].frozen = true;
        for (int i = 0; i < 5; i++)
            rig_turn(&r);
        r.nodes[1].frozen = false;
        assert_int_equal(tac__client_state_of(n->client), TAC__CLIENT_WAITING);
        const tac_time now_us = tac__client_info(n->client).reached_us;
        tac__bytes frames;
        tac__bytes_init(&frames, NULL);
        if (type == TAC__FRAME_SEND_MESSAGE || type == TAC__FRAME_QUEUED_MESSAGE)
            tac__wire_put_mail(&frames, (tac__frame_type)type,
                               &(tac__wire_mail){.sent_us = now_us, .delivered_us = now_us + 700});
        else if (type == TAC__FRAME_NOTIFY_ADVANCE || type == TAC__FRAME_POLL_WAIT)
            tac__wire_put_clock(&frames, (tac__frame_type)type,
                                &(tac__wire_clock){now_us, now_us, now_us, 0});
        else
            tac__wire_put_time(&frames, (tac__frame_type)type, now_us);
        rig_feed(&r, n, true, tac__bytes_front(&frames), tac__bytes_count(&frames));
        tac__bytes_fini(&frames);
        assert_int_equal(tac__server_error(r.server, &r.err), TAC_E_PROTOCOL);
        says(r.err.text, tac__frame_name((tac__frame_type)type));
        assert_string_equal(r.err.component, "alpha");
        rig_run(&r);
        rig_close(&r);
    }
}

// Strangers that are connected when the federation ends do not keep it.
static void test_end_with_strangers(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, rig_def(), NULL, NULL);
    const int silent = tac__server_connect(r.server);
    ends_well(&r);
    says(answer(&r, silent), "the federation is over");
    assert_true(tac__server_closing(r.server, silent));
    rig_close(&r);
}

// A client that fails by itself: its reason is everyone's.
static void test_abort(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, rig_def(), NULL, NULL);
    while (tac__server_time(r.server) < 2000)
        rig_turn(&r);
    rig_node *n = &r.nodes[1];
    char text[128], at[TAC_TIME_TEXT];
    tac_time_print(tac__client_info(n->client).reached_us, at);
    snprintf(text, sizeof text, "the federation ended: 'bravo' at %s: a signal is not a number",
             at);
    tac__client_abort(n->client, "a signal is not a number");
    rig_run(&r);
    assert_int_equal(tac__server_error(r.server, &r.err), TAC_E_FEDERATION);
    assert_string_equal(r.err.text, "a signal is not a number");
    assert_string_equal(r.err.component, "bravo");
    assert_int_equal(tac__client_error(n->client, &r.err), TAC_E_FEDERATION);
    assert_string_equal(r.nodes[0].err.text, text);
    assert_int_equal(r.nodes[0].err.status, TAC_E_ENDED);
    assert_string_equal(r.nodes[2].err.text, text);
    rig_close(&r);
}

// A client that is lost: what was on its way to it is counted.
static void test_lost(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, rig_def(), NULL, NULL);
    while (tac__server_time(r.server) < 2000)
        rig_turn(&r);
    const tac_time at_us = tac__client_info(r.nodes[2].client).reached_us;
    r.nodes[2].open = false;
    tac__server_closed(r.server, r.nodes[2].connection, "the cable broke");
    rig_run(&r);
    assert_int_equal(tac__server_error(r.server, &r.err), TAC_E_NETWORK);
    char at[TAC_TIME_TEXT];
    tac_time_print(at_us, at);
    for (size_t i = 0; i < 2; i++) {
        says(r.nodes[i].err.text, "'carol'");
        says(r.nodes[i].err.text, at);
        says(r.nodes[i].err.text, "the cable broke");
        says(r.nodes[i].err.text, "messages for it were not delivered");
    }
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_refused), cmocka_unit_test(test_late),
          cmocka_unit_test(test_strangers), cmocka_unit_test(test_silent),
          cmocka_unit_test(test_hang), cmocka_unit_test(test_hang_beside_another),
          cmocka_unit_test(test_server_held_up), cmocka_unit_test(test_absent),
          cmocka_unit_test(test_promise), cmocka_unit_test(test_no_delay),
          cmocka_unit_test(test_back_pressure), cmocka_unit_test(test_deaf_reader),
          cmocka_unit_test(test_flood), cmocka_unit_test(test_end),
          cmocka_unit_test(test_wrong_moment), cmocka_unit_test(test_end_with_strangers),
          cmocka_unit_test(test_abort), cmocka_unit_test(test_lost))
