// Islands: which components are integrated together, what they see of each other, and that the
// result is that of the method written out by hand, bit for bit.
#include "support/probe.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_bits(double a, double b)
{
    if (memcmp(&a, &b, sizeof a))
        fail_msg("%.17g is not %.17g, bit for bit", a, b);
}

static tac_engine_def def_of(const char *kind, tac_time h_max_us, tac_time end_us)
{
    tac_engine_def def = tac_engine_def_default();
    def.integrator.kind = kind;
    def.integrator.h_max_us = h_max_us;
    def.end_us = end_us;
    return def;
}

// --- the methods, written out -------------------------------------------------------------------

enum { MOST = 8 };
typedef void rhs(double t_s, const double *x, double *dx);

static void rk4(rhs *f, int n, double t_s, double h_s, double *x)
{
    double k1[MOST], k2[MOST], k3[MOST], k4[MOST], z[MOST];
    f(t_s, x, k1);
    for (int i = 0; i < n; i++)
        z[i] = x[i] + h_s * (0.5 * k1[i]);
    f(t_s + 0.5 * h_s, z, k2);
    for (int i = 0; i < n; i++)
        z[i] = x[i] + h_s * (0.5 * k2[i]);
    f(t_s + 0.5 * h_s, z, k3);
    for (int i = 0; i < n; i++)
        z[i] = x[i] + h_s * k3[i];
    f(t_s + h_s, z, k4);
    for (int i = 0; i < n; i++)
        x[i] += h_s * (1.0 / 6 * k1[i] + 1.0 / 3 * k2[i] + 1.0 / 3 * k3[i] + 1.0 / 6 * k4[i]);
}

static void euler(rhs *f, int n, double t_s, double h_s, double *x)
{
    double k[MOST];
    f(t_s, x, k);
    for (int i = 0; i < n; i++)
        x[i] += h_s * k[i];
}

// --- forming ------------------------------------------------------------------------------------

static const probe linear = {.out = {"y"},
                             .x = {"x"},
                             .p = {-1, 1, 0, 1},
                             .init = linear_init,
                             .derive = linear_derive,
                             .output = linear_output};

static probe named(const char *name, const char *input)
{
    probe p = linear;
    p.name = name;
    p.in[0] = input;
    return p;
}

static void test_what_couples(void **state)
{
    (void)state;
    static const struct {
        const char *input, *from;
        bool delayed;
        size_t islands;
    } ways[] = {
        {"?u", NULL, false, 2},                         // nothing
        {"u", "a.x", false, 1},                         // a state
        {"u", "a.y", false, 1},                         // an output
        {"!u", "a.y", false, 1},                        // for derive only: still coupled
        {"=u", "a.x", false, 2},                        // held
        {"=u", "a.y", false, 2}, {"u", "a.y", true, 2}, // delayed
        {"u", "d.n", false, 2},                         // through something discrete
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        bench b;
        bench_begin(&b, NULL);
        bench_group(&b, "g", 1000, 0);
        const probe pa = named("a", NULL), pb = named("b", ways[i].input);
        bench_add(&b, &pb);
        bench_add(&b, &pa);
        bench_add(
            &b, &(probe){.name = "d", .group = "g", .in = {"x"}, .out = {"n"}, .step = probe_copy});
        bench_route(&b, "d.x", "a.x");
        if (ways[i].delayed)
            bench_delayed(&b, "b.u", ways[i].from);
        else if (ways[i].from)
            bench_route(&b, "b.u", ways[i].from);
        bench_prepare(&b);
        const tac_sizes n = tac_engine_sizes(b.engine);
        assert_int_equal(n.islands, ways[i].islands);
        assert_int_equal(n.states, 2);
        // An island is named after the first of its components in order of name, whichever was
        // declared first.
        bench_digest(&b, "a#state");
        if (ways[i].islands == 2)
            bench_digest(&b, "a#state");
        bench_run(&b, 10000);
        bench_end(&b);
    }
}

static void test_islands_of_many(void **state)
{
    (void)state;
    // a-b and c-d are pairs; e hangs on both.
    for (int joined = 0; joined < 2; joined++) {
        bench b;
        bench_begin(&b, NULL);
        static const char *const names[] = {"a", "b", "c", "d"};
        for (int i = 0; i < 4; i++) {
            const probe p = named(names[i], i % 2 ? "u" : NULL);
            bench_add(&b, &p);
        }
        probe e = named("e", "?u");
        e.in[1] = "?v";
        bench_add(&b, &e);
        bench_route(&b, "b.u", "a.x");
        bench_route(&b, "d.u", "c.y");
        if (joined) {
            bench_route(&b, "e.u", "d.x");
            bench_route(&b, "e.v", "b.y");
        }
        bench_prepare(&b);
        assert_int_equal(tac_engine_sizes(b.engine).islands, joined ? 1 : 3);
        bench_end(&b);
    }
}

// --- a coupled chain ----------------------------------------------------------------------------

// a: two states, an oscillator driven by time. b: follows a's output. c: follows b's state and a's
// second one. Declared backwards, so that outputs have to be sorted.
static tac_status a_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = e->x[1];
    e->dx[1] = -4 * e->x[0] - 0.3 * e->x[1] + e->t_s;
    return TAC_OK;
}

static tac_status a_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = 3 * e->x[0] + e->t_s;
    return TAC_OK;
}

static tac_status b_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = *TAC_IN(e, double, 0) - e->x[0] * e->x[0];
    return TAC_OK;
}

static tac_status b_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = *TAC_IN(e, double, 0) * e->x[0];
    return TAC_OK;
}

static tac_status c_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = *TAC_IN(e, double, 0) - *TAC_IN(e, double, 1) * e->x[0] + *TAC_IN(e, double, 2);
    return TAC_OK;
}

