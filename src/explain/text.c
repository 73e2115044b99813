// text.c - the schedule as a table for people, in plain ASCII.
#include "explain/explain.h"
#include "explain/page.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_MAX = 32, TYPE_MAX = 20, GROUP_MAX = 16 };

typedef struct page {
    const tac_engine *e;
    const tac__swarms *swarms;
    tac__text *out;
    size_t name, type, group; // widths of columns
} page;

static void heading(page *p, const char *text)
{
    tac__text_add(p->out, "\n%s\n", text);
}

static const char *group_name(const tac_engine *e, const tac__component *c)
{
    return c->group >= 0 ? e->plan->groups[c->group].name : "-";
}

static void measure(page *p)
{
    for (size_t i = 0; i < p->e->plan->component_count; i++) {
        const tac__component *c = p->e->plan->components[i];
        p->name = tac__page_widest(p->name, c->name, NAME_MAX);
        p->type = tac__page_widest(p->type, c->type->name, TYPE_MAX);
        p->group = tac__page_widest(p->group, group_name(p->e, c), GROUP_MAX);
    }
}

static void print_count(size_t n, const char *one, const char *many, char *text, size_t size)
{
    tac__out out = tac__out_begin(text, size);
    tac__out_add(&out, "%zu %s", n, n == 1 ? one : many);
}

// --- summary ------------------------------------------------------------------------------------

// "rk4 with steps up to 1 ms", "rk45 at rtol 1e-06", "rk4 with steps up to 1 ms, split".
static void describe_method(const tac_engine *e, tac__out *out)
{
    const tac_integrator_def *def = &e->plan->def.integrator;
    tac__out_add(out, "%s", e->plan->method->name);
    if (e->plan->method->adaptive)
        tac__out_add(out, " at rtol %g", def->rtol);
    if (def->h_max_us < TAC_TIME_MAX) {
        char time[TAC_TIME_TEXT];
        tac_time_print(def->h_max_us, time);
        tac__out_add(out, " with steps up to %s", time);
    }
    if (e->plan->def.split)
        tac__out_add(out, ", split");
}

static void add_summary(page *p)
{
    const tac_engine *e = p->e;
    char text[128], time[TAC_TIME_TEXT];
    tac_time_print(e->plan->def.end_us, time);
    tac__text_add(p->out, "Run of %s: ", time);
    tac__list l = {p->out, 2, 0};
    tac__out out = tac__out_begin(text, sizeof text);
    describe_method(e, &out);
    tac__list_add(&l, ",", text);
    if (e->plan->def.physics_us) {
        tac_time_print(e->plan->def.physics_us, time);
        out = tac__out_begin(text, sizeof text);
        tac__out_add(&out, "physics axis %s", time);
        tac__list_add(&l, ",", text);
    } else {
        tac__list_add(&l, ",", "no physics axis");
    }
    size_t states = 0;
    for (size_t i = 0; i < e->plan->island_count; i++)
        states += e->plan->islands[i].x_count;
    const struct {
        size_t n;
        const char *one, *many;
    } counts[] = {
        {e->plan->component_count, "component", "components"},
        {e->plan->group_count, "rate group", "rate groups"},
        {e->plan->schema.count, "signal", "signals"},
        {e->plan->island_count, "island", "islands"},
        {states, "state", "states"},
        {e->plan->sender_count + e->plan->receiver_count, "message port", "message ports"},
        {e->plan->observer_count, "observer", "observers"}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        print_count(counts[i].n, counts[i].one, counts[i].many, text, sizeof text);
        tac__list_add(&l, ",", text);
    }
    const tac_time repeat = tac__hyperperiod(e);
    if (repeat != 0 && repeat != TAC_TIME_NEVER) {
        tac_time_print(repeat, time);
        out = tac__out_begin(text, sizeof text);
        tac__out_add(&out, "the axes repeat every %s", time);
        tac__list_add(&l, ",", text);
    }
    tac__text_add(p->out, "\n");
}

