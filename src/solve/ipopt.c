// ipopt.c - IPOPT behind its C interface (IpStdCInterface.h), whose types are declared here: the
// library is loaded when it is first needed and is not needed to build.
#include "base/floats.h"
#include "solve/nlp.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

// --- the interface of the library ---------------------------------------------------------------

typedef struct IpoptProblemInfo ipopt_problem;
typedef int ipopt_f(int n, double *x, int new_x, double *f, void *user);
typedef int ipopt_grad(int n, double *x, int new_x, double *gradient, void *user);
typedef int ipopt_g(int n, double *x, int new_x, int m, double *g, void *user);
typedef int ipopt_jac(int n, double *x, int new_x, int m, int count, int *rows, int *columns,
                      double *values, void *user);
typedef int ipopt_hess(int n, double *x, int new_x, double factor, int m, double *lambda,
                       int new_lambda, int count, int *rows, int *columns, double *values,
                       void *user);
typedef int ipopt_watch(int mode, int iteration, double objective, double inf_pr, double inf_du,
                        double mu, double d_norm, double regularization, double alpha_du,
                        double alpha_pr, int trials, void *user);

typedef struct library {
    ipopt_problem *(*create)(int n, double *lower, double *upper, int m, double *g_lower,
                             double *g_upper, int jacobian_count, int hessian_count, int style,
                             ipopt_f *f, ipopt_g *g, ipopt_grad *gradient, ipopt_jac *jacobian,
                             ipopt_hess *hessian);
    void (*destroy)(ipopt_problem *problem);
    int (*set_text)(ipopt_problem *problem, char *key, char *value);
    int (*set_number)(ipopt_problem *problem, char *key, double value);
    int (*set_int)(ipopt_problem *problem, char *key, int value);
    int (*set_watch)(ipopt_problem *problem, ipopt_watch *watch);
    int (*solve)(ipopt_problem *problem, double *x, double *g, double *f, double *g_multipliers,
                 double *lower_multipliers, double *upper_multipliers, void *user);
} library;

// Since version 3.14 the functions return C's bool: one byte of the register, the others may be
// anything. The callbacks below return 0 or 1, which is right either way, and do not look at their
// truth values.
static bool is_true(int returned)
{
    return (returned & 0xff) != 0;
}

static bool find(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof found); // ISO C has no cast from data to functions
    return found != NULL;
}

