// Scenarios in a running engine: what events do, exactly when, in which order, and what is refused.
#include "engine/test_rig.h"

#include <math.h>

// --- a rig with a log -----------------------------------------------------------------------

typedef struct entry {
    tac_time t_us;
    char component[64], text[128];
} entry;

static entry logged[256];
static size_t logged_count;

static void keep_log(void *context, const tac_log_entry *e)
{
    (void)context;
    if (strstr(e->text, "this has no effect")) // faults of this rig lead nowhere
        return;
    if (logged_count == 256)
        fail_msg("too many entries in the log");
    entry *l = &logged[logged_count++];
    l->t_us = e->t_us;
    snprintf(l->component, sizeof l->component, "%s", e->component);
    snprintf(l->text, sizeof l->text, "%s", e->text);
}

// A component with a parameter that can be set, and the value that it sees.
static tac_status tunable_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_param_input(d, TAC_PARAM(.name = "cruise_speed", .unit = "m/s", .fallback = "5 m/s"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .unit = "m/s"));
    return TAC_OK;
}

static tac_status tunable_step(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = *TAC_IN(s, double, 0);
    return TAC_OK;
}

static const tac_component_type tunable_type = {.size = sizeof(tac_component_type),
                                                .name = "tunable",
                                                .version = "1",
                                                .stage = TAC_STAGE_CONTROL,
                                                .declare = tunable_declare,
                                                .step = tunable_step};

// A ramp y = t / 1 s in a later stage, NaN from `nan` on; and a condition.
static tac_status ramp_declare(tac_declare *d, void *self)
{
    *(tac_time *)self = tac_param_time(d, TAC_PARAM(.name = "nan", .fallback = "1 h"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .unit = "m"));
    tac_declare_output(d, TAC_PORT(.name = "high", .type = TAC_TYPE_BOOL));
    return TAC_OK;
}

static tac_status ramp_step(tac_step *s, const void *self)
{
    const double y = s->t_us >= *(const tac_time *)self ? (double)NAN : tac_time_seconds(s->t_us);
    *TAC_OUT(s, double, 0) = y;
    *TAC_OUT(s, bool, 1) = (s->t_us / 100000) % 2;
    return TAC_OK;
}

static const tac_component_type ramp_type = {.size = sizeof(tac_component_type),
                                             .name = "ramp",
                                             .version = "1",
                                             .stage = TAC_STAGE_ESTIMATE,
                                             .self_size = sizeof(tac_time),
                                             .declare = ramp_declare,
                                             .step = ramp_step};

// Part of the plant: x'' = -w^2 x, from x = 1; and an output that nothing else needs.
static tac_status swing_declare(tac_declare *d, void *self)
{
    *(double *)self = tac_param_f64(d, TAC_PARAM(.name = "w", .fallback = "10"));
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_F64, .unit = "m"));
    tac_declare_continuous(d, TAC_PORT(.name = "v", .type = TAC_TYPE_F64, .unit = "m/s"));
    tac_declare_output(d, TAC_PORT(.name = "low", .type = TAC_TYPE_BOOL));
    return TAC_OK;
}

static tac_status swing_init(tac_step *s, const void *self)
{
    (void)self;
    tac_jump(s)[0] = 1;
    return TAC_OK;
}

static tac_status swing_derive(const tac_eval *e, const void *self)
{
    const double w = *(const double *)self;
    e->dx[0] = e->x[1];
    e->dx[1] = -w * w * e->x[0];
    return TAC_OK;
}

static tac_status swing_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, bool, 0) = e->x[0] < 0;
    return TAC_OK;
}

static const tac_component_type swing_type = {.size = sizeof(tac_component_type),
                                              .name = "swing",
                                              .version = "1",
                                              .self_size = sizeof(double),
                                              .declare = swing_declare,
                                              .init = swing_init,
                                              .output = swing_output,
                                              .derive = swing_derive};

static const tac_component_type hill_type;

// Line 10 of the file is the first event.
static const char head[] =
    "duration: 2 s\n"
    "scheduler: {rate_groups: [{name: g, rate_hz: 250, components: ['*']}]}\n"
    "components:\n"
    "  body: {type: ramp}\n"
    "  control: {type: tunable}\n"
    "  scenario:\n"
    "    type: scenario\n"
    "    params: {motors: 4, batteries: 2, "
    "signals: [{name: flag}, {name: far, unit: km, initial: 500 m}]}\n"
    "scenario:\n";

static const char *file(const char *events)
{
    static char text[8192];
    snprintf(text, sizeof text, "%s%s", head, events);
    return text;
}

