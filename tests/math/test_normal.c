// Normal draws: the layers of the ziggurat, the distribution, and that a draw depends on its index
// alone.
#include "math/normal.h"
#include "math/ziggurat.h"
#include "support/test.h"
#include <tactus/math.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

static long double curve(long double x)
{
    return expl(-x * x / 2);
}

// All layers have the same area, that of the base with its tail.
static void test_layers(void **state)
{
    (void)state;
    const double *edge = tac__ziggurat_x;
    const long double r = (long double)edge[1];
    const long double area = r * curve(r) + sqrtl(acosl(-1) / 2) * erfcl(r / sqrtl(2));
    assert_true(fabsl((long double)edge[0] * curve(r) - area) < 1e-16L);
    for (int i = 1; i < TAC__ZIGGURAT_LAYERS; i++) {
        const long double x = (long double)edge[i], up = (long double)edge[i + 1];
        assert_true(up < x);
        // The edges are rounded to doubles.
        assert_true(fabsl(x * (curve(up) - curve(x)) - area) < 1e-15L);
    }
    assert_true(edge[TAC__ZIGGURAT_LAYERS] == 0);
    for (int i = 0; i <= TAC__ZIGGURAT_LAYERS; i++)
        assert_true(tac__ziggurat_height[i] == tac_exp(-0.5 * edge[i] * edge[i]));
}

enum { DRAWS = 6000000, BINS = 161 };

// One draw at a time, each by itself.
static void one_by_one(const tac__stream *stream, uint64_t *next, double *values, size_t count)
{
    for (size_t i = 0; i < count; i += 3) {
        tac__normals fresh = {0};
        tac__normals_draw(&fresh, stream, next, values + i, count - i < 3 ? count - i : 3);
    }
}

// Against the integral of the density, bin by bin from -8 to 8: chi-square, and both tails.
static void test_distribution(void **state)
{
    (void)state;
    static uint64_t count[BINS];
    static double n[3000];
    const tac__stream stream = tac__stream_make(5, "normal");
    tac__normals ready = {0};
    uint64_t next = 0;
    double sum = 0, squares = 0, cubes = 0, fourths = 0;
    uint64_t beyond = 0;
    memset(count, 0, sizeof count);
    for (int k = 0; k < DRAWS / 3000; k++) {
        tac__normals_draw(&ready, &stream, &next, n, 3000);
        for (int i = 0; i < 3000; i++) {
            const int bin = (int)floor(n[i] * 10 + 80.5);
            assert_in_range(bin, 0, BINS - 1);
            count[bin]++;
            sum += n[i];
            squares += n[i] * n[i];
            cubes += n[i] * n[i] * n[i];
            fourths += n[i] * n[i] * n[i] * n[i];
            beyond += fabs(n[i]) > tac__ziggurat_x[1];
        }
    }
    assert_int_equal(next, DRAWS / 3);
    double chi2 = 0;
    int bins = 0;
    for (int i = 0; i < BINS; i++) {
        const double low = (i - 80.5) / 10, high = (i - 79.5) / 10;
        const double expected = 0.5 * DRAWS * (erfc(low / sqrt(2)) - erfc(high / sqrt(2)));
        if (expected < 20)
            continue;
        chi2 += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
        bins++;
    }
    assert_true(bins > 80);
    assert_true(fabs(chi2 - bins) < 4 * sqrt(2.0 * bins));
    const double root = sqrt(DRAWS);
    assert_true(fabs(sum) / DRAWS < 4 / root);
    assert_true(fabs(squares / DRAWS - 1) < 4 * sqrt(2) / root);
    assert_true(fabs(cubes / DRAWS) < 4 * sqrt(15) / root);
    assert_true(fabs(fourths / DRAWS - 3) < 4 * sqrt(96) / root);
    const double tails = DRAWS * erfc(tac__ziggurat_x[1] / sqrt(2));
    assert_true(fabs((double)beyond - tails) < 4 * sqrt(tails));
}

// Inside the tail too: of what lies beyond r, how much lies beyond r + 0.3.
static void test_tail(void **state)
{
    (void)state;
    const double r = tac__ziggurat_x[1];
    const tac__stream stream = tac__stream_make(6, "tail");
    tac__normals ready = {0};
    uint64_t next = 0, beyond = 0, further = 0;
    double n[3];
    for (int i = 0; i < 4000000; i++) {
        tac__normals_draw(&ready, &stream, &next, n, 3);
        for (int k = 0; k < 3; k++) {
            beyond += fabs(n[k]) > r;
            further += fabs(n[k]) > r + 0.3;
        }
    }
    const double share = erfc((r + 0.3) / sqrt(2)) / erfc(r / sqrt(2));
    assert_true(fabs((double)further / (double)beyond - share) < 4 * sqrt(share / (double)beyond));
}

// Three numbers are one draw; one or two of them are its first.
static void test_a_draw_is_an_index(void **state)
{
    (void)state;
    const tac__stream stream = tac__stream_make(7, "index");
    static double all[3000];
    uint64_t next = 0;
    one_by_one(&stream, &next, all, 3000);
    for (uint64_t i = 0; i < 1000; i++) {
        for (size_t count = 1; count <= 3; count++) {
            double n[3];
            next = i;
            one_by_one(&stream, &next, n, count);
            assert_int_equal(next, i + 1);
            assert_memory_equal(n, all + 3 * i, count * sizeof *n);
        }
    }
}

// Numbers that were made ready are those of the stream, in whatever portions they are taken and
// wherever the stream goes on.
static void test_ready(void **state)
{
    (void)state;
    const tac__stream stream = tac__stream_make(8, "ready");
    tac__normals ready = {0};
    uint64_t next = 0, same = 0;
    for (size_t i = 0; i < 20000; i++) {
        double n[14] = {0}, expected[14] = {0};
        if (i % 50 == 49) // as after a checkpoint: back, or forward
            next = same = i * i % 1000;
        tac__normals_draw(&ready, &stream, &next, n, i % 14);
        one_by_one(&stream, &same, expected, i % 14);
        assert_int_equal(next, same);
        assert_memory_equal(n, expected, sizeof n);
    }
}

// The same bits everywhere and for ever, also where the curve or the tail was asked.
static void test_golden(void **state)
{
    (void)state;
    const tac__stream stream = tac__stream_make(1, "golden");
    static double n[30000];
    uint64_t next = 0, hash = 0;
    one_by_one(&stream, &next, n, 30000);
    bool far = false;
    for (int i = 0; i < 30000; i++) {
        uint64_t bits;
        memcpy(&bits, &n[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        far |= fabs(n[i]) > tac__ziggurat_x[1];
    }
    assert_true(far);
    assert_true(hash == UINT64_C(0x30b0eb5722862714));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers), cmocka_unit_test(test_distribution),
        cmocka_unit_test(test_tail),   cmocka_unit_test(test_a_draw_is_an_index),
        cmocka_unit_test(test_ready),  cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
