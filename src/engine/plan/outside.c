// outside.c - the component behind an input that comes from outside; see outside.h.
#include "engine/plan/find.h"
#include "engine/plan/outside.h"
#include "base/def.h"
#include "base/text.h"
#include "bus/type.h"
#include "engine/plan/declare.h"
#include "engine/run/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// --- the resting value --------------------------------------------------------------------------

// The value that an open input reads, as a configuration would write it. `buffer` has room for a
// number.
static const char *open_value(const tac__port *port, char *buffer)
{
    const tac_type *type = &port->type;
    if (type->scalar == TAC_ENUM)
        return type->labels[0];
    if (type->scalar == TAC_BOOL)
        return "false";
    if (type->shape == TAC_QUAT)
        return "[1, 0, 0, 0]";
    if (!port->has_rest)
        return "0";
    tac__number_print(port->rest, buffer);
    return buffer;
}

static void read_numbers(tac_declare *d, const tac_param_def *p, const tac_type *type, double *rest)
{
    if (type->shape == TAC_SINGLE)
        *rest = tac_param_f64(d, p);
    else
        tac_param_array(d, p, rest, type->count);
}

// Read the parameter `rest` as a value of the input's type. No file gives this parameter: what the
// route says is its fallback.
static void read_rest(tac_declare *d, const tac__port *port, const char *given, void *rest)
{
    char buffer[TAC__NUMBER_TEXT];
    const tac_type *type = &port->type;
    const bool bare = !strcmp(port->unit, "1");
    tac_param_def p = TAC_DEF(tac_param_def, .name = "rest", .unit = bare ? NULL : port->unit,
                              .fallback = given ? given : open_value(port, buffer),
                              .doc = "the value until another is written");
    if (type->scalar != TAC_F64 && type->shape != TAC_SINGLE) {
        if (given)
            (void)tac_declare_fail(d, "rest",
                                   "arrays of whole numbers, bools and labels rest at "
                                   "zero");
        return;
    }
    switch (type->scalar) {
    case TAC_F64:
        read_numbers(d, &p, type, rest);
        break;
    case TAC_I32:
        p.range = "[-2147483648, 2147483647]";
        *(int32_t *)rest = (int32_t)tac_param_int(d, &p);
        break;
    case TAC_I64:
        *(int64_t *)rest = tac_param_int(d, &p);
        break;
    case TAC_BOOL:
        *(bool *)rest = tac_param_bool(d, &p);
        break;
    case TAC_ENUM:
        *(int32_t *)rest = tac_param_choice(d, &p, type->labels);
        break;
    }
}

// --- the component ------------------------------------------------------------------------------

static tac_status outside_declare(tac_declare *d, void *self)
{
    tac__outside *c = self;
    const tac__port *port = d->plan->outside_input->port;
    const tac_route_def *route = d->plan->outside_input->route;
    c->pending = route->pending;
    c->bytes = tac__type_size(&port->type);
    void *rest = tac__arena_array(d->arena, tac__type_words(&port->type), sizeof(uint64_t));
    if (!rest) {
        tac__declare_no_memory(d);
        return TAC_OK;
    }
    read_rest(d, port, route->rest, rest);
    c->rest = rest;
    tac_declare_output(d, TAC_PORT(.name = TAC__OUTSIDE, .type = port->type, .unit = port->unit,
                                   .doc = port->doc));
    tac_declare_state(d, TAC_PORT(.name = "count", .type = TAC_TYPE_I64));
    tac_declare_state(d, TAC_PORT(.name = "times", .type = TAC_TYPE_ARRAY(TAC_I64, c->pending)));
    const tac_type values = {port->type.scalar, TAC_ARRAY, port->type.count * c->pending,
                             port->type.labels};
    tac_declare_state(d, TAC_PORT(.name = "values", .type = values));
    return TAC_OK;
}

static tac_status outside_init(tac_step *s, const void *self)
{
    const tac__outside *c = self;
    memcpy(s->out[0], c->rest, c->bytes);
    return TAC_OK;
}

// Write the last planned value that is due by now, and drop it and those before it.
static tac_status outside_step(tac_step *s, const void *self)
{
    const tac__outside *c = self;
    int64_t *count = s->state[TAC__OUTSIDE_COUNT], *times = s->state[TAC__OUTSIDE_TIMES];
    unsigned char *values = s->state[TAC__OUTSIDE_VALUES];
    size_t due = 0;
    const size_t n = (size_t)*count;
    while (due < n && (tac_time)times[due] <= s->t_us)
        due++;
    if (due == 0)
        return TAC_OK;
    memcpy(s->out[0], values + (due - 1) * c->bytes, c->bytes);
    memmove(times, times + due, (n - due) * sizeof *times);
    memmove(values, values + due * c->bytes, (n - due) * c->bytes);
    memset(times + (n - due), 0, due * sizeof *times);
    memset(values + (n - due) * c->bytes, 0, due * c->bytes);
    *count = (int64_t)(n - due);
    return tac_wake_at(s, n > due ? (tac_time)times[0] : TAC_TIME_NEVER);
}

