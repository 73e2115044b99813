// Everything of a rocket, and the orbiter, has the same bits in every kind and lane, and its duals
// are its derivatives, by parameters, too.
#include "model/kernels.h"

#include "support/test.h"

static rig r;

// Two rockets that differ in all that is a shape: rail, attitude, air, oblateness, spool, curve,
// tank; two orbiters; and two rockets with splines in the place of lines.
#define TEXT(j2, motion, motor, tank1, tank2, tables)                                              \
    "duration: 10 s\n"                                                                             \
    "world: {latitude: 40 deg, longitude: 10 deg, altitude: 300 m, geodesy: wgs84}\n"              \
    "scheduler: {rate_groups: [{name: g, period: 100 ms, components: ['*']}]}\n"                   \
    "components:\n"                                                                                \
    "  wind: {type: constant, params: {size: 3, unit: m/s, value: [3, -5, 1]}}\n"                  \
    "  motor:\n"                                                                                   \
    "    type: rocket_motor\n"                                                                     \
    "    params: {thrust: 50 kN, isp: 250 s, isp_sea_level: 220 s, fuel: 300 kg,\n"                \
    "      position: [0.1, 0.2, 0], direction: [1, 0.02, -0.01], " motor "}\n"                     \
    "    inputs: {pressure: body.air.pressure}\n"                                                  \
    "  mass:\n"                                                                                    \
    "    type: rocket_mass\n"                                                                      \
    "    params:\n"                                                                                \
    "      stages:\n"                                                                              \
    "        - {mass: 320 kg, com: [1.9, 0.02, -0.01], inertia: [90, 470, 480, 1, -2, 0.5],\n"     \
    "           tank: {centre: [2, 0, 0.1], length: 3.2, radius: 0.21 " tank1 "},\n"               \
    "           exit: [0, 0, 0.02]}\n"                                                             \
    "        - {mass: 400 kg, com: [7.4, 0, 0], inertia: [60, 950, 950],\n"                        \
    "           tank: {centre: [5.5, 0, 0], length: 2.3, radius: 0.16 " tank2 "},\n"               \
    "           exit: [4.2, 0, 0]}\n"                                                              \
    "    inputs: {fuel1: motor.fuel, flow1: motor.flow}\n"                                         \
    "  air:\n"                                                                                     \
    "    type: rocket_aero\n"                                                                      \
    "    params:\n"                                                                                \
    "      {diameter: 0.46, " tables ",\n"                                                         \
    "       damping: [10, 100, 90], cross_area: 4.5, cross_centre: 4.8}\n"                         \
    "    inputs: {velocity: body.air_velocity, rate: body.air_rate, density: body.air.density,\n"  \
    "      mach: body.mach}\n"                                                                     \
    "  chute:\n"                                                                                   \
    "    type: parachute\n"                                                                        \
    "    params: {drag_area: 20, inflation_time: 0.5, position: [2, 0.1, -0.2]}\n"                 \
    "    inputs: {velocity: body.air_velocity, rate: body.air_rate, density: body.air.density}\n"  \
    "  body:\n"                                                                                    \
    "    type: rocket_body\n"                                                                      \
    "    params: {j2: " j2 ", attitude: [5 deg, 80 deg, 20 deg], " motion "}\n"                    \
    "    inputs: {mass: mass.mass, com: mass.com, inertia: mass.inertia, jet: mass.jet,\n"         \
    "      stream: mass.stream, wind: wind.y, force1: motor.force, moment1: motor.moment,\n"       \
    "      force2: air.force, moment2: air.moment, force3: chute.force, moment3: chute.moment}\n"  \
    "  orbiter:\n"                                                                                 \
    "    type: orbiter\n"                                                                          \
    "    params: {j2: " j2 ", position: [7e6, 1e6, 2e6], velocity: [-1000, 6500, 3000]}\n"         \
    "    inputs: {push: push.y}\n"                                                                 \
    "  push: {type: constant, params: {size: 3, unit: m/s^2, value: [0.1, 0.2, -0.3]}}\n"

#define LINES                                                                                      \
    "mach: [0, 0.05, 0.2, 3], drag: [0.3, 0.5, 0.4, 0.35], normal: [24, 25, 22, 16],\n"            \
    "       pressure_centre: [2.5, 2.4, 2.7, 3]"