static tac_status try_open(rig *r, const char *text)
{
    *r = (rig){0};
    tac_error_clear(&r->err);
    logged_count = 0;
    assert_int_equal(tac_registry_create(NULL, &r->registry, &r->err), TAC_OK);
    assert_int_equal(tac_registry_add(r->registry, &tunable_type, &r->err), TAC_OK);
    assert_int_equal(tac_registry_add(r->registry, &ramp_type, &r->err), TAC_OK);
    assert_int_equal(tac_registry_add(r->registry, &swing_type, &r->err), TAC_OK);
    assert_int_equal(tac_registry_add(r->registry, &hill_type, &r->err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = r->registry;
    const tac_status status =
        tac_config_parse("test.yaml", text, strlen(text), &def, &r->config, &r->err);
    if (status != TAC_OK)
        return status;
    tac_engine_def engine_def = tac_config_engine_def(r->config);
    engine_def.log = keep_log;
    return tac_config_build(r->config, &engine_def, &r->engine, &r->err);
}

static void open_events(rig *r, const char *events)
{
    if (try_open(r, file(events)) != TAC_OK) {
        rig_show(r);
        fail_msg("cannot be built");
    }
}

static void run_all(rig *r, const char *events)
{
    open_events(r, events);
    rig_run(r, TAC_TIME_NEVER);
}

static void log_is(size_t i, tac_time t_us, const char *text)
{
    if (i >= logged_count)
        fail_msg("only %zu entries in the log; expected '%s'", logged_count, text);
    if (logged[i].t_us != t_us || strcmp(logged[i].text, text))
        fail_msg("entry %zu: '%s' at %llu us, expected '%s' at %llu us", i, logged[i].text,
                 (unsigned long long)logged[i].t_us, text, (unsigned long long)t_us);
}

static bool is_armed(rig *r)
{
    return *(const bool *)rig_read(r, "scenario.arm");
}

static int32_t enum_of(rig *r, const char *signal)
{
    return *(const int32_t *)rig_read(r, signal);
}

static double element(rig *r, const char *signal, int i)
{
    return ((const double *)rig_read(r, signal))[i];
}

// --- when -----------------------------------------------------------------------------------

static void test_exact_time(void **state)
{
    (void)state;
    rig r;
    open_events(&r, "- {at: 1.234567 s, do: arm}\n");
    rig_run(&r, 1234566);
    assert_false(is_armed(&r));
    rig_run(&r, 1234567);
    assert_true(is_armed(&r));
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(logged_count, 1);
    log_is(0, 1234567, "arm (at 1.234567 s)");
    assert_string_equal(logged[0].component, "scenario");
    rig_close(&r);

    run_all(&r, "- {at: 0 s, do: arm}\n- {at: 2 s, do: disarm}\n"); // both ends of the run
    assert_int_equal(logged_count, 2);
    log_is(0, 0, "arm (at 0 s)");
    log_is(1, 2000000, "disarm (at 2 s)");
    rig_close(&r);
}

static void test_step_number(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {at_step: 0, do: arm}\n- {at_step: 3, do: disarm}\n");
    log_is(0, 0, "arm (at step 0)");
    log_is(1, 12000, "disarm (at step 3)");
    rig_close(&r);
    // With an offset; instants between steps are not counted.
    const char *offset = "duration: 1 s\n"
                         "scheduler: {rate_groups: [{name: g, rate_hz: 250, offset: 1 ms, "
                         "components: ['*']}]}\n"
                         "components: {scenario: {type: scenario}}\n"
                         "scenario:\n"
                         "- {at: 2500 us, do: log, text: between}\n"
                         "- {at_step: 0, do: arm}\n- {at_step: 3, do: disarm}\n";
    assert_int_equal(try_open(&r, offset), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 1000, "arm (at step 0)");
    log_is(1, 2500, "between (at 2.5 ms)");
    log_is(2, 13000, "disarm (at step 3)");
    rig_close(&r);
}

static void test_every(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {at: 100001 us, every: 0.7 s, do: log, text: a}\n"
                "- {at: 0.2 s, every: 0.1 s, times: 3, do: log, text: b}\n");
    static const tac_time expected[] = {100001, 200000, 300000, 400000, 800001, 1500001};
    assert_int_equal(logged_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(logged[i].t_us, expected[i]);
    log_is(4, 800001, "a (at 100.001 ms, every 700 ms)");
    rig_close(&r);
}

// The ramp is written in a later stage, so that it is seen one step late.
static void test_conditions(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {when: body.y >= 0.5, do: log, text: once}\n"
                "- {when: body.high, repeat: true, do: log, text: each}\n"
                "- {when: body.high, repeat: true, times: 2, do: log, text: twice}\n"
                "- {when: NOT body.high AND body.y > 110 cm, after: 1234 us, do: log, text: late}\n"
                "- {when: t >= 1.9, do: log, text: time}\n");
    size_t i = 0;
    for (unsigned k = 1; k < 20; k += 2) {
        const tac_time turned_us = 100000 * k + 4000;
        log_is(i++, turned_us, "each (when body.high)");
        if (k <= 3)
            log_is(i++, turned_us, "twice (when body.high)");
        if (k == 3)
            log_is(i++, 504000, "once (when body.y >= 0.5)");
        if (k == 11)
            log_is(i++, 1205234, "late (when NOT body.high AND body.y > 110 cm, 1.234 ms later)");
        if (k == 17)
            log_is(i++, 1900000, "time (when t >= 1.9)");
    }
    assert_int_equal(logged_count, i);
    rig_close(&r);
}

// The times of other events are no steps: conditions are not looked at there.
static void test_independence(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {when: t > 1, do: arm}\n");
    log_is(0, 1004000, "arm (when t > 1)");
    rig_close(&r);
    run_all(&r, "- {when: t > 1, do: arm}\n- {at: 1000001 us, do: log, text: x}\n");
    log_is(0, 1000001, "x (at 1.000001 s)");
    log_is(1, 1004000, "arm (when t > 1)");
    rig_close(&r);
}

// A held() ends at exactly its microsecond; the others are seen at steps. body.high is true every
// other tenth of a second, and seen one step late.
static void test_remembering(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {when: 'held(body.high, 12345 us)', repeat: true, do: log, text: held}\n"
                "- {when: 'held(body.high, 99 ms)', do: log, text: never}\n"
                "- {when: 'held(body.high, 0.1 s) OR t < 0', do: log, text: never}\n"
                "- {when: rising(body.high), repeat: true, do: log, text: rises}\n"
                "- {when: falling(body.high), repeat: true, do: log, text: falls}\n"
                "- {when: since(body.high) > 50 ms, repeat: true, do: log, text: since}\n"
                "- {at: 110001 us, do: log, text: between}\n"
                "- {at: 117001 us, do: log, text: after}\n");
    static const struct {
        tac_time t_us;
        const char *text;
    } each[] = {{4000, "rises"}, {16345, "held"}, {56000, "since"}, {104000, "falls"}};
    size_t i = 0;
    for (unsigned k = 1; k < 20; k += 2) {
        for (size_t n = 0; n < 4 && 100000 * k + each[n].t_us <= 2000000; n++) {
            if (i == 1)
                log_is(i++, 110001, "between (at 110.001 ms)");
            if (i == 3)
                log_is(i++, 117001, "after (at 117.001 ms)");
            assert_int_equal(logged[i].t_us, 100000 * k + each[n].t_us);
            assert_memory_equal(logged[i].text, each[n].text, strlen(each[n].text));
            i++;
        }
    }
    assert_int_equal(logged_count, i);
    rig_close(&r);
}

