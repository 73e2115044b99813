// emit_c_body.c - what a function of a graph computes, as C.
//
// Every term becomes a constant of its own, in the order of the schedule. What only one output
// group needs is computed only if that output is wanted; what several need comes first. A large
// function is cut into parts, which pass values on in w[]: compilers take much longer for one
// function of many lines than for many functions of few.
#include "graph/emit_c.h"
#include "base/print.h"
#include "graph/schedule.h"
#include "math/elementary.h"

#include <math.h>
#include <stdarg.h>

// Lines of a function that is not cut; a part has a third of them. Blocks in one another, at most:
// compilers have limits.
enum { WHOLE_LINES = 3000, DEPTH_MAX = 100 };

// Something that stands at the outermost level: the steps from `from` to `to`, or the store of
// number `to` of output group `from`.
typedef struct item {
    bool store;
    int32_t section; // 0: what several groups need; g + 1: what only output group g needs
    int32_t part;
    size_t from, to;
} item;

// How a value stands in C.
typedef enum form { FORM_REAL, FORM_CONDITION, FORM_INDEX } form;

typedef struct writer {
    const tac__c_function *function;
    const tac_graph *graph;
    const tac__terms *pool;
    tac__schedule schedule;
    const bool *live;
    const tac__emit_input *inputs;
    uint64_t *groups;        // of each term: a bit for each output group that needs it
    int32_t *number;         // of each term: v12 has 12
    int32_t *slot;           // of each term: where it stands in w[]; -1: nowhere
    int32_t *defined, *last; // of each term: the part that computes it, the last that uses it
    int32_t *loaded;         // of each term: the last part that has it from w[]
    bool *early;             // of each term in a loop: needed before the loop may end
    bool *input_used;        // of each input group: by the function that is written now
    item *items;             // in the order of their sections
    size_t item_count;
    int32_t numbers, parts;
    size_t slots;
    bool deterministic;
    size_t whole_lines; // of a function that is not cut
    int depth, nesting; // of the blocks written, of the regions of the schedule
    tac__c_uses *uses;
    tac__text *out;
} writer;

// --- small things -------------------------------------------------------------------------------

void tac__c_number(tac__text *out, double value)
{
    char text[TAC__NUMBER_TEXT];
    if (isnan(value)) {
        tac__text_add(out, "(double)NAN");
        return;
    }
    const bool minus = signbit(value);
    tac__number_print(fabs(value), text);
    bool whole = true;
    for (const char *c = text; *c; c++)
        whole &= tac__is_digit(*c);
    tac__text_add(out, "%s%s%s%s", minus ? "(-" : "", isinf(value) ? "(double)INFINITY" : text,
                  whole ? ".0" : "", minus ? ")" : "");
}

static const tac__term *at(const writer *w, int32_t term)
{
    return &w->pool->terms[term];
}

static form form_of(const writer *w, int32_t term)
{
    const tac__sym_op op = (tac__sym_op)at(w, term)->op;
    return tac__op_is_condition(op) ? FORM_CONDITION
           : op == TAC__SYM_segment ? FORM_INDEX
                                    : FORM_REAL;
}

static bool is_leaf(const writer *w, int32_t term)
{
    const int32_t op = at(w, term)->op;
    return op == TAC__SYM_constant || op == TAC__SYM_input;
}

TAC_PRINTF(2, 3) static void line(const writer *w, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    tac__vprint(text, sizeof text, format, args);
    va_end(args);
    tac__text_repeat(w->out, ' ', 4 * (size_t)(w->depth + 1));
    tac__text_add(w->out, "%s", text);
}

// --- operands -----------------------------------------------------------------------------------

static char letter_of(const writer *w, int32_t term)
{
    return "vci"[form_of(w, term)];
}

static void add_name(const writer *w, int32_t term)
{
    tac__text_add(w->out, "%c%d", letter_of(w, term), w->number[term]);
}

static void add_real(const writer *w, int32_t term)
{
    const tac__term *t = at(w, term);
    if (t->op == TAC__SYM_constant) {
        tac__c_number(w->out, t->value);
    } else if (t->op == TAC__SYM_input) {
        const tac__emit_input in = w->inputs[t->a];
        tac__text_add(w->out, "in_%s[%d]", w->graph->in[in.group].name, in.element);
    } else {
        tac__text_add(w->out, "%s", form_of(w, term) == FORM_REAL ? "" : "(double)");
        add_name(w, term);
    }
}

