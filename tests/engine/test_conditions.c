// Located conditions: a component outside the plant is woken at the first microsecond at which what
// it waits for is true, and neither who watches nor when something became known moves that instant.
#include "engine/condition_rig.h"

// --- where it is --------------------------------------------------------------------------------

// A body that falls from h passes 0 at sqrt(2 h / g), and level l at sqrt(2 (h - l) / g).
static void test_fall(void **state)
{
    (void)state;
    const tac_time half_us = (tac_time)floor(sqrt(2 * 0.5 / 9.80665) * 1e6) + 1;
    const tac_time zero_us = (tac_time)floor(sqrt(2 * 1.0 / 9.80665) * 1e6) + 1;
    char expected[64];
    snprintf(expected, sizeof expected, "%llu:1 %llu:2", (unsigned long long)half_us,
             (unsigned long long)zero_us);
    for (int i = 0; i < INTEGRATORS; i++) {
        rig r;
        open_with(&r, integrators[i],
                  "components:\n" FALL "  s: {type: sentry, params: {waits: [\n"
                  "    {signal: fall.z, level: 0.5}, {signal: fall.z}]}}\n");
        rig_run(&r, half_us - 1);
        assert_int_equal(wake_count, 0);
        assert_int_equal(tac_engine_counters(r.engine).boundaries, 1);
        rig_run(&r, half_us);
        assert_int_equal(tac_engine_counters(r.engine).boundaries, 2);
        assert_int_equal(tac_engine_counters(r.engine).events, 1);
        rig_run(&r, TAC_TIME_MAX);
        assert_string_equal(woken_at(), expected);
        assert_int_equal(wakes[0].due, TAC_DUE_CONDITION);
        assert_true(wakes[0].seen < 0.5 && wakes[0].seen > 0.5 - 4e-6); // at most 1 us late
        assert_int_equal(tac_engine_counters(r.engine).events, 2);
        assert_int_equal(tac_engine_counters(r.engine).boundaries, 4); // and start and end
        assert_true(rig_f64(&r, "s.n") == 2);
        rig_close(&r);
    }
}

// z = cos(10 t) is below 0.3 from acos(0.3) / 10 on, again a turn later; each time it turns true.
static void test_swing(void **state)
{
    (void)state;
    for (int i = 0; i < INTEGRATORS; i++) {
        rig r;
        open_with(&r, integrators[i],
                  "components:\n  swing: {type: body, params: {z: 1, stiffness: 100}}\n"
                  "  s: {type: sentry, params: {waits: [{signal: swing.z, level: 0.3}]}}\n");
        rig_run(&r, TAC_TIME_MAX);
        assert_int_equal(wake_count, 3);
        for (size_t k = 0; k < wake_count; k++) {
            const double t_s = (acos(0.3) + 2 * acos(-1) * (double)k) / 10;
            const double late_us = (double)wakes[k].t_us - t_s * 1e6;
            // The method's own error is added to the rounding up.
            assert_true(late_us > -1 && late_us < (strstr(integrators[i], "rk4, h") ? 6 : 2));
        }
        rig_close(&r);
    }
}

// z = -(t - 1)^2 / 2 + 0.06 is positive for 0.69 s only, inside one step; the part of it that two
// samples show is found, one that falls between samples is not.
static void test_graze(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk4, h_max: 10 s",
              "components:\n  p: {type: body, params: {z: -0.44, v: 1, a: -1}}\n"
              "  s: {type: sentry, params: {waits: [{signal: p.z, below: false}]}}\n");
    rig_run(&r, TAC_TIME_MAX);
    assert_int_equal(tac_engine_counters(r.engine).integration_steps, 2);
    const tac_time expected_us = (tac_time)floor((1 - sqrt(0.12)) * 1e6) + 1;
    assert_int_equal(wake_count, 1);
    assert_true(wakes[0].t_us == expected_us || wakes[0].t_us + 1 == expected_us);
    rig_close(&r);
    // Samples are at 0.25 s, 0.5 s, ...: positive from 0.55 s to 0.65 s, between them.
    open_with(&r, "kind: rk4, h_max: 10 s",
              "components:\n  p: {type: body, params: {z: -0.17875, v: 0.6, a: -1}}\n"
              "  s: {type: sentry, params: {waits: [{signal: p.z, below: false}]}}\n");
    rig_run(&r, TAC_TIME_MAX);
    assert_int_equal(wake_count, 0);
    rig_close(&r);
}

