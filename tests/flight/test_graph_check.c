// Every traced component against the engine, at every step of flights.
#include "engine/test_rig.h"

#include "engine/run/state.h"
#include "support/allocator.h"

static tac_graph_report follow(const char *example, const char *duration)
{
    rig r;
    const char *sets[] = {"plant.lanes=1", duration};
    rig_example(&r, example, NULL, sets, duration ? 2 : 1);
    const tac_graph_check_def def = tac_graph_check_def_default();
    tac_graph_check *check;
    if (tac_graph_check_create(r.engine, &def, &check, &r.err) != TAC_OK ||
        tac_graph_check_run(check, TAC_TIME_MAX, &r.err) != TAC_OK) {
        rig_show(&r);
        fail_msg("%s cannot be checked", example);
    }
    const tac_graph_report report = *tac_graph_check_report(check);
    for (size_t i = 0; i < report.part_count; i++) {
        const tac_graph_part *p = &report.parts[i];
        if (p->kind == TAC_GRAPH_UNTRACED)
            print_message("  not traced: %s (%s)\n", p->component, p->type);
    }
    print_message("%s: %zu traced, %llu steps, %llu numbers\n", example, report.traced,
                  (unsigned long long)report.steps, (unsigned long long)report.numbers);
    if (report.different)
        fail_msg("%s: %llu differ, first %s of %s at %.6f s: %a, in the engine %a", example,
                 (unsigned long long)report.different, report.first.label, report.first.component,
                 tac_time_seconds(report.first.t_us), report.first.graph, report.first.engine);
    tac_graph_check_destroy(check);
    rig_close(&r);
    return report;
}

static void test_flights(void **state)
{
    (void)state;
    static const struct {
        const char *example, *duration;
    } flights[] = {
        {"iris_mission.yaml", NULL},
        {"hexa_motor_out.yaml", "duration=25 s"},
        {"octa_two_batteries.yaml", "duration=15 s"},
        {"sensors.yaml", "duration=10 s"},
        {"gusts.yaml", "duration=10 s"},
        {"rates.yaml", NULL},
        {"rocket.yaml", NULL},
        {"rocket_ascent.yaml", NULL},
        {"orbit.yaml", NULL},
        {"swarm.yaml", "duration=1 s"},
        {"convoy.yaml", NULL},
        {"equations.yaml", NULL},
    };
    for (size_t i = 0; i < sizeof flights / sizeof *flights; i++)
        assert_int_equal(follow(flights[i].example, flights[i].duration).untraced, 0);
}

// --- a plant without symbols --------------------------------------------------------------------

// dx/dt = 1 - x, y = 2 x, in numbers only.
static tac_status tub_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status tub_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = 1 - e->x[0];
    return TAC_OK;
}

static tac_status tub_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = 2 * e->x[0];
    return TAC_OK;
}

static const tac_component_type tub = {.size = sizeof(tac_component_type),
                                       .name = "tub",
                                       .version = "1",
                                       .declare = tub_declare,
                                       .kernels[TAC_NUMBERS].derive = tub_derive,
                                       .kernels[TAC_NUMBERS].output = tub_output};

// It is told, and the rest is compared: states behind it in the same island, and outputs that the
// engine has not written since the last boundary. A period goes on without it, so none is compared.
static void test_untraced(void **state)
{
    (void)state;
    static const char text[] =
        "duration: 2 s\n"
        "plant: {lanes: 1, integrator: {kind: rk4, h_max: 5 ms}}\n"
        "scheduler:\n"
        "  rate_groups: [{name: a, period: 20 ms, components: [gauge]}]\n"
        "components:\n"
        "  basin: {type: tub}\n"
        "  drain: {type: lag, inputs: {u: basin.y}}\n"
        "  other: {type: oscillator}\n"
        "  gauge: {type: sum, params: {unit: m}, inputs: {u: other.position}}\n"
        "  dial: {type: lag, params: {unit: m}, inputs: {u: gauge.y}}\n";
    rig_types[0] = &tub;
    for (int period = 0; period < 2; period++) {
        rig r;
        rig_open(&r, text);
        tac_graph_check_def def = tac_graph_check_def_default();
        def.rates = period;
        tac_graph_check *check;
        assert_int_equal(tac_graph_check_create(r.engine, &def, &check, &r.err), TAC_OK);
        assert_int_equal(tac_graph_check_run(check, TAC_TIME_MAX, &r.err), TAC_OK);
        const tac_graph_report *report = tac_graph_check_report(check);
        if (report->different)
            fail_msg("%llu differ, first %s of %s at %.6f s: %a, in the engine %a",
                     (unsigned long long)report->different, report->first.label,
                     report->first.component, tac_time_seconds(report->first.t_us),
                     report->first.graph, report->first.engine);
        assert_int_equal(report->untraced, 1);
        assert_int_equal(report->parts[0].kind, TAC_GRAPH_UNTRACED);
        assert_true(report->numbers > 400);
        assert_int_equal(report->periods, 0);
        assert_true(report->periods_left_out >= 99 * (uint64_t)period);
        tac_graph_check_destroy(check);
        rig_close(&r);
    }
    rig_types[0] = NULL;
}

// --- differences --------------------------------------------------------------------------------

