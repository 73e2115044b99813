// Explaining: what the table, the JSON and the pictures say of engines that are known by heart,
// that they are well-formed whatever the names, that they never change a run, and that no memory is
// no text.
#include "explain/starve.h"
#include "support/allocator.h"
#include "support/formats.h"
#include "support/test.h"

#include "explain/draw_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- component types ----------------------------------------------------------------------------

static const tac_type F64 = TAC_TYPE_F64;

static void input(tac_declare *d, const char *name)
{
    tac_declare_input(d, TAC_PORT(.name = name, .type = F64, .flags = TAC_PORT_OPTIONAL));
}

static void output(tac_declare *d, const char *name)
{
    tac_declare_output(d, TAC_PORT(.name = name, .type = F64));
}

// y = y + sum of inputs + 1
static tac_status law_declare(tac_declare *d, void *self)
{
    (void)self;
    input(d, "a");
    input(d, "b");
    output(d, "y");
    return TAC_OK;
}

static tac_status law_step(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) += *TAC_IN(s, double, 0) + 0.5 * *TAC_IN(s, double, 1) + 1;
    return TAC_OK;
}

static tac_status watch_declare(tac_declare *d, void *self)
{
    (void)self;
    input(d, "a");
    return TAC_OK;
}

static tac_status watch_step(tac_step *s, const void *self)
{
    (void)s;
    (void)self;
    return TAC_OK;
}

static tac_status cell_declare(tac_declare *d, void *self)
{
    (void)self;
    output(d, "battery.soc");
    output(d, "battery.core.heat");
    return TAC_OK;
}

// x' = u - x, out = 2 x
static tac_status plant_declare(tac_declare *d, void *self)
{
    (void)self;
    input(d, "u");
    input(d, "v");
    output(d, "out");
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = F64));
    return TAC_OK;
}

static tac_status plant_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = 2 * e->x[0];
    return TAC_OK;
}

static tac_status plant_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = *TAC_IN(e, double, 0) + *TAC_IN(e, double, 1) - e->x[0];
    return TAC_OK;
}

static tac_status radio_declare(tac_declare *d, void *self)
{
    (void)self;
    input(d, "a");
    tac_declare_sender(d, TAC_MESSAGE(.name = "tx"));
    tac_declare_receiver(
        d, TAC_MESSAGE(.name = "rx", .capacity = 64, .max_bytes = 8, .triggers = true));
    return TAC_OK;
}

static tac_status radio_step(tac_step *s, const void *self)
{
    (void)self;
    tac_message m;
    while (tac_receive(s, 0, &m)) {
    }
    return s->due & TAC_DUE_AXIS ? tac_send(s, 0, s->in[0], sizeof(double)) : TAC_OK;
}

#define TYPE .size = sizeof(tac_component_type), .version = "1"

static const tac_component_type sensor = {TYPE, .name = "sensor", .stage = TAC_STAGE_ESTIMATE,
                                          .declare = law_declare,
                                          .kernels[TAC_NUMBERS].step = law_step};
static const tac_component_type law = {TYPE, .name = "law", .stage = TAC_STAGE_CONTROL,
                                       .declare = law_declare,
                                       .kernels[TAC_NUMBERS].step = law_step};
static const tac_component_type actor = {TYPE, .name = "law", .stage = TAC_STAGE_ACTUATE,
                                         .declare = law_declare,
                                         .kernels[TAC_NUMBERS].step = law_step};
static const tac_component_type hostile = {TYPE, .name = "<law> & \"co\\mpany\"\n\x01\xff]]>",
                                           .stage = TAC_STAGE_CONTROL, .declare = law_declare,
                                           .kernels[TAC_NUMBERS].step = law_step};
static const tac_component_type watch = {TYPE, .name = "watch", .stage = TAC_STAGE_TELEMETRY,
                                         .declare = watch_declare,
                                         .kernels[TAC_NUMBERS].step = watch_step};
static const tac_component_type cell = {TYPE, .name = "cell", .stage = TAC_STAGE_ESTIMATE,
                                        .declare = cell_declare,
                                        .kernels[TAC_NUMBERS].step = watch_step};
static const tac_component_type plant = {TYPE, .name = "plant", .declare = plant_declare,
                                         .kernels[TAC_NUMBERS].output = plant_output,
                                         .kernels[TAC_NUMBERS].derive = plant_derive};
// Discrete and continuous in one.
static const tac_component_type hybrid = {TYPE,
                                          .name = "hybrid",
                                          .stage = TAC_STAGE_ACTUATE,
                                          .declare = plant_declare,
                                          .kernels[TAC_NUMBERS].step = law_step,
                                          .kernels[TAC_NUMBERS].derive = plant_derive};
