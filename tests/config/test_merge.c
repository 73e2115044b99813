// Putting a configuration together: extends, --set, variables, and all of it with little memory.
#include "support/allocator.h"
#include "support/test.h"

#include "base/error.h"
#include "base/node.h"
#include "base/text.h"
#include "config/document.h"
#include "config/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- files and variables that exist only here -----------------------------------------------

typedef struct file {
    const char *name, *text;
} file;

static const file *files;
static tac_document *doc;
static tac_error err;

static tac_status read_file(void *context, tac_document *into, const char *path, unsigned depth,
                            tac_node **root, tac_error *e)
{
    for (const file *f = context; f->name; f++) {
        if (strcmp(f->name, path) == 0) {
            const tac__yaml_source source = {
                .name = path, .bytes = f->text, .length = strlen(f->text), .depth = depth};
            return tac__yaml_read_text(into, &source, root, e);
        }
    }
    return tac__fail(e, TAC_E_FILE, "no file '%s'", path);
}

static const char *look_up(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "RATE") == 0    ? "250"
           : strcmp(name, "DIR") == 0   ? "vehicles"
           : strcmp(name, "EMPTY") == 0 ? ""
                                        : NULL;
}

static tac_status load_with(const tac_allocator *allocator, const char *const *sets, size_t count)
{
    const tac__load_def def = {.allocator = allocator,
                               .sets = sets,
                               .set_count = count,
                               .extends = {.read = read_file,
                                           .context = (void *)(uintptr_t)files,
                                           .variables = {.lookup = look_up}}};
    tac_document_destroy(doc);
    tac_error_clear(&err);
    return tac__document_load("main.yaml", &def, &doc, &err);
}

#define LOAD(...)                                                                                  \
    load_with(NULL, (const char *const[]){NULL, __VA_ARGS__} + 1,                                  \
              sizeof((const char *const[]){NULL, __VA_ARGS__}) / sizeof(char *) - 1)

static int tear_down(void **state)
{
    (void)state;
    tac_document_destroy(doc);
    doc = NULL;
    return 0;
}

// --- a tree as one line of text, for comparison ---------------------------------------------

static void write_node(tac__text *out, const tac_node *node)
{
    const bool map = tac_node_kind_of(node) == TAC_NODE_MAP;
    if (tac_node_kind_of(node) == TAC_NODE_SCALAR) {
        tac__text_add(out, tac_node_quoted(node) ? "'%s'" : "%s", tac_node_text(node));
        return;
    }
    tac__text_add(out, map ? "{" : "[");
    for (size_t i = 0; i < tac_node_count(node); i++) {
        tac__text_add(out, "%s", i ? ", " : "");
        if (map)
            tac__text_add(out, "%s: ", tac_node_key(node, i));
        write_node(out, tac_node_item(node, i));
    }
    tac__text_add(out, map ? "}" : "]");
}

static void same(const char *expected)
{
    tac__text out;
    tac__text_init(&out, tac_allocator_default());
    write_node(&out, tac_document_root(doc));
    assert_string_equal(out.chars, expected);
    tac__text_fini(&out);
}

static void good(tac_status status)
{
    if (status != TAC_OK)
        fail_msg("%s:%u:%u: %s", err.file, err.line, err.column, err.text);
}

static void bad(tac_status status, tac_status expected, const char *lines)
{
    static char text[8192];
    tac_error_print(&err, text, sizeof text);
    assert_string_equal(text, lines);
    assert_int_equal(status, expected);
}

// --- extends --------------------------------------------------------------------------------

