// equations.c - fuzzes the component type `equations`: every line of the input is an equation of
// one component with inputs, a parameter, states and outputs of all kinds. Either an error comes
// out, or a component that gives the same bits whatever the order of the lines.
#include "model/builtin.h"

#include <stdlib.h>
#include <string.h>
#include <tactus/tactus.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES = 64, SIZE = 4096 };

static void must(bool condition)
{
    if (!condition)
        abort();
}

static tac_node *add_map(tac_document *doc, tac_node *params, const char *key)
{
    tac_node *map = tac_node_map(doc, NULL);
    must(map && tac_node_set(doc, params, key, NULL, map) == TAC_OK);
    return map;
}

static void set(tac_document *doc, tac_node *map, const char *key, const char *text)
{
    must(tac_node_set_text(doc, map, key, text) == TAC_OK);
}

static void add_input(tac_document *doc, tac_node *inputs, const char *name, const char *type,
                      const char *unit)
{
    tac_node *input = add_map(doc, inputs, name);
    set(doc, input, "type", type);
    set(doc, input, "unit", unit);
    set(doc, input, "optional", "true");
}

// Some of what the component needs is there already.
static tac_node *make_params(tac_document *doc, char *const *lines, size_t count, bool backwards)
{
    static const char *const always[] = {"unused = k", "der(q.x) = 0", "der(q.y) = 0",
                                         "der(q.z) = 0"};
    tac_node *params = tac_node_map(doc, NULL), *list = tac_node_sequence(doc, NULL);
    must(params && list);
    tac_node *inputs = add_map(doc, params, "inputs");
    add_input(doc, inputs, "u", "f64", "m");
    add_input(doc, inputs, "w", "vec3", "m/s");
    add_input(doc, inputs, "b", "bool", "1");
    set(doc, add_map(doc, params, "parameters"), "k", "2 1/s");
    tac_node *states = add_map(doc, params, "states"), *outputs = add_map(doc, params, "outputs");
    set(doc, states, "x", "m");
    set(doc, states, "q", "quat");
    set(doc, outputs, "y", "km");
    set(doc, outputs, "z", "bool");
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        must(tac_node_append(doc, list, tac_node_scalar(doc, always[i], NULL)) == TAC_OK);
    for (size_t i = 0; i < count; i++) {
        const char *line = lines[backwards ? count - 1 - i : i];
        must(tac_node_append(doc, list, tac_node_scalar(doc, line, NULL)) == TAC_OK);
    }
    must(tac_node_set(doc, params, "equations", NULL, list) == TAC_OK);
    return params;
}

// The hash of a short run; 0 where something is refused or fails.
static uint64_t run(char *const *lines, size_t count, bool backwards)
{
    tac_document *doc = tac_document_create(NULL);
    tac_engine_def def = tac_engine_def_default();
    tac_component_def component = tac_component_def_default();
    tac_engine *engine = NULL;
    tac_error err;
    tac_error_clear(&err);
    def.end_us = 2000;
    must(doc && tac_engine_create(&def, &engine, &err) == TAC_OK);
    component.name = "c";
    component.type = &tac__equations_type;
    component.params = make_params(doc, lines, count, backwards);
    tac_status status = tac_engine_add_component(engine, &component, &err);
    if (status == TAC_OK)
        status = tac_engine_prepare(engine, &err);
    if (status == TAC_OK)
        status = tac_engine_run(engine, TAC_TIME_NEVER, &err);
    must(status == TAC_OK || (err.status == status && err.text[0]));
    const uint64_t hash = status == TAC_OK ? tac_engine_hash(engine, NULL, NULL) : 0;
    tac_engine_destroy(engine);
    tac_document_destroy(doc);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[SIZE + 1];
    char *lines[LINES];
    size_t count = 0;
    if (size > SIZE || memchr(data, 0, size))
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = text; line && count < LINES; count++) {
        lines[count] = line;
        line = strchr(line, '\n');
        if (line)
            *line++ = '\0';
    }
    must(run(lines, count, false) == run(lines, count, true));
    return 0;
}
