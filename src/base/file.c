// file.c - whole files in, whole files out, and what a folder holds. The one file of base that
// knows POSIX: which file is which is a question of device and inode, and of locks.
#define _GNU_SOURCE // mkostemp, pipe2, tee
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static tac_status fail(tac_error *err, const char *what, const char *path)
{
    if (errno == ENOMEM)
        return tac__fail_memory(err);
    return tac__fail(err, TAC_E_FILE, "cannot %s '%s': %s", what, path,
                     errno ? tac__errno_text(errno) : "unknown reason");
}

// --- pipes with names ---------------------------------------------------------------------------

// A pipe with a name needs somebody at its other end. Nobody comes where a command was given the
// wrong name, or the other program has failed: then waiting ends with an error.
enum { PEER_MS = 10000, PEER_TURN_MS = 10 };

static void pause_ms(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
}

// Whether reading would find something or wait for a writer, instead of finding the end because no
// writer has come yet. Nothing is taken from the pipe.
static bool has_writer(int fd)
{
    int copy[2];
    if (pipe2(copy, O_CLOEXEC) != 0)
        return true;
    const bool none = tee(fd, copy[1], 1, SPLICE_F_NONBLOCK) == 0;
    close(copy[0]);
    close(copy[1]);
    return !none;
}

// A pipe without a name, as shells make them: nobody can come to it later.
static bool has_name(int fd)
{
    char link[32], target[16];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, target, sizeof target);
    return n < 5 || memcmp(target, "pipe:", 5) != 0;
}

static tac_status fail_alone(const char *what, const char *path, const char *who, tac_error *err)
{
    return tac__fail(err, TAC_E_FILE,
                     "cannot %s '%s': it is a pipe, and no program %s it; waited "
                     "%d s",
                     what, path, who, PEER_MS / 1000);
}

static bool set_blocking(int fd)
{
    const int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0;
}

tac_status tac__file_open(const char *path, int *fd, tac_error *err)
{
    struct stat found;
    errno = 0;
    *fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd < 0)
        return fail(err, "open", path);
    const bool pipe = fstat(*fd, &found) == 0 && S_ISFIFO(found.st_mode);
    bool alone = pipe && !has_writer(*fd) && has_name(*fd);
    for (int waited = 0; alone && waited < PEER_MS; waited += PEER_TURN_MS) {
        pause_ms(PEER_TURN_MS);
        alone = !has_writer(*fd);
    }
    if (!alone && set_blocking(*fd))
        return TAC_OK;
    const tac_status status =
        alone ? fail_alone("read", path, "writes to", err) : fail(err, "open", path);
    close(*fd);
    *fd = -1;
    return status;
}

tac_status tac__file_read(const char *path, size_t limit, const tac_allocator *allocator,
                          char **bytes, size_t *size, tac_error *err)
{
    *bytes = NULL;
    *size = 0;
    limit = limit < SIZE_MAX / 4 ? limit : SIZE_MAX / 4; // room for what is added to it below
    int fd;
    TAC_TRY(tac__file_open(path, &fd, err));
    // Grown as it is read: pipes have no size to ask for, and a directory opens but does not read.
    char *buffer = NULL;
    size_t used = 0, capacity = 0;
    tac_status status = TAC_OK;
    for (;;) {
        if (used == capacity) {
            size_t grown = capacity ? capacity * 2 : 65536;
            if (grown > limit + 1)
                grown = limit + 1;
            char *larger = allocator->resize(allocator->context, buffer,
                                             capacity ? capacity + 1 : 0, grown + 1);
            if (!larger) {
                status = tac__fail_memory(err);
                break;
            }
            buffer = larger;
            capacity = grown;
        }
        const ssize_t n = read(fd, buffer + used, capacity - used);
        if (n < 0 && errno == EINTR)
            continue;
        used += n > 0 ? (size_t)n : 0;
        if (used > limit) {
            status = tac__fail(err, TAC_E_LIMIT, "'%s' is larger than %zu bytes", path, limit);
            break;
        }
        if (n < 0)
            status = fail(err, "read", path);
        if (n <= 0)
            break;
    }
    close(fd);
    if (status == TAC_OK) {
        // Exactly used + 1 bytes, so that the caller can free it by its size.
        char *exact = allocator->resize(allocator->context, buffer, capacity + 1, used + 1);
        if (exact) {
            exact[used] = '\0';
            *bytes = exact;
            *size = used;
            return TAC_OK;
        }
        status = tac__fail_memory(err);
    }
    if (buffer)
        allocator->resize(allocator->context, buffer, capacity + 1, 0);
    return status;
}

