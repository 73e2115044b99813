// Each built-in type does what its description says, against closed forms written down here.
#include "engine/test_rig.h"

#define PI 3.14159265358979323846

static rig r;

static void open_with(const char *components)
{
    static char text[8192];
    snprintf(text, sizeof text,
             "duration: 2 s\n"
             "scheduler: {rate_groups: [{name: g, period: 10 ms, components: ['*']}]}\n"
             "components:\n%s",
             components);
    rig_open(&r, text);
}

static const double *read3(const char *signal)
{
    return rig_read(&r, signal);
}

static void near(double got, double expected, double tolerance, const char *what)
{
    if (!(tac_fabs(got - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g", what, got, expected);
}

// --- sources ------------------------------------------------------------------------------------

static void test_constant(void **state)
{
    (void)state;
    open_with("  a: {type: constant, params: {value: 2.5, unit: m}}\n"
              "  b: {type: constant, params: {size: 3, value: [1, 2, 3]}}\n"
              "  c: {type: constant, params: {size: 5, value: 7}}\n");
    rig_same(rig_f64(&r, "a.y"), 2.5, "a", 0); // before the first boundary too
    rig_run(&r, 0);
    rig_same(rig_f64(&r, "a.y"), 2.5, "a", 0);
    for (int i = 0; i < 3; i++)
        rig_same(read3("b.y")[i], 1 + i, "b", 0);
    for (int i = 0; i < 5; i++)
        rig_same(read3("c.y")[i], 7, "c", 0);
    const tac_signal_info a = tac_engine_signal_info(r.engine, 0);
    assert_string_equal(a.unit, "m");
    assert_int_equal(tac_engine_signal_info(r.engine, 1).type.shape, TAC_VEC3);
    rig_close(&r);
}

// It needs no rate group: discrete and continuous components read it from the first instant on.
static void test_constant_alone(void **state)
{
    (void)state;
    rig_open(&r, "duration: 1 s\n"
                 "scheduler: {rate_groups: [{name: g, period: 10 ms, components: [f]}]}\n"
                 "components:\n"
                 "  c: {type: constant, params: {value: 3}}\n"
                 "  f: {type: gain, params: {gain: 2}, inputs: {u: c.y}}\n"
                 "  i: {type: integrator, params: {unit: s, rate_unit: 1}, inputs: {u: c.y}}\n");
    rig_run(&r, 0);
    rig_same(rig_f64(&r, "f.y"), 6, "f", 0);
    rig_run(&r, TAC_TIME_MAX);
    rig_same(rig_f64(&r, "c.y"), 3, "c", 0);
    near(rig_f64(&r, "i.x"), 3, 1e-12, "i");
    rig_close(&r);
    rig_refused("duration: 1 s\ncomponents: {s: {type: sine}}\n", TAC_E_CONFIG,
                "is in no rate group");
}

static void test_sine(void **state)
{
    (void)state;
    open_with("  a: {type: sine, params: {size: 2, amplitude: [2, 3], bias: [0, 1], phase: [0, 90 "
              "deg], frequency: 0.5}}\n");
    for (tac_time t_us = 0; t_us <= 2000000; t_us += 10000) {
        rig_run(&r, t_us);
        const double t = (double)t_us / 1e6;
        near(read3("a.y")[0], 2 * tac_sin(PI * t), 1e-14, "sine");
        near(read3("a.y")[1], 1 + 3 * tac_cos(PI * t), 1e-14, "cosine");
    }
    rig_close(&r);
}

static void test_profile(void **state)
{
    (void)state;
    // Given in several units, some of which round: 0.009 ms and 0.03 min.
    rig_open(&r, "duration: 2 s\n"
                 "scheduler: {rate_groups: [{name: g, times: [0, 8 us, 9 us, 99999 us, 100 ms, "
                 "1799999 us, 1800 ms, 2 s], components: [a]}]}\n"
                 "components: {a: {type: profile, params: {times: [0.009 ms, 0.1, 0.03 min], "
                 "values: [1, -2, 5]}}}\n");
    static const struct {
        tac_time t_us;
        double value;
    } expected[] = {{0, 0},       {8, 0},        {9, 1},       {99999, 1},
                    {100000, -2}, {1799999, -2}, {1800000, 5}, {2000000, 5}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        rig_run(&r, expected[i].t_us);
        rig_same(rig_f64(&r, "a.y"), expected[i].value, "profile", expected[i].t_us);
    }
    rig_close(&r);
    rig_refused("duration: 1 s\n"
                "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [a]}]}\n"
                "components: {a: {type: profile, params: {times: [0.0000005], values: [1]}}}\n",
                TAC_E_CONFIG, "times must be whole microseconds");
    rig_refused("duration: 1 s\n"
                "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [a]}]}\n"
                "components: {a: {type: profile, params: {times: [1, 1], values: [1, 2]}}}\n",
                TAC_E_CONFIG, "times must ascend");
}

// Straight lines, and the cubic on which the points lie; at both ends the value holds.
static void test_profile_between_times(void **state)
{
    (void)state;
    rig_open(&r, "duration: 5 s\n"
                 "scheduler: {rate_groups: [{name: g, period: 10 ms, components: ['*']}]}\n"
                 "components:\n"
                 "  line: {type: profile, params: {times: [1, 2, 4], values: [1, 3, -1],\n"
                 "    interpolation: linear}}\n"
                 "  curve: {type: profile, params: {times: [1, 1.5, 2, 3.5, 4],\n"
                 "    values: [1, 3.375, 8, 42.875, 64], interpolation: spline}}\n");
    for (tac_time t_us = 0; t_us <= 5000000; t_us += 130000) {
        rig_run(&r, t_us);
        const double t = t_us < 1000000 ? 1 : t_us > 4000000 ? 4 : (double)t_us * 1e-6;
        near(rig_f64(&r, "line.y"), t < 2 ? 1 + 2 * (t - 1) : 3 - 2 * (t - 2), 1e-14, "line");
        near(rig_f64(&r, "curve.y"), t * t * t, 4e-14, "curve");
    }
    rig_close(&r);
#define REFUSED(params, part)                                                                      \
    rig_refused("duration: 1 s\n"                                                                  \
                "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [a]}]}\n"           \
                "components: {a: {type: profile, params: {" params "}}}\n",                        \
                TAC_E_CONFIG, part)
    REFUSED("times: [1, 2], values: [1, 2], interpolation: spline", "at least 3 points, found 2");
    REFUSED("times: [1], values: [1], interpolation: linear", "at least two times, found 1");
    REFUSED("times: [1, 3, 2], values: [1, 2, 3], interpolation: spline", "times must ascend");
#undef REFUSED
}

static void test_noise_and_sensor(void **state)
{
    (void)state;
    open_with("  n: {type: noise, params: {size: 2, deviation: [0, 3]}}\n"
              "  c: {type: constant, params: {size: 2, value: [10, 20]}}\n"
              "  s: {type: sensor, params: {size: 2, deviation: [0, 0.5], bias: [1, -1]}, inputs: "
              "{u: c.y}}\n");
    double squares[2] = {0}, sum = 0;
    for (tac_time t_us = 0; t_us <= 2000000; t_us += 10000) {
        rig_run(&r, t_us);
        assert_true(read3("n.y")[0] == 0); // no deviation, no noise; of either sign
        rig_same(read3("s.y")[0], 11, "bias", t_us);
        squares[0] += read3("n.y")[1] * read3("n.y")[1];
        squares[1] += (read3("s.y")[1] - 19) * (read3("s.y")[1] - 19);
        sum += read3("n.y")[1];
    }
    near(squares[0] / 201, 9, 5 * 9 * tac_sqrt(2.0 / 201), "variance of noise");
    near(squares[1] / 201, 0.25, 5 * 0.25 * tac_sqrt(2.0 / 201), "variance of sensor");
    near(sum / 201, 0, 5 * 3 / tac_sqrt(201), "mean of noise");
    rig_close(&r);
}

static void test_counter(void **state)
{
    (void)state;
    open_with("  n: {type: counter}\n");
    assert_int_equal(rig_i64(&r, "n.n"), 0);
    rig_run(&r, 0);
    assert_int_equal(rig_i64(&r, "n.n"), 1);
    rig_run(&r, 999999);
    assert_int_equal(rig_i64(&r, "n.n"), 100);
    rig_close(&r);
}

static void test_circle(void **state)
{
    (void)state;
    open_with("  c: {type: circle, params: {radius: 4 m, height: 2 m, rate: 90 deg/s}}\n");
    near(read3("c.position")[0], 4, 1e-15, "position at the start");
    for (tac_time t_us = 0; t_us <= 2000000; t_us += 10000) {
        rig_run(&r, t_us);
        const double a = PI / 2 * (double)t_us / 1e6;
        const double *p = read3("c.position"), *v = read3("c.velocity"), *q = read3("c.attitude");
        near(p[0], 4 * tac_cos(a), 1e-14, "north");
        near(p[1], 4 * tac_sin(a), 1e-14, "east");
        rig_same(p[2], -2, "down", t_us);
        near(v[0], -2 * PI * tac_sin(a), 1e-14, "v north");
        near(v[1], 2 * PI * tac_cos(a), 1e-14, "v east");
        near(q[0] * q[0] + q[3] * q[3], 1, 1e-15, "unit quaternion");
        // The nose, the x axis turned by q, points along the velocity.
        const double nose[2] = {q[0] * q[0] - q[3] * q[3], 2 * q[0] * q[3]};
        near(nose[0] * v[0] + nose[1] * v[1], 2 * PI, 1e-14, "nose along the path");
        near(read3("c.rate")[2], PI / 2, 1e-15, "body rate");
    }
    rig_close(&r);
}

// --- operators ----------------------------------------------------------------------------------

static void test_operators(void **state)
{
    (void)state;
    open_with("  s: {type: sine, params: {amplitude: 2}}\n"
              "  c: {type: constant, params: {value: 0.25}}\n"
              "  k: {type: gain, params: {gain: -3}, inputs: {u: s.y}}\n"
              "  a: {type: sum, params: {a: 2, b: -4}, inputs: {u: s.y, v: c.y}}\n"
              "  b: {type: sum, inputs: {u: s.y}}\n"
              "  l: {type: limit, params: {min: -0.5, max: 1.5}, inputs: {u: s.y}}\n");
    for (tac_time t_us = 0; t_us <= 2000000; t_us += 10000) {
        rig_run(&r, t_us);
        const double u = rig_f64(&r, "s.y");
        rig_same(rig_f64(&r, "k.y"), -3 * u, "gain", t_us);
        rig_same(rig_f64(&r, "a.y"), 2 * u + -4 * 0.25, "sum", t_us);
        rig_same(rig_f64(&r, "b.y"), 1 * u + 1 * 0.0, "sum with one input", t_us);
        rig_same(rig_f64(&r, "l.y"), u < -0.5 ? -0.5 : u > 1.5 ? 1.5 : u, "limit", t_us);
    }
    rig_close(&r);
}

// Step response of a first-order lag, sampled: 1 - exp(-n T / tau), exact at every sample.
static void test_filter(void **state)
{
    (void)state;
    open_with("  c: {type: constant, params: {value: 3}}\n"
              "  f: {type: filter, params: {tau: 0.2 s}, inputs: {u: c.y}}\n");
    for (tac_time t_us = 0; t_us <= 2000000; t_us += 10000) {
        rig_run(&r, t_us);
        const double n = (double)(t_us / 10000); // at t = 0 nothing has happened yet
        near(rig_f64(&r, "f.y"), 3 * (1 - tac_exp(-n * 0.01 / 0.2)), 1e-13, "filter");
    }
    rig_close(&r);
    rig_refused("duration: 1 s\n"
                "scheduler: {rate_groups: [{name: g, times: [0, 1 s], components: ['*']}]}\n"
                "components: {c: {type: constant}, f: {type: filter, inputs: {u: c.y}}}\n",
                TAC_E_COMPONENT, "needs a rate group with a period");
}

static void test_tracker(void **state)
{
    (void)state;
    open_with("  t: {type: constant, params: {size: 3, unit: m, value: [1, 2, 30]}}\n"
              "  p: {type: constant, params: {size: 3, unit: m, value: [0.5, 4, 0]}}\n"
              "  v: {type: constant, params: {size: 3, unit: m/s, value: [1, -1, 0]}}\n"
              "  w: {type: constant, params: {size: 3, unit: m/s, value: [3, 3, 3]}}\n"
              "  a: {type: tracker, params: {stiffness: 4, damping: 2, limit: 50}, inputs: "
              "{target: t.y, position: p.y, velocity: v.y}}\n"
              "  b: {type: tracker, params: {stiffness: 4, damping: 2, limit: 50}, inputs: "
              "{target: t.y, position: p.y, velocity: v.y, target_velocity: w.y}}\n");
    rig_run(&r, 0);
    const double a[3] = {4 * 0.5 - 2, 4 * -2 + 2, 50}, b[3] = {2 + 4, -8 + 8, 50};
    for (int i = 0; i < 3; i++) {
        rig_same(read3("a.force")[i], a[i], "tracker", 0);
        rig_same(read3("b.force")[i], b[i], "tracker", 0);
    }
    rig_close(&r);
}

// --- plants -------------------------------------------------------------------------------------

static void test_integrator_and_lag(void **state)
{
    (void)state;
    open_with("  c: {type: constant, params: {size: 3, unit: m/s, value: [1, -2, 0.5]}}\n"
              "  i: {type: integrator, params: {size: 3, unit: m, rate_unit: m/s, initial: [0, 1, "
              "2]}, inputs: {u: c.y}}\n"
              "  u: {type: constant, params: {value: 5}}\n"
              "  l: {type: lag, params: {tau: 0.5, initial: 1}, inputs: {u: u.y}}\n");
    for (tac_time t_us = 0; t_us <= 2000000; t_us += 10000) {
        rig_run(&r, t_us);
        const double t = (double)t_us / 1e6;
        near(read3("i.x")[0], t, 1e-12, "integral");
        near(read3("i.x")[1], 1 - 2 * t, 1e-12, "integral");
        near(read3("i.x")[2], 2 + 0.5 * t, 1e-12, "integral");
        near(rig_f64(&r, "l.x"), 5 - 4 * tac_exp(-t / 0.5), 1e-12, "lag");
    }
    rig_close(&r);
}

// m x'' + c x' + k x = f with x(0), v(0): the underdamped solution about f / k.
static void oscillate(double m, double c, double k, double f, double x0, double v0, double t,
                      double *x, double *v)
{
    const double d = c / (2 * m), w = tac_sqrt(k / m - d * d), a = x0 - f / k;
    const double b = (v0 + d * a) / w, e = tac_exp(-d * t);
    *x = f / k + e * (a * tac_cos(w * t) + b * tac_sin(w * t));
    *v = e * ((b * w - d * a) * tac_cos(w * t) - (a * w + d * b) * tac_sin(w * t));
}

static double oscillator_error(const char *kind, const char *h_max)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "duration: 1 s\n"
             "scheduler: {rate_groups: [{name: g, period: 250 ms, components: [f, n]}]}\n"
             "plant: {integrator: {kind: %s, h_max: %s}}\n"
             "components:\n"
             "  f: {type: constant, params: {value: 2, unit: N}}\n"
             "  n: {type: gain, params: {unit: J}, inputs: {u: o.energy}}\n"
             "  o: {type: oscillator, params: {mass: 0.5, damping: 0.3, stiffness: 20, position: "
             "0.7, velocity: -1}, inputs: {force: f.y}}\n",
             kind, h_max);
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_NEVER);
    double x, v;
    oscillate(0.5, 0.3, 20, 2, 0.7, -1, 1, &x, &v);
    const double px = rig_f64(&r, "o.position"), pv = rig_f64(&r, "o.velocity");
    rig_same(rig_f64(&r, "o.energy"), 0.5 * (0.5 * pv * pv + 20 * px * px), "energy", 1000000);
    rig_close(&r);
    return tac_fabs(px - x) + tac_fabs(pv - v);
}

