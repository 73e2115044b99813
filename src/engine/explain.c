// explain.c - the schema and the schedule of an engine as texts, and the facts that all formats of
// the schedule are made of.
#include "engine/explain.h"
#include "engine/draw.h"

#include <inttypes.h>
#include <string.h>

// --- axes ---------------------------------------------------------------------------------------

bool tac__is_axis(const tac__source *s)
{
    return s->kind == TAC__SOURCE_AXIS || s->kind == TAC__SOURCE_TIMES;
}

bool tac__is_physics(const tac_engine *e, int source)
{
    const tac__source *s = &e->timeline.sources[source];
    return e->def.physics_us && s->kind == TAC__SOURCE_AXIS && !s->observer &&
           s->period_us == e->def.physics_us && s->offset_us == 0;
}

uint64_t tac__source_instants(const tac_engine *e, int source)
{
    const tac__source *s = &e->timeline.sources[source];
    if (s->kind == TAC__SOURCE_AXIS)
        return s->offset_us > e->def.end_us ? 0 : (e->def.end_us - s->offset_us) / s->period_us + 1;
    uint64_t n = 0;
    while (n < s->times_count && s->times_us[n] <= e->def.end_us)
        n++;
    return n;
}

bool tac__group_uses(const tac_engine *e, int group, int source)
{
    for (size_t i = 0; i < e->component_count; i++) {
        if (e->components[i]->group == group && e->components[i]->axis_source == source)
            return true;
    }
    return false;
}

bool tac__component_steps(const tac_engine *e, const tac_instance *c, int source)
{
    if (!c->type->step)
        return false;
    if (c->axis_source == source || c->timer_source == source)
        return true;
    for (size_t i = 0; i < c->receiver_count; i++) {
        const tac__receiver *r = &e->receivers[c->receivers[i]];
        if (r->def.triggers && r->source == source)
            return true;
    }
    return false;
}

bool tac__island_bound(const tac_engine *e, size_t island, int source)
{
    return tac__has_bit(e->island_masks + (size_t)source * e->island_words, island);
}

// As schedule.c closes its sets: from the steps, islands and ports of its own components.
bool tac__entity_bound(const tac_engine *e, uint32_t entity, int source)
{
    if (source == e->start_end_source)
        return true;
    const tac__source *s = &e->timeline.sources[source];
    if (s->kind == TAC__SOURCE_PORT &&
        e->components[e->receivers[s->index].component]->entity == entity)
        return true;
    for (size_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        if (c->entity != entity)
            continue;
        if (!tac__is_observer(c) && tac__component_steps(e, c, source))
            return true;
        if (c->island >= 0 && tac__island_bound(e, (size_t)c->island, source))
            return true;
    }
    return false;
}

bool tac__entity_used(const tac_engine *e, uint32_t entity)
{
    for (size_t i = 0; i < e->component_count; i++) {
        if (e->components[i]->entity == entity)
            return true;
    }
    return false;
}

const char *tac__entity_label(const tac_engine *e, uint32_t entity)
{
    return *e->entities[entity].name ? e->entities[entity].name : "(root)";
}

static tac_time gcd(tac_time a, tac_time b)
{
    while (b) {
        const tac_time r = a % b;
        a = b;
        b = r;
    }
    return a;
}

tac_time tac__hyperperiod(const tac_engine *e)
{
    tac_time all = 0;
    for (size_t i = 0; i < e->timeline.count; i++) {
        const tac__source *s = &e->timeline.sources[i];
        if (s->kind != TAC__SOURCE_AXIS || s->observer)
            continue;
        const tac_time factor = all ? s->period_us / gcd(all, s->period_us) : s->period_us;
        if (all && factor > TAC_TIME_MAX / all)
            return TAC_TIME_NEVER;
        all = all ? all * factor : factor;
    }
    return all;
}

