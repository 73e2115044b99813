// draw_dot.c - the picture as a graphviz digraph: a cluster for each stage, each island
// and each machine of phases.
#include "explain/draw.h"

#include <string.h>

static void add_quoted(tac__text *out, const char *text)
{
    tac__text_add(out, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            tac__text_add(out, "\\%c", *c);
        else if (*c == '\n')
            tac__text_add(out, "\\n");
        else if ((unsigned char)*c < 0x20 || *c == 0x7f)
            tac__text_add(out, "?");
        else
            tac__text_bytes(out, c, 1);
    }
    tac__text_add(out, "\"");
}

// The two lines of a box as one text.
static void add_box(const tac__picture *p, size_t i, tac__text *out)
{
    const tac__box *b = &p->boxes[i];
    const tac__colours colours = tac__box_colours(b);
    char label[2 * TAC_ERROR_NAME];
    tac__out text = tac__out_begin(label, sizeof label);
    if (b->number)
        tac__out_add(&text, "%u  ", b->number);
    tac__out_add(&text, "%s", b->title);
    if (b->count > 1)
        tac__out_add(&text, "  x%u", b->count);
    tac__out_add(&text, "\n%s", b->subtitle);
    const bool ghost = b->kind == TAC__BOX_STATE || b->kind == TAC__BOX_OUTPUT;
    tac__text_add(out, "    b%zu [label=", i);
    add_quoted(out, label);
    tac__text_add(out, ", fillcolor=\"%s\", color=\"%s\", style=\"filled,rounded%s\"];\n",
                  colours.fill, colours.line, ghost ? ",dashed" : "");
}

static void cluster_begin(tac__text *out, const char *kind, size_t number, const char *label,
                          const char *fill)
{
    tac__text_add(out, "  subgraph cluster_%s_%zu {\n    label=", kind, number);
    add_quoted(out, label);
    tac__text_add(out, "; style=\"filled,rounded\"; color=\"%s\"; fontcolor=\"#475569\";\n", fill);
}

// The stage in whose column a box stands; -1: the state at t_k.
static int column_of(const tac__box *b)
{
    return b->kind == TAC__BOX_STATE ? -1 : (int)b->stage;
}

static void add_stages(const tac__picture *p, tac__text *out)
{
    for (int stage = -1; stage < TAC_STAGE_INTEGRATE; stage++) {
        bool any = false;
        for (size_t i = 0; i < p->box_count; i++) {
            if (column_of(&p->boxes[i]) != stage)
                continue;
            if (!any) {
                char label[64];
                tac__out text = tac__out_begin(label, sizeof label);
                if (stage < 0)
                    tac__out_add(&text, "state at t_k");
                else
                    tac__out_add(&text, "%d %s", stage, tac_stage_name((tac_stage)stage));
                cluster_begin(out, "stage", (size_t)(stage + 1), label, "#f1f5f9");
            }
            any = true;
            add_box(p, i, out);
        }
        tac__text_add(out, "%s", any ? "  }\n" : "");
    }
}

// An invisible point before each column keeps the stages in order.
static void add_columns(const tac__picture *p, tac__text *out)
{
    int before = -2;
    for (int stage = -1; stage < TAC_STAGE_COUNT; stage++) {
        bool any = false;
        for (size_t i = 0; i < p->box_count; i++) {
            if (column_of(&p->boxes[i]) != stage)
                continue;
            if (!any)
                tac__text_add(out, "  c%d [shape=point, style=invis];\n", stage + 1);
            any = true;
            tac__text_add(out, "  c%d -> b%zu [style=invis, weight=0];\n", stage + 1, i);
        }
        for (size_t i = 0; any && before > -2 && i < p->box_count; i++) {
            if (column_of(&p->boxes[i]) == before)
                tac__text_add(out, "  b%zu -> c%d [style=invis, weight=0];\n", i, stage + 1);
        }
        before = any ? stage : before;
    }
}

