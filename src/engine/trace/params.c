// params.c - parameters as inputs of a graph.
//
// Kernels read numbers that components compute from parameters when they are declared. A type whose
// numbers are more than its parameters tells how they follow from them
// (tac_component_type.numbers): a graph from parameters to numbers, which is run over the symbols
// of the parameters here. Of other types a number may be a parameter as it is: it is where it has
// the bits of the parameter in engines with three different values of it.
//
// The same engines tell at the end whether the graph is right for other values of the parameters,
// too: numbers and outputs must have the bits of theirs. So a parameter that changes more than
// numbers (a table, a shape), or that has a meaning of its own at some value, is refused by name.
#include "engine/plan/named_param.h"
#include "engine/plan/numbers.h"
#include "engine/trace/trace.h"
#include "graph/tape.h"

#include <math.h>
#include <string.h>

enum { PROBES = 2 };

struct tac__trace_params {
    bool *used; // of each: some number follows from it
    tac_sensitivity_param *params;
    size_t count;
    size_t component_count;
    double (*at)[1 + PROBES];       // values of each: its own, and those of its probes
    tac_engine *own;                // all have their own values
    tac_engine *(*engines)[PROBES]; // of each
    tac_engine *joint;              // all have the value of their first probe
    const tac__sym_value *symbols;
    tac_graph **graphs;             // of each component: from parameters to numbers; NULL: none
    const tac__sym_value **numbers; // of each component, from its graph; NULL: not made yet
};

// --- values -------------------------------------------------------------------------------------

static tac_status build_with(tac__trace *tr, const tac_param_value *values, size_t count,
                             tac_engine **engine)
{
    return tr->def->build(tr->def->context, values, count, 1, engine, tr->err);
}

// All parameters with these values; `which` is the column of `at` for parameter k, 0 for the
// others. SIZE_MAX: it is for all.
static tac_status build_at(tac__trace *tr, const tac__trace_params *p, size_t k, size_t which,
                           tac_engine **engine)
{
    tac_param_value *values = tac__arena_array(&tr->arena, p->count, sizeof *values);
    if (!values)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < p->count; i++) {
        values[i] = p->params[i].at;
        values[i].value = p->at[i][i == k || k == SIZE_MAX ? which : 0];
    }
    return build_with(tr, values, p->count, engine);
}

// The first values next to the parameter's own that are allowed.
static tac_status probe(tac__trace *tr, tac__trace_params *p, size_t k)
{
    static const double steps[] = {0x1p-6, -0x1p-7, 0x1p-8, -0x1p-9};
    const double own = p->at[k][0];
    size_t found = 0;
    tac_status status = TAC_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && found < PROBES; i++) {
        p->at[k][1 + found] = own == 0 ? steps[i] : own * (1 + steps[i]);
        tac_error_clear(tr->err); // of a value that is not allowed
        status = build_at(tr, p, k, 1 + found, &p->engines[k][found]);
        found += status == TAC_OK;
        if (status != TAC_OK && status != TAC_E_RANGE && status != TAC_E_CONFIG)
            return status;
    }
    if (found == PROBES)
        return TAC_OK;
    if (status == TAC_OK) // the last one was allowed, and no other
        return tac__fail(tr->err, TAC_E_GRAPH,
                         "'%s' cannot be an input of the graph: of four values next to its own "
                         "only one is allowed",
                         p->params[k].name);
    tac__error_context(tr->err, "changing '%s' a little", p->params[k].name);
    return status;
}

static tac_status probe_all(tac__trace *tr, tac__trace_params *p)
{
    TAC_TRY(build_at(tr, p, 0, 0, &p->own));
    const tac__plan *plan = p->own->plan;
    for (size_t i = 0; i < plan->component_count; i++)
        TAC_TRY(tac__numbers_trace(&tr->arena, plan, plan->components[i], &p->graphs[i], tr->err));
    for (size_t k = 0; k < p->count; k++)
        TAC_TRY(probe(tr, p, k));
    return p->count > 1 ? build_at(tr, p, SIZE_MAX, 1, &p->joint) : TAC_OK;
}

