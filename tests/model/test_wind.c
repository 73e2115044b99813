// Wind: the exact update of each process, its statistics, tables, gusts, and the same in every
// lane.
#include "engine/test_rig.h"

#include "base/random.h"
#include "engine/run/state.h"
#include "math/normal.h"
#include "model/lanes.h"

enum { DRYDEN_ALTITUDES = 12, DRYDEN_INPUTS = 6, HEIGHT = 0 };

#define KIND(kind)                                                                                 \
    void entry_ou_##kind(const double phi[3], const double gain[3], const double *n, double *x);   \
    void entry_wind_profile_##kind(double z0_m, const double *height_m, double *factor);           \
    void entry_dryden_##kind(const double p[4], const double *intensity, double dt_s,              \
                             const double *u, const double *n, double *x, double *velocity);       \
    void entry_dryden_start_##kind(const double *n, double *x);
KIND(f64)
KIND(pack4)
KIND(pack8)
KIND(dual)

#define FOOT 0.3048

static rig r;

static void near(double got, double expected, double tolerance, const char *what)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g", what, got, expected);
}

static void open_wind(const char *period, const char *params, const char *inputs)
{
    static char text[4096];
    snprintf(text, sizeof text,
             "duration: 1000000 s\n"
             "world: {ground: 10 m}\n"
             "scheduler: {rate_groups: [{name: g, period: %s, components: ['*']}]}\n"
             "components:\n"
             "  body: {type: circle, stage: scenario, params: {height: 40, radius: 8, rate: 1}}\n"
             "  gusts: {type: constant, stage: scenario, params: {size: 3, unit: m/s, value: [7, "
             "-8, 9]}}\n"
             "  w: {type: wind, params: {%s}, inputs: {%s}}\n",
             period, params, inputs);
    rig_open(&r, text);
}

static void refused(const char *params, const char *part)
{
    char text[1024];
    snprintf(text, sizeof text,
             "duration: 1 s\n"
             "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [w]}]}\n"
             "components: {w: {type: wind, params: {%s}}}\n",
             params);
    rig_refused(text, TAC_E_CONFIG, part);
}

// The k-th three normal draws of the component's stream.
static void draw(uint64_t index, double n[3])
{
    const tac__stream stream = tac__stream_make(1, "w.noise");
    tac__normals ready = {0};
    tac__normals_draw(&ready, &stream, &index, n, 3);
}

static const double *base(void)
{
    return rig_read(&r, "w.base");
}

// --- steady -------------------------------------------------------------------------------------

static void test_none_constant_and_gust(void **state)
{
    (void)state;
    static const double gust[3] = {7, -8, 9};
    open_wind("10 ms", "", "gust: gusts.y");
    rig_run(&r, 0);
    const double *v = rig_read(&r, "w.velocity");
    for (int i = 0; i < 3; i++) {
        assert_true(base()[i] == 0);
        assert_true(v[i] == gust[i]);
    }
    rig_close(&r);
    open_wind("10 ms", "kind: constant, mean: [1, 2, 3]", "gust: gusts.y");
    rig_run(&r, 1000000);
    v = rig_read(&r, "w.velocity");
    for (int i = 0; i < 3; i++) {
        assert_true(base()[i] == 1 + i);
        assert_true(v[i] == 1 + i + gust[i]);
    }
    rig_close(&r);
    refused("mean: [1, 0, 0]", "kind is none");
}

// ln(h/z0)/ln(20 ft/z0), with the height above the ground, which lies 10 m above the origin.
static void test_profile(void **state)
{
    (void)state;
    open_wind("10 ms", "kind: constant, mean: [5, 0, 0], roughness: 0.05 m",
              "position: body.position");
    rig_run(&r, 0);
    near(base()[0], 5 * log(30 / 0.05) / log(20 * FOOT / 0.05), 1e-14, "at 30 m");
    rig_close(&r);
    double factor, height = 20 * FOOT;
    entry_wind_profile_f64(0.05, &height, &factor);
    near(factor, 1, 1e-15, "at 20 ft");
    for (height = -5; height <= 0.05; height += 0.01) {
        entry_wind_profile_f64(0.05, &height, &factor);
        assert_true(factor == 0);
    }
}

// --- Ornstein-Uhlenbeck -------------------------------------------------------------------------

