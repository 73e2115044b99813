// What a reader in another rate group sees, computed here once more from the definitions of the
// policies; and groups that step together.
#include "test_rig.h"

// --- the definitions, independently of src/bus/view.c -------------------------------------------

typedef struct path { // from a writer to a reader
    tac_policy policy;
    tac_time period_us, offset_us; // of the writer
    tac_time delay_us;
    bool strict; // a write at this very boundary does not count
    bool derivative;
} path;

static double lerp(double a, double b, double t)
{
    return t < 0.5 ? a + t * (b - a) : b - (1.0 - t) * (b - a);
}

// When the last write that counts happened, and how many there have been.
static uint64_t last_write(const path *p, tac_time t_us, tac_time *when_us)
{
    if (t_us < p->delay_us || t_us - p->delay_us < p->offset_us)
        return 0;
    const tac_time seen_us = t_us - p->delay_us;
    uint64_t k = (seen_us - p->offset_us) / p->period_us;
    if (p->strict && p->offset_us + k * p->period_us == t_us && k-- == 0)
        return 0;
    *when_us = p->offset_us + k * p->period_us;
    return k + 1;
}

static double expected(const path *p, tac_time t_us, unsigned i)
{
    tac_time when_us;
    const uint64_t writes = last_write(p, t_us, &when_us);
    if (writes == 0)
        return 0;
    const double latest = rig_value(when_us, i);
    if (writes < 2 || p->policy == TAC_ZOH)
        return latest;
    const double before = rig_value(when_us - p->period_us, i);
    const tac_time since_us = t_us - p->delay_us - when_us;
    const double c = (double)since_us / (double)p->period_us;
    if (p->policy == TAC_INTERPOLATED)
        return lerp(before, latest, c);
    return p->derivative ? latest + (double)since_us / 1e6 * rig_rate(when_us, i)
                         : latest + c * (latest - before);
}

// --- every policy for many pairs of rates -------------------------------------------------------

static const struct pair {
    tac_time writer_us, writer_offset_us, reader_us, reader_offset_us;
} pairs[] = {
    {1000, 0, 10000, 0},      {10000, 0, 1000, 0},     {1000, 0, 100000, 0}, {100000, 0, 1000, 0},
    {10000, 0, 100000, 0},    {100000, 0, 10000, 0},   {2500, 0, 4000, 0},   {4000, 0, 2500, 0},
    {1000, 300, 10000, 0},    {10000, 700, 1000, 200}, {7, 3, 11, 0},        {4000, 4000, 2500, 0},
    {50000, 30000, 7000, 10}, {1000, 0, 1000, 500},    {1000, 0, 1000, 0},
};

static void check_pair(const struct pair *p, tac_policy policy, bool derivative, unsigned periods)
{
    const tac_time end_us = p->writer_us < 100 ? 2000 : 310000;
    char text[4096];
    snprintf(text, sizeof text,
             "duration: %llu us\n"
             "scheduler:\n"
             "  rate_groups:\n"
             "    - {name: w, period: %llu us, offset: %llu us, components: [src]}\n"
             "    - {name: r, period: %llu us, offset: %llu us, components: [after, before, back, "
             "late, part]}\n"
             "  synchronization: {default_policy: %s}\n"
             "components:\n"
             "  src: {type: source, params: {kind: vec3, derivative: %s}}\n"
             "  after: {type: probe, params: {kind: vec3}, inputs: {u: src.y}}\n"
             "  before:\n"
             "    type: probe\n"
             "    stage: scenario\n"
             "    params: {kind: vec3}\n"
             "    inputs: {u: {from: src.y, delayed: true}}\n"
             "  back: {type: probe, params: {kind: vec3}, inputs: {u: {from: src.y, delayed: "
             "true}}}\n"
             "  late: {type: probe, params: {kind: vec3}, inputs: {u: {from: src.y, delay: %llu "
             "us}}}\n"
             "  part: {type: probe, inputs: {u: 'src.y[2]'}}\n",
             (unsigned long long)end_us, (unsigned long long)p->writer_us,
             (unsigned long long)p->writer_offset_us, (unsigned long long)p->reader_us,
             (unsigned long long)p->reader_offset_us, tac_policy_name(policy),
             derivative ? "true" : "false", (unsigned long long)(periods * p->writer_us));
    rig r;
    rig_open(&r, text);
    rig_run(&r, end_us);
    const size_t steps = (size_t)((end_us - p->reader_offset_us) / p->reader_us + 1);
    assert_int_equal(rig_sample_count, 5 * steps);
    size_t i = 0;
    for (size_t k = 0; k < steps; k++) {
        const tac_time t_us = p->reader_offset_us + k * p->reader_us;
        for (size_t n = 0; n < 5; n++, i++) {
            const rig_sample *m = &rig_samples[i];
            const char *name = m->name;
            assert_int_equal(m->t_us, t_us);
            const bool strict = !strcmp(name, "before") || !strcmp(name, "back");
            const path q = {policy,
                            p->writer_us,
                            p->writer_offset_us,
                            !strcmp(name, "late") ? periods * p->writer_us : 0,
                            strict,
                            derivative};
            if (!strcmp(name, "part"))
                rig_same(m->f64[0], expected(&q, t_us, 2), name, t_us);
            else
                for (unsigned e = 0; e < 3; e++)
                    rig_same(m->f64[e], expected(&q, t_us, e), name, t_us);
        }
    }
    rig_close(&r);
}

