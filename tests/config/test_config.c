// Configurations from text to an engine: entities, rate groups, mistakes with their places,
// plugins, the resolved text, the JSON Schema.
#include "engine/test_rig.h"

#include <sys/stat.h>

// Must be refused with this text, at this place, with a caret under it.
static void refused_at(const char *text, tac_status status, const char *part, unsigned line,
                       unsigned column)
{
    rig r;
    const tac_status got = rig_try(&r, text);
    char print[8192], where[64];
    tac_error_print(&r.err, print, sizeof print);
    snprintf(where, sizeof where, "test.yaml:%u:%u: error: ", line, column);
    if (got != status || !strstr(r.err.text, part) || strncmp(print, where, strlen(where)) ||
        !strstr(print, "^"))
        fail_msg("expected %s '%s' at %s, got %s\n%s", tac_status_name(status), part, where,
                 tac_status_name(got), print);
    rig_close(&r);
}

#define GROUP "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"

// --- entities -----------------------------------------------------------------------------------

static void test_names_and_numbers(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 1 ms\n" GROUP "entities:\n"
                 "  base: {components: {c: {type: constant, params: {value: -1}}}}\n"
                 "  uav:\n"
                 "    count: 4\n"
                 "    each:\n"
                 "      - {components: {c: {params: {value: 100}}}}\n"
                 "      - {}\n"
                 "      - {components: {c: ~, d: {type: constant, params: {value: 7}}}}\n"
                 "    components:\n"
                 "      c: {type: constant, params: {value: '${i}'}}\n"
                 "      e: {type: constant, params: {value: '1${i}.5'}}\n");
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(tac_engine_sizes(r.engine).entities, 5);
    rig_same(rig_f64(&r, "base.c.y"), -1, "base", 0);
    rig_same(rig_f64(&r, "uav1.c.y"), 100, "uav1", 0);
    rig_same(rig_f64(&r, "uav2.c.y"), 2, "uav2", 0);
    assert_int_equal(tac_engine_find_signal(r.engine, "uav3.c.y"), -1); // removed by ~
    rig_same(rig_f64(&r, "uav3.d.y"), 7, "uav3", 0);
    rig_same(rig_f64(&r, "uav4.c.y"), 4, "uav4", 0);
    rig_same(rig_f64(&r, "uav4.e.y"), 14.5, "uav4", 0);
    rig_close(&r);
    // One of them has a number too, and null means absent.
    rig_open(&r, "duration: 1 ms\n" GROUP "entities:\n"
                 "  a: {count: 1, components: {c: {type: counter}}}\n"
                 "  b: {count: ~, each: ~, components: {c: {type: counter}}}\n");
    assert_true(tac_engine_find_signal(r.engine, "a1.c.n") >= 0);
    assert_true(tac_engine_find_signal(r.engine, "b.c.n") >= 0);
    rig_close(&r);
}

// What expressions of the number make of a template is what one would have written for each.
static void test_expressions_of_the_number(void **state)
{
    (void)state;
    static const char shown[] =
        "duration: 3 ms\n" GROUP "entities:\n"
        "  uav:\n"
        "    count: 3\n"
        "    components:\n"
        "      c: {type: constant, params: {value: '${= 5 * mod(i, 2) - 2^i / n}'}}\n"
        "      e: {type: constant, params: {value: 4}}\n"
        "      p: {type: point_mass, params: {mass: '${= 1 + i/4} kg', position: "
        "['${= if(i > 1, -i, 0.5)}', 7, 1]}}\n";
    static const char meant[] =
        "duration: 3 ms\n" GROUP "entities:\n"
        "  uav:\n"
        "    count: 3\n"
        "    components:\n"
        "      c: {type: constant}\n"
        "      e: {type: constant, params: {value: 4}}\n"
        "      p: {type: point_mass, params: {position: [0, 7, 1]}}\n"
        "    each:\n"
        "      - {components: {c: {params: {value: 4.333333333333333}}, p: {params: {mass: 1.25, "
        "position: [0.5, 7, 1]}}}}\n"
        "      - {components: {c: {params: {value: -1.3333333333333333}}, p: {params: {mass: 1.5, "
        "position: [-2, 7, 1]}}}}\n"
        "      - {components: {c: {params: {value: 2.3333333333333335}}, p: {params: {mass: 1.75, "
        "position: [-3, 7, 1]}}}}\n";
    rig r, other;
    rig_open(&r, shown);
    rig_open(&other, meant);
    assert_true(tac_engine_model_hash(r.engine) == tac_engine_model_hash(other.engine));
    rig_run(&r, TAC_TIME_NEVER);
    rig_run(&other, TAC_TIME_NEVER);
    assert_true(tac_engine_hash(r.engine, NULL, NULL) == tac_engine_hash(other.engine, NULL, NULL));
    char *resolved = tac_config_resolved(r.config), *second = tac_config_resolved(other.config);
    assert_non_null(strstr(resolved, "position: [-3, 7, 1]"));
    assert_non_null(strstr(second, "position: [-3, 7, 1]"));
    tac_text_free(resolved);
    tac_text_free(second);
    rig_close(&r);
    rig_close(&other);
}

