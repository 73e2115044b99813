// The plant as a graph gives the bits of the engine: in a flight that is not disturbed by it, and
// at points far from any flight. test_graph_check.c has the other flights.
#include "engine/test_rig.h"

#include "engine/run/lanes.h"
#include "engine/trace/trace.h"
#include "graph/tape.h"
#include "math/inputs.h"
#include "support/allocator.h"

#include <math.h>

// A graph of an engine, and its values.
typedef struct traced {
    tac__arena arena;
    tac_graph *graph;
    tac__trace_sources sources;
    tac__tape *tape;
    double *in[TAC__TRACE_GROUPS], *out[TAC__TRACE_GROUPS], *work, *dx;
    size_t compared;
} traced;

static void trace_open(traced *t, rig *r, const tac_graph_def *def)
{
    *t = (traced){.graph = NULL};
    tac__arena_init(&t->arena, tac_allocator_default());
    t->sources.arena = &t->arena;
    if (tac__trace_dynamics(r->engine, def, &t->graph, &t->sources, &r->err) != TAC_OK ||
        tac__tape_make(&t->arena, t->graph, &t->tape, &r->err) != TAC_OK) {
        rig_show(r);
        fail_msg("cannot be traced");
    }
    t->work = tac__arena_array(&t->arena, tac__tape_work(t->tape), sizeof *t->work);
    size_t states = 0;
    for (size_t g = 0; g < t->graph->in_count; g++)
        t->in[g] = tac__arena_array(&t->arena, t->graph->in[g].count, sizeof *t->work);
    for (size_t g = 0; g < t->graph->out_count; g++) {
        t->out[g] = tac__arena_array(&t->arena, t->graph->out[g].count, sizeof *t->work);
        states += t->graph->out[g].count;
    }
    t->dx = tac__arena_array(&t->arena, states, sizeof *t->dx);
}

static void trace_close(traced *t)
{
    tac_graph_destroy(t->graph);
    tac__arena_fini(&t->arena);
}

static void evaluate(traced *t, double t_s)
{
    for (size_t g = 0; g < t->graph->in_count; g++)
        tac__trace_read(t->sources.in[g], t->graph->in[g].count, t_s, t->in[g]);
    tac__tape_run(t->tape, (const double *const *)t->in, t->out, t->work);
}

static void same_numbers(const traced *t, size_t group, const double *expected, double t_s)
{
    const tac__group *g = &t->graph->out[group];
    for (size_t i = 0; i < g->count; i++) {
        if (!same_bits(t->out[group][i], expected[i]))
            fail_msg("at %g s %s of %s: %a, in the engine %a", t_s, g->name, g->labels[i],
                     t->out[group][i], expected[i]);
    }
}

// What the engine gives for all islands at their present states.
static void numbers(const rig *r, double t_s, double *dx)
{
    for (size_t k = 0; k < r->engine->plan->island_count; k++) {
        tac__island *island = &r->engine->islands[k];
        const size_t n = island->plan->x_count;
        memset(dx, 0, n * sizeof *dx);
        memcpy(island->work.z, island->x, n * sizeof *dx);
        assert_int_equal(tac__evaluator_outputs(island->numbers, &t_s, true), TAC_OK);
        assert_int_equal(tac__evaluator_derive(island->numbers, &t_s, dx), TAC_OK);
        island->peeked_us = TAC_TIME_NEVER;
        dx += n;
    }
}

static void compare(traced *t, const rig *r)
{
    const double t_s = tac_time_seconds(tac_engine_time(r->engine));
    for (size_t k = 0; k < r->engine->plan->island_count; k++)
        tac__lanes_show(&r->engine->islands[k]);
    evaluate(t, t_s);
    numbers(r, t_s, t->dx);
    same_numbers(t, 0, t->dx, t_s);
    tac__trace_read(t->sources.out[1], t->graph->out[1].count, t_s, t->dx);
    same_numbers(t, 1, t->dx, t_s);
    t->compared += t->graph->out[0].count + t->graph->out[1].count;
}

static uint64_t hash_of(const rig *r)
{
    size_t count;
    return tac_engine_hash(r->engine, NULL, &count);
}

