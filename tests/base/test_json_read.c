// The JSON reader: what it reads is what the writer wrote; what is not JSON is refused in its
// place.
#include "support/allocator.h"
#include "support/test.h"

#include "base/json.h"
#include "base/json_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tac_status read_text(const char *text, tac_document **doc, tac_node **root, tac_error *err)
{
    *doc = tac_document_create(NULL);
    assert_non_null(*doc);
    tac_error_clear(err);
    return tac__json_read(*doc, "text", text, strlen(text), root, err);
}

// --- what is JSON -------------------------------------------------------------------------------

static void write_node(tac__json *json, const tac_node *node)
{
    double number;
    switch (tac_node_kind_of(node)) {
    case TAC_NODE_MAP:
        tac__json_object_begin(json);
        for (size_t i = 0; i < tac_node_count(node); i++) {
            tac__json_key(json, tac_node_key(node, i));
            write_node(json, tac_node_item(node, i));
        }
        tac__json_object_end(json);
        return;
    case TAC_NODE_SEQUENCE:
        tac__json_array_begin(json);
        for (size_t i = 0; i < tac_node_count(node); i++)
            write_node(json, tac_node_item(node, i));
        tac__json_array_end(json);
        return;
    case TAC_NODE_SCALAR:
        if (tac__json_is_number(node, &number))
            tac__json_number(json, number);
        else if (tac_node_is_null(node))
            tac__json_text(json, NULL);
        else if (!tac_node_quoted(node))
            tac__json_bool(json, strcmp(tac_node_text(node), "true") == 0);
        else
            tac__json_text(json, tac_node_text(node));
    }
}

// `text`, written again, is `expected` on one line.
static void check_reads(const char *text, const char *expected)
{
    tac_document *doc;
    tac_node *root;
    tac_error err;
    if (read_text(text, &doc, &root, &err) != TAC_OK)
        fail_msg("%s: %u:%u: %s", text, err.line, err.column, err.text);
    tac__text out;
    tac__text_init(&out, NULL);
    tac__json json = tac__json_begin(&out);
    json.compact[0] = json.compact[1] = true;
    write_node(&json, root);
    out.chars[strcspn(out.chars, "\n")] = '\0';
    assert_string_equal(out.chars, expected);
    tac__text_fini(&out);
    tac_document_destroy(doc);
}

static void test_reads(void **state)
{
    (void)state;
    check_reads(" [1, -2.5e+3 ,0.25,-0,1E2]\r\n", "[1, -2500, 0.25, -0, 100]");
    check_reads("\xEF\xBB\xBF{\"a\":{\"b\":[]},\"c\":{}, \"\":null}",
                "{\"a\": {\"b\": []}, \"c\": {}, \"\": null}");
    check_reads("[true,false,null,\"true\",\"1\",\"\"]",
                "[true, false, null, \"true\", \"1\", \"\"]");
    check_reads("[\"\\\"\\\\\\/\\n\\t\\u0041\\u00e9\\u20AC\\ud83d\\ude00\xC3\xA9\"]",
                "[\"\\\"\\\\/\\n\\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xC3\xA9\"]");
}

static void test_places(void **state)
{
    (void)state;
    tac_document *doc;
    tac_node *root;
    tac_error err;
    assert_int_equal(read_text("{\n  \"\xC3\xA9\": 1, \"b\":\r\n [7,\r8]}", &doc, &root, &err), 0);
    const tac_node *b = tac_node_get(root, "b");
    assert_int_equal(tac_node_key_place(root, 0)->line, 2);
    assert_int_equal(tac_node_place(tac_node_get(root, "\xC3\xA9"))->column, 8);
    assert_int_equal(tac_node_place(b)->line, 3);
    assert_int_equal(tac_node_place(tac_node_item(b, 0))->column, 3);
    assert_int_equal(tac_node_place(tac_node_item(b, 1))->line, 4);
    assert_string_equal(tac_node_place(tac_node_item(b, 0))->excerpt, " [7,");
    tac_document_destroy(doc);
}

// --- what is not --------------------------------------------------------------------------------

static void check_refuses(const char *text, uint32_t line, uint32_t column, const char *words)
{
    tac_document *doc;
    tac_node *root;
    tac_error err;
    if (read_text(text, &doc, &root, &err) == TAC_OK)
        fail_msg("accepted: %s", text);
    if (err.line != line || err.column != column || !strstr(err.text, words))
        fail_msg("%s: %u:%u: %s; expected %u:%u: %s", text, err.line, err.column, err.text, line,
                 column, words);
    tac_document_destroy(doc);
}

