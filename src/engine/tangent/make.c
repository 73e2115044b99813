// make.c - tangents of a prepared engine: memory, wiring, and derivatives at the start.
#include "engine/tangent/inside.h"

#include <string.h>

// --- the start ----------------------------------------------------------------------------------

// An array of f64s that decides how a run begins: values in an engine, duals in its tangents.
typedef struct place {
    const double *values;
    double *duals; // NULL: there are no tangents
    size_t count;
} place;

typedef void visit_fn(void *context, const place *p);

static void visit_port(const tac__port *port, const void *values, void *duals, visit_fn *visit,
                       void *context)
{
    const place p = {values, duals, port->type.count};
    if (port->type.scalar == TAC_F64)
        visit(context, &p);
}

static void visit_component(const tac_engine *e, const tac_instance *c,
                            const tac__tangent_part *part, visit_fn *visit, void *context)
{
    const tac__component *plan = c->plan;
    const place numbers = {plan->numbers, part ? part->numbers : NULL, plan->number_count};
    visit(context, &numbers);
    for (size_t k = 0; k < plan->outputs.count; k++)
        visit_port(&plan->outputs.items[k], c->step.out[k], part ? part->out[k] : NULL, visit,
                   context);
    for (size_t k = 0; k < plan->states.count; k++)
        visit_port(&plan->states.items[k], c->step.state[k], part ? part->state[k] : NULL, visit,
                   context);
    for (size_t k = 0; k < plan->inputs.count; k++) {
        if (plan->in[k].signal < 0)
            visit_port(&plan->inputs.items[k], c->step.in[k],
                       part ? (void *)(uintptr_t)part->in[k] : NULL, visit, context);
    }
    if (!plan->x_count)
        return;
    const place x = {e->islands[plan->island].x + plan->x_offset,
                     part ? part->owner->flows[plan->island].x + plan->x_offset * TAC__WIDTH : NULL,
                     plan->x_count};
    visit(context, &x);
}

static void visit_all(const tac_engine *e, const tac__tangents *t, visit_fn *visit, void *context)
{
    for (size_t i = 0; i < e->plan->component_count; i++)
        visit_component(e, e->instances[i], t ? &t->parts[i] : NULL, visit, context);
}

typedef struct listing {
    double *values; // NULL: they are only counted
    size_t count;
} listing;

static void list(void *context, const place *p)
{
    listing *l = context;
    if (l->values && p->count)
        memcpy(l->values + l->count, p->values, p->count * sizeof *p->values);
    l->count += p->count;
}

size_t tac__tangents_start(const tac_engine *e, double *values)
{
    listing l = {.values = values};
    visit_all(e, NULL, list, &l);
    return l.count;
}

typedef struct seeding {
    size_t direction;
    const double *next;
} seeding;

static void seed(void *context, const place *p)
{
    seeding *s = context;
    for (size_t i = 0; i < p->count; i++)
        p->duals[i * TAC__WIDTH + 1 + s->direction] = *s->next++;
}

static void begin(void *context, const place *p)
{
    (void)context;
    tac__tangent_constants(p->values, p->count, p->duals);
}

static void begin_rings(tac__tangents *t)
{
    for (size_t i = 0; i < t->engine->plan->schema.count; i++) {
        const tac__signal *s = &t->engine->plan->schema.signals[i];
        if (t->rings[i])
            memcpy(t->rings[i], t->signals[i], s->kind->words * TAC__WIDTH * sizeof(double));
    }
}

void tac__tangents_seed(tac__tangents *t, size_t direction, const double *derivatives)
{
    TAC_ASSERT(direction < TAC__DIRECTIONS && !t->engine->clock->started);
    seeding s = {direction, derivatives};
    visit_all(t->engine, t, seed, &s);
    begin_rings(t);
}

// --- memory -------------------------------------------------------------------------------------

static double *make_duals(tac_engine *e, size_t count)
{
    return tac__arena_array(&e->scratch, count * TAC__WIDTH, sizeof(double));
}

// Duals of f64s, or a copy of other values.
static void *make_value(tac_engine *e, const tac_type *type)
{
    return type->scalar == TAC_F64 ? make_duals(e, type->count)
                                   : tac__arena_array(&e->scratch, tac__type_words(type), 8);
}

