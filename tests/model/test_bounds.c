// Inputs that a document bounds are bounded in the model, whoever drives them: beyond a bound the
// bits are those at the bound. A NaN is not hidden by that: it stays one, and is named.
#include "engine/test_rig.h"

#include <math.h>

// --- a source that says anything ----------------------------------------------------------------

static double given; // from 5 ms on; before that `calm`

typedef struct source {
    double calm;
    bool fixed; // it stays calm
    uint32_t size;
} source;

static tac_status source_declare(tac_declare *d, void *self)
{
    source *c = self;
    c->calm = tac_param_f64(d, TAC_PARAM(.name = "calm", .fallback = "0"));
    c->size = (uint32_t)tac_param_int(d, TAC_PARAM(.name = "size", .fallback = "1"));
    c->fixed = tac_param_bool(d, TAC_PARAM(.name = "fixed", .fallback = "false"));
    const char *unit = tac_param_text(d, TAC_PARAM(.name = "unit", .fallback = "1"));
    const bool array = tac_param_bool(d, TAC_PARAM(.name = "array", .fallback = "true"));
    const tac_type several = TAC_TYPE_ARRAY(TAC_F64, c->size), one = TAC_TYPE_F64;
    tac_declare_output(d, TAC_PORT(.name = "y", .type = array ? several : one, .unit = unit));
    return TAC_OK;
}

static void put(tac_step *s, const source *c, double value)
{
    for (uint32_t i = 0; i < c->size; i++)
        TAC_OUT(s, double, 0)[i] = value;
}

static tac_status source_init(tac_step *s, const void *self)
{
    put(s, self, ((const source *)self)->calm);
    return tac_wake_at(s, 5000);
}

static tac_status source_step(tac_step *s, const void *self)
{
    const source *c = self;
    put(s, c, c->fixed ? c->calm : given);
    return TAC_OK;
}

static const tac_component_type source_type = {.size = sizeof(tac_component_type),
                                               .name = "given",
                                               .version = "1",
                                               .flags = TAC_COMPONENT_TIMER,
                                               .stage = TAC_STAGE_SCENARIO,
                                               .self_size = sizeof(source),
                                               .declare = source_declare,
                                               .init = source_init,
                                               .kernels[TAC_NUMBERS].step = source_step};

// --- what is driven -----------------------------------------------------------------------------

typedef struct item {
    const char *input, *unit;
    uint32_t size; // 0: a single value
    double low, high, calm;
    const char *more;  // what else the component needs
    const char *named; // what a NaN is reported as; NULL: as a NaN of `watched`
    const char *watched;
} item;

#define FLIGHT                                                                                     \
    "extends: iris_mission.yaml\nduration: 3 s\n"                                                  \
    "scenario:\n- {at: 1 ms, do: arm}\n- {at: 2 ms, do: start_mission}\n"                          \
    "entities:\n  uav:\n    components:\n"

static const item vehicle[] = {
    {"motor", "1", 4, 0, 1, 0.4, "", "input motor[0] from uav.given.y[0] is NaN", NULL},
    {"motor_hold", "1", 4, 0, 1, 0, "", "input motor_hold[0] from uav.given.y[0] is NaN", NULL},
    {"motor_duty", "1", 4, 0, 1, 0.4, ", motor_hold: one.y",
     "input motor_duty[0] from uav.given.y[0] is NaN", NULL},
    {"motor_loss", "1", 4, 0, 1, 0, "", "input motor_loss[0] from uav.given.y[0] is NaN", NULL},
    {"battery_open", "1", 1, 0, 1, 0, "", "input battery_open from uav.given.y is NaN", NULL},
};

