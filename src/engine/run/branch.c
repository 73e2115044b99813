// branch.c - goes on from a checkpoint in an engine whose model is a little different.
//
// The rule: a branch must go on as a run of the changed model from the start would, as far as the
// checkpoint can tell. So the lines of both model texts are of three kinds:
//   structure   must be the same, in the same order
//   tunable     "param NAME = VALUE" of a parameter that the type has marked as tunable: the names
//               must be the same, the values may differ
//   events      parameters of lists of events (events.h), and routes of what their conditions see
// and the layouts of both (layout.h) must have the same boundaries and observers: a condition may
// look at a signal that it did not look at before only if that adds no boundary.
//
// The block is then put together part by part, by name; sources of time by their names; the states
// of components with events are made by those components.
#include "base/def.h"
#include "engine/run/checkpoint.h"
#include "engine/run/branch_inside.h"
#include "engine/run/validate.h"

// Open inputs rest at the values of parameters, which may have changed.
static void renew_rests(tac_engine *e)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal < 0 && c->inputs.items[k].has_rest)
                *(double *)c->in[k].buffer = c->inputs.items[k].rest;
        }
    }
}

static tac_status carry_events(tac__past *past)
{
    tac__branching *b = past->b;
    tac_engine *e = b->e;
    tac__component *c = past->component;
    tac_time wake_us = TAC_TIME_NEVER;
    tac__views_renew(&c->views, b->trunk->t_us);
    tac_instance *run = e->instances[c->index];
    run->hook.t_us = b->trunk->t_us;
    run->failed = TAC_OK;
    tac_error_clear(b->err);
    const tac_status status = c->carry(&run->hook, c->self, past, &wake_us);
    if (status != TAC_OK && b->err->status == TAC_OK)
        return tac__fail(b->err, status, "the events of '%s' cannot be continued: %s", c->name,
                         tac_status_text(status));
    TAC_TRY(status);
    if (wake_us <= b->trunk->t_us)
        return tac__branch_damaged(b);
    if (c->timer_source >= 0)
        tac__timeline_set(&e->timeline, c->timer_source, wake_us);
    return TAC_OK;
}

static tac_status make_branch(tac__branching *b)
{
    tac_engine *e = b->e;
    TAC_TRY(tac__branch_models(b));
    tac__past *pasts = tac__arena_array(b->arena, e->plan->component_count, sizeof *pasts);
    unsigned char *block = tac__arena_alloc(b->arena, e->plan->block.run_size);
    if (!pasts || !block)
        return tac__fail_memory(b->err);
    TAC_TRY(tac__branch_events(b, pasts));
    TAC_TRY(tac__branch_block(b, block));
    TAC_TRY(tac__restore_block(e, block, false, NULL, b->err));
    if (!e->clock->started || e->clock->t_us != b->trunk->t_us)
        return tac__fail(b->err, TAC_E_FORMAT, "'%s' is damaged: it does not say when it was taken",
                         b->trunk->path);
    renew_rests(e);
    for (size_t i = 0; i < e->plan->component_count; i++) {
        if (pasts[i].b)
            TAC_TRY(carry_events(&pasts[i]));
    }
    return tac__validate(e, false, b->err);
}

tac_status tac__branch(tac_engine *e, const tac__trunk *trunk, tac_error *err)
{
    tac_error own;
    tac__arena arena;
    tac__arena_init(&arena, e->allocator);
    tac__branching b = {.e = e, .trunk = trunk, .err = err ? err : &own, .arena = &arena};
    tac_error *outer = e->err;
    e->err = b.err;
    const tac_status status = make_branch(&b);
    e->err = outer;
    tac__arena_fini(&arena);
    return status;
}

size_t tac_engine_change_count(const tac_engine *e)
{
    return e ? e->change_count : 0;
}

void tac_engine_change_sized(const tac_engine *e, size_t i, tac_change *result, size_t size)
{
    static const tac_change none = {TAC_CHANGE_PARAMETER, "", "", NULL, NULL};
    const tac_change *own = e && i < e->change_count ? &e->changes[i] : &none;
    tac__def_give(result, size, own, sizeof *own);
}
