// The whole simulation as a graph: iterated over a flight it gives the bits of the engine.
#include "engine/test_rig.h"

#include "engine/run/loop.h"
#include "engine/trace/trace.h"
#include "graph/tape.h"
#include "math/inputs.h"

// A graph of a step, and what the engine has for it.
typedef struct stepped {
    tac__arena arena;
    tac_graph *graph;
    tac__trace_sources sources;
    tac__tape *tape;
    double *in[TAC__TRACE_GROUPS], *out[TAC__TRACE_GROUPS], *work, *expected;
    size_t decided, draws; // how many were noted at this boundary
    size_t compared, outputs;
} stepped;

static stepped now;

// --- decisions and draws as the engine comes to them ---------------------------------------------

typedef struct noted {
    tac_instance *c;
    tac_status (*step)(tac_step *s, const void *self);
    const void *self;
    size_t draws;
} noted;

static double *group_in(const char *name)
{
    const int g = tac_graph_find_in(now.graph, name);
    return g < 0 ? NULL : now.in[g];
}

// Numbers that were drawn together have the same label but for the element:
// "uav.wind.noise.draw1[2]".
static void draw_all(tac_step *s, size_t count)
{
    const int g = tac_graph_find_in(now.graph, "draws");
    for (const size_t end = now.draws + count; now.draws < end;) {
        const char *label = now.graph->in[g].labels[now.draws];
        const size_t length = strcspn(label, "[");
        size_t n = 1;
        while (now.draws + n < end &&
               !strncmp(now.graph->in[g].labels[now.draws + n], label, length) &&
               now.graph->in[g].labels[now.draws + n][length] == '[')
            n++;
        tac_draw_normals(s, 0, now.in[g] + now.draws, n); // all have one stream
        now.draws += n;
    }
}

static tac_status note(tac_step *s, const void *self)
{
    const noted *n = self;
    const tac__component *c = n->c->plan;
    if (c->decision_count) {
        assert_int_equal(tac__decide(n->c, s, group_in("decided") + now.decided), TAC_OK);
        now.decided += c->decision_count;
    }
    uint64_t next[8];
    for (size_t i = 0; i < c->stream_count; i++)
        next[i] = *c->streams[i].next;
    draw_all(s, n->draws);
    for (size_t i = 0; i < c->stream_count; i++)
        *c->streams[i].next = next[i];
    return n->step(s, n->self);
}

// How many numbers the component draws in a step.
static size_t draws_of(const tac__component *c)
{
    const int g = tac_graph_find_in(now.graph, "draws");
    size_t count = 0;
    for (size_t i = 0; g >= 0 && i < now.graph->in[g].count; i++) {
        const char *label = now.graph->in[g].labels[i];
        count += !strncmp(label, c->name, strlen(c->name)) && label[strlen(c->name)] == '.';
    }
    return count;
}

static void note_steps(const rig *r)
{
    static noted all[64];
    assert_true(r->engine->plan->component_count <= 64);
    for (size_t i = 0; i < r->engine->plan->component_count; i++) {
        tac_instance *c = r->engine->instances[i];
        all[i] = (noted){c, c->run, c->run_self, draws_of(c->plan)};
        if (!c->run || !(c->plan->decision_count || all[i].draws))
            continue;
        c->run = note;
        c->run_self = &all[i];
    }
}

// --- a graph beside a run
// -------------------------------------------------------------------------

static void open_step(rig *r, const tac_graph_def *def)
{
    now = (stepped){.graph = NULL};
    tac__arena_init(&now.arena, tac_allocator_default());
    now.sources.arena = &now.arena;
    if (tac__trace_of_step(r->engine, def, &now.graph, &now.sources, &r->err) != TAC_OK ||
        tac__tape_make(&now.arena, now.graph, &now.tape, &r->err) != TAC_OK) {
        rig_show(r);
        fail_msg("cannot be traced");
    }
    now.work = tac__arena_array(&now.arena, tac__tape_work(now.tape), sizeof *now.work);
    size_t most = 0;
    for (size_t g = 0; g < now.graph->in_count; g++)
        now.in[g] = tac__arena_array(&now.arena, now.graph->in[g].count, sizeof *now.work);
    for (size_t g = 0; g < now.graph->out_count; g++) {
        const size_t count = now.graph->out[g].count;
        now.out[g] = tac__arena_array(&now.arena, count, sizeof *now.work);
        most = count > most ? count : most;
    }
    now.expected = tac__arena_array(&now.arena, most, sizeof *now.expected);
}

static void close_step(void)
{
    tac_graph_destroy(now.graph);
    tac__arena_fini(&now.arena);
}

static void read_group(const char *name, double t_us)
{
    const int g = tac_graph_find_in(now.graph, name);
    if (g >= 0)
        tac__trace_read(now.sources.in[g], now.graph->in[g].count, t_us, now.in[g]);
}

static void same(size_t g, const double *expected, tac_time t_us)
{
    const tac__group *group = &now.graph->out[g];
    for (size_t i = 0; i < group->count; i++) {
        if (!same_bits(now.out[g][i], expected[i]))
            fail_msg("at %.6f s %s of %s: %a, in the engine %a", tac_time_seconds(t_us),
                     group->labels[i], group->name, now.out[g][i], expected[i]);
    }
    now.compared += group->count;
}