static const tac_component_type radio = {TYPE, .name = "radio", .stage = TAC_STAGE_CONTROL,
                                         .declare = radio_declare,
                                         .kernels[TAC_NUMBERS].step = radio_step};

// --- building -----------------------------------------------------------------------------------

static tac_error err;

static void ok(tac_status status)
{
    if (status != TAC_OK) {
        char text[2048];
        tac_error_print(&err, text, sizeof text);
        fail_msg("%s", text);
    }
}

static tac_engine *create(const tac_allocator *allocator, tac_time end_us)
{
    tac_engine_def def = tac_engine_def_default();
    def.allocator = allocator;
    def.end_us = end_us;
    tac_engine *e;
    ok(tac_engine_create(&def, &e, &err));
    return e;
}

static void add_group(tac_engine *e, const char *name, tac_time period_us, tac_time offset_us)
{
    tac_group_def def = tac_group_def_default();
    def.name = name;
    def.period_us = period_us;
    def.offset_us = offset_us;
    ok(tac_engine_add_group(e, &def, &err));
}

static void add(tac_engine *e, const char *entity, const char *name, const tac_component_type *type,
                const char *group)
{
    tac_component_def def = tac_component_def_default();
    def.entity = entity;
    def.name = name;
    def.type = type;
    def.group = group;
    ok(tac_engine_add_component(e, &def, &err));
}

static void route(tac_engine *e, const char *to, const char *from, bool delayed)
{
    tac_route_def def = tac_route_def_default();
    def.to = to;
    def.from = from;
    def.delayed = delayed;
    ok(tac_engine_add_route(e, &def, &err));
}

static void observe(void *context, tac_engine *e, tac_time t_us)
{
    (void)context;
    (void)e;
    (void)t_us;
}

static void add_observer(tac_engine *e, const char *name, tac_time period_us)
{
    tac_observer_def def = tac_observer_def_default();
    def.name = name;
    def.period_us = period_us;
    def.observe = observe;
    ok(tac_engine_add_observer(e, &def, &err));
}

static void link_all(tac_engine *e, const char *from, const char *to, tac_time delay_us)
{
    tac_link_def def = tac_link_def_default();
    def.from = from;
    def.to = to;
    def.delay_us = delay_us;
    ok(tac_engine_add_link(e, &def, &err));
}

// A loop of three rates around a plant, with everything that can be explained.
static tac_engine *make_loop(const tac_allocator *allocator)
{
    tac_engine *e = create(allocator, 100000);
    add_group(e, "fast", 1000, 0);
    add_group(e, "slow", 10000, 2000);
    tac_group_def times = tac_group_def_default();
    times.name = "script";
    times.times_us = (const tac_time[]){3000, 50000, 200000};
    times.times_count = 3;
    ok(tac_engine_add_group(e, &times, &err));
    add(e, "", "imu", &sensor, "fast");
    add(e, "", "nav", &sensor, "slow");
    add(e, "", "event", &law, "script");
    add(e, "", "guide", &law, "slow");
    add(e, "", "ctrl", &law, "fast");
    add(e, "", "scope", &watch, "slow");
    add(e, "", "body", &plant, NULL);
    add(e, "", "motor", &plant, NULL);
    add(e, "", "base", &radio, "slow");
    add(e, "", "rover", &radio, NULL);
    route(e, "imu.a", "body.x", false);
    route(e, "nav.a", "body.out", false);
    route(e, "nav.b", "imu.y", false);
    route(e, "guide.a", "nav.y", false);
    route(e, "guide.b", "ctrl.y", true);
    route(e, "ctrl.a", "nav.y", false);
    route(e, "ctrl.b", "guide.y", false);
    route(e, "scope.a", "body.x", false);
    route(e, "motor.u", "ctrl.y", false);
    route(e, "motor.v", "event.y", false);
    route(e, "body.u", "motor.out", false);
    route(e, "base.a", "nav.y", false);
    ok(tac_engine_add_policy(e, "nav.*", TAC_INTERPOLATED, NULL, &err));
    ok(tac_engine_add_policy(e, "guide.*", TAC_EXTRAPOLATED, NULL, &err));
    link_all(e, "base.tx", "rover.rx", 1500);
    add_observer(e, "recorder", 4000);
    ok(tac_engine_prepare(e, &err));
    return e;
}

