// Trim and linear equations: of examples and of a small plant, against closed forms, against flying
// the result, and against differences.
#include "solve/linear.h"
#include "solve/trim.h"
#include "engine/test_rig.h"

#include <math.h>
#include <tactus/solve.h>

typedef struct work {
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    tac_trim *trim;
    tac_linear *linear;
    tac_error err;
} work;

static void example(char path[600], const char *name)
{
    const char *source = getenv("TACTUS_SOURCE");
    char here[512];
    snprintf(here, sizeof here, "%s", source ? source : __FILE__);
    for (int i = 0; !source && i < 3; i++)
        *strrchr(here, '/') = '\0';
    snprintf(path, 600, "%s/examples/%s.yaml", here, name);
}

static tac_status build(work *w)
{
    const tac_engine_def def = tac_config_engine_def(w->config);
    return tac_config_build(w->config, &def, &w->engine, &w->err);
}

static tac_config_def begin(work *w)
{
    *w = (work){0};
    tac_error_clear(&w->err);
    assert_int_equal(tac_registry_create(NULL, &w->registry, &w->err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = w->registry;
    return def;
}

// Load a file of examples/ and build its engine.
static void load(work *w, const char *name, const char *const *sets, size_t count)
{
    char path[600];
    tac_config_def def = begin(w);
    def.sets = sets;
    def.set_count = count;
    example(path, name);
    if (tac_config_load(path, &def, &w->config, &w->err) != TAC_OK || build(w) != TAC_OK)
        fail_msg("%s", w->err.text);
}

static tac_status load_text(work *w, const char *text)
{
    const tac_config_def def = begin(w);
    TAC_TRY(tac_config_parse("test.yaml", text, strlen(text), &def, &w->config, &w->err));
    return build(w);
}

static tac_status trim(work *w)
{
    return tac_config_trim(w->config, w->engine, &w->trim, &w->err);
}

static void close_work(work *w)
{
    tac_linear_destroy(w->linear);
    tac_trim_destroy(w->trim);
    tac_engine_destroy(w->engine);
    tac_config_destroy(w->config);
    tac_registry_destroy(w->registry);
}

static double value(const work *w, const char *name)
{
    double found;
    if (!tac_trim_value(w->trim, name, &found))
        fail_msg("there is no '%s'", name);
    return found;
}

static void near(double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("%.17g, expected %.17g", got, wanted);
}

// --- the Iris -----------------------------------------------------------------------------------

// Drag is linear: the thrust stands against weight and drag, and the attitude follows.
static void check_forces(const work *w, double air_x, double air_z)
{
    const double weight = 1.5 * 9.80665, drag = 0.05;
    const double north = drag * air_x, up = weight + drag * air_z;
    double thrust = 0;
    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "uav.vehicle.thrust[%d]", i);
        thrust += value(w, name);
    }
    near(thrust, sqrt(north * north + up * up), 1e-8);
    near(value(w, "uav.vehicle.euler.y"), -atan(north / up), 1e-10);
    near(value(w, "uav.vehicle.euler.z"), 0, 1e-10);
    for (size_t i = 0; i < w->trim->plant->x_count; i++) {
        const tac__trim_quantity *q = &w->trim->x[i];
        if (!q->drifts)
            near(q->rate, 0, 1e-9 * q->quantity->scale);
    }
}

static void test_hover(void **state)
{
    (void)state;
    work w;
    load(&w, "iris_hover", NULL, 0);
    if (trim(&w) != TAC_OK)
        fail_msg("%s", w.err.text);
    check_forces(&w, 5, 0);
    near(value(&w, "uav.vehicle.position.z"), -10, 0);
    assert_true(w.trim->newton.iterations <= 6 && w.trim->newton.rank == w.trim->newton.free);
    close_work(&w);
}

static void test_climb(void **state)
{
    (void)state;
    work w;
    load(&w, "iris_climb", NULL, 0);
    if (trim(&w) != TAC_OK)
        fail_msg("%s", w.err.text);
    check_forces(&w, 9, 2);
    near(value(&w, "uav.vehicle.velocity.x"), 4, 1e-9);
    near(value(&w, "uav.vehicle.velocity.z"), -2, 1e-9);
    close_work(&w);
}

