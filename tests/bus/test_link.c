// Laws of links: distributions against their closed forms, independence of streams, times in which
// a link is down against a plain search, and laws that are refused.
#include "base/hash.h"
#include "bus/link.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 200000 };

static tac_link_law law_of(tac_delay delay, tac_time min_us, tac_time max_us, tac_time mean_us,
                           tac_time sigma_us)
{
    tac_link_law law = tac_link_law_default();
    law.delay = delay;
    law.min_us = min_us;
    law.max_us = max_us;
    law.mean_us = mean_us;
    law.sigma_us = sigma_us;
    return law;
}

// --- distributions ------------------------------------------------------------------------------

typedef struct moments {
    double mean, variance, fourth; // the fourth central one, measured
    tac_time least_us, most_us;
} moments;

static moments measure(const tac_link_law *law, const tac__stream *key)
{
    static double d[N];
    moments m = {.least_us = TAC_TIME_NEVER};
    for (uint64_t i = 0; i < N; i++) {
        const tac__fate f = tac__link_fate(law, key, 0, i);
        assert_int_equal(f.copies, 1);
        assert_int_equal(f.kind, TAC__FATE_DELIVERED);
        d[i] = (double)f.delay_us[0];
        m.mean += d[i]; // exact
        m.least_us = f.delay_us[0] < m.least_us ? f.delay_us[0] : m.least_us;
        m.most_us = f.delay_us[0] > m.most_us ? f.delay_us[0] : m.most_us;
    }
    m.mean /= N;
    for (size_t i = 0; i < N; i++) {
        const double x = d[i] - m.mean;
        m.variance += x * x / N;
        m.fourth += x * x * x * x / N;
    }
    assert_true(m.least_us >= tac__link_least_us(law));
    return m;
}

// Within 4 standard errors: by chance that fails once in 16,000 laws, and the draws are fixed.
static void check_moments(const tac_link_law *law, double mean, double variance)
{
    const tac__stream key = tac__link_key(11, "uav1.radio.tx", "uav2.radio.rx");
    const moments m = measure(law, &key);
    const double mean_error = sqrt(variance / N);
    const double variance_error = sqrt((m.fourth - variance * variance) / N);
    if (fabs(m.mean - mean) > 4 * mean_error)
        fail_msg("%s: mean %g, expected %g +- %g", tac__delay_name(law->delay), m.mean, mean,
                 mean_error);
    if (fabs(m.variance - variance) > 4 * variance_error)
        fail_msg("%s: variance %g, expected %g +- %g", tac__delay_name(law->delay), m.variance,
                 variance, variance_error);
}

static void test_constant(void **state)
{
    (void)state;
    const tac_link_law law = law_of(TAC_DELAY_CONSTANT, 5000, 0, 0, 0);
    const tac__stream key = tac__link_key(1, "a", "b");
    const moments m = measure(&law, &key);
    assert_int_equal(m.least_us, 5000);
    assert_int_equal(m.most_us, 5000);
    assert_true(tac__link_plain(&law));
}

static void test_uniform(void **state)
{
    (void)state;
    const tac_link_law law = law_of(TAC_DELAY_UNIFORM, 3000, 8000, 0, 0);
    const double count = 5001;
    check_moments(&law, 5500, (count * count - 1) / 12);
    assert_false(tac__link_plain(&law));

    // Each whole microsecond is as likely as the others, both ends included: chi-square.
    const tac_link_law die = law_of(TAC_DELAY_UNIFORM, 1, 6, 0, 0);
    const tac__stream key = tac__link_key(2, "a", "b");
    double seen[7] = {0}, chi = 0;
    for (uint64_t i = 0; i < N; i++)
        seen[tac__link_fate(&die, &key, 0, i).delay_us[0]]++;
    for (int k = 1; k <= 6; k++)
        chi += (seen[k] - N / 6.0) * (seen[k] - N / 6.0) / (N / 6.0);
    assert_true(seen[0] == 0 && chi < 20.5); // 1 in 1,000 with 5 degrees of freedom

    const tac_link_law point = law_of(TAC_DELAY_UNIFORM, 7, 7, 0, 0);
    check_moments(&point, 7, 0);
}