static void add_vehicle(tac_engine *e, const char *name)
{
    char to[64];
    ok(tac_engine_add_entity(e, name, NULL, &err));
    add(e, name, "imu", &sensor, "fast");
    add(e, name, "ctrl", &law, "fast");
    add(e, name, "body", &plant, NULL);
    add(e, name, "link", &radio, "fast");
    snprintf(to, sizeof to, "%s.imu.a", name);
    route(e, to, "body.x", false);
    snprintf(to, sizeof to, "%s.ctrl.a", name);
    route(e, to, "imu.y", false);
    snprintf(to, sizeof to, "%s.ctrl.b", name);
    route(e, to, "wind.y", false);
    snprintf(to, sizeof to, "%s.body.u", name);
    route(e, to, "ctrl.y", false);
}

static tac_engine *make_swarm(unsigned count)
{
    tac_engine *e = create(NULL, 10000);
    add_group(e, "fast", 1000, 0);
    add(e, "", "wind", &sensor, "fast");
    for (unsigned i = 1; i <= count; i++) {
        char name[16];
        snprintf(name, sizeof name, "uav%u", i);
        add_vehicle(e, name);
    }
    link_all(e, "*.tx", "*.rx", 2000);
    ok(tac_engine_prepare(e, &err));
    return e;
}

// --- checking -----------------------------------------------------------------------------------

static char *explain(const tac_engine *e, tac_format format)
{
    char *text = tac_engine_explain(e, format);
    assert_non_null(text);
    return text;
}

// --- the formats --------------------------------------------------------------------------------

static void test_table(void **state)
{
    (void)state;
    tac_engine *e = make_loop(NULL);
    char *text = explain(e, TAC_FORMAT_TEXT);
    test_check_table(text);
    test_has(text,
             "Run of 100 ms: rk4 with steps up to 1 ms, no physics axis, 10 components, 3 rate");
    test_has(text, "1 island");
    // axes
    test_line_has(text, "1 kHz", "101    fast");
    test_line_has(text, "100 Hz        2 ms", "10    slow");
    test_line_has(text, "at 3 ms, 50 ms, 200 ms", "2    script");
    test_line_has(text, "26    recorder", "250 Hz");
    test_has(text, "observers only: no boundaries");
    // order
    test_comes_before(text, "  3 outputs", "island body: motor.out, body.out");
    test_comes_before(text, "  4 estimate", "imu");
    test_comes_before(text, "  0 begin", "messages to rover.rx");
    test_comes_before(text, "  5 telemetry", "scope");
    test_comes_before(text, "  6 control", "guide");
    test_comes_before(text, "  9 record", "recorder, every 4 ms");
    test_comes_before(text, " 10 integrate", "body");
    test_has(text, "nav.y (INTERPOLATED)");
    test_has(text, "ctrl.y (ZOH, delayed)");
    test_has(text, "guide.y (EXTRAPOLATED)");
    // islands
    test_has(text, "body: 2 states, 2 components in order of evaluation");
    test_has(text, "motor.out (coupled)");
    test_has(text, "ctrl.y (held)");
    test_has(text, "reads ctrl.y; read by imu");
    test_has(text, "explicit times  reads event.y");
    test_has(text, "read by nav");
    test_has_not(text, "read by scope"); // an observer splits nothing
    // routes
    test_has(text, "on the line through the last two values, one period (10 ms) late");
    test_has(text, "the line through the last two values carried forward, 0 to 9 ms ahead");
    // ctrl.y of 1 ms, delayed, seen every 10 ms
    test_has(text, "the last value, 1 ms old");
    // messages, observers
    test_has(text, "port base.tx sends to rover.rx after 1.5 ms");
    test_has(text, "port rover.rx takes up to 64 messages of 8 bytes; each delivery makes");
    test_line_has(text, "scope  telemetry component", "10 ms + 2 ms");
    tac_text_free(text);
    tac_engine_destroy(e);
}

static void test_json(void **state)
{
    (void)state;
    tac_engine *e = make_loop(NULL);
    char *text = explain(e, TAC_FORMAT_JSON);
    test_check_json(text);
    test_has(text, "\"end_us\": 100000");
    test_has(text, "\"physics_us\": null");
    test_has(text, "\"hyperperiod_us\": 10000");
    test_has(text,
             "{\"stage\": 3, \"name\": \"outputs\", \"work\": \"outputs\", \"island\": \"body\"}");
    test_has(text,
             "{\"stage\": 6, \"name\": \"control\", \"work\": \"step\", \"component\": \"ctrl\"}");
    test_has(text, "{\"from\": \"base.tx\", \"to\": \"rover.rx\", \"delay_us\": 1500}");
    test_has(text, "{\"why\": \"read by\", \"name\": \"imu\"}");
    test_line_has(text, "\"signal\": \"guide.y\"", "\"policy\": \"EXTRAPOLATED\"");
    test_line_has(text, "\"signal\": \"motor.out\"", "\"coupled\": true");
    assert_int_equal(test_count_of(text, "\"signal\": "), 12);
    tac_text_free(text);
    tac_engine_destroy(e);
}

