// params.c - parameters as inputs of a graph.
//
// Kernels read numbers that `declare` computes from parameters, as plain doubles. How a number
// follows from a parameter is found by building the engine with two other values of it, and written
// down as one of a few forms that fit both to rounding: the number is the parameter; it goes with a
// power of it; it is a straight line in p, 1/p or p^2; its inverse is a straight line. A number
// that follows in another way, as where `declare` solves an equation, becomes a polynomial of
// degree 8 through values of engines with the parameter up to a quarter off; two more engines tell
// whether the polynomial is good to 1e-9, else the parameter is refused. Every form gives the bits
// of the number where the parameter has its own value.
#include "engine/plan/named_param.h"
#include "engine/trace/trace.h"

#include <math.h>
#include <string.h>

enum { PROBES = 2, NODES = 9, TESTS = 2 };
#define FITS 1e-13 // relative: rounding of what `declare` computes, over the change of a probe

struct tac__trace_params {
    bool *used; // of each: some number follows from it
    tac_sensitivity_param *params;
    size_t count;
    double (*at)[1 + PROBES];       // values of each: its own, and those of its probes
    tac_engine *(*engines)[PROBES]; // of each
    // Engines for polynomials: their values are own * (1 + d), nodes first. NULL: not needed yet
    tac_engine *(*nodes)[NODES + TESTS];
    tac_engine *joint; // all have the value of their first probe
    const tac__sym_value *symbols;
};

// --- values -------------------------------------------------------------------------------------

static tac_status build_with(tac__trace *tr, const tac_param_value *values, size_t count,
                             tac_engine **engine)
{
    return tr->def->build(tr->def->context, values, count, 1, engine, tr->err);
}

// The first values next to the parameter's own that are allowed.
static tac_status probe(tac__trace *tr, tac__trace_params *p, size_t k)
{
    static const double steps[] = {0x1p-6, -0x1p-7, 0x1p-8, -0x1p-9};
    const double own = p->at[k][0] = p->params[k].at.value;
    size_t found = 0;
    tac_status status = TAC_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && found < PROBES; i++) {
        tac_param_value value = p->params[k].at;
        value.value = p->at[k][1 + found] = own == 0 ? steps[i] : own * (1 + steps[i]);
        status = build_with(tr, &value, 1, &p->engines[k][found]);
        found += status == TAC_OK;
        if (status != TAC_OK && status != TAC_E_RANGE && status != TAC_E_CONFIG)
            return status;
    }
    if (found == PROBES)
        return TAC_OK;
    tac__error_context(tr->err, "changing '%s' a little", p->params[k].name);
    return status;
}

static tac_status probe_all(tac__trace *tr, tac__trace_params *p)
{
    tac_param_value *values = tac__arena_array(&tr->arena, p->count, sizeof *values);
    if (!values)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < p->count; k++) {
        TAC_TRY(probe(tr, p, k));
        values[k] = p->params[k].at;
        values[k].value = p->at[k][1];
    }
    return p->count > 1 ? build_with(tr, values, p->count, &p->joint) : TAC_OK;
}

tac_status tac__trace_params_begin(tac__trace *tr)
{
    const tac_graph_def *def = tr->def;
    if (!def->parameter_count)
        return TAC_OK;
    if (!def->build)
        return tac__fail(tr->err, TAC_E_CALLER, "parameters need tac_graph_def.build");
    tac__trace_params *p = tr->params = tac__arena_alloc(&tr->arena, sizeof *p);
    if (!p)
        return TAC_E_MEMORY;
    p->params = tac__arena_array(&tr->arena, def->parameter_count, sizeof *p->params);
    p->at = tac__arena_array(&tr->arena, def->parameter_count, sizeof *p->at);
    p->engines = tac__arena_array(&tr->arena, def->parameter_count, sizeof *p->engines);
    p->used = tac__arena_array(&tr->arena, def->parameter_count, sizeof *p->used);
    p->nodes = tac__arena_array(&tr->arena, def->parameter_count, sizeof *p->nodes);
    tac__sym_value *symbols =
        tac__arena_array(&tr->arena, def->parameter_count, sizeof *p->symbols);
    tac__arena *keep = tr->sources ? tr->sources->arena : &tr->arena;
    double *own = tac__arena_array(keep, def->parameter_count, sizeof *own);
    if (!p->params || !p->at || !p->engines || !p->used || !p->nodes || !symbols || !own)
        return TAC_E_MEMORY;
    p->symbols = symbols;
    static const tac_type single = TAC_TYPE_F64;
    for (size_t k = 0; k < def->parameter_count; k++) {
        tac_sensitivity_param *param = &p->params[k];
        TAC_TRY(tac__param_by_name(&tr->arena, tr->engine, def->parameters[k], param, tr->err));
        p->count++;
        own[k] = param->at.value;
        const tac__sym_value *made = tac__trace_inputs(
            tr, &tr->p,
            (tac__trace_value){
                .name = param->name, .unit = param->unit, .type = &single, .from = &own[k]});
        if (!made)
            return TAC_E_MEMORY;
        symbols[k] = *made;
    }
    return probe_all(tr, p);
}

