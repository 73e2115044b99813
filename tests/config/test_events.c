// Events under `scenario:` and the scenarios of entities that they are handed to.
#include "engine/test_rig.h"

#define HEAD                                                                                       \
    "duration: 10 ms\n"                                                                            \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"                     \
    "components: {scenario: {type: scenario, params: {signals: {name: n}}}}\n"                     \
    "entities:\n"                                                                                  \
    "  uav: {count: 3, components: {scenario: {type: scenario, params: {signals: [{name: n}], "    \
    "events: [{at: 1 ms, do: set, signal: n, value: '1${i}'}]}}}}\n"                               \
    "  base: {components: {scenario: {type: scenario, params: {signals: {name: n}, "               \
    "events: {at: 1 ms, do: set, signal: n, value: 5}}}}}\n"                                       \
    "  tree: {components: {c: {type: counter}}}\n"                                                 \
    "  bush: {components: {c: {type: counter}}}\n"

// What the signal n of every scenario is in the end: root, base, uav1 to uav3.
static void check(const char *events, double root, double base, double uav1, double uav2,
                  double uav3)
{
    static const char *const names[] = {"scenario.n", "base.scenario.n", "uav1.scenario.n",
                                        "uav2.scenario.n", "uav3.scenario.n"};
    const double expected[] = {root, base, uav1, uav2, uav3};
    char text[2048];
    rig r;
    snprintf(text, sizeof text, HEAD "%s", events);
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_NEVER);
    for (size_t i = 0; i < 5; i++)
        rig_same(rig_f64(&r, names[i]), expected[i], names[i], 0);
    rig_close(&r);
}

static void test_handed_out(void **state)
{
    (void)state;
    check("", 0, 5, 11, 12, 13);
    check("scenario:\n", 0, 5, 11, 12, 13);
    check("scenario: []\n", 0, 5, 11, 12, 13);
    check("scenario: [{at: 2 ms, do: set, signal: n, value: 7}]\n", 7, 7, 7, 7, 7);
    check("scenario: [{entity: uav2, at: 2 ms, do: set, signal: n, value: 7}]\n", 0, 5, 11, 7, 13);
    check("scenario: [{entity: 'uav*', at: 2 ms, do: set, signal: n, value: 7},\n"
          "  {entity: 'uav?', at: 3 ms, do: set, signal: n, value: 8},\n"
          "  {entity: base, at: 2 ms, do: set, signal: n, value: 9}]\n",
          0, 9, 8, 8, 8);
    // Those without a scenario are passed over; what a pattern means for them is no mistake.
    check("scenario: [{entity: '*', at: 2 ms, do: set, signal: n, value: 7}]\n", 0, 7, 7, 7, 7);
    check("scenario: [{entity: ~, at: 2 ms, do: set, signal: n, value: 7}]\n", 7, 7, 7, 7, 7);
}

// An entity's own events come first, then those of the file, as written.
static void test_order(void **state)
{
    (void)state;
    check("scenario: [{at: 1 ms, do: set, signal: n, value: 7},\n"
          "  {entity: base, at: 1 ms, do: set, signal: n, value: 8},\n"
          "  {entity: uav3, at: 1 ms, do: set, signal: n, value: 9}]\n",
          7, 8, 7, 7, 9);
}

static void refused(const char *event, tac_status status, unsigned column, const char *part)
{
    char text[2048];
    rig r;
    snprintf(text, sizeof text, HEAD "scenario:\n- %s\n", event);
    const tac_status got = rig_try(&r, text);
    if (got != status || r.err.line != 10 || r.err.column != column || !strstr(r.err.text, part)) {
        rig_show(&r);
        fail_msg("expected %s in line 10, column %u: '%s'", tac_status_name(status), column, part);
    }
    rig_close(&r);
}

static void test_refused(void **state)
{
    (void)state;
    refused("{entity: tree, at: 1 ms, do: arm}", TAC_E_CONFIG, 12,
            "entity 'tree' has no component that takes events; expected one of type 'scenario'");
    refused("{entity: '?ree', at: 1 ms, do: arm}", TAC_E_CONFIG, 12,
            "has no component that takes events");
    refused("{entity: bse, at: 1 ms, do: arm}", TAC_E_NAME, 12,
            "no entity matches 'bse'; did you mean 'base'?");
    refused("{entity: 'x*', at: 1 ms, do: arm}", TAC_E_NAME, 12, "no entity matches 'x*'");
    refused("{entity: [base], at: 1 ms, do: arm}", TAC_E_TYPE, 12, "a name or a pattern");
    refused("arm", TAC_E_TYPE, 3, "expected a map");
    // Mistakes of an event have the place where it was written.
    refused("{entity: uav3, at: 1 ms, do: arn}", TAC_E_NAME, 32, "did you mean 'arm'?");
    refused("{at: 1 ms, do: arm, whenn: 1}", TAC_E_NAME, 23, "did you mean 'when'?");
    refused("{entity: uav1, when: tree.c.m > 1, do: arm}", TAC_E_NAME, 24, "tree.c");
}

