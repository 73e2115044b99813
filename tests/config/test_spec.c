// Spec tables: the check with its words, values with their fallbacks, the JSON Schema.
#include "support/allocator.h"
#include "support/test.h"

#include "base/error.h"
#include "config/spec.h"
#include "config/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- a spec with one key of every kind ------------------------------------------------------

static const tac__key name_item = {.kind = TAC__KIND_NAME};
static const tac__key number_item = {.kind = TAC__KIND_NUMBER};
static const char *const policies[] = {"ZOH", "INTERPOLATED", "EXTRAPOLATED", NULL};

static const tac__key group_keys[] = {
    {"name", TAC__KIND_NAME, TAC__REQUIRED, .doc = "what others refer to"},
    {"period", TAC__KIND_PERIOD, .fallback = "10 ms", .doc = "time between two steps"},
    {"rate_hz", TAC__KIND_RATE, .doc = "the same as a rate"},
    {"components", TAC__KIND_LIST, .of = &name_item},
    {0},
};
static const tac__spec group_spec = {"rate_group", "Components that step together.", group_keys};
static const tac__key group_item = {.kind = TAC__KIND_MAP, .spec = &group_spec};

static const tac__key route_keys[] = {
    {"from", TAC__KIND_TEXT, .flags = TAC__REQUIRED},
    {"gain", TAC__KIND_NUMBER, .fallback = "1"},
    {0},
};
static const tac__spec route_spec = {"route", NULL, route_keys};
static const tac__key route_item = {
    .kind = TAC__KIND_EITHER,
    .of = (const tac__key[]){
        {.kind = TAC__KIND_TEXT}, {.kind = TAC__KIND_MAP, .spec = &route_spec}, {0}}};

static const tac__spec tree_spec;
static const tac__key tree_item = {.kind = TAC__KIND_MAP, .spec = &tree_spec};
static const tac__key tree_keys[] = {
    {"label", .kind = TAC__KIND_TEXT},
    {"children", TAC__KIND_LIST, .of = &tree_item},
    {0},
};
static const tac__spec tree_spec = {"tree", "A spec that holds itself.", tree_keys};

static const char *const never[] = {"never", NULL};
static const tac__key root_keys[] = {
    {"title", TAC__KIND_TEXT, .doc = "shown to people"},
    {"duration", TAC__KIND_TIME, .fallback = "1 s", .doc = "of the run"},
    {"seed", TAC__KIND_INTEGER, .fallback = "0x10", .min = 0, .max = 4096},
    {"mass", TAC__KIND_NUMBER, TAC__POSITIVE, "1.5 kg", "of the vehicle", .unit = "kg"},
    {"ratio", TAC__KIND_NUMBER, .fallback = "0.5", .min = -1, .max = 1},
    {"floor", TAC__KIND_NUMBER, .min = 2, .max = HUGE_VAL},
    {"limit", TAC__KIND_NUMBER, TAC__INFINITE | TAC__NAN, .fallback = ".inf"},
    {"realtime", TAC__KIND_BOOL, .fallback = "true"},
    {"policy", TAC__KIND_WORD, .fallback = "EXTRAPOLATED", .words = policies},
    {"pattern", .kind = TAC__KIND_PATTERN},
    {"file", .kind = TAC__KIND_PATH},
    {"position", TAC__KIND_LIST, .of = &number_item, .min = 3, .max = 3},
    {"groups", TAC__KIND_LIST, .of = &group_item},
    {"routes", TAC__KIND_TABLE, TAC__FREE_KEYS, .of = &route_item},
    {"components", TAC__KIND_TABLE, .of = &(const tac__key){.kind = TAC__KIND_ANY}},
    {"stop", TAC__KIND_EITHER,
     .of = (const tac__key[]){{.kind = TAC__KIND_TIME},
                              {.kind = TAC__KIND_WORD, .words = never},
                              {0}}},
    {"tree", TAC__KIND_MAP, .spec = &tree_spec},
    {0},
};
static const tac__spec root_spec = {"simulation", "What is simulated.", root_keys};