static void test_policies_at_every_boundary(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        for (tac_policy policy = TAC_ZOH; policy <= TAC_EXTRAPOLATED; policy++) {
            check_pair(&pairs[i], policy, false, 1);
            check_pair(&pairs[i], policy, true, 3);
        }
    }
}

// A reader that steps before its writer though in the same stage: an explicit order allows it.
static void test_reader_before_writer_by_explicit_order(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 50 ms\n"
                 "scheduler:\n"
                 "  order: [early, src, late]\n"
                 "  rate_groups:\n"
                 "    - {name: w, period: 2 ms, components: [src]}\n"
                 "    - {name: r, period: 1 ms, components: [early, late]}\n"
                 "  synchronization: {default_policy: INTERPOLATED}\n"
                 "components:\n"
                 "  src: {type: source, stage: control}\n"
                 "  early: {type: probe, inputs: {u: {from: src.y, delayed: true}}}\n"
                 "  late: {type: probe, inputs: {u: src.y}}\n");
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_sample_count, 102);
    for (size_t i = 0; i < rig_sample_count; i++) {
        const rig_sample *m = &rig_samples[i];
        const path p = {
            .policy = TAC_INTERPOLATED, .period_us = 2000, .strict = !strcmp(m->name, "early")};
        assert_int_equal(m->t_us, i / 2 * 1000);
        rig_same(m->f64[0], expected(&p, m->t_us, 0), m->name, m->t_us);
    }
    rig_close(&r);
}

// --- quaternions --------------------------------------------------------------------------------

