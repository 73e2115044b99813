// Draws of every kind: each lane has the bits and the counter of its stream alone.
#include "math/draws.h"
#include "math/machine.h"
#include "math/ziggurat.h"
#include "support/test.h"

#include <stdbool.h>
#include <string.h>

enum { LANES = TAC__STREAM_LANES, COUNT = 14, DUAL_WIDTH = 9 };

typedef void draw_function(const tac__stream_lanes *streams, uint32_t mask, uint64_t *next,
                           double *values, size_t count);

typedef struct kind {
    const char *name;
    unsigned lanes, width; // of a real, in doubles
    draw_function *normals, *uniforms;
} kind;

static const kind kinds[] = {
    {"f64", 1, 1, tac__draw_normals_f64, tac__draw_uniforms_f64},
    {"pack2", 2, 2, tac__draw_normals_pack2, tac__draw_uniforms_pack2},
    {"pack4", 4, 4, tac__draw_normals_pack4, tac__draw_uniforms_pack4},
    {"pack8", 8, 8, tac__draw_normals_pack8, tac__draw_uniforms_pack8},
    {"dual", 1, DUAL_WIDTH, tac__draw_normals_dual, tac__draw_uniforms_dual},
    {"dualp", 1, DUAL_WIDTH, tac__draw_normals_dualp, tac__draw_uniforms_dualp},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool runs_here(const kind *k)
{
    return k->lanes == 1 || tac__machine_has_pack(k->lanes);
}

// --- what a stream gives alone
// --------------------------------------------------------------------

static void normals_alone(const tac__stream *stream, uint64_t *next, double *values, size_t count)
{
    for (size_t i = 0; i < count; i += 3) {
        double n[3];
        tac__ziggurat_draw(stream, (*next)++, n);
        for (size_t k = 0; k < 3 && i + k < count; k++)
            values[i + k] = n[k];
    }
}

static void uniforms_alone(const tac__stream *stream, uint64_t *next, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = tac__stream_uniform(stream, (*next)++);
}

// How many numbers of a draw are not left of the next edge, and how many of those in the tail.
static unsigned rejected(const tac__stream *stream, uint64_t index, unsigned *tails)
{
    uint32_t w[4];
    unsigned count = 0;
    tac__stream_words(stream, index, w);
    for (int k = 0; k < 3; k++) {
        const unsigned layer = w[3] >> 10 * k & 255;
        if ((w[k] + 0.5) * 0x1p-32 * tac__ziggurat_x[layer] < tac__ziggurat_x[layer + 1])
            continue;
        count++;
        *tails += layer == 0;
    }
    return count;
}

// --- comparing
// ------------------------------------------------------------------------------------

typedef struct lanes {
    tac__stream stream[LANES];
    tac__stream_lanes streams;
    uint64_t next[LANES];
} lanes;

static uint64_t random_word(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *seed ^ *seed >> 29;
}

// Keys and counters at random, counters also where their halves carry.
static void draw_lanes(lanes *l, uint64_t *seed)
{
    for (int lane = 0; lane < LANES; lane++) {
        const uint64_t a = random_word(seed), b = random_word(seed), c = random_word(seed);
        l->stream[lane] =
            (tac__stream){{(uint32_t)a, (uint32_t)(a >> 32)}, {(uint32_t)b, (uint32_t)(b >> 32)}};
        tac__stream_lanes_set(&l->streams, lane, &l->stream[lane]);
        l->next[lane] = c % 4 == 0 ? UINT32_MAX - c / 4 % 3 : c % 4 == 1 ? c >> 1 : c >> 44;
    }
}

static void compare(const kind *k, const lanes *l, uint32_t mask, bool uniform, size_t count)
{
    double memory[COUNT * DUAL_WIDTH + 1], *values = memory + count % 2; // of any alignment
    uint64_t next[LANES];
    memcpy(next, l->next, sizeof next);
    for (size_t i = 0; i < COUNT * DUAL_WIDTH; i++)
        values[i] = 77;
    (uniform ? k->uniforms : k->normals)(&l->streams, mask, next, values, count);
    for (unsigned lane = 0; lane < k->lanes; lane++) {
        uint64_t expected_next = l->next[lane];
        if (mask >> lane & 1) {
            double expected[COUNT];
            (uniform ? uniforms_alone : normals_alone)(&l->stream[lane], &expected_next, expected,
                                                       count);
            for (size_t i = 0; i < count; i++) {
                const double *value = &values[i * k->width + lane];
                if (memcmp(value, &expected[i], sizeof *value) != 0)
                    fail_msg("%s: number %zu of lane %u is %a, alone %a", k->name, i, lane, *value,
                             expected[i]);
            }
        }
        assert_int_equal(next[lane], expected_next);
    }
    assert_memory_equal(next + k->lanes, l->next + k->lanes, (LANES - k->lanes) * sizeof *next);
    for (size_t i = count * k->width; i < COUNT * DUAL_WIDTH; i++)
        assert_true(values[i] == 77); // nothing behind what was asked for
    for (size_t i = 0; k->width == DUAL_WIDTH && i < count; i++) {
        for (int direction = 1; direction < DUAL_WIDTH; direction++)
            assert_true(values[i * DUAL_WIDTH + (size_t)direction] == 0);
    }
}

// Some lanes, or all; all or none of the kinds' own.
static uint32_t random_mask(uint64_t *seed)
{
    const uint64_t word = random_word(seed);
    return word % 3 == 0 ? UINT32_MAX : (uint32_t)(word >> 8);
}

static void test_each_lane_is_its_stream(void **state)
{
    (void)state;
    uint64_t seed = 18;
    for (int i = 0; i < 3000; i++) {
        lanes l;
        draw_lanes(&l, &seed);
        for (int k = 0; k < KINDS; k++) {
            if (runs_here(&kinds[k])) {
                compare(&kinds[k], &l, random_mask(&seed), false, (size_t)i % (COUNT + 1));
                compare(&kinds[k], &l, random_mask(&seed), true, (size_t)i % (COUNT + 1));
            }
        }
    }
}

// Counters of draws that are refused at first, in every lane at once; also several numbers of one
// draw, and the tail.
static void test_rejections(void **state)
{
    (void)state;
    uint64_t seed = 19;
    unsigned numbers = 0, several = 0, tails = 0;
    for (int i = 0; i < 300; i++) {
        lanes l;
        draw_lanes(&l, &seed);
        for (int lane = 0; lane < LANES; lane++) {
            unsigned found = 0, in_tail = 0;
            const bool rare = i % 10 == 0; // two numbers of the draw, or the tail
            for (;; l.next[lane]++) {
                in_tail = 0;
                found = rejected(&l.stream[lane], l.next[lane], &in_tail);
                if (rare ? found > 1 || in_tail : found)
                    break;
            }
            numbers += found;
            several += found > 1;
            tails += in_tail;
        }
        for (int k = 0; k < KINDS; k++) {
            if (runs_here(&kinds[k])) {
                compare(&kinds[k], &l, UINT32_MAX, false, 3);
                compare(&kinds[k], &l, random_mask(&seed), false, 1 + (size_t)i % COUNT);
            }
        }
    }
    assert_true(numbers > 2400 && several > 20 && tails > 20);
}

// As tac__normals draws ahead: lanes of one stream.
static void test_ahead(void **state)
{
    (void)state;
    if (!tac__machine_has_pack(4))
        skip();
    const tac__stream stream = tac__stream_make(20, "ahead");
    for (uint64_t index = 0; index < 3000; index++) {
        const uint64_t start = index % 100 == 7 ? UINT32_MAX - 1 : index;
        double values[3][4];
        tac__draw_ahead_pack4(&stream, start, values[0]);
        for (uint64_t i = 0; i < 4; i++) {
            double n[3];
            tac__ziggurat_draw(&stream, start + i, n);
            for (int k = 0; k < 3; k++)
                assert_memory_equal(&values[k][i], &n[k], sizeof n[k]);
        }
    }
}

TEST_MAIN(cmocka_unit_test(test_each_lane_is_its_stream), cmocka_unit_test(test_rejections),
          cmocka_unit_test(test_ahead))
