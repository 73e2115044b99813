// The whole plant inside the engine, from YAML: closed forms, equilibria, contact, balances of
// energy, and all integrators on the same manoeuvre.
#include "flight/flight.h"

static const double pi = 3.14159265358979323846;

// Without wind and with constant duties, "written" every 100 ms: a boundary.
#define STILL(top, body, duty)                                                                     \
    top "scheduler: {rate_groups: [{name: slow, rate_hz: 10, components: [motors]}]}\n"            \
        "components:\n"                                                                            \
        "  motors: {type: constant, params: {size: 4, value: " duty "}}\n"                         \
        "  vehicle:\n    type: multirotor\n    params: {" FLIGHT_IRIS body "}\n"                   \
        "    inputs: {motor: motors.y}\n"

static void open_with(rig *r, const char *text, const char *integrator)
{
    char set[160];
    snprintf(set, sizeof set, "plant.integrator=%s", integrator);
    const char *sets[] = {set, NULL};
    flight_open(r, text, sets);
}

static double body(rig *r, const char *signal, size_t i)
{
    return ((const double *)rig_read(r, signal))[i];
}

static void body_position(rig *r, double p[3])
{
    memcpy(p, rig_read(r, "vehicle.position"), 3 * sizeof *p);
}

// Prints what was measured beside the bound that it must keep.
static void bounded(const char *what, double value, double bound)
{
    print_message("%-52s %8.1e  (bound %.0e)\n", what, value, bound);
    assert_true(value >= 0 && value <= bound);
}

// --- closed forms -------------------------------------------------------------------------------

static void test_free_fall(void **state)
{
    (void)state;
    rig r;
    open_with(&r, STILL("duration: 2 s\n", ", drag: 0, position: [0, 0, -100]", "0"),
              "{kind: rk4, h_max: 10 ms}");
    rig_run(&r, TAC_TIME_MAX);
    bounded("free fall, rk4: position [m]",
            fabs(body(&r, "vehicle.position", 2) + 100 - 0.5 * FLIGHT_G * 4), 1e-11);
    bounded("free fall, rk4: velocity [m/s]", fabs(body(&r, "vehicle.velocity", 2) - FLIGHT_G * 2),
            1e-11);
    rig_close(&r);
}

// A throw with linear drag: v = vt + (v0 - vt) exp(-k t), vt = (0, 0, g/k), k = c/m.
static void test_ballistic(void **state)
{
    (void)state;
    static const char *const kinds[] = {"{kind: rk4, h_max: 10 ms}", "{kind: rk23, rtol: 1e-9}",
                                        "{kind: rk45, rtol: 1e-9}", "{kind: dop853, rtol: 1e-9}",
                                        "{kind: rodas4, rtol: 1e-9}"};
    static const double v0[3] = {8, -3, -12}, p0[3] = {1, 2, -50};
    const double k = 0.05 / FLIGHT_MASS, t = 2;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        rig r;
        open_with(&r,
                  STILL("duration: 2 s\n",
                        ", position: [1, 2, -50], velocity: [8, -3, -12], rate: [0.3, 2, -0.5]",
                        "0"),
                  kinds[i]);
        rig_run(&r, TAC_TIME_MAX);
        double p[3], expected[3];
        body_position(&r, p);
        for (int d = 0; d < 3; d++) {
            const double vt = d == 2 ? FLIGHT_G / k : 0;
            expected[d] = p0[d] + vt * t + (v0[d] - vt) * -expm1(-k * t) / k;
        }
        bounded(kinds[i], flight_distance(p, expected, 3), 1e-7);
        rig_close(&r);
    }
}

static void test_yaw_rate(void **state)
{
    (void)state;
    rig r;
    open_with(&r,
              STILL("duration: 10 s\n",
                    ", damping: 0, position: [0, 0, -1000], rate: [0, 0, 3.14159265358979312]",
                    "0"),
              "{kind: rk4, h_max: 1 ms}");
    for (tac_time t_us = 250000; t_us <= 10000000; t_us += 250000) {
        rig_run(&r, t_us);
        const double angle = pi * tac_time_seconds(t_us) / 2;
        const double expected[4] = {cos(angle), 0, 0, sin(angle)};
        const double error = 2 * flight_distance(rig_read(&r, "vehicle.attitude"), expected, 4);
        assert_true(error < 1e-9);
        if (t_us == 10000000)
            bounded("yaw at pi rad/s for 10 s, rk4 [rad]", error, 1e-9);
    }
    rig_close(&r);
}