static double dot4(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// The classical formula: sin((1-c)w)/sin w a + sin(c w)/sin w b, on the shorter arc.
static void slerp(const double *a, const double *b_given, double c, double *q)
{
    double d = dot4(a, b_given);
    const double sign = d < 0 ? -1 : 1;
    d = d < 0 ? -d : d;
    const double w = tac_acos(d > 1 ? 1 : d);
    for (int i = 0; i < 4; i++) {
        q[i] = tac_sin(w) < 1e-9 ? a[i]
                                 : tac_sin((1 - c) * w) / tac_sin(w) * a[i] +
                                       tac_sin(c * w) / tac_sin(w) * sign * b_given[i];
    }
}

static void test_quaternions_stay_on_the_sphere(void **state)
{
    (void)state;
    for (tac_policy policy = TAC_INTERPOLATED; policy <= TAC_EXTRAPOLATED; policy++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "duration: 300 ms\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - {name: w, rate_hz: 100, components: [src]}\n"
                 "    - {name: r, rate_hz: 1000, components: [p, z]}\n"
                 "  synchronization: {default_policy: %s}\n"
                 "components:\n"
                 "  src: {type: source, params: {kind: quat}}\n"
                 "  p: {type: probe, params: {kind: quat}, inputs: {u: src.y}}\n"
                 "  z: {type: probe, inputs: {u: src.y.z}}\n",
                 tac_policy_name(policy));
        rig r;
        rig_open(&r, text);
        rig_run(&r, TAC_TIME_NEVER);
        assert_int_equal(rig_sample_count, 602);
        bool flipped = false;
        for (size_t i = 0; i < rig_sample_count; i += 2) {
            const rig_sample *m = &rig_samples[i];
            const tac_time when_us = m->t_us / 10000 * 10000;
            double latest[4], before[4], q[4];
            rig_quat(when_us, latest);
            if (when_us == 0) {
                assert_memory_equal(m->f64, latest, sizeof latest);
                continue;
            }
            rig_quat(when_us - 10000, before);
            flipped |= dot4(before, latest) < 0;
            const double c = (double)(m->t_us - when_us) / 10000;
            slerp(before, latest, policy == TAC_INTERPOLATED ? c : 1 + c, q);
            // The same attitude: q and -q are one. Rounding differs, as the formula does.
            assert_true(1 - tac_fabs(dot4(q, m->f64)) < 1e-12);
            assert_true(tac_fabs(dot4(m->f64, m->f64) - 1) < 1e-15 * 4);
            // The sign is that of the start of the arc: no jump between two samples.
            if (policy == TAC_INTERPOLATED)
                assert_true(dot4(before, m->f64) > 0);
            rig_same(rig_samples[i + 1].f64[0], m->f64[3], "z", m->t_us);
        }
        assert_true(flipped);
        rig_close(&r);
    }
}

// With a declared body rate the attitude turns on by it: q exp(rate dt).
static void test_quaternion_carried_by_its_rate(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 100 ms\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - {name: w, rate_hz: 100, components: [src]}\n"
                 "    - {name: r, rate_hz: 1000, components: [p]}\n"
                 "  synchronization: {default_policy: EXTRAPOLATED}\n"
                 "components:\n"
                 "  src: {type: source, params: {kind: quat, derivative: true}}\n"
                 "  p: {type: probe, params: {kind: quat}, inputs: {u: src.y}}\n");
    rig_run(&r, TAC_TIME_NEVER);
    for (size_t i = 0; i < rig_sample_count; i++) {
        const rig_sample *m = &rig_samples[i];
        const tac_time when_us = m->t_us / 10000 * 10000;
        double q[4];
        rig_quat(when_us, q);
        if (when_us == 0) { // the first value holds
            assert_memory_equal(m->f64, q, sizeof q);
            continue;
        }
        const double dt = (double)(m->t_us - when_us) / 1e6;
        const double v[3] = {rig_rate(when_us, 0) * dt, rig_rate(when_us, 1) * dt,
                             rig_rate(when_us, 2) * dt};
        const double n = tac_sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        const double w = tac_cos(n / 2), k = n > 0 ? tac_sin(n / 2) / n : 0.5;
        const double e[4] = {w, k * v[0], k * v[1], k * v[2]};
        const double turned[4] = {q[0] * e[0] - q[1] * e[1] - q[2] * e[2] - q[3] * e[3],
                                  q[0] * e[1] + q[1] * e[0] + q[2] * e[3] - q[3] * e[2],
                                  q[0] * e[2] - q[1] * e[3] + q[2] * e[0] + q[3] * e[1],
                                  q[0] * e[3] + q[1] * e[2] - q[2] * e[1] + q[3] * e[0]};
        for (int j = 0; j < 4; j++)
            assert_true(tac_fabs(turned[j] - m->f64[j]) < 1e-13);
    }
    rig_close(&r);
}

// --- what only holds ----------------------------------------------------------------------------