// Continuous states are those of the flow.
static tac_status make_signals(tac__tangents *t)
{
    tac_engine *e = t->engine;
    const tac__schema *schema = &e->plan->schema;
    t->signals = tac__arena_array(&e->scratch, schema->count, sizeof *t->signals);
    t->rings = tac__arena_array(&e->scratch, schema->count, sizeof *t->rings);
    if (!t->signals || !t->rings)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < schema->count; i++) {
        const tac__signal *s = &schema->signals[i];
        const tac__component *c = e->plan->components[s->component];
        if (s->kind->state) {
            const double *x = tac__block_at(&e->plan->block, s->offset);
            t->signals[i] = t->flows[c->island].x + (x - e->islands[c->island].x) * TAC__WIDTH;
        } else {
            t->signals[i] = make_value(e, &s->kind->type);
        }
        if (s->history && s->kind->type.scalar == TAC_F64)
            t->rings[i] = make_duals(e, s->history->depth * s->history->words);
        if (!t->signals[i] || (s->history && s->kind->type.scalar == TAC_F64 && !t->rings[i]))
            return TAC_E_MEMORY;
    }
    return TAC_OK;
}

// --- wiring -------------------------------------------------------------------------------------

static tac_status make_inputs(tac__tangents *t, tac__tangent_part *part)
{
    tac_engine *e = t->engine;
    const tac__component *c = part->run->plan;
    part->in = tac__arena_array(&e->scratch, c->inputs.count, sizeof *part->in);
    if (!part->in)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < c->inputs.count; k++) {
        const tac__input *in = &c->in[k];
        const tac_type *type = &c->inputs.items[k].type;
        part->in[k] = part->run->step.in[k];
        if (type->scalar != TAC_F64)
            continue;
        part->in[k] = in->signal >= 0 && !in->buffer
                          ? (double *)t->signals[in->signal] + in->element * TAC__WIDTH
                          : make_duals(e, type->count);
        if (!part->in[k])
            return TAC_E_MEMORY;
        if (in->buffer)
            tac__tangent_constants(part->run->step.in[k], type->count,
                                   (double *)(uintptr_t)part->in[k]);
    }
    return TAC_OK;
}

static tac_status make_views(tac__tangents *t, tac__tangent_part *part)
{
    const tac__component *c = part->run->plan;
    part->views = tac__arena_array(&t->engine->scratch, c->views.count, sizeof *part->views);
    if (!part->views)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < c->views.count; i++) {
        const tac__view *view = &c->views.items[i];
        tac__tangent_view *own = &part->views[i];
        own->plan = view;
        for (size_t k = 0; k < c->inputs.count; k++) {
            const tac__input *in = &c->in[k];
            if (in->buffer != view->target || in->signal < 0)
                continue;
            const tac__signal *s = &t->engine->plan->schema.signals[in->signal];
            const bool numbers = s->kind->type.scalar == TAC_F64;
            own->signal = numbers ? t->signals[in->signal] : NULL;
            own->ring = t->rings[in->signal];
            own->rate_ring = view->derivative ? t->rings[s->derivative] : NULL;
            own->to =
                c->inputs.items[k].type.scalar == TAC_F64 ? (double *)(uintptr_t)part->in[k] : NULL;
        }
    }
    return TAC_OK;
}

static tac_status make_ports(tac__tangents *t, tac__tangent_part *part)
{
    tac_engine *e = t->engine;
    const tac__component *c = part->run->plan;
    part->out = tac__arena_array(&e->scratch, c->outputs.count, sizeof *part->out);
    part->state = tac__arena_array(&e->scratch, c->states.count, sizeof *part->state);
    if (!part->out || !part->state)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < c->outputs.count; k++)
        part->out[k] = t->signals[tac__signal_at(c, k)];
    for (size_t k = 0; k < c->states.count; k++) {
        part->state[k] = make_value(e, &c->states.items[k].type);
        if (!part->state[k])
            return TAC_E_MEMORY;
    }
    TAC_TRY(make_inputs(t, part));
    return make_views(t, part);
}