// --- reading --------------------------------------------------------------------------------

static tac_document *doc;
static const tac_node *root;
static tac_error err;

static int set_up(void **state)
{
    (void)state;
    doc = tac_document_create(NULL);
    tac_error_clear(&err);
    return doc ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tac_document_destroy(doc);
    return 0;
}

static tac_status check(const char *yaml)
{
    const tac__yaml_source source = {.name = "f.yaml", .bytes = yaml, .length = strlen(yaml)};
    tac_node *read = NULL;
    tac_error_clear(&err);
    if (tac__yaml_read_text(doc, &source, &read, &err) != TAC_OK)
        fail_msg("not YAML: %s", err.text);
    root = read;
    return tac__spec_check(root, &root_spec, NULL, &err);
}

static void good(const char *yaml)
{
    if (check(yaml) != TAC_OK)
        fail_msg("%s: %s", yaml, err.text);
}

static void bad(const char *yaml, tac_status status, const char *lines)
{
    static char text[8192];
    assert_int_equal(check(yaml), status);
    assert_int_equal(err.status, status);
    tac_error_print(&err, text, sizeof text);
    assert_string_equal(text, lines);
}

// The text of the error only.
static void bad_text(const char *yaml, tac_status status, const char *text)
{
    assert_int_equal(check(yaml), status);
    assert_string_equal(err.text, text);
    assert_int_equal(err.line, 1);
    assert_true(err.column > 1);
}

// --- the check ------------------------------------------------------------------------------

static void test_good(void **state)
{
    (void)state;
    good("{}");
    good("title: 5\n"
         "duration: 2 min\n"
         "seed: 42\n"
         "mass: 2\n"
         "ratio: -1\n"
         "floor: 1e300\n"
         "limit: -.inf\n"
         "realtime: false\n"
         "policy: ZOH\n"
         "pattern: Nav.*\n"
         "file: data/a.csv\n"
         "position: [0, .5, 1e-3]\n"
         "groups: [{name: fast, rate_hz: 1000, components: [A, B]}, {name: slow}]\n"
         "routes: {a.b: c.d, e: {from: f, gain: 2}}\n"
         "components: {Nav: {anything: [goes]}, Empty: ~}\n"
         "stop: never\n"
         "tree: {label: a, children: [{label: b, children: []}, {}]}\n");
    good("title:\ntree: ~\n"); // null is absent
}

static void test_unknown_keys(void **state)
{
    (void)state;
    bad("groups:\n  - name: a\n    perod: 4 ms\n", TAC_E_NAME,
        "f.yaml:3:5: error: unknown key 'perod'; did you mean 'period'?\n"
        "     3 |     perod: 4 ms\n"
        "       |     ^\n"
        "  while reading groups[0]\n");
    bad("routes: {é: {xyzxyzxyz: 1}}", TAC_E_NAME,
        "f.yaml:1:14: error: unknown key 'xyzxyzxyz'; valid keys are from, gain\n"
        "     1 | routes: {é: {xyzxyzxyz: 1}}\n"
        "       |              ^\n"
        "  while reading routes.é\n");
    bad("Title: x\n", TAC_E_NAME,
        "f.yaml:1:1: error: unknown key 'Title'; did you mean 'title'?\n"
        "     1 | Title: x\n"
        "       | ^\n");
    static const tac__key no_keys[] = {{0}};
    static const tac__spec empty = {"empty", NULL, no_keys};
    assert_int_equal(tac__spec_check(root, &empty, NULL, &err), TAC_E_NAME);
    assert_string_equal(err.text, "unknown key 'Title'; no keys are expected here");
}

static void test_missing_keys(void **state)
{
    (void)state;
    bad("groups:\n  - {name: a}\n  - {period: 4 ms}\n", TAC_E_CONFIG,
        "f.yaml:3:5: error: key 'name' is missing\n"
        "     3 |   - {period: 4 ms}\n"
        "       |     ^\n"
        "  while reading groups[1]\n");
    bad_text("groups: [{name: ~}]", TAC_E_CONFIG, "key 'name' is missing");
}

