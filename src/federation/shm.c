// shm.c - see shm.h. What is Linux's own: memfd_create, seals, eventfd.
//
// The memory: a page for the heads of both rings, then the bytes that the server writes, then those
// that the client writes.
#define _GNU_SOURCE // memfd_create
#include "federation/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEADS = 4096,
    SMALLEST_RING = 4096,
    LARGEST_RING = 1 << 30,
    IDLE = 64, // so often nothing to do, then the peer is looked after
};

enum { MEMORY, SERVER_BELL, CLIENT_BELL, DESCRIPTORS };

// What goes with the descriptors. A client that came by the wrong door reads it as text.
typedef struct greeting {
    char text[24];
    uint64_t ring;
} greeting;

static const char TEXT[24] = "tactus shared memory 1\n";

_Static_assert(2 * sizeof(tac__ring) <= HEADS, "the heads of both rings");

static void lay_out(tac__shm *s, bool server, size_t ring)
{
    tac__ring *rings = s->memory;
    unsigned char *bytes = (unsigned char *)s->memory + HEADS;
    const tac__ring_end down = {.ring = &rings[0], .bytes = bytes, .size = ring};
    const tac__ring_end up = {.ring = &rings[1], .bytes = bytes + ring, .size = ring};
    s->out = server ? down : up;
    s->in = server ? up : down;
}

// 0 or errno's value.
static int map(tac__shm *s, int memory, size_t ring)
{
    s->size = HEADS + 2 * ring;
    s->memory = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (s->memory != MAP_FAILED)
        return 0;
    s->memory = NULL;
    return errno;
}

static void close_all(const int fds[DESCRIPTORS])
{
    for (int i = 0; i < DESCRIPTORS; i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
}

// --- the server's side ---------------------------------------------------------------------------

#ifndef MFD_NOEXEC_SEAL // since Linux 6.3
#define MFD_NOEXEC_SEAL 0x0008U
#endif

static int make_memory(void)
{
    // Some systems refuse memory that could be executed, older ones do not know the flag.
    const int fd = memfd_create("tactus", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    return fd < 0 && errno == EINVAL ? memfd_create("tactus", MFD_CLOEXEC | MFD_ALLOW_SEALING) : fd;
}

static int make(int fds[DESCRIPTORS], size_t ring)
{
    fds[MEMORY] = make_memory();
    fds[SERVER_BELL] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    fds[CLIENT_BELL] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fds[MEMORY] < 0 || fds[SERVER_BELL] < 0 || fds[CLIENT_BELL] < 0 ||
        ftruncate(fds[MEMORY], (off_t)(HEADS + 2 * ring)) != 0 ||
        fcntl(fds[MEMORY], F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return errno;
    return 0;
}

static int send_all(int fd, const int fds[DESCRIPTORS], size_t ring)
{
    greeting hello = {.ring = ring};
    memcpy(hello.text, TEXT, sizeof TEXT);
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
    } control = {0};
    struct iovec part = {&hello, sizeof hello};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(DESCRIPTORS * sizeof(int));
    memcpy(CMSG_DATA(head), fds, DESCRIPTORS * sizeof(int));
    ssize_t n;
    do
        n = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    // Nothing was sent before, so there is room for all of it.
    return n == (ssize_t)sizeof hello ? 0 : n < 0 ? errno : EIO;
}

void tac__shm_ask(int fd)
{
    // Failing does not matter: it is a word to who does not know this transport.
    (void)!send(fd, TEXT, strlen(TEXT), MSG_DONTWAIT | MSG_NOSIGNAL);
}

tac_status tac__shm_offer(tac__shm *s, int fd, const char *name, tac_error *err)
{
    const size_t ring = TAC__SHM_RING;
    int fds[DESCRIPTORS] = {-1, -1, -1};
    *s = (tac__shm){0};
    int code = make(fds, ring);
    if (code == 0)
        code = map(s, fds[MEMORY], ring);
    if (code == 0)
        code = send_all(fd, fds, ring);
    if (code != 0) {
        if (s->memory)
            munmap(s->memory, s->size);
        s->memory = NULL;
        close_all(fds);
        return tac__fail(err, TAC_E_NETWORK, "%s: no shared memory for a client: %s", name,
                         tac__errno_text(code));
    }
    close(fds[MEMORY]);
    s->own_bell = fds[SERVER_BELL];
    s->peer_bell = fds[CLIENT_BELL];
    lay_out(s, true, ring);
    return TAC_OK;
}

// --- the client's side ---------------------------------------------------------------------------

static int check(const greeting *hello, const int fds[DESCRIPTORS])
{
    struct stat file;
    if (memcmp(hello->text, TEXT, sizeof TEXT) != 0 || hello->ring < SMALLEST_RING ||
        hello->ring > LARGEST_RING || (hello->ring & (hello->ring - 1)) ||
        fstat(fds[MEMORY], &file) != 0 || file.st_size != (off_t)(HEADS + 2 * hello->ring))
        return EPROTO;
    // Memory that can become smaller would end this process on the next access.
    const int seals = fcntl(fds[MEMORY], F_GET_SEALS);
    return seals >= 0 && (seals & F_SEAL_SHRINK) ? 0 : EPROTO;
}

int tac__shm_take(tac__shm *s, int fd)
{
    greeting hello;
    int fds[DESCRIPTORS] = {-1, -1, -1};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
    } control;
    struct iovec part = {&hello, sizeof hello};
    // CMSG_SPACE would leave room for one more descriptor than `fds` has.
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_LEN(sizeof fds)};
    ssize_t n;
    do
        n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return n == 0 || errno == ECONNRESET ? EPIPE : errno;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len <= CMSG_LEN(sizeof fds))
        memcpy(fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    const bool whole = n == (ssize_t)sizeof hello && fds[DESCRIPTORS - 1] >= 0;
    int code = whole ? check(&hello, fds) : EPROTO;
    if (code == 0)
        code = map(s, fds[MEMORY], (size_t)hello.ring);
    if (code != 0) {
        close_all(fds);
        return code;
    }
    close(fds[MEMORY]);
    s->own_bell = fds[CLIENT_BELL];
    s->peer_bell = fds[SERVER_BELL];
    lay_out(s, false, (size_t)hello.ring);
    return 0;
}