static void test_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *words;
    } cases[] = {
        {"", 1, 1, "ends too early: expected a value"},
        {"[1,\n2", 2, 2, "ends too early: expected ',' or ']'"},
        {"[1,]", 1, 4, "expected a value, found ']'"},
        {"{\"a\":1,}", 1, 8, "expected a key in double quotes, found '}'"},
        {"{a:1}", 1, 2, "expected a key in double quotes, found 'a'"},
        {"{\"a\" 1}", 1, 6, "expected ':' after the key"},
        {"{\"a\":1 \"b\":2}", 1, 8, "expected ',' or '}'"},
        {"{\"a\":1,\n \"a\":2}", 2, 2, "'a' stands here twice"},
        {"[1] 2", 1, 5, "nothing after the value"},
        {"[01]", 1, 2, "superfluous 0"},
        {"[-]", 1, 3, "expected a digit"},
        {"[+1]", 1, 2, "expected a value, found '+'"},
        {"[1.]", 1, 4, "a digit after the point"},
        {"[.5]", 1, 2, "expected a value, found '.'"},
        {"[1e]", 1, 4, "a digit of the exponent"},
        {"[1e999]", 1, 2, "too large"},
        {"[NaN]", 1, 2, "expected a value"},
        {"[tru]", 1, 2, "expected a value"},
        {"[nullx]", 1, 6, "expected ',' or ']', found 'x'"},
        {"[\"a", 1, 4, "'\"' at the end"},
        {"[\"\\x\"]", 1, 4, "found 'x'"},
        {"[\"a\\u12\"]", 1, 4, "escape does not stand for a character"},
        {"[\"\\u0000\"]", 1, 3, "escape does not stand for a character"},
        {"[\"\\ud83d\"]", 1, 3, "escape does not stand for a character"},
        {"[\"\\ude00\"]", 1, 3, "escape does not stand for a character"},
        {"[\"a\tb\"]", 1, 4, "control character U+0009"},
        {"[\"\xFF\"]", 1, 3, "byte 0xFF is not valid UTF-8"},
        {"[1, // no\n2]", 1, 5, "expected a value, found '/'"},
        {"['a']", 1, 2, "expected a value, found '''"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refuses(cases[i].text, cases[i].line, cases[i].column, cases[i].words);
}

static void test_nul_is_no_end(void **state)
{
    (void)state;
    tac_document *doc = tac_document_create(NULL);
    tac_node *root;
    tac_error err;
    assert_int_equal(tac__json_read(doc, "text", "[1]\0", 4, &root, &err), TAC_E_SYNTAX);
    assert_int_equal(tac__json_read(doc, "text", "[1\0]", 4, &root, &err), TAC_E_SYNTAX);
    assert_int_equal(tac__json_read(doc, "text", "[\"\0\"]", 5, &root, &err), TAC_E_SYNTAX);
    tac_document_destroy(doc);
}

static void test_limits(void **state)
{
    (void)state;
    char deep[2 * TAC__JSON_READ_DEPTH + 3] = "";
    memset(deep, '[', TAC__JSON_READ_DEPTH);
    memset(deep + TAC__JSON_READ_DEPTH, ']', TAC__JSON_READ_DEPTH);
    tac_document *doc;
    tac_node *root;
    tac_error err;
    assert_int_equal(read_text(deep, &doc, &root, &err), TAC_OK);
    tac_document_destroy(doc);
    memset(deep, '[', TAC__JSON_READ_DEPTH + 1);
    check_refuses(deep, 1, TAC__JSON_READ_DEPTH + 1, "inside each other");

    // As many values as there may be, on one line, in time that is linear.
    const size_t n = TAC__JSON_READ_NODES;
    char *wide = malloc(2 * n + 4);
    wide[0] = '[';
    for (size_t i = 0; i < n; i++)
        memcpy(wide + 1 + 2 * i, "1,", 2);
    strcpy(wide + 2 * n, "]");
    check_refuses(wide, 1, (uint32_t)(2 * n), "more than");
    free(wide);
}

TEST_MAIN(cmocka_unit_test(test_reads), cmocka_unit_test(test_places),
          cmocka_unit_test(test_refuses), cmocka_unit_test(test_nul_is_no_end),
          cmocka_unit_test(test_limits))
