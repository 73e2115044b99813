// conn.c - connections: dialling, reading, writing, closing.
#include "federation/conn.h"
#include "base/print.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum {
    SECOND_US = 1000000,
    LONGEST_ATTEMPT_US = 3 * SECOND_US, // then the next address, or the same again
    FIRST_PAUSE_US = 500,
    LONGEST_PAUSE_US = 20000,
    LEAVINGS = 16, // pieces of unread input that are thrown away on closing
};

// --- making -------------------------------------------------------------------------------------

static tac_status name_peer(tac__conn *c, const tac__address *address, tac_error *err)
{
    if (c->transport != TAC__TRANSPORT_TCP) {
        pid_t process;
        TAC_TRY(tac__socket_check_user(c->fd, address->text, &process, err));
        tac__print(c->peer, sizeof c->peer, "%s (process %ld)", address->text, (long)process);
        return TAC_OK;
    }
    struct sockaddr_storage name;
    socklen_t length = sizeof name;
    tac__address peer = *address;
    // One that has gone already has no name; reading will tell.
    if (getpeername(c->fd, (struct sockaddr *)&name, &length) == 0)
        tac__socket_text(&name, &peer);
    memcpy(c->peer, peer.text, sizeof peer.text);
    tac__socket_tune(c->fd);
    return TAC_OK;
}

tac_status tac__conn_make(int fd, bool accepted, const tac__address *address,
                          const tac_allocator *allocator, tac__conn **conn, tac_error *err)
{
    *conn = NULL;
    tac__conn *c = allocator->resize(allocator->context, NULL, 0, sizeof *c);
    if (!c) {
        close(fd);
        return tac__fail_memory(err);
    }
    *c = (tac__conn){.allocator = allocator, .transport = address->transport, .fd = fd};
    tac_status status = name_peer(c, address, err);
    if (status == TAC_OK && c->transport == TAC__TRANSPORT_SHM) {
        if (accepted)
            status = tac__shm_offer(&c->shm, fd, address->text, err);
        else
            tac__shm_ask(fd);
    }
    if (status != TAC_OK) {
        tac__conn_close(c);
        return status;
    }
    if (c->transport != TAC__TRANSPORT_SHM)
        tac__socket_set_waiting(fd);
    *conn = c;
    return TAC_OK;
}

void tac__conn_close(tac__conn *c)
{
    if (!c)
        return;
    tac__watch_leave(&c->watch, c->fd);
    // TCP throws away what it has not sent yet if input is left unread on closing.
    char unread[4096];
    (void)shutdown(c->fd, SHUT_WR);
    for (int i = 0; i < LEAVINGS; i++) {
        if (recv(c->fd, unread, sizeof unread, MSG_DONTWAIT) <= 0)
            break;
    }
    close(c->fd);
    tac__shm_close(&c->shm);
    c->allocator->resize(c->allocator->context, c, sizeof *c, 0);
}

const char *tac__conn_peer(const tac__conn *conn)
{
    return conn->peer;
}

// --- dialling -----------------------------------------------------------------------------------

static void nap(uint64_t pause_us)
{
    const struct timespec pause = {(time_t)(pause_us / SECOND_US),
                                   (long)(pause_us % SECOND_US) * 1000};
    nanosleep(&pause, NULL); // a signal makes it shorter, which does no harm
}

// Until a connection that is being made is there. Returns errno's value, 0 if it is.
static int await_connection(int fd, uint64_t until_us)
{
    for (;;) {
        const uint64_t now_us = tac__clock_us();
        const uint64_t left_us = until_us > now_us ? until_us - now_us : 0;
        struct pollfd wait = {.fd = fd, .events = POLLOUT};
        const int n = poll(&wait, 1, (int)((left_us + 999) / 1000));
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0) {
            int code = 0;
            socklen_t size = sizeof code;
            return getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno;
        }
        if (n == 0 && !left_us)
            return ETIMEDOUT;
    }
}