// The library stays loaded.
static bool open_library(library *l)
{
    void *handle = dlopen("libipopt.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        handle = dlopen("libipopt.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        handle = dlopen("libipopt.so", RTLD_NOW | RTLD_LOCAL);
    return handle && find(handle, "CreateIpoptProblem", &l->create) &&
           find(handle, "FreeIpoptProblem", &l->destroy) &&
           find(handle, "AddIpoptStrOption", &l->set_text) &&
           find(handle, "AddIpoptNumOption", &l->set_number) &&
           find(handle, "AddIpoptIntOption", &l->set_int) &&
           find(handle, "SetIntermediateCallback", &l->set_watch) &&
           find(handle, "IpoptSolve", &l->solve);
}

bool tac__ipopt_exists(void)
{
    library l;
    return open_library(&l);
}

// --- callbacks ----------------------------------------------------------------------------------

typedef struct solving {
    const tac__nlp *nlp;
    const tac__nlp_options *options;
    double *x;      // without scales
    double *lambda; // without scales
    tac__nlp_result *result;
} solving;

static const double *unscaled(const solving *s, const double *x)
{
    for (size_t i = 0; i < s->nlp->n; i++)
        s->x[i] = x[i] * s->nlp->x_scale[i];
    return s->x;
}

static int objective(int n, double *x, int new_x, double *f, void *user)
{
    (void)n, (void)new_x;
    TAC__FLOATS;
    const solving *s = user;
    const bool fine = s->nlp->objective(s->nlp->context, unscaled(s, x), f);
    return fine && isfinite(*f);
}

static int gradient(int n, double *x, int new_x, double *g, void *user)
{
    (void)new_x;
    TAC__FLOATS;
    const solving *s = user;
    if (!s->nlp->gradient(s->nlp->context, unscaled(s, x), g))
        return 0;
    for (int i = 0; i < n; i++)
        g[i] *= s->nlp->x_scale[i];
    return 1;
}

static int constraints(int n, double *x, int new_x, int m, double *g, void *user)
{
    (void)n, (void)new_x;
    TAC__FLOATS;
    const solving *s = user;
    if (!s->nlp->constraints(s->nlp->context, unscaled(s, x), g))
        return 0;
    for (int i = 0; i < m; i++) {
        g[i] /= s->nlp->g_scale[i];
        if (!isfinite(g[i]))
            return 0;
    }
    return 1;
}

static void copy_pattern(const tac__sparsity *p, int *rows, int *columns)
{
    for (size_t k = 0; k < p->count; k++) {
        rows[k] = p->rows[k];
        columns[k] = p->columns[k];
    }
}

static int jacobian(int n, double *x, int new_x, int m, int count, int *rows, int *columns,
                    double *values, void *user)
{
    (void)n, (void)new_x, (void)m;
    TAC__FLOATS;
    const solving *s = user;
    const tac__sparsity *p = &s->nlp->jacobian_pattern;
    if (!values) {
        copy_pattern(p, rows, columns);
        return 1;
    }
    if (!s->nlp->jacobian(s->nlp->context, unscaled(s, x), values))
        return 0;
    for (int k = 0; k < count; k++)
        values[k] *= s->nlp->x_scale[p->columns[k]] / s->nlp->g_scale[p->rows[k]];
    return 1;
}

static int hessian(int n, double *x, int new_x, double factor, int m, double *lambda,
                   int new_lambda, int count, int *rows, int *columns, double *values, void *user)
{
    (void)n, (void)new_x, (void)new_lambda;
    TAC__FLOATS;
    const solving *s = user;
    const tac__sparsity *p = &s->nlp->hessian_pattern;
    if (!s->nlp->hessian)
        return 0;
    if (!values) {
        copy_pattern(p, rows, columns);
        return 1;
    }
    for (int i = 0; i < m; i++)
        s->lambda[i] = lambda[i] / s->nlp->g_scale[i];
    if (!s->nlp->hessian(s->nlp->context, unscaled(s, x), factor, s->lambda, values))
        return 0;
    for (int k = 0; k < count; k++)
        values[k] *= s->nlp->x_scale[p->rows[k]] * s->nlp->x_scale[p->columns[k]];
    return 1;
}

static int watch(int mode, int iteration, double f, double inf_pr, double inf_du, double mu,
                 double d_norm, double regularization, double alpha_du, double alpha_pr, int trials,
                 void *user)
{
    (void)mode, (void)inf_du, (void)mu, (void)d_norm, (void)regularization, (void)alpha_du;
    (void)alpha_pr, (void)trials;
    const solving *s = user;
    s->result->iterations = iteration;
    s->result->infeasibility = inf_pr;
    return !s->options->watch || s->options->watch(s->options->context, iteration, f, inf_pr);
}

// --- solving ------------------------------------------------------------------------------------

// ApplicationReturnStatus in IpReturnCodes_inc.h.
static const char *reason_of(int status)
{
    switch (status) {
    case 0:
        return "solved";
    case 1:
        return "solved to an acceptable level";
    case 2:
        return "the constraints cannot be met together; this is as near as it gets";
    case 3:
        return "the steps became too small";
    case 4:
        return "the variables run away to infinity";
    case 5:
        return "stopped on request";
    case 6:
        return "a feasible point was found";
    case -1:
        return "too many iterations";
    case -2:
        return "the search for a feasible point failed";
    case -3:
        return "the equations of a step could not be solved";
    case -10:
        return "more equations than variables";
    case -11:
        return "wrong definition of the problem";
    case -13:
        return "a function or derivative has no value";
    default:
        return "an internal failure of IPOPT";
    }
}

// Bounds in scaled variables. IPOPT takes 1e19 and beyond for infinite.
static void scale_bounds(size_t count, const double *bound, const double *scale, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = isfinite(bound[i]) ? bound[i] / scale[i] : bound[i] > 0 ? 2e19 : -2e19;
}

// Older versions take options as char *, though they only read them.
static bool set_text(const library *l, ipopt_problem *p, const char *key, const char *value)
{
    char own[2][64];
    strncpy(own[0], key, sizeof own[0] - 1);
    strncpy(own[1], value, sizeof own[1] - 1);
    own[0][sizeof own[0] - 1] = own[1][sizeof own[1] - 1] = '\0';
    return is_true(l->set_text(p, own[0], own[1]));
}

static bool set_number(const library *l, ipopt_problem *p, const char *key, double value)
{
    char own[64];
    strncpy(own, key, sizeof own - 1);
    own[sizeof own - 1] = '\0';
    return is_true(l->set_number(p, own, value));
}

static bool set_int(const library *l, ipopt_problem *p, const char *key, int value)
{
    char own[64];
    strncpy(own, key, sizeof own - 1);
    own[sizeof own - 1] = '\0';
    return is_true(l->set_int(p, own, value));
}

// A guess that is the solution of nearly the same problem is not to be pushed far away from bounds.
// Nor may the barrier be too small, or the search creeps: the values were found by trial, with
// examples/iris_minimum_time.yaml and all its intervals halved.
static bool set_near(const library *l, ipopt_problem *p)
{
    return set_number(l, p, "mu_init", 1) && set_number(l, p, "bound_push", 1e-3) &&
           set_number(l, p, "bound_frac", 1e-3);
}

// The scale of the objective is IPOPT's option, because IPOPT's own scaling would undo any other:
// it divides functions with gradients above 100.
static bool set_options(const library *l, ipopt_problem *p, const solving *s)
{
    (void)set_text(l, p, "sb", "yes"); // no banner; not known to every version
    (void)set_text(l, p, "option_file_name", "");
    return set_int(l, p, "print_level", 0) && set_number(l, p, "tol", s->options->tolerance) &&
           set_int(l, p, "max_iter", s->options->iterations) &&
           set_number(l, p, "bound_relax_factor", 0) &&
           set_number(l, p, "obj_scaling_factor", 1 / s->nlp->f_scale) &&
           (!s->options->near || set_near(l, p)) &&
           (s->nlp->hessian || set_text(l, p, "hessian_approximation", "limited-memory")) &&
           is_true(l->set_watch(p, watch));
}

static tac_status fail_library(tac_error *err)
{
    return tac__fail(err, TAC_E_FILE,
                     "IPOPT is needed, and its library libipopt.so.1 cannot be loaded; on Debian "
                     "it is in the package coinor-libipopt1v5");
}

tac_status tac__ipopt_solve(const tac__nlp *nlp, const tac__nlp_options *options, tac__arena *arena,
                            double *x, tac__nlp_result *result, tac_error *err)
{
    library l;
    *result = (tac__nlp_result){.status = -199};
    if (!open_library(&l))
        return fail_library(err);
    const size_t n = nlp->n, m = nlp->m;
    double *memory = tac__arena_array(arena, 4 * n + 3 * m, sizeof *memory);
    if (!memory)
        return tac__fail_memory(err);
    double *lower = memory, *upper = lower + n, *scaled = upper + n;
    solving s = {.nlp = nlp, .options = options, .x = scaled + n, .result = result};
    double *g_lower = s.x + n, *g_upper = g_lower + m;
    s.lambda = g_upper + m;
    scale_bounds(n, nlp->lower, nlp->x_scale, lower);
    scale_bounds(n, nlp->upper, nlp->x_scale, upper);
    scale_bounds(m, nlp->g_lower, nlp->g_scale, g_lower);
    scale_bounds(m, nlp->g_upper, nlp->g_scale, g_upper);
    for (size_t i = 0; i < n; i++)
        scaled[i] = x[i] / nlp->x_scale[i];
    ipopt_problem *p =
        l.create((int)n, lower, upper, (int)m, g_lower, g_upper, (int)nlp->jacobian_pattern.count,
                 nlp->hessian ? (int)nlp->hessian_pattern.count : 0, 0, objective, constraints,
                 gradient, jacobian, hessian);
    if (!p || !set_options(&l, p, &s)) {
        if (p)
            l.destroy(p);
        return tac__fail(err, TAC_E_FILE, "IPOPT refuses the problem or an option");
    }
    result->status = l.solve(p, scaled, NULL, &result->objective, NULL, NULL, NULL, &s);
    l.destroy(p);
    result->solved = result->status == 0 || result->status == 1;
    result->stopped = result->status == 5;
    result->reason = reason_of(result->status);
    memcpy(x, unscaled(&s, scaled), n * sizeof *x);
    return TAC_OK;
}
