// declare.c - the declaring side of the component protocol: ports, states, events, streams, and the
// calls of a type's `declare` and `connect`. Parameters are read in params.c, param_texts.c and
// scopes.c.
#include "engine/plan/warn.h"
#include "engine/plan/prepare.h"
#include "engine/plan/declare.h"
#include "base/def.h"
#include "base/node.h"
#include "engine/plan/peers.h"
#include "engine/plan/guard.h"
#include "engine/plan/share.h"

#include <stdio.h>
#include <string.h>

void tac__declare_keep(tac_declare *d, const tac_error *err)
{
    if (!d->failed)
        d->error = *err;
    d->failed = true;
}

void tac__declare_tell(tac_declare *d, const tac_error *err)
{
    if (d->plan && d->plan->def.mistake && d->told++ < TAC_MISTAKES_MAX)
        d->plan->def.mistake(d->plan->def.mistake_context, err);
}

void tac__declare_no_memory(tac_declare *d)
{
    tac_error err;
    tac__fail_memory(&err);
    tac__declare_keep(d, &err);
    d->no_memory = true;
}

void tac__declare_take(tac_declare *d, const char *name, void *ours, size_t size,
                       const void *theirs)
{
    tac_error err;
    if (tac__def_take(name, ours, size, theirs, &err) != TAC_OK)
        tac__declare_keep(d, &err);
}

static const char *keep_text(tac_declare *d, tac__arena *arena, const char *text)
{
    if (!text)
        return NULL;
    const char *copy = tac__arena_text(arena, text);
    if (!copy)
        tac__declare_no_memory(d);
    return copy ? copy : "";
}

const char *tac__declare_text(tac_declare *d, const char *text)
{
    return keep_text(d, d->meta, text);
}

const char *tac__declare_own_text(tac_declare *d, const char *text)
{
    return keep_text(d, d->arena, text);
}

const void *tac_declare_shared(tac_declare *d, const void *bytes, size_t size)
{
    const void *copy =
        d->plan ? tac__share_bytes(d->plan, bytes, size) : tac__arena_alloc(d->arena, size);
    if (!copy)
        tac__declare_no_memory(d);
    if (copy && !d->plan)
        memcpy((void *)(uintptr_t)copy, bytes, size);
    return copy ? copy : bytes;
}

const double *tac_declare_numbers(tac_declare *d, const void *numbers, size_t bytes)
{
    TAC_ASSERT(bytes % sizeof(double) == 0);
    d->instance->numbers = tac_declare_shared(d, numbers, bytes);
    d->instance->number_count = bytes / sizeof(double);
    return d->instance->numbers;
}

const tac_world *tac_declare_world(const tac_declare *d)
{
    static const tac_world none = {.g_m_s2 = 9.80665};
    return d->plan ? &d->plan->def.world : &none;
}

void tac_declare_landing(tac_declare *d, double north_m, double east_m)
{
    const double place[2] = {north_m, east_m};
    d->instance->landing_m = tac_declare_shared(d, place, sizeof place);
}

// --- ports ------------------------------------------------------------------------------------

const char *tac_declare_name(const tac_declare *d)
{
    return d->instance->name;
}

static bool fail_twice(tac_declare *d, const char *what, const char *name)
{
    tac_error err;
    tac__fail(&err, TAC_E_DUPLICATE, "%s '%s' is declared twice", what, name);
    tac__declare_keep(d, &err);
    return false;
}

static bool has_port(const tac__ports *ports, const char *name)
{
    for (size_t i = 0; i < ports->count; i++) {
        if (!strcmp(ports->items[i].name, name))
            return true;
    }
    return false;
}

static bool has_message_port(const tac_declare *d, const char *name)
{
    for (size_t i = 0; i < d->instance->message_count; i++) {
        if (!strcmp(d->instance->messages[i].name, name))
            return true;
    }
    return false;
}