static void test_pictures(void **state)
{
    (void)state;
    tac_engine *e = make_loop(NULL);
    char *dot = explain(e, TAC_FORMAT_DOT);
    test_check_dot(dot);
    test_has(dot, "rankdir=LR");
    test_has(dot, "label=\"4 estimate\"");
    test_has(dot, "label=\"10 integrate: island body, 2 states\"");
    test_has(dot, "y\\nINTERPOLATED");
    test_has(dot, "style=dashed");
    test_has(dot, "style=dotted");
    test_has(dot, "fast\\n1 kHz");
    tac_text_free(dot);

    char *svg = explain(e, TAC_FORMAT_SVG);
    test_check_xml(svg);
    assert_memory_equal(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\"", 38);
    test_has(svg, ">estimate</text>");
    test_has(svg, ">body: 2 states</text>");
    test_has(svg, ">fast 1 kHz</text>");
    test_has(svg, ">island body</text>");
    test_has(svg, "The first 12 ms"); // the hyperperiod and the latest offset
    test_has(svg, "guide.y to ctrl.b: the line through the last two values carried forward");
    // the same again: nothing depends on addresses
    char *again = explain(e, TAC_FORMAT_SVG);
    assert_string_equal(svg, again);
    tac_text_free(again);
    tac_text_free(svg);
    tac_engine_destroy(e);
}

// A law is explained in every format.
static void test_laws(void **state)
{
    (void)state;
    static const tac_outage down[] = {{1000, 2000}, {3000, 4000}};
    tac_engine *e = create(NULL, 10000);
    add_group(e, "fast", 1000, 0);
    add(e, "", "base", &radio, "fast");
    add(e, "", "rover", &radio, "fast");
    tac_link_law normal = tac_link_law_default();
    normal.delay = TAC_DELAY_NORMAL;
    normal.min_us = 2000;
    normal.mean_us = 5000;
    normal.sigma_us = 1500;
    normal.loss = 0.01;
    normal.duplicate = 0.5;
    normal.down = down;
    normal.down_count = 2;
    tac_link_def def = tac_link_def_default();
    def.from = "base.tx";
    def.to = "rover.rx";
    def.law = &normal;
    ok(tac_engine_add_link(e, &def, &err));
    ok(tac_engine_prepare(e, &err));
    static const char words[] =
        "normal mean 5 ms sigma 1.5 ms from 2 ms, loss 0.01, duplicate 0.5, "
        "down 1 ms to 2 ms and 3 ms to 4 ms";
    char *text = explain(e, TAC_FORMAT_TEXT);
    test_has(text, "port base.tx sends to rover.rx after normal");
    test_has(text, words);
    tac_text_free(text);
    text = explain(e, TAC_FORMAT_SVG);
    test_has(text, words);
    tac_text_free(text);
    text = explain(e, TAC_FORMAT_JSON);
    test_check_json(text);
    test_has(text, "\"delay_us\": 2000, \"law\": {\"delay\": \"normal\", \"min_us\": 2000, "
                   "\"mean_us\": 5000, \"sigma_us\": 1500, \"loss\": 0.01, \"duplicate\": 0.5, "
                   "\"down_us\": [[1000, 2000], [3000, 4000]]}");
    tac_text_free(text);
    tac_engine_destroy(e);
}

static void test_synchronized(void **state)
{
    (void)state;
    tac_engine *e = create(NULL, 60000);
    add_group(e, "four", 4000, 0);
    add_group(e, "six", 6000, 0);
    add_group(e, "idle", 5000, 0);
    add(e, "", "a", &sensor, "four");
    add(e, "", "b", &actor, "six"); // a law that nobody reads would only watch
    route(e, "b.a", "a.y", false);
    ok(tac_engine_add_policy(e, "*", TAC_SYNCHRONIZED, NULL, &err));
    ok(tac_engine_prepare(e, &err));
    char *text = explain(e, TAC_FORMAT_TEXT);
    test_check_table(text);
    test_has(text, "four (synchronized: declared 4 ms -> 2 ms)");
    test_has(text, "six (synchronized: declared 6 ms -> 2 ms)");
    test_has(text, "both groups step together every 2 ms, just written");
    test_has(text, "rate group idle has no components");
    test_has_not(text, "Islands");
    test_has_not(text, "Messages");
    test_has_not(text, "Observers");
    tac_text_free(text);
    text = explain(e, TAC_FORMAT_JSON);
    test_check_json(text);
    test_has(text, "\"synchronized_with\": [\"six\"]");
    test_has(text, "\"declared_period_us\": 4000");
    tac_text_free(text);
    text = explain(e, TAC_FORMAT_SVG);
    test_check_xml(text);
    tac_text_free(text);
    tac_engine_destroy(e);
}

