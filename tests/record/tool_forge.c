// tool_forge.c - makes a recording whose configuration is a forged one:
//
//   tool_record_forge REAL.yaml FORGED.yaml OUT.mcap [NAME=FILE...]
//
// REAL.yaml is run and recorded; what OUT.mcap says that it was is FORGED.yaml, with the FILEs
// attached under their NAMEs.
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/tactus.h>

static void require(tac_status status, const tac_error *err)
{
    if (status == TAC_OK)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

int main(int argc, char **argv)
{
    enum { FILES_MAX = 8, TEXT_MAX = 1 << 16 };
    static char text[TEXT_MAX];
    tac_record_file files[FILES_MAX];
    size_t count = 0;
    FILE *forged = argc >= 4 ? fopen(argv[2], "rb") : NULL;
    if (!forged)
        return 2;
    text[fread(text, 1, sizeof text - 1, forged)] = '\0';
    fclose(forged);
    for (int i = 4; i < argc && count < FILES_MAX; i++) {
        char *equals = strchr(argv[i], '=');
        if (!equals)
            return 2;
        *equals = '\0';
        files[count++] = (tac_record_file){.name = argv[i], .path = equals + 1};
    }
    tac_error err;
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    tac_recorder *recorder;
    require(tac_registry_create(NULL, &registry, &err), &err);
    tac_config_def config_def = tac_config_def_default();
    config_def.registry = registry;
    require(tac_config_load(argv[1], &config_def, &config, &err), &err);
    const tac_engine_def engine_def = tac_config_engine_def(config);
    require(tac_config_build_unprepared(config, &engine_def, &engine, &err), &err);
    tac_recorder_def def;
    require(tac_config_recorder_def(config, &def, &err), &err);
    def.path = argv[3];
    def.replace = true;
    def.config = text;
    def.files = files;
    def.file_count = count;
    require(tac_recorder_create(&def, engine, &recorder, &err), &err);
    require(tac_engine_prepare(engine, &err), &err);
    require(tac_recorder_begin(recorder, &err), &err);
    require(tac_engine_run(engine, TAC_TIME_NEVER, &err), &err);
    require(tac_recorder_end(recorder, NULL, &err), &err);
    tac_recorder_destroy(recorder);
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    tac_registry_destroy(registry);
    return 0;
}
