// Every file of examples/ loads, runs, is repeatable, and is the same after it was written out
// again.
#include "engine/test_rig.h"
#include "support/golden_math.h"

#include <glob.h>

static const char *examples_folder(void)
{
    static char folder[600];
    const char *source = getenv("TACTUS_SOURCE");
    char here[512];
    snprintf(here, sizeof here, "%s", source ? source : __FILE__);
    for (int i = 0; !source && i < 3; i++)
        *strrchr(here, '/') = '\0';
    snprintf(folder, sizeof folder, "%s/examples", here);
    return folder;
}

// Of the one with ten thousand vehicles there are fifty.
static void load(rig *r, const char *path, const char *set)
{
    const char *sets[] = {"entities.uav.count=50", set};
    const bool large = strstr(path, "swarm_large");
    if (rig_try_all(r, path, NULL, sets + !large, (size_t)large + (set != NULL)) != TAC_OK) {
        rig_show(r);
        fail_msg("'%s' cannot be built", path);
    }
}

static uint64_t hash_of_file(const char *path, uint64_t *model)
{
    rig r;
    load(&r, path, "duration=500 ms");
    rig_run(&r, TAC_TIME_NEVER);
    const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
    *model = tac_engine_model_hash(r.engine);
    rig_close(&r);
    return hash;
}

static void test_all_examples(void **state)
{
    (void)state;
    char pattern[700];
    snprintf(pattern, sizeof pattern, "%s/*.yaml", examples_folder());
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 1);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        uint64_t model, again;
        const uint64_t hash = hash_of_file(path, &model);
        assert_true(hash_of_file(path, &again) == hash && again == model);
        // The resolved text is the same simulation.
        rig r, second;
        load(&r, path, "duration=500 ms");
        char *resolved = tac_config_resolved(r.config);
        if (rig_try_named(&second, path, resolved) != TAC_OK) {
            rig_show(&second);
            fail_msg("the resolved text of '%s' is refused", path);
        }
        assert_true(tac_engine_model_hash(second.engine) == model);
        rig_run(&second, TAC_TIME_NEVER);
        assert_true(tac_engine_hash(second.engine, NULL, NULL) == hash);
        tac_text_free(resolved);
        rig_close(&second);
        rig_close(&r);
        // In pieces it gives the same bits.
        load(&r, path, "duration=500 ms");
        for (tac_time t_us = 0; t_us < 500000; t_us += 12345)
            rig_run(&r, t_us);
        rig_run(&r, TAC_TIME_NEVER);
        assert_true(tac_engine_hash(r.engine, NULL, NULL) == hash);
        rig_close(&r);
    }
    globfree(&found);
}

// The point mass follows the circle of 20 m: not perfectly, as guidance is late, but closely.
static void test_rates_follows_its_circle(void **state)
{
    (void)state;
    char path[700];
    snprintf(path, sizeof path, "%s/rates.yaml", examples_folder());
    rig r;
    load(&r, path, NULL);
    for (tac_time t_us = 3000000; t_us <= 10000000; t_us += 500000) {
        rig_run(&r, t_us);
        const double *at = rig_read(&r, "EOM.position");
        const double radius = tac_sqrt(at[0] * at[0] + at[1] * at[1]);
        if (!(tac_fabs(radius - 20) < 2) || !(tac_fabs(at[2] + 5) < 0.5))
            fail_msg("at %llu us: radius %g, height %g", (unsigned long long)t_us, radius, -at[2]);
        // On the circle of radius 20 at 30 deg/s, at most a second behind.
        const double angle = 30 * 3.14159265358979 / 180 * (double)t_us / 1e6;
        const double behind = tac_cos(angle) * at[1] - tac_sin(angle) * at[0];
        assert_true(behind < 0.5 && behind > -20 * tac_sin(0.5236));
    }
    assert_true(tac_engine_finished(r.engine));
    rig_close(&r);
}

// Whole runs, bit for bit, on every machine. A change here needs a reason in the commit that makes
// it (and another ENGINE_SEMANTICS or component version).
static void test_golden_hashes(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint64_t hash;
    } golden[] = {{"rates", UINT64_C(0x77d30286d850ad8c)},
                  {"convoy", UINT64_C(0x65f1fdfcad7a25e8)},
                  {"iris_mission", UINT64_C(0xca8ab0912a87386b)},
                  {"iris_branch", UINT64_C(0x8193072fd93ef02c)},
                  {"hexa_motor_out", UINT64_C(0xc44a0207e754c826)},
                  {"sensors", UINT64_C(0xb59a85429036a034)},
                  {"equations", UINT64_C(0xb195216f3b062001)},
                  {"orbit", UINT64_C(0x652a391c3cf59391)},
                  {"rocket_ascent", UINT64_C(0xc824fdf385e69c81)},
                  {"rocket", UINT64_C(0xc117dbcf46ca0ce7)},
                  {"formation", UINT64_C(0x40b5fe7028d80540)},
                  {"ring", UINT64_C(0x044d77621e0c3dd0)}};
    if (!is_golden_math())
        skip();
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        char path[700];
        snprintf(path, sizeof path, "%s/%s.yaml", examples_folder(), golden[i].file);
        rig r;
        load(&r, path, NULL);
        rig_run(&r, TAC_TIME_NEVER);
        const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
        if (hash != golden[i].hash)
            fail_msg("%s: %016llx", golden[i].file, (unsigned long long)hash);
        rig_close(&r);
    }
}

TEST_MAIN(cmocka_unit_test(test_all_examples), cmocka_unit_test(test_golden_hashes),
          cmocka_unit_test(test_rates_follows_its_circle))