// --- hover --------------------------------------------------------------------------------------

typedef struct trim {
    double kt, speed_rad_s, duty;
} trim;

// From the equations: kT so that full duty at 12 V and 1.225 kg/m^3 gives twice the weight without
// the no-load current, then speed, current and duty that carry the weight.
static trim hover_trim(double voltage_v, double density)
{
    const double ke = 60 / (2 * pi * 920), ohm = 0.25, friction = 2e-6, ratio = 0.05;
    const double full_n = 2 * FLIGHT_MASS * FLIGHT_G / 4, hover_n = FLIGHT_MASS * FLIGHT_G / 4;
    const double full = (ke * 12 / ohm - ratio * full_n) / (ke * ke / ohm + friction);
    trim t = {.kt = full_n / (1.225 * full * full)};
    t.speed_rad_s = sqrt(hover_n / (t.kt * density));
    const double current_a = (ratio * hover_n + friction * t.speed_rad_s) / ke + 0.6;
    t.duty = (ke * t.speed_rad_s + ohm * current_a) / voltage_v;
    return t;
}

#define HOVER(more) FLIGHT_IDEAL ", position: [3, 4, 0]" more

// The density of the air there, which is not quite 1.225 kg/m^3.
static double density_at_origin(void)
{
    rig r;
    flight_open(&r, STILL("duration: 1 s\n", HOVER(""), "0"), NULL);
    rig_run(&r, 0);
    const double density = rig_f64(&r, "vehicle.air.density");
    rig_close(&r);
    bounded("density at sea level, relative to 1.225", fabs(density / 1.225 - 1), 1e-6);
    return density;
}

static void test_hover_is_an_equilibrium(void **state)
{
    (void)state;
    static const char *const kinds[] = {"{kind: rk4, h_max: 10 ms}", "{kind: rk45, rtol: 1e-6}",
                                        "{kind: dop853, rtol: 1e-9}", "{kind: rodas4, rtol: 1e-6}"};
    const trim t = hover_trim(12, density_at_origin());
    bounded("thrust coefficient against the published one", fabs(t.kt / 6.6110208e-5 - 1), 1e-8);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 STILL("duration: 10 s\n", HOVER(", rotor_speed: %.17g"), "%.17g"), t.duty,
                 t.speed_rad_s);
        rig r;
        open_with(&r, text, kinds[i]);
        const double start[3] = {3, 4, 0};
        double moved = 0, turned = 0, spun = 0;
        for (tac_time t_us = 0; t_us <= 10000000; t_us += 100000) {
            rig_run(&r, t_us);
            moved = fmax(moved, flight_distance(rig_read(&r, "vehicle.position"), start, 3));
            turned = fmax(turned, flight_norm(rig_read(&r, "vehicle.rate"), 3));
            spun = fmax(spun, fabs(body(&r, "vehicle.rotor_speed", 0) - t.speed_rad_s));
        }
        bounded(kinds[i], moved, 1e-10);
        assert_true(turned < 1e-10 && spun < 1e-10);
        rig_close(&r);
    }
}

// --- the ground ---------------------------------------------------------------------------------

#define STIFFNESS 5000.0

static void at_rest(rig *r, double feet)
{
    // An explicit method that is held back by stability alone leaves errors about its tolerance.
    bounded("at rest: velocity [m/s]", flight_norm(rig_read(r, "vehicle.velocity"), 3), 2e-6);
    bounded("at rest: rate [rad/s]", flight_norm(rig_read(r, "vehicle.rate"), 3), 1e-5);
    assert_true(rig_f64(r, "vehicle.feet_down") == feet);
}

static const char *const ground_kinds[] = {"{kind: rk4, h_max: 500 us}", "{kind: rk23, rtol: 1e-6}",
                                           "{kind: rk45, rtol: 1e-6}", "{kind: dop853, rtol: 1e-6}",
                                           "{kind: rodas4, rtol: 1e-6}"};
enum { GROUND_KINDS = sizeof ground_kinds / sizeof *ground_kinds };

