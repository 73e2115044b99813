// poller.c - waiting for listeners and connections with epoll.
//
// Level-triggered: what is ready and not taken care of is found again by the next wait. What a wait
// finds goes to a list through the watches themselves, so a wait allocates nothing and costs what
// is ready, and what is closed leaves the list.
#define _GNU_SOURCE // sched_getaffinity
#include "federation/conn.h"

#include <errno.h>
#include <sched.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum {
    EVENTS = 64,        // taken from epoll at once
    SPIN_US = 25,       // looking again and again goes on as long as waking would take
    SILENCE_MS = 15000, // of a dead host
    CHECK_US = 1000000, // so often such hosts are looked for
};

tac_status tac__poller_open(const tac_allocator *allocator, tac__poller **poller, tac_error *err)
{
    *poller = NULL;
    tac__poller *p = allocator->resize(allocator->context, NULL, 0, sizeof *p);
    if (!p)
        return tac__fail_memory(err);
    *p = (tac__poller){.allocator = allocator,
                       .fd = epoll_create1(EPOLL_CLOEXEC),
                       .silence_ms = SILENCE_MS,
                       .check_us = CHECK_US};
    if (p->fd < 0) {
        const int code = errno;
        tac__poller_close(p);
        return tac__fail(err, TAC_E_NETWORK, "epoll: %s", tac__errno_text(code));
    }
    *poller = p;
    return TAC_OK;
}

void tac__poller_close(tac__poller *p)
{
    if (!p)
        return;
    if (p->fd >= 0)
        close(p->fd);
    p->allocator->resize(p->allocator->context, p, sizeof *p, 0);
}

void tac__poller_set_participants(tac__poller *p, unsigned participants)
{
    cpu_set_t set;
    p->spin = participants && sched_getaffinity(0, sizeof set, &set) == 0 &&
              (unsigned)CPU_COUNT(&set) > participants;
}

// --- the list of what is ready -------------------------------------------------------------------

static void push(tac__poller *p, tac__watch *w, bool read, bool write)
{
    if (!w->read && !w->write) {
        w->before = p->last;
        w->after = NULL;
        *(p->last ? &p->last->after : &p->first) = w;
        p->last = w;
    }
    w->read |= read;
    w->write |= write;
}

static void drop(tac__poller *p, tac__watch *w)
{
    if (!w->read && !w->write)
        return;
    *(w->before ? &w->before->after : &p->first) = w->after;
    *(w->after ? &w->after->before : &p->last) = w->before;
    w->read = w->write = false;
}

bool tac__poller_next(tac__poller *p, tac__ready *ready)
{
    tac__watch *w = p->first;
    if (!w)
        return false;
    *ready = (tac__ready){w->tag, w->read, w->write};
    drop(p, w);
    return true;
}

// --- members -------------------------------------------------------------------------------------

static uint32_t events_of(const tac__watch *w)
{
    return EPOLLRDHUP | (w->want_read ? EPOLLIN : 0u) | (w->want_write ? EPOLLOUT : 0u);
}

static tac_status join(tac__poller *p, tac__watch *w, int fd, void *tag, const char *name,
                       tac_error *err)
{
    TAC_REQUIRE(!w->poller);
    w->tag = tag;
    w->want_read = true;
    struct epoll_event event = {.events = events_of(w), .data.ptr = w};
    if (epoll_ctl(p->fd, EPOLL_CTL_ADD, fd, &event) != 0)
        return tac__fail(err, TAC_E_NETWORK, "%s: cannot be waited for: %s", name,
                         tac__errno_text(errno));
    w->poller = p;
    return TAC_OK;
}

void tac__watch_leave(tac__watch *w, int fd)
{
    if (!w->poller)
        return;
    drop(w->poller, w);
    // Explicitly: the descriptor may be open in another process, too, and then stays in the set.
    struct epoll_event unused = {0};
    (void)epoll_ctl(w->poller->fd, EPOLL_CTL_DEL, fd, &unused);
    w->want_read = w->want_write = false;
    if (w->conn) {
        *(w->left ? &w->left->right : &w->poller->members) = w->right;
        if (w->right)
            w->right->left = w->left;
        w->poller->tcp -= w->conn->transport == TAC__TRANSPORT_TCP;
    }
    w->poller = NULL;
}