// --- located --------------------------------------------------------------------------------

static const char *swings(const char *events)
{
    static char text[8192];
    snprintf(text, sizeof text,
             "duration: 2 s\n"
             "plant: {integrator: {kind: dop853, rtol: 1e-10}}\n"
             "scheduler: {rate_groups: [{name: g, rate_hz: 250, components: ['*']}]}\n"
             "components:\n"
             "  body: {type: ramp}\n"
             "  swing: {type: swing}\n"
             "  other: {type: swing, params: {w: 7}}\n"
             "  scenario: {type: scenario, params: {motors: 1}}\n"
             "scenario:\n%s",
             events);
    return text;
}

static void open_swings(rig *r, const char *events)
{
    if (try_open(r, swings(events)) != TAC_OK) {
        rig_show(r);
        fail_msg("cannot be built");
    }
}

// The first microsecond after t.
static tac_time after_s(double t_s)
{
    return (tac_time)floor(t_s * 1e6) + 1;
}

// x = cos(10 t): below 0 first at pi / 20, then every pi / 5; below -0.9999 for 2.8 ms each time,
// often between two steps.
static void test_located(void **state)
{
    (void)state;
    const double pi = acos(-1);
    rig r;
    open_swings(&r, "- {when: swing.x < 0, locate: true, do: log, text: once}\n"
                    "- {when: swing.x < 0, do: log, text: step}\n"
                    "- {when: swing.low, locate: true, repeat: true, do: log, text: each}\n"
                    "- {when: swing.x < -0.9999, locate: true, repeat: true, do: log, text: tip}\n"
                    "- {when: swing.x < 0, locate: true, repeat: true, times: 2, after: 1234 us, "
                    "do: motor_off, motor: 1, for: 10 ms}\n"
                    "- {when: swing.x < 0.5, locate: true, do: log, text: half}\n"
                    "- {when: swing.x < -0.5, locate: true, repeat: true, after: 0.7 s, do: log, "
                    "text: late}\n");
    rig_run(&r, TAC_TIME_NEVER);
    size_t i = 0;
    for (int k = 0; k < 3; k++) {
        const tac_time zero_us = after_s(pi / 20 + k * pi / 5);
        if (k == 0)
            log_is(i++, after_s(pi / 30), "half (when swing.x < 0.5)");
        if (k == 0)
            log_is(i++, zero_us, "once (when swing.x < 0)");
        log_is(i++, zero_us, "each (when swing.low)");
        if (k < 2)
            log_is(i++, zero_us + 1234, "motor_off motor 1 (when swing.x < 0, 1.234 ms later)");
        if (k == 0)
            log_is(i++, 160000, "step (when swing.x < 0)");
        if (k < 2)
            log_is(i++, zero_us + 11234, "motor_off motor 1 ends (after 10 ms)");
        if (k == 1)
            log_is(i++, after_s(pi / 15) + 700000, "late (when swing.x < -0.5, 700 ms later)");
        log_is(i++, after_s(acos(-0.9999) / 10 + k * pi / 5), "tip (when swing.x < -0.9999)");
    }
    assert_int_equal(logged_count, i);
    // Steps; three times at 0 and at the tip, once at 0.5, twice at -0.5, as it waits the other
    // time; three delays and two ends.
    assert_int_equal(tac_engine_counters(r.engine).boundaries, 501 + 3 + 3 + 1 + 2 + 3 + 2);
    rig_close(&r);
}

// Up and down and up again between two steps: each time.
static void test_located_often(void **state)
{
    (void)state;
    rig r;
    assert_int_equal(
        try_open(&r, "duration: 20 ms\n"
                     "plant: {integrator: {kind: dop853, rtol: 1e-10}}\n"
                     "scheduler: {rate_groups: [{name: g, rate_hz: 250, components: ['*']}]}\n"
                     "components:\n"
                     "  swing: {type: swing, params: {w: 5000}}\n"
                     "  scenario: {type: scenario}\n"
                     "scenario:\n"
                     "- {when: swing.x > 0.5, locate: true, repeat: true, do: log, text: up}\n"),
        TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    // It is up at the first step, then once in each of the 16 turns that follow.
    log_is(0, 0, "up (when swing.x > 0.5)");
    assert_int_equal(logged_count, 17);
    for (int k = 1; k < 17; k++) {
        const double t_s = (2 * k - 1.0 / 3) * acos(-1) / 5000;
        assert_true(fabs((double)logged[k].t_us - t_s * 1e6) < 2);
    }
    rig_close(&r);
}

// Looks in steps go on: what is true at the first one happens there, and what others write counts
// where it is seen. body.high is false for the first tenth of a second, then true for another.
static void test_located_and_looked_at(void **state)
{
    (void)state;
    rig r;
    open_swings(&r, "- {when: swing.x > 0, locate: true, do: log, text: now}\n"
                    "- {when: swing.x < 0.9 AND body.high, locate: true, do: log, text: seen}\n"
                    "- {when: swing.x < 0.4 AND body.high, locate: true, do: log, text: found}\n"
                    "- {when: swing.x < 0 AND t > 157 ms, locate: true, do: log, text: timed}\n");
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 0, "now (when swing.x > 0)");
    log_is(1, 104000, "seen (when swing.x < 0.9 AND body.high)");
    log_is(2, after_s(acos(0.4) / 10), "found (when swing.x < 0.4 AND body.high)");
    log_is(3, after_s(acos(-1) / 20), "timed (when swing.x < 0 AND t > 157 ms)");
    assert_int_equal(logged_count, 4);
    rig_close(&r);
}

