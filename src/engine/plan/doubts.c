// doubts.c - what is allowed but looks like a mistake in the whole model: warnings of `tactus
// check`. A component warns by itself of what it can see alone (tac_declare_warn).
#include "base/floats.h"
#include "base/hash.h"
#include "base/print.h"
#include "engine/plan/prepare.h"
#include "engine/plan/warn.h"
#include "engine/plan/plan.h"

#include <stdio.h>

bool tac__logs_want(const tac__logs *logs, tac_log_level level)
{
    bool wanted = false;
    for (size_t i = 0; i < logs->count; i++)
        wanted |= level >= logs->items[i].level;
    return wanted;
}

void tac__logs_tell(const tac__logs *logs, const tac_log_entry *entry)
{
    for (size_t i = 0; i < logs->count; i++) {
        if (entry->level < logs->items[i].level)
            continue;
        logs->items[i].log(logs->items[i].context, entry);
        (void)tac__floats_kept();
    }
}

static bool warned_before(tac__plan *plan, const char *text)
{
    const uint64_t hash = tac__hash_end(tac__hash_text(TAC__HASH_SEED, text));
    for (size_t i = 0; i < plan->warned_count; i++) {
        if (plan->warned[i] == hash)
            return true;
    }
    // Without memory to remember the warning it may be given twice.
    if (TAC__ARENA_GROW(&plan->arena, plan->warned, plan->warned_count, plan->warned_capacity))
        plan->warned[plan->warned_count++] = hash;
    return false;
}

void tac__warn(tac__plan *plan, const char *id, const tac_place *place, const char *format, ...)
{
    char said[512], text[1000];
    va_list args;
    va_start(args, format);
    tac__vprint(said, sizeof said, format, args);
    va_end(args);
    tac__out out = tac__out_begin(text, sizeof text);
    if (place && place->line)
        tac__out_add(&out, "%.300s:%u:%u: ", place->file ? place->file : "-", place->line,
                     place->column);
    tac__out_add(&out, "%s", said);
    if (id)
        tac__out_add(&out, " [%s]", id);
    const tac_log_entry entry = {0, "", TAC_LOG_WARN, text};
    if (!warned_before(plan, text))
        tac__logs_tell(plan->logs, &entry);
}

void tac__warn_of_accepts(tac__plan *plan, const tac__component *c)
{
    for (size_t i = 0; i < c->accepts.count; i++) {
        if (!c->accepts.met[i])
            tac__warn(plan, "accept-idle", &c->place,
                      "it accepts the warning '%s', but has no such warning", c->accepts.ids[i]);
    }
}

// Is this a sensor or an estimator?
static bool measures(const tac__component *c)
{
    return c->stage == TAC_STAGE_ESTIMATE && c->type->kernels[TAC_NUMBERS].step;
}

// Does a sensor or an estimator of the entity read the signal?
static bool is_measured(const tac__plan *plan, uint32_t entity, int signal)
{
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        if (c->entity != entity || !measures(c))
            continue;
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal == signal)
                return true;
        }
    }
    return false;
}

// A signal that sensors or estimators of an entity measure is the true value. Warn of a controller
// that reads it directly, instead of what was measured.
// `candidates`: the signals that any entity measures.
static void doubt_truth(tac__plan *plan, const tac__component *c, const bool *candidates)
{
    for (size_t k = 0; k < c->inputs.count; k++) {
        const tac__input *in = &c->in[k];
        if (in->signal < 0 || c->inputs.items[k].peer)
            continue;
        const tac__signal *s = &plan->schema.signals[in->signal];
        if (s->kind->continuous && candidates[in->signal] &&
            is_measured(plan, c->entity, in->signal))
            tac__warn(plan, "truth", &in->route->place,
                      "'%s.%s' gets the truth, '%s', past the sensors and estimators that "
                      "measure it",
                      c->name, c->inputs.items[k].name, s->name);
    }
}

// A group that begins after the end of the run never steps.
static void doubt_groups(tac__plan *plan)
{
    for (size_t i = 0; i < plan->group_count; i++) {
        const tac__rate_group *g = &plan->groups[i];
        if (!g->period_us || g->times_count || g->declared_offset_us <= plan->def.end_us)
            continue;
        char offset[TAC_TIME_TEXT], end[TAC_TIME_TEXT];
        tac_time_print(g->declared_offset_us, offset);
        tac_time_print(plan->def.end_us, end);
        tac__warn(plan, "group-idle", &g->place,
                  "rate group '%s' never steps: its offset, %s, is after the end of the run, %s",
                  g->name, offset, end);
    }
}

tac_status tac__doubts(tac__plan *plan)
{
    doubt_groups(plan);
    tac__arena scratch;
    tac__arena_init(&scratch, plan->allocator);
    bool *candidates = tac__arena_array(&scratch, plan->schema.count, sizeof *candidates);
    for (size_t i = 0; candidates && i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        for (size_t k = 0; measures(c) && k < c->inputs.count; k++) {
            if (c->in[k].signal >= 0)
                candidates[c->in[k].signal] = true;
        }
    }
    for (size_t i = 0; candidates && i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        if (c->stage == TAC_STAGE_CONTROL && c->type->kernels[TAC_NUMBERS].step)
            doubt_truth(plan, c, candidates);
    }
    tac__arena_fini(&scratch);
    return candidates ? TAC_OK : TAC_E_MEMORY;
}
