// republisher.c - a ring of bytes between the server and a thread that publishes with liblcm.
//
// The thread is started with the first message: by then the clients of `tactus federate` have been
// forked. It looks into the ring at intervals instead of being woken, which would take the server a
// system call for each message. The backlog is never longer than what the thread can publish in
// half a second, so that listeners see what happens now and the program ends soon after the
// federation.
#define _GNU_SOURCE // SCHED_IDLE
#include "federation/republisher.h"

#ifndef TACTUS_HAVE_LCM

#include "federation/lcm_library.h"

tac_status tac__republisher_create(const char *url, double rate, tac__republisher **republisher,
                                   tac_error *err)
{
    const tac__lcm_library *library;
    (void)url, (void)rate;
    *republisher = NULL;
    return tac__lcm_library_load(&library, err);
}

void tac__republisher_add(tac__republisher *republisher, const tac_passage *passage)
{
    (void)republisher, (void)passage;
}

void tac__republisher_finish(tac__republisher *republisher)
{
    (void)republisher;
}

void tac__republisher_destroy(tac__republisher *republisher)
{
    (void)republisher;
}

void tac__republisher_counts(const tac__republisher *republisher, uint64_t *published,
                             uint64_t *left_out)
{
    (void)republisher;
    *published = *left_out = 0;
}

const char *tac__republisher_left_out(const tac__republisher *republisher, size_t i,
                                      uint64_t *count)
{
    (void)republisher, (void)i;
    *count = 0;
    return NULL;
}

#else

#include "base/arena.h"
#include "base/names.h"
#include "federation/lcm_library.h"
#include "federation/ring.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    RING_BYTES = 1 << 24,
    RATE = 10000,        // messages a second, unless another rate is asked for
    PIECE_BYTES = 2048,  // of a message, that count as one
    BACKLOG_DIVIDER = 2, // the backlog is what can be published in half a second
    // Messages published at once at most, after the thread has slept. Linux keeps some 270 small
    // packets for a listener (net.core.rmem_default), of which a message with its envelope takes
    // two.
    BURST = 64,
    NAP_NS = 1000000,    // between looks into an empty ring
    FAREWELL_MS = 1000,  // for what is in the ring at the end
    DEFAULT_PORT = 7667, // of LCM,
};
static const char default_group[] = "239.255.76.67";

// In the ring in front of the bytes of a message.
typedef struct entry {
    uint64_t number; // with those that were left out
    tac_passage passage;
} entry;

// Messages that were left out, by channel. The server leaves out what the backlog has no room for,
// the thread what could not be sent.
typedef struct omissions {
    pthread_mutex_t lock;
    tac__arena arena;
    tac__names channels;
    const char **names;
    uint64_t *counts;
    size_t count;
    TAC__CAPACITY(const char *) name_capacity;
    TAC__CAPACITY(uint64_t) count_capacity;
    uint64_t total;
} omissions;

struct tac__republisher {
    const tac__lcm_library *library;
    lcm_t *lcm;
    pthread_t thread;
    bool running, ended;
    _Atomic bool stop;
    tac__ring ring;
    tac__ring_end writer, reader; // of the server, of the thread
    uint8_t *memory;              // of the ring
    uint8_t *bytes;               // one message, of the thread; of the ring's size
    tac__envelope_bytes envelope;
    double rate;            // pieces of messages a second
    double credit;          // pieces that the thread may publish now; less than 0 after a long one
    int64_t credit_ns;      // when that was
    uint64_t number;        // of the next message
    uint64_t added;         // pieces put into the ring,
    _Atomic uint64_t taken; // and taken out again
    _Atomic uint64_t published;
    omissions left_out;
};

// --- what is left out ---------------------------------------------------------------------------

// Count a message that is left out, for its channel. Without memory only the total is right.
static void leave_out(tac__republisher *r, const tac_passage *p)
{
    omissions *o = &r->left_out;
    char channel[TAC__PASSAGE_NAME];
    tac__passage_channel(p, channel);
    pthread_mutex_lock(&o->lock);
    o->total++;
    int i = tac__names_find(&o->channels, channel);
    if (i < 0 && TAC__ARENA_GROW(&o->arena, o->names, o->count, o->name_capacity) &&
        TAC__ARENA_GROW(&o->arena, o->counts, o->count, o->count_capacity) &&
        (o->names[o->count] = tac__arena_text(&o->arena, channel)) != NULL &&
        tac__names_set(&o->channels, &o->arena, o->names[o->count], (uint32_t)o->count) == TAC_OK) {
        i = (int)o->count++;
        o->counts[i] = 0;
    }
    if (i >= 0)
        o->counts[i]++;
    pthread_mutex_unlock(&o->lock);
}

