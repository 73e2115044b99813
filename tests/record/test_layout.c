// How signals lie in a message: aligned as CDR wants it, named as a message allows, and read back
// from the description as they were.
#include "support/test.h"
#include "record/layout.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const labels[] = {"OFF", "ON \"x\"", NULL};

static const tac_recorded signals[] = {
    {.name = "a.on", .unit = "1", .doc = "", .type = TAC_TYPE_BOOL},
    {.name = "a.x", .unit = "m", .doc = "two\nlines", .type = TAC_TYPE_F64, .continuous = true},
    {.name = "a.k", .unit = "1", .doc = "", .type = TAC_TYPE_I32},
    {.name = "a.flags", .unit = "1", .doc = "", .type = {TAC_BOOL, TAC_ARRAY, 4, NULL}},
    {.name = "a.b.c", .unit = "1", .doc = "", .type = TAC_TYPE_VEC3},
    {.name = "a.b_c", .unit = "1", .doc = "", .type = TAC_TYPE_QUAT},
    {.name = "a.mode", .unit = "1", .doc = "", .type = TAC_TYPE_ENUM(labels)},
    {.name = "a.1st", .unit = "1", .doc = "", .type = {TAC_I64, TAC_ARRAY, 2, NULL}},
    {.name = "a.ks", .unit = "1", .doc = "", .type = {TAC_I32, TAC_ARRAY, 5, NULL}},
};
enum { COUNT = sizeof signals / sizeof *signals };

static size_t width_of(tac_scalar scalar)
{
    return scalar == TAC_BOOL ? 1 : scalar == TAC_F64 || scalar == TAC_I64 ? 8 : 4;
}

static void make(tac__layout *l, tac__arena *arena)
{
    tac__arena_init(arena, tac_allocator_default());
    *l = (tac__layout){0};
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(tac__layout_add(l, arena, &signals[i]), TAC_OK);
    assert_int_equal(tac__layout_close(l, arena, "a"), TAC_OK);
}

static void placed(void **state)
{
    (void)state;
    tac__arena arena;
    tac__layout l;
    make(&l, &arena);
    unsigned char in_message[256] = {0}, in_sample[512] = {0};
    assert_true(l.message_size <= sizeof in_message && l.size <= sizeof in_sample);
    size_t bytes = 4;
    for (size_t i = 0; i < COUNT; i++) {
        const tac__field *f = &l.fields[i];
        const size_t width = width_of(f->signal.type.scalar);
        assert_int_equal(f->bytes, width * f->signal.type.count);
        assert_int_equal((f->at - 4) % width, 0);
        assert_int_equal(f->signal.offset % 8, 0);
        for (size_t k = 0; k < f->bytes; k++) {
            assert_int_equal(in_message[f->at + k]++, 0);
            assert_int_equal(in_sample[f->signal.offset + k]++, 0);
        }
        bytes += f->bytes;
        // Legal in a message, and there once.
        assert_true(isalpha((unsigned char)f->name[0]));
        for (const char *c = f->name; *c; c++)
            assert_true(isalnum((unsigned char)*c) || *c == '_');
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(f->name, l.fields[k].name);
    }
    assert_int_equal(l.message_size, bytes); // no padding at all
    tac__arena_fini(&arena);
}

static void decoded(void **state)
{
    (void)state;
    tac__arena arena;
    tac__layout l;
    make(&l, &arena);
    unsigned char message[256];
    double sample[64];
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (unsigned char)(i * 37 + 11);
    tac__layout_decode(&l, message, sample);
    for (size_t i = 0; i < COUNT; i++) {
        const tac__field *f = &l.fields[i];
        const unsigned char *value = (const unsigned char *)sample + f->signal.offset;
        for (size_t k = 0; k < f->bytes; k++) {
            const unsigned char byte = message[f->at + k];
            assert_int_equal(value[k], f->signal.type.scalar == TAC_BOOL ? byte != 0 : byte);
        }
    }
    tac__arena_fini(&arena);
}

// Encoding undoes decoding, byte for byte, and leaves the padding of a sample alone.
static void encoded(void **state)
{
    (void)state;
    tac__arena arena;
    tac__layout l;
    make(&l, &arena);
    unsigned char message[256], again[256];
    double sample[64];
    memset(sample, 0xaa, sizeof sample);
    memset(again, 0xbb, sizeof again);
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (unsigned char)(i < TAC__CDR_HEADER ? tac__cdr_header[i] : i % 61 + 1);
    for (size_t i = 0; i < COUNT; i++) { // a bool is 0 or 1
        const tac__field *f = &l.fields[i];
        for (size_t k = 0; f->signal.type.scalar == TAC_BOOL && k < f->bytes; k++)
            message[f->at + k] = (unsigned char)(k % 2);
    }
    tac__layout_decode(&l, message, sample);
    tac__layout_encode(&l, sample, again);
    assert_memory_equal(again, message, l.message_size);
    assert_int_equal(again[l.message_size], 0xbb);
    tac__arena_fini(&arena);
}