static void test_physics(void **state)
{
    (void)state;
    tac_engine_def def = tac_engine_def_default();
    def.physics_us = 4000;
    tac_engine *e;
    ok(tac_engine_create(&def, &e, &err));
    add(e, "", "body", &plant, NULL);
    ok(tac_engine_prepare(e, &err));
    char *text = explain(e, TAC_FORMAT_TEXT);
    test_check_table(text);
    test_has(text, "physics axis 4 ms");
    test_line_has(text, "250 Hz", "251    the physics axis");
    test_line_has(text, "split at", "physics axis");
    test_has(text, "  start and end\n");
    test_comes_before(text, "split at", "4 ms           physics axis");
    tac_text_free(text);
    text = explain(e, TAC_FORMAT_SVG);
    test_check_xml(text);
    test_has(text, ">physics</text>");
    tac_text_free(text);
    tac_engine_destroy(e);
}

// --- names, emptiness, swarms -------------------------------------------------------------------

// What a component writes is shown without the component's name, and with all of its own.
static void test_dotted_names(void **state)
{
    (void)state;
    tac_engine *e = create(NULL, 1000);
    add_group(e, "g", 100, 0);
    ok(tac_engine_add_entity(e, "uav", NULL, &err));
    add(e, "uav", "vehicle", &cell, "g");
    add(e, "uav", "guard", &watch, "g");
    route(e, "uav.guard.a", "vehicle.battery.core.heat", false);
    ok(tac_engine_prepare(e, &err));
    char *text = explain(e, TAC_FORMAT_TEXT), *dot = explain(e, TAC_FORMAT_DOT),
         *json = explain(e, TAC_FORMAT_JSON);
    test_has(text, "writes battery.soc, battery.core.heat");
    test_has(dot, "label=\"battery.core.heat");
    test_has(json, "\"signal\": \"uav.vehicle.battery.core.heat\"");
    tac_text_free(text);
    tac_text_free(dot);
    tac_text_free(json);
    tac_engine_destroy(e);
}

static void test_hostile_names(void **state)
{
    (void)state;
    tac_engine *e = create(NULL, 1000);
    add_group(e, "g", 100, 0);
    add(e, "", "c", &hostile, "g");
    add_observer(e, "<\"log\"> & ']]>\\\x02\xc3\x28 caf\xc3\xa9", 300);
    ok(tac_engine_prepare(e, &err));
    char *svg = explain(e, TAC_FORMAT_SVG), *dot = explain(e, TAC_FORMAT_DOT);
    test_check_xml(svg);
    test_has(svg, "&lt;&quot;log&quot;&gt; &amp; ']]&gt;\\?\?( caf\xc3\xa9");
    test_check_dot(dot);
    test_has(dot, "<law> & \\\"co\\\\mpany\\\"\\n?");
    tac_text_free(svg);
    tac_text_free(dot);
    tac_engine_destroy(e);
}

static void test_nothing(void **state)
{
    (void)state;
    for (tac_time end_us = 0; end_us < 2; end_us++) {
        tac_engine *e = create(NULL, end_us);
        assert_null(tac_engine_explain(e, TAC_FORMAT_TEXT)); // not prepared
        ok(tac_engine_prepare(e, &err));
        for (int format = TAC_FORMAT_TEXT; format <= TAC_FORMAT_SVG; format++) {
            char *text = explain(e, (tac_format)format);
            if (format == TAC_FORMAT_TEXT)
                test_check_table(text);
            else if (format == TAC_FORMAT_JSON)
                test_check_json(text);
            else if (format == TAC_FORMAT_DOT)
                test_check_dot(text);
            else
                test_check_xml(text);
            tac_text_free(text);
        }
        assert_null(tac_engine_explain(e, (tac_format)17));
        tac_engine_destroy(e);
    }
    assert_null(tac_engine_explain(NULL, TAC_FORMAT_TEXT));
    assert_null(tac_engine_schema(NULL, TAC_FORMAT_TEXT));
    tac_text_free(NULL);
}

