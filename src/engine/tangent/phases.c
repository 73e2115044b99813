// phases.c - what changes of phases write, on duals: values of actions, resets, outputs of
// components that become inactive.
#include "engine/phases/phases.h"
#include "engine/tangent/inside.h"
#include "math/difference.h"

#include <string.h>

// Does the condition see something that depends on a parameter, and of which the values at
// boundaries decide? Where the plant makes a located condition true, that was located; a located
// one that holds at a boundary without that has held since its phase began. What held(...) waits
// for is seen at boundaries only.
static bool is_quantised(const tac_engine *e, const tac__tangent_part *part,
                         const tac__transition *transition)
{
    const tac__component *m = part->run->plan;
    const tac__formula *f = &transition->condition;
    for (size_t k = 0; k < f->input_count; k++) {
        const size_t input = (size_t)f->inputs[k];
        const tac_type *type = &m->inputs.items[input].type;
        if (m->in[input].signal < 0 || type->scalar != TAC_F64)
            continue;
        if (transition->locate && !transition->waits &&
            e->plan->schema.signals[m->in[input].signal].kind->continuous)
            continue;
        if (tac__tangent_any(part->in[input], type->count))
            return true;
    }
    return false;
}

void tac__tangents_decided(tac_engine *e, const tac_instance *m, const tac__transition *transition,
                           tac_time t_us)
{
    tac__tangent_part *part = &e->tangents->parts[m->plan->index];
    tac__moved moved;
    if (part->gap || tac__tangent_moved(e->tangents, t_us, &moved))
        return;
    tac__tangent_see(part, m->plan->views.live, t_us);
    if (is_quantised(e, part, transition))
        tac__tangent_lose(part, "when its phase changed, at a boundary, is taken for fixed");
}

// A formula as a function of one of its inputs.
typedef struct formula_at {
    const tac__formula *formula;
    tac_time t_us;
    const void *const *in;
    const uint64_t *memory;
    double *value;
} formula_at;

static double with_offset(void *context, double offset)
{
    const formula_at *f = context;
    const double kept = *f->value;
    uint64_t memory[TAC__EXPR_TIMED];
    if (f->formula->memory_words)
        memcpy(memory, f->memory, f->formula->memory_words * sizeof *memory);
    *f->value += offset;
    const double value = tac__program_run(f->formula->program, f->t_us, f->in, memory).value;
    *f->value = kept;
    return value;
}

void tac__tangents_found(tac_engine *e, const tac_instance *m, const tac__formula *f, size_t i,
                         const uint64_t *memory, tac_time t_us)
{
    tac__tangents *t = e->tangents;
    tac__tangent_part *part = &t->parts[m->plan->index];
    double *to = part->found + i * TAC__WIDTH;
    formula_at at = {f, t_us, (const void *const *)t->look_in, memory, NULL};
    tac__tangent_see(part, m->plan->views.live, t_us);
    for (size_t k = 0; k < f->input_count; k++)
        *t->look_in[f->inputs[k]] = *(const double *)m->step.in[f->inputs[k]];
    tac__tangent_constants(&m->found[i], 1, to);
    for (size_t k = 0; k < f->input_count; k++) {
        const double *dual = part->in[f->inputs[k]];
        at.value = t->look_in[f->inputs[k]];
        if (!tac__tangent_any(dual, 1))
            continue;
        const double slope = tac__difference(with_offset, &at, tac__difference_step(*at.value));
        for (size_t d = 1; d < TAC__WIDTH; d++)
            to[d] += slope * dual[d];
    }
}

void tac__tangents_put(tac_engine *e, const tac_instance *m, const tac__transition *transition,
                       tac_time t_us)
{
    const tac__tangent_part *part = &e->tangents->parts[m->plan->index];
    const tac__phases *p = tac__phases_of(m->plan);
    const double *value = part->found;
    for (size_t i = 0; i < transition->action_count; i++) {
        const tac__phase_action *a = &transition->actions[i];
        const size_t bytes = a->count * TAC__WIDTH * sizeof *value;
        if (a->kind == TAC__SET)
            memcpy(part->out[a->output], value, bytes);
        if (a->kind == TAC__RESET)
            memcpy((double *)part->out[p->resets] + a->first * TAC__WIDTH, value, bytes);
        value += a->count * TAC__WIDTH;
    }
    for (size_t k = 0; k < m->plan->outputs.count; k++)
        tac__tangent_keep(e->tangents, tac__signal_at(m->plan, k), t_us);
}

// The states were set, and those of the plant projected onto their bounds.
void tac__tangents_reset(tac_engine *e, const tac_instance *m, const tac__transition *transition)
{
    tac__tangents *t = e->tangents;
    const tac__phases *p = tac__phases_of(m->plan);
    for (size_t i = 0; i < transition->action_count; i++) {
        const tac__phase_action *a = &transition->actions[i];
        if (a->kind != TAC__RESET)
            continue;
        tac__tangent_part *part = &t->parts[a->component];
        const tac__component *c = part->run->plan;
        double *x = a->state >= 0 ? part->state[a->state]
                                  : t->flows[c->island].x + c->x_offset * TAC__WIDTH;
        memcpy(x + a->offset * TAC__WIDTH,
               (const double *)t->parts[m->plan->index].out[p->resets] + a->first * TAC__WIDTH,
               a->count * TAC__WIDTH * sizeof *x);
    }
    for (size_t i = 0; i < transition->action_count; i++) {
        const tac__phase_action *a = &transition->actions[i];
        tac__tangent_part *part = &t->parts[a->component];
        if (a->kind != TAC__RESET || a->state >= 0 || !part->kernels->project)
            continue;
        const tac__component *c = part->run->plan;
        (void)part->kernels->project(&part->eval, c->self,
                                     t->flows[c->island].x + c->x_offset * TAC__WIDTH);
    }
}

void tac__tangents_rest(tac_engine *e, const tac_instance *c, tac_time t_us)
{
    const tac__tangent_part *part = &e->tangents->parts[c->plan->index];
    for (size_t k = 0; k < c->plan->outputs.count; k++) {
        const tac_type *type = &c->plan->outputs.items[k].type;
        if (type->scalar == TAC_F64 && !c->plan->hold)
            tac__tangent_constants(c->step.out[k], type->count, part->out[k]);
        tac__tangent_keep(e->tangents, tac__signal_at(c->plan, k), t_us);
    }
}

// Outputs of the plant that the component is to keep.
void tac__tangents_hold(tac_engine *e, const tac_instance *c, tac_time t_us)
{
    tac__tangents *t = e->tangents;
    tac__tangent_part *part = &t->parts[c->plan->index];
    tac__tangent_flow *flow = c->plan->island >= 0 ? &t->flows[c->plan->island] : NULL;
    const double t_s = tac_time_seconds(t_us);
    if (!flow || flow->island->state->outputs_us == t_us)
        return;
    bool computed = flow->duals;
    if (computed) {
        tac__tangent_aim(flow);
        computed = tac__evaluator_outputs(flow->duals, &t_s, true) == TAC_OK;
    }
    for (size_t k = 0; k < c->plan->outputs.count; k++) {
        const tac_type *type = &c->plan->outputs.items[k].type;
        if (!c->plan->kinds[k].continuous || type->scalar != TAC_F64)
            continue;
        if (computed)
            memcpy(part->out[k], tac__evaluator_signal(e, flow->duals, tac__signal_at(c->plan, k)),
                   type->count * TAC__WIDTH * sizeof(double));
        tac__tangent_settle(part, part->out[k], c->step.out[k], type->count, computed,
                            c->plan->outputs.items[k].name);
    }
}
