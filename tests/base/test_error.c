// Errors: the table of statuses, texts that are cut instead of overrun, and the lines that a person
// reads.
#include "support/test.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

static const char *print(const tac_error *err)
{
    static char text[8192];
    const size_t length = tac_error_print(err, text, sizeof text);
    assert_int_equal(length, strlen(text));
    return text;
}

static void test_status_table(void **state)
{
    (void)state;
    assert_int_equal(TAC_OK, 0);
    assert_string_equal(tac_status_name(TAC_OK), "TAC_OK");
    assert_int_equal(tac_status_exit_code(TAC_OK), 0);
    assert_string_equal(tac_status_name(TAC_E_UNIT), "TAC_E_UNIT");
    assert_string_equal(tac_status_text(TAC_E_UNIT), "units do not agree");
    assert_int_equal(tac_status_exit_code(TAC_E_UNIT), 2);
    assert_int_equal(tac_status_exit_code(TAC_E_NUMERIC), 1);
    assert_int_equal(tac_status_exit_code(TAC_E_FILE), 3);
    // Every status has a name of its own, a text, and a failing exit code.
    for (int a = TAC_OK + 1; a <= TAC_E_LIBRARY; a++) {
        const int code = tac_status_exit_code((tac_status)a);
        assert_true(code >= 1 && code <= 4);
        assert_true(tac_status_text((tac_status)a)[0] != '\0');
        for (int b = TAC_OK; b < a; b++)
            assert_string_not_equal(tac_status_name((tac_status)a), tac_status_name((tac_status)b));
    }
    // Numbers that are none (of a newer library, say) are answered, not looked up.
    static const int strange[] = {-1, TAC_E_LIBRARY + 1, 1000000, INT32_MIN, INT32_MAX};
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        assert_string_equal(tac_status_name((tac_status)strange[i]), "TAC_E_?");
        assert_string_equal(tac_status_text((tac_status)strange[i]), "unknown status");
        assert_int_equal(tac_status_exit_code((tac_status)strange[i]), 1);
    }
}

static void test_version(void **state)
{
    (void)state;
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", TAC_VERSION_MAJOR, TAC_VERSION_MINOR,
             TAC_VERSION_PATCH);
    assert_string_equal(tac_version(), expected);
    assert_string_equal(TAC_VERSION, expected);
}

static void test_plain(void **state)
{
    (void)state;
    tac_error err;
    assert_int_equal(tac__fail(&err, TAC_E_NAME, "no signal '%s'", "Nav.x"), TAC_E_NAME);
    assert_int_equal(err.status, TAC_E_NAME);
    assert_int_equal(err.line, 0);
    assert_true(err.t_us == TAC_TIME_NEVER);
    assert_string_equal(print(&err), "error: no signal 'Nav.x'\n");

    assert_int_equal(tac__fail_memory(&err), TAC_E_MEMORY);
    assert_string_equal(print(&err), "error: out of memory\n");

    // An error without a text still says something.
    tac_error_clear(&err);
    err.status = TAC_E_CYCLE;
    assert_string_equal(print(&err), "error: circular dependency\n");

    // A new error forgets the old one.
    const tac_place place = {"a.yaml", 3, 1, "x"};
    tac__fail_at(&err, TAC_E_TYPE, &place, "old");
    tac__error_context(&err, "old");
    tac__error_run(&err, 5, "Old");
    tac__fail(&err, TAC_E_TYPE, "new");
    assert_string_equal(print(&err), "error: new\n");
}

// The example of status.h, to the letter.
static void test_place_and_context(void **state)
{
    (void)state;
    const tac_place place = {"rates.yaml", 12, 9, "  unit: ms2"};
    tac_error err;
    assert_int_equal(tac__fail_at(&err, TAC_E_UNIT, &place, "unknown unit '%s'", "ms2"),
                     TAC_E_UNIT);
    tac__error_context(&err, "reading component '%s'", "Nav");
    tac__error_context(&err, "reading 'rates.yaml'");
    assert_string_equal(print(&err), "rates.yaml:12:9: error: unknown unit 'ms2'\n"
                                     "    12 |   unit: ms2\n"
                                     "       |         ^\n"
                                     "  while reading component 'Nav'\n"
                                     "  while reading 'rates.yaml'\n");
}

