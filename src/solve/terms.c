// terms.c - see terms.h.
#include "solve/terms.h"
#include "base/node.h"
#include "bus/type.h"
#include "engine/watch.h"
#include "expr/function.h"
#include "expr/tree.h"

#include <math.h>
#include <string.h>

typedef struct building {
    const tac__plant *plant;
    tac__terms *pool;
    const char *const *names;
    int32_t *leaves; // the term of each name
    tac__arena *arena;
    const char *unknown; // a function that has no term
} building;

// --- names --------------------------------------------------------------------------------------

// A signal outside the plant is a constant.
static bool find_constant(const building *b, const char *name, size_t i, tac__expr_signal *signal)
{
    const tac__plant *p = b->plant;
    uint32_t element;
    const int found = tac__watch_element_in(p->engine, p->entity, name, &element);
    if (found < 0 || !tac__watch_has_value(p->engine, (size_t)found))
        return false;
    const tac_signal_info info = tac_engine_signal_info(p->engine, found);
    const void *value = tac_engine_read(p->engine, found);
    if (!value)
        return false;
    b->leaves[i] =
        tac__term_constant(b->pool, tac__scalar_f64(info.type.scalar, value, element));
    signal->type = info.type.scalar == TAC_BOOL ? TAC__EXPR_BOOL : TAC__EXPR_NUMBER;
    signal->unit = info.unit;
    signal->labels = info.type.scalar == TAC_ENUM ? info.type.labels : NULL;
    return true;
}

static bool find(const void *context, const char *name, tac__expr_signal *signal)
{
    const building *b = context;
    const tac__plant *p = b->plant;
    size_t i = 0, count;
    while (strcmp(b->names[i], name) != 0)
        i++;
    *signal = (tac__expr_signal){.index = (int)i, .type = TAC__EXPR_NUMBER};
    tac__range r;
    if (!tac__plant_find(p, name, &r) || r.count != 1)
        return find_constant(b, name, i, signal);
    signal->unit = tac__plant_list(p, r.kind, &count)[r.first].unit;
    b->leaves[i] = r.kind == TAC__STATE   ? p->z_terms[r.first]
                   : r.kind == TAC__INPUT ? p->z_terms[p->x_count + r.first]
                                          : p->w_terms[p->x_count + r.first];
    return true;
}

static const char *candidate(const void *context, size_t i)
{
    const tac__plant *p = ((const building *)context)->plant;
    size_t count, length = strlen(p->entity);
    for (int kind = TAC__STATE; kind <= TAC__OUTPUT; kind++) {
        const tac__quantity *list = tac__plant_list(p, (tac__quantity_kind)kind, &count);
        if (i < count) {
            const char *name = list[i].name;
            const bool own = length && !strncmp(name, p->entity, length) && name[length] == '.';
            return own ? name + length + 1 : name;
        }
        i -= count;
    }
    return NULL;
}

// --- terms --------------------------------------------------------------------------------------

static int32_t build(building *b, const tac__expr_node *n);

static int32_t make(building *b, tac__sym_op op, int32_t x, int32_t y, int32_t z)
{
    return tac__term_make(b->pool, op, x, y, z);
}

static int32_t constant(building *b, double value)
{
    return tac__term_constant(b->pool, value);
}

// A small whole power is a product, whose derivatives exist everywhere.
static int32_t power(building *b, const tac__expr_node *n)
{
    const int32_t x = build(b, n->a);
    if (n->b->kind == TAC__EXPR_LITERAL && n->b->value >= 1 && n->b->value <= 8 &&
        n->b->value == floor(n->b->value)) {
        int32_t product = x;
        for (int i = 1; i < (int)n->b->value; i++)
            product = make(b, TAC__SYM_mul, product, x, x);
        return product;
    }
    const int32_t y = build(b, n->b);
    return make(b, TAC__SYM_pow, x, y, y);
}