static void test_wrong_shapes(void **state)
{
    (void)state;
    bad("tree: [1]", TAC_E_TYPE,
        "f.yaml:1:7: error: expected a map, found a list\n"
        "     1 | tree: [1]\n"
        "       |       ^\n"
        "  while reading tree\n");
    bad("[1]", TAC_E_TYPE,
        "f.yaml:1:1: error: expected a map, found a list\n"
        "     1 | [1]\n"
        "       | ^\n");
    bad_text("groups: fast", TAC_E_TYPE, "expected a list, found 'fast'");
    bad_text("groups: [~]", TAC_E_TYPE, "expected a map, found nothing");
    bad_text("title: {a: b}", TAC_E_TYPE, "expected text, found a map");
    bad_text("position: [1, 2, [3]]", TAC_E_TYPE, "expected a number, found a list");
    bad_text("routes: {a: [1]}", TAC_E_TYPE, "expected text or a map, found a list");
    bad_text("routes: {a: {from: [1]}}", TAC_E_TYPE, "expected text, found a list");
    bad_text("stop: maybe", TAC_E_TYPE,
             "expected a time such as '4 ms' or a word of never, found 'maybe'");
}

static void test_numbers(void **state)
{
    (void)state;
    static const char *const fine[] = {"0",   "-1",   "+1",   "1.",   ".5",    "-0.5",
                                       "1e0", "1E-3", "5e-1", "00.1", "1e-400"};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        char text[64];
        snprintf(text, sizeof text, "ratio: %s", fine[i]);
        good(text);
        assert_true(tac__get_number(root, &root_spec, "ratio") == strtod(fine[i], NULL));
    }
    static const char *const wrong[] = {"x",   "1x", "1 x",      "0x1", "1,5", "--1",
                                        ".",   "e5", "1e",       "nan", "inf", "1_0",
                                        "1 2", "-x", "Infinity", "1e+", "1 kg"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[64], expected[128];
        snprintf(text, sizeof text, "ratio: %s", wrong[i]);
        snprintf(expected, sizeof expected, "expected a number, found '%s'", wrong[i]);
        bad_text(text, TAC_E_TYPE, expected);
    }
    bad_text("ratio: '0.5'", TAC_E_TYPE, "expected a number, found the text '0.5' in quotes");
    bad_text("ratio: .inf", TAC_E_RANGE, "'.inf' is not allowed here");
    bad_text("ratio: .nan", TAC_E_RANGE, "'.nan' is not allowed here");
    bad_text("limit: 1e999", TAC_E_RANGE, "'1e999' is too large for a number");
    bad_text("ratio: 1.5", TAC_E_RANGE, "1.5 is out of range: must be from -1 to 1");
    bad_text("floor: 1", TAC_E_RANGE, "1 is out of range: must be at least 2");
    bad_text("mass: 0", TAC_E_RANGE, "0 is out of range: must be above 0");
    bad_text("mass: 3 m", TAC_E_UNIT, "'3 m' is not in a unit of kg");
    bad_text("mass: heavy", TAC_E_TYPE, "expected a number in kg, found 'heavy'");
    good("mass: 500 g");
    assert_true(tac__get_number(root, &root_spec, "mass") == 0.5);
    bad_text("position: [1, 2]", TAC_E_RANGE, "a list of 2 is out of range: must be 3");
    good("limit: .NaN");
    assert_true(isnan(tac__get_number(root, &root_spec, "limit")));
}

