// Byte streams between processes, the same tests for every transport: whatever is written arrives,
// whole and in order, and a peer that is gone is noticed.
#define _GNU_SOURCE // unshare
#include "federation/conn.h"
#include "federation/peers.h"
#include "support/allocator.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

static const char *const TRANSPORTS[] = {"tcp://127.0.0.1:0", "tcp://[::1]:0", "unix://%s",
                                         "shm://%s"};

// Each test is run once for each transport; this is the present one.
static const char *transport;

// A server's address for the present transport, with a socket of that name.
static tac__address here(const char *name)
{
    char text[300];
    snprintf(text, sizeof text, transport, path_of(name));
    return address_of(text);
}

static bool is_tcp(void)
{
    return !strncmp(transport, "tcp", 3);
}

// --- one end of a stream, for both processes -----------------------------------------------------

// Writes `out` bytes of a stream and reads `in` of another at once, waiting with a poller; pieces
// are of sizes up to `piece`. Returns how the reading ended: DONE where all came.
typedef struct work {
    tac__conn *conn;
    unsigned out_stream, in_stream;
    uint64_t out, in, piece;
    uint64_t wrote, read;   // so far
    bool wrong;             // a byte was not the one that was sent
    bool awaits;            // what only remains to be read is read by tac__poller_read
    _Atomic uint64_t *told; // NULL, or is told how many bytes were written
} work;

static tac__io write_some(work *w)
{
    unsigned char bytes[65536];
    size_t n = (size_t)(w->out - w->wrote < w->piece ? w->out - w->wrote : w->piece), done;
    for (size_t i = 0; i < n; i++)
        bytes[i] = byte_at(w->out_stream, w->wrote + i);
    const tac__io io = tac__conn_write(w->conn, bytes, n, &done, NULL);
    w->wrote += done;
    if (w->told)
        *w->told = w->wrote;
    return io;
}

static tac__io read_some(work *w, tac__poller *p)
{
    unsigned char bytes[65536];
    size_t done;
    const size_t n = (size_t)(w->in - w->read < w->piece ? w->in - w->read : w->piece);
    const bool awaits = w->awaits && w->wrote == w->out;
    if (awaits)
        tac__poller_want(p, w->conn, true, false);
    const tac__io io = awaits ? tac__poller_read(p, w->conn, LONG_US, bytes, n, &done, NULL)
                              : tac__conn_read(w->conn, bytes, n, &done, NULL);
    for (size_t i = 0; i < done; i++)
        w->wrong |= bytes[i] != byte_at(w->in_stream, w->read + i);
    w->read += done;
    return io;
}

static tac__io run(work *w)
{
    tac__poller *p = poller_opened();
    tac__io io = TAC__IO_DONE;
    w->piece = w->piece ? w->piece : 65536;
    assert_int_equal(tac__poller_add(p, w->conn, w, NULL), TAC_OK);
    const double start_s = now_s();
    while (w->wrote < w->out || w->read < w->in) {
        if (w->wrote < w->out && (io = write_some(w)) > TAC__IO_BLOCKED)
            break;
        if (w->read < w->in && (io = read_some(w, p)) > TAC__IO_BLOCKED)
            break;
        if (io == TAC__IO_BLOCKED && !w->awaits) {
            tac__ready r;
            tac__poller_want(p, w->conn, w->read < w->in, w->wrote < w->out);
            assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
            while (tac__poller_next(p, &r))
                assert_ptr_equal(r.tag, w);
        }
        assert_true(now_s() - start_s < 20);
    }
    tac__poller_remove(p, w->conn);
    tac__poller_close(p);
    return io > TAC__IO_BLOCKED ? io : TAC__IO_DONE;
}

// --- streams -------------------------------------------------------------------------------------

