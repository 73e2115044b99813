// Shared memory between processes that are not what they should be.
#define _GNU_SOURCE // memfd_create
#include "federation/conn.h"
#include "federation/peers.h"

#include <fcntl.h>
#include <sys/eventfd.h>

static tac__address here(const char *transport, const char *name)
{
    char text[300];
    snprintf(text, sizeof text, "%s://%s", transport, path_of(name));
    return address_of(text);
}

static int descriptors(void)
{
    int n = 0;
    for (int fd = 3; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

// A client and its server's side, in this process.
static tac__conn *pair(tac__listener *l, tac__conn **server)
{
    tac__conn *client = dialled(tac__listener_address(l));
    *server = accepted(l);
    size_t done;
    char byte;
    assert_int_equal(tac__conn_read(client, &byte, 1, &done, NULL), TAC__IO_BLOCKED);
    assert_non_null(client->shm.memory);
    return client;
}

// Counters of nonsense end the connection with a text, at the poller, the reader and the writer.
static void test_forged(void **state)
{
    (void)state;
    const tac__address a = here("shm", "forged");
    tac__listener *l = opened(&a);
    tac__poller *p = poller_opened();
    tac__ready r;
    tac_error err;
    for (int kind = 0; kind < 4; kind++) {
        tac__conn *server, *client = pair(l, &server);
        size_t done;
        char bytes[100];
        assert_int_equal(tac__poller_add(p, server, server, NULL), TAC_OK);
        tac__poller_want(p, server, true, true);
        tac__ring *up = client->shm.out.ring, *down = client->shm.in.ring;
        if (kind == 0)
            up->put = TAC__SHM_RING + 1;
        if (kind == 1)
            up->put = UINT64_MAX;
        if (kind == 2)
            down->taken = 1000;
        if (kind == 3)
            down->taken = (uint64_t)1 << 63;
        assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
        assert_true(tac__poller_next(p, &r) && r.tag == server);
        const tac__io io = kind < 2 ? tac__conn_read(server, bytes, sizeof bytes, &done, &err)
                                    : tac__conn_write(server, bytes, sizeof bytes, &done, &err);
        // A writer that has room as far as it knows looks at the counter when it needs to.
        if (kind >= 2) {
            static char lots[TAC__SHM_RING + 1];
            assert_int_equal(io, TAC__IO_DONE);
            assert_int_equal(tac__conn_write(server, lots, sizeof lots, &done, &err),
                             TAC__IO_FAILED);
        } else {
            assert_int_equal(io, TAC__IO_FAILED);
        }
        assert_non_null(strstr(err.text, "the other side has written nonsense into shared memory"));
        assert_int_equal(tac__conn_read(server, bytes, 1, &done, &err), TAC__IO_FAILED);
        assert_int_equal(tac__conn_write(server, bytes, 1, &done, &err), TAC__IO_FAILED);
        tac__conn_close(server);
        tac__conn_close(client);
    }
    tac__poller_close(p);
    tac__listener_close(l);
}

// A peer that lies about sleeping wakes nobody and is woken in vain; nothing is lost.
static void test_forged_flags(void **state)
{
    (void)state;
    const tac__address a = here("shm", "flags");
    tac__listener *l = opened(&a);
    tac__conn *server, *client = pair(l, &server);
    for (int i = 0; i < 1000; i++) {
        char byte = 0;
        size_t done;
        tac__ring *down = client->shm.in.ring, *up = client->shm.out.ring;
        down->reader_sleeps = down->writer_sleeps = up->reader_sleeps = up->writer_sleeps =
            i % 2 ? UINT32_MAX : 1;
        assert_int_equal(tac__conn_write(server, &(char){(char)i}, 1, &done, NULL), TAC__IO_DONE);
        assert_int_equal(tac__conn_read(client, &byte, 1, &done, NULL), TAC__IO_DONE);
        assert_int_equal(byte, (char)i);
    }
    tac__conn_close(server);
    tac__conn_close(client);
    tac__listener_close(l);
}

// --- servers that offer something else ----------------------------------------------------------

static const char GREETING[24] = "tactus shared memory 1\n";

typedef struct offer {
    const char *name;
    uint64_t ring;
    off_t bytes;   // of the memory
    int seals;     // of the memory
    int count;     // descriptors that are sent
    size_t length; // of the greeting
    const char *text;
} offer;

enum { RING = 8192, HEADS = 4096 };

static void send_offer(int fd, const offer *o)
{
    struct {
        char text[24];
        uint64_t ring;
    } hello = {.ring = o->ring};
    memcpy(hello.text, o->text ? o->text : GREETING, sizeof hello.text);
    int fds[4] = {memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING), eventfd(0, EFD_CLOEXEC),
                  eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC)};
    assert_int_equal(ftruncate(fds[0], o->bytes), 0);
    assert_int_equal(fcntl(fds[0], F_ADD_SEALS, o->seals), 0);
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof fds)];
    } control = {0};
    const size_t size = (size_t)o->count * sizeof *fds;
    struct iovec part = {&hello, o->length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (o->count) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(head), fds, size);
    }
    assert_true(sendmsg(fd, &message, 0) == (ssize_t)o->length);
    for (int i = 0; i < 4; i++)
        close(fds[i]);
}

