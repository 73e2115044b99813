// file.c - whole files in, whole files out, and what a folder holds. The one file of base that
// knows POSIX: which file is which is a question of device and inode, and of locks.
#define _GNU_SOURCE // mkostemp
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
#include <unistd.h>

static tac_status fail(tac_error *err, const char *what, const char *path)
{
    if (errno == ENOMEM)
        return tac__fail_memory(err);
    return tac__fail(err, TAC_E_FILE, "cannot %s '%s': %s", what, path,
                     errno ? tac__errno_text(errno) : "unknown reason");
}

tac_status tac__file_read(const char *path, size_t limit, const tac_allocator *allocator,
                          char **bytes, size_t *size, tac_error *err)
{
    *bytes = NULL;
    *size = 0;
    limit = limit < SIZE_MAX / 4 ? limit : SIZE_MAX / 4; // room for what is added to it below
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail(err, "open", path);
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
        const size_t n = fread(buffer + used, 1, capacity - used, file);
        used += n;
        if (used > limit) {
            status = tac__fail(err, TAC_E_LIMIT, "'%s' is larger than %zu bytes", path, limit);
            break;
        }
        if (n == 0) {
            if (ferror(file))
                status = fail(err, "read", path);
            break;
        }
    }
    fclose(file);
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
    const bool whole = fd >= 0 && read(fd, head, size) == (ssize_t)size;
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
    *fd = open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    return *fd < 0 ? fail(err, "write", path) : TAC_OK;
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

static tac_status open_temporary(const char *path, char temporary[TAC__PATH_MAX], int *fd,
                                 tac_error *err)
{
    if ((size_t)snprintf(temporary, TAC__PATH_MAX, "%s.tmp-XXXXXX", path) >= TAC__PATH_MAX)
        return tac__fail(err, TAC_E_FILE, "path too long: '%.64s...'", path);
    *fd = mkostemp(temporary, O_CLOEXEC);
    return *fd < 0 ? fail(err, "write", path) : TAC_OK;
}

// --- files that appear when they are whole ------------------------------------------------------

tac_status tac__output_open(tac__output *o, const char *path, tac_error *err)
{
    place what;
    struct stat found;
    *o = (tac__output){.fd = -1, .old = -1};
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
    const tac_status status = open_temporary(path, o->temporary, &o->fd, err);
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
    else if (o->old >= 0)
        close(o->old);
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
    if (o->old >= 0)
        close(o->old);
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
