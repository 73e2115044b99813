// json.c - the schedule as JSON. Nothing is left out or summarised; times are in whole
// microseconds. Keys are stable: new ones are added, none is renamed.
#include "explain/explain.h"
#include "base/json.h"

enum { EXPLAIN_VERSION = 1 };

static void key_list(tac__json *j, const char *key)
{
    tac__json_key(j, key);
    tac__json_compact(j);
    tac__json_array_begin(j);
}

static void key_array(tac__json *j, const char *key)
{
    tac__json_key(j, key);
    tac__json_array_begin(j);
}

static void row_begin(tac__json *j)
{
    tac__json_compact(j);
    tac__json_object_begin(j);
}

// A period of 0 means that there is none.
static void key_period(tac__json *j, const char *key, tac_time period_us)
{
    tac__json_key(j, key);
    if (period_us && period_us != TAC_TIME_NEVER)
        tac__json_u64(j, period_us);
    else
        tac__json_text(j, NULL);
}

static void key_rate(tac__json *j, tac_time period_us)
{
    tac__json_key(j, "rate_hz");
    if (period_us)
        tac__json_number(j, 1e6 / (double)period_us);
    else
        tac__json_text(j, NULL);
}

static void key_times(tac__json *j, const tac_time *times_us, size_t count)
{
    key_list(j, "times_us");
    for (size_t i = 0; i < count; i++)
        tac__json_u64(j, times_us[i]);
    tac__json_array_end(j);
}

static const char *group_name(const tac_engine *e, int group)
{
    return group >= 0 ? e->plan->groups[group].name : NULL;
}

// --- parts --------------------------------------------------------------------------------------

static void add_run(const tac_engine *e, tac__json *j)
{
    tac__json_key(j, "run");
    tac__json_object_begin(j);
    tac__json_key_u64(j, "end_us", e->plan->def.end_us);
    tac__json_key_u64(j, "seed", e->plan->def.seed);
    tac__json_key_text(j, "integrator", e->plan->method->name);
    if (e->plan->method->adaptive) {
        tac__json_key_number(j, "rtol", e->plan->def.integrator.rtol);
        tac__json_key_number(j, "atol", e->plan->def.integrator.atol);
    }
    tac__json_key(j, "h_max_us");
    if (e->plan->def.integrator.h_max_us < TAC_TIME_MAX)
        tac__json_u64(j, e->plan->def.integrator.h_max_us);
    else
        tac__json_text(j, NULL); // as long as the method and the boundaries allow
    tac__json_key_text(j, "coupling", e->plan->def.split ? "split" : "coupled");
    key_period(j, "physics_us", e->plan->def.physics_us);
    key_period(j, "hyperperiod_us", tac__hyperperiod(e));
    tac__json_key_text(j, "default_policy", tac_policy_name(e->plan->def.policy));
    tac__json_key_bool(j, "explicit_order", e->plan->order != NULL);
    tac__json_key_text(j, "phase_strategy", tac__strategy_name(e->plan->def.strategy));
    tac__json_object_end(j);

    size_t states = 0;
    for (size_t i = 0; i < e->plan->island_count; i++)
        states += e->plan->islands[i].x_count;
    tac__json_key(j, "counts");
    tac__json_object_begin(j);
    tac__json_key_u64(j, "components", e->plan->component_count);
    tac__json_key_u64(j, "groups", e->plan->group_count);
    tac__json_key_u64(j, "signals", e->plan->schema.count);
    tac__json_key_u64(j, "islands", e->plan->island_count);
    tac__json_key_u64(j, "states", states);
    tac__json_key_u64(j, "message_ports", e->plan->sender_count + e->plan->receiver_count);
    tac__json_key_u64(j, "observers", e->plan->observer_count);
    tac__json_object_end(j);
}