static void test_other_types_only_hold(void **state)
{
    (void)state;
    for (int kind = RIG_I32; kind <= RIG_ENUM; kind++) {
        for (tac_policy policy = TAC_ZOH; policy <= TAC_EXTRAPOLATED; policy++) {
            char text[1024];
            snprintf(text, sizeof text,
                     "duration: 60 ms\n"
                     "scheduler:\n"
                     "  rate_groups:\n"
                     "    - {name: w, period: 7 ms, components: [src]}\n"
                     "    - {name: r, period: 1 ms, components: [p]}\n"
                     "  synchronization: {default_policy: %s}\n"
                     "components:\n"
                     "  src: {type: source, params: {kind: %s}}\n"
                     "  p: {type: probe, params: {kind: %s}, inputs: {u: {from: src.y, delay: 14 "
                     "ms}}}\n",
                     tac_policy_name(policy), rig_kinds[kind], rig_kinds[kind]);
            rig r;
            rig_open(&r, text);
            rig_run(&r, TAC_TIME_NEVER);
            for (size_t i = 0; i < rig_sample_count; i++) {
                const rig_sample *m = &rig_samples[i];
                const tac_time when_us = m->t_us < 14000 ? 0 : (m->t_us - 14000) / 7000 * 7000;
                const int64_t value = kind == RIG_BOOL   ? rig_whole(when_us) & 1
                                      : kind == RIG_ENUM ? (int64_t)(when_us / 1000 % 3)
                                                         : rig_whole(when_us);
                assert_int_equal(m->whole, m->t_us < 14000 ? 0 : value);
            }
            rig_close(&r);
        }
    }
}

// Explicit times have no period: a line through the last two values would have no slope in time.
static void test_irregular_writers_hold(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 20 ms\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - {name: w, times: [0, 3 ms, 4 ms, 11 ms], components: [src]}\n"
                 "    - {name: r, period: 1 ms, components: [p, q]}\n"
                 "  synchronization: {default_policy: INTERPOLATED}\n"
                 "components:\n"
                 "  src: {type: source}\n"
                 "  p: {type: probe, inputs: {u: src.y}}\n"
                 "  q: {type: probe, inputs: {u: {from: src.y, policy: EXTRAPOLATED}}}\n");
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_sample_count, 42);
    for (size_t i = 0; i < rig_sample_count; i++) {
        const tac_time t_us = rig_samples[i].t_us;
        const tac_time when_us = t_us >= 11000  ? 11000
                                 : t_us >= 4000 ? 4000
                                 : t_us >= 3000 ? 3000
                                                : 0;
        rig_same(rig_samples[i].f64[0], rig_value(when_us, 0), rig_samples[i].name, t_us);
    }
    rig_close(&r);
}

// A rate and extra times, some of which are on the rate anyhow: one step at each, and no line
// through values that are not a period apart.
static void test_rate_and_times(void **state)
{
    (void)state;
    static const tac_time writes_us[] = {2000,  3000,  7000,  11000, 12000, 17000,
                                         22000, 27000, 30000, 32000, 37000};
    enum { WRITES = sizeof writes_us / sizeof *writes_us };
    rig r;
    rig_open(&r, "duration: 40 ms\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - name: w\n"
                 "      period: 5 ms\n"
                 "      offset: 2 ms\n"
                 "      times: [3 ms, 7 ms, 11 ms, 30 ms, 50 ms]\n"
                 "      components: [src, w]\n"
                 "    - {name: r, period: 1 ms, components: [p]}\n"
                 "  synchronization: {default_policy: INTERPOLATED}\n"
                 "components:\n"
                 "  src: {type: source}\n"
                 "  w: {type: probe, inputs: {u: src.y}}\n"
                 "  p: {type: probe, inputs: {u: src.y}}\n");
    rig_run(&r, TAC_TIME_NEVER);
    size_t steps = 0;
    for (size_t i = 0; i < rig_sample_count; i++) {
        const rig_sample *m = &rig_samples[i];
        if (!strcmp(m->name, "w")) {
            assert_true(steps < WRITES);
            assert_int_equal(m->t_us, writes_us[steps++]);
            continue;
        }
        size_t n = 0;
        while (n < WRITES && writes_us[n] <= m->t_us)
            n++;
        rig_same(m->f64[0], n ? rig_value(writes_us[n - 1], 0) : 0, m->name, m->t_us);
    }
    assert_int_equal(steps, WRITES);
    const tac_group_info info = tac_engine_group_info(r.engine, 0);
    assert_int_equal(info.period_us, 5000);
    assert_int_equal(info.offset_us, 2000);
    assert_int_equal(info.times, 5);
    rig_close(&r);
    rig_refused("duration: 1 ms\n"
                "scheduler:\n"
                "  rate_groups:\n"
                "    - {name: a, period: 1 ms, times: [300 us], components: [src]}\n"
                "    - {name: b, period: 1 ms, components: [p]}\n"
                "components:\n"
                "  src: {type: source}\n"
                "  p: {type: probe, inputs: {u: {from: src.y, delay: 1 ms}}}\n",
                TAC_E_TIME, "it has no regular period");
}

