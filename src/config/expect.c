// expect.c - `expect` and `stop` of a document as definitions of a verdict.
#include "verdict/verdict.h"
#include "base/floats.h"
#include "base/node.h"
#include "base/text.h"
#include "config/config.h"
#include "config/format.h"

#include <string.h>

typedef tac__expectations list;

static tac_status add(list *l, const tac_node *node, const tac__expect_def *def, tac_error *err)
{
    if (l->count == TAC__CONFIG_EXPECTATIONS)
        return tac__fail_at(err, TAC_E_LIMIT, tac_node_place(node),
                            "more than %d expectations, with one for each entity that they name",
                            TAC__CONFIG_EXPECTATIONS);
    if (!TAC__ARENA_GROW(&l->config->arena, l->items, l->count, l->capacity) ||
        !TAC__ARENA_GROW(&l->config->arena, l->nodes, l->count, l->node_capacity))
        return tac__fail_memory(err);
    l->nodes[l->count] = node;
    l->items[l->count++] = *def;
    return TAC_OK;
}

// One expectation, or one for each entity that it names.
static tac_status add_each(list *l, const tac_node *node, tac__expect_def def, tac_error *err)
{
    const tac_node *pattern = tac__get_node(node, "entity");
    if (!pattern)
        return add(l, node, &def, err);
    const tac_node *entities = tac__get_node(tac_document_root(l->config->doc), "entities");
    const char *name = def.name;
    const size_t before = l->count;
    for (size_t i = 0; entities && i < tac_node_count(entities); i++) {
        def.entity = tac_node_key(entities, i);
        if (!tac__path_match(tac_node_text(pattern), def.entity))
            continue;
        def.name = tac__arena_format(&l->config->arena, "%s.%s", def.entity, name);
        if (!def.name)
            return tac__fail_memory(err);
        TAC_TRY(add(l, node, &def, err));
    }
    return l->count > before ? TAC_OK : tac__fail_entity(pattern, entities, err);
}

static tac_status read_expectation(list *l, const char *name, const tac_node *node, tac_error *err)
{
    tac__expect_def def = {.name = name, .entity = "", .until_end = true};
    const tac_node *kind = NULL;
    for (int i = TAC__EXPECT_ALWAYS; i <= TAC__EXPECT_AT; i++) {
        const tac_node *found = tac__get_node(node, tac__expect_word((tac__expect_kind)i));
        if (found && kind)
            return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(found),
                                "an expectation has one of always, never, eventually and at; '%s' "
                                "has '%s' already",
                                name, tac__expect_word(def.kind));
        if (!found)
            continue;
        kind = found;
        def.kind = (tac__expect_kind)i;
    }
    if (!kind)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(node),
                            "expectation '%s' needs one of always, never, eventually and at", name);
    const tac_node *holds = tac__get_node(node, "holds"), *within = tac__get_node(node, "within");
    const bool at = def.kind == TAC__EXPECT_AT;
    if (at && !holds)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(node),
                            "expectation '%s' says when; expected 'holds' with the condition",
                            name);
    if (!at && holds)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(holds), "'holds' needs 'at'");
    if (within && def.kind != TAC__EXPECT_EVENTUALLY)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(within),
                            "'within' needs 'eventually'");
    if (within)
        def.t_us = tac__get_time(node, &tac__format_expectation, "within");
    def.until_end = !within;
    if (at && strcmp(tac_node_text(kind), "end")) {
        def.until_end = false;
        TAC_TRY(tac__read_time(kind, &def.t_us, err));
    }
    const tac_node *condition = at ? holds : kind;
    def.condition = tac_node_text(condition);
    def.written = condition;
    return add_each(l, node, def, err);
}

tac_status tac__config_expectations(tac_config *c, tac__expectations *l, tac_error *err)
{
    *l = (tac__expectations){.config = c};
    const tac_node *expect = tac__get_node(tac_document_root(c->doc), "expect");
    for (size_t i = 0; expect && i < tac_node_count(expect); i++) {
        const tac_node *item = tac_node_item(expect, i);
        if (!tac_node_is_null(item)) // taken away from what the file extends
            TAC_TRY(read_expectation(l, tac_node_key(expect, i), item, err));
    }
    return TAC_OK;
}

tac_status tac_config_verdict(tac_config *config, tac_engine *engine, tac_verdict **verdict,
                              tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(config && engine && verdict);
    *verdict = NULL;
    tac_config *c = config;
    list l;
    TAC_TRY(tac__config_expectations(c, &l, err));
    const tac_node *stop = tac__get_node(tac_document_root(c->doc), "stop");
    tac__expect_def end = {.entity = "", .kind = TAC__EXPECT_STOP, .until_end = true};
    if (stop) {
        end.condition = tac_node_text(stop);
        end.written = stop;
    }
    if (!stop && !l.count)
        return TAC_OK;
    return tac__verdict_create(l.items, l.count, stop ? &end : NULL, engine, verdict, err);
}
