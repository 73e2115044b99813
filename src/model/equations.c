// equations.c - the component type `equations`: a plant written in the configuration, without a
// compiler. docs/equations.md describes it; equations.h tells how it is evaluated.
#include "model/equations.h"
#include "model/builtin.h"
#include <tactus/math.h>

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
        c->projects |= p->type.shape == TAC_QUAT;
    } else if (p->role == TAC__EQ_OUTPUT) {
        p->index = tac_declare_output(d, &def);
    } // parameters were declared as they were read
}

// The table of an evaluation.
enum { SLOTS = 2 * TAC__EQ_PORTS + 2 };

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
    return TAC_OK;
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

// --- running --------------------------------------------------------------------------------

// A NaN in a comparison would decide something without being seen, so it makes the evaluation fail;
// outputs that do not depend on it are valid nevertheless (they may be asked for before all inputs
// are there). A NaN in a result is passed on, and the engine finds it in the state.
static tac_status evaluate(const equations *c, const tac_eval *e, const tac__eq_steps *steps,
                           double *frame)
{
    const void *slots[SLOTS];
    tac_status status = TAC_OK;
    for (size_t i = 0; i < c->input_count; i++)
        slots[i] = e->in[i];
    slots[c->input_count] = e->x;
    slots[c->input_count + 1] = frame;
    for (size_t i = 0; i < c->condition_count; i++)
        frame[c->conditions[i].frame] = *TAC_IN(e, bool, c->conditions[i].input);
    for (size_t i = 0; i < steps->count; i++) {
        const tac__eq_step *step = &steps->items[i];
        const tac__expr_result result = tac__program_run_at(step->program, e->t_s, slots);
        frame[step->frame] = result.value;
        if (result.nan && result.value == result.value)
            status = TAC_E_NUMERIC;
    }
    return status;
}

static tac_status equations_derive(const tac_eval *e, const void *self)
{
    const equations *c = self;
    double frame[TAC__EQ_FRAME];
    TAC_TRY(evaluate(c, e, &c->derive, frame));
    memcpy(e->dx, frame, c->x_count * sizeof *frame);
    return TAC_OK;
}

static tac_status equations_output(const tac_eval *e, const void *self)
{
    const equations *c = self;
    double frame[TAC__EQ_FRAME];
    const tac_status status = evaluate(c, e, &c->output, frame);
    for (size_t i = 0; i < c->port_count; i++) {
        const port *p = &c->ports[i];
        if (p->role != TAC__EQ_OUTPUT)
            continue;
        if (p->type.scalar == TAC_BOOL)
            *TAC_OUT(e, bool, p->index) = frame[p->frame] != 0;
        else
            memcpy(e->out[p->index], frame + p->frame, p->type.count * sizeof *frame);
    }
    return status;
}

static void normalise(double *q)
{
    const double length = tac_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4 && length > 0; i++)
        q[i] /= length;
}

static tac_status equations_project(const tac_eval *e, const void *self, double *x)
{
    (void)e;
    const equations *c = self;
    if (!c->projects)
        return TAC_OK;
    for (size_t i = 0; i < c->x_count; i++) {
        x[i] = x[i] < c->low[i] ? c->low[i] : x[i];
        x[i] = x[i] > c->high[i] ? c->high[i] : x[i];
    }
    for (size_t i = 0; i < c->port_count; i++) {
        const port *p = &c->ports[i];
        if (p->role == TAC__EQ_STATE && p->type.shape == TAC_QUAT)
            normalise(x + p->index);
    }
    return TAC_OK;
}

const tac_component_type tac__equations_type = {
    TAC__TYPE("equations", "1", "a plant of equations that stand in the configuration", 0),
    .self_size = sizeof(equations),
    .declare = equations_declare,
    .init = equations_init,
    .kernels[TAC_NUMBERS].output = equations_output,
    .kernels[TAC_NUMBERS].derive = equations_derive,
    .kernels[TAC_NUMBERS].project = equations_project,
    .close = equations_close,
};
