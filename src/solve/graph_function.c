// graph_function.c - see graph_function.h.
#include "solve/graph_function.h"
#include "graph/derive.h"
#include "graph/tape.h"

#include <math.h>
#include <string.h>

// A graph that is evaluated: function, Jacobian or Hessian.
typedef struct part {
    tac_graph *graph; // NULL: of the caller
    tac__tape *tape;
    const double **in;
    double **out;
    size_t at; // the output that is wanted
    double *work;
} part;

struct tac__graph_function {
    tac__solve_function function;
    size_t input;    // the group of inputs that varies
    size_t in_count; // groups of inputs of the function
    part value, jacobian, hessian;
};

static size_t find(const tac__group *groups, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(groups[i].name, name) != 0)
        i++;
    return i;
}

static tac_status run(const part *p, size_t input, const double *x, double *y, size_t count)
{
    p->in[input] = x;
    p->out[p->at] = y;
    tac__tape_run(p->tape, p->in, p->out, p->work);
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(y[i]))
            return TAC_E_NUMERIC;
    }
    return TAC_OK;
}

static tac_status eval(void *context, const double *x, double *y)
{
    const tac__graph_function *f = context;
    return run(&f->value, f->input, x, y, f->function.n_out);
}

static tac_status jacobian(void *context, const double *x, double *values)
{
    const tac__graph_function *f = context;
    return run(&f->jacobian, f->input, x, values, f->function.jacobian_pattern.count);
}

static tac_status hessian(void *context, const double *x, const double *weights, double *values)
{
    const tac__graph_function *f = context;
    f->hessian.in[f->in_count] = weights; // new inputs stand behind those of the function
    return run(&f->hessian, f->input, x, values, f->function.hessian_pattern.count);
}

static tac_status make_part(const tac_graph *graph, size_t at, const double *const *values,
                            size_t in_count, tac__arena *arena, part *p, tac_error *err)
{
    TAC_TRY(tac__tape_make(arena, graph, &p->tape, err));
    p->at = at;
    p->in = tac__arena_array(arena, graph->in_count, sizeof *p->in);
    p->out = tac__arena_array(arena, graph->out_count, sizeof *p->out);
    p->work = tac__arena_array(arena, tac__tape_work(p->tape), sizeof *p->work);
    if (!p->in || !p->out || !p->work)
        return tac__fail_memory(err);
    memcpy(p->in, values, in_count * sizeof *p->in);
    return TAC_OK;
}

// The pattern of a sparse matrix.
static tac_status make_pattern(const tac__group *matrix, tac__arena *arena, tac__sparsity *pattern,
                               tac_error *err)
{
    int32_t *rows = tac__arena_array(arena, matrix->count, sizeof *rows);
    int32_t *columns = tac__arena_array(arena, matrix->count, sizeof *columns);
    if (!rows || !columns)
        return tac__fail_memory(err);
    for (size_t j = 0; j < matrix->columns; j++) {
        for (int k = matrix->starts[j]; k < matrix->starts[j + 1]; k++) {
            rows[k] = matrix->row_of[k];
            columns[k] = (int32_t)j;
        }
    }
    *pattern = (tac__sparsity){rows, columns, matrix->count};
    return TAC_OK;
}

static tac_status make(const tac_graph *graph, const char *out, const char *in,
                       const double *const *values, bool second, tac__arena *arena,
                       tac__graph_function *f, tac_error *err)
{
    const size_t at = find(graph->out, graph->out_count, out);
    TAC_ASSERT(at < graph->out_count && f->input < graph->in_count);
    f->in_count = graph->in_count;
    f->function = (tac__solve_function){.n_in = graph->in[f->input].count,
                                        .n_out = graph->out[at].count,
                                        .context = f,
                                        .eval = eval,
                                        .jacobian = jacobian};
    TAC_TRY(make_part(graph, at, values, f->in_count, arena, &f->value, err));
    TAC_TRY(tac__graph_jacobian(graph, out, in, &f->jacobian.graph, err));
    TAC_TRY(make_part(f->jacobian.graph, 0, values, f->in_count, arena, &f->jacobian, err));
    TAC_TRY(make_pattern(&f->jacobian.graph->out[0], arena, &f->function.jacobian_pattern, err));
    if (!second)
        return TAC_OK;
    TAC_TRY(tac__graph_lagrangian(graph, out, in, TAC__TRIANGLE_LOWER, &f->hessian.graph, err));
    TAC_TRY(make_part(f->hessian.graph, 0, values, f->in_count, arena, &f->hessian, err));
    f->function.hessian = hessian;
    return make_pattern(&f->hessian.graph->out[0], arena, &f->function.hessian_pattern, err);
}

tac_status tac__graph_function_make(const tac_graph *graph, const char *out, const char *in,
                                    const double *const *values, bool second, tac__arena *arena,
                                    tac__graph_function **made, tac_error *err)
{
    *made = NULL;
    tac__graph_function *f = tac__arena_alloc(arena, sizeof *f);
    if (!f)
        return tac__fail_memory(err);
    f->input = find(graph->in, graph->in_count, in);
    const tac_status status = make(graph, out, in, values, second, arena, f, err);
    if (status != TAC_OK) {
        tac__graph_function_destroy(f);
        return status;
    }
    *made = f;
    return TAC_OK;
}

void tac__graph_function_destroy(tac__graph_function *f)
{
    if (!f)
        return;
    tac__graph_destroy(f->jacobian.graph);
    tac__graph_destroy(f->hessian.graph);
    f->jacobian.graph = f->hessian.graph = NULL;
}

const tac__solve_function *tac__graph_function_of(const tac__graph_function *f)
{
    return &f->function;
}
