// resolve.c - from names to indices: routes, synchronisation policies, groups that step together,
// histories, links.
#include "engine/plan/prepare.h"
#include "engine/plan/warn.h"
#include "engine/plan/find.h"
#include "engine/plan/share.h"
#include "engine/phases/phases.h"
#include "engine/plan/outside.h"

#include <string.h>

static const char *input_name(const void *context, size_t i)
{
    const tac__component *c = context;
    return i < c->inputs.count ? c->inputs.items[i].name : NULL;
}

// --- where a route ends -----------------------------------------------------------------------

tac_status tac__find_input(const tac__plan *plan, const tac_route_def *r, tac__component **reader,
                           size_t *input, tac_error *err)
{
    const char *dot = strrchr(r->to, '.');
    char name[2 * TAC_ERROR_NAME];
    tac__out out = tac__out_begin(name, sizeof name);
    tac__out_add(&out, "%.*s", dot ? (int)(dot - r->to) : 0, r->to);
    *reader = tac__find_component(plan, name);
    if (!*reader) {
        tac__fail_at(err, TAC_E_NAME, &r->place, "route to '%s': no such component", r->to);
        tac__error_suggest(err, name, tac__component_name, plan);
        return TAC_E_NAME;
    }
    for (*input = 0; *input < (*reader)->inputs.count; ++*input) {
        if (!strcmp((*reader)->inputs.items[*input].name, dot + 1))
            return TAC_OK;
    }
    tac__fail_at(err, TAC_E_NAME, &r->place, "'%s' has no input '%s'", (*reader)->name, dot + 1);
    tac__error_suggest(err, dot + 1, input_name, *reader);
    return TAC_E_NAME;
}

// --- where a route begins ---------------------------------------------------------------------

// A name is looked up in the entity of the reader first, then as it stands.
static int find_signal(const tac__plan *plan, const tac__component *reader, const char *name)
{
    const char *entity = plan->entities[reader->entity].name;
    char local[2 * TAC_ERROR_NAME];
    if (*entity) {
        tac__out out = tac__out_begin(local, sizeof local);
        tac__out_add(&out, "%s.%s", entity, name);
        const int signal = tac__find_signal(plan, local);
        if (signal >= 0)
            return signal;
    }
    return tac__find_signal(plan, name);
}

// Is `tail` the end of a name, as "battery.soc" of "uav1.vehicle.battery.soc"?
static bool is_tail(const char *tail, const char *name)
{
    const size_t n = strlen(tail), length = strlen(name);
    return n > 0 && n < length && name[length - n - 1] == '.' && !strcmp(name + length - n, tail);
}

// Names in the reader's own entity are compared as they would be written there. Where no name is
// similar, a name that only lacks its beginning is suggested, preferably one of the own entity.
static const char *nearest_signal(const tac__plan *plan, const tac__component *reader,
                                  const char *name)
{
    const char *entity = plan->entities[reader->entity].name, *own = NULL, *other = NULL;
    const size_t prefix = *entity ? strlen(entity) + 1 : 0;
    tac__nearest nearest = tac__nearest_begin(name);
    for (size_t i = 0; i < plan->schema.count; i++) {
        const char *full = plan->schema.signals[i].name;
        const bool inside = prefix && !strncmp(full, entity, prefix - 1) && full[prefix - 1] == '.';
        const char *candidate = full + (inside ? prefix : 0), **tail = inside ? &own : &other;
        tac__nearest_offer(&nearest, candidate);
        if (!*tail && is_tail(name, candidate))
            *tail = candidate;
    }
    return nearest.best ? nearest.best : own ? own : other;
}

static tac_status fail_signal(const tac__plan *plan, const tac__component *reader,
                              const tac_route_def *r, const char *name, tac_error *err)
{
    tac__fail_at(err, TAC_E_NAME, &r->place, "unknown signal '%s'", r->from);
    // A port may itself be called x, y or z: the name as written comes first, then without element.
    const char *best = nearest_signal(plan, reader, r->from);
    if (!best)
        best = nearest_signal(plan, reader, name);
    if (best)
        tac__error_append(err, "; did you mean '%s'?", best);
    return TAC_E_NAME;
}

