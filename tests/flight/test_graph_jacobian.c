// Derivatives of the plant as a graph, at instants of whole flights: the sparse Jacobian is that of
// the engine's dual numbers, and reverse mode gives the same.
#include "engine/test_rig.h"

#include "engine/run/integrate.h"
#include "engine/run/lanes.h"
#include "engine/trace/trace.h"
#include "graph/derive.h"
#include "graph/tape.h"

#include <math.h>

// A graph with its tape and what it computes.
typedef struct runner {
    tac_graph *graph;
    tac__tape *tape;
    double *out[TAC__TRACE_GROUPS], *work;
} runner;

typedef struct flight {
    rig r;
    tac__arena arena;
    tac_graph *f;
    tac__trace_sources sources;
    runner jacobian, reverse, hessian;
    double *in[TAC__TRACE_GROUPS + 1]; // of f, then seeds of outputs dx
    double *expected, *block;
    size_t n, compared;
    size_t seconds, kinks; // second derivatives that are not 0, and those that are not there
} flight;

static double *numbers(flight *p, size_t count)
{
    double *made = tac__arena_array(&p->arena, count + 1, sizeof *made);
    assert_non_null(made);
    return made;
}

static void prepare(flight *p, runner *run)
{
    assert_int_equal(tac__tape_make(&p->arena, run->graph, &run->tape, &p->r.err), TAC_OK);
    run->work = numbers(p, tac__tape_work(run->tape));
    for (size_t g = 0; g < run->graph->out_count; g++)
        run->out[g] = numbers(p, run->graph->out[g].count);
}

static void run(const flight *p, const runner *run)
{
    tac__tape_run(run->tape, (const double *const *)p->in, run->out, run->work);
}

static size_t steps_of(flight *p, const tac_graph *g)
{
    tac__schedule schedule;
    assert_int_equal(tac__schedule_graph(&p->arena, g, TAC__REGIONS_WORTH, &schedule, &p->r.err),
                     TAC_OK);
    return schedule.count;
}

static void open_flight(flight *p, const char *example)
{
    *p = (flight){.compared = 0};
    rig_example(&p->r, example, NULL, NULL, 0);
    tac__arena_init(&p->arena, tac_allocator_default());
    p->sources.arena = &p->arena;
    const tac_graph_def def = tac_graph_def_default();
    assert_int_equal(tac__trace_dynamics(p->r.engine, &def, &p->f, &p->sources, &p->r.err), TAC_OK);
    assert_int_equal(tac__graph_jacobian(p->f, "dx", "x", &p->jacobian.graph, &p->r.err), TAC_OK);
    assert_int_equal(tac__graph_vjp(p->f, "dx", "x", &p->reverse.graph, &p->r.err), TAC_OK);
    assert_int_equal(
        tac__graph_lagrangian(p->f, "dx", "x", TAC__TRIANGLE_LOWER, &p->hessian.graph, &p->r.err),
        TAC_OK);
    prepare(p, &p->jacobian);
    prepare(p, &p->reverse);
    prepare(p, &p->hessian);
    p->n = p->jacobian.graph->out[0].rows;
    for (size_t g = 0; g < p->f->in_count; g++)
        p->in[g] = numbers(p, p->f->in[g].count);
    p->in[p->f->in_count] = numbers(p, p->n);
    p->expected = numbers(p, p->n * p->n);
    p->block = numbers(p, p->n * p->n);

    tac__jacobian_facts facts;
    assert_int_equal(tac__graph_pattern(&p->arena, p->f, "dx", "x", &facts, &p->r.err), TAC_OK);
    const size_t of_f = steps_of(p, p->f), of_jacobian = steps_of(p, p->jacobian.graph);
    print_message("%s: %zu states, %d entries, %d colours; %zu steps, of the Jacobian %zu, of the "
                  "Hessian %zu\n",
                  example, p->n, tac__pattern_count(&facts.pattern), facts.colouring.colours, of_f,
                  of_jacobian, steps_of(p, p->hessian.graph));
    assert_true(of_jacobian < (size_t)facts.colouring.colours * of_f);
}

static void close_flight(flight *p)
{
    tac_graph_destroy(p->jacobian.graph);
    tac_graph_destroy(p->reverse.graph);
    tac_graph_destroy(p->hessian.graph);
    tac_graph_destroy(p->f);
    tac__arena_fini(&p->arena);
    rig_close(&p->r);
}

// The Jacobian by dual numbers, row by row: a block for each island.
static void engine_jacobian(const flight *p, double t_s)
{
    tac_engine *e = p->r.engine;
    size_t first = 0;
    memset(p->expected, 0, p->n * p->n * sizeof *p->expected);
    for (size_t k = 0; k < e->plan->island_count; k++) {
        tac__island *island = &e->islands[k];
        const size_t n = island->plan->x_count;
        tac__lanes_show(island);
        if (!island->jacobian)
            assert_int_equal(tac__jacobian_prepare(e, island), TAC_OK);
        assert_non_null(island->problem.jacobian);
        memcpy(island->work.z, island->x, n * sizeof *island->x);
        assert_int_equal(island->problem.jacobian(island, t_s, p->block), TAC_OK);
        island->peeked_us = TAC_TIME_NEVER;
        for (size_t i = 0; i < n; i++)
            memcpy(p->expected + (first + i) * p->n + first, p->block + i * n,
                   n * sizeof *p->block);
        first += n;
    }
    assert_int_equal(first, p->n);
}

