// files.c - see files.h.
#include "cli/files.h"
#include "base/error.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct entry {
    const char *path;
    const char *what; // option of an output; NULL: an input
    bool exists;
    dev_t device; // of the file; of its folder where it does not exist
    ino_t inode;
    const char *name; // in its folder, where it does not exist
} entry;

struct cli_files {
    tac__arena arena;
    entry *entries;
    size_t count;
    TAC__CAPACITY(entry) capacity;
};

bool cli_is_stdout(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(path, names[i]))
            return true;
    }
    return false;
}

// --- which file a name stands for ---------------------------------------------------------------

// `*regular` is false for what can be neither lost nor confused: a device, a pipe, a folder, an
// input that does not exist.
static tac_status identify(cli_files *files, entry *e, bool *regular, tac_error *err)
{
    struct stat s;
    *regular = true;
    e->exists = stat(e->path, &s) == 0;
    if (e->exists) {
        *regular = S_ISREG(s.st_mode);
        e->device = s.st_dev;
        e->inode = s.st_ino;
        return TAC_OK;
    }
    if (!e->what) {
        *regular = false; // opening it for reading will report the error
        return TAC_OK;
    }
    const char *slash = strrchr(e->path, '/');
    const char *folder =
        slash ? tac__arena_format(&files->arena, "%.*s/", (int)(slash - e->path), e->path) : ".";
    if (!folder)
        return tac__fail_memory(err);
    if (stat(folder, &s) != 0)
        return tac__fail(err, TAC_E_FILE, "cannot write '%s': %s", e->path, tac__errno_text(errno));
    e->device = s.st_dev;
    e->inode = s.st_ino;
    e->name = tac__arena_text(&files->arena, slash ? slash + 1 : e->path);
    return e->name ? TAC_OK : tac__fail_memory(err);
}

static bool same(const entry *a, const entry *b)
{
    return a->exists == b->exists && a->device == b->device && a->inode == b->inode &&
           (a->exists || !strcmp(a->name, b->name));
}

// --- the list -----------------------------------------------------------------------------------

static tac_status compare(const entry *a, const entry *b, tac_error *err)
{
    const entry *out = a->what ? a : b, *other = a->what ? b : a;
    if (!out->what || !same(a, b))
        return TAC_OK;
    if (other->what)
        return tac__fail(err, TAC_E_USAGE, "%s and %s are the same file: '%s'", a->what, b->what,
                         b->path);
    return tac__fail(err, TAC_E_USAGE, "%s '%s' is a file that is read: it would be lost",
                     out->what, out->path);
}

static tac_status add(cli_files *files, entry *e, tac_error *err)
{
    bool regular;
    TAC_TRY(identify(files, e, &regular, err));
    if (!regular)
        return TAC_OK;
    for (size_t i = 0; i < files->count; i++) {
        const entry *other = &files->entries[i];
        if (!other->what && !e->what && same(other, e))
            return TAC_OK; // the same input again
        TAC_TRY(compare(other, e, err));
    }
    if (!TAC__ARENA_GROW(&files->arena, files->entries, files->count, files->capacity))
        return tac__fail_memory(err);
    files->entries[files->count++] = *e;
    return TAC_OK;
}

cli_files *cli_files_create(void)
{
    const tac_allocator *a = tac_allocator_default();
    cli_files *files = a->resize(a->context, NULL, 0, sizeof *files);
    if (!files)
        return NULL;
    *files = (cli_files){0};
    tac__arena_init(&files->arena, a);
    // Where standard output is a file, no other output may be that file.
    struct stat s;
    if (fstat(STDOUT_FILENO, &s) == 0 && S_ISREG(s.st_mode)) {
        const entry e = {.path = "/dev/stdout",
                         .what = "standard output",
                         .exists = true,
                         .device = s.st_dev,
                         .inode = s.st_ino};
        if (TAC__ARENA_GROW(&files->arena, files->entries, files->count, files->capacity))
            files->entries[files->count++] = e;
    }
    return files;
}

void cli_files_destroy(cli_files *files)
{
    if (!files)
        return;
    const tac_allocator *a = tac_allocator_default();
    tac__arena_fini(&files->arena);
    a->resize(a->context, files, sizeof *files, 0);
}

