// The JSON writer: its output is read by an independent reader, in C here and, where there is one,
// Python's.
#include "support/allocator.h"
#include "support/test.h"

#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- a strict reader that writes what it understood without any white space ---------------------

static const char *skip_space(const char *c)
{
    return c + strspn(c, " \t\r\n");
}

static const char *read_string(const char *c, tac__text *out)
{
    if (*c != '"')
        fail_msg("expected a string at: %.40s", c);
    tac__text_bytes(out, c++, 1);
    for (; *c != '"'; c++) {
        if ((unsigned char)*c < 0x20)
            fail_msg("bare control character %d in a string", *c);
        if (*c == '\\') {
            tac__text_bytes(out, c++, 1);
            if (*c == 'u' && strspn(c + 1, "0123456789abcdef") < 4)
                fail_msg("bad escape: %.8s", c);
            if (!*c || !strchr("\"\\/bfnrtu", *c))
                fail_msg("unknown escape: %.8s", c);
        }
        tac__text_bytes(out, c, 1);
    }
    tac__text_bytes(out, c, 1);
    return c + 1;
}

static const char *read_digits(const char *c)
{
    const size_t n = strspn(c, "0123456789");
    if (n == 0)
        fail_msg("expected a digit at: %.40s", c);
    return c + n;
}

static const char *read_number(const char *c, tac__text *out)
{
    const char *start = c;
    c += *c == '-';
    if (*c == '0' && c[1] >= '0' && c[1] <= '9')
        fail_msg("a number with a leading zero: %.20s", c);
    c = read_digits(c);
    if (*c == '.')
        c = read_digits(c + 1);
    if (*c == 'e' || *c == 'E') {
        c++;
        c = read_digits(c + (*c == '+' || *c == '-'));
    }
    tac__text_bytes(out, start, (size_t)(c - start));
    return c;
}

static const char *read_value(const char *c, tac__text *out)
{
    c = skip_space(c);
    if (*c == '{' || *c == '[') {
        const bool object = *c == '{';
        const char end = object ? '}' : ']';
        tac__text_bytes(out, c, 1);
        c = skip_space(c + 1);
        for (bool first = true; *c != end; first = false) {
            if (!first) {
                if (*c != ',')
                    fail_msg("expected ',' at: %.40s", c);
                tac__text_bytes(out, c, 1);
                c = skip_space(c + 1);
            }
            if (object) {
                c = skip_space(read_string(c, out));
                if (*c != ':')
                    fail_msg("expected ':' at: %.40s", c);
                tac__text_bytes(out, c++, 1);
            }
            c = skip_space(read_value(c, out));
        }
        tac__text_bytes(out, c, 1);
        return c + 1;
    }
    if (*c == '"')
        return read_string(c, out);
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(c, words[i], length) == 0) {
            tac__text_bytes(out, c, length);
            return c + length;
        }
    }
    return read_number(c, out);
}

// What `json` says, as one line. The caller frees it.
static tac__text understood(const char *json)
{
    tac__text out;
    tac__text_init(&out, tac_allocator_default());
    const char *end = skip_space(read_value(json, &out));
    if (*end)
        fail_msg("something follows: %.40s", end);
    assert_false(out.failed);
    return out;
}

static void check_understood(const tac__text *text, const char *expected)
{
    assert_false(text->failed);
    assert_int_equal(strlen(text->chars), text->length);
    tac__text out = understood(text->chars);
    assert_string_equal(out.chars, expected);
    tac__text_fini(&out);
}

// --- tests --------------------------------------------------------------------------------------

