// Graphs of single phases, stitched along the sequence of a flight, fly that flight again: from its
// initial state to its end the states come from the graphs alone, with the bits of the engine.
#include "engine/test_rig.h"

#include "engine/phases/phases.h"
#include "engine/trace/trace.h"
#include "graph/tape.h"
#include "ode/tableau.h"

enum { STAGES = 4, STATES_MAX = 64, PHASES_MAX = 16 };

// The plant in one phase.
typedef struct piece {
    tac_graph *graph; // NULL: not needed so far
    tac__trace_sources sources;
    tac__tape *tape;
    double *in[TAC__TRACE_GROUPS], *out[TAC__TRACE_GROUPS], *work;
    size_t steps;
} piece;

typedef struct flight {
    rig r;
    tac__arena arena;
    const tac__component *machine; // of the rocket
    tac__island *island;
    size_t x_at; // where the states of the island are in group x
    piece pieces[PHASES_MAX];
    double x[STATES_MAX]; // by the graphs
} flight;

static void *array(flight *f, size_t count)
{
    double *made = tac__arena_array(&f->arena, count + 1, sizeof *made);
    assert_non_null(made);
    return made;
}

// The graph of a phase, made when the flight first comes there.
static piece *piece_of(flight *f, int32_t phase)
{
    piece *p = &f->pieces[phase];
    if (p->graph)
        return p;
    tac_graph_def def = tac_graph_def_default();
    def.phase = tac__phases_of(f->machine)->names[phase];
    p->sources.arena = &f->arena;
    assert_int_equal(tac__trace_dynamics(f->r.engine, &def, &p->graph, &p->sources, &f->r.err),
                     TAC_OK);
    assert_int_equal(tac__tape_make(&f->arena, p->graph, &p->tape, &f->r.err), TAC_OK);
    p->work = array(f, tac__tape_work(p->tape));
    for (size_t g = 0; g < p->graph->in_count; g++)
        p->in[g] = array(f, p->graph->in[g].count);
    for (size_t g = 0; g < p->graph->out_count; g++)
        p->out[g] = array(f, p->graph->out[g].count);
    return p;
}

// --- flying -------------------------------------------------------------------------------------

// What is held until the next boundary, as the engine has it now; not the states of the rocket.
static void hold(const piece *p)
{
    for (size_t g = 0; g < p->graph->in_count; g++)
        tac__trace_read(p->sources.in[g], p->graph->in[g].count, 0, p->in[g]);
}

static const double *derive(const flight *f, const piece *p, const double *x, double t_s)
{
    const int at_x = tac_graph_find_in(p->graph, "x"), at_t = tac_graph_find_in(p->graph, "t");
    memcpy(p->in[at_x] + f->x_at, x, f->island->plan->x_count * sizeof *x);
    p->in[at_t][0] = t_s;
    tac__tape_run(p->tape, (const double *const *)p->in, p->out, p->work);
    return p->out[tac_graph_find_out(p->graph, "dx")] + f->x_at;
}

// y + h (w_0 k_0 + w_1 k_1 + ...), in the order of the engine.
static void combine(const double *y, const double (*k)[STATES_MAX], const double *weights,
                    int count, double h, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        bool any = false;
        for (int j = 0; j < count; j++) {
            if (weights[j] == 0)
                continue;
            sum = any ? sum + weights[j] * k[j][i] : weights[j] * k[j][i];
            any = true;
        }
        x[i] = y[i] + h * sum;
    }
}

static void step(flight *f, piece *p, tac_time from_us, tac_time to_us)
{
    const tac__tableau *table = tac__tableau_of(f->r.engine->plan->method);
    const size_t n = f->island->plan->x_count;
    const double t0_s = tac_time_seconds(from_us), h_s = tac_time_seconds(to_us - from_us);
    double k[STAGES][STATES_MAX], y[STATES_MAX], x[STATES_MAX];
    assert_int_equal(table->stages, STAGES);
    for (size_t i = 0; i < n; i++)
        x[i] = y[i] = f->x[i] + 0.0;
    for (int i = 0; i < STAGES; i++) {
        if (i > 0)
            combine(y, (const double(*)[STATES_MAX])k, table->a[i], i, h_s, n, x);
        const double c = table->c[i];
        const double t_s = c == 0 ? t0_s : c == 1 ? tac_time_seconds(to_us) : t0_s + c * h_s;
        memcpy(k[i], derive(f, p, x, t_s), n * sizeof *x);
    }
    combine(y, (const double(*)[STATES_MAX])k, table->b, STAGES, h_s, n, f->x);
    p->steps++;
}