static void test_both_ways(void **state)
{
    (void)state;
    enum { BYTES = 6 << 20 };
    const tac__address a = here("both");
    tac__listener *l = opened(&a);
    const tac__address at = *tac__listener_address(l);
    const pid_t peer = fork();
    if (peer == 0) {
        work w = {.conn = dialled(&at), .out_stream = 1, .in_stream = 2, .out = BYTES, .in = BYTES};
        EXPECT(run(&w) == TAC__IO_DONE && !w.wrong);
        tac__conn_close(w.conn);
        _exit(0);
    }
    work w = {.conn = accepted(l), .out_stream = 2, .in_stream = 1, .out = BYTES, .in = BYTES};
    assert_int_equal(run(&w), TAC__IO_DONE);
    assert_false(w.wrong);
    peer_ended_well(peer);
    // All was read, and the peer is gone.
    size_t done;
    char byte;
    tac_error err;
    tac__io io;
    while ((io = tac__conn_read(w.conn, &byte, 1, &done, &err)) == TAC__IO_BLOCKED)
        nap_ms(1);
    assert_int_equal(io, TAC__IO_CLOSED);
    assert_non_null(strstr(err.text, tac__conn_peer(w.conn)));
    assert_non_null(strstr(err.text, "the other side closed the connection"));
    // Writing finds it, too, soon, and no signal comes of that.
    for (int i = 0; i < 3; i++)
        io = tac__conn_write(w.conn, &byte, 1, &done, &err);
    assert_int_equal(io, TAC__IO_CLOSED);
    assert_int_equal(tac__conn_read(w.conn, &byte, 1, &done, &err), TAC__IO_CLOSED);
    tac__conn_close(w.conn);
    tac__listener_close(l);
}

static void test_single_bytes(void **state)
{
    (void)state;
    enum { BYTES = 2000 };
    const tac__address a = here("single");
    tac__listener *l = opened(&a);
    const tac__address at = *tac__listener_address(l);
    const pid_t peer = fork();
    if (peer == 0) {
        work w = {.conn = dialled(&at), .out_stream = 1, .in_stream = 2, .piece = 1};
        for (int i = 0; i < BYTES; i++) { // to and fro
            w.out = w.in = (uint64_t)i + 1;
            EXPECT(run(&w) == TAC__IO_DONE && !w.wrong);
        }
        tac__conn_close(w.conn);
        _exit(0);
    }
    work w = {.conn = accepted(l), .out_stream = 2, .in_stream = 1, .piece = 1};
    for (int i = 0; i < BYTES; i++) {
        w.in = (uint64_t)i + 1;
        assert_int_equal(run(&w), TAC__IO_DONE);
        w.out = w.in;
        assert_int_equal(run(&w), TAC__IO_DONE);
        assert_false(w.wrong);
    }
    peer_ended_well(peer);
    tac__conn_close(w.conn);
    tac__listener_close(l);
}

static void test_slow_reader(void **state)
{
    (void)state;
    enum { BYTES = 8 << 20 };
    const tac__address a = here("slow");
    tac__listener *l = opened(&a);
    const tac__address at = *tac__listener_address(l);
    _Atomic int *go = shared(sizeof *go);
    const pid_t peer = fork();
    if (peer == 0) {
        work w = {.conn = dialled(&at), .in_stream = 1, .in = BYTES, .piece = 1000};
        while (!*go)
            nap_ms(1);
        EXPECT(run(&w) == TAC__IO_DONE && !w.wrong);
        tac__conn_close(w.conn);
        _exit(0);
    }
    work w = {.conn = accepted(l), .out_stream = 1, .out = BYTES, .piece = 65536};
    tac__io io = TAC__IO_DONE;
    int calls = 0;
    for (int blocked = 0; blocked < 20;) { // until the buffers are full for good
        io = write_some(&w);
        assert_true(io == TAC__IO_DONE || io == TAC__IO_BLOCKED);
        blocked = io == TAC__IO_BLOCKED ? blocked + 1 : 0;
        if (io == TAC__IO_BLOCKED)
            nap_ms(1);
        assert_true(++calls < 10000);
    }
    assert_true(w.wrote > 0 && w.wrote < BYTES);
    // Nor is it ready for writing.
    tac__poller *p = poller_opened();
    tac__ready r;
    assert_int_equal(tac__poller_add(p, w.conn, &w, NULL), TAC_OK);
    tac__poller_want(p, w.conn, true, true);
    assert_int_equal(tac__poller_wait(p, 10000, NULL), TAC_OK);
    assert_false(tac__poller_next(p, &r));
    *go = 1;
    assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
    assert_true(tac__poller_next(p, &r));
    assert_true(r.write && !r.read);
    tac__poller_remove(p, w.conn);
    tac__poller_close(p);
    assert_int_equal(run(&w), TAC__IO_DONE);
    tac__conn_close(w.conn); // what was written still arrives
    peer_ended_well(peer);
    munmap((void *)go, sizeof *go);
    tac__listener_close(l);
}