static int add_port(tac_declare *d, tac__ports *ports, const tac_port_def *p, const char *what)
{
    tac_error err;
    tac__port port = {.unit = p->unit ? tac__declare_text(d, p->unit) : "1",
                      .doc = p->doc ? tac__declare_text(d, p->doc) : "",
                      .derivative = tac__declare_text(d, p->derivative),
                      .type = p->type,
                      .flags = p->flags,
                      .scale = p->scale > 0 ? p->scale : 1,
                      .part = p->part,
                      .role = (uint8_t)p->role};
    const bool is_input = ports == &d->instance->inputs;
    if (is_input ? !tac__name_valid(p->name) : !tac__signal_name_valid(p->name)) {
        tac__fail(&err, TAC_E_NAME, "'%s' is not a name for %s: expected letters, digits and '_'%s",
                  p->name ? p->name : "", what,
                  is_input ? "" : ", dots between names, and no .x, .y, .z or .w at the end");
        tac__declare_keep(d, &err);
        return 0;
    }
    port.name = tac__declare_text(d, p->name);
    if (tac__type_check(&p->type, p->name, &err) != TAC_OK ||
        tac__unit_parse(port.unit, &port.dimension, &err) != TAC_OK) {
        tac__error_context(&err, "declaring %s '%s'", what, p->name);
        tac__declare_keep(d, &err);
        return 0;
    }
    // Outputs, states and message ports all have digests by name.
    const bool digested = ports == &d->instance->outputs || ports == &d->instance->continuous;
    if (has_port(ports, p->name) || (digested && has_message_port(d, p->name)))
        fail_twice(d, what, p->name);
    if (!TAC__ARENA_GROW(d->meta, ports->items, ports->count, ports->capacity)) {
        tac__declare_no_memory(d);
        return 0;
    }
    ports->items[ports->count] = port;
    return (int)ports->count++;
}

