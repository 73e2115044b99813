// What `declare` sees of the world, decisions, and warnings that it gives, from YAML.
#include "engine/declare_rig.h"
#include "engine/run/loop.h"

#include <math.h>

// --- the world ----------------------------------------------------------------------------------

static tac_world world_seen;

static tac_status place_declare(tac_declare *d, void *self)
{
    (void)self;
    world_seen = *tac_declare_world(d);
    return TAC_OK;
}

static const tac_component_type place_type =
    TYPE("place", .stage = TAC_STAGE_CONTROL, .declare = place_declare,
         .kernels[TAC_NUMBERS].step = idle_step);

static void test_world(void **state)
{
    (void)state;
    use(&place_type, NULL);
    rig r;
    rig_open(&r, ONE("place", "      {}\n"));
    assert_true(world_seen.latitude_rad == 0 && world_seen.longitude_rad == 0);
    assert_true(world_seen.altitude_m == 0 && world_seen.ground_m == 0);
    assert_true(world_seen.g_m_s2 == 9.80665);
    assert_int_equal(world_seen.geodesy, TAC_GEODESY_SPHERE);
    assert_int_equal(world_seen.gravity, TAC_GRAVITY_UNIFORM);
    const uint64_t hash = tac_engine_model_hash(r.engine);
    rig_close(&r);
    rig_open(&r, ONE("place", "      {}\n") "world: {latitude: 90 deg, longitude: -1 rad, "
                                            "altitude: 1 km, geodesy: wgs84,"
                                            " gravity: central, g: 1.62, ground: -2 m}\n");
    assert_true(fabs(world_seen.latitude_rad - 1.5707963267948966) < 1e-15);
    assert_true(world_seen.longitude_rad == -1 && world_seen.altitude_m == 1000);
    assert_true(world_seen.g_m_s2 == 1.62 && world_seen.ground_m == -2);
    assert_int_equal(world_seen.geodesy, TAC_GEODESY_WGS84);
    assert_int_equal(world_seen.gravity, TAC_GRAVITY_CENTRAL);
    assert_true(tac_engine_model_hash(r.engine) != hash);
    rig_close(&r);
    rig_refused_at("world: {geodesy: flat}\n" ONE("place", "      {}\n"), TAC_E_NAME, 1, 18,
                   "sphere");
    rig_refused_at("world: {latitude: 91 deg}\n" ONE("place", "      {}\n"), TAC_E_RANGE, 1, 19,
                   "");
    rig_refused_at("world: {altitude: 3 s}\n" ONE("place", "      {}\n"), TAC_E_UNIT, 1, 19, "");
}

// --- warnings -----------------------------------------------------------------------------------

static tac_status doubt_declare(tac_declare *d, void *self)
{
    (void)self;
    const double x = tac_param_f64(d, TAC_PARAM(.name = "x", .fallback = "0"));
    if (x > 5)
        tac_declare_warn(d, "x", "x is %g, which is much", x);
    if (x > 7)
        tac_declare_warn(d, NULL, "all of it");
    if (x > 100)
        (void)tac_declare_fail(d, "x", "x is too much");
    if (x > 200)
        tac_declare_warn(d, "x", "this follows from the mistake");
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status doubt_connect(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_warn(d, "x", "connected");
    return TAC_OK;
}

static const tac_component_type doubt_type =
    TYPE("doubt", .stage = TAC_STAGE_CONTROL, .declare = doubt_declare, .connect = doubt_connect,
         .kernels[TAC_NUMBERS].step = idle_step);

typedef struct warnings {
    size_t count;
    char text[4][256];
} warnings;

static void keep_warning(void *context, const tac_log_entry *entry)
{
    warnings *w = context;
    assert_int_equal(entry->level, TAC_LOG_WARN);
    assert_true(w->count < 4);
    snprintf(w->text[w->count++], sizeof *w->text, "%s", entry->text);
}

// After a mistake values may be those of nothing: there are no more warnings.
static void test_no_warnings_after_mistakes(void **state)
{
    (void)state;
    use(&doubt_type, NULL);
    static const struct {
        const char *text;
        size_t warnings;
    } cases[] = {{ONE("doubt", "      {x: 300}\n"), 2}, {ONE("doubt", "      {x: abc}\n"), 0}};
    for (size_t i = 0; i < 2; i++) {
        rig r;
        rig_open(&r, ONE("doubt", "      {x: 1}\n"));
        warnings w = {0};
        tac_config_def config_def = tac_config_def_default();
        config_def.registry = r.registry;
        tac_config *config;
        assert_int_equal(tac_config_parse("t.yaml", cases[i].text, strlen(cases[i].text),
                                          &config_def, &config, NULL),
                         TAC_OK);
        tac_engine_def def = tac_config_engine_def(config);
        def.log = keep_warning;
        def.log_context = &w;
        tac_engine *engine;
        assert_int_not_equal(tac_config_build(config, &def, &engine, NULL), TAC_OK);
        assert_int_equal(w.count, cases[i].warnings);
        tac_config_destroy(config);
        rig_close(&r);
    }
}

// With the place of the parameter; once, though all vehicles of a template come from one line.
static void test_warnings(void **state)
{
    (void)state;
    use(&doubt_type, NULL);
    static const char *const texts[] = {
        ONE("doubt", "      {x: 6}\n"),
        ONE("doubt", "      x: 8\n"),
        "duration: 1 ms\n"
        "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [c]}]}\n"
        "entities:\n"
        "  u:\n"
        "    count: 3\n"
        "    components: {c: {type: doubt, params: {x: 6}}}\n",
    };
    static const char *const said[][3] = {
        {":7:11: x is 6, which is much", ":7:11: connected"},
        {":7:10: x is 8, which is much", ":7:7: all of it", ":7:10: connected"},
        {":6:47: x is 6, which is much", ":6:47: connected"},
    };
    for (size_t i = 0; i < 3; i++) {
        rig r;
        rig_open(&r, texts[i]);
        warnings w = {0};
        tac_engine_def def = tac_config_engine_def(r.config);
        def.log = keep_warning;
        def.log_context = &w;
        tac_engine *engine;
        assert_int_equal(tac_config_build(r.config, &def, &engine, NULL), TAC_OK);
        size_t n = 0;
        for (; n < 3 && said[i][n]; n++) {
            if (!strstr(w.text[n], said[i][n]))
                fail_msg("'%s' is not in '%s'", said[i][n], w.text[n]);
        }
        assert_int_equal(w.count, n);
        assert_true(tac_engine_model_hash(engine) == tac_engine_model_hash(r.engine));
        tac_engine_destroy(engine);
        rig_close(&r);
    }
}

// --- decisions ----------------------------------------------------------------------------------

static int decision_at[3];

static tac_status judge_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_state(d, TAC_PORT(.name = "count", .type = TAC_TYPE_I64));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    decision_at[0] = tac_declare_decision(d, TAC_PORT(.name = "go", .type = TAC_TYPE_BOOL));
    decision_at[1] =
        tac_declare_decision(d, TAC_PORT(.name = "target", .type = TAC_TYPE_VEC3, .unit = "m"));
    decision_at[2] = tac_declare_decision(d, TAC_PORT(.name = "next", .type = TAC_TYPE_I64));
    return TAC_OK;
}

