// Types of LCM: fingerprints as lcm-gen 1.3.1 wrote them, groups of signals, messages there and
// back. tests/record/export_lcm.py and tests/bus/lcm_message.py have code of LCM read the same.
#include "support/allocator.h"
#include "support/formats.h"
#include "support/test.h"

#include "bus/lcm_message.h"
#include "bus/lcm_type.h"

#include <stdlib.h>
#include <string.h>

// --- fingerprints and values --------------------------------------------------------------------

static void test_fingerprints(void **state)
{
    (void)state;
    // From `lcm-gen -p`: the hash of the members, turned by one bit.
    assert_true(tac__lcm_message_fingerprint(TAC__LCM_NUMBERS) == UINT64_C(0x6c46cae00ca208fb));
    assert_true(tac__lcm_message_fingerprint(TAC__LCM_BYTES) == UINT64_C(0x9e606524d7c14130));
}

static void check_back(const uint8_t *from, const tac_type *type, const void *value, size_t size)
{
    uint8_t back[64];
    assert_ptr_equal(tac__lcm_get_value(from, type, back), from + size);
    assert_memory_equal(back, value, size);
}

static void test_values(void **state)
{
    (void)state;
    uint8_t to[64];
    const double pair[2] = {1.0, -0.0};
    const tac_type two = {.scalar = TAC_F64, .shape = TAC_ARRAY, .count = 2};
    assert_ptr_equal(tac__lcm_put_value(to, &two, pair), to + 16);
    assert_memory_equal(to, "\x3f\xf0\0\0\0\0\0\0\x80\0\0\0\0\0\0\0", 16);
    check_back(to, &two, pair, 16);
    const int32_t whole = -2;
    const tac_type i32 = {.scalar = TAC_I32, .count = 1};
    assert_ptr_equal(tac__lcm_put_value(to, &i32, &whole), to + 4);
    assert_memory_equal(to, "\xff\xff\xff\xfe", 4);
    check_back(to, &i32, &whole, 4);
    const int64_t large = 0x0102030405060708;
    const tac_type i64 = {.scalar = TAC_I64, .count = 1};
    assert_ptr_equal(tac__lcm_put_value(to, &i64, &large), to + 8);
    assert_memory_equal(to, "\1\2\3\4\5\6\7\x8", 8);
    check_back(to, &i64, &large, 8);
    const bool flags[3] = {true, false, true};
    const tac_type three = {.scalar = TAC_BOOL, .shape = TAC_ARRAY, .count = 3};
    assert_ptr_equal(tac__lcm_put_value(to, &three, flags), to + 3);
    assert_memory_equal(to, "\1\0\1", 3);
    check_back(to, &three, flags, 3);
}

// --- groups -------------------------------------------------------------------------------------

static const char *const labels[] = {"OFF", "on the way", NULL};

static const tac__lcm_field fields[] = {
    {.name = "battery.soc", .unit = "1", .type = {.scalar = TAC_F64, .count = 1}},
    {.name = "battery_soc", .type = {.scalar = TAC_F64, .count = 1}},
    {.name = "utime", .type = {.scalar = TAC_I64, .count = 1}},
    {.name = "switch", .unit = "V", .type = {.scalar = TAC_BOOL, .count = 1}},
    {.name = "velocity",
     .unit = "m/s",
     .doc = "two\nlines",
     .type = {.scalar = TAC_F64, .shape = TAC_VEC3, .count = 3}},
    {.name = "mode", .type = {.scalar = TAC_ENUM, .count = 1, .labels = labels}},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static tac_status write_groups(const tac_allocator *hook, tac__text *out, tac__lcm_group group[4])
{
    tac__arena arena;
    tac__arena_init(&arena, hook);
    tac__lcm_types types;
    tac_error err;
    tac_status status = tac__lcm_types_begin(&types, &arena, out, "a title", &err);
    const struct {
        const char *stem, *channel;
        size_t count;
    } groups[4] = {{"body.log", "uav1.body.log", FIELDS},
                   {"body.log", "uav2.body.log", FIELDS},
                   {"body.log", "uav3.body.log", FIELDS - 1},
                   {"numbers", "numbers", 1}};
    for (int i = 0; i < 4 && status == TAC_OK; i++)
        status = tac__lcm_type_of_group(&types, groups[i].stem, groups[i].channel, fields,
                                        groups[i].count, &group[i], &err);
    tac__lcm_types_end(&types);
    if (status == TAC_OK && !out->failed) {
        assert_string_equal(group[0].type, "body_log_t");
        assert_string_equal(group[1].type, "body_log_t"); // looks the same
        assert_string_equal(group[2].type, "body_log_t_2");
        assert_string_equal(group[3].type, "numbers_t_2"); // that of messages has the name
        assert_true(group[0].fingerprint == group[1].fingerprint);
        assert_true(group[0].fingerprint != group[2].fingerprint);
        assert_int_equal(group[0].size, 16 + 8 + 8 + 8 + 1 + 24 + 4);
        assert_int_equal(group[3].size, 16 + 8);
        static const char *const members[FIELDS] = {"battery_soc", "battery_soc_2", "utime_2",
                                                    "switch_",     "velocity",      "mode"};
        for (int i = 0; i < FIELDS; i++)
            assert_string_equal(group[1].members[i], members[i]);
    }
    tac__arena_fini(&arena);
    return out->failed ? TAC_E_MEMORY : status;
}

static void test_groups(void **state)
{
    (void)state;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__lcm_group group[4];
    assert_int_equal(write_groups(tac_allocator_default(), &text, group), TAC_OK);
    static const char begin[] =
        "// a title\npackage tactus;\n\n// channel uav1.body.log, fingerprint "
        "0x",
                      body[] = "\nstruct body_log_t {\n"
                               "    int64_t utime; // microseconds since the start\n"
                               "    double battery_soc;\n"
                               "    double battery_soc_2;\n"
                               "    int64_t utime_2;\n"
                               "    boolean switch_; // [V] \n"
                               "    double velocity[3]; // [m/s] two lines\n"
                               "    int32_t mode;\n"
                               "    const int32_t MODE_OFF = 0;\n"
                               "    const int32_t MODE_ON_THE_WAY = 1;\n"
                               "}\n\n// channel uav3.body.log,";
    assert_int_equal(strncmp(text.chars, begin, sizeof begin - 1), 0);
    test_has(text.chars, body);
    test_has_not(text.chars, "uav2");
    tac__text_fini(&text);

    for (uint64_t n = 1;; n++) {
        test_allocator a = test_allocator_make();
        a.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&a);
        tac__text_init(&text, &hook);
        const tac_status status = write_groups(&hook, &text, group);
        tac__text_fini(&text);
        test_allocator_check_empty(&a);
        if (status == TAC_OK) {
            assert_true(n > 3);
            break;
        }
        assert_int_equal(status, TAC_E_MEMORY);
    }
}