// A listener steps with its rate group and with every message: not periodic, so it holds.
static void test_triggered_writers_hold(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 60 ms\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - {name: a, period: 10 ms, components: [src, tx]}\n"
                 "    - {name: b, period: 10 ms, offset: 5 ms, components: [rx]}\n"
                 "    - {name: r, period: 1 ms, components: [p]}\n"
                 "  synchronization: {default_policy: INTERPOLATED}\n"
                 "components:\n"
                 "  src: {type: source}\n"
                 "  tx: {type: beacon, inputs: {u: src.y}}\n"
                 "  rx: {type: listener}\n"
                 "  p: {type: probe, inputs: {u: rx.y}}\n"
                 "links: [{from: tx.tx, to: rx.rx, delay: 2 ms}]\n");
    rig_run(&r, TAC_TIME_NEVER);
    for (size_t i = 0; i < rig_sample_count; i++) {
        const tac_time t_us = rig_samples[i].t_us;
        rig_same(rig_samples[i].f64[0],
                 t_us < 2000 ? 0 : rig_value((t_us - 2000) / 10000 * 10000, 0), "p", t_us);
    }
    rig_close(&r);
}

// As a source, and between its steps once more when it wakes up.
static tac_status waker_step(tac_step *s, const void *self)
{
    const tac_status status = rig_source_step(s, self);
    return status == TAC_OK && (s->due & TAC_DUE_AXIS) ? tac_wake_at(s, s->t_us + 4000) : status;
}

static void test_writers_with_timers_hold(void **state)
{
    (void)state;
    tac_component_type waker = rig_source_type;
    waker.name = "waker";
    waker.flags = TAC_COMPONENT_TIMER;
    waker.kernels[TAC_NUMBERS].step = waker_step;
    rig_types[0] = &waker;
    rig r;
    rig_open(&r, "duration: 60 ms\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - {name: w, period: 10 ms, components: [src]}\n"
                 "    - {name: r, period: 1 ms, components: [p]}\n"
                 "  synchronization: {default_policy: INTERPOLATED}\n"
                 "components:\n"
                 "  src: {type: waker}\n"
                 "  p: {type: probe, inputs: {u: src.y}}\n");
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_sample_count, 61);
    for (size_t i = 0; i < rig_sample_count; i++) {
        const tac_time t_us = rig_samples[i].t_us, axis_us = t_us / 10000 * 10000;
        rig_same(rig_samples[i].f64[0],
                 rig_value(t_us - axis_us < 4000 ? axis_us : axis_us + 4000, 0), "p", t_us);
    }
    rig_close(&r);
    rig_types[0] = NULL;
}

// --- which policy -------------------------------------------------------------------------------

static void test_last_matching_override_wins(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "duration: 100 ms\n"
             "scheduler:\n"
             "  rate_groups:\n"
             "    - {name: w, period: 10 ms, components: [a, b, c]}\n"
             "    - {name: r, period: 1 ms, components: [pa, pb, pc, pd]}\n"
             "  synchronization:\n"
             "    default_policy: INTERPOLATED\n"
             "    overrides:\n"
             "      - {pattern: 'a.*', policy: ZOH}\n"
             "      - {pattern: 'b.y', policy: ZOH}\n"
             "      - {pattern: 'b*', policy: EXTRAPOLATED}\n"
             "      - {pattern: 'nothing.*', policy: ZOH}\n"
             "components:\n"
             "  a: {type: source}\n"
             "  b: {type: source}\n"
             "  c: {type: source}\n"
             "  pa: {type: probe, inputs: {u: a.y}}\n"
             "  pb: {type: probe, inputs: {u: b.y}}\n"
             "  pc: {type: probe, inputs: {u: c.y}}\n"
             "  pd: {type: probe, inputs: {u: {from: b.y, policy: ZOH}}}\n"); // the route's own
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_sample_count, 404);
    for (size_t i = 0; i < rig_sample_count; i++) {
        const rig_sample *m = &rig_samples[i];
        const char who = m->name[1];
        const path p = {.policy = who == 'b'   ? TAC_EXTRAPOLATED
                                  : who == 'c' ? TAC_INTERPOLATED
                                               : TAC_ZOH,
                        .period_us = 10000};
        rig_same(m->f64[0], expected(&p, m->t_us, 0), m->name, m->t_us);
    }
    rig_close(&r);
}

