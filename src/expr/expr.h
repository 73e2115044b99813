// expr.h - the expression language: conditions such as "vehicle.battery.soc < 0.3 AND NOT landed".
//
// Text becomes a tree (parse), which can be asked for its signals. Once names, types and units are
// known, the tree becomes terms of a graph, and these a program (compile). A program can be
// evaluated any number of times and allocates nothing. Trees and programs live in the arena in
// which they are made. docs/expressions.md describes the language.
//
// Errors have no line: err->column is the column in the text, in characters from 1, and
// err->excerpt with err->caret shows the spot. The caller, who knows where the text stands in a
// file, adds the rest.
#ifndef TAC_EXPR_EXPR_H
#define TAC_EXPR_EXPR_H

#include "base/arena.h"
#include "base/unit.h"

#include <stdbool.h>
#include <tactus/time.h>

// Limits: bytes of a text, levels of nesting, operators that remember.
enum { TAC__EXPR_LENGTH = 4096, TAC__EXPR_DEPTH = 64, TAC__EXPR_TIMED = 32 };

// ANY: of whatever type the expression is; only as an argument.
typedef enum tac__expr_type { TAC__EXPR_NUMBER, TAC__EXPR_BOOL, TAC__EXPR_ANY } tac__expr_type;

typedef struct tac__expr tac__expr;
typedef struct tac__program tac__program;

TAC_MUST_CHECK tac_status tac__expr_parse(tac__arena *arena, const char *text, tac__expr **expr,
                                          tac_error *err);

// An equation: "energy = kinetic + 0.5*k*x^2", "der(v) = force/mass". Its right side is an
// expression without operators that remember and without labels; it may name derivatives: der(v).
// `target` is the left side without spaces, and begins in column `column` of the text.
typedef struct tac__equation {
    tac__expr *expr;
    const char *target; // "energy", "pull.x", "der(v)"
    const char *name;   // of a target der(v): v; NULL where it is no derivative
    uint32_t column;
} tac__equation;

TAC_MUST_CHECK tac_status tac__equation_parse(tac__arena *arena, const char *text,
                                              tac__equation *equation, tac_error *err);

// The signals that an expression names, as they are written ("Nav.position[2]"), each once, in the
// order in which they appear.
const char *const *tac__expr_signals(const tac__expr *expr, size_t *count);

// How many words of memory its programs need, for operators such as held. Known before anything is
// compiled, so that the memory can be declared.
size_t tac__expr_memory(const tac__expr *expr);

// Whether it can become true only because time passes. tac__program_next tells when.
bool tac__expr_waits(const tac__expr *expr);

// What is known of a signal.
typedef struct tac__expr_signal {
    int index; // which of the values that tac__program_run gets
    tac__expr_type type;
    const char *unit;          // of a number; NULL is "1"
    const char *const *labels; // of an enum, which is a number; NULL after the last
    uint32_t element;          // where `index` leads to several values: which of them
    const tac__unit *measure;  // a unit that was worked out, instead of `unit`; may be NULL
} tac__expr_signal;

typedef struct tac__expr_scope {
    bool (*find)(const void *context, const char *name, tac__expr_signal *signal); // false: unknown
    tac__candidate_fn *candidate; // names that could have been meant; may be NULL
    const void *context;
} tac__expr_scope;

// Check names, types and units and make a program. `wanted` is the type of the whole expression; a
// number is converted to `unit`, unless that is NULL. An expression can be compiled once only:
// compiling changes its tree.
TAC_MUST_CHECK tac_status tac__expr_compile(tac__arena *arena, tac__expr *expr,
                                            tac__expr_type wanted, const char *unit,
                                            const tac__expr_scope *scope, tac__program **program,
                                            tac_error *err);

// Only check names, types and units: the tree itself changes. The root becomes a number of `unit`,
// where that is not NULL.
TAC_MUST_CHECK tac_status tac__expr_check(tac__arena *arena, tac__expr *expr, tac__expr_type wanted,
                                          const char *unit, const tac__expr_scope *scope,
                                          tac_error *err);

// Where terms of a graph find what an expression names.
typedef struct tac__expr_leaves {
    int32_t (*signal)(const void *context, int index, uint32_t element); // a term
    const void *context;
    int32_t time; // the term of the time in seconds
} tac__expr_leaves;

// The value of a checked expression without operators that remember, as a term of a pool. `*fault`
// is the condition that it compares something with NaN though the value is a number. The arena is
// for what is needed on the way.
struct tac__terms;
TAC_MUST_CHECK tac_status tac__expr_terms(const tac__expr *expr, tac__arena *arena,
                                          struct tac__terms *pool, const tac__expr_leaves *leaves,
                                          int32_t *value, int32_t *fault, tac_error *err);

