// Reading YAML: what is accepted, what is refused and with which words, and hostile files.
#include "support/allocator.h"
#include "support/test.h"

#include "base/error.h"
#include "base/node.h"
#include "config/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tac_document *doc;
static tac_error err;

static int set_up(void **state)
{
    (void)state;
    doc = tac_document_create(NULL);
    tac_error_clear(&err);
    return doc ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tac_document_destroy(doc);
    return 0;
}

static tac_status read_bytes(const char *bytes, size_t length, tac_node **root)
{
    // A copy without a NUL behind it, so that a sanitizer sees any step beyond the end.
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    const tac__yaml_source source = {.name = "f.yaml", .bytes = copy, .length = length};
    const tac_status status = tac__yaml_read_text(doc, &source, root, &err);
    free(copy);
    return status;
}

static const tac_node *good(const char *text)
{
    tac_node *root = NULL;
    if (read_bytes(text, strlen(text), &root) != TAC_OK)
        fail_msg("%s", err.text);
    return root;
}

// The text is refused with exactly these lines.
static void bad_bytes(const char *bytes, size_t length, tac_status status, const char *lines)
{
    static char text[8192];
    tac_node *root = NULL;
    assert_int_equal(read_bytes(bytes, length, &root), status);
    assert_int_equal(err.status, status);
    tac_error_print(&err, text, sizeof text);
    assert_string_equal(text, lines);
}

static void bad(const char *yaml, tac_status status, const char *lines)
{
    bad_bytes(yaml, strlen(yaml), status, lines);
}

static const char *text_at(const tac_node *root, const char *key)
{
    const tac_node *node = tac_node_get(root, key);
    assert_non_null(node);
    return tac_node_text(node);
}

// --- what is accepted -----------------------------------------------------------------------

static void test_tree(void **state)
{
    (void)state;
    const tac_node *root = good("a: 1\n"
                                "b:\n"
                                "  - x\n"
                                "  - {c: d, e: [f]}\n"
                                "g: |\n"
                                "  two\n"
                                "  lines\n"
                                "h:\n");
    assert_int_equal(tac_node_kind_of(root), TAC_NODE_MAP);
    assert_int_equal(tac_node_count(root), 4);
    assert_string_equal(text_at(root, "a"), "1");
    const tac_node *list = tac_node_get(root, "b");
    assert_int_equal(tac_node_kind_of(list), TAC_NODE_SEQUENCE);
    assert_string_equal(tac_node_text(tac_node_item(list, 0)), "x");
    assert_string_equal(text_at(tac_node_item(list, 1), "c"), "d");
    assert_string_equal(text_at(root, "g"), "two\nlines\n");
    assert_true(tac_node_is_null(tac_node_get(root, "h")));
}

static void test_quotes_and_tags(void **state)
{
    (void)state;
    const tac_node *root =
        good("[5, '5', \"5\", !!str 5, !!int '5', ! 5, !!map {a: b}, !!seq [c], null, 'null']");
    static const bool quoted[] = {0, 1, 1, 1, 0, 1, 0, 0, 0, 1};
    for (size_t i = 0; i < sizeof quoted; i++)
        assert_int_equal(tac_node_quoted(tac_node_item(root, i)), quoted[i]);
    assert_true(tac_node_is_null(tac_node_item(root, 8)));
    assert_false(tac_node_is_null(tac_node_item(root, 9)));
}

static void test_places(void **state)
{
    (void)state;
    // Columns count characters: 'é' and '→' are one each. The end of a line is not part of it.
    const tac_node *root = good("first: 1\r\né→: {deep: [x, y]}\r\n");
    const tac_node *list = tac_node_get(tac_node_item(root, 1), "deep");
    const tac_place *place = tac_node_place(tac_node_item(list, 1));
    assert_string_equal(place->file, "f.yaml");
    assert_int_equal(place->line, 2);
    assert_int_equal(place->column, 16);
    assert_string_equal(place->excerpt, "é→: {deep: [x, y]}");
    assert_int_equal(tac_node_key_place(root, 1)->line, 2);
    assert_int_equal(tac_node_key_place(root, 1)->column, 1);
    // Neighbours share the copy of their line.
    assert_ptr_equal(tac_node_place(list)->excerpt, place->excerpt);
}

