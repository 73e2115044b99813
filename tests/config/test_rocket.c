// The examples of rockets and satellites against closed forms.
#include "engine/test_rig.h"

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

// --- orbit --------------------------------------------------------------------------------------

static void orbit(const char *const *sets, size_t count, double worst)
{
    rig_example(&r, "orbit.yaml", NULL, sets, count);
    rig_run(&r, 0);
    const double energy = rig_f64(&r, "sat.orbit.energy");
    rig_run(&r, TAC_TIME_NEVER);
    near(rig_f64(&r, "sat.orbit.energy"), energy, worst * tac_fabs(energy), "energy");
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
          cmocka_unit_test(test_burn_out_follows_the_fuel), cmocka_unit_test(test_rocket_equation),
          cmocka_unit_test(test_orbit_keeps_its_energy), cmocka_unit_test(test_node_drifts))
