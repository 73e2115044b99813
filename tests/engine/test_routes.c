// Routes: gain, offset, delay, units, elements, names.
#include "test_rig.h"

// Two groups and one route between them, written as YAML.
static void fill(char text[2048], const char *writer, const char *reader, const char *source,
                 const char *probe, const char *route)
{
    snprintf(text, 2048,
             "duration: 120 ms\n"
             "scheduler:\n"
             "  rate_groups:\n"
             "    - {name: w, %s, components: [src]}\n"
             "    - {name: r, %s, components: [p]}\n"
             "components:\n"
             "  src: {type: source, params: {%s}}\n"
             "  p: {type: probe, params: {%s}, inputs: {u: %s}}\n",
             writer, reader, source, probe, route);
}

// --- gain and offset ----------------------------------------------------------------------------

static void test_gain_and_offset(void **state)
{
    (void)state;
    char text[2048];
    fill(text, "period: 5 ms", "period: 1 ms", "kind: vec3", "kind: vec3",
         "{from: src.y, gain: -2.5, offset: 0.125}");
    rig r;
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_sample_count, 121);
    for (size_t i = 0; i < rig_sample_count; i++) {
        for (unsigned e = 0; e < 3; e++)
            rig_same(rig_samples[i].f64[e],
                     -2.5 * rig_value(rig_samples[i].t_us / 5000 * 5000, e) + 0.125, "p",
                     rig_samples[i].t_us);
    }
    rig_close(&r);
}

// The gain works on what the policy makes of the signal, not the other way round.
static void test_gain_after_policy(void **state)
{
    (void)state;
    char text[2048];
    fill(text, "period: 10 ms", "period: 1 ms", "kind: f64", "kind: f64",
         "{from: src.y, gain: 3, offset: -1, policy: INTERPOLATED, delay: 20 ms}");
    rig r;
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_NEVER);
    for (size_t i = 0; i < rig_sample_count; i++) {
        const tac_time t_us = rig_samples[i].t_us;
        double seen = 0;
        if (t_us >= 20000) {
            const tac_time when_us = (t_us - 20000) / 10000 * 10000;
            const double b = rig_value(when_us, 0), a = rig_value(when_us - 10000, 0);
            const double c = (double)(t_us - 20000 - when_us) / 10000;
            seen = when_us == 0 ? b : c < 0.5 ? a + c * (b - a) : b - (1 - c) * (b - a);
        }
        rig_same(rig_samples[i].f64[0], 3 * seen + -1, "p", t_us);
    }
    rig_close(&r);
}

// --- delays -------------------------------------------------------------------------------------

static void check_delay(tac_time writer_us, tac_time reader_us, unsigned periods)
{
    char text[2048], writer[64], reader[64], route[96];
    snprintf(writer, sizeof writer, "period: %llu us", (unsigned long long)writer_us);
    snprintf(reader, sizeof reader, "period: %llu us", (unsigned long long)reader_us);
    snprintf(route, sizeof route, "{from: src.y, delay: %llu us}",
             (unsigned long long)(periods * writer_us));
    fill(text, writer, reader, "kind: vec3", "kind: vec3", route);
    rig r;
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_sample_count, 120000 / reader_us + 1);
    bool filled = false;
    for (size_t i = 0; i < rig_sample_count; i++) {
        const tac_time t_us = rig_samples[i].t_us, delay_us = periods * writer_us;
        for (unsigned e = 0; e < 3; e++)
            rig_same(rig_samples[i].f64[e],
                     t_us < delay_us ? 0 : rig_value((t_us - delay_us) / writer_us * writer_us, e),
                     "delayed", t_us);
        filled |= t_us >= delay_us;
    }
    assert_true(filled);
    rig_close(&r);
}

static void test_delays_of_whole_periods(void **state)
{
    (void)state;
    for (unsigned periods = 1; periods < 12; periods++) {
        check_delay(10000, 1000, periods); // fast reader
        check_delay(1000, 10000, periods); // slow reader
        check_delay(2500, 4000, periods);
        check_delay(4000, 2500, periods);
        check_delay(5000, 5000, periods); // another group of the same rate
    }
    check_delay(1000, 1000, 100);
}

// A delay also breaks cycles and reads across stages, without `delayed`.
static void test_delay_inside_a_group(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 30 ms\n"
                 "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"
                 "components:\n"
                 "  p: {type: probe, stage: scenario, inputs: {u: {from: src.y, delay: 2 ms}}}\n"
                 "  a: {type: sum, inputs: {u: src.y, v: {from: a.y, delay: 1 ms}}}\n"
                 "  src: {type: source, stage: control}\n");
    rig_run(&r, TAC_TIME_NEVER);
    double sum = 0;
    for (tac_time t_us = 0; t_us <= 30000; t_us += 1000) {
        sum = rig_value(t_us, 0) + sum;
        rig_same(rig_samples[t_us / 1000].f64[0], t_us < 2000 ? 0 : rig_value(t_us - 2000, 0), "p",
                 t_us);
    }
    rig_same(rig_f64(&r, "a.y"), sum, "a", 30000);
    rig_close(&r);
}

