// Nothing changes what it is not connected to: whatever is added beside a vehicle, its bits stay.
#include "support/probe.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { END = 300000 };

// --- the base vehicle ---------------------------------------------------------------------------

static tac_status body_derive(const tac_eval *e, const void *self)
{
    probe_of(self)->derives++;
    e->dx[0] = e->x[1];
    e->dx[1] = -40 * e->x[0] - e->x[1] + *TAC_IN(e, double, 0) + *TAC_IN(e, double, 1);
    return TAC_OK;
}

static tac_status body_init(tac_step *s, const void *self)
{
    (void)self;
    tac_jump(s)[0] = 1;
    return TAC_OK;
}

static tac_status sense(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = *TAC_IN(s, double, 0) + 0.01 * tac_draw_normal(s, 0);
    return TAC_OK;
}

static tac_status control(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = -3 * *TAC_IN(s, double, 0);
    return TAC_OK;
}

// Plant, sensor, controller and wind: 4 ms, 10 ms and 20 ms, steps of at most 3 ms.
static void add_vehicle(bench *b, const char *entity)
{
    char to[64], from[64];
    bench_entity(b, entity);
    bench_add(b, &(probe){.entity = entity,
                          .name = "body",
                          .in = {"u", "w"},
                          .out = {"y"},
                          .x = {"p", "v"},
                          .init = body_init,
                          .derive = body_derive,
                          .output = linear_output});
    bench_add(b, &(probe){.entity = entity,
                          .name = "imu",
                          .group = "ms4",
                          .stage = "estimate",
                          .in = {"y"},
                          .out = {"m"},
                          .stream = "noise",
                          .step = sense});
    bench_add(b, &(probe){.entity = entity,
                          .name = "ctl",
                          .group = "ms10",
                          .in = {"m"},
                          .out = {"u"},
                          .step = control});
    bench_add(b, &(probe){.entity = entity,
                          .name = "wind",
                          .group = "ms20",
                          .stage = "environment",
                          .out = {"w"},
                          .stream = "gust",
                          .step = probe_noise,
                          .silent = true});
    static const char *const routes[][2] = {
        {"body.u", "ctl.u"}, {"body.w", "wind.w"}, {"imu.y", "body.y"}, {"ctl.m", "imu.m"}};
    for (int i = 0; i < 4; i++) {
        snprintf(to, sizeof to, "%s.%s", entity, routes[i][0]);
        snprintf(from, sizeof from, "%s", routes[i][1]); // found in the entity of the reader
        bench_route(b, to, from);
    }
}

static void begin(bench *b)
{
    tac_engine_def def = tac_engine_def_default();
    def.end_us = END;
    def.integrator.h_max_us = 3000;
    bench_begin(b, &def);
    bench_group(b, "ms4", 4000, 0);
    bench_group(b, "ms10", 10000, 0);
    bench_group(b, "ms20", 20000, 0);
}

// The steps of an island whose boundaries lie on some axes, with steps of at most h_max.
static uint64_t count_steps(const tac_time *periods_us, size_t count, tac_time h_max_us)
{
    uint64_t steps = 0;
    for (tac_time t = 0; t < END;) {
        tac_time next = END;
        for (size_t i = 0; i < count; i++) {
            const tac_time at = (t / periods_us[i] + 1) * periods_us[i];
            next = at < next ? at : next;
        }
        steps += (next - t + h_max_us - 1) / h_max_us;
        t = next;
    }
    return steps;
}

static bench base; // run once, to compare with

static int run_base(void **state)
{
    (void)state;
    begin(&base);
    add_vehicle(&base, "base");
    bench_prepare(&base);
    bench_run(&base, TAC_TIME_MAX);
    return 0;
}

static int end_base(void **state)
{
    (void)state;
    bench_end(&base);
    return 0;
}

static void run_and_compare(bench *b)
{
    bench_prepare(b);
    bench_run(b, TAC_TIME_MAX);
    bench_same_digests(&base, b, "base.*");
}

