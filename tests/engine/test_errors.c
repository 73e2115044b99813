// What is refused, and how: the status, the place, what was wrong and the nearest valid name.
#include "support/allocator.h"
#include "support/probe.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const tac_place here = {"sim.yaml", 12, 5, "      some: line"};

// The error is the one expected, and stands at `here`.
#define REFUSED(b, call, status, ...)                                                              \
    do {                                                                                           \
        memset(&(b)->err, 0x55, sizeof(b)->err);                                                   \
        assert_int_equal((call), (status));                                                        \
        bench_error((b), (status), __VA_ARGS__, NULL);                                             \
        assert_string_equal((b)->err.file, "sim.yaml");                                            \
        assert_int_equal((b)->err.line, 12);                                                       \
        assert_int_equal((b)->err.column, 5);                                                      \
        assert_string_equal((b)->err.excerpt, here.excerpt);                                       \
    } while (0)

#define REFUSED_NOWHERE(b, call, status, ...)                                                      \
    do {                                                                                           \
        memset(&(b)->err, 0x55, sizeof(b)->err);                                                   \
        assert_int_equal((call), (status));                                                        \
        bench_error((b), (status), __VA_ARGS__, NULL);                                             \
        assert_int_equal((b)->err.line, 0);                                                        \
    } while (0)

static tac_status try_route(bench *b, const tac_route_def *def)
{
    tac_route_def r = *def;
    r.place = here;
    return tac_engine_add_route(b->engine, &r, &b->err);
}

static tac_status try_link(bench *b, const char *from, const char *to, tac_time delay_us)
{
    const tac_link_def def =
        TAC_DEF(tac_link_def, .from = from, .to = to, .delay_us = delay_us, .place = here);
    return tac_engine_add_link(b->engine, &def, &b->err);
}

static tac_status try_group(bench *b, const tac_group_def *def)
{
    tac_group_def g = *def;
    g.place = here;
    return tac_engine_add_group(b->engine, &g, &b->err);
}

static tac_status try_probe(bench *b, const probe *given)
{
    probe p = *given;
    p.place = here;
    return bench_try_add(b, &p);
}

static void nothing(void *context, tac_engine *engine, tac_time t_us)
{
    (void)context;
    (void)engine;
    (void)t_us;
}

// --- the engine ---------------------------------------------------------------------------------

static void test_engine(void **state)
{
    (void)state;
    bench b;
    tac_engine *engine = (tac_engine *)&b;
    tac_engine_def def = tac_engine_def_default();
    def.integrator.kind = "rk5";
    REFUSED_NOWHERE(&b, tac_engine_create(&def, &engine, &b.err), TAC_E_NAME, "integrator 'rk5'",
                    "'rk4'");
    assert_null(engine);
    def.integrator.kind = NULL;
    assert_int_equal(tac_engine_create(&def, &engine, NULL), TAC_E_NAME);
    REFUSED_NOWHERE(&b, tac_engine_create(&def, &engine, &b.err), TAC_E_NAME, "integrator ''");
    def = tac_engine_def_default();
    def.integrator.kind = "rk45";
    def.integrator.atol = 0;
    REFUSED_NOWHERE(&b, tac_engine_create(&def, &engine, &b.err), TAC_E_RANGE, "atol", "0 and 1");
    def = tac_engine_def_default();
    def.integrator.kind = "rk45";
    def.integrator.h_min_us = 10;
    def.integrator.h_max_us = 9;
    REFUSED_NOWHERE(&b, tac_engine_create(&def, &engine, &b.err), TAC_E_RANGE, "h_min", "h_max");
    def = tac_engine_def_default();
    def.end_us = TAC_TIME_MAX + 1;
    REFUSED_NOWHERE(&b, tac_engine_create(&def, &engine, &b.err), TAC_E_RANGE, "end", "too far");
    def = tac_engine_def_default();
    def.physics_us = TAC_TIME_MAX + 1;
    REFUSED_NOWHERE(&b, tac_engine_create(&def, &engine, &b.err), TAC_E_RANGE, "physics");
    tac_engine_destroy(NULL);
}

