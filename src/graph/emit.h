// emit.h - graphs as C code, as pictures and as JSON.
//
// The same graph and options give the same text, byte for byte, on every machine.
#ifndef TAC_GRAPH_EMIT_H
#define TAC_GRAPH_EMIT_H

#include "base/text.h"
#include "graph/graph.h"

// X(name, description)
#define TAC__EMIT_TABLE(X)                                                                         \
    X(c, "one C99 file with the calling convention of CasADi external functions")                  \
    X(dot, "a picture of the terms for Graphviz")                                                  \
    X(svg, "the same picture, of small graphs")                                                    \
    X(json, "groups, terms, tables and loops as data")

typedef enum tac__emit_format {
#define TAC__EMIT_ENUM(name, description) TAC__EMIT_##name,
    TAC__EMIT_TABLE(TAC__EMIT_ENUM)
#undef TAC__EMIT_ENUM
        TAC__EMIT_FORMATS
} tac__emit_format;

const char *tac__emit_format_name(tac__emit_format format);

typedef struct tac__emit_options {
    tac__emit_format format;
    const char *name;         // of the function in C; NULL: the name of the graph
    const char *title;        // what the graph is of, in one line; NULL: nothing
    const char *file;         // C: how the file will be called, for its compile command; NULL: f.c
    bool deterministic;       // C: with the elementary functions of SLEEF instead of those of libm
    size_t part_lines;        // C: functions of more lines are cut into parts; 0: 3000
    const tac_graph *second;  // C: the Jacobian of `jacobian`, as `jac_jac_NAME`; NULL: none
    const tac_graph *hessian; // C: one more function, `hess_NAME`, with its own inputs; NULL: none
} tac__emit_options;

// Adds the text of a graph to `out`. `jacobian` (NULL: none) is that of all outputs of `f` by all
// its inputs, one block for each pair of them, outputs first; of the formats only C has a place for
// it. A text that failed for lack of memory gives TAC_E_MEMORY.
TAC_MUST_CHECK tac_status tac__graph_emit(const tac_graph *f, const tac_graph *jacobian,
                                          const tac__emit_options *options, tac__text *out,
                                          tac_error *err);

// --- within the emitters ------------------------------------------------------------------------

tac_status tac__emit_c(const tac_graph *f, const tac_graph *jacobian,
                       const tac__emit_options *options, tac__arena *arena, tac__text *out,
                       tac_error *err);
tac_status tac__emit_dot(const tac_graph *f, const tac__emit_options *options, tac__arena *arena,
                         tac__text *out, tac_error *err);
tac_status tac__emit_svg(const tac_graph *f, const tac__emit_options *options, tac__arena *arena,
                         tac__text *out, tac_error *err);
tac_status tac__emit_json(const tac_graph *f, const tac__emit_options *options, tac__arena *arena,
                          tac__text *out, tac_error *err);

// Which terms the outputs of a graph need, one flag a term of the pool; with `loops` also what
// loops have that only derivatives or other graphs need. NULL: no memory.
bool *tac__emit_live(const tac_graph *f, bool loops, tac__arena *arena);

// The input group, and the number in it, of an input term.
typedef struct tac__emit_input {
    int32_t group, element; // group -1: the term is not among the inputs of the graph
} tac__emit_input;

// One for each input of the pool. NULL: no memory.
tac__emit_input *tac__emit_inputs(const tac_graph *f, tac__arena *arena);

#endif
