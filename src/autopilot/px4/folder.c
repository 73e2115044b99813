// folder.c - the .msg files of a folder on disk, and of `versioned` in it. Files are taken in the
// order of their names, so that errors do not depend on the order of the disk.
#include "autopilot/px4/load.h"
#include "autopilot/px4/parse.h"
#include "base/error.h"
#include "base/file.h"

#include <string.h>

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
    const char *const *names;
    size_t found;
    TAC_TRY(
        tac__folder_list(arena, path, ".msg", optional, TAC__UORB_FILES_MAX, &names, &found, err));
    for (size_t i = 0; i < found; i++)
        TAC_TRY(add_file(arena, folder, path, names[i], err));
    *count += found;
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
