// compile.c - from a checked tree to a program.
#include "expr/program.h"

typedef struct compiler {
    tac__arena *arena;
    tac__program *program;
    int stack;
    int timed; // how many operators that remember so far
    tac_error *err;
} compiler;

static tac_status emit(compiler *c, tac__operation o)
{
    tac__program *p = c->program;
    if (!TAC__ARENA_GROW(c->arena, p->operations, p->count, p->capacity))
        return tac__fail_memory(c->err);
    p->operations[p->count++] = o;
    return TAC_OK;
}

static tac_status push(compiler *c, tac__operation o)
{
    if (++c->stack > TAC__STACK)
        return tac__fail(c->err, TAC_E_LIMIT, "the expression is nested too deep");
    return emit(c, o);
}

static tac__opcode code_of(tac__expr_kind kind)
{
    TAC_ASSERT(kind >= TAC__EXPR_POWER && kind <= TAC__EXPR_NOT_EQUAL);
    return (tac__opcode)(tac__expr_is_comparison(kind) ? TAC__OP_LESS + (kind - TAC__EXPR_LESS)
                                                       : TAC__OP_POWER + (kind - TAC__EXPR_POWER));
}

// The comparison that says the same with its sides exchanged.
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

// A comparison of a signal with a number, on either side, as one operation.
static bool fuse(const tac__expr_node *node, tac__operation *o)
{
    const tac__expr_node *a = node->a, *b = node->b;
    const bool swap = a->kind == TAC__EXPR_LITERAL;
    const tac__expr_node *signal = swap ? b : a, *number = swap ? a : b;
    if (!tac__expr_is_comparison(node->kind) || signal->kind != TAC__EXPR_NAMED ||
        number->kind != TAC__EXPR_LITERAL)
        return false;
    const tac__expr_kind kind = swap ? mirrored(node->kind) : node->kind;
    *o = (tac__operation){.code = (tac__opcode)(TAC__OP_SIGNAL_LESS + (kind - TAC__EXPR_LESS)),
                          .at = signal->index,
                          .element = signal->element,
                          .value = number->value,
                          .name = signal->name};
    return true;
}

static tac_status compile(compiler *c, const tac__expr_node *node);

static bool is_sum_or_product(tac__expr_kind kind)
{
    return kind >= TAC__EXPR_MULTIPLY && kind <= TAC__EXPR_SUBTRACT;
}

static tac_status compile_binary(compiler *c, const tac__expr_node *node)
{
    tac__operation fused;
    if (fuse(node, &fused))
        return push(c, fused);
    const int32_t begin = (int32_t)c->program->count;
    const tac__expr_node *b = node->b;
    TAC_TRY(compile(c, node->a));
    if (is_sum_or_product(node->kind) && b->kind == TAC__EXPR_NAMED) {
        return emit(c, (tac__operation){.code = (tac__opcode)(TAC__OP_MULTIPLY_SIGNAL +
                                                              (node->kind - TAC__EXPR_MULTIPLY)),
                                        .at = b->index,
                                        .element = b->element,
                                        .name = b->name});
    }
    TAC_TRY(compile(c, b));
    c->stack--;
    return emit(c, (tac__operation){.code = code_of(node->kind), .at = begin});
}

static tac_status compile_logic(compiler *c, const tac__expr_node *node)
{
    TAC_TRY(compile(c, node->a));
    const size_t skip = c->program->count;
    const tac__opcode code =
        node->kind == TAC__EXPR_AND ? TAC__OP_SKIP_IF_FALSE : TAC__OP_SKIP_IF_TRUE;
    TAC_TRY(emit(c, (tac__operation){.code = code}));
    c->stack--;
    TAC_TRY(compile(c, node->b));
    c->program->operations[skip].at = (int32_t)c->program->count;
    return TAC_OK;
}

// Emit a jump whose target is not known yet; `*from` becomes its position.
static tac_status jump(compiler *c, tac__opcode code, size_t *from)
{
    *from = c->program->count;
    return emit(c, (tac__operation){.code = code});
}

static void land(compiler *c, size_t from)
{
    c->program->operations[from].at = (int32_t)c->program->count;
}

static tac_status compile_if(compiler *c, const tac__expr_node *node)
{
    size_t otherwise, end;
    TAC_TRY(compile(c, node->a));
    TAC_TRY(jump(c, TAC__OP_JUMP_IF_FALSE, &otherwise));
    c->stack--;
    TAC_TRY(compile(c, node->b));
    TAC_TRY(jump(c, TAC__OP_JUMP, &end));
    c->stack--;
    land(c, otherwise);
    TAC_TRY(compile(c, node->c));
    land(c, end);
    return TAC_OK;
}