static void test_located_checkpoint(void **state)
{
    (void)state;
    static const char events[] =
        "- {when: swing.low, locate: true, repeat: true, do: gust, wind: [1, 2, 3], for: 7 ms}\n"
        "- {when: other.x < 0.5, locate: true, repeat: true, after: 3333 us, do: motor_off, "
        "motor: 1, for: 50 ms}\n";
    static const tac_time times[] = {0, 149000, 157079, 157080, 160000, 164080, 700000, 1999999};
    char path[] = "/tmp/tactus_scenario_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    rig r;
    open_swings(&r, events);
    rig_run(&r, TAC_TIME_NEVER);
    const uint64_t expected = tac_engine_hash(r.engine, NULL, NULL);
    const size_t entries = logged_count;
    assert_in_range(entries, 10, 20);
    rig_close(&r);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        open_swings(&r, events);
        assert_int_equal(tac_engine_checkpoint_at(r.engine, times[i], path, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        assert_true(tac_engine_hash(r.engine, NULL, NULL) == expected);
        rig_close(&r);
        open_swings(&r, events);
        assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        if (tac_engine_hash(r.engine, NULL, NULL) != expected)
            fail_msg("other bits after a checkpoint at %llu us", (unsigned long long)times[i]);
        rig_close(&r);
    }
    unlink(path);
}

static void test_labels(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {at: 1 s, do: start_mission}\n- {at: 1.5 s, do: land}\n"
                "- {when: scenario.mode == mission, do: log, text: flies}\n"
                "- {when: \"scenario.mode == 'land' AND rising(scenario.mode != mission)\", "
                "do: log, text: lands}\n");
    log_is(1, 1004000, "flies (when scenario.mode == mission)");
    assert_int_equal(logged[3].t_us, 1504000);
    assert_int_equal(logged_count, 4);
    rig_close(&r);
}

static void test_order(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {at: 1 s, do: set, signal: flag, value: 1}\n"
                "- {when: t >= 1, do: set, signal: flag, value: 2}\n"
                "- {at_step: 250, do: set, signal: flag, value: 3}\n"
                "- {at: 0.5 s, every: 0.5 s, times: 2, do: set, signal: flag, value: 4}\n");
    assert_int_equal(logged_count, 5);
    static const char *const texts[] = {
        "set flag 4 (at 500 ms, every 500 ms)", "set flag 1 (at 1 s)", "set flag 2 (when t >= 1)",
        "set flag 3 (at step 250)", "set flag 4 (at 500 ms, every 500 ms)"};
    for (size_t i = 0; i < 5; i++)
        log_is(i, i ? 1000000 : 500000, texts[i]);
    assert_true(rig_f64(&r, "scenario.flag") == 4);
    rig_close(&r);
    run_all(&r, "- {at: 1 s, do: set, signal: flag, value: 4}\n"
                "- {at: 1 s, do: set, signal: flag, value: 1}\n");
    assert_true(rig_f64(&r, "scenario.flag") == 1);
    rig_close(&r);
}

// --- what -----------------------------------------------------------------------------------

static void test_commands(void **state)
{
    (void)state;
    rig r;
    open_events(&r, "- {at: 1 ms, do: arm}\n"
                    "- {at: 2 ms, do: start_mission}\n"
                    "- {at: 3 ms, do: return}\n"
                    "- {at: 4 ms, do: land}\n"
                    "- {at: 5 ms, do: disarm}\n");
    for (unsigned ms = 0; ms <= 5; ms++) {
        rig_run(&r, 1000 * ms);
        static const int32_t modes[] = {0, 0, 1, 2, 3, 0};
        assert_int_equal(is_armed(&r), ms >= 1 && ms <= 4);
        assert_int_equal(enum_of(&r, "scenario.mode"), modes[ms]);
    }
    rig_close(&r);
}

static void test_set(void **state)
{
    (void)state;
    rig r;
    open_events(&r, "- {at: 1 s, do: set, signal: far, value: 250 m}\n"
                    "- {at: 1 s, do: set, parameter: control.cruise_speed, value: 36 km/h}\n"
                    "- {at: 1.5 s, do: set, parameter: control.cruise_speed, value: 7}\n");
    rig_run(&r, 999999);
    assert_true(rig_f64(&r, "scenario.far") == 0.5);
    assert_true(rig_f64(&r, "control.y") == 5);
    rig_run(&r, 1000000);
    assert_true(rig_f64(&r, "scenario.far") == 0.25);
    assert_true(rig_f64(&r, "scenario.set_control_cruise_speed") == 10);
    assert_true(rig_f64(&r, "control.y") == 10);
    rig_run(&r, TAC_TIME_NEVER);
    assert_true(rig_f64(&r, "control.y") == 7);
    log_is(1, 1000000, "set control.cruise_speed 36 km/h (at 1 s)");
    rig_close(&r);
}

