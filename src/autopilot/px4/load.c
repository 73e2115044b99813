// load.c - finds the file of a topic and of the messages nested in it, and computes each layout
// once. A file whose layout is being computed is marked, so a message that contains itself is
// noticed, however many messages lie between.
#include "autopilot/px4/load.h"
#include "autopilot/px4/parse.h"
#include "base/names.h"

#include <string.h>

typedef struct file {
    const char *type, *path;
    const char *bytes;
    size_t size;
    bool open;                        // its layout is being computed
    const tac__uorb_message *message; // named by its type; NULL: no layout yet
} file;

typedef struct topic {
    const char *name;
    uint32_t file;
    bool twice; // another file has this name, too
} topic;

struct tac__uorb_folder {
    tac__arena *arena;
    const char *path;
    file *files;
    size_t file_count;
    TAC__CAPACITY(file) file_capacity;
    topic *topics;
    size_t topic_count;
    TAC__CAPACITY(topic) topic_capacity;
    tac__names types, names;              // of files and topics
    const file *way[TAC__UORB_DEPTH_MAX]; // the files that are open, outermost first
    size_t depth;
};

// --- filling ------------------------------------------------------------------------------------

tac_status tac__uorb_folder_create(tac__arena *arena, const char *path, tac__uorb_folder **folder,
                                   tac_error *err)
{
    tac__uorb_folder *made = tac__arena_alloc(arena, sizeof *made);
    if (!made)
        return tac__fail_memory(err);
    made->arena = arena;
    made->path = tac__arena_text(arena, path);
    if (!made->path)
        return tac__fail_memory(err);
    *folder = made;
    return TAC_OK;
}

static tac_status add_topic(tac__uorb_folder *folder, const char *name, uint32_t of, tac_error *err)
{
    const int known = tac__names_find(&folder->names, name);
    if (known >= 0) {
        if (folder->topics[known].file != of)
            folder->topics[known].twice = true;
        return TAC_OK;
    }
    if (!TAC__ARENA_GROW(folder->arena, folder->topics, folder->topic_count,
                         folder->topic_capacity))
        return tac__fail_memory(err);
    const uint32_t number = (uint32_t)folder->topic_count;
    topic *added = &folder->topics[number];
    *added = (topic){.name = tac__arena_text(folder->arena, name), .file = of};
    if (!added->name ||
        tac__names_set(&folder->names, folder->arena, added->name, number) != TAC_OK)
        return tac__fail_memory(err);
    folder->topic_count++;
    return TAC_OK;
}

static tac_status add_topics(tac__uorb_folder *folder, uint32_t of, tac_error *err)
{
    const file *f = &folder->files[of];
    char name[TAC__UORB_NAME];
    bool any = false;
    tac__uorb_topics topics = tac__uorb_topics_begin(f->bytes, f->size);
    for (; tac__uorb_topics_next(&topics, name); any = true)
        TAC_TRY(add_topic(folder, name, of, err));
    if (!any && tac__uorb_topic_of(f->type, name))
        TAC_TRY(add_topic(folder, name, of, err));
    return TAC_OK;
}

tac_status tac__uorb_folder_add(tac__uorb_folder *folder, const char *type, const char *path,
                                const char *bytes, size_t size, tac_error *err)
{
    const int known = tac__names_find(&folder->types, type);
    if (known >= 0)
        return tac__fail(err, TAC_E_DUPLICATE, "message '%s' is there twice: '%s' and '%s'", type,
                         folder->files[known].path, path);
    if (folder->file_count == TAC__UORB_FILES_MAX)
        return tac__fail(err, TAC_E_LIMIT, "'%s' has more than %d .msg files", folder->path,
                         TAC__UORB_FILES_MAX);
    if (!TAC__ARENA_GROW(folder->arena, folder->files, folder->file_count, folder->file_capacity))
        return tac__fail_memory(err);
    char *kept = tac__arena_alloc(folder->arena, size + 1);
    const file added = {.type = tac__arena_text(folder->arena, type),
                        .path = tac__arena_text(folder->arena, path),
                        .bytes = kept,
                        .size = size};
    if (!kept || !added.type || !added.path)
        return tac__fail_memory(err);
    if (size)
        memcpy(kept, bytes, size);
    const uint32_t number = (uint32_t)folder->file_count;
    if (tac__names_set(&folder->types, folder->arena, added.type, number) != TAC_OK)
        return tac__fail_memory(err);
    folder->files[folder->file_count++] = added;
    return add_topics(folder, number, err);
}

// --- laying out ---------------------------------------------------------------------------------

static const char *type_name(const void *context, size_t i)
{
    const tac__uorb_folder *folder = context;
    return i < folder->file_count ? folder->files[i].type
                                  : tac__uorb_scalar_name(NULL, i - folder->file_count);
}

static const char *topic_name(const void *context, size_t i)
{
    const tac__uorb_folder *folder = context;
    return i < folder->topic_count ? folder->topics[i].name : NULL;
}

// "A holds B holds A".
static tac_status fail_recursion(const tac__uorb_folder *folder, const file *f,
                                 const tac_place *place, tac_error *err)
{
    size_t i = 0;
    while (folder->way[i] != f)
        i++;
    tac__fail_at(err, TAC_E_CYCLE, place, "message '%s' holds itself:", f->type);
    for (; i < folder->depth; i++)
        tac__error_append(err, " %s holds", folder->way[i]->type);
    tac__error_append(err, " %s", f->type);
    return TAC_E_CYCLE;
}

static tac_status fail_depth(const tac_place *place, tac_error *err)
{
    return tac__fail_at(err, TAC_E_LIMIT, place, "messages are nested more than %d deep",
                        TAC__UORB_DEPTH_MAX);
}

