// The whole simulation as a graph over a least common period of all rates: the bits of the engine.
#include "engine/test_rig.h"

#include "engine/run/state.h"
#include "engine/trace/trace.h"
#include "support/allocator.h"

#include <math.h>

static const char *const rates = "rates.yaml";

static tac_graph_report check(rig *r, const char *example, const char *const *sets, size_t count)
{
    tac_graph_check_def def = tac_graph_check_def_default();
    def.rates = true;
    tac_graph_check *beside;
    if (tac_graph_check_create(r->engine, &def, &beside, &r->err) != TAC_OK ||
        tac_graph_check_run(beside, TAC_TIME_MAX, &r->err) != TAC_OK) {
        rig_show(r);
        fail_msg("%s cannot be checked", example);
    }
    const tac_graph_report report = *tac_graph_check_report(beside);
    print_message("%s %s: %llu periods of %g s, %llu left out, %zu terms\n", example,
                  count ? sets[count - 1] : "", (unsigned long long)report.periods,
                  tac_time_seconds(report.period_us), (unsigned long long)report.periods_left_out,
                  report.period_terms);
    if (report.different)
        fail_msg("%s: %llu differ, first %s of %s at %.6f s: %a, in the engine %a", example,
                 (unsigned long long)report.different, report.first.label, report.first.component,
                 tac_time_seconds(report.first.t_us), report.first.graph, report.first.engine);
    tac_graph_check_destroy(beside);
    return report;
}

// A run beside its graphs. The rig stays open.
static tac_graph_report follow(rig *r, const char *example, const char *const *sets, size_t count)
{
    const char *all[12] = {"plant.lanes=1"};
    assert_true(count < 12);
    for (size_t i = 0; i < count; i++)
        all[1 + i] = sets[i];
    rig_example(r, example, NULL, all, 1 + count);
    return check(r, example, sets, count);
}

// --- policies -----------------------------------------------------------------------------------

#define NAV     "scheduler.synchronization.overrides[0].policy="
#define SPEED   "scheduler.synchronization.overrides[1].policy="
#define PILOT   "components.Autopilot.inputs."
#define GROUP_1 "scheduler.rate_groups[1]."

static void test_policies(void **state)
{
    (void)state;
    static const struct {
        const char *sets[4];
        unsigned period_ms;
    } cases[] = {
        {{NAV "INTERPOLATED"}, 100},
        {{NAV "ZOH", SPEED "ZOH"}, 100},
        {{NAV "EXTRAPOLATED"}, 100}, // by its declared derivative
        {{SPEED "INTERPOLATED"}, 100},
        {{NAV "SYNCHRONIZED", SPEED "ZOH"}, 10},
        {{PILOT "target_velocity={from: Nav.velocity, delay: 300 ms}"}, 100},
        {{PILOT "target_velocity={from: Nav.velocity, delay: 100 ms, gain: 2, offset: 0.5}"}, 100},
        {{PILOT "velocity={from: IMU.y, delay: 7 ms}"}, 100},
        {{PILOT "target={from: GNC.y, delayed: true}"}, 100},
        {{GROUP_1 "offset=3 ms"}, 100},
        {{GROUP_1 "rate_hz=125", GROUP_1 "offset=5 ms",
          "components.Actuators.inputs.u={from: Autopilot.force, delay: 16 ms}"},
         200},
        {{"plant.integrator.h_max=700 us"}, 100},
        {{"plant.integrator.kind=euler"}, 100},
        {{"plant.integrator.kind=rk45", "plant.integrator.h_max=1 ms"}, 100},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rig r;
        const char *sets[5] = {"duration=4 s"};
        size_t count = 1;
        for (; count < 5 && cases[i].sets[count - 1]; count++)
            sets[count] = cases[i].sets[count - 1];
        const tac_graph_report report = follow(&r, rates, sets, count);
        assert_int_equal(report.period_us, cases[i].period_ms * UINT64_C(1000));
        assert_int_equal(report.periods_left_out, 0);
        assert_in_range(report.periods, 4000000 / report.period_us - 6, 4000000 / report.period_us);
        rig_close(&r);
    }
}