// What no sample shows is still seen where a boundary falls upon it, and whenever that became
// known.
static void test_graze_that_is_cut(void **state)
{
    (void)state;
    for (tac_time delay_us = 1; delay_us < 600000; delay_us += 149999) {
        char text[512];
        snprintf(text, sizeof text,
                 "components:\n  p: {type: body, params: {z: -0.17875, v: 0.6, a: -1},\n"
                 "      inputs: {push: push.push}}\n"
                 "  s: {type: sentry, params: {waits: [{signal: p.z, below: false}]}}\n"
                 "  far: {type: caller}\n  push: {type: pusher}\n"
                 "scheduler: {rate_groups: [{name: then, times: [%llu us], components: [far]}]}\n"
                 "links: [{from: far.tx, to: push.rx, delay: %llu us}]\n",
                 (unsigned long long)(600000 - delay_us), (unsigned long long)delay_us);
        rig r;
        open_with(&r, "kind: rk4, h_max: 10 s", text);
        rig_run(&r, TAC_TIME_MAX);
        assert_string_equal(woken_at(), "600000:1");
        assert_int_equal(wakes[0].due, TAC_DUE_CONDITION);
        rig_close(&r);
    }
}

// With steps so long that dense output and steps that end there disagree, what only the former sees
// is no turn, and looking for it leaves no trace.
static void test_seen_by_dense_output_only(void **state)
{
    (void)state;
    uint64_t untouched = 0;
    size_t quiet = 0, found = 0;
    double level = 1e9;
    for (int i = 0; i < 400; i++, level = 0.5 * pow(1.015, i)) {
        char text[512];
        snprintf(text, sizeof text,
                 "components:\n  swing: {type: body, params: {v: 10, stiffness: 100}}\n"
                 "  s: {type: sentry, params: {waits: [\n"
                 "    {signal: swing.z, below: false, level: %.17g}]}}\n",
                 level);
        rig r;
        open_with(&r, "kind: rk4, h_max: 300 ms", text);
        const uint64_t hash = finish(&r, "swing*");
        if (i == 0)
            untouched = hash;
        if (wake_count == 0)
            assert_true(hash == untouched);
        for (size_t k = 0; k < wake_count; k++) // seen by the step that ended there
            assert_true(wakes[k].seen > level);
        quiet += wake_count == 0;
        found += wake_count > 0;
    }
    assert_true(found > 50 && quiet > 50);
}

// It is a step that ends there that decides, however far from it dense output is: an observer, who
// sees where the present step would come to, finds it false one microsecond before.
static void test_decided_by_steps(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        const double level = 0.02 * i;
        char text[1024];
        tac_time t_us = 2;
        for (int pass = 0; pass < 2; pass++) {
            snprintf(text, sizeof text,
                     "components:\n  swing: {type: body, params: {v: 10, stiffness: 100}}\n"
                     "  s: {type: sentry, params: {waits: [\n"
                     "    {signal: swing.z, below: false, level: %.17g}]}}\n"
                     "  eye: {type: probe, stage: telemetry, params: {unit: m}, inputs: {u: "
                     "swing.z}}\n"
                     "scheduler: {rate_groups: [{name: g, times: [%llu us], components: "
                     "[eye]}]}\n",
                     level, (unsigned long long)(t_us - 1));
            rig r;
            open_with(&r, "kind: rk4, h_max: 150 ms", text);
            rig_run(&r, TAC_TIME_MAX);
            rig_close(&r);
            assert_true(wake_count > 0);
            assert_true(pass == 0 || t_us == wakes[0].t_us);
            t_us = wakes[0].t_us;
        }
        assert_true(wakes[0].seen > level);
        assert_int_equal(rig_sample_count, 1);
        assert_true(rig_samples[0].f64[0] <= level);
    }
}

