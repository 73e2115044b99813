// hdf5.c - an archive for analysis: a dataset a signal, in groups by the parts of its name.
//
// Channel by channel, in blocks of rows that are the chunks of the file, so memory does not grow
// with the recording. Only old and plain features of the format, and no times of creation: the
// same recording gives the same bytes.
#include "record/export/export.h"

#ifndef TACTUS_HAVE_HDF5

tac_status tac__export_hdf5(tac__export *x, tac_error *err)
{
    (void)x;
    return tac__fail(err, TAC_E_USAGE,
                     "this build of Tactus has no HDF5: install libhdf5 and build "
                     "it again, or export to another format");
}

#else

#include "base/text.h"
#include "bus/type.h"
#include "record/export/hdf5_file.h"
#include "record/export/hold.h"
#include "record/export/file.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    BLOCK_BYTES = 1 << 20, // of a channel's samples that are written at once,
    BLOCK_ROWS_MAX = 8192, // at most so many
    TEXT_PIECE = 60000,    // of a text in one attribute, which holds less than 64 KiB
    DEFLATE_LEVEL = 4,
};

// The library may have been built without threads in mind.
static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

// A dataset that grows by whole blocks of rows.
typedef struct column {
    hid_t id;
    hid_t type; // of an element in memory
    size_t size;
    uint32_t count; // elements of a row
    bool flat;      // one dimension only
    char *block;
} column;

typedef struct archive {
    tac__export *x;
    tac__output output;
    hid_t file;
    tac__hdf5_file under;
    tac__names groups;           // by path: those that signals need
    tac__names taken;            // paths of datasets
    char reason[TAC_ERROR_NAME]; // why a call of the library failed
} archive;

// --- errors -------------------------------------------------------------------------------------

// Called by the library wherever a call fails; the next call forgets why, so the first reason is
// kept.
static herr_t keep_innermost(unsigned n, const H5E_error2_t *e, void *reason)
{
    if (n == 0 && e->desc && !*(char *)reason)
        snprintf(reason, TAC_ERROR_NAME, "%s", e->desc);
    return 0;
}

static herr_t keep_reason(hid_t stack, void *reason)
{
    return H5Ewalk2(stack, H5E_WALK_UPWARD, keep_innermost, reason);
}

static tac_status fail(const archive *a, tac_error *err)
{
    const char *reason = a->under.reason ? tac__errno_text(a->under.reason) : a->reason;
    return tac__fail(err, TAC_E_FILE, "cannot write '%s': %s", a->x->def->path,
                     reason[0] ? reason : "unknown reason");
}

#define TRY_H5(call)                                                                               \
    do {                                                                                           \
        if ((call) < 0 || a->under.reason)                                                         \
            return fail(a, err);                                                                   \
    } while (0)

// --- attributes ---------------------------------------------------------------------------------

static tac_status add_attribute(const archive *a, hid_t object, const char *name, hid_t type,
                                const void *value, tac_error *err)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t id = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const herr_t written = H5Awrite(id, type, value);
    const herr_t closed = H5Aclose(id);
    H5Sclose(space);
    return written < 0 || closed < 0 || a->under.reason ? fail(a, err) : TAC_OK;
}

static tac_status add_piece(const archive *a, hid_t object, const char *name, const char *text,
                            size_t length, tac_error *err)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, length > 0 ? length : 1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const tac_status status = add_attribute(a, object, name, type, text, err);
    H5Tclose(type);
    return status;
}

// A text of any length: NAME, and NAME_2, NAME_3, ... where one does not hold it.
static tac_status add_text(const archive *a, hid_t object, const char *name, const char *text,
                           tac_error *err)
{
    const size_t length = text ? strlen(text) : 0;
    char numbered[64];
    unsigned piece = 1;
    size_t at = 0;
    do {
        size_t n = length - at < TEXT_PIECE ? length - at : TEXT_PIECE;
        while (at + n < length && ((unsigned char)text[at + n] & 0xC0) == 0x80)
            n--; // not inside a character
        snprintf(numbered, sizeof numbered, piece > 1 ? "%s_%u" : "%s", name, piece);
        TAC_TRY(add_piece(a, object, numbered, length ? text + at : "", n, err));
        at += n;
        piece++;
    } while (at < length);
    return TAC_OK;
}

static tac_status add_hash(const archive *a, const char *name, uint64_t hash, tac_error *err)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return add_text(a, a->file, name, text, err);
}

