// The words of the format are those of the rooms that own them, in the same order: positions are
// taken as enums.
#include "config/format.h"
#include "ode/method.h"
#include "support/test.h"

#include <string.h>

static const char *const *words_of(const tac__spec *spec, const char *name)
{
    for (const tac__key *key = spec->keys; key->kind; key++) {
        if (!strcmp(key->name, name))
            return key->words;
    }
    fail_msg("no key '%s'", name);
    return NULL;
}

static void test_tables_are_sound(void **state)
{
    (void)state;
    tac_error err;
    assert_int_equal(tac__spec_valid(&tac__format, &err), TAC_OK);
}

static void test_policies(void **state)
{
    (void)state;
    const char *const *lists[] = {words_of(&tac__format_sync, "default_policy"),
                                  words_of(&tac__format_sync_rule, "policy"),
                                  words_of(&tac__format_route, "policy")};
    for (size_t i = 0; i < 3; i++) {
        int n = 0;
        for (; lists[i][n]; n++)
            assert_string_equal(lists[i][n], tac_policy_name((tac_policy)n));
        assert_int_equal(n, TAC_SYNCHRONIZED + 1);
    }
}

static void test_integrators(void **state)
{
    (void)state;
    const char *const *words = words_of(&tac__format_integrator, "kind");
    size_t n = 0;
    for (; words[n]; n++)
        assert_non_null(tac__method_find(words[n]));
    assert_null(tac__method_name(NULL, n)); // and there are no others
}

static void test_stages_and_levels(void **state)
{
    (void)state;
    const char *const *stages = words_of(&tac__format_component, "stage");
    int n = 0;
    for (; stages[n]; n++)
        assert_string_equal(stages[n], tac_stage_name((tac_stage)(TAC_STAGE_SCENARIO + n)));
    assert_int_equal(n, TAC_STAGE_ACTUATE - TAC_STAGE_SCENARIO + 1);
    const char *const *levels = words_of(&tac__format_log, "level");
    assert_string_equal(levels[TAC_LOG_DEBUG], "debug");
    assert_string_equal(levels[TAC_LOG_INFO], "info");
    assert_string_equal(levels[TAC_LOG_WARN], "warn");
    assert_string_equal(levels[TAC_LOG_ERROR], "error");
    assert_null(levels[TAC_LOG_ERROR + 1]);
}

TEST_MAIN(cmocka_unit_test(test_tables_are_sound), cmocka_unit_test(test_policies),
          cmocka_unit_test(test_integrators), cmocka_unit_test(test_stages_and_levels))
