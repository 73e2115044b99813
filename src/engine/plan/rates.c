// rates.c - between rate groups: policies, groups that step together, histories of signals whose
// readers look back, and steps ahead of a group.
#include "engine/plan/share.h"
#include "engine/plan/prepare.h"
#include "engine/plan/warn.h"
#include "engine/plan/find.h"
#include "base/patterns.h"

#include <string.h>

// --- policies and synchronised groups -----------------------------------------------------------

// Why no policy applies between a writer and a reader; NULL: one does.
static const char *why_without_policy(const tac__signal *s, const tac__component *writer,
                                      const tac__component *reader)
{
    if (s->kind->continuous)
        return "a signal of the plant is read at the present instant";
    if (writer->group < 0)
        return "its writer is in no rate group";
    if (reader->group < 0)
        return "its reader is in no rate group and sees the last value";
    return writer->group == reader->group ? "writer and reader are in one rate group" : NULL;
}

// The policy rules of a plan, by their patterns.
typedef struct rules {
    tac__arena arena;
    tac__patterns patterns;
    size_t *last; // the last rule of each pattern
} rules;

static tac_status index_rules(const tac__plan *plan, rules *r, tac_error *err)
{
    r->patterns.arena = &r->arena;
    r->last = tac__arena_array(&r->arena, plan->rule_count, sizeof *r->last);
    if (!r->last)
        return tac__fail_memory(err);
    for (size_t i = 0; i < plan->rule_count; i++) {
        const tac__policy_rule *rule = &plan->rules[i];
        const int place = tac__patterns_add(&r->patterns, rule->pattern);
        if (place < 0)
            return tac__fail_memory(err);
        r->last[place] = i;
        if (!tac__patterns_allow(&r->patterns, plan->schema.count))
            return tac__fail_at(err, TAC_E_LIMIT, &rule->place,
                                "%zu policies for patterns with * or ? and %zu signals: more than "
                                "%zu comparisons",
                                r->patterns.wild_count, plan->schema.count,
                                TAC__PATTERNS_COMPARISONS);
    }
    return TAC_OK;
}

static tac_policy policy_of(tac__plan *plan, const rules *r, const tac__input *in,
                            const tac__component *reader)
{
    const tac__signal *s = &plan->schema.signals[in->signal];
    const tac__component *writer = plan->components[s->component];
    const char *why = why_without_policy(s, writer, reader);
    tac_policy policy = plan->def.policy;
    size_t next = 0; // after the last rule that matches
    tac__patterns_search search = {0};
    for (int k; (k = tac__patterns_next(&r->patterns, s->name, &search)) >= 0;)
        next = r->last[k] >= next ? r->last[k] + 1 : next;
    if (next)
        policy = plan->rules[next - 1].policy;
    if (in->route->has_policy)
        policy = in->route->policy;
    // An observer must not change the rate of what it reads.
    if (!why && policy == TAC_SYNCHRONIZED && tac__is_observer(reader))
        why = "an observer does not change the rate of what it reads";
    if (!why)
        return policy;
    if (in->route->has_policy && policy != TAC_ZOH)
        tac__warn(plan, "policy-idle", &in->route->place, "policy %s of '%s' has no effect: %s",
                  tac_policy_name(policy), in->route->from, why);
    return TAC_ZOH;
}

static int root_of(const tac__plan *plan, int group)
{
    while (plan->groups[group].root != group)
        group = plan->groups[group].root;
    return group;
}