// Four feet at once: the instant is known, and how deep it stands in the end.
static void test_drop(void **state)
{
    (void)state;
    const tac_time falls_us = (tac_time)floor(sqrt(2 / FLIGHT_G) * 1e6) + 1;
    for (size_t i = 0; i < GROUND_KINDS; i++) {
        rig r;
        print_message("%s\n", ground_kinds[i]);
        open_with(&r,
                  STILL("duration: 4 s\n", FLIGHT_FEET ", drag: 0, position: [0, 0, -1.1]", "0"),
                  ground_kinds[i]);
        rig_run(&r, falls_us - 2);
        assert_int_equal(tac_engine_counters(r.engine).events, 0);
        rig_run(&r, falls_us + 1);
        assert_int_equal(tac_engine_counters(r.engine).events, 1);
        double deepest = 0;
        for (tac_time t_us = falls_us + 100; t_us <= 4000000; t_us += 100) {
            rig_run(&r, t_us);
            deepest = fmax(deepest, body(&r, "vehicle.position", 2) + 0.1);
        }
        at_rest(&r, 4);
        // 4.4 m/s against 2400 N s/m, which alone would stop it within m v/c = 2.8 mm.
        bounded("deepest [m]", deepest, 0.0028);
        const double depth = body(&r, "vehicle.position", 2) + 0.1;
        bounded("depth at rest less m g/(4 k) [m]",
                fabs(depth - FLIGHT_MASS * FLIGHT_G / (4 * STIFFNESS)), 1e-7);
        // Down, its dampers let go as it rises, and the same as often as it bounces.
        const uint64_t events = tac_engine_counters(r.engine).events;
        print_message("%llu events\n", (unsigned long long)events);
        assert_true(events >= 3 && events < 100);
        rig_close(&r);
    }
}

// Standing where it was put, it stays.
static void test_stands(void **state)
{
    (void)state;
    for (size_t i = 0; i < GROUND_KINDS; i++) {
        rig r;
        open_with(&r, STILL("duration: 5 s\n", FLIGHT_FEET, "0"), ground_kinds[i]);
        rig_run(&r, 0);
        double p[3];
        body_position(&r, p);
        rig_run(&r, TAC_TIME_MAX);
        bounded("standing for 5 s [m]", flight_distance(rig_read(&r, "vehicle.position"), p, 3),
                1e-6);
        // A damper takes hold when rounding first moves its foot down; nothing follows.
        assert_in_range(tac_engine_counters(r.engine).events, 0, 4);
        rig_close(&r);
    }
}

// Dropped askew it comes to rest on all feet, or on its back where it leant further than about 90
// deg: the rims of its propellers reach far out, at the height of the centre of mass.
static void test_tips(void **state)
{
    (void)state;
    static const struct {
        const char *attitude;
        double upright; // cosine of the tilt in the end
    } starts[] = {
        {"[0.4, 0.2, 1]", 1}, {"[-1.3, 0.3, 0]", 1}, {"[-1.9, 0.3, 0]", -1}, {"[3, 0, 0]", -1}};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        for (size_t i = 0; i < GROUND_KINDS; i++) {
            char text[2048];
            snprintf(
                text, sizeof text,
                STILL("duration: 6 s\n", FLIGHT_FEET ", position: [0, 0, -0.5], attitude: %s", "0"),
                starts[k].attitude);
            rig r;
            print_message("%s %s\n", starts[k].attitude, ground_kinds[i]);
            open_with(&r, text, ground_kinds[i]);
            rig_run(&r, TAC_TIME_MAX);
            at_rest(&r, starts[k].upright > 0 ? 4 : 0);
            assert_true(rig_f64(&r, "vehicle.hull_down") == (starts[k].upright > 0 ? 0 : 4));
            const double *q = rig_read(&r, "vehicle.attitude");
            const double upright = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
            bounded("tilt from level", fabs(upright - starts[k].upright), 1e-6);
            rig_close(&r);
        }
    }
}