static void joint(double t_s, const double *x, double *dx)
{
    const double y = 3 * x[2] + t_s, yb = y * x[1];
    dx[0] = yb - x[3] * x[0] + x[1];
    dx[1] = y - x[1] * x[1];
    dx[2] = x[3];
    dx[3] = -4 * x[2] - 0.3 * x[3] + t_s;
}

static tac_status start_at_p(tac_step *s, const void *self)
{
    const probe *p = probe_of(self);
    double *x = tac_jump(s);
    for (int i = 0; i < PROBE_PORTS && p->x[i]; i++)
        x[i] = p->p[i];
    return TAC_OK;
}

static void add_chain(bench *b)
{
    bench_add(b, &(probe){.name = "c",
                          .in = {"yb", "v", "xb"},
                          .x = {"x"},
                          .p = {0.5},
                          .init = start_at_p,
                          .derive = c_derive});
    bench_add(b, &(probe){.name = "b",
                          .in = {"y"},
                          .out = {"y"},
                          .x = {"x"},
                          .p = {-0.25},
                          .init = start_at_p,
                          .derive = b_derive,
                          .output = b_output});
    bench_add(b, &(probe){.name = "a",
                          .out = {"y"},
                          .x = {"x", "v"},
                          .p = {1, 0.125},
                          .init = start_at_p,
                          .derive = a_derive,
                          .output = a_output});
    bench_route(b, "b.y", "a.y");
    bench_route(b, "c.yb", "b.y");
    bench_route(b, "c.v", "a.v");
    bench_route(b, "c.xb", "b.x");
}

static void test_chain_by_hand(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        bench b;
        const tac_engine_def def = def_of(method ? "rk4" : "euler", 700, 100300);
        bench_begin(&b, &def);
        bench_group(&b, "g", 1000, 0);
        add_chain(&b);
        bench_add(&b, &(probe){.name = "s", .group = "g", .in = {"c", "b", "a", "v", "yb"}});
        bench_route(&b, "s.c", "c.x");
        bench_route(&b, "s.b", "b.x");
        bench_route(&b, "s.a", "a.x");
        bench_route(&b, "s.v", "a.v");
        bench_route(&b, "s.yb", "b.y");
        bench_prepare(&b);
        assert_int_equal(tac_engine_sizes(b.engine).islands, 1);
        bench_run(&b, TAC_TIME_MAX);
        double x[4] = {0.5, -0.25, 1, 0.125};
        tac_time t = 0;
        for (;;) {
            const double t_s = (double)t / 1e6;
            if (t % 1000 == 0) {
                const bench_entry *e = bench_at(&b, "s", AT_STEP, t);
                for (int i = 0; i < 4; i++)
                    assert_bits(e->in[i], x[i]);
                assert_bits(e->in[4], (3 * x[2] + t_s) * x[1]);
            }
            if (t == 100300)
                break;
            // Steps of 700 us, cut at each millisecond and at the end.
            tac_time to = t + 700, boundary = t / 1000 * 1000 + 1000;
            to = to < boundary ? to : boundary;
            to = to < 100300 ? to : 100300;
            (method ? rk4 : euler)(joint, 4, t_s, (double)(to - t) / 1e6, x);
            t = to;
        }
        assert_bits(bench_read(&b, "c.x"), x[0]);
        assert_bits(bench_read(&b, "a.v"), x[3]);
        bench_end(&b);
    }
}

// Nothing of this depends on the order of declaration but the layout of the state.
static void test_physics_axis(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = def_of("rk4", 1000000, 1000000);
    def.physics_us = 2500;
    bench_begin(&b, &def);
    const probe a = named("a", NULL), c = named("c", NULL);
    bench_add(&b, &a);
    bench_add(&b, &c);
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    assert_int_equal(tac_engine_counters(b.engine).integration_steps, 2 * 400);
    assert_int_equal(tac_engine_counters(b.engine).boundaries, 401);
    bench_end(&b);
}

// --- held inputs --------------------------------------------------------------------------------

static double held_u;

static void held_joint(double t_s, const double *x, double *dx)
{
    (void)t_s;
    dx[0] = -x[0];
    dx[1] = -x[1] + held_u;
}

static void test_held_is_sampled_at_boundaries(void **state)
{
    (void)state;
    // From another island, and from the island that it is itself a part of: b feeds a's input.
    for (int same = 0; same < 2; same++) {
        for (int order = 0; order < 2; order++) {
            bench b;
            const tac_engine_def def = def_of("rk4", 300, 20000);
            bench_begin(&b, &def);
            bench_group(&b, "g", 1000, 0);
            probe pa = named("a", "?u"), pb = named("b", "=u");
            pa.p[1] = 0; // coupled, but without effect
            bench_add(&b, order ? &pa : &pb);
            bench_add(&b, order ? &pb : &pa);
            bench_add(&b, &(probe){.name = "s", .group = "g", .in = {"a", "b"}});
            bench_route(&b, "s.a", "a.x");
            bench_route(&b, "s.b", "b.x");
            bench_route(&b, "b.u", "a.x");
            if (same)
                bench_route(&b, "a.u", "b.x");
            bench_prepare(&b);
            assert_int_equal(tac_engine_sizes(b.engine).islands, same ? 1 : 2);
            bench_run(&b, TAC_TIME_MAX);
            double x[2] = {1, 1};
            for (tac_time t = 0; t <= 20000; t += 1000) {
                const bench_entry *e = bench_at(&b, "s", AT_STEP, t);
                assert_bits(e->in[0], x[0]);
                assert_bits(e->in[1], x[1]);
                held_u = x[0];
                for (int i = 0; i < 4; i++)
                    rk4(held_joint, 2, 0, i < 3 ? 300 / 1e6 : 100 / 1e6, x);
            }
            bench_end(&b);
        }
    }
}