// Has the engine evaluated all outputs of the plant? Those that nothing in the run reads it has
// not.
static bool has_outputs(const rig *r, tac_time t_us)
{
    const tac__plan *plan = r->engine->plan;
    bool all = true;
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        if (c->island >= 0 && c->outputs.count)
            all &= r->engine->islands[c->island].state->outputs_us == t_us;
    }
    return all;
}

// What there was before a boundary; the boundary; then the graph of it, with the bits of what the
// engine wrote. The state that the graph gave is compared when the engine has arrived there.
static void follow(rig *r, tac_time until_us)
{
    const tac_time period_us = tac_graph_period(now.graph);
    static const char *const before[] = {"z", "s"};
    static const char *const after[] = {"x", "u", "seen", "mode", "phase", "held"};
    note_steps(r);
    int steps = 0;
    tac_time arrives_us =
        TAC_TIME_NEVER; // when the state that the graph gave last is that of the engine
    for (tac_time t_us = 0; t_us < until_us; t_us = tac_engine_next_time(r->engine)) {
        for (size_t i = 0; i < sizeof before / sizeof *before; i++)
            read_group(before[i], (double)t_us);
        now.decided = now.draws = 0;
        rig_run(r, t_us);
        for (size_t i = 0; i < sizeof after / sizeof *after; i++)
            read_group(after[i], (double)t_us);
        if (t_us == arrives_us)
            same(0, group_in("x"), t_us);
        arrives_us =
            TAC_TIME_NEVER; // located events are boundaries that the graph does not know of
        if (t_us % period_us)
            continue;
        arrives_us = t_us + period_us;
        steps++;
        *group_in("t") = (double)t_us;
        tac__tape_run(now.tape, (const double *const *)now.in, now.out, now.work);
        const size_t groups = has_outputs(r, t_us) ? 4 : 3;
        for (size_t g = 1; g < groups; g++) {
            tac__trace_read(now.sources.out[g], now.graph->out[g].count, 0, now.expected);
            same(g, now.expected, t_us);
        }
        now.outputs += groups == 4 ? now.graph->out[3].count : 0;
    }
    assert_true(steps > 1000);
    print_message("%zu terms, %zu numbers compared, %zu of them outputs of the plant\n",
                  tac__graph_pool(now.graph)->count, now.compared, now.outputs);
}

static void test_iris(void **state)
{
    (void)state;
    rig r;
    const char *sets[] = {"plant.lanes=1", "plant.integrator.kind=rk4",
                          "scheduler.rate_groups[1].rate=1 kHz", "timeline.physics=1 ms"};
    rig_example(&r, "iris_mission.yaml", NULL, sets, sizeof sets / sizeof *sets);
    const tac_graph_def def = tac_graph_def_default();
    open_step(&r, &def);
    follow(&r, 12000000);
    close_step();
    rig_close(&r);
}

// Sensors, which draw, look at states and outputs of the plant, here all at one rate; what the IMU
// measures acts on the plant, so that its outputs belong to the run.
static void test_sensors(void **state)
{
    (void)state;
    rig r;
    const char *sets[] = {"plant.lanes=1",
                          "plant.integrator.kind=rk4",
                          "scheduler.rate_groups[1].rate_hz=1000",
                          "scheduler.rate_groups[2].rate_hz=1000",
                          "scheduler.rate_groups[3].rate_hz=1000",
                          "scheduler.rate_groups[4].rate_hz=1000",
                          "scheduler.rate_groups[5].rate_hz=1000",
                          "components.gps.params.delay=20 ms",
                          ("components.case={type: lag, params: {unit: m/s^2}, "
                           "inputs: {u: imu.specific_force.x}}")};
    rig_example(&r, "sensors.yaml", NULL, sets, sizeof sets / sizeof *sets);
    const tac_graph_def def = tac_graph_def_default();
    open_step(&r, &def);
    follow(&r, 3000000);
    assert_true(now.outputs > 20000);
    close_step();
    rig_close(&r);
}

// Equations that see each other's outputs.
static void test_equations(void **state)
{
    (void)state;
    rig r;
    const char *sets[] = {"plant.lanes=1", "plant.integrator={kind: euler, h_max: 10 ms}",
                          "scheduler.rate_groups[0].rate=100 Hz",
                          "scheduler.rate_groups[1].rate=100 Hz"};
    rig_example(&r, "equations.yaml", NULL, sets, sizeof sets / sizeof *sets);
    const tac_graph_def def = tac_graph_def_default();
    open_step(&r, &def);
    follow(&r, 30000000);
    close_step();
    rig_close(&r);
}

static void test_implicit_is_refused(void **state)
{
    (void)state;
    rig r;
    const char *sets[] = {"plant.integrator.kind=rodas4"};
    rig_example(&r, "iris_mission.yaml", NULL, sets, 1);
    const tac_graph_def def = tac_graph_def_default();
    tac_graph *g;
    assert_int_equal(tac_graph_of_step(r.engine, &def, &g, &r.err), TAC_E_GRAPH);
    assert_null(g);
    assert_non_null(strstr(r.err.text, "'rodas4' is implicit"));
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_iris), cmocka_unit_test(test_sensors),
          cmocka_unit_test(test_equations), cmocka_unit_test(test_implicit_is_refused))