static void test_integers(void **state)
{
    (void)state;
    good("seed: +7");
    assert_int_equal(tac__get_int(root, &root_spec, "seed"), 7);
    good("seed: 0xfF");
    assert_int_equal(tac__get_int(root, &root_spec, "seed"), 255);
    bad_text("seed: 1.0", TAC_E_TYPE, "expected a whole number, found '1.0'");
    bad_text("seed: 0x", TAC_E_TYPE, "expected a whole number, found '0x'");
    bad_text("seed: '1'", TAC_E_TYPE, "expected a whole number, found the text '1' in quotes");
    bad_text("seed: -1", TAC_E_RANGE, "-1 is out of range: must be from 0 to 4096");
    bad_text("seed: 9223372036854775808", TAC_E_RANGE,
             "'9223372036854775808' is too large for a whole number");
    int64_t i = 0;
    const tac_node *least = tac_node_scalar(doc, "-9223372036854775808", NULL);
    assert_int_equal(tac__read_int(least, &i, &err), TAC_OK);
    assert_true(i == INT64_MIN);
}

static void test_words_bools_names(void **state)
{
    (void)state;
    bad_text("policy: ZHO", TAC_E_NAME, "unknown word 'ZHO'; did you mean 'ZOH'?");
    bad_text("policy: something", TAC_E_NAME,
             "unknown word 'something'; expected one of ZOH, INTERPOLATED, EXTRAPOLATED");
    bad_text("realtime: yes", TAC_E_TYPE, "expected true or false, found 'yes'");
    bad_text("realtime: True", TAC_E_TYPE, "expected true or false, found 'True'");
    bad_text("realtime: 'true'", TAC_E_TYPE,
             "expected true or false, found the text 'true' in quotes");
    bad_text("groups: [{name: 2nd}]", TAC_E_TYPE,
             "expected a name (letters, digits and '_'), found '2nd'");
    bad_text("components: {a b: 1}", TAC_E_NAME,
             "'a b' is not a name: expected letters, digits and '_'");
    bad_text("pattern: a b", TAC_E_TYPE, "expected a pattern, found 'a b'");
    bad_text("file: ''", TAC_E_TYPE, "expected the name of a file, found the text '' in quotes");
}

static void test_times(void **state)
{
    (void)state;
    bad("duration: 1.5 us\n", TAC_E_TIME,
        "f.yaml:1:11: error: '1.5 us' is not a whole number of microseconds; the nearest are 1 us "
        "and 2 us\n"
        "     1 | duration: 1.5 us\n"
        "       |           ^\n"
        "  while reading duration\n");
    bad_text("duration: 4", TAC_E_UNIT,
             "'4' has no unit; expected a time such as '4 ms' or '1.5 s'");
    bad_text("groups: [{name: a, rate_hz: 0}]", TAC_E_RANGE, "'0 Hz': a rate must be above zero");
    bad_text("groups: [{name: a, rate_hz: -5}]", TAC_E_RANGE, "'-5 Hz': time cannot be negative");
    bad_text("groups: [{name: a, rate_hz: 4 ms}]", TAC_E_TYPE,
             "expected a rate in Hz, found '4 ms'");
    bad_text("groups: [{name: a, rate_hz: 3}]", TAC_E_TIME,
             "'3 Hz' is not a whole number of microseconds; the nearest are 333.333 ms "
             "(3.000003 Hz) and 333.334 ms (2.999994 Hz)");
    good("stop: 0");
    good("stop: 5 s");
    good("groups: [{name: a, rate_hz: 0.25 kHz}, {name: b, rate_hz: 0.5}]");
    const tac_node *groups = tac_node_get(root, "groups");
    assert_int_equal(tac__get_period(tac_node_item(groups, 0), &group_spec, "rate_hz"), 4000);
    assert_int_equal(tac__get_period(tac_node_item(groups, 1), &group_spec, "rate_hz"), 2000000);
}

// --- values ---------------------------------------------------------------------------------

