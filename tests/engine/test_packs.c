// Work on all lanes at once: the results are those of each lane alone.
#include "bus/digest.h"
#include "engine/run/packs.h"
#include "math/prints.h"
#include "support/test.h"

#include <math.h>

enum { N_MAX = 40, LANES_MAX = 8 };

static uint64_t draw(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *random >> 32;
}

static double draw_number(uint64_t *random)
{
    switch (draw(random) % 32) {
    case 0:
        return (double)NAN;
    case 1:
        return (double)INFINITY;
    case 2:
        return -(double)INFINITY;
    case 3:
        return -0.0;
    default:
        return (double)draw(random) / 1009.0 - 1e6;
    }
}

static void test_digests(void **state)
{
    (void)state;
    size_t voids = 0, valid = 0;
    for (unsigned lanes = 2; lanes <= LANES_MAX; lanes *= 2) {
        if (!tac__packs_sound(lanes)) {
            print_message("this machine has no packs of %u\n", lanes);
            continue;
        }
        for (uint64_t random = 1; random < 2000; random++) {
            uint64_t seed = random;
            _Alignas(64) double x[N_MAX * LANES_MAX];
            const size_t n = 1 + draw(&seed) % N_MAX;
            const tac_time t_us = draw(&seed);
            uint64_t digests[LANES_MAX], before[LANES_MAX];
            for (size_t i = 0; i < n * lanes; i++)
                x[i] = draw(&seed) % 8 ? 1.5 * (double)i : draw_number(&seed);
            for (size_t lane = 0; lane < lanes; lane++)
                digests[lane] = before[lane] = draw(&seed) << 32 | draw(&seed);
            const tac__lane_set empty = tac__packs_of(lanes)->digest(digests, t_us, n, x);
            for (size_t lane = 0; lane < lanes; lane++) {
                double own[N_MAX];
                bool nan = false;
                for (size_t i = 0; i < n; i++) {
                    own[i] = x[i * lanes + lane];
                    nan |= own[i] != own[i];
                }
                const bool is_void = empty >> lane & 1;
                assert_true(is_void || !nan);
                voids += is_void;
                valid += !is_void;
                if (!is_void)
                    assert_true(digests[lane] == tac__digest_doubles(before[lane], t_us, own, n));
            }
        }
    }
    assert_true((voids > 100 && valid > 10000) || !tac__packs_sound(2));
}

static void test_gather_and_scatter(void **state)
{
    (void)state;
    for (unsigned lanes = 2; lanes <= LANES_MAX; lanes *= 2) {
        for (size_t n = 1; tac__packs_sound(lanes) && n <= N_MAX; n++) {
            _Alignas(64) double packs[N_MAX * LANES_MAX];
            double values[LANES_MAX][N_MAX + 1], back[LANES_MAX][N_MAX + 1];
            const double *from[LANES_MAX];
            double *to[LANES_MAX];
            for (size_t lane = 0; lane < lanes; lane++) {
                for (size_t i = 0; i <= N_MAX; i++) {
                    values[lane][i] = (double)(100 * lane + i);
                    back[lane][i] = -1;
                }
                from[lane] = values[lane];
                to[lane] = back[lane];
            }
            tac__packs_of(lanes)->gather(n, from, packs);
            for (size_t i = 0; i < n * lanes; i++)
                assert_true(packs[i] == values[i % lanes][i / lanes]);
            const tac__lane_set set = (tac__lane_set)(n * 37) & tac__lanes_all(lanes);
            tac__packs_of(lanes)->scatter(set, n, packs, to);
            for (size_t lane = 0; lane < lanes; lane++) {
                for (size_t i = 0; i <= N_MAX; i++) {
                    const bool written = i < n && set >> lane & 1;
                    assert_true(back[lane][i] == (written ? values[lane][i] : -1));
                }
            }
        }
    }
}

TEST_MAIN(cmocka_unit_test(test_digests), cmocka_unit_test(test_gather_and_scatter))