// Friction is mu N v/sqrt(v^2 + s^2), so that from v0 it slides for the integral of
// sqrt(v^2 + s^2)/(mu g).
static void test_slides(void **state)
{
    (void)state;
    const double mu = 0.8, s = 0.05, v0 = 2;
    const double way_m =
        (0.5 * v0 * sqrt(v0 * v0 + s * s) + 0.5 * s * s * asinh(v0 / s)) / (mu * FLIGHT_G);
    for (size_t i = 0; i < GROUND_KINDS; i++) {
        rig r;
        print_message("%s\n", ground_kinds[i]);
        open_with(
            &r,
            STILL("duration: 3 s\n",
                  ", feet: {radius: 0.2 m, height: 0.001 m}, drag: 0, velocity: [1.6, 1.2, 0]",
                  "0"),
            ground_kinds[i]);
        rig_run(&r, 100000);
        const double v1 = flight_norm(rig_read(&r, "vehicle.velocity"), 2);
        bounded("deceleration over mu g, less 1", fabs((v0 - v1) / (0.1 * mu * FLIGHT_G) - 1),
                2e-3);
        rig_run(&r, TAC_TIME_MAX);
        double p[3];
        body_position(&r, p);
        bounded("way, relative", fabs(flight_norm(p, 2) / way_m - 1), 2e-3);
        bounded("direction", fabs(p[1] / p[0] - 0.75), 1e-3);
        at_rest(&r, 4);
        rig_close(&r);
    }
}

// --- power and energy ---------------------------------------------------------------------------

// Integrates, along with the plant, where its energy goes.
enum { IN_MOTOR, IN_CURRENT, IN_THRUST, IN_SPEED, IN_BATTERY, IN_BUS, IN_V1, IN_FORCE, IN_Q, IN_V };
enum { E_BUS, E_ESC, E_COPPER, E_IDLE, E_FRICTION, E_AIR, E_R0, E_R1, E_WORK, ENERGIES };

static tac_status ledger_declare(tac_declare *d, void *self)
{
    (void)self;
    static const struct {
        const char *name, *unit;
        tac_type type;
    } inputs[] = {
        {"motor", NULL, TAC_TYPE_ARRAY(TAC_F64, 4)},
        {"current", "A", TAC_TYPE_ARRAY(TAC_F64, 4)},
        {"thrust", "N", TAC_TYPE_ARRAY(TAC_F64, 4)},
        {"speed", "rad/s", TAC_TYPE_ARRAY(TAC_F64, 4)},
        {"battery", "A", TAC_TYPE_ARRAY(TAC_F64, 1)},
        {"bus", "V", TAC_TYPE_ARRAY(TAC_F64, 1)},
        {"v1", "V", TAC_TYPE_ARRAY(TAC_F64, 1)},
        {"force", "m/s^2", TAC_TYPE_VEC3},
        {"q", NULL, TAC_TYPE_QUAT},
        {"v", "m/s", TAC_TYPE_VEC3},
    };
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        tac_declare_input(
            d, TAC_PORT(.name = inputs[i].name, .type = inputs[i].type, .unit = inputs[i].unit));
    tac_declare_continuous(
        d, TAC_PORT(.name = "x", .type = TAC_TYPE_ARRAY(TAC_F64, ENERGIES), .unit = "J"));
    return TAC_OK;
}

// f . R' v: the power of all forces but gravity, for a unit of mass.
static double specific_power(const double *f, const double *q, const double *v)
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double body_v[3] = {
        (1 - 2 * (y * y + z * z)) * v[0] + 2 * (x * y + w * z) * v[1] + 2 * (x * z - w * y) * v[2],
        2 * (x * y - w * z) * v[0] + (1 - 2 * (x * x + z * z)) * v[1] + 2 * (y * z + w * x) * v[2],
        2 * (x * z + w * y) * v[0] + 2 * (y * z - w * x) * v[1] + (1 - 2 * (x * x + y * y)) * v[2]};
    return f[0] * body_v[0] + f[1] * body_v[1] + f[2] * body_v[2];
}

static tac_status ledger_derive(const tac_eval *e, const void *self)
{
    (void)self;
    const double ke = 60 / (2 * pi * 920);
    const double v = TAC_IN(e, double, IN_BUS)[0], i = TAC_IN(e, double, IN_BATTERY)[0];
    const double v1 = TAC_IN(e, double, IN_V1)[0];
    double *dx = e->dx;
    memset(dx, 0, ENERGIES * sizeof *dx);
    dx[E_BUS] = v * i;
    dx[E_R0] = 0.020 * i * i;
    dx[E_R1] = v1 * v1 / 0.010;
    for (int k = 0; k < 4; k++) {
        const double command = TAC_IN(e, double, IN_MOTOR)[k];
        const double duty = command < 0.02 ? 0 : command;
        const double a = TAC_IN(e, double, IN_CURRENT)[k], w = TAC_IN(e, double, IN_SPEED)[k];
        dx[E_ESC] += v * duty * a * (1 / 0.98 - 1);
        dx[E_COPPER] += 0.25 * a * a;
        dx[E_IDLE] += ke * w * fmin(a, 0.6);
        dx[E_FRICTION] += 2e-6 * w * w;
        dx[E_AIR] += 0.05 * TAC_IN(e, double, IN_THRUST)[k] * w;
    }
    dx[E_WORK] = FLIGHT_MASS * specific_power(TAC_IN(e, double, IN_FORCE), TAC_IN(e, double, IN_Q),
                                              TAC_IN(e, double, IN_V));
    return TAC_OK;
}

