// emit.c - see emit.h.
#include "graph/emit.h"

#include <string.h>

const char *tac__emit_format_name(tac__emit_format format)
{
    static const char *const names[] = {
#define NAME(name, description) #name,
        TAC__EMIT_TABLE(NAME)};
    return names[format];
}

// --- what a graph uses --------------------------------------------------------------------------

static void need(bool *live, const int32_t *terms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        live[terms[i]] = true;
}

static void need_loop(const tac__terms *pool, const tac__term *result, bool all, bool *live)
{
    const tac__loop *loop = &pool->loops[result->a];
    const size_t count = (size_t)loop->count;
    need(live, loop->initial, count);
    need(live, loop->variable, count);
    need(live, loop->next, count);
    live[loop->settled] = true;
    if (result->b >= loop->count)
        live[loop->exported[result->b - loop->count]] = true;
    if (all) {
        live[loop->residual] = true;
        need(live, loop->exported, (size_t)loop->exports);
    }
}

bool *tac__emit_live(const tac_graph *f, bool loops, tac__arena *arena)
{
    const tac__terms *pool = tac__graph_pool(f);
    bool *live = tac__arena_array(arena, pool->count + 1, sizeof *live);
    if (!live)
        return NULL;
    for (size_t g = 0; g < f->out_count; g++)
        need(live, f->out[g].terms, f->out[g].count);
    for (size_t i = pool->count; i-- > 0;) {
        const tac__term *t = &pool->terms[i];
        if (!live[i])
            continue;
        for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++)
            live[tac__term_operand(t, k)] = true;
        if (t->op == TAC__SYM_result)
            need_loop(pool, t, loops, live);
    }
    return live;
}

tac__emit_input *tac__emit_inputs(const tac_graph *f, tac__arena *arena)
{
    const tac__terms *pool = tac__graph_pool(f);
    tac__emit_input *inputs = tac__arena_array(arena, pool->input_count + 1, sizeof *inputs);
    if (!inputs)
        return NULL;
    for (size_t i = 0; i < pool->input_count; i++)
        inputs[i].group = -1;
    for (size_t g = 0; g < f->in_count; g++) {
        for (size_t i = 0; i < f->in[g].count; i++)
            inputs[pool->terms[f->in[g].terms[i]].a] = (tac__emit_input){(int32_t)g, (int32_t)i};
    }
    return inputs;
}

static tac_status check_inputs(const tac_graph *f, const bool *live, const tac__emit_input *inputs,
                               tac_error *err)
{
    const tac__terms *pool = tac__graph_pool(f);
    for (size_t i = 0; i < pool->count; i++) {
        if (live[i] && pool->terms[i].op == TAC__SYM_input && inputs[pool->terms[i].a].group < 0)
            return tac__fail(err, TAC_E_CALLER,
                             "graph '%s' uses an input of its pool that is in none of its groups",
                             f->name);
    }
    return TAC_OK;
}

// --- the formats --------------------------------------------------------------------------------

typedef tac_status emitter(const tac_graph *f, const tac__emit_options *options, tac__arena *arena,
                           tac__text *out, tac_error *err);

static tac_status emit(const tac_graph *f, const tac_graph *jacobian,
                       const tac__emit_options *options, tac__arena *arena, tac__text *out,
                       tac_error *err)
{
    static emitter *const others[TAC__EMIT_FORMATS] = {[TAC__EMIT_dot] = tac__emit_dot,
                                                       [TAC__EMIT_svg] = tac__emit_svg,
                                                       [TAC__EMIT_json] = tac__emit_json};
    TAC_TRY(tac__terms_status(tac__graph_pool(f), err));
    const bool *live = tac__emit_live(f, true, arena);
    const tac__emit_input *inputs = tac__emit_inputs(f, arena);
    if (!live || !inputs)
        return tac__fail_memory(err);
    TAC_TRY(check_inputs(f, live, inputs, err));
    if (options->format == TAC__EMIT_c)
        return tac__emit_c(f, jacobian, options, arena, out, err);
    return others[options->format](f, options, arena, out, err);
}

tac_status tac__graph_emit(const tac_graph *f, const tac_graph *jacobian,
                           const tac__emit_options *options, tac__text *out, tac_error *err)
{
    tac__arena arena;
    tac__arena_init(&arena, f->allocator);
    tac_status status = emit(f, jacobian, options, &arena, out, err);
    tac__arena_fini(&arena);
    if (status == TAC_OK && out->failed)
        status = tac__fail_memory(err);
    return status;
}