// The sum over all draws that the update stands for: v_k = mean + phi^k v_0 + sigma sqrt(1 - phi^2)
// sum phi^(k-1-j) n_j.
static void test_ou_update(void **state)
{
    (void)state;
    enum { STEPS = 2000 };
    static const double mean[3] = {4, -1, 0.5};
    static const long double sigma[3] = {1.5L, 2, 0.5L}, tau[3] = {3, 0.5L, 0.02L};
    for (int zero = 0; zero < 2; zero++) {
        open_wind("2 ms",
                  zero ? "kind: ou, mean: [4, -1, 0.5], sigma: [1.5, 2, 0.5], tau: [3 s, 0.5 s, "
                         "20 ms], start: zero"
                       : "kind: ou, mean: [4, -1, 0.5], sigma: [1.5, 2, 0.5], tau: [3 s, 0.5 s, "
                         "20 ms]",
                  "");
        long double x[3];
        double n[3];
        draw(0, n); // those of init: five, from two indices
        for (int i = 0; i < 3; i++)
            x[i] = zero ? 0 : sigma[i] * (long double)n[i];
        for (uint64_t k = 0; k < STEPS; k++) {
            rig_run(&r, k * 2000);
            for (int i = 0; i < 3; i++)
                near(base()[i], mean[i] + (double)x[i], 1e-12, "ou");
            draw(2 + k, n);
            for (int i = 0; i < 3; i++) {
                const long double phi = expl(-0.002L / tau[i]);
                x[i] = phi * x[i] + sigma[i] * sqrtl(1 - phi * phi) * (long double)n[i];
            }
        }
        rig_close(&r);
    }
}

// Over a long run: mean, variance, and correlation exp(-t/tau), each within five standard errors.
static void test_ou_statistics(void **state)
{
    (void)state;
    enum { STEPS = 400000, LAG = 3 };
    static double v[3][STEPS];
    open_wind("1 s", "kind: ou, mean: [10, 0, 0]", "");
    for (int k = 0; k < STEPS; k++) {
        rig_run(&r, (tac_time)k * 1000000);
        for (int i = 0; i < 3; i++)
            v[i][k] = base()[i] - (i == 0 ? 10 : 0);
    }
    rig_close(&r);
    static const double sigma[3] = {1.5, 1.5, 0.5};
    const double phi = exp(-1.0 / 3);
    const double worth = STEPS * (1 - phi) / (1 + phi); // as many independent samples
    for (int i = 0; i < 3; i++) {
        double sum = 0, squares = 0, later = 0;
        for (int k = 0; k < STEPS - LAG; k++) {
            sum += v[i][k];
            squares += v[i][k] * v[i][k];
            later += v[i][k] * v[i][k + LAG];
        }
        const double s2 = sigma[i] * sigma[i], n = STEPS - LAG;
        near(sum / n, 0, 5 * sigma[i] / sqrt(worth), "mean");
        near(squares / n, s2, 5 * s2 * sqrt(2 / worth), "variance");
        near(later / n, s2 * exp(-1.0), 5 * s2 * sqrt(2 / worth), "correlation");
    }
    double crossed = 0;
    for (int k = 0; k < STEPS; k++)
        crossed += v[0][k] * v[1][k];
    near(crossed / STEPS, 0, 5 * 2.25 / sqrt(worth), "north with east");
}

// --- Dryden -------------------------------------------------------------------------------------

// An intensity aloft of 9.5 ft/s at 2000 ft, 11.5 at 3000 ft, 10 far above.
static const double aloft[DRYDEN_ALTITUDES] = {4, 9, 13, 10, 10, 10, 10, 10, 10, 10, 10, 10};
enum { U, V, W };

// One period from x with the numbers n: the state after it, and the turbulence before it.
static void dryden(double height_m, double way_m, const double n[5], double x[5], double v[3])
{
    const double p[4] = {7, 1e-9, 1, 0};
    const double u[DRYDEN_INPUTS] = {height_m, way_m, 1, 0, 0, 0};
    entry_dryden_f64(p, aloft, 1.0, u, n, x, v);
}

static void low_altitude(double height_m, double *lu, double *lw, double *su, double *sw)
{
    const double h = height_m / FOOT, f = 0.177 + 0.000823 * h;
    *lu = height_m / pow(f, 1.2);
    *lw = height_m;
    *sw = 0.1 * 7;
    *su = *sw / pow(f, 0.4);
}

