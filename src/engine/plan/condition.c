// condition.c - the conditions of components that are to be located: each belongs to the island
// whose states and outputs it sees. locate.c finds where they turn true.
#include "engine/plan/prepare.h"
#include "engine/plan/find.h"
#include "engine/plan/plan.h"

const tac__condition *tac__condition_of(const tac__component *c, int source)
{
    for (size_t i = 0; i < c->condition_count; i++) {
        if (c->conditions[i].source == source)
            return &c->conditions[i];
    }
    return NULL;
}

static tac_status check_type(const tac__component *c, tac_error *err)
{
    if (!c->type->holds)
        return tac__fail_at(err, TAC_E_CONFIG, &c->place,
                            "'%s' has conditions but its type '%s' has no holds", c->name,
                            c->type->name);
    if (tac__is_continuous(c->type))
        return tac__fail_at(err, TAC_E_CONFIG, &c->place,
                            "'%s' has conditions, but also a continuous part: that has events",
                            c->name);
    if (tac__is_observer(c))
        return tac__fail_at(err, TAC_E_CONFIG, &c->place,
                            "'%s' is in stage 'telemetry', which only reads, but its conditions "
                            "would add boundaries",
                            c->name);
    return TAC_OK;
}

static tac_status find_island(const tac__plan *plan, const tac__component *c,
                              tac__condition *condition, tac_error *err)
{
    const tac__signal *first = NULL;
    for (size_t i = 0; i < condition->count; i++) {
        const int signal = c->in[condition->inputs[i]].signal;
        if (signal < 0 || !plan->schema.signals[signal].kind->continuous)
            continue;
        const tac__signal *s = &plan->schema.signals[signal];
        const int island = plan->components[s->component]->island;
        if (first && island != condition->island)
            return tac__fail_at(err, TAC_E_CONFIG, &condition->place,
                                "'%s' and '%s' are integrated apart: such a condition cannot be "
                                "located",
                                first->name, s->name);
        first = first ? first : s;
        condition->island = island;
    }
    if (!first)
        return tac__fail_at(err, TAC_E_CONFIG, &condition->place,
                            "there is nothing to locate: the condition sees no state or output of "
                            "the plant, and all else changes at boundaries only");
    return TAC_OK;
}

// Lists the conditions of each island: counts first, then fills in. Conditions of components that a
// driver plays back are not located.
static tac_status list_rises(tac__plan *plan)
{
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = 0; i < plan->component_count; i++) {
            tac__component *c = plan->components[i];
            for (size_t k = 0; k < c->condition_count && !tac__is_played(plan, c->type); k++) {
                tac__island_plan *island = &plan->islands[c->conditions[k].island];
                if (fill)
                    island->rises[island->rise_count] =
                        (tac__rise_plan){.component = c->index, .number = (int)k};
                island->rise_count++;
            }
        }
        for (size_t i = 0; i < plan->island_count && !fill; i++) {
            tac__island_plan *island = &plan->islands[i];
            island->rises =
                tac__arena_array(&plan->arena, island->rise_count, sizeof *island->rises);
            if (!island->rises)
                return TAC_E_MEMORY;
            island->rise_count = 0;
        }
    }
    return TAC_OK;
}

tac_status tac__resolve_conditions(tac__plan *plan, tac_error *err)
{
    for (size_t i = 0; i < plan->component_count; i++) {
        tac__component *c = plan->components[i];
        if (c->condition_count)
            TAC_TRY(check_type(c, err));
        for (size_t k = 0; k < c->condition_count; k++)
            TAC_TRY(find_island(plan, c, &c->conditions[k], err));
    }
    return list_rises(plan);
}
