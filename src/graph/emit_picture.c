// emit_picture.c - see emit_picture.h.
#include "graph/emit_picture.h"
#include "graph/schedule.h"

typedef struct maker {
    const tac_graph *f;
    const tac__terms *pool;
    tac__arena *arena;
    tac__schedule schedule;
    const bool *live;
    int32_t *box;    // of each term; -1: none
    int32_t *around; // of each loop: the one that it lies in
    tac__node_picture *picture;
    bool failed; // no memory
} maker;

const char *tac__node_fill(tac__node_kind kind)
{
    static const char *const fills[TAC__NODE_KINDS] = {"#dbeafe", "#fef3c7", "#f8fafc", "#f3e8ff",
                                                       "#dcfce7"};
    return fills[kind];
}

const char *tac__node_line(tac__node_kind kind)
{
    static const char *const lines[TAC__NODE_KINDS] = {"#1d4ed8", "#b45309", "#64748b", "#7e22ce",
                                                       "#15803d"};
    return lines[kind];
}

// --- boxes and arrows ---------------------------------------------------------------------------

static int32_t add_box(maker *m, tac__node_box box)
{
    tac__node_picture *p = m->picture;
    if (!box.text || !TAC__ARENA_GROW(m->arena, p->boxes, p->box_count, p->box_capacity)) {
        m->failed = true;
        return -1;
    }
    p->boxes[p->box_count] = box;
    return (int32_t)p->box_count++;
}

static void add_arrow(maker *m, int32_t from_term, int32_t to, const char *text, bool back)
{
    tac__node_picture *p = m->picture;
    const int32_t from = m->box[from_term];
    if (from < 0 || to < 0)
        return;
    if (!TAC__ARENA_GROW(m->arena, p->arrows, p->arrow_count, p->arrow_capacity)) {
        m->failed = true;
        return;
    }
    p->arrows[p->arrow_count++] = (tac__node_arrow){from, to, text, back};
}

// --- texts --------------------------------------------------------------------------------------

// An operand in the text of a box: a constant, or a dot for what an arrow brings.
static const char *operand_text(const maker *m, int32_t term, char text[TAC__NUMBER_TEXT])
{
    if (!tac__term_is_constant(m->pool, term))
        return "\xc2\xb7";
    tac__number_print(m->pool->terms[term].value, text);
    return text;
}

static const char *infix_of(tac__sym_op op)
{
    switch (op) {
    case TAC__SYM_add:
        return "+";
    case TAC__SYM_sub:
        return "-";
    case TAC__SYM_mul:
        return "*";
    case TAC__SYM_div:
        return "/";
    case TAC__SYM_lt:
        return "<";
    case TAC__SYM_le:
        return "<=";
    case TAC__SYM_eq:
        return "==";
    case TAC__SYM_logic_and:
        return "and";
    case TAC__SYM_logic_or:
        return "or";
    default:
        return NULL;
    }
}

static const char *text_of(maker *m, const tac__term *t)
{
    const tac__sym_op op = (tac__sym_op)t->op;
    const int operands = tac__op_operands(op);
    char texts[3][TAC__NUMBER_TEXT];
    const char *a = operands > 0 ? operand_text(m, t->a, texts[0]) : "";
    const char *b = operands > 1 ? operand_text(m, t->b, texts[1]) : "";
    const char *c = operands > 2 ? operand_text(m, t->c, texts[2]) : "";
    if (infix_of(op))
        return tac__arena_format(m->arena, "%s %s %s", a, infix_of(op), b);
    switch (op) {
    case TAC__SYM_neg:
        return tac__arena_format(m->arena, "-%s", a);
    case TAC__SYM_logic_not:
        return tac__arena_format(m->arena, "not %s", a);
    case TAC__SYM_select:
        return tac__arena_format(m->arena, "%s ? %s : %s", a, b, c);
    case TAC__SYM_pick:
    case TAC__SYM_segment:
        return tac__arena_format(m->arena, "%s in table %d", tac__op_name(op), t->b);
    case TAC__SYM_result:
        return tac__arena_format(m->arena, "result %d of loop %d", t->b, t->a);
    default:
        return operands > 1 ? tac__arena_format(m->arena, "%s(%s, %s)", tac__op_name(op), a, b)
                            : tac__arena_format(m->arena, "%s(%s)", tac__op_name(op), a);
    }
}

static bool order_matters(tac__sym_op op)
{
    return op != TAC__SYM_add && op != TAC__SYM_mul && op != TAC__SYM_eq &&
           op != TAC__SYM_logic_and && op != TAC__SYM_logic_or;
}

// --- the whole ----------------------------------------------------------------------------------

static const char *name_of(const maker *m, const tac__group *g, size_t i)
{
    const char *label = g->labels ? g->labels[i] : NULL, *unit = g->units ? g->units[i] : NULL;
    if (!label || g->starts)
        return "";
    return unit && *unit ? tac__arena_format(m->arena, "%s [%s]", label, unit) : label;
}

static void add_inputs(maker *m)
{
    for (size_t g = 0; g < m->f->in_count; g++) {
        const tac__group *group = &m->f->in[g];
        for (size_t i = 0; i < group->count; i++)
            m->box[group->terms[i]] =
                add_box(m, (tac__node_box){
                               .kind = TAC__NODE_INPUT,
                               .text = tac__arena_format(m->arena, "%s[%zu]", group->name, i),
                               .name = name_of(m, group, i),
                               .group = (int32_t)g,
                               .loop = -1,
                           });
    }
}