// Only the reader has boundaries: the other island must come there too, to be sampled. And without
// an `output` nothing but stage 10 itself takes the sample.
static void test_held_from_an_island_without_boundaries(void **state)
{
    (void)state;
    bench b;
    const tac_engine_def def = def_of("rk4", 1000000, 20000);
    bench_begin(&b, &def);
    bench_group(&b, "g", 1000, 0);
    probe pa = named("a", NULL), pb = named("b", "=u");
    pb.output = NULL;
    pb.out[0] = NULL;
    bench_add(&b, &pb);
    bench_add(&b, &pa);
    bench_add(&b, &(probe){.name = "s", .group = "g", .in = {"b"}});
    bench_route(&b, "s.b", "b.x");
    bench_route(&b, "b.u", "a.x");
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    double x[2] = {1, 1};
    for (tac_time t = 0; t <= 20000; t += 1000) {
        assert_bits(bench_at(&b, "s", AT_STEP, t)->in[0], x[1]);
        held_u = x[0];
        rk4(held_joint, 2, 0, 0.001, x);
    }
    bench_end(&b);
}

// What discrete code writes at a boundary is seen by the integration from there on, through a route
// that scales as well; a delayed one shows what was written before.
static void test_discrete_inputs_through_routes(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        bench b;
        const tac_engine_def def = def_of("rk4", 1000000, 20000);
        bench_begin(&b, &def);
        bench_group(&b, "g", 1000, 0);
        probe p = named("p", "u");
        p.output = NULL;
        p.out[0] = NULL;
        bench_add(&b, &p);
        bench_add(
            &b, &(probe){.name = "c", .group = "g", .stage = "actuate", .in = {"x"}, .out = {"n"}});
        bench_route(&b, "c.x", "p.x");
        tac_route_def r = tac_route_def_default();
        r.to = "p.u";
        r.from = "c.n";
        r.gain = way == 1 ? -2 : 1;
        r.delayed = way == 2;
        assert_int_equal(tac_engine_add_route(b.engine, &r, &b.err), TAC_OK);
        bench_prepare(&b);
        bench_run(&b, TAC_TIME_MAX);
        double x[2] = {0, 1};
        for (int k = 0; k <= 20; k++) {
            assert_bits(bench_at(&b, "c", AT_STEP, (tac_time)k * 1000)->in[0], x[1]);
            held_u = way == 0 ? k + 1 : way == 1 ? -2 * (k + 1) : k;
            rk4(held_joint, 2, 0, 0.001, x);
        }
        bench_end(&b);
    }
}

// --- algebraic loops ----------------------------------------------------------------------------

static tac_status through(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = *TAC_IN(e, double, 0) + e->x[0];
    return TAC_OK;
}

static void test_algebraic_loop(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    static const char *const names[] = {"p", "q", "r"};
    for (int i = 0; i < 3; i++) {
        probe p = named(names[i], "u");
        p.output = through;
        p.place = (tac_place){"loop.yaml", (uint32_t)i + 1, 1, names[i]};
        bench_add(&b, &p);
    }
    const probe tail = named("tail", "u");
    bench_add(&b, &tail);
    bench_route(&b, "q.u", "p.y");
    bench_route(&b, "r.u", "q.y");
    bench_route(&b, "p.u", "r.y");
    bench_route(&b, "tail.u", "p.y");
    assert_int_equal(bench_try_prepare(&b), TAC_E_CYCLE);
    bench_error(&b, TAC_E_CYCLE, "algebraic loop", "p.y -> q.y -> r.y -> p.y", NULL);
    assert_null(strstr(b.err.text, "tail"));
    assert_int_equal(b.err.line, 1);
    bench_end(&b);
}

// Components that need outputs of each other, though no output needs itself. Each has three
// outputs, each of them two inputs of its own: o = (o + 1) x + in / 2 + in / 4.
enum { KNOTS = 4, ENDS = 3, TIES = KNOTS * ENDS };

static int ties[TIES][2]; // outputs that feed each output; -1: none
static int sequence[TIES];

static tac_status knot_output(const tac_eval *e, const void *self)
{
    (void)self;
    for (int o = 0; o < ENDS; o++) {
        const double *u = TAC_IN(e, double, 2 * o), *v = TAC_IN(e, double, 2 * o + 1);
        *TAC_OUT(e, double, o) = (o + 1) * e->x[0] + 0.5 * *u + 0.25 * *v;
    }
    return TAC_OK;
}

static tac_status knot_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = *TAC_IN(e, double, 0) - 3 * e->x[0];
    return TAC_OK;
}

static void tie_outputs(const double *x, double *y)
{
    for (int i = 0; i < TIES; i++) {
        const int n = sequence[i];
        const double u = ties[n][0] < 0 ? 0 : y[ties[n][0]], v = ties[n][1] < 0 ? 0 : y[ties[n][1]];
        y[n] = (n % ENDS + 1) * x[n / ENDS] + 0.5 * u + 0.25 * v;
    }
}

static void knot_joint(double t_s, const double *x, double *dx)
{
    (void)t_s;
    double y[TIES];
    tie_outputs(x, y);
    for (int i = 0; i < KNOTS; i++)
        dx[i] = (ties[i * ENDS][0] < 0 ? 0 : y[ties[i * ENDS][0]]) - 3 * x[i];
}

static const char *knot_name(int output)
{
    static char text[16];
    snprintf(text, sizeof text, "k%d.y%d", output / ENDS, output % ENDS);
    return text;
}