static tac_status lay_out(tac__uorb_folder *folder, file *f, tac_error *err);

static tac_status find_nested(tac__uorb_folder *folder, const tac__uorb_declared *declared,
                              const tac__uorb_message **message, tac_error *err)
{
    const int number = tac__names_find(&folder->types, declared->nested);
    if (number < 0) {
        tac__fail_at(err, TAC_E_NAME, &declared->place, "unknown type '%s': there is no %s.msg",
                     declared->nested, declared->nested);
        tac__error_suggest(err, declared->nested, type_name, folder);
        return TAC_E_NAME;
    }
    file *f = &folder->files[number];
    if (f->open)
        return fail_recursion(folder, f, &declared->place, err);
    if (folder->depth == TAC__UORB_DEPTH_MAX)
        return fail_depth(&declared->place, err);
    const tac_status status = lay_out(folder, f, err);
    if (status != TAC_OK) {
        tac__error_context(err, "laying out field '%s' of %s", declared->field.name,
                           declared->place.file);
        return status;
    }
    // This also limits a message whose layout was computed before, outside of any other.
    if (folder->depth + f->message->depth > TAC__UORB_DEPTH_MAX)
        return fail_depth(&declared->place, err);
    *message = f->message;
    return TAC_OK;
}

static tac_status lay_out_open(tac__uorb_folder *folder, file *f, tac_error *err)
{
    tac__uorb_source source;
    TAC_TRY(tac__uorb_parse(folder->arena, f->path, f->bytes, f->size, &source, err));
    tac__uorb_field *fields = tac__arena_array(folder->arena, source.field_count, sizeof *fields);
    if (!fields)
        return tac__fail_memory(err);
    for (size_t i = 0; i < source.field_count; i++) {
        fields[i] = source.fields[i].field;
        if (source.fields[i].nested)
            TAC_TRY(find_nested(folder, &source.fields[i], &fields[i].message, err));
    }
    const tac_status status =
        tac__uorb_lay_out(folder->arena, f->type, fields, source.field_count, &f->message, err);
    if (status == TAC_E_LIMIT) // its last field made it too large
        tac__error_place(err, &source.fields[source.field_count - 1].place);
    return status;
}

// Each file once: later calls find the result.
static tac_status lay_out(tac__uorb_folder *folder, file *f, tac_error *err)
{
    if (f->message)
        return TAC_OK;
    f->open = true;
    folder->way[folder->depth++] = f;
    const tac_status status = lay_out_open(folder, f, err);
    folder->depth--;
    f->open = false;
    return status;
}

static tac_status fail_twice(const tac__uorb_folder *folder, const topic *t, tac_error *err)
{
    return tac__fail(err, TAC_E_DUPLICATE,
                     "topic '%s' is of '%s' and of another file in '%s': expected one", t->name,
                     folder->files[t->file].path, folder->path);
}

tac_status tac__uorb_folder_message(tac__uorb_folder *folder, const char *name,
                                    const tac__uorb_message **message, tac_error *err)
{
    const int number = tac__names_find(&folder->names, name);
    if (number < 0) {
        tac__fail(err, TAC_E_NAME, "no .msg file in '%s' is of topic '%s'", folder->path, name);
        tac__error_suggest(err, name, topic_name, folder);
        return TAC_E_NAME;
    }
    const topic *found = &folder->topics[number];
    if (found->twice)
        return fail_twice(folder, found, err);
    file *f = &folder->files[found->file];
    const tac_status status = lay_out(folder, f, err);
    if (status != TAC_OK) {
        tac__error_context(err, "laying out topic '%s'", name);
        return status;
    }
    tac__uorb_message *copy = tac__arena_alloc(folder->arena, sizeof *copy);
    if (!copy)
        return tac__fail_memory(err);
    *copy = *f->message;
    copy->name = found->name;
    *message = copy;
    return TAC_OK;
}

// --- the folder or the built-in messages --------------------------------------------------------

static bool is_builtin(const char *name)
{
    for (size_t i = 0; tac__uorb_builtin_topic(i); i++) {
        if (!strcmp(tac__uorb_builtin_topic(i), name))
            return true;
    }
    return false;
}

static bool holds(const tac__uorb_folder *folder, const char *name)
{
    return folder && tac__names_find(&folder->names, name) >= 0;
}

bool tac__uorb_knows(const tac__uorb_folder *folder, const char *name)
{
    return holds(folder, name) || is_builtin(name);
}

const char *tac__uorb_nearest(const tac__uorb_folder *folder, const char *name)
{
    tac__nearest nearest = tac__nearest_begin(name);
    for (size_t i = 0; folder && i < folder->topic_count; i++)
        tac__nearest_offer(&nearest, folder->topics[i].name);
    for (size_t i = 0; tac__uorb_builtin_topic(i); i++)
        tac__nearest_offer(&nearest, tac__uorb_builtin_topic(i));
    return nearest.best;
}

tac_status tac__uorb_message_of(tac__arena *arena, tac__uorb_folder *folder, const char *name,
                                const tac__uorb_message **message, tac_error *err)
{
    if (holds(folder, name))
        return tac__uorb_folder_message(folder, name, message, err);
    if (is_builtin(name) || !folder)
        return tac__uorb_builtin(arena, name, message, err);
    tac__fail(err, TAC_E_NAME, "no .msg file in '%s' is of topic '%s', and it is not built in",
              folder->path, name);
    const char *nearest = tac__uorb_nearest(folder, name);
    if (nearest)
        tac__error_append(err, "; did you mean '%s'?", nearest);
    return TAC_E_NAME;
}
