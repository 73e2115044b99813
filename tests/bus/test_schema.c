// The listing of signals: one writer each, and a hash over what it means.
#include "support/test.h"

#include "bus/schema.h"

static const tac__signal base = {.name = "Nav.position",
                                 .unit = "m",
                                 .doc = "where",
                                 .writer = "Nav",
                                 .group = "slow",
                                 .type = TAC_TYPE_VEC3,
                                 .stage = TAC_STAGE_ESTIMATE,
                                 .derivative = -1};

static uint64_t hash_of(const tac__signal *signals, size_t count)
{
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    tac__schema schema = {0};
    tac_error err;
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tac__schema_add(&schema, &arena, &signals[i], &err), TAC_OK);
    const uint64_t hash = tac__schema_hash(&schema);
    tac__arena_fini(&arena);
    return hash;
}

static void test_one_writer(void **state)
{
    (void)state;
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    tac__schema schema = {0};
    tac_error err;
    assert_int_equal(tac__schema_add(&schema, &arena, &base, &err), TAC_OK);
    tac__signal other = base;
    other.writer = "Other";
    assert_int_equal(tac__schema_add(&schema, &arena, &other, &err), TAC_E_OWNER);
    assert_string_equal(err.text, "two writers for signal 'Nav.position': 'Nav' and 'Other'; a "
                                  "signal has exactly one");
    assert_int_equal(schema.count, 1);
    assert_int_equal(schema.signals[0].words, 3);
    assert_int_equal(tac__schema_find(&schema, "Nav.position"), 0);
    assert_int_equal(tac__schema_find(&schema, "Nav.positio"), -1);
    assert_string_equal(tac__schema_name(&schema, 0), "Nav.position");
    assert_null(tac__schema_name(&schema, 1));
    tac__arena_fini(&arena);
}

// Everything that decides what a reader gets counts; descriptions and places in memory do not.
static void test_hash(void **state)
{
    (void)state;
    const uint64_t hash = hash_of(&base, 1);
    tac__signal s[6] = {base, base, base, base, base, base};
    s[0].name = "Nav.positions";
    s[1].unit = "km";
    s[2].writer = "Nev";
    s[3].group = "fast";
    s[4].stage = TAC_STAGE_CONTROL;
    s[5].type = (tac_type)TAC_TYPE_ARRAY(TAC_F64, 3);
    for (int i = 0; i < 6; i++)
        assert_true(hash_of(&s[i], 1) != hash);
    tac__signal same = base;
    same.doc = "elsewhere";
    same.offset = 99;
    same.component = 7;
    assert_true(hash_of(&same, 1) == hash);
    tac__signal continuous = base;
    continuous.continuous = true;
    assert_true(hash_of(&continuous, 1) != hash);
    const tac__signal ab[2] = {base, s[0]}, ba[2] = {s[0], base};
    assert_true(hash_of(ab, 2) != hash_of(ba, 2)); // the order of the columns
    assert_true(hash_of(ab, 2) != hash);
}

static void test_listings(void **state)
{
    (void)state;
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    tac__schema schema = {0};
    tac_error err;
    assert_int_equal(tac__schema_add(&schema, &arena, &base, &err), TAC_OK);
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__schema_text(&schema, &text);
    assert_non_null(strstr(text.chars, "1 signals"));
    assert_non_null(strstr(text.chars, "Nav.position  vec3       m        estimate"));
    tac__text_fini(&text);
    tac__schema_json(&schema, &text);
    assert_non_null(strstr(text.chars, "\"name\": \"Nav.position\", \"type\": \"vec3\""));
    tac__text_fini(&text);
    tac__arena_fini(&arena);
}

TEST_MAIN(cmocka_unit_test(test_one_writer), cmocka_unit_test(test_hash),
          cmocka_unit_test(test_listings))
