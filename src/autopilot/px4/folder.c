// folder.c - the .msg files of a folder on disk, and of `versioned` in it. Files are taken in the
// order of their names, so that errors do not depend on the order of the disk.
#include "autopilot/px4/load.h"
#include "autopilot/px4/parse.h"
#include "base/error.h"
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct listing {
    const char **names;
    size_t count, capacity;
} listing;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static tac_status read_names(tac__arena *arena, DIR *stream, const char *path, listing *list,
                             tac_error *err)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (!entry)
            break;
        if (entry->d_name[0] == '.' || !tac__ends_in(entry->d_name, ".msg"))
            continue;
        if (!TAC__ARENA_GROW(arena, list->names, list->count, list->capacity))
            return tac__fail_memory(err);
        list->names[list->count] = tac__arena_text(arena, entry->d_name);
        if (!list->names[list->count++])
            return tac__fail_memory(err);
        if (list->count > TAC__UORB_FILES_MAX)
            return tac__fail(err, TAC_E_LIMIT, "'%s' has more than %d .msg files", path,
                             TAC__UORB_FILES_MAX);
    }
    if (errno)
        return tac__fail(err, TAC_E_FILE, "cannot read folder '%s': %s", path,
                         tac__errno_text(errno));
    return TAC_OK;
}

static tac_status list_folder(tac__arena *arena, const char *path, bool optional, listing *list,
                              tac_error *err)
{
    errno = 0;
    DIR *stream = opendir(path);
    if (!stream && optional && errno == ENOENT)
        return TAC_OK;
    if (!stream)
        return tac__fail(err, TAC_E_FILE, "cannot open folder '%s': %s", path,
                         tac__errno_text(errno));
    const tac_status status = read_names(arena, stream, path, list, err);
    closedir(stream);
    if (status == TAC_OK && list->count)
        qsort(list->names, list->count, sizeof *list->names, compare_names);
    return status;
}

static tac_status add_file(tac__arena *arena, tac__uorb_folder *folder, const char *path,
                           const char *name, tac_error *err)
{
    const char *whole = tac__arena_format(arena, "%s/%s", path, name);
    const size_t stem = strlen(name) - strlen(".msg");
    const char *type = tac__arena_format(arena, "%.*s", (int)stem, name);
    if (!whole || !type)
        return tac__fail_memory(err);
    char *bytes;
    size_t size;
    TAC_TRY(tac__file_read(whole, TAC__UORB_FILE_MAX, arena->allocator, &bytes, &size, err));
    const tac_status status = tac__uorb_folder_add(folder, type, whole, bytes, size, err);
    tac__file_free(arena->allocator, bytes, size);
    return status;
}

static tac_status add_folder(tac__arena *arena, tac__uorb_folder *folder, const char *path,
                             bool optional, size_t *count, tac_error *err)
{
    listing list = {0};
    TAC_TRY(list_folder(arena, path, optional, &list, err));
    for (size_t i = 0; i < list.count; i++)
        TAC_TRY(add_file(arena, folder, path, list.names[i], err));
    *count += list.count;
    return TAC_OK;
}

tac_status tac__uorb_folder_open(tac__arena *arena, const char *path, tac__uorb_folder **folder,
                                 tac_error *err)
{
    tac__uorb_folder *made;
    size_t count = 0;
    const char *versioned = tac__arena_format(arena, "%s/versioned", path);
    if (!versioned)
        return tac__fail_memory(err);
    TAC_TRY(tac__uorb_folder_create(arena, path, &made, err));
    TAC_TRY(add_folder(arena, made, path, false, &count, err));
    TAC_TRY(add_folder(arena, made, versioned, true, &count, err));
    if (count == 0)
        return tac__fail(err, TAC_E_FILE, "folder '%s' holds no .msg files: expected PX4's msg/",
                         path);
    *folder = made;
    return TAC_OK;
}
