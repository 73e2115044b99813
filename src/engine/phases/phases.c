// phases.c - the machine of an entity's phases as a component: what it reads from the
// configuration. transit.c runs it.
#include "engine/plan/warn.h"
#include "engine/plan/find.h"
#include "engine/plan/declare.h"
#include "engine/phases/phases.h"
#include "base/def.h"

#include <string.h>

// --- names --------------------------------------------------------------------------------------

const char *tac__phase_name(const void *context, size_t i)
{
    const tac__phases *p = context;
    return i < p->count ? p->names[i] : NULL;
}

int tac__phase_find(const tac__phases *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++) {
        if (!strcmp(p->names[i], name))
            return (int)i;
    }
    return -1;
}

static tac_status fail_phase(tac_declare *d, const tac__phases *p, const char *param,
                             const char *name)
{
    tac_error err;
    tac__fail(&err, TAC_E_NAME, "unknown phase '%s'", name);
    if (!strcmp(param, "from") && (!strcmp(name, "*") || !strcmp(name, "all")))
        tac__error_append(&err, "; did you mean 'any'?");
    else
        tac__error_suggest(&err, name, tac__phase_name, p);
    return tac_declare_fail(d, param, "%s", err.text);
}

static tac_status read_names(tac_declare *d, tac__phases *p)
{
    p->names = tac_param_words(
        d, TAC_PARAM(.name = "names", .doc = "the phases, in the order of their numbers"),
        TAC__PHASES_MAX, &p->count);
    const char *initial =
        tac_param_text(d, TAC_PARAM(.name = "initial", .doc = "the phase in which the run begins"));
    if (!d->plan || d->failed)
        return TAC_OK;
    if (p->count == 0)
        return tac_declare_fail(d, "names", "expected at least one phase");
    for (size_t i = 0; i < p->count; i++) {
        if (!tac__name_valid(p->names[i]) || !strcmp(p->names[i], "any"))
            return tac_declare_fail(d, "names",
                                    "'%s' is no name for a phase: a letter, then letters, digits "
                                    "and '_', and not 'any'",
                                    p->names[i]);
        if (tac__phase_find(p, p->names[i]) != (int)i)
            return tac_declare_fail(d, "names", "phase '%s' is named twice", p->names[i]);
    }
    p->initial = (int32_t)tac__phase_find(p, initial);
    return p->initial < 0 ? fail_phase(d, p, "initial", initial) : TAC_OK;
}

// --- actions ------------------------------------------------------------------------------------

typedef struct action_keys {
    const char *reset, *set, *log;
    const char *const *to;
    size_t to_count;
} action_keys;

// Is the text the name of a signal, perhaps with a sign before it?
static bool is_signal(const char *text)
{
    text += strspn(text, "- ");
    const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_.");
    return tac__is_letter(*text) && !text[length] && strchr(text, '.');
}

// Find the state that a reset sets, in the own entity: continuous, or discrete and made of f64.
// Returns the number of its elements, 0 where there is no such state.
static size_t find_target(const tac_declare *d, tac__phase_action *a)
{
    const tac__plan *plan = d->plan;
    uint32_t element;
    size_t count;
    const int signal = tac__find_own_state(plan, d->instance, a->target, &element, &count);
    if (signal >= 0) {
        const tac__component *c = plan->components[plan->schema.signals[signal].component];
        a->component = (int)c->index;
        a->state = -1;
        a->offset = element;
        for (size_t k = 0; tac__signal_at(c, c->outputs.count + k) != signal; k++)
            a->offset += c->continuous.items[k].type.count;
        return count;
    }
    const char *entity = plan->entities[d->entity].name;
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        const char *name = c->name + (*entity ? strlen(entity) + 1 : 0);
        const size_t length = strlen(name);
        if (c->entity != d->entity || strncmp(name, a->target, length) || a->target[length] != '.')
            continue;
        for (size_t k = 0; k < c->states.count; k++) {
            if (strcmp(c->states.items[k].name, a->target + length + 1) ||
                c->states.items[k].type.scalar != TAC_F64)
                continue;
            a->component = (int)c->index;
            a->state = (int)k;
            a->offset = 0;
            return c->states.items[k].type.count;
        }
    }
    return 0;
}