// The update is linear in state and noise: x' = A x + B n, v = C x. With P the stationary
// covariance (of unit variances), A P A' + B B' = P, and C A^k P C' is the correlation of the
// standard: f(r) = exp(-r/L) along, g(r) = (1 - r/2L) exp(-r/L) across. At any step length, to the
// last digits.
static void test_dryden_is_exact(void **state)
{
    (void)state;
    static const double p[5][5] = {{1, 0, 0, 0, 0},
                                   {0, 1, 0.5, 0, 0},
                                   {0, 0.5, 0.5, 0, 0},
                                   {0, 0, 0, 1, 0.5},
                                   {0, 0, 0, 0.5, 0.5}};
    const double height = 60;
    double lu, lw, su, sw;
    low_altitude(height, &lu, &lw, &su, &sw);
    for (double way = 1e-7; way < 1e4; way *= 1.7) {
        double a[5][5], b[5][5], c[3][5], v[3];
        const double none[5] = {0};
        for (int j = 0; j < 5; j++) {
            double x[5] = {0}, unit[5] = {0}, y[5] = {0};
            x[j] = unit[j] = 1;
            dryden(height, way, none, x, v);
            for (int i = 0; i < 3; i++)
                c[i][j] = v[i];
            dryden(height, way, unit, y, v);
            for (int i = 0; i < 5; i++) {
                a[i][j] = x[i];
                b[i][j] = y[i];
            }
        }
        double ap[5][5] = {{0}};
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < 5; j++) {
                for (int k = 0; k < 5; k++)
                    ap[i][j] += a[i][k] * p[k][j];
            }
        }
        for (int i = 0; i < 5; i++) {
            for (int j = 0; j < 5; j++) {
                double q = 0, gone = 0;
                for (int k = 0; k < 5; k++) {
                    q += b[i][k] * b[j][k];
                    gone += ap[i][k] * a[j][k];
                }
                near(gone + q, p[i][j], 4e-15, "stationary covariance");
            }
        }
        for (int i = 0; i < 3; i++) {
            double now = 0, later = 0;
            for (int j = 0; j < 5; j++) {
                for (int k = 0; k < 5; k++) {
                    now += c[i][j] * p[j][k] * c[i][k];
                    later += c[i][j] * ap[j][k] * c[i][k];
                }
            }
            const double s = i == W ? sw : su, d = way / (i == W ? lw : lu);
            near(now, s * s, 1e-14 * s * s, "variance");
            near(later, s * s * exp(-d) * (i == U ? 1 : 1 - 0.5 * d), 2e-14 * s * s, "correlation");
        }
        // What the noise of a short step must not lose to rounding: q22 - q12^2/q11 ~ d^3/6.
        const double d = way / lw;
        if (d < 1e-3)
            near(b[4][4], sqrt(d * d * d / 6), 1e-3 * sqrt(d * d * d / 6), "noise of a short step");
    }
}

static void test_dryden_start(void **state)
{
    (void)state;
    double x[5][5];
    for (int j = 0; j < 5; j++) {
        double n[5] = {0};
        n[j] = 1;
        entry_dryden_start_f64(n, x[j]);
    }
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 5; k++) {
            double sum = 0;
            for (int j = 0; j < 5; j++)
                sum += x[j][i] * x[j][k];
            const bool same = i == k, pair = i > 0 && k > 0 && (i - 1) / 2 == (k - 1) / 2;
            const double expected = same ? (i == 2 || i == 4 ? 0.5 : 1) : pair ? 0.5 : 0;
            near(sum, expected, 1e-15, "covariance at the start");
        }
    }
}

