// real_sym.hh - scalar kind sym: a node of a graph under construction. Included by real.h only.
//
// Evaluating model code of this kind writes down the graph. Values are known only when the graph
// runs, so there is nothing to branch on: `cond` does not convert to bool, and an `if` on a value
// does not compile. C++ is used for its operators only; nothing of its library is linked.
#ifndef __cplusplus
#error "the sym kind is compiled as C++17"
#endif

#include "math/sym_ops.h"

// The constructor is forced inline, so that C++ keeps no shared copy of it for all units.
struct tac__sym {
    int id;

    tac__sym() = default;
    [[gnu::always_inline]] tac__sym(double value) : id(tac__sym_constant(value)) {}
};

struct tac__sym_cond {
    int id;
};

typedef tac__sym real;
typedef tac__sym_cond cond;

#define R(x) real(x)

// The only way from an id to a real: real(3) is the constant 3.
static inline real tac__real_of_node(int id)
{
    real r;
    r.id = id;
    return r;
}

// One line an operation.
// clang-format off

#define TAC__SYM_REAL(op, a, b, c) tac__real_of_node(tac__sym_node(TAC__SYM_##op, a, b, c))
#define TAC__SYM_COND(op, a, b) cond{tac__sym_node(TAC__SYM_##op, a, b, -1)}

static inline real operator-(real a) { return TAC__SYM_REAL(neg, a.id, -1, -1); }
static inline real operator+(real a, real b) { return TAC__SYM_REAL(add, a.id, b.id, -1); }
static inline real operator-(real a, real b) { return TAC__SYM_REAL(sub, a.id, b.id, -1); }
static inline real operator*(real a, real b) { return TAC__SYM_REAL(mul, a.id, b.id, -1); }
static inline real operator/(real a, real b) { return TAC__SYM_REAL(div, a.id, b.id, -1); }

static inline real &operator+=(real &a, real b) { return a = a + b; }
static inline real &operator-=(real &a, real b) { return a = a - b; }
static inline real &operator*=(real &a, real b) { return a = a * b; }
static inline real &operator/=(real &a, real b) { return a = a / b; }

static inline cond operator<(real a, real b) { return TAC__SYM_COND(lt, a.id, b.id); }
static inline cond operator>(real a, real b) { return TAC__SYM_COND(lt, b.id, a.id); }
static inline cond operator<=(real a, real b) { return TAC__SYM_COND(le, a.id, b.id); }
static inline cond operator>=(real a, real b) { return TAC__SYM_COND(le, b.id, a.id); }

static inline cond c_and(cond a, cond b) { return TAC__SYM_COND(logic_and, a.id, b.id); }
static inline cond c_or(cond a, cond b) { return TAC__SYM_COND(logic_or, a.id, b.id); }
static inline cond c_not(cond a) { return TAC__SYM_COND(logic_not, a.id, -1); }
static inline int c_all(cond) { return 0; }

static inline real r_select(cond c, real a, real b)
{
    return TAC__SYM_REAL(select, c.id, a.id, b.id);
}
static inline real r_abs(real a) { return TAC__SYM_REAL(abs, a.id, -1, -1); }
static inline real r_sqrt(real a) { return TAC__SYM_REAL(sqrt, a.id, -1, -1); }
static inline real r_floor(real a) { return TAC__SYM_REAL(floor, a.id, -1, -1); }

#define TAC__SYM_1(name, accuracy) \
    static inline real r_##name(real a) { return TAC__SYM_REAL(name, a.id, -1, -1); }
#define TAC__SYM_2(name, accuracy) \
    static inline real r_##name(real a, real b) { return TAC__SYM_REAL(name, a.id, b.id, -1); }

TAC__ELEMENTARY_1(TAC__SYM_1)
TAC__ELEMENTARY_2(TAC__SYM_2)

// clang-format on

// A graph has no memory to index: the entry is selected.
static inline real r_pick(const double *data, int count, real index)
{
    real y = R(data[0]);
    for (int i = 1; i < count; i++)
        y = r_select(index >= i, R(data[i]), y);
    return y;
}
