// check.c - tac_graph_check: graphs against the engine, over a whole run. A function here takes the
// place of a component's step: first the graph is evaluated from what the step is about to see,
// then the step of numbers runs, then both are compared.
#include "base/def.h"
#include "engine/run/lanes.h"
#include "engine/run/loop.h"
#include "engine/trace/check.h"
#include "engine/trace/component.h"

#include <string.h>

enum { DRAWS_MAX = 512 };

// Draws of a step, in their order.
typedef struct drawn {
    int stream;
    size_t count;
} drawn;

// The graph of a component's steps for one reason to step.
typedef struct reason {
    struct reason *next;
    uint32_t due;
    tac__evaluated e;
    drawn *draws;
    size_t draw_count;
    TAC__CAPACITY(drawn) draw_capacity;
    double *values; // that are drawn, [DRAWS_MAX]
    size_t value_count;
} reason;

typedef struct part {
    tac_graph_check *owner;
    tac_instance *run;
    tac_status (*step)(tac_step *s, const void *self); // what the run calls, and its `self`
    const void *step_self;
    double *decided;
    double now_us;
    uint64_t *counters; // of its streams
    reason *reasons;
} part;

struct tac_graph_check {
    tac__arena arena;
    tac_engine *engine;
    part *parts;
    tac_graph_part *reported;
    tac_graph_report report;
    tac__evaluated dynamics;
    bool has_dynamics;
    double *dx;      // of all islands
    bool *dx_inside; // whether the graph has it
    size_t dx_count;
    tac__period_check *period; // NULL: not asked for
    tac_error *err;            // of the run
    tac_status status;
};

// --- comparing ----------------------------------------------------------------------------------

// How many doubles lie between two, plus one.
static uint64_t ulps(double a, double b)
{
    int64_t i, k;
    if (a != a || b != b)
        return a != a && b != b ? 0 : UINT64_MAX;
    memcpy(&i, &a, sizeof i);
    memcpy(&k, &b, sizeof k);
    // Zeros of both signs are one apart.
    i = i < 0 ? INT64_MIN - i - 1 : i;
    k = k < 0 ? INT64_MIN - k - 1 : k;
    return i > k ? (uint64_t)i - (uint64_t)k : (uint64_t)k - (uint64_t)i;
}

void tac__check_compare(tac_graph_report *r, const char *component, const tac__group *g,
                        const double *got, const double *expected, tac_time t_us)
{
    r->numbers += g->count;
    for (size_t i = 0; i < g->count; i++) {
        const uint64_t apart = ulps(got[i], expected[i]);
        if (apart == 0)
            continue;
        if (r->different++ == 0)
            r->first = (tac_graph_fault){t_us, component, g->labels[i], got[i], expected[i]};
        r->max_ulp = apart > r->max_ulp ? apart : r->max_ulp;
    }
}

// --- graphs -------------------------------------------------------------------------------------

tac_status tac__evaluated_make(tac__arena *a, tac__evaluated *e, tac_error *err)
{
    TAC_TRY(tac__tape_make(a, e->graph, &e->tape, err));
    size_t most = 0;
    bool all = (e->work = tac__arena_array(a, tac__tape_work(e->tape), sizeof(double)));
    for (size_t g = 0; g < e->graph->in_count; g++)
        all &= (e->in[g] = tac__arena_array(a, e->graph->in[g].count, sizeof(double))) != NULL;
    for (size_t g = 0; g < e->graph->out_count; g++) {
        const size_t count = e->graph->out[g].count;
        all &= (e->out[g] = tac__arena_array(a, count, sizeof(double))) != NULL;
        most = count > most ? count : most;
    }
    all &= (e->expected = tac__arena_array(a, most, sizeof(double))) != NULL;
    return all ? TAC_OK : tac__fail_memory(err);
}

void tac__evaluated_run(const tac__evaluated *e)
{
    tac__tape_run(e->tape, (const double *const *)e->in, e->out, e->work);
}

