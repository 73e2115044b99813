// poller.c - waiting for listeners and connections.
//
// Level-triggered: what is ready and not taken care of is found again by the next wait. What a wait
// finds goes to a list through the watches themselves, so a wait allocates nothing, and what is
// closed leaves the list.
//
// Sockets are waited for with epoll. Rings in shared memory are looked at; before this process
// sleeps it says so in every ring, and epoll waits for the bells, too.
//
// A wait first looks again and again for a short time and lets other processes run between two
// looks (sched_yield), then sleeps in the kernel until epoll has something. Looking pays where the
// processors have nothing but the federation to do: waking a process on another processor costs
// some 15 to 50 us in a virtual machine. Two processors that do nothing else, a round of
// bench/federation.c with looking and without: a ring of 2 through shared memory 3.9 and 26 us, a
// ring of 8 12 and 31 us.
//
// Beside a process that computes, a yield gives it the processor for milliseconds. So a time of
// looking that is torn in this way is followed by a rest in which every wait sleeps at once. A ring
// of 8 beside two such processes took 24 to 38 times as long a round as alone without such rests,
// and takes 0.8 to 2.2 times as long with them.
//
// A bell is an eventfd and not a futex. Both wake equally fast (4 to 16 us there and back on one
// processor, 97 to 313 between two that had other work), but a futex cannot be waited for together
// with sockets: who dials, and the end of a peer, would be noticed late.
#define _GNU_SOURCE // sched_getaffinity
#include "federation/conn.h"

#include <errno.h>
#include <sched.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    EVENTS = 64,      // taken from epoll at once
    LOOK_US = 50,     // of looking before sleeping; from 10 to 400 makes no difference
    TORN_US = 1000,   // between two looks: another process had the processor
    WHOLE = 1000,     // times of looking in a row after which being torn is an exception
    REST_US = 100000, // in which no wait looks after being torn, at least
    REST_MAX_US = 2000000,
    CROWD = 5,          // processes a processor
    LOOKS = 16,         // of rings for one of sockets
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
    const unsigned processors =
        sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
    p->crowded = participants > CROWD * processors;
}

// --- the list of what is ready -------------------------------------------------------------------