tac_status tac__poller_add_listener(tac__poller *p, tac__listener *l, void *tag, tac_error *err)
{
    return join(p, &l->watch, l->fd, tag, l->address.text, err);
}

tac_status tac__poller_add(tac__poller *p, tac__conn *c, void *tag, tac_error *err)
{
    tac__watch *w = &c->watch;
    TAC_TRY(join(p, w, c->fd, tag, c->peer, err));
    w->conn = c;
    w->left = NULL;
    w->right = p->members;
    if (p->members)
        p->members->left = w;
    p->members = w;
    p->tcp += c->transport == TAC__TRANSPORT_TCP;
    return TAC_OK;
}

void tac__poller_remove(tac__poller *p, tac__conn *c)
{
    if (c->watch.poller == p)
        tac__watch_leave(&c->watch, c->fd);
}

void tac__poller_remove_listener(tac__poller *p, tac__listener *l)
{
    if (l->watch.poller == p)
        tac__watch_leave(&l->watch, l->fd);
}

void tac__poller_want(tac__poller *p, tac__conn *c, bool read, bool write)
{
    tac__watch *w = &c->watch;
    if (w->poller != p || (w->want_read == read && w->want_write == write))
        return;
    w->want_read = read;
    w->want_write = write;
    struct epoll_event event = {.events = events_of(w), .data.ptr = w};
    (void)epoll_ctl(p->fd, EPOLL_CTL_MOD, c->fd, &event);
}

// --- waiting -------------------------------------------------------------------------------------

static int look(tac__poller *p, int limit_ms)
{
    struct epoll_event events[EVENTS];
    const int n = epoll_wait(p->fd, events, EVENTS, limit_ms);
    for (int i = 0; i < n; i++) {
        tac__watch *w = events[i].data.ptr;
        const bool gone = events[i].events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP);
        push(p, w, gone || (events[i].events & EPOLLIN), (events[i].events & EPOLLOUT) != 0);
    }
    return n;
}

// Milliseconds for epoll: rounded up, so that a wait is never cut short.
static int in_ms(uint64_t limit_us)
{
    const uint64_t longest_ms = 1u << 30;
    if (limit_us == UINT64_MAX)
        return -1;
    const uint64_t ms = limit_us / 1000 + (limit_us % 1000 != 0);
    return (int)(ms < longest_ms ? ms : longest_ms);
}

// Connections whose host is dead: a call of the system's for each of them.
static void find_dead(tac__poller *p, uint64_t now_us)
{
    p->looked_us = now_us;
    for (tac__watch *w = p->members; w; w = w->right) {
        if (w->conn->transport != TAC__TRANSPORT_TCP || w->conn->error ||
            !tac__socket_is_dead(w->conn->fd, p->silence_ms))
            continue;
        w->conn->error = ETIMEDOUT;
        push(p, w, true, false);
    }
}

// Blocks for `limit_us`, in pieces where dead hosts are to be looked for.
static int block(tac__poller *p, uint64_t limit_us)
{
    if (!p->tcp || !limit_us)
        return look(p, in_ms(limit_us));
    const uint64_t start_us = tac__clock_us();
    uint64_t now_us = start_us;
    for (;;) {
        if (now_us - p->looked_us >= p->check_us) {
            find_dead(p, now_us);
            if (p->first)
                return 0;
        }
        const uint64_t left_us =
            limit_us == UINT64_MAX ? p->check_us : limit_us - (now_us - start_us);
        const int n = look(p, in_ms(left_us < p->check_us ? left_us : p->check_us));
        now_us = tac__clock_us();
        if (n != 0 || now_us - start_us >= limit_us)
            return n;
    }
}

tac_status tac__poller_wait(tac__poller *p, uint64_t limit_us, tac_error *err)
{
    if (p->first)
        return TAC_OK;
    int n = 0;
    if (p->spin && limit_us) {
        const uint64_t start_us = tac__clock_us();
        do
            n = look(p, 0);
        while (n == 0 && tac__clock_us() - start_us < SPIN_US);
    }
    if (n == 0)
        n = block(p, limit_us);
    if (n < 0 && errno != EINTR)
        return tac__fail(err, TAC_E_NETWORK, "epoll: %s", tac__errno_text(errno));
    return TAC_OK;
}