// Variances and spectrum of what comes out of the component, against the standard's. One-sided in
// frequency: 2 s^2 L/(pi V) / (1 + (L w/V)^2) and so on, with w = 2 pi f.
static void test_dryden_statistics(void **state)
{
    (void)state;
    enum { SEGMENT = 512, SEGMENTS = 600, STEPS = SEGMENT * SEGMENTS, LINES = 4 };
    static double v[3][STEPS];
    const double dt = 0.1, speed = 12, height = 60;
    open_wind("100 ms", "kind: dryden, mean: [0, 6, 0], w20: 7 m/s, height: 60 m, airspeed: 12 m/s",
              "");
    for (int k = 0; k < STEPS; k++) {
        rig_run(&r, (tac_time)k * 100000);
        // Along the mean wind, which blows east; across is then to the south.
        v[U][k] = base()[1] - 6;
        v[V][k] = -base()[0];
        v[W][k] = base()[2];
    }
    rig_close(&r);
    double lu, lw, su, sw;
    low_altitude(height, &lu, &lw, &su, &sw);
    for (int axis = 0; axis < 3; axis++) {
        const double l = axis == W ? lw : lu, s = axis == W ? sw : su;
        double squares = 0, power[LINES] = {0};
        for (int k = 0; k < STEPS; k++)
            squares += v[axis][k] * v[axis][k];
        const double worth = STEPS * dt * speed / (2 * l);
        near(squares / STEPS, s * s, 5 * s * s * sqrt(2 / worth), "variance");
        // Hann's window, whose mean square is 3/8.
        for (int segment = 0; segment < SEGMENTS; segment++) {
            for (int line = 0; line < LINES; line++) {
                const double f = 2 * M_PI * (4 << line) / SEGMENT;
                double re = 0, im = 0;
                for (int k = 0; k < SEGMENT; k++) {
                    const double window = 0.5 - 0.5 * cos(2 * M_PI * k / SEGMENT);
                    re += window * cos(f * k) * v[axis][segment * SEGMENT + k];
                    im += window * sin(f * k) * v[axis][segment * SEGMENT + k];
                }
                power[line] += 2 * (re * re + im * im) * dt / (SEGMENT * 0.375) / SEGMENTS;
            }
        }
        for (int line = 0; line < LINES; line++) {
            const double lw2 = pow(l / speed * 2 * M_PI * (4 << line) / (SEGMENT * dt), 2);
            const double along = 4 * s * s * l / speed / (1 + lw2);
            const double across = 2 * s * s * l / speed * (1 + 3 * lw2) / ((1 + lw2) * (1 + lw2));
            const double expected = axis == U ? along : across;
            // Five standard errors, and what folds in from above half the sampling rate.
            near(power[line], expected, (5 / sqrt(SEGMENTS) + 0.01) * expected, "spectrum");
        }
    }
}

// Intensities and lengths by altitude, seen through variance and decay of single states.
static void test_dryden_altitudes(void **state)
{
    (void)state;
    static const struct {
        double feet, lu, lw, su, sw;                   // lengths in ft, intensities in m/s
    } rows[] = {{5, 10 / 0.132207, 10, 1.374085, 0.7}, // as at 10 ft
                {10, 10 / 0.132207, 10, 1.374085, 0.7}, {1000, 1000, 1000, 0.7, 0.7},
                {1500, 1375, 1375, 1.7978, 1.7978}, // half way to 9.5 ft/s
                {2000, 1750, 1750, 2.8956, 2.8956},     {30000, 1750, 1750, 3.048, 3.048}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double x[5] = {1, 0, 0, 1, 0}, v[3];
        const double none[5] = {0};
        dryden(rows[i].feet * FOOT, 1, none, x, v);
        near(v[0], rows[i].su, 2e-4 * rows[i].su, "intensity along");
        near(v[2], rows[i].sw * sqrt(1.5), 2e-4 * rows[i].sw, "intensity down");
        near(-FOOT * rows[i].lu * log(x[0]), 1, 2e-4, "length along");
        near(-FOOT * rows[i].lw * log(x[3]), 1, 2e-4, "length down");
    }
    // By the table of the standard: severe at 35,000 ft is 16 ft/s.
    open_wind("10 ms", "kind: dryden, intensity: severe, height: 35000 ft, start: zero", "");
    rig_run(&r, 0);
    for (int i = 0; i < 3; i++)
        assert_true(base()[i] == 0);
    rig_close(&r);
    enum { STEPS = 200000 };
    open_wind("4 s", "kind: dryden, intensity: severe, height: 35000 ft, airspeed: 300 m/s", "");
    double squares = 0;
    for (int k = 0; k < STEPS; k++) {
        rig_run(&r, (tac_time)k * 4000000);
        squares += base()[2] * base()[2] / STEPS;
    }
    rig_close(&r);
    const double s2 = 16 * FOOT * 16 * FOOT;
    near(squares, s2, 5 * s2 * sqrt(2.0 / STEPS), "severe at 35,000 ft");
}