// True at the start is no turn; true, false and true again inside one step is one.
static void test_true_at_start(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk4, h_max: 10 s",
              "components:\n  p: {type: body, params: {z: 0.44, v: -1, a: 1}}\n"
              "  s: {type: sentry, params: {waits: [{signal: p.z, below: false},\n"
              "                                     {signal: p.v, level: 5}]}}\n");
    rig_run(&r, TAC_TIME_MAX);
    const tac_time expected_us = (tac_time)floor((1 + sqrt(0.12)) * 1e6) + 1;
    assert_int_equal(wake_count, 1);
    assert_int_equal(wakes[0].turned, 1);
    assert_true(wakes[0].t_us == expected_us || wakes[0].t_us + 1 == expected_us);
    rig_close(&r);
}

// Several in one step come in the order of their time, whatever the order in which they are
// declared and whoever waits; two at the same microsecond together.
static void test_several(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk4, h_max: 10 s",
              "components:\n  p: {type: body, params: {v: 1}}\n"
              "  a: {type: sentry, params: {waits: [\n"
              "    {signal: p.z, level: 1.2345675, below: false},\n"
              "    {signal: p.z, level: 0.2000005, below: false},\n"
              "    {signal: p.z, level: 0.7000005, below: false}]}}\n"
              "  b: {type: sentry, params: {waits: [\n"
              "    {signal: p.z, level: 0.2000025, below: false},\n"
              "    {signal: p.high, level: 70.00005, below: false}]}}\n");
    rig_run(&r, TAC_TIME_MAX);
    assert_string_equal(woken_at(), "200001:2 200003:1 700001:4 700001:2 1234568:1");
    assert_string_equal(wakes[0].who, "a");
    assert_string_equal(wakes[1].who, "b");
    rig_close(&r);
}

// First true exactly at the end of an interval, and one microsecond before and after it.
static void test_at_a_boundary(void **state)
{
    (void)state;
    static const double levels[] = {0.4999985, 0.4999995, 0.5000005};
    static const char *const expected[] = {"499999:1", "500000:1", "500001:1"};
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "scheduler: {rate_groups: [{name: g, period: 500 ms, components: [s]}]}\n"
                 "components:\n  p: {type: body, params: {v: 1}}\n"
                 "  s: {type: sentry, params: {waits: [\n"
                 "    {signal: p.z, level: %.7f, below: false}]}}\n",
                 levels[i]);
        rig r;
        open_with(&r, "kind: rk4, h_max: 10 s", text);
        rig_run(&r, TAC_TIME_MAX);
        assert_string_equal(woken_at(), expected[i]);
        assert_int_equal(wakes[0].due,
                         i == 1 ? TAC_DUE_CONDITION | TAC_DUE_AXIS : TAC_DUE_CONDITION);
        assert_int_equal(tac_engine_counters(r.engine).boundaries, i == 1 ? 5 : 6);
        rig_close(&r);
    }
}

// --- what it sees -------------------------------------------------------------------------------

// Outputs that nothing of the plant needs, of time alone, and in hooks.
static void test_outputs(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk45, rtol: 1e-9",
              "entities: {away: {components: {h: {type: hooked, params: {waits: [\n"
              "    {signal: p.high, level: 44.00005, below: false}]}}}}}\n"
              "components:\n  p: {type: body, params: {v: 1}}\n  w: {type: stopwatch}\n"
              "  c: {type: routed, inputs: {u: {from: p.high, delayed: true}}}\n"
              "  s: {type: sentry, params: {waits: [\n"
              "    {signal: p.high, level: 33.00005, below: false},\n"
              "    {signal: w.y, level: 1.2000005, below: false}]}}\n");
    rig_run(&r, TAC_TIME_MAX);
    assert_string_equal(woken_at(), "220001:1 330001:1 440001:1 1200001:2");
    // A stage before that of outputs sees what the last boundary had; the condition did not.
    assert_true(wakes[1].seen < 33);
    rig_close(&r);
}