// "Nav.position[2]" and "Nav.position.z": splits off the element. False: no element given.
static bool split_element(const char *from, char *name, size_t size, uint32_t *element)
{
    const size_t length = strlen(from);
    if (length >= size)
        return false;
    memcpy(name, from, length + 1);
    char *bracket = strchr(name, '[');
    if (bracket && name[length - 1] == ']') {
        uint32_t n = 0;
        const char *c = bracket + 1;
        for (; *c >= '0' && *c <= '9' && n < 1000000; c++)
            n = n * 10 + (uint32_t)(*c - '0');
        if (c == bracket + 1 || c != name + length - 1)
            return false;
        *bracket = '\0';
        *element = n;
        return true;
    }
    if (length > 2 && name[length - 2] == '.') {
        const char *axis = strchr("xyzw", name[length - 1]);
        if (axis && *axis) {
            *element = (uint32_t)(axis - "xyzw");
            name[length - 2] = '\0';
            return true;
        }
    }
    return false;
}

// x, y, z of a vec3 are 0, 1, 2; w, x, y, z of a quat are 0, 1, 2, 3.
static bool letter_element(const tac_type *type, const char *from, uint32_t *element)
{
    if (from[strlen(from) - 1] == ']')
        return *element < type->count;
    if (type->shape == TAC_VEC3)
        return *element < 3;
    if (type->shape != TAC_QUAT)
        return false;
    *element = (*element + 1) % 4;
    return true;
}

static tac_status find_source(const tac__plan *plan, const tac__component *reader,
                              const tac_route_def *r, int *signal, uint32_t *element, bool *part,
                              tac_error *err)
{
    *element = 0;
    *part = false;
    *signal = find_signal(plan, reader, r->from);
    if (*signal >= 0)
        return TAC_OK;
    char name[2 * TAC_ERROR_NAME];
    if (!split_element(r->from, name, sizeof name, element))
        return fail_signal(plan, reader, r, r->from, err);
    *signal = find_signal(plan, reader, name);
    if (*signal < 0)
        return fail_signal(plan, reader, r, name, err);
    *part = true;
    const tac_type *type = &plan->schema.signals[*signal].kind->type;
    if (!letter_element(type, r->from, element)) {
        char text[64];
        tac_type_print(type, text, sizeof text);
        return tac__fail_at(err, TAC_E_RANGE, &r->place,
                            "'%s': '%s' is of type %s, which has no "
                            "such element",
                            r->from, name, text);
    }
    return TAC_OK;
}

int tac__find_element(const tac__plan *plan, const tac__component *reader, const char *text,
                      uint32_t *element)
{
    const tac_route_def r = {.from = text};
    int signal;
    bool part;
    tac_error ignored;
    if (find_source(plan, reader, &r, &signal, element, &part, &ignored) != TAC_OK)
        return -1;
    return part || plan->schema.signals[signal].kind->type.count == 1 ? signal : -1;
}

static bool is_own_state(const tac__plan *plan, const tac__component *c, const tac__signal *s)
{
    return s->kind->state && plan->components[s->component]->entity == c->entity;
}

int tac__find_own_state(const tac__plan *plan, const tac__component *c, const char *text,
                        uint32_t *element, size_t *count)
{
    const tac_route_def r = {.from = text};
    int signal;
    bool part;
    tac_error ignored;
    if (find_source(plan, c, &r, &signal, element, &part, &ignored) != TAC_OK ||
        !is_own_state(plan, c, &plan->schema.signals[signal]))
        return -1;
    *count = part ? 1 : plan->schema.signals[signal].kind->type.count;
    return signal;
}

void tac__suggest_own_state(const tac__plan *plan, const tac__component *c, const char *text,
                            tac_error *err)
{
    const char *entity = plan->entities[c->entity].name;
    tac__nearest nearest = tac__nearest_begin(text);
    for (size_t i = 0; i < plan->schema.count; i++) {
        const tac__signal *s = &plan->schema.signals[i];
        if (is_own_state(plan, c, s))
            tac__nearest_offer(&nearest, s->name + (*entity ? strlen(entity) + 1 : 0));
    }
    if (nearest.best)
        tac__error_append(err, "; did you mean '%s'?", nearest.best);
}