// Near the ground axes follow the mean wind, aloft the body.
static void test_dryden_axes(void **state)
{
    (void)state;
    const double p[4] = {7, 1, 0.6, 0.8};
    // Nose up by 90 degrees: forward is up, down is forward.
    const double up[DRYDEN_INPUTS] = {3000 * FOOT, 10, sqrt(0.5), 0, sqrt(0.5), 0};
    double low[DRYDEN_INPUTS], v[3];
    memcpy(low, up, sizeof up);
    low[HEIGHT] = 900 * FOOT;
    const double none[5] = {0};
    double along[5] = {1}, across[5] = {0, 1};
    entry_dryden_f64(p, aloft, 0.1, low, none, along, v);
    near(v[0] / v[1], 0.75, 1e-14, "along the mean wind");
    assert_true(v[0] > 0 && v[2] == 0);
    entry_dryden_f64(p, aloft, 0.1, low, none, across, v);
    near(v[1] / v[0], -0.75, 1e-14, "to the right of it");
    assert_true(v[1] > 0 && v[2] == 0);
    double ahead[5] = {1};
    entry_dryden_f64(p, aloft, 0.1, up, none, ahead, v);
    near(v[2], -11.5 * FOOT, 1e-14, "along the body");
    near(v[0], 0, 1e-14, "along the body");
}

// Airspeed and height come from the vehicle: the same as with them given.
static void test_dryden_inputs(void **state)
{
    (void)state;
    double seen[2][3];
    for (int given = 0; given < 2; given++) {
        // On its circle the body goes 8 m/s through still air, 30 m above the ground.
        open_wind("10 ms", given ? "kind: dryden, height: 30 m, airspeed: 8 m/s" : "kind: dryden",
                  given ? "" : "position: body.position, velocity: body.velocity");
        rig_run(&r, 2000000);
        memcpy(seen[given], base(), sizeof seen[given]);
        rig_close(&r);
    }
    for (int i = 0; i < 3; i++)
        near(seen[0][i], seen[1][i], 1e-13, "turbulence");
}

// --- tables -------------------------------------------------------------------------------------