// --- messages -----------------------------------------------------------------------------------

static void check_there_and_back(tac__lcm_message kind, const void *message, size_t size)
{
    uint8_t bytes[256];
    char back[256];
    size_t length;
    tac_error err;
    assert_true(size + TAC__LCM_MESSAGE_EXTRA <= sizeof bytes);
    assert_int_equal(tac__lcm_message_encode(kind, message, size, bytes, &err), TAC_OK);
    const size_t whole = size + TAC__LCM_MESSAGE_EXTRA;
    assert_int_equal(tac__lcm_message_decode(kind, bytes, whole, back, &length, &err), TAC_OK);
    assert_int_equal(length, size);
    if (size)
        assert_memory_equal(back, message, size);
    // Cut anywhere, or with a byte more, it is none.
    for (size_t n = 0; n <= whole + 1; n++) {
        if (n == whole)
            continue;
        assert_int_equal(tac__lcm_message_decode(kind, bytes, n, back, &length, &err),
                         TAC_E_FORMAT);
        assert_int_equal(length, 0);
    }
    const tac__lcm_message other = kind == TAC__LCM_BYTES ? TAC__LCM_NUMBERS : TAC__LCM_BYTES;
    assert_int_equal(tac__lcm_message_decode(other, bytes, whole, back, &length, &err),
                     TAC_E_FORMAT);
    test_has(err.text, tac__lcm_message_type(kind));
    test_has(err.text, tac__lcm_message_type(other));
    bytes[0] ^= 1;
    assert_int_equal(tac__lcm_message_decode(kind, bytes, whole, back, &length, &err),
                     TAC_E_FORMAT);
    test_has(err.text, "unknown type");
    bytes[0] ^= 1;
    bytes[8] = 0xff; // a count below zero
    assert_int_equal(tac__lcm_message_decode(kind, bytes, whole, back, &length, &err),
                     TAC_E_FORMAT);
    test_has(err.text, "says that it has -");
}

static void test_messages(void **state)
{
    (void)state;
    const uint64_t bits[] = {0,
                             1,
                             UINT64_C(0x8000000000000000),
                             UINT64_C(0x7ff8000000000001),
                             UINT64_C(0x3ff0000000000000),
                             UINT64_MAX};
    for (size_t n = 0; n <= sizeof bits; n += 8)
        check_there_and_back(TAC__LCM_NUMBERS, bits, n);
    for (size_t n = 0; n <= 20; n++)
        check_there_and_back(TAC__LCM_BYTES, "twenty bytes of text", n);
    uint8_t to[64];
    tac_error err;
    for (size_t n = 1; n < 8; n++)
        assert_int_equal(tac__lcm_message_encode(TAC__LCM_NUMBERS, bits, 8 + n, to, &err),
                         TAC_E_TYPE);
    assert_int_equal(tac__lcm_message_encode(TAC__LCM_BYTES, bits, (size_t)INT32_MAX + 1, to, &err),
                     TAC_E_LIMIT);
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__lcm_message_struct(TAC__LCM_BYTES, &text);
    assert_string_equal(text.chars,
                        "\n// any other message, fingerprint 0x9e606524d7c14130\nstruct bytes_t {\n"
                        "    int32_t count;\n    byte data[count];\n}\n");
    tac__text_fini(&text);
}

TEST_MAIN(cmocka_unit_test(test_fingerprints), cmocka_unit_test(test_values),
          cmocka_unit_test(test_groups), cmocka_unit_test(test_messages))