// --- do both ends agree? ------------------------------------------------------------------------

static tac_status check_types(const tac__signal *s, const tac__port *port, bool part,
                              const tac_route_def *r, tac_error *err)
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
        return tac__fail_at(err, TAC_E_TYPE, &r->place,
                            "'%s' is of type %s, but input '%s' takes %s", r->from, from, r->to,
                            to);
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
    TAC_TRY(find_source(plan, reader, r, &in->signal, &in->element, &part, err));
    const tac__port *port = &reader->inputs.items[input];
    tac__signal *s = &plan->schema.signals[in->signal];
    TAC_TRY(check_types(s, port, part, r, err));
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
    TAC_TRY(find_source(plan, c, &r, &in->signal, &in->element, &part, err));
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

static tac_status resolve_peers(tac__plan *plan, tac_error *err)
{
    for (size_t i = 0; i < plan->component_count; i++) {
        tac__component *c = plan->components[i];
        for (size_t k = 0; k < c->outputs.count; k++) {
            if (c->outputs.items[k].peer)
                TAC_TRY(resolve_feed(plan, c, k, err));
        }
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->inputs.items[k].peer)
                TAC_TRY(resolve_watch(plan, c, k, err));
        }
    }
    return TAC_OK;
}

tac_status tac__resolve_routes(tac__plan *plan, tac_error *err)
{
    for (size_t i = 0; i < plan->route_count; i++)
        TAC_TRY(resolve_route(plan, &plan->routes[i], err));
    tac__arena_fini(&plan->routing);
    plan->routes = NULL;
    plan->route_count = plan->route_capacity = 0;
    TAC_TRY(resolve_peers(plan, err));
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            const tac__port *port = &c->inputs.items[k];
            if (!c->in[k].routed && !(port->flags & TAC_PORT_OPTIONAL))
                return tac__fail_at(err, TAC_E_CONFIG, &c->place,
                                    "input '%s.%s' is not connected%s%s", c->name, port->name,
                                    *port->doc ? ": " : "", port->doc);
        }
    }
    return TAC_OK;
}

// --- observers ----------------------------------------------------------------------------------

