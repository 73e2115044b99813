// Choosing names by patterns: what matches, and what is said where nothing does.
#include "support/test.h"

#include "base/choose.h"

#include <string.h>

static const char *const names[] = {
    "uav1.battery.soc", "uav1.body.position", "uav2.battery.soc", ".", "", "wind.velocity", NULL};
enum { COUNT = 6 };

static const char *name_at(const void *context, size_t i)
{
    return ((const char *const *)context)[i];
}

static const tac__choices choices = {name_at, names, "signal"};

static void test_chosen(void **state)
{
    (void)state;
    tac_error err;
    bool chosen[COUNT] = {false};
    const char *patterns[] = {"uav1.*", "wind.velocity"};
    assert_int_equal(tac__choose(&choices, patterns, 2, chosen, &err), TAC_OK);
    const bool wanted[COUNT] = {true, true, false, false, false, true};
    assert_memory_equal(chosen, wanted, sizeof wanted);
    // What was chosen before stays so.
    const char *other = "uav2.*";
    assert_int_equal(tac__choose(&choices, &other, 1, chosen, &err), TAC_OK);
    assert_true(chosen[0] && chosen[2] && !chosen[3]);
    assert_int_equal(tac__choose(&choices, patterns, 2, NULL, &err), TAC_OK);
}

static void test_no_patterns(void **state)
{
    (void)state;
    bool chosen[COUNT] = {false};
    assert_int_equal(tac__choose(&choices, NULL, 0, chosen, NULL), TAC_OK);
    for (int i = 0; i < COUNT; i++)
        assert_true(chosen[i]);
}

static void test_nothing_matches(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
    } cases[] = {
        {"uav1.batery.soc",
         "no signal matches 'uav1.batery.soc'; did you mean 'uav1.battery.soc'?"},
        // The name of the whole signal, though only its end is near.
        {"bodi.position", "no signal matches 'bodi.position'; did you mean 'uav1.body.position'?"},
        {"positon", "no signal matches 'positon'; did you mean 'uav1.body.position'?"},
        {"altitude_of_something", "no signal matches 'altitude_of_something'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tac_error err;
        const char *patterns[] = {"uav1.*", cases[i].pattern};
        assert_int_equal(tac__choose(&choices, patterns, 2, NULL, &err), TAC_E_NAME);
        assert_string_equal(err.text, cases[i].text);
    }
}

TEST_MAIN(cmocka_unit_test(test_chosen), cmocka_unit_test(test_no_patterns),
          cmocka_unit_test(test_nothing_matches))
