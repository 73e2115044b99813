// program.c - an expression as a flat list of operations on a stack of doubles, and its evaluation.
//
// A condition is 1 or 0. AND and OR skip what they need not look at. A program is checked when it
// is made: its stack fits, its jumps lead forward, it ends with END.
#include "expr/tree.h"

enum { STACK = 3 * TAC__EXPR_DEPTH + 4 }; // operands that wait: three a level of nesting

typedef enum opcode {
    OP_END,
    OP_NUMBER,
    OP_TIME,
    OP_SIGNAL,
    OP_NEGATE,
    OP_NOT,
    OP_SCALE_UP,   // * value
    OP_SCALE_DOWN, // / value
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_ADD,
    OP_SUBTRACT,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_SIGNAL_LESS, // a signal and a number, as most conditions have it
    OP_SIGNAL_LESS_EQUAL,
    OP_SIGNAL_GREATER,
    OP_SIGNAL_GREATER_EQUAL,
    OP_SIGNAL_EQUAL,
    OP_SIGNAL_NOT_EQUAL,
    OP_SKIP_IF_FALSE, // jump to `at` and keep the value; else drop it
    OP_SKIP_IF_TRUE,
} opcode;

typedef struct operation {
    opcode code;
    int32_t at; // signal: its index; skip: where to; comparison: where its operands begin
    double value;
    const char *name; // of a signal
} operation;

struct tac__program {
    const char *text;
    operation *operations;
    size_t count, capacity;
};

// --- making ---------------------------------------------------------------------------------

typedef struct compiler {
    tac__arena *arena;
    tac__program *program;
    int stack;
    tac_error *err;
} compiler;

static tac_status emit(compiler *c, operation o)
{
    tac__program *p = c->program;
    if (!TAC__ARENA_GROW(c->arena, p->operations, p->count, p->capacity))
        return tac__fail_memory(c->err);
    p->operations[p->count++] = o;
    return TAC_OK;
}

static tac_status push(compiler *c, operation o)
{
    if (++c->stack > STACK)
        return tac__fail(c->err, TAC_E_LIMIT, "the expression is nested too deep");
    return emit(c, o);
}

static opcode code_of(tac__expr_kind kind)
{
    TAC_ASSERT(kind >= TAC__EXPR_MULTIPLY && kind <= TAC__EXPR_NOT_EQUAL);
    return (opcode)(OP_MULTIPLY + (kind - TAC__EXPR_MULTIPLY));
}

static bool is_comparison(tac__expr_kind kind)
{
    return kind >= TAC__EXPR_LESS && kind <= TAC__EXPR_NOT_EQUAL;
}

// The comparison with its sides exchanged.
static tac__expr_kind mirrored(tac__expr_kind kind)
{
    switch (kind) {
    case TAC__EXPR_LESS:
        return TAC__EXPR_GREATER;
    case TAC__EXPR_LESS_EQUAL:
        return TAC__EXPR_GREATER_EQUAL;
    case TAC__EXPR_GREATER:
        return TAC__EXPR_LESS;
    case TAC__EXPR_GREATER_EQUAL:
        return TAC__EXPR_LESS_EQUAL;
    default:
        return kind;
    }
}

// A comparison of a signal with a number, either way round, as one operation.
static bool fuse(const tac__expr_node *node, operation *o)
{
    const tac__expr_node *a = node->a, *b = node->b;
    const bool swap = a->kind == TAC__EXPR_LITERAL;
    const tac__expr_node *signal = swap ? b : a, *number = swap ? a : b;
    if (!is_comparison(node->kind) || signal->kind != TAC__EXPR_NAMED ||
        number->kind != TAC__EXPR_LITERAL)
        return false;
    const tac__expr_kind kind = swap ? mirrored(node->kind) : node->kind;
    *o = (operation){.code = (opcode)(OP_SIGNAL_LESS + (kind - TAC__EXPR_LESS)),
                     .at = signal->index,
                     .value = number->value,
                     .name = signal->name};
    return true;
}

static tac_status compile(compiler *c, const tac__expr_node *node);

static tac_status compile_binary(compiler *c, const tac__expr_node *node)
{
    operation fused;
    if (fuse(node, &fused))
        return push(c, fused);
    const int32_t begin = (int32_t)c->program->count;
    TAC_TRY(compile(c, node->a));
    TAC_TRY(compile(c, node->b));
    c->stack--;
    return emit(c, (operation){.code = code_of(node->kind), .at = begin});
}

static tac_status compile_logic(compiler *c, const tac__expr_node *node)
{
    TAC_TRY(compile(c, node->a));
    const size_t skip = c->program->count;
    const opcode code = node->kind == TAC__EXPR_AND ? OP_SKIP_IF_FALSE : OP_SKIP_IF_TRUE;
    TAC_TRY(emit(c, (operation){.code = code}));
    c->stack--;
    TAC_TRY(compile(c, node->b));
    c->program->operations[skip].at = (int32_t)c->program->count;
    return TAC_OK;
}

// As tac__factor_apply.
static tac_status compile_conversion(compiler *c, tac__factor f)
{
    const operation up = {.code = OP_SCALE_UP, .value = f.num};
    const operation down = {.code = OP_SCALE_DOWN, .value = f.den};
    if (f.den == 1)
        return emit(c, up);
    if (f.num == 1)
        return emit(c, down);
    TAC_TRY(emit(c, f.divide_first ? down : up));
    return emit(c, f.divide_first ? up : down);
}