static tac_status describe_file(const archive *a, tac_error *err)
{
    const tac_recording_info *about = a->x->about;
    TAC_TRY(add_text(a, a->file, "name", about->name, err));
    TAC_TRY(add_text(a, a->file, "version", about->version, err));
    TAC_TRY(add_attribute(a, a->file, "seed", H5T_NATIVE_UINT64, &about->seed, err));
    TAC_TRY(add_hash(a, "schema_hash", about->schema_hash, err));
    TAC_TRY(add_hash(a, "model_hash", about->model_hash, err));
    if (about->hash)
        TAC_TRY(add_hash(a, "hash", about->hash, err));
    if (about->failure[0])
        TAC_TRY(add_text(a, a->file, "failure", about->failure, err));
    return add_text(a, a->file, "config", about->config, err);
}

// --- paths --------------------------------------------------------------------------------------

// Every group on the way to `path`, made once.
static tac_status make_groups(archive *a, const char *path, tac_error *err)
{
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *group = tac__arena_format(&a->x->arena, "%.*s", (int)(slash - path), path);
        if (!group)
            return tac__fail_memory(err);
        if (H5Lexists(a->file, group, H5P_DEFAULT) > 0)
            continue;
        const hid_t how = H5Pcreate(H5P_GROUP_CREATE);
        H5Pset_obj_track_times(how, false);
        const hid_t id = H5Gcreate2(a->file, group, H5P_DEFAULT, how, H5P_DEFAULT);
        H5Pclose(how);
        TRY_H5(H5Gclose(id));
    }
    return TAC_OK;
}

// Names of all groups that the signals need: a dataset cannot have one of them.
static tac_status list_groups(archive *a, tac_error *err)
{
    for (size_t i = 0; i < a->x->signal_count; i++) {
        const char *path = tac__export_dots(a->x, "/", a->x->signals[i]->name, '/');
        if (!path)
            return tac__fail_memory(err);
        for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
            const char *group = tac__arena_format(&a->x->arena, "%.*s", (int)(slash - path), path);
            if (!group || tac__names_set(&a->groups, &a->x->arena, group, 0) != TAC_OK)
                return tac__fail_memory(err);
        }
    }
    return TAC_OK;
}

// Where a dataset of that name goes. NULL: no memory.
static const char *choose_path(archive *a, const char *name)
{
    const char *path = tac__export_dots(a->x, "/", name, '/');
    if (path && tac__names_find(&a->groups, path) >= 0) {
        path = tac__arena_format(&a->x->arena, "%s_", path);
        if (path)
            tac__export_note(a->x, "'%s' is also the name of a group: its values are in %s", name,
                             path);
    }
    return path ? tac__names_add_new(&a->taken, &a->x->arena, path, "_") : NULL;
}

// "entity.component.t", for a second channel "entity.component.t_log"; with _2 behind it if a
// signal has that name.
static const char *choose_time(archive *a, size_t c)
{
    tac__arena *arena = &a->x->arena;
    const char *channel = tac__export_channel(a->x, c);
    if (!channel)
        return NULL;
    const char *suffix = tac__export_suffix(a->x, c, channel);
    const char *name =
        tac__arena_format(arena, "%s.t%s%s", tac_recording_channel(a->x->recording, c)->component,
                          suffix[0] ? "_" : "", suffix);
    const char *free_name = name;
    for (unsigned i = 2; free_name && tac_recording_find(a->x->recording, free_name) >= 0; i++)
        free_name = tac__arena_format(arena, "%s_%u", name, i);
    return free_name ? choose_path(a, free_name) : NULL;
}

// --- columns ------------------------------------------------------------------------------------

static hid_t enum_type(const tac_type *type)
{
    const hid_t id = H5Tenum_create(H5T_NATIVE_INT32);
    const size_t count = tac__export_labels(type);
    for (size_t i = 0; i < count; i++) {
        const int32_t value = (int32_t)i;
        H5Tenum_insert(id, type->labels[i], &value);
    }
    return id;
}

static hid_t element_type(const tac_type *type)
{
    switch (type->scalar) {
    case TAC_I32:
        return H5Tcopy(H5T_NATIVE_INT32);
    case TAC_I64:
        return H5Tcopy(H5T_NATIVE_INT64);
    case TAC_BOOL:
        return H5Tcopy(H5T_NATIVE_UINT8);
    case TAC_ENUM:
        return enum_type(type);
    default:
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    }
}

