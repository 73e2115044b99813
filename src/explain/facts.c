// facts.c - what a plan means: axes and whose boundaries they are, why intervals are split, what a
// reader sees through a route.
#include "engine/plan/find.h"
#include "explain/explain.h"

#include <string.h>

// --- axes ---------------------------------------------------------------------------------------

bool tac__is_axis(const tac__source *s)
{
    return s->kind == TAC__SOURCE_AXIS || s->kind == TAC__SOURCE_TIMES;
}

// Whether `a` is shown before `b`.
static bool axis_before(const tac_engine *e, int a, int b)
{
    const tac__source *s = &e->timeline.sources[a], *t = &e->timeline.sources[b];
    if ((a == e->plan->start_end_source) != (b == e->plan->start_end_source))
        return a == e->plan->start_end_source;
    if (s->observer != t->observer)
        return t->observer;
    if (s->kind != t->kind)
        return s->kind == TAC__SOURCE_AXIS;
    if (s->period_us != t->period_us)
        return s->period_us < t->period_us;
    return s->offset_us != t->offset_us ? s->offset_us < t->offset_us : a < b;
}

int tac__next_axis(const tac_engine *e, int source)
{
    int best = -1;
    for (int i = 0; i < (int)e->timeline.count; i++) {
        if (tac__is_axis(&e->timeline.sources[i]) && i != source &&
            (source < 0 || axis_before(e, source, i)) && (best < 0 || axis_before(e, i, best)))
            best = i;
    }
    return best;
}

bool tac__is_physics(const tac_engine *e, int source)
{
    const tac__source *s = &e->timeline.sources[source];
    return e->plan->def.physics_us && s->kind == TAC__SOURCE_AXIS && !s->observer &&
           s->period_us == e->plan->def.physics_us && s->offset_us == 0;
}

uint64_t tac__source_instants(const tac_engine *e, int source)
{
    const tac__source *s = &e->timeline.sources[source];
    if (s->kind == TAC__SOURCE_AXIS)
        return s->offset_us > e->plan->def.end_us
                   ? 0
                   : (e->plan->def.end_us - s->offset_us) / s->period_us + 1;
    uint64_t n = 0;
    while (n < s->times_count && s->times_us[n] <= e->plan->def.end_us)
        n++;
    return n;
}

// Whether the source is the period of the component's rate group, or its explicit times.
static bool is_of_group(const tac__component *c, int source)
{
    return c->axis_source == source || c->extra_source == source;
}

bool tac__group_uses(const tac_engine *e, int group, int source)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        if (e->plan->components[i]->group == group && is_of_group(e->plan->components[i], source))
            return true;
    }
    return false;
}

bool tac__component_steps(const tac_engine *e, const tac__component *c, int source)
{
    if (!c->type->kernels[TAC_NUMBERS].step)
        return false;
    if (is_of_group(c, source) || c->timer_source == source || c->lead_source == source)
        return true;
    for (size_t i = 0; i < c->receiver_count; i++) {
        const tac__receiver *r = &e->plan->receivers[c->receivers[i]];
        if (r->def.triggers && r->source == source)
            return true;
    }
    return tac__condition_of(c, source) != NULL;
}

bool tac__island_bound(const tac_engine *e, size_t island, int source)
{
    return tac__source_splits(e->plan, (size_t)source, island);
}

// The same rule as in schedule.c: steps, islands and ports of the entity's own components.
bool tac__entity_bound(const tac_engine *e, uint32_t entity, int source)
{
    if (source == e->plan->start_end_source)
        return true;
    const tac__source *s = &e->timeline.sources[source];
    if (s->kind == TAC__SOURCE_PORT &&
        e->plan->components[e->plan->receivers[s->index].component]->entity == entity)
        return true;
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        if (c->entity != entity)
            continue;
        if (!tac__is_observer(c) && tac__component_steps(e, c, source))
            return true;
        if (tac__condition_of(c, source))
            return true;
        if (c->island >= 0 && tac__island_bound(e, (size_t)c->island, source))
            return true;
    }
    return false;
}