static void test_entities_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *entities;
        tac_status status;
        const char *part;
        unsigned line, column;
    } wrong[] = {
        {"  u: {count: 0, components: {c: {type: counter}}}\n", TAC_E_RANGE,
         "expected a whole number from 1 to 100000", 4, 14},
        {"  u: {count: 100001, components: {c: {type: counter}}}\n", TAC_E_RANGE, "100000", 4, 14},
        {"  u: {count: two, components: {c: {type: counter}}}\n", TAC_E_TYPE, "whole number", 4,
         14},
        {"  u: {count: [2], components: {c: {type: counter}}}\n", TAC_E_TYPE, "whole number", 4,
         14},
        {"  u: {count: 2, each: {}, components: {c: {type: counter}}}\n", TAC_E_TYPE,
         "each: expected a list of maps", 4, 23},
        {"  u: {count: 2, each: [1], components: {c: {type: counter}}}\n", TAC_E_TYPE,
         "each: expected a map", 4, 24},
        {"  u: {count: 1, each: [{}, {}], components: {c: {type: counter}}}\n", TAC_E_RANGE,
         "each has 2 items, but count is 1", 4, 23},
        {"  u: {each: [{}], components: {c: {type: counter}}}\n", TAC_E_RANGE,
         "each has 1 items, but count is 0", 4, 13},
        {"  u1: {components: {c: {type: counter}}}\n  u: {count: 1, components: {c: {type: "
         "counter}}}\n",
         TAC_E_DUPLICATE, "entity 'u1' exists already", 5, 3},
        {"  u: {count: 1, components: {c: {type: counter}}}\n  u1: {components: {c: {type: "
         "counter}}}\n",
         TAC_E_DUPLICATE, "entity 'u1' exists already", 5, 3},
        {"  u: 5\n", TAC_E_TYPE, "expected a map that describes the entity", 4, 6},
        {"  u: {count: 2, components: {c: {type: constant, params: {value: '${= j + 1}'}}}}\n",
         TAC_E_NAME, "variable 'j' has no value; here there are i, n", 4, 71},
        {"  u: {count: '${= i}', components: {c: {type: counter}}}\n", TAC_E_NAME,
         "variable 'i' has no value; i and n have one in an entity with a count", 4, 19},
        {"  u-v: {components: {c: {type: counter}}}\n", TAC_E_NAME, "'u-v' is not a name", 4, 3},
        {"  u: {components: {c: {type: '${NOT_SET_ANYWHERE}'}}}\n", TAC_E_NAME, "NOT_SET_ANYWHERE",
         4, 31},
        {"  u: {parts: {}}\n", TAC_E_NAME, "unknown key 'parts'", 4, 7},
        {"  u: {component: {}}\n", TAC_E_NAME, "did you mean 'components'?", 4, 7},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1024];
        snprintf(text, sizeof text, "duration: 1 ms\n" GROUP "entities:\n%s", wrong[i].entities);
        refused_at(text, wrong[i].status, wrong[i].part, wrong[i].line, wrong[i].column);
    }
}

// --- rate groups --------------------------------------------------------------------------------

static void test_groups_by_pattern(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 10 ms\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - {name: one, rate_hz: 1000, components: [fast, 'uav?.a*']}\n"
                 "    - {name: two, rate: 500 Hz, components: [b]}\n" // the last part of uav1.b
                 "    - {name: three, period: 5 ms, offset: 1 ms, components: ['*.c?']}\n"
                 "    - {name: four, times: [0, 7 ms], components: [lone]}\n"
                 "components: {fast: {type: counter}, lone: {type: counter}}\n"
                 "entities:\n"
                 "  uav: {count: 2, components: {alpha: {type: counter}, b: {type: counter}, c1: "
                 "{type: counter}}}\n");
    rig_run(&r, TAC_TIME_NEVER);
    static const struct {
        const char *signal;
        int64_t n;
    } counts[] = {{"fast.n", 11},  {"lone.n", 2},   {"uav1.alpha.n", 11}, {"uav2.alpha.n", 11},
                  {"uav1.b.n", 6}, {"uav2.b.n", 6}, {"uav1.c1.n", 2},     {"uav2.c1.n", 2}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_int_equal(rig_i64(&r, counts[i].signal), counts[i].n);
    rig_close(&r);
}

