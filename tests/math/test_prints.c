// Fingerprints of the elementary functions: they look everywhere, are the same at each call, and
// tell functions apart; packs agree with plain functions.
#include "support/golden_math.h"
#include "support/test.h"
#include "math/machine.h"
#include "math/prints.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void test_where_they_look(void **state)
{
    (void)state;
    int subnormal = 0, huge = 0, small = 0, unit = 0, infinite = 0, zero = 0, negative = 0;
    bool exponents[16] = {false};
    for (unsigned i = 0; i < TAC__PROBES; i++) {
        const double x = tac__math_probe(i), size = fabs(x);
        int e;
        assert_true(x == x);
        subnormal += size > 0 && size < DBL_MIN;
        small += size >= DBL_MIN && size < 1e-200;
        huge += size > 1e200 && size <= DBL_MAX;
        infinite += size > DBL_MAX;
        zero += size == 0;
        unit += size <= 1;
        negative += signbit(x) != 0;
        frexp(x, &e);
        if (size > 0 && size <= DBL_MAX && e > -1022)
            exponents[(e + 1022) / 128] = true;
    }
    assert_true(subnormal >= 6 && small >= 8 && huge >= 8 && infinite == 2 && zero == 2);
    assert_true(unit > 100 && negative > TAC__PROBES / 3);
    for (int i = 0; i < 16; i++)
        assert_true(exponents[i]);
}

static void test_names(void **state)
{
    (void)state;
    uint64_t print, others[32];
    size_t n = 0;
    for (const char *name; (name = tac__math_print(n, &print)); n++) {
        for (size_t i = 0; i < n; i++)
            assert_true(print != others[i]);
        others[n] = print;
        assert_string_equal(tac__math_print(n, &print), name);
        assert_true(print == others[n]);
        print_message("%s %016llx\n", name, (unsigned long long)print);
    }
    assert_int_equal(n, 20);
    assert_true(tac_math_fingerprint() == tac_math_fingerprint());
    if (!is_golden_math())
        skip();
}

static void test_packs(void **state)
{
    (void)state;
    for (unsigned lanes = 2; lanes <= 8; lanes *= 2) {
        if (tac__machine_has_pack(lanes))
            assert_true(tac__packs_sound(lanes));
        else
            print_message("this machine has no packs of %u\n", lanes);
    }
    assert_true(tac__machine_has_pack(tac__machine_lanes()));
#ifdef __x86_64__
    assert_false(tac__machine_has_pack(2 * tac__machine_lanes()));
#endif
    assert_false(tac__packs_sound(3));
}

// What changed with versions of SLEEF is defined here.
static void test_ends(void **state)
{
    (void)state;
    assert_true(tac_exp(709.7827111495574) < (double)INFINITY);
    assert_true(tac_exp(709.7827111495576) == (double)INFINITY);
    assert_true(tac_exp(709.782712893384) == (double)INFINITY);
    assert_true(tac_exp((double)INFINITY) == (double)INFINITY);
    assert_true(tac_log1p(1.0000000000000001e307) == tac_log(1.0000000000000001e307));
    assert_true(tac_log1p(DBL_MAX) == tac_log(DBL_MAX) && tac_log(DBL_MAX) < 710);
    assert_true(tac_log1p((double)INFINITY) == (double)INFINITY);
    const double below = tac_log1p(1e307), above = tac_log1p(1.0000000000000002e307);
    assert_true(below <= above && above - below < 1e-10);
    assert_true(tac_log1p((double)NAN) != tac_log1p((double)NAN));
    assert_true(tac_exp((double)NAN) != tac_exp((double)NAN));
}

TEST_MAIN(cmocka_unit_test(test_where_they_look), cmocka_unit_test(test_names),
          cmocka_unit_test(test_packs), cmocka_unit_test(test_ends))
