// run.c - evaluates programs.
#include "expr/program.h"

// --- memory ---------------------------------------------------------------------------------
// One word an operator; 0 before the first evaluation.

// The word is 1 if the condition was false, 2 if it was true. Falling is rising of the opposite.
static double rising(uint64_t *word, bool now)
{
    const bool rises = now && *word == 1;
    *word = now ? 2 : 1;
    return rises;
}

// The word is 1 plus the time at which the condition was first seen true; 0: it is false.
static double held(uint64_t *word, bool now, tac_time t_us, tac_time duration_us)
{
    *word = !now ? 0 : *word ? *word : t_us + 1;
    return now && t_us - (*word - 1) >= duration_us;
}

// The word is the same for the last time at which the condition became true (0: never), shifted by
// one bit; the lowest bit says whether it is true now.
static double since(uint64_t *word, bool now, tac_time t_us)
{
    const tac_time became = now && !(*word & 1) ? t_us + 1 : *word >> 1;
    *word = became << 1 | now;
    return became ? tac_time_seconds(t_us - (became - 1)) : (double)__builtin_nanf("");
}

tac_time tac__program_next(const tac__program *p, const uint64_t *memory, tac_time from_us)
{
    tac_time next_us = TAC_TIME_NEVER;
    for (const tac__operation *o = p->operations; o->code != TAC__OP_END; o++) {
        if (o->code != TAC__OP_HELD || memory[o->at] == 0)
            continue;
        const tac_time end_us = memory[o->at] - 1 + o->duration_us;
        if (end_us >= from_us && end_us < next_us)
            next_us = end_us;
    }
    return next_us;
}

// --- operations -----------------------------------------------------------------------------

static inline double load(const void *const *signals, const tac__operation *o)
{
    return ((const double *)signals[o->at])[o->element];
}

// The name for an error about a NaN that came out of the operations from `o` to before `end`.
static const char *blame(const tac__program *p, const tac__operation *o, const tac__operation *end,
                         const void *const *signals)
{
    for (; o < end; o++) {
        const bool loads = o->code == TAC__OP_SIGNAL || (o->code >= TAC__OP_MULTIPLY_SIGNAL &&
                                                         o->code <= TAC__OP_SUBTRACT_SIGNAL);
        if (!loads)
            continue;
        const double value = load(signals, o);
        if (value != value)
            return o->name;
    }
    return p->text;
}

#define BINARY(expression)                                                                         \
    {                                                                                              \
        const double b = *top--, a = *top;                                                         \
        *top = (expression);                                                                       \
        break;                                                                                     \
    }

// False for NaN, whatever the comparison; the first NaN is reported.
#define COMPARE(expression)                                                                        \
    {                                                                                              \
        const double b = *top--, a = *top;                                                         \
        *top = (expression);                                                                       \
        if (__builtin_isunordered(a, b) && !result.nan)                                            \
            result.nan = blame(p, p->operations + o->at, o, signals);                              \
        break;                                                                                     \
    }

#define COMPARE_SIGNAL(expression)                                                                 \
    {                                                                                              \
        const double a = load(signals, o), b = o->value;                                           \
        *++top = (expression);                                                                     \
        if (a != a && !result.nan)                                                                 \
            result.nan = o->name;                                                                  \
        break;                                                                                     \
    }

#define SKIP_IF(condition)                                                                         \
    {                                                                                              \
        if (condition)                                                                             \
            o = p->operations + o->at - 1;                                                         \
        else                                                                                       \
            top--;                                                                                 \
        break;                                                                                     \
    }