// The work of integration is the same too, up to `more` other islands of the same kind.
static void same_work(const bench *b, uint64_t vehicles)
{
    const tac_counters x = tac_engine_counters(base.engine), y = tac_engine_counters(b->engine);
    assert_int_equal(y.integration_steps, vehicles * x.integration_steps);
    assert_int_equal(y.rhs_evals, vehicles * x.rhs_evals);
    assert_int_equal(y.undone, 0);
}

// --- what the base is ---------------------------------------------------------------------------

static void test_base(void **state)
{
    (void)state;
    // Five running digests: the island's, the output's, and those of the three discrete signals.
    // And one of each component as it stands.
    size_t count;
    tac_engine_hash(base.engine, "base.*", &count);
    assert_int_equal(count, 5 + 4);
    tac_engine_hash(base.engine, "base.*#end", &count);
    assert_int_equal(count, 4);
    const uint64_t of_body = bench_digest(&base, "base.body#state");
    static const tac_time axes[] = {4000, 10000, 20000};
    assert_int_equal(tac_engine_counters(base.engine).integration_steps,
                     count_steps(axes, 3, 3000));
    // The digests do tell: another seed is another run.
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = END;
    def.integrator.h_max_us = 3000;
    def.seed = 2;
    bench_begin(&b, &def);
    bench_group(&b, "ms4", 4000, 0);
    bench_group(&b, "ms10", 10000, 0);
    bench_group(&b, "ms20", 20000, 0);
    add_vehicle(&b, "base");
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    assert_true(bench_digest(&b, "base.body#state") != of_body);
    assert_true(bench_digest(&b, "base.wind.w") != bench_digest(&base, "base.wind.w"));
    assert_true(bench_hash(&b, NULL) != bench_hash(&base, NULL));
    bench_end(&b);
}

static void test_repeat(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    add_vehicle(&b, "base");
    run_and_compare(&b);
    assert_true(bench_hash(&b, NULL) == bench_hash(&base, NULL));
    same_work(&b, 1);
    bench_end(&b);
}

// --- (a) another vehicle ------------------------------------------------------------------------

static void test_second_vehicle(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        bench b;
        begin(&b);
        if (first)
            add_vehicle(&b, "other");
        add_vehicle(&b, "base");
        if (!first)
            add_vehicle(&b, "other");
        run_and_compare(&b);
        same_work(&b, 2);
        // Streams are keyed by name: the other one flies in other wind.
        assert_true(bench_read(&b, "other.wind.w") != bench_read(&b, "base.wind.w"));
        assert_true(bench_read(&b, "other.body.p") != bench_read(&b, "base.body.p"));
        bench_end(&b);
    }
}

// Even in the very same groups, with a plant that is stepped at other instants.
static void test_vehicle_with_other_rates(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    bench_entity(&b, "odd");
    bench_group(&b, "us777", 777, 5);
    bench_add(&b, &(probe){.entity = "odd",
                           .name = "p",
                           .group = "us777",
                           .in = {"u"},
                           .out = {"~y"},
                           .x = {"x"},
                           .p = {-1, 1},
                           .derive = linear_derive,
                           .output = linear_output,
                           .step = probe_copy,
                           .silent = true});
    bench_add(&b,
              &(probe){.entity = "odd", .name = "c", .group = "ms4", .out = {"n"}, .silent = true});
    add_vehicle(&b, "base");
    bench_route(&b, "odd.p.u", "c.n");
    run_and_compare(&b);
    bench_end(&b);
}

// --- (b) observers ------------------------------------------------------------------------------

static void look_at_everything(void *context, tac_engine *engine, tac_time t_us)
{
    (void)t_us;
    for (size_t i = 0; i < tac_engine_signal_count(engine); i++)
        assert_non_null(tac_engine_read(engine, (int)i));
    tac_engine_hash(engine, NULL, NULL);
    ++*(uint64_t *)context;
}

