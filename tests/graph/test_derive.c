// Derivatives of graphs, against dual numbers, complex steps and differences; and what they promise
// about dead branches, loops and their size.
#include "support/test.h"

#include "graph/derive.h"
#include "graph/tape.h"
#include "graph/evaluate.h"
#include "graph/schedule.h"
#include "math/inputs.h"
#include "support/allocator.h"

#include <complex.h>

enum { INPUTS = 8, OUTPUTS = 128, DIRECTIONS = 8 };

int tac__sample_dual(const double *in, double *out);
int tac__sample_sym(const tac__sym_value *in, tac__sym_value *out);

static tac_error err;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != TAC_OK)                                                                      \
            fail_msg("%s", err.text);                                                              \
    } while (0)

// --- small graphs -------------------------------------------------------------------------------

// A graph f from x[n] to y[m], to be written in the language of terms.
typedef struct small {
    tac_graph *f;
    tac__terms *pool;
    int32_t x[16];
} small;

static small begin_as(size_t n, bool fast)
{
    small s;
    OK(tac__graph_create(NULL, "f", fast, NULL, &s.f, &err));
    s.pool = tac__graph_pool(s.f);
    const tac__group *x = tac__graph_add_input(s.f, "x", n, NULL);
    assert_non_null(x);
    memcpy(s.x, x->terms, n * sizeof *s.x);
    return s;
}

static small begin(size_t n)
{
    return begin_as(n, false);
}

static void give(small *s, size_t m, const int32_t *y)
{
    assert_non_null(tac__graph_add_output(s->f, "y", m, y));
}

static int32_t op2(const small *s, tac__sym_op op, int32_t a, int32_t b)
{
    return tac__term_make(s->pool, op, a, b, b);
}

static int32_t op1(const small *s, tac__sym_op op, int32_t a)
{
    return op2(s, op, a, a);
}

static int32_t k(const small *s, double value)
{
    return tac__term_constant(s->pool, value);
}

#define ADD(a, b)       op2(&s, TAC__SYM_add, a, b)
#define SUB(a, b)       op2(&s, TAC__SYM_sub, a, b)
#define MUL(a, b)       op2(&s, TAC__SYM_mul, a, b)
#define DIV(a, b)       op2(&s, TAC__SYM_div, a, b)
#define LT(a, b)        op2(&s, TAC__SYM_lt, a, b)
#define SELECT(c, a, b) tac__term_make(s.pool, TAC__SYM_select, c, a, b)

// --- comparing ----------------------------------------------------------------------------------

static void check_near(double got, double expected, double tolerance, const char *what, int i,
                       int j)
{
    if (!(fabs(got - expected) <= tolerance * (1 + fabs(expected))))
        fail_msg("%s: d y[%d] / d x[%d] is %.17g, not %.17g", what, i, j, got, expected);
}

// A sparse matrix of a graph as a dense one, row by row.
static void dense(const tac_graph *g, const char *name, const double *const *in, double *matrix)
{
    const tac__group *m = group_of(g, name);
    double *entries = calloc(m->count + 1, sizeof *entries);
    assert_non_null(entries);
    evaluate(g, name, in, entries);
    for (size_t i = 0; i < m->rows * m->columns; i++)
        matrix[i] = 0;
    for (size_t j = 0; j < m->columns; j++) {
        for (int e = m->starts[j]; e < m->starts[j + 1]; e++)
            matrix[(size_t)m->row_of[e] * m->columns + j] = entries[e];
    }
    free(entries);
}

// The Jacobian of f (of one input) made of single products with vectors, in both modes.
static void by_products(const tac_graph *f, const double *x, double *forward, double *reverse)
{
    tac_graph *jvp, *vjp;
    OK(tac__graph_jvp(f, NULL, NULL, &jvp, &err));
    OK(tac__graph_vjp(f, NULL, NULL, &vjp, &err));
    const size_t n = f->in[0].count, m = f->out[0].count;
    double unit[OUTPUTS] = {0}, column[OUTPUTS];
    for (size_t j = 0; j < n; j++) {
        unit[j] = 1;
        evaluate(jvp, "fwd_y", (const double *[]){x, unit}, column);
        unit[j] = 0;
        for (size_t i = 0; i < m; i++)
            forward[i * n + j] = column[i];
    }
    for (size_t i = 0; i < m; i++) {
        unit[i] = 1;
        evaluate(vjp, "adj_x", (const double *[]){x, unit}, reverse + i * n);
        unit[i] = 0;
    }
    tac__graph_destroy(jvp);
    tac__graph_destroy(vjp);
}

// --- the sample model ---------------------------------------------------------------------------

static tac_graph *trace_sample(void)
{
    small s = begin(INPUTS);
    tac__sym_value in[INPUTS], out[OUTPUTS];
    for (int i = 0; i < INPUTS; i++)
        in[i] = tac__sym_of(s.pool, s.x[i]);
    const int count = tac__sample_sym(in, out);
    int32_t y[OUTPUTS];
    for (int i = 0; i < count; i++)
        y[i] = tac__term_of(s.pool, out[i]);
    give(&s, (size_t)count, y);
    return s.f;
}

static void dual_jacobian(const double *x, size_t count, double *jacobian)
{
    double in[INPUTS][1 + DIRECTIONS] = {{0}}, out[OUTPUTS][1 + DIRECTIONS];
    for (int i = 0; i < INPUTS; i++) {
        in[i][0] = x[i];
        in[i][1 + i] = 1;
    }
    assert_int_equal(tac__sample_dual(&in[0][0], &out[0][0]), count);
    for (size_t i = 0; i < count; i++)
        memcpy(jacobian + i * INPUTS, out[i] + 1, sizeof *jacobian * INPUTS);
}