static void add_condition(const writer *w, int32_t term)
{
    const tac__term *t = at(w, term);
    if (t->op == TAC__SYM_constant) {
        tac__text_add(w->out, "%d", t->value != 0);
    } else if (t->op != TAC__SYM_input && form_of(w, term) != FORM_REAL) {
        add_name(w, term);
    } else {
        tac__text_add(w->out, "(");
        add_real(w, term);
        tac__text_add(w->out, " != 0.0)");
    }
}

static void add_index(const writer *w, int32_t term)
{
    if (!is_leaf(w, term) && form_of(w, term) == FORM_INDEX) {
        add_name(w, term);
        return;
    }
    tac__text_add(w->out, "(int)");
    add_real(w, term);
}

// --- expressions --------------------------------------------------------------------------------

static void add_infix(const writer *w, const tac__term *t, const char *between)
{
    add_real(w, t->a);
    tac__text_add(w->out, " %s ", between);
    add_real(w, t->b);
}

static void add_logic(const writer *w, const tac__term *t, const char *between)
{
    add_condition(w, t->a);
    tac__text_add(w->out, " %s ", between);
    add_condition(w, t->b);
}

// a < b ? a : b, as every kind has it.
static void add_extreme(const writer *w, const tac__term *t, const char *between)
{
    add_infix(w, t, between);
    tac__text_add(w->out, " ? ");
    add_infix(w, t, ":");
}

static void add_call(const writer *w, const tac__term *t, const char *name)
{
    tac__text_add(w->out, "%s(", name);
    add_real(w, t->a);
    if (tac__op_operands((tac__sym_op)t->op) > 1) {
        tac__text_add(w->out, ", ");
        add_real(w, t->b);
    }
    tac__text_add(w->out, ")");
}

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)

static void add_function(const writer *w, const tac__term *t)
{
    static const char *const sleef[TAC__SYM_OPS] = {
#define SLEEF(name, accuracy) [TAC__SYM_##name] = TEXT(TAC__SLEEF_F64(name, accuracy)),
        TAC__NAMESAKES_1(SLEEF) TAC__ELEMENTARY_2(SLEEF)[TAC__SYM_exp] = "tactus_exp",
        [TAC__SYM_log1p] = "tactus_log1p"};
    add_call(w, t, w->deterministic ? sleef[t->op] : tac__op_name((tac__sym_op)t->op));
}

static void add_select(const writer *w, const tac__term *t)
{
    add_condition(w, t->a);
    tac__text_add(w->out, " ? ");
    add_real(w, t->b);
    tac__text_add(w->out, " : ");
    add_real(w, t->c);
}

static void add_along(const writer *w, const tac__term *t)
{
    add_real(w, t->b);
    tac__text_add(w->out, " == 0.0 ? 0.0 : ");
    add_infix(w, t, "*");
}

static void add_pick(const writer *w, const tac__term *t)
{
    tac__text_add(w->out, "tactus_table%d[", t->b);
    add_index(w, t->a);
    tac__text_add(w->out, "]");
}

static void add_segment(const writer *w, const tac__term *t)
{
    tac__text_add(w->out, "tactus_segment(tactus_table%d, %d, ", t->b, w->pool->tables[t->b].count);
    add_real(w, t->a);
    tac__text_add(w->out, ")");
}

static void add_prefixed(const writer *w, const tac__term *t)
{
    if (t->op == TAC__SYM_neg) {
        tac__text_add(w->out, "-");
        add_real(w, t->a);
    } else {
        tac__text_add(w->out, "!");
        add_condition(w, t->a);
    }
}

static void add_expression(const writer *w, int32_t term)
{
    static const char *const infix[TAC__SYM_OPS] = {
        [TAC__SYM_add] = "+", [TAC__SYM_sub] = "-", [TAC__SYM_mul] = "*", [TAC__SYM_div] = "/",
        [TAC__SYM_lt] = "<",  [TAC__SYM_le] = "<=", [TAC__SYM_eq] = "=="};
    const tac__term *t = at(w, term);
    w->uses->op[t->op] = true;
    if (t->op == TAC__SYM_pick || t->op == TAC__SYM_segment)
        w->uses->table[t->b] = true;
    switch (t->op) {
    case TAC__SYM_pick:
        add_pick(w, t);
        break;
    case TAC__SYM_segment:
        add_segment(w, t);
        break;
    case TAC__SYM_neg:
    case TAC__SYM_logic_not:
        add_prefixed(w, t);
        break;
    case TAC__SYM_logic_and:
        add_logic(w, t, "&&");
        break;
    case TAC__SYM_logic_or:
        add_logic(w, t, "||");
        break;
    case TAC__SYM_select:
        add_select(w, t);
        break;
    case TAC__SYM_min:
        add_extreme(w, t, "<");
        break;
    case TAC__SYM_max:
        add_extreme(w, t, ">");
        break;
    case TAC__SYM_along:
        add_along(w, t);
        break;
    case TAC__SYM_abs:
        add_call(w, t, "fabs");
        break;
    case TAC__SYM_sqrt:
        add_call(w, t, "tactus_sqrt");
        break;
    case TAC__SYM_floor:
        add_call(w, t, "floor");
        break;
    case TAC__SYM_fmod:
        add_call(w, t, "fmod");
        break;
    default:
        if (infix[t->op])
            add_infix(w, t, infix[t->op]);
        else
            add_function(w, t);
    }
}