static void test_line_ends(void **state)
{
    (void)state;
    // All that YAML counts as the end of a line: LF, CR LF, CR, NEL, LS, PS.
    const tac_node *root = good("a: 1\nb: 2\r\nc: 3\rd: 4\xC2\x85"
                                "e: 5\xE2\x80\xA8"
                                "f: 6\xE2\x80\xA9"
                                "g: 7");
    for (uint32_t i = 0; i < 7; i++) {
        const char expected[] = {(char)('a' + i), ':', ' ', (char)('1' + i), '\0'};
        assert_int_equal(tac_node_key_place(root, i)->line, i + 1);
        assert_string_equal(tac_node_key_place(root, i)->excerpt, expected);
    }
}

static void test_byte_order_mark(void **state)
{
    (void)state;
    const tac_node *root = good("\xEF\xBB\xBF"
                                "a: 1\n");
    assert_string_equal(text_at(root, "a"), "1");
    assert_int_equal(tac_node_key_place(root, 0)->column, 1);
    assert_string_equal(tac_node_key_place(root, 0)->excerpt, "a: 1");
}

static void test_aliases_are_copies(void **state)
{
    (void)state;
    const tac_node *root = good("a: &x {k: [1, 2]}\nb: *x\nc: &x 3\nd: *x\n");
    const tac_node *a = tac_node_get(root, "a"), *b = tac_node_get(root, "b");
    assert_ptr_not_equal(a, b);
    assert_int_equal(tac_node_count(tac_node_get(b, "k")), 2);
    assert_int_equal(tac_node_place(b)->line, 1); // where it was written
    assert_string_equal(text_at(root, "d"), "3");
    char path[64];
    tac__node_path(tac_node_item(tac_node_get(b, "k"), 1), path, sizeof path);
    assert_string_equal(path, "b.k[1]");
}

static void test_long_line(void **state)
{
    (void)state;
    // The copy of a long line is cut between two characters.
    char text[1024] = "k: ";
    for (size_t i = 3; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "é", 2);
    text[sizeof text - 1] = '\0';
    const tac_node *root = good(text);
    const char *excerpt = tac_node_place(root)->excerpt;
    const size_t length = strlen(excerpt);
    assert_true(length > 200 && length < TAC_ERROR_NAME);
    assert_int_equal(length % 2, 1);
    assert_memory_equal(excerpt, text, length);
}

static void test_part_of_a_line(void **state)
{
    (void)state;
    const char *text = "é=[1, 2]";
    const tac__yaml_source source = {
        .name = "--set", .bytes = text, .length = strlen(text), .start = 3, .depth = 0};
    tac_node *root = NULL;
    assert_int_equal(tac__yaml_read_text(doc, &source, &root, &err), TAC_OK);
    assert_int_equal(tac_node_place(root)->column, 3);
    assert_int_equal(tac_node_place(tac_node_item(root, 1))->column, 7);
    assert_string_equal(tac_node_place(root)->excerpt, text);
}

// --- what is refused ------------------------------------------------------------------------

static void test_duplicate_keys(void **state)
{
    (void)state;
    bad("a: 1\nb:\n  gain: 1\n  other: 2\n  gain: 3\n", TAC_E_DUPLICATE,
        "f.yaml:5:3: error: key 'gain' is used twice; first at f.yaml:3:3\n"
        "     5 |   gain: 3\n"
        "       |   ^\n");
    bad("{é: 1, é: 2}", TAC_E_DUPLICATE,
        "f.yaml:1:8: error: key 'é' is used twice; first at f.yaml:1:2\n"
        "     1 | {é: 1, é: 2}\n"
        "       |        ^\n");
}

static void test_bad_keys(void **state)
{
    (void)state;
    bad("a: 1\n<<: {b: 2}\n", TAC_E_SYNTAX,
        "f.yaml:2:1: error: merge keys ('<<') are not supported; use 'extends'\n"
        "     2 | <<: {b: 2}\n"
        "       | ^\n");
    bad("? [a, b]\n: 1\n", TAC_E_SYNTAX,
        "f.yaml:1:3: error: a key must be text, not a list\n"
        "     1 | ? [a, b]\n"
        "       |   ^\n");
    bad("{{a: 1}: 2}", TAC_E_SYNTAX,
        "f.yaml:1:2: error: a key must be text, not a map\n"
        "     1 | {{a: 1}: 2}\n"
        "       |  ^\n");
    bad("a: &x 1\n*x : 2\n", TAC_E_SYNTAX,
        "f.yaml:2:1: error: a key must be text, not an alias\n"
        "     2 | *x : 2\n"
        "       | ^\n");
    bad("&x a: 1\n", TAC_E_SYNTAX,
        "f.yaml:1:1: error: a key cannot have an anchor\n"
        "     1 | &x a: 1\n"
        "       | ^\n");
    bad("'': 1\n", TAC_E_SYNTAX,
        "f.yaml:1:1: error: a key cannot be empty\n"
        "     1 | '': 1\n"
        "       | ^\n");
}