static void test_sample_has_the_jacobian_of_duals(void **state)
{
    (void)state;
    tac_graph *f = trace_sample(), *jacobian;
    OK(tac__graph_jacobian(f, "y", "x", &jacobian, &err));
    const size_t m = f->out[0].count;
    static double expected[OUTPUTS * INPUTS], got[OUTPUTS * INPUTS], forward[OUTPUTS * INPUTS],
        reverse[OUTPUTS * INPUTS];
    uint64_t seed = 3;
    for (int trial = 0; trial < 8; trial++) {
        double x[INPUTS];
        for (int i = 0; i < INPUTS; i++)
            x[i] = input_uniform(&seed, trial < 4 ? 0.1 : -0.9, 0.9);
        dual_jacobian(x, m, expected);
        dense(jacobian, "jac_y_x", (const double *[]){x}, got);
        if (trial < 5)
            by_products(f, x, forward, reverse);
        for (size_t i = 0; i < m * INPUTS; i++) {
            if (isnan(expected[i])) // as of a logarithm below 0
                continue;
            const int row = (int)i / INPUTS, column = (int)i % INPUTS;
            check_near(got[i], expected[i], 1e-12, "jacobian", row, column);
            if (trial < 5) {
                check_near(forward[i], expected[i], 1e-12, "jvp", row, column);
                check_near(reverse[i], expected[i], 1e-12, "vjp", row, column);
            }
        }
    }
    tac__graph_destroy(jacobian);
    tac__graph_destroy(f);
}

// At kinks, poles and ends of ranges the graph says what dual numbers say: finite where they are.
static void test_sample_at_edges(void **state)
{
    (void)state;
    tac_graph *f = trace_sample(), *jacobian;
    OK(tac__graph_jacobian(f, "y", "x", &jacobian, &err));
    const size_t m = f->out[0].count;
    static double expected[OUTPUTS * INPUTS], got[OUTPUTS * INPUTS];
    static const double edges[][INPUTS] = {
        {0, 2, 0, 0, 0, 0, 0, 0},    {-3, 2, 0.5, 1, 1, 0, 1, 0},  {0, 0, 1, 0, 0, 0, -2, -1},
        {1, 1, 1, 1, 1, 1, 4, 2},    {-0.5, -0.5, -0.5, 0, 0, 0},  {0, 0.5, 0, 0, 1, 0, 0.25, 0.5},
        {0.5, 0.5, 0.5, 0, 0, 0, 5}, {-1, 0, 2, 3, -1, 2, -5, -5},
    };
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++) {
        dual_jacobian(edges[e], m, expected);
        dense(jacobian, "jac_y_x", (const double *[]){edges[e]}, got);
        for (size_t i = 0; i < m * INPUTS; i++) {
            if (isfinite(expected[i]))
                check_near(got[i], expected[i], 1e-12, "at an edge", (int)i / INPUTS,
                           (int)i % INPUTS);
        }
    }
    tac__graph_destroy(jacobian);
    tac__graph_destroy(f);
}

// Powers with constant exponents have rules of their own.
static void test_constant_exponents(void **state)
{
    (void)state;
    static const double exponents[] = {0, 1, 1.5, 2, 2.5, 3, 0.5, -1, -0.5, 7};
    enum { COUNT = sizeof exponents / sizeof *exponents };
    small s = begin(1);
    int32_t y[COUNT];
    for (int i = 0; i < COUNT; i++)
        y[i] = op2(&s, TAC__SYM_pow, s.x[0], k(&s, exponents[i]));
    give(&s, COUNT, y);
    tac_graph *jacobian;
    OK(tac__graph_jacobian(s.f, NULL, NULL, &jacobian, &err));
    static const double at[] = {0.3, 1, 2.5, 0};
    for (size_t n = 0; n < sizeof at / sizeof *at; n++) {
        double slope[COUNT];
        dense(jacobian, "jac_y_x", (const double *[]){&at[n]}, slope);
        for (int i = 0; i < COUNT; i++) {
            const double e = exponents[i], expected = e == 0 ? 0 : e * pow(at[n], e - 1);
            if (isfinite(expected))
                check_near(slope[i], expected, 1e-15, "power", i, 0);
            else
                assert_true(slope[i] == expected);
        }
    }
    tac__graph_destroy(jacobian);
    tac__graph_destroy(s.f);
}

// --- complex steps ------------------------------------------------------------------------------

static double complex complex_term(const tac__terms *pool, const tac__term *t,
                                   const double complex *in, const double complex *v)
{
    (void)pool;
    switch (t->op) {
    case TAC__SYM_constant:
        return t->value;
    case TAC__SYM_input:
        return in[t->a];
    case TAC__SYM_neg:
        return -v[t->a];
    case TAC__SYM_add:
        return v[t->a] + v[t->b];
    case TAC__SYM_sub:
        return v[t->a] - v[t->b];
    case TAC__SYM_mul:
        return v[t->a] * v[t->b];
    case TAC__SYM_div:
        return v[t->a] / v[t->b];
    case TAC__SYM_pow:
        return cpow(v[t->a], v[t->b]);
#define COMPLEX(name)                                                                              \
    case TAC__SYM_##name:                                                                          \
        return c##name(v[t->a]);
        COMPLEX(sqrt)
        COMPLEX(sin)
        COMPLEX(cos)
        COMPLEX(tan)
        COMPLEX(asin)
        COMPLEX(acos)
        COMPLEX(atan)
        COMPLEX(sinh)
        COMPLEX(cosh)
        COMPLEX(tanh)
        COMPLEX(exp)
        COMPLEX(log)
    default:
        fail_msg("%s is not analytic here", tac__op_name((tac__sym_op)t->op));
        return 0;
    }
}