bool tac__entity_used(const tac_engine *e, uint32_t entity)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        if (e->plan->components[i]->entity == entity)
            return true;
    }
    return false;
}

const char *tac__entity_label(const tac_engine *e, uint32_t entity)
{
    return *e->plan->entities[entity].name ? e->plan->entities[entity].name : "(root)";
}

tac_time tac__hyperperiod(const tac_engine *e)
{
    tac_time all = 0;
    for (size_t i = 0; i < e->timeline.count; i++) {
        const tac__source *s = &e->timeline.sources[i];
        if (s->kind != TAC__SOURCE_AXIS || s->observer)
            continue;
        const tac_time factor = all ? s->period_us / tac__gcd(all, s->period_us) : s->period_us;
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

void tac__observer_print(const tac__observer *o, char text[TAC__WHEN_TEXT])
{
    char period[TAC_TIME_TEXT];
    tac__out out = tac__out_begin(text, TAC__WHEN_TEXT);
    switch (o->def.follow) {
    case TAC_FOLLOW_AXIS:
        tac_time_print(o->def.period_us, period);
        tac__out_add(&out, "every %s", period);
        break;
    case TAC_FOLLOW_STEPS:
        tac__out_add(&out, "with the steps of %s", o->leads->name);
        break;
    case TAC_FOLLOW_ISLAND:
        tac__out_add(&out, "with the island of %s", o->leads->name);
        break;
    case TAC_FOLLOW_INSTANTS:
        tac__out_add(&out, "with instants from outside the plant");
        break;
    }
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
                     source == e->plan->start_end_source ? "start and end" : "explicit times");
        break;
    case TAC__SOURCE_PORT:
        tac__out_add(&out, "messages to %s", e->plan->receivers[s->index].name);
        break;
    case TAC__SOURCE_TIMER:
        tac__out_add(&out, "timer of %s", e->plan->components[s->index]->name);
        break;
    case TAC__SOURCE_STEP:
        tac__out_add(&out, "integration of %s", e->plan->islands[s->index].name);
        break;
    case TAC__SOURCE_EVENT:
        tac__out_add(&out, "events of %s", e->plan->islands[s->index].name);
        break;
    case TAC__SOURCE_CONDITION:
        tac__out_add(&out, "condition %s of %s",
                     tac__condition_of(e->plan->components[s->index], source)->name,
                     e->plan->components[s->index]->name);
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

// Conditions that are located in the island, and the writers of what they see.
static void condition_splits(const tac_engine *e, size_t island, int source, tac__split why,
                             tac__split_fn *visit, void *context)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        for (size_t k = 0; k < c->condition_count; k++) {
            const tac__condition *condition = &c->conditions[k];
            if (condition->island != (int)island)
                continue;
            if (why == TAC__SPLIT_EVENT && condition->source == source)
                visit(context, why, condition->name);
            for (size_t n = 0; why == TAC__SPLIT_READS && n < condition->count; n++) {
                const int signal = c->in[condition->inputs[n]].signal;
                const tac__signal *s = signal < 0 ? NULL : &e->plan->schema.signals[signal];
                if (s && !s->kind->continuous &&
                    tac__component_steps(e, e->plan->components[s->component], source))
                    visit(context, why, s->name);
            }
        }
    }
}