// --- both ----------------------------------------------------------------------------------------

void tac__shm_close(tac__shm *s)
{
    if (!s->memory)
        return;
    munmap(s->memory, s->size);
    close(s->own_bell);
    close(s->peer_bell);
    *s = (tac__shm){0};
}

static void ring_bell(const tac__shm *s)
{
    const uint64_t one = 1;
    ssize_t n;
    do
        n = write(s->peer_bell, &one, sizeof one);
    while (n < 0 && errno == EINTR);
}

size_t tac__shm_read(tac__shm *s, void *bytes, size_t size)
{
    const size_t n = tac__ring_read(&s->in, bytes, size);
    if (n && n != SIZE_MAX && s->in.size - (s->in.other - s->in.own) >= s->in.size / 4 &&
        tac__ring_wakes_writer(&s->in))
        ring_bell(s);
    return n;
}

size_t tac__shm_write(tac__shm *s, const void *bytes, size_t size)
{
    const size_t n = tac__ring_write(&s->out, bytes, size);
    if (n && n != SIZE_MAX && tac__ring_wakes_reader(&s->out))
        ring_bell(s);
    return n;
}

bool tac__shm_readable(tac__shm *s)
{
    return tac__ring_filled(&s->in) > 0;
}

bool tac__shm_writable(tac__shm *s)
{
    return tac__ring_free(&s->out) >= s->out.size / 4;
}

void tac__shm_sleeps(tac__shm *s, bool read, bool write)
{
    if (read)
        tac__ring_reader_sleeps(&s->in, true);
    if (write)
        tac__ring_writer_sleeps(&s->out, true);
}

void tac__shm_woke(tac__shm *s)
{
    tac__ring_reader_sleeps(&s->in, false);
    tac__ring_writer_sleeps(&s->out, false);
}

void tac__shm_look_after(tac__shm *s, int fd)
{
    char bytes[64];
    ssize_t n;
    if (++s->idle < IDLE)
        return;
    s->idle = 0;
    do
        n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
    while (n > 0 || (n < 0 && errno == EINTR));
    s->gone |= n == 0 || errno != EAGAIN;
}