static void add_swarms(page *p)
{
    const tac_engine *e = p->e;
    for (uint32_t n = 0; n < e->plan->entity_count; n++) {
        if (p->swarms->count[n] <= 1)
            continue;
        tac__text_add(p->out,
                      "%u entities of equal structure, shown once as %s: ", p->swarms->count[n],
                      e->plan->entities[n].name);
        tac__list l = {p->out, 2, 0};
        for (uint32_t k = 0; k < e->plan->entity_count; k++) {
            if (p->swarms->first[k] == n)
                tac__list_add(&l, ",", e->plan->entities[k].name);
        }
        tac__text_add(p->out, "\n");
    }
}

// --- axes ---------------------------------------------------------------------------------------

enum { PERIOD = 2, RATE = 14, OFFSET = 28, INSTANTS = 40, GROUPS = 54 };

static void add_group_names(page *p, int source)
{
    const tac_engine *e = p->e;
    tac__list l = tac__list_begin(p->out);
    if (tac__is_physics(e, source))
        tac__list_add(&l, ",", "the physics axis");
    for (size_t i = 0; i < e->plan->group_count; i++) {
        const tac__rate_group *g = &e->plan->groups[i];
        if (!tac__group_uses(e, (int)i, source))
            continue;
        char text[TAC_ERROR_NAME], declared[TAC_TIME_TEXT], now[TAC_TIME_TEXT];
        tac__out out = tac__out_begin(text, sizeof text);
        tac__out_add(&out, "%s", g->name);
        if (g->period_us != g->declared_period_us || g->offset_us != g->declared_offset_us) {
            tac_time_print(g->declared_period_us, declared);
            tac_time_print(g->period_us, now);
            tac__out_add(&out, " (synchronized: declared %s -> %s)", declared, now);
        } else if (g->root != (int)i) {
            tac__out_add(&out, " (synchronized with %s)", e->plan->groups[g->root].name);
        }
        tac__list_add(&l, ",", text);
    }
    for (size_t i = 0; i < e->plan->observer_count; i++) {
        if (e->plan->observers[i].source == source)
            tac__list_add(&l, ",", e->plan->observers[i].def.name);
    }
    if (l.count == 0)
        tac__text_add(p->out, "-");
}

static void add_bounds(page *p, int source)
{
    const tac_engine *e = p->e;
    tac__page_line(p->out, GROUPS);
    if (e->timeline.sources[source].observer) {
        tac__text_add(p->out, "observers only: no boundaries");
        return;
    }
    bool any = false;
    for (int islands = 0; islands < 2; islands++) {
        const size_t count = islands ? e->plan->island_count : e->plan->entity_count;
        tac__list l = {p->out, GROUPS + 2, 0};
        for (uint32_t i = 0; i < count; i++) {
            const bool shown = islands ? tac__swarms_show_island(e, p->swarms, i) &&
                                             tac__island_bound(e, i, source)
                                       : p->swarms->count[i] && tac__entity_used(e, i) &&
                                             tac__entity_bound(e, i, source);
            if (!shown)
                continue;
            if (l.count == 0)
                tac__text_add(p->out, "%s%s", any ? "; " : "boundaries of ",
                              islands ? "islands " : "");
            any = true;
            tac__list_add(&l, ",", islands ? e->plan->islands[i].name : tac__entity_label(e, i));
        }
    }
    if (!any)
        tac__text_add(p->out, "no boundaries");
}

static void add_times(page *p, const tac__source *s)
{
    enum { SHOWN = 4 };
    tac__text_add(p->out, "at ");
    tac__list l = {p->out, PERIOD + 3, 0};
    for (size_t i = 0; i < s->times_count && i < SHOWN; i++) {
        char time[TAC_TIME_TEXT];
        tac_time_print(s->times_us[i], time);
        tac__list_add(&l, ",", time);
    }
    if (s->times_count > SHOWN)
        tac__list_add(&l, ",", "...");
}