static void test_observer(void **state)
{
    (void)state;
    static const tac_time periods[] = {7000, 333, 1, 4000};
    for (int i = 0; i < 4; i++) {
        bench b;
        uint64_t calls = 0;
        begin(&b);
        tac_observer_def def = tac_observer_def_default();
        def.period_us = periods[i];
        def.observe = look_at_everything;
        def.context = &calls;
        assert_int_equal(tac_engine_add_observer(b.engine, &def, &b.err), TAC_OK);
        add_vehicle(&b, "base");
        run_and_compare(&b);
        same_work(&b, 1);
        assert_int_equal(calls, END / periods[i] + 1);
        const tac_counters x = tac_engine_counters(base.engine), y = tac_engine_counters(b.engine);
        assert_memory_equal(&x, &y, sizeof x);
        assert_true(bench_hash(&b, NULL) == bench_hash(&base, NULL));
        bench_end(&b);
    }
}

// --- (b') sensors that nobody reads -------------------------------------------------------------

// A chain of them on odd axes, in the vehicle's own entity: no path leads from it to anything but
// an observer, so it is one, and reads between the boundaries of what it looks at.
static void test_unread_chain(void **state)
{
    (void)state;
    for (int watched = 0; watched < 2; watched++) {
        bench b;
        begin(&b);
        bench_group(&b, "odd", 777, 13);
        bench_group(&b, "odder", 5003, 0);
        add_vehicle(&b, "base");
        bench_entity(&b, "more");
        bench_add(&b, &(probe){.entity = "more",
                               .name = "gps",
                               .group = "odd",
                               .stage = "estimate",
                               .in = {"y", "v"},
                               .out = {"m", "w"},
                               .stream = "noise",
                               .step = sense});
        bench_add(&b, &(probe){.entity = "more",
                               .name = "filter",
                               .group = "odder",
                               .stage = "estimate",
                               .in = {"m"},
                               .out = {"n"},
                               .step = probe_copy});
        bench_route(&b, "more.gps.y", "base.body.y");
        bench_route(&b, "more.gps.v", "base.body.v");
        bench_route(&b, "more.filter.m", "more.gps.m");
        if (watched) {
            bench_add(&b,
                      &(probe){.name = "log", .group = "odder", .stage = "telemetry", .in = {"n"}});
            bench_route(&b, "log.n", "more.filter.n");
        }
        run_and_compare(&b);
        same_work(&b, 1);
        assert_int_equal(bench_count(&b, "more.filter", AT_STEP), END / 5003 + 1);
        char *text = tac_engine_explain(b.engine, TAC_FORMAT_TEXT);
        assert_non_null(strstr(strstr(text, "Observers"), "more.filter"));
        tac_text_free(text);
        bench_end(&b);
    }
    // Where something comes of it, it is read: the island is split on its axis.
    bench b;
    begin(&b);
    bench_group(&b, "odd", 777, 13);
    add_vehicle(&b, "base");
    bench_add(&b, &(probe){.name = "tell",
                           .group = "odd",
                           .in = {"y"},
                           .out = {"n"},
                           .tx = "tx",
                           .step = probe_copy});
    bench_route(&b, "tell.y", "base.body.y");
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    assert_true(bench_digest(&b, "base.body#state") != bench_digest(&base, "base.body#state"));
    bench_end(&b);
}

// --- (c) telemetry ------------------------------------------------------------------------------

static tac_status wake_odd(tac_step *s, const void *self)
{
    if (s->due)
        probe_step(s, self);
    return tac_wake_at(s, s->t_us + 333);
}