static void write_sample(tac__json *json)
{
    tac__json_object_begin(json);
    tac__json_key_text(json, "name", "Nav \"1\" \\ größe\n\ttab");
    tac__json_key_text(json, "nothing", NULL);
    tac__json_key_u64(json, "big", UINT64_MAX);
    tac__json_key_bool(json, "yes", true);
    tac__json_key_bool(json, "no", false);
    tac__json_key_number(json, "x", 0.1);
    tac__json_key(json, "hash");
    tac__json_hex64(json, UINT64_C(0x0123456789abcdef));
    tac__json_key(json, "low");
    tac__json_i64(json, INT64_MIN);
    tac__json_key(json, "empty");
    tac__json_object_begin(json);
    tac__json_object_end(json);
    tac__json_key(json, "none");
    tac__json_array_begin(json);
    tac__json_array_end(json);
    tac__json_key(json, "rows");
    tac__json_array_begin(json);
    for (int i = 0; i < 2; i++) {
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_u64(json, "i", (uint64_t)i);
        tac__json_key(json, "v");
        tac__json_array_begin(json);
        tac__json_number(json, -1.5);
        tac__json_text(json, "a");
        tac__json_bool(json, true);
        tac__json_array_end(json);
        tac__json_object_end(json);
    }
    tac__json_array_begin(json);
    tac__json_u64(json, 7);
    tac__json_array_end(json);
    tac__json_array_end(json);
    tac__json_object_end(json);
}

static const char sample_understood[] =
    "{\"name\":\"Nav \\\"1\\\" \\\\ größe\\n\\ttab\",\"nothing\":null,"
    "\"big\":18446744073709551615,\"yes\":true,\"no\":false,\"x\":0.1,"
    "\"hash\":\"0123456789abcdef\",\"low\":-9223372036854775808,\"empty\":{},\"none\":[],"
    "\"rows\":[{\"i\":0,\"v\":[-1.5,\"a\",true]},{\"i\":1,\"v\":[-1.5,\"a\",true]},[7]]}";

static void test_sample(void **state)
{
    (void)state;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__json json = tac__json_begin(&text);
    write_sample(&json);
    check_understood(&text, sample_understood);
    assert_int_equal(text.chars[text.length - 1], '\n');
    tac__text_fini(&text);
}

// How it looks: indented by two, compact levels on one line.
static void test_layout(void **state)
{
    (void)state;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__json json = tac__json_begin(&text);
    tac__json_object_begin(&json);
    tac__json_key_u64(&json, "a", 1);
    tac__json_key(&json, "b");
    tac__json_array_begin(&json);
    tac__json_compact(&json);
    tac__json_array_begin(&json);
    tac__json_u64(&json, 1);
    tac__json_array_begin(&json);
    tac__json_u64(&json, 2);
    tac__json_array_end(&json);
    tac__json_array_end(&json);
    tac__json_array_begin(&json); // compact was for the last one only
    tac__json_u64(&json, 3);
    tac__json_array_end(&json);
    tac__json_array_end(&json);
    tac__json_object_end(&json);
    assert_string_equal(text.chars, "{\n"
                                    "  \"a\": 1,\n"
                                    "  \"b\": [\n"
                                    "    [1, [2]],\n"
                                    "    [\n"
                                    "      3\n"
                                    "    ]\n"
                                    "  ]\n"
                                    "}\n");
    tac__text_fini(&text);
}

static void test_every_character(void **state)
{
    (void)state;
    char all[256];
    for (int i = 1; i < 256; i++)
        all[i - 1] = (char)i;
    all[255] = '\0';
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__json json = tac__json_begin(&text);
    tac__json_array_begin(&json);
    tac__json_text(&json, all);
    tac__json_text(&json, "");
    tac__json_text(&json, "\xc2\x80\xc2\x9f\xc2\xa0\xc2\xb5\xe2\x82\xac");
    tac__json_array_end(&json);
    tac__text out = understood(text.chars);
    assert_non_null(strstr(out.chars, "\\u0001\\u0002"));
    assert_non_null(strstr(out.chars, "\\u0008\\t\\n\\u000b"));
    assert_non_null(strstr(out.chars, "!\\\"#"));
    assert_non_null(strstr(out.chars, "[\\\\]"));
    // What is not UTF-8 is replaced, C1 controls are escaped, other characters stay.
    assert_non_null(strstr(out.chars, "~\\u007f\\ufffd\\ufffd"));
    assert_non_null(
        strstr(out.chars, "\\ufffd\\ufffd\",\"\",\"\\u0080\\u009f\xc2\xa0\xc2\xb5\xe2\x82\xac\"]"));
    tac__text_fini(&out);
    tac__text_fini(&text);
}