// Every `every`-th instant of a run, and the last one.
static void follow(const char *example, const char *duration, int every)
{
    rig r;
    const char *sets[] = {duration};
    rig_example(&r, example, NULL, sets, duration != NULL);
    traced t;
    const tac_graph_def def = tac_graph_def_default();
    trace_open(&t, &r, &def);
    int instants = 0;
    while (!tac_engine_finished(r.engine)) {
        rig_run(&r, tac_engine_next_time(r.engine));
        if (instants++ % every == 0 || tac_engine_finished(r.engine))
            compare(&t, &r);
    }
    print_message("%s: %zu terms, %d instants, %zu numbers compared\n", example,
                  tac__graph_pool(t.graph)->count, instants, t.compared);
    const uint64_t hash = hash_of(&r);
    trace_close(&t);
    rig_close(&r);
    rig_example(&r, example, NULL, sets, duration != NULL);
    rig_run(&r, TAC_TIME_MAX);
    assert_int_equal(hash_of(&r), hash); // the flight was the one that is flown without looking
    rig_close(&r);
}

// Draw the states, modes and held inputs of the engine anew: about those that it has, and about 1
// in 16 any value at all.
static void draw(const traced *t, uint64_t *seed)
{
    for (size_t g = 0; g < t->graph->in_count; g++) {
        const bool mode = !strcmp(t->graph->in[g].name, "mode");
        if (!strcmp(t->graph->in[g].name, "held")) // the engine has them twice
            continue;
        for (size_t i = 0; i < t->graph->in[g].count; i++) {
            const tac__trace_source *s = &t->sources.in[g][i];
            double *value = (double *)s->value + s->element;
            if (!s->value || s->scalar != TAC_F64)
                continue;
            if (mode)
                *value = input_bits(seed) % 2 ? 1 : 0;
            else if (input_bits(seed) % 16 == 0)
                *value = input_hostile(seed);
            else
                *value =
                    t->in[g][i] * input_uniform(seed, 0.8, 1.2) + input_uniform(seed, -0.1, 0.1);
        }
    }
}

// Voltages far off, which take many rounds of the power bus, overflows and NaN.
static void at_any_point(const char *example)
{
    rig r;
    rig_example(&r, example, NULL, NULL, 0);
    traced t;
    const tac_graph_def def = tac_graph_def_default();
    trace_open(&t, &r, &def);
    rig_run(&r, 2000000);
    evaluate(&t, 2);
    uint64_t seed = 5;
    for (int i = 0; i < 3000; i++) {
        draw(&t, &seed);
        compare(&t, &r);
        for (size_t g = 0; g < t.graph->in_count; g++) { // next to where the flight was
            for (size_t k = 0; k < t.graph->in[g].count; k++) {
                if (!(fabs(t.in[g][k]) < 1e4))
                    t.in[g][k] = 1;
            }
        }
    }
    trace_close(&t);
    rig_close(&r);
}

static void test_any_point(void **state)
{
    (void)state;
    at_any_point("iris_mission.yaml");
    at_any_point("octa_two_batteries.yaml");
    at_any_point("rocket.yaml");
}

// The bus voltage is found in a loop, which is there once, though outputs need it, too.
static void test_loop(void **state)
{
    (void)state;
    rig r;
    rig_example(&r, "iris_mission.yaml", NULL, NULL, 0);
    traced t;
    const tac_graph_def def = tac_graph_def_default();
    trace_open(&t, &r, &def);
    tac__schedule schedule;
    assert_int_equal(tac__schedule_graph(&t.arena, t.graph, TAC__REGIONS_WORTH, &schedule, &r.err),
                     TAC_OK);
    size_t loops = 0;
    for (size_t i = 0; i < schedule.count; i++)
        loops += schedule.steps[i].kind == TAC__STEP_LOOP;
    assert_int_equal(loops, 1);
    const tac__loop *loop = &tac__graph_pool(t.graph)->loops[0];
    assert_int_equal(loop->count, 3);
    assert_int_equal(loop->exports, 6);
    assert_true(schedule.count < 1300);
    trace_close(&t);
    rig_close(&r);
}

static void test_iris(void **state)
{
    (void)state;
    follow("iris_mission.yaml", NULL, 1);
}

// --- parameters ---------------------------------------------------------------------------------

static tac_status build(void *context, const tac_param_value *values, size_t count, uint32_t lanes,
                        tac_engine **engine, tac_error *err)
{
    const rig *r = context;
    tac_engine_def def = tac_config_engine_def(r->config);
    def.lanes = lanes;
    def.values = values;
    def.value_count = count;
    return tac_config_build(r->config, &def, engine, err);
}

// What a graph with parameters is of.
typedef enum of { OF_DYNAMICS, OF_STEP, OF_RATES } of;

static tac_status make_graph(of what, tac_engine *engine, tac_graph_def def, tac_graph **graph,
                             tac__trace_sources *sources, tac_error *err)
{
    def.rates = what == OF_RATES;
    return (what == OF_DYNAMICS ? tac__trace_dynamics : tac__trace_of_step)(engine, &def, graph,
                                                                            sources, err);
}