static void test_entities_and_groups(void **state)
{
    (void)state;
    static const tac_time falling[] = {0, 5, 5};
    bench b;
    bench_begin(&b, NULL);
    tac_engine *e = b.engine;
    REFUSED(&b, tac_engine_add_entity(e, "1up", &here, &b.err), TAC_E_NAME, "'1up'", "name");
    REFUSED(&b, tac_engine_add_entity(e, "a.b", &here, &b.err), TAC_E_NAME, "'a.b'");
    bench_entity(&b, "uav");
    REFUSED(&b, tac_engine_add_entity(e, "uav", &here, &b.err), TAC_E_DUPLICATE, "'uav'");

    REFUSED(&b,
            try_group(
                &b, &(tac_group_def){.size = sizeof(tac_group_def), .name = "a b", .period_us = 1}),
            TAC_E_NAME, "'a b'");
    REFUSED(&b, try_group(&b, &(tac_group_def){.size = sizeof(tac_group_def), .name = "g"}),
            TAC_E_CONFIG, "'g'", "period", "explicit times");
    REFUSED(&b,
            try_group(&b, &(tac_group_def){.size = sizeof(tac_group_def),
                                           .name = "g",
                                           .period_us = 1,
                                           .times_us = falling,
                                           .times_count = 3}),
            TAC_E_CONFIG, "'g'", "ascend");
    REFUSED(&b,
            try_group(&b, &(tac_group_def){.size = sizeof(tac_group_def),
                                           .name = "g",
                                           .times_us = falling,
                                           .times_count = 3}),
            TAC_E_CONFIG, "'g'", "ascend");
    REFUSED(&b,
            try_group(&b, &(tac_group_def){.size = sizeof(tac_group_def),
                                           .name = "g",
                                           .period_us = TAC_TIME_MAX + 1}),
            TAC_E_RANGE, "'g'", "period");
    REFUSED(&b,
            try_group(&b, &(tac_group_def){.size = sizeof(tac_group_def),
                                           .name = "g",
                                           .period_us = 1,
                                           .offset_us = TAC_TIME_MAX + 1}),
            TAC_E_RANGE, "'g'", "offset");
    bench_group(&b, "g", 1000, 0);
    REFUSED(
        &b,
        try_group(&b, &(tac_group_def){.size = sizeof(tac_group_def), .name = "g", .period_us = 5}),
        TAC_E_DUPLICATE, "'g'");

    tac_observer_def o = tac_observer_def_default();
    o.observe = nothing;
    o.period_us = 0;
    REFUSED_NOWHERE(&b, tac_engine_add_observer(e, &o, &b.err), TAC_E_RANGE, "period");
    o.period_us = TAC_TIME_MAX + 1;
    REFUSED_NOWHERE(&b, tac_engine_add_observer(e, &o, &b.err), TAC_E_RANGE, "period");
    bench_end(&b);
}

// --- components ---------------------------------------------------------------------------------

static tac_status two_outputs(tac_declare *d, void *self)
{
    (void)self;
    static const char *const rates[] = {"rate", "none", "two"};
    static int round;
    tac_declare_output(
        d, TAC_PORT(.name = "pos", .type = TAC_TYPE_VEC3, .derivative = rates[round++]));
    tac_declare_output(d, TAC_PORT(.name = "rate", .type = TAC_TYPE_VEC3));
    tac_declare_output(d, TAC_PORT(.name = "two", .type = TAC_TYPE_ARRAY(TAC_F64, 2)));
    return TAC_OK;
}

static void test_components(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_entity(&b, "uav1");
    bench_group(&b, "fast", 1000, 0);
    REFUSED(&b, try_probe(&b, &(probe){.name = "a b", .group = "fast"}), TAC_E_NAME, "'a b'");
    REFUSED(&b, try_probe(&b, &(probe){.name = "a", .entity = "uav2", .group = "fast"}), TAC_E_NAME,
            "entity 'uav2'", "'uav1'");
    REFUSED(&b, try_probe(&b, &(probe){.name = "a", .group = "fats"}), TAC_E_NAME,
            "rate group 'fats'", "'fast'");
    REFUSED(&b, try_probe(&b, &(probe){.name = "b", .group = "fast", .stage = "contrl"}),
            TAC_E_NAME, "stage 'contrl'", "'control'");
    static const char *const own[] = {"begin", "events", "record", "integrate"};
    for (int i = 0; i < 4; i++)
        REFUSED(&b, try_probe(&b, &(probe){.name = "c", .group = "fast", .stage = own[i]}),
                TAC_E_CONFIG, "'c'", own[i], "actuate");
    REFUSED(&b,
            try_probe(
                &b, &(probe){.name = "d", .x = {"x"}, .derive = linear_derive, .stage = "control"}),
            TAC_E_CONFIG, "'d'", "no step", "stage");
    REFUSED(&b, try_probe(&b, &(probe){.name = "e"}), TAC_E_CONFIG, "'e'", "no rate group",
            "never step");
    REFUSED(&b, try_probe(&b, &(probe){.name = "e", .rx = "rx", .deaf = true}), TAC_E_CONFIG, "'e'",
            "no rate group");
    REFUSED(
        &b,
        try_probe(&b, &(probe){.name = "f", .group = "fast", .stage = "telemetry", .out = {"n"}}),
        TAC_E_CONFIG, "'f'", "telemetry", "only reads");
    REFUSED(&b,
            try_probe(&b, &(probe){.name = "f", .group = "fast", .stage = "telemetry", .tx = "tx"}),
            TAC_E_CONFIG, "'f'", "message ports");
    // What was refused leaves nothing behind: the same names can be used again.
    assert_int_equal(bench_try_add(&b, &(probe){.name = "e", .group = "fast", .rx = "rx"}), TAC_OK);
    assert_int_equal(bench_try_add(&b, &(probe){.name = "f", .group = "fast", .out = {"n"}}),
                     TAC_OK);
    REFUSED(&b, try_probe(&b, &(probe){.name = "f", .group = "fast"}), TAC_E_DUPLICATE, "'f'");
    bench_prepare(&b);
    assert_int_equal(tac_engine_sizes(b.engine).components, 2);
    assert_int_equal(tac_engine_sizes(b.engine).receivers, 1);
    assert_int_equal(tac_engine_sizes(b.engine).senders, 0);
    assert_int_equal(tac_engine_sizes(b.engine).signals, 1);
    bench_run(&b, 1000);
    bench_end(&b);
}