// Recordings of other programs may have other NaNs; whoever compares or exports sees one.
static void one_nan(void **state)
{
    (void)state;
    static const uint64_t nan = UINT64_C(0x7ff8000000000000);
    static const uint64_t words[] = {UINT64_C(0xfff8000000000000), UINT64_C(0x7ff0000000000001),
                                     UINT64_C(0xffffffffffffffff), UINT64_C(0x7ff8000000000077)};
    tac__arena arena;
    tac__layout l;
    make(&l, &arena);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        unsigned char message[256];
        double sample[64];
        for (size_t i = 0; i + 8 <= sizeof message - 4; i += 8)
            memcpy(message + 4 + i, &words[w], 8);
        tac__layout_decode(&l, message, sample);
        for (size_t i = 0; i < COUNT; i++) {
            const tac_recorded *s = &l.fields[i].signal;
            for (size_t k = 0; s->type.scalar == TAC_F64 && k < s->type.count; k++)
                assert_memory_equal((const char *)sample + s->offset + 8 * k, &nan, 8);
            for (size_t k = 0; s->type.scalar == TAC_I64 && k < s->type.count; k++)
                assert_memory_equal((const char *)sample + s->offset + 8 * k, &words[w], 8);
        }
    }
    tac__arena_fini(&arena);
}

static void read_back(void **state)
{
    (void)state;
    tac__arena arena;
    tac__layout l, again = {0};
    make(&l, &arena);
    tac__text json;
    tac__text_init(&json, tac_allocator_default());
    tac__layout_json(&l, &json);
    tac_error err;
    assert_int_equal(tac__layout_read(&again, &arena, "a", json.chars, json.length, &err), TAC_OK);
    assert_int_equal(again.count, COUNT);
    assert_int_equal(again.size, l.size);
    assert_int_equal(again.message_size, l.message_size);
    for (size_t i = 0; i < COUNT; i++) {
        const tac__field *a = &l.fields[i], *b = &again.fields[i];
        assert_string_equal(a->name, b->name);
        assert_string_equal(a->signal.name, b->signal.name);
        assert_string_equal(a->signal.unit, b->signal.unit);
        assert_string_equal(a->signal.doc, b->signal.doc);
        assert_int_equal(a->signal.continuous, b->signal.continuous);
        assert_int_equal(a->signal.type.shape, b->signal.type.shape);
        assert_int_equal(a->signal.type.count, b->signal.type.count);
        assert_int_equal(a->at, b->at);
    }
    assert_string_equal(again.fields[6].signal.type.labels[1], "ON \"x\"");
    assert_null(again.fields[6].signal.type.labels[2]);
    // Cut anywhere it is refused.
    const size_t end = (size_t)(strrchr(json.chars, ']') - json.chars);
    for (size_t n = 0; n <= end; n++) {
        tac__layout part = {0};
        assert_int_not_equal(tac__layout_read(&part, &arena, "a", json.chars, n, &err), TAC_OK);
    }
    tac__text_fini(&json);
    tac__arena_fini(&arena);
}

static void as_message(void **state)
{
    (void)state;
    tac__arena arena;
    tac__layout l;
    make(&l, &arena);
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__layout_msg(&l, "a", tac_allocator_default(), &text);
    // The fields stand in the order in which they lie in a message; comments end with their line.
    size_t last = 0;
    char line[300];
    for (const char *at = text.chars; *at; at += strcspn(at, "\n") + 1) {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        if (line[0] == '#' || strchr(line, '='))
            continue;
        char type[32], name[64];
        assert_int_equal(sscanf(line, "%31s %63s", type, name), 2);
        for (size_t i = 0; i < COUNT; i++) {
            if (strcmp(l.fields[i].name, name))
                continue;
            assert_true(l.fields[i].at > last);
            last = l.fields[i].at;
        }
    }
    assert_true(last > 0);
    assert_non_null(strstr(text.chars, "float64 x  # [m] two lines\n"));
    assert_non_null(strstr(text.chars, "bool[4] flags "));
    assert_non_null(strstr(text.chars, "int32 MODE_OFF=0\n"));
    tac__text_fini(&text);
    tac__arena_fini(&arena);
}