// From states and inputs that are written to a file the motion goes on as it is, without control.
static void fly(const char *name, double north_m_s, double up_m_s)
{
    work w, flown;
    char path[600];
    const double seconds = 0.5;
    load(&w, name, NULL, 0);
    assert_int_equal(trim(&w), TAC_OK);
    example(path, name);
    char *text = tac_trim_file(w.trim, path, true);
    if (load_text(&flown, text) != TAC_OK ||
        tac_engine_run(flown.engine, (tac_time)(seconds * 1e6), &flown.err) != TAC_OK)
        fail_msg("%s\n%s", flown.err.text, text);
    const double *x =
        tac_engine_read(flown.engine, tac_engine_find_signal(flown.engine, "uav.vehicle.position"));
    near(x[0], north_m_s * seconds, 2e-4); // the battery empties
    near(x[1], 0, 1e-9);
    near(x[2], -10 - up_m_s * seconds, 1e-3);
    tac_text_free(text);
    close_work(&flown);
    close_work(&w);
}

static void test_flown(void **state)
{
    (void)state;
    fly("iris_hover", 0, 0);
    fly("iris_climb", 4, 2);
}

// Too little power: the error names the equation, by how much it fails, and the bounds.
static void test_infeasible(void **state)
{
    (void)state;
    work w;
    const char *sets[] = {"trim.free.\"vehicle.motor\".max=0.4"};
    load(&w, "iris_hover", sets, 1);
    assert_int_equal(trim(&w), TAC_E_UNSOLVED);
    assert_non_null(strstr(w.err.text, "'der(uav.vehicle.velocity.z) == 0 m/s^2' is not met"));
    assert_non_null(strstr(w.err.text, "m/s^2 too large"));
    assert_non_null(strstr(w.err.text, "uav.vehicle.motor[0] = 0.4"));
    assert_true(w.err.line > 0);
    char *text = tac_trim_print(w.trim, TAC_FORMAT_TEXT);
    assert_non_null(strstr(text, "no trim"));
    assert_non_null(strstr(text, "not met by "));
    tac_text_free(text);
    close_work(&w);
    // Nothing drifts unless the file says so.
    const char *charge[] = {"trim.drift=[]"};
    load(&w, "iris_hover", charge, 1);
    assert_int_equal(trim(&w), TAC_E_UNSOLVED);
    assert_non_null(strstr(w.err.text, "der(uav.vehicle.battery.soc[0]) == 0 1/s"));
    close_work(&w);
}

// On the ground, motors off: weight is carried by the feet, whose contacts are found.
static void test_standing(void **state)
{
    (void)state;
    work w;
    const char *sets[] = {"entities.uav.components.wind.params.mean=[0, 0, 0]",
                          "entities.uav.components.vehicle.params.hover=false",
                          ("trim.set={vehicle.position.x: 0, vehicle.position.y: 0, "
                           "vehicle.motor: [0, 0, 0, 0]}"),
                          "trim.free={vehicle.position.z: {guess: -0.03}}"};
    load(&w, "iris_hover", sets, 4);
    if (trim(&w) != TAC_OK)
        fail_msg("%s", w.err.text);
    // Four feet at 0.04 m below the origin, 5000 N/m each.
    near(value(&w, "uav.vehicle.position.z"), -0.04 + 1.5 * 9.80665 / 20000, 1e-9);
    near(value(&w, "uav.vehicle.feet_down"), 4, 0);
    close_work(&w);
}

// --- linear equations ---------------------------------------------------------------------------

static void linearize(work *w, bool full)
{
    if (tac_config_linearize(w->config, w->engine, w->trim, full, &w->linear, &w->err) != TAC_OK)
        fail_msg("%s", w->err.text);
}

static size_t row_of(const tac_linear *l, const char *name)
{
    size_t i = 0;
    while (i < l->n && strcmp(l->x[i].name, name) != 0)
        i++;
    assert_true(i < l->n);
    return i;
}

// Every entry against central differences of the plant.
static void test_differences(void **state)
{
    (void)state;
    work w;
    const char *sets[] = {"initial={uav.vehicle.battery.soc: 0.8}"}; // 1 is at an end of its table
    load(&w, "iris_climb", sets, 1);
    assert_int_equal(trim(&w), TAC_OK);
    linearize(&w, true);
    const tac_linear *l = w.linear;
    tac__plant *p = w.trim->plant;
    assert_true(l->n == p->x_count && l->m == 4 && l->p == p->y_count);
    double x[64], u[64], y[2][64], dx[2][64];
    for (size_t j = 0; j < l->n + l->m; j++) {
        memcpy(x, w.trim->x_values, p->x_count * sizeof *x);
        memcpy(u, w.trim->u_values, p->u_count * sizeof *u);
        double *at = j < l->n ? &x[j] : &u[j - l->n]; // the motors come first among the inputs
        const double middle = *at, h = 1e-5 * fmax(1, fabs(middle));
        for (int side = 0; side < 2; side++) {
            *at = middle + (side ? h : -h);
            assert_int_equal(tac__plant_eval(p, x, u, dx[side], y[side]), TAC_OK);
        }
        for (size_t i = 0; i < l->n; i++) {
            const double slope = (dx[1][i] - dx[0][i]) / (2 * h);
            near(j < l->n ? l->a[j * l->n + i] : l->b[(j - l->n) * l->n + i], slope,
                 1e-5 * fmax(1, fabs(slope)));
        }
        for (size_t i = 0; i < l->p; i++) {
            const double slope = (y[1][i] - y[0][i]) / (2 * h);
            near(j < l->n ? l->c[j * l->p + i] : l->d[(j - l->n) * l->p + i], slope,
                 1e-5 * fmax(1, fabs(slope)));
        }
    }
    close_work(&w);
}

