// draw.c - from a plan to boxes and arrows; where they stand is decided elsewhere.
#include "explain/draw.h"

#include <string.h>

enum { LABEL_MAX = 18 }; // characters in the label of one arrow

const char *tac__style_colour(tac__style style)
{
    static const char *const colours[] = {
#define STYLE_COLOUR(name, colour, text) colour,
        TAC__STYLE_TABLE(STYLE_COLOUR)
#undef STYLE_COLOUR
    };
    return colours[style];
}

const char *tac__style_text(tac__style style)
{
    static const char *const texts[] = {
#define STYLE_TEXT(name, colour, text) text,
        TAC__STYLE_TABLE(STYLE_TEXT)
#undef STYLE_TEXT
    };
    return texts[style];
}

tac__colours tac__group_colours(int group)
{
    static const tac__colours palette[] = {
        {"#dbeafe", "#2563eb"}, {"#dcfce7", "#15803d"}, {"#fef3c7", "#b45309"},
        {"#ede9fe", "#6d28d9"}, {"#cffafe", "#0e7490"}, {"#ffe4e6", "#be123c"},
        {"#ecfccb", "#4d7c0f"}, {"#fae8ff", "#a21caf"},
    };
    if (group < 0)
        return (tac__colours){"#f1f5f9", "#64748b"};
    return palette[(size_t)group % (sizeof palette / sizeof *palette)];
}

tac__colours tac__box_colours(const tac__box *box)
{
    if (box->machine)
        return (tac__colours){TAC__PHASE_FILL, TAC__PHASE_COLOUR};
    if (box->group >= 0)
        return tac__group_colours(box->group);
    if (box->kind == TAC__BOX_PLANT || box->kind == TAC__BOX_STATE || box->kind == TAC__BOX_OUTPUT)
        return (tac__colours){"#fafaf9", "#78716c"};
    return tac__group_colours(-1);
}

// --- boxes --------------------------------------------------------------------------------------

static tac__box *add_box(tac__picture *p, const tac__box *box)
{
    if (!box->title || !box->subtitle ||
        !TAC__ARENA_GROW(p->arena, p->boxes, p->box_count, p->box_capacity))
        return NULL;
    p->boxes[p->box_count] = *box;
    return &p->boxes[p->box_count++];
}

static bool add_component(tac__picture *p, tac__box_kind kind, tac_stage stage, uint32_t index)
{
    const tac__component *c = p->engine->plan->components[index];
    if (!tac__swarms_show(p->swarms, c))
        return true;
    return add_box(p, &(tac__box){.kind = kind,
                                  .stage = stage,
                                  .index = index,
                                  .group = c->group,
                                  .island = kind == TAC__BOX_PLANT ? c->island : -1,
                                  .machine = tac__is_machine(c),
                                  .count = tac__swarms_count(p->swarms, c),
                                  .title = c->name,
                                  .subtitle = kind == TAC__BOX_STATE    ? "state"
                                              : kind == TAC__BOX_OUTPUT ? "outputs"
                                              : kind == TAC__BOX_CHANGE ? "phase changes"
                                              : tac__is_machine(c)      ? "phase conditions"
                                                                        : c->type->name}) != NULL;
}

static int find_box(const tac__picture *p, tac__box_kind kind, uint32_t component)
{
    const uint32_t shown = p->swarms->component[component];
    for (size_t i = 0; i < p->box_count; i++) {
        if (p->boxes[i].kind == kind && p->boxes[i].index == shown)
            return (int)i;
    }
    return -1;
}

// Whether a state, or an output, of this component of the plant is read at boundaries.
static bool is_read(const tac_engine *e, uint32_t component, bool state)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal < 0 || c->in[k].coupled)
                continue;
            const tac__signal *s = &e->plan->schema.signals[c->in[k].signal];
            if (s->component == component && s->kind->continuous && s->kind->state == state)
                return true;
        }
    }
    return false;
}

static bool add_read_parts(tac__picture *p, const tac__island_plan *island, bool state)
{
    for (size_t i = 0; i < island->count; i++) {
        if (is_read(p->engine, island->components[i], state) &&
            !add_component(p, state ? TAC__BOX_STATE : TAC__BOX_OUTPUT,
                           state ? TAC_STAGE_BEGIN : TAC_STAGE_OUTPUTS, island->components[i]))
            return false;
    }
    return true;
}

static bool add_entity(tac__picture *p, const tac__item *item)
{
    const tac_engine *e = p->engine;
    if (p->swarms->count[item->index] == 0)
        return true;
    bool messages = false, hooks = false;
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        if (c->entity != item->index)
            continue;
        messages |= item->kind == TAC__ITEM_BEGIN && c->receiver_count > 0;
        hooks |= (item->kind == TAC__ITEM_BEGIN ? c->type->pre_step : c->type->post_step) != NULL;
    }
    return add_box(p, &(tac__box){.kind = TAC__BOX_WORK,
                                  .stage = item->stage,
                                  .index = item->index,
                                  .group = -1,
                                  .island = -1,
                                  .count = p->swarms->count[item->index],
                                  .title = tac__entity_label(e, item->index),
                                  .subtitle = messages && hooks ? "deliveries, hooks"
                                              : messages        ? "deliveries"
                                                                : "hooks"}) != NULL;
}