void tac__trace_params_end(tac__trace *tr)
{
    for (size_t k = 0; tr->params && k < tr->params->count; k++) {
        for (size_t i = 0; i < PROBES; i++)
            tac_engine_destroy(tr->params->engines[k][i]);
        for (size_t i = 0; i < NODES + TESTS; i++)
            tac_engine_destroy(tr->params->nodes[k][i]);
    }
    if (tr->params)
        tac_engine_destroy(tr->params->joint);
}

// --- forms --------------------------------------------------------------------------------------

static bool fits(double got, double meant, double scale)
{
    return fabs(got - meant) <= FITS * (fabs(meant) + scale);
}

static tac__sym_value constant(double value)
{
    return (tac__sym_value){.value = value};
}

static tac__sym_value make(tac__sym_op op, tac__sym_value a, tac__sym_value b)
{
    return tac__sym_make(op, a, b, b);
}

// Functions of a parameter in which a number may be a straight line.
static double shaped(int shape, double p)
{
    return shape == 0 ? p : shape == 1 ? 1 / p : p * p;
}

static tac__sym_value shaped_symbol(int shape, tac__sym_value p)
{
    return shape == 0   ? p
           : shape == 1 ? make(TAC__SYM_div, constant(1), p)
                        : make(TAC__SYM_mul, p, p);
}

// n0 (p / p0)^k: exact where p is p0.
static bool power(const double *n, const double *p, tac__sym_value symbol, tac__sym_value *form)
{
    for (int k = 1; k <= 4 && n[0] != 0 && p[0] != 0; k++) {
        for (int inverse = 0; inverse < 2; inverse++) {
            bool good = true;
            for (int i = 1; i <= PROBES; i++) {
                const double ratio = inverse ? p[0] / p[i] : p[i] / p[0];
                double value = n[0];
                for (int m = 0; m < k; m++)
                    value *= ratio;
                good &= fits(value, n[i], 0);
            }
            if (!good)
                continue;
            const tac__sym_value own = constant(p[0]);
            const tac__sym_value ratio =
                inverse ? make(TAC__SYM_div, own, symbol) : make(TAC__SYM_div, symbol, own);
            *form = constant(n[0]);
            for (int m = 0; m < k; m++)
                *form = make(TAC__SYM_mul, *form, ratio);
            return true;
        }
    }
    return false;
}

// n0 + s (g(p) - g(p0)).
static bool line(const double *n, const double *p, tac__sym_value symbol, tac__sym_value *form)
{
    for (int shape = 0; shape < 3; shape++) {
        if (shape == 1 && p[0] == 0)
            continue;
        const double own = shaped(shape, p[0]);
        const double slope = (n[1] - n[0]) / (shaped(shape, p[1]) - own);
        const double value = n[0] + slope * (shaped(shape, p[2]) - own);
        if (!(fabs(slope) < (double)INFINITY) || !fits(value, n[2], fabs(n[0])))
            continue;
        const tac__sym_value change =
            make(TAC__SYM_sub, shaped_symbol(shape, symbol), constant(own));
        *form = make(TAC__SYM_add, constant(n[0]), make(TAC__SYM_mul, constant(slope), change));
        return true;
    }
    return false;
}