static void test_groups_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *groups;
        tac_status status;
        const char *part;
        unsigned line, column;
    } wrong[] = {
        {"{name: g, period: 1 ms, components: [Autopilt]}", TAC_E_NAME,
         "rate group 'g': no component matches 'Autopilt'; did you mean 'Autopilot'?", 4, 44},
        {"{name: g, period: 1 ms, components: ['x*']}", TAC_E_NAME, "no component matches 'x*'", 4,
         44},
        {"{name: g, period: 1 ms, components: [Autopilot]}\n    - {name: h, period: 2 ms, "
         "components: ['*']}",
         TAC_E_DUPLICATE, "component 'Autopilot' is in rate group 'g' already (line 4)", 5, 44},
        {"{name: g, period: 1 ms, components: ['*']}\n    - {name: g, period: 2 ms}",
         TAC_E_DUPLICATE, "rate group 'g' exists already", 5, 7},
        {"{name: g, rate_hz: 1000, period: 1 ms, components: ['*']}", TAC_E_CONFIG,
         "rate group 'g' has both 'rate_hz' and 'period'; expected one of them", 4, 40},
        {"{name: g, rate_hz: 1000, times: [2 ms, 1 ms], components: ['*']}", TAC_E_CONFIG,
         "explicit times must ascend", 4, 7},
        {"{name: g, components: ['*']}", TAC_E_CONFIG,
         "rate group 'g' has no rate; expected rate_hz, rate, period or times", 4, 7},
        {"{name: g, times: [0, 2 ms, 1 ms], components: ['*']}", TAC_E_CONFIG,
         "explicit times must ascend", 4, 7},
        {"{name: g, times: [], components: ['*']}", TAC_E_CONFIG, "rate group 'g'", 4, 7},
        {"{name: g, times: [0], offset: 1 ms, components: ['*']}", TAC_E_CONFIG,
         "explicit times, which take no offset", 4, 37},
        {"{name: g, rate_hz: 300, components: ['*']}", TAC_E_TIME, "the nearest are 3.333 ms", 4,
         26},
        {"{name: g, rate_hz: 30, components: ['*']}", TAC_E_TIME, "33.334 ms", 4, 26},
        {"{name: g, rate_hz: 0, components: ['*']}", TAC_E_RANGE, "above zero", 4, 26},
        {"{name: g, rate_hz: -5, components: ['*']}", TAC_E_RANGE, "-5", 4, 26},
        {"{name: g, rate_hz: fast, components: ['*']}", TAC_E_TYPE, "expected a rate in Hz", 4, 26},
        {"{name: g, period: 0 ms, components: ['*']}", TAC_E_RANGE, "above zero", 4, 25},
        {"{name: g, period: 10, components: ['*']}", TAC_E_UNIT, "no unit", 4, 25},
        {"{name: g, period: 1.5 us, components: ['*']}", TAC_E_TIME, "1 us", 4, 25},
        {"{name: g, period: 1 ms, components: Autopilot}", TAC_E_TYPE, "expected a list", 4, 43},
        {"{period: 1 ms, components: ['*']}", TAC_E_CONFIG, "key 'name' is missing", 4, 7},
        {"{name: g, perid: 1 ms}", TAC_E_NAME, "unknown key 'perid'; did you mean 'period'?", 4,
         17},
        {"{name: 1g, period: 1 ms}", TAC_E_TYPE, "expected a name", 4, 14},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "duration: 1 ms\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - %s\n"
                 "components: {Autopilot: {type: counter}}\n",
                 wrong[i].groups);
        refused_at(text, wrong[i].status, wrong[i].part, wrong[i].line, wrong[i].column);
    }
}

// --- mistakes in the rest -----------------------------------------------------------------------

