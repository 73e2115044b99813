// Instructions of one evaluation of the derivatives of an oscillator, written as equations and in
// C, counted under callgrind by bench/run.
#include <tactus/tactus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 1000, EVALUATIONS = 4 * STEPS };

static const char text[] =
    "duration: 1 s\n"
    "components:\n"
    "  in_c: {type: oscillator}\n"
    "  written:\n"
    "    type: equations\n"
    "    params:\n"
    "      inputs: {force: {unit: N, optional: true}}\n"
    "      parameters: {mass: 1 kg, damping: 0 N*s/m, stiffness: 1 N/m}\n"
    "      states: {position: {unit: m, initial: 1}, velocity: m/s}\n"
    "      equations:\n"
    "        - der(position) = velocity\n"
    "        - der(velocity) = (force - damping*velocity - stiffness*position)/mass\n";

static void check(tac_status status, const tac_error *err)
{
    if (status == TAC_OK)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        printf("oscillator in C\ttac__oscillator_derive_f64\t%d\t\tone evaluation\n", EVALUATIONS);
        printf("oscillator as equations\ttac__equations_derive_f64\t%d\t<= 350\tone evaluation\n",
               EVALUATIONS);
        return 0;
    }
    tac_error err;
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    check(tac_registry_create(NULL, &registry, &err), &err);
    tac_config_def def = tac_config_def_default();
    def.registry = registry;
    check(tac_config_parse("bench.yaml", text, strlen(text), &def, &config, &err), &err);
    const tac_engine_def engine_def = tac_config_engine_def(config);
    check(tac_config_build(config, &engine_def, &engine, &err), &err);
    check(tac_engine_run(engine, TAC_TIME_MAX, &err), &err);
    printf("%llu\n", (unsigned long long)tac_engine_hash(engine, NULL, NULL));
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    tac_registry_destroy(registry);
    return 0;
}