static void add_axis(page *p, int source)
{
    const tac_engine *e = p->e;
    const tac__source *s = &e->timeline.sources[source];
    char text[TAC_TIME_TEXT];
    tac__text_repeat(p->out, ' ', PERIOD);
    if (source == e->plan->start_end_source) {
        tac__text_add(p->out, "start and end");
    } else if (s->kind == TAC__SOURCE_TIMES) {
        add_times(p, s);
    } else {
        tac_time_print(s->period_us, text);
        tac__text_add(p->out, "%s", text);
        tac__page_pad(p->out, RATE);
        tac__rate_print(s->period_us, text);
        tac__text_add(p->out, "%s", text);
        tac__page_pad(p->out, OFFSET);
        tac_time_print(s->offset_us, text);
        tac__text_add(p->out, "%s", s->offset_us ? text : "0");
    }
    tac__page_pad(p->out, INSTANTS);
    tac__text_add(p->out, "%10" PRIu64, tac__source_instants(e, source));
    tac__page_pad(p->out, GROUPS);
    add_group_names(p, source);
    add_bounds(p, source);
    tac__text_add(p->out, "\n");
}

static void add_axes(page *p)
{
    const tac_engine *e = p->e;
    heading(p, "Axes");
    const struct {
        size_t at;
        const char *text;
    } titles[] = {{PERIOD, "period"},
                  {RATE, "rate"},
                  {OFFSET, "offset"},
                  {INSTANTS, "  instants"},
                  {GROUPS, "rate groups"}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        tac__page_pad(p->out, titles[i].at);
        tac__text_add(p->out, "%s", titles[i].text);
    }
    tac__text_add(p->out, "\n");
    for (int i = -1; (i = tac__next_axis(e, i)) >= 0;)
        add_axis(p, i);
    for (size_t i = 0; i < e->plan->group_count; i++) {
        if (!e->plan->groups[i].components)
            tac__text_add(p->out, "  rate group %s has no components\n", e->plan->groups[i].name);
    }
}

// --- components ---------------------------------------------------------------------------------

static void print_read(const tac_engine *e, const tac__component *c, size_t k, char *text,
                       size_t size)
{
    tac__out out = tac__out_begin(text, size);
    const tac__input *in = &c->in[k];
    const tac__port *port = &c->inputs.items[k];
    if (in->signal < 0) {
        tac__out_add(&out, "%s (open)", port->name);
        return;
    }
    const tac__signal *s = &e->plan->schema.signals[in->signal];
    char how[TAC__ROUTE_TEXT];
    tac__route_how(e, c, k, how);
    tac__out_add(&out, "%s", s->name);
    if (s->kind->type.count > 1 && port->type.count == 1)
        tac__out_add(&out, "[%u]", in->element);
    if (*how)
        tac__out_add(&out, " (%s)", how);
}

static void add_reads(page *p, const tac__component *c, size_t at)
{
    if (c->inputs.count == 0)
        return;
    tac__page_pad(p->out, at);
    tac__text_add(p->out, "reads  ");
    tac__list l = tac__list_begin(p->out);
    for (size_t k = 0; k < c->inputs.count; k++) {
        char text[2 * TAC__ROUTE_TEXT];
        print_read(p->e, c, k, text, sizeof text);
        tac__list_add(&l, ",", text);
    }
}

static void add_reads_and_writes(page *p, const tac__component *c, size_t at, bool steps,
                                 bool continuous)
{
    const tac_engine *e = p->e;
    add_reads(p, c, at);
    const size_t total = c->outputs.count + c->continuous.count;
    tac__list l = {0};
    for (size_t k = 0; k < total; k++) {
        const tac__signal *s = &e->plan->schema.signals[tac__signal_at(c, k)];
        if (!(s->kind->continuous ? continuous : steps))
            continue;
        if (l.count == 0) {
            if (c->inputs.count)
                tac__page_line(p->out, at);
            else
                tac__page_pad(p->out, at);
            tac__text_add(p->out, "writes ");
            l = tac__list_begin(p->out);
        }
        tac__list_add(&l, ",", tac__signal_port(s));
    }
}