static tac_status read_reset(tac_declare *d, tac__phases *p, tac__phase_action *a,
                             const action_keys *keys)
{
    a->kind = TAC__RESET;
    a->target = keys->reset;
    a->count = find_target(d, a);
    if (a->count == 0) {
        tac_error err;
        tac__fail(&err, TAC_E_NAME,
                  "'%s' is no state of this entity that could be reset: a continuous one, or a "
                  "discrete one of numbers of type f64",
                  a->target);
        tac__suggest_own_state(d->plan, d->instance, a->target, &err);
        tac__declare_lacks(d, a->target, strcspn(a->target, "."));
        return tac_declare_fail(d, "reset", "%s", err.text);
    }
    if (keys->to_count != a->count && keys->to_count != 1)
        return tac_declare_fail(d, "to", "'%s' has %zu elements, but there are %zu values",
                                a->target, a->count, keys->to_count);
    a->first = p->reset_count;
    p->reset_count += a->count;
    a->values = tac__arena_array(&p->arena, a->count, sizeof *a->values);
    if (!a->values)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < a->count; i++) {
        const char *text = keys->to[keys->to_count == 1 ? 0 : i];
        // One signal for a state of several elements: each element is set to the same element of
        // the signal.
        if (a->count > 1 && keys->to_count == 1 && is_signal(text))
            text = tac__arena_format(&p->arena, "%s[%zu]", text, i);
        if (!text)
            return TAC_E_MEMORY;
        TAC_TRY(tac__formula_read(d, &p->peers, "to", text, &a->values[i]));
    }
    return TAC_OK;
}

static tac_status read_set(tac_declare *d, tac__phases *p, tac__phase_action *a,
                           const action_keys *keys)
{
    a->kind = TAC__SET;
    a->target = keys->set;
    a->values = tac__arena_array(&p->arena, 1, sizeof *a->values);
    a->count = 1;
    if (!a->values)
        return TAC_E_MEMORY;
    if (keys->to_count != 1)
        return tac_declare_fail(d, "to", "'set' takes a single value");
    TAC_TRY(tac__peers_feed(d, &p->peers, a->target, "set", &a->output));
    return tac__formula_read(d, &p->peers, "to", keys->to[0], a->values);
}

static tac_status read_action(tac_declare *d, tac__phases *p, tac__phase_action *a)
{
    static const char *const levels[] = {
#define WORD(name, text) text,
        TAC_LOG_TABLE(WORD)
#undef WORD
            NULL};
    action_keys keys;
    keys.reset = tac_param_text(
        d, TAC_PARAM(.name = "reset", .fallback = "", .doc = "a state of this entity"));
    keys.set = tac_param_text(
        d, TAC_PARAM(.name = "set", .fallback = "",
                     .doc = "an input of a component of this entity that has no route"));
    keys.to = tac_param_words(d,
                              TAC_PARAM(.name = "to", .fallback = "[]",
                                        .doc = "expressions, one an element; or one for all; or "
                                               "a signal of as many elements"),
                              64, &keys.to_count);
    keys.log =
        tac_param_text(d, TAC_PARAM(.name = "log", .fallback = "", .doc = "a text for the log"));
    a->level = (tac_log_level)tac_param_choice(
        d, TAC_PARAM(.name = "level", .fallback = "info", .doc = "of the text"), levels);
    if (!d->plan || d->failed)
        return TAC_OK;
    const int kinds = (*keys.reset != 0) + (*keys.set != 0) + (*keys.log != 0);
    if (kinds != 1)
        return tac_declare_fail(d, NULL, "an action is one of reset, set and log");
    if (*keys.log) {
        a->kind = TAC__SAY;
        a->target = keys.log;
        return keys.to_count ? tac_declare_fail(d, "to", "'to' does not go with 'log'") : TAC_OK;
    }
    if (keys.to_count == 0)
        return tac_declare_fail(d, *keys.reset ? "reset" : "set", "'to' is missing: the value");
    return *keys.reset ? read_reset(d, p, a, &keys) : read_set(d, p, a, &keys);
}

static tac_status read_actions(tac_declare *d, tac__phases *p, tac__transition *t)
{
    t->action_count =
        tac_param_items(d,
                        TAC_PARAM(.name = "actions", .fallback = "[]",
                                  .doc = "what is done when the new phase begins: reset, set, log"),
                        TAC__ACTIONS_MAX);
    t->actions = tac__arena_array(&p->arena, t->action_count, sizeof *t->actions);
    if (!t->actions)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < t->action_count; i++) {
        tac_param_begin(d, "actions", i);
        const tac_status status = read_action(d, p, &t->actions[i]);
        tac_param_end(d);
        TAC_TRY(status);
    }
    return TAC_OK;
}

// --- transitions --------------------------------------------------------------------------------

