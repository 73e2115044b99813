// emit.c - writes a document as YAML: the resolved configuration, for people and for recordings.
// Reading the result gives the same tree.
//
// Names of files are relative to the file in which they are written, and extended files may lie
// elsewhere: so names are written relative to the folder of the file that was loaded.
#include "config/config.h"
#include "base/file.h"
#include "base/floats.h"
#include "base/node.h"
#include "base/text.h"
#include "engine/plan/declare.h"
#include "engine/plan/plan.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct moved { // a scalar that names a file
    const tac_node *node;
    const char *text;
} moved;

typedef struct embedded { // a file or folder that is stored with the text
    const char *path, *name;
} embedded;

typedef struct declared { // the parameters of a type, declared once
    const tac_component_type *type;
    const tac__component *instance;
} declared;

typedef struct emitter {
    tac__text out;
    const tac_config *config;
    tac__arena arena;
    moved *moved;
    size_t count;
    TAC__CAPACITY(moved) capacity;
    bool embed;            // the files are stored with the text, each in a folder of its own
    const tac_node *plant; // the section; NULL: there is none
    embedded *embedded;
    size_t embedded_count;
    TAC__CAPACITY(embedded) embedded_capacity;
    tac_record_file *files;
    size_t file_count;
    TAC__CAPACITY(tac_record_file) file_capacity;
    declared *types;
    size_t type_count;
    TAC__CAPACITY(declared) type_capacity;
} emitter;

// --- names of files -----------------------------------------------------------------------------

enum { RECENT = 16 };

static const char *absolute(emitter *e, const char *path)
{
    char *real = realpath(path, NULL); // NULL: no such file; opening it will report that
    const char *copy = tac__arena_text(&e->arena, real ? real : path);
    free(real);
    return copy;
}

static bool add_file(emitter *e, const char *name, const char *path)
{
    if (!name || !path || !TAC__ARENA_GROW(&e->arena, e->files, e->file_count, e->file_capacity))
        return false;
    e->files[e->file_count++] = (tac_record_file){name, path};
    return true;
}

// Add the files of a folder and of its direct subfolders that end in `ending`. A folder that cannot
// be read is empty here; the component that needs it reports why.
static bool add_folder(emitter *e, const char *name, const char *path, const char *ending)
{
    const char *const *folders, *const *names;
    size_t folder_count, count;
    if (tac__folder_list(&e->arena, path, "", false, SIZE_MAX, &folders, &folder_count, NULL) !=
        TAC_OK)
        return true;
    for (size_t i = 0; i <= folder_count; i++) { // the last: the folder itself
        const char *below = i < folder_count ? folders[i] : ".";
        const char *in =
            i < folder_count ? tac__arena_format(&e->arena, "%s/%s", path, below) : path;
        const char *to =
            i < folder_count ? tac__arena_format(&e->arena, "%s/%s", name, below) : name;
        if (!in || !to)
            return false;
        if (tac__folder_list(&e->arena, in, ending, false, SIZE_MAX, &names, &count, NULL) !=
            TAC_OK)
            continue; // a file
        for (size_t k = 0; k < count; k++) {
            if (!add_file(e, tac__arena_format(&e->arena, "%s/%s", to, names[k]),
                          tac__arena_format(&e->arena, "%s/%s", in, names[k])))
                return false;
        }
    }
    return true;
}

