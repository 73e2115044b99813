// equations.model.h - derivatives and outputs of equations, for every scalar kind.
#include "model/equations_shape.h"
#include "model/kernel.h"

// A NaN in a comparison would decide something without being seen, so it makes the evaluation fail;
// outputs that do not depend on it are valid nevertheless (they may be asked for before all inputs
// are there). A NaN in a result is passed on, and the engine finds it in the state.
static tac_status equations__run(const tac__equations_shape *c, const tac_eval *e,
                                 const tac__tape *tape, double *const *out, const real *fault)
{
    const double *in[2 * TAC__EQ_PORTS + 3];
    real conditions[TAC__EQ_PORTS], work[TAC__EQ_WORK];
    const real t = eval_t(e);
    for (size_t i = 0; i < c->input_count; i++)
        in[i] = (const double *)e->in[i];
    for (size_t i = 0; i < c->condition_count; i++)
        conditions[i] = r_select(step_flag(e->in[c->conditions[i]], 0), R(1.0), R(0.0));
    in[c->input_count] = e->x;
    in[c->input_count + 1] = (const double *)(const void *)conditions;
    in[c->input_count + 2] = (const double *)(const void *)&t;
    TAC_KINDED(tac__tape_run)(tape, in, out, (double *)(void *)work);
#ifdef TAC_KIND_SYM
    (void)fault; // a graph has no faults
    return TAC_OK;
#else
    return c_all(*fault < 0.5) ? TAC_OK : TAC_E_NUMERIC;
#endif
}

TAC_ENTRY tac_status TAC_KINDED(tac__equations_derive)(const tac_eval *e, const void *self)
{
    const tac__equations_shape *c = (const tac__equations_shape *)self;
    real fault = R(0.0);
    double *const out[] = {e->dx, (double *)(void *)&fault};
    return equations__run(c, e, c->derive, out, &fault);
}

TAC_ENTRY tac_status TAC_KINDED(tac__equations_output)(const tac_eval *e, const void *self)
{
    const tac__equations_shape *c = (const tac__equations_shape *)self;
    real fault = R(0.0), flags[TAC__EQ_PORTS];
    double *out[TAC__EQ_PORTS + 1];
    for (size_t i = 0; i < c->result_count; i++)
        out[i] = c->results[i].condition ? (double *)(void *)&flags[i]
                                         : (double *)e->out[c->results[i].index];
    out[c->result_count] = (double *)(void *)&fault;
    const tac_status status = equations__run(c, e, c->output, out, &fault);
    for (size_t i = 0; i < c->result_count; i++) {
        if (c->results[i].condition)
            step_put_flag(e->out[c->results[i].index], 0, flags[i] > 0.5);
    }
    return status;
}

static inline void equations__normalise(real *q)
{
    const real length = r_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        q[i] = r_select(length > 0.0, q[i] / length, q[i]);
}

TAC_ENTRY tac_status TAC_KINDED(tac__equations_project)(const tac_eval *e, const void *self,
                                                        double *states)
{
    const tac__equations_shape *c = (const tac__equations_shape *)self;
    real *x = eval_reals(states);
    (void)e;
    for (size_t i = 0; i < c->x_count && c->projects; i++) {
        x[i] = r_select(x[i] < c->low[i], R(c->low[i]), x[i]);
        x[i] = r_select(x[i] > c->high[i], R(c->high[i]), x[i]);
    }
    for (size_t i = 0; i < c->quat_count; i++)
        equations__normalise(x + c->quats[i]);
    return TAC_OK;
}
