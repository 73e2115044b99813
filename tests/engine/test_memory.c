// Little memory: whichever allocation fails while a simulation is loaded and prepared, the error
// says so and nothing is left behind; once it runs it asks for no more.
#include "test_rig.h"

#include "support/allocator.h"

static const char swarm[] =
    "duration: 20 ms\n"
    "scheduler:\n"
    "  rate_groups:\n"
    "    - {name: g, period: 1 ms, components: ['uav*', tap]}\n"
    "    - {name: h, times: [0, 3 ms], components: [scene]}\n"
    "  order: [scene, uav1.n, uav1.rx, uav1.tx, uav2.n, uav2.rx, uav2.tx, "
    "uav3.n, uav3.rx, uav3.tx, tap]\n"
    "components:\n"
    "  scene: {type: profile, params: {times: [0, 1], values: [2, 3]}}\n"
    "  tap: {type: sum, stage: control, inputs: {u: {from: scene.y, delayed: "
    "true}, v: {from: uav2.body.x, gain: 2}}}\n"
    "entities:\n"
    "  uav:\n"
    "    count: 3\n"
    "    each: [{components: {n: {params: {deviation: 2}}}}]\n"
    "    components:\n"
    "      n: {type: noise, params: {size: 4}}\n"
    "      tx: {type: beacon, params: {size: 4}, inputs: {u: {from: n.y, "
    "delayed: true}}}\n"
    "      rx: {type: listener, params: {size: 4, capacity: 16}}\n"
    "      body: {type: integrator, params: {rate_unit: '1'}, inputs: {u: "
    "{from: 'rx.y[${i}]', gain: 0.5, delayed: true}}}\n"
    "links: [{from: 'uav?.tx.tx', to: 'uav?.rx.rx', delay: {uniform: [1 ms, 4 ms]}, "
    "loss: 0.1, duplicate: 0.2, down: [[3 ms, 4 ms]]}]\n";

static const char *source_folder(void)
{
    static char folder[512];
    const char *given = getenv("TACTUS_SOURCE");
    if (given)
        return given;
    snprintf(folder, sizeof folder, "%s", __FILE__);
    for (int i = 0; i < 3; i++) {
        char *slash = strrchr(folder, '/');
        assert_non_null(slash);
        *slash = '\0';
    }
    return folder;
}

typedef struct loaded {
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
} loaded;

static void unload(loaded *l)
{
    tac_engine_destroy(l->engine);
    tac_config_destroy(l->config);
    tac_registry_destroy(l->registry);
}

static tac_status load(loaded *l, const char *path, const char *text, const tac_allocator *hook,
                       tac_error *err)
{
    *l = (loaded){0};
    tac_status status = tac_registry_create(hook, &l->registry, err);
    if (status != TAC_OK)
        return status;
    tac_config_def def = tac_config_def_default();
    def.allocator = hook;
    def.registry = l->registry;
    status = path ? tac_config_load(path, &def, &l->config, err)
                  : tac_config_parse("swarm", text, strlen(text), &def, &l->config, err);
    if (status != TAC_OK)
        return status;
    tac_engine_def engine_def = tac_config_engine_def(l->config);
    engine_def.allocator = hook;
    engine_def.log_level = TAC_LOG_ERROR;
    return tac_config_build(l->config, &engine_def, &l->engine, err);
}

static void check_every_allocation(const char *path, const char *text, bool fail_after)
{
    uint64_t n = 1;
    for (;; n++) {
        test_allocator a = test_allocator_make();
        a.fail_at = n;
        a.fail_after = fail_after;
        const tac_allocator hook = test_allocator_hook(&a);
        loaded l;
        tac_error err;
        tac_error_clear(&err);
        const tac_status status = load(&l, path, text, &hook, &err);
        if (status != TAC_OK && (status != TAC_E_MEMORY || err.status != TAC_E_MEMORY)) {
            char print[4096];
            tac_error_print(&err, print, sizeof print);
            fail_msg("allocation %llu: %s, error %s: %s", (unsigned long long)n,
                     tac_status_name(status), tac_status_name(err.status), print);
        }
        assert_true(status == TAC_OK || a.failed > 0);
        unload(&l);
        test_allocator_check_empty(&a);
        if (a.failed == 0)
            break;
    }
    assert_true(n > 30); // it was asked more than a few times
}