// n0 / (1 + c (p - p0)).
static bool inverse_line(const double *n, const double *p, tac__sym_value symbol,
                         tac__sym_value *form)
{
    const double c = (n[0] / n[1] - 1) / (p[1] - p[0]);
    if (!(fabs(c) < (double)INFINITY) || !fits(n[0] / (1 + c * (p[2] - p[0])), n[2], 0))
        return false;
    const tac__sym_value change = make(TAC__SYM_sub, symbol, constant(p[0]));
    const tac__sym_value below =
        make(TAC__SYM_add, constant(1), make(TAC__SYM_mul, constant(c), change));
    *form = make(TAC__SYM_div, constant(n[0]), below);
    return true;
}

static bool find_form(const double *n, const double *p, tac__sym_value symbol, tac__sym_value *form)
{
    bool same = true;
    for (int i = 0; i <= PROBES; i++)
        same &= n[i] == p[i];
    if (same)
        *form = symbol;
    return same || power(n, p, symbol, form) || line(n, p, symbol, form) ||
           inverse_line(n, p, symbol, form);
}

// --- numbers ------------------------------------------------------------------------------------

static tac_status refuse(tac__trace *tr, const tac__component *c, size_t k)
{
    return tac__fail(tr->err, TAC_E_GRAPH,
                     "'%s' cannot be an input of the graph: numbers that '%s' computes from it are "
                     "no smooth function of it",
                     tr->params->params[k].name, c->name);
}

// A number of a component (input < 0), or element i of what an open input reads. False: the engine
// has no such number, so that the parameter changes more than numbers.
static bool read_number(const tac_engine *e, size_t component, int input, size_t i, double *value)
{
    const tac__component *c = e->plan->components[component];
    if (input < 0) {
        if (i < c->number_count)
            *value = c->numbers[i];
        return i < c->number_count;
    }
    const tac_type *type = &c->inputs.items[input].type;
    *value = tac__scalar_f64(type->scalar, e->instances[component]->bus.in[input], i);
    return true;
}

// Where the polynomial is taken from: the own value, then cosines from the ends inwards; and where
// it is tested.
static const double places[NODES + TESTS] = {0,
                                             1,
                                             -1,
                                             0.70710678118654752,
                                             -0.70710678118654752,
                                             0.92387953251128674,
                                             -0.92387953251128674,
                                             0.38268343236508977,
                                             -0.38268343236508977,
                                             0.82,
                                             -0.55};
#define REACH      0.25 // of the parameter's value
#define POLYNOMIAL 1e-9

static tac_status build_nodes(tac__trace *tr, size_t k)
{
    tac__trace_params *p = tr->params;
    for (size_t m = 0; m < NODES + TESTS && !p->nodes[k][NODES + TESTS - 1]; m++) {
        tac_param_value value = p->params[k].at;
        value.value = p->at[k][0] * (1 + REACH * places[m]);
        TAC_TRY(build_with(tr, &value, 1, &p->nodes[k][m]));
    }
    return TAC_OK;
}

// Newton's form: n0 + (d - d0) (a1 + (d - d1) (a2 + ...)), with d0 = 0.
static double newton(const double *a, double d)
{
    double value = a[NODES - 1];
    for (int m = NODES - 2; m >= 0; m--)
        value = a[m] + (d - REACH * places[m]) * value;
    return value;
}

static tac__sym_value newton_symbol(const double *a, tac__sym_value d)
{
    tac__sym_value value = constant(a[NODES - 1]);
    for (int m = NODES - 2; m >= 0; m--) {
        const tac__sym_value from = make(TAC__SYM_sub, d, constant(REACH * places[m]));
        value = make(TAC__SYM_add, constant(a[m]), make(TAC__SYM_mul, from, value));
    }
    return value;
}