static void test_no_policy_inside_a_group(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 50 ms\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - {name: g, period: 10 ms, components: [src, p, q]}\n"
                 "  synchronization: {default_policy: INTERPOLATED}\n"
                 "components:\n"
                 "  src: {type: source}\n"
                 "  p: {type: probe, inputs: {u: src.y}}\n"
                 "  q: {type: probe, inputs: {u: {from: src.y, policy: EXTRAPOLATED}}}\n");
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_sample_count, 12);
    for (size_t i = 0; i < rig_sample_count; i++)
        rig_same(rig_samples[i].f64[0], rig_value(rig_samples[i].t_us, 0), "p", 0);
    rig_close(&r);
}

// --- SYNCHRONIZED -------------------------------------------------------------------------------

static void check_group(const rig *r, const char *name, tac_time period_us, tac_time offset_us)
{
    for (size_t i = 0; i < tac_engine_sizes(r->engine).groups; i++) {
        const tac_group_info g = tac_engine_group_info(r->engine, i);
        if (strcmp(g.name, name))
            continue;
        assert_int_equal(g.period_us, period_us);
        assert_int_equal(g.offset_us, offset_us);
        return;
    }
    fail_msg("no group '%s'", name);
}

// The groups a and b share a signal; both step on every instant of the common axis.
static void check_joined(tac_time a_us, tac_time a_offset_us, tac_time b_us, tac_time b_offset_us,
                         tac_time period_us, tac_time offset_us)
{
    char text[1024];
    snprintf(text, sizeof text,
             "duration: 100 ms\n"
             "scheduler:\n"
             "  rate_groups:\n"
             "    - {name: a, period: %llu us, offset: %llu us, components: [src, na]}\n"
             "    - {name: b, period: %llu us, offset: %llu us, components: [p, nb]}\n"
             "  synchronization: {overrides: [{pattern: src.y, policy: SYNCHRONIZED}]}\n"
             "components:\n"
             "  src: {type: source}\n"
             "  na: {type: counter}\n"
             "  nb: {type: counter}\n"
             "  p: {type: probe, inputs: {u: src.y}}\n",
             (unsigned long long)a_us, (unsigned long long)a_offset_us, (unsigned long long)b_us,
             (unsigned long long)b_offset_us);
    rig r;
    rig_open(&r, text);
    check_group(&r, "a", period_us, offset_us);
    check_group(&r, "b", period_us, offset_us);
    rig_run(&r, TAC_TIME_NEVER);
    const size_t steps = (size_t)((100000 - offset_us) / period_us + 1);
    assert_int_equal(rig_i64(&r, "na.n"), steps);
    assert_int_equal(rig_i64(&r, "nb.n"), steps);
    assert_int_equal(rig_sample_count, steps);
    for (size_t i = 0; i < steps; i++) {
        const tac_time t_us = offset_us + i * period_us;
        assert_int_equal(rig_samples[i].t_us, t_us);
        rig_same(rig_samples[i].f64[0], rig_value(t_us, 0), "p", t_us);
    }
    rig_close(&r);
}

static void test_synchronized_groups_step_together(void **state)
{
    (void)state;
    check_joined(2500, 0, 4000, 0, 500, 0); // 400 and 250 Hz: 2 kHz
    check_joined(10000, 0, 1000, 0, 1000, 0);
    check_joined(10000, 0, 10000, 4000, 2000, 0); // gcd of 10, 10 and 4 ms apart
    check_joined(6000, 1000, 4000, 3000, 2000, 1000);
    check_joined(1000, 300, 1000, 300, 1000, 300);
    check_joined(10000, 0, 10000, 9900, 100, 0);            // 10 kHz is allowed
    check_joined(10000, 25000, 10000, 35000, 10000, 25000); // nobody steps before both began
}