static const tac_component_type ledger_type = {.size = sizeof(tac_component_type),
                                               .name = "ledger",
                                               .version = "1",
                                               .declare = ledger_declare,
                                               .kernels[TAC_NUMBERS].derive = ledger_derive};

static double rotor_energy(rig *r)
{
    const double w = flight_norm(rig_read(r, "vehicle.rotor_speed"), 4);
    return 0.5 * 1.2e-5 * w * w;
}

static double body_energy(rig *r)
{
    const double v = flight_norm(rig_read(r, "vehicle.velocity"), 3);
    return FLIGHT_MASS * (0.5 * v * v - FLIGHT_G * body(r, "vehicle.position", 2));
}

// What the battery has given of its chemical energy: the integral of OCV over the charge.
static double battery_energy(double soc)
{
    return 5 * 3600 * ((10.8 * 1 + 0.9 * 1 * 1) - (10.8 * soc + 0.9 * soc * soc));
}

static void test_energy_balance(void **state)
{
    (void)state;
    rig r;
    rig_types[0] = &pilot_type;
    rig_types[1] = &ledger_type;
    open_with(
        &r,
        FLIGHT_TEXT("duration: 3500 ms\n", FLIGHT_FEET ", buses: {load: 5 W}", FLIGHT_HOP,
                    "  ledger:\n    type: ledger\n    inputs: {motor: pilot.motor,"
                    " current: vehicle.motor_current, thrust: vehicle.thrust,"
                    " speed: vehicle.rotor_speed, battery: vehicle.battery.current,"
                    " bus: vehicle.bus.voltage, v1: vehicle.battery.polarisation,"
                    " force: vehicle.specific_force, q: vehicle.attitude, v: vehicle.velocity}\n"),
        "{kind: rk45, rtol: 1e-9}");
    rig_types[1] = NULL;
    rig_run(&r, 0);
    const double body_start = body_energy(&r);
    double residual = 0;
    for (tac_time t_us = 0; t_us <= 3500000; t_us += 1000) {
        rig_run(&r, t_us);
        residual = fmax(residual, rig_f64(&r, "vehicle.bus.residual"));
    }
    bounded("bus residual over the flight [A]", residual, 1e-6);
    double e[ENERGIES];
    memcpy(e, rig_read(&r, "ledger.x"), sizeof e);
    const double given = battery_energy(body(&r, "vehicle.battery.soc", 0));
    const double v1 = body(&r, "vehicle.battery.polarisation", 0);
    print_message("battery gave %.1f J: R0 %.3f, R1 %.3f; ESC %.3f, copper %.3f, idle %.3f, "
                  "friction %.3f, air %.3f\n",
                  given, e[E_R0], e[E_R1], e[E_ESC], e[E_COPPER], e[E_IDLE], e[E_FRICTION],
                  e[E_AIR]);
    assert_true(given > 300 && e[E_AIR] > 100);
    bounded("battery: chemical energy, R0, R1, C1 and bus",
            fabs(e[E_BUS] + e[E_R0] + e[E_R1] + 0.5 * 2000 * v1 * v1 - given) / given, 1e-7);
    bounded("motors: bus, avionics, losses, rotors and air",
            fabs(e[E_ESC] + e[E_COPPER] + e[E_IDLE] + e[E_FRICTION] + e[E_AIR] + rotor_energy(&r) +
                 5 * 3.5 - e[E_BUS]) /
                given,
            1e-7);
    bounded("body: kinetic and potential energy and work [J]",
            fabs(body_energy(&r) - body_start - e[E_WORK]), 1e-6);
    rig_close(&r);
}

// --- integrators --------------------------------------------------------------------------------