// A normal number cut to [a, b], in units of sigma from the mean.
static void cut_normal(double a, double b, double *mean, double *variance)
{
    const double below = erfc(-a / sqrt(2)) / 2, above = erfc(b / sqrt(2)) / 2;
    const double at_a = exp(-a * a / 2) / sqrt(2 * acos(-1)),
                 at_b = exp(-b * b / 2) / sqrt(2 * acos(-1));
    const double inside = 1 - below - above;
    *mean = a * below + b * above + at_a - at_b;
    const double square = a * a * below + b * b * above + inside + a * at_a - b * at_b;
    *variance = square - *mean * *mean;
}

static void test_normal(void **state)
{
    (void)state;
    double mean, variance;
    // Cut far out, cut hard on both sides, without a greatest delay, and so short that rounding
    // down instead of to the nearest would be seen.
    static const struct {
        tac_time min_us, max_us, mean_us, sigma_us;
    } laws[] = {{2000, 20000, 5000, 1000},
                {4500, 5200, 5000, 1000},
                {4000, 0, 5000, 1000},
                {1, 0, 100, 10}};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        const tac_link_law law = law_of(TAC_DELAY_NORMAL, laws[i].min_us, laws[i].max_us,
                                        laws[i].mean_us, laws[i].sigma_us);
        const double m = (double)law.mean_us, s = (double)law.sigma_us;
        cut_normal(((double)law.min_us - m) / s, law.max_us ? ((double)law.max_us - m) / s : 40,
                   &mean, &variance);
        check_moments(&law, m + s * mean, s * s * variance);
    }
    const tac_link_law still = law_of(TAC_DELAY_NORMAL, 10, 0, 12, 0);
    check_moments(&still, 12, 0);
}

static void test_exponential(void **state)
{
    (void)state;
    static const struct {
        tac_time min_us, max_us, mean_us;
    } laws[] = {{1000, 50000, 5000}, {1000, 6000, 5000}, {1000, 0, 5000}};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        const tac_link_law law =
            law_of(TAC_DELAY_EXPONENTIAL, laws[i].min_us, laws[i].max_us, laws[i].mean_us, 0);
        const double m = (double)(law.mean_us - law.min_us);
        const double k = law.max_us ? (double)(law.max_us - law.min_us) / m : 700;
        const double mean = m * (1 - exp(-k)), square = 2 * m * m * (1 - exp(-k) * (1 + k));
        check_moments(&law, (double)law.min_us + mean, square - mean * mean);
    }
}

static void test_loss_and_duplicates(void **state)
{
    (void)state;
    static const double rates[][2] = {{0.01, 0.005}, {0.3, 0.4}, {0, 0.1}, {0.1, 0}, {0, 0}};
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
        tac_link_law law = law_of(TAC_DELAY_UNIFORM, 3000, 8000, 0, 0);
        const tac_link_law sure = law;
        law.loss = rates[k][0];
        law.duplicate = rates[k][1];
        const tac__stream key = tac__link_key(3 + k, "a", "b");
        double lost = 0, twice = 0, same = 0;
        for (uint64_t i = 0; i < N; i++) {
            const tac__fate f = tac__link_fate(&law, &key, 1000 * i, i);
            lost += f.copies == 0;
            twice += f.copies == 2;
            same += f.copies == 2 && f.delay_us[0] == f.delay_us[1];
            assert_int_equal(f.kind, f.copies == 0   ? TAC__FATE_LOST
                                     : f.copies == 1 ? TAC__FATE_DELIVERED
                                                     : TAC__FATE_DUPLICATED);
            // Neither changes a delay.
            if (f.copies)
                assert_int_equal(f.delay_us[0], tac__link_fate(&sure, &key, 0, i).delay_us[0]);
        }
        const double p = law.loss, d = (1 - p) * law.duplicate;
        assert_true(fabs(lost / N - p) <= 4 * sqrt(p * (1 - p) / N));
        assert_true(fabs(twice / N - d) <= 4 * sqrt(d * (1 - d) / N));
        assert_true(same <= 5 + 0.002 * twice); // the second copy has a delay of its own
    }
    tac_link_law all = law_of(TAC_DELAY_CONSTANT, 1, 0, 0, 0);
    const tac__stream key = tac__link_key(1, "a", "b");
    all.duplicate = 1;
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(tac__link_fate(&all, &key, 0, i).copies, 2);
    all.loss = 1;
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(tac__link_fate(&all, &key, 0, i).copies, 0);
}