// Store a file with the text, or a folder if `ending` is given, and return its new name: its own
// name in a numbered folder, so that names cannot collide. NULL: no memory.
static const char *embed(emitter *e, const char *path, const char *ending)
{
    for (size_t i = 0; i < e->embedded_count; i++) {
        if (!strcmp(e->embedded[i].path, path))
            return e->embedded[i].name;
    }
    size_t end = strlen(path);
    while (ending && end > 1 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    const bool named = begin < end && strcmp(path, ".") && strcmp(path, "..");
    const char *name =
        tac__arena_format(&e->arena, "files/%zu/%.*s", e->embedded_count + 1,
                          named ? (int)(end - begin) : 6, named ? path + begin : "folder");
    if (!name ||
        !TAC__ARENA_GROW(&e->arena, e->embedded, e->embedded_count, e->embedded_capacity) ||
        !(ending ? add_folder(e, name, path, ending) : add_file(e, name, path)))
        return NULL;
    e->embedded[e->embedded_count++] = (embedded){path, name};
    return name;
}

// Fate of a path when the configuration is stored: it stays an absolute name, or its file or folder
// travels with the configuration.
typedef enum fate_of_path { STAYS, FILE_TRAVELS, FOLDER_TRAVELS } fate_of_path;

static void move_path(emitter *e, const tac_node *node, fate_of_path fate, const char *ending)
{
    if (!node || tac_node_kind_of(node) != TAC_NODE_SCALAR || tac_node_is_null(node) ||
        !*tac_node_text(node))
        return;
    // Instances of a template share the node: it is among the last ones, then.
    for (size_t i = e->count; i > 0 && i + RECENT > e->count; i--) {
        if (e->moved[i - 1].node == node)
            return;
    }
    const char *main_file = tac_node_place(tac_document_root(e->config->doc))->file;
    const char *slash = main_file ? strrchr(main_file, '/') : NULL;
    const size_t folder = slash ? (size_t)(slash + 1 - main_file) : 0;
    const char *path = tac__path_beside(&e->arena, tac_node_place(node)->file, tac_node_text(node));
    const char *text = path && strncmp(path, main_file ? main_file : "", folder) ? path
                       : path                                                    ? path + folder
                                                                                 : NULL;
    if (e->embed && path)
        text = fate == STAYS ? absolute(e, path)
                             : embed(e, path, fate == FOLDER_TRAVELS ? ending : NULL);
    if (!text || !TAC__ARENA_GROW(&e->arena, e->moved, e->count, e->capacity)) {
        e->out.failed = true;
        return;
    }
    e->moved[e->count++] = (moved){node, text};
}

static const tac__component *declare(emitter *e, const tac_component_type *type)
{
    for (size_t i = 0; i < e->type_count; i++) {
        if (e->types[i].type == type)
            return e->types[i].instance;
    }
    tac__component *instance;
    if (tac__declare(NULL, &e->arena, type, type->name, 0, NULL, NULL, &instance, NULL) !=
        TAC_OK) { // no memory: mistakes do not count here
        e->out.failed = true;
        return NULL;
    }
    if (type->close)
        type->close(instance->self);
    if (!TAC__ARENA_GROW(&e->arena, e->types, e->type_count, e->type_capacity)) {
        e->out.failed = true;
        return NULL;
    }
    e->types[e->type_count++] = (declared){type, instance};
    return instance;
}

// Finds the parameters of a component that name files, as its type declares them.
static void move_params(emitter *e, const tac_node *component)
{
    const tac_node *params = tac_node_get(component, "params");
    const tac_node *name = tac_node_get(component, "type");
    const tac_component_type *type =
        name ? tac_registry_find(e->config->registry, tac_node_text(name)) : NULL;
    const tac__component *instance =
        type && params && tac_node_kind_of(params) == TAC_NODE_MAP ? declare(e, type) : NULL;
    for (size_t i = 0; instance && i < instance->param_count; i++) {
        static const char *const kinds[] = {"tool", "path", "folder"}; // by fate
        const tac__param *p = &instance->params[i];
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (!strcmp(p->kind, kinds[k]))
                move_path(e, tac_node_get(params, p->name), (fate_of_path)k, p->def.range);
        }
    }
}

static void move_components(emitter *e, const tac_node *owner)
{
    const tac_node *components = owner ? tac_node_get(owner, "components") : NULL;
    for (size_t i = 0; components && i < tac_node_count(components); i++)
        move_params(e, tac_node_item(components, i));
}

static void move_files(emitter *e)
{
    const tac_node *root = tac_document_root(e->config->doc);
    const tac_node *plugins = tac_node_get(root, "plugins"),
                   *entities = tac_node_get(root, "entities");
    for (size_t i = 0; plugins && i < tac_node_count(plugins); i++)
        move_path(e, tac_node_item(plugins, i), STAYS, NULL);
    const tac_node *federation = tac_node_get(root, "federation");
    const tac_node *processes = federation ? tac_node_get(federation, "processes") : NULL;
    for (size_t i = 0; processes && i < tac_node_count(processes); i++) {
        const tac_node *process = tac_node_item(processes, i);
        if (tac_node_kind_of(process) == TAC_NODE_MAP)
            move_path(e, tac_node_get(process, "config"), STAYS, NULL);
    }
    move_components(e, root);
    for (size_t i = 0; entities && i < tac_node_count(entities); i++)
        move_components(e, tac_node_item(entities, i));
}