static void test_delays_that_do_not_fit(void **state)
{
    (void)state;
    char text[2048];
    fill(text, "period: 10 ms", "period: 1 ms", "kind: f64", "kind: f64",
         "{from: src.y, delay: 15 ms}");
    rig_refused(text, TAC_E_TIME,
                "delay of 'src.y': expected a whole number of the writer's periods of 10 ms");
    fill(text, "times: [0, 1 ms]", "period: 1 ms", "kind: f64", "kind: f64",
         "{from: src.y, delay: 1 ms}");
    rig_refused(text, TAC_E_TIME, "but it has no regular period");
    fill(text, "period: 1 us", "period: 1 ms", "kind: f64", "kind: f64",
         "{from: src.y, delay: 1000001 us}");
    rig_refused(text, TAC_E_LIMIT, "a delay of more than 1000000 periods");
}

// The plant sees its held inputs through delays too.
static void test_delay_into_the_plant(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 20 ms\n"
                 "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [src]}]}\n"
                 "plant: {integrator: {kind: euler, h_max: 1 ms}}\n"
                 "components:\n"
                 "  src: {type: source}\n"
                 "  body: {type: integrator, params: {rate_unit: '1'}, inputs: {u: {from: src.y, "
                 "delay: 3 ms, gain: 2}}}\n");
    double x = 0;
    for (tac_time t_us = 0; t_us <= 20000; t_us += 1000) {
        rig_run(&r, t_us);
        rig_same(rig_f64(&r, "body.x"), x, "x", t_us);
        x += 0.001 * (2 * (t_us < 3000 ? 0 : rig_value(t_us - 3000, 0)) + 0);
    }
    rig_close(&r);
}

// --- units --------------------------------------------------------------------------------------

static void check_conversion(const char *from, const char *to, double value, double expected)
{
    char text[1024];
    snprintf(text, sizeof text,
             "duration: 1 ms\n"
             "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"
             "components:\n"
             "  src: {type: constant, params: {value: %.17g, unit: '%s'}}\n"
             "  p: {type: probe, params: {unit: '%s'}, inputs: {u: {from: src.y, convert: "
             "true}}}\n",
             value, from, to);
    rig r;
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_NEVER);
    rig_same(rig_samples[0].f64[0], expected, to, 0);
    rig_close(&r);
}

#define PI 3.14159265358979323846

static void test_conversions_are_exact(void **state)
{
    (void)state;
    check_conversion("deg", "rad", 90, PI / 2);
    check_conversion("deg", "rad", 180, PI);
    check_conversion("deg", "rad", -360, -2 * PI);
    check_conversion("rad", "deg", PI, 180);
    check_conversion("rpm", "rad/s", 60, 2 * PI);
    check_conversion("rpm", "rad/s", 30, PI);
    check_conversion("rad", "deg", PI / 2, 90);
    check_conversion("rev/min", "rpm", 5, 5);
    check_conversion("rev", "deg", 0.25, 90);
    check_conversion("km", "m", 1.3, 1300);
    check_conversion("m", "km", 1300, 1.3);
    check_conversion("km/h", "m/s", 3.6, 1);
    check_conversion("mm", "m", 1234, 1.234);
    check_conversion("g", "kg", 1500, 1.5);
    check_conversion("kt", "m/s", 3600, 1852);
    check_conversion("ft", "m", 10000, 3048);
    check_conversion("%", "1", 25, 0.25);
    check_conversion("N*m", "J", 0.1, 0.1);
    check_conversion("mAh", "C", 1000, 3600);
}

// gain and offset are in the unit of the input.
static void test_gain_after_conversion(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 1 ms\n"
                 "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"
                 "components:\n"
                 "  src: {type: constant, params: {value: 90, unit: deg}}\n"
                 "  p: {type: probe, params: {unit: rad}, inputs: {u: {from: src.y, convert: "
                 "true, gain: 2, offset: 1}}}\n");
    rig_run(&r, TAC_TIME_NEVER);
    rig_same(rig_samples[0].f64[0], 2 * (PI / 2) + 1, "p", 0);
    rig_close(&r);
}