// Names as ROS 2 wants them: fields in lower case, constants in upper case, words with single '_'
// between them, each once in a message. No comment has a character that ends a line elsewhere.
static void strict_names(void **state)
{
    (void)state;
    static const char *const some[] = {"c", "C", "b-c", NULL}, *const other[] = {"C", "", NULL};
    static const tac_recorded hard[] = {
        {.name = "a.A_b", .unit = "1", .doc = "", .type = {TAC_F64, TAC_SINGLE, 1, NULL}},
        {.name = "a.a__b", .unit = "1", .doc = "", .type = {TAC_F64, TAC_SINGLE, 1, NULL}},
        {.name = "a.x_", .unit = "1", .doc = "", .type = {TAC_F64, TAC_SINGLE, 1, NULL}},
        {.name = "a._1", .unit = "1", .doc = "", .type = {TAC_F64, TAC_SINGLE, 1, NULL}},
        {.name = "a.d",
         .unit = "m",
         .doc = "1\v2\xe2\x80\xa8"
                "3\xc2\x85"
                "4\xe2\x80\x94",
         .type = {TAC_F64, TAC_SINGLE, 1, NULL}},
        {.name = "a.a", .unit = "1", .doc = "", .type = {TAC_ENUM, TAC_SINGLE, 1, some}},
        {.name = "a.a_b", .unit = "1", .doc = "", .type = {TAC_ENUM, TAC_SINGLE, 1, other}},
    };
    static const char *const expected[] = {"float64 a_b  #",
                                           "float64 a_b_2  #",
                                           "float64 x  #",
                                           "float64 s_1  #",
                                           "float64 d  # [m] 1 2 3 4\xe2\x80\x94\n",
                                           "int32 A_C=0\n",
                                           "int32 A_C_2=1\n",
                                           "int32 A_B_C=2\n",
                                           "int32 a  #",
                                           "int32 A_B_3_C=0\n",
                                           "int32 A_B_3=1\n",
                                           "int32 a_b_3  #"};
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    tac__layout l = {0};
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
        assert_int_equal(tac__layout_add(&l, &arena, &hard[i]), TAC_OK);
    assert_int_equal(tac__layout_close(&l, &arena, "a"), TAC_OK);
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__layout_msg(&l, "a", tac_allocator_default(), &text);
    const char *at = text.chars;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        at = strstr(at, expected[i]);
        if (!at)
            fail_msg("'%s' is not where it should be in:\n%s", expected[i], text.chars);
    }
    tac__text_fini(&text);
    tac__arena_fini(&arena);
}

static void damaged(void **state)
{
    (void)state;
#define SIGNAL(type, shape, count, stage)                                                          \
    "[{\"name\": \"a.x\", \"type\": \"" type "\", \"shape\": \"" shape "\", \"count\": " count     \
    ", \"unit\": \"m\", \"doc\": \"\", \"stage\": \"" stage "\"}]"
    static const struct {
        const char *json;
        bool sound;
    } cases[] = {
        {SIGNAL("f64", "single", "1", "control"), true},
        {SIGNAL("f64", "vec3", "3", "control"), true},
        {SIGNAL("f32", "single", "1", "control"), false},
        {SIGNAL("f64", "cube", "1", "control"), false},
        {SIGNAL("f64", "single", "2", "control"), false},
        {SIGNAL("f64", "vec3", "4", "control"), false},
        {SIGNAL("f64", "quat", "3", "control"), false},
        {SIGNAL("i32", "vec3", "3", "control"), false},
        {SIGNAL("f64", "array", "0", "control"), false},
        {SIGNAL("f64", "array", "-1", "control"), false},
        {SIGNAL("f64", "array", "4294967297", "control"), false},
        {SIGNAL("f64", "array", "18446744073709551617", "control"), false},
        {SIGNAL("f64", "single", "1", "later"), false},
        {"[]", true},
        {"{}", false},
        {"[1]", false},
        {"[[]]", false},
        {"", false},
        {"null", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tac__arena arena;
        tac__layout l = {0};
        tac_error err;
        tac__arena_init(&arena, tac_allocator_default());
        const tac_status status =
            tac__layout_read(&l, &arena, "a", cases[i].json, strlen(cases[i].json), &err);
        if ((status == TAC_OK) != cases[i].sound)
            fail_msg("'%s' gives %s", cases[i].json, tac_status_name(status));
        tac__arena_fini(&arena);
    }
}

// Thousands of names that are the same once they are legal: numbered, and in no time.
static void crowded(void **state)
{
    (void)state;
    enum { MANY = 1 << 13, LETTERS = 13 };
    static char names[MANY][LETTERS + 4];
    tac__arena arena;
    tac__layout l = {0};
    tac__arena_init(&arena, tac_allocator_default());
    const tac_recorded third = {.name = "a.x_3", .unit = "", .doc = "", .type = TAC_TYPE_F64};
    assert_int_equal(tac__layout_add(&l, &arena, &third), TAC_OK);
    for (unsigned i = 0; i < MANY; i++) {
        memcpy(names[i], "a.x", 3);
        for (unsigned k = 0; k < LETTERS; k++)
            names[i][3 + k] = i >> k & 1 ? '-' : '+';
        const tac_recorded s = {.name = names[i], .unit = "", .doc = "", .type = TAC_TYPE_F64};
        assert_int_equal(tac__layout_add(&l, &arena, &s), TAC_OK);
    }
    assert_int_equal(tac__layout_close(&l, &arena, "a"), TAC_OK);
    assert_string_equal(l.fields[0].name, "x_3");
    assert_string_equal(l.fields[1].name, "x");
    for (unsigned i = 2; i <= MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "x_%u", i < 3 ? i : i + 1);
        assert_string_equal(l.fields[i].name, name);
    }
    tac__arena_fini(&arena);
}

TEST_MAIN(cmocka_unit_test(placed), cmocka_unit_test(decoded), cmocka_unit_test(encoded),
          cmocka_unit_test(one_nan), cmocka_unit_test(read_back), cmocka_unit_test(as_message),
          cmocka_unit_test(strict_names), cmocka_unit_test(damaged), cmocka_unit_test(crowded))