// Halving the step divides the error by 2 for Euler and by 16 for rk4.
static void test_oscillator_order_of_convergence(void **state)
{
    (void)state;
    static const char *const steps[] = {"2 ms", "1 ms", "500 us", "250 us"};
    for (int i = 0; i + 1 < 4; i++) {
        const double order =
            tac_log2(oscillator_error("euler", steps[i]) / oscillator_error("euler", steps[i + 1]));
        near(order, 1, 0.1, "order of euler");
    }
    static const char *const longer[] = {"25 ms", "12500 us", "6250 us", "3125 us"};
    for (int i = 0; i + 1 < 4; i++) {
        const double order =
            tac_log2(oscillator_error("rk4", longer[i]) / oscillator_error("rk4", longer[i + 1]));
        near(order, 4, 0.2, "order of rk4");
    }
    assert_true(oscillator_error("rk4", "1 ms") < 1e-9);
}

// Terminal velocity in wind: v = w + m g / c + (v0 - w - m g / c) exp(-c t / m), north and down.
static void test_point_mass(void **state)
{
    (void)state;
    open_with("  f: {type: constant, params: {size: 3, unit: N, value: [1, 0, 0]}}\n"
              "  w: {type: constant, params: {size: 3, unit: m/s, value: [0, 3, 0]}}\n"
              "  p: {type: point_mass, params: {mass: 2 kg, drag: 0.8, position: [1, 2, 3], "
              "velocity: [4, 0, -1]}, inputs: {force: f.y, wind: w.y}}\n"
              "  q: {type: point_mass, params: {velocity: [1, 2, 3]}}\n");
    for (tac_time t_us = 0; t_us <= 2000000; t_us += 10000) {
        rig_run(&r, t_us);
        const double t = (double)t_us / 1e6, e = tac_exp(-0.4 * t);
        const double end[3] = {1 / 0.8, 3, 2 * 9.80665 / 0.8}, v0[3] = {4, 0, -1};
        for (int i = 0; i < 3; i++) {
            near(read3("p.velocity")[i], end[i] + (v0[i] - end[i]) * e, 1e-11, "velocity");
            near(read3("p.position")[i], 1 + i + end[i] * t + (v0[i] - end[i]) * (1 - e) / 0.4,
                 1e-11, "position");
            near(read3("q.position")[i], (1 + i) * t + (i == 2 ? 9.80665 / 2 * t * t : 0), 1e-11,
                 "free fall");
        }
    }
    rig_close(&r);
}