// --- steps --------------------------------------------------------------------------------------

static const char *type_of(const writer *w, int32_t term)
{
    return form_of(w, term) == FORM_REAL ? "double" : "int";
}

static void define(writer *w, int32_t term)
{
    w->number[term] = ++w->numbers;
}

static void print_term(writer *w, int32_t term)
{
    define(w, term);
    line(w, "const %s ", type_of(w, term));
    add_name(w, term);
    tac__text_add(w->out, " = ");
    add_expression(w, term);
    tac__text_add(w->out, ";\n");
}

// The END of an IF, an ELSE or a LOOP.
static int32_t end_of(const writer *w, int32_t opened)
{
    const tac__step *steps = w->schedule.steps;
    const int32_t other = steps[opened].other;
    return steps[other].kind == TAC__STEP_ELSE ? steps[other].other : other;
}

// The term that stands behind an IF and takes its value from one of its parts.
static int32_t chooser_of(const writer *w, int32_t opened)
{
    return w->schedule.steps[end_of(w, opened) + 1].term;
}

// What the term behind an IF is if the condition holds (side 0) or not (side 1).
static void print_choice(const writer *w, int32_t term, int side)
{
    const tac__term *t = at(w, term);
    line(w, "%c%d = ", letter_of(w, term), w->number[term]);
    if (t->op == TAC__SYM_select)
        add_real(w, side == 0 ? t->b : t->c);
    else if ((t->op == TAC__SYM_logic_or) == (side == 1))
        add_condition(w, t->b);
    else
        tac__text_add(w->out, "%d", t->op == TAC__SYM_logic_or);
    tac__text_add(w->out, ";\n");
}

// Whether the region at this nesting is a block in C; too deep ones are computed in any case.
static bool is_block(const writer *w)
{
    return w->nesting < DEPTH_MAX;
}

static void print_if(writer *w, int32_t step)
{
    const int32_t chooser = chooser_of(w, step);
    define(w, chooser);
    line(w, "%s %c%d;\n", type_of(w, chooser), letter_of(w, chooser), w->number[chooser]);
    line(w, "if (");
    add_condition(w, w->schedule.steps[step].term);
    tac__text_add(w->out, ") {\n");
    w->depth++;
}

static void print_else(writer *w, int32_t opened)
{
    print_choice(w, chooser_of(w, opened), 0);
    w->depth--;
    line(w, "} else {\n");
    w->depth++;
}

static void print_end(writer *w, int32_t opened)
{
    const tac__step *s = &w->schedule.steps[opened];
    if (w->schedule.steps[s->other].kind == TAC__STEP_END)
        print_else(w, opened);
    print_choice(w, chooser_of(w, opened), 1);
    w->depth--;
    line(w, "}\n");
}

// The steps behind a block that belong to it: the term that chooses, or the results of a loop.
static size_t item_end(const writer *w, size_t from)
{
    const tac__step *steps = w->schedule.steps;
    if (steps[from].kind == TAC__STEP_TERM)
        return from + 1;
    size_t to = (size_t)end_of(w, (int32_t)from) + 1;
    if (steps[from].kind == TAC__STEP_IF)
        return to + 1;
    while (to < w->schedule.count && steps[to].kind == TAC__STEP_TERM &&
           at(w, steps[to].term)->op == TAC__SYM_result &&
           at(w, steps[to].term)->a == steps[from].term)
        to++;
    return to;
}

// --- loops --------------------------------------------------------------------------------------

