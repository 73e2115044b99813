// terms.h - pools of terms, of which graphs are made.
//
// A term is an operation on older terms of its pool. A pool never has two equal terms, and numbers
// them in the order in which they were made: operands have smaller numbers than what uses them, and
// the same model gives the same numbers every time. Making a term computes what is constant and
// simplifies, but never so that a bit of a value could change, unless the pool is a fast one. Of
// NaN only that it is one counts, not its sign or payload.
//
// Running out of memory, or of the room of a pool, is remembered: terms made afterwards are
// worthless, and tac__terms_status tells.
#ifndef TAC_GRAPH_TERMS_H
#define TAC_GRAPH_TERMS_H

#include "base/arena.h"
#include "math/sym_ops.h"

enum { TAC__TERMS_MAX = 1 << 26 };

typedef struct tac__term {
    int32_t op; // a tac__sym_op
    int32_t a;
    union {
        struct {
            int32_t b, c;
        };
        double value; // of a constant
    };
} tac__term;

typedef struct tac__sym_table {
    const double *data;
    int count;
} tac__sym_table;

// See tac__sym_loop in math/sym_ops.h. All are numbers of terms. The body are the terms that depend
// on the variables; they were made between `from` and `to`.
typedef struct tac__loop {
    int rounds, count, exports;
    int32_t initial[TAC__LOOP_VARIABLES], variable[TAC__LOOP_VARIABLES], next[TAC__LOOP_VARIABLES];
    int32_t exported[TAC__LOOP_EXPORTS];
    int32_t settled, residual;
    int32_t from, to;
} tac__loop;

typedef struct tac__terms {
    tac__arena arena;
    tac__term *terms;
    size_t count;
    TAC__CAPACITY(tac__term) capacity;
    int32_t *slots; // a hash table of numbers of terms, -1 where free
    size_t slot_count;
    tac__sym_table *tables;
    size_t table_count;
    TAC__CAPACITY(tac__sym_table) table_capacity;
    tac__loop *loops;
    size_t loop_count;
    TAC__CAPACITY(tac__loop) loop_capacity;
    uint32_t input_count; // inputs have numbers below this
    const double *now;    // present values of inputs, for tac__sym_now; NULL: not known
    bool fast;            // simplify also where the last bits of values may change
    tac_status status;
} tac__terms;

void tac__terms_init(tac__terms *pool, const tac_allocator *allocator, bool fast);
void tac__terms_fini(tac__terms *pool);
tac_status tac__terms_status(const tac__terms *pool, tac_error *err);

// The term of a constant, of the next new input, or of an operation; operands that the operation
// lacks are ignored.
int32_t tac__term_constant(tac__terms *pool, double value);
int32_t tac__term_input(tac__terms *pool);
int32_t tac__term_make(tac__terms *pool, tac__sym_op op, int32_t a, int32_t b, int32_t c);
int32_t tac__term_pick(tac__terms *pool, const double *data, int count, int32_t index);
int32_t tac__term_segment(tac__terms *pool, const double *x, int n, int32_t at);

// The same term as an operand of the sym kind; and the other way: a constant becomes a term.
tac__sym_value tac__sym_of(tac__terms *pool, int32_t term);
int32_t tac__term_of(tac__terms *pool, tac__sym_value value);

// How many operands an operation has that are terms; operand k of them.
int tac__op_operands(tac__sym_op op);
static inline int32_t tac__term_operand(const tac__term *t, int k)
{
    return k == 0 ? t->a : k == 1 ? t->b : t->c;
}

// Whether an operation gives a condition.
bool tac__op_is_condition(tac__sym_op op);
const char *tac__op_name(tac__sym_op op);

// The value of an operation of the tables in sym_ops.h on numbers, by the arithmetic of f64.
double tac__op_apply(tac__sym_op op, double a, double b, double c);

static inline bool tac__term_is_constant(const tac__terms *pool, int32_t term)
{
    return pool->terms[term].op == TAC__SYM_constant;
}

#endif