static void test_telemetry(void **state)
{
    (void)state;
    static const struct {
        const char *entity;
        tac_time period_us; // 0: by a timer, every 333 us
        bool hooks;
    } ways[] = {{"base", 7000, false}, {"", 7000, false}, {"base", 333, false}, {"", 333, false},
                {"base", 333, true},   {"", 333, true},   {"base", 0, false}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        bench b;
        begin(&b);
        bench_group(&b, "tm", ways[i].period_us ? ways[i].period_us : 333, 0);
        add_vehicle(&b, "base");
        const bool timer = ways[i].period_us == 0;
        probe *tm = bench_add(&b, &(probe){.entity = ways[i].entity,
                                           .name = "tm",
                                           .group = timer ? NULL : "tm",
                                           .stage = "telemetry",
                                           .in = {"p", "v", "y", "u", "m"},
                                           .flags = timer ? TAC_COMPONENT_TIMER : 0,
                                           .init = timer ? wake_odd : NULL,
                                           .step = timer ? wake_odd : NULL,
                                           .pre = ways[i].hooks,
                                           .post = ways[i].hooks});
        static const char *const from[] = {"base.body.p", "base.body.v", "base.body.y",
                                           "base.ctl.u", "base.imu.m"};
        static const char *const to[] = {"p", "v", "y", "u", "m"};
        for (int k = 0; k < 5; k++) {
            char name[128];
            snprintf(name, sizeof name, "%s.%s", tm->full, to[k]);
            if (k == 3)
                bench_delayed(&b, name, from[k]); // written after telemetry
            else
                bench_route(&b, name, from[k]);
        }
        if (ways[i].hooks) // they run where the entity has boundaries; those stay its own
            bench_add(
                &b,
                &(probe){.entity = ways[i].entity, .name = "odd", .group = "tm", .silent = true});
        run_and_compare(&b);
        same_work(&b, 1);
        if (!ways[i].hooks)
            assert_int_equal(tac_engine_counters(b.engine).boundaries,
                             tac_engine_counters(base.engine).boundaries);
        else
            assert_int_equal(bench_count(&b, tm->full, AT_POST),
                             *ways[i].entity ? tac_engine_counters(b.engine).boundaries
                                             : END / 333 + 2);
        // It sees one instant: y is p at every sample, also between the boundaries of the island.
        assert_true(tm->steps >= END / 7000);
        for (size_t k = 0; k < b.count; k++) {
            if (b.log[k].where == AT_STEP)
                assert_true(b.log[k].in[0] == b.log[k].in[2]);
        }
        // So do its hooks, where the entity has boundaries.
        for (size_t k = 0; ways[i].hooks && k < b.count; k++) {
            const bench_entry *e = &b.log[k];
            if (e->where != AT_STEP && e->t_us % 333 == 0)
                assert_true(e->in[0] == bench_at(&b, tm->full, AT_STEP, e->t_us)->in[0]);
        }
        bench_end(&b);
    }
}

// Watching with SYNCHRONIZED does not change the rate of what is watched.
static void test_synchronized_telemetry(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    bench_group(&b, "tm", 7000, 0);
    add_vehicle(&b, "base");
    bench_add(&b, &(probe){.name = "tm", .group = "tm", .stage = "telemetry", .in = {"u"}});
    tac_route_def r = tac_route_def_default();
    r.to = "tm.u";
    r.from = "base.imu.m";
    r.has_policy = true;
    r.policy = TAC_SYNCHRONIZED;
    assert_int_equal(tac_engine_add_route(b.engine, &r, &b.err), TAC_OK);
    run_and_compare(&b);
    same_work(&b, 1);
    bench_end(&b);
}

// --- (d) unrelated components -------------------------------------------------------------------

