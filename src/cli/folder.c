// folder.c - see folder.h. A folder is never found without its lock for longer than it takes to
// make it: whoever has made one looks whether it is still there once it has the lock.
#define _GNU_SOURCE // nftw
#include "cli/folder.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char PREFIX[] = "tactus-", LOCK[] = ".tactus-lock";

// Names of sockets have 107 bytes.
enum { PLACE_MAX = 40 };

const char *cli_folder_place(void)
{
    const char *at = getenv("TMPDIR");
    return at && *at && strlen(at) <= PLACE_MAX ? at : "/tmp";
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about, (void)kind, (void)where;
    return remove(path);
}

static bool remove_tree(const char *path)
{
    return nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0;
}

static bool is_own(const struct stat *s)
{
    return S_ISDIR(s->st_mode) && s->st_uid == geteuid() && !(s->st_mode & 0077);
}

// The lock file of a folder, opened; -1: there is none.
static int open_lock(const char *path, int flags)
{
    char name[CLI_FOLDER_TEXT + sizeof LOCK + 1];
    snprintf(name, sizeof name, "%s/%s", path, LOCK);
    return open(name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600);
}

// --- what killed commands have left -------------------------------------------------------------

void cli_folder_remove_left(const char *path)
{
    struct stat s;
    if (lstat(path, &s) != 0 || !is_own(&s))
        return;
    const int lock = open_lock(path, 0); // a folder without it is not one of these
    if (lock < 0)
        return;
    if (flock(lock, LOCK_EX | LOCK_NB) == 0)
        (void)remove_tree(path);
    close(lock);
}

static void sweep(const char *place)
{
    DIR *stream = opendir(place);
    for (const struct dirent *e; stream && (e = readdir(stream));) {
        char path[CLI_FOLDER_TEXT];
        if (!strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) &&
            (size_t)snprintf(path, sizeof path, "%s/%s", place, e->d_name) < sizeof path)
            cli_folder_remove_left(path);
    }
    if (stream)
        closedir(stream);
}

// --- making -------------------------------------------------------------------------------------

// Take the lock of a folder that was just made. False: somebody has removed it meanwhile.
static bool take_lock(cli_folder *f, tac_error *err, tac_status *status)
{
    struct stat own, there;
    char name[CLI_FOLDER_TEXT + sizeof LOCK + 1];
    *status = TAC_OK;
    f->lock = open_lock(f->path, O_CREAT);
    if (f->lock < 0 && errno == ENOENT)
        return false;
    if (f->lock < 0) {
        *status = tac__fail(err, TAC_E_FILE, "cannot write in folder '%s': %s", f->path,
                            tac__errno_text(errno));
        return true;
    }
    (void)flock(f->lock, LOCK_SH); // a file system without locks has no sweeping either
    snprintf(name, sizeof name, "%s/%s", f->path, LOCK);
    if (fstat(f->lock, &own) == 0 && lstat(name, &there) == 0 && own.st_ino == there.st_ino &&
        own.st_dev == there.st_dev)
        return true;
    close(f->lock);
    return false;
}

enum { TRIES = 100 };

tac_status cli_folder_make(cli_folder *f, tac_error *err)
{
    const char *place = cli_folder_place();
    sweep(place);
    tac_status status = TAC_OK;
    for (int i = 0; i < TRIES; i++) {
        snprintf(f->path, sizeof f->path, "%s/%sXXXXXX", place, PREFIX);
        if (!mkdtemp(f->path))
            break;
        if (take_lock(f, err, &status))
            return status;
    }
    const int code = errno;
    f->path[0] = '\0';
    return tac__fail(err, TAC_E_FILE, "cannot make a folder in '%s': %s", place,
                     tac__errno_text(code));
}

tac_status cli_folder_adopt(cli_folder *f, const char *path, tac_error *err)
{
    tac_status status;
    snprintf(f->path, sizeof f->path, "%s", path);
    if (!take_lock(f, err, &status))
        status = tac__fail(err, TAC_E_FILE, "folder '%s' was removed meanwhile", path);
    if (status != TAC_OK)
        f->path[0] = '\0';
    return status;
}

void cli_folder_remove(cli_folder *f)
{
    if (!*f->path)
        return;
    if (!remove_tree(f->path))
        fprintf(stderr, "warning: cannot remove '%s': %s\n", f->path, tac__errno_text(errno));
    close(f->lock);
    f->path[0] = '\0';
}