static void add_groups(const tac_engine *e, tac__json *j)
{
    key_array(j, "groups");
    for (size_t i = 0; i < e->plan->group_count; i++) {
        const tac__rate_group *g = &e->plan->groups[i];
        tac__json_object_begin(j);
        tac__json_key_text(j, "name", g->name);
        key_period(j, "period_us", g->period_us);
        key_rate(j, g->period_us);
        tac__json_key_u64(j, "offset_us", g->offset_us);
        key_period(j, "declared_period_us", g->declared_period_us);
        tac__json_key_u64(j, "declared_offset_us", g->declared_offset_us);
        key_times(j, g->times_us, g->times_count);
        key_list(j, "synchronized_with");
        for (size_t k = 0; k < e->plan->group_count; k++) {
            if (k != i && e->plan->groups[k].root == g->root)
                tac__json_text(j, e->plan->groups[k].name);
        }
        tac__json_array_end(j);
        key_list(j, "components");
        for (size_t k = 0; k < e->plan->component_count; k++) {
            if (e->plan->components[k]->group == (int)i)
                tac__json_text(j, e->plan->components[k]->name);
        }
        tac__json_array_end(j);
        tac__json_object_end(j);
    }
    tac__json_array_end(j);
}

static void add_axis(const tac_engine *e, int source, tac__json *j)
{
    const tac__source *s = &e->timeline.sources[source];
    tac__json_object_begin(j);
    tac__json_key_text(j, "kind",
                       source == e->plan->start_end_source ? "start_end"
                       : s->kind == TAC__SOURCE_AXIS       ? "period"
                                                           : "times");
    key_period(j, "period_us", s->period_us);
    key_rate(j, s->period_us);
    tac__json_key_u64(j, "offset_us", s->offset_us);
    key_times(j, s->times_us, s->times_count);
    tac__json_key_bool(j, "physics", tac__is_physics(e, source));
    tac__json_key_bool(j, "observers_only", s->observer);
    tac__json_key_u64(j, "instants", tac__source_instants(e, source));
    key_list(j, "groups");
    for (size_t i = 0; i < e->plan->group_count; i++) {
        if (tac__group_uses(e, (int)i, source))
            tac__json_text(j, e->plan->groups[i].name);
    }
    tac__json_array_end(j);
    key_list(j, "entities");
    for (uint32_t i = 0; i < e->plan->entity_count; i++) {
        if (tac__entity_used(e, i) && tac__entity_bound(e, i, source))
            tac__json_text(j, e->plan->entities[i].name);
    }
    tac__json_array_end(j);
    key_list(j, "islands");
    for (size_t i = 0; i < e->plan->island_count; i++) {
        if (tac__island_bound(e, i, source))
            tac__json_text(j, e->plan->islands[i].name);
    }
    tac__json_array_end(j);
    tac__json_object_end(j);
}

static void add_axes(const tac_engine *e, tac__json *j)
{
    key_array(j, "axes");
    for (int i = -1; (i = tac__next_axis(e, i)) >= 0;)
        add_axis(e, i, j);
    tac__json_array_end(j);
}

static void key_phases(tac__json *j, const char *key, const tac__phases *p, uint64_t bits)
{
    key_list(j, key);
    for (size_t i = 0; i < p->count; i++) {
        if (bits >> i & 1)
            tac__json_text(j, p->names[i]);
    }
    tac__json_array_end(j);
}

// null: in all phases, or there are none.
static void key_active(const tac_engine *e, const tac__component *c, tac__json *j)
{
    if (tac__is_gated(c))
        key_phases(j, "active",
                   tac__phases_of(e->plan->components[e->plan->entities[c->entity].machine]),
                   c->active_in);
    else
        tac__json_key_text(j, "active", NULL);
    tac__json_key_text(j, "inactive", !tac__is_gated(c) ? NULL : c->hold ? "hold" : "zero");
}

