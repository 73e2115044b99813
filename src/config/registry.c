// registry.c - component types by name, and the plugins they come from.
#include "autopilot/types.h"
#include "base/arena.h"
#include "base/def.h"
#include "base/error.h"
#include "base/floats.h"
#include "engine/phases/phases.h"
#include "engine/plan/guard.h"
#include "model/builtin.h"
#include "scenario/types.h"
#include <tactus/config.h>
#include <tactus/plugin.h>

#include <dlfcn.h>
#include <string.h>

typedef struct plugin {
    const char *path;
    void *handle;
} plugin;

struct tac_registry {
    const tac_allocator *allocator;
    tac__arena arena;
    const tac_component_type **types;
    size_t count;
    TAC__CAPACITY(const tac_component_type *) capacity;
    plugin *plugins;
    size_t plugin_count;
    TAC__CAPACITY(plugin) plugin_capacity;
};

// A type that has all fields of this library.
static tac_status add(tac_registry *r, const tac_component_type *type, tac_error *err)
{
    if (tac_registry_find(r, type->name))
        return tac__fail(err, TAC_E_DUPLICATE, "component type '%s' exists already", type->name);
    if (!TAC__ARENA_GROW(&r->arena, r->types, r->count, r->capacity))
        return tac__fail_memory(err);
    r->types[r->count++] = type;
    return TAC_OK;
}

static tac_status add_all(tac_registry *r, const tac_component_type *const *types, tac_error *err)
{
    for (size_t i = 0; types[i]; i++)
        TAC_TRY(add(r, types[i], err));
    return TAC_OK;
}

static tac_status add_builtin(tac_registry *r, tac_error *err)
{
    TAC_TRY(add_all(r, tac__builtin_types, err));
    TAC_TRY(add(r, &tac__phases_type, err));
    TAC_TRY(add_all(r, tac__scenario_types, err));
    return add_all(r, tac__autopilot_types, err);
}

tac_status tac_registry_create(const tac_allocator *allocator, tac_registry **registry,
                               tac_error *err)
{
    TAC_REQUIRE(registry);
    *registry = NULL;
    allocator = allocator ? allocator : tac_allocator_default();
    tac_registry *r = allocator->resize(allocator->context, NULL, 0, sizeof *r);
    if (!r)
        return tac__fail_memory(err);
    *r = (tac_registry){.allocator = allocator};
    tac__arena_init(&r->arena, allocator);
    const tac_status status = add_builtin(r, err);
    if (status != TAC_OK) {
        tac_registry_destroy(r);
        return status;
    }
    *registry = r;
    return TAC_OK;
}

void tac_registry_destroy(tac_registry *r)
{
    TAC__FLOATS;
    if (!r)
        return;
    for (size_t i = r->plugin_count; i-- > 0;)
        dlclose(r->plugins[i].handle);
    tac__arena_fini(&r->arena);
    r->allocator->resize(r->allocator->context, r, sizeof *r, 0);
}

tac_status tac_registry_add(tac_registry *r, const tac_component_type *type, tac_error *err)
{
    TAC_REQUIRE(r && type);
    tac_component_type *own = tac__arena_alloc(&r->arena, sizeof *own);
    if (!own)
        return tac__fail_memory(err);
    const tac_status status = tac__type_take(type, own, err);
    TAC_REQUIRE(status != TAC_OK || own->name);
    return status == TAC_OK || (own->name && tac_registry_find(r, own->name)) ? add(r, own, err)
                                                                              : status;
}

size_t tac_registry_count(const tac_registry *r)
{
    return r->count;
}

const tac_component_type *tac_registry_type(const tac_registry *r, size_t i)
{
    return i < r->count ? r->types[i] : NULL;
}

const tac_component_type *tac_registry_find(const tac_registry *r, const char *name)
{
    for (size_t i = 0; r && name && i < r->count; i++) {
        if (!strcmp(r->types[i]->name, name))
            return r->types[i];
    }
    return NULL;
}

// --- plugins ------------------------------------------------------------------------------------