static void test_unrelated_component(void **state)
{
    (void)state;
    static const char *const entities[] = {"base", "", "else"};
    static const tac_time times[] = {1, 2, 77777, 123456};
    for (int i = 0; i < 3; i++) {
        for (int first = 0; first < 2; first++) {
            bench b;
            begin(&b);
            bench_entity(&b, "else");
            bench_group(&b, "odd", 777, 13);
            bench_times(&b, "times", times, 4);
            const bool before = first && i; // its entity must be there
            if (!before)
                add_vehicle(&b, "base");
            // With hooks, messages and timers of its own.
            bench_add(&b, &(probe){.entity = entities[i],
                                   .name = "x1",
                                   .group = "odd",
                                   .out = {"n"},
                                   .tx = "tx",
                                   .step = probe_send,
                                   .pre = true,
                                   .post = true,
                                   .silent = true});
            bench_add(&b, &(probe){.entity = entities[i],
                                   .name = "x2",
                                   .group = "times",
                                   .in = {"u"},
                                   .rx = "rx",
                                   .capacity = 64,
                                   .out = {"v"},
                                   .step = probe_listen,
                                   .silent = true});
            bench_add(&b, &(probe){.entity = entities[i],
                                   .name = "x3",
                                   .stage = "actuate",
                                   .flags = TAC_COMPONENT_TIMER,
                                   .init = wake_odd,
                                   .step = wake_odd,
                                   .silent = true});
            if (before)
                add_vehicle(&b, "base");
            char x1[32], x2[32], n[32];
            snprintf(n, sizeof n, "%s%sx1.n", entities[i], *entities[i] ? "." : "");
            snprintf(x1, sizeof x1, "%s%sx1.tx", entities[i], *entities[i] ? "." : "");
            snprintf(x2, sizeof x2, "%s%sx2.u", entities[i], *entities[i] ? "." : "");
            bench_route(&b, x2, n);
            snprintf(x2, sizeof x2, "%s%sx2.rx", entities[i], *entities[i] ? "." : "");
            bench_link(&b, x1, x2, 41);
            run_and_compare(&b);
            same_work(&b, 1);
            assert_true(tac_engine_counters(b.engine).messages > 300);
            bench_end(&b);
        }
    }
}

// Readers of discrete signals, at any rate, change nothing either.
static void test_reader_of_discrete_signals(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    bench_group(&b, "odd", 777, 0);
    add_vehicle(&b, "base");
    bench_add(&b, &(probe){.entity = "base",
                           .name = "log",
                           .group = "odd",
                           .in = {"u", "m", "w"},
                           .silent = true});
    bench_route(&b, "base.log.u", "ctl.u");
    bench_route(&b, "base.log.m", "imu.m");
    bench_route(&b, "base.log.w", "wind.w");
    run_and_compare(&b);
    same_work(&b, 1);
    bench_end(&b);
}

// --- (e) more random streams --------------------------------------------------------------------

static void test_more_streams(void **state)
{
    (void)state;
    static const char *const entities[] = {"base", ""};
    for (int i = 0; i < 2; i++) {
        bench b;
        begin(&b);
        if (i)
            bench_add(&b, &(probe){.name = "dice0",
                                   .group = "ms4",
                                   .stage = "environment",
                                   .out = {"n"},
                                   .stream = "gust",
                                   .step = probe_noise,
                                   .silent = true});
        add_vehicle(&b, "base");
        bench_add(&b, &(probe){.entity = entities[i],
                               .name = "dice",
                               .group = "ms4",
                               .stage = "environment",
                               .out = {"n"},
                               .stream = "gust",
                               .step = probe_noise,
                               .silent = true});
        bench_add(&b, &(probe){.entity = entities[i],
                               .name = "dice2",
                               .group = "ms20",
                               .stage = "environment",
                               .out = {"n"},
                               .stream = "noise",
                               .step = probe_noise,
                               .silent = true});
        run_and_compare(&b);
        bench_end(&b);
    }
}

// --- (f) looking midway -------------------------------------------------------------------------

static void test_digests_read_midway(void **state)
{
    (void)state;
    bench b;
    begin(&b);
    add_vehicle(&b, "base");
    bench_prepare(&b);
    uint64_t last = 0;
    for (tac_time t = 0; t <= END; t += 1234) {
        bench_run(&b, t);
        const uint64_t hash = bench_hash(&b, "base.body*");
        assert_true(hash == bench_hash(&b, "base.body*")); // reading leaves no trace
        assert_true(t % 4000 >= 1234 || hash != last);
        last = hash;
        bench_read(&b, "base.body.y");
    }
    bench_run(&b, TAC_TIME_MAX);
    bench_same_digests(&base, &b, "base.*");
    same_work(&b, 1);
    bench_end(&b);
}