static void test_deep_merge(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "extends: base.yaml\n"
                                         "list: [9]\n"
                                         "map: {b: 20, c: {e: 5}}\n"
                                         "scalar: {now: a map}\n"
                                         "gone: ~\n"
                                         "new: {x: 1, y: ~}\n"},
                           {"base.yaml", "kept: 1\n"
                                         "list: [1, 2, 3]\n"
                                         "map: {a: 1, b: 2, c: {d: 4}}\n"
                                         "scalar: 7\n"
                                         "gone: {a: 1}\n"},
                           {0}};
    good(LOAD());
    same("{kept: 1, list: [9], map: {a: 1, b: 20, c: {d: 4, e: 5}}, scalar: {now: a map}, "
         "new: {x: 1}}");
    // Everything keeps its place.
    const tac_node *map = tac_node_get(tac_document_root(doc), "map");
    assert_string_equal(tac_node_place(tac_node_get(map, "a"))->file, "base.yaml");
    assert_int_equal(tac_node_place(tac_node_get(map, "a"))->line, 3);
    assert_string_equal(tac_node_place(tac_node_get(map, "b"))->file, "main.yaml");
    assert_string_equal(tac_node_place(map)->file, "main.yaml"); // the last to say something
    char path[64];
    tac__node_path(tac_node_get(tac_node_get(map, "c"), "d"), path, sizeof path);
    assert_string_equal(path, "map.c.d");
}

static void test_chain_and_list(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "extends: [a.yaml, b.yaml]\nz: main\n"},
                           {"a.yaml", "extends: root.yaml\nx: a\ny: a\n"},
                           {"b.yaml", "extends: root.yaml\ny: b\n"},
                           {"root.yaml", "{x: root, y: root, z: root, w: root}"},
                           {0}};
    good(LOAD());
    // b.yaml brings all of root.yaml over a.yaml: later files win, whole.
    same("{x: root, y: b, z: main, w: root}");
}

static void test_inside_any_map(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "extends: site.yaml\n"
                                         "entities:\n"
                                         "  uav: {extends: vehicles/iris.yaml, mass: 2}\n"
                                         "list:\n"
                                         "  - {extends: vehicles/iris.yaml}\n"},
                           {"site.yaml", "entities: {uav: {colour: red, mass: 9, arms: 9}}"},
                           {"vehicles/iris.yaml", "extends: common/quad.yaml\nmass: 1.5\n"},
                           {"vehicles/common/quad.yaml", "{mass: 1, arms: 4}"},
                           {0}};
    good(LOAD());
    // What a map says itself or through its own `extends` wins over what comes from further out.
    same("{entities: {uav: {colour: red, mass: 2, arms: 4}}, list: [{mass: 1.5, arms: 4}]}");
}

static void test_extends_names(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "a: {extends: '${DIR}/x.yaml'}\n"
                                         "b: {extends: ./vehicles/./x.yaml}\n"
                                         "c: {extends: []}\n"
                                         "d: {extends: ~, k: 1}\n"},
                           {"vehicles/x.yaml", "extends: ./y.yaml"},
                           {"./vehicles/./x.yaml", "v: 2"},
                           {"vehicles/y.yaml", "v: 1"},
                           {0}};
    good(LOAD());
    same("{a: {v: 1}, b: {v: 2}, c: {}, d: {k: 1}}");
}

static void test_cycles(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "extends: a.yaml\n"},
                           {"a.yaml", "deep:\n  inside: {extends: b.yaml}\n"},
                           {"b.yaml", "# two\nextends: [c.yaml, a.yaml]\n"},
                           {"c.yaml", "x: 1"},
                           {0}};
    bad(LOAD(), TAC_E_CYCLE,
        "b.yaml:2:19: error: 'a.yaml' extends itself: main.yaml -> a.yaml -> b.yaml -> a.yaml\n"
        "     2 | extends: [c.yaml, a.yaml]\n"
        "       |                   ^\n");
    files = (const file[]){{"main.yaml", "extends: main.yaml\n"}, {0}};
    bad(LOAD(), TAC_E_CYCLE,
        "main.yaml:1:10: error: 'main.yaml' extends itself: main.yaml -> main.yaml\n"
        "     1 | extends: main.yaml\n"
        "       |          ^\n");
}

