// phases.c - the phases of entities in words, and their section of the table.
#include "explain/explain.h"
#include "explain/page.h"

#include <inttypes.h>
#include <string.h>

enum { BETWEEN_MAX = 40, NAME_MAX = 32 };

// --- facts --------------------------------------------------------------------------------------

const char *tac__strategy_name(tac_strategy strategy)
{
    static const char *const names[] = {
#define WORD(name, text, doc) text,
        TAC_STRATEGY_TABLE(WORD)
#undef WORD
    };
    return names[strategy];
}

const char *tac__strategy_text(tac_strategy strategy)
{
    static const char *const texts[] = {"what is inactive is not run",
                                        "what is inactive runs behind a closed gate",
                                        "one graph a phase; in a run, what is inactive is not run"};
    return texts[strategy];
}

const char *tac__inactive_text(const tac__component *c)
{
    return c->hold ? "held" : "zero";
}

bool tac__from_any(const tac__phases *p, const tac__transition *t)
{
    const uint64_t all = p->count == 64 ? UINT64_MAX : (UINT64_C(1) << p->count) - 1;
    return p->count > 2 && t->from == (all & ~(UINT64_C(1) << t->to));
}

void tac__from_print(const tac__phases *p, const tac__transition *t, tac__text *out)
{
    if (tac__from_any(p, t)) {
        tac__text_add(out, "any");
        return;
    }
    bool any = false;
    for (size_t i = 0; i < p->count; i++) {
        if (!(t->from >> i & 1))
            continue;
        tac__text_add(out, "%s%s", any ? ", " : "", p->names[i]);
        any = true;
    }
}

static const char *level_text(tac_log_level level)
{
    static const char *const texts[] = {" (debug)", "", " (warning)", " (error)"};
    return texts[level];
}

void tac__action_print(const tac__phase_action *a, tac__text *out)
{
    if (a->kind == TAC__SAY) {
        tac__text_add(out, "log \"%s\"%s", a->target, level_text(a->level));
        return;
    }
    tac__text_add(out, "%s %s to %s", a->kind == TAC__RESET ? "reset" : "set", a->target,
                  a->count > 1 ? "[" : "");
    for (size_t i = 0; i < a->count; i++)
        tac__text_add(out, "%s%s", i ? ", " : "", a->values[i].text);
    tac__text_add(out, "%s", a->count > 1 ? "]" : "");
}

void tac__actions_print(const tac__transition *t, tac__text *out)
{
    for (size_t i = 0; i < t->action_count; i++) {
        tac__text_add(out, "%s", i ? "; " : "");
        tac__action_print(&t->actions[i], out);
    }
}

// --- machines that are alike --------------------------------------------------------------------

static bool same_action(const tac__phase_action *a, const tac__phase_action *b)
{
    if (a->kind != b->kind || a->level != b->level || a->count != b->count ||
        strcmp(a->target, b->target))
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (strcmp(a->values[i].text, b->values[i].text))
            return false;
    }
    return true;
}

static bool same_transition(const tac__transition *a, const tac__transition *b)
{
    if (a->from != b->from || a->to != b->to || a->locate != b->locate ||
        a->action_count != b->action_count || strcmp(a->condition.text, b->condition.text))
        return false;
    for (size_t i = 0; i < a->action_count; i++) {
        if (!same_action(&a->actions[i], &b->actions[i]))
            return false;
    }
    return true;
}

bool tac__same_phases(const tac__component *a, const tac__component *b)
{
    if (!tac__is_machine(a) || !tac__is_machine(b))
        return tac__is_machine(a) == tac__is_machine(b);
    const tac__phases *p = tac__phases_of(a), *q = tac__phases_of(b);
    if (p->count != q->count || p->initial != q->initial ||
        p->transition_count != q->transition_count)
        return false;
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->names[i], q->names[i]))
            return false;
    }
    for (size_t i = 0; i < p->transition_count; i++) {
        if (!same_transition(&p->transitions[i], &q->transitions[i]))
            return false;
    }
    return true;
}

// --- the section --------------------------------------------------------------------------------

typedef struct section {
    const tac_engine *e;
    const tac__component *machine;
    const tac__phases *p;
    tac__text *out;
    tac__text words; // scratch
} section;

// Returns the scratch text, emptied.
static tac__text *scratch(section *s)
{
    s->words.length = 0;
    tac__text_add(&s->words, "%s", "");
    return &s->words;
}

static void add_scratch(section *s)
{
    if (!s->words.failed)
        tac__page_words(s->out, s->words.chars);
}

static void add_names(section *s)
{
    tac__text_repeat(s->out, ' ', TAC__PAGE_INDENT);
    tac__list l = tac__list_begin(s->out);
    for (size_t i = 0; i < s->p->count; i++) {
        tac__text *name = scratch(s);
        tac__text_add(name, "%zu %s%s", i, s->p->names[i],
                      (int32_t)i == s->p->initial ? " (initial)" : "");
        if (!name->failed)
            tac__list_add(&l, ",", name->chars);
    }
    tac__text_add(s->out, "\n");
}

static void between(section *s, const tac__transition *t)
{
    tac__text *text = scratch(s);
    tac__from_print(s->p, t, text);
    tac__text_add(text, " -> %s", s->p->names[t->to]);
}

