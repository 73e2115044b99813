// Steps of operators, sources, sensors and winds in every kind: as derivatives and as graphs beside
// those of numbers, and in lanes with the bits of each alone.
#include "model/whole.h"

#include "model/labels.h"

static const char *const operators[] = {"constant", "sine",    "profile", "ramps",  "bends",
                                        "noise",    "counter", "circle",  "gain",   "sum",
                                        "limit",    "filter",  "quick",   "sensor", "tracker"};
static const char *const instruments[] = {"estimator",    "late", "imu", "barometer",
                                          "magnetometer", "gps",  "ou",  "dryden",
                                          "table",        "held", "row", "smooth"};

static const char operators_text[] =
    "  constant: {type: constant, params: {size: 3, value: [1, -2, 0.5]}}\n"
    "  sine: {type: sine, params: {size: 3, amplitude: [2, 3, 1], bias: [0, 1, 2],\n"
    "         phase: [0, 90 deg, 1], frequency: 1.3}}\n"
    "  profile: {type: profile, params: {times: [10 ms, 300 ms, 1 s], values: [1, -3, 2]}}\n"
    "  ramps: {type: profile, params: {times: [10 ms, 300 ms, 1 s], values: [1, -3, 2],\n"
    "          interpolation: linear}}\n"
    "  bends: {type: profile, params: {times: [10 ms, 300 ms, 400 ms, 1 s],\n"
    "          values: [1, -3, 2, 4], interpolation: spline}}\n"
    "  noise: {type: noise, params: {size: 4, deviation: [1, 2, 0, 0.5]}}\n"
    "  counter: {type: counter}\n"
    "  circle: {type: circle, params: {radius: 8 m, height: 3 m}}\n"
    "  gain: {type: gain, params: {size: 3, gain: [2, 0, -1]}, inputs: {u: sine.y}}\n"
    "  sum: {type: sum, params: {size: 3, a: 2, b: -0.5}, inputs: {u: sine.y, v: gain.y}}\n"
    "  limit: {type: limit, params: {size: 3, min: -1, max: 2.5}, inputs: {u: sum.y}}\n"
    "  filter: {type: filter, params: {size: 3, tau: 0.2 s}, inputs: {u: sine.y}}\n"
    "  quick: {type: filter, params: {tau: 0.01 s}, inputs: {u: profile.y}}\n"
    "  sensor: {type: sensor, params: {size: 3, deviation: [0.1, 0.2, 0.3], bias: 1},\n"
    "           inputs: {u: sine.y}}\n"
    "  tracker: {type: tracker, params: {limit: 30 N}, inputs: {target: circle.position,\n"
    "            target_velocity: circle.velocity, position: where.y,\n"
    "            velocity: noise3.y}}\n"
    "  where: {type: noise, params: {size: 3, unit: m, deviation: 5}}\n"
    "  noise3: {type: noise, params: {size: 3, unit: m/s}}\n";

// --- what is wrong with instruments -------------------------------------------------------------