// Digests are in order of name, also where the names of two components mix: 'uav' at the root has
// signals on both sides of those of 'uav.Nav'.
static void test_digests_in_order(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_entity(&b, "uav");
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.entity = "uav", .name = "Nav", .group = "g", .out = {"speed"}});
    bench_add(&b, &(probe){.name = "uav", .group = "g", .out = {"Nav.a", "Nav.zz"}});
    bench_add(&b, &(probe){.name = "ua", .group = "g", .out = {"v"}, .tx = "tx"});
    bench_prepare(&b);
    char last[64] = "";
    uint64_t digest;
    size_t count = 0;
    for (const char *name; (name = tac_engine_digest(b.engine, count, &digest)); count++) {
        assert_true(strcmp(last, name) < 0);
        snprintf(last, sizeof last, "%s", name);
    }
    assert_int_equal(count, 4 + 1 + 3); // signals, a port, and the ends of components
    bench_end(&b);
}

static void test_without_digests(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = END;
    def.integrator.h_max_us = 3000;
    def.digests = false;
    bench_begin(&b, &def);
    bench_group(&b, "ms4", 4000, 0);
    bench_group(&b, "ms10", 10000, 0);
    bench_group(&b, "ms20", 20000, 0);
    add_vehicle(&b, "base");
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    assert_true(bench_read(&b, "base.body.p") == bench_read(&base, "base.body.p"));
    assert_true(bench_read(&b, "base.imu.m") == bench_read(&base, "base.imu.m"));
    same_work(&b, 1);
    bench_end(&b);
}

// --- what does split an island ------------------------------------------------------------------

static void test_reader_splits(void **state)
{
    (void)state;
    static const char *const signals[] = {"base.body.p", "base.body.y"};
    for (int i = 0; i < 2; i++) {
        bench b;
        begin(&b);
        bench_group(&b, "ms7", 7000, 0);
        add_vehicle(&b, "base");
        bench_add(&b, &(probe){.name = "r", .group = "ms7", .in = {"p"}, .silent = true});
        bench_route(&b, "r.p", signals[i]);
        bench_prepare(&b);
        bench_run(&b, TAC_TIME_MAX);
        static const tac_time axes[] = {4000, 10000, 20000, 7000};
        const uint64_t steps = tac_engine_counters(b.engine).integration_steps;
        assert_int_equal(steps, count_steps(axes, 4, 3000));
        assert_true(steps > tac_engine_counters(base.engine).integration_steps);
        assert_true(bench_digest(&b, "base.body#state") != bench_digest(&base, "base.body#state"));
        // Nothing but the error of integration lies between them.
        assert_true(fabs(bench_read(&b, "base.body.p") - bench_read(&base, "base.body.p")) < 1e-6);
        // The wind, which does not depend on the body, keeps its bits.
        assert_true(bench_digest(&b, "base.wind.w") == bench_digest(&base, "base.wind.w"));
        bench_end(&b);
    }
}

static void test_writer_splits(void **state)
{
    (void)state;
    // One plant with two inputs, one of which is written every 7 ms.
    for (int second = 0; second < 2; second++) {
        bench b;
        begin(&b);
        bench_group(&b, "ms7", 7000, 0);
        bench_add(
            &b,
            &(probe){
                .name = "p", .in = {"u", "?w"}, .x = {"x"}, .p = {-1, 1}, .derive = linear_derive});
        bench_add(&b, &(probe){.name = "c", .group = "ms10", .out = {"n"}, .silent = true});
        bench_add(&b, &(probe){.name = "d", .group = "ms7", .out = {"n"}, .silent = true});
        bench_route(&b, "p.u", "c.n");
        if (second)
            bench_route(&b, "p.w", "d.n");
        bench_prepare(&b);
        bench_run(&b, TAC_TIME_MAX);
        static const tac_time axes[] = {10000, 7000};
        assert_int_equal(tac_engine_counters(b.engine).integration_steps,
                         count_steps(axes, second ? 2 : 1, 3000));
        bench_end(&b);
    }
}