static void test_table(void **state)
{
    (void)state;
    static const struct {
        tac_time t_us;
        double linear[3], hold[3];
    } rows[] = {{0, {1, 0, 5}, {1, 0, 5}},         {1000000, {1, 0, 5}, {1, 0, 5}},
                {1500000, {2, 0, 0}, {1, 0, 5}},   {1990000, {2.98, 0, -4.9}, {1, 0, 5}},
                {2000000, {3, 0, -5}, {3, 0, -5}}, {2250000, {3.5, 0, -5}, {3, 0, -5}},
                {2500000, {4, 0, -5}, {4, 0, -5}}, {9000000, {4, 0, -5}, {4, 0, -5}}};
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char path[300], from_file[400];
    snprintf(path, sizeof path, "%s/tactus_wind_%ld.csv", folder, (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("t,north,east,down\n# recorded\n1, 1, 0, 5\r\n\n2.0,3.0,0,-5e0\n 2.5 4 0 -5\n", file);
    fclose(file);
    snprintf(from_file, sizeof from_file, "file: '%s'", path);
    const char *tables[] = {"times: [1 s, 2 s, 2.5 s], north: [1, 3, 4], down: [5, -5, -5]",
                            from_file};
    for (int hold = 0; hold < 2; hold++) {
        for (int t = 0; t < 2; t++) {
            char params[600];
            snprintf(params, sizeof params, "kind: table, mean: [0, 2, 0], %s%s", tables[t],
                     hold ? ", interpolation: hold" : "");
            open_wind("10 ms", params, "");
            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                rig_run(&r, rows[i].t_us);
                for (int k = 0; k < 3; k++)
                    near(base()[k] - (k == 1 ? 2 : 0), (hold ? rows[i].hold : rows[i].linear)[k],
                         4e-15, "table");
            }
            rig_close(&r);
        }
    }
    file = fopen(path, "w");
    fputs("0,1,2,3\n1,1,2\n", file);
    fclose(file);
    char params[500];
    snprintf(params, sizeof params, "kind: table, %s", from_file);
    refused(params, ".csv:2: expected four numbers");
    file = fopen(path, "w");
    fputs("0,1,2,3\n0,1,2,3\n", file);
    fclose(file);
    refused(params, ".csv:2: times must ascend");
    unlink(path);
    refused(params, "tactus_wind_");
    refused("kind: table", "the table is empty");
    refused("kind: table, times: [0, 1], east: [1]", "2 times, but 1 velocities");
    refused("kind: table, times: [1, 0], east: [1, 1]", "times must ascend");
    refused("kind: table, interpolation: spline, times: [1, 2], east: [1, 1]",
            "at least 3 rows, found 2");
}

// Through points of a cubic it is that cubic; outside it holds.
static void test_table_as_a_spline(void **state)
{
    (void)state;
    open_wind("10 ms",
              "kind: table, interpolation: spline, times: [1 s, 1.5 s, 2 s, 3.5 s, 4 s], "
              "north: [1, 3.375, 8, 42.875, 64], down: [5, 5, 5, 5, 5]",
              "");
    for (tac_time t_us = 0; t_us <= 5000000; t_us += 130000) {
        rig_run(&r, t_us);
        const double t = t_us < 1000000 ? 1 : t_us > 4000000 ? 4 : (double)t_us * 1e-6;
        near(base()[0], t * t * t, 4e-14, "north");
        near(base()[1], 0, 0, "east");
        near(base()[2], 5, 0, "down");
    }
    rig_close(&r);
}

static void test_needs_a_period(void **state)
{
    (void)state;
    rig_refused("duration: 1 s\n"
                "scheduler: {rate_groups: [{name: g, times: [0, 1 ms], components: [w]}]}\n"
                "components: {w: {type: wind, params: {kind: ou}}}\n",
                TAC_E_COMPONENT, "needs a rate group with a period");
}

// --- lanes --------------------------------------------------------------------------------------

static const double phi[3] = {0.9, 0.99, 0.5}, gain[3] = {1, 0.1, 3};
static const double turbulence[4] = {7, 1, 0.6, 0.8};

enum { NOISE = DRYDEN_INPUTS, STATE = NOISE + 5, INPUTS = STATE + 5, OUTPUTS = 3 + 1 + 8 + 5 };

#define ALL(kind, width)                                                                           \
    static void all_##kind(const double *in, double *out)                                          \
    {                                                                                              \
        const size_t number = (width) * sizeof *in;                                                \
        memcpy(out, in + STATE * (width), 3 * number);                                             \
        entry_ou_##kind(phi, gain, in + NOISE * (width), out);                                     \
        entry_wind_profile_##kind(0.1, in, out + 3 * (width));                                     \
        memcpy(out + 4 * (width), in + STATE * (width), 5 * number);                               \
        entry_dryden_##kind(turbulence, aloft, 0.01, in, in + NOISE * (width), out + 4 * (width),  \
                            out + 9 * (width));                                                    \
        entry_dryden_start_##kind(in + NOISE * (width), out + 12 * (width));                       \
    }
ALL(f64, 1)
ALL(pack4, 4)
ALL(pack8, 8)
ALL(dual, LANES_DUAL)

static double lanes_input(uint64_t *seed, int i)
{
    if (input_bits(seed) % 8 == 0)
        return input_hostile(seed);
    return i == 0 ? input_uniform(seed, -10, 3000) : input_uniform(seed, -2, 2);
}

static void test_lanes(void **state)
{
    (void)state;
    lanes_compare(
        &(lanes_case){all_f64, all_pack4, all_pack8, all_dual, INPUTS, OUTPUTS, lanes_input}, 2000);
}

// --- several at once ----------------------------------------------------------------------------

enum { WINDS = 14 };