static tac_status compile_call(compiler *c, const tac__expr_node *node)
{
    tac__operation o = {.code = TAC__OP_CALL_1, .function = node->function};
    TAC_TRY(compile(c, node->a));
    if (node->b) {
        TAC_TRY(compile(c, node->b));
        o.code = TAC__OP_CALL_2;
        c->stack--;
    }
    if (node->c) {
        TAC_TRY(compile(c, node->c));
        o.code = TAC__OP_CALL_3;
        c->stack--;
    }
    return emit(c, o);
}

static tac_status compile_power(compiler *c, const tac__expr_node *node)
{
    if (node->b->kind != TAC__EXPR_LITERAL || node->b->value != 2)
        return compile_binary(c, node);
    TAC_TRY(compile(c, node->a));
    return emit(c, (tac__operation){.code = TAC__OP_SQUARE});
}

// --- operators that remember ----------------------------------------------------------------

// Refers to the result that `hoist` has placed at the bottom of the stack.
static tac_status compile_timed(compiler *c, const tac__expr_node *node)
{
    TAC_TRY(push(c, (tac__operation){.code = TAC__OP_PICK, .at = node->index}));
    if (node->kind != TAC__EXPR_SINCE)
        return TAC_OK;
    size_t known;
    TAC_TRY(jump(c, TAC__OP_SKIP_UNLESS_NAN, &known));
    c->stack--;
    TAC_TRY(compile(c, node->b));
    land(c, known);
    return TAC_OK;
}

static tac_status hoist(compiler *c, tac__expr_node *node)
{
    if (!node)
        return TAC_OK;
    TAC_TRY(hoist(c, node->a));
    TAC_TRY(hoist(c, node->b));
    TAC_TRY(hoist(c, node->c));
    if (!tac__expr_is_timed(node->kind))
        return TAC_OK;
    TAC_TRY(compile(c, node->a));
    node->index = c->timed++;
    tac__operation o = {.at = node->index};
    o.code = (tac__opcode)(TAC__OP_RISING + (node->kind - TAC__EXPR_RISING));
    o.duration_us = node->duration_us;
    return emit(c, o);
}

// --- the whole ------------------------------------------------------------------------------

// As tac__factor_apply.
static tac_status compile_conversion(compiler *c, tac__factor f)
{
    const tac__operation up = {.code = TAC__OP_SCALE_UP, .value = f.num};
    const tac__operation down = {.code = TAC__OP_SCALE_DOWN, .value = f.den};
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
        return push(c, (tac__operation){.code = TAC__OP_NUMBER, .value = node->value});
    case TAC__EXPR_TIME:
        return push(c, (tac__operation){.code = TAC__OP_TIME});
    case TAC__EXPR_NAMED:
        return push(c, (tac__operation){.code = TAC__OP_SIGNAL,
                                        .at = node->index,
                                        .element = node->element,
                                        .name = node->name});
    case TAC__EXPR_NEGATE:
        TAC_TRY(compile(c, node->a));
        return emit(c, (tac__operation){.code = TAC__OP_NEGATE});
    case TAC__EXPR_NOT:
        TAC_TRY(compile(c, node->a));
        return emit(c, (tac__operation){.code = TAC__OP_NOT});
    case TAC__EXPR_CONVERT:
        TAC_TRY(compile(c, node->a));
        return compile_conversion(c, node->factor);
    case TAC__EXPR_AND:
    case TAC__EXPR_OR:
        return compile_logic(c, node);
    case TAC__EXPR_POWER:
        return compile_power(c, node);
    case TAC__EXPR_CALL:
        return compile_call(c, node);
    case TAC__EXPR_IF:
        return compile_if(c, node);
    case TAC__EXPR_RISING:
    case TAC__EXPR_FALLING:
    case TAC__EXPR_HELD:
    case TAC__EXPR_SINCE:
        return compile_timed(c, node);
    default:
        return compile_binary(c, node);
    }
}

tac_status tac__expr_compile_part(tac__arena *arena, const tac__expr *expr,
                                  const tac__expr_node *node, tac__program **program,
                                  tac_error *err)
{
    *program = NULL;
    tac__program *p = tac__arena_alloc(arena, sizeof *p);
    if (!p)
        return tac__fail_memory(err);
    p->text = expr->text;
    compiler c = {.arena = arena, .program = p, .err = err};
    TAC_TRY(hoist(&c, expr->root));
    TAC_TRY(compile(&c, node));
    TAC_TRY(emit(&c, (tac__operation){.code = TAC__OP_END}));
    *program = p;
    return TAC_OK;
}

tac_status tac__expr_compile(tac__arena *arena, tac__expr *expr, tac__expr_type wanted,
                             const char *unit, const tac__expr_scope *scope, tac__program **program,
                             tac_error *err)
{
    *program = NULL;
    TAC_TRY(tac__expr_check(arena, expr, wanted, unit, scope, err));
    return tac__expr_compile_part(arena, expr, expr->root, program, err);
}