// --- samples between boundaries -----------------------------------------------------------------

// x' = -x, boundaries every 50 ms, steps of 10 ms; or one step of 50 ms.
static void watch(bench *b, tac_time h_max_us, bool seven, bool fine, bool telemetry)
{
    tac_engine_def def = tac_engine_def_default();
    def.end_us = END;
    def.integrator.h_max_us = h_max_us;
    bench_begin(b, &def);
    bench_group(b, "slow", 50000, 0);
    bench_group(b, "ms7", 7000, 0);
    bench_add(b, &(probe){.name = "p",
                          .in = {"u"},
                          .out = {"y"},
                          .x = {"x"},
                          .p = {-1, 1, 0, 1},
                          .init = linear_init,
                          .derive = linear_derive,
                          .output = linear_output});
    bench_add(
        b, &(probe){
               .name = "c", .group = "slow", .out = {"zero"}, .step = probe_copy, .silent = true});
    bench_route(b, "p.u", "c.zero");
    if (seven)
        bench_observe(b, "seven", 7000, 0, "p.x");
    if (fine)
        bench_observe(b, "fine", 333, 0, "p.y");
    if (telemetry) {
        bench_add(b,
                  &(probe){.name = "tm", .group = "ms7", .stage = "telemetry", .in = {"x", "y"}});
        bench_route(b, "tm.x", "p.x");
        bench_route(b, "tm.y", "p.y");
    }
    bench_prepare(b);
    bench_run(b, TAC_TIME_MAX);
}

static void test_samples_are_accurate(void **state)
{
    (void)state;
    bench bare, b;
    watch(&bare, 10000, false, false, false);
    watch(&b, 10000, true, true, true);
    size_t between = 0;
    for (size_t i = 0; i < b.count; i++) {
        const bench_entry *e = &b.log[i];
        const double exact = exp(-(double)e->t_us / 1e6);
        // The local error of a step of 10 ms is h^5 / 120.
        if (!(fabs(e->in[0] - exact) < 1e-10))
            fail_msg("at %llu us: %.15g, not %.15g", (unsigned long long)e->t_us, e->in[0], exact);
        if (e->where == AT_STEP)
            assert_true(e->in[0] == e->in[1]);
        between += e->t_us % 50000 != 0;
    }
    assert_true(between > 900);
    tac_counters x = tac_engine_counters(bare.engine), y = tac_engine_counters(b.engine);
    assert_int_equal(x.integration_steps, END / 10000);
    y.steps = x.steps; // those of telemetry count
    assert_memory_equal(&x, &y, sizeof x);
    bench_same_digests(&bare, &b, "*");
    bench_end(&bare);
    bench_end(&b);
}

// A sample depends on nobody else who looks, and the observer and telemetry see the same.
static void test_samples_do_not_depend_on_each_other(void **state)
{
    (void)state;
    static const tac_time h_max[] = {10000, 50000, 9973};
    for (int i = 0; i < 3; i++) {
        bench alone, crowd;
        watch(&alone, h_max[i], true, false, false);
        watch(&crowd, h_max[i], true, true, true);
        for (tac_time t = 0; t <= END; t += 7000) {
            const double x = bench_at(&alone, "seven", AT_OBSERVER, t)->in[0];
            const double y = bench_at(&crowd, "seven", AT_OBSERVER, t)->in[0];
            const double z = bench_at(&crowd, "tm", AT_STEP, t)->in[0];
            assert_memory_equal(&x, &y, sizeof x);
            assert_memory_equal(&x, &z, sizeof x);
        }
        bench_end(&alone);
        bench_end(&crowd);
    }
}