static tac_graph_def def_with(rig *r, const char *const *parameters, size_t count)
{
    tac_graph_def def = tac_graph_def_default();
    def.parameters = parameters;
    def.parameter_count = count;
    def.build = build;
    def.context = r;
    return def;
}

// `sources` may be NULL.
static tac_graph *graph_with(rig *r, of what, const char *const *parameters, size_t count,
                             tac__trace_sources *sources)
{
    const tac_graph_def def = def_with(r, parameters, count);
    tac_graph *graph;
    if (make_graph(what, r->engine, def, &graph, sources, &r->err) != TAC_OK)
        return NULL;
    return graph;
}

enum { MOST = 256, GROUPS = TAC__TRACE_GROUPS };

typedef double group_values[GROUPS][MOST];

static void evaluate_at(tac_graph *f, group_values in, group_values out)
{
    const double *from[GROUPS];
    double *to[GROUPS];
    for (size_t g = 0; g < GROUPS; g++) {
        from[g] = in[g];
        to[g] = out[g];
    }
    tac_error err;
    assert_int_equal(tac_graph_evaluate(f, from, to, &err), TAC_OK);
}

// A point next to that of the engine: words of states, phases and the like are whole numbers, which
// stay. What has no source (decisions, draws) is drawn.
static void draw_near(const tac_graph *f, const tac__trace_sources *sources, uint64_t *seed,
                      group_values in)
{
    for (size_t g = 0; g < tac_graph_in_count(f); g++) {
        for (size_t i = 0; i < tac_graph_in(f, g).count; i++) {
            const tac__trace_source *s = &sources->in[g][i];
            const double value = tac__trace_read_one(s, 0);
            if (!s->value && !s->history)
                in[g][i] = (double)(input_bits(seed) % 6);
            else
                in[g][i] = value == floor(value) ? value : value * input_uniform(seed, 0.9, 1.1);
        }
    }
}

// A point anywhere.
static void draw_any(const tac_graph *f, uint64_t *seed, group_values in)
{
    for (size_t g = 0; g < tac_graph_in_count(f); g++) {
        const tac_graph_group group = tac_graph_in(f, g);
        for (size_t i = 0; i < group.count; i++)
            in[g][i] = !strcmp(group.name, "phase") ? (double)(input_bits(seed) % 6)
                                                    : input_uniform(seed, 0.1, 1);
    }
}

// The first output that differs; NULL: none.
static const char *difference(const tac_graph *f, group_values a, group_values b)
{
    for (size_t g = 0; g < tac_graph_out_count(f); g++) {
        const tac_graph_group group = tac_graph_out(f, g);
        assert_true(group.count <= MOST);
        for (size_t i = 0; i < group.count; i++) {
            if (!same_bits(a[g][i], b[g][i]))
                return group.labels[i];
        }
    }
    return NULL;
}

// Both graphs at the same drawn points, the first with parameters: every output has the same bits,
// and somewhere each parameter matters.
static void check_same(tac_graph *f, const tac__trace_sources *sources, const double *p,
                       tac_graph *plain, const char *const *names)
{
    static group_values in, with, without;
    const size_t group = (size_t)tac_graph_find_in(f, "p"), count = tac_graph_in(f, group).count;
    bool matters[2] = {false};
    uint64_t seed = 3;
    for (size_t g = 0; g < tac_graph_in_count(f); g++)
        assert_true(tac_graph_in(f, g).count <= MOST);
    for (int point = 0; point < 50; point++) {
        if (point % 2)
            draw_near(f, sources, &seed, in);
        else
            draw_any(f, &seed, in);
        memcpy(in[group], p, count * sizeof *p);
        evaluate_at(f, in, with);
        evaluate_at(plain, in, without);
        const char *wrong = difference(f, with, without);
        if (wrong)
            fail_msg("with another %s: %s differs", names[0], wrong);
        for (size_t i = 0; i < count; i++) {
            in[group][i] *= 0.5;
            evaluate_at(f, in, without);
            in[group][i] = p[i];
            matters[i] |= difference(f, with, without) != NULL;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!matters[i])
            fail_msg("nothing depends on %s", names[i]);
    }
}

// Parameters of components, and how far from the values of the configuration they are tried.
typedef struct trial {
    const char *example;
    tac_param_value own[2];
    size_t count;
    double off;
    tac_time at_us; // an instant of the flight
    of what;
    const char *sets[6];
} trial;

