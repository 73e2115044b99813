// Every vocabulary has one table; what is said elsewhere follows from it. What is written by
// people, documents and manual pages, is held against the tables here.
#include "support/test.h"
#include "ode/method.h"
#include <tactus/config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_source(const char *name)
{
    char path[1024];
    const char *source = getenv("TACTUS_SOURCE");
    snprintf(path, sizeof path, "%s/%s", source ? source : ".", name);
    FILE *f = fopen(path, "rb");
    if (!f)
        skip(); // an installed tree has no sources
    char *text = calloc(1 << 20, 1);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

// Between `left` and `right`, so that "rk4" is not found in "rk45".
static void names(const char *file, const char *word, const char *left, const char *right)
{
    char *text = read_source(file), wanted[128];
    snprintf(wanted, sizeof wanted, "%s%s%s", left, word, right);
    if (!strstr(text, wanted))
        fail_msg("%s does not name '%s' (as %s)", file, word, wanted);
    free(text);
}

static void test_methods(void **state)
{
    (void)state;
    char *listed = read_source("docs/configuration.md");
    for (size_t i = 0; tac__method_name(NULL, i); i++) {
        const tac__method *m = tac__method_find(tac__method_name(NULL, i));
        assert_non_null(m);
        names("docs/integrators.md", m->name, "| `", "` |");
        assert_non_null(strstr(listed, m->name));
        names("man/tactus.yaml.5", m->name, "", "");
    }
    assert_null(tac__method_find("rk"));
    free(listed);
}

static void test_stages(void **state)
{
    (void)state;
    for (int i = 0; i < TAC_STAGE_COUNT; i++) {
        tac_stage parsed;
        assert_true(tac_stage_parse(tac_stage_name((tac_stage)i), &parsed));
        assert_int_equal(parsed, i);
        names("docs/contract.md", tac_stage_name((tac_stage)i), "| ", " |");
    }
}

static void test_policies(void **state)
{
    (void)state;
    for (int i = 0; i < TAC_POLICY_COUNT; i++) {
        tac_policy parsed;
        assert_true(tac_policy_parse(tac_policy_name((tac_policy)i), &parsed));
        assert_int_equal(parsed, i);
        names("docs/rates.md", tac_policy_name((tac_policy)i), "", "");
    }
}

static void test_roles(void **state)
{
    (void)state;
    for (int i = 1; i < TAC_ROLE_COUNT; i++)
        names("docs/reports.md", tac_role_name((tac_role)i), "| `", "` |");
}

static void test_others(void **state)
{
    (void)state;
#define STRATEGY(name, text, doc) names("docs/phases.md", text, "`", "`");
    TAC_STRATEGY_TABLE(STRATEGY)
#define TIER(name, text, doc) names("docs/recording.md", text, "`", "`");
    TAC_TIER_TABLE(TIER)
#define LEVEL(name, text) names("docs/configuration.md", text, "", "");
    TAC_LOG_TABLE(LEVEL)
#define DELAY(name, text, doc) names("docs/messages.md", text, "", "");
    TAC_DELAY_TABLE(DELAY)
}

// What may be written is what the schema tells an editor.
static void test_schema(void **state)
{
    (void)state;
    tac_registry *registry;
    assert_int_equal(tac_registry_create(NULL, &registry, NULL), TAC_OK);
    char *schema = tac_config_schema(registry), quoted[64];
    assert_non_null(schema);
    for (size_t i = 0; tac__method_name(NULL, i); i++) {
        snprintf(quoted, sizeof quoted, "\"%s\"", tac__method_name(NULL, i));
        assert_non_null(strstr(schema, quoted));
    }
    for (int i = 0; i < TAC_POLICY_COUNT; i++) {
        snprintf(quoted, sizeof quoted, "\"%s\"", tac_policy_name((tac_policy)i));
        assert_non_null(strstr(schema, quoted));
    }
    static const char *const may_step[] = {"scenario",  "environment", "outputs", "estimate",
                                           "telemetry", "control",     "actuate"};
    char all[512] = "";
    for (size_t i = 0; i < sizeof may_step / sizeof *may_step; i++) {
        snprintf(quoted, sizeof quoted, "%s\"%s\"", i ? ", " : "[", may_step[i]);
        strcat(all, quoted);
    }
    strcat(all, "]");
    assert_non_null(strstr(schema, all));
    tac_text_free(schema);
    tac_registry_destroy(registry);
}

TEST_MAIN(cmocka_unit_test(test_methods), cmocka_unit_test(test_stages),
          cmocka_unit_test(test_policies), cmocka_unit_test(test_roles),
          cmocka_unit_test(test_others), cmocka_unit_test(test_schema))