static tac_status compile(compiler *c, const tac__expr_node *node)
{
    switch (node->kind) {
    case TAC__EXPR_LITERAL:
    case TAC__EXPR_TRUTH:
        return push(c, (operation){.code = OP_NUMBER, .value = node->value});
    case TAC__EXPR_TIME:
        return push(c, (operation){.code = OP_TIME});
    case TAC__EXPR_NAMED:
        return push(c, (operation){.code = OP_SIGNAL, .at = node->index, .name = node->name});
    case TAC__EXPR_NEGATE:
        TAC_TRY(compile(c, node->a));
        return emit(c, (operation){.code = OP_NEGATE});
    case TAC__EXPR_NOT:
        TAC_TRY(compile(c, node->a));
        return emit(c, (operation){.code = OP_NOT});
    case TAC__EXPR_CONVERT:
        TAC_TRY(compile(c, node->a));
        return compile_conversion(c, node->factor);
    case TAC__EXPR_AND:
    case TAC__EXPR_OR:
        return compile_logic(c, node);
    default:
        return compile_binary(c, node);
    }
}

tac_status tac__expr_compile(tac__arena *arena, tac__expr *expr, tac__expr_type wanted,
                             const tac__expr_scope *scope, tac__program **program, tac_error *err)
{
    *program = NULL;
    TAC_TRY(tac__expr_check(arena, expr, expr->root, scope, err));
    if (expr->root->type != wanted)
        return tac__expr_fail(
            err, TAC_E_TYPE, expr->text, 0,
            wanted == TAC__EXPR_BOOL
                ? "expected a condition such as 'vehicle.battery.soc < 0.3', this is a number"
                : "expected a number, this is a condition");
    tac__program *p = tac__arena_alloc(arena, sizeof *p);
    if (!p)
        return tac__fail_memory(err);
    p->text = expr->text;
    compiler c = {.arena = arena, .program = p, .err = err};
    TAC_TRY(compile(&c, expr->root));
    TAC_TRY(emit(&c, (operation){.code = OP_END}));
    *program = p;
    return TAC_OK;
}

// --- evaluating -----------------------------------------------------------------------------

static inline double load(const void *const *signals, int32_t index)
{
    return *(const double *)signals[index];
}

// Who is to blame for a NaN that came out of the operations from `o` to before `end`.
static const char *blame(const tac__program *p, const operation *o, const operation *end,
                         const void *const *signals)
{
    for (; o < end; o++) {
        if (o->code != OP_SIGNAL)
            continue;
        const double value = load(signals, o->at);
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

// False for NaN whatever the comparison; the first is blamed.
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
        const double a = load(signals, o->at), b = o->value;                                       \
        *++top = (expression);                                                                     \
        if (a != a && !result.nan)                                                                 \
            result.nan = o->name;                                                                  \
        break;                                                                                     \
    }

tac__expr_result tac__program_run(const tac__program *p, double t_s, const void *const *signals)
{
    double stack[STACK + 1], *top = stack; // the first is never used
    tac__expr_result result = {0, NULL};
    for (const operation *o = p->operations;; o++) {
        switch (o->code) {
        case OP_END:
            result.value = *top;
            if (*top != *top)
                result.nan = blame(p, p->operations, o, signals);
            return result;
        case OP_NUMBER:
            *++top = o->value;
            break;
        case OP_TIME:
            *++top = t_s;
            break;
        case OP_SIGNAL:
            *++top = load(signals, o->at);
            break;
        case OP_NEGATE:
            *top = -*top;
            break;
        case OP_NOT:
            *top = *top == 0;
            break;
        case OP_SCALE_UP:
            *top *= o->value;
            break;
        case OP_SCALE_DOWN:
            *top /= o->value;
            break;
        case OP_MULTIPLY:
            BINARY(a * b)
        case OP_DIVIDE:
            BINARY(a / b)
        case OP_ADD:
            BINARY(a + b)
        case OP_SUBTRACT:
            BINARY(a - b)
        case OP_LESS:
            COMPARE(a < b)
        case OP_LESS_EQUAL:
            COMPARE(a <= b)
        case OP_GREATER:
            COMPARE(a > b)
        case OP_GREATER_EQUAL:
            COMPARE(a >= b)
        case OP_EQUAL:
            COMPARE(a == b)
        case OP_NOT_EQUAL:
            COMPARE(a < b || a > b)
        case OP_SIGNAL_LESS:
            COMPARE_SIGNAL(a < b)
        case OP_SIGNAL_LESS_EQUAL:
            COMPARE_SIGNAL(a <= b)
        case OP_SIGNAL_GREATER:
            COMPARE_SIGNAL(a > b)
        case OP_SIGNAL_GREATER_EQUAL:
            COMPARE_SIGNAL(a >= b)
        case OP_SIGNAL_EQUAL:
            COMPARE_SIGNAL(a == b)
        case OP_SIGNAL_NOT_EQUAL:
            COMPARE_SIGNAL(a < b || a > b)
        case OP_SKIP_IF_FALSE:
            if (*top == 0)
                o = p->operations + o->at - 1;
            else
                top--;
            break;
        case OP_SKIP_IF_TRUE:
            if (*top != 0)
                o = p->operations + o->at - 1;
            else
                top--;
            break;
        default:
            __builtin_unreachable(); // the compiler of programs makes no other
        }
    }
}
