// emit_c_casadi.c - functions as CasADi sees them: their inputs and outputs, and what CasADi asks a
// library of external functions for. Seen to work with CasADi 3.8.2
// (tests/graph/once/casadi_client.py).
#include "graph/emit_c.h"

#include <string.h>

// --- names --------------------------------------------------------------------------------------

// CasADi asks for letters, digits and single underscores, a letter first.
static tac_status check_name(const char *name, tac_error *err)
{
    if (tac__name_valid(name) && name[0] != '_' && !strstr(name, "__"))
        return TAC_OK;
    return tac__fail(err, TAC_E_NAME,
                     "'%s' is no name for C and CasADi: expected letters, digits and single "
                     "underscores, a letter first",
                     name);
}

static const tac__c_port *port_at(const tac__c_function *f, size_t i)
{
    return i < f->in_count ? &f->in[i] : &f->out[i - f->in_count];
}

// CasADi wants the names of inputs and outputs to differ from one another.
static tac_status check_ports(const tac__c_function *f, tac_error *err)
{
    const size_t count = f->in_count + f->out_count;
    for (size_t i = 0; i < count; i++) {
        const char *name = port_at(f, i)->name;
        TAC_TRY(check_name(name, err));
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(name, port_at(f, k)->name))
                return tac__fail(err, TAC_E_DUPLICATE,
                                 "function '%s' has two groups '%s': inputs and outputs need "
                                 "names of their own",
                                 f->name, name);
        }
    }
    return TAC_OK;
}

// --- a graph and its Jacobian -------------------------------------------------------------------

static tac__c_port port_of(const tac__group *g)
{
    return (tac__c_port){.name = g->name, .rows = g->rows, .columns = g->columns, .group = g};
}

static bool make_room(tac__c_function *f, tac__arena *arena)
{
    f->in = tac__arena_array(arena, f->in_count + 1, sizeof *f->in);
    f->out = tac__arena_array(arena, f->out_count + 1, sizeof *f->out);
    f->res_of = tac__arena_array(arena, f->graph->out_count + 1, sizeof *f->res_of);
    return f->name && f->in && f->out && f->res_of;
}

tac_status tac__c_function_of(const tac_graph *graph, const char *name, tac__arena *arena,
                              tac__c_function *function, tac_error *err)
{
    TAC_TRY(check_name(name, err));
    *function = (tac__c_function){
        .name = name, .graph = graph, .in_count = graph->in_count, .out_count = graph->out_count};
    if (!make_room(function, arena))
        return tac__fail_memory(err);
    for (size_t i = 0; i < graph->in_count; i++)
        function->in[i] = port_of(&graph->in[i]);
    for (size_t i = 0; i < graph->out_count; i++) {
        function->out[i] = port_of(&graph->out[i]);
        function->res_of[i] = i;
    }
    return check_ports(function, err);
}

// The Jacobian has the inputs of the graph, and a block for each of its outputs and inputs.
static tac_status check_jacobian(const tac_graph *f, const tac_graph *j, tac_error *err)
{
    bool fits = j->shared == f->shared && j->in_count == f->in_count &&
                j->out_count == f->out_count * f->in_count;
    for (size_t i = 0; fits && i < f->in_count; i++)
        fits = j->in[i].count == f->in[i].count &&
               !memcmp(j->in[i].terms, f->in[i].terms, f->in[i].count * sizeof *f->in[i].terms);
    for (size_t b = 0; fits && b < j->out_count; b++)
        fits = j->out[b].starts && j->out[b].rows == f->out[b / f->in_count].count &&
               j->out[b].columns == f->in[b % f->in_count].count;
    return fits ? TAC_OK
                : tac__fail(err, TAC_E_CALLER, "'%s' is not the Jacobian of all of '%s'", j->name,
                            f->name);
}

static tac__c_port unread(const tac__c_port *out, tac__arena *arena)
{
    return (tac__c_port){.name = tac__arena_format(arena, "out_%s", out->name),
                         .rows = out->rows,
                         .columns = out->columns};
}

// The block of an output by an input: it has entries if both are of the graph.
static tac__c_port block_of(const tac__c_port *out, const tac__c_port *in, const tac__group *group,
                            tac__arena *arena)
{
    return (tac__c_port){.name = tac__arena_format(arena, "jac_%s_%s", out->name, in->name),
                         .rows = out->rows * out->columns,
                         .columns = in->rows * in->columns,
                         .group = group,
                         .flatten = group && out->group->starts ? out->group : NULL};
}

// Which output group of the graph of a function an output is; -1: none.
static int group_of(const tac__c_function *f, size_t out)
{
    for (size_t g = 0; g < f->graph->out_count; g++) {
        if (f->res_of[g] == out)
            return (int)g;
    }
    return -1;
}

static void set_blocks(const tac__c_function *of, tac__arena *arena, tac__c_function *j)
{
    const size_t ins = of->graph->in_count;
    for (size_t o = 0; o < of->out_count; o++) {
        const int g = group_of(of, o);
        for (size_t i = 0; i < of->in_count; i++) {
            const size_t at = o * of->in_count + i, block = (size_t)g * ins + i;
            const bool there = g >= 0 && i < ins;
            j->out[at] =
                block_of(&of->out[o], &of->in[i], there ? &j->graph->out[block] : NULL, arena);
            if (there)
                j->res_of[block] = at;
        }
    }
}

