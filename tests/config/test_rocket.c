// The examples of rockets and satellites against closed forms.
#include "engine/test_rig.h"

#include <math.h>

#define G0 9.80665
#define PI 3.14159265358979323846

static rig r;

static void near(double got, double expected, double tolerance, const char *what)
{
    if (!(tac_fabs(got - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g to within %g", what, got, expected, tolerance);
}

// --- rocket_ascent ------------------------------------------------------------------------------

// To the end of the next step of the engine.
static tac_time advance(void)
{
    rig_run(&r, tac_engine_next_time(r.engine));
    return tac_engine_time(r.engine);
}

static void test_burn_out_is_located(void **state)
{
    (void)state;
    rig_example(&r, "rocket_ascent.yaml", NULL, NULL, 0);
    const double burn_s = 311 * G0 * 1000 / 50000;
    tac_time empty_us = 0;
    while (!tac_engine_finished(r.engine)) {
        const tac_time t_us = advance();
        const double fuel = rig_f64(&r, "rocket.motor.fuel");
        assert_true(fuel >= 0);
        if (fuel <= 1e-6 && !empty_us)
            empty_us = t_us;
        assert_int_equal(*(const int32_t *)rig_read(&r, "rocket.flight.phase"), empty_us != 0);
        near(fuel, t_us < 60997363 ? 1000 * (1 - (double)t_us / 1e6 / burn_s) : 0, 1e-9, "fuel");
    }
    assert_int_equal(empty_us, 60997363);
    assert_true(rig_f64(&r, "rocket.motor.flow") == 0);
    near(rig_f64(&r, "rocket.mass.mass"), 550, 1e-9, "mass");
    rig_close(&r);
}

// A little before, or a little more fuel: the instant follows.
static void test_burn_out_follows_the_fuel(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        const double fuel_kg = 20 + 0.137 * i;
        char fuel[100], duration[] = "duration=2 s";
        snprintf(fuel, sizeof fuel, "entities.rocket.components.motor.params.fuel=%.17g", fuel_kg);
        const char *sets[] = {fuel, duration};
        rig_example(&r, "rocket_ascent.yaml", NULL, sets, 2);
        tac_time empty_us = 0;
        while (!empty_us && !tac_engine_finished(r.engine)) {
            const tac_time t_us = advance();
            empty_us = rig_f64(&r, "rocket.motor.fuel") <= 1e-6 ? t_us : 0;
            assert_true(rig_f64(&r, "rocket.motor.fuel") >= 0);
        }
        // The first whole microsecond at which there is no more than the residual.
        const double exact_us = (fuel_kg - 1e-6) * 311 * G0 / 50000 * 1e6;
        assert_true(empty_us == (tac_time)tac_ceil(exact_us));
        rig_close(&r);
    }
}

// What does not burn stays in the tank, to what flows in a microsecond.
static void test_residual_stays(void **state)
{
    (void)state;
    static const char *const set = "entities.rocket.components.motor.params.residual=10 kg";
    rig_example(&r, "rocket_ascent.yaml", NULL, &set, 1);
    rig_run(&r, TAC_TIME_NEVER);
    const double fuel = rig_f64(&r, "rocket.motor.fuel");
    assert_true(fuel <= 10 && fuel > 10 - 1.7e-5);
    assert_true(rig_f64(&r, "rocket.motor.flow") == 0);
    rig_close(&r);
}

static void test_rocket_equation(void **state)
{
    (void)state;
    static const char *const sets[] = {"entities.rocket.components.body.params.mu=0",
                                       "entities.rocket.components.body.params.rotation=0"};
    rig_example(&r, "rocket_ascent.yaml", NULL, sets, 2);
    rig_run(&r, TAC_TIME_NEVER);
    const double *v = rig_read(&r, "rocket.body.velocity");
    const double gain = 311 * G0 * tac_log(1550.0 / 550);
    near(v[0], gain, 1e-9 * gain, "delta-v");
    assert_true(v[1] == 0 && v[2] == 0);
    // x = c t - c (m1/mdot) ln(m0/m1) for the time of the burn, and coasting.
    const double c = 311 * G0, burn_s = c * 1000 / 50000, flow = 1000 / burn_s;
    const double way = c * burn_s - c * 550 / flow * tac_log(1550.0 / 550);
    near(((const double *)rig_read(&r, "rocket.body.position"))[0] - 6378137,
         way + gain * (61 - burn_s), 1e-7, "way");
    rig_close(&r);
}

// The same ascent in a frame that does not turn, by another method in another precision: thrust
// turns with the Earth, the mass falls with time.
typedef struct inertial {
    long double x[4]; // x, y, their rates
} inertial;

static inertial inertial_rate(inertial s, long double t, long double w, long double c)
{
    const long double mass = 1550 - 50000 / c * t, r2 = s.x[0] * s.x[0] + s.x[1] * s.x[1];
    const long double pull = -3.986004418e14L / (r2 * sqrtl(r2)), push = 50000 / mass;
    return (inertial){
        {s.x[2], s.x[3], pull * s.x[0] + push * cosl(w * t), pull * s.x[1] + push * sinl(w * t)}};
}

static inertial inertial_step(inertial s, long double t, long double h, long double w,
                              long double c)
{
    inertial k[4], z = s;
    for (int i = 0; i < 4; i++) {
        const long double part = i == 0 ? 0 : i == 3 ? h : h / 2;
        for (int n = 0; n < 4 && i; n++)
            z.x[n] = s.x[n] + part * k[i - 1].x[n];
        k[i] = inertial_rate(z, t + part, w, c);
    }
    for (int n = 0; n < 4; n++)
        s.x[n] += h / 6 * (k[0].x[n] + 2 * (k[1].x[n] + k[2].x[n]) + k[3].x[n]);
    return s;
}

static void test_ascent_in_an_inertial_frame(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    const long double w = 7.2921159e-5L, c = 311 * 9.80665L, burn_s = 60.997363L;
    inertial s = {{6378137, 0, 0, w * 6378137}};
    for (int i = 0; i < STEPS; i++)
        s = inertial_step(s, burn_s * i / STEPS, burn_s / STEPS, w, c);
    const long double cosine = cosl(w * burn_s), sine = sinl(w * burn_s);
    const long double u = s.x[2] + w * s.x[1], v = s.x[3] - w * s.x[0];

    rig_example(&r, "rocket_ascent.yaml", NULL, NULL, 0);
    rig_run(&r, 60997363);
    assert_true(tac_engine_time(r.engine) == 60997363);
    const double *at = rig_read(&r, "rocket.body.position");
    near(at[0], (double)(cosine * s.x[0] + sine * s.x[1]), 1e-7, "up");
    near(at[1], (double)(cosine * s.x[1] - sine * s.x[0]), 1e-7, "east");
    const double *speed = rig_read(&r, "rocket.body.velocity");
    near(speed[0], (double)(cosine * u + sine * v), 1e-9, "upwards");
    near(speed[1], (double)(cosine * v - sine * u), 1e-9, "eastwards");
    assert_true(at[1] < -100); // to the west
    rig_close(&r);
}

// --- rocket -------------------------------------------------------------------------------------

enum { GROUND, BOOST, COAST, SEPARATION, SUSTAIN, DESCENT, CHUTE, LANDED, PHASES };
enum { ATTACHED, FALLING, DOWN, BOOSTER_PHASES };

typedef struct flight {
    tac_time began_us[PHASES], booster_us[BOOSTER_PHASES];
    double apogee_m, touchdown_m_s, booster_apogee_m;
} flight;

static int32_t phase_of(const char *entity)
{
    char signal[64];
    snprintf(signal, sizeof signal, "%s.flight.phase", entity);
    return *(const int32_t *)rig_read(&r, signal);
}

// Every instant of the run: phases follow each other one by one, tanks are never overdrawn.
static flight fly(const char *const *sets, size_t count, void (*look)(tac_time))
{
    flight f = {{0}, {0}, 0, 0, 0};
    int32_t phase = GROUND, booster = ATTACHED;
    rig_example(&r, "rocket.yaml", NULL, sets, count);
    while (!tac_engine_finished(r.engine)) {
        const tac_time t_us = advance();
        const int32_t now = phase_of("rocket"), below = phase_of("booster");
        assert_true(now == phase || now == phase + 1);
        assert_true(below == booster || below == booster + 1);
        if (now != phase)
            f.began_us[now] = t_us;
        if (below != booster)
            f.booster_us[below] = t_us;
        phase = now;
        booster = below;
        assert_true(rig_f64(&r, "rocket.motor1.fuel") >= 0);
        assert_true(rig_f64(&r, "rocket.motor2.fuel") >= 0);
        f.apogee_m = tac_max(f.apogee_m, rig_f64(&r, "rocket.body.altitude"));
        f.booster_apogee_m = tac_max(f.booster_apogee_m, rig_f64(&r, "booster.body.altitude"));
        if (phase < LANDED)
            f.touchdown_m_s = rig_f64(&r, "rocket.body.speed");
        if (look)
            look(t_us);
    }
    assert_int_equal(phase, LANDED);
    assert_int_equal(booster, DOWN);
    return f;
}

// A motor that spools up over tau burns flow (t - tau (1 - exp(-t/tau))) in the time t.
static tac_time burn_us(double fuel_kg, double flow, double tau_s)
{
    double t = 1;
    for (int i = 0; i < 50; i++)
        t = fuel_kg / flow + tau_s * (1 - tac_exp(-t / tau_s));
    return (tac_time)tac_ceil(t * 1e6);
}

static void test_flight_of_the_rocket(void **state)
{
    (void)state;
    const flight f = fly(NULL, 0, NULL);
    assert_int_equal(f.began_us[BOOST], 1000000);
    const double flow = 120000 / (245 * G0);
    assert_int_equal(f.began_us[COAST] - f.began_us[BOOST], burn_us(560 - 1e-6, flow, 0.05));
    assert_int_equal(f.began_us[SUSTAIN] - f.began_us[SEPARATION], 1000000);
    assert_int_equal(f.booster_us[FALLING], f.began_us[SEPARATION]);
    assert_true(f.booster_us[DOWN] < f.began_us[DESCENT]);
    // A sounding rocket.
    near(f.apogee_m, 182e3, 2e3, "apogee");
    near(f.booster_apogee_m, 15.2e3, 500, "apogee of the booster");
    near(f.touchdown_m_s, tac_sqrt(2 * 400 * 9.82 / (1.19 * 110.8)), 0.2, "touchdown");
    // It rests where it came down, and so does the booster.
    const double *v = rig_read(&r, "rocket.body.velocity");
    assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0);
    const double height = rig_f64(&r, "rocket.body.height"),
                 nose = 10.2 * tac_sin(rig_f64(&r, "rocket.body.elevation"));
    near(height + nose, 0, 1e-4, "height of the nose");
    near(rig_f64(&r, "booster.body.height"), 0, 1e-3, "height of the booster");
    rig_close(&r);
}

// The rail ends at a boundary: to the microsecond, in which it goes less than 0.1 mm.
static double left_m;

static void look_at_the_rail(tac_time t_us)
{
    (void)t_us;
    const double *at = rig_read(&r, "rocket.body.ned");
    const double way = tac_sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
    if (left_m == 0 && way >= 12 - 1e-8)
        left_m = way;
}

static void test_end_of_the_rail_is_located(void **state)
{
    (void)state;
    left_m = 0;
    (void)fly(NULL, 0, look_at_the_rail);
    near(left_m, 12 + 5e-5, 5e-5 + 1e-8, "where it leaves the rail");
    rig_close(&r);
}

// At the very instant of separation: the booster has the state of the rocket, bit for bit, and the
// masses of both are one whole, with one centre.
static double whole_kg, whole_m;
static bool separated;

static void look_at_separation(tac_time t_us)
{
    (void)t_us;
    if (phase_of("rocket") == COAST) {
        whole_kg = rig_f64(&r, "rocket.mass.mass");
        whole_m = rig_f64(&r, "rocket.mass.com");
    }
    if (separated || phase_of("booster") != FALLING)
        return;
    separated = true;
    static const struct {
        const char *name;
        size_t count;
    } states[] = {{"position", 3}, {"velocity", 3}, {"attitude", 4}, {"rate", 3}};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        char name[64];
        double own[4];
        snprintf(name, sizeof name, "booster.body.%s", states[i].name);
        memcpy(own, rig_read(&r, name), states[i].count * sizeof *own);
        snprintf(name, sizeof name, "rocket.body.%s", states[i].name);
        assert_memory_equal(own, rig_read(&r, name), states[i].count * sizeof *own);
    }
    const double rocket_kg = rig_f64(&r, "rocket.mass.mass"),
                 booster_kg = rig_f64(&r, "booster.mass.mass");
    near(rocket_kg, 690, 1e-9, "rocket");
    near(rocket_kg + booster_kg, whole_kg, 1e-9, "both");
    near(rocket_kg * rig_f64(&r, "rocket.mass.com") + booster_kg * rig_f64(&r, "booster.mass.com"),
         whole_kg * whole_m, 1e-9, "centre");
}