static const item control[] = {
    {"cruise_speed", "m/s", 0, 0.01, 100, 5, "", "input cruise_speed is NaN", NULL},
    {"climb_speed", "m/s", 0, 0.01, 50, 2, "", "input climb_speed is NaN", NULL},
    {"descend_speed", "m/s", 0, 0.01, 50, 2, "", "input descend_speed is NaN", NULL},
    {"land_speed", "m/s", 0, 0.01, 10, 0.5, "", "input land_speed is NaN", NULL},
};

static void flight_text(const char *component, const item *t, char *text, size_t size)
{
    snprintf(text, size,
             FLIGHT "      given: {type: given, params: {size: %u, array: %s, unit: '%s', calm: "
                    "%g}}\n"
                    "      one: {type: given, params: {size: 4, calm: 1, fixed: true}}\n"
                    "      %s: {inputs: {%s: given.y%s}}\n",
             t->size ? t->size : 1, t->size ? "true" : "false", t->unit, t->calm, component,
             t->input, t->more);
}

// --- comparing ----------------------------------------------------------------------------------

static tac_status run(rig *r, const char *text, double value)
{
    given = value;
    rig_example(r, "bounds.yaml", text, NULL, 0);
    return tac_engine_run(r->engine, TAC_TIME_NEVER, &r->err);
}

static uint64_t hash_with(const char *text, const char *pattern, double value)
{
    rig r;
    if (run(&r, text, value) != TAC_OK) {
        rig_show(&r);
        fail_msg("with %g", value);
    }
    const uint64_t hash = tac_engine_hash(r.engine, pattern, NULL);
    rig_close(&r);
    return hash;
}

static void check(const char *text, const char *pattern, const item *t)
{
    const double beyond[] = {t->high + 2, 1e300, (double)INFINITY};
    const uint64_t low = hash_with(text, pattern, t->low), high = hash_with(text, pattern, t->high);
    for (int i = 0; i < 3; i++) {
        if (hash_with(text, pattern, beyond[i]) != high)
            fail_msg("'%s' has another effect at %g than at %g", t->input, beyond[i], t->high);
        if (hash_with(text, pattern, -beyond[i]) != low)
            fail_msg("'%s' has another effect at %g than at %g", t->input, -beyond[i], t->low);
    }
    rig r;
    const tac_status status = run(&r, text, (double)NAN);
    if (t->named && (status != TAC_E_NUMERIC || strcmp(r.err.text, t->named))) {
        rig_show(&r);
        fail_msg("expected '%s'", t->named);
    }
    if (t->watched) {
        const int signal = tac_engine_find_signal(r.engine, t->watched);
        assert_true(signal >= 0);
        if (tac_engine_nans(r.engine, (size_t)signal, NULL) == 0)
            fail_msg("a NaN in '%s' is hidden from '%s'", t->input, t->watched);
    }
    rig_close(&r);
}

static void test_multirotor(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vehicle / sizeof *vehicle; i++) {
        char text[2048];
        flight_text("vehicle", &vehicle[i], text, sizeof text);
        check(text, "uav.vehicle*", &vehicle[i]);
    }
}

static void test_flight_control(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof control / sizeof *control; i++) {
        char text[2048];
        flight_text("control", &control[i], text, sizeof text);
        check(text, "uav.control*", &control[i]);
    }
}

// --- rockets and sensors ------------------------------------------------------------------------

static void check_alone(const char *components, const item *t)
{
    char text[2048];
    snprintf(text, sizeof text,
             "duration: 1 s\n"
             "scheduler: {rate_groups: [{name: g, rate_hz: 100, components: ['*']}]}\n"
             "components:\n"
             "  given: {type: given, params: {array: false, calm: %g}}\n%s",
             t->calm, components);
    check(text, "x.*", t);
}