// A number that is another one in the engine than in the graph is noticed, in a step and in the
// plant.
static void test_difference_is_seen(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        bool last; // of its numbers; else the first
        const char *component;
    } parts[] = {{"flight_control", true, "uav.control"}, {"multirotor", false, "dynamics"}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        rig r;
        const char *sets[] = {"plant.lanes=1", "duration=3 s"};
        rig_example(&r, "iris_mission.yaml", NULL, sets, 2);
        const tac_graph_check_def def = tac_graph_check_def_default();
        tac_graph_check *check;
        assert_int_equal(tac_graph_check_create(r.engine, &def, &check, &r.err), TAC_OK);
        assert_int_equal(tac_graph_check_run(check, 1000000, &r.err), TAC_OK);
        const tac_graph_report *report = tac_graph_check_report(check);
        assert_int_equal(report->different, 0);
        for (size_t i = 0; i < r.engine->plan->component_count; i++) {
            const tac__component *c = r.engine->plan->components[i];
            if (!strcmp(c->type->name, parts[k].type))
                ((double *)(uintptr_t)c->numbers)[parts[k].last ? c->number_count - 1 : 0] *=
                    1 + 1e-12;
        }
        assert_int_equal(tac_graph_check_run(check, TAC_TIME_MAX, &r.err), TAC_OK);
        assert_true(report->different > 0);
        assert_true(report->max_ulp > 0);
        assert_string_equal(report->first.component, parts[k].component);
        tac_graph_check_destroy(check);
        rig_close(&r);
    }
}

// --- when the check is gone ---------------------------------------------------------------------

// What the engine calls for each component.
typedef struct called {
    tac_status (*run)(tac_step *s, const void *self);
    const void *self;
} called;

static void look(const rig *r, called *calls)
{
    assert_true(r->engine->plan->component_count <= 16);
    for (size_t i = 0; i < r->engine->plan->component_count; i++)
        calls[i] = (called){r->engine->instances[i]->run, r->engine->instances[i]->run_self};
}

static void same_calls(const rig *r, const called *calls)
{
    called now[16];
    look(r, now);
    for (size_t i = 0; i < r->engine->plan->component_count; i++)
        assert_true(now[i].run == calls[i].run && now[i].self == calls[i].self);
}

static uint64_t hash_of(const rig *r)
{
    size_t count;
    return tac_engine_hash(r->engine, NULL, &count);
}

// When the check is gone, the engine flies on as if there had been none.
static void test_engine_goes_on(void **state)
{
    (void)state;
    static const char *const sets[] = {"plant.lanes=1", "duration=1 s"};
    rig r;
    rig_example(&r, "rates.yaml", NULL, sets, 2);
    rig_run(&r, TAC_TIME_MAX);
    const uint64_t hash = hash_of(&r);
    rig_close(&r);
    for (int rates = 0; rates < 2; rates++) {
        rig_example(&r, "rates.yaml", NULL, sets, 2);
        called calls[16];
        look(&r, calls);
        tac_graph_check_def def = tac_graph_check_def_default();
        def.rates = rates;
        tac_graph_check *check;
        assert_int_equal(tac_graph_check_create(r.engine, &def, &check, &r.err), TAC_OK);
        assert_int_equal(tac_graph_check_run(check, 500000, &r.err), TAC_OK);
        tac_graph_check_destroy(check);
        same_calls(&r, calls);
        rig_run(&r, TAC_TIME_MAX);
        assert_true(hash_of(&r) == hash);
        rig_close(&r);
    }
}

// So it does after a check that could not be made, or had no memory for the graphs of steps, which
// are made while the engine runs.
static void test_no_memory(void **state)
{
    (void)state;
    static const char *const sets[] = {"plant.lanes=1"};
    tac_status status = TAC_E_MEMORY;
    for (uint64_t n = 1; status != TAC_OK; n++) {
        rig r;
        rig_example(&r, "rates.yaml", NULL, sets, 1);
        called calls[16];
        look(&r, calls);
        test_allocator a = test_allocator_make();
        a.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&a);
        tac_graph_check_def def = tac_graph_check_def_default();
        def.allocator = &hook;
        tac_graph_check *check;
        status = tac_graph_check_create(r.engine, &def, &check, &r.err);
        assert_true(status == (check ? TAC_OK : TAC_E_MEMORY));
        if (status == TAC_OK)
            status = tac_graph_check_run(check, 1000, &r.err);
        assert_true(status == (a.failed ? TAC_E_MEMORY : TAC_OK));
        tac_graph_check_destroy(check);
        same_calls(&r, calls);
        test_allocator_check_empty(&a);
        rig_close(&r);
    }
}

static void refused(tac_engine *engine)
{
    const tac_graph_check_def def = tac_graph_check_def_default();
    tac_graph_check *check;
    tac_error err;
    tac_error_clear(&err);
    assert_int_equal(tac_graph_check_create(engine, &def, &check, &err), TAC_E_CALLER);
    assert_null(check);
}

static void test_wrong_moment(void **state)
{
    (void)state;
    const tac_engine_def def = tac_engine_def_default();
    tac_engine *engine;
    tac_error err;
    assert_int_equal(tac_engine_create(&def, &engine, &err), TAC_OK);
    refused(engine);
    tac_engine_destroy(engine);
    rig r;
    const char *sets[] = {"plant.lanes=4"};
    rig_example(&r, "convoy.yaml", NULL, sets, 1);
    refused(r.engine);
    rig_close(&r);
    sets[0] = "plant.lanes=1";
    rig_example(&r, "convoy.yaml", NULL, sets, 1);
    rig_run(&r, 1000);
    refused(r.engine);
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_flights), cmocka_unit_test(test_untraced),
          cmocka_unit_test(test_difference_is_seen), cmocka_unit_test(test_engine_goes_on),
          cmocka_unit_test(test_no_memory), cmocka_unit_test(test_wrong_moment))
