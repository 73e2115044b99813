// Every traced component against the engine, at every step of flights.
#include "engine/test_rig.h"

#include "engine/run/state.h"

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

// A number that is another one in the engine than in the graph is noticed.
static void test_difference_is_seen(void **state)
{
    (void)state;
    rig r;
    const char *sets[] = {"plant.lanes=1", "duration=3 s"};
    rig_example(&r, "iris_mission.yaml", NULL, sets, 2);
    const tac_graph_check_def def = tac_graph_check_def_default();
    tac_graph_check *check;
    assert_int_equal(tac_graph_check_create(r.engine, &def, &check, &r.err), TAC_OK);
    assert_int_equal(tac_graph_check_run(check, 1000000, &r.err), TAC_OK);
    assert_int_equal(tac_graph_check_report(check)->different, 0);
    for (size_t i = 0; i < r.engine->plan->component_count; i++) {
        const tac__component *c = r.engine->plan->components[i];
        if (!strcmp(c->type->name, "flight_control"))
            ((double *)(uintptr_t)c->numbers)[c->number_count - 1] *= 1 + 1e-12;
    }
    assert_int_equal(tac_graph_check_run(check, TAC_TIME_MAX, &r.err), TAC_OK);
    assert_true(tac_graph_check_report(check)->different > 0);
    assert_true(tac_graph_check_report(check)->max_ulp > 0);
    tac_graph_check_destroy(check);
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_flights), cmocka_unit_test(test_difference_is_seen))