// Angles d of a turning body: dd/dt = dw - w x d.
static void test_angles(void **state)
{
    (void)state;
    work w;
    const char *sets[] = {"entities.uav.components.vehicle.params.rate=[0.3, -0.2, 0.5]",
                          "entities.uav.components.vehicle.params.attitude=[0.4, -0.3, 2]"};
    load(&w, "iris_hover", sets, 2);
    assert_int_equal(tac_engine_run(w.engine, 0, &w.err), TAC_OK);
    linearize(&w, false);
    const tac_linear *l = w.linear;
    const size_t d = row_of(l, "uav.vehicle.attitude.about_x"), r = row_of(l, "uav.vehicle.rate.x");
    assert_int_equal(l->n, 18);
    static const double minus_cross[3][3] = {{0, 0.5, 0.2}, {-0.5, 0, 0.3}, {-0.2, -0.3, 0}};
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 3; j++) {
            near(l->a[(d + j) * l->n + d + i], minus_cross[i][j], 1e-14);
            near(l->a[(r + j) * l->n + d + i], i == j, 1e-14);
        }
    }
    // Full: the same eigenvalues, and one more that belongs to the length of the quaternion.
    close_work(&w);
    load(&w, "iris_hover", NULL, 0);
    assert_int_equal(trim(&w), TAC_OK);
    linearize(&w, false);
    tac_linear *three = w.linear;
    linearize(&w, true);
    assert_int_equal(w.linear->n, three->n + 1);
    assert_int_equal(three->controllable, 18);
    near(w.linear->real[18], three->real[17], 1e-9);
    near(w.linear->real[15], three->real[14], 1e-9);
    tac_linear_destroy(three);
    close_work(&w);
}

#define OSCILLATOR                                                                                 \
    "duration: 1 s\n"                                                                              \
    "components:\n"                                                                                \
    "  push: {type: constant, params: {value: 3, unit: N}}\n"                                      \
    "  body: {type: oscillator, params: {mass: 2 kg, stiffness: 8 N/m, damping: 0.8 N*s/m, "       \
    "position: 1 m}, inputs: {force: push.y}}\n"

// A mass on a spring: x = F/k; the eigenvalues are those of the textbook.
static void test_oscillator(void **state)
{
    (void)state;
    work w;
    if (load_text(&w, OSCILLATOR "trim: {}\n") != TAC_OK || trim(&w) != TAC_OK)
        fail_msg("%s", w.err.text);
    linearize(&w, false);
    const tac_linear *l = w.linear;
    assert_int_equal(l->n, 2);
    near(w.trim->x_values[0], 3.0 / 8, 1e-12);
    near(l->real[0], -0.2, 1e-14);
    near(l->imaginary[0], sqrt(4 - 0.04), 1e-14);
    close_work(&w);
    // The force that keeps it at 0.5 m; and at most so much.
    if (load_text(&w, OSCILLATOR "trim: {free: {body.force: {}}, conditions: [body.position == 50 "
                                 "cm]}\n") != TAC_OK ||
        trim(&w) != TAC_OK)
        fail_msg("%s", w.err.text);
    near(value(&w, "body.force"), 4, 1e-12);
    close_work(&w);
    if (load_text(&w, OSCILLATOR
                  "trim: {free: {body.force: {guess: 9 N, min: -1 N, max: 10 N}}, conditions: "
                  "[body.position <= 25 cm]}\n") != TAC_OK ||
        trim(&w) != TAC_OK)
        fail_msg("%s", w.err.text);
    assert_true(value(&w, "body.position") <= 0.25 + 1e-9);
    near(value(&w, "body.force"), 8 * value(&w, "body.position"), 1e-9);
    close_work(&w);
}

