// equations_order.c - which equation computes what, in which order they are evaluated, and which of
// them derivatives and outputs need.
#include "model/equations.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

typedef tac__equations equations;

// --- mistakes, with their place -------------------------------------------------------------

typedef struct place {
    char param[32];
} place;

static place place_of(size_t equation)
{
    place p;
    snprintf(p.param, sizeof p.param, "equations[%zu]", equation);
    return p;
}

#define FAIL(d, c, i, ...)                                                                         \
    tac_declare_fail_at((d), place_of(i).param, (c)->equations[i].column, __VA_ARGS__)

static tac_status fail_expr(tac_declare *d, size_t i, const tac_error *err)
{
    if (err->status == TAC_E_MEMORY)
        return TAC_E_MEMORY;
    return tac_declare_fail_at(d, place_of(i).param, err->column, "%s", err->text);
}

// About a port, at the place where it is declared.
static tac_status fail_port(tac_declare *d, const tac__eq_port *p, const char *text)
{
    static const char *const sections[] = {[TAC__EQ_INPUT] = "inputs",
                                           [TAC__EQ_PARAMETER] = "parameters",
                                           [TAC__EQ_STATE] = "states",
                                           [TAC__EQ_OUTPUT] = "outputs"};
    char param[TAC_ERROR_NAME];
    snprintf(param, sizeof param, "%s.%s", sections[p->role], p->name);
    return tac_declare_fail(d, param, "%s", text);
}

// --- what each equation computes ------------------------------------------------------------

static tac_status add_local(tac_declare *d, equations *c, size_t i, int *target)
{
    const char *text = c->equations[i].target;
    if (!tac__name_valid(text)) {
        tac_error err;
        tac__fail(&err, TAC_E_NAME, "there is no '%s'", text);
        tac__error_suggest(&err, text, tac__equations_candidate, c);
        return FAIL(d, c, i, "%s", err.text);
    }
    if (!TAC__ARENA_GROW(&c->arena, c->names, c->name_count, c->name_capacity))
        return TAC_E_MEMORY;
    *target = (int)c->name_count;
    c->names[c->name_count++] = (tac__eq_name){.text = text,
                                               .role = TAC__EQ_LOCAL,
                                               .slot = (int)c->shape.input_count + 1,
                                               .element = (uint32_t)c->frame_count++,
                                               .equation = -1};
    return TAC_OK;
}

// The name of a port that has several elements.
static const tac__eq_port *find_vector(const equations *c, const char *name)
{
    for (size_t i = 0; name && i < c->port_count; i++) {
        if (!strcmp(c->ports[i].name, name) && c->ports[i].type.count > 1)
            return &c->ports[i];
    }
    return NULL;
}

static tac_status find_target(tac_declare *d, equations *c, size_t i, int *target)
{
    const tac__equation *e = &c->equations[i];
    const tac__eq_port *vector = find_vector(c, e->name ? e->name : e->target);
    if (vector)
        return FAIL(d, c, i, "'%s' has %u elements, each with an equation of its own, as %s",
                    vector->name, vector->type.count, c->names[vector->first].text);
    const int of = e->name ? tac__equations_find(c, e->name) : -1;
    if (e->name && of < 0) {
        tac_error err;
        tac__fail(&err, TAC_E_NAME, "there is no state '%s'", e->name);
        tac__error_suggest(&err, e->name, tac__equations_candidate, c);
        return FAIL(d, c, i, "%s", err.text);
    }
    if (e->name && c->names[of].role != TAC__EQ_STATE)
        return FAIL(d, c, i, "der() takes a state, but '%s' is %s", e->name,
                    tac__equations_role(c->names[of].role));
    // The derivatives of a state follow its elements.
    *target = e->name ? of + (int)c->ports[c->names[of].port].type.count
                      : tac__equations_find(c, e->target);
    return *target < 0 ? add_local(d, c, i, target) : TAC_OK;
}

static tac_status claim_target(tac_declare *d, equations *c, size_t i)
{
    int target = -1;
    TAC_TRY(find_target(d, c, i, &target));
    tac__eq_name *name = &c->names[target];
    if (name->role == TAC__EQ_STATE)
        return FAIL(d, c, i, "'%s' is a state: write der(%s) = ...", name->text, name->text);
    if (name->role == TAC__EQ_INPUT || name->role == TAC__EQ_PARAMETER)
        return FAIL(d, c, i, "'%s' is %s: it has no equation", name->text,
                    tac__equations_role(name->role));
    if (name->equation >= 0)
        return FAIL(d, c, i, "'%s' has an equation already: %s", name->text,
                    c->texts[name->equation]);
    name->equation = (int)i;
    c->targets[i] = (uint32_t)target;
    return TAC_OK;
}