static int by_node(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const moved *)a)->node,
                    y = (uintptr_t)((const moved *)b)->node;
    return (x > y) - (x < y);
}

// Of files that were sorted by node.
static const char *text_of(const emitter *e, const tac_node *scalar)
{
    const moved key = {.node = scalar};
    const moved *m = e->count ? bsearch(&key, e->moved, e->count, sizeof key, by_node) : NULL;
    return m ? m->text : tac_node_text(scalar);
}

// --- YAML ---------------------------------------------------------------------------------------

// Whether a text can be written without quotes and read back as the same text. Strict, because
// quotes do no harm.
static bool is_plain(const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_./+-*^()% ";
    const size_t length = strlen(text);
    if (length == 0 || strspn(text, safe) != length || text[length - 1] == ' ')
        return false;
    // A number may begin with a sign; "- x" would be an item of a list.
    return !strchr("*% -", text[0]) || (text[0] == '-' && strspn(text + 1, ".0123456789"));
}

// Characters that YAML takes for line breaks, or takes only as escapes: C1 controls, U+2028 and
// U+2029, U+FEFF and the like. Returns the length of the one at `c`, 0 for all others.
static size_t special(const char *c, unsigned *code)
{
    const unsigned char *u = (const unsigned char *)c;
    if (u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0) {
        *code = u[1];
        return 2;
    }
    if (u[0] != 0xe2 && u[0] != 0xef)
        return 0;
    if ((u[1] & 0xc0) != 0x80 || (u[2] & 0xc0) != 0x80)
        return 0;
    *code = (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
    const bool odd = *code == 0x2028 || *code == 0x2029 || *code == 0xfeff || *code >= 0xfffe;
    return odd ? 3 : 0;
}

// Variables are expanded again when values are read, but not in keys: so values escape "${".
static void emit_text(tac__text *out, const char *text, bool quoted, bool value)
{
    if (!quoted && is_plain(text)) {
        tac__text_add(out, "%s", text);
        return;
    }
    tac__text_bytes(out, "\"", 1);
    for (const char *c = text; *c; c++) {
        const unsigned char u = (unsigned char)*c;
        unsigned code;
        const size_t n = special(c, &code);
        if (n) {
            tac__text_add(out, "\\u%04x", code);
            c += n - 1;
            continue;
        }
        if (u == '"' || u == '\\')
            tac__text_add(out, "\\%c", u);
        else if (u == '\n')
            tac__text_bytes(out, "\\n", 2);
        else if (u < 0x20 || u == 0x7f)
            tac__text_add(out, "\\x%02x", u);
        else if (value && u == '$' && c[1] == '{')
            tac__text_bytes(out, "$$", 2);
        else
            tac__text_bytes(out, c, 1);
    }
    tac__text_bytes(out, "\"", 1);
}

static void emit_scalar(emitter *e, const tac_node *node)
{
    if (tac_node_is_null(node)) // in quotes it would be a text
        tac__text_bytes(&e->out, "~", 1);
    else
        emit_text(&e->out, text_of(e, node), tac_node_quoted(node), true);
}

// Is an item of a map left out? A recording has the same bytes for every number of lanes, which
// changes no bit of the run: so `plant.lanes` is no part of its text, nor is a `plant` without
// more.
static bool is_left_out(const emitter *e, const tac_node *map, size_t i)
{
    const char *key = tac_node_key(map, i);
    if (!e->embed || !e->plant)
        return false;
    if (map == e->plant)
        return !strcmp(key, "lanes");
    const size_t more = tac_node_count(e->plant) - (tac_node_get(e->plant, "lanes") ? 1 : 0);
    return tac_node_item(map, i) == e->plant && more == 0;
}

// Lists of scalars stand on one line.
static bool is_short_list(const tac_node *node)
{
    if (tac_node_kind_of(node) != TAC_NODE_SEQUENCE)
        return false;
    for (size_t i = 0; i < tac_node_count(node); i++) {
        if (tac_node_kind_of(tac_node_item(node, i)) != TAC_NODE_SCALAR)
            return false;
    }
    return true;
}

// A value after "key:" or "-".
static void emit(emitter *e, const tac_node *node, size_t indent)
{
    tac__text *out = &e->out;
    if (tac_node_kind_of(node) == TAC_NODE_SCALAR) {
        tac__text_bytes(out, " ", 1);
        emit_scalar(e, node);
        tac__text_bytes(out, "\n", 1);
        return;
    }
    const size_t n = tac_node_count(node);
    if (is_short_list(node)) {
        tac__text_add(out, " [");
        for (size_t i = 0; i < n; i++) {
            tac__text_add(out, "%s", i ? ", " : "");
            emit_scalar(e, tac_node_item(node, i));
        }
        tac__text_add(out, "]\n");
        return;
    }
    if (n == 0) {
        tac__text_add(out, " {}\n");
        return;
    }
    if (indent)
        tac__text_bytes(out, "\n", 1);
    const bool map = tac_node_kind_of(node) == TAC_NODE_MAP;
    for (size_t i = 0; i < n; i++) {
        if (map && is_left_out(e, node, i))
            continue;
        tac__text_repeat(out, ' ', indent);
        if (map) {
            emit_text(out, tac_node_key(node, i), false, false);
            tac__text_bytes(out, ":", 1);
        } else {
            tac__text_bytes(out, "-", 1);
        }
        emit(e, tac_node_item(node, i), indent + 2);
    }
}

static void emit_all(emitter *e)
{
    const tac_node *root = tac_document_root(e->config->doc);
    const tac_node *plant = tac_node_get(root, "plant");
    e->plant = plant && tac_node_kind_of(plant) == TAC_NODE_MAP ? plant : NULL;
    move_files(e);
    if (e->count)
        qsort(e->moved, e->count, sizeof *e->moved, by_node);
    emit(e, root, 0);
}

char *tac_config_resolved(const tac_config *config)
{
    TAC__FLOATS;
    emitter e = {.config = config};
    tac__text_init(&e.out, tac_allocator_default());
    tac__arena_init(&e.arena, tac_allocator_default());
    emit_all(&e);
    tac__arena_fini(&e.arena);
    if (e.out.failed) {
        tac__text_fini(&e.out);
        return NULL;
    }
    return e.out.chars;
}

tac_status tac__config_embed(tac_config *config, tac_recorder_def *def, tac_error *err)
{
    tac__arena *arena = tac__document_arena(config->doc);
    emitter e = {.config = config, .embed = true, .arena = *arena};
    tac__text_init(&e.out, config->allocator);
    emit_all(&e);
    *arena = e.arena;
    def->config = e.out.failed ? NULL : tac__arena_text(arena, e.out.chars ? e.out.chars : "");
    def->files = e.files;
    def->file_count = e.file_count;
    tac__text_fini(&e.out);
    return def->config ? TAC_OK : tac__fail_memory(err);
}

tac_status tac_config_files(tac_config *c, const char *const **paths, size_t *count, tac_error *err)
{
    TAC_REQUIRE(c && paths && count);
    emitter e = {.config = c, .embed = true};
    tac__text_init(&e.out, c->allocator);
    tac__arena_init(&e.arena, c->allocator);
    move_files(&e);
    const size_t most = 1 + c->extended_count + e.count;
    const char **all = tac__arena_array(&c->arena, most, sizeof *all);
    size_t n = 0;
    if (all && tac_node_place(tac_document_root(c->doc))->file)
        all[n++] = tac_node_place(tac_document_root(c->doc))->file;
    for (size_t i = 0; all && i < c->extended_count; i++)
        all[n++] = c->extended[i];
    for (size_t i = 0; all && i < e.count; i++) {
        const tac_node *node = e.moved[i].node;
        all[n] = tac__path_beside(&c->arena, tac_node_place(node)->file, tac_node_text(node));
        e.out.failed |= !all[n++];
    }
    const bool failed = !all || e.out.failed;
    tac__arena_fini(&e.arena);
    *paths = all;
    *count = n;
    return failed ? tac__fail_memory(err) : TAC_OK;
}