// Numbers of components of the plant are those of the flow.
static double *find_numbers(const tac__tangents *t, const tac_instance *c)
{
    const tac__tangent_flow *flow = c->plan->island >= 0 ? &t->flows[c->plan->island] : NULL;
    for (size_t i = 0; flow && flow->duals && i < flow->duals->count; i++) {
        if (flow->duals->members[i].instance == c)
            return flow->numbers + flow->duals->members[i].number_at;
    }
    return make_duals(t->engine, c->plan->number_count);
}

static tac_status make_part(tac__tangents *t, tac_instance *c)
{
    tac_engine *e = t->engine;
    tac__tangent_part *part = &t->parts[c->plan->index];
    *part = (tac__tangent_part){.owner = t,
                                .run = c,
                                .step = c->run,
                                .step_self = c->run_self,
                                .kernels = &c->plan->type->kernels[TAC_DUALS_OF_ALL]};
    TAC_TRY(make_ports(t, part));
    part->numbers = find_numbers(t, c);
    part->decided = tac__arena_array(&e->scratch, c->plan->decision_count, sizeof(double));
    part->draws = tac__arena_array(&e->scratch, c->plan->stream_count, sizeof *part->draws);
    if (!part->numbers || !part->decided || !part->draws)
        return TAC_E_MEMORY;
    if (tac__is_machine(c->plan)) {
        part->found = make_duals(e, tac__phases_of(c->plan)->found_count);
        if (!part->found)
            return TAC_E_MEMORY;
    }
    part->frame = c->step;
    part->frame.in = part->in;
    part->frame.out = part->out;
    part->frame.state = part->state;
    part->frame.p = part->numbers;
    part->frame.decided = part->decided;
    part->eval = (tac_eval){.in = part->in, .out = part->out, .p = part->numbers, .lanes = 1};
    if (c->plan->island >= 0) {
        const tac__tangent_flow *flow = &t->flows[c->plan->island];
        part->frame.x = part->eval.x = flow->x + c->plan->x_offset * TAC__WIDTH;
        part->eval.mode =
            flow->subject.mode ? flow->subject.mode + c->plan->event_offset * TAC__WIDTH : NULL;
    }
    return TAC_OK;
}

// Where the duals of inputs are that an island holds.
static void find_held(const tac__tangents *t, const tac__tangent_flow *flow)
{
    for (size_t h = 0; flow->duals && h < flow->duals->held_count; h++) {
        const tac__held *held = &flow->duals->held[h];
        const tac_instance *c = flow->duals->members[held->member].instance;
        flow->held[h] = t->parts[c->plan->index].in[held->input];
    }
    for (size_t i = 0; flow->duals && i < flow->duals->count; i++) {
        tac__member *m = &flow->duals->members[i];
        m->resting = t->parts[m->instance->plan->index].out;
    }
}

// Room for what any condition sees.
static tac_status make_look(tac__tangents *t)
{
    tac_engine *e = t->engine;
    size_t inputs = 1, words = 1;
    t->can_move = e->plan->machine_count > 0;
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        t->can_move |= c->condition_count > 0;
        inputs = c->inputs.count > inputs ? c->inputs.count : inputs;
        for (size_t k = 0; k < c->inputs.count; k++) {
            const size_t own = tac__type_words(&c->inputs.items[k].type);
            words = own > words ? own : words;
        }
    }
    t->look_in = tac__arena_array(&e->scratch, inputs, sizeof *t->look_in);
    if (!t->look_in)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < inputs && t->can_move; k++) {
        t->look_in[k] = tac__arena_array(&e->scratch, words, sizeof(double));
        if (!t->look_in[k])
            return TAC_E_MEMORY;
    }
    return TAC_OK;
}