// --- senders are numbered where they are heard --------------------------------------------------

static void two_radios(bench *b, bool stranger)
{
    bench_begin(b, NULL);
    bench_group(b, "g", 100000, 0);
    bench_entity(b, "uav");
    bench_entity(b, "other");
    if (stranger) { // declared first, and talking to somebody else
        bench_add(
            b,
            &(probe){.entity = "other", .name = "tx", .group = "g", .tx = "t", .step = probe_send});
        bench_add(b, &(probe){.entity = "other",
                              .name = "rx",
                              .rx = "r",
                              .out = {"y", "sum", "n", "who"},
                              .step = probe_listen});
        bench_link(b, "other.tx.t", "other.rx.r", 500);
    }
    bench_add(b,
              &(probe){.entity = "uav", .name = "tx", .group = "g", .tx = "t", .step = probe_send});
    bench_add(b, &(probe){.entity = "uav",
                          .name = "rx",
                          .rx = "r",
                          .out = {"y", "sum", "n", "who"},
                          .step = probe_listen});
    bench_link(b, "uav.tx.t", "uav.rx.r", 700);
    bench_prepare(b);
    bench_run(b, TAC_TIME_MAX);
}

static void test_foreign_senders_change_no_number(void **state)
{
    (void)state;
    bench alone, crowded;
    two_radios(&alone, false);
    two_radios(&crowded, true);
    bench_same_digests(&alone, &crowded, "uav.*");
    assert_true(bench_read(&crowded, "uav.rx.who") == 0);
    bench_end(&alone);
    bench_end(&crowded);
}

// --- whoever watches cannot stop the run --------------------------------------------------------

// Fails when it is evaluated at 0.45 ms, where only an observer looks.
static tac_status shy_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = 1;
    return e->t_s == 0.00045 ? TAC_E_NUMERIC : TAC_OK;
}

static int warnings;

static void count_warnings(void *context, const tac_log_entry *entry)
{
    (void)context;
    warnings += entry->level == TAC_LOG_WARN && strstr(entry->text, "'body.x'") != NULL;
}

static void test_a_failing_look_stops_nothing(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 1000;
    def.log = count_warnings;
    warnings = 0;
    bench_begin(&b, &def);
    bench_times(&b, "look", (tac_time[]){450, 600}, 2);
    bench_add(&b, &(probe){.name = "body", .x = {"x"}, .init = linear_init, .derive = shy_derive});
    bench_add(&b, &(probe){.name = "eye", .stage = "telemetry", .group = "look", .in = {"u"}});
    bench_route(&b, "eye.u", "body.x");
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    assert_int_equal(warnings, 1);
    assert_int_equal(bench_count(&b, "eye", AT_STEP), 1);
    assert_true(bench_find(&b, "eye", AT_STEP, 0)->t_us == 600);
    assert_true(tac_engine_finished(b.engine));
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_repeat),
        cmocka_unit_test(test_second_vehicle),
        cmocka_unit_test(test_vehicle_with_other_rates),
        cmocka_unit_test(test_observer),
        cmocka_unit_test(test_unread_chain),
        cmocka_unit_test(test_telemetry),
        cmocka_unit_test(test_synchronized_telemetry),
        cmocka_unit_test(test_unrelated_component),
        cmocka_unit_test(test_reader_of_discrete_signals),
        cmocka_unit_test(test_more_streams),
        cmocka_unit_test(test_digests_read_midway),
        cmocka_unit_test(test_digests_in_order),
        cmocka_unit_test(test_without_digests),
        cmocka_unit_test(test_reader_splits),
        cmocka_unit_test(test_writer_splits),
        cmocka_unit_test(test_samples_are_accurate),
        cmocka_unit_test(test_samples_do_not_depend_on_each_other),
        cmocka_unit_test(test_foreign_senders_change_no_number),
        cmocka_unit_test(test_a_failing_look_stops_nothing),
    };
    return cmocka_run_group_tests(tests, run_base, end_base);
}
