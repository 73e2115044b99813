// tape.model.h - the interpreter of tapes, for every scalar kind.
//
// One function with one label for each operation; from the end of each operation it jumps to the
// next one, so that the processor predicts each such jump by itself.
#include "graph/tape.h"
#include "graph/tape_ops.h"
#include "math/real.h"
#include "math/table.h"

#include <string.h>

// --- conditions as numbers, and what kinds have no operators for --------------------------------

#if defined(TAC_KIND_F64)
// clang-format off
static inline cond tape__cond(real a)
{
    uint64_t bits; // as a != 0, in 3 instructions instead of 5
    memcpy(&bits, &a, sizeof bits);
    return bits << 1 != 0;
}
static inline real tape__real(cond c) { return c ? 1.0 : 0.0; }
static inline cond tape__equal(real a, real b) { return a == b; }
#elif defined(TAC_LANES)
static inline cond tape__cond(real a) { return a != R(0.0); }
static inline real tape__real(cond c) { return r_select(c, R(1.0), R(0.0)); }
static inline cond tape__equal(real a, real b) { return a == b; }
#elif defined(TAC_KIND_SYM)
static inline cond tape__cond(real a) { return cond{a.v}; }
static inline real tape__real(cond c) { return real(c.v); }
static inline cond tape__equal(real a, real b) { return TAC__SYM_COND(eq, a, b); }
#else
static inline cond tape__cond(real a) { return cond{a.v != 0.0}; }
static inline real tape__real(cond c) { return real(c.holds ? 1.0 : 0.0); }
static inline cond tape__equal(real a, real b) { return cond{a.v == b.v}; }
#endif
// clang-format on

#if defined(TAC_KIND_SYM)
static inline real tape__along(real a, real b)
{
    return TAC__SYM_REAL(along, a, b, b);
}
#else
static inline real tape__along(real a, real b)
{
    return r_select(tape__equal(b, R(0.0)), R(0.0), a * b);
}
#endif

static inline const real *tape__reals(const double *x)
{
    return (const real *)(const void *)x;
}

#ifdef TAC_KIND_F64
#define TAPE__APART static __attribute__((noinline)) // leaves the interpreter a small frame
#else
#define TAPE__APART static
#endif

static inline void tape__load(const double *const *in, const uint32_t *at, real *v)
{
    const real *x = tape__reals(in[at[2]]);
    for (uint32_t i = 0; i < at[4]; i++)
        v[at[1] + i] = x ? x[at[3] + i] : R(0.0);
}

static inline void tape__load_param(const double *const *in, const uint32_t *at, real *v)
{
    const param *x = (const param *)(const void *)in[at[2]];
    for (uint32_t i = 0; i < at[4]; i++)
        v[at[1] + i] = x ? P(x[at[3] + i]) : R(0.0);
}

static inline double tape__constant(const uint32_t *words)
{
    double value;
    memcpy(&value, words, sizeof value);
    return value;
}

// --- loops --------------------------------------------------------------------------------------

// The round that a loop is in stands in a register that no operation uses.
static inline uint32_t tape__round(const real *v, uint32_t reg)
{
    uint32_t round;
    memcpy(&round, (const void *)&v[reg], sizeof round);
    return round;
}

static inline void tape__set_round(real *v, uint32_t reg, uint32_t round)
{
    memcpy((void *)&v[reg], &round, sizeof round);
}

#ifdef TAC_KIND_SYM
// What a run keeps of the loops that it is in.
typedef struct tape__loops {
    struct tac__terms *pool; // of some register; NULL: all are constants
    tac__sym_loop loop[TAC__TAPE_DEPTH];
} tape__loops;
#endif

// `at` is the operation; see tape_ops.h.
TAPE__APART void tape__begin_loop(const uint32_t *at, real *v)
{
    real initial[TAC__LOOP_VARIABLES];
    const uint32_t count = at[4], *pairs = at + 5;
    tape__set_round(v, at[2], 0);
    for (uint32_t k = 0; k < count; k++)
        initial[k] = v[pairs[2 * k + 1]];
    for (uint32_t k = 0; k < count; k++)
        v[pairs[2 * k]] = initial[k];
}

