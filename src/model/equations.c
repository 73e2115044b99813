// equations.c - the component type `equations`: a plant written in the configuration, without a
// compiler. docs/equations.md describes it; equations.h tells how it is evaluated.
#include "model/equations.h"
#include "model/builtin.h"

#include <string.h>

typedef tac__equations equations;
typedef tac__eq_port port;

// --- declaring ------------------------------------------------------------------------------

static void declare_port(tac_declare *d, equations *c, port *p)
{
    tac_port_def def = TAC_DEF(tac_port_def, .name = p->name, .type = p->type, .unit = p->unit,
                               .doc = p->doc, .scale = p->scale, .role = p->meaning);
    if (p->role == TAC__EQ_INPUT) {
        def.flags = p->optional ? TAC_PORT_OPTIONAL : 0;
        def.flags |= p->for_outputs ? 0 : TAC_PORT_DERIVE_ONLY;
        p->index = tac_declare_input(d, &def);
    } else if (p->role == TAC__EQ_STATE) {
        p->index = tac_declare_continuous(d, &def);
        c->shape.projects |= p->type.shape == TAC_QUAT;
    } else if (p->role == TAC__EQ_OUTPUT) {
        p->index = tac_declare_output(d, &def);
    } // parameters were declared as they were read
}

// What kernels need to know of ports.
static tac_status shape(equations *c)
{
    tac__equations_shape *s = &c->shape;
    tac__eq_result *results = tac__arena_array(&c->arena, c->port_count + 1, sizeof *results);
    int *quats = tac__arena_array(&c->arena, c->port_count + 1, sizeof *quats);
    int *conditions = tac__arena_array(&c->arena, s->condition_count + 1, sizeof *conditions);
    if (!results || !quats || !conditions)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < c->port_count; i++) {
        const port *p = &c->ports[i];
        if (p->role == TAC__EQ_OUTPUT)
            results[s->result_count++] = (tac__eq_result){p->index, p->type.scalar == TAC_BOOL};
        if (p->role == TAC__EQ_STATE && p->type.shape == TAC_QUAT)
            quats[s->quat_count++] = p->index;
    }
    for (size_t i = 0; i < s->condition_count; i++)
        conditions[i] = c->conditions[i].input;
    s->results = results;
    s->quats = quats;
    s->conditions = conditions;
    s->low = c->low;
    s->high = c->high;
    return TAC_OK;
}

static tac_status equations_declare(tac_declare *d, void *self)
{
    equations *c = self;
    tac__arena_init(&c->arena, NULL);
    c->begun = true;
    TAC_TRY(tac__equations_read(d, c));
    if (c->equation_count == 0)
        return tac_declare_fail(d, "equations", "there are no equations");
    TAC_TRY(tac__equations_order(d, c));
    for (size_t i = 0; i < c->port_count; i++)
        declare_port(d, c, &c->ports[i]);
    for (size_t i = 0; i < c->port_count; i++) {
        int inputs[2 * TAC__EQ_PORTS];
        const port *p = &c->ports[i];
        if (p->role == TAC__EQ_OUTPUT)
            tac_declare_feedthrough(d, p->index, inputs, tac__equations_inputs_of(c, p, inputs));
    }
    return shape(c);
}

static void equations_close(void *self)
{
    equations *c = self;
    if (c->begun)
        tac__arena_fini(&c->arena);
    c->begun = false;
}

static tac_status equations_init(tac_step *s, const void *self)
{
    const equations *c = self;
    double *x = tac_jump(s);
    for (size_t i = 0; i < c->port_count; i++) {
        const port *p = &c->ports[i];
        if (p->role == TAC__EQ_STATE)
            memcpy(x + p->index, p->initial, p->type.count * sizeof *x);
    }
    return TAC_OK;
}

// --- lanes ----------------------------------------------------------------------------------

static bool same_ints(const int *a, const int *b, size_t count)
{
    return !memcmp(a, b, count * sizeof *a);
}

static bool same_results(const tac__equations_shape *a, const tac__equations_shape *b)
{
    for (size_t i = 0; i < a->result_count; i++) {
        if (a->results[i].index != b->results[i].index ||
            a->results[i].condition != b->results[i].condition)
            return false;
    }
    return true;
}

// The same equations, also where they were written twice.
static bool equations_alike(const void *self, const void *other)
{
    const tac__equations_shape *a = self, *b = other;
    const size_t bytes = a->x_count * sizeof *a->low;
    return a->input_count == b->input_count && a->condition_count == b->condition_count &&
           a->x_count == b->x_count && a->result_count == b->result_count &&
           a->quat_count == b->quat_count && a->projects == b->projects &&
           same_ints(a->conditions, b->conditions, a->condition_count) &&
           same_ints(a->quats, b->quats, a->quat_count) && same_results(a, b) &&
           !memcmp(a->low, b->low, bytes) && !memcmp(a->high, b->high, bytes) &&
           tac__tape_same(a->derive, b->derive) && tac__tape_same(a->output, b->output);
}

#define KERNELS(kind)                                                                              \
    {                                                                                              \
        .output = tac__equations_output_##kind, .derive = tac__equations_derive_##kind,            \
        .project = tac__equations_project_##kind                                                   \
    }
const tac_component_type tac__equations_type = {
    TAC__TYPE("equations", "2", "a plant of equations that stand in the configuration", 0),
    .self_size = sizeof(equations),
    .declare = equations_declare,
    .init = equations_init,
    .kernels = TAC__KERNELS(KERNELS),
    .alike = equations_alike,
    .close = equations_close,
};
#undef KERNELS