static void evaluate(tac__evaluated *e, double t_s)
{
    for (size_t g = 0; g < e->graph->in_count; g++)
        tac__trace_read(e->sources.in[g], e->graph->in[g].count, t_s, e->in[g]);
    tac__evaluated_run(e);
}

// --- steps --------------------------------------------------------------------------------------

typedef struct reason_draws {
    tac__trace_draws base; // first
    tac__trace *tr;
    tac__trace_list *list;
    tac_graph_check *check;
    const tac__component *c;
    reason *r;
} reason_draws;

static tac_status draw_inputs(tac__trace_draws *base, int stream, size_t count,
                              tac__sym_value *values)
{
    const reason_draws *d = (const reason_draws *)(const void *)base;
    reason *r = d->r;
    if (r->value_count + count > DRAWS_MAX)
        return tac__fail(d->tr->err, TAC_E_LIMIT, "a step of '%s' draws more than %d numbers",
                         d->c->name, DRAWS_MAX);
    if (!TAC__ARENA_GROW(&d->check->arena, r->draws, r->draw_count, r->draw_capacity))
        return TAC_E_MEMORY;
    r->draws[r->draw_count++] = (drawn){stream, count};
    const tac_type type = TAC_TYPE_ARRAY(TAC_F64, (uint32_t)count);
    const char *name =
        tac__arena_format(&d->tr->arena, "%s.draw%zu", d->c->streams[stream].name, r->draw_count);
    const tac__trace_value value = {
        .name = name, .type = &type, .from = r->values + r->value_count};
    const tac__sym_value *made = name ? tac__trace_inputs(d->tr, d->list, value) : NULL;
    if (!made)
        return TAC_E_MEMORY;
    memcpy(values, made, count * sizeof *made);
    r->value_count += count;
    return TAC_OK;
}

// The values of all ports as inputs, read from where the step of numbers has them.
static tac_status ports_in(tac__trace *tr, tac__trace_list *list, const tac__component *c,
                           const tac__ports *ports, void *const *from, void **to)
{
    for (size_t k = 0; k < ports->count; k++) {
        const tac__port *port = &ports->items[k];
        const char *name = tac__arena_format(&tr->arena, "%s.%s", c->name, port->name);
        const tac__trace_value value = {
            .name = name, .unit = port->unit, .type = &port->type, .from = from[k]};
        to[k] = name ? tac__trace_inputs(tr, list, value) : NULL;
        if (!to[k])
            return TAC_E_MEMORY;
    }
    return TAC_OK;
}

static tac_status ports_out(tac__trace *tr, tac__trace_list *list, const tac__component *c,
                            const tac__ports *ports, void *const *from, void *const *symbols,
                            bool outputs)
{
    for (size_t k = 0; k < ports->count; k++) {
        const tac__port *port = &ports->items[k];
        if (outputs && c->kinds[k].continuous)
            continue;
        const char *name = tac__arena_format(&tr->arena, "%s.%s", c->name, port->name);
        const tac__trace_value value = {
            .name = name, .unit = port->unit, .type = &port->type, .from = from[k]};
        if (!name)
            return TAC_E_MEMORY;
        TAC_TRY(tac__trace_outputs(tr, list, value, symbols[k]));
    }
    return TAC_OK;
}

static const tac__sym_value *doubles_in(tac__trace *tr, tac__trace_list *list, const char *name,
                                        const double *from, size_t count)
{
    const tac_type type = TAC_TYPE_ARRAY(TAC_F64, (uint32_t)count);
    const tac__trace_value value = {.name = name, .type = &type, .from = from};
    return tac__trace_inputs(tr, list, value);
}