// One step after another where parts of the plant take turns: an error of first order.
static void test_split_converges(void **state)
{
    (void)state;
    static const char text[] = FLIGHT_TEXT("duration: 2500 ms\n", FLIGHT_FEET, FLIGHT_HOP, "");
    rig r;
    open_with(&r, text, "{kind: dop853, rtol: 1e-10}");
    rig_run(&r, TAC_TIME_MAX);
    double exact[3], p[3], last = 0;
    body_position(&r, exact);
    rig_close(&r);
    static const char *const steps[] = {"1 ms", "500 us", "250 us", "125 us"};
    for (size_t i = 0; i < 4; i++) {
        char physics[64];
        snprintf(physics, sizeof physics, "timeline.physics=%s", steps[i]);
        const char *sets[] = {"plant.integrator={kind: rk4}", "plant.coupling=split", physics,
                              NULL};
        flight_open(&r, text, sets);
        rig_run(&r, TAC_TIME_MAX);
        body_position(&r, p);
        rig_close(&r);
        const double error = flight_distance(p, exact, 3);
        print_message("split, %s: %.3e m, ratio %.3f\n", steps[i], error, last / error);
        assert_true(i == 0 || (last / error > 1.9 && last / error < 2.1));
        last = error;
    }
    assert_true(last < 1e-3);
}

// A climb with turns, commands four times a second: long intervals, so that tolerances decide.
#define MANOEUVRE                                                                                  \
    "duration: 4 s\n"                                                                              \
    "scheduler: {rate_groups: [{name: control, rate_hz: 4, components: [pilot]}]}\n"               \
    "components:\n"                                                                                \
    "  pilot:\n    type: pilot\n"                                                                  \
    "    params: {times: [0, 1, 2, 3, 4], duty: [0.70, 0.70, 0.70, 0.70,  0.66, 0.65, 0.65, 0.66," \
    " 0.65, 0.66, 0.66, 0.65,  0.64, 0.66, 0.62, 0.62,  0.60, 0.60, 0.60, 0.60]}\n"                \
    "  vehicle:\n    type: multirotor\n"                                                           \
    "    params: {" FLIGHT_IRIS ", position: [0, 0, -10], hover: true,"                            \
    " actuator: {kind: %s}}\n    inputs: {motor: pilot.motor}\n"

static void fly_manoeuvre(const char *actuator, const char *integrator, double p[3],
                          uint64_t *steps)
{
    char text[2048];
    snprintf(text, sizeof text, MANOEUVRE, actuator);
    rig r;
    open_with(&r, text, integrator);
    rig_run(&r, TAC_TIME_MAX);
    body_position(&r, p);
    *steps = tac_engine_counters(r.engine).integration_steps;
    rig_close(&r);
}

static void test_all_kinds_converge(void **state)
{
    (void)state;
    static const char *const actuators[] = {"direct", "first_order", "second_order"};
    static const char *const kinds[] = {"rk23", "rk45", "dop853", "rodas4"};
    for (size_t a = 0; a < 3; a++) {
        double exact[3], p[3];
        uint64_t steps;
        fly_manoeuvre(actuators[a], "{kind: dop853, rtol: 1e-12}", exact, &steps);
        for (size_t k = 0; k < 4; k++) {
            double first = 0, last = 0;
            print_message("%-12s %-6s", actuators[a], kinds[k]);
            for (int digits = 5; digits <= 9; digits++) {
                char integrator[64];
                snprintf(integrator, sizeof integrator, "{kind: %s, rtol: 1e-%d}", kinds[k],
                         digits);
                fly_manoeuvre(actuators[a], integrator, p, &steps);
                last = flight_distance(p, exact, 3);
                first = digits == 5 ? last : first;
                print_message("  %.1e (%llu)", last, (unsigned long long)steps);
                assert_true(last < 10 * pow(10, -digits));
            }
            print_message("\n");
            assert_true(first / last > 200); // rk23 gains only 5 to 6 a decade, the others more
        }
        static const char *const fixed[] = {"{kind: rk4, h_max: 2 ms}", "{kind: rk4, h_max: 1 ms}",
                                            "{kind: euler, h_max: 1 ms}",
                                            "{kind: euler, h_max: 500 us}"};
        static const double order[] = {0, 4, 0, 1};
        double error[4];
        for (size_t k = 0; k < 4; k++) {
            fly_manoeuvre(actuators[a], fixed[k], p, &steps);
            error[k] = flight_distance(p, exact, 3);
            print_message("%-12s %s: %.1e\n", actuators[a], fixed[k], error[k]);
            if (order[k] > 0)
                assert_true(fabs(log2(error[k - 1] / error[k]) - order[k]) < 0.3);
        }
    }
}