static void test_swarm(void **state)
{
    (void)state;
    static const unsigned counts[] = {1, 2, 3, 8, 23};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const unsigned n = counts[i];
        tac_engine *e = make_swarm(n);
        char *text = explain(e, TAC_FORMAT_TEXT), *svg = explain(e, TAC_FORMAT_SVG);
        char *json = explain(e, TAC_FORMAT_JSON), *dot = explain(e, TAC_FORMAT_DOT);
        test_check_table(text);
        test_check_xml(svg);
        test_check_json(json);
        test_check_dot(dot);
        char last[64], count[32];
        snprintf(last, sizeof last, "uav%u.ctrl", n);
        snprintf(count, sizeof count, " x%u", n);
        test_has(json, last); // nothing is left out for programs
        test_has(text, "uav1.ctrl");
        if (n < 3) {
            test_has(text, last);
            test_has(svg, last);
            test_has_not(text, "equal structure");
        } else {
            test_has_not(text, last);
            test_has_not(svg, last);
            test_has(text, "entities of equal structure, shown once as uav1: uav1, uav2");
            test_line_has(text, "uav1.ctrl", count);
            test_has(svg, "stands for");
        }
        tac_text_free(text);
        tac_text_free(svg);
        tac_text_free(json);
        tac_text_free(dot);
        tac_engine_destroy(e);
    }
}

// One vehicle of four that is wired otherwise is shown by itself.
static void test_odd_one(void **state)
{
    (void)state;
    tac_engine *e = create(NULL, 10000);
    add_group(e, "fast", 1000, 0);
    add(e, "", "wind", &sensor, "fast");
    for (unsigned i = 1; i <= 4; i++) {
        char name[16], to[32];
        snprintf(name, sizeof name, "uav%u", i);
        ok(tac_engine_add_entity(e, name, NULL, &err));
        add(e, name, "ctrl", &law, "fast");
        snprintf(to, sizeof to, "uav%u.ctrl.%s", i, i == 3 ? "b" : "a");
        route(e, to, "wind.y", false);
    }
    ok(tac_engine_prepare(e, &err));
    char *text = explain(e, TAC_FORMAT_TEXT);
    test_has(text, "3 entities of equal structure, shown once as uav1: uav1, uav2, uav4");
    test_has(text, "uav3.ctrl");
    test_has_not(text, "uav2.ctrl");
    tac_text_free(text);
    tac_engine_destroy(e);
}

// --- what is said is so -------------------------------------------------------------------------

// Ages of held values against a count by hand, for all kinds of rates.
static void test_ages(void **state)
{
    (void)state;
    static const tac_time periods[] = {1000, 4000, 6000, 10000};
    for (unsigned n = 0; n < 4 * 4 * 3 * 3 * 2; n++) {
        const tac_time writer = periods[n % 4], reader = periods[n / 4 % 4];
        const tac_time w0 = n / 16 % 3 * 500, r0 = n / 48 % 3 * 1500;
        const bool delayed = n / 144;
        tac_engine *e = create(NULL, 1000000);
        add_group(e, "w", writer, w0);
        add_group(e, "r", reader, r0);
        add(e, "", "a", &sensor, "w");
        add(e, "", "b", &law, "r");
        route(e, "b.a", "a.y", delayed);
        ok(tac_engine_prepare(e, &err));
        tac_time least = TAC_TIME_NEVER, most = 0;
        for (tac_time t = r0 + 10 * reader; t < 400000; t += reader) {
            if (t < w0 + 2 * writer)
                continue;
            tac_time age = (t - w0) % writer;
            if (age == 0 && delayed)
                age = writer;
            least = age < least ? age : least;
            most = age > most ? age : most;
        }
        char from[TAC_TIME_TEXT], to[TAC_TIME_TEXT], expected[160], meaning[TAC__ROUTE_TEXT];
        tac_time_print(least, from);
        tac_time_print(most, to);
        if (most == 0)
            snprintf(expected, sizeof expected, "the last value, just written");
        else if (least == most)
            snprintf(expected, sizeof expected, "the last value, %s old", to);
        else
            snprintf(expected, sizeof expected, "the last value, %s to %s old", least ? from : "0",
                     to);
        tac__route_meaning(e, e->plan->components[1], 0, meaning);
        assert_string_equal(meaning, expected);
        tac_engine_destroy(e);
    }
}

// Every source that splits an island has a reason.
static void count_reason(void *context, tac__split why, const char *name)
{
    assert_true(why < TAC__SPLIT_COUNT && name);
    ++*(size_t *)context;
}

static void check_reasons(const tac_engine *e)
{
    for (size_t i = 0; i < e->plan->island_count; i++) {
        for (size_t k = 0; k < e->plan->islands[i].source_count; k++) {
            size_t n = 0;
            tac__each_split(e, i, e->plan->islands[i].sources[k], count_reason, &n);
            assert_true(n > 0);
        }
    }
}

