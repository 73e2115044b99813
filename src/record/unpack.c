// unpack.c - the configuration of a recording and the files that it names, into a folder.
#include "base/error.h"
#include "base/file.h"
#include "base/floats.h"
#include "record/recording.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

// "files/1/name" and nothing that leads elsewhere.
static bool is_safe(const char *name)
{
    if (strncmp(name, "files/", 6))
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        const size_t length = strcspn(part, "/");
        if (length == 0 || (length == 1 && part[0] == '.') ||
            (length == 2 && part[0] == '.' && part[1] == '.'))
            return false;
    }
    return true;
}

static tac_status make_folders(char *path, size_t from, tac_error *err)
{
    for (char *slash = path + from; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        const bool failed = mkdir(path, 0700) && errno != EEXIST;
        if (failed)
            tac__fail(err, TAC_E_FILE, "cannot create folder '%s': %s", path,
                      tac__errno_text(errno));
        *slash = '/';
        if (failed)
            return TAC_E_FILE;
    }
    return TAC_OK;
}

static tac_status unpack_file(tac_recording *r, tac__arena *arena, const char *folder, size_t i,
                              tac_error *err)
{
    const char *name = tac__mcap_about(r->reader)->attachments[i].name;
    char *path = tac__arena_format(arena, "%s/%s", folder, name);
    if (!path)
        return tac__fail_memory(err);
    TAC_TRY(make_folders(path, strlen(folder) + 1, err));
    char *bytes;
    size_t size;
    TAC_TRY(tac__mcap_attachment_read(r->reader, i, &bytes, &size, err));
    const tac_status status = tac__file_write(path, bytes, size, err);
    tac__file_free(r->allocator, bytes, size);
    return status;
}

static tac_status unpack(tac_recording *r, tac__arena *arena, const char *folder, tac_error *err)
{
    const tac__mcap_info *about = tac__mcap_about(r->reader);
    for (size_t i = 0; i < about->attachment_count; i++) {
        if (is_safe(about->attachments[i].name))
            TAC_TRY(unpack_file(r, arena, folder, i, err));
    }
    const char *path = tac__arena_format(arena, "%s/config.yaml", folder);
    if (!path)
        return tac__fail_memory(err);
    return tac__file_write(path, r->info.config, strlen(r->info.config), err);
}

tac_status tac_recording_unpack(tac_recording *r, const char *folder, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(r && folder);
    if (!*r->info.config)
        return tac__fail(err, TAC_E_FORMAT, "'%s' holds no configuration", r->info.path);
    tac__arena arena;
    tac__arena_init(&arena, r->allocator);
    const tac_status status = unpack(r, &arena, folder, err);
    tac__arena_fini(&arena);
    return status;
}