// Refuses a plugin whose compiler flags would give other bits, on this machine or on another.
static tac_status check_arithmetic(const char *path, uint32_t found, tac_error *err)
{
    static const struct {
        uint32_t bit;
        const char *what, *flag;
    } faults[] = {
        {TAC_ARITHMETIC_FUSED, "a * b + c is rounded once", "-ffp-contract=off"},
        {TAC_ARITHMETIC_REORDERED, "sums are reordered", "-fno-associative-math"},
        {TAC_ARITHMETIC_RECIPROCAL, "divisions become products", "-fno-reciprocal-math"},
        {TAC_ARITHMETIC_FINITE, "there is no NaN", "-fno-finite-math-only"},
        {TAC_ARITHMETIC_ZEROS, "-0 is 0", "-fsigned-zeros"},
        {TAC_ARITHMETIC_EXCESS, "numbers have more than 53 bits", "-mfpmath=sse"},
        {TAC_ARITHMETIC_SINGLE, "constants are of single precision",
         "-fno-single-precision-constant"},
        {TAC_ARITHMETIC_FAST, "-ffast-math was given", "-fno-fast-math"},
    };
    enum { COUNT = sizeof faults / sizeof *faults };
    if (!found)
        return TAC_OK;
    tac__fail(err, TAC_E_ABI, "plugin '%s' was compiled so that", path);
    const char *before = " ";
    for (size_t i = 0; i < COUNT; i++) {
        if (!(found & faults[i].bit))
            continue;
        tac__error_append(err, "%s%s", before, faults[i].what);
        before = ", ";
    }
    tac__error_append(err, ": its results would not be the same everywhere; build it with");
    for (size_t i = 0; i < COUNT; i++) {
        if (found & faults[i].bit)
            tac__error_append(err, " %s", faults[i].flag);
    }
    return TAC_E_ABI;
}

// Compares what the plugin was built against with this library.
static tac_status check_plugin(const char *path, const tac_plugin *given, tac_plugin *p,
                               tac_error *err)
{
    if (!given)
        return tac__fail(err, TAC_E_ABI, "plugin '%s' hands over nothing", path);
    if (given->abi != TAC_ABI_VERSION)
        return tac__fail(err, TAC_E_ABI,
                         "plugin '%s' has ABI version %u, this library has %u: "
                         "build it again",
                         path, given->abi, TAC_ABI_VERSION);
    TAC_TRY(tac__def_copy("tac_plugin", p, sizeof *p, given, given->size, err));
    // What is passed to the plugin can only be shorter than what the plugin reads where it was
    // built against newer headers.
    const struct {
        const char *name;
        uint32_t theirs;
        size_t ours;
    } passed[] = {
        {"tac_step", p->step_size, sizeof(tac_step)},
        {"tac_eval", p->eval_size, sizeof(tac_eval)},
    };
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
        if (passed[i].theirs > passed[i].ours)
            return tac__fail(
                err, TAC_E_ABI,
                "plugin '%s' was built for a newer Tactus: its %s has %u bytes, this "
                "library's %zu; update Tactus, or build the plugin against its headers",
                path, passed[i].name, passed[i].theirs, passed[i].ours);
    }
    if (!p->arithmetic)
        return tac__fail(err, TAC_E_ABI, "plugin '%s' was built without TAC_PLUGIN", path);
    return check_arithmetic(path, p->arithmetic(), err);
}

tac_status tac_registry_load(tac_registry *r, const char *path, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(r && path);
    for (size_t i = 0; i < r->plugin_count; i++) {
        if (!strcmp(r->plugins[i].path, path))
            return TAC_OK;
    }
    char *copy = tac__arena_text(&r->arena, path);
    if (!copy || !TAC__ARENA_GROW(&r->arena, r->plugins, r->plugin_count, r->plugin_capacity))
        return tac__fail_memory(err);
    // A bare file name would be searched for in the system's folders.
    const char *file = strchr(path, '/') ? path : tac__arena_format(&r->arena, "./%s", path);
    if (!file)
        return tac__fail_memory(err);
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    (void)tac__floats_kept(); // a plugin linked with -ffast-math has just set flush-to-zero
    if (!handle)
        return tac__fail(err, TAC_E_FILE, "cannot load plugin '%s': %s", path, dlerror());
    tac_plugin_entry_fn *entry;
    *(void **)(&entry) = dlsym(handle, TAC_PLUGIN_ENTRY);
    tac_status status = TAC_OK;
    const size_t before = r->count;
    if (!entry) {
        status = tac__fail(err, TAC_E_ABI, "'%s' is not a Tactus plugin: it has no %s", path,
                           TAC_PLUGIN_ENTRY);
    } else {
        tac_plugin p;
        status = check_plugin(path, entry(), &p, err);
        for (size_t i = 0; status == TAC_OK && i < p.type_count; i++)
            status = tac_registry_add(r, p.types[i], err);
        if (status == TAC_E_CALLER)
            status =
                tac__fail(err, TAC_E_ABI, "plugin '%s' has a component type without a name", path);
        if (status != TAC_OK)
            tac__error_context(err, "loading plugin '%s'", path);
    }
    if (status != TAC_OK) {
        r->count = before;
        dlclose(handle);
        return status;
    }
    r->plugins[r->plugin_count++] = (plugin){copy, handle};
    return TAC_OK;
}
