// TCP alone: ports, options, names, hosts that do not answer.
#define _GNU_SOURCE // unshare
#include "federation/conn.h"
#include "federation/peers.h"

#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>

static int option(const tac__conn *c, int level, int name)
{
    int value = -1;
    socklen_t size = sizeof value;
    assert_int_equal(getsockopt(c->fd, level, name, &value, &size), 0);
    return value;
}

static void test_tcp(void **state)
{
    (void)state;
    const tac__address any = address_of("127.0.0.1:0");
    tac__listener *l = opened(&any), *other;
    const tac__address at = *tac__listener_address(l);
    tac_error err;
    assert_true(at.port != 0 && tac__address_is_local(&at));
    assert_int_equal(tac__listener_open(&at, tac_allocator_default(), &other, &err), TAC_E_NETWORK);
    assert_non_null(strstr(err.text, "Address already in use"));
    assert_non_null(strstr(err.text, at.text));
    tac__conn *client = dialled(&at), *server = accepted(l);
    const tac__conn *both[] = {client, server};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(option(both[i], IPPROTO_TCP, TCP_NODELAY), 1);
        assert_int_equal(option(both[i], SOL_SOCKET, SO_KEEPALIVE), 1);
        const int idle = option(both[i], IPPROTO_TCP, TCP_KEEPIDLE),
                  interval = option(both[i], IPPROTO_TCP, TCP_KEEPINTVL),
                  probes = option(both[i], IPPROTO_TCP, TCP_KEEPCNT);
        assert_int_equal(idle + interval * probes, 15);
    }
    // The port is free again at once, though connections were open there.
    tac__conn_close(server);
    tac__conn_close(client);
    tac__listener_close(l);
    l = opened(&at);
    tac__listener_close(l);
}

// The interface of the loopback, in a network of this process alone.
static void set_loopback(bool up)
{
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq request = {.ifr_name = "lo"};
    EXPECT(fd >= 0 && ioctl(fd, SIOCGIFFLAGS, &request) == 0);
    request.ifr_flags = (short)(up ? request.ifr_flags | IFF_UP : request.ifr_flags & ~IFF_UP);
    EXPECT(ioctl(fd, SIOCSIFFLAGS, &request) == 0);
    close(fd);
}

static void half_open(void)
{
    enum { SILENCE_MS = 250 };
    set_loopback(true);
    const tac__address a = address_of("127.0.0.1:0");
    tac__listener *l = opened(&a);
    tac__conn *client = dialled(tac__listener_address(l)), *server = accepted(l);
    tac__poller *p = poller_opened();
    tac__ready r;
    tac_error err;
    char bytes[65536] = "";
    size_t done;
    p->silence_ms = SILENCE_MS;
    p->check_us = 20000;
    EXPECT(tac__poller_add(p, server, server, NULL) == TAC_OK);

    // A peer that does not read for so long is well.
    for (int blocked = 0; blocked < 5;) {
        const tac__io io = tac__conn_write(server, bytes, sizeof bytes, &done, NULL);
        EXPECT(io <= TAC__IO_BLOCKED);
        blocked += io == TAC__IO_BLOCKED;
        nap_ms(io == TAC__IO_BLOCKED ? 5 : 0);
    }
    EXPECT(tac__poller_wait(p, 3000 * SILENCE_MS, NULL) == TAC_OK);
    EXPECT(!tac__poller_next(p, &r));
    EXPECT(tac__conn_read(server, bytes, 1, &done, NULL) == TAC__IO_BLOCKED);
    while (tac__conn_read(client, bytes, sizeof bytes, &done, NULL) == TAC__IO_DONE)
        nap_ms(0);
    nap_ms(20);
    while (tac__conn_read(client, bytes, sizeof bytes, &done, NULL) == TAC__IO_DONE)
        nap_ms(0);

    // One that cannot be reached any more is not.
    set_loopback(false);
    EXPECT(tac__conn_write(server, bytes, 1, &done, NULL) == TAC__IO_DONE);
    const double start_s = now_s();
    EXPECT(tac__poller_wait(p, LONG_US, NULL) == TAC_OK);
    EXPECT(now_s() - start_s < 10);
    EXPECT(tac__poller_next(p, &r) && r.tag == server && r.read);
    EXPECT(tac__conn_read(server, bytes, 1, &done, &err) == TAC__IO_FAILED);
    EXPECT(strstr(err.text, "the other host does not answer any more: Connection timed out"));
    EXPECT(tac__conn_write(server, bytes, 1, &done, &err) == TAC__IO_FAILED);
    _exit(0);
}

static void test_half_open(void **state)
{
    (void)state;
    const pid_t peer = fork();
    if (peer == 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0 && unshare(CLONE_NEWNET) != 0) {
            fprintf(stderr, "no network of its own here: half-open connections are not tried\n");
            _exit(0);
        }
        half_open();
    }
    peer_ended_well(peer);
}

// A client that dials a port at which nobody listens, again and again, must not meet itself.
static void test_itself(void **state)
{
    (void)state;
    tac__listener *l = NULL;
    tac__address at = address_of("127.0.0.1:0");
    // A port of those that the system gives to who dials.
    for (at.port = 40000; !l; at.port += 2) {
        snprintf(at.text, sizeof at.text, "tcp://%s:%u", at.host, at.port);
        if (tac__listener_open(&at, tac_allocator_default(), &l, NULL) == TAC_OK)
            break;
    }
    tac__listener_close(l);
    for (int i = 0; i < 20000; i++) {
        tac__conn *c;
        assert_int_equal(tac__conn_dial(&at, 0, tac_allocator_default(), &c, NULL), TAC_E_NETWORK);
    }
}

static void test_names(void **state)
{
    (void)state;
    const tac__address name = address_of("LOCALHOST:0");
    tac__listener *l = opened(&name);
    assert_true(tac__address_is_local(tac__listener_address(l)));
    char text[64];
    snprintf(text, sizeof text, "localhost:%u", tac__listener_address(l)->port);
    const tac__address at = address_of(text);
    tac__conn *client = dialled(&at);
    tac__conn_close(client);
    tac__listener_close(l);

    // Any name that is looked up and is not there; none of these exist by their standard.
    const tac__address wrong = address_of("tactus.invalid:1");
    tac_error err;
    assert_int_equal(tac__conn_dial(&wrong, 0, tac_allocator_default(), &client, &err),
                     TAC_E_NETWORK);
    assert_non_null(strstr(err.text, "tcp://tactus.invalid:1: host 'tactus.invalid': "));
    assert_int_equal(tac__listener_open(&wrong, tac_allocator_default(), &l, &err), TAC_E_NETWORK);
    // Not an address of this host: one that is set aside for documents.
    const tac__address elsewhere = address_of("192.0.2.1:0");
    assert_int_equal(tac__listener_open(&elsewhere, tac_allocator_default(), &l, &err),
                     TAC_E_NETWORK);
    assert_non_null(strstr(err.text, "Cannot assign requested address"));
}

TEST_MAIN(cmocka_unit_test(test_tcp), cmocka_unit_test(test_half_open),
          cmocka_unit_test(test_itself), cmocka_unit_test(test_names))