static tac_status trouble_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d,
                       TAC_PORT(.name = "fault", .type = TAC_TYPE_ENUM(tac__sensor_fault_labels)));
    tac_declare_output(d, TAC_PORT(.name = "value", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status trouble_step(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, int32_t, 0) = (int32_t)(s->t_us / 100000 % 5);
    *TAC_OUT(s, double, 1) = 1.5;
    return TAC_OK;
}

static const tac_component_type trouble_type = {.size = sizeof(tac_component_type),
                                                .name = "trouble",
                                                .version = "1",
                                                .stage = TAC_STAGE_SCENARIO,
                                                .declare = trouble_declare,
                                                .kernels[TAC_NUMBERS].step = trouble_step};

#define FAULTY "fault: trouble.fault, fault_value: trouble.value"
#define MOVING                                                                                     \
    "position: circle.position, velocity: circle.velocity, attitude: circle.attitude, "            \
    "rate: circle.rate"

#define LAST(port) "{from: circle." #port ", delayed: true}"

// `late` takes samples between its steps.
static const char instruments_text[] =
    "  circle: {type: circle, params: {radius: 8 m, height: 300 m}}\n"
    "  trouble: {type: trouble}\n"
    "  pressure: {type: sine, params: {unit: Pa, bias: 95000, amplitude: 500}}\n"
    "  force: {type: sine, params: {unit: m/s^2, size: 3, bias: [0, 0, -9.8]}}\n"
    "  estimator: {type: estimator, inputs: {" MOVING ", " FAULTY "}}\n"
    "  late: {type: estimator, params: {delay: 9 ms, position: {drift: 0.1}},\n"
    "         inputs: {" MOVING ", " FAULTY "}}\n"
    "  imu: {type: imu, inputs: {rate: circle.rate, specific_force: force.y, " FAULTY "}}\n"
    "  barometer: {type: barometer, params: {delay: 20 ms}, inputs: {pressure: pressure.y, " FAULTY
    "}}\n"
    "  magnetometer: {type: magnetometer, params: {quantum: 0},\n"
    "                 inputs: {attitude: circle.attitude}}\n"
    "  gps: {type: gps, params: {delay: 100 ms, position: {quantum: 0}, velocity: {quantum: 0}},\n"
    "        inputs: {position: circle.position, velocity: circle.velocity, " FAULTY "}}\n"
    "  ou: {type: wind, params: {kind: ou, mean: [3, 1, 0], roughness: 0.1},\n"
    "       inputs: {position: " LAST(
        position) ", gust: gust.y}}\n"
                  "  gust: {type: sine, params: {size: 3, unit: m/s}}\n"
                  "  dryden: {type: wind, params: {kind: dryden, mean: [3, 1, 0]},\n"
                  "           inputs: {position: " LAST(position) ", velocity: " LAST(
                      velocity) ", attitude: " LAST(attitude) "}}\n"
                                                              "  table: {type: wind, params: "
                                                              "{kind: table, times: [0.1, 0.5, "
                                                              "0.7, 1.2], north: [1, 2, -1, "
                                                              "4]}}\n"
                                                              "  held: {type: wind, params: {kind: "
                                                              "table, interpolation: hold, times: "
                                                              "[0.1, 0.5],\n"
                                                              "         east: [1, 2]}}\n"
                                                              "  row: {type: wind, params: {kind: "
                                                              "table, times: [0.5], down: [1]}}\n"
                                                              "  smooth: {type: wind, params: "
                                                              "{kind: table, times: [0.1, 0.5, "
                                                              "0.7, 1.2],\n"
                                                              "           north: [1, 2, -1, 4], "
                                                              "down: [0, 1, 0, 3], interpolation: "
                                                              "spline}}\n";

static void open_rig(rig *r, const char *components)
{
    static char text[16384];
    snprintf(text, sizeof text,
             "duration: 1.5 s\nplant: {lanes: 1}\n"
             "world: {latitude: 47.4 deg, longitude: 8.5 deg, altitude: 488 m, geodesy: wgs84}\n"
             "scheduler: {rate_groups: [{name: g, period: 4 ms, components: ['*']}]}\n"
             "components:\n%s",
             components);
    rig_types[0] = &trouble_type;
    rig_open(r, text);
}

static void test_operators(void **state)
{
    (void)state;
    rig r;
    open_rig(&r, operators_text);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        whole_component *w = whole_watch(&r, operators[i]);
        w->compare_every = 37;
    }
    rig_run(&r, TAC_TIME_MAX);
    whole_end();
    rig_close(&r);
}

static void test_instruments(void **state)
{
    (void)state;
    rig r;
    open_rig(&r, instruments_text);
    for (size_t i = 0; i < sizeof instruments / sizeof *instruments; i++) {
        whole_component *w = whole_watch(&r, instruments[i]);
        w->compare_every = 97;
    }
    rig_run(&r, TAC_TIME_MAX);
    whole_end();
    rig_close(&r);
}

// --- every type ---------------------------------------------------------------------------------

typedef struct kernel {
    const char *name;
    size_t offset;
} kernel;

static bool has(const tac_kernels *k, const kernel *which)
{
    tac_status (*f)(void);
    memcpy(&f, (const char *)k + which->offset, sizeof f);
    return f != NULL;
}

