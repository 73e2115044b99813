// whole.h - steps of components in duals, and as graphs, beside those of numbers, through whole
// simulations.
//
// Each watched component has a copy of its outputs and states as duals of both kinds. Before a step
// of numbers the steps of duals run from the same inputs, and with the same draws; the copies go on
// from step to step, so that no value of them may ever differ from a bit of the simulation. At some
// of the steps derivatives are compared with differences of the step of numbers. The step of
// symbols runs once for steps of the rate group and once for leads; the graphs are then evaluated
// with the values of each step.
#ifndef TAC_TESTS_MODEL_WHOLE_H
#define TAC_TESTS_MODEL_WHOLE_H

#include "engine/test_rig.h"

#include "engine/run/evaluator.h"
#include "engine/run/loop.h"
#include "graph/tape.h"
#include "math/inputs.h"

#include <inttypes.h>

// Steps that are looked at: all. Under sanitizers, where duals are not optimised, some, each from
// the state of the simulation.
#ifdef __SANITIZE_ADDRESS__
enum { WHOLE_EVERY = 40 };
#else
enum { WHOLE_EVERY = 1 };
#endif

enum { WHOLE_PORTS = 32, WHOLE_BYTES = 8192, WHOLE_NUMBERS = 640, WHOLE_WATCHED = 16 };

// Values of ports in the form of a kind.
typedef struct whole_values {
    _Alignas(64) unsigned char bytes[WHOLE_BYTES * TAC_DUAL_WIDTH];
    void *at[WHOLE_PORTS];
} whole_values;

typedef struct whole_point {
    tac_kind kind;
    whole_values in, out, state;
    double p[WHOLE_NUMBERS * TAC_DUAL_WIDTH], decided[WHOLE_NUMBERS];
} whole_point;

enum { WHOLE_DRAWS = 64, WHOLE_VALUES = 2048 };
enum { WHOLE_IN, WHOLE_OUT, WHOLE_STATE, WHOLE_DECIDED, WHOLE_NOW, WHOLE_DRAWN, WHOLE_GROUPS };

// A step as a graph.
typedef struct whole_graph {
    tac_graph *graph;
    tac__arena arena;
    tac__tape *tape;
    size_t draws;
    int stream[WHOLE_DRAWS]; // of each call of tac_draw_normals, and how many values it drew
    size_t drawn[WHOLE_DRAWS];
} whole_graph;

typedef struct whole_component {
    tac_instance *instance;
    uint64_t trace_every; // steps at which graphs are compared; 0: all
    whole_graph graph[2]; // of a step, of a lead
    whole_point dual[2];  // TAC_DUALS, TAC_DUALS_OF_ALL
    tac_status (*extra)(tac_step *s, const void *self); // one more step of numbers, from `decided`
    uint64_t steps;
    uint64_t compare_every; // steps at which derivatives are compared; 0: none
    int compared, skipped, nonzero;
} whole_component;

static whole_component *whole_watched[WHOLE_WATCHED];
static size_t whole_count;

static inline size_t whole_width(tac_kind kind, const tac_type *type)
{
    return type->scalar == TAC_F64 ? tac__forms[kind].width : 1;
}

// Lay out the values of ports, and set them to those at `from`.
static inline void whole_lay(tac_kind kind, const tac__ports *ports, whole_values *v)
{
    size_t used = 0;
    assert_true(ports->count <= WHOLE_PORTS);
    for (size_t k = 0; k < ports->count; k++) {
        const tac_type *type = &ports->items[k].type;
        v->at[k] = v->bytes + used;
        used += type->count * tac__scalar_size(type->scalar) * whole_width(kind, type);
        used = (used + 63) / 64 * 64;
    }
    assert_true(used <= sizeof v->bytes);
}