static void test_no_scenario(void **state)
{
    (void)state;
    rig r;
    assert_int_equal(rig_try(&r, "duration: 1 ms\ncomponents: {c: {type: constant}}\n"
                                 "scenario:\n- {at: 1 ms, do: arm}\n"),
                     TAC_E_CONFIG);
    assert_int_equal(r.err.line, 4);
    assert_non_null(strstr(
        r.err.text, "there is no component that takes events; expected one of type 'scenario'"));
    rig_close(&r);
    assert_int_equal(rig_try(&r, "duration: 1 ms\ncomponents: {scenario: {type: scenario, params: "
                                 "5}}\nscenario:\n- {at: 1 ms, do: arm}\n"),
                     TAC_E_TYPE);
    assert_int_equal(r.err.line, 2);
    rig_close(&r);
}

// The resolved text has them where they belong, and gives the same model.
static void test_resolved(void **state)
{
    (void)state;
    rig first, second;
    rig_open(&first, HEAD "scenario: [{entity: 'uav*', at: 2 ms, do: set, signal: n, value: 7}]\n");
    char *resolved = tac_config_resolved(first.config);
    assert_non_null(resolved);
    assert_null(strstr(resolved, "\nscenario:"));
    rig_open(&second, resolved);
    assert_true(tac_engine_model_hash(first.engine) == tac_engine_model_hash(second.engine));
    rig_run(&second, TAC_TIME_NEVER);
    rig_same(rig_f64(&second, "uav1.scenario.n"), 7, "uav1", 0);
    tac_text_free(resolved);
    rig_close(&first);
    rig_close(&second);
}

static void test_schema(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 1 ms\ncomponents: {scenario: {type: scenario}}\n");
    char *schema = tac_config_schema(r.registry);
    assert_non_null(schema);
    const char *event = strstr(schema, "\"event\": {");
    assert_non_null(event);
    static const char *const keys[] = {"\"entity\"", "\"at\"", "\"when\"", "\"motor_off\"",
                                       "\"for\""};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!strstr(event, keys[i]))
            fail_msg("the schema of an event has no %s", keys[i]);
    }
    tac_text_free(schema);
    rig_close(&r);
}

// --- who takes events ---------------------------------------------------------------------------

static size_t events_taken;

static tac_status diary_declare(tac_declare *d, void *self)
{
    (void)self;
    events_taken = tac_param_items(d, TAC_PARAM(.name = "events", .fallback = "[]"), 9);
    for (size_t i = 0; i < events_taken; i++) {
        tac_param_begin(d, "events", i);
        (void)tac_param_time(d, TAC_PARAM(.name = "at"));
        tac_param_end(d);
    }
    return TAC_OK;
}

static tac_status diary_step(tac_step *s, const void *self)
{
    (void)s;
    (void)self;
    return TAC_OK;
}

static const tac_component_type diary = {.size = sizeof(tac_component_type),
                                         .name = "diary",
                                         .version = "1",
                                         .flags = TAC_COMPONENT_EVENTS,
                                         .stage = TAC_STAGE_SCENARIO,
                                         .declare = diary_declare,
                                         .kernels[TAC_NUMBERS].step = diary_step};

// The type decides who takes events, not what a component is called.
static void test_takers(void **state)
{
    (void)state;
    rig r;
    static const char head[] =
        "duration: 10 ms\nscheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n";
    char text[1024];
    snprintf(text, sizeof text,
             "%scomponents:\n"
             "  scenario: {type: counter}\n"
             "  what_happens: {type: scenario, params: {signals: {name: n}}}\n"
             "scenario: [{at: 2 ms, do: set, signal: n, value: 7}]\n",
             head);
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_NEVER);
    rig_same(rig_f64(&r, "what_happens.n"), 7, "n", 0);
    rig_close(&r);

    rig_types[0] = &diary;
    snprintf(text, sizeof text,
             "%scomponents: {d: {type: diary, params: {events: {at: 1 s}}}}\n"
             "scenario: [{at: 2 ms}, {at: 3 ms}]\n",
             head);
    events_taken = 0;
    rig_open(&r, text);
    assert_int_equal(events_taken, 3);
    rig_close(&r);

    snprintf(text, sizeof text,
             "%scomponents: {a: {type: scenario}, b: {type: diary}}\n"
             "scenario: [{at: 2 ms, do: arm}]\n",
             head);
    rig_refused(text, TAC_E_CONFIG, "components 'a' and 'b' both take events");
    rig_types[0] = NULL;

    // A plugin that is not there is the cause, not a missing scenario.
    snprintf(text, sizeof text,
             "%scomponents: {a: {type: diary}}\nscenario: [{at: 2 ms, do: arm}]\n", head);
    rig_refused(text, TAC_E_NAME, "unknown component type 'diary'");
}

TEST_MAIN(cmocka_unit_test(test_takers), cmocka_unit_test(test_handed_out),
          cmocka_unit_test(test_order), cmocka_unit_test(test_refused),
          cmocka_unit_test(test_no_scenario), cmocka_unit_test(test_resolved),
          cmocka_unit_test(test_schema))
