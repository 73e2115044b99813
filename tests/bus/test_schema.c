// The listing of signals: one writer each, and a hash over what it means.
#include "support/test.h"

#include "bus/schema.h"

static const tac__signal_kind kind = {.unit = "m",
                                      .doc = "where",
                                      .group = "slow",
                                      .type = TAC_TYPE_VEC3,
                                      .stage = TAC_STAGE_ESTIMATE,
                                      .words = 3};
static const tac__signal base = {
    .name = "Nav.position", .writer = "Nav", .kind = &kind, .derivative = -1};

static uint64_t hash_of(const tac__signal *signals, size_t count)
{
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    tac__schema schema = {0};
    for (size_t i = 0; i < count; i++)
        assert_int_equal(tac__schema_add(&schema, &arena, &signals[i]), TAC_OK);
    const uint64_t hash = tac__schema_hash(&schema);
    tac__arena_fini(&arena);
    return hash;
}

static uint64_t hash_of_kind(const tac__signal_kind *other)
{
    tac__signal s = base;
    s.kind = other;
    return hash_of(&s, 1);
}

static void test_names(void **state)
{
    (void)state;
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    tac__schema schema = {0};
    tac__signal other = base;
    other.name = "Nav.velocity";
    assert_int_equal(tac__schema_add(&schema, &arena, &base), TAC_OK);
    assert_int_equal(tac__schema_add(&schema, &arena, &other), TAC_OK);
    assert_int_equal(schema.count, 2);
    assert_string_equal(tac__schema_name(&schema, 0), "Nav.position");
    assert_string_equal(tac__schema_name(&schema, 1), "Nav.velocity");
    assert_null(tac__schema_name(&schema, 2));
    tac__arena_fini(&arena);
}

// Everything that decides what a reader gets counts; descriptions and places in memory do not.
static void test_hash(void **state)
{
    (void)state;
    const uint64_t hash = hash_of(&base, 1);
    tac__signal s[2] = {base, base};
    s[0].name = "Nav.positions";
    s[1].writer = "Nev";
    for (int i = 0; i < 2; i++)
        assert_true(hash_of(&s[i], 1) != hash);
    tac__signal_kind k[5] = {kind, kind, kind, kind, kind};
    k[0].unit = "km";
    k[1].group = "fast";
    k[2].stage = TAC_STAGE_CONTROL;
    k[3].type = (tac_type)TAC_TYPE_ARRAY(TAC_F64, 3);
    k[4].continuous = true;
    for (int i = 0; i < 5; i++)
        assert_true(hash_of_kind(&k[i]) != hash);
    tac__signal_kind described = kind;
    described.doc = "elsewhere";
    assert_true(hash_of_kind(&described) == hash);
    tac__signal same = base;
    same.offset = 99;
    same.component = 7;
    assert_true(hash_of(&same, 1) == hash);
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
    assert_int_equal(tac__schema_add(&schema, &arena, &base), TAC_OK);
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

TEST_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_hash),
          cmocka_unit_test(test_listings))
