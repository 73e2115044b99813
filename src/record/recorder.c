// recorder.c - a recorder watches an engine and hands what it sees to its sinks; see recorder.h.
//
// A recorder that cannot go on keeps its first error and asks the engine to stop.
#include "record/recorder.h"
#include "base/def.h"
#include "base/floats.h"

void tac__recorder_fail(tac_recorder *r)
{
    r->failed = true;
    tac_engine_stop(r->engine);
}

// --- setting up ---------------------------------------------------------------------------------

// The sinks that a definition asks for.
static tac_status add_sinks(tac_recorder *r, tac_error *err)
{
    const struct {
        const char *path;
        tac__sink *(*make)(tac_recorder *recorder);
    } sinks[TAC__SINKS_MAX] = {
        {r->def.path, tac__mcap_sink_make},
        {r->def.csv, tac__csv_sink_make},
    };
    for (size_t i = 0; i < TAC__SINKS_MAX; i++) {
        if (!sinks[i].path)
            continue;
        tac__sampler *s = &r->samplers[r->sampler_count++];
        *s = (tac__sampler){.recorder = r, .engine = r->engine, .sink = sinks[i].make(r)};
        if (!s->sink)
            return tac__fail_memory(err);
        s->sink->sampler = s;
        if (s->sink->type->put && !r->streams.sink)
            tac__streams_init(&r->streams, s);
    }
    return TAC_OK;
}

static tac_status plan(void *context, tac_engine *e, tac_error *err)
{
    (void)e;
    tac_recorder *r = context;
    for (size_t i = 0; i < r->sampler_count; i++)
        TAC_TRY(tac__sampler_plan(&r->samplers[i], err));
    return r->streams.sink ? tac__streams_plan(&r->streams, err) : TAC_OK;
}

static void take_log(void *context, const tac_log_entry *entry)
{
    tac_recorder *r = context;
    tac__streams_log(&r->streams, entry);
}

// As often as is of use, but not more than so many times in a run: what a long one stores besides
// its samples stays small. Loss by a crash is then a small part of the run, too.
enum { STATES_MAX = 1000, FLUSHES_MAX = 2000, STATE_US = 10000000 };

static void choose_periods(tac_recorder_def *def, tac_time end_us)
{
    const tac_time state_us = end_us / STATES_MAX, flush_us = end_us / FLUSHES_MAX;
    if (def->state_us == TAC_TIME_NEVER)
        def->state_us = state_us > STATE_US ? state_us : STATE_US;
    if (def->flush_us == TAC_TIME_NEVER)
        def->flush_us = flush_us > TAC_FLUSH_US ? flush_us : TAC_FLUSH_US;
}

// The rules as the caller has them stand one after another in the caller's size.
static tac_status take_rules(tac_recorder *r, tac_error *err)
{
    const char *from = (const char *)r->def.rules;
    tac_record_rule *rules = tac__arena_array(&r->arena, r->def.rule_count, sizeof *rules);
    if (!rules)
        return tac__fail_memory(err);
    for (size_t i = 0; i < r->def.rule_count; i++) {
        TAC_TRY(tac__def_take("tac_record_rule", &rules[i], sizeof *rules,
                              from + i * r->def.rules->size, err));
    }
    r->def.rules = rules;
    return TAC_OK;
}

static tac_status attach(tac_recorder *r, tac_error *err)
{
    TAC_TRY(take_rules(r, err));
    TAC_TRY(add_sinks(r, err));
    if (r->streams.sink)
        TAC_TRY(tac_engine_add_log(r->engine, r->def.log_level, take_log, r, err));
    return tac__engine_when_resolved(r->engine, plan, r) == TAC_OK ? TAC_OK : tac__fail_memory(err);
}

tac_status tac_recorder_create(const tac_recorder_def *def, tac_engine *engine,
                               tac_recorder **recorder, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(def && engine && recorder && tac__engine_is_building(engine));
    *recorder = NULL;
    TAC__DEF(tac_recorder_def, def, err);
    TAC_REQUIRE(def->log_us && def->flush_us);
    const tac__run_facts run = tac__watch_run(engine);
    const tac_allocator *a = run.allocator;
    tac__compression compression;
    TAC_TRY(tac__compression_parse(def->compression, &compression, err));
    tac_recorder *r = a->resize(a->context, NULL, 0, sizeof *r);
    if (!r)
        return tac__fail_memory(err);
    *r = (tac_recorder){.allocator = a, .def = *def, .engine = engine};
    choose_periods(&r->def, run.end_us);
    tac__arena_init(&r->arena, a);
    const tac_status status = attach(r, err);
    if (status != TAC_OK) {
        tac_recorder_destroy(r);
        return status;
    }
    *recorder = r;
    return TAC_OK;
}

// --- the run ------------------------------------------------------------------------------------

tac_status tac_recorder_begin(tac_recorder *r, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(r && tac__engine_is_prepared(r->engine));
    for (size_t i = 0; i < r->sampler_count; i++) {
        TAC_TRY(tac__sampler_begin(&r->samplers[i], err));
        if (r->streams.sampler == &r->samplers[i])
            TAC_TRY(tac__streams_begin(&r->streams, err));
    }
    r->begun = true;
    tac__engine_forward_only(r->engine, true);
    return TAC_OK;
}

void tac_recorder_verdict(tac_recorder *r, const tac_verdict *verdict)
{
    if (r)
        r->verdict = verdict;
}

bool tac_recorder_failed(const tac_recorder *r)
{
    return r && r->failed;
}

// The failures of a recorder that are not a sink's.
static tac_status own_status(const tac_recorder *r, tac_error *err)
{
    tac_status status = r->err.status;
    if (status != TAC_OK && err)
        *err = r->err;
    if (status == TAC_OK && r->streams.scratch.failed)
        status = tac__fail_memory(err);
    if (status != TAC_OK && r->def.path)
        tac__error_context(err, "writing recording '%s'", r->def.path);
    return status;
}

tac_status tac_recorder_end(tac_recorder *r, const char *failure, tac_error *err)
{
    TAC__FLOATS;
    if (r->begun)
        tac__engine_forward_only(r->engine, false);
    r->begun = false;
    tac__streams_end(&r->streams);
    tac_status status = TAC_OK;
    for (size_t i = 0; i < r->sampler_count; i++) { // every one, and the first failure is told
        const tac_status ended = tac__sampler_end(&r->samplers[i], failure ? failure : "",
                                                  status == TAC_OK ? err : NULL);
        status = status == TAC_OK ? ended : status;
    }
    if (status == TAC_OK)
        status = own_status(r, err);
    return status;
}

void tac_recorder_destroy(tac_recorder *r)
{
    TAC__FLOATS;
    if (!r)
        return;
    tac_error ignored;
    (void)!tac_recorder_end(r, "abandoned", &ignored);
    for (size_t i = 0; i < r->sampler_count; i++)
        tac__sampler_fini(&r->samplers[i]);
    tac__streams_fini(&r->streams);
    tac__arena_fini(&r->arena);
    r->allocator->resize(r->allocator->context, r, sizeof *r, 0);
}