static void test_faults(void **state)
{
    (void)state;
    rig r;
    open_events(&r, "- {at: 1 ms, do: motor_off, motor: 2}\n"
                    "- {at: 2 ms, do: motor_stuck, motor: [1, 4], duty: 0.25}\n"
                    "- {at: 3 ms, do: motor_loss, motor: 3, loss: 0.3}\n"
                    "- {at: 4 ms, do: battery_disconnect, battery: 2}\n"
                    "- {at: 5 ms, do: sensor_fault, sensor: gps, fault: bias, value: 2.5}\n"
                    "- {at: 5 ms, do: sensor_fault, sensor: estimator, fault: freeze}\n"
                    "- {at: 6 ms, do: gust, wind: [1, -2, 3 km/h]}\n"
                    "- {at: 7 ms, do: restore, motor: [1, 3], sensor: gps}\n"
                    "- {at: 8 ms, do: restore}\n");
    rig_run(&r, 6000);
    static const double hold[] = {1, 1, 0, 1}, duty[] = {0.25, 0, 0, 0.25}, loss[] = {0, 0, 0.3, 0};
    for (int i = 0; i < 4; i++) {
        assert_true(element(&r, "scenario.motor_hold", i) == hold[i]);
        assert_true(element(&r, "scenario.motor_duty", i) == duty[i]);
        assert_true(element(&r, "scenario.motor_loss", i) == loss[i]);
    }
    assert_true(element(&r, "scenario.battery_open", 0) == 0);
    assert_true(element(&r, "scenario.battery_open", 1) == 1);
    assert_int_equal(enum_of(&r, "scenario.gps_fault"), 3);
    assert_true(rig_f64(&r, "scenario.gps_fault_value") == 2.5);
    assert_int_equal(enum_of(&r, "scenario.estimator_fault"), 1);
    assert_int_equal(enum_of(&r, "scenario.imu_fault"), 0);
    assert_true(element(&r, "scenario.gust", 0) == 1);
    assert_true(element(&r, "scenario.gust", 1) == -2);
    assert_true(element(&r, "scenario.gust", 2) == 3 * 1000.0 / 3600);

    rig_run(&r, 7000); // what is named, and nothing else
    assert_true(element(&r, "scenario.motor_hold", 0) == 0);
    assert_true(element(&r, "scenario.motor_duty", 0) == 0);
    assert_true(element(&r, "scenario.motor_loss", 2) == 0);
    assert_int_equal(enum_of(&r, "scenario.gps_fault"), 0);
    assert_true(rig_f64(&r, "scenario.gps_fault_value") == 0);
    assert_true(element(&r, "scenario.motor_hold", 1) == 1);
    assert_true(element(&r, "scenario.motor_hold", 3) == 1);
    assert_int_equal(enum_of(&r, "scenario.estimator_fault"), 1);
    assert_true(element(&r, "scenario.gust", 0) == 1);

    rig_run(&r, 8000);
    for (int i = 0; i < 4; i++) {
        assert_true(element(&r, "scenario.motor_hold", i) == 0);
        assert_true(element(&r, "scenario.motor_duty", i) == 0);
    }
    assert_true(element(&r, "scenario.battery_open", 1) == 0);
    assert_int_equal(enum_of(&r, "scenario.estimator_fault"), 0);
    assert_true(element(&r, "scenario.gust", 1) == 0);
    rig_close(&r);
}

static void test_undone(void **state)
{
    (void)state;
    rig r;
    open_events(&r, "- {at: 1 ms, do: gust, wind: [5, 0, 0], for: 2001 us}\n"
                    "- {at: 2 ms, do: motor_off, motor: [1, 2], for: 10 ms}\n"
                    "- {at: 4 ms, do: motor_stuck, motor: 2, duty: 0.5, for: 20 ms}\n"
                    "- {at: 5 ms, do: motor_loss, motor: 1, loss: 1}\n");
    rig_run(&r, 3000);
    assert_true(element(&r, "scenario.gust", 0) == 5);
    rig_run(&r, 3001);
    assert_true(element(&r, "scenario.gust", 0) == 0);
    rig_run(&r, 12000);
    // Motor 2 has another fault by now, and motor 1 another kind of fault.
    assert_true(element(&r, "scenario.motor_hold", 0) == 0);
    assert_true(element(&r, "scenario.motor_hold", 1) == 1);
    assert_true(element(&r, "scenario.motor_duty", 1) == 0.5);
    assert_true(element(&r, "scenario.motor_loss", 0) == 1);
    rig_run(&r, 24000);
    assert_true(element(&r, "scenario.motor_hold", 1) == 0);
    assert_true(element(&r, "scenario.motor_duty", 1) == 0);
    log_is(2, 3001, "gust 5 0 0 ends (after 2.001 ms)");
    rig_close(&r);
    // Restored by hand: the end has nothing left to do. One ends where the next begins.
    run_all(&r, "- {at: 1 ms, do: motor_off, motor: 1, for: 10 ms}\n"
                "- {at: 5 ms, do: restore}\n"
                "- {at: 20 ms, do: gust, wind: [1, 0, 0], for: 5 ms}\n"
                "- {at: 25 ms, do: gust, wind: [2, 0, 0]}\n");
    assert_int_equal(logged_count, 5);
    log_is(3, 25000, "gust 1 0 0 ends (after 5 ms)");
    log_is(4, 25000, "gust 2 0 0 (at 25 ms)");
    assert_true(element(&r, "scenario.gust", 0) == 2);
    rig_close(&r);
}

// --- whole runs -----------------------------------------------------------------------------

static const char busy[] =
    "- {at: 0.1 s, every: 0.3 s, do: gust, wind: [1, 2, 3], for: 123456 us}\n"
    "- {when: body.high, repeat: true, after: 33333 us, do: motor_loss, "
    "motor: 3, loss: 0.5, for: 50001 us}\n"
    "- {at_step: 300, do: restore}\n"
    "- {when: body.y > 1.5, do: set, parameter: control.cruise_speed, "
    "value: 9}\n"
    "- {when: scenario.arm AND t > 1.7, do: land}\n"
    "- {when: 'held(body.high, 55555 us) OR since(body.high) > 98 ms', repeat: true, do: gust, "
    "wind: [3, 2, 1]}\n"
    "- {at: 1.6 s, do: arm}\n";