// Is the component an observer if only observers read its outputs? A component that sends or
// receives messages, has located conditions or hooks, or is switched by phases takes part in the
// run whoever reads it. So does a scenario, a component with state outside the engine, and one
// without outputs, whose effect the engine cannot see.
static bool may_only_watch(const tac__component *c)
{
    const tac_component_type *t = c->type;
    return t->step && !tac__is_continuous(t) && !tac__is_machine(c) && c->outputs.count &&
           !c->sender_count && !c->receiver_count && !c->condition_count && !c->active_names &&
           !t->pre_step && !t->post_step && !t->phase_enter && !t->phase_exit &&
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

// --- policies and synchronised groups -----------------------------------------------------------

static tac_policy policy_of(const tac__plan *plan, const tac__input *in,
                            const tac__component *reader)
{
    const tac__signal *s = &plan->schema.signals[in->signal];
    const tac__component *writer = plan->components[s->component];
    if (s->kind->continuous || writer->group < 0 || reader->group < 0 ||
        writer->group == reader->group)
        return TAC_ZOH;
    tac_policy policy = plan->def.policy;
    for (size_t i = 0; i < plan->rule_count; i++) {
        if (tac__path_match(plan->rules[i].pattern, s->name))
            policy = plan->rules[i].policy;
    }
    if (in->route->has_policy)
        policy = in->route->policy;
    // An observer must not change the rate of what it reads.
    return policy == TAC_SYNCHRONIZED && tac__is_observer(reader) ? TAC_ZOH : policy;
}

static int root_of(const tac__plan *plan, int group)
{
    while (plan->groups[group].root != group)
        group = plan->groups[group].root;
    return group;
}

// Make two groups step together: on the coarsest axis that holds both.
static tac_status join(tac__plan *plan, int a, int b, const tac_route_def *r, tac_error *err)
{
    tac__group *x = &plan->groups[root_of(plan, a)], *y = &plan->groups[root_of(plan, b)];
    if (x == y)
        return TAC_OK;
    if (!tac__group_period(x) || !tac__group_period(y))
        return tac__fail_at(err, TAC_E_CONFIG, &r->place,
                            "SYNCHRONIZED needs two regular rates, but '%s' has explicit times",
                            tac__group_period(x) ? y->name : x->name);
    if (x > y) { // the one declared first stays the root
        tac__group *swap = x;
        x = y;
        y = swap;
    }
    const tac_time apart =
        x->offset_us > y->offset_us ? x->offset_us - y->offset_us : y->offset_us - x->offset_us;
    const tac_time first = x->offset_us < y->offset_us ? x->offset_us : y->offset_us;
    x->period_us = tac__gcd(tac__gcd(x->period_us, y->period_us), apart);
    x->offset_us = first;
    y->root = (int)(x - plan->groups);
    if (x->period_us < 100 && !plan->def.allow_fast_sync)
        return tac__fail_at(err, TAC_E_LIMIT, &r->place,
                            "SYNCHRONIZED on '%s' makes '%s' and '%s' step together every %llu us, "
                            "above 10 kHz; allow it with 'allow_fast_sync: true'",
                            r->from, plan->groups[a].name, plan->groups[b].name,
                            (unsigned long long)x->period_us);
    return TAC_OK;
}

// A rule that matches nothing is no error, because files are shared, but its pattern may be
// misspelt.
static void warn_of_idle_rules(tac__plan *plan)
{
    for (size_t i = 0; i < plan->rule_count; i++) {
        const tac__policy_rule *rule = &plan->rules[i];
        size_t k = 0;
        while (k < plan->schema.count &&
               !tac__path_match(rule->pattern, plan->schema.signals[k].name))
            k++;
        if (k == plan->schema.count)
            tac__warn(plan, &rule->place, "policy %s for '%s': no signal has such a name",
                      tac_policy_name(rule->policy), rule->pattern);
    }
}

tac_status tac__resolve_groups(tac__plan *plan, tac_error *err)
{
    warn_of_idle_rules(plan);
    for (size_t i = 0; i < plan->component_count; i++) {
        tac__component *c = plan->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            tac__input *in = &c->in[k];
            if (in->signal < 0)
                continue;
            in->policy = policy_of(plan, in, c);
            if (in->policy == TAC_SYNCHRONIZED) {
                const tac__component *writer =
                    plan->components[plan->schema.signals[in->signal].component];
                TAC_TRY(join(plan, writer->group, c->group, in->route, err));
            }
        }
    }
    for (size_t i = 0; i < plan->group_count; i++) {
        const tac__group *root = &plan->groups[root_of(plan, (int)i)];
        plan->groups[i].root = (int)(root - plan->groups);
        plan->groups[i].period_us = root->period_us;
        plan->groups[i].offset_us = root->offset_us;
    }
    return TAC_OK;
}

tac_time tac__signal_period(const tac__plan *plan, const tac__signal *signal)
{
    const tac__component *c = plan->components[signal->component];
    if (signal->kind->continuous || c->group < 0 || (c->type->flags & TAC_COMPONENT_TIMER) ||
        c->condition_count)
        return 0;
    for (size_t i = 0; i < c->receiver_count; i++) {
        if (plan->receivers[c->receivers[i]].def.triggers)
            return 0;
    }
    return tac__group_period(&plan->groups[c->group]);
}

// --- histories ----------------------------------------------------------------------------------

// A delayed reader that runs before the writer at a boundary sees the last value on the bus. A
// reader that runs after the writer, as integration does, needs the history to look back.
static bool looks_back(const tac__plan *plan, const tac__component *reader, const tac__signal *s)
{
    if (tac__is_continuous(reader->type))
        return true;
    return plan->components[s->component] != reader && s->kind->stage <= reader->stage;
}

// Keep the history of a signal, at least so deep.
static tac_status deepen(tac__plan *plan, int signal, uint32_t depth, tac_error *err)
{
    tac__signal *s = &plan->schema.signals[signal];
    if (!s->history)
        s->history = tac__arena_array(&plan->arena, 1, sizeof *s->history);
    if (!s->history)
        return tac__fail_memory(err);
    s->history->depth = s->history->depth > depth ? s->history->depth : depth;
    return TAC_OK;
}

