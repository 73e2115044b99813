// What is said to one whose key does not fit: by servers to what dials, and by clients to what
// answers, over every transport and however the bytes are cut. Each gets the refusal of
// docs/federation-protocol.md, not just an end.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "federation/peers.h"
#include "support/formats.h"
#include "federation/secure.h"

#include <sys/stat.h>
#include <tactus/federation.h>

#ifdef TACTUS_HAVE_SODIUM
#include <sodium.h>

enum { REASON_KEY = 1, REASON_VERSION = 2, REFUSAL = 8 };

static const char *const transports[] = {"tcp", "unix", "shm"};
static const char *const names[] = {"alpha"};

static tac__address address_for(const char *transport)
{
    static unsigned n;
    char text[300], name[32];
    snprintf(name, sizeof name, "keys%u", n++);
    snprintf(text, sizeof text, "%s://%s", transport, path_of(name));
    return address_of(!strcmp(transport, "tcp") ? "127.0.0.1:0" : text);
}

static const char *key_file(void)
{
    static char path[300];
    snprintf(path, sizeof path, "%s", path_of("key"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%064d\n", 7);
    assert_int_equal(fchmod(fileno(file), 0600), 0);
    fclose(file);
    return path;
}

static void make_key(uint8_t key[TAC__KEY_BYTES], uint8_t last)
{
    memset(key, 0, TAC__KEY_BYTES);
    key[TAC__KEY_BYTES - 1] = last;
}

// A hello of a client as the document has it, for this point.
static void make_hello(uint8_t hello[TAC__SECURE_HELLO], const uint8_t *key, const uint8_t *point)
{
    static const uint8_t head[8] = {'T', 'A', 'C', 'K', 1, 1, 0, 0};
    uint8_t text[19 + 40];
    memcpy(hello, head, 8);
    memcpy(hello + 8, point, 32);
    memcpy(text, "tactus client hello", 19);
    memcpy(text + 19, hello, 40);
    crypto_generichash(hello + 40, 32, text, sizeof text, key, TAC__KEY_BYTES);
}

// Read what comes until the other side closes; how many bytes.
static size_t read_all(tac__conn *c, uint8_t *bytes, size_t size)
{
    tac__poller *p = poller_opened();
    tac_error err;
    size_t count = 0, done;
    assert_int_equal(tac__poller_add(p, c, c, &err), TAC_OK);
    const double start_s = now_s();
    for (;;) {
        const tac__io io =
            tac__poller_read(p, c, 1000000, bytes + count, size - count, &done, &err);
        count += done;
        if (io == TAC__IO_CLOSED || io == TAC__IO_FAILED)
            break;
        assert_true(count < size && now_s() - start_s < 20);
    }
    tac__poller_remove(p, c);
    tac__poller_close(p);
    return count;
}

static void write_all(tac__conn *c, const uint8_t *bytes, size_t count)
{
    const double start_s = now_s();
    for (size_t done; count; bytes += done, count -= done) {
        assert_true(now_s() - start_s < 20);
        if (tac__conn_write(c, bytes, count, &done, NULL) != TAC__IO_DONE)
            nap_ms(1); // shared memory is not there yet
    }
}

static void is_refusal(const uint8_t *bytes, size_t count, uint8_t reason)
{
    const uint8_t refusal[REFUSAL] = {'T', 'A', 'C', 'K', 1, 4, reason, 0};
    assert_int_equal(count, REFUSAL);
    assert_memory_equal(bytes, refusal, REFUSAL);
}

static const char *never(void *context, tac_time t_us)
{
    (void)context;
    (void)t_us;
    return NULL;
}

// A stranger writes this in pieces of so many bytes and is told why it cannot stay.
static void refused(const tac__address *a, const uint8_t *hello, size_t piece, uint8_t reason)
{
    uint8_t answer[256];
    tac__conn *c = dialled(a);
    for (size_t at = 0; at < TAC__SECURE_HELLO; at += piece) {
        const size_t left = TAC__SECURE_HELLO - at, n = left < piece ? left : piece;
        if (at)
            nap_ms(60); // longer than a turn of the server
        size_t done;
        const tac__io io = at ? tac__conn_write(c, hello + at, n, &done, NULL) : TAC__IO_DONE;
        if (!at)
            write_all(c, hello, n);
        else if (io != TAC__IO_DONE)
            break; // the server has closed it: the header was enough
    }
    is_refusal(answer, read_all(c, answer, sizeof answer), reason);
    tac__conn_close(c);
}

static void test_server(void **state)
{
    (void)state;
    uint8_t key[TAC__KEY_BYTES], other[TAC__KEY_BYTES], point[32], secret[32] = {9};
    uint8_t hello[TAC__SECURE_HELLO];
    make_key(key, 7);
    make_key(other, 8);
    crypto_scalarmult_base(point, secret);
    for (size_t k = 0; k < 3; k++) {
        const tac__address a = address_for(transports[k]);
        tac_server_def def = tac_server_def_default();
        tac_error err;
        tac_server *server;
        def.address = a.text;
        def.names = names;
        def.count = 1;
        def.delay_us = 1000;
        def.key_file = key_file();
        def.look = never;
        if (tac_server_create(&def, &server, &err) != TAC_OK)
            fail_msg("%s", err.text);
        const tac__address dial = address_of(tac_server_address(server));
        fflush(NULL);
        const pid_t pid = fork();
        if (!pid) {
            alarm(60);
            (void)!tac_server_finish(server, NULL);
            _exit(0);
        }
        for (size_t piece = TAC__SECURE_HELLO; piece >= 40; piece -= 32) {
            make_hello(hello, other, point);
            refused(&dial, hello, piece, REASON_KEY);
            make_hello(hello, key, (const uint8_t[32]){0});
            refused(&dial, hello, piece, REASON_KEY);
            make_hello(hello, key, point);
            hello[4] = 2;
            refused(&dial, hello, piece, REASON_VERSION);
        }
        // A client of this library says it in words.
        FILE *file = fopen(path_of("other"), "w");
        assert_non_null(file);
        fprintf(file, "%064d\n", 8);
        assert_int_equal(fchmod(fileno(file), 0600), 0);
        fclose(file);
        tac_client_def joining = tac_client_def_default();
        tac_client *client;
        joining.name = names[0];
        joining.address = dial.text;
        joining.key_file = path_of("other");
        assert_int_equal(tac_client_create(&joining, &client, &err), TAC_OK);
        assert_int_equal(tac_client_join(client, &err), TAC_E_NETWORK);
        test_has(err.text, "the other side refuses the key: it has another key");
        tac_client_destroy(client);
        // So does one without a key, to which the server says nothing.
        joining.key_file = NULL;
        assert_int_equal(tac_client_create(&joining, &client, &err), TAC_OK);
        assert_int_equal(tac_client_join(client, &err), TAC_E_NETWORK);
        test_has(err.text, "says nothing to a client that has none");
        test_has(err.text, "'--key FILE'");
        test_has(err.text, joining.name);
        tac_client_destroy(client);
        peer_kill(pid);
        tac_server_destroy(server);
    }
}

// What answers a client has another key, another version or a zero point.
static void test_client(void **state)
{
    (void)state;
    uint8_t bytes[256], hello[TAC__SECURE_HELLO];
    for (size_t k = 0; k < 3; k++) {
        for (int wrong = 0; wrong < 3; wrong++) {
            tac_error err;
            const tac__address a = address_for(transports[k]);
            tac__listener *l = opened(&a);
            const char *path = key_file();
            fflush(NULL);
            const pid_t pid = fork();
            if (!pid) {
                tac_client_def def = tac_client_def_default();
                tac_client *client;
                def.name = names[0];
                def.address = tac__listener_address(l)->text;
                def.key_file = path;
                alarm(60);
                EXPECT(tac_client_create(&def, &client, &err) == TAC_OK);
                const tac_status status = tac_client_join(client, &err);
                EXPECT(status == TAC_E_NETWORK || status == TAC_E_PROTOCOL);
                EXPECT(strstr(err.text, wrong == 1 ? "version 2" : "another key"));
                tac_client_destroy(client);
                _exit(0);
            }
            tac__conn *c = accepted(l);
            make_hello(hello, bytes, (const uint8_t[32]){(uint8_t)(wrong < 2 ? 9 : 0)});
            hello[5] = 2;
            hello[4] = wrong == 1 ? 2 : 1;
            write_all(c, hello, sizeof hello);
            const size_t count = read_all(c, bytes, sizeof bytes);
            assert_true(count > TAC__SECURE_HELLO);
            is_refusal(bytes + TAC__SECURE_HELLO, count - TAC__SECURE_HELLO,
                       wrong == 1 ? REASON_VERSION : REASON_KEY);
            tac__conn_close(c);
            tac__listener_close(l);
            peer_ended_well(pid);
        }
    }
}

// A server that sees a wrong proof when the client's stream is open already says so, too.
static void test_late_refusal(void **state)
{
    (void)state;
    uint8_t key[TAC__KEY_BYTES];
    tac_error err;
    make_key(key, 7);
    const tac__secure_def c = {.role = TAC__SECURE_CLIENT, .key = key};
    const tac__secure_def s = {.role = TAC__SECURE_SERVER, .key = key};
    for (size_t piece = 1; piece <= REFUSAL; piece++) {
        tac__secure *client, *server;
        assert_int_equal(tac__secure_create(&c, &client, &err), TAC_OK);
        assert_int_equal(tac__secure_create(&s, &server, &err), TAC_OK);
        tac__bytes *up = tac__secure_wire(client), *down = tac__secure_wire(server);
        assert_int_equal(tac__secure_feed(server, tac__bytes_front(up), tac__bytes_count(up), &err),
                         TAC_OK);
        tac__bytes_take(up, tac__bytes_count(up));
        assert_int_equal(
            tac__secure_feed(client, tac__bytes_front(down), tac__bytes_count(down), &err), TAC_OK);
        tac__bytes_take(down, tac__bytes_count(down));
        assert_int_equal(tac__secure_state_of(client), TAC__SECURE_OPEN);
        uint8_t finish[TAC__SECURE_FINISH];
        assert_int_equal(tac__bytes_count(up), sizeof finish);
        memcpy(finish, tac__bytes_front(up), sizeof finish);
        finish[20] ^= 1;
        assert_int_equal(tac__secure_feed(server, finish, sizeof finish, &err), TAC_E_PROTOCOL);
        tac_status status = TAC_OK;
        while (status == TAC_OK && tac__bytes_count(down)) {
            const size_t left = tac__bytes_count(down), n = left < piece ? left : piece;
            status = tac__secure_feed(client, tac__bytes_front(down), n, &err);
            tac__bytes_take(down, n);
        }
        assert_int_equal(status, TAC_E_PROTOCOL);
        assert_int_equal(tac__secure_fault_of(client), TAC__SECURE_OTHER_KEY);
        test_has(err.text, "refuses the key: it has another key");
        tac__secure_destroy(client);
        tac__secure_destroy(server);
    }
}

#else

static void test_server(void **state)
{
    (void)state;
    print_message("this build has no libsodium\n");
}
#define test_client       test_server
#define test_late_refusal test_server

#endif

TEST_MAIN(cmocka_unit_test(test_server), cmocka_unit_test(test_client),
          cmocka_unit_test(test_late_refusal))