// In a random order of all outputs each may need those before it.
static void draw_ties(void)
{
    for (int i = 0; i < TIES; i++)
        sequence[i] = i;
    for (int i = TIES - 1; i > 0; i--) {
        const int other = rand() % (i + 1), swap = sequence[i];
        sequence[i] = sequence[other];
        sequence[other] = swap;
    }
    for (int i = 0; i < TIES; i++) {
        for (int k = 0; k < 2; k++)
            ties[sequence[i]][k] = i > 0 && rand() % 4 ? sequence[rand() % i] : -1;
    }
}

static void begin_knots(bench *b)
{
    static const char *const names[] = {"k0", "k1", "k2", "k3"};
    const tac_engine_def def = def_of("rk4", 1000, 20000);
    bench_begin(b, &def);
    bench_group(b, "g", 7000, 0);
    for (int i = 0; i < KNOTS; i++)
        bench_add(b, &(probe){.name = names[i],
                              .in = {"?a", "?b", "?c", "?d", "?e", "?f"},
                              .out = {"y0", "y1", "y2"},
                              .direct = {"01", "23", "45"},
                              .x = {"x"},
                              .p = {0, 0, 0, 1 + i},
                              .init = linear_init,
                              .derive = knot_derive,
                              .output = knot_output,
                              .constant = true});
    bench_add(b, &(probe){.name = "reader", .group = "g", .in = {"y"}});
    bench_route(b, "reader.y", "k1.y2");
    for (int n = 0; n < TIES; n++) {
        for (int k = 0; k < 2; k++) {
            char to[16];
            snprintf(to, sizeof to, "k%d.%c", n / ENDS, 'a' + 2 * (n % ENDS) + k);
            if (ties[n][k] >= 0)
                bench_route(b, to, knot_name(ties[n][k]));
        }
    }
}

static void test_feedthrough_by_output(void **state)
{
    (void)state;
    srand(3);
    for (int round = 0; round < 100; round++) {
        bench b;
        draw_ties();
        begin_knots(&b);
        bench_prepare(&b);
        bench_run(&b, TAC_TIME_MAX);
        double x[KNOTS] = {1, 2, 3, 4}, y[TIES];
        for (int i = 0; i < 20; i++)
            rk4(knot_joint, KNOTS, 0, 0.001, x);
        tie_outputs(x, y);
        for (int n = 0; n < TIES; n++)
            assert_bits(bench_read(&b, knot_name(n)), y[n]);
        bench_end(&b);
    }
}

// A loop of outputs is one, and is shown as such; others of the same components are not in it.
static void test_loop_of_outputs(void **state)
{
    (void)state;
    for (int n = 0; n < TIES; n++)
        ties[n][0] = ties[n][1] = -1;
    ties[0][0] = 5; // k0.y0 needs k1.y2
    ties[5][1] = 9; // which needs k3.y0
    ties[9][0] = 0; // which needs k0.y0
    ties[1][0] = 4; // and k0.y1 needs k1.y1
    bench b;
    begin_knots(&b);
    assert_int_equal(bench_try_prepare(&b), TAC_E_CYCLE);
    bench_error(&b, TAC_E_CYCLE, "algebraic loop", "k0.y0 -> k3.y0 -> k1.y2 -> k0.y0", NULL);
    assert_null(strstr(b.err.text, "y1"));
    bench_end(&b);
}

static void loop_joint(double t_s, const double *x, double *dx)
{
    (void)t_s;
    const double yq = x[1], yp = yq + x[0];
    dx[0] = -x[0] + yq;
    dx[1] = -x[1] + yp;
}

static void test_derive_only_breaks_the_loop(void **state)
{
    (void)state;
    // p's output needs q's, q's is its state: its derivative needs p's output.
    bench b;
    const tac_engine_def def = def_of("rk4", 1000, 50000);
    bench_begin(&b, &def);
    probe p = named("p", "u");
    const probe q = named("q", "!u");
    p.output = through;
    bench_add(&b, &p);
    bench_add(&b, &q);
    bench_route(&b, "p.u", "q.y");
    bench_route(&b, "q.u", "p.y");
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    double x[2] = {1, 1};
    for (int i = 0; i < 50; i++)
        rk4(loop_joint, 2, 0, 0.001, x);
    assert_bits(bench_read(&b, "p.x"), x[0]);
    assert_bits(bench_read(&b, "q.x"), x[1]);
    assert_bits(bench_read(&b, "p.y"), x[1] + x[0]);
    bench_end(&b);
}

// The same through a route that scales, declared both ways round: derive must see this evaluation.
static double scale_gain, scale_offset;

static void scaled_joint(double t_s, const double *x, double *dx)
{
    (void)t_s;
    const double yq = x[1], yp = (scale_gain * yq + scale_offset) + x[0];
    dx[0] = -x[0] + (scale_gain * yq + scale_offset);
    dx[1] = -x[1] + (scale_gain * yp + scale_offset);
}

static void test_gain_and_offset_inside(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        bench b;
        const tac_engine_def def = def_of("rk4", 1000, 50000);
        bench_begin(&b, &def);
        probe p = named("p", "u");
        const probe q = named("q", "!u");
        p.output = through;
        bench_add(&b, order ? &q : &p);
        bench_add(&b, order ? &p : &q);
        for (int i = 0; i < 2; i++) {
            tac_route_def r = tac_route_def_default();
            r.to = i ? "p.u" : "q.u";
            r.from = i ? "q.y" : "p.y";
            r.gain = scale_gain = -0.75;
            r.offset = scale_offset = 0.1;
            assert_int_equal(tac_engine_add_route(b.engine, &r, &b.err), TAC_OK);
        }
        bench_prepare(&b);
        assert_int_equal(tac_engine_sizes(b.engine).islands, 1);
        bench_run(&b, TAC_TIME_MAX);
        double x[2] = {1, 1};
        for (int i = 0; i < 50; i++)
            rk4(scaled_joint, 2, 0, 0.001, x);
        assert_bits(bench_read(&b, "p.x"), x[0]);
        assert_bits(bench_read(&b, "q.x"), x[1]);
        assert_bits(bench_read(&b, "p.y"), (scale_gain * x[1] + scale_offset) + x[0]);
        bench_end(&b);
    }
}