static tac_status resolve_history(tac__plan *plan, tac__component *c, tac__input *in,
                                  tac_error *err)
{
    const tac__signal *s = &plan->schema.signals[in->signal];
    const tac_time period = tac__signal_period(plan, s);
    const tac_route_def *r = in->route;
    if (r->delayed && s->kind->state)
        return tac__fail_at(err, TAC_E_CONFIG, &r->place,
                            "'%s' is a continuous state, readable in every stage: it cannot be "
                            "'delayed'",
                            r->from);
    if (r->delay_us && (period == 0 || r->delay_us % period)) {
        char every[TAC_TIME_TEXT];
        tac_time_print(period, every);
        tac__fail_at(err, TAC_E_TIME, &r->place,
                     "delay of '%s': expected a whole number of the "
                     "writer's periods",
                     r->from);
        if (period)
            tac__error_append(err, " of %s", every);
        else
            tac__error_append(err, ", but it has no regular period");
        return TAC_E_TIME;
    }
    if (r->delay_us && r->delay_us / period > 1000000)
        return tac__fail_at(err, TAC_E_LIMIT, &r->place, "a delay of more than 1000000 periods");
    const bool back = r->delayed && looks_back(plan, c, s);
    const bool moves = in->policy == TAC_INTERPOLATED || in->policy == TAC_EXTRAPOLATED;
    if (!back && !moves && r->delay_us == 0)
        return TAC_OK;
    uint32_t depth = tac__history_depth(r->delay_us, period);
    const tac__component *writer = plan->components[s->component];
    if (writer->active_names && !writer->hold) // a phase may write zeros after each step
        depth *= 2;
    TAC_TRY(deepen(plan, in->signal, depth, err));
    in->history = s->history;
    in->depth = depth;
    return in->policy == TAC_EXTRAPOLATED && s->derivative >= 0
               ? deepen(plan, s->derivative, s->history->depth, err)
               : TAC_OK;
}

tac_status tac__resolve_histories(tac__plan *plan, tac_error *err)
{
    for (size_t i = 0; i < plan->component_count; i++) {
        tac__component *c = plan->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal >= 0)
                TAC_TRY(resolve_history(plan, c, &c->in[k], err));
        }
    }
    return TAC_OK;
}

// --- leads --------------------------------------------------------------------------------------

tac_status tac__resolve_leads(tac__plan *plan, tac_error *err)
{
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        if (!c->lead_us)
            continue;
        const tac_time period_us = c->group < 0 ? 0 : tac__group_period(&plan->groups[c->group]);
        char lead[TAC_TIME_TEXT], period[TAC_TIME_TEXT];
        tac_time_print(c->lead_us, lead);
        tac_time_print(period_us, period);
        if (!period_us)
            return tac__fail_at(err, TAC_E_TIME, &c->lead_place,
                                "'%s' looks ahead by %s, but is in no rate group with a period",
                                c->name, lead);
        if (c->lead_us > c->lead_max * period_us)
            return tac__fail_at(err, TAC_E_LIMIT, &c->lead_place,
                                "%s is more than %u periods of %s, the rate of '%s'", lead,
                                c->lead_max, period, c->name);
    }
    return TAC_OK;
}

// --- links --------------------------------------------------------------------------------------

static const char *sender_name(const void *context, size_t i)
{
    const tac__plan *plan = context;
    return i < plan->sender_count ? plan->senders[i].name : NULL;
}

static const char *receiver_name(const void *context, size_t i)
{
    const tac__plan *plan = context;
    return i < plan->receiver_count ? plan->receivers[i].name : NULL;
}

static tac_status fail_link(const tac__plan *plan, const tac_link_def *l, bool from, tac_error *err)
{
    const char *name = from ? l->from : l->to;
    tac__fail_at(err, TAC_E_NAME, &l->place, "link: no %s port matches '%s'",
                 from ? "sending" : "receiving", name);
    tac__error_suggest(err, name, from ? sender_name : receiver_name, plan);
    return TAC_E_NAME;
}