static int32_t convert(building *b, const tac__expr_node *n)
{
    const int32_t x = build(b, n->a), num = constant(b, n->factor.num),
                  den = constant(b, n->factor.den);
    if (n->factor.divide_first) {
        const int32_t part = make(b, TAC__SYM_div, x, den, den);
        return make(b, TAC__SYM_mul, part, num, num);
    }
    const int32_t whole = make(b, TAC__SYM_mul, x, num, num);
    return make(b, TAC__SYM_div, whole, den, den);
}

static const struct {
    const char *name;
    tac__sym_op op;
} calls[] = {
#define CALL(name, ignored) {#name, TAC__SYM_##name},
    // clang-format off
    TAC__ELEMENTARY_1(CALL)
    TAC__ELEMENTARY_2(CALL)
// clang-format on
#undef CALL
    {"sqrt", TAC__SYM_sqrt}, {"abs", TAC__SYM_abs}, {"floor", TAC__SYM_floor},
    {"min", TAC__SYM_min},   {"max", TAC__SYM_max},
};

static int32_t call(building *b, const tac__expr_node *n)
{
    const char *name = n->function->name;
    const int32_t x = build(b, n->a), y = n->b ? build(b, n->b) : x, z = n->c ? build(b, n->c) : y;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (!strcmp(name, calls[i].name))
            return make(b, calls[i].op, x, y, y);
    }
    if (!strcmp(name, "clamp"))
        return make(b, TAC__SYM_min, z, make(b, TAC__SYM_max, y, x, x), z);
    if (!strcmp(name, "ceil"))
        return make(b, TAC__SYM_neg,
                    make(b, TAC__SYM_floor, make(b, TAC__SYM_neg, x, x, x), x, x), x, x);
    b->unknown = name;
    return constant(b, 0);
}

static int32_t compare(building *b, const tac__expr_node *n)
{
    const int32_t x = build(b, n->a), y = build(b, n->b);
    switch (n->kind) {
    case TAC__EXPR_LESS:
        return make(b, TAC__SYM_lt, x, y, y);
    case TAC__EXPR_LESS_EQUAL:
        return make(b, TAC__SYM_le, x, y, y);
    case TAC__EXPR_GREATER:
        return make(b, TAC__SYM_lt, y, x, x);
    case TAC__EXPR_GREATER_EQUAL:
        return make(b, TAC__SYM_le, y, x, x);
    default:
        break;
    }
    const int32_t same = make(b, TAC__SYM_eq, x, y, y);
    return n->kind == TAC__EXPR_EQUAL ? same : make(b, TAC__SYM_logic_not, same, same, same);
}

static int32_t two(building *b, tac__sym_op op, const tac__expr_node *n)
{
    const int32_t x = build(b, n->a), y = build(b, n->b);
    return make(b, op, x, y, y);
}

static int32_t one(building *b, tac__sym_op op, const tac__expr_node *n)
{
    const int32_t x = build(b, n->a);
    return make(b, op, x, x, x);
}

static int32_t build(building *b, const tac__expr_node *n)
{
    switch (n->kind) {
    case TAC__EXPR_LITERAL:
    case TAC__EXPR_TRUTH:
        return constant(b, n->value);
    case TAC__EXPR_TIME:
        return b->plant->z_terms[b->plant->x_count + b->plant->u_count];
    case TAC__EXPR_NAMED:
        return b->leaves[n->index];
    case TAC__EXPR_NEGATE:
        return one(b, TAC__SYM_neg, n);
    case TAC__EXPR_NOT:
        return one(b, TAC__SYM_logic_not, n);
    case TAC__EXPR_CONVERT:
        return convert(b, n);
    case TAC__EXPR_POWER:
        return power(b, n);
    case TAC__EXPR_MULTIPLY:
        return two(b, TAC__SYM_mul, n);
    case TAC__EXPR_DIVIDE:
        return two(b, TAC__SYM_div, n);
    case TAC__EXPR_ADD:
        return two(b, TAC__SYM_add, n);
    case TAC__EXPR_SUBTRACT:
        return two(b, TAC__SYM_sub, n);
    case TAC__EXPR_AND:
        return two(b, TAC__SYM_logic_and, n);
    case TAC__EXPR_OR:
        return two(b, TAC__SYM_logic_or, n);
    case TAC__EXPR_CALL:
        return call(b, n);
    case TAC__EXPR_IF: {
        const int32_t c = build(b, n->a), x = build(b, n->b), y = build(b, n->c);
        return make(b, TAC__SYM_select, c, x, y);
    }
    default:
        break;
    }
    if (tac__expr_is_comparison(n->kind))
        return compare(b, n);
    b->unknown = "an operator that remembers";
    return constant(b, 0);
}