static void test_loading_rates(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/examples/rates.yaml", source_folder());
    check_every_allocation(path, NULL, false);
    check_every_allocation(path, NULL, true);
}

static void test_loading_a_swarm(void **state)
{
    (void)state;
    check_every_allocation(NULL, swarm, false);
    check_every_allocation(NULL, swarm, true);
}

static void check_run(const char *path, const char *text, tac_time until_us)
{
    test_allocator a = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&a);
    loaded l;
    tac_error err;
    assert_int_equal(load(&l, path, text, &hook, &err), TAC_OK);
    const uint64_t calls = a.calls, frees = a.frees;
    const size_t bytes = a.live_bytes;
    assert_int_equal(tac_engine_run(l.engine, until_us, &err), TAC_OK);
    assert_int_equal(a.calls, calls);
    assert_int_equal(a.frees, frees);
    assert_int_equal(a.live_bytes, bytes);
    unload(&l);
    test_allocator_check_empty(&a);
}

static void test_a_run_allocates_nothing(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s/examples/rates.yaml", source_folder());
    check_run(path, NULL, 1000000);
    check_run(NULL, swarm, TAC_TIME_NEVER);
}

// Checkpoint and restore with little memory: the run fails cleanly, no file is half there.
static void test_checkpoints_with_little_memory(void **state)
{
    (void)state;
    const char *path = path_of("state.checkpoint");
    for (uint64_t n = 1;; n++) {
        remove(path);
        test_allocator a = test_allocator_make();
        const tac_allocator hook = test_allocator_hook(&a);
        loaded l;
        tac_error err;
        assert_int_equal(load(&l, NULL, swarm, &hook, &err), TAC_OK);
        a.fail_at = a.calls + n;
        tac_status status = tac_engine_checkpoint_at(l.engine, 7000, path, &err);
        if (status == TAC_OK)
            status = tac_engine_run(l.engine, TAC_TIME_NEVER, &err);
        assert_int_equal(status, a.failed ? TAC_E_MEMORY : TAC_OK);
        assert_int_equal(access(path, F_OK) == 0, status == TAC_OK);
        unload(&l);
        test_allocator_check_empty(&a);
        if (status == TAC_OK)
            break;
    }
    for (uint64_t n = 1;; n++) {
        test_allocator a = test_allocator_make();
        const tac_allocator hook = test_allocator_hook(&a);
        loaded l;
        tac_error err;
        assert_int_equal(load(&l, NULL, swarm, &hook, &err), TAC_OK);
        a.fail_at = a.calls + n;
        const tac_status status = tac_engine_restore(l.engine, path, &err);
        if (status != TAC_OK && status != TAC_E_MEMORY)
            fail_msg("allocation %llu: %s: %s", (unsigned long long)n, tac_status_name(status),
                     err.text);
        unload(&l);
        test_allocator_check_empty(&a);
        if (a.failed == 0)
            break;
    }
    remove(path);
}

// Texts for people come from malloc; with none they are NULL, never half a text. Here only: they
// are whole and can be freed.
static void test_texts(void **state)
{
    (void)state;
    loaded l;
    tac_error err;
    assert_int_equal(load(&l, NULL, swarm, NULL, &err), TAC_OK);
    char *texts[] = {tac_config_resolved(l.config), tac_config_schema(l.registry),
                     tac_engine_schema(l.engine, TAC_FORMAT_TEXT),
                     tac_engine_schema(l.engine, TAC_FORMAT_JSON),
                     tac_engine_schema(l.engine, TAC_FORMAT_LCM)};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_non_null(texts[i]);
        assert_true(strlen(texts[i]) > 100);
        tac_text_free(texts[i]);
    }
    unload(&l);
}

TEST_MAIN(cmocka_unit_test(test_loading_rates), cmocka_unit_test(test_loading_a_swarm),
          cmocka_unit_test(test_a_run_allocates_nothing),
          cmocka_unit_test(test_checkpoints_with_little_memory), cmocka_unit_test(test_texts))