static hid_t creation_of(const column *k, size_t rows)
{
    const hsize_t chunk[2] = {rows, k->count};
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(how, false);
    H5Pset_chunk(how, k->flat ? 1 : 2, chunk);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
        H5Pset_shuffle(how);
        H5Pset_deflate(how, DEFLATE_LEVEL);
    }
    return how;
}

static tac_status open_column(archive *a, column *k, const char *path, const tac_type *type,
                              size_t rows, tac__arena *arena, tac_error *err)
{
    *k = (column){.type = element_type(type),
                  .size = tac__scalar_size(type->scalar),
                  .count = type->count,
                  .flat = type->shape == TAC_SINGLE,
                  .block = tac__arena_alloc(arena, rows * tac__type_size(type))};
    if (!k->block)
        return tac__fail_memory(err);
    TAC_TRY(make_groups(a, path, err));
    const hsize_t none[2] = {0, k->count}, limit[2] = {H5S_UNLIMITED, k->count};
    const hid_t space = H5Screate_simple(k->flat ? 1 : 2, none, limit);
    const hid_t how = creation_of(k, rows);
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, 0, 0, 0); // chunks are written whole
    k->id = H5Dcreate2(a->file, path, k->type, space, H5P_DEFAULT, how, access);
    H5Pclose(access);
    H5Pclose(how);
    H5Sclose(space);
    TRY_H5(k->id);
    return TAC_OK;
}

static tac_status append(const archive *a, const column *k, uint64_t at, size_t rows,
                         tac_error *err)
{
    const hsize_t extent[2] = {at + rows, k->count}, from[2] = {at, 0}, size[2] = {rows, k->count};
    TRY_H5(H5Dset_extent(k->id, extent));
    const hid_t space = H5Dget_space(k->id);
    const hid_t memory = H5Screate_simple(k->flat ? 1 : 2, size, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, size, NULL);
    const herr_t written = H5Dwrite(k->id, k->type, memory, space, H5P_DEFAULT, k->block);
    H5Sclose(memory);
    H5Sclose(space);
    TRY_H5(written);
    return TAC_OK;
}

static void close_column(column *k)
{
    if (k->id > 0)
        H5Dclose(k->id);
    if (k->type > 0)
        H5Tclose(k->type);
}

// --- channels -----------------------------------------------------------------------------------

// The columns of one channel: its time, then its signals.
typedef struct sheet {
    archive *a;
    size_t channel;
    column *columns;
    size_t count;
    size_t rows;   // of a block
    size_t filled; // of the present one
    uint64_t done; // rows before it
    tac__hold instants;
} sheet;

static tac_status describe_signal(const sheet *s, const column *k, const tac_recorded *signal,
                                  const char *time, tac_error *err)
{
    char type[128];
    tac_type_print(&signal->type, type, sizeof type);
    TAC_TRY(add_text(s->a, k->id, "signal", signal->name, err));
    TAC_TRY(add_text(s->a, k->id, "unit", signal->unit, err));
    TAC_TRY(add_text(s->a, k->id, "doc", signal->doc, err));
    TAC_TRY(add_text(s->a, k->id, "type", type, err));
    return add_text(s->a, k->id, "time", time, err);
}

static tac_status open_sheet(sheet *s, tac__arena *arena, tac_error *err)
{
    static const tac_type seconds = TAC_TYPE_F64;
    archive *a = s->a;
    tac__export *x = a->x;
    const tac_channel_info *info = tac_recording_channel(x->recording, s->channel);
    const size_t first = x->first_of[s->channel], count = x->first_of[s->channel + 1] - first;
    s->rows = BLOCK_BYTES / (info->size + 1);
    s->rows = s->rows > BLOCK_ROWS_MAX ? BLOCK_ROWS_MAX : s->rows;
    s->rows = s->rows > info->samples ? (size_t)info->samples : s->rows;
    s->rows = s->rows > 0 ? s->rows : 1;
    s->columns = tac__arena_array(arena, count + 1, sizeof *s->columns);
    const char *time = choose_time(a, s->channel);
    if (!s->columns || !time)
        return tac__fail_memory(err);
    s->count = 1;
    TAC_TRY(open_column(a, s->columns, time, &seconds, s->rows, arena, err));
    TAC_TRY(add_text(a, s->columns->id, "unit", "s", err));
    TAC_TRY(add_text(a, s->columns->id, "doc", "time since the start of the run", err));
    for (size_t i = 0; i < count; i++) {
        const tac_recorded *signal = x->signals[first + i];
        const char *path = choose_path(a, signal->name);
        if (!path)
            return tac__fail_memory(err);
        column *k = &s->columns[s->count++];
        TAC_TRY(open_column(a, k, path, &signal->type, s->rows, arena, err));
        TAC_TRY(describe_signal(s, k, signal, time, err));
    }
    bool *only = tac__arena_array(arena, x->channel_count, sizeof *only);
    if (!only)
        return tac__fail_memory(err);
    only[s->channel] = true;
    return tac__hold_open(&s->instants, x->recording, only, x->def->from_us, x->def->to_us, arena,
                          err);
}