static tac_status trace_lists(tac__trace *tr, part *p, reason *r, const tac_step *s)
{
    const tac__component *c = p->run->plan;
    tac__trace_list u = {0}, y = {0}, z = {0}, x = {0}, d = {0}, n = {0}, t = {0}, y1 = {0},
                    z1 = {0};
    tac__trace_step step;
    TAC_TRY(tac__trace_step_make(tr, c, &step));
    step.t_us = s->t_us;
    step.period_us = s->period_us;
    step.due = s->due;
    TAC_TRY(ports_in(tr, &u, c, &c->inputs, (void *const *)(uintptr_t)s->in,
                     (void **)(uintptr_t)step.in));
    TAC_TRY(ports_in(tr, &y, c, &c->outputs, s->out, step.out));
    TAC_TRY(ports_in(tr, &z, c, &c->states, s->state, step.state));
    const tac__sym_value *now = doubles_in(tr, &t, "t", &p->now_us, 1);
    step.x = doubles_in(tr, &x, "x", s->x, c->x_count);
    step.decided = doubles_in(tr, &d, "decided", p->decided, c->decision_count);
    if (!now || !step.x || !step.decided)
        return TAC_E_MEMORY;
    step.now_us = *now;
    reason_draws draws = {{draw_inputs}, tr, &n, p->owner, c, r};
    TAC_TRY(tac__trace_step_run(tr, &step, &draws.base));
    TAC_TRY(ports_out(tr, &y1, c, &c->outputs, s->out, step.out, true));
    TAC_TRY(ports_out(tr, &z1, c, &c->states, s->state, step.state, false));
    TAC_TRY(tac__trace_add_in(tr, "u", &u, true));
    TAC_TRY(tac__trace_add_in(tr, "y", &y, true));
    TAC_TRY(tac__trace_add_in(tr, "z", &z, true));
    TAC_TRY(tac__trace_add_in(tr, "x", &x, true));
    TAC_TRY(tac__trace_add_in(tr, "t", &t, true));
    TAC_TRY(tac__trace_add_in(tr, "decided", &d, true));
    TAC_TRY(tac__trace_add_in(tr, "draws", &n, true));
    TAC_TRY(tac__trace_add_out(tr, "y1", &y1));
    return tac__trace_add_out(tr, "z1", &z1);
}

static tac_status trace_reason(part *p, reason *r, const tac_step *s, tac_error *err)
{
    tac_graph_check *k = p->owner;
    tac_graph_def def = tac_graph_def_default();
    def.allocator = k->arena.allocator;
    tac__trace tr;
    tac_status status = tac__trace_begin(&tr, k->engine, &def, p->run->plan->name, err);
    r->e.sources.arena = &k->arena;
    tr.sources = &r->e.sources;
    if (status == TAC_OK)
        status = trace_lists(&tr, p, r, s);
    TAC_TRY(tac__trace_end(&tr, status, &r->e.graph));
    return tac__evaluated_make(&k->arena, &r->e, err);
}

// The graph for this step; NULL: it failed.
static reason *reason_for(part *p, const tac_step *s)
{
    tac_graph_check *k = p->owner;
    for (reason *r = p->reasons; r; r = r->next) {
        if (r->due == s->due)
            return r;
    }
    reason *r = tac__arena_alloc(&k->arena, sizeof *r);
    double *values = tac__arena_array(&k->arena, DRAWS_MAX, sizeof *values);
    if (!r || !values) {
        k->status = tac__fail_memory(k->err);
        return NULL;
    }
    r->due = s->due;
    r->values = values;
    k->status = trace_reason(p, r, s, k->err);
    if (k->status != TAC_OK) {
        tac_graph_destroy(r->e.graph);
        return NULL;
    }
    r->next = p->reasons;
    p->reasons = r;
    tac_graph_part *reported = &k->reported[p->run->plan->index];
    reported->graphs++;
    reported->terms += tac__graph_pool(r->e.graph)->count;
    return r;
}

