// Clients with very many channels and subscriptions: names take time in proportion to their number,
// patterns are refused with the limit that they exceed, and neither holds up a server.
#include "federation/server.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MANY = 40000, FEWER = 5000, TRIES = 5 };

static const char *const names[] = {"writer", "reader"};

static void put_hello(tac__bytes *out, const char *name, const char *format, size_t published,
                      size_t subscribed)
{
    char text[64];
    tac__wire w = tac__wire_begin(out, TAC__FRAME_HELLO);
    tac__wire_u32(&w, TAC__WIRE_MAGIC);
    tac__wire_u16(&w, TAC__WIRE_VERSION);
    tac__wire_u16(&w, 0);
    tac__wire_text(&w, name);
    tac__wire_text(&w, "test");
    for (int inlets = 0; inlets < 2; inlets++) {
        const size_t count = inlets ? subscribed : published;
        tac__wire_u32(&w, (uint32_t)count);
        for (size_t i = 0; i < count; i++) {
            snprintf(text, sizeof text, format, i);
            tac__wire_u32(&w, 0);
            tac__wire_text(&w, text);
            if (inlets)
                tac__wire_text(&w, text);
            tac__wire_text(&w, "");
            tac__wire_u64(&w, 0);
            tac__wire_u32(&w, 0);
        }
    }
    tac__wire_end(&w);
}

static tac__server *opened(void)
{
    tac_server_def def = tac_server_def_default();
    tac__server *server;
    tac_error err;
    def.names = names;
    def.count = 2;
    def.delay_us = 1000;
    if (tac__server_create(NULL, &def, &server, &err) != TAC_OK)
        fail_msg("%s", err.text);
    tac__server_advance_to(server, 1);
    return server;
}

static int say(tac__server *server, const tac__bytes *hello)
{
    const int at = tac__server_connect(server);
    tac__server_input(server, at, tac__bytes_front(hello), tac__bytes_count(hello));
    return at;
}

static tac__frame_type answer(tac__server *server, int at, char *why, size_t size)
{
    const tac__bytes *out = tac__server_output(server, at);
    tac__frame f;
    size_t length;
    assert_int_equal(tac__frame_next(tac__bytes_front(out), tac__bytes_count(out),
                                     TAC__FRAME_FROM_SERVER, &f, &length, NULL),
                     TAC_OK);
    if (f.type == TAC__FRAME_REFUSE) {
        char who[256];
        (void)tac__frame_u64(&f);
        (void)tac__frame_text(&f, who, sizeof who);
        (void)tac__frame_text(&f, why, size);
    }
    return f.type;
}

// Processor time of a federation of two in which every channel has a subscription, until it has
// started.
static double start_s(size_t count, int swapped)
{
    tac__bytes writer, reader;
    tac__bytes_init(&writer, NULL);
    tac__bytes_init(&reader, NULL);
    put_hello(&writer, "writer", "channel.%zu", count, 0);
    put_hello(&reader, "reader", "channel.%zu", 0, count);
    double best_s = 1e9;
    for (int i = 0; i < TRIES; i++) {
        tac__server *server = opened();
        const clock_t begin = clock();
        (void)say(server, swapped ? &reader : &writer);
        (void)say(server, swapped ? &writer : &reader);
        tac__server_turn(server, 1000);
        const double s = (double)(clock() - begin) / CLOCKS_PER_SEC;
        assert_int_equal(tac__server_state_of(server), TAC__SERVER_FIRST_TICK);
        best_s = s < best_s ? s : best_s;
        tac__server_destroy(server);
    }
    tac__bytes_fini(&writer);
    tac__bytes_fini(&reader);
    return best_s;
}

static void test_names(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        const double few_s = start_s(FEWER, swapped), many_s = start_s(MANY, swapped);
        // Eight times as many; in proportion to the square it would be 64 times as long.
        if (many_s > 24 * few_s + 0.01)
            fail_msg("%d names take %.3g s, %d take %.3g s", (int)MANY, many_s, (int)FEWER, few_s);
    }
}

// Patterns that match nothing, everything, and such that take as long as a pattern can.
static void test_patterns(void **state)
{
    (void)state;
    static const char *const patterns[] = {"no*%zu", "?hannel.?%zu*", "*c*h*a*n*n*e*l*%zu*x"};
    for (size_t k = 0; k < 3; k++) {
        for (int swapped = 0; swapped < 2; swapped++) {
            char why[TAC_ERROR_TEXT] = "";
            tac__bytes writer, reader;
            tac__bytes_init(&writer, NULL);
            tac__bytes_init(&reader, NULL);
            put_hello(&writer, "writer", "channel.%zu", MANY, 0);
            put_hello(&reader, "reader", patterns[k], 0, MANY);
            tac__server *server = opened();
            const int first = say(server, swapped ? &reader : &writer);
            assert_int_equal(answer(server, first, why, sizeof why), TAC__FRAME_WELCOME);
            const clock_t begin = clock();
            const int second = say(server, swapped ? &writer : &reader);
            const double s = (double)(clock() - begin) / CLOCKS_PER_SEC;
            assert_int_equal(answer(server, second, why, sizeof why), TAC__FRAME_REFUSE);
            assert_non_null(strstr(why, "takes more than 67108864 steps"));
            assert_non_null(strstr(why, "the 40000 subscriptions of 'reader'"));
            assert_true(s < 6);
            // It concerns nobody else: the other one is there, and a smaller one may join.
            assert_int_equal(tac__server_state_of(server), TAC__SERVER_JOINING);
            tac__bytes_fini(swapped ? &writer : &reader);
            tac__bytes_init(swapped ? &writer : &reader, NULL);
            put_hello(swapped ? &writer : &reader, swapped ? "writer" : "reader",
                      swapped ? "channel.%zu" : patterns[k], swapped ? 10 : 0, swapped ? 0 : 10);
            const int third = say(server, swapped ? &writer : &reader);
            assert_int_equal(answer(server, third, why, sizeof why), TAC__FRAME_WELCOME);
            tac__server_destroy(server);
            tac__bytes_fini(&writer);
            tac__bytes_fini(&reader);
        }
    }
}

static void test_twice(void **state)
{
    (void)state;
    char why[TAC_ERROR_TEXT] = "";
    tac__bytes hello;
    tac__bytes_init(&hello, NULL);
    put_hello(&hello, "writer", "channel", 2, 0);
    tac__server *server = opened();
    const int at = say(server, &hello);
    assert_int_equal(answer(server, at, why, sizeof why), TAC__FRAME_REFUSE);
    assert_non_null(strstr(why, "channel 'channel' is declared twice"));
    tac__server_destroy(server);
    tac__bytes_fini(&hello);
}

TEST_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_patterns),
          cmocka_unit_test(test_twice))