static void test_tags(void **state)
{
    (void)state;
    bad("a: !python/object x\n", TAC_E_SYNTAX,
        "f.yaml:1:4: error: tag '!python/object' is not accepted here\n"
        "     1 | a: !python/object x\n"
        "       |    ^\n");
    bad("a: !!binary eA==\n", TAC_E_SYNTAX,
        "f.yaml:1:4: error: tag 'tag:yaml.org,2002:binary' is not accepted here\n"
        "     1 | a: !!binary eA==\n"
        "       |    ^\n");
    bad("a: !!map [x]\n", TAC_E_SYNTAX,
        "f.yaml:1:4: error: tag 'tag:yaml.org,2002:map' is not accepted here\n"
        "     1 | a: !!map [x]\n"
        "       |    ^\n");
    bad("!!r x", TAC_E_SYNTAX,
        "f.yaml:1:1: error: tag 'tag:yaml.org,2002:r' is not accepted here\n"
        "     1 | !!r x\n"
        "       | ^\n");
}

static void test_aliases(void **state)
{
    (void)state;
    bad("a: *x\n", TAC_E_NAME,
        "f.yaml:1:4: error: alias '*x' has no anchor before it\n"
        "     1 | a: *x\n"
        "       |    ^\n");
    bad("a: &x [1, *x]\n", TAC_E_NAME, // would contain itself
        "f.yaml:1:11: error: alias '*x' has no anchor before it\n"
        "     1 | a: &x [1, *x]\n"
        "       |           ^\n");
}

static void test_whole_files(void **state)
{
    (void)state;
#define NOTHING                                                                                    \
    "there is nothing in it; expected keys with values, at least 'duration: 10 s' and "            \
    "'components:' ('man tactus.yaml' has all of them, docs/tutorial.md a first simulation)"
    bad("", TAC_E_SYNTAX, "f.yaml:1:1: error: " NOTHING "\n");
    bad("# only this\n", TAC_E_SYNTAX,
        "f.yaml:1:1: error: " NOTHING "\n"
        "     1 | # only this\n"
        "       | ^\n");
    bad("a: 1\n---\nb: 2\n", TAC_E_SYNTAX,
        "f.yaml:2:1: error: a second document begins here; a file holds one\n"
        "     2 | ---\n"
        "       | ^\n");
}

static void test_truncated(void **state)
{
    (void)state;
    bad("a: 1\nb: [1,\n  2,\n\n", TAC_E_SYNTAX,
        "f.yaml:3:5: error: the text ends too early: did not find expected node content\n"
        "     3 |   2,\n"
        "       |     ^\n");
    bad("a: 1\nb: [1, 2\n", TAC_E_SYNTAX,
        "f.yaml:2:9: error: the text ends too early: did not find expected ',' or ']'\n"
        "     2 | b: [1, 2\n"
        "       |         ^\n");
    bad("a: \"no end\n", TAC_E_SYNTAX,
        "f.yaml:1:11: error: the text ends too early: found unexpected end of stream\n"
        "     1 | a: \"no end\n"
        "       |           ^\n");
    bad("a: {b: 1", TAC_E_SYNTAX,
        "f.yaml:1:9: error: the text ends too early: did not find expected ',' or '}'\n"
        "     1 | a: {b: 1\n"
        "       |         ^\n");
}

static void test_every_prefix_is_answered(void **state)
{
    (void)state;
    static const char text[] = "a: &x {k: [1, 'two', \"th\\x41ee\"], é: |\n  z\n  }\nb: *x\n"
                               "c:\n  - d: !!str 1\n    e: >-\n      folded\n      text\n# end\n";
    for (size_t n = 0; n < sizeof text; n++) {
        tac_node *root = NULL;
        tac_error_clear(&err);
        if (read_bytes(text, n, &root) != TAC_OK) {
            assert_true(err.line >= 1 && err.column >= 1);
            assert_true(err.text[0] != '\0');
        }
    }
}

