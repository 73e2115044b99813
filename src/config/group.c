// group.c - groups of signals and inputs that processes of a federation publish and take as
// messages of LCM: keys `publish` and `subscribe`. See federation.h.
#include "base/def.h"
#include "base/text.h"
#include "config/federation.h"
#include "config/format.h"
#include "engine/plan/outside.h"
#include "engine/plan/find.h"
#include "engine/run/state.h"

#include <string.h>

enum { CHANNEL_MAX = 63 }; // characters that LCM allows

static tac_status read_group(tac_config *c, const tac_node *node, tac_lcm_group_info *info,
                             tac_error *err)
{
    const tac_node *list = tac__get_node(node, info->published ? "signals" : "inputs");
    const size_t length = strlen(info->channel);
    if (!length || length > CHANNEL_MAX)
        return tac__fail_at(err, TAC_E_NAME, &info->place,
                            "the name of a channel of LCM has 1 to %d characters, not %zu",
                            (int)CHANNEL_MAX, length);
    const bool named = tac_node_kind_of(list) == TAC_NODE_MAP;
    info->count = tac_node_count(list);
    if (!info->count)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(list),
                            "a group needs at least one %s", info->published ? "signal" : "input");
    if (info->published) {
        info->period_us = tac__get_period(node, &tac__format_publish, "rate");
        info->offset_us = tac__get_time(node, &tac__format_publish, "offset");
    }
    const char **names = tac__arena_array(&c->arena, info->count, sizeof *names);
    const char **members = tac__arena_array(&c->arena, info->count, sizeof *members);
    if (!names || !members)
        return tac__fail_memory(err);
    for (size_t i = 0; i < info->count; i++) {
        names[i] = tac_node_text(tac_node_item(list, i));
        if (named)
            members[i] = tac_node_key(list, i);
    }
    info->names = names;
    info->members = named ? members : NULL;
    if (!TAC__ARENA_GROW(&c->arena, c->groups, c->group_count, c->group_capacity))
        return tac__fail_memory(err);
    c->groups[c->group_count++] = (tac__lcm_group_node){*info, list};
    return TAC_OK;
}

tac_status tac__federation_read_groups(tac_config *c, const tac_node *process, size_t number,
                                       tac_error *err)
{
    static const char *const keys[] = {"publish", "subscribe"};
    for (size_t i = 0; i < 2; i++) {
        const tac_node *table = tac__get_node(process, keys[i]);
        for (size_t k = 0; table && k < tac_node_count(table); k++) {
            tac_lcm_group_info info = {.channel = tac_node_key(table, k),
                                       .published = i == 0,
                                       .process = number,
                                       .place = *tac_node_key_place(table, k)};
            if (!tac_node_is_null(tac_node_item(table, k)))
                TAC_TRY(read_group(c, tac_node_item(table, k), &info, err));
        }
    }
    return TAC_OK;
}

// --- checking -----------------------------------------------------------------------------------

static const char *input_name(const void *context, size_t i)
{
    const tac__component *c = context;
    return i < c->inputs.count ? c->inputs.items[i].name : NULL;
}

static tac_status find_input(const tac__plan *plan, const char *name, const tac_place *place,
                             const tac__component **owner, tac_error *err)
{
    const char *dot = strrchr(name, '.');
    char text[2 * TAC_ERROR_NAME];
    tac__out out = tac__out_begin(text, sizeof text);
    tac__out_add(&out, "%.*s", dot ? (int)(dot - name) : 0, name);
    const tac__component *c = tac__find_component(plan, text);
    if (!c) {
        tac__fail_at(err, TAC_E_NAME, place, "unknown input '%s': no component '%s'", name, text);
        tac__error_suggest(err, text, tac__component_name, plan);
        return TAC_E_NAME;
    }
    *owner = c;
    for (size_t k = 0; k < c->inputs.count; k++) {
        if (strcmp(c->inputs.items[k].name, dot + 1) != 0)
            continue;
        const int signal = c->in[k].signal;
        if (signal >= 0 &&
            tac__is_outside(plan->components[plan->schema.signals[signal].component]))
            return TAC_OK;
        return tac__fail_at(err, TAC_E_CONFIG, place,
                            "input '%s' takes no values of messages: it is not declared "
                            "'from: outside'",
                            name);
    }
    tac__fail_at(err, TAC_E_NAME, place, "'%s' has no input '%s'", c->name, dot + 1);
    tac__error_suggest(err, dot + 1, input_name, c);
    return TAC_E_NAME;
}

static tac_status find_signal(const tac__plan *plan, const char *name, const tac_place *place,
                              const tac__component **owner, tac_error *err)
{
    const int signal = tac__find_signal(plan, name);
    if (signal >= 0) {
        *owner = plan->components[plan->schema.signals[signal].component];
        return TAC_OK;
    }
    tac__fail_at(err, TAC_E_NAME, place, "there is no signal '%s'", name);
    tac__error_suggest(err, name, tac__schema_name, &plan->schema);
    return TAC_E_NAME;
}

tac_status tac__federation_check_groups(const tac_config *c, size_t process, const tac__plan *plan,
                                        bool (*holds)(const void *context, size_t process,
                                                      const tac__component *component),
                                        const void *context, tac_error *err)
{
    for (size_t i = 0; i < c->group_count; i++) {
        const tac_lcm_group_info *g = &c->groups[i].info;
        for (size_t k = 0; g->process == process && k < g->count; k++) {
            const tac_place *place = tac_node_place(tac_node_item(c->groups[i].list, k));
            const tac__component *owner;
            TAC_TRY(g->published ? find_signal(plan, g->names[k], place, &owner, err)
                                 : find_input(plan, g->names[k], place, &owner, err));
            if (!holds(context, process, owner))
                return tac__fail_at(err, TAC_E_CONFIG, place,
                                    "'%s' belongs to an entity of another process than '%s'",
                                    g->names[k], c->federation->processes[process].name);
        }
    }
    return TAC_OK;
}

// --- parts, and the list ------------------------------------------------------------------------

static const char **copy_texts(tac__arena *arena, const char *const *texts, size_t count)
{
    const char **copy = tac__arena_array(arena, count, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        if (!(copy[i] = tac__arena_text(arena, texts[i])))
            return NULL;
    }
    return copy;
}

tac_status tac__federation_copy_groups(const tac_config *c, size_t process, tac_config *part,
                                       tac_error *err)
{
    tac__arena *arena = &part->arena;
    for (size_t i = 0; i < c->group_count; i++) {
        tac_lcm_group_info g = c->groups[i].info;
        if (g.process != process)
            continue;
        g.process = 0;
        g.place.file = NULL; // of the document of the whole
        g.channel = tac__arena_text(arena, g.channel);
        g.names = copy_texts(arena, g.names, g.count);
        const bool named = g.members != NULL;
        g.members = named ? copy_texts(arena, g.members, g.count) : NULL;
        if (!g.channel || !g.names || (named && !g.members) ||
            !TAC__ARENA_GROW(arena, part->groups, part->group_count, part->group_capacity))
            return tac__fail_memory(err);
        part->groups[part->group_count++] = (tac__lcm_group_node){.info = g};
    }
    return TAC_OK;
}

size_t tac_config_lcm_group_count(const tac_config *c)
{
    return c ? c->group_count : 0;
}

void tac_config_lcm_group_info_sized(const tac_config *c, size_t group, tac_lcm_group_info *info,
                                     size_t size)
{
    const tac_lcm_group_info none = {.channel = ""};
    const bool found = c && group < c->group_count;
    tac__def_give(info, size, found ? &c->groups[group].info : &none, sizeof none);
}