static void test_mistakes_have_places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tac_status status;
        const char *part;
        unsigned line, column;
    } wrong[] = {
        {GROUP "components: {a: {type: counter}}\n", TAC_E_CONFIG, "key 'duration' is missing", 1,
         1},
        {"duration: 1 ms\n", TAC_E_CONFIG, "there is no component: nothing would run", 1, 1},
        {"duration: 1 ms\ncomponent: {}\n", TAC_E_NAME,
         "unknown key 'component'; did you mean 'components'?", 2, 1},
        {"duration: 1\n", TAC_E_UNIT, "'1' has no unit", 1, 11},
        {"duration: -1 s\n", TAC_E_RANGE, "negative", 1, 11},
        {"duration: 1 ms\nseed: -1\n", TAC_E_RANGE, "-1 is out of range", 2, 7},
        {"duration: 1 ms\nseed: many\n", TAC_E_TYPE, "expected a whole number", 2, 7},
        {"duration: 1 ms\nduration: 2 ms\n", TAC_E_DUPLICATE, "duration", 2, 1},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: countr}\n", TAC_E_NAME,
         "unknown component type 'countr'; did you mean 'counter'?", 4, 13},
        {"duration: 1 ms\n" GROUP "components:\n  a: {stage: control}\n", TAC_E_CONFIG,
         "key 'type' is missing", 4, 6},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: counter, stage: controll}\n",
         TAC_E_NAME, "did you mean 'control'?", 4, 29},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: counter, stage: begin}\n", TAC_E_NAME,
         "unknown word 'begin'", 4, 29},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: oscillator, stage: control}\n",
         TAC_E_CONFIG, "'a' has no step, so it cannot be given a stage", 4, 3},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: constant, params: {valu: 1}}\n",
         TAC_E_NAME, "unknown parameter 'valu' of type 'constant'; did you mean 'value'?", 4, 32},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: counter, params: {x: 1}}\n", TAC_E_NAME,
         "unknown parameter 'x' of type 'counter'; it has none", 4, 31},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: constant, params: [1]}\n", TAC_E_TYPE,
         "expected a map of parameters", 4, 31},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: constant, params: {value: x}}\n",
         TAC_E_TYPE, "'x' is not a finite number", 4, 39},
        {"duration: 1 ms\n" GROUP
         "components:\n  a: {type: constant, params: {size: 3, value: [1, 2]}}\n",
         TAC_E_TYPE, "expected 3 numbers, found 2", 4, 48},
        {"duration: 1 ms\n" GROUP
         "components:\n  a: {type: constant, params: {size: 2, value: [1, {}]}}\n",
         TAC_E_TYPE, "expected a single value in the list", 4, 52},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: constant, params: {value: inf}}\n",
         TAC_E_TYPE, "'inf' is not a finite number", 4, 39},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: constant, params: {size: 65}}\n",
         TAC_E_RANGE, "65 is out of range; expected a whole number in [1, 64]", 4, 38},
        {"duration: 1 ms\n" GROUP
         "components:\n  a: {type: constant, params: {size: 99999999999999999999}}\n",
         TAC_E_RANGE, "99999999999999999999", 4, 38},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: constant, params: {size: 1.5}}\n",
         TAC_E_TYPE, "'1.5' is not a whole number", 4, 38},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: oscillator, params: {mass: 0}}\n",
         TAC_E_RANGE, "0 is out of range; expected a value in (0, inf) kg", 4, 40},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: oscillator, params: {mass: 5 m}}\n",
         TAC_E_UNIT, "'5 m' is not in a unit of kg", 4, 40},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: oscillator, params: {mass: 5 kgg}}\n",
         TAC_E_UNIT, "unknown unit 'kgg'", 4, 40},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: constant, params: {unit: mm2}}\n",
         TAC_E_UNIT, "unknown unit 'mm2'", 4, 3},
        {"duration: 1 ms\n" GROUP "components:\n  a: {type: profile, params: {times: [0]}}\n",
         TAC_E_CONFIG, "parameter 'values' is missing: the value from each of the times on", 4, 30},
        {"duration: 1 ms\n" GROUP
         "components:\n  a: {type: profile, params: {times: [0, 1], values: [0]}}\n",
         TAC_E_CONFIG, "2 times, but 1 values", 4, 54},
        {"duration: 1 ms\n" GROUP
         "components:\n  a: {type: limit, params: {min: 2, max: 1}, inputs: {u: a.y}}\n",
         TAC_E_CONFIG, "max must not be below min", 4, 42},
        {"duration: 1 ms\n" GROUP
         "components:\n  a: {type: counter}\n  b: {type: gain, inputs: {v: a.n}}\n",
         TAC_E_NAME, "'b' has no input 'v'", 5, 31},
        {"duration: 1 ms\n" GROUP
         "components:\n  a: {type: constant}\n  b: {type: gain, inputs: {u: a.z}}\n",
         TAC_E_NAME, "unknown signal 'a.z'; did you mean 'a.y'?", 5, 31},
        {"duration: 1 ms\n" GROUP
         "components:\n  a: {type: constant}\n  b: {type: gain, inputs: {u: {from: aa.y}}}\n",
         TAC_E_NAME, "unknown signal 'aa.y'; did you mean 'a.y'?", 5, 38},
        {"duration: 1 ms\n" GROUP
         "components:\n  a: {type: constant}\n  b: {type: gain, inputs: {u: {gain: 2}}}\n",
         TAC_E_CONFIG, "key 'from' is missing", 5, 31},
        {"duration: 1 ms\n" GROUP
         "components:\n  a: {type: constant}\n  b: {type: gain, inputs: {u: {from: a.y, gain: "
         "'2'}}}\n",
         TAC_E_TYPE, "in quotes", 5, 49},
        {"duration: 1 ms\n" GROUP
         "components:\n  a: {type: constant}\n  b: {type: gain, inputs: {u: {from: a.y, policy: "
         "LINEAR}}}\n",
         TAC_E_NAME, "unknown word 'LINEAR'; expected one of ZOH, INTERPOLATED", 5, 51},
        {"duration: 1 ms\n" GROUP "components:\n  b: {type: gain}\n", TAC_E_CONFIG,
         "input 'b.u' is not connected", 4, 3},
        {"duration: 1 ms\n" GROUP "components:\n  b: {type: listener, stage: telemetry}\n",
         TAC_E_CONFIG, "'b' is in stage 'telemetry', which only reads", 4, 3},
        {"duration: 1 ms\ncomponents:\n  b: {type: counter}\n", TAC_E_CONFIG,
         "'b' is in no rate group, so it would never step", 3, 3},
        {"duration: 1 ms\n" GROUP "components:\n  a.b: {type: counter}\n", TAC_E_NAME,
         "'a.b' is not a name", 4, 3},
        {"duration: 1 ms\nplant: {integrator: {kind: rk5}}\n", TAC_E_NAME,
         "unknown word 'rk5'; did you mean 'rk4'?", 2, 28},
        {"duration: 1 ms\n" GROUP "plant: {integrator: {kind: rk45, rtol: 2}}\ncomponents: {a: "
         "{type: counter}}\n",
         TAC_E_RANGE, "rtol must lie between 0 and 1, not 2", 3, 21},
        {"duration: 1 ms\n" GROUP "plant: {coupling: split, integrator: {kind: rk45}}\n"
         "components: {a: {type: counter}}\n",
         TAC_E_CONFIG, "'split' needs a fixed-step method, and 'rk45' is adaptive", 3, 38},
        {"duration: 1 ms\n" GROUP "plant: {coupling: split, integrator: {kind: rk4}}\n"
         "components: {a: {type: counter}}\n",
         TAC_E_CONFIG, "set timeline.physics", 3, 38},
        {"duration: 1 ms\nlog: {level: loud}\n", TAC_E_NAME, "unknown word 'loud'", 2, 14},
        {"duration: 1 ms\nscheduler: {order: [a], rate_groups: [{name: g, period: 1 ms, "
         "components: ['*']}]}\ncomponents: {a: {type: counter}, b: {type: counter}}\n",
         TAC_E_CONFIG, "order: 'b' is missing", 2, 20},
        {"duration: 1 ms\nscheduler: {order: [a, ab], rate_groups: [{name: g, period: 1 ms, "
         "components: ['*']}]}\ncomponents: {a: {type: counter}}\n",
         TAC_E_NAME, "order: unknown component 'ab'; did you mean 'a'?", 2, 20},
        {"duration: 1 ms\nscheduler:\n  synchronization: {overrides: [{pattern: a}]}\n",
         TAC_E_CONFIG, "key 'policy' is missing", 3, 33},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused_at(wrong[i].text, wrong[i].status, wrong[i].part, wrong[i].line, wrong[i].column);
}