static void test_numbers(void **state)
{
    (void)state;
    static const double values[] = {
        0.0,      -0.0, 1.0 / 3.0,          1e300, -1e-300, 5e-324, 1e21, 1e5,
        123456.0, 0.1,  9007199254740992.0, 1e-9,  -2.5e8};
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__json json = tac__json_begin(&text);
    tac__json_array_begin(&json);
    tac__json_number(&json, (double)NAN);
    tac__json_number(&json, (double)INFINITY);
    tac__json_number(&json, -(double)INFINITY);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        tac__json_number(&json, values[i]);
    tac__json_array_end(&json);
    tac__text out = understood(text.chars);
    assert_memory_equal(out.chars, "[null,null,null,", 16);
    const char *c = out.chars + 16;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char *end;
        const double back = strtod(c, &end);
        assert_memory_equal(&back, &values[i], sizeof back);
        c = end + 1;
    }
    tac__text_fini(&out);
    tac__text_fini(&text);
}

static void test_deep(void **state)
{
    (void)state;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__json json = tac__json_begin(&text);
    enum { DEPTH = TAC__JSON_DEPTH - 2 };
    for (int i = 0; i < DEPTH; i++)
        tac__json_array_begin(&json);
    for (int i = 0; i < DEPTH; i++)
        tac__json_array_end(&json);
    char expected[2 * DEPTH + 1] = "";
    memset(expected, '[', DEPTH);
    memset(expected + DEPTH, ']', DEPTH);
    check_understood(&text, expected);
    tac__text_fini(&text);
}

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        test_allocator counts = test_allocator_make();
        counts.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&counts);
        tac__text text;
        tac__text_init(&text, &hook);
        tac__json json = tac__json_begin(&text);
        write_sample(&json);
        assert_true(text.failed == (counts.failed > 0));
        const bool whole = !text.failed;
        if (whole)
            check_understood(&text, sample_understood);
        tac__text_fini(&text);
        test_allocator_check_empty(&counts);
        if (whole)
            break;
    }
}

static void test_python_reads_it(void **state)
{
    (void)state;
    char path[] = "/tmp/tactus_json_XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__json json = tac__json_begin(&text);
    write_sample(&json);
    assert_int_equal(fwrite(text.chars, 1, text.length, file), text.length);
    assert_int_equal(fclose(file), 0);
    tac__text_fini(&text);

    char command[512], answer[1024] = "";
    snprintf(command, sizeof command,
             "python3 -c 'import json, sys; sys.stdout.buffer.write(json.dumps(json.load(open("
             "sys.argv[1], encoding=\"utf-8\")), separators=(\",\", \":\"), "
             "ensure_ascii=False).encode())' %s 2>/dev/null",
             path);
    FILE *python = popen(command, "r");
    assert_non_null(python);
    const size_t n = fread(answer, 1, sizeof answer - 1, python);
    const int status = pclose(python);
    remove(path);
    if (n == 0 && status != 0 && system("python3 -c 0 >/dev/null 2>&1") != 0) {
        skip();
        return;
    }
    assert_int_equal(status, 0);
    assert_string_equal(answer, sample_understood);
}

TEST_MAIN(cmocka_unit_test(test_sample), cmocka_unit_test(test_layout),
          cmocka_unit_test(test_every_character), cmocka_unit_test(test_numbers),
          cmocka_unit_test(test_deep), cmocka_unit_test(test_every_allocation_fails_once),
          cmocka_unit_test(test_python_reads_it))