// Whether there is another round. Lanes that have settled keep their variables, so that a further
// round computes the same for them.
TAPE__APART bool tape__end_round(const uint32_t *at, real *v)
{
    real next[TAC__LOOP_VARIABLES];
    const uint32_t count = at[7], *pairs = at + 9, round = tape__round(v, at[2]);
    const cond settled = tape__cond(v[at[5]]);
    if (c_all(settled) || round == at[3])
        return false;
    tape__set_round(v, at[2], round + 1);
    for (uint32_t k = 0; k < count; k++)
        next[k] = r_select(settled, v[pairs[2 * k]], v[pairs[2 * k + 1]]);
    for (uint32_t k = 0; k < count; k++)
        v[pairs[2 * k]] = next[k];
    return true;
}

#ifdef TAC_KIND_SYM
// Where inputs are terms the loop becomes a loop of their graph.
static void tape__begin_terms(tape__loops *loops, const uint32_t *at, real *v)
{
    tac__sym_value initial[TAC__LOOP_VARIABLES], variables[TAC__LOOP_VARIABLES];
    const uint32_t count = at[4], *pairs = at + 5;
    for (uint32_t k = 0; k < count; k++)
        initial[k] = v[pairs[2 * k + 1]].v;
    loops->loop[at[1]] =
        tac__sym_loop_begin(loops->pool, (int)at[3], (int)count, initial, variables);
    for (uint32_t k = 0; k < count; k++)
        v[pairs[2 * k]] = real(variables[k]);
}

static void tape__end_terms(tape__loops *loops, const uint32_t *at, real *v)
{
    tac__sym_value next[TAC__LOOP_VARIABLES], exported[TAC__LOOP_EXPORTS];
    const uint32_t count = at[7], exports = at[8], *pairs = at + 9, *out = pairs + 2 * count;
    for (uint32_t k = 0; k < count; k++)
        next[k] = v[pairs[2 * k + 1]].v;
    for (uint32_t k = 0; k < exports; k++)
        exported[k] = v[out[k]].v;
    tac__sym_loop_end(loops->loop[at[1]], next, v[at[5]].v, v[at[6]].v, (int)exports, exported);
    for (uint32_t k = 0; k < count; k++)
        v[pairs[2 * k]] = real(next[k]);
    for (uint32_t k = 0; k < exports; k++)
        v[out[k]] = real(exported[k]);
}

static void tape__find_pool(tape__loops *loops, const uint32_t *at, const real *v)
{
    for (uint32_t i = 0; i < at[4] && !loops->pool; i++)
        loops->pool = v[at[1] + i].v.pool;
}
#endif

// --- the interpreter ----------------------------------------------------------------------------

// clang-format off
#define TAPE__NEXT(words) { at += (words); goto *labels[*at]; }
// Operation number k of a group.
#define TAPE__DO_1(k, value) \
    { const real a = v[at[2 * k + 2]]; v[at[2 * k + 1]] = (value); }
#define TAPE__DO_2(k, value) \
    { const real a = v[at[3 * k + 2]], b = v[at[3 * k + 3]]; v[at[3 * k + 1]] = (value); }
#define TAPE__DO_3(k, value) \
    { \
        const real a = v[at[4 * k + 2]], b = v[at[4 * k + 3]], c = v[at[4 * k + 4]]; \
        v[at[4 * k + 1]] = (value); \
    }