// What the step of numbers will draw; it draws the same again.
static void draw_ahead(part *p, const reason *r, tac_step *s)
{
    const tac__component *c = p->run->plan;
    for (size_t i = 0; i < c->stream_count; i++)
        p->counters[i] = *c->streams[i].next;
    double *to = r->values;
    for (size_t i = 0; i < r->draw_count; i++) {
        tac_draw_normals(s, r->draws[i].stream, to, r->draws[i].count);
        to += r->draws[i].count;
    }
    for (size_t i = 0; i < c->stream_count; i++)
        *c->streams[i].next = p->counters[i];
}

static void compare_step(part *p, const reason *r, const tac_step *s)
{
    tac_graph_check *k = p->owner;
    tac_graph_part *reported = &k->reported[p->run->plan->index];
    const tac__evaluated *e = &r->e;
    for (size_t g = 0; g < e->graph->out_count; g++) {
        const tac__group *group = &e->graph->out[g];
        tac__trace_read(e->sources.out[g], group->count, 0, e->expected);
        tac__check_compare(&k->report, p->run->plan->name, group, e->out[g], e->expected, s->t_us);
        reported->numbers += group->count;
    }
    reported->steps++;
    k->report.steps++;
}

static tac_status checked_step(tac_step *s, const void *self)
{
    part *p = (part *)(uintptr_t)self;
    tac_graph_check *k = p->owner;
    reason *r = k->status == TAC_OK ? reason_for(p, s) : NULL;
    if (r) {
        p->now_us = (double)s->t_us;
        draw_ahead(p, r, s);
        if (tac__decide(p->run, s, p->decided) != TAC_OK)
            r = NULL; // the step of numbers says why
    }
    if (r)
        evaluate(&r->e, tac_time_seconds(s->t_us));
    if (r && k->period)
        tac__period_step(k->period, p->run->plan, s, p->decided, r->values, r->value_count);
    TAC_TRY(p->step(s, p->step_self));
    if (r)
        compare_step(p, r, s);
    return TAC_OK;
}

// A step of a component that stays outside.
static tac_status outside_step(tac_step *s, const void *self)
{
    const part *p = self;
    tac__period_step(p->owner->period, p->run->plan, s, NULL, NULL, 0);
    return p->step(s, p->step_self);
}

// --- the plant ----------------------------------------------------------------------------------

// What the engine gives for the states of the graph, as they are now.
static tac_status derive_numbers(const tac_graph_check *k, double t_s)
{
    double *dx = k->dx;
    for (size_t i = 0; i < k->engine->plan->island_count; i++) {
        tac__island *island = &k->engine->islands[i];
        const size_t n = island->plan->x_count;
        tac__lanes_show(island);
        memset(dx, 0, n * sizeof *dx);
        memcpy(island->work.z, island->x, n * sizeof *dx);
        TAC_TRY(tac__evaluator_outputs(island->numbers, &t_s, true));
        TAC_TRY(tac__evaluator_derive(island->numbers, &t_s, dx));
        island->peeked_us = TAC_TIME_NEVER;
        dx += n;
    }
    size_t inside = 0;
    for (size_t i = 0; i < k->dx_count; i++) {
        if (k->dx_inside[i])
            k->dx[inside++] = k->dx[i];
    }
    return TAC_OK;
}

static tac_status compare_dynamics(tac_graph_check *k, tac_time t_us, tac_error *err)
{
    tac__evaluated *e = &k->dynamics;
    const double t_s = tac_time_seconds(t_us);
    if (derive_numbers(k, t_s) != TAC_OK)
        return tac__fail(err, TAC_E_NUMERIC, "the equations cannot be evaluated at %.6f s", t_s);
    evaluate(e, t_s);
    tac__check_compare(&k->report, "dynamics", &e->graph->out[0], e->out[0], k->dx, t_us);
    tac__trace_read(e->sources.out[1], e->graph->out[1].count, t_s, e->expected);
    tac__check_compare(&k->report, "dynamics", &e->graph->out[1], e->out[1], e->expected, t_us);
    return TAC_OK;
}