// Reasons that do not depend on other islands. The same rules as tie_input and tie_condition of
// schedule.c.
static void direct_splits(const tac_engine *e, size_t island, int source, tac__split_fn *visit,
                          void *context)
{
    if (source == e->plan->start_end_source)
        visit(context, TAC__SPLIT_START_END, "");
    if (tac__is_physics(e, source))
        visit(context, TAC__SPLIT_PHYSICS, "");
    for (size_t i = 0;
         i < e->plan->component_count && e->plan->islands[island].event_source == source; i++) {
        const tac__component *c = e->plan->components[i];
        for (size_t k = 0; c->island == (int)island && k < c->event_count; k++)
            visit(context, TAC__SPLIT_EVENT, c->events[k].name);
    }
    condition_splits(e, island, source, TAC__SPLIT_EVENT, visit, context);
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        if (c->island == (int)island && is_of_group(c, source))
            visit(context, TAC__SPLIT_GROUP, c->name);
    }
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        if (c->island == (int)island && !is_of_group(c, source) &&
            tac__component_steps(e, c, source))
            visit(context, TAC__SPLIT_STEP, c->name);
    }
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        for (size_t k = 0; c->island == (int)island && k < c->inputs.count; k++) {
            if (c->in[k].signal < 0)
                continue;
            const tac__signal *s = &e->plan->schema.signals[c->in[k].signal];
            if (!s->kind->continuous &&
                tac__component_steps(e, e->plan->components[s->component], source))
                visit(context, TAC__SPLIT_READS, s->name);
        }
    }
    condition_splits(e, island, source, TAC__SPLIT_READS, visit, context);
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        if (tac__is_observer(c) || !tac__component_steps(e, c, source))
            continue;
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal < 0)
                continue;
            const tac__signal *s = &e->plan->schema.signals[c->in[k].signal];
            if (s->kind->continuous && e->plan->components[s->component]->island == (int)island)
                visit(context, TAC__SPLIT_READ_BY, c->name);
        }
    }
}

static void hook_splits(const tac_engine *e, size_t island, int source, tac__split_fn *visit,
                        void *context)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        if (!c->type->pre_step && !c->type->post_step && !c->type->phase_exit &&
            !c->type->phase_enter)
            continue;
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal < 0)
                continue;
            const tac__signal *s = &e->plan->schema.signals[c->in[k].signal];
            if (s->kind->continuous && e->plan->components[s->component]->island == (int)island &&
                tac__entity_bound(e, c->entity, source))
                visit(context, TAC__SPLIT_HOOKS, c->name);
        }
    }
}

// Whether a machine activates, deactivates, resets, sets or reads the island.
static bool is_of_machine(const tac_engine *e, size_t island, const tac__component *m)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        if (c->island != (int)island)
            continue;
        if (c->entity == m->entity && (tac__is_gated(c) || tac__phases_reset(m, c->index)))
            return true;
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal >= 0 &&
                e->plan->schema.signals[c->in[k].signal].component == m->index)
                return true;
        }
    }
    for (size_t k = 0; k < m->inputs.count; k++) {
        if (m->in[k].signal < 0)
            continue;
        const tac__signal *s = &e->plan->schema.signals[m->in[k].signal];
        if (s->kind->continuous && e->plan->components[s->component]->island == (int)island)
            return true;
    }
    return false;
}

// A machine works at every boundary of its entity.
static void phase_splits(const tac_engine *e, size_t island, int source, tac__split_fn *visit,
                         void *context)
{
    for (size_t i = 0; i < e->plan->machine_count; i++) {
        const tac__component *m = e->plan->components[e->plan->machines[i]];
        if (tac__entity_bound(e, m->entity, source) && is_of_machine(e, island, m))
            visit(context, TAC__SPLIT_PHASES, m->name);
    }
}

// Islands that hold each other's signals share their boundaries.
static void tied_splits(const tac_engine *e, size_t island, int source, tac__split_fn *visit,
                        void *context)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        for (size_t k = 0; c->island >= 0 && k < c->inputs.count; k++) {
            if (c->in[k].signal < 0)
                continue;
            const tac__signal *s = &e->plan->schema.signals[c->in[k].signal];
            const int other = e->plan->components[s->component]->island;
            if (!s->kind->continuous || other == c->island)
                continue;
            if (c->island == (int)island && tac__island_bound(e, (size_t)other, source))
                visit(context, TAC__SPLIT_TIED, e->plan->islands[other].name);
            if (other == (int)island && tac__island_bound(e, (size_t)c->island, source))
                visit(context, TAC__SPLIT_TIED, e->plan->islands[c->island].name);
        }
    }
}