// --- messages and the monitor -------------------------------------------------------------------

static void test_beacon_and_listener(void **state)
{
    (void)state;
    rig_open(&r, "duration: 1 s\n"
                 "scheduler: {rate_groups: [{name: g, period: 10 ms, components: [n, tx, k]}]}\n"
                 "components:\n"
                 "  n: {type: sine, params: {size: 3}}\n"
                 "  k: {type: constant, params: {size: 3, value: 9}}\n"
                 "  tx: {type: beacon, params: {size: 3}, inputs: {u: n.y}}\n"
                 "  rx: {type: listener, params: {size: 3}}\n"
                 "links: [{from: tx.tx, to: rx.rx, delay: 3 ms}]\n");
    for (tac_time t_us = 0; t_us < 1000000; t_us += 10000) {
        rig_run(&r, t_us);
        const double sent[3] = {read3("n.y")[0], read3("n.y")[1], read3("n.y")[2]};
        rig_run(&r, t_us + 3000);
        assert_memory_equal(read3("rx.y"), sent, sizeof sent);
        assert_int_equal(rig_i64(&r, "rx.count"), t_us / 10000 + 1);
        assert_int_equal(rig_i64(&r, "rx.sender"), 0);
    }
    rig_close(&r);
    rig_refused("duration: 1 s\n"
                "scheduler: {rate_groups: [{name: g, period: 10 ms, components: [n, tx]}]}\n"
                "components:\n"
                "  n: {type: sine, params: {size: 2}}\n"
                "  tx: {type: beacon, params: {size: 2}, inputs: {u: n.y}}\n"
                "  rx: {type: listener, params: {size: 3}}\n"
                "links: [{from: tx.tx, to: rx.rx, delay: 3 ms}]\n",
                TAC_E_COMPONENT, "a message of 16 bytes is not 3 numbers");
}

