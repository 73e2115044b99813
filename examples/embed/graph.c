// graph.c - a simulation as a function: traced, evaluated, differentiated and written as C code.
#include "embed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// x, u, p, t -> dx, y of a satellite; the group of inputs with this name.
static size_t group_of(const tac_graph *f, const char *name)
{
    const int group = tac_graph_find_in(f, name);
    EMBED_CHECK(group >= 0);
    return (size_t)group;
}

static double *room_for(size_t count)
{
    double *values = calloc(count + 1, sizeof *values);
    EMBED_CHECK(values != NULL);
    return values;
}

// dx at a state.
static void rates(tac_graph *f, const double *x, double *dx)
{
    const double *in[8] = {NULL}; // what is not given is 0
    double *out[8] = {dx};        // y is not wanted
    in[group_of(f, "x")] = x;
    EMBED_TRY(tac_graph_evaluate, f, in, out);
}

// Entry by entry: the Jacobian of dx by x against central differences.
static void compare(tac_graph *f, const double *x, size_t n)
{
    tac_graph *j;
    EMBED_TRY(tac_graph_jacobian, f, "dx", "x", &j);
    const tac_graph_group g = tac_graph_out(j, 0);
    double *entries = room_for(g.count), *near = room_for(n), *a = room_for(n), *b = room_for(n);
    rates(j, x, entries);
    for (size_t column = 0; column < n; column++) {
        const double h = 1e-4 * (fabs(x[column]) + 1);
        memcpy(near, x, n * sizeof *x);
        near[column] = x[column] + h;
        rates(f, near, a);
        near[column] = x[column] - h;
        rates(f, near, b);
        for (int k = g.starts[column]; k < g.starts[column + 1]; k++) {
            const double slope = (a[g.row_of[k]] - b[g.row_of[k]]) / (2 * h);
            EMBED_CHECK(fabs(entries[k] - slope) <= 1e-5 * fabs(slope) + 1e-9);
        }
    }
    printf("%zu of %zu entries can be other than 0\n", g.count, n * n);
    free(entries);
    free(near);
    free(a);
    free(b);
    tac_graph_destroy(j);
}

int main(void)
{
    embed m = embed_load("examples/orbit.yaml");
    const tac_graph_def def = tac_graph_def_default();
    tac_graph *f;
    EMBED_TRY(tac_graph_of_dynamics, m.engine, &def, &f);
    embed_free(&m); // the graph needs no engine

    const tac_graph_group states = tac_graph_in(f, group_of(f, "x"));
    double *x = room_for(states.count), *dx = room_for(states.count);
    for (size_t i = 0; i < states.count; i++)
        x[i] = i < 3 ? 4e6 + 1e5 * (double)i : 1000 * (double)i; // 7100 km from the centre
    rates(f, x, dx);
    for (size_t i = 0; i < states.count; i++)
        printf("d/dt %s = %g %s\n", states.labels[i], dx[i], tac_graph_out(f, 0).units[i]);
    compare(f, x, states.count);

    tac_graph_emit_def emit = tac_graph_emit_def_default();
    char *code;
    EMBED_TRY(tac_graph_emit, f, &emit, &code);
    EMBED_CHECK(strstr(code, "int dynamics(const double **arg") != NULL);
    tac_text_free(code);
    free(x);
    free(dx);
    tac_graph_destroy(f);
    return 0;
}