static void add_islands(const tac__picture *p, tac__text *out)
{
    const tac_engine *e = p->engine;
    for (size_t n = 0; n < e->plan->island_count; n++) {
        if (!tac__swarms_show_island(e, p->swarms, n))
            continue;
        char label[TAC_ERROR_NAME];
        tac__out text = tac__out_begin(label, sizeof label);
        tac__out_add(&text, "10 integrate: island %s, %zu %s", e->plan->islands[n].name,
                     e->plan->islands[n].x_count,
                     e->plan->islands[n].x_count == 1 ? "state" : "states");
        cluster_begin(out, "island", n, label, "#e7e5e4");
        for (size_t i = 0; i < p->box_count; i++) {
            if (p->boxes[i].island == (int)n)
                add_box(p, i, out);
        }
        tac__text_add(out, "  }\n");
    }
}

static void add_arrow(const tac__picture *p, const tac__arrow *a, tac__text *out)
{
    char label[2 * TAC_ERROR_NAME];
    tac__out text = tac__out_begin(label, sizeof label);
    tac__out_add(&text, "%s", a->label);
    if (a->style >= TAC__STYLE_ZOH && a->style <= TAC__STYLE_SYNCHRONIZED)
        tac__out_add(&text, "\n%s", tac__style_text(a->style));
    const char *colour = tac__style_colour(a->style);
    tac__text_add(out, "  b%u -> b%u [label=", a->from, a->to);
    add_quoted(out, label);
    tac__text_add(out, ", color=\"%s\", fontcolor=\"%s\", edgetooltip=", colour, colour);
    add_quoted(out, a->detail);
    if (a->style == TAC__STYLE_MESSAGE)
        tac__text_add(out, ", style=dotted, penwidth=1.8");
    else if (a->delayed)
        tac__text_add(out, ", style=dashed");
    // Arrows for what is seen late must not influence the direction of the layout.
    const tac__box *from = &p->boxes[a->from], *to = &p->boxes[a->to];
    if (a->delayed || a->style == TAC__STYLE_MESSAGE || column_of(from) > column_of(to))
        tac__text_add(out, ", constraint=false");
    tac__text_add(out, "];\n");
}

static void add_legend(const tac__picture *p, tac__text *out)
{
    const tac_engine *e = p->engine;
    cluster_begin(out, "legend", 0, "rate groups", "#ffffff");
    for (size_t i = 0; i < e->plan->group_count; i++) {
        const tac__rate_group *g = &e->plan->groups[i];
        const tac__colours colours = tac__group_colours((int)i);
        char label[TAC_ERROR_NAME], rate[TAC_TIME_TEXT];
        tac__rate_print(g->period_us, rate);
        tac__out text = tac__out_begin(label, sizeof label);
        tac__out_add(&text, "%s\n%s", g->name, g->period_us ? rate : "explicit times");
        tac__text_add(out, "    g%zu [label=", i);
        add_quoted(out, label);
        tac__text_add(out, ", fillcolor=\"%s\", color=\"%s\"];\n", colours.fill, colours.line);
    }
    tac__text_add(out, "    g_none [label=\"no rate group\", fillcolor=\"%s\", color=\"%s\"];\n",
                  tac__group_colours(-1).fill, tac__group_colours(-1).line);
    tac__text_add(out, "  }\n");
}

// --- machines of phases -------------------------------------------------------------------------

// The number, the condition in lines of some width, and what is done then.
static void add_transition_label(const tac__transition *t, size_t number, tac__text *out)
{
    enum { WRAP = 28 };
    tac__text text;
    tac__text_init(&text, out->allocator);
    tac__text_add(&text, "%zu  ", number);
    size_t at = text.length;
    for (const char *c = t->condition.text; *c; c++) {
        const bool blank = strchr(" \t\n\r", *c);
        if (blank && at > WRAP)
            tac__text_add(&text, "\n");
        else
            tac__text_bytes(&text, blank ? " " : c, 1);
        at = blank && at > WRAP ? 0 : at + 1;
    }
    for (size_t i = 0; i < t->action_count; i++) {
        tac__text_add(&text, "\n/ ");
        tac__action_print(&t->actions[i], &text);
    }
    if (!text.failed)
        add_quoted(out, text.chars);
    out->failed |= text.failed;
    tac__text_fini(&text);
}