// A chain of all of these functions, with arguments where they are analytic.
static int32_t analytic(small s)
{
    static const tac__sym_op functions[] = {
        TAC__SYM_sin,  TAC__SYM_cos,  TAC__SYM_tan,  TAC__SYM_asin, TAC__SYM_acos, TAC__SYM_atan,
        TAC__SYM_sinh, TAC__SYM_cosh, TAC__SYM_tanh, TAC__SYM_exp,  TAC__SYM_log,  TAC__SYM_sqrt};
    int32_t sum = s.x[0];
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const int32_t tame = MUL(k(&s, 0.3), ADD(k(&s, 1.5), op1(&s, TAC__SYM_sin, sum)));
        sum = ADD(DIV(op1(&s, functions[i], tame), ADD(s.x[1], k(&s, 2))), MUL(sum, s.x[2]));
        sum = SUB(sum, op2(&s, TAC__SYM_pow, tame, ADD(s.x[1], k(&s, 1))));
    }
    return sum;
}

static void test_analytic_functions_match_complex_steps(void **state)
{
    (void)state;
    small s = begin(3);
    const int32_t y = analytic(s);
    const size_t terms = s.pool->count;
    give(&s, 1, &y);
    const double x[3] = {0.4, 0.7, -0.6};
    double forward[3], reverse[3];
    by_products(s.f, x, forward, reverse);
    for (int j = 0; j < 3; j++) {
        double complex in[3] = {x[0], x[1], x[2]}, *v = calloc(terms, sizeof *v);
        assert_non_null(v);
        ((double *)&in[j])[1] = 1e-40; // CMPLX is not in every compiler
        for (size_t i = 0; i < terms; i++)
            v[i] = complex_term(s.pool, &s.pool->terms[i], in, v);
        check_near(forward[j], cimag(v[y]) / 1e-40, 1e-13, "forward", 0, j);
        check_near(reverse[j], cimag(v[y]) / 1e-40, 1e-13, "reverse", 0, j);
        free(v);
    }
    tac__graph_destroy(s.f);
}

// --- dead branches ------------------------------------------------------------------------------

enum { DEAD = 9 };

// Values y[DEAD] that are infinite or NaN at some x that is not above 0, where a select takes x z
// in their places; their sum.
static int32_t dead_branches(small s, int32_t x, int32_t z, int32_t *y)
{
    const int32_t zero = k(&s, 0), alive = LT(zero, x);
    const int32_t dead[DEAD] = {
        op1(&s, TAC__SYM_sqrt, x),
        DIV(z, x),
        op1(&s, TAC__SYM_log, x),
        MUL(op1(&s, TAC__SYM_sqrt, x), DIV(z, op1(&s, TAC__SYM_sin, x))),
        op2(&s, TAC__SYM_pow, x, z),
        op2(&s, TAC__SYM_hypot, x, SUB(x, x)),
        op2(&s, TAC__SYM_atan2, x, SUB(x, x)),
        op1(&s, TAC__SYM_exp, DIV(k(&s, -1), x)),
        MUL(z, op2(&s, TAC__SYM_max, op1(&s, TAC__SYM_sqrt, x), DIV(k(&s, 1), x))),
    };
    int32_t sum = zero;
    for (int i = 0; i < DEAD; i++) {
        y[i] = SELECT(alive, MUL(dead[i], dead[i]), MUL(x, z));
        sum = ADD(sum, y[i]);
    }
    return sum;
}

// They leave no trace in any derivative.
static void leave_no_nan(bool fast)
{
    small s = begin_as(2, fast);
    int32_t y[DEAD];
    const int32_t sum = dead_branches(s, s.x[0], s.x[1], y);
    give(&s, DEAD, y);
    assert_non_null(tac__graph_add_output(s.f, "sum", 1, &sum));
    tac_graph *jacobian, *gradient, *hessian;
    OK(tac__graph_jacobian(s.f, "y", NULL, &jacobian, &err));
    OK(tac__graph_vjp(s.f, "sum", NULL, &gradient, &err));
    OK(tac__graph_hessian(s.f, "sum", NULL, TAC__TRIANGLE_BOTH, &hessian, &err));
    static const double at[][2] = {{0, 3}, {-2, 3}, {-0.0, 0}, {-1, 0}};
    for (size_t n = 0; n < sizeof at / sizeof *at; n++) {
        const double one = 1;
        double j[2 * DEAD], g[2], h[4];
        dense(jacobian, "jac_y_x", (const double *[]){at[n]}, j);
        evaluate(gradient, "adj_x", (const double *[]){at[n], &one}, g);
        dense(hessian, "hess", (const double *[]){at[n]}, h);
        for (int i = 0; i < DEAD; i++) {
            check_near(j[2 * i], at[n][1], 0, "forward", i, 0);
            check_near(j[2 * i + 1], at[n][0], 0, "forward", i, 1);
        }
        check_near(g[0], DEAD * at[n][1], 0, "reverse", 0, 0);
        check_near(g[1], DEAD * at[n][0], 0, "reverse", 0, 1);
        check_near(h[0], 0, 0, "hessian", 0, 0);
        check_near(h[1], DEAD, 0, "hessian", 0, 1);
        check_near(h[2], DEAD, 0, "hessian", 1, 0);
        check_near(h[3], 0, 0, "hessian", 1, 1);
    }
    tac__graph_destroy(jacobian);
    tac__graph_destroy(gradient);
    tac__graph_destroy(hessian);
    tac__graph_destroy(s.f);
}