static void test_units_that_do_not_agree(void **state)
{
    (void)state;
    char text[2048];
    fill(text, "period: 1 ms", "period: 1 ms", "unit: deg", "unit: rad", "src.y");
    rig_refused(text, TAC_E_UNIT,
                "'src.y' is in deg, but input 'p.u' takes rad; write 'convert: true' to convert");
    fill(text, "period: 1 ms", "period: 1 ms", "unit: m", "unit: s", "src.y");
    rig_refused(text, TAC_E_UNIT, "'src.y' is in m, but input 'p.u' takes s");
    fill(text, "period: 1 ms", "period: 1 ms", "unit: m", "unit: s",
         "{from: src.y, convert: true}");
    rig_refused(text, TAC_E_UNIT, "'src.y' is in m, but input 'p.u' takes s");
    fill(text, "period: 1 ms", "period: 1 ms", "unit: rad", "unit: 1", "src.y");
    rig_refused(text, TAC_E_UNIT, "'src.y' is in rad, but input 'p.u' takes 1");
    fill(text, "period: 1 ms", "period: 1 ms", "kind: i32, unit: km", "kind: i32, unit: m",
         "{from: src.y, convert: true}");
    rig_refused(text, TAC_E_UNIT, "only f64 can be converted from km to m");
}

static void test_types_that_do_not_agree(void **state)
{
    (void)state;
    char text[2048];
    fill(text, "period: 1 ms", "period: 1 ms", "kind: vec3", "kind: f64", "src.y");
    rig_refused(text, TAC_E_TYPE, "'src.y' is of type vec3, but input 'p.u' takes f64");
    fill(text, "period: 1 ms", "period: 1 ms", "kind: i32", "kind: i64", "src.y");
    rig_refused(text, TAC_E_TYPE, "'src.y' is of type i32, but input 'p.u' takes i64");
    fill(text, "period: 1 ms", "period: 1 ms", "kind: enum", "kind: i32", "src.y");
    rig_refused(text, TAC_E_TYPE, "enum{LOW,MIDDLE,HIGH}");
    fill(text, "period: 1 ms", "period: 1 ms", "kind: i32", "kind: i32", "{from: src.y, gain: 2}");
    rig_refused(text, TAC_E_TYPE, "gain and offset work on f64, and 'src.y' is not");
}

// --- elements -----------------------------------------------------------------------------------

static void check_element(const char *kind, const char *route, unsigned element)
{
    char text[2048];
    fill(text, "period: 2 ms", "period: 1 ms", kind, "kind: f64", route);
    rig r;
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_NEVER);
    for (size_t i = 0; i < rig_sample_count; i++) {
        const tac_time when_us = rig_samples[i].t_us / 2000 * 2000;
        double q[4];
        rig_quat(when_us, q);
        rig_same(rig_samples[i].f64[0],
                 strstr(kind, "quat") ? q[element] : rig_value(when_us, element), route, when_us);
    }
    rig_close(&r);
}

static void test_elements(void **state)
{
    (void)state;
    check_element("kind: vec3", "src.y.x", 0);
    check_element("kind: vec3", "src.y.y", 1);
    check_element("kind: vec3", "src.y.z", 2);
    check_element("kind: vec3", "'src.y[0]'", 0);
    check_element("kind: vec3", "'src.y[2]'", 2);
    check_element("kind: quat", "src.y.w", 0);
    check_element("kind: quat", "src.y.x", 1);
    check_element("kind: quat", "src.y.y", 2);
    check_element("kind: quat", "src.y.z", 3);
    check_element("kind: quat", "'src.y[3]'", 3);
    check_element("kind: f64", "'src.y[0]'", 0);
    char text[2048];
    static const struct {
        const char *kind, *route, *part;
    } wrong[] = {
        {"kind: vec3", "'src.y[3]'", "'src.y' is of type vec3, which has no such element"},
        {"kind: vec3", "src.y.w", "'src.y' is of type vec3, which has no such element"},
        {"kind: f64", "src.y.x", "'src.y' is of type f64, which has no such element"},
        {"kind: vec3", "'src.y[99999999999]'", "src.y[99999999999]"},
        {"kind: vec3", "'src.y[-1]'", "unknown signal 'src.y[-1]'"},
        {"kind: vec3", "'src.y[]'", "unknown signal 'src.y[]'"},
        {"kind: vec3", "'src.y[1'", "unknown signal 'src.y[1'"},
        {"kind: vec3", "'src.y[1]]'", "unknown signal 'src.y[1]]'"},
        {"kind: vec3", "src.yy", "did you mean 'src.y'?"},
        {"kind: vec3", "''", "unknown signal ''"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fill(text, "period: 2 ms", "period: 1 ms", wrong[i].kind, "kind: f64", wrong[i].route);
        rig_refused(text, strstr(wrong[i].part, "element") ? TAC_E_RANGE : TAC_E_NAME,
                    wrong[i].part);
    }
}

// --- names --------------------------------------------------------------------------------------

static void test_local_names_come_first(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 1 ms\n"
                 "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"
                 "components:\n"
                 "  a: {type: constant, params: {value: 1}}\n"
                 "  b: {type: constant, params: {value: 2}}\n"
                 "  root: {type: gain, inputs: {u: a.y}}\n"
                 "entities:\n"
                 "  one:\n"
                 "    components:\n"
                 "      a: {type: constant, params: {value: 10}}\n"
                 "      own: {type: gain, inputs: {u: a.y}}\n"
                 "      global: {type: gain, inputs: {u: b.y}}\n"
                 "      other: {type: gain, inputs: {u: two.a.y}}\n"
                 "  two:\n"
                 "    components:\n"
                 "      a: {type: constant, params: {value: 20}}\n"
                 "      own: {type: gain, inputs: {u: a.y}}\n"
                 "      full: {type: gain, inputs: {u: two.a.y}}\n");
    rig_run(&r, TAC_TIME_NEVER);
    rig_same(rig_f64(&r, "root.y"), 1, "root", 0);
    rig_same(rig_f64(&r, "one.own.y"), 10, "one.own", 0);
    rig_same(rig_f64(&r, "one.global.y"), 2, "one.global", 0);
    rig_same(rig_f64(&r, "one.other.y"), 20, "one.other", 0);
    rig_same(rig_f64(&r, "two.own.y"), 20, "two.own", 0);
    rig_same(rig_f64(&r, "two.full.y"), 20, "two.full", 0);
    rig_close(&r);
}