static tac_status make_inputs(tac__trace *tr, tac__trace_params *p, double *own,
                              tac__sym_value *symbols)
{
    static const tac_type single = TAC_TYPE_F64;
    const tac_graph_def *def = tr->def;
    for (size_t k = 0; k < def->parameter_count; k++) {
        tac_sensitivity_param *param = &p->params[k];
        TAC_TRY(tac__param_by_name(&tr->arena, tr->engine, def->parameters[k], param, tr->err));
        for (size_t i = 0; i < k; i++) {
            if (!strcmp(p->params[i].name, param->name))
                return tac__fail(tr->err, TAC_E_DUPLICATE, "parameter '%s' is named twice",
                                 param->name);
        }
        p->count++;
        own[k] = p->at[k][0] = param->at.value;
        const tac__sym_value *made = tac__trace_inputs(
            tr, &tr->p,
            (tac__trace_value){
                .name = param->name, .unit = param->unit, .type = &single, .from = &own[k]});
        if (!made)
            return TAC_E_MEMORY;
        symbols[k] = *made;
    }
    return TAC_OK;
}

tac_status tac__trace_params_begin(tac__trace *tr)
{
    const tac_graph_def *def = tr->def;
    const size_t count = def->parameter_count;
    if (!count)
        return TAC_OK;
    if (!def->build)
        return tac__fail(tr->err, TAC_E_CALLER, "parameters need tac_graph_def.build");
    tac__trace_params *p = tr->params = tac__arena_alloc(&tr->arena, sizeof *p);
    if (!p)
        return TAC_E_MEMORY;
    p->params = tac__arena_array(&tr->arena, count, sizeof *p->params);
    p->at = tac__arena_array(&tr->arena, count, sizeof *p->at);
    p->engines = tac__arena_array(&tr->arena, count, sizeof *p->engines);
    p->used = tac__arena_array(&tr->arena, count, sizeof *p->used);
    p->component_count = tr->engine->plan->component_count;
    p->graphs = tac__arena_array(&tr->arena, p->component_count, sizeof *p->graphs);
    p->numbers = tac__arena_array(&tr->arena, p->component_count, sizeof *p->numbers);
    tac__sym_value *symbols = tac__arena_array(&tr->arena, count, sizeof *p->symbols);
    tac__arena *keep = tr->sources ? tr->sources->arena : &tr->arena;
    double *own = tac__arena_array(keep, count, sizeof *own);
    if (!p->params || !p->at || !p->engines || !p->used || !p->graphs || !p->numbers || !symbols ||
        !own)
        return TAC_E_MEMORY;
    p->symbols = symbols;
    TAC_TRY(make_inputs(tr, p, own, symbols));
    return probe_all(tr, p);
}

void tac__trace_params_end(tac__trace *tr)
{
    const tac__trace_params *p = tr->params;
    if (!p)
        return;
    for (size_t k = 0; k < p->count && p->engines; k++) {
        for (size_t i = 0; i < PROBES; i++)
            tac_engine_destroy(p->engines[k][i]);
    }
    for (size_t i = 0; p->graphs && i < p->component_count; i++)
        tac__graph_destroy(p->graphs[i]);
    tac_engine_destroy(p->own);
    tac_engine_destroy(p->joint);
}

// --- numbers ------------------------------------------------------------------------------------

static tac_status refuse(tac__trace *tr, const tac__component *c, size_t k)
{
    if (c->type->numbers)
        return tac__fail(tr->err, TAC_E_GRAPH,
                         "'%s' cannot be an input of the graph: with another value '%s' computes "
                         "its numbers in another way",
                         tr->params->params[k].name, c->name);
    return tac__fail(
        tr->err, TAC_E_GRAPH,
        "'%s' cannot be an input of the graph: '%s' of type '%s' computes numbers from "
        "it in a way that has no symbolic form",
        tr->params->params[k].name, c->name, c->type->name);
}

// The same component in another engine.
static const tac__component *in_engine(const tac_engine *e, const tac__component *c)
{
    return e->plan->components[c->index];
}