static void convert_joint(double t_s, const double *x, double *dx)
{
    (void)t_s;
    dx[0] = -x[0];
    dx[1] = -x[1] + x[0] * 1000;
}

static void test_convert_inside(void **state)
{
    (void)state;
    bench b;
    const tac_engine_def def = def_of("rk4", 1000, 50000);
    bench_begin(&b, &def);
    probe p = named("p", NULL), q = named("q", "u:m");
    p.x[0] = "x:km";
    p.out[0] = "y:km";
    bench_add(&b, &q);
    bench_add(&b, &p);
    tac_route_def r = tac_route_def_default();
    r.to = "q.u";
    r.from = "p.y";
    r.convert = true;
    assert_int_equal(tac_engine_add_route(b.engine, &r, &b.err), TAC_OK);
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    double x[2] = {1, 1};
    for (int i = 0; i < 50; i++)
        rk4(convert_joint, 2, 0, 0.001, x);
    assert_bits(bench_read(&b, "p.x"), x[0]);
    assert_bits(bench_read(&b, "q.x"), x[1]);
    bench_end(&b);
}

// Single elements of an output and of a state of several.
static tac_status spin_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = e->x[1];
    e->dx[1] = -e->x[0];
    e->dx[2] = 1;
    return TAC_OK;
}

static tac_status spin_output(const tac_eval *e, const void *self)
{
    (void)self;
    for (int i = 0; i < 3; i++)
        TAC_OUT(e, double, 0)[i] = 2 * e->x[i];
    return TAC_OK;
}

static tac_status spin_start(tac_step *s, const void *self)
{
    (void)self;
    tac_jump(s)[0] = 1;
    return TAC_OK;
}

static void spin_joint(double t_s, const double *x, double *dx)
{
    (void)t_s;
    dx[0] = x[1];
    dx[1] = -x[0];
    dx[2] = 1;
    dx[3] = -x[3] + 2 * x[1];
    dx[4] = -x[4] + x[2];
}

static void test_elements_inside(void **state)
{
    (void)state;
    bench b;
    const tac_engine_def def = def_of("rk4", 1000, 50000);
    bench_begin(&b, &def);
    bench_add(&b, &(probe){.name = "s",
                           .out = {"w@vec3"},
                           .x = {"r@vec3"},
                           .init = spin_start,
                           .derive = spin_derive,
                           .output = spin_output});
    const probe p = named("p", "u"), q = named("q", "u");
    bench_add(&b, &p);
    bench_add(&b, &q);
    bench_route(&b, "p.u", "s.w.y");
    bench_route(&b, "q.u", "s.r[2]");
    bench_prepare(&b);
    assert_int_equal(tac_engine_sizes(b.engine).islands, 1);
    bench_run(&b, TAC_TIME_MAX);
    double x[5] = {1, 0, 0, 1, 1};
    for (int i = 0; i < 50; i++)
        rk4(spin_joint, 5, 0, 0.001, x);
    assert_bits(bench_read(&b, "p.x"), x[3]);
    assert_bits(bench_read(&b, "q.x"), x[4]);
    bench_end(&b);
}

// --- constants ----------------------------------------------------------------------------------

static tac_status set_three(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = 3;
    return TAC_OK;
}

// An output that only init writes is a signal that never changes; it makes no island.
static void test_constant_without_a_step(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        bench b;
        const tac_engine_def def = def_of("rk4", 1000000, 50000);
        bench_begin(&b, &def);
        bench_group(&b, "g", 50000, 0);
        const probe k = {.name = "k", .out = {"v"}, .init = set_three, .constant = true};
        const probe p = named("p", "u");
        bench_add(&b, first ? &k : &p);
        bench_add(&b, first ? &p : &k);
        bench_add(&b, &(probe){.name = "r", .group = "g", .stage = "scenario", .in = {"u"}});
        bench_route(&b, "p.u", "k.v");
        bench_route(&b, "r.u", "k.v");
        bench_prepare(&b);
        assert_int_equal(tac_engine_sizes(b.engine).islands, 1);
        bench_run(&b, TAC_TIME_MAX);
        assert_true(bench_find(&b, "r", AT_STEP, 0)->in[0] == 3);
        assert_int_equal(tac_engine_counters(b.engine).integration_steps, 1);
        double x[2] = {0, 1};
        held_u = 3;
        rk4(held_joint, 2, 0, 0.05, x);
        assert_bits(bench_read(&b, "p.x"), x[1]);
        bench_end(&b);
    }
}

// --- projection ---------------------------------------------------------------------------------

static tac_status not_above_half(const tac_eval *e, const void *self, double *x)
{
    (void)e;
    probe_of(self)->projects++;
    x[0] = x[0] > 0.5 ? 0.5 : x[0];
    return TAC_OK;
}

static void ramp(double t_s, const double *x, double *dx)
{
    (void)t_s;
    (void)x;
    dx[0] = 100;
}

