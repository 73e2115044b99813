// nans.c - NaNs: counts signals that are written with one, and makes all NaNs alike in a copy of
// the block that is stored.
#include "engine/run/nans.h"
#include "engine/run/state.h"
#include "base/floats.h"

#include <string.h>

static void mend(const tac_engine *e, unsigned char *bytes, const void *at, size_t count)
{
    const size_t offset = (size_t)((const unsigned char *)at - e->plan->block.bytes);
    if (at && offset < e->plan->block.run_size)
        tac__one_nan(bytes + offset, count);
}

// Numbers without a meaning now, whatever they are.
static void clear(const tac_engine *e, unsigned char *bytes, const double *at, size_t count)
{
    memset(bytes + ((const unsigned char *)at - e->plan->block.bytes), 0, count * sizeof *at);
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
    for (size_t i = 0; i < e->plan->island_count; i++) {
        mend(e, bytes, e->islands[i].x, e->plan->islands[i].x_count);
        mend(e, bytes, e->islands[i].y, e->plan->islands[i].x_count);
        if (e->islands[i].state->event_us == TAC_TIME_NEVER)
            clear(e, bytes, e->islands[i].next_mode, e->plan->islands[i].event_count);
    }
    for (size_t i = 0; i < e->plan->schema.count; i++) {
        const tac__signal *s = &e->plan->schema.signals[i];
        if (s->kind->type.scalar != TAC_F64)
            continue;
        mend(e, bytes, tac__block_at(&e->plan->block, s->offset), s->kind->type.count);
        if (s->history)
            mend(e, bytes, s->history->values, s->history->depth * s->history->words);
    }
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        mend_ports(e, bytes, &c->states, c->state);
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->inputs.items[k].type.scalar == TAC_F64)
                mend(e, bytes, c->in[k].buffer, c->inputs.items[k].type.count);
        }
    }
}

void tac__nan_written(void *context, uint32_t signal, const double *value, size_t words,
                      tac_time t_us)
{
    tac_engine *e = context;
    const tac__signal *s = &e->plan->schema.signals[signal];
    tac__component *c = e->plan->components[s->component];
    const size_t k = tac__signal_place(c, (int)signal);
    size_t i = 0;
    while (i < words && value[i] == value[i])
        i++;
    if (i == words || c->outputs.items[k].flags & TAC_PORT_NAN) // infinities may look like NaN
        return;
    tac__nan_count *n = &e->nans[signal];
    if (n->writes++)
        return;
    n->first_us = t_us;
    if (e->plan->driver) // the live run has warned already
        return;
    tac_step *hook = &e->instances[c->index]->hook;
    hook->t_us = t_us;
    if (s->kind->type.count > 1)
        tac_log_write(hook, TAC_LOG_WARN, "'%s[%zu]' is NaN", s->name, i);
    else
        tac_log_write(hook, TAC_LOG_WARN, "'%s' is NaN", s->name);
}

uint64_t tac_engine_nans(const tac_engine *e, size_t signal, tac_time *first_us)
{
    TAC_REQUIRE(e && e->nans && signal < e->plan->schema.count);
    const tac__nan_count *n = &e->nans[signal];
    if (first_us)
        *first_us = n->writes ? n->first_us : TAC_TIME_NEVER;
    return n->writes;
}