// --- sets and variables -------------------------------------------------------------------------

static const char *variable(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "GAIN") ? NULL : "2.5";
}

static void test_sets_and_variables(void **state)
{
    (void)state;
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    tac_error err;
    assert_int_equal(tac_registry_create(NULL, &registry, &err), TAC_OK);
    static const char text[] = "duration: ${LONG:2 ms}\n" GROUP "components:\n"
                               "  a: {type: constant, params: {value: '${GAIN}'}}\n"
                               "  b: {type: constant, params: {value: 1}}\n";
    const char *sets[] = {"components.b.params.value=9", "seed=77", "name=tried"};
    tac_config_def def = tac_config_def_default();
    def.registry = registry;
    def.sets = sets;
    def.set_count = 3;
    def.variable = variable;
    assert_int_equal(
        tac_config_parse("dir/some.thing.yaml", text, strlen(text), &def, &config, &err), TAC_OK);
    assert_string_equal(tac_config_name(config), "tried");
    const tac_engine_def engine_def = tac_config_engine_def(config);
    assert_int_equal(engine_def.seed, 77);
    assert_int_equal(engine_def.end_us, 2000);
    assert_int_equal(tac_config_build(config, &engine_def, &engine, &err), TAC_OK);
    assert_int_equal(tac_engine_run(engine, TAC_TIME_NEVER, &err), TAC_OK);
    const double *a = tac_engine_read(engine, tac_engine_find_signal(engine, "a.y"));
    const double *b = tac_engine_read(engine, tac_engine_find_signal(engine, "b.y"));
    assert_true(*a == 2.5 && *b == 9);
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    def.set_count = 0;
    assert_int_equal(
        tac_config_parse("dir/some.thing.yaml", text, strlen(text), &def, &config, &err), TAC_OK);
    assert_string_equal(tac_config_name(config), "some.thing");
    tac_config_destroy(config);
    tac_registry_destroy(registry);
}