// A look that fails is none: the run goes on, and where it can be looked at it is found.
static void test_failing_looks(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk4, h_max: 10 s",
              "components:\n  p: {type: body, params: {z: -0.2, v: 1, bad: true}}\n"
              "  s: {type: hooked, params: {waits: [\n"
              "    {signal: p.high, level: -10000, below: false}]}}\n");
    // Stage 3 evaluates the same output at t = 0, and that fails the run.
    assert_int_equal(tac_engine_run(r.engine, TAC_TIME_MAX, &r.err), TAC_E_COMPONENT);
    assert_int_equal(r.err.t_us, 0);
    rig_close(&r);
    open_with(&r, "kind: rk4, h_max: 10 s",
              "components:\n  p: {type: body, params: {z: 0.2, v: -1, a: 1, bad: true}}\n"
              "  s: {type: sentry, params: {waits: [\n"
              "    {signal: p.high, level: 10, below: false}]}}\n");
    // Down, where looking fails, and up again: the first thing that is seen is at the way up.
    rig_run(&r, TAC_TIME_MAX);
    assert_int_equal(wake_count, 1);
    const double t_s = 1 + sqrt(1 - 2 * 0.1);
    assert_true(fabs((double)wakes[0].t_us - t_s * 1e6) < 2);
    rig_close(&r);
}

// A discrete signal that is part of it is seen as it is held. It splits the island where it is
// written, and what it makes true at such a boundary is no turn.
static void test_gate(void **state)
{
    (void)state;
    static const char text[] =
        "scheduler: {rate_groups: [{name: g, period: 100 ms, components: [gate]}]}\n"
        "components:\n  swing: {type: body, params: {v: 1, stiffness: 100}}\n"
        "  gate: {type: gate, params: {after: %s}}\n"
        "  s: {type: sentry, params: {waits: [\n"
        "    {signal: swing.z, gate: gate.open, below: false}]}}\n";
    // z = sin(10 t) / 10 turns positive at 0.628 s, 1.257 s, 1.885 s.
    static const char *const after[] = {"600 ms", "700 ms", "1300 ms"};
    static const size_t expected[] = {3, 2, 1};
    for (int i = 0; i < 3; i++) {
        char components[512];
        snprintf(components, sizeof components, text, after[i]);
        rig r;
        open_with(&r, "kind: dop853, rtol: 1e-10", components);
        rig_run(&r, TAC_TIME_MAX);
        assert_int_equal(wake_count, expected[i]);
        assert_int_equal(wakes[wake_count - 1].t_us, 1884956);
        assert_int_equal(tac_engine_counters(r.engine).boundaries, 21 + expected[i]);
        rig_close(&r);
    }
}

// Inside a step that would have gone on to the end, had nobody written what is looked at.
static void test_gate_inside_a_step(void **state)
{
    (void)state;
    static const char *const after[] = {"100 ms", "800 ms", "900 ms"};
    static const char *const expected[] = {"850001:1", "850001:1", ""};
    for (int i = 0; i < 3; i++) {
        char components[512];
        snprintf(components, sizeof components,
                 "scheduler: {rate_groups: [{name: g, period: 100 ms, components: [gate]}]}\n"
                 "components:\n  p: {type: body, params: {v: 1}}\n"
                 "  gate: {type: gate, params: {after: %s}}\n"
                 "  s: {type: sentry, params: {waits: [\n"
                 "    {signal: p.z, gate: gate.open, level: 0.8500005, below: false}]}}\n",
                 after[i]);
        rig r;
        open_with(&r, "kind: rk4, h_max: 10 s", components);
        rig_run(&r, TAC_TIME_MAX);
        assert_string_equal(woken_at(), expected[i]);
        rig_close(&r);
    }
}

// One that waits only in some phases of its own entity: where such a phase begins is looked at
// anew, also inside a step of a plant that is no part of that entity.
static void test_phases(void **state)
{
    (void)state;
    static const char *const begins[] = {"0.15", "0.65", "0.75"};
    static const char *const expected[] = {"850001:1", "850001:1", ""};
    for (int i = 0; i < 3; i++) {
        char components[1024];
        snprintf(components, sizeof components,
                 "scheduler: {rate_groups: [{name: g, period: 100 ms, components: [away.gate]}]}\n"
                 "components: {p: {type: body, params: {v: 1}}}\n"
                 "entities:\n  away:\n"
                 "    phases:\n      names: [REST, WAIT]\n      initial: REST\n"
                 "      transitions: [{from: REST, to: WAIT, condition: t >= %s}]\n"
                 "    components:\n"
                 "      gate: {type: gate, params: {after: 1 us}}\n"
                 "      s: {type: sentry, active: [WAIT], params: {waits: [\n"
                 "        {signal: p.z, gate: gate.open, level: 0.8500005, below: false}]}}\n",
                 begins[i]);
        rig r;
        open_with(&r, "kind: rk4, h_max: 10 s", components);
        rig_run(&r, TAC_TIME_MAX);
        assert_string_equal(woken_at(), expected[i]);
        rig_close(&r);
    }
}