static tac_status flush(sheet *s, tac_error *err)
{
    for (size_t i = 0; s->filled > 0 && i < s->count; i++)
        TAC_TRY(append(s->a, &s->columns[i], s->done, s->filled, err));
    s->done += s->filled;
    s->filled = 0;
    return TAC_OK;
}

static void add_row(sheet *s)
{
    const tac__export *x = s->a->x;
    const char *values = s->instants.held[s->channel].sample.values;
    ((double *)(void *)s->columns->block)[s->filled] = tac_time_seconds(s->instants.t_us);
    for (size_t i = 1; i < s->count; i++) {
        const column *k = &s->columns[i];
        const size_t size = k->size * k->count;
        const tac_recorded *signal = x->signals[x->first_of[s->channel] + i - 1];
        memcpy(k->block + s->filled * size, values + signal->offset, size);
    }
    s->filled++;
}

static tac_status write_sheet(sheet *s, tac__arena *arena, tac_error *err)
{
    TAC_TRY(open_sheet(s, arena, err));
    for (bool more = true;;) {
        TAC_TRY(tac__hold_next(&s->instants, &more, err));
        if (!more)
            break;
        add_row(s);
        if (s->filled == s->rows)
            TAC_TRY(flush(s, err));
    }
    TAC_TRY(flush(s, err));
    s->a->x->result.samples += s->done;
    return TAC_OK;
}

static tac_status write_channel(archive *a, size_t channel, tac_error *err)
{
    tac__arena arena;
    tac__arena_init(&arena, a->x->arena.allocator);
    sheet s = {.a = a, .channel = channel};
    const tac_status status = write_sheet(&s, &arena, err);
    for (size_t i = 0; i < s.count; i++)
        close_column(&s.columns[i]);
    tac__hold_close(&s.instants);
    tac__arena_fini(&arena);
    return status;
}

// --- the file -----------------------------------------------------------------------------------

static tac_status create(archive *a, tac_error *err)
{
    TAC_TRY(tac__output_open(&a->output, a->x->def->path, err));
    if (a->output.direct)
        return tac__fail(err, TAC_E_FILE, "cannot write '%s': HDF5 needs a regular file",
                         a->x->def->path);
    const hid_t how = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_obj_track_times(how, false);
    a->file = tac__hdf5_create(&a->under, a->output.fd, how);
    H5Pclose(how);
    TRY_H5(a->file);
    return TAC_OK;
}

static tac_status write_all(archive *a, tac_error *err)
{
    TAC_TRY(create(a, err));
    TAC_TRY(describe_file(a, err));
    TAC_TRY(list_groups(a, err));
    for (size_t c = 0; c < a->x->channel_count; c++) {
        if (a->x->wanted[c])
            TAC_TRY(write_channel(a, c, err));
    }
    TRY_H5(H5Fflush(a->file, H5F_SCOPE_GLOBAL));
    const hid_t file = a->file;
    a->file = 0;
    TRY_H5(tac__hdf5_close(&a->under, file));
    struct stat status;
    if (stat(a->output.temporary, &status) == 0)
        a->x->result.bytes = (uint64_t)status.st_size;
    return tac__output_commit(&a->output, err);
}

tac_status tac__export_hdf5(tac__export *x, tac_error *err)
{
    archive a = {.x = x};
    H5E_auto2_t print;
    void *context;
    pthread_mutex_lock(&library);
    H5Eget_auto2(H5E_DEFAULT, &print, &context);
    H5Eset_auto2(H5E_DEFAULT, keep_reason, a.reason);
    const tac_status status = write_all(&a, err);
    tac__hdf5_close(&a.under, a.file);
    tac__output_abandon(&a.output);
    H5Eset_auto2(H5E_DEFAULT, print, context);
    pthread_mutex_unlock(&library);
    return status;
}

#endif
