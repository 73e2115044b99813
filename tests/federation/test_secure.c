// The filter of a shared key: two of them with every split of the bytes, with every bit flipped,
// with records repeated and exchanged, with the wrong key, and the documented bytes made from
// libsodium's primitives.
#include "support/allocator.h"
#include "support/folder.h"
#include "support/formats.h"
#include "support/test.h"

#include "federation/key.h"
#include <tactus/federation.h>
#include "federation/secure.h"
#include "federation/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifndef TACTUS_HAVE_SODIUM

static void test_without(void **state)
{
    (void)state;
    const uint8_t key[TAC__KEY_BYTES] = {1};
    const tac__secure_def def = {.key = key};
    tac__secure *secure;
    tac_error err;
    assert_int_equal(tac__secure_create(&def, &secure, &err), TAC_E_FILE);
    test_has(err.text, "libsodium");
}

TEST_MAIN(cmocka_unit_test(test_without))

#else

#include <sodium.h>

static const uint8_t key_a[TAC__KEY_BYTES] = "a key of exactly 32 bytes, yes!";
static const uint8_t key_b[TAC__KEY_BYTES] = "a key of exactly 32 bytes, no!!";

// Not random at all, but another 32 bytes each time.
static void draw(void *context, uint8_t *bytes, size_t count)
{
    uint8_t *next = context;
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(*next * 7 + i * 13 + 1);
    ++*next;
}

static tac__secure *make(tac__secure_role role, const uint8_t *key, uint8_t *seed)
{
    const tac__secure_def def = {.role = role, .key = key, .random = draw, .context = seed};
    tac__secure *secure;
    tac_error err;
    assert_int_equal(tac__secure_create(&def, &secure, &err), TAC_OK);
    return secure;
}

typedef struct pair {
    tac__secure *client, *server;
    tac_error client_err, server_err;
} pair;

static pair begin(const uint8_t *client_key, const uint8_t *server_key)
{
    uint8_t seed = 3, other = 200;
    pair p = {.client = make(TAC__SECURE_CLIENT, client_key, &seed),
              .server = make(TAC__SECURE_SERVER, server_key, &other)};
    return p;
}

static void end(pair *p)
{
    tac__secure_destroy(p->client);
    tac__secure_destroy(p->server);
}

// Moves all bytes from one filter's wire to the other, in pieces of `piece` bytes.
static bool carry(tac__secure *from, tac__secure *to, size_t piece, tac_error *err)
{
    tac__bytes *wire = tac__secure_wire(from);
    bool moved = false;
    while (tac__bytes_count(wire) > 0) {
        const size_t count = tac__bytes_count(wire), n = piece < count ? piece : count;
        tac_error local;
        tac_error_clear(&local);
        const tac_status status = tac__secure_feed(to, tac__bytes_front(wire), n, &local);
        if (status != TAC_OK) {
            assert_int_equal(status, local.status);
            assert_true(local.text[0] != '\0');
            *err = local;
        }
        tac__bytes_take(wire, n);
        moved = true;
    }
    return moved;
}

static void exchange(pair *p, size_t piece)
{
    for (bool moved = true; moved;) {
        moved = carry(p->client, p->server, piece, &p->server_err);
        moved = carry(p->server, p->client, piece, &p->client_err) || moved;
    }
}

static void check_plain(tac__secure *s, const void *expected, size_t count)
{
    tac__bytes *plain = tac__secure_plain(s);
    assert_int_equal(tac__bytes_count(plain), count);
    if (count)
        assert_memory_equal(tac__bytes_front(plain), expected, count);
    tac__bytes_take(plain, count);
}

static void seal(tac__secure *s, const void *bytes, size_t count)
{
    tac_error err;
    assert_int_equal(tac__secure_seal(s, bytes, count, &err), TAC_OK);
}

static void feed(tac__secure *s, const void *bytes, size_t count)
{
    tac_error err;
    assert_int_equal(tac__secure_feed(s, bytes, count, &err), TAC_OK);
}