static void test_project_at_boundaries(void **state)
{
    (void)state;
    bench b;
    const tac_engine_def def = def_of("rk4", 1000, 20000);
    bench_begin(&b, &def);
    bench_group(&b, "g", 4000, 0);
    probe p = named("p", NULL);
    p.p[0] = 0, p.p[2] = 100, p.p[3] = 0.75; // starts beyond its bound, and ramps
    p.project = not_above_half;
    probe *tank = bench_add(&b, &p);
    bench_add(&b, &(probe){.name = "s", .group = "g", .in = {"x", "y"}});
    bench_observe(&b, "o", 1000, 0, "p.x");
    bench_route(&b, "s.x", "p.x");
    bench_route(&b, "s.y", "p.y");
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    double x = 0.5;
    for (tac_time t = 0; t <= 20000; t += 1000) {
        if (t % 4000 == 0)
            x = 0.5;
        assert_bits(bench_at(&b, "o", AT_OBSERVER, t)->in[0], x);
        if (t % 4000 == 0) {
            assert_bits(bench_at(&b, "s", AT_STEP, t)->in[0], 0.5);
            assert_bits(bench_at(&b, "s", AT_STEP, t)->in[1], 0.5);
        }
        rk4(ramp, 1, 0, 0.001, &x); // steps inside an interval may leave the bounds
    }
    assert_int_equal(tank->projects, 6);
    bench_end(&b);
}

// --- jumps --------------------------------------------------------------------------------------

static tac_status jump_at_5ms(tac_step *s, const void *self)
{
    *TAC_OUT(s, double, 1) = (double)++probe_of(self)->steps;
    double *x = s->t_us == 5000 ? tac_jump(s) : NULL;
    if (x)
        x[0] += 10;
    return TAC_OK;
}

static void decay(double t_s, const double *x, double *dx)
{
    (void)t_s;
    dx[0] = -x[0];
}

static void test_jump_refreshes_outputs(void **state)
{
    (void)state;
    bench b;
    const tac_engine_def def = def_of("rk4", 1000, 10000);
    bench_begin(&b, &def);
    bench_group(&b, "g", 1000, 0);
    probe p = named("p", NULL);
    p.group = "g";
    p.stage = "actuate";
    p.out[0] = "~y";
    p.out[1] = "n";
    p.step = jump_at_5ms;
    p.post = true;
    p.silent = true;
    bench_add(&b, &p);
    bench_add(&b, &(probe){.name = "e", .group = "g", .stage = "estimate", .in = {"y", "x"}});
    bench_add(&b, &(probe){.name = "z", .group = "g", .stage = "actuate", .in = {"y", "n"}});
    bench_add(&b, &(probe){.name = "old", .group = "g", .stage = "actuate", .in = {"y"}});
    bench_observe(&b, "ox", 1000, 0, "p.x");
    bench_observe(&b, "oy", 1000, 0, "p.y");
    bench_route(&b, "e.y", "p.y");
    bench_route(&b, "e.x", "p.x");
    bench_route(&b, "z.y", "p.y");
    bench_route(&b, "z.n", "p.n");
    bench_delayed(&b, "old.y", "p.y");
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    double x = 1, before = 1;
    for (tac_time t = 0; t <= 10000; t += 1000) {
        assert_bits(bench_at(&b, "e", AT_STEP, t)->in[0], x);
        assert_bits(bench_at(&b, "e", AT_STEP, t)->in[1], x);
        if (t == 5000)
            x += 10;
        // Whatever comes after it in this boundary sees the new state and its outputs.
        assert_bits(bench_at(&b, "z", AT_STEP, t)->in[0], x);
        assert_bits(bench_at(&b, "ox", AT_OBSERVER, t)->in[0], x);
        assert_bits(bench_at(&b, "oy", AT_OBSERVER, t)->in[0], x);
        assert_bits(bench_at(&b, "old", AT_STEP, t)->in[0], before);
        before = x;
        rk4(decay, 1, 0, 0.001, &x);
    }
    bench_end(&b);
}

// Several jumps of one island at one boundary: a delayed reader still sees the last boundary.
static tac_status jump_always(tac_step *s, const void *self)
{
    (void)self;
    tac_jump(s)[0] += 1;
    return TAC_OK;
}

static tac_status keep(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = 0;
    return TAC_OK;
}

static tac_status sum_output(const tac_eval *e, const void *self)
{
    double sum = e->x[0];
    for (int i = 0; i < probe_of(self)->in_count; i++)
        sum += *TAC_IN(e, double, i);
    *TAC_OUT(e, double, 0) = sum;
    return TAC_OK;
}

static void test_many_jumps_at_once(void **state)
{
    (void)state;
    bench b;
    const tac_engine_def def = def_of("rk4", 1000, 10000);
    bench_begin(&b, &def);
    bench_group(&b, "g", 1000, 0);
    static const char *const names[] = {"j0", "j1", "j2", "j3", "j4", "j5"};
    static const char *const states[] = {"j0.x", "j1.x", "j2.x", "j3.x", "j4.x", "j5.x"};
    for (int i = 0; i < 6; i++)
        bench_add(&b, &(probe){.name = names[i],
                               .group = "g",
                               .stage = "actuate",
                               .x = {"x"},
                               .derive = keep,
                               .step = jump_always});
    bench_add(&b, &(probe){.name = "sum",
                           .in = {"a", "b", "c", "d", "e", "f"},
                           .out = {"y"},
                           .x = {"x"},
                           .derive = keep,
                           .output = sum_output});
    for (int i = 0; i < 6; i++) {
        const char to[] = {'s', 'u', 'm', '.', (char)('a' + i), 0};
        bench_route(&b, to, states[i]);
    }
    bench_add(&b, &(probe){.name = "now", .group = "g", .stage = "actuate", .in = {"y"}});
    bench_add(&b, &(probe){.name = "old", .group = "g", .stage = "actuate", .in = {"y"}});
    bench_route(&b, "now.y", "sum.y");
    bench_delayed(&b, "old.y", "sum.y");
    bench_prepare(&b);
    assert_int_equal(tac_engine_sizes(b.engine).islands, 1);
    bench_run(&b, TAC_TIME_MAX);
    for (int k = 0; k <= 10; k++) {
        assert_true(bench_at(&b, "now", AT_STEP, (tac_time)k * 1000)->in[0] == 6 * (k + 1));
        assert_true(bench_at(&b, "old", AT_STEP, (tac_time)k * 1000)->in[0] == 6 * k);
    }
    bench_end(&b);
}