// Evaluates at `t_s` seconds; operators that remember count in microseconds.
__attribute__((noinline)) static tac__expr_result evaluate(const tac__program *p, double t_s,
                                                           tac_time t_us,
                                                           const void *const *signals,
                                                           uint64_t *memory)
{
    double stack[TAC__STACK + 1], *top = stack; // the first element is never used
    tac__expr_result result = {0, NULL};
    for (const tac__operation *o = p->operations;; o++) {
        switch (o->code) {
        case TAC__OP_END:
            result.value = *top;
            if (*top != *top)
                result.nan = blame(p, p->operations, o, signals);
            return result;
        case TAC__OP_NUMBER:
            *++top = o->value;
            break;
        case TAC__OP_TIME:
            *++top = t_s;
            break;
        case TAC__OP_SIGNAL:
            *++top = load(signals, o);
            break;
        case TAC__OP_PICK: {
            const double value = stack[1 + o->at];
            *++top = value;
            break;
        }
        case TAC__OP_NEGATE:
            *top = -*top;
            break;
        case TAC__OP_NOT:
            *top = *top == 0;
            break;
        case TAC__OP_SCALE_UP:
            *top *= o->value;
            break;
        case TAC__OP_SCALE_DOWN:
            *top /= o->value;
            break;
        case TAC__OP_SQUARE:
            *top *= *top;
            break;
        case TAC__OP_POWER:
            BINARY(tac__expr_power(a, b))
        case TAC__OP_MULTIPLY:
            BINARY(a * b)
        case TAC__OP_DIVIDE:
            BINARY(a / b)
        case TAC__OP_ADD:
            BINARY(a + b)
        case TAC__OP_SUBTRACT:
            BINARY(a - b)
        case TAC__OP_MULTIPLY_SIGNAL:
            *top *= load(signals, o);
            break;
        case TAC__OP_DIVIDE_SIGNAL:
            *top /= load(signals, o);
            break;
        case TAC__OP_ADD_SIGNAL:
            *top += load(signals, o);
            break;
        case TAC__OP_SUBTRACT_SIGNAL:
            *top -= load(signals, o);
            break;
        case TAC__OP_LESS:
            COMPARE(a < b)
        case TAC__OP_LESS_EQUAL:
            COMPARE(a <= b)
        case TAC__OP_GREATER:
            COMPARE(a > b)
        case TAC__OP_GREATER_EQUAL:
            COMPARE(a >= b)
        case TAC__OP_EQUAL:
            COMPARE(a == b)
        case TAC__OP_NOT_EQUAL:
            COMPARE(a < b || a > b)
        case TAC__OP_SIGNAL_LESS:
            COMPARE_SIGNAL(a < b)
        case TAC__OP_SIGNAL_LESS_EQUAL:
            COMPARE_SIGNAL(a <= b)
        case TAC__OP_SIGNAL_GREATER:
            COMPARE_SIGNAL(a > b)
        case TAC__OP_SIGNAL_GREATER_EQUAL:
            COMPARE_SIGNAL(a >= b)
        case TAC__OP_SIGNAL_EQUAL:
            COMPARE_SIGNAL(a == b)
        case TAC__OP_SIGNAL_NOT_EQUAL:
            COMPARE_SIGNAL(a < b || a > b)
        case TAC__OP_CALL_1:
            *top = o->function->one(*top);
            break;
        case TAC__OP_CALL_2:
            BINARY(o->function->two(a, b))
        case TAC__OP_CALL_3:
            top -= 2;
            *top = o->function->three(top[0], top[1], top[2]);
            break;
        case TAC__OP_SKIP_IF_FALSE:
            SKIP_IF(*top == 0)
        case TAC__OP_SKIP_IF_TRUE:
            SKIP_IF(*top != 0)
        case TAC__OP_SKIP_UNLESS_NAN:
            SKIP_IF(*top == *top)
        case TAC__OP_JUMP_IF_FALSE:
            if (*top-- == 0)
                o = p->operations + o->at - 1;
            break;
        case TAC__OP_JUMP:
            o = p->operations + o->at - 1;
            break;
        case TAC__OP_RISING:
            *top = rising(&memory[o->at], *top != 0);
            break;
        case TAC__OP_FALLING:
            *top = rising(&memory[o->at], *top == 0);
            break;
        case TAC__OP_HELD:
            *top = held(&memory[o->at], *top != 0, t_us, o->duration_us);
            break;
        case TAC__OP_SINCE:
            *top = since(&memory[o->at], *top != 0, t_us);
            break;
        default:
            __builtin_unreachable(); // compile.c emits no other code
        }
    }
}

tac__expr_result tac__program_run(const tac__program *p, tac_time t_us, const void *const *signals,
                                  uint64_t *memory)
{
    return evaluate(p, tac_time_seconds(t_us), t_us, signals, memory);
}

tac__expr_result tac__program_run_at(const tac__program *p, double t_s, const void *const *signals)
{
    return evaluate(p, t_s, 0, signals, NULL);
}