void tac__each_split(const tac_engine *e, size_t island, int source, tac__split_fn *visit,
                     void *context)
{
    // A reason that follows from other boundaries counts only where there is no direct one.
    size_t n = 0;
    direct_splits(e, island, source, count_split, &n);
    if (n > 0) {
        direct_splits(e, island, source, visit, context);
        return;
    }
    hook_splits(e, island, source, count_split, &n);
    phase_splits(e, island, source, count_split, &n);
    if (n > 0) {
        hook_splits(e, island, source, visit, context);
        phase_splits(e, island, source, visit, context);
        return;
    }
    tied_splits(e, island, source, visit, context);
}

// --- routes -------------------------------------------------------------------------------------

bool tac__route_crosses(const tac_engine *e, const tac__component *reader, size_t input)
{
    const tac__input *in = &reader->in[input];
    if (in->signal < 0)
        return false;
    const tac__signal *s = &e->plan->schema.signals[in->signal];
    const int writer = e->plan->components[s->component]->group;
    return !s->kind->continuous && writer >= 0 && reader->group >= 0 && writer != reader->group;
}

const char *tac__signal_port(const tac__signal *s)
{
    return s->name + strlen(s->writer) + 1;
}

static void add_part(tac__out *out, const char *text)
{
    tac__out_add(out, "%s%s", out->length ? ", " : "", text);
}

void tac__route_how(const tac_engine *e, const tac__component *c, size_t input,
                    char text[TAC__ROUTE_TEXT])
{
    tac__out out = tac__out_begin(text, TAC__ROUTE_TEXT);
    const tac__input *in = &c->in[input];
    if (in->signal < 0)
        return;
    const tac_route_def *r = in->route;
    const tac__port *port = &c->inputs.items[input];
    const tac__signal *s = &e->plan->schema.signals[in->signal];
    if (in->coupled)
        add_part(&out, "coupled");
    else if (tac__route_crosses(e, c, input))
        add_part(&out, tac_policy_name(in->policy));
    else if (c->island >= 0 && !c->type->kernels[TAC_NUMBERS].step)
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
    if (!tac__unit_same(&s->kind->dimension, &port->dimension)) {
        add_part(&out, s->kind->unit);
        tac__out_add(&out, " to %s", port->unit);
    }
}

static size_t place_in_sequence(const tac_engine *e, uint32_t component)
{
    size_t i = 0;
    while (i < e->plan->sequence_count && e->plan->sequence[i] != component)
        i++;
    return i;
}

// The period with which a component steps, 0 where it may step at other times too.
static tac_time step_period(const tac_engine *e, const tac__component *c)
{
    if (c->group < 0 || !c->type->kernels[TAC_NUMBERS].step || c->timer_source >= 0)
        return 0;
    for (size_t i = 0; i < c->receiver_count; i++) {
        if (e->plan->receivers[c->receivers[i]].def.triggers)
            return 0;
    }
    return e->plan->groups[c->group].period_us;
}

// The least and greatest age of what a reader sees once both run, for two regular rates.
static bool find_ages(const tac_engine *e, const tac__component *c, const tac__input *in,
                      tac_time *least, tac_time *most)
{
    const tac__signal *s = &e->plan->schema.signals[in->signal];
    const tac__component *writer = e->plan->components[s->component];
    const tac_time period = tac__signal_period(e->plan, s), own = step_period(e, c);
    if (period == 0 || own == 0)
        return false;
    const tac_time g = tac__gcd(period, own);
    const tac_time shift = (e->plan->groups[c->group].offset_us % g + g -
                            e->plan->groups[writer->group].offset_us % g) %
                           g;
    *least = shift;
    *most = shift + period - g;
    const bool late =
        in->route->delayed || place_in_sequence(e, writer->index) >= place_in_sequence(e, c->index);
    if (late && shift == 0 && in->route->delay_us == 0) { // what is written at t comes too late
        *least = g;
        *most = period;
    }
    *least += in->route->delay_us;
    *most += in->route->delay_us;
    return true;
}