static void test_declarations(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    // An output and a state of one name would be one signal with two writers.
    REFUSED(&b,
            try_probe(&b, &(probe){.name = "w",
                                   .out = {"s"},
                                   .x = {"s"},
                                   .derive = linear_derive,
                                   .output = linear_output}),
            TAC_E_OWNER, "two writers", "'w.s'");
    REFUSED(&b, try_probe(&b, &(probe){.name = "w", .group = "g", .out = {"s", "s"}}),
            TAC_E_DUPLICATE, "output 's'", "twice");
    REFUSED(&b, try_probe(&b, &(probe){.name = "w", .group = "g", .in = {"s", "s"}}),
            TAC_E_DUPLICATE, "input 's'", "twice");
    REFUSED(&b, try_probe(&b, &(probe){.name = "w", .group = "g", .in = {"a-b"}}), TAC_E_NAME,
            "'a-b'", "input");
    // Dots are for outputs and states, but not where they would read as an element.
    REFUSED(&b, try_probe(&b, &(probe){.name = "w", .group = "g", .in = {"a.b"}}), TAC_E_NAME,
            "'a.b'", "input", "expected letters, digits and '_'");
    REFUSED(&b, try_probe(&b, &(probe){.name = "w", .group = "g", .out = {"a.b", "a.x"}}),
            TAC_E_NAME, "'a.x'", "output", "no .x, .y, .z or .w");
    REFUSED(&b, try_probe(&b, &(probe){.name = "w", .group = "g", .out = {"a..b"}}), TAC_E_NAME,
            "'a..b'", "output");
    REFUSED(&b, try_probe(&b, &(probe){.name = "w", .x = {"a.w"}, .derive = linear_derive}),
            TAC_E_NAME, "'a.w'", "continuous state");
    REFUSED(&b, try_probe(&b, &(probe){.name = "w", .group = "g", .out = {"s:nonsense"}}),
            TAC_E_UNIT, "nonsense");
    REFUSED(&b, try_probe(&b, &(probe){.name = "w", .x = {"n@i32"}, .derive = linear_derive}),
            TAC_E_TYPE, "'n'", "f64");
    REFUSED(&b, try_probe(&b, &(probe){.name = "w", .rx = "rx", .capacity = 1u << 21}), TAC_E_RANGE,
            "'rx'", "capacity");
    REFUSED(&b, try_probe(&b, &(probe){.name = "w", .group = "g", .tx = "t.x"}), TAC_E_NAME,
            "'t.x'");
    REFUSED(&b, try_probe(&b, &(probe){.name = "w", .rx = ""}), TAC_E_NAME, "''");
    REFUSED(&b, try_probe(&b, &(probe){.name = "w", .group = "g", .stream = "a.b"}), TAC_E_NAME,
            "'a.b'", "stream");
    assert_non_null(strstr(b.err.context, "setting up component 'w'"));

    // A derivative must be an output of the right size.
    tac_component_type type = {.size = sizeof type,
                               .name = "two",
                               .version = "1",
                               .stage = TAC_STAGE_CONTROL,
                               .declare = two_outputs,
                               .kernels[TAC_NUMBERS].step = probe_step};
    tac_component_def def = tac_component_def_default();
    def.type = &type;
    def.group = "g";
    def.place = here;
    def.name = "fine";
    assert_int_equal(tac_engine_add_component(b.engine, &def, &b.err), TAC_OK);
    def.name = "none";
    REFUSED(&b, tac_engine_add_component(b.engine, &def, &b.err), TAC_E_TYPE, "'none.pos'",
            "'none'", "derivative");
    def.name = "size";
    REFUSED(&b, tac_engine_add_component(b.engine, &def, &b.err), TAC_E_TYPE, "'size.pos'", "'two'",
            "derivative");
    tac_component_type unsized = type, strange = type;
    unsized.size = 0;
    def.type = &unsized;
    REFUSED(&b, tac_engine_add_component(b.engine, &def, &b.err), TAC_E_ABI, "tac_component_type",
            "size");
    strange.flags = 1u << 30;
    def.type = &strange;
    REFUSED(&b, tac_engine_add_component(b.engine, &def, &b.err), TAC_E_ABI, "'two'", "flags");
    // None of them left a signal.
    bench_add(&b, &(probe){.name = "w", .group = "g", .out = {"s"}});
    bench_prepare(&b);
    assert_int_equal(tac_engine_sizes(b.engine).signals, 3 + 1);
    bench_end(&b);
}

static tac_status same_streams(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_stream(d, "noise");
    tac_declare_stream(d, "noise");
    return TAC_OK;
}

static tac_status same_ports(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_sender(d, TAC_MESSAGE(.name = "port"));
    tac_declare_sender(d, TAC_MESSAGE(.name = "port"));
    return TAC_OK;
}

static tac_status same_receivers(tac_declare *d, void *self)
{
    (void)self;
    for (int i = 0; i < 2; i++)
        tac_declare_receiver(d, TAC_MESSAGE(.name = "port", .capacity = 1));
    return TAC_OK;
}