// The term that is the result number `k` of a loop; -1: the graph does not need it.
static int32_t result_of(const writer *w, int32_t loop, int k, size_t behind)
{
    for (size_t i = behind; i < w->schedule.count; i++) {
        const tac__step *s = &w->schedule.steps[i];
        if (s->kind != TAC__STEP_TERM || at(w, s->term)->op != TAC__SYM_result ||
            at(w, s->term)->a != loop)
            return -1;
        if (at(w, s->term)->b == k)
            return w->live[s->term] ? s->term : -1;
    }
    return -1;
}

// Results of a loop have the names of its variables and exports, which live on behind it.
static void print_loop(writer *w, int32_t step)
{
    const int32_t number = w->schedule.steps[step].term;
    const size_t behind = (size_t)w->schedule.steps[step].other + 1;
    const tac__loop *loop = &w->pool->loops[number];
    for (int k = 0; k < loop->count; k++) {
        define(w, loop->variable[k]);
        line(w, "double v%d = ", w->number[loop->variable[k]]);
        add_real(w, loop->initial[k]);
        tac__text_add(w->out, ";\n");
        const int32_t result = result_of(w, number, k, behind);
        if (result >= 0)
            w->number[result] = w->number[loop->variable[k]];
    }
    for (int k = 0; k < loop->exports; k++) {
        const int32_t result = result_of(w, number, loop->count + k, behind);
        if (result < 0)
            continue;
        define(w, result);
        line(w, "double v%d;\n", w->number[result]);
    }
    line(w, "for (int round%d = 0;; round%d++) {\n", number, number);
    w->depth++;
}

static void print_next(const writer *w, const tac__loop *loop, int32_t number)
{
    for (int k = 0; k < loop->count; k++) {
        line(w, "const double next%d_%d = ", number, k);
        add_real(w, loop->next[k]);
        tac__text_add(w->out, ";\n");
    }
    for (int k = 0; k < loop->count; k++)
        line(w, "v%d = next%d_%d;\n", w->number[loop->variable[k]], number, k);
}

// Where the loop ends: its exports are what they are in this round.
static void print_loop_check(writer *w, int32_t step)
{
    const int32_t number = w->schedule.steps[step].term;
    const tac__loop *loop = &w->pool->loops[number];
    const size_t behind = (size_t)w->schedule.steps[step].other + 1;
    line(w, "if (");
    add_condition(w, loop->settled);
    tac__text_add(w->out, " || round%d == %d) {\n", number, loop->rounds);
    w->depth++;
    for (int k = 0; k < loop->exports; k++) {
        const int32_t result = result_of(w, number, loop->count + k, behind);
        if (result < 0)
            continue;
        line(w, "v%d = ", w->number[result]);
        add_real(w, loop->exported[k]);
        tac__text_add(w->out, ";\n");
    }
    line(w, "break;\n");
    w->depth--;
    line(w, "}\n");
}

static void mark(bool *early, const int32_t *terms, int count)
{
    for (int k = 0; k < count; k++)
        early[terms[k]] = true;
}

// What a round needs before it is known whether another one follows: all that `settled` and the
// exports are made of. Operands come before what uses them.
static void find_early(writer *w, int32_t step)
{
    const tac__step *steps = w->schedule.steps;
    const int32_t number = steps[step].term, end = steps[step].other;
    const tac__loop *loop = &w->pool->loops[number];
    for (int32_t i = step + 1; i < end; i++) {
        if (steps[i].kind == TAC__STEP_TERM)
            w->early[steps[i].term] = false;
    }
    w->early[loop->settled] = true;
    for (int k = 0; k < loop->exports; k++) {
        if (result_of(w, number, loop->count + k, (size_t)end + 1) >= 0)
            w->early[loop->exported[k]] = true;
    }
    for (int32_t i = end - 1; i > step; i--) {
        const tac__term *t = at(w, steps[i].term);
        if (steps[i].kind != TAC__STEP_TERM || !w->early[steps[i].term])
            continue;
        for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++)
            w->early[tac__term_operand(t, k)] = true;
        if (t->op != TAC__SYM_result)
            continue;
        const tac__loop *inner = &w->pool->loops[t->a];
        mark(w->early, inner->initial, inner->count);
        mark(w->early, inner->next, inner->count);
        mark(w->early, &inner->settled, 1);
        mark(w->early, inner->exported, inner->exports);
    }
}