// A graph with parameters against graphs of engines in which these have other values.
static void check_trial(const trial *t)
{
    rig r;
    size_t sets = 0;
    while (sets < sizeof t->sets / sizeof *t->sets && t->sets[sets])
        sets++;
    rig_example(&r, t->example, NULL, t->sets, sets);
    char names[2][80];
    for (size_t i = 0; i < t->count; i++) {
        const tac_param_value *v = &t->own[i];
        snprintf(names[i], sizeof names[i], v->element ? "%s.%s[%u]" : "%s.%s", v->component,
                 v->name, (unsigned)v->element);
    }
    const char *const given[] = {names[0], names[1]};
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    tac__trace_sources sources = {.arena = &arena};
    tac_graph *f = graph_with(&r, t->what, given, t->count, &sources);
    if (!f)
        rig_show(&r);
    assert_non_null(f);
    assert_int_equal(tac_graph_in(f, (size_t)tac_graph_find_in(f, "p")).count, t->count);
    rig_run(&r, t->at_us);
    for (int k = 0; k < 3; k++) {
        tac_param_value values[2];
        double p[2];
        for (size_t i = 0; i < t->count; i++) {
            values[i] = t->own[i];
            p[i] = values[i].value *= 1 + (k == 0 ? 0 : k == 1 ? t->off : -t->off);
        }
        tac_engine *engine;
        assert_int_equal(build(&r, values, t->count, 1, &engine, &r.err), TAC_OK);
        tac_graph *plain;
        assert_int_equal(make_graph(t->what, engine, tac_graph_def_default(), &plain, NULL, &r.err),
                         TAC_OK);
        check_same(f, &sources, p, plain, given);
        tac_graph_destroy(plain);
        tac_engine_destroy(engine);
    }
    tac_graph_destroy(f);
    tac__arena_fini(&arena);
    rig_close(&r);
}

static void test_parameters(void **state)
{
    (void)state;
    static const trial trials[] = {
        {.example = "iris_mission.yaml",
         .own = {{"uav.vehicle", "drag", 0, 0.05}},
         .count = 1,
         .off = 0.17,
         .at_us = 10000000},
        // Thrust is calibrated by the weight.
        {.example = "iris_mission.yaml",
         .own = {{"uav.vehicle", "mass", 0, 1.5}},
         .count = 1,
         .off = 0.4,
         .at_us = 10000000},
        {.example = "iris_mission.yaml",
         .own = {{"uav.vehicle", "motor.kv", 0, 850}, {"uav.vehicle", "inertia", 1, 0.029125}},
         .count = 2,
         .off = 0.2,
         .at_us = 10000000},
        {.example = "rocket.yaml",
         .own = {{"rocket.motor1", "thrust", 0, 120e3}, {"rocket.motor1", "isp", 0, 245}},
         .count = 2,
         .off = 0.05,
         .at_us = 20000000},
        // Flight control reads its speeds as inputs that are open.
        {.example = "iris_mission.yaml",
         .own = {{"uav.control", "cruise_speed", 0, 5}, {"uav.vehicle", "mass", 0, 1.5}},
         .count = 2,
         .off = 0.3,
         .at_us = 10000000,
         .what = OF_STEP,
         .sets = {"plant.integrator.kind=rk4"}},
        {.example = "iris_mission.yaml",
         .own = {{"uav.control", "cruise_speed", 0, 5}, {"uav.control", "descend_speed", 0, 1.5}},
         .count = 2,
         .off = 0.3,
         .at_us = 10000000,
         .what = OF_RATES,
         .sets = {"plant.integrator.kind=rk4", "timeline.physics=1 ms",
                  "scheduler.rate_groups[2].rate=250 Hz"}},
    };
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        check_trial(&trials[i]);
}

static void refused(rig *r, const char *name, const char *part)
{
    tac_error_clear(&r->err);
    assert_null(graph_with(r, OF_DYNAMICS, &name, 1, NULL));
    if (!strstr(r->err.text, part))
        fail_msg("'%s' does not say: %s", r->err.text, part);
}

static void test_refused_parameters(void **state)
{
    (void)state;
    rig r;
    rig_example(&r, "iris_mission.yaml", NULL, NULL, 0);
    refused(&r, "vehicle.attitude[0]", "no number in it follows");
    refused(&r, "uav.vehicle.mas", "did you mean 'uav.vehicle.mass'");
    rig_close(&r);
    rig_example(&r, "rocket.yaml", NULL, NULL, 0);
    refused(&r, "rocket.motor2.curve.thrust[0]", "no number in it follows");
    rig_close(&r);
}