// Nor where reverse mode differentiates what another sweep made: x and z are groups of their own,
// so that the sum by x is one number, of which the Jacobian is taken by rows.
static void leave_no_nan_twice(bool fast)
{
    enum { N = 4 };
    small s = begin_as(1, fast);
    const int32_t *z = tac__graph_add_input(s.f, "z", N, NULL)->terms;
    int32_t y[DEAD], all = z[0];
    for (int i = 1; i < N; i++)
        all = ADD(all, z[i]);
    const int32_t sum = dead_branches(s, s.x[0], all, y);
    assert_non_null(tac__graph_add_output(s.f, "sum", 1, &sum));
    tac_graph *jvp, *vjp, *vjp_of_jvp, *vjp_of_vjp, *jacobian, *jacobian_of_jacobian;
    OK(tac__graph_jvp(s.f, NULL, "x", &jvp, &err));
    OK(tac__graph_vjp(s.f, NULL, "x", &vjp, &err));
    OK(tac__graph_vjp(jvp, NULL, NULL, &vjp_of_jvp, &err));
    OK(tac__graph_vjp(vjp, NULL, NULL, &vjp_of_vjp, &err));
    OK(tac__graph_jacobian(s.f, NULL, "x", &jacobian, &err));
    OK(tac__graph_jacobian(jacobian, NULL, NULL, &jacobian_of_jacobian, &err));
    tac__arena arena;
    tac__jacobian_facts facts;
    tac__arena_init(&arena, NULL);
    OK(tac__graph_pattern(&arena, jacobian, NULL, NULL, &facts, &err));
    assert_true(facts.by_rows);
    tac__arena_fini(&arena);
    static const double at[][1 + N] = {{0, 3, 1, 2, -1}, {-2, 3}, {-0.0, 0}, {-1, 0}};
    for (size_t n = 0; n < sizeof at / sizeof *at; n++) {
        const double along = 2, back = 3, *in[] = {at[n], at[n] + 1, &along, &back};
        double by_x[3], by_z[3][N];
        evaluate(vjp_of_jvp, "adj_x", in, &by_x[0]);
        evaluate(vjp_of_jvp, "adj_z", in, by_z[0]);
        evaluate(vjp_of_vjp, "adj_x", in, &by_x[1]);
        evaluate(vjp_of_vjp, "adj_z", in, by_z[1]);
        dense(jacobian_of_jacobian, "jac_jac_sum_x_x", in, &by_x[2]);
        dense(jacobian_of_jacobian, "jac_jac_sum_x_z", in, by_z[2]);
        for (int way = 0; way < 3; way++) {
            check_near(by_x[way], 0, 0, "twice", way, 0);
            for (int i = 0; i < N; i++)
                check_near(by_z[way][i], way < 2 ? along * back * DEAD : DEAD, 0, "twice", way, i);
        }
    }
    tac__graph_destroy(jvp);
    tac__graph_destroy(vjp);
    tac__graph_destroy(vjp_of_jvp);
    tac__graph_destroy(vjp_of_vjp);
    tac__graph_destroy(jacobian);
    tac__graph_destroy(jacobian_of_jacobian);
    tac__graph_destroy(s.f);
}

static void test_dead_branches_leave_no_nan(void **state)
{
    (void)state;
    leave_no_nan(false);
    leave_no_nan(true);
    leave_no_nan_twice(false);
    leave_no_nan_twice(true);
}

// A force k |v| v at rest: the norm has no derivative there, the force has one in both modes.
static void test_norm_at_zero(void **state)
{
    (void)state;
    small s = begin(2);
    const int32_t norm = op1(&s, TAC__SYM_sqrt, ADD(MUL(s.x[0], s.x[0]), MUL(s.x[1], s.x[1])));
    const int32_t y[3] = {MUL(norm, s.x[0]), MUL(norm, s.x[1]), norm};
    give(&s, 3, y);
    const double x[2] = {0, 0};
    double forward[6], reverse[6];
    by_products(s.f, x, forward, reverse);
    for (int i = 0; i < 6; i++) {
        check_near(forward[i], 0, 0, "forward", i / 2, i % 2);
        check_near(reverse[i], 0, 0, "reverse", i / 2, i % 2);
    }
    tac__graph_destroy(s.f);
}

// --- loops --------------------------------------------------------------------------------------

// v e^v = a b by Newton's method, in a graph of x = (a, b); exports e^v and v a. The derivatives of
// the rounds themselves would be others: the first guess depends on a.
static tac_graph *lambert(double residual_of_v)
{
    small s = begin(2);
    const tac__sym_value initial[2] = {tac__sym_of(s.pool, op1(&s, TAC__SYM_log, s.x[0])),
                                       tac__sym_of(s.pool, s.x[1])};
    tac__sym_value vars[2];
    const tac__sym_loop loop = tac__sym_loop_begin(s.pool, 50, 2, initial, vars);
    const int32_t v = tac__term_of(s.pool, vars[0]), power = op1(&s, TAC__SYM_exp, v);
    const int32_t target = MUL(s.x[0], s.x[1]), residual = SUB(MUL(v, power), target);
    const int32_t step = DIV(residual, MUL(power, ADD(v, k(&s, 1))));
    const int32_t settled = LT(op1(&s, TAC__SYM_abs, step), k(&s, 1e-15));
    tac__sym_value next[2] = {tac__sym_of(s.pool, SUB(v, step)), vars[0]};
    tac__sym_value exported[2] = {tac__sym_of(s.pool, power), tac__sym_of(s.pool, MUL(v, s.x[0]))};
    const int32_t tied = residual_of_v != 0 ? residual : target;
    tac__sym_loop_end(loop, next, tac__sym_of(s.pool, settled), tac__sym_of(s.pool, tied), 2,
                      exported);
    const int32_t y[4] = {tac__term_of(s.pool, next[0]), tac__term_of(s.pool, exported[0]),
                          tac__term_of(s.pool, exported[1]),
                          MUL(tac__term_of(s.pool, exported[0]), tac__term_of(s.pool, next[0]))};
    give(&s, 4, y);
    return s.f;
}