static void feed_fails(tac__secure *s, const void *bytes, size_t count, const char *text)
{
    tac_error err, again;
    assert_int_equal(tac__secure_feed(s, bytes, count, &err), TAC_E_PROTOCOL);
    test_has(err.text, text);
    assert_int_equal(tac__secure_state_of(s), TAC__SECURE_FAILED);
    assert_int_not_equal(tac__secure_fault_of(s), TAC__SECURE_NO_FAULT);
    // and stays so
    assert_int_equal(tac__secure_feed(s, "x", 1, &again), TAC_E_PROTOCOL);
    assert_string_equal(again.text, err.text);
    assert_int_equal(tac__secure_seal(s, "x", 1, &again), TAC_E_PROTOCOL);
    assert_string_equal(again.text, err.text);
    assert_int_equal(tac__secure_end(s, &again), TAC_E_PROTOCOL);
}

static void check_open(const pair *p)
{
    assert_int_equal(tac__secure_state_of(p->client), TAC__SECURE_OPEN);
    assert_int_equal(tac__secure_state_of(p->server), TAC__SECURE_OPEN);
}

// --- it works -----------------------------------------------------------------------------------

static void test_every_split(void **state)
{
    (void)state;
    for (size_t piece = 1; piece <= 160; piece++) {
        pair p = begin(key_a, key_a);
        seal(p.client, "early", 5); // before the handshake: waits
        exchange(&p, piece);
        check_open(&p);
        check_plain(p.server, "early", 5);
        seal(p.client, "hello", 5);
        seal(p.client, "world", 5);
        seal(p.server, "answer", 6);
        exchange(&p, piece);
        check_plain(p.server, "helloworld", 10);
        check_plain(p.client, "answer", 6);
        tac_error err;
        assert_int_equal(tac__secure_end(p.client, &err), TAC_OK);
        assert_int_equal(tac__secure_end(p.server, &err), TAC_OK);
        end(&p);
    }
}

static void test_long(void **state)
{
    (void)state;
    enum { COUNT = 3 * TAC__SECURE_RECORD_MAX + 17 };
    uint8_t *bytes = malloc(COUNT);
    assert_non_null(bytes);
    for (size_t i = 0; i < COUNT; i++)
        bytes[i] = (uint8_t)(i * 31 >> 3);
    pair p = begin(key_a, key_a);
    exchange(&p, SIZE_MAX);
    seal(p.client, bytes, COUNT);
    assert_int_equal(tac__bytes_count(tac__secure_wire(p.client)),
                     COUNT + 4 * TAC__SECURE_RECORD_EXTRA);
    seal(p.server, bytes, 0); // nothing is nothing
    assert_int_equal(tac__bytes_count(tac__secure_wire(p.server)), 0);
    exchange(&p, 1000);
    check_plain(p.server, bytes, COUNT);
    end(&p);

    // Only so much waits for the handshake.
    p = begin(key_a, key_a);
    tac_error err;
    for (size_t n = 0; n < TAC__SECURE_WAITING_MAX; n += 1 << 16)
        seal(p.client, bytes, 1 << 16);
    assert_int_equal(tac__secure_seal(p.client, bytes, 1, &err), TAC_E_LIMIT);
    exchange(&p, SIZE_MAX);
    check_open(&p);
    assert_int_equal(tac__bytes_count(tac__secure_plain(p.server)), TAC__SECURE_WAITING_MAX);
    end(&p);
    free(bytes);
}

// Without injected randomness two handshakes have nothing in common but headers.
static void test_fresh(void **state)
{
    (void)state;
    const tac__secure_def def = {.role = TAC__SECURE_CLIENT, .key = key_a};
    tac__secure *a, *b;
    tac_error err;
    assert_int_equal(tac__secure_create(&def, &a, &err), TAC_OK);
    assert_int_equal(tac__secure_create(&def, &b, &err), TAC_OK);
    const uint8_t *x = tac__bytes_front(tac__secure_wire(a));
    const uint8_t *y = tac__bytes_front(tac__secure_wire(b));
    assert_memory_equal(x, y, 8);
    assert_memory_not_equal(x + 8, y + 8, 32);
    assert_memory_not_equal(x + 40, y + 40, 32);
    tac__secure_destroy(a);
    tac__secure_destroy(b);
    tac__secure_destroy(NULL);
}

// --- the documented bytes -----------------------------------------------------------------------

static void keyed(uint8_t out[32], const uint8_t *key, const void *bytes, size_t count)
{
    assert_int_equal(crypto_generichash(out, 32, bytes, count, key, 32), 0);
}

