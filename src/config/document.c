// document.c - puts a configuration together, in the order described in document.h.
#include "config/document.h"
#include "base/error.h"
#include "config/yaml.h"

tac__load_def tac__load_def_default(void)
{
    return (tac__load_def){.extends.variables.lookup = tac__lookup_environment};
}

// From the tree as it was read to the tree with `extends` and --set applied.
static tac_status assemble(tac_document *doc, tac_node *root, const tac__load_def *def,
                           tac_error *err)
{
    if (tac_node_kind_of(root) != TAC_NODE_MAP)
        return tac__fail_at(err, TAC_E_TYPE, tac_node_place(root),
                            "a configuration is a map of keys and values");
    tac_document_set_root(doc, root);
    if (def->clean)
        def->clean(def->clean_context, root);
    TAC_TRY(tac__extends_resolve(doc, root, &def->extends, err));
    for (size_t i = 0; i < def->set_count; i++)
        TAC_TRY(tac__set(doc, def->sets[i], err));
    return def->set_count ? tac__extends_resolve(doc, root, &def->extends, err) : TAC_OK;
}

// Returns `made`, or destroys it after a failure.
static tac_status finish(tac_status status, tac_document *made, tac_document **doc)
{
    if (status != TAC_OK) {
        tac_document_destroy(made);
        made = NULL;
    }
    *doc = made;
    return status;
}

tac_status tac__document_load(const char *path, const tac__load_def *def, tac_document **doc,
                              tac_error *err)
{
    TAC_REQUIRE(path && def && doc);
    tac_document *made = tac_document_create(def->allocator);
    tac_node *root = NULL;
    tac_status status = made ? TAC_OK : tac__fail_memory(err);
    if (status == TAC_OK && def->extends.read)
        status = def->extends.read(def->extends.context, made, path, 0, &root, err);
    else if (status == TAC_OK)
        status = tac__yaml_read_file(made, path, 0, &root, err);
    if (status == TAC_OK)
        status = assemble(made, root, def, err);
    return finish(status, made, doc);
}

tac_status tac__document_parse(const char *name, const char *bytes, size_t length,
                               const tac__load_def *def, tac_document **doc, tac_error *err)
{
    TAC_REQUIRE(name && bytes && def && doc);
    tac_document *made = tac_document_create(def->allocator);
    const tac__yaml_source source = {.name = name, .bytes = bytes, .length = length};
    tac_node *root = NULL;
    tac_status status = made ? TAC_OK : tac__fail_memory(err);
    if (status == TAC_OK)
        status = tac__yaml_read_text(made, &source, &root, err);
    if (status == TAC_OK)
        status = assemble(made, root, def, err);
    return finish(status, made, doc);
}