// The classical scheme beside the default one, ten seconds in wind.
static void test_rk4_and_rk45_agree(void **state)
{
    (void)state;
    static const char text[] =
        FLIGHT_TEXT("duration: 10 s\n", ", position: [0, 0, -20], hover: true",
                    "times: [0, 3, 6, 9], duty: [0.61, 0.61, 0.61, 0.61,  0.62, 0.62, 0.62, 0.62,"
                    " 0.62, 0.621, 0.62, 0.62, 0.62, 0.62, 0.62, 0.62]",
                    "");
    static const char *const rk4[] = {"plant.integrator={kind: rk4}", "timeline.physics=1 ms",
                                      NULL};
    rig r;
    double a[3], b[3];
    flight_open(&r, text, rk4);
    rig_run(&r, TAC_TIME_MAX);
    body_position(&r, a);
    rig_close(&r);
    open_with(&r, text, "{kind: rk45, rtol: 1e-6}");
    rig_run(&r, TAC_TIME_MAX);
    body_position(&r, b);
    print_message("flown to %.2f %.2f %.2f\n", b[0], b[1], b[2]);
    rig_close(&r);
    bounded("rk4 at 1 ms against rk45 at 1e-6 after 10 s [m]", flight_distance(a, b, 3), 1e-7);
}

// --- a number that is none ----------------------------------------------------------------------

static tac_status broken_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d, TAC_PORT(.name = "motor", .type = TAC_TYPE_ARRAY(TAC_F64, 4)));
    return TAC_OK;
}

static tac_status broken_step(tac_step *s, const void *self)
{
    (void)self;
    for (int i = 0; i < 4; i++)
        TAC_OUT(s, double, 0)[i] = i == 2 && s->t_us >= 1000000 ? (double)NAN : 0.6;
    return TAC_OK;
}

static const tac_component_type broken_type = {.size = sizeof(tac_component_type),
                                               .name = "broken",
                                               .version = "1",
                                               .stage = TAC_STAGE_CONTROL,
                                               .declare = broken_declare,
                                               .init = broken_step,
                                               .kernels[TAC_NUMBERS].step = broken_step};

static void test_nan_ends_the_run(void **state)
{
    (void)state;
    static const char *const kinds[] = {"{kind: euler}", "{kind: rk4}",    "{kind: rk23}",
                                        "{kind: rk45}",  "{kind: dop853}", "{kind: rodas4}",
                                        "{kind: rk4}"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        rig r;
        rig_types[0] = &broken_type;
        char set[64];
        snprintf(set, sizeof set, "plant.integrator=%s", kinds[i]);
        const char *sets[] = {set, NULL};
        flight_open(&r,
                    "duration: 2 s\n"
                    "scheduler: {rate_groups: [{name: c, rate_hz: 250, components: [broken]}]}\n"
                    "components:\n  broken: {type: broken}\n"
                    "  vehicle:\n    type: multirotor\n    params: {" FLIGHT_IRIS
                    ", position: [0, 0, -10]}\n    inputs: {motor: broken.motor}\n",
                    sets);
        rig_types[0] = NULL;
        assert_int_equal(tac_engine_run(r.engine, TAC_TIME_MAX, &r.err), TAC_E_NUMERIC);
        assert_string_equal(r.err.component, "vehicle");
        assert_non_null(strstr(r.err.text, "input motor"));
        assert_non_null(strstr(r.err.text, "from broken.motor"));
        assert_in_range(r.err.t_us, 1000000, 1004000);
        // What was before is still there to be looked at.
        assert_true(isfinite(body(&r, "vehicle.position", 2)));
        rig_close(&r);
    }
}

TEST_MAIN(cmocka_unit_test(test_free_fall), cmocka_unit_test(test_ballistic),
          cmocka_unit_test(test_yaw_rate), cmocka_unit_test(test_hover_is_an_equilibrium),
          cmocka_unit_test(test_drop), cmocka_unit_test(test_stands), cmocka_unit_test(test_tips),
          cmocka_unit_test(test_slides), cmocka_unit_test(test_energy_balance),
          cmocka_unit_test(test_split_converges), cmocka_unit_test(test_all_kinds_converge),
          cmocka_unit_test(test_rk4_and_rk45_agree), cmocka_unit_test(test_nan_ends_the_run))