// The type of a checked expression and, of a number, its unit.
tac__expr_type tac__expr_type_of(const tac__expr *expr);
const tac__unit *tac__expr_unit_of(const tac__expr *expr);

typedef struct tac__expr_result {
    double value;    // of a condition 1 or 0
    const char *nan; // what was not a number where one was needed: a signal, or the whole text
} tac__expr_result;

// Evaluate at `t_us`, which must not decrease from call to call. `signals[i]` points to the double
// of the signal with index i; a bool is 1 or 0. A comparison with NaN is false, and result.nan
// names the culprit. `memory` is the caller's: tac__expr_memory words, all 0 before the first
// evaluation; NULL where none are needed.
tac__expr_result tac__program_run(const tac__program *program, tac_time t_us,
                                  const void *const *signals, uint64_t *memory);

// The same at any time in seconds, for a program that needs no memory.
tac__expr_result tac__program_run_at(const tac__program *program, double t_s,
                                     const void *const *signals);

// The earliest time, at or after `from_us`, at which a held() that is counting becomes true if its
// condition stays true: evaluate the program again then. TAC_TIME_NEVER where none is counting.
tac_time tac__program_next(const tac__program *program, const uint64_t *memory, tac_time from_us);

// --- derivatives --------------------------------------------------------------------------------

// A compiled expression without operators that remember, on dual numbers: the same terms, so that
// values have the same bits, and derivatives are exact. A run uses memory that was allocated when
// it was compiled.
typedef struct tac__expr_duals tac__expr_duals;

TAC_MUST_CHECK tac_status tac__expr_duals_compile(tac__arena *arena, const tac__expr *expr,
                                                  tac__expr_duals **duals, tac_error *err);
// `t` is the dual of the time in seconds, `signals[i]` leads to the duals of the signal with index
// i, TAC_DUAL_WIDTH doubles each.
void tac__expr_duals_run(const tac__expr_duals *duals, const double *t,
                         const double *const *signals, double *value);

// --- margins ------------------------------------------------------------------------------------

// By how much a condition holds: the signed distance of a comparison, the smaller one of an AND,
// the larger one of an OR, with the other sign of a NOT. What has no distance (a signal of type
// bool, a label, held) is infinite: positive where it is true. Positive where the condition is
// true, negative where it is false; 0 may be either.
typedef struct tac__margin tac__margin;

typedef struct tac__margin_result {
    double margin;          // NaN: a comparison with NaN
    double value;           // of the side of the deciding comparison that is no number; NaN: none
    const char *unit;       // of both, NULL: none
    const char *comparison; // the text of the deciding comparison; NULL: none
} tac__margin_result;

// From a compiled condition.
TAC_MUST_CHECK tac_status tac__margin_compile(tac__arena *arena, const tac__expr *expr,
                                              tac__margin **margin, tac_error *err);
// As tac__program_run, with the memory as it was before the condition was evaluated at t_us, which
// is left alone: `copy` has room for as much.
tac__margin_result tac__margin_run(const tac__margin *margin, tac_time t_us,
                                   const void *const *signals, const uint64_t *memory,
                                   uint64_t *copy);

// What a margin follows from: both sides of every comparison, and what is true or not. They can be
// computed elsewhere, as terms of any pool, of a condition without operators that remember.
struct tac__range;
size_t tac__margin_side_count(const tac__margin *margin);
TAC_MUST_CHECK tac_status tac__margin_sides(const tac__margin *margin, tac__arena *arena,
                                            struct tac__terms *pool, const tac__expr_leaves *leaves,
                                            int32_t *sides);
// The margin from the values of the sides, and whether the condition holds. False: some side is not
// a number.
bool tac__margin_of(const tac__margin *margin, const double *sides, tac__margin_result *result,
                    bool *truth);
// Only the number; NaN where some side that counts is not a number.
double tac__margin_number(const tac__margin *margin, const double *sides);
// The same from ranges of the sides.
typedef struct tac__margin_range {
    double lo, hi;
    bool may, may_not; // the condition may be true; it may be false
    bool kink;         // the margin need not be smooth
    bool nan;          // some side may be NaN
} tac__margin_range;

tac__margin_range tac__margin_between(const tac__margin *margin, const struct tac__range *sides);

// A margin of a condition without operators that remember, on dual numbers: that of the deciding
// comparison. Prepared once; a run gets values of the signals, then their duals.
TAC_MUST_CHECK tac_status tac__margin_prepare_duals(tac__arena *arena, const tac__expr *expr,
                                                    tac__margin *margin, tac_error *err);
void tac__margin_run_duals(const tac__margin *margin, tac_time t_us, const void *const *signals,
                           const double *t, const double *const *duals, double *value);

#endif