static void test_never_changes_the_run(void **state)
{
    (void)state;
    tac_engine *quiet = make_loop(NULL), *asked = make_loop(NULL);
    ok(tac_engine_run(quiet, TAC_TIME_NEVER, &err));
    char *first = explain(asked, TAC_FORMAT_SVG);
    for (tac_time t_us = 0; t_us <= 100000; t_us += 777) {
        ok(tac_engine_run(asked, t_us, &err));
        for (int format = TAC_FORMAT_TEXT; format <= TAC_FORMAT_SVG; format++)
            tac_text_free(explain(asked, (tac_format)format));
        tac_text_free(tac_engine_schema(asked, TAC_FORMAT_JSON));
    }
    ok(tac_engine_run(asked, TAC_TIME_NEVER, &err));
    char *last = explain(asked, TAC_FORMAT_SVG);
    assert_string_equal(first, last);
    assert_int_equal(tac_engine_hash(quiet, NULL, NULL), tac_engine_hash(asked, NULL, NULL));
    assert_int_equal(tac_engine_counters(quiet).rhs_evals, tac_engine_counters(asked).rhs_evals);
    tac_text_free(first);
    tac_text_free(last);
    tac_engine_destroy(quiet);
    tac_engine_destroy(asked);
}

static void test_schema(void **state)
{
    (void)state;
    tac_engine *e = make_loop(NULL);
    char *text = tac_engine_schema(e, TAC_FORMAT_TEXT),
         *json = tac_engine_schema(e, TAC_FORMAT_JSON);
    test_has(text, "9 signals");
    test_line_has(text, "body.x", "state");
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") == 0 || line[strcspn(line, "\n") - 1] != ' ');
    test_check_json(json);
    test_has(json, "\"name\": \"motor.out\"");
    assert_null(tac_engine_schema(e, TAC_FORMAT_DOT));
    assert_null(tac_engine_schema(e, TAC_FORMAT_SVG));
    assert_null(tac_engine_explain(e, TAC_FORMAT_LCM));
    tac_text_free(text);
    tac_text_free(json);
    tac_engine_destroy(e);
}

static char *one_text(const tac_engine *e, int what)
{
    return what <= TAC_FORMAT_SVG       ? tac_engine_explain(e, (tac_format)what)
           : what == TAC_FORMAT_SVG + 1 ? tac_engine_schema(e, TAC_FORMAT_TEXT)
                                        : tac_engine_schema(e, TAC_FORMAT_LCM);
}

static void test_no_memory(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    tac_engine *e = make_loop(&hook);
    for (int format = TAC_FORMAT_TEXT; format <= TAC_FORMAT_SVG + 2; format++)
        starve(&counts, e, format, one_text);
    tac_engine_destroy(e);
    test_allocator_check_empty(&counts);
}

// --- the layout ---------------------------------------------------------------------------------

static uint32_t lcg;

static unsigned any(unsigned n)
{
    lcg = lcg * 1664525u + 1013904223u;
    return (lcg >> 8) % n;
}

// Components of all kinds, wired at random, but never into a loop.
static tac_engine *make_random(unsigned components)
{
    static const tac_component_type *const types[] = {&sensor, &law, &plant, &hybrid};
    static const char *const groups[] = {"fast", "medium", "slow"};
    static const char *const outputs[] = {"y", "y", "x", "x"};
    static const char *const inputs[][2] = {{"a", "b"}, {"a", "b"}, {"u", "v"}, {"u", "v"}};
    unsigned kinds[64];
    tac_engine *e = create(NULL, 1000000);
    add_group(e, "fast", 1000, 0);
    add_group(e, "medium", 4000, 1000);
    add_group(e, "slow", 25000, 0);
    for (unsigned i = 0; i < components; i++) {
        char name[16];
        kinds[i] = any(4);
        snprintf(name, sizeof name, "component%u", i);
        add(e, "", name, types[kinds[i]], kinds[i] == 2 ? NULL : groups[any(3)]);
        for (unsigned k = 0; k < 2 && i > 0; k++) {
            const unsigned from = any(i);
            char to[32], source[32];
            snprintf(to, sizeof to, "component%u.%s", i, inputs[kinds[i]][k]);
            snprintf(source, sizeof source, "component%u.%s", from, outputs[kinds[from]]);
            route(e, to, source, kinds[i] == 0 && kinds[from] == 1);
        }
    }
    add_observer(e, "recorder", 7000);
    ok(tac_engine_prepare(e, &err));
    return e;
}