// --- peers that die ------------------------------------------------------------------------------

// A peer is killed while it writes and reads, at another moment each time. All that it had written
// before is read, then the connection ends; no wait hangs.
static void killed_once(bool peer_listens, int round)
{
    struct {
        _Atomic uint64_t wrote;
        _Atomic bool listens;
        tac__address at;
    } *s = shared(4096);
    const tac__address a = here("killed");
    tac__listener *l = NULL;
    if (!peer_listens) {
        l = opened(&a);
        s->at = *tac__listener_address(l);
    }
    const pid_t peer = fork();
    if (peer == 0) {
        if (peer_listens) {
            l = opened(&a);
            s->at = *tac__listener_address(l);
            s->listens = true;
        }
        work w = {.conn = peer_listens ? accepted(l) : dialled(&s->at),
                  .out_stream = 1,
                  .in_stream = 2,
                  .out = UINT64_MAX,
                  .in = round % 3 ? UINT64_MAX : 0, // some leave input unread
                  .piece = round % 2 ? 64 : 5000,
                  .told = &s->wrote};
        run(&w);
        _exit(1);
    }
    while (peer_listens && !s->listens)
        nap_ms(1);
    work w = {.conn = peer_listens ? dialled(&s->at) : accepted(l),
              .out_stream = 2,
              .in_stream = 1,
              .out = round % 4 ? UINT64_MAX : 0,
              .in = UINT64_MAX,
              .piece = 3000};
    const double kill_s = now_s() + 1e-4 * round;
    while (now_s() < kill_s) {
        if (w.out)
            assert_true(write_some(&w) <= TAC__IO_BLOCKED);
        assert_true(read_some(&w, NULL) <= TAC__IO_BLOCKED);
    }
    peer_kill(peer);
    const tac__io io = run(&w);
    assert_int_equal(io, TAC__IO_CLOSED);
    // Writing may have found it first: the rest is still there to read.
    const double start_s = now_s();
    while (read_some(&w, NULL) != TAC__IO_CLOSED)
        assert_true(now_s() - start_s < 20);
    assert_false(w.wrong);
    // TCP throws away what is on its way from a process that dies with unread input.
    assert_true(w.read >= s->wrote || is_tcp());
    tac__conn_close(w.conn);
    munmap(s, 4096);
    tac__listener_close(l);
}

static void test_killed(void **state)
{
    (void)state;
    for (int round = 0; round < 24; round++)
        killed_once(round % 2, round);
}

// One that never said a word, and one that is stopped, not dead: that is no end.
static void test_silent(void **state)
{
    (void)state;
    const tac__address a = here("silent");
    tac__listener *l = opened(&a);
    const tac__address at = *tac__listener_address(l);
    const pid_t peer = fork();
    if (peer == 0) {
        dialled(&at);
        pause();
        _exit(1);
    }
    tac__conn *c = accepted(l);
    tac__poller *p = poller_opened();
    tac__ready r;
    size_t done;
    char byte;
    assert_int_equal(tac__poller_add(p, c, c, NULL), TAC_OK);
    const double start_s = now_s();
    assert_int_equal(tac__poller_wait(p, 30000, NULL), TAC_OK);
    assert_true(now_s() - start_s >= 0.03);
    assert_false(tac__poller_next(p, &r));
    assert_int_equal(tac__conn_read(c, &byte, 1, &done, NULL), TAC__IO_BLOCKED);
    // Its end is told even to who does not want to read.
    tac__poller_want(p, c, false, false);
    peer_kill(peer);
    assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
    assert_true(tac__poller_next(p, &r));
    assert_ptr_equal(r.tag, c);
    assert_true(r.read);
    assert_int_equal(tac__conn_read(c, &byte, 1, &done, NULL), TAC__IO_CLOSED);
    tac__conn_close(c);
    tac__poller_close(p);
    tac__listener_close(l);
}