static tac_status expect_no_jump(tac_step *s, const void *self)
{
    assert_null(tac_jump(s));
    return probe_step(s, self);
}

static void test_jumps_in_actuate_only(void **state)
{
    (void)state;
    static const char *const stages[] = {"scenario", "environment", "outputs", "estimate",
                                         "control"};
    for (size_t i = 0; i < 5; i++) {
        bench b;
        bench_begin(&b, NULL);
        bench_group(&b, "g", 1000, 0);
        probe p = named("p", NULL);
        p.out[0] = "~y";
        p.group = "g";
        p.stage = stages[i];
        p.step = p.pre_step = p.post_step = expect_no_jump;
        p.out[0] = NULL;
        p.output = NULL;
        bench_add(&b, &p);
        bench_prepare(&b);
        bench_run(&b, 3000);
        bench_end(&b);
    }
}

// --- faults -------------------------------------------------------------------------------------

static tac_status faulty_derive(const tac_eval *e, const void *self)
{
    const probe *p = probe_of(self);
    const bool now = e->t_s > 0.0101;
    e->dx[0] = 1;
    e->dx[1] = e->dx[2] = e->dx[3] = -1;
    if (p->p[0] == 2 && now)
        return TAC_E_RANGE;
    if (now)
        e->dx[2] = p->p[0] == 0 ? (double)NAN : (double)INFINITY;
    return TAC_OK;
}

static void test_fault_stops_the_run(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        bench b;
        const tac_engine_def def = def_of("rk4", 1000, 1000000);
        bench_begin(&b, &def);
        bench_entity(&b, "uav");
        bench_group(&b, "g", 4000, 0);
        const probe before = named("ok", NULL);
        bench_add(&b, &before);
        bench_add(&b, &(probe){.entity = "uav",
                               .name = "body",
                               .x = {"q", "w@vec3"},
                               .p = {kind},
                               .derive = faulty_derive});
        bench_add(&b, &(probe){.name = "s", .group = "g", .in = {"q"}});
        bench_route(&b, "s.q", "uav.body.q");
        bench_prepare(&b);
        const tac_status status = bench_try_run(&b, TAC_TIME_MAX);
        if (kind < 2) {
            assert_int_equal(status, TAC_E_NUMERIC);
            bench_error(&b, TAC_E_NUMERIC, "uav.body.w", "[1]", kind ? "infinite" : "NaN", NULL);
        } else {
            assert_int_equal(status, TAC_E_RANGE);
            bench_error(&b, TAC_E_RANGE, "right-hand side", NULL);
        }
        assert_string_equal(b.err.component, "uav.body");
        assert_int_equal(b.err.t_us, 10000); // where the step began that failed
        char text[1024];
        tac_error_print(&b.err, text, sizeof text);
        assert_non_null(strstr(text, "at t = 10 ms, component 'uav.body'"));
        // What there was before can be read, and is finite; the run goes no further.
        assert_true(tac_engine_time(b.engine) <= 10000);
        assert_true(fabs(bench_read(&b, "uav.body.q") - 0.010) < 1e-12);
        const double *w = tac_engine_read(b.engine, tac_engine_find_signal(b.engine, "uav.body.w"));
        assert_non_null(w);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(w[i] + 0.010) < 1e-12);
        assert_true(bench_read(&b, "ok.x") > 0.9);
        assert_true(bench_hash(&b, NULL) != 0);
        assert_int_equal(bench_count(&b, "s", AT_STEP), 3);
        assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_CALLER);
        bench_end(&b);
    }
}

// --- order of convergence -----------------------------------------------------------------------

static tac_status swing_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = e->x[0] * cos(e->t_s); // x = exp(sin t)
    return TAC_OK;
}

static double error_of(const char *kind, tac_time h_us)
{
    bench b;
    const tac_engine_def def = def_of(kind, h_us, 2000000);
    bench_begin(&b, &def);
    bench_add(
        &b,
        &(probe){.name = "p", .x = {"x"}, .p = {1}, .init = start_at_p, .derive = swing_derive});
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    assert_int_equal(tac_engine_counters(b.engine).integration_steps, 2000000 / h_us);
    const double error = fabs(bench_read(&b, "p.x") - exp(sin(2.0)));
    bench_end(&b);
    return error;
}

static void test_order_of_convergence(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        double order;
        tac_time h_us;
    } methods[] = {{"euler", 1, 2000}, {"rk4", 4, 100000}};
    for (int i = 0; i < 2; i++) {
        double error = error_of(methods[i].kind, methods[i].h_us);
        for (tac_time h = methods[i].h_us / 2; h >= methods[i].h_us / 8; h /= 2) {
            const double finer = error_of(methods[i].kind, h);
            const double order = log2(error / finer);
            if (fabs(order - methods[i].order) > 0.15)
                fail_msg("%s converges with order %g", methods[i].kind, order);
            error = finer;
        }
    }
}

// Equations see the instants of the method, in seconds since the start.
static double seen_at[64];
static int seen;

static tac_status note_time(const tac_eval *e, const void *self)
{
    (void)self;
    seen_at[seen++] = e->t_s;
    e->dx[0] = 0;
    return TAC_OK;
}