static tac_status read_any(tac_declare *d, const tac__phases *p, size_t count, tac__transition *t)
{
    if (count > 1)
        return tac_declare_fail(d, "from", "'any' stands for all phases, and so alone");
    t->from = p->count == 64 ? UINT64_MAX : (UINT64_C(1) << p->count) - 1;
    t->from &= ~(UINT64_C(1) << t->to); // a transition to the present phase would repeat for ever
    if (t->from == 0)
        return tac_declare_fail(d, "from", "'any' is every phase but '%s', and there is no other",
                                p->names[t->to]);
    return TAC_OK;
}

static tac_status read_from(tac_declare *d, const tac__phases *p, const char *const *from,
                            size_t count, tac__transition *t)
{
    if (count == 0)
        return tac_declare_fail(d, "from", "expected a phase, several, or 'any'");
    for (size_t i = 0; i < count; i++) {
        const int phase = tac__phase_find(p, from[i]);
        if (!strcmp(from[i], "any"))
            return read_any(d, p, count, t);
        if (phase < 0)
            return fail_phase(d, p, "from", from[i]);
        t->from |= UINT64_C(1) << phase;
    }
    return TAC_OK;
}

static bool is_word(char c)
{
    return tac__is_alnum(c) || c == '_';
}

// Are the texts the same, but for blanks that separate nothing?
static bool same_text(const char *a, const char *b)
{
    for (char last = ' ';; last = *a++, b++) {
        const char *const from_a = a, *const from_b = b;
        a += strspn(a, " \t\n");
        b += strspn(b, " \t\n");
        if (*a != *b || (is_word(last) && is_word(*a) && (a == from_a) != (b == from_b)))
            return false;
        if (!*a)
            return true;
    }
}

// Two transitions out of one phase with the same condition: the second can never be taken there.
static tac_status check_contradiction(tac_declare *d, const tac__phases *p, size_t n)
{
    const tac__transition *t = &p->transitions[n];
    for (size_t i = 0; i < n; i++) {
        const tac__transition *other = &p->transitions[i];
        const uint64_t both = t->from & other->from;
        if (!both || !same_text(t->condition.text, other->condition.text))
            continue;
        const char *name = p->names[__builtin_ctzll(both)];
        if (t->to != other->to)
            return tac_declare_fail(d, "condition",
                                    "contradicts transition %zu: from '%s' the same condition "
                                    "leads to '%s' there and to '%s' here",
                                    i + 1, name, p->names[other->to], p->names[t->to]);
        return tac_declare_fail(d, "condition",
                                "transition %zu leads from '%s' to '%s' on the same condition "
                                "already",
                                i + 1, name, p->names[t->to]);
    }
    return TAC_OK;
}

static tac_status locate(tac_declare *d, tac__phases *p, size_t n)
{
    tac__transition *t = &p->transitions[n];
    t->waits = tac__expr_waits(t->condition.parsed);
    if (t->waits) // the machine's timer finds when it turns true
        return TAC_OK;
    if (t->condition.memory_words)
        return tac_declare_fail(d, "condition",
                                "cannot be located: it remembers (rising, falling, since)");
    char name[32];
    tac__out out = tac__out_begin(name, sizeof name);
    tac__out_add(&out, "transition%zu", n + 1);
    t->number = tac__formula_locate(d, name, "condition", &t->condition);
    p->located[t->number] = n;
    return TAC_OK;
}

static tac_status check_transition(tac_declare *d, tac__phases *p, size_t n, const char *to,
                                   const char *const *from, size_t from_count,
                                   const char *condition)
{
    tac__transition *t = &p->transitions[n];
    t->place = *tac__param_place(d, "condition");
    t->to = (int32_t)tac__phase_find(p, to);
    if (t->to < 0)
        return fail_phase(d, p, "to", to);
    TAC_TRY(read_from(d, p, from, from_count, t));
    TAC_TRY(tac__formula_read(d, &p->peers, "condition", condition, &t->condition));
    TAC_TRY(check_contradiction(d, p, n));
    return t->locate ? locate(d, p, n) : TAC_OK;
}

// All parameters are read, even after a mistake: a key that is not read would count as unknown.
static tac_status read_transition(tac_declare *d, tac__phases *p, size_t n)
{
    tac__transition *t = &p->transitions[n];
    size_t from_count;
    const char *const *from = tac_param_words(
        d, TAC_PARAM(.name = "from", .doc = "a phase, several, or 'any' other than `to`"),
        TAC__PHASES_MAX, &from_count);
    const char *to = tac_param_text(d, TAC_PARAM(.name = "to", .doc = "the next phase"));
    const char *condition =
        tac_param_text(d, TAC_PARAM(.name = "condition",
                                    .doc = "it is taken when this holds; see docs/expressions.md"));
    t->locate = tac_param_bool(
        d, TAC_PARAM(.name = "locate", .fallback = "false",
                     .doc = "find the very microsecond at which the condition turns true"));
    const tac_status status =
        d->plan && !d->failed ? check_transition(d, p, n, to, from, from_count, condition) : TAC_OK;
    const tac_status actions = read_actions(d, p, t);
    TAC_TRY(status);
    TAC_TRY(actions);
    if (t->from >> t->to & 1 && t->action_count == 0)
        return tac_declare_fail(d, "to",
                                "leads from '%s' to itself, which changes nothing without actions",
                                p->names[t->to]);
    return TAC_OK;
}

