// numbers.c - see numbers.h.
//
// `numbers` of a type reads parameters once more, as `declare` does, and computes the same numbers
// from them in terms. Parameters that an engine gives other values are inputs of the graph, all
// others are constants. Nothing is listed or reported a second time.
#include "engine/plan/numbers.h"
#include "engine/plan/declare.h"

#include <math.h>
#include <string.h>

static tac_status run(tac__arena *arena, const tac__plan *plan, const tac__component *c,
                      tac__terms *pool, tac__sym_value *numbers, tac_error *err)
{
    tac_declare d = {.plan = (tac__plan *)(uintptr_t)plan, // these two are only read
                     .arena = arena,
                     .meta = arena,
                     .instance = (tac__component *)(uintptr_t)c,
                     .entity = c->entity,
                     .symbols = pool};
    d.scopes[0].prefix = "";
    tac__scope_begin(&d, c->param_node, "", true, c->name);
    const tac_status status = c->type->numbers(&d, c->self, (double *)(void *)numbers);
    while (d.depth > 0)
        tac__scope_end(&d);
    if (d.no_memory || status == TAC_E_MEMORY)
        return tac__fail_memory(err);
    TAC_TRY(tac__terms_status(pool, err));
    if (status == TAC_OK)
        return TAC_OK;
    return tac__fail_at(err, status, &c->place, "the numbers of '%s' in terms: %s", c->name,
                        d.failed ? d.error.text : tac_status_text(status));
}

// With the present values of parameters the terms must be the numbers that `declare` has computed.
static tac_status compare(const tac__component *c, const tac__sym_value *numbers, bool *depends,
                          tac_error *err)
{
    for (size_t i = 0; i < c->number_count; i++) {
        *depends |= numbers[i].pool != NULL;
        const double now = tac__sym_now(numbers[i]), own = c->numbers[i];
        if (memcmp(&now, &own, sizeof own) && !(isnan(now) && isnan(own)))
            return tac__fail_at(err, TAC_E_GRAPH, &c->place,
                                "number %zu of '%s' is %.17g, but %.17g in terms", i, c->name, own,
                                now);
    }
    return TAC_OK;
}

static tac_status trace(tac__arena *arena, const tac__plan *plan, const tac__component *c,
                        tac_graph *g, bool *depends, tac_error *err)
{
    const size_t count = plan->def.value_count;
    tac__terms *pool = tac__graph_pool(g);
    double *now = tac__arena_array(arena, count, sizeof *now);
    tac__sym_value *numbers = tac__arena_array(arena, c->number_count, sizeof *numbers);
    int32_t *terms = tac__arena_array(arena, c->number_count, sizeof *terms);
    if (!now || !numbers || !terms || !tac__graph_add_input(g, "p", count, NULL))
        return tac__fail_memory(err);
    for (size_t i = 0; i < count; i++)
        now[i] = plan->def.values[i].value;
    pool->now = now;
    TAC_TRY(run(arena, plan, c, pool, numbers, err));
    TAC_TRY(compare(c, numbers, depends, err));
    pool->now = NULL;
    for (size_t i = 0; i < c->number_count; i++)
        terms[i] = tac__term_of(pool, numbers[i]);
    if (!tac__graph_add_output(g, "numbers", c->number_count, terms))
        return tac__fail_memory(err);
    return tac__terms_status(pool, err);
}

tac_status tac__numbers_trace(tac__arena *arena, const tac__plan *plan, const tac__component *c,
                              tac_graph **graph, tac_error *err)
{
    *graph = NULL;
    if (!plan->def.value_count || !c->type->numbers || !c->number_count)
        return TAC_OK;
    tac_graph *g;
    bool depends = false;
    TAC_TRY(tac__graph_create(arena->allocator, "numbers", false, NULL, &g, err));
    const tac_status status = trace(arena, plan, c, g, &depends, err);
    if (status == TAC_OK && depends)
        *graph = g;
    else
        tac__graph_destroy(g);
    return status;
}