void tac__file_free(const tac_allocator *allocator, char *bytes, size_t size)
{
    if (bytes)
        allocator->resize(allocator->context, bytes, size + 1, 0);
}

bool tac__file_begins(const char *path, const void *bytes, size_t size)
{
    unsigned char head[16];
    TAC_REQUIRE(size <= sizeof head);
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat about;
    const bool file = fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    const bool whole = file && read(fd, head, size) == (ssize_t)size;
    if (fd >= 0)
        close(fd);
    return whole && !memcmp(head, bytes, size);
}

// --- folders ------------------------------------------------------------------------------------

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

tac_status tac__folder_list(tac__arena *arena, const char *path, const char *ending, bool optional,
                            size_t max, const char *const **names, size_t *count, tac_error *err)
{
    const char **list = NULL;
    TAC__CAPACITY(const char *) capacity = {0};
    *names = NULL;
    *count = 0;
    errno = 0;
    DIR *stream = opendir(path);
    if (!stream && optional && (errno == ENOENT || errno == ENOTDIR))
        return TAC_OK;
    if (!stream)
        return tac__fail(err, TAC_E_FILE, "cannot open folder '%s': %s", path,
                         tac__errno_text(errno));
    tac_status status = TAC_OK;
    while (status == TAC_OK) {
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (!entry) {
            if (errno)
                status = tac__fail(err, TAC_E_FILE, "cannot read folder '%s': %s", path,
                                   tac__errno_text(errno));
            break;
        }
        if (entry->d_name[0] == '.' || !tac__ends_in(entry->d_name, ending))
            continue;
        const char *name = NULL;
        if (*count == max)
            status =
                tac__fail(err, TAC_E_LIMIT, "'%s' has more than %zu files *%s", path, max, ending);
        else if (!(name = tac__arena_text(arena, entry->d_name)) ||
                 !TAC__ARENA_GROW(arena, list, *count, capacity))
            status = tac__fail_memory(err);
        else
            list[(*count)++] = name;
    }
    closedir(stream);
    if (status == TAC_OK && *count)
        qsort(list, *count, sizeof *list, compare_names);
    *names = list;
    return status;
}

// --- making files -------------------------------------------------------------------------------

bool tac__write_all(int fd, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = write(fd, (const char *)bytes + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

// Between the name of an output and six letters or digits.
#define TEMPORARY ".tmp-"

// What is at `path` before anything is written there.
typedef enum place { PLACE_EMPTY, PLACE_FILE, PLACE_DEVICE } place;

static tac_status look_at(const char *path, place *what, struct stat *found, tac_error *err)
{
    struct stat link;
    errno = ENOENT;
    if (!*path)
        return fail(err, "write", path);
    if (strlen(path) >= TAC__PATH_MAX)
        return tac__fail(err, TAC_E_FILE, "path too long: '%.64s...'", path);
    if (lstat(path, &link) != 0) {
        *what = PLACE_EMPTY;
        return errno == ENOENT ? TAC_OK : fail(err, "write", path);
    }
    const bool target = stat(path, found) == 0;
    if (target && S_ISDIR(found->st_mode)) {
        errno = EISDIR;
        return fail(err, "write", path);
    }
    *what = target && S_ISREG(found->st_mode) ? PLACE_FILE : PLACE_DEVICE;
    // /dev/stdout is a link too: to a device or a pipe there is nothing to lose.
    if (S_ISLNK(link.st_mode) && (!target || *what == PLACE_FILE))
        return tac__fail(err, TAC_E_FILE,
                         "cannot write '%s': it is a symbolic link; name the file itself", path);
    return TAC_OK;
}

tac_status tac__file_check(const char *path, tac_error *err)
{
    place what;
    struct stat found;
    TAC_TRY(look_at(path, &what, &found, err));
    if (what == PLACE_DEVICE)
        return access(path, W_OK) == 0 ? TAC_OK : fail(err, "write", path);
    const char *slash = strrchr(path, '/');
    char folder[TAC__PATH_MAX] = ".";
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return access(folder, W_OK | X_OK) == 0 ? TAC_OK : fail(err, "write", path);
}

static tac_status open_device(const char *path, int *fd, tac_error *err)
{
    const int flags = O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC | O_NONBLOCK;
    struct stat found;
    const bool pipe = stat(path, &found) == 0 && S_ISFIFO(found.st_mode);
    *fd = open(path, flags);
    for (int waited = 0; *fd < 0 && errno == ENXIO && pipe && waited < PEER_MS;
         waited += PEER_TURN_MS) {
        pause_ms(PEER_TURN_MS);
        *fd = open(path, flags);
    }
    if (*fd < 0)
        return pipe && errno == ENXIO ? fail_alone("write", path, "reads", err)
                                      : fail(err, "write", path);
    if (set_blocking(*fd))
        return TAC_OK;
    const tac_status status = fail(err, "write", path);
    close(*fd);
    *fd = -1;
    return status;
}

static bool is_at(const char *path, uint64_t device, uint64_t inode)
{
    struct stat now;
    return lstat(path, &now) == 0 && now.st_dev == device && now.st_ino == inode;
}

static tac_status fail_busy(const char *path, tac_error *err)
{
    return tac__fail(err, TAC_E_FILE, "cannot write '%s': another program is writing it", path);
}

static bool lock(int fd) // true also where the file system has no locks
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

// Lock a file that is to be replaced: `*old` is -1 where it cannot be opened to be locked, or where
// the file system has no locks.
static tac_status lock_old(const char *path, const struct stat *found, int *old, tac_error *err)
{
    *old = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*old < 0 || (lock(*old) && is_at(path, found->st_dev, found->st_ino)))
        return TAC_OK;
    close(*old);
    *old = -1;
    return fail_busy(path, err);
}

// Permissions of a new file. The umask can only be read by setting it: for that moment to a value
// that does no harm to a file that another thread creates just then.
static uint32_t new_mode(void)
{
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&busy)) {
    }
    const mode_t mask = umask(077);
    umask(mask);
    atomic_flag_clear(&busy);
    return 0666 & ~(uint32_t)mask;
}

