// Documents made by hand: order, lookup, removal, paths, copies, and lack of memory.
#include "support/allocator.h"
#include "support/test.h"

#include "base/node.h"

#include <stdio.h>
#include <string.h>

static tac_document *doc;

static int set_up(void **state)
{
    (void)state;
    doc = tac_document_create(NULL);
    return doc ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tac_document_destroy(doc);
    return 0;
}

static tac_node *scalar(const char *text)
{
    tac_node *node = tac_node_scalar(doc, text, NULL);
    assert_non_null(node);
    return node;
}

static void put(tac_node *map, const char *key, tac_node *value)
{
    assert_int_equal(tac_node_set(doc, map, key, NULL, value), TAC_OK);
}

static const char *path(const tac_node *node)
{
    static char text[256];
    const size_t length = tac__node_path(node, text, sizeof text);
    assert_int_equal(length, strlen(text));
    return text;
}

static void test_maps_keep_their_order(void **state)
{
    (void)state;
    tac_node *map = tac_node_map(doc, NULL);
    char key[16];
    for (int i = 0; i < 1000; i++) { // past the size at which maps get an index
        snprintf(key, sizeof key, "k%d", (i * 7) % 1000);
        assert_int_equal(tac_node_set_text(doc, map, key, key), TAC_OK);
    }
    assert_int_equal(tac_node_count(map), 1000);
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, "k%d", (i * 7) % 1000);
        assert_string_equal(tac_node_key(map, (size_t)i), key);
        assert_string_equal(tac_node_text(tac_node_item(map, (size_t)i)), key);
        assert_ptr_equal(tac_node_get(map, key), tac_node_item(map, (size_t)i));
    }
    assert_null(tac_node_get(map, "k1000"));
    assert_null(tac_node_get(map, ""));
}

static void test_set_replaces(void **state)
{
    (void)state;
    tac_node *map = tac_node_map(doc, NULL);
    const tac_place place = {"a.yaml", 3, 4, "  gain: 2"};
    put(map, "gain", scalar("1"));
    put(map, "other", scalar("x"));
    assert_int_equal(tac_node_set(doc, map, "gain", &place, scalar("2")), TAC_OK);
    assert_int_equal(tac_node_count(map), 2);
    assert_string_equal(tac_node_key(map, 0), "gain");
    assert_string_equal(tac_node_text(tac_node_get(map, "gain")), "2");
    assert_int_equal(tac_node_key_place(map, 0)->line, 3);
    assert_int_equal(tac_node_key_place(map, 1)->line, 0);
}

static void test_remove(void **state)
{
    (void)state;
    for (int size = 3; size < 60; size += 28) { // without and with an index
        tac_node *map = tac_node_map(doc, NULL);
        char key[16];
        for (int i = 0; i < size; i++) {
            snprintf(key, sizeof key, "k%d", i);
            put(map, key, scalar(i % 3 == 2 ? "~" : "x"));
        }
        assert_true(tac__node_remove(map, "k1"));
        assert_false(tac__node_remove(map, "k1"));
        assert_null(tac_node_get(map, "k1"));
        assert_non_null(tac_node_get(map, "k2"));
        tac__node_remove_nulls(map);
        for (int i = 0; i < size; i++) {
            snprintf(key, sizeof key, "k%d", i);
            assert_int_equal(tac_node_get(map, key) != NULL, i != 1 && i % 3 != 2);
        }
        assert_int_equal(tac_node_count(map), size - 1 - size / 3);
        put(map, "k1", scalar("again"));
        assert_string_equal(tac_node_text(tac_node_get(map, "k1")), "again");
        assert_string_equal(tac_node_key(map, tac_node_count(map) - 1), "k1");
    }
}

static void test_take(void **state)
{
    (void)state;
    tac_node *to = tac_node_map(doc, NULL), *from = tac_node_map(doc, NULL);
    char key[16];
    for (int i = 0; i < 40; i++) {
        snprintf(key, sizeof key, "k%d", i);
        put(from, key, scalar("x"));
    }
    put(to, "lost", scalar("x"));
    tac__node_take(to, from);
    assert_int_equal(tac_node_count(to), 40);
    assert_int_equal(tac_node_count(from), 0);
    assert_null(tac_node_get(from, "k3"));
    assert_null(tac_node_get(to, "lost"));
    assert_string_equal(path(tac_node_get(to, "k39")), "k39");
    put(from, "new", scalar("x"));
    assert_int_equal(tac_node_count(from), 1);
}