static void test_caret_utf8_and_tabs(void **state)
{
    (void)state;
    tac_error err;
    // Columns count characters: the caret stands below the tenth, whatever its bytes.
    const tac_place utf8 = {"ü.yaml", 7, 10, "größe_µ: €x"};
    tac__fail_at(&err, TAC_E_SYNTAX, &utf8, "here");
    assert_string_equal(print(&err), "ü.yaml:7:10: error: here\n"
                                     "     7 | größe_µ: €x\n"
                                     "       |          ^\n");
    // A tab stays a tab, so that the caret lines up whatever its width.
    const tac_place tabs = {"t.yaml", 123456, 5, "\ta:\tb"};
    tac__fail_at(&err, TAC_E_SYNTAX, &tabs, "here");
    assert_string_equal(print(&err), "t.yaml:123456:5: error: here\n"
                                     "123456 | \ta:\tb\n"
                                     "       | \t  \t^\n");
    const tac_place both = {"b.yaml", 1, 8, "größe:\tx"};
    tac__fail_at(&err, TAC_E_SYNTAX, &both, "here");
    assert_non_null(strstr(print(&err), "\n       |       \t^\n"));
    // A control character is shown with more characters than one.
    const tac_place control = {"c\033.yaml", 1, 4, "a\033bX"};
    tac__fail_at(&err, TAC_E_SYNTAX, &control, "he\033[7mre\nand there");
    assert_string_equal(print(&err), "c\\x1b.yaml:1:4: error: he\\x1b[7mre\nand there\n"
                                     "     1 | a\\x1bbX\n"
                                     "       |       ^\n");
    // A column past the end: just behind the line.
    const tac_place past = {"p.yaml", 1, 1000, "abc"};
    tac__fail_at(&err, TAC_E_SYNTAX, &past, "here");
    assert_string_equal(print(&err), "p.yaml:1:1000: error: here\n"
                                     "     1 | abc\n"
                                     "       |    ^\n");
    // First column, and no column at all.
    for (uint32_t column = 0; column <= 1; column++) {
        const tac_place first = {"f.yaml", 1, column, "abc"};
        tac__fail_at(&err, TAC_E_SYNTAX, &first, "here");
        assert_non_null(strstr(print(&err), "\n       | ^\n"));
    }
    // Of a long line the part round the spot is shown, with the caret in it.
    char line[1000];
    memset(line, '-', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    line[499] = 'X';
    const tac_place far = {"p.yaml", 1, 500, line};
    tac__fail_at(&err, TAC_E_SYNTAX, &far, "here");
    assert_int_equal(err.column, 500);
    assert_int_equal(err.excerpt[err.caret - 1], 'X');
    assert_memory_equal(err.excerpt, "...-", 4);

    // No excerpt, no caret.
    const tac_place bare = {"b.yaml", 4, 2, NULL};
    tac__fail_at(&err, TAC_E_SYNTAX, &bare, "here");
    assert_string_equal(print(&err), "b.yaml:4:2: error: here\n");
}

static void test_place_is_given_once(void **state)
{
    (void)state;
    const tac_place inner = {"inner.yaml", 2, 3, "in"}, outer = {"outer.yaml", 9, 1, "out"};
    const tac_place none = {"none.yaml", 0, 0, NULL};
    tac_error err;
    tac__fail(&err, TAC_E_TYPE, "wrong");
    tac__error_place(&err, NULL);
    tac__error_place(&err, &none);
    assert_string_equal(print(&err), "error: wrong\n");
    tac__error_place(&err, &inner);
    tac__error_place(&err, &outer);
    assert_string_equal(err.file, "inner.yaml");
    assert_int_equal(err.line, 2);
}

static void test_run(void **state)
{
    (void)state;
    tac_error err;
    tac__fail(&err, TAC_E_NUMERIC, "Nav.x is NaN");
    tac__error_run(&err, 1500000, "Nav");
    assert_string_equal(print(&err), "at t = 1.5 s, component 'Nav': error: Nav.x is NaN\n");
    tac__error_run(&err, 0, NULL);
    assert_string_equal(print(&err), "at t = 0 s: error: Nav.x is NaN\n");
}

static const char *candidate(const void *context, size_t i)
{
    return ((const char *const *)context)[i];
}

static void test_suggest(void **state)
{
    (void)state;
    static const char *const names[] = {"gain", "offset", "delay", NULL};
    tac_error err;
    tac__fail(&err, TAC_E_NAME, "unknown key 'gian'");
    tac__error_suggest(&err, "gian", candidate, names);
    assert_string_equal(err.text, "unknown key 'gian'; did you mean 'gain'?");
    tac__fail(&err, TAC_E_NAME, "unknown key 'temperature'");
    tac__error_suggest(&err, "temperature", candidate, names);
    assert_string_equal(err.text, "unknown key 'temperature'");
    tac__error_append(&err, "; %d known", 3);
    assert_string_equal(err.text, "unknown key 'temperature'; 3 known");
}

// Nobody has to look: everything takes NULL.
static void test_null(void **state)
{
    (void)state;
    static const char *const names[] = {"gain", NULL};
    const tac_place place = {"a.yaml", 1, 1, ""};
    tac_error_clear(NULL);
    assert_int_equal(tac__fail(NULL, TAC_E_NAME, "x"), TAC_E_NAME);
    assert_int_equal(tac__fail_at(NULL, TAC_E_NAME, &place, "x"), TAC_E_NAME);
    assert_int_equal(tac__fail_memory(NULL), TAC_E_MEMORY);
    tac__error_append(NULL, "x");
    tac__error_suggest(NULL, "gian", candidate, names);
    tac__error_context(NULL, "x");
    tac__error_place(NULL, &place);
    tac__error_run(NULL, 0, "x");
}

// Whatever does not fit is cut at the end, and nothing next to it is touched.
static void test_cut(void **state)
{
    (void)state;
    static char huge[5000];
    memset(huge, 'x', sizeof huge - 1);
    const tac_place place = {huge, 1, 4000, huge};
    struct {
        tac_error err;
        unsigned char guard[64];
    } box;
    memset(&box, 0xa5, sizeof box);
    tac__fail_at(&box.err, TAC_E_TYPE, &place, "start %s", huge);
    for (int i = 0; i < 100; i++) {
        tac__error_append(&box.err, "%s", huge);
        tac__error_context(&box.err, "doing thing %d", i);
    }
    tac__error_run(&box.err, 1, huge);
    for (size_t i = 0; i < sizeof box.guard; i++)
        assert_int_equal(box.guard[i], 0xa5);
    assert_int_equal(strlen(box.err.text), TAC_ERROR_TEXT - 1);
    assert_int_equal(strlen(box.err.context), TAC_ERROR_CONTEXT - 1);
    assert_int_equal(strlen(box.err.file), TAC_ERROR_NAME - 1);
    assert_int_equal(strlen(box.err.excerpt), TAC_ERROR_NAME - 1);
    assert_int_equal(strlen(box.err.component), TAC_ERROR_NAME - 1);
    assert_memory_equal(box.err.text, "start xxx", 9);
    assert_memory_equal(box.err.context, "while doing thing 0\nwhile doing thing 1\n", 40);

    const char *whole = print(&box.err);
    const size_t length = strlen(whole);
    char copy[8192];
    memcpy(copy, whole, length + 1);
    // It ends with what was cut of the context, and nothing behind it.
    char last[128];
    snprintf(last, sizeof last, "\n  %s\n", strrchr(box.err.context, '\n') + 1);
    assert_string_equal(copy + length - strlen(last), last);
    // Printing into any smaller buffer gives the beginning of the same.
    char buffer[8192 + 1];
    for (size_t size = 1; size <= length + 2; size += size < 40 ? 1 : 37) {
        memset(buffer, 0x5a, sizeof buffer);
        const size_t n = tac_error_print(&box.err, buffer, size);
        assert_int_equal(n, size <= length ? size - 1 : length);
        assert_memory_equal(buffer, copy, n);
        assert_int_equal(buffer[n], '\0');
        assert_int_equal((unsigned char)buffer[size], 0x5a);
    }
    char untouched = 'u';
    assert_int_equal(tac_error_print(&box.err, &untouched, 0), 0);
    assert_int_equal(untouched, 'u');
}

// A line of any bytes becomes text that can be shown, whole characters only.
static void test_excerpt(void **state)
{
    (void)state;
    static const char line[] = "a\tb\x01"
                               "c\x7f"
                               "d\xc2\x85"
                               "e\xff"
                               "f\nµ";
    char text[TAC_ERROR_NAME];
    tac__excerpt(line, line + sizeof line - 1, text);
    assert_string_equal(text, "a\tb?c?d?e?f?µ");
    tac__excerpt(line, line, text);
    assert_string_equal(text, "");
    // Wherever the text is full, the last character is whole: 1 to 3 bytes go before two-byte ones.
    char longest[2 * TAC_ERROR_NAME];
    for (size_t before = 0; before < 3; before++) {
        size_t n = before;
        memset(longest, 'x', before);
        for (; n + 2 <= sizeof longest; n += 2)
            memcpy(longest + n, "µ", 2);
        tac__excerpt(longest, longest + n, text);
        const size_t kept = before + (TAC_ERROR_NAME - 1 - before) / 2 * 2;
        assert_int_equal(strlen(text), kept);
        assert_memory_equal(text, longest, kept);
    }
}

static void count_mistake(void *context, const tac_error *mistake)
{
    (void)mistake;
    ++*(size_t *)context;
}

// After so many mistakes the work ends, with the first one.
static void test_enough_mistakes(void **state)
{
    (void)state;
    size_t told = 0;
    tac_error err;
    tac__mistakes m = {.tell = count_mistake, .context = &told};
    for (int i = 1; i < TAC_MISTAKES_MAX; i++)
        assert_int_equal(tac__mistake(&m, tac__fail(&err, TAC_E_NAME, "number %d", i), &err),
                         TAC_OK);
    assert_int_equal(tac__mistake(&m, tac__fail(&err, TAC_E_UNIT, "one more"), &err), TAC_E_NAME);
    assert_string_equal(err.text, "number 1");
    assert_int_equal(told, TAC_MISTAKES_MAX);
    assert_int_equal(tac__mistake(&m, TAC_E_NAME, &err),
                     TAC_E_NAME); // on the way up: not told again
    assert_int_equal(told, TAC_MISTAKES_MAX);
}

TEST_MAIN(cmocka_unit_test(test_enough_mistakes), cmocka_unit_test(test_status_table),
          cmocka_unit_test(test_version), cmocka_unit_test(test_plain),
          cmocka_unit_test(test_place_and_context), cmocka_unit_test(test_caret_utf8_and_tabs),
          cmocka_unit_test(test_place_is_given_once), cmocka_unit_test(test_run),
          cmocka_unit_test(test_suggest), cmocka_unit_test(test_null), cmocka_unit_test(test_cut),
          cmocka_unit_test(test_excerpt))
