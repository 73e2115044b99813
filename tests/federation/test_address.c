// Addresses of servers: what is read, what is refused and with which words, what is local.
#include "federation/address.h"
#include "support/test.h"

#include <string.h>

static void test_good(void **state)
{
    (void)state;
    static const struct {
        const char *text, *canonical, *host;
        tac__transport transport;
        uint16_t port;
        bool local;
    } cases[] = {
        {"tcp://127.0.0.1:4000", "tcp://127.0.0.1:4000", "127.0.0.1", TAC__TRANSPORT_TCP, 4000, 1},
        {"127.0.0.1:0", "tcp://127.0.0.1:0", "127.0.0.1", TAC__TRANSPORT_TCP, 0, 1},
        {"127.255.1.2:1", "tcp://127.255.1.2:1", "127.255.1.2", TAC__TRANSPORT_TCP, 1, 1},
        {"128.0.0.1:1", "tcp://128.0.0.1:1", "128.0.0.1", TAC__TRANSPORT_TCP, 1, 0},
        {"0.0.0.0:65535", "tcp://0.0.0.0:65535", "0.0.0.0", TAC__TRANSPORT_TCP, 65535, 0},
        {"tcp://[::1]:0080", "tcp://[::1]:80", "::1", TAC__TRANSPORT_TCP, 80, 1},
        {"[0:0:0:0:0:0:0:1]:80", "tcp://[::1]:80", "::1", TAC__TRANSPORT_TCP, 80, 1},
        {"[::]:80", "tcp://[::]:80", "::", TAC__TRANSPORT_TCP, 80, 0},
        {"[::2]:80", "tcp://[::2]:80", "::2", TAC__TRANSPORT_TCP, 80, 0},
        {"[::ffff:127.0.0.1]:8", "tcp://[::ffff:127.0.0.1]:8", "::ffff:127.0.0.1",
         TAC__TRANSPORT_TCP, 8, 1},
        {"[::ffff:10.0.0.1]:8", "tcp://[::ffff:10.0.0.1]:8", "::ffff:10.0.0.1", TAC__TRANSPORT_TCP,
         8, 0},
        {"[FE80::1%eth0]:8", "tcp://[fe80::1%eth0]:8", "fe80::1%eth0", TAC__TRANSPORT_TCP, 8, 0},
        {"localhost:7", "tcp://localhost:7", "localhost", TAC__TRANSPORT_TCP, 7, 1},
        {"LocalHost:7", "tcp://LocalHost:7", "LocalHost", TAC__TRANSPORT_TCP, 7, 1},
        {"localhost.evil.example:7", "tcp://localhost.evil.example:7", "localhost.evil.example",
         TAC__TRANSPORT_TCP, 7, 0},
        {"node-1_a.cluster:7", "tcp://node-1_a.cluster:7", "node-1_a.cluster", TAC__TRANSPORT_TCP,
         7, 0},
        {"unix:///run/x.sock", "unix:///run/x.sock", "", TAC__TRANSPORT_UNIX, 0, 1},
        {"unix://x", "unix://x", "", TAC__TRANSPORT_UNIX, 0, 1},
        {"shm:///tmp/a b:c", "shm:///tmp/a b:c", "", TAC__TRANSPORT_SHM, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tac__address a, again;
        tac_error err;
        tac_error_clear(&err);
        if (tac__address_parse(cases[i].text, &a, &err) != TAC_OK)
            fail_msg("%s: %s", cases[i].text, err.text);
        assert_string_equal(a.text, cases[i].canonical);
        assert_int_equal(a.transport, cases[i].transport);
        assert_string_equal(a.host, cases[i].host);
        assert_int_equal(a.port, cases[i].port);
        if (tac__address_is_local(&a) != cases[i].local)
            fail_msg("%s: local is %d", cases[i].text, !cases[i].local);
        // What is printed reads back as the same.
        assert_int_equal(tac__address_parse(a.text, &again, &err), TAC_OK);
        assert_memory_equal(&a, &again, sizeof a);
    }
}

static void test_bad(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "the address is empty; expected tcp://HOST:PORT, unix://PATH or shm://PATH"},
        {"localhost", "'localhost' lacks a port; expected HOST:PORT, as in 127.0.0.1:4000"},
        {"tcp://[::1]", "lacks a port; expected HOST:PORT, as in [::1]:4000"},
        {"tcp://[::1]4000", "lacks a port"},
        {":4000", "':4000' lacks a host"},
        {"tcp://:4000", "lacks a host"},
        {"::1:4000", "more than one ':'; an IPv6 address stands in brackets, as in [::1]:4000"},
        {"[::g]:4000", "'[::g]' is no IPv6 address in brackets, such as [::1]"},
        {"[]:4000", "'[]' is no IPv6 address"},
        {"[::1:4000", "is no IPv6 address"},
        {"[::1%]:4000", "is no IPv6 address"},
        {"[::1%a b]:4000", "is no IPv6 address"},
        {"[", "lacks a port"},
        {"300.0.0.1:4000", "'300.0.0.1' is no IPv4 address, which is four numbers from 0 to 255"},
        {"127.1:4000", "'127.1' is no IPv4 address"},
        {"a b:4000", "'a b' is no host; expected a name"},
        {"a..b:4000", "is no host"},
        {".a:4000", "is no host"},
        {"user@host:4000", "'user@host' is no host"},
        {"host:", "'' is no port; expected a number from 0 to 65535"},
        {"host:65536", "'65536' is no port"},
        {"host:-1", "'-1' is no port"},
        {"tcp://host:80/", "'80/' is no port"},
        {"host:99999999999999999999999", "is no port"},
        {"/tmp/x", "'/tmp/x' looks like a path: write unix:///tmp/x or shm:///tmp/x"},
        {"udp://host:1", "there is no transport 'udp'; expected tcp://HOST:PORT"},
        {"unx:///tmp/x", "there is no transport 'unx'; expected tcp://HOST:PORT, unix://PATH or "
                         "shm://PATH; did you mean 'unix'?"},
        {"://x", "there is no transport ''"},
        {"unix://", "'unix://' lacks a path, as in unix:///tmp/federation"},
        {"shm://", "'shm://' lacks a path"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tac__address a;
        tac_error err;
        tac_error_clear(&err);
        assert_int_equal(tac__address_parse(cases[i][0], &a, &err), TAC_E_SYNTAX);
        if (!strstr(err.text, cases[i][1]))
            fail_msg("'%s': %s", cases[i][0], err.text);
        assert_int_equal(tac__address_parse(cases[i][0], &a, NULL), TAC_E_SYNTAX);
    }
}