// The graph of a component's numbers, run over the symbols of the parameters.
static tac_status trace_numbers(tac__trace *tr, const tac__component *c)
{
    tac__trace_params *p = tr->params;
    const tac_graph *g = p->graphs[c->index];
    tac__sym_value *made = tac__arena_array(&tr->arena, c->number_count, sizeof *made);
    tac__tape *tape;
    TAC_TRY(tac__tape_make(&tr->arena, g, &tape, tr->err));
    double *work =
        tac__arena_array(&tr->arena, TAC_SYMBOL_WIDTH * tac__tape_work(tape), sizeof *work);
    if (!made || !work)
        return TAC_E_MEMORY;
    const double *in[] = {(const double *)(const void *)p->symbols};
    double *out[] = {(double *)(void *)made};
    tac__tape_run_sym(tape, in, out, work);
    p->numbers[c->index] = made;
    // Which parameters it needs: those with which an engine has other numbers.
    for (size_t k = 0; k < p->count; k++) {
        for (size_t m = 0; m < PROBES && !p->used[k]; m++) {
            const tac__component *other = in_engine(p->engines[k][m], c);
            p->used[k] = other->number_count != c->number_count ||
                         memcmp(other->numbers, c->numbers, c->number_count * sizeof *c->numbers);
        }
    }
    return TAC_OK;
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

// A number that may be a parameter as it is.
static tac_status find_number(tac__trace *tr, const tac__component *c, int input, size_t i,
                              tac__sym_value *made)
{
    const tac__trace_params *p = tr->params;
    double own = 0;
    (void)read_number(tr->engine, c->index, input, i, &own);
    *made = (tac__sym_value){.value = own};
    for (size_t k = 0; p && k < p->count; k++) {
        bool same = own == p->at[k][0], changes = false;
        for (size_t m = 0; m < PROBES; m++) {
            double n;
            if (!read_number(p->engines[k][m], c->index, input, i, &n))
                return refuse(tr, c, k);
            same &= n == p->at[k][1 + m];
            changes |= memcmp(&n, &own, sizeof n) != 0;
        }
        if (changes && !same)
            return refuse(tr, c, k);
        if (!changes)
            continue;
        *made = p->symbols[k];
        p->used[k] = true;
    }
    return TAC_OK;
}

tac_status tac__trace_number(tac__trace *tr, const tac__component *c, size_t i,
                             tac__sym_value *made)
{
    const tac__trace_params *p = tr->params;
    if (!p || !p->graphs[c->index])
        return find_number(tr, c, -1, i, made);
    if (!p->numbers[c->index])
        TAC_TRY(trace_numbers(tr, c));
    *made = p->numbers[c->index][i];
    return TAC_OK;
}

tac__sym_value *tac__trace_open(tac__trace *tr, const tac__component *c, size_t input,
                                tac_status *status)
{
    const uint32_t count = c->inputs.items[input].type.count;
    tac__sym_value *values = tac__arena_array(&tr->arena, count, sizeof *values);
    *status = values ? TAC_OK : TAC_E_MEMORY;
    for (uint32_t i = 0; i < count && *status == TAC_OK; i++)
        *status = find_number(tr, c, (int)input, i, &values[i]);
    return *status == TAC_OK ? values : NULL;
}

// --- other values -------------------------------------------------------------------------------

enum { POINTS = 6 };
#define FAST_AGREES 1e-9 // relative: a fast graph may have other last bits

static bool agree(const tac__trace *tr, double x, double y)
{
    return !memcmp(&x, &y, sizeof x) || (isnan(x) && isnan(y)) ||
           (tr->def->fast && fabs(x - y) <= FAST_AGREES * (1 + fabs(x) + fabs(y)));
}

// Do the graphs of numbers give the numbers of an engine with these values? `*bad`: a component for
// which they do not.
static tac_status compare_numbers(tac__trace *tr, const tac_engine *engine, const double *values,
                                  const tac__component **bad)
{
    const tac__trace_params *p = tr->params;
    *bad = NULL;
    for (size_t n = 0; n < p->own->plan->component_count && !*bad; n++) {
        const tac__component *c = p->own->plan->components[n];
        const tac__component *other = engine->plan->components[n];
        if (!p->graphs[n])
            continue;
        double *got = tac__arena_array(&tr->arena, c->number_count, sizeof *got);
        if (!got)
            return TAC_E_MEMORY;
        const double *in[] = {values};
        double *out[] = {got};
        TAC_TRY(tac_graph_evaluate(p->graphs[n], in, out, tr->err));
        bool same = other->number_count == c->number_count;
        for (size_t i = 0; same && i < c->number_count; i++)
            same = agree(tr, got[i], other->numbers[i]);
        if (!same)
            *bad = c;
    }
    return TAC_OK;
}

// A point next to the engine's state: numbers that are 0 there, too, are drawn.
static double drawn(uint64_t *seed, double value, const char *group)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const double u = (double)(*seed >> 11) * 0x1p-53;
    if (!strcmp(group, "mode") || !strcmp(group, "phase"))
        return floor(u * (*group == 'p' ? 8 : 2));
    return value * (1 + 0.1 * (u - 0.5)) + 0.2 * (u - 0.5);
}