static void keyed_text(uint8_t out[32], const uint8_t *key, const char *text)
{
    keyed(out, key, text, strlen(text));
}

static void test_documented(void **state)
{
    (void)state;
    // As docs/federation-protocol.md says, with libsodium called directly.
    uint8_t client_secret[32], server_secret[32], seed = 3, other = 200;
    draw(&seed, client_secret, 32);
    draw(&other, server_secret, 32);
    uint8_t client_hello[72] = {'T', 'A', 'C', 'K', 1, 1, 0, 0};
    uint8_t server_hello[72] = {'T', 'A', 'C', 'K', 1, 2, 0, 0};
    uint8_t finish[40] = {'T', 'A', 'C', 'K', 1, 3, 0, 0};
    crypto_scalarmult_base(client_hello + 8, client_secret);
    crypto_scalarmult_base(server_hello + 8, server_secret);
    uint8_t text[256];
    memcpy(text, "tactus client hello", 19);
    memcpy(text + 19, client_hello, 40);
    keyed(client_hello + 40, key_a, text, 19 + 40);
    memcpy(text, "tactus session", 14);
    assert_int_equal(crypto_scalarmult(text + 14, client_secret, server_hello + 8), 0);
    memcpy(text + 46, client_hello, 72);
    memcpy(text + 118, server_hello, 40);
    uint8_t session[32], client_key[32], server_key[32];
    keyed(session, key_a, text, 158);
    keyed_text(server_hello + 40, session, "tactus server proof");
    keyed_text(finish + 8, session, "tactus client proof");
    keyed_text(client_key, session, "tactus client records");
    keyed_text(server_key, session, "tactus server records");

    pair p = begin(key_a, key_a);
    tac__bytes *wire = tac__secure_wire(p.client);
    assert_int_equal(tac__bytes_count(wire), 72);
    assert_memory_equal(tac__bytes_front(wire), client_hello, 72);
    carry(p.client, p.server, SIZE_MAX, &p.server_err);
    assert_int_equal(tac__bytes_count(tac__secure_wire(p.server)), 72);
    assert_memory_equal(tac__bytes_front(tac__secure_wire(p.server)), server_hello, 72);
    carry(p.server, p.client, SIZE_MAX, &p.client_err);
    assert_int_equal(tac__bytes_count(wire), 40);
    assert_memory_equal(tac__bytes_front(wire), finish, 40);
    carry(p.client, p.server, SIZE_MAX, &p.server_err);
    check_open(&p);

    // The first three records of each direction.
    for (uint8_t number = 0; number < 3; number++) {
        const uint8_t nonce[12] = {0, 0, 0, 0, number};
        uint8_t record[4 + 5 + 16] = {5 + 16};
        for (int to_server = 0; to_server < 2; to_server++) {
            unsigned long long length;
            crypto_aead_chacha20poly1305_ietf_encrypt(record + 4, &length, (const uint8_t *)"plain",
                                                      5, record, 4, NULL, nonce,
                                                      to_server ? client_key : server_key);
            assert_int_equal(length, 21);
            tac__secure *from = to_server ? p.client : p.server;
            seal(from, "plain", 5);
            assert_int_equal(tac__bytes_count(tac__secure_wire(from)), sizeof record);
            assert_memory_equal(tac__bytes_front(tac__secure_wire(from)), record, sizeof record);
        }
        exchange(&p, SIZE_MAX);
        check_plain(p.client, "plain", 5);
        check_plain(p.server, "plain", 5);
    }
    end(&p);
}

// --- attacks ------------------------------------------------------------------------------------