static void add_components(const tac_engine *e, tac__json *j)
{
    key_array(j, "components");
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        tac__json_object_begin(j);
        tac__json_key_text(j, "name", c->name);
        tac__json_key_text(j, "entity", e->plan->entities[c->entity].name);
        tac__json_key_text(j, "type", c->type->name);
        tac__json_key_text(j, "stage",
                           c->type->kernels[TAC_NUMBERS].step ? tac_stage_name(c->stage) : NULL);
        tac__json_key_text(j, "group", group_name(e, c->group));
        tac__json_key_text(j, "island", c->island >= 0 ? e->plan->islands[c->island].name : NULL);
        tac__json_key_u64(j, "states", c->x_count);
        key_active(e, c, j);
        key_list(j, "reads");
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal >= 0)
                tac__json_text(j, e->plan->schema.signals[c->in[k].signal].name);
        }
        tac__json_array_end(j);
        key_list(j, "writes");
        for (size_t k = 0; k < c->outputs.count + c->continuous.count; k++)
            tac__json_text(j, e->plan->schema.signals[tac__signal_at(c, k)].name);
        tac__json_array_end(j);
        tac__json_object_end(j);
    }
    tac__json_array_end(j);
}

static const char *item_work(tac__item_kind kind)
{
    switch (kind) {
    case TAC__ITEM_BEGIN:
        return "begin";
    case TAC__ITEM_OUTPUTS:
        return "outputs";
    case TAC__ITEM_PREVIEW:
        return "preview";
    case TAC__ITEM_STEP:
        return "step";
    case TAC__ITEM_LEAD:
        return "lead";
    case TAC__ITEM_SHADOW:
        return "shadow";
    case TAC__ITEM_PHASES:
        return "phases";
    case TAC__ITEM_END:
        return "end";
    case TAC__ITEM_STATE:
        return "digest";
    case TAC__ITEM_OBSERVE:
        return "observe";
    }
    return NULL;
}

static void add_item(int stage, const char *work, const char *key, const char *name, tac__json *j)
{
    row_begin(j);
    tac__json_key_u64(j, "stage", (uint64_t)stage);
    tac__json_key_text(j, "name", tac_stage_name((tac_stage)stage));
    tac__json_key_text(j, "work", work);
    tac__json_key_text(j, key, name);
    tac__json_object_end(j);
}

static void add_order(const tac_engine *e, tac__json *j)
{
    key_array(j, "order");
    for (size_t i = 0; i < e->plan->machine_count; i++)
        add_item(TAC_STAGE_BEGIN, "change", "component",
                 e->plan->components[e->plan->machines[i]]->name, j);
    for (size_t i = 0; i < e->plan->item_count; i++) {
        const tac__item *item = &e->plan->items[i];
        const char *key = "component", *name = NULL;
        switch (item->kind) {
        case TAC__ITEM_BEGIN:
        case TAC__ITEM_END:
            key = "entity";
            name = e->plan->entities[item->index].name;
            break;
        case TAC__ITEM_PREVIEW:
            continue;
        case TAC__ITEM_OUTPUTS:
        case TAC__ITEM_STATE:
            key = "island";
            name = e->plan->islands[item->index].name;
            break;
        case TAC__ITEM_STEP:
        case TAC__ITEM_LEAD:
        case TAC__ITEM_SHADOW:
        case TAC__ITEM_PHASES:
            name = e->plan->components[item->index]->name;
            break;
        case TAC__ITEM_OBSERVE:
            key = "observer";
            name = e->plan->observers[item->index].def.name;
            break;
        }
        add_item((int)item->stage, item_work(item->kind), key, name, j);
    }
    for (size_t i = 0; i < e->plan->island_count; i++)
        add_item(TAC_STAGE_INTEGRATE, "integrate", "island", e->plan->islands[i].name, j);
    tac__json_array_end(j);
}

static void add_reason(void *context, tac__split why, const char *name)
{
    tac__json *j = context;
    tac__json_object_begin(j);
    tac__json_key_text(j, "why", tac__split_text(why));
    tac__json_key_text(j, "name", *name ? name : NULL);
    tac__json_object_end(j);
}