static inline void whole_set(tac_kind kind, const tac__ports *ports, const void *const *from,
                             whole_values *v)
{
    for (size_t k = 0; k < ports->count; k++) {
        const tac_type *type = &ports->items[k].type;
        const size_t size = tac__scalar_size(type->scalar), width = whole_width(kind, type);
        memset(v->at[k], 0, type->count * size * width);
        for (size_t i = 0; i < type->count; i++)
            memcpy((unsigned char *)v->at[k] + i * width * size,
                   (const unsigned char *)from[k] + i * size, size);
    }
}

static inline void whole_set_numbers(const tac_instance *c, whole_point *at)
{
    const tac__form *f = &tac__forms[at->kind];
    const size_t width = f->numbers ? f->width : 1;
    assert_true(c->plan->number_count <= WHOLE_NUMBERS);
    memset(at->p, 0, sizeof at->p);
    for (size_t i = 0; i < c->plan->number_count; i++)
        at->p[i * width] = c->plan->numbers[i];
}

static inline void whole_lay_point(const tac_instance *c, tac_kind kind, whole_point *at)
{
    at->kind = kind;
    whole_lay(kind, &c->plan->inputs, &at->in);
    whole_lay(kind, &c->plan->outputs, &at->out);
    whole_lay(kind, &c->plan->states, &at->state);
    whole_set_numbers(c, at);
}

// The step of the instance as it stands, in the form of a kind.
static inline void whole_take(const tac_instance *c, const tac_step *s, tac_kind kind,
                              whole_point *at)
{
    whole_lay_point(c, kind, at);
    whole_set(kind, &c->plan->inputs, s->in, &at->in);
    whole_set(kind, &c->plan->outputs, (const void *const *)s->out, &at->out);
    whole_set(kind, &c->plan->states, (const void *const *)s->state, &at->state);
}

// The step of a kind on values of its own. It does not log, and draws go back to where they were.
static inline tac_status whole_run(tac_instance *c, const tac_step *s,
                                   tac_status (*step)(tac_step *, const void *), whole_point *at)
{
    uint64_t next[4];
    assert_true(c->stream_count <= 4);
    for (size_t i = 0; i < c->stream_count; i++)
        next[i] = *c->streams[i].next;
    tac_step own = *s;
    own.in = (const void *const *)at->in.at;
    own.out = at->out.at;
    own.state = at->state.at;
    own.p = at->p;
    own.decided = at->decided;
    const bool shadow = c->shadow;
    c->shadow = true;
    const tac_status status = step(&own, c->plan->self);
    c->shadow = shadow;
    for (size_t i = 0; i < c->stream_count; i++)
        *c->streams[i].next = next[i];
    return status;
}

static inline void whole_same(const tac_instance *c, tac_time t_us, const char *what,
                              const tac__ports *ports, const whole_values *got, tac_kind kind,
                              void *const *expected)
{
    for (size_t k = 0; k < ports->count; k++) {
        const tac__port *port = &ports->items[k];
        const size_t size = tac__scalar_size(port->type.scalar),
                     width = whole_width(kind, &port->type);
        for (size_t i = 0; i < port->type.count; i++) {
            const void *a = (const unsigned char *)got->at[k] + i * width * size;
            const void *b = (const unsigned char *)expected[k] + i * size;
            if (port->type.scalar == TAC_F64 ? same_bits(*(const double *)a, *(const double *)b)
                                             : !memcmp(a, b, size))
                continue;
            fail_msg("%s in kind %d at %" PRIu64 " us: %s '%s'[%zu] is %a, as numbers %a",
                     c->plan->name, (int)kind, t_us, what, port->name, i,
                     port->type.scalar == TAC_F64 ? *(const double *)a : 0,
                     port->type.scalar == TAC_F64 ? *(const double *)b : 0);
        }
    }
}

// --- derivatives --------------------------------------------------------------------------------

// The f64s of ports, one after another; NULL behind the last.
static inline double *whole_f64(const tac__ports *ports, tac_kind kind, whole_values *v, size_t *i)
{
    for (size_t k = 0; k < ports->count; k++) {
        const tac_type *type = &ports->items[k].type;
        if (type->scalar != TAC_F64)
            continue;
        if (*i < type->count)
            return (double *)v->at[k] + *i * tac__forms[kind].width;
        *i -= type->count;
    }
    return NULL;
}