void tac__rate_print(tac_time period_us, char text[TAC_TIME_TEXT])
{
    tac__out out = tac__out_begin(text, TAC_TIME_TEXT);
    if (period_us == 0)
        return;
    const double hz = 1e6 / (double)period_us;
    const bool exact = UINT64_C(1000000000) % period_us == 0; // to a thousandth of a hertz
    char number[TAC__NUMBER_TEXT];
    tac__out digits = tac__out_begin(number, sizeof number);
    tac__out_add(&digits, "%.6g", hz >= 1e6 ? hz / 1e6 : hz >= 1000 ? hz / 1000 : hz);
    tac__out_add(&out, "%s%s %s", exact ? "" : "~", number,
                 hz >= 1e6    ? "MHz"
                 : hz >= 1000 ? "kHz"
                              : "Hz");
}

void tac__source_print(const tac_engine *e, int source, char *text, size_t size)
{
    tac__out out = tac__out_begin(text, size);
    const tac__source *s = &e->timeline.sources[source];
    char time[TAC_TIME_TEXT];
    switch (s->kind) {
    case TAC__SOURCE_AXIS:
        tac_time_print(s->period_us, time);
        tac__out_add(&out, "%s", time);
        if (s->offset_us) {
            tac_time_print(s->offset_us, time);
            tac__out_add(&out, " + %s", time);
        }
        break;
    case TAC__SOURCE_TIMES:
        tac__out_add(&out, "%s",
                     source == e->start_end_source ? "start and end" : "explicit times");
        break;
    case TAC__SOURCE_PORT:
        tac__out_add(&out, "messages to %s", e->receivers[s->index].name);
        break;
    case TAC__SOURCE_TIMER:
        tac__out_add(&out, "timer of %s", e->components[s->index]->name);
        break;
    case TAC__SOURCE_STEP:
        tac__out_add(&out, "integration of %s", e->islands[s->index].name);
        break;
    }
}

// --- why an island has a boundary ---------------------------------------------------------------

const char *tac__split_text(tac__split why)
{
    static const char *const texts[] = {
#define TAC__SPLIT_NAME(name, text) text,
        TAC__SPLIT_TABLE(TAC__SPLIT_NAME)
#undef TAC__SPLIT_NAME
    };
    return texts[why];
}

static void count_split(void *context, tac__split why, const char *name)
{
    (void)why;
    (void)name;
    ++*(size_t *)context;
}

// Reasons of a kind that need no look at other islands. Mirrors tie_input of schedule.c.
static void direct_splits(const tac_engine *e, size_t island, int source, tac__split_fn *visit,
                          void *context)
{
    if (source == e->start_end_source)
        visit(context, TAC__SPLIT_START_END, "");
    if (tac__is_physics(e, source))
        visit(context, TAC__SPLIT_PHYSICS, "");
    for (size_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        if (c->island == (int)island && c->axis_source == source)
            visit(context, TAC__SPLIT_GROUP, c->name);
    }
    for (size_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        if (c->island == (int)island && c->axis_source != source &&
            tac__component_steps(e, c, source))
            visit(context, TAC__SPLIT_STEP, c->name);
    }
    for (size_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        for (size_t k = 0; c->island == (int)island && k < c->inputs.count; k++) {
            if (c->in[k].signal < 0)
                continue;
            const tac__signal *s = &e->schema.signals[c->in[k].signal];
            if (!s->continuous && tac__component_steps(e, e->components[s->component], source))
                visit(context, TAC__SPLIT_READS, s->name);
        }
    }
    for (size_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        if (tac__is_observer(c) || !tac__component_steps(e, c, source))
            continue;
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal < 0)
                continue;
            const tac__signal *s = &e->schema.signals[c->in[k].signal];
            if (s->continuous && e->components[s->component]->island == (int)island)
                visit(context, TAC__SPLIT_READ_BY, c->name);
        }
    }
}

static void hook_splits(const tac_engine *e, size_t island, int source, tac__split_fn *visit,
                        void *context)
{
    for (size_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        if (!c->type->pre_step && !c->type->post_step)
            continue;
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal < 0)
                continue;
            const tac__signal *s = &e->schema.signals[c->in[k].signal];
            if (s->continuous && e->components[s->component]->island == (int)island &&
                tac__entity_bound(e, c->entity, source))
                visit(context, TAC__SPLIT_HOOKS, c->name);
        }
    }
}

