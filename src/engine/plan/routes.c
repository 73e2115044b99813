// routes.c - connecting inputs with signals: do both ends of a route agree, inputs and outputs that
// their own component connects, and which components only observe.
#include "engine/plan/prepare.h"
#include "engine/plan/find.h"
#include "engine/plan/share.h"
#include "engine/phases/phases.h"

#include <string.h>

// --- do both ends agree? ------------------------------------------------------------------------

// A constant of as many elements has another shape: name the parameter that gives it the right one.
static void suggest_shape(const tac__plan *plan, const tac__signal *s, const tac_type *seen,
                          const tac_type *wanted, tac_error *err)
{
    static const char *const words[] = {
        [TAC_ARRAY] = "array", [TAC_VEC3] = "vec3", [TAC_QUAT] = "quat"};
    const tac__component *c = plan->components[s->component];
    if ((c->type->flags & TAC_COMPONENT_CONSTANT) && seen->count == wanted->count &&
        seen->scalar == wanted->scalar && wanted->count > 1)
        tac__error_append(err, "; give '%s' the parameter 'type: %s'", c->name,
                          words[wanted->shape]);
}

static tac_status check_types(const tac__plan *plan, const tac__signal *s, const tac__port *port,
                              bool part, const tac_route_def *r, tac_error *err)
{
    tac_type seen = s->kind->type;
    if (part) {
        seen.shape = TAC_SINGLE;
        seen.count = 1;
    }
    if (!tac__type_same(&seen, &port->type)) {
        char from[128], to[128];
        tac_type_print(&seen, from, sizeof from);
        tac_type_print(&port->type, to, sizeof to);
        tac__fail_at(err, TAC_E_TYPE, &r->place, "'%s' is of type %s, but input '%s' takes %s",
                     r->from, from, r->to, to);
        suggest_shape(plan, s, &seen, &port->type, err);
        return TAC_E_TYPE;
    }
    const bool scaled = r->gain != 1 || r->offset != 0;
    if (scaled && s->kind->type.scalar != TAC_F64)
        return tac__fail_at(err, TAC_E_TYPE, &r->place,
                            "gain and offset work on f64, and '%s' is not", r->from);
    if (!(r->gain - r->gain == 0) || !(r->offset - r->offset == 0))
        return tac__fail_at(err, TAC_E_RANGE, &r->place, "gain and offset must be finite");
    if (tac__unit_same(&s->kind->dimension, &port->dimension))
        return TAC_OK;
    if (!tac__unit_compatible(&s->kind->dimension, &port->dimension))
        return tac__fail_at(err, TAC_E_UNIT, &r->place, "'%s' is in %s, but input '%s' takes %s",
                            r->from, s->kind->unit, r->to, port->unit);
    if (!r->convert)
        return tac__fail_at(err, TAC_E_UNIT, &r->place,
                            "'%s' is in %s, but input '%s' takes %s; write 'convert: true' to "
                            "convert",
                            r->from, s->kind->unit, r->to, port->unit);
    if (s->kind->type.scalar != TAC_F64)
        return tac__fail_at(err, TAC_E_UNIT, &r->place, "only f64 can be converted from %s to %s",
                            s->kind->unit, port->unit);
    return TAC_OK;
}

static tac_status check_free(const tac__input *in, const tac_route_def *r, tac_error *err)
{
    if (!in->routed)
        return TAC_OK;
    return tac__fail_at(err, TAC_E_DUPLICATE, &r->place,
                        "input '%s' has a route already, from '%s'", r->to, in->route->from);
}

// Vehicles of one template have the same route, but for the name of the input. Routes are compared
// byte by byte, so bytes between fields are 0.
static const tac_route_def *keep_route(tac__plan *plan, const tac_route_def *r)
{
    tac_route_def route;
    memset(&route, 0, sizeof route);
    route.size = r->size;
    route.from = r->from;
    route.gain = r->gain;
    route.offset = r->offset;
    route.delay_us = r->delay_us;
    route.delayed = r->delayed;
    route.convert = r->convert;
    route.has_policy = r->has_policy;
    route.policy = r->policy;
    route.place = r->place;
    route.rest = r->rest;
    route.pending = r->pending;
    _Static_assert(sizeof route == 88, "a field that is not copied?");
    return tac__share_bytes(plan, &route, sizeof route);
}

static tac_status resolve_route(tac__plan *plan, const tac_route_def *r, tac_error *err)
{
    tac__component *reader;
    size_t input;
    bool part;
    TAC_TRY(tac__find_input(plan, r, &reader, &input, err));
    tac__input *in = &reader->in[input];
    TAC_TRY(check_free(in, r, err));
    TAC_TRY(tac__find_source(plan, reader, r, &in->signal, &in->element, &part, err));
    const tac__port *port = &reader->inputs.items[input];
    tac__signal *s = &plan->schema.signals[in->signal];
    TAC_TRY(check_types(plan, s, port, part, r, err));
    s->read = true;
    in->routed = true;
    in->route = keep_route(plan, r);
    if (!in->route)
        return tac__fail_memory(err);
    in->coupled = s->kind->continuous && tac__is_continuous(reader->type) &&
                  !(port->flags & TAC_PORT_HELD) && !r->delayed && r->delay_us == 0;
    return TAC_OK;
}

// --- inputs and outputs that are connected by their own component -------------------------------