// Estimates (positions, rates, a quaternion) are seen by a control with another rate.
static void test_flights(void **state)
{
    (void)state;
    static const struct {
        const char *example, *sets[3];
        unsigned least; // periods compared, of 500
    } flights[] = {
        {"iris_mission.yaml", {"scheduler.rate_groups[1].rate=250 Hz"}, 450},
        {"iris_mission.yaml",
         {"scheduler.synchronization={default_policy: INTERPOLATED}",
          "scheduler.rate_groups[1].components=['*.estimator']",
          "scheduler.rate_groups[2].components=['*.control', '*.scenario']"},
         450},
        {"iris_mission.yaml",
         {"scheduler.synchronization={default_policy: EXTRAPOLATED}",
          "scheduler.rate_groups[1].components=['*.estimator']",
          "scheduler.rate_groups[2].components=['*.control', '*.scenario']"},
         450},
        {"hexa_motor_out.yaml", {NULL}, 400},
        {"octa_two_batteries.yaml", {NULL}, 400},
    };
    for (size_t i = 0; i < sizeof flights / sizeof *flights; i++) {
        rig r;
        const char *sets[] = {"duration=10 s", "plant.integrator.kind=rk4", flights[i].sets[0],
                              flights[i].sets[1], flights[i].sets[2]};
        const size_t count = flights[i].sets[1] ? 5 : flights[i].sets[0] ? 3 : 2;
        const tac_graph_report report = follow(&r, flights[i].example, sets, count);
        assert_int_equal(report.period_us, 20000);
        assert_in_range(report.periods, flights[i].least, 500);
        rig_close(&r);
    }
}

// Islands that never have a boundary together, and one without any: a
// period begins with the state of each at its own last boundary.
static void test_offsets(void **state)
{
    (void)state;
    static const char text[] =
        "duration: 2 s\n"
        "plant: {lanes: 1, integrator: {kind: rk4, h_max: 4 ms}}\n"
        "scheduler:\n"
        "  rate_groups:\n"
        "    - {name: a, period: 10 ms, components: [a_*]}\n"
        "    - {name: b, period: 10 ms, offset: 3 ms, components: [b_*]}\n"
        "    - {name: c, period: 15 ms, offset: 1 ms, components: [c_*]}\n"
        "  synchronization: {default_policy: INTERPOLATED}\n"
        "components:\n"
        "  a_goal: {type: sine, params: {size: 3, unit: m, amplitude: 2, frequency: 0.7 Hz}}\n"
        "  a_pilot: {type: tracker, params: {stiffness: 12, damping: 8, limit: 40 N},\n"
        "    inputs: {target: a_goal.y, position: BodyA.position, velocity: BodyA.velocity}}\n"
        "  BodyA: {type: point_mass, params: {gravity: 0}, inputs: {force: a_pilot.force}}\n"
        "  b_goal: {type: sum, params: {size: 3, unit: m}, inputs: {u: a_goal.y}}\n"
        "  b_pilot: {type: tracker, params: {stiffness: 12, damping: 8, limit: 40 N},\n"
        "    inputs: {target: b_goal.y, position: BodyB.position, velocity: BodyB.velocity}}\n"
        "  BodyB: {type: point_mass, params: {gravity: 0}, inputs: {force: b_pilot.force}}\n"
        "  c_goal: {type: sum, params: {size: 1, unit: m}, inputs: {u: b_goal.y.x}}\n"
        "  Lag: {type: lag, params: {unit: m, tau: 20 ms}, inputs: {u: c_goal.y}}\n"
        "  Alone: {type: oscillator}\n";
    rig r;
    rig_open(&r, text);
    const tac_graph_report report = check(&r, "offsets", NULL, 0);
    assert_int_equal(report.period_us, 60000); // steps of 4 ms, too
    assert_int_equal(report.periods_left_out, 0);
    assert_in_range(report.periods, 30, 33);
    rig_close(&r);
}