static void test_syntax(void **state)
{
    (void)state;
    bad("a:\n\tb: 1\n", TAC_E_SYNTAX,
        "f.yaml:2:1: error: a tab cannot be used for indentation; use spaces\n"
        "     2 | \tb: 1\n"
        "       | ^\n");
    bad("a: @home\n", TAC_E_SYNTAX,
        "f.yaml:1:4: error: a value cannot begin with this character; put it in quotes\n"
        "     1 | a: @home\n"
        "       |    ^\n");
    bad("a: b: c\n", TAC_E_SYNTAX,
        "f.yaml:1:5: error: a ':' is not allowed here; check the indentation, or put the text in "
        "quotes\n"
        "     1 | a: b: c\n"
        "       |     ^\n");
    bad("a: [1, 2\nb: 3\n", TAC_E_SYNTAX,
        "f.yaml:2:2: error: did not find expected ',' or ']'; while parsing a flow sequence that "
        "begins at line 1\n"
        "     2 | b: 3\n"
        "       |  ^\n");
    // The caret steps over what tabs and characters of several bytes take on the line.
    bad("é: 'ü\t→' x\n", TAC_E_SYNTAX,
        "f.yaml:1:10: error: did not find expected key\n"
        "     1 | é: 'ü\t→' x\n"
        "       |      \t   ^\n");
}

static void test_characters(void **state)
{
    (void)state;
    bad("a: é\nb: é\xFFx\n", TAC_E_SYNTAX,
        "f.yaml:2:5: error: byte 0xFF is not valid UTF-8, the only encoding accepted\n"
        "     2 | b: é?x\n"
        "       |     ^\n");
    bad_bytes("a: x\0y\n", 7, TAC_E_SYNTAX,
              "f.yaml:1:5: error: control character U+0000 is not allowed\n"
              "     1 | a: x?y\n"
              "       |     ^\n");
    bad("a: \x1B[31m\n", TAC_E_SYNTAX,
        "f.yaml:1:4: error: control character U+001B is not allowed\n"
        "     1 | a: ?[31m\n"
        "       |    ^\n");
    bad("a: \"x\\0y\"\n", TAC_E_SYNTAX,
        "f.yaml:1:4: error: a text cannot hold a NUL character\n"
        "     1 | a: \"x\\0y\"\n"
        "       |    ^\n");
    bad("\"x\\0y\": 1\n", TAC_E_SYNTAX,
        "f.yaml:1:1: error: a text cannot hold a NUL character\n"
        "     1 | \"x\\0y\": 1\n"
        "       | ^\n");
    // Overlong, surrogate, beyond Unicode, cut short; UTF-16.
    static const char *const invalid[] = {"\xC0\x80",         "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                          "\xF8\x88\x80\x80", "\xE2\x82",     "\x80",
                                          "\xFF\xFEz"};
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        tac_node *root;
        assert_int_equal(read_bytes(invalid[i], strlen(invalid[i]), &root), TAC_E_SYNTAX);
        assert_non_null(strstr(err.text, "not valid UTF-8"));
        assert_int_equal(err.line, 1);
        assert_int_equal(err.column, 1);
    }
}

// --- hostile --------------------------------------------------------------------------------

static void test_deep_nesting(void **state)
{
    (void)state;
    static char text[100001];
    static const char *const pieces[] = {"[", "{a: ", "- ", "{? "};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        const size_t length = strlen(pieces[i]);
        for (size_t n = 0; n + length < sizeof text; n += length)
            memcpy(text + n, pieces[i], length);
        tac_node *root;
        assert_int_equal(read_bytes(text, sizeof text - length, &root),
                         i == 3 ? TAC_E_SYNTAX : TAC_E_LIMIT);
        if (i != 3)
            assert_string_equal(err.text, "nested deeper than 64 levels");
        assert_int_equal(err.line, 1);
    }
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    tac_node *root;
    assert_int_equal(read_bytes(text, 128, &root), TAC_OK);
    assert_int_equal(tac__node_measure(root).depth, 64);
    const tac__yaml_source inside = {.name = "f", .bytes = text, .length = 128, .depth = 1};
    assert_int_equal(tac__yaml_read_text(doc, &inside, &root, &err), TAC_E_LIMIT);
}