static void test_wrong_offers(void **state)
{
    (void)state;
    static const char other[24] = "tactus shared memory 2\n";
    const offer offers[] = {
        {"fine", RING, HEADS + 2 * RING, F_SEAL_SHRINK, 3, 32, NULL},
        {"another version", RING, HEADS + 2 * RING, F_SEAL_SHRINK, 3, 32, other},
        {"no descriptors", RING, HEADS + 2 * RING, F_SEAL_SHRINK, 0, 32, NULL},
        {"one", RING, HEADS + 2 * RING, F_SEAL_SHRINK, 1, 32, NULL},
        {"two", RING, HEADS + 2 * RING, F_SEAL_SHRINK, 2, 32, NULL},
        {"a short greeting", RING, HEADS + 2 * RING, F_SEAL_SHRINK, 3, 31, NULL},
        {"memory that can shrink", RING, HEADS + 2 * RING, 0, 3, 32, NULL},
        {"memory that is too small", RING, HEADS + 2 * RING - 1, F_SEAL_SHRINK, 3, 32, NULL},
        {"no power of two", RING + 4096, HEADS + 2 * (RING + 4096), F_SEAL_SHRINK, 3, 32, NULL},
        {"a tiny ring", 2048, HEADS + 2 * 2048, F_SEAL_SHRINK, 3, 32, NULL},
        {"none", 0, HEADS, F_SEAL_SHRINK, 3, 32, NULL},
        {"an enormous one", (uint64_t)1 << 63, HEADS, F_SEAL_SHRINK, 3, 32, NULL},
    };
    const tac__address door = here("unix", "door"), a = here("shm", "door");
    tac__listener *l = opened(&door);
    const int before = descriptors();
    for (size_t i = 0; i < sizeof offers / sizeof *offers; i++) {
        tac__conn *client = dialled(&a), *server = accepted(l);
        char byte;
        size_t done;
        tac_error err;
        assert_int_equal(tac__conn_read(client, &byte, 1, &done, &err), TAC__IO_BLOCKED);
        assert_int_equal(tac__conn_write(client, &byte, 1, &done, &err), TAC__IO_BLOCKED);
        send_offer(server->fd, &offers[i]);
        const tac__io io = i % 2 ? tac__conn_read(client, &byte, 1, &done, &err)
                                 : tac__conn_write(client, &byte, 1, &done, &err);
        if (i == 0) {
            assert_int_equal(io, TAC__IO_DONE);
        } else {
            if (io != TAC__IO_FAILED)
                fail_msg("%s: taken", offers[i].name);
            assert_non_null(strstr(err.text, "no shared memory is offered there; is it a unix://"));
            assert_int_equal(tac__conn_read(client, &byte, 1, &done, &err), TAC__IO_FAILED);
        }
        tac__conn_close(client);
        tac__conn_close(server);
        assert_int_equal(descriptors(), before);
    }
    tac__listener_close(l);
}