static void test_nulls(void **state)
{
    (void)state;
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i]);
        assert_true(tac_node_is_null(scalar(words[i])));
        assert_false(tac_node_is_null(tac__node_scalar_bytes(doc, words[i], n, true, NULL)));
    }
    assert_true(tac_node_is_null(NULL));
    assert_false(tac_node_is_null(scalar("nil")));
    assert_false(tac_node_is_null(tac_node_map(doc, NULL)));
}

static void test_paths(void **state)
{
    (void)state;
    tac_node *root = tac_node_map(doc, NULL), *list = tac_node_sequence(doc, NULL);
    tac_node *group = tac_node_map(doc, NULL), *rate = scalar("250"), *odd = scalar("x");
    put(root, "groups", list);
    assert_int_equal(tac_node_append(doc, list, scalar("first")), TAC_OK);
    assert_int_equal(tac_node_append(doc, list, group), TAC_OK);
    put(group, "rate", rate);
    put(group, "Nav.position", odd);
    assert_string_equal(path(root), "");
    assert_string_equal(path(rate), "groups[1].rate");
    assert_string_equal(path(odd), "groups[1].\"Nav.position\"");
    char cut[8];
    assert_int_equal(tac__node_path(rate, cut, sizeof cut), 7);
    assert_string_equal(cut, "groups[");
}

static void test_wrong_calls(void **state)
{
    (void)state;
    tac_node *map = tac_node_map(doc, NULL), *list = tac_node_sequence(doc, NULL);
    assert_int_equal(tac_node_append(doc, map, scalar("x")), TAC_E_CALLER);
    assert_int_equal(tac_node_append(doc, list, NULL), TAC_E_CALLER);
    assert_int_equal(tac_node_append(doc, list, list), TAC_E_CALLER);
    assert_int_equal(tac_node_set(doc, list, "k", NULL, map), TAC_E_CALLER);
    assert_int_equal(tac_node_set(doc, map, NULL, NULL, list), TAC_E_CALLER);
    assert_int_equal(tac_node_set_text(doc, map, "k", NULL), TAC_E_CALLER);
    assert_null(tac_node_scalar(doc, NULL, NULL));
    assert_null(tac_node_map(NULL, NULL));
    assert_null(tac_node_item(list, 0));
    assert_null(tac_node_item(NULL, 0));
    assert_null(tac_node_key(list, 0));
    assert_null(tac_node_get(list, "k"));
    assert_null(tac_node_text(map));
    assert_int_equal(tac_node_place(NULL)->line, 0);
    assert_int_equal(tac_node_key_place(map, 7)->line, 0);
    assert_int_equal(tac_node_count(NULL), 0);
    tac_document_destroy(NULL);
}

static void test_copy_outlives_its_source(void **state)
{
    (void)state;
    tac_document *from = tac_document_create(NULL);
    char file[] = "a.yaml", line[] = "g: [1, '2']"; // gone when the copy is looked at
    const tac_place place = {file, 7, 1, line};
    tac_node *root = tac_node_map(from, &place), *list = tac_node_sequence(from, &place);
    tac_node *quoted = tac__node_scalar_bytes(from, "2", 1, true, &place);
    assert_int_equal(tac_node_append(from, list, tac_node_scalar(from, "1", &place)), TAC_OK);
    assert_int_equal(tac_node_append(from, list, quoted), TAC_OK);
    assert_int_equal(tac_node_set(from, root, "g", &place, list), TAC_OK);

    const tac_node *copy = tac__node_copy(doc, from, root);
    tac_document_destroy(from);
    memset(file, 'x', sizeof file - 1);
    memset(line, 'x', sizeof line - 1);
    assert_non_null(copy);
    const tac_node *items = tac_node_get(copy, "g");
    assert_int_equal(tac_node_count(items), 2);
    assert_false(tac_node_quoted(tac_node_item(items, 0)));
    assert_true(tac_node_quoted(tac_node_item(items, 1)));
    assert_string_equal(path(tac_node_item(items, 1)), "g[1]");
    assert_string_equal(tac_node_key_place(copy, 0)->file, "a.yaml");
    assert_string_equal(tac_node_place(tac_node_item(items, 1))->excerpt, "g: [1, '2']");
    assert_int_equal(tac_node_place(copy)->line, 7);

    const tac__node_extent extent = tac__node_measure(copy);
    assert_int_equal(extent.nodes, 4);
    assert_int_equal(extent.depth, 2);
}