static char logged[8][2048];
static size_t log_count;

static void keep_log(void *context, const tac_log_entry *entry)
{
    (void)context;
    snprintf(logged[log_count++ % 8], sizeof logged[0], "%llu %s: %s",
             (unsigned long long)entry->t_us, entry->component, entry->text);
}

static void test_monitor(void **state)
{
    (void)state;
    static const char text[] =
        "duration: 20 ms\n"
        "scheduler: {rate_groups: [{name: g, period: 10 ms, components: ['*']}]}\n"
        "components:\n"
        "  c: {type: constant, params: {size: 3, unit: m, value: [1.5, -2, 1e-300]}}\n"
        "  m: {type: monitor, params: {size: 3, unit: m, label: place}, inputs: {u: c.y}}\n"
        "  d: {type: constant, params: {size: 64, value: -1.234567890123e-300}}\n"
        "  n: {type: monitor, params: {size: 64}, inputs: {u: d.y}}\n";
    rig_open(&r, text);
    tac_engine_def def = tac_config_engine_def(r.config);
    def.log = keep_log;
    tac_engine *e;
    assert_int_equal(tac_config_build(r.config, &def, &e, &r.err), TAC_OK);
    log_count = 0;
    assert_int_equal(tac_engine_run(e, TAC_TIME_NEVER, &r.err), TAC_OK);
    assert_int_equal(log_count, 6);
    assert_string_equal(logged[2], "10000 m: place = 1.5, -2, 1e-300 m");
    assert_non_null(strstr(logged[3], "10000 n: value = -1.23457e-300, -1.23457e-300"));
    tac_engine_destroy(e);
    rig_close(&r);

    // Only at multiples of a time
    const char *every = "components.m.params.every=20 ms";
    assert_int_equal(rig_try_sets(&r, text, &every, 1), TAC_OK);
    assert_int_equal(tac_config_build(r.config, &def, &e, &r.err), TAC_OK);
    log_count = 0;
    assert_int_equal(tac_engine_run(e, TAC_TIME_NEVER, &r.err), TAC_OK);
    assert_int_equal(log_count, 5);
    assert_string_equal(logged[3], "20000 m: place = 1.5, -2, 1e-300 m");
    tac_engine_destroy(e);
    rig_close(&r);
}