// Whether the item whose first step this is, in the body of a loop, comes before the loop may end.
static bool is_early(const writer *w, int32_t from)
{
    const tac__step *s = &w->schedule.steps[from];
    if (s->kind == TAC__STEP_TERM)
        return w->early[s->term];
    if (s->kind == TAC__STEP_IF)
        return w->early[chooser_of(w, from)];
    bool early = false;
    const tac__loop *inner = &w->pool->loops[s->term];
    for (int k = 0; k < inner->count + inner->exports; k++) {
        const int32_t result = result_of(w, s->term, k, (size_t)end_of(w, from) + 1);
        early |= result >= 0 && w->early[result];
    }
    return early;
}

static void print_steps(writer *w, size_t from, size_t to);

static void print_body(writer *w, int32_t step, bool early)
{
    const size_t end = (size_t)w->schedule.steps[step].other;
    for (size_t from = (size_t)step + 1, to; from < end; from = to) {
        to = item_end(w, from);
        if (is_early(w, (int32_t)from) == early)
            print_steps(w, from, to);
    }
}

// What only the next round needs is computed only if there is one.
static void print_whole_loop(writer *w, int32_t step)
{
    const int32_t number = w->schedule.steps[step].term;
    print_loop(w, step);
    w->nesting++;
    find_early(w, step);
    print_body(w, step, true);
    print_loop_check(w, step);
    print_body(w, step, false);
    print_next(w, &w->pool->loops[number], number);
    w->nesting--;
    w->depth--;
    line(w, "}\n");
}

// --- the steps of an item -----------------------------------------------------------------------

// Whether the results of a loop are needed by anything but the derivative of another loop.
static bool loop_is_live(const writer *w, int32_t step)
{
    const int32_t number = w->schedule.steps[step].term;
    const tac__loop *loop = &w->pool->loops[number];
    bool live = false;
    for (int k = 0; k < loop->count + loop->exports; k++)
        live |= result_of(w, number, k, (size_t)end_of(w, step) + 1) >= 0;
    return live;
}

// Returns the last step that is done with.
static int32_t print_step(writer *w, int32_t i)
{
    const tac__step *s = &w->schedule.steps[i];
    switch (s->kind) {
    case TAC__STEP_TERM:
        if (w->live[s->term] && w->number[s->term] == 0)
            print_term(w, s->term);
        break;
    case TAC__STEP_IF:
        if (!w->live[chooser_of(w, i)])
            return end_of(w, i);
        if (is_block(w))
            print_if(w, i);
        w->nesting++;
        break;
    case TAC__STEP_ELSE:
        w->nesting--;
        if (is_block(w))
            print_else(w, w->schedule.steps[end_of(w, i)].other);
        w->nesting++;
        break;
    case TAC__STEP_LOOP:
        if (loop_is_live(w, i))
            print_whole_loop(w, i);
        return end_of(w, i);
    case TAC__STEP_END:
        w->nesting--;
        if (is_block(w))
            print_end(w, s->other);
        break;
    }
    return i;
}

static void print_steps(writer *w, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        i = (size_t)print_step(w, (int32_t)i);
}

static void print_store(const writer *w, const item *it)
{
    const tac__group *g = &w->graph->out[it->from];
    line(w, "out_%s[%zu] = ", g->name, it->to);
    add_real(w, g->terms[it->to]);
    tac__text_add(w->out, ";\n");
}

static void print_item(writer *w, const item *it)
{
    if (it->store) {
        print_store(w, it);
        return;
    }
    print_steps(w, it->from, it->to);
}

// --- sections -----------------------------------------------------------------------------------

enum { GROUP_BITS = 64 };

static void need(uint64_t *groups, const int32_t *terms, int count, uint64_t by)
{
    for (int i = 0; i < count; i++)
        groups[terms[i]] |= by;
}

// Which output groups need each term; groups beyond the last bit count as several.
static void find_groups(writer *w)
{
    uint64_t *groups = w->groups;
    for (size_t g = 0; g < w->graph->out_count; g++)
        need(groups, w->graph->out[g].terms, (int)w->graph->out[g].count,
             g < GROUP_BITS ? UINT64_C(1) << g : UINT64_MAX);
    for (size_t i = w->pool->count; i-- > 0;) {
        const tac__term *t = &w->pool->terms[i];
        for (int k = 0; groups[i] && k < tac__op_operands((tac__sym_op)t->op); k++)
            groups[tac__term_operand(t, k)] |= groups[i];
        if (!groups[i] || t->op != TAC__SYM_result)
            continue;
        const tac__loop *loop = &w->pool->loops[t->a];
        need(groups, loop->initial, loop->count, groups[i]);
        need(groups, loop->variable, loop->count, groups[i]);
        need(groups, loop->next, loop->count, groups[i]);
        need(groups, &loop->settled, 1, groups[i]);
        need(groups, loop->exported, loop->exports, groups[i]);
    }
}