// Name, type and group; returns the column of what comes after them.
static size_t add_component_names(page *p, const tac__component *c)
{
    const size_t type = TAC__PAGE_INDENT + p->name + 2, group = type + p->type + 2;
    tac__text_repeat(p->out, ' ', TAC__PAGE_INDENT);
    tac__text_add(p->out, "%s", c->name);
    tac__page_pad(p->out, type);
    tac__text_add(p->out, "%s", c->type->name);
    tac__page_pad(p->out, group);
    tac__text_add(p->out, "%s", group_name(p->e, c));
    const uint32_t count = tac__swarms_count(p->swarms, c);
    if (count > 1)
        tac__text_add(p->out, " x%u", count);
    return group + p->group + (p->swarms->any ? 7 : 2);
}

static void add_component(page *p, const tac__component *c, bool steps, bool continuous)
{
    const size_t at = add_component_names(p, c);
    add_reads_and_writes(p, c, at, steps, continuous);
    tac__text_add(p->out, "\n");
}

// --- boundary order -----------------------------------------------------------------------------

static void add_entity_work(page *p, uint32_t entity, bool begin)
{
    const tac_engine *e = p->e;
    const size_t at = TAC__PAGE_INDENT + p->name + 2;
    tac__text_repeat(p->out, ' ', TAC__PAGE_INDENT);
    tac__text_add(p->out, "%s", tac__entity_label(e, entity));
    tac__page_pad(p->out, at);
    tac__list l = tac__list_begin(p->out);
    char text[TAC_ERROR_NAME];
    for (size_t i = 0; begin && i < e->plan->receiver_count; i++) {
        tac__out out = tac__out_begin(text, sizeof text);
        tac__out_add(&out, "messages to %s", e->plan->receivers[i].name);
        if (e->plan->components[e->plan->receivers[i].component]->entity == entity)
            tac__list_add(&l, ",", text);
    }
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        tac__out out = tac__out_begin(text, sizeof text);
        tac__out_add(&out, "%s hook of %s", begin ? "pre-step" : "post-step", c->name);
        if (c->entity == entity && (begin ? c->type->pre_step : c->type->post_step))
            tac__list_add(&l, ",", text);
    }
    if (p->swarms->count[entity] > 1)
        tac__text_add(p->out, " x%u", p->swarms->count[entity]);
    tac__text_add(p->out, "\n");
}

static void add_outputs(page *p, const tac__island_plan *island)
{
    const tac_engine *e = p->e;
    tac__text_repeat(p->out, ' ', TAC__PAGE_INDENT);
    tac__text_add(p->out, "island %s: ", island->name);
    tac__list l = {p->out, TAC__PAGE_INDENT + 2, 0};
    for (size_t i = 0; i < island->count; i++) {
        const tac__component *c = e->plan->components[island->components[i]];
        for (size_t k = 0; c->type->kernels[TAC_NUMBERS].output && k < c->outputs.count; k++) {
            const tac__signal *s = &e->plan->schema.signals[tac__signal_at(c, k)];
            if (s->kind->continuous && tac__swarms_show(p->swarms, c))
                tac__list_add(&l, ",", s->name);
        }
    }
    tac__text_add(p->out, "\n");
}

