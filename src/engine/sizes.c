// sizes.c - how much there is of everything, for those who look from outside.
#include "engine/plan.h"

tac_sizes tac_engine_sizes(const tac_engine *e)
{
    tac_sizes n = {
        .entities = e->entity_count - 1, // the root is none
        .groups = e->group_count,
        .components = e->component_count,
        .islands = e->island_count,
        .signals = e->schema.count,
        .senders = e->sender_count,
        .receivers = e->receiver_count,
        .bytes = e->block.size,
    };
    for (size_t i = 0; i < e->island_count; i++)
        n.states += e->islands[i].x_count;
    return n;
}

tac_group_info tac_engine_group_info(const tac_engine *e, size_t group)
{
    if (group >= e->group_count)
        return (tac_group_info){.name = ""};
    const tac__group *g = &e->groups[group];
    tac_group_info info = {g->name, g->period_us, g->offset_us, 0};
    for (size_t i = 0; i < e->component_count; i++)
        info.components += e->components[i]->group == (int)group;
    return info;
}