// A local name that is close to an output's name may be a misspelt output.
static void suggest_local(const equations *c, const char *output, tac_error *err)
{
    tac__nearest nearest = tac__nearest_begin(output);
    for (size_t i = 0; i < c->name_count; i++) {
        if (c->names[i].role == TAC__EQ_LOCAL)
            tac__nearest_offer(&nearest, c->names[i].text);
    }
    if (nearest.best)
        tac__error_append(err, "; did you mean it by '%s'?", nearest.best);
}

static tac_status check_complete(tac_declare *d, const equations *c)
{
    for (size_t i = 0; i < c->name_count; i++) {
        const tac__eq_name *name = &c->names[i];
        const bool needs = name->role == TAC__EQ_RATE || name->role == TAC__EQ_OUTPUT;
        if (!needs || name->equation >= 0)
            continue;
        tac_error err;
        tac__fail(&err, TAC_E_CONFIG, "there is no equation %s = ...", name->text);
        if (name->role == TAC__EQ_OUTPUT)
            suggest_local(c, name->text, &err);
        return fail_port(d, &c->ports[name->port], err.text);
    }
    return TAC_OK;
}

// --- order ----------------------------------------------------------------------------------

enum { NEW, OPEN, DONE };

typedef struct sorter {
    equations *c;
    tac_declare *d;
    char *marks;
    uint32_t *order, *path; // equations; `path` leads to the present one
    size_t count, depth;
} sorter;

// The equation that computes a name; -1 where there is none.
static int giver(const equations *c, const char *text)
{
    const int name = tac__equations_find(c, text);
    return name < 0 ? -1 : c->names[name].equation;
}

static tac_status fail_loop(const sorter *s, uint32_t first)
{
    const equations *c = s->c;
    char text[TAC_ERROR_TEXT];
    tac__out out = tac__out_begin(text, sizeof text);
    size_t i = 0;
    while (s->path[i] != first)
        i++;
    for (; i < s->depth; i++)
        tac__out_add(&out, "%s -> ", c->names[c->targets[s->path[i]]].text);
    return FAIL(s->d, c, first, "equations need each other at the same instant: %s%s", text,
                c->names[c->targets[first]].text);
}

static tac_status visit(sorter *s, uint32_t i)
{
    if (s->marks[i] == DONE)
        return TAC_OK;
    if (s->marks[i] == OPEN)
        return fail_loop(s, i);
    s->marks[i] = OPEN;
    s->path[s->depth++] = i;
    size_t count;
    const char *const *names = tac__expr_signals(s->c->equations[i].expr, &count);
    for (size_t k = 0; k < count; k++) {
        const int needed = giver(s->c, names[k]);
        if (needed >= 0)
            TAC_TRY(visit(s, (uint32_t)needed));
    }
    s->depth--;
    s->marks[i] = DONE;
    s->order[s->count++] = i;
    return TAC_OK;
}

// --- types and units
// ------------------------------------------------------------------------------

static bool find_name(const void *context, const char *text, tac__expr_signal *signal)
{
    const equations *c = context;
    const int i = tac__equations_find(c, text);
    if (i < 0)
        return false;
    const tac__eq_name *name = &c->names[i];
    *signal = (tac__expr_signal){.index = name->slot,
                                 .element = name->element,
                                 .type = name->type,
                                 .unit = name->unit,
                                 .measure = name->unit ? NULL : &name->measure};
    return true;
}

static tac_status check(tac_declare *d, equations *c, size_t i)
{
    tac_error err;
    tac__eq_name *target = &c->names[c->targets[i]];
    tac__expr *expr = c->equations[i].expr;
    const tac__expr_scope scope = {find_name, tac__equations_candidate, c};
    const bool local = target->role == TAC__EQ_LOCAL;
    if (tac__expr_check(&c->arena, expr, local ? TAC__EXPR_ANY : target->type, target->unit, &scope,
                        &err) != TAC_OK)
        return fail_expr(d, i, &err);
    if (local) {
        target->type = tac__expr_type_of(expr);
        target->measure = *tac__expr_unit_of(expr);
    }
    return TAC_OK;
}

// --- what each result needs -----------------------------------------------------------------

// Mark equation `i` and all that it needs. Those come before it in the order.
static void need(const equations *c, uint32_t i, bool *needed)
{
    size_t count;
    const char *const *names = tac__expr_signals(c->equations[i].expr, &count);
    if (needed[i])
        return;
    needed[i] = true;
    for (size_t k = 0; k < count; k++) {
        const int giving = giver(c, names[k]);
        if (giving >= 0)
            need(c, (uint32_t)giving, needed);
    }
}

// Mark the equations that all names of one role need.
static void need_all(const equations *c, tac__eq_role role, bool *needed)
{
    for (uint32_t i = 0; i < c->equation_count; i++) {
        if (c->names[c->targets[i]].role == role)
            need(c, i, needed);
    }
}

