// The component type `multirotor`: parameters, their checks, the state at the start, the vehicles
// of examples/, and flights in an engine with located contacts.
#include "engine/test_rig.h"
#include <tactus/outside.h>

#include <math.h>

static rig r;

static void near(double got, double expected, double tolerance, const char *what)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%s: %.17g, expected %.17g to within %g", what, got, expected, tolerance);
}

static const double *read_all(const char *signal)
{
    return rig_read(&r, signal);
}

// A vehicle that is complete but for `params`, which follow.
static const char *vehicle(const char *params)
{
    static char text[8192];
    int rotors = 0;
    for (const char *c = params; (c = strstr(c, "direction:")); c++)
        rotors++;
    snprintf(text, sizeof text,
             "duration: 20 s\n"
             "scheduler: {rate_groups: [{name: g, period: 4 ms, components: [cmd]}]}\n"
             "plant: {integrator: {kind: rk45}}\n"
             "components:\n"
             "  cmd: {type: constant, params: {size: %d, value: 0}}\n"
             "  vehicle:\n"
             "    type: multirotor\n"
             "    inputs: {motor: cmd.y}\n"
             "    params:\n"
             "%s",
             rotors ? rotors : 4, params);
    return text;
}

#define ROTORS                                                                                     \
    "      rotors:\n"                                                                              \
    "        - {position: [0.15, 0.25, 0], direction: 1}\n"                                        \
    "        - {position: [-0.15, -0.2, 0], direction: 1}\n"                                       \
    "        - {position: [0.15, -0.25, 0], direction: -1}\n"                                      \
    "        - {position: [-0.15, 0.2, 0], direction: -1}\n"
#define BODY "      mass: 1.5 kg\n      inertia: [0.03, 0.03, 0.055]\n"
#define FEET "      feet: {radius: 0.2 m, height: 0.05 m}\n"

static void refused(const char *params, tac_status status, const char *part)
{
    rig_refused(vehicle(params), status, part);
}

// --- parameters ---------------------------------------------------------------------------------

static void test_refusals(void **state)
{
    (void)state;
    refused(ROTORS "      mass: 0 kg\n      inertia: [1, 1, 1]\n", TAC_E_RANGE,
            "0 kg is out of range");
    refused(ROTORS "      mass: 1.5 kg\n", TAC_E_CONFIG, "'inertia' is missing");
    refused(ROTORS "      mass: 1.5 kg\n      inertia: [1, 1]\n", TAC_E_CONFIG,
            "expected 3, 6 or 9 numbers, found 2");
    refused(ROTORS "      mass: 1.5 kg\n      inertia: [1, 1, 1, 2, 0, 0]\n", TAC_E_CONFIG,
            "must be positive definite");
    refused(ROTORS "      mass: 1.5 kg\n      inertia: [1, 0.1, 0, 0.2, 1, 0, 0, 0, 1]\n",
            TAC_E_CONFIG, "must be symmetric");
    refused(BODY, TAC_E_CONFIG, "'rotors' is missing");
    refused(BODY "      rotors: []\n", TAC_E_CONFIG, "at least one rotor");
    refused(BODY "      rotors: [{position: [0, 0, 0], direction: 0.5}]\n", TAC_E_CONFIG,
            "must be 1 or -1");
    refused(BODY "      rotors: [{position: [0, 0, 0], direction: 1, axis: [0, 0, 0]}]\n",
            TAC_E_CONFIG, "must not be zero");
    refused(BODY ROTORS "      propeller: {torque_ratio: 1 m}\n", TAC_E_CONFIG,
            "give propeller.thrust_coefficient");
    refused(BODY ROTORS "      motor: {kv: 900 rpm}\n", TAC_E_UNIT,
            "'900 rpm' is not in a unit of rpm/V");
    refused(BODY ROTORS "      motor: {resistence: 0.1}\n", TAC_E_NAME,
            "did you mean 'resistance'?");
    refused(BODY ROTORS "      batteries: []\n", TAC_E_CONFIG, "at least one battery");
    refused(BODY ROTORS "      batteries: {ocv_soc: [0, 0.5, 0.5], ocv: [1, 2, 3]}\n", TAC_E_CONFIG,
            "must rise");
    refused(BODY ROTORS "      batteries: {ocv: [10, 11, 12]}\n", TAC_E_CONFIG,
            "there are 3 and 2");
    refused(BODY ROTORS "      batteries: {ocv_interpolation: spline}\n", TAC_E_CONFIG,
            "at least 3 points, found 2");
    refused(BODY ROTORS "      batteries: {ocv_soc: [0, 0.5, 0.6, 1], ocv: [1, 1, 9, 12], "
                        "ocv_interpolation: spline}\n",
            TAC_E_CONFIG, "expected above 0 everywhere");
    refused(BODY ROTORS "      batteries: {ocv_soc: [0, 0.5, 0.5], ocv: [1, 2, 3], "
                        "ocv_interpolation: spline}\n",
            TAC_E_CONFIG, "must rise");
    refused(BODY ROTORS "      feet: {height: 0.1}\n", TAC_E_CONFIG, "or several have a radius");
    refused(BODY ROTORS "      feet: [{radius: 1, count: 8}, {position: [0, 0, 0]}]\n",
            TAC_E_CONFIG, "more than 8 feet");
    refused(BODY ROTORS "      attitude: [1, 0]\n", TAC_E_CONFIG, "three angles or a quaternion");
    refused(BODY ROTORS "      position: [1]\n", TAC_E_CONFIG, "north, east");
}