// A coefficient that is another one in the engine is noticed.
static void test_difference_is_seen(void **state)
{
    (void)state;
    rig r;
    const char *sets[] = {"plant.lanes=1", "duration=3 s"};
    rig_example(&r, rates, NULL, sets, 2);
    tac_graph_check_def def = tac_graph_check_def_default();
    def.rates = true;
    tac_graph_check *check;
    assert_int_equal(tac_graph_check_create(r.engine, &def, &check, &r.err), TAC_OK);
    for (size_t i = 0; i < r.engine->plan->component_count; i++) {
        const tac__component *c = r.engine->plan->components[i];
        if (!strcmp(c->name, "GNC"))
            c->views.items[0].period_us *= 2;
    }
    assert_int_equal(tac_graph_check_run(check, TAC_TIME_MAX, &r.err), TAC_OK);
    const tac_graph_report *report = tac_graph_check_report(check);
    assert_true(report->different > 0 && report->periods > 20);
    assert_string_equal(report->first.component, "period");
    tac_graph_check_destroy(check);
    rig_close(&r);
}

// --- one period after another -------------------------------------------------------------------

static void copy_out(const tac_graph *g, double *const *out, const char *from, double *const *in,
                     const char *to)
{
    const int a = tac_graph_find_out(g, from), b = tac_graph_find_in(g, to);
    assert_true(a >= 0 && b >= 0);
    const size_t count = tac_graph_in(g, (size_t)b).count;
    assert_int_equal(tac_graph_out(g, (size_t)a).count, count);
    memcpy(in[b], out[a], count * sizeof *in[b]);
}

// What the graph gives is all that the next period begins with.
static void test_periods_follow_one_another(void **state)
{
    (void)state;
    enum { PERIODS = 60, FROM_US = 400000 };
    rig r;
    const char *sets[] = {"plant.lanes=1", "components.IMU.params.deviation=0"};
    rig_example(&r, rates, NULL, sets, 2);
    tac_graph_def def = tac_graph_def_default();
    def.rates = true;
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    tac__trace_sources sources = {.arena = &arena};
    tac_graph *g;
    assert_int_equal(tac__trace_of_step(r.engine, &def, &g, &sources, &r.err), TAC_OK);
    assert_int_equal(tac_graph_period(g), 100000);
    double *in[TAC__TRACE_GROUPS], *out[TAC__TRACE_GROUPS];
    for (size_t k = 0; k < tac_graph_in_count(g); k++)
        in[k] = tac__arena_array(&arena, tac_graph_in(g, k).count + 1, sizeof **in);
    for (size_t k = 0; k < tac_graph_out_count(g); k++)
        out[k] = tac__arena_array(&arena, tac_graph_out(g, k).count + 1, sizeof **out);
    rig_run(&r, FROM_US - 1);
    for (int after = 0; after < 2; after++) {
        for (size_t k = 0; k < tac_graph_in_count(g); k++) {
            for (size_t i = 0; i < tac_graph_in(g, k).count; i++) {
                const tac__trace_source *s = &sources.in[k][i];
                if (s->after == after && (s->value || s->history))
                    in[k][i] = tac__trace_read_one(s, 0);
            }
        }
        rig_run(&r, FROM_US);
    }
    for (int n = 0; n < PERIODS; n++) {
        in[tac_graph_find_in(g, "t")][0] = FROM_US + n * 1e5;
        assert_int_equal(tac_graph_evaluate(g, (const double *const *)in, out, &r.err), TAC_OK);
        copy_out(g, out, "x1", in, "x");
        copy_out(g, out, "z1", in, "z");
        copy_out(g, out, "s1", in, "s");
        copy_out(g, out, "past1", in, "past");
    }
    rig_run(&r, FROM_US + PERIODS * 100000);
    const int x = tac_graph_find_in(g, "x");
    for (size_t i = 0; i < tac_graph_in(g, (size_t)x).count; i++)
        assert_true(in[x][i] == tac__trace_read_one(&sources.in[x][i], 0));
    tac_graph_destroy(g);
    tac__arena_fini(&arena);
    rig_close(&r);
}

