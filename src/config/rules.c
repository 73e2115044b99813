// rules.c - links from and to processes with a configuration of their own, and programs: the rules
// under `links` of section `federation`; and the list of all links between processes. See
// federation.h.
#include "config/federation.h"
#include "base/def.h"
#include "base/floats.h"
#include "base/text.h"
#include "config/format.h"

#include <string.h>

tac_status tac__federation_cross(tac_config *c, const tac__crossing *crossing, tac_error *err)
{
    tac__federation *f = c->federation;
    if (!crossing->info.from || !crossing->info.to || !crossing->info.law ||
        !TAC__ARENA_GROW(&c->arena, f->crossings, f->crossing_count, f->crossing_capacity))
        return tac__fail_memory(err);
    f->crossings[f->crossing_count++] = *crossing;
    return TAC_OK;
}

// --- reading and matching -----------------------------------------------------------------------

static tac_status read_rules(tac_config *c, tac_error *err)
{
    tac__federation *f = c->federation;
    const tac_node *links = tac__get_node(f->node, "links");
    f->rule_count = links ? tac_node_count(links) : 0;
    f->rules = tac__arena_array(&c->arena, f->rule_count, sizeof *f->rules);
    if (!f->rules)
        return tac__fail_memory(err);
    for (size_t i = 0; i < f->rule_count; i++) {
        const tac_node *node = tac_node_item(links, i);
        static const char *const wrong[] = {"channel", "number", "steps_first"};
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            if (tac__get_node(node, wrong[k]))
                return tac__fail_at(
                    err, TAC_E_CONFIG, tac_node_place(tac__get_node(node, wrong[k])),
                    "'%s' is for links with 'outside'; here both ends have a name", wrong[k]);
        }
        tac_link_law *law = tac__arena_alloc(&c->arena, sizeof *law);
        if (!law)
            return tac__fail_memory(err);
        TAC_TRY(tac__config_law(node, f->delay, &c->arena, law, err));
        f->rules[i] = (tac__fed_rule){.node = node,
                                      .from = tac__get_text(node, &tac__format_link, "from"),
                                      .to = tac__get_text(node, &tac__format_link, "to"),
                                      .law = law};
    }
    return TAC_OK;
}

// "radar:dish.tx" is `dish.tx` of process `radar`, "dish.tx" that of any process; the name of a
// program alone stands for all that it publishes and subscribes to.
static bool match(const tac__federation *f, const char *pattern, size_t process, const char *name)
{
    const tac_process_info *p = &f->processes[process];
    const char *colon = strchr(pattern, ':');
    if (!colon)
        return tac__glob_match(pattern, name) || (p->command && tac__glob_match(pattern, p->name));
    char of[TAC_ERROR_NAME];
    tac__out out = tac__out_begin(of, sizeof of);
    tac__out_add(&out, "%.*s", (int)(colon - pattern), pattern);
    return tac__glob_match(of, p->name) && tac__glob_match(colon + 1, name);
}

static tac__fed_rule *last_rule(const tac__federation *f, size_t from_process, const char *from,
                                size_t to_process, const char *to)
{
    for (size_t i = f->rule_count; i-- > 0;) {
        tac__fed_rule *r = &f->rules[i];
        if (match(f, r->from, from_process, from) && match(f, r->to, to_process, to))
            return r;
    }
    return NULL;
}

// --- connecting ---------------------------------------------------------------------------------

static const tac__inlet_name *find_inlet(const tac__end *to, const char *channel)
{
    for (size_t i = 0; i < to->inlet_count; i++) {
        if (!strcmp(to->inlets[i].channel, channel))
            return &to->inlets[i];
    }
    return NULL;
}

static tac_status check_sender(const tac_config *c, const tac__crossing *new, tac_error *err)
{
    for (size_t i = 0; i < c->federation->crossing_count; i++) {
        const tac_crossing_info *x = &c->federation->crossings[i].info;
        if (x->to_process == new->info.to_process && x->from_process != new->info.from_process &&
            !strcmp(x->to, new->info.to) && !strcmp(x->from, new->info.from))
            return tac__fail(err, TAC_E_DUPLICATE,
                             "processes '%s' and '%s' both have a sender '%s' that leads to '%s': "
                             "they cannot be told apart there",
                             c->federation->processes[x->from_process].name,
                             c->federation->processes[new->info.from_process].name, x->from, x->to);
    }
    return TAC_OK;
}