// Plants of several sizes, so that any of the things that are needed begins a block of memory in
// one of them.
static void run_out_of_memory(int size)
{
    static const char *const names[] = {"a0.mass", "a1.mass"};
    char text[1000] = "duration: 1 s\nplant: {integrator: {kind: rk4, h_max: 1 ms}}\ncomponents:\n";
    for (int i = 0; i < size; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "  a%d: {type: oscillator}\n", i);
    rig r;
    rig_open(&r, text);
    tac_graph_def def = def_with(&r, names, 2);
    tac_status status = TAC_E_MEMORY;
    for (uint64_t n = 1; status != TAC_OK; n++) {
        test_allocator a = test_allocator_make();
        a.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&a);
        def.allocator = &hook;
        tac_graph *g;
        status = tac_graph_of_dynamics(r.engine, &def, &g, &r.err);
        assert_true(status == (g ? TAC_OK : TAC_E_MEMORY));
        tac_graph_destroy(g);
        test_allocator_check_empty(&a);
    }
    rig_close(&r);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (int size = 9; size < 14; size++)
        run_out_of_memory(size);
}

// A parameter of which next to its own value only one is allowed: the fourth that is tried.
typedef struct narrow {
    rig *r;
    int built;
} narrow;

static tac_status build_narrow(void *context, const tac_param_value *values, size_t count,
                               uint32_t lanes, tac_engine **engine, tac_error *err)
{
    narrow *n = context;
    *engine = NULL;
    n->built++;
    if (n->built > 1 && n->built < 5)
        return TAC_E_RANGE;
    return build(n->r, values, count, lanes, engine, err);
}

static void test_narrow_parameter(void **state)
{
    (void)state;
    static const char *const names[] = {"EOM.mass"};
    rig r;
    rig_example(&r, "rates.yaml", NULL, NULL, 0);
    narrow n = {.r = &r};
    tac_graph_def def = def_with(&r, names, 1);
    def.build = build_narrow;
    def.context = &n;
    tac_graph *graph;
    assert_int_equal(tac_graph_of_dynamics(r.engine, &def, &graph, &r.err), TAC_E_GRAPH);
    assert_null(graph);
    assert_int_equal(n.built, 5);
    assert_non_null(strstr(r.err.text, "'EOM.mass' cannot be an input"));
    assert_non_null(strstr(r.err.text, "only one"));
    rig_close(&r);
}

// Every number among the parameters is an input of the dynamics, with the bits of engines that have
// other values of it (which is compared when the graph is made), or is refused by name.
static void count_inputs(const char *example, size_t *taken, size_t *refused_ones)
{
    rig r;
    rig_example(&r, example, NULL, NULL, 0);
    const size_t components = tac_engine_sizes(r.engine).components;
    *taken = *refused_ones = 0;
    for (size_t c = 0; c < components; c++) {
        for (size_t i = 0; i < tac_engine_param_count(r.engine, c); i++) {
            const tac_param_info info = tac_engine_param_info(r.engine, c, i);
            if (strcmp(info.kind, "f64") != 0)
                continue;
            char name[160];
            snprintf(name, sizeof name, "%s.%s", tac_engine_component_info(r.engine, c).name,
                     info.name);
            tac_error_clear(&r.err);
            const char *const one[] = {name};
            tac_graph_def def = tac_graph_def_default();
            def.parameters = one;
            def.parameter_count = 1;
            def.build = build;
            def.context = &r;
            tac_graph *graph = NULL;
            const tac_status status = tac_graph_of_dynamics(r.engine, &def, &graph, &r.err);
            if (status == TAC_OK) {
                ++*taken;
            } else {
                ++*refused_ones;
                if (status == TAC_E_GRAPH && !strstr(r.err.text, info.name))
                    fail_msg("'%s' does not name %s", r.err.text, name);
            }
            tac_graph_destroy(graph);
        }
    }
    rig_close(&r);
}

static void test_all_parameters(void **state)
{
    (void)state;
    static const char *const examples[] = {"iris_mission.yaml", "rocket.yaml", "gusts.yaml"};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        size_t taken, refused_ones;
        count_inputs(examples[i], &taken, &refused_ones);
        print_message("%s: %zu parameters are inputs, %zu are refused\n", examples[i], taken,
                      refused_ones);
        assert_true(taken > 10);
    }
}

TEST_MAIN(cmocka_unit_test(test_iris), cmocka_unit_test(test_any_point),
          cmocka_unit_test(test_loop), cmocka_unit_test(test_parameters),
          cmocka_unit_test(test_refused_parameters), cmocka_unit_test(test_all_parameters),
          cmocka_unit_test(test_no_memory), cmocka_unit_test(test_narrow_parameter))