// Components without a symbolic form stay outside; the report names them.
static tac_status make_def(tac_graph_check *k, bool (*lacks)(const tac__component *),
                           tac_graph_def *def, tac_error *err)
{
    const tac__plan *plan = k->engine->plan;
    const char **outside = tac__arena_array(&k->arena, plan->component_count, sizeof *outside);
    if (!outside)
        return tac__fail_memory(err);
    *def = tac_graph_def_default();
    def->allocator = k->arena.allocator;
    def->outside = outside;
    for (size_t i = 0; i < plan->component_count; i++) {
        if (lacks(plan->components[i]))
            outside[def->outside_count++] = plan->components[i]->name;
    }
    return TAC_OK;
}

static bool lacks_plant(const tac__component *c)
{
    return c->island >= 0 && !tac__trace_can_evaluate(c);
}

static void mark_inside(const tac_graph_check *k)
{
    const tac__plan *plan = k->engine->plan;
    bool *inside = k->dx_inside;
    for (size_t i = 0; i < plan->island_count; i++) {
        for (size_t n = 0; n < plan->islands[i].count; n++) {
            const tac__component *c = plan->components[plan->islands[i].components[n]];
            for (size_t x = 0; x < c->x_count; x++)
                inside[c->x_offset + x] = !lacks_plant(c);
        }
        inside += plan->islands[i].x_count;
    }
}

static tac_status trace_dynamics(tac_graph_check *k, tac_error *err)
{
    const tac__plan *plan = k->engine->plan;
    tac_graph_def def;
    TAC_TRY(make_def(k, lacks_plant, &def, err));
    k->dynamics.sources.arena = &k->arena;
    TAC_TRY(tac__trace_dynamics(k->engine, &def, &k->dynamics.graph, &k->dynamics.sources, err));
    TAC_TRY(tac__evaluated_make(&k->arena, &k->dynamics, err));
    for (size_t i = 0; i < plan->island_count; i++)
        k->dx_count += plan->islands[i].x_count;
    k->dx = tac__arena_array(&k->arena, k->dx_count, sizeof *k->dx);
    k->dx_inside = tac__arena_array(&k->arena, k->dx_count, sizeof *k->dx_inside);
    k->report.dynamics_terms = tac__graph_pool(k->dynamics.graph)->count;
    k->has_dynamics = true;
    if (!k->dx || !k->dx_inside)
        return tac__fail_memory(err);
    mark_inside(k);
    return TAC_OK;
}

// --- making -------------------------------------------------------------------------------------

static tac_graph_part_kind kind_of(const tac__component *c)
{
    const tac_kernels *plain = &c->type->kernels[TAC_NUMBERS];
    const tac_kernels *own = &c->type->kernels[TAC_SYMBOLS];
    if (c->type->flags & TAC_COMPONENT_OUTSIDE)
        return TAC_GRAPH_OUTSIDE;
    if ((plain->step && !own->step) || lacks_plant(c))
        return TAC_GRAPH_UNTRACED;
    return plain->step || c->island >= 0 ? TAC_GRAPH_TRACED : TAC_GRAPH_CONSTANT;
}

static tac_status make_part(tac_graph_check *k, size_t i, tac_error *err)
{
    tac_instance *c = k->engine->instances[i];
    part *p = &k->parts[i];
    tac_graph_part *reported = &k->reported[i];
    *reported = (tac_graph_part){
        .component = c->plan->name, .type = c->plan->type->name, .kind = kind_of(c->plan)};
    k->report.traced += reported->kind == TAC_GRAPH_TRACED;
    k->report.untraced += reported->kind == TAC_GRAPH_UNTRACED;
    *p = (part){.owner = k, .run = c, .step = c->run, .step_self = c->run_self};
    if (reported->kind != TAC_GRAPH_TRACED || !c->run) {
        if (c->run && k->period) {
            c->run = outside_step;
            c->run_self = p;
        }
        return TAC_OK;
    }
    p->decided = tac__arena_array(&k->arena, c->plan->decision_count, sizeof *p->decided);
    p->counters = tac__arena_array(&k->arena, c->plan->stream_count, sizeof *p->counters);
    if (!p->decided || !p->counters)
        return tac__fail_memory(err);
    c->run = checked_step;
    c->run_self = p;
    return TAC_OK;
}