static bool add_observer(tac__picture *p, uint32_t index)
{
    const tac__observer *o = &p->engine->plan->observers[index];
    char when[TAC__WHEN_TEXT];
    tac__observer_print(o, when);
    return add_box(p, &(tac__box){.kind = TAC__BOX_OBSERVER,
                                  .stage = TAC_STAGE_RECORD,
                                  .index = index,
                                  .group = -1,
                                  .island = -1,
                                  .count = 1,
                                  .title = o->def.name,
                                  .subtitle = tac__arena_text(p->arena, when)}) != NULL;
}

static bool add_item(tac__picture *p, const tac__item *item, unsigned *number)
{
    switch (item->kind) {
    case TAC__ITEM_BEGIN:
    case TAC__ITEM_END:
        return add_entity(p, item);
    case TAC__ITEM_OUTPUTS:
        return add_read_parts(p, &p->engine->plan->islands[item->index], false);
    case TAC__ITEM_PHASES:
    case TAC__ITEM_STEP: {
        const size_t before = p->box_count;
        if (!add_component(p, TAC__BOX_STEP, item->stage, item->index))
            return false;
        if (p->box_count > before)
            p->boxes[before].number = ++*number;
        return true;
    }
    case TAC__ITEM_STATE: // digests are not shown in a picture
    case TAC__ITEM_PREVIEW:
    case TAC__ITEM_LEAD: // the component has a box already
    case TAC__ITEM_SHADOW:
        return true;
    case TAC__ITEM_OBSERVE:
        return add_observer(p, item->index);
    }
    return true;
}

static bool add_boxes(tac__picture *p)
{
    const tac_engine *e = p->engine;
    for (size_t i = 0; i < e->plan->island_count; i++) {
        if (!add_read_parts(p, &e->plan->islands[i], true))
            return false;
    }
    for (size_t i = 0; i < e->plan->machine_count; i++) {
        if (!add_component(p, TAC__BOX_CHANGE, TAC_STAGE_BEGIN, e->plan->machines[i]))
            return false;
    }
    unsigned number = 0;
    for (size_t i = 0; i < e->plan->item_count; i++) {
        if (!add_item(p, &e->plan->items[i], &number))
            return false;
    }
    for (size_t i = 0; i < e->plan->island_count; i++) {
        for (size_t k = 0; k < e->plan->islands[i].count; k++) {
            if (!add_component(p, TAC__BOX_PLANT, TAC_STAGE_INTEGRATE,
                               e->plan->islands[i].components[k]))
                return false;
        }
    }
    return true;
}

// --- arrows -------------------------------------------------------------------------------------

// Whether this name is part of the label.
static bool is_named(const char *label, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = label; at; at = strstr(at, ", ")) {
        at += at == label ? 0 : 2;
        if (!strncmp(at, name, n) && (at[n] == '\0' || at[n] == ','))
            return true;
    }
    return false;
}

static bool add_arrow(tac__picture *p, const tac__arrow *arrow)
{
    if (!arrow->label || !arrow->detail)
        return false;
    for (size_t i = 0; i < p->arrow_count; i++) {
        tac__arrow *a = &p->arrows[i];
        if (a->from != arrow->from || a->to != arrow->to || a->style != arrow->style ||
            a->delayed != arrow->delayed)
            continue;
        a->detail = tac__arena_format(p->arena, "%s\n%s", a->detail, arrow->detail);
        if (is_named(a->label, arrow->label)) {
            // seen twice, or of another vehicle of the swarm
        } else if (a->more == 0 && strlen(a->label) + 2 + strlen(arrow->label) <= LABEL_MAX) {
            a->label = tac__arena_format(p->arena, "%s, %s", a->label, arrow->label);
        } else {
            a->more++;
        }
        return a->label && a->detail;
    }
    if (!TAC__ARENA_GROW(p->arena, p->arrows, p->arrow_count, p->arrow_capacity))
        return false;
    p->arrows[p->arrow_count++] = *arrow;
    return true;
}

static tac__style route_style(const tac_engine *e, const tac__component *reader, size_t input)
{
    if (reader->in[input].coupled)
        return TAC__STYLE_COUPLED;
    if (!tac__route_crosses(e, reader, input))
        return TAC__STYLE_DIRECT;
    return (tac__style)(TAC__STYLE_ZOH + (int)reader->in[input].policy);
}