static void test_synchronized_is_transitive(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 60 ms\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - {name: a, period: 6 ms, components: [s1]}\n"
                 "    - {name: b, period: 10 ms, components: [p1, s2]}\n"
                 "    - {name: c, period: 15 ms, components: [p2, n]}\n"
                 "    - {name: d, period: 7 ms, components: [p3]}\n"
                 "  synchronization: {default_policy: SYNCHRONIZED, overrides: [{pattern: n.n, "
                 "policy: ZOH}]}\n"
                 "components:\n"
                 "  s1: {type: source}\n"
                 "  p1: {type: probe, inputs: {u: s1.y}}\n"
                 "  s2: {type: source}\n"
                 "  p2: {type: probe, inputs: {u: s2.y}}\n"
                 "  n: {type: counter}\n"
                 "  p3: {type: probe, params: {kind: i64}, inputs: {u: n.n}}\n");
    check_group(&r, "a", 1000, 0); // gcd(6, 10, 15)
    check_group(&r, "b", 1000, 0);
    check_group(&r, "c", 1000, 0);
    check_group(&r, "d", 7000, 0); // only reads it by ZOH
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_i64(&r, "n.n"), 61);
    rig_close(&r);
}

// Whoever only watches does not change the rate of what it watches.
static void test_observers_join_no_group(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 60 ms\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - {name: a, period: 6 ms, components: [src]}\n"
                 "    - {name: b, period: 10 ms, components: [p]}\n"
                 "  synchronization: {default_policy: SYNCHRONIZED}\n"
                 "components:\n"
                 "  src: {type: source}\n"
                 "  p: {type: probe, stage: telemetry, inputs: {u: src.y}}\n");
    check_group(&r, "a", 6000, 0);
    check_group(&r, "b", 10000, 0);
    rig_close(&r);
}

static void test_synchronized_refusals(void **state)
{
    (void)state;
    static const char fast[] =
        "duration: 1 ms\n"
        "scheduler:\n"
        "  rate_groups:\n"
        "    - {name: a, period: 130 us, components: [src]}\n"
        "    - {name: b, period: 210 us, components: [p]}\n"
        "  synchronization: {default_policy: SYNCHRONIZED, allow_fast_sync: %s}\n"
        "components:\n"
        "  src: {type: source}\n"
        "  p: {type: probe, inputs: {u: src.y}}\n";
    char text[1024];
    snprintf(text, sizeof text, fast, "false");
    rig_refused(text, TAC_E_LIMIT,
                "SYNCHRONIZED on 'src.y' makes 'a' and 'b' step together every 10 us, above 10 "
                "kHz; allow it with 'allow_fast_sync: true'");
    snprintf(text, sizeof text, fast, "true");
    rig r;
    rig_open(&r, text);
    check_group(&r, "a", 10, 0);
    rig_close(&r);
    rig_refused("duration: 1 ms\n"
                "scheduler:\n"
                "  rate_groups:\n"
                "    - {name: a, times: [0, 1 ms], components: [src]}\n"
                "    - {name: b, period: 210 us, components: [p]}\n"
                "  synchronization: {default_policy: SYNCHRONIZED}\n"
                "components:\n"
                "  src: {type: source}\n"
                "  p: {type: probe, inputs: {u: src.y}}\n",
                TAC_E_CONFIG, "SYNCHRONIZED needs two regular rates, but 'a' has explicit times");
}

// A signal whose writer was sped up by SYNCHRONIZED interpolates over the period it really has.
static void test_policies_use_the_joined_period(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 60 ms\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - {name: a, period: 6 ms, components: [src]}\n"
                 "    - {name: b, period: 4 ms, components: [q]}\n"
                 "    - {name: c, period: 500 us, components: [p]}\n"
                 "components:\n"
                 "  src: {type: source}\n"
                 "  q: {type: gain, stage: actuate,"
                 " inputs: {u: {from: src.y, policy: SYNCHRONIZED}}}\n"
                 "  p: {type: probe, inputs: {u: {from: src.y, policy: INTERPOLATED}}}\n");
    check_group(&r, "a", 2000, 0);
    rig_run(&r, TAC_TIME_NEVER);
    const path p = {.policy = TAC_INTERPOLATED, .period_us = 2000};
    for (size_t i = 0; i < rig_sample_count; i++)
        rig_same(rig_samples[i].f64[0], expected(&p, rig_samples[i].t_us, 0), "p",
                 rig_samples[i].t_us);
    rig_close(&r);
}