// --- states that stand still ---------------------------------------------------------------------

// A graph of an engine at one point: all inputs are 0 but those that are set.
typedef struct point {
    rig r;
    tac_graph *g;
    double in[TAC__TRACE_GROUPS][16], out[TAC__TRACE_GROUPS][16];
} point;

static void open_point(point *p, const char *text, const tac_graph_def *def)
{
    *p = (point){.g = NULL};
    rig_open(&p->r, text);
    if (tac_graph_of_step(p->r.engine, def, &p->g, &p->r.err) != TAC_OK) {
        rig_show(&p->r);
        fail_msg("cannot be traced");
    }
    for (size_t g = 0; g < tac_graph_in_count(p->g); g++)
        assert_true(tac_graph_in(p->g, g).count <= 16);
    for (size_t g = 0; g < tac_graph_out_count(p->g); g++)
        assert_true(tac_graph_out(p->g, g).count <= 16);
}

static void close_point(point *p)
{
    tac_graph_destroy(p->g);
    rig_close(&p->r);
}

static double *number(tac_graph_group group, double *values, const char *label)
{
    for (size_t i = 0; i < group.count; i++) {
        if (!strcmp(group.labels[i], label))
            return &values[i];
    }
    fail_msg("no %s in %s", label, group.name);
    return NULL;
}

static void set(point *p, const char *group, const char *label, double value)
{
    const int g = tac_graph_find_in(p->g, group);
    assert_true(g >= 0);
    *number(tac_graph_in(p->g, (size_t)g), p->in[g], label) = value;
}

static double get(point *p, const char *group, const char *label)
{
    const double *in[TAC__TRACE_GROUPS];
    double *out[TAC__TRACE_GROUPS];
    for (size_t g = 0; g < TAC__TRACE_GROUPS; g++) {
        in[g] = p->in[g];
        out[g] = p->out[g];
    }
    assert_int_equal(tac_graph_evaluate(p->g, in, out, &p->r.err), TAC_OK);
    const int g = tac_graph_find_out(p->g, group);
    assert_true(g >= 0);
    return *number(tac_graph_out(p->g, (size_t)g), p->out[g], label);
}

#define TANK                                                                                       \
    "{type: equations, params: {states: {fuel: kg}, bounds: {fuel: [0, inf]}, "                    \
    "equations: ['der(fuel) = -1 kg/s']}"

// States of a component that stays outside are inputs: they are neither integrated nor brought onto
// their bounds, also where the component is an island of its own.
static void test_outside_stands_still(void **state)
{
    (void)state;
    static const char text[] = "duration: 1 s\n"
                               "plant: {lanes: 1, integrator: {kind: rk4, h_max: 5 ms}}\n"
                               "scheduler:\n"
                               "  rate_groups:\n"
                               "    - {name: fast, period: 10 ms, components: [gauge]}\n"
                               "    - {name: slow, period: 20 ms, components: [wish]}\n"
                               "components:\n"
                               "  wish: {type: sine}\n"
                               "  gauge: {type: sum, params: {unit: kg}, inputs: {u: tank.fuel}}\n"
                               "  dial: {type: lag, params: {unit: kg}, inputs: {u: gauge.y}}\n"
                               "  lamp: {type: lag, inputs: {u: wish.y}}\n"
                               "  tank: " TANK "}\n";
    static const char *const outside[] = {"tank"};
    tac_graph_def def = tac_graph_def_default();
    def.rates = true;
    point p;
    open_point(&p, text, &def);
    assert_int_equal(tac_graph_period(p.g), 20000);
    set(&p, "x", "tank.fuel", 3);
    assert_true(fabs(get(&p, "s1", "gauge.y") - 2.99) < 1e-12); // as it is after 10 ms
    set(&p, "x", "tank.fuel", -3);
    assert_true(get(&p, "s1", "gauge.y") == 0);
    close_point(&p);
    def.outside = outside;
    def.outside_count = 1;
    open_point(&p, text, &def);
    assert_int_equal(tac_graph_in(p.g, (size_t)tac_graph_find_in(p.g, "x")).count, 2);
    set(&p, "u", "tank.fuel", 3);
    assert_true(get(&p, "s1", "gauge.y") == 3);
    set(&p, "u", "tank.fuel", -3);
    assert_true(get(&p, "s1", "gauge.y") == -3);
    close_point(&p);
}