// What a machine does in stage 0, or in stage 8. It writes its phase in stage 0 only.
static void add_machine_work(page *p, const tac__component *m, bool begin)
{
    const tac_engine *e = p->e;
    const size_t at = add_component_names(p, m);
    tac__page_pad(p->out, at);
    tac__text_add(p->out, "%s",
                  begin ? "a queued change of phase takes effect, its actions run"
                        : "conditions; the first that holds is queued");
    if (!begin && m->inputs.count)
        tac__page_line(p->out, 0);
    if (!begin)
        add_reads(p, m, at);
    tac__page_line(p->out, at);
    tac__text_add(p->out, "writes ");
    tac__list l = tac__list_begin(p->out);
    for (size_t k = 0; k < m->outputs.count; k++) {
        if (begin != ((int)k == tac__phases_of(m)->queued))
            tac__list_add(&l, ",",
                          tac__signal_port(&e->plan->schema.signals[tac__signal_at(m, k)]));
    }
    l.count = 0;
    for (size_t i = 0; !begin && i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        if (c->entity != m->entity || (!c->type->phase_exit && !c->type->phase_enter))
            continue;
        if (l.count == 0) {
            tac__page_line(p->out, at);
            tac__text_add(p->out, "hooks of ");
            l = tac__list_begin(p->out);
        }
        tac__list_add(&l, ",", c->name);
    }
    tac__text_add(p->out, "\n");
}

static bool item_shown(const page *p, const tac__item *item)
{
    switch (item->kind) {
    case TAC__ITEM_BEGIN:
    case TAC__ITEM_END:
        return p->swarms->count[item->index] > 0;
    case TAC__ITEM_OUTPUTS:
    case TAC__ITEM_STATE:
        return tac__swarms_show_island(p->e, p->swarms, item->index);
    case TAC__ITEM_STEP:
    case TAC__ITEM_PHASES:
        return tac__swarms_show(p->swarms, p->e->plan->components[item->index]);
    case TAC__ITEM_PREVIEW:
    case TAC__ITEM_LEAD:
    case TAC__ITEM_SHADOW:
        return false;
    case TAC__ITEM_OBSERVE:
        return true;
    }
    return true;
}

static void add_item(page *p, const tac__item *item)
{
    const tac_engine *e = p->e;
    char when[TAC__WHEN_TEXT];
    switch (item->kind) {
    case TAC__ITEM_BEGIN:
    case TAC__ITEM_END:
        add_entity_work(p, item->index, item->kind == TAC__ITEM_BEGIN);
        break;
    case TAC__ITEM_OUTPUTS:
        add_outputs(p, &e->plan->islands[item->index]);
        break;
    case TAC__ITEM_PREVIEW:
    case TAC__ITEM_LEAD:
    case TAC__ITEM_SHADOW:
        break;
    case TAC__ITEM_PHASES:
        add_machine_work(p, e->plan->components[item->index], false);
        break;
    case TAC__ITEM_STEP:
        add_component(p, e->plan->components[item->index], true, false);
        break;
    case TAC__ITEM_STATE:
        tac__text_add(p->out, "%*sdigest of the state of island %s\n", TAC__PAGE_INDENT, "",
                      e->plan->islands[item->index].name);
        break;
    case TAC__ITEM_OBSERVE:
        tac__observer_print(&e->plan->observers[item->index], when);
        tac__text_add(p->out, "%*s%s, %s\n", TAC__PAGE_INDENT, "",
                      e->plan->observers[item->index].def.name, when);
        break;
    }
}

static void add_stage(page *p, int stage)
{
    static const char *const docs[] = {
#define STAGE_DOC(name, text, steps, doc) doc,
        TAC_STAGE_TABLE(STAGE_DOC)
#undef STAGE_DOC
    };
    tac__text_add(p->out, " %2d %-12s %s\n", stage, tac_stage_name((tac_stage)stage), docs[stage]);
}

