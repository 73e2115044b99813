// Frames of the federation protocol: what is written is read back, in pieces of any size; whatever
// else arrives is refused.
#include "federation/wire.h"
#include "support/test.h"

#include <string.h>

static void add_all(tac__bytes *b)
{
    const tac__wire_mail mail = {.sent_us = 1,
                                 .sequence = UINT64_C(0x0123456789abcdef),
                                 .delivered_us = TAC_TIME_NEVER,
                                 .channel = 7,
                                 .copy = 1,
                                 .bytes = (const uint8_t *)"hello",
                                 .size = 5};
    tac__wire_put_mail(b, TAC__FRAME_DELIVERED_MESSAGE, &mail);
    const tac__wire_clock clock = {10, 20, 30, 40};
    tac__wire_put_clock(b, TAC__FRAME_POLL_WAIT, &clock);
    tac__wire_put_time(b, TAC__FRAME_PROMISE_NO_SEND, 99);
    tac__wire_put_end(b, TAC__FRAME_ABORT, "lead", 5, "größe");
}

static size_t check_all(const uint8_t *bytes, size_t count, int stop)
{
    size_t used = 0;
    for (int i = 0; i < stop; i++) {
        tac__frame f;
        size_t length;
        tac_error err;
        assert_int_equal(
            tac__frame_next(bytes + used, count - used, TAC__FRAME_FROM_BOTH, &f, &length, &err),
            TAC_OK);
        if (!length)
            return used;
        used += length;
        if (i == 0) {
            assert_int_equal(f.type, TAC__FRAME_DELIVERED_MESSAGE);
            const tac__wire_mail m = tac__frame_mail(&f);
            assert_true(m.sent_us == 1 && m.sequence == UINT64_C(0x0123456789abcdef) &&
                        m.delivered_us == TAC_TIME_NEVER && m.channel == 7 && m.copy == 1);
            assert_int_equal(m.size, 5);
            assert_memory_equal(m.bytes, "hello", 5);
        } else if (i == 1) {
            assert_int_equal(f.type, TAC__FRAME_POLL_WAIT);
            const tac__wire_clock c = tac__frame_clock(&f);
            assert_true(c.t_us == 10 && c.promise_us == 20 && c.next_us == 30 && c.received == 40);
        } else if (i == 2) {
            assert_int_equal(f.type, TAC__FRAME_PROMISE_NO_SEND);
            assert_true(tac__frame_u64(&f) == 99);
        } else {
            char text[16];
            assert_true(tac__frame_u64(&f) == 5);
            assert_string_equal(tac__frame_text(&f, text, sizeof text), "lead");
            assert_string_equal(tac__frame_text(&f, text, sizeof text), "größe");
        }
        assert_int_equal(tac__frame_end(&f, &err), TAC_OK);
    }
    return used;
}

static void test_there_and_back(void **state)
{
    (void)state;
    tac__bytes b;
    tac__bytes_init(&b, NULL);
    add_all(&b);
    assert_false(b.failed);
    assert_true(check_all(tac__bytes_front(&b), tac__bytes_count(&b), 4) == tac__bytes_count(&b));
    for (size_t n = 0; n < tac__bytes_count(&b); n++) // whole frames, or nothing
        assert_true(check_all(tac__bytes_front(&b), n, 4) <= n);
    tac__bytes_fini(&b);
}

// The layout itself: what docs/federation-protocol.md says, byte for byte.
static void test_layout(void **state)
{
    (void)state;
    tac__bytes b;
    tac__bytes_init(&b, NULL);
    tac__wire_put_time(&b, TAC__FRAME_AUTHORIZE_ADVANCE, UINT64_C(0x0102030405060708));
    static const uint8_t expected[] = {8, 0, 0, 0, 8, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1};
    assert_int_equal(tac__bytes_count(&b), sizeof expected);
    assert_memory_equal(tac__bytes_front(&b), expected, sizeof expected);
    tac__bytes_fini(&b);
}

static void refuse(const uint8_t *bytes, size_t n, const char *text)
{
    tac__frame f;
    size_t length;
    tac_error err;
    assert_int_equal(tac__frame_next(bytes, n, TAC__FRAME_FROM_CLIENT, &f, &length, &err),
                     TAC_E_PROTOCOL);
    if (!strstr(err.text, text))
        fail_msg("'%s' without '%s'", err.text, text);
}

static void test_refused(void **state)
{
    (void)state;
    refuse((const uint8_t *)"GET / HTTP/1.1\r\n", 16, "not a frame");
    refuse((const uint8_t[]){0, 0, 0, 0, 0, 0, 0, 0}, 8, "not a frame");
    refuse((const uint8_t[]){0, 0, 0, 0, 15, 0, 0, 0}, 8, "not a frame");
    refuse((const uint8_t[]){0, 0, 0, 0, 11, 0, 1, 0}, 8, "not a frame");
    refuse((const uint8_t[]){8, 0, 0, 0, 8, 0, 0, 0}, 8, "AUTHORIZE_ADVANCE from the wrong side");
    refuse((const uint8_t[]){1, 1, 0, 1, 5, 0, 0, 0}, 8, "bytes; at most");
}

// A body that is too short, too long, or has a text that is none.
static void test_bodies(void **state)
{
    (void)state;
    static const uint8_t bodies[][6] = {{1, 0, 0, 0, 0, 0},
                                        {3, 0, 'a', 'b', 0, 0},
                                        {1, 0, 0xff, 0, 0, 0},
                                        {9, 0, 'a', 'b', 'c', 'd'}};
    for (size_t i = 0; i < 4; i++) {
        tac__frame f = {TAC__FRAME_ABORT, bodies[i], bodies[i] + 6, false};
        char text[8];
        tac_error err;
        (void)tac__frame_text(&f, text, sizeof text);
        assert_int_equal(tac__frame_end(&f, &err), TAC_E_PROTOCOL);
        assert_non_null(strstr(err.text, "ABORT"));
    }
    tac__frame f = {TAC__FRAME_ABORT, bodies[3], bodies[3] + 6, false};
    uint32_t size;
    assert_null(tac__frame_bytes(&f, &size)); // 0x6261...: more than there is
    assert_int_equal(size, 0);
}

// A queue of bytes is as long as what was added and not taken, whatever the pieces.
static void test_bytes(void **state)
{
    (void)state;
    tac__bytes b;
    tac__bytes_init(&b, NULL);
    uint8_t in = 0, out = 0;
    unsigned step = 1;
    for (int round = 0; round < 4000; round++) {
        step = step * 1664525u + 1013904223u;
        uint8_t piece[97];
        const size_t n = (step >> 8) % sizeof piece, take = (step >> 20) % sizeof piece;
        for (size_t i = 0; i < n; i++)
            piece[i] = in++;
        tac__bytes_copy(&b, piece, n);
        for (size_t i = 0; i < take && tac__bytes_count(&b); i++) {
            assert_int_equal(*tac__bytes_front(&b), out++);
            tac__bytes_take(&b, 1);
        }
    }
    assert_true(b.capacity < 65536);
    tac__bytes_fini(&b);
}

TEST_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_layout),
          cmocka_unit_test(test_refused), cmocka_unit_test(test_bodies),
          cmocka_unit_test(test_bytes))
