// select.c - what is recorded, and how.
//
// What drives the plant is derived, not listed: every signal that crosses from discrete code into
// an island, and all that scenarios and phases write. The rest follows the tier, unless a rule
// matches.
#include "record/select.h"
#include "base/choose.h"
#include "base/patterns.h"

// The rules of a recording, by their patterns.
typedef struct rules {
    const tac_recorder_def *def;
    tac__patterns patterns;
    size_t *last; // the last rule of each pattern
} rules;

static const tac_record_rule *rule_for(const rules *r, const char *signal)
{
    const tac_record_rule *last = NULL;
    tac__patterns_search search = {0};
    for (int k; (k = tac__patterns_next(&r->patterns, signal, &search)) >= 0;) {
        const tac_record_rule *rule = &r->def->rules[r->last[k]];
        last = !last || rule > last ? rule : last;
    }
    return last;
}

// Wherever it is written: what neither steps nor belongs to the plant never changes.
static tac__mode at_writes(const tac_recorder_def *def, const tac__signal *s,
                           const tac__component_facts *c)
{
    if (s->kind->continuous)
        return (tac__mode){.kind = TAC__MODE_ISLAND, .boundaries = true};
    if (c->type->kernels[TAC_NUMBERS].step)
        return (tac__mode){.kind = TAC__MODE_WRITES};
    return (tac__mode){.kind = TAC__MODE_AXIS, .period_us = def->log_us};
}

static tac__mode by_rule(const tac_recorder_def *def, const tac_record_rule *rule,
                         const tac__signal *s, const tac__component_facts *c)
{
    if (rule->never)
        return (tac__mode){.kind = TAC__MODE_NONE};
    if (rule->period_us)
        return (tac__mode){.kind = TAC__MODE_AXIS, .period_us = rule->period_us};
    tac__mode mode = at_writes(def, s, c);
    if (mode.kind == TAC__MODE_AXIS)
        return mode;
    if (rule->every > 1) {
        mode.kind = TAC__MODE_EVERY;
        mode.every = rule->every;
    } else if (rule->when) {
        mode.kind = TAC__MODE_WINDOW;
        mode.rule = rule;
    }
    return mode;
}

static tac__mode mode_of(const rules *r, const tac_engine *e, uint32_t signal, bool crossing)
{
    const tac_recorder_def *def = r->def;
    const tac__signal *s = &tac__watch_schema(e)->signals[signal];
    const tac__component_facts c = tac__watch_component(e, s->component);
    if (!tac__watch_has_value(e, signal))
        return (tac__mode){.kind = TAC__MODE_NONE};
    const bool scenario =
        c.type->kernels[TAC_NUMBERS].step && !c.plant && s->kind->stage == TAC_STAGE_SCENARIO;
    // What a phase closes is also written by the engine: then it steps at fewer instants than it
    // has values.
    const bool holds = scenario || c.phases || c.gated;
    if (scenario || (crossing && c.type->kernels[TAC_NUMBERS].step))
        return (tac__mode){.kind = holds ? TAC__MODE_HOLD : TAC__MODE_WRITES, .replay = true};
    const tac_record_rule *rule = rule_for(r, s->name);
    if (rule)
        return by_rule(def, rule, s, &c);
    if (def->tier == TAC_TIER_ALL)
        return at_writes(def, s, &c);
    if (def->tier == TAC_TIER_LOG)
        return (tac__mode){.kind = TAC__MODE_AXIS, .period_us = def->log_us};
    return (tac__mode){.kind = TAC__MODE_NONE};
}

static bool same_mode(const tac__mode *a, const tac__mode *b)
{
    return a->kind == b->kind && a->replay == b->replay && a->boundaries == b->boundaries &&
           a->period_us == b->period_us && a->every == b->every && a->rule == b->rule;
}

static tac__pick *pick_for(tac__picks *picks, tac__arena *arena, uint32_t component,
                           const tac__mode *mode)
{
    for (size_t i = picks->count; i-- > 0 && picks->items[i].component == component;) {
        if (same_mode(&picks->items[i].mode, mode))
            return &picks->items[i];
    }
    if (!TAC__ARENA_GROW(arena, picks->items, picks->count, picks->capacity))
        return NULL;
    tac__pick *pick = &picks->items[picks->count++];
    *pick = (tac__pick){.component = component, .mode = *mode};
    return pick;
}

static tac_status index_rules(rules *r, size_t signals, tac_error *err)
{
    size_t count = 0;
    for (size_t i = 0; i < r->def->rule_count; i++)
        count += r->def->rules[i].pattern_count;
    r->last = tac__arena_array(r->patterns.arena, count, sizeof *r->last);
    if (!r->last)
        return tac__fail_memory(err);
    for (size_t i = 0; i < r->def->rule_count; i++) {
        const tac_record_rule *rule = &r->def->rules[i];
        for (size_t k = 0; k < rule->pattern_count; k++) {
            const int place = tac__patterns_add(&r->patterns, rule->patterns[k]);
            if (place < 0)
                return tac__fail_memory(err);
            r->last[place] = i;
        }
        if (!tac__patterns_allow(&r->patterns, signals))
            return tac__fail_at(err, TAC_E_LIMIT, &rule->place,
                                "%zu patterns with * or ? for %zu signals: more than %zu "
                                "comparisons",
                                r->patterns.wild_count, signals, TAC__PATTERNS_COMPARISONS);
    }
    return TAC_OK;
}

// A pattern that matches nothing is a mistake.
static tac_status check_rules(const rules *r, const tac__schema *schema, tac_error *err)
{
    bool *matches = tac__arena_array(r->patterns.arena, r->patterns.count, sizeof *matches);
    if (!matches)
        return tac__fail_memory(err);
    for (size_t i = 0; r->patterns.count && i < schema->count; i++) {
        tac__patterns_search search = {0};
        for (int k; (k = tac__patterns_next(&r->patterns, schema->signals[i].name, &search)) >= 0;)
            matches[k] = true;
    }
    const tac__choices signals = {tac__schema_name, schema, "signal"};
    for (size_t i = 0; i < r->def->rule_count; i++) {
        const tac_record_rule *rule = &r->def->rules[i];
        for (size_t k = 0; k < rule->pattern_count; k++) {
            if (matches[tac__names_find(&r->patterns.places, rule->patterns[k])])
                continue;
            const tac_status status = tac__choose(&signals, &rule->patterns[k], 1, NULL, err);
            tac__error_place(err, &rule->place);
            return status;
        }
    }
    return TAC_OK;
}

tac_status tac__select(const tac_recorder_def *def, const tac_engine *e, tac__arena *arena,
                       tac__picks *picks, tac_error *err)
{
    const tac__schema *schema = tac__watch_schema(e);
    rules r = {.def = def, .patterns.arena = arena};
    TAC_TRY(index_rules(&r, schema->count, err));
    TAC_TRY(check_rules(&r, schema, err));
    const bool *crossing = tac__watch_crossing(e, arena);
    if (!crossing)
        return tac__fail_memory(err);
    // The signals of a component follow each other.
    for (uint32_t i = 0; i < schema->count; i++) {
        const tac__mode mode = mode_of(&r, e, i, crossing[i]);
        if (mode.kind == TAC__MODE_NONE)
            continue;
        tac__pick *pick = pick_for(picks, arena, schema->signals[i].component, &mode);
        if (!pick || !TAC__ARENA_GROW(arena, pick->signals, pick->count, pick->capacity))
            return tac__fail_memory(err);
        pick->signals[pick->count++] = i;
    }
    return TAC_OK;
}