static void add_term(maker *m, int32_t term, int32_t loop)
{
    static const char *const which[] = {"1", "2", "3"};
    static const char *const sides[] = {"if", "then", "else"};
    const tac__term *t = &m->pool->terms[term];
    const tac__sym_op op = (tac__sym_op)t->op;
    const int32_t box = add_box(
        m, (tac__node_box){.kind = tac__op_is_condition(op) ? TAC__NODE_CONDITION : TAC__NODE_VALUE,
                           .text = text_of(m, t),
                           .loop = loop});
    m->box[term] = box;
    const int operands = tac__op_operands(op);
    int arrows = 0;
    for (int k = 0; k < operands; k++)
        arrows += !tac__term_is_constant(m->pool, tac__term_operand(t, k));
    for (int k = 0; k < operands; k++)
        add_arrow(m, tac__term_operand(t, k), box,
                  op == TAC__SYM_select             ? sides[k]
                  : arrows > 1 && order_matters(op) ? which[k]
                                                    : "",
                  false);
    if (op == TAC__SYM_result) {
        const tac__loop *l = &m->pool->loops[t->a];
        add_arrow(m, t->b < l->count ? l->variable[t->b] : l->exported[t->b - l->count], box, "",
                  false);
    }
}

static void begin_loop(maker *m, int32_t loop)
{
    const tac__loop *l = &m->pool->loops[loop];
    for (int k = 0; k < l->count; k++) {
        char text[TAC__NUMBER_TEXT];
        const int32_t box = add_box(
            m, (tac__node_box){.kind = TAC__NODE_VARIABLE,
                               .text = tac__arena_format(m->arena, "variable %d from %s", k,
                                                         operand_text(m, l->initial[k], text)),
                               .loop = loop});
        m->box[l->variable[k]] = box;
        add_arrow(m, l->initial[k], box, "first", false);
    }
}

static void end_loop(maker *m, int32_t loop)
{
    const tac__loop *l = &m->pool->loops[loop];
    const int32_t box =
        add_box(m, (tac__node_box){
                       .kind = TAC__NODE_CONDITION,
                       .text = tac__arena_format(m->arena, "settled, or %d rounds more", l->rounds),
                       .loop = loop});
    add_arrow(m, l->settled, box, "", false);
    for (int k = 0; k < l->count; k++)
        add_arrow(m, l->next[k], m->box[l->variable[k]], "next", true);
}

static void add_steps(maker *m)
{
    int32_t loop = -1;
    for (size_t i = 0; i < m->schedule.count; i++) {
        const tac__step *s = &m->schedule.steps[i];
        if (s->kind == TAC__STEP_TERM && m->live[s->term])
            add_term(m, s->term, loop);
        if (s->kind == TAC__STEP_LOOP) {
            m->around[s->term] = loop;
            loop = s->term;
            begin_loop(m, loop);
        }
        if (s->kind == TAC__STEP_END && m->schedule.steps[s->other].kind == TAC__STEP_LOOP) {
            end_loop(m, loop);
            loop = m->around[loop];
        }
    }
}

// An output that is a constant says which.
static const char *output_text(maker *m, const tac__group *g, size_t i)
{
    char text[TAC__NUMBER_TEXT];
    const bool constant = tac__term_is_constant(m->pool, g->terms[i]);
    const char *value = constant ? operand_text(m, g->terms[i], text) : "";
    size_t column = 0;
    while (g->starts && (size_t)g->starts[column + 1] <= i)
        column++;
    return g->starts ? tac__arena_format(m->arena, "%s(%d, %zu)%s%s", g->name, g->row_of[i], column,
                                         constant ? " = " : "", value)
                     : tac__arena_format(m->arena, "%s[%zu]%s%s", g->name, i, constant ? " = " : "",
                                         value);
}

static void add_outputs(maker *m)
{
    for (size_t g = 0; g < m->f->out_count; g++) {
        const tac__group *group = &m->f->out[g];
        for (size_t i = 0; i < group->count; i++)
            add_arrow(m, group->terms[i],
                      add_box(m, (tac__node_box){.kind = TAC__NODE_OUTPUT,
                                                 .text = output_text(m, group, i),
                                                 .name = name_of(m, group, i),
                                                 .group = (int32_t)g,
                                                 .loop = -1}),
                      "", false);
    }
}

tac_status tac__node_picture_make(const tac_graph *f, tac__arena *arena, tac__node_picture *picture,
                                  tac_error *err)
{
    maker m = {.f = f, .pool = tac__graph_pool(f), .arena = arena, .picture = picture};
    *picture = (tac__node_picture){.boxes = NULL};
    TAC_TRY(tac__schedule_graph(arena, f, TAC__REGIONS_WORTH, &m.schedule, err));
    m.live = tac__emit_live(f, false, arena);
    m.box = tac__arena_array(arena, m.pool->count + 1, sizeof *m.box);
    m.around = tac__arena_array(arena, m.pool->loop_count + 1, sizeof *m.around);
    if (!m.live || !m.box || !m.around)
        return tac__fail_memory(err);
    for (size_t i = 0; i < m.pool->count; i++)
        m.box[i] = -1;
    add_inputs(&m);
    add_steps(&m);
    add_outputs(&m);
    return m.failed ? tac__fail_memory(err) : TAC_OK;
}