// A component at the root can name a signal as an entity of the same name does.
static void test_dotted_twice(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_entity(&b, "uav");
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.entity = "uav", .name = "Nav", .group = "g", .out = {"speed"}});
    REFUSED(&b, try_probe(&b, &(probe){.name = "uav", .group = "g", .out = {"Nav.speed"}}),
            TAC_E_OWNER, "two writers for signal 'uav.Nav.speed'", "'uav.Nav'", "'uav'");
    assert_int_equal(try_probe(&b, &(probe){.entity = "uav", .name = "Radio", .rx = "rx"}), TAC_OK);
    bench_add(&b, &(probe){.name = "uav", .group = "g", .out = {"Radio.rx"}});
    REFUSED(&b, bench_try_prepare(&b), TAC_E_DUPLICATE, "'uav.Radio.rx'", "message port");
    bench_end(&b);
}

// Two streams of one name would draw the same numbers.
static void test_declared_twice(void **state)
{
    (void)state;
    static tac_status (*const declares[])(tac_declare *, void *) = {same_streams, same_ports,
                                                                    same_receivers};
    static const char *const words[] = {"stream", "sender", "receiver"};
    for (int i = 0; i < 3; i++) {
        bench b;
        bench_begin(&b, NULL);
        bench_group(&b, "g", 1000, 0);
        const tac_component_type type = {.size = sizeof type,
                                         .name = "twice",
                                         .version = "1",
                                         .stage = TAC_STAGE_CONTROL,
                                         .self_size = 8,
                                         .declare = declares[i],
                                         .kernels[TAC_NUMBERS].step = probe_step};
        tac_component_def def = tac_component_def_default();
        def.type = &type;
        def.name = "c";
        def.group = "g";
        def.place = here;
        REFUSED(&b, tac_engine_add_component(b.engine, &def, &b.err), TAC_E_DUPLICATE, words[i],
                "twice");
        bench_end(&b);
    }
}

static void test_states_without_derive(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    assert_int_equal(try_probe(&b, &(probe){.name = "p", .group = "g", .x = {"x"}}), TAC_OK);
    REFUSED(&b, bench_try_prepare(&b), TAC_E_CONFIG, "'p'", "continuous states", "no derive");
    bench_end(&b);
}

// --- routes -------------------------------------------------------------------------------------

// Two sources and a reader for each clash; one route each time.
static void refuse_route(tac_route_def r, tac_status status, const char *a, const char *b_,
                         const char *c)
{
    bench b;
    bench_begin(&b, NULL);
    bench_entity(&b, "other");
    bench_entity(&b, "uav");
    bench_group(&b, "g", 1000, 0);
    bench_add(&b,
              &(probe){.entity = "other", .name = "Nav", .group = "g", .out = {"attitude@quat"}});
    bench_add(&b, &(probe){.entity = "uav",
                           .name = "Nav",
                           .group = "g",
                           .stage = "estimate",
                           .out = {"position@vec3", "speed:m/s", "angle:deg", "count@i64",
                                   "mode@enum", "attitude@quat"}});
    bench_add(&b, &(probe){.entity = "uav",
                           .name = "Ctrl",
                           .group = "g",
                           .in = {"?speed:m/s", "?length:m", "?angle:rad", "?count@i64", "?x",
                                  "?position@vec3"}});
    bench_add(&b, &(probe){.name = "lone", .group = "g", .in = {"?x"}, .out = {"n"}});
    const tac_status added = try_route(&b, &r);
    if (added == TAC_OK)
        REFUSED(&b, bench_try_prepare(&b), status, a, b_, c);
    else
        assert_int_equal(added, status);
    bench_end(&b);
}

static tac_route_def route(const char *to, const char *from)
{
    tac_route_def r = tac_route_def_default();
    r.to = to;
    r.from = from;
    return r;
}