// Changes of phases come before all other work; the plan has no items for them.
static bool add_changes(page *p)
{
    const tac_engine *e = p->e;
    bool any = false;
    for (size_t i = 0; i < e->plan->machine_count; i++) {
        const tac__component *m = e->plan->components[e->plan->machines[i]];
        if (!tac__swarms_show(p->swarms, m))
            continue;
        if (!any)
            add_stage(p, TAC_STAGE_BEGIN);
        any = true;
        add_machine_work(p, m, true);
    }
    return any;
}

static void add_order(page *p)
{
    const tac_engine *e = p->e;
    heading(p, e->plan->order ? "Boundary order (within stages as given)" : "Boundary order");
    size_t next = 0;
    for (int stage = 0; stage < TAC_STAGE_COUNT; stage++) {
        bool any = stage == TAC_STAGE_BEGIN && add_changes(p);
        for (; next < e->plan->item_count && e->plan->items[next].stage == (tac_stage)stage;
             next++) {
            if (!item_shown(p, &e->plan->items[next]))
                continue;
            if (!any)
                add_stage(p, stage);
            any = true;
            add_item(p, &e->plan->items[next]);
        }
        if (stage != TAC_STAGE_INTEGRATE || e->plan->island_count == 0)
            continue;
        add_stage(p, stage);
        tac__text_repeat(p->out, ' ', TAC__PAGE_INDENT);
        tac__list l = tac__list_begin(p->out);
        for (size_t i = 0; i < e->plan->island_count; i++) {
            if (tac__swarms_show_island(e, p->swarms, i))
                tac__list_add(&l, ",", e->plan->islands[i].name);
        }
        tac__text_add(p->out, "\n");
    }
}

// --- islands ------------------------------------------------------------------------------------

typedef struct reasons {
    tac__list l;
    int why; // kind of the last reason, -1: none yet
    const char *seen[16];
    size_t seen_count;
} reasons;

static void add_reason(void *context, tac__split why, const char *name)
{
    reasons *r = context;
    if (r->why != (int)why)
        r->seen_count = 0;
    for (size_t i = 0; i < r->seen_count; i++) {
        if (!strcmp(r->seen[i], name))
            return;
    }
    if (r->seen_count == sizeof r->seen / sizeof *r->seen)
        return;
    r->seen[r->seen_count++] = name;
    if (r->seen_count == sizeof r->seen / sizeof *r->seen)
        name = "...";
    char text[2 * TAC_ERROR_NAME];
    tac__out out = tac__out_begin(text, sizeof text);
    if (r->why != (int)why)
        tac__out_add(&out, "%s%s", tac__split_text(why), *name ? " " : "");
    tac__out_add(&out, "%s", name);
    tac__list_add(&r->l, r->why == (int)why ? "," : ";", text);
    r->why = (int)why;
}

static void add_splits(page *p, size_t island)
{
    const tac__island_plan *is = &p->e->plan->islands[island];
    size_t wide = 0;
    char text[TAC_ERROR_NAME];
    for (size_t i = 0; i < is->source_count; i++) {
        tac__source_print(p->e, is->sources[i], text, sizeof text);
        wide = tac__page_widest(wide, text, 2 * NAME_MAX);
    }
    for (size_t i = 0; i < is->source_count; i++) {
        tac__source_print(p->e, is->sources[i], text, sizeof text);
        tac__text_add(p->out, "%*s%s", TAC__PAGE_INDENT, "", i ? "          " : "split at  ");
        tac__text_add(p->out, "%s", text);
        tac__page_pad(p->out, TAC__PAGE_INDENT + 10 + wide + 2);
        reasons r = {.l = tac__list_begin(p->out), .why = -1};
        // About the start and the end of the run there is nothing more to say.
        if (is->sources[i] != p->e->plan->start_end_source)
            tac__each_split(p->e, island, is->sources[i], add_reason, &r);
        tac__text_add(p->out, "\n");
    }
}