// Winds with numbers of their own, with these parameters in turn. Of one shape eight, four and two
// step at once.
static uint64_t hash_of_winds(const char *const *params, size_t count, const char *inputs,
                              bool lanes)
{
    static char text[16384];
    size_t n = (size_t)snprintf(text, sizeof text,
                                "duration: 1 s\nseed: 3\nworld: {ground: 10 m}\n"
                                "plant: {lanes: %s}\n"
                                "scheduler: {rate_groups: [{name: g, period: 2 ms, "
                                "components: ['*']}]}\ncomponents:\n"
                                "  gusts: {type: constant, stage: scenario, params: {size: 3, "
                                "unit: m/s, value: [7, -8, 9]}}\n"
                                "  q: {type: source, stage: scenario, params: {kind: quat}}\n",
                                lanes ? "auto" : "1");
    for (int i = 0; i < WINDS; i++) {
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "  b%d: {type: circle, stage: scenario, params: {height: %d, radius: 8, rate: %d}}\n"
            "  w%d: {type: wind, params: {mean: [%d, %d, 0.5], sigma: [1, %d, 0.5], tau: [3, %d, "
            "0.2], height: %d, airspeed: %d, w20: %d, %s}, inputs: {",
            i, 20 + 90 * i, 1 + i, i, i - 5, 3 - i % 4, 1 + i, 1 + i, 9 * i * i, i, 5 + i,
            params[(size_t)i % count]);
        char own[256];
        snprintf(own, sizeof own, inputs, i, i);
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "%s}}\n  k%d: {type: integrator, params: {size: 3, unit: m, "
                              "rate_unit: m/s}, inputs: {u: w%d.velocity}}\n",
                              own, i, i);
    }
    assert_true(n < sizeof text);
    rig_open(&r, text);
    int teams = 0;
    for (size_t i = 0; i < r.engine->plan->component_count; i++)
        teams += r.engine->instances[i]->team &&
                 !strcmp(r.engine->plan->components[i]->type->name, "wind");
    if (!lanes || count == 1)
        assert_int_equal(teams, lanes ? WINDS : 0);
    rig_run(&r, TAC_TIME_MAX);
    const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
    rig_close(&r);
    return hash;
}

static void test_several_at_once(void **state)
{
    (void)state;
    static const char *const params[] = {
        "kind: constant",
        "kind: constant, roughness: 0.3 m",
        "kind: ou",
        "kind: ou, start: zero",
        "kind: dryden, roughness: 0.1 m, intensity: severe",
        "kind: dryden, min_airspeed: 12",
        "kind: dryden, roughness: 0.2 m, frozen: {height: 400 m, airspeed: 7 m/s}",
        "kind: dryden, min_airspeed: 12, intensity: severe",
        "kind: table, times: [0, 0.3, 0.8], north: [1, 5, -2], down: [3, 4, 5]",
        "kind: table, times: [0, 0.4, 0.8], north: [1, 5, -2], down: [3, 4, 5]"};
    static const char *const inputs[] = {
        "", "gust: gusts.y, position: b%d.position",
        "position: b%d.position, velocity: b%d.velocity, attitude: q.y"};
    enum { PARAMS = sizeof params / sizeof *params, INPUTS_OF = sizeof inputs / sizeof *inputs };
    for (size_t i = 0; i < PARAMS; i++) {
        for (size_t k = 0; k < INPUTS_OF; k++) {
            const uint64_t alone = hash_of_winds(&params[i], 1, inputs[k], false);
            if (hash_of_winds(&params[i], 1, inputs[k], true) != alone)
                fail_msg("wind of {%s} with {%s} differs in lanes", params[i], inputs[k]);
        }
    }
    // Of several shapes: only those alike step at once.
    for (size_t i = 0; i + 2 <= PARAMS; i++) {
        const uint64_t alone = hash_of_winds(&params[i], 2, inputs[1], false);
        if (hash_of_winds(&params[i], 2, inputs[1], true) != alone)
            fail_msg("{%s} beside {%s} differs in lanes", params[i], params[i + 1]);
    }
}

TEST_MAIN(cmocka_unit_test(test_none_constant_and_gust), cmocka_unit_test(test_profile),
          cmocka_unit_test(test_ou_update), cmocka_unit_test(test_ou_statistics),
          cmocka_unit_test(test_dryden_is_exact), cmocka_unit_test(test_dryden_start),
          cmocka_unit_test(test_dryden_statistics), cmocka_unit_test(test_dryden_altitudes),
          cmocka_unit_test(test_dryden_axes), cmocka_unit_test(test_dryden_inputs),
          cmocka_unit_test(test_table), cmocka_unit_test(test_table_as_a_spline),
          cmocka_unit_test(test_needs_a_period), cmocka_unit_test(test_lanes),
          cmocka_unit_test(test_several_at_once))