static void test_routes(void **state)
{
    (void)state;
    // Names, with the nearest.
    refuse_route(route("uav.Ctl.speed", "Nav.speed"), TAC_E_NAME, "'uav.Ctl.speed'",
                 "no such component", "'uav.Ctrl'");
    refuse_route(route("speed", "Nav.speed"), TAC_E_NAME, "'speed'", "no such component", "");
    refuse_route(route("uav.Ctrl.sped", "Nav.speed"), TAC_E_NAME, "'uav.Ctrl'", "no input 'sped'",
                 "'speed'");
    refuse_route(route("uav.Ctrl.speed", "Nav.sped"), TAC_E_NAME, "unknown signal 'Nav.sped'",
                 "did you mean", "'Nav.speed'"); // as it is written inside the entity
    refuse_route(route("lone.x", "uav.Nav.sped"), TAC_E_NAME, "unknown signal", "did you mean",
                 "'uav.Nav.speed'");
    // What only lacks its beginning, of the own entity where that has one.
    refuse_route(route("lone.x", "Nav.speed"), TAC_E_NAME, "unknown signal 'Nav.speed'",
                 "did you mean", "'uav.Nav.speed'");
    refuse_route(route("lone.x", "attitude"), TAC_E_NAME, "unknown signal 'attitude'",
                 "did you mean", "'other.Nav.attitude'");
    refuse_route(route("uav.Ctrl.x", "attitude.x"), TAC_E_NAME, "unknown signal 'attitude.x'",
                 "did you mean", "'Nav.attitude'");
    refuse_route(route("lone.x", ""), TAC_E_NAME, "unknown signal ''", "", "");
    // Elements.
    refuse_route(route("uav.Ctrl.x", "Nav.position[3]"), TAC_E_RANGE, "Nav.position[3]", "vec3",
                 "no such element");
    refuse_route(route("uav.Ctrl.x", "Nav.position.w"), TAC_E_RANGE, "Nav.position.w", "vec3", "");
    refuse_route(route("uav.Ctrl.x", "Nav.speed.x"), TAC_E_RANGE, "Nav.speed.x", "f64", "");
    refuse_route(route("uav.Ctrl.x", "Nav.position[x]"), TAC_E_NAME, "Nav.position[x]", "", "");
    refuse_route(route("uav.Ctrl.x", "Nav.position[99999999999]"), TAC_E_NAME, "unknown", "", "");
    // Types.
    refuse_route(route("uav.Ctrl.x", "Nav.position"), TAC_E_TYPE, "'Nav.position' is of type vec3",
                 "'uav.Ctrl.x'", "f64");
    refuse_route(route("uav.Ctrl.position", "Nav.attitude"), TAC_E_TYPE, "quat", "vec3", "");
    refuse_route(route("uav.Ctrl.count", "Nav.mode"), TAC_E_TYPE, "enum{OFF,ON}", "i64", "");
    refuse_route(route("uav.Ctrl.position", "Nav.position.x"), TAC_E_TYPE, "f64", "vec3", "");
    // Units.
    refuse_route(route("uav.Ctrl.length", "Nav.speed"), TAC_E_UNIT, "'Nav.speed' is in m/s",
                 "'uav.Ctrl.length'", "takes m");
    refuse_route(route("uav.Ctrl.angle", "Nav.angle"), TAC_E_UNIT, "deg", "rad", "convert: true");
    tac_route_def r = route("uav.Ctrl.length", "Nav.speed");
    r.convert = true;
    refuse_route(r, TAC_E_UNIT, "m/s", "takes m", "");
    // Gain and offset.
    r = route("uav.Ctrl.count", "Nav.count");
    r.gain = 2;
    refuse_route(r, TAC_E_TYPE, "gain and offset", "f64", "Nav.count");
    r = route("uav.Ctrl.speed", "Nav.speed");
    r.gain = (double)NAN;
    refuse_route(r, TAC_E_RANGE, "gain and offset", "finite", "");
    r.gain = 1;
    r.offset = (double)INFINITY;
    refuse_route(r, TAC_E_RANGE, "gain and offset", "finite", "");
    // Delays.
    r = route("uav.Ctrl.speed", "Nav.speed");
    r.delay_us = 1500;
    refuse_route(r, TAC_E_TIME, "Nav.speed", "whole number", "1 ms");
    r.delay_us = UINT64_C(1000001000);
    refuse_route(r, TAC_E_LIMIT, "1000000 periods", "", "");
}

static void test_duplicate_and_missing_routes(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "w", .group = "g", .out = {"a", "b"}});
    assert_int_equal(try_probe(&b, &(probe){.name = "r", .group = "g", .in = {"u"}}), TAC_OK);
    const tac_route_def first = route("r.u", "w.a"), second = route("r.u", "w.b");
    assert_int_equal(try_route(&b, &first), TAC_OK);
    assert_int_equal(try_route(&b, &second), TAC_OK);
    REFUSED(&b, bench_try_prepare(&b), TAC_E_DUPLICATE, "'r.u'", "already", "'w.a'");
    bench_end(&b);

    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    assert_int_equal(try_probe(&b, &(probe){.name = "r", .group = "g", .in = {"?o", "u"}}), TAC_OK);
    REFUSED(&b, bench_try_prepare(&b), TAC_E_CONFIG, "'r.u'", "not connected", "for a test");
    bench_end(&b);
}

static void test_delay_of_irregular_writers(void **state)
{
    (void)state;
    static const tac_time times[] = {0, 1000};
    for (int i = 0; i < 4; i++) {
        bench b;
        bench_begin(&b, NULL);
        bench_group(&b, "g", 1000, 0);
        bench_times(&b, "t", times, 2);
        probe w = {.name = "w", .group = i == 1 ? "t" : "g", .out = {"n"}};
        if (i == 0)
            w = (probe){.name = "w",
                        .out = {"n"},
                        .x = {"x"},
                        .derive = linear_derive,
                        .output = linear_output};
        if (i == 2)
            w.flags = TAC_COMPONENT_TIMER;
        if (i == 3)
            w.rx = "rx", w.step = probe_listen;
        bench_add(&b, &w);
        bench_add(&b, &(probe){.name = "r", .group = "g", .in = {"u"}});
        tac_route_def r = route("r.u", "w.n");
        r.delay_us = 1000;
        assert_int_equal(try_route(&b, &r), TAC_OK);
        REFUSED(&b, bench_try_prepare(&b), TAC_E_TIME, "w.n", "no regular period");
        bench_end(&b);
    }
}