// More descriptors than there should be: none of them stays.
static void test_many_descriptors(void **state)
{
    (void)state;
    const tac__address door = here("unix", "many"), a = here("shm", "many");
    tac__listener *l = opened(&door);
    const int before = descriptors();
    tac__conn *client = dialled(&a), *server = accepted(l);
    send_offer(server->fd, &(offer){"four", RING, HEADS + 2 * RING, F_SEAL_SHRINK, 4, 32, NULL});
    char byte;
    size_t done;
    assert_true(tac__conn_read(client, &byte, 1, &done, NULL) != TAC__IO_DONE);
    tac__conn_close(client);
    tac__conn_close(server);
    assert_int_equal(descriptors(), before);
    tac__listener_close(l);
}

// Unix sockets and shared memory meet at files of the same kind: each end is told in words.
static void test_wrong_door(void **state)
{
    (void)state;
    const tac__address plain = here("unix", "wrong"), memory = here("shm", "wrong");
    char bytes[100] = "";
    size_t done;
    tac_error err;
    // A client of shared memory at a server that expects bytes, which closes then.
    tac__listener *l = opened(&plain);
    tac__conn *client = dialled(&memory), *server = accepted(l);
    assert_int_equal(tac__conn_read(server, bytes, sizeof bytes - 1, &done, NULL), TAC__IO_DONE);
    assert_string_equal(bytes, GREETING);
    tac__poller *p = poller_opened();
    tac__ready r;
    assert_int_equal(tac__poller_add(p, client, client, NULL), TAC_OK);
    assert_int_equal(tac__poller_wait(p, 1000, NULL), TAC_OK);
    assert_false(tac__poller_next(p, &r));
    tac__conn_close(server);
    assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
    assert_true(tac__poller_next(p, &r) && r.tag == client && r.read);
    assert_int_equal(tac__conn_read(client, bytes, 1, &done, &err), TAC__IO_CLOSED);
    tac__conn_close(client);
    tac__listener_close(l);
    tac__poller_close(p);
    // A client that expects bytes at a server of shared memory.
    l = opened(&memory);
    client = dialled(&plain);
    server = accepted(l);
    assert_int_equal(tac__conn_read(client, bytes, sizeof bytes, &done, NULL), TAC__IO_DONE);
    assert_string_equal(bytes, GREETING);
    tac__conn_close(client);
    tac__conn_close(server);
    tac__listener_close(l);
}

// A server that closes at once: what it wrote is read by a client that looks later.
static void test_late_client(void **state)
{
    (void)state;
    const tac__address a = here("shm", "late");
    tac__listener *l = opened(&a);
    tac__conn *client = dialled(&a), *server = accepted(l);
    char bytes[100] = "";
    size_t done;
    assert_int_equal(tac__conn_write(server, "farewell", 8, &done, NULL), TAC__IO_DONE);
    tac__conn_close(server);
    tac__poller *p = poller_opened();
    tac__ready r;
    assert_int_equal(tac__poller_add(p, client, client, NULL), TAC_OK);
    assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
    assert_true(tac__poller_next(p, &r) && r.read);
    assert_int_equal(tac__conn_read(client, bytes, sizeof bytes, &done, NULL), TAC__IO_DONE);
    assert_string_equal(bytes, "farewell");
    assert_int_equal(tac__conn_read(client, bytes, sizeof bytes, &done, NULL), TAC__IO_CLOSED);
    tac__conn_close(client);
    tac__poller_close(p);
    tac__listener_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forged),       cmocka_unit_test(test_forged_flags),
        cmocka_unit_test(test_wrong_offers), cmocka_unit_test(test_many_descriptors),
        cmocka_unit_test(test_wrong_door),   cmocka_unit_test(test_late_client),
    };
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