static int32_t section_of(uint64_t groups)
{
    int32_t section = 1;
    if ((groups & (groups - 1)) != 0 || groups == 0)
        return 0;
    for (; !(groups & 1); groups >>= 1)
        section++;
    return section;
}

static int32_t section_of_steps(const writer *w, size_t from)
{
    const tac__step *s = &w->schedule.steps[from];
    if (s->kind == TAC__STEP_LOOP)
        return section_of(w->groups[w->pool->loops[s->term].variable[0]]);
    return section_of(w->groups[s->kind == TAC__STEP_IF ? chooser_of(w, (int32_t)from) : s->term]);
}

static void put_steps(writer *w, int32_t section)
{
    for (size_t from = 0, to; from < w->schedule.count; from = to) {
        to = item_end(w, from);
        if (section_of_steps(w, from) == section)
            w->items[w->item_count++] = (item){.section = section, .from = from, .to = to};
    }
}

// Items section by section; what is stored into an output comes last in its section.
static bool list_items(writer *w, tac__arena *arena)
{
    size_t count = w->schedule.count;
    for (size_t g = 0; g < w->graph->out_count; g++)
        count += w->graph->out[g].count;
    w->items = tac__arena_array(arena, count + 1, sizeof *w->items);
    if (!w->items)
        return false;
    put_steps(w, 0);
    for (size_t g = 0; g < w->graph->out_count; g++) {
        const int32_t section = (int32_t)g + 1;
        if (g < GROUP_BITS)
            put_steps(w, section);
        for (size_t i = 0; i < w->graph->out[g].count; i++)
            w->items[w->item_count++] =
                (item){.store = true, .section = section, .from = g, .to = i};
    }
    return true;
}

// --- parts --------------------------------------------------------------------------------------

static size_t lines_of(const item *it)
{
    return it->store ? 1 : it->to - it->from;
}

static void cut_into_parts(writer *w)
{
    size_t lines = 0;
    for (size_t i = 0; i < w->item_count; i++)
        lines += lines_of(&w->items[i]);
    w->parts = 1;
    if (lines <= w->whole_lines)
        return;
    lines = 0;
    for (size_t i = 0; i < w->item_count; i++) {
        item *it = &w->items[i];
        if (i > 0 && (lines >= w->whole_lines / 3 || it->section != it[-1].section)) {
            w->parts++;
            lines = 0;
        }
        it->part = w->parts - 1;
        lines += lines_of(it);
    }
}

typedef void visit_fn(writer *w, int32_t term, int32_t part);

static void visit_loop(writer *w, int32_t step, int32_t part, visit_fn *visit)
{
    const int32_t number = w->schedule.steps[step].term;
    const tac__loop *loop = &w->pool->loops[number];
    for (int k = 0; k < loop->count; k++) {
        visit(w, loop->initial[k], part);
        visit(w, loop->next[k], part);
    }
    for (int k = 0; k < loop->exports; k++) {
        if (result_of(w, number, loop->count + k, (size_t)end_of(w, step) + 1) >= 0)
            visit(w, loop->exported[k], part);
    }
    visit(w, loop->settled, part);
}

// Every term that the steps of an item read, some of them more than once.
static void visit_reads(writer *w, const item *it, visit_fn *visit)
{
    if (it->store) {
        visit(w, w->graph->out[it->from].terms[it->to], it->part);
        return;
    }
    for (size_t i = it->from; i < it->to; i++) {
        const tac__step *s = &w->schedule.steps[i];
        if (s->kind == TAC__STEP_LOOP && loop_is_live(w, (int32_t)i))
            visit_loop(w, (int32_t)i, it->part, visit);
        if (s->kind != TAC__STEP_TERM || !w->live[s->term])
            continue;
        const tac__term *t = at(w, s->term);
        for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++)
            visit(w, tac__term_operand(t, k), it->part);
    }
}

static void note_read(writer *w, int32_t term, int32_t part)
{
    if (part > w->last[term])
        w->last[term] = part;
}

static void note_definitions(writer *w, const item *it)
{
    for (size_t i = it->from; !it->store && i < it->to; i++) {
        if (w->schedule.steps[i].kind == TAC__STEP_TERM)
            w->defined[w->schedule.steps[i].term] = it->part;
    }
}