// At a boundary states of what was active are put back onto their bounds.
static void project(flight *f, int32_t phase)
{
    for (size_t i = 0; i < f->island->plan->count; i++) {
        tac_instance *c = f->r.engine->instances[f->island->plan->components[i]];
        const tac_kernels *own = &c->plan->type->kernels[TAC_NUMBERS];
        if (own->project && (!c->plan->active_names || c->plan->active_in >> phase & 1))
            assert_int_equal(own->project(&c->bus, c->plan->self, f->x + c->plan->x_offset),
                             TAC_OK);
    }
}

// The rocket lands: its velocity is set to 0 with the change of phase.
static void reset(flight *f, int32_t phase)
{
    if (strcmp(tac__phases_of(f->machine)->names[phase], "LANDED"))
        return;
    const tac__component *body = f->r.engine->plan->components[0];
    for (size_t i = 0; strcmp(body->name, "rocket.body"); i++)
        body = f->r.engine->plan->components[i];
    size_t at = body->x_offset;
    for (size_t i = 0; i < body->continuous.count; i++) {
        const tac__port *port = &body->continuous.items[i];
        if (!strcmp(port->name, "velocity"))
            memset(f->x + at, 0, port->type.count * sizeof *f->x);
        at += port->type.count;
    }
}

static void open_flight(flight *f)
{
    const char *sets[] = {"plant.lanes=1", "plant.integrator.kind=rk4",
                          "plant.integrator.h_max=25 ms"};
    *f = (flight){.machine = NULL};
    rig_example(&f->r, "rocket.yaml", NULL, sets, 3);
    tac__arena_init(&f->arena, tac_allocator_default());
    const tac__plan *plan = f->r.engine->plan;
    for (size_t i = 0; i < plan->machine_count; i++) {
        if (!strcmp(plan->components[plan->machines[i]]->name, "rocket.flight"))
            f->machine = plan->components[plan->machines[i]];
    }
    assert_non_null(f->machine);
    for (size_t i = 0; !f->island; i++) {
        if (!strcmp(plan->islands[i].name, "rocket.air") ||
            !strcmp(plan->islands[i].name, "rocket.body"))
            f->island = &f->r.engine->islands[i];
        else
            f->x_at += plan->islands[i].x_count;
    }
    assert_in_range(f->island->plan->x_count, 13, STATES_MAX);
}

static void test_stitched(void **state)
{
    (void)state;
    static flight f;
    open_flight(&f);
    const size_t n = f.island->plan->x_count;
    rig_run(&f.r, 0);
    memcpy(f.x, f.island->x, n * sizeof *f.x);
    int32_t phase = tac__phase_now(f.machine);
    size_t changes = 0;
    for (tac_time from_us = 0; !tac_engine_finished(f.r.engine);) {
        piece *p = piece_of(&f, phase);
        hold(p);
        do
            rig_run(&f.r, tac_engine_next_time(f.r.engine));
        while (f.island->state->from_us == from_us && !tac_engine_finished(f.r.engine));
        const tac_time to_us = f.island->state->from_us;
        step(&f, p, from_us, to_us);
        if (f.island->state->at_us == to_us)
            project(&f, phase);
        from_us = to_us;
        if (tac__phase_now(f.machine) != phase) {
            phase = tac__phase_now(f.machine);
            reset(&f, phase);
            changes++;
        }
        for (size_t i = 0; i < n; i++) {
            if (f.x[i] != f.island->x[i])
                fail_msg("at %.6f s state %zu is %a by the graph of the phase, %a in the engine",
                         tac_time_seconds(to_us), i, f.x[i], f.island->x[i]);
        }
    }
    for (int32_t i = 0; i < PHASES_MAX; i++) {
        if (!f.pieces[i].graph)
            continue;
        print_message("%s: %zu terms, %zu steps\n", tac__phases_of(f.machine)->names[i],
                      tac__graph_pool(f.pieces[i].graph)->count, f.pieces[i].steps);
        tac_graph_destroy(f.pieces[i].graph);
    }
    assert_int_equal(changes, 7);
    tac__arena_fini(&f.arena);
    rig_close(&f.r);
}

TEST_MAIN(cmocka_unit_test(test_stitched))