// --- the resolved text --------------------------------------------------------------------------

static void check_resolved(const char *text)
{
    rig first, second;
    rig_open(&first, text);
    char *resolved = tac_config_resolved(first.config);
    assert_non_null(resolved);
    if (rig_try(&second, resolved) != TAC_OK) {
        print_error("%s\n", resolved);
        rig_show(&second);
        fail_msg("the resolved text is refused");
    }
    char *again = tac_config_resolved(second.config);
    assert_string_equal(again, resolved);
    assert_true(tac_engine_model_hash(first.engine) == tac_engine_model_hash(second.engine));
    assert_true(tac_engine_schema_hash(first.engine) == tac_engine_schema_hash(second.engine));
    rig_run(&first, TAC_TIME_NEVER);
    rig_run(&second, TAC_TIME_NEVER);
    assert_true(tac_engine_hash(first.engine, NULL, NULL) ==
                tac_engine_hash(second.engine, NULL, NULL));
    tac_text_free(resolved);
    tac_text_free(again);
    rig_close(&first);
    rig_close(&second);
}

static void test_resolved_gives_the_same_model(void **state)
{
    (void)state;
    check_resolved(
        "duration: 10 ms\n"
        "name: \"a: 'strange' \\\"name\\\" \\L \\P \\N \\uFEFF \\x80 \\x01 # not a comment\"\n"
        "description: |\n"
        "  several $${lines}, $$${ and $ \xe2\x82\xac\n"
        "  lines, with a tab\t and a backslash \\\n"
        "seed: 0x1F\n"
        "scheduler:\n"
        "  rate_groups:\n"
        "    - {name: g, rate_hz: 1e3, components: ['u*', \"?\"]}\n"
        "    - {name: h, times: [0, 5 ms], components: [scene]}\n"
        "  synchronization: {overrides: [{pattern: '*.y', policy: INTERPOLATED}]}\n"
        "  order: ~\n"
        "log: {\"level\": \"\\x64ebug\"}\n"
        "timeline:\n"
        "plugins: []\n"
        "components:\n"
        "  scene: {type: profile, stage: ~, params: {times: [0], values: [-.5]}}\n"
        "  a: {type: sum, inputs: {u: {from: scene.y, gain: -.5, offset: +.25, delay: "
        "0}}}\n"
        "  b: {type: constant, params: {unit: '%', value: 5.}}\n"
        "  c: {type: constant, params: {unit: \"\\xB5m\", value: [1e-3]}}\n"
        "entities:\n"
        "  u: {count: 3, components: {k: {type: constant, params: {value: '${i}'}}}}\n"
        "links:\n");
}

// --- JSON Schema --------------------------------------------------------------------------------