static void test_checkpoint(void **state)
{
    (void)state;
    rig r;
    char path[] = "/tmp/tactus_scenario_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    run_all(&r, busy);
    const uint64_t expected = tac_engine_hash(r.engine, NULL, NULL);
    const size_t entries = logged_count;
    assert_in_range(entries, 40, 70);
    rig_close(&r);
    // Before, at and after instants of events, with faults held and delays under way.
    static const tac_time times[] = {0,      100000, 133333,  150000,  223456,  159555,
                                     170000, 400001, 1137333, 1199999, 1504000, 1999999};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        open_events(&r, busy);
        assert_int_equal(tac_engine_checkpoint_at(r.engine, times[i], path, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        assert_true(tac_engine_hash(r.engine, NULL, NULL) == expected);
        size_t before = 0;
        while (before < logged_count && logged[before].t_us <= times[i])
            before++;
        rig_close(&r);
        open_events(&r, busy);
        assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        if (tac_engine_hash(r.engine, NULL, NULL) != expected)
            fail_msg("other bits after a checkpoint at %llu us", (unsigned long long)times[i]);
        assert_int_equal(logged_count, entries - before);
        rig_close(&r);
    }
    unlink(path);
}

static void test_nan(void **state)
{
    (void)state;
    rig r;
    const char *nan = "duration: 2 s\n"
                      "scheduler: {rate_groups: [{name: g, rate_hz: 250, components: ['*']}]}\n"
                      "components: {body: {type: ramp, params: {nan: 1 s}}, "
                      "scenario: {type: scenario}}\n"
                      "scenario:\n- {when: t > 5 OR body.y > 3, do: arm}\n";
    assert_int_equal(try_open(&r, nan), TAC_OK);
    assert_int_equal(tac_engine_run(r.engine, TAC_TIME_NEVER, &r.err), TAC_E_COMPONENT);
    assert_string_equal(r.err.text,
                        "'body.y' is not a number, in the condition 't > 5 OR body.y > 3'");
    assert_int_equal(r.err.t_us, 1004000);
    assert_string_equal(r.err.component, "scenario");
    rig_close(&r);
}

// --- the first boundary ---------------------------------------------------------------------

// Part of the plant: outputs are high = 10 km + gain * in and, if asked for, NaN.
typedef struct hill {
    bool nan;
} hill;

static tac_status hill_declare(tac_declare *d, void *self)
{
    ((hill *)self)->nan = tac_param_bool(d, TAC_PARAM(.name = "nan", .fallback = "false"));
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "high", .type = TAC_TYPE_F64, .unit = "m"));
    return TAC_OK;
}

static tac_status hill_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = -20000;
    return TAC_OK;
}

static tac_status hill_output(const tac_eval *e, const void *self)
{
    *TAC_OUT(e, double, 0) = ((const hill *)self)->nan ? (double)NAN : 10000 + e->x[0];
    return TAC_OK;
}

static const tac_component_type hill_type = {.size = sizeof(tac_component_type),
                                             .name = "hill",
                                             .version = "1",
                                             .self_size = sizeof(hill),
                                             .declare = hill_declare,
                                             .output = hill_output,
                                             .derive = hill_derive};

#define FROM_THE_START(params, condition)                                                          \
    "duration: 2 s\n"                                                                              \
    "scheduler: {rate_groups: [{name: g, rate_hz: 250, components: [scenario, body]}]}\n"          \
    "components:\n"                                                                                \
    "  scenario: {type: scenario}\n"                                                               \
    "  body: {type: ramp}\n"                                                                       \
    "  b: {type: hill, params: {" params "}}\n"                                                    \
    "scenario:\n- {when: '" condition "', do: arm}\n"

// Outputs of the plant are there when a condition is looked at for the first time, and count once.
static void test_first_outputs(void **state)
{
    (void)state;
    rig r;
    assert_int_equal(try_open(&r, FROM_THE_START("", "b.high < 100 m")), TAC_OK);
    rig_run(&r, 0);
    assert_false(is_armed(&r));
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 500000, "arm (when b.high < 100 m)"); // it has fallen below at 0.495 s
    const uint64_t digest = tac_engine_hash(r.engine, "b.high", NULL);
    rig_close(&r);
    assert_int_equal(try_open(&r, FROM_THE_START("", "b.high < 50 m")), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(tac_engine_hash(r.engine, "b.high", NULL), digest);
    rig_close(&r);
    assert_int_equal(try_open(&r, FROM_THE_START("", "b.high > 100 m")), TAC_OK);
    rig_run(&r, 0);
    assert_true(is_armed(&r));
    rig_close(&r);
    assert_int_equal(try_open(&r, FROM_THE_START("nan: true", "b.high < 100 m")), TAC_OK);
    assert_int_equal(tac_engine_run(r.engine, TAC_TIME_NEVER, &r.err), TAC_E_COMPONENT);
    assert_string_equal(r.err.text, "'b.high' is not a number, in the condition 'b.high < 100 m'");
    assert_int_equal(r.err.t_us, 0);
    rig_close(&r);
}

// A discrete signal that nobody has written yet is not 0.
static void test_not_written(void **state)
{
    (void)state;
    rig r;
    // The ramp writes 0 in a later stage of the first boundary: seen at the next step.
    assert_int_equal(try_open(&r, FROM_THE_START("", "body.y < 100 m")), TAC_OK);
    rig_run(&r, 0);
    assert_false(is_armed(&r));
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 4000, "arm (when body.y < 100 m)");
    rig_close(&r);
    // What holds is counted from then on, and a checkpoint in between knows it.
    const char *held = FROM_THE_START("", "held(body.y < 100 m, 10 ms)");
    char path[] = "/tmp/tactus-written-XXXXXX";
    close(mkstemp(path));
    assert_int_equal(try_open(&r, held), TAC_OK);
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 0, path, &r.err), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 14000, "arm (when held(body.y < 100 m, 10 ms))");
    rig_close(&r);
    assert_int_equal(try_open(&r, held), TAC_OK);
    assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 14000, "arm (when held(body.y < 100 m, 10 ms))");
    rig_close(&r);
    unlink(path);
    // A machine of phases waits in the same way: for a ramp that first steps at 1 s.
    const char *late =
        "duration: 2 s\n"
        "scheduler:\n  rate_groups:\n    - {name: g, rate_hz: 250, components: [control]}\n"
        "    - {name: late, rate_hz: 250, offset: 1 s, components: [body]}\n"
        "components: {control: {type: tunable}, body: {type: ramp}}\n"
        "phases:\n  names: [A, B]\n  initial: A\n"
        "  transitions: [{from: A, to: B, condition: body.y < 5 m}]\n";
    assert_int_equal(try_open(&r, late), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 1004000, "A -> B (body.y < 5 m)");
    rig_close(&r);
}