static void test_time_in_equations(void **state)
{
    (void)state;
    bench b;
    const tac_engine_def def = def_of("rk4", 1000, 2500);
    bench_begin(&b, &def);
    bench_add(&b, &(probe){.name = "p", .x = {"x"}, .derive = note_time});
    bench_prepare(&b);
    seen = 0;
    bench_run(&b, TAC_TIME_MAX);
    assert_int_equal(seen, 12);
    static const double from[] = {0, 0.001, 0.002}, h[] = {0.001, 0.001, 0.0005};
    for (int i = 0; i < 3; i++) {
        assert_bits(seen_at[4 * i], from[i]);
        assert_bits(seen_at[4 * i + 1], from[i] + 0.5 * h[i]);
        assert_bits(seen_at[4 * i + 2], from[i] + 0.5 * h[i]);
        assert_bits(seen_at[4 * i + 3], from[i] + h[i]);
    }
    bench_end(&b);
}

// --- held samples at stage 3 --------------------------------------------------------------------

static tac_status pass_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = *TAC_IN(e, double, 0);
    return TAC_OK;
}

// A held sample of another island is the one of the last boundary, whoever is declared first.
static void test_held_sample_does_not_depend_on_declaration(void **state)
{
    (void)state;
    for (int reader_first = 0; reader_first < 2; reader_first++) {
        bench b;
        tac_engine_def def = tac_engine_def_default();
        def.end_us = 3000;
        bench_begin(&b, &def);
        bench_group(&b, "g", 1000, 0);
        const probe writer = {.name = "w",
                              .group = "g",
                              .x = {"x"},
                              .out = {"y"},
                              .p = {0, 0, 1000},
                              .init = linear_init,
                              .derive = linear_derive,
                              .output = linear_output,
                              .constant = true};
        const probe reader = {.name = "r",
                              .group = "g",
                              .in = {"=u"},
                              .out = {"y"},
                              .output = pass_output,
                              .constant = true};
        bench_add(&b, reader_first ? &reader : &writer);
        bench_add(&b, reader_first ? &writer : &reader);
        bench_add(&b, &(probe){.name = "s", .group = "g", .in = {"u"}, .step = probe_step});
        bench_route(&b, "r.u", "w.y");
        bench_route(&b, "s.u", "r.y");
        bench_prepare(&b);
        bench_run(&b, 1000);
        const double last = bench_read(&b, "w.y");
        bench_run(&b, 2000);
        assert_true(bench_read(&b, "w.y") > last);
        assert_true(bench_read(&b, "r.y") == last);
        bench_end(&b);
    }
}

// A hook that does nothing changes nothing, not even what is held.
static tac_status no_hook(tac_step *s, const void *self)
{
    (void)s;
    (void)self;
    return TAC_OK;
}

static void test_empty_hook_changes_nothing(void **state)
{
    (void)state;
    bench b[2];
    for (int hook = 0; hook < 2; hook++) {
        tac_engine_def def = tac_engine_def_default();
        def.end_us = 5000;
        bench_begin(&b[hook], &def);
        bench_group(&b[hook], "g", 1000, 0);
        bench_add(&b[hook], &(probe){.name = "w",
                                     .group = "g",
                                     .x = {"x"},
                                     .p = {0, 0, 1000},
                                     .init = linear_init,
                                     .derive = linear_derive,
                                     .constant = true});
        bench_add(&b[hook], &(probe){.name = "r",
                                     .group = "g",
                                     .in = {"=u"},
                                     .out = {"y"},
                                     .output = pass_output,
                                     .constant = true,
                                     .pre_step = hook ? no_hook : NULL});
        bench_route(&b[hook], "r.u", "w.x");
        bench_prepare(&b[hook]);
        bench_run(&b[hook], TAC_TIME_MAX);
    }
    bench_same_digests(&b[0], &b[1], "*");
    bench_end(&b[0]);
    bench_end(&b[1]);
}

static tac_status explode(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = e->t_s > 0.002 ? (double)NAN : 1;
    return TAC_OK;
}

// The run stands still at its last instant: what did not fail can be read there.
static void test_failure_leaves_other_islands_readable(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "a",
                           .group = "g",
                           .x = {"x"},
                           .p = {0, 0, 1000},
                           .init = linear_init,
                           .derive = linear_derive,
                           .constant = true});
    bench_add(&b, &(probe){.name = "z",
                           .group = "g",
                           .x = {"x"},
                           .init = linear_init,
                           .derive = explode,
                           .constant = true});
    bench_prepare(&b);
    assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_NUMERIC);
    assert_true(tac_engine_time(b.engine) == 2000);
    assert_true(fabs(bench_read(&b, "a.x") - 2) < 1e-12);
    bench_end(&b);
}

TEST_MAIN(cmocka_unit_test(test_what_couples), cmocka_unit_test(test_islands_of_many),
          cmocka_unit_test(test_chain_by_hand), cmocka_unit_test(test_physics_axis),
          cmocka_unit_test(test_held_is_sampled_at_boundaries),
          cmocka_unit_test(test_held_from_an_island_without_boundaries),
          cmocka_unit_test(test_held_sample_does_not_depend_on_declaration),
          cmocka_unit_test(test_empty_hook_changes_nothing),
          cmocka_unit_test(test_failure_leaves_other_islands_readable),
          cmocka_unit_test(test_discrete_inputs_through_routes),
          cmocka_unit_test(test_algebraic_loop), cmocka_unit_test(test_feedthrough_by_output),
          cmocka_unit_test(test_loop_of_outputs),
          cmocka_unit_test(test_derive_only_breaks_the_loop),
          cmocka_unit_test(test_gain_and_offset_inside), cmocka_unit_test(test_convert_inside),
          cmocka_unit_test(test_elements_inside), cmocka_unit_test(test_constant_without_a_step),
          cmocka_unit_test(test_project_at_boundaries),
          cmocka_unit_test(test_jump_refreshes_outputs), cmocka_unit_test(test_many_jumps_at_once),
          cmocka_unit_test(test_jumps_in_actuate_only), cmocka_unit_test(test_fault_stops_the_run),
          cmocka_unit_test(test_order_of_convergence), cmocka_unit_test(test_time_in_equations))