static uint64_t pieces(const tac_passage *p)
{
    return 1 + p->length / PIECE_BYTES;
}

// --- the network --------------------------------------------------------------------------------

// Whether there is a way to a group of udpm://GROUP:PORT. liblcm asks the same, and writes to
// standard error if not.
static tac_status check_network(const char *url, tac_error *err)
{
    static const char scheme[] = "udpm://";
    if (strncmp(url, scheme, sizeof scheme - 1) != 0)
        return TAC_OK;
    char host[64] = "";
    const char *from = url + sizeof scheme - 1;
    const size_t length = strcspn(from, ":?");
    unsigned port = from[length] == ':' ? 0 : DEFAULT_PORT;
    for (const char *c = from + length + 1; from[length] == ':' && tac__is_digit(*c); c++)
        port = port > 65535 ? port : 10 * port + (unsigned)(*c - '0');
    if (length >= sizeof host)
        return tac__fail(err, TAC_E_NETWORK, "'%s' is no address of a group", url);
    memcpy(host, length ? from : default_group, length ? length : sizeof default_group);
    struct ip_mreq group = {.imr_interface = {htonl(INADDR_ANY)}};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, host, &group.imr_multiaddr) != 1 ||
        !IN_MULTICAST(ntohl(group.imr_multiaddr.s_addr)) || port < 1 || port > 65535)
        return tac__fail(err, TAC_E_NETWORK,
                         "'%s' is no address of LCM: expected udpm://GROUP:PORT with a group of "
                         "224.0.0.0 to 239.255.255.255",
                         url);
    to.sin_addr = group.imr_multiaddr;
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool ok = fd >= 0 && connect(fd, (const struct sockaddr *)&to, sizeof to) == 0 &&
                    setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group) == 0;
    const int code = errno;
    if (fd >= 0)
        close(fd);
    return ok ? TAC_OK
              : tac__fail(err, TAC_E_NETWORK, "there is no way to '%s': %s", url,
                          tac__errno_text(code));
}

tac_status tac__republisher_create(const char *url, double rate, tac__republisher **republisher,
                                   tac_error *err)
{
    const tac__lcm_library *library;
    *republisher = NULL;
    TAC_TRY(check_network(url, err));
    TAC_TRY(tac__lcm_library_load(&library, err));
    tac__republisher *r = aligned_alloc(_Alignof(tac__republisher), sizeof *r);
    if (!r)
        return tac__fail_memory(err);
    memset(r, 0, sizeof *r);
    r->library = library;
    r->rate = rate > 0 ? rate : RATE;
    tac__arena_init(&r->left_out.arena, tac_allocator_default());
    pthread_mutex_init(&r->left_out.lock, NULL);
    r->memory = malloc(RING_BYTES);
    r->bytes = malloc(RING_BYTES);
    r->writer = r->reader = (tac__ring_end){&r->ring, r->memory, RING_BYTES, 0, 0};
    const bool memory = r->memory && r->bytes;
    r->lcm = memory ? library->create(url) : NULL;
    if (!r->lcm) {
        const tac_status status =
            memory ? tac__fail(err, TAC_E_NETWORK, "liblcm cannot open '%s'", url)
                   : tac__fail_memory(err);
        tac__republisher_destroy(r);
        return status;
    }
    *republisher = r;
    return TAC_OK;
}

// --- the thread ---------------------------------------------------------------------------------

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// A message whose envelope cannot be sent is not sent, either.
static bool publish(tac__republisher *r, const tac_passage *p, uint64_t number)
{
    char channel[TAC__PASSAGE_NAME];
    tac__passage_channel(p, channel);
    if (tac__passage_envelope(p, channel, number, &r->envelope, NULL) != TAC_OK)
        return false;
    return r->library->publish(r->lcm, TAC__LCM_ENVELOPE_CHANNEL, r->envelope.bytes,
                               (unsigned)r->envelope.size) == 0 &&
           r->library->publish(r->lcm, channel, p->length ? p->bytes : "", p->length) == 0;
}

// Return whether the rate allows another message now.
static bool may_publish(tac__republisher *r)
{
    if (r->credit < 1) {
        const int64_t now = now_ns();
        r->credit += 1e-9 * (double)(now - r->credit_ns) * r->rate;
        r->credit = r->credit < BURST ? r->credit : BURST;
        r->credit_ns = now;
    }
    return r->credit >= 1;
}