static void test_bad_extends(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "a: 1\nextends: {x: 1}\n"}, {0}};
    bad(LOAD(), TAC_E_TYPE,
        "main.yaml:2:10: error: 'extends' expects the name of a file or a list of names\n"
        "     2 | extends: {x: 1}\n"
        "       |          ^\n");
    files = (const file[]){{"main.yaml", "extends: [x, [y]]\n"}, {"x", "a: 1"}, {0}};
    bad(LOAD(), TAC_E_TYPE,
        "main.yaml:1:14: error: 'extends' expects the name of a file or a list of names\n"
        "     1 | extends: [x, [y]]\n"
        "       |              ^\n");
    files = (const file[]){{"main.yaml", "extends: none.yaml\n"}, {0}};
    bad(LOAD(), TAC_E_FILE,
        "main.yaml:1:10: error: no file 'none.yaml'\n"
        "     1 | extends: none.yaml\n"
        "       |          ^\n");
    files = (const file[]){{"main.yaml", "extends: list.yaml\n"}, {"list.yaml", "[1]"}, {0}};
    bad(LOAD(), TAC_E_TYPE,
        "list.yaml:1:1: error: a file that is extended must hold a map\n"
        "     1 | [1]\n"
        "       | ^\n"
        "  while reading 'list.yaml', extended at main.yaml:1:10\n");
    files = (const file[]){{"main.yaml", "extends: a.yaml\n"},
                           {"a.yaml", "x:\n  extends: b.yaml"},
                           {"b.yaml", "["},
                           {0}};
    bad(LOAD(), TAC_E_SYNTAX,
        "b.yaml:1:2: error: the text ends too early: did not find expected node content\n"
        "     1 | [\n"
        "       |  ^\n"
        "  while reading 'b.yaml', extended at a.yaml:2:12\n"
        "  while reading 'a.yaml', extended at main.yaml:1:10\n");
    files = (const file[]){{"main.yaml", "[1, 2]"}, {0}};
    bad(LOAD(), TAC_E_TYPE,
        "main.yaml:1:1: error: a configuration is a map of keys and values\n"
        "     1 | [1, 2]\n"
        "       | ^\n");
}

// Every name is a file that extends another one.
static tac_status read_endless(void *context, tac_document *into, const char *path, unsigned depth,
                               tac_node **root, tac_error *e)
{
    char text[256];
    snprintf(text, sizeof text, (const char *)context, path);
    const tac__yaml_source source = {
        .name = path, .bytes = text, .length = strlen(text), .depth = depth};
    return tac__yaml_read_text(into, &source, root, e);
}

static tac_status load_endless(const char *format)
{
    tac__load_def def = {.extends = {.read = read_endless, .context = (void *)(uintptr_t)format}};
    return tac__document_load("a", &def, &doc, &err);
}

static void test_endless(void **state)
{
    (void)state;
    assert_int_equal(load_endless("extends: x%s"), TAC_E_LIMIT);
    assert_string_equal(err.text, "more than 16 files extend each other in a row");
    // 8 + 64 + 512 + 4096 files, none of them a cycle.
    files = (const file[]){{"main.yaml", "extends: [a, a, a, a, a, a, a, a]\n"},
                           {"a", "extends: [b, b, b, b, b, b, b, b]\n"},
                           {"b", "extends: [c, c, c, c, c, c, c, c]\n"},
                           {"c", "extends: [d, d, d, d, d, d, d, d]\n"},
                           {"d", "k: 1"},
                           {0}};
    assert_int_equal(LOAD(), TAC_E_LIMIT);
    assert_string_equal(err.text, "more than 4096 files are extended");
    // Maps of files inside maps of files: the depth of the whole counts.
    assert_int_equal(load_endless("{a: {b: {c: {d: {e: {extends: x%s}}}}}}"), TAC_E_LIMIT);
    assert_string_equal(err.text, "nested deeper than 64 levels");
}

