// solve.h - problems that are solved on a model: an equilibrium (trim), its linear equations, the
// best trajectory. docs/trim.md, docs/linearize.md and docs/optimize.md describe them, with the
// sections of configurations that they come from.
//
//     tac_config_build(config, &def, &engine, err)
//     tac_config_trim(config, engine, &trim, err)
//     char *text = tac_trim_print(trim, TAC_FORMAT_JSON)
//
// The configuration must outlive what is made from it, and so must the engine.
#ifndef TACTUS_SOLVE_H
#define TACTUS_SOLVE_H

#include <tactus/config.h>

TAC_BEGIN_DECLS

// --- trim -----------------------------------------------------------------------------------

typedef struct tac_trim tac_trim;

// Solve the section `trim` of a configuration, on a prepared engine that has not run yet; the
// engine runs up to its time `at`. TAC_E_UNSOLVED: the error says which equation is not met and by
// how much, and `*trim` has all of them. After any other failure `*trim` is NULL.
TAC_API TAC_MUST_CHECK tac_status tac_config_trim(tac_config *config, tac_engine *engine,
                                                  tac_trim **trim, tac_error *err);
TAC_API void tac_trim_destroy(tac_trim *trim); // NULL is fine

// The result as text or JSON; and as a configuration that extends the file `extends` by the states
// that were found; if `hold`, also by the inputs that were free, which then stay as they are. Free
// with tac_text_free. NULL: no memory.
TAC_API char *tac_trim_print(const tac_trim *trim, tac_format format);
TAC_API char *tac_trim_file(const tac_trim *trim, const char *extends, bool hold);

// Values by full name, "uav.vehicle.motor[0]": of states, inputs and outputs. False: unknown.
TAC_API bool tac_trim_value(const tac_trim *trim, const char *name, double *value);

// --- linear equations -----------------------------------------------------------------------

typedef struct tac_linear tac_linear;

// X(name, text, doc)
#define TAC_LINEAR_TABLE(X)                                                                        \
    X(TEXT, "text", "eigenvalues and ranks, for people")                                           \
    X(JSON, "json", "everything")                                                                  \
    X(CSV, "csv", "the four matrices, one entry a line, with names and units")                     \
    X(M, "m", "a script for MATLAB and Octave")

typedef enum tac_linear_format {
#define TAC_LINEAR_ENUM(name, text, doc) TAC_LINEAR_##name,
    TAC_LINEAR_TABLE(TAC_LINEAR_ENUM)
#undef TAC_LINEAR_ENUM
} tac_linear_format;

// The linear equations of a plant at a trim, or, where `trim` is NULL, at the present state of the
// engine; section `linearize` of the configuration says of which inputs and outputs. `full`:
// quaternions keep their four numbers.
TAC_API TAC_MUST_CHECK tac_status tac_config_linearize(tac_config *config, tac_engine *engine,
                                                       const tac_trim *trim, bool full,
                                                       tac_linear **linear, tac_error *err);
TAC_API void tac_linear_destroy(tac_linear *linear); // NULL is fine
// Free with tac_text_free. NULL: no memory.
TAC_API char *tac_linear_print(const tac_linear *linear, tac_linear_format format);

// --- optimal control ------------------------------------------------------------------------

typedef struct tac_optimum tac_optimum;

// Called after each iteration, with the objective and how far constraints are from being met; false
// ends the search.
typedef bool tac_optimum_fn(void *context, int iteration, double objective, double infeasibility);

// Solve the section `optimize` of a configuration, with IPOPT, and fly the solution in a simulation
// of its own. As tac_config_trim; TAC_E_FILE: IPOPT is not installed. `watch` may be NULL.
// Where memory runs out, IPOPT may end the process: `tactus optimize` calls it in a second process.
TAC_API TAC_MUST_CHECK tac_status tac_config_optimize(tac_config *config, tac_engine *engine,
                                                      tac_optimum_fn *watch, void *context,
                                                      tac_optimum **optimum, tac_error *err);
TAC_API void tac_optimum_destroy(tac_optimum *optimum); // NULL is fine
// Text or JSON; and the trajectory, a row for each point. Free with tac_text_free. NULL: no memory.
TAC_API char *tac_optimum_print(const tac_optimum *optimum, tac_format format);
TAC_API char *tac_optimum_csv(const tac_optimum *optimum);

TAC_END_DECLS
#endif
