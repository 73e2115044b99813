// Deferred outputs of a vehicle, from what was stored when observers looked: the same bits as those
// that the engine evaluates itself, although controls have been written since stage 3.
#include "flight/flight.h"

#include "engine/plan/find.h"
#include "engine/run/state.h"

typedef struct watch {
    const tac__component *vehicle;
    tac__deferred outputs;
    int taken, moved; // looks, and those at which the motors had been told something new
} watch;

static void compare(void *context, tac_engine *e, tac_time t_us)
{
    watch *w = context;
    const tac__component *c = w->vehicle;
    assert_true(tac__deferred_ready(&w->outputs, t_us));
    uint64_t stored[256];
    assert_true(w->outputs.size > 0 && w->outputs.size <= sizeof stored);
    tac__deferred_store(&w->outputs, t_us, stored);
    tac__deferred_values values;
    assert_int_equal(tac__deferred_evaluate(&w->outputs, stored, &values), TAC_OK);
    for (size_t i = 0; i < c->outputs.count; i++) {
        const tac_type *type = &c->outputs.items[i].type;
        const void *value = tac_engine_read(e, tac__signal_at(c, i));
        assert_non_null(value);
        assert_memory_equal(values.out[i], value, type->count * tac__scalar_size(type->scalar));
    }
    assert_false(tac__deferred_ready(&w->outputs, t_us)); // they have been looked at now
    w->taken++;
    w->moved += memcmp(c->kept_in[0], c->scratch_in[0], 4 * sizeof(double)) != 0;
}

static void test_same_bits(void **state)
{
    (void)state;
    rig r;
    flight_mission(&r, NULL); // for its configuration
    tac_engine_destroy(r.engine);
    const tac_engine_def engine_def = tac_config_engine_def(r.config);
    assert_int_equal(tac_config_build_unprepared(r.config, &engine_def, &r.engine, &r.err), TAC_OK);
    watch w = {0};
    tac_observer_def def = tac_observer_def_default();
    def.name = "watch";
    def.period_us = 4000;
    def.observe = compare;
    def.context = &w;
    assert_int_equal(tac_engine_add_observer(r.engine, &def, &r.err), TAC_OK);
    assert_int_equal(tac_engine_prepare(r.engine, &r.err), TAC_OK);
    w.vehicle = tac__find_component(r.engine->plan, "uav.vehicle");
    assert_non_null(w.vehicle);
    w.outputs = tac__defer_outputs(r.engine, w.vehicle->index);
    assert_int_equal(tac_engine_run(r.engine, 20000000, &r.err), TAC_OK);
    assert_int_equal(w.taken, 5001);
    assert_true(w.moved > 4000); // otherwise it would not matter which inputs are taken
    rig_close(&r);
}

// An input that a vehicle reads from itself is not held: then nothing can be deferred.
static void test_own_input(void **state)
{
    (void)state;
    rig r;
    flight_open(&r,
                "duration: 1 s\n"
                "scheduler:\n  rate_groups: [{name: control, rate_hz: 250, components: [pilot]}]\n"
                "components:\n"
                "  pilot: {type: pilot, params: {" FLIGHT_HOP "}}\n"
                "  vehicle:\n    type: multirotor\n    params: {" FLIGHT_IRIS "}\n"
                "    inputs: {motor: pilot.motor, wind: vehicle.velocity}\n",
                NULL);
    const tac__component *c = tac__find_component(r.engine->plan, "vehicle");
    assert_ptr_equal(r.engine->islands[0].alone->plan, c);
    assert_null(tac__defer_outputs(r.engine, c->index).component);
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_same_bits), cmocka_unit_test(test_own_input))