// Observers that follow something have no axis.
static void test_followers(void **state)
{
    (void)state;
    static const struct {
        tac_follow follow;
        const char *component, *text;
    } all[] = {{TAC_FOLLOW_STEPS, "ctrl", "with the steps of ctrl"},
               {TAC_FOLLOW_ISLAND, "body", "with the island of body"},
               {TAC_FOLLOW_INSTANTS, NULL, "with instants from outside the plant"}};
    tac_engine *e = create(NULL, 100000);
    add_group(e, "fast", 1000, 0);
    add(e, "", "ctrl", &law, "fast");
    add(e, "", "body", &plant, NULL);
    route(e, "ctrl.a", "body.x", false);
    route(e, "ctrl.b", "body.x", false);
    route(e, "body.u", "ctrl.y", false);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tac_observer_def def = tac_observer_def_default();
        def.name = "follower";
        def.follow = all[i].follow;
        def.component = all[i].component;
        def.observe = observe;
        ok(tac_engine_add_observer(e, &def, &err));
    }
    ok(tac_engine_prepare(e, &err));
    static const tac_format formats[] = {TAC_FORMAT_TEXT, TAC_FORMAT_JSON, TAC_FORMAT_DOT,
                                         TAC_FORMAT_SVG};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        char *text = tac_engine_explain(e, formats[f]);
        assert_non_null(text);
        for (size_t i = 0; f < 2 && i < sizeof all / sizeof *all; i++)
            assert_non_null(strstr(text, all[i].text));
        tac_text_free(text);
    }
    tac_engine_destroy(e);
}

static bool apart(const tac__rect *a, const tac__rect *b)
{
    return a->x + a->w <= b->x || b->x + b->w <= a->x || a->y + a->h <= b->y || b->y + b->h <= a->y;
}

// No box stands on another, none outside; arrows begin and end at their boxes, and what runs
// through a column runs between its boxes.
static void check_layout(const tac_engine *e)
{
    tac__arena arena;
    tac__swarms swarms;
    tac__picture p;
    tac__layout l;
    tac__arena_init(&arena, tac_allocator_default());
    assert_true(tac__swarms_find(e, &arena, &swarms));
    assert_true(tac__picture_make(e, &swarms, &arena, &p));
    assert_true(tac__layout_make(&p, &arena, 100, &l));
    for (size_t i = 0; i < p.box_count; i++) {
        const tac__rect *r = &l.boxes[i];
        assert_true(r->x >= 0 && r->y >= 99.9 && r->x + r->w <= l.width &&
                    r->y + r->h <= l.bottom + 0.1);
        for (size_t k = 0; k < i; k++)
            assert_true(apart(r, &l.boxes[k]));
    }
    for (size_t i = 0; i < p.arrow_count; i++) {
        const tac__path *path = &l.paths[i];
        const tac__rect *from = &l.boxes[p.arrows[i].from], *to = &l.boxes[p.arrows[i].to];
        const double *first = path->points[0], *last = path->points[path->count - 1];
        assert_true(first[0] == from->x + from->w && first[1] > from->y &&
                    first[1] < from->y + from->h);
        assert_true((last[0] == to->x || last[0] == to->x + to->w) && last[1] > to->y &&
                    last[1] < to->y + to->h);
        for (size_t k = 2; !path->square && k < path->count; k += 2) {
            const double *a = path->points[k - 1], *b = path->points[k];
            const tac__rect line = {a[0], a[1] - 0.5, b[0] - a[0], 1};
            for (size_t n = 0; n < p.box_count; n++)
                assert_true(n == p.arrows[i].from || apart(&line, &l.boxes[n]));
        }
    }
    tac__arena_fini(&arena);
}

static void test_layout(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 60; n += 1 + n / 8) {
        lcg = n;
        tac_engine *e = make_random(n);
        check_layout(e);
        check_reasons(e);
        for (int format = TAC_FORMAT_TEXT; format <= TAC_FORMAT_SVG; format++) {
            char *text = explain(e, (tac_format)format);
            if (format == TAC_FORMAT_JSON)
                test_check_json(text);
            if (format == TAC_FORMAT_DOT)
                test_check_dot(text);
            if (format == TAC_FORMAT_SVG)
                test_check_xml(text);
            tac_text_free(text);
        }
        tac_engine_destroy(e);
    }
}

TEST_MAIN(cmocka_unit_test(test_table), cmocka_unit_test(test_json),
          cmocka_unit_test(test_pictures), cmocka_unit_test(test_laws),
          cmocka_unit_test(test_synchronized), cmocka_unit_test(test_physics),
          cmocka_unit_test(test_dotted_names), cmocka_unit_test(test_hostile_names),
          cmocka_unit_test(test_nothing), cmocka_unit_test(test_swarm),
          cmocka_unit_test(test_odd_one), cmocka_unit_test(test_ages),
          cmocka_unit_test(test_never_changes_the_run), cmocka_unit_test(test_schema),
          cmocka_unit_test(test_no_memory), cmocka_unit_test(test_followers),
          cmocka_unit_test(test_layout))