// One that has fired says that it does not matter any more.
static void test_spent(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk45, rtol: 1e-9",
              "components:\n  swing: {type: body, params: {z: 1, stiffness: 100}}\n"
              "  s: {type: sentry, params: {once: true, waits: [\n"
              "    {signal: swing.z, level: 0.3}, {signal: swing.z, level: 0}]}}\n");
    rig_run(&r, TAC_TIME_MAX);
    assert_int_equal(wake_count, 2);
    rig_close(&r);
}

// --- nothing else moves it ----------------------------------------------------------------------

// With contact events in the same steps: the earliest of all ends a step.
static void test_with_events(void **state)
{
    (void)state;
    static const char ball[] =
        "components:\n  ball: {type: body, params: {z: 1, a: -9.80665, bounces: true}}\n";
    for (int i = 0; i < INTEGRATORS; i++) {
        char text[512];
        rig r;
        // At the very microsecond of the contact, and a little before it.
        snprintf(text, sizeof text,
                 "%s  s: {type: sentry, params: {waits: [{signal: ball.z},\n"
                 "    {signal: ball.z, level: 0.0001}]}}\n",
                 ball);
        open_with(&r, integrators[i], text);
        rig_run(&r, 460000);
        assert_int_equal(wake_count, 2);
        assert_int_equal(wakes[0].turned, 2);
        assert_int_equal(wakes[1].turned, 1);
        assert_int_equal(wakes[1].t_us, 451601); // sqrt(2 / g), as in test_events.c
        assert_in_range(wakes[1].t_us - wakes[0].t_us, 21, 24);
        assert_int_equal(tac_engine_counters(r.engine).events, 3); // and the contact
        rig_close(&r);
    }
}

// Never true: the plant's bits are those without anybody waiting, at the same boundaries.
static void test_waiting_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < INTEGRATORS; i++) {
        static const char text[] =
            "scheduler: {rate_groups: [{name: g, period: 50 ms, components: [s]}]}\n"
            "components:\n"
            "  swing: {type: body, params: {z: 1, a: -3, stiffness: 100, bounces: true}}\n"
            "  s: {type: sentry, params: {waits: [%s]}}\n";
        uint64_t hashes[2];
        for (int k = 0; k < 2; k++) {
            char components[512];
            snprintf(components, sizeof components, text,
                     k ? "{signal: swing.z, level: -99}" : "{signal: swing.z, level: -88}");
            rig r;
            open_with(&r, integrators[i], components);
            hashes[k] = finish(&r, "swing*");
        }
        assert_true(hashes[0] == hashes[1]);
        rig r;
        open_with(&r, integrators[i],
                  "scheduler: {rate_groups: [{name: g, period: 50 ms, components: [s]}]}\n"
                  "components:\n"
                  "  swing: {type: body, params: {z: 1, a: -3, stiffness: 100, bounces: true}}\n"
                  "  s: {type: probe, stage: scenario, params: {unit: m}, inputs: {u: swing.z}}\n");
        assert_true(finish(&r, "swing*") == hashes[0]);
    }
}

#define WAITING                                                                                    \
    "components:\n  swing: {type: body, params: {z: 1, stiffness: 100}%s}\n"                       \
    "  s: {type: sentry, params: {waits: [{signal: swing.z, level: 0.3},\n"                        \
    "                                     {signal: swing.high, level: -20}]}}\n"

static void test_observers(void **state)
{
    (void)state;
    for (int i = 0; i < INTEGRATORS; i++) {
        char text[1024];
        rig r;
        snprintf(text, sizeof text, WAITING, "");
        open_with(&r, integrators[i], text);
        const uint64_t alone = finish(&r, "s*");
        assert_int_equal(wake_count, 6);
        snprintf(text, sizeof text,
                 WAITING "  other: {type: body, params: {z: 1, a: -9.8, bounces: true}}\n"
                         "  eye: {type: monitor, inputs: {u: swing.high}, params: {unit: cm, "
                         "every: 10 s}}\n"
                         "scheduler: {rate_groups: [{name: odd, period: 7 ms, components: "
                         "[eye]}]}\n",
                 "");
        open_with(&r, integrators[i], text);
        for (tac_time t = 0; t < 2000000; t += 9973)
            rig_run(&r, t);
        assert_true(finish(&r, "s*") == alone);
    }
}