// --- whole expressions --------------------------------------------------------------------------

// An error in the text becomes one in the file.
static tac_status place_error(const tac_node *written, tac_status status, tac_error *err)
{
    if (!err || status == TAC_E_MEMORY)
        return status;
    const tac_error own = *err;
    char excerpt[TAC_ERROR_NAME];
    const tac_place inside = tac__node_place_of(written, tac_node_text(written),
                                                own.column ? own.column - 1 : 0, excerpt);
    return tac__fail_at(err, own.status, &inside, "%s", own.text);
}

static tac_status read(building *b, const tac_node *written, tac__expr_type wanted,
                       tac__expr **expr, tac_error *err)
{
    TAC_TRY(tac__expr_parse(b->arena, tac_node_text(written), expr, err));
    size_t count;
    b->names = tac__expr_signals(*expr, &count);
    b->leaves = tac__arena_array(b->arena, count, sizeof *b->leaves);
    if (!b->leaves)
        return tac__fail_memory(err);
    const tac__expr_scope scope = {find, candidate, b};
    return tac__expr_check(b->arena, *expr, wanted, NULL, &scope, err);
}

static tac_status finish(const building *b, tac_error *err)
{
    if (b->unknown)
        return tac__fail(err, TAC_E_CONFIG, "'%s' cannot be differentiated here", b->unknown);
    return tac__terms_status(b->pool, err);
}

static tac_status fail_shape(tac_error *err)
{
    return tac__fail(err, TAC_E_CONFIG,
                     "a condition compares two numbers with ==, <= or >=, as in "
                     "'vehicle.velocity.z == -2 m/s'");
}

static tac_status sides(building *b, const tac__expr *expr, tac__condition_terms *c, tac_error *err)
{
    const tac__expr_node *root = expr->root;
    if (!tac__expr_is_comparison(root->kind) || root->kind == TAC__EXPR_NOT_EQUAL ||
        root->a->type != TAC__EXPR_NUMBER || root->a->labels)
        return fail_shape(err);
    const bool most = root->kind == TAC__EXPR_LESS || root->kind == TAC__EXPR_LESS_EQUAL;
    const bool least = root->kind == TAC__EXPR_GREATER || root->kind == TAC__EXPR_GREATER_EQUAL;
    c->lower = most ? -HUGE_VAL : 0;
    c->upper = least ? HUGE_VAL : 0;
    c->unit = root->a->unit_text ? root->a->unit_text : root->b->unit_text;
    c->unit = c->unit ? c->unit : "1";
    c->term = two(b, TAC__SYM_sub, root);
    return finish(b, err);
}

tac_status tac__condition_term(const tac__plant *plant, const tac_node *written, tac__arena *arena,
                               tac__condition_terms *condition, tac_error *err)
{
    condition->text = tac_node_text(written);
    building b = {.plant = plant, .pool = tac__graph_pool(plant->graph), .arena = arena};
    tac__expr *expr;
    tac_status status = read(&b, written, TAC__EXPR_BOOL, &expr, err);
    if (status == TAC_OK)
        status = sides(&b, expr, condition, err);
    return status == TAC_OK ? status : place_error(written, status, err);
}

tac_status tac__number_term(const tac__plant *plant, const tac_node *written, tac__arena *arena,
                            int32_t *term, const char **unit, tac_error *err)
{
    building b = {.plant = plant, .pool = tac__graph_pool(plant->graph), .arena = arena};
    tac__expr *expr;
    tac_status status = read(&b, written, TAC__EXPR_NUMBER, &expr, err);
    if (status == TAC_OK) {
        *term = build(&b, expr->root);
        *unit = expr->root->unit_text;
        status = finish(&b, err);
    }
    return status == TAC_OK ? status : place_error(written, status, err);
}