static tac_status add_link(tac__plan *plan, tac__sender *s, uint32_t receiver,
                           const tac_link_def *def, tac_error *err)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->links[i].receiver == receiver)
            return tac__fail_at(err, TAC_E_DUPLICATE, &def->place,
                                "'%s' and '%s' are linked already", s->name,
                                plan->receivers[receiver].name);
    }
    if (!TAC__ARENA_GROW(&plan->arena, s->links, s->count, s->capacity))
        return tac__fail_memory(err);
    s->links[s->count++] = (tac__link){.receiver = receiver, .delay_us = def->delay_us};
    return TAC_OK;
}

// The lowest number that no link from outside was given, and that is not below `*next`.
static uint32_t free_number(const tac__receiver *r, uint32_t *next)
{
    for (size_t i = 0; i < r->inlet_count;) {
        const bool taken = r->inlets[i].placed && r->inlets[i].number == *next;
        *next += taken;
        i = taken ? 0 : i + 1;
    }
    return (*next)++;
}

static tac_status check_numbers(const tac__receiver *r, uint32_t senders, tac_error *err)
{
    for (size_t i = 0; i < r->inlet_count; i++) {
        const tac__inlet *in = &r->inlets[i];
        if (in->placed && in->number >= senders)
            return tac__fail_at(err, TAC_E_RANGE, &in->place,
                                "number %u of channel '%s': '%s' has %u senders, from 0",
                                in->number, in->channel, r->name, senders);
        for (size_t k = 0; k < i; k++) {
            if (in->placed && r->inlets[k].placed && r->inlets[k].number == in->number)
                return tac__fail_at(err, TAC_E_DUPLICATE, &in->place,
                                    "channels '%s' and '%s' both have number %u at '%s'",
                                    r->inlets[k].channel, in->channel, in->number, r->name);
        }
    }
    return TAC_OK;
}

// A sender has a number with each receiver, its place among the senders that are linked to this
// receiver, so that a component that sends elsewhere changes nothing here. Outside senders have the
// number that their link gives, or come after the engine's own. Digests identify senders by name.
static tac_status number_senders(tac__plan *plan, tac_error *err)
{
    uint32_t *next = tac__arena_array(&plan->arena, plan->receiver_count, sizeof *next);
    if (!next)
        return tac__fail_memory(err);
    for (size_t s = 0; s < plan->sender_count; s++) {
        for (size_t i = 0; i < plan->senders[s].count; i++)
            plan->receivers[plan->senders[s].links[i].receiver].queue.key_count++;
    }
    for (size_t r = 0; r < plan->receiver_count; r++) {
        tac__queue *q = &plan->receivers[r].queue;
        q->key_count += (uint32_t)plan->receivers[r].inlet_count;
        TAC_TRY(check_numbers(&plan->receivers[r], q->key_count, err));
        q->keys = tac__arena_array(&plan->arena, ++q->key_count, sizeof *q->keys);
        if (!q->keys)
            return tac__fail_memory(err);
    }
    for (size_t s = 0; s < plan->sender_count; s++) {
        const uint64_t key = tac__hash_text(TAC__HASH_SEED, plan->senders[s].name);
        for (size_t i = 0; i < plan->senders[s].count; i++) {
            tac__link *link = &plan->senders[s].links[i];
            link->number = free_number(&plan->receivers[link->receiver], &next[link->receiver]);
            plan->receivers[link->receiver].queue.keys[link->number] = key;
        }
    }
    for (size_t r = 0; r < plan->receiver_count; r++) {
        const tac__queue *q = &plan->receivers[r].queue;
        for (size_t i = 0; i < plan->receivers[r].inlet_count; i++) {
            tac__inlet *in = &plan->receivers[r].inlets[i];
            if (!in->placed)
                in->number = free_number(&plan->receivers[r], &next[r]);
            q->keys[in->number] = tac__hash_text(TAC__HASH_SEED, in->channel);
        }
        q->keys[q->key_count - 1] = tac__hash_text(TAC__HASH_SEED, TAC__OUTSIDE);
    }
    return TAC_OK;
}

// Patterns connect vehicles with others, never one with itself; inside an entity ports are linked
// by name.
static bool may_link(const tac__plan *plan, const tac__sender *s, const tac__receiver *r,
                     bool by_name)
{
    const tac__component *from = plan->components[s->component],
                         *to = plan->components[r->component];
    return from != to && (by_name || from->entity == 0 || from->entity != to->entity);
}

