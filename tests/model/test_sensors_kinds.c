// Steps of estimator and sensors have the same bits in every kind and lane, at drawn points and in
// the teams of an engine, and their duals are derivatives.
#include "model/steps.h"

#include "model/labels.h"
#define TAC_KIND_F64
#include "model/sensors/instrument.h"

static rig r;

// --- bodies, each with faults of its own --------------------------------------------------------

typedef struct mover {
    int64_t number;
} mover;

enum { POSITION, VELOCITY, ATTITUDE, RATE, FORCE, PRESSURE, FAULT, VALUE };

static tac_status mover_declare(tac_declare *d, void *self)
{
    ((mover *)self)->number = tac_param_int(d, TAC_PARAM(.name = "number"));
    tac_declare_output(d, TAC_PORT(.name = "position", .unit = "m", .type = TAC_TYPE_VEC3));
    tac_declare_output(d, TAC_PORT(.name = "velocity", .unit = "m/s", .type = TAC_TYPE_VEC3));
    tac_declare_output(d, TAC_PORT(.name = "attitude", .type = TAC_TYPE_QUAT));
    tac_declare_output(d, TAC_PORT(.name = "rate", .unit = "rad/s", .type = TAC_TYPE_VEC3));
    tac_declare_output(d, TAC_PORT(.name = "force", .unit = "m/s^2", .type = TAC_TYPE_VEC3));
    tac_declare_output(d, TAC_PORT(.name = "pressure", .unit = "Pa", .type = TAC_TYPE_F64));
    tac_declare_output(d,
                       TAC_PORT(.name = "fault", .type = TAC_TYPE_ENUM(tac__sensor_fault_labels)));
    tac_declare_output(d, TAC_PORT(.name = "value", .type = TAC_TYPE_F64));
    return TAC_OK;
}

// Every third body has no fault at all; others now and then, each of them.
static tac_status mover_step(tac_step *s, const void *self)
{
    const int64_t number = ((const mover *)self)->number;
    const double t = (double)s->t_us / 1e6 + 0.37 * (double)number;
    for (int port = POSITION; port <= FORCE; port++) {
        for (int i = 0; i < 3 && port != ATTITUDE; i++)
            TAC_OUT(s, double, port)[i] = (1 + i + port) * 3 * tac_sin(t * (1 + i) + port);
    }
    rig_quat(s->t_us + (tac_time)number * 1357, TAC_OUT(s, double, ATTITUDE));
    *TAC_OUT(s, double, PRESSURE) = 95000 - 300 * t;
    const int64_t turn = (int64_t)(s->t_us / 40000) + number;
    *TAC_OUT(s, int32_t, FAULT) = (int32_t)(number % 3 && turn % 7 < 5 ? turn % 7 : 0);
    *TAC_OUT(s, double, VALUE) = 2 - 0.1 * (double)(number % 5);
    return TAC_OK;
}

static const tac_component_type mover_type = {.size = sizeof(tac_component_type),
                                              .name = "mover",
                                              .version = "1",
                                              .stage = TAC_STAGE_ENVIRONMENT,
                                              .self_size = sizeof(mover),
                                              .declare = mover_declare,
                                              .kernels[TAC_NUMBERS].step = mover_step};

// --- fourteen of each sensor: teams of 8, 4 and 2 -----------------------------------------------

enum { COPIES = 14 };

typedef struct sensor {
    const char *type, *inputs;
    const char *params; // with two numbers, other ones in each copy
} sensor;