tac_status tac__c_jacobian_of(const tac__c_function *of, const tac_graph *jacobian,
                              tac__arena *arena, tac__c_function *function, tac_error *err)
{
    TAC_TRY(check_jacobian(of->graph, jacobian, err));
    *function = (tac__c_function){.name = tac__arena_format(arena, "jac_%s", of->name),
                                  .graph = jacobian,
                                  .in_count = of->in_count + of->out_count,
                                  .out_count = of->in_count * of->out_count};
    if (!make_room(function, arena))
        return tac__fail_memory(err);
    bool named = true;
    for (size_t i = 0; i < of->in_count; i++)
        function->in[i] = of->in[i];
    for (size_t i = 0; i < of->out_count; i++)
        function->in[of->in_count + i] = unread(&of->out[i], arena);
    set_blocks(of, arena, function);
    for (size_t i = 0; i < function->in_count + function->out_count; i++)
        named &= port_at(function, i)->name != NULL;
    return named ? check_ports(function, err) : tac__fail_memory(err);
}

// --- sparsities ---------------------------------------------------------------------------------

static void add_entry(tac__text *out, size_t *on_line, size_t value)
{
    tac__text_add(out, ",%s%zu", (*on_line)++ % 16 == 15 ? "\n    " : " ", value);
}

// Where entry k of a matrix stands, its places counted column by column.
static void add_flat_row(tac__text *out, size_t *on_line, const tac__group *of, size_t entry)
{
    size_t column = 0;
    while ((size_t)of->starts[column + 1] <= entry)
        column++;
    add_entry(out, on_line, column * of->rows + (size_t)of->row_of[entry]);
}

// A dense vector is {rows, 1, 1}: where the third number is not 0 there are no others.
static void add_pattern(tac__text *out, const tac__c_port *port)
{
    const tac__group *g = port->group;
    size_t on_line = 2;
    tac__text_add(out, "%zu, %zu", port->rows, port->columns);
    if (g && !g->starts) {
        tac__text_add(out, ", 1");
        return;
    }
    for (size_t k = 0; k <= port->columns; k++)
        add_entry(out, &on_line, g ? (size_t)g->starts[k] : 0);
    for (size_t k = 0; g && k < g->count; k++) {
        if (port->flatten)
            add_flat_row(out, &on_line, port->flatten, (size_t)g->row_of[k]);
        else
            add_entry(out, &on_line, (size_t)g->row_of[k]);
    }
}

// --- functions ----------------------------------------------------------------------------------

// Names and sparsities of one side. Arrays of none do not exist in C, so there is one more.
static void add_side(const char *name, const char *side, const tac__c_port *ports, size_t count,
                     tac__text *out)
{
    for (size_t i = 0; i < count; i++) {
        tac__text_add(out, "static const long long %s_%s%zu[] = {", name, side, i);
        add_pattern(out, &ports[i]);
        tac__text_add(out, "};\n");
    }
    tac__text_add(out, "\nTACTUS_EXPORT long long %s_n_%s(void)\n{\n    return %zu;\n}\n\n", name,
                  side, count);
    tac__text_add(out,
                  "TACTUS_EXPORT const char *%s_name_%s(long long i)\n{\n"
                  "    static const char *const names[] = {",
                  name, side);
    for (size_t i = 0; i < count; i++)
        tac__text_add(out, "%s\"%s\"%s", i % 4 == 0 ? "\n        " : " ", ports[i].name, ",");
    tac__text_add(out,
                  " 0};\n    return i >= 0 && i < %zu ? names[i] : 0;\n}\n\n"
                  "TACTUS_EXPORT const long long *%s_sparsity_%s(long long i)\n{\n"
                  "    static const long long *const patterns[] = {",
                  count, name, side);
    for (size_t i = 0; i < count; i++)
        tac__text_add(out, "%s%s_%s%zu,", i % 6 == 0 ? "\n        " : " ", name, side, i);
    tac__text_add(out, " 0};\n    return i >= 0 && i < %zu ? patterns[i] : 0;\n}\n\n", count);
}

static void add_work(const tac__c_function *f, bool bytes, tac__text *out)
{
    tac__text_add(out,
                  "TACTUS_EXPORT int %s_work%s(long long *sz_arg, long long *sz_res, "
                  "long long *sz_iw, long long *sz_w)\n{\n",
                  f->name, bytes ? "_bytes" : "");
    tac__text_add(out, "    if (sz_arg)\n        *sz_arg = %zu%s;\n", f->in_count,
                  bytes ? " * (long long)sizeof(const double *)" : "");
    tac__text_add(out, "    if (sz_res)\n        *sz_res = %zu%s;\n", f->out_count,
                  bytes ? " * (long long)sizeof(double *)" : "");
    tac__text_add(out, "    if (sz_iw)\n        *sz_iw = 0;\n");
    tac__text_add(out, "    if (sz_w)\n        *sz_w = %zu%s;\n    return 0;\n}\n\n", f->work,
                  bytes ? " * (long long)sizeof(double)" : "");
}

void tac__c_convention(const tac__c_function *f, tac__text *out)
{
    tac__text_add(out, "\n");
    add_side(f->name, "in", f->in, f->in_count, out);
    add_side(f->name, "out", f->out, f->out_count, out);
    add_work(f, false, out);
    add_work(f, true, out);
    tac__text_add(out,
                  "TACTUS_EXPORT int %s_checkout(void)\n{\n    return 0;\n}\n\n"
                  "TACTUS_EXPORT void %s_release(int mem)\n{\n    (void)mem;\n}\n\n"
                  "TACTUS_EXPORT void %s_incref(void)\n{\n}\n\n"
                  "TACTUS_EXPORT void %s_decref(void)\n{\n}\n\n",
                  f->name, f->name, f->name, f->name);
}