// A message inside a step, before or after the instant: the bits are the same whether it was on its
// way for long or had just been sent.
static void test_messages(void **state)
{
    (void)state;
    // The first turn without a push is at 126611 us, the next at 754929 us.
    static const tac_time delivered_us[] = {90000, 126610, 126611, 126612, 400000, 700000};
    static const tac_time delays_us[] = {1, 2, 77, 5000, 89999};
    for (int i = 0; i < INTEGRATORS; i++) {
        for (size_t k = 0; k < sizeof delivered_us / sizeof *delivered_us; k++) {
            uint64_t first = 0;
            char wakes_then[256];
            for (size_t n = 0; n < sizeof delays_us / sizeof *delays_us; n++) {
                char text[1024];
                snprintf(text, sizeof text,
                         WAITING "  far: {type: caller}\n  push: {type: pusher}\n"
                                 "scheduler: {rate_groups: [{name: then, times: [%llu us], "
                                 "components: [far]}]}\n"
                                 "links: [{from: far.tx, to: push.rx, delay: %llu us}]\n",
                         ", inputs: {push: push.push}",
                         (unsigned long long)(delivered_us[k] - delays_us[n]),
                         (unsigned long long)delays_us[n]);
                rig r;
                open_with(&r, integrators[i], text);
                rig_run(&r, TAC_TIME_MAX);
                const uint64_t hash = tac_engine_hash(r.engine, "s*", NULL);
                rig_close(&r);
                if (n == 0) {
                    first = hash;
                    snprintf(wakes_then, sizeof wakes_then, "%s", woken_at());
                }
                assert_string_equal(woken_at(), wakes_then);
                assert_true(hash == first);
                assert_in_range(wake_count, 4, 7);
            }
        }
    }
}

// Two islands, each with conditions of a component that reads and pushes the other: the earlier one
// cuts the other's step, again and again.
static void test_two_islands(void **state)
{
    (void)state;
    static const char text[] =
        "components:\n"
        "  a: {type: body, params: {z: 1, stiffness: 100}, inputs: {push: sb.n}}\n"
        "  b: {type: body, params: {z: 1, stiffness: 170}, inputs: {push: sa.n}}\n"
        "  sa: {type: sentry, params: {waits: [{signal: a.z, level: 0.3},\n"
        "                                      {signal: b.z, level: 0.1}]}}\n"
        "  sb: {type: sentry, params: {waits: [{signal: b.z, level: 0.2},\n"
        "                                      {signal: a.z, level: 0.1}]}}\n";
    for (int i = 0; i < INTEGRATORS; i++) {
        rig r;
        open_with(&r, integrators[i], text);
        const uint64_t straight = finish(&r, NULL);
        assert_true(wake_count > 10);
        for (size_t k = 1; k < wake_count; k++)
            assert_true(wakes[k].t_us >= wakes[k - 1].t_us);
        open_with(&r, integrators[i], text);
        for (tac_time t = 0; t < 2000000; t += 5011)
            rig_run(&r, t);
        assert_true(finish(&r, NULL) == straight);
    }
}

static void test_checkpoint(void **state)
{
    (void)state;
    static const tac_time at_us[] = {0, 100000, 126610, 126611, 126612, 600000, 754929, 1900000};
    const char *path = path_of("state.checkpoint");
    char text[1024];
    snprintf(text, sizeof text, WAITING, "");
    for (int i = 0; i < INTEGRATORS; i++) {
        for (size_t k = 0; k < sizeof at_us / sizeof *at_us; k++) {
            rig r;
            open_with(&r, integrators[i], text);
            assert_int_equal(tac_engine_checkpoint_at(r.engine, at_us[k], path, &r.err), TAC_OK);
            const uint64_t straight = finish(&r, NULL);
            open_with(&r, integrators[i], text);
            assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
            assert_true(finish(&r, NULL) == straight);
        }
    }
}

