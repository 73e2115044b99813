// The coefficients fulfil all conditions of their order, one for each rooted tree (Hairer, Norsett,
// Wanner I, II.2; for Rosenbrock methods Hairer, Wanner II, IV.7): a wrong digit fails.
#include "solve.h"

#include "ode/tables_of_methods.h"

// A rooted tree: its order, its density gamma, and for each stage its elementary weight as a
// subtree. `one` and `many` are sum_j m_ij weight_j with the matrix that holds where it is an only
// child and where it has sisters: the same for Runge-Kutta methods.
typedef struct tree {
    int order;
    double density;
    double weight[TAC__STAGES_MAX], one[TAC__STAGES_MAX], many[TAC__STAGES_MAX];
} tree;

typedef double matrix[TAC__STAGES_MAX][TAC__STAGES_MAX];

typedef struct forest {
    int stages, count;
    const double (*one)[TAC__STAGES_MAX], (*many)[TAC__STAGES_MAX];
    tree trees[300];
} forest;

static void plant(forest *f, const int *children, int count)
{
    tree *t = &f->trees[f->count++];
    t->order = 1;
    t->density = 1;
    for (int c = 0; c < count; c++) {
        t->order += f->trees[children[c]].order;
        t->density *= f->trees[children[c]].density;
    }
    t->density *= t->order;
    for (int i = 0; i < f->stages; i++) {
        t->weight[i] = 1;
        for (int c = 0; c < count; c++) {
            const tree *child = &f->trees[children[c]];
            t->weight[i] *= count == 1 ? child->one[i] : child->many[i];
        }
    }
    for (int i = 0; i < f->stages; i++) {
        t->one[i] = t->many[i] = 0;
        for (int j = 0; j < f->stages; j++) {
            t->one[i] += f->one[i][j] * t->weight[j];
            t->many[i] += f->many[i][j] * t->weight[j];
        }
    }
}

// All sets of children, of trees up to `last`, that have `left` vertices together.
static void choose(forest *f, int left, int last, int *children, int count)
{
    if (left == 0) {
        plant(f, children, count);
        return;
    }
    for (int i = last; i >= 0; i--) {
        if (f->trees[i].order <= left) {
            children[count] = i;
            choose(f, left - f->trees[i].order, i, children, count + 1);
        }
    }
}

static forest grow(int stages, matrix one, matrix many, int order)
{
    forest f = {.stages = stages, .one = one, .many = many};
    const int trees[] = {0, 1, 2, 4, 8, 17, 37, 85, 200}; // up to each order
    int children[16];
    for (int n = 1; n <= order; n++) {
        choose(&f, n - 1, f.count - 1, children, 0);
        assert_int_equal(f.count, trees[n]);
    }
    return f;
}

static double sum_of(const forest *f, const double *weights, const tree *t)
{
    double sum = 0;
    for (int i = 0; i < f->stages; i++)
        sum += weights[i] * t->weight[i];
    return sum;
}

// Weights of a method of `order` whose step ends at theta.
static void check_order(const char *what, const forest *f, const double *weights, double theta,
                        int order, double tolerance)
{
    for (int i = 0; i < f->count && f->trees[i].order <= order; i++) {
        const tree *t = &f->trees[i];
        const double wanted = pow(theta, t->order) / t->density;
        const double got = sum_of(f, weights, t);
        if (!(fabs(got - wanted) < tolerance))
            fail_msg("%s: tree %d of order %d: %.17g instead of %.17g", what, i, t->order, got,
                     wanted);
    }
}

// Differences of weights that vanish up to `order` and not above.
static void check_estimate(const char *what, const forest *f, const double *e, int order,
                           double tolerance)
{
    double above = 0;
    for (int i = 0; i < f->count && f->trees[i].order <= order + 1; i++) {
        const double got = fabs(sum_of(f, e, &f->trees[i]));
        if (f->trees[i].order > order)
            above = fmax(above, got);
        else if (!(got < tolerance))
            fail_msg("%s: tree %d of order %d: %g", what, i, f->trees[i].order, got);
    }
    if (!(above > 1e-6))
        fail_msg("%s: the estimate is of a higher order", what);
}