// Message ports and signals have digests by name, so a port must not have the name of a signal.
// Names inside one component were checked when it declared them.
static tac_status check_port(const tac__plan *plan, const char *name, uint32_t component,
                             tac_error *err)
{
    const int signal = tac__find_signal(plan, name);
    if (signal < 0)
        return TAC_OK;
    return tac__fail_at(err, TAC_E_DUPLICATE, &plan->components[component]->place,
                        "message port '%s' has the name of a signal of '%s'", name,
                        plan->schema.signals[signal].writer);
}

static tac_status check_ports(const tac__plan *plan, tac_error *err)
{
    for (size_t i = 0; i < plan->receiver_count; i++)
        TAC_TRY(check_port(plan, plan->receivers[i].name, plan->receivers[i].component, err));
    for (size_t i = 0; i < plan->sender_count; i++)
        TAC_TRY(check_port(plan, plan->senders[i].name, plan->senders[i].component, err));
    return TAC_OK;
}

// Ports of one direction, with an index of their names.
typedef struct ports {
    const tac__plan *plan;
    const char *(*name)(const void *engine, size_t i);
    size_t count;
    tac__names names;
} ports;

static tac_status index_ports(tac__plan *plan, ports *p)
{
    for (size_t i = 0; i < p->count; i++)
        TAC_TRY(tac__names_set(&p->names, &plan->arena, p->name(plan, i), (uint32_t)i));
    return TAC_OK;
}

static bool is_pattern(const char *text)
{
    return strpbrk(text, "*?") != NULL;
}

// The next port at or after `i` whose name matches; `count` if there is none.
static size_t next_port(const ports *p, const char *pattern, size_t i)
{
    if (!is_pattern(pattern)) {
        const int found = tac__names_find(&p->names, pattern);
        return found >= 0 && (size_t)found >= i ? (size_t)found : p->count;
    }
    while (i < p->count && !tac__glob_match(pattern, p->name(p->plan, i)))
        i++;
    return i;
}

tac_status tac__resolve_links(tac__plan *plan, tac_error *err)
{
    TAC_TRY(check_ports(plan, err));
    ports from = {
        .plan = plan, .name = sender_name, .count = plan->link_count ? plan->sender_count : 0};
    ports to = {
        .plan = plan, .name = receiver_name, .count = plan->link_count ? plan->receiver_count : 0};
    if (index_ports(plan, &from) != TAC_OK || index_ports(plan, &to) != TAC_OK)
        return tac__fail_memory(err);
    for (size_t i = 0; i < plan->link_count; i++) {
        const tac_link_def *def = &plan->links[i];
        if (tac__leads_outside(def)) {
            bool any;
            TAC_TRY(tac__outside_link(plan, def, &any, err));
            if (!any)
                return fail_link(plan, def, !strcmp(def->to, TAC__OUTSIDE), err);
            continue;
        }
        const bool by_name = !is_pattern(def->from) && !is_pattern(def->to);
        bool any_link = false;
        const size_t first_sender = next_port(&from, def->from, 0),
                     first_receiver = next_port(&to, def->to, 0);
        if (first_sender == from.count || first_receiver == to.count)
            return fail_link(plan, def, first_sender == from.count, err);
        for (size_t s = first_sender; s < from.count; s = next_port(&from, def->from, s + 1)) {
            for (size_t r = first_receiver; r < to.count; r = next_port(&to, def->to, r + 1)) {
                if (!may_link(plan, &plan->senders[s], &plan->receivers[r], by_name))
                    continue;
                TAC_TRY(add_link(plan, &plan->senders[s], (uint32_t)r, def, err));
                any_link = true;
            }
        }
        if (!any_link && !by_name)
            tac__warn(plan, &def->place, "link from '%s' to '%s' connects nobody", def->from,
                      def->to);
        // A pattern may match no other vehicle, as in a swarm of one; a link between two names must
        // connect them.
        if (!any_link && by_name)
            return tac__fail_at(err, TAC_E_CONFIG, &def->place,
                                "link from '%s' to '%s' connects nothing: both belong to the same "
                                "component",
                                def->from, def->to);
    }
    return number_senders(plan, err);
}
