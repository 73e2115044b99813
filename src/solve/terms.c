// terms.c - see terms.h.
#include "solve/terms.h"
#include "base/node.h"
#include "bus/type.h"
#include "engine/watch.h"
#include "expr/tree.h"

#include <math.h>
#include <string.h>

typedef struct building {
    const tac__plant *plant;
    tac__terms *pool;
    const char *const *names;
    int32_t *leaves; // the term of each name
    tac__arena *arena;
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
    b->leaves[i] = tac__term_constant(b->pool, tac__scalar_f64(info.type.scalar, value, element));
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

// The term of a name, by its index.
static int32_t leaf(const void *context, int index, uint32_t element)
{
    (void)element;
    return ((const building *)context)->leaves[index];
}

// The term of a part of a checked expression.
static tac_status build(const building *b, const tac__expr *expr, tac__expr_node *root,
                        int32_t *term, tac_error *err)
{
    const tac__plant *p = b->plant;
    const tac__expr_leaves leaves = {leaf, b, p->z_terms[p->x_count + p->u_count]};
    tac__expr part = *expr;
    part.root = root;
    int32_t fault; // a comparison with NaN: then the value is of no use anyway
    return tac__expr_terms(&part, b->arena, b->pool, &leaves, term, &fault, err);
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
    if (tac__expr_memory(*expr))
        return tac__fail(err, TAC_E_CONFIG, "operators that remember have no derivatives");
    const tac__expr_scope scope = {find, candidate, b};
    return tac__expr_check(b->arena, *expr, wanted, NULL, &scope, err);
}

static tac_status fail_shape(tac_error *err)
{
    return tac__fail(err, TAC_E_CONFIG,
                     "a condition compares two numbers with ==, <= or >=, as in "
                     "'vehicle.velocity.z == -2 m/s'");
}

static tac_status sides(building *b, const tac__expr *expr, tac__condition_terms *c, tac_error *err)
{
    tac__expr_node *root = expr->root;
    if (!tac__expr_is_comparison(root->kind) || root->kind == TAC__EXPR_NOT_EQUAL ||
        root->a->type != TAC__EXPR_NUMBER || root->a->labels)
        return fail_shape(err);
    const bool most = root->kind == TAC__EXPR_LESS || root->kind == TAC__EXPR_LESS_EQUAL;
    const bool least = root->kind == TAC__EXPR_GREATER || root->kind == TAC__EXPR_GREATER_EQUAL;
    c->lower = most ? -HUGE_VAL : 0;
    c->upper = least ? HUGE_VAL : 0;
    c->unit = root->a->unit_text ? root->a->unit_text : root->b->unit_text;
    c->unit = c->unit ? c->unit : "1";
    int32_t left, right;
    TAC_TRY(build(b, expr, root->a, &left, err));
    TAC_TRY(build(b, expr, root->b, &right, err));
    c->term = tac__term_make(b->pool, TAC__SYM_sub, left, right, right);
    return tac__terms_status(b->pool, err);
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
        *unit = expr->root->unit_text;
        status = build(&b, expr, expr->root, term, err);
    }
    return status == TAC_OK ? status : place_error(written, status, err);
}
