// list.c - lists what a prepared engine has, for programs: inputs with their routes, message ports,
// links, parameters. Signals, components and groups are in look.c.
#include "base/def.h"
#include "base/error.h"
#include "engine/plan/find.h"
#include "engine/run/list.h"
#include "engine/plan/outside.h"
#include "engine/run/state.h"

#include <string.h>
#include <tactus/outside.h>

static const char *text(const char *t)
{
    return t ? t : "";
}

static bool is_prepared(const tac_engine *e)
{
    return e && e->clock;
}

// --- inputs -------------------------------------------------------------------------------------

size_t tac_engine_input_count(const tac_engine *e)
{
    return is_prepared(e) ? e->plan->input_count : 0;
}

const tac__component *tac__input_at(const tac_engine *e, int input, size_t *k)
{
    if (!is_prepared(e) || input < 0 || (size_t)input >= e->plan->input_count)
        return NULL;
    size_t low = 0, high = e->plan->component_count;
    while (high - low > 1) { // finds the last component whose first input is not behind `input`
        const size_t middle = low + (high - low) / 2;
        if (e->plan->components[middle]->first_input <= (uint32_t)input)
            low = middle;
        else
            high = middle;
    }
    *k = (uint32_t)input - e->plan->components[low]->first_input;
    return e->plan->components[low];
}

static const tac__component *writer_of(const tac_engine *e, const tac__input *in)
{
    return e->plan->components[e->plan->schema.signals[in->signal].component];
}

static tac_input_info input_info(const tac_engine *e, int input)
{
    size_t k;
    const tac__component *c = tac__input_at(e, input, &k);
    if (!c)
        return (tac_input_info){.component = "", .name = "", .unit = "", .doc = "", .signal = -1};
    const tac__port *port = &c->inputs.items[k];
    const tac__input *in = &c->in[k];
    const tac_route_def *r = in->route;
    return (tac_input_info){.component = c->name,
                            .name = port->name,
                            .unit = text(port->unit),
                            .doc = text(port->doc),
                            .type = port->type,
                            .optional = port->flags & TAC_PORT_OPTIONAL,
                            .outside = in->signal >= 0 && tac__is_outside(writer_of(e, in)),
                            .signal = in->signal,
                            .element = in->element,
                            .gain = in->routed ? r->gain : 1,
                            .offset = in->routed ? r->offset : 0,
                            .delay_us = in->routed ? r->delay_us : 0,
                            .delayed = in->routed && r->delayed,
                            .policy = in->policy};
}

void tac_engine_input_info_sized(const tac_engine *e, int input, tac_input_info *result,
                                 size_t size)
{
    const tac_input_info own = input_info(e, input);
    tac__def_give(result, size, &own, sizeof own);
}

static const char *input_name(const void *context, size_t i)
{
    const tac__component *c = context;
    return i < c->inputs.count ? c->inputs.items[i].name : NULL;
}

int tac_engine_find_input(const tac_engine *e, const char *name, tac_error *err)
{
    if (!is_prepared(e) || !name) {
        tac__fail(err, TAC_E_CALLER, "inputs are known once an engine is prepared");
        return -1;
    }
    const char *dot = strrchr(name, '.');
    char owner[2 * TAC_ERROR_NAME];
    tac__out out = tac__out_begin(owner, sizeof owner);
    tac__out_add(&out, "%.*s", dot ? (int)(dot - name) : 0, name);
    const tac__component *c = tac__find_component(e->plan, owner);
    if (!c) {
        tac__fail(err, TAC_E_NAME, "unknown input '%s': no component '%s'", name, owner);
        tac__error_suggest(err, owner, tac__component_name, e->plan);
        return -1;
    }
    for (size_t k = 0; k < c->inputs.count; k++) {
        if (!strcmp(c->inputs.items[k].name, dot + 1))
            return (int)(c->first_input + k);
    }
    tac__fail(err, TAC_E_NAME, "'%s' has no input '%s'", c->name, dot + 1);
    tac__error_suggest(err, dot + 1, input_name, c);
    return -1;
}

// --- message ports ------------------------------------------------------------------------------

static const char *port_doc(const tac__component *c, const char *full)
{
    const char *name = full + strlen(c->name) + 1;
    for (size_t i = 0; i < c->message_count; i++) {
        if (!strcmp(c->messages[i].name, name))
            return text(c->messages[i].doc);
    }
    return "";
}

static tac_port_info sender_info(const tac_engine *e, int sender)
{
    if (!is_prepared(e) || sender < 0 || (size_t)sender >= e->plan->sender_count)
        return (tac_port_info){.name = "", .component = "", .doc = ""};
    const tac__sender *s = &e->plan->senders[sender];
    const tac__component *c = e->plan->components[s->component];
    return (tac_port_info){
        .name = s->name, .component = c->name, .doc = port_doc(c, s->name), .numbers = s->numbers};
}

void tac_engine_sender_info_sized(const tac_engine *e, int sender, tac_port_info *result,
                                  size_t size)
{
    const tac_port_info own = sender_info(e, sender);
    tac__def_give(result, size, &own, sizeof own);
}

static tac_port_info receiver_info(const tac_engine *e, int receiver)
{
    if (!is_prepared(e) || receiver < 0 || (size_t)receiver >= e->plan->receiver_count)
        return (tac_port_info){.name = "", .component = "", .doc = ""};
    const tac__receiver *r = &e->plan->receivers[receiver];
    const tac__component *c = e->plan->components[r->component];
    return (tac_port_info){.name = r->name,
                           .component = c->name,
                           .doc = port_doc(c, r->name),
                           .triggers = r->def.triggers,
                           .capacity = r->def.capacity,
                           .max_bytes = r->def.max_bytes};
}

