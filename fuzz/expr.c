// expr.c - fuzzes expressions: whatever comes in, one error with a column inside the text comes
// out, or a program that gives the same results twice, memory and all; a condition is 1 or 0.
//
// Names that begin with 'b' are conditions, with 'm' lengths, with 'k' the same in km, with 'n' not
// a number, with 'e' enums of red and green; others are unknown.
#include "expr/expr.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool find(const void *context, const char *name, tac__expr_signal *signal)
{
    (void)context;
    static const char kinds[] = "bmkne";
    static const char *const units[] = {"1", "m", "km", "1", "1"};
    static const char *const colours[] = {"red", "green", NULL};
    static const char *const *const labels[] = {NULL, NULL, NULL, NULL, colours};
    const char *kind = strchr(kinds, *name);
    if (!*name || !kind)
        return false;
    const int i = (int)(kind - kinds);
    *signal = (tac__expr_signal){.index = i,
                                 .type = i ? TAC__EXPR_NUMBER : TAC__EXPR_BOOL,
                                 .unit = units[i],
                                 .labels = labels[i]};
    return true;
}

static const char *candidate(const void *context, size_t i)
{
    (void)context;
    return i == 0 ? "body.soc" : NULL;
}

static void check_error(tac_status status, const tac_error *err, size_t length)
{
    if (err->status != status || !err->text[0] || err->line || err->column > length + 1)
        abort();
}

static bool same(double a, double b)
{
    return (a != a && b != b) || !memcmp(&a, &b, sizeof a);
}

// A few evaluations, each twice, the condition changing.
static void run(const tac__expr *expr, const tac__program *program, tac__expr_type type)
{
    double values[] = {1, -2.5, 1e-3, (double)__builtin_nanf(""), 1};
    const void *signals[] = {values, values + 1, values + 2, values + 3, values + 4};
    uint64_t first[TAC__EXPR_TIMED] = {0}, second[TAC__EXPR_TIMED] = {0};
    if (tac__expr_memory(expr) > TAC__EXPR_TIMED)
        abort();
    tac_time t_us = 0;
    for (int k = 0; k < 6; k++) {
        values[0] = k % 3 != 0;
        const tac__expr_result a = tac__program_run(program, t_us, signals, first);
        const tac__expr_result b = tac__program_run(program, t_us, signals, second);
        if (!same(a.value, b.value) || a.nan != b.nan || memcmp(first, second, sizeof first))
            abort();
        if (type == TAC__EXPR_BOOL && a.value != 0 && a.value != 1)
            abort();
        const tac_time next_us = tac__program_next(program, first, t_us + 1);
        if (next_us <= t_us)
            abort();
        t_us = next_us < t_us + 700000 ? next_us : t_us + 700000;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[2 * TAC__EXPR_LENGTH];
    static const tac__expr_scope scope = {find, candidate, NULL};
    if (size < 1 || size > sizeof text)
        return 0;
    const tac__expr_type wanted = data[0] & 1 ? TAC__EXPR_BOOL : TAC__EXPR_NUMBER;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';

    tac__arena arena;
    tac__expr *expr;
    tac__program *program;
    tac_error err;
    tac_error_clear(&err);
    tac__arena_init(&arena, NULL);
    tac_status status = tac__expr_parse(&arena, text, &expr, &err);
    if (status == TAC_OK)
        status = tac__expr_compile(&arena, expr, wanted, data[0] & 2 ? "m" : NULL, &scope, &program,
                                   &err);
    if (status != TAC_OK) {
        check_error(status, &err, strlen(text));
    } else {
        run(expr, program, wanted);
    }
    tac__arena_fini(&arena);
    return 0;
}