// In an entity the suggestion is the name as it would be written there.
static void test_suggestions(void **state)
{
    (void)state;
    rig_refused("duration: 1 ms\n"
                "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"
                "entities:\n"
                "  uav:\n"
                "    components:\n"
                "      battery: {type: constant}\n"
                "      p: {type: gain, inputs: {u: batery.y}}\n",
                TAC_E_NAME, "unknown signal 'batery.y'; did you mean 'battery.y'?");
    rig_refused("duration: 1 ms\n"
                "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"
                "components:\n"
                "  a: {type: constant}\n"
                "  p: {type: sum, inputs: {U: a.y}}\n",
                TAC_E_NAME, "'p' has no input 'U'; did you mean 'u'?");
    rig_refused("duration: 1 ms\n"
                "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"
                "components:\n"
                "  p: {type: gain}\n",
                TAC_E_CONFIG, "input 'p.u' is not connected");
}

// The same through the C interface, which has no place to point at.
static void test_routes_from_c(void **state)
{
    (void)state;
    tac_engine_def def = tac_engine_def_default();
    tac_engine *e;
    tac_error err;
    assert_int_equal(tac_engine_create(&def, &e, &err), TAC_OK);
    tac_group_def g = tac_group_def_default();
    g.name = "g";
    g.period_us = 1000;
    assert_int_equal(tac_engine_add_group(e, &g, &err), TAC_OK);
    tac_component_def c = tac_component_def_default();
    c.group = "g";
    c.name = "src";
    c.type = &rig_source_type;
    assert_int_equal(tac_engine_add_component(e, &c, &err), TAC_OK);
    c.name = "p";
    c.type = &rig_probe_type;
    assert_int_equal(tac_engine_add_component(e, &c, &err), TAC_OK);
    tac_route_def route = tac_route_def_default();
    route.to = "p.u";
    route.from = "src.y";
    assert_int_equal(tac_engine_add_route(e, &route, &err), TAC_OK);
    assert_int_equal(tac_engine_add_route(e, &route, &err), TAC_OK);
    assert_int_equal(tac_engine_prepare(e, &err), TAC_E_DUPLICATE);
    assert_string_equal(err.text, "input 'p.u' has a route already, from 'src.y'");
    tac_engine_destroy(e);
}

TEST_MAIN(cmocka_unit_test(test_gain_and_offset), cmocka_unit_test(test_gain_after_policy),
          cmocka_unit_test(test_delays_of_whole_periods),
          cmocka_unit_test(test_delay_inside_a_group),
          cmocka_unit_test(test_delays_that_do_not_fit),
          cmocka_unit_test(test_delay_into_the_plant), cmocka_unit_test(test_conversions_are_exact),
          cmocka_unit_test(test_gain_after_conversion),
          cmocka_unit_test(test_units_that_do_not_agree),
          cmocka_unit_test(test_types_that_do_not_agree), cmocka_unit_test(test_elements),
          cmocka_unit_test(test_local_names_come_first), cmocka_unit_test(test_suggestions),
          cmocka_unit_test(test_routes_from_c))