// Build a map of 40 lists and copy it to another document.
static tac_status build(const tac_allocator *allocator)
{
    tac_document *a = tac_document_create(allocator), *b = tac_document_create(allocator);
    const tac_place place = {"file", 1, 1, "line"};
    tac_node *map = a && b ? tac_node_map(a, &place) : NULL;
    tac_status status = map ? TAC_OK : TAC_E_MEMORY;
    char key[600]; // long enough for several blocks of memory
    memset(key, 'k', sizeof key);
    for (int i = 0; i < 40 && status == TAC_OK; i++) {
        snprintf(key + 500, sizeof key - 500, "%d", i);
        tac_node *list = tac_node_sequence(a, &place);
        tac_node *item = list ? tac_node_scalar(a, key, &place) : NULL;
        status = item ? tac_node_append(a, list, item) : TAC_E_MEMORY;
        if (status == TAC_OK)
            status = tac_node_set(a, map, key, &place, list);
    }
    if (status == TAC_OK && !tac__node_copy(b, a, map))
        status = TAC_E_MEMORY;
    tac_document_destroy(a);
    tac_document_destroy(b);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        test_allocator a = test_allocator_make();
        a.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&a);
        const tac_status status = build(&hook);
        test_allocator_check_empty(&a);
        if (status == TAC_OK) {
            assert_true(n > 5);
            break;
        }
        assert_int_equal(status, TAC_E_MEMORY);
    }
}

// Instances of a template share what has no variable in it; who changes something gets a copy.
static void test_instances_share(void **state)
{
    (void)state;
    tac_node *root = tac_node_map(doc, NULL), *template = tac_node_map(doc, NULL);
    tac_node *same = tac_node_map(doc, NULL), *list = tac_node_sequence(doc, NULL);
    tac_document_set_root(doc, root);
    assert_int_equal(tac_node_set(doc, root, "uav", NULL, template), TAC_OK);
    assert_int_equal(tac_node_set(doc, template, "same", NULL, same), TAC_OK);
    assert_int_equal(tac_node_set(doc, same, "mass", NULL, scalar("1 kg")), TAC_OK);
    assert_int_equal(tac_node_set(doc, template, "list", NULL, list), TAC_OK);
    assert_int_equal(tac_node_append(doc, list, scalar("0")), TAC_OK);
    assert_int_equal(tac_node_append(doc, list, scalar("${i}")), TAC_OK);
    const size_t before = tac__document_size_of(doc).nodes;
    tac_node *one = tac__node_instance(doc, template), *two = tac__node_instance(doc, template);
    assert_int_equal(tac__document_size_of(doc).nodes - before,
                     2 * 3); // the map, the list, the variable
    assert_ptr_equal(tac_node_get(one, "same"), same);
    assert_true(tac__node_shared(one, 0) && !tac__node_shared(one, 1));
    assert_true(tac_node_get(one, "list") != tac_node_get(two, "list"));
    assert_ptr_equal(tac_node_item(tac_node_get(one, "list"), 0), tac_node_item(list, 0));
    char path[64];
    assert_true(tac__node_path(tac_node_get(one, "same"), path, sizeof path) > 0);
    assert_string_equal(path, "uav.same");
    tac_node *own = tac__node_own(doc, one, 0);
    assert_true(own != same && tac__node_own(doc, one, 0) == own && !tac__node_shared(one, 0));
    assert_int_equal(tac_node_set(doc, own, "mass", NULL, scalar("2 kg")), TAC_OK);
    assert_int_equal(tac_node_set(doc, own, "more", NULL, scalar("3")), TAC_OK);
    assert_string_equal(tac_node_text(tac_node_get(tac_node_get(two, "same"), "mass")), "1 kg");
    assert_int_equal(tac_node_count(same), 1);
    assert_string_equal(tac_node_text(tac_node_get(own, "mass")), "2 kg");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(test_maps_keep_their_order), TEST(test_set_replaces), TEST(test_remove),
          TEST(test_take), TEST(test_nulls), TEST(test_paths), TEST(test_wrong_calls),
          TEST(test_copy_outlives_its_source), TEST(test_instances_share),
          TEST(test_every_allocation_may_fail))
