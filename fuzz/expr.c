// expr.c - fuzzes expressions: whatever comes in, one error with a column inside the text comes
// out, or a program that gives the same result twice; a condition is 1 or 0.
//
// Names that begin with 'b' are conditions, with 'm' lengths, with 'k' the same in km, with 'n' not
// a number; others are unknown.
#include "expr/expr.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool find(const void *context, const char *name, tac__expr_signal *signal)
{
    (void)context;
    static const char kinds[] = "bmkn";
    static const char *const units[] = {"1", "m", "km", "1"};
    const char *kind = strchr(kinds, *name);
    if (!*name || !kind)
        return false;
    const int i = (int)(kind - kinds);
    *signal = (tac__expr_signal){i, i ? TAC__EXPR_NUMBER : TAC__EXPR_BOOL, units[i]};
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[2 * TAC__EXPR_LENGTH];
    static const double values[] = {1, -2.5, 1e-3, (double)__builtin_nanf("")};
    const void *signals[] = {values, values + 1, values + 2, values + 3};
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
        status = tac__expr_compile(&arena, expr, wanted, &scope, &program, &err);
    if (status != TAC_OK) {
        check_error(status, &err, strlen(text));
    } else {
        const tac__expr_result a = tac__program_run(program, 1.5, signals);
        const tac__expr_result b = tac__program_run(program, 1.5, signals);
        if (memcmp(&a.value, &b.value, sizeof a.value) || a.nan != b.nan)
            abort();
        if (wanted == TAC__EXPR_BOOL && a.value != 0 && a.value != 1)
            abort();
    }
    tac__arena_fini(&arena);
    return 0;
}
