// yaml.c - fuzzes the way from text to a tree: YAML, extends, --set, variables, then the spec's
// reading of scalars. Whatever comes in, one printable error or a tree within its limits comes out.
//
// A first line "#set PATH=VALUE" is taken as an argument. Every file that is extended has the same
// text, so that chains and cycles are found.
#include "base/node.h"
#include "config/document.h"
#include "config/spec.h"
#include "config/yaml.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static tac_status read_again(void *context, tac_document *doc, const char *path, unsigned depth,
                             tac_node **root, tac_error *err)
{
    tac__yaml_source source = *(const tac__yaml_source *)context;
    source.name = path;
    source.depth = depth;
    return tac__yaml_read_text(doc, &source, root, err);
}

static const char *look_up(void *context, const char *name)
{
    (void)context;
    return name[0] == 'A' ? "value ${A} of 5 ms" : NULL;
}

// Every scalar as every kind, and every path.
static void read_all(const tac_node *node)
{
    tac_error err;
    double x;
    int64_t i;
    tac_time t_us;
    bool b;
    char path[64];
    tac__node_path(node, path, sizeof path);
    if (tac__read_number(node, &x, &err) == TAC_OK && x - x != 0.0)
        abort();
    if ((int)tac__read_int(node, &i, &err) + (int)tac__read_bool(node, &b, &err) == 0)
        abort();
    if (tac__read_period(node, &t_us, &err) == TAC_OK && t_us == 0)
        abort();
    for (size_t k = 0; k < tac_node_count(node); k++)
        read_all(tac_node_item(node, k));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char set[256];
    const char *bytes = (const char *)data, *sets[] = {set};
    const char *end = size > 5 && memcmp(bytes, "#set ", 5) == 0 ? memchr(bytes, '\n', size) : NULL;
    const size_t length = end ? (size_t)(end - bytes) - 5 : 0;
    const bool has_set = end && length < sizeof set;
    if (has_set) {
        memcpy(set, bytes + 5, length);
        set[length] = '\0';
    }
    tac__yaml_source source = {.name = "fuzz", .bytes = bytes, .length = size};
    const tac__load_def def = {
        .sets = sets,
        .set_count = has_set,
        .extends = {.read = read_again, .context = &source, .variables = {.lookup = look_up}}};
    tac_error err;
    tac_error_clear(&err);
    tac_document *doc = NULL;
    tac_status status = tac__document_parse("fuzz", bytes ? bytes : "", size, &def, &doc, &err);
    if (status == TAC_OK)
        status = tac__expand(doc, tac_document_root(doc), &def.extends.variables, &err);
    if (status == TAC_OK) {
        const tac__node_extent extent = tac__node_measure(tac_document_root(doc));
        if (extent.depth > TAC__YAML_DEPTH || extent.nodes > TAC__YAML_NODES)
            abort();
        read_all(tac_document_root(doc));
    } else {
        char text[8192];
        if (tac_error_print(&err, text, sizeof text) == 0 || err.status != status || !err.line)
            abort();
    }
    tac_document_destroy(doc);
    return 0;
}