// A whole conversation, with one bit flipped at byte `at` of what one side sends. Returns how many
// bytes that side sent; what got through is the beginning of what was sent.
static size_t converse(bool from_client, size_t at, int bit, bool *noticed)
{
    pair p = begin(key_a, key_a);
    size_t sent = 0;
    seal(p.client, "from client", 11);
    for (int turn = 0; turn < 6; turn++) {
        tac__secure *from = turn % 2 == 0 ? p.client : p.server;
        tac__secure *to = turn % 2 == 0 ? p.server : p.client;
        if (turn == 3 && tac__secure_state_of(from) == TAC__SECURE_OPEN)
            seal(from, "from server", 11);
        if (turn == 4 && tac__secure_state_of(from) == TAC__SECURE_OPEN)
            seal(from, "more", 4);
        tac__bytes *wire = tac__secure_wire(from);
        const size_t count = tac__bytes_count(wire);
        if (from_client == (turn % 2 == 0)) {
            if (at >= sent && at < sent + count)
                wire->data[wire->first + at - sent] ^= (uint8_t)(1 << bit);
            sent += count;
        }
        tac_error err;
        (void)carry(from, to, SIZE_MAX, &err);
    }
    tac_error err;
    (void)!tac__secure_end(p.client, &err); // a length may have become longer than what follows
    (void)!tac__secure_end(p.server, &err);
    *noticed = tac__secure_state_of(p.client) == TAC__SECURE_FAILED ||
               tac__secure_state_of(p.server) == TAC__SECURE_FAILED;
    const size_t up = tac__bytes_count(tac__secure_plain(p.server));
    const size_t down = tac__bytes_count(tac__secure_plain(p.client));
    assert_true(up <= 15 && down <= 11);
    check_plain(p.server, "from clientmore", up);
    check_plain(p.client, "from server", down);
    if (!*noticed)
        assert_true(up == 15 && down == 11);
    end(&p);
    return sent;
}

static void test_every_bit(void **state)
{
    (void)state;
    for (int from_client = 0; from_client < 2; from_client++) {
        bool noticed;
        const size_t count = converse(from_client, SIZE_MAX, 0, &noticed);
        assert_false(noticed);
        assert_int_equal(count, from_client ? 72 + 40 + 11 + 4 + 2 * TAC__SECURE_RECORD_EXTRA
                                            : 72 + 11 + TAC__SECURE_RECORD_EXTRA);
        for (size_t at = 0; at < count; at++)
            for (int bit = 0; bit < 8; bit++) {
                converse(from_client, at, bit, &noticed);
                if (!noticed)
                    fail_msg("bit %d of byte %zu flipped, and nobody noticed", bit, at);
            }
    }
}

static void test_records(void **state)
{
    (void)state;
    enum { N = TAC__SECURE_RECORD_EXTRA + 1 };
    uint8_t record[3][N];
    // 0: repeated, 1: exchanged, 2: one left out, 3: sent back to its sender
    for (int how = 0; how < 4; how++) {
        pair p = begin(key_a, key_a);
        exchange(&p, SIZE_MAX);
        for (size_t i = 0; i < 3; i++) {
            seal(p.client, &"abc"[i], 1);
            tac__bytes *wire = tac__secure_wire(p.client);
            assert_int_equal(tac__bytes_count(wire), N);
            memcpy(record[i], tac__bytes_front(wire), N);
            tac__bytes_take(wire, N);
        }
        if (how == 0) {
            feed(p.server, record[0], N);
            feed_fails(p.server, record[0], N, "damaged");
            check_plain(p.server, "a", 1);
        } else if (how == 1) {
            feed_fails(p.server, record[1], N, "damaged");
        } else if (how == 2) {
            feed(p.server, record[0], N);
            feed_fails(p.server, record[2], N, "damaged");
        } else {
            feed_fails(p.client, record[0], N, "damaged");
        }
        end(&p);
    }

    // Lengths that no record has, said before the record is there.
    static const uint32_t lengths[] = {0, 1, 16, (1 << 16) + 17, 0x7fffffff, 0xffffffff};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        pair p = begin(key_a, key_a);
        exchange(&p, SIZE_MAX);
        uint8_t length[4];
        for (int b = 0; b < 4; b++)
            length[b] = (uint8_t)(lengths[i] >> (8 * b));
        feed_fails(p.client, length, 4, "damaged");
        end(&p);
    }

    // The stream ends inside a record.
    pair p = begin(key_a, key_a);
    exchange(&p, SIZE_MAX);
    feed(p.server, record[0], N - 1);
    tac_error err;
    assert_int_equal(tac__secure_end(p.server, &err), TAC_E_NETWORK);
    test_has(err.text, "middle of a record");
    assert_int_equal(tac__secure_fault_of(p.server), TAC__SECURE_ENDED);
    end(&p);
}

