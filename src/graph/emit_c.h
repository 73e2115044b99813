// emit_c.h - what the parts of the C emitter share: the file around the functions (emit_c.c), what
// the functions compute (emit_c_body.c), and how CasADi sees them (emit_c_casadi.c).
#ifndef TAC_GRAPH_EMIT_C_H
#define TAC_GRAPH_EMIT_C_H

#include "graph/emit.h"

// An input or output of a function as CasADi sees it.
typedef struct tac__c_port {
    const char *name;
    size_t rows, columns;
    const tac__group *group;   // NULL: a matrix without entries
    const tac__group *flatten; // rows are entries of this matrix, all its places counted column by
                               // column; NULL: rows are rows
} tac__c_port;

// A function of the file.
typedef struct tac__c_function {
    const char *name;
    const tac_graph *graph;
    tac__c_port *in, *out; // the first inputs are those of the graph
    size_t in_count, out_count;
    size_t *res_of; // of each output group of the graph: which of `out` it is
    size_t work;    // doubles of w that the function needs; its body tells
} tac__c_function;

// The function of a graph; and of its Jacobian, in the form of CasADi: the inputs are those of `of`
// and then its outputs, which the Jacobian does not read; the outputs are a block for each output
// and input of `of`.
tac_status tac__c_function_of(const tac_graph *graph, const char *name, tac__arena *arena,
                              tac__c_function *function, tac_error *err);
tac_status tac__c_jacobian_of(const tac__c_function *of, const tac_graph *jacobian,
                              tac__arena *arena, tac__c_function *function, tac_error *err);

// What CasADi asks a function for: names, sparsities, work memory.
void tac__c_convention(const tac__c_function *function, tac__text *out);

// What the functions of a file use, so that it declares nothing else.
typedef struct tac__c_uses {
    bool op[TAC__SYM_OPS];
    bool *table; // [tables of the pool]
} tac__c_uses;

// The value of a constant as C has it; one that begins with a minus stands in brackets.
void tac__c_number(tac__text *out, double value);

// Adds the text of a function: `int NAME(arg, res, iw, w, mem)`, and what it calls.
tac_status tac__c_body(tac__c_function *function, const tac__emit_options *options,
                       tac__arena *arena, tac__c_uses *uses, tac__text *out, tac_error *err);

#endif