// Every motor and every battery is on exactly one bus.
static void test_buses(void **state)
{
    (void)state;
#define TWO "      batteries: [{}, {}]\n"
    refused(BODY ROTORS TWO "      buses: [{motors: [1, 2], batteries: [1]}, {motors: [3], "
                            "batteries: [2]}]\n",
            TAC_E_CONFIG, "motor 4 is on no bus");
    refused(BODY ROTORS TWO "      buses: [{motors: [1, 2], batteries: [1]}, {motors: [2, 3, 4], "
                            "batteries: [2]}]\n",
            TAC_E_CONFIG, "number 2 of motors is on bus 1 already");
    refused(BODY ROTORS TWO "      buses: [{motors: [1, 2, 5], batteries: [1]}, {motors: [3, 4], "
                            "batteries: [2]}]\n",
            TAC_E_CONFIG, "there is no number 5; motors are 1 to 4");
    refused(BODY ROTORS TWO "      buses: [{motors: [1, 2], batteries: [1]}, {motors: [3, 4]}]\n",
            TAC_E_CONFIG, "battery 2 is on no bus");
    refused(BODY ROTORS "      batteries: [{kind: ideal}, {}]\n", TAC_E_CONFIG,
            "bus 1 has ideal and other batteries");
    refused(BODY ROTORS "      buses: {load: 5000 W}\n", TAC_E_CONFIG,
            "batteries of 0.02 Ohm cannot carry a load of 5000 W at 9.9 V");
    rig_open(&r, vehicle(BODY ROTORS TWO "      buses: [{motors: [1, 2], batteries: [2], share: "
                                         "equal}, {motors: [3, 4], batteries: [1]}]\n"));
    rig_run(&r, 0);
    near(read_all("vehicle.bus.voltage")[1], 12.6, 1e-12, "bus");
    rig_close(&r);
#undef TWO
}