// Islands that hold each other's signals share their boundaries.
static void tied_splits(const tac_engine *e, size_t island, int source, tac__split_fn *visit,
                        void *context)
{
    for (size_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        for (size_t k = 0; c->island >= 0 && k < c->inputs.count; k++) {
            if (c->in[k].signal < 0)
                continue;
            const tac__signal *s = &e->schema.signals[c->in[k].signal];
            const int other = e->components[s->component]->island;
            if (!s->continuous || other == c->island)
                continue;
            if (c->island == (int)island && tac__island_bound(e, (size_t)other, source))
                visit(context, TAC__SPLIT_TIED, e->islands[other].name);
            if (other == (int)island && tac__island_bound(e, (size_t)c->island, source))
                visit(context, TAC__SPLIT_TIED, e->islands[c->island].name);
        }
    }
}

void tac__each_split(const tac_engine *e, size_t island, int source, tac__split_fn *visit,
                     void *context)
{
    // What follows from other boundaries is a reason only where there is no nearer one.
    size_t n = 0;
    direct_splits(e, island, source, count_split, &n);
    if (n > 0) {
        direct_splits(e, island, source, visit, context);
        return;
    }
    hook_splits(e, island, source, count_split, &n);
    if (n > 0)
        hook_splits(e, island, source, visit, context);
    else
        tied_splits(e, island, source, visit, context);
}

// --- routes -------------------------------------------------------------------------------------

bool tac__route_crosses(const tac_engine *e, const tac_instance *reader, size_t input)
{
    const tac__input *in = &reader->in[input];
    if (in->signal < 0)
        return false;
    const tac__signal *s = &e->schema.signals[in->signal];
    const int writer = e->components[s->component]->group;
    return !s->continuous && writer >= 0 && reader->group >= 0 && writer != reader->group;
}

const char *tac__signal_port(const tac__signal *s)
{
    const char *dot = strrchr(s->name, '.');
    return dot ? dot + 1 : s->name;
}

static void add_part(tac__out *out, const char *text)
{
    tac__out_add(out, "%s%s", out->length ? ", " : "", text);
}

void tac__route_how(const tac_engine *e, const tac_instance *c, size_t input,
                    char text[TAC__ROUTE_TEXT])
{
    tac__out out = tac__out_begin(text, TAC__ROUTE_TEXT);
    const tac__input *in = &c->in[input];
    if (in->signal < 0)
        return;
    const tac_route_def *r = &in->route;
    const tac__port *port = &c->inputs.items[input];
    const tac__signal *s = &e->schema.signals[in->signal];
    if (in->coupled)
        add_part(&out, "coupled");
    else if (tac__route_crosses(e, c, input))
        add_part(&out, tac_policy_name(in->policy));
    else if (c->island >= 0 && !c->type->step)
        add_part(&out, "held");
    if (r->delayed)
        add_part(&out, "delayed");
    if (r->delay_us) {
        char time[TAC_TIME_TEXT];
        tac_time_print(r->delay_us, time);
        add_part(&out, "delay ");
        tac__out_add(&out, "%s", time);
    }
    if (r->gain != 1 || r->offset != 0) {
        char number[TAC__NUMBER_TEXT];
        tac__number_print(r->gain, number);
        add_part(&out, "times ");
        tac__out_add(&out, "%s", number);
        if (r->offset != 0) {
            tac__number_print(r->offset, number);
            tac__out_add(&out, " plus %s", number);
        }
    }
    if (!tac__unit_same(&s->dimension, &port->dimension)) {
        add_part(&out, s->unit);
        tac__out_add(&out, " to %s", port->unit);
    }
}

static size_t place_in_sequence(const tac_engine *e, uint32_t component)
{
    size_t i = 0;
    while (i < e->sequence_count && e->sequence[i] != component)
        i++;
    return i;
}