// A temporary file is locked while somebody writes it: one without a lock was left by a program
// that was killed. Until it has its lock, another program may take it for such a one and remove it;
// then there is a next one.
static tac_status open_temporary(const char *path, char temporary[TAC__PATH_MAX], int *fd,
                                 tac_error *err)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        struct stat own;
        if ((size_t)snprintf(temporary, TAC__PATH_MAX, "%s" TEMPORARY "XXXXXX", path) >=
            TAC__PATH_MAX)
            return tac__fail(err, TAC_E_FILE, "path too long: '%.64s...'", path);
        *fd = mkostemp(temporary, O_CLOEXEC);
        if (*fd < 0)
            return fail(err, "write", path);
        if (lock(*fd) && fstat(*fd, &own) == 0 && is_at(temporary, own.st_dev, own.st_ino))
            return TAC_OK;
        close(*fd);
    }
    return fail_busy(path, err);
}

// Whether `name` is that of a temporary file of an output called `base`.
static bool is_temporary(const char *name, const char *base)
{
    enum { SUFFIX = 6 };
    const size_t length = strlen(base), middle = strlen(TEMPORARY);
    if (strlen(name) != length + middle + SUFFIX || strncmp(name, base, length) != 0 ||
        strncmp(name + length, TEMPORARY, middle) != 0)
        return false;
    bool good = true;
    for (const char *c = name + length + middle; *c; c++)
        good &= tac__is_alnum(*c);
    return good;
}

// Remove a file that nobody has locked. Where the file system has no locks it stays.
static void remove_left(int folder, const char *name)
{
    struct stat there, own;
    const int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &own) == 0 && S_ISREG(own.st_mode) && own.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) == 0 && there.st_dev == own.st_dev &&
        there.st_ino == own.st_ino)
        (void)unlinkat(folder, name, 0);
    close(fd);
}

void tac__output_sweep(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char folder[TAC__PATH_MAX] = ".";
    if (!*base || strlen(path) >= sizeof folder)
        return;
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    DIR *stream = opendir(folder);
    for (const struct dirent *e; stream && (e = readdir(stream));) {
        if (is_temporary(e->d_name, base))
            remove_left(dirfd(stream), e->d_name);
    }
    if (stream)
        closedir(stream);
}

// --- files that appear when they are whole ------------------------------------------------------

tac_status tac__output_open(tac__output *o, const char *path, tac_error *err)
{
    place what;
    struct stat found;
    *o = (tac__output){.fd = -1, .old = -1, .lock = -1};
    TAC_TRY(look_at(path, &what, &found, err));
    snprintf(o->path, sizeof o->path, "%s", path);
    o->direct = what == PLACE_DEVICE;
    o->replaces = what == PLACE_FILE;
    if (o->direct) {
        TAC_TRY(open_device(path, &o->fd, err));
        snprintf(o->temporary, sizeof o->temporary, "%s", path);
        o->open = true;
        return TAC_OK;
    }
    o->mode = o->replaces ? found.st_mode & 0777 : new_mode();
    if (o->replaces) {
        o->device = found.st_dev;
        o->inode = found.st_ino;
        TAC_TRY(lock_old(path, &found, &o->old, err));
    }
    tac_status status = open_temporary(path, o->temporary, &o->fd, err);
    if (status == TAC_OK && (o->lock = fcntl(o->fd, F_DUPFD_CLOEXEC, 0)) < 0) {
        status = fail(err, "write", path);
        close(o->fd);
        unlink(o->temporary);
    }
    o->open = status == TAC_OK;
    if (!o->open && o->old >= 0)
        close(o->old);
    return status;
}

