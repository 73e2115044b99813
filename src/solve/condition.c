// condition.c - see condition.h.
#include "solve/condition.h"
#include "base/node.h"
#include "bus/type.h"
#include "engine/watch.h"
#include "expr/program.h"
#include "expr/tree.h"

#include <math.h>
#include <string.h>

typedef struct seen {
    const char *name;
    bool constant;
    tac__quantity_kind kind;
    size_t index; // of the quantity
    double value;
    double scale;
} seen;

struct tac__requirement {
    const tac__plant *plant;
    tac__relation relation;
    const char *text, *unit;
    tac__program *left, *right;
    seen *seen;
    const void **values;
    size_t count;
    tac_time t_us;
};

typedef struct reading {
    tac__requirement *r;
    const tac__expr *expr;
    const char *const *names;
    tac__arena *arena;
} reading;

// --- names --------------------------------------------------------------------------------------

// A signal outside the plant.
static bool find_constant(const tac__plant *p, const char *name, seen *s, tac__expr_signal *signal)
{
    uint32_t element;
    const int found = tac__watch_element_in(p->engine, p->entity, name, &element);
    if (found < 0 || !tac__watch_has_value(p->engine, (size_t)found))
        return false;
    const tac_signal_info info = tac_engine_signal_info(p->engine, found);
    const void *value = tac_engine_read(p->engine, found);
    if (!value)
        return false;
    *s = (seen){.name = name, .constant = true, .scale = 1};
    s->value = tac__scalar_f64(info.type.scalar, value, element);
    signal->type = info.type.scalar == TAC_BOOL ? TAC__EXPR_BOOL : TAC__EXPR_NUMBER;
    signal->unit = info.unit;
    signal->labels = info.type.scalar == TAC_ENUM ? info.type.labels : NULL;
    return true;
}

static bool find(const void *context, const char *name, tac__expr_signal *signal)
{
    const reading *r = context;
    const tac__plant *p = r->r->plant;
    size_t i = 0;
    while (strcmp(r->names[i], name) != 0)
        i++;
    seen *s = &r->r->seen[i];
    *signal = (tac__expr_signal){.index = (int)i, .type = TAC__EXPR_NUMBER};
    tac__range range;
    if (!tac__plant_find(p, name, &range) || range.count != 1)
        return find_constant(p, name, s, signal);
    size_t count;
    const tac__quantity *q = tac__plant_list(p, range.kind, &count) + range.first;
    *s = (seen){.name = name, .kind = range.kind, .index = range.first, .scale = q->scale};
    signal->unit = q->unit;
    return true;
}