static void add_transitions(section *s)
{
    size_t wide = 0;
    bool located = false;
    for (size_t i = 0; i < s->p->transition_count; i++) {
        between(s, &s->p->transitions[i]);
        wide = s->words.failed ? 0 : tac__page_widest(wide, s->words.chars, BETWEEN_MAX);
        located |= s->p->transitions[i].locate;
    }
    const size_t mark = TAC__PAGE_INDENT + 6 + wide + 2, at = mark + (located ? 9 : 0);
    for (size_t i = 0; i < s->p->transition_count; i++) {
        const tac__transition *t = &s->p->transitions[i];
        tac__text_add(s->out, "%*s%4zu  ", TAC__PAGE_INDENT, "", i + 1);
        between(s, t);
        if (!s->words.failed)
            tac__text_add(s->out, "%s", s->words.chars);
        if (tac__page_column(s->out) + 2 > mark)
            tac__page_line(s->out, mark);
        tac__page_pad(s->out, mark);
        tac__text_add(s->out, "%s", t->locate ? "located" : "");
        tac__text_repeat(s->out, ' ',
                         tac__page_column(s->out) < at ? at - tac__page_column(s->out) : 0);
        tac__text_add(scratch(s), "%s", t->condition.text);
        add_scratch(s);
        if (t->action_count) {
            tac__page_line(s->out, at);
            tac__text_add(s->out, "then ");
            tac__actions_print(t, scratch(s));
            add_scratch(s);
        }
        tac__text_add(s->out, "\n");
    }
}

// Phases from `first` on, as many as fit on the page; returns the one after the last.
static size_t add_columns(section *s, size_t first, size_t name)
{
    const tac__phases *p = s->p;
    size_t at = TAC__PAGE_INDENT + name + 2, end = first;
    tac__text_repeat(s->out, ' ', TAC__PAGE_INDENT);
    tac__text_add(s->out, "active in");
    tac__page_pad(s->out, at);
    for (; end < p->count; end++) {
        const size_t wide = strlen(p->names[end]) < 4 ? 4 : strlen(p->names[end]);
        if (end > first && tac__page_column(s->out) + 2 + wide > TAC__PAGE_WIDTH)
            break;
        tac__text_add(s->out, "%s%-*s", end > first ? "  " : "", (int)wide, p->names[end]);
    }
    tac__text_add(s->out, "\n");
    for (size_t i = 0; i < s->e->plan->component_count; i++) {
        const tac__component *c = s->e->plan->components[i];
        if (c->entity != s->machine->entity || !tac__is_gated(c))
            continue;
        tac__text_add(s->out, "%*s%s", TAC__PAGE_INDENT, "", c->name);
        tac__page_pad(s->out, at);
        for (size_t k = first; k < end; k++)
            tac__text_add(s->out, "%s%-*s", k > first ? "  " : "",
                          (int)(strlen(p->names[k]) < 4 ? 4 : strlen(p->names[k])),
                          c->active_in >> k & 1 ? "on" : tac__inactive_text(c));
        tac__text_add(s->out, "\n");
    }
    return end;
}

static void add_activity(section *s)
{
    size_t name = strlen("active in"), gated = 0, others = 0;
    for (size_t i = 0; i < s->e->plan->component_count; i++) {
        const tac__component *c = s->e->plan->components[i];
        if (c->entity != s->machine->entity || c == s->machine)
            continue;
        others += !tac__is_gated(c);
        gated += tac__is_gated(c);
        if (tac__is_gated(c))
            name = tac__page_widest(name, c->name, NAME_MAX);
    }
    for (size_t first = 0; gated && first < s->p->count;)
        first = add_columns(s, first, name);
    if (others)
        tac__text_add(s->out, "%*s%s active in all phases\n", TAC__PAGE_INDENT, "",
                      !gated        ? "every component is"
                      : others == 1 ? "the other component is"
                                    : "all other components are");
}

static void add_machine(section *s, uint32_t count)
{
    const tac__phases *p = s->p;
    tac__text_add(s->out, "  %s", tac__entity_label(s->e, s->machine->entity));
    if (count > 1)
        tac__text_add(s->out, " x%" PRIu32, count);
    tac__text_add(s->out, ": %zu %s, %zu %s; signal %s.phase\n", p->count,
                  p->count == 1 ? "phase" : "phases", p->transition_count,
                  p->transition_count == 1 ? "transition" : "transitions", s->machine->name);
    add_names(s);
    add_transitions(s);
    add_activity(s);
}

void tac__phases_text(const tac_engine *e, const tac__swarms *swarms, tac__text *out)
{
    if (e->plan->machine_count == 0) {
        tac__text_add(out, "No entity has phases.\n");
        return;
    }
    tac__text_add(out, "Phases (%s: %s)\n", tac__strategy_name(e->plan->def.strategy),
                  tac__strategy_text(e->plan->def.strategy));
    section s = {.e = e, .out = out};
    tac__text_init(&s.words, out->allocator);
    for (size_t i = 0; i < e->plan->machine_count; i++) {
        s.machine = e->plan->components[e->plan->machines[i]];
        s.p = tac__phases_of(s.machine);
        if (tac__swarms_show(swarms, s.machine))
            add_machine(&s, tac__swarms_count(swarms, s.machine));
    }
    out->failed |= s.words.failed;
    tac__text_fini(&s.words);
}