// Both sides sleep before each byte: whoever has slept is woken, however the moments fall, and who
// waits long uses next to no time of the processor.
static void test_sleepers(void **state)
{
    (void)state;
    enum { ROUNDS = 60 };
    const tac__address a = here("sleepers");
    tac__listener *l = opened(&a);
    const tac__address at = *tac__listener_address(l);
    const pid_t peer = fork();
    if (peer == 0) {
        work w = {.conn = dialled(&at), .out_stream = 1, .in_stream = 2};
        for (int i = 0; i < ROUNDS; i++) {
            w.awaits = i % 2;
            w.in = (uint64_t)i + 1;
            EXPECT(run(&w) == TAC__IO_DONE && !w.wrong);
            const struct timespec pause = {.tv_nsec = i * 10000};
            nanosleep(&pause, NULL);
            w.out = w.in;
            EXPECT(run(&w) == TAC__IO_DONE);
        }
        nap_ms(200);
        EXPECT(write_some(&(work){.conn = w.conn, .out = 1, .piece = 1}) == TAC__IO_DONE);
        tac__conn_close(w.conn);
        _exit(0);
    }
    work w = {.conn = accepted(l), .out_stream = 2, .in_stream = 1};
    for (int i = 0; i < ROUNDS; i++) {
        w.out = w.in = (uint64_t)i + 1;
        assert_int_equal(run(&w), TAC__IO_DONE);
        assert_false(w.wrong);
    }
    const clock_t before = clock();
    w.in++;
    w.awaits = true;
    assert_int_equal(run(&w), TAC__IO_DONE);
    assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 0.05);
    peer_ended_well(peer);
    tac__conn_close(w.conn);
    tac__listener_close(l);
}

// --- listening and dialling ----------------------------------------------------------------------

static void test_any_order(void **state)
{
    (void)state;
    tac__address a = here("later");
    if (is_tcp()) { // a port that is free
        tac__listener *l = opened(&a);
        a = *tac__listener_address(l);
        assert_true(a.port != 0);
        tac__listener_close(l);
    }
    // Nobody comes.
    tac__conn *c;
    tac_error err;
    const double start_s = now_s();
    assert_int_equal(tac__conn_dial(&a, 30000, tac_allocator_default(), &c, &err), TAC_E_NETWORK);
    assert_true(now_s() - start_s >= 0.03);
    assert_null(c);
    assert_non_null(strstr(err.text, a.text));
    assert_non_null(strstr(err.text, is_tcp() ? ": Connection refused (tried for "
                                              : ": No such file or directory (tried for "));
    // Somebody comes later.
    const pid_t peer = fork();
    if (peer == 0) {
        nap_ms(50);
        tac__listener *l = opened(&a);
        work w = {.conn = accepted(l), .out_stream = 1, .out = 100};
        EXPECT(run(&w) == TAC__IO_DONE);
        tac__conn_close(w.conn);
        tac__listener_close(l);
        _exit(0);
    }
    work w = {.conn = dialled(&a), .in_stream = 1, .in = 100};
    assert_int_equal(run(&w), TAC__IO_DONE);
    assert_false(w.wrong);
    assert_non_null(strstr(tac__conn_peer(w.conn), a.text));
    peer_ended_well(peer);
    tac__conn_close(w.conn);
}