static void test_loops_are_implicit_functions(void **state)
{
    (void)state;
    tac_graph *f = lambert(1), *jacobian, *second;
    OK(tac__graph_jacobian(f, NULL, NULL, &jacobian, &err));
    OK(tac__graph_lagrangian(f, NULL, NULL, TAC__TRIANGLE_BOTH, &second, &err));
    const double x[2] = {1.7, 0.8}, lambda[4] = {1, -2, 3, 0.5};
    double y[4], j[8], forward[8], reverse[8], hess[4];
    evaluate(f, "y", (const double *[]){x}, y);
    assert_true(fabs(y[0] * exp(y[0]) - x[0] * x[1]) < 1e-14);
    // dv = d(a b) / (e^v (1 + v))
    const double by_target = 1 / (y[1] * (1 + y[0]));
    const double dv[2] = {x[1] * by_target, x[0] * by_target};
    dense(jacobian, "jac_y_x", (const double *[]){x}, j);
    by_products(f, x, forward, reverse);
    for (int c = 0; c < 2; c++) {
        const double expected[4] = {dv[c], y[1] * dv[c], x[0] * dv[c] + (c == 0 ? y[0] : 0),
                                    x[1 - c]};
        for (int i = 0; i < 4; i++) {
            check_near(j[2 * i + c], expected[i], 1e-14, "jacobian", i, c);
            check_near(forward[2 * i + c], expected[i], 1e-14, "forward", i, c);
            check_near(reverse[2 * i + c], expected[i], 1e-14, "reverse", i, c);
        }
    }
    // Second derivatives against differences of the Jacobian.
    dense(second, "hess", (const double *[]){x, lambda}, hess);
    for (int c = 0; c < 2; c++) {
        double up[2] = {x[0], x[1]}, down[2] = {x[0], x[1]}, ju[8], jd[8];
        up[c] += 1e-5;
        down[c] -= 1e-5;
        dense(jacobian, "jac_y_x", (const double *[]){up}, ju);
        dense(jacobian, "jac_y_x", (const double *[]){down}, jd);
        for (int r = 0; r < 2; r++) {
            double expected = 0;
            for (int i = 0; i < 4; i++)
                expected += lambda[i] * (ju[2 * i + r] - jd[2 * i + r]) / 2e-5;
            check_near(hess[2 * r + c], expected, 1e-8, "hessian", r, c);
        }
    }
    // What the loop exports is not computed again.
    const tac__terms *pool = tac__graph_pool(f);
    int powers = 0;
    for (size_t i = 0; i < pool->count; i++)
        powers += pool->terms[i].op == TAC__SYM_exp;
    assert_int_equal(powers, 1);
    tac__graph_destroy(second);
    tac__graph_destroy(jacobian);
    tac__graph_destroy(f);
}

static void test_loops_that_cannot_be_differentiated(void **state)
{
    (void)state;
    tac_graph *f = lambert(0), *made;
    assert_int_equal(tac__graph_jacobian(f, NULL, NULL, &made, &err), TAC_E_LIMIT);
    assert_null(made);
    tac__graph_destroy(f);

    small s = begin(1);
    tac__sym_value at = tac__sym_of(s.pool, s.x[0]), outer, inner;
    const tac__sym_loop a = tac__sym_loop_begin(s.pool, 5, 1, &at, &outer);
    const tac__sym_loop b = tac__sym_loop_begin(s.pool, 5, 1, &outer, &inner);
    const int32_t v = tac__term_of(s.pool, inner), u = tac__term_of(s.pool, outer);
    tac__sym_value next = tac__sym_of(s.pool, ADD(v, u));
    tac__sym_loop_end(b, &next, tac__sym_of(s.pool, LT(u, v)), tac__sym_of(s.pool, SUB(v, u)), 0,
                      NULL);
    tac__sym_value residual = tac__sym_of(s.pool, SUB(tac__term_of(s.pool, next), u));
    tac__sym_loop_end(a, &next, tac__sym_of(s.pool, LT(v, u)), residual, 0, NULL);
    give(&s, 1, &next.id);
    assert_int_equal(tac__graph_vjp(s.f, NULL, NULL, &made, &err), TAC_E_LIMIT);
    assert_non_null(strstr(err.text, "within a loop"));
    tac__graph_destroy(s.f);
}

// --- second derivatives -------------------------------------------------------------------------

// The Lagrangian's Hessian of the sample, against differences of its gradient.
static void test_sample_second_derivatives(void **state)
{
    (void)state;
    tac_graph *f = trace_sample(), *gradient, *hessian, *lower;
    OK(tac__graph_vjp(f, NULL, NULL, &gradient, &err));
    OK(tac__graph_lagrangian(f, NULL, NULL, TAC__TRIANGLE_BOTH, &hessian, &err));
    OK(tac__graph_lagrangian(f, NULL, NULL, TAC__TRIANGLE_LOWER, &lower, &err));
    double x[INPUTS], lambda[OUTPUTS], full[INPUTS * INPUTS], half[INPUTS * INPUTS];
    uint64_t seed = 8;
    for (int i = 0; i < INPUTS; i++)
        x[i] = input_uniform(&seed, 0.2, 0.8);
    for (int i = 0; i < OUTPUTS; i++)
        lambda[i] = input_uniform(&seed, -1, 1);
    dense(hessian, "hess", (const double *[]){x, lambda}, full);
    dense(lower, "hess", (const double *[]){x, lambda}, half);
    for (int j = 0; j < INPUTS; j++) {
        double g[4][INPUTS];
        for (int n = 0; n < 4; n++) {
            double moved[INPUTS];
            memcpy(moved, x, sizeof x);
            moved[j] += (double[]){-2e-4, -1e-4, 1e-4, 2e-4}[n];
            evaluate(gradient, "adj_x", (const double *[]){moved, lambda}, g[n]);
        }
        for (int i = 0; i < INPUTS; i++) {
            const double slope = (g[0][i] - g[3][i] + 8 * (g[2][i] - g[1][i])) / 12e-4;
            check_near(full[i * INPUTS + j], slope, 1e-8, "hessian", i, j);
            assert_true(half[i * INPUTS + j] == (i >= j ? full[i * INPUTS + j] : 0));
        }
    }
    tac__graph_destroy(lower);
    tac__graph_destroy(hessian);
    tac__graph_destroy(gradient);
    tac__graph_destroy(f);
}