static void test_real_files(void **state)
{
    (void)state;
    char dir[] = "/tmp/tactus_merge_XXXXXX", path[256], inner[256], link[256];
    assert_non_null(mkdtemp(dir));
    snprintf(inner, sizeof inner, "%s/sub", dir);
    assert_int_equal(mkdir(inner, 0700), 0);
    snprintf(path, sizeof path, "%s/main.yaml", dir);
    snprintf(inner, sizeof inner, "%s/sub/base.yaml", dir);
    snprintf(link, sizeof link, "%s/again.yaml", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("extends: sub/base.yaml\nb: 2\n", f);
    fclose(f);
    f = fopen(inner, "w");
    assert_non_null(f);
    fputs("a: 1\n", f);
    fclose(f);

    const tac__load_def def = tac__load_def_default();
    good(tac__document_load(path, &def, &doc, &err));
    same("{a: 1, b: 2}");
    tac_document_destroy(doc);

    // A cycle through another name of the same file is still a cycle.
    assert_int_equal(symlink(path, link), 0);
    f = fopen(inner, "w");
    assert_non_null(f);
    fputs("extends: ../sub/../again.yaml\n", f);
    fclose(f);
    assert_int_equal(tac__document_load(path, &def, &doc, &err), TAC_E_CYCLE);
    assert_null(doc);
    assert_string_equal(err.file, inner);

    unlink(link);
    unlink(inner);
    unlink(path);
    snprintf(inner, sizeof inner, "%s/sub", dir);
    rmdir(inner);
    rmdir(dir);
}

// --- set ------------------------------------------------------------------------------------

static void test_set(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "extends: base.yaml\nb: {c: 1}\n"},
                           {"base.yaml", "list: [{p: 1}, {p: 2}]\nold: 1\n"},
                           {"x.yaml", "from: x\nc: 7\n"},
                           {0}};
    good(LOAD("b.c=2", "list[0].p=10", "list.1.p=20", "new.deep.key=[1, {a: b}]", "old=~",
              "none.at.all=~", "text='5'", "\"Nav.position\".gain=1.5", "list[1]={q: 3}"));
    same("{list: [{p: 10}, {q: 3}], b: {c: 2}, new: {deep: {key: [1, {a: b}]}}, text: '5', "
         "Nav.position: {gain: 1.5}}");
    // Later ones see earlier ones; a value with '=' is split at the first.
    good(LOAD("n.m=1", "n.m=a=b", "n.k=3"));
    same("{list: [{p: 1}, {p: 2}], old: 1, b: {c: 1}, n: {m: a=b, k: 3}}");
    // [+] is a new item at the end; lists that are missing are made.
    good(LOAD("list[+]={p: 3}", "list[+].p=4", "list[+].q[+]=5", "list[4].q[+]=6", "new[+]=1",
              "new[+]=[2]", "b.deep[+].x.y=7", "new.1[+]=3"));
    same("{list: [{p: 1}, {p: 2}, {p: 3}, {p: 4}, {q: [5, 6]}], old: 1, b: {c: 1, deep: [{x: {y: "
         "7}}]}, new: [1, [2, 3]]}");
    // What is set may extend as well.
    good(LOAD("b.extends[+]=x.yaml", "b.extends[+]=x.yaml"));
    same("{list: [{p: 1}, {p: 2}], old: 1, b: {from: x, c: 1}}");
    good(LOAD("b.extends=x.yaml"));
    same("{list: [{p: 1}, {p: 2}], old: 1, b: {from: x, c: 1}}");
    const tac_node *root = tac_document_root(doc);
    assert_int_equal(tac_node_place(tac_node_get(tac_node_get(root, "b"), "from"))->line, 1);
}

static void test_set_places(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "a: 1"}, {0}};
    good(LOAD("é.b=[1, 2]"));
    const tac_node *e = tac_node_get(tac_document_root(doc), "é"), *b = tac_node_get(e, "b");
    assert_string_equal(tac_node_place(b)->file, "--set");
    assert_int_equal(tac_node_key_place(e, 0)->column, 3);
    assert_int_equal(tac_node_place(tac_node_item(b, 1))->column, 9);
    assert_string_equal(tac_node_place(b)->excerpt, "é.b=[1, 2]");
}