static void test_start(void **state)
{
    (void)state;
    rig_open(&r, vehicle(BODY ROTORS "      position: [1, 2, -30]\n"
                                     "      velocity: [3, 4, 5]\n"
                                     "      attitude: [10 deg, -20 deg, 30 deg]\n"
                                     "      rate: [0.1, 0.2, 0.3]\n"
                                     "      rotor_speed: 900 rpm\n"
                                     "      actuator: {kind: second_order}\n"
                                     "      batteries: {soc: 0.12}\n"));
    rig_run(&r, 0);
    static const double euler[3] = {10, -20, 30};
    for (int i = 0; i < 3; i++) {
        near(read_all("vehicle.euler")[i], euler[i] * 3.14159265358979323846 / 180, 1e-15, "euler");
        near(read_all("vehicle.velocity")[i], 3 + i, 0, "velocity");
    }
    near(read_all("vehicle.position")[2], -30, 0, "down");
    near(read_all("vehicle.rotor_speed")[3], 900 * 3.14159265358979323846 / 30, 1e-12, "speed");
    near(read_all("vehicle.actuator")[0], 0, 0, "actuator");
    near(read_all("vehicle.actuator_rate")[0], 0, 0, "actuator_rate");
    near(read_all("vehicle.battery.warning")[0], 1, 0, "warning");
    rig_close(&r);

    rig_open(&r, vehicle(BODY ROTORS "      attitude: [2, 0, 0, 2]\n"));
    rig_run(&r, 0);
    near(read_all("vehicle.euler")[2], 3.14159265358979323846 / 2, 1e-15, "by a quaternion");
    rig_close(&r);

    rig_open(&r, vehicle(BODY ROTORS "      euler: false\n"));
    rig_run(&r, 4000);
    assert_int_equal(tac_engine_find_signal(r.engine, "vehicle.euler"), -1);
    rig_close(&r);
}

// The angular acceleration is the derivative of the rate, whether or not there are Euler angles
// before it, and is there only on request.
static void test_angular_acceleration(void **state)
{
    (void)state;
    enum { STEP_US = 50, AT_US = 20000 };
    static const char *const euler[] = {"true", "false"};
    for (int k = 0; k < 2; k++) {
        char text[2048];
        snprintf(text, sizeof text,
                 BODY ROTORS "      rate: [2, -3, 1]\n      rotor_speed: 500 rad/s\n"
                             "      position: [0, 0, -30]\n      euler: %s\n"
                             "      angular_acceleration: true\n",
                 euler[k]);
        rig_open(&r, vehicle(text));
        double rate[2][3], there[3];
        rig_run(&r, AT_US);
        for (int i = 0; i < 3; i++) {
            const char *name = i == 1 ? "vehicle.angular_acceleration" : "vehicle.rate";
            memcpy(i == 1 ? there : rate[i / 2],
                   tac_engine_read_at(r.engine, tac_engine_find_signal(r.engine, name),
                                      (tac_time)(AT_US + i * STEP_US)),
                   sizeof there);
        }
        for (int i = 0; i < 3; i++) {
            const double slope = (rate[1][i] - rate[0][i]) / (2e-6 * STEP_US);
            near(there[i], slope, 1e-4 * (1 + fabs(slope)), "angular acceleration");
            assert_true(fabs(slope) > 0.1);
        }
        rig_close(&r);
    }
    rig_open(&r, vehicle(BODY ROTORS));
    rig_run(&r, 4000);
    assert_int_equal(tac_engine_find_signal(r.engine, "vehicle.angular_acceleration"), -1);
    rig_close(&r);
}

// One motor and one propeller of their own.
static void test_overrides(void **state)
{
    (void)state;
    rig_open(&r, vehicle(BODY "      motor: {resistance: 0.2 Ohm}\n"
                              "      propeller: {thrust_coefficient: 1e-4}\n"
                              "      rotor_speed: 100 rad/s\n"
                              "      rotors:\n"
                              "        - {position: [1, 0, 0], direction: 1}\n"
                              "        - {position: [0, 1, 0], direction: 1, motor: {kv: 460}}\n"
                              "        - {position: [-1, 0, 0], direction: -1, propeller: "
                              "{thrust_coefficient: 3e-4}}\n"
                              "        - {position: [0, -1, 0], direction: -1}\n"
                              "      batteries: {kind: ideal, voltage: 12 V}\n"));
    rig_run(&r, 0);
    const double density = rig_f64(&r, "vehicle.air.density");
    near(read_all("vehicle.thrust")[0], 1e-4 * density * 1e4, 1e-12, "common");
    near(read_all("vehicle.thrust")[2], 3e-4 * density * 1e4, 1e-12, "own");
    rig_close(&r);
}