// A sum of x_i^2 x_0 + x_i^3: an arrow, for which two colours do.
static void test_hessian_of_an_arrow(void **state)
{
    (void)state;
    enum { N = 10 };
    small s = begin(N);
    int32_t sum = k(&s, 0);
    for (int i = 1; i < N; i++) {
        const int32_t square = MUL(s.x[i], s.x[i]);
        sum = ADD(sum, ADD(MUL(square, s.x[0]), MUL(square, s.x[i])));
    }
    give(&s, 1, &sum);
    tac_graph *hessian;
    OK(tac__graph_hessian(s.f, "y", "x", TAC__TRIANGLE_LOWER, &hessian, &err));
    const tac__group *h = group_of(hessian, "hess");
    assert_int_equal(h->count, 2 * (N - 1));
    double x[N], m[N * N];
    for (int i = 0; i < N; i++)
        x[i] = 0.5 + i;
    dense(hessian, "hess", (const double *[]){x}, m);
    for (int i = 1; i < N; i++) {
        assert_true(m[i * N] == 2 * x[i]);
        check_near(m[i * N + i], 2 * x[0] + 6 * x[i], 1e-15, "hessian", i, i);
    }
    tac__graph_destroy(hessian);

    tac_graph *made;
    const int32_t y[2] = {sum, sum};
    assert_non_null(tac__graph_add_output(s.f, "two", 2, y));
    assert_int_equal(tac__graph_hessian(s.f, "two", "x", TAC__TRIANGLE_BOTH, &made, &err),
                     TAC_E_TYPE);
    tac__graph_destroy(s.f);
}

// --- graphs at random ---------------------------------------------------------------------------

// An operation on terms drawn from those there are; a select decides by a comparison.
static int32_t draw_term(const small *s, uint64_t *seed, const int32_t *terms, int count)
{
    static const tac__sym_op ops[] = {TAC__SYM_add, TAC__SYM_sub,   TAC__SYM_mul,  TAC__SYM_mul,
                                      TAC__SYM_div, TAC__SYM_min,   TAC__SYM_max,  TAC__SYM_abs,
                                      TAC__SYM_sin, TAC__SYM_sqrt,  TAC__SYM_atan, TAC__SYM_hypot,
                                      TAC__SYM_pow, TAC__SYM_select};
    const tac__sym_op op = ops[input_bits(seed) % (sizeof ops / sizeof *ops)];
    int32_t in[4];
    for (int i = 0; i < 4; i++)
        in[i] = terms[input_bits(seed) % (uint64_t)count];
    if (op == TAC__SYM_select)
        return tac__term_make(s->pool, op, op2(s, TAC__SYM_lt, in[0], in[1]), in[2], in[3]);
    // Away from where there is no derivative: there infinities may cancel forward, but not reverse.
    if (op == TAC__SYM_sqrt || op == TAC__SYM_pow || op == TAC__SYM_hypot)
        in[0] = op2(s, TAC__SYM_add, op1(s, TAC__SYM_abs, in[0]), k(s, 0.25));
    return op2(s, op, in[0], in[1]);
}

// Few inputs and many terms give every pair of operations; many outputs or few give sweeps of both
// kinds, and Hessians that are sparse.
static small draw_graph(uint64_t *seed, size_t inputs, size_t outputs)
{
    enum { TERMS = 30 };
    small s = begin(inputs);
    int32_t terms[TERMS], y[8] = {0};
    int count = 0;
    for (size_t i = 0; i < inputs; i++)
        terms[count++] = s.x[i];
    terms[count++] = k(&s, 2);
    while (count < TERMS) {
        terms[count] = draw_term(&s, seed, terms, count);
        count++;
    }
    for (size_t i = 0; i < outputs; i++)
        y[i] = terms[TERMS - 1 - 2 * i];
    give(&s, outputs, y);
    return s;
}

static bool is_tame(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(values[i]) < 1e6))
            return false;
    }
    return true;
}

static size_t same_first(const small *s, const double *x)
{
    const size_t n = s->f->in[0].count, m = s->f->out[0].count;
    double got[64], forward[64], reverse[64];
    tac_graph *jacobian;
    OK(tac__graph_jacobian(s->f, NULL, NULL, &jacobian, &err));
    dense(jacobian, "jac_y_x", (const double *[]){x}, got);
    by_products(s->f, x, forward, reverse);
    const bool tame = is_tame(forward, n * m);
    for (size_t i = 0; tame && i < n * m; i++) {
        check_near(got[i], forward[i], 1e-9, "jacobian", (int)(i / n), (int)(i % n));
        check_near(reverse[i], forward[i], 1e-9, "reverse", (int)(i / n), (int)(i % n));
    }
    tac__graph_destroy(jacobian);
    return tame ? n * m : 0;
}