static void test_long(void **state)
{
    (void)state;
    char text[600];
    tac__address a;
    tac_error err;
    // Names of hosts have at most 253 characters, paths of sockets at most 107 bytes.
    memset(text, 'h', sizeof text);
    memcpy(text + 253, ":65535", 7);
    assert_int_equal(tac__address_parse(text, &a, &err), TAC_OK);
    assert_int_equal(strlen(a.text), 6 + 253 + 6);
    memset(text, 'h', sizeof text);
    memcpy(text + 254, ":1", 3);
    assert_int_equal(tac__address_parse(text, &a, &err), TAC_E_SYNTAX);

    memset(text, 'p', sizeof text);
    memcpy(text, "unix://", 7);
    text[7 + 107] = '\0';
    assert_int_equal(tac__address_parse(text, &a, &err), TAC_OK);
    assert_string_equal(a.text, text);
    assert_string_equal(a.path, text + 7);
    memcpy(text + 7 + 107, "p", 2);
    assert_int_equal(tac__address_parse(text, &a, &err), TAC_E_LIMIT);
    assert_non_null(strstr(err.text, "has 108 bytes; a socket's path has at most 107"));
    assert_string_equal(a.text, "");
}

TEST_MAIN(cmocka_unit_test(test_good), cmocka_unit_test(test_bad), cmocka_unit_test(test_long))