// Several at once, a listener among them; what is closed is not told of any more.
static void test_poller(void **state)
{
    (void)state;
    enum { N = 5, WRITERS = 3 };
    const tac__address a = here("many");
    tac__listener *l = opened(&a);
    tac__poller *p = poller_opened();
    tac__ready r;
    tac__conn *client[N], *server[N];
    size_t done;
    char byte = 0;
    assert_int_equal(tac__poller_add_listener(p, l, l, NULL), TAC_OK);
    for (int i = 0; i < N; i++) {
        client[i] = dialled(tac__listener_address(l));
        assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
        assert_true(tac__poller_next(p, &r));
        assert_ptr_equal(r.tag, l);
        assert_int_equal(tac__listener_accept(l, &server[i], NULL), TAC_OK);
        assert_non_null(server[i]);
        assert_int_equal(tac__poller_add(p, server[i], server[i], NULL), TAC_OK);
        assert_int_equal(tac__poller_add(p, server[i], server[i], NULL), TAC_E_CALLER);
    }
    tac__conn *nobody;
    assert_int_equal(tac__listener_accept(l, &nobody, NULL), TAC_OK);
    assert_null(nobody);
    assert_int_equal(tac__poller_wait(p, 0, NULL), TAC_OK);
    assert_false(tac__poller_next(p, &r));

    // Some have something to read, of which one is closed before it is told of.
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(tac__conn_write(client[i], &byte, 1, &done, NULL), TAC__IO_DONE);
    nap_ms(5);
    assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
    tac__conn_close(server[1]);
    int told[N] = {0};
    for (int again = 0; again < 2; again++) { // told of until it is read
        assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
        while (tac__poller_next(p, &r)) {
            for (int i = 0; i < N; i++)
                told[i] += r.tag == server[i] && r.read && !r.write;
        }
    }
    assert_true(told[0] == 2 && told[1] == 0 && told[2] == 2 && told[3] == 0 && told[4] == 0);

    // Not while it is not wanted; ready for writing where that is.
    tac__poller_want(p, server[0], false, false);
    tac__poller_want(p, server[2], false, true);
    assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
    assert_true(tac__poller_next(p, &r));
    assert_true(r.tag == server[2] && r.write && !r.read);
    assert_false(tac__poller_next(p, &r));
    tac__poller_remove(p, server[2]);
    assert_int_equal(tac__poller_wait(p, 2000, NULL), TAC_OK);
    assert_false(tac__poller_next(p, &r));
    tac__poller_want(p, server[0], true, false);
    assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
    assert_true(tac__poller_next(p, &r) && r.tag == server[0]);
    assert_int_equal(tac__conn_read(server[0], &byte, 1, &done, NULL), TAC__IO_DONE);
    assert_int_equal(tac__conn_read(server[2], &byte, 1, &done, NULL), TAC__IO_DONE);

    // Closing a client is told of, to its server only.
    tac__conn_close(client[4]);
    assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
    assert_true(tac__poller_next(p, &r) && r.tag == server[4] && r.read);
    assert_false(tac__poller_next(p, &r));

    for (int i = 0; i < N; i++) {
        if (i != 1)
            tac__conn_close(server[i]);
        if (i != 4)
            tac__conn_close(client[i]);
    }
    tac__listener_close(l);
    tac__poller_close(p);
}

static void on_alarm(int signal)
{
    (void)signal;
}

// A signal ends a wait early, without anything ready; a handler's owner looks at its flag then.
static void test_signal(void **state)
{
    (void)state;
    const tac__address a = here("signal");
    tac__listener *l = opened(&a);
    tac__poller *p = poller_opened();
    tac__ready r;
    assert_int_equal(tac__poller_add_listener(p, l, l, NULL), TAC_OK);
    const struct sigaction act = {.sa_handler = on_alarm};
    assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
    const struct itimerval soon = {.it_value = {.tv_usec = 20000}};
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    const double start_s = now_s();
    assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
    assert_true(now_s() - start_s < 10);
    assert_false(tac__poller_next(p, &r));
    tac__listener_close(l);
    tac__poller_close(p);
}

