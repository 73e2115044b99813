// peers.h - other processes for tests of transports: forked, told to end, and asked how it went.
#ifndef TAC_TESTS_FEDERATION_PEERS_H
#define TAC_TESTS_FEDERATION_PEERS_H

#include "federation/transport.h"
#include "support/folder.h"
#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONG_US = 20000000 }; // longer than anything takes on a busy machine

// In a forked peer, which must not go on with the tests of its parent.
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: in the other process: %s\n", __FILE__, __LINE__, #condition);  \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static inline double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void nap_ms(int ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

static inline void peer_ended_well(pid_t peer)
{
    int status;
    assert_int_equal(waitpid(peer, &status, 0), peer);
    assert_int_equal(status, 0);
}

static inline void peer_kill(pid_t peer)
{
    int status;
    assert_int_equal(kill(peer, SIGKILL), 0);
    assert_int_equal(waitpid(peer, &status, 0), peer);
    assert_true(WIFSIGNALED(status));
}

// Memory that forked processes share.
static inline void *shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    return memory;
}

// The byte at a place of a stream; each stream has its own.
static inline unsigned char byte_at(unsigned stream, uint64_t place)
{
    uint64_t x = (place / 8 + 1) * 0x9e3779b97f4a7c15u + stream;
    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
    return (unsigned char)(x >> (8 * (place % 8)));
}

static inline tac__address address_of(const char *text)
{
    tac__address a;
    tac_error err;
    if (tac__address_parse(text, &a, &err) != TAC_OK)
        fail_msg("%s", err.text);
    return a;
}

static inline tac__listener *opened(const tac__address *a)
{
    tac__listener *l;
    tac_error err;
    if (tac__listener_open(a, tac_allocator_default(), &l, &err) != TAC_OK)
        fail_msg("%s", err.text);
    return l;
}

static inline tac__conn *dialled(const tac__address *a)
{
    tac__conn *c;
    tac_error err;
    if (tac__conn_dial(a, LONG_US, tac_allocator_default(), &c, &err) != TAC_OK) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return c;
}

static inline tac__poller *poller_opened(void)
{
    tac__poller *p;
    assert_int_equal(tac__poller_open(tac_allocator_default(), &p, NULL), TAC_OK);
    return p;
}

static inline tac__conn *accepted(tac__listener *l)
{
    tac__poller *p = poller_opened();
    tac__conn *c = NULL;
    tac_error err;
    assert_int_equal(tac__poller_add_listener(p, l, l, &err), TAC_OK);
    const double start_s = now_s();
    while (!c) {
        tac__ready r;
        assert_true(now_s() - start_s < 20);
        assert_int_equal(tac__poller_wait(p, LONG_US, &err), TAC_OK);
        while (tac__poller_next(p, &r)) {
            assert_ptr_equal(r.tag, l);
            if (tac__listener_accept(l, &c, &err) != TAC_OK)
                fail_msg("%s", err.text);
        }
    }
    tac__poller_remove_listener(p, l);
    tac__poller_close(p);
    return c;
}

#endif