static void test_wrong_key(void **state)
{
    (void)state;
    pair p = begin(key_a, key_b);
    exchange(&p, 7);
    assert_int_equal(tac__secure_state_of(p.client), TAC__SECURE_FAILED);
    assert_int_equal(tac__secure_state_of(p.server), TAC__SECURE_FAILED);
    assert_int_equal(tac__secure_fault_of(p.client), TAC__SECURE_OTHER_KEY);
    assert_int_equal(tac__secure_fault_of(p.server), TAC__SECURE_OTHER_KEY);
    test_has(p.server_err.text, "the other side has another key");
    test_has(p.client_err.text, "it has another key");
    end(&p);

    // A server that took the hello of a client without looking: the client sees that it has not
    // the key. Its hello is that of a server whose client has the same key.
    pair good = begin(key_b, key_b);
    carry(good.client, good.server, SIZE_MAX, &good.server_err);
    tac__bytes *hello = tac__secure_wire(good.server);
    uint8_t seed = 3;
    tac__secure *client = make(TAC__SECURE_CLIENT, key_a, &seed);
    feed_fails(client, tac__bytes_front(hello), tac__bytes_count(hello),
               "the other side has another key");
    tac__secure_destroy(client);
    end(&good);
}

// Everything that a client sent is sent again, to the same kind of server.
static void test_replayed_handshake(void **state)
{
    (void)state;
    uint8_t hello[72], rest[256];
    pair p = begin(key_a, key_a);
    tac__bytes *wire = tac__secure_wire(p.client);
    seal(p.client, "fire", 4);
    memcpy(hello, tac__bytes_front(wire), 72);
    carry(p.client, p.server, SIZE_MAX, &p.server_err);
    carry(p.server, p.client, SIZE_MAX, &p.client_err);
    const size_t count = tac__bytes_count(wire); // finish and record
    memcpy(rest, tac__bytes_front(wire), count);
    carry(p.client, p.server, SIZE_MAX, &p.server_err);
    check_plain(p.server, "fire", 4);
    end(&p);

    uint8_t other = 90; // another draw: a server never repeats itself
    tac__secure *server = make(TAC__SECURE_SERVER, key_a, &other);
    feed(server, hello, 72);
    assert_int_equal(tac__secure_state_of(server), TAC__SECURE_HANDSHAKING);
    feed_fails(server, rest, count, "the other side has another key");
    check_plain(server, "", 0);
    tac__secure_destroy(server);
}

static void test_reflection(void **state)
{
    (void)state;
    for (int relabelled = 0; relabelled < 2; relabelled++) {
        pair p = begin(key_a, key_a);
        uint8_t hello[72];
        memcpy(hello, tac__bytes_front(tac__secure_wire(p.client)), 72);
        if (relabelled)
            hello[5] = 2;
        feed_fails(p.client, hello, 72, relabelled ? "another key" : "a client, too");
        carry(p.client, p.server, 72, &p.server_err);
        uint8_t answer[72];
        memcpy(answer, tac__bytes_front(tac__secure_wire(p.server)), 72);
        end(&p);
        // And a server's, to a server.
        uint8_t seed = 5;
        tac__secure *server = make(TAC__SECURE_SERVER, key_a, &seed);
        if (relabelled)
            answer[5] = 1;
        feed_fails(server, answer, 72, relabelled ? "another key" : "a server, too");
        tac__secure_destroy(server);
    }
}

// Points of small order give a secret that everybody knows: refused even with the key.
static void test_small_order(void **state)
{
    (void)state;
    for (uint8_t point = 0; point < 2; point++) {
        uint8_t hello[72] = {'T', 'A', 'C', 'K', 1, 1, 0, 0, point}, text[59];
        memcpy(text, "tactus client hello", 19);
        memcpy(text + 19, hello, 40);
        keyed(hello + 40, key_a, text, sizeof text);
        uint8_t seed = 5;
        tac__secure *server = make(TAC__SECURE_SERVER, key_a, &seed);
        feed_fails(server, hello, sizeof hello, "another key");
        tac__secure_destroy(server);
    }
}

static void check_stranger(tac__secure_role role, const void *bytes, size_t count,
                           tac__secure_fault fault, const char *text)
{
    for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
        uint8_t seed = 5;
        tac__secure *s = make(role, key_a, &seed);
        size_t fed = 0;
        while (one_by_one && fed < 7)
            feed(s, (const uint8_t *)bytes + fed++, 1);
        feed_fails(s, (const uint8_t *)bytes + fed, count - fed, text);
        assert_int_equal(tac__secure_fault_of(s), fault);
        tac__secure_destroy(s);
    }
}