// --- independence -------------------------------------------------------------------------------

static double correlation(const double *a, const double *b, size_t n)
{
    double ma = 0, mb = 0, aa = 0, bb = 0, ab = 0;
    for (size_t i = 0; i < n; i++) {
        ma += a[i] / (double)n;
        mb += b[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
        ab += (a[i] - ma) * (b[i] - mb);
    }
    return ab / sqrt(aa * bb);
}

// Delays and losses of two directions, other ends, other seeds, parts of names that make the same
// text, the two copies, and one message and the next.
static void test_streams_are_independent(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        const char *from, *to;
    } keys[] = {{1, "ab", "c"}, {1, "c", "ab"},   {1, "ab", "d"}, {1, "a", "bc"},
                {2, "ab", "c"}, {1, "ab", "c.x"}, {1, "x", "c"}};
    enum { KEYS = sizeof keys / sizeof *keys, ROWS = 3 * KEYS, COUNT = 20000 };
    static double rows[ROWS][COUNT + 1];
    tac_link_law law = law_of(TAC_DELAY_EXPONENTIAL, 1000, 0, 5000, 0);
    law.duplicate = 1;
    tac_link_law lossy = law;
    lossy.loss = 0.5;
    for (size_t k = 0; k < KEYS; k++) {
        const tac__stream key = tac__link_key(keys[k].seed, keys[k].from, keys[k].to);
        for (uint64_t i = 0; i < COUNT + 1; i++) {
            const tac__fate f = tac__link_fate(&law, &key, 0, i);
            rows[3 * k][i] = (double)f.delay_us[0];
            rows[3 * k + 1][i] = (double)f.delay_us[1];
            rows[3 * k + 2][i] = tac__link_fate(&lossy, &key, 0, i).copies == 0;
        }
    }
    for (size_t a = 0; a < ROWS; a++) {
        for (size_t b = 0; b < ROWS; b++) {
            if (a != b)
                assert_true(fabs(correlation(rows[a], rows[b], COUNT)) < 4 / sqrt(COUNT));
            assert_true(fabs(correlation(rows[a], rows[b] + 1, COUNT)) < 4 / sqrt(COUNT));
        }
    }
}

// Draws are part of what a run means: they must never change.
static void test_golden(void **state)
{
    (void)state;
    tac__hash h = TAC__HASH_SEED;
    const tac__stream key = tac__link_key(2026, "leader.radio.tx", "f1.radio.rx");
    for (int k = 0; k < TAC_DELAY_COUNT; k++) {
        tac_link_law law = law_of((tac_delay)k, 2000, 20000, 5000, 1000);
        law.loss = 0.1;
        law.duplicate = 0.2;
        for (uint64_t i = 0; i < 1000; i++) {
            const tac__fate f = tac__link_fate(&law, &key, i, i);
            h = tac__hash_word(tac__hash_word(h, f.copies), f.delay_us[0]);
            h = tac__hash_word(h, f.delay_us[1]);
        }
    }
    assert_int_equal(tac__hash_end(h), UINT64_C(0xc7420419559f08bb));
}

// --- down ---------------------------------------------------------------------------------------

static void test_down(void **state)
{
    (void)state;
    static const tac_outage down[] = {{0, 3}, {10, 12}, {12, 13}, {20, 21}, {30, 40}};
    const tac__stream key = tac__link_key(1, "a", "b");
    for (size_t count = 0; count <= sizeof down / sizeof *down; count++) {
        tac_link_law law = law_of(TAC_DELAY_CONSTANT, 5, 0, 0, 0);
        law.down = down;
        law.down_count = count;
        assert_int_equal(tac__link_check(&law, NULL, NULL), TAC_OK);
        for (tac_time t = 0; t < 50; t++) {
            bool is_down = false;
            for (size_t i = 0; i < count; i++)
                is_down |= down[i].from_us <= t && t < down[i].to_us;
            const tac__fate f = tac__link_fate(&law, &key, t, 7);
            assert_int_equal(f.kind, is_down ? TAC__FATE_DOWN : TAC__FATE_DELIVERED);
            assert_int_equal(f.copies, is_down ? 0 : 1);
        }
    }
}