static tac_status read_transitions(tac_declare *d, tac__phases *p)
{
    p->transition_count = tac_param_items(
        d,
        TAC_PARAM(.name = "transitions", .fallback = "[]",
                  .doc = "which phase follows which; the first whose condition holds wins"),
        TAC__TRANSITIONS_MAX);
    p->transitions = tac__arena_array(&p->arena, p->transition_count, sizeof *p->transitions);
    p->located = tac__arena_array(&p->arena, p->transition_count, sizeof *p->located);
    if (!p->transitions || !p->located)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < p->transition_count; i++) {
        tac_param_begin(d, "transitions", i);
        const tac_status status = read_transition(d, p, i);
        tac_param_end(d);
        TAC_TRY(status);
    }
    return TAC_OK;
}

static tac_status check_reachable(tac_declare *d, const tac__phases *p)
{
    uint64_t reached = UINT64_C(1) << p->initial, before;
    do {
        before = reached;
        for (size_t i = 0; i < p->transition_count; i++) {
            if (p->transitions[i].from & reached)
                reached |= UINT64_C(1) << p->transitions[i].to;
        }
    } while (reached != before);
    for (size_t i = 0; i < p->count; i++) {
        if (!(reached >> i & 1))
            return tac_declare_fail(d, "names",
                                    "phase '%s' can never be reached from '%s': no transition "
                                    "leads there",
                                    p->names[i], p->names[p->initial]);
    }
    return TAC_OK;
}

void tac__phases_warn(tac__plan *plan)
{
    for (size_t i = 0; i < plan->machine_count; i++) {
        const tac__component *m = plan->components[plan->machines[i]];
        const tac__phases *p = m->self;
        if (plan->entities[m->entity].periodic)
            continue;
        for (size_t k = 0; k < p->transition_count; k++) {
            const tac__transition *t = &p->transitions[k];
            if (!t->locate)
                tac__warn(plan, "transition-unseen", &t->place,
                          "the condition of '%s' that leads to '%s' is neither located nor on any "
                          "axis: it is looked at only where something else gives its entity a "
                          "boundary; add 'locate: true', or a rate group",
                          m->name, p->names[t->to]);
        }
    }
}

bool tac__phases_reset(const tac__component *machine, uint32_t component)
{
    const tac__phases *p = machine->self;
    for (size_t i = 0; i < p->transition_count; i++) {
        const tac__transition *t = &p->transitions[i];
        for (size_t k = 0; k < t->action_count; k++) {
            const tac__phase_action *a = &t->actions[k];
            if (a->kind == TAC__RESET && a->state < 0 && a->component == (int)component)
                return true;
        }
    }
    return false;
}

// --- the component ------------------------------------------------------------------------------

static void declare_outputs(tac_declare *d, tac__phases *p)
{
    static const char *const none[] = {"NONE", NULL};
    p->phase = tac_declare_output(d, TAC_PORT(.name = "phase",
                                              .type = TAC_TYPE_ENUM(p->count ? p->names : none),
                                              .doc = "the present phase"));
    p->transition =
        tac_declare_output(d, TAC_PORT(.name = "transition", .type = TAC_TYPE_I64,
                                       .doc = "number of the transition taken last, from 1"));
    p->queued = tac_declare_output(
        d, TAC_PORT(.name = "queued", .type = TAC_TYPE_I64,
                    .doc = "number of the one that takes effect at the next boundary"));
    p->changes = tac_declare_output(
        d, TAC_PORT(.name = "changes", .type = TAC_TYPE_I64, .doc = "how many were taken"));
    p->resets = -1;
    if (p->reset_count)
        p->resets = tac_declare_output(
            d, TAC_PORT(.name = "resets", .type = TAC_TYPE_ARRAY(TAC_F64, (uint32_t)p->reset_count),
                        .doc = "values to which states were reset"));
    p->memory = -1;
    if (p->peers.memory_words)
        p->memory = tac_declare_state(
            d, TAC_PORT(.name = "memory",
                        .type = TAC_TYPE_ARRAY(TAC_I64, (uint32_t)p->peers.memory_words)));
}