// --- what is refused, and what stops ------------------------------------------------------------

// Pushed down whenever it comes up, and up whenever it goes down.
static void test_chatter(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk45",
              "components:\n"
              "  p: {type: body, params: {v: 0.01}, inputs: {push: {from: s.n, gain: "
              "1e9}}}\n"
              "  s: {type: sentry, params: {pushes: true, waits: [\n"
              "    {signal: p.v, below: true}, {signal: p.v, below: false}]}}\n");
    assert_int_equal(tac_engine_run(r.engine, TAC_TIME_MAX, &r.err), TAC_E_NUMERIC);
    assert_non_null(strstr(r.err.text, "of 's' chatters"));
    assert_non_null(strstr(r.err.text, "condition 'wait"));
    assert_in_range(r.err.t_us, 900, 100000);
    assert_in_range(wake_count, 1000, 1002);
    rig_close(&r);
}

static tac_status wrong_declare(tac_declare *d, void *self)
{
    (void)self;
    const int input = 7;
    tac_declare_condition(d, "c", &input, 1, NULL);
    return TAC_OK;
}

static tac_status twice_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_condition(d, "c", NULL, 0, NULL);
    tac_declare_condition(d, "c", NULL, 0, NULL);
    return TAC_OK;
}

static tac_status mute_declare(tac_declare *d, void *self)
{
    (void)self;
    const int input = tac_declare_watch(d, "p.z", NULL);
    tac_declare_condition(d, "c", &input, 1, NULL);
    return TAC_OK;
}

static void refuse_type(tac_status (*declare)(tac_declare *, void *), tac_status status,
                        const char *part)
{
    const tac_component_type type = {
        .size = sizeof(tac_component_type), .name = "faulty", .version = "1", .declare = declare};
    with_types();
    rig_types[1] = &type;
    rig_refused(file("kind: rk4", "components:\n  p: {type: body}\n  f: {type: faulty}\n"), status,
                part);
}

static void test_refused(void **state)
{
    (void)state;
    static const char two[] =
        "components:\n  a: {type: body}\n  b: {type: body}\n"
        "  g: {type: gate}\n  s: {type: sentry, params: {waits: [\n"
        "    {signal: %s, gate: %s}]}}\n"
        "scheduler: {rate_groups: [{name: g, period: 1 s, components: [g]}]}\n";
    char text[512];
    snprintf(text, sizeof text, two, "a.z", "b.high");
    refused(text, "'a.z' and 'b.high' are integrated apart: such a condition cannot be located");
    snprintf(text, sizeof text, two, "g.open", "g.open");
    refused(text, "nothing to locate");
    refused("components:\n  p: {type: body}\n"
            "  s: {type: sentry, stage: telemetry, params: {waits: [{signal: p.z}]}}\n",
            "telemetry");
    refuse_type(wrong_declare, TAC_E_RANGE, "names input 7, but there are 0");
    refuse_type(twice_declare, TAC_E_DUPLICATE, "condition 'c' is declared twice");
    refuse_type(mute_declare, TAC_E_CONFIG, "has no holds");
}

TEST_MAIN(cmocka_unit_test(test_fall), cmocka_unit_test(test_swing), cmocka_unit_test(test_graze),
          cmocka_unit_test(test_graze_that_is_cut),
          cmocka_unit_test(test_seen_by_dense_output_only), cmocka_unit_test(test_decided_by_steps),
          cmocka_unit_test(test_true_at_start), cmocka_unit_test(test_several),
          cmocka_unit_test(test_at_a_boundary), cmocka_unit_test(test_outputs),
          cmocka_unit_test(test_failing_looks), cmocka_unit_test(test_gate),
          cmocka_unit_test(test_gate_inside_a_step), cmocka_unit_test(test_phases),
          cmocka_unit_test(test_spent), cmocka_unit_test(test_with_events),
          cmocka_unit_test(test_waiting_changes_nothing), cmocka_unit_test(test_observers),
          cmocka_unit_test(test_messages), cmocka_unit_test(test_two_islands),
          cmocka_unit_test(test_checkpoint), cmocka_unit_test(test_chatter),
          cmocka_unit_test(test_refused))