// Slots in w[] for what passes from one part to another. A slot is free again behind the last part
// that reads it: slots that become free are chained by part, through `next`.
static bool give_slots(writer *w, tac__arena *arena)
{
    int32_t *freed = tac__arena_array(arena, (size_t)w->parts + 1, sizeof *freed);
    int32_t *next = tac__arena_array(arena, w->pool->count + 1, sizeof *next);
    int32_t *pile = tac__arena_array(arena, w->pool->count + 1, sizeof *pile);
    if (!freed || !next || !pile)
        return false;
    size_t piled = 0;
    int32_t part = 0;
    for (int32_t p = 0; p <= w->parts; p++)
        freed[p] = -1;
    for (size_t n = 0; n < w->item_count; n++) {
        const item *it = &w->items[n];
        for (; part < it->part; part++) {
            for (int32_t s = freed[part]; s >= 0; s = next[s])
                pile[piled++] = s;
        }
        for (size_t i = it->from; !it->store && i < it->to; i++) {
            const tac__step *s = &w->schedule.steps[i];
            if (s->kind != TAC__STEP_TERM || !w->live[s->term] || w->last[s->term] <= it->part)
                continue;
            const int32_t slot = piled ? pile[--piled] : (int32_t)w->slots++;
            w->slot[s->term] = slot;
            next[slot] = freed[w->last[s->term]];
            freed[w->last[s->term]] = slot;
        }
    }
    return true;
}

// --- functions ----------------------------------------------------------------------------------

static void note_input(writer *w, int32_t term, int32_t part)
{
    (void)part;
    if (at(w, term)->op == TAC__SYM_input)
        w->input_used[w->inputs[at(w, term)->a].group] = true;
}

static void load(writer *w, int32_t term, int32_t part)
{
    if (w->slot[term] < 0 || w->defined[term] >= part || w->loaded[term] == part)
        return;
    w->loaded[term] = part;
    const bool real = form_of(w, term) == FORM_REAL;
    line(w, "const %s %c%d = %sw[%d];\n", type_of(w, term), letter_of(w, term), w->number[term],
         real ? "" : "(int)", w->slot[term]);
}

static void save(const writer *w, const item *it)
{
    for (size_t i = it->from; !it->store && i < it->to; i++) {
        const tac__step *s = &w->schedule.steps[i];
        if (s->kind == TAC__STEP_TERM && w->slot[s->term] >= 0)
            line(w, "w[%d] = %c%d;\n", w->slot[s->term], letter_of(w, s->term), w->number[s->term]);
    }
}

// The inputs that these items read, as pointers.
static void print_inputs(writer *w, const item *items, size_t count)
{
    for (size_t g = 0; g < w->graph->in_count; g++)
        w->input_used[g] = false;
    for (size_t i = 0; i < count; i++)
        visit_reads(w, &items[i], note_input);
    for (size_t g = 0; g < w->graph->in_count; g++) {
        const char *name = w->graph->in[g].name;
        if (w->input_used[g] && w->parts > 1)
            line(w, "const double *const in_%s = in[%zu];\n", name, g);
        else if (w->input_used[g])
            line(w, "const double *const in_%s = arg[%zu] ? arg[%zu] : tactus_zeros;\n", name, g,
                 g);
    }
}

static void print_part(writer *w, const item *items, size_t count)
{
    const int32_t part = items->part;
    tac__text_add(w->out, "static void %s_part%d(const double *const *in, double *w",
                  w->function->name, part);
    if (items->section > 0)
        tac__text_add(w->out, ", double *out_%s", w->graph->out[items->section - 1].name);
    tac__text_add(w->out, ")\n{\n    (void)in;\n    (void)w;\n");
    if (items->section > 0)
        line(w, "(void)out_%s;\n", w->graph->out[items->section - 1].name);
    print_inputs(w, items, count);
    for (size_t i = 0; i < count; i++)
        visit_reads(w, &items[i], load);
    for (size_t i = 0; i < count; i++) {
        print_item(w, &items[i]);
        save(w, &items[i]);
    }
    tac__text_add(w->out, "}\n\n");
}

static size_t part_end(const writer *w, size_t from)
{
    size_t to = from + 1;
    while (to < w->item_count && w->items[to].part == w->items[from].part)
        to++;
    return to;
}

static void print_parts(writer *w)
{
    for (size_t from = 0, to; from < w->item_count; from = to) {
        to = part_end(w, from);
        print_part(w, &w->items[from], to - from);
    }
}

