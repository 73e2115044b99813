// nans.c - a copy of the block as it is stored, with one NaN.
#include "engine/plan.h"
#include "base/floats.h"

static void mend(const tac_engine *e, unsigned char *bytes, const void *at, size_t count)
{
    const size_t offset = (size_t)((const unsigned char *)at - e->block.bytes);
    if (at && offset < e->block.run_size)
        tac__one_nan(bytes + offset, count);
}

static void mend_ports(const tac_engine *e, unsigned char *bytes, const tac__ports *ports,
                       void *const *values)
{
    for (size_t i = 0; i < ports->count; i++) {
        if (ports->items[i].type.scalar == TAC_F64)
            mend(e, bytes, values[i], ports->items[i].type.count);
    }
}

void tac__stored_nans(const tac_engine *e, unsigned char *bytes)
{
    for (size_t i = 0; i < e->island_count; i++) {
        mend(e, bytes, e->islands[i].x, e->islands[i].x_count);
        mend(e, bytes, e->islands[i].y, e->islands[i].x_count);
    }
    for (size_t i = 0; i < e->schema.count; i++) {
        const tac__signal *s = &e->schema.signals[i];
        if (s->type.scalar != TAC_F64)
            continue;
        mend(e, bytes, tac__block_at(&e->block, s->offset), s->type.count);
        const tac__history *h = &e->histories[i];
        if (h->depth)
            mend(e, bytes, h->values, h->depth * h->words);
    }
    for (size_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        mend_ports(e, bytes, &c->states, c->step.state);
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->inputs.items[k].type.scalar == TAC_F64)
                mend(e, bytes, c->in[k].buffer, c->inputs.items[k].type.count);
        }
    }
}