// A table as a forest, with f(t1, y1) as one more stage if it has none.
static forest grow_table(const tac__tableau *t, int stages, int order, matrix a)
{
    memcpy(a, t->a, sizeof t->a);
    if (stages > t->stages)
        memcpy(a[t->stages], t->b, sizeof t->b);
    return grow(stages, a, a, order);
}

static void check_times(const tac__tableau *t, int rows)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < TAC__STAGES_MAX; j++) {
            sum += t->a[i][j];
            if (j >= i)
                assert_true(t->a[i][j] == 0);
        }
        assert_true(fabs(sum - t->c[i]) < 1e-14);
    }
}

static void test_runge_kutta(void **state)
{
    (void)state;
    const struct {
        const char *name;
        const tac__tableau *table;
        bool fsal;
        int estimate;
    } cases[] = {{"euler", &tac__euler_table, false, 0},
                 {"rk4", &tac__rk4_table, false, 0},
                 {"rk23", &tac__rk23_table, true, 2},
                 {"rk45", &tac__rk45_table, true, 4},
                 {"dop853", &tac__dop853_table, false, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tac__tableau *t = cases[i].table;
        const tac__method *m = tac__method_find(cases[i].name);
        assert_int_equal(m->stages, t->stages);
        assert_int_equal(m->fsal, cases[i].fsal);
        check_times(t, t->stages);
        matrix a;
        const forest f = grow_table(t, t->stages, m->order, a);
        const double tolerance = m->order == 8 ? 1e-13 : 1e-15;
        check_order(m->name, &f, t->b, 1, m->order, tolerance);
        if (cases[i].estimate)
            check_estimate(m->name, &f, t->e, cases[i].estimate, tolerance);
        if (cases[i].fsal)
            assert_memory_equal(t->a[t->stages - 1], t->b, sizeof t->b);
    }
}

static void test_dop853_second_estimate(void **state)
{
    (void)state;
    matrix a;
    const forest f = grow_table(&tac__dop853_table, 12, 4, a);
    check_estimate("e3", &f, tac__dop853_e3, 3, 1e-13);
}

// Weights of dense output at theta: y + theta (b + u P).
static void dense_weights(const double *b, const double (*p)[TAC__STAGES_MAX], int count,
                          int stages, double theta, double *weights)
{
    const double u = 1 - theta;
    for (int i = 0; i < stages; i++) {
        double sum = 0;
        for (int l = count - 1; l >= 0; l--)
            sum = p[l][i] + (l % 2 ? u : theta) * sum;
        weights[i] = theta * (b[i] + u * sum);
    }
}

// Slopes at both ends, as weights: p_0 and p_1.
static void hermite_weights(const double *b, int stages, int end, double (*p)[TAC__STAGES_MAX])
{
    for (int i = 0; i < stages; i++) {
        p[0][i] = (i == 0) - b[i];
        p[1][i] = b[i] - (i == end) - p[0][i];
    }
}

static void check_dense(const char *what, const forest *f, const double *b,
                        const double (*p)[TAC__STAGES_MAX], int count, int order, double tolerance)
{
    for (double theta = 0; theta <= 1; theta += 0.125) {
        double weights[TAC__STAGES_MAX];
        dense_weights(b, p, count, f->stages, theta, weights);
        check_order(what, f, weights, theta, order, tolerance);
    }
}

static void test_dense(void **state)
{
    (void)state;
    matrix a, p = {{0}};
    forest f = grow_table(&tac__rk4_table, 5, 3, a);
    hermite_weights(tac__rk4_table.b, 5, 4, p);
    check_dense("rk4", &f, tac__rk4_table.b, p, 2, 3, 1e-15);

    f = grow_table(&tac__rk23_table, 4, 3, a);
    hermite_weights(tac__rk23_table.b, 4, 3, p);
    check_dense("rk23", &f, tac__rk23_table.b, p, 2, 3, 1e-15);

    f = grow_table(&tac__rk45_table, 7, 4, a);
    hermite_weights(tac__rk45_table.b, 7, 6, p);
    memcpy(p[2], tac__rk45_dense, sizeof tac__rk45_dense);
    check_dense("rk45", &f, tac__rk45_table.b, p, 3, 4, 1e-14);

    check_times(&tac__dop853_table, 16);
    assert_memory_equal(tac__dop853_table.a[12], tac__dop853_table.b, sizeof tac__dop853_table.b);
    f = grow_table(&tac__dop853_table, 16, 7, a);
    hermite_weights(tac__dop853_table.b, 16, 12, p);
    memcpy(p[2], tac__dop853_dense, sizeof tac__dop853_dense);
    check_dense("dop853", &f, tac__dop853_table.b, p, 6, 7, 1e-12);
}

// --- rodas4 -------------------------------------------------------------------------------------

enum { ROSENBROCK = 6 };

// The matrices alpha and gamma of the original form, from the transformed one: its u = Gamma k, so
// Gamma = (I / gamma - G)^-1 and alpha = A Gamma.
typedef struct original {
    matrix gamma, alpha, beta; // beta = alpha + gamma
    double b[TAC__STAGES_MAX];
} original;

// weights of k from weights of u
static void times_gamma(const original *o, const double *u, double *k)
{
    for (int j = 0; j < ROSENBROCK; j++) {
        k[j] = 0;
        for (int i = 0; i < ROSENBROCK; i++)
            k[j] += u[i] * o->gamma[i][j];
    }
}

static original original_of(const tac__rosenbrock_table *t)
{
    original o = {0};
    // Row i of (I / gamma - G) Gamma = I, from above.
    for (int i = 0; i < ROSENBROCK; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = i == j;
            for (int k = j; k < i; k++)
                sum += t->g[i][k] * o.gamma[k][j];
            o.gamma[i][j] = t->gamma * sum;
        }
    }
    for (int i = 0; i < ROSENBROCK; i++) {
        times_gamma(&o, t->a[i], o.alpha[i]);
        for (int j = 0; j < ROSENBROCK; j++)
            o.beta[i][j] = o.alpha[i][j] + o.gamma[i][j];
    }
    double m[ROSENBROCK];
    memcpy(m, t->a[5], sizeof m);
    m[5] = 1;
    times_gamma(&o, m, o.b);
    return o;
}