// Value i of those that a derivative is taken by: inputs, states, numbers.
static inline double *whole_given(const tac__component *c, whole_point *at, size_t i)
{
    double *x = whole_f64(&c->inputs, at->kind, &at->in, &i);
    if (!x)
        x = whole_f64(&c->states, at->kind, &at->state, &i);
    const size_t width = tac__forms[at->kind].numbers ? tac__forms[at->kind].width : 1;
    return x ? x : i < c->number_count ? &at->p[i * width] : NULL;
}

// Value i of the results: outputs, states.
static inline double *whole_result(const tac__component *c, whole_point *at, size_t i)
{
    double *x = whole_f64(&c->outputs, at->kind, &at->out, &i);
    return x ? x : whole_f64(&c->states, at->kind, &at->state, &i);
}

// Central differences of fourth order of all results by value i, and how much those of both sides
// differ: at a kink the mean of two slopes means nothing.
static inline void whole_difference(tac_instance *c, const tac_step *s, size_t i, double h,
                                    double *slope, double *bend)
{
    static const int moves[5] = {-2, -1, 1, 2, 0};
    static whole_point at[5];
    for (int k = 0; k < 5; k++) {
        whole_take(c, s, TAC_NUMBERS, &at[k]);
        *whole_given(c->plan, &at[k], i) += moves[k] * h;
        assert_int_equal(whole_run(c, s, c->plan->type->kernels[TAC_NUMBERS].step, &at[k]), TAC_OK);
    }
    for (size_t o = 0; whole_result(c->plan, &at[0], o); o++) {
        double y[5];
        for (int k = 0; k < 5; k++)
            y[k] = *whole_result(c->plan, &at[k], o);
        slope[o] = (y[0] - y[3] + 8 * (y[2] - y[1])) / (12 * h);
        bend[o] = fabs(y[2] - 2 * y[4] + y[1]) / h;
    }
}

static inline void whole_differentiate(whole_component *w, const tac_step *s)
{
    static double coarse[WHOLE_NUMBERS], fine[WHOLE_NUMBERS], bend[WHOLE_NUMBERS];
    static whole_point now, dual;
    tac_instance *c = w->instance;
    const tac_kind kind = TAC_DUALS_OF_ALL;
    whole_take(c, s, TAC_NUMBERS, &now);
    for (size_t i = 0; whole_given(c->plan, &now, i); i++) {
        const double x = *whole_given(c->plan, &now, i);
        const double h = 1e-4 * (fabs(x) < 1e-2 ? 1e-2 : fabs(x));
        if (i % TAC_DUAL_DIRECTIONS == 0) {
            whole_take(c, s, kind, &dual);
            for (size_t k = 0; k < TAC_DUAL_DIRECTIONS; k++) {
                double *given = whole_given(c->plan, &dual, i + k);
                if (given)
                    given[1 + k] = 1;
            }
            assert_int_equal(whole_run(c, s, c->plan->type->kernels[kind].step, &dual), TAC_OK);
        }
        whole_difference(c, s, i, h, coarse, bend);
        whole_difference(c, s, i, h / 2, fine, bend);
        for (size_t o = 0; whole_result(c->plan, &dual, o); o++) {
            const double *y = whole_result(c->plan, &dual, o);
            const double got = y[1 + i % TAC_DUAL_DIRECTIONS];
            const double rounding = 1e-11 * (fabs(y[0]) + 1e-6) / h;
            const double tolerance = 1e-6 * fabs(fine[o]) + rounding + 1e-12;
            if (!(fabs(coarse[o] - fine[o]) < tolerance) ||
                bend[o] > 0.01 * fabs(fine[o]) + 10 * rounding) {
                w->skipped++; // they straddle a kink
                continue;
            }
            w->compared++;
            w->nonzero += fine[o] != 0;
            if (!(fabs(got - fine[o]) < 10 * tolerance))
                fail_msg("%s at %" PRIu64 " us: result %zu by value %zu is %.12g, by differences "
                         "%.12g",
                         c->plan->name, s->t_us, o, i, got, fine[o]);
        }
    }
}