// Check planned values that were restored: times ascend and lie after the present, and the timer is
// set to the first.
static tac_status outside_verify(tac_step *s, const void *self)
{
    const tac__outside *c = self;
    const tac_engine *e = s->instance->engine;
    const int64_t count = *TAC_STATE(s, int64_t, TAC__OUTSIDE_COUNT);
    const int64_t *times = s->state[TAC__OUTSIDE_TIMES];
    if (count < 0 || count > c->pending)
        return tac_fail(s, "has %" PRId64 " planned values; %u fit", count, c->pending);
    for (int64_t i = 0; i < c->pending; i++) {
        const tac_time t_us = (tac_time)times[i];
        const bool ahead =
            i == 0 ? !e->clock->started || t_us > e->clock->t_us : t_us > (tac_time)times[i - 1];
        if (i < count ? !ahead || t_us > TAC_TIME_MAX : t_us != 0)
            return tac_fail(s, "has a planned value at an impossible time, %" PRIu64 " us", t_us);
    }
    if (e->timeline.next[s->instance->plan->timer_source] !=
        (count ? (tac_time)times[0] : TAC_TIME_NEVER))
        return tac_fail(s, "does not wait for its first planned value");
    return TAC_OK;
}

const tac_component_type tac__outside_type = {
    .size = sizeof(tac_component_type),
    .name = TAC__OUTSIDE,
    .version = "1",
    .summary = "the value of an input that comes from outside",
    .flags = TAC__COMPONENT_BUILTIN | TAC_COMPONENT_TIMER | TAC_COMPONENT_OUTSIDE,
    .stage = TAC_STAGE_BEGIN,
    .self_size = sizeof(tac__outside),
    .declare = outside_declare,
    .init = outside_init,
    .kernels[TAC_NUMBERS].step = outside_step,
    .verify = outside_verify,
};

// --- adding -------------------------------------------------------------------------------------

static tac_status add_source(tac_engine *e, const tac_route_def *r, const tac__component *reader,
                             const tac__port *port, tac_error *err)
{
    tac__plan *plan = e->building;
    const char *local = strrchr(reader->name, '.');
    tac_component_def def = tac_component_def_default();
    def.entity = plan->entities[reader->entity].name;
    def.name =
        tac__arena_format(&plan->arena, "%s_%s", local ? local + 1 : reader->name, port->name);
    def.type = &tac__outside_type;
    def.place = r->place;
    if (!def.name)
        return tac__fail_memory(err);
    const struct tac__outside_input input = {port, r};
    plan->outside_input = &input;
    const tac_status status = tac_engine_add_component(e, &def, err);
    plan->outside_input = NULL;
    return status;
}

tac_status tac__outside_add(tac_engine *e, tac_route_def *r, tac_error *err)
{
    tac__component *reader;
    size_t input;
    TAC_TRY(tac__find_input(e->building, r, &reader, &input, err));
    const tac__port *port = &reader->inputs.items[input];
    if (!r->rest && !(port->flags & TAC_PORT_OPTIONAL))
        return tac__fail_at(err, TAC_E_CONFIG, &r->place,
                            "input '%s' comes from outside and needs a value until another is "
                            "written: 'rest'",
                            r->to);
    if (port->peer)
        return tac__fail_at(err, TAC_E_CONFIG, &r->place,
                            "input '%s' is connected by its own component", r->to);
    const tac_status status = add_source(e, r, reader, port, err);
    if (status != TAC_OK) {
        tac__error_context(err, "making the signal of input '%s', which comes from outside", r->to);
        return status;
    }
    const tac__plan *plan = e->building;
    const tac__component *source = plan->components[plan->component_count - 1];
    r->from = plan->schema.signals[tac__signal_at(source, 0)].name;
    return TAC_OK;
}

// --- links --------------------------------------------------------------------------------------

// Channels of one port: each is compared with the others. A gateway of a large network has tens.
enum { CHANNELS_MAX = 4096 };

static tac_status check_channels(const char *port, size_t count, const tac_link_def *def,
                                 tac_error *err)
{
    if (count < CHANNELS_MAX)
        return TAC_OK;
    return tac__fail_at(err, TAC_E_LIMIT, &def->place,
                        "more than %d links between outside and '%s'", CHANNELS_MAX, port);
}

static tac_status add_outlet(tac__plan *plan, tac__sender *s, const tac_link_def *def,
                             tac_error *err)
{
    const char *channel = def->channel ? def->channel : s->name;
    TAC_TRY(check_channels(s->name, s->outlet_count, def, err));
    for (size_t i = 0; i < s->outlet_count; i++) {
        if (!strcmp(s->outlets[i].channel, channel))
            return tac__fail_at(err, TAC_E_DUPLICATE, &def->place,
                                "'%s' leads outside on channel '%s' already", s->name, channel);
    }
    if (!TAC__ARENA_GROW(&plan->arena, s->outlets, s->outlet_count, s->outlet_capacity))
        return tac__fail_memory(err);
    s->outlets[s->outlet_count++] = (tac__outlet){channel, def->delay_us, def->law};
    return TAC_OK;
}

static tac_status add_inlet(tac__plan *plan, tac__receiver *r, const tac_link_def *def,
                            tac_error *err)
{
    TAC_TRY(check_channels(r->name, r->inlet_count, def, err));
    for (size_t i = 0; i < r->inlet_count; i++) {
        if (!strcmp(r->inlets[i].channel, def->channel))
            return tac__fail_at(err, TAC_E_DUPLICATE, &def->place,
                                "channel '%s' leads to '%s' already", def->channel, r->name);
    }
    if (!TAC__ARENA_GROW(&plan->arena, r->inlets, r->inlet_count, r->inlet_capacity))
        return tac__fail_memory(err);
    r->inlets[r->inlet_count++] = (tac__inlet){.channel = def->channel,
                                               .placed = def->has_number,
                                               .first = def->steps_first,
                                               .number = def->number,
                                               .place = def->place};
    return TAC_OK;
}

tac_status tac__outside_link(tac__plan *plan, const tac_link_def *def, size_t port, tac_error *err)
{
    return strcmp(def->to, TAC__OUTSIDE) ? add_inlet(plan, &plan->receivers[port], def, err)
                                         : add_outlet(plan, &plan->senders[port], def, err);
}