// --- in an engine -------------------------------------------------------------------------------

static void test_stands(void **state)
{
    (void)state;
    rig_open(&r, vehicle(BODY ROTORS FEET "      position: [3, 4]\n"));
    rig_run(&r, 0);
    const double down = read_all("vehicle.position")[2];
    near(down, -0.05 + 1.5 * 9.80665 / 20000, 1e-15, "on its feet");
    near(rig_f64(&r, "vehicle.feet_down"), 4, 0, "feet");
    rig_run(&r, 2000000);
    near(read_all("vehicle.position")[2], down, 1e-7, "still there");
    near(read_all("vehicle.position")[0], 3, 1e-9, "north");
    rig_close(&r);
}

// The drop of a metre, by an adaptive method: the contact is located, nothing blows up.
static void test_drops(void **state)
{
    (void)state;
    static const char *const kinds[] = {"plant.integrator.kind=rk45", "plant.integrator.kind=rk4"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rig_try_sets(&r,
                                      vehicle(BODY ROTORS FEET "      position: [0, 0, -1.05]\n"
                                                               "      attitude: [0.1, 0, 0]\n"),
                                      &kinds[i], 1),
                         TAC_OK);
        rig_run(&r, 10000000);
        for (int k = 0; k < 3; k++) {
            near(read_all("vehicle.velocity")[k], 0, 1e-6, "velocity");
            near(read_all("vehicle.rate")[k], 0, 1e-6, "rate");
        }
        near(read_all("vehicle.position")[2], -0.05 + 1.5 * 9.80665 / 20000, 1e-6, "on its feet");
        near(rig_f64(&r, "vehicle.feet_down"), 4, 0, "feet");
        rig_close(&r);
    }
}

// The state that `hover` starts with is one of rest, up to the sag of the battery.
static void test_hovers(void **state)
{
    (void)state;
    char text[8192];
    snprintf(text, sizeof text, "%s",
             vehicle(BODY ROTORS "      position: [0, 0, -10]\n"
                                 "      hover: true\n"
                                 "      batteries: {kind: ideal, voltage: 12 V}\n"));
    rig_open(&r, text);
    rig_run(&r, 0);
    double weight = 0;
    for (int i = 0; i < 4; i++)
        weight += read_all("vehicle.thrust")[i];
    near(weight, 1.5 * 9.80665, 0.02, "thrust, but for ten metres of air");
    rig_close(&r);
}

// The vehicles of examples/ stand on the ground, each by its file, with a command instead of all
// that flies it.
static void test_examples(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int motors, feet;
    } rows[] = {{"iris", 4, 4}, {"hexa", 6, 6}, {"octa", 8, 8}};
    const char *source = getenv("TACTUS_SOURCE");
    if (!source)
        skip();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[4096];
        snprintf(text, sizeof text,
                 "duration: 2 s\n"
                 "scheduler: {rate_groups: [{name: g, period: 4 ms, components: ['*.cmd']}]}\n"
                 "plant: {integrator: {kind: rk45}}\n"
                 "entities:\n"
                 "  uav:\n"
                 "    extends: %s/examples/vehicles/%s.yaml\n"
                 "    components:\n"
                 "      scenario: ~\n"
                 "      wind: ~\n"
                 "      estimator: ~\n"
                 "      control: ~\n"
                 "      cmd: {type: constant, params: {size: %d, value: 0.3}}\n"
                 "      vehicle: {inputs: {motor: cmd.y, wind: ~, motor_hold: ~, motor_duty: ~, "
                 "motor_loss: ~, battery_open: ~}}\n",
                 source, rows[i].name, rows[i].motors);
        rig_open(&r, text);
        rig_run(&r, TAC_TIME_NEVER);
        near(rig_f64(&r, "uav.vehicle.feet_down"), rows[i].feet, 0, "feet");
        near(read_all("uav.vehicle.velocity")[2], 0, 1e-4, "velocity");
        assert_true(read_all("uav.vehicle.thrust")[0] > 0.5);
        assert_true(rig_f64(&r, "uav.vehicle.bus.residual") < 1e-6);
        rig_close(&r);
    }
}