static void add_islands(page *p)
{
    const tac_engine *e = p->e;
    if (e->plan->island_count == 0)
        return;
    heading(p, "Islands");
    for (size_t i = 0; i < e->plan->island_count; i++) {
        const tac__island_plan *island = &e->plan->islands[i];
        if (!tac__swarms_show_island(e, p->swarms, i))
            continue;
        char states[64], components[64];
        print_count(island->x_count, "state", "states", states, sizeof states);
        print_count(island->count, "component", "components", components, sizeof components);
        tac__text_add(p->out, "  %s: %s, %s in order of evaluation\n", island->name, states,
                      components);
        for (size_t k = 0; k < island->count; k++) {
            const tac__component *c = e->plan->components[island->components[k]];
            if (tac__swarms_show(p->swarms, c))
                add_component(p, c, false, true);
        }
        add_splits(p, i);
    }
}

// --- routes, messages, observers ----------------------------------------------------------------

static void add_crossing(page *p, const tac__component *c, size_t k, size_t wide)
{
    const tac_engine *e = p->e;
    const tac__signal *s = &e->plan->schema.signals[c->in[k].signal];
    const tac__component *writer = e->plan->components[s->component];
    const size_t at = 2 + wide + 2;
    char meaning[TAC__ROUTE_TEXT];
    tac__route_meaning(e, c, k, meaning);
    tac__text_add(p->out, "  %s", s->name);
    tac__page_pad(p->out, at);
    tac__text_add(p->out, "%s -> %s", e->plan->groups[writer->group].name,
                  e->plan->groups[c->group].name);
    tac__page_pad(p->out, at + 2 * p->group + 6);
    tac__text_add(p->out, "%s", tac_policy_name(c->in[k].policy));
    tac__page_pad(p->out, at + 2 * p->group + 6 + 14);
    tac__text_add(p->out, "to %s.%s", c->name, c->inputs.items[k].name);
    tac__page_line(p->out, at);
    tac__page_words(p->out, meaning);
    tac__text_add(p->out, "\n");
}

static void add_crossings(page *p)
{
    const tac_engine *e = p->e;
    size_t wide = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass && wide)
            heading(p, "Routes between rate groups");
        for (size_t i = 0; i < e->plan->component_count; i++) {
            const tac__component *c = e->plan->components[i];
            for (size_t k = 0; tac__swarms_show(p->swarms, c) && k < c->inputs.count; k++) {
                if (!tac__route_crosses(e, c, k))
                    continue;
                if (pass)
                    add_crossing(p, c, k, wide);
                else
                    wide = tac__page_widest(wide, e->plan->schema.signals[c->in[k].signal].name,
                                            2 * NAME_MAX);
            }
        }
    }
}

// "to f1.radio.rx after 5 ms", or after the delay that its law describes.
static void add_link(tac__list *list, const char *where, tac_time delay_us, const tac_link_law *law,
                     tac__text *out)
{
    char delay[TAC_TIME_TEXT];
    tac_time_print(delay_us, delay);
    tac__text text;
    tac__text_init(&text, out->allocator);
    tac__text_add(&text, "%s after %s", where, law ? "" : delay);
    if (law)
        tac__link_describe(law, &text);
    out->failed |= text.failed;
    tac__list_add(list, law ? ";" : ",", text.failed ? "" : text.chars);
    tac__text_fini(&text);
}

