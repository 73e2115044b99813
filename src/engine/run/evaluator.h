// evaluator.h - the equations of an island in one kind of value (tac_kind): numbers for steps,
// duals for Jacobians, packs for several islands of the same shape at once.
//
// An evaluator has what kernels of its kind see: states, modes, inputs, outputs and numbers of all
// components of an island, and it knows the order in which they are evaluated. Coupled inputs point
// to what the writer of the signal has put out, or are converted on the way (unit, gain, offset) by
// the same arithmetic in every kind. Held inputs are values on the bus or in views: kernels of
// numbers see them there; for other kinds they are copied by tac__evaluator_hold.
//
// The kinds differ in one table (evaluator.c), and in the kernels that component types have: a new
// kind is a row.
//
// Arrays that depend on which islands are evaluated (modes, numbers, where held inputs come from)
// belong to a subject. Islands of the same shape can be evaluated one after another by one
// evaluator, each with a subject of its own. All memory is scratch.
#ifndef TAC_ENGINE_RUN_EVALUATOR_H
#define TAC_ENGINE_RUN_EVALUATOR_H

#include "engine/run/state.h"
#include "math/sym_ops.h"

enum { TAC__LANES_MAX = 8 };

// What a value of a kind is: `width` doubles, of which `lanes`, beginning with number `at`, are the
// values of as many islands. The others are 0 in a constant: derivatives, or the pool of a symbol.
typedef struct tac__form {
    size_t lanes, width, at;
    bool numbers; // the numbers of components (tac_eval.p) have this form; else they are doubles
    bool symbols; // each element of a bool, i32 or enum has this form, too; else it is what it is
} tac__form;

extern const tac__form tac__forms[TAC_KINDS];

// A coupled input that is not simply the writer's value.
typedef struct tac__passage {
    const void *from;
    double *to;
    uint32_t count;
    uint8_t scalar; // of the signal, a tac_scalar
    bool scaled;
    tac__factor factor; // between units
    double gain, offset;
} tac__passage;

// A component of the island.
typedef struct tac__member {
    tac_eval *eval; // of numbers: that of the instance
    const tac_kernels *kernels;
    const void *self;       // of a component of the same shape
    tac_instance *instance; // in the first island of the subject
    tac__passage *passages;
    size_t passage_count;
    size_t event_count;
    void *const *resting; // its outputs while it is inactive, in the form of the kind; NULL: those
                          // on the bus are constants
    // where its own parts begin, in doubles of the kind
    size_t x_at, event_at, number_at;
} tac__member;

// A held input in the form of the kind.
typedef struct tac__held {
    double *to;
    size_t count;
    uint32_t member, input;
} tac__held;

// Whether a component of symbols is active, and its outputs where it is not, one port behind
// another.
typedef struct tac__gate {
    tac__sym_value active;
    const tac__sym_value *rest;
    tac__sym_value *x; // room for its states
} tac__gate;

struct tac__evaluator {
    tac_kind kind;
    size_t count, early_count, held_count;
    const tac__island *island; // of numbers: the one that has it
    tac__member *members;      // in order of evaluation
    bool simple;               // `derive` of one member is all there is to the right-hand side
    uint32_t *early;           // members whose `output` also runs before all others
    double *x;                 // where the right-hand side is evaluated
    tac__held *held;           // empty for numbers
    size_t number_count;       // of all members
    const tac__gate *gates;    // symbols: of each member, and not `simple`; NULL: active or not as
                               // in the run
};

// Which islands are evaluated: one for each lane.
typedef struct tac__subject {
    tac__island *islands[TAC__LANES_MAX];
    tac_instance **first;  // the components of the first island, in the order of the members
    const double **held;   // where held input h of a lane is: held[h * lanes + lane]
    double *mode;          // in the form of the kind
    const double *numbers; // of all members, one behind another; NULL: they are doubles
} tac__subject;

// Have the components of the island the kernels of this kind that its right-hand side needs?
bool tac__evaluator_exists(const tac_engine *engine, const tac__island *island, tac_kind kind);

// Make an evaluator for the island and all of the same shape, in memory of the arena. `x`: where
// states are; NULL: in an array of its own.
tac_status tac__evaluator_make(tac_engine *engine, tac__arena *arena, const tac__island *island,
                               tac_kind kind, double *x, tac__evaluator **made);

// Modes are to be set by tac__subject_modes. Numbers are copied from `islands`; if `like` is not
// NULL and has the same numbers, the copy is shared with it.
tac_status tac__subject_make(tac__arena *arena, const tac__evaluator *evaluator,
                             tac__island *const *islands, const tac__subject *like,
                             tac__subject *made);

// From now on these islands are evaluated.
void tac__evaluator_aim(const tac__evaluator *evaluator, const tac__subject *subject);

// Copy held inputs as they are now; and the modes of the islands. Of packs only where the machine
// has them (tac__packs_sound).
void tac__evaluator_hold(const tac__evaluator *evaluator, const tac__subject *subject);
void tac__subject_modes(const tac__evaluator *evaluator, const tac__subject *subject);

// dx/dt at x. `t_s` has the time of each lane. The status is that of the first kernel that failed.
tac_status tac__evaluator_derive(const tac__evaluator *evaluator, const double *t_s, double *dx);
tac_status tac__evaluator_derive_timed(const tac__evaluator *evaluator, const double *t_s,
                                       double *dx);
// Outputs at x: all, or those that others read while integrating.
tac_status tac__evaluator_outputs(const tac__evaluator *evaluator, const double *t_s, bool all);
// All outputs, then dx/dt, at x: for kinds other than numbers.
tac_status tac__evaluator_all(const tac__evaluator *evaluator, const double *t_s, double *dx);

// The numbers of all events at x, after outputs; states `x` back onto their bounds.
tac_status tac__evaluator_detect(const tac__evaluator *evaluator, const double *t_s, double *g);
tac_status tac__evaluator_project(const tac__evaluator *evaluator, double *x);

// Where an evaluator of this kind has the value of a signal of the island.
const void *tac__evaluator_signal(const tac_engine *engine, const tac__evaluator *evaluator,
                                  int signal);

// A symbol as it is seen through another unit, a gain and an offset: the arithmetic of numbers.
tac__sym_value tac__symbol_converted(tac__sym_value value, tac__factor factor, double gain,
                                     double offset);

// How many doubles the value of a port takes in a form.
size_t tac__form_words(const tac__form *form, const tac_type *type);

// Values of a kind at `memory`, one port behind another; `at` points to each. Returns the end.
double *tac__lay_ports(const tac__ports *ports, const tac__form *form, double *memory, void **at);

#endif