// A chain x1 -> x2 -> x3 that is pushed and seen at one end: where it is pushed in front and seen
// in front, all of it can be controlled and one state observed; at the back the other way round.
static void test_ranks(void **state)
{
    (void)state;
    static const struct {
        const char *equations;
        size_t controllable, observable;
    } cases[] = {
        {"- der(x1) = (push - x1)/tau\n        - der(x2) = x1/tau\n        - der(x3) = x2/tau\n"
         "        - y = x1\n        - z = 2*x1\n",
         3, 1},
        {"- der(x1) = -x1/tau\n        - der(x2) = x1/tau\n        - der(x3) = (x2 + push)/tau\n"
         "        - y = x3\n        - z = 2*x3\n",
         1, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        work w;
        snprintf(text, sizeof text,
                 "duration: 1 s\n"
                 "components:\n"
                 "  push: {type: constant}\n"
                 "  chain:\n"
                 "    type: equations\n"
                 "    params:\n"
                 "      inputs: {push: 1}\n"
                 "      parameters: {tau: 1 s}\n"
                 "      states: {x1: 1, x2: 1, x3: 1}\n"
                 "      outputs: {y: 1, z: 1}\n"
                 "      equations:\n"
                 "        %s"
                 "    inputs: {push: push.y}\n",
                 cases[i].equations);
        if (load_text(&w, text) != TAC_OK || tac_engine_run(w.engine, 0, &w.err) != TAC_OK)
            fail_msg("%s", w.err.text);
        linearize(&w, false);
        assert_int_equal(w.linear->controllable, cases[i].controllable);
        assert_int_equal(w.linear->observable, cases[i].observable);
        close_work(&w);
    }
}

// --- mistakes -----------------------------------------------------------------------------------

static void mistake(const char *section, const char *expected)
{
    char text[1000];
    work w;
    snprintf(text, sizeof text, "%s%s\n", OSCILLATOR, section);
    tac_status status = load_text(&w, text);
    if (status == TAC_OK)
        status = trim(&w);
    if (status == TAC_OK || !strstr(w.err.text, expected) || w.err.line == 0)
        fail_msg("%s: line %u: %s; expected '%s'", section, w.err.line, w.err.text, expected);
    close_work(&w);
}

static void test_mistakes(void **state)
{
    (void)state;
    mistake("seed: 1", "there is no section 'trim'");
    mistake("trim: {set: {body.positon: 1}}", "did you mean 'body.position'?");
    mistake("trim: {set: {body.position: 1 kg}}", "kg");
    mistake("trim: {set: {body.position: [1, 2]}}", "1 element, but 2 are given");
    mistake("trim: {free: {body.force: {}}, set: {body.force: 1}}", "mentioned twice");
    mistake("trim: {free: {body.force: {min: 2, max: 1}}}", "lower bound above");
    mistake("trim: {drift: [body.x]}", "no state matches");
    mistake("trim: {component: car}", "unknown component 'car'");
    mistake("trim: {component: push}", "no part of a plant");
    mistake("trim: {conditions: [body.position]}", "this is a number");
    mistake("trim: {conditions: ['body.position == 1 AND t > 1 s']}", "compares two numbers");
    mistake("trim: {conditions: [body.position == 1 kg]}", "kg");
    mistake("trim: {conditions: ['body.positoin == 1']}", "did you mean 'body.position'?");
    mistake("trim: {fre: {}}", "did you mean 'free'?");
    mistake("initial: {body.positon: 1}", "did you mean 'body.position'?");
    mistake("initial: {body.position: [1, 2]}", "1 element, but 2 are given");
    mistake("initial: {body.position: 1 kg}", "kg");
    mistake("initial: {push.y: 1}", "no continuous state");
}

// A state that begins elsewhere is another model, with another hash.
static void test_initial(void **state)
{
    (void)state;
    work w;
    assert_int_equal(load_text(&w, OSCILLATOR), TAC_OK);
    const uint64_t model = tac_engine_model_hash(w.engine);
    close_work(&w);
    assert_int_equal(load_text(&w, OSCILLATOR "initial: {body.position: 25 cm}\n"), TAC_OK);
    assert_true(tac_engine_model_hash(w.engine) != model);
    const double *x = tac_engine_read(w.engine, tac_engine_find_signal(w.engine, "body.position"));
    near(*x, 0.25, 0);
    assert_int_equal(tac_engine_run(w.engine, 100000, &w.err), TAC_OK);
    assert_int_equal(tac_engine_reset(w.engine, &w.err), TAC_OK);
    near(*x, 0.25, 0);
    close_work(&w);
}

TEST_MAIN(cmocka_unit_test(test_hover), cmocka_unit_test(test_climb), cmocka_unit_test(test_flown),
          cmocka_unit_test(test_infeasible), cmocka_unit_test(test_standing),
          cmocka_unit_test(test_differences), cmocka_unit_test(test_angles),
          cmocka_unit_test(test_oscillator), cmocka_unit_test(test_ranks),
          cmocka_unit_test(test_mistakes), cmocka_unit_test(test_initial))
