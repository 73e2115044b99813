// How many lanes are taken on a machine that is not x86: as many as narrow registers have, though
// units of wider packs can be called there.
#include "support/test.h"

// From here on this is compiled as on another machine.
#undef __x86_64__
#include "math/machine.h"

static void test_others(void **state)
{
    (void)state;
    for (unsigned lanes = 2; lanes <= 8; lanes *= 2)
        assert_true(tac__machine_has_pack(lanes));
    assert_false(tac__machine_has_pack(16));
    assert_int_equal(tac__machine_lanes(), 2);
}

TEST_MAIN(cmocka_unit_test(test_others))