static tac_status polynomial(tac__trace *tr, const tac__component *c, int input, size_t i, size_t k,
                             tac__sym_value *form)
{
    const tac__trace_params *p = tr->params;
    double a[NODES + TESTS];
    if (p->at[k][0] == 0 || build_nodes(tr, k) != TAC_OK)
        return refuse(tr, c, k);
    for (size_t m = 0; m < NODES + TESTS; m++) {
        if (!read_number(p->nodes[k][m], c->index, input, i, &a[m]))
            return refuse(tr, c, k);
    }
    for (int order = 1; order < NODES; order++) {
        for (int m = NODES - 1; m >= order; m--)
            a[m] = (a[m] - a[m - 1]) / (REACH * (places[m] - places[m - order]));
    }
    for (int m = NODES; m < NODES + TESTS; m++) {
        if (!(fabs(newton(a, REACH * places[m]) - a[m]) <= POLYNOMIAL * fabs(a[m])))
            return refuse(tr, c, k);
    }
    const tac__sym_value ratio = make(TAC__SYM_div, p->symbols[k], constant(p->at[k][0]));
    *form = newton_symbol(a, make(TAC__SYM_sub, ratio, constant(1)));
    return TAC_OK;
}

// What a parameter makes of a number whose own value is n[0]. `*changes`: it makes something of it.
static tac_status follow(tac__trace *tr, const tac__component *c, int input, size_t i, size_t k,
                         double own, tac__sym_value *form, bool *changes)
{
    const tac__trace_params *p = tr->params;
    double n[1 + PROBES] = {own};
    for (size_t m = 0; m < PROBES; m++) {
        if (!read_number(p->engines[k][m], c->index, input, i, &n[1 + m]))
            return refuse(tr, c, k);
        *changes |= memcmp(&n[1 + m], &own, sizeof own) != 0;
    }
    if (*changes && !find_form(n, p->at[k], p->symbols[k], form))
        return polynomial(tr, c, input, i, k, form);
    return TAC_OK;
}

// A number that follows from several parameters is the product of what each makes of it, or, where
// it is 0, the sum of their changes: tac__trace_params_check compares.
static tac_status trace_number(tac__trace *tr, const tac__component *c, int input, size_t i,
                               tac__sym_value *made)
{
    double own = 0;
    (void)read_number(tr->engine, c->index, input, i, &own);
    *made = constant(own);
    bool depends = false;
    for (size_t k = 0; tr->params && k < tr->params->count; k++) {
        tac__sym_value form = {.pool = NULL};
        bool changes = false;
        TAC_TRY(follow(tr, c, input, i, k, own, &form, &changes));
        if (!changes)
            continue;
        if (!depends)
            *made = form;
        else if (own != 0)
            *made = make(TAC__SYM_mul, *made, make(TAC__SYM_div, form, constant(own)));
        else
            *made = make(TAC__SYM_add, *made, form);
        depends = true;
        tr->params->used[k] = true;
    }
    return TAC_OK;
}

tac_status tac__trace_number(tac__trace *tr, const tac__component *c, size_t i,
                             tac__sym_value *made)
{
    return trace_number(tr, c, -1, i, made);
}

tac__sym_value *tac__trace_open(tac__trace *tr, const tac__component *c, size_t input,
                                tac_status *status)
{
    const uint32_t count = c->inputs.items[input].type.count;
    tac__sym_value *values = tac__arena_array(&tr->arena, count, sizeof *values);
    *status = values ? TAC_OK : TAC_E_MEMORY;
    for (uint32_t i = 0; i < count && *status == TAC_OK; i++)
        *status = trace_number(tr, c, (int)input, i, &values[i]);
    return *status == TAC_OK ? values : NULL;
}

// --- the whole ----------------------------------------------------------------------------------

enum { POINTS = 6 };
#define AGREES 1e-7 // relative; a change of a parameter by 1/64 is far more

// A point next to the engine's state: numbers that are 0 there, too, are drawn.
static double drawn(uint64_t *seed, double value, const char *group)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const double u = (double)(*seed >> 11) * 0x1p-53;
    if (!strcmp(group, "mode") || !strcmp(group, "phase"))
        return floor(u * (*group == 'p' ? 8 : 2));
    return value * (1 + 0.1 * (u - 0.5)) + 0.2 * (u - 0.5);
}

static bool agree(const tac_graph *f, double *const *a, double *const *b)
{
    for (size_t g = 0; g < f->out_count; g++) {
        for (size_t i = 0; i < f->out[g].count; i++) {
            const double x = a[g][i], y = b[g][i];
            if (fabs(x - y) > AGREES * (fabs(x) + fabs(y)) + 1e-9 || (x != x) != (y != y))
                return false;
        }
    }
    return true;
}

