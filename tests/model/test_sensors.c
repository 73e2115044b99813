// Estimator and sensors: noise, drift, limits, rounding, exact delays, faults. That they are the
// same in every kind and lane is in test_sensors_kinds.c.
#include "engine/test_rig.h"

#include "model/labels.h"
#define TAC_KIND_F64
#include "model/sensors/measure.h"
#include "model/world/atmosphere.h"
#include "model/world/geodesy.h"

static rig r;

static void near(double got, double expected, double tolerance, const char *what)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g", what, got, expected);
}

// --- a body that moves, and faults in turn ------------------------------------------------------

// What a body has at t: smooth, known, never the same twice.
enum { POSITION, VELOCITY, ATTITUDE, RATE, FORCE, PRESSURE, BODY_PORTS };
static const struct {
    const char *name, *unit;
    tac_type type;
} body_ports[BODY_PORTS] = {
    {"position", "m", TAC_TYPE_VEC3},           {"velocity", "m/s", TAC_TYPE_VEC3},
    {"attitude", NULL, TAC_TYPE_QUAT},          {"rate", "rad/s", TAC_TYPE_VEC3},
    {"specific_force", "m/s^2", TAC_TYPE_VEC3}, {"air_pressure", "Pa", TAC_TYPE_F64}};

static void body_at(tac_time t_us, int port, double *y)
{
    const double t = (double)t_us / 1e6;
    if (port == ATTITUDE)
        rig_quat(t_us, y);
    else if (port == PRESSURE)
        *y = 95000 - 3 * t;
    else
        for (int i = 0; i < 3; i++)
            y[i] = (1 + i + port) * 0.25 * sin(t * (1 + i) + port);
}

static tac_status body_declare(tac_declare *d, void *self)
{
    (void)self;
    for (int i = 0; i < BODY_PORTS; i++)
        tac_declare_output(d, TAC_PORT(.name = body_ports[i].name, .unit = body_ports[i].unit,
                                       .type = body_ports[i].type));
    return TAC_OK;
}

static tac_status body_step(tac_step *s, const void *self)
{
    (void)self;
    for (int i = 0; i < BODY_PORTS; i++)
        body_at(s->t_us, i, TAC_OUT(s, double, i));
    return TAC_OK;
}

static const tac_component_type body_type = {.size = sizeof(tac_component_type),
                                             .name = "moving_body",
                                             .version = "1",
                                             .stage = TAC_STAGE_ENVIRONMENT,
                                             .declare = body_declare,
                                             .kernels[TAC_NUMBERS].step = body_step};

// From 1 s until before 2 s a fault; none before and after.
typedef struct breaker {
    int fault;
    double value;
} breaker;

