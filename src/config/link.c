// link.c - one entry of `links`: its ends, and the law by which messages travel.
#include "bus/link.h"
#include "config/config.h"
#include "config/format.h"

#include <string.h>

static tac_time time_at(const tac_node *list, size_t i)
{
    tac_time t_us = 0;
    tac_error ignored; // the format was checked
    return tac__read_time(tac_node_item(list, i), &t_us, &ignored) == TAC_OK ? t_us : 0;
}

static void read_uniform(const tac_node *node, tac_link_law *law)
{
    law->min_us = time_at(node, 0);
    law->max_us = time_at(node, 1);
}

static void read_normal(const tac_node *node, tac_link_law *law)
{
    const tac__spec *spec = &tac__format_normal;
    law->mean_us = tac__get_time(node, spec, "mean");
    law->sigma_us = tac__get_time(node, spec, "sigma");
    law->min_us = tac__get_time(node, spec, "min");
    law->max_us = tac__get_time(node, spec, "max");
}

static void read_exponential(const tac_node *node, tac_link_law *law)
{
    const tac__spec *spec = &tac__format_exponential;
    law->mean_us = tac__get_time(node, spec, "mean");
    law->min_us = tac__get_time(node, spec, "min");
    law->max_us = tac__get_time(node, spec, "max");
}

static tac_status read_delay(const tac_node *node, tac_link_law *law, tac_error *err)
{
    static void (*const read[])(const tac_node *,
                                tac_link_law *) = {[TAC_DELAY_UNIFORM] = read_uniform,
                                                   [TAC_DELAY_NORMAL] = read_normal,
                                                   [TAC_DELAY_EXPONENTIAL] = read_exponential};
    if (tac_node_kind_of(node) == TAC_NODE_SCALAR)
        return tac__read_time(node, &law->min_us, err);
    size_t given = 0;
    for (int delay = TAC_DELAY_UNIFORM; delay < TAC_DELAY_COUNT; delay++) {
        const tac_node *parts = tac__get_node(node, tac__delay_name((tac_delay)delay));
        if (!parts)
            continue;
        law->delay = (tac_delay)delay;
        read[delay](parts, law);
        if (tac__get_node(parts, "max") && law->max_us == 0)
            return tac__fail_at(err, TAC_E_RANGE, tac_node_place(tac__get_node(parts, "max")),
                                "the greatest delay is zero; without 'max' there is none");
        given++;
    }
    if (given != 1)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(node),
                            "a delay that is drawn has one law: 'uniform', 'normal' or "
                            "'exponential'; here are %zu",
                            given);
    return TAC_OK;
}

static tac_status read_down(const tac_node *node, tac__arena *arena, tac_link_law *law,
                            tac_error *err)
{
    const size_t count = node ? tac_node_count(node) : 0;
    tac_outage *down = tac__arena_array(arena, count, sizeof *down);
    if (!down)
        return tac__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const tac_node *item = tac_node_item(node, i);
        down[i] = (tac_outage){time_at(item, 0), time_at(item, 1)};
        law->down = down;
        law->down_count = i + 1;
        TAC_TRY(tac__link_check(law, tac_node_place(item), err));
    }
    return TAC_OK;
}

tac_status tac__config_law(const tac_node *link, const tac_link_law *fallback, tac__arena *arena,
                           tac_link_law *law, tac_error *err)
{
    const tac_node *delay = tac__get_node(link, "delay");
    *law = fallback ? *fallback : tac_link_law_default();
    if (!delay && !fallback)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(link),
                            "key 'delay' is missing: from sending to delivery, at least 1 us");
    if (delay) {
        *law = tac_link_law_default();
        TAC_TRY(read_delay(delay, law, err));
        TAC_TRY(tac__link_check(law, tac_node_place(delay), err));
    }
    law->loss = tac__get_number(link, &tac__format_link, "loss");
    law->duplicate = tac__get_number(link, &tac__format_link, "duplicate");
    return read_down(tac__get_node(link, "down"), arena, law, err);
}

// Messages from outside come with their times of delivery, and only those that arrive.
static tac_status refuse_law(const tac_node *link, tac_error *err)
{
    static const char *const keys[] = {"delay", "loss", "duplicate", "down"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const tac_node *node = tac__get_node(link, keys[i]);
        if (node)
            return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(node),
                                "a link from outside has no '%s': each message comes with its own "
                                "time of delivery",
                                keys[i]);
    }
    return TAC_OK;
}

tac_status tac__config_add_link(tac_engine *engine, const tac_node *link, tac__arena *arena,
                                tac_error *err)
{
    tac_link_def def = tac_link_def_default();
    tac_link_law law;
    def.from = tac__get_text(link, &tac__format_link, "from");
    def.to = tac__get_text(link, &tac__format_link, "to");
    def.channel = tac__get_text(link, &tac__format_link, "channel");
    def.place = *tac_node_place(link);
    def.has_number = tac__get_node(link, "number") != NULL;
    if (def.has_number)
        def.number = (uint32_t)tac__get_int(link, &tac__format_link, "number");
    def.steps_first = tac__get_bool(link, &tac__format_link, "steps_first");
    if (!strcmp(def.from, "outside")) {
        TAC_TRY(refuse_law(link, err));
    } else {
        TAC_TRY(tac__config_law(link, NULL, arena, &law, err));
        def.law = &law;
    }
    return tac_engine_add_link(engine, &def, err);
}
