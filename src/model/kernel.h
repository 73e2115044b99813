// kernel.h - what kernels of model code see of an evaluation and of a step, as reals of the kind.
//
// tac_eval and tac_step have pointers to doubles; each f64 behind them has the form of the kind. In
// a graph (symbols) every value has that form, whatever its type.
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
#if defined(TAC_LANES) || defined(TAC_KIND_SYM)
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

// The time of the step [us] as a real: exact below 2^53. In a graph it is an input.
static inline real step_t_us(const tac_step *s)
{
#ifdef TAC_KIND_SYM
    if (s->now)
        return *(const real *)(const void *)s->now;
#endif
    return R((double)s->t_us);
}

// The same in seconds, as tac_time_seconds has it.
static inline real step_t(const tac_step *s)
{
    return step_t_us(s) / 1e6;
}

// How many values a bool, an i32 or an enum has in a step: one a lane.
#ifdef TAC_LANES
enum { STEP_LANES = TAC_LANES };
#else
enum { STEP_LANES = 1 };
#endif

// --- decisions
// ------------------------------------------------------------------------------------

// Element `offset` of what `decide` computed: for derivatives a constant, in a graph an input. In
// steps of numbers and packs there are none.
static inline real step_decided(const tac_step *s, int offset)
{
#ifdef TAC_KIND_SYM
    return ((const real *)(const void *)s->decided)[offset];
#else
    return R(s->decided[offset]);
#endif
}

// The same of a bool.
static inline cond step_decision(const tac_step *s, int offset)
{
    return step_decided(s, offset) > 0.5;
}

// --- values that are not f64
// ----------------------------------------------------------------------
//
// step_flag(s->in[2], 0) is element 0 of an input of bools as a condition; step_i32 and step_i64
// are whole numbers in a real, exact below 2^53. An enum is an i32. step_put_... write such values.
// In a graph each of them is a real, as every other value.

#ifdef TAC_KIND_SYM
static inline real step_i32(const void *values, int i)
{
    return ((const real *)values)[i];
}

static inline void step_put_i32(void *values, int i, real x)
{
    ((real *)values)[i] = x;
}

#define step_i64     step_i32
#define step_put_i64 step_put_i32

static inline cond step_flag(const void *values, int i)
{
    return step_i32(values, i) > 0.5;
}

static inline void step_put_flag(void *values, int i, cond c)
{
    step_put_i32(values, i, r_select(c, R(1.0), R(0.0)));
}
#else
static inline double kernel__lane(const real *x, int lane)
{
#if defined(TAC_LANES)
    return (*x)[lane];
#elif defined(TAC_KIND_F64)
    return x[lane];
#else
    return x[lane].v;
#endif
}

static inline real kernel__of_lanes(const double *lanes)
{
#ifdef TAC_LANES
    return *(const real *)(const void *)lanes;
#else
    return R(*lanes);
#endif
}

#define KERNEL__WORD(type, name)                                                                   \
    static inline real step_##name(const void *values, int i)                                      \
    {                                                                                              \
        const type *words = (const type *)values + i * STEP_LANES;                                 \
        KERNEL__ALIGNED double lanes[STEP_LANES];                                                  \
        for (int lane = 0; lane < STEP_LANES; lane++)                                              \
            lanes[lane] = (double)words[lane];                                                     \
        return kernel__of_lanes(lanes);                                                            \
    }                                                                                              \
    static inline void step_put_##name(void *values, int i, real x)                                \
    {                                                                                              \
        type *words = (type *)values + i * STEP_LANES;                                             \
        for (int lane = 0; lane < STEP_LANES; lane++)                                              \
            words[lane] = (type)kernel__lane(&x, lane);                                            \
    }
#define KERNEL__ALIGNED __attribute__((aligned(64)))
KERNEL__WORD(bool, bool)
KERNEL__WORD(int32_t, i32)
KERNEL__WORD(int64_t, i64)
#undef KERNEL__WORD

static inline cond step_flag(const void *values, int i)
{
    return step_bool(values, i) > 0.5;
}

static inline void step_put_flag(void *values, int i, cond c)
{
    step_put_bool(values, i, r_select(c, R(1.0), R(0.0)));
}
#endif

// --- draws
// ----------------------------------------------------------------------------------------

// tac_draw_normals in the form of the kind: for derivatives draws are constants, in a graph they
// are inputs.
static inline void step_normals(tac_step *s, int stream, real *numbers, size_t count)
{
#if defined(TAC_KIND_F64) || defined(TAC_LANES) || defined(TAC_KIND_SYM)
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
