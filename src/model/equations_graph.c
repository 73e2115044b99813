// equations_graph.c - equations as graphs, one of the derivatives and one of the outputs, and these
// as tapes.
#include "graph/tape.h"
#include "model/equations.h"

typedef tac__equations equations;

typedef struct grapher {
    equations *c;
    tac_graph *graph; // its inputs: see tac__equations_shape
    int32_t *frame;   // terms of what equations compute, and of inputs that are conditions
    int32_t *faults;  // of each equation
    tac_error *err;
} grapher;

// --- inputs -------------------------------------------------------------------------------------

static tac_status add_inputs(grapher *g)
{
    const tac__equations_shape *s = &g->c->shape;
    size_t counts[2 * TAC__EQ_PORTS] = {0};
    for (size_t i = 0; i < g->c->port_count; i++) {
        const tac__eq_port *p = &g->c->ports[i];
        const bool input = p->role == TAC__EQ_INPUT || p->role == TAC__EQ_PARAMETER;
        if (input && p->type.scalar == TAC_F64)
            counts[p->index] = p->type.count;
    }
    for (size_t i = 0; i < s->input_count; i++) {
        if (!tac__graph_add_input(g->graph, "", counts[i], NULL))
            return tac__fail_memory(g->err);
    }
    if (!tac__graph_add_input(g->graph, "x", s->x_count, NULL) ||
        !tac__graph_add_input(g->graph, "conditions", s->condition_count, NULL) ||
        !tac__graph_add_input(g->graph, "t", 1, NULL))
        return tac__fail_memory(g->err);
    for (size_t i = 0; i < s->condition_count; i++)
        g->frame[g->c->conditions[i].frame] = g->graph->in[s->input_count + 1].terms[i];
    return TAC_OK;
}

// The places of names follow the groups: inputs, states, then the frame.
static int32_t find_term(const void *context, int index, uint32_t element)
{
    const grapher *g = context;
    return (size_t)index <= g->c->shape.input_count ? g->graph->in[index].terms[element]
                                                    : g->frame[element];
}

static tac_status add_equation(grapher *g, uint32_t i)
{
    const size_t time = g->c->shape.input_count + 2;
    const tac__expr_leaves leaves = {find_term, g, g->graph->in[time].terms[0]};
    int32_t value;
    TAC_TRY(tac__expr_terms(g->c->equations[i].expr, &g->c->arena, tac__graph_pool(g->graph),
                            &leaves, &value, &g->faults[i], g->err));
    g->frame[g->c->names[g->c->targets[i]].element] = value;
    return TAC_OK;
}

// --- outputs ------------------------------------------------------------------------------------

// The condition that one of these equations compares something with NaN.
static tac_status add_fault(const grapher *g, tac_graph *to, const bool *needed)
{
    tac__terms *pool = tac__graph_pool(to);
    int32_t fault = tac__term_constant(pool, 0);
    for (size_t i = 0; i < g->c->equation_count; i++) {
        if (needed[i])
            fault = tac__term_make(pool, TAC__SYM_logic_or, fault, g->faults[i], -1);
    }
    return tac__graph_add_output(to, "fault", 1, &fault) ? TAC_OK : tac__fail_memory(g->err);
}

static tac_status add_results(const grapher *g, tac_graph *to, tac__eq_role role)
{
    bool done = true;
    if (role == TAC__EQ_RATE)
        done = tac__graph_add_output(to, "dx", g->c->shape.x_count, g->frame) != NULL;
    for (size_t i = 0; i < g->c->port_count && done; i++) {
        const tac__eq_port *p = &g->c->ports[i];
        if (p->role == role)
            done = tac__graph_add_output(to, p->name, p->type.count, g->frame + p->frame) != NULL;
    }
    return done ? TAC_OK : tac__fail_memory(g->err);
}

static tac_status finish(const grapher *g, tac_graph *to, tac__eq_role role, const bool *needed,
                         const tac__tape **tape)
{
    tac__tape *made;
    for (size_t i = 0; i < g->graph->in_count; i++) {
        if (!tac__graph_add_input(to, "", g->graph->in[i].count, g->graph->in[i].terms))
            return tac__fail_memory(g->err);
    }
    TAC_TRY(add_results(g, to, role));
    TAC_TRY(add_fault(g, to, needed));
    TAC_TRY(tac__tape_make(&g->c->arena, to, &made, g->err));
    if (tac__tape_work(made) > TAC__EQ_WORK)
        return tac__fail(g->err, TAC_E_LIMIT, "the equations need too many numbers at once");
    *tape = made;
    return TAC_OK;
}

static tac_status make_tape(const grapher *g, tac__eq_role role, const bool *needed,
                            const tac__tape **tape)
{
    tac_graph *to;
    TAC_TRY(tac__graph_create(g->graph->allocator, "", false, g->graph, &to, g->err));
    const tac_status status = finish(g, to, role, needed, tape);
    tac__graph_destroy(to);
    return status;
}

static tac_status make_tapes(grapher *g, const uint32_t *order, const bool *for_rates,
                             const bool *for_outputs)
{
    equations *c = g->c;
    TAC_TRY(add_inputs(g));
    for (size_t k = 0; k < c->equation_count; k++)
        TAC_TRY(add_equation(g, order[k]));
    TAC_TRY(make_tape(g, TAC__EQ_RATE, for_rates, &c->shape.derive));
    return make_tape(g, TAC__EQ_OUTPUT, for_outputs, &c->shape.output);
}

tac_status tac__equations_tapes(equations *c, const uint32_t *order, const bool *for_rates,
                                const bool *for_outputs, tac_error *err)
{
    grapher g = {.c = c, .err = err};
    g.frame = tac__arena_array(&c->arena, c->frame_count + 1, sizeof *g.frame);
    g.faults = tac__arena_array(&c->arena, c->equation_count, sizeof *g.faults);
    if (!g.frame || !g.faults)
        return tac__fail_memory(err);
    TAC_TRY(tac__graph_create(NULL, "equations", false, NULL, &g.graph, err));
    const tac_status status = make_tapes(&g, order, for_rates, for_outputs);
    tac__graph_destroy(g.graph);
    return status;
}