// An entity's own name comes first, then that of the root.
static void test_names_from_inside(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_entity(&b, "uav");
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "w", .group = "g", .out = {"n"}, .step = probe_time});
    bench_add(&b, &(probe){.entity = "uav", .name = "w", .group = "g", .out = {"n"}});
    bench_add(&b, &(probe){.name = "only", .group = "g", .out = {"n"}, .step = probe_time});
    bench_add(&b, &(probe){.entity = "uav", .name = "r", .group = "g", .in = {"a", "b", "c"}});
    bench_route(&b, "uav.r.a", "w.n");
    bench_route(&b, "uav.r.b", "only.n");
    bench_route(&b, "uav.r.c", "uav.w.n");
    bench_prepare(&b);
    bench_run(&b, 3000);
    const bench_entry *e = bench_at(&b, "uav.r", AT_STEP, 3000);
    assert_true(e->in[0] == 4 && e->in[1] == 3000 && e->in[2] == 4);
    bench_end(&b);
}

// --- links --------------------------------------------------------------------------------------

static void add_radio(bench *b)
{
    bench_begin(b, NULL);
    bench_group(b, "g", 1000, 0);
    bench_add(b, &(probe){.name = "radio",
                          .group = "g",
                          .tx = "tx",
                          .rx = "rx",
                          .out = {"v"},
                          .step = probe_listen});
    bench_add(b, &(probe){.name = "base",
                          .group = "g",
                          .tx = "tx",
                          .rx = "rx",
                          .out = {"v"},
                          .step = probe_listen});
}

static void test_links(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        tac_status status;
        const char *words[2];
    } wrong[] = {
        {"radio.xt", "base.rx", TAC_E_NAME, {"sending port", "'radio.tx'"}},
        {"radio.tx", "bse.rx", TAC_E_NAME, {"receiving port", "'base.rx'"}},
        {"*.none", "base.rx", TAC_E_NAME, {"'*.none'", ""}},
        {"radio.tx", "radio.rx", TAC_E_CONFIG, {"'radio.tx'", "nothing"}},
    };
    bench b;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        add_radio(&b);
        assert_int_equal(try_link(&b, wrong[i].from, wrong[i].to, 1), TAC_OK);
        REFUSED(&b, bench_try_prepare(&b), wrong[i].status, wrong[i].words[0], wrong[i].words[1]);
        bench_end(&b);
    }
    add_radio(&b);
    REFUSED(&b, try_link(&b, "radio.tx", "base.rx", 0), TAC_E_RANGE, "at least 1 us");
    REFUSED(&b, try_link(&b, "radio.tx", "base.rx", TAC_TIME_MAX + 1), TAC_E_RANGE, "too long");
    assert_int_equal(try_link(&b, "radio.tx", "base.rx", 5), TAC_OK);
    assert_int_equal(try_link(&b, "*.tx", "*.rx", 7), TAC_OK);
    REFUSED(&b, bench_try_prepare(&b), TAC_E_DUPLICATE, "'radio.tx'", "'base.rx'", "already");
    bench_end(&b);
}

// --- during the run -----------------------------------------------------------------------------

static void flooded(bench *b, uint32_t capacity)
{
    bench_begin(b, NULL);
    bench_entity(b, "uav");
    bench_group(b, "g", 1000, 0);
    bench_group(b, "slow", 500000, 0);
    bench_add(
        b, &(probe){.entity = "uav", .name = "tx", .group = "g", .tx = "tx", .step = probe_send});
    bench_add(b, &(probe){.name = "rx",
                          .group = "slow",
                          .stage = "estimate",
                          .rx = "rx",
                          .deaf = true,
                          .capacity = capacity,
                          .out = {"v"},
                          .step = probe_listen});
    bench_link(b, "uav.tx.tx", "rx.rx", 10);
    bench_prepare(b);
}

static void test_full_queue(void **state)
{
    (void)state;
    bench b;
    flooded(&b, 8);
    assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_QUEUE);
    bench_error(&b, TAC_E_QUEUE, "'rx.rx'", "full", "8 messages", NULL);
    assert_string_equal(b.err.component, "uav.tx");
    assert_int_equal(b.err.t_us, 8000); // nothing was taken after 0
    bench_end(&b);
    flooded(&b, 500); // those of 500 ms are taken before the one sent there
    bench_run(&b, 500000);
    assert_true(bench_read(&b, "rx.v") == 500);
    bench_end(&b);
}

static tac_status send_much(tac_step *s, const void *self)
{
    (void)self;
    static const char bytes[64];
    return tac_send(s, 0, bytes, sizeof bytes);
}

static tac_status say_why(tac_step *s, const void *self)
{
    (void)self;
    return s->t_us < 3000 ? TAC_OK : tac_fail(s, "the battery is %s", "empty");
}

static tac_status say_nothing(tac_step *s, const void *self)
{
    (void)self;
    return s->t_us < 3000 ? TAC_OK : TAC_E_LIMIT;
}

// A component that says it failed has failed, whatever it returns.
static tac_status change_its_mind(tac_step *s, const void *self)
{
    (void)self;
    if (s->t_us == 1000)
        assert_int_equal(tac_fail(s, "a false alarm"), TAC_E_COMPONENT);
    return TAC_OK;
}

static tac_status fail_silently(tac_step *s, const void *self)
{
    (void)self;
    return s->t_us < 3000 ? TAC_OK : TAC_E_COMPONENT;
}