// --- refusals -------------------------------------------------------------------------------

static void refused_file(const char *text, tac_status status, uint32_t line, uint32_t column,
                         const char *part)
{
    rig r;
    const tac_status got = try_open(&r, text);
    if (got != status || r.err.line != line || (column && r.err.column != column) ||
        !strstr(r.err.text, part)) {
        rig_show(&r);
        fail_msg("expected %s in line %u, column %u: '%s'", tac_status_name(status), line, column,
                 part);
    }
    rig_close(&r);
}

static void refused(const char *event, tac_status status, uint32_t column, const char *part)
{
    char events[1024];
    snprintf(events, sizeof events, "- {at: 1 s, do: arm}\n- %s\n", event);
    refused_file(file(events), status, 11, column, part);
}

static void test_refused_actions(void **state)
{
    (void)state;
    refused("{at: 1 s, do: motor_of}", TAC_E_NAME, 17, "did you mean 'motor_off'?");
    refused("{when: '', do: log, text: a}", TAC_E_CONFIG, 10, "the condition is empty");
    refused("{when: '=', do: log, text: a}", TAC_E_CONFIG, 11, "write ==");
    refused("{at: 1 s}", TAC_E_CONFIG, 3, "parameter 'do' is missing");
    refused("{at: 1 s, do: motor_off}", TAC_E_CONFIG, 17, "'motor_off' needs 'motor'");
    refused("{at: 1 s, do: motor_off, motor: 5}", TAC_E_CONFIG, 35,
            "there is no motor 5; they are numbered from 1 to 4");
    refused("{at: 1 s, do: motor_off, motor: 0}", TAC_E_CONFIG, 35, "numbered from 1 to 4");
    refused("{at: 1 s, do: motor_off, motor: 1.5}", TAC_E_CONFIG, 35, "there is no motor 1.5");
    refused("{at: 1 s, do: motor_off, motor: [1, 9]}", TAC_E_CONFIG, 35, "there is no motor 9");
    refused("{at: 1 s, do: battery_disconnect, battery: 3}", TAC_E_CONFIG, 0,
            "there is no battery 3; they are numbered from 1 to 2");
    refused("{at: 1 s, do: motor_stuck, motor: 1}", TAC_E_CONFIG, 0, "needs 'duty'");
    refused("{at: 1 s, do: motor_stuck, motor: 1, duty: 1.5}", TAC_E_RANGE, 46, "[0, 1]");
    refused("{at: 1 s, do: motor_loss, motor: 1, loss: -1}", TAC_E_RANGE, 0, "[0, 1]");
    refused("{at: 1 s, do: arm, motor: 1}", TAC_E_CONFIG, 29, "'motor' does not go with 'arm'");
    refused("{at: 1 s, do: arm, for: 1 s}", TAC_E_CONFIG, 0, "'for' does not go with 'arm'");
    refused("{at: 1 s, do: gust, wind: [1, 2]}", TAC_E_CONFIG, 0, "expected 3 numbers");
    refused("{at: 1 s, do: gust, wind: [1, 2, 3 kg]}", TAC_E_UNIT, 0, "not in a unit of m/s");
    refused("{at: 1 s, do: sensor_fault, sensor: gsp, fault: freeze}", TAC_E_NAME, 0,
            "did you mean 'gps'?");
    refused("{at: 1 s, do: sensor_fault, sensor: gps}", TAC_E_CONFIG, 0, "needs 'fault'");
    refused("{at: 1 s, do: sensor_fault, sensor: gps, fault: bias}", TAC_E_CONFIG, 0,
            "'bias' needs 'value'");
    refused("{at: 1 s, do: sensor_fault, sensor: gps, fault: freeze, value: 1}", TAC_E_CONFIG, 0,
            "'value' does not go with 'freeze'");
    refused("{at: 1 s, do: log}", TAC_E_CONFIG, 0, "needs 'text'");
    refused("{at: 1 s, do: set, value: 1}", TAC_E_CONFIG, 0, "either 'signal' or 'parameter'");
    refused("{at: 1 s, do: set, signal: fla, value: 1}", TAC_E_CONFIG, 30, "did you mean 'flag'?");
    refused("{at: 1 s, do: set, signal: far, value: 1 kg}", TAC_E_CONFIG, 42, "unit of km");
    refused("{at: 1 s, do: set, parameter: control.cruise_sped, value: 1}", TAC_E_NAME, 33,
            "did you mean 'cruise_speed'?");
    refused("{at: 1 s, do: set, parameter: control.cruise_speed, value: 1 kg}", TAC_E_CONFIG, 62,
            "unit of m/s");
    refused("{at: 1 s, do: arm, foo: 1}", TAC_E_NAME, 22, "unknown parameter 'foo'");
}