// The Hessian of a Lagrangian is the derivative of its gradient, one direction at a time.
static size_t same_second(uint64_t *seed, const small *s, const double *x)
{
    const size_t n = s->f->in[0].count;
    tac_graph *gradient, *product, *hessian;
    OK(tac__graph_vjp(s->f, NULL, NULL, &gradient, &err));
    OK(tac__graph_jvp(gradient, NULL, "x", &product, &err));
    OK(tac__graph_lagrangian(s->f, NULL, NULL, TAC__TRIANGLE_BOTH, &hessian, &err));
    double lambda[8], direction[16] = {0}, full[64], column[16];
    for (int i = 0; i < 8; i++)
        lambda[i] = input_uniform(seed, -1, 1);
    dense(hessian, "hess", (const double *[]){x, lambda}, full);
    size_t compared = 0;
    for (size_t j = 0; j < n; j++) {
        direction[j] = 1;
        evaluate(product, "fwd_adj_x", (const double *[]){x, lambda, direction}, column);
        direction[j] = 0;
        for (size_t i = 0; i < n; i++) {
            const double a = full[i * n + j], b = column[i];
            if (!isfinite(a) || !isfinite(b) || fabs(b) > 1e4)
                continue;
            check_near(a, b, 1e-7, "hessian", (int)i, (int)j);
            compared++;
        }
    }
    tac__graph_destroy(hessian);
    tac__graph_destroy(product);
    tac__graph_destroy(gradient);
    return compared;
}

static void test_graphs_at_random(void **state)
{
    (void)state;
    uint64_t seed = 77;
    size_t first = 0, second = 0;
    for (int trial = 0; trial < 150; trial++) {
        const size_t n = 2 + (size_t)trial % 7, m = 1 + (size_t)trial / 7 % 6;
        small s = draw_graph(&seed, n, m);
        double x[8];
        for (size_t i = 0; i < n; i++)
            x[i] = input_uniform(&seed, -2, 2);
        first += same_first(&s, x);
        second += same_second(&seed, &s, x);
        tac__graph_destroy(s.f);
    }
    print_message("%zu first and %zu second derivatives compared\n", first, second);
    assert_true(first > 1000 && second > 1000);
}

// --- blocks, patterns and names -----------------------------------------------------------------

// 7.5 = 3 * 2 + 1.5, and -7.5 = -3 * 2 - 1.5.
static void test_remainder(void **state)
{
    (void)state;
    tac__arena arena;
    tac__tape *tape;
    tac_graph *jacobian;
    small s = begin(2);
    const int32_t y = op2(&s, TAC__SYM_fmod, s.x[0], s.x[1]);
    give(&s, 1, &y);
    OK(tac__graph_jacobian(s.f, NULL, NULL, &jacobian, &err));
    tac__arena_init(&arena, NULL);
    OK(tac__tape_make(&arena, jacobian, &tape, &err));
    for (int sign = -1; sign <= 1; sign += 2) {
        const double x[2] = {sign * 7.5, 2}, *const in[] = {x};
        double m[2], work[32], *const out[] = {m};
        assert_true(tac__tape_work(tape) <= 32);
        tac__tape_run(tape, in, out, work);
        assert_true(m[0] == 1 && m[1] == -3 * sign);
    }
    tac__arena_fini(&arena);
    tac__graph_destroy(jacobian);
    tac__graph_destroy(s.f);
}

static void test_blocks_of_a_jacobian(void **state)
{
    (void)state;
    small s = begin(3);
    const tac__group *u = tac__graph_add_input(s.f, "u", 2, NULL);
    assert_non_null(u);
    const int32_t v[2] = {u->terms[0], u->terms[1]};
    const int32_t floor = op1(&s, TAC__SYM_floor, s.x[2]);
    const int32_t y[2] = {MUL(s.x[0], v[1]), ADD(s.x[1], floor)};
    const int32_t z[3] = {k(&s, 4), SELECT(v[0], s.x[0], s.x[1]), v[1]};
    give(&s, 2, y);
    assert_non_null(tac__graph_add_output(s.f, "z", 3, z));
    tac_graph *jacobian;
    OK(tac__graph_jacobian(s.f, NULL, NULL, &jacobian, &err));
    assert_int_equal(jacobian->in_count, 2);
    assert_int_equal(jacobian->out_count, 4);
    static const struct {
        const char *name;
        size_t rows, columns, count;
        int rows_of[3];
    } blocks[4] = {{"jac_y_x", 2, 3, 2, {0, 1}},
                   {"jac_y_u", 2, 2, 1, {0}},
                   {"jac_z_x", 3, 3, 2, {1, 1}},
                   {"jac_z_u", 3, 2, 1, {2}}};
    for (int b = 0; b < 4; b++) {
        const tac__group *g = &jacobian->out[b];
        assert_string_equal(g->name, blocks[b].name);
        assert_int_equal(g->rows, blocks[b].rows);
        assert_int_equal(g->columns, blocks[b].columns);
        assert_int_equal(g->count, blocks[b].count);
        assert_int_equal(g->starts[g->columns], g->count);
        assert_memory_equal(g->row_of, blocks[b].rows_of, g->count * sizeof(int));
    }
    double m[9];
    dense(jacobian, "jac_z_x", (const double *[]){(double[]){1, 2, 3}, (double[]){1, 6}}, m);
    assert_true(m[3] == 1 && m[4] == 0);
    tac__graph_destroy(jacobian);

    assert_int_equal(tac__graph_jacobian(s.f, "z", "w", &jacobian, &err), TAC_E_NAME);
    assert_non_null(strstr(err.text, "no input 'w'"));
    tac__graph_destroy(s.f);
}