static void test_rosenbrock(void **state)
{
    (void)state;
    const tac__rosenbrock_table *t = &tac__rodas4_table;
    original o = original_of(t);
    const forest f = grow(ROSENBROCK, o.beta, o.alpha, 4);
    check_order("rodas4", &f, o.b, 1, 4, 1e-13);

    // Stage times, and the weights of df/dt.
    for (int i = 0; i < ROSENBROCK; i++) {
        double alpha = 0, gamma = 0;
        for (int j = 0; j < ROSENBROCK; j++) {
            alpha += o.alpha[i][j];
            gamma += o.gamma[i][j];
        }
        assert_true(fabs(alpha - t->c[i]) < 1e-13);
        assert_true(fabs(gamma - t->d[i]) < 1e-13);
    }

    const double last[ROSENBROCK] = {0, 0, 0, 0, 0, 1};
    double e[TAC__STAGES_MAX];
    times_gamma(&o, last, e);
    check_estimate("rodas4", &f, e, 3, 1e-13);

    matrix p = {{0}};
    times_gamma(&o, t->dense[0], p[0]);
    times_gamma(&o, t->dense[1], p[1]);
    check_dense("rodas4", &f, o.b, p, 2, 3, 1e-13);

    // L-stable: the last row of alpha + gamma is b, so the solution at infinite stiffness is that
    // of the equation itself.
    for (int j = 0; j < ROSENBROCK; j++)
        assert_true(fabs(o.beta[5][j] - o.b[j]) < 1e-13);
}

TEST_MAIN(cmocka_unit_test(test_runge_kutta), cmocka_unit_test(test_dop853_second_estimate),
          cmocka_unit_test(test_dense), cmocka_unit_test(test_rosenbrock))
