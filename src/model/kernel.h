// kernel.h - what kernels of model code see of an evaluation and of a step, as reals of the kind.
//
// tac_eval and tac_step have pointers to doubles; each f64 behind them has the form of the kind.
// The numbers of a component are a struct of params: EVAL_P(e, tac__lag) points to it.
#ifndef TAC_MODEL_KERNEL_H
#define TAC_MODEL_KERNEL_H

#include "math/real.h"
#include <tactus/component.h>

#define EVAL_P(e, type) ((const type *)(const void *)(e)->p)
#define STEP_P(s, type) ((const type *)(const void *)(s)->p)

// The time of the evaluation [s]; lanes may be at different times.
static inline real eval_t(const tac_eval *e)
{
#ifdef TAC_LANES
    return *(const real *)(const void *)e->t_lanes;
#else
    return R(e->t_s);
#endif
}

static inline const real *eval_x(const tac_eval *e)
{
    return (const real *)(const void *)e->x;
}

static inline real *eval_dx(const tac_eval *e)
{
    return (real *)(void *)e->dx;
}

static inline const real *eval_mode(const tac_eval *e)
{
    return (const real *)(const void *)e->mode;
}

static inline const real *eval_in(const tac_eval *e, int i)
{
    return (const real *)e->in[i];
}

static inline real *eval_out(const tac_eval *e, int i)
{
    return (real *)e->out[i];
}

// What `detect` and `project` write.
static inline real *eval_reals(double *x)
{
    return (real *)(void *)x;
}

static inline const real *step_in(const tac_step *s, int i)
{
    return (const real *)s->in[i];
}

static inline real *step_out(const tac_step *s, int i)
{
    return (real *)s->out[i];
}

static inline real *step_state(const tac_step *s, int i)
{
    return (real *)s->state[i];
}

// How many values a bool, an i32 or an enum has in a step: one a lane.
#ifdef TAC_LANES
enum { STEP_LANES = TAC_LANES };
#else
enum { STEP_LANES = 1 };
#endif

// tac_draw_normals in the form of the kind: for derivatives draws are constants.
static inline void step_normals(tac_step *s, int stream, real *numbers, size_t count)
{
#if defined(TAC_KIND_F64) || defined(TAC_LANES)
    tac_draw_normals(s, stream, (double *)(void *)numbers, count);
#else
    for (size_t i = 0; i < count; i += 3) {
        double n[3];
        tac_draw_normals(s, stream, n, count - i < 3 ? count - i : 3);
        for (size_t k = 0; k < 3 && i + k < count; k++)
            numbers[i + k] = R(n[k]);
    }
#endif
}

#endif
