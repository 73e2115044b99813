// Instructions to evaluate a condition, counted under callgrind by bench/run.
#include "expr/expr.h"

#include <stdio.h>
#include <string.h>

enum { CALLS = 1000 };

static bool find(const void *context, const char *name, tac__expr_signal *signal)
{
    (void)context;
    *signal = (tac__expr_signal){
        .index = !strcmp(name, "body.soc"), .type = TAC__EXPR_NUMBER, .unit = "1"};
    return true;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        printf("condition\ttac__program_run\t%d\t<= 100\ttwo comparisons, AND\n", CALLS);
        return 0;
    }
    double height = 0, soc = 1;
    const void *const signals[] = {&height, &soc};
    const tac__expr_scope scope = {find, NULL, NULL};
    tac__arena arena;
    tac__expr *expr;
    tac__program *program;
    tac__arena_init(&arena, NULL);
    if (tac__expr_parse(&arena, "body.height >= 0 AND body.soc < 0.3", &expr, NULL) != TAC_OK ||
        tac__expr_compile(&arena, expr, TAC__EXPR_BOOL, NULL, &scope, &program, NULL) != TAC_OK)
        return 1;
    double sum = 0;
    for (int i = 0; i < CALLS; i++) {
        height = i;
        soc = 1 - 1e-3 * i;
        sum += tac__program_run(program, (tac_time)i, signals, NULL).value;
    }
    printf("%g\n", sum);
    tac__arena_fini(&arena);
    return 0;
}