static void test_booster_inherits_the_state(void **state)
{
    (void)state;
    separated = false;
    (void)fly(NULL, 0, look_at_separation);
    assert_true(separated);
    rig_close(&r);
}

// Skipped, gated or split, the bits are the same.
static void test_strategies_agree(void **state)
{
    (void)state;
    static const char *const strategies[] = {"phases.strategy=skip", "phases.strategy=gate",
                                             "phases.strategy=split"};
    uint64_t first = 0;
    for (int i = 0; i < 3; i++) {
        rig_example(&r, "rocket.yaml", NULL, &strategies[i], 1);
        rig_run(&r, TAC_TIME_NEVER);
        const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
        first = i ? first : hash;
        assert_true(hash == first);
        rig_close(&r);
    }
}

// Another method and tolerance find the same instants: what is left is the error of both.
static void test_methods_agree(void **state)
{
    (void)state;
    static const char *const sets[] = {"plant.integrator.kind=rk45", "plant.integrator.rtol=1e-11",
                                       "plant.integrator.atol=1e-8"};
    const flight a = fly(NULL, 0, NULL);
    rig_close(&r);
    const flight b = fly(sets, 3, NULL);
    rig_close(&r);
    for (int i = BOOST; i < PHASES; i++) {
        const double apart = (double)a.began_us[i] - (double)b.began_us[i];
        if (!(tac_fabs(apart) <= (i <= SUSTAIN ? 1 : i == DESCENT ? 10 : 100)))
            fail_msg("phase %d: %g us apart", i, apart);
    }
}