static void test_deep_aliases(void **state)
{
    (void)state;
    // Each alias is one level deeper than the last, though the text is flat.
    char text[4096] = "a0: &a0 [x]\n";
    size_t n = strlen(text);
    for (int i = 1; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    bad(text, TAC_E_LIMIT,
        "f.yaml:64:12: error: nested deeper than 64 levels\n"
        "    64 | a63: &a63 [*a62]\n"
        "       |            ^\n");
}

static void test_billion_laughs(void **state)
{
    (void)state;
    char text[4096] = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
    size_t n = strlen(text);
    for (int i = 1; i < 10; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s*a%d", k ? "," : "", i - 1);
        n += (size_t)snprintf(text + n, sizeof text - n, "]\n");
    }
    tac_node *root;
    assert_int_equal(read_bytes(text, n, &root), TAC_E_LIMIT);
    assert_string_equal(err.text, "more than 1000000 values in a configuration");
    assert_int_equal(err.line, 6);
    assert_true(tac__document_size_of(doc).nodes <= TAC__YAML_NODES); // refused before it is copied
}

static void test_too_many(void **state)
{
    (void)state;
    const size_t size = 4 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i += 4)
        memcpy(text + i, "- a\n", 4);
    tac_node *root;
    assert_int_equal(read_bytes(text, size, &root), TAC_E_LIMIT);
    assert_string_equal(err.text, "more than 1000000 values in a configuration");
    assert_int_equal(err.line, 1000000);

    tac_document_destroy(doc);
    doc = tac_document_create(NULL);
    size_t n = 0;
    for (int i = 0; i < 300; i++)
        n += (size_t)snprintf(text + n, size - n, "- &a%d x\n", i);
    assert_int_equal(read_bytes(text, n, &root), TAC_E_LIMIT);
    assert_string_equal(err.text, "more than 256 anchors in a file");
    free(text);
}

static void test_many_keys(void **state)
{
    (void)state;
    // Quadratic work would take minutes.
    const size_t size = 16 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    size_t n = 0;
    for (int i = 0; i < 300000; i++)
        n += (size_t)snprintf(text + n, size - n, "key%d: %d\n", i, i);
    n += (size_t)snprintf(text + n, size - n, "key7: x\n");
    tac_node *root;
    assert_int_equal(read_bytes(text, n, &root), TAC_E_DUPLICATE);
    assert_string_equal(err.text, "key 'key7' is used twice; first at f.yaml:8:1");
    free(text);
}

static void test_large_texts(void **state)
{
    (void)state;
    // One scalar, one line, or nothing but line ends, as large as a file may be.
    char *text = malloc(TAC__YAML_BYTES + 1);
    assert_non_null(text);
    tac_node *root;
    memset(text, 'x', TAC__YAML_BYTES + 1);
    assert_int_equal(read_bytes(text, TAC__YAML_BYTES, &root), TAC_OK);
    assert_int_equal(strlen(tac_node_text(root)), TAC__YAML_BYTES);
    assert_int_equal(read_bytes(text, TAC__YAML_BYTES + 1, &root), TAC_E_LIMIT);
    assert_string_equal(err.text, "larger than 16 MiB, too large to read");
    memset(text, '\n', TAC__YAML_BYTES);
    assert_int_equal(read_bytes(text, TAC__YAML_BYTES, &root), TAC_E_SYNTAX);
    text[TAC__YAML_BYTES - 1] = '@';
    assert_int_equal(read_bytes(text, TAC__YAML_BYTES, &root), TAC_E_SYNTAX);
    assert_int_equal(err.line, TAC__YAML_BYTES);
    free(text);
}

// --- files ----------------------------------------------------------------------------------