// A link between engines that is not one of the whole: by a rule, or because the receiver has a
// link from outside with the sender's name for its channel.
static tac_status connect_ends(tac_config *c, const tac__end *from, tac__end *to, tac_error *err)
{
    const tac__federation *f = c->federation;
    const bool whole =
        f->processes[from->process].entity_count && f->processes[to->process].entity_count;
    if (from->process == to->process || whole)
        return TAC_OK;
    const tac__inlet_name *declared = find_inlet(to, from->name);
    tac__fed_rule *rule = last_rule(f, from->process, from->name, to->process, to->name);
    if (!rule && !declared)
        return TAC_OK;
    if (rule)
        rule->used = true;
    const tac__crossing new = {.info = {.from = from->name,
                                        .to = to->name,
                                        .from_process = from->process,
                                        .to_process = to->process,
                                        .number = declared ? declared->number : to->senders,
                                        .law = rule ? rule->law : f->delay},
                               .declared = declared != NULL};
    to->senders += !declared;
    const tac_status status = check_sender(c, &new, err);
    if (status != TAC_OK && rule)
        tac__error_place(err, tac_node_place(rule->node));
    TAC_TRY(status);
    return tac__federation_cross(c, &new, err);
}

// Does an end of a rule name a program: "viewer", "viewer:STATE"?
static bool names_program(const char *pattern, const char *program)
{
    char of[TAC_ERROR_NAME];
    tac__out out = tac__out_begin(of, sizeof of);
    tac__out_add(&out, "%.*s", (int)strcspn(pattern, ":"), pattern);
    return tac__glob_match(of, program);
}

// The last rule that leads from a port of an engine to a program.
static tac_status send_to_program(tac_config *c, size_t program, const tac__end *end,
                                  tac_error *err)
{
    tac__federation *f = c->federation;
    const char *name = f->processes[program].name;
    for (size_t i = f->rule_count; i-- > 0;) {
        tac__fed_rule *r = &f->rules[i];
        if (!match(f, r->from, end->process, end->name) || !names_program(r->to, name))
            continue;
        r->used = true;
        return tac__federation_cross(c,
                                     &(tac__crossing){.info = {.from = end->name,
                                                               .to = name,
                                                               .from_process = end->process,
                                                               .to_process = program,
                                                               .law = r->law},
                                                      .declared = true},
                                     err);
    }
    return TAC_OK;
}

// The rules that lead from a program to a port of an engine. The engine must know the channels.
static tac_status hear_program(tac_config *c, size_t program, tac__end *end, tac_error *err)
{
    tac__federation *f = c->federation;
    const char *name = f->processes[program].name;
    for (size_t i = 0; i < f->rule_count; i++) {
        tac__fed_rule *r = &f->rules[i];
        if (!match(f, r->to, end->process, end->name) || !names_program(r->from, name))
            continue;
        const char *colon = strchr(r->from, ':');
        r->used = true;
        if (!strcmp(r->from, name) || (colon && strpbrk(colon, "*?")))
            return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(r->node),
                                "'%s' hears program '%s': expected the channel, as in '%s:STATE'",
                                end->name, name, name);
        if (!colon)
            continue;
        const tac__inlet_name *declared = find_inlet(end, colon + 1);
        const tac__crossing new = {.info = {.from = colon + 1,
                                            .to = end->name,
                                            .from_process = program,
                                            .to_process = end->process,
                                            .number = declared ? declared->number : end->senders,
                                            .law = r->law},
                                   .declared = declared != NULL};
        end->senders += !declared;
        const tac_status status = check_sender(c, &new, err);
        if (status != TAC_OK)
            tac__error_place(err, tac_node_place(r->node));
        TAC_TRY(status);
        TAC_TRY(tac__federation_cross(c, &new, err));
    }
    return TAC_OK;
}