// The shape of DESIGN 5, as it stands there, with the components that it names.
static void test_shape_of_the_design(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, "duration: 200 ms\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - {name: fast,   rate_hz: 1000, components: [EOM, IMU, Actuators]}\n"
                 "    - {name: medium, rate_hz: 100,  components: [GNC, Autopilot]}\n"
                 "    - {name: slow,   rate_hz: 10,   components: [Telemetry, Logger]}\n"
                 "  synchronization:\n"
                 "    default_policy: ZOH\n"
                 "    overrides:\n"
                 "      - {pattern: \"Nav.position*\", policy: INTERPOLATED}\n"
                 "      - {pattern: \"Control.*\", policy: ZOH}\n"
                 "components:\n"
                 "  EOM: {type: oscillator}\n"
                 "  IMU: {type: counter}\n"
                 "  Actuators: {type: counter}\n"
                 "  GNC: {type: counter}\n"
                 "  Autopilot: {type: counter}\n"
                 "  Telemetry: {type: counter}\n"
                 "  Logger: {type: counter}\n");
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_i64(&r, "IMU.n"), 201);
    assert_int_equal(rig_i64(&r, "Autopilot.n"), 21);
    assert_int_equal(rig_i64(&r, "Logger.n"), 3);
    rig_close(&r);
}

// A rule reaches into entities by the name a signal has there; full names do too.
static void test_rules_reach_into_entities(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        double seen; // by the reader in the middle of a period of the writer
    } cases[] = {{"nobody", 3}, {"Count.*", 2.5}, {"uav1.Count.y", 2.5}, {"*", 2.5},
                 {"uav2.*", 3}, {"y", 2.5},       {"ount.*", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "duration: 25 ms\n"
            "scheduler:\n"
            "  rate_groups:\n"
            "    - {name: slow, period: 10 ms, components: [Count]}\n"
            "    - {name: fast, period: 5 ms, components: [Seen]}\n"
            "  synchronization: {overrides: [{pattern: '%s', policy: INTERPOLATED}]}\n"
            "entities:\n"
            "  uav:\n"
            "    count: 2\n"
            "    components:\n"
            "      Count: {type: profile, params: {times: [0, 0.01, 0.02], values: [1, 2, 3]}}\n"
            "      Seen: {type: gain, inputs: {u: Count.y}}\n",
            cases[i].pattern);
        rig r;
        rig_open(&r, text);
        rig_run(&r, TAC_TIME_NEVER);
        assert_true(rig_f64(&r, "uav1.Seen.y") == cases[i].seen);
        rig_close(&r);
    }
}

TEST_MAIN(cmocka_unit_test(test_policies_at_every_boundary),
          cmocka_unit_test(test_reader_before_writer_by_explicit_order),
          cmocka_unit_test(test_quaternions_stay_on_the_sphere),
          cmocka_unit_test(test_quaternion_carried_by_its_rate),
          cmocka_unit_test(test_other_types_only_hold),
          cmocka_unit_test(test_irregular_writers_hold), cmocka_unit_test(test_rate_and_times),
          cmocka_unit_test(test_triggered_writers_hold),
          cmocka_unit_test(test_writers_with_timers_hold),
          cmocka_unit_test(test_last_matching_override_wins),
          cmocka_unit_test(test_rules_reach_into_entities),
          cmocka_unit_test(test_no_policy_inside_a_group),
          cmocka_unit_test(test_synchronized_groups_step_together),
          cmocka_unit_test(test_synchronized_is_transitive),
          cmocka_unit_test(test_observers_join_no_group),
          cmocka_unit_test(test_synchronized_refusals),
          cmocka_unit_test(test_policies_use_the_joined_period),
          cmocka_unit_test(test_shape_of_the_design))