static void check_row(const flight *p, size_t i, const double *sparse, const double *reverse)
{
    for (size_t j = 0; j < p->n; j++) {
        const double expected = p->expected[i * p->n + j], bound = 1e-9 * (1 + fabs(expected));
        if (!(fabs(sparse[j] - expected) <= bound) || !(fabs(reverse[j] - expected) <= bound))
            fail_msg("%s by %s: %.17g by the graph, %.17g in reverse, %.17g by duals",
                     p->f->out[0].labels[i], p->f->in[0].labels[j], sparse[j], reverse[j],
                     expected);
    }
}

// Sums of the columns of the Jacobian: the gradient of the sum of all dx.
static void gradient(const flight *p, double *sums)
{
    run(p, &p->jacobian);
    const tac__group *m = &p->jacobian.graph->out[0];
    for (size_t j = 0; j < p->n; j++) {
        sums[j] = 0;
        for (int k = m->starts[j]; k < m->starts[j + 1]; k++)
            sums[j] += p->jacobian.out[0][k];
    }
}

// Second derivatives of the sum of all dx, of which only the lower triangle is there, against
// central differences of its gradient. Where differences to both sides are not the same there is a
// kink: a breakpoint of a table, a velocity of 0.
static void check_hessian(flight *p)
{
    double *x = p->in[0], here[128], before[128], after[128], *column = p->block;
    const tac__group *m = &p->hessian.graph->out[0];
    double least = 1e-8; // what differences can tell from 0
    for (size_t k = 0; k < m->count; k++)
        least = fmax(least, 1e-9 * fabs(p->hessian.out[0][k]));
    gradient(p, here);
    for (size_t j = 0; j < p->n; j++) {
        memset(column, 0, p->n * sizeof *column);
        for (int k = m->starts[j]; k < m->starts[j + 1]; k++)
            column[m->row_of[k]] = p->hessian.out[0][k];
        const double own = x[j], h = 1e-5 * (1 + fabs(own));
        const double high = x[j] = own + h;
        gradient(p, after);
        const double low = x[j] = own - h;
        gradient(p, before);
        x[j] = own;
        for (size_t i = j; i < p->n; i++) {
            const double up = (after[i] - here[i]) / (high - own);
            const double down = (here[i] - before[i]) / (own - low);
            const double slope = (after[i] - before[i]) / (high - low);
            const double noise = 1e-14 * (fabs(after[i]) + fabs(before[i])) / h;
            if (!(fabs(up - down) <= 1e-3 * fabs(slope) + least + 4 * noise)) {
                p->kinks++;
                continue;
            }
            if (!(fabs(column[i] - slope) <= fabs(up - down) + 1e-6 * fabs(slope) + least + noise))
                fail_msg("%s by %s: %.17g by the graph, %.17g by differences",
                         p->f->in[0].labels[i], p->f->in[0].labels[j], column[i], slope);
            p->seconds += slope != 0;
        }
    }
}

static void compare(flight *p, bool second)
{
    const double t_s = tac_time_seconds(tac_engine_time(p->r.engine));
    engine_jacobian(p, t_s);
    for (size_t g = 0; g < p->f->in_count; g++)
        tac__trace_read(p->sources.in[g], p->f->in[g].count, t_s, p->in[g]);
    run(p, &p->jacobian);
    const tac__group *m = &p->jacobian.graph->out[0];
    double *seeds = p->in[p->f->in_count], row[128];
    assert_true(p->n <= 128);
    for (size_t i = 0; i < p->n; i++) {
        memset(row, 0, sizeof row);
        for (size_t j = 0; j < p->n; j++) {
            for (int k = m->starts[j]; k < m->starts[j + 1]; k++) {
                if ((size_t)m->row_of[k] == i)
                    row[j] = p->jacobian.out[0][k];
            }
        }
        seeds[i] = 1;
        run(p, &p->reverse);
        seeds[i] = 0;
        check_row(p, i, row, p->reverse.out[0]);
    }
    for (size_t i = 0; i < p->n; i++)
        seeds[i] = 1;
    run(p, &p->hessian);
    memset(seeds, 0, p->n * sizeof *seeds);
    for (size_t k = 0; k < p->hessian.graph->out[0].count; k++)
        assert_true(isfinite(p->hessian.out[0][k]));
    if (second)
        check_hessian(p);
    p->compared += p->n * p->n;
}

// `second`: second derivatives are compared with differences, too; else they are finite.
static void follow(const char *example, double seconds, bool second)
{
    flight p;
    open_flight(&p, example);
    for (int i = 0; i < 12 && !tac_engine_finished(p.r.engine); i++) {
        rig_run(&p.r, (tac_time)(seconds * 1e6 * i / 12));
        compare(&p, second);
    }
    print_message("%zu derivatives compared, %zu second ones; %zu kinks\n", p.compared, p.seconds,
                  p.kinks);
    assert_true(!second || (p.seconds > 0 && p.kinks <= p.seconds / 10));
    close_flight(&p);
}

static void test_multirotors(void **state)
{
    (void)state;
    follow("iris_mission.yaml", 60, true);
    follow("octa_two_batteries.yaml", 30, true);
}

static void test_rockets(void **state)
{
    (void)state;
    follow("rocket.yaml", 60, false);
    follow("rocket_ascent.yaml", 300, false);
    follow("orbit.yaml", 6000, true);
}

TEST_MAIN(cmocka_unit_test(test_multirotors), cmocka_unit_test(test_rockets))