static void push(tac__poller *p, tac__watch *w, bool read, bool write)
{
    if (!read && !write)
        return;
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

// 0 or errno's value. Events of bells lead to no watch: all rings are looked at then.
static int control(const tac__poller *p, int operation, int fd, uint32_t events, tac__watch *w)
{
    struct epoll_event event = {.events = events, .data.ptr = w};
    return epoll_ctl(p->fd, operation, fd, &event) == 0 ? 0 : errno;
}

static uint32_t events_of(const tac__watch *w)
{
    if (w->conn && w->conn->transport == TAC__TRANSPORT_SHM)
        return w->conn->shm.memory ? EPOLLRDHUP : EPOLLRDHUP | EPOLLIN;
    return EPOLLRDHUP | (w->want_read ? EPOLLIN : 0u) | (w->want_write ? EPOLLOUT : 0u);
}

// Edge-triggered: each ring of a bell wakes once, and nobody has to quieten it.
static int add_bell(const tac__watch *w)
{
    return control(w->poller, EPOLL_CTL_ADD, w->conn->shm.own_bell, EPOLLIN | EPOLLET, NULL);
}

static tac__watch **list_of(const tac__watch *w)
{
    if (!w->conn || w->conn->transport == TAC__TRANSPORT_UNIX)
        return NULL;
    return w->conn->transport == TAC__TRANSPORT_TCP ? &w->poller->tcp : &w->poller->shm;
}

static tac_status join(tac__poller *p, tac__watch *w, int fd, void *tag, const char *name,
                       tac_error *err)
{
    TAC_REQUIRE(!w->poller);
    w->tag = tag;
    w->want_read = true;
    int code = control(p, EPOLL_CTL_ADD, fd, events_of(w), w);
    if (code == 0) {
        w->poller = p;
        p->members++;
        tac__watch **list = list_of(w);
        if (list) {
            w->left = NULL;
            w->right = *list;
            if (*list)
                (*list)->left = w;
            *list = w;
        }
        if (w->conn && w->conn->shm.memory && (code = add_bell(w)) != 0)
            tac__watch_leave(w, fd);
    }
    return code == 0 ? TAC_OK
                     : tac__fail(err, TAC_E_NETWORK, "%s: cannot be waited for: %s", name,
                                 tac__errno_text(code));
}

void tac__watch_leave(tac__watch *w, int fd)
{
    tac__poller *p = w->poller;
    if (!p)
        return;
    drop(p, w);
    // Explicitly: descriptors that are open in another process, too, stay in the set when closed.
    (void)control(p, EPOLL_CTL_DEL, fd, 0, NULL);
    if (w->conn && w->conn->shm.memory)
        (void)control(p, EPOLL_CTL_DEL, w->conn->shm.own_bell, 0, NULL);
    tac__watch **list = list_of(w);
    if (list) {
        *(w->left ? &w->left->right : list) = w->right;
        if (w->right)
            w->right->left = w->left;
    }
    p->members--;
    w->want_read = w->want_write = false;
    w->poller = NULL;
}

int tac__watch_attached(tac__watch *w)
{
    if (!w->poller)
        return 0;
    const int code = add_bell(w);
    return code ? code : control(w->poller, EPOLL_CTL_MOD, w->conn->fd, events_of(w), w);
}

tac_status tac__poller_add_listener(tac__poller *p, tac__listener *l, void *tag, tac_error *err)
{
    return join(p, &l->watch, l->fd, tag, l->address.text, err);
}

tac_status tac__poller_add(tac__poller *p, tac__conn *c, void *tag, tac_error *err)
{
    c->watch.conn = c;
    return join(p, &c->watch, c->fd, tag, c->peer, err);
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
    if (c->transport != TAC__TRANSPORT_SHM)
        (void)control(p, EPOLL_CTL_MOD, c->fd, events_of(w), w);
}

// --- looking -------------------------------------------------------------------------------------

// What epoll has after `limit_ms` at most. Returns 0 or errno's value.
static int look_at_sockets(tac__poller *p, int limit_ms)
{
    struct epoll_event events[EVENTS];
    const int n = epoll_wait(p->fd, events, EVENTS, limit_ms);
    if (n < 0)
        return errno;
    for (int i = 0; i < n; i++) {
        tac__watch *w = events[i].data.ptr;
        if (!w)
            continue; // a bell
        const bool gone = events[i].events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP);
        if (w->conn && w->conn->transport == TAC__TRANSPORT_SHM) {
            const int code = tac__conn_attach(w->conn);
            w->conn->shm.gone |= gone;
            push(p, w, gone || (code != 0 && code != EAGAIN), false);
            continue;
        }
        push(p, w, gone || (events[i].events & EPOLLIN), (events[i].events & EPOLLOUT) != 0);
    }
    return 0;
}

static void look_at_rings(tac__poller *p)
{
    for (tac__watch *w = p->shm; w; w = w->right) {
        tac__shm *s = &w->conn->shm;
        push(p, w, s->gone || (w->want_read && s->memory && tac__shm_readable(s)),
             w->want_write && s->memory && tac__shm_writable(s));
    }
}

// Connections whose host is dead: a call of the system's for each of them.
static void look_for_dead(tac__poller *p, uint64_t now_us)
{
    if (!p->tcp || now_us - p->looked_us < p->check_us)
        return;
    p->looked_us = now_us;
    for (tac__watch *w = p->tcp; w; w = w->right) {
        if (!w->conn->error && tac__socket_is_dead(w->conn->fd, p->silence_ms)) {
            w->conn->error = ETIMEDOUT;
            push(p, w, true, false);
        }
    }
}

// --- waiting -------------------------------------------------------------------------------------

// A time of looking before a sleep. It is over at once, and no wait looks for a while, where
// another process had the processor between two looks: that one would keep this one from seeing
// what it waits for, while one that sleeps is woken.
typedef struct look {
    uint64_t now_us, end_us;
    bool torn;
} look;

static bool look_begin(tac__poller *p, look *l, uint64_t limit_us)
{
    l->now_us = tac__clock_us();
    l->end_us = l->now_us + (limit_us < LOOK_US ? limit_us : LOOK_US);
    l->torn = false;
    return !p->crowded && l->now_us >= p->rests_until_us;
}

static bool look_again(look *l)
{
    sched_yield();
    const uint64_t now_us = tac__clock_us();
    l->torn = now_us - l->now_us > TORN_US;
    l->now_us = now_us;
    return !l->torn && now_us < l->end_us;
}