// Waiting and reading in one: nothing comes, a signal, a byte, the end.
static void test_awaited(void **state)
{
    (void)state;
    const tac__address a = here("awaited");
    tac__listener *l = opened(&a);
    const tac__address at = *tac__listener_address(l);
    const pid_t peer = fork();
    if (peer == 0) {
        work w = {.conn = dialled(&at), .in = 1, .out_stream = 1, .in_stream = 2};
        EXPECT(run(&w) == TAC__IO_DONE);
        nap_ms(20);
        w.out = 1;
        EXPECT(run(&w) == TAC__IO_DONE);
        nap_ms(20);
        tac__conn_close(w.conn);
        _exit(0);
    }
    tac__conn *c = accepted(l);
    tac__poller *p = poller_opened();
    size_t done;
    unsigned char byte = byte_at(2, 0);
    assert_int_equal(tac__poller_add(p, c, c, NULL), TAC_OK);
    for (int looks = 0; looks < 2; looks++) { // before it sleeps
        tac__poller_set_participants(p, looks ? 1 : 100000);
        double start_s = now_s();
        assert_int_equal(tac__poller_read(p, c, 30000, &byte, 1, &done, NULL), TAC__IO_BLOCKED);
        assert_true(now_s() - start_s >= 0.03 && done == 0);
        const struct sigaction act = {.sa_handler = on_alarm};
        assert_int_equal(sigaction(SIGALRM, &act, NULL), 0);
        const struct itimerval soon = {.it_value = {.tv_usec = 20000}};
        assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
        start_s = now_s();
        assert_int_equal(tac__poller_read(p, c, LONG_US, &byte, 1, &done, NULL), TAC__IO_BLOCKED);
        assert_true(now_s() - start_s < 10);
    }
    assert_int_equal(tac__conn_write(c, &byte, 1, &done, NULL), TAC__IO_DONE);
    tac__io io = TAC__IO_BLOCKED;
    while (io == TAC__IO_BLOCKED)
        io = tac__poller_read(p, c, LONG_US, &byte, 1, &done, NULL);
    assert_int_equal(io, TAC__IO_DONE);
    assert_int_equal(byte, byte_at(1, 0));
    do
        io = tac__poller_read(p, c, LONG_US, &byte, 1, &done, NULL);
    while (io == TAC__IO_BLOCKED);
    assert_int_equal(io, TAC__IO_CLOSED);
    peer_ended_well(peer);
    tac__conn_close(c);
    tac__poller_close(p);
    tac__listener_close(l);
}