// Whatever the size, every type can be built with it; and none writes past what it has.
static void test_sizes(void **state)
{
    (void)state;
    static const char *const sourced[] = {"gain",   "sum",    "limit",   "filter",
                                          "sensor", "beacon", "monitor", "integrator"};
    static const char *const sources[] = {"constant", "sine", "noise", "listener"};
    for (int size = 1; size <= 64; size += 7) {
        char text[4096];
        size_t n = 0;
        for (size_t i = 0; i < 4; i++)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "  s%zu: {type: %s, params: {size: %d}}\n", i, sources[i], size);
        for (size_t i = 0; i < 8; i++)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "  d%zu: {type: %s, params: {size: %d%s}, inputs: {u: s1.y}}\n",
                                  i, sourced[i], size, i == 7 ? ", rate_unit: '1'" : "");
        open_with(text);
        rig_run(&r, 50000);
        rig_close(&r);
    }
}

// Parameters that are values of the signal take its unit; a gain may lead to another one.
static void test_parameters_in_the_unit_of_the_signal(void **state)
{
    (void)state;
    rig_open(&r,
             "duration: 10 ms\n"
             "scheduler: {rate_groups: [{name: g, period: 10 ms, components: ['*']}]}\n"
             "components:\n"
             "  c: {type: constant, params: {unit: m, value: 5 cm}}\n"
             "  k: {type: gain, params: {unit: m, gain: 40, output_unit: N}, inputs: {u: c.y}}\n"
             "  l: {type: limit, params: {unit: N, max: 1500 mN}, inputs: {u: k.y}}\n");
    rig_run(&r, TAC_TIME_NEVER);
    assert_true(rig_f64(&r, "c.y") == 5.0 / 100);
    assert_true(rig_f64(&r, "k.y") == 40 * (5.0 / 100));
    assert_true(rig_f64(&r, "l.y") == 1.5);
    rig_close(&r);
    rig_refused("duration: 10 ms\n"
                "scheduler: {rate_groups: [{name: g, period: 10 ms, components: ['*']}]}\n"
                "components: {c: {type: constant, params: {unit: m, value: 5 kg}}}\n",
                TAC_E_UNIT, "'5 kg' is not in a unit of m");
}

TEST_MAIN(cmocka_unit_test(test_constant), cmocka_unit_test(test_constant_alone),
          cmocka_unit_test(test_sine), cmocka_unit_test(test_profile),
          cmocka_unit_test(test_profile_between_times), cmocka_unit_test(test_noise_and_sensor),
          cmocka_unit_test(test_counter), cmocka_unit_test(test_circle),
          cmocka_unit_test(test_operators), cmocka_unit_test(test_filter),
          cmocka_unit_test(test_tracker), cmocka_unit_test(test_integrator_and_lag),
          cmocka_unit_test(test_oscillator_order_of_convergence), cmocka_unit_test(test_point_mass),
          cmocka_unit_test(test_beacon_and_listener), cmocka_unit_test(test_monitor),
          cmocka_unit_test(test_parameters_in_the_unit_of_the_signal), cmocka_unit_test(test_sizes))