static bool add_route(tac__picture *p, const tac__component *reader, size_t input)
{
    const tac_engine *e = p->engine;
    const tac__input *in = &reader->in[input];
    const tac__signal *s = &e->plan->schema.signals[in->signal];
    const int from = find_box(p,
                              in->coupled                                          ? TAC__BOX_PLANT
                              : s->kind->state                                     ? TAC__BOX_STATE
                              : s->kind->continuous                                ? TAC__BOX_OUTPUT
                              : tac__is_machine(e->plan->components[s->component]) ? TAC__BOX_CHANGE
                                                                                   : TAC__BOX_STEP,
                              s->component);
    char meaning[TAC__ROUTE_TEXT];
    tac__route_meaning(e, reader, input, meaning);
    for (int plant = 0; plant < 2; plant++) {
        const int to = find_box(p, plant ? TAC__BOX_PLANT : TAC__BOX_STEP, reader->index);
        if (from < 0 || to < 0 || (in->coupled && !plant))
            continue;
        if (!add_arrow(p, &(tac__arrow){.from = (uint32_t)from,
                                        .to = (uint32_t)to,
                                        .style = route_style(e, reader, input),
                                        .delayed = in->route->delayed || in->route->delay_us,
                                        .label = tac__signal_port(s),
                                        .detail = tac__arena_format(
                                            p->arena, "%s to %s.%s: %s", s->name, reader->name,
                                            reader->inputs.items[input].name, meaning)}))
            return false;
    }
    return true;
}

// NULL: no memory.
static const char *describe_law(const tac__picture *p, const tac_link_law *law)
{
    tac__text text;
    tac__text_init(&text, p->arena->allocator);
    tac__link_describe(law, &text);
    const char *own = text.failed ? NULL : tac__arena_text(p->arena, text.chars);
    tac__text_fini(&text);
    return own;
}

static bool add_link(tac__picture *p, const tac__sender *sender, const tac__link *link)
{
    const tac_engine *e = p->engine;
    const tac__receiver *r = &e->plan->receivers[link->receiver];
    char delay[TAC_TIME_TEXT];
    tac_time_print(link->delay_us, delay);
    const char *law = link->drawn ? describe_law(p, link->drawn->law)
                                  : tac__arena_format(p->arena, "%s on the way", delay);
    if (!law)
        return false;
    const int from = find_box(p, TAC__BOX_STEP, sender->component);
    const int to = find_box(p, TAC__BOX_STEP, r->component);
    if (from < 0 || to < 0)
        return true;
    const char *port = strrchr(sender->name, '.');
    return add_arrow(
        p, &(tac__arrow){.from = (uint32_t)from,
                         .to = (uint32_t)to,
                         .style = TAC__STYLE_MESSAGE,
                         .label = port ? port + 1 : sender->name,
                         .detail = tac__arena_format(p->arena, "messages from %s to %s, %s",
                                                     sender->name, r->name, law)});
}

// An arrow from where a change of phase is decided to where it takes effect.
static bool add_queue(tac__picture *p, const tac__component *m)
{
    const int from = find_box(p, TAC__BOX_STEP, m->index);
    const int to = find_box(p, TAC__BOX_CHANGE, m->index);
    return from < 0 || to < 0 ||
           add_arrow(p, &(tac__arrow){.from = (uint32_t)from,
                                      .to = (uint32_t)to,
                                      .style = TAC__STYLE_DIRECT,
                                      .delayed = true,
                                      .label = "queued",
                                      .detail = tac__arena_format(
                                          p->arena,
                                          "%s: what is decided at one boundary of the entity "
                                          "takes effect at the next",
                                          m->name)});
}

// In a swarm the arrows of hidden vehicles are those of the vehicle that is shown, except arrows
// from a vehicle to something that is shown elsewhere.
static bool add_arrows(tac__picture *p)
{
    const tac_engine *e = p->engine;
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        for (size_t k = 0; tac__swarms_show(p->swarms, c) && k < c->inputs.count; k++) {
            if (c->in[k].signal >= 0 && !add_route(p, c, k))
                return false;
        }
    }
    for (size_t i = 0; i < e->plan->machine_count; i++) {
        const tac__component *m = e->plan->components[e->plan->machines[i]];
        if (tac__swarms_show(p->swarms, m) && !add_queue(p, m))
            return false;
    }
    for (size_t i = 0; i < e->plan->sender_count; i++) {
        const tac__sender *s = &e->plan->senders[i];
        for (size_t k = 0; k < s->count; k++) {
            const tac__component *to =
                e->plan->components[e->plan->receivers[s->links[k].receiver].component];
            if ((tac__swarms_show(p->swarms, e->plan->components[s->component]) ||
                 tac__swarms_show(p->swarms, to)) &&
                !add_link(p, s, &s->links[k]))
                return false;
        }
    }
    return true;
}

bool tac__picture_make(const tac_engine *e, const tac__swarms *swarms, tac__arena *arena,
                       tac__picture *p)
{
    *p = (tac__picture){.engine = e, .swarms = swarms, .arena = arena};
    if (!add_boxes(p) || !add_arrows(p))
        return false;
    for (size_t i = 0; i < p->arrow_count; i++) {
        tac__arrow *a = &p->arrows[i];
        if (a->more)
            a->label = tac__arena_format(arena, "%s +%u", a->label, a->more);
        if (!a->label)
            return false;
    }
    return true;
}