static tac_status breaker_declare(tac_declare *d, void *self)
{
    breaker *c = self;
    c->fault = tac_param_choice(d, TAC_PARAM(.name = "fault", .fallback = "none"),
                                tac__sensor_fault_labels);
    c->value = tac_param_f64(d, TAC_PARAM(.name = "value", .fallback = "0"));
    tac_declare_output(d,
                       TAC_PORT(.name = "fault", .type = TAC_TYPE_ENUM(tac__sensor_fault_labels)));
    tac_declare_output(d, TAC_PORT(.name = "value", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status breaker_step(tac_step *s, const void *self)
{
    const breaker *c = self;
    const bool now = s->t_us >= 1000000 && s->t_us < 2000000;
    *TAC_OUT(s, int32_t, 0) = now ? c->fault : 0;
    *TAC_OUT(s, double, 1) = c->value;
    return TAC_OK;
}

static const tac_component_type breaker_type = {.size = sizeof(tac_component_type),
                                                .name = "breaker",
                                                .version = "1",
                                                .stage = TAC_STAGE_SCENARIO,
                                                .self_size = sizeof(breaker),
                                                .declare = breaker_declare,
                                                .kernels[TAC_NUMBERS].step = breaker_step};

static int setup(void **state)
{
    (void)state;
    rig_types[0] = &body_type;
    rig_types[1] = &breaker_type;
    return 0;
}

static const char estimator_in[] =
    "position: body.position, velocity: body.velocity, attitude: body.attitude, rate: body.rate";
static const char imu_in[] = "rate: body.rate, specific_force: body.specific_force";
static const char gps_in[] = "position: body.position, velocity: body.velocity";

static const char *text_of(const char *period, const char *type, const char *params,
                           const char *inputs, const char *fault)
{
    static char text[4096];
    snprintf(text, sizeof text,
             "duration: 1000000 s\n"
             "world: {latitude: 47.397742 deg, longitude: 8.545594 deg, altitude: 488 m}\n"
             "scheduler: {rate_groups: [{name: g, period: %s, components: ['*']}]}\n"
             "components:\n"
             "  breaker: {type: breaker, params: {%s}}\n"
             "  body: {type: moving_body}\n"
             "  s: {type: %s, params: {%s}, inputs: {%s, fault: breaker.fault, fault_value: "
             "breaker.value}}\n",
             period, fault, type, params, inputs);
    return text;
}

static void open_sensor(const char *period, const char *type, const char *params,
                        const char *inputs, const char *fault)
{
    rig_open(&r, text_of(period, type, params, inputs, fault));
}

static const double *output(const char *port)
{
    char name[32];
    snprintf(name, sizeof name, "s.%s", port);
    return rig_read(&r, name);
}

static bool valid(void)
{
    return *(const bool *)rig_read(&r, "s.valid");
}

// --- estimator ----------------------------------------------------------------------------------

static void check_body(const char *const *names, const int *ports, int count, tac_time t_us,
                       tac_time now_us)
{
    for (int i = 0; i < count; i++) {
        double truth[4];
        body_at(t_us, ports[i], truth);
        for (uint32_t k = 0; k < body_ports[ports[i]].type.count; k++)
            rig_same(output(names[i])[k], truth[k], names[i], now_us);
    }
}

static const char *const estimated[] = {"position", "velocity", "attitude", "rate"};
static const int estimated_ports[] = {POSITION, VELOCITY, ATTITUDE, RATE};

static void test_truth(void **state)
{
    (void)state;
    open_sensor("4 ms", "estimator", "kind: truth", estimator_in, "");
    for (tac_time t_us = 0; t_us < 100000; t_us += 4000) {
        rig_run(&r, t_us);
        check_body(estimated, estimated_ports, 4, t_us, t_us);
        assert_true(valid());
    }
    rig_close(&r);
}

// Without noise the outputs are those of so long ago, bit for bit; before that the first.
static void test_delay_is_exact(void **state)
{
    (void)state;
    static const char quiet[] = "position: {noise: 0}, velocity: {noise: 0}, yaw: {noise: 0}, "
                                "rate: {noise: 0, drift: 0}, delay: ";
    static const tac_time delays_us[] = {0, 4000, 8000, 20000, 256000};
    for (size_t i = 0; i < sizeof delays_us / sizeof *delays_us; i++) {
        char params[256];
        snprintf(params, sizeof params, "%s%llu us", quiet, (unsigned long long)delays_us[i]);
        open_sensor("4 ms", "estimator", params, estimator_in, "");
        for (tac_time t_us = 0; t_us < 600000; t_us += 4000) {
            rig_run(&r, t_us);
            const tac_time seen_us = t_us < delays_us[i] ? 0 : t_us - delays_us[i];
            check_body(estimated, estimated_ports, 4, seen_us, t_us);
        }
        rig_close(&r);
    }
    rig_refused(text_of("4 ms", "estimator", "delay: 256001 us", estimator_in, ""), TAC_E_LIMIT,
                "256.001 ms is more than 64 periods of 4 ms, the rate of 's'");
    rig_refused("duration: 1 s\n"
                "scheduler: {rate_groups: [{name: g, times: [0, 1 ms], components: ['*']}]}\n"
                "components:\n"
                "  body: {type: moving_body}\n"
                "  s: {type: imu, inputs: {rate: body.rate, specific_force: "
                "body.specific_force}}\n",
                TAC_E_COMPONENT, "needs a rate group with a period");
}

// Any delay at any rate: the body moves every 100 us, and what comes out is what it had exactly so
// long ago, at the steps of the sensor and nowhere else.
static void test_delay_between_steps(void **state)
{
    (void)state;
    static const struct {
        tac_time period_us, offset_us, delay_us;
    } cases[] = {{20000, 0, 8000},    {10000, 0, 8000},  {5000, 0, 8000},
                 {2500, 0, 8000},     {10000, 0, 100},   {10000, 3000, 28400},
                 {4000, 3900, 19900}, {4000, 0, 255900}, {4000, 0, 8000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tac_time period_us = cases[i].period_us, offset_us = cases[i].offset_us;
        const tac_time delay_us = cases[i].delay_us;
        char text[2048];
        snprintf(text, sizeof text,
                 "duration: 1 s\n"
                 "scheduler:\n  rate_groups:\n"
                 "    - {name: fast, period: 100 us, components: [body]}\n"
                 "    - {name: g, period: %llu us, offset: %llu us, components: [s]}\n"
                 "components:\n  body: {type: moving_body}\n"
                 "  s:\n    type: estimator\n"
                 "    params: {position: {noise: 0}, velocity: {noise: 0}, yaw: {noise: 0},\n"
                 "             rate: {noise: 0, drift: 0}, delay: %llu us}\n"
                 "    inputs: {%s}\n",
                 (unsigned long long)period_us, (unsigned long long)offset_us,
                 (unsigned long long)delay_us, estimator_in);
        const char *path = path_of("state.checkpoint");
        rig_open(&r, text);
        assert_int_equal(tac_engine_checkpoint_at(r.engine, 301234, path, &r.err), TAC_OK);
        // The first sample is that of the first instant at which it is asked.
        const tac_time ahead_us = (offset_us + period_us - delay_us % period_us) % period_us;
        const tac_time first_us =
            delay_us % period_us && ahead_us < offset_us ? ahead_us : offset_us;
        for (tac_time t_us = offset_us; t_us < 600000; t_us += period_us) {
            rig_run(&r, t_us + period_us - 100); // also at the last instant before the next step
            const tac_time seen_us = t_us < first_us + delay_us ? first_us : t_us - delay_us;
            check_body(estimated, estimated_ports, 4, seen_us, t_us);
        }
        rig_run(&r, TAC_TIME_NEVER);
        const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
        rig_close(&r);
        rig_open(&r, text);
        assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        assert_int_equal(tac_engine_hash(r.engine, NULL, NULL), hash);
        rig_close(&r);
    }
    // What is too long is said with its place before anything runs.
    assert_int_equal(rig_try(&r, text_of("1 ms", "imu", "delay: 65 ms", imu_in, "")), TAC_E_LIMIT);
    assert_int_equal(r.err.line, 7);
    rig_close(&r);
}

// The noise of a sample that is taken ahead is that of one sample: drawn once a period.
static void test_noise_between_steps(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    open_sensor("10 ms", "gps", "position: {noise: 2, drift: 0}, delay: 13 ms", gps_in, "");
    double square = 0, last = 0;
    size_t same = 0;
    for (tac_time k = 0; k < STEPS; k++) {
        rig_run(&r, k * 10000);
        double truth[3]; // the body holds between its steps, which are those of the sensor
        body_at(k < 2 ? 0 : (k - 2) * 10000, POSITION, truth);
        const double error = output("position")[0] - truth[0];
        square += error * error;
        same += error == last;
        last = error;
    }
    near(sqrt(square / STEPS), 2, 0.05, "deviation");
    assert_true(same <= 2); // the first one comes out again until there is another
    rig_close(&r);
}

// The deviations of the facts: noise of position, velocity, yaw, rate, and drift of the rate.
static void test_estimator_statistics(void **state)
{
    (void)state;
    enum { STEPS = 100000, LAG = 100 };
    static double drift[STEPS];
    double squares[4] = {0};
    open_sensor("1 s", "estimator", "delay: 0", estimator_in, "");
    for (int k = 0; k < STEPS; k++) {
        const tac_time t_us = (tac_time)k * 1000000;
        rig_run(&r, t_us);
        for (int i = 0; i < 4; i++) {
            double truth[4];
            body_at(t_us, estimated_ports[i], truth);
            const double *y = output(estimated[i]);
            if (i == ATTITUDE) {
                // y = (cos, 0, 0, sin)(yaw/2) q, so the error is the z of y q*.
                const double *q = truth;
                const double z = -y[0] * q[3] - y[1] * q[2] + y[2] * q[1] + y[3] * q[0];
                const double x = -y[0] * q[1] + y[1] * q[0] - y[2] * q[3] + y[3] * q[2];
                near(x, 0, 1e-15, "roll");
                near(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3], 1, 1e-15, "length");
                squares[i] += 4 * z * z / STEPS;
            } else {
                squares[i] += (y[1] - truth[1]) * (y[1] - truth[1]) / STEPS;
            }
            if (i == RATE)
                drift[k] = y[2] - truth[2];
        }
    }
    rig_close(&r);
    const double sigma2[4] = {4e-4, 2.5e-3, 1e-4, 2.5e-5 + 1e-6};
    for (int i = 0; i < 4; i++)
        near(squares[i], sigma2[i], 6 * sigma2[i] * sqrt(2.0 / STEPS), estimated[i]);
    // What is left at a lag is the drift alone: 1e-6 exp(-lag/50 s).
    double at[2] = {0};
    for (int k = 0; k + LAG < STEPS; k++) {
        at[0] += drift[k] * drift[k + 1] / (STEPS - LAG);
        at[1] += drift[k] * drift[k + LAG] / (STEPS - LAG);
    }
    // The product of two samples has the deviation 26e-6; drift itself is worth a hundredth of
    // them.
    near(at[0], 1e-6 * exp(-1.0 / 50), 5 * (26e-6 / sqrt(STEPS) + 1e-6 * sqrt(100.0 / STEPS)),
         "drift");
    near(at[1], 1e-6 * exp(-2.0), 5 * (26e-6 / sqrt(STEPS) + 1e-6 * sqrt(100.0 / STEPS)),
         "drift after 100 s");
}

// --- faults -------------------------------------------------------------------------------------

enum { FAULT_STEPS = 300 };

static void record(const char *params, const char *fault, double seen[FAULT_STEPS][3],
                   double velocity[FAULT_STEPS][3], bool *ok)
{
    open_sensor("10 ms", "estimator", params, estimator_in, fault);
    for (int k = 0; k < FAULT_STEPS; k++) {
        rig_run(&r, (tac_time)k * 10000);
        memcpy(seen[k], output("position"), sizeof seen[k]);
        memcpy(velocity[k], output("velocity"), sizeof velocity[k]);
        ok[k] = valid();
    }
    rig_close(&r);
}

// Each does what it says from 1 s to 2 s, and leaves no trace: before and after all is as without.
static void test_faults(void **state)
{
    (void)state;
    static double fine[FAULT_STEPS][3], bad[FAULT_STEPS][3];
    static double fine_v[FAULT_STEPS][3], bad_v[FAULT_STEPS][3];
    bool ok[FAULT_STEPS];
    const char *params = "delay: 20 ms, rate: {noise: 0}";
    record(params, "", fine, fine_v, ok);
    for (int k = 0; k < FAULT_STEPS; k++)
        assert_true(ok[k]);
    enum { LATE = 2 }; // of bias and noise, which are delayed with the rest
    for (int fault = TAC__FAULT_FREEZE; fault <= TAC__FAULT_NOISE; fault++) {
        char text[64];
        snprintf(text, sizeof text, "fault: %s, value: 4", tac__sensor_fault_labels[fault]);
        record(params, text, bad, bad_v, ok);
        const bool holds = fault == TAC__FAULT_FREEZE || fault == TAC__FAULT_DROPOUT;
        for (int k = 0; k < FAULT_STEPS; k++) {
            const bool now = k >= 100 && k < 200;
            const bool late = k >= 100 + LATE && k < 200 + LATE;
            assert_true(ok[k] == !(now && fault == TAC__FAULT_DROPOUT));
            for (int i = 0; i < 3; i++) {
                double truth[3], truth_v[3];
                body_at((tac_time)(k < LATE ? 0 : k - LATE) * 10000, POSITION, truth);
                body_at((tac_time)(k < LATE ? 0 : k - LATE) * 10000, VELOCITY, truth_v);
                if (holds && now) {
                    rig_same(bad[k][i], fine[99][i], text, (tac_time)k);
                } else if (fault == TAC__FAULT_BIAS && late) {
                    near(bad[k][i] - fine[k][i], 4, 1e-14, text);
                    rig_same(bad_v[k][i], fine_v[k][i], text, (tac_time)k);
                } else if (fault == TAC__FAULT_NOISE && late) {
                    near(bad[k][i] - truth[i], 4 * (fine[k][i] - truth[i]), 1e-14, text);
                    near(bad_v[k][i] - truth_v[i], 4 * (fine_v[k][i] - truth_v[i]), 1e-14, text);
                } else {
                    rig_same(bad[k][i], fine[k][i], text, (tac_time)k);
                    rig_same(bad_v[k][i], fine_v[k][i], text, (tac_time)k);
                }
            }
        }
    }
}

// Every sensor takes them.
static void test_every_sensor_drops_out(void **state)
{
    (void)state;
    static const struct {
        const char *type, *inputs, *port;
    } sensors[] = {{"imu", imu_in, "rate"},
                   {"barometer", "pressure: body.air_pressure", "pressure"},
                   {"magnetometer", "attitude: body.attitude", "field"},
                   {"gps", gps_in, "latitude"}};
    for (size_t n = 0; n < 2 * sizeof sensors / sizeof *sensors; n++) {
        const size_t i = n / 2, k = n % 2;
        open_sensor("10 ms", sensors[i].type, k ? "delay: 33 ms" : "delay: 30 ms",
                    sensors[i].inputs, "fault: dropout");
        rig_run(&r, 999999);
        const double last = *output(sensors[i].port);
        assert_true(valid());
        rig_run(&r, 1999999);
        assert_true(!valid() && *output(sensors[i].port) == last);
        bool moves = false;
        for (tac_time t_us = 2000000; t_us < 2100000; t_us += 10000) {
            rig_run(&r, t_us);
            moves |= *output(sensors[i].port) != last;
            assert_true(valid());
        }
        assert_true(moves);
        rig_close(&r);
    }
}

// --- the channel --------------------------------------------------------------------------------

static void test_channel(void **state)
{
    (void)state;
    const tac__channel_shape c = {2, true, true, true, true};
    const tac__channel p = {{0.5, -1}, 10, 0.25};
    tac__channel_state k = {{0.1, 0.2}, 0.9, {0.01, 0.02}, {3, 4}};
    const double truth[2] = {1, -20}, n[4] = {1, 2, 5, 6};
    double y[2];
    channel_step(&c, &p, &k, truth, n, 3, 0.125, y);
    // 1 + 0.5 + 3 + 0.125 + 0.3 = 4.925, to the next quarter; the other is limited.
    assert_true(y[0] == 5 && y[1] == -10);
    near(k.drift[0], 2.75, 1e-15, "drift");
    near(k.drift[1], 3.72, 1e-15, "drift");
    // Rounded to the nearest step, halves upwards.
    const tac__channel_shape rounds = {.count = 1, .rounded = true};
    const tac__channel plain = {.quantum = 0.25};
    k.drift[0] = 0;
    for (double x = -2; x < 2; x += 0.0625) {
        channel_step(&rounds, &plain, &k, &x, n, 1, 0, y);
        assert_true(y[0] == floor(x * 4 + 0.5) / 4);
    }
}

// --- imu ----------------------------------------------------------------------------------------

static void test_imu(void **state)
{
    (void)state;
    // White noise by density: deviation of a sample is density/sqrt(period), whatever the period.
    enum { STEPS = 50000 };
    double squares[2] = {0};
    open_sensor("10 ms", "imu",
                "gyro: {noise_density: 0.01, walk: 0, quantum: 0}, accel: {noise_density: 0, "
                "noise: 0.3, walk: 0, quantum: 0}",
                imu_in, "");
    for (int k = 0; k < STEPS; k++) {
        double rate[3], force[3];
        rig_run(&r, (tac_time)k * 10000);
        body_at((tac_time)k * 10000, RATE, rate);
        body_at((tac_time)k * 10000, FORCE, force);
        squares[0] += (output("rate")[0] - rate[0]) * (output("rate")[0] - rate[0]) / STEPS;
        squares[1] += (output("specific_force")[2] - force[2]) *
                      (output("specific_force")[2] - force[2]) / STEPS;
    }
    rig_close(&r);
    near(squares[0], 1e-2, 5e-2 * sqrt(2.0 / STEPS), "gyro");
    near(squares[1], 9e-2, 45e-2 * sqrt(2.0 / STEPS), "accel");

    // Limits and steps.
    open_sensor("10 ms", "imu", "gyro: {range: 0.5, quantum: 0.125}, delay: 0", imu_in, "");
    bool limited = false;
    for (int k = 0; k < 1000; k++) {
        rig_run(&r, (tac_time)k * 10000);
        for (int i = 0; i < 3; i++) {
            const double y = output("rate")[i] / 0.125;
            assert_true(y == floor(y) && fabs(y) <= 4);
            limited |= fabs(y) == 4;
        }
    }
    assert_true(limited);
    rig_close(&r);
}

// The error of a walk: variance walk^2 t.
static void test_walk(void **state)
{
    (void)state;
    enum { RUNS = 400 };
    double squares = 0;
    for (int run = 0; run < RUNS; run++) {
        char text[4200];
        snprintf(text, sizeof text, "seed: %d\n%s", run,
                 text_of("10 ms", "imu",
                         "gyro: {noise_density: 0, walk: 0.2, quantum: 0, range: 0}", imu_in, ""));
        double rate[3];
        rig_open(&r, text);
        rig_run(&r, 0);
        body_at(0, RATE, rate);
        for (int i = 0; i < 3; i++)
            assert_true(output("rate")[i] == rate[i]);
        rig_run(&r, 4000000);
        body_at(4000000, RATE, rate);
        for (int i = 0; i < 3; i++)
            squares += (output("rate")[i] - rate[i]) * (output("rate")[i] - rate[i]) / (3 * RUNS);
        rig_close(&r);
    }
    near(squares, 0.16, 5 * 0.16 * sqrt(2.0 / (3 * RUNS)), "walk");
    rig_refused(text_of("10 ms", "imu", "gyro: {walk: 1, drift: 1}", imu_in, ""), TAC_E_CONFIG,
                "either drifts or walks");
}

// An error that drifts: variance drift^2 from the start, correlation exp(-t/tau).
static void test_drift(void **state)
{
    (void)state;
    enum { STEPS = 100000, LAG = 5 };
    static double error[STEPS];
    open_sensor("1 s", "imu",
                "gyro: {noise_density: 0, walk: 0, drift: 2, drift_tau: 5 s, quantum: 0}", imu_in,
                "");
    for (int k = 0; k < STEPS; k++) {
        double rate[3];
        rig_run(&r, (tac_time)k * 1000000);
        body_at((tac_time)k * 1000000, RATE, rate);
        error[k] = output("rate")[1] - rate[1];
    }
    rig_close(&r);
    double at[2] = {0};
    for (int k = 0; k + LAG < STEPS; k++) {
        at[0] += error[k] * error[k] / (STEPS - LAG);
        at[1] += error[k] * error[k + LAG] / (STEPS - LAG);
    }
    const double tolerance = 5 * 4 * sqrt(2.0 * 10 / STEPS);
    near(at[0], 4, tolerance, "variance");
    near(at[1], 4 * exp(-1.0), tolerance, "correlation");
}

// --- the others ---------------------------------------------------------------------------------

static void test_barometer(void **state)
{
    (void)state;
    open_sensor("50 ms", "barometer", "noise: 0, drift: 0, quantum: 0, bias: 100 Pa",
                "pressure: body.air_pressure", "");
    for (tac_time t_us = 0; t_us < 5000000; t_us += 50000) {
        double rho, t, p, truth;
        rig_run(&r, t_us);
        body_at(t_us, PRESSURE, &truth);
        near(*output("pressure"), truth + 100, 1e-10, "pressure");
        atmosphere_at(*output("altitude"), &rho, &t, &p);
        near(p, truth + 100, 1e-8, "altitude");
    }
    rig_close(&r);
    rig_refused(text_of("50 ms", "barometer", "bias: -1e6", "pressure: body.air_pressure", ""),
                TAC_E_COMPONENT, "has no altitude");
}

static void test_magnetometer(void **state)
{
    (void)state;
    open_sensor("10 ms", "magnetometer",
                "earth: [20 uT, 0, 40 uT], noise: 0, quantum: 0, bias: [1 uT, 0, -2 uT]",
                "attitude: body.attitude", "");
    rig_run(&r, 330000);
    double q[4];
    body_at(330000, ATTITUDE, q);
    // The columns of the rotation are the body axes in the world: each sees its own share.
    const double axes[3][2] = {
        {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[3] - q[0] * q[2])},
        {2 * (q[1] * q[2] - q[0] * q[3]), 2 * (q[2] * q[3] + q[0] * q[1])},
        {2 * (q[1] * q[3] + q[0] * q[2]), 1 - 2 * (q[1] * q[1] + q[2] * q[2])}};
    const double iron[3] = {1e-6, 0, -2e-6};
    for (int i = 0; i < 3; i++)
        near(output("field")[i], 20e-6 * axes[i][0] + 40e-6 * axes[i][1] + iron[i], 1e-20, "field");
    rig_close(&r);
}

static void test_gps(void **state)
{
    (void)state;
    for (int wgs84 = 0; wgs84 < 2; wgs84++) {
        char text[4096];
        snprintf(text, sizeof text, "%s",
                 text_of("100 ms", "gps",
                         "position: {noise: 0, drift: 0, quantum: 0}, velocity: {noise: 0, "
                         "quantum: 0}, delay: 200 ms",
                         gps_in, ""));
        char *altitude = strstr(text, "488 m}");
        memmove(altitude + 21, altitude + 5, strlen(altitude + 5) + 1);
        memcpy(altitude + 5, wgs84 ? ", geodesy: wgs84" : ",geodesy: sphere", 16);
        rig_open(&r, text);
        tac_world w = {47.397742 * M_PI / 180,
                       8.545594 * M_PI / 180,
                       488,
                       wgs84 ? TAC_GEODESY_WGS84 : TAC_GEODESY_SPHERE,
                       0,
                       9.8,
                       0};
        tac__geodesy g;
        tac__geodesy_init(&g, &w);
        for (tac_time t_us = 200000; t_us < 3000000; t_us += 100000) {
            double truth[3];
            rig_run(&r, t_us + 30000); // between two fixes the last holds
            body_at(t_us - 200000, POSITION, truth);
            const geodetic p = geodesy_from_ned(&g, vec3_make(truth[0], truth[1], truth[2]));
            near(*output("latitude"), p.latitude, 2e-16, "latitude");
            near(*output("longitude"), p.longitude, 6e-17, "longitude");
            near(*output("altitude"), p.altitude, 2e-9, "altitude");
            for (int i = 0; i < 3; i++)
                rig_same(output("position")[i], truth[i], "position", t_us);
            body_at(t_us - 200000, VELOCITY, truth);
            for (int i = 0; i < 3; i++)
                rig_same(output("velocity")[i], truth[i], "velocity", t_us);
        }
        rig_close(&r);
    }
}

#define TEST(name) cmocka_unit_test_setup(name, setup)
TEST_MAIN(TEST(test_truth), TEST(test_delay_is_exact), TEST(test_delay_between_steps),
          TEST(test_noise_between_steps), TEST(test_estimator_statistics), TEST(test_faults),
          TEST(test_every_sensor_drops_out), TEST(test_channel), TEST(test_imu), TEST(test_walk),
          TEST(test_drift), TEST(test_barometer), TEST(test_magnetometer), TEST(test_gps))