static void test_rocket(void **state)
{
    (void)state;
    check_alone("  x: {type: rocket_motor, params: {thrust: 1 kN, isp: 200 s, fuel: 10 kg}, "
                "inputs: {throttle: given.y}}\n"
                "  s: {type: monitor, stage: control, params: {unit: kg}, inputs: {u: x.fuel}}\n",
                &(item){.input = "throttle",
                        .high = 1,
                        .calm = 1,
                        .named = "input throttle from given.y is NaN"});
    check_alone("  x: {type: rocket_mass, params: {stages: [{mass: 10 kg, com: [1, 0, 0], inertia: "
                "[1, 9, 9]}, {mass: 3 kg, com: [4, 0, 0], inertia: [1, 2, 2]}]}, "
                "inputs: {attached1: given.y}}\n"
                "  s: {type: monitor, stage: control, params: {unit: kg}, inputs: {u: x.mass}}\n",
                &(item){.input = "attached1", .high = 1, .calm = 1, .watched = "x.mass"});
    check_alone(
        "  x: {type: parachute, params: {drag_area: 2 m^2, inflation_time: 1 s}, "
        "inputs: {deploy: given.y, velocity: v.y, rate: w.y, density: d.y}}\n"
        "  v: {type: constant, params: {size: 3, unit: m/s, value: 10}}\n"
        "  w: {type: constant, params: {size: 3, unit: rad/s, value: 0}}\n"
        "  d: {type: constant, params: {unit: kg/m^3, value: 1}}\n"
        "  s: {type: monitor, stage: control, params: {size: 3, unit: N}, "
        "inputs: {u: x.force}}\n",
        &(item){
            .input = "deploy", .high = 1, .calm = 1, .named = "input deploy from given.y is NaN"});
}

static tac_status noisy_init(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, int32_t, 0) = 4; // noise
    return TAC_OK;
}

// The deviation of noise is 0 at least, however small its factor.
static void test_sensors(void **state)
{
    (void)state;
    static const char text[] =
        "duration: 1 s\n"
        "scheduler: {rate_groups: [{name: g, rate_hz: 100, components: ['*']}]}\n"
        "components:\n"
        "  given: {type: given, params: {array: false, calm: 1}}\n"
        "  broken: {type: noisy}\n"
        "  v: {type: constant, params: {size: 3, unit: rad/s, value: 1}}\n"
        "  f: {type: constant, params: {size: 3, unit: m/s^2, value: 1}}\n"
        "  x: {type: imu, inputs: {rate: v.y, specific_force: f.y, fault: broken.fault, "
        "fault_value: given.y}}\n";
    const uint64_t none = hash_with(text, "x.*", 0);
    assert_true(hash_with(text, "x.*", -3) == none);
    assert_true(hash_with(text, "x.*", -(double)INFINITY) == none);
    assert_true(hash_with(text, "x.*", 3) != none);
    rig r;
    assert_int_equal(run(&r, text, (double)NAN), TAC_OK);
    assert_true(
        tac_engine_nans(r.engine, (size_t)tac_engine_find_signal(r.engine, "x.rate"), NULL) > 0);
    rig_close(&r);
}

#include "model/labels.h"

static tac_status noisy_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d,
                       TAC_PORT(.name = "fault", .type = TAC_TYPE_ENUM(tac__sensor_fault_labels)));
    return TAC_OK;
}

static tac_status nothing(tac_step *s, const void *self)
{
    (void)s, (void)self;
    return TAC_OK;
}

static const tac_component_type noisy_type = {.size = sizeof(tac_component_type),
                                              .name = "noisy",
                                              .version = "1",
                                              .flags = TAC_COMPONENT_TIMER,
                                              .stage = TAC_STAGE_SCENARIO,
                                              .declare = noisy_declare,
                                              .init = noisy_init,
                                              .kernels[TAC_NUMBERS].step = nothing};

static int setup(void **state)
{
    (void)state;
    rig_types[0] = &source_type;
    rig_types[1] = &noisy_type;
    return 0;
}

#define TEST(name) cmocka_unit_test_setup(name, setup)
TEST_MAIN(TEST(test_multirotor), TEST(test_flight_control), TEST(test_rocket), TEST(test_sensors))