static void add_messages(page *p)
{
    const tac_engine *e = p->e;
    if (e->plan->sender_count + e->plan->receiver_count == 0)
        return;
    heading(p, "Messages");
    for (size_t i = 0; i < e->plan->receiver_count; i++) {
        const tac__receiver *r = &e->plan->receivers[i];
        if (!tac__swarms_show(p->swarms, e->plan->components[r->component]))
            continue;
        tac__text_add(p->out, "  port %s takes up to %u messages of %u bytes%s", r->name,
                      r->def.capacity, r->def.max_bytes,
                      r->def.triggers ? "; each delivery makes its component step" : "");
        for (size_t k = 0; k < r->inlet_count; k++)
            tac__text_add(p->out, "%s %s", k ? "," : "; from outside on", r->inlets[k].channel);
        tac__text_add(p->out, "\n");
    }
    for (size_t i = 0; i < e->plan->sender_count; i++) {
        const tac__sender *s = &e->plan->senders[i];
        if (!tac__swarms_show(p->swarms, e->plan->components[s->component]))
            continue;
        tac__text_add(p->out, "  port %s sends ", s->name);
        tac__list l = tac__list_begin(p->out);
        for (size_t k = 0; k < s->count; k++) {
            const tac__link *link = &s->links[k];
            char where[2 * TAC_ERROR_NAME];
            tac__out out = tac__out_begin(where, sizeof where);
            tac__out_add(&out, "to %s", e->plan->receivers[link->receiver].name);
            add_link(&l, where, link->delay_us, link->drawn ? link->drawn->law : NULL, p->out);
        }
        for (size_t k = 0; k < s->outlet_count; k++) {
            char where[2 * TAC_ERROR_NAME];
            tac__out out = tac__out_begin(where, sizeof where);
            tac__out_add(&out, "outside on %s", s->outlets[k].channel);
            add_link(&l, where, s->outlets[k].delay_us, s->outlets[k].law, p->out);
        }
        tac__text_add(p->out, "%s\n", s->count + s->outlet_count ? "" : "to nobody");
    }
}

static void add_observer(page *p, const char *name, const char *what, int source)
{
    char text[2 * TAC_TIME_TEXT + 8];
    tac__source_print(p->e, source, text, sizeof text);
    tac__text_add(p->out, "  %s", name);
    tac__page_pad(p->out, 2 + p->name + 2);
    tac__text_add(p->out, "%s", what);
    tac__page_pad(p->out, 2 + p->name + 2 + 22);
    tac__text_add(p->out, "%s", text);
    tac__page_pad(p->out, 2 + p->name + 2 + 22 + 18);
    tac__text_add(p->out, "%" PRIu64 " times\n", tac__source_instants(p->e, source));
}

static void add_follower(page *p, const tac__observer *o)
{
    char when[TAC__WHEN_TEXT];
    tac__observer_print(o, when);
    tac__text_add(p->out, "  %s", o->def.name);
    tac__page_pad(p->out, 2 + p->name + 2);
    tac__text_add(p->out, "observer");
    tac__page_pad(p->out, 2 + p->name + 2 + 22);
    tac__text_add(p->out, "%s\n", when);
}

static void add_observers(page *p)
{
    const tac_engine *e = p->e;
    bool any = e->plan->observer_count > 0;
    for (size_t i = 0; i < e->plan->component_count; i++)
        any |= tac__is_observer(e->plan->components[i]);
    if (!any)
        return;
    heading(p, "Observers (they add no boundary and change nothing)");
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        if (tac__is_observer(c) && c->axis_source >= 0 && tac__swarms_show(p->swarms, c))
            add_observer(p, c->name,
                         c->stage == TAC_STAGE_TELEMETRY ? "telemetry component"
                                                         : "unread component",
                         c->axis_source);
    }
    for (size_t i = 0; i < e->plan->observer_count; i++) {
        const tac__observer *o = &e->plan->observers[i];
        if (o->source >= 0)
            add_observer(p, o->def.name, "observer", o->source);
        else
            add_follower(p, o);
    }
}

void tac__explain_text(const tac_engine *e, const tac__swarms *swarms, tac__text *out)
{
    page p = {.e = e, .swarms = swarms, .out = out};
    measure(&p);
    add_summary(&p);
    add_swarms(&p);
    add_axes(&p);
    add_order(&p);
    if (e->plan->machine_count) {
        tac__text_add(out, "\n");
        tac__phases_text(e, swarms, out);
    }
    add_islands(&p);
    add_crossings(&p);
    add_messages(&p);
    add_observers(&p);
}