// Enough of JSON to tell whether a text is some.
static const char *skip_json(const char *c, int depth)
{
    assert_true(depth < 100);
    c += strspn(c, " \n\t");
    if (*c == '{' || *c == '[') {
        const char close = *c == '{' ? '}' : ']';
        bool first = true;
        for (c++;; first = false) {
            c += strspn(c, " \n\t");
            if (*c == close && first)
                return c + 1;
            if (close == '}') {
                assert_int_equal(*c, '"');
                c = skip_json(c, depth + 1);
                c += strspn(c, " \n\t");
                assert_int_equal(*c, ':');
                c++;
            }
            c = skip_json(c, depth + 1);
            c += strspn(c, " \n\t");
            if (*c == close)
                return c + 1;
            assert_int_equal(*c, ',');
            c++;
        }
    }
    if (*c == '"') {
        for (c++; *c != '"'; c++) {
            assert_true((unsigned char)*c >= 0x20);
            c += *c == '\\';
        }
        return c + 1;
    }
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        if (!strncmp(c, words[i], strlen(words[i])))
            return c + strlen(words[i]);
    }
    char *end;
    strtod(c, &end);
    assert_true(end != c);
    return end;
}

static void test_schema_holds_every_type(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 1 ms\n" GROUP "components: {a: {type: counter}}\n");
    char *schema = tac_config_schema(r.registry);
    assert_non_null(schema);
    const char *end = skip_json(schema, 0);
    assert_int_equal(strspn(end, "\n"), strlen(end));
    for (size_t i = 0; i < tac_registry_count(r.registry); i++) {
        char name[128];
        snprintf(name, sizeof name, "\"component_%s\"", tac_registry_type(r.registry, i)->name);
        if (!strstr(schema, name))
            fail_msg("the schema has no %s", name);
    }
    tac_text_free(schema);
    for (size_t i = 0; i < tac_registry_count(r.registry); i++) {
        const tac_component_type *type = tac_registry_type(r.registry, i);
        char *text = tac_type_describe(type, TAC_FORMAT_TEXT);
        char *json = tac_type_describe(type, TAC_FORMAT_JSON);
        assert_non_null(strstr(text, type->name));
        skip_json(json, 0);
        tac_text_free(text);
        tac_text_free(json);
    }
    rig_close(&r);
}

// --- plugins ------------------------------------------------------------------------------------

static char folder[64];