// The period with which a component steps, 0 where it may step at other times too.
static tac_time step_period(const tac_engine *e, const tac_instance *c)
{
    if (c->group < 0 || !c->type->step || c->timer_source >= 0)
        return 0;
    for (size_t i = 0; i < c->receiver_count; i++) {
        if (e->receivers[c->receivers[i]].def.triggers)
            return 0;
    }
    return e->groups[c->group].period_us;
}

// How old what a reader sees can be once both run, for two regular rates.
static bool find_ages(const tac_engine *e, const tac_instance *c, const tac__input *in,
                      tac_time *least, tac_time *most)
{
    const tac__signal *s = &e->schema.signals[in->signal];
    const tac_instance *writer = e->components[s->component];
    const tac_time period = tac__signal_period(e, s), own = step_period(e, c);
    if (period == 0 || own == 0)
        return false;
    const tac_time g = gcd(period, own);
    const tac_time phase =
        (e->groups[c->group].offset_us % g + g - e->groups[writer->group].offset_us % g) % g;
    *least = phase;
    *most = phase + period - g;
    const bool late =
        in->route.delayed || place_in_sequence(e, writer->index) >= place_in_sequence(e, c->index);
    if (late && phase == 0 && in->route.delay_us == 0) { // what is written at t comes too late
        *least = g;
        *most = period;
    }
    *least += in->route.delay_us;
    *most += in->route.delay_us;
    return true;
}

static void add_ages(const tac_engine *e, const tac_instance *c, const tac__input *in,
                     const char *word, tac__out *out)
{
    tac_time least, most;
    if (!find_ages(e, c, in, &least, &most)) {
        if (in->route.delay_us) {
            char time[TAC_TIME_TEXT];
            tac_time_print(in->route.delay_us, time);
            tac__out_add(out, ", delayed by %s", time);
        }
        return;
    }
    char from[TAC_TIME_TEXT], to[TAC_TIME_TEXT];
    tac_time_print(least, from);
    tac_time_print(most, to);
    if (least == most && most == 0)
        tac__out_add(out, ", just written");
    else if (least == most)
        tac__out_add(out, ", %s %s", to, word);
    else
        tac__out_add(out, ", %s to %s %s", from, to, word);
}

// Policies that hold all the same: see view.h.
static const char *why_it_holds(const tac_engine *e, const tac__signal *s)
{
    if (s->type.scalar != TAC_F64)
        return "; it is not f64, so it holds";
    return tac__signal_period(e, s) == 0 ? "; its writer has no regular period, so it holds" : NULL;
}

void tac__route_meaning(const tac_engine *e, const tac_instance *c, size_t input,
                        char text[TAC__ROUTE_TEXT])
{
    tac__out out = tac__out_begin(text, TAC__ROUTE_TEXT);
    const tac__input *in = &c->in[input];
    if (in->signal < 0) {
        tac__out_add(&out, "not connected");
        return;
    }
    const tac__signal *s = &e->schema.signals[in->signal];
    if (in->coupled) {
        tac__out_add(&out, "as of each evaluation of the island");
        return;
    }
    if (s->continuous) {
        tac__out_add(&out, in->route.delayed ? "as of the last boundary"
                           : c->type->step   ? "as of this instant"
                                             : "as of the boundary, held until the next");
        return;
    }
    const bool moves = in->policy == TAC_INTERPOLATED || in->policy == TAC_EXTRAPOLATED;
    const char *holds = moves ? why_it_holds(e, s) : NULL;
    char time[TAC_TIME_TEXT];
    if (!moves || holds) {
        tac__out_add(&out, "the last value");
        if (in->policy == TAC_SYNCHRONIZED) {
            tac_time_print(e->groups[c->group].period_us, time);
            tac__out_add(&out, "; both groups step together every %s", time);
        }
        add_ages(e, c, in, "old", &out);
        if (!c->type->step)
            tac__out_add(&out, ", held until the next boundary");
        tac__out_add(&out, "%s", holds ? holds : "");
    } else if (in->policy == TAC_INTERPOLATED) {
        tac_time_print(tac__signal_period(e, s), time);
        tac__out_add(&out, "on the line through the last two values, one period (%s) late", time);
        if (in->route.delay_us) {
            tac_time_print(in->route.delay_us, time);
            tac__out_add(&out, " and %s more", time);
        }
    } else {
        if (s->derivative >= 0)
            tac__out_add(&out, "the last value carried forward with %s",
                         e->schema.signals[s->derivative].name);
        else
            tac__out_add(&out, "the line through the last two values carried forward");
        if (in->route.delay_us == 0) {
            add_ages(e, c, in, "ahead", &out);
        } else {
            tac_time_print(in->route.delay_us, time);
            tac__out_add(&out, ", as it was %s ago", time);
        }
    }
}