static void test_components_that_fail(void **state)
{
    (void)state;
    static const struct {
        tac_status (*step)(tac_step *, const void *);
        tac_time t_us;
        tac_status status;
        const char *words[2];
    } ways[] = {{send_much, 0, TAC_E_COMPONENT, {"64 bytes", "at most 8"}},
                {say_why, 3000, TAC_E_COMPONENT, {"the battery is empty", ""}},
                {say_nothing, 3000, TAC_E_LIMIT, {"its step failed", "limit exceeded"}},
                {fail_silently, 3000, TAC_E_COMPONENT, {"its step failed", "a component failed"}},
                {change_its_mind, 1000, TAC_E_COMPONENT, {"a false alarm", ""}}};
    for (size_t i = 0; i < 5; i++) {
        for (int quiet = 0; quiet < 2; quiet++) {
            bench b;
            bench_begin(&b, NULL);
            bench_entity(&b, "uav");
            bench_group(&b, "g", 1000, 0);
            bench_add(&b, &(probe){.entity = "uav",
                                   .name = "bad",
                                   .group = "g",
                                   .tx = "tx",
                                   .step = ways[i].step});
            bench_add(&b, &(probe){.name = "rx", .rx = "rx", .out = {"v"}, .step = probe_listen});
            bench_add(&b, &(probe){.name = "later", .group = "g"});
            bench_link(&b, "uav.bad.tx", "rx.rx", 10);
            bench_prepare(&b);
            if (quiet) { // nobody looks
                assert_int_equal(tac_engine_run(b.engine, TAC_TIME_MAX, NULL), ways[i].status);
            } else {
                assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), ways[i].status);
                bench_error(&b, ways[i].status, ways[i].words[0], ways[i].words[1], NULL);
                assert_string_equal(b.err.component, "uav.bad");
                assert_int_equal(b.err.t_us, ways[i].t_us);
            }
            // It stopped there and then.
            assert_int_equal(bench_count(&b, "later", AT_STEP), ways[i].t_us / 1000);
            assert_int_equal(tac_engine_time(b.engine), ways[i].t_us);
            assert_true(tac_engine_next_time(b.engine) == TAC_TIME_NEVER);
            assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_CALLER);
            bench_end(&b);
        }
    }
}

static tac_status fail_always(tac_step *s, const void *self)
{
    (void)s;
    (void)self;
    return TAC_E_COMPONENT;
}

static void test_other_functions_that_fail(void **state)
{
    (void)state;
    bench b;
    for (int i = 0; i < 2; i++) {
        bench_begin(&b, NULL);
        bench_group(&b, "g", 1000, 0);
        bench_add(&b, &(probe){.name = "h",
                               .group = "g",
                               .pre_step = i ? NULL : fail_always,
                               .post_step = i ? fail_always : NULL});
        bench_prepare(&b);
        assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_COMPONENT);
        bench_error(&b, TAC_E_COMPONENT, i ? "post-step" : "pre-step", NULL);
        assert_string_equal(b.err.component, "h");
        assert_int_equal(bench_count(&b, "h", AT_STEP), i);
        bench_end(&b);
    }
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "i", .group = "g", .init = fail_always});
    // Whatever the caller's error held before is no reason.
    memset(&b.err, 0, sizeof b.err);
    b.err.status = TAC_E_COMPONENT;
    strcpy(b.err.text, "something old");
    assert_int_equal(bench_try_prepare(&b), TAC_E_COMPONENT);
    bench_error(&b, TAC_E_COMPONENT, "init", NULL);
    assert_string_equal(b.err.component, "i");
    assert_int_equal(bench_try_run(&b, 0), TAC_E_CALLER);
    bench_end(&b);
}

// --- the caller's own mistakes ------------------------------------------------------------------

static void test_wrong_moments(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    assert_int_equal(bench_try_run(&b, 0), TAC_E_CALLER); // not prepared
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "a", .group = "g", .out = {"n"}});
    assert_null(tac_engine_read(b.engine, 0));
    bench_prepare(&b);
    assert_int_equal(bench_try_prepare(&b), TAC_E_CALLER);
    assert_int_equal(bench_try_add(&b, &(probe){.name = "b", .group = "g"}), TAC_E_CALLER);
    assert_int_equal(tac_engine_add_entity(b.engine, "e", NULL, NULL), TAC_E_CALLER);
    assert_int_equal(
        try_group(&b, &(tac_group_def){.size = sizeof(tac_group_def), .name = "h", .period_us = 1}),
        TAC_E_CALLER);
    const tac_route_def r = route("a.u", "a.n");
    assert_int_equal(try_route(&b, &r), TAC_E_CALLER);
    assert_int_equal(try_link(&b, "a.x", "a.y", 1), TAC_E_CALLER);
    assert_int_equal(tac_engine_add_policy(b.engine, "*", TAC_ZOH, NULL, NULL), TAC_E_CALLER);
    assert_null(tac_engine_read(b.engine, -1));
    assert_null(tac_engine_read(b.engine, 1));
    assert_int_equal(tac_engine_find_signal(b.engine, "a.m"), -1);
    bench_run(&b, 0);
    assert_true(bench_read(&b, "a.n") == 1);
    bench_end(&b);
}

static tac_status run_inside(tac_step *s, const void *self)
{
    assert_int_equal(bench_try_run(probe_of(self)->on, s->t_us + 5000), TAC_E_CALLER);
    return probe_step(s, self);
}

