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
    size_t seconds, kinks; // second derivatives right within 1 %, and those that are not there
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

// Sums of the columns of the Jacobian: the gradient of the sum of all dx; and sums of absolutes.
static void gradient(const flight *p, double *sums, double *sizes)
{
    run(p, &p->jacobian);
    const tac__group *m = &p->jacobian.graph->out[0];
    for (size_t j = 0; j < p->n; j++) {
        sums[j] = sizes[j] = 0;
        for (int k = m->starts[j]; k < m->starts[j + 1]; k++) {
            sums[j] += p->jacobian.out[0][k];
            sizes[j] += fabs(p->jacobian.out[0][k]);
        }
    }
}

// The gradient on both sides of where the flight is, over steps of one state that fall tenfold.
enum { STEPS = 5 };
typedef struct sides {
    double up[STEPS], down[STEPS]; // how far
    double here[128], after[STEPS][128], before[STEPS][128];
    double sizes[128];
} sides;

static void look_around(const flight *p, size_t j, sides *s)
{
    double *x = p->in[0], h = 1e-5 * (1 + fabs(x[j]));
    const double own = x[j];
    for (int k = 0; k < STEPS; k++, h /= 10) {
        x[j] = own + h;
        s->up[k] = x[j] - own;
        gradient(p, s->after[k], s->sizes);
        x[j] = own - h;
        s->down[k] = own - x[j];
        gradient(p, s->before[k], s->sizes);
    }
    x[j] = own;
    gradient(p, s->here, s->sizes);
}

// Of one derivative, over one of the steps. `noise`: of rounding; 1e-16 of what is added is enough
// for all flights here.
typedef struct difference {
    double up, down, slope, noise;
} difference;

static difference differ(const sides *s, int k, size_t i)
{
    const double after = s->after[k][i], here = s->here[i], before = s->before[k][i];
    return (difference){(after - here) / s->up[k], (here - before) / s->down[k],
                        (after - before) / (s->up[k] + s->down[k]), 1e-14 * s->sizes[i] / s->up[k]};
}

// The step at which the slope is most like that of the step before; *off is by how much it may be
// wrong. No single step does for all. In rocket.yaml the booster falls at 316 m/s with 0.01 m/s
// across its axis: drag from the side, which goes with the square of that, bends within 1e-5 of a
// quaternion. The rocket is 30 m below the next layer of the atmosphere. Differences over such
// places are wrong in the third digit, and may by chance be the same to both sides.
static difference settle(const sides *s, size_t i, double *off)
{
    difference before = differ(s, 0, i), best = before;
    *off = HUGE_VAL;
    for (int k = 1; k < STEPS; k++) {
        const difference d = differ(s, k, i);
        const double change = fabs(d.slope - before.slope) + d.noise;
        if (change < *off) {
            *off = change;
            best = d;
        }
        before = d;
    }
    return best;
}

// Second derivatives of the sum of all dx, of which only the lower triangle is there, against
// central differences of its gradient. Where differences to both sides are not the same there is a
// kink: a breakpoint of a table, a velocity of 0.
static void check_hessian(flight *p)
{
    double *column = p->block;
    const tac__group *m = &p->hessian.graph->out[0];
    sides s;
    for (size_t j = 0; j < p->n; j++) {
        memset(column, 0, p->n * sizeof *column);
        for (int k = m->starts[j]; k < m->starts[j + 1]; k++)
            column[m->row_of[k]] = p->hessian.out[0][k];
        look_around(p, j, &s);
        for (size_t i = j; i < p->n; i++) {
            double off;
            const difference d = settle(&s, i, &off);
            if (!(fabs(d.up - d.down) <= 1e-3 * fabs(d.slope) + 4 * d.noise)) {
                p->kinks++;
                continue;
            }
            const double bound = off + 1e-6 * fabs(d.slope);
            if (!(fabs(column[i] - d.slope) <= bound))
                fail_msg("%s by %s: %.17g by the graph, %.17g by differences",
                         p->f->in[0].labels[i], p->f->in[0].labels[j], column[i], d.slope);
            p->seconds += bound < 0.01 * fabs(d.slope);
        }
    }
}

static void compare(flight *p)
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
    check_hessian(p);
    p->compared += p->n * p->n;
}

static void follow(const char *example, double seconds)
{
    flight p;
    open_flight(&p, example);
    for (int i = 0; i < 12 && !tac_engine_finished(p.r.engine); i++) {
        rig_run(&p.r, (tac_time)(seconds * 1e6 * i / 12));
        compare(&p);
    }
    print_message("%zu derivatives compared, %zu second ones; %zu kinks\n", p.compared, p.seconds,
                  p.kinks);
    assert_true(p.seconds > 0 && p.kinks <= p.seconds / 10);
    close_flight(&p);
}

static void test_multirotors(void **state)
{
    (void)state;
    follow("iris_mission.yaml", 60);
    follow("octa_two_batteries.yaml", 30);
}

static void test_rockets(void **state)
{
    (void)state;
    follow("rocket.yaml", 60);
    follow("rocket_ascent.yaml", 300);
    follow("orbit.yaml", 6000);
}

TEST_MAIN(cmocka_unit_test(test_multirotors), cmocka_unit_test(test_rockets))