static bool build_plugin(const char *name, const char *code)
{
    char path[128], command[1024];
    snprintf(path, sizeof path, "%s/%s.c", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(code, f);
    fclose(f);
    const char *source = getenv("TACTUS_SOURCE");
    char include[512];
    snprintf(include, sizeof include, "%s", source ? source : __FILE__);
    for (int i = 0; !source && i < 3; i++)
        *strrchr(include, '/') = '\0';
    snprintf(command, sizeof command,
             "cc -std=c17 -shared -fPIC -I%s/include -o %s/%s.so %s 2>/dev/null", include, folder,
             name, path);
    return system(command) == 0;
}

#define BEGIN_PLUGIN                                                                               \
    "#include <tactus/plugin.h>\n"                                                                 \
    "static tac_status step(tac_step *s, const void *self) { (void)s; (void)self; return TAC_OK; " \
    "}\n"                                                                                          \
    "static const tac_component_type type = {.size = sizeof type, "                                \
    ".stage = TAC_STAGE_CONTROL, .kernels[TAC_NUMBERS].step = step, .version = \"1\", .name = "

static void use_plugin(const char *list, tac_status status, const char *part)
{
    char text[1024];
    snprintf(text, sizeof text,
             "duration: 1 ms\nplugins: [%s]\n" GROUP "components: {a: {type: pulse}}\n", list);
    rig r;
    const tac_status got = rig_try(&r, text);
    if (got != status || (status != TAC_OK && !strstr(r.err.text, part))) {
        rig_show(&r);
        fail_msg("%s: expected %s '%s', got %s", list, tac_status_name(status), part,
                 tac_status_name(got));
    }
    if (status != TAC_OK) {
        assert_int_equal(r.err.line, 2); // where the plugin is named
        assert_int_equal(r.err.column, 11);
    } else {
        rig_run(&r, TAC_TIME_NEVER);
    }
    rig_close(&r);
}

static void test_plugins(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/tactus_plugins_XXXXXX");
    assert_non_null(mkdtemp(folder));
    char list[256];
    snprintf(list, sizeof list, "%s/none.so", folder);
    use_plugin(list, TAC_E_FILE, "cannot load plugin '");
    const bool compiler = build_plugin("bare", "int nothing;\n");
    if (compiler) {
        static const struct {
            const char *name, *code;
            tac_status status;
            const char *part;
        } cases[] = {
            {"good", BEGIN_PLUGIN "\"pulse\"};\nTAC_PLUGIN(\"good\", \"1\", &type)\n", TAC_OK, ""},
            {"bare", "int nothing;\n", TAC_E_ABI, "is not a Tactus plugin: it has no"},
            {"none",
             "#include <tactus/plugin.h>\nconst tac_plugin *tac_plugin_entry(void) { "
             "return 0; }\n",
             TAC_E_ABI, "hands over nothing"},
            {"abi",
             "#include <tactus/plugin.h>\nconst tac_plugin *tac_plugin_entry(void) { static const "
             "tac_plugin p = {.abi = 999}; return &p; }\n",
             TAC_E_ABI, "has ABI version 999, this library has 3: build it again"},
            {"size",
             "#include <stdint.h>\nstatic const uint32_t p[2] = {3, 8};\nconst void "
             "*tac_plugin_entry(void) { return p; }\n",
             TAC_E_ABI, "a tac_plugin has no size"},
            {"step",
             "#include <tactus/plugin.h>\nstatic uint32_t fine(void) { return 0; }\n"
             "const tac_plugin *tac_plugin_entry(void) { static const tac_plugin p = {.abi = "
             "TAC_ABI_VERSION, .size = sizeof p, .step_size = sizeof(tac_step) + 8, .arithmetic = "
             "fine}; return &p; }\n",
             TAC_E_ABI, "was built for a newer Tactus: its tac_step has"},
            {"type", BEGIN_PLUGIN "\"pulse\", .size = 3};\nTAC_PLUGIN(\"x\", \"1\", &type)\n",
             TAC_E_ABI, "a tac_component_type has no size"},
            // That of what is built in, which is called without checks.
            {"flags",
             BEGIN_PLUGIN "\"pulse\", .flags = 1u << 31};\nTAC_PLUGIN(\"x\", \"1\", &type)\n",
             TAC_E_ABI, "component type 'pulse' has flags 0x80000000, which"},
            {"nameless", BEGIN_PLUGIN "0};\nTAC_PLUGIN(\"x\", \"1\", &type)\n", TAC_E_ABI,
             "has a component type without a name"},
            {"twice", BEGIN_PLUGIN "\"pulse\"};\nTAC_PLUGIN(\"x\", \"1\", &type, &type)\n",
             TAC_E_DUPLICATE, "component type 'pulse' exists already"},
            {"builtin", BEGIN_PLUGIN "\"counter\"};\nTAC_PLUGIN(\"x\", \"1\", &type)\n",
             TAC_E_DUPLICATE, "component type 'counter' exists already"},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            assert_true(build_plugin(cases[i].name, cases[i].code));
            snprintf(list, sizeof list, "%s/%s.so", folder, cases[i].name);
            use_plugin(list, cases[i].status, cases[i].part);
        }
        // A library is loaded once, however often it is named; another with the same type is not.
        snprintf(list, sizeof list, "%s/good.so, %s/good.so", folder, folder);
        use_plugin(list, TAC_OK, "");
    }
    // Not a shared library at all.
    snprintf(list, sizeof list, "%s/bare.c", folder);
    use_plugin(list, TAC_E_FILE, "cannot load plugin '");
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    if (!compiler)
        skip();
}

// --- the registry -------------------------------------------------------------------------------

static void test_registry(void **state)
{
    (void)state;
    tac_registry *r;
    tac_error err;
    assert_int_equal(tac_registry_create(NULL, &r, &err), TAC_OK);
    const size_t n = tac_registry_count(r);
    assert_true(n >= 19);
    assert_null(tac_registry_type(r, n));
    assert_null(tac_registry_find(r, "no such type"));
    assert_non_null(tac_registry_find(r, "counter"));
    assert_int_equal(tac_registry_add(r, tac_registry_find(r, "counter"), &err), TAC_E_DUPLICATE);
    assert_int_equal(tac_registry_count(r), n);
    tac_registry_destroy(r);
    tac_registry_destroy(NULL);
}

TEST_MAIN(cmocka_unit_test(test_names_and_numbers),
          cmocka_unit_test(test_expressions_of_the_number),
          cmocka_unit_test(test_entities_that_are_refused),
          cmocka_unit_test(test_groups_by_pattern), cmocka_unit_test(test_groups_that_are_refused),
          cmocka_unit_test(test_mistakes_have_places), cmocka_unit_test(test_sets_and_variables),
          cmocka_unit_test(test_resolved_gives_the_same_model),
          cmocka_unit_test(test_schema_holds_every_type), cmocka_unit_test(test_plugins),
          cmocka_unit_test(test_registry))