static void test_refused_times(void **state)
{
    (void)state;
    refused("{do: arm}", TAC_E_CONFIG, 3, "expected one of at, at_step, when");
    refused("{at: 5, do: arm}", TAC_E_CONFIG, 8, "unit");
    refused("{at: 1.5 us, do: arm}", TAC_E_CONFIG, 8, "whole number of microseconds");
    refused("{at: 1 s, when: t > 1, do: arm}", TAC_E_CONFIG, 8, "either 'at' or 'when'");
    refused("{at: 1 s, at_step: 1, do: arm}", TAC_E_CONFIG, 0, "either 'at_step' or 'at'");
    refused("{when: t > 1, at_step: 1, do: arm}", TAC_E_CONFIG, 0, "either 'at_step' or 'when'");
    refused("{at_step: 1.5, do: arm}", TAC_E_CONFIG, 13, "not a whole number");
    refused("{at_step: -1, do: arm}", TAC_E_RANGE, 13, "out of range");
    refused("{when: t > 1, every: 1 s, do: arm}", TAC_E_CONFIG, 0, "'every' goes with 'at'");
    refused("{at: 1 s, repeat: true, do: arm}", TAC_E_CONFIG, 0, "'repeat' goes with 'when'");
    refused("{at: 1 s, after: 1 s, do: arm}", TAC_E_CONFIG, 0, "'after' goes with 'when'");
    refused("{at: 1 s, times: 2, do: arm}", TAC_E_CONFIG, 0, "'times' goes with");
    refused("{when: t > 1, times: 2, do: arm}", TAC_E_CONFIG, 0, "'times' goes with");
}

// The caret stands under the spot inside the condition.
static void test_refused_conditions(void **state)
{
    (void)state;
    refused("{when: body.y >, do: arm}", TAC_E_CONFIG, 18, "the expression ends");
    refused("{when: 'body.y > > 1', do: arm}", TAC_E_CONFIG, 20, "found '>'");
    refused("{when: body.y, do: arm}", TAC_E_CONFIG, 10, "expected a condition");
    refused("{when: t > 1 AND body.yy > 1, do: arm}", TAC_E_NAME, 20, "body.yy");
    refused("{when: t > 1 AND body.y > 1 s, do: arm}", TAC_E_CONFIG, 20,
            "'body.y' is in m, but '1 s' is in s");
    refused("{when: t > 1 AND body.high > 1, do: arm}", TAC_E_CONFIG, 20, "> needs a number");
    refused("{when: scenario.mode == misson, do: arm}", TAC_E_CONFIG, 27,
            "did you mean 'mission'?");
    refused("{when: 'held(body.high, 1.5 us)', do: arm}", TAC_E_CONFIG, 27, "whole number of");
    refused("{when: scenario.gust > 1, do: arm}", TAC_E_TYPE, 10, "expected a single value");
    refused("{when: \"t > 1 AND\\x20body.y\", do: arm}", TAC_E_CONFIG, 10, "AND needs a condition");
}

static void test_refused_located(void **state)
{
    (void)state;
    refused("{at: 1 s, locate: true, do: arm}", TAC_E_CONFIG, 0, "'locate' goes with 'when'");
    refused("{at_step: 1, locate: true, do: arm}", TAC_E_CONFIG, 0, "'locate' goes with 'when'");
    refused("{when: 'held(body.high, 1 s)', locate: true, do: arm}", TAC_E_CONFIG, 0,
            "cannot be located: it remembers");
    refused("{when: body.y > 1, locate: true, do: arm}", TAC_E_CONFIG, 10, "nothing to locate");
    refused("{when: t > 1, locate: true, do: arm}", TAC_E_CONFIG, 10, "nothing to locate");
    refused_file(swings("- {when: swing.x < 0 AND other.x < 0, locate: true, do: arm}\n"),
                 TAC_E_CONFIG, 10, 10, "'swing.x' and 'other.x' are integrated apart");
}

static void test_refused_whole(void **state)
{
    (void)state;
    refused_file("duration: 1 s\n"
                 "components: {scenario: {type: scenario, params: {events: [\n"
                 "  {at: 1 s, do: motor_off, motor: 1}]}}}\n",
                 TAC_E_CONFIG, 3, 35, "set 'motors'");
    refused_file("duration: 1 s\n"
                 "components: {scenario: {type: scenario, params: {signals: [\n"
                 "  {name: arm}]}}}\n",
                 TAC_E_DUPLICATE, 2, 0, "'arm' is declared twice");
    // Without a rate group there are times, but no steps.
    rig r;
    assert_int_equal(try_open(&r, "duration: 1 s\ncomponents: {scenario: {type: scenario}}\n"
                                  "scenario: [{at: 5 ms, do: arm}]\n"),
                     TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 5000, "arm (at 5 ms)");
    rig_close(&r);
    assert_int_equal(try_open(&r, "duration: 1 s\ncomponents: {scenario: {type: scenario}}\n"
                                  "scenario: [{when: t > 0.5, do: arm}]\n"),
                     TAC_E_COMPONENT);
    assert_non_null(strstr(r.err.text, "in no rate group"));
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_exact_time), cmocka_unit_test(test_step_number),
          cmocka_unit_test(test_every), cmocka_unit_test(test_conditions),
          cmocka_unit_test(test_independence), cmocka_unit_test(test_remembering),
          cmocka_unit_test(test_located), cmocka_unit_test(test_located_and_looked_at),
          cmocka_unit_test(test_located_often), cmocka_unit_test(test_located_checkpoint),
          cmocka_unit_test(test_refused_located), cmocka_unit_test(test_labels),
          cmocka_unit_test(test_order), cmocka_unit_test(test_commands), cmocka_unit_test(test_set),
          cmocka_unit_test(test_faults), cmocka_unit_test(test_undone),
          cmocka_unit_test(test_checkpoint), cmocka_unit_test(test_nan),
          cmocka_unit_test(test_first_outputs), cmocka_unit_test(test_not_written),
          cmocka_unit_test(test_refused_actions), cmocka_unit_test(test_refused_times),
          cmocka_unit_test(test_refused_conditions), cmocka_unit_test(test_refused_whole))