static bool same_outputs(const tac__trace *tr, const tac_graph *f, double *const *a,
                         double *const *b)
{
    for (size_t g = 0; g < f->out_count; g++) {
        for (size_t i = 0; i < f->out[g].count; i++) {
            if (!agree(tr, a[g][i], b[g][i]))
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
    bool all = true;
    for (size_t g = 0; g < f->in_count; g++)
        all &= (in[g] = tac__arena_array(&tr->arena, f->in[g].count, sizeof(double))) != NULL;
    for (size_t g = 0; g < f->out_count; g++) {
        for (int k = 0; k < 2; k++)
            all &=
                (out[k][g] = tac__arena_array(&tr->arena, f->out[g].count, sizeof(double))) != NULL;
    }
    if (!all)
        return TAC_E_MEMORY;
    uint64_t seed = 7;
    *good = true;
    for (int point = 0; point < POINTS && *good; point++) {
        for (size_t g = 0; g < f->in_count; g++) {
            tac__trace_read(tr->sources->in[g], f->in[g].count, 0, in[g]);
            for (size_t i = 0; i < f->in[g].count && point && g != p; i++)
                in[g][i] = drawn(&seed, in[g][i], f->in[g].name);
        }
        memcpy(in[p], values, f->in[p].count * sizeof *values);
        TAC_TRY(tac_graph_evaluate(f, (const double *const *)in, out[0], tr->err));
        TAC_TRY(tac_graph_evaluate(other, (const double *const *)in, out[1], tr->err));
        *good = same_outputs(tr, f, out[0], out[1]);
    }
    return TAC_OK;
}

static tac_status compare_engine(tac__trace *tr, tac_engine *engine, const double *values,
                                 tac__trace_fn *again, const char *name)
{
    const tac__component *bad;
    TAC_TRY(compare_numbers(tr, engine, values, &bad));
    if (bad)
        return tac__fail(tr->err, TAC_E_GRAPH,
                         "'%s' cannot be an input of the graph: with another value '%s' computes "
                         "its numbers in another way",
                         name, bad->name);
    tac_graph_def def = *tr->def;
    def.parameter_count = 0;
    tac_graph *other;
    TAC_TRY(again(engine, &def, &other, NULL, tr->err));
    const int p = tac_graph_find_in(tr->graph, "p");
    bool good = p >= 0 && same_shape(tr->graph, other, (size_t)p);
    const tac_status status = good ? compare_graphs(tr, other, values, (size_t)p, &good) : TAC_OK;
    tac_graph_destroy(other);
    if (status != TAC_OK || good)
        return status;
    return tac__fail(tr->err, TAC_E_GRAPH,
                     "'%s' cannot be an input of the graph: it changes more than numbers of "
                     "components, such as a table or a shape",
                     name);
}

tac_status tac__trace_params_check(tac__trace *tr, tac__trace_fn *again)
{
    const tac__trace_params *p = tr->params;
    if (!p)
        return TAC_OK;
    double *values = tac__arena_array(&tr->arena, p->count, sizeof *values);
    if (!values)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < p->count; k++) {
        if (!p->used[k])
            return tac__fail(tr->err, TAC_E_GRAPH,
                             "'%s' cannot be an input of the graph: no number in it follows from "
                             "this parameter, which may set a table, a shape or an initial state",
                             p->params[k].name);
        for (size_t m = 0; m < PROBES; m++) {
            for (size_t i = 0; i < p->count; i++)
                values[i] = p->at[i][i == k ? 1 + m : 0];
            TAC_TRY(compare_engine(tr, p->engines[k][m], values, again, p->params[k].name));
        }
    }
    for (size_t i = 0; i < p->count; i++)
        values[i] = p->at[i][1];
    return p->joint ? compare_engine(tr, p->joint, values, again, p->params[0].name) : TAC_OK;
}