// --- swarms -------------------------------------------------------------------------------------

typedef struct members {
    uint32_t *items; // components of one entity, in order
    size_t count;
} members;

static const char *local_name(const tac_engine *e, uint32_t entity, const char *name)
{
    const size_t length = strlen(e->entities[entity].name);
    return length ? name + length + 1 : name;
}

static bool same_routes(const tac_engine *e, const tac_instance *a, const tac_instance *b)
{
    for (size_t k = 0; k < a->inputs.count; k++) {
        const tac__input *x = &a->in[k], *y = &b->in[k];
        const tac_route_def *r = &x->route, *q = &y->route;
        if ((x->signal < 0) != (y->signal < 0))
            return false;
        if (x->signal < 0)
            continue;
        const tac__signal *s = &e->schema.signals[x->signal], *t = &e->schema.signals[y->signal];
        if (s != t &&
            (e->components[s->component]->entity != a->entity ||
             e->components[t->component]->entity != b->entity ||
             strcmp(local_name(e, a->entity, s->name), local_name(e, b->entity, t->name)) != 0))
            return false;
        if (x->element != y->element || x->policy != y->policy || r->gain != q->gain ||
            r->offset != q->offset || r->delay_us != q->delay_us || r->delayed != q->delayed)
            return false;
    }
    return true;
}

static bool same_links(const tac_engine *e, const tac_instance *a, const tac_instance *b)
{
    for (size_t k = 0; k < a->sender_count; k++) {
        const tac__sender *s = &e->senders[a->senders[k]], *t = &e->senders[b->senders[k]];
        if (s->count != t->count)
            return false;
        for (size_t i = 0; i < s->count; i++) {
            if (s->links[i].delay_us != t->links[i].delay_us)
                return false;
        }
    }
    return true;
}

static bool same_component(const tac_engine *e, const tac_instance *a, const tac_instance *b)
{
    return a->type == b->type && a->group == b->group && a->stage == b->stage &&
           a->inputs.count == b->inputs.count && a->outputs.count == b->outputs.count &&
           a->x_count == b->x_count && a->sender_count == b->sender_count &&
           a->receiver_count == b->receiver_count &&
           !strcmp(local_name(e, a->entity, a->name), local_name(e, b->entity, b->name)) &&
           same_routes(e, a, b) && same_links(e, a, b);
}

static bool same_entity(const tac_engine *e, const members *a, const members *b)
{
    if (a->count != b->count || a->count == 0)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (!same_component(e, e->components[a->items[i]], e->components[b->items[i]]))
            return false;
    }
    return true;
}

static bool list_members(const tac_engine *e, tac__arena *arena, members *all)
{
    for (uint32_t n = 0; n < e->entity_count; n++) {
        size_t count = 0;
        for (size_t i = 0; i < e->component_count; i++)
            count += e->components[i]->entity == n;
        all[n].items = tac__arena_array(arena, count, sizeof *all[n].items);
        if (!all[n].items)
            return false;
    }
    for (uint32_t i = 0; i < e->component_count; i++) {
        members *m = &all[e->components[i]->entity];
        m->items[m->count++] = i;
    }
    return true;
}