static void test_bad_sets(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "s: text\nm: {a: 1}\nl: [1, 2]\n"}, {0}};
    static const struct {
        const char *argument;
        tac_status status;
        unsigned column;
        const char *text;
    } cases[] = {
        {"m.a", TAC_E_USAGE, 4, "expected path=value"},
        {"", TAC_E_USAGE, 1, "expected a key"},
        {"=1", TAC_E_USAGE, 1, "expected a key"},
        {"m..a=1", TAC_E_USAGE, 3, "expected a key"},
        {"m.=1", TAC_E_USAGE, 3, "expected a key"},
        {"m.a=", TAC_E_USAGE, 5, "no value; write '' for an empty text, ~ to remove the key"},
        {"m.a=  ", TAC_E_USAGE, 5, "no value; write '' for an empty text, ~ to remove the key"},
        {"l[0=1", TAC_E_USAGE, 2, "the bracket is not closed"},
        {"l[]=1", TAC_E_USAGE, 3, "expected a position in a list"},
        {"l[x]=1", TAC_E_USAGE, 3,
         "a position in a list is a number, or + for a new item at the end"},
        {"l[+1]=1", TAC_E_USAGE, 3,
         "a position in a list is a number, or + for a new item at the end"},
        {"l[+]=~", TAC_E_USAGE, 3, "there is nothing to append: the value is ~"},
        {"none[+].a=~", TAC_E_USAGE, 6, "there is nothing to append: the value is ~"},
        {"l[+]=", TAC_E_USAGE, 6, "no value; write '' for an empty text, ~ to remove the key"},
        {"l+=1", TAC_E_USAGE, 2, "to append to the list 'l', write l[+]=value"},
        {"l.+=1", TAC_E_USAGE, 3, "a list of 2 stands here: expected a position, not '+'"},
        {"m[+]=1", TAC_E_TYPE, 3, "a map stands here, not a list"},
        {"s[+]=1", TAC_E_TYPE, 3, "a plain value stands here, not a list"},
        {"l[-1]=1", TAC_E_USAGE, 3,
         "a position in a list is a number, or + for a new item at the end"},
        {"l[0]x=1", TAC_E_USAGE, 5, "expected '.', '[' or '='"},
        {"\"m=1", TAC_E_USAGE, 2, "the quote is not closed"},
        {"l[2]=1", TAC_E_RANGE, 3, "no item 2 in a list of 2; the first is 0"},
        {"l[99999999999999999999]=1", TAC_E_RANGE, 3,
         "no item 99999999999999999999 in a list of 2; the first is 0"},
        {"l.a=1", TAC_E_USAGE, 3, "a list of 2 stands here: expected a position, not 'a'"},
        {"m[0]=1", TAC_E_TYPE, 3, "a map stands here, not a list"},
        {"s.a=1", TAC_E_TYPE, 3, "a plain value stands here, not a map"},
        {"s[0]=1", TAC_E_TYPE, 3, "a plain value stands here, not a list"},
        {"m.a=[1, 2", TAC_E_SYNTAX, 10,
         "the text ends too early: did not find expected ',' or ']'"},
        {"m.é={x: 1, x: 2}", TAC_E_DUPLICATE, 12, "key 'x' is used twice; first at --set:1:6"},
        {"m.a=@", TAC_E_SYNTAX, 5, "a value cannot begin with this character; put it in quotes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(LOAD(cases[i].argument), cases[i].status);
        assert_string_equal(err.text, cases[i].text);
        assert_string_equal(err.file, "--set");
        assert_string_equal(err.excerpt, cases[i].argument);
        assert_int_equal(err.line, 1);
        assert_int_equal(err.column, cases[i].column);
    }
    bad(LOAD("m.é.x=1", "s.key.x=1"), TAC_E_TYPE,
        "--set:1:3: error: a plain value stands here, not a map\n"
        "     1 | s.key.x=1\n"
        "       |   ^\n");
}