static tac_status fail_overtaken(const tac__output *o, tac_error *err)
{
    return tac__fail(err, TAC_E_FILE, "cannot write '%s': another program has written it meanwhile",
                     o->path);
}

static tac_status give_name(const tac__output *o, tac_error *err)
{
    if (o->replaces) {
        if (!is_at(o->path, o->device, o->inode))
            return fail_overtaken(o, err);
        return rename(o->temporary, o->path) == 0 ? TAC_OK : fail(err, "replace", o->path);
    }
    // Unlike rename, link does not replace a file that has appeared.
    if (link(o->temporary, o->path) == 0) {
        unlink(o->temporary);
        return TAC_OK;
    }
    struct stat now;
    if (errno == EEXIST || lstat(o->path, &now) == 0)
        return fail_overtaken(o, err);
    // A file system without hard links.
    return rename(o->temporary, o->path) == 0 ? TAC_OK : fail(err, "write", o->path);
}

static void close_locks(const tac__output *o)
{
    if (o->lock >= 0)
        close(o->lock);
    if (o->old >= 0)
        close(o->old);
}

tac_status tac__output_commit(tac__output *o, tac_error *err)
{
    TAC_REQUIRE(o->open);
    tac_status status = TAC_OK;
    if (!o->direct && fchmod(o->fd, (mode_t)o->mode) != 0)
        status = fail(err, "write", o->path);
    // Some file systems tell of a full disk only now.
    if (close(o->fd) != 0 && status == TAC_OK)
        status = fail(err, "write", o->path);
    o->fd = -1;
    if (status == TAC_OK && !o->direct)
        status = give_name(o, err);
    o->open = status != TAC_OK;
    if (o->open)
        tac__output_abandon(o);
    else
        close_locks(o);
    return status;
}

void tac__output_abandon(tac__output *o)
{
    if (!o->open)
        return;
    if (o->fd >= 0)
        close(o->fd);
    if (!o->direct)
        unlink(o->temporary);
    close_locks(o);
    o->open = false;
}

tac_status tac__file_write(const char *path, const void *bytes, size_t size, tac_error *err)
{
    tac__output output;
    TAC_TRY(tac__output_open(&output, path, err));
    if (tac__write_all(output.fd, bytes, size))
        return tac__output_commit(&output, err);
    const tac_status status = fail(err, "write", path);
    tac__output_abandon(&output);
    return status;
}

// --- files that grow ----------------------------------------------------------------------------

// The old file stays until the new one takes its place, locked already.
static tac_status replace(const char *path, const struct stat *found, int *fd, tac_error *err)
{
    int old;
    char temporary[TAC__PATH_MAX];
    TAC_TRY(lock_old(path, found, &old, err));
    tac_status status = open_temporary(path, temporary, fd, err);
    if (status == TAC_OK) {
        if (!lock(*fd) || !is_at(path, found->st_dev, found->st_ino))
            status = fail_busy(path, err);
        else if (fchmod(*fd, found->st_mode & 0777) != 0 || rename(temporary, path) != 0)
            status = fail(err, "replace", path);
        if (status != TAC_OK) {
            close(*fd);
            unlink(temporary);
        }
    }
    if (old >= 0)
        close(old);
    return status;
}

tac_status tac__file_create(const char *path, bool replaces, int *fd, tac_error *err)
{
    place what;
    struct stat found;
    *fd = -1;
    TAC_TRY(look_at(path, &what, &found, err));
    if (what == PLACE_DEVICE)
        return open_device(path, fd, err);
    if (what == PLACE_FILE && !replaces)
        return tac__fail(err, TAC_E_FILE, "cannot write '%s': it exists already", path);
    if (what == PLACE_FILE)
        return replace(path, &found, fd, err);
    const int created = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (created < 0)
        return errno == EEXIST ? fail_busy(path, err) : fail(err, "write", path);
    if (!lock(created)) {
        close(created);
        return fail_busy(path, err);
    }
    *fd = created;
    return TAC_OK;
}
