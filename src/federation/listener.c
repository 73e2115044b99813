// listener.c - where a server is found: opening, accepting, closing.
#define _GNU_SOURCE // accept4
#include "federation/conn.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WAITING = 1024, LOCK_TRIES = 200 };

static tac_status cannot_listen(const tac__listener *l, const char *why, tac_error *err)
{
    return tac__fail(err, TAC_E_NETWORK, "cannot listen at %s: %s", l->address.text, why);
}

// --- TCP ----------------------------------------------------------------------------------------

static int listen_at(const struct sockaddr_storage *name, socklen_t length)
{
    const int fd = tac__socket_open(name->ss_family);
    if (fd < 0)
        return -1;
    // The port of a server that ended a moment ago is free at once; one that is in use stays so.
    const int yes = 1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (const struct sockaddr *)name, length) == 0 && listen(fd, WAITING) == 0)
        return fd;
    const int code = errno;
    close(fd);
    errno = code;
    return -1;
}

static tac_status open_tcp(tac__listener *l, tac_error *err)
{
    tac__candidates found;
    bool later;
    TAC_TRY(tac__socket_resolve(&l->address, &found, &later, err));
    int code = 0;
    for (size_t i = 0; i < found.count && l->fd < 0; i++) {
        l->fd = listen_at(&found.name[i], found.length[i]);
        // The first address tells best: the next one is often of a kind that this host lacks.
        code = l->fd < 0 && !code ? errno : code;
    }
    if (l->fd < 0)
        return cannot_listen(l, tac__errno_text(code), err);
    struct sockaddr_storage name;
    socklen_t length = sizeof name;
    if (getsockname(l->fd, (struct sockaddr *)&name, &length) != 0)
        return cannot_listen(l, tac__errno_text(errno), err);
    tac__socket_text(&name, &l->address);
    return TAC_OK;
}

// --- Unix sockets, for unix and shm -------------------------------------------------------------

// Two servers that find the file of a dead one must not both replace it: they take turns by a lock
// on its folder. One that cannot have the lock soon does without.
static int lock_folder(const char *path)
{
    char folder[TAC__PATH_TEXT + 1];
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    memcpy(folder, path, length);
    memcpy(folder + length, ".", 2);
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; fd >= 0 && i < LOCK_TRIES && flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
        const struct timespec pause = {.tv_nsec = 5000000};
        nanosleep(&pause, NULL);
    }
    return fd;
}

// The socket's file is in the way: remove it if nobody is behind it.
static tac_status replace_file(tac__listener *l, const struct sockaddr_storage *name,
                               socklen_t length, tac_error *err)
{
    struct stat file;
    if (lstat(l->address.path, &file) != 0)
        return errno == ENOENT ? TAC_OK : cannot_listen(l, tac__errno_text(errno), err);
    if (!S_ISSOCK(file.st_mode))
        return cannot_listen(l, "there is a file of that name, which is no socket", err);
    const int fd = tac__socket_open(AF_UNIX);
    if (fd < 0)
        return cannot_listen(l, tac__errno_text(errno), err);
    const int code = connect(fd, (const struct sockaddr *)name, length) == 0 ? 0 : errno;
    close(fd);
    if (code == 0 || code == EAGAIN)
        return cannot_listen(l, "a server is running there", err);
    if (code != ECONNREFUSED && code != ENOENT)
        return cannot_listen(l, tac__errno_text(code), err);
    if (unlink(l->address.path) != 0 && errno != ENOENT)
        return tac__fail(err, TAC_E_NETWORK,
                         "cannot listen at %s: the socket of a server that is gone cannot be "
                         "removed: %s",
                         l->address.text, tac__errno_text(errno));
    return TAC_OK;
}

static tac_status bind_local(tac__listener *l, tac_error *err)
{
    struct sockaddr_storage name;
    const socklen_t length = tac__socket_path(l->address.path, &name);
    l->fd = tac__socket_open(AF_UNIX);
    // Linux makes the file with the mode of the socket: it never has another one.
    if (l->fd < 0 || fchmod(l->fd, 0600) != 0)
        return cannot_listen(l, tac__errno_text(errno), err);
    if (bind(l->fd, (const struct sockaddr *)&name, length) != 0) {
        if (errno != EADDRINUSE)
            return cannot_listen(l, tac__errno_text(errno), err);
        TAC_TRY(replace_file(l, &name, length, err));
        if (bind(l->fd, (const struct sockaddr *)&name, length) != 0)
            return cannot_listen(l, tac__errno_text(errno), err);
    }
    struct stat file;
    if (lstat(l->address.path, &file) != 0 || listen(l->fd, WAITING) != 0)
        return cannot_listen(l, tac__errno_text(errno), err);
    l->owner = getpid();
    l->device = file.st_dev;
    l->file = file.st_ino;
    return TAC_OK;
}

static tac_status open_local(tac__listener *l, tac_error *err)
{
    const int lock = lock_folder(l->address.path);
    const tac_status status = bind_local(l, err);
    if (lock >= 0)
        close(lock);
    return status;
}

// --- all ----------------------------------------------------------------------------------------

static int open_spare(void)
{
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

tac_status tac__listener_open(const tac__address *address, const tac_allocator *allocator,
                              tac__listener **listener, tac_error *err)
{
    *listener = NULL;
    tac__listener *l = allocator->resize(allocator->context, NULL, 0, sizeof *l);
    if (!l)
        return tac__fail_memory(err);
    *l = (tac__listener){
        .allocator = allocator, .address = *address, .fd = -1, .spare = open_spare()};
    const tac_status status =
        address->transport == TAC__TRANSPORT_TCP ? open_tcp(l, err) : open_local(l, err);
    if (status != TAC_OK) {
        tac__listener_close(l);
        return status;
    }
    *listener = l;
    return TAC_OK;
}

void tac__listener_close(tac__listener *l)
{
    if (!l)
        return;
    tac__watch_leave(&l->watch, l->fd);
    if (l->owner == getpid()) {
        struct stat file;
        if (lstat(l->address.path, &file) == 0 && file.st_dev == l->device &&
            file.st_ino == l->file)
            unlink(l->address.path);
    }
    if (l->fd >= 0)
        close(l->fd);
    if (l->spare >= 0)
        close(l->spare);
    l->allocator->resize(l->allocator->context, l, sizeof *l, 0);
}

const tac__address *tac__listener_address(const tac__listener *listener)
{
    return &listener->address;
}

// Nobody can be let in for want of descriptors. Turn the next one away, or the listener would stay
// ready and keep its server busy.
static void turn_away(tac__listener *l)
{
    if (l->spare < 0)
        return;
    close(l->spare);
    const int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0)
        close(fd);
    l->spare = open_spare();
}

tac_status tac__listener_accept(tac__listener *l, tac__conn **conn, tac_error *err)
{
    *conn = NULL;
    int fd;
    do
        fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        const int code = errno;
        // What befell a peer that has gone meanwhile is no failure.
        if (code == EAGAIN || code == ECONNABORTED || code == EPROTO || code == ENETDOWN ||
            code == EHOSTUNREACH || code == ENETUNREACH)
            return TAC_OK;
        if (code == EMFILE || code == ENFILE)
            turn_away(l);
        return tac__fail(err, TAC_E_NETWORK, "%s: a client cannot be let in: %s", l->address.text,
                         tac__errno_text(code));
    }
    return tac__conn_make(fd, true, &l->address, l->allocator, conn, err);
}
