// Messages from .msg files: what PX4's syntax means, every mistake refused in its place, topics
// found by "# TOPICS" lines and by names of files, messages in messages.
#include "support/test.h"

#include "autopilot/px4/load.h"
#include "autopilot/px4/parse.h"
#include "support/allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static tac__arena arena;

static int begin(void **state)
{
    (void)state;
    tac__arena_init(&arena, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    tac__arena_fini(&arena);
    return 0;
}

// --- text ---------------------------------------------------------------------------------------

static tac__uorb_source source;

static tac_status parse(const char *text, tac_error *err)
{
    tac_error_clear(err);
    return tac__uorb_parse(&arena, "A.msg", text, strlen(text), &source, err);
}

static void check_good(const char *text, size_t fields, size_t constants)
{
    tac_error err;
    if (parse(text, &err) != TAC_OK)
        fail_msg("%s\n%u:%u: %s", text, err.line, err.column, err.text);
    assert_int_equal(source.field_count, fields);
    assert_int_equal(source.constant_count, constants);
}

static void check_bad(const char *text, tac_status status, uint32_t line, uint32_t column,
                      const char *words)
{
    tac_error err;
    const tac_status got = parse(text, &err);
    if (got != status || err.line != line || err.column != column || !strstr(err.text, words))
        fail_msg("%s\n%s: %u:%u: %s\nexpected %s: %u:%u: ...%s...", text, tac_status_name(got),
                 err.line, err.column, err.text, tac_status_name(status), line, column, words);
    if (line)
        assert_string_equal(err.file, "A.msg");
}

static void test_syntax(void **state)
{
    (void)state;
    check_good("uint64 timestamp", 1, 0);
    check_good("\xEF\xBB\xBFuint64 timestamp\r\n\r\n# all\r\n  \tfloat32[3]\t xyz#x\r\n", 2, 0);
    assert_string_equal(source.fields[1].field.name, "xyz");
    assert_true(source.fields[1].field.array && source.fields[1].field.count == 3);
    assert_int_equal(source.fields[1].place.line, 4);
    assert_int_equal(source.fields[1].place.column, 4);
    check_good("bool a\nchar b\nint8 c\nuint8 d\nint16 e\nuint16 f\nint32 g\nuint32 h\nint64 i\n"
               "uint64 j\nfloat32 k\nfloat64 l\nEscReport[8] m\n",
               13, 0);
    for (int i = 0; i <= TAC__UORB_MESSAGE; i++)
        assert_int_equal(source.fields[i].field.type, i);
    assert_string_equal(source.fields[12].nested, "EscReport");
    check_good("uint8[1] a", 1, 0);
    assert_true(source.fields[0].field.array); // another hash than without
    check_good("uint8 a # \xC2\xB5s, \xFF too", 1, 0);
}

static void test_constants(void **state)
{
    (void)state;
    check_good("uint8 A = 255\nuint8 B=0\nuint8 C= 0xfF # hex\nint8 D = -128\nint8 E = +127\n"
               "int64 F = -9223372036854775808\nuint64 G = 18446744073709551615\nuint8 x\n"
               "float32 H = 1.5\nfloat64 I = -1e-3\nfloat32 J = nan\nbool K = true\n"
               "bool L = False\nbool M = 1\nchar N = 65\n",
               1, 14);
    check_bad("uint8 A = 256\n", TAC_E_RANGE, 1, 11, "256 does not fit uint8");
    check_bad("uint8 A = -1\n", TAC_E_RANGE, 1, 11, "does not fit");
    check_bad("int8 A = -129\n", TAC_E_RANGE, 1, 10, "-129 does not fit int8");
    check_bad("int64 A = -9223372036854775809\n", TAC_E_RANGE, 1, 11, "does not fit");
    check_bad("int64 A = 9223372036854775808\n", TAC_E_RANGE, 1, 11, "does not fit");
    check_bad("uint64 A = 18446744073709551616\n", TAC_E_RANGE, 1, 12, "does not fit");
    check_bad("uint64 A = 99999999999999999999999999\n", TAC_E_RANGE, 1, 12, "does not fit");
    check_bad("bool A = 2\n", TAC_E_RANGE, 1, 10, "does not fit bool");
    check_bad("uint8 A = 1.5\n", TAC_E_SYNTAX, 1, 11, "expected a whole number, found '1.5'");
    check_bad("uint8 A = 0x\n", TAC_E_SYNTAX, 1, 11, "expected a whole number");
    check_bad("uint8 A = 1f\n", TAC_E_SYNTAX, 1, 11, "expected a whole number");
    check_bad("uint8 A = -\n", TAC_E_SYNTAX, 1, 11, "expected a whole number");
    check_bad("uint8 A = true\n", TAC_E_SYNTAX, 1, 11, "expected a whole number");
    check_bad("uint8 A = 1 2\n", TAC_E_SYNTAX, 1, 11, "found '1 2'");
    check_bad("float32 A = 1.5f\n", TAC_E_SYNTAX, 1, 13, "expected a number, found '1.5f'");
    check_bad("uint8 A = # none\n", TAC_E_SYNTAX, 1, 10, "ends too early");
    check_bad("uint8[2] A = 1\n", TAC_E_TYPE, 1, 12, "a constant is a single number");
    check_bad("Other A = 1\n", TAC_E_TYPE, 1, 9, "a constant is a single number");
    check_bad("uint8 A = 0000000000000000000000000000000000000000000000000000000000000000\n",
              TAC_E_LIMIT, 1, 11, "at most 63");
    check_bad("uint8 A = 3\n", TAC_E_SYNTAX, 0, 0, "'A.msg' declares no fields");
}

static void test_mistakes(void **state)
{
    (void)state;
    check_bad("", TAC_E_SYNTAX, 0, 0, "declares no fields");
    check_bad("# nothing\n\n", TAC_E_SYNTAX, 0, 0, "declares no fields");
    check_bad("uint64 timestamp\nflaot32 x\n", TAC_E_NAME, 2, 1,
              "unknown type 'flaot32'; did you mean 'float32'?");
    check_bad("string s", TAC_E_NAME, 1, 1, "unknown type 'string'");
    check_bad("uint8", TAC_E_SYNTAX, 1, 6, "the line ends too early: expected a name");
    check_bad("  uint8   # x", TAC_E_SYNTAX, 1, 8, "expected a name");
    check_bad("uint8 3x", TAC_E_SYNTAX, 1, 7, "expected a name, found '3'");
    check_bad("3 x", TAC_E_SYNTAX, 1, 1, "expected a type, found '3'");
    check_bad("uint8 a b", TAC_E_SYNTAX, 1, 9, "expected the end of the line or '=', found 'b'");
    check_bad("uint8 a;", TAC_E_SYNTAX, 1, 8, "found ';'");
    check_bad("uint8[] a", TAC_E_SYNTAX, 1, 7, "only fixed lengths are known");
    check_bad("uint8[<=3] a", TAC_E_SYNTAX, 1, 7, "only fixed lengths are known, found '<'");
    check_bad("uint8[0] a", TAC_E_RANGE, 1, 7, "expected a length from 1");
    check_bad("uint8[65529] a", TAC_E_RANGE, 1, 7, "expected a length from 1 to 65528");
    check_bad("uint8[4294967297] a", TAC_E_RANGE, 1, 7, "expected a length from 1");
    check_bad("uint8[3 a", TAC_E_SYNTAX, 1, 8, "expected ']', found ' '");
    check_bad("uint8[3", TAC_E_SYNTAX, 1, 8, "the line ends too early: expected ']'");
    check_bad("uint8[3]a", TAC_E_SYNTAX, 1, 9, "expected a space and a name");
    check_bad("px4/Esc a", TAC_E_NAME, 1, 1, "unknown type 'px4'");
    check_bad("uint8 a\x01", TAC_E_SYNTAX, 1, 8, "found byte 0x01");
    check_bad("uint8 \xC2\xB5", TAC_E_SYNTAX, 1, 7, "found byte 0xC2");
    check_bad("uint8 a\n\nint8 a", TAC_E_DUPLICATE, 3, 6, "'a' is declared in line 1 already");
    check_bad("uint8 a\nuint8 a = 3", TAC_E_DUPLICATE, 2, 7, "already");
    check_bad("uint8 a_name_of_just_as_many_letters_as_the_name_of_a_field_may_have__", TAC_E_LIMIT,
              1, 7, "at most 63 characters");
    check_good("uint8 a_name_of_just_as_many_letters_as_the_name_of_a_field_may_have_", 1, 0);
}

// The whole line is shown, with the caret below the spot.
static void test_caret(void **state)
{
    (void)state;
    tac_error err;
    char text[4096];
    parse("uint64 timestamp\r\nuint8 a b # \xC2\xB5s\r\n", &err);
    tac_error_print(&err, text, sizeof text);
    assert_string_equal(text, "A.msg:2:9: error: expected the end of the line or '=', found 'b'\n"
                              "     2 | uint8 a b # \xC2\xB5s\n"
                              "       |         ^\n");
}

static void test_field_limit(void **state)
{
    (void)state;
    tac__text text;
    tac__text_init(&text, NULL);
    for (int i = 0; i < TAC__UORB_FIELDS_MAX; i++)
        tac__text_add(&text, "uint8 f%d\n", i);
    check_good(text.chars, TAC__UORB_FIELDS_MAX, 0);
    tac__text_add(&text, "uint8 more\n");
    check_bad(text.chars, TAC_E_LIMIT, TAC__UORB_FIELDS_MAX + 1, 1, "at most 512 fields");
    tac__text_fini(&text);
}

// --- topics -------------------------------------------------------------------------------------

static void check_topics(const char *text, const char *expected)
{
    char name[TAC__UORB_NAME], all[1024];
    tac__out out = tac__out_begin(all, sizeof all);
    tac__uorb_topics topics = tac__uorb_topics_begin(text, strlen(text));
    while (tac__uorb_topics_next(&topics, name))
        tac__out_add(&out, "%s,", name);
    assert_string_equal(all, expected);
}

static void test_topics(void **state)
{
    (void)state;
    check_topics("", "");
    check_topics("# TOPICS a", "a,");
    check_topics("# TOPICS ", "");
    check_topics("# TOPICS\n# TOPICSa b", "");
    check_topics("uint8 x\n# TOPICS  a b\tc \r\nuint8 y\n# TOPICS d\n", "a,b,c,d,");
    check_topics("# TOPICS a\n# TOPICS b\n", "a,b,");
    check_topics("uint8 x # TOPICS a\n # TOPICS b\n## TOPICS c\n", "");
    check_topics("# TOPICS \n\n\n# TOPICS b", "b,");
    check_topics("# TOPICS a_name_of_just_as_many_letters_as_the_name_of_a_field_may_have__ b",
                 "b,");
    char name[TAC__UORB_NAME];
    assert_true(tac__uorb_topic_of("EscReport", name));
    assert_string_equal(name, "esc_report");
    assert_true(tac__uorb_topic_of("TrajectorySetpoint6DoF", name));
    assert_string_equal(name, "trajectory_setpoint6_do_f");
    assert_false(
        tac__uorb_topic_of("ANameOfAMessageThatIsALotLongerThanAnyOfThoseThatPx4Has", name));
}

// --- folders ------------------------------------------------------------------------------------

static tac__uorb_folder *open_data(tac__arena *in)
{
    const char *root = getenv("TACTUS_SOURCE");
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/autopilot/data/px4_msg", root ? root : ".");
    tac__uorb_folder *folder = NULL;
    tac_error err;
    if (tac__uorb_folder_open(in, path, &folder, &err) != TAC_OK)
        fail_msg("%s", err.text);
    return folder;
}

static const tac__uorb_message *load(tac__uorb_folder *folder, const char *topic)
{
    const tac__uorb_message *message = NULL;
    tac_error err;
    char text[4096];
    if (tac__uorb_folder_message(folder, topic, &message, &err) != TAC_OK) {
        tac_error_print(&err, text, sizeof text);
        fail_msg("%s", text);
    }
    return message;
}

static void check_fails(tac__uorb_folder *folder, const char *topic, tac_status status,
                        const char *file, uint32_t line, uint32_t column, const char *words)
{
    const tac__uorb_message *message = NULL;
    tac_error err;
    const tac_status got = tac__uorb_folder_message(folder, topic, &message, &err);
    if (got != status || strcmp(err.file, file) != 0 || err.line != line || err.column != column ||
        !strstr(err.text, words))
        fail_msg("%s: %s:%u:%u: %s", tac_status_name(got), err.file, err.line, err.column,
                 err.text);
}

// The hashes are those of a build of PX4, and of another program for the message in a message.
static void test_folder(void **state)
{
    (void)state;
    tac__uorb_folder *folder = open_data(&arena);
    const tac__uorb_message *m = load(folder, "vehicle_torque_setpoint");
    assert_true(m->hash == 0x67088e65 && m->size == 32 && m->size_no_padding == 28);
    m = load(folder, "vehicle_angular_velocity_groundtruth");
    assert_true(m->hash == 0x48cb9568 && m->size == 40);
    assert_string_equal(m->name, "vehicle_angular_velocity_groundtruth");
    m = load(folder, "rotor_reports_raw");
    assert_true(m->hash == 0xae3cd4d1 && m->size == 64 && m->depth == 2);
    tac__uorb_slot slot;
    assert_int_equal(tac__uorb_find(m, "rotor[1].temperature", &slot, NULL), TAC_OK);
    assert_true(slot.offset == 36 && slot.type == TAC__UORB_INT16);
    assert_true(load(folder, "rotor_report")->hash == 0xb7f646d0);
    assert_true(load(folder, "rotor_reports")->fields == m->fields); // laid out once
}

// Every built-in message, written as a .msg file and read back.
static void test_builtins_from_text(void **state)
{
    (void)state;
    tac__uorb_folder *folder;
    assert_int_equal(tac__uorb_folder_create(&arena, "text", &folder, NULL), TAC_OK);
    for (size_t i = 0; tac__uorb_builtin_topic(i); i++) {
        const char *topic = tac__uorb_builtin_topic(i);
        const tac__uorb_message *built, *read;
        assert_int_equal(tac__uorb_builtin(&arena, topic, &built, NULL), TAC_OK);
        tac__text text;
        tac__text_init(&text, NULL);
        for (size_t f = 0; f < built->field_count; f++) {
            const tac__uorb_field *field = &built->fields[built->declared[f]];
            tac__text_add(&text, "%s", tac__uorb_element_type(field));
            if (field->array)
                tac__text_add(&text, "[%u]", field->count);
            tac__text_add(&text, " %s\n", field->name);
        }
        tac__text_add(&text, "# TOPICS %s\n", topic);
        char type[32];
        snprintf(type, sizeof type, "M%zu", i);
        assert_int_equal(tac__uorb_folder_add(folder, type, type, text.chars, text.length, NULL),
                         TAC_OK);
        tac__text_fini(&text);
        read = load(folder, topic);
        assert_true(read->hash == built->hash && read->size == built->size);
        for (size_t f = 0; f < built->field_count; f++) {
            assert_string_equal(read->fields[f].name, built->fields[f].name);
            assert_int_equal(read->fields[f].offset, built->fields[f].offset);
        }
    }
}

static void add(tac__uorb_folder *folder, const char *type, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s.msg", type);
    assert_int_equal(tac__uorb_folder_add(folder, type, path, text, strlen(text), NULL), TAC_OK);
}

static void test_folder_errors(void **state)
{
    (void)state;
    tac__uorb_folder *folder;
    tac__uorb_folder_create(&arena, "text", &folder, NULL);
    add(folder, "Good", "uint64 timestamp\n");
    add(folder, "Typo", "uint64 timestamp\nGod x\n");
    add(folder, "Holder", "uint64 timestamp\nBroken x\n");
    add(folder, "Broken", "uint64 timestamp\n uint8 x y\n");
    add(folder, "Self", "uint64 timestamp\nSelf x\n");
    add(folder, "RoundOne", "RoundTwo x\n");
    add(folder, "RoundTwo", "uint8 n\nRoundThree x\n");
    add(folder, "RoundThree", "RoundTwo x\n");
    add(folder, "Large", "Good[8191] x\nuint8 y\n");
    add(folder, "Fits", "Good[8191] x\n");
    add(folder, "First", "uint8 x\n# TOPICS both\n");
    add(folder, "Second", "uint8 x\n# TOPICS both\n");
    check_fails(folder, "god", TAC_E_NAME, "", 0, 0,
                "no .msg file in 'text' is of topic 'god'; did you mean 'good'?");
    check_fails(folder, "first", TAC_E_NAME, "", 0, 0, "is of topic 'first'");
    check_fails(folder, "both", TAC_E_DUPLICATE, "", 0, 0, "'First.msg'");
    check_fails(folder, "typo", TAC_E_NAME, "Typo.msg", 2, 1,
                "unknown type 'God': there is no God.msg; did you mean 'Good'?");
    check_fails(folder, "holder", TAC_E_SYNTAX, "Broken.msg", 2, 10, "expected the end");
    check_fails(folder, "self", TAC_E_CYCLE, "Self.msg", 2, 1,
                "message 'Self' holds itself: Self holds Self");
    check_fails(folder, "round_one", TAC_E_CYCLE, "RoundThree.msg", 1, 1,
                "message 'RoundTwo' holds itself: RoundTwo holds RoundThree holds RoundTwo");
    check_fails(folder, "large", TAC_E_LIMIT, "Large.msg", 2, 1, "larger than 65528 bytes");
    assert_int_equal(load(folder, "fits")->size, TAC__UORB_SIZE_MAX);
    load(folder, "good");
    check_fails(folder, "self", TAC_E_CYCLE, "Self.msg", 2, 1, "Self holds Self"); // still

    tac_error err;
    assert_int_equal(tac__uorb_folder_add(folder, "Good", "versioned/Good.msg", "", 0, &err),
                     TAC_E_DUPLICATE);
    assert_non_null(strstr(err.text, "'Good.msg' and 'versioned/Good.msg'"));
    const tac__uorb_message *message;
    tac__uorb_folder_message(folder, "holder", &message, &err);
    assert_string_equal(err.context, "while laying out field 'x' of Holder.msg\n"
                                     "while laying out topic 'holder'\n");
}

// Whether the inner ones were laid out before or not.
static void test_depth(void **state)
{
    (void)state;
    for (int inner_first = 0; inner_first < 2; inner_first++) {
        tac__uorb_folder *folder;
        tac__uorb_folder_create(&arena, "text", &folder, NULL);
        add(folder, "D1", "uint8 x\n");
        for (int i = 2; i <= 10; i++) {
            char type[16], text[32];
            snprintf(type, sizeof type, "D%d", i);
            snprintf(text, sizeof text, "D%d x\n", i - 1);
            add(folder, type, text);
        }
        if (inner_first)
            assert_int_equal(load(folder, "d8")->depth, TAC__UORB_DEPTH_MAX);
        check_fails(folder, "d9", TAC_E_LIMIT, inner_first ? "D9.msg" : "D2.msg", 1, 1,
                    "nested more than 8 deep");
        check_fails(folder, "d10", TAC_E_LIMIT, inner_first ? "D9.msg" : "D3.msg", 1, 1,
                    "nested more than 8 deep");
        assert_int_equal(load(folder, "d8")->depth, TAC__UORB_DEPTH_MAX);
    }
}

// --- the disk -----------------------------------------------------------------------------------

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void check_closed(const char *path, tac_status status, const char *words)
{
    tac__uorb_folder *folder;
    tac_error err;
    assert_int_equal(tac__uorb_folder_open(&arena, path, &folder, &err), status);
    if (!strstr(err.text, words))
        fail_msg("%s", err.text);
}

static void test_disk(void **state)
{
    (void)state;
    check_closed(path_of("none"), TAC_E_FILE, "cannot open folder");
    mkdir(path_of("empty"), 0777);
    check_closed(path_of("empty"), TAC_E_FILE, "holds no .msg files");
    write_file(path_of("empty/readme.txt"), "uint8 x\n");
    write_file(path_of("empty/.Hidden.msg"), "uint8 x\n");
    write_file(path_of("empty/.msg"), "uint8 x\n");
    check_closed(path_of("empty"), TAC_E_FILE, "holds no .msg files");
    check_closed(path_of("empty/readme.txt"), TAC_E_FILE, "cannot open folder");

    mkdir(path_of("msg"), 0777);
    mkdir(path_of("msg/versioned"), 0777);
    write_file(path_of("msg/Outer.msg"), "uint64 timestamp\nInner x\n");
    write_file(path_of("msg/versioned/Inner.msg"), "int32 x y\n");
    tac__uorb_folder *folder;
    assert_int_equal(tac__uorb_folder_open(&arena, path_of("msg"), &folder, NULL), TAC_OK);
    check_fails(folder, "outer", TAC_E_SYNTAX, path_of("msg/versioned/Inner.msg"), 1, 9,
                "expected the end of the line");
    write_file(path_of("msg/versioned/Inner.msg"), "int32 x\n");
    assert_int_equal(tac__uorb_folder_open(&arena, path_of("msg"), &folder, NULL), TAC_OK);
    assert_int_equal(load(folder, "outer")->size, 16);
    write_file(path_of("msg/versioned/Outer.msg"), "int32 x\n");
    check_closed(path_of("msg"), TAC_E_DUPLICATE, "message 'Outer' is there twice");

    // The folder of the tests is removed with its files only.
    static const char *const made[] = {"empty/readme.txt",
                                       "empty/.Hidden.msg",
                                       "empty/.msg",
                                       "empty",
                                       "msg/versioned/Outer.msg",
                                       "msg/versioned/Inner.msg",
                                       "msg/versioned",
                                       "msg/Outer.msg",
                                       "msg"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        assert_int_equal(remove(path_of(made[i])), 0);
}

static void test_memory(void **state)
{
    (void)state;
    char path[1024];
    const char *root = getenv("TACTUS_SOURCE");
    snprintf(path, sizeof path, "%s/tests/autopilot/data/px4_msg", root ? root : ".");
    for (uint64_t n = 1;; n++) {
        test_allocator counts = test_allocator_make();
        counts.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&counts);
        tac__arena small;
        tac__arena_init(&small, &hook);
        tac__uorb_folder *folder;
        const tac__uorb_message *message;
        tac_status status = tac__uorb_folder_open(&small, path, &folder, NULL);
        if (status == TAC_OK)
            status = tac__uorb_folder_message(folder, "rotor_reports", &message, NULL);
        tac__arena_fini(&small);
        test_allocator_check_empty(&counts);
        if (status == TAC_OK) {
            assert_true(n > 5);
            break;
        }
        assert_int_equal(status, TAC_E_MEMORY);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

TEST_MAIN(TEST(test_syntax), TEST(test_constants), TEST(test_mistakes), TEST(test_caret),
          TEST(test_field_limit), TEST(test_topics), TEST(test_folder),
          TEST(test_builtins_from_text), TEST(test_folder_errors), TEST(test_depth),
          TEST(test_disk), TEST(test_memory))