// --- checks -------------------------------------------------------------------------------------

static void expect_refused(const tac_link_law *law, const char *text)
{
    tac_error err;
    assert_int_equal(tac__link_check(law, NULL, &err), TAC_E_RANGE);
    if (!strstr(err.text, text))
        fail_msg("'%s' is not in '%s'", text, err.text);
}

static void test_refused(void **state)
{
    (void)state;
    tac_link_law law = tac_link_law_default();
    assert_int_equal(tac__link_check(&law, NULL, NULL), TAC_OK);
    law.min_us = 0;
    expect_refused(&law, "cannot arrive at the boundary at which it is sent, and in a federation "
                         "no process could advance: the delay must be at least 1 us");
    law = law_of(TAC_DELAY_UNIFORM, 0, 10, 0, 0);
    expect_refused(&law, "the least delay must be at least 1 us");
    law = law_of(TAC_DELAY_UNIFORM, 8000, 3000, 0, 0);
    expect_refused(&law, "the greatest delay (3 ms) is less than the least one (8 ms)");
    law = law_of(TAC_DELAY_NORMAL, 2000, 9000, 1000, 5);
    expect_refused(&law, "the mean delay (1 ms) is less than the least one (2 ms)");
    law = law_of(TAC_DELAY_EXPONENTIAL, 2000, 9000, 10000, 0);
    expect_refused(&law, "the mean delay (10 ms) is more than the greatest one (9 ms)");
    law = law_of(TAC_DELAY_EXPONENTIAL, 2000, TAC_TIME_MAX + 1, 10000, 0);
    expect_refused(&law, "is too long");
    law = law_of((tac_delay)TAC_DELAY_COUNT, 1, 0, 0, 0);
    expect_refused(&law, "no law with number");

    const double wrong[] = {-0.01, 1.5, (double)NAN, HUGE_VAL};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        law = tac_link_law_default();
        law.loss = wrong[i];
        expect_refused(&law, "loss: ");
        law.loss = 0;
        law.duplicate = wrong[i];
        expect_refused(&law, "duplicate: ");
    }

    const tac_outage empty = {5, 5}, mixed[] = {{10, 20}, {15, 30}};
    law = tac_link_law_default();
    law.down = &empty;
    law.down_count = 1;
    expect_refused(&law, "down: the begin (5 us) is not before the end (5 us)");
    law.down = mixed;
    law.down_count = 2;
    expect_refused(&law, "down: the begin (15 us) is before the end of the one before it (20 us)");
}

// Any law that is accepted keeps its bounds, also with times as long as there are.
static void test_bounds(void **state)
{
    (void)state;
    srand(5);
    unsigned accepted = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        tac_time t[4];
        for (int k = 0; k < 4; k++)
            t[k] = (((tac_time)rand() << 31 | (tac_time)rand()) >> rand() % 62) +
                   (tac_time)(rand() % 2);
        const tac_link_law law =
            law_of((tac_delay)(rand() % TAC_DELAY_COUNT), t[0], rand() % 3 ? t[1] : 0, t[2], t[3]);
        if (tac__link_check(&law, NULL, NULL) != TAC_OK)
            continue;
        accepted++;
        const tac__stream key = tac__link_key(i, "a", "b");
        for (uint64_t s = 0; s < 20; s++) {
            const tac__fate f = tac__link_fate(&law, &key, 0, UINT64_MAX - 10 + s);
            assert_true(f.delay_us[0] >= tac__link_least_us(&law));
            assert_true(f.delay_us[0] <= TAC_TIME_MAX);
            if (law.delay != TAC_DELAY_CONSTANT && law.max_us)
                assert_true(f.delay_us[0] <= law.max_us);
        }
    }
    assert_true(accepted > 2000);
}

TEST_MAIN(cmocka_unit_test(test_constant), cmocka_unit_test(test_uniform),
          cmocka_unit_test(test_normal), cmocka_unit_test(test_exponential),
          cmocka_unit_test(test_loss_and_duplicates),
          cmocka_unit_test(test_streams_are_independent), cmocka_unit_test(test_golden),
          cmocka_unit_test(test_down), cmocka_unit_test(test_refused),
          cmocka_unit_test(test_bounds))