static const sensor sensors[] = {
    {"estimator",
     "position: m%d.position, velocity: m%d.velocity, attitude: m%d.attitude, rate: m%d.rate",
     "position: {bias: %g, drift: %g}, yaw: {bias: 0.2}, rate: {range: 5, quantum: 0.01}"},
    {"imu", "rate: m%d.rate, specific_force: m%d.force",
     "gyro: {bias: %g}, accel: {noise: %g, drift: 0.1, walk: 0}, delay: 4 ms"},
    {"barometer", "pressure: m%d.pressure", "bias: %g, noise: %g, range: 99 kPa, delay: 12 ms"},
    {"magnetometer", "attitude: m%d.attitude", "earth: [2e-5, %g, 4e-5], quantum: 0, noise: %g"},
    {"gps", "position: m%d.position, velocity: m%d.velocity",
     "position: {bias: %g, noise: %g, quantum: 0}, delay: 8 ms"},
};
enum { SENSORS = sizeof sensors / sizeof *sensors };

static char text[65536];

static void write_text(bool lanes)
{
    size_t n = (size_t)snprintf(
        text, sizeof text,
        "duration: 2 s\nplant: {lanes: %s}\n"
        "world: {latitude: 47.4 deg, longitude: 8.5 deg, altitude: 488 m, geodesy: wgs84}\n"
        "scheduler: {rate_groups: [{name: g, period: 4 ms, components: ['*']}]}\ncomponents:\n",
        lanes ? "auto" : "1");
    for (int i = 0; i < COPIES; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "  m%d: {type: mover, params: {number: %d}}\n", i, i);
        for (int k = 0; k < SENSORS; k++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "  %s%d:\n    type: %s\n    params: {",
                                  sensors[k].type, i, sensors[k].type);
            n += (size_t)snprintf(text + n, sizeof text - n, sensors[k].params, 1e-5 * (1 + i),
                                  0.01 + 0.001 * i);
            n += (size_t)snprintf(text + n, sizeof text - n, "}\n    inputs: {");
            n += (size_t)snprintf(text + n, sizeof text - n, sensors[k].inputs, i, i, i, i);
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  ", fault: m%d.fault, fault_value: m%d.value}\n", i, i);
        }
    }
    assert_true(n < sizeof text);
    rig_types[0] = &mover_type;
}

static void open_engine(bool lanes)
{
    write_text(lanes);
    rig_open(&r, text);
}

// --- at drawn points ----------------------------------------------------------------------------

static void draw_fault(uint64_t *seed, size_t port, void *value)
{
    (void)port;
    *(int32_t *)value = input_bits(seed) % 10 ? 0 : (int32_t)(input_bits(seed) % 5);
}

// A place in the ring; how many periods it has stays.
static void draw_turn(uint64_t *seed, size_t port, void *value)
{
    (void)port;
    int32_t *turn = value;
    const int32_t periods = turn[TAC__TURN_PERIODS];
    turn[TAC__TURN_SLOT] = periods ? (int32_t)(input_bits(seed) % (uint64_t)periods) : 0;
    turn[TAC__TURN_FILLED] = input_bits(seed) % 4 ? periods : 0;
    turn[TAC__TURN_LEADS] = periods && input_bits(seed) % 3 == 0;
}

static const steps_draws tame = {.input = draw_fault, .state = draw_turn},
                         wild = {.input = draw_fault, .state = draw_turn, .hostile = 16};

static void test_kinds_have_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        size_t first, lanes;
    } teams[] = {{0, 8}, {8, 4}, {12, 2}};
    open_engine(true);
    rig_run(&r, 100000);
    for (int k = 0; k < SENSORS; k++) {
        for (size_t i = 0; i < 3; i++) {
            if (!tac__packs_sound((unsigned)teams[i].lanes)) {
                print_message("this machine has no packs of %zu\n", teams[i].lanes);
                continue;
            }
            steps_team t = steps_members(&r, sensors[k].type, teams[i].first, teams[i].lanes);
            const steps_tally a = steps_compare(&t, &tame, 150), b = steps_compare(&t, &wild, 150);
            assert_true(a.together == 150 && a.failed == 0);
            // Only a barometer refuses: what it measures may have no altitude.
            assert_true((b.apart > 0) == !strcmp(sensors[k].type, "barometer"));
            assert_true((b.failed > 0) == (b.apart > 0) && b.together > 15);
        }
    }
    rig_close(&r);
}