static const char *candidate(const void *context, size_t i)
{
    const tac__plant *p = ((const reading *)context)->r->plant;
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

// --- making -------------------------------------------------------------------------------------

static tac_status fail_shape(tac_error *err)
{
    return tac__fail(err, TAC_E_CONFIG,
                     "a condition compares two numbers with ==, <= or >=, as in "
                     "'vehicle.velocity.z == -2 m/s'");
}

// An error in the text becomes one in the file.
static void place_error(const tac_node *written, tac_error *err)
{
    if (!err || err->status == TAC_E_MEMORY)
        return;
    const tac_error own = *err;
    char excerpt[TAC_ERROR_NAME];
    const tac_place inside = tac__node_place_of(written, tac_node_text(written),
                                                own.column ? own.column - 1 : 0, excerpt);
    tac__fail_at(err, own.status, &inside, "%s", own.text);
}

static tac_status compile_sides(reading *c, tac_error *err)
{
    const tac__expr_node *root = c->expr->root;
    tac__requirement *r = c->r;
    switch (root->kind) {
    case TAC__EXPR_EQUAL:
        r->relation = TAC__EQUAL;
        break;
    case TAC__EXPR_LESS:
    case TAC__EXPR_LESS_EQUAL:
        r->relation = TAC__AT_MOST;
        break;
    case TAC__EXPR_GREATER:
    case TAC__EXPR_GREATER_EQUAL:
        r->relation = TAC__AT_LEAST;
        break;
    default:
        return fail_shape(err);
    }
    if (root->a->type != TAC__EXPR_NUMBER || root->a->labels || tac__expr_memory(c->expr))
        return fail_shape(err);
    r->unit = root->a->unit_text ? root->a->unit_text : root->b->unit_text;
    TAC_TRY(tac__expr_compile_part(c->arena, c->expr, root->a, &r->left, err));
    return tac__expr_compile_part(c->arena, c->expr, root->b, &r->right, err);
}

static tac_status read(reading *c, tac__expr *expr, tac_error *err)
{
    c->names = tac__expr_signals(expr, &c->r->count);
    c->r->seen = tac__arena_array(c->arena, c->r->count, sizeof *c->r->seen);
    c->r->values = tac__arena_array(c->arena, c->r->count, sizeof *c->r->values);
    if (!c->r->seen || !c->r->values)
        return tac__fail_memory(err);
    for (size_t i = 0; i < c->r->count; i++)
        c->r->values[i] = &c->r->seen[i].value;
    const tac__expr_scope scope = {find, candidate, c};
    tac__program *whole;
    TAC_TRY(tac__expr_compile(c->arena, expr, TAC__EXPR_BOOL, NULL, &scope, &whole, err));
    return compile_sides(c, err);
}

tac_status tac__requirement_make(const tac__plant *plant, const tac_node *written,
                                 tac__arena *arena, tac__requirement **requirement, tac_error *err)
{
    tac__requirement *r = *requirement = tac__arena_alloc(arena, sizeof *r);
    if (!r)
        return tac__fail_memory(err);
    *r = (tac__requirement){
        .plant = plant, .text = tac_node_text(written), .t_us = tac_engine_time(plant->engine)};
    tac__expr *expr;
    tac_status status = tac__expr_parse(arena, r->text, &expr, err);
    if (status == TAC_OK) {
        reading c = {.r = r, .expr = expr, .arena = arena};
        status = read(&c, expr, err);
    }
    if (status != TAC_OK)
        place_error(written, err);
    return status;
}

tac__relation tac__requirement_relation(const tac__requirement *r)
{
    return r->relation;
}

const char *tac__requirement_text(const tac__requirement *r)
{
    return r->text;
}

const char *tac__requirement_unit(const tac__requirement *r)
{
    return r->unit ? r->unit : "1";
}

// --- values -------------------------------------------------------------------------------------

static double difference(const tac__requirement *r)
{
    return tac__program_run(r->left, r->t_us, r->values, NULL).value -
           tac__program_run(r->right, r->t_us, r->values, NULL).value;
}

double tac__requirement_value(const tac__requirement *r, const double *x, const double *u,
                              const double *y)
{
    for (size_t i = 0; i < r->count; i++) {
        seen *s = &r->seen[i];
        if (!s->constant)
            s->value = (s->kind == TAC__STATE ? x : s->kind == TAC__INPUT ? u : y)[s->index];
    }
    return difference(r);
}

// Differences of fourth order: the program of an expression has no derivatives.
static double slope(const tac__requirement *r, seen *s)
{
    const double at = s->value, h = 1e-3 * fmax(s->scale, fabs(at));
    double f[4];
    static const double steps[] = {-2, -1, 1, 2};
    for (size_t k = 0; k < 4; k++) {
        s->value = at + steps[k] * h;
        f[k] = difference(r);
    }
    s->value = at;
    return (8 * (f[2] - f[1]) - (f[3] - f[0])) / (12 * h);
}

void tac__requirement_slopes(const tac__requirement *r, const double *x, const double *u,
                             const double *y, tac__slope_fn *take, void *context)
{
    (void)tac__requirement_value(r, x, u, y);
    for (size_t i = 0; i < r->count; i++) {
        if (!r->seen[i].constant)
            take(context, r->seen[i].kind, r->seen[i].index, slope(r, &r->seen[i]));
    }
}