static tac_status count_values(tac__phases *p)
{
    size_t most = 0;
    for (size_t i = 0; i < p->transition_count; i++) {
        size_t count = 0;
        for (size_t k = 0; k < p->transitions[i].action_count; k++)
            count += p->transitions[i].actions[k].count;
        most = count > most ? count : most;
    }
    p->found_count = most;
    return TAC_OK;
}

static tac_status phases_declare(tac_declare *d, void *self)
{
    tac__phases *p = self;
    tac__arena_init(&p->arena, NULL);
    p->begun = true;
    p->peers.arena = &p->arena;
    const tac_status names = read_names(d, p);
    TAC_TRY(read_transitions(d, p));
    TAC_TRY(names);
    if (d->plan && !d->failed)
        TAC_TRY(check_reachable(d, p));
    TAC_TRY(count_values(p));
    declare_outputs(d, p);
    return TAC_OK;
}

static const char *unit_of(const tac_declare *d, const tac__phase_action *a, size_t element)
{
    if (a->kind == TAC__SET)
        return tac_feed_unit(d, a->output);
    const tac__component *c = d->plan->components[a->component];
    if (a->state >= 0)
        return c->states.items[a->state].unit;
    size_t k = 0, end = c->continuous.items[0].type.count;
    while (a->offset + element >= end)
        end += c->continuous.items[++k].type.count;
    return c->continuous.items[k].unit;
}

static tac_status compile_transition(tac_declare *d, tac__phases *p, tac__transition *t)
{
    TAC_TRY(tac__formula_compile(d, &p->peers, "condition", TAC__EXPR_BOOL, NULL, &t->condition));
    for (size_t i = 0; i < t->action_count; i++) {
        tac__phase_action *a = &t->actions[i];
        tac_param_begin(d, "actions", i);
        tac_status status = TAC_OK;
        for (size_t k = 0; status == TAC_OK && k < a->count; k++)
            status = tac__formula_compile(d, &p->peers, "to", TAC__EXPR_NUMBER, unit_of(d, a, k),
                                          &a->values[k]);
        tac_param_end(d);
        TAC_TRY(status);
    }
    return TAC_OK;
}

static tac_status phases_connect(tac_declare *d, void *self)
{
    tac__phases *p = self;
    for (size_t i = 0; i < p->transition_count; i++) {
        tac_param_begin(d, "transitions", i);
        const tac_status status = compile_transition(d, p, &p->transitions[i]);
        tac_param_end(d);
        TAC_TRY(status);
    }
    return TAC_OK;
}

static tac_status phases_init(tac_step *s, const void *self)
{
    const tac__phases *p = self;
    *TAC_OUT(s, int32_t, p->phase) = p->initial;
    return TAC_OK;
}

// The engine runs machines itself; this function only makes the type discrete.
static tac_status phases_step(tac_step *s, const void *self)
{
    (void)s, (void)self;
    return TAC_OK;
}

static bool phases_hold(const tac_step *s, const void *self, int condition)
{
    const tac__phases *p = self;
    const tac__component *m = s->instance->plan;
    const int32_t phase = tac__phase_now(m);
    if (*(const int64_t *)m->out[p->queued]) // one change at a time
        return false;
    const tac__transition *t = &p->transitions[p->located[condition]];
    if (!(t->from >> phase & 1) || !tac__formula_ready(&t->condition, s))
        return false;
    const tac__expr_result r = tac__program_run(t->condition.program, s->t_us, s->in, NULL);
    return !r.nan && r.value != 0;
}

static tac_status phases_margin(const tac_step *s, const void *self, int condition, double *margin)
{
    const tac__phases *p = self;
    return tac__formula_margin(&p->transitions[p->located[condition]].condition, s, margin);
}

static void phases_close(void *self)
{
    tac__phases *p = self;
    if (p->begun)
        tac__arena_fini(&p->arena);
    p->begun = false;
}

const tac_component_type tac__phases_type = {
    .size = sizeof(tac_component_type),
    .name = "phases",
    .version = "1",
    .summary = "flight phases of an entity: names, transitions and their actions",
    .flags = TAC__COMPONENT_BUILTIN | TAC_COMPONENT_TIMER | TAC_COMPONENT_OUTSIDE,
    .stage = TAC_STAGE_EVENTS,
    .self_size = sizeof(tac__phases),
    .declare = phases_declare,
    .connect = phases_connect,
    .init = phases_init,
    .kernels[TAC_NUMBERS].step = phases_step,
    .holds = phases_hold,
    .close = phases_close,
    .margin = phases_margin,
};