static tac_status make(tac__tangents *t)
{
    tac_engine *e = t->engine;
    TAC_TRY(make_look(t));
    t->parts = tac__arena_array(&e->scratch, e->plan->component_count, sizeof *t->parts);
    t->flows = tac__arena_array(&e->scratch, e->plan->island_count, sizeof *t->flows);
    t->no_islands = tac__arena_array(&e->scratch, e->plan->island_words + 1, sizeof *t->no_islands);
    size_t most = 1;
    for (size_t i = 0; i < e->plan->schema.count; i++) {
        const size_t words = e->plan->schema.signals[i].kind->words;
        most = words > most ? words : most;
    }
    t->still = make_duals(e, most);
    if (!t->parts || !t->flows || !t->no_islands || !t->still)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < e->plan->island_count; i++)
        TAC_TRY(tac__tangent_flow_make(t, &t->flows[i], &e->islands[i]));
    TAC_TRY(make_signals(t));
    for (size_t i = 0; i < e->plan->component_count; i++)
        TAC_TRY(make_part(t, e->instances[i]));
    for (size_t i = 0; i < e->plan->island_count; i++)
        find_held(t, &t->flows[i]);
    visit_all(e, t, begin, NULL);
    begin_rings(t);
    return TAC_OK;
}

// Steps of components go through tac__tangent_step; observers only look.
static void take_over(const tac__tangents *t)
{
    const tac_engine *e = t->engine;
    for (size_t i = 0; i < e->plan->component_count; i++) {
        tac_instance *c = e->instances[i];
        if (!c->run || c->plan->observer)
            continue;
        c->run = tac__tangent_step;
        c->run_self = &t->parts[i];
    }
}

tac_status tac__tangents_create(tac_engine *e, tac__tangents **made, tac_error *err)
{
    TAC_REQUIRE(e && made);
    *made = NULL;
    if (e->life != TAC__PREPARED || e->clock->started || e->tangents || e->plan->driver ||
        e->plan->def.lanes != 1)
        return tac__fail(err, TAC_E_USAGE,
                         "derivatives need an engine that is prepared, has not started, computes "
                         "nothing in lanes and replays nothing");
    if (e->plan->method->implicit)
        return tac__fail(err, TAC_E_CONFIG,
                         "a run with the implicit integrator '%s' cannot be differentiated; take "
                         "an explicit one, as rk45",
                         e->plan->method->name);
    tac__tangents *t = tac__arena_alloc(&e->scratch, sizeof *t);
    if (!t)
        return tac__fail_memory(err);
    t->engine = e;
    if (make(t) != TAC_OK)
        return tac__fail_memory(err);
    take_over(t);
    // The run calls tac__tangents_arrive where it shows steps to watchers.
    t->watcher.islands = t->no_islands;
    tac__watch_steps(e, &t->watcher);
    e->tangents = t;
    *made = t;
    return TAC_OK;
}

// --- results ------------------------------------------------------------------------------------

const double *tac__tangents_signal(tac__tangents *t, size_t signal)
{
    tac_engine *e = t->engine;
    const tac__signal *s = &e->plan->schema.signals[signal];
    if (s->kind->type.scalar != TAC_F64)
        return NULL;
    if (!s->kind->continuous || s->kind->state)
        return t->signals[signal];
    const int island = e->plan->components[s->component]->island;
    tac__tangent_flow *flow = &t->flows[island];
    const tac_time now_us = e->clock->t_us;
    if (e->islands[island].state->outputs_us == now_us)
        return t->signals[signal];
    if (!flow->duals || e->islands[island].state->at_us != now_us)
        return NULL;
    if (e->islands[island].kept_us != now_us)
        tac__tangent_aim(flow);
    const double t_s = tac_time_seconds(now_us);
    return tac__evaluator_outputs(flow->duals, &t_s, true) == TAC_OK
               ? tac__evaluator_signal(e, flow->duals, (int)signal)
               : NULL;
}

tac_status tac__tangents_check(const tac__tangents *t, tac_error *err)
{
    if (!t->fault)
        return TAC_OK;
    char text[TAC_TIME_TEXT];
    tac_time_print(t->fault_us, text);
    return tac__fail(err, TAC_E_NUMERIC,
                     "on dual numbers '%s' of '%s' has another value than in the run, at %s",
                     t->fault, t->fault_of, text);
}

const char *tac__tangents_gap(const tac__tangents *t, size_t component, tac_time *since_us)
{
    const tac__tangent_part *part = &t->parts[component];
    if (since_us)
        *since_us = part->gap_us;
    return part->gap;
}