static void add_ages(const tac_engine *e, const tac__component *c, const tac__input *in,
                     const char *word, tac__out *out)
{
    tac_time least, most;
    if (!find_ages(e, c, in, &least, &most)) {
        if (in->route->delay_us) {
            char time[TAC_TIME_TEXT];
            tac_time_print(in->route->delay_us, time);
            tac__out_add(out, ", delayed by %s", time);
        }
        return;
    }
    char from[TAC_TIME_TEXT], to[TAC_TIME_TEXT];
    tac_time_print(least, from);
    tac_time_print(most, to);
    if (most == 0)
        tac__out_add(out, in->policy == TAC_EXTRAPOLATED ? ", which here is the last value"
                                                         : ", just written");
    else if (least == 0)
        tac__out_add(out, ", 0 to %s %s", to, word);
    else if (least == most)
        tac__out_add(out, ", %s %s", to, word);
    else
        tac__out_add(out, ", %s to %s %s", from, to, word);
}

// Why a signal is held in spite of its policy: see view.h.
static const char *why_it_holds(const tac_engine *e, const tac__signal *s)
{
    if (s->kind->type.scalar != TAC_F64)
        return "; it is not f64, so it holds";
    return tac__signal_period(e->plan, s) == 0 ? "; its writer has no regular period, so it holds"
                                               : NULL;
}

void tac__route_meaning(const tac_engine *e, const tac__component *c, size_t input,
                        char text[TAC__ROUTE_TEXT])
{
    tac__out out = tac__out_begin(text, TAC__ROUTE_TEXT);
    const tac__input *in = &c->in[input];
    if (in->signal < 0) {
        tac__out_add(&out, "not connected");
        return;
    }
    const tac__signal *s = &e->plan->schema.signals[in->signal];
    if (in->coupled) {
        tac__out_add(&out, "as of each evaluation of the island");
        return;
    }
    if (s->kind->continuous) {
        tac__out_add(&out, in->route->delayed ? "as of the last boundary"
                           : c->type->kernels[TAC_NUMBERS].step
                               ? "as of this instant"
                               : "as of the boundary, held until the next");
        return;
    }
    const bool moves = in->policy == TAC_INTERPOLATED || in->policy == TAC_EXTRAPOLATED;
    const char *holds = moves ? why_it_holds(e, s) : NULL;
    char time[TAC_TIME_TEXT];
    if (!moves || holds) {
        tac__out_add(&out, "the last value");
        if (in->policy == TAC_SYNCHRONIZED) {
            tac_time_print(e->plan->groups[c->group].period_us, time);
            tac__out_add(&out, "; both groups step together every %s", time);
        }
        add_ages(e, c, in, "old", &out);
        if (!c->type->kernels[TAC_NUMBERS].step)
            tac__out_add(&out, ", held until the next boundary");
        tac__out_add(&out, "%s", holds ? holds : "");
    } else if (in->policy == TAC_INTERPOLATED) {
        tac_time_print(tac__signal_period(e->plan, s), time);
        tac__out_add(&out, "on the line through the last two values, one period (%s) late", time);
        if (in->route->delay_us) {
            tac_time_print(in->route->delay_us, time);
            tac__out_add(&out, " and %s more", time);
        }
    } else {
        if (s->derivative >= 0)
            tac__out_add(&out, "the last value carried forward with %s",
                         e->plan->schema.signals[s->derivative].name);
        else
            tac__out_add(&out, "the line through the last two values carried forward");
        if (in->route->delay_us == 0) {
            add_ages(e, c, in, "ahead", &out);
        } else {
            tac_time_print(in->route->delay_us, time);
            tac__out_add(&out, ", as it was %s ago", time);
        }
    }
}