// A watch takes any single value, without conversion.
static tac_status resolve_watch(tac__plan *plan, tac__component *c, size_t input, tac_error *err)
{
    tac__port *port = &c->inputs.items[input];
    tac__input *in = &c->in[input];
    tac_route_def r = tac_route_def_default();
    r.from = port->peer;
    r.to = tac__arena_format(&plan->arena, "%s.%s", c->name, port->name);
    r.place = port->place;
    if (!r.to)
        return tac__fail_memory(err);
    TAC_TRY(check_free(in, &r, err));
    bool part;
    TAC_TRY(tac__find_source(plan, c, &r, &in->signal, &in->element, &part, err));
    tac__signal *s = &plan->schema.signals[in->signal];
    s->read = true;
    if (!part && s->kind->type.count != 1) {
        char text[64];
        tac_type_print(&s->kind->type, text, sizeof text);
        return tac__fail_at(err, TAC_E_TYPE, &r.place,
                            "'%s' is of type %s; expected a single value, such as '%s[0]'", r.from,
                            text, r.from);
    }
    port->unit = s->kind->unit;
    port->dimension = s->kind->dimension;
    r.delayed = !s->kind->state &&
                (s->kind->stage > c->stage || (s->component == c->index && !tac__is_machine(c)));
    in->routed = true;
    in->route = keep_route(plan, &r);
    if (!in->route)
        return tac__fail_memory(err);
    return TAC_OK;
}

// A feed has the unit of the input that it leads to, and begins with the value that this input
// reads when it is open.
static tac_status resolve_feed(tac__plan *plan, tac__component *c, size_t output, tac_error *err)
{
    tac__port *port = &c->outputs.items[output];
    tac__signal *s = &plan->schema.signals[tac__signal_at(c, output)];
    const char *entity = plan->entities[c->entity].name;
    tac_route_def r = tac_route_def_default();
    r.from = s->name;
    r.place = port->place;
    r.to = tac__arena_format(&plan->arena, "%s%s%s", entity, *entity ? "." : "", port->peer);
    if (!r.to)
        return tac__fail_memory(err);
    tac__component *reader;
    size_t input;
    TAC_TRY(tac__find_input(plan, &r, &reader, &input, err));
    const tac__port *target = &reader->inputs.items[input];
    tac__signal_kind *kind = tac__arena_array(&plan->arena, 1, sizeof *kind); // of its own
    if (!kind)
        return tac__fail_memory(err);
    *kind = *s->kind;
    port->unit = kind->unit = target->unit;
    port->dimension = kind->dimension = target->dimension;
    s->kind = kind;
    port->has_rest = target->has_rest;
    port->rest = target->rest;
    return resolve_route(plan, &r, err);
}

static tac_status resolve_peers(tac__plan *plan, tac__mistakes *m, tac_error *err)
{
    for (size_t i = 0; i < plan->component_count; i++) {
        tac__component *c = plan->components[i];
        for (size_t k = 0; k < c->outputs.count; k++) {
            if (c->outputs.items[k].peer)
                TAC_TRY(tac__mistake(m, resolve_feed(plan, c, k, err), err));
        }
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->inputs.items[k].peer)
                TAC_TRY(tac__mistake(m, resolve_watch(plan, c, k, err), err));
        }
    }
    return TAC_OK;
}

tac_status tac__resolve_routes(tac__plan *plan, tac_error *err)
{
    tac__mistakes m = {.tell = plan->def.mistake, .context = plan->def.mistake_context};
    for (size_t i = 0; i < plan->route_count; i++)
        TAC_TRY(tac__mistake(&m, resolve_route(plan, &plan->routes[i], err), err));
    tac__arena_fini(&plan->routing);
    plan->routes = NULL;
    plan->route_count = 0;
    TAC_TRY(resolve_peers(plan, &m, err));
    TAC_TRY(tac__mistakes_end(&m, err));
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            const tac__port *port = &c->inputs.items[k];
            if (!c->in[k].routed && !(port->flags & TAC_PORT_OPTIONAL))
                TAC_TRY(tac__mistake(&m,
                                     tac__fail_at(err, TAC_E_CONFIG, &c->place,
                                                  "input '%s.%s' is not connected%s%s", c->name,
                                                  port->name, *port->doc ? ": " : "", port->doc),
                                     err));
        }
    }
    return tac__mistakes_end(&m, err);
}

// --- observers ----------------------------------------------------------------------------------

// Is the component an observer if only observers read its outputs? A component that sends or
// receives messages, has located conditions or hooks, or is switched by phases takes part in the
// run whoever reads it. So does a scenario, a component with state outside the engine, and one
// without outputs, whose effect the engine cannot see.
static bool may_only_watch(const tac__component *c)
{
    const tac_component_type *t = c->type;
    return t->kernels[TAC_NUMBERS].step && !tac__is_continuous(t) && !tac__is_machine(c) &&
           c->outputs.count && !c->sender_count && !c->receiver_count && !c->condition_count &&
           !c->active_names && !t->pre_step && !t->post_step && !t->phase_enter && !t->phase_exit &&
           !(t->flags & TAC_COMPONENT_OPAQUE) && c->stage != TAC_STAGE_SCENARIO &&
           c->stage != TAC_STAGE_ACTUATE;
}

// A component whose outputs reach only observers, directly or through others, is an observer
// itself. All candidates are taken for observers at first; those that a component reads which is
// none are struck out, until nothing changes.
void tac__resolve_observers(tac__plan *plan)
{
    for (size_t i = 0; i < plan->component_count; i++)
        plan->components[i]->observer |= may_only_watch(plan->components[i]);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < plan->component_count; i++) {
            const tac__component *reader = plan->components[i];
            for (size_t k = 0; !reader->observer && k < reader->inputs.count; k++) {
                if (reader->in[k].signal < 0)
                    continue;
                tac__component *writer =
                    plan->components[plan->schema.signals[reader->in[k].signal].component];
                changed |= writer->observer;
                writer->observer = false;
            }
        }
    }
}