static void test_deep_set(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "a: 1"}, {0}};
    char path[300] = "k";
    for (int i = 1; i < 64; i++)
        strcat(path, ".k");
    strcat(path, "=1");
    good(LOAD(path));
    assert_int_equal(tac__node_measure(tac_document_root(doc)).depth, 64);
    path[strlen(path) - 1] = '\0';
    strcat(path, "[1]");
    assert_int_equal(LOAD(path), TAC_E_LIMIT);
    memmove(path + 2, path, strlen(path) + 1);
    memcpy(path, "k.", 2);
    assert_int_equal(LOAD(path), TAC_E_LIMIT);
    assert_string_equal(err.text, "a path has at most 64 parts");
}

// --- variables ------------------------------------------------------------------------------

static tac_status expand(const tac__variable *table, size_t count)
{
    const tac__variables variables = {.table = table, .count = count, .lookup = look_up};
    tac_error_clear(&err);
    return tac__expand(doc, tac_document_root(doc), &variables, &err);
}

static void test_variables(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "a: ${RATE}\n"
                                         "b: [\"${RATE} Hz\", '${NONE:4}', 'x${NONE:}y']\n"
                                         "c: $${RATE} $ {} $x ${RATE}${RATE:1}\n"
                                         "d: ${EMPTY}\n"
                                         "e: ${URL:http://host:80/a$b}\n"
                                         "${RATE}: key\n"},
                           {0}};
    good(LOAD());
    good(expand(NULL, 0));
    same("{a: 250, b: ['250 Hz', 4, 'xy'], c: ${RATE} $ {} $x 250250, d: , "
         "e: http://host:80/a$b, ${RATE}: key}");
    assert_true(tac_node_is_null(tac_node_get(tac_document_root(doc), "d")));
    // Once is enough: what an escape or a value left behind is not looked at again.
    good(expand((const tac__variable[]){{"RATE", "1"}}, 1));
    assert_string_equal(tac_node_text(tac_node_get(tac_document_root(doc), "c")),
                        "${RATE} $ {} $x 250250");
}

static void test_expressions(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "a: ${= RATE / 4}\n"
                                         "b: [\"${=2^10}\", '${= 1 / 3 } m', '${= RATE > 200}']\n"
                                         "c: $${= x ${= mod(-7, 5)}${=floor(2.5)}\n"
                                         "d: ${= 0.1 + 0.2}\n"},
                           {0}};
    good(LOAD());
    good(expand(NULL, 0));
    same("{a: 62.5, b: [1024, '0.3333333333333333 m', true], c: ${= x 32, "
         "d: 0.30000000000000004}");
}

static void test_bad_expressions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tac_status status;
        const char *error;
        uint32_t column;
    } cases[] = {
        {"a: 'x${= 1 + '\n", TAC_E_SYNTAX, "'${' without '}'", 6},
        {"a: ${=}\n", TAC_E_SYNTAX, "", 4},
        {"a: ${= 1 + * 2}\n", TAC_E_SYNTAX, "found '*'", 12},
        {"a: 'é ${= 2 * NONE}'\n", TAC_E_NAME, "variable 'NONE' has no value", 15},
        {"a: ${= URL}\n", TAC_E_NAME, "variable 'URL' has no value", 8},
        {"a: ${= EMPTY + 1}\n", TAC_E_TYPE, "variable 'EMPTY' is '', not a number", 8},
        {"a: ${= a.b + 1}\n", TAC_E_NAME, "variable 'a.b' has no value", 8},
        {"a: ${= 3 m}\n", TAC_E_UNIT, "'3 m' has a unit; expected a bare number", 8},
        {"a: ${= t}\n", TAC_E_UNIT, "'t' has a unit", 8},
        {"a: ${= 1/0}\n", TAC_E_RANGE, "'1/0' is no finite number", 8},
        {"a: ${= sqrt(0-RATE)}\n", TAC_E_RANGE, "is no finite number", 8},
        {"a: ${= rising(RATE > 1)}\n", TAC_E_CONFIG, "depends on what was before", 8},
        {"a: ${= RATE AND true}\n", TAC_E_TYPE, "", 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const file shown[] = {{"main.yaml", cases[i].text}, {0}};
        files = shown;
        tac_document_destroy(doc);
        doc = NULL;
        good(LOAD());
        const tac_status status = expand(NULL, 0);
        if (status != cases[i].status || !strstr(err.text, cases[i].error) ||
            err.column != cases[i].column || err.line != 1)
            fail_msg("%s: %s at %u:%u", cases[i].text, err.text, err.line, err.column);
    }
}

