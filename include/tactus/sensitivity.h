// sensitivity.h - derivatives of results of a whole run by parameters, by dual numbers.
//
// A run on dual numbers beside the run on numbers has eight directions, one a parameter; for more
// parameters there are several runs. What a parameter changes before the run begins (numbers that
// components compute from it, initial states) is found by building the engine with a few values of
// the parameter around the given one: where the change is a straight line the derivative is exact
// up to rounding, else it is a difference of order 4 of what `declare` and `init` compute.
// docs/sensitivity.md has the equations.
#ifndef TACTUS_SENSITIVITY_H
#define TACTUS_SENSITIVITY_H

#include <tactus/engine.h>

typedef struct tac_sensitivity_def {
    uint32_t size; // sizeof(tac_sensitivity_def)
    bool compare;  // with central differences: two more runs a parameter
    // Make a prepared engine in which parameters have these values, with tac_engine_def.lanes as
    // given: tac_config_build with values, value_count and lanes set.
    tac_status (*build)(void *context, const tac_param_value *values, size_t count, uint32_t lanes,
                        tac_engine **engine, tac_error *err);
    // Run it to its end: tac_engine_run, whose status is returned. `left` runs follow.
    tac_status (*run)(void *context, tac_engine *engine, size_t left, tac_error *err);
    void *context;
    const char *const *of; // results: expressions over signals
    size_t of_count;
    const char *const *to; // parameters: "uav.vehicle.mass", "vehicle.rotors[1].position[0]"
    size_t to_count;
    const char *when; // a condition: results are those of the first instant at which it becomes
                      // true; NULL: of the end of the run
    double step;      // of central differences, relative to the value of the parameter
    const tac_allocator *allocator; // NULL: malloc
} tac_sensitivity_def;

static inline tac_sensitivity_def tac_sensitivity_def_default(void)
{
    tac_sensitivity_def def = TAC_ZERO;
    def.size = sizeof def;
    def.compare = true;
    def.step = 1e-4;
    return def;
}

typedef struct tac_sensitivity_param {
    const char *name; // full, as "uav.vehicle.mass"
    const char *unit; // "": none
    tac_param_value at;
} tac_sensitivity_param;

typedef struct tac_sensitivity_result {
    const char *text; // the expression
    const char *unit; // of a signal its own; of other expressions in SI
    double value;
    const double *derivatives; // one a parameter, in unit / unit of the parameter
    const double *differences; // the same by central differences; NULL: not computed
} tac_sensitivity_result;

// A component whose outputs or states were taken for constants though they depend on parameters.
typedef struct tac_sensitivity_gap {
    const char *component, *why;
    tac_time since_us;
} tac_sensitivity_gap;

// All of it lives until tac_sensitivity_destroy.
typedef struct tac_sensitivity {
    const tac_sensitivity_param *params;
    size_t param_count;
    const tac_sensitivity_result *results;
    size_t result_count;
    const tac_sensitivity_gap *gaps;
    size_t gap_count;
    tac_time t_us;   // at which the results are
    bool located;    // inside a step; else t_us is a boundary, which depends on no parameter
    size_t runs;     // on dual numbers
    double run_s;    // wall time of these, with what they need before
    double flight_s; // of one run on numbers; 0: not measured
} tac_sensitivity;

TAC_BEGIN_DECLS

TAC_API TAC_MUST_CHECK tac_status tac_sensitivity_find(const tac_sensitivity_def *def,
                                                       tac_sensitivity **found, tac_error *err);
TAC_API void tac_sensitivity_destroy(tac_sensitivity *found);

TAC_END_DECLS

#endif