// Few outputs of many inputs take reverse sweeps, and give the same.
static void test_rows_where_they_are_fewer(void **state)
{
    (void)state;
    enum { N = 12 };
    small s = begin(N);
    int32_t sum = k(&s, 1), product = k(&s, 1);
    for (int i = 0; i < N; i++) {
        sum = ADD(sum, op1(&s, TAC__SYM_sin, s.x[i]));
        product = MUL(product, ADD(s.x[i], k(&s, 2)));
    }
    const int32_t y[2] = {sum, product};
    give(&s, 2, y);
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    tac__jacobian_facts facts;
    OK(tac__graph_pattern(&arena, s.f, NULL, NULL, &facts, &err));
    assert_true(facts.by_rows);
    assert_int_equal(facts.colouring.colours, 2);
    assert_int_equal(tac__pattern_count(&facts.pattern), 2 * N);
    tac__arena_fini(&arena);
    tac_graph *jacobian;
    OK(tac__graph_jacobian(s.f, NULL, NULL, &jacobian, &err));
    double x[N], got[2 * N], forward[2 * N], reverse[2 * N];
    for (int i = 0; i < N; i++)
        x[i] = 0.1 * i - 0.3;
    dense(jacobian, "jac_y_x", (const double *[]){x}, got);
    by_products(s.f, x, forward, reverse);
    for (int i = 0; i < 2 * N; i++) {
        check_near(got[i], forward[i], 1e-15, "rows", i / N, i % N);
        check_near(reverse[i], forward[i], 1e-15, "reverse", i / N, i % N);
    }
    tac__graph_destroy(jacobian);
    tac__graph_destroy(s.f);
}

// --- size ---------------------------------------------------------------------------------------

static bool is(const tac__terms *pool, int32_t term, double value)
{
    return tac__term_is_constant(pool, term) && pool->terms[term].value == value;
}

static size_t steps_of(const tac_graph *g)
{
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    tac__schedule schedule;
    OK(tac__schedule_graph(&arena, g, TAC__REGIONS_WORTH, &schedule, &err));
    const size_t count = schedule.count;
    tac__arena_fini(&arena);
    return count;
}

// No term multiplies by 1 or 0 or adds 0, and columns of a Jacobian share what they can.
static void test_derivatives_are_lean(void **state)
{
    (void)state;
    tac_graph *f = trace_sample(), *jacobian, *hessian;
    const tac__terms *pool = tac__graph_pool(f);
    const size_t before = pool->count, of_f = steps_of(f);
    OK(tac__graph_jacobian(f, NULL, NULL, &jacobian, &err));
    OK(tac__graph_lagrangian(f, NULL, NULL, TAC__TRIANGLE_LOWER, &hessian, &err));
    for (size_t i = before; i < pool->count; i++) {
        const tac__term *t = &pool->terms[i];
        const bool product = t->op == TAC__SYM_mul || t->op == TAC__SYM_along;
        if (product)
            assert_false(is(pool, t->b, 1) || is(pool, t->b, -1) || is(pool, t->b, 0) ||
                         is(pool, t->a, 0));
        if (t->op == TAC__SYM_add || t->op == TAC__SYM_sub)
            assert_false(is(pool, t->b, 0) || is(pool, t->a, 0));
    }
    const size_t of_jacobian = steps_of(jacobian), of_hessian = steps_of(hessian);
    print_message("steps: %zu of the sample, %zu of its Jacobian, %zu of its Hessian\n", of_f,
                  of_jacobian, of_hessian);
    assert_true(of_jacobian < 6 * of_f); // 8 columns
    tac__graph_destroy(hessian);
    tac__graph_destroy(jacobian);
    tac__graph_destroy(f);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        test_allocator counts = test_allocator_make();
        const tac_allocator hook = test_allocator_hook(&counts);
        tac_graph *f = NULL, *j = NULL, *h = NULL;
        assert_int_equal(tac__graph_create(&hook, "f", false, NULL, &f, &err), TAC_OK);
        const tac__group *x = tac__graph_add_input(f, "x", 3, NULL);
        assert_non_null(x);
        tac__terms *pool = tac__graph_pool(f);
        int32_t y = x->terms[0];
        for (int i = 0; i < 100; i++)
            y = tac__term_make(pool, i % 2 ? TAC__SYM_mul : TAC__SYM_sin, y, x->terms[i % 3], -1);
        assert_non_null(tac__graph_add_output(f, "y", 1, &y));
        counts.fail_at = counts.calls + n;
        const tac_status a = tac__graph_jacobian(f, NULL, NULL, &j, &err);
        const tac_status b =
            a == TAC_OK ? tac__graph_hessian(f, NULL, NULL, TAC__TRIANGLE_LOWER, &h, &err) : a;
        assert_true((a == TAC_OK) == (j != NULL) && (b == TAC_OK) == (h != NULL));
        tac__graph_destroy(j);
        tac__graph_destroy(h);
        tac__graph_destroy(f);
        test_allocator_check_empty(&counts);
        if (b == TAC_OK)
            break;
        assert_int_equal(b, TAC_E_MEMORY);
    }
}

TEST_MAIN(cmocka_unit_test(test_sample_has_the_jacobian_of_duals),
          cmocka_unit_test(test_sample_at_edges), cmocka_unit_test(test_constant_exponents),
          cmocka_unit_test(test_analytic_functions_match_complex_steps),
          cmocka_unit_test(test_dead_branches_leave_no_nan), cmocka_unit_test(test_norm_at_zero),
          cmocka_unit_test(test_loops_are_implicit_functions),
          cmocka_unit_test(test_loops_that_cannot_be_differentiated),
          cmocka_unit_test(test_sample_second_derivatives),
          cmocka_unit_test(test_hessian_of_an_arrow), cmocka_unit_test(test_graphs_at_random),
          cmocka_unit_test(test_remainder), cmocka_unit_test(test_blocks_of_a_jacobian),
          cmocka_unit_test(test_rows_where_they_are_fewer),
          cmocka_unit_test(test_derivatives_are_lean), cmocka_unit_test(test_no_memory))