static void test_values(void **state)
{
    (void)state;
    good("title: x\nduration: 5 ms\nseed: 3\nmass: 2.5 kg\nrealtime: false\npolicy: INTERPOLATED\n"
         "groups: [{name: a, period: 250 Hz}]\n");
    assert_string_equal(tac__get_text(root, &root_spec, "title"), "x");
    assert_int_equal(tac__get_time(root, &root_spec, "duration"), 5000);
    assert_int_equal(tac__get_int(root, &root_spec, "seed"), 3);
    assert_true(tac__get_number(root, &root_spec, "mass") == 2.5);
    assert_false(tac__get_bool(root, &root_spec, "realtime"));
    assert_int_equal(tac__get_word(root, &root_spec, "policy"), 1);
    const tac_node *group = tac_node_item(tac__get_node(root, "groups"), 0);
    assert_int_equal(tac__get_period(group, &group_spec, "period"), 4000);
    assert_null(tac__get_node(root, "tree"));
}

static void test_fallbacks(void **state)
{
    (void)state;
    good("{title: ~, mass: ~}");
    assert_null(tac__get_text(root, &root_spec, "title"));
    assert_null(tac__get_node(root, "title"));
    assert_int_equal(tac__get_time(root, &root_spec, "duration"), 1000000);
    assert_int_equal(tac__get_int(root, &root_spec, "seed"), 16);
    assert_true(tac__get_number(root, &root_spec, "mass") == 1.5);
    assert_true(tac__get_number(root, &root_spec, "floor") == 0.0);
    assert_true(isinf(tac__get_number(root, &root_spec, "limit")));
    assert_true(tac__get_bool(root, &root_spec, "realtime"));
    assert_int_equal(tac__get_word(root, &root_spec, "policy"), 2);
    assert_int_equal(tac__get_period(root, &group_spec, "period"), 10000);
}

static void test_single_scalars(void **state)
{
    (void)state;
    good("components: {a: 1.5, b: true, c: 4 ms, d: 250 Hz, e: 7}");
    const tac_node *any = tac_node_get(root, "components");
    double x = 0;
    bool b = false;
    tac_time t_us = 0;
    int64_t i = 0;
    assert_int_equal(tac__read_number(tac_node_get(any, "a"), &x, &err), TAC_OK);
    assert_int_equal(tac__read_bool(tac_node_get(any, "b"), &b, &err), TAC_OK);
    assert_int_equal(tac__read_time(tac_node_get(any, "c"), &t_us, &err), TAC_OK);
    assert_int_equal(t_us, 4000);
    assert_int_equal(tac__read_period(tac_node_get(any, "d"), &t_us, &err), TAC_OK);
    assert_int_equal(t_us, 4000);
    assert_int_equal(tac__read_int(tac_node_get(any, "e"), &i, &err), TAC_OK);
    assert_true(x == 1.5 && b && i == 7);
    assert_int_equal(tac__read_number(tac_node_get(any, "b"), &x, &err), TAC_E_TYPE);
    assert_int_equal(err.column, 25);
    assert_string_equal(err.context, "while reading components.b\n");
    assert_int_equal(tac__read_number(any, &x, &err), TAC_E_TYPE);
    assert_int_equal(tac__read_number(NULL, &x, &err), TAC_E_CALLER);
}

// --- tables ---------------------------------------------------------------------------------

static void refused(const tac__key *keys, tac_status status)
{
    const tac__spec spec = {"test", NULL, keys};
    assert_int_equal(tac__spec_valid(&spec, &err), status);
}

static void test_tables(void **state)
{
    (void)state;
    assert_int_equal(tac__spec_valid(&root_spec, &err), TAC_OK);
    refused((const tac__key[]){{"a", TAC__KIND_NUMBER, .fallback = "x"}, {0}}, TAC_E_TYPE);
    assert_string_equal(err.context, "while checking key 'a' of spec 'test'\n");
    refused((const tac__key[]){{"a", TAC__KIND_TEXT, TAC__REQUIRED, .fallback = "x"}, {0}},
            TAC_E_CALLER);
    refused((const tac__key[]){{"a", .kind = TAC__KIND_LIST}, {0}}, TAC_E_CALLER);
    refused((const tac__key[]){{"a", .kind = TAC__KIND_MAP}, {0}}, TAC_E_CALLER);
    refused((const tac__key[]){{"a", .kind = TAC__KIND_WORD}, {0}}, TAC_E_CALLER);
    refused((const tac__key[]){{"a", .kind = TAC__KIND_END}, {0}}, TAC_E_CALLER);
    refused((const tac__key[]){{"a", TAC__KIND_TEXT, .words = never}, {0}}, TAC_E_CALLER);
    refused((const tac__key[]){{"a", .kind = TAC__KIND_TEXT}, {"a", .kind = TAC__KIND_TEXT}, {0}},
            TAC_E_DUPLICATE);
    refused((const tac__key[]){{"extends", .kind = TAC__KIND_TEXT}, {0}}, TAC_E_DUPLICATE);
    static const tac__spec twin = {"test", NULL, route_keys};
    refused((const tac__key[]){{"a", TAC__KIND_MAP, .spec = &twin}, {0}}, TAC_E_DUPLICATE);
}