// No more descriptors: whoever comes is turned away with a text, and the listener does not stay
// ready for ever; later clients are let in.
static void test_no_descriptors(void **state)
{
    (void)state;
    const tac__address a = here("full");
    tac__listener *l = opened(&a);
    tac__poller *p = poller_opened();
    tac__ready r;
    tac__conn *c, *first, *second;
    tac_error err;
    assert_int_equal(tac__poller_add_listener(p, l, l, NULL), TAC_OK);
    first = dialled(tac__listener_address(l));

    struct rlimit old, low;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    low = old;
    low.rlim_cur = 64;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    int taken[64], n = 0;
    while ((taken[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        n++;
    assert_int_equal(tac__poller_wait(p, LONG_US, &err), TAC_OK);
    assert_true(tac__poller_next(p, &r));
    const tac_status status = tac__listener_accept(l, &c, &err);
    while (n > 0)
        close(taken[--n]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_int_equal(status, TAC_E_NETWORK);
    assert_non_null(strstr(err.text, "a client cannot be let in: Too many open files"));
    assert_int_equal(tac__poller_wait(p, 1000, NULL), TAC_OK);
    assert_false(tac__poller_next(p, &r));
    tac__poller_remove_listener(p, l);

    second = dialled(tac__listener_address(l));
    c = accepted(l);
    tac__conn_close(first);
    tac__conn_close(second);
    tac__conn_close(c);
    tac__listener_close(l);
    tac__poller_close(p);
}

static void test_allocations(void **state)
{
    (void)state;
    const tac__address a = here("memory");
    for (uint64_t n = 1;; n++) {
        test_allocator counts = test_allocator_make();
        counts.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&counts);
        tac__listener *l = NULL;
        tac__conn *client = NULL, *server = NULL;
        tac__poller *p = NULL;
        tac_status status = tac__listener_open(&a, &hook, &l, NULL);
        if (status == TAC_OK)
            status = tac__poller_open(&hook, &p, NULL);
        if (status == TAC_OK)
            status = tac__conn_dial(tac__listener_address(l), LONG_US, &hook, &client, NULL);
        if (status == TAC_OK)
            status = tac__listener_accept(l, &server, NULL);
        if (status == TAC_OK)
            status = tac__poller_add(p, client, client, NULL);
        if (status == TAC_OK)
            status = tac__poller_add(p, server, server, NULL);
        // None while it is in use.
        const uint64_t calls = counts.calls;
        char bytes[100] = "";
        size_t done;
        for (int i = 0; status == TAC_OK && i < 100; i++) {
            tac__ready r;
            assert_true(tac__conn_write(client, bytes, sizeof bytes, &done, NULL) == TAC__IO_DONE);
            assert_int_equal(tac__poller_wait(p, LONG_US, NULL), TAC_OK);
            assert_true(tac__poller_next(p, &r) && r.tag == server);
            assert_true(tac__conn_read(server, bytes, sizeof bytes, &done, NULL) == TAC__IO_DONE);
        }
        assert_int_equal(counts.calls, calls);
        tac__conn_close(client);
        tac__conn_close(server);
        tac__listener_close(l);
        tac__poller_close(p);
        test_allocator_check_empty(&counts);
        if (status == TAC_OK)
            break;
        assert_int_equal(status, TAC_E_MEMORY);
    }
}

// --- all of them, once for each transport --------------------------------------------------------

// Descriptors that are open, none of which is inherited by programs that are started.
static int descriptors(void)
{
    int n = 0;
    for (int fd = 3; fd < 1024; fd++) {
        const int flags = fcntl(fd, F_GETFD);
        n += flags >= 0;
    }
    return n;
}

static void test_not_inherited(void **state)
{
    (void)state;
    const tac__address a = here("exec");
    const int before = descriptors();
    tac__listener *l = opened(&a);
    tac__poller *p = poller_opened();
    tac__conn *client = dialled(tac__listener_address(l)), *server = accepted(l);
    tac__poller_add(p, client, client, NULL);
    tac__poller_add(p, server, server, NULL);
    size_t done;
    assert_int_equal(tac__conn_write(client, "x", 1, &done, NULL), TAC__IO_DONE);
    int open = 0, kept = 0;
    for (int fd = 3; fd < 1024; fd++) {
        const int flags = fcntl(fd, F_GETFD);
        open += flags >= 0;
        kept += flags >= 0 && !(flags & FD_CLOEXEC);
    }
    tac__conn_close(client);
    tac__conn_close(server);
    tac__listener_close(l);
    tac__poller_close(p);
    assert_true(open >= before + 5);
    assert_true(kept <= before);
    assert_int_equal(descriptors(), before);
}

static int left; // descriptors at the start

static int set_up(void **state)
{
    left = descriptors();
    return folder_set_up(state);
}

static int tear_down(void **state)
{
    if (descriptors() != left) {
        print_error("%d descriptors are left open\n", descriptors() - left);
        return 1;
    }
    return folder_tear_down(state);
}

static bool has_ip6(void)
{
    tac__address a = address_of("[::1]:0");
    tac__listener *l;
    if (tac__listener_open(&a, tac_allocator_default(), &l, NULL) != TAC_OK)
        return false;
    tac__listener_close(l);
    return true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),      cmocka_unit_test(test_single_bytes),
        cmocka_unit_test(test_slow_reader),    cmocka_unit_test(test_sleepers),
        cmocka_unit_test(test_killed),         cmocka_unit_test(test_silent),
        cmocka_unit_test(test_any_order),      cmocka_unit_test(test_poller),
        cmocka_unit_test(test_signal),         cmocka_unit_test(test_awaited),
        cmocka_unit_test(test_no_descriptors), cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_not_inherited),
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof TRANSPORTS / sizeof *TRANSPORTS; i++) {
        transport = TRANSPORTS[i];
        if (strstr(transport, "[::1]") && !has_ip6()) {
            print_message("no IPv6 here\n");
            continue;
        }
        print_message("--- %s\n", transport);
        failed += cmocka_run_group_tests(tests, set_up, tear_down);
    }
    return failed != 0;
}