#define TAPE__1(name, value) op_##name: TAPE__DO_1(0, value) TAPE__NEXT(3)
#define TAPE__2(name, value) op_##name: TAPE__DO_2(0, value) TAPE__NEXT(4)
#define TAPE__3(name, value) op_##name: TAPE__DO_3(0, value) TAPE__NEXT(5)
#define TAPE__GROUP(n, name, value) \
    op_##name: TAPE__DO_##n(0, value) TAPE__NEXT(n + 2) \
    op_##name##_2: TAPE__DO_##n(0, value) TAPE__DO_##n(1, value) TAPE__NEXT(2 * n + 3) \
    op_##name##_3: \
    TAPE__DO_##n(0, value) TAPE__DO_##n(1, value) TAPE__DO_##n(2, value) TAPE__NEXT(3 * n + 4) \
    op_##name##_4: \
    TAPE__DO_##n(0, value) TAPE__DO_##n(1, value) TAPE__DO_##n(2, value) TAPE__DO_##n(3, value) \
    TAPE__NEXT(4 * n + 5)
#define TAPE__4(name, value) \
    op_##name: \
    { \
        const real a = v[at[2]], b = v[at[3]], c = v[at[4]], d = v[at[5]]; \
        v[at[1]] = (value); \
    } \
    TAPE__NEXT(6)
#define TAPE__FUNCTION_1(name, accuracy) TAPE__1(name, r_##name(a))
#define TAPE__FUNCTION_2(name, accuracy) TAPE__2(name, r_##name(a, b))
#ifdef TAC_KIND_F64
#define TAPE__WATCH(name, value) \
    op_##name: \
    { \
        const real a = v[at[2]], b = v[at[3]]; \
        v[at[1]] = tape__real(value); \
        if (__builtin_expect(__builtin_isunordered(a, b), 0)) \
            return true; \
    } \
    TAPE__NEXT(4)
#define TAPE__INPUT(name, value) \
    op_##name: \
    { \
        const real a = in[at[2]][at[3]], b = tape__constant(at + 4); \
        v[at[1]] = tape__real(value); \
        if (__builtin_expect(__builtin_isunordered(a, a), 0)) \
            return true; \
    } \
    TAPE__NEXT(6)
#else
#define TAPE__WATCH(name, value) TAPE__2(name, tape__real(value))
#define TAPE__INPUT(name, value) \
    op_##name: \
    { \
        const real a = tape__reals(in[at[2]])[at[3]], b = R(tape__constant(at + 4)); \
        v[at[1]] = tape__real(value); \
    } \
    TAPE__NEXT(6)
#endif

// Nothing is skipped in a graph: a register that was not written has no term, and a select takes
// both of its sides.
#ifdef TAC_KIND_SYM
#define TAPE__ALL(c) 0
#else
#define TAPE__ALL(c) c_all(c)
#endif