static void add_islands(const tac_engine *e, tac__json *j)
{
    key_array(j, "islands");
    for (size_t i = 0; i < e->plan->island_count; i++) {
        const tac__island_plan *island = &e->plan->islands[i];
        tac__json_object_begin(j);
        tac__json_key_text(j, "name", island->name);
        tac__json_key_u64(j, "states", island->x_count);
        key_list(j, "components");
        for (size_t k = 0; k < island->count; k++)
            tac__json_text(j, e->plan->components[island->components[k]]->name);
        tac__json_array_end(j);
        key_array(j, "split_by");
        for (size_t k = 0; k < island->source_count; k++) {
            char text[TAC_ERROR_NAME];
            tac__source_print(e, island->sources[k], text, sizeof text);
            row_begin(j);
            tac__json_key_text(j, "source", text);
            key_period(j, "period_us", e->timeline.sources[island->sources[k]].period_us);
            tac__json_key(j, "reasons");
            tac__json_array_begin(j);
            tac__each_split(e, i, island->sources[k], add_reason, j);
            tac__json_array_end(j);
            tac__json_object_end(j);
        }
        tac__json_array_end(j);
        tac__json_object_end(j);
    }
    tac__json_array_end(j);
}

static void add_route(const tac_engine *e, const tac__component *c, size_t k, tac__json *j)
{
    const tac__input *in = &c->in[k];
    const tac__signal *s = &e->plan->schema.signals[in->signal];
    const tac__component *writer = e->plan->components[s->component];
    const bool part = s->kind->type.count > 1 && c->inputs.items[k].type.count == 1;
    char meaning[TAC__ROUTE_TEXT];
    tac__route_meaning(e, c, k, meaning);
    row_begin(j);
    tac__json_key_text(j, "signal", s->name);
    tac__json_key(j, "element");
    if (part)
        tac__json_u64(j, in->element);
    else
        tac__json_text(j, NULL);
    tac__json_key_text(j, "writer", writer->name);
    tac__json_key_text(j, "writer_group", group_name(e, writer->group));
    tac__json_key_text(j, "reader", c->name);
    tac__json_key_text(j, "reader_group", group_name(e, c->group));
    tac__json_key_text(j, "input", c->inputs.items[k].name);
    tac__json_key_bool(j, "between_groups", tac__route_crosses(e, c, k));
    tac__json_key_text(j, "policy", tac_policy_name(in->policy));
    tac__json_key_bool(j, "coupled", in->coupled);
    tac__json_key_bool(j, "delayed", in->route->delayed);
    tac__json_key_u64(j, "delay_us", in->route->delay_us);
    tac__json_key_number(j, "gain", in->route->gain);
    tac__json_key_number(j, "offset", in->route->offset);
    tac__json_key_text(j, "from_unit", s->kind->unit);
    tac__json_key_text(j, "to_unit", c->inputs.items[k].unit);
    tac__json_key_text(j, "meaning", meaning);
    tac__json_object_end(j);
}

static void add_routes(const tac_engine *e, tac__json *j)
{
    key_array(j, "routes");
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal >= 0)
                add_route(e, c, k, j);
        }
    }
    tac__json_array_end(j);
}

static void add_law(const tac_link_law *law, tac__json *j)
{
    if (!law)
        return;
    tac__json_key(j, "law");
    tac__json_object_begin(j);
    tac__json_key_text(j, "delay", tac__delay_name(law->delay));
    tac__json_key_u64(j, "min_us", law->min_us);
    if (law->max_us)
        tac__json_key_u64(j, "max_us", law->max_us);
    if (law->mean_us)
        tac__json_key_u64(j, "mean_us", law->mean_us);
    if (law->sigma_us)
        tac__json_key_u64(j, "sigma_us", law->sigma_us);
    tac__json_key_number(j, "loss", law->loss);
    tac__json_key_number(j, "duplicate", law->duplicate);
    tac__json_key(j, "down_us");
    tac__json_array_begin(j);
    for (size_t i = 0; i < law->down_count; i++) {
        tac__json_array_begin(j);
        tac__json_u64(j, law->down[i].from_us);
        tac__json_u64(j, law->down[i].to_us);
        tac__json_array_end(j);
    }
    tac__json_array_end(j);
    tac__json_object_end(j);
}