// --- mistakes -----------------------------------------------------------------------------------

static void refused(const char *component, const char *part)
{
    char text[1024];
    snprintf(text, sizeof text, "duration: 1 s\ncomponents:\n  c: {%s}\n", component);
    rig_refused(text, TAC_E_CONFIG, part);
}

static void test_mistakes_are_refused(void **state)
{
    (void)state;
    refused("type: rocket_motor, params: {thrust: 1 kN, isp: 200, fuel: 5, curve: {at: [0, 1, 2]}}",
            "expected as many as in 'at', 3, found 2");
    refused("type: rocket_motor, params: {thrust: 1 kN, isp: 200, fuel: 5, curve: {at: [1, 1]}}",
            "each above the one before");
#define CURVE "type: rocket_motor, params: {thrust: 1 kN, isp: 200, fuel: 5, curve: {"
    refused(CURVE "at: [0, 1], interpolation: spline}}", "at least 3 points, found 2");
    refused(CURVE "at: [0, 1, 1], thrust: [1, 1, 1], interpolation: spline}}",
            "each above the one before");
    refused(CURVE "at: [0, 0.1, 0.2, 1], thrust: [1, 1, 0.05, 0.05], interpolation: spline}}",
            "falls to -6.75893 at 0.696743, expected above 0 everywhere");
    refused("type: rocket_aero, params: {diameter: 1 m, drag: 1, interpolation: spline}",
            "at least 3 points, found 2");
    refused("type: rocket_aero, params: {diameter: 1 m, mach: [0, 1, 2], drag: [1, 0, 1], normal: "
            "[1, 0, 0.5], interpolation: spline}",
            "expected at least 0 everywhere");
    refused("type: rocket_motor, params: {thrust: 1 kN, isp: 200, isp_sea_level: 210, fuel: 5}",
            "must not be above 'isp', 200 s");
    refused("type: rocket_motor, params: {thrust: 1 kN, isp: 200, fuel: 5, direction: [0, 0, 0]}",
            "must not be zero");
    refused("type: rocket_mass, params: {stages: [{mass: 1, inertia: [1, 1, 1, 2, 0, 0]}]}",
            "positive definite");
    refused("type: rocket_mass, params: {stages: [{mass: 1, inertia: [1, 1]}]}",
            "expected 3 or 6 numbers, found 2");
    refused("type: rocket_aero, params: {diameter: 1 m, mach: [0, 1, 2], drag: [1, 2]}",
            "as many as in 'mach', 3, found 2");
    refused("type: rocket_body, params: {attitude: [0, 1]}", "three angles or a quaternion");
    refused("type: rocket_body, params: {position: [0, 1]}", "expected x, y and z");
    refused("type: rocket_body, params: {rail: 3 m, rate: [1, 0, 0]}", "begins at rest");
    rig_refused("duration: 1 s\n"
                "components: {m: {type: rocket_mass, params: {stages: [{mass: 1, inertia: "
                "[1, 1, 1]}], attached2: 0}}}\n",
                TAC_E_COMPONENT, "an input of stage 2 is in use");
    rig_refused("duration: 1 s\n"
                "components:\n"
                "  l: {type: lag, params: {unit: kg}, inputs: {u: l.x}}\n"
                "  m: {type: rocket_mass, params: {stages: [{mass: 1, inertia: [1, 1, 1]}]}, "
                "inputs: {fuel3: l.x}}\n",
                TAC_E_COMPONENT, "an input of stage 3 is in use, but there is no such stage");
    rig_refused("duration: 1 s\n"
                "scheduler: {rate_groups: [{name: g, period: 1 s, components: [m]}]}\n"
                "components:\n"
                "  m: {type: constant, params: {value: 5, unit: kg}}\n"
                "  b: {type: rocket_body, inputs: {mass: m.y}}\n",
                TAC_E_COMPONENT, "needs its input 'inertia'");
}