static void add_transition(const tac__phases *p, size_t machine, size_t i, tac__text *out)
{
    const tac__transition *t = &p->transitions[i];
    const bool any = tac__from_any(p, t);
    const char *colour = t->locate ? TAC__LOCATED_COLOUR : TAC__PHASE_COLOUR;
    if (any)
        tac__text_add(out,
                      "    any%zu_%zu [label=\"any\", shape=plaintext, style=\"\", "
                      "height=0.2, width=0.3];\n",
                      machine, i);
    for (size_t k = 0; k < (any ? 1 : p->count); k++) {
        if (any)
            tac__text_add(out, "    any%zu_%zu", machine, i);
        else if (t->from >> k & 1)
            tac__text_add(out, "    p%zu_%zu", machine, k);
        else
            continue;
        tac__text_add(out, " -> p%zu_%d [label=", machine, (int)t->to);
        add_transition_label(t, i + 1, out);
        // Arrows to earlier phases must not influence the order of the row.
        tac__text_add(out, ", color=\"%s\", fontcolor=\"%s\"%s%s];\n", colour, colour,
                      t->locate ? ", penwidth=1.8, arrowhead=diamond" : "",
                      !any && (int32_t)k > t->to ? ", constraint=false" : "");
    }
}

static void add_machine(const tac__picture *picture, size_t n, tac__text *out)
{
    const tac_engine *e = picture->engine;
    const tac__component *m = e->plan->components[e->plan->machines[n]];
    const tac__phases *p = tac__phases_of(m);
    char label[2 * TAC_ERROR_NAME];
    tac__out text = tac__out_begin(label, sizeof label);
    tac__out_add(&text, "phases of %s", tac__entity_label(e, m->entity));
    if (tac__swarms_count(picture->swarms, m) > 1)
        tac__out_add(&text, "  x%u", tac__swarms_count(picture->swarms, m));
    cluster_begin(out, "phases", n, label, "#f5f3ff");
    tac__text_add(out, "    start%zu [shape=point, width=0.12, color=\"%s\"];\n", n,
                  TAC__PHASE_COLOUR);
    for (size_t i = 0; i < p->count; i++) {
        tac__text_add(out, "    p%zu_%zu [label=", n, i);
        add_quoted(out, p->names[i]);
        tac__text_add(out, ", fillcolor=\"%s\", color=\"%s\"%s];\n", TAC__PHASE_FILL,
                      TAC__PHASE_COLOUR, (int32_t)i == p->initial ? ", penwidth=2" : "");
    }
    tac__text_add(out, "    start%zu -> p%zu_%d [color=\"%s\"];\n", n, n, (int)p->initial,
                  TAC__PHASE_COLOUR);
    for (size_t i = 0; i < p->transition_count; i++)
        add_transition(p, n, i, out);
    tac__text_add(out, "  }\n");
}

static void add_machines(const tac__picture *p, tac__text *out)
{
    for (size_t i = 0; i < p->engine->plan->machine_count; i++) {
        if (tac__swarms_show(p->swarms, p->engine->plan->components[p->engine->plan->machines[i]]))
            add_machine(p, i, out);
    }
}

static void graph_begin(tac__text *out)
{
    tac__text_add(out, "digraph tactus {\n"
                       "  rankdir=LR; newrank=true; nodesep=0.2; ranksep=0.2; bgcolor=\"white\";\n"
                       "  fontname=\"Helvetica\"; fontsize=11;\n"
                       "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", "
                       "fontsize=10, height=0.4];\n"
                       "  edge [fontname=\"Helvetica\", fontsize=8, arrowsize=0.6];\n");
}

void tac__draw_phases_dot(const tac__picture *p, tac__text *out)
{
    graph_begin(out);
    add_machines(p, out);
    tac__text_add(out, "}\n");
}

void tac__draw_dot(const tac__picture *p, tac__text *out)
{
    graph_begin(out);
    add_stages(p, out);
    add_islands(p, out);
    add_columns(p, out);
    add_legend(p, out);
    add_machines(p, out);
    for (size_t i = 0; i < p->arrow_count; i++)
        add_arrow(p, &p->arrows[i], out);
    tac__text_add(out, "}\n");
}
