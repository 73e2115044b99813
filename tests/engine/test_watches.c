// Parameters that are inputs; watches and feeds, which are connected by name. From YAML.
#include "engine/declare_rig.h"

// --- parameters that are inputs -----------------------------------------------------------------

typedef struct cruiser {
    int speed;
} cruiser;

static double speeds[64];
static size_t speed_count;

static tac_status cruiser_declare(tac_declare *d, void *self)
{
    cruiser *c = self;
    c->speed = tac_param_input(
        d, TAC_PARAM(.name = "speed", .unit = "m/s", .fallback = "5", .range = "(0, 100]"));
    speed_count = 0;
    return TAC_OK;
}

static tac_status cruiser_step(tac_step *s, const void *self)
{
    const cruiser *c = self;
    assert_true(speed_count < 64);
    speeds[speed_count++] = *TAC_IN(s, double, c->speed);
    return TAC_OK;
}

static const tac_component_type cruiser_type =
    TYPE("cruiser", .stage = TAC_STAGE_CONTROL, .self_size = sizeof(cruiser),
         .declare = cruiser_declare, .kernels[TAC_NUMBERS].step = cruiser_step);

#define CRUISER(params)                                                                            \
    "duration: 4 ms\n"                                                                             \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [c, k]}]}\n"                    \
    "components:\n"                                                                                \
    "  k: {type: constant, params: {unit: m/s, value: 8}}\n"                                       \
    "  c: {type: cruiser, " params "}\n"

static void cruise(const char *text, double expected)
{
    rig r;
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_MAX);
    assert_int_equal(speed_count, 5);
    for (size_t i = 0; i < speed_count; i++)
        assert_true(speeds[i] == expected);
    rig_close(&r);
}

static void test_param_input(void **state)
{
    (void)state;
    use(&cruiser_type, NULL);
    cruise(CRUISER("params: {}"), 5);
    cruise(CRUISER("params: {speed: 36 km/h}"), 10);
    cruise(CRUISER("inputs: {speed: k.y}"), 8);
    cruise(CRUISER("params: {speed: 3}, inputs: {speed: {from: k.y, gain: 2}}"), 16);
    rig_refused_at(CRUISER("params: {speed: 0}"), TAC_E_RANGE, 5, 38, "0 is out of range");
}

// --- watches ------------------------------------------------------------------------------------

typedef struct watcher {
    int watch;
    const char *name;
} watcher;

static struct {
    const char *name;
    tac_time t_us;
    double value;
} watched[4096];
static size_t watched_count;

static tac_status watcher_declare(tac_declare *d, void *self)
{
    watcher *w = self;
    const char *signal = tac_param_text(d, TAC_PARAM(.name = "signal"));
    w->watch = tac_declare_watch(d, signal, "signal");
    w->name = tac_declare_name(d);
    watched_count = 0;
    return TAC_OK;
}

static tac_status watcher_step(tac_step *s, const void *self)
{
    const watcher *w = self;
    assert_true(watched_count < sizeof watched / sizeof *watched);
    watched[watched_count].name = w->name;
    watched[watched_count].t_us = s->t_us;
    watched[watched_count++].value = *TAC_IN(s, double, w->watch);
    return TAC_OK;
}

static const tac_component_type watcher_type =
    TYPE("watcher", .stage = TAC_STAGE_ESTIMATE, .self_size = sizeof(watcher),
         .declare = watcher_declare, .kernels[TAC_NUMBERS].step = watcher_step);

// What `name` saw at t.
static double watched_at(const char *name, tac_time t_us)
{
    for (size_t i = 0; i < watched_count; i++) {
        if (!strcmp(watched[i].name, name) && watched[i].t_us == t_us)
            return watched[i].value;
    }
    fail_msg("%s did not step at %llu us", name, (unsigned long long)t_us);
    return 0;
}