#define CURVES                                                                                     \
    "mach: [0, 0.05, 0.1, 0.2, 0.4], drag: [0.3, 0.5, 0.4, 0.35, 0.4],\n"                          \
    "       normal: [24, 25, 22, 16, 18], pressure_centre: [2.5, 2.4, 2.7, 3, 3.1],\n"             \
    "       interpolation: spline"

static const char *const texts[] = {
    TEXT("1.08262982e-3", "rail: 6 m",
         "spool: 0.2 s, curve: {at: [0, 0.05, 1], thrust: [1, 1.4, 1]}",
         ", settled: true, capacity: 400", "", LINES),
    TEXT("0", "velocity: [10, 2, 3], rate: [0.1, -0.2, 0.3]",
         "curve: {over: time, at: [0, 0.5, 4], thrust: [1, 1.4, 0.8]}", "",
         ", settled: true, capacity: 300", LINES),
    TEXT("1.08262982e-3", "motion: fixed, air: false, velocity: [100, 200, 300]", "residual: 2", "",
         "", LINES),
    TEXT("0", "rail: 6 m",
         "curve: {at: [0, 0.3, 0.6, 1], thrust: [1, 1.4, 1.2, 0.9], interpolation: spline}", "", "",
         CURVES),
    TEXT("0", "velocity: [10, 2, 3]",
         "curve: {over: time, at: [0, 0.5, 4], thrust: [1, 1.4, 0.8], interpolation: spline}", "",
         "", CURVES),
};
enum { TEXTS = sizeof texts / sizeof *texts };
static const char *const names[] = {"body", "motor", "mass", "air", "chute", "orbiter"};
enum { NAMES = sizeof names / sizeof *names };

static void open_text(int i)
{
    rig_open(&r, texts[i]);
    rig_run(&r, 1000000); // now everything moves
}

static void test_kinds_have_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < TEXTS; i++) {
        open_text(i);
        for (int k = 0; k < NAMES; k++) {
            kernels_compare(&r, names[k], 200, 0);
            kernels_compare(&r, names[k], 200, 16);
        }
        rig_close(&r);
    }
}

static void test_duals_are_derivatives(void **state)
{
    (void)state;
    for (int i = 0; i < TEXTS; i++) {
        open_text(i);
        for (int k = 0; k < NAMES; k++)
            kernels_differentiate(&r, names[k], 6);
        rig_close(&r);
    }
}

// At rest there are no forces of the air, and no NaN among their derivatives.
static void test_derivatives_at_rest(void **state)
{
    (void)state;
    static double dual[KERNELS_MAX * TAC_DUAL_WIDTH], got[KERNELS_MAX * TAC_DUAL_WIDTH];
    open_text(0);
    for (int k = 3; k <= 4; k++) {
        const kernels_subject s = kernels_of(&r, names[k]);
        const size_t velocity = k == 3 ? 1 : 2; // behind the time, or time and `deploy`
        memset(dual, 0, sizeof dual);
        for (size_t i = 0; i < kernels_size(&s); i++)
            dual[i * TAC_DUAL_WIDTH] = i >= velocity && i < velocity + 6 ? 0 : s.at[i];
        for (size_t i = 0; i < 3; i++)
            dual[(velocity + i) * TAC_DUAL_WIDTH + 1 + i] = 1;
        kernels_eval(&s, TAC_DUALS_OF_ALL, dual, NULL, got);
        for (size_t o = 0; o < 6; o++) { // force and moment
            for (size_t d = 0; d < TAC_DUAL_WIDTH; d++)
                assert_true(got[o * TAC_DUAL_WIDTH + d] == 0);
        }
    }
    rig_close(&r);
}