// So are those of a component while it is not active.
static void test_inactive_stands_still(void **state)
{
    (void)state;
    static const char text[] = "duration: 1 s\n"
                               "plant: {lanes: 1, integrator: {kind: rk4, h_max: 10 ms}}\n"
                               "timeline: {physics: 10 ms}\n"
                               "entities:\n"
                               "  car:\n"
                               "    components:\n"
                               "      tank: " TANK ", active: [RUNS]}\n"
                               "    phases:\n"
                               "      names: [RESTS, RUNS]\n"
                               "      initial: RESTS\n"
                               "      transitions:\n"
                               "        - {from: RESTS, to: RUNS, condition: t > 0.5 s}\n";
    for (int period = 0; period < 2; period++) {
        tac_graph_def def = tac_graph_def_default();
        def.rates = period;
        point p;
        open_point(&p, text, &def);
        set(&p, "x", "car.tank.fuel", -3);
        set(&p, "u", "car.flight.phase", 0);
        assert_true(get(&p, "x1", "car.tank.fuel") == -3);
        set(&p, "u", "car.flight.phase", 1);
        assert_true(get(&p, "x1", "car.tank.fuel") == 0);
        close_point(&p);
    }
}

// --- what is refused ----------------------------------------------------------------------------

static void refuse(const char *example, const char *set, const char *more, const char *why)
{
    rig r;
    const char *sets[] = {set, more};
    rig_example(&r, example, NULL, sets, more ? 2 : 1);
    tac_graph_def def = tac_graph_def_default();
    def.rates = true;
    tac_graph *g;
    assert_int_equal(tac_graph_of_step(r.engine, &def, &g, &r.err), TAC_E_GRAPH);
    assert_null(g);
    char text[1024];
    tac_error_print(&r.err, text, sizeof text);
    if (!strstr(text, why))
        fail_msg("expected '%s' in: %s", why, text);
    rig_close(&r);
}

static void test_refusals(void **state)
{
    (void)state;
    refuse(rates, "plant.integrator.kind=rodas4", NULL, "'rodas4' is implicit");
    refuse(rates, "scheduler.rate_groups[0].period=997 us", "scheduler.rate_groups[0].rate_hz=null",
           "too long for a graph");
    refuse("orbit.yaml", "duration=10 s", NULL, "'dop853' chooses the length of its steps");
}

// --- memory -------------------------------------------------------------------------------------

static void test_no_memory(void **state)
{
    (void)state;
    rig r;
    const char *sets[] = {"plant.lanes=1"};
    rig_example(&r, rates, NULL, sets, 1);
    tac_graph_def def = tac_graph_def_default();
    def.rates = true;
    tac_status status = TAC_E_MEMORY;
    for (uint64_t n = 1; status != TAC_OK; n++) {
        test_allocator a = test_allocator_make();
        a.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&a);
        def.allocator = &hook;
        tac_graph *g;
        status = tac_graph_of_step(r.engine, &def, &g, &r.err);
        assert_true(status == (g ? TAC_OK : TAC_E_MEMORY));
        tac_graph_destroy(g);
        test_allocator_check_empty(&a);
    }
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_policies), cmocka_unit_test(test_flights),
          cmocka_unit_test(test_offsets), cmocka_unit_test(test_difference_is_seen),
          cmocka_unit_test(test_periods_follow_one_another),
          cmocka_unit_test(test_outside_stands_still), cmocka_unit_test(test_inactive_stands_still),
          cmocka_unit_test(test_refusals), cmocka_unit_test(test_no_memory))