static void test_watch_any_type(void **state)
{
    (void)state;
    use(&watcher_type, NULL);
    rig r;
    rig_open(&r, "duration: 50 ms\n"
                 "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [\"*\"]}]}\n"
                 "components:\n"
                 "  f64: {type: source}\n  i32: {type: source, params: {kind: i32}}\n"
                 "  i64: {type: source, params: {kind: i64}}\n"
                 "  bool: {type: source, params: {kind: bool}}\n"
                 "  enum: {type: source, params: {kind: enum}}\n"
                 "  vec3: {type: source, params: {kind: vec3, unit: m}}\n"
                 "  quat: {type: source, params: {kind: quat}}\n"
                 "  w_f64: {type: watcher, params: {signal: f64.y}}\n"
                 "  w_i32: {type: watcher, params: {signal: i32.y}}\n"
                 "  w_i64: {type: watcher, params: {signal: i64.y}}\n"
                 "  w_bool: {type: watcher, params: {signal: bool.y}}\n"
                 "  w_enum: {type: watcher, params: {signal: enum.y}}\n"
                 "  w_z: {type: watcher, params: {signal: vec3.y.z}}\n"
                 "  w_1: {type: watcher, params: {signal: \"vec3.y[1]\"}}\n"
                 "  w_w: {type: watcher, params: {signal: quat.y.w}}\n");
    rig_run(&r, TAC_TIME_MAX);
    for (tac_time t_us = 0; t_us <= 50000; t_us += 1000) {
        double q[4];
        rig_quat(t_us, q);
        rig_same(watched_at("w_f64", t_us), rig_value(t_us, 0), "f64", t_us);
        rig_same(watched_at("w_i32", t_us), (double)rig_whole(t_us), "i32", t_us);
        rig_same(watched_at("w_i64", t_us), (double)rig_whole(t_us), "i64", t_us);
        rig_same(watched_at("w_bool", t_us), (double)(rig_whole(t_us) & 1), "bool", t_us);
        rig_same(watched_at("w_enum", t_us), (double)(t_us / 1000 % 3), "enum", t_us);
        rig_same(watched_at("w_z", t_us), rig_value(t_us, 2), "z", t_us);
        rig_same(watched_at("w_1", t_us), rig_value(t_us, 1), "[1]", t_us);
        rig_same(watched_at("w_w", t_us), q[0], "w", t_us);
    }
    rig_close(&r);
}

// What a later stage writes is seen as of the last boundary; a continuous state as of this one.
static void test_watch_when(void **state)
{
    (void)state;
    use(&watcher_type, NULL);
    rig r;
    rig_open(&r, "duration: 20 ms\n"
                 "scheduler: {rate_groups: [{name: g, period: 2 ms, components: [\"*\"]}]}\n"
                 "components:\n"
                 "  early: {type: source}\n  late: {type: source, stage: control}\n"
                 "  ramp: {type: integrator, inputs: {u: one.y}, params: {rate_unit: \"1\"}}\n"
                 "  one: {type: constant, params: {value: 1}}\n"
                 "  w_early: {type: watcher, params: {signal: early.y}}\n"
                 "  w_late: {type: watcher, params: {signal: late.y}}\n"
                 "  w_ramp: {type: watcher, params: {signal: ramp.x}}\n");
    rig_run(&r, TAC_TIME_MAX);
    rig_same(watched_at("w_late", 0), 0, "nothing yet", 0);
    for (tac_time t_us = 2000; t_us <= 20000; t_us += 2000) {
        rig_same(watched_at("w_early", t_us), rig_value(t_us, 0), "early", t_us);
        rig_same(watched_at("w_late", t_us), rig_value(t_us - 2000, 0), "late", t_us);
        assert_true(fabs(watched_at("w_ramp", t_us) - (double)t_us * 1e-6) < 1e-15);
    }
    rig_close(&r);
}

// In the own entity first, then everywhere.
static void test_watch_where(void **state)
{
    (void)state;
    use(&watcher_type, NULL);
    rig r;
    rig_open(&r,
             "duration: 2 ms\n"
             "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [\"*\", \"*.*\"]}]}\n"
             "components:\n"
             "  k: {type: constant, params: {value: 1}}\n"
             "  only: {type: constant, params: {value: 3}}\n"
             "entities:\n"
             "  uav:\n"
             "    components:\n"
             "      k: {type: constant, params: {value: 2}}\n"
             "      near: {type: watcher, params: {signal: k.y}}\n"
             "      far: {type: watcher, params: {signal: only.y}}\n"
             "      full: {type: watcher, params: {signal: uav.k.y}}\n");
    rig_run(&r, TAC_TIME_MAX);
    assert_true(watched_at("uav.near", 1000) == 2);
    assert_true(watched_at("uav.far", 1000) == 3);
    assert_true(watched_at("uav.full", 1000) == 2);
    rig_close(&r);
}

