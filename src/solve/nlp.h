// nlp.h - a nonlinear program: minimize f(x) with lower <= x <= upper and g_lower <= g(x) <=
// g_upper, with sparse exact derivatives; and IPOPT, which solves it.
//
// IPOPT (coin-or.org, version 3.11 and later) is loaded when it is first needed. Its results depend
// on its version and on the linear algebra that it was built with: they are outside the promise
// that the same inputs give the same bits.
#ifndef TAC_SOLVE_NLP_H
#define TAC_SOLVE_NLP_H

#include "solve/function.h"

#include <stdbool.h>

typedef struct tac__nlp {
    size_t n, m;                                     // variables, constraints
    const double *lower, *upper, *g_lower, *g_upper; // infinite where there is none
    const double *x_scale, *g_scale; // usual sizes, above 0: the method sees x / x_scale
    double f_scale;
    void *context;
    // False: there is no value at x. Entries of a matrix may be listed several times; their values
    // are added.
    bool (*objective)(void *context, const double *x, double *f);
    bool (*gradient)(void *context, const double *x, double *gradient);
    bool (*constraints)(void *context, const double *x, double *g);
    tac__sparsity jacobian_pattern;
    bool (*jacobian)(void *context, const double *x, double *values);
    // Lower triangle of the Hessian of factor * f + sum of lambda[i] * g[i]. NULL: the method has
    // to do without.
    tac__sparsity hessian_pattern;
    bool (*hessian)(void *context, const double *x, double factor, const double *lambda,
                    double *values);
} tac__nlp;

typedef struct tac__nlp_options {
    double tolerance;
    int iterations;
    bool near; // the guess is near the solution
    // Called after each iteration; false ends the search. NULL: nobody.
    bool (*watch)(void *context, int iteration, double objective, double infeasibility);
    void *context;
} tac__nlp_options;

typedef struct tac__nlp_result {
    bool solved, stopped; // stopped: by the watcher
    int status;           // of IPOPT: ApplicationReturnStatus
    const char *reason;   // in words
    int iterations;
    double objective;
    double infeasibility; // largest violation of a constraint, scaled
} tac__nlp_result;

// `x` is the first guess and becomes the result, also of a search that failed. Fails where IPOPT is
// missing (TAC_E_FILE), with the name of the package, or memory.
TAC_MUST_CHECK tac_status tac__ipopt_solve(const tac__nlp *nlp, const tac__nlp_options *options,
                                           tac__arena *arena, double *x, tac__nlp_result *result,
                                           tac_error *err);
// Can IPOPT be loaded?
bool tac__ipopt_exists(void);

#endif