static bool lacks_symbols(const tac__component *c)
{
    return kind_of(c) == TAC_GRAPH_UNTRACED;
}

// The graph over a period of all rates.
static tac_status trace_period(tac_graph_check *k, tac_error *err)
{
    tac_graph_def def;
    TAC_TRY(make_def(k, lacks_symbols, &def, err));
    def.rates = true;
    return tac__period_check_make(k->engine, &def, &k->arena, &k->report, &k->period, err);
}

tac_status tac_graph_check_create(tac_engine *engine, const tac_graph_check_def *def,
                                  tac_graph_check **check, tac_error *err)
{
    *check = NULL;
    TAC__DEF(tac_graph_check_def, def, err);
    if (engine->life != TAC__PREPARED || engine->clock->started || engine->plan->def.lanes != 1)
        return tac__fail(
            err, TAC_E_CALLER,
            "graphs are compared with an engine that was prepared, has not started and "
            "computes nothing in lanes");
    tac__arena arena;
    tac__arena_init(&arena, def->allocator ? def->allocator : tac_allocator_default());
    tac_graph_check *k = *check = tac__arena_alloc(&arena, sizeof *k);
    if (!k)
        return tac__fail_memory(err);
    k->arena = arena;
    k->engine = engine;
    const size_t count = engine->plan->component_count;
    k->parts = tac__arena_array(&k->arena, count, sizeof *k->parts);
    k->reported = tac__arena_array(&k->arena, count, sizeof *k->reported);
    tac_status status = k->parts && k->reported ? TAC_OK : tac__fail_memory(err);
    k->report.parts = k->reported;
    k->report.part_count = count;
    if (status == TAC_OK && engine->plan->island_count > 0)
        status = trace_dynamics(k, err);
    if (status == TAC_OK && def->rates)
        status = trace_period(k, err);
    for (size_t i = 0; status == TAC_OK && i < count; i++)
        status = make_part(k, i, err);
    if (status != TAC_OK) {
        tac_graph_check_destroy(k);
        *check = NULL;
    }
    return status;
}

void tac_graph_check_destroy(tac_graph_check *check)
{
    if (!check)
        return;
    for (size_t i = 0; check->parts && i < check->report.part_count; i++) {
        const part *p = &check->parts[i];
        if (p->run && p->run->run_self == p) { // the engine may go on without the check
            p->run->run = p->step;
            p->run->run_self = p->step_self;
        }
        for (const reason *r = p->reasons; r; r = r->next)
            tac_graph_destroy(r->e.graph);
    }
    tac_graph_destroy(check->dynamics.graph);
    if (check->period)
        tac__period_check_end(check->period);
    tac__arena arena = check->arena;
    tac__arena_fini(&arena);
}

tac_status tac_graph_check_run(tac_graph_check *k, tac_time until_us, tac_error *err)
{
    k->err = err;
    while (!tac_engine_finished(k->engine) && tac_engine_next_time(k->engine) <= until_us) {
        const tac_time t_us = tac_engine_next_time(k->engine);
        if (k->period)
            tac__period_before(k->period, t_us);
        TAC_TRY(tac_engine_run(k->engine, t_us, err));
        TAC_TRY(k->status);
        if (k->period)
            tac__period_after(k->period, t_us);
        k->report.instants++;
        if (k->has_dynamics)
            TAC_TRY(compare_dynamics(k, tac_engine_time(k->engine), err));
    }
    return TAC_OK;
}

const tac_graph_report *tac_graph_check_report(const tac_graph_check *check)
{
    return &check->report;
}