static void test_local_variables(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "uav: {name: 'uav${i}', rate: \"${RATE}\", raw: '$${i}'}"},
                           {0}};
    good(LOAD());
    tac_node *root = tac_document_root(doc), *list = tac_node_sequence(doc, NULL);
    for (int i = 0; i < 2; i++) {
        tac_node *copy = tac__node_copy(doc, doc, tac_node_get(root, "uav"));
        assert_non_null(copy);
        const tac__variable local[] = {{"i", i ? "1" : "0"}, {"RATE", "local"}};
        const tac__variables variables = {.table = local, .count = 2, .lookup = look_up};
        good(tac__expand(doc, copy, &variables, &err));
        // A copy of what was expanded counts as expanded.
        assert_int_equal(tac_node_append(doc, list, tac__node_copy(doc, doc, copy)), TAC_OK);
    }
    assert_true(tac__node_remove(root, "uav"));
    assert_int_equal(tac_node_set(doc, root, "all", NULL, list), TAC_OK);
    good(expand(NULL, 0));
    same("{all: [{name: 'uav0', rate: local, raw: '${i}'}, "
         "{name: 'uav1', rate: local, raw: '${i}'}]}");
}

static void test_bad_variables(void **state)
{
    (void)state;
    files = (const file[]){{"main.yaml", "a: 1\nlist: [é, 'x ${RATE} ${NONE}']\n"}, {0}};
    good(LOAD());
    bad(expand(NULL, 0), TAC_E_NAME,
        "main.yaml:2:22: error: variable 'NONE' has no value; set it, or give a default: "
        "${NONE:...}\n"
        "     2 | list: [é, 'x ${RATE} ${NONE}']\n"
        "       |                      ^\n");
    files = (const file[]){{"main.yaml", "['$${NONE}', '${NONE}']\n"}, {0}};
    tac_document_destroy(doc);
    doc = tac_document_create(NULL);
    tac_node *list = NULL;
    good(read_file((void *)(uintptr_t)files, doc, "main.yaml", 0, &list, &err));
    tac_document_set_root(doc, list);
    assert_int_equal(expand(NULL, 0), TAC_E_NAME);
    assert_int_equal(err.column, 15); // not the one in the escape
    files = (const file[]){{"main.yaml", "a: x ${RATE\n"}, {0}};
    good(LOAD());
    bad(expand(NULL, 0), TAC_E_SYNTAX,
        "main.yaml:1:6: error: '${' without '}'; write '$${' for the characters themselves\n"
        "     1 | a: x ${RATE\n"
        "       |      ^\n");
    files = (const file[]){{"main.yaml", "a: ${2x:1}\n"}, {0}};
    good(LOAD());
    bad(expand(NULL, 0), TAC_E_SYNTAX,
        "main.yaml:1:4: error: '2x' is not the name of a variable\n"
        "     1 | a: ${2x:1}\n"
        "       |    ^\n");
    files = (const file[]){{"main.yaml", "a: [1, ${RATE}]\n"}, {0}};
    bad(LOAD(), TAC_E_SYNTAX,
        "main.yaml:1:9: error: did not find expected ',' or ']'; inside [] and {} a variable needs "
        "quotes: \"${NAME}\"\n"
        "     1 | a: [1, ${RATE}]\n"
        "       |         ^\n");
    // A name that does not fit a buffer, and a name of a file that has no value.
    files = (const file[]){{"main.yaml", "extends: a${NONE}\n"}, {0}};
    bad(LOAD(), TAC_E_NAME,
        "main.yaml:1:11: error: variable 'NONE' has no value; set it, or give a default: "
        "${NONE:...}\n"
        "     1 | extends: a${NONE}\n"
        "       |           ^\n");
    char text[2000] = "a: ${", *end = text + strlen(text);
    memset(end, 'n', 1000);
    strcpy(end + 1000, "}");
    files = (const file[]){{"main.yaml", text}, {0}};
    good(LOAD());
    assert_int_equal(expand(NULL, 0), TAC_E_SYNTAX);
}