// The rest doubles from time to time of being torn, until very many in a row were not.
static void look_end(tac__poller *p, const look *l)
{
    if (!l->torn) {
        p->whole += p->whole < WHOLE;
        return;
    }
    const uint64_t rest_us = p->whole < WHOLE ? 2 * p->rest_us : 0;
    p->whole = 0;
    p->rest_us = rest_us < REST_US ? REST_US : rest_us > REST_MAX_US ? REST_MAX_US : rest_us;
    p->rests_until_us = l->now_us + p->rest_us;
}

// Returns as look_at_sockets, as all that follow.
static int look_on(tac__poller *p, uint64_t limit_us)
{
    look l;
    int code = 0;
    if (!look_begin(p, &l, limit_us))
        return 0;
    for (unsigned i = 1; !p->first && !code && look_again(&l); i++) {
        look_at_rings(p);
        if (!p->first && (!p->shm || i % LOOKS == 0))
            code = look_at_sockets(p, 0);
    }
    look_end(p, &l);
    return code;
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

static int sleep_once(tac__poller *p, uint64_t limit_us)
{
    if (p->tcp && limit_us > p->check_us)
        limit_us = p->check_us; // then dead hosts are looked for
    for (tac__watch *w = p->shm; w; w = w->right) {
        if (w->conn->shm.memory)
            tac__shm_sleeps(&w->conn->shm, w->want_read, w->want_write);
    }
    look_at_rings(p); // what came before others could know that this process sleeps
    const int code = p->first ? 0 : look_at_sockets(p, in_ms(limit_us));
    for (tac__watch *w = p->shm; w; w = w->right) {
        if (w->conn->shm.memory)
            tac__shm_woke(&w->conn->shm);
    }
    look_at_rings(p);
    return code;
}

static int wait(tac__poller *p, uint64_t limit_us)
{
    int code = 0;
    look_at_rings(p);
    // Sockets have their turn even where there is always something in the rings.
    if (!limit_us || (p->first && ++p->busy % LOOKS == 0))
        code = look_at_sockets(p, 0);
    const uint64_t start_us = tac__clock_us();
    look_for_dead(p, start_us);
    if (p->first || code || !limit_us)
        return code;
    const uint64_t end_us = limit_us < UINT64_MAX - start_us ? start_us + limit_us : UINT64_MAX;

    code = look_on(p, limit_us);
    while (!p->first && !code) {
        const uint64_t now_us = tac__clock_us();
        look_for_dead(p, now_us);
        if (p->first || now_us >= end_us)
            break;
        code = sleep_once(p, end_us == UINT64_MAX ? UINT64_MAX : end_us - now_us);
    }
    return code;
}

tac_status tac__poller_wait(tac__poller *p, uint64_t limit_us, tac_error *err)
{
    const int code = p->first ? 0 : wait(p, limit_us);
    if (code == 0 || code == EINTR)
        return TAC_OK;
    return tac__fail(err, TAC_E_NETWORK, "epoll: %s", tac__errno_text(code));
}

// --- waiting and reading in one
// -------------------------------------------------------------------

// A crowd of 64 processes takes a fifth less time a round than with tac__poller_wait and
// tac__conn_read (220 instead of 290 us, ring of bench/federation.c over TCP, two cores).
static tac__io read_socket(tac__poller *p, tac__conn *c, uint64_t limit_us, void *bytes,
                           size_t size, size_t *done, tac_error *err)
{
    look l;
    if (look_begin(p, &l, limit_us)) {
        tac__io io = TAC__IO_BLOCKED;
        while (io == TAC__IO_BLOCKED && look_again(&l))
            io = tac__conn_read(c, bytes, size, done, err);
        look_end(p, &l);
        if (io != TAC__IO_BLOCKED)
            return io;
    }
    return tac__conn_await(c, limit_us < p->check_us ? limit_us : p->check_us, bytes, size, done,
                           err);
}

tac__io tac__poller_read(tac__poller *p, tac__conn *c, uint64_t limit_us, void *bytes, size_t size,
                         size_t *done, tac_error *err)
{
    TAC_ASSERT(p->members == 1 && c->watch.poller == p);
    const bool socket = c->transport != TAC__TRANSPORT_SHM;
    if (socket && limit_us && !c->watch.want_write) {
        look_for_dead(p, tac__clock_us());
        if (!c->error)
            return read_socket(p, c, limit_us, bytes, size, done, err);
    } else if (tac__poller_wait(p, limit_us, err) != TAC_OK) {
        *done = 0;
        return TAC__IO_FAILED;
    }
    tac__ready ready;
    while (tac__poller_next(p, &ready))
        continue;
    return tac__conn_read(c, bytes, size, done, err);
}