// Lanes that are at different places of their rings do not step together.
static void test_apart(void **state)
{
    (void)state;
    if (!tac__packs_sound(8)) {
        print_message("this machine has no packs of 8\n");
        return;
    }
    open_engine(true);
    rig_run(&r, 100000);
    for (int k = 0; k < SENSORS; k++) {
        steps_team t = steps_members(&r, sensors[k].type, 0, 8);
        steps_draws draws = tame;
        draws.apart = true;
        const steps_tally a = steps_compare(&t, &draws, 100);
        const bool delays = strcmp(sensors[k].type, "magnetometer") != 0;
        assert_true(delays ? a.apart > 80 : a.together == 100);
    }
    rig_close(&r);
}

// Of what is not rounded: the derivative of a staircase is 0.
static void test_duals_are_derivatives(void **state)
{
    (void)state;
    static const char *const sets[] = {
        "components.estimator0.params.rate.quantum=0", "components.imu0.params.gyro.quantum=0",
        "components.imu0.params.accel.quantum=0", "components.barometer0.params.quantum=0",
        "components.gps0.params.velocity.quantum=0"};
    write_text(false);
    assert_int_equal(rig_try_sets(&r, text, sets, sizeof sets / sizeof *sets), TAC_OK);
    rig_run(&r, 100000);
    for (int k = 0; k < SENSORS; k++) {
        const steps_team t = steps_members(&r, sensors[k].type, 0, 1);
        steps_differentiate(&t, &tame, 6);
    }
    rig_close(&r);
}

// --- in an engine -------------------------------------------------------------------------------

static void test_teams_are_the_same_as_one_by_one(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int lanes = 0; lanes < 2; lanes++) {
        open_engine(lanes);
        for (int k = 0; k < SENSORS; k++) {
            char name[32];
            snprintf(name, sizeof name, "%s0", sensors[k].type);
            assert_int_equal(kernels_of(&r, name).instance->team != NULL,
                             lanes && tac__packs_sound(2));
        }
        rig_run(&r, TAC_TIME_MAX);
        hash[lanes] = tac_engine_hash(r.engine, NULL, NULL);
        rig_close(&r);
    }
    assert_true(hash[0] == hash[1]);
}

static void test_alike(void **state)
{
    (void)state;
    static const struct {
        const char *type, *set;
        bool alike;
    } cases[] = {
        {"estimator", "position.bias=0.5", true}, {"estimator", "delay=12 ms", false},
        {"estimator", "kind=truth", false},       {"imu", "gyro.quantum=0.5", true},
        {"imu", "gyro.quantum=0", false},         {"imu", "accel.noise=3", true},
        {"barometer", "range=90 kPa", true},      {"barometer", "range=0", false},
        {"barometer", "drift=0", false},          {"magnetometer", "earth=[1e-5, 0, 0]", true},
        {"magnetometer", "noise=0", false},       {"gps", "velocity.noise=1", true},
        {"gps", "velocity.noise=0", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_engine(false);
        rig other;
        char set[96], name[32];
        snprintf(name, sizeof name, "%s0", cases[i].type);
        snprintf(set, sizeof set, "components.%s.params.%s", name, cases[i].set);
        assert_int_equal(rig_try_sets(&other, text, (const char *[]){set}, 1), TAC_OK);
        const tac__component *a = kernels_of(&r, name).c, *b = kernels_of(&other, name).c;
        if (a->type->alike(a->self, b->self) != cases[i].alike)
            fail_msg("%s: alike or not", set);
        rig_close(&other);
        rig_close(&r);
    }
}

TEST_MAIN(cmocka_unit_test(test_kinds_have_the_same_bits), cmocka_unit_test(test_apart),
          cmocka_unit_test(test_duals_are_derivatives),
          cmocka_unit_test(test_teams_are_the_same_as_one_by_one), cmocka_unit_test(test_alike))