static tac_status judge_step(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = (double)++*TAC_STATE(s, int64_t, 0);
    return s->decided ? tac_fail(s, "a step of numbers has decisions") : TAC_OK;
}

static tac_status judge_decide(const tac_step *s, const void *self, double *decided)
{
    (void)self;
    const int64_t next = *TAC_STATE(s, int64_t, 0) + 1;
    decided[decision_at[0]] = next > 3;
    for (int k = 0; k < 3; k++)
        decided[decision_at[1] + k] = 10 * k;
    decided[decision_at[2]] = (double)next;
    return next < 100 ? TAC_OK : TAC_E_COMPONENT;
}

static const tac_component_type judge_type =
    TYPE("judge", .stage = TAC_STAGE_CONTROL, .declare = judge_declare, .decide = judge_decide,
         .kernels[TAC_NUMBERS].step = judge_step);

// Offsets count elements; tac__decide reads the step as it stands and changes nothing.
static void test_decisions(void **state)
{
    (void)state;
    use(&judge_type, NULL);
    rig r;
    rig_open(&r, ONE("judge", "      {}\n"));
    assert_true(decision_at[0] == 0 && decision_at[1] == 1 && decision_at[2] == 4);
    rig_run(&r, 10000);
    const tac_instance *c = r.engine->instances[0];
    assert_int_equal(c->plan->decision_count, 5);
    assert_int_equal(c->plan->decisions.count, 3);
    assert_string_equal(c->plan->decisions.items[1].name, "target");
    assert_string_equal(c->plan->decisions.items[1].unit, "m");
    const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
    double decided[5];
    assert_int_equal(tac__decide(c, &c->step, decided), TAC_OK);
    const double expected[5] = {1, 0, 10, 20, 12}; // it has stepped at 0, 1, ..., 10 ms
    assert_memory_equal(decided, expected, sizeof decided);
    assert_true(tac_engine_hash(r.engine, NULL, NULL) == hash);
    *TAC_STATE(&c->step, int64_t, 0) = 99;
    assert_int_equal(tac__decide(c, &c->step, decided), TAC_E_COMPONENT);
    rig_close(&r);
}

static const tac_component_type unjudged_type =
    TYPE("unjudged", .stage = TAC_STAGE_CONTROL, .declare = judge_declare,
         .kernels[TAC_NUMBERS].step = judge_step);

static void test_no_decide(void **state)
{
    (void)state;
    use(&unjudged_type, NULL);
    rig_refused(ONE("unjudged", "      {}\n"), TAC_E_CONFIG,
                "declares decisions, but has no decide function");
}

TEST_MAIN(cmocka_unit_test(test_world), cmocka_unit_test(test_warnings),
          cmocka_unit_test(test_no_warnings_after_mistakes), cmocka_unit_test(test_decisions),
          cmocka_unit_test(test_no_decide))