static void test_expansion_is_bounded(void **state)
{
    (void)state;
    static char value[40001];
    memset(value, 'v', sizeof value - 1);
    files = (const file[]){{"main.yaml", "a: ${v}${v}"}, {0}};
    good(LOAD());
    assert_int_equal(expand((const tac__variable[]){{"v", value}}, 1), TAC_E_LIMIT);
    assert_int_equal(err.column, 4);
}

static void test_environment(void **state)
{
    (void)state;
    assert_null(tac__lookup_environment(NULL, "TACTUS_SURELY_NOT_SET"));
    assert_string_equal(tac__lookup_environment(NULL, "PATH"), getenv("PATH"));
    // Without a function and a table nothing has a value, but defaults work.
    const tac__variables none = {0};
    files = (const file[]){{"main.yaml", "a: ${HOME:x}"}, {0}};
    good(LOAD());
    good(tac__expand(doc, tac_document_root(doc), &none, &err));
    same("{a: x}");
}

// --- memory ---------------------------------------------------------------------------------

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    for (int padding = 0; padding < 4096; padding += 16) {
        char text[8192];
        size_t n = (size_t)snprintf(text, sizeof text, "extends: [a, b]\npad: %0*d\n", padding, 0);
        for (int i = 0; i < 20; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "k%d: {x: '${RATE}', y: 2}\n", i);
        files = (const file[]){{"main.yaml", text},
                               {"a", "{k1: {z: 3}, k2: {extends: b}}"},
                               {"b", "{k3: ~, k4: [1]}"},
                               {0}};
        for (uint64_t k = 1;; k++) {
            test_allocator a = test_allocator_make();
            a.fail_at = k;
            const tac_allocator hook = test_allocator_hook(&a);
            tac_status status = load_with(
                &hook, (const char *const[]){"k5.x=[1, 2]", "new.\"q.r\".s={extends: b}"}, 2);
            if (status == TAC_OK)
                status = expand(NULL, 0);
            tac_document_destroy(doc);
            doc = NULL;
            test_allocator_check_empty(&a);
            if (status == TAC_OK) {
                assert_true(k > 3);
                break;
            }
            assert_int_equal(status, TAC_E_MEMORY);
            assert_int_equal(err.status, TAC_E_MEMORY);
        }
    }
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

TEST_MAIN(TEST(test_deep_merge), TEST(test_chain_and_list), TEST(test_inside_any_map),
          TEST(test_extends_names), TEST(test_cycles), TEST(test_bad_extends), TEST(test_endless),
          TEST(test_real_files), TEST(test_set), TEST(test_set_places), TEST(test_bad_sets),
          TEST(test_deep_set), TEST(test_variables), TEST(test_expressions),
          TEST(test_bad_expressions), TEST(test_local_variables), TEST(test_bad_variables),
          TEST(test_expansion_is_bounded), TEST(test_environment),
          TEST(test_every_allocation_may_fail))