// Make two groups step together: on the coarsest axis that holds both.
static tac_status synchronise(tac__plan *plan, int a, int b, const tac_route_def *r, tac_error *err)
{
    tac__rate_group *x = &plan->groups[root_of(plan, a)], *y = &plan->groups[root_of(plan, b)];
    if (x == y)
        return TAC_OK;
    if (!tac__group_period(x) || !tac__group_period(y))
        return tac__fail_at(err, TAC_E_CONFIG, &r->place,
                            "SYNCHRONIZED needs two regular rates, but '%s' has explicit times",
                            tac__group_period(x) ? y->name : x->name);
    if (x > y) { // the one declared first stays the root
        tac__rate_group *swap = x;
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
static tac_status warn_of_idle_rules(tac__plan *plan, rules *r, tac_error *err)
{
    bool *matches = tac__arena_array(&r->arena, r->patterns.count, sizeof *matches);
    if (!matches)
        return tac__fail_memory(err);
    for (size_t i = 0; i < plan->schema.count; i++) {
        tac__patterns_search search = {0};
        for (int k;
             (k = tac__patterns_next(&r->patterns, plan->schema.signals[i].name, &search)) >= 0;)
            matches[k] = true;
    }
    for (size_t i = 0; i < plan->rule_count; i++) {
        const tac__policy_rule *rule = &plan->rules[i];
        if (!matches[tac__names_find(&r->patterns.places, rule->pattern)])
            tac__warn(plan, "policy-idle", &rule->place,
                      "policy %s for '%s': no signal has such a name",
                      tac_policy_name(rule->policy), rule->pattern);
    }
    return TAC_OK;
}

static tac_status set_policies(tac__plan *plan, rules *r, tac_error *err)
{
    TAC_TRY(index_rules(plan, r, err));
    if (plan->rule_count)
        TAC_TRY(warn_of_idle_rules(plan, r, err));
    for (size_t i = 0; i < plan->component_count; i++) {
        tac__component *c = plan->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            tac__input *in = &c->in[k];
            if (in->signal < 0)
                continue;
            in->policy = policy_of(plan, r, in, c);
            if (in->policy == TAC_SYNCHRONIZED) {
                const tac__component *writer =
                    plan->components[plan->schema.signals[in->signal].component];
                TAC_TRY(synchronise(plan, writer->group, c->group, in->route, err));
            }
        }
    }
    return TAC_OK;
}

tac_status tac__resolve_groups(tac__plan *plan, tac_error *err)
{
    rules r = {0};
    tac__arena_init(&r.arena, plan->arena.allocator);
    const tac_status status = set_policies(plan, &r, err);
    tac__arena_fini(&r.arena);
    TAC_TRY(status);
    for (size_t i = 0; i < plan->group_count; i++) {
        const tac__rate_group *root = &plan->groups[root_of(plan, (int)i)];
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

// Give states of flag TAC_PORT_LEAD the length that the lead needs.
static tac_status shorten_states(tac__plan *plan, tac__arena *scratch, tac__component *c,
                                 tac_time period_us)
{
    bool any = false;
    for (size_t k = 0; k < c->states.count; k++)
        any |= (c->states.items[k].flags & TAC_PORT_LEAD) != 0;
    if (!any)
        return TAC_OK;
    const size_t size = c->states.count * sizeof *c->states.items;
    tac__port *ports = tac__arena_alloc(scratch, size);
    if (!ports)
        return TAC_E_MEMORY;
    memcpy(ports, c->states.items, size); // the list may be shared with other components
    const tac_time periods = c->lead_us ? (c->lead_us + period_us - 1) / period_us : 0;
    for (size_t k = 0; k < c->states.count; k++) {
        tac_type *type = &ports[k].type;
        if (!(ports[k].flags & TAC_PORT_LEAD))
            continue;
        const uint32_t row = c->lead_max ? (type->count - 1) / c->lead_max : 0;
        ports[k].unused = type->count - (1 + row * (uint32_t)periods);
        type->count -= ports[k].unused;
    }
    c->states.items = (tac__port *)tac__share_bytes(plan, ports, size);
    tac__arena_clear(scratch);
    return c->states.items ? TAC_OK : TAC_E_MEMORY;
}

static tac_status resolve_leads(tac__plan *plan, tac__arena *scratch, tac_error *err)
{
    for (size_t i = 0; i < plan->component_count; i++) {
        tac__component *c = plan->components[i];
        if (!c->lead_us) {
            TAC_TRY(shorten_states(plan, scratch, c, 0));
            continue;
        }
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
        TAC_TRY(shorten_states(plan, scratch, c, period_us));
    }
    return TAC_OK;
}

tac_status tac__resolve_leads(tac__plan *plan, tac_error *err)
{
    tac__arena scratch;
    tac__arena_init(&scratch, plan->allocator);
    const tac_status status = resolve_leads(plan, &scratch, err);
    tac__arena_fini(&scratch);
    return status == TAC_E_MEMORY ? tac__fail_memory(err) : status;
}