// --- what commands report -----------------------------------------------------------------------

tac_status cli_reads(const cli_args *args, const char *path, tac_error *err)
{
    entry e = {.path = path ? tac__arena_text(&args->files->arena, path) : NULL};
    if (!path)
        return TAC_OK;
    return e.path ? add(args->files, &e, err) : tac__fail_memory(err);
}

tac_status cli_reads_config(const cli_args *args, tac_config *config, tac_error *err)
{
    const char *const *paths;
    size_t count;
    TAC_TRY(tac_config_files(config, &paths, &count, err));
    for (size_t i = 0; i < count; i++)
        TAC_TRY(cli_reads(args, paths[i], err));
    return TAC_OK;
}

static tac_status check_replaced(const cli_args *args, const entry *e, cli_replaces replaces,
                                 tac_error *err)
{
    struct stat s;
    if (lstat(e->path, &s) != 0 || stat(e->path, &s) != 0 || !S_ISREG(s.st_mode))
        return TAC_OK;
    if (replaces == CLI_REPLACES_FORCED)
        return cli_has(args, "force")
                   ? TAC_OK
                   : tac__fail(err, TAC_E_FILE, "%s '%s' exists already; --force replaces it",
                               e->what, e->path);
    return tac_recording_is(e->path)
               ? tac__fail(err, TAC_E_FILE, "%s '%s' is a recording: it would be lost", e->what,
                           e->path)
               : TAC_OK;
}

tac_status cli_writes(const cli_args *args, const char *path, const char *what,
                      cli_replaces replaces, tac_error *err)
{
    if (path && !strcmp(path, "-") && replaces == CLI_REPLACES_FORCED)
        return tac__fail(err, TAC_E_USAGE,
                         "%s: a recording is a file and cannot go to standard output; 'tactus "
                         "export REC -o -' writes its signals there",
                         what);
    if (!path || cli_is_stdout(path))
        return TAC_OK;
    cli_files *files = args->files;
    entry e = {.path = tac__arena_text(&files->arena, path), .what = what};
    if (!e.path)
        return tac__fail_memory(err);
    TAC_TRY(add(files, &e, err));
    TAC_TRY(tac__file_check(e.path, err));
    tac__output_sweep(e.path);
    return check_replaced(args, &e, replaces, err);
}

// --- near names ---------------------------------------------------------------------------------

enum { NEAR_PATH = 512 };

// The file in `folder` whose name is most like `name`; false where there is none.
static bool find_near(const char *folder, const char *name, char found[NEAR_PATH])
{
    char best[NEAR_PATH] = "";
    tac__nearest nearest = tac__nearest_begin(name);
    DIR *listing = opendir(*folder ? folder : ".");
    for (const struct dirent *e; listing && (e = readdir(listing));) {
        const size_t length = strlen(name);
        if (e->d_name[0] == '.' || strlen(e->d_name) >= sizeof best)
            continue;
        const bool ending =
            !strncmp(e->d_name, name, length) && !strcmp(e->d_name + length, ".yaml");
        tac__nearest_offer(&nearest, e->d_name);
        if (ending || nearest.best == e->d_name)
            snprintf(best, sizeof best, "%s", e->d_name);
        if (ending)
            break;
        if (nearest.best == e->d_name)
            nearest.best = best; // the entry's own name does not last
    }
    if (listing)
        closedir(listing);
    return *best && snprintf(found, NEAR_PATH, "%s%s", folder, best) < NEAR_PATH;
}

void cli_suggest_file(const char *path, tac_error *err)
{
    char folder[NEAR_PATH], found[NEAR_PATH];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const int length = slash ? (int)(slash + 1 - path) : 0;
    if (!*name || strlen(path) >= sizeof folder)
        return;
    snprintf(folder, sizeof folder, "%.*s", length, path);
    static const char *const examples[] = {"examples/", "/usr/share/doc/tactus/examples/"};
    bool near = find_near(folder, name, found);
    for (size_t i = 0; !near && !slash && i < sizeof examples / sizeof *examples; i++)
        near = find_near(examples[i], name, found);
    if (near)
        tac__error_append(err, "; did you mean '%s'?", found);
}