static void test_run_inside_a_run(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "a", .group = "g", .step = run_inside});
    bench_prepare(&b);
    tac_error err;
    assert_int_equal(tac_engine_run(b.engine, 3000, &err), TAC_OK);
    assert_int_equal(b.count, 4);
    bench_end(&b);
}

// --- no memory ----------------------------------------------------------------------------------

static tac_status all_of_it(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64, .unit = "m"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .unit = "m"));
    tac_declare_state(d, TAC_PORT(.name = "s", .type = TAC_TYPE_I32));
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_VEC3));
    tac_declare_stream(d, "r");
    tac_declare_sender(d, TAC_MESSAGE(.name = "tx"));
    tac_declare_receiver(
        d, TAC_MESSAGE(.name = "rx", .capacity = 4, .max_bytes = 8, .triggers = true));
    return TAC_OK;
}

static tac_status all_step(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = tac_draw_uniform(s, 0);
    for (tac_message m; tac_receive(s, 0, &m);)
        ;
    return s->due & TAC_DUE_AXIS ? tac_send(s, 0, "abc", 3) : TAC_OK;
}

static tac_status all_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = e->dx[1] = e->dx[2] = *TAC_IN(e, double, 0);
    return TAC_OK;
}

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const tac_status status_ = (call);                                                         \
        if (status_ != TAC_OK)                                                                     \
            return status_;                                                                        \
    } while (0)

static tac_status build_all(tac_engine *e, tac_error *err)
{
    static const tac_component_type type = {.size = sizeof type,
                                            .name = "all",
                                            .version = "1",
                                            .stage = TAC_STAGE_CONTROL,
                                            .self_size = 24,
                                            .flags = TAC_COMPONENT_TIMER,
                                            .declare = all_of_it,
                                            .kernels[TAC_NUMBERS].step = all_step,
                                            .kernels[TAC_NUMBERS].derive = all_derive};
    static const tac_time times[] = {3, 5};
    TRY(tac_engine_add_entity(e, "uav", NULL, err));
    tac_group_def g = tac_group_def_default();
    g.name = "g";
    g.period_us = 1000;
    TRY(tac_engine_add_group(e, &g, err));
    g = (tac_group_def){
        .size = sizeof(tac_group_def), .name = "t", .times_us = times, .times_count = 2};
    TRY(tac_engine_add_group(e, &g, err));
    tac_component_def c = tac_component_def_default();
    c.type = &type;
    c.group = "g";
    c.name = "a";
    TRY(tac_engine_add_component(e, &c, err));
    c.entity = "uav";
    c.group = "t";
    TRY(tac_engine_add_component(e, &c, err));
    tac_route_def r = tac_route_def_default();
    r.to = "a.u";
    r.from = "uav.a.y";
    r.gain = 2;
    TRY(tac_engine_add_route(e, &r, err));
    r.to = "uav.a.u";
    r.from = "a.y";
    r.delayed = true;
    TRY(tac_engine_add_route(e, &r, err));
    tac_link_def l = tac_link_def_default();
    l.from = "*.tx";
    l.to = "*.rx";
    TRY(tac_engine_add_link(e, &l, err));
    TRY(tac_engine_add_policy(e, "*", TAC_ZOH, NULL, err));
    TRY(tac_engine_set_order(e, (const char *const[]){"uav.a", "a"}, 2, NULL, err));
    tac_observer_def o = tac_observer_def_default();
    o.observe = nothing;
    TRY(tac_engine_add_observer(e, &o, err));
    TRY(tac_engine_prepare(e, err));
    return tac_engine_run(e, TAC_TIME_MAX, err);
}

static void test_no_memory(void **state)
{
    (void)state;
    uint64_t n = 0;
    for (bool done = false; !done;) {
        test_allocator a = test_allocator_make();
        a.fail_at = ++n;
        a.fail_after = n % 2;
        const tac_allocator hook = test_allocator_hook(&a);
        tac_engine_def def = tac_engine_def_default();
        def.allocator = &hook;
        def.end_us = 10000;
        tac_engine *e = NULL;
        tac_error err;
        tac_status status = tac_engine_create(&def, &e, &err);
        if (status == TAC_OK)
            status = build_all(e, &err);
        done = a.failed == 0;
        assert_int_equal(status, done ? TAC_OK : TAC_E_MEMORY);
        if (!done)
            assert_int_equal(err.status, TAC_E_MEMORY);
        tac_engine_destroy(e);
        test_allocator_check_empty(&a);
    }
    assert_true(n > 3);
}

TEST_MAIN(cmocka_unit_test(test_engine), cmocka_unit_test(test_entities_and_groups),
          cmocka_unit_test(test_components), cmocka_unit_test(test_declarations),
          cmocka_unit_test(test_declared_twice), cmocka_unit_test(test_dotted_twice),
          cmocka_unit_test(test_states_without_derive), cmocka_unit_test(test_routes),
          cmocka_unit_test(test_duplicate_and_missing_routes),
          cmocka_unit_test(test_delay_of_irregular_writers),
          cmocka_unit_test(test_names_from_inside), cmocka_unit_test(test_links),
          cmocka_unit_test(test_full_queue), cmocka_unit_test(test_components_that_fail),
          cmocka_unit_test(test_other_functions_that_fail), cmocka_unit_test(test_wrong_moments),
          cmocka_unit_test(test_run_inside_a_run), cmocka_unit_test(test_no_memory))
