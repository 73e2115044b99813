// What vehicles have in common is stored once, and what is different stays different.
#include "engine/plan/find.h"
#include "engine/test_rig.h"

#include "engine/run/state.h"

static const tac__component *component(const rig *r, const char *name)
{
    const tac__component *c = tac__find_component(r->engine->plan, name);
    assert_non_null(c);
    return c;
}

static const char *value_of(const rig *r, const char *name, const char *param)
{
    const tac__component *c = component(r, name);
    for (size_t i = 0; i < c->param_count; i++) {
        if (!strcmp(c->params[i].name, param))
            return c->values[i];
    }
    fail_msg("%s has no %s", name, param);
    return NULL;
}

static void test_swarm(void **state)
{
    (void)state;
    rig r;
    rig_open(&r,
             "duration: 1 ms\n"
             "scheduler: {rate_groups: [{name: g, period: 1 ms, components: ['*']}]}\n"
             "entities:\n"
             "  uav:\n"
             "    count: 4\n"
             "    components:\n"
             "      m: {type: constant, params: {size: 2, value: 0}}\n"
             "      v:\n"
             "        type: multirotor\n"
             "        inputs: {motor: m.y}\n"
             "        params:\n"
             "          mass: 1.5 kg\n"
             "          inertia: [0.03, 0.03, 0.055]\n"
             "          rotors: [{position: [0, 0.2, 0], direction: 1}, {position: [0, -0.2, 0], "
             "direction: -1}]\n"
             "          position: ['${= 3*mod(i, 2)}', 2]\n"
             "      c: {type: counter}\n"
             "    each: [{}, {}, {}, {components: {v: {params: {mass: 2, euler: false}}}}]\n");
    const tac__component *v[4];
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "uav%d.v", i + 1);
        v[i] = component(&r, name);
    }
    for (int i = 1; i < 3; i++) {
        assert_ptr_equal(v[i]->inputs.items, v[0]->inputs.items);
        assert_ptr_equal(v[i]->outputs.items, v[0]->outputs.items);
        assert_ptr_equal(v[i]->continuous.items, v[0]->continuous.items);
        assert_ptr_equal(v[i]->events, v[0]->events);
        assert_ptr_equal(v[i]->params, v[0]->params);
        // The first word of a multirotor leads to its parameters.
        assert_ptr_equal(*(void **)v[i]->self, *(void **)v[0]->self);
    }
    // Values differ: the list is another, the texts that are the same are not.
    assert_true(v[1]->values != v[0]->values);
    assert_string_equal(value_of(&r, "uav1.v", "position"), "[3, 2]");
    assert_string_equal(value_of(&r, "uav2.v", "position"), "[0, 2]");
    assert_ptr_equal(value_of(&r, "uav2.v", "mass"), value_of(&r, "uav1.v", "mass"));
    // Another shape: with an output less.
    assert_true(v[3]->outputs.count == v[0]->outputs.count - 1);
    assert_true(v[3]->outputs.items != v[0]->outputs.items);
    assert_ptr_equal(v[3]->inputs.items, v[0]->inputs.items);
    assert_true(*(void **)v[3]->self != *(void **)v[0]->self);
    assert_string_equal(value_of(&r, "uav4.v", "mass"), "2");
    assert_string_equal(value_of(&r, "uav3.v", "mass"), value_of(&r, "uav1.v", "mass"));
    rig_run(&r, TAC_TIME_NEVER);
    rig_close(&r);
}

// Bytes that the same component would not change are found again, whichever come between.
static tac_status keeper_declare(tac_declare *d, void *self)
{
    const double x = tac_param_f64(d, TAC_PARAM(.name = "x"));
    *(const double **)self = tac_declare_shared(d, &x, sizeof x);
    return TAC_OK;
}

static const tac_component_type keeper = {.size = sizeof(tac_component_type),
                                          .name = "keeper",
                                          .version = "1",
                                          .flags = TAC_COMPONENT_CONSTANT,
                                          .self_size = sizeof(double *),
                                          .declare = keeper_declare};

static void test_bytes(void **state)
{
    (void)state;
    rig_types[0] = &keeper;
    rig r;
    rig_open(&r, "duration: 1 ms\n"
                 "entities: {k: {count: 40, components: {c: {type: keeper, params: {x: '${= mod(i, "
                 "5)}'}}}}}\n");
    for (int i = 1; i <= 40; i++) {
        char name[16], first[16];
        snprintf(name, sizeof name, "k%d.c", i);
        snprintf(first, sizeof first, "k%d.c", (i - 1) % 5 + 1);
        const double *own = *(const double **)component(&r, name)->self;
        assert_true(*own == i % 5);
        assert_ptr_equal(own, *(const double **)component(&r, first)->self);
    }
    rig_close(&r);
    rig_types[0] = NULL;
}

TEST_MAIN(cmocka_unit_test(test_swarm), cmocka_unit_test(test_bytes))
