// What follows a write: each output has its own digest and history, whatever else there is.
#include "support/test.h"

#include "bus/digest.h"
#include "engine/run/writes.h"

#include <math.h>
#include <string.h>

enum { MOST = 32, WORDS_MAX = 20, STEPS = 3 };

static const tac_type types[] = {
    {TAC_F64, TAC_VEC3, 3, NULL},    {TAC_F64, TAC_SINGLE, 1, NULL}, {TAC_F64, TAC_QUAT, 4, NULL},
    {TAC_BOOL, TAC_SINGLE, 1, NULL}, {TAC_I32, TAC_SINGLE, 1, NULL}, {TAC_F64, TAC_ARRAY, 2, NULL},
    {TAC_F64, TAC_ARRAY, 20, NULL},  {TAC_I32, TAC_ARRAY, 9, NULL},
};
enum { TYPES = sizeof types / sizeof *types };

typedef struct output {
    tac_type type;
    double value[WORDS_MAX];
    uint64_t digest, expected;
} output;

static void write(output *o, int k, int step, int nan_at)
{
    for (size_t i = 0; i < tac__type_words(&o->type); i++)
        o->value[i] = 100 * k + 10 * step + (double)i;
    if (o->type.scalar == TAC_F64 && nan_at == k)
        o->value[0] = -nan("77"); // not the one that all count as
}

// By the general functions, one by one.
static void expect(output *o, tac_time t_us)
{
    const size_t words = tac__type_words(&o->type);
    o->expected = o->type.scalar == TAC_F64 ? tac__digest_wide(o->expected, t_us, o->value, words)
                                            : tac__digest_words(o->expected, t_us, o->value, words);
}

// Types in turn, from `first` on with a stride: every order in which outputs may be declared.
static void check(tac__arena *arena, int count, int first, int stride, int nan_at)
{
    output outputs[MOST] = {0};
    tac__writes writes;
    assert_int_equal(tac__writes_init(&writes, arena, (size_t)count, (size_t)count), TAC_OK);
    for (int k = 0; k < count; k++) {
        output *o = &outputs[k];
        o->type = types[(first + k * stride) % TYPES];
        o->digest = o->expected = (uint64_t)k;
        tac__writes_add(&writes, (uint32_t)k, &o->type, o->value, k % 7 == 6 ? NULL : &o->digest,
                        NULL);
    }
    for (int step = 0; step < STEPS; step++) {
        for (int k = 0; k < count; k++) {
            write(&outputs[k], k, step, nan_at);
            if (k % 7 != 6)
                expect(&outputs[k], (tac_time)step);
        }
        tac__writes_done(&writes, (tac_time)step);
    }
    for (int k = 0; k < count; k++)
        assert_true(outputs[k].digest == outputs[k].expected);
}

static void test_digests(void **state)
{
    (void)state;
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    for (int count = 0; count <= 2 * TYPES; count++) {
        for (int first = 0; first < TYPES; first++) {
            for (int stride = 0; stride < TYPES; stride++) {
                for (int nan_at = -1; nan_at < count; nan_at += 3)
                    check(&arena, count, first, stride, nan_at);
            }
        }
    }
    tac__arena_fini(&arena);
}

// A history alone, without a digest, and beside one.
static void test_histories(void **state)
{
    (void)state;
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    for (int digested = 0; digested < 2; digested++) {
        double value[3] = {0};
        uint64_t count, values[4 * 3], digest = 1;
        tac_time times[4];
        const tac__history history = {
            .depth = 4, .words = 3, .writes = &count, .times = times, .values = values};
        tac__history_start(&history, value);
        tac__writes writes;
        assert_int_equal(tac__writes_init(&writes, &arena, 1, 1), TAC_OK);
        tac__writes_add(&writes, 0, &types[0], value, digested ? &digest : NULL, &history);
        value[1] = 5;
        tac__writes_done(&writes, 1000);
        assert_int_equal(count, 1);
        assert_int_equal(times[1], 1000);
        assert_memory_equal(values + 3, value, sizeof value);
        assert_true((digest != 1) == digested);
    }
    tac__arena_fini(&arena);
}

TEST_MAIN(cmocka_unit_test(test_digests), cmocka_unit_test(test_histories))
