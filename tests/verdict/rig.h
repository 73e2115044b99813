// rig.h - what tests of expectations share: an engine from YAML with its verdict.
#ifndef TAC_TESTS_VERDICT_RIG_H
#define TAC_TESTS_VERDICT_RIG_H

#include "base/error.h"
#include "engine/test_rig.h"

#include <tactus/expect.h>

typedef struct watch {
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    tac_verdict *verdict;
    tac_error err;
} watch;

static inline tac_status prepare(watch *w, bool expect)
{
    const tac_engine_def def = tac_config_engine_def(w->config);
    TAC_TRY(tac_config_build_unprepared(w->config, &def, &w->engine, &w->err));
    if (expect)
        TAC_TRY(tac_config_verdict(w->config, w->engine, &w->verdict, &w->err));
    TAC_TRY(tac_engine_prepare(w->engine, &w->err));
    return tac_verdict_begin(w->verdict, &w->err);
}

static inline tac_status open_text(watch *w, const char *text)
{
    *w = (watch){0};
    assert_int_equal(tac_registry_create(NULL, &w->registry, &w->err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = w->registry;
    TAC_TRY(tac_config_parse("test.yaml", text, strlen(text), &def, &w->config, &w->err));
    return prepare(w, true);
}

static inline void close_watch(watch *w)
{
    tac_verdict_destroy(w->verdict);
    tac_engine_destroy(w->engine);
    tac_config_destroy(w->config);
    tac_registry_destroy(w->registry);
}

static inline void run_text(watch *w, const char *text)
{
    if (open_text(w, text) != TAC_OK)
        fail_msg("%s", w->err.text);
    const tac_status status = tac_engine_run(w->engine, TAC_TIME_MAX, &w->err);
    assert_true(status == TAC_OK || status == TAC_E_STOPPED);
    tac_verdict_end(w->verdict);
}

static inline tac_expectation result(const watch *w, const char *name)
{
    for (size_t i = 0; i < tac_verdict_count(w->verdict); i++) {
        const tac_expectation x = tac_verdict_get(w->verdict, i);
        if (!strcmp(x.name, name))
            return x;
    }
    fail_msg("no expectation '%s'", name);
    return (tac_expectation){0};
}

#endif
