// expr_rig.h - signals for the tests of expressions, and short words for what is expected.
#ifndef TESTS_EXPR_RIG_H
#define TESTS_EXPR_RIG_H

#include "support/test.h"

#include "expr/expr.h"

#include <stdio.h>
#include <string.h>

// --- signals of the tests -------------------------------------------------------------------

static const char *const phases[] = {"ground", "boost", "landed", NULL};
static const char *const same_phases[] = {"ground", "boost", "landed", NULL};
static const char *const modes[] = {"idle", "in flight", "t", NULL};

static const struct {
    const char *name, *unit;
    tac__expr_type type;
    const char *const *labels;
} signals[] = {
    {"body.soc", "1", TAC__EXPR_NUMBER, NULL},
    {"body.position.z", "m", TAC__EXPR_NUMBER, NULL},
    {"Nav.position[2]", "km", TAC__EXPR_NUMBER, NULL},
    {"body.roll", "rad", TAC__EXPR_NUMBER, NULL},
    {"nav.heading", "deg", TAC__EXPR_NUMBER, NULL},
    {"body.speed", "m/s", TAC__EXPR_NUMBER, NULL},
    {"control.landed", NULL, TAC__EXPR_BOOL, NULL},
    {"control.armed", NULL, TAC__EXPR_BOOL, NULL},
    {"and.x", "1", TAC__EXPR_NUMBER, NULL},
    {"pack.charge", "mAh", TAC__EXPR_NUMBER, NULL},
    {"control.phase", NULL, TAC__EXPR_NUMBER, phases},
    {"uav.phase", NULL, TAC__EXPR_NUMBER, same_phases},
    {"mode", NULL, TAC__EXPR_NUMBER, modes},
    {"idle", NULL, TAC__EXPR_NUMBER, modes},
};
enum {
    SOC,
    Z,
    KM,
    ROLL,
    HEADING,
    SPEED,
    LANDED,
    ARMED,
    AND_X,
    CHARGE,
    PHASE,
    UAV_PHASE,
    MODE,
    IDLE,
    SIGNALS
};

static double values[SIGNALS];
static double t_s;

static inline const char *signal_name(const void *context, size_t i)
{
    (void)context;
    return i < SIGNALS ? signals[i].name : NULL;
}

static inline bool find_signal(const void *context, const char *name, tac__expr_signal *signal)
{
    (void)context;
    for (int i = 0; i < SIGNALS; i++) {
        if (!strcmp(signals[i].name, name)) {
            *signal = (tac__expr_signal){.index = i,
                                         .type = signals[i].type,
                                         .unit = signals[i].unit,
                                         .labels = signals[i].labels};
            return true;
        }
    }
    return false;
}

static const tac__expr_scope scope = {find_signal, signal_name, NULL};

static inline tac_status build(tac__arena *arena, const char *text, tac__expr_type type,
                               tac__program **program, tac_error *err)
{
    tac__expr *expr;
    TAC_TRY(tac__expr_parse(arena, text, &expr, err));
    return tac__expr_compile(arena, expr, type, NULL, &scope, program, err);
}

static inline const void *const *pointers(void)
{
    static const void *all[SIGNALS];
    for (int i = 0; i < SIGNALS; i++)
        all[i] = &values[i];
    return all;
}

static inline tac__expr_result run(const char *text, tac__expr_type type)
{
    tac__arena arena;
    tac__program *program;
    tac_error err;
    uint64_t memory[TAC__EXPR_TIMED] = {0};
    static char nan[128];
    tac__arena_init(&arena, NULL);
    if (build(&arena, text, type, &program, &err) != TAC_OK)
        fail_msg("'%s' is refused: %s (column %u)", text, err.text, err.column);
    tac__expr_result result =
        tac__program_run(program, (tac_time)(t_s * 1e6 + 0.5), pointers(), memory);
    if (result.nan) {
        snprintf(nan, sizeof nan, "%s", result.nan);
        result.nan = nan;
    }
    tac__arena_fini(&arena);
    return result;
}

static inline void holds(const char *text, bool expected)
{
    const tac__expr_result result = run(text, TAC__EXPR_BOOL);
    if (result.value != (expected ? 1.0 : 0.0) || result.nan)
        fail_msg("'%s' is %g (nan: %s), expected %d", text, result.value,
                 result.nan ? result.nan : "none", expected);
}

static inline void equals(const char *text, double expected)
{
    const tac__expr_result result = run(text, TAC__EXPR_NUMBER);
    if (memcmp(&result.value, &expected, sizeof expected))
        fail_msg("'%s' is %.17g, expected %.17g", text, result.value, expected);
}

static inline void refused(const char *text, tac_status status, unsigned column, const char *part)
{
    tac__arena arena;
    tac__program *program;
    tac_error err;
    tac__arena_init(&arena, NULL);
    const tac_status got = build(&arena, text, TAC__EXPR_BOOL, &program, &err);
    if (got != status || err.status != status || err.column != column || err.line != 0 ||
        !strstr(err.text, part))
        fail_msg("'%s': %s in column %u: %s; expected %s in column %u: %s", text,
                 tac_status_name(got), err.column, got ? err.text : "", tac_status_name(status),
                 column, part);
    tac__arena_fini(&arena);
}

#endif
