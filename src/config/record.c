// record.c - `record:` as the definition of a recorder.
#include "config/config.h"
#include "base/def.h"
#include "base/floats.h"
#include "base/node.h"
#include "base/text.h"
#include "config/document.h"
#include "config/format.h"

#include <stdlib.h>

// One pattern, or a list of them.
static tac_status read_patterns(tac__arena *arena, const tac_node *node, tac_record_rule *rule)
{
    const bool single = tac_node_kind_of(node) == TAC_NODE_SCALAR;
    rule->pattern_count = single ? 1 : tac_node_count(node);
    const char **patterns = tac__arena_array(arena, rule->pattern_count, sizeof *patterns);
    if (!patterns)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < rule->pattern_count; i++)
        patterns[i] = tac_node_text(single ? node : tac_node_item(node, i));
    rule->patterns = patterns;
    return TAC_OK;
}

static tac_status read_rule(tac__arena *arena, const tac_node *node, tac_record_rule *rule,
                            tac_error *err)
{
    const tac__spec *spec = &tac__format_record_rule;
    static const char *const ways[] = {"rate", "every", "when", "never"};
    const tac_node *first = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const tac_node *way = tac__get_node(node, ways[i]);
        if (way && first)
            return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(way),
                                "a rule has one of rate, every, when and never");
        first = way ? way : first;
    }
    const tac_node *before = tac__get_node(node, "before"), *after = tac__get_node(node, "after");
    if ((before || after) && !tac__get_node(node, "when"))
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(before ? before : after),
                            "before and after need when, which says of what");
    if (!first)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(node),
                            "a rule needs one of rate, every, when and never");
    const tac_node *signals = tac__get_node(node, "signals");
    *rule = (tac_record_rule){
        .size = sizeof *rule,
        .never = tac__get_bool(node, spec, "never"),
        .period_us = tac__get_period(node, spec, "rate"),
        .every = (uint32_t)tac__get_int(node, spec, "every"),
        .when = tac__get_text(node, spec, "when"),
        .before_us = tac__get_time(node, spec, "before"),
        .after_us = tac__get_time(node, spec, "after"),
        .place = *tac_node_place(first && tac__get_node(node, "when") ? first : signals),
    };
    return read_patterns(arena, signals, rule);
}

static tac_status read_rules(tac__arena *arena, const tac_node *list, tac_recorder_def *def,
                             tac_error *err)
{
    def->rule_count = list ? tac_node_count(list) : 0;
    tac_record_rule *rules = tac__arena_array(arena, def->rule_count, sizeof *rules);
    if (!rules)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < def->rule_count; i++)
        TAC_TRY(read_rule(arena, tac_node_item(list, i), &rules[i], err));
    def->rules = rules;
    return TAC_OK;
}

static tac_status read_path(tac_config *c, const tac_node *node, const char *key, const char **path)
{
    const tac_node *file = tac__get_node(node, key);
    *path = file ? tac__node_path_beside(c->doc, file) : NULL;
    return file && !*path ? TAC_E_MEMORY : TAC_OK;
}

static tac_status read_record(tac_config *c, tac_recorder_def *def, tac_error *err)
{
    const tac__spec *spec = &tac__format_record;
    const tac_node *node = tac__get_node(tac_document_root(c->doc), "record");
    def->name = tac_config_name(c);
    def->tier = (tac_tier)tac__get_word(node, spec, "tier");
    def->log_level = tac_config_engine_def(c).log_level;
    def->log_us = tac__get_period(node, spec, "rate");
    if (tac__get_node(node, "states"))
        def->state_us = tac__get_time(node, spec, "states");
    if (tac__get_node(node, "flush"))
        def->flush_us = tac__get_period(node, spec, "flush");
    def->sync = tac__get_bool(node, spec, "fsync");
    def->compression = tac__get_text(node, spec, "compression");
    def->level = (int)tac__get_int(node, spec, "level");
    TAC_TRY(read_path(c, node, "file", &def->path));
    TAC_TRY(read_path(c, node, "csv", &def->csv));
    return read_rules(tac__document_arena(c->doc), tac__get_node(node, "rules"), def, err);
}

tac_status tac_config_recorder_def_sized(tac_config *c, tac_recorder_def *def, size_t size,
                                         tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(c && def);
    tac_recorder_def own = tac_recorder_def_default();
    tac_status status = read_record(c, &own, err);
    if (status == TAC_E_MEMORY)
        status = tac__fail_memory(err);
    if (status == TAC_OK)
        status = tac__config_embed(c, &own, err);
    tac__def_give_sized(def, size, &own, sizeof own);
    return status;
}

bool tac_config_records(const tac_config *c)
{
    const tac_node *node = c ? tac__get_node(tac_document_root(c->doc), "record") : NULL;
    return tac__get_node(node, "file") || tac__get_node(node, "csv");
}