static void print_head(const writer *w)
{
    tac__text_add(w->out,
                  "TACTUS_EXPORT int %s(const double **arg, double **res, long long *iw, "
                  "double *w, int mem)\n{\n"
                  "    (void)arg;\n    (void)res;\n    (void)iw;\n    (void)w;\n    (void)mem;\n",
                  w->function->name);
}

static void print_calls(writer *w)
{
    line(w, "const double *in[%zu];\n", w->graph->in_count ? w->graph->in_count : 1);
    for (size_t g = 0; g < w->graph->in_count; g++)
        line(w, "in[%zu] = arg[%zu] ? arg[%zu] : tactus_zeros;\n", g, g, g);
    for (size_t from = 0; from < w->item_count; from = part_end(w, from)) {
        const item *it = &w->items[from];
        if (it->section > 0)
            line(w, "if (res[%zu])\n        %s_part%d(in, w, res[%zu]);\n",
                 w->function->res_of[it->section - 1], w->function->name, it->part,
                 w->function->res_of[it->section - 1]);
        else
            line(w, "%s_part%d(in, w);\n", w->function->name, it->part);
    }
}

static void begin_section(writer *w, int32_t section)
{
    const char *name = w->graph->out[section - 1].name;
    line(w, "double *const out_%s = res[%zu];\n", name, w->function->res_of[section - 1]);
    line(w, "if (out_%s) {\n", name);
    w->depth++;
}

static void end_section(writer *w)
{
    w->depth--;
    line(w, "}\n");
}

static void print_whole(writer *w)
{
    int32_t section = 0;
    print_inputs(w, w->items, w->item_count);
    for (size_t i = 0; i < w->item_count; i++) {
        if (w->items[i].section != section) {
            if (section > 0)
                end_section(w);
            section = w->items[i].section;
            begin_section(w, section);
        }
        print_item(w, &w->items[i]);
    }
    if (section > 0)
        end_section(w);
}

static bool begin(writer *w, tac__arena *arena)
{
    const size_t count = w->pool->count + 1;
    w->live = tac__emit_live(w->graph, false, arena);
    w->inputs = tac__emit_inputs(w->graph, arena);
    w->groups = tac__arena_array(arena, count, sizeof *w->groups);
    w->number = tac__arena_array(arena, count, sizeof *w->number);
    w->slot = tac__arena_array(arena, count, sizeof *w->slot);
    w->defined = tac__arena_array(arena, count, sizeof *w->defined);
    w->last = tac__arena_array(arena, count, sizeof *w->last);
    w->loaded = tac__arena_array(arena, count, sizeof *w->loaded);
    w->early = tac__arena_array(arena, count, sizeof *w->early);
    w->input_used = tac__arena_array(arena, w->graph->in_count + 1, sizeof *w->input_used);
    if (!w->live || !w->inputs || !w->groups || !w->number || !w->slot || !w->defined || !w->last ||
        !w->loaded || !w->early || !w->input_used)
        return false;
    for (size_t i = 0; i < count; i++)
        w->slot[i] = -1;
    find_groups(w);
    return list_items(w, arena);
}

static bool plan_parts(writer *w, tac__arena *arena)
{
    cut_into_parts(w);
    if (w->parts == 1)
        return true;
    for (size_t i = 0; i < w->item_count; i++) {
        note_definitions(w, &w->items[i]);
        visit_reads(w, &w->items[i], note_read);
    }
    return give_slots(w, arena);
}

tac_status tac__c_body(tac__c_function *function, const tac__emit_options *options,
                       tac__arena *arena, tac__c_uses *uses, tac__text *out, tac_error *err)
{
    writer w = {.function = function,
                .graph = function->graph,
                .pool = tac__graph_pool(function->graph),
                .deterministic = options->deterministic,
                .whole_lines = options->part_lines ? options->part_lines : WHOLE_LINES,
                .uses = uses,
                .out = out};
    TAC_TRY(tac__schedule_graph(arena, w.graph, TAC__REGIONS_WORTH, &w.schedule, err));
    if (!begin(&w, arena) || !plan_parts(&w, arena))
        return tac__fail_memory(err);
    if (w.parts > 1)
        print_parts(&w);
    print_head(&w);
    if (w.parts > 1)
        print_calls(&w);
    else
        print_whole(&w);
    tac__text_add(out, "    return 0;\n}\n");
    function->work = w.slots;
    return TAC_OK;
}