// --- graphs -------------------------------------------------------------------------------------

typedef struct whole_tracer {
    tac__symbol_draws draws; // first
    tac__terms *pool;
    whole_graph *g;
    int32_t terms[WHOLE_VALUES];
    size_t count;
} whole_tracer;

static inline void whole_draw(tac__symbol_draws *self, int stream, double *values, size_t count)
{
    whole_tracer *t = (whole_tracer *)self;
    assert_true(t->g->draws < WHOLE_DRAWS && t->count + count <= WHOLE_VALUES);
    t->g->stream[t->g->draws] = stream;
    t->g->drawn[t->g->draws++] = count;
    for (size_t i = 0; i < count; i++) {
        t->terms[t->count] = tac__term_input(t->pool);
        ((tac__sym_value *)(void *)values)[i] = tac__sym_of(t->pool, t->terms[t->count++]);
    }
}

// Inputs of the graph for all elements of ports, and where each port finds them.
static inline void whole_symbols(tac_graph *graph, const char *name, const tac__ports *ports,
                                 tac__sym_value *values, void **at)
{
    size_t count = 0;
    for (size_t k = 0; k < ports->count; k++) {
        at[k] = values + count;
        count += ports->items[k].type.count;
    }
    assert_true(count <= WHOLE_VALUES);
    const tac__group *group = tac__graph_add_input(graph, name, count, NULL);
    for (size_t i = 0; i < count; i++)
        values[i] = tac__sym_of(tac__graph_pool(graph), group->terms[i]);
}

static inline void whole_result_group(tac_graph *graph, const char *name, const tac__ports *ports,
                                      const tac__sym_value *values)
{
    size_t count = 0;
    for (size_t k = 0; k < ports->count; k++)
        count += ports->items[k].type.count;
    tac__group *group = tac__graph_add_output(graph, name, count, NULL);
    for (size_t i = 0; i < count; i++)
        group->terms[i] = tac__term_of(tac__graph_pool(graph), values[i]);
}

static inline void whole_trace(whole_component *w, const tac_step *s, whole_graph *g)
{
    static tac__sym_value in[WHOLE_VALUES], out[WHOLE_VALUES], state[WHOLE_VALUES];
    static tac__sym_value p[WHOLE_NUMBERS], decided[WHOLE_NUMBERS];
    tac_instance *c = w->instance;
    const tac__component *plan = c->plan;
    void *in_at[WHOLE_PORTS], *out_at[WHOLE_PORTS], *state_at[WHOLE_PORTS];
    tac_error err;
    assert_int_equal(
        tac__graph_create(tac_allocator_default(), "step", false, NULL, &g->graph, &err), TAC_OK);
    tac__terms *pool = tac__graph_pool(g->graph);
    whole_tracer t = {.draws.draw = whole_draw, .pool = pool, .g = g};
    whole_symbols(g->graph, "in", &plan->inputs, in, in_at);
    whole_symbols(g->graph, "out", &plan->outputs, out, out_at);
    whole_symbols(g->graph, "state", &plan->states, state, state_at);
    const tac__group *group = tac__graph_add_input(g->graph, "decided", plan->decision_count, NULL);
    for (size_t i = 0; i < plan->decision_count; i++)
        decided[i] = tac__sym_of(pool, group->terms[i]);
    group = tac__graph_add_input(g->graph, "now", 1, NULL);
    const tac__sym_value now = tac__sym_of(pool, group->terms[0]);
    for (size_t i = 0; i < plan->number_count; i++)
        p[i] = (tac__sym_value){.value = plan->numbers[i]};
    tac_step own = *s;
    own.t_us = 0; // must not be used
    own.in = (const void *const *)in_at;
    own.out = out_at;
    own.state = state_at;
    own.p = (const double *)p;
    own.decided = (const double *)decided;
    own.now = (const double *)&now;
    c->symbol_draws = &t.draws;
    assert_int_equal(plan->type->kernels[TAC_SYMBOLS].step(&own, plan->self), TAC_OK);
    c->symbol_draws = NULL;
    tac__graph_add_input(g->graph, "draws", t.count, t.terms);
    whole_result_group(g->graph, "outputs", &plan->outputs, out);
    whole_result_group(g->graph, "states", &plan->states, state);
    tac__arena_init(&g->arena, tac_allocator_default());
    assert_int_equal(tac__tape_make(&g->arena, g->graph, &g->tape, &err), TAC_OK);
}