static bool has_packs(const tac_component_type *type)
{
    static const tac_kernels none;
    return memcmp(&type->kernels[TAC_PACK2], &none, sizeof none) != 0 ||
           memcmp(&type->kernels[TAC_PACK4], &none, sizeof none) != 0 ||
           memcmp(&type->kernels[TAC_PACK8], &none, sizeof none) != 0;
}

// What a type has for numbers it has for every kind: it runs in lanes, is part of a graph and has
// derivatives. Not so where it says that its outputs are inputs of graphs.
static void test_types(void **state)
{
    (void)state;
    static const kernel kernels[] = {{"output", offsetof(tac_kernels, output)},
                                     {"derive", offsetof(tac_kernels, derive)},
                                     {"detect", offsetof(tac_kernels, detect)},
                                     {"project", offsetof(tac_kernels, project)},
                                     {"step", offsetof(tac_kernels, step)}};
    enum { KERNELS = sizeof kernels / sizeof *kernels };
    assert_int_equal(sizeof(tac_kernels), KERNELS * sizeof(void (*)(void)));
    tac_registry *registry;
    size_t inside[KERNELS] = {0}, outside = 0;
    assert_int_equal(tac_registry_create(NULL, &registry, NULL), TAC_OK);
    for (size_t i = 0; i < tac_registry_count(registry); i++) {
        const tac_component_type *type = tac_registry_type(registry, i);
        outside += (type->flags & TAC_COMPONENT_OUTSIDE) != 0;
        if (has_packs(type) && !type->alike)
            fail_msg("type '%s' has kernels of packs, and no 'alike'", type->name);
        for (size_t k = 0; k < KERNELS; k++) {
            if (!has(&type->kernels[TAC_NUMBERS], &kernels[k]) ||
                (type->flags & TAC_COMPONENT_OUTSIDE))
                continue;
            inside[k]++;
            for (tac_kind kind = TAC_NUMBERS; kind < TAC_KINDS; kind++) {
                if (!has(&type->kernels[kind], &kernels[k]))
                    fail_msg("type '%s' has no %s of kind %d", type->name, kernels[k].name,
                             (int)kind);
            }
        }
    }
    tac_registry_destroy(registry);
    for (size_t k = 0; k < KERNELS; k++) {
        print_message("%zu types have %s of every kind\n", inside[k], kernels[k].name);
        assert_true(inside[k] > (k == 4 ? 15 : 2));
    }
    print_message("%zu types are outside of graphs\n", outside);
    assert_true(outside > 3);
}

// --- lanes --------------------------------------------------------------------------------------

static uint64_t hash_of_swarm(const char *lanes)
{
    static char text[16384];
    rig r;
    size_t n =
        (size_t)snprintf(text, sizeof text,
                         "duration: 1 s\nplant: {lanes: %s}\n"
                         "scheduler: {rate_groups: [{name: g, period: 4 ms, components: ['*']}]}\n"
                         "entities:\n  u:\n    count: 11\n    components:\n",
                         lanes);
    for (const char *line = operators_text; *line;) {
        const char *end = strchr(line, '\n') + 1;
        n += (size_t)snprintf(text + n, sizeof text - n, "    %.*s", (int)(end - line), line);
        line = end;
    }
    assert_true(n < sizeof text);
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_MAX);
    size_t teams = 0;
    for (size_t i = 0; i < r.engine->plan->component_count; i++)
        teams += r.engine->instances[i]->team != NULL;
    assert_int_equal(teams > 0, strcmp(lanes, "1") != 0);
    const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
    rig_close(&r);
    return hash;
}

static void test_lanes(void **state)
{
    (void)state;
    const uint64_t alone = hash_of_swarm("1");
    assert_true(hash_of_swarm("2") == alone);
    assert_true(hash_of_swarm("4") == alone);
    assert_true(hash_of_swarm("auto") == alone);
}

TEST_MAIN(cmocka_unit_test(test_types), cmocka_unit_test(test_operators),
          cmocka_unit_test(test_instruments), cmocka_unit_test(test_lanes))
