// Types: sizes, padding, rest values, printing; names of stages and policies.
#include "support/test.h"

#include "bus/type.h"

#include <string.h>

static const char *const colours[] = {"RED", "GREEN", NULL};
static const char *const same_colours[] = {"RED", "GREEN", NULL};
static const char *const more[] = {"RED", "GREEN", "BLUE", NULL};

static void test_sizes(void **state)
{
    (void)state;
    const struct {
        tac_type type;
        size_t bytes, words;
        const char *text;
    } cases[] = {
        {TAC_TYPE_F64, 8, 1, "f64"},
        {TAC_TYPE_I32, 4, 1, "i32"},
        {TAC_TYPE_I64, 8, 1, "i64"},
        {TAC_TYPE_BOOL, 1, 1, "bool"},
        {TAC_TYPE_VEC3, 24, 3, "vec3"},
        {TAC_TYPE_QUAT, 32, 4, "quat"},
        {TAC_TYPE_ENUM(colours), 4, 1, "enum{RED,GREEN}"},
        {TAC_TYPE_ARRAY(TAC_F64, 5), 40, 5, "f64[5]"},
        {TAC_TYPE_ARRAY(TAC_F64, 1), 8, 1, "f64[1]"},
        {TAC_TYPE_ARRAY(TAC_I32, 3), 12, 2, "i32[3]"},
        {TAC_TYPE_ARRAY(TAC_BOOL, 9), 9, 2, "bool[9]"},
        {{TAC_ENUM, TAC_ARRAY, 2, colours}, 8, 1, "enum{RED,GREEN}[2]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tac_error err;
        char text[64];
        assert_int_equal(tac__type_check(&cases[i].type, "x", &err), TAC_OK);
        assert_int_equal(tac__type_size(&cases[i].type), cases[i].bytes);
        assert_int_equal(tac__type_words(&cases[i].type), cases[i].words);
        tac_type_print(&cases[i].type, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            assert_int_equal(tac__type_same(&cases[i].type, &cases[k].type), i == k);
    }
}

static void test_enums_are_compared_by_label(void **state)
{
    (void)state;
    const tac_type a = TAC_TYPE_ENUM(colours), b = TAC_TYPE_ENUM(same_colours),
                   c = TAC_TYPE_ENUM(more);
    assert_true(tac__type_same(&a, &b));
    assert_false(tac__type_same(&a, &c));
    assert_false(tac__type_same(&c, &a));
}

static void test_invalid_types(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    const tac_type wrong[] = {
        {TAC_F64, TAC_SINGLE, 2, NULL},       {TAC_F64, TAC_SINGLE, 0, NULL},
        {TAC_F64, TAC_ARRAY, 0, NULL},        {TAC_F64, TAC_ARRAY, (1 << 16) + 1, NULL},
        {TAC_F64, TAC_VEC3, 4, NULL},         {TAC_F64, TAC_QUAT, 3, NULL},
        {TAC_I32, TAC_VEC3, 3, NULL},         {TAC_BOOL, TAC_QUAT, 4, NULL},
        {TAC_ENUM, TAC_SINGLE, 1, NULL},      {TAC_ENUM, TAC_SINGLE, 1, none},
        {(tac_scalar)9, TAC_SINGLE, 1, NULL}, {TAC_F64, (tac_shape)9, 4, NULL},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tac_error err;
        assert_int_equal(tac__type_check(&wrong[i], "port", &err), TAC_E_TYPE);
        assert_non_null(strstr(err.text, "port"));
    }
    tac_error err;
    const tac_type largest = TAC_TYPE_ARRAY(TAC_F64, 1 << 16);
    assert_int_equal(tac__type_check(&largest, "port", &err), TAC_OK);
}

static void test_rest_values(void **state)
{
    (void)state;
    double q[4];
    uint64_t words[2];
    memset(q, 0xff, sizeof q);
    memset(words, 0xff, sizeof words);
    const tac_type quat = TAC_TYPE_QUAT, bools = TAC_TYPE_ARRAY(TAC_BOOL, 9);
    tac__type_rest(&quat, q);
    tac__type_rest(&bools, words);
    assert_true(q[0] == 1 && q[1] == 0 && q[2] == 0 && q[3] == 0);
    assert_true(words[0] == 0 && words[1] == 0); // the padding too
}

static void check_print(tac_type type, const void *value, const char *expected)
{
    char text[64];
    tac__value_print(&type, value, text, sizeof text);
    assert_string_equal(text, expected);
}

static void test_values_print(void **state)
{
    (void)state;
    const double d[3] = {0.1, -1e300, 3};
    check_print((tac_type)TAC_TYPE_F64, d, "0.1");
    check_print((tac_type)TAC_TYPE_VEC3, d, "[0.1, -1e+300, 3]");
    const int32_t i[3] = {-5, 1, 2};
    check_print((tac_type)TAC_TYPE_I32, i, "-5");
    check_print((tac_type)TAC_TYPE_ARRAY(TAC_I32, 3), i, "[-5, 1, 2]");
    check_print((tac_type)TAC_TYPE_ENUM(colours), &i[1], "GREEN");
    check_print((tac_type)TAC_TYPE_ENUM(colours), &i[0], "-5"); // no label for it
    check_print((tac_type)TAC_TYPE_ENUM(colours), &i[2], "2");
    const int64_t big = INT64_MIN;
    check_print((tac_type)TAC_TYPE_I64, &big, "-9223372036854775808");
    const bool b[2] = {true, false};
    check_print((tac_type)TAC_TYPE_ARRAY(TAC_BOOL, 2), b, "[true, false]");
    char text[6];
    const tac_type vec3 = TAC_TYPE_VEC3;
    tac__value_print(&vec3, d, text, sizeof text); // cut to fit
    assert_string_equal(text, "[0.1,");
}

static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < TAC_STAGE_COUNT; i++) {
        tac_stage stage;
        assert_true(tac_stage_parse(tac_stage_name((tac_stage)i), &stage));
        assert_int_equal(stage, i);
    }
    for (int i = 0; i < 4; i++) {
        tac_policy policy;
        assert_true(tac_policy_parse(tac_policy_name((tac_policy)i), &policy));
        assert_int_equal(policy, i);
    }
    tac_policy policy;
    assert_true(tac_policy_parse("zoh", &policy) && policy == TAC_ZOH);
    assert_true(tac_policy_parse("Extrapolated", &policy) && policy == TAC_EXTRAPOLATED);
    assert_false(tac_policy_parse("ZO", &policy));
    assert_false(tac_policy_parse("ZOHH", &policy));
    assert_false(tac_policy_parse("", &policy));
    tac_stage stage;
    assert_false(tac_stage_parse("contro", &stage));
    assert_string_equal(tac_stage_name((tac_stage)99), "?");
    assert_string_equal(tac_policy_name((tac_policy)99), "?");
}

TEST_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_enums_are_compared_by_label),
          cmocka_unit_test(test_invalid_types), cmocka_unit_test(test_rest_values),
          cmocka_unit_test(test_values_print), cmocka_unit_test(test_names))