// --- JSON Schema ----------------------------------------------------------------------------

static void test_json_schema(void **state)
{
    (void)state;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__json json = tac__json_begin(&text);
    assert_int_equal(tac__spec_json_schema(&root_spec, false, &json), TAC_OK);
    assert_int_equal(json.depth, 0);
    static const char *const parts[] = {
        "\"$schema\": \"https://json-schema.org/draft/2020-12/schema\"",
        "\"$ref\": \"#/$defs/simulation\"",
        "\"tree\": {\n      \"description\": \"A spec that holds itself.\"",
        "\"items\": {\n            \"$ref\": \"#/$defs/tree\"",
        "\"additionalProperties\": false",
        "\"then\": {\"required\": [\"name\"]}",
        "\"description\": \"of the vehicle [kg]\"",
        "\"default\": 1.5",
        "\"default\": 16",
        "\"default\": true",
        "\"default\": \"10 ms\"",
        "{\"enum\": [\"ZOH\", \"INTERPOLATED\", \"EXTRAPOLATED\"]}",
        "\"exclusiveMinimum\": 0",
        "\"minItems\": 3",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!strstr(text.chars, parts[i]))
            fail_msg("no %s in:\n%s", parts[i], text.chars);
    }
    // It is YAML too, and a schema of parts requires nothing.
    const tac__yaml_source source = {.name = "json", .bytes = text.chars, .length = text.length};
    tac_node *schema = NULL;
    assert_int_equal(tac__yaml_read_text(doc, &source, &schema, &err), TAC_OK);
    assert_int_equal(tac_node_count(tac_node_get(schema, "$defs")), 5);
    // By hand: TACTUS_SCHEMA_OUT=/tmp/schema.json, then python3-jsonschema.
    const char *out = getenv("TACTUS_SCHEMA_OUT");
    FILE *file = out ? fopen(out, "w") : NULL;
    if (file) {
        fputs(text.chars, file);
        fclose(file);
    }
    tac__text_fini(&text);

    tac__text_init(&text, tac_allocator_default());
    json = tac__json_begin(&text);
    assert_int_equal(tac__spec_json_schema(&root_spec, true, &json), TAC_OK);
    assert_null(strstr(text.chars, "required"));
    tac__text_fini(&text);
}

static void test_schema_without_memory(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        test_allocator a = test_allocator_make();
        a.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&a);
        tac__text text;
        tac__text_init(&text, &hook);
        tac__json json = tac__json_begin(&text);
        const tac_status status = tac__spec_json_schema(&root_spec, false, &json);
        tac__text_fini(&text);
        test_allocator_check_empty(&a);
        if (status == TAC_OK) {
            assert_true(n > 2);
            break;
        }
        assert_int_equal(status, TAC_E_MEMORY);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(test_good), TEST(test_unknown_keys), TEST(test_missing_keys),
          TEST(test_wrong_shapes), TEST(test_numbers), TEST(test_integers),
          TEST(test_words_bools_names), TEST(test_times), TEST(test_values), TEST(test_fallbacks),
          TEST(test_single_scalars), TEST(test_tables), TEST(test_json_schema),
          TEST(test_schema_without_memory))