static void add_messages(const tac_engine *e, tac__json *j)
{
    tac__json_key(j, "messages");
    tac__json_object_begin(j);
    key_array(j, "receivers");
    for (size_t i = 0; i < e->plan->receiver_count; i++) {
        const tac__receiver *r = &e->plan->receivers[i];
        row_begin(j);
        tac__json_key_text(j, "name", r->name);
        tac__json_key_text(j, "component", e->plan->components[r->component]->name);
        tac__json_key_u64(j, "capacity", r->def.capacity);
        tac__json_key_u64(j, "max_bytes", r->def.max_bytes);
        tac__json_key_bool(j, "triggers", r->def.triggers);
        tac__json_object_end(j);
    }
    tac__json_array_end(j);
    key_array(j, "senders");
    for (size_t i = 0; i < e->plan->sender_count; i++) {
        row_begin(j);
        tac__json_key_text(j, "name", e->plan->senders[i].name);
        tac__json_key_text(j, "component",
                           e->plan->components[e->plan->senders[i].component]->name);
        tac__json_object_end(j);
    }
    tac__json_array_end(j);
    key_array(j, "links");
    for (size_t i = 0; i < e->plan->sender_count; i++) {
        for (size_t k = 0; k < e->plan->senders[i].count; k++) {
            const tac__link *l = &e->plan->senders[i].links[k];
            row_begin(j);
            tac__json_key_text(j, "from", e->plan->senders[i].name);
            tac__json_key_text(j, "to", e->plan->receivers[l->receiver].name);
            tac__json_key_u64(j, "delay_us", l->delay_us);
            add_law(l->drawn ? l->drawn->law : NULL, j);
            tac__json_object_end(j);
        }
    }
    for (size_t i = 0; i < tac_engine_link_count(e); i++) {
        const tac_link_info l = tac_engine_link_info(e, i);
        if (!*l.channel)
            continue;
        row_begin(j);
        tac__json_key_text(j, "from", l.from);
        tac__json_key_text(j, "to", l.to);
        tac__json_key_text(j, "channel", l.channel);
        tac__json_key_u64(j, "delay_us", l.delay_us);
        add_law(l.law, j);
        tac__json_object_end(j);
    }
    tac__json_array_end(j);
    tac__json_object_end(j);
}

static void add_observer(const tac_engine *e, const char *name, bool component, int source,
                         tac__json *j)
{
    const tac__source *s = &e->timeline.sources[source];
    row_begin(j);
    tac__json_key_text(j, "name", name);
    tac__json_key_bool(j, "component", component);
    key_period(j, "period_us", s->period_us);
    tac__json_key_u64(j, "offset_us", s->offset_us);
    tac__json_key_u64(j, "instants", tac__source_instants(e, source));
    tac__json_object_end(j);
}

static void add_follower(const tac__observer *o, tac__json *j)
{
    char when[TAC__WHEN_TEXT];
    tac__observer_print(o, when);
    row_begin(j);
    tac__json_key_text(j, "name", o->def.name);
    tac__json_key_bool(j, "component", false);
    tac__json_key_text(j, "follows", when);
    tac__json_object_end(j);
}