static bool same_shape(const tac_graph *f, const tac_graph *other, size_t p)
{
    bool same = f->in_count == other->in_count && f->out_count == other->out_count;
    for (size_t g = 0; same && g < f->in_count; g++)
        same = g == p || f->in[g].count == other->in[g].count;
    for (size_t g = 0; same && g < f->out_count; g++)
        same = f->out[g].count == other->out[g].count;
    return same;
}

// Both at drawn points, the graph with the values `values` of the parameters.
static tac_status compare_graphs(tac__trace *tr, tac_graph *other, const double *values, size_t p,
                                 bool *good)
{
    tac_graph *f = tr->graph;
    double *in[TAC__TRACE_GROUPS], *out[2][TAC__TRACE_GROUPS];
    for (size_t g = 0; g < f->in_count; g++)
        in[g] = tac__arena_array(&tr->arena, f->in[g].count, sizeof(double));
    for (size_t g = 0; g < f->out_count; g++) {
        for (int k = 0; k < 2; k++)
            out[k][g] = tac__arena_array(&tr->arena, f->out[g].count, sizeof(double));
    }
    uint64_t seed = 7;
    *good = true;
    for (int point = 0; point < POINTS && *good; point++) {
        for (size_t g = 0; g < f->in_count; g++) {
            if (!in[g])
                return TAC_E_MEMORY;
            tac__trace_read(tr->sources->in[g], f->in[g].count, 0, in[g]);
            for (size_t i = 0; i < f->in[g].count && point && g != p; i++)
                in[g][i] = drawn(&seed, in[g][i], f->in[g].name);
        }
        memcpy(in[p], values, f->in[p].count * sizeof *values);
        TAC_TRY(tac_graph_evaluate(f, (const double *const *)in, out[0], tr->err));
        TAC_TRY(tac_graph_evaluate(other, (const double *const *)in, out[1], tr->err));
        *good = agree(f, out[0], out[1]);
    }
    return TAC_OK;
}

static tac_status compare_engine(tac__trace *tr, tac_engine *engine, const double *values,
                                 tac__trace_fn *again, bool *good)
{
    tac_graph_def def = *tr->def;
    def.parameter_count = 0;
    tac_graph *other;
    TAC_TRY(again(engine, &def, &other, NULL, tr->err));
    const int p = tac_graph_find_in(tr->graph, "p");
    *good = p >= 0 && same_shape(tr->graph, other, (size_t)p);
    const tac_status status = *good ? compare_graphs(tr, other, values, (size_t)p, good) : TAC_OK;
    tac_graph_destroy(other);
    return status;
}

tac_status tac__trace_params_check(tac__trace *tr, tac__trace_fn *again)
{
    const tac__trace_params *p = tr->params;
    if (!p)
        return TAC_OK;
    double *values = tac__arena_array(&tr->arena, p->count, sizeof *values);
    if (!values)
        return TAC_E_MEMORY;
    bool good = true;
    for (size_t k = 0; k < p->count; k++) {
        if (!p->used[k])
            return tac__fail(tr->err, TAC_E_GRAPH,
                             "'%s' cannot be an input of the graph: no number in it follows from "
                             "this parameter, which may set a table, a shape or an initial state",
                             p->params[k].name);
        for (size_t i = 0; i < p->count; i++)
            values[i] = p->at[i][i == k];
        TAC_TRY(compare_engine(tr, p->engines[k][0], values, again, &good));
        if (!good)
            return tac__fail(tr->err, TAC_E_GRAPH,
                             "'%s' cannot be an input of the graph: it changes more than numbers "
                             "of components, such as a table or a shape",
                             p->params[k].name);
    }
    for (size_t i = 0; i < p->count; i++)
        values[i] = p->at[i][1];
    if (p->joint)
        TAC_TRY(compare_engine(tr, p->joint, values, again, &good));
    return good ? TAC_OK
                : tac__fail(tr->err, TAC_E_GRAPH,
                            "these parameters cannot be inputs of the graph together: some number "
                            "follows from several of them, and not as a product");
}