// What differs in nothing but numbers is alike.
static void test_alike(void **state)
{
    (void)state;
    static rig same, other;
    open_text(0);
    rig_open(&other, texts[1]);
    const char *sets[] = {"components.body.params.rail=7 m",
                          "components.body.params.j2=1e-3",
                          "components.motor.params.thrust=60 kN",
                          "components.motor.params.spool=0.3 s",
                          "components.mass.params.stages[0].mass=300 kg",
                          "components.air.params.diameter=0.5",
                          "components.chute.params.drag_area=30",
                          "components.orbiter.params.j2=1e-3",
                          "world.latitude=41 deg"};
    assert_int_equal(rig_try_sets(&same, texts[0], sets, sizeof sets / sizeof *sets), TAC_OK);
    for (int k = 0; k < NAMES; k++) {
        const tac__component *c = kernels_of(&r, names[k]).c;
        const tac__component *d = kernels_of(&same, names[k]).c;
        assert_true(c->type->alike(c->self, d->self));
        assert_true(c->number_count == d->number_count);
        assert_memory_not_equal(c->numbers, d->numbers, c->number_count * sizeof(double));
        const tac__component *e = kernels_of(&other, names[k]).c;
        const bool may_differ = k != 3 && k != 4; // the tables of the air are the same
        assert_int_equal(c->type->alike(c->self, e->self), !may_differ);
    }
    rig_close(&r);
    rig_close(&same);
    rig_close(&other);
}

// Rockets that differ in their numbers fly in lanes: from the rail, while the motor burns, after
// that, each until an instant of its own.
static void write_swarm(const char *method, unsigned lanes, char *swarm, size_t size)
{
    size_t n = (size_t)snprintf(
        swarm, size,
        "duration: 3 s\nplant: {lanes: %u, integrator: {kind: %s, h_max: 5 ms}}\n"
        "scheduler: {rate_groups: [{name: g, period: 20 ms, components: ['*.wind']}]}\n"
        "entities:\n",
        lanes, method);
    for (int i = 0; i < 8; i++)
        n += (size_t)snprintf(
            swarm + n, size - n,
            "  r%d:\n    components:\n"
            "      motor: {type: rocket_motor, params: {thrust: %d kN, isp: 250 s, fuel: 20 kg,\n"
            "        spool: 0.0%d s}, inputs: {pressure: body.air.pressure}}\n"
            "      mass: {type: rocket_mass, params: {stages: [{mass: %d kg, inertia: [9, 99, "
            "99],\n"
            "        com: [2, 0.00%d, 0]}]}, inputs: {fuel1: motor.fuel, flow1: motor.flow}}\n"
            "      air: {type: rocket_aero, params: {diameter: 0.%d, drag: 0.4, normal: 20},\n"
            "        inputs: {velocity: body.air_velocity, rate: body.air_rate,\n"
            "        density: body.air.density, mach: body.mach}}\n"
            "      body: {type: rocket_body, params: {rail: %d, attitude: [0, 85 deg, %d deg]},\n"
            "        inputs: {wind: wind.y, mass: mass.mass, com: mass.com, inertia: "
            "mass.inertia,\n"
            "        jet: mass.jet, stream: mass.stream, force1: motor.force,\n"
            "        moment1: motor.moment, force2: air.force, moment2: air.moment}}\n"
            "      wind: {type: sine, params: {size: 3, unit: m/s, amplitude: %d}}\n",
            i, 30 + i, 3 + i, 100 + 3 * i, 1 + i, 30 + i, 3 + i, 10 * i, 1 + i);
    assert_true(n < size);
}

static void test_swarm_in_lanes(void **state)
{
    (void)state;
    static const char *const methods[] = {"euler", "rk4", "rk23", "rk45"};
    static char swarm[16384];
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        uint64_t hash = 0;
        for (unsigned lanes = 1; lanes <= 8; lanes *= 2) {
            write_swarm(methods[k], lanes, swarm, sizeof swarm);
            rig_open(&r, swarm);
            for (size_t i = 0; i < r.engine->plan->island_count; i++)
                assert_int_equal(r.engine->islands[i].lanes != NULL,
                                 lanes > 1 && tac__packs_sound(2)); // or narrower
            rig_run(&r, TAC_TIME_MAX);
            const uint64_t got = tac_engine_hash(r.engine, NULL, NULL);
            rig_close(&r);
            if (lanes == 1)
                hash = got;
            if (got != hash)
                fail_msg("%s: with %u lanes the hash is another", methods[k], lanes);
        }
    }
}

TEST_MAIN(cmocka_unit_test(test_kinds_have_the_same_bits),
          cmocka_unit_test(test_duals_are_derivatives), cmocka_unit_test(test_derivatives_at_rest),
          cmocka_unit_test(test_alike), cmocka_unit_test(test_swarm_in_lanes))