static void test_strangers(void **state)
{
    (void)state;
    tac__bytes frame;
    tac__bytes_init(&frame, NULL);
    tac__wire_put_end(&frame, TAC__FRAME_REFUSE, "server", 0, "no");
    check_stranger(TAC__SECURE_CLIENT, tac__bytes_front(&frame), tac__bytes_count(&frame),
                   TAC__SECURE_PLAIN, "the other side has no key: this client has one");
    tac__bytes_fini(&frame);
    tac__wire wire = tac__wire_begin(&frame, TAC__FRAME_HELLO);
    tac__wire_u32(&wire, TAC__WIRE_MAGIC);
    tac__wire_end(&wire);
    check_stranger(TAC__SECURE_SERVER, tac__bytes_front(&frame), tac__bytes_count(&frame),
                   TAC__SECURE_PLAIN, "the other side has no key: this server has one");
    assert_false(tac__secure_begins(tac__bytes_front(&frame), tac__bytes_count(&frame)));
    tac__bytes_fini(&frame);

    check_stranger(TAC__SECURE_SERVER, "GET / HTTP/1.1\r\n", 16, TAC__SECURE_GARBAGE,
                   "no client of a federation: it begins with 'GET / HT'");
    check_stranger(TAC__SECURE_CLIENT, "\x1b[31mred", 8, TAC__SECURE_GARBAGE, "'\\x1b[31mred'");
    check_stranger(TAC__SECURE_SERVER, "\0\0\0\0\0\0\0\0", 8, TAC__SECURE_GARBAGE, "no client");
    check_stranger(TAC__SECURE_SERVER, "TACK\2\1\0\0", 8, TAC__SECURE_VERSION, "version 2");
    check_stranger(TAC__SECURE_SERVER, "TACK\1\3\0\0", 8, TAC__SECURE_GARBAGE, "out of order");
    check_stranger(TAC__SECURE_SERVER, "TACK\1\1\0\1", 8, TAC__SECURE_GARBAGE, "out of order");
    check_stranger(TAC__SECURE_CLIENT, "TACK\1\4\2\0", 8, TAC__SECURE_VERSION, "another version");
    check_stranger(TAC__SECURE_CLIENT, "TACK\1\4\7\0", 8, TAC__SECURE_GARBAGE, "unknown reason");
    assert_true(tac__secure_begins("TACK\1\1\0\0", 8));
    assert_false(tac__secure_begins("TAC", 3));

    // A refusal of a version reaches the other side.
    uint8_t seed = 5;
    tac__secure *server = make(TAC__SECURE_SERVER, key_a, &seed);
    feed_fails(server, "TACK\2\1\0\0", 8, "version 2");
    assert_int_equal(tac__bytes_count(tac__secure_wire(server)), 8);
    assert_memory_equal(tac__bytes_front(tac__secure_wire(server)), "TACK\1\4\2\0", 8);
    tac__secure_destroy(server);

    tac__secure *client = make(TAC__SECURE_CLIENT, key_a, &seed);
    tac_error err;
    assert_int_equal(tac__secure_end(client, &err), TAC_E_NETWORK);
    test_has(err.text, "it may have another key, or none");
    tac__secure_destroy(client);
}

// --- memory -------------------------------------------------------------------------------------

static tac_status talk(const tac_allocator *hook)
{
    uint8_t seed = 1;
    tac__secure_def def = {.key = key_a, .random = draw, .context = &seed, .allocator = hook};
    tac__secure *client = NULL, *server = NULL;
    tac_error err;
    static const uint8_t bytes[10000];
    tac_status status = tac__secure_create(&def, &client, &err);
    def.role = TAC__SECURE_SERVER;
    if (status == TAC_OK)
        status = tac__secure_create(&def, &server, &err);
    if (status == TAC_OK)
        status = tac__secure_seal(client, bytes, sizeof bytes, &err);
    for (int turn = 0; status == TAC_OK && turn < 4; turn++) {
        tac__bytes *wire = tac__secure_wire(turn % 2 ? server : client);
        status = tac__secure_feed(turn % 2 ? client : server, tac__bytes_front(wire),
                                  tac__bytes_count(wire), &err);
        tac__bytes_take(wire, tac__bytes_count(wire));
        if (turn == 2 && status == TAC_OK)
            status = tac__secure_seal(server, bytes, sizeof bytes, &err);
    }
    if (status == TAC_OK)
        check_plain(client, bytes, sizeof bytes);
    else
        assert_int_equal(err.status, status);
    tac__secure_destroy(client);
    tac__secure_destroy(server);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        test_allocator a = test_allocator_make();
        a.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&a);
        const tac_status status = talk(&hook);
        test_allocator_check_empty(&a);
        if (status == TAC_OK) {
            assert_true(n > 6);
            break;
        }
        assert_int_equal(status, TAC_E_MEMORY);
    }
}