// --- warnings -----------------------------------------------------------------------------------

static struct {
    size_t count;
    char text[512];
} warned;

static void keep_warning(void *context, const tac_log_entry *entry)
{
    (void)context;
    warned.count++;
    snprintf(warned.text, sizeof warned.text, "%s", entry->text);
}

static size_t warnings_of(const char *text)
{
    rig_open(&r, text);
    warned.count = 0;
    tac_engine_def def = tac_config_engine_def(r.config);
    def.log = keep_warning;
    def.log_level = TAC_LOG_WARN;
    tac_engine *engine;
    assert_int_equal(tac_config_build(r.config, &def, &engine, NULL), TAC_OK);
    tac_engine_destroy(engine);
    rig_close(&r);
    return warned.count;
}

#define REAL_PROPELLER                                                                             \
    "      propeller: {radius: 0.127, torque_ratio: 0.0163, thrust_coefficient: 1.2e-5}\n"         \
    "      motor: {resistance: 0.12}\n"
#define REAL_BODY "      mass: 1.5\n" REAL_PROPELLER

#define REAL REAL_PROPELLER BODY "      rotors:\n"
#define ROTOR(x, y, direction)                                                                     \
    "        - {position: [" #x ", " #y ", 0], direction: " #direction "}\n"

// Layouts that fly: with an odd number of rotors one is left over; coaxial rotors balance each
// other; leaning rotors balance their torques by their thrust.
static void test_plausible(void **state)
{
    (void)state;
    static const char *const layouts[] = {
        REAL ROTOR(0.3, 0, 1) ROTOR(0.093, 0.285, -1) ROTOR(-0.243, 0.176, 1)
            ROTOR(-0.243, -0.176, -1) ROTOR(0.093, -0.285, 1),
        REAL ROTOR(0.3, 0, 1) ROTOR(0.3, 0, -1) ROTOR(-0.15, 0.26, 1) ROTOR(-0.15, 0.26, -1)
            ROTOR(-0.15, -0.26, 1) ROTOR(-0.15, -0.26, -1),
        REAL "        - {position: [0, 0.2, 0], direction: 1, axis: [-0.0815, 0, 1]}\n"
             "        - {position: [0, -0.2, 0], direction: 1, axis: [0.0815, 0, 1]}\n"
             "        - {position: [0.2, 0, 0], direction: 1, axis: [0, 0.0815, 1]}\n"
             "        - {position: [-0.2, 0, 0], direction: 1, axis: [0, -0.0815, 1]}\n",
    };
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const size_t count = warnings_of(vehicle(layouts[i]));
        if (count)
            fail_msg("layout %zu: %s", i, warned.text);
    }
}