#define WATCH(signal)                                                                              \
    "duration: 2 ms\n"                                                                             \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [\"*\"]}]}\n"                   \
    "components:\n"                                                                                \
    "  speed: {type: source, params: {kind: vec3}}\n"                                              \
    "  w: {type: watcher, params: {signal: " signal "}}\n"

static void test_watch_wrong(void **state)
{
    (void)state;
    use(&watcher_type, NULL);
    rig_refused_at(WATCH("sped.y"), TAC_E_NAME, 5, 39, "did you mean 'speed.y'?");
    rig_refused_at(WATCH("speed.y"), TAC_E_TYPE, 5, 39, "expected a single value");
    rig_refused_at(WATCH("\"speed.y[3]\""), TAC_E_RANGE, 5, 40, "speed.y");
}

// --- feeds --------------------------------------------------------------------------------------

typedef struct feeder {
    int feed;
    const char *unit;
} feeder;

static char feed_unit[16];

static tac_status feeder_declare(tac_declare *d, void *self)
{
    feeder *f = self;
    const char *input = tac_param_text(d, TAC_PARAM(.name = "input"));
    f->feed = tac_declare_feed(d, TAC_PORT(.name = "set", .type = TAC_TYPE_F64), input, "input");
    return TAC_OK;
}

static tac_status feeder_connect(tac_declare *d, void *self)
{
    const feeder *f = self;
    snprintf(feed_unit, sizeof feed_unit, "%s", tac_feed_unit(d, f->feed));
    return TAC_OK;
}

static tac_status feeder_step(tac_step *s, const void *self)
{
    const feeder *f = self;
    if (s->t_us >= 2000)
        *TAC_OUT(s, double, f->feed) = 7;
    return TAC_OK;
}

static const tac_component_type feeder_type = TYPE(
    "feeder", .stage = TAC_STAGE_SCENARIO, .self_size = sizeof(feeder), .declare = feeder_declare,
    .connect = feeder_connect, .kernels[TAC_NUMBERS].step = feeder_step);

#define FEED(input, inputs)                                                                        \
    "duration: 4 ms\n"                                                                             \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [\"*.*\"]}]}\n"                 \
    "entities:\n"                                                                                  \
    "  uav:\n"                                                                                     \
    "    components:\n"                                                                            \
    "      f: {type: feeder, params: {input: " input "}}\n"                                        \
    "      c: {type: cruiser, params: {speed: 18 km/h}" inputs "}\n"                               \
    "      k: {type: constant, params: {unit: m/s, value: 8}}\n"

static void test_feed(void **state)
{
    (void)state;
    use(&cruiser_type, &feeder_type);
    rig r;
    rig_open(&r, FEED("c.speed", ""));
    const int signal = tac_engine_find_signal(r.engine, "uav.f.set");
    assert_string_equal(tac_engine_signal_info(r.engine, signal).unit, "m/s");
    assert_string_equal(feed_unit, "m/s");
    rig_run(&r, TAC_TIME_MAX);
    // As configured until something is written.
    static const double expected[] = {5, 5, 7, 7, 7};
    assert_int_equal(speed_count, 5);
    assert_memory_equal(speeds, expected, sizeof expected);
    rig_close(&r);
}

static void test_feed_wrong(void **state)
{
    (void)state;
    use(&cruiser_type, &feeder_type);
    rig_refused_at(FEED("c.sped", ""), TAC_E_NAME, 6, 41, "did you mean");
    rig_refused_at(FEED("d.speed", ""), TAC_E_NAME, 6, 41, "d.speed");
    rig r;
    const tac_status status = rig_try(&r, FEED("c.speed", ", inputs: {speed: k.y}"));
    assert_int_not_equal(status, TAC_OK);
    assert_non_null(strstr(r.err.text, "uav.c.speed"));
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_param_input), cmocka_unit_test(test_watch_any_type),
          cmocka_unit_test(test_watch_when), cmocka_unit_test(test_watch_where),
          cmocka_unit_test(test_watch_wrong), cmocka_unit_test(test_feed),
          cmocka_unit_test(test_feed_wrong))