static const tac_port_def *known_port(tac_declare *d, const tac_port_def *p, tac_port_def *own)
{
    tac_error err;
    tac__declare_take(d, "tac_port_def", own, sizeof *own, p);
    const uint32_t unknown = own->flags & ~TAC__PORT_PUBLIC;
    if ((unsigned)own->role >= TAC_ROLE_COUNT || own->reserved) {
        tac__fail(&err, TAC_E_ABI, "port '%s' has a role that this version of Tactus does not know",
                  own->name ? own->name : "");
        tac__declare_keep(d, &err);
    }
    if (unknown) {
        tac__fail(&err, TAC_E_ABI,
                  "port '%s' has flags 0x%x, which this version of Tactus does not know",
                  own->name ? own->name : "", unknown);
        tac__declare_keep(d, &err);
    }
    return own;
}
#define KNOWN_PORT(p)                                                                              \
    tac_port_def p##_own;                                                                          \
    p = known_port(d, p, &p##_own)

int tac_declare_input(tac_declare *d, const tac_port_def *p)
{
    KNOWN_PORT(p);
    return add_port(d, &d->instance->inputs, p, "input");
}

int tac_declare_output(tac_declare *d, const tac_port_def *p)
{
    KNOWN_PORT(p);
    const int i = add_port(d, &d->instance->outputs, p, "output");
    if (!d->failed && !d->instance->type->kernels[TAC_NUMBERS].step)
        d->instance->outputs.items[i].flags |= TAC_PORT_EVAL;
    return i;
}

void tac_declare_feedthrough(tac_declare *d, int output, const int *inputs, size_t count)
{
    tac__component *c = d->instance;
    bool good = output >= 0 && (size_t)output < c->outputs.count;
    for (size_t i = 0; i < count; i++)
        good &= inputs[i] >= 0 && (size_t)inputs[i] < c->inputs.count;
    if (d->failed)
        return;
    if (!good) {
        tac_error err;
        tac__fail(&err, TAC_E_RANGE, "feed-through of an output or input that it does not have");
        tac__declare_keep(d, &err);
        return;
    }
    int *copy = tac__arena_array(d->meta, count + 1, sizeof *copy);
    if (!copy) {
        tac__declare_no_memory(d);
        return;
    }
    for (size_t i = 0; i < count; i++)
        copy[i] = inputs[i];
    c->outputs.items[output].direct = copy;
    c->outputs.items[output].direct_count = count;
}

int tac_declare_state(tac_declare *d, const tac_port_def *p)
{
    KNOWN_PORT(p);
    return add_port(d, &d->instance->states, p, "state");
}

int tac_declare_decision(tac_declare *d, const tac_port_def *p)
{
    KNOWN_PORT(p);
    const size_t offset = d->instance->decision_count;
    add_port(d, &d->instance->decisions, p, "decision");
    d->instance->decision_count += p->type.count;
    return (int)offset;
}

int tac_declare_continuous(tac_declare *d, const tac_port_def *p)
{
    KNOWN_PORT(p);
    if (p->type.scalar != TAC_F64) {
        tac_error err;
        tac__fail(&err, TAC_E_TYPE, "continuous state '%s' must be made of f64", p->name);
        tac__declare_keep(d, &err);
        return 0;
    }
    const size_t offset = d->instance->x_count;
    add_port(d, &d->instance->continuous, p, "continuous state");
    d->instance->x_count += p->type.count;
    return (int)offset;
}

// Streams and message ports are told apart by name: a stream by "component.name", so that a dot in
// one could make it the stream of another component.
static bool check_name(tac_declare *d, const char *what, const char *name)
{
    if (tac__name_valid(name))
        return true;
    tac_error err;
    tac__fail(&err, TAC_E_NAME, "'%s' is not a name for a %s", name ? name : "", what);
    tac__declare_keep(d, &err);
    return false;
}

int tac_declare_event(tac_declare *d, const char *name, const char *doc)
{
    tac__component *c = d->instance;
    if (!check_name(d, "event", name))
        return 0;
    if (!TAC__ARENA_GROW(d->meta, c->events, c->event_count, c->event_capacity)) {
        tac__declare_no_memory(d);
        return 0;
    }
    c->events[c->event_count] =
        (tac__event){tac__declare_text(d, name), doc ? tac__declare_text(d, doc) : ""};
    return (int)c->event_count++;
}

static bool has_condition(const tac__component *c, const char *name)
{
    for (size_t i = 0; i < c->condition_count; i++) {
        if (!strcmp(c->conditions[i].name, name))
            return true;
    }
    return !strcmp(name, "timer"); // as "uav1.planner#timer" stands for its wake-ups
}

static bool check_inputs(tac_declare *d, const char *name, const int *inputs, size_t count)
{
    const size_t n = d->instance->inputs.count;
    for (size_t i = 0; i < count; i++) {
        if (inputs[i] >= 0 && (size_t)inputs[i] < n)
            continue;
        tac_error err;
        tac__fail(&err, TAC_E_RANGE, "condition '%s' names input %d, but there are %zu", name,
                  inputs[i], n);
        tac__declare_keep(d, &err);
        return false;
    }
    return true;
}

int tac_declare_condition(tac_declare *d, const char *name, const int *inputs, size_t count,
                          const char *param)
{
    tac__component *c = d->instance;
    if (!check_name(d, "condition", name) || !check_inputs(d, name, inputs, count))
        return 0;
    if (has_condition(c, name))
        fail_twice(d, "condition", name);
    int *copy = tac__arena_array(d->arena, count, sizeof *copy);
    if (!copy ||
        !TAC__ARENA_GROW(d->arena, c->conditions, c->condition_count, c->condition_capacity)) {
        tac__declare_no_memory(d);
        return 0;
    }
    if (count)
        memcpy(copy, inputs, count * sizeof *copy);
    c->conditions[c->condition_count] = (tac__condition){.name = tac__declare_own_text(d, name),
                                                         .inputs = copy,
                                                         .count = count,
                                                         .place = *tac__param_place(d, param),
                                                         .island = -1,
                                                         .source = -1};
    return (int)c->condition_count++;
}

void tac__declare_events(tac_declare *d, const char *param, tac__carry_fn *carry)
{
    d->instance->event_list = param;
    d->instance->carry = carry;
}

tac_time tac__declare_end(const tac_declare *d)
{
    return d->plan->def.end_us;
}

const char *tac__declare_unread(const tac_declare *d, int output)
{
    const tac__signal *s = &d->plan->schema.signals[tac__signal_at(d->instance, (size_t)output)];
    return s->read ? NULL : s->name;
}

bool tac_declare_connected(const tac_declare *d, int input)
{
    return !tac__declare_open(d, input);
}

bool tac__declare_open(const tac_declare *d, int input)
{
    return d->instance->in[input].signal < 0;
}

tac_time tac__declare_period(const tac_declare *d)
{
    const int group = d->instance->group;
    return group < 0 ? 0 : d->plan->groups[group].declared_period_us;
}

// --- connected by name ------------------------------------------------------------------------

static void set_peer(tac_declare *d, tac__port *port, const char *peer, const char *param)
{
    port->peer = tac__declare_text(d, peer);
    char excerpt[TAC_ERROR_NAME];
    port->place = tac__place_inside(d, param, peer, 0, excerpt);
    if (port->place.excerpt == excerpt)
        port->place.excerpt = tac__declare_own_text(d, excerpt); // outlives the declaration
}

int tac_declare_watch(tac_declare *d, const char *signal, const char *param)
{
    tac__ports *inputs = &d->instance->inputs;
    char name[32];
    snprintf(name, sizeof name, "watch%zu", inputs->count);
    const int i =
        add_port(d, inputs,
                 TAC_PORT(.name = name, .type = TAC_TYPE_F64, .flags = TAC_PORT_OPTIONAL), "watch");
    if (!d->failed)
        set_peer(d, &inputs->items[i], signal, param);
    return i;
}

int tac_declare_feed(tac_declare *d, const tac_port_def *p, const char *input, const char *param)
{
    const int i = tac_declare_output(d, p);
    if (!d->failed)
        set_peer(d, &d->instance->outputs.items[i], input, param);
    return i;
}

static const tac__port *port_at(const tac__ports *ports, int i)
{
    return i >= 0 && (size_t)i < ports->count ? &ports->items[i] : NULL;
}

tac_type tac_watch_type(const tac_declare *d, int input)
{
    const tac__component *c = d->instance;
    if (!port_at(&c->inputs, input) || !c->in || c->in[input].signal < 0)
        return (tac_type)TAC_TYPE_F64;
    const tac_type *type = &d->plan->schema.signals[c->in[input].signal].kind->type;
    return (tac_type){type->scalar, TAC_SINGLE, 1, type->labels};
}

const char *tac_watch_unit(const tac_declare *d, int input)
{
    const tac__port *port = port_at(&d->instance->inputs, input);
    return port ? port->unit : "1";
}

const char *tac_feed_unit(const tac_declare *d, int output)
{
    const tac__port *port = port_at(&d->instance->outputs, output);
    return port ? port->unit : "1";
}

// --- streams and messages ---------------------------------------------------------------------

static bool check_stream(tac_declare *d, const char *full, const char *name)
{
    for (size_t i = 0; i < d->instance->stream_count; i++) {
        if (!strcmp(d->instance->streams[i].name, full))
            return fail_twice(d, "random stream", name);
    }
    return true;
}

// The name of a message port must differ from all other names that have a digest.
static bool add_message_port(tac_declare *d, const tac_message_def *p, bool sends)
{
    tac__component *c = d->instance;
    const char *what = sends ? "sender" : "receiver";
    if (!check_name(d, what, p->name))
        return false;
    if (has_message_port(d, p->name) || has_port(&c->outputs, p->name) ||
        has_port(&c->continuous, p->name))
        return fail_twice(d, what, p->name);
    if (!TAC__ARENA_GROW(d->meta, c->messages, c->message_count, c->message_capacity)) {
        tac__declare_no_memory(d);
        return false;
    }
    c->messages[c->message_count++] = (tac__message_port){
        tac__declare_text(d, p->name), p->doc ? tac__declare_text(d, p->doc) : "", sends};
    return true;
}

void tac_declare_lead(tac_declare *d, tac_time lead_us, uint32_t periods, const char *param)
{
    tac__component *c = d->instance;
    c->lead_us = lead_us;
    c->lead_max = periods;
    c->lead_place = *tac__param_place(d, param);
}

int tac_declare_stream(tac_declare *d, const char *name)
{
    tac__component *c = d->instance;
    if (!check_name(d, "random stream", name))
        return 0;
    char *full = tac__arena_format(d->arena, "%s.%s", c->name, name);
    // Mostly there is one stream: room for eight would be 1.7 kB.
    tac__draws *streams = tac__arena_array(d->arena, c->stream_count + 1, sizeof *streams);
    if (!full || !streams) {
        tac__declare_no_memory(d);
        return 0;
    }
    if (!check_stream(d, full, name))
        return 0;
    if (c->stream_count)
        memcpy(streams, c->streams, c->stream_count * sizeof *streams);
    c->streams = streams;
    const uint64_t seed = d->plan ? d->plan->def.seed : 0;
    c->streams[c->stream_count] =
        (tac__draws){.name = full, .stream = tac__stream_make(seed, full)};
    return (int)c->stream_count++;
}

static int add_number(tac_declare *d, uint32_t **numbers, size_t *count,
                      tac__number_capacity *capacity, size_t number)
{
    if (!TAC__ARENA_GROW(d->arena, *numbers, *count, *capacity)) {
        tac__declare_no_memory(d);
        return 0;
    }
    (*numbers)[*count] = (uint32_t)number;
    return (int)(*count)++;
}

int tac_declare_sender(tac_declare *d, const tac_message_def *p)
{
    tac_message_def own;
    tac__declare_take(d, "tac_message_def", &own, sizeof own, p);
    p = &own;
    tac__component *c = d->instance;
    size_t number = 0;
    if (!add_message_port(d, p, true))
        return 0;
    if (d->plan) {
        tac__plan *plan = d->plan;
        char *full = tac__arena_format(d->arena, "%s.%s", c->name, p->name);
        if (!full ||
            !TAC__ARENA_GROW(d->arena, plan->senders, plan->sender_count, plan->sender_capacity)) {
            tac__declare_no_memory(d);
            return 0;
        }
        number = plan->sender_count++;
        plan->senders[number] =
            (tac__sender){.name = full, .component = c->index, .numbers = p->numbers};
    }
    return add_number(d, &c->senders, &c->sender_count, &c->sender_capacity, number);
}

int tac_declare_receiver(tac_declare *d, const tac_message_def *p)
{
    tac_message_def own;
    tac__declare_take(d, "tac_message_def", &own, sizeof own, p);
    p = &own;
    tac__component *c = d->instance;
    size_t number = 0;
    if (!add_message_port(d, p, false))
        return 0;
    if (p->capacity == 0 || p->capacity > 1u << 20 || p->max_bytes > 1u << 24) {
        tac_error err;
        tac__fail(&err, TAC_E_RANGE,
                  "message port '%s': capacity %u and max_bytes %u are not "
                  "within 1..1048576 and 0..16777216",
                  p->name, p->capacity, p->max_bytes);
        tac__declare_keep(d, &err);
        return 0;
    }
    if (d->plan) {
        tac__plan *plan = d->plan;
        char *full = tac__arena_format(d->arena, "%s.%s", c->name, p->name);
        if (!full || !TAC__ARENA_GROW(d->arena, plan->receivers, plan->receiver_count,
                                      plan->receiver_capacity)) {
            tac__declare_no_memory(d);
            return 0;
        }
        number = plan->receiver_count++;
        plan->receivers[number] =
            (tac__receiver){.name = full, .component = c->index, .def = *p, .source = -1};
        plan->receivers[number].def.name = tac__declare_own_text(d, p->name);
        plan->receivers[number].def.doc = tac__declare_own_text(d, p->doc);
    }
    return add_number(d, &c->receivers, &c->receiver_count, &c->receiver_capacity, number);
}

// --- calling declare and connect --------------------------------------------------------------

// The result of a type's function that returned `status`. While a type is only described, mistakes
// are ignored, but lack of memory is reported.
static tac_status outcome(tac_declare *d, tac_status status, const char *function, tac_error *err)
{
    const tac__component *c = d->instance;
    if (!d->failed && status != TAC_OK) {
        tac__fail(&d->error, status, "its %s function failed: %s", function,
                  tac_status_text(status));
        d->failed = true;
    }
    if (d->no_memory || status == TAC_E_MEMORY)
        return tac__fail_memory(err); // later mistakes may only follow from the lack of memory
    if (!d->failed || !d->plan)
        return TAC_OK;
    if (err)
        *err = d->error;
    tac__error_place(err, &c->place);
    tac__error_context(err, "setting up component '%s' of type '%s'", c->name, c->type->name);
    return d->error.status;
}

// Where a type has a step, the step writes all outputs that are not marked TAC_PORT_EVAL. A type
// that also has an `output` function but no marked output has forgotten the mark: what `output`
// computes would never be seen.
static void check_outputs(tac_declare *d)
{
    const tac__component *c = d->instance;
    bool marked = !c->type->kernels[TAC_NUMBERS].step || !c->type->kernels[TAC_NUMBERS].output ||
                  c->outputs.count == 0;
    for (size_t i = 0; i < c->outputs.count; i++)
        marked |= (c->outputs.items[i].flags & TAC_PORT_EVAL) != 0;
    tac_error err;
    if (marked || d->failed)
        return;
    tac__fail(&err, TAC_E_CONFIG,
              "it has a step and an output function, but no output is marked TAC_PORT_EVAL: mark "
              "those that the output function writes");
    tac__declare_keep(d, &err);
}

// Without a plan nothing is shared: the description of the component stays in `arena`.
static tac_declare begin(tac__plan *plan, tac__arena *arena, tac__component *c)
{
    tac_declare d = {.plan = plan, .arena = arena, .meta = arena, .instance = c};
    d.entity = c->entity;
    d.scopes[0].prefix = "";
    return d;
}

static void check_decisions(tac_declare *d)
{
    const tac__component *c = d->instance;
    tac_error err;
    if (d->failed || !c->decision_count || c->type->decide)
        return;
    tac__fail(&err, TAC_E_CONFIG, "it declares decisions, but has no decide function");
    tac__declare_keep(d, &err);
}

static tac_status declare(tac_declare *d, tac_error *err)
{
    tac__component *c = d->instance;
    tac__scope_begin(d, c->param_node, "", false, c->name);
    const tac_status status = c->type->declare ? c->type->declare(d, c->self) : TAC_OK;
    while (d->depth > 0)
        tac__scope_end(d);
    if (status == TAC_OK) {
        check_outputs(d);
        check_decisions(d);
    }
    tac_status result = outcome(d, status, "declare", err);
    if (result == TAC_OK && d->plan)
        result = tac__share_shape(d->plan, c) == TAC_OK ? TAC_OK : tac__fail_memory(err);
    if (result != TAC_OK && c->type->close)
        c->type->close(c->self);
    return result;
}

tac_status tac__declare(tac__plan *plan, tac__arena *arena, const tac_component_type *type,
                        const char *name, uint32_t entity, const tac_node *params,
                        const tac_place *place, tac__component **instance, tac_error *err)
{
    if (params && tac_node_is_null(params))
        params = NULL;
    if (params && tac_node_kind_of(params) != TAC_NODE_MAP)
        return tac__node_fail_kind(params, "params: expected a map of parameters", err);
    const tac_component_type *own, *guarded;
    const tac_status taken = tac__guard_type(plan, type, &own, &guarded, err);
    if (taken != TAC_OK) {
        tac__error_place(err, place);
        return taken;
    }
    tac__component *c = tac__arena_alloc(arena, sizeof *c);
    // An opaque component changes its own memory, so that memory is not part of the plan.
    const bool opaque = plan && (own->flags & TAC_COMPONENT_OPAQUE);
    void *self = tac__guard_self(opaque ? plan->opaque : arena, own, guarded);
    if (!c || !self)
        return tac__fail_memory(err);
    type = guarded;
    *c = (tac__component){.type = type,
                          .self = self,
                          .name = name,
                          .group = -1,
                          .stage = type->stage,
                          .island = -1,
                          .axis_source = -1,
                          .extra_source = -1,
                          .lead_source = -1,
                          .timer_source = -1,
                          .step_item = -1,
                          .shadow_item = -1,
                          .active_in = UINT64_MAX};
    c->index = plan ? (uint32_t)plan->component_count : 0;
    if (place)
        c->place = *place;
    c->param_node = params;
    c->entity = entity;
    *instance = c;
    tac_declare d = begin(plan, arena, c);
    if (plan)
        d.meta = &plan->shapes.scratch;
    const tac_status status = declare(&d, err);
    if (plan)
        tac__arena_clear(&plan->shapes.scratch);
    return status;
}

tac_status tac__connect(tac__plan *plan, tac_error *err)
{
    for (size_t i = 0; i < plan->component_count; i++) {
        tac__component *c = plan->components[i];
        if (!c->type->connect) {
            tac__warn_of_accepts(plan, c);
            continue;
        }
        // Parameters were listed and marked as used when the component was declared.
        tac_declare d = begin(plan, &plan->arena, c);
        tac__scope_begin(&d, c->param_node, "", true, c->name);
        plan->accepting = &c->accepts;
        const tac_status status = c->type->connect(&d, c->self);
        plan->accepting = NULL;
        while (d.depth > 0)
            tac__scope_end(&d);
        TAC_TRY(outcome(&d, status, "connect", err));
        tac__warn_of_accepts(plan, c);
    }
    return TAC_OK;
}