static void mark_used(equations *c, const bool *for_outputs)
{
    for (size_t i = 0; i < c->equation_count; i++) {
        size_t count;
        const char *const *names = tac__expr_signals(c->equations[i].expr, &count);
        for (size_t k = 0; k < count; k++) {
            const int name = tac__equations_find(c, names[k]);
            if (name < 0 || c->names[name].role == TAC__EQ_LOCAL)
                continue;
            tac__eq_port *p = &c->ports[c->names[name].port];
            p->used = true;
            p->for_outputs |= for_outputs[i];
        }
    }
}

size_t tac__equations_inputs_of(const equations *c, const tac__eq_port *output, int *inputs)
{
    bool needed[TAC__EQ_EQUATIONS] = {0}, taken[2 * TAC__EQ_PORTS] = {0};
    size_t total = 0;
    for (uint32_t i = 0; i < output->type.count; i++)
        need(c, (uint32_t)c->names[output->first + i].equation, needed);
    for (size_t i = 0; i < c->equation_count; i++) {
        size_t count;
        const char *const *names = tac__expr_signals(c->equations[i].expr, &count);
        for (size_t k = 0; needed[i] && k < count; k++) {
            const int name = tac__equations_find(c, names[k]);
            if (name < 0 ||
                (c->names[name].role != TAC__EQ_INPUT && c->names[name].role != TAC__EQ_PARAMETER))
                continue;
            const int input = c->ports[c->names[name].port].index;
            if (!taken[input])
                inputs[total++] = input;
            taken[input] = true;
        }
    }
    return total;
}

// A parameter that nothing uses has probably a misspelt name, perhaps on the command line.
static tac_status check_used(tac_declare *d, const equations *c)
{
    for (size_t i = 0; i < c->port_count; i++) {
        const tac__eq_port *p = &c->ports[i];
        if (p->role != TAC__EQ_PARAMETER || p->used)
            continue;
        tac_error err;
        tac__nearest nearest = tac__nearest_begin(p->name);
        tac__fail(&err, TAC_E_NAME, "no equation uses the parameter '%s'", p->name);
        for (size_t k = 0; k < c->port_count; k++) {
            if (c->ports[k].role == TAC__EQ_PARAMETER && c->ports[k].used)
                tac__nearest_offer(&nearest, c->ports[k].name);
        }
        if (nearest.best)
            tac__error_append(&err, "; did you mean '%s'?", nearest.best);
        return fail_port(d, p, err.text);
    }
    return TAC_OK;
}

// --- the whole ------------------------------------------------------------------------------

static tac_status parse_all(tac_declare *d, equations *c)
{
    for (size_t i = 0; i < c->equation_count; i++) {
        tac_error err;
        if (tac__equation_parse(&c->arena, c->texts[i], &c->equations[i], &err) != TAC_OK)
            return fail_expr(d, i, &err);
        TAC_TRY(claim_target(d, c, i));
    }
    if (c->frame_count > TAC__EQ_FRAME)
        return tac_declare_fail(d, "equations", "%zu numbers are too many; at most %d are kept",
                                c->frame_count, TAC__EQ_FRAME);
    return check_complete(d, c);
}

tac_status tac__equations_order(tac_declare *d, equations *c)
{
    const size_t n = c->equation_count;
    sorter s = {.c = c, .d = d};
    bool *for_rates = tac__arena_array(&c->arena, n, sizeof *for_rates);
    bool *for_outputs = tac__arena_array(&c->arena, n, sizeof *for_outputs);
    c->equations = tac__arena_array(&c->arena, n, sizeof *c->equations);
    c->targets = tac__arena_array(&c->arena, n, sizeof *c->targets);
    s.marks = tac__arena_array(&c->arena, n, sizeof *s.marks);
    s.order = tac__arena_array(&c->arena, n, sizeof *s.order);
    s.path = tac__arena_array(&c->arena, n, sizeof *s.path);
    if (!for_rates || !for_outputs || !c->equations || !c->targets || !s.marks || !s.order ||
        !s.path)
        return TAC_E_MEMORY;
    TAC_TRY(parse_all(d, c));
    for (uint32_t i = 0; i < n; i++)
        TAC_TRY(visit(&s, i));
    for (size_t k = 0; k < n; k++)
        TAC_TRY(check(d, c, s.order[k]));
    need_all(c, TAC__EQ_RATE, for_rates);
    need_all(c, TAC__EQ_OUTPUT, for_outputs);
    mark_used(c, for_outputs);
    TAC_TRY(check_used(d, c));
    tac_error err;
    const tac_status status = tac__equations_tapes(c, s.order, for_rates, for_outputs, &err);
    return status == TAC_OK || status == TAC_E_MEMORY
               ? status
               : tac_declare_fail(d, "equations", "%s", err.text);
}