static inline void whole_gather(const tac__ports *ports, const void *const *from, double *to)
{
    for (size_t k = 0; k < ports->count; k++) {
        for (size_t i = 0; i < ports->items[k].type.count; i++)
            *to++ = tac__scalar_f64(ports->items[k].type.scalar, from[k], i);
    }
}

static double whole_values_of[WHOLE_GROUPS][WHOLE_VALUES];

// The values of the graph's inputs before the step.
static inline void whole_look(whole_component *w, tac_step *s, const whole_graph *g,
                              const double *decided)
{
    tac_instance *c = w->instance;
    const tac__component *plan = c->plan;
    whole_gather(&plan->inputs, s->in, whole_values_of[WHOLE_IN]);
    whole_gather(&plan->outputs, (const void *const *)s->out, whole_values_of[WHOLE_OUT]);
    whole_gather(&plan->states, (const void *const *)s->state, whole_values_of[WHOLE_STATE]);
    memcpy(whole_values_of[WHOLE_DECIDED], decided, plan->decision_count * sizeof *decided);
    whole_values_of[WHOLE_NOW][0] = (double)s->t_us;
    uint64_t next[4];
    for (size_t i = 0; i < c->stream_count; i++)
        next[i] = *c->streams[i].next;
    double *values = whole_values_of[WHOLE_DRAWN];
    for (size_t i = 0; i < g->draws; i++) {
        tac_draw_normals(s, g->stream[i], values, g->drawn[i]);
        values += g->drawn[i];
    }
    for (size_t i = 0; i < c->stream_count; i++)
        *c->streams[i].next = next[i];
}

static inline void whole_same_values(const tac_instance *c, const tac_step *s, const char *what,
                                     const tac__ports *ports, const double *got,
                                     const void *const *expected)
{
    double values[WHOLE_VALUES];
    size_t i = 0;
    whole_gather(ports, expected, values);
    for (size_t k = 0; k < ports->count; k++) {
        for (size_t element = 0; element < ports->items[k].type.count; element++, i++) {
            if (!same_bits(got[i], values[i]))
                fail_msg("graph of %s at %" PRIu64 " us: %s '%s'[%zu] is %a, as numbers %a",
                         c->plan->name, s->t_us, what, ports->items[k].name, element, got[i],
                         values[i]);
        }
    }
}

static inline void whole_same_graph(const whole_component *w, const tac_step *s,
                                    const whole_graph *g)
{
    const tac_instance *c = w->instance;
    double *work = malloc(tac__tape_work(g->tape) * sizeof *work + 1);
    double outputs[WHOLE_VALUES], states[WHOLE_VALUES], *out[2] = {outputs, states};
    const double *in[WHOLE_GROUPS];
    for (int k = 0; k < WHOLE_GROUPS; k++)
        in[k] = whole_values_of[k];
    tac__tape_run(g->tape, in, out, work);
    whole_same_values(c, s, "output", &c->plan->outputs, outputs, (const void *const *)s->out);
    whole_same_values(c, s, "state", &c->plan->states, states, (const void *const *)s->state);
    free(work);
}

// --- beside the simulation ----------------------------------------------------------------------