// Returns true as soon as a watched comparison meets a NaN. Labels whose address is taken keep the function
// from being inlined: of numbers it is the entry itself.
#ifdef TAC_KIND_F64
#define tape__interpret tac__tape_watch
bool tac__tape_watch(const tac__tape *tape, const double *const *in, double *v)
#else
static bool tape__interpret(const tac__tape *tape, const double *const *in, real *v)
#endif
{
#define TAPE__LABEL_1(name) &&op_##name,
#define TAPE__LABEL_2(name, ignored) &&op_##name,
#define TAPE__LABEL_3(name) &&op_##name##_2, &&op_##name##_3, &&op_##name##_4,
    static const void *const labels[] = {
        TAC__TAPE_OWN_OPS(TAPE__LABEL_1)
        &&op_pick, &&op_segment,
        TAC__SYM_BASIC_OPS(TAPE__LABEL_2)
        TAC__ELEMENTARY_1(TAPE__LABEL_2)
        TAC__ELEMENTARY_2(TAPE__LABEL_2)
        TAC__TAPE_GROUPED(TAPE__LABEL_3)
    };
    const uint32_t *at = tape->code;
#ifdef TAC_KIND_SYM
    tape__loops loops;
    loops.pool = nullptr;
#endif
    for (uint32_t i = 0; i < tape->constant_count; i++)
        v[i] = R(tape->constants[i]);
    goto *labels[*at];

    op_load:
        tape__load(in, at, v);
#ifdef TAC_KIND_SYM
        tape__find_pool(&loops, at, v);
#endif
        TAPE__NEXT(5)
    op_load_param:
        tape__load_param(in, at, v);
#ifdef TAC_KIND_SYM
        tape__find_pool(&loops, at, v);
#endif
        TAPE__NEXT(5)

    op_skip_if:
        TAPE__NEXT(TAPE__ALL(tape__cond(v[at[1]])) ? at[2] : 3)
    op_skip_unless:
        TAPE__NEXT(TAPE__ALL(c_not(tape__cond(v[at[1]]))) ? at[2] : 3)
    op_loop:
#ifdef TAC_KIND_SYM
        if (loops.pool)
            tape__begin_terms(&loops, at, v);
        else
#endif
            tape__begin_loop(at, v);
        TAPE__NEXT(5 + 2 * at[4])
    op_round:
#ifdef TAC_KIND_SYM
        if (loops.pool)
            tape__end_terms(&loops, at, v);
        else
#endif
        if (tape__end_round(at, v)) {
            at -= at[4];
            goto *labels[*at];
        }
        TAPE__NEXT(9 + 2 * at[7] + at[8])

    op_pick: {
        const tac__sym_table *table = &tape->tables[at[3]];
        v[at[1]] = r_pick(table->data, table->count, v[at[2]]);
    }
    TAPE__NEXT(4)
    op_segment: {
        const tac__sym_table *table = &tape->tables[at[3]];
        v[at[1]] = r_segment(table->data, table->count, v[at[2]]);
    }
    TAPE__NEXT(4)

    TAPE__GROUP(1, neg, -a)
    TAPE__GROUP(2, add, a + b)
    TAPE__GROUP(2, sub, a - b)
    TAPE__GROUP(2, mul, a * b)
    TAPE__GROUP(2, div, a / b)
    TAPE__GROUP(2, lt, tape__real(a < b))
    TAPE__2(le, tape__real(a <= b))
    TAPE__2(eq, tape__real(tape__equal(a, b)))
    TAPE__GROUP(2, logic_and, tape__real(c_and(tape__cond(a), tape__cond(b))))
    TAPE__2(logic_or, tape__real(c_or(tape__cond(a), tape__cond(b))))
    TAPE__1(logic_not, tape__real(c_not(tape__cond(a))))
    TAPE__GROUP(3, select, r_select(tape__cond(a), b, c))
    TAPE__GROUP(2, min, r_min(a, b))
    TAPE__GROUP(2, max, r_max(a, b))
    TAPE__2(along, tape__along(a, b))
    TAPE__1(abs, r_abs(a))
    TAPE__1(sqrt, r_sqrt(a))
    TAPE__1(floor, r_floor(a))
    TAPE__2(fmod, r_fmod(a, b))
    TAC__ELEMENTARY_1(TAPE__FUNCTION_1)
    TAC__ELEMENTARY_2(TAPE__FUNCTION_2)

    TAPE__GROUP(3, mul_add, a * b + c)
    TAPE__GROUP(3, mul_sub, a * b - c)
    TAPE__GROUP(3, sub_mul, c - a * b)
    TAPE__4(select_lt, r_select(a < b, c, d))
    TAPE__4(select_le, r_select(a <= b, c, d))
    TAPE__WATCH(watch_lt, a < b)
    TAPE__WATCH(watch_le, a <= b)
    TAPE__WATCH(watch_eq, tape__equal(a, b))
    TAPE__INPUT(input_lt, a < b)
    TAPE__INPUT(input_le, a <= b)
    TAPE__INPUT(input_eq, tape__equal(a, b))
    TAPE__INPUT(input_gt, a > b)
    TAPE__INPUT(input_ge, a >= b)

    op_end:
    return false;
}
// clang-format on

TAC_ENTRY void TAC_KINDED(tac__tape_run)(const tac__tape *tape, const double *const *in,
                                         double *const *out, double *work)
{
    real *v = (real *)(void *)work;
    (void)tape__interpret(tape, in, v);
    for (size_t i = 0; i < tape->out_count; i++) {
        const tac__tape_out *o = &tape->outs[i];
        real *y = (real *)(void *)out[o->group];
        if (y)
            y[o->element] = v[o->reg];
    }
}