// A TCP socket that dials a free port of its own host may be given just that port and so reach
// itself. Nobody listens then.
static bool reached_itself(int fd)
{
    struct sockaddr_storage own = {0}, peer = {0};
    socklen_t own_size = sizeof own, peer_size = sizeof peer;
    return getsockname(fd, (struct sockaddr *)&own, &own_size) == 0 &&
           getpeername(fd, (struct sockaddr *)&peer, &peer_size) == 0 && own_size == peer_size &&
           memcmp(&own, &peer, own_size) == 0;
}

// A connected socket, or -1 with `*code`.
static int dial_name(const struct sockaddr_storage *name, socklen_t length, uint64_t until_us,
                     int *code)
{
    const int fd = tac__socket_open(name->ss_family);
    if (fd < 0) {
        *code = errno;
        return -1;
    }
    *code = connect(fd, (const struct sockaddr *)name, length) == 0 ? 0 : errno;
    if (*code == EINPROGRESS || *code == EINTR)
        *code = await_connection(fd, until_us);
    if (*code == 0 && name->ss_family != AF_UNIX && reached_itself(fd))
        *code = ECONNREFUSED;
    if (*code == 0)
        return fd;
    close(fd);
    return -1;
}

// Errors that may be over when the server has come up.
static bool may_pass(int code)
{
    switch (code) {
    case ECONNREFUSED:
    case ENOENT: // a Unix socket
    case EAGAIN: // a Unix socket whose server is busy
    case ECONNRESET:
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case ENETUNREACH:
        return true;
    default:
        return false;
    }
}

// One attempt: a connected socket in `*fd`. `*later`: true if another one may succeed.
static tac_status attempt(const tac__address *address, uint64_t until_us, int *fd, bool *later,
                          tac_error *err)
{
    int code = 0;
    *later = false;
    *fd = -1;
    if (address->transport != TAC__TRANSPORT_TCP) {
        struct sockaddr_storage name;
        const socklen_t length = tac__socket_path(address->path, &name);
        *fd = dial_name(&name, length, until_us, &code);
        *later = may_pass(code);
    } else {
        tac__candidates found;
        TAC_TRY(tac__socket_resolve(address, &found, later, err));
        for (size_t i = 0; i < found.count && *fd < 0; i++) {
            int this_code;
            *fd = dial_name(&found.name[i], found.length[i], until_us, &this_code);
            *later |= may_pass(this_code);
            code = code ? code : this_code; // the first address tells best
        }
    }
    if (*fd >= 0)
        return TAC_OK;
    return tac__fail(err, TAC_E_NETWORK, "cannot connect to %s: %s", address->text,
                     tac__errno_text(code));
}

tac_status tac__conn_dial(const tac__address *address, uint64_t patience_us,
                          const tac_allocator *allocator, tac__conn **conn, tac_error *err)
{
    *conn = NULL;
    const uint64_t start_us = tac__clock_us();
    uint64_t pause_us = FIRST_PAUSE_US;
    for (;;) {
        const uint64_t now_us = tac__clock_us(), spent_us = now_us - start_us;
        uint64_t left_us = patience_us > spent_us ? patience_us - spent_us : 0;
        uint64_t limit_us = left_us < SECOND_US ? SECOND_US : left_us;
        limit_us = limit_us < LONGEST_ATTEMPT_US ? limit_us : LONGEST_ATTEMPT_US;
        int fd;
        bool later;
        const tac_status status = attempt(address, now_us + limit_us, &fd, &later, err);
        if (status == TAC_OK)
            return tac__conn_make(fd, false, address, allocator, conn, err);
        const uint64_t took_us = tac__clock_us() - start_us;
        left_us = patience_us > took_us ? patience_us - took_us : 0;
        if (!later || !left_us) {
            if (later && patience_us)
                tac__error_append(err, " (tried for %.3g s)", 1e-6 * (double)took_us);
            return status;
        }
        nap(pause_us < left_us ? pause_us : left_us);
        pause_us = 2 * pause_us < LONGEST_PAUSE_US ? 2 * pause_us : LONGEST_PAUSE_US;
    }
}

// --- bytes --------------------------------------------------------------------------------------