// The writer puts an entry and the bytes of its message: these follow at once.
static bool take(tac__republisher *r)
{
    entry e;
    if (tac__ring_filled(&r->reader) < sizeof e)
        return false;
    (void)tac__ring_read(&r->reader, &e, sizeof e);
    while (tac__ring_filled(&r->reader) < e.passage.length)
        continue;
    (void)tac__ring_read(&r->reader, r->bytes, e.passage.length);
    e.passage.bytes = r->bytes;
    r->credit -= (double)pieces(&e.passage);
    if (publish(r, &e.passage, e.number))
        atomic_fetch_add_explicit(&r->published, 1, memory_order_relaxed);
    else
        leave_out(r, &e.passage);
    atomic_fetch_add_explicit(&r->taken, pieces(&e.passage), memory_order_relaxed);
    return true;
}

static void *run(void *context)
{
    tac__republisher *r = context;
    const struct timespec nap = {.tv_nsec = NAP_NS};
    for (int64_t end_ns = 0;;) {
        const bool stop = atomic_load_explicit(&r->stop, memory_order_acquire);
        if (stop && !end_ns)
            end_ns = now_ns() + (int64_t)FAREWELL_MS * 1000000;
        if (stop && now_ns() > end_ns)
            return NULL;
        if (may_publish(r) && take(r))
            continue;
        if (stop && !tac__ring_filled(&r->reader))
            return NULL;
        nanosleep(&nap, NULL);
    }
}

static void schedule(const tac__republisher *r, int policy)
{
    const struct sched_param param = {0};
    (void)pthread_setschedparam(r->thread, policy, &param);
}

// The thread has what the simulation leaves of the processors. On two cores examples/ring.yaml took
// 40 to 55 us a round without it and 53 to 58 with it; at nice 10 more than twice as long.
static bool start(tac__republisher *r)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are the program's
    r->running = pthread_create(&r->thread, NULL, run, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (r->running)
        schedule(r, SCHED_IDLE);
    return r->running;
}

// --- calls of the server ------------------------------------------------------------------------

void tac__republisher_add(tac__republisher *r, const tac_passage *p)
{
    const entry e = {r->number++, *p};
    const size_t size = sizeof e + p->length;
    const uint64_t backlog = r->added - atomic_load_explicit(&r->taken, memory_order_relaxed);
    if (r->ended || size > RING_BYTES || (!r->running && !start(r)) ||
        (backlog && (double)(backlog + pieces(p)) > r->rate / BACKLOG_DIVIDER) ||
        tac__ring_free(&r->writer) < size) {
        leave_out(r, p);
        return;
    }
    r->added += pieces(p);
    (void)tac__ring_write(&r->writer, &e, sizeof e);
    if (p->length)
        (void)tac__ring_write(&r->writer, p->bytes, p->length);
}

void tac__republisher_finish(tac__republisher *r)
{
    r->ended = true;
    if (!r->running)
        return;
    atomic_store_explicit(&r->stop, true, memory_order_release);
    schedule(r, SCHED_OTHER); // nothing else is left to do
    pthread_join(r->thread, NULL);
    r->running = false;
    // What is left in the ring.
    entry e;
    while (tac__ring_read(&r->reader, &e, sizeof e) == sizeof e) {
        (void)tac__ring_read(&r->reader, r->bytes, e.passage.length);
        leave_out(r, &e.passage);
    }
}

void tac__republisher_counts(const tac__republisher *r, uint64_t *published, uint64_t *left_out)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&r->left_out.lock;
    *published = atomic_load_explicit(&r->published, memory_order_relaxed);
    pthread_mutex_lock(lock);
    *left_out = r->left_out.total;
    pthread_mutex_unlock(lock);
}

const char *tac__republisher_left_out(const tac__republisher *r, size_t i, uint64_t *count)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)&r->left_out.lock;
    pthread_mutex_lock(lock);
    const char *channel = i < r->left_out.count ? r->left_out.names[i] : NULL;
    *count = channel ? r->left_out.counts[i] : 0;
    pthread_mutex_unlock(lock);
    return channel;
}

void tac__republisher_destroy(tac__republisher *r)
{
    if (!r)
        return;
    tac__republisher_finish(r);
    if (r->lcm)
        r->library->destroy(r->lcm);
    tac__envelope_bytes_fini(&r->envelope);
    pthread_mutex_destroy(&r->left_out.lock);
    tac__arena_fini(&r->left_out.arena);
    free(r->bytes);
    free(r->memory);
    free(r);
}

#endif