// --- key files ----------------------------------------------------------------------------------

static void write_key(const char *path, const char *text, mode_t mode)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static void check_no_key(const char *text, mode_t mode, tac_status status, const char *why)
{
    const char *path = path_of("bad.key");
    uint8_t key[TAC__KEY_BYTES];
    tac_error err;
    write_key(path, text, mode);
    assert_int_equal(tac__key_read(path, key, &err), status);
    test_has(err.text, why);
    test_has(err.text, path);
}

static void test_key_files(void **state)
{
    (void)state;
    static const char digits[] = "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F";
    uint8_t key[TAC__KEY_BYTES], again[TAC__KEY_BYTES];
    char text[128];
    tac_error err;
    const char *path = path_of("one.key");
    static const mode_t good[] = {0600, 0400, 0640, 0440};
    for (size_t m = 0; m < 4; m++) {
        (void)remove(path);
        snprintf(text, sizeof text, "%s%s%s", m % 2 ? "\n " : "", digits, m < 2 ? "\r\n" : "");
        write_key(path, text, good[m]);
        assert_int_equal(tac__key_read(path, key, &err), TAC_OK);
        for (int i = 0; i < TAC__KEY_BYTES; i++)
            assert_int_equal(key[i], i);
    }
    static const mode_t bad[] = {0644, 0604, 0602, 0620, 0660, 0777};
    for (size_t m = 0; m < 6; m++)
        check_no_key(digits, bad[m], TAC_E_FILE, "chmod 600");
    check_no_key("", 0600, TAC_E_FORMAT, "it has 0 hexadecimal digits, and a key has 64");
    snprintf(text, sizeof text, "%.63s", digits);
    check_no_key(text, 0600, TAC_E_FORMAT, "it has 63 hexadecimal digits");
    snprintf(text, sizeof text, "%s0", digits);
    check_no_key(text, 0600, TAC_E_FORMAT, "it has 65 hexadecimal digits");
    snprintf(text, sizeof text, "%.63sg", digits);
    check_no_key(text, 0600, TAC_E_FORMAT, "character 64 is no hexadecimal digit");
    assert_int_equal(tac__key_read(path_of("none.key"), key, &err), TAC_E_FILE);
    test_has(err.text, "none.key");
    char *large = malloc(100001);
    memset(large, 'a', 100000);
    large[100000] = '\0';
    check_no_key(large, 0600, TAC_E_FORMAT, "more than 1024");
    free(large);

    // Made here: only for its owner, another one each time, never over an existing file.
    path = path_of("made.key");
    assert_int_equal(tac_key_make(path, &err), TAC_OK);
    struct stat found;
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    assert_int_equal(tac__key_read(path, key, &err), TAC_OK);
    assert_int_equal(tac_key_make(path, &err), TAC_E_FILE);
    assert_int_equal(tac__key_read(path, again, &err), TAC_OK);
    assert_memory_equal(key, again, sizeof key);
    assert_int_equal(tac_key_make(path_of("second.key"), &err), TAC_OK);
    assert_int_equal(tac__key_read(path_of("second.key"), again, &err), TAC_OK);
    assert_memory_not_equal(key, again, sizeof key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_split), cmocka_unit_test(test_long),
        cmocka_unit_test(test_fresh),       cmocka_unit_test(test_documented),
        cmocka_unit_test(test_every_bit),   cmocka_unit_test(test_records),
        cmocka_unit_test(test_wrong_key),   cmocka_unit_test(test_replayed_handshake),
        cmocka_unit_test(test_reflection),  cmocka_unit_test(test_small_order),
        cmocka_unit_test(test_strangers),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_key_files),
    };
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}

#endif