// The end of a connection, now and on every later call. `code` 0 is an orderly end.
static tac__io ended(tac__conn *c, int code, tac_error *err)
{
    if (!c->error)
        c->error = code;
    code = c->error;
    if (code == 0) {
        tac__fail(err, TAC_E_NETWORK, "%s: the other side closed the connection", c->peer);
        return TAC__IO_CLOSED;
    }
    if (code == ECONNRESET || code == EPIPE || code == ECONNABORTED) {
        tac__fail(err, TAC_E_NETWORK, "%s: the other side is gone: %s", c->peer,
                  tac__errno_text(code));
        return TAC__IO_CLOSED;
    }
    const char *why = code == ETIMEDOUT ? "the other host does not answer any more: "
                      : code == EPROTO
                          ? "no shared memory is offered there; is it a unix:// address?"
                      : code == EBADMSG ? "the other side has written nonsense into shared memory"
                                        : "";
    tac__fail(err, TAC_E_NETWORK, "%s: %s%s", c->peer, why,
              code == EPROTO || code == EBADMSG ? "" : tac__errno_text(code));
    return TAC__IO_FAILED;
}

// What a call of the system's that moves bytes has returned.
static tac__io moved(tac__conn *c, ssize_t n, size_t *done, tac_error *err)
{
    if (n > 0) {
        *done = (size_t)n;
        return TAC__IO_DONE;
    }
    if (n < 0 && (errno == EAGAIN || errno == ENOBUFS) && !c->error)
        return TAC__IO_BLOCKED;
    return ended(c, n < 0 ? errno : 0, err);
}

int tac__conn_attach(tac__conn *c)
{
    if (c->shm.memory)
        return 0;
    int code = tac__shm_take(&c->shm, c->fd);
    if (code == 0)
        code = tac__watch_attached(&c->watch);
    if (code != 0 && code != EAGAIN)
        c->error = code;
    return code;
}

// Shared memory. Exactly one of `in` and `out` is given.
static tac__io move_shm(tac__conn *c, void *in, const void *out, size_t size, size_t *done,
                        tac_error *err)
{
    tac__shm *s = &c->shm;
    if (c->error)
        return ended(c, c->error, err);
    const int code = tac__conn_attach(c);
    if (code == EAGAIN)
        return TAC__IO_BLOCKED;
    if (code != 0)
        return ended(c, code, err);
    for (;;) {
        const bool gone = s->gone; // as known before it was found that nothing is left
        if (gone && out)
            return ended(c, 0, err);
        const size_t n = in ? tac__shm_read(s, in, size) : tac__shm_write(s, out, size);
        if (n == SIZE_MAX)
            return ended(c, EBADMSG, err);
        if (n) {
            *done = n;
            return TAC__IO_DONE;
        }
        if (gone)
            return ended(c, 0, err);
        tac__shm_look_after(s, c->fd);
        if (!s->gone)
            return TAC__IO_BLOCKED;
    }
}

tac__io tac__conn_read(tac__conn *c, void *bytes, size_t size, size_t *done, tac_error *err)
{
    *done = 0;
    if (c->transport == TAC__TRANSPORT_SHM)
        return move_shm(c, bytes, NULL, size, done, err);
    ssize_t n;
    do
        n = recv(c->fd, bytes, size, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return moved(c, n, done, err);
}

tac__io tac__conn_await(tac__conn *c, uint64_t limit_us, void *bytes, size_t size, size_t *done,
                        tac_error *err)
{
    *done = 0;
    if (c->patience_us != limit_us) {
        const struct timeval limit = {(time_t)(limit_us / SECOND_US),
                                      (suseconds_t)(limit_us % SECOND_US)};
        if (setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0)
            return ended(c, errno, err);
        c->patience_us = limit_us;
    }
    const ssize_t n = recv(c->fd, bytes, size, 0);
    return n < 0 && errno == EINTR ? TAC__IO_BLOCKED : moved(c, n, done, err);
}

tac__io tac__conn_write(tac__conn *c, const void *bytes, size_t size, size_t *done, tac_error *err)
{
    *done = 0;
    if (c->transport == TAC__TRANSPORT_SHM)
        return move_shm(c, NULL, bytes, size, done, err);
    if (c->error)
        return ended(c, c->error, err);
    ssize_t n;
    do
        n = send(c->fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return moved(c, n, done, err);
}