static void test_file(void **state)
{
    (void)state;
    char path[] = "/tmp/tactus_yaml_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "a: [1\n", 6), 6);
    tac_node *root;
    assert_int_equal(tac__yaml_read_file(doc, path, 0, &root, &err), TAC_E_SYNTAX);
    assert_string_equal(err.file, path);
    assert_int_equal(err.line, 1);
    assert_string_equal(err.excerpt, "a: [1");
    assert_int_equal(write(fd, "]\n", 2), 2);
    assert_int_equal(tac__yaml_read_file(doc, path, 0, &root, &err), TAC_OK);
    assert_int_equal(tac_node_count(root), 1);

    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(tac__yaml_read_file(doc, path, 0, &root, &err), TAC_E_SYNTAX);
    assert_string_equal(err.text, NOTHING);
    close(fd);
    unlink(path);
}

static void test_huge_file_is_not_read(void **state)
{
    (void)state;
    char path[] = "/tmp/tactus_yaml_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 100 << 20), 0); // 100 MB of nothing
    test_allocator a = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&a);
    tac_document *small = tac_document_create(&hook);
    tac_node *root;
    assert_int_equal(tac__yaml_read_file(small, path, 0, &root, &err), TAC_E_LIMIT);
    assert_string_equal(err.text, "larger than 16 MiB, too large to read");
    assert_string_equal(err.file, path);
    assert_true(a.peak_bytes < 10000);
    tac_document_destroy(small);
    test_allocator_check_empty(&a);
    close(fd);
    unlink(path);
}

static void test_strange_files(void **state)
{
    (void)state;
    tac_node *root;
    assert_int_equal(tac__yaml_read_file(doc, "/nowhere/x.yaml", 0, &root, &err), TAC_E_FILE);
    assert_string_equal(err.text, "cannot open '/nowhere/x.yaml': No such file or directory");
    assert_int_equal(tac__yaml_read_file(doc, "/tmp", 0, &root, &err), TAC_E_FILE);
    assert_string_equal(err.text, "cannot read '/tmp': Is a directory");
    assert_int_equal(tac__yaml_read_file(doc, "/dev/null", 0, &root, &err), TAC_E_SYNTAX);
    assert_int_equal(tac__yaml_read_file(doc, "/dev/zero", 0, &root, &err), TAC_E_LIMIT);
}

static void test_pipe(void **state)
{
    (void)state;
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "abc: 1", 6), 6);
    close(ends[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    tac_node *root = NULL;
    assert_int_equal(tac__yaml_read_file(doc, path, 0, &root, &err), TAC_OK);
    assert_string_equal(text_at(root, "abc"), "1");
    close(ends[0]);
}

// --- memory ---------------------------------------------------------------------------------

static tac_status read_with(const tac_allocator *allocator, const char *text)
{
    tac_document *small = tac_document_create(allocator);
    const tac__yaml_source source = {.name = "f", .bytes = text, .length = strlen(text)};
    tac_node *root = NULL;
    const tac_status status =
        small ? tac__yaml_read_text(small, &source, &root, &err) : tac__fail_memory(&err);
    tac_document_destroy(small);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    // Memory comes in blocks; padding moves the end of a block from one request to the next.
    for (int padding = 0; padding < 4096; padding += 16) {
        char text[8192];
        size_t n = (size_t)snprintf(text, sizeof text, "pad: %0*d\n", padding, 0);
        for (int i = 0; i < 30; i++)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "k%d: &a%d {x: [1, '2'], y: !!str z}\nl%d: *a%d\n", i, i, i, i);
        for (uint64_t k = 1;; k++) {
            test_allocator a = test_allocator_make();
            a.fail_at = k;
            const tac_allocator hook = test_allocator_hook(&a);
            tac_error_clear(&err);
            const tac_status status = read_with(&hook, text);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(test_tree), TEST(test_quotes_and_tags), TEST(test_places), TEST(test_line_ends),
          TEST(test_byte_order_mark), TEST(test_aliases_are_copies), TEST(test_long_line),
          TEST(test_part_of_a_line), TEST(test_duplicate_keys), TEST(test_bad_keys),
          TEST(test_tags), TEST(test_aliases), TEST(test_whole_files), TEST(test_truncated),
          TEST(test_every_prefix_is_answered), TEST(test_syntax), TEST(test_characters),
          TEST(test_deep_nesting), TEST(test_deep_aliases), TEST(test_billion_laughs),
          TEST(test_too_many), TEST(test_many_keys), TEST(test_large_texts), TEST(test_file),
          TEST(test_huge_file_is_not_read), TEST(test_strange_files), TEST(test_pipe),
          TEST(test_every_allocation_may_fail))