static void test_implausible(void **state)
{
    (void)state;
    assert_int_equal(warnings_of(vehicle(ROTORS BODY REAL_PROPELLER)), 0);
    static const struct {
        const char *params, *part, *place;
    } rows[] = {
        {ROTORS "      inertia: [0.03, 0.03, 0.061]\n" REAL_BODY, "triangle inequality",
         ":15:16: "},
        {ROTORS "      inertia: [0.03, 0.03, 0.055, 0, 0, 0.02]\n" REAL_BODY, "triangle",
         ":15:16: "},
        {ROTORS "      inertia: [3, 3, 5.5]\n" REAL_BODY, "1.91 m from the axis", ":15:16: "},
        {BODY ROTORS "      calibration: {thrust_to_weight: 2}\n"
                     "      propeller: {torque_ratio: 0.05}\n"
                     "      motor: {kv: 920, resistance: 0.25, max_current: 60}\n",
         "CT = T/(rho n^2 D^4) of a propeller of 0.254 m is 0.627", ":17:20: "},
        {BODY ROTORS "      propeller: {thrust_coefficient: 1.2e-5, torque_ratio: 0.01}\n",
         "figure of merit of a propeller is 1.09", ":17:39: "},
        {BODY ROTORS "      propeller: {thrust_coefficient: 2e-6, torque_ratio: 0.012}\n",
         "it cannot hover: a rotor would need a duty of 1.22", ":17:39: "},
        {BODY ROTORS "      propeller: {thrust_coefficient: 1.2e-5, torque_ratio: 0.0163}\n"
                     "      motor: {kv: 6000, resistance: 0.002, max_current: 3000}\n",
         "faster than sound", ":17:39: "},
        {BODY ROTORS "      propeller: {thrust_coefficient: 1.2e-5, torque_ratio: 0.0163}\n"
                     "      motor: {resistance: 0.12, max_current: 3}\n",
         "whose controller allows 3 A", ":17:39: "},
        // Lengths in other units
        {REAL ROTOR(300, 0.25, 1) ROTOR(-0.15, -0.2, 1) ROTOR(0.15, -0.25, -1)
             ROTOR(-0.15, 0.2, -1),
         "rotor 1 is 300 m from the center of mass; no multirotor reaches beyond 20 m: are these "
         "meters? [rotor-far]",
         ":15:22: "},
        {REAL ROTOR(150, 250, 1) ROTOR(-150, -200, 1) ROTOR(150, -250, -1) ROTOR(-150, 200, -1),
         "rotor 1 is 291.5 m from the center of mass, and others are too far out; no", ":15:22: "},
        {REAL ROTOR(5.9, 9.8, 1) ROTOR(-5.9, -9.8, 1) ROTOR(5.9, -9.8, -1) ROTOR(-5.9, 9.8, -1),
         "rotor 1 is 11.44 m from the center of mass, and others are too far out, but the mass of "
         "1.5 kg with an inertia of 0.055 kg*m^2 is within 0.191 m of the axis",
         ":15:22: "},
        // Directions
        {REAL ROTOR(0.15, 0.25, 1) ROTOR(-0.15, -0.25, 1) ROTOR(0.15, -0.25, 1)
             ROTOR(-0.15, 0.25, 1),
         "all 4 rotors turn the same way: in level hover nothing balances their torque of 0.24 "
         "N*m, "
         "and the vehicle spins; expected directions 1 and -1 [rotor-directions]",
         ":15:9: "},
        {REAL ROTOR(0.15, 0.25, 1) ROTOR(-0.15, -0.25, -1) ROTOR(0.15, -0.25, -1)
             ROTOR(-0.15, 0.25, -1),
         "of 4 rotors 1 turn one way and 3 the other: in level hover 0.12 N*m", ":15:9: "},
        {REAL ROTOR(0.3, 0, 1) ROTOR(0.15, 0.26, -1) ROTOR(-0.15, 0.26, 1) ROTOR(-0.3, 0, 1)
             ROTOR(-0.15, -0.26, 1) ROTOR(0.15, -0.26, -1),
         "of 6 rotors 4 turn one way and 2 the other", ":15:9: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t count = warnings_of(vehicle(rows[i].params));
        print_message("%s\n", warned.text);
        assert_true(count == 1);
        if (!strstr(warned.text, rows[i].part) || !strstr(warned.text, rows[i].place))
            fail_msg("'%s' at %s: %s", rows[i].part, rows[i].place, warned.text);
    }
}

// A vehicle on its feet that is too stiff for a fixed step trembles, with events without end: there
// is a warning wherever it does. (A little beyond the limit boundaries may save it, where steps are
// cut short.)
static void test_trembles(void **state)
{
    (void)state;
    size_t trembled = 0, saved = 0;
    for (int i = 0; i < 36; i++) {
        static const char *const kinds[] = {"rk4", "euler", "rk45"};
        static const double masses_kg[] = {0.5, 0.8, 1.5};
        static const unsigned steps_us[] = {300, 600, 1000, 2000};
        char kind[64], step[64], params[1024];
        snprintf(kind, sizeof kind, "plant.integrator.kind=%s", kinds[i % 3]);
        snprintf(step, sizeof step, "plant.integrator.h_max=%u us", steps_us[i / 9]);
        snprintf(params, sizeof params,
                 "      mass: %g kg\n      inertia: [0.03, 0.03, 0.055]\n" ROTORS FEET
                 "      position: [0, 0, -0.06]\n" REAL_PROPELLER,
                 masses_kg[i / 3 % 3]);
        const char *const sets[] = {kind, step};
        assert_int_equal(rig_try_sets(&r, vehicle(params), sets, 2), TAC_OK);
        tac_engine_def def = tac_config_engine_def(r.config);
        def.log = keep_warning;
        def.log_level = TAC_LOG_WARN;
        warned.count = 0;
        tac_engine *engine;
        assert_int_equal(tac_config_build(r.config, &def, &engine, NULL), TAC_OK);
        assert_int_equal(tac_engine_run(engine, 5000000, NULL), TAC_OK);
        const uint64_t events = tac_engine_counters(engine).events;
        tac_engine_destroy(engine);
        print_message("%s, %s, %g kg: %llu events, %zu warnings\n", kind, step,
                      masses_kg[i / 3 % 3], (unsigned long long)events, warned.count);
        assert_true(warned.count == 1 || (warned.count == 0 && events < 10));
        if (warned.count)
            assert_non_null(strstr(warned.text, "contact of the feet with the ground decays with"));
        trembled += warned.count && events > 100;
        saved += warned.count && events <= 100;
        rig_close(&r);
    }
    assert_true(trembled > 5 && saved < trembled / 3);
}

// Bodies made of points never have an impossible inertia. A body all of whose mass were on a line
// has moments (0, I, I): with a little more about one of them there is none, in any axes.
static void test_inertia_of_bodies(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int k = 0; k < 40; k++) {
        const bool impossible = k % 2;
        double i[9] = {0}, at[3], square;
        for (int point = 0; point < (impossible ? 1 : 4); point++) {
            square = 0;
            for (int c = 0; c < 3; c++) {
                seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                at[c] = 0.2 * ((double)(seed >> 11) * 0x1p-52 - 1);
                square += at[c] * at[c];
            }
            for (int c = 0; c < 9; c++)
                i[c] += 0.3 * ((c % 4 == 0 ? square : 0) - at[c / 3] * at[c % 3]);
        }
        if (impossible) { // moments e, I, I become e, I + e, I + 3 e about an axis across the line
            const double across[3] = {at[1], -at[0], 0}, e = 0.02 * 0.3 * square;
            const double length = at[0] * at[0] + at[1] * at[1];
            for (int c = 0; c < 9; c++)
                i[c] += (c % 4 == 0 ? e : 0) + 2 * e * across[c / 3] * across[c % 3] / length;
        }
        char text[1024];
        snprintf(text, sizeof text,
                 ROTORS "      inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]\n" REAL_BODY,
                 i[0], i[4], i[8], i[1], i[2], i[5]);
        assert_int_equal(warnings_of(vehicle(text)), impossible);
    }
}

TEST_MAIN(cmocka_unit_test(test_trembles), cmocka_unit_test(test_plausible),
          cmocka_unit_test(test_implausible), cmocka_unit_test(test_inertia_of_bodies),
          cmocka_unit_test(test_refusals), cmocka_unit_test(test_buses),
          cmocka_unit_test(test_start), cmocka_unit_test(test_angular_acceleration),
          cmocka_unit_test(test_overrides), cmocka_unit_test(test_stands),
          cmocka_unit_test(test_drops), cmocka_unit_test(test_hovers),
          cmocka_unit_test(test_examples))