static inline tac_status whole_step(tac_step *s, const void *self)
{
    static whole_point extra;
    whole_component *w = NULL;
    for (size_t i = 0; i < whole_count; i++)
        w = whole_watched[i]->instance == s->instance ? whole_watched[i] : w;
    tac_instance *c = w->instance;
    const tac__component *plan = c->plan;
    if (w->steps % WHOLE_EVERY) {
        w->steps++;
        return plan->type->kernels[TAC_NUMBERS].step(s, self);
    }
    if (w->compare_every && w->steps % w->compare_every < WHOLE_EVERY && !(s->due & TAC_DUE_LEAD))
        whole_differentiate(w, s);
    assert_int_equal(tac__decide(c, s, w->dual[0].decided), TAC_OK);
    for (int k = 0; k < 2; k++) {
        whole_point *at = &w->dual[k];
        if (w->steps == 0 || WHOLE_EVERY > 1)
            whole_take(c, s, at->kind, at);
        whole_set(at->kind, &plan->inputs, s->in, &at->in);
        assert_int_equal(whole_run(c, s, plan->type->kernels[at->kind].step, at), TAC_OK);
    }
    if (w->extra) {
        whole_take(c, s, TAC_NUMBERS, &extra);
        memcpy(extra.decided, w->dual[0].decided, sizeof extra.decided);
        assert_int_equal(whole_run(c, s, w->extra, &extra), TAC_OK);
    }
    whole_graph *g = NULL;
    if (!w->trace_every || w->steps % w->trace_every < WHOLE_EVERY) {
        g = &w->graph[(s->due & TAC_DUE_LEAD) != 0];
        if (!g->graph)
            whole_trace(w, s, g);
        whole_look(w, s, g, w->dual[0].decided);
    }
    w->steps++;
    const tac_status status = plan->type->kernels[TAC_NUMBERS].step(s, self);
    for (int k = 0; k < 2; k++) {
        const whole_point *at = &w->dual[k];
        whole_same(c, s->t_us, "output", &plan->outputs, &at->out, at->kind, s->out);
        whole_same(c, s->t_us, "state", &plan->states, &at->state, at->kind, s->state);
    }
    if (w->extra) {
        whole_same(c, s->t_us, "output", &plan->outputs, &extra.out, TAC_NUMBERS, s->out);
        whole_same(c, s->t_us, "state", &plan->states, &extra.state, TAC_NUMBERS, s->state);
    }
    if (g)
        whole_same_graph(w, s, g);
    return status;
}

// Watch a component of a simulation that has not run yet.
static inline whole_component *whole_watch(rig *r, const char *name)
{
    assert_true(whole_count < WHOLE_WATCHED);
    whole_component *w = calloc(1, sizeof *w);
    assert_non_null(w);
    for (size_t i = 0; i < r->engine->plan->component_count; i++) {
        if (!strcmp(r->engine->plan->components[i]->name, name))
            w->instance = r->engine->instances[i];
    }
    assert_non_null(w->instance);
    assert_null(w->instance->team);
    for (int k = 0; k < 2; k++) {
        w->dual[k].kind = k ? TAC_DUALS_OF_ALL : TAC_DUALS;
        assert_non_null(w->instance->plan->type->kernels[w->dual[k].kind].step);
    }
    assert_non_null(w->instance->plan->type->kernels[TAC_SYMBOLS].step);
    w->instance->run = whole_step;
    whole_watched[whole_count++] = w;
    return w;
}

// After the run: how many steps and derivatives were compared, for all that were watched.
static inline void whole_end(void)
{
    for (size_t i = 0; i < whole_count; i++) {
        whole_component *w = whole_watched[i];
        print_message("%s: %" PRIu64 " steps; %d derivatives compared, %d not 0, %d skipped\n",
                      w->instance->plan->name, w->steps, w->compared, w->nonzero, w->skipped);
        assert_true(w->steps > 0);
        assert_true(w->compared >= 10 * w->skipped);
        for (int k = 0; k < 2; k++) {
            if (!w->graph[k].graph)
                continue;
            print_message("    as a graph: %zu terms\n", tac__graph_pool(w->graph[k].graph)->count);
            tac__arena_fini(&w->graph[k].arena);
            tac__graph_destroy(w->graph[k].graph);
        }
        free(w);
    }
    whole_count = 0;
}

#endif