// --- orbit --------------------------------------------------------------------------------------

static void orbit(const char *const *sets, size_t count, double worst)
{
    rig_example(&r, "orbit.yaml", NULL, sets, count);
    rig_run(&r, 0);
    const double energy = rig_f64(&r, "sat.orbit.energy");
    rig_run(&r, TAC_TIME_NEVER);
    const double change = rig_f64(&r, "sat.orbit.energy") / energy - 1;
    print_message("energy after %llu s: %.1e of itself\n",
                  (unsigned long long)(tac_engine_time(r.engine) / 1000000), change);
    near(change, 0, worst, "change of energy");
    assert_true(rig_f64(&r, "sat.orbit.energy") < -1e7);
}

// For each of three turns.
static void test_orbit_keeps_its_energy(void **state)
{
    (void)state;
    static const char *const turns[] = {"duration=6333 s", "duration=12666 s", "duration=18999 s"};
    for (int i = 0; i < 3; i++) {
        orbit(&turns[i], 1, (i + 1) * 1e-12);
        rig_close(&r);
        const char *sets[] = {turns[i], "entities.sat.components.orbit.params.j2=1.08262982e-3"};
        orbit(sets, 2, (i + 1) * 1e-12);
        rig_close(&r);
    }
}

// The node drifts by -3/2 J2 (R/p)^2 n cos i, as the textbooks have it, to first order in J2.
static void test_node_drifts(void **state)
{
    (void)state;
    const double mu = 3.986004418e14, j2 = 1.08262982e-3;
    const double energy = (4871.2 * 4871.2 + 6325.0 * 6325) / 2 - mu / 6778137;
    const double a = -mu / (2 * energy), h = 6778137 * tac_sqrt(4871.2 * 4871.2 + 6325.0 * 6325);
    const double n = tac_sqrt(mu / a) / a, p = h * h / mu;
    const char *sets[] = {"duration=189990 s", "entities.sat.components.orbit.params.j2="
                                               "1.08262982e-3"};
    orbit(sets, 2, 3e-11);
    const double *w = rig_read(&r, "sat.orbit.momentum");
    const double node = tac_atan2(w[0], -w[1]);
    const double cosine = 4871.2 / tac_sqrt(4871.2 * 4871.2 + 6325.0 * 6325);
    const double expected = -1.5 * j2 * (6378137 / p) * (6378137 / p) * n * cosine * 189990;
    near(node, expected, 0.01 * tac_fabs(expected), "node");
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_burn_out_is_located),
          cmocka_unit_test(test_burn_out_follows_the_fuel), cmocka_unit_test(test_residual_stays),
          cmocka_unit_test(test_rocket_equation),
          cmocka_unit_test(test_ascent_in_an_inertial_frame),
          cmocka_unit_test(test_flight_of_the_rocket),
          cmocka_unit_test(test_end_of_the_rail_is_located),
          cmocka_unit_test(test_booster_inherits_the_state),
          cmocka_unit_test(test_strategies_agree), cmocka_unit_test(test_methods_agree),
          cmocka_unit_test(test_mistakes_are_refused),
          cmocka_unit_test(test_orbit_keeps_its_energy), cmocka_unit_test(test_node_drifts))