static void add_observers(const tac_engine *e, tac__json *j)
{
    key_array(j, "observers");
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        if (tac__is_observer(c) && c->axis_source >= 0)
            add_observer(e, c->name, true, c->axis_source, j);
    }
    for (size_t i = 0; i < e->plan->observer_count; i++) {
        const tac__observer *o = &e->plan->observers[i];
        if (o->source >= 0)
            add_observer(e, o->def.name, false, o->source, j);
        else
            add_follower(o, j);
    }
    tac__json_array_end(j);
}

// --- phases -------------------------------------------------------------------------------------

static void add_action(const tac__phase_action *a, tac__json *j)
{
    static const char *const kinds[] = {"reset", "set", "log"};
    static const char *const levels[] = {
#define WORD(name, text) text,
        TAC_LOG_TABLE(WORD)
#undef WORD
    };
    tac__json_object_begin(j);
    tac__json_key_text(j, kinds[a->kind], a->target);
    if (a->kind == TAC__SAY) {
        tac__json_key_text(j, "level", levels[a->level]);
    } else {
        key_list(j, "to");
        for (size_t i = 0; i < a->count; i++)
            tac__json_text(j, a->values[i].text);
        tac__json_array_end(j);
    }
    tac__json_object_end(j);
}

static void add_transition(const tac__phases *p, size_t i, tac__json *j)
{
    const tac__transition *t = &p->transitions[i];
    row_begin(j);
    tac__json_key_u64(j, "number", i + 1);
    key_phases(j, "from", p, t->from);
    tac__json_key_text(j, "to", p->names[t->to]);
    tac__json_key_text(j, "condition", t->condition.text);
    tac__json_key_bool(j, "located", t->locate);
    tac__json_key(j, "actions");
    tac__json_array_begin(j);
    for (size_t k = 0; k < t->action_count; k++)
        add_action(&t->actions[k], j);
    tac__json_array_end(j);
    tac__json_object_end(j);
}

static void add_activity(const tac_engine *e, const tac__component *m, tac__json *j)
{
    key_array(j, "active");
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        if (c->entity != m->entity || !tac__is_gated(c))
            continue;
        row_begin(j);
        tac__json_key_text(j, "component", c->name);
        key_phases(j, "phases", tac__phases_of(m), c->active_in);
        tac__json_key_text(j, "inactive", c->hold ? "hold" : "zero");
        tac__json_object_end(j);
    }
    tac__json_array_end(j);
}

static void add_phases(const tac_engine *e, tac__json *j)
{
    key_array(j, "phases");
    for (size_t i = 0; i < e->plan->machine_count; i++) {
        const tac__component *m = e->plan->components[e->plan->machines[i]];
        const tac__phases *p = tac__phases_of(m);
        tac__json_object_begin(j);
        tac__json_key_text(j, "entity", e->plan->entities[m->entity].name);
        tac__json_key_text(j, "component", m->name);
        tac__json_key_text(j, "signal",
                           e->plan->schema.signals[tac__signal_at(m, (size_t)p->phase)].name);
        key_phases(j, "names", p, UINT64_MAX);
        tac__json_key_text(j, "initial", p->names[p->initial]);
        key_array(j, "transitions");
        for (size_t k = 0; k < p->transition_count; k++)
            add_transition(p, k, j);
        tac__json_array_end(j);
        add_activity(e, m, j);
        tac__json_object_end(j);
    }
    tac__json_array_end(j);
}

void tac__phases_json(const tac_engine *e, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_u64(&json, "version", EXPLAIN_VERSION);
    tac__json_key_text(&json, "strategy", tac__strategy_name(e->plan->def.strategy));
    add_phases(e, &json);
    tac__json_object_end(&json);
}

void tac__explain_json(const tac_engine *e, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_u64(&json, "version", EXPLAIN_VERSION);
    add_run(e, &json);
    add_groups(e, &json);
    add_axes(e, &json);
    add_components(e, &json);
    add_order(e, &json);
    add_phases(e, &json);
    add_islands(e, &json);
    add_routes(e, &json);
    add_messages(e, &json);
    add_observers(e, &json);
    tac__json_object_end(&json);
}