bool tac__swarms_find(const tac_engine *e, tac__arena *arena, tac__swarms *swarms)
{
    enum { FEWEST = 3 };
    members *all = tac__arena_array(arena, e->entity_count, sizeof *all);
    swarms->first = tac__arena_array(arena, e->entity_count, sizeof *swarms->first);
    swarms->count = tac__arena_array(arena, e->entity_count, sizeof *swarms->count);
    swarms->component = tac__arena_array(arena, e->component_count, sizeof *swarms->component);
    swarms->any = false;
    if (!all || !swarms->first || !swarms->count || !swarms->component ||
        !list_members(e, arena, all))
        return false;
    for (uint32_t n = 0; n < e->entity_count; n++) {
        uint32_t first = n;
        for (uint32_t k = 1; n > 0 && k < n && first == n; k++) {
            if (swarms->first[k] == k && same_entity(e, &all[k], &all[n]))
                first = k;
        }
        swarms->first[n] = first;
        swarms->count[first]++;
    }
    for (uint32_t n = 0; n < e->entity_count; n++) {
        const uint32_t first = swarms->first[n];
        if (first != n && swarms->count[first] < FEWEST)
            swarms->first[n] = n;
    }
    for (uint32_t n = 0; n < e->entity_count; n++) {
        const members *m = &all[n], *shown = &all[swarms->first[n]];
        swarms->count[n] = swarms->first[n] != n       ? 0
                           : swarms->count[n] < FEWEST ? 1
                                                       : swarms->count[n];
        swarms->any |= swarms->count[n] > 1;
        for (size_t i = 0; i < m->count; i++)
            swarms->component[m->items[i]] = shown->items[i];
    }
    return true;
}

bool tac__swarms_show_island(const tac_engine *e, const tac__swarms *swarms, size_t island)
{
    for (size_t i = 0; i < e->islands[island].count; i++) {
        if (tac__swarms_show(swarms, e->components[e->islands[island].components[i]]))
            return true;
    }
    return false;
}

// --- the public functions -----------------------------------------------------------------------

// Hand over what was written: a block of its own size from the default allocator, which needs no
// size to free it. In a table no line ends with blanks.
static char *finish(tac__text *text, bool table)
{
    const tac_allocator *a = tac_allocator_default();
    char *result =
        text->failed || !text->chars ? NULL : a->resize(a->context, NULL, 0, text->length + 1);
    if (result) {
        char *end = result;
        for (size_t i = 0; i < text->length; i++) {
            while (table && text->chars[i] == '\n' && end > result && end[-1] == ' ')
                end--;
            *end++ = text->chars[i];
        }
        *end = '\0';
    }
    tac__text_fini(text);
    return result;
}

void tac_text_free(char *text)
{
    const tac_allocator *a = tac_allocator_default();
    if (text)
        a->resize(a->context, text, 0, 0);
}

char *tac_engine_schema(const tac_engine *e, tac_format format)
{
    if (!e || (format != TAC_FORMAT_TEXT && format != TAC_FORMAT_JSON))
        return NULL;
    tac__text text;
    tac__text_init(&text, e->allocator);
    if (format == TAC_FORMAT_TEXT)
        tac__schema_text(&e->schema, &text);
    else
        tac__schema_json(&e->schema, &text);
    return finish(&text, format == TAC_FORMAT_TEXT);
}

char *tac_engine_explain(const tac_engine *e, tac_format format)
{
    if (!e || e->phase != TAC__PREPARED)
        return NULL;
    tac__text text;
    tac__arena arena;
    tac__swarms swarms;
    tac__text_init(&text, e->allocator);
    tac__arena_init(&arena, e->allocator);
    if (!tac__swarms_find(e, &arena, &swarms)) {
        text.failed = true;
    } else if (format == TAC_FORMAT_TEXT) {
        tac__explain_text(e, &swarms, &text);
    } else if (format == TAC_FORMAT_JSON) {
        tac__explain_json(e, &text);
    } else if (format == TAC_FORMAT_DOT || format == TAC_FORMAT_SVG) {
        tac__picture picture;
        if (!tac__picture_make(e, &swarms, &arena, &picture))
            text.failed = true;
        else if (format == TAC_FORMAT_DOT)
            tac__draw_dot(&picture, &text);
        else if (!tac__draw_svg(&picture, &arena, &text))
            text.failed = true;
    }
    tac__arena_fini(&arena);
    return finish(&text, format == TAC_FORMAT_TEXT);
}