// Signals of one process that are inputs of another, by the name of their channel.
static tac_status connect_groups(tac_config *c, tac_error *err)
{
    const tac__federation *f = c->federation;
    for (size_t i = 0; i < c->group_count; i++) {
        const tac_lcm_group_info *from = &c->groups[i].info;
        for (size_t k = 0; from->published && k < c->group_count; k++) {
            const tac_lcm_group_info *to = &c->groups[k].info;
            if (to->published || to->process == from->process ||
                strcmp(to->channel, from->channel) != 0)
                continue;
            tac__fed_rule *rule =
                last_rule(f, from->process, from->channel, to->process, to->channel);
            if (rule)
                rule->used = true;
            TAC_TRY(
                tac__federation_cross(c,
                                      &(tac__crossing){.info = {.from = from->channel,
                                                                .to = to->channel,
                                                                .from_process = from->process,
                                                                .to_process = to->process,
                                                                .law = rule ? rule->law : f->delay},
                                                       .declared = true,
                                                       .group = true},
                                      err));
        }
    }
    return TAC_OK;
}

static tac_status apply_rules(tac_config *c, tac_error *err)
{
    tac__federation *f = c->federation;
    TAC_TRY(connect_groups(c, err));
    bool programs = false, own = false;
    for (size_t p = 0; p < f->count; p++)
        own |= f->processes[p].config != NULL;
    for (size_t i = 0; own && i < f->end_count; i++) {
        for (size_t k = 0; f->ends[i].sends && k < f->end_count; k++) {
            if (!f->ends[k].sends)
                TAC_TRY(connect_ends(c, &f->ends[i], &f->ends[k], err));
        }
    }
    for (size_t p = 0; p < f->count; p++) {
        programs |= f->processes[p].command != NULL;
        for (size_t i = 0; f->processes[p].command && i < f->end_count; i++) {
            if (f->ends[i].sends)
                TAC_TRY(send_to_program(c, p, &f->ends[i], err));
            else
                TAC_TRY(hear_program(c, p, &f->ends[i], err));
        }
    }
    for (size_t i = 0; i < f->rule_count && !programs; i++) {
        const tac__fed_rule *r = &f->rules[i];
        if (!r->used)
            return tac__fail_at(err, TAC_E_NAME, tac_node_place(r->node),
                                "no link between two processes goes from '%s' to '%s' by this "
                                "rule, which is for processes with a config or a command",
                                r->from, r->to);
    }
    return TAC_OK;
}

tac_status tac__federation_connect(tac_config *c, tac_error *err)
{
    TAC_TRY(read_rules(c, err));
    return apply_rules(c, err);
}

// --- the list -----------------------------------------------------------------------------------

tac_status tac_config_crossing_count(tac_config *c, size_t *count, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(c && count);
    *count = 0;
    TAC_TRY(tac__federation_divide(c, err));
    *count = c->federation->crossing_count;
    return TAC_OK;
}

void tac_config_crossing_info_sized(const tac_config *c, size_t link, tac_crossing_info *info,
                                    size_t size)
{
    const tac_crossing_info none = {.from = "", .to = ""};
    const bool found =
        c && c->federation && c->federation->complete && link < c->federation->crossing_count;
    tac__def_give(info, size, found ? &c->federation->crossings[link].info : &none, sizeof none);
}

const tac_link_law *tac_config_crossing_law(const tac_config *c, size_t from_process,
                                            const char *channel, size_t to_process,
                                            const char *inlet)
{
    const tac__federation *f = c ? c->federation : NULL;
    if (!f || !f->complete || !channel || !inlet || from_process >= f->count ||
        to_process >= f->count)
        return NULL;
    bool others = false; // this port hears this channel of other processes
    for (size_t i = 0; i < f->crossing_count; i++) {
        const tac_crossing_info *x = &f->crossings[i].info;
        if (x->to_process != to_process || strcmp(x->from, channel) != 0 ||
            strcmp(x->to, inlet) != 0)
            continue;
        if (x->from_process == from_process)
            return x->law;
        others |= !f->crossings[i].group; // anyone may publish on a channel of groups
    }
    if (others)
        return NULL;
    const tac__fed_rule *rule = last_rule(f, from_process, channel, to_process, inlet);
    return rule ? rule->law : f->delay;
}