void tac_engine_receiver_info_sized(const tac_engine *e, int receiver, tac_port_info *result,
                                    size_t size)
{
    const tac_port_info own = receiver_info(e, receiver);
    tac__def_give(result, size, &own, sizeof own);
}

static const char *sender_name(const void *context, size_t i)
{
    const tac_engine *e = context;
    return i < e->plan->sender_count ? e->plan->senders[i].name : NULL;
}

static const char *receiver_name(const void *context, size_t i)
{
    const tac_engine *e = context;
    return i < e->plan->receiver_count ? e->plan->receivers[i].name : NULL;
}

static int find_port(const tac_engine *e, const char *name, const char *what,
                     tac__candidate_fn *names, tac_error *err)
{
    if (!is_prepared(e) || !name) {
        tac__fail(err, TAC_E_CALLER, "ports are known once an engine is prepared");
        return -1;
    }
    const char *candidate;
    for (size_t i = 0; (candidate = names(e, i)); i++) {
        if (!strcmp(candidate, name))
            return (int)i;
    }
    tac__fail(err, TAC_E_NAME, "unknown %s port '%s'", what, name);
    tac__error_suggest(err, name, names, e);
    return -1;
}

int tac_engine_find_sender(const tac_engine *e, const char *name, tac_error *err)
{
    return find_port(e, name, "sending", sender_name, err);
}

int tac_engine_find_receiver(const tac_engine *e, const char *name, tac_error *err)
{
    return find_port(e, name, "receiving", receiver_name, err);
}

// --- links --------------------------------------------------------------------------------------

size_t tac_engine_link_count(const tac_engine *e)
{
    return is_prepared(e) ? e->plan->linked_count : 0;
}

// Links of each sender, inside and then to outside; last the links from outside. These return the
// port that has the link; NULL: it is of the other kind, or there is no such link.
static const tac__sender *sender_of(const tac_engine *e, size_t link)
{
    size_t low = 0, high = is_prepared(e) ? e->plan->sender_count : 0;
    while (low < high) { // finds the first sender whose first link is behind `link`
        const size_t middle = low + (high - low) / 2;
        if (e->plan->senders[middle].first_link <= link)
            low = middle + 1;
        else
            high = middle;
    }
    const tac__sender *s = low > 0 ? &e->plan->senders[low - 1] : NULL;
    return s && link - s->first_link < s->count + s->outlet_count ? s : NULL;
}

static const tac__receiver *receiver_of(const tac_engine *e, size_t link)
{
    size_t low = 0, high = is_prepared(e) ? e->plan->receiver_count : 0;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (e->plan->receivers[middle].first_link <= link)
            low = middle + 1;
        else
            high = middle;
    }
    const tac__receiver *r = low > 0 ? &e->plan->receivers[low - 1] : NULL;
    return r && link - r->first_link < r->inlet_count ? r : NULL;
}

static const tac__link *link_at(const tac__sender *s, size_t link)
{
    return s && link - s->first_link < s->count ? &s->links[link - s->first_link] : NULL;
}

static tac_link_info link_info(const tac_engine *e, size_t link)
{
    const tac__sender *s = sender_of(e, link);
    const tac__link *inside = link_at(s, link);
    if (inside)
        return (tac_link_info){.from = s->name,
                               .to = e->plan->receivers[inside->receiver].name,
                               .channel = "",
                               .delay_us = inside->delay_us,
                               .law = inside->drawn ? inside->drawn->law : NULL,
                               .number = inside->number};
    if (s) {
        const tac__outlet *out = &s->outlets[link - s->first_link - s->count];
        return (tac_link_info){.from = s->name,
                               .to = TAC__OUTSIDE,
                               .channel = out->channel,
                               .delay_us = out->delay_us,
                               .law = out->law};
    }
    const tac__receiver *r = receiver_of(e, link);
    if (!r)
        return (tac_link_info){.from = "", .to = "", .channel = ""};
    const tac__inlet *in = &r->inlets[link - r->first_link];
    return (tac_link_info){
        .from = TAC__OUTSIDE, .to = r->name, .channel = in->channel, .number = in->number};
}

void tac_engine_link_info_sized(const tac_engine *e, size_t link, tac_link_info *result,
                                size_t size)
{
    const tac_link_info own = link_info(e, link);
    tac__def_give(result, size, &own, sizeof own);
}

void tac_engine_link_counters_sized(const tac_engine *e, size_t link, tac_link_counters *result,
                                    size_t size)
{
    const tac__link *inside = link_at(sender_of(e, link), link);
    const tac_link_counters none = {0};
    tac__def_give(result, size, inside && inside->drawn ? inside->drawn->counters : &none,
                  sizeof none);
}

// --- parameters ---------------------------------------------------------------------------------

size_t tac_engine_param_count(const tac_engine *e, size_t component)
{
    return is_prepared(e) && component < e->plan->component_count
               ? e->plan->components[component]->param_count
               : 0;
}

static tac_param_info param_info(const tac_engine *e, size_t component, size_t i)
{
    if (i >= tac_engine_param_count(e, component))
        return (tac_param_info){"", "", "", "", "", "", "", NULL, false};
    const tac__component *c = e->plan->components[component];
    const tac__param *p = &c->params[i];
    return (tac_param_info){.name = p->name,
                            .value = text(c->values[i]),
                            .kind = text(p->kind),
                            .unit = text(p->def.unit),
                            .doc = text(p->def.doc),
                            .range = text(p->def.range),
                            .fallback = text(p->def.fallback),
                            .choices = p->choices,
                            .tunable = p->tunable};
}

void tac_engine_param_info_sized(const tac_engine *e, size_t component, size_t i,
                                 tac_param_info *result, size_t size)
{
    const tac_param_info own = param_info(e, component, i);
    tac__def_give(result, size, &own, sizeof own);
}
